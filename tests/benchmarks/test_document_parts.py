"""What stands beside the text of documents is found by another program, and what is not read of it is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("lxml", reason="lens-lsp[documents] is not installed")

from benchmarks.document_parts import folded, main, measured
from tests.documents.parts import relations, zipped

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def made(folder: Path, *, named: bool) -> Path:
    """A text with a header and a comment, which its relations name or not."""
    run = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    parts = [("h", "header", "header1.xml"), ("c", "comments", "comments.xml")] if named else []
    path = folder / "a.docx"
    path.write_bytes(
        zipped(
            {
                "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
                "word/document.xml": f"<w:document {WORD}><w:body>{run.format('text')}</w:body></w:document>",
                "word/_rels/document.xml.rels": relations(*parts),
                "word/header1.xml": f"<w:hdr {WORD}>{run.format('Acme &amp; Sons')}</w:hdr>",
                "word/comments.xml": f"<w:comments {WORD}><w:comment>{run.format('too long')}</w:comment></w:comments>",
            }
        )
    )
    return path


def test_words_count_whatever_stands_between_them() -> None:
    assert folded("Acme & Sons,\nLtd.") == " acme sons ltd "


@pytest.mark.parametrize(("named", "recovered"), [(True, 1), (False, 0)])
def test_what_is_read_is_recovered_and_the_rest_is_lost(tmp_path: Path, named: bool, recovered: int) -> None:
    tallies = measured([made(tmp_path, named=named)])
    assert set(tallies) == {"docx comments", "docx headers and footers"}
    for tally in tallies.values():
        assert (tally.items, tally.recovered, len(tally.lost)) == (1, recovered, 1 - recovered)
        assert tally.silent == (set() if named else {"a.docx"})


def test_a_folder_of_nothing_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("document_parts:")
