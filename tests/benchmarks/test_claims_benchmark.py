"""The instrument of the claims: what it counts, and that it never lists the half for reporting."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks import claims
from benchmarks.scripted_model import ScriptedModel
from lens_lsp.judge.claim_text import CitedPassage
from lens_lsp.judge.claims import Mismatch, Reason
from lens_lsp.model.text import Span

DOUBT = (Mismatch(Span(0, 3), Reason.NUMBER),)


def row(half: str, kind: str, claim: str) -> claims.Row:
    return {"id": claim, "half": half, "kind": kind, "supported": kind == "paraphrase", "claim": claim}


ROWS = [
    row("first", "number", "first false, missed"),
    row("first", "paraphrase", "first true, marked"),
    row("second", "number", "second false, missed"),
    row("second", "other", "second other, marked"),
    row("second", "paraphrase", "second true, marked"),
]
FOUND = [(), DOUBT, (), DOUBT, DOUBT]


def test_what_went_wrong_is_listed_for_the_first_half_only() -> None:
    lines = "\n".join(claims.missed(ROWS, [CitedPassage("a quote")] * len(ROWS), FOUND))
    assert "first false, missed" in lines
    assert "first true, marked" in lines
    assert "second" not in lines


def test_shares_are_by_kind_and_half_and_other_is_apart() -> None:
    table = claims.shares(ROWS, [bool(found) for found in FOUND], claims.HALVES)
    assert "| false, six kinds | 0 of 1 (0.0 %) | 0 of 1 (0.0 %) |" in table
    assert "| true | 1 of 1 (100.0 %) | 1 of 1 (100.0 %) |" in table
    assert "| other (false) | – | 1 of 1 (100.0 %) |" in table


def test_a_passage_has_the_context_and_the_headings_of_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Docks\n\nFirst. It holds 12 boats. Last.\n", "utf-8")
    passage = claims.passage_of({"id": "1", "path": "a.md", "quote": "It holds 12 boats."}, tmp_path)
    assert (passage.before, passage.after, passage.headings) == ("First.", "Last.", ("Docks",))
    assert passage.path == f"{tmp_path.name}/a.md"


def test_a_quote_that_does_not_stand_in_its_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("It holds 12 boats.\n", "utf-8")
    with pytest.raises(ValueError, match="does not stand"):
        claims.passage_of({"id": "1", "path": "a.md", "quote": "It holds 13 boats."}, tmp_path)


def test_a_judge_looks_at_what_rules_tell_too_little_of(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Docks\n\nIt never holds 12 boats.\n", "utf-8")
    said = {"path": "a.md", "quote": "It never holds 12 boats.", "workspace": "docks"}
    rows = [{**row("second", kind, claim), **said} for kind, claim in (("negation", "It holds 12."), ("number", "13"))]
    model = ScriptedModel(lambda _: '{"wrong": [{"sentence": 1, "words": "holds", "reason": "negation"}]}')
    marked, ledger = asyncio.run(claims.judged(model, rows, {"docks": tmp_path}))
    assert (marked, ledger.calls) == ([True, False], 1)
    passage = claims.passage_of(rows[0], tmp_path)
    assert claims.is_open(rows[0], passage, ())
    assert not claims.is_open({**rows[0], "claim": said["quote"]}, passage, ())
