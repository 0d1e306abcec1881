"""Where new terms lead: documents that hold a name which a proof brought, and say what the question still asks.

The second hop of a question after something was read. Links of the prior are followed before anything is known; here
the oracle has said what is proven, so a document counts by the words of the question that no proven one holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lens_lsp.corpus.scan import Hits
from lens_lsp.search.corpus import Corpus
from lens_lsp.search.measure import Floats, Measures
from lens_lsp.search.question import Question
from lens_lsp.search.signals import phrase_slots

_HELD = 0.3
"""What it is worth to hold a name, beside what of the question is new: shares of the question's idf mass."""
_WORDS = 0.5
"""What words of the names count that stand apart from one another, or in a title."""


def gain(asked: Measures, proven: Iterable[int]) -> Floats:
    """Per slot, the share of the question's idf mass that it holds and no proven slot does as fully."""
    known = asked.rows(np.array(sorted(proven), np.int64)).max(axis=0, initial=0.0)
    new = asked.idf[asked.counts.term] * np.maximum(asked.saturation() - known[asked.counts.term], 0.0)
    return np.bincount(asked.counts.slot, weights=new, minlength=len(asked.norm)) / asked.total


@dataclass(frozen=True, slots=True)
class Named:
    """New names, their words as terms of a question of their own, and what the scan found of these."""

    names: tuple[tuple[str, ...], ...]
    """Each as its words, folded."""
    question: Question
    hits: Hits
    measures: Measures


def bridges(corpus: Corpus, named: Named, alike: Floats, new: Floats) -> Floats:
    """Per slot, how well new names lead there: the rarest that stands in it, by what of the question is ``new`` there.

    ``alike`` is how well each slot fits the names' words, whatever their order.
    """
    measures = named.measures
    index = {term: place for place, term in enumerate(named.question.terms)}
    rarest = np.zeros(len(measures.norm))
    for name in named.names:
        found = phrase_slots(corpus, name, index, named.hits, measures)
        if len(found):
            rarity = float(np.log1p(measures.texts / len(found)) / np.log1p(measures.texts))
            rarest[found] = np.maximum(rarest[found], rarity)
    return np.asarray((rarest + _WORDS * alike / (float(alike.max()) or 1.0)) * (_HELD + new), np.float64)
