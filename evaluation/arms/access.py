"""The raw files as every arm without an index may use them: search for words, read a page. Nothing else is open to it.

The files are those that LENS sees, found and decoded by the same code and brought in line with the disk at every use.
The ranking is by words alone: BM25 over what one scan counts, no names, no links, no store. Whatever leads outside the
folder is no document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.arms.indexes import WINDOW
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.scan import Hits, scan, word_literal
from lens_lsp.corpus.workspace import Workspace
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import STOP_WORDS, key
from lens_lsp.search.corpus_view import DocumentAccess, Measures, measure

PAGE = 2_400
"""Code points that one reading shows at most."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a document: half-open ``[start, end)`` in code points of its text, at most 600 of them."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """What one reading shows. ``next`` is the offset at which the document goes on, None at its end."""

    excerpts: tuple[Excerpt, ...]
    next: int | None


class Access:
    """The documents of one folder. Not safe for threads."""

    def __init__(self, folder: Path) -> None:
        self._workspace = Workspace([folder], CorpusRules(), None)

    def search(self, query: str, count: int) -> list[Excerpt]:
        """The best place of each of the ``count`` documents that hold most of the query's words; best first."""
        words = [word for word in dict.fromkeys(key(query).split()) if word not in STOP_WORDS]
        with self._workspace.open() as opened:
            ready = self._workspace.bring_up(opened, _SILENT, {}, None)
            cache = self._workspace.cache
            reading = DocumentAccess(cache, ready.snapshot)
            terms = [(literal,) for literal in dict.fromkeys(word_literal(word) for word in words)]
            hits = scan(cache.chunks(), terms)
            measures = measure(hits, len(terms), cache.arena.lengths(), cache.live)
            scores = measures.coverage()
            matching = np.flatnonzero(scores > 0)
            found: dict[str, Excerpt] = {}
            for slot in reading.corpus.order(matching, scores[matching]).tolist():
                own = reading.corpus.places(hits, terms, np.array([slot]))
                excerpt = _best_place(reading, slot, own, measures)
                if excerpt is not None:
                    found.setdefault(excerpt.path, excerpt)
                if len(found) == count:
                    break
        return list(found.values())

    def read(self, path: str, offset: int = 0) -> Page | None:
        """A page of a document, from an offset on; None when there is no such document or it ends before."""
        with self._workspace.open() as opened:
            ready = self._workspace.bring_up(opened, _SILENT, {}, None)
            reading = DocumentAccess(self._workspace.cache, ready.snapshot)
            slots = [text.slot for text in self._workspace.cache.texts((0, path))]
            before = [(reading.before(slot), slot) for slot in slots if reading.before(slot) <= offset]
            if offset < 0 or not before:
                return None
            first, slot = max(before)
            document = reading.document(slot)
        if document is None or offset - first >= len(document.text):
            return None
        text, start = document.text, offset - first
        spans = windows(text, start, min(start + PAGE, len(text)))
        excerpts = [Excerpt(path, first + span.start, first + span.end, text[span.start : span.end]) for span in spans]
        end = spans[-1].end if spans else len(text)
        more = end < len(text) or slot != max(slots)
        return Page(tuple(excerpts), first + end if more else None)


def windows(text: str, start: int, end: int) -> list[Span]:
    """Whole sentences of a stretch together, up to 600 code points; a longer sentence is cut."""
    found: list[Span] = []
    for sentence in sentences(text, Span(start, end)):
        if found and sentence.end - found[-1].start <= WINDOW:
            found[-1] = Span(found[-1].start, sentence.end)
            continue
        cuts = range(sentence.start, sentence.end, WINDOW)
        found.extend(Span(at, min(at + WINDOW, sentence.end)) for at in cuts)
    return found


def _best_place(reading: DocumentAccess, slot: int, hits: Hits, measures: Measures) -> Excerpt | None:
    """The 600 code points of a document with the greatest weight of different words, from the start of a sentence;
    ``hits`` are those in it."""
    document = reading.document(slot)
    if document is None:
        return None
    order = np.argsort(hits.at, kind="stable")
    at = reading.corpus.points(slot, hits.at[order]).tolist()
    terms = hits.term[order].tolist()
    text = document.text
    first = _heaviest(at, terms, measures.idf.tolist())
    last = max(place for place in at if place < at[first] + WINDOW)
    earliest = max(0, last + 1 - WINDOW)
    starts = [span.start for span in sentences(text, Span(max(0, at[first] - WINDOW), min(len(text), at[first] + 1)))]
    start = max((place for place in starts if earliest <= place <= at[first]), default=max(earliest, at[first] - 60))
    end = min(len(text), start + WINDOW)
    before = reading.before(slot)
    return Excerpt(reading.shown_path(slot), before + start, before + end, text[start:end])


def _heaviest(at: Sequence[int], terms: Sequence[int], idf: Sequence[float]) -> int:
    """The hit at which the window with the greatest weight begins."""
    best, chosen = -1.0, 0
    for first, start in enumerate(at):
        inside: set[int] = set()
        for place, term in zip(at[first:], terms[first:], strict=True):
            if place >= start + WINDOW:
                break
            inside.add(term)
        weight = sum(idf[term] for term in inside)
        if weight > best:
            best, chosen = weight, first
    return chosen


class _Silent:
    def progress(self, stage: str, done: int, total: int | None) -> None: ...


_SILENT = _Silent()
