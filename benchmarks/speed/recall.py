"""The recall of the same build, by the gate itself: what is quick and finds less proves nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measuring import REPOSITORY, build, timed_child
from benchmarks.speed.bench import Bench
from benchmarks.speed.row import Row, Unit, figures, least

ROWS = {"hotpotqa": "A", "cpp-docs": "docs"}
"""Rows of the gate, and the corpora that they are asked over."""


def recall(bench: Bench) -> Iterator[Row]:
    """Every figure of these rows, percent, with both references'; the goal is the gate's own floor."""
    rows = [row for row, corpus in ROWS.items() if corpus in bench.chosen]
    if bench.corpora.data is None or not rows:
        bench.warnings.append("no data sets: the recall of this build is not shown")
        return
    out = bench.work / "recall" / f"{build()}-{'-'.join(rows)}"
    if not (out / "gate.json").exists():
        _gate(bench.corpora.data, bench.work, out, rows)
    for found in json.loads((out / "gate.json").read_text("utf-8"))["figures"]:
        ours = found["arms"]["lens"]
        others = ", ".join(
            f"{name} {one['value']:.1f}" for name, one in found["arms"].items() if name != "lens" and one
        )
        note = f"n {ours['n']}, 95 % {ours['low']:.1f}–{ours['high']:.1f}; {others}"
        goal = least(found["floor"])
        yield figures(found["figure"], ROWS[found["row"]], [ours["value"]], Unit.PERCENT, goal, note)


def _gate(data: Path, work: Path, out: Path, rows: Sequence[str]) -> None:
    """Once for each build: nothing about it depends on the load of the machine."""
    options = ("--work", str(work), "--out", str(out), "--rows", ",".join(rows))
    command = [sys.executable, "-m", "lens_lsp", "eval", "gate", str(data), *options]
    timed_child(command, cwd=REPOSITORY, check=False)  # status 1 is a figure below its floor
