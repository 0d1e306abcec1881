"""Which documents can be read, told without importing what reads them."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import version

import pytest

from lens_lsp.documents.kinds import KINDS, DocumentKind, Library, kind_for, kind_named, missing, reader_version
from tests.availability import unavailable

LACKING = DocumentKind("x", ("x",), "x", "X", (Library("no-such-library", "no_such_library"),))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("report.pdf", "pdf"),
        ("Folder.docx/Report.PDF", "pdf"),
        ("a.b.docm", "docx"),
        ("deck.pptm", "pptx"),
        ("old.xls", "sheet"),
        ("table.ods", "sheet"),
        ("talk.odp", "opendocument"),
        ("Mail.EML", "eml"),
        ("archive.mbox", "mbox"),
        ("Meeting.msg", "msg"),
        ("book.epub", "epub"),
        ("letter.rtf", "rtf"),
    ],
)
def test_a_kind_is_known_by_the_end_of_a_name(name: str, kind: str) -> None:
    found = kind_for(name)
    assert found is not None
    assert found.name == kind
    assert kind_named(kind) is found


@pytest.mark.parametrize("name", ["pdf", "notes.md", "report.pdf.txt", "report.", "", "report.pdf/notes"])
def test_other_names_are_no_documents(name: str) -> None:
    assert kind_for(name) is None


def test_no_suffix_is_of_two_kinds() -> None:
    suffixes = [suffix for kind in KINDS for suffix in kind.suffixes]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_reader_of_a_kind_can_be_imported_and_made(kind: DocumentKind) -> None:
    if missing(kind):
        unavailable("documents", f"{missing(kind)} is not installed")
    reader = getattr(importlib.import_module(kind.module), kind.reader)()
    assert callable(reader.extract)
    assert callable(getattr(reader, "glance", None)) == kind.glances
    assert callable(getattr(reader, "picture", None)) == callable(getattr(reader, "view", None)) == kind.pictures


def test_the_version_names_each_library_as_installed() -> None:
    kind = kind_named("epub")
    if missing(kind):
        unavailable("documents", "lxml is not installed")
    assert reader_version(kind) == f"{kind.edition}+lxml.{version('lxml')}"


def test_the_version_of_what_holds_other_documents_counts_all_readers() -> None:
    kind = kind_named("eml")
    if any(map(missing, KINDS)):
        unavailable("documents", "not all libraries are installed")
    editions, *libraries, python = reader_version(kind).split("+")
    assert editions == f"{kind.edition}.{sum(each.edition for each in KINDS)}"
    assert {each.partition(".")[0] for each in libraries} == {"lxml", "pypdfium2", "python-calamine", "striprtf"}
    assert python == f"python.{sys.version_info.major}.{sys.version_info.minor}"


def test_without_its_library_a_kind_has_no_version_and_what_is_missing_is_named() -> None:
    assert reader_version(LACKING) is None
    assert missing(LACKING) == ("no-such-library",)


def test_a_module_of_the_name_without_the_distribution_is_not_the_library() -> None:
    assert missing(DocumentKind("x", ("x",), "x", "X", (Library("no-such-library", "json"),))) == ("no-such-library",)


def test_asking_imports_no_library() -> None:
    code = (
        "import sys, lens_lsp.documents.extractor as e, lens_lsp.documents.kinds as k\n"
        "[k.reader_version(one) for one in k.KINDS]\n"
        "heavy = {'lxml', 'pypdfium2', 'python_calamine', 'striprtf', 'ctypes', 'asyncio', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
