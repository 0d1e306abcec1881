"""Early evidence of a large workspace, shown before all of it was read or counted.

`EarlySearch` looks for the rarest words of the question and for names of files alone: words that stand in every second
file cost most of a scan and tell least. `EarlyEvidenceTimer` says when to look at what was read so far. What is shown
this way is verified like all evidence, but nothing of the search rests on it. So it may be looked for in what the last
question left in memory, before the disk was looked at: what changed since then does not hold any more.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Set
from dataclasses import replace
from itertools import chain, takewhile
from typing import Any

import numpy as np

from lens_lsp.corpus.safe_open import Key
from lens_lsp.corpus.scan import Hits, scan
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.documents import Evidence
from lens_lsp.model.plan import Plan
from lens_lsp.search.corpus_view import DocumentAccess, Floats, Ints, Measures, inverse_frequency, measure
from lens_lsp.search.localisation import Scored, as_evidence, passages_of, windows_of
from lens_lsp.search.passages import ScoredPassage, Weights, count
from lens_lsp.search.prior import NAMES, TITLES, name_scores, prior, title_scores
from lens_lsp.search.question import prepare

_SHOWN = 3
_CONSIDERED = 10
"""Documents that are read for what is shown."""
_WINDOWS = 100
_MEASURED = 50
"""Documents that are measured by all terms."""
_SAMPLED = 251
"""One text in so many is in the sample. Which ones depends on the texts alone, not on when they were read."""
_MOST_HITS = 50_000
"""Occurrences that a first scan may find, by the sample: each costs a third of a microsecond."""
_MOST_TERMS = 8
_SHORTEST = 4
"""Bytes of a term: shorter ones are looked for in a pass of their own."""
_FEWEST_SAMPLED = 400
"""Texts in the sample, where there are so many."""
_MOST_SAMPLED = 8 << 20
"""Bytes of the sample: of very long texts it holds the first."""
_AT_ONCE = 1 << 20
"""Bytes of the promising texts that are scanned in one go."""
_PATIENCE = 1.0
"""Seconds after which no further text is read from the disk: something to read now beats something better later."""
_AFTER = 1.0
"""Seconds of reading before the first look."""
_LEFT = 1.0
"""Seconds that reading goes on for by all appearances: with fewer a look at everything comes as soon."""


class EarlySearch:
    """One look at the texts, by a reading of its own: what it reads was not read for the answer.

    Those that are not kept in memory are looked at as far as ``patience`` seconds go. ``counts`` says of a file whether
    it may be shown; by default all may.
    """

    def __init__(
        self,
        plan: Plan,
        reading: DocumentAccess,
        *,
        ablate: Set[str] = frozenset(),
        cancelled: Callable[[], bool] | None = None,
        patience: float = _PATIENCE,
        counts: Callable[[Key], bool] = lambda _: True,
    ) -> None:
        self._question = replace(prepare(plan), related=())
        self._reading = reading
        self._corpus = reading.corpus
        self._cache = reading.corpus.cache
        self._lengths = self._cache.arena.lengths()
        self._ablate = {*ablate, "links"}
        self._cancelled = cancelled
        self._patience = patience
        self._counts = counts

    def evidence(self) -> list[Evidence]:
        """The best few windows whose text still stands where it was found, numbered from 1, for no requirement."""
        frequency, rare = self._sample()
        measures = self._measured(self._everywhere(rare), frequency)
        frequency[rare] = measures.frequency[rare]
        candidates = self._promising(measures)
        if not len(candidates) or (self._cancelled is not None and self._cancelled()):
            return []
        run = np.cumsum(self._lengths[candidates]) // _AT_ONCE
        parts = np.split(candidates, np.flatnonzero(np.diff(run)) + 1)
        hits = scan([self._cache.together(part) for part in parts], self._question.literals, cancelled=self._cancelled)
        measures = self._measured(hits, frequency)
        ranking = prior(self._corpus, self._question, hits, measures, ablate=self._ablate)
        found: list[Evidence] = []
        for passage in self._passages(candidates, hits, measures):
            if not self._counts(self._reading.text(passage.slot).key):
                continue
            item = as_evidence(self._reading, passage, len(found) + 1, ranking.shares(passage.slot), ())
            if item is not None:
                found.append(item)
            if len(found) == _SHOWN:
                break
        return found

    def _sample(self) -> tuple[Floats, list[int]]:
        """In how many texts each term stands, by a sample, and the terms to look for everywhere: the rarest ones."""
        texts = self._sampled()
        terms = len(self._question.terms)
        if not len(texts):
            return np.zeros(terms), list(range(min(terms, _MOST_TERMS)))
        hits = scan([self._cache.together(texts)], self._question.literals)
        counted = measure(hits, terms, self._lengths, self._cache.live)
        frequency = np.asarray(counted.frequency * (self._cache.live / len(texts)), np.float64)
        share = int(self._lengths.sum()) / int(self._lengths[texts].sum())
        places = np.bincount(hits.counts.term, weights=hits.counts.count, minlength=terms) * share
        literals = self._question.literals
        longer = [term for term in range(terms) if len(literals[term][0].data) >= _SHORTEST]
        order = sorted(longer or range(terms), key=lambda term: (places[term], term))
        within = [term for term, sofar in zip(order, np.cumsum(places[order]), strict=True) if sofar <= _MOST_HITS]
        return frequency, within[:_MOST_TERMS] or order[:1]

    def _sampled(self) -> Ints:
        """The slots of the sample: one text in so many, from the first on as far as its bytes go."""
        lengths, live = self._lengths, self._cache.live
        texts = np.flatnonzero(lengths % min(_SAMPLED, max(2, live // _FEWEST_SAMPLED)) == 1)
        return texts[np.cumsum(lengths[texts]) <= _MOST_SAMPLED]

    def _everywhere(self, terms: list[int]) -> Hits:
        """The hits of some terms, numbered as the question's terms are: in all texts in memory, and as far as patience
        goes in the others."""
        literals = [self._question.literals[term] for term in terms]
        until = time.monotonic() + self._patience

        others = takewhile(lambda _: time.monotonic() < until, self._cache.passing())
        hits = scan(chain(self._cache.arena.large_chunks(), others), literals, cancelled=self._cancelled)
        return hits.numbered(np.array(terms))

    def _measured(self, hits: Hits, frequency: Floats) -> Measures:
        """What the hits tell of the texts they are in, where not all hits are known: the sample says how rare a term
        is, unless more texts were seen to hold it."""
        texts = self._cache.live
        measures = measure(hits, len(self._question.terms), self._lengths, texts)
        frequency = np.maximum(measures.frequency, frequency)
        return replace(measures, idf=inverse_frequency(frequency, texts))

    def _promising(self, measures: Measures) -> Ints:
        """The slots that hold most of the rare terms or are called like the question."""
        slots = len(self._lengths)
        scores = measures.coverage() if "lexical" not in self._ablate else np.zeros(slots)
        if "path" not in self._ablate:
            scores = scores + TITLES.weight * title_scores(self._corpus, self._question, slots)
            scores = scores + NAMES.weight * name_scores(self._corpus, self._question, slots)
        chosen = np.flatnonzero(scores)
        return np.sort(self._corpus.order(chosen, scores[chosen], _MEASURED))

    def _passages(self, candidates: Ints, hits: Hits, measures: Measures) -> list[ScoredPassage]:
        """The best passages of the candidates, as if there were no other documents."""
        weights = Weights(self._question, count(hits, len(self._question.terms), self._lengths[candidates]))
        windows = windows_of(self._corpus, hits, weights, candidates, _WINDOWS)
        whole = measures.coverage()
        scored = Scored(self._question, weights, hits, windows, whole, whole)
        return passages_of(self._reading, scored, _CONSIDERED, read=_CONSIDERED)


class EarlyEvidenceTimer:
    """Looks at what was read so far until one of them finds something, each after twice the time of the one before.

    `offer` is called on the thread that reads, `evidence` by whoever asked. ``clock`` tells seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._counted = False
        """Whether a look was taken while the files were still counted."""
        self._begun: float | None = None
        self._next = 0.0
        self._look: Callable[[Snapshot], None] | None = None

    def offer(self, done: int, total: int | None, snapshot: Callable[[], Snapshot]) -> None:
        """So many of the files were read, and can be looked at now; ``total`` is None while they are still counted:
        that is looked at once."""
        if total is None:
            if self._look is not None and not self._counted:
                self._counted = True
                self._look(snapshot())
            return
        now = self._clock()
        if self._begun is None:
            self._begun, self._next = now, now + _AFTER
        past, look = now - self._begun, self._look
        if look is None or now < self._next or past * (total - done) < _LEFT * done:
            return
        self._next = now + past
        look(snapshot())

    async def evidence(
        self, look: Callable[[Snapshot], list[Evidence]], reading: asyncio.Future[Any]
    ) -> list[Evidence]:
        """What the first successful ``look`` found, as soon as it did; nothing if ``reading`` is over before."""
        loop = asyncio.get_running_loop()
        first: asyncio.Future[list[Evidence]] = loop.create_future()

        def seen(snapshot: Snapshot) -> None:
            if found := look(snapshot):
                self._look = None
                loop.call_soon_threadsafe(first.set_result, found)

        self._look = seen
        try:
            await asyncio.wait({first, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._look = None
        return first.result() if first.done() else []
