"""The folded texts of a workspace, in memory only, brought in line with the disk at every question.

A file is read again when any part of its identity (size, times, inode) changed, or when it was younger than two
seconds when read: a clock that coarse could hide a second write. Nothing here is ever written to disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lens_lsp.corpus.arena import Arena
from lens_lsp.corpus.encoding import decode
from lens_lsp.corpus.folding import FoldedText, OffsetMap, blank, fold_bytes, fold_text
from lens_lsp.corpus.formats.base import Reader
from lens_lsp.corpus.formats.table import reader_for
from lens_lsp.corpus.opening import Root, Skipped, display_path
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.corpus.titles import TitleIndex, file_name, plain_name
from lens_lsp.corpus.walk import FileEntry
from lens_lsp.domain.model import Head, Skip, SkipReason

_YOUNG_NS = 2_000_000_000
_HEAD = 4096
_STEP = 256

Key = tuple[int, str]
"""Root index and path: what a text is known by."""

Identity = tuple[object, ...]
"""Equal while a text need not be read again."""


@dataclass(frozen=True, slots=True)
class CachedText:
    """A folded text: where it lies in the arena, the way back to its source, what it says about itself."""

    key: Key
    identity: Identity | None
    """None: read it again next time."""
    slot: int
    offsets: OffsetMap | None
    head: Head


class TextCache:
    """Folded texts by key. Not safe for threads: one question at a time brings it up to date."""

    def __init__(self, *, fallback_encoding: str = "cp1252") -> None:
        self._fallback = fallback_encoding
        self._texts: dict[Key, CachedText] = {}
        self._unreadable: dict[Key, tuple[Identity, SkipReason]] = {}
        self._reset()

    def _reset(self) -> None:
        self.arena = Arena()
        self.titles = TitleIndex()
        self.slots: list[CachedText | None] = []

    def __len__(self) -> int:
        return len(self._texts)

    def put(self, key: Key, identity: Identity | None, folded: FoldedText, head: Head) -> CachedText:
        """Store or replace a text."""
        self.drop(key)
        text = CachedText(key, identity, self.arena.add(folded.data), folded.offsets, head)
        self._texts[key] = text
        self.slots.append(text)
        self.titles.add(text.slot, self.names(text.slot))
        return text

    def names(self, slot: int) -> tuple[str, ...]:
        """What a text is called, as written but without a closing parenthesis: file name, title, aliases."""
        text = self.slots[slot]
        if text is None:
            return ()
        title = (text.head.title,) if text.head.title else ()
        return tuple(dict.fromkeys(map(plain_name, (file_name(text.key[1]), *title, *text.head.aliases))))

    def drop(self, key: Key) -> None:
        """Forget a text, if it is known."""
        text = self._texts.pop(key, None)
        if text is not None:
            self.arena.remove(text.slot)
            self.titles.remove(text.slot)
            self.slots[text.slot] = None

    def refresh(
        self,
        roots: Sequence[Root],
        files: Sequence[FileEntry],
        buffers: Mapping[Key, Buffer],
        *,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Skip]:
        """Make the cache hold exactly these files, as they are now; returns what could not be read, and why."""
        self._forget_all_but({(entry.root, entry.path) for entry in files})
        skips: list[Skip] = []
        for done, entry in enumerate(files):
            if done % _STEP == 0:
                if cancelled is not None and cancelled():
                    break
                if progress is not None:
                    progress(done, len(files))
            reason = self._update(roots[entry.root], entry, buffers.get((entry.root, entry.path)))
            if reason is not None:
                skips.append(Skip(display_path(entry.path), reason))
        if self.arena.blank > max(self.arena.size, 1 << 20):
            self._compact()
        return skips

    def _forget_all_but(self, wanted: set[Key]) -> None:
        for key in [key for key in self._texts if key not in wanted]:
            self.drop(key)
        for key in [key for key in self._unreadable if key not in wanted]:
            del self._unreadable[key]

    def _update(self, root: Root, entry: FileEntry, buffer: Buffer | None) -> SkipReason | None:
        key = (entry.root, entry.path)
        if buffer is not None:
            identity: Identity = ("buffer", buffer.version, hash(buffer.text))
        else:
            identity = entry[2:]
        known = self._texts.get(key)
        if known is not None and known.identity == identity:
            return None
        failed = self._unreadable.get(key)
        if failed is not None and failed[0] == identity:
            return failed[1]
        try:
            self._read(root, key, identity, buffer)
        except Skipped as skipped:
            self.drop(key)
            self._unreadable[key] = (identity, skipped.reason)
            return skipped.reason
        self._unreadable.pop(key, None)
        return None

    def _read(self, root: Root, key: Key, identity: Identity, buffer: Buffer | None) -> None:
        reader = reader_for(key[1])
        if reader is None:
            raise Skipped(SkipReason.UNSUPPORTED)
        if buffer is not None:
            self._put_text(key, identity, reader, buffer.text)
            return
        data, status = root.read_with_stat(key[1])
        young = time.time_ns() - status.st_mtime_ns < _YOUNG_NS
        kept = None if young else identity
        if data.isascii() and b"\0" not in data and not (reader.extracted or reader.masked):
            folded = fold_bytes(data)
            assert folded is not None
            self.put(key, kept, folded, reader.head(data[:_HEAD].decode("ascii")))
            return
        self._put_text(key, kept, reader, decode(data, self._fallback).text)

    def still_holds(self, slot: int, text: str) -> bool:
        """Whether a document's text, just read, is the one that was scanned."""
        cached = self.slots[slot]
        reader = None if cached is None else reader_for(cached.key[1])
        if reader is None:
            return False
        return fold_text(blank(text, reader.mask(text))).data == self.arena.text(slot).tobytes()

    def _put_text(self, key: Key, identity: Identity | None, reader: Reader, decoded: str) -> None:
        text = reader.extract(decoded).text if reader.extracted else decoded
        head = reader.head(decoded[:_HEAD])
        self.put(key, identity, fold_text(blank(text, reader.mask(text))), head)

    def _compact(self) -> None:
        """Build a new arena from the live texts, in order of their keys."""
        old = self.arena
        live = [(text, old.text(text.slot).tobytes()) for text in self.live()]
        self._texts.clear()
        self._reset()
        for text, data in live:
            self.put(text.key, text.identity, FoldedText(data, text.offsets), text.head)

    def live(self) -> Iterable[CachedText]:
        """All texts, in order of their keys."""
        return (self._texts[key] for key in sorted(self._texts))
