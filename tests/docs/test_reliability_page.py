"""The page on reliability: every line of the tables is proven by something that exists, and the page is current."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from pathlib import Path

import pytest
from documentation import DOCS, REPOSITORY

from tests.soak import page
from tests.soak.__main__ import Record, chosen
from tests.soak.faults import FAULTS, TABLES
from tests.soak.rows import ROWS, SIZES, Row, count

TESTS = REPOSITORY / "tests"


def functions(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@pytest.mark.parametrize("name", FAULTS)
def test_every_line_has_a_harness_or_tests_and_a_control(name: str) -> None:
    fault, rows = FAULTS[name], [row for row in ROWS if name in row.covers]
    assert rows or (fault.tests and fault.control), "neither a harness nor tests with a control"
    for test in fault.tests:
        file, _, function = test.partition("::")
        assert function in functions(TESTS / file), test
    for file in fault.extension:
        assert (REPOSITORY / "vscode-extension" / file).is_file()


def test_a_control_that_is_named_as_a_test_exists() -> None:
    every = {name for path in TESTS.rglob("test_*.py") for name in functions(path)}
    named = {word for fault in FAULTS.values() for word in re.findall(r"\btest_\w+(?!\.py)\b", fault.control)}
    assert {
        name for name in named if (name + ".py") not in " ".join(fault.control for fault in FAULTS.values())
    } <= every


def test_all_lines_are_there() -> None:
    wanted = [
        f"{letter}{n:02}"
        for letter, last in (("L", 13), ("D", 10), ("F", 12), ("T", 9), ("E", 10), ("S", 25))
        for n in range(1, last + 1)
    ]
    assert [name for table in TABLES.values() for name in table] == wanted


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_starts_a_harness_and_says_what_it_means(row) -> None:
    assert importlib.util.find_spec(f"tests.soak.{row.module}") is not None
    assert row.covers
    assert set(row.covers) <= set(FAULTS)
    assert all((row.means, row.bound, row.control, row.n, row.bad, row.caught))
    assert len({row.command(size, 1) for size in SIZES}) == 3


def test_rows_are_chosen_by_name_and_by_line() -> None:
    rows, tested = chosen(["messages", "L13"])
    assert [row.name for row in rows] == ["messages"]
    assert tested == ["L13"]
    with pytest.raises(SystemExit):
        chosen(["L99"])


def test_figures_are_counted_through_keys() -> None:
    report = {"n": 3, "a": {"wrong": ["x", "y"]}, "b": True, "c": 2.5}
    assert count(report, ("n", "a.wrong", "b", "missing.key")) == 6
    assert count(report, ("c",)) == 2


def test_of_several_lines_the_larger_size_counts_and_then_the_last() -> None:
    lines = [
        {"row": "a", "size": "first", "n": 1},
        {"row": "a", "size": "quick", "n": 2},
        {"row": "a", "size": "first", "n": 3},
        {"row": "a", "leftOut": "x", "size": "next"},
    ]
    assert page.latest(lines)["a"]["n"] == 3


def test_a_later_line_that_did_not_pass_counts_whatever_its_size() -> None:
    lines = [
        {"row": "a", "size": "first", "passes": True},
        {"row": "a", "size": "quick", "passes": False, "n": 4, "bad": 1},
        {"row": "L02", "kind": "tests", "passes": False, "n": 5},
    ]
    assert page.latest(lines)["a"]["n"] == 4
    assert page.passed(page.latest(lines)["L02"]) == "**5, did not pass**"


def test_a_line_that_did_not_pass_counts_until_its_size_or_a_larger_one_passes() -> None:
    first, failed = {"row": "a", "size": "first", "n": 1}, {"row": "a", "size": "quick", "passes": False, "n": 2}
    assert page.latest([first, failed, {"row": "a", "size": "quick", "n": 3}])["a"]["n"] == 1
    assert page.latest([failed, first])["a"]["n"] == 1
    worse = {"row": "a", "size": "first", "passes": False, "n": 4}
    assert page.latest([worse, {"row": "a", "size": "quick", "n": 5}])["a"]["n"] == 4
    assert page.latest([worse, failed, first])["a"]["n"] == 1


def line_of(row: Row, size: str, *, passes: bool = True) -> dict[str, object]:
    about = {"seed": 1, "date": "2026-01-02", "commit": "abc", "controlCaught": 1, "bad": 0 if passes else 1}
    return {"row": row.name, "kind": "soak", "size": size, "n": 1234, "passes": passes} | about


def test_the_summary_counts_each_harness_once() -> None:
    left = {"row": ROWS[4].name, "leftOut": "no data"}
    lines = [line_of(ROWS[0], "quick"), line_of(ROWS[0], "first"), line_of(ROWS[1], "next"), line_of(ROWS[2], "quick")]
    told = page.summary(page.latest([*lines, line_of(ROWS[3], "first", passes=False), left]))
    assert [int(each) for each in re.findall(r"\d+", told)] == [len(ROWS), 2, 1, 1, len(ROWS) - 5, 1]


def test_the_summary_stands_first_on_the_page() -> None:
    known = page.latest(line for line in page.lines() if line.get("kind") in ("soak", "tests"))
    assert page.page().split("\n\n")[1] == page.summary(known)


def test_a_row_at_quick_is_not_taken_for_a_proof() -> None:
    row = ROWS[0]
    [quick] = [each for each in page.soaks({row.name: line_of(row, "quick")}) if f"**{row.name}**" in each]
    [first] = [each for each in page.soaks({row.name: line_of(row, "first")}) if f"**{row.name}**" in each]
    assert "| 1,234 (quick) |" in quick
    assert "**quick: no proof**" in quick
    assert "| 1,234 |" in first
    assert "no proof" not in first


def test_a_row_that_was_left_out_says_why_until_it_ran() -> None:
    left = {"row": "failing-disk", "size": "quick", "leftOut": "/dev/fuse: not permitted"}
    assert any("left out: /dev/fuse: not permitted" in line for line in page.soaks(page.latest([left])))
    assert page.latest([left, {"row": "failing-disk", "n": 2}])["failing-disk"]["n"] == 2


def test_a_line_takes_the_place_of_the_one_about_its_row_at_its_size(tmp_path: Path) -> None:
    file = tmp_path / "soak.jsonl"
    for n, (row, size) in enumerate([("a", "first"), ("b", "quick"), ("a", "quick"), ("b", "quick")]):
        Record(file).add({"row": row, "size": size, "n": n, "passes": n != 3})
    kept = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(line["row"], line["size"], line["n"]) for line in kept] == [
        ("a", "first", 0),
        ("a", "quick", 2),
        ("b", "quick", 3),
    ]


def test_the_page_is_current() -> None:
    assert (DOCS / "explanation" / "reliability.md").read_text(encoding="utf-8") == page.page()
