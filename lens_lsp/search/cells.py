"""Cells of the rows of tables, in each way of writing: delimited text, bars of markup and of extracted documents, cells
of HTML, addresses of spreadsheets.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.data import TableReader, fields, unquoted
from lens_lsp.model.documents import Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span, trim

MOST_COLUMNS = 500
_LEADERS = regex(r"(?:\s*\.){3,}\s*\Z")
_BAR = regex(r"(?<!\\)\|")
_BARRED = frozenset({"asciidoc", "markdown", "org", "restructuredtext"})
"""Readers of markup in which every bar sets cells apart; in text that was extracted, one between blanks does."""
_TAGGED = frozenset({"html", "xml"})
_PLAIN_BAR = regex(r"(?:(?<= )|^)\|(?= |$)", re.MULTILINE)
_FAR = 20_000
"""Code points before a row in which its tag is looked for."""
_TAG = regex(r"<[^<>]*>")
_CELL = regex(r"<t[dh]\b(?P<said>[^>]*)>(?P<text>.*?)(?=<t[dh]\b|</t[dh]|</tr|<tr\b|\Z)", re.IGNORECASE | re.DOTALL)
_ROW_BEGINS = regex(r"<tr(?=[\s/>])", re.IGNORECASE)
_ROW_ENDS = regex(r"</tr|<tr\b|</table", re.IGNORECASE)
_SPANS = regex(r"\b(?P<way>col|row)span\s*=\s*[\"']?(?P<count>\d+)", re.IGNORECASE)
_LINK = regex(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = regex(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`+|~~")
_LETTERS = regex(r"[A-Z]+")


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell says, without quotes, marks and tags, and where it stands."""

    text: str
    span: Span


class TableCell(NamedTuple):
    """A cell that holds something: the number of its column, from 0, and where it stands."""

    column: int
    span: Span


def cells(document: Document, row: Span, beside: Span | None = None) -> list[TableCell]:
    """The cells of a row that hold something, in order; the row itself where nothing sets cells apart.

    Of a row and one ``beside`` it, as its header, cells with the same number stand in the same column.
    """
    splitter = Splitter(document)
    splitter.begin([row] if beside is None else [row, beside])
    found = [
        TableCell(column, Span(max(row.start, cell.span.start), min(row.end, cell.span.end)))
        for column, cell in enumerate(splitter.cells(row))
        if len(cell.span) and cell.span.overlaps(row)
    ]
    return found or [TableCell(0, row)]


class Splitter:
    """Takes the rows of a document apart."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._locators = document.locators
        self._kind = document.reader.partition("/")[0]
        reader = reader_for(document.path.rpartition("/")[2]) if self._kind == "table" else None
        self._delimiter = reader.delimiter(document.text) if isinstance(reader, TableReader) else ","
        self._below: dict[int, tuple[int, Cell]] = {}
        """Cells of HTML that reach down into further rows: how many, by column."""
        self._columns: dict[str, int] = {}
        """The columns of a sheet by their letters."""

    @property
    def exact(self) -> bool:
        """Whether the document itself says which column each cell stands in."""
        return bool(self._columns) or self._kind in _TAGGED

    def begin(self, spans: Sequence[Span]) -> None:
        """A table begins with these rows: they say which columns of a sheet it has."""
        self._below.clear()
        letters = {letters for span in spans for letters, _ in self._addressed(span)}
        self._columns = {one: at for at, one in enumerate(sorted(letters, key=lambda one: (len(one), one)))}

    def cells(self, span: Span) -> list[Cell]:
        """The cells of a row."""
        if self._kind == "table":
            found = fields(self._text, span.start, span.end, self._delimiter)
            return [Cell(unquoted(self._said(one)), one) for one in found]
        if self._kind in _TAGGED:
            return self._tagged(span)
        addressed = self._addressed(span)
        if addressed:
            return self._by_address(addressed)
        shown = _shown if self._kind == "markdown" else _without_dots
        return [Cell(shown(self._said(one)), one) for one in self._barred(span)]

    def _said(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def _barred(self, span: Span) -> list[Span]:
        """Between bars; those at the ends of a row of markup stand for nothing."""
        markup = self._kind in _BARRED
        said = self._text[span.start : span.end].rstrip()
        start, end = span.start, span.start + len(said)
        if markup and said.startswith("|"):
            start += 1
        if markup and said.endswith("|") and not said.endswith("\\|"):
            end -= 1
        found, at = [], start
        for bar in (_BAR if markup else _PLAIN_BAR).finditer(self._text, start, max(start, end)):
            found.append(trim(self._text, Span(at, bar.start())))
            at = bar.end()
        found.append(trim(self._text, Span(at, max(at, end))))
        return found

    def _addressed(self, span: Span) -> list[tuple[str, Span]]:
        """The cells of a row of a sheet, by the letters of their columns."""
        starts, locators = self._locators.starts, self._locators.locators
        found: list[tuple[str, int]] = []
        for at in range(bisect_left(starts, span.start), len(starts)):
            if starts[at] >= span.end:
                break
            letters = _LETTERS.match(str(locators[at].get("cell", "")))
            if letters is not None:
                found.append((letters.group(), starts[at]))
        ends = [*(start for _, start in found[1:]), span.end]
        return [
            (letters, Span(start, start + len(self._text[start:end].rstrip("| \n"))))
            for (letters, start), end in zip(found, ends, strict=False)
        ]

    def _by_address(self, addressed: Sequence[tuple[str, Span]]) -> list[Cell]:
        if not self._columns:
            return [Cell(self._said(span), span) for _, span in addressed]
        cells = [Cell("", Span(0, 0))] * len(self._columns)
        for letters, span in addressed:
            if letters in self._columns:  # and not beside the table
                cells[self._columns[letters]] = Cell(self._said(span), span)
        return cells

    def _tagged(self, span: Span) -> list[Cell]:
        """The cells of a row of HTML, each as often as it spans columns, and those of rows above that reach down."""
        begins = [tag.start() for tag in _ROW_BEGINS.finditer(self._text, max(0, span.start - _FAR), span.start)]
        start = begins[-1] if begins else span.start
        rest = _ROW_ENDS.search(self._text, span.end)
        end = len(self._text) if rest is None else rest.start()
        cells: list[Cell] = []

        def reach_down() -> None:
            while len(cells) in self._below:
                at = len(cells)
                left, cell = self._below.pop(at)
                cells.append(cell)
                if left > 1:
                    self._below[at] = (left - 1, cell)

        held: list[tuple[int, int, Cell]] = []
        for match in _CELL.finditer(self._text, start, end):
            reach_down()
            counts = {one["way"].lower(): int(one["count"]) for one in _SPANS.finditer(match["said"])}
            text = " ".join(html.unescape(_TAG.sub(" ", match["text"])).split())
            cell = Cell(text, trim(self._text, Span(match.start("text"), match.end("text"))))
            for _ in range(min(counts.get("col", 1), MOST_COLUMNS)):
                if counts.get("row", 1) > 1:
                    held.append((len(cells), counts["row"] - 1, cell))
                cells.append(cell)
        reach_down()
        self._below.update({at: (left, cell) for at, left, cell in held})
        return cells


def _without_dots(cell: str) -> str:
    """A cell without the dots that lead to the next one."""
    return _LEADERS.sub("", cell) if cell.endswith(".") else cell


def _shown(cell: str) -> str:
    """A cell of Markdown as it is read."""
    if not any(mark in cell for mark in "*_`[<\\~&"):
        return cell
    plain = _TAG.sub(" ", _EMPHASIS.sub("", _LINK.sub(r"\1", cell)))
    return " ".join(html.unescape(plain.replace("\\|", "|").replace("\\_", "_")).split())
