"""An answer file as a block inside a note: the same citations, found from where the note lies."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from lens_lsp.memory.answer_files import Saved, as_block, write_answer
from lens_lsp.memory.answer_parser import read_citing
from lens_lsp.model.cluster import Citation
from lens_lsp.model.text import Span
from tests.hand_made import answer, evidence
from tests.memory.test_anchoring_answers import ASKED, ROOT

ANSWERS = os.path.join(ROOT, "answers")
OTHER = os.path.abspath(os.sep + "elsewhere")
SECOND = replace(evidence(2), root=1, path="annex.md", quote="It may be renewed.", span=Span(3, 21))
ANSWER = replace(
    answer(ROOT),
    roots=(ROOT, OTHER),
    evidence=(evidence(1), SECOND),
    text="It ends. [1]\n\nOr not. [2] See [3] and `<!-- here`.\n\n[^9]: mine",
)
FILE = write_answer(Saved(ANSWER, {}, ASKED, ANSWERS, True))


def absolute(text: str, folder: str) -> list[Citation]:
    read = read_citing(text)
    assert read.faults == ()
    assert not any(each.altered for each in read.written)
    return [
        replace(each.citation, root=os.path.abspath(os.path.join(folder, each.citation.root))) for each in read.written
    ]


@pytest.mark.parametrize("into", [ROOT, os.path.join(ROOT, "house", "deep"), os.path.join(OTHER, "x"), os.sep, None])
def test_the_block_cites_the_same_from_wherever_the_note_lies(into: str | None) -> None:
    block = as_block(FILE, ANSWERS, "q7", into)
    assert block is not None
    note = f"# Note\n\n{block}\nMine.\n"
    assert absolute(note, into or os.sep) == absolute(FILE, ANSWERS)
    (held,) = read_citing(note).held
    assert (held.question, held.status, held.block) == (ANSWER.question, "answered", "q7")
    assert [each.label for each in read_citing(note).written] == ["q7-1", "q7-2"]


def test_links_are_relative_where_the_note_lies_in_the_folder_that_was_searched() -> None:
    block = as_block(FILE, ANSWERS, "q7", os.path.join(ROOT, "house"))
    assert block is not None
    assert "](contract.md#L5) " in block
    assert "](file:///elsewhere/annex.md#L5) " in block
    alone = as_block(FILE, ANSWERS, "q7", None)
    assert alone is not None
    assert "](file:///notes/house/contract.md#L5) " in alone


def test_the_words_are_the_answers_without_its_title_and_footnotes() -> None:
    block = as_block(FILE, ANSWERS, "q7", ROOT)
    assert block is not None
    head, words, foot = block.partition("It ends. [^q7-1]\n\nOr not. [^q7-2] See [3] and ")
    assert words
    assert "asked" in head
    assert "2026-03-01T12:30:00Z" in head
    assert "# When" not in block
    assert foot.count("\n[^q7-") == 2
    assert r"[^9]\: mine" in foot
    assert foot.count("<!--") == 1
    assert block.endswith("<!-- lens:end q7 -->\n")


def test_line_ends_of_windows_make_no_difference() -> None:
    assert as_block(FILE.replace("\n", "\r\n"), ANSWERS, "q7", ROOT) == as_block(FILE, ANSWERS, "q7", ROOT)


def test_an_answer_without_words_or_evidence_is_a_block_too() -> None:
    bare = write_answer(Saved(replace(ANSWER, evidence=(), text=""), {}, ASKED, ANSWERS, True))
    block = as_block(bare, ANSWERS, "q7", ROOT)
    assert block is not None
    assert block.count("\n") == 2
    assert read_citing(block).written == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# A note\n\nNothing of ours.\n",
        "---\nlens: private\n---\n\nMine.\n",
        FILE.replace('30 June 2031."\n[^2]', '30 June 2041."\n[^2]'),
        FILE.replace("lens: answer/1", "lens: answer/2"),
        FILE.replace('"root": 0', '"root": 7'),
        FILE.partition("[^1]: ")[0],
        FILE.replace("[^2]: ", "[^4]: "),
        f"Above.\n{FILE}",
    ],
)
def test_what_was_changed_or_is_none_gives_no_block(text: str) -> None:
    assert as_block(text, ANSWERS, "q7", ROOT) is None
