"""Documents that were not read yet, and which of them a question should have read first.

Names cost nothing, titles and outlines next to nothing, texts cost seconds: so the documents that are called like the
question, or say that they are about it, come first, among them those of late. Where nothing tells, the small ones do:
most of them are read in the same time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lens_lsp.corpus.listings import Identity
from lens_lsp.corpus.texts import Key
from lens_lsp.documents.frames import MOST_AT_ONCE
from lens_lsp.documents.kinds import INSTALL, DocumentKind, kind_for
from lens_lsp.model.documents import Skip, SkipReason
from lens_lsp.model.words import STOP_WORDS, bigrams, key, runs, stem

_FOLDER = 0.5
"""What a word of a folder's name counts beside one of the document's own."""


_SAID = 0.75
"""What a word of its title or outline counts."""
_GLANCED = 4 << 20
"""Bytes of a document that is glanced at, and of those that are at once."""
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Name:
    """The stems of a document's name, of its folders, and what identifies its content."""

    own: frozenset[str]
    folders: frozenset[str]
    identity: Identity
    said: frozenset[str] | None = None
    """Those of what it says of itself; None until somebody looked."""

    def mass(self, worth: Mapping[str, float]) -> float:
        """How much of what is wanted it is about: each word once, where it counts most."""
        # Sums over sets are exact: their order differs between runs.
        return math.fsum(
            value * (1.0 if word in self.own else _SAID if word in (self.said or _NOTHING) else _FOLDER)
            for word, value in worth.items()
            if word in self.own or word in self.folders or word in (self.said or _NOTHING)
        )


class Unread:
    """Documents by root and path. No disk."""

    def __init__(self) -> None:
        self._names: dict[Key, _Name] = {}

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[Key]:
        return iter(self._names)

    def add(self, key: Key, identity: Identity) -> None:
        """A document is there and was not read."""
        folders, _, name = key[1].rpartition("/")
        own = frozenset(_stems(name.rpartition(".")[0]))
        self._names[key] = _Name(own, frozenset(_stems(folders)) - own, identity)

    def discard(self, key: Key) -> None:
        """It was read, or is gone."""
        self._names.pop(key, None)

    def called(self, name: str) -> list[Key]:
        """Those whose own name stands in a text as a whole, by root and path."""
        words = frozenset(_stems(name))
        return sorted(known for known, its in self._names.items() if its.own and its.own <= words)

    def order(self, question: str) -> list[Key]:
        """All of them, the one to read first in front; equal ones by root and path."""
        wanted = _wanted(question)
        holders = Counter(
            word
            for name in self._names.values()
            for word in wanted & (name.own | name.folders | (name.said or _NOTHING))
        )
        worth = {word: math.log1p(len(self._names) / count) for word, count in holders.items()}

        def rank(known: Key) -> tuple[float, int, int, Key]:
            name = self._names[known]
            mass = name.mass(worth)
            size, modified = name.identity[:2]
            return (-mass, -modified, size, known) if mass else (0.0, size, -modified, known)

        return sorted(self._names, key=rank)

    def to_glance(self, question: str) -> Iterator[tuple[DocumentKind, Sequence[Key]]]:
        """Those that nobody has glanced at, in the same order and some of a kind at a time.

        None where a name already holds all of the question.
        """
        wanted = _wanted(question)
        if any(wanted <= name.own for name in self._names.values()):
            return
        batches: dict[DocumentKind, list[Key]] = {}
        sizes: Counter[DocumentKind] = Counter()
        for known in self.order(question):
            name, kind = self._names[known], kind_for(known[1])
            if name.said is not None or kind is None or not kind.glances or name.identity[0] > _GLANCED:
                continue
            batch = batches.setdefault(kind, [])
            batch.append(known)
            sizes[kind] += name.identity[0]
            if len(batch) == MOST_AT_ONCE or sizes[kind] > _GLANCED:
                yield kind, batches.pop(kind)
                sizes[kind] = 0
        yield from batches.items()

    def glanced(self, known: Key, said: str) -> None:
        """A document says this of itself."""
        self._names[known] = replace(self._names[known], said=frozenset(_stems(said)))


def notices(skips: Iterable[Skip]) -> list[str]:
    """What a user should be told of documents that were not read, a sentence for each thing that can be done."""
    found = Counter(skip.reason for skip in skips)
    told = []
    if missing := found[SkipReason.NO_READER]:
        told.append(f"{_some(missing)} not read: {INSTALL}")
    if late := found[SkipReason.NOT_READ]:
        naming = "it as a path" if late == 1 else "them as paths"
        told.append(f"{_some(late)} not read within the time: ask again, or name {naming}")
    return told


def _wanted(question: str) -> frozenset[str]:
    return frozenset(_stems(question)) - STOP_WORDS


def _some(count: int) -> str:
    return f"{count:,} document was" if count == 1 else f"{count:,} documents were"


def _stems(text: str) -> Sequence[str]:
    folded = key(text)
    if folded.isascii():
        words = folded.split(" ")
    else:
        words = [part for run in runs(folded) for part in ([run.text] if run.spaced else bigrams(run.text))]
    return [stem(word) for word in words if word and word not in STOP_WORDS]
