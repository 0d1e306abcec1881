"""A reply of ``lens ask`` fits the terminal, the answer last: real processes on pseudo-terminals, and its parts."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lens_process import on_a_terminal
from terminal_screen import shown

from lens_lsp.cli.answer_printer import Screen, by_rules, choose_passages, rule_answer, screen_line, screen_passages
from lens_lsp.cli.renderers import Places, Style, clipped, columns, flowed, rows, shortened, wrapped
from lens_lsp.model.answer import Mode, RequirementResult, RequirementStatus, Status
from lens_lsp.model.documents import Evidence
from lens_lsp.model.plan import Intent
from tests.hand_made import QUESTION, answer, evidence

posix = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
HERE = os.sep + os.path.join("home", "someone")
ROOT = os.path.join(HERE, "notes")
PLAIN = Screen(80, Places([ROOT], HERE), Style())
COLOURED = Screen(80, Places([ROOT], HERE), Style(coloured=True))
HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from("界ﾊ`~#<>![]()|\\\n\r\x1b\u202e\u0301&:/ww.@*_ -+1")))
STORY = "The copper kettle of the {} house was mended, and nobody remembers who paid the tinker for it. "


@pytest.fixture
def kitchen(tmp_path: Path) -> Path:
    """Notes that say much about kettles, in long and short lines and two scripts."""
    folder = tmp_path / "kitchen"
    folder.mkdir()
    for n in range(12):
        name = f"{n}-{'a-very-long-name-of-a-note-' * (n % 3 + 1)}.md"
        told = "\n\n".join(STORY.format(f"{n}th") * 3 for _ in range(4))
        (folder / name).write_text(f"# Note {n}\n\n## {'All that is known of it ' * 6}\n\n{told}\n")
    (folder / "京都.md").write_text(
        "# 茶の湯\n\n" + "銅の釜は一九三一年に京都の鋳物師が作りました。茶会で毎年使われています。" * 12 + "\n"
    )
    (folder / "log.txt").write_text("pump " + "x" * 3_000 + " the pump of the well broke on 3 May 2021 " + "y/" * 2_000)
    return folder


def asked(question: str, folder: Path, environment: dict[str, str], *options: str) -> list[str]:
    status, written = on_a_terminal(
        ["-m", "lens_lsp", "ask", question, ".", "--no-store", "--mode", "evidence", *options],
        folder,
        environment | {"TERM": "xterm-256color"},
    )
    lines = shown(re.sub(rb"\r\x1b\[2K|\x1b\[\?25[hl]", b"", written))
    assert status in (0, 1), lines
    return lines


QUESTIONS = [
    ("How many files mention the kettle?", r"12 of 12 matching passages read\.|.*\*?12\*?.* files"),
    ("What does a zeppelin ticket to Oslo cost?", r"No passage "),
    ("Who mended the copper kettle of the 3th house?", r"No passage states this\. Closest passages: \[1\]|.*\[1\]"),
    ("銅の釜はいつ作られましたか？", r"No passage states this\. Closest passages: \[1\]|.*\[1\]"),
    ("When did the pump of the well break?", r"No passage states this\. Closest passages: \[1\]|.*\[1\]"),
]


@posix
@pytest.mark.parametrize(("question", "said"), QUESTIONS, ids=["count", "not stated", "many", "CJK", "long line"])
def test_a_reply_fits_one_screen_and_ends_in_the_answer(
    question: str, said: str, kitchen: Path, environment: dict[str, str]
) -> None:
    lines = asked(question, kitchen, environment)
    assert len(lines) < 24, "a row is left for the prompt"
    *_, last, closing = lines
    assert re.match(r"(answered|partial|unanswered) · ", closing)
    assert re.match(said, last), lines
    assert max(map(columns, lines)) <= 80


@posix
def test_the_long_form_does_not_fit(kitchen: Path, environment: dict[str, str]) -> None:
    question = QUESTIONS[0][0]
    assert len(asked(question, kitchen, environment, "--all")) > 24
    assert "9 more: --all" in asked(question, kitchen, environment)


@posix
def test_a_place_is_seen_from_the_searched_folder_where_that_is_shorter(
    kitchen: Path, environment: dict[str, str]
) -> None:
    away = kitchen.parent / "away"
    away.mkdir()
    command = ["-m", "lens_lsp", "ask", "How many files mention the pump?", str(kitchen), "--no-store"]
    lines = shown(on_a_terminal(command, away, environment | {"NO_COLOR": "1"})[1])
    assert any(line.startswith("[1] log.txt:1") for line in lines)


CHECKED = """
from dataclasses import replace
from lens_lsp.cli.answer_printer import AnswerPrinter
from lens_lsp.cli.renderers import Places
from lens_lsp.model.answer import AnswerDelta, EvidenceFound, Planned
from lens_lsp.model.answer import Mode
from tests.hand_made import PLAN, TABLE, answer, evidence
hearing = AnswerPrinter("text", Places(["/notes"], "/"), explain=False, quiet=True)
hearing.take(Planned(PLAN, Mode.FAST, 3, TABLE))
hearing.take(EvidenceFound(evidence(), early=True))
for word in "The lease, which was signed by many people who are named in it, ends in 2031, said a 界".split():
    hearing.take(AnswerDelta(word + " ", checking=True))
hearing.take(EvidenceFound(evidence(), final=True))
said = "It ends in 2031 [1]. It was cheap."
hearing.take(AnswerDelta(said, restart=True))
hearing.finish(replace(answer("/notes"), mode=Mode.FAST, text=said))
"""
STREAMED = """
from lens_lsp.cli.answer_printer import AnswerPrinter
from lens_lsp.cli.renderers import Places
from lens_lsp.model.answer import AnswerDelta, EvidenceFound, Planned
from dataclasses import replace
from lens_lsp.model.answer import Mode
from tests.hand_made import PLAN, TABLE, answer, evidence
hearing = AnswerPrinter("text", Places(["/notes"], "/"), explain=False, quiet=True)
hearing.take(Planned(PLAN, Mode.DEEP, 3, TABLE))
hearing.take(EvidenceFound(evidence(), final=True))
hearing.take(AnswerDelta("It ends"))
hearing.take(EvidenceFound(evidence(), final=True))
hearing.take(AnswerDelta("It ends in ", restart=True))
hearing.take(AnswerDelta("2031 [1]."))
hearing.finish(replace(answer("/notes"), mode=Mode.DEEP, text="It ends in 2031 [1]."))
"""
PROOF = ["[1] house/contract.md:5  Term", "    The lease of the workshop ends on 30 June 2031."]


@posix
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_words_that_are_still_checked_make_room_for_the_answer(
    tmp_path: Path, environment: dict[str, str], term: str
) -> None:
    status, written = on_a_terminal(
        ["-c", CHECKED], tmp_path, environment | {"NO_COLOR": "1", "TERM": term}, size=(24, 50)
    )
    lines = shown(written, 50)
    assert status == 0
    assert lines[0] == "· house/contract.md:5  The lease of the workshop…"
    proof = [PROOF[0], "    The lease of the workshop ends on 30 June", "    2031."]
    assert lines[-5:] == [*proof, "", "It ends in 2031 [1]. It was cheap."]
    assert (len(lines) == 7) is (term == "xterm")


@posix
def test_words_of_a_model_stand_below_their_passages_as_they_come(tmp_path: Path, environment: dict[str, str]) -> None:
    status, written = on_a_terminal(["-c", STREAMED], tmp_path, environment | {"NO_COLOR": "1"})
    assert status == 0
    anew = ["", "It ends", "", "after searching further:", ""]
    assert shown(written) == [*PROOF, *anew, *PROOF, "", "It ends in 2031 [1]."]


def test_the_short_answer_its_markers_and_how_sure_it_is() -> None:
    told = answer(ROOT)
    assert rule_answer(told, told.evidence, PLAIN, 8) == "30 June 2031 [1] · probably right: 93 %\n"
    coloured = rule_answer(told, told.evidence, COLOURED, 8)
    assert coloured == "\x1b[1m30 June 2031\x1b[0m \x1b[32m[1]\x1b[0m · probably right: 93 %\n"
    quoted = screen_passages(told.evidence, COLOURED, QUESTION, 10, told.requirements)
    assert quoted.endswith("ends on \x1b[1;4m30 June 2031\x1b[0m.\n")


def test_without_a_short_answer_the_sentence_that_proves_it_stands_for_it() -> None:
    told = replace(answer(ROOT), short=None)
    told = replace(told, requirements=(replace(told.requirements[0], value=None, confidence=None),))
    assert rule_answer(told, told.evidence, PLAIN, 8) == "The lease of the workshop ends on 30 June 2031. [1]\n"


def test_what_is_missing_is_told_beside_what_was_found() -> None:
    told = answer(ROOT)
    lost = RequirementResult("f2", "the rent", RequirementStatus.MISSING, None, False, 0, 0, None, ())
    told = replace(told, status=Status.PARTIAL, requirements=(*told.requirements, lost), short=None)
    said = rule_answer(told, told.evidence, PLAIN, 8)
    assert said.startswith("No passage states “the rent”.\nWhen does the lease of the workshop end?: 30 June 2031 [1]")
    told = replace(told, requirements=(lost,))
    assert rule_answer(told, told.evidence, PLAIN, 8) == "No passage states this. Closest passages: [1]\n"


def test_what_was_computed_is_told_with_its_derivation_and_no_list() -> None:
    text = "**2 years** — 2033 - 2031 [1][2]\n\n- **start**: 2031 [1]\n- **end**: 2033 [2]\n\n*Answered offline.*\n"
    told = replace(answer(ROOT), intent=Intent.COMPUTATION, text=text)
    assert by_rules(replace(told, mode=Mode.FAST))
    assert not by_rules(replace(told, mode=Mode.FAST, text="It ends in 2031 [1]."))
    assert rule_answer(told, told.evidence, PLAIN, 8) == "2 years — 2033 - 2031 [1][2]\n"


def test_an_outline_takes_the_room_there_is() -> None:
    items = "".join(f"- **Part {n}** — {'it goes on ' * 12} [{n}]\n" for n in range(1, 21))
    told = replace(answer(ROOT), intent=Intent.SUMMARIZE, text=items + "\n*Answered offline.*\n", short=None)
    assert choose_passages(told) == ()
    lines = rule_answer(told, (), PLAIN, 10).splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("- Part 1 — it goes on")
    assert lines[0].endswith("… [1]")
    assert lines[-1] == "… the rest: --all"
    assert max(map(columns, lines)) <= 80


def test_the_first_proof_of_each_fact_is_shown_first() -> None:
    def fact(n: int, status: RequirementStatus, *proofs: int) -> RequirementResult:
        return RequirementResult(f"f{n}", "x", status, None, False, 0, 0, None, proofs)

    told = replace(
        answer(ROOT),
        evidence=tuple(map(evidence, range(1, 8))),
        requirements=(fact(1, RequirementStatus.MISSING, 1, 2), fact(2, RequirementStatus.COVERED, 4, 5, 6)),
    )
    assert [item.n for item in choose_passages(told)] == [1, 4, 5]


def quoting(quote: str, **changes: object) -> Evidence:
    return replace(evidence(), quote=quote, **changes)  # type: ignore[arg-type]


def test_the_sentence_that_tells_most_is_shown_and_cuts_are_marked() -> None:
    filler = "Nothing of interest stands here, and it goes on for a while without saying so. "
    quote = filler * 8 + "The lease of the workshop ends on 30 June 2031. " + filler * 8
    head, *lines = screen_passages([quoting(quote)], PLAIN, QUESTION, 5).splitlines()
    assert head == PROOF[0]
    assert len(lines) == 4
    assert lines[0].startswith("    …")
    assert lines[-1].endswith("…")
    assert "The lease of the workshop ends" in " ".join(" ".join(lines).split())
    value = replace(answer(ROOT).requirements[0], value="30 June 2031")
    long = filler.replace(".", ",") * 8 + "on 30 June 2031, " + filler.replace(".", ",") * 8
    assert "30 June 2031" in " ".join(screen_passages([quoting(long)], PLAIN, "Who?", 3, [value]).split())


def test_place_and_heading_stand_on_one_line_however_long_they_are() -> None:
    item = quoting("Yes.", path="a/" * 60 + "notes.md", heading=("First", "The longest of all headings " * 5))
    head = screen_passages([item], PLAIN, QUESTION, 2).splitlines()[0]
    assert columns(head) <= 80
    assert re.fullmatch(r"\[1\] …[a/]+/notes\.md:5  The longest of all.*…", head)


@given(HOSTILE, HOSTILE, HOSTILE, st.integers(1, 20), st.integers(20, 120))
def test_passages_keep_to_their_rows_and_columns_and_steer_nothing(
    quote: str, heading: str, value: str, room: int, width: int
) -> None:
    item = quoting(quote, path=(heading or "x").replace("/", "_"), heading=(heading,), cut=("start", "end"))
    values = [replace(answer(ROOT).requirements[0], value=value)]
    told = screen_passages([item] * 3, replace_width(width), QUESTION, room, values)
    lines = told.split("\n")[:-1]
    assert len(lines) <= max(6, room)
    assert max(map(columns, lines)) <= width
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", told)
    live = screen_line(item, replace_width(width))
    assert live.count("\n") == 1
    assert columns(live[:-1]) <= width


def replace_width(width: int) -> Screen:
    return replace(PLAIN, width=width)


@given(HOSTILE, st.integers(2, 60))
def test_wrapped_lines_hold_everything_and_fit(text: str, room: int) -> None:
    lines = wrapped(text, room)
    assert all(columns(text[start:end]) <= room for start, end in lines)
    assert "".join("".join(text[start:end].split()) for start, end in lines) == "".join(text.split())


@given(HOSTILE, st.integers(0, 40), st.booleans())
def test_clipped_text_fits(text: str, room: int, at_start: bool) -> None:
    assert columns(clipped(text, room, at_start=at_start)) <= room


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert columns("釜 e\u0301") == 4
    assert clipped("銅の釜は", 6) == "銅の…"
    assert [rows("釜" * 3, width) for width in (6, 5, 4)] == [1, 2, 2]
    assert [text for text in ("a\u3000b", "ab") for _ in wrapped(text, 2)] == ["a\u3000b", "a\u3000b", "ab"]


def test_structure_becomes_dots_and_long_words_are_cut() -> None:
    source = "## Kettle\n\nCopper,\nand old.\n\n* one\n* two\n\n```sh\nlens ask\n```\n| a | b |\n| - | - |\n\n"
    source += "PEP: 1\nTitle: x\n銅\n釜"
    assert flowed(source, "Kettle") == "Copper, and old. · one · two · lens ask · a | b · PEP: 1 · Title: x 銅釜"
    address = "https://example.org/" + "x" * 50
    assert shortened(f"see [it]({address}), {'z' * 50}") == f"see [it]({address[:27]}…), {'z' * 39}…"
    assert shortened(address, [address]) == address
