"""What is told beside a result: why there is none, and which words of the question occur nowhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lens_lsp.cli.renderers import Places
from lens_lsp.cli.summary import Summary
from lens_lsp.model.answer import Answer
from lens_lsp.model.documents import Coverage, Findings
from tests.hand_made import answer, evidence

PLACES = Places(["/notes"], "/")


def findings(query: str, *missing: str, found: bool = False) -> Findings:
    items = (evidence(),) if found else ()
    return Findings(query, ("/notes",), items, (), Coverage(1, 1), None, missing=missing)


@pytest.mark.parametrize(
    ("query", "missing", "why"),
    [
        ("zeppelin", ("zeppelin",), "“zeppelin” occurs nowhere"),
        ("Éclair kite", ("eclair", "kite"), "“Éclair” and “kite” occur nowhere"),
        ("a b c", ("b", "c", "d"), "“b”, “c” and “d” occur nowhere"),
        ("lease", (), "try other or fewer words"),
    ],
)
def test_nothing_found_says_which_words_occur_nowhere(query: str, missing: tuple[str, ...], why: str) -> None:
    assert reason(findings(query, *missing)) == f"nothing found for “{query}” in 1 file; {why}"


def test_of_many_words_that_occur_nowhere_ten_are_named() -> None:
    words = [f"word{n}" for n in range(12)]
    assert reason(findings("x", *words)).endswith("“word9” and 2 more occur nowhere")


def reason(result: Findings | Answer) -> str:
    """Why nothing was found."""
    return Summary(result, PLACES, "text", closing=None, explained=None, nothing=True, quiet=False).sentences()[0]


def told(result: Findings, capsys: pytest.CaptureFixture[str], *, quiet: bool = False) -> str:
    nothing = not result.evidence
    Summary(result, PLACES, "text", closing=None, explained=None, nothing=nothing, quiet=quiet).put()
    shown = capsys.readouterr()
    assert shown.out == ""
    return shown.err


def test_words_that_occur_nowhere_are_told_with_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    partly = findings("the lease of the Zeppelin", "zeppelin", "the", found=True)
    assert told(partly, capsys) == "lens: These words occur nowhere: “Zeppelin”.\n"
    assert told(partly, capsys, quiet=True) == ""
    assert told(findings("the lease", found=True), capsys) == ""


def test_the_reason_for_nothing_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(findings("zeppelin", "zeppelin"), capsys).count("occurs nowhere") == 1


def test_a_word_cannot_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in told(findings("x", "\x1b[31mred", found=True), capsys)


def test_an_answer_does_not_say_which_words_occur_nowhere() -> None:
    nothing = replace(answer("/notes"), evidence=())
    assert reason(nothing).endswith("try other or fewer words")
