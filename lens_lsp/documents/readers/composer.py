"""Composer of the text of a document: it is built block by block, with the place of everything in it.

A reader says what comes next: a heading, a paragraph, a table's row, and where a person would open it. Blocks are a
blank line apart; the items of a list and the rows of a table stand on lines of their own. What was typed for looks
only (runs of blanks, ligatures, soft hyphens) is made plain, and what could steer a terminal is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from lens_lsp.documents.frames import MOST_LETTERS, header_fields, pairs
from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.model.documents import Block, BlockKind, Head, Heading, Locator, LocatorMap, Structure, is_header
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span

_Thing = TypeVar("_Thing")
_LONGEST_HEADING = 1000
"""Code points; a longer one is a paragraph that somebody styled as a heading."""
_LINE_ENDS = "\x0b\x0c\x85\u2028\u2029"
_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl", "st", "st")
_PLAIN = str.maketrans(
    dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
    | dict.fromkeys(_LINE_ENDS, "\n")
    | {chr(0xFB00 + index): letters for index, letters in enumerate(_LIGATURES)}
)


def plain(text: str) -> str:
    r"""The text with ``\n`` as its only line end, without controls, ligatures and invisible hyphens."""
    if text.isascii() and text.isprintable():
        return text
    return printable(text.translate(_PLAIN))


def on_one_line(text: str) -> str:
    """The plain text with every run of blanks and line ends as one space."""
    return " ".join(plain(text).split())


def head_of(title: str | None = None, description: Sequence[str | None] = (), keywords: str | None = None) -> Head:
    """What a document's metadata says about it; keywords are apart by commas or semicolons."""
    said = [on_one_line(part) for part in description if part]
    tags = [on_one_line(word) for word in re.split(r"[,;\n]", keywords or "")]
    return Head(
        title=on_one_line(title or "") or None,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        description=" ".join(dict.fromkeys(part for part in said if part)) or None,
    )


class TextComposer:
    """Builds the text of one document block by block. Blocks without a visible character are left out."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._headings: list[Heading] = []
        self._starts: list[int] = []
        self._locators: list[Locator] = []
        self._place: Locator = {}
        self._list: object = None
        """The table or run of list items that the last block belongs to: its next line needs no blank one before."""
        self._cut = False
        self._hidden: list[Span] = []

    @property
    def full(self) -> bool:
        """Whether whatever comes next is left out."""
        return self._length >= MOST_LETTERS

    @property
    def empty(self) -> bool:
        """Whether nothing was written."""
        return not self._blocks

    def place(self, locator: Locator) -> None:
        """Where the blocks that follow stand, until the next call; ``{}`` for nowhere in particular."""
        self._place = locator

    def heading(self, text: str, level: int) -> None:
        """A heading of a level from 1, on one line."""
        words = on_one_line(text)
        if len(words) > _LONGEST_HEADING:
            self.block(BlockKind.PARAGRAPH, text)
            return
        span = self._add(BlockKind.HEADING, [words])
        if span is not None:
            self._headings.append(Heading(span, max(level, 1), words))

    def paragraph(self, text: str) -> None:
        """A paragraph; its line breaks are kept, its blank lines are not."""
        self.block(BlockKind.PARAGRAPH, text)

    def item(self, text: str) -> None:
        """An item of a list, without its mark; consecutive items are one list."""
        self.block(BlockKind.LIST_ITEM, text)

    def block(self, kind: BlockKind, text: str, end: str = "", beyond: Locator = {}) -> None:  # noqa: B006 - read only
        """A block of any kind but headings and rows; only code keeps its blanks. What it ends with may stand at a place
        ``beyond``, such as the next page."""
        run = kind if kind is BlockKind.LIST_ITEM else None
        span = self._add(kind, [_as_code(text) if kind is BlockKind.CODE else _lines(text)], run=run)
        if span is not None and (last := _lines(end)):
            self._starts.append(max(span.start + 1, span.end - len(last)))
            self._locators.append(beyond)

    def table(self) -> TableComposer:
        """A table that begins when its first row comes; other blocks may stand between its rows."""
        return TableComposer(self)

    def include(self, found: Extracted, placed: Callable[[Locator], Locator], lower: int) -> None:
        """All of another document's text; ``placed`` makes places of its own ones, its headings are ``lower`` levels
        deeper. One that there is no room for is left out whole."""
        if self._length + len(found.text) > MOST_LETTERS:
            self._cut = True
            return
        if self._blocks:
            self._write("\n\n")
        start, self._list = self._length, None

        def moved(span: Span) -> Span:
            return Span(span.start + start, span.end + start)

        for block in found.structure.blocks:
            kind = BlockKind.PARAGRAPH if block.kind is BlockKind.FRONT_MATTER else block.kind
            header = None if block.header is None else moved(block.header)
            self._blocks.append(Block(kind, moved(block.span), header))
        self._headings += [
            replace(heading, span=moved(heading.span), level=heading.level + lower)
            for heading in found.structure.headings
        ]
        self._hidden += [moved(span) for span in found.structure.hidden]
        places = [*zip(found.locators.starts, found.locators.locators, strict=True)]
        for at, place in places if places and places[0][0] == 0 else [(0, {}), *places]:
            if (self._locators[-1] if self._locators else {}) != (made := placed(place)):
                self._starts.append(start + at)
                self._locators.append(made)
        self._write(found.text)

    def row(
        self, table: TableComposer, line: Sequence[str], places: Sequence[Locator], header: Span | None
    ) -> Span | None:
        """A row of a table, of cells on one line each: called by `TableComposer`."""
        return self._add(BlockKind.TABLE_ROW, line, places, header=header, run=table)

    def extracted(self, head: Head = Head(), notices: Iterable[str] = (), *, titled: bool = False) -> Extracted:
        """The whole text; raises `Unextracted` when it is empty. With ``titled`` the heading that the text begins with
        is its title, where the head has none."""
        if not self._blocks:
            raise Unextracted(Failure.EMPTY, "nothing in it is text")
        said = list(notices)
        if self._cut:
            said.append(f"only the first {self._length:,} characters were read")
        text = "".join(self._parts)
        fields = header_fields(text, self._blocks)
        head = replace(head, fields=pairs(fields))
        if titled and not head.title and self._headings and self._headings[0].span.start == 0:
            head = replace(head, title=self._headings[0].text)
        structure = Structure(
            head=head,
            headings=tuple(self._headings),
            blocks=tuple(self._blocks),
            fields=fields,
            hidden=tuple(self._hidden),
        )
        locators = LocatorMap(tuple(self._starts), tuple(self._locators))
        return Extracted(text, locators, structure, tuple(said))

    def _add(
        self,
        kind: BlockKind,
        texts: Sequence[str],
        places: Sequence[Locator] = (),
        *,
        header: Span | None = None,
        run: object = None,
    ) -> Span | None:
        """Write the texts that are not empty as one block; empty cells of a row stay as bars."""
        if not any(texts):
            return None
        if self.full:
            self._cut = True
            return None
        if self._blocks:
            self._write("\n" if run is not None and run is self._list else "\n\n")
        self._list = run
        start = self._length
        self._mark(self._place)
        for index, text in enumerate(texts):
            if index:
                # An empty cell before this one has left a blank already.
                self._write("| " if self._length == start or self._parts[-1].endswith(" ") else " | ")
            if text:
                if places:
                    self._mark(places[index])
                self._write(text)
        span = Span(start, self._length)
        self._blocks.append(Block(kind, span, header))
        return span

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _mark(self, place: Locator) -> None:
        """From here on the text stands at ``place``."""
        if self._starts and self._starts[-1] == self._length:
            self._starts.pop()
            self._locators.pop()
        if (self._locators[-1] if self._locators else {}) != place:
            self._starts.append(self._length)
            self._locators.append(place)


class TableComposer:
    """Builds the rows of one table. Its first row with several cells is the header when none of them is a number."""

    def __init__(self, composer: TextComposer) -> None:
        self._composer = composer
        self._header: Span | None = None
        self.decided = False
        """Whether the next row is no header."""

    def row(self, cells: Sequence[str], places: Sequence[Locator] = (), *, header: bool | None = None) -> None:
        """A row with the place of each cell, if they have any; ``header`` says what the document says itself."""
        line = [on_one_line(cell) for cell in cells]
        while line and not line[-1]:
            line.pop()
        filled = len(line) - line.count("")
        span = self._composer.row(self, line, places, self._header)
        if span is None or self.decided or (header is None and filled < 2):
            return
        self.decided = True
        if header or (header is None and is_header(line)):
            self._header = span


def in_reading_order(
    things: Sequence[_Thing], places: Sequence[tuple[float, float] | None], same_row: float
) -> list[_Thing]:
    """Things by their left and top: downwards, and to the right where tops are at most ``same_row`` apart.

    A thing without a place stands where the one before it does.
    """
    placed: list[tuple[float, float, int]] = []
    left = top = 0.0
    for index, place in enumerate(places):
        left, top = place or (left, top)
        placed.append((top, left, index))
    order: list[int] = []
    row: list[tuple[float, int]] = []
    first = 0.0
    for top, left, index in sorted(placed):
        if row and top - first > same_row:
            order += [at for _, at in sorted(row)]
            row = []
        first = top if not row else first
        row.append((left, index))
    return [things[at] for at in [*order, *(at for _, at in sorted(row))]]


def _lines(text: str) -> str:
    """The plain text's lines that are not blank, each with single spaces."""
    return "\n".join(words for line in plain(text).split("\n") if (words := " ".join(line.split())))


def _as_code(text: str) -> str:
    """The plain text as it is laid out, without blank lines around it."""
    return "\n".join(line.rstrip() for line in plain(text).split("\n")).strip("\n")
