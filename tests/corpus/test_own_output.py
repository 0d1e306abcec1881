"""What lens wrote is found again by what it is stamped with, whatever was done to it and around it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest

from lens_lsp.corpus.folding import blank
from lens_lsp.corpus.generated_spans import find_generated
from tests.soak.own_output import BEFORE, BEHIND, OF_NOTE, OF_OURS, Output, outputs, run, without_stamp

WRITERS = {
    "answer file",
    "ask events",
    "ask json",
    "ask markdown",
    "ask text",
    "block",
    "clusters export .json",
    "clusters export .md",
    "clusters export .mmd",
    "clusters list",
    "clusters verify",
    "copied answer",
    "find json",
    "find markdown",
    "find text",
}
MINE = set(re.findall(r"\w+", f"{BEFORE} {BEHIND}"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Output]:
    return list(outputs(random.Random(1), 1, tmp_path_factory.mktemp("made")))


def left(text: str) -> set[str]:
    """The words of a text that may be evidence."""
    return set(re.findall(r"\w+", blank(text, find_generated(text).spans)))


def test_every_writer_is_among_them(made: Sequence[Output]) -> None:
    assert {output.writer for output in made} == WRITERS


def test_an_output_alone_is_ours_from_end_to_end(made: Sequence[Output]) -> None:
    assert [output.writer for output in made if not find_generated(output.text).whole] == []
    assert all(not left(output.text) for output in made)


@pytest.mark.parametrize("of_ours", OF_OURS)
def test_within_a_note_exactly_the_users_words_are_left(made: Sequence[Output], of_ours: str) -> None:
    rng = random.Random(of_ours)
    front = {"title", "Mine", "tags", "a", "b", "text"}  # front matter, and what a fence is of
    for output in made:
        body = OF_OURS[of_ours](output.text.rstrip("\n") + "\n", rng).strip("\n")
        for of_note, change in OF_NOTE.items():
            text = change(f"{BEFORE}\n\n{body}\n\n{BEHIND}\n", rng)
            assert left(text) - front == MINE, (output.writer, of_note)


def test_without_the_stamp_they_are_taken_for_the_users(made: Sequence[Output]) -> None:
    bare = [without_stamp(output) for output in made]
    assert {output.writer for output in bare if left(output.text)} >= WRITERS - {"answer file", "block"}


def test_an_answer_file_that_somebody_wrote_on_in_holds_evidence(made: Sequence[Output]) -> None:
    (answer,) = [output for output in made if output.writer == "answer file"]
    found = find_generated(f"{answer.text}\n{BEHIND}\n")
    assert (found.answer, found.whole) == (True, False)
    assert left(f"{answer.text}\n{BEHIND}\n") == set(re.findall(r"\w+", BEHIND))


@pytest.mark.parametrize("behind", ["", "\n```\n\nMine.\n"])
def test_json_that_was_cut_off_is_ours_as_far_as_it_goes(made: Sequence[Output], behind: str) -> None:
    (answer,) = [output for output in made if output.writer == "ask json"]
    half = answer.text[: len(answer.text) // 2]
    assert left(f"```json\n{half}{behind}" if behind else half) - {"json", "Mine"} == set()


@pytest.mark.parametrize(
    "text",
    [
        '{"lens.path": "/usr/bin/lens", "schema": "other/1"}',
        "The key `lens: answer/1` in the front matter says so.",
        'A note on "lens.answer/2", the schema of answers.',
        "Title\n---\n\nlens: answer/1",
    ],
)
def test_what_only_speaks_of_our_shapes_is_not_ours(text: str) -> None:
    assert find_generated(text).spans == ()


def test_round_trips_cite_nothing_of_ours_and_all_of_the_users() -> None:
    report = run(15, seed=5, facts=1, control=4)
    assert (report["wrong"], report["controlBad"] > 0) == ([], True)


@pytest.mark.long
def test_many_round_trips() -> None:
    report = run(300, seed=2, facts=3, control=60)
    assert (report["wrong"], report["controlBad"] > 30) == ([], True)
