"""Files with tables, slides, mails and pages in which it is known where every word stands.

Words are coined, and each stands once in all files but for a few that stand in many cells, as states and names of
places do. Everything is written with the standard library.
"""

from __future__ import annotations

import csv
import io
import random
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from email.message import EmailMessage
from functools import partial
from html import escape

from benchmarks.passages.places import NOWHERE, Leaf, Place, Truth, leaf, words_of
from tests.documents.parts import relations, zipped
from tests.documents.pdf_files import PageMaking, PdfMaking, text

Rows = list[list[str]]
COMMON = ("paid", "open", "draft", "sent", "lost", "north", "south", "east", "west", "daily", "weekly", "yearly")
_CONSONANTS, _VOWELS = "bdfgklmnprtvz", "aeiou"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)
_LABELS = frozenset(
    ["from", "to", "subject", "date", "attachment", "attached", "csv", "thu", "2026", "00", "0000", "05", "nov"]
)
_LEFT, _TOP, _STEP, _LINES, _WIDTH = 60, 60, 14, 48, 80


@dataclass(frozen=True, slots=True)
class Made:
    """A file, and what stands in it."""

    name: str
    data: bytes
    truth: Truth


class Coiner:
    """Draws words, cells, sentences and tables."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._coined: set[str] = set()

    def word(self) -> str:
        """A word that stands nowhere else, and begins or ends like none of the language's endings."""
        while True:
            letters = [self.chance.choice(_CONSONANTS if at % 2 == 0 else _VOWELS) for at in range(6)]
            found = "".join(letters) + "k"
            if found not in self._coined:
                self._coined.add(found)
                return found

    def words(self, count: int) -> list[str]:
        """Words, of which every third inner one may stand in other cells, too."""
        return [
            self.chance.choice(COMMON) if 0 < at < count - 1 and self.chance.random() < 0.3 else self.word()
            for at in range(count)
        ]

    def sentence(self) -> str:
        return " ".join(self.words(self.chance.randint(4, 18))).capitalize() + "."

    def paragraph(self) -> list[str]:
        return [self.sentence() for _ in range(self.chance.randint(1, 5))]

    def cell(self) -> str:
        """A cell: a word, a few, a number, a sentence or more, or nothing."""
        draw = self.chance.random()
        if draw < 0.1:
            return ""
        if draw < 0.3:
            number = str(self.chance.randrange(10**6, 10**7))
            return self.cell() if number in self._coined or self._coined.add(number) else number  # type: ignore[func-returns-value]
        if draw < 0.75:
            return " ".join(self.words(self.chance.randint(1, 3)))
        if draw < 0.9:
            return f"{self.word()}, {' '.join(self.words(self.chance.randint(2, 9)))}"
        if draw < 0.98:
            return " ".join(self.sentence() for _ in range(self.chance.randint(2, 4)))
        return " ".join(self.words(self.chance.randint(90, 220)))

    def table(self, wide: float = 0.1, most: int = 25) -> Rows:
        """Rows of cells under a header; the first cell of each has words."""
        columns = self.chance.randint(20, 60) if self.chance.random() < wide else self.chance.randint(2, 7)
        rows = [[" ".join(self.words(self.chance.randint(1, 2))).title() for _ in range(columns)]]
        keys = [" ".join(self.words(self.chance.randint(1, 2))) for _ in range(self.chance.randint(2, most))]
        return rows + [[key, *(self.cell() for _ in range(columns - 1))] for key in keys]


def _name(column: int) -> str:
    """The letters of a column, from 0."""
    letters = ""
    column += 1
    while column:
        column, at = divmod(column - 1, 26)
        letters = chr(65 + at) + letters
    return letters


def _cells(
    rows: Rows, table: int, holder: str = "", place: Callable[[int, int], Place] = lambda row, column: {}
) -> list[Leaf]:
    return [
        leaf(cell, place(at, column), holder, (table, at), column, header=at == 0)
        for at, row in enumerate(rows)
        for column, cell in enumerate(row)
        if cell
    ]


def _lines(sentences: Sequence[str], holder: str = "", place: Place = NOWHERE) -> list[Leaf]:
    return [leaf(sentence, place, holder) for sentence in sentences]


def delimited(coiner: Coiner, delimiter: str, suffix: str) -> Made:
    """A text with quotes where they are needed; some cells have line breaks."""
    rows = coiner.table(most=60)
    for row in rows[1:]:
        if coiner.chance.random() < 0.1:
            row[-1] = row[-1].replace(", ", ",\n").replace(". ", ".\n")
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=coiner.chance.choice(["\n", "\r\n"])).writerows(rows)
    leaves = _cells(rows, 1, place=lambda row, column: {"row": row + 1})
    return Made(f"{coiner.word()}.{suffix}", out.getvalue().encode(), Truth(leaves, frozenset()))


def _sheets(coiner: Coiner) -> Iterator[tuple[str, Rows, list[Leaf], list[tuple[int, int]]]]:
    """The name, the rows of the grid and the leaves of each sheet: a table, or two under each other."""
    table = 0
    for _ in range(coiner.chance.randint(2, 5)):
        name = coiner.word().title()
        grid: Rows = []
        leaves = [leaf(name, {"sheet": name}, name)]
        headers: list[tuple[int, int]] = []
        for _ in range(coiner.chance.choice([1, 1, 2])):
            table += 1
            if coiner.chance.random() < 0.4:
                title = coiner.sentence()
                leaves.append(leaf(title, {"sheet": name, "cell": f"A{len(grid) + 1}"}, name))
                grid += [[title], []]
            rows = coiner.table()
            top = len(grid)
            found = _cells(
                rows,
                table,
                name,
                partial(_address, name, top),
            )
            # Who reads a sheet sees one table in it; a second header is a row like others.
            leaves += found if not headers else [replace(one, header=False, row=None) for one in found]
            headers.append((top, len(rows)))
            grid += [*rows, [], []]
        yield name, grid, leaves, headers


def _address(sheet: str, top: int, row: int, column: int) -> Place:
    return {"sheet": sheet, "cell": f"{_name(column)}{top + row + 1}"}


def workbook_of(*sheets: tuple[str, Rows]) -> bytes:
    """An ``.xlsx`` of sheets, each with its name."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
    }
    listed, related = "", []
    for at, (name, grid) in enumerate(sheets, 1):
        content = ""
        for row, cells in enumerate(grid, 1):
            written = "".join(_sheet_cell(f"{_name(column)}{row}", cell) for column, cell in enumerate(cells) if cell)
            content += f'<row r="{row}">{written}</row>'
        parts[f"xl/worksheets/sheet{at}.xml"] = (
            f'<worksheet xmlns="{_MAIN}"><sheetData>{content}</sheetData></worksheet>'
        )
        listed += f'<sheet name="{name}" sheetId="{at}" r:id="s{at}"/>'
        related.append((f"s{at}", "worksheet", f"worksheets/sheet{at}.xml"))
    parts["xl/workbook.xml"] = f'<workbook xmlns="{_MAIN}" xmlns:r="{_R}"><sheets>{listed}</sheets></workbook>'
    parts["xl/_rels/workbook.xml.rels"] = relations(*related)
    return zipped(parts)


def workbook(coiner: Coiner) -> Made:
    sheets = list(_sheets(coiner))
    data = workbook_of(*((name, grid) for name, grid, _, _ in sheets))
    return Made(f"{coiner.word()}.xlsx", data, Truth([one for _, _, found, _ in sheets for one in found]))


def _sheet_cell(address: str, cell: str) -> str:
    if cell.isdigit():
        return f'<c r="{address}"><v>{cell}</v></c>'
    return f'<c r="{address}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'


def _open(kind: str, body: str) -> bytes:
    content = (
        f"<office:document-content {_ODF}><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>"
    )
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": manifest,
            "content.xml": content,
        }
    )


def _open_rows(rows: Rows) -> str:
    return "".join(f"<table:table-row>{''.join(map(_open_cell, row))}</table:table-row>" for row in rows)


def _open_cell(cell: str) -> str:
    if not cell:
        return "<table:table-cell/>"
    kind = f'office:value-type="float" office:value="{cell}"' if cell.isdigit() else 'office:value-type="string"'
    return f"<table:table-cell {kind}><text:p>{escape(cell)}</text:p></table:table-cell>"


def open_workbook(coiner: Coiner) -> Made:
    leaves: list[Leaf] = []
    body = ""
    for name, grid, found, _ in _sheets(coiner):
        leaves += found
        body += f'<table:table table:name="{name}">{_open_rows([row or [""] for row in grid])}</table:table>'
    return Made(f"{coiner.word()}.ods", _open("spreadsheet", body), Truth(leaves))


def _story(coiner: Coiner) -> Iterator[list[str] | Rows | str]:
    """Headings, paragraphs (lists of sentences) and tables (lists of rows), in order."""
    yield coiner.word()
    for _ in range(coiner.chance.randint(4, 9)):
        draw = coiner.chance.random()
        if draw < 0.25:
            yield " ".join(coiner.words(2))
        elif draw < 0.65:
            yield coiner.paragraph()
        else:
            yield coiner.table()


def _written(
    coiner: Coiner, heading: Callable[[str], str], prose: Callable[[str], str], table: Callable[[Rows], str]
) -> tuple[str, list[Leaf]]:
    """A story in the words of a format."""
    leaves: list[Leaf] = []
    parts: list[str] = []
    for number, part in enumerate(_story(coiner), 1):
        if isinstance(part, str):
            leaves.append(leaf(part))
            parts.append(heading(part))
        elif isinstance(part[0], str):
            leaves += _lines(part)  # type: ignore[arg-type]
            parts.append(prose(" ".join(part)))  # type: ignore[arg-type]
        else:
            leaves += _cells(part, number)  # type: ignore[arg-type]
            parts.append(table(part))  # type: ignore[arg-type]
    return "".join(parts), leaves


def word_document(coiner: Coiner) -> Made:
    def prose(words: str, style: str = "") -> str:
        return f"<w:p>{style}<w:r><w:t>{escape(words)}</w:t></w:r></w:p>"

    def row(cells: Sequence[str]) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{prose(cell)}</w:tc>' for cell in cells)}</w:tr>"

    body, leaves = _written(
        coiner,
        lambda words: prose(words, '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
        prose,
        lambda rows: f"<w:tbl>{''.join(map(row, rows))}</w:tbl>",
    )
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
        "word/document.xml": f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>',
    }
    return Made(f"{coiner.word()}.docx", zipped(parts), Truth(leaves))


def open_document(coiner: Coiner) -> Made:
    body, leaves = _written(
        coiner,
        lambda words: f'<text:h text:outline-level="1">{escape(words)}</text:h>',
        lambda words: f"<text:p>{escape(words)}</text:p>",
        lambda rows: f"<table:table>{_open_rows(rows)}</table:table>",
    )
    return Made(f"{coiner.word()}.odt", _open("text", body), Truth(leaves))


def _html_table(rows: Rows) -> str:
    tags = ["th", *["td"] * (len(rows) - 1)]
    return (
        "<table>"
        + "".join(
            f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)}</tr>\n"
            for tag, row in zip(tags, rows, strict=True)
        )
        + "</table>\n"
    )


def page(coiner: Coiner) -> Made:
    body, leaves = _written(
        coiner, lambda words: f"<h2>{words}</h2>\n", lambda words: f"<p>{escape(words)}</p>\n", _html_table
    )
    tags = frozenset(["tr", "td", "th", "table", "p", "h2", "html", "body"])
    return Made(f"{coiner.word()}.html", f"<html><body>{body}</body></html>".encode(), Truth(leaves, tags))


def _markdown_table(rows: Rows) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) + "\n\n"


def note(coiner: Coiner) -> Made:
    body, leaves = _written(coiner, "## {}\n\n".format, "{}\n\n".format, _markdown_table)
    return Made(f"{coiner.word()}.md", body.encode(), Truth(leaves))


def deck(coiner: Coiner) -> Made:
    """Slides of a title, points and often a table."""
    names = f'xmlns:a="{_A}" xmlns:p="{_P}" xmlns:r="{_R}"'
    leaves: list[Leaf] = []
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
    }

    def words(said: str) -> str:
        return f"<a:p><a:r><a:rPr/><a:t>{escape(said)}</a:t></a:r></a:p>"

    def shape(content: str, kind: str, top: int) -> str:
        return (
            f'<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm>'
            f'<a:off x="0" y="{top}"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/>{content}</p:txBody></p:sp>'
        )

    related = []
    for number in range(1, coiner.chance.randint(4, 9)):
        place: Place = {"slide": number}
        title, points = " ".join(coiner.words(3)), coiner.paragraph()
        titled = coiner.chance.random() < 0.7
        shapes = shape(words(title), "title", 0) if titled else ""
        shapes += shape("".join(map(words, points)), "body", 900_000)
        holder = str(number)
        leaves += [leaf(title, place, holder)] if titled else []
        leaves += _lines(points, holder, place)
        if coiner.chance.random() < 0.6:
            rows = coiner.table(wide=0, most=8)
            leaves += _cells(rows, number, holder, lambda row, column, place=place: place)
            table = "".join(
                f"<a:tr>{''.join(f'<a:tc><a:txBody>{words(cell)}</a:txBody></a:tc>' for cell in row)}</a:tr>"
                for row in rows
            )
            shapes += (
                '<p:graphicFrame><p:xfrm><a:off x="0" y="2000000"/></p:xfrm><a:graphic><a:graphicData>'
                f"<a:tbl>{table}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
            )
        parts[f"ppt/slides/slide{number}.xml"] = (
            f"<p:sld {names}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        )
        related.append((f"s{number}", "slide", f"slides/slide{number}.xml"))
    listed = "".join(f'<p:sldId id="{256 + at}" r:id="{key}"/>' for at, (key, _, _) in enumerate(related))
    parts["ppt/presentation.xml"] = f"<p:presentation {names}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    parts["ppt/_rels/presentation.xml.rels"] = relations(*related)
    return Made(f"{coiner.word()}.pptx", zipped(parts), Truth(leaves))


def _mail(coiner: Coiner, number: int, table: int) -> tuple[bytes, list[Leaf]]:
    place: Place = {"message": number}
    message = EmailMessage()
    subject = " ".join(coiner.words(3))
    message["From"], message["To"] = f"{coiner.word()}@example.org", f"{coiner.word()}@example.org"
    message["Date"], message["Subject"] = "Thu, 05 Nov 2026 05:00:00 +0000", subject
    body = coiner.paragraph()
    holder = str(number)
    leaves = [*_lines([subject, *body], holder, place)]
    leaves += [Leaf((words_of(message[name])[0],), len(message[name]), (place,), holder) for name in ("From", "To")]
    if coiner.chance.random() < 0.5:
        message.set_content("\n\n".join(body))
    else:
        rows = coiner.table(wide=0, most=8)
        leaves += _cells(rows, table, holder, lambda row, column: place)
        message.set_content(f"<html><body><p>{' '.join(body)}</p>{_html_table(rows)}</body></html>", subtype="html")
    if coiner.chance.random() < 0.3:
        made = delimited(coiner, ",", "csv")
        message.add_attachment(made.data, maintype="text", subtype="csv", filename=made.name)
        leaves += [
            replace(
                one,
                places=({"message": number, "attachment": f"{made.name} row {one.row[1] + 1}"},),
                holder=f"{number} attached",
                row=(-table, one.row[1]),
            )
            for one in made.truth.leaves
            if one.row is not None
        ]
    return message.as_bytes(), leaves


_MAIL_LABELS = _LABELS | {"example", "org"}


def mail(coiner: Coiner) -> Made:
    data, leaves = _mail(coiner, 1, 1)
    return Made(f"{coiner.word()}.eml", data, Truth(leaves, _MAIL_LABELS))


def mailbox(coiner: Coiner) -> Made:
    out, leaves = b"", []
    for number in range(1, coiner.chance.randint(4, 15)):
        data, found = _mail(coiner, number, number)
        leaves += found
        out += b"From a@example.org Thu Nov  5 05:00:00 2026\n" + data + b"\n\n"
    return Made(f"{coiner.word()}.mbox", out, Truth(leaves, _MAIL_LABELS))


class _Pages:
    """Lines on pages, downwards."""

    def __init__(self) -> None:
        self.drawn: list[list[str]] = [[]]
        self._down = 0

    @property
    def number(self) -> int:
        return len(self.drawn)

    def line(self, *pieces: tuple[float, str], bold: bool = False) -> int:
        """Draw pieces on the next line; its page."""
        if self._down == _LINES:
            self.drawn.append([])
            self._down = 0
        self.drawn[-1] += [text(said, _LEFT + x, _TOP + _STEP * self._down, bold=bold) for x, said in pieces if said]
        self._down += 1
        return self.number

    def gap(self) -> None:
        self._down = min(self._down + 1, _LINES)

    def data(self) -> bytes:
        return PdfMaking([PageMaking("\n".join(drawn)) for drawn in self.drawn]).written()


def pdf(coiner: Coiner) -> Made:
    """Paragraphs and tables that run over pages as they may."""
    pages, leaves = _Pages(), list[Leaf]()
    for number in range(1, coiner.chance.randint(12, 30)):
        if number % 2 or coiner.chance.random() < 0.5:
            sentences = coiner.paragraph()
            where: list[int] = []
            for line in textwrap.wrap(" ".join(sentences), _WIDTH, break_long_words=False):
                where += [pages.line((0, line))] * len(words_of(line))
            for sentence in sentences:
                words = tuple(words_of(sentence))
                leaves.append(Leaf(words, len(sentence), tuple({"page": at} for at in where[: len(words)])))
                del where[: len(words)]
        else:
            rows = [[coiner.word().title() for _ in range(4)]]
            rows += [
                [
                    coiner.word(),
                    *(
                        coiner.word() if coiner.chance.random() < 0.6 else str(coiner.chance.randrange(10**6, 10**7))
                        for _ in range(3)
                    ),
                ]
                for _ in range(coiner.chance.randint(3, 14))
            ]
            at = [
                pages.line(*((120.0 * column, cell) for column, cell in enumerate(row)), bold=row is rows[0])
                for row in rows
            ]
            leaves += _cells(rows, number, place=lambda row, column, at=at: {"page": at[row]})
        pages.gap()
    return Made(f"{coiner.word()}.pdf", pages.data(), Truth(leaves))


MAKERS: tuple[Callable[[Coiner], Made], ...] = (
    lambda coiner: delimited(coiner, ",", "csv"),
    lambda coiner: delimited(coiner, ";", "csv"),
    lambda coiner: delimited(coiner, "\t", "tsv"),
    workbook,
    open_workbook,
    word_document,
    open_document,
    deck,
    pdf,
    note,
    page,
    mail,
    mailbox,
)


def made_files(chance: random.Random, rounds: int) -> Iterator[Made]:
    """So many files of each kind."""
    coiner = Coiner(chance)
    for _ in range(rounds):
        for make in MAKERS:
            yield make(coiner)
