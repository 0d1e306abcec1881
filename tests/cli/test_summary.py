"""What is told beside a result: why there is none, and which words of the question occur nowhere."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from lens_lsp.cli.renderers import Places, Style
from lens_lsp.cli.summary import Summary, Trace
from lens_lsp.model.answer import (
    Account,
    Admitted,
    Answer,
    Answered,
    Arm,
    Event,
    Planned,
    Proposed,
    ProposedRegion,
    RequirementStatus,
    Sent,
    Stopped,
    StopReason,
)
from lens_lsp.model.documents import Coverage, Findings
from lens_lsp.model.text import Span
from tests.hand_made import PLAN, answer, events, evidence

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


ROOT = os.path.join(os.sep, "notes")

TRACE_PLACES = Places([ROOT], os.sep)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="paths are written with /")

SECTIONS = [
    "Plan",
    "Scan",
    "Admitted",
    "Round 1",
    "Admitted after round 1",
    "Round 2",
    "Stopped",
    "Requirements",
    "Coverage",
    "Skipped",
    "Hidden or without effect",
    "Time",
    "Ledger",
    "Warnings",
]


def traced(*given: Event) -> str:
    trace = Trace(TRACE_PLACES, Style())
    for event in given or events(ROOT, trace=False):
        trace.add(event)
    return trace.text(1.0)


def section(title: str, text: str | None = None) -> str:
    """The lines below a heading, to the next empty line."""
    return f"\n\n{traced() if text is None else text}".partition(f"\n\n{title}\n")[2].partition("\n\n")[0].rstrip("\n")


def test_the_trace_follows_the_search() -> None:
    assert [line for line in traced().splitlines() if line[:1].strip()] == SECTIONS


def test_the_plan_names_requirements_and_their_anchors() -> None:
    assert section("Plan") == (
        "  lookup, wants a date; mode evidence, seed 3\n"
        f"  f1  {PLAN.question}, wants a date\n"
        "      must name: workshop\n"
        "      anchors: lease (term 2.00), workshop (term 1.50)\n"
        "  verdicts weigh, in nats: full +4.25, partial +1.50, related -0.63, none -3.00"
    )


def test_an_admitted_document_shows_its_prior_and_signals() -> None:
    assert section("Admitted") == (
        "  1 document of 3 cells, 1 in reserve; windows considered: 0.12 of all\n"
        "  [0] notes/house/contract.md  π f1 1.000\n"
        "      lexical 0.75 path 0.25"
    )
    assert "  [1] notes/garden.md  π f1 0.200\n      lexical 1.00" in section("Admitted after round 1")


def test_a_round_tells_what_was_drawn_said_and_believed() -> None:
    assert section("Round 1").splitlines()[:7] == [
        "  λ lexical 0.600, local 0.250, global 0.150",
        "  drawn global: 1 region, 5 tokens",
        "      [0] notes/house/contract.md 0–20",
        "  said of f1: 1 related",
        "  1 quote not found in the source and dropped",
        "  new terms: tenancy",
        "  f1 open; no quote; P(nowhere) 0.1117526764",
    ]
    lines = section("Round 2").splitlines()
    assert lines[5:8] == [
        "  said of f1: 1 full, 1 none",
        "  verified f1: notes/house/contract.md:5:1",
        "  f1 covered by glr; GLR 4.2500 > 2.3000; P(nowhere) 0.0022378050",
    ]
    assert lines[8] == "      0.8471640992  [0] cell 1: notes/house/contract.md 50–100"


def test_a_search_that_takes_the_place_of_another_counts_its_documents_anew() -> None:
    begun = [event for event in events(ROOT, trace=False) if isinstance(event, Planned | Admitted | Proposed)]
    first = begun[: begun.index(next(event for event in begun if isinstance(event, Proposed)))]
    text = traced(*first, *begun)
    assert [line for line in text.splitlines() if line in ("Plan", "Admitted")] == ["Plan", "Admitted"] * 2
    assert "  [1] notes/house/contract.md" not in text
    assert "  [1] notes/garden.md" in text


def test_many_regions_are_counted_and_the_first_named() -> None:
    drawn = tuple(
        ProposedRegion(number, 0, "house/contract.md", Span(number, 9), Span(0, 1), Arm.LEXICAL, 1)
        for number in range(6)
    )
    lines = section("Round 1", traced(*events(ROOT)[:3], Proposed(1, {}, drawn))).splitlines()
    assert lines[0] == "  drawn lexical: 6 regions, 6 tokens"
    assert lines[1] == "      [0] notes/house/contract.md 0–9"
    assert lines[5:] == ["      and 2 more"]


def test_the_end_says_why_it_stopped_and_what_it_cost() -> None:
    assert section("Stopped") == "  covered: every requirement is covered"
    assert section("Requirements") == "  f1 covered, value 30 June 2031, confidence 0.93, proof [1]"
    assert section("Skipped") == "       1  binary       notes/a.bin"
    assert section("Hidden or without effect") == "       1  open-block   notes/b.md:3"
    assert section("Ledger") == (
        "  0 calls, 0 retried\n  0 tokens in, 0 out\n  nothing was sent anywhere\n"
        "  1 quote dropped, not found in the source"
    )


def test_a_missing_fact_has_passages_but_no_proof() -> None:
    given = answer(ROOT)
    missing = replace(given.requirements[0], status=RequirementStatus.MISSING, value=None, confidence=None)
    lines = section("Requirements", traced(Answered(replace(given, requirements=(missing,)))))
    assert lines == "  f1 missing, passages shown [1]"


def test_what_was_sent_is_told_with_its_cost() -> None:
    account = Account(
        calls={"observe": 2},
        tokens_in=900,
        tokens_out=80,
        cost=0.0123,
        endpoint="https://models.invalid",
        sent=(Sent("a.md", Span(10, 20)), Sent("b.md", Span(0, 1500))),
    )
    ledger = section("Ledger", traced(Answered(replace(answer(ROOT), account=account, rejected_quotes=0))))
    assert ledger == (
        "  2 calls (2 observe), 0 retried\n  900 tokens in, 80 out\n  cost 0.0123\n"
        "  sent to https://models.invalid: 2 spans, 1,510 characters"
    )


@pytest.mark.parametrize("reason", StopReason)
def test_every_reason_to_stop_has_words(reason: StopReason) -> None:
    assert section("Stopped", traced(Stopped(reason))).startswith(f"  {reason.value}: ")


def test_a_trace_of_nothing_is_empty() -> None:
    assert Trace(TRACE_PLACES, Style()).text(1.0) == "\n"
