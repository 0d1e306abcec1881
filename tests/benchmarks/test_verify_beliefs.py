"""The checker of beliefs, on a question answered by hand: it confirms what is right and notices every damage."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.cli.renderers import Places, Style
from lens_lsp.cli.summary import Trace
from lens_lsp.model.answer import Covered, Event
from lens_lsp.schema.answer_shapes import event_json
from tests.hand_made import events

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "verify_beliefs.py"
Lines = list[dict[str, Any]]


@pytest.fixture
def lines() -> Lines:
    return [event_json(event, seq) for seq, event in enumerate(events("/notes"), 1)]


def of_type(lines: Lines, kind: str) -> Lines:
    return [line for line in lines if line["type"] == kind]


def _verify(lines: Lines, *arguments: object) -> subprocess.CompletedProcess[str]:
    given = "".join(json.dumps(line) + "\n" for line in lines)
    command = [sys.executable, str(SCRIPT), "-", *map(str, arguments)]
    return subprocess.run(command, input=given, capture_output=True, text=True, encoding="utf-8", check=False)


def _trace(folder: Path, told: Sequence[Event] = ()) -> Path:
    trace = Trace(Places(["/notes"], "/"), Style())
    for event in told or events("/notes"):
        trace.add(event)
    path = folder / "trace.txt"
    path.write_text(trace.text(1.0), "utf-8")
    return path


def test_beliefs_worked_out_by_hand_are_confirmed(lines: Lines) -> None:
    done = _verify(lines)
    assert done.stdout == "8 beliefs of 2 rounds and requirements checked, 0 differences\n", done.stderr
    assert done.returncode == 0


def test_the_numbers_of_the_trace_are_confirmed_too(lines: Lines, tmp_path: Path) -> None:
    done = _verify(lines, "--trace", _trace(tmp_path))
    assert done.stdout == "8 beliefs of 2 rounds and requirements checked, 8 numbers of the trace, 0 differences\n"
    assert done.returncode == 0


def test_a_search_that_takes_the_place_of_another_begins_anew(tmp_path: Path) -> None:
    whole = list(events("/notes"))
    given_up = whole[: next(n for n, event in enumerate(whole) if isinstance(event, Covered)) + 1]
    twice = [*given_up, *whole]
    lines = [event_json(event, seq) for seq, event in enumerate(twice, 1)]
    done = _verify(lines, "--trace", _trace(tmp_path, twice))
    assert "3 rounds and requirements checked" in done.stdout
    assert "0 differences" in done.stdout
    assert done.returncode == 0


def test_a_digit_changed_in_the_trace_is_noticed(lines: Lines, tmp_path: Path) -> None:
    path = _trace(tmp_path)
    nowhere = of_type(lines, "covered")[1]["beliefs"][0]["nowhere"]
    text = path.read_text("utf-8")
    assert f"{nowhere:.10f}" in text
    path.write_text(text.replace(f"{nowhere:.10f}", f"{nowhere + 1e-8:.10f}"), "utf-8")
    done = _verify(lines, "--trace", path)
    assert done.returncode == 1
    assert "trace, round 2, f1: P(nowhere)" in done.stdout


def test_a_trace_without_numbers_proves_nothing(lines: Lines, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("Round 1\n")
    assert _verify(lines, "--trace", empty).returncode == 1


def test_one_flipped_observation_is_noticed(lines: Lines) -> None:
    done = _verify(lines, "--mutant")
    assert done.returncode == 1
    assert "flipped: region 1, f1: full became none" in done.stdout
    assert "DIFFERENT round 2, f1" in done.stdout


def another_table(lines: Lines) -> None:
    of_type(lines, "planned")[0]["table"]["related"] += 1e-6


def another_share_of_a_file(lines: Lines) -> None:
    of_type(lines, "admitted")[1]["file"]["f1"] = [0.80001, 0.19999]


def another_position(lines: Lines) -> None:
    of_type(lines, "admitted")[0]["joined"][0]["position"]["f1"] = [0.2500001, 0.7499999, 0.0]


def another_nowhere(lines: Lines) -> None:
    of_type(lines, "covered")[0]["beliefs"][0]["nowhere"] += 1e-8


def another_cell(lines: Lines) -> None:
    of_type(lines, "covered")[1]["beliefs"][0]["best"][0]["cell"] = 2


def another_belief(lines: Lines) -> None:
    of_type(lines, "covered")[1]["beliefs"][0]["best"][0]["belief"] -= 1e-8


def the_best_left_out(lines: Lines) -> None:
    del of_type(lines, "covered")[1]["beliefs"][0]["best"][0]


def cells_of_the_quote_shifted(lines: Lines) -> None:
    of_type(lines, "observed")[1]["judgements"][0]["cells"] = [1, 3]


def region_one_cell_shorter(lines: Lines) -> None:
    of_type(lines, "proposed")[1]["regions"][1]["cells"] = [0, 1]


def an_observation_missing(lines: Lines) -> None:
    of_type(lines, "observed")[0]["judgements"].clear()


@pytest.mark.parametrize(
    "damage",
    [
        another_table,
        another_share_of_a_file,
        another_position,
        another_nowhere,
        another_cell,
        another_belief,
        the_best_left_out,
        cells_of_the_quote_shifted,
        region_one_cell_shorter,
        an_observation_missing,
    ],
    ids=lambda damage: damage.__name__,
)
def test_one_thing_changed_in_the_log_is_noticed(lines: Lines, damage: Callable[[Lines], None]) -> None:
    damaged = copy.deepcopy(lines)
    damage(damaged)
    done = _verify(damaged)
    assert done.returncode == 1, done.stderr
    assert "DIFFERENT round" in done.stdout


def test_checking_nothing_proves_nothing(lines: Lines) -> None:
    done = _verify([line for line in lines if line["type"] not in ("covered", "stopped")])
    assert done.returncode == 2, "lines are missing"
    assert _verify(lines[:3]).returncode == 1


def test_a_log_without_positions_has_its_own_status() -> None:
    plain = [event_json(event, seq) for seq, event in enumerate(events("/notes", trace=False), 1)]
    done = _verify(plain)
    assert (done.returncode, done.stdout) == (2, "")
    assert "ask with --events --explain" in done.stderr


@pytest.mark.parametrize("given", ["", "no JSON\n", "{}\n", "[1]\n", '{"schema": "lens.answer/1"}\n'])
def test_input_that_is_no_log_has_its_own_status(given: str) -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "-"], input=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("wrong input")


def test_the_checker_shares_no_code_with_the_package() -> None:
    modules = set()
    for node in ast.walk(ast.parse(SCRIPT.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add((node.module or "").split(".")[0])
    assert modules - {"__future__"} <= sys.stdlib_module_names
    assert "numpy" not in modules
