"""The benchmark of the five intents: who sees what, halves, tables, and a run over a tiny folder."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import asking, intents
from benchmarks.questions import check
from tests.availability import unavailable

Row = dict[str, Any]


def rows(*intents_: str) -> list[Row]:
    """Questions over one small folder, numbered in their order."""
    return [
        {
            "id": f"q{number}",
            "corpus": "small",
            "question": f"When does the lease number {number} end?",
            "intent": "lookup" if intent == "unanswerable" else intent,
            "answerable": intent != "unanswerable",
            "answer": "30 June 2031",
            "answers": ["30 June 2031"],
            "gold": [{"path": "lease.md", "quote": "ends on 30 June 2031"}],
            "documents": ["lease.md"],
        }
        for number, intent in enumerate(intents_, 1)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "lease.md").write_text("# Lease\n\nThe lease of the workshop ends on 30 June 2031.\n")
    (tmp_path / "small" / "garden.md").write_text("# Garden\n\nTomatoes need sun, water and patience.\n")
    return tmp_path / "small"


def imported(module: object) -> set[str]:
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    return {
        name
        for node in ast.walk(tree)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }


def test_who_asks_has_no_way_to_the_key() -> None:
    assert not {name for name in imported(asking) if name.startswith("benchmarks")}
    assert "lens_lsp.app.lens" in imported(asking)
    assert not {
        name for name in imported(intents) if name in ("lens_lsp.app.lens", "lens_lsp.search", "lens_lsp.judge")
    }


def test_the_engine_is_handed_texts_and_the_folder(folder: Path) -> None:
    (answers,) = asking.ask_all(folder, ["When does the lease of the workshop end?"])
    assert [answer["question"] for answer in answers] == ["When does the lease of the workshop end?"]
    assert answers[0]["roots"] == [str(folder)]


def test_halves_alternate_within_each_intent() -> None:
    asked = rows("lookup", "lookup", "unanswerable", "summarize", "unanswerable", "lookup")
    assert intents.halves(asked) == ["first", "second", "first", "first", "second", "first"]
    assert [row["id"] for row, _ in intents.chosen(asked, "first", None)] == ["q1", "q3", "q4", "q6"]
    assert [row["id"] for row, _ in intents.chosen(asked, "second", "lookup")] == ["q2"]
    assert [row["id"] for row, _ in intents.chosen(asked, "all", "unanswerable")] == ["q3", "q5"]


def test_the_halves_of_the_frozen_set_are_even_and_complete() -> None:
    asked = check.read(check.INTENTS)
    first, second = (intents.chosen(asked, half, None) for half in ("first", "second"))
    assert {row["id"] for row, _ in [*first, *second]} == {row["id"] for row in asked}
    assert len(first) + len(second) == len(asked)
    for group in intents.GROUPS:
        sizes = [len(intents.chosen(asked, half, group)) for half in ("first", "second")]
        assert sizes[0] - sizes[1] in (0, 1)


def test_every_way_of_asking_is_a_run_with_a_record_per_question(folder: Path) -> None:
    asked = intents.chosen(rows("lookup", "lookup", "unanswerable"), "all", None)
    without = [frozenset[str](), frozenset({"exploration"})]
    ticks: list[int] = []
    runs = intents.ask_and_score(asked, lambda corpus: folder, without, 0, lambda: ticks.append(1))
    assert list(runs) == ["lens", "lens-without-exploration"]
    assert len(ticks) == 6
    for run in runs.values():
        assert [record["id"] for record in run.records] == ["q1", "q2", "q3"]
        assert [record["half"] for record in run.records] == ["first", "second", "first"]
        figures = run.figures(0)
        assert figures["lookup"]["keyQuoted"].n == 2
        assert figures["lookup"]["documentCited"].value == 1.0
        assert figures["unanswerable"]["falseAnswer"].n == 1
        assert figures[intents.ALL]["verbatim"].value == 1.0
    text = intents.markdown(runs, "Title.", 0)
    assert "| questions | figure | n | lens | lens-without-exploration |" in text
    assert "| lookup | gold documents cited | 2 | 100.0 [100.0–100.0] | 100.0 [100.0–100.0] |" in text


def test_an_average_counts_only_the_questions_that_have_the_score() -> None:
    run = intents.Run(scores=[("lookup", {"right": 1.0}), ("lookup", {"right": 0.0}), ("summarize", {"right": 1.0})])
    assert (run.figures(0)["lookup"]["right"].value, run.figures(0)["lookup"]["right"].n) == (0.5, 2)
    assert "summarize" not in run.figures(0)


def test_a_changed_question_set_is_not_asked() -> None:
    frozen = json.loads((check.HERE / check.FROZEN).read_text("utf-8"))
    assert intents.thawed(frozen, None, archives=()) == []
    frozen["files"]["intents.jsonl"] = "0" * 64
    assert intents.thawed(frozen, None, archives=()) == ["intents.jsonl"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--out", "x.json"],
        ["--data", "d", "--work", "w"],
        ["--data", "d", "--work", "w", "--out", "x.md"],
        ["--languages", "--out", "x.json", "--intent", "riddle"],
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        intents.parse(arguments)
    assert refused.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_the_other_languages_need_no_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not check.read(check.LANGUAGES):
        unavailable("languages", "languages.jsonl is only in the repository")
    out = tmp_path / "languages.json"
    assert intents.main(["--languages", "--out", str(out), "--intent", "aggregation", "--half", "first"]) == 0
    written = json.loads(out.read_text("utf-8"))
    assert written["set"] == "languages.jsonl"
    assert [question["intent"] for question in written["runs"]["lens"]["questions"]] == ["aggregation"] * 4
    assert out.with_suffix(".md").read_text("utf-8") == capsys.readouterr().out
