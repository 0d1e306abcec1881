"""The gate of a release: every row of the table of targets, ours and both references in the same call.

A figure passes when it is at most 1.5 points below the prototype's on the visible questions and above what
both BM25 references reach in the same run. Where ours or a reference was left out nothing is proven, so it
fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.arms.making import REFERENCES, make_arms
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.records import ArmRecord, FigureRecord, SummaryRecord
from evaluation.data.snapshots import prepare
from evaluation.reporting.markdown import shown, table
from evaluation.reporting.reading import figure_of, read_summary
from evaluation.results import write_json, write_page
from evaluation.runner import Progress, Selection, run
from lens_lsp.model.errors import UsageError

SCHEMA = "lens.gate/1"
TOLERANCE = 1.5
"""Points below the prototype that still pass."""


@dataclass(frozen=True, slots=True)
class Target:
    """One figure of a row, percent: its place in a summary, what the prototype reached, what we aim at."""

    label: str
    place: str
    prototype: float
    goal: float

    @property
    def floor(self) -> float:
        """The least that passes."""
        return round(self.prototype - TOLERANCE, 2)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table of targets. ``first`` cuts the visible questions to the first so many."""

    name: str
    title: str
    dataset: str
    snapshot: str
    targets: tuple[Target, ...]
    hide_titles: bool = False
    first: int | None = None


ROWS = (
    Row(
        "hotpotqa",
        "HotpotQA D_500",
        "hotpotqa",
        "500",
        (
            Target("R@2", "documentRecall.2", 77.7, 80),
            Target("R@5", "documentRecall.5", 93.0, 94),
            Target("R@10", "documentRecall.10", 96.1, 97),
            Target("all-gold@10", "allGold10", 92.4, 94),
        ),
    ),
    Row(
        "2wiki",
        "2Wiki D_250",
        "2wiki",
        "250",
        (
            Target("R@5", "documentRecall.5", 95.4, 97),
            Target("R@10", "documentRecall.10", 99.0, 99.5),
        ),
    ),
    Row(
        "musique",
        "MuSiQue D_140",
        "musique",
        "140",
        (
            Target("R@5", "documentRecall.5", 65.3, 68),
            Target("R@10", "documentRecall.10", 72.4, 77),
        ),
    ),
    Row(
        "squad-all",
        "SQuAD S_all490",
        "squad",
        "S_all490",
        (
            Target("span hit@1", "spanHit.1", 69.4, 72),
            Target("span hit@3", "spanHit.3", 80.2, 83),
            Target("span hit@5", "spanHit.5", 84.0, 87),
        ),
    ),
    Row(
        "squad-dev",
        "SQuAD S_dev48",
        "squad",
        "S_dev48",
        (
            Target("span hit@1", "spanHit.1", 76.4, 78),
            Target("span hit@3", "spanHit.3", 86.4, 89),
            Target("span hit@5", "spanHit.5", 88.8, 92),
        ),
    ),
    Row(
        "cpp-docs",
        "cpp-docs known item",
        "workspaces",
        "cpp-docs",
        (
            Target("R@1", "knownItem.1", 75.5, 77),
            Target("R@5", "knownItem.5", 86.5, 89),
        ),
    ),
    Row(
        "hidden-titles",
        "HotpotQA D_500, titles hidden",
        "hotpotqa",
        "500",
        (
            Target("R@5", "documentRecall.5", 76.0, 80),
            Target("R@10", "documentRecall.10", 86.8, 89),
        ),
        hide_titles=True,
        first=200,
    ),
)


@dataclass(frozen=True, slots=True)
class GatePlan:
    """What to run. Without ours and both references no figure passes."""

    rows: tuple[str, ...] = tuple(row.name for row in ROWS)
    arms: tuple[str, ...] = ("lens", *REFERENCES)
    ablations: tuple[str, ...] = ()
    selection: Selection = field(default_factory=Selection)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """One figure against its target, over the questions of one run."""

    row: Row
    target: Target
    figures: dict[str, FigureRecord | None]
    """By arm, ablations included."""

    @property
    def passed(self) -> bool:
        """Whether ours is above the floor and above both references."""
        ours = self.figures.get("lens")
        references = [self.figures.get(name) for name in REFERENCES]
        if ours is None or ours.value < self.target.floor:
            return False
        return all(figure is not None and ours.value > figure.value for figure in references)


@dataclass(frozen=True, slots=True)
class GateResult:
    """All verdicts and the report on them."""

    verdicts: tuple[Verdict, ...]
    markdown: str

    @property
    def passed(self) -> bool:
        """Whether every figure that was run passed."""
        return all(verdict.passed for verdict in self.verdicts)


def run_gate(
    data: Path, work: Path, out: Path, plan: GatePlan = GatePlan(), *, progress: Progress | None = None
) -> GateResult:
    """Prepare the corpora below ``work``, run every row into a folder below ``out``, and judge.

    Writes ``gate.md`` and ``gate.json`` beside the run folders. ``data`` holds the data set folders.
    """
    verdicts = []
    summaries = {}
    for row in _rows(plan.rows):
        summary = _run_row(row, plan, data=data, work=work, out=out, progress=progress)
        summaries[row.title] = summary
        for target in row.targets:
            figures = {name: figure_of(arm, target.place) for name, arm in summary.arms.items()}
            verdicts.append(Verdict(row, target, figures))
    result = GateResult(tuple(verdicts), _markdown(verdicts, summaries, plan))
    write_page(out / "gate.md", result.markdown)
    write_json(out / "gate.json", _json(result))
    return result


def _rows(names: Sequence[str]) -> list[Row]:
    known = {row.name: row for row in ROWS}
    for name in names:
        if name not in known:
            raise UsageError(f"the gate has no row {name!r}; choose from {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]


def _run_row(
    row: Row, plan: GatePlan, *, data: Path, work: Path, out: Path, progress: Progress | None
) -> SummaryRecord:
    folder = data / row.dataset
    dataset = open_dataset(folder, row.snapshot)
    suffix = "-hidden" if row.hide_titles else ""
    corpus = prepare(folder, row.snapshot, work / f"{row.dataset}-{row.snapshot}{suffix}", hide_titles=row.hide_titles)
    asked = questions(dataset)[: row.first]
    arms = make_arms(plan.arms, plan.ablations, windows=any(question.gold.spans for question in asked))
    run(
        dataset,
        corpus,
        asked,
        arms,
        out / row.name,
        seed=plan.seed,
        selection=plan.selection,
        progress=progress,
        anew=True,
    )
    return read_summary(out / row.name)


def _markdown(verdicts: Sequence[Verdict], summaries: dict[str, SummaryRecord], plan: GatePlan) -> str:
    names = list(dict.fromkeys(name for verdict in verdicts for name in verdict.figures))
    headings = ["row", "figure", "n", *names, "prototype", "floor", "goal", "gate"]
    rows = [
        [
            verdict.row.title,
            verdict.target.label,
            str(max((figure.n for figure in verdict.figures.values() if figure), default=0)),
            *(shown(verdict.figures.get(name)) for name in names),
            f"{verdict.target.prototype:.1f}",
            f"{verdict.target.floor:.1f}",
            f"{verdict.target.goal:.1f}",
            "pass" if verdict.passed else "FAIL",
        ]
        for verdict in verdicts
    ]
    failed = sum(not verdict.passed for verdict in verdicts)
    selection = plan.selection
    limit = "" if selection.limit is None else f", first {selection.limit}"
    return (
        f"# Gate\n\nQuestions: {selection.half}{limit}; seed {plan.seed}. Percent, 95 % bootstrap intervals "
        f"over questions. A figure passes at or above the floor (prototype − {TOLERANCE}) and above both "
        "references.\n\n"
        f"{table(headings, rows)}\n{len(verdicts) - failed} passed, {failed} failed.\n\n"
        f"{_worth(verdicts)}{_times(summaries)}"
    )


def _worth(verdicts: Sequence[Verdict]) -> str:
    """What each ablated signal is worth: points that ours loses without it. Nothing without ablations."""
    names = list(dict.fromkeys(name for v in verdicts for name in v.figures if name.startswith("lens-without-")))
    if not names:
        return ""
    rows = []
    for verdict in verdicts:
        ours = verdict.figures["lens"]
        others = [verdict.figures[name] for name in names]
        losses = [f"{ours.value - other.value:+.1f}" if ours and other else "–" for other in others]
        rows.append([verdict.row.title, verdict.target.label, *losses])
    headings = ["row", "points lost", *(name.removeprefix("lens-") for name in names)]
    return f"{table(headings, rows)}\n"


def _times(summaries: dict[str, SummaryRecord]) -> str:
    rows = [[title, name, *_clock(arm)] for title, summary in summaries.items() for name, arm in summary.arms.items()]
    return table(["row", "arm", "ready s", "median ms", "p95 ms"], rows)


def _clock(arm: ArmRecord) -> list[str]:
    times = arm.seconds
    return [f"{times.ready:.2f}", f"{1000 * times.median.value:.2f}", f"{1000 * times.p95.value:.2f}"]


def _json(result: GateResult) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "passed": result.passed,
        "figures": [
            {
                "row": verdict.row.name,
                "figure": verdict.target.place,
                "arms": {name: figure.model_dump() if figure else None for name, figure in verdict.figures.items()},
                "prototype": verdict.target.prototype,
                "floor": verdict.target.floor,
                "goal": verdict.target.goal,
                "passed": verdict.passed,
            }
            for verdict in result.verdicts
        ],
    }
