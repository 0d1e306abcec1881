from __future__ import annotations

from lens_lsp.corpus.formats.html import HtmlReader, XmlReader
from lens_lsp.model.documents import BlockKind, Head

READER = HtmlReader()
PAGE = """<!DOCTYPE html>
<html><head><title>Tea &amp; time</title><meta content="How to" name="description">
<style>p { color: red }</style></head>
<body><!-- secret <p>no</p> --><h1 id=x>All about <em>tea</em></h1>
<p>Steep it <b>hot</b>, see <a class="l" href="guide.html#top">the &lt;guide&gt;</a>.
<ul><li>one<li>two<p>inner</p></ul>
<table><tr><th>Leaf<th>Minutes</tr><tr><td>green<td>2</tr></table>
<pre>
  code &lt;b&gt;
</pre><blockquote><p>quoted</p></blockquote>
<script>var x = "<p>not text</p>";</script>loose text
</body></html>
"""


def shown(reader: HtmlReader, text: str) -> list[tuple[str, str]]:
    return [(b.kind.name, text[b.span.start : b.span.end]) for b in reader.structure(text).blocks]


def test_a_page_falls_into_its_blocks() -> None:
    assert shown(READER, PAGE) == [
        ("HEADING", "All about <em>tea"),
        ("PARAGRAPH", 'Steep it <b>hot</b>, see <a class="l" href="guide.html#top">the &lt;guide&gt;</a>.'),
        ("LIST_ITEM", "one"),
        ("LIST_ITEM", "two"),
        ("LIST_ITEM", "inner"),
        ("TABLE_ROW", "Leaf<th>Minutes"),
        ("TABLE_ROW", "green<td>2"),
        ("CODE", "code &lt;b&gt;"),
        ("QUOTE", "quoted"),
        ("PARAGRAPH", "loose text"),
    ]


def test_head_headings_links_and_rows() -> None:
    structure = READER.structure(PAGE)
    fields = (("title", "Tea & time"), ("description", "How to"))
    assert structure.head == Head("Tea & time", description="How to", fields=fields)
    assert [(heading.level, heading.text) for heading in structure.headings] == [(1, "All about tea")]
    assert [(link.target, link.text) for link in structure.links] == [("guide.html", "the <guide>")]
    rows = [block for block in structure.blocks if block.kind is BlockKind.TABLE_ROW]
    assert [row.header for row in rows] == [None, rows[0].span]


def test_markup_is_masked_and_text_is_not() -> None:
    visible = list(PAGE)
    for span in READER.mask(PAGE):
        visible[span.start : span.end] = " " * len(span)
    words = "".join(visible).split()
    assert words[:3] == ["All", "about", "tea"]
    assert not {"secret", "color", "not", "body", "How"} & set(words)
    assert {"green", "quoted", "loose"} <= set(words)
    assert READER.structure(PAGE).hidden == READER.mask(PAGE)


def test_broken_markup_stays_readable() -> None:
    text = '<p>a < b and <a href="x>open</a> 3 > 2 <!-- never closed <p>still here'
    assert "still here" in "".join(block for _, block in shown(READER, text))


def test_xml_keeps_cdata_and_needs_no_known_names() -> None:
    text = "<doc><head>First</head><item>Second</item><x><![CDATA[Third <b>]]></x></doc>"
    assert [block for _, block in shown(XmlReader(), text)] == ["First", "Second", "Third", "]]>"]
