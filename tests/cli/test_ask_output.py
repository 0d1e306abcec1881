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

from lens_lsp.cli.answer_printer import AnswerPrinter, grep_answer, live_line, markdown_answer, text_answer
from lens_lsp.cli.renderers import Places, Style
from lens_lsp.schema.answer import answer_json
from lens_lsp.schema.events import event_json
from tests.hand_made import answer, events, evidence

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
