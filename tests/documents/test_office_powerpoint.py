from __future__ import annotations

import pytest

from lens_lsp.documents.kinds import Failure, Unextracted
from lens_lsp.documents.readers.office import PptxReader
from tests.documents.parts import (
    CHART,
    CHART_TEXT,
    ENCRYPTED_OFFICE,
    OLD_BINARY,
    kinds,
    place_of,
    read,
    relations,
    zipped,
)

NAMES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)


def pars(*texts):
    return "".join(f"<a:p><a:r><a:rPr/><a:t>{text}</a:t></a:r></a:p>" for text in texts)


def shape(content, kind=None, index="", at=None):
    holder = f'<p:ph type="{kind}" idx="{index}"/>' if kind else ""
    if kind == "default":
        holder = f'<p:ph idx="{index}"/>'
    place = f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/></a:xfrm>' if at else ""
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr>{place}</p:spPr>"
        f"<p:txBody><a:bodyPr/>{content}</p:txBody></p:sp>"
    )


def frame(content, at=(0, 0)):
    return (
        f'<p:graphicFrame><p:xfrm><a:off x="{at[0]}" y="{at[1]}"/></p:xfrm><a:graphic><a:graphicData>{content}'
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )


def tree(name, *shapes):
    return f"<p:{name} {NAMES}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:{name}>"


def deck(*slides, layout=(), master=(), notes=(), diagram="", related=(), presentation=(), **more):
    listed = "".join(f'<p:sldId id="{256 + at}" r:id="s{at}"/>' for at in range(len(slides)))
    parts = {
        "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {NAMES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        # The numbers of the parts say nothing about the order of the slides.
        "ppt/_rels/presentation.xml.rels": relations(
            *presentation, *((f"s{at}", "slide", f"slides/slide{len(slides) - at}.xml") for at in range(len(slides)))
        ),
        "ppt/slideLayouts/layout1.xml": tree("sldLayout", *layout),
        "ppt/slideLayouts/_rels/layout1.xml.rels": relations(("m", "slideMaster", "../slideMasters/master1.xml")),
        "ppt/slideMasters/master1.xml": tree("sldMaster", *master),
        "ppt/notesSlides/notes1.xml": tree("notes", *notes),
        "ppt/diagrams/data1.xml": diagram,
        **more,
    }
    for at, shapes in enumerate(slides):
        number = len(slides) - at
        named = [("l", "slideLayout", "../slideLayouts/layout1.xml"), ("d", "diagramData", "../diagrams/data1.xml")]
        named += related
        if notes:
            named.append(("n", "notesSlide", "../notesSlides/notes1.xml"))
        parts[f"ppt/slides/slide{number}.xml"] = tree("sld", *shapes)
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(*named)
    return zipped(parts)


def test_slides_come_in_the_order_of_the_deck_each_with_its_number():
    extracted = read(
        PptxReader(),
        deck(
            [shape(pars("Opening"), "ctrTitle"), shape(pars("by us"), "subTitle", "1")],
            [],
            [shape(pars("first point", "second point"), "default", "1"), shape(pars("Plan"), "title")],
        ),
    )
    assert extracted.text == "Opening\n\nby us\n\nPlan\n\nfirst point\nsecond point"
    assert place_of(extracted, "Opening") == place_of(extracted, "by us") == {"slide": 1}
    assert place_of(extracted, "Plan") == place_of(extracted, "second") == {"slide": 3}
    assert [(heading.level, heading.text) for heading in extracted.structure.headings] == [(1, "Opening"), (1, "Plan")]
    assert extracted.structure.head.title == "Opening"


def test_notes_follow_their_slide_under_their_own_locator():
    notes = [shape(pars("say this"), "body", "1"), shape(pars("4"), "sldNum", "2")]
    extracted = read(PptxReader(), deck([shape(pars("Title"), "title")], notes=notes))
    assert extracted.text == "Title\n\nsay this"
    assert place_of(extracted, "say this") == {"slide": 1, "part": "notes"}


def test_shapes_are_read_by_their_place_on_the_slide():
    shapes = [
        shape(pars("bottom"), at=(0, 5_000_000)),
        shape(pars("right"), at=(4_000_000, 2_000_000)),
        shape(pars("left"), at=(0, 2_100_000)),
        shape(pars("top"), at=(0, 0)),
    ]
    assert read(PptxReader(), deck(shapes)).text == "top\n\nleft\n\nright\n\nbottom"


def test_placeholders_take_their_place_from_the_layout_or_its_master():
    layout = [shape("", "default", "1", at=(0, 3_000_000)), shape("", "body", "2")]
    master = [shape("", "body", "9", at=(0, 1_000_000))]
    slide = [
        shape(pars("by layout"), "default", "1"),
        shape(pars("by master"), "body", "2"),
        shape(pars("between"), at=(0, 2_000_000)),
    ]
    assert read(PptxReader(), deck(slide, layout=layout, master=master)).text == "by master\n\nbetween\n\nby layout"


def test_groups_and_the_first_of_alternatives_are_read():
    group = (
        '<p:grpSp><p:nvGrpSpPr/><p:grpSpPr><a:xfrm><a:off x="0" y="9"/></a:xfrm></p:grpSpPr>'
        f"{shape(pars('second'), at=(0, 900_000))}{shape(pars('first'), at=(0, 0))}</p:grpSp>"
    )
    either = (
        f"<mc:AlternateContent><mc:Choice>{shape(pars('new'), at=(0, 9_000_000))}</mc:Choice>"
        f"<mc:Fallback>{shape(pars('old'))}</mc:Fallback></mc:AlternateContent>"
    )
    assert read(PptxReader(), deck([group, either])).text == "first\n\nsecond\n\nnew"


def test_tables_are_rows_under_their_header():
    def row(*cells):
        return "<a:tr>" + "".join(f"<a:tc><a:txBody>{pars(*cell)}</a:txBody></a:tc>" for cell in cells) + "</a:tr>"

    table = f"<a:tbl>{row(['Name'], ['Full', 'age'])}{row(['Ann'], ['7'])}</a:tbl>"
    extracted = read(PptxReader(), deck([frame(table)]))
    assert extracted.text == "Name | Full age\nAnn | 7"
    assert extracted.structure.blocks[1].header == extracted.structure.blocks[0].span


def test_the_words_of_a_diagram_are_items():
    words = f"<dgm:t><a:bodyPr/>{pars('plan')}</dgm:t>", f"<dgm:t>{pars('do')}</dgm:t>"
    diagram = f"<dgm:dataModel {NAMES}><dgm:pt>{words[0]}</dgm:pt><dgm:pt>{words[1]}</dgm:pt></dgm:dataModel>"
    extracted = read(PptxReader(), deck([frame('<dgm:relIds r:dm="d" r:lo="x"/>')], diagram=diagram))
    assert kinds(extracted) == [("list-item", "plan"), ("list-item", "do")]


def test_items_are_told_from_paragraphs_by_their_marks():
    body = "<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>plain</a:t></a:r></a:p>" + pars("item")
    box = "<a:p><a:pPr><a:buChar/></a:pPr><a:r><a:t>marked</a:t></a:r><a:br/><a:fld><a:t>7</a:t></a:fld></a:p>"
    extracted = read(PptxReader(), deck([shape(body, "body", "1", at=(0, 0)), shape(box, at=(0, 9_000_000))]))
    assert kinds(extracted) == [("paragraph", "plain"), ("list-item", "item"), ("list-item", "marked\n7")]


def test_what_stands_on_every_slide_is_told_once_and_dates_and_numbers_never():
    shapes = [shape(pars(kind), kind, "9") for kind in ("dt", "ftr", "sldNum")]
    master = [shape(pars("prompt"), "title"), shape(pars("Acme"))]
    extracted = read(PptxReader(), deck([*shapes, shape(pars("text"))], [*shapes, shape(pars("more"))], master=master))
    assert extracted.text.split("\n\n") == ["text", "Footer: ftr", "On every slide: Acme", "more"]


def test_comments_of_both_kinds_say_who_wrote_them_and_stand_on_their_slide():
    old = f'<p:cmLst {NAMES}><p:cm authorId="3"><p:text>too long</p:text></p:cm></p:cmLst>'
    newer = (
        f'<m:cmLst {NAMES} xmlns:m="http://schemas.microsoft.com/office/powerpoint/2018/8/main">'
        f'<m:cm authorId="{{B}}"><m:replyLst><m:reply authorId="3"><m:txBody>{pars("no")}</m:txBody></m:reply>'
        "</m:replyLst>"
        f"<m:txBody>{pars('wrong', 'colour')}</m:txBody></m:cm></m:cmLst>"
    )
    authors = f'<p:cmAuthorLst {NAMES}><p:cmAuthor id="3" name="Ann"/></p:cmAuthorLst>'
    people = (
        '<m:authorLst xmlns:m="http://schemas.microsoft.com/office/powerpoint/2018/8/main">'
        '<m:author id="{B}" name="Bo"/></m:authorLst>'
    )
    extracted = read(
        PptxReader(),
        deck(
            [shape(pars("text"))],
            related=[("c1", "comments", "../c1.xml"), ("c2", "comments", "../c2.xml")],
            presentation=[("a", "commentAuthors", "a.xml"), ("b", "authors", "b.xml")],
            **{"ppt/c1.xml": old, "ppt/c2.xml": newer, "ppt/a.xml": authors, "ppt/b.xml": people},
        ),
    )
    said = ["Comment (Ann): too long", "Comment (Bo): wrong colour", "Comment (Ann): no"]
    assert extracted.text.split("\n\n") == ["text", *said]
    assert place_of(extracted, "wrong colour") == {"slide": 1}


def test_charts_and_names_of_pictures_are_read_in_their_order():
    picture = '<p:pic><p:nvPicPr><p:cNvPr descr="A red lamp"/><p:nvPr/></p:nvPicPr><p:spPr/></p:pic>'
    drawn = frame('<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="c"/>')
    slide = [drawn, shape(pars("text"), at=(0, 9_000_000)), picture]
    extracted = read(PptxReader(), deck(slide, related=[("c", "chart", "../chart.xml")], **{"ppt/chart.xml": CHART}))
    assert extracted.text.split("\n\n") == [*CHART_TEXT, "text", "Picture: A red lamp"]


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (ENCRYPTED_OFFICE, Failure.ENCRYPTED),
        (OLD_BINARY, Failure.BROKEN),
        (b"PK no zip", Failure.BROKEN),
        (zipped({"other.txt": "x"}), Failure.BROKEN),
        (deck([]), Failure.EMPTY),
    ],
)
def test_what_is_no_deck_says_why(data, failure):
    with pytest.raises(Unextracted) as failed:
        PptxReader().extract(data)
    assert failed.value.failure is failure
