"""The page of a record: every row beside its goal, what does not hold, and what differs from the record before."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.speed.record import Difference, Record, Verdict
from benchmarks.speed.row import BUSY, Goal, Kind, Row, Unit
from evaluation.reporting.markdown import table

BUSY_MARK = "\N{DAGGER}"
_CLOCKS = {Unit.WALL: "", Unit.CPU: ", processor time"}
_HEADINGS = ("what", "corpus", "lens", "yardstick", "its figure", "ratio", "goal", "holds", "processor")
_HEAD = """# Benchmarks

Every figure below, and the pictures, were written by one command, all rows at once or one part after the other:

```sh
python -m benchmarks --data "$LENS_DATA" --work runs/corpora --publish
```

What it measures, and how it is fair, is told in [performance](performance.md); how to run it in
[contributing](../contributing.md#measuring).
"""


def page(record: Record, differences: Sequence[Difference], before: Record | None, titles: Mapping[str, str]) -> str:
    """Markdown. ``titles`` are the headings of the parts, in order."""
    parts = [_HEAD, _about(record), _judged(record), *_tables(record, titles), _curves(record.points)]
    parts += [_differences(differences, before), _notes(record)]
    return "\n".join(part for part in parts if part)


def summary(record: Record, differences: Sequence[Difference]) -> str:
    """What a terminal gets: all rows, and the verdicts."""
    lines = [f"{'  ' if row.holds is None else _holds(row) + ' '}{_line_of(row)}" for row in record.rows]
    lines += [
        f"{one.verdict}: {one.now.key}: {_shown(one.before)} → {_shown(one.now)}" for one in _changed(differences)
    ]
    lines += [f"WARNING: {warning}" for warning in record.warnings]
    return "\n".join((*lines, _counted(record)))


def _about(record: Record) -> str:
    about = record.machine
    libraries = ", ".join(f"{name} {version}" for name, version in about["libraries"].items())
    folders = "; ".join(
        f"{name}: {one['files']:,} files, {one['bytes'] / 1e6:,.1f} MB" for name, one in sorted(record.corpora.items())
    )
    ripgrep = about.get("ripgrep", "no ripgrep")
    return (
        f"{record.day}, build {about['build']}. {about['processor']}, {about['cores']} cores, "
        f"{about['memoryGiB']} GiB, {about['system']}; Python {about['python']}, {libraries}, {ripgrep}. "
        f"Text: {record.text}. {folders}.\n\n"
        "Medians of the runs with least and most in brackets; ours and the yardstick take turns. Times in "
        "milliseconds, by the wall unless it says otherwise. “15× as fast”: the yardstick takes fifteen times as long; "
        f"“15× the cost”: we take fifteen times as long as it. {BUSY_MARK}: more than {BUSY:g} processes a core "
        "wanted to run meanwhile; such times are upper bounds and such verdicts none to rely on: they have to be "
        "measured again. *Processor*: ours and the yardstick's "
        "processor time, of rows by the wall: what a busy machine changes less.\n"
    )


def _judged(record: Record) -> str:
    """How many goals hold, and the rows of those that do not."""
    missed = [row for row in record.rows if row.holds is False]
    lines = [f"{_counted(record)}\n"]
    if record.quick:
        lines.append("A quick run: corpora too small for the goals to mean anything.\n")
    if missed:
        lines.append("What does not hold:\n")
        lines += [f"* {_line_of(row)}" for row in missed]
        lines.append("")
    return "## Goals\n\n" + "\n".join(lines) + "\n![Each figure as a share of its goal](benchmarks/goals.png)\n"


def _counted(record: Record) -> str:
    asked = [row for row in record.rows if row.holds is not None]
    held = sum(row.holds is True for row in asked)
    busy = sum(row.busy for row in record.rows)
    rows = f"{busy} of {len(record.rows)} rows were measured while the machine was busy"
    return f"{held} of {len(asked)} goals hold; {rows}."


def _tables(record: Record, titles: Mapping[str, str]) -> Iterator[str]:
    for part, title in titles.items():
        rows = [row for row in record.rows if row.part == part]
        if rows:
            noted = dict.fromkeys(f"* {row.what}, {row.corpus}: {row.note}" for row in rows if row.note)
            yield f"## {title}\n\n{table(_HEADINGS, map(_cells, rows))}"
            yield "\n".join((*noted, ""))
        if part == "changes" and rows:
            yield "![From a change to the answer](benchmarks/changes.png)\n"


def _cells(row: Row) -> list[str]:
    return [
        row.what + _CLOCKS.get(row.unit, ""),
        row.corpus,
        _shown(row) + (BUSY_MARK if row.busy else ""),
        row.yardstick or "–",
        figure(row.theirs, row.unit) if row.theirs else "–",
        ratio(row),
        _goal(row.goal, row.unit),
        _holds(row),
        " / ".join(number(statistics.median(cpu), Unit.CPU) for cpu in (row.cpu, row.their_cpu) if cpu) or "–",
    ]


def _line_of(row: Row) -> str:
    beside = f"; {row.yardstick} {figure(row.theirs, row.unit)}, {ratio(row)}" if row.theirs else ""
    goal = "" if row.goal is None else f" (goal {_goal(row.goal, row.unit)})"
    return f"{row.what}{_CLOCKS.get(row.unit, '')}, {row.corpus}: {_shown(row)}{beside}{goal}"


def _shown(row: Row) -> str:
    return figure(row.ours, row.unit)


def figure(values: Sequence[float], unit: Unit) -> str:
    """The median and, of several, least and most in brackets."""
    middle = number(statistics.median(values), unit)
    return middle if len(values) == 1 else f"{middle} [{number(min(values), unit)}–{number(max(values), unit)}]"


def number(value: float, unit: Unit) -> str:
    """A value as a reader wants it: milliseconds, megabytes."""
    if unit in (Unit.WALL, Unit.CPU):
        value *= 1000
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.3f}"
    if unit is Unit.BYTES:
        return f"{value / 1e6:,.0f} MB"
    return {Unit.COUNT: f"{value:,.0f}", Unit.TIMES: f"{value:.2f}×", Unit.PERCENT: f"{value:.1f}"}[unit]


def ratio(row: Row) -> str:
    """The quotient in the direction of its goal; without one, the direction in which it is more than one."""
    if row.times is None:
        return "–"
    quick = row.times <= 1 if row.goal is None else row.goal.kind is Kind.FASTER
    times = 1 / row.times if quick else row.times
    return f"{times:.{1 if times >= 10 else 2}f}× {'as fast' if quick else 'the cost'}"


def _goal(goal: Goal | None, unit: Unit) -> str:
    if goal is None:
        return "–"
    sign = "≥" if goal.kind in (Kind.FASTER, Kind.LEAST) else "≤"
    times = goal.kind in (Kind.FASTER, Kind.COST)
    return f"{sign} {goal.value:g}×" if times else f"{sign} {number(goal.value, unit)}"


def _holds(row: Row) -> str:
    said = "–" if row.holds is None else "yes" if row.holds else "NO"
    return said + BUSY_MARK if row.holds is not None and row.busy else said


def _curves(points: Sequence[Mapping[str, Any]]) -> str:
    if not points:
        return ""
    rows = [
        [
            point["curve"],
            f"{point['terms']} terms" if "terms" in point else f"{point['files']:,} files",
            f"{point['bytes'] / 1e6:,.1f} MB",
            *(
                number(point[name], Unit.WALL) if name in point else "–"
                for name in ("first", "find", "firstEvidence", "ask")
            ),
            number(point["peakBytes"], Unit.BYTES),
        ]
        for point in points
    ]
    headings = ("curve", "size", "bytes", "first question", "find", "first evidence", "answer", "peak of memory")
    curves = [
        curve for curve in ("files", "bytes", "streamed", "terms") if any(one["curve"] == curve for one in points)
    ]
    pictures = [f"![Seconds by {curve}](benchmarks/seconds-by-{curve}.png)" for curve in curves]
    return (
        "## Scaling\n\nMilliseconds, medians of a few questions; each point a process of its own. *streamed* keeps "
        f"64 MiB, *cores* has one processor alone.\n\n{table(headings, rows)}\n"
        + "\n\n".join((*pictures, "![Peak of memory](benchmarks/memory-by-bytes.png)"))
        + "\n"
    )


def _changed(differences: Sequence[Difference]) -> list[Difference]:
    return [one for one in differences if one.verdict in (Verdict.BETTER, Verdict.WORSE)]


def _differences(differences: Sequence[Difference], before: Record | None) -> str:
    if before is None:
        return ""
    changed = _changed(differences)
    unknown = sum(one.verdict is Verdict.UNKNOWN for one in differences)
    said = (
        f"## Since the record before\n\n{before.day}, build {before.machine['build']}: of {len(differences)} rows that "
        f"both have {len(changed)} differ by more than their spread, {unknown} cannot be compared (times without a "
        "yardstick, of another machine or a busy one).\n"
    )
    rows = [[one.now.what, one.now.corpus, _paired(one.before), _paired(one.now), one.verdict] for one in changed]
    return said + (f"\n{table(('what', 'corpus', 'before', 'now', ''), rows)}" if rows else "")


def _paired(row: Row) -> str:
    """What the verdict is about: the quotient where there is a yardstick."""
    return f"{figure(row.paired, Unit.TIMES)} {row.yardstick}" if row.theirs else _shown(row)


def _notes(record: Record) -> str:
    parts = [f"Warning: {warning}\n" for warning in record.warnings]
    if record.commands:
        parts += ["ripgrep, as it was called:\n", *(f"    {command}" for command in record.commands), ""]
    return "## Notes\n\n" + "\n".join(parts) if parts else ""
