"""One workspace, composed: what the doors call.

A `Lens` holds the folded texts of its folders in memory between questions and brings them in line with the disk
at each one. It writes nothing.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from lens_lsp.corpus.cache import TextCache
from lens_lsp.corpus.intake import at_full_speed
from lens_lsp.corpus.listings import FileEntry, Listings
from lens_lsp.corpus.opening import Root, display_path, open_named
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer, Snapshot
from lens_lsp.corpus.texts import Key
from lens_lsp.corpus.walk import discover, discover_names
from lens_lsp.domain.ablations import LOOP, SIGNALS
from lens_lsp.domain.answer import Mode
from lens_lsp.domain.errors import BudgetSpent, OracleFailed, UsageError
from lens_lsp.domain.events import Event, Planned, Scanned
from lens_lsp.domain.model import Coverage, Evidence, Findings, Skip, Stage
from lens_lsp.domain.plan import Plan
from lens_lsp.domain.text import Span
from lens_lsp.domain.words import fold
from lens_lsp.engine.candidates import Candidates
from lens_lsp.engine.localise import Localisation, localise, ranking
from lens_lsp.engine.measure import Ints
from lens_lsp.engine.passage import quotable
from lens_lsp.engine.reading import Reading
from lens_lsp.engine.region import readable
from lens_lsp.oracle.analysis import analyse

if TYPE_CHECKING:
    from lens_lsp.oracle.base import Oracle
    from lens_lsp.oracle.ledger import Budget, Ledger

T = TypeVar("T")


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
    paths: list[str] = field(default_factory=list)
    """At the first look at a single folder its files by path alone, instead of ``files``."""

    @property
    def found(self) -> int:
        """How many files there are."""
        return len(self.files) + len(self.paths)


@dataclass(frozen=True, slots=True)
class _Ready:
    """The workspace as one question sees it."""

    roots: tuple[str, ...]
    sweep: _Sweep
    snapshot: Snapshot
    stages: tuple[Stage, ...]


class Lens:
    """Folders and files to find evidence in.

    Raises `PathNotFound` or `PathRefused` for a path that cannot be searched. Not safe for threads: one question
    at a time.
    """

    def __init__(self, paths: Sequence[str | os.PathLike[str]] = (".",), *, rules: CorpusRules = CorpusRules()) -> None:
        self._rules = rules
        self._paths = tuple(os.path.abspath(path) for path in paths) if paths else (os.path.abspath("."),)
        self._cache = TextCache(fallback_encoding=rules.fallback_encoding, budget=memory_budget())
        self._listings = [Listings() for _ in self._paths]
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
        _check(query, ablate, SIGNALS)
        if limit < 1:
            raise UsageError("the number of passages must be at least 1")
        observer = observer or _Silent()
        with self._open() as opened:
            ready = self._bring_up(opened, observer, buffers or {}, cancelled)
            observer.progress("scan", 0, None)
            reading = Reading(self._cache, ready.snapshot)
            place = localise(reading.corpus, analyse(query), ablate=ablate, cancelled=cancelled)
            observer.progress("verify", 0, None)
            verifying = time.perf_counter()
            evidence = _publish(reading, place, limit, observer)
            verified = Stage("verify", time.perf_counter() - verifying)
        return Findings(
            query=query,
            roots=ready.roots,
            evidence=tuple(evidence),
            documents=ranking(reading, place.candidates, frozenset(place.admitted.tolist()), most=limit),
            coverage=self._coverage(ready, place.candidates, place.admitted, reading),
            compression=place.candidates.compression(place.admitted),
            stages=(*ready.stages, *place.stages, verified),
            warnings=tuple(reading.warnings),
        )

    async def ask(
        self,
        question: str,
        *,
        mode: Mode = Mode.EVIDENCE,
        seed: int = 0,
        budget: Budget | None = None,
        oracle: Oracle | None = None,
        observer: FindObserver | None = None,
        buffers: Mapping[str, Buffer] | None = None,
        asking: Mapping[str, Span] | None = None,
        ablate: Set[str] = frozenset(),
        trace: bool = False,
        documents: int = 10,
        cancelled: Callable[[], bool] | None = None,
        prices: tuple[float, float] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> AsyncGenerator[Event]:
        """Search until every fact the question needs is found or the budget is spent; the events, as they happen.

        The last two are `Answered` and `Stopped`, also when ``cancelled`` turned true on the way: then with what was
        found. Without an ``oracle`` the offline rules judge and no call is made. ``asking`` are the lines or
        selections, by absolute path, that hold the question itself and are never evidence. ``trace`` adds to the
        events all that recomputing the beliefs needs. ``documents`` is how many ranked documents the answer lists, at
        least ten. ``observer`` is told about progress, on another thread. ``prices`` are those of the oracle,
        (in, out) per million tokens. Raises `UsageError` for an empty question and for an unknown ablation.
        """
        from lens_lsp.engine.work import Work  # brings asyncio, which `find` never needs

        _check(question, ablate, (*SIGNALS, *LOOP))
        work = Work(cancelled)
        with self._open() as opened:
            # The disk is looked at while the question is being analysed.
            sweep = work.start(lambda: self._bring_up(opened, observer or _Silent(), buffers or {}, work.cancelled))
            async with work:
                # So is the disk while the loop and the arithmetic are imported.
                from lens_lsp.engine.answering import Answering, Surroundings
                from lens_lsp.engine.search import Options, Search
                from lens_lsp.oracle.ledger import Budget, Ledger
                from lens_lsp.oracle.offline import OfflineOracle

                oracle = oracle or OfflineOracle()
                ledger = Ledger(budget or Budget.of(mode), clock=clock, prices=prices, endpoint=oracle.endpoint)
                options = Options(mode, seed, ablate, trace, documents)
                plan, failure = await _plan(oracle, question, ledger)
                yield Planned(plan, mode, seed, oracle.table)
                ready = await sweep
                reading = Reading(self._cache, ready.snapshot, _overlay(ready.snapshot.roots, asking or {}))
                search = Search(plan, reading, oracle, ledger, options, work.cancelled)
                matches = await work.start(search.scan)
                found, skipped = ready.sweep.found, tuple(sorted(ready.sweep.skips))
                yield Scanned(found, self._cache.files, len(skipped), matches)
                if failure is None:
                    async for event in search.explore():
                        yield event
                else:
                    search.fail(failure)
                around = Surroundings(ready.roots, found, self._cache.files, skipped, ready.stages)
                async for event in Answering(search, oracle, ledger, around).run():
                    yield event

    def _bring_up(
        self,
        opened: Sequence[tuple[Root, str | None]],
        observer: FindObserver,
        buffers: Mapping[str, Buffer],
        cancelled: Callable[[], bool] | None,
    ) -> _Ready:
        """Bring the texts in memory in line with the disk and the open buffers."""
        started = time.perf_counter()
        roots = [root for root, _ in opened]
        overlay = _overlay(roots, buffers)
        sweep = self._sweep(opened, observer, cancelled)
        swept = time.perf_counter()
        sweep.skips += self._read(roots, sweep, overlay, observer, cancelled)
        stages = (Stage("walk", swept - started), Stage("read", time.perf_counter() - swept))
        shown = tuple(display_path(root.path) for root in roots)
        return _Ready(shown, sweep, Snapshot(roots, overlay, self._rules), stages)

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

    def _read(
        self,
        roots: Sequence[Root],
        sweep: _Sweep,
        overlay: Mapping[Key, Buffer],
        observer: FindObserver,
        cancelled: Callable[[], bool] | None,
    ) -> list[Skip]:
        """Bring the cache in line with what was found; gives what could not be read."""

        def progress(done: int, total: int) -> None:
            observer.progress("read", done, total)

        with at_full_speed():
            if sweep.paths:
                skips = self._cache.fill(roots[0], sweep.paths, overlay, progress=progress, cancelled=cancelled)
            else:
                skips = self._cache.refresh(roots, sweep.files, overlay, progress=progress, cancelled=cancelled)
            self._cache.describe()
        return skips

    def _sweep(
        self,
        opened: Sequence[tuple[Root, str | None]],
        observer: FindObserver,
        cancelled: Callable[[], bool] | None,
    ) -> _Sweep:
        sweep = _Sweep()
        if len(opened) == 1 and opened[0][1] is None and not self._cache.files:
            names = discover_names(
                opened[0][0],
                self._rules,
                listings=self._listings[0],
                on_progress=lambda count: observer.progress("walk", count, None),
                cancelled=cancelled,
            )
            return _Sweep(skips=names.skips, paths=names.paths)
        seen: set[tuple[int, int]] = set()
        for root, name in opened:
            before = len(sweep.files)
            found = discover(
                root,
                self._rules,
                explicit_file=name,
                listings=self._listings[root.index],
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

    def _coverage(self, ready: _Ready, candidates: Candidates, admitted: Ints, reading: Reading) -> Coverage:
        return Coverage(
            found=ready.sweep.found,
            scanned=self._cache.files,
            skipped=tuple(sorted(ready.sweep.skips)),
            admitted=len(admitted),
            read=reading.read,
            matches_unread=candidates.unread(admitted),
        )


def _publish(reading: Reading, place: Localisation, limit: int, observer: FindObserver) -> list[Evidence]:
    """The best ``limit`` windows whose text still stands where it was found, as evidence."""
    evidence: list[Evidence] = []
    for peak in place.windows(limit):
        document = reading.document(peak.slot)
        span = None if document is None else quotable(document, readable(document.text, peak.span, peak.core))
        if document is None or span is None:
            continue
        item = reading.evidence(
            peak.slot,
            document,
            span,
            len(evidence) + 1,
            under=max(span.start, peak.core.start),
            score=peak.score,
            signals=place.candidates.shares(peak.slot),
        )
        evidence.append(item)
        observer.evidence(item)
    return evidence


def memory_budget() -> int:
    """Bytes of text kept in memory by default: a quarter of the machine's, at most 2 GiB."""
    try:
        return min(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4, 2 << 30)
    except (AttributeError, ValueError, OSError):  # no sysconf on Windows
        return 1 << 30


def _overlay(roots: Sequence[Root], by_path: Mapping[str, T]) -> dict[tuple[int, str], T]:
    """Values by root and relative path, for every root around them; those outside all roots have no part."""
    overlay = {}
    for path, value in by_path.items():
        for root in roots:
            relative = os.path.relpath(path, root.path).replace(os.sep, "/")
            if not relative.startswith("../"):
                overlay[root.index, relative] = value
    return overlay


async def _plan(oracle: Oracle, question: str, ledger: Ledger) -> tuple[Plan, BudgetSpent | OracleFailed | None]:
    """The plan, by the rules when the oracle fails; then with the failure."""
    from lens_lsp.oracle.offline import OfflineOracle

    try:
        return await oracle.analyse(question, ledger), None
    except (BudgetSpent, OracleFailed) as failure:
        return await OfflineOracle().analyse(question, ledger), failure


def _check(question: str, ablate: Set[str], known: Sequence[str]) -> None:
    if not fold(question).strip():
        raise UsageError("the question is empty: give a few words to look for")
    unknown = set(ablate).difference(known)
    if unknown:
        raise UsageError(f"no such ablation: {', '.join(sorted(unknown))}; choose from {', '.join(sorted(known))}")
