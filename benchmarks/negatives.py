"""Questions that look like another and ask something else: made from real questions by one change of meaning.

Each kind changes what the answer is: another entity, number, date, a negation, or the relation turned round. A change
that may leave the meaning as it is (two names beside an "or") is not made.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_NAME = re.compile(r"(?<!^)(?<![.?!] )\b[A-Z][\w'’.-]+(?: (?:of |the |de |and )?[A-Z][\w'’.-]+)*")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
_MONTH = re.compile(rf"\b(?:{'|'.join(month for month in _MONTHS if month != 'May')})\b")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?![\w]|[.,]\d)")
_AUXILIARY = re.compile(r"\b(is|are|was|were|does|did|do|has|have|had|can|could|should|must|may|will|would)\b")
_TURNED = [
    ("before", "after"), ("older", "younger"), ("earlier", "later"), ("more", "fewer"), ("larger", "smaller"),
    ("higher", "lower"), ("first", "last"), ("longest", "shortest"), ("largest", "smallest"), ("oldest", "youngest"),
    ("north", "south"), ("east", "west"), ("above", "below"), ("born", "buried"), ("won", "lost"), ("father", "son"),
    ("mother", "daughter"), ("husband", "brother"), ("wife", "sister"), ("with", "without"), ("wrote", "edited"),
    ("directed", "produced"), ("founded", "sold"), ("maximum", "minimum"), ("increase", "decrease"),
    ("enable", "disable"), ("input", "output"), ("read", "write"), ("start", "end"), ("parent", "child"),
]  # fmt: skip
_OPPOSITE = {**dict(_TURNED), **{b: a for a, b in _TURNED}}
_WORD = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(_OPPOSITE)))})\b")


@dataclass(frozen=True, slots=True)
class Negative:
    """``question`` differs from ``asked`` in what it asks, by one change of this kind."""

    kind: str
    asked: str
    question: str


def negatives(questions: Sequence[str], seed: int = 0) -> Iterator[Negative]:
    """Every question with every change that applies to it, once per kind; equal seeds give equal changes."""
    rng = random.Random(seed)
    names = sorted({match.group() for question in questions for match in _NAME.finditer(question)})
    changes: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("entity", lambda question: _renamed(question, names, rng)),
        ("number", lambda question: _NUMBER.sub(lambda match: str(int(match.group()) + 1), question, count=1)),
        ("date", lambda question: _redated(question, rng)),
        ("negation", lambda question: _AUXILIARY.sub(r"\1 not", question, count=1)),
        ("relation", lambda question: _WORD.sub(lambda match: _OPPOSITE[match.group()], question, count=1)),
        ("roles", _swapped),
    )
    for asked in questions:
        for kind, change in changes:
            question = change(asked)
            if question != asked:
                yield Negative(kind, asked, question)


def _renamed(question: str, names: Sequence[str], rng: random.Random) -> str:
    found = list(_NAME.finditer(question))
    if not found:
        return question
    match = rng.choice(found)
    other = rng.choice([name for name in names if name.casefold() != match.group().casefold()])
    return question[: match.start()] + other + question[match.end() :]


def _redated(question: str, rng: random.Random) -> str:
    year = _YEAR.search(question)
    if year is not None:
        return question[: year.start()] + str(int(year.group()) + rng.choice((-10, -1, 1, 10))) + question[year.end() :]
    month = _MONTH.search(question)
    if month is None:
        return question
    other = _MONTHS[(_MONTHS.index(month.group()) + rng.randint(1, 11)) % 12]
    return question[: month.start()] + other + question[month.end() :]


def _swapped(question: str) -> str:
    """Two names in each other's place; not where they stand side by side as equals."""
    found = list(_NAME.finditer(question))
    for one, other in pairwise(found):
        between = question[one.end() : other.start()]
        if re.search(r"\b(?:and|or|vs|versus|nor|with|than)\b|,|&", between) or len(between) < 3:
            continue
        if one.group().casefold() == other.group().casefold():
            continue
        return question[: one.start()] + other.group() + between + one.group() + question[other.end() :]
    return question
