"""A small share of the harnesses of reuse; their full sizes are in docs/explanation/knowledge.md."""

from __future__ import annotations

import pytest

from tests.soak.newer_notes import BlindMemory, run

pytestmark = pytest.mark.long


def test_no_newer_note_is_passed_over() -> None:
    result = run(15, seed=3)
    assert (result["bad"], result["reused"]) == (0, 15)


def test_a_memory_that_is_blind_to_newer_notes_is_noticed() -> None:
    assert run(4, seed=3, kind=BlindMemory)["bad"] == 4
