"""Exact match and F1 of a short answer, as the official scripts of the question sets count them, from 0 to 1.

Both scripts compare words after the same normalisation; of several gold answers the best one counts. They differ twice.
HotpotQA's gives no partial credit where either side is ``yes``, ``no`` or ``noanswer``. SQuAD's compares two answers of
which one has no words left as a whole, and takes a question without gold answers as one that must not be answered.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = frozenset(string.punctuation)
_CLOSED = frozenset({"yes", "no", "noanswer"})


class Script(StrEnum):
    """Whose counting: that of HotpotQA, which 2WikiMultihopQA took over, or that of SQuAD, which MuSiQue did."""

    HOTPOTQA = "hotpotqa"
    SQUAD = "squad"


def normalised(answer: str) -> str:
    """Lower case, no ASCII punctuation, no English articles, single spaces. Both scripts have this function."""
    kept = "".join(letter for letter in answer.lower() if letter not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", kept).split())


def exact_match(said: str, gold: Sequence[str], script: Script = Script.HOTPOTQA) -> float:
    """1 when the answer is a gold one after normalisation."""
    return float(any(normalised(said) == normalised(one) for one in _accepted(gold, script)))


def f1(said: str, gold: Sequence[str], script: Script = Script.HOTPOTQA) -> float:
    """The harmonic mean of the shares of words in common, with the best of the gold answers."""
    return max((_f1(normalised(said), normalised(one), script) for one in _accepted(gold, script)), default=0.0)


def _accepted(gold: Sequence[str], script: Script) -> list[str]:
    """The gold answers that are compared with."""
    if script is Script.HOTPOTQA:
        return list(gold)
    return [one for one in gold if normalised(one)] or [""]


def _f1(said: str, gold: str, script: Script) -> float:
    if script is Script.HOTPOTQA and said != gold and not _CLOSED.isdisjoint((said, gold)):
        return 0.0
    ours, theirs = said.split(), gold.split()
    if script is Script.SQUAD and not (ours and theirs):
        return float(ours == theirs)
    shared = (Counter(ours) & Counter(theirs)).total()
    return 2 * shared / (len(ours) + len(theirs)) if shared else 0.0
