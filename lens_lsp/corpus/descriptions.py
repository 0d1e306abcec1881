"""What documents say about themselves, taken from their first lines when it is first asked for.

A scan needs no names; a whole question needs all of them. So the beginnings of texts wait here, up to a bound, until
somebody asks who is called what.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from lens_lsp.corpus.formats.base import HEAD_LENGTH, NO_HEAD, Reader
from lens_lsp.corpus.summaries import SummaryIndex
from lens_lsp.corpus.titles import TitleIndex, file_name, plain_name
from lens_lsp.model.documents import Head

_MOST_WAITING = 32 << 20
"""Bytes of beginnings that wait; then they are looked at, asked or not."""


class _Waiting(NamedTuple):
    """Texts whose slots follow each other from ``first`` on; the others are parallel."""

    first: int
    paths: Sequence[str]
    readers: Sequence[Reader]
    beginnings: Sequence[bytes]


class Descriptions:
    """Names and summaries of texts by slot. No disk."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._size = 0
        self._gone: set[int] = set()
        """Slots that were forgotten before they were looked at."""
        self._paths: list[str] = []
        self._heads: list[Head | str | None] = []
        """By slot, None where nothing is known; so are the paths. Of most texts a title is all there is."""
        self._titles = TitleIndex()
        self._summaries = SummaryIndex()
        self._field_names: Counter[str] = Counter()

    def add(self, first: int, paths: Sequence[str], readers: Sequence[Reader], beginnings: Sequence[bytes]) -> None:
        """Note how the texts from slot ``first`` on begin, in UTF-8; the last character may be cut."""
        self._waiting.append(_Waiting(first, paths, readers, beginnings))
        self._size += sum(map(len, beginnings))
        if self._size > _MOST_WAITING:
            self.settle()

    def note(self, slot: int, path: str, head: Head) -> None:
        """Note what a text says about itself where that is known already."""
        self._enter([slot], [path], [head])

    def remove(self, slot: int) -> None:
        """Forget a text, if it was noted."""
        head = self._head(slot)
        if head is not None:
            self._field_names.subtract(name for name, _ in head.fields)
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
            self._enter([slot], [old._paths[was]], [head])

    def names(self, slot: int) -> tuple[str, ...]:
        """What a text is called, as written but without a closing parenthesis: file name, title, aliases."""
        self.settle()
        head = self._head(slot)
        return () if head is None else _names(self._paths[slot], head)

    def _head(self, slot: int) -> Head | None:
        head = self._heads[slot] if slot < len(self._heads) else None
        return Head(head) if isinstance(head, str) else head

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

    def heads(self) -> Iterator[tuple[int, str, tuple[tuple[str, str], ...]]]:
        """Slot, path and metadata of every text."""
        self.settle()
        for slot, head in enumerate(self._heads):
            if head is not None:
                yield slot, self._paths[slot], () if isinstance(head, str) else head.fields

    @property
    def field_names(self) -> Set[str]:
        """The names of all fields that any text has."""
        self.settle()
        return {name for name, texts in self._field_names.items() if texts > 0}

    def settle(self) -> None:
        """Look at what waits."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        for texts in waiting:
            starts = [start.decode("utf-8", "ignore")[:HEAD_LENGTH] for start in texts.beginnings]
            heads = [reader.head(start) for reader, start in zip(texts.readers, starts, strict=True)]
            slots = range(texts.first, texts.first + len(heads))
            if self._gone.intersection(slots):
                known = [at for at, slot in enumerate(slots) if slot not in self._gone]
                self._enter([slots[at] for at in known], [texts.paths[at] for at in known], [heads[at] for at in known])
            else:
                self._enter(slots, texts.paths, heads)
        self._gone.clear()

    def _enter(self, slots: Sequence[int], paths: Sequence[str], heads: Sequence[Head]) -> None:
        """Note what texts say about themselves; slots rise."""
        if not slots:
            return
        more = slots[-1] + 1 - len(self._heads)
        self._paths.extend([""] * more)
        self._heads.extend([None] * more)
        others: dict[int, Sequence[str]] = {}
        for at, (slot, path, head) in enumerate(zip(slots, paths, heads, strict=True)):
            self._paths[slot], self._heads[slot] = path, head
            if head is NO_HEAD:
                continue
            if head.title or head.aliases:
                others[at] = list(map(plain_name, filter(None, (head.title, *head.aliases))))
            self._field_names.update(name for name, _ in head.fields)
            if head.description or head.tags:
                self._summaries.add(slot, head)
            elif head.title and not head.aliases and not head.fields:
                self._heads[slot] = head.title
        self._titles.add_all(slots, [plain_name(file_name(path)) for path in paths], others)


def _names(path: str, head: Head) -> tuple[str, ...]:
    title = (head.title,) if head.title else ()
    return tuple(dict.fromkeys(map(plain_name, (file_name(path), *title, *head.aliases))))
