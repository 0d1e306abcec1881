"""Pictures of run folders, as SVG: equal runs give equal bytes. Nothing is drawn of what is not measured.

One arm has one colour and one mark in every picture, and LENS the strongest; the paper's figures are hollow.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evaluation.arms.base import FIND
from evaluation.data.records import CalibrationRecord, FigureRecord
from evaluation.reporting import paper
from evaluation.reporting.markdown import signed
from evaluation.reporting.reading import ReportRow, figure_of
from evaluation.results import MARK, write_result
from lens_lsp.model.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEPTHS = (1, 2, 5, 10)
_EXTRA = "python -m pip install 'lens-lsp[evaluation]'"
_LENS = "#0b5394"
# Told apart by people who see red and green alike (Okabe and Ito), dark enough on white.
_OTHERS = ("#d55e00", "#009e73", "#8a5a9e", "#b8860b", "#4d4d4d", "#c2185b", "#2f8f9d")
_MARKS = "sD^vPX*"
_GRID = "#d9d9d9"
_SMALL = 8
_QUALITY = (("em", "exact match"), ("evidenceRecall.strict", "strict evidence recall"))


class _End(NamedTuple):
    """A point that is named: its figure, where it stands on the other axis, its name and its colour."""

    value: float
    across: float
    name: str
    colour: str


def write_plots(rows: Sequence[ReportRow], out: Path) -> list[Path]:
    """Write the pictures that the runs have figures for, and return where they are.

    Raises MissingExtra without matplotlib.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra(f"pictures need matplotlib: {_EXTRA}") from error
    made = []
    with matplotlib.rc_context():
        # Nobody's own style: equal figures, equal bytes. Names are no formulas.
        matplotlib.rcdefaults()
        matplotlib.rcParams["svg.hashsalt"] = "lens"
        matplotlib.rcParams["text.parse_math"] = False
        matplotlib.rcParams["axes.spines.top"] = matplotlib.rcParams["axes.spines.right"] = False
        for name, figure in _drawn(rows):
            path, drawn = out / f"{name}.svg", io.StringIO()
            about = {"Date": None, "Title": name, "Source": MARK}
            figure.savefig(drawn, format="svg", bbox_inches="tight", metadata=about)
            write_result(path, drawn.getvalue(), MARK)
            made.append(path)
    return made


def _drawn(rows: Sequence[ReportRow]) -> Iterable[tuple[str, Figure]]:
    look = _looks(rows)
    for _, group in groupby(rows, key=lambda row: row.folder):
        run = list(group)
        if run[0].summary.control is None and (len(run) > 1 or run[0].summary.mode == FIND):
            yield f"recall-{run[0].run}", _recall(run, look)
        for kind in ("facts", "answers"):
            claimed = [(row, row.record.calibration[kind]) for row in run if kind in row.record.calibration]
            if claimed:
                yield f"reliability-{kind}-{run[0].run}", _reliability(claimed, kind, look)
        pairs = [(row, other) for row in run for other in run if other.arm == f"{row.arm}-stale"]
        if pairs:
            yield f"staleness-{run[0].run}", _staleness(pairs, look)
    for place, label in _QUALITY:
        for (dataset, snapshot), spent in _spending(rows, place).items():
            yield f"calls-{place.partition('.')[0]}-{dataset}-{snapshot}", _calls(spent, place, label, look)


def _looks(rows: Sequence[ReportRow]) -> Callable[[str], tuple[str, str]]:
    """Colour and mark of an arm; a control of an arm looks like the arm."""
    arms = dict.fromkeys(row.arm.removesuffix("-stale") for row in rows)
    others = [arm for arm in arms if arm != "lens"]
    looks = {arm: (_OTHERS[at % len(_OTHERS)], _MARKS[at % len(_MARKS)]) for at, arm in enumerate(others)}
    looks["lens"] = (_LENS, "o")
    return lambda arm: looks[arm.removesuffix("-stale")]


def _axes(width: float, height: float, title: str, under: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(f"{title}\n", loc="left", fontweight="bold")
    axes.text(0, 1.02, under, transform=axes.transAxes, fontsize=_SMALL, color="#555555")
    axes.grid(visible=True, color=_GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def _recall(run: Sequence[ReportRow], look: Callable[[str], tuple[str, str]]) -> Figure:
    """Document recall by depth; arms stand a little apart, so that their intervals can be told apart."""
    first = run[0]
    figure, axes = _axes(7, 4.2, "Document recall by depth", f"{_under(first)}, 95 % intervals")
    ends = []
    for at, row in enumerate(run):
        points = [(k, row.record.document_recall[str(k)]) for k in DEPTHS if str(k) in row.record.document_recall]
        places = [DEPTHS.index(k) + 0.05 * (at - (len(run) - 1) / 2) for k, _ in points]
        colour, mark = look(row.arm)
        _with_intervals(axes, places, [point for _, point in points], colour, mark, line=True)
        ends.append(_End(points[-1][1].value, places[-1], row.arm, colour))
    _name_ends(axes, ends, len(DEPTHS) - 0.75)
    axes.set_xticks(range(len(DEPTHS)), [str(k) for k in DEPTHS])
    axes.set_xlabel("first k documents")
    axes.set_ylabel("gold documents found, %")
    return figure


def _reliability(
    claimed: Sequence[tuple[ReportRow, CalibrationRecord]], kind: str, look: Callable[[str], tuple[str, str]]
) -> Figure:
    title = "Does a fact hold as often as it says?" if kind == "facts" else "Is an answer right as often as it says?"
    figure, axes = _axes(5.2, 4.8, title, _under(claimed[0][0]))
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle="--", zorder=1)
    axes.annotate("as sure as right", (0.06, 0.08), rotation=45, fontsize=_SMALL, color="#777777")
    for row, found in claimed:
        colour, mark = look(row.arm)
        held = [100 * one.held for one in found.bins]
        sure = [one.confidence for one in found.bins]
        label = f"{row.arm}: ECE {found.ece:.3f}, n {found.n}"
        most = max(one.n for one in found.bins)
        axes.plot(sure, [value / 100 for value in held], color=colour, linewidth=1.2, zorder=2)
        sizes = [20 + 160 * one.n / most for one in found.bins]
        axes.scatter(sure, [value / 100 for value in held], s=sizes, color=colour, marker=mark, label=label, zorder=3)
        for one in found.bins:
            axes.annotate(
                f"{one.n}",
                (one.confidence, one.held),
                xytext=(6, -12),
                textcoords="offset points",
                fontsize=_SMALL,
                color=colour,
            )
    axes.set_xlim(0, 1.03)
    axes.set_ylim(0, 1.03)
    axes.set_xlabel("confidence it was said with")
    axes.set_ylabel("share that held")
    axes.legend(loc="upper left", frameon=False, fontsize=_SMALL)
    return figure


def _staleness(pairs: Sequence[tuple[ReportRow, ReportRow]], look: Callable[[str], tuple[str, str]]) -> Figure:
    """From fresh to stale, a line an arm: an index falls, who reads the files does not. The paper's arms are hollow."""
    lines = [
        (fresh.arm, figure_of(fresh.record, "documentRecall.5"), figure_of(stale.record, "documentRecall.5"))
        for fresh, stale in pairs
    ]
    printed = [(name, recall) for name, (_, recall) in paper.STALENESS.items()]
    under = f"{_under(pairs[0][0])}; R@5, the paper's evidence recall dashed"
    figure, axes = _axes(7, 0.55 * (len(lines) + len(printed)) + 1.8, "What an old index costs", under)
    labels = []
    for at, (arm, fresh, stale) in enumerate(lines):
        if fresh is not None and stale is not None:
            _fall(axes, at, (fresh.value, stale.value, stale.value - fresh.value), look(arm)[0], hollow=False)
        labels.append(arm)
    for at, (name, recall) in enumerate(printed, len(lines)):
        _fall(axes, at, recall, "#777777", hollow=True)
        labels.append(f"paper: {name}")
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlim(-3, 103)
    axes.set_xlabel("found for questions that came with the new documents, %  (● fresh, ✕ stale)")
    return figure


def _fall(axes: Axes, at: int, fall: tuple[float, float, float], colour: str, *, hollow: bool) -> None:
    """One line of it: fresh, stale, and the change."""
    fresh, stale, change = fall
    axes.plot([fresh, stale], [at, at], color=colour, linewidth=2, linestyle="--" if hollow else "-", zorder=2)
    axes.plot([fresh], [at], "o", color=colour, markersize=9, markerfacecolor="white" if hollow else colour, zorder=3)
    axes.plot([stale], [at], "x", color=colour, markersize=10, markeredgewidth=2.5, zorder=4)
    axes.annotate(
        signed(change),
        ((fresh + stale) / 2, at),
        xytext=(0, 6),
        textcoords="offset points",
        ha="center",
        fontsize=_SMALL,
        color=colour,
    )


def _calls(spent: Sequence[ReportRow], place: str, label: str, look: Callable[[str], tuple[str, str]]) -> Figure:
    summary, most = spent[0].summary, max(row.record.n for row in spent)
    under = f"{summary.dataset} {summary.snapshot}; n {most}, 95 % intervals"
    figure, axes = _axes(9, 4.2, f"{label.capitalize()} and what it takes", under)
    ends = []
    for row in spent:
        calls, quality = row.record.calls.mean, figure_of(row.record, place)
        if calls is None or quality is None:
            continue
        colour, mark = look(row.arm)
        across = [[calls.value - calls.low], [calls.high - calls.value]]
        _with_intervals(axes, [calls.value], [quality], colour, mark, line=False, across=across)
        ends.append(_End(quality.value, calls.value, _whose(row), colour))
    axes.set_xlim(left=min(-0.1, axes.get_xlim()[0]))
    _name_ends(axes, ends, axes.get_xlim()[1])
    axes.set_xlabel("model calls a question, mean")
    axes.set_ylabel(f"{label}, %")
    return figure


def _spending(rows: Sequence[ReportRow], place: str) -> Mapping[tuple[str, str], list[ReportRow]]:
    """Arms that made calls and have a figure, by the corpus they were asked over; one alone compares with nothing."""
    found: dict[tuple[str, str], list[ReportRow]] = {}
    for row in rows:
        if row.record.calls.mean is not None and figure_of(row.record, place) is not None:
            found.setdefault((row.summary.dataset, row.summary.snapshot), []).append(row)
    return {key: group for key, group in found.items() if len(group) > 1 and any(r.record.calls.total for r in group)}


def _with_intervals(
    axes: Axes,
    places: Sequence[float],
    points: Sequence[FigureRecord],
    colour: str,
    mark: str,
    *,
    line: bool,
    across: Sequence[Sequence[float]] | None = None,
) -> None:
    values = [point.value for point in points]
    down = [point.value - point.low for point in points]
    up = [point.high - point.value for point in points]
    axes.errorbar(
        places,
        values,
        yerr=[down, up],
        xerr=across,
        color=colour,
        marker=mark,
        markersize=6,
        linewidth=1.8 if line else 0,
        elinewidth=1.1,
        capsize=2.5,
    )


def _name_ends(axes: Axes, ends: Iterable[_End], right: float) -> None:
    """Names to the right of everything, pushed apart so that none stands on another, each on a line to its point."""
    low, high = axes.get_ylim()
    apart, below = (high - low) / 18, float("-inf")
    for end in sorted(ends):
        below = max(end.value, below + apart)
        axes.annotate(
            f"{end.name} {end.value:.1f}",
            (end.across, end.value),
            xytext=(right, below),
            color=end.colour,
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "linewidth": 0.6, "color": end.colour, "alpha": 0.6, "shrinkB": 5},
        )


def _whose(row: ReportRow) -> str:
    """An arm, and how LENS searched and who judged there."""
    if row.arm.partition("-")[0] != "lens":
        return row.arm
    error = "" if row.summary.error is None else f" ε {row.summary.error:g}"
    judged = "" if row.summary.oracle is None else f", {row.summary.oracle}{error}"
    return f"{row.arm} ({row.summary.mode}{judged})"


def _under(row: ReportRow) -> str:
    control = "" if row.summary.control is None else f", {row.summary.control}"
    judged = "" if row.summary.oracle is None else f", judged by {row.summary.oracle}"
    said = f"{row.summary.dataset} {row.summary.snapshot}{control}, {row.summary.mode}{judged}"
    return f"{said}; n {row.record.n}"
