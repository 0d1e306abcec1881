"""One question's frozen view of its roots: the texts open in an editor, laid over what is on disk.

Frozen is what the editor holds, from the moment of the question. The disk is read when it is asked for, and
every text says by its hash which bytes it was. The deny list holds here too: a secret that is open in an
editor stays one.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from lens_lsp.corpus.encoding import decode
from lens_lsp.corpus.extraction import LARGEST, Pictures, extractions
from lens_lsp.corpus.folding import blank
from lens_lsp.corpus.formats.base import Reader
from lens_lsp.corpus.formats.table import reader_for
from lens_lsp.corpus.listings import UNKNOWN, YOUNG_NS, Identity, identity_of
from lens_lsp.corpus.opening import Root, Skipped, check_name
from lens_lsp.corpus.ours import ours
from lens_lsp.corpus.pieces import LARGE, Piece, Whole, WholeReader
from lens_lsp.corpus.privacy import privacy_of
from lens_lsp.corpus.rules import CorpusRules, denied_path, denied_root
from lens_lsp.documents.kinds import DocumentKind, Extracted, kind_for
from lens_lsp.model.documents import Document, Origin, SkipReason, Structure, TextSource
from lens_lsp.model.marks import privacy
from lens_lsp.model.text import EditHistory

EXTRACTED = "binary"
"""What stands for the encoding of a document that is no text file."""

_SURROGATE = re.compile("[\ud800-\udfff]")


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

    def document(self, root: int, rel: str, pictures: Pictures = Pictures.KNOWN) -> Document:
        """The document of a path, by the reader for its name. Raises as ``read``."""
        kind = kind_for(rel)
        if kind is not None:
            return self._extracted(root, rel, kind, pictures)
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

    def _extracted(self, root: int, rel: str, kind: DocumentKind, pictures: Pictures) -> Document:
        data = self.content(root, rel, LARGEST)
        read = extractions().of(kind, data, cancelled=self._cancelled, pictures=pictures)
        extracted = read.extracted
        return Document(
            root=root,
            path=rel,
            text=extracted.text,
            reader=read.reader,
            origin=Origin(hashlib.sha256(data).hexdigest(), EXTRACTED),
            structure=replace(_with_privacy(extracted), ours=ours(extracted.text, asked=False).spans),
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

    def piece(self, root: int, rel: str, piece: Piece) -> Document:
        """A piece of a very large text as a document of its own; the hash is the whole file's. Raises as ``read``."""
        reader = reader_for(rel.rpartition("/")[2])
        if reader is None:
            raise Skipped(SkipReason.UNSUPPORTED)
        whole = self._whole(root, rel)
        text = piece.text(self.roots[root], rel)
        # What the file says of itself at its head holds for all of it.
        head = whole.beginning.decode(piece.encoding, "replace") if piece.point else text
        structure = _structure(reader, text, head, continued=piece.point > 0)
        return Document(
            root=root,
            path=rel,
            text=text,
            reader=f"{reader.name}/{reader.version}",
            origin=Origin(whole.sha256, piece.encoding, piece.guessed),
            structure=structure,
        )

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


def without_documents(buffers: Mapping[tuple[int, str], Buffer]) -> dict[tuple[int, str], Buffer]:
    """The buffers of text files. What an editor shows of another document is no source: its file is."""
    return {key: buffer for key, buffer in buffers.items() if kind_for(key[1]) is None}


def _structure(reader: Reader, text: str, source: str, *, continued: bool = False) -> Structure:
    """What the reader finds in a text. What is ours is marked, and no heading or link comes from it.

    ``source`` is what the file says from its start on: there stands whether it is private.
    """
    found = ours(text, continued=continued, asked=not reader.extracted)
    structure = reader.structure(blank(text, found.spans) if found.spans and not found.whole else text)
    if found.spans:
        structure = replace(structure, ours=found.spans, answer=found.answer)
    said = privacy_of(reader.name, source) or (privacy_of(reader.name, text) if reader.extracted else None)
    return structure if said is None else replace(structure, privacy=said)


def _with_privacy(extracted: Extracted) -> Structure:
    """The structure of a document: what its metadata or its first lines say makes it private."""
    said = privacy_of("plain", extracted.text) if extracted.private is None else privacy(extracted.private)
    return extracted.structure if said is None else replace(extracted.structure, privacy=said)


def source_of_buffer(buffer: Buffer) -> Source:
    """A buffer's text; its hash is that of the text as UTF-8."""
    digest = hashlib.sha256(buffer.text.encode("utf-8")).hexdigest()
    return Source(buffer.text, Origin(digest, "utf-8", source=TextSource.BUFFER, version=buffer.version))


def source_of_bytes(data: bytes, fallback: str) -> Source:
    """The text of a file's bytes; the hash is that of the bytes. Raises ``Skipped(BINARY)``."""
    decoded = decode(data, fallback)
    return Source(decoded.text, Origin(hashlib.sha256(data).hexdigest(), decoded.encoding, decoded.guessed))
