"""Which passages are headings: those the outline names, those in larger letters, short ones in bold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lens_lsp.documents.readers.pdf.library import Bookmark
from lens_lsp.documents.readers.pdf.paragraphs import Passage
from lens_lsp.model.documents import BlockKind

_LARGER = 1.14
"""Times the size of the running text."""
_LONGEST = 200
_LONGEST_BOLD = 120
_MOST_LINES = 3
_LOWEST = 6
_REPEATED = 0.5
"""Of the pages, three at the least, carry a line that is printed on every page."""
_MOST_BOLD = 0.3
"""Of the letters of the running size: where more are bold, bold means nothing."""
_LETTERS = re.compile(r"[^\W\d_]{2}")
_NOT_WORDS = re.compile(r"[\W_]+")
_DIGITS = re.compile(r"\d+")
_LEADERS = re.compile(r"(?:[.·…]\s?){4}")
"""The dots of a table of contents, whose lines all come again."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The passages of one page, and whether they were recognised on a scan."""

    number: int
    passages: tuple[Passage, ...]
    recognised: bool = False


class Headings:
    """Gives each passage its level, by what the whole document looks like."""

    def __init__(self, sheets: Sequence[Sheet], outline: Sequence[Bookmark]) -> None:
        self._outline: dict[int, dict[str, int]] = {}
        for entry in outline:
            self._outline.setdefault(entry.page + 1, {}).setdefault(_plain(entry.title), entry.level)
        self._repeated = _repeated(sheets)
        letters = Counter[tuple[float, bool]]()
        for sheet in sheets:
            for passage in sheet.passages:
                letters[passage.style.size, passage.style.bold] += len(passage.text)
        self._body, self._bold = _running(letters)
        sizes = {
            passage.style.size
            for sheet in sheets
            if not sheet.recognised
            for passage in sheet.passages
            if self._stands_out(passage) and passage.style.size >= _LARGER * self._body
        }
        self._levels: Mapping[float, int] = {
            size: min(rank, _LOWEST) for rank, size in enumerate(sorted(sizes, reverse=True), 1)
        }

    def level(self, sheet: Sheet, passage: Passage) -> int | None:
        """From 1; None for what is no heading. The outline's own levels go before what letters look like."""
        if passage.kind is BlockKind.TABLE_ROW or _print(passage) in self._repeated:
            return None
        if len(passage.text) <= _LONGEST and (named := self._named(sheet.number, passage.text)) is not None:
            return named
        if sheet.recognised or not self._stands_out(passage):
            return None
        size = passage.style.size
        if size >= _LARGER * self._body:
            return self._levels[size]
        if self._bold and passage.style.bold and size >= 0.95 * self._body and _is_short(passage):
            return min(len(self._levels) + 1, _LOWEST)
        return None

    def _named(self, page: int, text: str) -> int | None:
        """The level of the bookmark of this page that says the same, with or without the number."""
        entries = self._outline.get(page)
        if not entries:
            return None
        words = _plain(text)
        if words in entries:
            return entries[words]
        for title, level in entries.items():
            shorter, longer = sorted((title, words), key=len)
            if len(shorter) > 3 and longer.endswith(shorter) and len(longer) - len(shorter) <= 12:
                return level
        return None

    def _stands_out(self, passage: Passage) -> bool:
        return (
            passage.kind is not BlockKind.TABLE_ROW
            and passage.lines <= _MOST_LINES
            and len(passage.text) <= _LONGEST
            and _LETTERS.search(passage.text) is not None
            and _print(passage) not in self._repeated
            and _LEADERS.search(passage.text) is None
        )


def _running(letters: Counter[tuple[float, bool]]) -> tuple[float, bool]:
    """The size of most letters, and whether bold ones of about that size are few enough to mean something."""
    sizes = Counter[float]()
    for (size, _bold), count in letters.items():
        sizes[size] += count
    if not sizes:
        return 0.0, False
    body = max(sizes, key=lambda size: (sizes[size], -size))
    alike = [(bold, count) for (size, bold), count in letters.items() if 0.9 * body <= size <= _LARGER * body]
    bold = sum(count for is_bold, count in alike if is_bold)
    return body, bold <= _MOST_BOLD * sum(count for _is_bold, count in alike)


def _is_short(passage: Passage) -> bool:
    text = passage.text.rstrip()
    return passage.lines <= 2 and len(text) <= _LONGEST_BOLD and text[-1:] not in ".,;:"


def _repeated(sheets: Sequence[Sheet]) -> frozenset[tuple[str, float]]:
    """What most pages begin or end with, but for its numbers."""
    seen = Counter[tuple[str, float]]()
    for sheet in sheets:
        ends = [*sheet.passages[:2], *sheet.passages[-2:]]
        seen.update({_print(passage) for passage in ends if passage.text})
    least = max(3, _REPEATED * len(sheets))
    return frozenset(line for line, count in seen.items() if count >= least)


def _print(passage: Passage) -> tuple[str, float]:
    """What a passage looks like on whatever page."""
    return _DIGITS.sub("#", passage.text[:_LONGEST]), passage.style.size


def _plain(text: str) -> str:
    return _NOT_WORDS.sub("", text).casefold()
