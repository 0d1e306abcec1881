"""From files to texts ready to be folded, many at a time: reading, decoding, hiding markup.

What is done per file costs more than what is done per byte, so everything that can be settled for a batch at once is.
The functions called ``malloc_…`` say what glibc keeps of the memory that was given back to it; with other libraries
they do nothing.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import field, replace
from functools import cache
from itertools import filterfalse, repeat
from operator import contains
from typing import NamedTuple

import numpy as np

from lens_lsp.corpus.encoding import LARGE, FoldedBatch, blank, decode, fold_batch, is_utf_8
from lens_lsp.corpus.extraction import LARGEST, Pictures, extractions
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH, TextReader
from lens_lsp.corpus.safe_open import IDENTITY, Identity, Reading, Root, Skipped, read_files
from lens_lsp.corpus.text_marks import GeneratedSpans, find_generated, suspects, unsearchable
from lens_lsp.corpus.walk import YOUNG_NS
from lens_lsp.documents.kinds import DocumentKind, StoredText, kind_for
from lens_lsp.model.documents import Head, PartReason, SkipReason
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import EditHistory, SourceText

_LARGEST_BLOCK = 4 << 20
_ARENA_MAX = -8
"""M_ARENA_MAX of malloc.h."""
_MOST_BYTES, _LEAST_BYTES = 1 << 20, 1 << 19
_FILES = 1024
"""A batch is full when it has so many of either: few enough to stay near the processor and to be cancelled soon."""
_SHARE = 128
"""How many batches the memory for texts would hold at least: the blocks that reading one needs come on top of it. With
smaller ones a pass takes longer: with half a megabyte about a tenth, with an eighth twice as long."""
_BOM = b"\xef\xbb\xbf"
_KEPT_READERS = 1 << 12
_SURROGATE = regex("[\ud800-\udfff]")
_FROM_START = np.zeros(1, np.int64)
Hidden = tuple[str, int, PartReason]
"""A path, the line on which a hidden part begins, and why it is hidden."""


@cache
def malloc_keep_blocks() -> None:
    """Have blocks kept that are given back, from now on.

    Unless it saw a larger block come and go, the library gives every block above 128 KB back to the system at once;
    getting it again costs several times what is done with it. The first such block is never touched; later ones would
    be cleared.
    """
    bytes(_LARGEST_BLOCK)


@cache
def malloc_share_arena() -> None:
    """Have threads that are still to come take memory from where all do.

    Each would have a heap of its own, where the blocks stay that it gave back: fifty megabytes for those that read
    files and answer questions.
    """
    _function("mallopt")(_ARENA_MAX, 1)


def malloc_trim() -> None:
    """Give the system what nobody uses: some ten milliseconds, and memory that comes again must be cleared again."""
    _function("malloc_trim")(0)


@cache
def _function(name: str) -> Callable[..., object]:
    """A function of the C library; one that does nothing where it has none of this name."""
    import ctypes  # what reads texts has imported it already

    try:
        function: Callable[..., object] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):  # another C library, or a system where none can be asked for so
        return lambda *_: None
    return function


@dataclass(frozen=True, slots=True)
class Buffer:
    """A text as an editor holds it; ``path`` is absolute, ``version`` the editor's count of its changes.

    ``history`` is what it did to the text, None where that is not known.
    """

    path: str
    text: str
    version: int | None = None
    history: EditHistory | None = None

    def __post_init__(self) -> None:
        # Half a surrogate pair breaks every encoder later on; one code point for another keeps all offsets.
        if not self.text.isascii() and _SURROGATE.search(self.text):
            object.__setattr__(self, "text", _SURROGATE.sub("\ufffd", self.text))


def without_documents(buffers: Mapping[tuple[int, str], Buffer]) -> dict[tuple[int, str], Buffer]:
    """The buffers of text files. What an editor shows of another document is no source: its file is."""
    return {key: buffer for key, buffer in buffers.items() if kind_for(key[1]) is None}


@dataclass(slots=True)
class Batch:
    """Some files in the order asked for. ``paths``, ``readers``, ``identities`` and ``texts`` are parallel."""

    paths: list[str] = field(default_factory=list)
    readers: list[TextReader] = field(default_factory=list)
    identities: list[Identity | None] = field(default_factory=list)
    """Of the descriptors they were read from; None for buffers."""
    texts: list[bytes] = field(default_factory=list)
    """In UTF-8, markup blanked."""
    decoded: dict[int, str] = field(default_factory=dict)
    """How the files begin whose texts are not their bytes."""
    refused: list[tuple[str, Identity | None, SkipReason]] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    """Documents that are no text files: nothing of them was read."""
    young: list[str] = field(default_factory=list)
    """Files written so shortly before they were read that another write might show no change."""
    parts: list[Hidden] = field(default_factory=list)
    """What of the texts is hidden."""
    large: tuple[str, TextReader, Identity] | None = None
    """A file too large for memory; it comes after the texts."""
    files: int = 0
    """How many files the batch is about."""

    def keep(self, path: str, reader: TextReader, identity: Identity | None, text: bytes, start: str | None) -> None:
        """Add a file; ``start`` is how it begins when ``text`` is not its bytes."""
        if start is not None:
            self.decoded[len(self.texts)] = start
        self.paths.append(path)
        self.readers.append(reader)
        self.identities.append(identity)
        self.texts.append(text)

    def beginnings(self) -> list[bytes]:
        """As much of each file's decoded text as readers look at for a head, or a little more, in UTF-8."""
        if not self.decoded and max(map(len, self.texts)) <= HEAD_LENGTH:
            return self.texts
        starts = [
            text
            if len(text) <= HEAD_LENGTH
            # Asked for 4,096 characters, which are at most so many bytes; the last one may be cut.
            else text[: HEAD_LENGTH if text[:HEAD_LENGTH].isascii() else 4 * HEAD_LENGTH]
            for text in self.texts
        ]
        for index, start in self.decoded.items():
            starts[index] = start.encode("utf-8", "replace")
        return starts


def trusted(identity: Identity) -> Identity | None:
    """What identifies a file's content later on, too; None for a young file: another write might show no change."""
    return identity if identity[1] < time.time_ns() - YOUNG_NS else None


class Intake:
    """Reads files of one root; knows the encoding to fall back on, and how many bytes of texts memory may hold."""

    def __init__(self, fallback: str, budget: int) -> None:
        self._fallback = fallback
        self._bytes = min(_MOST_BYTES, max(_LEAST_BYTES, budget // _SHARE))
        self._readers: dict[str, TextReader | None] = {}

    def batches(self, root: Root, paths: Sequence[str], buffers: Mapping[str, Buffer]) -> Iterator[Batch]:
        """The files in batches; what is open in an editor is taken from there."""
        plain, reader_of = self._reader(""), self._reader
        readers = [reader_of(path) if "." in path else plain for path in paths]
        special: Set[str] = buffers.keys()
        if None in set(readers):
            special |= {path for path, reader in zip(paths, readers, strict=True) if reader is None}
        on_disk = [path for path in paths if path not in special] if special else paths
        found = read_files(root, on_disk, LARGE)
        start = 0
        while start < len(paths):
            batch = Batch()
            start = self._gather(batch, paths, readers, start, found, special, buffers)
            yield self._decoded(batch)

    def folded(self, batch: Batch, *, mapped: bool = True) -> tuple[Batch, FoldedBatch | None]:
        """The batch and its texts folded; without answer files of ours, our blocks and asking lines blanked. ``mapped``
        as in `fold_batch`."""
        folded = fold_batch(batch.texts, mapped=mapped) if batch.texts else None
        suspected = [] if folded is None else suspects(folded.raw, folded.starts)
        changed = self._without_ours(batch, suspected) if suspected else None
        if changed is None:
            return batch, folded
        return changed, fold_batch(changed.texts, mapped=mapped) if changed.texts else None

    def fold_again(self, path: str, text: str | bytes, *, continued: bool = False, mapped: bool = True) -> FoldedBatch:
        """A document's text, read again, as it is searched: a batch of one. A text that is its file's own bytes may be
        given as these; ``continued`` for later pieces, ``mapped`` as in `fold_batch`. Raises `Skipped`."""
        reader = None if kind_for(path) is not None else self.reader(path)
        data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        if (reader is not None and reader.masked) or suspects(data, _FROM_START):
            decoded = data.decode("utf-8", "replace")
            if reader is not None:
                data = searched_text(reader, decoded, continued=continued).encode("utf-8", "replace")
            elif own := find_generated(decoded, continued=continued, asked=False).spans:
                data = blank(decoded, own).encode("utf-8", "replace")
        return fold_batch([data], mapped=mapped)

    def _without_ours(self, batch: Batch, suspects: Sequence[int]) -> Batch | None:
        """The batch without what is ours, None when it holds none. Only the texts with the given numbers are looked at,
        and only if they are a file's own bytes: the others were looked at when they were decoded."""
        decoded = {index: batch.texts[index].decode("utf-8") for index in suspects if index not in batch.decoded}
        found = {index for index, text in decoded.items() if find_generated(text).spans}
        if not found:
            return None
        return self._rebuilt(batch, lambda index, *_: decoded[index] if index in found else None)

    def _rebuilt(self, batch: Batch, decoded_of: Callable[[int, TextReader, bytes], str | None]) -> Batch:
        """The batch with those texts replaced that ``decoded_of`` decodes, without what it raises `Skipped` for."""
        done = replace(batch, paths=[], readers=[], identities=[], texts=[], decoded={})
        rows = zip(batch.paths, batch.readers, batch.identities, batch.texts, strict=True)
        for index, (path, reader, identity, text) in enumerate(rows):
            try:
                decoded = decoded_of(index, reader, text)
            except Skipped as skipped:
                done.refused.append((path, identity, skipped.reason))
                continue
            if decoded is None:
                done.keep(path, reader, identity, text, batch.decoded.get(index))
            else:
                self._add_decoded(done, path, reader, identity, decoded)
        return done

    def reader(self, path: str) -> TextReader:
        """The reader for a path. Raises `Skipped` if there is none."""
        reader = self._reader(path)
        if reader is None:
            raise Skipped(SkipReason.UNSUPPORTED)
        return reader

    def document_text(self, path: str, content: bytes | str) -> str:
        """The document text of a file's bytes, or of an open file's text. Raises `Skipped`."""
        kind = kind_for(path)
        if kind is not None and isinstance(content, bytes):
            return extractions().of(kind, content, further=lambda: False).extracted.text
        decoded = content if isinstance(content, str) else decode(content, self._fallback).text
        return _document_text(self.reader(path), decoded)

    def stored(self, path: str, identity: Identity) -> StoredText | None:
        """What is known of a document without its file. Raises `Skipped` as `Extractions.stored`."""
        kind = kind_for(path)
        return None if kind is None else extractions().stored(kind, identity)

    def extracted(
        self,
        root: Root,
        path: str,
        cancelled: Callable[[], bool],
        pictures: Pictures = Pictures.KNOWN,
        further: Callable[[], bool] | None = None,
    ) -> tuple[Identity, StoredText]:
        """What a document becomes, and what identified its content when it was opened. Raises `Skipped`."""
        kind = kind_for(path)
        if kind is None:
            raise Skipped(SkipReason.UNSUPPORTED)
        data, status = root.read_with_stat(path, LARGEST)
        identity = IDENTITY(status)
        known = trusted(identity)
        read = extractions().of(kind, data, identity=known, cancelled=cancelled, pictures=pictures, further=further)
        return identity, StoredText(read.extracted.text, read.extracted.gist, read.waiting)

    def glanced(
        self, kind: DocumentKind, documents: Sequence[tuple[Root, str]], cancelled: Callable[[], bool]
    ) -> Sequence[str]:
        """What documents of a kind say of themselves, as `Extractions.glance`."""

        def read(root: Root, path: str) -> bytes:
            with suppress(Skipped):  # whoever reads it tells why
                return root.read(path, LARGEST)
            return b""

        return extractions().glance(kind, [read(*document) for document in documents], cancelled=cancelled)

    def _reader(self, path: str) -> TextReader | None:
        """Kept by suffix, for every file is asked about."""
        suffix = path[path.rfind(".") :] if "." in path else ""
        try:
            return self._readers[suffix]
        except KeyError:
            reader = reader_for(path.rpartition("/")[2])
            if len(self._readers) < _KEPT_READERS:
                self._readers[suffix] = reader
            return reader

    def _gather(
        self,
        batch: Batch,
        paths: Sequence[str],
        readers: Sequence[TextReader | None],
        start: int,
        found: Iterator[Reading],
        special: Set[str],
        buffers: Mapping[str, Buffer],
    ) -> int:
        """Fill a batch; where the next one starts. The hot loop."""
        size, most, end = 0, self._bytes, min(start + _FILES, len(paths))
        young, ordinary = time.time_ns() - YOUNG_NS, not special
        add_path, add_reader, add_text = batch.paths.append, batch.readers.append, batch.texts.append
        add_identity = batch.identities.append
        for at in range(start, end):
            path, reader = paths[at], readers[at]
            if reader is None:
                if kind_for(path) is None:
                    batch.refused.append((path, None, SkipReason.UNSUPPORTED))
                else:
                    batch.documents.append(path)
                continue
            if not ordinary and path in special:
                self._add_decoded(batch, path, reader, None, buffers[path].text)
                continue
            data, identity = next(found)
            if identity is not None and identity[1] > young:
                batch.young.append(path)
            if isinstance(data, bytes):
                add_path(path)
                add_reader(reader)
                add_identity(identity)
                add_text(data)
                size += len(data)
                if size > most:
                    end = at + 1
                    break
            elif data is not None:
                batch.refused.append((path, identity, data))
            elif identity is not None:
                batch.large = (path, reader, identity)
                end = at + 1
                break
        batch.files = end - start
        return end

    def _add_decoded(
        self, batch: Batch, path: str, reader: TextReader, identity: Identity | None, decoded: str
    ) -> None:
        found = GeneratedSpans() if reader.extracted else find_generated(decoded)
        if found.whole:
            batch.refused.append((path, identity, SkipReason.ANSWER))
            return
        batch.parts += hidden_parts(path, reader, decoded, found)
        # A question on the first line would become the title.
        start = (blank(decoded, found.spans) if found.spans else decoded)[:HEAD_LENGTH]
        searched = searched_text(reader, _document_text(reader, decoded)).encode("utf-8", "replace")
        batch.keep(path, reader, identity, searched, start)

    def _decoded(self, batch: Batch) -> Batch:
        """The batch with all texts in UTF-8 and markup hidden. Mostly there is nothing to do."""
        raw = batch.texts
        if batch.decoded:
            raw = [text for index, text in enumerate(raw) if index not in batch.decoded]
        simple = not any(reader.extracted or reader.masked for reader in set(batch.readers))
        if simple and _all_plain(raw):
            return batch

        def decoded_of(index: int, reader: TextReader, text: bytes) -> str | None:
            plain = index in batch.decoded or (not (reader.extracted or reader.masked) and _all_plain([text]))
            return None if plain else decode(text, self._fallback).text

        return self._rebuilt(batch, decoded_of)


class ReadBatch(NamedTuple):
    """A batch of files: what was read, its texts folded, and what they say of themselves where that was looked at."""

    batch: Batch
    folded: FoldedBatch | None
    heads: Sequence[Head] | None = None


def read_batches(
    root: Root, intake: Intake, paths: Sequence[str], buffers: Mapping[str, Buffer]
) -> Iterator[ReadBatch]:
    """The files in batches, in the order given; what is open in an editor is taken from there."""
    for batch in intake.batches(root, paths, buffers):
        yield ReadBatch(*intake.folded(batch))


def hidden_parts(path: str, reader: TextReader, text: str, found: GeneratedSpans) -> list[Hidden]:
    """What a text hides that people may take for a part of it: what is ours, and markup that is never closed."""
    places = [(at, PartReason.BLOCK) for at in found.blocks]
    places += [(at, PartReason.OPEN_BLOCK) for at in found.open_blocks]
    places += [(at, PartReason.QUESTION) for at in found.asking]
    if reader.masked and (at := reader.unclosed(text)) is not None:
        places.append((at, PartReason.OPEN_ELEMENT))
    if not places:
        return []
    source = SourceText(text)
    return [(path, source.position(at).line, reason) for at, reason in sorted(places)]


def _document_text(reader: TextReader, decoded: str) -> str:
    """A document's text: the file's own, or what its format holds."""
    return reader.extract(decoded).text if reader.extracted else decoded


def searched_text(reader: TextReader, text: str, *, continued: bool = False) -> str:
    """A document's text as it is searched: markup and what is ours blanked; ``continued`` for later pieces."""
    hidden = unsearchable(reader, text, continued=continued)
    return blank(text, hidden) if hidden else text


def _all_plain(texts: Sequence[bytes]) -> bool:
    """Whether all of these bytes are their own text in UTF-8, by the rules of ``encoding.decode``."""
    if any(map(contains, texts, repeat(b"\0"))):
        return False
    wide = list(filterfalse(bytes.isascii, texts))
    if any(text.startswith(_BOM) for text in wide):
        return False
    return is_utf_8(b"\n".join(wide))  # a character that one text leaves unfinished, a line end does not finish


@contextlib.contextmanager
def at_full_speed() -> Iterator[None]:
    """Hold the cycle collector and let memory that was given back be used again.

    What is made here stays, and the collector would look through all of it again and again.
    """
    enabled = gc.isenabled()
    gc.disable()
    malloc_keep_blocks()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
