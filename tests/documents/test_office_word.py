from __future__ import annotations

import pytest
from lxml.etree import XMLSyntaxError

from lens_lsp.documents.kinds import Failure, Unextracted
from lens_lsp.documents.readers.office import DocxReader
from lens_lsp.model.documents import Head
from tests.documents.parts import CHART, CHART_TEXT, ENCRYPTED_OFFICE, OLD_BINARY, kinds, read, relations, zipped

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
NAMES = (
    f'xmlns:w="{WORD}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:wps="urn:wps" xmlns:v="urn:v"'
)
STYLES = f"""<w:styles {NAMES}>
<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift2"/></w:style>
<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:styleId="Outlined"><w:name w:val="Custom"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:styleId="Liste"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
</w:styles>"""


def run(text):
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def par(text, style="", properties=""):
    chosen = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{chosen}{properties}</w:pPr>{run(text)}</w:p>"


def cell(content, properties=""):
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def row(*cells, properties=""):
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def word(body, names=NAMES, related=(), **more):
    return zipped(
        {
            "_rels/.rels": relations(("r1", "officeDocument", "/text/main.xml"), ("r2", "core-properties", "core.xml")),
            "text/main.xml": f"<w:document {names}><w:body>{body}<w:sectPr/></w:body></w:document>",
            "text/_rels/main.xml.rels": relations(
                *related,
                ("s", "styles", "styles.xml"),
                ("f", "footnotes", "footnotes.xml"),
                ("c", "comments", "comments.xml"),
                ("i", "image", "../NULL"),
            ),
            "text/styles.xml": STYLES,
            **more,
        }
    )


def text_of(body, **more):
    return read(DocxReader(), word(body, **more)).text


def test_headings_are_known_by_style_in_every_language_and_by_outline_level():
    extracted = read(
        DocxReader(),
        word(
            par("The title", "Titel")
            + par("Zweite", "berschrift2")
            + par("Derived", "Mine")
            + par("Outlined", "Outlined")
            + par("Direct", "", '<w:outlineLvl w:val="4"/>')
            + par("Back to text", "Mine", '<w:outlineLvl w:val="9"/>')
            + par("Round", "Loop")
        ),
    )
    levels = [(heading.level, heading.text) for heading in extracted.structure.headings]
    assert levels == [(1, "The title"), (2, "Zweite"), (2, "Derived"), (3, "Outlined"), (5, "Direct")]
    assert kinds(extracted)[-2:] == [("paragraph", "Back to text"), ("paragraph", "Round")]
    assert extracted.structure.head.title == "The title"


def test_items_are_known_by_style_and_numbering():
    body = (
        par("by style", "Liste")
        + par("by number", "", '<w:numPr><w:numId w:val="1"/></w:numPr>')
        + par("not any more", "Liste", '<w:numPr><w:numId w:val="0"/></w:numPr>')
    )
    assert kinds(read(DocxReader(), word(body))) == [
        ("list-item", "by style"),
        ("list-item", "by number"),
        ("paragraph", "not any more"),
    ]


def test_insertions_are_read_and_deletions_are_not():
    body = (
        f"<w:p>{run('a ')}<w:ins>{run('new ')}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        f"<w:moveFrom>{run('from')}</w:moveFrom><w:moveTo>{run('to')}</w:moveTo></w:p>"
        f"<w:ins>{par('inserted paragraph')}</w:ins>"
    )
    assert text_of(body) == "a new to\n\ninserted paragraph"


def test_fields_show_their_result_and_hidden_runs_nothing():
    body = (
        "<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:hyperlink>" + run("link") + "</w:hyperlink>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:tab/><w:t>shown</w:t></w:r>'
        "<w:fldSimple>"
        + run(" 7")
        + "</w:fldSimple><w:r><w:br/></w:r><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></w:p>"
    )
    assert text_of(body) == "link shown 7\nE=mc"


def test_content_controls_hold_blocks_runs_rows_and_cells():
    def control(content):
        return f"<w:sdt><w:sdtPr><w:t>no</w:t></w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"

    table = (
        f"<w:tbl>{control(row(cell(par('A')), control(cell(par('B')))))}{row(cell(par('1')), cell(par('2')))}</w:tbl>"
    )
    body = control(par("block")) + f"<w:p>{control(run('in line'))}</w:p>" + table
    assert text_of(body) == "block\n\nin line\n\nA | B\n1 | 2"


def test_a_text_box_is_read_once_behind_the_paragraph_it_hangs_on():
    box = f"<w:txbxContent>{par('boxed')}</w:txbxContent>"
    body = (
        f"<w:p>{run('anchor')}<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing>"
        f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        f"{run(' goes on')}</w:p>" + par("next")
    )
    assert text_of(body) == "anchor goes on\n\nboxed\n\nnext"


def test_tables_are_rows_under_a_header_with_merged_cells_in_place():
    body = (
        "<w:tbl>"
        + row(cell(par("Name")), cell(par("Who") + par("else"), '<w:gridSpan w:val="2"/>'), cell(par("Age")))
        + row(cell(par("Ann"), '<w:vMerge w:val="restart"/>'), cell(par("x")), cell(par("y")), cell(par("7")))
        + row(cell(par("covered"), "<w:vMerge/>"), cell(par("z")), cell(par("")), cell(par("8")))
        + row(cell(par("deleted")), cell(par("row")), properties="<w:del/>")
        + "</w:tbl>"
    )
    extracted = read(DocxReader(), word(body))
    assert extracted.text == "Name | Who else | | Age\nAnn | x | y | 7\n| z | | 8"
    header = extracted.structure.blocks[0].span
    assert [block.header for block in extracted.structure.blocks] == [None, header, header]


def test_a_row_that_says_so_is_the_header():
    rows = row(cell(par("1")), cell(par("2")), properties="<w:tblHeader/>") + row(cell(par("a")), cell(par("b")))
    blocks = read(DocxReader(), word(f"<w:tbl>{rows}</w:tbl>")).structure.blocks
    assert blocks[1].header == blocks[0].span


def test_nested_tables_come_below_the_row_that_holds_them():
    inner = "<w:tbl>" + row(cell(par("in")), cell(par("side"))) + "</w:tbl>"
    rows = row(cell(par("A") + inner), cell(par("B"))) + row(cell(par("c")), cell(par("d")))
    assert text_of(f"<w:tbl>{rows}</w:tbl>") == "A | B\n\nin | side\n\nc | d"


def test_a_table_of_one_column_is_a_frame_around_text():
    rows = row(cell(par("Chapter", "berschrift2") + par("words") + par("more")))
    assert [kind for kind, _ in kinds(read(DocxReader(), word(f"<w:tbl>{rows}</w:tbl>")))] == [
        "heading",
        "paragraph",
        "paragraph",
    ]


def test_notes_come_last_without_separators_and_comments_that_nothing_refers_to_behind_them():
    notes = (
        f'<w:footnotes {NAMES}><w:footnote w:type="separator">{par("----")}</w:footnote>'
        f"<w:footnote>{par('a footnote')}</w:footnote></w:footnotes>"
    )
    comments = f"<w:comments {NAMES}><w:comment>{par('a comment')}</w:comment></w:comments>"
    more = {"text/footnotes.xml": notes, "text/comments.xml": comments}
    assert text_of(par("text"), **more) == "text\n\nFootnote 1: a footnote\n\nComment: a comment"


def test_a_comment_stands_behind_what_it_is_on_and_says_who_wrote_it():
    comments = (
        f'<w:comments {NAMES}><w:comment w:id="7" w:author="Ann">{par("too")}{par("long")}</w:comment>'
        f'<w:comment w:id="8" w:author="Bo">{par("in a cell")}</w:comment></w:comments>'
    )
    mark = '<w:r><w:commentReference w:id="{}"/></w:r>'
    marked = f"<w:p>{run('ten days')}{mark.format(7)}</w:p>"
    noted = f"<w:p>{run('B')}{mark.format(8)}</w:p>"
    table = f"<w:tbl>{row(cell(par('A')), cell(noted))}{row(cell(par('1')), cell(par('2')))}</w:tbl>"
    said = text_of(marked + par("next") + table, **{"text/comments.xml": comments}).split("\n\n")
    assert said == ["ten days", "Comment (Ann): too", "long", "next", "A | B", "Comment (Bo): in a cell", "1 | 2"]


def test_headers_and_footers_come_once_behind_the_text():
    def part(name, *lines):
        return f"<w:{name} {NAMES}>{''.join(map(par, lines))}</w:{name}>"

    extracted = read(
        DocxReader(),
        word(
            par("text"),
            related=[
                ("h", "header", "h1.xml"),
                ("i", "header", "h2.xml"),
                ("j", "footer", "f.xml"),
                ("k", "footer", "no"),
            ],
            **{
                "text/h1.xml": part("hdr", "Acme", "secret"),
                "text/h2.xml": part("hdr", "Acme", ""),
                "text/f.xml": part("ftr", "page"),
                "text/no": "<broken",
            },
        ),
    )
    assert extracted.text.split("\n\n") == ["text", "Header: Acme", "Header: secret", "Footer: page"]
    assert extracted.notices == ("no could not be read: it is damaged or too large",)


def test_charts_diagrams_and_names_of_pictures_are_read_where_they_hang():
    drawing = (
        '<w:r><w:drawing xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
        ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
        ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
        ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<wp:docPr name="Picture 1" descr="A red lamp"/>{}</w:drawing></w:r>'
    )
    drawn = drawing.format('<c:chart r:id="c1"/><dgm:relIds r:dm="d1"/>')
    body = f"<w:p>{run('see')}{drawn}</w:p>" + par("next")
    diagram = (
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt>'
        "<dgm:t><a:p><a:r><a:t>first step</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"
    )
    extracted = read(
        DocxReader(),
        word(
            body,
            related=[("c1", "chart", "chart.xml"), ("d1", "diagramData", "data.xml"), ("e", "package", "in.xlsx")],
            **{"text/chart.xml": CHART, "text/data.xml": diagram, "text/in.xlsx": b"PK"},
        ),
    )
    assert extracted.text.split("\n\n") == ["see", "Picture: A red lamp", *CHART_TEXT, "first step", "next"]
    assert extracted.notices == ("embedded in.xlsx: not read",)


def test_boxes_to_tick_and_lists_of_choices_show_what_is_chosen():
    def field(content):
        return f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{content}</w:ffData></w:fldChar></w:r>'

    ticked = field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>')
    empty = field('<w:checkBox><w:default w:val="0"/></w:checkBox>')
    chosen = field('<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>')
    symbol = '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'
    body = f"<w:p>{ticked}{run(' yes ')}{empty}{run(' no ')}{chosen}{symbol}</w:p>"
    assert text_of(body) == "☒ yes ☐ no blue☒"


def test_deleted_text_is_counted():
    body = f"<w:p>{run('a')}<w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
    extracted = read(DocxReader(), word(body))
    assert extracted.text == "a"
    assert extracted.notices == ("deleted text that changes are tracked of is left out: 1",)
    assert not extracted.cut


def test_lines_of_a_table_of_contents_are_left_out():
    assert text_of(par("Chapter 1 ... 7", "TOC1") + par("text")) == "text"


def test_metadata_is_the_head():
    core = (
        '<c:p xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        ' xmlns:d="http://purl.org/dc/elements/1.1/"><d:title>Plan</d:title><d:subject>Work</d:subject>'
        "<d:description>for 2024</d:description><c:keywords>a; b</c:keywords></c:p>"
    )
    head = read(DocxReader(), word(par("text"), **{"core.xml": core})).structure.head
    assert head == Head("Plan", (), ("a", "b"), "Work for 2024")


def test_strict_files_are_read_like_others():
    assert read(DocxReader(), word(par("x", "Titel"), NAMES.replace(WORD, STRICT))).structure.headings[0].text == "x"


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (ENCRYPTED_OFFICE, Failure.ENCRYPTED),
        (OLD_BINARY, Failure.BROKEN),
        (b"not a zip", Failure.BROKEN),
        (b"", Failure.BROKEN),
        (zipped({"other.txt": "x"}), Failure.BROKEN),
        (word(""), Failure.EMPTY),
    ],
)
def test_what_is_no_document_says_why(data, failure):
    with pytest.raises(Unextracted) as failed:
        DocxReader().extract(data)
    assert failed.value.failure is failure


def test_entities_are_neither_expanded_nor_fetched():
    bomb = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
    body = f"<w:document {NAMES}><w:body>{par('&a;&b;')}</w:body></w:document>"
    with pytest.raises(Unextracted, match="document type"):
        DocxReader().extract(zipped({"word/document.xml": bomb + body}))


def test_a_part_that_unpacks_to_too_much_is_refused():
    bomb = f"<w:document {NAMES}><w:body>{' ' * 65_000_000}</w:body></w:document>"
    with pytest.raises(Unextracted) as failed:
        DocxReader().extract(zipped({"word/document.xml": bomb}))
    assert failed.value.failure is Failure.TOO_LARGE


def test_nesting_beyond_all_documents_is_refused_by_the_parser():
    with pytest.raises(XMLSyntaxError):
        DocxReader().extract(word("<w:sdt>" * 5000 + "</w:sdt>" * 5000))


def test_the_deepest_nesting_that_parses_is_read():
    opening, closing = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
    assert text_of(opening * 80 + par("deep") + closing * 80) == "deep"


def test_pictures_that_are_there_are_counted_once_each():
    pictures = relations(("a", "image", "media/a.png"), ("b", "image", "media/a.png"), ("c", "image", "media/c.png"))
    plain = read(DocxReader(), word(par("Words.")))
    assert plain.pictures == plain.unseen == 0
    shown = word(par("Words."), **{"text/_rels/main.xml.rels": pictures, "text/media/a.png": "?"})
    assert read(DocxReader(), shown).pictures == 1
