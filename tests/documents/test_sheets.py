"""Spreadsheets: every cell at its address, as its window shows it; and what is not read as it stands is told.

XLSX and ODS are written here, XLS and XLSB were written by programs that people use.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from python_calamine import CalamineError

from lens_lsp.documents.kinds import Failure, Unextracted
from lens_lsp.documents.readers.office_package import MOST_PART
from lens_lsp.documents.readers.sheet_parts import unread_of_old
from lens_lsp.documents.readers.sheets import SheetReader, column_name, mistaken_for_dates
from tests.documents.parts import CHART, CHART_TEXT, ENCRYPTED_OFFICE, place_of, read, relations, zipped

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
DATE, MOMENT, SPAN, HOUR, PERCENT, MONEY, SCIENCE, DAY, CROWNS = range(1, 10)
STYLES = f"""<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/>
<numFmt numFmtId="171" formatCode="[h]:mm"/>
<numFmt numFmtId="173" formatCode="&quot;$&quot;#,##0.00"/><numFmt numFmtId="172" formatCode="hh:mm"/>
<numFmt numFmtId="174" formatCode="0.00\\ &quot;kr&quot;"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="172"/>
<xf numFmtId="9"/><xf numFmtId="173"/><xf numFmtId="11"/><xf numFmtId="15"/><xf numFmtId="174"/></cellXfs>
</styleSheet>"""


def cell(address, value, style=0, kind=None):
    if isinstance(value, str) and kind is None:
        return f'<c r="{address}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{address}" s="{style}"' + (f' t="{kind}"' if kind else "") + f"><v>{value}</v></c>"


def rows(*cells_of_rows):
    return "".join(f'<row r="{number}">{"".join(cells)}</row>' for number, cells in cells_of_rows)


def book(*sheets, merged="", **more):
    states = ["", "", *[' state="hidden"'] * len(sheets)]
    listed = "".join(
        f'<sheet name="{name}" sheetId="{at}" r:id="s{at}"{state}/>'
        for at, ((name, _), state) in enumerate(zip(sheets, states, strict=False), 1)
    )
    parts = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{R}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            ("st", "styles", "styles.xml"),
            *((f"s{at}", "worksheet", f"worksheets/sheet{at}.xml") for at in range(1, len(sheets) + 1)),
        ),
        "xl/styles.xml": STYLES,
        **more,
    }
    for at, (_, content) in enumerate(sheets, 1):
        data = f"<sheetData>{content}</sheetData>{merged}"
        parts[f"xl/worksheets/sheet{at}.xml"] = f'<worksheet xmlns="{MAIN}">{data}</worksheet>'
    return zipped(parts)


def shown(*values):
    """The cells of a row as text, of (value, style, kind)."""
    content = rows((1, [cell(f"{column_name(at)}1", *value) for at, value in enumerate(values)]))
    return read(SheetReader(), book(("S", content))).text.removeprefix("S\n\n").split(" | ")


def test_every_cell_is_found_at_its_address_wherever_the_used_area_begins():
    content = rows(
        (3, [cell("C3", "Region"), cell("E3", "Amount")]),
        (5, [cell("C5", "North"), cell("E5", 12)]),
        (6, [cell("E6", 7)]),
    )
    extracted = read(SheetReader(), book(("Budget 2024", content)))
    assert extracted.text == "Budget 2024\n\nRegion | Amount\nNorth | 12\n| 7"
    for words, address in (("Region", "C3"), ("Amount", "E3"), ("North", "C5"), ("12", "E5"), ("7", "E6")):
        assert place_of(extracted, words) == {"sheet": "Budget 2024", "cell": address}
    assert place_of(extracted, "Budget") == {"sheet": "Budget 2024"}
    header = extracted.structure.blocks[1].span
    assert [block.header for block in extracted.structure.blocks] == [None, None, header, header]


def test_sheets_come_in_their_order_hidden_ones_too_and_empty_ones_not():
    extracted = read(
        SheetReader(),
        book(
            ("One", rows((1, [cell("A1", "a")]))),
            ("Empty", ""),
            ("Hidden", rows((2, [cell("B2", "b")]))),
        ),
    )
    assert extracted.text == "One\n\na\n\nHidden\n\nb"
    assert [heading.text for heading in extracted.structure.headings] == ["One", "Hidden"]
    assert place_of(extracted, "b") == {"sheet": "Hidden", "cell": "B2"}


def test_numbers_are_written_as_people_see_them():
    assert shown((5,), ("5.0",), ("0.30000000000000004", 0, "n"), (-2.5,), ("1E+20", 0, "n"), (123456789012,)) == [
        "5",
        "5.0",
        "0.3",
        "-2.5",
        "1e+20",
        "123456789012",
    ]


def test_shares_and_money_are_written_as_the_window_shows_them():
    assert shown((0.25, PERCENT), (1234.5, MONEY), (1234.5, SCIENCE), (-0.125, PERCENT)) == [
        "25%",
        "$1,234.50",
        "1.23E+03",
        "-13%",
    ]


def test_dates_and_times_are_written_as_their_formats_say_and_as_iso_where_the_computer_would_decide():
    assert shown((45352, DATE), (45352.5, MOMENT), (3.770833333333333, SPAN), (0.5451388888888888, HOUR)) == [
        "2024-03-01",
        "2024-03-01 12:00",
        "90:30",
        "13:05",
    ]
    assert shown((45352, DAY), (45352.5, DAY)) == ["1-Mar-24 (2024-03-01)", "1-Mar-24 (2024-03-01)"]


def test_a_row_of_formatted_numbers_is_no_header():
    content = rows(
        (1, [cell("A1", "Rent"), cell("B1", 940, CROWNS), cell("C1", 45352, DAY)]),
        (2, [cell("A2", "Oil"), cell("B2", 12, CROWNS), cell("C2", 45353, DAY)]),
    )
    extracted = read(SheetReader(), book(("S", content)))
    assert extracted.text == "S\n\nRent | 940.00 kr | 1-Mar-24 (2024-03-01)\nOil | 12.00 kr | 2-Mar-24 (2024-03-02)"
    assert [block.header for block in extracted.structure.blocks] == [None, None, None]


def test_formats_are_those_of_the_cells_whatever_their_addresses_say_and_leave_out():
    bare = '<row><c s="5"><v>0.5</v></c><c><v>0.5</v></c></row><row r="4"><c s="5"><v>0.25</v></c></row>'
    quoted = "<row r='6'><c s='6' r='C6'><v>1.5</v></c><c r='D6' s='99'><v>3</v></c></row>"
    extracted = read(SheetReader(), book(("S", bare + quoted)))
    assert extracted.text.splitlines()[2:] == ["50% | 0.5", "25%", "| | $1.50 | 3"]


def test_formats_that_are_damaged_are_none():
    content = rows((1, [cell("A1", 0.25, PERCENT)]))
    assert read(SheetReader(), book(("S", content))).text == "S\n\n25%"
    strict = {"xl/styles.xml": STYLES.replace(MAIN, "http://purl.oclc.org/ooxml/spreadsheetml/main")}
    assert read(SheetReader(), book(("S", content), **strict)).text == "S\n\n25%"


def test_a_sheet_too_large_for_its_formats_to_be_read_says_so():
    content = rows((1, [cell("A1", 0.25, PERCENT)])) + " " * MOST_PART
    extracted = SheetReader().extract(book(("S", content)))
    assert extracted.text == "S\n\n0.25"
    assert extracted.notices == ("S is large: its numbers are told without their formats",)


def test_truth_and_text_with_line_breaks_stay_on_the_row():
    assert shown((1, 0, "b"), ("two\n lines",), ("x",)) == ["TRUE", "two lines", "x"]


def test_a_merged_cell_says_its_words_once():
    content = rows((1, [cell("A1", "wide"), cell("C1", "x")]), (2, [cell("A2", "a"), cell("B2", "b"), cell("C2", "c")]))
    data = book(("S", content), merged='<mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells>')
    assert read(SheetReader(), data).text == "S\n\nwide | | x\na | b | c"


def test_rows_beyond_the_bound_are_left_out_and_said():
    content = rows(*((row, [cell(f"A{row}", row), cell(f"B{row}", "x")]) for row in range(1, 8)))
    extracted = SheetReader(most_cells=9).extract(book(("Big", content), ("Later", rows((1, [cell("C1", "a")])))))
    assert extracted.text == "Big\n\n1 | x\n2 | x\n3 | x\n4 | x\n\nLater\n\na"
    assert extracted.notices == ("only the first 4 of 7 rows of Big were read",)


def test_no_more_than_the_area_of_a_sheet_is_looked_at():
    content = rows((1, [cell("A1", "near")]), (50, [cell("B50", "far")]))
    extracted = SheetReader(most_cells=9).extract(book(("Wide", content)))
    assert extracted.text == "Wide\n\nnear"
    assert extracted.notices == ("only the first 18 of 50 rows of Wide were read",)


@pytest.mark.parametrize("indentation", ["", "\n  "])
def test_an_opendocument_sheet_is_read_alike_however_it_is_indented(indentation):
    def odf(*names):
        return " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)

    content = (
        f"<office:document-content {odf('office', 'table', 'text')}><office:body><office:spreadsheet>"
        '<table:table table:name="Tab"><table:table-row><table:table-cell/>'
        '<table:table-cell office:value-type="string"><text:p>Name</text:p></table:table-cell>'
        '<table:table-cell office:value-type="string"><text:p>When</text:p>'
        "</table:table-cell></table:table-row><table:table-row><table:table-cell/>"
        '<table:table-cell office:value-type="string"><text:p>Ann</text:p></table:table-cell>'
        '<table:table-cell office:value-type="date" office:date-value="2024-03-01"><text:p>1 March</text:p>'
        "</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"
    )
    meta = (
        f'<office:document-meta {odf("office", "meta")} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
        "<dc:title>Team</dc:title><meta:keyword>a</meta:keyword><meta:keyword>b</meta:keyword></office:meta>"
        "</office:document-meta>"
    )
    data = zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": f"<manifest:manifest {odf('manifest')}/>",
            "content.xml": content.replace("><table:", f">{indentation}<table:").replace(
                "></table:", f">{indentation}</table:"
            ),
            "meta.xml": meta,
        }
    )
    extracted = read(SheetReader(), data)
    assert extracted.text == "Tab\n\nName | When\nAnn | 1 March (2024-03-01)"
    assert place_of(extracted, "2024-03-01") == {"sheet": "Tab", "cell": "C2"}
    assert extracted.structure.head.title == "Team"
    assert extracted.structure.head.tags == ("a", "b")


@pytest.mark.parametrize(
    "data",
    [
        ENCRYPTED_OFFICE,
        zipped(
            {"mimetype": "application/vnd.oasis", "META-INF/manifest.xml": "<m:encryption-data/>", "content.xml": "?"}
        ),
    ],
)
def test_an_encrypted_workbook_says_so(data):
    with pytest.raises(Unextracted) as failed:
        SheetReader().extract(data)
    assert failed.value.failure is Failure.ENCRYPTED


def test_a_workbook_without_cells_is_empty():
    with pytest.raises(Unextracted) as failed:
        SheetReader().extract(book(("S", "")))
    assert failed.value.failure is Failure.EMPTY


def test_what_is_no_workbook_is_refused():
    with pytest.raises(CalamineError):
        SheetReader().extract(b"not a workbook")


@pytest.mark.parametrize(
    ("index", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16383, "XFD")]
)
def test_columns_are_named_as_in_a_spreadsheet(index, name):
    assert column_name(index) == name


WORKBOOKS = Path(__file__).parent / "binary_sheets"
"""Made by ``python -m tests.documents.making.binary_sheets``."""
BINARY = ["libreoffice-97.xls", "sheetjs-97.xls", "sheetjs-95.xls", "sheetjs.xlsb"]
BINARY_WITH_DATES = ["libreoffice-97.xls", "sheetjs.xlsb"]
"""Written by programs that wrote the formats of dates, too."""


def extracted(name: str):
    return read(SheetReader(), (WORKBOOKS / name).read_bytes())


@pytest.mark.parametrize("name", BINARY)
def test_cells_stand_at_their_addresses(name: str) -> None:
    found = extracted(name)
    across, price = ("E", "$1,234.50") if name.endswith(".xlsb") else ("C", "1234.5")
    assert place_of(found, "Harrow") == {"sheet": "Machines", "cell": "A3"}
    assert place_of(found, price) == {"sheet": "Machines", "cell": f"{across}2"}
    assert place_of(found, "Kept in the barn") == {"sheet": "Notes", "cell": "B2"}
    assert found.notices == ()


@pytest.mark.parametrize("name", BINARY[:-1])
def test_shares_and_money_in_the_oldest_kind_are_told_as_numbers(name: str) -> None:
    """Not as they are shown, 25 % and $1,234.50: its formats are not read, which the documentation says."""
    lines = extracted(name).text.splitlines()
    assert lines[3].startswith("Seed drill | 0.25 | 1234.5 | ")
    assert lines[4].startswith("Harrow | 0.755 | -80 | ")


def test_shares_and_money_are_shown_by_the_formats_of_the_records() -> None:
    lines = extracted("sheetjs.xlsb").text.splitlines()
    assert lines[3].startswith("Seed drill | 25% | $1,234.50 | ")
    assert lines[4].startswith("Harrow | 76% | -$80.00 | ")


@pytest.mark.parametrize("name", BINARY_WITH_DATES)
def test_dates_are_told_as_dates(name: str) -> None:
    lines = extracted(name).text.splitlines()
    assert [line.split(" | ")[3:] for line in lines[3:6]] == [
        ["2024-03-01", "TRUE"],
        ["2023-12-31", "FALSE"],
        ["1999-01-09", "TRUE"],
    ]


@pytest.mark.parametrize("name", ["libreoffice-97.xls", "sheetjs-97.xls", "sheetjs.xlsb", "gnumeric-97.xls"])
def test_letters_beyond_ascii_are_whole(name: str) -> None:
    assert "Grüße aus Kösen" in extracted(name).text


def test_cells_whose_columns_are_not_said_are_told_of() -> None:
    found = extracted("unsaid.xlsb")
    assert "Seed drill" in found.text
    assert "1234.5" not in found.text
    assert found.notices == ("16 cells were not read: their columns are not said; save it as .xlsx",)


def test_numbers_that_the_library_takes_for_dates_are_told_of() -> None:
    found = extracted("gnumeric-97.xls")
    assert "1234.5" not in found.text
    assert found.notices == ("some of its numbers are shown as dates; save it as .xlsx",)


def test_a_format_of_dates_under_such_a_number_is_none() -> None:
    data = (WORKBOOKS / "gnumeric-97.xls").read_bytes()
    assert mistaken_for_dates(data)
    assert not mistaken_for_dates(data.replace(b'"$"#,##0.00', b'"$"yy-mm-dd'))
    assert not mistaken_for_dates(data[4:])


def beside(sheet_xml="", drawing="", **parts):
    """A workbook of one sheet with parts beside it; their names begin with their kinds."""
    named = [(name, re.match("[a-zA-Z]+", name)[0], f"../{name}.xml") for name in parts]
    drawn = (
        f'<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:r="{R}"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
        f' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><xdr:twoCellAnchor>{drawing}'
        "</xdr:twoCellAnchor></xdr:wsDr>"
    )
    return book(
        ("S", rows((1, [cell("A1", "Name")]))),
        merged=sheet_xml,
        **{
            "xl/worksheets/_rels/sheet1.xml.rels": relations(*named, ("d", "drawing", "../drawing.xml")),
            "xl/drawing.xml": drawn,
            "xl/_rels/drawing.xml.rels": relations(("c1", "chart", "chart.xml")),
            "xl/chart.xml": CHART,
            **{f"xl/{name}.xml": content for name, content in parts.items()},
        },
    )


def test_comments_stand_behind_the_rows_at_their_cells():
    comments = (
        f'<comments xmlns="{MAIN}"><authors><author>Ann</author><author>tc={{1}}</author></authors><commentList>'
        '<comment ref="B7" authorId="0"><text><r><t>Ann:</t></r><r><t>\ntoo long</t></r></text></comment>'
        '<comment ref="C9" authorId="1"><text><t>[Threaded comment] Your version of Excel is old</t></text></comment>'
        "</commentList></comments>"
    )
    threaded = (
        '<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">'
        '<threadedComment ref="C9"><text>Why?</text></threadedComment></ThreadedComments>'
    )
    extracted = read(SheetReader(), beside(comments=comments, threadedComment=threaded))
    assert extracted.text.split("\n\n") == ["S", "Name", "Comment: Why?", "Comment (Ann): too long"]
    assert place_of(extracted, "too long") == {"sheet": "S", "cell": "B7"}
    assert place_of(extracted, "Why?") == {"sheet": "S", "cell": "C9"}


def test_charts_text_boxes_headers_and_footers_of_a_sheet_are_read():
    print_ = (
        "<headerFooter><oddHeader>&amp;L&amp;&quot;Arial,Bold&quot;&amp;14Acme &amp;&amp; Sons&amp;RPage &amp;P"
        "</oddHeader>"
        "<oddFooter>&amp;C&amp;KFF0000secret</oddFooter></headerFooter>"
    )
    drawing = (
        '<xdr:graphicFrame><c:chart r:id="c1"/></xdr:graphicFrame>'
        "<xdr:sp><xdr:txBody><a:p><a:r><a:t>boxed</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
        '<xdr:pic><xdr:nvPicPr><xdr:cNvPr descr="A red lamp"/></xdr:nvPicPr></xdr:pic>'
    )
    extracted = read(SheetReader(), beside(print_, drawing))
    assert extracted.text.split("\n\n") == [
        "S",
        "Name",
        *CHART_TEXT,
        "Text box: boxed",
        "Picture: A red lamp",
        "Header: Acme & Sons | Page",
        "Footer: secret",
    ]
    assert place_of(extracted, "boxed") == {"sheet": "S"}


def test_damaged_parts_beside_the_cells_are_named_and_the_cells_read():
    extracted = read(SheetReader(), beside(comments="<broken"))
    assert extracted.text == "S\n\nName"
    assert extracted.notices == ("comments.xml could not be read: it is damaged or too large",)


def test_comments_of_an_open_sheet_stand_at_their_cells():
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = (
        f'<office:document-content {names} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:body>'
        "<office:spreadsheet>"
        '<table:table table:name="S"><table:table-row table:number-rows-repeated="2"><table:table-cell/>'
        "</table:table-row>"
        '<table:table-row><table:table-cell table:number-columns-repeated="3"/><table:table-cell'
        ' office:value-type="string"><office:annotation><dc:creator>Ann</dc:creator><text:p>too long</text:p>'
        "</office:annotation><text:p>Name</text:p></table:table-cell></table:table-row></table:table>"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    made = zipped({"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content})
    extracted = read(SheetReader(), made)
    assert place_of(extracted, "Comment (Ann): too long") == {"sheet": "S", "cell": "D3"}


def test_what_an_xls_has_beside_its_cells_is_named():
    assert unread_of_old(b"\xd0\xcf\x11\xe0" + b"\x09\x08\x10\x00\x00\x06\x20\x00" + b"\0" * 9) == [
        "its charts were not read; save it as .xlsx"
    ]
    assert unread_of_old(b"\xd0\xcf\x11\xe0" + b"\0" * 99) == []
