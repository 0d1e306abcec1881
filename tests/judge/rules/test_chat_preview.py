"""A dry run: the requests as they would be made, and none of them made."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.judge.ledger import CallStage
from lens_lsp.judge.llm.chat_oracle import DRY_RUN, PreviewOracle
from lens_lsp.judge.llm.conversation import Preview
from lens_lsp.model.answer import Mode
from tests.judge.rules.chat_session import ask, notes, oracle_of, quoting, regions_of, scripted


@pytest.mark.parametrize("mode", [Mode.DEEP, Mode.FAST])
def test_a_dry_run_shows_the_requests_and_sends_none(tmp_path: Path, mode: Mode) -> None:
    folder, model = notes(tmp_path), scripted()
    (folder / "diary.md").write_text("---\nlens: private\n---\nThe bridge at Arlen, says Quillfeather.\n", "utf-8")
    preview = Preview("https://models.example", "scripted")
    chat = oracle_of(scripted(endpoint="https://models.example"), mode)
    answer = ask(folder, model, mode, oracle=PreviewOracle(chat, preview))
    stages = [stage for stage, _ in preview.requests]
    deep = [CallStage.ANALYSE, CallStage.DECOMPOSE, CallStage.OBSERVE]
    assert stages == (deep if mode is Mode.DEEP else [CallStage.READ])
    assert "bridge at Arlen" in preview.requests[-1][1].messages[1].text
    assert "Quillfeather" not in "".join(m.text for _, prompt in preview.requests for m in prompt.messages)
    assert {sent.path for sent in preview.sent} >= {"bridges.md"}
    assert DRY_RUN in answer.warnings
    assert (answer.account.calls, answer.account.sent, model.requests) == ({}, (), [])


def test_many_small_files_are_read_as_far_as_the_context_goes(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"n{number:03}.md").write_text(f"The bridge number {number} at Arlen.\n", "utf-8")
    model = scripted({"read": quoting("nowhere")}, context_tokens=2_600)
    answer = ask(tmp_path, model, Mode.FAST, limits={"request_tokens": 1_500, "direct_tokens": 8_000})
    assert answer.account.calls["read"] == len(model.requests) > 1
    assert all(regions_of(request) for request in model.requests)
    assert any("did not fit the model's context" in warning for warning in answer.warnings)
