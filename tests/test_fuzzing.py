"""A share of the fuzzing, target by target, and that each harness sees a reader that trusts what it reads."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.soak.fuzz_targets import Target, targets
from tests.soak.fuzzing import CONTROL, SLOW, damaged, fuzz

NAMES = (
    "encodings",
    "readers",
    "framing",
    "uris",
    "paths",
    "endpoint replies",
    "model replies",
    "worker replies",
    "answer files",
    "stored values",
    "shown texts",
)


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Target]:
    made: Path = tmp_path_factory.mktemp("fuzzing")
    return {target.name: target for target in targets(made)}


@pytest.mark.parametrize("name", NAMES)
def test_what_was_damaged_is_read_or_refused(every: dict[str, Target], name: str) -> None:
    assert fuzz(every[name], 300 // SLOW.get(name, 1), 7, every[name].ours) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_that_trusts_what_it_reads_is_caught(every: dict[str, Target], name: str) -> None:
    assert fuzz(every[name], CONTROL, 7, every[name].naive)


def test_all_targets_are_tried(every: dict[str, Target]) -> None:
    assert tuple(every) == NAMES


def test_equal_seeds_give_equal_inputs() -> None:
    seeds = (b"abc", b"defg")
    one, other = random.Random(3), random.Random(3)
    assert [damaged(one, seeds) for _ in range(50)] == [damaged(other, seeds) for _ in range(50)]
