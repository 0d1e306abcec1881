"""DOCX, ODT, RTF, EPUB and PPTX out of the same stories, each by several programs."""

from __future__ import annotations

import html
import json
import re
import zipfile
from pathlib import Path

from odf import namespaces
from odf.opendocument import OpenDocumentText
from odf.text import H, P

from tests.documents.making import markup
from tests.documents.making.pages import count_of
from tests.documents.making.stories import Item, Part, Story, Workshop, run


def write_all(shop: Workshop, stories: dict[str, Story]) -> None:
    office = run(["soffice", "--version"]).strip()
    pandoc = run(["pandoc", "--version"]).split("\n")[0]
    flowing = (
        ("docx", "nikola-tesla", _libreoffice, office, "docx:MS Word 2007 XML"),
        ("docx", "martin-luther", _pandoc, pandoc, "docx"),
        ("docx", "doctor-who", _npm_docx, "npm docx", ""),
        ("odt", "european-union-law", _libreoffice, office, "odt:writer8"),
        ("odt", "economic-inequality", _pandoc, pandoc, "odt"),
        ("odt", "university-of-chicago", _odfpy, f"odfpy ({namespaces.TOOLSVERSION})", ""),
        ("rtf", "scottish-parliament", _libreoffice, office, "rtf:Rich Text Format"),
        ("rtf", "pharmacy", _pandoc, pandoc, "rtf"),
        ("rtf", "teacher", _rtf_writer, "Perl RTF::Writer", ""),
    )
    for kind, name, write, writer, form in flowing:
        file = f"{name}.{kind}"
        write(shop, stories[name], shop.target(kind, file), form)
        shop.gold.sections(f"{kind}/{file}", stories[name])
        shop.gold.wrote(f"{kind}/{file}", writer)
    _epubs(shop, stories, pandoc)
    _decks(shop, stories, pandoc, office)


def _libreoffice(shop: Workshop, story: Story, target: Path, form: str) -> None:
    page = shop.scratch("web") / "page.html"
    page.write_text(markup.web(story), "utf-8")
    between = shop.scratch("odt") / "page.odt"
    shop.soffice(page, between, "odt:writer8")
    shop.soffice(between, target, form)


def _pandoc(shop: Workshop, story: Story, target: Path, form: str, level: int = 2) -> None:
    run(["pandoc", "-s", "-f", "markdown-smart", "-t", form, "-o", str(target)], given=markup.markdown(story, level))


_DOCX = """
const docx = require("docx"), fs = require("fs");
const [source, target] = process.argv.slice(2);
const story = JSON.parse(fs.readFileSync(source, "utf8"));
const children = [new docx.Paragraph({ text: story.title, heading: docx.HeadingLevel.TITLE })];
for (const part of story.parts) {
  children.push(new docx.Paragraph({ text: part.heading, heading: docx.HeadingLevel.HEADING_1 }));
  for (const text of part.paragraphs) {
    const cut = text.indexOf(" ", text.length / 3);
    children.push(new docx.Paragraph({ children: [
      new docx.TextRun({ text: text.slice(0, cut), bold: true }), new docx.TextRun(text.slice(cut)) ] }));
  }
}
const book = new docx.Document({ title: story.title, sections: [{ children }] });
docx.Packer.toBuffer(book).then(bytes => fs.writeFileSync(target, bytes));
"""


def _npm_docx(shop: Workshop, story: Story, target: Path, form: str) -> None:
    """Its paragraphs are several runs, as people's are who mark words."""
    shop.javascript(_DOCX, _json(shop, story), str(target))


def _json(shop: Workshop, story: Story) -> str:
    source = shop.scratch("story") / "story.json"
    parts = [{"heading": part.heading, "paragraphs": part.paragraphs} for part in story.parts]
    source.write_text(json.dumps({"title": story.title, "parts": parts}), "utf-8")
    return str(source)


def _odfpy(shop: Workshop, story: Story, target: Path, form: str) -> None:
    document = OpenDocumentText()
    document.text.addElement(H(outlinelevel=1, text=story.title))
    for part in story.parts:
        document.text.addElement(H(outlinelevel=2, text=part.heading))
        for text in part.paragraphs:
            document.text.addElement(P(text=text))
    document.save(str(target))


_RTF = r"""
use JSON::PP; use RTF::Writer;
open(my $in, '<:raw', $ARGV[0]) or die; local $/; my $story = decode_json(<$in>);
my $rtf = RTF::Writer->new_to_file($ARGV[1]);
$rtf->prolog('title' => $story->{title});
$rtf->paragraph(\'\fs40\b', $story->{title});
for my $part (@{$story->{parts}}) {
  $rtf->paragraph(\'\fs32\b', $part->{heading});
  $rtf->paragraph($_) for @{$part->{paragraphs}};
}
$rtf->close;
"""


def _rtf_writer(shop: Workshop, story: Story, target: Path, form: str) -> None:
    shop.perl(_RTF, _json(shop, story), str(target))


def _epubs(shop: Workshop, stories: dict[str, Story], pandoc: str) -> None:
    """Every part is a chapter; pandoc puts one with the title before them. A table of contents is none."""
    for name, write, writer, first in (
        ("ctenophora", _pandoc_book, pandoc, 2),
        ("islamism", _zipped_book, "zip, by hand after the EPUB 3 specification", 1),
        ("imperialism", _npm_book, "npm epub-gen-memory", 1),
    ):
        write(shop, stories[name], shop.target("epub", f"{name}.epub"))
        shop.gold.parts(f"epub/{name}.epub", stories[name], "chapter", range(first, first + len(stories[name].parts)))
        shop.gold.wrote(f"epub/{name}.epub", writer)


def _pandoc_book(shop: Workshop, story: Story, target: Path) -> None:
    _pandoc(shop, story, target, "epub3", level=1)


_PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:lens:sample</dc:identifier>
<dc:title>%s</dc:title><dc:language>en</dc:language></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>%s</manifest>
<spine>%s</spine></package>
"""
_CONTAINER = """<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
"""
_CHAPTER = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>%s</title></head>
<body>%s</body></html>
"""


def _zipped_book(shop: Workshop, story: Story, target: Path) -> None:
    """Its files are not in reading order: only the spine says it."""
    ids = [f"c{number}" for number in count_of(story)]
    manifest = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in ids)
    spine = "".join(f'<itemref idref="{name}"/>' for name in ids)
    chapters = list(zip(ids, story.parts, strict=True))
    entries = "".join(f'<li><a href="{name}.xhtml">{html.escape(part.heading)}</a></li>' for name, part in chapters)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        book.writestr("META-INF/container.xml", _CONTAINER)
        book.writestr("book/package.opf", _PACKAGE % (html.escape(story.title), manifest, spine))
        for name, part in reversed(chapters):
            heading = html.escape(part.heading)
            body = "".join([f"<h1>{heading}</h1>", *(f"<p>{html.escape(text)}</p>" for text in part.paragraphs)])
            book.writestr(f"book/{name}.xhtml", _CHAPTER % (heading, body))
        nav = f'<nav epub:type="toc"><ol>{entries}</ol></nav>'
        book.writestr("book/nav.xhtml", _CHAPTER % ("Contents", nav))


_EPUB_GEN = """
const epub = require("epub-gen-memory").default, fs = require("fs");
const [source, target] = process.argv.slice(2);
const story = JSON.parse(fs.readFileSync(source, "utf8"));
const plain = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const chapters = story.parts.map(part => (
  { title: part.heading, content: part.paragraphs.map(text => `<p>${plain(text)}</p>`).join("") }));
epub({ title: story.title, lang: "en" }, chapters).then(bytes => fs.writeFileSync(target, bytes));
"""


def _npm_book(shop: Workshop, story: Story, target: Path) -> None:
    shop.javascript(_EPUB_GEN, _json(shop, story), str(target))


def _slides(story: Story) -> list[tuple[str, list[str], str]]:
    """Of each part the heading, its sentences as bullets, and what the speaker says."""
    numbered = enumerate(story.parts, 1)
    return [(part.heading, _sentences(part), f"Speak slowly about number {number}.") for number, part in numbered]


def _sentences(part: Part) -> list[str]:
    return [text for paragraph in part.paragraphs for text in re.split(r"(?<=[a-z\])][.]) (?=[A-Z])", paragraph)]


def _decks(shop: Workshop, stories: dict[str, Story], pandoc: str, office: str) -> None:
    """pandoc puts a slide with the title before the others."""
    for name, write, writer, first in (
        ("prime-number", _pandoc_deck, pandoc, 2),
        ("harvard-university", _impress_deck, office, 1),
        ("tesla-later-years", _npm_deck, "npm pptxgenjs", 1),
    ):
        file = f"pptx/{name}.pptx"
        write(shop, stories[name], shop.target("pptx", f"{name}.pptx"))
        shop.gold.parts(file, stories[name], "slide", range(first, first + len(stories[name].parts)))
        shop.gold.wrote(file, writer)
    notes = Item("how often to rehearse the valve demonstration", "Rehearse the valve demonstration twice")
    shop.gold.add("pptx/tesla-later-years.pptx", notes, {"slide": 3})


def _pandoc_deck(shop: Workshop, story: Story, target: Path) -> None:
    parts = [f"---\ntitle: {story.title}\n...\n"]
    for heading, bullets, notes in _slides(story):
        parts.append(f"# {heading}\n")
        parts += [f"- {_escaped(text)}" for text in bullets]
        parts.append(f"\n::: notes\n{notes}\n:::\n")
    run(["pandoc", "-f", "markdown-smart", "-t", "pptx", "--slide-level=1", "-o", str(target)], given="\n".join(parts))


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#^~$|@])", r"\\\1", text)


_FODP = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.presentation">
<office:master-styles><style:master-page style:name="Default" style:page-layout-name="PM1"/></office:master-styles>
<office:body><office:presentation>%s</office:presentation></office:body></office:document>
"""
_FRAME = """<draw:frame presentation:class="%s" svg:x="2cm" svg:y="%dcm" svg:width="24cm" svg:height="%dcm">
<draw:text-box>%s</draw:text-box></draw:frame>"""
_SLIDE = '<draw:page draw:name="p%d" draw:master-page-name="Default">%s</draw:page>'


def _impress_deck(shop: Workshop, story: Story, target: Path) -> None:
    pages = []
    for number, (heading, bullets, notes) in enumerate(_slides(story), 1):
        title = _FRAME % ("title", 1, 3, f"<text:p>{html.escape(heading)}</text:p>")
        body = _FRAME % ("outline", 5, 12, "".join(f"<text:p>{html.escape(text)}</text:p>" for text in bullets))
        said = f"<presentation:notes>{_FRAME % ('notes', 15, 8, f'<text:p>{notes}</text:p>')}</presentation:notes>"
        pages.append(_SLIDE % (number, title + body + said))
    source = shop.scratch("deck") / "deck.fodp"
    source.write_text(_FODP % "".join(pages), "utf-8")
    shop.soffice(source, target, "pptx:Impress MS PowerPoint 2007 XML")


_PPTX = """
const Deck = require("pptxgenjs"), fs = require("fs");
const [source, target] = process.argv.slice(2);
const story = JSON.parse(fs.readFileSync(source, "utf8"));
const deck = new Deck();
deck.title = story.title;
story.parts.forEach((part, index) => {
  const slide = deck.addSlide();
  slide.addText(part.heading, { x: 0.5, y: 0.3, w: 9, h: 0.8, fontSize: 28, placeholder: "title" });
  slide.addText(part.paragraphs.join(" "), { x: 0.5, y: 1.3, w: 9, h: 2 });
  slide.addTable([["Figure", "Value"], [`Number ${index + 1}`, `${(index + 1) * 11} volts`]], { x: 0.5, y: 4, w: 6 });
  slide.addNotes(index === 2 ? "Rehearse the valve demonstration twice." : `Notes of slide ${index + 1}.`);
});
deck.writeFile({ fileName: target });
"""


def _npm_deck(shop: Workshop, story: Story, target: Path) -> None:
    shop.javascript(_PPTX, _json(shop, story), str(target))
