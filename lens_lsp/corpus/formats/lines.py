"""The loop that readers of line-oriented markup share, and the marks of lists and tables."""

from __future__ import annotations

import re
from collections.abc import Callable

from lens_lsp.corpus.formats.outline import TEXTUAL, Outline
from lens_lsp.model.documents import BlockKind
from lens_lsp.model.text import Span

ITEM = re.compile(r"(?:[-+]|\*++|\.{1,5}|(?:\d{1,9}|[a-zA-Z#])[.)])[ \t]+(?=\S)")
"""A list item's mark, after the indentation."""
_MOST_FAILURES = 16


class LineParser:
    """Reads a text line by line: subclasses say what a line that begins with a mark means.

    ``line`` is called for every line that is not blank and starts at or behind ``resume``. ``metadata`` are stretches
    of whole lines that are kept as front matter.
    """

    def __init__(self, outline: Outline, start: int, metadata: tuple[Span, ...] = ()) -> None:
        self.out = outline
        self.flat = outline.text
        self.resume = start
        self.header: Span | None = None
        self._failures = 0
        self._metadata = list(reversed(metadata))

    def run(self) -> None:
        """Read every line."""
        pos = 0
        for line in self.flat.split("\n"):
            end = pos + len(line)
            if self._metadata and self._metadata[-1].start == pos and pos >= self.resume:
                self.block(BlockKind.FRONT_MATTER, pos, self._metadata.pop().end)
            elif pos >= self.resume:
                body = line.strip()
                if body:
                    self.line(body, end - len(line.lstrip()), end)
                else:
                    self.blank()
            pos = end + 1
        self.out.close()

    def blank(self) -> None:
        """A blank line ends blocks and tables."""
        self.header = None
        self.out.close()

    def line(self, body: str, start: int, end: int) -> None:
        """Read one line: ``body`` without outer blanks, from ``start``; ``end`` is where the line ends."""
        self.text(body, start, end)

    def text(self, body: str, start: int, end: int) -> None:
        """A line without a mark: it runs on, begins a list item or a paragraph."""
        out = self.out
        if ITEM.match(body) is not None:
            out.begin(BlockKind.LIST_ITEM, start, end)
        elif out.kind in TEXTUAL:
            out.extend(end)
        else:
            out.begin(BlockKind.PARAGRAPH, start, end)

    def row(self, start: int, end: int) -> None:
        """A line of a table; the first one is the header of those below it."""
        self.out.close()
        span = self.out.add(BlockKind.TABLE_ROW, start, end, self.header)
        self.header = self.header or span

    def block(self, kind: BlockKind, start: int, end: int) -> None:
        """Keep ``[start, end)`` whole and go on behind it."""
        self.out.close()
        self.out.add(kind, start, end)
        self.resume = end + 1

    def indent(self, start: int) -> int:
        """Code points before ``start`` on its line."""
        return start - self.flat.rfind("\n", 0, start) - 1

    def indented_end(self, indent: int, pos: int) -> int:
        """Where the lines end that stand further right than ``indent``, from the line break at ``pos`` on."""
        flat, end, at = self.flat, pos, pos
        while at < len(flat):
            after = flat.find("\n", at + 1)
            after = len(flat) if after < 0 else after
            line = flat[at + 1 : after]
            if line.strip():
                if len(line) - len(line.lstrip(" \t")) <= indent:
                    break
                end = after
            at = after
        return end

    def closing_line(self, pos: int, ends: Callable[[str], bool]) -> int | None:
        """Where the first line behind ``pos`` ends for which ``ends`` holds, ``None`` without one.

        Gives up for good after some failures: each one reads to the end of the text.
        """
        flat, at = self.flat, pos if self._failures < _MOST_FAILURES else len(self.flat)
        while at < len(flat):
            after = flat.find("\n", at + 1)
            after = len(flat) if after < 0 else after
            if ends(flat[at + 1 : after].strip()):
                return after
            at = after
        self._failures += 1
        return None
