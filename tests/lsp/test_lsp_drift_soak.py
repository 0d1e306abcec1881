"""The fast share of the harnesses of drift and races, each with the control that shows that it can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak import lsp_blind, lsp_drift, lsp_races
from tests.soak.cited_notes import KINDS
from tests.soak.lsp_load import made

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("made") / "notes", 20)


@pytest.mark.parametrize(("watching", "changes"), [("system", len(KINDS)), ("editor", 4), ("silent", 3)])
def test_what_another_process_changes_shows_in_time(source: Path, watching: str, changes: int) -> None:
    tally = lsp_drift.drift(source, changes, watching, seed=7, notes=4)
    assert (tally.late, tally.wrong) == ([], [])
    assert len(tally.milliseconds) == changes


def test_what_nobody_watches_is_missed(source: Path) -> None:
    assert len(lsp_drift.drift(source, 1, "none", seed=7, notes=2).late) == 1


def test_what_is_typed_into_a_source_shows_at_once(source: Path) -> None:
    tally = lsp_drift.typed(source, 12, seed=7, notes=4)
    assert (tally.late, tally.wrong) == ([], [])
    assert lsp_drift.spread(tally.all)["p50"] < lsp_drift.TYPED_MS


@pytest.mark.parametrize("way", ["threads", "queue"])
def test_a_question_is_answered_right_when_the_watch_is_dead(source: Path, way: str) -> None:
    tally = lsp_blind.blind(source, 3, way, seed=7, notes=4)
    assert (tally.stale, tally.late, tally.wrong) == ([], [], [])
    assert tally.asked == 3


def test_an_answer_from_what_was_read_before_is_caught(source: Path) -> None:
    assert lsp_blind.blind(source, 1, "threads", seed=7, notes=4, trusting=True).stale


def test_no_place_is_stale_whenever_a_file_changes(source: Path) -> None:
    tally = lsp_races.run(source, 2 * len(lsp_races.POINTS), seed=7, notes=4)
    assert (tally.stale, tally.lasting, tally.wrong) == ([], [], [])
    assert tally.places > 18
    assert len(tally.met) > 5


def test_a_place_that_is_not_looked_up_again_is_caught(source: Path) -> None:
    assert lsp_races.run(source, 4, seed=7, notes=4, unverified=True).stale
