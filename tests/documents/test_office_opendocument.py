from __future__ import annotations

import pytest

from lens_lsp.documents.kinds import Failure, Unextracted
from lens_lsp.documents.readers.office import OpenDocumentReader
from lens_lsp.model.documents import Head
from tests.documents.parts import OLD_BINARY, kinds, place_of, read, zipped

ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for name, full in {
        **{name: name for name in ("office", "text", "table", "style", "presentation", "meta", "form", "chart")},
        "draw": "drawing",
        "svg": "svg-compatible",
    }.items()
)


def document(kind, body, automatic="", **more):
    content = (
        f'<office:document-content {ODF} xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    return zipped({"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content, **more})


def text_of(body):
    return read(OpenDocumentReader(), document("text", body)).text


def cell(*texts, repeated=1):
    words = "".join(f"<text:p>{text}</text:p>" for text in texts)
    return f'<table:table-cell table:number-columns-repeated="{repeated}">{words}</table:table-cell>'


def row(*cells):
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def box(text, kind="", at=("0cm", "0cm")):
    chosen = f' presentation:class="{kind}"' if kind else ""
    return (
        f'<draw:frame svg:x="{at[0]}" svg:y="{at[1]}"{chosen}><draw:text-box><text:p>{text}</text:p></draw:text-box>'
        "</draw:frame>"
    )


def test_headings_paragraphs_and_lists_come_in_their_order():
    style = '<style:style style:name="P1" style:parent-style-name="Title"/><style:style style:name="P2"/>'
    body = (
        '<text:p text:style-name="P1">The title</text:p><text:h text:outline-level="2">Part</text:h>'
        '<text:section><text:p text:style-name="P2">a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d '
        "<text:span>e<text:a>f</text:a></text:span>g</text:p></text:section>"
        "<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>two</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
    )
    extracted = read(OpenDocumentReader(), document("text", body, style))
    assert kinds(extracted) == [
        ("heading", "The title"),
        ("heading", "Part"),
        ("paragraph", "a b c\nd efg"),
        ("list-item", "one"),
        ("list-item", "two"),
    ]
    assert [heading.level for heading in extracted.structure.headings] == [1, 2]
    assert extracted.structure.head.title == "The title"


def test_a_paragraph_in_the_style_of_a_heading_is_one():
    automatic = (
        '<style:style style:name="P1" style:parent-style-name="Heading_20_2"/>'
        '<style:style style:name="P2" style:parent-style-name="Mine"/>'
        '<style:style style:name="Loop" style:parent-style-name="Loop"/>'
    )
    styles = f'<office:document-styles {ODF}><style:style style:name="Mine" style:default-outline-level="3"/>'
    styles += '<style:style style:name="Heading_20_2"/></office:document-styles>'
    body = "".join(f'<text:p text:style-name="{name}">{name}</text:p>' for name in ("P1", "P2", "Loop"))
    extracted = read(OpenDocumentReader(), document("text", body, automatic, **{"styles.xml": styles}))
    assert [(heading.level, heading.text) for heading in extracted.structure.headings] == [(2, "P1"), (3, "P2")]


def test_deletions_hidden_text_and_tables_of_contents_are_left_out():
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:table-of-content><text:index-body><text:p>Part 7</text:p></text:index-body></text:table-of-content>"
        '<text:p>kept<text:change text:change-id="c"/><text:hidden-text>secret</text:hidden-text> text</text:p>'
    )
    assert text_of(body) == "kept text"


def test_notes_come_last_and_comments_behind_their_paragraph():
    body = (
        "<text:p>before<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p>"
        "</text:note-body></text:note> after<office:annotation><dc:creator>someone</dc:creator>"
        "<text:p>a comment</text:p></office:annotation></text:p><text:p>next</text:p>"
    )
    assert text_of(body) == "before after\n\nComment (someone): a comment\n\nnext\n\nFootnote 1: a note"


def test_tables_are_rows_under_their_header():
    body = (
        "<table:table><table:table-header-rows>"
        + row(cell("1st"), "<table:covered-table-cell><text:p>no</text:p></table:covered-table-cell>", cell("2"))
        + "</table:table-header-rows>"
        + row(cell("a"), cell(repeated=2), cell("two", "parts"))
        + "</table:table>"
    )
    extracted = read(OpenDocumentReader(), document("text", body))
    assert extracted.text == "1st | | 2\na | | | two parts"
    assert extracted.structure.blocks[1].header == extracted.structure.blocks[0].span


def test_nested_tables_come_below_their_row_and_one_column_is_a_frame():
    inner = f"<table:table>{row(cell('in'), cell('side'))}</table:table>"
    holding = f"<table:table-cell><text:p>A</text:p>{inner}</table:table-cell>"
    table = f"<table:table>{row(holding, cell('B'))}{row(cell('c'), cell('d'))}</table:table>"
    frame = f"<table:table>{row(cell('framed', 'text'))}</table:table>"
    assert text_of(table + frame) == "A | B\n\nin | side\n\nc | d\n\nframed\n\ntext"


def test_a_text_box_comes_behind_the_paragraph_it_hangs_on():
    assert text_of(f"<text:p>anchor{box('boxed')} goes on</text:p><text:p>next</text:p>") == (
        "anchor goes on\n\nboxed\n\nnext"
    )


def test_slides_have_their_title_first_then_their_shapes_by_place_then_their_notes():
    first = box("low", at=("1cm", "9cm")) + box("right", at=("12cm", "4cm")) + box("left", at=("10mm", "4.2cm"))
    first += box("Opening", "title", ("0cm", "9cm")) + box("page 1", "footer")
    first += f"<presentation:notes>{box('no', 'page')}{box('say this', 'notes')}</presentation:notes>"
    table = f"<table:table>{row(cell('Name'), cell('Age'))}{row(cell('Ann'), cell('7'))}</table:table>"
    second = (
        f'<draw:frame svg:x="1cm" svg:y="1cm">{table}</draw:frame><draw:g>{box("grouped", at=("2cm", "8cm"))}</draw:g>'
    )
    extracted = read(
        OpenDocumentReader(),
        document("presentation", f"<draw:page>{first}</draw:page><draw:page>{second}</draw:page>"),
    )
    assert extracted.text == ("Opening\n\nleft\n\nright\n\nlow\n\nsay this\n\nName | Age\nAnn | 7\n\ngrouped")
    assert place_of(extracted, "left") == {"slide": 1}
    assert place_of(extracted, "say this") == {"slide": 1, "part": "notes"}
    assert place_of(extracted, "Ann") == place_of(extracted, "grouped") == {"slide": 2}
    assert [heading.text for heading in extracted.structure.headings] == ["Opening"]


def test_metadata_is_the_head():
    meta = (
        f'<office:document-meta {ODF} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>Plan</dc:title>'
        "<dc:subject>Work</dc:subject><meta:keyword>a</meta:keyword></office:meta></office:document-meta>"
    )
    data = document("text", "<text:p>x</text:p>", **{"meta.xml": meta})
    assert read(OpenDocumentReader(), data).structure.head == Head("Plan", (), ("a",), "Work")


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (document("text", "", **{"META-INF/manifest.xml": "<m:encryption-data/>"}), Failure.ENCRYPTED),
        (OLD_BINARY, Failure.BROKEN),
        (b"no zip", Failure.BROKEN),
        (zipped({"other.txt": "x"}), Failure.BROKEN),
        (document("text", ""), Failure.EMPTY),
    ],
)
def test_what_is_no_document_says_why(data, failure):
    with pytest.raises(Unextracted) as failed:
        OpenDocumentReader().extract(data)
    assert failed.value.failure is failure


def test_pictures_are_counted_once_each_and_those_of_charts_never():
    names = ("Pictures/a.png", "Pictures/a.png", "Pictures/b.png", "./ObjectReplacements/Object 1")
    images = "".join(f'<draw:image xlink:href="{name}"/>' for name in names)
    body = f'<text:p>Words.<draw:frame xmlns:xlink="http://www.w3.org/1999/xlink">{images}</draw:frame></text:p>'
    assert read(OpenDocumentReader(), document("text", body)).pictures == 2
    assert read(OpenDocumentReader(), document("text", "<text:p>Words.</text:p>")).pictures == 0


def test_charts_forms_headers_and_names_of_pictures_are_read():
    def cells(*texts):
        return row(*map(cell, texts))

    chart = (
        f"<office:document-content {ODF}><office:body><office:chart><chart:chart><chart:title><text:p>Sold</text:p>"
        f"</chart:title><table:table>{cells('', 'Nails')}{cells('2023', '8.2')}</table:table></chart:chart>"
        "</office:chart></office:body></office:document-content>"
    )
    styles = (
        f"<office:document-styles {ODF}><office:master-styles><style:master-page><style:header><text:p>Acme</text:p>"
        '</style:header><style:header-left style:display="false"><text:p>no</text:p></style:header-left>'
        "<style:footer><text:p>page</text:p></style:footer></style:master-page></office:master-styles>"
        "</office:document-styles>"
    )
    body = (
        '<office:forms><form:form><form:text form:name="owner" form:current-value="Ann"/>'
        '<form:checkbox form:label="Married" form:current-state="checked"/><form:checkbox form:label="Single"/>'
        '</form:form></office:forms><text:p>see<draw:frame><draw:object xlink:href="./Object 1"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink"/><svg:desc>A chart of nails</svg:desc></draw:frame></text:p>'
        "<text:p>next</text:p>"
    )
    made = document("text", body, **{"styles.xml": styles, "Object 1/content.xml": chart})
    assert read(OpenDocumentReader(), made).text.split("\n\n") == [
        "see",
        "Chart: Sold",
        "| Nails\n2023 | 8.2",
        "Picture: A chart of nails",
        "next",
        "Form field owner: Ann",
        "Form field Married: checked",
        "Header: Acme",
        "Footer: page",
    ]


def test_deleted_text_is_counted_and_a_damaged_chart_is_named():
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p></text:deletion>"
        '</text:changed-region></text:tracked-changes><text:p>new<draw:frame><draw:object xlink:href="./Object 1"'
        ' xmlns:xlink="http://www.w3.org/1999/xlink"/></draw:frame></text:p>'
    )
    extracted = read(OpenDocumentReader(), document("text", body, **{"Object 1/content.xml": "<broken"}))
    assert extracted.text == "new"
    assert extracted.notices == (
        "deleted text that changes are tracked of is left out: 1",
        "content.xml could not be read: it is damaged or too large",
    )
