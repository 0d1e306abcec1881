"""Folders and files as questions see them: texts in memory, brought in line with the disk at each question.

A `Snapshot` is one question's frozen view of its roots: the texts open in an editor, laid over what is on disk. Frozen
is what the editor holds, from the moment of the question. The disk is read when it is asked for, and every text says by
its hash which bytes it was. The deny list holds here too: a secret that is open in an editor stays one.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from functools import partial
from types import MappingProxyType
from typing import Protocol, TypeVar

from lens_lsp.corpus.corpus_rules import CorpusRules, denied_path, denied_root, left_out
from lens_lsp.corpus.encoding import LARGE, TextPiece, Whole, WholeReader, blank, cut, decode
from lens_lsp.corpus.extraction import AGAIN, LARGEST, Pictures, extractions, privacy_in
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.data import TableReader
from lens_lsp.corpus.formats.text_reader import TextReader
from lens_lsp.corpus.intake import Buffer, at_full_speed, malloc_trim, trusted, without_documents
from lens_lsp.corpus.safe_open import (
    IDENTITY,
    UNKNOWN,
    WAIT,
    Identity,
    Key,
    Root,
    Skipped,
    check_name,
    display_path,
    identity_of,
    open_named,
    set_deadline,
)
from lens_lsp.corpus.text_marks import find_generated, privacy_of
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import YOUNG_NS, FileEntry, Listings, discover, in_part
from lens_lsp.disk import absolute, is_object_url
from lens_lsp.documents.kinds import DocumentKind, Extracted, kind_for
from lens_lsp.model.documents import Document, Fetched, Origin, Part, Skip, SkipReason, Stage, Structure, TextSource
from lens_lsp.model.errors import LensError, PathNotFound, PathRefused
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Span

EXTRACTED = "binary"
"""What stands for the encoding of a document that is no text file."""
EARLY_BYTES = 128 << 20
"""Bytes of text from which on a first look is worth it: below, the search itself shows something as soon."""
MANY = 50_000
"""Files of a folder from which on some are read while the others are still found."""
_SOME, _BEGINNING = 4_096, 0.5
"""How many files are read while the others are still found, and for how many seconds."""
_TELLING = 4
"""Letters of a word of a question that a name is looked through for."""
FIRST = 1.3
"""Seconds for which documents are read before a question has shown anything."""
QUESTION = 300.0
"""Seconds that a question may take unless it says otherwise."""
_GATHERING, _SEARCHING = 1 / 2, 3 / 4
"""Shares of a question's time until which files are waited for that may not answer: to be gathered, to be read."""
_ONE = 1 / 20
"""The share of it that one of their calls may take, if that is a second or more."""
_BEFORE = 1.0
"""Seconds that files are waited for before the disk was looked at."""
_NAMED = 60.0
"""Seconds for which documents are read that the user named as paths."""
T = TypeVar("T")
Opened = Sequence[tuple[Root, str | None]]
"""The roots of some paths, with the file's name where a path names a file."""


@dataclass(frozen=True, slots=True)
class Source:
    """The decoded text of a file or buffer, and where it came from."""

    text: str
    origin: Origin


class Snapshot:
    """The roots of one question and the buffers over them, keyed by root index and relative path."""

    def __init__(
        self,
        roots: Sequence[Root],
        buffers: Mapping[tuple[int, str], Buffer],
        rules: CorpusRules,
        *,
        cancelled: Callable[[], bool] | None = None,
        large: Mapping[tuple[int, str], tuple[Identity, Whole]] = MappingProxyType({}),
    ) -> None:
        """``large`` are very large files as they were when they were read, with what identified them before."""
        self.roots = tuple(roots)
        self.rules = rules
        self._buffers = without_documents(buffers)  # the editor goes on; this does not
        self._cancelled = cancelled
        self._large = dict(large)
        self._denied = frozenset(index for index, root in enumerate(self.roots) if denied_root(root.path))
        for root in self.roots:
            root.release()  # a folder held since an earlier question may have been replaced

    def guessing(self, encoding: str) -> Snapshot:
        """The files of the same roots, with what bytes are read as that are neither Unicode nor binary. Raises
        `UsageError`."""
        return Snapshot(self.roots, {}, replace(self.rules, fallback_encoding=encoding), cancelled=self._cancelled)

    def buffer(self, root: int, rel: str) -> Buffer | None:
        """The open buffer for a path, if there is one."""
        return self._buffers.get((root, rel))

    def read(self, root: int, rel: str) -> Source:
        """The text of a path as the user sees it: the buffer, else the decoded bytes on disk.

        Raises ``Skipped`` with the reason, ``PathRefused`` if ``rel`` is not a plain path below its root.
        """
        self._check(root, rel)
        buffer = self._buffers.get((root, rel))
        if buffer is not None:
            return source_of_buffer(buffer)
        return source_of_bytes(self.roots[root].read(rel), self.rules.fallback_encoding)

    def digest(self, root: int, rel: str) -> str:
        """The hash that a document of this path would have. Raises as ``read``, but of what is searched in pieces not
        for being no text."""
        if kind_for(rel) is None:
            self._check(root, rel)
            identity = None if (root, rel) in self._buffers else identity_of(self.roots[root], rel)
            if identity is not None and identity[0] > LARGE:
                return self._whole(root, rel).sha256
            return self.read(root, rel).origin.sha256
        return hashlib.sha256(self.content(root, rel, LARGEST)).hexdigest()

    def document(
        self, root: int, rel: str, pictures: Pictures = Pictures.KNOWN, *, seconds: float | None = None
    ) -> Document:
        """The document of a path, by the reader for its name. Raises as ``read``.

        Of a long document it has as much as was read, at least its first part; with ``seconds`` all of it, and raises
        ``Skipped(NOT_READ)`` where it was not read by then.
        """
        kind = kind_for(rel)
        if kind is not None:
            return self._extracted(root, rel, kind, pictures, seconds)
        reader = reader_for(rel.rpartition("/")[2])
        if reader is None:
            raise Skipped(SkipReason.UNSUPPORTED)
        source = self.read(root, rel)
        extraction = reader.extract(source.text)
        return Document(
            root=root,
            path=rel,
            text=extraction.text,
            reader=f"{reader.name}/{reader.version}",
            origin=source.origin,
            structure=_structure(reader, extraction.text, source.text),
            locators=extraction.locators if reader.extracted else reader.locators(extraction.text),
        )

    def _extracted(
        self, root: int, rel: str, kind: DocumentKind, pictures: Pictures, seconds: float | None
    ) -> Document:
        data = self.content(root, rel, LARGEST)
        until = time.monotonic() + (seconds or 0.0)
        read = extractions().of(
            kind,
            data,
            cancelled=self._cancelled,
            pictures=pictures,
            further=lambda: seconds is not None and time.monotonic() < until,
        )
        if seconds is not None and read.extracted.left:
            raise Skipped(SkipReason.NOT_READ)
        extracted = read.extracted
        return Document(
            root=root,
            path=rel,
            text=extracted.text,
            reader=read.reader,
            origin=Origin(hashlib.sha256(data).hexdigest(), EXTRACTED),
            structure=replace(_with_privacy(extracted), ours=find_generated(extracted.text, asked=False).spans),
            locators=extracted.locators,
            notices=read.notices,
        )

    def content(self, root: int, rel: str, limit: int | None = None) -> bytes:
        """The bytes of a path on disk, at most ``limit``. Raises as ``read``."""
        self._check(root, rel)
        return self.roots[root].read(rel, limit)

    def _check(self, root: int, rel: str) -> None:
        for name in rel.split("/"):
            check_name(name, rel)
        if root in self._denied or denied_path(rel, self.roots[root].path):
            raise Skipped(SkipReason.DENIED)

    def piece(self, root: int, rel: str, piece: TextPiece) -> Document:
        """A piece of a very large text as a document of its own; the hash is the whole file's. Raises as ``read``."""
        reader = reader_for(rel.rpartition("/")[2])
        if reader is None:
            raise Skipped(SkipReason.UNSUPPORTED)
        whole = self._whole(root, rel)
        text = piece.text(self.roots[root], rel)
        # What the file says of itself at its head holds for all of it.
        head = whole.beginning.decode(piece.encoding, "replace") if piece.point else text
        structure = _structure(reader, text, head, continued=piece.point > 0)
        if piece.point and reader.name == TableReader.name:  # the header stands in the first piece
            structure = replace(structure, blocks=tuple(replace(block, header=None) for block in structure.blocks))
        return Document(
            root=root,
            path=rel,
            text=text,
            reader=f"{reader.name}/{reader.version}",
            origin=Origin(whole.sha256, piece.encoding, piece.guessed),
            structure=structure,
        )

    def stretch(self, root: int, rel: str, span: Span) -> tuple[str, Origin]:
        """What stands at a span of a very large text, in code points of the file, and where it comes from; the file is
        read once more. Raises as ``read``."""
        self._check(root, rel)
        pieces, whole = cut(self.roots[root], rel, self.rules.fallback_encoding, self._cancelled)
        first = sum(piece.point <= span.start for piece in pieces) - 1
        inside = [piece for piece in pieces[first:] if piece.point < span.end] if first >= 0 else []
        if not inside:
            raise Skipped(SkipReason.UNREADABLE)
        text = "".join(piece.text(self.roots[root], rel) for piece in inside)
        start, piece = inside[0].point, inside[0]
        return text[span.start - start : span.end - start], Origin(whole.sha256, piece.encoding, piece.guessed)

    def _whole(self, root: int, rel: str) -> Whole:
        """A very large file as a whole: read again only when it may be another by now."""
        identity, known = identity_of(self.roots[root], rel), self._large.get((root, rel))
        if known is not None and known[0] == identity and known[0][1] < time.time_ns() - YOUNG_NS:
            return known[1]
        reader = WholeReader(self.roots[root], rel, self._cancelled)
        for _ in reader:
            pass
        whole = reader.whole()
        self._large[root, rel] = identity or UNKNOWN, whole
        return whole


def _structure(reader: TextReader, text: str, source: str, *, continued: bool = False) -> Structure:
    """What the reader finds in a text. What is ours is marked, and no heading or link comes from it.

    ``source`` is what the file says from its start on: there stands whether it is private.
    """
    found = find_generated(text, continued=continued, asked=not reader.extracted)
    structure = reader.structure(blank(text, found.spans) if found.spans and not found.whole else text)
    if found.spans:
        structure = replace(structure, ours=found.spans, answer=found.answer)
    said = privacy_of(reader.name, source) or (privacy_of(reader.name, text) if reader.extracted else None)
    return structure if said is None else replace(structure, privacy=said)


def _with_privacy(extracted: Extracted) -> Structure:
    """The structure of a document, with what says that it is private."""
    said = privacy_in(extracted)
    return extracted.structure if said is None else replace(extracted.structure, privacy=said)


def source_of_buffer(buffer: Buffer) -> Source:
    """A buffer's text; its hash is that of the text as UTF-8."""
    digest = hashlib.sha256(buffer.text.encode("utf-8")).hexdigest()
    return Source(buffer.text, Origin(digest, "utf-8", source=TextSource.BUFFER, version=buffer.version))


def source_of_bytes(data: bytes, fallback: str) -> Source:
    """The text of a file's bytes; the hash is that of the bytes. Raises ``Skipped(BINARY)``."""
    decoded = decode(data, fallback)
    return Source(decoded.text, Origin(hashlib.sha256(data).hexdigest(), decoded.encoding, decoded.guessed))


class EarlyReader(Protocol):
    """Who may look at the files read so far while a large workspace is read for the first time."""

    def offer(self, done: int, total: int | None, snapshot: Callable[[], Snapshot]) -> None:
        """``done`` of ``total`` files were read, None while they are still counted; called on the thread that reads."""
        ...


class Progress(Protocol):
    """Told how far a stage is, on the thread that does it."""

    def progress(self, stage: str, done: int, total: int | None) -> None:
        """``stage`` is one of walk, read, extract, scan, rank, verify; ``unread`` says once how many of the documents
        were not read."""


@dataclass(slots=True)
class Sweep:
    """What one look at the disk found."""

    files: list[FileEntry] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    """What was passed over without being read."""
    parts: list[Part] = field(default_factory=list)
    """Ignore files that could not be used."""
    paths: list[str] = field(default_factory=list)
    """At the first look at a single folder its files by path alone, instead of ``files``."""
    failed: list[str] = field(default_factory=list)
    """Why some of the paths cannot be searched, in words."""
    known: int = 0
    """How many files were known before, when the look was broken off: then they stay as they were."""

    @property
    def found(self) -> int:
        """How many files there are."""
        return max(len(self.files) + len(self.paths), self.known)


@dataclass(frozen=True, slots=True)
class PreparedWorkspace:
    """The workspace as one question sees it."""

    roots: tuple[str, ...]
    """As they are shown."""
    folders: tuple[str, ...]
    sweep: Sweep
    snapshot: Snapshot
    stages: tuple[Stage, ...]

    @property
    def fetched(self) -> tuple[Fetched, ...]:
        """What the roots in object stores took until now."""
        return tuple(taken for root in self.snapshot.roots if (taken := root.taken()) is not None)


@dataclass(frozen=True, slots=True)
class Searched:
    """What a question found in a workspace, as far as it has come: its part of the coverage."""

    roots: tuple[str, ...]
    """As they are shown."""
    found: int
    scanned: int
    skipped: tuple[Skip, ...]
    partial: tuple[Part, ...]
    pictures: int
    documents: int
    unread: int
    stages: tuple[Stage, ...]
    fetched: tuple[Fetched, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierState:
    """The workspace as the last question left it, while the disk was not looked at again."""

    snapshot: Snapshot
    holds: Callable[[Key], bool]
    """Whether a file belongs to it still, and whether its text can be compared with what was scanned."""


@dataclass(slots=True)
class ReadThrough:
    """What came of reading every document, as far as it has come."""

    documents: int = 0
    known: int = 0
    """Their texts were kept before."""
    read: int = 0
    private: int = 0
    """Of those that were read: their texts are not kept."""
    skipped: list[Skip] = field(default_factory=list)
    """What cannot be read, and why."""

    @property
    def left(self) -> int:
        """How many may yet be read."""
        return self.documents - self.known - self.read - len(self.skipped)


class Workspace:
    """The texts of some paths. ``memory`` is how many bytes of them are kept, by default `memory_budget`; ``first`` for
    how many seconds documents are read before a question has shown anything.

    A path that is not there, or cannot be opened, is told among what was not searched. Raises `PathNotFound` or
    `PathRefused` where none of the paths can be searched. Not safe for threads.
    """

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]],
        rules: CorpusRules,
        memory: int | None,
        first: float = FIRST,
        part: tuple[int, int] | None = None,
        many: int = MANY,
    ) -> None:
        """``part`` are the number, from 0, of one of several parts of the files, and how many there are: only its files
        are read. ``many`` are the files of a folder from which on some are read while the others are still found."""
        self._rules = rules
        self._paths = tuple(absolute(os.fspath(path)) for path in paths) if paths else (os.path.abspath("."),)
        budget = memory_budget() if memory is None else memory
        self.cache = TextStore(fallback_encoding=rules.fallback_encoding, budget=budget)
        self._listings = [Listings() for _ in self._paths]
        self._first = first
        self._part = part
        self._many = many
        self._extracting = 0.0
        self._question = ""
        with self.open():
            pass

    def bring_up(
        self,
        opened: Opened,
        observer: Progress,
        buffers: Mapping[str, Buffer],
        cancelled: Callable[[], bool] | None,
        question: str = "",
        seconds: float = QUESTION,
        early_reader: EarlyReader | None = None,
    ) -> PreparedWorkspace:
        """Bring the texts in memory in line with the disk and the open buffers; ``early_reader`` may look meanwhile.

        Where files may not answer, half of the ``seconds`` of the question goes into this, and what did not come by
        then is passed over; after three quarters they are waited for no more, so that there is time for the answer.

        Of the documents, those that are named as paths are read, and for a moment what ``question`` most likely means;
        the others wait for `read_on`.
        """
        started = time.perf_counter()
        roots = [root for root, _ in opened]
        one = min(max(seconds * _ONE, 1.0), WAIT)
        _wait(roots, _GATHERING * seconds, one)
        typed = overlay(roots, buffers)
        snapshot = partial(Snapshot, roots, typed, self._rules, cancelled=cancelled, large=self.cache.large)
        beginning = _Beginning(self.cache, roots[0], typed, question, self._many)

        def found(names: Sequence[str]) -> None:
            if early_reader is not None and beginning.read_of(names):
                early_reader.offer(self.cache.files, None, snapshot)

        sweep = self._sweep(opened, observer, found, cancelled)
        swept = time.perf_counter()

        def progress(done: int, total: int) -> None:
            observer.progress("read", done, total)
            if early_reader is not None:
                early_reader.offer(done, total, snapshot)

        self._read(roots, sweep, typed, beginning.read, progress, cancelled)
        _wait(roots, _SEARCHING * seconds - (time.perf_counter() - started), one)
        stages = (Stage("walk", swept - started), Stage("read", time.perf_counter() - swept))
        self._extracting, self._question = 0.0, question
        named = [(root.index, name) for root, name in opened if name is not None]
        self.read_on(question, observer, seconds=_NAMED, only=named, cancelled=cancelled)
        self.cache.recognise(seconds=_NAMED, only=named, cancelled=cancelled)
        self.read_on(question, observer, seconds=self._first, cancelled=cancelled)
        shown = tuple(display_path(root.path) for root in roots)
        return PreparedWorkspace(shown, tuple(root.path for root in roots), sweep, snapshot(), stages)

    @property
    def large(self) -> bool:
        """Whether a search takes so long that something is to be shown before it."""
        return self.cache.size >= EARLY_BYTES

    def before(
        self, opened: Opened, buffers: Mapping[str, Buffer], cancelled: Callable[[], bool] | None
    ) -> EarlierState | None:
        """What is known of a large workspace before `bring_up`; None where nothing is, or a small one.

        What is cut from it has to be read from its source again, for which a file that does not answer has a second.
        """
        if not self.large or not self.cache.whole:
            return None
        roots = [root for root, _ in opened]
        _wait(roots, _BEFORE, _BEFORE)
        typed = overlay(roots, buffers)
        self.cache.reopen(roots)
        stale, named = self.cache.stale(typed), {(root.index, name) for root, name in opened if name is not None}

        def holds(key: Key) -> bool:
            sure = key not in stale or self.cache.kept(key)
            return sure and (key in named or left_out(roots[key[0]], key[1], self._rules) is None)

        return EarlierState(Snapshot(roots, typed, self._rules, cancelled=cancelled, large=self.cache.large), holds)

    def read_on(
        self,
        question: str,
        observer: Progress,
        *,
        seconds: float,
        patient: bool = False,
        only: Sequence[Key] | None = None,
        longer: bool = True,
        cancelled: Callable[[], bool] | None = None,
    ) -> int:
        """Read documents that wait, as `TextStore.read_documents`, after `bring_up`; how many texts that gave."""
        if not self.cache.unread_documents:
            return 0
        started = time.perf_counter()

        def progress(done: int, total: int) -> None:
            observer.progress("extract", done, total)

        came = self.cache.read_documents(
            question,
            seconds=seconds,
            patient=patient,
            only=only,
            longer=longer,
            progress=progress,
            cancelled=cancelled,
        )
        self._extracting += time.perf_counter() - started
        return came

    def go_on(self, roots: Sequence[Root], cancelled: Callable[[], bool]) -> None:
        """Between two questions, read documents that wait: those first that the last one most likely meant."""
        self.cache.reopen(roots)
        self.cache.read_documents(self._question, seconds=math.inf, cancelled=cancelled)
        self.cache.recognise(seconds=math.inf, cancelled=cancelled)

    def read_through(self, done: ReadThrough, observer: Progress) -> None:
        """Read every document whose text is not kept yet, without holding any in memory; ``done`` counts."""
        with self.open() as opened:
            sweep = self._sweep(opened, observer, None, None)
            roots = [root for root, _ in opened]
            found = [(0, path) for path in sweep.paths] + [(entry.root, entry.path) for entry in sweep.files]
            documents = [(roots[root], path, kind) for root, path in found if (kind := kind_for(path)) is not None]
            done.documents = len(documents)
            for n, (root, path, kind) in enumerate(documents):
                observer.progress("extract", n, len(documents))
                try:
                    self._read_once(root, path, kind, done)
                except Skipped as skipped:
                    if skipped.reason is not SkipReason.NOT_READ:
                        identity = identity_of(root, path) if skipped.reason is SkipReason.TOO_LARGE else None
                        size = 0 if identity is None else identity[0]
                        done.skipped.append(Skip(display_path(path), skipped.reason, root.index, size))

    def _read_once(self, root: Root, path: str, kind: DocumentKind, done: ReadThrough) -> None:
        """Read a document unless its text is kept. Raises `Skipped`."""
        identity = identity_of(root, path)
        try:
            stored = None if identity is None else extractions().stored(kind, identity)
        except Skipped as skipped:
            if skipped.reason not in AGAIN:
                raise
            extractions().forget_failures(kind, root.read(path, LARGEST))
            stored = None
        if stored is not None and not stored.gist.left and not stored.waiting:
            done.known += 1
            return
        data, status = root.read_with_stat(path, LARGEST)
        known = trusted(IDENTITY(status))
        read = extractions().of(kind, data, identity=known, pictures=Pictures.RECOGNISED)
        done.private += privacy_in(read.extracted) is not None
        done.read += 1

    def skipped(self, ready: PreparedWorkspace) -> tuple[Skip, ...]:
        """What of the files could not be searched, as far as the question has come, by path."""
        return tuple(sorted([*ready.sweep.skips, *self.cache.skips()]))

    def partial(self, ready: PreparedWorkspace) -> tuple[Part, ...]:
        """What of the searched files and folders was not searched, as far as the question has come, by path."""
        return tuple(sorted([*ready.sweep.parts, *self.cache.parts()]))

    def stages(self, ready: PreparedWorkspace) -> tuple[Stage, ...]:
        """The stages of bringing it up, with the time that documents took until now."""
        return (*ready.stages, Stage("extract", self._extracting)) if self._extracting else ready.stages

    def searched(self, ready: PreparedWorkspace) -> Searched:
        """What the question has found, as far as it has come."""
        return Searched(
            ready.roots,
            ready.sweep.found,
            self.cache.files,
            self.skipped(ready),
            self.partial(ready),
            self.cache.pictures,
            self.cache.documents,
            self.cache.unread_documents,
            self.stages(ready),
            ready.fetched,
        )

    @contextlib.contextmanager
    def open(self) -> Iterator[list[tuple[Root, str | None]]]:
        """The roots of the paths, and the file's name where a path names a file; closed at the end."""
        with contextlib.ExitStack() as stack:
            stack.callback(self._give_back)
            opened, failed = [], []
            for index, path in enumerate(self._paths):
                try:
                    root, name = open_named(path, index)
                except (PathNotFound, PathRefused) as error:
                    failed.append(error)
                    root, name = Root.absent(path, index, error), None
                stack.enter_context(root)
                opened.append((root, name))
            if len(failed) == len(opened):
                raise _nothing_to_search(failed)
            yield opened

    def _read(
        self,
        roots: Sequence[Root],
        sweep: Sweep,
        typed: Mapping[Key, Buffer],
        known: Set[str],
        progress: Callable[[int, int], None],
        cancelled: Callable[[], bool] | None,
    ) -> None:
        """Bring the cache in line with what was found; ``known`` are paths that were read on the way."""
        with at_full_speed():
            if sweep.paths:
                paths = [path for path in sweep.paths if path not in known] if known else sweep.paths
                self.cache.fill(roots[0], paths, typed, more=bool(known), progress=progress, cancelled=cancelled)
                self._listings[0].enter(lambda path: self.cache.entry((roots[0].index, path)))
            elif sweep.known and self.cache.whole:
                self.cache.reopen(roots, without=self.cache.stale(typed))
            else:
                self.cache.refresh(roots, sweep.files, typed, progress=progress, cancelled=cancelled)
            self.cache.take_stored(cancelled)
            self.cache.describe()
        self._give_back()

    def _give_back(self) -> None:
        """Where memory is too small for the texts, keep none that nobody uses: each question takes seconds anyway."""
        if self.cache.passing_by:
            malloc_trim()

    def _sweep(
        self,
        opened: Opened,
        observer: Progress,
        found: Callable[[Sequence[str]], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Sweep:
        """``found`` is shown the names that are found by the first look at a single folder, while it goes on."""
        sweep = self._swept(opened, observer, found, cancelled)
        if self._part is not None:
            sweep.files = [entry for entry in sweep.files if in_part(entry.path, *self._part)]
            sweep.paths = [path for path in sweep.paths if in_part(path, *self._part)]
            sweep.skips = [skip for skip in sweep.skips if in_part(skip.path, *self._part)]
            sweep.parts = [part for part in sweep.parts if in_part(part.path, *self._part)]
        return sweep

    def _swept(
        self,
        opened: Opened,
        observer: Progress,
        on_names: Callable[[Sequence[str]], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Sweep:
        sweep = Sweep()
        failed = [error for root, _ in opened if (error := root.look()) is not None]
        if failed and all(root.absence is not None for root, _ in opened):
            raise _nothing_to_search(failed)
        sweep.failed = list(map(str, failed))
        for root, _ in opened:
            sweep.skips += [Skip(display_path(path), reason, root.index) for path, reason in root.refused()]
        alone = len(opened) == 1 and opened[0][1] is None
        if alone and not self.cache.files:
            names = discover(
                opened[0][0],
                self._rules,
                names_only=True,
                listings=self._listings[0],
                on_progress=lambda count: observer.progress("walk", count, None),
                on_names=on_names,
                cancelled=cancelled,
                part=self._part,
            )
            return Sweep(skips=sweep.skips + names.skips, parts=names.parts, paths=names.paths)
        seen: set[tuple[int, int]] = set()
        for root, name in opened:
            if root.absence is not None:
                sweep.skips.append(Skip(display_path(root.path), root.absence, root.index))
                continue
            before = len(sweep.files)
            found = discover(
                root,
                self._rules,
                explicit_file=name,
                listings=self._listings[root.index],
                on_progress=lambda count, before=before: observer.progress("walk", before + count, None),  # type: ignore[misc]
                cancelled=cancelled,
                part=self._part,
            )
            sweep.skips += found.skips
            sweep.parts += found.parts
            sweep.known = sweep.known if found.complete else self.cache.files
            if len(opened) == 1:
                sweep.files = found.files
            else:  # a file that two paths lead to is one file
                sweep.files += [entry for entry in found.files if (entry.device, entry.inode) not in seen]
                seen.update((entry.device, entry.inode) for entry in found.files)
        return sweep


class _Beginning:
    """Some files of a large folder, read while it is walked for the first time, so that there is something to show."""

    def __init__(self, store: TextStore, root: Root, typed: Mapping[Key, Buffer], question: str, many: int) -> None:
        self.read: Set[str] = frozenset()
        self._many = many
        self._store, self._root, self._typed = store, root, typed
        self._words = tuple({word for word in question.lower().split() if len(word) >= _TELLING})

    def read_of(self, names: Sequence[str]) -> bool:
        """Whether some were read, of the ``names`` that were found so far."""
        if not self.read and len(names) >= self._many:
            until = time.monotonic() + _BEGINNING
            chosen = self._chosen(names)
            self._store.fill(self._root, chosen, self._typed, cancelled=lambda: time.monotonic() >= until)
            self.read = {path for path in chosen if self._store.entry((self._root.index, path)) is not None}
        return bool(self.read)

    def _chosen(self, names: Sequence[str]) -> list[str]:
        """Names that hold words of the question, and others from all over the folder."""
        named = [name for name in names if any(word in name.lower() for word in self._words)][: _SOME // 2]
        return sorted({*named, *names[:: max(1, len(names) // (_SOME - len(named)))]})


def _nothing_to_search(failed: Sequence[LensError]) -> LensError:
    """What to raise where none of the paths can be searched."""
    if len(failed) == 1:
        return failed[0]
    return PathNotFound(f"none of the {len(failed)} paths can be searched: {'; '.join(map(str, failed))}")


def _wait(roots: Sequence[Root], seconds: float, one: float) -> None:
    """For how long from now files are waited for that may not answer, and for how long each."""
    for root in roots:
        set_deadline(root.handle, time.monotonic() + seconds, one)


def memory_budget() -> int:
    """Bytes of text kept in memory by default: a quarter of the machine's, at most 2 GiB."""
    try:
        return min(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4, 2 << 30)
    except (AttributeError, ValueError, OSError):  # no sysconf on Windows
        return 1 << 30


def overlay(roots: Sequence[Root], by_path: Mapping[str, T]) -> dict[tuple[int, str], T]:
    """Values by root and relative path, for every root around them; those outside all roots have no part."""
    overlay = {}
    for path, value in by_path.items():
        for root in roots:
            if is_object_url(root.path):
                continue
            relative = os.path.relpath(path, root.path).replace(os.sep, "/")
            if not relative.startswith("../"):
                overlay[root.index, relative] = value
    return overlay
