"""The signals of the prior, each a pure function of the question and what was measured, and the table of them all.

Each scores every slot in [0, about 1], as a share of the question's idf mass or divided by its best; a silent one
is all zeros (paper, "Layer 1: Low-Cost Prior over Latent Evidence"). A new one is a function and a line of `SIGNALS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from lens_lsp.corpus.scan import Hits, counted, distinct
from lens_lsp.model.words import STOP_WORDS, stem
from lens_lsp.search.corpus import Corpus
from lens_lsp.search.measure import Floats, Ints, Measures, inverse_frequency
from lens_lsp.search.phrases import Around
from lens_lsp.search.question import Question

_LONGEST_TITLE = 8
_SHORT_QUERY = 3
_LEAST_SHARED = 0.3
# Headings in folded bytes, at most 300 of them: Markdown, AsciiDoc, LaTeX. Each pattern begins with a literal, which
# the regex engine looks for a hundred times faster than for the beginning of a line.
_HEADINGS = (
    re.compile(rb"\n#{1,6}[ \t]([^\n]{1,300})"),
    re.compile(rb"\n={1,6}[ \t]([^\n]{1,300})"),
    re.compile(rb"\\(?:sub)*section\*?\{([^}\n]{1,300})"),
)
_HEADING_WORD = re.compile(rb"[a-z0-9]+")
_PROXIMITY = 300
# Proximity is measured in the most promising texts only; it cannot lift a text from further down to the top.
_PROXIMITY_TEXTS = 1000


def phrase_scores(corpus: Corpus, question: Question, hits: Hits, measures: Measures) -> Floats:
    """Per slot, the idf mass of the question's phrases that stand there word for word."""
    scores = np.zeros(len(measures.norm))
    index = {term: i for i, term in enumerate(question.terms)}
    for phrase in question.phrases:
        found = phrase_slots(corpus, phrase, index, hits, measures)
        if len(found):
            scores[found] += float(inverse_frequency(np.array([len(found)]), measures.texts)[0])
    return scores / measures.total


def phrase_slots(
    corpus: Corpus, phrase: tuple[str, ...], index: Mapping[str, int], hits: Hits, measures: Measures
) -> Ints:
    """The slots that hold a phrase: around each hit of its rarest word the text itself is compared."""
    known = [word for word in phrase if word in index]
    if not known:
        lone = index.get(" ".join(phrase))
        return np.empty(0, np.int64) if lone is None else distinct(hits.counts.slot[hits.counts.term == lone])
    rarest = min(known, key=lambda word: measures.frequency[index[word]])
    around = Around.of(phrase, rarest, index[rarest])
    chosen = np.flatnonzero(hits.term == around.term)
    passed = corpus.phrases.passing(phrase, rarest)
    if passed is not None:
        chosen = chosen[corpus.cache.arena.here()[hits.slot[chosen]]]
    found = set(passed or ())
    for slot, at in zip(hits.slot[chosen].tolist(), hits.at[chosen].tolist(), strict=True):
        if slot not in found and around.stands(corpus.cache.folded(slot), at):
            found.add(slot)
    return np.array(sorted(found), np.int64)


def title_scores(corpus: Corpus, question: Question, slots: int) -> Floats:
    """Per slot, how fully the question names it by file name, title or alias; shared names count less."""
    scores = np.zeros(slots)
    words = question.words
    short = sum(word not in STOP_WORDS for word in words) <= _SHORT_QUERY
    for first in range(len(words)):
        for length in range(1, min(_LONGEST_TITLE, len(words) - first) + 1):
            named = corpus.cache.titles.slots(" ".join(words[first : first + length]))
            capital = question.capital[first]
            if not named or (length == 1 and (words[first] in STOP_WORDS or not (capital or short))):
                continue
            value = min(length + 0.5 * capital, 3.0) / 3.0 / len(named) ** 0.5
            scores[named] = np.maximum(scores[named], value)
    return scores


def name_scores(corpus: Corpus, question: Question, slots: int) -> Floats:
    """Per slot, how much of the question its best name holds, times how much of the name the question holds.

    Unlike `title_scores` the words may stand in any order and be inflected: "understanding window traits" finds
    "ATL Window Traits". Names that hold less than three tenths of the question count nothing, so that long
    questions are not drawn to whatever is called like one of their words.
    """
    scores = np.zeros(slots)
    for named, of_question, of_name in corpus.cache.titles.alike(question.terms, _LEAST_SHARED):
        value = (of_question - _LEAST_SHARED) / (1 - _LEAST_SHARED) * of_name
        for slot in named:
            scores[slot] = max(scores[slot], value)
    return scores


def heading_scores(corpus: Corpus, question: Question, measures: Measures, slots: Ints) -> Floats:
    """Per slot, how much of the question its best heading holds, times how much of the heading the question holds.

    Headings are read from the folded text of the given slots only, the candidates, not the workspace; of documents they
    are known.
    """
    scores = np.zeros(len(measures.norm))
    weights = {stem(term): idf for term, idf in zip(question.terms, measures.idf.tolist(), strict=True)}
    for slot in slots.tolist():
        if corpus.late():
            break
        best = 0.0
        known = corpus.cache.headings(slot)
        for heading in _headings(corpus.cache.folded(slot).tobytes()) if known is None else known:
            words = {stem(word.decode()) for word in _HEADING_WORD.findall(heading)} - STOP_WORDS
            shared = [weights[word] for word in words if word in weights]
            of_question = math.fsum(shared) / measures.total  # over a set: exact, since its order differs between runs
            if of_question > _LEAST_SHARED:
                best = max(best, (of_question - _LEAST_SHARED) / (1 - _LEAST_SHARED) * len(shared) / len(words))
        scores[slot] = best
    return scores


def _headings(text: bytes) -> Iterator[bytes]:
    if text.startswith((b"#", b"=")):
        yield text.partition(b"\n")[0]
    for pattern in _HEADINGS:
        for match in pattern.finditer(text):
            yield match[1]


def summary_scores(corpus: Corpus, question: Question, measures: Measures) -> Floats:
    """Per slot, how much of the question its description and tags hold, or what was proven from it, beyond three
    tenths."""
    mass = np.zeros(len(measures.norm))
    noted = np.zeros(len(measures.norm))
    for term, idf in zip(question.terms, measures.idf.tolist(), strict=True):
        mass[list(corpus.cache.summaries.holders(term))] += idf
        known = stem(term)
        for key, stems in corpus.notes.items():
            if known in stems:
                noted[[text.slot for text in corpus.cache.texts(key)]] += idf
    return np.maximum(np.maximum(mass, noted) / measures.total - _LEAST_SHARED, 0.0) / (1 - _LEAST_SHARED)


def history_scores(corpus: Corpus, slots: int) -> Floats:
    """Per slot, how well verified evidence of earlier questions in that file matches this one, from 0 to 1.

    It enters as data, file by file, since the engine knows no store; empty while there is none.
    """
    scores = np.zeros(slots)
    for key, value in corpus.history.items():
        for text in corpus.cache.texts(key):
            scores[text.slot] = value
    return scores


def proximity_scores(corpus: Corpus, question: Question, hits: Hits, measures: Measures, promising: Floats) -> Floats:
    """Per slot, the idf mass of the distinct terms that meet within two neighbouring cells of 300 bytes."""
    slots = len(measures.norm)
    scores = np.zeros(slots)
    near = np.ones(slots, bool)
    if slots > _PROXIMITY_TEXTS:
        near = promising >= np.partition(promising, -_PROXIMITY_TEXTS)[-_PROXIMITY_TEXTS]
    for part in corpus.parts(hits, np.flatnonzero(near)):
        if corpus.late():
            break
        _meetings(scores, corpus.places(hits, question.literals, part), measures)
    return scores / measures.total


def _meetings(scores: Floats, hits: Hits, measures: Measures) -> None:
    """Enter for some texts, of which these are all places, the idf mass of the terms that meet."""
    if not len(hits):
        return
    terms = len(measures.idf)
    cell = hits.at // _PROXIMITY + 1
    width = int(cell.max()) + 1
    place = hits.slot.astype(np.int64) * width + cell
    keys = distinct(np.concatenate([place * terms + hits.term, (place - 1) * terms + hits.term]))
    place, term = np.divmod(keys, terms)
    cells, count = counted(place)
    mass = np.bincount(np.repeat(np.arange(len(cells)), count), weights=measures.idf[term])
    np.maximum.at(scores, cells // width, mass)


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a signal may look at: the question, and what one scan of the workspace found for it."""

    corpus: Corpus
    question: Question
    hits: Hits
    measures: Measures
    candidates: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """Slots of the documents that are looked at more closely; none before they are chosen."""
    scores: Mapping[str, Floats] = field(default_factory=dict)
    """What the signals further up in the table say, by name; all zeros for one that is off."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A line of the table: what it scores by, for which family, and how much it counts."""

    name: str
    family: Literal["lexical", "path", "summaries", "history", "scans"]
    """What switches it off and is told of it (`model/ablations.py`)."""
    score: Callable[[Scanned], Floats]
    """Per slot, from 0 to about 1."""
    weight: float
    """How much it counts in the ranking, in shares of the question's idf mass."""
    exploring: float
    """How much it counts where candidates are chosen, and the documents whose links are followed."""
    closer: bool = False
    """Measured of the candidates alone, once they are chosen: for what is too dear to be looked at everywhere."""


TITLES = Signal("titles", "path", lambda s: title_scores(s.corpus, s.question, len(s.measures.norm)), 0.678, 0.25)
# Counts less in exploring: what is only called like a word of the question is worth showing, not worth following.
NAMES = Signal("names", "path", lambda s: name_scores(s.corpus, s.question, len(s.measures.norm)), 2.0, 1.0)

SIGNALS: tuple[Signal, ...] = (
    Signal("coverage", "lexical", lambda s: s.measures.coverage(), 1.0, 1.0),
    Signal("phrases", "lexical", lambda s: phrase_scores(s.corpus, s.question, s.hits, s.measures), 0.499, 0.2),
    TITLES,
    NAMES,
    Signal(
        "headings",
        "path",
        lambda s: heading_scores(s.corpus, s.question, s.measures, s.candidates),
        1.0,
        0.0,
        closer=True,
    ),
    Signal("descriptions", "summaries", lambda s: summary_scores(s.corpus, s.question, s.measures), 0.2, 0.2),
    Signal("history", "history", lambda s: history_scores(s.corpus, len(s.measures.norm)), 0.5, 0.5),
    Signal(
        "proximity",
        "scans",
        lambda s: proximity_scores(
            s.corpus,
            s.question,
            s.hits,
            s.measures,
            s.scores["coverage"] + s.scores["phrases"] + s.scores["titles"],
        ),
        0.109,
        0.2,
    ),
)
"""All signals, in the order in which they are measured and added up (docs/explanation/algorithm.md says each in words).

The weights of phrases, titles and proximity come from a random search over all visible questions; names, headings and
descriptions were set by hand with the same questions in view."""
