"""Questions over the page's HTTP: streamed, resumed, cancelled, and kept whatever is killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.availability import unavailable
from tests.desktop.conftest import LEASE
from tests.desktop.desktop_process import PATIENCE, Desktop, Sent, lives
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.lsp.lsp_client import environment, wait_until

Start = Callable[..., Desktop]
QUESTION = "When does the lease of the workshop end?"
FAR = {"LENS_BASE_URL": "https://models.invalid/v1", "LENS_MODEL": "far"}
"""A model that the user is asked about before anything is sent; no such host is ever resolved (RFC 6761)."""
GONE = -32000


def types(heard: list[Sent]) -> set[str]:
    return {each.data["type"] for each in heard}


def known(desktop: Desktop) -> list[str]:
    clusters = desktop.rpc("lens/clusters")["clusters"]
    return sorted(question["question"] for cluster in clusters for question in cluster["questions"])


def asked_before(start: Start, notes: Path) -> str:
    """The URI of an answer of a desktop that is gone."""
    desktop = start(notes).enter()
    uri: str = desktop.heard(desktop.ask(QUESTION, thread="t"))[-1].data["result"]["answerUri"]
    assert desktop.interrupt() == 0
    return uri


def listed(desktop: Desktop) -> list[dict[str, Any]]:
    asks: list[dict[str, Any]] = desktop.send("GET", "/api/asks").json()["asks"]
    return asks


def waiting(desktop: Desktop, question: str = QUESTION) -> tuple[str, dict[str, Any]]:
    """A question that waits for the user's consent, and the prompt."""
    id_ = desktop.ask(question)
    with desktop.listen(f"/api/asks/{id_}/events") as stream:
        return id_, stream.until("consent")[-1].data


def test_an_answer_is_streamed_with_its_way_and_told_to_the_page(shared: Desktop, shared_notes: Path) -> None:
    with shared.listen("/api/happenings") as happenings:
        heard = shared.heard(shared.ask(QUESTION, tab="one", thread="t"))
        told = happenings.until("answered")[-1].data
    assert [each.id for each in heard] == list(range(1, len(heard) + 1))
    events = [each.data["event"]["type"] for each in heard if each.data["type"] == "event"]
    assert {"planned", "evidenceFound", "answered", "stopped"} <= set(events)
    assert any("contract.md" in each.data["message"] for each in heard if each.data["type"] == "progress")
    result = heard[-1].data["result"]
    found = result["evidence"][0]
    assert (result["status"], LEASE in found["quote"]) == ("answered", True)
    assert told["answerUri"] == result["answerUri"]
    uri = (shared_notes / "contract.md").as_uri()
    text = shared.rpc("lens/text", uri=uri)["text"]
    start, end = (found["range"][side]["character"] for side in ("start", "end"))
    line = text.split("\n")[found["range"]["start"]["line"]].encode("utf-16-le")  # as JavaScript counts
    assert line[2 * start : 2 * end].decode("utf-16-le") == found["quote"]
    assert end - start > len(found["quote"])
    assert shared.rpc("lens/text", uri=result["answerUri"])["reader"].startswith("markdown")


def test_the_rest_of_what_is_known_is_passed_on(shared: Desktop) -> None:
    shared.heard(shared.ask(QUESTION))
    assert QUESTION in known(shared)
    assert shared.rpc("lens/ledger")["questions"]
    assert shared.rpc("lens/find", query="lease")["evidence"]
    assert shared.rpc("lens/recheck")["counts"]["verified"]
    assert shared.rpc("lens/status", judge=True)["positionEncoding"] == "utf-16"
    dry = shared.heard(shared.ask(QUESTION, dryRun=True))[-1].data
    assert dry["result"]["schema"] == "lens.dry-run/1"
    for method in ("initialize", "shutdown", "exit", "workspace/executeCommand", "lens/ask", "lens/model", "$/x"):
        assert shared.send("POST", "/api/rpc", {"method": method}).status == 403
    refused = shared.send("POST", "/api/rpc", {"method": "lens/find", "params": {"query": 1}})
    assert (refused.status, refused.json()["error"]["code"]) == (422, -32602)


def test_a_question_that_is_refused_says_why(shared: Desktop) -> None:
    [only] = shared.heard(shared.ask(QUESTION, mode="fast"))[-1:]
    assert (only.data["type"], only.data["name"]) == ("error", "lens.usage")
    assert "model" in only.data["message"]
    outside = shared.heard(shared.ask(QUESTION, scope={"folders": ["file:///etc"]}))[-1].data
    assert outside["type"] == "error"


def test_a_dropped_connection_goes_on_where_it_broke(shared: Desktop) -> None:
    id_ = shared.ask(QUESTION)
    whole = shared.heard(id_)
    for last in range(len(whole) + 2):
        assert shared.heard(id_, last) == whole[last:]
    got: list[Sent] = []
    while not got or got[-1].data["type"] != "result":  # one event for each connection, each broken after it
        with shared.listen(f"/api/asks/{id_}/events", got[-1].id if got else None) as stream:
            got.append(next(iter(stream)))
    assert got == whole
    for nonsense in ("x", "-1", "²", "9" * 30, ""):
        reply = shared.send("GET", f"/api/asks/{id_}/events", Last_Event_ID=nonsense)
        assert reply.body.count(b"data: ") == (0 if nonsense.startswith("9") else len(whole))


def test_two_tabs_do_not_disturb_each_other(shared: Desktop) -> None:
    heard: dict[str, list[Sent]] = {}

    def ask(tab: str) -> None:
        heard[tab] = shared.heard(shared.ask(f"{QUESTION} {tab}", tab=tab))

    running = [threading.Thread(target=ask, args=(tab,)) for tab in ("left", "right")]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    for tab, events in heard.items():
        assert events[-1].data["result"]["question"].endswith(tab)
        assert len({each.data["event"]["token"] for each in events if each.data["type"] == "event"}) == 1
        assert [each["tab"] for each in shared.send("GET", f"/api/asks?tab={tab}").json()["asks"]] == [tab]
        assert {each.id for each in events} == set(range(1, len(events) + 1))
    assert shared.send("GET", "/api/asks/none/events").status == 404
    assert shared.send("DELETE", "/api/asks/none").status == 404


def test_consent_is_asked_of_the_questions_that_wait_and_answered_once(start: Start, notes: Path) -> None:
    desktop = start(notes, **FAR).enter()
    first, prompt = waiting(desktop)
    assert prompt["actions"] == ["Send", "Evidence only"]
    assert "https://models.invalid" in prompt["message"]
    second, same = waiting(desktop, QUESTION + " again")
    assert same == prompt
    free = desktop.heard(desktop.ask(QUESTION, mode="evidence"))  # it waits for nobody, and is asked nothing
    assert "consent" not in types(free)
    assert free[-1].data["type"] == "result"
    answer = {"action": "Evidence only"}
    assert desktop.send("POST", f"/api/consents/{prompt['id']}", answer).status == 200
    assert desktop.send("POST", f"/api/consents/{prompt['id']}", answer).status == 404
    for id_ in (first, second):
        heard = desktop.heard(id_)
        assert heard[-1].data["result"]["ledger"]["endpoint"] is None
        assert [each.data["id"] for each in heard if each.data["type"] == "consent-over"] == [prompt["id"]]
    id_, prompt = waiting(desktop)
    for action in ("Sent", "send", ""):  # none of those that were offered is a no
        desktop.send("POST", f"/api/consents/{prompt['id']}", {"action": action})
        assert desktop.heard(id_)[-1].data["name"] == "lens.consent"
        id_, prompt = waiting(desktop)
    desktop.send("POST", f"/api/consents/{prompt['id']}", {"action": None})
    assert desktop.heard(id_)[-1].data["name"] == "lens.consent"


def test_cancelling_ends_a_question_and_takes_its_prompt_back(start: Start, notes: Path) -> None:
    desktop = start(notes, **FAR).enter()
    id_, prompt = waiting(desktop)
    assert [each["ending"] for each in listed(desktop)] == [None]
    assert desktop.send("DELETE", f"/api/asks/{id_}").status == 200
    last = desktop.heard(id_)[-1].data
    assert (last["type"], last["code"], last["name"]) == ("error", -32800, "lens.cancelled")
    assert wait_until(lambda: desktop.send("POST", f"/api/consents/{prompt['id']}", {"action": "Send"}).status == 404)
    assert desktop.send("DELETE", f"/api/asks/{id_}").status == 200  # once more is no harm
    assert desktop.heard(desktop.ask(QUESTION, mode="evidence"))[-1].data["type"] == "result"


def test_a_question_that_is_stopped_answers_with_what_it_found(start: Start, notes: Path) -> None:
    with in_thread(ChatServer(fault=Fault.SILENCE)) as model:
        desktop = start(notes, LENS_BASE_URL=model.base_url, LENS_MODEL="silent").enter()
        id_ = desktop.ask(QUESTION, mode="fast", thread="t", tab="one")
        with desktop.listen(f"/api/asks/{id_}/events") as stream:
            assert wait_until(lambda: [each["heard"] for each in listed(desktop)] == [True])
            found = stream.until("event")[-1].data["event"]
            assert wait_until(lambda: any(each.path.endswith("/chat/completions") for each in list(model.requests)))
            assert desktop.send("DELETE", f"/api/asks/{id_}").status == 200
            result = stream.until("result")[-1].data["result"]
        assert wait_until(lambda: model.open == 0)
    assert (found["type"], result["stopped"]) == ("evidenceFound", "cancelled")
    assert LEASE in found["evidence"]["quote"]
    [ask] = listed(desktop)
    assert (ask["ending"], ask["inThread"], ask["answerUri"]) == ("stopped", True, result["answerUri"])
    assert wait_until(lambda: not listed(desktop)[0]["heard"])
    [booked] = desktop.rpc("lens/ledger")["questions"]
    assert booked["ledger"]["calls"]["total"] == 1
    assert desktop.heard(id_)[-1].data["result"] == result  # whoever comes later hears the same


def test_a_question_that_says_nothing_when_it_is_stopped_is_given_up(start: Start, notes: Path) -> None:
    with in_thread(ChatServer(fault=Fault.SILENCE)) as model:
        desktop = start(notes, LENS_BASE_URL=model.base_url, LENS_MODEL="silent").enter()
        id_ = desktop.ask(QUESTION, mode="fast")
        with desktop.listen(f"/api/asks/{id_}/events") as stream:
            stream.until("event")
            os.kill(desktop.server(), signal.SIGSTOP)
            assert desktop.send("DELETE", f"/api/asks/{id_}").status == 200
            assert desktop.send("DELETE", f"/api/asks/{id_}").status == 200  # at once the second time
            last = stream.until("error")[-1].data
        assert last["name"] == "lens.cancelled"
        assert [(each["ending"], each["inThread"]) for each in listed(desktop)] == [("stopped", False)]
        os.kill(desktop.server(), signal.SIGCONT)


def test_an_answer_that_drifts_is_told(start: Start, notes: Path) -> None:
    before = (notes / "contract.md").read_text()
    desktop = start(notes).enter()
    uri = desktop.heard(desktop.ask(QUESTION))[-1].data["result"]["answerUri"]
    with desktop.listen("/api/happenings") as happenings:
        happenings.until("answered")
        (notes / "contract.md").write_text("# Contract\n\nThe lease of the workshop never ends.\n")
        drift = happenings.until("drift")[-1].data
        assert drift["uri"] == uri
        assert drift["diagnostics"]
        for number in range(3):  # a page that is told looks again, and is not told of what it saw
            assert desktop.rpc("lens/recheck", uri=uri)["counts"]["withdrawn"]
            desktop.heard(desktop.ask(f"{QUESTION} Look {number}."))
        (notes / "contract.md").write_text(before)
        told = happenings.until("drift")[-1].data
        while told["uri"] != uri:  # what was asked meanwhile cites what is no longer there
            told = happenings.until("drift")[-1].data
        assert told["diagnostics"] == []
    assert desktop.rpc("lens/recheck", uri=uri)["counts"]["withdrawn"] == 0


def test_answers_of_before_are_watched_where_a_page_shows_them(start: Start, notes: Path) -> None:
    uri = asked_before(start, notes)
    desktop = start(notes).enter()
    follow = {"answers": [uri, (notes / "contract.md").as_uri(), (notes.parent / "outside.md").as_uri(), "x"]}
    assert desktop.send("POST", "/api/follow", follow).status == 200
    for malformed in ({"answers": "x"}, {"answers": [1]}, {}, {"answers": ["x"] * 51}):
        assert desktop.send("POST", "/api/follow", malformed).status == 400
    with desktop.listen("/api/happenings") as happenings:
        (notes / "contract.md").write_text("# Contract\n\nThe lease of the workshop never ends.\n")
        assert happenings.until("drift")[-1].data["uri"] == uri


def test_a_language_server_that_is_killed_is_replaced_and_loses_no_answer(start: Start, notes: Path) -> None:
    desktop = start(notes, **FAR).enter()
    desktop.heard(desktop.ask(QUESTION, mode="evidence"))
    pid = desktop.server()
    running, _ = waiting(desktop, "What does the bell say?")
    with desktop.listen("/api/happenings") as happenings:
        os.kill(pid, signal.SIGKILL)
        last = desktop.heard(running)[-1].data
        assert (last["type"], last["code"], last["name"]) == ("error", GONE, "lens.server-gone")
        states = []
        for sent in happenings:
            if sent.data["type"] == "server":
                states.append(sent.data["state"])
            if states[-2:] == ["gone", "running"]:
                break
    assert desktop.server(other_than=pid) != pid
    assert known(desktop) == [QUESTION]
    again = desktop.heard(desktop.ask(QUESTION, mode="evidence"))[-1].data["result"]
    assert (again["status"], again["stopped"]) == ("answered", "reused")


def test_wherever_the_language_server_is_killed_what_was_answered_is_known(start: Start, notes: Path) -> None:
    desktop = start(notes).enter()
    answered, pid = set(), 0
    for step in (1, 8, 14):
        question = f"{QUESTION} Look {step} times."
        pid = desktop.server(other_than=pid)
        id_ = desktop.ask(question)
        with desktop.listen(f"/api/asks/{id_}/events") as stream:
            for sent in stream:
                if sent.id == step:
                    os.kill(pid, signal.SIGKILL)
        last = desktop.heard(id_)[-1].data
        assert last["type"] in ("result", "error")
        if last["type"] == "result":
            answered.add(question)
        assert answered <= set(known(desktop))


def test_a_desktop_that_is_killed_takes_its_server_along_and_loses_no_answer(start: Start, notes: Path) -> None:
    desktop = start(notes).enter()
    desktop.heard(desktop.ask(QUESTION))
    pid = desktop.server()
    desktop.ask(QUESTION + " And the bell?")  # under way, wherever it is
    desktop.process.kill()
    assert wait_until(lambda: not lives(pid))
    assert QUESTION in known(start(notes).enter())


def test_what_was_never_answered_is_not_known(start: Start, notes: Path) -> None:
    """The control of the two above: the store could say no."""
    desktop = start(notes, **FAR).enter()
    waiting(desktop)
    desktop.process.kill()
    assert known(start(notes).enter()) == []


def test_an_interrupt_ends_everything_in_order(start: Start, notes: Path) -> None:
    desktop = start(notes, **FAR).enter()
    id_, _ = waiting(desktop)
    desktop.send("GET", f"/api/page?uri={(notes / 'bell.pdf').as_uri()}&page=1")
    children = desktop.children()
    assert len(children) > 1  # the language server, and who draws pages
    with desktop.listen("/api/happenings") as happenings, desktop.listen(f"/api/asks/{id_}/events") as events:
        assert desktop.interrupt() == 0
        assert list(events)[-1].data["name"] == "lens.cancelled"
        list(happenings)  # it ends
    assert not any(map(lives, children))
    assert desktop.process.stderr is not None
    assert desktop.process.stderr.read() == ""


@pytest.fixture
def display() -> Iterator[str]:
    """A display of the test's own."""
    lacking = [name for name in ("webview", "PySide6", "Xlib") if find_spec(name) is None]
    if lacking:
        unavailable("window", f"{', '.join(lacking)} not installed: pip install 'lens-lsp[window]' python-xlib")
    program = shutil.which("Xvfb")
    if program is None:
        unavailable("window", "Xvfb is not installed")
    reader, writer = os.pipe()
    with open(reader) as told:
        server = subprocess.Popen(
            [program, "-displayfd", str(writer), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            pass_fds=[writer],
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        try:
            yield f":{told.readline().strip()}"
        finally:
            server.terminate()
            server.wait()


@contextmanager
def windowed(home: Path, notes: Path, display: str) -> Iterator[Desktop]:
    engine = {"QTWEBENGINE_DISABLE_SANDBOX": "1", "QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu"}
    env = environment(home) | engine | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    with Desktop(env, "--window", str(notes), shown=True) as desktop:
        yield desktop


def test_the_page_is_shown_in_it_and_all_ends_when_it_is_closed(home: Path, notes: Path, display: str) -> None:
    with windowed(home, notes, display) as desktop:
        assert "token=" in desktop.next_link(), "the window used the first link: another is printed"
        window = next(pid for pid in desktop.children() if "desktop.window" in command(pid))
        assert desktop.token not in command(window), "no list of processes shows the link"
        assert wait_until(lambda: close(display, "Lens"))
        assert desktop.process.wait(PATIENCE) == 0


def test_where_no_window_can_be_opened_the_link_has_to_do(home: Path, notes: Path, display: str) -> None:
    with windowed(home, notes, ":99999") as desktop:
        assert desktop.process.stderr is not None
        assert "open the link in a browser" in desktop.process.stderr.readline()
        desktop.enter()
        assert desktop.interrupt() == 0


def command(pid: int) -> str:
    """How a process was started."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def close(display: str, title: str) -> bool:
    """PageQuestion a window to close, as its button does; whether it is there."""
    from Xlib.display import Display
    from Xlib.protocol.event import ClientMessage

    screen = Display(display)
    try:
        found = [each for each in screen.screen().root.query_tree().children if each.get_wm_name() == title]
        for window in found:
            protocols, delete = map(screen.intern_atom, ("WM_PROTOCOLS", "WM_DELETE_WINDOW"))
            window.send_event(ClientMessage(window=window, client_type=protocols, data=(32, [delete, 0, 0, 0, 0])))
        screen.sync()
        return bool(found)
    finally:
        screen.close()
