"""Texts of documents that are no text files (PDF, Office, e-books, mail), by the content of the file.

Reading a document costs a thousand times what reading a text file does. So what came of one is kept in memory, up to a
bound, by the hash of its bytes; and on disk, from one start to the next, for users who asked for it: each text is a
file of its own in the user's cache folder, found by the hash of the document's bytes and the version of its reader and
by nothing else. What is damaged there is removed and read anew. Nothing is kept below a folder that is searched.

The `DocumentQueue` says which documents a question should have read first. Names cost nothing, titles and outlines next
to nothing, texts cost seconds: so the documents that are called like the question, or say that they are about it, come
first, among them those of late. Where nothing tells, the small ones do: most of them are read in the same time.
"""

from __future__ import annotations

import atexit
import hashlib
import io
import math
import os
import stat
import sys
import threading
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.corpus.safe_open import Identity, Key, Skipped
from lens_lsp.disk import PART, replace_whole
from lens_lsp.documents.frames import MOST_HEAD, MOST_TEXT, Damaged, extracted_from, receive, result_of, send
from lens_lsp.documents.kinds import (
    INSTALL,
    INSTALL_OCR,
    MOST_AT_ONCE,
    SAVED_AS,
    SCAN,
    DocumentKind,
    Extracted,
    Failure,
    ScannedPage,
    Unextracted,
    kind_for,
    missing,
    pages_shown,
    reader_version,
)
from lens_lsp.model.documents import Skip, SkipReason
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.words import STOP_WORDS, bigrams, key, runs, stem

if TYPE_CHECKING:
    from lens_lsp.documents.extractor import Extractor
    from lens_lsp.documents.recognition import Recognition


LARGEST = 64 << 20
"""Bytes of a document that is read."""
LONGEST = 20.0
"""Seconds that one document may take."""
OCR_ON, OCR_OFF = "on", "off"
"""Values of ``documents.ocr`` beside languages of tesseract; unset it is on where ``lens-lsp[ocr]`` is installed."""
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
_Content = tuple[str, str]
MOST = 512 << 20
"""Bytes of all files together, about: those used longest ago go first."""
_MAGIC = b"lens.extraction/2\n"
_SUFFIX = ".extraction"
_LEFT = 0.9
"""Share of the bound that is left when files go."""
_DIGEST = hashlib.sha256().digest_size
_LARGEST = MOST_HEAD + MOST_TEXT + (1 << 10)
_FOLDER = 0.5
"""What a word of a folder's name counts beside one of the document's own."""
_SAID = 0.75
"""What a word of its title or outline counts."""
_GLANCED = 4 << 20
"""Bytes of a document that is glanced at, and of those that are at once."""
_PAGE_SECONDS = 30.0
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """What the user chose for documents: that their texts are kept on disk; how text on pictures of pages is
    recognised: ``"on"``, ``"off"``, or the languages for tesseract, ``"deu+eng"``."""

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
        self._disk: ExtractionCache | None = None
        self._ocr: str | None = OCR_OFF
        self._recognition: Recognition | None = None

    def use(self, options: DocumentOptions, roots: Sequence[str]) -> str | None:
        """What holds from now on; ``roots`` are the folders that are searched. Tells what is not as it was chosen."""
        folder = cache_folder()
        self._disk = ExtractionCache(folder) if options.cached and lies_outside(folder, roots) else None
        self._recognise_by(options.ocr, roots)
        wanting = []
        if options.cached and self._disk is None:
            wanting.append(f"texts of documents are not kept: {folder} is searched")
        if options.ocr not in (None, OCR_OFF) and self._recognition is None:
            wanting.append(NO_MODELS if options.ocr == OCR_ON else NO_PROGRAM)
        return "; ".join(wanting) or None

    def _recognise_by(self, ocr: str | None, roots: Sequence[str]) -> None:
        """Choose who reads scans: the models where they are installed, tesseract where languages of it are named."""
        from lens_lsp.documents.recognition import ModelRecognition, Tesseract, tesseract

        self._ocr = ocr
        if ocr == OCR_OFF:
            self._recognition = None
        elif ocr in (None, OCR_ON):
            if not isinstance(self._recognition, ModelRecognition):
                self._recognition = None if missing(SCAN) else ModelRecognition(self._extractor)
        else:
            program = tesseract(os.environ.get("PATH", ""), roots)
            known = self._recognition
            if isinstance(known, Tesseract) and (known.program, known.languages) == (program, ocr):
                return  # its version is known
            data = os.environ.get("TESSDATA_PREFIX")
            self._recognition = None if program is None else Tesseract(program, ocr, self._extractor, data)

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
            return _told(plain, _TURNED_OFF if self._ocr == OCR_OFF else _NOT_INSTALLED)
        return self._with_pictures(plain, recognition, digest, data, stopped, pictures)

    def recognised_page(self, data: bytes, page: int) -> ScannedPage | None:
        """What stands on a picture of a page, from 1, of a PDF, with its lines; None where nobody tells."""
        from lens_lsp.documents.extractor import Cancelled

        if self._recognition is not None and self._recognition.reader is not None:
            with suppress(Unextracted, Cancelled):
                found, _count = self._recognition.page(data, page, _PAGE_SECONDS, lambda: False)
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
    made = Extractions(extractor)
    made.use(DocumentOptions(), ())
    return made


def recognised_page(data: bytes, page: int) -> ScannedPage | None:
    """As `Extractions.recognised_page`, by those of this process."""
    return extractions().recognised_page(data, page)


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


def cache_folder() -> Path:
    """Where they are kept, made or not."""
    from platformdirs import user_cache_path

    return user_cache_path("lens-lsp") / "extractions"


def lies_outside(folder: Path, roots: Sequence[str]) -> bool:
    """Whether a folder is below none of some roots, wherever links lead."""
    real = Path(os.path.realpath(folder))
    return not any(real.is_relative_to(os.path.realpath(root)) for root in roots)


def kept_files(folder: Path) -> list[os.DirEntry[str]]:
    """The files of ours in a folder, parts that a killed process left among them. Raises OSError."""
    if not _usable(folder):
        return []
    with os.scandir(folder) as entries:
        return [
            entry for entry in entries if entry.name.endswith((_SUFFIX, PART)) and entry.is_file(follow_symlinks=False)
        ]


def remove_all(folder: Path) -> int:
    """Remove every file of ours, and the folder if nothing else is in it; how many there were. Raises OSError."""
    files = kept_files(folder)
    for file in files:
        Path(file.path).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
    return len(files)


class ExtractionCache:
    """The texts in a folder, at most ``most`` bytes. A folder that cannot be used keeps nothing and costs no text."""

    def __init__(self, folder: Path, *, most: int = MOST) -> None:
        self._folder = folder
        self._most = most
        self._used: int | None = None

    def get(self, reader: str, sha256: str) -> Extracted | None:
        """The text of a content by a reader, None if there is none."""
        path = self._path(reader, sha256)
        try:
            data = _read(path)
            os.utime(path)
        except OSError:
            return None
        try:
            return _opened(data, reader, sha256)
        except Damaged:
            with suppress(OSError):
                path.unlink()
            return None

    def put(self, reader: str, sha256: str, extracted: Extracted) -> None:
        """Keep a text, if that can be done."""
        with suppress(OSError, Unextracted):
            data = _closed(reader, sha256, extracted)
            _make(self._folder)
            replace_whole(self._path(reader, sha256), data)
            self._account(len(data))

    def _path(self, reader: str, sha256: str) -> Path:
        return self._folder / f"{hashlib.sha256(f'{reader} {sha256}'.encode()).hexdigest()}{_SUFFIX}"

    def _account(self, size: int) -> None:
        """Count what was written, and when it is too much, remove what was used longest ago."""
        if self._used is not None:
            self._used += size
        if self._used is None or self._used > self._most:
            files = kept_files(self._folder)
            found = sorted((entry.stat().st_mtime_ns, entry.stat().st_size, entry.path) for entry in files)
            self._used = sum(size for _, size, _ in found)
            if self._used > self._most:
                for _, size, path in found:
                    Path(path).unlink(missing_ok=True)
                    self._used -= size
                    if self._used <= _LEFT * self._most:
                        break


def _usable(folder: Path) -> bool:
    """Whether it is a folder, no link to one, and the user's own. Raises OSError for what is there and is not."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode) or (sys.platform != "win32" and found.st_uid != os.getuid()):
        raise PermissionError(f"{folder} is no folder of yours")
    return True


def _make(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    _usable(folder)


def _read(path: Path) -> bytes:
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
        return file.read(_LARGEST)


def _closed(reader: str, sha256: str, extracted: Extracted) -> bytes:
    head, text = result_of(extracted)
    frame = io.BytesIO()
    send(frame, {**head, "reader": reader, "sha256": sha256}, text)
    packed = zlib.compress(frame.getvalue(), 1)
    return _MAGIC + hashlib.sha256(packed).digest() + packed


def _opened(data: bytes, reader: str, sha256: str) -> Extracted:
    """What a file holds; raises `Damaged` unless it is whole and of this content and reader."""
    packed = data[len(_MAGIC) + _DIGEST :]
    if not data.startswith(_MAGIC) or data[len(_MAGIC) : len(_MAGIC) + _DIGEST] != hashlib.sha256(packed).digest():
        raise Damaged("not whole")
    try:
        frame = zlib.decompressobj().decompress(packed, _LARGEST)
    except zlib.error as error:
        raise Damaged("not packed") from error
    head, text = receive(io.BytesIO(frame), MOST_TEXT)
    if (head.get("reader"), head.get("sha256")) != (reader, sha256):
        raise Damaged("of another document")
    return extracted_from(head, text)


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
    """What a user should be told of documents that were not read, a sentence for each thing that can be done."""
    skips = list(skips)
    found = Counter(skip.reason for skip in skips)
    told = []
    unread = Counter(skip.path.rpartition(".")[2].lower() for skip in skips if skip.reason is SkipReason.UNSUPPORTED)
    for suffix, saved in SAVED_AS.items():
        if count := unread[suffix]:
            naming = "file was" if count == 1 else "files were"
            told.append(f"{count:,} .{suffix} {naming} not read: save {'it' if count == 1 else 'them'} as .{saved}")
    if missing := found[SkipReason.NO_READER]:
        told.append(f"{_some(missing)} not read: {INSTALL}")
    if late := found[SkipReason.NOT_READ]:
        naming = "it as a path" if late == 1 else "them as paths"
        told.append(f"{_some(late)} not read within the time: ask again, or name {naming}")
    return told


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
