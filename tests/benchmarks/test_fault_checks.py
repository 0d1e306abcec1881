"""The benchmarks of faults: what they would say of answers that claim more than was read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import objects
from benchmarks.shard_equality import Peace, _Some, complaints
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.app.sharded_lens import ShardedLens
from lens_lsp.model.documents import Findings, Skip, SkipReason
from tests.app.test_sharded_lens import QUERY, kettles


@pytest.fixture(scope="module")
def struck(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Findings, Peace]]:
    """What is found where nobody reads the second of three parts, and what is found in peace."""
    folder = kettles(tmp_path_factory.mktemp("struck") / "notes", 24)
    with closing(Peace(folder)) as peace, closing(ShardedLens(_Some(frozenset({0, 2})), [folder], 3)) as lens:
        yield lens.find(Request(QUERY, limit=20)), peace


def test_answer_that_names_what_was_not_read_is_right(struck: tuple[Findings, Peace]) -> None:
    found, peace = struck
    assert complaints(found, QUERY, peace) == []


def test_answer_that_claims_whole_coverage_when_a_part_was_not_read_is_caught(struck: tuple[Findings, Peace]) -> None:
    found, peace = struck
    covered = found.coverage
    whole = replace(
        covered,
        skipped=tuple(skip for skip in covered.skipped if skip.reason is not SkipReason.NO_ANSWER),
        shards=tuple(replace(part, lost=None) for part in covered.shards),
    )
    assert complaints(replace(found, coverage=whole, warnings=()), QUERY, peace) == [
        "it is not what the parts [1, 2, 3] hold"
    ]


def test_answer_that_forgets_a_part_or_its_name_is_caught(struck: tuple[Findings, Peace]) -> None:
    found, peace = struck
    covered = found.coverage
    without = replace(covered, shards=tuple(part for part in covered.shards if part.lost is None))
    assert "a part is neither read nor lost" in complaints(replace(found, coverage=without), QUERY, peace)
    unnamed = replace(covered, skipped=())
    assert complaints(replace(found, coverage=unnamed), QUERY, peace) == [
        "the coverage does not name what was not read"
    ]
    assert complaints(replace(found, warnings=()), QUERY, peace) == ["no warning names what was not read"]


def test_answer_that_counts_a_file_too_many_is_caught(struck: tuple[Findings, Peace]) -> None:
    found, peace = struck
    more = replace(found.coverage, scanned=found.coverage.scanned + 1)
    assert complaints(replace(found, coverage=more), QUERY, peace) == ["it is not what the parts [1, 3] hold"]


def test_object_that_was_not_given_out_must_be_named(tmp_path: Path) -> None:
    folder = kettles(tmp_path / "notes", 4)
    found, every = Lens([folder]).find(QUERY), {f"note {n}.md" for n in range(4)}
    assert objects.complaints(found, every, (), every) == []
    assert objects.complaints(found, every, (), every - {"note 3.md"}) == [
        "the coverage does not add up",
        "1 objects were not read and are not named",
        "a passage is of what was not read",
    ]
    covered = replace(found.coverage, scanned=3, skipped=(Skip("note 3.md", SkipReason.MISSING),))
    passages = tuple(item for item in found.evidence if item.path != "note 3.md")
    named = replace(found, coverage=covered, evidence=passages)
    assert objects.complaints(named, every, ("note 3.md",), every - {"note 3.md"}) == []
