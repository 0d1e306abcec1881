"""Rich Text Format as the usual writers write it."""

from __future__ import annotations

import pytest

pytest.importorskip("striprtf", reason="lens-lsp[documents] is not installed")

from lens_lsp.documents.kinds import Failure, Unextracted
from lens_lsp.documents.readers.rtf import RtfReader
from tests.documents.parts import kinds, read


def written(body: str, start: str = r"\ansi\ansicpg1252") -> bytes:
    return rf"{{\rtf1{start}\deff0{{\fonttbl{{\f0 Arial;}}}}{body}}}".encode("latin-1")


def test_paragraphs_headings_items_and_rows_come_in_order() -> None:
    body = r"""{\stylesheet{\s1\outlinelevel0 Heading 1;}}
{\pard\plain\s1\outlinelevel0 \b The lamp\b0\par}
{\pard\plain First line\line second line.\par}
{\pard {\listtext 1.\tab}Fill it.\par}{\pard \bullet\tab Light it.\par}
{\pard\outlinelevel2 Costs\par}
\trowd\cellx1000\cellx2000 Oil\cell Price\cell\row\trowd\cellx1000\cellx2000 Whale\cell 9\cell\row
{\pard After.\par}"""
    document = read(RtfReader(), written(body))
    assert kinds(document) == [
        ("heading", "The lamp"),
        ("paragraph", "First line"),
        ("paragraph", "second line."),
        ("list-item", "Fill it."),
        ("list-item", "Light it."),
        ("heading", "Costs"),
        ("table-row", "Oil | Price"),
        ("table-row", "Whale | 9"),
        ("paragraph", "After."),
    ]
    assert [heading.level for heading in document.structure.headings] == [1, 3]
    rows = [block for block in document.structure.blocks if block.kind == "table-row"]
    assert rows[1].header == rows[0].span


@pytest.mark.parametrize(
    ("body", "start", "text"),
    [
        (r"Gr\'fc\'dfe", r"\ansi\ansicpg1252", "Grüße"),
        (r"\'cf\'f0\'e8\'e2\'e5\'f2", r"\ansi\ansicpg1251", "Привет"),
        (r"\u1055 ?\u1088 ?", r"\ansi\ansicpg1252", "Пр"),
        (r"\u-10179 ?\u-8704 ?", r"\ansi\ansicpg1252", "😀"),
        (r"\u-10179 ? alone", r"\ansi\ansicpg1252", "\ufffd alone"),
        (r"\'93\'fa\'96\'7b", r"\ansi\ansicpg932", "日本"),
        (r"a\'e9b", r"\ansi\ansicpg99999", "aéb"),
        ("raw é", r"\ansi", "raw é"),
        (r"\{x\} \\ \~y", r"\ansi", "{x} \\ y"),
    ],
)
def test_characters_of_every_encoding_are_read(body: str, start: str, text: str) -> None:
    assert read(RtfReader(), written(body, start)).text == text


def test_a_links_words_are_read_and_its_address_is_not() -> None:
    body = r'See {\field{\*\fldinst{HYPERLINK "https://lamp.example/a"}}{\fldrslt{the lamp}}} now. A HYPERLINK stays.'
    assert read(RtfReader(), written(body)).text == "See the lamp now. A HYPERLINK stays."


def test_notes_pictures_and_headers_are_left_out() -> None:
    body = r"{\header Page head}Text{\footnote aside} goes on{\pict\pngblip 89504e47} here."
    assert read(RtfReader(), written(body)).text == "Text goes on here."


def test_the_file_says_its_title_and_keywords() -> None:
    body = r"{\info{\title The l\'e4mp}{\author A}{\subject Light}{\keywords oil, wick}}Text"
    head = read(RtfReader(), written(body)).structure.head
    assert (head.title, head.description, head.tags) == ("The lämp", "Light", ("oil", "wick"))


@pytest.mark.parametrize("data", [b"", b"text", b"\xff\xfe{\\rtf1", b"PK\x03\x04"])
def test_what_is_no_rtf_is_broken(data: bytes) -> None:
    with pytest.raises(Unextracted) as raised:
        RtfReader().extract(data)
    assert raised.value.failure is Failure.BROKEN


def test_a_file_without_words_is_empty() -> None:
    with pytest.raises(Unextracted) as raised:
        RtfReader().extract(written(r"\par\par{\pict 00}"))
    assert raised.value.failure is Failure.EMPTY
