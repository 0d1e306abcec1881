"""A small share of the soak on passages out of tables, slides, mail and pages, and that its control is caught."""

from __future__ import annotations

import json

import pytest

from lens_lsp.documents.kinds import kind_for, missing
from tests.availability import unavailable
from tests.soak.passage_places import main


def test_passages_are_whole_cells_of_one_sheet_and_their_place_is_the_match(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = filter(None, map(kind_for, ("a.xlsx", "a.docx", "a.pptx", "a.pdf", "a.eml")))
    if lacking := {name for kind in kinds for name in missing(kind)}:
        unavailable("documents", f"{sorted(lacking)} are not installed")
    assert main(["--n", "60", "--asked", "0", "--rounds", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passages"] >= 60
    assert found["controlBad"] > found["controlN"] > 0
