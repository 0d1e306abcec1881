"""Small good documents of every kind, for damaging: each part that a reader looks at is in one of them."""

from __future__ import annotations

import io

from lens_lsp.documents.kinds import PICTURE, missing
from tests.documents.outlook_files import container as outlook
from tests.documents.outlook_files import properties, words
from tests.documents.parts import CHART
from tests.documents.scans import drawn, scan
from tests.soak.document_bombs import (
    P,
    S,
    archive,
    docx,
    epub,
    office,
    open_document,
    page,
    pdf,
    related,
    sheet,
    workbook,
)

OPEN = "urn:oasis:names:tc:opendocument:xmlns"


def made() -> dict[str, bytes]:
    """A small good document of each kind, by a name that ends as its kind's do."""
    rows = '<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row></sheetData>'
    mail = b"Subject: lamps\nFrom: a@lamp.example\nDate: Fri, 1 Mar 2024 10:00:00 +0000\n\nLit.\n\nAgain.\n"
    return beside() | {
        "a.pdf": page(b"BT /F 12 Tf 10 700 Td (The lamps are lit) Tj 0 -20 Td (again) Tj ET"),
        "a.docx": docx("<w:p><w:r><w:t>The lamps</w:t></w:r></w:p><w:p><w:r><w:t>are lit.</w:t></w:r></w:p>"),
        "a.xlsx": workbook(sheet(rows)),
        "a.odt": open_document("text", "<text:h>Lamps</text:h><text:p>are lit.</text:p>"),
        "a.epub": epub(b"<html><body><h1>Lamps</h1><p>are <b>lit</b>.</p></body></html>"),
        "a.rtf": rb"{\rtf1\ansi\ansicpg1252 {\pard The l\'e4mps\par}{\pard are lit.\par}}",
        "a.eml": mail,
        "a.msg": outlook({**properties(32), **words(p001A="IPM.Note", p0037="lamps", p1000="Lit.\n\nAgain.")}),
        "a.mbox": b"From a Fri Mar  1 10:00:00 2024\n" + mail + b"\nFrom b Fri Mar  1 11:00:00 2024\n" + mail,
    }


def beside() -> dict[str, bytes]:
    """Small good documents with forms, comments, headers, charts and attachments."""
    names = " ".join(
        f'xmlns:{name}="{OPEN}:{name}:1.0"' for name in ("office", "text", "draw", "chart", "table", "style")
    )
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    c = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    r = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    run = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    marks = '<w:commentReference w:id="1"/><w:footnoteReference w:id="2"/>'
    drawn = f'<w:p><w:r><w:drawing {c} {r}><c:chart r:id="c"/></w:drawing>{marks}</w:r></w:p>'
    tracked = "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
    word = office(
        "word/document.xml",
        f"<w:document {w}><w:body>{run.format('The lamps')}{drawn}{tracked}</w:body></w:document>".encode(),
        (
            "word/_rels/document.xml.rels",
            related(
                {
                    "c": ("chart", "c.xml"),
                    "h": ("header", "h.xml"),
                    "n": ("comments", "n.xml"),
                    "f": ("footnotes", "f.xml"),
                }
            ),
        ),
        ("word/h.xml", f"<w:hdr {w}>{run.format('Acme')}</w:hdr>".encode()),
        ("word/n.xml", f'<w:comments {w}><w:comment w:id="1">{run.format("lit")}</w:comment></w:comments>'.encode()),
        (
            "word/f.xml",
            f'<w:footnotes {w}><w:footnote w:id="2">{run.format("lit")}</w:footnote></w:footnotes>'.encode(),
        ),
        ("word/c.xml", CHART.encode()),
    )
    form = pdf(
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[4 0 R 5 0 R]>>",
        b"<</Type/Annot/Subtype/Widget/Rect[0 0 99 9]/FT/Tx/T(a)/TU(Owner)/V(Ann)>>",
        b"<</Type/Annot/Subtype/Highlight/Rect[0 9 99 19]/QuadPoints[0 19 99 19 0 9 99 9]/T(Bo)/Contents(lit)>>",
        b"<</Type/Filespec/F(a.txt)/UF(a.txt)/EF<</F 7 0 R>>>>",
        b"<</Type/EmbeddedFile/Length 9>>\nstream\nThe lamps\nendstream",
    )
    mail = (
        b'Subject: lamps\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nLit.\n--b\n'
        b'Content-Disposition: attachment; filename="a.pdf"\n\n' + form + b"\n--b\n"
        b"Content-Type: message/rfc822\n\nSubject: again\n\nLit.\n--b--\n"
    )
    inner = {**properties(24), **words(p001A="IPM.Note", p0037="again", p1000="Lit.")}
    message = outlook(
        {
            **properties(32),
            **words(p001A="IPM.Note", p0037="lamps", p1000="Lit.", p0C1A="Ann", p0E04="Bo"),
            "__attach_version1.0_#00000000": {
                **properties(8, p37050003=1),
                **words(p3707="a.pdf"),
                "__substg1.0_37010102": form,
            },
            "__attach_version1.0_#00000001": {**properties(8, p37050003=5), "__substg1.0_3701000D": inner},
        }
    )
    paragraph = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
    holder = '<p:nvSpPr><p:cNvPr/><p:nvPr><p:ph type="{}"/></p:nvPr></p:nvSpPr><p:spPr/>'
    shape = f"<p:sp>{holder}<p:txBody><a:bodyPr/>{paragraph}</p:txBody></p:sp>"
    graphic = f'<p:graphicFrame><a:graphic><a:graphicData><c:chart {c} r:id="c"/></a:graphicData></a:graphic>'
    drawing = f"{shape.format('title', 'Lamps')}{shape.format('ftr', 'Acme')}{graphic}</p:graphicFrame>"
    slides = office(
        "ppt/presentation.xml",
        f'<p:presentation {P}><p:sldIdLst><p:sldId id="256" r:id="s"/></p:sldIdLst></p:presentation>'.encode(),
        ("ppt/_rels/presentation.xml.rels", related({"s": ("slide", "s.xml"), "a": ("commentAuthors", "a.xml")})),
        ("ppt/s.xml", f"<p:sld {P}><p:cSld><p:spTree>{drawing}</p:spTree></p:cSld></p:sld>".encode()),
        ("ppt/_rels/s.xml.rels", related({"c": ("chart", "c.xml"), "n": ("comments", "n.xml")})),
        ("ppt/a.xml", f'<p:cmAuthorLst {P}><p:cmAuthor id="3" name="Ann"/></p:cmAuthorLst>'.encode()),
        ("ppt/n.xml", f'<p:cmLst {P}><p:cm authorId="3"><p:text>lit</p:text></p:cm></p:cmLst>'.encode()),
        ("ppt/c.xml", CHART.encode()),
    )
    said = '<commentList><comment ref="A1" authorId="0"><text><t>lit</t></text></comment></commentList>'
    places = 'xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"'
    boxed = f"<d:sp><d:txBody>{paragraph.format('boxed')}</d:txBody></d:sp>"
    anchored = f'<d:twoCellAnchor><d:graphicFrame><c:chart r:id="c"/></d:graphicFrame>{boxed}</d:twoCellAnchor>'
    row = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>'
    printed = "<headerFooter><oddHeader>&amp;LAcme</oddHeader><oddFooter>&amp;CLamps</oddFooter></headerFooter>"
    book = office(
        "xl/workbook.xml",
        f'<workbook {S} {r}><sheets><sheet name="s" sheetId="1" r:id="s"/></sheets></workbook>'.encode(),
        ("xl/_rels/workbook.xml.rels", related({"s": ("worksheet", "worksheets/s.xml")})),
        ("xl/worksheets/s.xml", f"<worksheet {S}><sheetData>{row}</sheetData>{printed}</worksheet>".encode()),
        (
            "xl/worksheets/_rels/s.xml.rels",
            related({"n": ("comments", "../n.xml"), "d": ("drawing", "../d.xml")}),
        ),
        ("xl/n.xml", f"<comments {S}><authors><author>Ann</author></authors>{said}</comments>".encode()),
        ("xl/d.xml", f"<d:wsDr {places} {c} {P}>{anchored}</d:wsDr>".encode()),
        ("xl/_rels/d.xml.rels", related({"c": ("chart", "c.xml")})),
        ("xl/c.xml", CHART.encode()),
    )
    draw = f'xmlns:draw="{OPEN}:drawing:1.0"'
    link = '<draw:object xlink:href="./Object 1" xmlns:xlink="http://www.w3.org/1999/xlink"/>'
    creator = '<dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Ann</dc:creator>'
    noted = f"<office:annotation>{creator}<text:p>lit</text:p></office:annotation>"
    footnote = '<text:note text:note-class="footnote"><text:note-body><text:p>lit</text:p></text:note-body></text:note>'
    lamps = f"<text:p>Lamps{noted}{footnote}<draw:frame {draw}>{link}</draw:frame></text:p>"
    cells = "<table:table-row><table:table-cell{}><text:p>1</text:p>{}</table:table-cell></table:table-row>"
    titled = "<chart:title><text:p>Sold</text:p></chart:title>"
    plot = f"<chart:chart>{titled}<table:table>{cells.format('', '') * 2}</table:table></chart:chart>"
    header = "<style:master-page><style:header><text:p>Acme</text:p></style:header></style:master-page>"

    def part(root: str, held: str, said: str) -> bytes:
        root = f"office:document-{root}"
        return f"<{root} {names}><office:{held}>{said}</office:{held}></{root}>".encode()

    text = archive(
        [
            ("mimetype", b"application/vnd.oasis.opendocument.text"),
            ("content.xml", part("content", "body", f"<office:text>{lamps}</office:text>")),
            ("styles.xml", part("styles", "master-styles", header)),
            ("Object 1/content.xml", part("content", "body", f"<office:chart>{plot}</office:chart>")),
        ]
    )
    number = ' office:value-type="float" office:value="1"'
    table = open_document("spreadsheet", f'<table:table table:name="s">{cells.format(number, noted)}</table:table>')
    return {
        "b.docx": word,
        "b.pdf": form,
        "b.eml": mail,
        "b.mbox": b"From a Fri Mar  1 10:00:00 2024\n" + mail + b"\nFrom b Fri Mar  1 11:00:00 2024\n" + mail,
        "b.msg": message,
        "b.pptx": slides,
        "b.xlsx": book,
        "b.odt": text,
        "b.ods": table,
    }


def scanned() -> dict[str, bytes]:
    """Pictures of a page of text: a PDF of nothing else, and image files."""
    page = scan(["The lamps are lit.", "They go out at ten."])
    held = {"scan.pdf": page}
    if not missing(PICTURE):
        from PIL import Image

        grey = Image.fromarray(drawn(page)).crop((0, 0, 1600, 600))
        for suffix, form in {"png": "PNG", "jpg": "JPEG", "tif": "TIFF", "bmp": "BMP", "webp": "WEBP"}.items():
            out = io.BytesIO()
            grey.convert("1" if suffix in ("tif", "bmp") else "L").save(out, form)
            held[f"scan.{suffix}"] = out.getvalue()
    return held
