"""E-books as people have them: chapters in reading order, with what stands in them."""

from __future__ import annotations

import pytest

pytest.importorskip("lxml", reason="lens-lsp[documents] is not installed")

from lens_lsp.documents.kinds import Failure, Unextracted
from lens_lsp.documents.readers.hypertext import EpubReader
from tests.documents.parts import kinds, place_of, read, zipped

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
OPF = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The  Lamps</dc:title><dc:creator>A. Writer</dc:creator>
<dc:subject>light</dc:subject><dc:subject>oil</dc:subject></metadata><manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="two" href="text/two.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="text/one%20a.xhtml" media-type="application/xhtml+xml"/>
<item id="picture" href="a.svg" media-type="image/svg+xml"/></manifest>
<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref idref="none"/></spine></package>"""
ONE = """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">
<head><title/><script src="x.js"/><style>p{}</style></head><body><h1>Of <i>oil</i></h1>
<p>Oil&nbsp;burns&#160;&mdash; slowly.<br/>It&shy;self.</p><ul><li>whale</li><li><p>olive</p></li></ul>
<table><tr><th>Oil</th><th>Cost</th></tr><tr><td>Whale</td><td><p>9</p><p>s</p></td></tr></table>
<p hidden="">Never</p><div style="color:red; display : none">shown</div><pre>a
  b</pre></body></html>"""
TWO = "<html><body><h2>Of wicks</h2><p>A wick &amp; a flame<p>unclosed<br>line</body></html>"
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": OPF,
    "OEBPS/nav.xhtml": "<html><body><p>Contents</p></body></html>",
    "OEBPS/text/one a.xhtml": ONE,
    "OEBPS/text/two.xhtml": TWO,
}


def failure(data: bytes) -> Failure:
    with pytest.raises(Unextracted) as raised:
        EpubReader().extract(data)
    return raised.value.failure


def test_chapters_come_in_reading_order_block_by_block() -> None:
    book = read(EpubReader(), zipped(BOOK))
    assert kinds(book) == [
        ("heading", "Of oil"),
        ("paragraph", "Oil burns — slowly.\nItself."),
        ("list-item", "whale"),
        ("list-item", "olive"),
        ("table-row", "Oil | Cost"),
        ("table-row", "Whale | 9 s"),
        ("code", "a\n  b"),
        ("heading", "Of wicks"),
        ("paragraph", "A wick & a flame"),
        ("paragraph", "unclosed\nline"),
    ]
    assert [(heading.level, heading.text) for heading in book.structure.headings] == [(1, "Of oil"), (2, "Of wicks")]


def test_every_word_stands_in_its_chapter() -> None:
    book = read(EpubReader(), zipped(BOOK))
    assert place_of(book, "whale") == {"chapter": 1}
    assert place_of(book, "wicks") == {"chapter": 2}


def test_the_book_says_its_title_writer_and_subjects() -> None:
    head = read(EpubReader(), zipped(BOOK)).structure.head
    assert (head.title, head.description, head.tags) == ("The Lamps", "A. Writer", ("light", "oil"))


def test_a_row_of_titles_is_the_header_of_those_below() -> None:
    book = read(EpubReader(), zipped(BOOK))
    rows = [block for block in book.structure.blocks if block.kind == "table-row"]
    assert [row.header for row in rows] == [None, rows[0].span]


def test_a_table_that_lays_out_the_page_is_no_table() -> None:
    page = "<html><body><table><tr><td><h1>Left</h1></td><td><p>Right</p></td></tr></table></body></html>"
    book = read(EpubReader(), zipped({**BOOK, "OEBPS/text/one a.xhtml": page}))
    assert kinds(book)[:2] == [("heading", "Left"), ("paragraph", "Right")]


def test_a_missing_chapter_is_told_and_the_others_are_read() -> None:
    parts = {name: part for name, part in BOOK.items() if "one" not in name}
    book = read(EpubReader(), zipped(parts))
    assert book.notices == ("chapters that are missing or damaged: 1",)
    assert place_of(book, "wicks") == {"chapter": 2}


def test_a_locked_book_says_so_but_locked_fonts_do_not_matter() -> None:
    locked = '<encryption><CipherData><CipherReference URI="OEBPS/{}"/></CipherData></encryption>'
    assert failure(zipped({**BOOK, "META-INF/encryption.xml": locked.format("text/two.xhtml")})) is Failure.ENCRYPTED
    fonts = zipped({**BOOK, "META-INF/encryption.xml": locked.format("fonts/a.otf")})
    assert place_of(read(EpubReader(), fonts), "wicks") == {"chapter": 2}


def test_what_is_no_book_is_broken() -> None:
    assert failure(b"no zip") is Failure.BROKEN
    assert failure(zipped({"a": "b"})) is Failure.BROKEN
    assert failure(zipped({"META-INF/container.xml": "<container/>"})) is Failure.BROKEN
    assert failure(zipped({"META-INF/container.xml": CONTAINER})) is Failure.BROKEN


def test_entities_of_its_own_are_refused_where_a_book_says_what_is_in_it() -> None:
    bomb = '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><container>&x;</container>'
    assert failure(zipped({**BOOK, "META-INF/container.xml": bomb})) is Failure.BROKEN


def test_entities_of_its_own_are_left_out_of_a_chapter() -> None:
    entities = '<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "bomb">'
    page = f"<!DOCTYPE html [{entities}]><html><body><p>a&x;b&y;c</p></body></html>"
    assert "abc" in read(EpubReader(), zipped({**BOOK, "OEBPS/text/one a.xhtml": page})).text


def test_a_book_of_empty_chapters_is_empty() -> None:
    with pytest.raises(Unextracted) as raised:
        EpubReader().extract(zipped({**BOOK, "OEBPS/text/one a.xhtml": "", "OEBPS/text/two.xhtml": "<html/>"}))
    assert raised.value.failure is Failure.EMPTY
