"""Text and places in it: spans in code points, lines, and the columns each consumer counts in.

Lines end at ``\n``, ``\r\n`` or a lone ``\r`` and nowhere else. ``str.splitlines`` also breaks at form feeds,
U+2028 and others, which editors do not, so it is never used for positions (docs/explanation/architecture.md).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open ``[start, end)`` in code points of one document's text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one code point."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place as a person reads it: line and column, both from 1, columns in code points."""

    line: int
    column: int

    def behind(self, first: Position) -> Position:
        """This position in a text, counted in the text whose position ``first`` that text begins at."""
        column = self.column + first.column - 1 if self.line == 1 else self.column
        return Position(self.line + first.line - 1, column)


@dataclass(frozen=True)
class SourceText:
    """A decoded text with its line starts, found once and kept."""

    text: str
    _starts: list[int] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def line_starts(self) -> list[int]:
        """Code point offsets of the first character of each line; never empty."""
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(match.end() for match in _LINE_END.finditer(self.text))
        return self._starts

    def position(self, offset: int) -> Position:
        """The position of a code point offset, clamped to the text."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.line_starts, offset) - 1
        return Position(line + 1, offset - self.line_starts[line] + 1)

    def offset(self, position: Position) -> int:
        """The code point offset of a position; lines and columns outside the text are clamped."""
        line = min(max(position.line, 1), len(self.line_starts)) - 1
        return min(self.line_starts[line] + max(position.column, 1) - 1, self._line_end(line))

    def _line_end(self, line: int) -> int:
        """Where the content of a line (from 0) ends, before its line break."""
        end = self.line_starts[line + 1] if line + 1 < len(self.line_starts) else len(self.text)
        while end > self.line_starts[line] and self.text[end - 1] in "\r\n":
            end -= 1
        return end
