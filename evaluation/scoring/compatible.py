"""Evidence recall and ground as the paper's published code counts them, for a column beside the strict ones.

They let much through. A gold sentence counts as found when three fifths of its words stand anywhere in one text that an
arm shows; of an arm that shows no texts, when a title that it merely lists is part of the gold title or the other way
round. An answer counts as grounded when it is not empty and any such title is listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

ENOUGH = 0.6
"""The share of a gold sentence's different words that one text must hold."""
_WORD = re.compile(r"\w+")


def evidence_recall(texts: Sequence[str], listed: Sequence[str], gold: Sequence[str], titles: Sequence[str]) -> float:
    """The share of ``gold`` sentences found in the texts an arm shows, of one that shows none that of titles."""
    if not texts:
        return sum(_is_listed(title, listed) for title in titles) / len(titles)
    shown = [_words(text) for text in texts]
    return sum(_is_found(_words(sentence), shown) for sentence in gold) / len(gold)


def ground(answer: str, listed: Sequence[str], titles: Sequence[str]) -> float:
    """1 when the answer is not empty and any gold title is listed."""
    return float(bool(answer.strip()) and any(_is_listed(title, listed) for title in titles))


def _is_found(sentence: frozenset[str], shown: Sequence[frozenset[str]]) -> bool:
    return any(len(sentence & words) >= ENOUGH * len(sentence) for words in shown)


def _is_listed(title: str, listed: Sequence[str]) -> bool:
    """Whether a gold path names a listed one, or a folder of it, or is named by it."""
    wanted = _name(title.rsplit("/", 1)[-1])
    names = {_name(part) for path in listed for part in path.split("/")}
    return any(wanted in name or name in wanted for name in names if name)


def _name(part: str) -> str:
    return " ".join(_WORD.findall(part.casefold().replace("_", " ")))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
