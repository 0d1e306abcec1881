"""What ``lens ask`` prints for given events: apart from any search."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lens_process import on_a_terminal
from markdown_it import MarkdownIt
from terminal_screen import shown

from lens_lsp.cli.answer_printer import (
    AnswerPrinter,
    Screen,
    by_rules,
    choose_passages,
    grep_answer,
    live_line,
    markdown_answer,
    rule_answer,
    screen_line,
    screen_passages,
    text_answer,
)
from lens_lsp.cli.renderers import Places, Style, clipped, columns, flowed, rows, shortened, wrapped
from lens_lsp.model.answer import Mode, RequirementResult, RequirementStatus, Status
from lens_lsp.model.documents import Evidence
from lens_lsp.model.plan import Intent
from lens_lsp.schema.answer_shapes import answer_json, event_json
from tests.hand_made import QUESTION, answer, events, evidence

HERE = os.sep + os.path.join("home", "someone")

ROOT = os.path.join(HERE, "notes")

PLACES = Places([ROOT], HERE)

ANSWER = answer(ROOT)

PATH = os.path.join("notes", "house", "contract.md")

SENTENCE = "The lease of the workshop ends on 30 June 2031."

HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from("`~#<>![]()|\\\n\r\x1b\u202e&:/ww.@*_ -+1")))

TEXT = f"""\
{SENTENCE} [1]

[1] {PATH}:5:1  Contract › Term
    {SENTENCE}

"""

MARKDOWN = f"""\
<!-- lens:begin w6888801245a0 {{"lens":"output/1"}} -->

{SENTENCE} [^1]

[^1]: [notes/house/contract.md:5](notes/house/contract.md#L5) "{SENTENCE}"

<!-- lens:end w6888801245a0 -->
"""

GREP = f"{PATH}:5:1:{SENTENCE}\n"


def printed(shape: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What ends up on standard output, which is no terminal here."""
    hearing = AnswerPrinter(shape, PLACES, explain=False, quiet=False)
    for event in events(ROOT):
        hearing.take(event)
    assert hearing.answer is not None
    hearing.finish(hearing.answer)
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.skipif(os.name != "posix", reason="paths are written with /")
@pytest.mark.parametrize(("shape", "expected"), [("text", TEXT), ("markdown", MARKDOWN), ("grep", GREP)])
def test_without_a_terminal_only_the_final_form_is_printed(
    shape: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert printed(shape, capsys) == expected


def test_json_is_the_answer_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed("json", capsys)) == json.loads(json.dumps(answer_json(ANSWER)))


def test_events_are_numbered_lines_in_order_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed("events", capsys).splitlines()
    expected = [event_json(event, seq) for seq, event in enumerate(events(ROOT), 1)]
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(expected))


LISTENING = """
from lens_lsp.cli.answer_printer import AnswerPrinter
from lens_lsp.cli.renderers import Places
from tests.hand_made import events
import sys
hearing = AnswerPrinter("text", Places([sys.argv[1]], "/home/someone"), explain=False, quiet=True, whole=True)
for event in events(sys.argv[1]):
    hearing.take(event)
    print(f"<{type(event).__name__}>")
hearing.finish(hearing.answer)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_the_long_form_shows_passages_when_found_then_the_answer_as_it_comes(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    status, shown = on_a_terminal(
        ["-c", LISTENING, ROOT], tmp_path, environment | {"TERM": "xterm", "COLUMNS": "60", "NO_COLOR": "1"}
    )
    assert status == 0
    text = shown.decode("utf-8").replace("\r\n", "\n")
    told = text.partition("<Covered>\n<Admitted>\n<Proposed>\n<Observed>\n")[2]
    assert told == (
        f"· {PATH}:5:1  The lease of the workshop e…\n<EvidenceFound>\n<Covered>\n<EvidenceFound>\n"
        "\nThe lease of the workshop ends <AnswerDelta>\non 30 June 2031. [1]<AnswerDelta>\n<Answered>\n<Stopped>\n"
        f"\n\n[1] {PATH}:5:1  Contract › Term\n    {SENTENCE}\n\n"
    )


SEEN_EARLY = """
from dataclasses import replace
from lens_lsp.cli.answer_printer import AnswerPrinter
from lens_lsp.cli.renderers import Places
from lens_lsp.model.answer import EvidenceFound
from lens_lsp.model.text import Span
from tests.hand_made import evidence
hearing = AnswerPrinter("text", Places(["/notes"], "/"), explain=False, quiet=True, whole=True)
found = evidence(1)
hearing.take(EvidenceFound(found, early=True))
hearing.take(EvidenceFound(replace(found, span=Span(found.span.start + 3, found.span.end + 3))))
hearing.take(EvidenceFound(replace(found, path="other.md")))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_a_passage_that_was_seen_early_has_one_line(tmp_path: Path, environment: dict[str, str]) -> None:
    status, shown = on_a_terminal(["-c", SEEN_EARLY], tmp_path, environment | {"NO_COLOR": "1"})
    assert status == 0
    lines = shown.decode("utf-8").splitlines()
    assert [line.split(":")[0].rpartition("/")[2] for line in lines] == [PATH.rpartition("/")[2], "other.md"]


REVISED = """
from dataclasses import replace
from lens_lsp.cli.answer_printer import AnswerPrinter
from lens_lsp.cli.renderers import Places
from lens_lsp.model.answer import AnswerDelta
from tests.hand_made import answer
hearing = AnswerPrinter("text", Places(["/notes"], "/"), explain=False, quiet=True, whole=True)
hearing.take(AnswerDelta("It ends in 2031 [1]. It was cheap.\\n"))
hearing.finish(replace(answer("/notes"), text="It ends in 2031 [1]."))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_an_answer_that_was_changed_after_checking_is_shown_again(tmp_path: Path, environment: dict[str, str]) -> None:
    status, shown = on_a_terminal(["-c", REVISED], tmp_path, environment | {"NO_COLOR": "1"})
    text = shown.decode("utf-8").replace("\r\n", "\n")
    assert status == 0
    assert text.startswith("It ends in 2031 [1]. It was cheap.\n\nafter checking:\n\nIt ends in 2031 [1].\n\n[1] notes")


def test_markers_are_coloured_on_a_coloured_terminal() -> None:
    shown = text_answer(ANSWER, PLACES, Style(coloured=True))
    assert shown.count("\x1b[32m[1]\x1b[0m") == 2


def test_an_answer_without_evidence_is_its_words_alone() -> None:
    nothing = replace(ANSWER, text="Nothing says when.", evidence=())
    assert text_answer(nothing, PLACES, Style()) == "Nothing says when.\n\n"
    assert markdown_answer(nothing, PLACES) == "Nothing says when.\n"
    assert grep_answer(nothing, PLACES, Style()) == ""


@pytest.mark.parametrize("columns", [5, 30, 40, 60, 80, 200])
def test_a_live_line_fits_its_terminal_when_the_place_does(columns: int) -> None:
    line = live_line(evidence(), PLACES, Style(), columns)
    place = f"· {PATH}:5:1"
    assert line.startswith(place)
    assert line.endswith("\n")
    assert len(line) - 1 <= max(columns, len(place))


@given(HOSTILE, st.integers(1, 300))
def test_a_live_line_is_one_inert_line(quote: str, columns: int) -> None:
    line = live_line(replace(evidence(), quote=quote), PLACES, Style(), columns)
    assert line.count("\n") == 1
    assert not re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", line)


def test_only_markers_of_evidence_become_footnotes() -> None:
    shown = markdown_answer(replace(ANSWER, text="As of [2031] it is [1], not [2]; see [1][1]."), PLACES)
    assert shown.startswith("As of [2031] it is [^1], not [2]; see [^1][^1].\n")


@given(HOSTILE, HOSTILE, st.text(min_size=1, max_size=20))
def test_nothing_a_file_brought_into_an_answer_is_active_markdown(said: str, quote: str, path: str) -> None:
    path = path.replace("/", "_").replace("\0", "_")
    item = replace(evidence(), quote=quote, path=path)
    shown = markdown_answer(replace(ANSWER, text=said, evidence=(item,)), PLACES)
    body, _, notes = shown.rpartition("\n[^1]: " if shown.find("\n[^1]: ") >= 0 else "[^1]: ")
    assert notes.count("\n") == 1, "a footnote is one line"
    tokens = MarkdownIt("commonmark").parse(body)
    kinds = [child.type for token in tokens for child in (token, *(token.children or ()))]
    assert not {"image", "link_open", "html_inline", "html_block"} & set(kinds)
    assert not re.search(r"(?<!\\)(?:\\\\)*://", body)
    words = [child.content if child.type == "text" else "\n" for token in tokens for child in token.children or ()]
    assert not re.search(r"[\w.+-]@[\w-]*\.\w", "".join(words)), "GitHub looks for mail in all but code"
    (link,) = [token for token in MarkdownIt("commonmark").parse(notes)[1].children or () if token.type == "link_open"]
    assert str(link.attrs["href"]).endswith("#L5")


LIVE = [
    # what a file or a model may say, what of it is printed
    ("see https://evil.example/x", r"see https\://evil\.example/x"),
    ("see HTTP://evil.example and ftp://evil.example", r"see HTTP\://evil\.example and ftp\://evil\.example"),
    ("obsidian://open", r"obsidian\://open"),
    ("see www.evil.example or WWW.evil.example", r"see www\.evil\.example or WWW\.evil\.example"),
    ("write to joe@evil.example.", "write to `joe@evil.example`."),
    ("mailto:joe@evil.example, xmpp:@evil.example/x", "mailto:`joe@evil.example`, xmpp:`@evil.example`/x"),
    (r"joe\@evil.example joe@evil\.example", r"`joe\@evil.example` `joe@evil\.example`"),
    ("joe&#64;evil.example joe&commat;evil.example", r"joe\&#64;evil\.example joe\&commat;evil\.example"),
    ("`joe@evil.example` `code`", r"`joe@evil.example` \`code\`"),
    ("`joe@evil.example ` jim@evil.example", r"\``joe@evil.example` \` `jim@evil.example`"),
    ("~~joe@evil.example~~", r"~\~`joe@evil.example`~\~"),
    ("<https://evil.example> <joe@evil.example>", r"\<https\://evil\.example> <`joe@evil.example`>"),
    (r"\<b> \\<b> \\\<b>", r"\<b> \\\<b> \\\<b>"),
    (r"\![a](b) \\![a](b)", r"\![a]\(b) \\\![a]\(b)"),
    ("[a](http://evil.example)", r"[a]\(http\://evil\.example)"),
    ("[a][r]\n\n[r]: //evil.example", "[a][r]\n\n[r]\\: \\//evil\\.example"),
    ("[^1]: evil", r"[^1]\: evil"),
    ("[1]: evil", r"[^1]\: evil"),
    ("<!-- lens:answer --> </p> <?x", r"\<!-- lens:answer --> \</p> \<?x"),
    ("&lt;b&gt; R&D; a & b", r"\&lt;b\&gt; R\&D; a & b"),
    ("`code`, a@b, @pytest.fixture, 12:30, a/b", r"`code`, a@b, @pytest\.fixture, 12:30, a/b"),
]


@pytest.mark.parametrize(("said", "expected"), LIVE)
def test_addresses_and_links_that_a_file_brought_into_an_answer_are_dead(said: str, expected: str) -> None:
    assert markdown_answer(replace(ANSWER, text=said), PLACES).partition("\n\n[^1]: [")[0].rstrip("\n") == expected


def test_addresses_in_a_footnote_are_dead() -> None:
    quote = r"`joe@evil.example` or \jim@evil.example, www.evil.example, http://evil.example"
    shown = markdown_answer(replace(ANSWER, text="", evidence=(replace(evidence(), quote=quote),)), PLACES)
    assert shown.endswith(
        r'"\``joe@evil.example`\` or `\jim@evil.example`, www\.evil\.example, http\://evil\.example"' + "\n"
    )


RESTARTED = """
from lens_lsp.cli.answer_printer import AnswerPrinter
from lens_lsp.cli.renderers import Places
from lens_lsp.model.answer import AnswerDelta
from tests.hand_made import answer
hearing = AnswerPrinter("text", Places(["/notes"], "/"), explain=False, quiet=True, whole=True)
hearing.take(AnswerDelta("It ends in"))
hearing.take(AnswerDelta("The lease of the workshop ends ", restart=True))
hearing.take(AnswerDelta("on 30 June 2031. [1]"))
hearing.finish(answer("/notes"))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_an_answer_that_begins_anew_is_told_apart(tmp_path: Path, environment: dict[str, str]) -> None:
    status, shown = on_a_terminal(["-c", RESTARTED], tmp_path, environment | {"NO_COLOR": "1"})
    text = shown.decode("utf-8").replace("\r\n", "\n")
    assert status == 0
    assert text.startswith(f"It ends in\n\nafter searching further:\n\n{SENTENCE} [1]\n\n[1] notes")


posix = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")

PLAIN = Screen(80, Places([ROOT], HERE), Style())

COLOURED = Screen(80, Places([ROOT], HERE), Style(coloured=True))

HOSTILE_ON_SCREEN = st.text(
    st.one_of(st.characters(), st.sampled_from("界ﾊ`~#<>![]()|\\\n\r\x1b\u202e\u0301&:/ww.@*_ -+1"))
)

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


@given(HOSTILE_ON_SCREEN, HOSTILE_ON_SCREEN, HOSTILE_ON_SCREEN, st.integers(1, 20), st.integers(20, 120))
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


@given(HOSTILE_ON_SCREEN, st.integers(2, 60))
def test_wrapped_lines_hold_everything_and_fit(text: str, room: int) -> None:
    lines = wrapped(text, room)
    assert all(columns(text[start:end]) <= room for start, end in lines)
    assert "".join("".join(text[start:end].split()) for start, end in lines) == "".join(text.split())


@given(HOSTILE_ON_SCREEN, st.integers(0, 40), st.booleans())
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
