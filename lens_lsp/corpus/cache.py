"""The folded texts of a workspace, in memory only, brought in line with the disk at every question.

A file is read again when any part of its identity (size, times, inode) changed, when it was younger than two seconds
when read, for a clock that coarse could hide a second write, and when it could not be read. Texts beyond the memory
budget, and the pieces of very large ones, keep only their place and are read again for each scan. Nothing here is ever
written to disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from operator import is_not
from typing import NamedTuple

import numpy as np

from lens_lsp.corpus.arena import SEPARATOR, Arena, Chunk
from lens_lsp.corpus.batch import BatchMaps, FoldedBatch
from lens_lsp.corpus.descriptions import Descriptions
from lens_lsp.corpus.folding import FoldedText, OffsetMap
from lens_lsp.corpus.formats.base import HEAD_LENGTH, Reader
from lens_lsp.corpus.intake import Batch, Intake, at_full_speed, searched_text
from lens_lsp.corpus.listings import UNKNOWN, FileEntry, Identity, identity_of
from lens_lsp.corpus.matcher import Bytes
from lens_lsp.corpus.opening import Root, Skipped, display_path
from lens_lsp.corpus.ours import ours
from lens_lsp.corpus.pieces import cut
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.corpus.summaries import SummaryIndex
from lens_lsp.corpus.texts import CachedText, Key, Progress
from lens_lsp.corpus.titles import TitleIndex
from lens_lsp.domain.model import Skip, SkipReason

_KEPT = 16
_PASSING = frozenset({SkipReason.UNREADABLE, SkipReason.PERMISSION})  # a lock, no descriptor left: no change shows


class _Stored(NamedTuple):
    """Texts that are in the arena and not yet in the tables: a scan does not need these."""

    root: int
    batch: Batch
    first: int
    maps: BatchMaps | None


class TextCache:
    """Folded texts of files. Not safe for threads: one question at a time brings it up to date.

    ``budget`` bounds the bytes of text kept in memory between questions.
    """

    def __init__(self, *, fallback_encoding: str = "cp1252", budget: int = 1 << 31) -> None:
        self._fallback = fallback_encoding
        self._intake = Intake(fallback_encoding)
        self._budget = budget
        self._roots: Mapping[int, Root] = {}
        self._clear()

    def _clear(self) -> None:
        self._entries: dict[Key, FileEntry] = {}
        self._listed: dict[Key, FileEntry] = {}
        self._last: Sequence[FileEntry] = ()
        self._young: set[Key] = set()
        self._buffered: dict[Key, Buffer] = {}
        self._unreadable: dict[Key, SkipReason] = {}
        self._reset()
        self._broken = False

    def _reset(self) -> None:
        self.arena = Arena()
        self._descriptions = Descriptions()
        self._slots: list[CachedText | None] = []
        self._texts: dict[Key, list[CachedText]] = {}
        self._live = 0
        self._stored: list[_Stored] = []
        self._elsewhere: dict[int, None] = {}
        self._loaded: dict[int, FoldedText] = {}

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
    def live(self) -> int:
        """How many texts there are: files, and pieces of very large ones."""
        self._settle()
        return self._live

    @property
    def titles(self) -> TitleIndex:
        """Which text answers to which name."""
        return self._descriptions.titles

    @property
    def summaries(self) -> SummaryIndex:
        """Which text says what about itself."""
        return self._descriptions.summaries

    def describe(self) -> None:
        """Enter new texts now and look at what they say about themselves, otherwise done when it is asked for."""
        self._settle()
        self._descriptions.settle()

    def texts(self, key: Key) -> Sequence[CachedText]:
        """The texts of a file: one, or its pieces; none if it is not known."""
        self._settle()
        return self._texts.get(key, ())

    def names(self, slot: int) -> tuple[str, ...]:
        """What a text is called, as written but without a closing parenthesis: file name, title, aliases."""
        text = self.slots[slot]
        return () if text is None else self._descriptions.names(self._texts[text.key][0].slot)

    def drop(self, key: Key) -> None:
        """Forget the texts of a file, if it is known."""
        self._settle()
        for text in self._texts.pop(key, ()):
            self.arena.remove(text.slot)
            self._descriptions.remove(text.slot)
            self._slots[text.slot] = None
            self._live -= 1
            self._elsewhere.pop(text.slot, None)

    def fill(
        self,
        root: Root,
        paths: Sequence[str],
        buffers: Mapping[Key, Buffer],
        *,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Skip]:
        """Take the files of a root into an empty cache, known by their paths alone; otherwise as `refresh`.

        Each is asked what identifies its content as it is read, which costs less than to ask while listing.
        """
        assert not self.files, "what is known must be compared"
        self._clear()  # files that could not be read are known
        self._roots, self._broken = {root.index: root}, True
        self._read({root.index: paths}, buffers, progress, cancelled)
        self._broken = False
        return self._skips()

    def refresh(
        self,
        roots: Sequence[Root],
        files: Sequence[FileEntry],
        buffers: Mapping[Key, Buffer],
        *,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Skip]:
        """Make the cache hold exactly these files, as they are now; returns what could not be read, and why.

        ``roots`` stay open until the question is answered. Cancelled in between, the cache holds the files it came
        to; the others are read by the next call. Broken off by an exception, the next call reads everything anew.
        """
        self._settle()
        if self._broken:  # half of an update would lose files, or take one text for another
            self._clear()
        self._roots, self._broken = {root.index: root for root in roots}, True
        self._loaded.clear()
        self._listed.clear()
        stale = self._stale(buffers)
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
        whole = self._read(paths, buffers, progress, cancelled)
        self._last = tuple(files) if whole else ()
        if self.arena.blank > max(self.arena.size, 1 << 20):
            self._compact()
        self._broken = False
        return self._skips()

    def _skips(self) -> list[Skip]:
        return [Skip(display_path(path), reason) for (_, path), reason in self._unreadable.items()]

    def _changed(self, files: Sequence[FileEntry]) -> list[FileEntry]:
        """The files that are new or not as they were; those that are gone are forgotten."""
        known, last = self._entries, self._last or tuple(self._entries.values())
        if len(last) == len(files):  # mostly some files were edited and none came or went: then no key is needed
            # A look hands out the same object for a file as long as it is the same.
            others = compress(zip(last, files, strict=True), map(is_not, last, files))
            pairs = [(old, new) for old, new in others if old != new]
            if all(old[:2] == new[:2] for old, new in pairs):
                return [new for _, new in pairs]
        for key in known.keys() - {(entry.root, entry.path) for entry in files}:
            self._forget(key)
        return [entry for entry in files if known.get((entry.root, entry.path)) != entry]

    def _stale(self, buffers: Mapping[Key, Buffer]) -> set[Key]:
        """What must be read again though no change shows: young files, unreadable ones, buffers edited or closed."""
        edited = {key for key, buffer in buffers.items() if self._buffered.get(key) != buffer}
        closed = self._buffered.keys() - buffers.keys()
        return self._young | edited | closed

    def _forget(self, key: Key) -> None:
        if self._entries.pop(key, None) is not None:
            self.drop(key)
            self._unreadable.pop(key, None)
            self._young.discard(key)
            self._buffered.pop(key, None)

    def _read(
        self,
        paths: Mapping[int, Sequence[str]],
        buffers: Mapping[Key, Buffer],
        progress: Progress | None,
        cancelled: Callable[[], bool] | None,
    ) -> bool:
        """Read files by root; False if it was cancelled before all of them were."""
        done, total = 0, sum(map(len, paths.values()))
        stopped = cancelled is not None and cancelled()
        with at_full_speed():
            for root, of_root in () if stopped else paths.items():
                typed = {path: buffer for (index, path), buffer in buffers.items() if index == root}
                for batch in self._intake.batches(self._roots[root], of_root, typed):
                    if progress is not None:
                        progress(done, total)
                    self._store(root, batch, typed)
                    done += batch.files
                    if cancelled is not None and cancelled():
                        return done == total
        return done == total

    def _store(self, root: int, batch: Batch, typed: Mapping[str, Buffer]) -> None:
        """Fold the texts of a batch and put them where they can be scanned."""
        batch, folded = self._intake.folded(batch)
        for path, identity, reason in batch.refused:
            self._refuse((root, path), identity, reason)
        self._young.update((root, path) for path in batch.young)
        if typed:
            self._buffered.update(((root, path), typed[path]) for path in batch.paths if path in typed)
        if folded is not None:
            first = len(self.arena)
            if self.arena.size + folded.size <= self._budget:
                self.arena.add_all(folded.size, folded.write, folded.starts, folded.ends)
            else:
                self._add_what_fits(folded)
            self._descriptions.add(first, batch.paths, batch.readers, batch.beginnings())
            batch.texts = []
            self._stored.append(_Stored(root, batch, first, folded.maps))
        if batch.large is not None:
            self._place_pieces(root, *batch.large)

    def _add_what_fits(self, folded: FoldedBatch) -> None:
        data = folded.data
        for start, end in zip(folded.starts.tolist(), folded.ends.tolist(), strict=True):
            if self.arena.size + end - start <= self._budget:
                self.arena.add(data[start:end].tobytes())
            else:
                self._elsewhere[self.arena.reserve(end - start)] = None

    def _place_pieces(self, root: int, path: str, reader: Reader, identity: Identity) -> None:
        """Take in a file of which only the places of its pieces are kept."""
        key = (root, path)
        self._settle()
        try:
            if reader.extracted:  # its text is no stretch of the file
                raise Skipped(SkipReason.TOO_LARGE)
            for piece in cut(self._roots[root], path, self._fallback):
                text = "" if piece.point else piece.text(self._roots[root], path)
                if ours(text).answer:
                    raise Skipped(SkipReason.ANSWER)
                # Its folded length is not known before it was folded; its bytes are close enough.
                slot = self.arena.reserve(piece.end - piece.start)
                self._elsewhere[slot] = None
                self._enter(CachedText(key, slot, piece=piece))
                if not piece.point:
                    start = searched_text(reader, text)[:HEAD_LENGTH]
                    self._descriptions.add(slot, [path], [reader], [start.encode("utf-8", "replace")])
        except Skipped as skipped:
            self.drop(key)
            self._refuse(key, identity, skipped.reason)
        else:
            self._identify(key, identity)

    def _refuse(self, key: Key, identity: Identity | None, reason: SkipReason) -> None:
        self._identify(key, identity)
        self._unreadable[key] = reason
        if reason in _PASSING:
            self._young.add(key)

    def _identify(self, key: Key, identity: Identity | None) -> None:
        """Note what was read: the file as it was listed, else as it said of itself."""
        entry = self._listed.pop(key, None) if self._listed else None
        self._entries[key] = FileEntry._make((*key, *(identity or UNKNOWN))) if entry is None else entry

    def _settle(self) -> None:
        """Enter what is in the arena into the tables."""
        broken, self._broken = self._broken, True
        stored, self._stored = self._stored, []
        for root, batch, first, maps in stored:
            for index, (path, identity) in enumerate(zip(batch.paths, batch.identities, strict=True)):
                self._identify((root, path), identity)
                self._enter(CachedText((root, path), first + index, maps, index))
        self._broken = broken

    def _enter(self, text: CachedText) -> None:
        self._slots.append(text)
        self._texts.setdefault(text.key, []).append(text)
        self._live += 1

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
            return FoldedText(b"")
        if self.arena.holds(slot):
            return FoldedText(self.arena.text(slot).tobytes(), text.offsets)
        known = self._loaded.get(slot)
        if known is None:
            known = self._fold_again(text)
            if len(self._loaded) >= _KEPT:
                del self._loaded[next(iter(self._loaded))]
            self._loaded[slot] = known
        return known

    def _fold_again(self, text: CachedText) -> FoldedText:
        try:
            later = text.piece is not None and text.piece.point > 0
            return self._intake.fold_again(text.key[1], self.source(text), continued=later)
        except Skipped:
            return FoldedText(b"")

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
            return self._intake.fold_again(cached.key[1], text).data == self.arena.text(slot).tobytes()
        key = cached.key  # not kept in memory: its file must be the one that was listed
        return key in self._buffered or identity_of(self._roots[key[0]], key[1]) == self._entries[key][2:]

    def _compact(self) -> None:
        """Build a new arena from the live texts, in order of their keys."""
        self._settle()
        texts = [text for key in sorted(self._texts) for text in self._texts[key]]
        old, lengths, descriptions = self.arena, self.arena.lengths(), self._descriptions
        self._reset()
        for text in texts:
            if old.holds(text.slot):
                slot = self.arena.add(old.text(text.slot).tobytes())
            else:
                slot = self.arena.reserve(int(lengths[text.slot]))
                self._elsewhere[slot] = None
            self._enter(text._replace(slot=slot))
            self._descriptions.move(descriptions, text.slot, slot)
