"""The folded texts of a workspace, in memory only: which file each is of, and the way back to its source.

Texts beyond the memory budget, and the pieces of very large ones, keep only their place and are read again for each
scan. Nothing here is ever written to disk. What is held is brought in line with the disk by ``cache``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np

from lens_lsp.corpus.arena import SEPARATOR, Arena, Chunk, chunk_of
from lens_lsp.corpus.batch import BatchMaps
from lens_lsp.corpus.descriptions import Descriptions
from lens_lsp.corpus.folding import FoldedText, OffsetMap
from lens_lsp.corpus.heap import give_back
from lens_lsp.corpus.hits import Places
from lens_lsp.corpus.intake import Batch, Intake
from lens_lsp.corpus.listings import UNKNOWN, FileEntry, Identity, entry_of, identity_of
from lens_lsp.corpus.matcher import Bytes, Ints
from lens_lsp.corpus.opening import Root, Skipped
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.corpus.stream import streamed
from lens_lsp.corpus.summaries import SummaryIndex
from lens_lsp.corpus.texts import CachedText, Key
from lens_lsp.corpus.titles import TitleIndex
from lens_lsp.model.documents import Structure
from lens_lsp.model.words import fold

_KEPT = 8 << 20
"""Bytes of texts read again that are kept for the next who asks for them."""
_FEW = 50
"""Texts that may be asked for again soon: they are read one by one and kept for a while."""
_NOTHING = FoldedText(b"")


class Stored(NamedTuple):
    """Texts that are in the arena and not yet in the tables: a scan does not need these."""

    root: int
    batch: Batch
    first: int
    maps: BatchMaps | None


class HeldTexts:
    """Folded texts by slot and by file. Not safe for threads."""

    def __init__(self, fallback_encoding: str, budget: int) -> None:
        self._intake = Intake(fallback_encoding, budget)
        self._roots: Mapping[int, Root] = {}
        self._entries: dict[Key, FileEntry] = {}
        self._listed: dict[Key, FileEntry] = {}
        self._buffered: dict[Key, Buffer] = {}
        self._broken = False
        self._reset()

    def _reset(self) -> None:
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

    def _describe_document(self, slot: int, path: str, structure: Structure) -> None:
        self._descriptions.note(slot, path, structure.head)
        self._headings[slot] = tuple(fold(heading.text).encode("utf-8") for heading in structure.headings)

    def drop(self, key: Key) -> None:
        """Forget the texts of a file, if it is known."""
        self._settle()
        for text in self._of(self._texts.pop(key, None)):
            self.arena.remove(text.slot)
            self._descriptions.remove(text.slot)
            self._slots[text.slot] = None
            self._live -= 1
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
            known = self._loaded[slot] = self._fold_again(text)
            self._loaded_size += len(known.data)
            while self._loaded_size > _KEPT and len(self._loaded) > 1:
                self._unload(next(iter(self._loaded)))
        return known

    def _unload(self, slot: int) -> None:
        self._loaded_size -= len(self._loaded.pop(slot, _NOTHING).data)

    def _fold_again(self, text: CachedText) -> FoldedText:
        try:
            later = text.piece is not None and text.piece.point > 0
            return self._intake.fold_again(text.key[1], self.source(text), continued=later)
        except Skipped:
            return _NOTHING

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
            give_back()
        yield from self._streamed(self.arena.elsewhere().data)
        if self.passing_by:
            give_back()

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
        chunk = self.chunk(slot)
        self._unload(slot)
        return chunk

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
