"""The folded texts of a workspace, in memory only, brought in line with the disk at every question.

A file is read again when any part of its identity (size, times, inode) changed, when it was younger than two seconds
when read, for a clock that coarse could hide a second write, and when it could not be read. Documents (PDF, Office, …)
are noted by name, and read when a question wants them: `TextStore.read_documents`.

A very large text is kept in pieces, each a text of its own. Texts and pieces beyond the memory budget keep only their
place and are read again for each scan, a batch at a time, and dropped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from functools import partial
from itertools import groupby, islice, takewhile
from typing import NamedTuple

import numpy as np

from lens_lsp.corpus.descriptions import Descriptions, SummaryIndex, TitleIndex
from lens_lsp.corpus.encoding import (
    SEPARATOR,
    Arena,
    BatchMaps,
    Bytes,
    Chunk,
    FoldedBatch,
    FoldedText,
    Ints,
    OffsetMap,
    TextPiece,
    Whole,
    blank,
    chunk_of,
    cut,
    fold_batch,
)
from lens_lsp.corpus.extraction import DocumentQueue, Pictures, extractions
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH, TextReader
from lens_lsp.corpus.intake import (
    Batch,
    Buffer,
    Hidden,
    Intake,
    ReadBatch,
    at_full_speed,
    hidden_parts,
    malloc_share_arena,
    malloc_trim,
    read_batches,
    searched_text,
    without_documents,
)
from lens_lsp.corpus.safe_open import UNKNOWN, Identity, Key, Root, Skipped, display_path, identity_of
from lens_lsp.corpus.scan import Places
from lens_lsp.corpus.text_marks import find_generated
from lens_lsp.corpus.walk import YOUNG_NS, FileEntry, differing, entry_of
from lens_lsp.documents.kinds import Gist, StoredText
from lens_lsp.model.documents import Head, Part, PartReason, Skip, SkipReason
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Position
from lens_lsp.model.words import fold

Progress = Callable[[int, int], None]
"""Told how many files were read, of how many."""
_FILES = 8192
"""Files that are asked for in one go: a table of all of them would be ten megabytes for a hundred thousand."""
_KEPT = 8 << 20
"""Bytes of texts read again that are kept for the next who asks for them."""
_FEW = 50
"""Texts that may be asked for again soon: they are read one by one and kept for a while."""
_NOTHING = FoldedText(b"")
_GLANCING, _SHARE = 0.7, 0.6
"""Seconds for which documents are glanced at before some are read, at most; a share of the time is the other bound."""
_PATIENCE = 2.0
"""Seconds beyond its time that a question has documents read while there is no other text."""
# A lock, no descriptor left, no time: no change shows.
_PASSING = frozenset(
    {SkipReason.UNREADABLE, SkipReason.PERMISSION, SkipReason.NOT_READ}
    | {SkipReason.MISSING, SkipReason.CHANGED, SkipReason.NO_ANSWER}
)
_MANY = 100_000
"""Files from which on a second process is worth its start."""
_KNOWN = 1024
"""Bytes that are kept of a file beside its text: path, identity, names and where it stands."""


class CachedText(NamedTuple):
    """A folded text: its file, its slot, the way back to its source. A tuple, for there are many."""

    key: Key
    slot: int
    maps: BatchMaps | None = None
    place: int = 0
    """Which of the maps is this text's."""
    piece: TextPiece | None = None
    """Set when the text is a piece of a very large file; spans then count from the piece's first code point."""

    @property
    def offsets(self) -> OffsetMap | None:
        """The way from folded bytes to code points of a text in memory; None where they are the same."""
        return None if self.maps is None else self.maps.of(self.place)


def _continued(text: CachedText) -> bool:
    """Whether it is a later piece of a file."""
    return text.piece is not None and text.piece.point > 0


def streamed(
    texts: Iterable[CachedText],
    intake: Intake,
    roots: Mapping[int, Root],
    buffers: Mapping[Key, Buffer],
    alone: Callable[[int], Chunk],
) -> Iterator[Chunk]:
    """The texts in order, as they are on the disk now, in chunks that nobody keeps.

    ``alone`` gives the chunk of one slot: pieces of very large files are no files to be read. What cannot be read any
    more is in no chunk.
    """
    for (root, whole), run in groupby(texts, lambda text: (text.key[0], text.piece is None)):
        if not whole:
            yield from (alone(text.slot) for text in run)
            continue
        while slots := {text.key[1]: text.slot for text in islice(run, _FILES)}:
            typed = {path: buffer for (index, path), buffer in buffers.items() if index == root and path in slots}
            with at_full_speed():
                for batch in intake.batches(roots[root], list(slots), typed):
                    read, folded = intake.folded(batch, mapped=False)
                    if folded is not None:
                        found = np.array([slots[path] for path in read.paths], np.int64)
                        yield Chunk(folded.data, found, folded.starts, passing=True)


@dataclass(frozen=True, slots=True)
class TextTable:
    """What is known of texts by slot: their files, None where a text was removed; folded bytes; what they say of
    themselves, which of a file in pieces its first piece does."""

    keys: tuple[Key | None, ...]
    lengths: Ints
    heads: tuple[Head | None, ...]
    pieces: Ints
    """The slots of pieces of very large files."""


_ELSEWHERE = TextPiece(0, 0, 0, Position(1, 1), "", guessed=False)
"""A piece of a file that others hold."""


class Stored(NamedTuple):
    """Texts that are in the arena and not yet in the tables: a scan does not need these."""

    root: int
    batch: Batch
    first: int
    maps: BatchMaps | None


class TextStore:
    """Folded texts of files. Not safe for threads: one question at a time brings it up to date.

    ``budget`` bounds the bytes kept in memory between questions: what is known of each file first, then texts as far as
    they fit beside it. So many files as ``shared_from`` says are read by two processes.
    """

    def __init__(self, *, fallback_encoding: str = "cp1252", budget: int = 1 << 31, shared_from: int = _MANY) -> None:
        malloc_share_arena()
        self._shared_from = shared_from
        self._fallback = fallback_encoding
        self._budget = budget
        self.changes = 0
        """How often a text came, went or moved: the same number, the same `table`."""
        self._intake = Intake(fallback_encoding, budget)
        self._roots: Mapping[int, Root] = {}
        self._entries: dict[Key, FileEntry] = {}
        self._listed: dict[Key, FileEntry] = {}
        self._buffered: dict[Key, Buffer] = {}
        self.large: dict[Key, tuple[Identity, Whole]] = {}
        """The files that are kept in pieces, with what identified them before."""
        self._clear()

    def _clear(self) -> None:
        self._entries.clear()
        self._listed.clear()
        self._buffered.clear()
        self._last: list[FileEntry] = []
        self._young: set[Key] = set()
        self._unreadable: dict[Key, SkipReason] = {}
        self._unread = DocumentQueue()
        self._waiting: dict[Key, None] = {}
        """Documents that were read, with pages that are pictures and wait to be recognised."""
        self._left: dict[Key, int] = {}
        """Of documents that were read in part, the pages that were not: they wait, too."""
        self._pictures: dict[Key, int] = {}
        self._parts: dict[Key, list[tuple[int, PartReason]]] = {}
        """Lines on which hidden parts of texts begin, and why they are hidden."""
        self._full = False
        self._reset()
        self._room = self._budget
        """How many bytes of texts may be held."""
        self.large.clear()
        self._broken = False

    def _reset(self) -> None:
        self.changes += 1
        self.arena = Arena()
        self._descriptions = Descriptions()
        self._slots: list[CachedText | None] = []
        self._texts: dict[Key, int] = {}
        """The slot of a file's text, or of the first of its pieces: the others follow it."""
        self._live = 0
        self._stored: list[Stored] = []
        self._loaded: dict[int, FoldedText] = {}
        self._loaded_size = 0
        self._headings: dict[int, tuple[bytes, ...]] = {}

    @property
    def slots(self) -> list[CachedText | None]:
        """The texts by slot; None where one was removed."""
        if self._stored:
            self._settle()
        return self._slots

    @property
    def files(self) -> int:
        """How many files can be searched."""
        self._settle()
        return len(self._texts)

    @property
    def whole(self) -> bool:
        """Whether no update was broken off halfway."""
        return not self._broken

    @property
    def passing_by(self) -> bool:
        """Whether more text is read again by each question than is kept in memory."""
        return self.size > 2 * self.arena.size

    @property
    def live(self) -> int:
        """How many texts there are: files, and pieces of very large ones."""
        self._settle()
        return self._live

    @property
    def size(self) -> int:
        """Bytes of all texts, in memory or not."""
        return int(self.arena.lengths().sum())

    @property
    def titles(self) -> TitleIndex:
        """Which text answers to which name."""
        return self._descriptions.titles

    @property
    def summaries(self) -> SummaryIndex:
        """Which text says what about itself."""
        return self._descriptions.summaries

    def heads(self) -> Iterator[tuple[int, str, tuple[tuple[str, str], ...]]]:
        """Slot, path and metadata of every text."""
        return self._descriptions.heads()

    @property
    def field_names(self) -> Set[str]:
        """The names of all fields that any text has."""
        return self._descriptions.field_names

    def describe(self) -> None:
        """Enter new texts now and look at what they say about themselves, otherwise done when it is asked for."""
        self._settle()
        self._descriptions.settle()

    def texts(self, key: Key) -> Sequence[CachedText]:
        """The texts of a file: one, or its pieces; none if it is not known."""
        self._settle()
        return self._of(self._texts.get(key))

    def _of(self, slot: int | None) -> list[CachedText]:
        """A text, and those behind it that are of the same file."""
        text = None if slot is None else self._slots[slot]
        if slot is None or text is None or text.piece is None:
            return [] if text is None else [text]
        behind = islice(self._slots, slot, None)
        return list(takewhile(lambda other: other.key == text.key, filter(None, behind)))

    def kept(self, key: Key) -> bool:
        """Whether all texts of a file are in memory, where they can be compared with what is read."""
        return all(self.arena.holds(text.slot) for text in self.texts(key))

    def entry(self, key: Key) -> FileEntry | None:
        """A file as it was when it was read, None if it is not known."""
        self._settle()
        return self._entries.get(key)

    def names(self, slot: int) -> tuple[str, ...]:
        """What a text is called, as written but without a closing parenthesis: file name, title, aliases."""
        text = self.slots[slot]
        return () if text is None else self._descriptions.names(self._texts[text.key])

    def headings(self, slot: int) -> tuple[bytes, ...] | None:
        """The headings of a document, folded; None for texts, whose headings are marked in them."""
        return self._headings.get(slot)

    def _describe_document(self, slot: int, path: str, gist: Gist) -> None:
        self._descriptions.note(slot, path, gist.head)
        self._headings[slot] = tuple(fold(heading).encode("utf-8") for heading in gist.headings)

    def table(self) -> TextTable:
        """What is known of the texts, without the texts."""
        heads = self._descriptions.by_slot(len(self.slots))
        keys = [None if text is None else text.key for text in self.slots]
        later = [text.slot for text in self.slots if text is not None and text.piece is not None]
        return TextTable(tuple(keys), self.arena.lengths(), tuple(heads), np.array(later, np.int64))

    @classmethod
    def of(cls, tables: Iterable[TextTable]) -> TextStore:
        """A store that knows texts which others hold: their slots follow each other, table by table."""
        store = cls(budget=0)
        for table in tables:
            first, pieces = len(store.arena), set(table.pieces.tolist())
            described: list[int] = []
            for at, (key, length) in enumerate(zip(table.keys, table.lengths.tolist(), strict=True)):
                slot = store.arena.reserve(length)
                if key is None:
                    store._slots.append(None)
                else:
                    store._enter(CachedText(key, slot, piece=_ELSEWHERE if at in pieces else None))
                    if table.heads[at] is not None:
                        described.append(at)
            paths = [key[1] for key in map(table.keys.__getitem__, described) if key is not None]
            heads = [head for head in map(table.heads.__getitem__, described) if head is not None]
            store._descriptions.note_all([first + at for at in described], paths, heads)
        return store

    def drop(self, key: Key) -> None:
        """Forget the texts of a file, if it is known."""
        self._settle()
        for text in self._of(self._texts.pop(key, None)):
            self.arena.remove(text.slot)
            self._descriptions.remove(text.slot)
            self._slots[text.slot] = None
            self._live -= 1
            self.changes += 1
            self._headings.pop(text.slot, None)

    def _identify(self, key: Key, identity: Identity | None) -> None:
        """Note what was read: the file as it was listed, else as it said of itself."""
        entry = self._listed.pop(key, None) if self._listed else None
        self._entries[key] = entry_of(key, identity or UNKNOWN) if entry is None else entry

    def _settle(self) -> None:
        """Enter what is in the arena into the tables."""
        broken, self._broken = self._broken, True
        stored, self._stored = self._stored, []
        for root, batch, first, maps in stored:
            for index, (path, identity) in enumerate(zip(batch.paths, batch.identities, strict=True)):
                key = (root, path)
                self._identify(key, identity)
                self._enter(CachedText(key, first + index, maps, index))
        self._broken = broken

    def _enter(self, text: CachedText) -> None:
        self._slots.append(text)
        self._texts.setdefault(text.key, text.slot)
        self._live += 1
        self.changes += 1

    def source(self, text: CachedText) -> str:
        """The document text behind a cached one, read from the disk now. Raises `Skipped`."""
        root, path = self._roots[text.key[0]], text.key[1]
        if text.piece is not None:
            return text.piece.text(root, path)
        buffer = self._buffered.get(text.key)
        return self._intake.document_text(path, root.read(path) if buffer is None else buffer.text)

    def load(self, slot: int) -> FoldedText:
        """The folded text of a slot and its offsets, from memory or read again; empty if it cannot be read."""
        text = self.slots[slot]
        if text is None:
            return _NOTHING
        if self.arena.holds(slot):
            return FoldedText(self.arena.text(slot).tobytes(), text.offsets)
        known = self._loaded.get(slot)
        if known is None:
            batch = self._fold_again(text)
            known = self._loaded[slot] = _NOTHING if batch is None else batch.alone
            self._loaded_size += len(known.data)
            while self._loaded_size > _KEPT and len(self._loaded) > 1:
                self._unload(next(iter(self._loaded)))
        return known

    def _unload(self, slot: int) -> None:
        self._loaded_size -= len(self._loaded.pop(slot, _NOTHING).data)

    def _fold_again(self, text: CachedText, *, mapped: bool = True) -> FoldedBatch | None:
        """None where it cannot be read."""
        root, path, piece = self._roots[text.key[0]], text.key[1], text.piece
        try:
            found = self.source(text) if piece is None else piece.data(root, path)
            return self._intake.fold_again(path, found, continued=_continued(text), mapped=mapped)
        except Skipped:
            return None

    def folded(self, slot: int) -> Bytes:
        """The folded bytes of a slot."""
        if self.arena.holds(slot):
            return self.arena.text(slot)
        return np.frombuffer(self.load(slot).data, np.uint8)

    def offsets(self, slot: int) -> OffsetMap | None:
        """The way from folded bytes of a slot to code points of its text."""
        text = self.slots[slot]
        if text is None or self.arena.holds(slot):
            return None if text is None else text.offsets
        return self.load(slot).offsets

    def chunks(self) -> Iterator[Chunk]:
        """All texts to scan: those in memory, then the others, read again as they are asked for."""
        yield from self.arena.chunks()
        yield from self.passing()

    def passing(self) -> Iterator[Chunk]:
        """The texts that are not kept in memory.

        Before a pass over most texts, and behind it, blocks that nobody uses go back: a question may take several, with
        what it knows by then on top.
        """
        if self.passing_by:
            malloc_trim()
        yield from self._streamed(self.arena.elsewhere().data)
        if self.passing_by:
            malloc_trim()

    def _streamed(self, slots: Iterable[int]) -> Iterator[Chunk]:
        texts = (text for slot in slots if (text := self.slots[slot]) is not None)
        return streamed(texts, self._intake, self._roots, self._buffered, self._once)

    def together(self, slots: Ints) -> Chunk:
        """A copy of some texts, in memory or not, as a chunk of their own."""
        texts = dict.fromkeys(slots.tolist(), b"")
        for chunk in self._streamed(slot for slot in texts if not self.arena.holds(slot)):
            texts.update(chunk.texts())
        texts.update((slot, self.arena.text(slot).tobytes()) for slot in texts if self.arena.holds(slot))
        return chunk_of(slots, list(texts.values()))

    def again(self, slots: Places) -> Iterator[Chunk]:
        """Some of the texts that are not kept in memory, in order."""
        yield from map(self.chunk, slots.tolist()) if len(slots) <= _FEW else self._streamed(slots.tolist())

    def _once(self, slot: int) -> Chunk:
        """A text that is kept nowhere, to scan by itself."""
        text = self.slots[slot]
        batch = None if text is None or slot in self._loaded else self._fold_again(text, mapped=False)
        return self.chunk(slot) if batch is None else Chunk(batch.data, np.array([slot]), batch.starts, passing=True)

    def chunk(self, slot: int) -> Chunk:
        """One text to scan by itself."""
        data = np.frombuffer(self.load(slot).data + bytes((SEPARATOR,)), np.uint8)
        return Chunk(data, np.array([slot]), np.array([0]), passing=not self.arena.holds(slot))

    def _compact(self) -> None:
        """Build a new arena from the live texts, in order of their keys."""
        self._settle()
        texts = [text for key in sorted(self._texts) for text in self._of(self._texts[key])]
        old, lengths, descriptions = self.arena, self.arena.lengths(), self._descriptions
        headings = self._headings
        self._reset()
        for text in texts:
            if old.holds(text.slot):
                slot = self.arena.add(old.text(text.slot).tobytes())
            else:
                slot = self.arena.reserve(int(lengths[text.slot]))
            self._enter(text._replace(slot=slot))
            self._descriptions.move(descriptions, text.slot, slot)
            if text.slot in headings:
                self._headings[slot] = headings[text.slot]

    @property
    def unread(self) -> int:
        """How many documents wait to be read, or for pages of theirs to be recognised."""
        return len(self._unread) + len(self._waiting)

    @property
    def pictures(self) -> int:
        """How many pictures in the documents that were read nobody read."""
        return sum(self._pictures.values())

    @property
    def readable(self) -> bool:
        """Whether documents wait of which nothing was read, and there is room in memory for their texts."""
        return len(self._unread) > len(self._left) and not self._full

    @property
    def unread_documents(self) -> int:
        """How many documents were not read, or not to their end."""
        return len(self._unread)

    @property
    def documents(self) -> int:
        """How many documents there are, without those that cannot be read."""
        return len(self._pictures) + len(self._unread) - len(self._left)

    def unread_called(self, name: str) -> list[Key]:
        """The documents that wait and are called so."""
        return self._unread.called(name)

    def skips(self) -> list[Skip]:
        """What cannot be searched as it is, and why: documents that wait are among it."""
        refused = [
            Skip(display_path(path), reason, root, self._entries[root, path].size)
            if reason is SkipReason.TOO_LARGE
            else Skip(display_path(path), reason, root)
            for (root, path), reason in self._unreadable.items()
        ]
        waiting = (key for key in self._unread if key not in self._left)
        return refused + [Skip(display_path(path), SkipReason.NOT_READ, root) for root, path in waiting]

    def parts(self) -> list[Part]:
        """What of the texts that are searched is hidden, or was not read."""
        return [
            Part(display_path(path), line, reason, root)
            for (root, path), hidden in self._parts.items()
            for line, reason in hidden
        ] + [Part(display_path(path), 0, PartReason.NOT_READ, root) for root, path in self._left]

    def _hide(self, root: int, hidden: Sequence[Hidden]) -> None:
        for path, line, reason in hidden:
            self._parts.setdefault((root, path), []).append((line, reason))

    def fill(
        self,
        root: Root,
        paths: Sequence[str],
        buffers: Mapping[Key, Buffer],
        *,
        more: bool = False,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Skip]:
        """Take the files of a root into an empty cache, or ``more`` of them, known by their paths alone; otherwise as
        `refresh`.

        Each is asked what identifies its content as it is read, which costs less than to ask while listing.
        """
        assert more or not self.files, "what is known must be compared"
        if not more:
            self._clear()  # files that could not be read are known
        buffers = without_documents(buffers)
        self._roots, self._broken = {root.index: root}, True
        self._read({root.index: paths}, buffers, progress, cancelled)
        self._broken = False
        return self.skips()

    def refresh(
        self,
        roots: Sequence[Root],
        files: list[FileEntry],
        buffers: Mapping[Key, Buffer],
        *,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Skip]:
        """Make the cache hold exactly these files, as they are now; returns what could not be read, and why.

        ``roots`` stay open until the question is answered. Cancelled in between, the cache holds the files it came
        to; the others are read by the next call. Broken off by an exception, the next call reads everything anew.
        """
        buffers = without_documents(buffers)
        self._settle()
        if self._broken:  # half of an update would lose files, or take one text for another
            self._clear()
        self._roots, self._broken = {root.index: root for root in roots}, True
        self._loaded, self._loaded_size = {}, 0
        self._listed.clear()
        self._full = False
        stale = self.stale(buffers)
        fresh = self._changed(files)
        if stale:
            stale -= {(entry.root, entry.path) for entry in fresh}
            fresh += [self._entries[key] for key in sorted(stale) if key in self._entries]
        paths: dict[int, list[str]] = {}
        for entry in fresh:
            key = (entry.root, entry.path)
            self._forget(key)
            self._listed[key] = entry
            paths.setdefault(entry.root, []).append(entry.path)
        if not self._read(paths, buffers, progress, cancelled):
            self._last = []
        if self.arena.blank > max(self.arena.size, 1 << 20):
            self._compact()
        self._broken = False
        return self.skips()

    def _changed(self, files: list[FileEntry]) -> list[FileEntry]:
        """The files that are new or not as they were; those that are gone are forgotten."""
        known, last = self._entries, self._last or list(self._entries.values())
        if len(last) == len(files):  # mostly some files were edited and none came or went: then no key is needed
            places = list(differing(last, files))
            if all(last[place][:2] == files[place][:2] for place in places):
                for place in places:
                    last[place] = files[place]
                self._last = last
                return [files[place] for place in places]
        self._last = list(files)
        for key in known.keys() - {(entry.root, entry.path) for entry in files}:
            self._forget(key)
        return [entry for entry in files if known.get((entry.root, entry.path)) != entry]

    def stale(self, buffers: Mapping[Key, Buffer]) -> set[Key]:
        """What must be read again though no change shows: young files, unreadable ones, buffers edited or closed."""
        buffers = without_documents(buffers)
        edited = {key for key, buffer in buffers.items() if self._buffered.get(key) != buffer}
        closed = self._buffered.keys() - buffers.keys()
        return self._young | edited | closed

    def _forget(self, key: Key) -> None:
        if self._entries.pop(key, None) is not None:
            self.drop(key)
            self._unreadable.pop(key, None)
            self._unread.discard(key)
            self._waiting.pop(key, None)
            self._left.pop(key, None)
            self._pictures.pop(key, None)
            self._parts.pop(key, None)
            self._young.discard(key)
            self._buffered.pop(key, None)
            self.large.pop(key, None)

    def _read(
        self,
        paths: Mapping[int, Sequence[str]],
        buffers: Mapping[Key, Buffer],
        progress: Progress | None,
        cancelled: Callable[[], bool] | None,
    ) -> bool:
        """Read files by root; False if it was cancelled before all of them were."""
        done, total = 0, sum(map(len, paths.values()))
        self._room = self._budget - _KNOWN * (len(self._texts) + total)
        stopped = cancelled is not None and cancelled()
        with at_full_speed():
            for root, of_root in () if stopped else paths.items():
                typed = {path: buffer for (index, path), buffer in buffers.items() if index == root}
                with closing(self._batches(self._roots[root], of_root, typed)) as batches:
                    for read in batches:
                        if progress is not None:
                            progress(done, total)
                        self._store(root, read, typed, cancelled)
                        done += read.batch.files
                        if cancelled is not None and cancelled():
                            return done == total
        return done == total

    def _batches(
        self, root: Root, paths: Sequence[str], typed: Mapping[str, Buffer]
    ) -> Generator[ReadBatch, None, None]:
        """The files in batches; of very many those that are not open in an editor are read by two processes."""
        if len(paths) >= self._shared_from:
            from lens_lsp.corpus.reading_process import may_share, shared_batches  # small folders start no process

            if may_share(root):
                on_disk = [path for path in paths if path not in typed]
                paths = [path for path in paths if path in typed]
                yield from shared_batches(root, self._intake, on_disk, fallback=self._fallback, budget=self._budget)
        yield from read_batches(root, self._intake, paths, typed)

    def _store(
        self, root: int, read: ReadBatch, typed: Mapping[str, Buffer], cancelled: Callable[[], bool] | None
    ) -> None:
        """Put the texts of a batch where they can be scanned."""
        batch, folded, heads = read
        for path, identity, reason in batch.refused:
            self._refuse((root, path), identity, reason)
        self._hide(root, batch.parts)
        for path in batch.documents:
            self._put_off((root, path))
        self._young.update((root, path) for path in batch.young)
        if typed:
            self._buffered.update(((root, path), typed[path]) for path in batch.paths if path in typed)
        if folded is not None:
            first = len(self.arena)
            if self.arena.size + folded.size <= self._room:
                self.arena.add_all(folded.size, folded.write, folded.starts, folded.ends)
                maps = folded.maps
            else:
                maps = folded.maps if self._add_what_fits(folded) else None
            if heads is None:
                self._descriptions.add(first, batch.paths, batch.readers, batch.beginnings())
            else:
                self._descriptions.add_heads(first, batch.paths, heads)
            batch.texts = []
            self._stored.append(Stored(root, batch, first, maps))
        if batch.large is not None:
            self._place_pieces(root, *batch.large, cancelled)

    def _add_what_fits(self, folded: FoldedBatch) -> bool:
        """Whether any did."""
        data, first = folded.data, self.arena.size
        for start, end in zip(folded.starts.tolist(), folded.ends.tolist(), strict=True):
            if self.arena.size + end - start <= self._room:
                self.arena.add(data[start:end].tobytes())
            else:
                self.arena.reserve(end - start)
        return self.arena.size > first

    def _place_pieces(
        self, root: int, path: str, reader: TextReader, identity: Identity, cancelled: Callable[[], bool] | None
    ) -> None:
        """Take in a file that is kept in pieces."""
        key = (root, path)
        old = identity[1] < time.time_ns() - YOUNG_NS
        self._settle()
        try:
            if reader.extracted:  # its text is no stretch of the file
                raise Skipped(SkipReason.TOO_LARGE)
            _, whole = cut(self._roots[root], path, self._fallback, cancelled, partial(self._place_piece, key, reader))
        except Skipped as skipped:
            self.drop(key)
            self._refuse(key, identity, skipped.reason)
        else:
            self._identify(key, identity)
            if old:
                self.large[key] = identity, whole

    def _place_piece(self, key: Key, reader: TextReader, piece: TextPiece, data: bytes) -> None:
        """Take in a piece of a file, in UTF-8, and keep its text where memory has room for it. Raises `Skipped`."""
        slot, maps = len(self.arena), None
        if not piece.point:
            self.drop(key)
            self._parts.pop(key, None)
            text = data.decode()
            found = find_generated(text)
            if found.answer:
                raise Skipped(SkipReason.ANSWER)
            self._hide(key[0], hidden_parts(key[1], reader, text, found))
            start = searched_text(reader, text)[:HEAD_LENGTH]
            self._descriptions.add(slot, [key[1]], [reader], [start.encode("utf-8", "replace")])
        if self.arena.size + len(data) <= self._room:
            folded = self._intake.fold_again(key[1], data, continued=piece.point > 0)
            self.arena.add_all(folded.size, folded.write, folded.starts, folded.ends)
            maps = folded.maps
        else:
            self.arena.reserve(len(data))  # its folded length is not known; its bytes are close enough
        self._enter(CachedText(key, slot, maps, piece=piece))

    def _refuse(self, key: Key, identity: Identity | None, reason: SkipReason) -> None:
        self._identify(key, identity)
        self._unreadable[key] = reason
        if reason in _PASSING:
            self._young.add(key)

    def reopen(self, roots: Sequence[Root], without: Set[Key] = frozenset()) -> None:
        """Take these roots, which are open, for those of the last update, and let some files go till the next one."""
        self._roots = {root.index: root for root in roots}
        for key in without:
            self._last = []
            self._forget(key)

    def _put_off(self, key: Key) -> None:
        """A document is known by its name until a question has it read."""
        known = key in self._listed
        self._identify(key, None if known else identity_of(self._roots[key[0]], key[1]))
        self._unread.add(key, self._entries[key][2:])

    def take_stored(self, cancelled: Callable[[], bool] | None = None) -> None:
        """Take in the documents that wait and whose texts are on the disk: no time is spent on reading them."""
        self._settle()  # texts that are in the arena come before them in the tables, too
        for key in [key for key in self._unread if key not in self._left]:
            if self._full or (cancelled is not None and cancelled()):
                return
            identity = self._entries[key][2:]
            try:
                stored = self._intake.stored(key[1], identity)
            except Skipped as skipped:
                self._unread.discard(key)
                self._refuse(key, identity, skipped.reason)
                continue
            if stored is not None:
                self._take(key, identity, stored)

    def read_documents(
        self,
        question: str,
        *,
        seconds: float,
        patient: bool = False,
        only: Sequence[Key] | None = None,
        longer: bool = True,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> int:
        """Read documents that wait, those that a question most likely means first; how many texts that gave.

        None is begun after ``seconds``; the one under way is broken off then, unless ``patient``. Without any text yet
        that is a little later. What memory has no room for waits on. ``only`` are the ones that are meant; without, a
        part of the time goes into what the documents say of themselves. Documents that are nothing but pictures come
        last: to recognise one takes longer than to read many. ``longer`` reads those on, too, of which a part
        was read: their texts become others, so never while a question holds on to what it found. After `fill` or
        `refresh`, while their roots are open.
        """
        if self._full or not (self._unread if longer else self.readable):
            return 0
        began, before = time.monotonic(), len(self.slots)
        until = began + seconds

        def over(*, begun: bool = True) -> bool:
            wait = math.inf if begun and patient else _PATIENCE if seconds and not self.live else 0.0
            return time.monotonic() >= until + wait or (cancelled is not None and cancelled())

        if only is None:
            self._glance(question, began + min(_GLANCING, _SHARE * seconds), cancelled)
        wanted = self._unread.order(question) if only is None else [key for key in only if key in self._unread]
        wanted = [key for key in wanted if key not in self._left] + [
            key for key in wanted if longer and key in self._left
        ]
        scans: list[Key] = []
        for done, key in enumerate(wanted):
            if progress is not None:
                progress(done, len(wanted))
            if self._full or over(begun=False):
                break
            if not self._read_document(key, over):
                scans.append(key)
        for key in scans:
            if self._full or over(begun=False) or not self._read_document(key, over, Pictures.RECOGNISED):
                break
        extractions().flush()
        return len(self.slots) - before

    def _glance(self, question: str, until: float, cancelled: Callable[[], bool] | None) -> None:
        """Learn what the documents say of themselves, as far as the time goes."""

        def stopped() -> bool:
            return cancelled is not None and cancelled()

        # One under way is not broken off: that would end the process that is about to read.
        for kind, keys in self._unread.to_glance(question) if time.monotonic() < until else ():
            if time.monotonic() >= until or stopped():
                break
            documents = [(self._roots[root], path) for root, path in keys]
            for key, said in zip(keys, self._intake.glanced(kind, documents, stopped), strict=True):
                self._unread.glanced(key, said)

    def _read_document(self, key: Key, over: Callable[..., bool], pictures: Pictures = Pictures.KNOWN) -> bool:
        """Take one document in, as far as the time goes; False when it has to wait after all."""
        try:
            identity, read = self._intake.extracted(
                self._roots[key[0]], key[1], over, pictures, further=lambda: not over(begun=False)
            )
        except Skipped as skipped:
            if skipped.reason is SkipReason.NOT_READ:
                return False
            self._unread.discard(key)
            self._left.pop(key, None)
            self._refuse(key, identity_of(self._roots[key[0]], key[1]), skipped.reason)
            return True
        if self._left.get(key) == read.gist.left:
            return not read.gist.left
        self.drop(key)
        self._left.pop(key, None)
        return self._take(key, identity, read) and not read.gist.left

    def recognise(
        self, *, seconds: float, only: Sequence[Key] | None = None, cancelled: Callable[[], bool] | None = None
    ) -> None:
        """Have pages recognised that wait for it, for some seconds; ``only`` those of some documents.

        Their texts become others: never while a question holds on to what it found. Otherwise as `read_documents`.
        """
        until = time.monotonic() + seconds

        def over() -> bool:
            return time.monotonic() >= until or (cancelled is not None and cancelled())

        for key in [key for key in self._waiting if only is None or key in only]:
            try:
                identity, read = self._intake.extracted(self._roots[key[0]], key[1], over, Pictures.RECOGNISED)
            except Skipped:  # it is gone, or cannot be read any more: the next look at the disk tells
                continue
            if read.waiting:
                break
            self.drop(key)
            if not self._take(key, identity, read):
                del self._waiting[key]
                self._unread.add(key, identity)

    def still_holds(self, slot: int, text: str) -> bool:
        """Whether a document's text, just read, is the one that was scanned; if not, the next question reads it again.

        That of a file may be another though no change shows: when its pages were recognised meanwhile.
        """
        cached = self.slots[slot]
        if cached is None:
            return False
        root, path = cached.key
        if self.arena.holds(slot):
            read = self._intake.fold_again(path, text, continued=_continued(cached), mapped=False)
            holds = read.data[:-1].tobytes() == self.arena.text(slot).tobytes()
        else:  # not kept in memory: its file must be the one that was listed
            known = self._entries[cached.key][2:]
            holds = cached.key in self._buffered or identity_of(self._roots[root], path) == known
        if not holds:
            self._young.add(cached.key)
        return holds

    def _take(self, key: Key, identity: Identity, read: StoredText) -> bool:
        """Put a document's text where it can be scanned; False when there is no room for it."""
        own = find_generated(read.text, asked=False).spans
        folded = fold_batch([(blank(read.text, own) if own else read.text).encode("utf-8")])
        if self.arena.size + folded.size > self._room:
            self._full = True
            return False
        self._broken = True
        self._unread.discard(key)
        self._left.pop(key, None)
        if read.gist.left:
            self._unread.add(key, identity)
            self._left[key] = read.gist.left
        self._waiting.pop(key, None)
        self._waiting.update({key: None} if read.waiting else {})
        self._pictures[key] = read.gist.unseen
        self._parts.pop(key, None)
        parts = {PartReason.CUT: read.gist.cut, PartReason.UNSEEN: read.gist.hidden}
        self._hide(key[0], [(key[1], 0, reason) for reason, holds in parts.items() if holds])
        if identity[1] > time.time_ns() - YOUNG_NS:
            self._young.add(key)
        self._identify(key, identity)
        slot = self.arena.add_all(folded.size, folded.write, folded.starts, folded.ends)
        self._enter(CachedText(key, slot, folded.maps))
        self._describe_document(slot, key[1], read.gist)
        self._broken = False
        return True
