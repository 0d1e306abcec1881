"""Passages: the units that they are cut into."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import pytest

from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import TextReader
from lens_lsp.model.documents import Document, Origin
from lens_lsp.model.text import Span
from lens_lsp.search.passages import WINDOW, units_of


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
