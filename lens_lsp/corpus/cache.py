"""The folded texts of a workspace, in memory only, brought in line with the disk at every question.

A file is read again when any part of its identity (size, times, inode) changed, or when it was younger than two
seconds when read: a clock that coarse could hide a second write. Texts beyond the memory budget, and the pieces of
very large ones, keep only their place and are read again for each scan. Nothing here is ever written to disk.
"""

from __future__ import annotations

import contextlib
import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import ne

import numpy as np

from lens_lsp.corpus.arena import SEPARATOR, Arena, Chunk
from lens_lsp.corpus.encoding import decode
from lens_lsp.corpus.folding import FoldedText, OffsetMap, blank, fold_text
from lens_lsp.corpus.formats.base import Reader
from lens_lsp.corpus.formats.table import reader_for
from lens_lsp.corpus.matcher import Bytes
from lens_lsp.corpus.opening import Root, Skipped, display_path
from lens_lsp.corpus.pieces import LARGE, Piece, cut
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.corpus.summaries import SummaryIndex
from lens_lsp.corpus.titles import TitleIndex, file_name, plain_name
from lens_lsp.corpus.walk import FileEntry
from lens_lsp.domain.model import Head, Skip, SkipReason

_YOUNG_NS = 2_000_000_000
_HEAD = 4096
_STEP = 256
_KEPT = 16

Key = tuple[int, str]
"""Root index and path: what a file is known by."""


@dataclass(frozen=True, slots=True)
class CachedText:
    """A folded text: its file, its slot, the way back to its source, what it says about itself."""

    key: Key
    slot: int
    offsets: OffsetMap | None
    head: Head
    piece: Piece | None = None
    """Set when the text is a piece of a very large file; spans then count from the piece's first code point."""


class TextCache:
    """Folded texts of files. Not safe for threads: one question at a time brings it up to date.

    ``budget`` bounds the bytes of text kept in memory between questions.
    """

    def __init__(self, *, fallback_encoding: str = "cp1252", budget: int = 1 << 31) -> None:
        self._fallback = fallback_encoding
        self._budget = budget
        self._roots: Sequence[Root] = ()
        self._entries: dict[Key, FileEntry] = {}
        self._last: Sequence[FileEntry] = ()
        self._young: set[Key] = set()
        self._buffered: dict[Key, Buffer] = {}
        self._unreadable: dict[Key, SkipReason] = {}
        self._reset()

    def _reset(self) -> None:
        self.arena = Arena()
        self.titles = TitleIndex()
        self.summaries = SummaryIndex()
        self.slots: list[CachedText | None] = []
        self._texts: dict[Key, list[CachedText]] = {}
        self._live = 0
        self._elsewhere: dict[int, None] = {}
        self._loaded: dict[int, FoldedText] = {}

    @property
    def files(self) -> int:
        """How many files can be searched."""
        return len(self._texts)

    @property
    def live(self) -> int:
        """How many texts there are: files, and pieces of very large ones."""
        return self._live

    def put(self, key: Key, folded: FoldedText, head: Head) -> CachedText:
        """Store a text of a file, in memory if the budget allows it."""
        size = len(folded.data)
        if self.arena.size + size > self._budget:
            return self._place(CachedText(key, self.arena.reserve(size), None, head))
        return self._place(CachedText(key, self.arena.add(folded.data), folded.offsets, head))

    def _place(self, text: CachedText) -> CachedText:
        self._texts.setdefault(text.key, []).append(text)
        self.slots.append(text)
        self._live += 1
        if not self.arena.holds(text.slot):
            self._elsewhere[text.slot] = None
        if text.piece is None or not text.piece.point:
            self.titles.add(text.slot, self.names(text.slot))
            self.summaries.add(text.slot, text.head)
        return text

    def texts(self, key: Key) -> Sequence[CachedText]:
        """The texts of a file: one, or its pieces; none if it is not known."""
        return self._texts.get(key, ())

    def names(self, slot: int) -> tuple[str, ...]:
        """What a text is called, as written but without a closing parenthesis: file name, title, aliases."""
        text = self.slots[slot]
        if text is None:
            return ()
        title = (text.head.title,) if text.head.title else ()
        return tuple(dict.fromkeys(map(plain_name, (file_name(text.key[1]), *title, *text.head.aliases))))

    def drop(self, key: Key) -> None:
        """Forget the texts of a file, if it is known."""
        for text in self._texts.pop(key, ()):
            self.arena.remove(text.slot)
            self.titles.remove(text.slot)
            self.summaries.remove(text.slot)
            self.slots[text.slot] = None
            self._live -= 1
            self._elsewhere.pop(text.slot, None)

    def refresh(
        self,
        roots: Sequence[Root],
        files: Sequence[FileEntry],
        buffers: Mapping[Key, Buffer],
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Skip]:
        """Make the cache hold exactly these files, as they are now; returns what could not be read, and why.

        ``roots`` stay open until the question is answered. Cancelled in between, the cache holds the files it came
        to; the others are read by the next call.
        """
        self._roots = roots
        self._loaded.clear()
        stale = self._stale(buffers)
        fresh = self._changed(files)
        stale -= {(entry.root, entry.path) for entry in fresh}
        fresh += [self._entries[key] for key in sorted(stale) if key in self._entries]
        self._last = tuple(files)
        with _no_collection():
            for done, entry in enumerate(fresh):
                if done % _STEP == 0:
                    if cancelled is not None and cancelled():
                        self._last = ()
                        break
                    if progress is not None:
                        progress(done, len(fresh))
                self._update(entry, buffers.get((entry.root, entry.path)))
        if self.arena.blank > max(self.arena.size, 1 << 20):
            self._compact()
        return self._skips()

    def _changed(self, files: Sequence[FileEntry]) -> list[FileEntry]:
        """The files that are new or not as they were; those that are gone are forgotten."""
        last = self._last
        if len(last) == len(files):  # mostly some files were edited and none came or went: then no key is needed
            pairs = list(compress(zip(last, files, strict=True), map(ne, last, files)))
            if all(old[:2] == new[:2] for old, new in pairs):
                return [new for _, new in pairs]
        known = self._entries
        for key in known.keys() - {(entry.root, entry.path) for entry in files}:
            self._forget(key)
        return [entry for entry in files if known.get((entry.root, entry.path)) != entry]

    def _skips(self) -> list[Skip]:
        return [Skip(display_path(path), reason) for (_, path), reason in self._unreadable.items()]

    def _stale(self, buffers: Mapping[Key, Buffer]) -> set[Key]:
        """What must be read again although the disk shows no change: young files, buffers edited or closed."""
        edited = {key for key, buffer in buffers.items() if self._buffered.get(key) != buffer}
        closed = self._buffered.keys() - buffers.keys()
        return self._young | edited | closed

    def _forget(self, key: Key) -> None:
        self.drop(key)
        self._entries.pop(key, None)
        self._unreadable.pop(key, None)
        self._young.discard(key)
        self._buffered.pop(key, None)

    def _update(self, entry: FileEntry, buffer: Buffer | None) -> None:
        key = (entry.root, entry.path)
        self._forget(key)
        self._entries[key] = entry
        try:
            self._read(entry, buffer)
        except Skipped as skipped:
            self.drop(key)
            self._unreadable[key] = skipped.reason

    def _read(self, entry: FileEntry, buffer: Buffer | None) -> None:
        key, root = (entry.root, entry.path), self._roots[entry.root]
        reader = _reader(key)
        if buffer is not None:
            self._buffered[key] = buffer
            self._put_text(key, reader, buffer.text)
            return
        if entry.size > LARGE:
            self._put_pieces(key, reader)
            return
        data, status = root.read_with_stat(entry.path)
        if time.time_ns() - status.st_mtime_ns < _YOUNG_NS:
            self._young.add(key)
        if data.isascii() and b"\0" not in data and not (reader.extracted or reader.masked):
            self.put(key, FoldedText(data.lower()), reader.head(data[:_HEAD].decode("ascii")))
        else:
            self._put_text(key, reader, decode(data, self._fallback).text)

    def _put_text(self, key: Key, reader: Reader, decoded: str) -> None:
        text = reader.extract(decoded).text if reader.extracted else decoded
        self.put(key, _folded(reader, text), reader.head(decoded[:_HEAD]))

    def _put_pieces(self, key: Key, reader: Reader) -> None:
        if reader.extracted:  # its text is no stretch of the file
            raise Skipped(SkipReason.TOO_LARGE)
        root, path = self._roots[key[0]], key[1]
        head = Head()
        for piece in cut(root, path, self._fallback):
            if not piece.point:
                head = reader.head(piece.text(root, path)[:_HEAD])
            # Its folded length is not known before it was folded; its bytes are close enough.
            self._place(CachedText(key, self.arena.reserve(piece.end - piece.start), None, head, piece))

    def source(self, text: CachedText) -> str:
        """The document text behind a cached one, read from the disk now. Raises `Skipped`."""
        root, path = self._roots[text.key[0]], text.key[1]
        if text.piece is not None:
            return text.piece.text(root, path)
        buffer = self._buffered.get(text.key)
        decoded = decode(root.read(path), self._fallback).text if buffer is None else buffer.text
        reader = _reader(text.key)
        return reader.extract(decoded).text if reader.extracted else decoded

    def load(self, slot: int) -> FoldedText:
        """The folded text of a slot and its offsets, from memory or read again; empty if it cannot be read."""
        text = self.slots[slot]
        if text is None:
            return FoldedText(b"")
        if self.arena.holds(slot):
            return FoldedText(self.arena.text(slot).tobytes(), text.offsets)
        known = self._loaded.get(slot)
        if known is None:
            try:
                known = _folded(_reader(text.key), self.source(text))
            except Skipped:
                known = FoldedText(b"")
            if len(self._loaded) >= _KEPT:
                del self._loaded[next(iter(self._loaded))]
            self._loaded[slot] = known
        return known

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
        """All texts to scan: those in memory, then the others, each read as it is asked for."""
        yield from self.arena.chunks()
        for slot in list(self._elsewhere):
            yield self.chunk(slot)
            self._loaded.pop(slot, None)

    def chunk(self, slot: int) -> Chunk:
        """One text to scan by itself."""
        data = np.frombuffer(self.load(slot).data + bytes((SEPARATOR,)), np.uint8)
        return Chunk(data, np.array([slot]), np.array([0]), passing=not self.arena.holds(slot))

    def still_holds(self, slot: int, text: str) -> bool:
        """Whether a document's text, just read, is the one that was scanned."""
        cached = self.slots[slot]
        if cached is None:
            return False
        if self.arena.holds(slot):
            return _folded(_reader(cached.key), text).data == self.arena.text(slot).tobytes()
        return self._unchanged(cached.key)

    def _unchanged(self, key: Key) -> bool:
        """Whether a file that is not kept in memory is still the one that was listed."""
        entry = self._entries[key]
        try:
            fd = self._roots[key[0]].open(key[1])
        except Skipped:
            return False
        try:
            status = os.fstat(fd)
        finally:
            os.close(fd)
        found = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)
        return key in self._buffered or found == entry[2:]

    def _compact(self) -> None:
        """Build a new arena from the live texts, in order of their keys."""
        old, lengths, texts = self.arena, self.arena.lengths(), list(self._in_order())
        self._reset()
        for text in texts:
            if old.holds(text.slot):
                self.put(text.key, FoldedText(old.text(text.slot).tobytes(), text.offsets), text.head)
            else:
                slot = self.arena.reserve(int(lengths[text.slot]))
                self._place(CachedText(text.key, slot, None, text.head, text.piece))

    def _in_order(self) -> Iterable[CachedText]:
        return (text for key in sorted(self._texts) for text in self._texts[key])


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Hold the cycle collector: what is made here stays, and it would look through all of it again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _reader(key: Key) -> Reader:
    reader = reader_for(key[1].rpartition("/")[2])
    if reader is None:
        raise Skipped(SkipReason.UNSUPPORTED)
    return reader


def _folded(reader: Reader, text: str) -> FoldedText:
    """A document's text as it is scanned: markup blanked, folded."""
    return fold_text(blank(text, reader.mask(text)) if reader.masked else text)
