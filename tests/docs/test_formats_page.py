"""The page on formats names the readers and suffixes that the table of formats has, no more and no fewer."""

from __future__ import annotations

import re
from collections import defaultdict

from documentation import DOCS, table_rows, text_of

from lens_lsp.corpus.formats import _BINARY, _FORMATS, _PLAIN, reader_for
from lens_lsp.documents.kinds import KINDS

PAGE = DOCS / "explanation" / "formats.md"
NAMED = re.compile(r"`([^`]+)`")


def documented() -> dict[str, list[str]]:
    return {NAMED.findall(reader)[0]: NAMED.findall(suffixes) for reader, suffixes, *_ in table_rows(PAGE, "# Formats")}


def test_the_page_has_every_kind_of_document_with_its_suffixes_and_libraries() -> None:
    rows = [[NAMED.findall(cell) for cell in row[:3]] for row in table_rows(PAGE, "## Documents")]
    assert {kind[0]: (suffixes, needs) for kind, suffixes, needs in rows} == {
        kind.name: (list(kind.suffixes), [library.distribution for library in kind.libraries]) for kind in KINDS
    }


def test_the_page_has_every_reader_with_its_suffixes() -> None:
    known: dict[str, list[str]] = defaultdict(list)
    for suffixes, make in _FORMATS:
        known[make().name] += suffixes.split()
    known["plain"] += _PLAIN
    assert {name: sorted(suffixes) for name, suffixes in documented().items()} == {
        name: sorted(suffixes) for name, suffixes in known.items()
    }


def test_a_file_with_a_documented_suffix_gets_the_documented_reader() -> None:
    for name, suffixes in documented().items():
        for suffix in suffixes:
            reader = reader_for(f"notes.{suffix}")
            assert reader is not None
            assert reader.name == name


def test_the_page_has_every_format_that_is_not_read() -> None:
    section = text_of(PAGE).partition("\n## Known and not read\n")[2].partition("\n## ")[0]
    suffixes = [name for line in section.splitlines() if line.startswith("`") for name in NAMED.findall(line)]
    assert sorted(suffixes) == sorted(_BINARY)
    assert all(reader_for(f"file.{suffix}") is None for suffix in suffixes)
