"""Passages: what is one, how they are ranked in two rounds, where one is said to stand."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.encoding import Arena
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import TextReader, locate
from lens_lsp.corpus.scan import Hits, scan
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.documents import Block, BlockKind, Document, Locator, LocatorMap, Origin, Structure
from lens_lsp.model.text import Span
from lens_lsp.search import passages
from lens_lsp.search.passages import (
    NO_WINDOWS,
    WINDOW,
    TermMark,
    Totals,
    Weights,
    Windows,
    count,
    locator_offset,
    score,
    units_of,
)
from lens_lsp.search.question import prepare

QUESTION = prepare(analyse("copper kettle car"))
TERMS = len(QUESTION.scanned)
WORDS = ("copper", "kettle", "car", QUESTION.related[0].word, "lorem", "ipsum " * 30)
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join), min_size=1, max_size=8)
MOST = 12


def document(path: str, text: str) -> Document:
    reader: TextReader | None = reader_for(path)
    assert reader is not None
    return Document(
        0, path, text, f"{reader.name}/1", Origin("0" * 64, "utf-8"), reader.structure(text), reader.locators(text)
    )


def units(path: str, text: str, *around: Span) -> list[str]:
    found = units_of(document(path, text), around or [Span(0, len(text))])
    return [text[unit.span.start : unit.span.end] for unit in found]


def test_an_item_is_one_with_its_paragraphs() -> None:
    item = "- First. More.\n\n  Under it. And on."
    assert units("a.md", f"{item}\n\nBehind. It.\n") == [item, "Behind.", "It."]
    assert units("a.rst", f"{item}\n\nBehind. It.\n") == [item, "Behind.", "It."]


def test_an_item_is_found_from_its_last_paragraph() -> None:
    text = "1. First.\n\n   Under it.\n"
    assert units("a.md", text, Span(13, 22)) == [text.strip()]


def test_what_stands_left_of_an_item_or_behind_an_inner_list_is_not_in_it() -> None:
    assert units("a.md", "- Outer.\n\n  - Inner.\n\n  Behind.\n") == ["- Outer.", "- Inner.", "Behind."]


def test_the_paragraphs_of_an_item_longer_than_a_passage_are_apart() -> None:
    first, second = "- " + "Long text. " * 30, "  " + "More text. " * 30
    found = units("a.md", f"{first.strip()}\n\n{second.rstrip()}\n")
    assert found[0] == first.strip()
    assert found[1:] == ["More text."] * 30


def test_a_picture_or_tag_in_an_item_stays_in_it() -> None:
    text = '1. Click OK.\n   {% image "a.png" "The button" %}\n\n   Then wait. It ends.\n'
    assert units("a.md", text) == [text.strip()]


def test_items_of_a_quotation_are_whole() -> None:
    assert units("a.md", "> Two errors. Both.\n> - One. It is bad.\n>   And how.\n> - Two.\n") == [
        "> Two errors.",
        "Both.",
        "> - One. It is bad.\n>   And how.",
        "> - Two.",
    ]


def test_a_field_goes_on_in_the_indented_lines_below_it() -> None:
    text = "PEP: 1\nTitle: Boats\nPost-History: `one <https://example.org/1>`__,\n              `two <b>`__\n\nText.\n"
    assert "Post-History: `one <https://example.org/1>`__,\n              `two <b>`__" in units("pep-1.rst", text)


def test_long_entries_of_data_are_cut_at_keys_and_in_texts_at_sentences() -> None:
    answer = " ".join(["A sentence\n    goes on."] * 40)
    text = f"faq:\n  - question: What?\n    answer: |\n    {answer}\n    link: none\n"
    found = units("a.yml", text)
    assert found[-1] == "    link: none".strip()
    assert found[-41].endswith("answer: |\n    A sentence\n    goes on.")
    assert set(found[-40:-1]) == {"A sentence\n    goes on."}
    assert all(len(unit) <= WINDOW for unit in found)


def test_a_long_row_is_never_cut_at_its_lines() -> None:
    rows = "".join(f"| {'word ' * 20}|\n" for _ in range(8))
    text = f"+----------+\n{rows}+----------+\n"
    found = units_of(document("a.rst", text), [Span(0, len(text))])
    assert len(found) > 1
    assert all(unit.cut for unit in found)


def test_what_is_longer_than_a_passage_is_cut_between_its_lines() -> None:
    lines = [f"<td>number {number} of a long table</td>" for number in range(40)]
    text = "\n".join(lines)
    found = units_of(document("a.md", text), [Span(0, len(text))])
    assert len(found) > 2
    assert all(text[unit.span.start : unit.span.end].split("\n")[0] in lines for unit in found)
    assert all(text[unit.span.start : unit.span.end].split("\n")[-1] in lines for unit in found)
    assert all(after.span.start <= before.span.end for before, after in pairwise(found))


@pytest.mark.long
def test_items_take_linear_time() -> None:
    def measure(count: int) -> float:
        made = document("a.md", "- One. Two.\n\n  Three.\n\n" * count)
        begin = time.process_time()
        units_of(made, [Span(0, len(made.text))])
        return time.process_time() - begin

    measure(500)
    assert measure(8000) < 16 * 4 * max(measure(500), 0.001)


def test_no_passage_reaches_over_what_is_ours() -> None:
    text = "# Notes\n\nThe kestrel nests.\n\n?? where does it nest\n\nA second one nests.\n"
    plain, at = document("a.md", text), text.index("??")
    ours = (Span(at, text.index("\n", at)),)
    made = replace(plain, structure=replace(plain.structure, ours=ours))
    sections = [unit.section for unit in units_of(made, [Span(0, len(text))])]
    before, after = sections[-2:]
    assert before != after


def scanned(texts: Sequence[str]) -> tuple[Hits, np.ndarray]:
    """The hits of some texts, numbered from 0, and their lengths."""
    arena = Arena()
    for text in texts:
        arena.add(text.encode())
    return scan(arena.chunks(), QUESTION.scanned), arena.lengths()


def parts_of(texts: Sequence[str], data: st.DataObject) -> list[list[int]]:
    """The numbers of the texts in each of up to three parts, some of which may be empty."""
    owner = data.draw(st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts)))
    return [[number for number, own in enumerate(owner) if own == part] for part in range(3)]


def totals_of(texts: Sequence[str]) -> Totals:
    hits, lengths = scanned(texts)
    return count(hits, TERMS, lengths)


def windows_of(texts: Sequence[str], weights: Weights, most: int = MOST) -> Windows:
    hits, lengths = scanned(texts)
    return score(hits, np.arange(len(texts)), lengths, weights, most)


@given(TEXTS, st.data())
def test_the_windows_of_parts_merge_to_those_of_the_whole(texts: list[str], data: st.DataObject) -> None:
    weights = Weights(QUESTION, totals_of(texts))
    merged = NO_WINDOWS
    for part in parts_of(texts, data):
        own = windows_of([texts[number] for number in part], weights)
        numbers = np.array(part, np.int64)
        merged = merged.plus(Windows(numbers[own.slot], own.at, own.score), MOST)
    assert rows(merged) == rows(windows_of(texts, weights))[:MOST]


@given(TEXTS, st.integers(1, 400))
def test_how_many_texts_are_scored_in_one_go_makes_no_difference(texts: list[str], block: int) -> None:
    weights = Weights(QUESTION, totals_of(texts))
    whole = windows_of(texts, weights, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passages, "_BLOCK", block)
        assert rows(windows_of(texts, weights, 3)) == rows(whole)


@given(TEXTS)
def test_windows_are_the_best_ones_and_one_of_every_text_that_has_any(texts: list[str]) -> None:
    weights = Weights(QUESTION, totals_of(texts))
    few, all_ = windows_of(texts, weights, 1), windows_of(texts, weights, 10_000)
    hits, _ = scanned(texts)
    telling = np.concatenate([weights.own, weights.related]) > 0
    assert set(few.slot.tolist()) == set(all_.slot.tolist()) == set(hits.slot[telling[hits.term]].tolist())
    assert few.best(len(texts)).tolist() == all_.best(len(texts)).tolist()
    assert few.score.tolist() == sorted(few.score.tolist(), reverse=True)
    assert ((few.score > 0) & (few.score <= 1)).all()
    assert rows(few) == [row for row in rows(all_) if row in rows(few)]


@given(st.lists(st.lists(st.integers(0, 4), min_size=TERMS, max_size=TERMS), max_size=20))
def test_counts_in_columns_give_the_scores_of_rows_to_the_bit(counts: list[list[int]]) -> None:
    weights = Weights(QUESTION, totals_of(["a copper kettle", "the car and the van"]))
    table = np.array(counts, np.uint16).reshape(-1, TERMS)
    plain = table.astype(np.float64)
    own = len(weights.own)
    assert weights.mass_of(table.T).tolist() == weights.mass(plain[:, :own], plain[:, own:]).tolist()


def test_a_word_that_stands_nowhere_weighs_nothing_and_a_rare_one_most() -> None:
    totals = totals_of(["copper " * 200, "a kettle"])
    copper, kettle, car = totals.rarity()[:3].tolist()
    assert kettle > copper > 0
    assert car == 0.0


def test_nothing_to_count_is_no_division_by_zero() -> None:
    for texts in ([], [""], ["", ""]):
        totals = totals_of(texts)
        weights = Weights(QUESTION, totals)
        assert totals.rarity().tolist() == [0.0] * TERMS
        assert weights.total == 1.0
        assert rows(windows_of(texts, weights)) == []


def rows(windows: Windows) -> list[tuple[int, int, float]]:
    return list(zip(windows.slot.tolist(), windows.at.tolist(), windows.score.tolist(), strict=True))


def placed(*places: tuple[int, Locator], header: Span | None = None) -> Document:
    rows = (Block(BlockKind.TABLE_ROW, Span(0, 5), header),) if header else ()
    locators = LocatorMap(tuple(start for start, _ in places), tuple(locator for _, locator in places))
    return Document(0, "a.pdf", "x" * 100, "pdf/1", Origin("", "binary"), Structure(blocks=rows), locators)


def place(made: Document, *marks: tuple[int, int, float]) -> Locator | None:
    return locate(made.locators, locator_offset(made, Span(4, 100), [TermMark(*mark) for mark in marks]))


PAGES = placed((0, {"page": 1}), (50, {"page": 2}))
SHEET = placed(
    (0, {"sheet": "A", "cell": "A1"}),
    (10, {"sheet": "A", "cell": "B1"}),
    (20, {"sheet": "A", "cell": "A2"}),
    (30, {"sheet": "A", "cell": "B2"}),
    (40, {"sheet": "A", "cell": "A3"}),
    (50, {"sheet": "A", "cell": "B3"}),
    header=Span(0, 19),
)


def test_the_page_with_most_of_what_was_looked_for_is_named() -> None:
    assert place(PAGES, (5, 0, 1.0), (60, 1, 1.0), (70, 2, 1.0)) == {"page": 2}
    assert place(PAGES, (5, 0, 3.0), (60, 1, 1.0), (70, 2, 1.0)) == {"page": 1}


def test_a_word_said_often_counts_once_and_of_equal_pages_the_first_is_named() -> None:
    assert place(PAGES, (5, 0, 1.0), (60, 1, 0.6), (70, 1, 0.6), (80, 1, 0.6)) == {"page": 1}
    assert place(PAGES, (5, 0, 1.0), (60, 1, 1.0)) == {"page": 1}


def test_the_offset_is_that_of_a_hit() -> None:
    marks = [TermMark(5, 0, 1.0), TermMark(60, 1, 2.0), TermMark(70, 2, 1.0)]
    assert locator_offset(PAGES, Span(4, 100), marks) == 60


def test_the_row_that_answers_is_named_by_the_cell_that_says_most_and_never_the_header() -> None:
    assert place(SHEET, (2, 0, 9.0), (12, 1, 9.0), (22, 0, 1.0), (42, 0, 1.0), (52, 1, 2.0)) == {
        "sheet": "A",
        "cell": "B3",
    }


def test_words_of_one_row_count_together() -> None:
    assert place(SHEET, (22, 0, 1.5), (42, 1, 1.0), (52, 2, 1.0)) == {"sheet": "A", "cell": "A3"}


def test_rows_of_a_text_are_named_as_pages_are() -> None:
    assert place(placed((0, {"row": 1}), (50, {"row": 2})), (60, 0, 1.0)) == {"row": 2}


def test_a_header_is_named_where_nothing_below_it_says_what_was_looked_for() -> None:
    assert place(SHEET, (12, 0, 1.0)) == {"sheet": "A", "cell": "B1"}


def test_the_name_of_a_sheet_is_no_cell_of_it() -> None:
    made = placed((0, {"sheet": "A"}), (10, {"sheet": "A", "cell": "A1"}))
    made = replace(made, structure=Structure(blocks=(Block(BlockKind.HEADING, Span(0, 8)),)))
    assert place(made, (5, 0, 9.0), (12, 1, 1.0)) == {"sheet": "A", "cell": "A1"}
    assert place(made, (5, 0, 9.0)) == {"sheet": "A"}


def test_without_hits_it_is_where_the_passage_begins() -> None:
    assert place(placed(), (60, 0, 1.0)) is None
    assert locator_offset(PAGES, Span(60, 100), []) == 60


def test_a_row_longer_than_a_passage_is_cut_between_cells_and_a_longer_cell_at_words() -> None:
    long = " ".join(["longer"] * 150)
    cells = [*("short cell" for _ in range(80)), long, *("other cell" for _ in range(80))]
    text = f"{','.join('n' for _ in cells)}\n{','.join(cells)}\n"
    made = document("a.csv", text)
    row = made.structure.blocks[1].span
    parts = units_of(made, [row])
    assert all(len(unit.span) <= WINDOW and unit.cut for unit in parts)
    for unit in parts:
        said = text[unit.span.start : unit.span.end]
        if "longer" in said:
            assert set(said.split()) == {"longer"}
        else:
            assert set(said.split(",")) in ({"short cell"}, {"other cell"})
    covered = sorted((unit.span.start, unit.span.end) for unit in parts)
    assert covered[0][0] == row.start
    assert covered[-1][1] == row.end
    assert all(after[0] <= before[1] + 1 for before, after in pairwise(covered))
