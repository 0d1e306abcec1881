"""Scoring answers over DocsQA: each rule with its near miss, over real files and passages of them."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from benchmarks import asking, docsqa_answers
from benchmarks.claims import evidence_of
from benchmarks.docsqa_answers import KeyRecord, Row, around, cited, holds, main, report, score, sheet, shuffled, wilson
from benchmarks.questions.wording import date_in, equals, names, number_in, plain, stands_in
from lens_lsp.model.answer import Answer, Status
from tests.evaluation.test_docsqa import QUESTIONS, write_docsqa

HARBOUR = {
    "docks.md": "# Docks\n\n| Dock | Berths |\n|---|---|\n| North | 12 |\n| South | 14,000 |\n",
    "crew.md": "# Crew\n\nThe pilots are these.\n\n- Ada\n- Bo\n- Cy\n- Dee, retired\n",
    "rules.md": "# Rules\n\nBoats leave by noon. The fee is 25 percent of the fare.\nIt is paid at the gate.\n",
    "copy.md": "Boats leave by noon.\n",
}
Make = Callable[..., Answer]
Told = tuple[str, str]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """An answer over the harbour: one that was really given, with what it says and cites put in its place."""
    folder = tmp_path / "harbour"
    folder.mkdir()
    for name, text in HARBOUR.items():
        (folder / name).write_text(text, "utf-8")
    ((given, _),) = asking.ask_timed(folder, ["When do boats leave?"])

    def of(text: str, *passages: Told, short: str | None = None, status: Status = Status.ANSWERED) -> Answer:
        found = [
            replace(evidence_of({"id": n, "path": path, "quote": quote}, folder, n), path=path)
            for n, (path, quote) in enumerate(passages, 1)
        ]
        return replace(given, text=text, short=short, status=status, evidence=tuple(found))

    return of


def key(intent: str, answer: str | None, gold: Sequence[tuple[str, str, str]] = (), **more: Any) -> KeyRecord:
    quotes = [{"path": path, "quote": quote, "fact": fact} for path, quote, fact in gold]
    fields = {"id": "q", "workspace": "harbour", "half": "second", "intent": intent, "style": "vague", "question": "?"}
    return KeyRecord.model_validate({**fields, "answer": answer, "gold": quotes, **more})


def right(asked: KeyRecord, answer: Answer) -> bool:
    return score(asked, answer, 0.1).right


FEE = ("rules.md", "The fee is 25 percent of the fare.")
NOON = ("rules.md", "Boats leave by noon.")
NORTH, SOUTH = ("docks.md", "| North | 12 |"), ("docks.md", "| South | 14,000 |")
PILOTS = [("crew.md", f"- {name}") for name in ("Ada", "Bo", "Cy")]


@pytest.mark.parametrize(
    ("text", "form", "held"),
    [
        ("It costs **14,000** dollars.", "14000", True),
        ("It costs 14,000.5 dollars", "14000", False),
        ("at  ONE\npm", "1pm", True),
        ("2GB", "2 GB", True),
        ("on July 8th, 2026", "July 8 2026", True),
        ("a quarter, i.e. 25 %", "25 percent", True),
        ("25 boats", "25%", False),
        ("release 2.15.2", "15.2", False),
        ("-5 degrees", "5", False),
        ("3-10 people", "3-10", True),
        ("Robinson, Alix", "Alix Robinson", False),
        ("the carpet", "car", False),
        ("大火 10 分钟", "十分钟", True),
        ("二十五克", "25", True),
        ("Yes, it does", "yes", True),
        ("there is no fee", "no", False),
        ("anything", "…", False),
    ],
)
def test_words_are_compared_folded_and_whole(text: str, form: str, held: bool) -> None:
    assert holds(text, form) is held


@pytest.mark.parametrize("intent", ["lookup", "computation"])
def test_a_short_answer_holds_the_answer_or_an_alias(make: Make, intent: str) -> None:
    asked = key(intent, "a quarter", [(*FEE, "fee")], aliases=["25%"])
    assert right(asked, make("> The fee is 25 percent of the fare. [1]", FEE, short="about 25 percent"))
    assert not right(asked, make("> The fee is 25 percent of the fare. [1]", FEE, short="24 percent"))
    long = "it is, as far as one can tell from the rules, 25 percent of it"
    assert not right(asked, make("> The fee is 25 percent of the fare. [1]", FEE, short=long))
    for status in (Status.PARTIAL, Status.UNANSWERED):
        assert not right(asked, make("> It is 25 percent. [1]", FEE, short="25 percent", status=status))


def test_without_a_short_answer_the_first_cited_sentence_counts(make: Make) -> None:
    asked = key("lookup", "25 percent", [(*FEE, "fee")])
    assert right(asked, make("It is due early.\n\n> The fee is 25 percent of the fare. [1]", FEE))
    assert not right(asked, make("> Boats leave by noon. [1]\n\n> The fee is 25 percent. [2]", NOON, FEE))
    assert not right(asked, make("It is 25 percent.\n\n> Boats leave by noon. [1]", NOON))
    assert not right(asked, make("It is 25 percent.", FEE))


def test_a_bracket_of_a_document_cites_nothing(make: Make) -> None:
    answer = make("The fee \\[1] is told. [2]", NOON, FEE)
    assert [item.n for item in cited(answer)] == [2]


def test_a_comparison_names_the_winner_or_cites_both_sides_with_their_values(make: Make) -> None:
    asked = key("comparison", "South dock", [(*NORTH, "north: 12"), (*SOUTH, "south: 14000")])
    sides = "Side by side:\n\n- **South dock**: South 14,000 [1]\n- **North dock**: North 12 [2]\n"
    assert right(asked, make("", short="the South dock"))
    assert not right(asked, make("", short="the North dock"))
    assert right(asked, make(sides, SOUTH, NORTH))
    assert not right(asked, make(sides.replace("12", "many"), SOUTH, NORTH))
    assert not right(asked, make(sides, SOUTH))  # it labels a side, and cites one
    assert right(asked, make("> The South dock is larger. [1]", SOUTH))


def test_an_aggregation_names_every_member_and_invents_none(make: Make) -> None:
    asked = key("aggregation", "Ada, Bo and Cy", [(*pilot, pilot[1][2:]) for pilot in PILOTS])
    assert right(asked, make("- Ada [1]\n- Bo [2]\n- Cy [3]\n", *PILOTS))
    assert right(asked, make("Ada, Bo and Cy [1]", PILOTS[0]))
    assert not right(asked, make("- Ada [1]\n- Bo [2]\n", *PILOTS))
    assert not right(asked, make("- Ada [1]\n- Bo [2]\n- Cy [3]\n- Dee [4]\n", *PILOTS, ("crew.md", "- Dee, retired")))
    assert not right(asked, make("- Ada [1]\n- Bo [2]\n- Cy [3]\n- noon [4]\n", *PILOTS, NOON))


def test_an_aggregation_that_counts_is_counted_right(make: Make) -> None:
    asked = key("aggregation", "3 (Ada, Bo and Cy)", [(*pilot, pilot[1][2:]) for pilot in PILOTS], aliases=["three"])
    assert right(asked, make("", short="three pilots"))
    assert not right(asked, make("", short="4 pilots"))
    assert not right(asked, make("", short="3 of 4 pilots"))


def test_a_summary_cites_most_of_the_gold_and_little_else(make: Make) -> None:
    asked = key("summarize", "noon, a fee", [(*NOON, "noon"), (*FEE, "fee"), (*PILOTS[0], "pilots")])
    assert right(asked, make("- Noon [1]\n- Fee [2]\n", NOON, FEE))
    assert not right(asked, make("- Noon [1]\n", NOON, FEE))
    assert not right(asked, make("- Noon [1]\n- Fee [2]\n", NOON, ("rules.md", "The fee is 25 percent")))
    assert not right(asked, make("- Noon [1]\n- Fee [2]\n", ("copy.md", "Boats leave by noon."), FEE))
    others = [NORTH, SOUTH, *PILOTS[1:], ("copy.md", "Boats leave by noon.")]
    assert not right(asked, make("".join(f"- Told [{n}]\n" for n in range(1, 8)), NOON, FEE, *others))


def test_what_is_answered_without_an_answer_is_false(make: Make) -> None:
    asked = key("lookup", None)
    row = score(asked, make("> Boats leave by noon. [1]", NOON, short="noon"), 0.1)
    assert (row.answered, row.right, row.answerable, row.quoted) == (True, False, False, False)
    assert not score(asked, make("No passage states this.", NOON, status=Status.PARTIAL), 0.1).answered


def test_gold_is_looked_for_in_the_quotes_and_the_context_of_the_first_three(make: Make) -> None:
    both = key("lookup", "x", [("rules.md", "Boats leave by noon.  The fee is 25 percent of the fare.", "")])
    quote, whole = make("", FEE), make("", ("rules.md", HARBOUR["rules.md"][9:75]))
    assert "Boats leave by noon." in around(quote.evidence[0])
    assert [score(both, answer, 0.1).quoted for answer in (quote, whole)] == [False, True]
    assert [score(both, answer, 0.1).shown for answer in (quote, whole)] == [True, True]
    noon = key("lookup", "noon", [(*NOON, "")])
    assert not score(noon, make("", *PILOTS, NOON), 0.1).shown  # the fourth
    assert not score(noon, make("", ("copy.md", NOON[1])), 0.1).shown  # another file
    also = key("lookup", "noon", [(*NOON, "")], also=[{"path": "copy.md", "quote": NOON[1]}])
    assert score(also, make("", ("copy.md", NOON[1])), 0.1).quoted


def test_the_table_counts_what_its_headings_say(make: Make) -> None:
    lookup, none = key("lookup", "noon", [(*NOON, "")]), key("lookup", None)
    good, partial = make("> noon [1]", NOON, short="noon"), make("", NOON, status=Status.PARTIAL)
    rows = [score(lookup, good, 1), score(lookup, partial, 2), score(none, good, 3), score(none, partial, 4)]
    cells = [cell.strip() for cell in report(rows).splitlines()[-1].strip("|").split("|")]
    assert cells[:4] == ["all", "4", "2", "1 of 2 (50 %)"]
    assert cells[5:] == ["1 of 2 (50 %)", "1 of 2 (50 %)", "2 of 2 (100 %)", "2 of 2 (100 %)", "2.50", "4.00"]


def test_the_interval_is_wilsons() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert (wilson(0, 0), wilson(0, 5)[0], wilson(5, 5)[1]) == ((0.0, 1.0), 0.0, 1.0)


def test_the_sheet_has_the_answered_in_one_order_and_no_gold(make: Make) -> None:
    gold = [("docks.md", "| North | 12 |", "the secret fact")]
    said = make("> The fee is 25 percent of the fare. [1]", FEE, short="25 percent")
    rows = [score(key("lookup", "secret", gold, question=f"Question {n}?", id=str(n)), said, 0.1) for n in range(9)]
    rows.append(score(key("lookup", "secret", gold), replace(said, status=Status.PARTIAL), 0.1))
    judged = shuffled(rows)
    assert [row.key.id for row in judged] == [row.key.id for row in shuffled(rows)] != [str(n) for n in range(9)]
    text = sheet(judged)
    assert text.count("## ") == len(judged) == 9
    assert "secret" not in text
    assert "North" not in text
    assert "Boats leave by noon." in text  # the context of the citation


def test_the_key_cannot_reach_who_asks() -> None:
    tree = ast.parse(Path(docsqa_answers.__file__).read_text("utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not {name for name in modules if name.startswith(("lens_lsp.app", "lens_lsp.search"))}


ANSWERS: Mapping[str, str | None] = {"k1": "sixteen hours", "k2": "2", "k3": None, "z1": "三个小时"}


@pytest.fixture
def docsqa(tmp_path: Path) -> Path:
    return write_docsqa(tmp_path / "docsqa", [row | {"answer": ANSWERS[str(row["id"])]} for row in QUESTIONS])


def test_a_half_is_asked_and_scored_whole(docsqa: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, read = tmp_path / "rows.jsonl", tmp_path / "sheet.md"
    arguments = ["--data", str(docsqa), "--half", "second", "--out", str(out), "--sheet", str(read)]
    assert main([*arguments, "--by", "workspace"]) == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["k2", "k3", "z1"]
    assert [row["scores"]["answerable"] for row in rows] == [True, False, True]
    assert rows[0]["scores"]["quoted"]
    assert "potatoes" in rows[0]["first"][0]["quote"]
    numbers = sorted(row["sheet"] for row in rows if row["status"] == "answered")
    assert numbers == list(range(1, read.read_text("utf-8").count("## ") + 1))
    printed = capsys.readouterr().out
    assert "| kitchen | 2 |" in printed
    assert printed.count("| all | 3 |") == 2


def test_only_some_are_asked(docsqa: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rows.jsonl"
    arguments = ["--data", str(docsqa), "--half", "second", "--out", str(out)]
    assert main([*arguments, "--only", "kitchen", "--limit", "1"]) == 0
    assert [json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()] == ["k2"]
    assert main([*arguments, "--only", "cellar"]) == 2
    assert "no such question" in capsys.readouterr().err


def test_control_an_answer_to_another_question_is_never_right(make: Make) -> None:
    """What must fail: a sound answer held against the keys of other questions, of every intent."""
    sound = make("> Boats leave by noon. [1]", NOON, short="noon")
    assert right(key("lookup", "noon", [(*NOON, "")]), sound)
    gold = [(*NORTH, "north: 12"), (*SOUTH, "south: 14000")]
    rows: list[Row] = [score(key(intent, "14000", gold), sound, 0.1) for intent in docsqa_answers.RIGHT]
    assert len(rows) == 5
    assert not any(row.right or row.quoted or row.shown for row in rows)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("Gang of Four", "referred to as _The Gang\nof Four_ book, is"),
        ("385400", "took 385,400 ns"),
        ("1,296", "1296 days"),
        ("14일", "책은 14일 동안"),
        ("14", "책은 14일 동안"),
        ("30", "30分ごとに"),
        ("54.3", "54.3KiB on average"),
        ("Arc<T>", "use `Arc<T>`, which"),
        ("-P", "`scp -P {{port}}`"),
        ("16", "needs 16."),
        ("don't", "Don’t panic"),
        ("2,3", "2,3 metros"),
    ],
)
def test_a_key_stands_in_a_text_however_it_is_set(key: str, text: str) -> None:
    assert stands_in(key, text)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("14", "in 2014"),
        ("2", "2.5 metres"),
        ("10", "version 1.10"),
        ("64", "aarch64"),
        ("385", "385,400 ns"),
        ("unit", "units"),
        ("arc", "march"),
        ("кот", "который"),
        ("", "anything"),
        ("!", "anything!"),
    ],
)
def test_a_part_of_a_longer_word_or_number_is_not_the_key(key: str, text: str) -> None:
    assert not stands_in(key, text)


def test_a_short_answer_names_the_winner_beside_a_few_words_only() -> None:
    assert names("RFC 2497 if-let chains", ["if-let chains"])
    assert names("Yes, both print ten", ["yes"])
    assert not names("not sure, no", ["yes"])
    assert not names("know", ["no"])
    assert not names("It could be Arc<T> as well as any other type of that kind", ["Arc<T>"])
    assert not names(None, ["yes"])


def test_equality_is_of_the_whole_text() -> None:
    assert equals("**RFC 3**.", ["RFC 3"])
    assert not equals("RFC 30", ["RFC 3"])
    assert not equals(None, ["RFC 3"])
    assert plain("  “A–B”  c ") == 'a-b" c'


@pytest.mark.parametrize(
    ("text", "number"),
    [("≈ 1.96 %", Fraction("1.96")), ("385,400 ns", Fraction(385400)), ("−3 bytes", Fraction(-3)), ("none", None)],
)
def test_the_first_number_of_a_text(text: str, number: Fraction | None) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize("text", ["2026-08-20", "on 20 August 2026", "August 20, 2026.", "**20 August 2026**"])
def test_a_day_is_read_in_three_ways(text: str) -> None:
    assert date_in(text) == date(2026, 8, 20)


def test_a_month_is_no_day() -> None:
    assert date_in("August 2026") is None
    assert date_in(None) is None
