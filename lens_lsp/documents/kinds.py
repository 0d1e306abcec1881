"""The kinds of documents that can be read, by the ends of their names, and what must be installed for each.

Readers and their libraries are imported by the worker alone; what is asked here needs neither.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

INSTALL = "pip install 'lens-lsp[documents]'"
"""The command that brings every library of every kind."""

_READERS = "lens_lsp.documents.readers"


@dataclass(frozen=True, slots=True)
class Library:
    """What a reader needs: the distribution to install, the module it brings."""

    distribution: str
    module: str


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of document and who reads it."""

    name: str
    """Names the kind in evidence: ``"pdf"``."""
    suffixes: tuple[str, ...]
    """The ends of names, lower case, without the dot."""
    module: str
    """Where the reader's class is; only the worker imports it."""
    reader: str
    """The class: a `DocumentReader` made without arguments."""
    libraries: tuple[Library, ...] = ()
    edition: int = 1
    """Goes up whenever our part of the reading gives another text for the same bytes."""
    by_python: bool = False
    """Whether Python's own library does some of the reading, so that its version counts, too."""
    pictures: bool = False
    """Whether its reader is a `PicturingReader`."""
    glances: bool = False
    """Whether its reader is a `GlancingReader`: worth it where all of a document takes much longer."""


_CALAMINE = Library("python-calamine", "python_calamine")
_LXML = Library("lxml", "lxml")
_PDFIUM = Library("pypdfium2", "pypdfium2")
_STRIPRTF = Library("striprtf", "striprtf")

KINDS = (
    Kind("pdf", ("pdf",), f"{_READERS}.pdf", "PdfReader", (_PDFIUM,), pictures=True, glances=True),
    Kind("docx", ("docx", "docm", "dotx"), f"{_READERS}.docx", "DocxReader", (_LXML,)),
    Kind("pptx", ("pptx", "pptm"), f"{_READERS}.pptx", "PptxReader", (_LXML,)),
    Kind("sheet", ("xlsx", "xlsm", "xlsb", "xls", "ods"), f"{_READERS}.sheets", "SheetReader", (_CALAMINE, _LXML), 2),
    Kind("opendocument", ("odt", "ott", "odp"), f"{_READERS}.opendocument", "OpenDocumentReader", (_LXML,)),
    Kind("epub", ("epub",), f"{_READERS}.epub", "EpubReader", (_LXML,)),
    Kind("rtf", ("rtf",), f"{_READERS}.rtf", "RtfReader", (_STRIPRTF,)),
    Kind("eml", ("eml",), f"{_READERS}.mail", "MessageReader", (_LXML,), 2, by_python=True),
    Kind("mbox", ("mbox",), f"{_READERS}.mail", "MailboxReader", (_LXML,), by_python=True),
)
_BY_NAME = {kind.name: kind for kind in KINDS}
_BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}


def kind_for(name: str) -> Kind | None:
    """The kind of a file by the end of its name or path; None if it is none of ours."""
    return _BY_SUFFIX.get(name.rpartition(".")[2].lower()) if "." in name else None


def kind_named(name: str) -> Kind:
    """The kind that a reader's name in evidence is of; KeyError for none."""
    return _BY_NAME[name]


@cache
def reader_version(kind: Kind) -> str | None:
    """Of the reader and its libraries, ``"1+pypdfium2.5.15.2"``; None if one of them is missing.

    The same bytes give the same text as long as it stays the same. What was installed when it was first asked counts.
    """
    parts = [str(kind.edition)]
    for library in kind.libraries:
        version = _installed(library)
        if version is None:
            return None
        parts.append(f"{library.distribution}.{version}")
    if kind.by_python:
        parts.append(f"python.{sys.version_info.major}.{sys.version_info.minor}")
    return "+".join(parts)


def missing(kind: Kind) -> tuple[str, ...]:
    """The distributions that reading it needs and that are not installed."""
    return tuple(library.distribution for library in kind.libraries if _installed(library) is None)


@cache
def _installed(library: Library) -> str | None:
    """Its version, without importing it."""
    # Ten milliseconds, which nobody without documents should pay.
    from importlib.metadata import PackageNotFoundError, version

    if find_spec(library.module) is None:
        return None
    try:
        return version(library.distribution)
    except PackageNotFoundError:
        return None
