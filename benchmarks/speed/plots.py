"""The pictures of a record: equal records give equal bytes. As PNG, for the words of an SVG would be searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.speed.record import Record
from benchmarks.speed.row import Kind, Row, Unit

_LENS, _MISSED, _OTHERS, _GRID = "#0b5394", "#d55e00", "#8c8c8c", "#d9d9d9"
_LINES = {
    "first": ("first question of the process", "#d55e00", "s"),
    "find": ("find, texts in memory", "#0b5394", "o"),
    "ask": ("answer, evidence mode", "#009e73", "D"),
    "firstEvidence": ("first evidence of it", "#8a5a9e", "^"),
}
_AXES = {
    "files": ("files", "files of half a kilobyte"),
    "bytes": ("bytes", "bytes in notes of 15 KB"),
    "streamed": ("bytes", "bytes in notes of 15 KB, 64 MiB kept"),
    "terms": ("terms", "terms looked for"),
}
_LINE_HEIGHT = 0.22
_DOTS = 110
"""An inch."""

Point = Mapping[str, Any]


def draw(record: Record, out: Path) -> Iterator[Path]:
    """Write a picture of everything that the record has figures for; gives their paths."""
    out.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams["axes.spines.top"] = matplotlib.rcParams["axes.spines.right"] = False
        for name, figure in _drawn(record):
            path = out / f"{name}.png"
            figure.savefig(path, dpi=_DOTS, bbox_inches="tight", metadata={"Software": None})
            yield path


def _drawn(record: Record) -> Iterator[tuple[str, Figure]]:
    judged = [row for row in record.rows if share(row) is not None]
    if judged:
        yield "goals", _goals(judged)
    changed = [row for row in record.rows if row.part == "changes" and row.theirs and row.unit is Unit.WALL]
    if changed:
        yield "changes", _changes(changed)
    for curve, (axis, label) in _AXES.items():
        chosen = [point for point in record.points if point["curve"] == curve]
        if chosen:
            yield f"seconds-by-{curve}", _seconds(chosen, axis, label)
    if record.points:
        yield "memory-by-bytes", _memory(record.points)


def share(row: Row) -> float | None:
    """How much of its goal a row uses up: at most 1 where it holds; None without a goal or with one of zero."""
    if row.goal is None or not row.goal.value or row.unit is Unit.PERCENT:
        return None
    if row.goal.kind is Kind.MOST:
        return row.median / row.goal.value
    if row.times is None:
        return None
    return row.times / row.goal.value if row.goal.kind is Kind.COST else row.times * row.goal.value


def _goals(rows: Sequence[Row]) -> Figure:
    axes = _bars([f"{row.what}, {row.corpus}{f' / {row.yardstick}' if row.yardstick else ''}" for row in rows])
    shares = [share(row) or 0.0 for row in rows]
    axes.barh(range(len(rows)), shares, color=[_LENS if row.holds else _MISSED for row in rows], height=0.7)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set(xscale="log", xlabel="share of the goal; what is right of the line misses it")
    return axes.figure  # type: ignore[return-value]


def _changes(rows: Sequence[Row]) -> Figure:
    """Ours once for each group of neighbours, and everything that was measured beside it."""
    axes = _bars([f"{row.what} / {row.yardstick}" for row in rows])
    for place, row in enumerate(rows):
        theirs = sorted(row.theirs)[len(row.theirs) // 2]
        axes.plot([row.median * 1000, theirs * 1000], [place, place], color=_GRID, linewidth=2, zorder=1)
        axes.plot(row.median * 1000, place, "o", color=_LENS, label=None if place else "lens")
        axes.plot(theirs * 1000, place, "s", color=_OTHERS, label=None if place else "the yardstick")
    axes.set(xscale="log", xlabel="milliseconds")
    axes.legend(frameon=False, fontsize=8)
    return axes.figure  # type: ignore[return-value]


def _bars(names: Sequence[str]) -> Axes:
    figure = Figure(figsize=(7, 1 + _LINE_HEIGHT * len(names)))
    axes: Axes = figure.subplots()
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.invert_yaxis()
    axes.grid(axis="x", color=_GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    return axes


def _seconds(points: Sequence[Point], axis: str, label: str) -> Figure:
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    for name, (what, colour, mark) in _LINES.items():
        known = [(point[axis], point[name]) for point in points if name in point]
        if known:
            axes.plot(*zip(*known, strict=True), color=colour, marker=mark, label=what)
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel="seconds")
    axes.grid(color=_GRID, linewidth=0.5)
    axes.legend(frameon=False, fontsize=8)
    return figure


def _memory(points: Sequence[Point]) -> Figure:
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    for curve, what, colour in (("bytes", "default", "#0b5394"), ("streamed", "64 MiB kept", "#d55e00")):
        known = [(point["bytes"], point["peakBytes"] / 2**20) for point in points if point["curve"] == curve]
        if known:
            axes.plot(*zip(*known, strict=True), color=colour, marker="o", label=what)
    axes.set(xscale="log", yscale="log", xlabel="bytes in notes of 15 KB", ylabel="peak of memory, MiB")
    axes.grid(color=_GRID, linewidth=0.5)
    axes.legend(frameon=False, fontsize=8)
    return figure
