"""PDF, by programs that make it in different ways; the pages are those that the sources force or that TeX noted."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import fpdf
import reportlab
import typst
import weasyprint
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageBreak, PageTemplate, Paragraph, SimpleDocTemplate

from tests.documents.making import markup
from tests.documents.making.stories import Item, Part, Story, Workshop, run

TABLES = Path(__file__).parent / "tables"
_FONTS = Path("/usr/share/fonts/truetype/dejavu")
_FOOTNOTE = "Text of Wikipedia, under the licence CC BY-SA 4.0."


def write_all(shop: Workshop, stories: dict[str, Story]) -> None:
    """Every PDF; each story's parts begin new pages, except TeX's, where they fall as they may."""
    by_part = {
        "kenya": (_reportlab, f"ReportLab {reportlab.Version}"),
        "black-death": (_groff, run(["groff", "--version"]).split("\n")[0]),
        "packet-switching": (_ghostscript, f"groff and Ghostscript {run(['gs', '--version']).strip()}"),
        "warsaw": (chromium_print, run(["chromium", "--version"]).strip()),
        "normans": (_weasyprint, f"WeasyPrint {weasyprint.__version__}"),
        "apollo-program": (_typst, f"Typst {typst.__version__}"),
        "steam-engine": (_libreoffice, run(["soffice", "--version"]).strip()),
        "jacksonville": (_fpdf, f"fpdf2 {fpdf.__version__}"),
    }
    for name, (write, writer) in by_part.items():
        file = f"{name}.pdf"
        write(shop, stories[name], shop.target("pdf", file))
        shop.gold.parts(f"pdf/{file}", stories[name], "page", count_of(stories[name]))
        shop.gold.wrote(f"pdf/{file}", writer)
    _latex(shop, stories)
    _longtable(shop)
    _chinese(shop)
    _german(shop)


def count_of(story: Story) -> range:
    return range(1, len(story.parts) + 1)


def _reportlab(shop: Workshop, story: Story, target: Path) -> None:
    reportlab_report(story, target)


def reportlab_report(story: Story, target: Path) -> None:
    """Running heads and page numbers on every page."""
    styles = getSampleStyleSheet()
    flow: list[object] = [Paragraph(story.title, styles["Title"])]
    for number, part in enumerate(story.parts):
        flow += [PageBreak()] if number else []
        flow.append(Paragraph(part.heading, styles["Heading2"]))
        flow += [Paragraph(html.escape(text, quote=False), styles["BodyText"]) for text in part.paragraphs]

    def furniture(canvas: Canvas, document: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(2 * cm, 28.5 * cm, f"{story.title}: a short account")
        canvas.drawRightString(19 * cm, 1 * cm, f"Page {document.page}")

    SimpleDocTemplate(str(target), title=story.title).build(flow, onFirstPage=furniture, onLaterPages=furniture)


def _roff(story: Story) -> str:
    parts = [f".TL\n{markup.roff(story.title)}"]
    for number, part in enumerate(story.parts):
        parts += [".bp"] if number else []
        parts.append(f".SH\n{markup.roff(part.heading)}")
        parts += [f".PP\n{markup.roff(text)}" for text in part.paragraphs]
    return "\n".join(parts) + "\n"


def _groff(shop: Workshop, story: Story, target: Path) -> None:
    target.write_bytes(_bytes(["groff", "-k", "-ms", "-Tpdf"], _roff(story), shop))


def _ghostscript(shop: Workshop, story: Story, target: Path) -> None:
    folder = shop.scratch("ghostscript")
    (folder / "in.ps").write_bytes(_bytes(["groff", "-k", "-ms", "-Tps"], _roff(story), shop))
    run(["gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=pdfwrite", f"-sOutputFile={target}", "in.ps"], cwd=folder)


def _bytes(command: Sequence[str], source: str, shop: Workshop) -> bytes:
    folder = shop.scratch("roff")
    (folder / "in.ms").write_text(source, "utf-8")
    run(["sh", "-c", f"{' '.join(command)} in.ms > out"], cwd=folder)
    return (folder / "out").read_bytes()


def chromium_print(shop: Workshop, story: Story, target: Path) -> None:
    """As a browser prints it."""
    page = shop.scratch("chromium") / "page.html"
    page.write_text(markup.web(story), "utf-8")
    profile = f"--user-data-dir={shop.work / 'chromium-profile'}"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", profile]
    run(["chromium", *options, f"--print-to-pdf={target}", str(page)])


def _weasyprint(shop: Workshop, story: Story, target: Path) -> None:
    """Two columns, justified and hyphenated."""
    style = "@page{size:A4} section{columns:2;hyphens:auto;text-align:justify}"
    weasyprint.HTML(string=markup.web(story, style, breaks="section")).write_pdf(target)


def _typst(shop: Workshop, story: Story, target: Path) -> None:
    """Two columns with a footnote on each page."""
    source = [f'#set document(title: "{story.title}")', '#set page(columns: 2, numbering: "1")', f"= {story.title}"]
    source.insert(0, '#set par(justify: true)\n#set text(lang: "en", hyphenate: true)')
    for number, part in enumerate(story.parts):
        source += ["#pagebreak()"] if number else []
        source.append(f"== {part.heading} #footnote[{_FOOTNOTE}]")
        source += [markup.typst(text) + "\n" for text in part.paragraphs]
    file = shop.scratch("typst") / "in.typ"
    file.write_text("\n".join(source), "utf-8")
    typst.compile(str(file), output=str(target))


def _libreoffice(shop: Workshop, story: Story, target: Path) -> None:
    page = shop.scratch("web") / "page.html"
    page.write_text(markup.web(story), "utf-8")
    shop.soffice(page, target, "pdf:writer_web_pdf_Export")


def _fpdf(shop: Workshop, story: Story, target: Path) -> None:
    document = fpdf.FPDF()
    document.set_title(story.title)
    document.add_font("DejaVu", fname=str(_FONTS / "DejaVuSerif.ttf"))
    for number, part in enumerate(story.parts):
        document.add_page()
        for size, text in ([(22, story.title)] if not number else []) + [(15, part.heading)]:
            document.set_font("DejaVu", size=size)
            document.multi_cell(0, size / 2, text, new_x="LMARGIN", new_y="NEXT")
        document.set_font("DejaVu", size=11)
        for text in part.paragraphs:
            document.multi_cell(0, 6, text + "\n\n", new_x="LMARGIN", new_y="NEXT")
    document.output(str(target))


def _latex(shop: Workshop, stories: dict[str, Story]) -> None:
    """A two-column article, and one with formulas and footnotes on small pages."""
    for name, options, fonts, extra in (
        ("rhine", "twocolumn", _LATIN_MODERN, ""),
        ("oxygen", "a5paper", "", _FORMULA % _FOOTNOTE),
    ):
        story, items = stories[name], count()
        body = []
        for part in story.parts:
            body.append(f"\\section{{{markup.tex(part.heading)}}}\n{extra}")
            body += [_labelled(text, part.items, items) for text in part.paragraphs]
        source = _TEX % (options, fonts, markup.tex(story.title), "\n\n".join(body))
        pages = _pdflatex(shop, source, shop.target("pdf", f"{name}.pdf"))
        for item, page in zip((item for part in story.parts for item in part.items), pages, strict=True):
            shop.gold.add(f"pdf/{name}.pdf", item, {"page": page})
        shop.gold.wrote(f"pdf/{name}.pdf", run(["pdflatex", "--version"]).split("\n")[0])


_LATIN_MODERN = r"\usepackage[T1]{fontenc}\usepackage{lmodern}"
_FORMULA = r"The ideal gas obeys $pV = nRT$, so that \[ \rho = \frac{pM}{RT}. \]\footnote{%s}"
_TEX = r"""\documentclass[%s]{article}
%s\usepackage[utf8]{inputenc}\usepackage{longtable}
\title{%s}\author{}\date{}
\begin{document}\maketitle
%s
\end{document}
"""


def pdflatex_article(shop: Workshop, story: Story, target: Path, options: str) -> None:
    """Sections and paragraphs as they fall."""
    body = []
    for part in story.parts:
        body += [f"\\section{{{markup.tex(part.heading)}}}", *map(markup.tex, part.paragraphs)]
    _pdflatex(shop, _TEX % (options, _LATIN_MODERN, markup.tex(story.title), "\n\n".join(body)), target, runs=1)


def _labelled(text: str, items: Sequence[Item], numbers: count[int]) -> str:
    """TeX of a paragraph with a label where each item's words begin; the label's page is that of the words."""
    out, done = "", 0
    for item in items:
        if (place := text.find(item.quote)) >= done:
            out += markup.tex(text[done:place]) + f"\\label{{item{next(numbers)}}}"
            done = place
    return out + markup.tex(text[done:])


def _pdflatex(shop: Workshop, source: str, target: Path, runs: int = 3) -> list[int]:
    """The pages of the labels in order, out of the ``aux`` file."""
    folder = shop.scratch("tex")
    (folder / "in.tex").write_text(source, "utf-8")
    for _ in range(runs):
        run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "in.tex"], cwd=folder)
    target.write_bytes((folder / "in.pdf").read_bytes())
    noted = re.findall(r"\\newlabel\{item(\d+)\}\{\{[^}]*\}\{(\d+)\}", (folder / "in.aux").read_text("utf-8"))
    return [int(page) for _, page in sorted(noted, key=lambda found: int(found[0]))]


def _longtable(shop: Workshop) -> None:
    """A table over several pages whose header comes again on each."""
    with (TABLES / "commands.csv").open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    asked = {int(row["row"]): Item(row["query"], row["quote"]) for row in questions("commands.csv")}
    lines_of_tex = []
    for number, cells in enumerate(rows, 2):
        label = f"\\label{{item{number}}}" if number in asked else ""
        lines_of_tex.append(label + " & ".join(map(markup.tex, cells)) + r" \\")
    begin = r"\begin{longtable}{p{2.5cm}p{9.5cm}}"
    head = " & ".join(header) + r" \\ \hline \endhead"
    table = "\n".join([begin, head, *lines_of_tex, r"\end{longtable}"])
    source = _TEX % ("", _LATIN_MODERN, "Commands at hand", table)
    pages = _pdflatex(shop, source, shop.target("pdf", "commands-reference.pdf"))
    for item, page in zip((asked[number] for number in sorted(asked)), pages, strict=True):
        shop.gold.add("pdf/commands-reference.pdf", item, {"page": page})
    shop.gold.wrote("pdf/commands-reference.pdf", run(["pdflatex", "--version"]).split("\n")[0])


def questions(table: str) -> list[dict[str, str]]:
    """What is asked of a table: rows of ``query, quote, row, column, sheet``, rows and columns from 1."""
    with (TABLES / "questions.csv").open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["table"] == table]


CHINESE = (
    ("城市花园管理手册", "每年三月,园丁会修剪玫瑰,并在花坛里铺上一层薄薄的堆肥。请勿在霜冻期间浇水。"),
    ("灌溉", "滴灌系统在清晨五点自动开启,持续二十分钟。如果雨量传感器测得超过八毫米,系统会跳过当天的灌溉。"),
    ("开放时间", "温室在冬季周二至周日开放,上午九点到下午四点。团体参观需要提前一周预约。"),
)
CHINESE_ITEMS = (
    (Item("滴灌系统什么时候开启", "清晨五点自动开启"), 2),
    (Item("团体参观 预约 温室", "提前一周预约"), 3),
)


def _chinese(shop: Workshop) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    style = ParagraphStyle("zh", fontName="STSong-Light", fontSize=12, leading=18, wordWrap="CJK")
    big = ParagraphStyle("zh-big", parent=style, fontSize=20, leading=28)
    target = shop.target("pdf", "garden-handbook-zh.pdf")
    document = BaseDocTemplate(str(target), title=CHINESE[0][0])
    document.addPageTemplates(PageTemplate(frames=[Frame(2 * cm, 2 * cm, 12 * cm, 24 * cm)]))
    flow: list[object] = []
    for heading, text in CHINESE:
        flow += [Paragraph(heading, big), Paragraph(text, style), PageBreak()]
    document.build(flow)
    for item, page in CHINESE_ITEMS:
        shop.gold.add(f"pdf/{target.name}", item, {"page": page})
    shop.gold.wrote(f"pdf/{target.name}", f"ReportLab {reportlab.Version}, a font that is not embedded")


GERMAN = (
    (
        "Heizungsanlage der Schule",
        """Die Heizungsanlage wird im Oktober in Betrieb genommen. Die Vorlauftemperatur richtet sich nach der
        Außentemperatur und überschreitet fünfundsechzig Grad nicht.""",
    ),
    (
        "Störungen",
        """Fällt der Brenner aus, leuchtet die rote Lampe am Schaltschrank. Zuerst wird der Öldruck geprüft; liegt er
        unter neun Bar, ist der Filter zu wechseln. Die Rufbereitschaft der Stadtwerke ist zu verständigen, wenn die
        Anlage länger als vier Stunden stillsteht.""",
    ),
    (
        "Wartung",
        """Der Schornsteinfeger prüft die Abgaswerte jährlich im Februar. Wärmetauscher und Umwälzpumpen werden alle
        zwei Jahre gereinigt, die Sicherheitsventile vierteljährlich von Hand angelüftet.""",
    ),
)
GERMAN_ITEMS = (
    (Item("Öldruck zu niedrig Filter wechseln Brenner", "liegt er unter neun Bar"), 2),
    (Item("Wann prüft der Schornsteinfeger die Abgaswerte?", "Abgaswerte jährlich im Februar"), 3),
    (Item("höchste Vorlauftemperatur der Heizung", "überschreitet fünfundsechzig Grad nicht"), 1),
)


def _german(shop: Workshop) -> None:
    """Narrow hyphenated columns, so that most long words are cut at line ends."""
    story = Story("Betriebshandbuch", tuple(Part(heading, (text,), ()) for heading, text in GERMAN))
    style = "@page{size:A5;margin:4cm} body{hyphens:auto;text-align:justify;font:11pt 'DejaVu Serif'}"
    page = markup.web(story, style, "de")
    target = shop.target("pdf", "betriebshandbuch.pdf")
    weasyprint.HTML(string=page).write_pdf(target)
    for item, number in GERMAN_ITEMS:
        shop.gold.add(f"pdf/{target.name}", item, {"page": number})
    shop.gold.wrote(f"pdf/{target.name}", f"WeasyPrint {weasyprint.__version__}")
