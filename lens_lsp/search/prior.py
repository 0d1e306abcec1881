"""The prior over documents: signals, their fusion, and links that lead to second hops (paper, Layer 1 and equation 6).

Each signal is a pure function of the question and what was measured, and a line of `SIGNALS`; it scores every slot in
[0, about 1]. Links are what the best documents name, what names them, and what shares a rare name with them: such a
document may share no word with the question. `bridges` does the same after something was read, for names that a proof
brought.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from typing import Literal
from urllib.parse import unquote

import numpy as np

from lens_lsp.corpus.descriptions import file_name, plain_name
from lens_lsp.corpus.scan import Hits, Places, counted, distinct, exact_literal
from lens_lsp.corpus.scan import Literal as ScanLiteral
from lens_lsp.judge.rules.question_plan import NAME
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.words import STOP_WORDS, WORD, fold, key, stem
from lens_lsp.search.corpus_view import Around, Corpus, Floats, Ints, Measures, Phrase, inside, inverse_frequency
from lens_lsp.search.question import ScanQuestion

_LONGEST_TITLE = 8
_SHORT_QUERY = 3
_LEAST_SHARED = 0.3
# Headings in folded bytes, at most 300 of them: Markdown, AsciiDoc, LaTeX. Each pattern begins with a literal, which
# the regex engine looks for a hundred times faster than for the beginning of a line.
_HEADINGS = (
    regex(rb"\n#{1,6}[ \t]([^\n]{1,300})"),
    regex(rb"\n={1,6}[ \t]([^\n]{1,300})"),
    regex(rb"\\(?:sub)*section\*?\{([^}\n]{1,300})"),
)
_HEADING_WORD = regex(rb"[a-z0-9]+")
_PROXIMITY = 300
# Proximity is measured in the most promising texts only; it cannot lift a text from further down to the top.
_PROXIMITY_TEXTS = 1000
_LINK = regex(r"\[\[([^\]|#\n]{1,200})|\]\(<?([^)#>\s]{1,300})")
_WHOLE = 3000
"""Documents up to this many code points are read whole for mentions; of longer ones the best region."""
_CELL = 300
_SOURCES = 10
_REVERSE_SOURCES = 4
_MOST_REVERSE = 40
_NAME_SOURCES = 3
_NAMES = 16
_RARE = 20
_SPACED = regex(r"\S+")
_MEANT = regex(r"[ _]\(([^)]*)\)$")
_DOUBTFUL = 0.5
_NEAR = 80
_AROUND = 200
_AROUND_WEIGHT = 0.4
_CANDIDATES = 80
_SECOND_SOURCES = 12
# How much links and what the best documents lack count, from a random search over all visible questions
# (docs/explanation/algorithm.md says what that means); how much each signal does stands in `SIGNALS`.
_PASSING = 5
"""How many of the best documents pass weight on along links."""
_SOURCE_POWER = 0.979
_FORWARD, _FORWARD_NEAR, _FORWARD_GAIN, _FORWARD_EARLY = 0.2, 0.216, 2.172, 0.087
_REVERSE_GAIN = 3.088
_SHARED, _SHARED_BASE = 0.813, 0.315
_LACKING = 0.6
"""What counts for a document that holds what the best ones lack."""
_ROUNDS, _DECAY = 2, 0.514
_HELD = 0.3
"""What it is worth to hold a name, beside what of the question is new: shares of the question's idf mass."""
_WORDS = 0.5
"""What words of the names count that stand apart from one another, or in a title."""


def phrase_scores(corpus: Corpus, question: ScanQuestion, hits: Hits, measures: Measures) -> Floats:
    """Per slot, the idf mass of the question's phrases that stand there word for word."""
    scores = np.zeros(len(measures.norm))
    for found in phrase_slots(corpus, question, question.phrases, hits, measures):
        if len(found):
            scores[found] += float(inverse_frequency(np.array([len(found)]), measures.texts)[0])
    return scores / measures.total


def phrase_slots(
    corpus: Corpus, question: ScanQuestion, phrases: Sequence[Phrase], hits: Hits, measures: Measures
) -> list[Ints]:
    """The slots that hold each phrase: around each hit of its rarest word the text itself is compared."""
    index = {term: i for i, term in enumerate(question.terms)}
    rarest: dict[Phrase, tuple[str, int]] = {}
    for phrase in phrases:
        if known := [word for word in phrase if word in index]:
            word = min(known, key=lambda word: measures.frequency[index[word]])
            rarest[phrase] = word, index[word]
    step = PhraseStep(question.literals, tuple((phrase, *word) for phrase, word in rarest.items()))
    replies = corpus.score(hits, step) if rarest else []
    found: list[Ints] = []
    for phrase in phrases:
        if phrase in rarest:
            at = list(rarest).index(phrase)
            found.append(np.concatenate([np.empty(0, np.int64), *(first + slots[at] for first, slots in replies)]))
        else:
            lone = index.get(" ".join(phrase))
            none = np.empty(0, np.int64)
            found.append(none if lone is None else distinct(hits.counts.slot[hits.counts.term == lone]))
    return found


@dataclass(frozen=True, slots=True)
class PhraseStep:
    """Which slots hold phrases, each given with one of its words and the number of that term: `phrase_slots`."""

    terms: tuple[tuple[ScanLiteral, ...], ...]
    phrases: tuple[tuple[Phrase, str, int], ...]

    def within(self, first: int, last: int) -> PhraseStep | None:
        """See `Step`."""
        return self if last > first else None

    def of(self, texts: Corpus, hits: Hits) -> list[Ints]:
        """Of each phrase the slots, in order."""
        return [_holding_phrase(texts, hits, phrase, word, term) for phrase, word, term in self.phrases]


def _holding_phrase(corpus: Corpus, hits: Hits, phrase: Phrase, word: str, term: int) -> Ints:
    around = Around.of(phrase, word, term)
    chosen = np.flatnonzero(hits.term == term)
    passed = corpus.phrases.passing(phrase, word)
    if passed is not None:
        chosen = chosen[corpus.cache.arena.here()[hits.slot[chosen]]]
    found = set(passed or ())
    for slot, at in zip(hits.slot[chosen].tolist(), hits.at[chosen].tolist(), strict=True):
        if slot not in found and around.stands(corpus.cache.folded(slot), at):
            found.add(slot)
    return np.array(sorted(found), np.int64)


def title_scores(corpus: Corpus, question: ScanQuestion, slots: int) -> Floats:
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


def name_scores(corpus: Corpus, question: ScanQuestion, slots: int) -> Floats:
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


def heading_scores(corpus: Corpus, question: ScanQuestion, hits: Hits, measures: Measures, slots: Ints) -> Floats:
    """Per slot, how much of the question its best heading holds, times how much of the heading the question holds.

    Headings are read from the folded text of the given slots only, the candidates, not the workspace; of documents they
    are known.
    """
    scores = np.zeros(len(measures.norm))
    weights = {stem(term): idf for term, idf in zip(question.terms, measures.idf.tolist(), strict=True)}
    step = HeadingStep(question.literals, slots, weights, measures.total)
    _entered(scores, corpus.score(hits, step))
    return scores


def _entered(scores: Floats, replies: Iterable[tuple[int, tuple[Ints, Floats]]]) -> None:
    """Enter what shards say of some of their slots."""
    for first, (own, values) in replies:
        scores[first + own] = values


@dataclass(frozen=True, slots=True)
class HeadingStep:
    """How well the headings of texts fit a question: `heading_scores`."""

    terms: tuple[tuple[ScanLiteral, ...], ...]
    slots: Ints
    weights: Mapping[str, float]
    """The idf of the terms by their stems."""
    total: float

    def within(self, first: int, last: int) -> HeadingStep | None:
        """See `Step`."""
        own = inside(self.slots, first, last)
        return replace(self, slots=self.slots[own] - first) if len(own) else None

    def of(self, texts: Corpus, hits: Hits) -> tuple[Ints, Floats]:
        """The slots, and the score of each."""
        scores = np.zeros(len(self.slots))
        for place, slot in enumerate(self.slots.tolist()):
            if texts.late():
                break
            scores[place] = self._best(texts, slot)
        return self.slots, scores

    def _best(self, texts: Corpus, slot: int) -> float:
        best, weights = 0.0, self.weights
        known = texts.cache.headings(slot)
        for heading in _headings(texts.cache.folded(slot).tobytes()) if known is None else known:
            words = {stem(word.decode()) for word in _HEADING_WORD.findall(heading)} - STOP_WORDS
            shared = [weights[word] for word in words if word in weights]
            of_question = math.fsum(shared) / self.total  # over a set: exact, since its order differs between runs
            if of_question > _LEAST_SHARED:
                best = max(best, (of_question - _LEAST_SHARED) / (1 - _LEAST_SHARED) * len(shared) / len(words))
        return best


def _headings(text: bytes) -> Iterator[bytes]:
    if text.startswith((b"#", b"=")):
        yield text.partition(b"\n")[0]
    for pattern in _HEADINGS:
        for match in pattern.finditer(text):
            yield match[1]


def summary_scores(corpus: Corpus, question: ScanQuestion, measures: Measures) -> Floats:
    """Per slot, how much of the question its description and tags hold, or what was proven from it, beyond three
    tenths."""
    mass = np.zeros(len(measures.norm))
    noted = np.zeros(len(measures.norm))
    for term, idf in zip(question.terms, measures.idf.tolist(), strict=True):
        mass[list(corpus.cache.summaries.holders(term))] += idf
        known = stem(term)
        for file, stems in corpus.notes.items():
            if known in stems:
                noted[[text.slot for text in corpus.cache.texts(file)]] += idf
    return np.maximum(np.maximum(mass, noted) / measures.total - _LEAST_SHARED, 0.0) / (1 - _LEAST_SHARED)


def history_scores(corpus: Corpus, slots: int) -> Floats:
    """Per slot, how well verified evidence of earlier questions in that file matches this one, from 0 to 1.

    It enters as data, file by file, since the engine knows no store; empty while there is none.
    """
    scores = np.zeros(slots)
    for file, value in corpus.history.items():
        for text in corpus.cache.texts(file):
            scores[text.slot] = value
    return scores


def proximity_scores(
    corpus: Corpus, question: ScanQuestion, hits: Hits, measures: Measures, promising: Floats
) -> Floats:
    """Per slot, the idf mass of the distinct terms that meet within two neighbouring cells of 300 bytes."""
    slots = len(measures.norm)
    scores = np.zeros(slots)
    near = np.ones(slots, bool)
    if slots > _PROXIMITY_TEXTS:
        near = promising >= np.partition(promising, -_PROXIMITY_TEXTS)[-_PROXIMITY_TEXTS]
    _entered(scores, corpus.score(hits, ProximityStep(question.literals, np.flatnonzero(near), measures.idf)))
    return scores / measures.total


@dataclass(frozen=True, slots=True)
class ProximityStep:
    """The idf mass of the terms that meet in texts: `proximity_scores`."""

    terms: tuple[tuple[ScanLiteral, ...], ...]
    slots: Ints
    """In order."""
    idf: Floats

    def within(self, first: int, last: int) -> ProximityStep | None:
        """See `Step`."""
        own = inside(self.slots, first, last)
        return replace(self, slots=self.slots[own] - first) if len(own) else None

    def of(self, texts: Corpus, hits: Hits) -> tuple[Ints, Floats]:
        """The slots, and the mass of each."""
        scores = np.zeros(texts.slots)
        for part in texts.parts(hits, self.slots):
            if texts.late():
                break
            _meetings(scores, texts.places(hits, self.terms, part), self.idf)
        return self.slots, scores[self.slots]


def _meetings(scores: Floats, hits: Hits, idf: Floats) -> None:
    """Enter for some texts, of which these are all places, the idf mass of the terms that meet."""
    if not len(hits):
        return
    terms = len(idf)
    cell = hits.at // _PROXIMITY + 1
    width = int(cell.max()) + 1
    place = hits.slot.astype(np.int64) * width + cell
    keys = distinct(np.concatenate([place * terms + hits.term, (place - 1) * terms + hits.term]))
    place, term = np.divmod(keys, terms)
    cells, count = counted(place)
    mass = np.bincount(np.repeat(np.arange(len(cells)), count), weights=idf[term])
    np.maximum.at(scores, cells // width, mass)


@dataclass(frozen=True, slots=True)
class SignalInput:
    """What a signal may look at: the question, and what one scan of the workspace found for it."""

    corpus: Corpus
    question: ScanQuestion
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
    """What switches it off and is told of it (`model/plan.py`)."""
    score: Callable[[SignalInput], Floats]
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
        lambda s: heading_scores(s.corpus, s.question, s.hits, s.measures, s.candidates),
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
            s.corpus, s.question, s.hits, s.measures, s.scores["coverage"] + s.scores["phrases"] + s.scores["titles"]
        ),
        0.109,
        0.2,
    ),
)
"""All signals, in the order in which they are measured and added up (docs/explanation/algorithm.md says each in words).

The weights of phrases, titles and proximity come from a random search over all visible questions; names, headings and
descriptions were set by hand with the same questions in view."""


@dataclass(frozen=True, slots=True)
class Mention:
    """How a source names a target."""

    near: float
    """Share of the question's idf mass within 80 code points of the mention; within 200 it counts 0.4."""
    at: int
    """Code points from the start of the source."""
    namesakes: int
    """How many documents answer to that name."""
    sure: float = 1.0
    """Less than 1 for a single word whose target says in parentheses that it means something not asked for."""


@dataclass(slots=True)
class Links:
    """Edges (source slot, target slot) by kind."""

    forward: dict[tuple[int, int], Mention] = field(default_factory=dict)
    reverse: set[tuple[int, int]] = field(default_factory=set)
    shared: dict[tuple[int, int], float] = field(default_factory=dict)
    """Rarity, 0 to 1, of the rarest name that stands in both."""

    def targets(self) -> set[int]:
        """Every document some edge leads to."""
        return {target for edges in (self.forward, self.reverse, self.shared) for _, target in edges}


class LinkFinder:
    """Follows links out of sources for one question."""

    def __init__(self, corpus: Corpus, question: ScanQuestion, hits: Hits, measures: Measures) -> None:
        self._corpus = corpus
        self._question = " ".join(question.words)
        self._stems = frozenset(map(stem, question.words))
        self._hits = hits
        self._literals = question.literals
        self._measures = measures
        self._known: dict[int, SourceRegion | None] = {}
        self._expanded: set[int] = set()
        self.links = Links()

    def expand(self, sources: Sequence[int]) -> None:
        """Add the documents that the best region of each source names."""
        self._look_up(sources)
        for source in sources:
            if source not in self._expanded and not self._corpus.late():
                self._expanded.add(source)
                for target, mention in self._mentions(source):
                    known = self.links.forward.get((source, target))
                    if known is None or mention.near > known.near:
                        self.links.forward[source, target] = mention

    def look_back(self, ranked: Ints, base: Floats) -> None:
        """Add the documents that name the top sources, and those that share a rare name with them."""
        sources = ranked[:_REVERSE_SOURCES].tolist()
        titles = [(source, name) for source in sources for name in self._titles(source)]
        names = list(self._rare_names(ranked[:_NAME_SOURCES].tolist()))
        slots = self._holders([name for _, name in titles + names])
        for source, name in titles:
            best = self._corpus.order(slots[name], base[slots[name]], _MOST_REVERSE)
            self.links.reverse.update((source, target) for target in best.tolist() if target != source)
        texts = self._measures.texts
        for source, name in names:
            if 1 < len(slots[name]) <= _RARE:
                rarity = _rarity(texts, len(slots[name]))
                for edge in ((source, target) for target in slots[name].tolist() if target != source):
                    self.links.shared[edge] = max(self.links.shared.get(edge, 0.0), rarity)

    def _holders(self, names: list[str]) -> dict[str, Ints]:
        """Which slots hold each name, given as written; letters, digits and what stands between them must agree."""
        spellings = {name: dict.fromkeys((fold(name), key(name))) for name in names}
        literals = [tuple(exact_literal(text) for text in texts) for texts in spellings.values()]
        found = self._corpus.count(literals, cancelled=self._corpus.late).counts
        return {name: np.sort(found.slot[found.term == index]) for index, name in enumerate(spellings)}

    def _titles(self, source: int) -> Iterator[str]:
        """The names of a document that are long enough to be recognised in a text."""
        for name in self._corpus.cache.names(source):
            plain = key(name)
            if len(plain) >= (4 if " " in plain else 6):
                yield name

    def _rare_names(self, sources: list[int]) -> Iterator[tuple[int, str]]:
        """Capitalised names of two or more words from the best regions, at most sixteen, none of them a title."""
        seen = 0
        self._look_up(sources)
        titles = self._corpus.cache.titles
        for source in sources:
            region = self._region(source)
            own: set[str] = set()
            for match in NAME.finditer("" if region is None else region.text):
                written = match.group().strip(" .,'-")
                name = key(written)
                if name in own or " " not in name or len(name) < 6 or titles.slots(name) or name in self._question:
                    continue
                if seen == _NAMES:
                    return
                seen += 1
                own.add(name)
                yield source, written

    def _look_up(self, sources: Iterable[int]) -> None:
        """Know what stands where in some documents."""
        fresh = np.array([source for source in sources if source not in self._known], np.int64)
        if len(fresh):
            self._known.update(dict.fromkeys(fresh.tolist()))
            step = RegionStep(self._literals, fresh, self._measures.idf)
            for first, regions in self._corpus.score(self._hits, step):
                self._known.update((first + region.slot, region) for region in regions)

    def _region(self, source: int) -> SourceRegion | None:
        self._look_up([source])
        return self._known[source]

    def _mentions(self, source: int) -> Iterator[tuple[int, Mention]]:
        region = self._region(source)
        if region is None:
            return
        yield from self._written_links(source, region)
        words, offsets = _words(region.text)
        written = [region.text[offset].isupper() or region.text[offset].isdigit() for offset in offsets]
        for first, length, slots in self._corpus.cache.titles.named_in(words, written):
            offset = region.start + offsets[first]
            mention = Mention(self._near(region, offset), offset, len(slots))
            for target in slots:
                if target != source:
                    doubtful = length == 1 and self._means_another(target)
                    yield target, replace(mention, sure=_DOUBTFUL) if doubtful else mention

    def _means_another(self, target: int) -> bool:
        """Whether a file's name says in parentheses what it means, and nothing of that is asked for."""
        text = self._corpus.cache.slots[target]
        said = None if text is None else _MEANT.search(file_name(text.key[1]))
        return said is not None and self._stems.isdisjoint(map(stem, WORD.findall(fold(said[1]))))

    def _written_links(self, source: int, region: SourceRegion) -> Iterator[tuple[int, Mention]]:
        """Targets of wiki and Markdown links in a region."""
        for match in _LINK.finditer(region.text):
            wiki = key(plain_name(file_name(match[1]))) if match[1] else ""
            targets = self._corpus.cache.titles.slots(wiki) if match[1] else self._relative(source, match[2])
            offset = region.start + match.start()
            mention = Mention(self._near(region, offset), offset, max(1, len(targets)))
            yield from ((target, mention) for target in targets if target != source)

    def _relative(self, source: int, target: str) -> list[int]:
        """The document a relative path leads to from the source's folder, with or without its suffix."""
        cached = self._corpus.cache.slots[source]
        if cached is None or "://" in target:
            return []
        root, path = cached.key
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(target)))
        for candidate in (place, f"{place}.md"):
            texts = self._corpus.cache.texts((root, candidate))
            if texts:
                return [texts[0].slot]
        return []

    def _near(self, region: SourceRegion, offset: int) -> float:
        mass = 0.0
        for term, positions in zip(region.terms.tolist(), region.places, strict=True):
            after = int(np.searchsorted(positions, offset))
            distance = min(abs(int(positions[i]) - offset) for i in (after - 1, after) if 0 <= i < len(positions))
            idf = float(self._measures.idf[term])
            if distance < _NEAR:
                mass += idf
            elif distance < _AROUND:
                mass += _AROUND_WEIGHT * idf
        return mass / self._measures.total


@dataclass(frozen=True, slots=True)
class SourceRegion:
    """The stretch of a document in which others are mentioned."""

    slot: int
    start: int
    """Code points before it."""
    text: str
    terms: Ints
    """The terms that stand in it or close to it, in order."""
    places: tuple[Ints, ...]
    """Where each of them does, in code points of the document, in order."""


@dataclass(frozen=True, slots=True)
class RegionStep:
    """The best regions of some documents: all of a short one, 1,200 code points around the best of a long one."""

    terms: tuple[tuple[ScanLiteral, ...], ...]
    slots: Ints
    idf: Floats

    def within(self, first: int, last: int) -> RegionStep | None:
        """See `Step`."""
        own = inside(self.slots, first, last)
        return replace(self, slots=self.slots[own] - first) if len(own) else None

    def of(self, texts: Corpus, hits: Hits) -> list[SourceRegion]:
        """The region of each, as far as there is time."""
        found = texts.places(hits, self.terms, self.slots)
        regions = []
        for slot in self.slots.tolist():
            if texts.late():
                break
            regions.append(self._of(texts, slot, found.of(found.slot == slot)))
        return regions

    def _of(self, texts: Corpus, slot: int, hits: Hits) -> SourceRegion:
        text = texts.source(slot)
        at = texts.points(slot, hits.at)
        start, end = self._bounds(len(text), hits.term, at)
        near = (at >= start - _AROUND) & (at < end + _AROUND)
        term, at = hits.term[near], at[near]
        terms = distinct(term)
        return SourceRegion(slot, start, text[start:end], terms, tuple(np.sort(at[term == one]) for one in terms))

    def _bounds(self, length: int, term: Places, at: Ints) -> tuple[int, int]:
        if length <= _WHOLE:
            return 0, length
        if not len(at):
            return 0, 4 * _CELL
        cell = at // _CELL
        mass = np.zeros(int(cell.max()) + 2)
        for one in distinct(term):
            present = distinct(cell[term == one])
            mass[distinct(np.concatenate([present, np.maximum(present - 1, 0)]))] += self.idf[one]
        best = int(np.argmax(mass))
        return max(0, (best - 1) * _CELL), min(length, (best + 3) * _CELL)


def _rarity(texts: int, holding: int) -> float:
    """How rare a name is that stands in so many of all texts, from 0 to 1."""
    return float(np.log1p(texts / holding) / np.log1p(texts))


def _words(region: str) -> tuple[list[str], list[int]]:
    """The folded words of a region and where each begins, in code points."""
    folded = fold(region)
    if len(folded) == len(region):
        found = [(match.group(), match.start()) for match in WORD.finditer(folded)]
    else:
        found = [
            (match.group(), min(piece.start() + match.start(), piece.end() - 1))
            for piece in _SPACED.finditer(region)
            for match in WORD.finditer(fold(piece.group()))
        ]
    return [word for word, _ in found], [at for _, at in found]


@dataclass(frozen=True, slots=True)
class Prior:
    """Scores over all slots before normalisation, and each signal family's part in them."""

    scores: Floats
    ranked: Ints
    """Candidate slots, best first."""
    parts: Mapping[str, Floats]
    links: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Slots that a slot names."""

    def shares(self, slot: int) -> dict[str, float]:
        """Each signal family's share of the score of a document."""
        parts = {name: float(part[slot]) for name, part in self.parts.items()}
        total = sum(parts.values()) or 1.0
        return {name: round(part / total, 6) for name, part in parts.items()}


def prior(
    corpus: Corpus, question: ScanQuestion, hits: Hits, measures: Measures, *, ablate: Set[str] = frozenset()
) -> Prior:
    """Score every document for the question: π_prior at the level of documents (paper, equation 6).

    ``ablate`` switches families off.
    """
    scanned = SignalInput(corpus, question, hits, measures)
    scores = _measured(scanned, ablate, closer=False)
    exploring = _fused(_families(scores, lambda signal: signal.exploring))
    followed = _ranked(corpus, exploring, np.flatnonzero(exploring > 0), _CANDIDATES)
    scores = _measured(replace(scanned, candidates=followed, scores=scores), ablate, closer=True)
    parts = _families(scores, lambda signal: signal.weight)
    base = _fused(parts)
    if not len(followed) or ablate & {"links", "scans"}:
        return Prior(base, _ranked(corpus, base, followed, _CANDIDATES), parts)
    finder = LinkFinder(corpus, question, hits, measures)
    candidates = _follow(corpus, finder, exploring, followed)
    linked = propagate(base, candidates, finder.links, measures)
    linked = np.maximum(linked, complete(base, candidates, measures))
    parts["scans"] = parts["scans"] + linked - base
    targets: dict[int, tuple[int, ...]] = {}
    for source, target in finder.links.forward:
        targets[source] = (*targets.get(source, ()), target)
    return Prior(linked, _ranked(corpus, linked, candidates, len(candidates)), parts, targets)


def _measured(scanned: SignalInput, ablate: Set[str], *, closer: bool) -> dict[str, Floats]:
    """What the signals say of every slot, by name: those that look at candidates alone, or the others; zeros of those
    that are not asked and of which nothing is known."""
    scores = {signal.name: np.zeros(len(scanned.measures.norm)) for signal in SIGNALS} | dict(scanned.scores)
    for signal in SIGNALS:
        if signal.closer is closer and signal.family not in ablate:
            scores[signal.name] = signal.score(replace(scanned, scores=scores))
    return scores


def _families(scores: Mapping[str, Floats], weight: Callable[[Signal], float]) -> dict[str, Floats]:
    """The weighted sum of each family's signals."""
    families: dict[str, Floats] = {}
    for signal in SIGNALS:
        part = weight(signal) * scores[signal.name]
        families[signal.family] = families[signal.family] + part if signal.family in families else part
    return families


def _fused(families: Mapping[str, Floats]) -> Floats:
    return np.asarray(np.sum(list(families.values()), axis=0), np.float64)


def _ranked(corpus: Corpus, scores: Floats, slots: Ints, most: int) -> Ints:
    return corpus.order(slots, scores[slots], most)


def _follow(corpus: Corpus, finder: LinkFinder, exploring: Floats, followed: Ints) -> Ints:
    """Two hops of links out of the best documents; all candidates they lead to."""
    finder.expand(followed[:_SOURCES].tolist())
    finder.look_back(followed, exploring)
    provisional = exploring.copy()
    best = float(exploring.max())
    for (source, target), mention in finder.links.forward.items():
        gain = 0.3 * exploring[source] / best * (1 + 0.5 * mention.near) / mention.namesakes**0.5
        provisional[target] = max(provisional[target], exploring[target] + gain)
    candidates = corpus.named(np.array([*{*followed.tolist(), *finder.links.targets()}], np.int64))
    finder.expand(_ranked(corpus, provisional, candidates, _SECOND_SOURCES).tolist())
    return corpus.named(np.array([*{*candidates.tolist(), *finder.links.targets()}], np.int64))


def propagate(base: Floats, candidates: Ints, links: Links, measures: Measures) -> Floats:
    """Pass weight from the best documents along links, `_ROUNDS` times, each time less."""
    row = {slot: index for index, slot in enumerate(candidates.tolist())}
    covered = measures.rows(candidates)
    own = base[candidates]
    sources, targets, weights = _edges(links, row, covered, measures)
    scores = own.copy()
    for turn in range(_ROUNDS):
        threshold = np.sort(scores)[-min(len(scores), _PASSING)]
        strength = np.where(scores >= threshold, (scores / scores.max()) ** _SOURCE_POWER, 0.0)
        gain = np.zeros(len(scores))
        np.maximum.at(gain, targets, strength[sources] * weights)
        scores = np.maximum(scores, own + gain * _DECAY**turn)
    spread = base.copy()
    spread[candidates] = scores
    return spread


def complete(base: Floats, candidates: Ints, measures: Measures, leaders: int = _PASSING) -> Floats:
    """Give each candidate more for the part of the question that it holds and the ``leaders``, the best others,
    together do not.

    The best one needs nothing to complete it and keeps its score.
    """
    own, covered = base[candidates], measures.rows(candidates)
    best = np.argsort(-own, kind="stable")[:leaders]
    held = np.sort(covered[best], axis=0)
    known = np.tile(held[-1], (len(candidates), 1))
    if len(best) > 1:  # what one of the best holds itself does not count against it
        known[best] = np.where(covered[best] == held[-1], held[-2], held[-1])
    gain = np.maximum(covered - known, 0.0) @ measures.idf / measures.total
    gain[best[0]] = 0.0
    completed = base.copy()
    completed[candidates] += _LACKING * gain
    return completed


def _edges(links: Links, row: dict[int, int], covered: Floats, measures: Measures) -> tuple[Ints, Ints, Floats]:
    """All links as rows of sources, rows of targets and weights; a target that adds nothing new is worth little."""

    def gain(source: int, target: int) -> float:
        new = np.maximum(covered[row[target]] - covered[row[source]], 0.0)
        return float(new @ measures.idf) / measures.total

    table: list[tuple[int, int, float]] = []
    for (source, target), mention in links.forward.items():
        early = 1.0 / (1.0 + mention.at / 400.0)
        weight = (
            _FORWARD
            + _FORWARD_NEAR * min(1.0, 2.0 * mention.near)
            + _FORWARD_GAIN * gain(source, target)
            + _FORWARD_EARLY * early
        ) * (mention.sure / mention.namesakes**0.5)
        table.append((row[source], row[target], weight))
    for source, target in links.reverse:
        table.append((row[source], row[target], _REVERSE_GAIN * gain(source, target)))
    for (source, target), rarity in links.shared.items():
        weight = rarity * _SHARED * (_SHARED_BASE + gain(source, target))
        table.append((row[source], row[target], weight))
    columns = np.array(table, np.float64).reshape(-1, 3)
    return columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64), columns[:, 2]


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
    question: ScanQuestion
    hits: Hits
    measures: Measures


def bridges(corpus: Corpus, named: Named, alike: Floats, new: Floats) -> Floats:
    """Per slot, how well new names lead there: the rarest that stands in it, by what of the question is ``new`` there.

    ``alike`` is how well each slot fits the names' words, whatever their order.
    """
    measures = named.measures
    rarest = np.zeros(len(measures.norm))
    for found in phrase_slots(corpus, named.question, named.names, named.hits, measures):
        if len(found):
            rarest[found] = np.maximum(rarest[found], _rarity(measures.texts, len(found)))
    return np.asarray((rarest + _WORDS * alike / (float(alike.max()) or 1.0)) * (_HELD + new), np.float64)
