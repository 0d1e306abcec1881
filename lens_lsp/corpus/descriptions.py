"""What documents say about themselves, taken from their first lines when it is first asked for.

A scan needs no names; a whole question needs all of them. So the beginnings of texts wait here, up to a bound, until
somebody asks who is called what.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lens_lsp.corpus.arena import Arena, side_by_side
from lens_lsp.corpus.formats.base import HEAD_LENGTH, Reader
from lens_lsp.corpus.summaries import SummaryIndex
from lens_lsp.corpus.titles import TitleIndex, file_name, plain_name
from lens_lsp.domain.model import Head

_MOST_WAITING = 32 << 20
"""Bytes of beginnings that wait; then they are looked at, asked or not."""


class Descriptions:
    """Names and summaries of texts by slot. No disk."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, Sequence[str], Sequence[Reader]]] = []
        self._beginnings = Arena()
        self._gone: set[int] = set()
        """Slots that were forgotten before they were looked at."""
        self._paths: list[str] = []
        self._heads: list[Head | None] = []
        """By slot, None where nothing is known; so are the paths."""
        self._titles = TitleIndex()
        self._summaries = SummaryIndex()

    def add(self, first: int, paths: Sequence[str], readers: Sequence[Reader], beginnings: Sequence[bytes]) -> None:
        """Note how the texts from slot ``first`` on begin, in UTF-8; the last character may be cut."""
        data, starts, ends = side_by_side(beginnings)
        row = self._beginnings.add_all(
            len(data), lambda room: np.copyto(room, np.frombuffer(data, np.uint8)), starts, ends
        )
        self._waiting.append((first, row, paths, readers))
        if self._beginnings.size > _MOST_WAITING:
            self.settle()

    def note(self, slot: int, path: str, head: Head) -> None:
        """Note what a text says about itself where that is known already."""
        self._enter(slot, path, head)

    def remove(self, slot: int) -> None:
        """Forget a text, if it was noted."""
        if self._head(slot) is not None:
            self._heads[slot] = None
            self._titles.remove(slot)
            self._summaries.remove(slot)
        elif self._waiting:
            self._gone.add(slot)

    def move(self, old: Descriptions, was: int, slot: int) -> None:
        """Take over what another knows about a text that has another slot there."""
        old.settle()
        head = old._head(was)
        if head is not None:
            self._enter(slot, old._paths[was], head)

    def names(self, slot: int) -> tuple[str, ...]:
        """What a text is called, as written but without a closing parenthesis: file name, title, aliases."""
        self.settle()
        head = self._head(slot)
        return () if head is None else _names(self._paths[slot], head)

    def _head(self, slot: int) -> Head | None:
        return self._heads[slot] if slot < len(self._heads) else None

    @property
    def titles(self) -> TitleIndex:
        """Who answers to which name."""
        self.settle()
        return self._titles

    @property
    def summaries(self) -> SummaryIndex:
        """Whose description or tags hold which word."""
        self.settle()
        return self._summaries

    def settle(self) -> None:
        """Look at what waits."""
        if not self._waiting:
            return
        for first, row, paths, readers in self._waiting:
            for index, (path, reader) in enumerate(zip(paths, readers, strict=True)):
                if first + index not in self._gone:
                    start = self._beginnings.text(row + index).tobytes().decode("utf-8", "ignore")
                    self._enter(first + index, path, reader.head(start[:HEAD_LENGTH]))
        self._waiting, self._beginnings, self._gone = [], Arena(), set()

    def _enter(self, slot: int, path: str, head: Head) -> None:
        more = slot + 1 - len(self._heads)
        self._paths.extend([""] * more)
        self._heads.extend([None] * more)
        self._paths[slot], self._heads[slot] = path, head
        self._titles.add(slot, _names(path, head))
        self._summaries.add(slot, head)


def _names(path: str, head: Head) -> tuple[str, ...]:
    title = (head.title,) if head.title else ()
    return tuple(dict.fromkeys(map(plain_name, (file_name(path), *title, *head.aliases))))
