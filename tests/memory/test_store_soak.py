"""A share of each long harness of ``tests/soak``, and its control: what it must catch, or it proves nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.availability import unavailable
from tests.memory.corruption import HARMLESS, flipped_bits, overwritten, tampered_rows
from tests.memory.mutants import changed, unchecked, without_syncs
from tests.soak import store_corruptions, store_kills, store_writers
from tests.soak.newer_notes import BlindMemory, run

pytestmark = pytest.mark.long

try:
    from tests.memory.faulty_disk import FaultyVFS
    from tests.soak import store_full, store_power
except ImportError as error:
    apsw_missing: str | None = str(error)
else:
    apsw_missing = None

REPOSITORY = Path(__file__).resolve().parent.parent.parent

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@pytest.fixture
def vfs() -> FaultyVFS:
    if apsw_missing:
        unavailable("apsw", apsw_missing)
    return FaultyVFS("soak")


@forks
def test_a_killed_writer_loses_nothing_that_it_acknowledged() -> None:
    tally = store_kills.run(12)
    assert tally.bad == []
    assert (tally.kills, tally.acknowledged > 12, tally.journals > 0) == (12, True, True)


@forks
def test_killed_writers_without_transactions_are_caught() -> None:
    assert store_kills.run(6, mutant=True).bad


@forks
def test_a_killed_migration_is_finished_by_the_next_program_and_one_without_transactions_is_caught() -> None:
    command = [sys.executable, "-m", "tests.soak.store_migrations", "--n", "20"]  # it forks: not in a pool of threads
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=300)
    figures = json.loads(done.stdout)
    assert (done.returncode, figures["first"]) == (0, [])
    assert (figures["n"], figures["bad"], figures["fourAtOnceBad"], figures["finished"]) == (20, 0, 0, 0)
    assert figures["controlBad"] > 0


def test_a_power_cut_loses_nothing_that_was_acknowledged(vfs: FaultyVFS) -> None:
    tally = store_power.power_cuts(vfs, range(30), vfs.connect)
    assert tally.bad == []
    assert tally.acknowledged > 60


def test_power_cuts_without_syncs_are_caught(vfs: FaultyVFS) -> None:
    assert store_power.power_cuts(vfs, range(10), changed(without_syncs, vfs.connect)).bad


def test_no_operation_of_the_disk_can_fail_unnoticed(vfs: FaultyVFS) -> None:
    tally = store_power.every_fault(vfs, range(1), step=61)
    assert tally.bad == []
    assert tally.runs > 25


def test_full_disks_cost_what_was_refused_and_nothing_else(vfs: FaultyVFS) -> None:
    tally = store_full.run(vfs, range(10), vfs.connect)
    assert tally.bad == []
    assert tally.refused >= 5


def test_full_disks_that_nobody_is_told_of_are_caught(vfs: FaultyVFS) -> None:
    assert store_full.run(vfs, range(3), store_full.forgiving(vfs)).bad


def test_nothing_is_believed_of_damaged_files_and_sound_ones_are_never_set_aside() -> None:
    tally = store_corruptions.run(range(56))
    assert (tally.believed, tally.unusable) == ([], [])
    assert tally.aside > 30
    sound = store_corruptions.run(range(9), kinds=HARMLESS)
    assert (sound.believed, sound.unusable, sound.wronged, sound.harmless) == ([], [], [], 9)


def test_reads_without_checksums_are_caught() -> None:
    kinds = (flipped_bits, overwritten, tampered_rows)
    assert store_corruptions.run(range(12), unchecked, kinds).believed


def test_writers_at_once_lose_nothing_and_those_that_save_what_they_saw_before_are_caught() -> None:
    outcome = store_writers.run(20)
    assert (outcome.saves, outcome.lost, outcome.failed) == (80, 0, 0)
    assert store_writers.run(50, mutant=True).lost > 0


def test_no_newer_note_is_passed_over() -> None:
    result = run(15, seed=3)
    assert (result["bad"], result["reused"]) == (0, 15)


def test_a_memory_that_is_blind_to_newer_notes_is_noticed() -> None:
    assert run(4, seed=3, kind=BlindMemory)["bad"] == 4
