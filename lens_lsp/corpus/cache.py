"""The folded texts of a workspace, brought in line with the disk at every question.

A file is read again when any part of its identity (size, times, inode) changed, when it was younger than two seconds
when read, for a clock that coarse could hide a second write, and when it could not be read. Documents (PDF, Office, …)
are noted by name, and read when a question wants them: `TextCache.read_documents`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence, Set

from lens_lsp.corpus.batch import FoldedBatch, fold_batch
from lens_lsp.corpus.extraction import Pictures, ReadText
from lens_lsp.corpus.folding import blank
from lens_lsp.corpus.formats.base import HEAD_LENGTH, Reader
from lens_lsp.corpus.heap import share
from lens_lsp.corpus.held import HeldTexts, Stored
from lens_lsp.corpus.intake import Batch, Hidden, at_full_speed, hidden_parts, searched_text
from lens_lsp.corpus.listings import YOUNG_NS, FileEntry, Identity, differing, identity_of
from lens_lsp.corpus.opening import Root, Skipped, display_path
from lens_lsp.corpus.ours import ours
from lens_lsp.corpus.pieces import Whole, cut
from lens_lsp.corpus.snapshot import Buffer, without_documents
from lens_lsp.corpus.texts import CachedText, Key, Progress
from lens_lsp.corpus.unread import Unread
from lens_lsp.model.documents import Part, PartReason, Skip, SkipReason

_GLANCING, _SHARE = 0.7, 0.6
"""Seconds for which documents are glanced at before some are read, at most; a share of the time is the other bound."""
_PATIENCE = 2.0
"""Seconds beyond its time that a question has documents read while there is no other text."""
# A lock, no descriptor left, no time: no change shows.
_PASSING = frozenset({SkipReason.UNREADABLE, SkipReason.PERMISSION, SkipReason.NOT_READ})
_KNOWN = 1024
"""Bytes that are kept of a file beside its text: path, identity, names and where it stands."""


class TextCache(HeldTexts):
    """Folded texts of files. Not safe for threads: one question at a time brings it up to date.

    ``budget`` bounds the bytes kept in memory between questions: what is known of each file first, then texts as far as
    they fit beside it.
    """

    def __init__(self, *, fallback_encoding: str = "cp1252", budget: int = 1 << 31) -> None:
        super().__init__(fallback_encoding, budget)
        share()
        self._fallback = fallback_encoding
        self._budget = budget
        self.large: dict[Key, tuple[Identity, Whole]] = {}
        """The files of which only the places of their pieces are kept, with what identified them before."""
        self._clear()

    def _clear(self) -> None:
        self._entries.clear()
        self._listed.clear()
        self._buffered.clear()
        self._last: list[FileEntry] = []
        self._young: set[Key] = set()
        self._unreadable: dict[Key, SkipReason] = {}
        self._unread = Unread()
        self._waiting: dict[Key, None] = {}
        """Documents that were read, with pages that are pictures and wait to be recognised."""
        self._pictures: dict[Key, int] = {}
        self._parts: dict[Key, list[tuple[int, PartReason]]] = {}
        """Lines on which hidden parts of texts begin, and why they are hidden."""
        self._full = False
        self._reset()
        self._room = self._budget
        """How many bytes of texts may be held."""
        self.large.clear()
        self._broken = False

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
        """Whether documents wait and there is room in memory for their texts."""
        return bool(self._unread) and not self._full

    def unread_called(self, name: str) -> list[Key]:
        """The documents that wait and are called so."""
        return self._unread.called(name)

    def skips(self) -> list[Skip]:
        """What cannot be searched as it is, and why: documents that wait are among it."""
        refused = [Skip(display_path(path), reason, root) for (root, path), reason in self._unreadable.items()]
        return refused + [Skip(display_path(path), SkipReason.NOT_READ, root) for root, path in self._unread]

    def parts(self) -> list[Part]:
        """What of the texts that are searched is hidden, or was not read."""
        return [
            Part(display_path(path), line, reason, root)
            for (root, path), hidden in self._parts.items()
            for line, reason in hidden
        ]

    def _hide(self, root: int, hidden: Sequence[Hidden]) -> None:
        for path, line, reason in hidden:
            self._parts.setdefault((root, path), []).append((line, reason))

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
                for batch in self._intake.batches(self._roots[root], of_root, typed):
                    if progress is not None:
                        progress(done, total)
                    self._store(root, batch, typed, cancelled)
                    done += batch.files
                    if cancelled is not None and cancelled():
                        return done == total
        return done == total

    def _store(
        self, root: int, batch: Batch, typed: Mapping[str, Buffer], cancelled: Callable[[], bool] | None
    ) -> None:
        """Fold the texts of a batch and put them where they can be scanned."""
        batch, folded = self._intake.folded(batch)
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
            self._descriptions.add(first, batch.paths, batch.readers, batch.beginnings())
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
        self, root: int, path: str, reader: Reader, identity: Identity, cancelled: Callable[[], bool] | None
    ) -> None:
        """Take in a file of which only the places of its pieces are kept."""
        key = (root, path)
        old = identity[1] < time.time_ns() - YOUNG_NS
        self._settle()
        try:
            if reader.extracted:  # its text is no stretch of the file
                raise Skipped(SkipReason.TOO_LARGE)
            pieces, whole = cut(self._roots[root], path, self._fallback, cancelled)
            for piece in pieces:
                text = "" if piece.point else piece.text(self._roots[root], path)
                if ours(text).answer:
                    raise Skipped(SkipReason.ANSWER)
                # Its folded length is not known before it was folded; its bytes are close enough.
                slot = self.arena.reserve(piece.end - piece.start)
                self._enter(CachedText(key, slot, piece=piece))
                if not piece.point:
                    self._hide(root, hidden_parts(path, reader, text, ours(text)))
                    start = searched_text(reader, text)[:HEAD_LENGTH]
                    self._descriptions.add(slot, [path], [reader], [start.encode("utf-8", "replace")])
        except Skipped as skipped:
            self.drop(key)
            self._refuse(key, identity, skipped.reason)
        else:
            self._identify(key, identity)
            if old:
                self.large[key] = identity, whole

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

    def read_documents(
        self,
        question: str,
        *,
        seconds: float,
        patient: bool = False,
        only: Sequence[Key] | None = None,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> int:
        """Read documents that wait, those that a question most likely means first; how many texts that gave.

        None is begun after ``seconds``; the one under way is broken off then, unless ``patient``. Without any text yet
        that is a little later. What memory has no room for waits on. ``only`` are the ones that are meant; without, a
        part of the time goes into what the documents say of themselves. After `fill` or `refresh`, while their roots
        are open.
        """
        if not self.readable:
            return 0
        began, before = time.monotonic(), len(self.slots)
        until = began + seconds

        def over(*, begun: bool = True) -> bool:
            wait = math.inf if begun and patient else _PATIENCE if seconds and not self.live else 0.0
            return time.monotonic() >= until + wait or (cancelled is not None and cancelled())

        if only is None:
            self._glance(question, began + min(_GLANCING, _SHARE * seconds), cancelled)
        wanted = self._unread.order(question) if only is None else [key for key in only if key in self._unread]
        for done, key in enumerate(wanted):
            if progress is not None:
                progress(done, len(wanted))
            if over(begun=False) or not self._read_document(key, over):
                break
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

    def _read_document(self, key: Key, over: Callable[[], bool]) -> bool:
        """Take one document in; False when it has to wait after all."""
        try:
            identity, read = self._intake.extracted(self._roots[key[0]], key[1], over)
        except Skipped as skipped:
            if skipped.reason is SkipReason.NOT_READ:
                return False
            self._unread.discard(key)
            self._refuse(key, identity_of(self._roots[key[0]], key[1]), skipped.reason)
            return True
        return self._take(key, identity, read)

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
        holds = super().still_holds(slot, text)
        if not holds and cached is not None:
            self._young.add(cached.key)
        return holds

    def _take(self, key: Key, identity: Identity, read: ReadText) -> bool:
        """Put a document's text where it can be scanned; False when there is no room for it."""
        extracted = read.extracted
        own = ours(extracted.text, asked=False).spans
        folded = fold_batch([(blank(extracted.text, own) if own else extracted.text).encode("utf-8")])
        if self.arena.size + folded.size > self._room:
            self._full = True
            return False
        self._broken = True
        self._unread.discard(key)
        self._waiting.pop(key, None)
        self._waiting.update({key: None} if read.waiting else {})
        self._pictures[key] = extracted.unseen
        self._parts.pop(key, None)
        parts = {PartReason.CUT: extracted.cut, PartReason.UNSEEN: bool(extracted.structure.hidden)}
        self._hide(key[0], [(key[1], 0, reason) for reason, holds in parts.items() if holds])
        if identity[1] > time.time_ns() - YOUNG_NS:
            self._young.add(key)
        self._identify(key, identity)
        slot = self.arena.add_all(folded.size, folded.write, folded.starts, folded.ends)
        self._enter(CachedText(key, slot, folded.maps))
        self._describe_document(slot, key[1], extracted.structure)
        self._broken = False
        return True
