"""Search and read over raw files, as arms without an index have them."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_datasets import BODIES

from evaluation.arms.access import PAGE, Access, windows
from evaluation.data.snapshots import manifest_path, prepare


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, body in BODIES.items():
        (corpus / name).write_text(body)
    return corpus


def test_a_search_shows_the_best_place_of_the_files_that_hold_the_words(folder: Path) -> None:
    filler = "The weather was mild and the harvest good. " * 60
    (folder / "chronicle").write_text(f"{filler}A comet appeared over the harbour. {filler}")
    (first, *others) = Access(folder).search("Which comets appeared over the harbours?", 5)
    assert first.path == "chronicle"
    assert first.end - first.start == 600
    assert first.text == (folder / "chronicle").read_text()[first.start : first.end]
    assert "A comet appeared over the harbour." in first.text
    assert others == []


def test_rare_words_count_more_than_frequent_ones(folder: Path) -> None:
    found = Access(folder).search("charles babbage punched cards", 2)
    assert [excerpt.path for excerpt in found] == ["Jacquard_loom", "Charles_Babbage"]


@pytest.mark.parametrize("query", ["zeppelin", "of the", "", "?!"])
def test_a_search_without_a_match_shows_nothing(folder: Path, query: str) -> None:
    assert Access(folder).search(query, 5) == []


def test_a_file_that_came_or_changed_is_found_at_once(folder: Path) -> None:
    access = Access(folder)
    assert access.search("zeppelin", 5) == []
    (folder / "Airship").write_text("Airship\n\nThe zeppelin landed.\n")
    (folder / "Grace_Hopper").write_text("Grace Hopper\n\nShe never saw a zeppelin in her whole life.\n")
    assert {excerpt.path for excerpt in access.search("zeppelin", 5)} == {"Airship", "Grace_Hopper"}


def test_a_long_file_is_read_page_by_page_and_whole(folder: Path) -> None:
    text = " ".join(f"Sentence number {number} of the long story ends here." for number in range(300))
    (folder / "story").write_text(text)
    access, offset, read = Access(folder), 0, ""
    while offset is not None:
        page = access.read("story", offset)
        assert page is not None
        for excerpt in page.excerpts:
            assert text[excerpt.start : excerpt.end] == excerpt.text
            assert len(excerpt.text) <= 600
            read += excerpt.text
        assert page.excerpts[-1].end - page.excerpts[0].start <= PAGE
        offset = page.next
    assert "".join(read.split()) == "".join(text.split())


def test_nothing_but_the_documents_of_the_folder_can_be_read(dataset_dir: Path, tmp_path: Path) -> None:
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    secret = tmp_path / "gold.txt"
    secret.write_text("Analytical Engine, 1837")
    (corpus.folder / "link").symlink_to(secret)
    access = Access(corpus.folder)
    tried = [
        "../gold.txt",
        str(secret),
        "link",
        f"../{manifest_path(corpus.folder).name}",
        f"../{dataset_dir.name}/questions.jsonl.gz",
        "Ada_Lovelace/../../gold.txt",
        ".",
        "",
        os.devnull,
    ]
    assert [access.read(path) for path in tried] == [None] * len(tried)
    assert access.read("Ada_Lovelace") is not None
    assert all(excerpt.path != "link" for excerpt in access.search("analytical engine 1837", 10))


@pytest.mark.parametrize("offset", [-1, 10**9])
def test_a_page_outside_a_file_is_none(folder: Path, offset: int) -> None:
    assert Access(folder).read("Grace_Hopper", offset) is None


@given(st.text(max_size=2_500), st.integers(0, 2_500))
def test_windows_are_in_order_apart_and_at_most_600_long(text: str, start: int) -> None:
    start = min(start, len(text))
    spans = windows(text, start, len(text))
    assert all(0 < span.end - span.start <= 600 for span in spans)
    assert all(one.end <= two.start for one, two in pairwise(spans))
    shown = "".join(text[span.start : span.end] for span in spans)
    assert "".join(shown.split()) == "".join(text[start:].split())
