"""Texts of documents that are no text files (PDF, Office, e-books, mail), by the content of the file.

Reading a document costs a thousand times what reading a text file does. So what came of one is kept in memory, up to a
bound, by the hash of its bytes, and in the store of the user (`document_store`) from one start to the next. What is
private is kept in memory alone.

The `DocumentQueue` says which documents a question should have read first. Names cost nothing, titles and outlines next
to nothing, texts cost seconds: so the documents that are called like the question, or say that they are about it, come
first, among them those of late. Where nothing tells, the small ones do: most of them are read in the same time.
"""

from __future__ import annotations

import atexit
import hashlib
import math
import os
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lens_lsp.corpus.safe_open import Identity, Key, Skipped
from lens_lsp.documents.frames import MOST_LETTERS, MOST_PLACES, joined
from lens_lsp.documents.kinds import (
    INSTALL,
    INSTALL_OCR,
    MOST_AT_ONCE,
    SAVED_AS,
    SCAN,
    UNLOCKING,
    DocumentKind,
    Extracted,
    Failure,
    ScannedPage,
    StoredText,
    Unextracted,
    installed,
    kind_for,
    missing,
    pages_shown,
    read_pictures,
    reader_version,
)
from lens_lsp.model.documents import Skip, SkipReason
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.words import STOP_WORDS, bigrams, key, runs, stem

if TYPE_CHECKING:
    from lens_lsp.corpus.document_store import DocumentStore
    from lens_lsp.documents.extractor import Extractor
    from lens_lsp.documents.recognition import Recognition
    from lens_lsp.model.marks import Privacy


LARGEST = 64 << 20
"""Bytes of a document that is read."""
LONGEST = 20.0
"""Seconds that one document may take, or one part of a long one."""
PATIENT = 120.0
"""The same where everything is read and nobody waits for an answer."""
OCR_ON, OCR_OFF = "on", "off"
"""Values of ``documents.ocr`` beside languages of tesseract; unset it is on where ``lens-lsp[ocr]`` is installed."""
PASSWORDS = "LENS_DOCUMENT_PASSWORDS"
"""The variable of the environment that holds passwords, one a line."""
_OFFICE = frozenset({"docx", "pptx", "sheet"})
_COST = "about 6 seconds a page, and 0.8 GB of memory meanwhile"
NO_MODELS = f"scans are not recognised: {INSTALL_OCR}"
NO_PROGRAM = "scans are not recognised: tesseract is in no folder of your PATH; install tesseract-ocr"
_RECOGNISED = "pdf-ocr/"
_NOT_INSTALLED = f": {INSTALL_OCR}"
_TURNED_OFF = ": documents.ocr is off"
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
AGAIN = frozenset({SkipReason.TIMED_OUT, SkipReason.DIED})
"""Why a document was not read that may be read yet, with more time or memory."""
_Content = tuple[str, str]
_FOLDER = 0.5
"""What a word of a folder's name counts beside one of the document's own."""
_SAID = 0.75
"""What a word of its title or outline counts."""
_GLANCED = 4 << 20
"""Bytes of a document that is glanced at, and of those that are at once."""
_PAGE_SECONDS = 30.0
_NAMED = 3
"""Documents that are named of those that are too large."""
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """What the user chose for documents: that their texts are kept on disk; how text on pictures of pages is
    recognised: ``"on"``, ``"off"``, or the languages for tesseract, ``"deu+eng"``; passwords to open them with."""

    stored: bool = True
    ocr: str | None = None
    passwords: tuple[str, ...] = field(default=(), repr=False)


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

    def __init__(self, extractor: Extractor | None = None, *, memory: int = _MEMORY) -> None:
        self._own = extractor
        self._memory = memory
        self._used = 0
        self._known: OrderedDict[_Content, Extracted] = OrderedDict()
        self._failed: OrderedDict[_Content, SkipReason] = OrderedDict()
        self._turn = threading.Lock()
        self._roots: Sequence[str] | None = None
        """The folders that are searched, until the store was looked for."""
        self._disk: DocumentStore | None = None
        self._made: DocumentStore | None = None
        self._notices: list[str] = []
        self._said: set[str] = set()
        self._ocr: str | None = OCR_OFF
        self._ocr_roots: Sequence[str] | None = None
        """The same, until who recognises was looked for."""
        self._recogniser: Recognition | None = None
        self._passwords: Sequence[str] = ()
        self.longest = LONGEST
        """Seconds that one document may take, or one part of a long one."""

    def use(self, options: DocumentOptions, roots: Sequence[str]) -> str | None:
        """What holds from now on; ``roots`` are the folders that are searched. Tells what is not as it was chosen."""
        self._roots, self._disk = (roots if options.stored else None), None
        self._ocr, self._ocr_roots = options.ocr, roots
        if options.passwords != self._passwords:
            self._passwords = options.passwords
            with self._turn:
                for content in [each for each, why in self._failed.items() if why is SkipReason.ENCRYPTED]:
                    del self._failed[content]
            if self._own is not None:
                self._own.passwords = self._passwords
        asked = options.ocr not in (None, OCR_OFF)
        read_pictures(on=asked and self._recognition is not None)
        if not asked or self._recognition is not None:
            return None
        return NO_MODELS if options.ocr == OCR_ON else NO_PROGRAM

    @property
    def _recognition(self) -> Recognition | None:
        """Who recognises, chosen when that is first needed."""
        if self._ocr_roots is not None:
            roots, self._ocr_roots = self._ocr_roots, None
            self._recognise_by(roots)
        return self._recogniser

    @property
    def _extractor(self) -> Extractor:
        """Made when it is first needed: who has no documents should not pay for what reads them."""
        if self._own is None:
            from lens_lsp.documents.extractor import Extractor

            self._own = Extractor()
            self._own.passwords = self._passwords
            atexit.register(self._own.close)
        return self._own

    @property
    def _store(self) -> DocumentStore | None:
        """Made when it is first needed. None where nothing is to be kept, and where its folder is searched."""
        if self._roots is not None:
            folder, roots = cache_folder(), self._roots
            self._roots, self._disk = None, None
            if not lies_outside(folder, roots):
                self._note(f"texts of documents are not kept: {folder} is searched")
            elif self._made is None or self._made.folder != folder:
                from lens_lsp.corpus.document_store import DocumentStore

                self._made = self._disk = DocumentStore(folder, self._note)
            else:
                self._disk = self._made
        return self._disk

    def _note(self, said: str) -> None:
        if said not in self._said:
            self._said.add(said)
            self._notices.append(said)

    def locked(self, paths: Sequence[str]) -> str:
        """What can be done about documents that need a password."""
        need = f"{_some(len(paths))} not read: {'it opens' if len(paths) == 1 else 'they open'} with a password"
        if not self._passwords:
            return f"{need}; write it into documents.passwords of your own settings, or {PASSWORDS}"
        office = any((kind := kind_for(path)) is not None and kind.name in _OFFICE for path in paths)
        if office and not installed(UNLOCKING):
            return f"{need}; for Office files pip install {UNLOCKING.distribution}"
        return f"{need}, and none that you gave fits: see documents.passwords and {PASSWORDS}"

    def notices(self) -> Sequence[str]:
        """What is to be said of the store since this was asked last."""
        with self._turn:
            told, self._notices = self._notices, []
            return told

    def flush(self) -> None:
        """Write to the store what is held for it."""
        if self._disk is not None:
            self._disk.flush()

    def _recognise_by(self, roots: Sequence[str]) -> None:
        """Choose who reads scans: the models where they are installed, tesseract where languages of it are named."""
        from lens_lsp.documents.recognition import ModelRecognition, Tesseract, tesseract

        ocr = self._ocr
        if ocr == OCR_OFF:
            self._recogniser = None
        elif ocr in (None, OCR_ON):
            if not isinstance(self._recogniser, ModelRecognition):
                self._recogniser = None if missing(SCAN) else ModelRecognition(self._extractor)
        else:
            program = tesseract(os.environ.get("PATH", ""), roots)
            known = self._recogniser
            if isinstance(known, Tesseract) and (known.program, known.languages) == (program, ocr):
                return  # its version is known
            data = os.environ.get("TESSDATA_PREFIX")
            self._recogniser = None if program is None else Tesseract(program, ocr, self._extractor, data)

    def stored(self, kind: DocumentKind, identity: Identity) -> StoredText | None:
        """What the store holds of a document that is identified so; None where it must be read.

        Raises `Skipped` for one that has no text.
        """
        store = self._store
        digest = None if store is None or reader_version(kind) is None else store.sha256(identity)
        if store is None or digest is None:
            return None
        found = store.text(reader_of(kind), digest)
        if found is Failure.ENCRYPTED and self._passwords:
            return None
        bare = found is Failure.EMPTY or (isinstance(found, StoredText) and found.gist.bare)
        recognition = self._recognition if bare and kind.pictures else None
        if recognition is not None:
            known = None if recognition.reader is None else store.text(recognition.reader, digest)
            if isinstance(known, StoredText):
                return known
            if found is Failure.EMPTY:
                found = known
        if isinstance(found, Failure):
            raise Skipped(_REASONS[found])
        if found is None:
            return None
        return replace(found, waiting=recognition is not None)

    def of(
        self,
        kind: DocumentKind,
        data: bytes,
        *,
        identity: Identity | None = None,
        cancelled: Callable[[], bool] | None = None,
        pictures: Pictures = Pictures.KNOWN,
        further: Callable[[], bool] | None = None,
    ) -> ReadText:
        """The text of a document. Raises `Skipped` with the reason, ``NOT_READ`` when it was ``cancelled``.

        ``further`` is asked before each part of a long document behind those that are known: without it all are read.
        ``pictures`` says what happens to pages that are pictures; a document of nothing else raises ``NOT_READ`` until
        it was recognised. ``identity`` is of the file that the data are of, if it can be trusted later on.
        """
        if reader_version(kind) is None:
            raise Skipped(SkipReason.NO_READER)
        digest, stopped = hashlib.sha256(data).hexdigest(), cancelled or (lambda: False)
        if identity is not None and self._store is not None:
            self._store.identify(identity, digest)
        try:
            plain = ReadText(self._plain(kind, digest, data, stopped, further), reader_of(kind))
        except Skipped as skipped:
            scan = kind.pictures and skipped.reason is SkipReason.NO_TEXT
            scanner = self._recognition if scan else None
            reader = None if scanner is None else scanner.reader
            if scanner is None or reader is None:
                raise
            read = self._recognising(scanner, reader, data, digest, stopped, pictures)
            return _told(self._known_or(reader, digest, read))
        recognition = self._recognition if kind.pictures and plain.extracted.pages else None
        if recognition is None:
            return _told(plain, _TURNED_OFF if self._ocr == OCR_OFF else _NOT_INSTALLED)
        return self._with_pictures(plain, recognition, digest, data, stopped, pictures)

    def forget_failures(self, kind: DocumentKind, data: bytes) -> None:
        """Have a document read again that took too long, or ended its reader; its pictures, too."""
        digest, recognition = hashlib.sha256(data).hexdigest(), self._recognition if kind.pictures else None
        for reader in (reader_of(kind), None if recognition is None else recognition.reader):
            if reader is not None:
                with self._turn:
                    self._failed.pop((reader, digest), None)
                if self._store is not None:
                    self._store.drop(reader, digest)

    def _plain(
        self,
        kind: DocumentKind,
        digest: str,
        data: bytes,
        stopped: Callable[[], bool],
        further: Callable[[], bool] | None,
    ) -> Extracted:
        """A document without what is recognised, as far as it is known or read now. Raises `Skipped`."""
        content = (reader_of(kind), digest)
        known = self._recalled(content)
        while known is None or (known.left and (further is None or further())):
            first = 0 if known is None else known.read

            def read(first: int = first) -> Extracted:
                return self._extractor.extract(kind, data, first=first, seconds=self.longest, cancelled=stopped)

            try:
                part = self._read(content, read, whole=known is None)
            except Skipped as skipped:
                if known is None:
                    raise
                if skipped.reason is SkipReason.NOT_READ:
                    break
                part = _unreadable(kind, known, skipped.reason)
            whole = part if known is None else joined([known, part])
            if part.left and _is_full(whole):
                notice = f"only the first {part.read:,} of {part.read + part.left:,} pages were read"
                part = replace(part, left=0, notices=(*part.notices, notice))
                whole = part if known is None else joined([known, part])
            known = whole
            self._put(content, part, whole, first)
        if not known.left and not known.text.strip():
            self._fail(content, Failure.EMPTY)
            raise Skipped(SkipReason.NO_TEXT)
        return known

    def recognised_page(self, data: bytes, page: int) -> ScannedPage | None:
        """What stands on a picture of a page, from 1, of a PDF, with its lines; None where nobody tells."""
        from lens_lsp.documents.extractor import Cancelled

        if self._recognition is not None and self._recognition.reader is not None:
            with suppress(Unextracted, Cancelled):
                digest = hashlib.sha256(data).hexdigest()
                kept = self._pages(self._recognition.reader, digest)
                known = None if kept is None else kept.page(page)
                found, _ = known or self._recognition.page(data, digest, page, _PAGE_SECONDS, lambda: False)
                return found if isinstance(found, ScannedPage) else None
        return None

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
        if reader is None or pictures is Pictures.LEFT or plain.extracted.left:
            return _told(plain)

        read = self._recognising(recognition, reader, data, digest, stopped, pictures, plain.extracted.pages)
        try:
            return _told(self._known_or(reader, digest, read))
        except Skipped as skipped:
            if skipped.reason is SkipReason.NOT_READ:
                return _told(replace(plain, waiting=True), _NOT_YET)
            return _told(plain, _IN_VAIN)

    def _recognising(
        self,
        recognition: Recognition,
        reader: str,
        data: bytes,
        digest: str,
        stopped: Callable[[], bool],
        pictures: Pictures,
        pages: Sequence[int] = (),
    ) -> Callable[[], Extracted]:
        """What has pages recognised, all of them without any; only what is known is taken where nobody waits."""

        def recognise() -> Extracted:
            if pictures is Pictures.KNOWN:
                raise Skipped(SkipReason.NOT_READ)
            return recognition.text(data, digest, stopped, pages, self._pages(reader, digest))

        return recognise

    def _pages(self, reader: str, digest: str) -> _StoredPages | None:
        """Where the pages of a content that were recognised are kept; None where nothing is."""
        return None if self._store is None else _StoredPages(self._store, reader, digest)

    def _known_or(self, reader: str, digest: str, read: Callable[[], Extracted]) -> ReadText:
        """What a reader makes of a content: as it is known, else as it is read now. Raises `Skipped`."""
        content = (reader, digest)
        known = self._recalled(content)
        if known is None:
            known = self._read(content, read)
            self._put(content, known, known, 0)
        return ReadText(known, reader)

    def _recalled(self, content: _Content) -> Extracted | None:
        """What is known of a content. Raises `Skipped` for one that has no text."""
        with self._turn:
            if content in self._failed:
                raise Skipped(self._failed[content])
            known = self._known.get(content)
            if known is not None:
                self._known.move_to_end(content)
        if known is not None and not known.left:
            return known
        kept = None if self._store is None else self._store.extracted(*content)
        if kept is Failure.ENCRYPTED and self._passwords:
            kept = None
        if isinstance(kept, Failure):
            raise Skipped(_REASONS[kept])
        if kept is None or (known is not None and known.read >= kept.read):
            return known
        self._keep(content, kept)  # another process may have read further
        return kept

    def _put(self, content: _Content, part: Extracted, whole: Extracted, first: int) -> None:
        """Keep what was read; on the disk the part alone, and nothing of what is private or has a password."""
        self._keep(content, whole)
        if self._store is not None:
            if _may_be_stored(whole):
                self._store.put(*content, part, first)
            elif first:
                self._store.drop(*content)
            elif recognised(content[0]):
                self._store.drop_pages(*content)

    def _read(self, content: _Content, read: Callable[[], Extracted], *, whole: bool = True) -> Extracted:
        from lens_lsp.documents.extractor import Cancelled  # most questions meet no document

        try:
            return read()
        except Cancelled as stopped:
            raise Skipped(SkipReason.NOT_READ) from stopped
        except Unextracted as failed:
            if whole:
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
        if self._store is not None:
            self._store.put_failure(*content, failure)

    def _keep(self, content: _Content, extracted: Extracted) -> None:
        with self._turn:
            if content in self._known:
                self._used -= _size(self._known.pop(content))
            self._known[content] = extracted
            self._used += _size(extracted)
            while self._used > self._memory and self._known:
                self._used -= _size(self._known.popitem(last=False)[1])


class _StoredPages:
    """The pages of one content in the store, as they are recognised, unless it turns out to be private."""

    def __init__(self, store: DocumentStore, reader: str, digest: str) -> None:
        self._store = store
        self._content = (reader, digest)
        self._checked = 0
        self._private = False

    def page(self, number: int) -> tuple[str | ScannedPage, int] | None:
        """As `KeptPages.page`."""
        return self._store.page(*self._content, number)

    def put(self, number: int, page: str | ScannedPage, count: int, whole: Callable[[], Extracted]) -> None:
        """As `KeptPages.put`. The text so far is looked at whenever it has become twice as long."""
        if self._private:
            return
        if self._checked & (self._checked + 1) == 0:
            try:
                self._private = not _may_be_stored(whole())
            except Unextracted:  # nothing in it is text yet
                return
        self._checked += 1
        if self._private:
            self._store.drop_pages(*self._content)
        else:
            self._store.put_page(*self._content, number, page, count)


def _unreadable(kind: DocumentKind, known: Extracted, reason: SkipReason) -> Extracted:
    """The next part of a document, which cannot be read: the pages behind it may be."""
    total = known.read + known.left
    read = min(known.read + kind.part, total)
    pages = pages_shown(range(known.read + 1, read + 1))
    return Extracted("", notices=(f"{pages} could not be read ({reason.value})",), read=read, left=total - read)


def _is_full(extracted: Extracted) -> bool:
    """Whether a document has as much text, or as many places, as one may have."""
    places = max(len(extracted.structure.blocks), len(extracted.locators.starts))
    return len(extracted.text) >= MOST_LETTERS or places >= MOST_PLACES


def _may_be_stored(extracted: Extracted) -> bool:
    return not extracted.unlocked and privacy_in(extracted) is None


def privacy_in(extracted: Extracted) -> Privacy | None:
    """How a document's metadata or its first lines say that it is private, None where they do not."""
    from lens_lsp.corpus.text_marks import privacy_of
    from lens_lsp.model.marks import privacy

    return privacy_of("plain", extracted.text) if extracted.private is None else privacy(extracted.private)


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
    made = Extractions()
    made.use(DocumentOptions(stored=False), ())
    return made


def recognised_page(data: bytes, page: int) -> ScannedPage | None:
    """As `Extractions.recognised_page`, by those of this process."""
    return extractions().recognised_page(data, page)


@dataclass(frozen=True, slots=True)
class RecognitionState:
    """Whether text on scans is recognised, by whom, and what it would take."""

    state: Literal["off", "off-not-installed", "not-installed", "on", "no-program", "program"]
    by: str
    """The reader, the program, or the command that installs what is missing."""

    @property
    def on(self) -> bool:
        """Whether it is recognised."""
        return self.state in ("on", "program")

    @property
    def words(self) -> str:
        """For the command line."""
        match self.state:
            case "off" | "off-not-installed":
                here = f"lens-lsp[ocr] is {'installed' if self.state == 'off' else 'not installed'}"
                return f"off ({here}; on, a scan takes {_COST})"
            case "not-installed":
                return f"not installed: {self.by} (a scan then takes {_COST})"
            case "on":
                return f"on ({self.by}; {_COST})"
            case "no-program":
                return NO_PROGRAM
            case "program":
                return self.by


def recognition_state(options: DocumentOptions, path: str, roots: Sequence[str]) -> RecognitionState:
    """Whether scans are recognised; programs are looked for in the folders of ``path``, and not below ``roots``."""
    from lens_lsp.documents.recognition import tesseract

    ocr = options.ocr or OCR_ON
    lacking = bool(missing(SCAN))
    if ocr == OCR_OFF:
        return RecognitionState("off-not-installed" if lacking else "off", INSTALL_OCR)
    if ocr == OCR_ON:
        return (
            RecognitionState("not-installed", INSTALL_OCR)
            if lacking
            else RecognitionState("on", str(reader_version(SCAN)))
        )
    program = tesseract(path, roots)
    return (
        RecognitionState("no-program", "tesseract")
        if program is None
        else RecognitionState("program", f"{program} ({ocr})")
    )


def use_for_documents(options: DocumentOptions, roots: Sequence[str]) -> str | None:
    """What the user chose holds in this process from now on; ``roots`` are the folders that are searched.

    Tells what is not as it was chosen.
    """
    return extractions().use(options, roots)


def _size(extracted: Extracted) -> int:
    structure = extracted.structure
    items = len(structure.blocks) + len(structure.headings) + len(extracted.locators.starts)
    return sys.getsizeof(extracted.text) + _PER_ITEM * items


def cache_folder() -> Path:
    """Where the texts of documents are kept, made or not."""
    from platformdirs import user_cache_path

    return user_cache_path("lens-lsp") / "documents"


def lies_outside(folder: Path, roots: Sequence[str]) -> bool:
    """Whether a folder is below none of some roots, wherever links lead."""
    real = Path(os.path.realpath(folder))
    return not any(real.is_relative_to(os.path.realpath(root)) for root in roots)


@dataclass(frozen=True, slots=True)
class _Name:
    """The stems of a document's name, of its folders, and what identifies its content."""

    own: frozenset[str]
    folders: frozenset[str]
    identity: Identity
    said: frozenset[str] | None = None
    """Those of what it says of itself; None until somebody looked."""

    def mass(self, worth: Mapping[str, float]) -> float:
        """How much of what is wanted it is about: each word once, where it counts most."""
        # Sums over sets are exact: their order differs between runs.
        return math.fsum(
            value * (1.0 if word in self.own else _SAID if word in (self.said or _NOTHING) else _FOLDER)
            for word, value in worth.items()
            if word in self.own or word in self.folders or word in (self.said or _NOTHING)
        )


class DocumentQueue:
    """Documents by root and path. No disk."""

    def __init__(self) -> None:
        self._names: dict[Key, _Name] = {}

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[Key]:
        return iter(self._names)

    def add(self, key: Key, identity: Identity) -> None:
        """A document is there and was not read."""
        folders, _, name = key[1].rpartition("/")
        own = frozenset(_stems(name.rpartition(".")[0]))
        self._names[key] = _Name(own, frozenset(_stems(folders)) - own, identity)

    def discard(self, key: Key) -> None:
        """It was read, or is gone."""
        self._names.pop(key, None)

    def called(self, name: str) -> list[Key]:
        """Those whose own name stands in a text as a whole, by root and path."""
        words = frozenset(_stems(name))
        return sorted(known for known, its in self._names.items() if its.own and its.own <= words)

    def order(self, question: str) -> list[Key]:
        """All of them, the one to read first in front; equal ones by root and path."""
        wanted = _wanted(question)
        holders = Counter(
            word
            for name in self._names.values()
            for word in wanted & (name.own | name.folders | (name.said or _NOTHING))
        )
        worth = {word: math.log1p(len(self._names) / count) for word, count in holders.items()}

        def rank(known: Key) -> tuple[float, int, int, Key]:
            name = self._names[known]
            mass = name.mass(worth)
            size, modified = name.identity[:2]
            return (-mass, -modified, size, known) if mass else (0.0, size, -modified, known)

        return sorted(self._names, key=rank)

    def to_glance(self, question: str) -> Iterator[tuple[DocumentKind, Sequence[Key]]]:
        """Those that nobody has glanced at, in the same order and some of a kind at a time.

        None where a name already holds all of the question.
        """
        wanted = _wanted(question)
        if any(wanted <= name.own for name in self._names.values()):
            return
        batches: dict[DocumentKind, list[Key]] = {}
        sizes: Counter[DocumentKind] = Counter()
        for known in self.order(question):
            name, kind = self._names[known], kind_for(known[1])
            if name.said is not None or kind is None or not kind.glances or name.identity[0] > _GLANCED:
                continue
            batch = batches.setdefault(kind, [])
            batch.append(known)
            sizes[kind] += name.identity[0]
            if len(batch) == MOST_AT_ONCE or sizes[kind] > _GLANCED:
                yield kind, batches.pop(kind)
                sizes[kind] = 0
        yield from batches.items()

    def glanced(self, known: Key, said: str) -> None:
        """A document says this of itself."""
        self._names[known] = replace(self._names[known], said=frozenset(_stems(said)))


def notices(skips: Iterable[Skip]) -> list[str]:
    """What a user should be told of documents that were not read, a sentence for each thing that can be done, and of
    the store since this was asked last."""
    skips = list(skips)
    found = Counter(skip.reason for skip in skips)
    told = []
    unread = Counter(skip.path.rpartition(".")[2].lower() for skip in skips if skip.reason is SkipReason.UNSUPPORTED)
    for suffix, saved in SAVED_AS.items():
        if count := unread[suffix]:
            naming, which = ("file was", "it") if count == 1 else ("files were", "them")
            saving = f"save {which} as .{saved} (`soffice --convert-to {saved} FILE`)"
            told.append(f"{count:,} .{suffix} {naming} not read: {saving}")
    if missing := found[SkipReason.NO_READER]:
        told.append(f"{_some(missing)} not read: {INSTALL}")
    large = {skip: kind for skip in skips if skip.reason is SkipReason.TOO_LARGE and (kind := kind_for(skip.path))}
    if large:
        which = "it" if len(large) == 1 else "each"
        most = f"more than {LARGEST >> 20} MiB, or more text than one may have"
        named = [f"{skip.path} ({kind.name}, {skip.size / 2**20:,.1f} MiB)" for skip, kind in large.items()]
        more = f" and {len(large) - _NAMED:,} more" if len(large) > _NAMED else ""
        advice = f"split {which}, a mailbox by its folders or years"
        told.append(f"{_some(len(large))} not read ({most}): {', '.join(named[:_NAMED])}{more}; {advice}")
    if locked := [skip.path for skip in skips if skip.reason is SkipReason.ENCRYPTED]:
        told.append(extractions().locked(locked))
    if late := found[SkipReason.NOT_READ]:
        which, naming = ("it", "it as a path") if late == 1 else ("them all", "them as paths")
        told.append(f"{_some(late)} not read within the time: `lens read` reads {which}; or name {naming}")
    return [*told, *extractions().notices()]


def _wanted(question: str) -> frozenset[str]:
    return frozenset(_stems(question)) - STOP_WORDS


def _some(count: int) -> str:
    return f"{count:,} document was" if count == 1 else f"{count:,} documents were"


def _stems(text: str) -> Sequence[str]:
    folded = key(text)
    if folded.isascii():
        words = folded.split(" ")
    else:
        words = [part for run in runs(folded) for part in ([run.text] if run.spaced else bigrams(run.text))]
    return [stem(word) for word in words if word and word not in STOP_WORDS]
