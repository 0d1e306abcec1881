"""One workspace, composed: what the doors call.

A `Lens` holds the folded texts of its folders in memory between questions and brings them in line with the disk
at each one. It writes nothing.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from lens_lsp.corpus.cache import CachedText, Key, TextCache
from lens_lsp.corpus.formats.base import locate
from lens_lsp.corpus.opening import Root, Skipped, display_path, open_named
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer, Snapshot
from lens_lsp.corpus.walk import FileEntry, discover
from lens_lsp.domain.errors import UsageError
from lens_lsp.domain.model import Coverage, Document, Evidence, Findings, RankedDocument, Skip, Stage
from lens_lsp.domain.text import Position, SourceText, Span
from lens_lsp.domain.words import fold
from lens_lsp.engine.corpus import Corpus
from lens_lsp.engine.localise import Localisation, localise
from lens_lsp.engine.position import Peak
from lens_lsp.engine.region import heading_path, readable
from lens_lsp.oracle.analysis import analyse

ABLATIONS = frozenset({"lexical", "path", "summaries", "history", "scans", "links"})
"""What can be switched off in `Lens.find`: the five signal families, and links alone."""


class FindObserver(Protocol):
    """Told about a question while it is being answered, on the caller's thread."""

    def progress(self, stage: str, done: int, total: int | None) -> None:
        """``stage`` is one of walk, read, scan, rank, verify."""

    def evidence(self, item: Evidence) -> None:
        """The next best passage, checked against its source."""


class _Silent:
    def progress(self, stage: str, done: int, total: int | None) -> None: ...

    def evidence(self, item: Evidence) -> None: ...


@dataclass(slots=True)
class _Sweep:
    """What one look at the disk found."""

    files: list[FileEntry] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)


class Lens:
    """Folders and files to find evidence in.

    Raises `PathNotFound` or `PathRefused` for a path that cannot be searched. Not safe for threads: one question
    at a time.
    """

    def __init__(self, paths: Sequence[str | os.PathLike[str]] = (".",), *, rules: CorpusRules = CorpusRules()) -> None:
        self._rules = rules
        self._paths = tuple(os.path.abspath(path) for path in paths) if paths else (os.path.abspath("."),)
        self._cache = TextCache(fallback_encoding=rules.fallback_encoding, budget=memory_budget())
        with self._open():
            pass

    def find(
        self,
        query: str,
        *,
        limit: int = 10,
        observer: FindObserver | None = None,
        buffers: Mapping[str, Buffer] | None = None,
        ablate: Set[str] = frozenset(),
        cancelled: Callable[[], bool] | None = None,
    ) -> Findings:
        """The passages that most likely answer a question, each checked against its source.

        ``limit`` is the number of passages; ``buffers`` are texts open in an editor by absolute path, which win
        over the disk. Raises `UsageError` for a query with nothing in it and for an unknown ablation.
        """
        _check(query, limit, ablate)
        observer = observer or _Silent()
        started = time.perf_counter()
        with self._open() as opened:
            roots = [root for root, _ in opened]
            overlay = _overlay(roots, buffers or {})
            sweep = self._sweep(opened, observer, cancelled)
            swept = time.perf_counter()
            sweep.skips += self._cache.refresh(
                roots,
                sweep.files,
                overlay,
                progress=lambda done, total: observer.progress("read", done, total),
                cancelled=cancelled,
            )
            read = time.perf_counter()
            observer.progress("scan", 0, None)
            snapshot = Snapshot(roots, overlay, self._rules)
            publisher = _Publisher(self._cache, snapshot, observer)
            place = localise(publisher.corpus, analyse(query), ablate=ablate, cancelled=cancelled)
            observer.progress("verify", 0, None)
            verifying = time.perf_counter()
            evidence = publisher.publish(place, limit)
            done = time.perf_counter()
        stages = (Stage("walk", swept - started), Stage("read", read - swept), *place.stages)
        return Findings(
            query=query,
            roots=tuple(display_path(root.path) for root in roots),
            evidence=tuple(evidence),
            documents=publisher.documents(place, limit),
            coverage=self._coverage(sweep, place, publisher),
            compression=place.compression(),
            stages=(*stages, Stage("verify", done - verifying)),
            warnings=tuple(publisher.warnings),
        )

    @contextlib.contextmanager
    def _open(self) -> Iterator[list[tuple[Root, str | None]]]:
        """The roots of the paths, and the file's name where a path names a file; closed at the end."""
        with contextlib.ExitStack() as stack:
            opened = []
            for index, path in enumerate(self._paths):
                root, name = open_named(path, index)
                stack.enter_context(root)
                opened.append((root, name))
            yield opened

    def _sweep(
        self,
        opened: Sequence[tuple[Root, str | None]],
        observer: FindObserver,
        cancelled: Callable[[], bool] | None,
    ) -> _Sweep:
        sweep = _Sweep()
        seen: set[tuple[int, int]] = set()
        for root, name in opened:
            before = len(sweep.files)
            found = discover(
                root,
                self._rules,
                explicit_file=name,
                on_progress=lambda count, before=before: observer.progress("walk", before + count, None),  # type: ignore[misc]
                cancelled=cancelled,
            )
            sweep.skips += found.skips
            if len(opened) == 1:
                sweep.files = found.files
            else:  # a file that two paths lead to is one file
                sweep.files += [entry for entry in found.files if (entry.device, entry.inode) not in seen]
                seen.update((entry.device, entry.inode) for entry in found.files)
        return sweep

    def _coverage(self, sweep: _Sweep, place: Localisation, publisher: _Publisher) -> Coverage:
        admitted = np.zeros(len(place.lengths), bool)
        admitted[place.admitted] = True
        return Coverage(
            found=len(sweep.files),
            scanned=self._cache.files,
            skipped=tuple(sorted(sweep.skips)),
            admitted=len(place.admitted),
            read=publisher.read,
            matches_unread=int((~admitted[place.hits.slot]).sum())
            + sum(count for slot, _, count in place.hits.thinned if not admitted[slot]),
        )


class _Publisher:
    """Turns windows into evidence, each checked against the document as it is when it is published."""

    def __init__(self, cache: TextCache, snapshot: Snapshot, observer: FindObserver) -> None:
        self._cache = cache
        self._snapshot = snapshot
        self._observer = observer
        self._documents: dict[int, Document | None] = {}
        self._texts: dict[int, SourceText] = {}
        self.corpus = Corpus(cache, self._source)
        self.warnings: list[str] = []

    @property
    def read(self) -> int:
        """How many documents were read to show evidence from them."""
        return sum(document is not None for document in self._documents.values())

    def publish(self, place: Localisation, limit: int) -> list[Evidence]:
        """The best ``limit`` windows whose text still stands where it was found."""
        evidence: list[Evidence] = []
        for peak in place.windows(limit):
            document = self._document(peak.slot)
            if document is None:
                continue
            item = self._evidence(document, peak, len(evidence) + 1, _shares(place, peak.slot))
            evidence.append(item)
            self._observer.evidence(item)
        return evidence

    def documents(self, place: Localisation, limit: int) -> tuple[RankedDocument, ...]:
        """The ranking, at least its first ten."""
        admitted = set(place.admitted.tolist())
        priors = place.file_prior()
        ranked = []
        seen: set[Key] = set()
        for slot, share in zip(place.prior.ranked.tolist(), priors.tolist(), strict=True):
            root, path = key = self._text(slot).key
            if key in seen:  # another piece of the same file
                continue
            seen.add(key)
            read = self._documents.get(slot) is not None
            ranked.append(RankedDocument(root, display_path(path), share, slot in admitted, read, _shares(place, slot)))
            if len(ranked) == max(10, limit):
                break
        return tuple(ranked)

    def _text(self, slot: int) -> CachedText:
        text = self._cache.slots[slot]
        assert text is not None, "a ranked slot is never empty"
        return text

    def _source(self, slot: int) -> str:
        try:
            return self._cache.source(self._text(slot))
        except Skipped:
            return ""

    def _document(self, slot: int) -> Document | None:
        """The document behind a slot as it is now, or None when it changed since it was scanned."""
        if slot not in self._documents:
            text = self._text(slot)
            try:
                if text.piece is None:
                    document = self._snapshot.document(*text.key)
                else:
                    document = self._snapshot.piece(*text.key, text.piece)
            except Skipped as skipped:
                self._withdraw(slot, f"cannot be read any more ({skipped.reason})")
            else:
                if self._cache.still_holds(slot, document.text):
                    self._documents[slot] = document
                else:
                    self._withdraw(slot, "changed while it was being searched")
        return self._documents[slot]

    def _withdraw(self, slot: int, why: str) -> None:
        self._documents[slot] = None
        self.warnings.append(f"{display_path(self._text(slot).key[1])} {why}; ask again to include it")

    def _evidence(self, document: Document, peak: Peak, n: int, families: Mapping[str, float]) -> Evidence:
        span = readable(document.text, peak.span, peak.core)
        text = self._texts.setdefault(peak.slot, SourceText(document.text))
        piece = self._text(peak.slot).piece
        first = Position(1, 1) if piece is None else piece.position
        before = 0 if piece is None else piece.point
        return Evidence(
            n=n,
            root=document.root,
            path=display_path(document.path),
            start=text.position(span.start).behind(first),
            end=text.position(span.end).behind(first),
            span=Span(before + span.start, before + span.end),
            quote=document.text[span.start : span.end],
            origin=document.origin,
            reader=document.reader,
            locator=locate(document.locators, span.start),
            heading=heading_path(document, max(span.start, peak.core.start)),
            score=round(peak.score, 6),
            signals=families,
        )


def _shares(place: Localisation, slot: int) -> dict[str, float]:
    """Each signal family's share of the score of a document."""
    parts = {name: float(part[slot]) for name, part in place.prior.parts.items()}
    total = sum(parts.values()) or 1.0
    return {name: round(part / total, 6) for name, part in parts.items()}


def memory_budget() -> int:
    """Bytes of text kept in memory by default: a quarter of the machine's, at most 2 GiB."""
    try:
        return min(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4, 2 << 30)
    except (AttributeError, ValueError, OSError):  # no sysconf on Windows
        return 1 << 30


def _overlay(roots: Sequence[Root], buffers: Mapping[str, Buffer]) -> dict[tuple[int, str], Buffer]:
    """Buffers by root and relative path, for every root around them; those outside all roots have no part."""
    overlay = {}
    for path, buffer in buffers.items():
        for root in roots:
            relative = os.path.relpath(path, root.path).replace(os.sep, "/")
            if not relative.startswith("../"):
                overlay[root.index, relative] = buffer
    return overlay


def _check(query: str, limit: int, ablate: Set[str]) -> None:
    if not fold(query).strip():
        raise UsageError("the question is empty: give a few words to look for")
    if limit < 1:
        raise UsageError("the number of passages must be at least 1")
    unknown = ablate - ABLATIONS
    if unknown:
        raise UsageError(f"no such ablation: {', '.join(sorted(unknown))}; choose from {', '.join(sorted(ABLATIONS))}")
