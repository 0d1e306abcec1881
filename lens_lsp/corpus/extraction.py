"""Texts of documents that are no text files, by content: from memory, or from the process that reads them.

Reading a document costs a thousand times what reading a text file does. So what came of one is kept, up to a bound, by
the hash of its bytes and the version of its reader: whoever asks for the same content again (a later question, the look
at a quote, the check of a citation) gets the same text at the price of a hash. Nothing is written to disk unless the
user asked for it (`kept_extractions`).
"""

from __future__ import annotations

import atexit
import hashlib
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from lens_lsp.corpus.opening import Skipped
from lens_lsp.documents.kinds import DocumentKind, Extracted, Failure, Unextracted, pages_shown, reader_version
from lens_lsp.model.documents import SkipReason

if TYPE_CHECKING:
    from lens_lsp.corpus.kept_extractions import KeptExtractions
    from lens_lsp.documents.extractor import Extractor
    from lens_lsp.documents.recognition import Recognition

LARGEST = 64 << 20
"""Bytes of a document that is read."""
LONGEST = 20.0
"""Seconds that one document may take."""

NO_PROGRAM = "scans are not recognised: tesseract is in no folder of your PATH; install tesseract-ocr"
_RECOGNISED = "pdf-ocr/"
_NOT_ASKED_FOR = ": documents.ocr is off"
_NOT_YET = " yet: name the file as a path"
_IN_VAIN = " and could not be recognised"
_GLANCE = 1.0
"""Seconds that a glance at some documents may take."""
_MEMORY = 128 << 20
_PER_ITEM = 400
"""Bytes of a block, a heading or a locator with all it holds, roughly."""
_MOST_FAILURES = 1 << 16
_REASONS = {
    Failure.BROKEN: SkipReason.BROKEN,
    Failure.ENCRYPTED: SkipReason.ENCRYPTED,
    Failure.EMPTY: SkipReason.NO_TEXT,
    Failure.TOO_LARGE: SkipReason.TOO_LARGE,
    Failure.TIMED_OUT: SkipReason.TIMED_OUT,
    Failure.DIED: SkipReason.DIED,
    Failure.NO_READER: SkipReason.NO_READER,
}
_Content = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """What the user chose for documents: that their texts are kept on disk, the languages that text on pictures of
    pages is recognised in, ``"deu+eng"``."""

    cached: bool = False
    ocr: str | None = None


class Pictures(Enum):
    """What happens to pages that are pictures in a document that has text on others, where the user wants OCR."""

    LEFT = 1
    """They are left out."""
    KNOWN = 2
    """What was recognised before is taken; else they are left out until somebody waits for it."""
    RECOGNISED = 3
    """They are recognised now, which takes seconds a page."""


@dataclass(frozen=True, slots=True)
class ReadText:
    """The text of a document, and the name and version of what read it."""

    extracted: Extracted
    reader: str
    waiting: bool = False
    """Some of its pages are pictures that the user wants recognised, and that was not done yet."""
    notices: tuple[str, ...] = ()
    """What whoever is shown something of it should know."""


class Extractions:
    """What is known of documents by their content. Safe for threads. ``memory`` bounds the bytes that are kept."""

    def __init__(self, extractor: Extractor, *, memory: int = _MEMORY) -> None:
        self._extractor = extractor
        self._memory = memory
        self._used = 0
        self._known: OrderedDict[_Content, Extracted] = OrderedDict()
        self._failed: OrderedDict[_Content, SkipReason] = OrderedDict()
        self._turn = threading.Lock()
        self._disk: KeptExtractions | None = None
        self._recognition: Recognition | None = None

    def use(self, options: DocumentOptions, roots: Sequence[str]) -> str | None:
        """What holds from now on; ``roots`` are the folders that are searched. Tells what is not as it was chosen."""
        from lens_lsp.corpus.kept_extractions import KeptExtractions, cache_folder, lies_outside

        folder = cache_folder()
        self._disk = KeptExtractions(folder) if options.cached and lies_outside(folder, roots) else None
        self._recognition = self._recognising(options.ocr, roots)
        wanting = []
        if options.cached and self._disk is None:
            wanting.append(f"texts of documents are not kept: {folder} is searched")
        if options.ocr and self._recognition is None:
            wanting.append(NO_PROGRAM)
        return "; ".join(wanting) or None

    def _recognising(self, languages: str | None, roots: Sequence[str]) -> Recognition | None:
        if languages is None:
            return None
        from lens_lsp.documents.recognition import Recognition, tesseract

        program = tesseract(os.environ.get("PATH", ""), roots)
        known = self._recognition
        if known is not None and (known.program, known.languages) == (program, languages):
            return known  # its version is known
        data = os.environ.get("TESSDATA_PREFIX")
        return None if program is None else Recognition(program, languages, self._extractor, data)

    def of(
        self,
        kind: DocumentKind,
        data: bytes,
        *,
        cancelled: Callable[[], bool] | None = None,
        pictures: Pictures = Pictures.KNOWN,
    ) -> ReadText:
        """The text of a document. Raises `Skipped` with the reason, ``NOT_READ`` when it was ``cancelled``.

        ``pictures`` says what happens to pages that are pictures beside others with text; where all of them are, they
        are recognised in any case if the user asked for that.
        """
        if reader_version(kind) is None:
            raise Skipped(SkipReason.NO_READER)
        digest, stopped = hashlib.sha256(data).hexdigest(), cancelled or (lambda: False)

        def read() -> Extracted:
            return self._extractor.extract(kind, data, seconds=LONGEST, cancelled=stopped)

        recognition = self._recognition if kind.pictures else None
        try:
            plain = self._known_or(reader_of(kind), digest, read)
        except Skipped as skipped:
            reader = None if recognition is None or skipped.reason is not SkipReason.NO_TEXT else recognition.reader
            if recognition is None or reader is None:
                raise
            return _told(self._known_or(reader, digest, lambda: recognition.text(data, stopped)))
        if recognition is None or not plain.extracted.pages:
            return _told(plain, _NOT_ASKED_FOR)
        return self._with_pictures(plain, recognition, digest, data, stopped, pictures)

    def _with_pictures(
        self,
        plain: ReadText,
        recognition: Recognition,
        digest: str,
        data: bytes,
        stopped: Callable[[], bool],
        pictures: Pictures,
    ) -> ReadText:
        """A document with those of its pages recognised that are pictures, as far as that is wanted and possible."""
        reader = recognition.reader
        if reader is None or pictures is Pictures.LEFT:
            return _told(plain)

        def recognise() -> Extracted:
            if pictures is Pictures.KNOWN:
                raise Skipped(SkipReason.NOT_READ)
            return recognition.text(data, stopped, plain.extracted.pages)

        try:
            return _told(self._known_or(reader, digest, recognise))
        except Skipped as skipped:
            if skipped.reason is SkipReason.NOT_READ:
                return _told(replace(plain, waiting=True), _NOT_YET)
            return _told(plain, _IN_VAIN)

    def _known_or(self, reader: str, digest: str, read: Callable[[], Extracted]) -> ReadText:
        """What a reader makes of a content: as it is known, else as it is read now. Raises `Skipped`."""
        content = (reader, digest)
        with self._turn:
            if content in self._failed:
                raise Skipped(self._failed[content])
            known = self._known.get(content)
            if known is not None:
                self._known.move_to_end(content)
                return ReadText(known, reader)
        disk = self._disk
        kept = None if disk is None else disk.get(*content)
        if kept is None:
            kept = self._read(content, read)
            if disk is not None:
                disk.put(*content, kept)
        self._keep(content, kept)
        return ReadText(kept, reader)

    def _read(self, content: _Content, read: Callable[[], Extracted]) -> Extracted:
        from lens_lsp.documents.extractor import Cancelled  # most questions meet no document

        try:
            return read()
        except Cancelled as stopped:
            raise Skipped(SkipReason.NOT_READ) from stopped
        except Unextracted as failed:
            self._fail(content, failed.failure)
            raise Skipped(_REASONS[failed.failure]) from failed

    def glance(
        self, kind: DocumentKind, documents: Sequence[bytes], *, cancelled: Callable[[], bool] | None = None
    ) -> Sequence[str]:
        """What some documents say of themselves, for choosing which to read; empty for one that does not or cannot."""
        from lens_lsp.documents.extractor import Cancelled

        with suppress(Cancelled, Unextracted):
            return self._extractor.glance(kind, documents, seconds=_GLANCE, cancelled=cancelled)
        return [""] * len(documents)

    def _fail(self, content: _Content, failure: Failure) -> None:
        if failure is Failure.NO_READER:  # it may be installed at any time
            return
        with self._turn:
            self._failed[content] = _REASONS[failure]
            if len(self._failed) > _MOST_FAILURES:
                self._failed.popitem(last=False)

    def _keep(self, content: _Content, extracted: Extracted) -> None:
        with self._turn:
            if content not in self._known:
                self._known[content] = extracted
                self._used += _size(extracted)
            while self._used > self._memory and self._known:
                self._used -= _size(self._known.popitem(last=False)[1])


def _told(read: ReadText, why: str = "") -> ReadText:
    """What was read, with what should be said of it; ``why`` its pages that are pictures were not read."""
    extracted = read.extracted
    said = list(extracted.notices)
    if extracted.pages:
        are, were = ("are pictures", "were") if len(extracted.pages) > 1 else ("is a picture", "was")
        said.append(f"{pages_shown(extracted.pages)} {are} and {were} not read{why}")
    if extracted.pictures:
        many = f"{extracted.pictures:,} pictures in it were" if extracted.pictures > 1 else "a picture in it was"
        said.append(f"{many} not read")
    return replace(read, notices=tuple(said))


def reader_of(kind: DocumentKind) -> str:
    """Name and version of the reader of a kind, as evidence and citations record it: ``"pdf/1+pdfium.7543"``."""
    return f"{kind.name}/{reader_version(kind)}"


def recognised(reader: str) -> bool:
    """Whether a program recognised the text that a reader's name stands for."""
    return reader.startswith(_RECOGNISED)


@cache
def extractions() -> Extractions:
    """Those of this process: one process reads documents for all of it, and ends with it."""
    from lens_lsp.documents.extractor import Extractor

    extractor = Extractor()
    atexit.register(extractor.close)
    return Extractions(extractor)


def use_for_documents(options: DocumentOptions, roots: Sequence[str]) -> str | None:
    """What the user chose holds in this process from now on; ``roots`` are the folders that are searched.

    Tells what is not as it was chosen.
    """
    # Whoever chose nothing and has no documents should not pay for what reads them.
    if options == DocumentOptions() and not extractions.cache_info().currsize:
        return None
    return extractions().use(options, roots)


def _size(extracted: Extracted) -> int:
    structure = extracted.structure
    items = len(structure.blocks) + len(structure.headings) + len(extracted.locators.starts)
    return sys.getsizeof(extracted.text) + _PER_ITEM * items
