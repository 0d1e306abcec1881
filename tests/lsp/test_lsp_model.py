"""The editor's own model judges by ``lens/model``: with consent, within the budget, cancelled at once, not believed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.judge.llm.chat_model import MOST_WHOLE
from tests.judge.llm.chat_session import PROOF, QUESTION, notes
from tests.lsp.lsp_client import SILENCE, LspProcess, Message, Refusal
from tests.lsp.lsp_model import CAPABILITIES, FAR, ID, PROMPT, SPENT, Played, choosing, consents, prompts

Start = Callable[..., LspProcess]
CHOSEN = {"events": True, "model": True, "settings": {"model": {"name": "editor"}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return notes(tmp_path / "w", more=2)


def begun(start: Start, folder: Path, played: Played, options: Message = CHOSEN, **env: str) -> LspProcess:
    server = start(env={"HOME": str(folder.parent), **env})
    server.replies |= {PROMPT: choosing("Send"), "lens/model": played}
    server.begin(folder, capabilities=CAPABILITIES, options=options)
    return server


@pytest.mark.parametrize("mode", ["fast", "deep"])
def test_it_judges_and_words(start: Start, folder: Path, mode: str) -> None:
    played = Played()
    server = begun(start, folder, played)
    answer = server.result("lens/ask", {"question": QUESTION, "mode": mode})
    assert (answer["status"], answer["mode"], answer["shortAnswer"]) == ("answered", mode, "4 May 1931")
    assert [item["quote"] for item in answer["evidence"]] == [f"{PROOF}."]
    ledger = answer["ledger"]
    assert ledger["endpoint"] == f"editor:{ID}"
    assert ledger["calls"]["total"] == len(played.asked)
    assert ledger["tokens"] == {way: SPENT[f"tokens{way.title()}"] * len(played.asked) for way in ("in", "out")}
    assert {sent["path"] for sent in ledger["sent"]} >= {"bridges.md"}
    assert consents(folder.parent) == [{"workspace": str(folder), "origin": f"editor:{ID}"}]
    [prompt] = prompts(server)
    assert f"the editor's model {ID}" in prompt


def test_what_it_is_asked_has_a_limit_and_its_form_in_words(start: Start, folder: Path) -> None:
    played = Played()
    begun(start, folder, played).result("lens/ask", {"question": QUESTION})
    first = played.asked[0]
    assert first.keys() == {"family", "messages", "maxTokens"}
    assert (first["family"], first["messages"][0]["role"]) == (None, "system")
    assert 0 < first["maxTokens"] <= 32_000
    assert "JSON schema" in first["messages"][-1]["text"]


def test_private_notes_are_not_sent(start: Start, folder: Path) -> None:
    (folder / "diary.md").write_text("---\nlens: private\n---\nThe bridge at Arlen, says Quillfeather.\n")
    played = Played()
    begun(start, folder, played).result("lens/ask", {"question": QUESTION})
    assert played.asked
    assert "Quillfeather" not in str(played.asked)


def test_a_family_is_handed_on(start: Start, folder: Path) -> None:
    played = Played()
    options = CHOSEN | {"settings": {"model": {"name": "editor:small"}}}
    begun(start, folder, played, options).result("lens/ask", {"question": QUESTION})
    assert {params["family"] for params in played.asked} == {"small"}


@pytest.mark.parametrize(
    ("instead", "why"),
    [
        (Refusal(-32000, "quota\x1b[2J exceeded"), "quota"),
        ({"text": "x"}, "no reply of a model"),
        ({"text": 7, "model": ID}, "no reply of a model"),
        ({"text": "x", "model": "bad\nname"}, "no reply of a model"),
        ([], "no reply of a model"),
        (7, "no reply of a model"),
        ({"text": " ", "model": ID}, "no text"),
        ({"text": "x", "model": ID, "finish": "content_filter"}, "no text"),
        ({"text": "x", "model": "another"}, "another model"),
        ({"text": "x" * (MOST_WHOLE + 1), "model": ID}, "Ki"),
        ({"text": "<img src=x> not JSON [9]", "model": ID}, "JSON"),
    ],
    ids=range(11),
)
def test_a_reply_that_is_none_leaves_what_the_rules_find(start: Start, folder: Path, instead: object, why: str) -> None:
    server = begun(start, folder, Played(instead))
    answer = server.result("lens/ask", {"question": QUESTION})
    assert answer["stopped"] == "model-failed"
    assert any(why in warning for warning in answer["warnings"]), answer["warnings"]
    assert not any("\x1b" in warning for warning in answer["warnings"])
    assert server.result("lens/status")["switchedOff"] == []
    assert b"incident" not in server.errors


def test_a_reply_in_half_a_surrogate_pair_harms_nothing(start: Start, folder: Path) -> None:
    server = begun(start, folder, Played({"text": "\ud800 {}", "model": ID}))
    assert server.result("lens/ask", {"question": QUESTION})["stopped"] == "model-failed"


def test_one_that_hangs_ends_with_the_time_of_the_question_and_is_told(start: Start, folder: Path) -> None:
    server = begun(start, folder, Played(SILENCE))
    answer = server.result("lens/ask", {"question": QUESTION, "budget": {"seconds": 1}})
    assert answer["stopped"] == "budget-seconds"
    [asked] = [each for each in server.said if each["method"] == "lens/model" and each["params"]["messages"]]
    server.until(lambda: {"id": asked["id"]} in server.notifications("$/cancelRequest"))
    server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"text": "late", "model": ID}})
    assert server.result("lens/status")["asks"]["running"] == 0
    assert b"incident" not in server.errors


@pytest.mark.long
def test_cancelling_the_question_cancels_the_call_within_200_milliseconds(start: Start, folder: Path) -> None:
    played = Played(SILENCE)
    server = begun(start, folder, played)
    took = []
    for number in range(1, 4):  # the best of a few: the machine may be busy
        id_ = server.request("lens/ask", {"question": QUESTION})
        server.until(lambda number=number: len(played.asked) == number)
        begin = time.monotonic()
        server.notify("$/cancelRequest", {"id": id_})
        assert server.answer(id_)["error"]["code"] == -32800
        server.until(lambda number=number: len(server.notifications("$/cancelRequest")) == number)
        took.append(time.monotonic() - begin)
    assert min(took) < 0.2


def test_a_client_that_dies_meanwhile_takes_the_server_with_it(start: Start, folder: Path) -> None:
    played = Played(SILENCE)
    server = begun(start, folder, played)
    server.request("lens/ask", {"question": QUESTION})
    server.until(lambda: bool(played.asked))
    server.hang_up()
    assert server.ended(5) == 3


@pytest.mark.parametrize("offer", [Refusal(-32000, "sign in first"), {"text": ""}, 7])
def test_an_editor_that_has_no_model_is_told_before_anybody_is_asked(start: Start, folder: Path, offer: object) -> None:
    played = Played(offer=offer)
    server = begun(start, folder, played)
    error = server.ask("lens/ask", {"question": QUESTION})["error"]
    assert error["data"] == {"code": "lens.model"}
    assert (prompts(server), played.asked) == ([], [])
    judge = server.result("lens/status", {"judge": True})["judge"]
    assert judge["problem"] == error["message"]


def test_a_budget_of_calls_holds(start: Start, folder: Path) -> None:
    played = Played()
    asked = {"question": QUESTION, "mode": "deep", "budget": {"calls": 2}}
    answer = begun(start, folder, played).result("lens/ask", asked)
    assert answer["stopped"] == "budget-calls"
    assert len(played.asked) <= 2


def test_only_a_client_that_offers_it_is_asked(start: Start, folder: Path) -> None:
    played = Played()
    server = begun(start, folder, played, {"settings": {"model": {"name": "editor"}}})
    assert server.result("lens/ask", {"question": QUESTION})["mode"] == "evidence"
    error = server.ask("lens/ask", {"question": QUESTION, "mode": "fast"})["error"]
    assert "no editor offers its own" in error["message"]
    assert (played.probes, played.asked) == (0, [])


def test_offering_is_not_choosing(start: Start, folder: Path) -> None:
    played = Played()
    server = begun(start, folder, played, {"model": True})
    assert server.result("lens/ask", {"question": QUESTION})["mode"] == "evidence"
    assert (played.probes, prompts(server)) == (0, [])


def test_beside_a_base_url_the_name_is_any_models(start: Start, folder: Path) -> None:
    played = Played()
    server = begun(start, folder, played, LENS_BASE_URL=FAR)
    judge = server.result("lens/status", {"judge": True})["judge"]
    assert (judge["endpoint"], judge["model"], played.probes) == ("https://models.invalid", "editor", 0)


def test_a_project_cannot_choose_it(start: Start, folder: Path) -> None:
    (folder / ".lens.toml").write_text('[model]\nname = "editor"\n')
    played = Played()
    server = begun(start, folder, played, {"model": True})
    assert server.result("lens/ask", {"question": QUESTION})["mode"] == "evidence"
    assert (played.probes, prompts(server)) == (0, [])


def test_the_settings_of_a_folder_cannot_choose_it(start: Start, folder: Path) -> None:
    played = Played()
    server = start(env={"HOME": str(folder.parent)})
    server.replies |= {
        PROMPT: choosing("Send"),
        "lens/model": played,
        "workspace/configuration": lambda params: [
            {"model": {"name": "editor"}} if "scopeUri" in item else None for item in params["items"]
        ],
    }
    capabilities = CAPABILITIES | {"workspace": {"configuration": True}}
    server.begin(folder, capabilities=capabilities, options={"model": True})
    assert server.result("lens/ask", {"question": QUESTION})["mode"] == "evidence"
    assert (played.probes, prompts(server)) == (0, [])


def test_the_status_names_it(start: Start, folder: Path) -> None:
    server = begun(start, folder, Played())
    assert server.result("lens/status")["judge"] is None
    judge = server.result("lens/status", {"judge": True})["judge"]
    named = {"mode": "fast", "endpoint": f"editor:{ID}", "model": ID, "problem": None}
    assert judge == named | {"consent": "missing"}
    server.result("lens/ask", {"question": QUESTION})
    assert server.result("lens/status", {"judge": True})["judge"] == named | {"consent": "given"}
