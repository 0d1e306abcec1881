"""The frozen question set: its form and arithmetic always, its quotes and rules where the texts are."""

from __future__ import annotations

import copy
import json
from collections import Counter
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from benchmarks.passages.definitions import bare, definition, definitions, drawn, questions, with_others
from benchmarks.passages.metadata import HALVES, QUESTIONS, absent, is_right, read, report, shares
from benchmarks.questions import check
from benchmarks.questions.arithmetic import ExpressionError, evaluate, literals, rendered
from benchmarks.questions.corpora import FOLDERS, Corpus, items
from tests.availability import unavailable

Row = dict[str, Any]


@pytest.fixture
def english() -> list[Row]:
    return check.read(check.INTENTS)


@pytest.fixture
def others() -> list[Row]:
    rows = check.read(check.LANGUAGES)
    if not rows:
        unavailable("languages", "languages.jsonl is only in the repository")
    return rows


@pytest.fixture(scope="module")
def frozen() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((check.HERE / check.FROZEN).read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def archives(data_dir: Path) -> dict[str, Corpus]:
    return {name: corpus for name, corpus in check.load_corpora(data_dir).items() if name not in FOLDERS}


def _first(rows: list[Row], intent: str, *, answerable: bool = True) -> Row:
    return copy.deepcopy(next(row for row in rows if row["intent"] == intent and row["answerable"] is answerable))


def test_every_question_is_well_formed_and_each_intent_has_enough(english: list[Row]) -> None:
    rows = english + check.read(check.LANGUAGES)
    assert check.form_problems(rows) == []
    assert check.count_problems(english, check.read(check.LANGUAGES)) == []


def test_nothing_changed_since_the_set_was_frozen(frozen: dict[str, Any]) -> None:
    changes = (check.HERE / check.CHANGES).read_text("utf-8")
    assert set(check.own_digests()) <= set(frozen["files"])
    assert check.frozen_problems(frozen, check.own_digests(), {}, changes) == []


def test_the_quotes_in_other_languages_stand_in_their_files(others: list[Row], frozen: dict[str, Any]) -> None:
    corpora = check.load_corpora(None)
    if set(corpora) != set(FOLDERS):
        unavailable("languages", "the language fixtures are only in the repository")
    assert check.text_problems(others, corpora) == []
    gold = check.gold_digests(others, corpora)
    assert gold == {name: paths for name, paths in frozen["gold"].items() if name in FOLDERS}


def test_the_english_key_agrees_with_the_archives(
    english: list[Row], archives: dict[str, Corpus], frozen: dict[str, Any]
) -> None:
    assert check.text_problems(english, archives) == []
    gold = check.gold_digests(english, archives)
    assert gold == {name: paths for name, paths in frozen["gold"].items() if name in archives}


def test_an_altered_quote_is_caught(english: list[Row], archives: dict[str, Corpus]) -> None:
    row = _first(english, "lookup")
    assert check.text_problems([row], archives) == []
    row["gold"][0]["quote"] = row["gold"][0]["quote"].replace("e", "é", 1)
    (problem,) = check.text_problems([row], archives)
    assert "not verbatim" in problem


def test_an_altered_quote_in_our_notes_is_caught_without_data(others: list[Row]) -> None:
    row = copy.deepcopy(next(row for row in others if row["corpus"] == "notes-ko" and row["gold"]))
    corpora = check.load_corpora(None)
    assert check.text_problems([row], corpora) == []
    row["gold"][0]["quote"] += "?"
    (problem,) = check.text_problems([row], corpora)
    assert "not verbatim" in problem


def test_a_list_that_lost_an_item_is_caught(english: list[Row], archives: dict[str, Corpus]) -> None:
    row = _first(english, "aggregation")
    row["items"].pop()
    (problem,) = check.text_problems([row], archives)
    assert "the rule gives" in problem


def test_a_question_whose_fact_turns_up_is_caught(english: list[Row], archives: dict[str, Corpus]) -> None:
    row = _first(english, "lookup", answerable=False)
    row["absent"].append(row["present"][0])
    (problem,) = check.text_problems([row], archives)
    assert "can perhaps be answered" in problem


@pytest.mark.parametrize(
    ("intent", "change", "expected"),
    [
        ("computation", {"answer": "1", "answers": ["1"]}, "the expression gives"),
        ("computation", {"expression": "1 + 2"}, "the expression gives"),
        ("computation", {"constants": {"7": "days"}}, "literals are not its operands"),
        ("computation", {"expression": "("}, "cannot be computed"),
        ("aggregation", {"form": "count", "count": 1}, "not the number of its items"),
        ("summarize", {"documents": []}, "documents are not the paths"),
        ("summarize", {"gold": [], "documents": []}, "no gold quote"),
        ("lookup", {"answer": None, "answers": []}, "no answer"),
        ("lookup", {"answer": "else"}, "not the first of the accepted ones"),
        ("lookup", {"answerable": False}, "unanswerable, but it has a key"),
        ("lookup", {"corpus": "elsewhere"}, "no such corpus"),
    ],
)
def test_one_wrong_thing_in_a_key_is_noticed(
    english: list[Row], intent: str, change: dict[str, Any], expected: str
) -> None:
    row = _first(english, intent) | change
    assert any(expected in problem for problem in check.form_problems([row]))


def test_two_questions_with_one_id_are_noticed(english: list[Row]) -> None:
    other = english[1] | {"id": english[0]["id"]}
    assert check.form_problems([english[0], other]) == [f"{english[0]['id']}: 2 questions have this id"]


def test_a_missing_group_is_noticed(english: list[Row]) -> None:
    fewer = [row for row in english if row["intent"] != "summarize" and row["answerable"]]
    problems = "\n".join(check.count_problems(fewer, []))
    assert "0 questions are summarize" in problems
    assert "0 questions are unanswerable" in problems
    assert "no summarize question over tldr-en" in problems


def test_a_changed_file_or_an_unlogged_version_breaks_the_seal(frozen: dict[str, Any]) -> None:
    own = check.own_digests()
    name = next(iter(own))
    corpus = next(iter(frozen["gold"]))
    path = next(iter(frozen["gold"][corpus]))
    assert check.frozen_problems(frozen, own | {name: "0"}, {}, f"## {frozen['version']}\n") != []
    assert check.frozen_problems(frozen, own, {corpus: {**frozen["gold"][corpus], path: "0"}}, "") != []
    assert check.frozen_problems(frozen, own, {}, "## 0\n") == [
        f"{check.CHANGES} has no heading for version {frozen['version']}"
    ]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("2015-03-23 - 2014-11-05", Fraction(138)),
        ("2026-07-09 + 6 weeks", date(2026, 8, 20)),
        ("2024-02-28 + 2 days", date(2024, 3, 1)),
        ("(49 - 7) / 559 * 100", Fraction(4200, 559)),
        ("10 - 2 - 3", Fraction(5)),
        ("2 + 3 * 4", Fraction(14)),
        ("0.1 + 0.2", Fraction(3, 10)),
    ],
)
def test_expressions_are_exact(expression: str, expected: Fraction | date) -> None:
    assert evaluate(expression) == expected


@pytest.mark.parametrize(
    "expression", ["", "1 +", "(1", "1)", "2014-11-05 + 2015-03-23", "1 - 2014-11-05", "1 / 0", "2 ** 3", "abs(1)"]
)
def test_what_has_no_meaning_is_refused(expression: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(expression)


def test_values_are_rounded_half_up_and_literals_keep_their_spelling() -> None:
    assert rendered(Fraction(5, 2), 0) == "3"
    assert rendered(Fraction(85), 1) == "85.0"
    assert rendered(date(2026, 8, 20), 0) == "2026-08-20"
    assert literals("(2026-07-09 + 6 weeks) * 54.30") == {"2026-07-09", "6", "54.30"}


def test_rules_over_a_small_corpus() -> None:
    corpus = {
        "text/1-a.md": "- Start Date: 2015-03-01\n## List\n- `x`\n- y\n- `z`\n## End\n- `no`\n",
        "text/2-b.md": "- Start Date: 2015-03-09\nRayon\n",
        "text/deep/3-c.md": "- Start Date: 2014-01-01\nrayon\n",
        "pages/linux/cal.md": "# cal\n",
    }
    start = r"- Start Date: (\d{4}-\d{2})-\d{2}"
    assert items({"kind": "files", "glob": "text/*.md"}, corpus) == ["text/1-a.md", "text/2-b.md"]
    assert items({"kind": "files", "glob": "**", "pattern": "(?i)rayon"}, corpus) == ["text/2-b.md", "text/deep/3-c.md"]
    assert items({"kind": "names", "glob": "pages/*/cal.md", "pattern": "^pages/([^/]+)/"}, corpus) == ["linux"]
    assert items({"kind": "mode", "glob": "**", "pattern": start}, corpus) == ["2015-03"]
    assert items({"kind": "least", "glob": "**", "pattern": start}, corpus) == ["text/deep/3-c.md"]
    listed = {"kind": "matches", "glob": "text/1-a.md", "between": ["## List", "## End"], "pattern": "`(.)`"}
    assert items(listed, corpus) == ["x", "z"]
    assert items(listed | {"lines": "z"}, corpus) == ["z"]


def test_a_tie_has_no_answer() -> None:
    corpus = {"a.md": "2015", "b.md": "2015", "c.md": "2016", "d.md": "2016"}
    for kind in ("least", "mode"):
        with pytest.raises(ValueError, match=r"share|equally"):
            items({"kind": kind, "glob": "*.md", "pattern": r"(\d+)"}, corpus)


def test_a_frozen_version_is_never_frozen_again(data_dir: Path, frozen: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a change needs a higher version"):
        check.freeze(data_dir, frozen["version"])


def test_there_are_twenty_questions_a_workspace_half_of_them_to_report_by() -> None:
    rows = read()
    counts = Counter((row["workspace"], row["half"]) for row in rows)
    assert counts == {(name, half): 10 for name in ("peps", "jz-garden", "cpc-minutes") for half in ("first", "second")}
    assert len({row["id"] for row in rows}) == len({row["question"] for row in rows}) == 60
    assert all(row["gold"] and row["note"] for row in rows)


def test_the_questions_to_develop_by_are_others() -> None:
    rows = read(QUESTIONS.with_name("metadata_dev.jsonl"))
    asked = {row["question"] for row in rows}
    assert len({row["id"] for row in rows}) == len(asked) == len(rows) >= 60
    assert all(row["gold"] and row["half"] in HALVES for row in rows)
    assert not asked & {row["question"] for row in read()}


def test_a_passage_is_right_by_its_file_and_its_quote() -> None:
    gold = [{"path": "a.md", "quote": "tags:\n  - boat"}, {"path": "b.md", "quote": None}]
    assert is_right(gold, "a.md", "title: A\ntags: - boat\n")
    assert not is_right(gold, "a.md", "title: A")
    assert is_right(gold, "b.md", "anything")
    assert not is_right(gold, "c.md", "tags:\n  - boat")


def test_a_gold_that_is_not_in_its_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Status: Draft\n", "utf-8")
    rows = [
        {"id": "1", "workspace": "w", "gold": [{"path": "a.md", "quote": "Status: Draft"}]},
        {"id": "2", "workspace": "w", "gold": [{"path": "a.md", "quote": "Status: Final"}]},
        {"id": "3", "workspace": "w", "gold": [{"path": "b.md", "quote": None}]},
    ]
    assert absent(rows, {"w": tmp_path}) == ["2: a.md", "3: b.md"]


def test_questions_are_asked_and_what_is_missed_is_listed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The lighthouse keeper rowed home.\n", "utf-8")
    rows = [
        {"id": "1", "workspace": "w", "half": "first", "question": "lighthouse keeper", "gold": gold}
        for gold in ([{"path": "a.md", "quote": "rowed home"}], [{"path": "b.md", "quote": "rowed home"}])
    ]
    text = report(rows, {"w": tmp_path}, missed=True)
    assert "1 of 2 (50 %)" in text
    assert "wanted: b.md" in text
    assert "wanted: b.md" not in report(rows, {"w": tmp_path}, missed=False)


def test_shares_are_by_workspace_and_half() -> None:
    rows = [{"workspace": "v", "half": "first"}, {"workspace": "w", "half": "second"}]
    text = shares(rows, [True, False])
    assert "| v | 1 of 1 (100 %) | – | 1 of 1 (100 %) |" in text
    assert "| all | 1 of 1 (100 %) | 0 of 1 (0 %) | 1 of 2 (50 %) |" in text


def sentence(text: str, path: str = "page.md") -> str | None:
    found = definition(path, text)
    return None if found is None else found.sentence


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# Tide\n\nA tide is the rise of the sea. It falls.\n", "A tide is the rise of the sea."),
        ("# Tides\n\nTides are movements of the sea.\n", "Tides are movements of the sea."),
        ("---\ntitle: Neap Tide\n---\n\n**Neap tides** are small tides.\n", "**Neap tides** are small tides."),
        (
            "---\ntitle: Estimate (ETA)\n---\n\nThe ETA, as we say, is a time.\n",
            "The ETA, as we say, is a time.",
        ),
        ("---\ntitle: Sea\naliases:\n  - Ocean\ntags:\n  - x\n---\n\nAn ocean is a sea.\n", "An ocean is a sea."),
        ("# Tide\n\n[Source: A Book](x)\n\n![a](b.png)\n\nTide refers to water.\n", "Tide refers to water."),
        ("# Get-Tide\n\n## SYNOPSIS\nGets the tide.\n", "Gets the tide."),
        ("---\ntitle: boat row\n---\n\nrow a boat\n", "row a boat"),
        ("# Tide\n\nTide is built over time.\n", None),
        ("# Tide\n\nTides are described below.\n", None),
        ("# Tide\n\nThe sea is a body of water.\n", None),
        ("# Tide\n\n> Tide is a quotation.\n", None),
        ("# Tide\n\n- Tide is an item.\n", None),
        ("# Tide\n\n## One\n\n## Two\n\nTide is a late word.\n", None),
        ("# Tide\n\nTide is a question?\n", None),
        ("Tide is a page without a title.\n", None),
    ],
)
def test_a_page_begins_with_the_definition_of_its_title_or_not(text: str, wanted: str | None) -> None:
    assert sentence(text) == wanted


def test_a_text_is_compared_as_it_is_shown() -> None:
    assert bare("**A** [[x/y|why]] and [[z/w]] `code` [text](target) of_one_word[^1]") == (
        "A why and w code text of_one_word"
    )


def test_pages_of_one_title_make_one_question_and_each_sentence_is_right(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Tides\n\nTides are moves of the sea.\n", "utf-8")
    (tmp_path / "b.md").write_text("# tides (water)\n\nTides are a bother.\n", "utf-8")
    (tmp_path / "c.md").write_text("# Else\n\nSome text.\n\nTides are high here. More.\n", "utf-8")
    rows = questions("w", list(definitions(tmp_path)))
    assert [row["question"] for row in rows] == ["What are Tides?"]
    assert [item["path"] for item in rows[0]["gold"]] == ["a.md", "b.md"]
    others = with_others(rows, tmp_path)[0]["gold"][2:]
    assert others == [{"path": "c.md", "quote": "Tides are high here."}]


def test_workspaces_take_turns_and_the_order_does_not_depend_on_that_of_the_files(tmp_path: Path) -> None:
    for name in ("ash", "beech", "cedar"):
        (tmp_path / f"{name}.md").write_text(f"# {name.title()}\n\n{name.title()} is a tree.\n", "utf-8")
    found = list(definitions(tmp_path))
    rows = questions("w", found)
    assert rows == questions("w", found[::-1])
    other = [{"workspace": "v"}]
    assert [row["workspace"] for row in drawn([rows, other], 3)] == ["w", "v", "w"]
    assert {row["half"] for row in rows} <= {"first", "second"}
