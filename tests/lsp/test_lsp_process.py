"""How the process begins, ends and treats its streams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from lens_lsp.lsp.server import ClientProcess, Watchdog
from tests.lsp.lsp_client import LspProcess, frame, wait_until

Start = Callable[..., LspProcess]

PRINTING = """
import sys
from lens_lsp.lsp import lens_status

async def loud(ls, params):
    import os
    print("a stray print")
    os.write(1, b"a stray write\\n")
    os.system("echo a stray child")
    return {"key": os.environ.get("LENS_API_KEY"), "mine": ls.state.environment.get("LENS_API_KEY")}

lens_status.STATUS = lens_status.RequestHandler(loud, lens_status.StatusParams)
from lens_lsp.cli import main
sys.exit(main(["serve", "--stdio"]))
"""


def quiet(server: LspProcess) -> bool:
    return b"Traceback" not in server.errors


def test_exit_without_shutdown_is_1(start: Start) -> None:
    server = start()
    server.begin()
    server.notify("exit")
    assert server.ended() == 1
    assert quiet(server)


def test_shutdown_and_exit_is_0_even_if_nobody_waits_in_between(start: Start) -> None:
    server = start()
    server.begin()
    server.send({"jsonrpc": "2.0", "id": 8, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"})
    assert server.ended() == 0
    assert server.answer(8)["result"] is None
    assert quiet(server)


def test_sigterm_is_0_after_the_answers_that_are_ready(start: Start) -> None:
    server = start()
    server.begin()
    server.result("lens/status")
    server.process.send_signal(signal.SIGTERM)
    assert server.ended() == 0
    assert quiet(server)


def test_the_end_of_standard_input_is_3_and_0_after_shutdown(start: Start) -> None:
    server = start()
    server.begin()
    server.hang_up()
    assert server.ended() == 3
    assert quiet(server)
    other = start()
    other.begin()
    other.ask("shutdown")
    other.hang_up()
    assert other.ended() == 0


def test_a_client_that_closes_our_output_is_1(start: Start) -> None:
    server = start()
    server.begin()
    server.close_output()

    def left() -> bool:
        with suppress(BrokenPipeError):
            server.request("lens/status")
        return server.process.poll() is not None

    assert wait_until(left)
    assert server.ended() == 1
    assert quiet(server)


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 1000000000000000\r\n\r\n",
        b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"Content-Type: x\r\n\r\n{}",
        b"X: " + b"x" * 1_000_000 + b"\r\n\r\n",
        b"hello\r\n\r\n",
        b"\0" * 100_000,
    ],
    ids=["huge", "digits", "negative", "two", "none", "long", "no-colon", "zeros"],
)
def test_broken_framing_is_one_line_and_4(start: Start, data: bytes) -> None:
    server = start()
    server.begin()
    server.result("lens/status")
    with suppress(BrokenPipeError):  # it leaves before it has all of a long one
        server.raw(data)
    assert server.ended() == 4
    assert server.errors.count(b"\n") == 1


def test_other_spellings_of_the_header_are_understood(start: Start) -> None:
    server = start()
    server.begin()
    body = json.dumps({"jsonrpc": "2.0", "id": 1000, "method": "lens/status"}).encode()
    size = b"%d" % len(body)
    for number, head in enumerate(
        [
            b"content-length: " + size + b"\r\n\r\n",
            b"CONTENT-LENGTH:" + size + b"\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
            b"Content-Length: " + size + b"\n\n",
            b"\r\n\r\nX-Other: 1\r\nContent-Length:   " + size + b"  \r\n\r\n",
            b"Content-Length: " + size + b"\r\nContent-Length: " + size + b"\r\n\r\n",
        ],
        start=1,
    ):
        server.raw(head + body)
        server.until(lambda number=number: server.counts[1000] == number)  # type: ignore[misc]


def test_a_message_that_is_too_large_is_drained_and_refused(start: Start) -> None:
    server = start()
    server.begin()
    server.result("lens/status")
    before = server.resident()
    size = (64 << 20) + 1
    server.raw(b"Content-Length: %d\r\n\r\n" % size)
    for _ in range(64):
        server.raw(b" " * (1 << 20))
    server.raw(b" ")
    assert server.answer(None)["error"]["code"] == -32600
    assert server.resident() - before < 10 << 20
    assert server.result("lens/status")["documents"] == 0


def test_no_print_enters_the_protocol_and_no_key_leaves_the_environment(start: Start, notes: Path) -> None:
    server = start(command=(sys.executable, "-c", PRINTING), env={"LENS_API_KEY": "canary-key"})
    server.begin(notes)
    assert server.result("lens/status") == {"key": None, "mine": "canary-key"}
    assert server.leave() == 0
    assert wait_until(lambda: b"a stray child" in server.errors)
    assert b"a stray print" in server.errors
    assert b"a stray write" in server.errors


def test_nothing_that_was_said_is_logged(start: Start, notes: Path) -> None:
    server = start()
    server.begin(notes, options={"secret": "canary-1"})
    server.open("file:///canary-2.md", "canary-3")
    server.change("file:///canary-2.md", 0, {"text": "canary-4"})
    server.change("file:///unknown.md", 2, {"text": "canary-5"})
    server.notify("textDocument/didOpen", {"textDocument": {"text": "canary-6"}})
    server.ask("lens/ask", {"question": "canary-7", "scope": {"folders": ["file:///canary-8"]}})
    server.ask("textDocument/hover", {"canary-9": 1})
    server.ask("workspace/executeCommand", {"command": "canary-10"})
    server.send({"jsonrpc": "2.0", "id": "x", "result": "canary-11"})
    assert server.leave() == 0
    assert b"canary-2.md may differ" in server.errors  # the one document we warn of is named
    assert server.errors.replace(b"canary-2.md may differ", b"").count(b"canary") == 0


def test_a_client_that_stops_reading_does_not_stop_us_from_reading(start: Start) -> None:
    server = start()
    server.begin()
    server.result("lens/status")
    server.reading.clear()
    status = {"jsonrpc": "2.0", "method": "lens/status"}
    # More answers than any pipe holds: were the event loop to write them, it would read nothing any more.
    server.send(*({**status, "id": number} for number in range(10_000, 11_000)))
    server.open("file:///a.md", "text")
    server.reading.set()
    server.until(lambda: all(server.counts[number] == 1 for number in range(10_000, 11_000)))
    assert server.result("lens/status")["documents"] == 1


def test_a_backlog_that_no_client_will_read_ends_the_server(start: Start) -> None:
    server = start()
    server.begin()
    server.reading.clear()
    server.request("lens/status")
    unknown = frame({"jsonrpc": "2.0", "id": 1, "method": "x" * (1 << 20)})

    def flood() -> None:
        with suppress(BrokenPipeError):  # it has left
            for _ in range(20):
                server.raw(unknown)

    thread = threading.Thread(target=flood)
    thread.start()
    assert server.ended() == 1
    thread.join()
    assert b"has not read" in server.errors


def test_it_leaves_with_the_process_that_initialize_names(start: Start) -> None:
    server = start()
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    server.begin(process=client.pid)
    server.result("lens/status")
    client.communicate(b"\n")  # its process is gone, our input stays open
    assert server.ended() == 3
    assert quiet(server)


def test_a_process_that_cannot_be_seen_is_not_missed(start: Start) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    server = start()
    server.begin(process=gone.pid)
    assert server.result("lens/status")["documents"] == 0
    assert b"cannot be seen" in server.errors
    assert server.leave() == 0


def test_help_and_mistyped_options_do_not_start_a_server() -> None:
    asked = [sys.executable, "-m", "lens_lsp", "serve"]
    shown = subprocess.run([*asked, "--help"], capture_output=True, text=True, check=False)
    assert (shown.returncode, "exit status" in shown.stdout) == (0, True)
    refused = subprocess.run([*asked, "--tcp"], capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stderr.count("\n"), "--tcp" in refused.stderr) == (2, 1, True)


def test_initialize_is_answered_before_anything_heavy_is_imported(start: Start) -> None:
    code = (
        "import sys\nfrom lens_lsp.lsp import server\n"
        "print(*sorted({'numpy', 'pydantic', 'openai', 'lens_lsp.app.lens', 'sqlite3'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
    server = start()
    server.begin()
    assert server.seconds_of_processor() < 1.0


def ended() -> int:
    """The number of a process that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_process_is_known_by_its_number_and_when_it_began() -> None:
    mine = ClientProcess.of(os.getpid())
    assert mine is not None
    assert mine.lives()
    assert mine.began is None or not ClientProcess(mine.pid, "some other time").lives()
    assert ClientProcess.of(ended()) is None


def test_a_process_that_nobody_has_buried_yet_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        known = ClientProcess.of(process.pid)
        assert known is not None
        assert known.lives()
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays in the table
        assert not known.lives()


def test_the_client_counts_and_without_one_the_parent() -> None:
    watchdog = Watchdog(lambda: None, lambda: None)
    assert not watchdog.alone()
    assert watchdog.follow(os.getpid())
    assert not watchdog.alone()
    for pid in (None, 0, -1, ended(), 2**31 - 1):
        assert not watchdog.follow(pid)
        assert not watchdog.alone()  # the parent is there


def test_it_says_so_first_and_leaves_afterwards() -> None:
    said: list[str] = []
    gone, left = threading.Event(), threading.Event()

    def notice() -> None:
        said.append("gone")
        gone.set()

    def leave() -> None:
        said.append("left")
        left.set()

    watchdog = Watchdog(notice, leave)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert watchdog.follow(process.pid)
        watchdog.start()
        process.communicate(b"\n")
    assert gone.wait(10)
    watchdog.stop()  # no need to wait out the grace
    assert left.wait(10)
    assert said == ["gone", "left"]
