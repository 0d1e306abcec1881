"""Second-hop evidence: documents that the best windows name, that name them, or that share a rare name with them.

A document found this way may share no word with the question; the signal family "corpus scans" carries it. This
was the largest single gain in recall of everything tried (docs/explanation/algorithm.md).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

import numpy as np

from lens_lsp.corpus.descriptions import file_name, plain_name
from lens_lsp.corpus.scan import Hits, distinct, exact_literal, scan
from lens_lsp.judge.analysis import NAME
from lens_lsp.model.words import WORD, fold, key, stem
from lens_lsp.search.corpus import Corpus
from lens_lsp.search.measure import Floats, Ints, Measures
from lens_lsp.search.question import Question

_LINK = re.compile(r"\[\[([^\]|#\n]{1,200})|\]\(<?([^)#>\s]{1,300})")
_WHOLE = 3000
"""Documents up to this many code points are read whole for mentions; of longer ones the best region."""
_CELL = 300
_SOURCES = 10
_REVERSE_SOURCES = 4
_MOST_REVERSE = 40
_NAME_SOURCES = 3
_NAMES = 16
_RARE = 20
_SPACED = re.compile(r"\S+")
_MEANT = re.compile(r"[ _]\(([^)]*)\)$")
_DOUBTFUL = 0.5
_NEAR = 80
_AROUND = 200
_AROUND_WEIGHT = 0.4


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

    def __init__(self, corpus: Corpus, question: Question, hits: Hits, measures: Measures) -> None:
        self._corpus = corpus
        self._question = " ".join(question.words)
        self._stems = frozenset(map(stem, question.words))
        self._hits = hits
        self._literals = question.literals
        self._measures = measures
        self._known: dict[int, Hits] = {}
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
            best = slots[name][np.argsort(-base[slots[name]], kind="stable")[:_MOST_REVERSE]]
            self.links.reverse.update((source, target) for target in best.tolist() if target != source)
        texts = self._measures.texts
        for source, name in names:
            if 1 < len(slots[name]) <= _RARE:
                rarity = float(np.log1p(texts / len(slots[name])) / np.log1p(texts))
                for target in slots[name].tolist():
                    if target != source:
                        edge = (source, target)
                        self.links.shared[edge] = max(self.links.shared.get(edge, 0.0), rarity)

    def _holders(self, names: list[str]) -> dict[str, Ints]:
        """Which slots hold each name, given as written; letters, digits and what stands between them must agree."""
        spellings = {name: dict.fromkeys((fold(name), key(name))) for name in names}
        literals = [tuple(exact_literal(text) for text in texts) for texts in spellings.values()]
        found = scan(self._corpus.cache.chunks(), literals, cancelled=self._corpus.late).counts
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
            text = self._corpus.source(source)
            start, end = self._region(source, len(text))
            own: set[str] = set()
            for match in NAME.finditer(text, start, end):
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
        fresh = [source for source in sources if source not in self._known]
        if fresh:
            found = self._corpus.places(self._hits, self._literals, np.array(fresh))
            self._known.update((source, found.of(found.slot == source)) for source in fresh)

    def _of(self, source: int) -> Hits:
        self._look_up([source])
        return self._known[source]

    def _region(self, source: int, length: int) -> tuple[int, int]:
        """Where to look for mentions: all of a short document, 1,200 code points around the best of a long one."""
        if length <= _WHOLE:
            return 0, length
        hits = self._of(source)
        if not len(hits):
            return 0, 4 * _CELL
        cell = self._corpus.points(source, hits.at) // _CELL
        mass = np.zeros(int(cell.max()) + 2)
        for term in distinct(hits.term):
            present = distinct(cell[hits.term == term])
            mass[distinct(np.concatenate([present, np.maximum(present - 1, 0)]))] += self._measures.idf[term]
        best = int(np.argmax(mass))
        return max(0, (best - 1) * _CELL), min(length, (best + 3) * _CELL)

    def _mentions(self, source: int) -> Iterator[tuple[int, Mention]]:
        text = self._corpus.source(source)
        start, end = self._region(source, len(text))
        yield from self._written_links(source, text, start, end)
        places = self._places(source)
        words, offsets = _words(text, start, end)
        written = [text[offset].isupper() or text[offset].isdigit() for offset in offsets]
        for first, length, slots in self._corpus.cache.titles.named_in(words, written):
            offset = offsets[first]
            mention = Mention(self._near(places, offset), offset, len(slots))
            for target in slots:
                if target != source:
                    doubtful = length == 1 and self._means_another(target)
                    yield target, replace(mention, sure=_DOUBTFUL) if doubtful else mention

    def _means_another(self, target: int) -> bool:
        """Whether a file's name says in parentheses what it means, and nothing of that is asked for."""
        text = self._corpus.cache.slots[target]
        said = None if text is None else _MEANT.search(file_name(text.key[1]))
        return said is not None and self._stems.isdisjoint(map(stem, WORD.findall(fold(said[1]))))

    def _written_links(self, source: int, text: str, start: int, end: int) -> Iterator[tuple[int, Mention]]:
        """Targets of wiki and Markdown links in a region."""
        places = self._places(source)
        for match in _LINK.finditer(text, start, end):
            targets = self._wiki(match[1]) if match[1] else self._relative(source, match[2])
            mention = Mention(self._near(places, match.start()), match.start(), max(1, len(targets)))
            yield from ((target, mention) for target in targets if target != source)

    def _wiki(self, target: str) -> list[int]:
        return self._corpus.cache.titles.slots(key(plain_name(file_name(target))))

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

    def _places(self, source: int) -> list[tuple[Ints, float]]:
        """For each term of the question, where it stands in the source, in code points, and its idf."""
        hits = self._of(source)
        at = self._corpus.points(source, hits.at)
        return [(np.sort(at[hits.term == term]), float(self._measures.idf[term])) for term in distinct(hits.term)]

    def _near(self, places: list[tuple[Ints, float]], offset: int) -> float:
        mass = 0.0
        for positions, idf in places:
            after = int(np.searchsorted(positions, offset))
            distance = min(abs(int(positions[i]) - offset) for i in (after - 1, after) if 0 <= i < len(positions))
            if distance < _NEAR:
                mass += idf
            elif distance < _AROUND:
                mass += _AROUND_WEIGHT * idf
        return mass / self._measures.total


def _words(text: str, start: int, end: int) -> tuple[list[str], list[int]]:
    """The folded words of a region and where each begins, in code points of the text."""
    region = text[start:end]
    folded = fold(region)
    if len(folded) == len(region):
        matches = list(WORD.finditer(folded))
        return [match.group() for match in matches], [start + match.start() for match in matches]
    words: list[str] = []
    offsets: list[int] = []
    for piece in _SPACED.finditer(region):
        for match in WORD.finditer(fold(piece.group())):
            words.append(match.group())
            offsets.append(start + min(piece.start() + match.start(), piece.end() - 1))
    return words, offsets
