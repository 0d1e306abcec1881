"""Where a question's terms stand in a text: the rules of the scan (corpus.scan), for one text and in plain Python.

A word is looked for by its light stem from word start, in scripts without spaces as it is. Beyond the scan, a term
also stands where an irregular form or the noun of an adjective stands ("bought" for "buy", "height" for "tall").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import FOLDED, MAX_SUFFIX, fold, stem
from lens_lsp.oracle.lexicon import BASES, SAME

_OTHER_SUFFIX = 4
"""Letters that may follow a stem in Greek, Cyrillic and other scripts with spaces."""
_BEYOND = "\u0800"
"""From here on characters take three bytes: the scan looks for such words as they are."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which a term is written: ``root`` from word start, then at most ``suffix`` letters.

    A negative ``suffix``: anywhere, as scripts without spaces need it.
    """

    root: str
    suffix: int


@lru_cache(maxsize=1 << 12)
def forms(term: str, *, name: bool = False) -> tuple[Form, ...]:
    """How a folded term may be written; part of a name, only as the scan finds it."""
    if term.isascii():
        root = stem(BASES.get(term, term))
        roots = [stem(term)] if name else dict.fromkeys((stem(term), root, *SAME.get(root, ())))
        return tuple(Form(each, 0 if term.isdigit() or len(each) < 3 else MAX_SUFFIX) for each in roots)
    if all(char < _BEYOND for char in term):
        return (Form(term[: -3 if len(term) > 7 else -2] if len(term) > 5 else term, _OTHER_SUFFIX),)
    return (Form(term, -1),)


def places(folded: str, form: Form) -> Iterator[int]:
    """Offsets in a folded text where a form stands, in order."""
    root, size = form.root, len(form.root)
    at = folded.find(root)
    while at >= 0:
        if form.suffix < 0 or (_is_start(folded, at) and _ends(folded, at + size, form.suffix)):
            yield at
        at = folded.find(root, at + size)


def _is_start(folded: str, at: int) -> bool:
    return at == 0 or not _joins(folded[at - 1], folded[at])


def _ends(folded: str, at: int, suffix: int) -> bool:
    """Whether a word ends within ``suffix`` letters."""
    last = folded[at - 1]
    for offset in range(at, min(at + suffix + 1, len(folded))):
        if not _joins(folded[offset], last):
            return True
    return at + suffix >= len(folded)


def _joins(char: str, other: str) -> bool:
    """Whether two characters belong to one word; words of two ways of writing may touch."""
    return char.isalnum() and char.isascii() == other.isascii() and char < _BEYOND


def occurrences(folded: str, terms: Sequence[Sequence[Form]]) -> list[tuple[int, int]]:
    """Every (offset, index of the term) in order of offset."""
    found = [(at, index) for index, known in enumerate(terms) for form in known for at in places(folded, form)]
    found.sort()
    return found


def held(folded: str, terms: Sequence[Sequence[Form]]) -> int:
    """Which terms stand in a folded text, as bits."""
    bits = 0
    for index, known in enumerate(terms):
        if any(next(places(folded, form), None) is not None for form in known):
            bits |= 1 << index
    return bits


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and the way back to the offsets of the text."""

    text: str
    origin: tuple[int, ...] | None
    """For each folded character the offset it came from; None when they are the same."""

    def source(self, at: int) -> int:
        """The offset in the text that a folded offset came from."""
        return at if self.origin is None or at >= len(self.origin) else self.origin[at]


def folded(text: str) -> Folded:
    """A text folded for comparison."""
    plain = fold(text)
    if len(plain) == len(text):
        return Folded(plain, None)
    origin: list[int] = []
    for offset, char in enumerate(text):
        origin.extend([offset] * len(FOLDED[char]))
    return Folded(plain, tuple(origin))


def tightest(hits: Sequence[tuple[int, int]], wanted: int) -> int:
    """Code points from the first to the last hit of the shortest stretch that holds every wanted term; 0 if none."""
    need = wanted.bit_count()
    counts: dict[int, int] = {}
    best, left = 0, 0
    relevant = [(at, index) for at, index in hits if wanted >> index & 1]
    for at, index in relevant:
        counts[index] = counts.get(index, 0) + 1
        while len(counts) == need:
            width = at - relevant[left][0]
            best = width if not best or width < best else best
            first = relevant[left][1]
            counts[first] -= 1
            if not counts[first]:
                del counts[first]
            left += 1
    return best


WORDS = regex(r"[^\W_]+(?:['’][^\W_]+)?")
"""Words of a folded text with their apostrophes."""
