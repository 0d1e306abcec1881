"""A text that cites, as an editor sees it: which citations are meant at a place in it."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from lens_lsp.corpus.ours import asking_lines, ours
from lens_lsp.memory.answer_parser import Citing, Held, Written, read_citing
from lens_lsp.model.text import SourceText, Span

_MARK = re.compile(r"\[\^([^\]\s]{1,200})\]")
_HEADING = re.compile(r"[ \t>]*(#{1,6})[ \t]")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_NOTHING = Citing()


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that shows a footnote's label: in the words, or where the footnote begins."""

    label: str
    span: Span


@dataclass(frozen=True)
class Page:
    """A text with what it cites. ``path`` is its file's, None for a text that was never saved."""

    text: str
    path: str | None
    citing: Citing = field(init=False)
    source: SourceText = field(init=False)
    written: dict[str, Written] = field(init=False)

    def __post_init__(self) -> None:
        citing = read_citing(self.text) if "lens:begin" in self.text or self.text.startswith("---") else _NOTHING
        object.__setattr__(self, "citing", citing)
        object.__setattr__(self, "source", SourceText(self.text))
        object.__setattr__(self, "written", {each.label: each for each in citing.written})

    @property
    def name(self) -> str:
        """Where its citations are written."""
        return self.path or os.sep

    @property
    def is_answer(self) -> bool:
        """Whether it is a file of our own."""
        return ours(self.text).answer

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.source.line_starts)

    def line(self, number: int) -> str:
        """A line, from 1, with its end."""
        span = self.line_span(number)
        return self.text[span.start : span.end]

    def line_span(self, number: int) -> Span:
        """Where a line, from 1, stands, with its end."""
        starts = self.source.line_starts
        number = min(max(number, 1), len(starts))
        return Span(starts[number - 1], starts[number] if number < len(starts) else len(self.text))

    def line_at(self, offset: int) -> int:
        """The number of the line of an offset."""
        return bisect_right(self.source.line_starts, offset)

    def bare(self, number: int) -> Span:
        """Where the words of a line stand: without its end and the blanks around."""
        span = self.line_span(number)
        line = self.text[span.start : span.end]
        start = span.start + len(line) - len(line.lstrip())
        return Span(start, max(start, span.start + len(line.rstrip())))

    def marks(self, first: int = 1, last: int | None = None) -> list[Mark]:
        """The labels of known citations in some lines, the last one included."""
        start = self.line_span(first).start
        end = self.line_span(self.lines if last is None else last).end
        found = _MARK.finditer(self.text, start, end)
        return [Mark(each[1], Span(*each.span())) for each in found if each[1] in self.written]

    def place(self, written: Written) -> Span:
        """Where a citation shows first: its mark in the words, else its footnote, else its record's line."""
        return self._first.get(written.label) or self.bare(written.line)

    @cached_property
    def _first(self) -> dict[str, Span]:
        """The first mark of each label."""
        return {mark.label: mark.span for mark in reversed(self.marks())}

    def meant(self, offset: int) -> tuple[list[Written], Span | None]:
        """The one citation that is meant at a place, with the span that shows it; none where there is none."""
        line = self.line_at(offset)
        marks = self.marks(line, line)
        for mark in marks:
            if mark.span.start <= offset <= mark.span.end:
                return [self.written[mark.label]], mark.span
        beginning = self.bare(line).start
        if marks and marks[0].span.start == beginning and self.text[marks[0].span.end : marks[0].span.end + 1] == ":":
            return [self.written[marks[0].label]], self.bare(line)
        return [], None

    def around(self, offset: int) -> list[Written]:
        """All citations that a place stands for: of a mark, of a claim, or of all below a heading."""
        found, _ = self.meant(offset)
        if found:
            return found
        line = self.line_at(offset)
        first, last = self._section(line) or self._asked(line) or self._claim(line)
        labels = dict.fromkeys(mark.label for mark in self.marks(first, last))
        return [self.written[label] for label in labels]

    def held_at(self, line: int) -> Held | None:
        """The answer that a line belongs to: the block around it, else the file."""
        held = [each for each in self.citing.held if each.first <= line <= each.last]
        return max(held, key=lambda each: each.first, default=None)

    def _section(self, line: int) -> tuple[int, int] | None:
        """The lines below a heading, the heading's own among them."""
        found = _HEADING.match(self.line(line))
        if found is None:
            return None
        level = len(found[1])
        for number in range(line + 1, self.lines + 1):
            further = _HEADING.match(self.line(number))
            if further is not None and len(further[1]) <= level:
                return line, number - 1
        return line, self.lines

    def _asked(self, line: int) -> tuple[int, int] | None:
        """The block that answers a ``??`` line, or that the line begins or ends."""
        if asked(self.line(line)) is not None:
            below = self.below(line)
            return None if below is None else (below.first, below.last)
        edge = next((each for each in self.citing.held if each.block and line in (each.first, each.last)), None)
        return None if edge is None else (edge.first, edge.last)

    def below(self, line: int) -> Held | None:
        """The block that stands right below a line, but for empty ones."""
        number = line + 1
        while number <= self.lines and not self.line(number).strip():
            number += 1
        return next((each for each in self.citing.held if each.block and each.first == number), None)

    def _claim(self, line: int) -> tuple[int, int]:
        """The paragraph or item of a list around a line."""
        if not self.line(line).strip():
            return line, line
        first = last = line
        while first > 1 and self.line(first - 1).strip() and not _ITEM.match(self.line(first)):
            first -= 1
        while last < self.lines and self.line(last + 1).strip() and not _ITEM.match(self.line(last + 1)):
            last += 1
        return first, last


def asked(line: str) -> str | None:
    """The question of a line that asks; None for every other line, and for one that asks nothing."""
    found = asking_lines(line)
    return line[found[0].start : found[0].end].partition("??")[2].strip() or None if found else None
