"""Articles and pages of documentation for where the data sets are not at hand: made-up words, as often as real ones.

The words of a vocabulary follow Zipf's law; names recur in other texts than their own, so that there are links to
follow; every term of `queries` occurs. The same count gives the same bytes. Quality is never measured on them.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence

SEED = 20_240_607
_VOCABULARY = 30_000
_ONSETS = (
    "b",
    "br",
    "c",
    "ch",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "st",
    "t",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "io", "ou")
_ENDS = ("", "", "n", "r", "s", "l", "t", "nd", "st", "m")
_ARTICLE = 90
"""Words of an article in the mean; a page has nine times as many."""
_PAGE = 9 * _ARTICLE
_SPREAD = 0.6
_EACH = 40
"""A paragraph in so many holds one of the terms, besides those that stand in it once around."""


def article_texts(count: int, terms: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names of files and texts: a title, and one paragraph about it."""
    words = _Words(SEED)
    titles = [words.name() for _ in range(count)]
    for number, title in enumerate(titles):
        body = words.paragraph(
            words.length(_ARTICLE), [title, words.chance.choice(titles)], _term(number, terms, words)
        )
        yield f"{number:06d}.txt", f"{title}\n\n{body}\n"


def page_texts(count: int, terms: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names of files below folders, and Markdown with headings, paragraphs and code."""
    words = _Words(SEED + 1)
    titles = [words.name() for _ in range(count)]
    for number, title in enumerate(titles):
        parts = [f"# {title}"]
        left = words.length(_PAGE)
        for section in itertools.count():
            if left <= 0:
                break
            size = min(left, words.length(_ARTICLE))
            left -= size
            names = [title, words.chance.choice(titles)]
            parts += [f"## {words.name()}", words.paragraph(size, names, _term(number + section, terms, words))]
        parts.append(f"```cpp\nint {words.word()}({words.word()});\n```")
        yield f"{number // 50:03d}/{number:05d}.md", "\n\n".join(parts) + "\n"


def questions(texts: Iterator[tuple[str, str]], count: int) -> list[str]:
    """Questions about the first texts, by the names that stand in them."""
    titles = [text.split("\n", 1)[0].lstrip("# ") for _, text in itertools.islice(texts, 2 * count)]
    pairs = zip(titles[::2], titles[1::2], strict=True)
    return [f"Which place is named by both {one} and {other}?" for one, other in pairs]


def _term(number: int, terms: Sequence[str], words: _Words) -> str | None:
    """Every term once around, then now and then one of them."""
    if number < 2 * len(terms):
        return terms[number % len(terms)]
    return words.chance.choice(terms) if words.chance.randrange(_EACH) == 0 else None


class _Words:
    """A vocabulary and what is made of it."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._all = list(dict.fromkeys(self._made() for _ in range(_VOCABULARY)))
        self._weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(self._all))))

    def word(self) -> str:
        return self.chance.choices(self._all, cum_weights=self._weights)[0]

    def name(self) -> str:
        return " ".join(self.chance.choice(self._all).capitalize() for _ in range(2))

    def length(self, mean: int) -> int:
        return max(8, round(self.chance.lognormvariate(math.log(mean) - _SPREAD**2 / 2, _SPREAD)))

    def paragraph(self, size: int, names: Sequence[str], term: str | None) -> str:
        words = self.chance.choices(self._all, cum_weights=self._weights, k=size)
        for part in (*names, *([] if term is None else [term])):
            words.insert(self.chance.randrange(len(words)), part)
        starts = range(0, len(words), 14)
        return " ".join(f"The {' '.join(words[start : start + 14])}." for start in starts)

    def _made(self) -> str:
        syllables = self.chance.choice((1, 2, 2, 3))
        parts = (self.chance.choice(_ONSETS) + self.chance.choice(_VOWELS) for _ in range(syllables))
        return "".join(parts) + self.chance.choice(_ENDS)
