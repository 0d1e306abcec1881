"""The documents of one question as they are now, and evidence cut from them.

A document is read from its source at most once a question, and only counts while it is still the text that was
scanned; what changed in between is left out and said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.corpus.generated_spans import joined
from lens_lsp.corpus.safe_open import Identity, Key, Skipped, display_path, identity_of
from lens_lsp.corpus.text_store import CachedText, TextStore
from lens_lsp.corpus.walk import YOUNG_NS
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.judge.redaction import moved, secrets_of
from lens_lsp.model.documents import Document, Evidence, Part, PartReason
from lens_lsp.model.places_shown import has_own_places
from lens_lsp.model.text import Position, SourceText, Span
from lens_lsp.model.words import content
from lens_lsp.search.context import context_of
from lens_lsp.search.corpus import Corpus, never
from lens_lsp.search.outline import heading_path

_COMMENTED = "markdown/"
"""The reader of the texts in which people hide words by comments."""
_OURS = ("<!-- lens:begin", "<!-- lens:end")
_HELD = 32 << 20
"""Code points of documents that are held: with what is known of their structure they take several bytes each."""


class Reading:
    """Documents by slot, read when they are asked for."""

    def __init__(
        self,
        cache: TextStore,
        snapshot: Snapshot,
        asking: Mapping[Key, Span] = MappingProxyType({}),
        *,
        late: Callable[[], bool] = never,
        over: Callable[[], bool] = never,
    ) -> None:
        """``asking`` are the spans, by root and path, that hold the question itself: never evidence. ``late`` and
        ``over`` are those of `Corpus`."""
        self._asking = asking
        self._cache = cache
        self._snapshot = snapshot
        self._documents: dict[int, Document | None] = {}
        self._size = 0
        """Code points of the documents that are held."""
        self._seen: set[int] = set()
        self._identities: dict[int, Identity | None] = {}
        self._texts: dict[int, SourceText] = {}
        self._hashes: dict[Key, str | None] = {}
        self.corpus = Corpus(cache, partial(_source, cache), late=late, over=over)
        self.warnings: list[str] = []

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders, absolute."""
        return tuple(root.path for root in self._snapshot.roots)

    @property
    def read(self) -> int:
        """How many documents were read."""
        return len(self._seen)

    def was_read(self, slot: int) -> bool:
        """Whether the document behind a slot was read."""
        return slot in self._seen

    def text(self, slot: int) -> CachedText:
        """What is known of a slot that holds a text."""
        return _text(self._cache, slot)

    def hash_of(self, file: Key) -> str | None:
        """The hash of a file as it is now, None when it cannot be read; no document is made of it."""
        if file not in self._hashes:
            try:
                self._hashes[file] = self._snapshot.digest(*file)
            except Skipped:
                self._hashes[file] = None
        return self._hashes[file]

    def shown_path(self, slot: int) -> str:
        """The path of a slot's file, as it is shown."""
        return display_path(self.text(slot).key[1])

    def before(self, slot: int) -> int:
        """Code points of the file before the slot's text: 0 but for a piece of a large file."""
        piece = self.text(slot).piece
        return 0 if piece is None else piece.point

    def document(self, slot: int) -> Document | None:
        """The document behind a slot as it is now, or None when it changed since it was scanned."""
        if slot not in self._documents:
            text = self.text(slot)
            self._identities[slot] = self._identity(text.key)
            try:
                if text.piece is None:
                    document = self._snapshot.document(*text.key)
                else:
                    document = self._snapshot.piece(*text.key, text.piece)
            except Skipped as skipped:
                self._withdraw(slot, f"cannot be read any more ({skipped.reason})")
            else:
                if self._cache.still_holds(slot, document.text):
                    return self._hold(slot, self._without_question(document, text))
                self._withdraw(slot, "changed while it was being searched")
        return self._documents[slot]

    def _hold(self, slot: int, document: Document) -> Document:
        """Keep a document for whoever asks next; those that were read first go where all are large."""
        self._documents[slot] = document
        self._seen.add(slot)
        self._size += len(document.text)
        for other in list(self._documents) if self._size > _HELD else ():
            if self._size <= _HELD or other == slot:
                break
            self._let_go(other)
        return document

    def _let_go(self, slot: int) -> None:
        """Have a document read again when it is asked for; one that was withdrawn stays so."""
        document = self._documents[slot]
        if document is not None:
            del self._documents[slot]
            self._texts.pop(slot, None)
            self._size -= len(document.text)

    def confirmed(self, slot: int) -> Document | None:
        """The document as it is now: read again where its file may be another since it was read for this question."""
        if self._documents.get(slot) is not None and not self._stands(slot):
            self._seen.discard(slot)
            self._let_go(slot)
        return self.document(slot)

    def _stands(self, slot: int) -> bool:
        """Whether the file is surely the one that was read; so is a text from an editor, which does not change."""
        key = self.text(slot).key
        if self._snapshot.buffer(*key) is not None:
            return True
        known, identity = self._identities[slot], self._identity(key)
        return known is not None and known == identity and known[1] < time.time_ns() - YOUNG_NS

    def _identity(self, file: Key) -> Identity | None:
        return identity_of(self._snapshot.roots[file[0]], file[1])

    def evidence(
        self,
        slot: int,
        document: Document,
        span: Span,
        n: int,
        *,
        under: int | None = None,
        score: float = 0.0,
        signals: Mapping[str, float] = MappingProxyType({}),
        match: str = "exact",
        requirements: tuple[str, ...] = ("f1",),
        arm: str | None = None,
        round_: int = 0,
        verdict: str | None = None,
        cut: tuple[str, ...] = (),
    ) -> Evidence:
        """A span of a slot's document as evidence number ``n``; ``under`` is the offset whose headings, page
        or cell are named."""
        self._notice(document)
        text = self._texts.setdefault(slot, SourceText(document.text))
        piece = self.text(slot).piece
        first = Position(1, 1) if piece is None else piece.position
        before, best = self.before(slot), span.start if under is None else under
        locator = locate(document.locators, best)
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
            locator=locator if has_own_places(locator) else locate(document.locators, span.start),
            heading=heading_path(document, best),
            score=round(score, 6),
            match=match,
            requirements=requirements,
            signals=signals,
            arm=arm,
            round=round_,
            verdict=verdict,
            private=document.structure.private,
            context=context_of(document, span, before),
            cut=cut,
            secrets=moved(secrets_of(document.text, document.path), before),
        )

    def comments(self) -> Iterator[Part]:
        """The comments that hold words, in the Markdown texts that were read."""
        for slot, document in self._documents.items():
            if document is None or not document.reader.startswith(_COMMENTED):
                continue
            text, piece = document.text, self.text(slot).piece
            for span in document.structure.hidden:
                said = text[span.start : span.end]
                if said.startswith("<!--") and not said.startswith(_OURS) and content(said):
                    first = Position(1, 1) if piece is None else piece.position
                    line = self._texts.setdefault(slot, SourceText(text)).position(span.start).behind(first).line
                    yield Part(display_path(document.path), line, PartReason.COMMENT, document.root)

    def _notice(self, document: Document) -> None:
        for notice in document.notices:
            said = f"{display_path(document.path)}: {notice}"
            if said not in self.warnings:
                self.warnings.append(said)

    def _without_question(self, document: Document, text: CachedText) -> Document:
        asking = self._asking.get(text.key)
        if asking is None or text.piece is not None:
            return document
        own = joined([*document.structure.ours, asking])
        return replace(document, structure=replace(document.structure, ours=own))

    def _withdraw(self, slot: int, why: str) -> None:
        self._documents[slot] = None
        self._seen.discard(slot)
        self.warnings.append(f"{self.shown_path(slot)} {why}; ask again to include it")


def _text(cache: TextStore, slot: int) -> CachedText:
    text = cache.slots[slot]
    assert text is not None, "a ranked slot is never empty"
    return text


def _source(cache: TextStore, slot: int) -> str:
    try:
        return cache.source(_text(cache, slot))
    except Skipped:
        return ""
