"""The fast share of the harnesses under ``tests/soak``, each with the control that shows that it can fail."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.availability import unavailable
from tests.soak import (
    evil_patterns,
    failing_handlers,
    lsp_blind,
    lsp_cancels,
    lsp_drift,
    lsp_edits,
    lsp_endings,
    lsp_flood,
    lsp_framing,
    lsp_handler_faults,
    lsp_kills,
    lsp_large,
    lsp_load,
    lsp_messages,
    lsp_paused_reader,
    lsp_races,
    open_source_edits,
    position_encodings,
)
from tests.soak.cited_notes import KINDS
from tests.soak.lsp_load import made
from tests.soak.node import Node

pytestmark = pytest.mark.long


def test_every_fuzzed_request_is_answered_once() -> None:
    tally = lsp_messages.run(3_000, seed=7)
    assert (tally.unanswered, tally.doubled, tally.wrong) == (0, 0, [])
    assert tally.requests > 1_000
    assert {"result", "-32600", "-32601", "-32602"} <= set(tally.codes)


def test_bare_pygls_leaves_fuzzed_requests_unanswered() -> None:
    assert lsp_messages.run(100, seed=7, bare=True).unanswered > 0


def test_no_stream_of_bytes_makes_it_deaf() -> None:
    tally = lsp_framing.run(120, seed=7)
    assert tally.wrong == []
    assert {"answered", "broken"} <= set(tally.outcomes)
    assert lsp_framing.run(20, seed=7, side=lsp_framing.bare).outcomes["deaf"] > 0


def test_edits_leave_the_text_of_the_reference() -> None:
    tally = lsp_edits.run(12_000, seed=7)
    assert tally.wrong == []
    assert tally.bare > 0  # pygls' own document differs


def test_edits_leave_the_text_of_an_editor() -> None:
    if shutil.which("node") is None:
        unavailable("editors", "node is not installed")
    if not (Path(os.environ.get("NODE_PATH", "")) / lsp_edits.PACKAGE).is_dir():
        unavailable("editors", f"NODE_PATH names no folder with {lsp_edits.PACKAGE}")
    with lsp_edits.node() as other:
        tally = lsp_edits.run(10_000, seed=7, other=other)
    assert tally.wrong == []
    assert tally.compared >= 5_000


def test_cancelled_questions_are_answered_once_and_leave_nothing() -> None:
    tally = asyncio.run(lsp_cancels.run(60))
    assert (tally.doubled, tally.left, tally.wrong) == (0, {}, [])
    assert tally.outcomes["-32800"] + tally.outcomes["result"] == 60
    assert tally.outcomes["-32800"] > 30


@pytest.mark.parametrize("bare", [False, True], ids=["ours", "bare"])
def test_a_server_is_gone_after_its_client(tmp_path: Path, bare: bool) -> None:
    folder = lsp_load.made(tmp_path / "notes", 400)
    tally = lsp_kills.run(1 if bare else 4, folder, bare=bare)
    assert (tally.wrong == []) == (not bare)


def test_a_server_ends_as_promised_whatever_it_does() -> None:
    tally = lsp_endings.run(5)
    assert tally.wrong == []
    assert set(tally.ways) == set(lsp_endings.STATUS)
    assert (tally.flushed, tally.cancelled > 0) == (lsp_endings.READY, True)
    assert lsp_endings.run(1, bare=True).wrong != []


def test_a_client_that_reads_on_after_a_pause_gets_everything() -> None:
    tally = lsp_paused_reader.run(2, seed=7)
    assert tally.wrong == []
    assert min(tally.unread) > lsp_paused_reader.PIPE


def test_a_server_that_writes_where_it_reads_heeds_nothing_in_a_pause() -> None:
    assert lsp_paused_reader.run(1, seed=7, control=True, most=2).wrong != []


def test_whichever_handler_fails_in_whatever_way_tells_nothing() -> None:
    tally = lsp_handler_faults.run(150, seed=7)
    assert tally.wrong == []
    assert len(tally.handlers) > 30
    assert set(tally.kinds) == set(failing_handlers.KINDS)
    assert lsp_handler_faults.run(3, seed=1, control=True).wrong != []


def test_the_server_answers_while_questions_run_and_wait() -> None:
    tally = lsp_load.run(150, files=300)
    assert tally.wrong == []
    assert tally.full > 0
    assert tally.percentile(0.5) < lsp_load.MOST_MS


def test_a_text_that_is_too_large_is_drained_and_refused() -> None:
    outcome = lsp_large.run(96)
    assert outcome.wrong == []
    assert outcome.most - outcome.before < 32 << 20
    control = lsp_large.bare(96)
    assert control.most - control.before > 64 << 20


def test_a_flood_holds_the_client_back_and_loses_nothing() -> None:
    tally = lsp_flood.run(1_500)
    assert tally.wrong == []
    assert (tally.requests, tally.changes, tally.events) == (1_500, 750, 7_500)
    assert lsp_flood.run(1_500, control=True).percentile(0.99) > tally.percentile(0.99)


def test_a_citation_of_an_open_text_never_stands_elsewhere() -> None:
    tally = open_source_edits.run(250, seed=7)
    assert (tally.wrong, tally.lost) == ([], 0)
    assert tally.found > 0.98 * tally.whole > 1_000
    assert open_source_edits.run(250, 7, open_source_edits.by_words).lost > 0
    assert open_source_edits.run(50, 7, open_source_edits.first_occurrence).wrong != []


def test_the_range_of_a_quote_is_the_quote_in_every_encoding() -> None:
    tally = position_encodings.run(300, 7, position_encodings.by_codecs)
    assert (tally.quotes, tally.ranges, tally.wrong) == (300, 900, [])
    assert tally.wide > 100
    assert position_encodings.run(100, 7, position_encodings.by_codecs, control=True).wrong


def test_the_range_of_a_quote_is_the_quote_to_an_editor() -> None:
    if shutil.which("node") is None:
        unavailable("editors", "node is not installed")
    with Node(position_encodings.DRIVER) as node:
        client = position_encodings.in_node(node)
        tally = position_encodings.run(100, 7, client)
        control = position_encodings.run(100, 7, client, control=True)
    assert (tally.ranges, tally.wrong) == (300, [])
    assert control.wrong


def test_no_pattern_takes_long_or_stalls_the_server() -> None:
    tally = evil_patterns.run(1, seed=7)
    assert tally.wrong == []
    assert len(tally.tried) == 9
    assert tally.stalls


def test_an_expression_that_backtracks_takes_too_long_and_stalls_its_server() -> None:
    alone, asked = evil_patterns.control()
    assert len(alone.wrong) == len(asked.wrong) == 1


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
