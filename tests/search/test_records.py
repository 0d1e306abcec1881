"""Rows of tables and heads of mail as records, out of documents as their readers give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.documents import Block, BlockKind, Document, LocatorMap, Origin, Structure
from lens_lsp.model.text import Span
from lens_lsp.search.records import MAIL_COLUMNS, Table, cells_of, mail_of, tables_of
from tests.documents_made import mail


def tables(folder: Path, name: str, text: str) -> list[Table]:
    (folder / name).write_text(text, encoding="utf-8")
    return tables_of(0, read(folder, name))


def read(folder: Path, name: str) -> Document:
    root = Root(str(folder))
    try:
        return Snapshot([root], {}, CorpusRules()).document(0, name, seconds=60)
    finally:
        root.close()


def rows(table: Table) -> list[tuple[str, ...]]:
    return [record.cells for record in table.records]


CSV = 'Name,Note,Price\nChair,"small, ""old""",49.9\nLamp,,19\n'
MARKDOWN = "# Stock\n\n| Name | Note | Price |\n|:--|--|--:|\n| **Chair** | small \\| old | 49.9 |\n| Lamp | | 19 |\n"
HTML = (
    "<h1>Stock</h1><table><tr><th>Name</th><th>Note</th><th>Price</th></tr>"
    "<tr><td>Chair</td><td>small &amp; old</td><td>49.9</td></tr><tr><td>Lamp</td><td></td><td>19</td></tr></table>"
)


@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("stock.csv", CSV, 'small, "old"'),
        ("stock.tsv", "Name\tNote\tPrice\nChair\tsmall, old\t49.9\nLamp\t\t19\n", "small, old"),
        ("stock.md", MARKDOWN, "small | old"),
        ("stock.html", HTML, "small & old"),
        ("tight.md", "# Stock\n\n|Name|Note|Price|\n|:--|--|--:|\n|Chair|small, old|49.9|\n|Lamp||19|\n", "small, old"),
    ],
)
def test_every_way_to_write_a_table_gives_the_same_records(tmp_path: Path, name: str, text: str, note: str) -> None:
    (table,) = tables(tmp_path, name, text)
    assert table.columns == ("Name", "Note", "Price")
    assert rows(table) == [("Chair", note, "49.9"), ("Lamp", "", "19")]
    assert not table.cut
    written = table.document.text
    cells = cells_of(table, table.records[0].span)
    assert written[cells[2].span.start : cells[2].span.end] == "49.9"
    assert {"stock", "Stock"} & set(table.title)


def test_titles_above_a_header_name_the_table_and_no_columns(tmp_path: Path) -> None:
    text = "Household budget,,\n,,\nItem,Paid by,Price (EUR)\nChair,Ann,49.9\n"
    (table,) = tables(tmp_path, "b.csv", text)
    assert table.columns == ("Item", "Paid by", "Price (EUR)")
    assert rows(table) == [("Chair", "Ann", "49.9")]
    assert any("Household" in name for name in table.title)


def test_years_are_names_of_columns(tmp_path: Path) -> None:
    (table,) = tables(tmp_path, "p.csv", "Country,Code,2019,2020\nNorway,NOR,5.3,5.4\n")
    assert table.columns == ("Country", "Code", "2019", "2020")


def test_two_tables_of_one_page_stay_apart_and_rows_without_a_header_are_none(tmp_path: Path) -> None:
    found = tables(tmp_path, "a.md", "| A | B |\n|--|--|\n| x | y |\n\n| C | D |\n|--|--|\n| u | v |\n")
    assert [table.columns for table in found] == [("A", "B"), ("C", "D")]
    assert tables(tmp_path, "n.csv", "1,2\n3,4\n") == []


def extracted(lines: list[str], above: str = "") -> Document:
    """A document as a reader of pages gives it: rows of cells between bars, none of them a header."""
    text = above
    blocks = [Block(BlockKind.PARAGRAPH, Span(0, len(above)))] if above else []
    for number, line in enumerate(lines):
        text += "\n\n" if text and not number else "\n" if text else ""
        blocks.append(Block(BlockKind.TABLE_ROW, Span(len(text), len(text) + len(line))))
        text += line
    return Document(0, "r.pdf", text, "pdf/1", Origin("", ""), Structure(blocks=tuple(blocks)), LocatorMap())


def test_a_line_of_words_above_figures_names_their_columns() -> None:
    above = "Marriages in the State\nYear Marriages Divorces\n-----------------------"
    (table,) = tables_of(0, extracted(["1945 | 1,613 | 485", "1946 | 2,291 | 610"], above))
    assert table.columns == ("Year", "Marriages", "Divorces")
    assert table.header is not None
    assert table.document.text[table.header.start : table.header.end] == "Year Marriages Divorces"


def test_figures_that_stand_in_one_cell_go_to_their_columns_only_where_all_are_filled() -> None:
    lines = ["State | 2003–04 | 2004–05 | 2005–06", "Maine | 13 24 | | 12", "Ohio | 1 | 2 | 3", "Utah | 5 6 | |"]
    (table,) = tables_of(0, extracted(lines))
    assert table.columns == ("State", "2003–04", "2004–05", "2005–06")
    assert rows(table) == [("Maine", "13", "24", "12"), ("Ohio", "1", "2", "3"), ("Utah", "5 6", "", "")]


def test_what_stands_over_columns_together_is_no_name_of_one() -> None:
    lines = ["| 1st quarter | | 2nd quarter", "Year | Jan | Feb | Mar", "1948 | 4 | 4.7 | 4.5", "1949 | 5 | 5.8 | 5.6"]
    (table,) = tables_of(0, extracted(lines))
    assert table.columns == ("Year", "Jan", "Feb", "Mar")
    assert table.groups == ("", "1st quarter", "1st quarter", "2nd quarter")


def test_a_row_with_more_cells_than_columns_is_left_out_and_said() -> None:
    (table,) = tables_of(0, extracted(["Task | Owner", "Paint | Ann", "Fix | wall | Bo", "Sweep | Cy"]))
    assert rows(table) == [("Paint", "Ann"), ("Sweep", "Cy")]
    assert table.cut


def test_a_message_is_a_record_of_its_head(tmp_path: Path) -> None:
    (tmp_path / "1.eml").write_bytes(mail("The roof", "Tue, 3 Mar 2020 09:00:00 +0000", "It leaks.\n"))
    document = read(tmp_path, "1.eml")
    (message,) = mail_of(0, document)
    said = dict(zip(MAIL_COLUMNS, message.head.cells, strict=True))
    assert said["Subject"] == "The roof"
    assert said["Date"].startswith("Tue, 03 Mar 2020")
    assert "Subject: The roof" in document.text[message.head.span.start : message.head.span.end]
    assert "It leaks." in document.text[message.body.start : message.body.end]
