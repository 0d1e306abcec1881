"""Layer 1: from a question and a workspace to ranked documents and passages, without a model or a loop.

One scan serves all requirements of a plan. Each has scores of its own under its own anchors; the whole question ranks
the documents (`Candidates`; paper, equation 6 and Proposition 1). `localise` is all of it in one step: ``lens find``.
`matches_of` counts and lists by an exact rule: what a scan sees it sees everywhere, so every place in the workspace is
checked and none is estimated.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.formats import rare_kind
from lens_lsp.corpus.safe_open import display_path
from lens_lsp.corpus.scan import Hits, Literal, counted, exact_literal, scan
from lens_lsp.corpus.text_marks import joined as merged
from lens_lsp.judge.rules.question_plan import analyse, terms
from lens_lsp.model.documents import Evidence, Part, RankedDocument, Stage
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.plan import Anchor, AnchorKind, MatchRule, Plan, Requirement, Unit
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, key, stem, words
from lens_lsp.search.boundaries import heading_path
from lens_lsp.search.corpus_view import (
    Corpus,
    DocumentAccess,
    Floats,
    Ints,
    Measures,
    Phrase,
    inside,
    measure,
    union_of,
)
from lens_lsp.search.metadata import FieldQuery, field_query
from lens_lsp.search.passages import (
    NO_WINDOWS,
    WINDOW,
    Cutter,
    ScoredPassage,
    Weights,
    Windows,
    apart,
    count,
    locator_offset,
    score,
)
from lens_lsp.search.prior import Named, Prior, bridges, gain, prior
from lens_lsp.search.question import ScanQuestion, corrections, definition_of, prepare

_LISTED = 1000
"""Lines that are kept of the matches; all are counted."""
_BETWEEN_WORDS = rb"[^a-z0-9\n\r]{1,3}"
ADMITTED = 10
"""m of the paper: documents admitted at first by its protocol. Self-correction admits as many more by any."""
_BROUGHT = 50
"""Documents that new terms may lead to; how many of them join is not decided here."""
_BEARING = 3
"""Documents that bear on one fact, beside those that the whole question admits."""
LEADING = 6
"""Documents that come first for what they are as a whole."""
_PASSAGE = 3.0
"""How much the best passage of any other document counts beside the document as a whole."""
RARE = 0.3
"""What a file counts that is of a kind which is searched last."""
_MOST_WANTED = 20
"""Documents with the metadata that is wanted that are looked at."""
_PROMISING = 1000
"""Texts whose windows are scored."""
_LATE = 2
"""Texts whose windows are scored when the question's time is over."""
_WINDOWS = 400
"""Windows that are kept."""
_CANDIDATES = 80
_SHORTEST = 3
_ALL_BUT_PATH = frozenset({"lexical", "summaries", "history", "scans", "links"})
_READ = 30
"""Documents that are cut into passages, at least."""
_LEADING = 20
"""Passages that are ranked by themselves alone."""
_PRIOR = 0.8
"""How much the prior of the document counts in the other ranking of what comes behind those."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What both rounds over the texts say of a question: where its passages are."""

    question: ScanQuestion
    weights: Weights
    hits: Hits
    """Places of all scanned terms."""
    windows: Windows
    documents: Floats
    """Per slot, the share of the question that the whole document covers."""
    prior: Floats
    """Per slot, the prior of the whole document, links included, as a share of the best one's."""
    fields: FieldQuery | None = None
    """What the question asks of metadata."""
    beginnings: tuple[int, ...] = ()
    """Slots whose beginnings are looked at, whatever stands there."""
    rare: frozenset[int] = frozenset()
    """Slots of lock files, generated and vendored files, licences: searched last unless the question names them."""


def windows_of(corpus: Corpus, hits: Hits, weights: Weights, slots: Ints, most: int) -> Windows:
    """The best windows of some texts, best first; equal ones by root and path, so that runs repeat.

    ``hits`` are those of the question's scanned terms.
    """
    replies = corpus.score(hits, WindowStep(weights.question.scanned, np.sort(slots), weights, most))
    found = [Windows(windows.slot + first, windows.at, windows.score) for first, windows in replies]
    if len(found) == 1:
        return found[0]
    named = corpus.named(slots)
    number = np.zeros(corpus.slots, np.int64)
    number[named] = np.arange(len(named))
    merged = NO_WINDOWS
    for windows in found:
        own = replace(windows, slot=number[windows.slot])
        merged = merged.plus(own, len(merged.slot) + len(own.slot))
    merged = merged.first(most)
    return replace(merged, slot=named[merged.slot])


@dataclass(frozen=True, slots=True)
class WindowStep:
    """The best windows of texts: `windows_of`."""

    terms: tuple[tuple[Literal, ...], ...]
    slots: Ints
    """In order."""
    weights: Weights
    most: int

    def within(self, first: int, last: int) -> WindowStep | None:
        """See `Step`."""
        own = inside(self.slots, first, last)
        return replace(self, slots=self.slots[own] - first) if len(own) else None

    def of(self, texts: Corpus, hits: Hits) -> Windows:
        """The best windows, and the best of each slot."""
        named = texts.named(self.slots)
        number = np.zeros(texts.slots, np.int64)
        number[named] = np.arange(len(named))
        lengths = texts.cache.arena.lengths()[named]
        windows = NO_WINDOWS
        for part in texts.parts(hits, self.slots):
            found = texts.places(hits, self.terms, part)
            found = replace(found, slot=number[found.slot].astype(np.int32))
            best = score(found, np.sort(number[part]), lengths, self.weights, self.most)
            windows = windows.plus(best, len(windows.slot) + len(best.slot)).first(self.most)
        return replace(windows, slot=named[windows.slot])


class Candidates:
    """The scan and the priors of one question's plan."""

    def __init__(
        self, corpus: Corpus, plan: Plan, *, ablate: Set[str] = frozenset(), cancelled: Callable[[], bool] | None = None
    ) -> None:
        self._corpus = corpus
        self._ablate = ablate
        self._cancelled = cancelled
        self.plan = plan
        self.question = prepare(plan)
        started = time.perf_counter()
        self.scanned = self._with_corrections(self._scan(self.question))
        """Places of the terms asked for and, behind them, of the words related to them."""
        self.hits = self._own(self.scanned)
        scanned = time.perf_counter()
        self.measures = self._measure(self.hits, self.question)
        self.overall = self._prior(self.question, self.hits, self.measures, ablate)
        self._asked_measures = self.measures
        self.asked = self.question
        """The question as it was asked, without the terms that joined since."""
        self._rank_passages()
        self.own = self._own_scores()
        self.stages = (Stage("scan", scanned - started), Stage("prior", time.perf_counter() - scanned))

    def join(self) -> list[int]:
        """Scan the texts that came since, rank all documents anew: the new slots among the best, best first."""
        known, cache = len(self.lengths), self._corpus.cache
        fresh = np.arange(known, self._corpus.slots, dtype=np.int64)
        if not len(fresh):
            return []
        came = scan([cache.together(fresh)], self.question.scanned, cancelled=self._cancelled)
        terms, related = len(self.asked.terms), len(self.question.terms) + np.arange(len(self.asked.related))
        self.hits = self.hits.plus(self._own(came), 0)
        self.scanned = self.scanned.plus(came.only(np.concatenate([np.arange(terms), related])), 0)
        self.measures = self._measure(self.hits, self.question)
        asked = self.hits.only(np.arange(len(self.asked.terms)))
        self._asked_measures = self._measure(asked, self.asked)
        self.overall = self._prior(self.asked, asked, self._asked_measures, self._ablate)
        self._rank_passages()
        led, self.own = self.own, self._own_scores()
        self.own[:, :known] = np.maximum(self.own[:, :known], led)
        return [slot for slot in self.first() if slot >= known]

    @property
    def lengths(self) -> Ints:
        """Folded bytes of each slot."""
        return self.measures.lengths

    def _scan(self, question: ScanQuestion, names: Sequence[Phrase] = ()) -> Hits:
        """All texts for a question's terms; of what is not kept in memory its phrases and ``names`` are noted."""
        phrases = (*question.phrases, *names)
        return self._corpus.count(question.scanned, words=question.terms, phrases=phrases, cancelled=self._cancelled)

    def _with_corrections(self, hits: Hits) -> Hits:
        """The hits, after another scan if a term stands nowhere, is no word that people write, and one letter away from
        words that stand somewhere: the most frequent of those then counts as the term."""
        asked = self.question
        seen = np.bincount(hits.counts.term, minlength=len(asked.terms))
        for index, term in enumerate(asked.terms):
            near = [] if seen[index] else corrections(term)
            if near:
                words = [(exact_literal(word),) for word in near]
                found = self._corpus.count(words, cancelled=self._cancelled).counts
                totals = np.bincount(found.term, weights=found.count, minlength=len(near))
                if totals.any():
                    self.question = self.question.corrected(index, near[int(totals.argmax())])
        return hits if self.question is asked else self._scan(self.question)

    def _own(self, hits: Hits) -> Hits:
        """The hits of the question's own terms."""
        terms = len(self.question.terms)
        return hits if terms == len(self.question.scanned) else hits.only(np.arange(terms))

    def _rank_passages(self) -> None:
        """Count and score the windows of all promising texts, and let documents be ranked by their best ones too."""
        weights = Weights(self.asked, count(self.scanned, len(self.asked.scanned), self.lengths))
        slots = self._promising(weights)
        windows = windows_of(self._corpus, self.scanned, weights, slots, _WINDOWS)
        fields = None if "path" in self._ablate else field_query(self.asked.plan.question, self._corpus)
        coverage = self._asked_measures.coverage()
        beginnings = self._beginnings(fields, coverage)
        self._rare = self._rare_among(union_of(len(self.lengths), windows.slot, self.overall.ranked))
        overall = np.maximum(self.overall.scores, 0.0)
        overall = overall / (float(overall.max(initial=0.0)) or 1.0)
        self.scored = Scored(
            self.asked, weights, self.scanned, windows, coverage, overall, fields, beginnings, self._rare
        )
        """Where the passages of the question are."""
        self._order(windows.best(len(self.lengths)))

    def _beginnings(self, fields: FieldQuery | None, coverage: Floats) -> tuple[int, ...]:
        """Where metadata or a definition may stand: in the leading documents, in those that have what is wanted of
        metadata, in those that are called like what is to be defined."""
        definition = definition_of(self.asked.plan.question)
        if fields is None and definition is None:
            return ()
        wanted = {} if fields is None else fields.slots
        by_name = self._corpus.named(np.array(list(wanted), np.int64)).tolist()
        best = sorted(by_name, key=lambda slot: (-wanted[slot], -coverage[slot]))[:_MOST_WANTED]
        if definition is not None:
            titles = self._corpus.cache.titles
            named = [np.array(titles.slots(name), np.int64) for name in sorted(definition.names)]
            best += [slot for slots in named for slot in self._corpus.named(slots).tolist()][:_MOST_WANTED]
        return tuple(dict.fromkeys([*self.overall.ranked[:LEADING].tolist(), *best]))

    def rank_by(self, passages: Sequence[ScoredPassage]) -> None:
        """Rank the documents by the passages that were found in them, instead of by their free windows."""
        best = np.zeros(len(self.lengths))
        for passage in passages:
            best[passage.slot] = max(best[passage.slot], passage.score)
        self._order(best)

    def _order(self, best: Floats) -> None:
        """Rank: a few documents for what they are as a whole, links included, all others for their best passage too."""
        overall = self.scored.prior
        self.scores = overall + _PASSAGE * best / (float(best.max(initial=0.0)) or 1.0)
        """Per slot, how well the document answers to the question."""
        leading = [slot for slot in self.overall.ranked[:LEADING].tolist() if slot not in self._rare]
        self.scores[leading] = overall[leading] + _PASSAGE
        self.scores[list(self._rare)] *= RARE
        chosen = union_of(len(best), self.overall.ranked, np.flatnonzero(best))
        self.ranked = self._corpus.order(chosen, self.scores[chosen], max(_CANDIDATES, len(self.overall.ranked)))
        """Candidate slots, best first."""

    def _rare_among(self, slots: Ints) -> frozenset[int]:
        """Which of some slots are files of a kind that is searched last, and not called like a word of the question."""
        asked = set(map(stem, self.asked.words)) - STOP_WORDS
        rare = set()
        for slot in slots.tolist():
            text = self._corpus.cache.slots[slot]
            path = "" if text is None else text.key[1]
            if rare_kind(path) is not None and not asked & set(map(stem, words(path.rpartition("/")[2]))):
                rare.add(slot)
        return frozenset(rare)

    def _promising(self, weights: Weights) -> Ints:
        """The slots whose windows are scored: those that hold most of the question, and the best of the prior."""
        counts = self.scanned.counts
        weight = np.concatenate([weights.own, weights.related])
        held = weight[counts.term] * (counts.count / (counts.count + 1.0))
        mass = np.bincount(counts.slot, weights=held, minlength=len(self.lengths))
        slots = np.flatnonzero(mass)
        if self._corpus.late() and not self._corpus.cache.arena.here()[slots].all():
            return np.sort(slots[np.argsort(-mass[slots], kind="stable")[:_LATE]])
        if len(slots) > _PROMISING:
            slots = slots[mass[slots] >= np.partition(mass[slots], -_PROMISING)[-_PROMISING]]
        return union_of(len(mass), slots, self.overall.ranked)

    def _measure(self, hits: Hits, question: ScanQuestion) -> Measures:
        return measure(hits, len(question.terms), self._corpus.cache.arena.lengths(), self._corpus.cache.live)

    def _prior(self, question: ScanQuestion, hits: Hits, measures: Measures, ablate: Set[str]) -> Prior:
        return prior(self._corpus, question, hits, measures, ablate=ablate)

    def _own_scores(self) -> Floats:
        """Per requirement and slot, the score under the requirement's anchors; of a single one the question's."""
        overall = np.maximum(self.overall.scores, 0.0)
        if len(self.plan.requirements) == 1:
            return overall[None]
        rows = []
        for requirement in self.plan.requirements:
            part, chosen = self.question.only(self.plan_of(requirement)), self.terms_of(requirement)
            hits = self.hits.only(chosen)
            alone = self._prior(part, hits, self.measures.only(chosen, hits.counts), {*self._ablate, "links"})
            rows.append(overall + np.maximum(alone.scores, 0.0))
        return np.array(rows)

    def plan_of(self, requirement: Requirement) -> Plan:
        """One requirement as a plan of its own."""
        serving = tuple(anchor for anchor in self.plan.anchors if requirement.id in anchor.requirements)
        return replace(
            self.plan,
            question=requirement.text,
            requirements=(requirement,),
            anchors=serving or self.plan.anchors,
            answer_type=requirement.answer_type,
        )

    def terms_of(self, requirement: Requirement) -> Ints:
        """Indices of the scanned terms that serve a requirement."""
        part = self.question.only(self.plan_of(requirement))
        return np.array(self.question.places(part), np.int64)

    def first(self, most: int = ADMITTED) -> list[int]:
        """The slots to admit: the best of the ranking, always with the best of each requirement."""
        ranked = self.ranked.tolist()
        best = dict.fromkeys(int(row.argmax()) for row in self.own if row.size and row.max() > 0)
        chosen = set(list(best)[:most])
        chosen.update([slot for slot in ranked if slot not in chosen][: most - len(chosen)])
        return [*(slot for slot in ranked if slot in chosen), *sorted(chosen - set(ranked))]

    def bearing(self, requirement: int, margin: int = 1) -> list[int]:
        """The slots that would be admitted for one requirement: the question's, and its own best by score and path.

        ``margin`` times as many, to be sure to hold those that would be after what is known has changed their order.
        """
        own, most = self.own[requirement], _BEARING * margin
        slots = np.flatnonzero(own > 0)
        best = self._corpus.order(slots, own[slots], most)
        return list(dict.fromkeys([*self.first(ADMITTED * margin), *best.tolist()]))

    def called(self, name: str) -> int | None:
        """The document that answers best to a name, by its path, title and headings alone; None when none does."""
        plan = analyse(name)
        question = prepare(plan)
        hits = self._corpus.count(question.literals, cancelled=self._cancelled)
        found = self._prior(question, hits, self._measure(hits, question), _ALL_BUT_PATH)
        best = found.ranked[:1].tolist()
        return int(best[0]) if best else None

    def file_prior(self, slots: Ints) -> Floats:
        """π_file of each requirement over the given slots: scores normalised once."""
        scores = self.own[:, slots]
        total = scores.sum(axis=1, keepdims=True)
        even = np.full_like(scores, 1 / max(1, len(slots)))
        return np.where(total > 0, scores / np.where(total > 0, total, 1.0), even)

    def shares(self, slot: int) -> dict[str, float]:
        """Each signal family's share of the score of a document."""
        return self.overall.shares(slot)

    def compression(self, slots: Ints) -> float | None:
        """|C_search| / |E_t| of Proposition 1: windows in the given documents over windows in all."""
        windows = self.lengths.astype(np.float64) * (self.lengths + 1)
        total = float(windows.sum())
        return float(windows[slots].sum()) / total if len(slots) and total else None

    def unread(self, slots: Ints) -> int:
        """Matches in documents other than the given ones."""
        chosen = np.zeros(len(self.lengths), bool)
        chosen[slots] = True
        counts = self.hits.counts
        return int(counts.count[~chosen[counts.slot]].sum())

    def missing(self) -> tuple[str, ...]:
        """The terms of the question that occur nowhere, in order."""
        return tuple(self.question.terms[index] for index in np.flatnonzero(self.measures.frequency == 0).tolist())

    def idf(self) -> Mapping[str, float]:
        """How telling each scanned term is in this workspace, by its text."""
        return dict(zip(self.question.terms, self.measures.idf.tolist(), strict=True))

    def extend(self, named: Mapping[str, tuple[str, ...]], *, admitted: Set[int], proven: Set[int]) -> list[int]:
        """Search for new terms (one rescan, no oracle): the slots they lead to beside those ``admitted``, best first.

        ``named`` maps requirement ids to terms; ``proven`` are the slots that something was quoted from. Terms that are
        searched for already change nothing.
        """
        fresh = _anchors(named)
        known = {literals[0] for literals in self.question.literals}
        text = " ".join(anchor.text for anchor in fresh if anchor.kind is AnchorKind.PHRASE)
        more = prepare(replace(self.plan, question=text, anchors=fresh))
        new = [i for i, literals in enumerate(more.literals) if literals[0] not in known]
        if not new:
            return []
        names = list(dict.fromkeys(tuple(key(text).split(" ")) for texts in named.values() for text in texts))
        more = replace(more, related=())
        hits = self._scan(more, names)
        measures = self._measure(hits, more)
        alike = self._prior(more, hits, measures, {*self._ablate, "links"}).scores
        led_by = Named(tuple(names), more, hits, measures)
        scores = bridges(self._corpus, led_by, alike, gain(self._asked_measures, proven))
        beside = scores > 0
        beside[list(admitted)] = False
        led = np.flatnonzero(beside)
        ranked = self._corpus.order(led, scores[led], _BROUGHT).tolist()
        hits = hits.only(np.array(new, np.int64))
        first = len(self.question.terms)
        self.plan = replace(self.plan, anchors=(*self.plan.anchors, *fresh))
        self.question = replace(
            self.question,
            terms=(*self.question.terms, *(more.terms[i] for i in new)),
            literals=(*self.question.literals, *(more.literals[i] for i in new)),
            phrases=(*self.question.phrases, *more.phrases),
        )
        self.hits = self.hits.plus(hits, first)
        self.measures = self._measure(self.hits, self.question)
        best = float(scores.max(initial=0.0)) or 1.0
        for slot in ranked:
            share = float(scores[slot]) / best
            self.own[:, slot] = np.maximum(self.own[:, slot], share * self.own.max(axis=1) / 2)
        return [int(slot) for slot in ranked]


def _anchors(named: Mapping[str, tuple[str, ...]]) -> tuple[Anchor, ...]:
    """New terms as anchors: each as a phrase, and its words."""
    serves: dict[tuple[str, AnchorKind], list[str]] = {}
    for requirement, texts in named.items():
        for text in texts:
            folded = key(text)
            # Letters, initials and the like stand everywhere: the scan would drown in them.
            words = [(word, kind) for word, kind in terms(folded) if len(word) >= _SHORTEST or not word.isascii()]
            parts = [(folded, AnchorKind.PHRASE), *words] if words else []
            for part in parts:
                owners = serves.setdefault(part, [])
                if requirement not in owners:
                    owners.append(requirement)
    return tuple(Anchor(text, kind, requirements=tuple(owners)) for (text, kind), owners in serves.items() if text)


@dataclass(frozen=True, slots=True)
class Localisation:
    """Where the evidence probably is, before anything was read for it."""

    candidates: Candidates
    passages: list[ScoredPassage]
    """Best first, at most as many as were asked for."""
    stages: tuple[Stage, ...] = ()

    @property
    def admitted(self) -> Ints:
        """The slots of the passages, in their order."""
        return np.array(list(dict.fromkeys(passage.slot for passage in self.passages)), np.int64)


def localise(
    reading: DocumentAccess,
    plan: Plan,
    limit: int,
    *,
    ablate: Set[str] = frozenset(),
    cancelled: Callable[[], bool] | None = None,
) -> Localisation:
    """Scan for the plan's anchors, form the prior, and find the best ``limit`` passages."""
    candidates = Candidates(reading.corpus, plan, ablate=ablate, cancelled=cancelled)
    started = time.perf_counter()
    passages = passages_of(reading, candidates.scored, limit)
    candidates.rank_by(passages)
    position = Stage("position", time.perf_counter() - started)
    return Localisation(candidates, passages, (*candidates.stages, position))


def passages_of(reading: DocumentAccess, scored: Scored, limit: int, *, read: int = _READ) -> list[ScoredPassage]:
    """The best passages of the workspace, best first. At least ``read`` documents are looked into, where there are so
    many with a window that holds anything."""
    chosen = _stretches(scored, max(read, 2 * limit))
    slots = np.array(list(chosen), np.int64)
    step = PassageStep(
        scored.question.scanned,
        slots,
        tuple(np.array(at, np.int64) for at in chosen.values()),
        scored.documents[slots],
        scored.prior[slots],
        np.array([slot in scored.rare for slot in chosen], bool),
        scored.weights,
        scored.fields,
        limit,
    )
    corpus = reading.corpus
    replies = corpus.score(scored.hits, step, reading)
    if len(replies) == 1 and not replies[0][0]:
        return replies[0][1]
    found = [replace(one, slot=first + one.slot) for first, passages in replies for one in passages]
    names = {slot: place for place, slot in enumerate(corpus.named(slots).tolist())}
    found.sort(key=lambda one: (-one.score, names[one.slot], one.span))
    return _ranked(found, scored.prior, limit)


@dataclass(frozen=True, slots=True)
class PassageStep:
    """The ``limit`` best passages of some documents around the first bytes of their best windows.

    The arrays are parallel to the slots: ``shares`` are the documents' own scores, ``priors`` theirs with links.
    """

    terms: tuple[tuple[Literal, ...], ...]
    slots: Ints
    stretches: tuple[Ints, ...]
    shares: Floats
    priors: Floats
    rare: NDArray[np.bool_]
    weights: Weights
    fields: FieldQuery | None
    limit: int

    def within(self, first: int, last: int) -> PassageStep | None:
        """See `Step`."""
        own = inside(self.slots, first, last)
        if not len(own):
            return None
        return replace(
            self,
            slots=self.slots[own] - first,
            stretches=tuple(self.stretches[place] for place in own.tolist()),
            shares=self.shares[own],
            priors=self.priors[own],
            rare=self.rare[own],
            fields=None if self.fields is None else self.fields.within(first, last),
        )

    def of(self, texts: DocumentAccess, hits: Hits) -> list[ScoredPassage]:
        """The passages, best first, with what is marked in them."""
        cutter = Cutter(self.weights.question, self.weights, self.fields)
        corpus = texts.corpus
        row = {slot: place for place, slot in enumerate(self.slots.tolist())}
        found: dict[int, list[ScoredPassage]] = {}
        places: dict[int, list[Ints]] = {}
        for part in corpus.parts(hits, self.slots):
            for slot, at in corpus.places_by_term(hits, self.terms, part).items():
                document = None if corpus.over() else texts.document(slot)
                if document is None:
                    continue
                place = row[slot]
                windows = corpus.points(slot, self.stretches[place]).tolist()
                stretches = _around(windows, len(document.text))
                own = cutter.passages(slot, document, at, stretches, float(self.shares[place]))
                found[slot] = [replace(one, score=RARE * one.score) for one in own] if self.rare[place] else own
                places[slot] = at if corpus.cache.arena.holds(slot) else _within(at, own)
        keys = {slot: texts.text(slot).key for slot in row}
        passages = [one for slot in row for one in found.get(slot, ())]
        priors = dict(zip(row, self.priors.tolist(), strict=True))
        return [
            ScoredPassage(one.slot, one.span, one.score, cutter.marks(one, places[one.slot]), one.cut)
            for one in _ranked(apart(passages, keys), priors, self.limit)
        ]


def _within(places: Sequence[Ints], passages: Sequence[ScoredPassage]) -> list[Ints]:
    """Of places, which rise, those that stand in passages, or between passages that overlap."""
    spans = merged(passage.span for passage in passages)
    bounds = np.array([(span.start, span.end) for span in spans], np.int64).reshape(-1, 2)
    return [
        at[np.searchsorted(bounds[:, 0], at, "right") > np.searchsorted(bounds[:, 1], at, "right")] for at in places
    ]


def _ranked(passages: list[ScoredPassage], prior: Floats | Mapping[int, float], limit: int) -> list[ScoredPassage]:
    """The first ``limit`` of passages that are ranked by their own scores. Those of all are among those of the parts,
    so the parts can be ranked first. Behind the leading ones every second one is
    taken from a ranking to which the prior of the document counts as well: where words fail, good documents help."""
    leading, others = passages[:_LEADING], passages[_LEADING:]
    if limit <= _LEADING:
        return passages[:limit]
    by_document = sorted(others, key=lambda one: -(one.score + _PRIOR * float(prior[one.slot])))
    both = dict.fromkeys(one for pair in zip(others, by_document, strict=True) for one in pair)
    return [*leading, *both][:limit]


def _stretches(scored: Scored, most: int) -> dict[int, list[int]]:
    """The documents that are read for passages, and the first bytes of their best windows."""
    chosen: dict[int, list[int]] = {slot: [0] for slot in scored.beginnings}
    for slot, at in zip(scored.windows.slot.tolist(), scored.windows.at.tolist(), strict=True):
        if slot in chosen or len(chosen) < most:
            chosen.setdefault(slot, []).append(at)
    return chosen


def _around(windows: list[int], length: int) -> tuple[Span, ...]:
    """Stretches around windows, apart and in order: a passage may begin a window before and end one behind."""
    return merged(Span(max(0, at - WINDOW), min(length, at + 2 * WINDOW)) for at in windows if at - WINDOW <= length)


def as_evidence(
    reading: DocumentAccess,
    passage: ScoredPassage,
    n: int,
    signals: Mapping[str, float],
    requirements: tuple[str, ...] = ("f1",),
) -> Evidence | None:
    """A passage as evidence number ``n``; None when its text does not stand there any more."""
    document = reading.document(passage.slot)
    if document is None:
        return None
    return reading.evidence(
        passage.slot,
        document,
        passage.span,
        n,
        under=passage.span.end - 1,
        at=locator_offset(document, passage.span, passage.marks),
        score=passage.score,
        signals=signals,
        requirements=requirements,
        cut=passage.cut,
    )


def quotes(reading: DocumentAccess, place: Localisation) -> Iterator[tuple[ScoredPassage, Evidence]]:
    """The passages whose text still stands where it was found, as evidence, numbered from 1."""
    n, corpus = 1, reading.corpus
    shares = [place.candidates.shares(passage.slot) for passage in place.passages]
    at_once = 1 if corpus.shards is None else max(1, len(shares))
    for start in range(0, max(1, len(shares)), at_once):
        passages = tuple(place.passages[start : start + at_once])
        step = QuoteStep(passages, tuple(shares[start : start + at_once]), last=corpus.shards is not None)
        found: dict[ScoredPassage, Evidence] = {}
        for first, quoted in corpus.score(place.candidates.scanned, step, reading):
            found.update((replace(one, slot=first + one.slot), item) for one, item in quoted.evidence)
            if step.last:
                reading.told((first + slot for slot in quoted.read), quoted.comments, quoted.warnings)
        for passage in passages:
            if passage in found and reading.agrees(passage.slot, found[passage]):
                yield passage, replace(found[passage], n=n)
                n += 1


@dataclass(frozen=True, slots=True)
class Quoted:
    """What became of some passages when their files were looked at once more."""

    evidence: tuple[tuple[ScoredPassage, Evidence], ...]
    """Those whose text stands there."""
    read: tuple[int, ...] = ()
    """The slots of all documents that were read for the question."""
    comments: tuple[Part, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuoteStep:
    """Passages as evidence, each checked against its file: where the file lies. `quotes`."""

    passages: tuple[ScoredPassage, ...]
    signals: tuple[Mapping[str, float], ...]
    """Of each passage each signal family's share of the score of its document."""
    last: bool
    """What was read and noticed is told, too."""
    terms: tuple[tuple[Literal, ...], ...] = ()

    def within(self, first: int, last: int) -> QuoteStep | None:
        """See `Step`."""
        own = [place for place, one in enumerate(self.passages) if first <= one.slot < last]
        passages = tuple(replace(self.passages[place], slot=self.passages[place].slot - first) for place in own)
        return replace(self, passages=passages, signals=tuple(self.signals[place] for place in own))

    def of(self, texts: DocumentAccess, hits: Hits) -> Quoted:
        """The evidence."""
        found: list[tuple[ScoredPassage, Evidence]] = []
        for passage, signals in zip(self.passages, self.signals, strict=True):
            stands = texts.confirmed(passage.slot) is not None
            item = as_evidence(texts, passage, 1, signals) if stands else None
            found += [] if item is None else [(passage, item)]
        if not self.last:
            return Quoted(tuple(found))
        return Quoted(tuple(found), texts.read_slots, tuple(texts.comments()), tuple(texts.warnings))


def ranking(
    reading: DocumentAccess,
    candidates: Candidates,
    admitted: Set[int],
    *,
    most: int = 10,
    always: Set[int] = frozenset(),
) -> tuple[RankedDocument, ...]:
    """The documents by their scores, at least the first ten and those in ``always``, each file once."""
    scores = candidates.scores
    total = float(scores[candidates.ranked].sum()) or 1.0
    first = candidates.ranked.tolist()
    ranked: dict[tuple[int, str], RankedDocument] = {}
    for slot in [*first, *sorted(always - set(first))]:
        root, path = key = reading.text(slot).key
        if key in ranked:  # another piece of the same file
            continue
        if len(ranked) < max(10, most) or slot in always:
            prior, shown = float(scores[slot]) / total, reading.was_read(slot)
            shares = candidates.shares(slot)
            ranked[key] = RankedDocument(root, display_path(path), prior, slot in admitted, shown, shares)
    return tuple(ranked.values())


@dataclass(frozen=True, slots=True)
class Match:
    """One match: a line of a slot's document, in code points."""

    slot: int
    line: Span


@dataclass(frozen=True, slots=True)
class Matches:
    """All matches of a rule: ``total`` of what it counts, in ``files`` files; ``shown`` holds the first by path.

    ``unread`` are slots that could not be read again to make sure.
    """

    total: int
    files: int
    shown: tuple[Match, ...]
    unread: int = 0


def matches_of(reading: DocumentAccess, rule: MatchRule, *, cancelled: Callable[[], bool] | None = None) -> Matches:
    """Every match of a rule in the workspace as it is now."""
    patterns = [_pattern(phrase) for phrase in rule.phrases]
    total = unread = 0
    files: set[tuple[int, str]] = set()
    shown: list[Match] = []
    slots = (
        _holding(reading, rule.phrases) if patterns else np.flatnonzero(reading.corpus.cache.arena.lengths()).tolist()
    )
    slots.sort(key=lambda slot: (reading.text(slot).key, reading.before(slot)))
    for slot in _called(reading, slots, rule):
        if cancelled is not None and cancelled():
            break
        text = reading.text(slot)
        found = list(_lines(reading, slot, patterns, rule))
        if not found:
            continue
        if reading.document(slot) is None:
            unread += 1
            continue
        lines = [(line, count) for line, count in found if _meets(reading, slot, line, rule)]
        if not lines:
            continue
        new = text.key not in files
        files.add(text.key)
        if rule.unit is Unit.FILE:
            total += new
            shown += [Match(slot, lines[0][0])] if new else []
        else:
            total += sum(count for _, count in lines) if rule.unit is Unit.MATCH else len(lines)
            shown += [Match(slot, line) for line, _ in lines[: max(0, _LISTED - len(shown))]]
    return Matches(total, len(files), tuple(shown), unread)


def _pattern(phrase: str) -> re.Pattern[bytes]:
    words = _BETWEEN_WORDS.join(re.escape(word.encode()) for word in phrase.split(" "))
    return re.compile(rb"(?<![a-z0-9])" + words + rb"(?![a-z0-9])")


def _holding(reading: DocumentAccess, phrases: Sequence[str]) -> list[int]:
    """The slots that hold every telling word of the phrases."""
    words = {word for phrase in phrases for word in phrase.split(" ")}
    telling = sorted(words - STOP_WORDS) or sorted(words)
    cache = reading.corpus.cache
    found = scan(cache.chunks(), [(exact_literal(word),) for word in telling], cancelled=reading.corpus.late)
    slots, counts = counted(found.counts.slot)
    return [int(slot) for slot in slots[counts == len(telling)]]


def _called(reading: DocumentAccess, slots: Sequence[int], rule: MatchRule) -> list[int]:
    """The slots whose file is called as a rule says: by a folder's name, by its own, or by words of path and titles.

    Of a rule that says nothing but a name, the files that are called just that come before those that hold the word.
    """
    if not rule.files:
        return list(slots) if rule.phrases else []
    names = [word.removesuffix("/") for word in rule.files]
    inside = [slot for slot in slots if all({name, stem(name)} & _folders(reading, slot) for name in names)]
    if any(word.endswith("/") for word in rule.files) and (inside or rule.phrases):
        return inside
    own = [] if rule.phrases else [slot for slot in slots if key(_stem_of(reading, slot)) in names]
    return own or [slot for slot in slots if all(name in _titles(reading, slot) for name in names)]


def _folders(reading: DocumentAccess, slot: int) -> set[str]:
    parts = [key(part) for part in reading.text(slot).key[1].split("/")[:-1]]
    return {*parts, *map(stem, parts)}


def _stem_of(reading: DocumentAccess, slot: int) -> str:
    return reading.text(slot).key[1].rsplit("/", 1)[-1].rsplit(".", 1)[0]


def _titles(reading: DocumentAccess, slot: int) -> str:
    return " ".join((key(reading.text(slot).key[1]), *reading.corpus.cache.names(slot)))


def _lines(
    reading: DocumentAccess, slot: int, patterns: Sequence[re.Pattern[bytes]], rule: MatchRule
) -> Iterator[tuple[Span, int]]:
    """The lines that match, with how often the first phrase stands in each.

    In a file-wise rule the phrases may stand in different lines; those of the first are given.
    """
    folded = reading.corpus.cache.folded(slot).tobytes()
    apart = rule.unit is Unit.FILE and rule.condition is None
    counted: dict[tuple[int, int], int] = {}
    if not patterns:
        first_line = re.search(rb"[^\s#>*-][^\n]*", folded)
        counted = {} if first_line is None else {_line(folded, first_line.start()): 1}
    elif not apart or all(pattern.search(folded) for pattern in patterns):
        for match in patterns[0].finditer(folded):
            line = _line(folded, match.start())
            if apart or all(pattern.search(folded, *line) for pattern in patterns[1:]):
                counted[line] = counted.get(line, 0) + 1
    for line, times in counted.items():
        start, end = reading.corpus.points(slot, np.array(line, np.int64)).tolist()
        yield Span(start, end), times


def _line(folded: bytes, at: int) -> tuple[int, int]:
    start = folded.rfind(b"\n", 0, at) + 1
    end = folded.find(b"\n", at)
    return start, len(folded) if end < 0 else end


def _meets(reading: DocumentAccess, slot: int, line: Span, rule: MatchRule) -> bool:
    """Whether a line may be evidence and a value in it meets the rule's condition."""
    from lens_lsp.arithmetic.value_parser import meets  # what no lookup needs

    document = reading.document(slot)
    if document is None or any(span.overlaps(line) for span in document.structure.ours):
        return False
    if rule.condition is None:
        return True
    names = (*reading.corpus.cache.names(slot), *heading_path(document, line.start))
    above = "\n".join((*names, reading.text(slot).key[1], _stem_of(reading, slot)))
    return meets(rule.condition, document.text[line.start : line.end], above)
