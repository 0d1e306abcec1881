"""The workspace as one question sees it: folded texts to scan, what a scan measures, and documents to quote from.

`Corpus` gives the places of terms and notes phrases while texts pass; `Measures` are term and document frequencies
(BM25), measured at query time from the hits of one scan (paper, Layer 1). `DocumentAccess` reads a document from its
source at most once a question, and counts it only while it is still the text that was scanned.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.encoding import Bytes, Chunk
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.corpus.safe_open import Identity, Key, Skipped, display_path, identity_of
from lens_lsp.corpus.scan import Counts, Hits, Literal, scan
from lens_lsp.corpus.text_marks import joined as merged
from lens_lsp.corpus.text_store import CachedText, TextStore
from lens_lsp.corpus.walk import YOUNG_NS
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.disk import is_ssh_url
from lens_lsp.documents.kinds import kind_for
from lens_lsp.judge.redaction import moved, secrets_of
from lens_lsp.model.documents import Document, Evidence, Part, PartReason, SkipReason
from lens_lsp.model.errors import PathRefused, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Position, SourceText, Span
from lens_lsp.model.words import content
from lens_lsp.search.boundaries import context_of, heading_path, row_cut

Phrase = tuple[str, ...]
"""Two words or more, or a name of one, folded."""
_GAP = 3
"""Characters that may stand between two words."""
_AT_ONCE = 8 << 20
"""Bytes of texts that are not kept in memory whose places are held at once: where nearly each word is asked for, they
take ten times as much."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_K1 = 1.2
_B = 0.6
_COMMENTED = "markdown/"
"""The reader of the texts in which people hide words by comments."""
_OURS = ("<!-- lens:begin", "<!-- lens:end")
_MOST_SENT, _READING = 32 << 20, 10.0
"""Bytes of a document or a large text that another machine sends to be compared, and seconds to read a document."""
_UNTOLD = frozenset(
    {
        SkipReason.DIED,
        SkipReason.ENCRYPTED,
        SkipReason.NO_ANSWER,
        SkipReason.NO_READER,
        SkipReason.NO_TEXT,
        SkipReason.NOT_READ,
        SkipReason.TIMED_OUT,
        SkipReason.TOO_LARGE,
    }
)
"""Why a document cannot be read here that may be right nonetheless."""
_HELD = 32 << 20
"""Code points of documents that are held: with what is known of their structure they take several bytes each."""


@dataclass(frozen=True, slots=True)
class Around:
    """A word of a phrase, and how the phrase is looked for around it."""

    term: int
    pattern: re.Pattern[bytes]
    before: int
    """Bytes of the text in front of the word's beginning that may belong to the phrase."""
    after: int
    word: bytes
    last: int | None
    """The last byte of the word before it."""
    first: int | None
    """The first byte of the word behind it."""

    @classmethod
    def of(cls, phrase: Phrase, word: str, term: int) -> Around:
        """For the first place of ``word`` in the phrase; ``term`` is the word's number in what is scanned for."""
        at, data = phrase.index(word), [one.encode() for one in phrase]
        return cls(
            term=term,
            pattern=re.compile(rb"(?<![a-z0-9])" + rb"[^a-z0-9]{1,3}".join(map(re.escape, data))),
            before=sum(len(one) + _GAP for one in data[:at]) + 1,
            after=sum(len(one) + _GAP for one in data[at:]) + 1,
            word=data[at],
            last=data[at - 1][-1] if at else None,
            first=data[at + 1][0] if at + 1 < len(data) else None,
        )

    def stands(self, text: Bytes, at: int) -> bool:
        """Whether the phrase stands around a place of a text where its word was found."""
        return self.pattern.search(text[max(0, at - self.before) : at + self.after].tobytes()) is not None

    def likely(self, data: Bytes, where: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of some places are worth a closer look: the word ends as it must, its neighbours begin or end so."""
        last, end = len(data) - 1, where + len(self.word)
        fits: NDArray[np.bool_] = data[np.minimum(end - 1, last)] == self.word[-1]
        if self.first is not None:
            fits &= _any(data[np.minimum(end + gap, last)] == self.first for gap in range(1, _GAP + 1))
        if self.last is not None:
            fits &= _any(data[np.maximum(where - 1 - gap, 0)] == self.last for gap in range(1, _GAP + 1))
        return fits


@dataclass(slots=True)
class Phrases:
    """The phrases that were looked for in passing texts, and the slots that hold them."""

    _found: dict[tuple[Phrase, str], set[int]] = field(default_factory=dict)

    def watch(self, phrases: Iterable[Phrase], index: Mapping[str, int]) -> Callable[[Chunk, Hits], None]:
        """What a scan tells of each passing chunk; ``index`` gives the terms by their words."""
        wanted = [
            (self._found.setdefault((phrase, word), set()), Around.of(phrase, word, index[word]))
            for phrase in dict.fromkeys(phrases)
            for word in dict.fromkeys(phrase)
            if word in index
        ]
        return partial(_note, wanted)

    def passing(self, phrase: Phrase, word: str) -> set[int] | None:
        """The slots of passing texts that hold a phrase around a place of one of its words; None if it was not
        watched."""
        return self._found.get((phrase, word))


def _note(wanted: list[tuple[set[int], Around]], chunk: Chunk, hits: Hits) -> None:
    """Look around the hits of one chunk."""
    row = np.searchsorted(chunk.slots, hits.slot)
    where = chunk.starts[row] + hits.at
    ends = np.append(chunk.starts[1:], len(chunk.data)) - 1
    for found, around in wanted:
        chosen = np.flatnonzero(hits.term == around.term)
        chosen = chosen[around.likely(chunk.data, where[chosen])]
        for text, at in zip(row[chosen].tolist(), hits.at[chosen].tolist(), strict=True):
            slot = int(chunk.slots[text])
            if slot not in found and around.stands(chunk.data[int(chunk.starts[text]) : int(ends[text])], at):
                found.add(slot)


def _any(masks: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.logical_or.reduce(list(masks))
    return found


def never() -> bool:
    """Of a question whose time is never over."""
    return False


Reply = TypeVar("Reply", covariant=True)


class Step(Protocol[Reply]):
    """A question to the texts of one shard that needs the totals of all: it holds these, and says what it wants.

    It is pure: what comes back depends on it and on the texts alone. The whole is one shard, too.
    """

    @property
    def terms(self) -> Sequence[Sequence[Literal]]:
        """What was scanned for."""
        ...

    def within(self, first: int, last: int) -> Self | None:
        """The same of the slots from ``first`` on and before ``last``, numbered from 0; None if it wants none of
        them."""
        ...

    def of(self, texts: Any, hits: Hits) -> Reply:
        """The reply of a shard: ``texts`` is its `Corpus` or, of a step that reads documents, its `DocumentAccess`;
        ``hits`` are those of its ``terms``."""
        ...


class Shards(Protocol):
    """The texts of a workspace that are read elsewhere, in parts: their slots follow each other."""

    def count(self, terms: Sequence[Sequence[Literal]], words: Sequence[str], phrases: Sequence[Phrase]) -> Hits:
        """As `Corpus.count`; no place is listed."""
        ...

    def score(self, step: Step[Reply]) -> list[tuple[int, Reply]]:
        """As `Corpus.score`."""
        ...


def inside(slots: Ints, first: int, last: int) -> Ints:
    """The places of those slots that are from ``first`` on and before ``last``."""
    return np.flatnonzero((slots >= first) & (slots < last))


@dataclass(slots=True)
class Corpus:
    """Folded texts to scan, and the source text behind a slot, read as it is now and kept for the question."""

    cache: TextStore
    read: Callable[[int], str]
    """Source text of a slot; an empty text when it can no longer be read."""
    history: Mapping[Key, float] = field(default_factory=dict)
    """How well verified evidence of earlier questions in a file matches this one, over 0 to 1."""
    notes: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    """The stems of what earlier questions proved from a file that is as it was then."""
    phrases: Phrases = field(default_factory=Phrases)
    """Which texts that are not kept in memory hold which phrases."""
    late: Callable[[], bool] = never
    """Whether the time of the question is over, so that nothing more is measured, and"""
    over: Callable[[], bool] = never
    """whether what was measured may be used no longer. Asked about once a megabyte."""
    shards: Shards | None = None
    """Who reads the texts, where that is not here: then ``cache`` only knows which there are."""
    _sources: dict[int, str] = field(default_factory=dict)

    def count(
        self,
        terms: Sequence[Sequence[Literal]],
        *,
        words: Sequence[str] = (),
        phrases: Sequence[Phrase] = (),
        cancelled: Callable[[], bool] | None = None,
    ) -> Hits:
        """How often each term stands in each text, and in how many stretches: the first of the two steps that the
        search asks of texts. The places of terms are listed where the texts are in memory here.

        ``phrases`` are looked for in passing texts around their ``words``, those of the first terms.
        """
        if self.shards is not None:
            return self.shards.count(terms, words, phrases)
        watch = self.phrases.watch(phrases, {word: number for number, word in enumerate(words)}) if phrases else None
        return scan(self.cache.chunks(), terms, watch=watch, cancelled=cancelled)

    def score(self, hits: Hits, step: Step[Reply], on: DocumentAccess | None = None) -> list[tuple[int, Reply]]:
        """The second step, with the totals of the first: the reply of each shard and its first slot, from which the
        slots in the reply count. ``on`` is what a step reads documents by."""
        if self.shards is not None:
            return self.shards.score(step)
        return [(0, step.of(self if on is None else on, hits))]

    def source(self, slot: int) -> str:
        """The source text of a slot."""
        text = self._sources.get(slot)
        if text is None:
            text = self._sources[slot] = self.read(slot)
        return text

    def points(self, slot: int, at: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.int64]:
        """Code points of the source for folded byte offsets of a slot."""
        offsets, folded = self.cache.offsets(slot), at.astype(np.int64)
        return folded if offsets is None else offsets.points(folded)

    def places(self, hits: Hits, literals: Sequence[Sequence[Literal]], slots: NDArray[np.int64]) -> Hits:
        """All places in the given slots; in texts that are not kept in memory they are looked up again.

        ``literals`` are those of the scan that gave the hits.
        """
        chosen = np.zeros(self.slots, bool)
        chosen[slots] = True
        listed = hits.of(chosen[hits.slot])
        unlisted = hits.unlisted.slots[chosen[hits.unlisted.slots]]
        if not len(unlisted):
            return listed
        return listed.plus(scan(self.cache.again(unlisted), literals, listing=True, cancelled=self.over), 0)

    def places_by_term(
        self, hits: Hits, literals: Sequence[Sequence[Literal]], slots: NDArray[np.int64]
    ) -> dict[int, list[Ints]]:
        """By slot the code points at which each scanned term stands in it, in order."""
        found = self.places(hits, literals, slots)
        order = np.lexsort((found.at, found.term, found.slot))
        slot, term, at = found.slot[order], found.term[order], found.at[order]
        bounds = np.searchsorted(slot, [slots, slots + 1])
        places: dict[int, list[Ints]] = {}
        for number, first, last in zip(slots.tolist(), *bounds.tolist(), strict=True):
            ends = np.searchsorted(term[first:last], np.arange(1, len(literals)))
            places[number] = np.split(self.points(number, at[first:last]), ends)
        return places

    def parts(self, hits: Hits, slots: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Some slots in parts whose places fit in memory together: those whose places are listed are one, the first.

        The parts end where the question's time is over.
        """
        unlisted = np.zeros(self.slots, bool)
        unlisted[hits.unlisted.slots] = True
        again = slots[unlisted[slots]]
        if not len(again):
            yield slots
            return
        yield slots[~unlisted[slots]]
        run = np.cumsum(self.cache.arena.lengths()[again]) // _AT_ONCE
        for part in np.split(again, np.flatnonzero(np.diff(run)) + 1):
            if self.over():
                break
            yield part

    @property
    def slots(self) -> int:
        """How many slots there are, empty ones included."""
        return len(self.cache.slots)

    def length(self, slot: int) -> int:
        """Code points of a slot's text."""
        size = np.array([len(self.cache.folded(slot))], np.int64)
        return int(self.points(slot, size)[0])

    def named(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slots by root and path: an order that does not depend on how the texts are numbered."""
        return self.order(slots, np.zeros(len(slots)))

    def order(
        self, slots: NDArray[np.int64], scores: NDArray[np.float64], most: int | None = None
    ) -> NDArray[np.int64]:
        """The slots by falling score, the ``most`` best or all; equal scores by root and path, so that runs repeat."""
        if most is not None and len(slots) > most:  # names are compared of few: a hundred thousand are 15 MB
            among = scores >= np.partition(scores, -most)[-most]
            slots, scores = slots[among], scores[among]
        keyed = sorted(range(len(slots)), key=lambda i: (-scores[i], self.cache.slots[int(slots[i])].key))  # type: ignore[union-attr]
        return slots[np.array(keyed[:most], np.int64)] if keyed else slots


@dataclass(frozen=True, slots=True)
class Measures:
    """One question's measurements."""

    counts: Counts
    frequency: Ints
    """Texts that contain each term."""
    idf: Floats
    norm: Floats
    """BM25's length normalisation of each slot."""
    lengths: Ints
    """Folded bytes of each slot; 0 where it is empty."""
    texts: int
    """How many texts there are."""

    @property
    def total(self) -> float:
        """The idf mass of all terms; never 0."""
        return float(self.idf.sum()) or 1.0

    def only(self, terms: Ints, counts: Counts) -> Measures:
        """The measurements of some terms, renumbered in the given order; ``counts`` are theirs."""
        return replace(self, counts=counts, frequency=self.frequency[terms], idf=self.idf[terms])

    def saturation(self) -> Floats:
        """tf / (tf + norm) for each count: how fully a text speaks of a term, from 0 to 1."""
        count = self.counts.count
        return count / (count + self.norm[self.counts.slot])

    def coverage(self) -> Floats:
        """Per slot, the share of the question's idf mass it covers (BM25, scaled to [0, 1])."""
        weights = self.idf[self.counts.term] * self.saturation()
        return np.bincount(self.counts.slot, weights=weights, minlength=len(self.norm)) / self.total

    def rows(self, slots: Ints) -> Floats:
        """Saturation as a dense table: one row per given slot, one column per term."""
        row = np.full(len(self.norm), -1, np.int64)
        row[slots] = np.arange(len(slots))
        table = np.zeros((len(slots), len(self.idf)))
        chosen = row[self.counts.slot] >= 0
        table[row[self.counts.slot[chosen]], self.counts.term[chosen]] = self.saturation()[chosen]
        return table


def measure(hits: Hits, terms: int, lengths: Ints, texts: int) -> Measures:
    """What the counts of a scan say. ``lengths`` are bytes per slot, 0 where a slot is empty; ``texts`` the number of
    live ones."""
    counts = hits.counts
    frequency = np.bincount(counts.term, minlength=terms)
    average = float(lengths.sum()) / max(texts, 1) or 1.0
    return Measures(
        counts=counts,
        frequency=frequency,
        idf=inverse_frequency(frequency, texts),
        norm=np.asarray(_K1 * (1 - _B + _B * lengths / average), np.float64),
        lengths=lengths,
        texts=texts,
    )


def union_of(size: int, *numbers: Ints) -> Ints:
    """All numbers below ``size`` that are in any of some arrays, in order; NumPy's own would import masked arrays."""
    among = np.zeros(size, bool)
    for each in numbers:
        among[each] = True
    return np.flatnonzero(among)


def inverse_frequency(frequency: Ints | Floats, texts: float) -> Floats:
    """Robertson's idf, kept positive: ln(1 + (N − df + ½) / (df + ½)); 0 for what is nowhere."""
    weights = np.log1p((texts - frequency + 0.5) / (frequency + 0.5))
    return np.where(frequency > 0, weights, 0.0)


class DocumentAccess:
    """Documents by slot, read when they are asked for."""

    def __init__(
        self,
        cache: TextStore,
        snapshot: Snapshot,
        exclude_spans: Mapping[Key, Span] = MappingProxyType({}),
        *,
        late: Callable[[], bool] = never,
        over: Callable[[], bool] = never,
        shards: Shards | None = None,
    ) -> None:
        """``exclude_spans`` hold the question itself, by root and path: never evidence. ``late``, ``over`` and
        ``shards`` are those of `Corpus`."""
        self._exclude_spans = exclude_spans
        self._cache = cache
        self._snapshot = snapshot
        self._documents: dict[int, Document | None] = {}
        self._size = 0
        """Code points of the documents that are held."""
        self._seen: set[int] = set()
        self._identities: dict[int, Identity | None] = {}
        self._texts: dict[int, SourceText] = {}
        self._hashes: dict[Key, str | None] = {}
        self._sent: dict[Key, Document] = {}
        """The document that another machine sent last, as it is read here."""
        self.corpus = Corpus(cache, partial(_source, cache), late=late, over=over, shards=shards)
        self.warnings: list[str] = []
        self._comments: list[Part] = []

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders, absolute."""
        return tuple(root.path for root in self._snapshot.roots)

    @property
    def read(self) -> int:
        """How many documents were read."""
        return len(self._seen)

    def told(self, slots: Iterable[int], comments: Iterable[Part], warnings: Iterable[str]) -> None:
        """Take in what shards say that they read, and what they noticed."""
        self._seen.update(slots)
        self._comments += comments
        self.warnings += [warning for warning in warnings if warning not in self.warnings]

    def agrees(self, slot: int, item: Evidence) -> bool:
        """Whether a quote that a shard says to have verified stands in the file as it is seen from here: always where
        no shard was asked, or the folder lies elsewhere; one of a machine that is connected to in that which it sends.
        One that does not is told, and so is a file that cannot be compared here: of that, the machine's word counts."""
        text = self.text(slot)
        root, path = text.key
        roots = self._snapshot.roots
        if self.corpus.shards is None or root >= len(roots) or roots[root].absence is not None:
            return True
        try:
            stands = self._stands_there(text, item, sent=is_ssh_url(roots[root].path))
        except _Incomparable as error:
            said = f"{display_path(path)}: its quotes were compared on {item.machine} alone: {error}"
            self.warnings += [] if said in self.warnings else [said]
            stands = True
        except (Skipped, PathRefused, UsageError):
            stands = False
        if not stands or display_path(path) != item.path or root != item.root:
            self.warnings.append(f"{display_path(path)}: a quote that does not stand there was left out")
            return False
        return True

    def _stands_there(self, text: CachedText, item: Evidence, *, sent: bool) -> bool:
        """Whether a quote stands at its place in the file that it names; ``sent`` says that another machine sends it.
        Raises `_Incomparable`, and as `Snapshot.read`."""
        (root, path), kind = text.key, kind_for(text.key[1])
        if sent and (text.piece is not None or kind is not None):
            identity = identity_of(self._snapshot.roots[root], path)
            if identity is not None and identity[0] > _MOST_SENT:
                raise _Incomparable(f"it has more than {_MOST_SENT >> 20} MiB")
        # Its own settings say there what bytes are read as that are no Unicode.
        guessed = sent and item.origin.guessed
        snapshot = self._snapshot.guessing(item.origin.encoding) if guessed else self._snapshot
        if text.piece is not None:
            return snapshot.stretch(root, path, item.span) == (item.quote, item.origin)
        if not sent or kind is None:
            document = snapshot.document(root, path)
        else:
            document = self._sent_document(root, path)
            if document.reader != item.reader and document.origin == item.origin:
                raise _Incomparable(f"{printable(item.reader)} reads it there, {document.reader} here")
        return (document.text[item.span.start : item.span.end], document.origin) == (item.quote, item.origin)

    def _sent_document(self, root: int, path: str) -> Document:
        """A document that another machine sends, read here. Raises as `_stands_there`."""
        known = self._sent.get((root, path))
        if known is None:
            try:
                known = self._snapshot.document(root, path, seconds=_READING)
            except Skipped as skipped:
                if skipped.reason in _UNTOLD:
                    raise _Incomparable(f"it was not read here ({skipped.reason})") from skipped
                raise
            self._sent = {(root, path): known}
        return known

    @property
    def read_slots(self) -> tuple[int, ...]:
        """The slots of these, in order."""
        return tuple(sorted(self._seen))

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

    def changed_after(self, slot: int, moment: float) -> bool:
        """Whether a slot's file may have come or changed after a ``moment``, in seconds since the epoch: always that of
        a text, for what is there of these is read."""
        file = self.text(slot).key
        entry = self._cache.entry(file)
        return kind_for(file[1]) is None or entry is None or max(entry[2:][1:3]) > moment * 1e9

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
        known, identity = self._identities[slot], self._identity(key, now=True)
        return known is not None and known == identity and known[1] < time.time_ns() - YOUNG_NS

    def _identity(self, file: Key, *, now: bool = False) -> Identity | None:
        return identity_of(self._snapshot.roots[file[0]], file[1], now=now)

    def evidence(
        self,
        slot: int,
        document: Document,
        span: Span,
        n: int,
        *,
        under: int | None = None,
        at: int | None = None,
        score: float = 0.0,
        signals: Mapping[str, float] = MappingProxyType({}),
        match: str = "exact",
        requirements: tuple[str, ...] = ("f1",),
        arm: str | None = None,
        round_: int = 0,
        verdict: str | None = None,
        cut: tuple[str, ...] = (),
        header: Span | None = None,
    ) -> Evidence:
        """A span of a slot's document as evidence number ``n``; ``under`` is the offset whose headings are named,
        ``at`` the one whose page, row or cell is: by default that where the span begins. ``header`` is what names the
        columns of a row."""
        self._notice(document)
        text = self._texts.setdefault(slot, SourceText(document.text))
        piece = self.text(slot).piece
        first = Position(1, 1) if piece is None else piece.position
        before = self.before(slot)
        at = span.start if at is None else at
        roots = self._snapshot.roots  # none where others read
        version = roots[document.root].version(document.path) if roots else None
        return Evidence(
            n=n,
            root=document.root,
            path=display_path(document.path),
            start=text.position(span.start).behind(first),
            end=text.position(span.end).behind(first),
            span=Span(before + span.start, before + span.end),
            quote=document.text[span.start : span.end],
            origin=document.origin if version is None else replace(document.origin, object_version=version),
            reader=document.reader,
            locator=locate(document.locators, at),
            heading=heading_path(document, span.start if under is None else under),
            score=round(score, 6),
            match=match,
            requirements=requirements,
            signals=signals,
            arm=arm,
            round=round_,
            verdict=verdict,
            private=document.structure.private,
            context=context_of(document, span, before, at, header),
            cut=cut or row_cut(document, span),
            secrets=moved(secrets_of(document.text, document.path), before),
        )

    def comments(self) -> Iterator[Part]:
        """The comments that hold words, in the Markdown texts that were read."""
        yield from self._comments
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
        own = self._exclude_spans.get(text.key)
        if own is None or text.piece is not None:
            return document
        spans = merged([*document.structure.ours, own])
        return replace(document, structure=replace(document.structure, ours=spans))

    def _withdraw(self, slot: int, why: str) -> None:
        self._documents[slot] = None
        self._seen.discard(slot)
        self.warnings.append(f"{self.shown_path(slot)} {why}; ask again to include it")


class _Incomparable(Exception):
    """A file of another machine cannot be compared here, and why."""


def _text(cache: TextStore, slot: int) -> CachedText:
    text = cache.slots[slot]
    assert text is not None, "a ranked slot is never empty"
    return text


def _source(cache: TextStore, slot: int) -> str:
    try:
        return cache.source(_text(cache, slot))
    except Skipped:
        return ""
