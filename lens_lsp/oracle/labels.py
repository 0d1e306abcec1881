"""Values that stand beside the name of what they tell: "Height: 330 m", "depth = 3", a row of a table.

A value under a label with the question's own words beats any other; a figure in an address or link target is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import STOP_WORDS, key, stem

_LABEL = regex(r"^[ \t]*(?:[-*+>|#][ \t]+|[|])*[*_`\"]*(?P<label>\w[\w /().-]{0,40}?)[*_`\"]*[ \t]*[:=|：][*_`]*[ \t]*")
_FIELD = regex(r"\s*(?:[-*+] )?[*_]*\w[\w -]{0,30}[*_]*:[*_]*\s+\S")
_ADDRESS = regex(r"https?://\S+|\]\([^)\s]*\)|^\s*\[[^\]]+\]:\s*\S+", re.MULTILINE)
_ENOUGH = 0.5
_FEWEST = 2
_FIRST = 3


def label_of(text: str, at: int) -> str | None:
    """The label that a place in a text stands under, in the same line; None when there is none."""
    begin = text.rfind("\n", 0, at) + 1
    match = _LABEL.match(text[begin:at])
    return match["label"] if match is not None else None


def fitness(label: str | None, asked: frozenset[str]) -> float:
    """The share of a label's words that are asked for; ``asked`` holds stems."""
    words = [stem(word) for word in key(label or "").split() if word not in STOP_WORDS]
    return sum(word in asked for word in words) / len(words) if words else 0.0


def _score(label: str | None, asked: frozenset[str], subject: frozenset[str]) -> float:
    named = bool(subject) and subject <= {stem(word) for word in key(label or "").split()}
    return 1.0 if named else fitness(label, asked - subject)


def under_label(
    text: str, places: Sequence[int], asked: frozenset[str], subject: frozenset[str] = frozenset()
) -> list[int]:
    """The indices of the places that stand under the label that fits best; all outside of addresses when none does.

    A label that holds all stems of the ``subject`` fits, too; a part of them ("The bell tower") names another one.
    """
    scores = [_score(label_of(text, at), asked, subject) for at in places]
    most = max(scores, default=0.0)
    if most >= _ENOUGH:
        return [index for index, score in enumerate(scores) if score == most]
    spans = [match.span() for match in _ADDRESS.finditer(text)]
    plain = [i for i, at in enumerate(places) if not any(start <= at < end for start, end in spans)]
    return plain or list(range(len(places)))


def fields(units: Sequence[str]) -> list[bool]:
    """Which units are lines of a document's head, such as "Status: draft": several in a row near its beginning."""
    found = [_FIELD.match(text) is not None and "\n" not in text.strip() for text in units]
    begin = next((index for index, field in enumerate(found[:_FIRST]) if field), None)
    if begin is None:
        return [False] * len(units)
    end = next((index for index in range(begin, len(found)) if not found[index]), len(found))
    return [begin <= index < end and end - begin >= _FEWEST for index in range(len(units))]
