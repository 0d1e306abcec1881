"""Tables from run folders, in Markdown, CSV and JSON. Plots are not made yet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lens_lsp.domain.errors import EvaluationError
from lens_lsp.evaluation.data.records import ArmRecord, FigureRecord, SummaryRecord

SCHEMA = "lens.report/1"

COLUMNS = (
    ("R@1", "documentRecall.1"),
    ("R@2", "documentRecall.2"),
    ("R@5", "documentRecall.5"),
    ("R@10", "documentRecall.10"),
    ("all-gold@10", "allGold10"),
    ("span hit@1", "spanHit.1"),
    ("span hit@3", "spanHit.3"),
    ("span hit@5", "spanHit.5"),
    ("known item@1", "knownItem.1"),
    ("known item@5", "knownItem.5"),
    ("known item@10", "knownItem.10"),
    ("evidence recall, strict, 10 windows", "evidenceRecall.strict"),
    ("evidence recall, paper-compatible", "evidenceRecall.compatible"),
    ("ground, strict, 10 windows", "ground.strict"),
    ("ground, paper-compatible", "ground.compatible"),
    ("all gold proven", "allGoldProven"),
    ("answered", "answered"),
    ("answered with a quote", "answeredWithQuote"),
    ("false answers", "falseAnswers"),
)
"""Heading and place in a summary. All are percent; ``–`` where the data set has no such gold or the mode no answers."""

COSTS = ("calls, mean", "calls, most", "questions beyond the bound")
HEAD = ("run", "mode", "oracle", "arm", "n")
TIMES = ("ready s", "median ms", "p95 ms")


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One arm of one run."""

    run: str
    summary: SummaryRecord
    arm: str

    @property
    def record(self) -> ArmRecord:
        """What the summary says about the arm."""
        return self.summary.arms[self.arm]


def write_report(runs: Sequence[Path], out: Path) -> str:
    """Write ``report.md``, ``report.csv`` and ``report.json`` over run folders; returns the Markdown.

    A folder without a summary of its own stands for the runs in the folders below it.
    """
    rows = []
    for folder in [below for run in runs for below in _run_folders(run)]:
        summary = read_summary(folder)
        rows += [ReportRow(folder.absolute().name, summary, arm) for arm in summary.arms]
    markdown = _markdown(rows)
    out.mkdir(parents=True, exist_ok=True)
    (out / "report.md").write_text(markdown, "utf-8")
    (out / "report.csv").write_text(_csv(rows), "utf-8", newline="")
    document = {"schema": SCHEMA, "rows": [_json(row) for row in rows]}
    (out / "report.json").write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return markdown


def run_table(run: Path) -> str:
    """The Markdown table of one run folder."""
    summary = read_summary(run)
    return _markdown([ReportRow(run.absolute().name, summary, arm) for arm in summary.arms])


def read_summary(folder: Path) -> SummaryRecord:
    """The summary of a run folder. Raises EvaluationError when there is none or it is not one of ours."""
    path = folder / "summary.json"
    try:
        return SummaryRecord.model_validate_json(path.read_bytes())
    except OSError as error:
        raise EvaluationError(f"{folder} is not a run: it has no summary.json") from error
    except ValueError as error:
        raise EvaluationError(f"{path} is not a summary of schema lens.eval/1") from error


def figure_of(arm: ArmRecord, place: str) -> FigureRecord | None:
    """The figure at a place such as ``documentRecall.5``; ``None`` where the arm has none."""
    name, _, key = place.partition(".")
    single = {
        "allGold10": arm.all_gold,
        "answered": arm.answered,
        "answeredWithQuote": arm.answered_with_quote,
        "falseAnswers": arm.false_answers,
        "allGoldProven": arm.all_gold_proven,
    }
    if name in single:
        return single[name]
    groups: dict[str, Mapping[str, FigureRecord | None] | None] = {
        "documentRecall": arm.document_recall,
        "spanHit": arm.span_hit,
        "knownItem": arm.known_item,
        "evidenceRecall": arm.evidence_recall,
        "ground": arm.ground,
    }
    return (groups[name] or {}).get(key)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is left-aligned, the others right."""
    lines = [headings, [":---", *["---:"] * (len(headings) - 1)], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def shown(figure: FigureRecord | None) -> str:
    """A percentage with its interval: ``57.0 [53.1–60.9]``; ``–`` without one."""
    return "–" if figure is None else f"{figure.value:.1f} [{figure.low:.1f}–{figure.high:.1f}]"


def _run_folders(run: Path) -> list[Path]:
    if (run / "summary.json").is_file():
        return [run]
    below = sorted(path.parent for path in run.glob("*/summary.json"))
    if not below:
        raise EvaluationError(f"{run} is not a run: it has no summary.json")
    return below


def _markdown(rows: Sequence[ReportRow]) -> str:
    headings = [*HEAD, *(heading for heading, _ in COLUMNS), *COSTS, *TIMES]
    body = [
        [
            *_head(row),
            *(shown(figure_of(row.record, place)) for _, place in COLUMNS),
            *_costs(row.record),
            *(f"{value:.2f}" for value in _times(row.record)),
        ]
        for row in rows
    ]
    note = "Percent with 95 % bootstrap intervals over questions; times are wall time.\n"
    return f"# Evaluation\n\n{note}\n{table(headings, body)}"


def _csv(rows: Sequence[ReportRow]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    bounds = ("value", "low", "high")
    writer.writerow([*HEAD, *(f"{place}.{b}" for _, place in COLUMNS for b in bounds), *COSTS, *TIMES])
    for row in rows:
        figures = [figure_of(row.record, place) for _, place in COLUMNS]
        cells = [(f.value, f.low, f.high) if f else ("", "", "") for f in figures]
        costs = [cell.replace("–", "") for cell in _costs(row.record)]
        writer.writerow([*_head(row), *(cell for group in cells for cell in group), *costs, *_times(row.record)])
    return text.getvalue()


def _json(row: ReportRow) -> dict[str, object]:
    figures = {place: figure_of(row.record, place) for _, place in COLUMNS}
    return {
        "run": row.run,
        "dataset": row.summary.dataset,
        "snapshot": row.summary.snapshot,
        "hiddenTitles": row.summary.hidden_titles,
        "mode": row.summary.mode,
        "oracle": row.summary.oracle,
        "error": row.summary.error,
        "seed": row.summary.seed,
        "arm": row.arm,
        "n": row.record.n,
        "figures": {place: figure.model_dump() if figure else None for place, figure in figures.items()},
        "calls": row.record.calls.model_dump(),
        "seconds": row.record.seconds.model_dump(),
    }


def _head(row: ReportRow) -> list[str]:
    oracle, error = row.summary.oracle or "–", row.summary.error
    judged = oracle if error is None else f"{oracle}, ε {error:g}"
    return [row.run, row.summary.mode, judged if row.arm.startswith("lens") else "–", row.arm, str(row.record.n)]


def _costs(arm: ArmRecord) -> tuple[str, str, str]:
    """Model calls; ``–`` of an arm that gives no answers."""
    calls = arm.calls
    if calls.mean is None:
        return ("–", "–", "–")
    return (f"{calls.mean.value:.2f}", str(calls.most), str(calls.beyond))


def _times(arm: ArmRecord) -> tuple[float, float, float]:
    """In the units of ``TIMES``."""
    times = arm.seconds
    return times.ready, 1000 * times.median.value, 1000 * times.p95.value
