"""Regions, units and words that are never cut, over texts of every kind."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.encoding import blank
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.markdown import MarkdownReader
from lens_lsp.corpus.text_marks import find_generated
from lens_lsp.model.documents import Block, BlockKind, Document, LocatorMap, Origin, Structure
from lens_lsp.model.observation import tokens
from lens_lsp.model.text import Span
from lens_lsp.search.boundaries import (
    REGION_TOKENS,
    context_of,
    heading_path,
    is_joined,
    region,
    row_cut,
    shown,
    units,
    widened,
)
from lens_lsp.search.cells import cells

NOTE = """# Title

One is first. Two has the needle in it. Three is last.

- an item of two lines. It
  goes on here
- another item

| City | People |
|------|-------:|
| Paris | 2.1 m |
| Rome | 2.8 m |

> A quote is here. It has two sentences.

```python
x = 1

y = 2
```

Last line without an end
"""
BLOCK = "<!-- lens:begin a -->\nOurs is here.\n<!-- lens:end a -->"
PIECES = [
    "word", "Wörter", "don't", "x-y", "3.5", "e\u0301", "東京", "。", ". ", "? ", " ", "\n", "\n\n", "\r\n", "- ", "# ",
    "| a | b |\n|---|---|\n| c | d |\n", "```\n", "> ", "<b>", "</p>", "\n?? asks\n", f"\n{BLOCK}\n", "a" * 90,
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
NAMES = ["a.md", "a.txt", "a.html", "a.py", "a.csv", "a.json"]
NESTED = "intro\n\n# One\n\na\n\n## Two\n\nb\n\n#### Four\n\nc\n\n## Other\n\nd\n\n# Last\n\ne\n"


def document(text: str, name: str = "a.md") -> Document:
    reader = reader_for(name)
    assert reader is not None
    found = find_generated(text)
    structure = reader.structure(blank(text, found.spans))
    fields = {field: getattr(structure, field) for field in structure.__slots__} | {"ours": found.spans}
    return Document(0, name, text, f"{reader.name}/1", Origin("", "utf-8"), type(structure)(**fields))


def window(text: str, words: str) -> Span:
    return Span(text.index(words), text.index(words) + len(words))


def around(text: str, words: str, name: str = "a.md") -> str:
    found = region(document(text, name), window(text, words))
    return text[found.start : found.end]


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ("needle", "Two has the needle in it."),
        ("first. Two", "One is first. Two has the needle in it."),
        ("One is first.", "One is first."),
        ("irst. ", "One is first. "),
        ("goes", "- an item of two lines. It\n  goes on here"),
        ("aris", "| Paris | 2.1 m |"),
        ("2.1 m |\n| Rome", "| Paris | 2.1 m |\n| Rome | 2.8 m |"),
        ("two sentences", "It has two sentences."),
        ("= 1", "```python\nx = 1\n\ny = 2\n```"),
        ("itle", "# Title"),
        ("without an", "Last line without an end"),
        ("item\n\n| Cit", "- another item\n\n| City | People |"),
    ],
)
def test_a_window_grows_to_the_units_it_touches(words: str, whole: str) -> None:
    assert around(NOTE, words) == whole


def test_a_long_item_is_cut_at_sentences_and_long_code_at_lines() -> None:
    item = "- " + "Some words of a sentence. " * 60 + "The needle is here. " + "More words follow. " * 60
    assert around(item, "needle") == "The needle is here."
    code = "```\n" + "x = 1\n" * 300 + "needle = 2\n" + "y = 1\n" * 300 + "```\n"
    assert around(code, "edle =") == "needle = 2"


def test_a_long_sentence_is_cut_at_words() -> None:
    text = "word " * 400 + "the needlework " + "word " * 400
    assert around(text, "edlewor") == "needlework"


def test_where_only_one_side_fits_that_side_grows() -> None:
    text = "word " * 400 + "and the needle ends it. Next."
    assert around(text, "needle") == "needle ends it."


def test_a_window_beyond_the_cap_stays_and_its_words_are_made_whole() -> None:
    text = "A sentence of words. " * 200
    span = Span(4, 3000)
    found = region(document(text), span)
    assert found == widened(text, span)
    assert tokens(text[found.start : found.end]) > REGION_TOKENS


def test_a_row_of_a_table_file_is_whole() -> None:
    text = 'name,note\nann,"two\nlines"\nbob,none\n'
    assert around(text, "lines", "a.csv") == 'ann,"two\nlines"'
    assert around(text, "ob,", "a.csv") == "bob,none"


def test_text_in_no_block_is_cut_at_lines() -> None:
    text = "para\n\n<!-- a comment\nof lines -->\n\npara"
    assert around(text, "comment") == "<!-- a comment"


def test_a_region_stops_where_ours_begins() -> None:
    text = f"Mine goes on\n{BLOCK}\nand on here\n?? who asks\nand ends."
    assert around(text, "goes") == "Mine goes on"
    assert around(text, "on here") == "and on here"
    assert around(text, "ends") == "and ends."


def test_of_a_window_that_is_partly_ours_the_longest_other_part_is_shown() -> None:
    text = f"Mine.\n{BLOCK}\nMine is the longer part."
    found = region(document(text), Span(2, len(text) - 3))
    assert text[found.start : found.end].strip() == "Mine is the longer part."


def test_a_window_that_is_ours_altogether_shows_nothing() -> None:
    text = f"Mine.\n{BLOCK}\nMine."
    assert len(region(document(text), window(text, "Ours is"))) == 0
    answer = "---\nlens: answer/1\n---\nOurs."
    assert len(region(document(answer), Span(0, len(answer)))) == 0


def test_an_empty_window_grows_to_its_sentence() -> None:
    at = NOTE.index("needle")
    found = region(document(NOTE), Span(at, at))
    assert NOTE[found.start : found.end] == "Two has the needle in it."


def test_a_full_stop_inside_a_tag_ends_no_sentence() -> None:
    text = '<p>One <a title="Mr X. Then">needle</a> here. Two.</p>'
    assert around(text, "needle", "a.html") == 'One <a title="Mr X. Then">needle</a> here.'


def test_a_compound_is_not_cut() -> None:
    for words, whole in [("toxic", "non-toxic"), ("million", "million"), ("5 mil", "3.5 million"), ("on", "don't")]:
        text = "x " * 700 + whole + " y" * 700
        at = text.index(whole) + whole.index(words)
        found = region(document(text, "a.txt"), Span(at, at + len(words)))
        assert text[found.start : found.end] == whole


def drawn(text: str, data: st.DataObject) -> Span:
    ends = data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))))
    return Span(min(ends), max(ends))


def free(doc: Document, span: Span) -> bool:
    return not any(own.overlaps(span) for own in doc.structure.ours)


@given(texts, st.sampled_from(NAMES), st.data(), st.sampled_from([1, 1, 30]))
def test_a_region_holds_its_window_within_the_cap_and_never_what_is_ours(
    text: str, name: str, data: st.DataObject, times: int
) -> None:
    doc = document(text * times, name)
    span = drawn(doc.text, data)
    found = region(doc, span)
    assert 0 <= found.start <= found.end <= len(doc.text)
    assert free(doc, found)
    if free(doc, span):
        assert found.contains(span)
    size = tokens(doc.text[found.start : found.end])
    assert size <= REGION_TOKENS or tokens(doc.text[span.start : span.end]) > REGION_TOKENS - 50


@given(texts, st.sampled_from(NAMES), st.data())
def test_a_region_cuts_no_word(text: str, name: str, data: st.DataObject) -> None:
    doc = document(text, name)
    span = drawn(text, data)
    found = region(doc, span)
    if len(found):
        for at in (found.start, found.end):
            word = next((m for m in re.finditer(r"[^\W\d_東京]{1,60}", text) if m.start() < at < m.end()), None)
            assert word is None or len(word.group()) == 60, text[: found.start] + "|" + text[found.start :]
            assert not (is_joined(text, at) and "a" * 30 not in text), at


@given(texts, st.sampled_from(NAMES), st.data())
def test_snapping_what_is_snapped_changes_nothing_unless_it_is_cut_at_words(
    text: str, name: str, data: st.DataObject
) -> None:
    doc = document(text, name)
    found = region(doc, drawn(text, data))
    again = region(doc, found)
    assert not len(found) or again.contains(found)


@given(texts, st.sampled_from(NAMES), st.data())
def test_units_are_in_order_apart_inside_and_hold_every_word(text: str, name: str, data: st.DataObject) -> None:
    doc = document(text, name)
    span = drawn(text, data)
    found = [unit.span for unit in units(doc, span)]
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(span.contains(unit) for unit in found)
    assert all(free(doc, unit) for unit in found)
    said = [text[unit.start : unit.end] for unit in found]
    assert all(part == part.strip() and re.search(r"[^\W_]", part) for part in said)
    outside = [span.start, *[end for unit in found for end in (unit.start, unit.end)], span.end]
    for start, end in zip(outside[::2], outside[1::2], strict=True):
        masked = blank(text, find_generated(text).spans)
        for hidden in doc.structure.hidden:
            masked = masked[: hidden.start] + " " * len(hidden) + masked[hidden.end :]
        assert re.search(r"[^\W_]", masked[start:end]) is None


@given(texts, st.sampled_from(NAMES), st.data())
def test_what_is_shown_leads_back_to_the_source(text: str, name: str, data: st.DataObject) -> None:
    doc = document(text, name)
    view = shown(doc, region(doc, drawn(text, data)))
    assert view.text.count("\ufffd") == 0
    for at, piece in zip(view.at, view.pieces, strict=True):
        assert view.text[at : at + len(piece)] == text[piece.start : piece.end]
        assert view.span.contains(piece)
        assert free(doc, piece)
        if len(piece):
            assert view.source(Span(at, at + len(piece))) == piece
            assert view.place(piece.start) == at
    for unit in view.units:
        back = view.source(unit.span)
        assert back is not None
        assert view.span.contains(back)
        assert view.text[unit.span.start] == text[back.start]
        assert view.text[unit.span.end - 1] == text[back.end - 1]


def test_the_units_of_a_note_are_its_sentences_items_rows_headings_and_code() -> None:
    found = units(document(NOTE), Span(0, len(NOTE)))
    assert [(unit.kind, NOTE[unit.span.start : unit.span.end]) for unit in found] == [
        (BlockKind.HEADING, "# Title"),
        (BlockKind.PARAGRAPH, "One is first."),
        (BlockKind.PARAGRAPH, "Two has the needle in it."),
        (BlockKind.PARAGRAPH, "Three is last."),
        (BlockKind.LIST_ITEM, "- an item of two lines. It\n  goes on here"),
        (BlockKind.LIST_ITEM, "- another item"),
        (BlockKind.TABLE_ROW, "| City | People |"),
        (BlockKind.TABLE_ROW, "| Paris | 2.1 m |"),
        (BlockKind.TABLE_ROW, "| Rome | 2.8 m |"),
        (BlockKind.QUOTE, "> A quote is here."),
        (BlockKind.QUOTE, "It has two sentences."),
        (BlockKind.CODE, "```python\nx = 1\n\ny = 2\n```"),
        (BlockKind.PARAGRAPH, "Last line without an end"),
    ]


def test_a_row_is_shown_with_its_header_as_context_and_not_as_text() -> None:
    doc = document(NOTE)
    view = shown(doc, region(doc, window(NOTE, "Rome")))
    assert view.text == "| Rome | 2.8 m |"
    assert view.headers == ("| City | People |",)
    assert view.context == "Title\n| City | People |"
    whole = shown(doc, Span(NOTE.index("| City"), NOTE.index("> A quote")))
    assert whole.headers == ()


def test_the_headings_above_are_context_and_a_heading_inside_is_text() -> None:
    text = "# One\n\n## Two\n\nText is here.\n"
    doc = document(text)
    assert shown(doc, region(doc, window(text, "Text"))).headings == ("One", "Two")
    below = shown(doc, Span(text.index("## Two"), len(text)))
    assert below.headings == ("One",)
    assert below.text.startswith("## Two")


def test_markup_is_not_shown_and_parts_words_only_where_a_reader_sees_a_gap() -> None:
    text = "<p>One <b>bo</b>ld word.</p><td>left</td><td>right</td> a<br>b <!-- no -->c o<!-- a-b -->ne"
    view = shown(document(text, "a.html"), Span(0, len(text)))
    assert view.text.split() == ["One", "bold", "word.", "left", "right", "a", "b", "c", "one"]


@pytest.mark.parametrize("piece", ["a", ". ", "\n", "- ", "| a ", "<b>", "x" * 90 + " ", "?? a\n", "。", "`", "#\n"])
def test_hostile_texts_are_shown_within_the_cap(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    for name in ("a.md", "a.txt", "a.html"):
        doc = document(text, name)
        for at in range(0, len(text) - 500, len(text) // 10):
            view = shown(doc, region(doc, Span(at, at + 500)))
            assert tokens(view.text) <= 2 * REGION_TOKENS, name


def outlined(text: str) -> Document:
    return Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), MarkdownReader().structure(text))


@pytest.mark.parametrize(
    ("mark", "path"),
    [
        ("intro", ()),
        ("a\n", ("One",)),
        ("b\n", ("One", "Two")),
        ("c\n", ("One", "Two", "Four")),
        ("d\n", ("One", "Other")),
        ("\ne\n", ("Last",)),
        ("Two", ("One", "Two")),
    ],
)
def test_an_offset_stands_under_the_headings_above_it(mark: str, path: tuple[str, ...]) -> None:
    assert heading_path(outlined(NESTED), NESTED.index(mark)) == path


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.csv", 'Name,Told\nAnn,"a, b\nc",7\n', [(0, "Ann"), (1, '"a, b\nc"'), (2, "7")]),
        ("a.csv", 'Name;Told\nAnn;;say "x; y\n', [(0, "Ann"), (2, 'say "x'), (3, "y")]),
        ("a.md", "| N | T |\n|---|---|\n| Ann | a \\| b |\n", [(0, "Ann"), (1, "a \\| b")]),
        ("a.html", "<table><tr><td>Ann</td><td class=x>a | b</td></tr></table>", [(0, "Ann"), (1, "a | b")]),
    ],
)
def test_the_cells_of_a_row_are_told_by_their_format(name: str, text: str, found: list[tuple[int, str]]) -> None:
    made = document(text, name)
    row = [block.span for block in made.structure.blocks if block.kind is BlockKind.TABLE_ROW][-1]
    assert [(cell.column, text[cell.span.start : cell.span.end]) for cell in cells(made, row)] == found


SHEETS = "Name | Told | Last\nAnn | a | b | c\n\nOther\nBea | d"


def sheets() -> Document:
    """Two sheets; a cell of the first one holds a bar."""
    lines = [Span(match.start(), match.end()) for match in re.finditer(r"[^\n]+", SHEETS)]
    places = [(0, "A", "A1"), (7, "A", "B1"), (14, "A", "D1"), (19, "A", "A2"), (25, "A", "B2"), (33, "A", "D2")]
    places += [(36, "B", ""), (42, "B", "A1"), (48, "B", "B1")]
    located = tuple({"sheet": sheet, "cell": cell} if cell else {"sheet": sheet} for _, sheet, cell in places)
    blocks = tuple(Block(BlockKind.TABLE_ROW, line, lines[0] if at == 1 else None) for at, line in enumerate(lines))
    where = LocatorMap(tuple(at for at, _, _ in places), located)
    return Document(0, "a.xlsx", SHEETS, "sheet/3", Origin("", "binary"), Structure(blocks=blocks), where)


def test_the_cells_of_a_sheet_are_told_by_their_places() -> None:
    found = [
        (cell.column, SHEETS[cell.span.start : cell.span.end])
        for cell in cells(sheets(), window(SHEETS, "Ann | a | b | c"))
    ]
    assert found == [(0, "Ann"), (1, "a | b"), (2, "c")]


def test_cells_of_a_row_and_of_its_header_have_the_numbers_of_their_columns() -> None:
    text = "<table><tr><th>Name<th colspan=2>Told<th>Last</tr><tr><td>Ann<td>a<td>b<td>c</tr></table>"
    made = document(text, "a.html")
    header, row = (block.span for block in made.structure.blocks)
    named = {cell.column: text[cell.span.start : cell.span.end] for cell in cells(made, header, row)}
    said = {cell.column: text[cell.span.start : cell.span.end] for cell in cells(made, row, header)}
    assert (named, said) == ({0: "Name", 1: "Told", 2: "Told", 3: "Last"}, {0: "Ann", 1: "a", 2: "b", 3: "c"})


def test_a_region_never_reaches_into_another_sheet() -> None:
    found = region(sheets(), window(SHEETS, "b | c\n\nOther\nBea"))
    assert SHEETS[found.start : found.end].strip() == "Other\nBea | d"


def test_a_part_of_a_row_has_the_columns_of_its_header_and_says_that_it_was_cut() -> None:
    part = window(SHEETS, "a | b | c")
    assert [(item.text, item.cut) for item in context_of(sheets(), part)] == [("Told | Last", ("start",))]
    assert row_cut(sheets(), part) == ("start",)
    assert row_cut(sheets(), window(SHEETS, "Ann | a | b | c\n")) == ()


def test_of_a_wide_header_the_columns_beside_the_match_are_context() -> None:
    header = ",".join(f"column{number:03}" for number in range(60))
    text = f"{header}\n{','.join(f'x{number}' for number in range(60))}\n"
    made = document(text, "a.csv")
    (found,) = context_of(made, made.structure.blocks[1].span, at=text.index("x40"))
    assert "column040" in found.text
    assert (len(found.text) <= 300, found.cut) == (True, ("start", "end"))


@pytest.mark.parametrize("inside", [True, False])
def test_a_row_too_long_for_a_region_is_cut_between_cells(inside: bool) -> None:
    row = ["k" * 5, *("word word words" for _ in range(200))]
    text = f"{','.join(f'n{number}' for number in range(201))}\n{','.join(row)}\n"
    at = text.index("word word words", 3000) + (4 if inside else 0)
    found = region(document(text, "a.csv"), Span(at, at + 11))
    assert {cell.strip() for cell in text[found.start : found.end].strip(",").split(",")} == {"word word words"}
