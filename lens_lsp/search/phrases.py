"""Which texts hold a phrase word for word, noted while they pass: texts that are not kept in memory are read once for
all terms of a question, and would be read once more for each phrase of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.folding import Bytes, Chunk, Ints
from lens_lsp.corpus.scan import Hits

Phrase = tuple[str, ...]
"""Two words or more, or a name of one, folded."""
_GAP = 3
"""Characters that may stand between two words."""


def phrase_pattern(phrase: Phrase) -> bytes:
    """Words in this order with at most three characters that are no letters or digits between them."""
    return rb"(?<![a-z0-9])" + rb"[^a-z0-9]{1,3}".join(re.escape(word.encode()) for word in phrase)


@dataclass(frozen=True, slots=True)
class Around:
    """A word of a phrase, and how the phrase is looked for around it."""

    term: int
    pattern: re.Pattern[bytes]
    before: int
    """Bytes of the text in front of the word's beginning that may belong to the phrase."""
    after: int
    word: bytes
    last: int | None
    """The last byte of the word before it."""
    first: int | None
    """The first byte of the word behind it."""

    @classmethod
    def of(cls, phrase: Phrase, word: str, term: int) -> Around:
        """For the first place of ``word`` in the phrase; ``term`` is the word's number in what is scanned for."""
        at, data = phrase.index(word), [one.encode() for one in phrase]
        return cls(
            term=term,
            pattern=re.compile(phrase_pattern(phrase)),
            before=sum(len(one) + _GAP for one in data[:at]) + 1,
            after=sum(len(one) + _GAP for one in data[at:]) + 1,
            word=data[at],
            last=data[at - 1][-1] if at else None,
            first=data[at + 1][0] if at + 1 < len(data) else None,
        )

    def stands(self, text: Bytes, at: int) -> bool:
        """Whether the phrase stands around a place of a text where its word was found."""
        return self.pattern.search(text[max(0, at - self.before) : at + self.after].tobytes()) is not None

    def likely(self, data: Bytes, where: Ints) -> NDArray[np.bool_]:
        """Which of some places are worth a closer look: the word ends as it must, its neighbours begin or end so."""
        last, end = len(data) - 1, where + len(self.word)
        fits: NDArray[np.bool_] = data[np.minimum(end - 1, last)] == self.word[-1]
        if self.first is not None:
            fits &= _any(data[np.minimum(end + gap, last)] == self.first for gap in range(1, _GAP + 1))
        if self.last is not None:
            fits &= _any(data[np.maximum(where - 1 - gap, 0)] == self.last for gap in range(1, _GAP + 1))
        return fits


@dataclass(slots=True)
class Phrases:
    """The phrases that were looked for in passing texts, and the slots that hold them."""

    _found: dict[tuple[Phrase, str], set[int]] = field(default_factory=dict)

    def watch(self, phrases: Iterable[Phrase], index: Mapping[str, int]) -> Callable[[Chunk, Hits], None]:
        """What a scan tells of each passing chunk; ``index`` gives the terms by their words."""
        wanted = [
            (self._found.setdefault((phrase, word), set()), Around.of(phrase, word, index[word]))
            for phrase in dict.fromkeys(phrases)
            for word in dict.fromkeys(phrase)
            if word in index
        ]
        return partial(_note, wanted)

    def passing(self, phrase: Phrase, word: str) -> set[int] | None:
        """The slots of passing texts that hold a phrase around a place of one of its words; None if it was not
        watched."""
        return self._found.get((phrase, word))


def _note(wanted: list[tuple[set[int], Around]], chunk: Chunk, hits: Hits) -> None:
    """Look around the hits of one chunk."""
    row = np.searchsorted(chunk.slots, hits.slot)
    where = chunk.starts[row] + hits.at
    ends = np.append(chunk.starts[1:], len(chunk.data)) - 1
    for found, around in wanted:
        chosen = np.flatnonzero(hits.term == around.term)
        chosen = chosen[around.likely(chunk.data, where[chosen])]
        for text, at in zip(row[chosen].tolist(), hits.at[chosen].tolist(), strict=True):
            slot = int(chunk.slots[text])
            if slot not in found and around.stands(chunk.data[int(chunk.starts[text]) : int(ends[text])], at):
                found.add(slot)


def _any(masks: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.logical_or.reduce(list(masks))
    return found
