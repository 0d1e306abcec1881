"""A few files on disk, read into a corpus, and what the engine makes of a question about them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.scan import Hits, scan
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.search.corpus_view import Corpus, DocumentAccess, Measures, measure
from lens_lsp.search.localisation import Localisation, localise
from lens_lsp.search.prior import LinkFinder
from lens_lsp.search.question import ScanQuestion, prepare

FILLER = {
    f"filler/{number:02}.md": f"Nothing of note happened on page {number}, nor on any page.\n" for number in range(20)
}
"""Files that share no content word with the questions of the tests, so that rarity means something."""


@dataclass(frozen=True)
class Asked:
    """A question, ready, and what one scan measured for it."""

    question: ScanQuestion
    hits: Hits
    measures: Measures


class Workspace:
    """Files by path below a folder; the root stays open until ``close``."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self._folder = folder
        self._root = Root(str(folder))
        self.cache = TextStore()
        self.write(files)
        self.corpus = Corpus(self.cache, self._source)

    def write(self, files: Mapping[str, str]) -> None:
        """More files, or the same with another text."""
        for path, text in files.items():
            (self._folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / path).write_bytes(text.encode())
        self.cache.refresh([self._root], discover(self._root, CorpusRules()).files, {})

    def close(self) -> None:
        self._root.close()

    def _source(self, slot: int) -> str:
        text = self.cache.slots[slot]
        assert text is not None
        return self.cache.source(text)

    def slot(self, path: str) -> int:
        return next(text.slot for text in self.cache.slots if text is not None and text.key[1] == path)

    def path(self, slot: int) -> str:
        text = self.cache.slots[slot]
        assert text is not None
        return text.key[1]

    def ask(self, query: str) -> Asked:
        question = prepare(analyse(query))
        hits = scan(self.cache.chunks(), question.literals)
        measures = measure(hits, len(question.terms), self.cache.arena.lengths(), self.cache.live)
        return Asked(question, hits, measures)

    def localise(self, query: str, ablate: Set[str] = frozenset(), limit: int = 10) -> Localisation:
        return localise(self.reading, analyse(query), limit, ablate=ablate)

    @property
    def reading(self) -> DocumentAccess:
        """What reads its documents."""
        return DocumentAccess(self.cache, Snapshot([self._root], {}, CorpusRules()))

    def passages(self, query: str, limit: int = 10) -> list[tuple[str, str]]:
        """Path and text of each passage, best first."""
        return [
            (self.path(one.slot), self.corpus.source(one.slot)[one.span.start : one.span.end])
            for one in self.localise(query, limit=limit).passages
        ]

    def ranked(self, query: str, ablate: Set[str] = frozenset()) -> list[str]:
        return [self.path(slot) for slot in self.localise(query, ablate).candidates.overall.ranked.tolist()]

    def links(self, query: str) -> LinkFinder:
        asked = self.ask(query)
        return LinkFinder(self.corpus, asked.question, asked.hits, asked.measures)

    def scores(self, values: np.ndarray) -> dict[str, float]:
        """The scores that are not 0, by path."""
        return {self.path(slot): float(values[slot]) for slot in np.flatnonzero(values).tolist()}
