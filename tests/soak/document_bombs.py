"""Small documents that grow, nest, loop or lie: what a parser that trusts them does not survive.

Each is made when it is asked for, from its recipe; none is kept.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from tests.documents.outlook_files import Folder, properties, words
from tests.documents.outlook_files import container as outlook

MIB = 1 << 20
Bomb = Callable[[], bytes]

_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    f'xmlns:r="{_OFFICE}"'
)
_O = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)
_LAUGHS = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))


@dataclass(frozen=True)
class Deflated:
    """Something that was compressed without ever being whole."""

    stream: bytes
    crc: int
    size: int
    """When it is unpacked."""


def deflated(start: bytes, middle: bytes, count: int, end: bytes = b"") -> Deflated:
    """``start``, ``count`` times ``middle``, ``end``: the middle is compressed once and repeated."""
    crc = 0
    for piece, times in ((start, 1), (middle, count), (end, 1)):
        for _ in range(times):
            crc = zlib.crc32(piece, crc)
    stream = _flushed(start) + _flushed(middle) * count + _flushed(end) + b"\x03\x00"
    return Deflated(stream, crc, len(start) + count * len(middle) + len(end))


def _flushed(piece: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)


def archive(parts: Sequence[tuple[str, bytes | Deflated]], *, said: int | None = None) -> bytes:
    """A zip; ``said`` is what it claims that each part unpacks to."""
    body, listed = bytearray(), bytearray()
    for name, content in parts:
        part = content if isinstance(content, Deflated) else deflated(b"", content, 1)
        size = part.size if said is None else said
        common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, part.crc, len(part.stream), size, len(name), 0)
        listed += b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
        listed += name.encode()
        body += b"PK\3\4" + common + name.encode() + part.stream
    end = struct.pack("<HHHHIIH", 0, 0, min(len(parts), 65535), min(len(parts), 65535), len(listed), len(body), 0)
    return bytes(body + listed + b"PK\5\6" + end)


def office(main: str, content: bytes | Deflated, *more: tuple[str, bytes | Deflated], said: int | None = None) -> bytes:
    """An Office file whose main part is the content."""
    named = f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
    types = f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>'
    relations = f'{named}Target="{main}"/></Relationships>'
    parts = [("[Content_Types].xml", types.encode()), ("_rels/.rels", relations.encode()), (main, content), *more]
    return archive(parts, said=said)


def related(targets: dict[str, tuple[str, str]]) -> bytes:
    """A part of relations: identifier to kind and target."""
    rows = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{to}"/>' for key, (kind, to) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'.encode()


def docx(body: str = "", *, start: str = "", many: str = "", count: int = 0, said: int | None = None) -> bytes:
    """A Word file of a body, with something repeated in it."""
    opened = f'<?xml version="1.0"?>{start}<w:document {_W}><w:body>{body}'.encode()
    repeated = (many * 1000).encode()
    content = deflated(opened, repeated, count // 1000, b"</w:body></w:document>")
    return office("word/document.xml", content, said=said)


def workbook(sheet: bytes | Deflated, strings: bytes | Deflated | None = None) -> bytes:
    """A workbook of one sheet."""
    book = f'<workbook {S} xmlns:r="{_OFFICE}"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>'
    targets = {"r1": ("worksheet", "worksheets/sheet1.xml"), "r2": ("sharedStrings", "sharedStrings.xml")}
    more = [("xl/_rels/workbook.xml.rels", related(targets)), ("xl/worksheets/sheet1.xml", sheet)]
    return office("xl/workbook.xml", book.encode(), *more, *([("xl/sharedStrings.xml", strings)] if strings else []))


def sheet(start: str, many: str = "", count: int = 0, end: str = "") -> Deflated:
    """A sheet's part with something repeated in it."""
    opened = f"<worksheet {S}>{start}".encode()
    return deflated(opened, (many * 1000).encode(), count // 1000, f"{end}</worksheet>".encode())


def open_document(kind: str, start: str, many: str = "", count: int = 0, end: str = "") -> bytes:
    """An OpenDocument file; ``kind`` is ``text``, ``spreadsheet`` or ``presentation``."""
    opened = f"<office:document-content {_O}><office:body><office:{kind}>{start}".encode()
    closed = f"{end}</office:{kind}></office:body></office:document-content>".encode()
    content = deflated(opened, (many * 1000).encode(), count // 1000, closed)
    mimetype = f"application/vnd.oasis.opendocument.{kind}".encode()
    manifest = b'<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    return archive([("mimetype", mimetype), ("META-INF/manifest.xml", manifest), ("content.xml", content)])


def epub(chapter: bytes | Deflated, times: int = 1) -> bytes:
    """A book whose spine names one chapter several times."""
    container = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
    item = '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>'
    spine = '<itemref idref="c"/>' * times
    book = f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{item}</manifest><spine>{spine}</spine></package>'
    return archive([("META-INF/container.xml", container.encode()), ("b.opf", book.encode()), ("c.xhtml", chapter)])


def pdf(*objects: bytes, trailer: bytes = b"") -> bytes:
    """A PDF of objects from number 1, the first of them the catalogue."""
    body, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(objects) + 1, table)
    body += b"trailer\n<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, start)
    return bytes(body)


def page(stream: bytes, filters: bytes = b"", *more: bytes, resources: bytes = b"", length: int | None = None) -> bytes:
    """A PDF of one page; more objects are numbered from 6."""
    said = len(stream) if length is None else length
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>%b>>>>"
        % resources,
        b"<<%b/Length %d>>\nstream\n%b\nendstream" % (filters, said, stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *more,
    )


@cache
def _blanks(count: int) -> bytes:
    """A gibibyte and more of blanks as a stream of a PDF."""
    return b"\x78\xda" + deflated(b"BT ", b" " * MIB, count).stream + b"\0\0\0\0"


def _flate_often(times: int) -> bytes:
    stream = _blanks(1500)
    for _ in range(times - 1):
        stream = zlib.compress(stream, 9)
    return page(stream, b"/Filter[" + b"/FlateDecode" * times + b"]")


def _operators() -> bytes:
    packed = deflated(b"BT /F 12 Tf ", b"(a) Tj " * 150_000, 60)
    return page(b"\x78\xda" + packed.stream + b"\0\0\0\0", b"/Filter/FlateDecode")


def _forms() -> bytes:
    """Thirty forms, each of which shows the next one ten times."""
    dictionary = b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>/Length 60>>"
    shown = b"\nstream\n" + b"/X Do " * 10 + b"\nendstream"
    forms = [dictionary % min(7 + number, 35) + shown for number in range(30)]
    return page(b"/X Do", b"", *forms, resources=b"/XObject<</X 6 0 R>>")


def _deep_pages() -> bytes:
    nodes = [b"<</Type/Pages/Kids[%d 0 R]/Count 1/Parent %d 0 R>>" % (n + 1, n - 1) for n in range(2, 30_000)]
    return pdf(b"<</Type/Catalog/Pages 2 0 R>>", *nodes, b"<</Type/Page/MediaBox[0 0 9 9]>>")


def _many_pages() -> bytes:
    kids = b"3 0 R " * 100_000
    stream = b"BT /F 12 Tf 10 10 Td (again) Tj ET"
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%b]/Count 100000>>" % kids,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )


def _own_previous() -> bytes:
    written = page(b"BT (x) Tj ET")
    start = int(written.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    return written.replace(b"/Root 1 0 R", b"/Root 1 0 R/Prev %d" % start)


def _attributes() -> bytes:
    return docx("<w:p " + " ".join(f'a{number}="1"' for number in range(1_000_000)) + "/>")


def _matrix_docx() -> bytes:
    nested = "<w:tbl><w:tr><w:tc>" * 3000 + "<w:p><w:r><w:t>x</w:t></w:r></w:p>" + "</w:tc></w:tr></w:tbl>" * 3000
    return docx(nested)


def _zips_in_zips() -> bytes:
    inner = archive([("a", deflated(b"", b"\0" * MIB, 1000))])
    for _ in range(5):
        inner = archive([(f"{number}.zip", inner) for number in range(16)])
    return inner


def _deck(slides: int, slide: str) -> bytes:
    listed = "".join(f'<p:sldId id="{300 + number}" r:id="r{number}"/>' for number in range(slides))
    deck = f"<p:presentation {P}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    targets = {f"r{number}": ("slide", "slides/slide1.xml") for number in range(slides)}
    body = f"<p:sld {P}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>"
    return office(
        "ppt/presentation.xml",
        deck.encode(),
        ("ppt/_rels/presentation.xml.rels", related(targets)),
        ("ppt/slides/slide1.xml", body.encode()),
    )


def _png(width: int, height: int) -> bytes:
    """A picture of nothing but zeros."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    packing = zlib.compressobj(1)
    rows = b"".join(packing.compress(bytes(width + 1)) for _ in range(height)) + packing.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _shared_streams() -> bytes:
    """Two thousand attachments whose bytes are the same four megabytes."""
    same = b"x" * (4 * MIB)
    attached = {f"__attach_version1.0_#{at:08X}": {"__substg1.0_37010102": same} for at in range(2000)}
    return outlook({**properties(32), **words(p001A="IPM.Note", p0037="x"), **attached})


def _nested_messages() -> bytes:
    said: Folder = {**properties(24), **words(p001A="IPM.Note", p0037="x", p1000="y")}
    message = said
    for _ in range(400):
        inner: Folder = {**properties(8, p37050003=5), "__substg1.0_3701000D": message}
        message = {**said, "__attach_version1.0_#00000000": inner}
    return outlook(message)


def _nested_mail() -> bytes:
    deep = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(20_000))
    return f"Subject: deep\n{deep}\nbottom".encode()


_CELL = '<row r="1"><c r="A1"><v>1</v></c></row>'
_PARAGRAPH = "<w:p><w:r><w:t>x</w:t></w:r></w:p>"
_SHAPE = "<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>"
_HTML = b"Subject: x\nMIME-Version: 1.0\nContent-Type: text/html\n"
_HUGE = 2**31 - 1


def _annotations(count: int) -> bytes:
    """One page with as many comments, each of a few thousand letters by reference."""
    comment = b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents 7 0 R>>"
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[%b]>>" % (b"6 0 R " * count),
        b"<<>>",
        b"<<>>",
        comment,
        b"(" + b"x" * 100_000 + b")",
    )


def _fields_of_themselves() -> bytes:
    """A form whose field is its own child."""
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[4 0 R]>>",
        b"<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/FT/Tx/T(a)/V 4 0 R/Kids[4 0 R]/Parent 4 0 R>>",
    )


def _attached_to_itself(depth: int) -> bytes:
    """A PDF that is attached to one that is attached to one, twice each."""
    inner = page(b"BT (x) Tj ET")
    for _ in range(depth):
        file = b"<</Type/Filespec/F(a.pdf)/UF(a.pdf)/EF<</F 5 0 R>>>>"
        inner = pdf(
            b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)4 0 R(b)4 0 R]>>>>>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>",
            file,
            b"<</Type/EmbeddedFile/Length %d>>\nstream\n%b\nendstream" % (len(inner), inner),
        )
    return inner


def _attached_blanks() -> bytes:
    """A gibibyte of blanks as an attached text."""
    stream = _blanks(1500)
    return pdf(
        b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)4 0 R]>>>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>",
        b"<</Type/Filespec/F(a.txt)/UF(a.txt)/EF<</F 5 0 R>>>>",
        b"<</Type/EmbeddedFile/Filter/FlateDecode/Length %d>>\nstream\n%b\nendstream" % (len(stream), stream),
    )


def _chart_without_end() -> bytes:
    """A deck of one slide whose chart has a million points of one number."""
    names = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    chart = f"<c:chartSpace {names}><c:chart><c:plotArea><c:barChart><c:ser><c:val><c:numLit>"
    points = deflated(chart.encode(), b'<c:pt idx="%d"><c:v>1</c:v></c:pt>' % (2**31) * 1000, 1000)
    shown = f'<a:graphic><a:graphicData><c:chart {names} r:id="c"/></a:graphicData></a:graphic>'
    frame = f"<p:graphicFrame>{shown}</p:graphicFrame>"
    slide = f"<p:sld {P}><p:cSld><p:spTree>{frame}</p:spTree></p:cSld></p:sld>"
    listed = f'<p:presentation {P}><p:sldIdLst><p:sldId id="256" r:id="s"/></p:sldIdLst></p:presentation>'
    return office(
        "ppt/presentation.xml",
        listed.encode(),
        ("ppt/_rels/presentation.xml.rels", related({"s": ("slide", "slides/slide1.xml")})),
        ("ppt/slides/slide1.xml", slide.encode()),
        ("ppt/slides/_rels/slide1.xml.rels", related({"c": ("chart", "../chart.xml")})),
        ("ppt/chart.xml", points),
    )


def _mail_in_mail(depth: int) -> bytes:
    """Messages attached to messages, each of them twice."""
    inner = b"Subject: x\n\nbottom"
    for number in range(depth):
        mark = b"b%d" % number
        part = b"--%b\nContent-Type: message/rfc822\n\n%b\n" % (mark, inner)
        inner = b'Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="%b"\n\n%b%b--%b--\n' % (
            mark,
            part,
            part,
            mark,
        )
    return inner


BOMBS: dict[str, tuple[str, Bomb]] = {
    "a-comment-100000-times": ("pdf", lambda: _annotations(100_000)),
    "a-field-of-itself": ("pdf", _fields_of_themselves),
    "attached-to-itself": ("pdf", lambda: _attached_to_itself(8)),
    "an-attached-gibibyte": ("pdf", _attached_blanks),
    "a-chart-of-a-million-points": ("pptx", _chart_without_end),
    "mail-in-mail": ("eml", lambda: _mail_in_mail(16)),
    "flate": ("pdf", lambda: _flate_often(1)),
    "flate-twice": ("pdf", lambda: _flate_often(2)),
    "flate-five-times": ("pdf", lambda: _flate_often(5)),
    "nine-million-operators": ("pdf", _operators),
    "forms-of-forms": ("pdf", _forms),
    "pages-of-themselves": (
        "pdf",
        lambda: pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"),
    ),
    "arrays-in-arrays": ("pdf", lambda: pdf(b"<</Type/Catalog/X " + b"[" * 500_000 + b"]" * 500_000 + b">>")),
    "pages-below-pages": ("pdf", _deep_pages),
    "a-page-100000-times": ("pdf", _many_pages),
    "a-table-before-itself": ("pdf", _own_previous),
    "run-length": ("pdf", lambda: page(b"\x81 " * 4_000_000 + b"\x80", b"/Filter/RunLengthDecode")),
    "a-length-that-lies": ("pdf", lambda: page(b"BT (x) Tj ET", length=10**12)),
    "numbers-without-end": ("pdf", lambda: page(b"9" * 5_000_000 + b" Tc (x) Tj")),
    "two-thousand-million-pages": (
        "pdf",
        lambda: pdf(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count %d>>" % _HUGE),
    ),
    "a-gibibyte-in-a-run": ("docx", lambda: docx("<w:p><w:r><w:t>", many="A" * 1024, count=1500 * 1024)),
    "three-million-paragraphs": ("docx", lambda: docx(many=_PARAGRAPH, count=3_000_000)),
    "a-paragraph-of-two-million-runs": ("docx", lambda: docx("<w:p>", many="<w:r><w:t>x</w:t></w:r>", count=2_000_000)),
    "billion-laughs": ("docx", lambda: docx("&e9;", start=f'<!DOCTYPE l [<!ENTITY e0 "ha">{_LAUGHS}]>')),
    "quadratic-blow-up": (
        "docx",
        lambda: docx("&a;" * 100_000, start=f'<!DOCTYPE l [<!ENTITY a "{"x" * 100_000}">]>'),
    ),
    "a-file-of-the-system": (
        "docx",
        lambda: docx("&x;", start='<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    ),
    "elements-in-elements": ("docx", lambda: docx("<w:sdt><w:sdtContent>" * 200_000)),
    "tables-in-tables": ("docx", _matrix_docx),
    "a-million-attributes": ("docx", _attributes),
    "a-part-that-says-it-is-small": ("docx", lambda: docx(many=_PARAGRAPH, count=3_000_000, said=10)),
    "a-part-that-says-it-is-large": ("docx", lambda: docx(_PARAGRAPH, said=2**32 - 1)),
    "sixty-thousand-parts": ("docx", lambda: archive([(f"word/{number}.xml", b"x") for number in range(60_000)])),
    "zips-in-zips": ("docx", _zips_in_zips),
    "two-million-rows": (
        "sheet",
        lambda: workbook(sheet("<sheetData>", "<row><c><v>1</v></c></row>", 2_000_000, "</sheetData>")),
    ),
    "the-last-cell": (
        "sheet",
        lambda: workbook(sheet(f'<sheetData>{_CELL}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>')),
    ),
    "a-dimension-that-lies": (
        "sheet",
        lambda: workbook(sheet(f'<dimension ref="A1:XFD1048576"/><sheetData>{_CELL}</sheetData>')),
    ),
    "strings-of-a-gibibyte": (
        "sheet",
        lambda: workbook(
            sheet("<sheetData/>"), deflated(f"<sst {S}><si><t>".encode(), b"A" * MIB, 1200, b"</t></si></sst>")
        ),
    ),
    "a-sheet-of-repeated-rows": (
        "sheet",
        lambda: open_document(
            "spreadsheet",
            '<table:table table:name="s"><table:table-row table:number-rows-repeated="1048576"><table:table-cell '
            'table:number-columns-repeated="16384" office:value-type="float" office:value="1"><text:p>1</text:p>'
            "</table:table-cell></table:table-row></table:table>",
        ),
    ),
    "a-slide-20000-times": ("pptx", lambda: _deck(20_000, _SHAPE * 50)),
    "groups-in-groups": ("pptx", lambda: _deck(1, "<p:grpSp>" * 100_000 + "</p:grpSp>" * 100_000)),
    "blanks-by-number": (
        "opendocument",
        lambda: open_document("text", f'<text:p>a<text:s text:c="{_HUGE}"/>b</text:p>'),
    ),
    "a-table-of-repeated-rows": (
        "opendocument",
        lambda: open_document(
            "text",
            '<table:table><table:table-row table:number-rows-repeated="1000000"><table:table-cell '
            'table:number-columns-repeated="1000000"><text:p>1</text:p></table:table-cell></table:table-row>'
            "</table:table>",
        ),
    ),
    "lists-in-lists": ("opendocument", lambda: open_document("text", "<text:list><text:list-item>" * 100_000)),
    "two-million-lines": ("opendocument", lambda: open_document("text", "", "<text:p>x</text:p>", 2_000_000)),
    "a-chapter-10000-times": (
        "epub",
        lambda: epub(b"<html><body>" + b"<p>words</p>" * 100_000 + b"</body></html>", 10_000),
    ),
    "a-chapter-of-a-gibibyte": ("epub", lambda: epub(deflated(b"<html><body><p>", b"A" * MIB, 1200))),
    "divisions-in-divisions": ("epub", lambda: epub(b"<html><body>" + b"<div>" * 1_000_000)),
    "tables-in-cells": ("epub", lambda: epub(b"<html><body>" + b"<table><tr><td>x<td>" * 20_000)),
    "entities-of-a-chapter": (
        "epub",
        lambda: epub(f'<!DOCTYPE h [<!ENTITY e0 "ha">{_LAUGHS}]><html>&e9;</html>'.encode()),
    ),
    "braces": ("rtf", lambda: b"{\\rtf1" + b"{" * 50_000_000),
    "links-without-end": ("rtf", lambda: b"{\\rtf1 " + b'{\\field{\\*\\fldinst{HYPERLINK "a" ' * 20_000),
    "a-picture-that-lies": ("rtf", lambda: b"{\\rtf1 {\\pict\\bin" + b"9" * 4000 + b" x}}"),
    "ten-million-characters": ("rtf", lambda: b"{\\rtf1 " + b"\\u8364 ?" * 1_500_000 + b"}"),
    "parts-in-parts": ("eml", _nested_mail),
    "a-million-headers": ("eml", lambda: b"Subject: x\n" + b"X-A: b\n" * 1_000_000 + b"\nx"),
    "words-encoded-without-end": ("eml", lambda: b"Subject: " + b"=?utf-8?Q?=41?= " * 500_000 + b"\n\nx"),
    "a-page-of-open-tables": (
        "eml",
        lambda: _HTML + b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(b"<table><tr><td>" * 500_000),
    ),
    "a-page-of-attributes": ("eml", lambda: _HTML + b"\n<a " + b"x=1 " * 3_000_000 + b">x"),
    "two-hundred-thousand-messages": (
        "mbox",
        lambda: b"From a Fri Mar  1 23:30:00 2024\nSubject: x\n\ny\n\n" * 200_000,
    ),
    "a-picture-of-a-billion-pixels": ("picture", lambda: _png(40_000, 40_000)),
    "streams-that-share-their-bytes": ("msg", _shared_streams),
    "messages-in-messages": ("msg", _nested_messages),
    "a-line-of-ninety-megabytes": (
        "mbox",
        lambda: b"From a Fri Mar  1 23:30:00 2024\nSubject: x\n\n" + b">" * (90 * MIB),
    ),
}
