"""OCR: text on pictures of pages, read by the models of ``lens-lsp[ocr]`` in a worker, or by the user's ``tesseract``.

A worker draws the pages, and it puts the text together: this side never looks into a document. ``tesseract`` gets a
picture by a pipe and gives text by another. It is looked for in the absolute folders of the user's PATH, never below a
folder that is searched, and gives up files, network and memory before it starts, where the system lets it.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from lens_lsp.disk import program_outside
from lens_lsp.documents.extractor import Cancelled, Extractor, kill_group
from lens_lsp.documents.frames import recognised_to
from lens_lsp.documents.kinds import (
    SCAN,
    DocumentKind,
    Extracted,
    Failure,
    ScannedPage,
    Unextracted,
    kind_named,
    pages_shown,
    reader_version,
)
from lens_lsp.model.lazy_regex import regex

PAGE_SECONDS = 30.0
MOST_PAGES = 300
"""A longer document is not recognised by a program: half of it would be told as all."""
_MOST_SCANNED = 2000
"""The same for the models, which go on where they were stopped."""
_EDITION = 2
"""Goes up whenever our part gives another text for the same picture."""
_KIND = DocumentKind("pdf-ocr", (), "lens_lsp.documents.readers.pdf", "RecognisedReader")
_MOST_TEXT = 1 << 20
"""Bytes of one page's text."""
_MEMORY = 2 << 30
_MODEL_MEMORY = 2 << 30
"""Bytes of address space of the worker that the models run in; about 0.5 GB of it are used."""
_MODEL_SECONDS = 120.0
"""As long as the models may take for one page: five seconds on two processors that are idle."""
_IDLE = 30.0
"""Seconds after which a worker with models that nobody needs ends."""
_TICK = 0.02
_VERSION = regex(rb"tesseract v?(\d[\w.-]{0,30})")
_LAUNCH = """\
import json, os, sys
order = json.loads(sys.argv[1])
sys.path.append(order["code"])
from lens_lsp.documents.confinement import confine_program
confine_program(order["folders"], order["memory"])
os.execve(sys.argv[2], sys.argv[2:], order["environment"])
"""


def tesseract(path: str, roots: Sequence[str]) -> str | None:
    """Where the program is, by the folders of a PATH; never one that is below a folder that is searched."""
    found = program_outside("tesseract", path, roots)
    return None if found is None else os.path.realpath(found)


class KeptPages(Protocol):
    """The pages of one document that were recognised, from one start to the next."""

    def page(self, number: int) -> tuple[str | ScannedPage, int] | None:
        """What stands on a page, from 1, and how many there are; None where that is not known."""

    def put(self, number: int, page: str | ScannedPage, count: int, whole: Callable[[], Extracted]) -> None:
        """Keep a page; ``whole`` puts together what was read until now, and may raise what `Extractor.extract` does."""


class Recognition(ABC):
    """Recognises text on pages of PDF files. Safe for threads."""

    most = MOST_PAGES
    """Pages of one document."""
    seconds = math.inf
    """As long as the pages of one document may take together."""

    def __init__(self, extractor: Extractor) -> None:
        self.extractor = extractor
        """Draws pages, and puts the text together."""

    @property
    @abstractmethod
    def reader(self) -> str | None:
        """Name and version, as evidence records it; None when it cannot be used."""

    @abstractmethod
    def page(
        self, data: bytes, digest: str, number: int, seconds: float, cancelled: Callable[[], bool]
    ) -> tuple[str | ScannedPage, int]:
        """What stands on a page, from 1, and how many there are; ``digest`` is the SHA-256 of the document's ``data``.

        Raises `Unextracted` and `Cancelled`.
        """

    def text(
        self,
        data: bytes,
        digest: str,
        cancelled: Callable[[], bool],
        pages: Sequence[int] = (),
        kept: KeptPages | None = None,
    ) -> Extracted:
        """The text of a PDF with what is recognised on some ``pages``, from 1, without any on all of them.

        Pages that are ``kept`` are taken from there, and others put there as they come: what was stopped goes on. A
        page that cannot be read is left out and named. Raises `Unextracted` without a text, and `Cancelled`.
        """
        until = time.monotonic() + self.seconds
        found: dict[int, Any] = {}
        lost: list[int] = []

        def whole() -> Extracted:
            said = json.dumps(found).encode() + b"\n" + data
            return self.extractor.extract(_KIND, said, seconds=PAGE_SECONDS, cancelled=cancelled)

        wanted = list(pages) or [1]
        while wanted:
            number = wanted.pop(0)
            known = None if kept is None else kept.page(number)
            if known is None and time.monotonic() >= until:
                raise Unextracted(Failure.TIMED_OUT, f"not recognised in {self.seconds:g} s")
            try:
                page, count = known or self.page(data, digest, number, until - time.monotonic(), cancelled)
            except Unextracted:
                if not found:
                    raise
                lost.append(number)
                continue
            if not pages and not found:
                wanted = list(range(2, count + 1))
            if len(found) + 1 + len(wanted) > self.most:
                raise Unextracted(Failure.EMPTY, f"{len(wanted) + 1:,} pages are too many to be recognised")
            found[number] = recognised_to(page)
            if known is None and kept is not None:
                kept.put(number, page, count, whole)
        extracted = whole()
        if not lost:
            return extracted
        return replace(extracted, notices=(*extracted.notices, f"{pages_shown(lost)} could not be read"))


class ModelRecognition(Recognition):
    """By the models of ``rapidocr``, in a worker of their own, which has more memory and ends when it is idle.

    Pages that were read last are remembered by the hash of their document, whether others keep them or not.
    """

    most = _MOST_SCANNED

    def __init__(self, extractor: Extractor) -> None:
        super().__init__(extractor)
        self._models = Extractor(memory=_MODEL_MEMORY)
        self._known: OrderedDict[tuple[str, int], tuple[ScannedPage, int]] = OrderedDict()
        self._turn = threading.Lock()
        self._rest = threading.Timer(_IDLE, self._models.release)
        atexit.register(self._models.close)

    @cached_property
    def reader(self) -> str | None:
        """Name and version; None while ``lens-lsp[ocr]`` is not installed."""
        version = reader_version(SCAN)
        return None if version is None else f"{_KIND.name}/{_EDITION}+{version}"

    @property
    def kept(self) -> frozenset[str]:
        """What is kept from the worker: `Extractor.kept`."""
        return self._models.kept

    def page(
        self, data: bytes, digest: str, number: int, seconds: float, cancelled: Callable[[], bool]
    ) -> tuple[ScannedPage, int]:
        """As `Recognition.page`: the lines and their boxes."""
        with self._turn:
            known = self._known.get((digest, number))
        if known is not None:
            return known
        self._rest.cancel()
        self._models.passwords = self.extractor.passwords
        try:
            found = self._models.recognise(data, number - 1, seconds=min(seconds, _MODEL_SECONDS), cancelled=cancelled)
        finally:
            self._rest = threading.Timer(_IDLE, self._models.release)
            self._rest.daemon = True
            self._rest.start()
        with self._turn:
            self._known[digest, number] = found
            while len(self._known) > MOST_PAGES:
                self._known.popitem(last=False)
        return found


class Tesseract(Recognition):
    """By a program in some languages: ``"eng"`` or ``"deu+eng"``. ``data`` is the folder of its models, where the
    user's ``TESSDATA_PREFIX`` names one; ``page_seconds`` are as long as it may take for a page."""

    seconds = 300.0

    def __init__(
        self,
        program: str,
        languages: str,
        extractor: Extractor,
        data: str | None = None,
        page_seconds: float = PAGE_SECONDS,
    ) -> None:
        super().__init__(extractor)
        self.program = program
        self.languages = languages
        self.data = data
        self.page_seconds = page_seconds

    @cached_property
    def reader(self) -> str | None:
        """Name and version; None when the program does not say which one it is."""
        said = self._run(["--version"], b"", 10.0, lambda: False)
        found = None if said is None else _VERSION.search(said)
        if found is None:
            return None
        drawn = reader_version(kind_named("pdf"))
        return f"{_KIND.name}/{_EDITION}+{drawn}+tesseract.{found[1].decode('ascii')}+{self.languages}"

    def page(
        self, data: bytes, digest: str, number: int, seconds: float, cancelled: Callable[[], bool]
    ) -> tuple[str, int]:
        """As `Recognition.page`: the text alone."""
        picture, count = self.extractor.picture(kind_named("pdf"), data, number - 1, cancelled=cancelled)
        options = ["stdin", "stdout", "-l", self.languages]
        said = self._run(options, picture, min(self.page_seconds, seconds), cancelled)
        if said is None:
            raise Unextracted(Failure.EMPTY, f"{self.program} recognised nothing")
        return said.decode("utf-8", "replace"), count

    def _run(self, options: Sequence[str], given: bytes, seconds: float, cancelled: Callable[[], bool]) -> bytes | None:
        """What the program prints; None when it fails, takes too long or prints too much. Raises `Cancelled`."""
        try:
            process = self._started(options)
        except OSError:
            return None
        exchange = _ProgramExchange(process, given)
        until = time.monotonic() + seconds
        try:
            while not exchange.over.wait(_TICK):
                if cancelled():
                    raise Cancelled
                if time.monotonic() >= until:
                    return None
        finally:
            _end(process)
            exchange.close()
        return exchange.said if process.returncode == 0 and len(exchange.said) <= _MOST_TEXT else None

    def _started(self, options: Sequence[str]) -> subprocess.Popen[bytes]:
        environment = {"OMP_THREAD_LIMIT": "1"} | ({} if self.data is None else {"TESSDATA_PREFIX": self.data})
        command = [self.program, *options]
        if sys.platform == "win32":
            environment |= {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        else:
            beside = [os.path.dirname(os.path.dirname(self.program)), *([] if self.data is None else [self.data])]
            code = str(Path(__file__).resolve().parents[2])
            order = {"code": code, "folders": beside, "memory": _MEMORY, "environment": environment}
            command = [sys.executable, "-I", "-B", "-c", _LAUNCH, json.dumps(order), *command]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env=environment,
            start_new_session=True,
        )


class _ProgramExchange:
    """Writes the input of a program and reads its output, each on a thread: both may block until the program dies."""

    def __init__(self, process: subprocess.Popen[bytes], given: bytes) -> None:
        self.said = b""
        self.over = threading.Event()
        self._process = process
        self._threads = [
            threading.Thread(target=self._write, args=(given,), daemon=True),
            threading.Thread(target=self._read, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """After the program's end."""
        for thread in self._threads:
            thread.join()

    def _write(self, given: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(given)
        with suppress(OSError):
            self._process.stdin.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            self.said = pipe.read(_MOST_TEXT + 1)
        self.over.set()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let a program that has said all end, kill any other with what it started."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(1.0 if process.stdout is not None and process.stdout.closed else 0.0)
    kill_group(process)
