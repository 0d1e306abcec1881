from __future__ import annotations

import pytest

from lens_lsp.corpus.formats import FORMAT_SUFFIXES, reader_for, readers


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("note.md", "markdown"),
        ("README.MD", "markdown"),
        ("a.b.markdown", "markdown"),
        ("U.S._Bancorp", "plain"),
        ("St._Louis", "plain"),
        ("Washington,_D.C", "plain"),
        ("Amazon.com", "plain"),
        ("Makefile", "plain"),
        (".bashrc", "plain"),
        ("notes.txt", "plain"),
        ("strange.xyz", "plain"),
        ("", "plain"),
        ("dot.", "plain"),
        ("main.c", "code"),
        ("a.ipynb", "notebook"),
        ("a.tsv", "table"),
        ("a.yml", "yaml"),
        ("a.htm", "html"),
        ("a.svg", "xml"),
    ],
)
def test_the_suffix_chooses_the_reader(name: str, reader: str) -> None:
    found = reader_for(name)
    assert found is not None
    assert found.name == reader


@pytest.mark.parametrize(
    "name", ["a.png", "A.JPG", "x.tar.gz", "a.pdf", "a.docx", "lib.so", "a.sqlite", "f.woff2", "a.epub"]
)
def test_known_binary_formats_have_no_reader(name: str) -> None:
    assert reader_for(name) is None


def test_a_reader_is_made_once() -> None:
    assert reader_for("a.md") is reader_for("b.MD")


def test_names_and_versions_are_set() -> None:
    for reader in readers():
        assert reader.name
        assert reader.version >= 1
    assert {reader.name for reader in readers() if reader.extracted} == {"notebook"}


def test_format_suffixes_are_those_that_say_nothing_else() -> None:
    assert {"md", "txt", "py", "pdf"} <= FORMAT_SUFFIXES
    assert not {"c", "com", ""} & FORMAT_SUFFIXES
