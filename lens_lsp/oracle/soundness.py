"""What speaks against a passage that holds most of a question's words: negation, opposites, what it does not say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lens_lsp.domain.plan import Requirement
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import fold
from lens_lsp.oracle.lexicon import NEGATIONS, UNSPACED_NEGATIONS
from lens_lsp.oracle.matching import WORDS, held
from lens_lsp.oracle.weights import Need

_NEGATED = 25
_CONDITION = regex(r"\b(?:if|when|where|unless|without|while)\b.*")


def lack(need: Need, mask: int) -> float:
    """The weight of the heaviest term that neither the window nor what stands above it holds."""
    heaviest, lacking = max(need.weights), need.bits & need.words & ~(mask | need.measured | need.named)
    missing = (weight for i, weight in enumerate(need.weights) if lacking >> i & 1)
    return max(missing, default=0.0) / heaviest if heaviest else 0.0


def opposed(need: Need, mask: int, text: str) -> bool:
    """Whether a text lacks a number or superlative of the question, or says the opposite of a word that it lacks."""
    words = set(WORDS.findall(text))
    if need.numbers & ~mask or any(words.isdisjoint(extreme) for extreme in need.extremes):
        return True
    return any(not mask & bit and held(text, (opposite,)) for bit, opposite in need.opposites)


def denies(plain: str, hits: Iterable[int], requirement: Requirement) -> bool:
    """Whether just one of the two, the requirement or the window around its matched terms, is negated.

    A requirement that only speaks of what is not given ("if no size is set") says nothing about negation.
    """
    asks = fold(requirement.text)
    main = _CONDITION.sub(" ", asks)
    asked = _negates(main)
    if not asked and _negates(asks):
        return False
    places = [match.start() for match in WORDS.finditer(plain) if match.group().replace("’", "'") in NEGATIONS]
    if not plain.isascii():
        places += [match.start() for negation in UNSPACED_NEGATIONS for match in re.finditer(negation, plain)]
    return asked is not any(0 <= at - place <= _NEGATED for place in places for at in hits)


def _negates(folded: str) -> bool:
    return any(word.replace("’", "'") in NEGATIONS for word in WORDS.findall(folded))
