"""The question of the warm rows, answered by the package's own scan and measures: ten documents, a window in each.

``python -m benchmarks.speed.answering WAY FOLDER CORPUS TERMS`` does it once with nothing cached and prints as JSON the
seconds of the work alone (imports left out) and the number of matches.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.measuring import timed
from benchmarks.speed.queries import TERMS, literals
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.encoding import Arena
from lens_lsp.corpus.safe_open import Root, read_files
from lens_lsp.corpus.scan import Hits, scan
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.search.corpus_view import Ints, Measures, measure

TOP = 10
WINDOW = 600
"""Bytes of a window."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The best slots, the best window of each as byte offsets, and every match."""

    slots: list[int]
    windows: list[tuple[int, int]]
    hits: Hits

    def by_term(self, terms: Sequence[str]) -> dict[str, int]:
        counts = np.bincount(self.hits.term, minlength=len(terms)).tolist()
        return dict(zip(terms, counts, strict=True))

    def by_slot(self) -> Counter[int]:
        slots, counts = np.unique(self.hits.slot, return_counts=True)
        return Counter(dict(zip(slots.tolist(), counts.tolist(), strict=True)))


def answer(arena: Arena, terms: Sequence[str]) -> Answer:
    """Scan, BM25, the ten best texts, the best window of each."""
    hits = scan(arena.chunks(), literals(terms))
    lengths = arena.lengths()
    measures = measure(hits, len(terms), lengths, int(np.count_nonzero(lengths)))
    scores = measures.coverage()
    count = min(TOP, int(np.count_nonzero(scores)))
    best = np.argpartition(-scores, count - 1)[:count] if count else np.empty(0, np.int64)
    best = best[np.argsort(-scores[best], kind="stable")]
    return Answer(best.tolist(), windows(best, hits, measures), hits)


def windows(slots: Ints, hits: Hits, measures: Measures) -> list[tuple[int, int]]:
    """In each text the window that holds the most idf mass."""
    wanted = np.zeros(len(measures.norm), bool)
    wanted[slots] = True
    hits = hits.of(wanted[hits.slot])
    found = []
    for slot in slots.tolist():
        own = hits.of(hits.slot == slot)
        order = np.argsort(own.at)
        places = own.at[order]
        mass = np.concatenate([[0.0], np.cumsum(measures.idf[own.term[order]])])
        inside = mass[np.searchsorted(places, places + WINDOW)] - mass[:-1]
        start = int(places[np.argmax(inside)])
        found.append((start, min(int(measures.lengths[slot]), start + WINDOW)))
    return found


def lowered(folder: str) -> tuple[Arena, list[str]]:
    """All files of a folder with ASCII letters lowered and nothing else done: slots are places in the list of paths."""
    arena = Arena()
    with Root(folder) as root:
        paths = discover(root, CorpusRules(), names_only=True).paths
        for path, (data, _) in zip(paths, read_files(root, paths, sys.maxsize), strict=True):
            if not isinstance(data, bytes):
                raise OSError(f"{path} cannot be read")
            arena.add(data.lower())
    return arena, paths


def cached(folder: str) -> TextStore:
    """What a question finds in memory: every text folded, with its names."""
    cache = TextStore()
    with Root(folder) as root:
        cache.fill(root, discover(root, CorpusRules(), names_only=True).paths, {})
    return cache


def from_nothing(way: str, folder: str, terms: Sequence[str]) -> tuple[Answer, object]:
    """Walk, read, fold and answer. ``way``: "product" fills the cache of a question, "lean" only lowers ASCII.

    With the answer come the texts: a server keeps them, so throwing them away must not be timed.
    """
    if way == "product":
        cache = cached(folder)
        return answer(cache.arena, terms), cache
    arena, _ = lowered(folder)
    return answer(arena, terms), arena


def main(arguments: Sequence[str]) -> None:
    way, folder, corpus, terms = arguments
    found: list[tuple[Answer, object]] = []
    timing = timed(lambda: found.append(from_nothing(way, folder, TERMS[corpus][terms])))
    matches = len(found[0][0].hits)
    print(json.dumps({"wall": timing.wall, "cpu": timing.cpu, "matches": matches}))


if __name__ == "__main__":
    main(sys.argv[1:])
