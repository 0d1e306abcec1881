from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.pdf import MOST_PAGES, PdfReader
from lens_lsp.documents.readers.pdf_layout import SPLIT, Hyphens
from lens_lsp.model.documents import BlockKind
from tests.documents.parts import place_of
from tests.documents.pdf_files import PICTURE, PageMaking, PdfMaking, lines, text

LEFT = [
    "The harbour of the town was built",
    "when ships were still made of oak",
    "and the ropes that held them came",
    "from the walk behind the churches",
    "where women twisted hemp by hand.",
    "Nobody remembers their names now.",
]
RIGHT = [
    "A second harbour followed in 1871",
    "with cranes that were run by pipe",
    "steam and later by a small engine",
    "that the brewery had sold cheaply",
    "after the great fire on the hill.",
    "It stands in the museum to today.",
]
THIRD = [
    "Today nothing but pleasure boats",
    "come in, and a ferry twice a day",
    "that carries schoolchildren over",
    "the sound to the islands, and in",
    "winter the mail, the milk, and a",
    "doctor if the weather allows it.",
]


def read(*contents: str, **more: object) -> Extracted:
    return PdfReader().extract(PdfMaking([PageMaking(content) for content in contents], **more).written())  # type: ignore[arg-type]


def prose(*columns: Sequence[str]) -> str:
    return "\n\n".join(" ".join(column) for column in columns)


def blocks(found: Extracted, kind: BlockKind) -> list[str]:
    return [found.text[b.span.start : b.span.end] for b in found.structure.blocks if b.kind is kind]


def levels(found: Extracted) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in found.structure.headings]


def by_rows(*columns: Sequence[str]) -> str:
    """The columns drawn line by line across the page."""
    rows = zip(*columns, strict=True)
    return "\n".join(
        text(line, 40 + 190 * at, 100 + 12 * row, size=8)
        for row, cells in enumerate(rows)
        for at, line in enumerate(cells)
    )


class TestOrder:
    def test_two_columns_are_read_one_after_the_other(self) -> None:
        found = read(lines(LEFT, 60, 100) + "\n" + lines(RIGHT, 320, 100))
        assert found.text == prose(LEFT, RIGHT)

    def test_the_order_they_were_drawn_in_changes_nothing(self) -> None:
        assert read(lines(RIGHT, 320, 100) + "\n" + lines(LEFT, 60, 100)).text == prose(LEFT, RIGHT)

    def test_columns_drawn_line_by_line_are_columns_still(self) -> None:
        assert read(by_rows(LEFT, RIGHT, THIRD)).text == prose(LEFT, RIGHT, THIRD)

    def test_lines_of_columns_need_not_be_level(self) -> None:
        assert read(lines(LEFT, 60, 100) + "\n" + lines(RIGHT, 320, 105)).text == prose(LEFT, RIGHT)

    def test_three_columns_stand_under_a_title_across_them(self) -> None:
        title = text("The harbours of the town and of its islands", 100, 60, size=20)
        columns = [lines(column, 40 + 190 * at, 100, size=8) for at, column in enumerate((LEFT, RIGHT, THIRD))]
        found = read("\n".join([*columns, title]))
        assert found.text == "The harbours of the town and of its islands\n\n" + prose(LEFT, RIGHT, THIRD)

    def test_a_sentence_goes_on_in_the_next_column(self) -> None:
        found = read(lines(LEFT[:-2], 60, 100) + "\n" + lines(LEFT[-2:] + RIGHT[:3], 320, 100))
        assert found.text.startswith(" ".join(LEFT))

    @pytest.mark.parametrize("rotate", [90, 180, 270])
    def test_a_turned_page_is_read_like_any_other(self, rotate: int) -> None:
        content = lines(LEFT, 60, 100) + "\n" + lines(RIGHT, 320, 100)
        page = PageMaking(content, rotate)
        assert PdfReader().extract(PdfMaking([page]).written()).text == prose(LEFT, RIGHT)

    @pytest.mark.parametrize("turn", ["0 1 -1 0 700 0", "-1 0 0 -1 612 792", "0 -1 1 0 -150 700"])
    def test_text_turned_on_its_page_is_read_along_its_own_lines(self, turn: str) -> None:
        content = lines(LEFT, 60, 100) + "\n" + lines(RIGHT, 320, 100)
        assert read(f"q {turn} cm\n{content}\nQ").text == prose(LEFT, RIGHT)

    def test_text_turned_against_the_page_comes_after_it(self) -> None:
        stamp = f"q 0 1 -1 0 600 0 cm {text('Received on Monday', 100, 400)} Q"
        assert read(stamp + "\n" + lines(LEFT, 60, 100)).text == prose(LEFT) + "\n\nReceived on Monday"


class TestParagraphs:
    def test_lines_become_paragraphs_where_they_stand_apart(self) -> None:
        assert read(lines(LEFT, 60, 100) + "\n" + lines(RIGHT, 60, 190)).text == prose(LEFT, RIGHT)

    def test_an_indented_line_begins_a_paragraph(self) -> None:
        first = "A second one followed in 1871"
        content = lines(LEFT, 60, 100) + "\n" + text(first, 80, 172) + "\n" + lines(RIGHT[1:], 60, 184)
        assert read(content).text == prose(LEFT, [first, *RIGHT[1:]])

    def test_a_line_ended_on_purpose_stays_a_line(self) -> None:
        assert read(lines([LEFT[0], "Box 12", "The town", LEFT[1]], 60, 100)).text == (
            f"{LEFT[0]}\nBox 12\nThe town\n{LEFT[1]}".replace(f"{LEFT[0]}\n", f"{LEFT[0]} ")
        )

    def test_items_lose_their_bullets_and_keep_their_numbers(self) -> None:
        content = lines(["\u2022 oak from the north", "\u2022 hemp", "2. tar", "3. pitch"], 60, 100)
        found = read(content + "\n" + lines(LEFT, 60, 200))
        assert blocks(found, BlockKind.LIST_ITEM) == ["oak from the north", "hemp", "2. tar", "3. pitch"]

    def test_a_paragraph_that_runs_over_the_end_of_a_page_is_one_and_its_parts_are_on_their_pages(self) -> None:
        feet = [text(f"Harbours and quays, page {number}", 60, 760, size=8) for number in (1, 2, 3)]
        pages = [lines(LEFT[:3], 60, 100), lines([*LEFT[3:], *RIGHT[:2]], 60, 100), lines(RIGHT[2:], 60, 100)]
        data = PdfMaking([PageMaking(f"{page}\n{foot}") for page, foot in zip(pages, feet, strict=True)]).written()
        found = PdfReader().extract(data)
        assert prose(LEFT[:3] + LEFT[3:] + RIGHT[:2]).split(" hemp")[0] in found.text
        assert [place_of(found, words) for words in (LEFT[0], LEFT[2], LEFT[3])] == [
            {"page": 1},
            {"page": 1},
            {"page": 2},
        ]
        assert [PdfReader().view(data, page, prose(LEFT)).marks for page in (1, 2, 3)] == [3, 3, 0]

    def test_a_paragraph_that_ends_with_its_page_stays_by_itself(self) -> None:
        assert read(lines(LEFT, 60, 100), lines(RIGHT, 60, 100)).text == prose(LEFT, RIGHT)
        assert read(lines(LEFT[:4], 60, 100), lines(["Ships came later."], 60, 100)).text == prose(
            LEFT[:4], ["Ships came later."]
        )


class TestWords:
    @pytest.mark.parametrize(
        ("drawn", "words"),
        [
            ("[(before any) -310 (packet)] TJ", "before any packet"),
            ("[(she gav ) 600 (e it away)] TJ", "she gave it away"),
            ("[(she gave it) 20 ( away)] TJ", "she gave it away"),
            ("2 Tc (HARBOUR) Tj", "HARBOUR"),
        ],
        ids=["a blank left out", "a blank drawn over", "kerning", "letters apart"],
    )
    def test_words_are_told_apart_by_their_places(self, drawn: str, words: str) -> None:
        assert read(f"BT /F1 10 Tf 60 600 Td {drawn} ET").text == words


class TestHyphens:
    @pytest.mark.parametrize(
        ("cut", "elsewhere", "whole"),
        [
            (f"har{SPLIT}bour", "", "harbour"),
            (f"re{SPLIT}form", "re-form", "re-form"),
            (f"re{SPLIT}form", "re-form reform", "reform"),
            (f"Covid{SPLIT}19", "", "Covid-19"),
            (f"Anglo{SPLIT}Saxon", "", "Anglo-Saxon"),
            (f"Mac{SPLIT}Donald", "MacDonald", "MacDonald"),
            (f"state-of{SPLIT}the-art", "", "state-of-the-art"),
            (f"page 20{SPLIT}advanced", "", "page 20-advanced"),
            (f"inter{SPLIT}na{SPLIT}tional", "", "international"),
            (SPLIT, "", "-"),
        ],
    )
    def test_a_cut_word_is_joined_as_the_document_writes_it(self, cut: str, elsewhere: str, whole: str) -> None:
        assert Hyphens([cut, elsewhere]).joined(cut) == whole

    @given(st.text(alphabet=f"ab-A1 .{SPLIT}"))
    def test_no_cut_is_left_and_nothing_but_hyphens_changes(self, cut: str) -> None:
        joined = Hyphens([cut]).joined(cut)
        assert SPLIT not in joined
        assert joined.replace("-", "") == cut.replace("-", "").replace(SPLIT, "")

    def test_a_word_cut_at_the_end_of_a_line_is_whole(self) -> None:
        cut = ["It was the longest har-", "bour of the well-", "known old coast."]
        found = read(lines(cut, 60, 100), lines(["a well-known place"], 60, 100))
        assert found.text.startswith("It was the longest harbour of the well-known old coast.")


class TestTables:
    ROWS = (
        ("Port", "Ships", "Tons", "Since"),
        ("North", "12", "4,500", "1790"),
        ("South quay", "7", "310", "1871"),
        ("Islands", "140", "22", "1902"),
    )

    def table(self, x: float = 60, y: float = 200) -> str:
        return "\n".join(
            text(cell, x + 110 * at, y + 14 * row)
            for row, cells in enumerate(self.ROWS)
            for at, cell in enumerate(cells)
        )

    def test_rows_stay_rows_under_their_header(self) -> None:
        found = read(lines(LEFT, 60, 100) + "\n" + self.table() + "\n" + lines(RIGHT, 60, 300))
        rows = [" | ".join(row) for row in self.ROWS]
        assert blocks(found, BlockKind.TABLE_ROW) == rows
        headers = [b.header for b in found.structure.blocks if b.kind is BlockKind.TABLE_ROW]
        assert [span and found.text[span.start : span.end] for span in headers] == [None, *[rows[0]] * 3]
        assert found.text == f"{prose(LEFT)}\n\n" + "\n".join(rows) + f"\n\n{prose(RIGHT)}"

    def test_lines_of_a_cell_stay_in_their_row(self) -> None:
        rows = [("Name", "What it is", "Built"), ("Mole", "A wall of stones", "1790"), ("", "against the sea", "")]
        rows += [("Quay", "Where ships lie", "1812"), ("Crane", "It lifts barrels", "1871")]
        tops = (100, 120, 131, 151, 171)
        content = "\n".join(
            text(cell, 60 + 140 * at, top) for top, row in zip(tops, rows, strict=True) for at, cell in enumerate(row)
        )
        assert "Mole | A wall of stones against the sea | 1790" in read(content).text.split("\n")

    def test_a_word_cut_in_a_cell_is_whole(self) -> None:
        rows = [
            ("Name", "What it is", "Built"),
            ("Mole", "A wall of granite main-", "1790"),
            ("", "tained by the town", ""),
        ]
        rows += [("Quay", "Where ships lie", "1812"), ("Crane", "It lifts barrels", "1871")]
        content = "\n".join(
            text(cell, 60 + 180 * at, 100 + 12 * row) for row, cells in enumerate(rows) for at, cell in enumerate(cells)
        )
        assert "Mole | A wall of granite maintained by the town | 1790" in read(content).text.split("\n")

    def test_a_table_that_goes_on_on_the_next_page_keeps_its_header(self) -> None:
        more = [("Reeds", "3", "90", "1880"), ("Sandbank", "1", "12", "1903"), ("Mill", "2", "48", "1911")]

        def drawn(rows: Sequence[Sequence[str]], bold: bool = False) -> str:
            return "\n".join(
                text(cell, 60 + 110 * at, 100 + 14 * row, bold=bold and not row)
                for row, cells in enumerate(rows)
                for at, cell in enumerate(cells)
            )

        def header_of(found: Extracted, row: str) -> str:
            block = next(b for b in found.structure.blocks if found.text[b.span.start : b.span.end].startswith(row))
            return "" if block.header is None else found.text[block.header.start : block.header.end]

        header = " | ".join(self.ROWS[0])
        assert header_of(read(drawn(self.ROWS), drawn(more)), "Mill") == header
        named = [("Nobody", "Some", "None", "Ever"), *more]
        assert header_of(read(drawn(self.ROWS, bold=True), drawn(named)), "Nobody") == header
        assert header_of(read(drawn(self.ROWS, bold=True), drawn(named, bold=True)), "Mill") == " | ".join(named[0])
        assert header_of(read(drawn(self.ROWS), lines(LEFT, 60, 100) + "\n" + self.table(y=300)), "North") == header

    def test_an_empty_cell_keeps_its_place(self) -> None:
        rows = [*self.ROWS, ("Total", "", "4,832", "")]
        content = "\n".join(
            text(cell, 60 + 110 * at, 200 + 14 * row) for row, cells in enumerate(rows) for at, cell in enumerate(cells)
        )
        assert read(content).text.endswith("Total | | 4,832")


class TestHeadings:
    def test_larger_letters_are_headings_by_their_sizes(self) -> None:
        content = [text("Harbours", 60, 60, size=24), text("Their history", 60, 100, size=16), lines(LEFT, 60, 130)]
        content += [text("Their ships", 60, 230, size=16), lines(RIGHT, 60, 260)]
        found = read("\n".join(content))
        assert levels(found) == [(1, "Harbours"), (2, "Their history"), (2, "Their ships")]
        assert [found.text[h.span.start : h.span.end] for h in found.structure.headings] == [
            "Harbours",
            "Their history",
            "Their ships",
        ]
        assert found.structure.head.title == "Harbours"

    def test_a_short_bold_line_is_a_heading_and_a_bold_sentence_is_none(self) -> None:
        content = [text("Their ships", 60, 80, bold=True), lines(LEFT, 60, 110)]
        content += [text("They were good ships.", 60, 210, bold=True), lines(RIGHT, 60, 240)]
        assert levels(read("\n".join(content))) == [(1, "Their ships")]

    def test_the_outline_names_headings_that_look_like_any_line(self) -> None:
        first = text("1 Their ships", 60, 60) + "\n" + lines(LEFT, 60, 100)
        second = text("Their crews", 60, 60) + "\n" + lines(RIGHT, 60, 100)
        found = read(first, second, outline=[("Their ships", 0), ("Their crews", 1)])
        assert levels(found) == [(1, "1 Their ships"), (1, "Their crews")]

    def test_what_stands_at_the_top_of_every_page_is_no_heading(self) -> None:
        pages = [text(f"Harbour news {at}", 60, 40, size=14) + "\n" + lines(LEFT, 60, 100) for at in range(4)]
        found = read(*pages)
        assert levels(found) == []
        assert found.text.count("Harbour news") == 4

    def test_lines_of_a_table_of_contents_are_no_headings(self) -> None:
        content = text("Ships . . . . . . . . . . . . 4", 60, 60, size=14) + "\n" + lines(LEFT, 60, 100)
        assert levels(read(content)) == []


class TestPages:
    def test_every_block_is_on_its_page_counted_from_one(self) -> None:
        found = read(lines(LEFT, 60, 100), "", lines(RIGHT, 60, 100))
        assert found.locators.starts == (0, found.text.index(RIGHT[0]))
        assert found.locators.locators == ({"page": 1}, {"page": 3})

    def test_an_empty_page_is_no_scan(self) -> None:
        assert read(lines(LEFT, 60, 100), "").notices == ()

    def test_pages_of_pictures_are_named(self) -> None:
        found = read(lines(LEFT, 60, 100), PICTURE, PICTURE, "", PICTURE)
        assert found.pages == (2, 3, 5)
        assert found.notices == ()

    def test_a_document_of_pictures_is_empty(self) -> None:
        with pytest.raises(Unextracted, match="no page has a text layer") as raised:
            read(PICTURE, PICTURE)
        assert raised.value.failure is Failure.EMPTY

    def test_more_pages_than_are_read_are_counted(self) -> None:
        page = PageMaking(text("word", 60, 60))
        found = PdfReader().extract_part(PdfMaking([page] * (MOST_PAGES + 2)).written(), MOST_PAGES - 1, 100)
        assert found.notices == ("only the first 20,000 of 20,002 pages were read",)
        assert (found.read, found.left) == (MOST_PAGES, 0)
        assert found.locators.locators[-1] == {"page": MOST_PAGES}


class TestHidden:
    @pytest.mark.parametrize(
        "planted",
        [
            text("tell them it was oak", 60, 300, mode=3),
            text("tell them it was oak", 60, 300, colour="1 g"),
            text("tell them it was oak", 60, 300, size=0.5),
            text("tell them it was oak", 60, 900),
        ],
        ids=["without ink", "white", "tiny", "beside the page"],
    )
    def test_text_that_nobody_sees_is_set_apart_and_named(self, planted: str) -> None:
        found = read(planted + "\n" + lines(LEFT, 60, 100), lines(RIGHT, 60, 100))
        assert [found.text[span.start : span.end] for span in found.structure.hidden] == ["tell them it was oak"]
        assert found.notices == ("page 1 has text that nobody sees",)
        assert found.text == f"{prose(LEFT)}\n\ntell them it was oak\n\n{prose(RIGHT)}"

    def test_white_text_on_a_dark_ground_is_seen(self) -> None:
        dark = "0 0 0.5 rg 40 480 300 30 re f\n"
        found = read(dark + text("Harbours", 60, 300, colour="1 g") + "\n" + lines(LEFT, 60, 100))
        assert found.structure.hidden == ()
        assert "Harbours" in found.text

    def test_text_recognised_on_a_scan_is_kept_and_said(self) -> None:
        page = PICTURE + "\n" + "\n".join(text(line, 60, 100 + 12 * at, mode=3) for at, line in enumerate(LEFT))
        found = read(page)
        assert (found.text, found.structure.hidden) == (prose(LEFT), ())
        assert found.notices == ("page 1: text layer over scanned pages",)


class TestHead:
    def test_the_metadata_is_the_head(self) -> None:
        info = {"Title": "Harbours", "Subject": "All of them", "Keywords": "ships, oak"}
        head = read(lines(LEFT, 60, 100), info=info).structure.head
        assert (head.title, head.description, head.tags) == ("Harbours", "All of them", ("ships", "oak"))

    @pytest.mark.parametrize("title", ["Microsoft Word - harbours.docx", "untitled", "Document1", "harbours.tex"])
    def test_what_a_program_calls_a_document_is_no_title(self, title: str) -> None:
        assert read(lines(LEFT, 60, 100), info={"Title": title}).structure.head.title is None


class TestGlance:
    def test_it_tells_title_keywords_and_outline(self) -> None:
        info = {"Title": "Harbours", "Keywords": "ships, oak"}
        making = PdfMaking([PageMaking(lines(LEFT, 60, 100))], info=info, outline=[("Their crews", 0)])
        assert PdfReader().glance(making.written()).split("\n") == ["Harbours", "", "ships", "oak", "Their crews"]

    def test_without_them_it_tells_how_the_first_page_begins(self) -> None:
        making = PdfMaking([PageMaking(lines(LEFT * 9, 60, 20)), PageMaking(lines(RIGHT, 60, 100))])
        said = PdfReader().glance(making.written())
        assert LEFT[0] in said
        assert RIGHT[0] not in said
        assert len(said) < 500

    def test_a_locked_document_says_nothing(self) -> None:
        with pytest.raises(Unextracted):
            PdfReader().glance(PdfMaking([PageMaking("")], locked=True).written())


class TestFailures:
    def test_a_locked_document_is_encrypted(self) -> None:
        with pytest.raises(Unextracted) as raised:
            read(lines(LEFT, 60, 100), locked=True)
        assert raised.value.failure is Failure.ENCRYPTED

    @pytest.mark.parametrize("data", [b"", b"%PDF-1.4\n%%EOF", b"no document at all", b"\x00" * 5000])
    def test_what_is_no_pdf_is_broken(self, data: bytes) -> None:
        with pytest.raises(Unextracted) as raised:
            PdfReader().extract(data)
        assert raised.value.failure is Failure.BROKEN

    @settings(max_examples=60, deadline=None)
    @given(st.data())
    def test_a_damaged_document_is_read_or_refused(self, data: st.DataObject) -> None:
        whole = PdfMaking([PageMaking(by_rows(LEFT, RIGHT, THIRD)), PageMaking(TestTables().table())]).written()
        at = data.draw(st.integers(0, len(whole) - 1))
        damage = data.draw(st.binary(max_size=12))
        try:
            found = PdfReader().extract(whole[:at] + damage + whole[at + len(damage) // 2 :])
        except Unextracted:
            return
        spans = [block.span for block in found.structure.blocks]
        assert all(one.end <= other.start for one, other in pairwise(spans))
        assert spans[-1].end == len(found.text)


def test_the_same_bytes_give_the_same_text() -> None:
    data = PdfMaking([PageMaking(by_rows(LEFT, RIGHT, THIRD)), PageMaking(TestTables().table())]).written()
    assert PdfReader().extract(data) == PdfReader().extract(data)
