"""What is our own or asks us is found, however it is marked or broken, and nothing else is."""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.corpus_rules import CorpusRules, denied_path
from lens_lsp.corpus.encoding import TextPiece, blank, decode, side_by_side
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.text_marks import GeneratedSpans, find_generated, joined, suspects, unsearchable
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.documents import Document, SkipReason
from lens_lsp.model.text import Position, Span
from tests.soak.own_output import BEFORE, BEHIND, OF_NOTE, OF_OURS, Output, outputs, run, without_stamp

BEGIN, END = '<!-- lens:begin a1 {"sources":[]} -->', "<!-- lens:end a1 -->"
BLOCK = f'{BEGIN}\nAn answer.[^a1-1]\n\n## Ours\n\n[^a1-1]: [a.md:3](a.md) "quote"\n{END}'


def suspected(text: bytes) -> bool:
    """Whether a text between two innocent ones is one that the scan looks at more closely."""
    texts = [b"nothing", text, b"nothing"]
    raw, starts, _ = side_by_side(texts)
    return 1 in suspects(raw, starts)


def told(text: str) -> list[str]:
    return [text[span.start : span.end] for span in find_generated(text).spans]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("before", ["", "  ", "> ", "- ", "  > > ", "3. ", "\t"])
def test_a_block_may_stand_in_a_list_or_a_quote(before: str, line_break: str) -> None:
    text = f"note\n{before}{BLOCK}\nnote".replace("\n", line_break)
    assert told(text) == [f"{before}{BLOCK}".replace("\n", line_break)]


OTHER = BLOCK.replace("a1", "b2")
INNER = "<!-- lens:begin b2 -->\ninner\n<!-- lens:end -->"
CROSSING = f"{BEGIN}\n<!-- lens:begin b2 -->\n{END}\nstill ours\n<!-- lens:end b2 -->"
OPENED = f"{BEGIN}\nours\n```\ncode\n```\nwhose?"


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        pytest.param(f"before\n\n{BLOCK}\nafter {BLOCK[:9]}\n", [BLOCK], id="with its marks and nothing around it"),
        pytest.param(f"{BLOCK}\nmine\n{OTHER}", [BLOCK, OTHER], id="blocks apart"),
        pytest.param(f"mine\n{BEGIN}\nours\n\n# Heading\n", [f"{BEGIN}\nours\n\n# Heading\n"], id="no end"),
        pytest.param(f"{BEGIN}\n<!-- lens:end b2 -->\n", [f"{BEGIN}\n<!-- lens:end b2 -->\n"], id="another's end"),
        pytest.param(f"{INNER}\nmine", [INNER], id="a bare end"),
        pytest.param(
            f"{BEGIN}\n{INNER}\nouter\n{END}\nmine", [f"{BEGIN}\n{INNER}\nouter\n{END}"], id="a bare end inside"
        ),
        pytest.param(f"{BEGIN}\n{OTHER}\n{END}\nmine", [f"{BEGIN}\n{OTHER}\n{END}"], id="nested"),
        pytest.param(f"{CROSSING}\nmine", [CROSSING], id="crossing"),
        pytest.param(f"{BEGIN}\n{BLOCK}\nmine", [f"{BEGIN}\n{BLOCK}"], id="a copied beginning"),
        pytest.param(f"mine\n{END}\nmine", [], id="an end alone"),
        pytest.param(f"{BEGIN}\nours {END} mine", [f"{BEGIN}\nours {END}"], id="an end within a line"),
        pytest.param(f"```python\nx = 1\n{BLOCK}\n```\nmine", [BLOCK], id="in a fence, where questions can be asked"),
        pytest.param(f"```\ncode\n```\n{OPENED}", [OPENED], id="a fence that was closed before"),
    ],
)
def test_blocks_run_from_their_beginning_to_their_end(text: str, blocks: list[str]) -> None:
    assert told(text) == blocks


@pytest.mark.parametrize(
    "text",
    [
        f"Blocks stand between `{BEGIN}` and `{END}`.",
        f"A block: {BEGIN} and so on.",
        "<!-- lens:beginning a1 -->\nmine",
        "<!-- lens begin a1 -->\nmine",
        "lens:begin a1",
    ],
)
def test_a_mark_inside_a_line_is_an_example(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize("fence", ["```", "~~~~", "> ```"])
def test_a_beginning_alone_in_a_fence_hides_no_more_than_the_fence(fence: str) -> None:
    text = f"mine\n{fence}\n{BEGIN}\nexample\n{fence}\nmine again\n"
    assert told(text) == [f"{BEGIN}\nexample\n"]


@pytest.mark.parametrize(
    "line", ["?? who", "??", "  ??who", "- ?? who", "* ??", "12. ?? who", "> - ?? who", "- [ ] ?? who"]
)
def test_a_line_that_asks_is_told_whole(line: str) -> None:
    assert told(f"mine\n{line}\nmine") == [line]
    assert told(f"mine\r\n{line}\r\nmine") == [line]
    assert told(line) == [line]


@pytest.mark.parametrize(
    "line", ["who??", "a ?? b", "??? note", "????: kana", "-?? x", "# ?? x", "`??` asks", "**??**", "? ?", "1.?? x"]
)
def test_other_question_marks_ask_nothing(line: str) -> None:
    assert told(f"mine\n{line}\nmine") == []


def test_lines_that_ask_in_a_row_and_in_a_block_are_in_order_and_apart() -> None:
    text = f"?? one\n?? two\n{BEGIN}\n?? three\n{END}\n?? four"
    assert told(text) == ["?? one", "?? two", f"{BEGIN}\n?? three\n{END}", "?? four"]


@pytest.mark.parametrize("front", ["---\nlens: answer/1\nquestion: x\n---\n", '+++\nlens = "answer/2"\n+++\n'])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_an_answer_file_is_ours_from_end_to_end(front: str, line_break: str) -> None:
    text = (front + "An answer.\n").replace("\n", line_break)
    assert find_generated(text) == GeneratedSpans(answer=True, spans=(Span(0, len(text)),), whole=True)
    assert suspected(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "---\nlens: private\n---\nmine",
        "---\ntitle: answer/1\n---\nmine",
        "lens: answer/1\n\nmine",
        "---\nanswer/\n---\nmine lens: answer/1",
        "---\n\nlens: answer/1 in a text that begins with a rule",
        "",
    ],
)
def test_other_front_matter_makes_no_answer_file(text: str) -> None:
    assert find_generated(text) == GeneratedSpans()


def test_a_later_piece_may_begin_within_a_block() -> None:
    text = f"the rest of an answer\n{END}\nmine\n{BLOCK}\nmine\n{END}\n"
    first = f"the rest of an answer\n{END}"
    found = find_generated(text, continued=True).spans
    assert [text[span.start : span.end] for span in found] == [first, BLOCK]
    assert told(text) == [BLOCK]


PARTS = [
    BEGIN,
    END,
    "<!-- lens:begin b -->",
    "<!-- lens:end b -->",
    "<!-- lens:end -->",
    "??",
    "\n",
    "\r\n",
    "- ",
    "> ",
]
PARTS += ["```", "---", "lens: answer/1", "+++", "mine", " ", "<!--", "-->", "é", "?", "lens:begin"]
texts = st.lists(st.sampled_from(PARTS) | st.sampled_from(["\n"]), max_size=30).map("".join)


@given(texts, st.booleans())
def test_spans_are_in_order_apart_and_inside_and_the_quick_look_misses_none(text: str, continued: bool) -> None:
    found = find_generated(text, continued=continued)
    assert all(0 <= span.start < span.end <= len(text) for span in found.spans)
    assert all(left.end < right.start for left, right in pairwise(found.spans))
    if not continued and found.spans:
        assert suspected(text.encode())


@given(st.lists(st.sampled_from(["mine\n", "more mine\n\n", f"{BLOCK}\n", "?? asks\n", "> ?? asks\n"]), max_size=12))
def test_of_sound_texts_exactly_the_foreign_lines_are_left(parts: list[str]) -> None:
    text = "".join(parts)
    left = blank(text, find_generated(text).spans)
    assert len(left) == len(text)
    assert left.split() == [word for part in parts if part.startswith("m") for word in part.split()]


@pytest.mark.parametrize(
    "piece", ["??", "?? \n", "- ", "<!-- lens:begin a -->", "<!-- lens:end -->", "```\n", "- - ??"]
)
def test_hostile_repetition_costs_linear_time(piece: str) -> None:
    for text in (piece * (400_000 // len(piece)), "x" + piece * (400_000 // len(piece)), BEGIN + piece * 50_000):
        begun = time.process_time()
        find_generated(text)
        assert time.process_time() - begun < 20, piece


def test_many_blocks_that_never_end_cost_linear_time() -> None:
    text = "".join(f"```\n<!-- lens:begin {number} -->\n```\n" for number in range(10_000))
    begun = time.process_time()
    assert len(find_generated(text).spans) == 10_000
    assert time.process_time() - begun < 20


def test_spans_that_touch_or_overlap_are_joined() -> None:
    spans = [Span(5, 7), Span(0, 2), Span(2, 3), Span(6, 9), Span(4, 4)]
    assert joined(spans) == (Span(0, 3), Span(5, 9))


def test_the_scan_sees_neither_markup_nor_what_is_ours() -> None:
    text = f"<p>mine</p>\n{BLOCK}\n<p>mine too</p>\n"
    reader = reader_for("a.html")
    assert reader is not None
    hidden = unsearchable(reader, text)
    assert blank(text, hidden).split() == ["mine", "mine", "too"]
    assert all(left.end < right.start for left, right in pairwise(hidden))


def test_the_scan_of_a_plain_text_without_ours_hides_nothing() -> None:
    reader = reader_for("a.txt")
    assert reader is not None
    assert unsearchable(reader, "nothing here is ours?") == ()


def document(tmp_path: Path, name: str, text: str) -> Document:
    (tmp_path / name).write_bytes(text.encode())
    with Root(str(tmp_path)) as root:
        return Snapshot([root], {}, CorpusRules()).document(0, name)


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst", "a.adoc", "a.org", "a.tex", "a.html", "a.py", "a.csv", "A"])
def test_every_text_format_tells_what_is_ours(tmp_path: Path, name: str) -> None:
    text = f"Mine stands here.\n\n{BLOCK}\n\n?? who asks\n\nMine again.\n"
    structure = document(tmp_path, name, text).structure
    assert [text[span.start : span.end] for span in structure.ours] == [BLOCK, "?? who asks"]
    assert not structure.answer
    assert "Ours" not in {heading.text for heading in structure.headings}


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst", "a.adoc", "a.org", "a.html", "a.py"])
def test_an_answer_file_is_known_in_every_text_format(tmp_path: Path, name: str) -> None:
    text = "---\nlens: answer/1\n---\nAn answer.\n"
    structure = document(tmp_path, name, text).structure
    assert structure.answer
    assert structure.ours == (Span(0, len(text)),)


def test_a_notebook_has_no_blocks_of_ours(tmp_path: Path) -> None:
    text = '{"cells": [{"cell_type": "markdown", "source": ["?? who"]}], "nbformat": 4}'
    assert document(tmp_path, "a.ipynb", text).structure.ours == ()


def test_an_open_buffer_tells_what_is_ours(tmp_path: Path) -> None:
    with Root(str(tmp_path)) as root:
        buffers = {(0, "a.md"): Buffer(str(tmp_path / "a.md"), "mine\n\n?? who\n")}
        structure = Snapshot([root], buffers, CorpusRules()).document(0, "a.md").structure
    assert structure.ours == (Span(6, 12),)


def test_a_later_piece_of_a_large_file_tells_what_is_ours(tmp_path: Path) -> None:
    before, text = "mine\n", f"ours\n{END}\nmine\n"
    (tmp_path / "a.md").write_text(before + text)
    piece = TextPiece(len(before), len(before + text), len(before), Position(2, 1), "utf-8", guessed=False)
    with Root(str(tmp_path)) as root:
        found = Snapshot([root], {}, CorpusRules()).piece(0, "a.md", piece)
    assert found.text == text
    assert found.structure.ours == (Span(0, text.index("\nmine")),)


def test_a_later_piece_of_a_large_table_has_no_row_that_names_its_columns(tmp_path: Path) -> None:
    before, text = "Name,Town\n", "Ann,York\nBea,Leeds\n"
    (tmp_path / "a.csv").write_text(before + text)
    piece = TextPiece(len(before), len(before + text), len(before), Position(2, 1), "utf-8", guessed=False)
    with Root(str(tmp_path)) as root:
        found = Snapshot([root], {}, CorpusRules()).piece(0, "a.csv", piece)
    assert [block.header for block in found.structure.blocks] == [None, None]


def test_a_private_answer_file_stays_private(tmp_path: Path) -> None:
    structure = document(tmp_path, "a.md", "---\nlens: [answer/1, private]\n---\nAn answer.\n").structure
    assert structure.private


def test_a_document_without_ours_has_the_structure_of_its_reader(tmp_path: Path) -> None:
    text = "# Title\n\nWhat?? Who knows.\n"
    reader = reader_for("a.md")
    assert reader is not None
    found = document(tmp_path, "a.md", text)
    assert found.structure == reader.structure(text)
    assert found.origin.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_the_store_in_a_workspace_is_never_read(tmp_path: Path) -> None:
    assert denied_path(".lens/answers/a.md")
    assert not denied_path("lens/a.md")
    assert not denied_path(".lens.toml")
    assert not denied_path(".lensignore")
    (tmp_path / ".lens" / "answers").mkdir(parents=True)
    (tmp_path / ".lens" / "answers" / "a.md").write_text("An answer.")
    with Root(str(tmp_path)) as root, pytest.raises(Skipped) as caught:
        Snapshot([root], {}, CorpusRules()).read(0, ".lens/answers/a.md")
    assert caught.value.reason is SkipReason.DENIED


def test_the_quick_look_misses_nothing_in_any_single_byte_encoding() -> None:
    text = f"é\n{BLOCK}\n"
    for encoding in ("utf-8", "cp1252", "latin-1"):
        data = text.encode(encoding)
        assert suspected(data)
        assert find_generated(decode(data, "cp1252").text).spans
    assert not suspected(b"---\ntitle: x\n---\nWhat? Nothing? <!-- an answer -->")


WRITERS = {
    "answer file",
    "ask events",
    "ask json",
    "ask markdown",
    "ask text",
    "block",
    "clusters export .json",
    "clusters export .md",
    "clusters export .mmd",
    "clusters list",
    "clusters verify",
    "copied answer",
    "find json",
    "find markdown",
    "find text",
}
MINE = set(re.findall(r"\w+", f"{BEFORE} {BEHIND}"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Output]:
    return list(outputs(random.Random(1), 1, tmp_path_factory.mktemp("made")))


def left(text: str) -> set[str]:
    """The words of a text that may be evidence."""
    return set(re.findall(r"\w+", blank(text, find_generated(text).spans)))


def test_every_writer_is_among_them(made: Sequence[Output]) -> None:
    assert {output.writer for output in made} == WRITERS


def test_an_output_alone_is_ours_from_end_to_end(made: Sequence[Output]) -> None:
    assert [output.writer for output in made if not find_generated(output.text).whole] == []
    assert all(not left(output.text) for output in made)


@pytest.mark.parametrize("of_ours", OF_OURS)
def test_within_a_note_exactly_the_users_words_are_left(made: Sequence[Output], of_ours: str) -> None:
    rng = random.Random(of_ours)
    front = {"title", "Mine", "tags", "a", "b", "text"}  # front matter, and what a fence is of
    for output in made:
        body = OF_OURS[of_ours](output.text.rstrip("\n") + "\n", rng).strip("\n")
        for of_note, change in OF_NOTE.items():
            text = change(f"{BEFORE}\n\n{body}\n\n{BEHIND}\n", rng)
            assert left(text) - front == MINE, (output.writer, of_note)


def test_without_the_stamp_they_are_taken_for_the_users(made: Sequence[Output]) -> None:
    bare = [without_stamp(output) for output in made]
    assert {output.writer for output in bare if left(output.text)} >= WRITERS - {"answer file", "block"}


def test_an_answer_file_that_somebody_wrote_on_in_holds_evidence(made: Sequence[Output]) -> None:
    (answer,) = [output for output in made if output.writer == "answer file"]
    found = find_generated(f"{answer.text}\n{BEHIND}\n")
    assert (found.answer, found.whole) == (True, False)
    assert left(f"{answer.text}\n{BEHIND}\n") == set(re.findall(r"\w+", BEHIND))


@pytest.mark.parametrize("behind", ["", "\n```\n\nMine.\n"])
def test_json_that_was_cut_off_is_ours_as_far_as_it_goes(made: Sequence[Output], behind: str) -> None:
    (answer,) = [output for output in made if output.writer == "ask json"]
    half = answer.text[: len(answer.text) // 2]
    assert left(f"```json\n{half}{behind}" if behind else half) - {"json", "Mine"} == set()


@pytest.mark.parametrize(
    "text",
    [
        '{"lens.path": "/usr/bin/lens", "schema": "other/1"}',
        "The key `lens: answer/1` in the front matter says so.",
        'A note on "lens.answer/2", the schema of answers.',
        "Title\n---\n\nlens: answer/1",
    ],
)
def test_what_only_speaks_of_our_shapes_is_not_ours(text: str) -> None:
    assert find_generated(text).spans == ()


def test_round_trips_cite_nothing_of_ours_and_all_of_the_users() -> None:
    report = run(15, seed=5, facts=1, control=4)
    assert (report["wrong"], report["controlBad"] > 0) == ([], True)


@pytest.mark.long
def test_many_round_trips() -> None:
    report = run(300, seed=2, facts=3, control=60)
    assert (report["wrong"], report["controlBad"] > 30) == ([], True)
