"""What one lookup and one question import, as `benchmarks.modules_entered` counts it."""

from __future__ import annotations

import pytest

from benchmarks.modules_entered import COMMANDS, main, modules_of

LOOP = ("beliefs", "consolidation", "early_evidence", "exploration", "proposals", "read_first", "search", "synthesis")
HEAVY = {"asyncio", "onnxruntime", "pydantic", "sqlite3"}


def test_a_lookup_imports_nothing_that_only_a_question_needs() -> None:
    find, ask = modules_of("find"), modules_of("ask")
    assert not HEAVY & find.others
    assert not {f"lens_lsp.search.{name}" for name in LOOP}.intersection(find.imported)
    assert {f"lens_lsp.search.{name}" for name in LOOP} <= set(ask.imported)  # the control
    assert "asyncio" in ask.others
    assert find.entered < set(find.imported)


def test_each_command_is_counted_and_its_modules_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--names"]) == 0
    told = capsys.readouterr().out
    assert all(f"lens {command}: " in told for command in COMMANDS)
    assert "\n  lens_lsp.search.localisation\n" in told
    assert "\n  (lens_lsp.search)\n" in told
