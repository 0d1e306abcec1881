"""What a file looks like to a reader of the raw text: its units, which no passage may split, and its headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.passages.sentences import breaks, entries, mask

LONGEST = 600
"""Code points of a passage; a longer unit cannot be shown whole."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a file that stands or falls as one: ``[start, end)`` without the white space around it.

    ``kind`` is heading, prose, item, row, code (one line), field (metadata) or line (link definitions, HTML).
    ``breaks`` are the boundaries of sentences in it. ``block`` is the number of code points of the block that it is a
    line or row of. ``content`` is where the text begins behind the marker.
    """

    kind: str
    start: int
    end: int
    breaks: tuple[tuple[int, int], ...] = ()
    block: int = 0
    content: int = 0

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Title:
    """A heading: its lines, its level and its text as written. A weak one may be one or not."""

    start: int
    end: int
    level: int
    texts: tuple[str, ...]
    weak: bool = False


@dataclass(slots=True)
class Outline:
    """Units and headings of one text, in order.

    ``names`` are what the document may be called; ``loose`` says that the format has no marks for headings.
    """

    text: str
    units: list[Unit] = field(default_factory=list)
    titles: list[Title] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    loose: bool = False
    starts: list[int] = field(default_factory=list)

    def close(self) -> Outline:
        """Sort what was found; to be called when all is there."""
        self.units.sort(key=lambda unit: (unit.start, unit.end))
        self.titles.sort(key=lambda title: title.start)
        self.starts = [unit.start for unit in self.units]
        return self

    def around(self, place: int) -> Unit | None:
        """The unit that ``place`` would split: text of it on both sides."""
        at = bisect_right(self.starts, place - 1) - 1
        while at >= 0 and at >= bisect_right(self.starts, place - 1) - 3:
            unit = self.units[at]
            if unit.start < place < unit.end:
                return unit
            at -= 1
        return None


class Lines:
    """The lines of a text and the same text masked for the splitter of sentences."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", text))]
        self.masked = mask(text)

    def __len__(self) -> int:
        return len(self.starts)

    def start(self, line: int) -> int:
        return self.starts[line] if line < len(self.starts) else len(self.text)

    def line(self, line: int) -> str:
        """One line without its end."""
        return self.text[self.start(line) : self.start(line + 1)].rstrip("\r\n")

    def blank(self, start: int, end: int) -> None:
        """Make a piece of the masked text white space: a prefix that is no text."""
        self.masked = self.masked[:start] + " " * (end - start) + self.masked[end:]

    def unit(self, kind: str, first: int, last: int, *, block: int = 0, prose: bool = True) -> list[Unit]:
        """The unit of the lines ``first`` to ``last`` (not included); none if they are blank."""
        begin, end = self.start(first), self.start(last)
        while begin < end and self.masked[begin].isspace():
            begin += 1
        while begin < end and self.masked[end - 1].isspace():
            end -= 1
        if begin >= end:
            return []
        found = [*breaks(self.masked, begin, end), *self._line_breaks(begin, end)] if prose else []
        return [Unit(kind, begin, end, tuple(sorted(found)), block or end - begin)]

    def _line_breaks(self, start: int, end: int) -> list[tuple[int, int]]:
        """Ends of lines that are ends of something: entries, hard breaks, tags, directives, names, paragraphs."""
        apart = entries(self.masked, start, end)
        found = []
        for match in re.finditer(r"[ \t]*(?:\r\n|\n|\r)\s*", self.masked[start:end]):
            before, after = start + match.start(), start + match.end()
            line = self.masked[self.masked.rfind("\n", 0, before) + 1 : before].strip()
            following = self.masked[after : after + 60]
            hard = (
                match.group().startswith("  ")
                or line.endswith("\\")
                or re.search(r"<br ?/?>$", self.text[:before][-6:])
            )
            named = re.fullmatch(r"\[!\w+\]|:{2,}.*|:\w+_tab:.*|\$\$|\*{3,}|<[^<>]*>", line)
            opens = re.match(r":{3,}|:\w+_tab:|\$\$(?:\n|$)|\|\s", following)
            tag = line and not re.sub(r"[*\s]", "", line)  # the mask made stars of it
            under = len(re.findall(r"\r\n|\n|\r", match.group())) > 1
            if apart or hard or named or opens or tag or under:
                found.append((before, after))
        return found


def code_lines(lines: Lines, first: int, last: int, *, prose: bool = False) -> list[Unit]:
    """Each line of a block of code; ``prose`` where sentences are known to stand in it."""
    block = lines.start(last) - lines.start(first)
    return [unit for at in range(first, last) for unit in lines.unit("code", at, at + 1, block=block, prose=prose)]


def plain(text: str) -> str:
    """A text reduced to its letters and digits, for comparison."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def names_in(fields: Sequence[str]) -> list[str]:
    """The titles that lines of metadata give."""
    found = [re.match(r"\s*['\"]?title['\"]?\s*[:=]\s*(.+)", line, re.IGNORECASE) for line in fields]
    return [match.group(1).strip().strip("'\"") for match in found if match]
