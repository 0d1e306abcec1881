"""What answers made by hand are worth: right, wrong, partly right, false."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.questions.scoring import complaints, is_value, score

Row = dict[str, Any]

FILES = {
    "times.md": "# Times\n\nThe loop took 200 ms.\nThe iterator took 150 ms.\n",
    "stack.md": "# Stack\n\nPushing to the stack is faster than allocating on the heap.\n",
    "pages/a.md": "# A\n\n> Kotlin and others.\n",
    "pages/b.md": "# B\n\nWritten in Kotlin.\n",
    "pages/c.md": "# C\n\nWritten in Rust.\n",
}
KEYWORDS = "the words abstract and become are reserved"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def cite(n: int, path: str, words: str) -> Row:
    text = FILES[path]
    start = text.index(words)
    end = start + len(words)

    def place(at: int) -> dict[str, int]:
        return {"line": text.count("\n", 0, at) + 1, "column": at - text.rfind("\n", 0, at)}

    return {
        "n": n,
        "path": path,
        "span": [start, end],
        "quote": words,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "encoding": "utf-8",
        "source": "disk",
        "locator": None,
        "start": place(start),
        "end": place(end),
    }


def answer(*evidence: Row, status: str = "answered", intent: str = "lookup", **given: Any) -> Row:
    numbers = [item["n"] for item in evidence]
    found = "missing" if status != "answered" else "covered"
    return {
        "status": status,
        "intent": intent,
        "answer": " ".join(f"[{n}]" for n in numbers),
        "shortAnswer": None,
        "computation": None,
        "evidence": list(evidence),
        "requirements": [{"id": "f1", "status": found, "value": None, "evidence": numbers}],
    } | given


def question(intent: str, *gold: tuple[str, str], answers: tuple[str, ...] = (), **more: Any) -> Row:
    return {
        "intent": intent,
        "answerable": True,
        "answer": answers[0] if answers else None,
        "answers": list(answers),
        "gold": [{"path": path, "quote": quote} for path, quote in gold],
        "documents": list(dict.fromkeys(path for path, _ in gold)),
    } | more


LOOP, ITERATOR = ("times.md", "The loop took 200 ms."), ("times.md", "The iterator took 150 ms.")
LOOKUP = question("lookup", LOOP, answers=("200 ms", "200"))
COMPUTATION = question(
    "computation",
    LOOP,
    ITERATOR,
    answers=("25.0", "25%", "a quarter"),
    operands=[{"path": path, "quote": quote} for path, quote in (LOOP, ITERATOR)],
    expression="(200 - 150) / 200 * 100",
    decimals=1,
    unit="%",
)
COMPARISON = question("comparison", LOOP, ITERATOR, answers=("the iterator", "iterator"))
COUNT = question(
    "aggregation",
    ("pages/a.md", "Kotlin and"),
    ("pages/b.md", "in Kotlin"),
    answers=("2",),
    form="count",
    items=["pages/a.md", "pages/b.md"],
    count=2,
)
LIST = COUNT | {"form": "list", "answer": None, "answers": []}


def test_a_lookup_is_right_when_it_is_answered_and_the_key_is_quoted(folder: Path) -> None:
    scores = score(LOOKUP, answer(cite(1, *LOOP), shortAnswer="200 ms"), folder)
    assert set(scores.values()) == {1.0}
    assert set(scores) >= {"right", "keyQuoted", "shortRight", "documentCited", "goldCited", "verbatim", "quoteShown"}


def test_a_lookup_that_only_shows_the_key_is_not_right(folder: Path) -> None:
    scores = score(LOOKUP, answer(cite(1, *LOOP), status="partial"), folder)
    assert (scores["right"], scores["keyQuoted"], scores["shortRight"], scores["answered"]) == (0.0, 1.0, 0.0, 0.0)
    assert "quoteShown" not in scores


def test_another_line_of_the_right_file_is_partly_right(folder: Path) -> None:
    scores = score(LOOKUP, answer(cite(1, *ITERATOR), shortAnswer="150 ms"), folder)
    assert (scores["right"], scores["keyQuoted"], scores["shortRight"]) == (0.0, 0.0, 0.0)
    assert (scores["documentCited"], scores["goldCited"]) == (1.0, 0.0)


def test_a_gold_quote_is_cited_when_half_of_it_is(folder: Path) -> None:
    assert score(LOOKUP, answer(cite(1, "times.md", "The loop took")), folder)["goldCited"] == 1.0
    assert score(LOOKUP, answer(cite(1, "times.md", "200 ms")), folder)["goldCited"] == 0.0
    whole = cite(1, "times.md", FILES["times.md"].strip())
    assert score(LOOKUP, answer(whole), folder)["goldCited"] == 1.0
    elsewhere = cite(1, *LOOP) | {"path": "stack.md"}
    assert score(LOOKUP, answer(elsewhere), folder)["goldCited"] == 0.0


def test_a_lookup_of_yes_or_no_is_proven_by_its_passage(folder: Path) -> None:
    asked = question("lookup", LOOP, answers=("no",))
    assert score(asked, answer(cite(1, *LOOP), shortAnswer="no"), folder)["keyQuoted"] == 1.0
    assert score(asked, answer(cite(1, "stack.md", "faster"), shortAnswer="no"), folder)["keyQuoted"] == 0.0


def test_a_computation_needs_the_value_and_every_operand(folder: Path) -> None:
    computed = {"value": "25 %", "expression": "", "operands": [1, 2], "unit": "%"}
    both = score(COMPUTATION, answer(cite(1, *LOOP), cite(2, *ITERATOR), computation=computed), folder)
    assert (both["right"], both["valueRight"], both["operandsCited"]) == (1.0, 1.0, 1.0)
    one = score(COMPUTATION, answer(cite(1, *LOOP), computation=computed), folder)
    assert (one["right"], one["valueRight"], one["operandsCited"]) == (0.0, 1.0, 0.0)
    none = score(COMPUTATION, answer(cite(1, *LOOP), cite(2, *ITERATOR)), folder)
    assert (none["right"], none["valueRight"], none["valueGiven"], none["operandsCited"]) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("said", ["25", "≈ 25.04 %", "24.95", "25.0 percent", "a quarter", "0025"])
def test_a_value_is_the_keys_within_half_of_its_last_decimal(said: str) -> None:
    assert is_value(COMPUTATION, said)


@pytest.mark.parametrize("said", ["25.06", "24.9", "-25", "", "2.5", None])
def test_any_other_value_is_wrong(said: str | None) -> None:
    assert not is_value(COMPUTATION, said)


def test_dates_and_accepted_roundings_are_values() -> None:
    dated = COMPUTATION | {"expression": "2026-07-09 + 6 weeks", "decimals": 0, "answers": ["2026-08-20"]}
    assert is_value(dated, "20 August 2026")
    assert not is_value(dated, "21 August 2026")
    rounded = COMPUTATION | {"expression": "26571 / 1000", "decimals": 3, "answers": ["26.571", "26.6", "2 hours"]}
    assert is_value(rounded, "26.6 %")
    assert not is_value(rounded, "26.5 %")
    assert not is_value(rounded, "2 %")


def test_a_comparison_needs_the_winner_and_both_sides(folder: Path) -> None:
    right = score(COMPARISON, answer(cite(1, *LOOP), cite(2, *ITERATOR), shortAnswer="The iterator"), folder)
    assert (right["right"], right["valueRight"], right["sidesCited"]) == (1.0, 1.0, 1.0)
    one_side = score(COMPARISON, answer(cite(1, *LOOP), shortAnswer="iterator"), folder)
    assert (one_side["right"], one_side["valueRight"], one_side["sidesCited"]) == (0.0, 1.0, 0.0)
    loser = score(COMPARISON, answer(cite(1, *LOOP), cite(2, *ITERATOR), shortAnswer="the loop"), folder)
    assert (loser["right"], loser["valueRight"]) == (0.0, 0.0)
    computed = {"value": "iterator", "expression": "", "operands": [], "unit": None}
    assert score(COMPARISON, answer(computation=computed), folder)["valueRight"] == 1.0


def test_a_count_is_exact_or_wrong(folder: Path) -> None:
    cited = (cite(1, "pages/a.md", "Kotlin"), cite(2, "pages/b.md", "Kotlin"))
    exact = score(COUNT, answer(*cited, shortAnswer="2"), folder)
    assert (exact["right"], exact["countExact"], exact["listRecall"], exact["listPrecision"]) == (1.0, 1.0, 1.0, 1.0)
    assert score(COUNT, answer(*cited, shortAnswer="3"), folder)["countExact"] == 0.0
    assert score(COUNT, answer(*cited), folder)["countExact"] == 0.0


def test_a_list_is_the_set_of_files_that_the_answer_stands_for(folder: Path) -> None:
    a, b, c = (cite(n, f"pages/{name}.md", f"# {name.upper()}") for n, name in enumerate("abc", 1))
    assert score(LIST, answer(b, a), folder)["listExact"] == 1.0
    more = score(LIST, answer(a, b, c), folder)
    assert (more["listExact"], more["listRecall"], more["listPrecision"]) == (0.0, 1.0, pytest.approx(2 / 3))
    less = score(LIST, answer(a), folder)
    assert (less["listExact"], less["listRecall"], less["listPrecision"]) == (0.0, 0.5, 1.0)
    merely_near = score(LIST, answer(a, b, status="partial"), folder)
    assert (merely_near["listExact"], merely_near["listRecall"]) == (0.0, 0.0)
    assert "listPrecision" not in merely_near


def test_a_list_of_words_is_compared_by_the_quotes_that_hold_them(folder: Path) -> None:
    asked = LIST | {"items": ["loop", "iterator"]}
    assert score(asked, answer(cite(1, *LOOP), cite(2, *ITERATOR)), folder)["listExact"] == 1.0
    assert score(asked, answer(cite(1, *LOOP), cite(2, "stack.md", "heap")), folder)["listPrecision"] == 0.5


def test_a_summary_is_worth_the_gold_quotes_it_cites(folder: Path) -> None:
    asked = question("summarize", LOOP, ITERATOR)
    half = score(asked, answer(cite(1, *LOOP), intent="summarize"), folder)
    assert (half["goldCited"], half["documentRight"], half["intentRight"]) == (0.5, 1.0, 1.0)
    elsewhere = score(asked, answer(cite(1, "stack.md", "faster"), cite(2, "stack.md", "heap")), folder)
    assert (elsewhere["goldCited"], elsewhere["documentRight"]) == (0.0, 0.0)
    assert score(asked, answer(status="unanswered"), folder)["documentRight"] == 0.0


def test_only_answering_what_has_no_answer_is_a_false_answer(folder: Path) -> None:
    asked = question("lookup") | {"answerable": False}
    assert score(asked, answer(cite(1, *LOOP)), folder)["falseAnswer"] == 1.0
    for status in ("partial", "unanswered"):
        scores = score(asked, answer(cite(1, *LOOP), status=status), folder)
        assert scores == {"verbatim": 1.0, "falseAnswer": 0.0}


def test_an_answer_that_points_at_no_quote_shows_none(folder: Path) -> None:
    assert score(LOOKUP, answer(cite(1, *LOOP), answer="It took long. [2]"), folder)["quoteShown"] == 0.0
    assert score(LOOKUP, answer(), folder)["quoteShown"] == 0.0


def test_a_quote_that_is_not_in_the_file_is_told(folder: Path) -> None:
    altered = cite(1, *LOOP) | {"quote": "The loop took 100 ms."}
    wrong = answer(altered, cite(2, *ITERATOR))
    assert score(LOOKUP, wrong, folder)["verbatim"] == 0.0
    assert complaints(wrong, folder) == ["[1] times.md: the text at the span is not the quote"]
