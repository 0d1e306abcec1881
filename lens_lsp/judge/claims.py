"""Which words of a sentence the passages it cites do not support.

No model judges: numbers, dates, units and names must stand in the passages, negations and opposites must agree with
them, and what limits a quote must not be lost. Negations, limits and capitalised names are read in English only; the
rest holds in every language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lens_lsp.judge.exchanges import exchanged
from lens_lsp.judge.limits import unlimited
from lens_lsp.judge.names import unnamed
from lens_lsp.judge.passage import Ground, Passage, Sentence, ground_of, sentence_of
from lens_lsp.judge.polarity import NEGATORS, UNSPACED_NEGATIONS, contrary
from lens_lsp.judge.quantities import unheld
from lens_lsp.judge.tokens import tokens_of
from lens_lsp.model.text import Span, sentences

_LIMITS = """
all always every any each only must should may might some sometimes usually often most mostly generally typically least
exactly unless except if entirely fully alone
"""
_LIMITING = frozenset(_LIMITS.split())
"""Words that say of how much something holds."""


class Reason(StrEnum):
    """What is wrong with words that no passage supports."""

    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    """The passages say the opposite."""
    LIMIT = "limit"
    """The passages say less: of some, sometimes, or on a condition."""
    MEANING = "meaning"
    """The passages do not say so. No rule sees this."""


LITERAL = frozenset({Reason.NUMBER, Reason.UNIT, Reason.DATE})
"""What is compared letter by letter: no judge overrules the rules there."""


@dataclass(frozen=True, slots=True, order=True)
class Doubt:
    """Words of a sentence that its passages do not support: their place in it, and what is wrong with them."""

    span: Span
    reason: Reason


def check(text: str, passages: Sequence[Passage]) -> tuple[Doubt, ...]:
    """The words of a sentence that the passages it cites do not support, in order; none where all are supported.

    Markers of citations are no part of the sentence.
    """
    if _is_quoted(text, passages):
        return ()
    doubts = set(_doubts(sentence_of(text), ground_of(passages)))
    return tuple(sorted(doubts))


def is_arguable(text: str, passages: Sequence[Passage]) -> bool:
    """Whether rules tell too little of a sentence: it or what it cites denies something, or it generalises or limits
    what it cites by a word that does not stand there. A sentence that is quoted is beyond doubt."""
    if _is_quoted(text, passages):
        return False
    quotes = "\n".join(passage.quote for passage in passages)
    said, cited = _words(text), _words(quotes)
    unspaced = any(negation in text or negation in quotes for negation in UNSPACED_NEGATIONS)
    return unspaced or any(map(_negates, said | cited)) or bool((said - cited) & _LIMITING)


def check_short(text: str, passages: Sequence[Passage]) -> tuple[Doubt, ...]:
    """The numbers, dates, units and names of a short answer that no passage holds, in order. It is no sentence: what it
    says of them stands in the question."""
    return tuple(sorted(set(_beyond(sentence_of(text), ground_of(passages)))))


def _beyond(sentence: Sentence, ground: Ground) -> Iterator[Doubt]:
    """What stands in no passage at all."""
    yield from (Doubt(span, Reason(kind)) for span, kind in unheld(sentence, ground))
    yield from (Doubt(span, Reason.NAME) for span in unnamed(sentence, ground))


def _doubts(sentence: Sentence, ground: Ground) -> Iterator[Doubt]:
    yield from _beyond(sentence, ground)
    yield from (Doubt(span, Reason.NUMBER) for span in exchanged(sentence, ground))
    if sentence.english:
        yield from (Doubt(span, Reason.NEGATION) for span in contrary(sentence, ground))
        yield from (Doubt(span, Reason.LIMIT) for span in unlimited(sentence, ground))


def _words(text: str) -> set[str]:
    return {token.word.replace("’", "'") for token in tokens_of(text)}


def _negates(word: str) -> bool:
    return word in NEGATORS or word.endswith("n't")


def _is_quoted(text: str, passages: Sequence[Passage]) -> bool:
    """Whether a sentence is a whole quote or a whole sentence of one, but for white space."""
    own = " ".join(text.split())
    for passage in passages:
        spans = (Span(0, len(passage.quote)), *sentences(passage.quote, Span(0, len(passage.quote))))
        if any(own == " ".join(passage.quote[span.start : span.end].split()) for span in spans):
            return True
    return False
