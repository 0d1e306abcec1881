"""Tables from run folders, in Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.data.records import ArmRecord
from evaluation.reporting.comparing import calibrations, classes, comparisons, value_for_money
from evaluation.reporting.layout import paper_tables
from evaluation.reporting.markdown import NONE, plain, section, shown, table
from evaluation.reporting.reading import ReportRow, figure_of, read_audits, read_runs, withheld
from evaluation.results import write_json, write_page, write_result

SCHEMA = "lens.report/2"

RETRIEVAL = (
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
)
ANSWERS = (
    ("EM", "em"),
    ("F1", "f1"),
    ("ground, strict, 10 windows", "ground.strict"),
    ("ground, paper-compatible", "ground.compatible"),
    ("all gold proven", "allGoldProven"),
    ("answered", "answered"),
    ("answered with a quote", "answeredWithQuote"),
    ("false answers", "falseAnswers"),
)
SPENT = (("budget exceeded", "budgetExceeded"),)
COLUMNS = (*RETRIEVAL, *ANSWERS, *SPENT)
"""Heading and place in a summary. All are percent; ``–`` where the data set has no such gold or the mode no answers."""

HEAD = ("run", "mode", "oracle", "arm", "n")
CALLS = ("calls, mean", "calls, most", "questions beyond the bound")
COSTS = ("tokens, mean", "money, all", "compression", "ready s", "median ms", "p95 ms")


def write_report(runs: Sequence[Path], out: Path) -> str:
    """Write ``report.md``, ``report.csv`` and ``report.json`` over run folders; returns the Markdown.

    A folder without a summary of its own stands for the runs in the folders below it; the audits it holds are shown.
    """
    rows, audits = read_runs(runs), read_audits(runs)
    markdown = f"{_markdown(rows)}\n{_more(rows, audits)}"
    write_page(out / "report.md", markdown)
    figures = _csv(rows)
    write_result(out / "report.csv", figures, figures.partition("\n")[0])
    write_json(out / "report.json", {"schema": SCHEMA, "rows": [_json(row) for row in rows], "audits": audits})
    return markdown


def run_table(run: Path) -> str:
    """The Markdown tables of one run folder."""
    return _markdown(read_runs([run]))


def _markdown(rows: Sequence[ReportRow]) -> str:
    note = "Percent with 95 % bootstrap intervals over questions; times are wall time.\n"
    answering = [row for row in rows if row.record.calls.mean is not None]
    parts = [
        section("Retrieval", _figures(rows, RETRIEVAL)),
        section("Answers", _figures(answering, ANSWERS), _why_not(answering)),
        section("Cost", _costs(rows)),
    ]
    return "\n".join([f"# Evaluation\n\n{note}", *(part for part in parts if part)])


def _more(rows: Sequence[ReportRow], audits: Mapping[str, Any]) -> str:
    parts = [
        section("Calls by stage", _stages(rows)),
        section("Judge", _judges(rows), "The judge is another model; its calls count towards no arm.\n\n"),
        classes(rows),
        calibrations(rows),
        comparisons(rows),
        value_for_money(rows),
    ]
    ours = "\n".join(part for part in parts if part)
    beside = paper_tables(rows, audits)
    return f"{ours}\n# Beside the paper\n\n{_BESIDE}\n{beside}" if beside else ours


_BESIDE = (
    "Rows from `paper` are the paper's own figures. They were made with another model, other background articles and on"
    " another machine.\n"
)


def _figures(rows: Sequence[ReportRow], columns: Sequence[tuple[str, str]]) -> str:
    """The columns of which any row has a figure."""
    found = [[*_head(row), *(shown(figure_of(row.record, place)) for _, place in columns)] for row in rows]
    kept = [at for at in range(len(HEAD) + len(columns)) if at < len(HEAD) or any(row[at] != NONE for row in found)]
    headings = [*HEAD, *(heading for heading, _ in columns)]
    cells = [[row[at] for at in kept] for row in found]
    return table([headings[at] for at in kept], cells) if found else ""


def _why_not(rows: Sequence[ReportRow]) -> str:
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        if (hidden := withheld(row.summary)) is not None:
            reasons.setdefault(hidden.why, {})[f"`{row.run}`"] = None
    return "".join(f"{', '.join(runs)}: {why}\n\n" for why, runs in reasons.items())


def _costs(rows: Sequence[ReportRow]) -> str:
    lines = [[*_head(row), *_calls(row.record), shown(row.record.budget_exceeded), *_spent(row.record)] for row in rows]
    return table([*HEAD, *CALLS, "budget exceeded", *COSTS], lines) if lines else ""


def _stages(rows: Sequence[ReportRow]) -> str:
    stages = list(dict.fromkeys(stage for row in rows for stage in row.record.calls.stages))
    if not stages:
        return ""
    lines = []
    for row in rows:
        mean = row.record.calls.mean
        if mean is not None:
            calls = row.record.calls.stages
            lines.append([*_head(row), *(f"{calls.get(stage, 0) / mean.n:.2f}" for stage in stages)])
    return table([*HEAD, *stages], lines)


def _judges(rows: Sequence[ReportRow]) -> str:
    lines = []
    for row in rows:
        verdicts = row.verdicts
        if verdicts is not None and verdicts.records:
            figure = verdicts.figure(row.summary.seed)
            models = ", ".join(dict.fromkeys(record.model for record in verdicts.records))
            counts = (len(verdicts.right), verdicts.unjudged, verdicts.calls, verdicts.tokens)
            lines.append([*_head(row), models, shown(figure), *map(str, counts)])
    heads = [*HEAD, "judge", "judged right", "judged", "not judged", "calls of the judge", "tokens of the judge"]
    return table(heads, lines) if lines else ""


def _csv(rows: Sequence[ReportRow]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    bounds = ("value", "low", "high")
    writer.writerow([*HEAD, *(f"{place}.{b}" for _, place in COLUMNS for b in bounds), *CALLS, *COSTS])
    for row in rows:
        figures = [figure_of(row.record, place) for _, place in COLUMNS]
        cells = [(f.value, f.low, f.high) if f else ("", "", "") for f in figures]
        costs = [cell.replace(NONE, "") for cell in (*_calls(row.record), *_spent(row.record))]
        writer.writerow([*_head(row), *(cell for group in cells for cell in group), *costs])
    return text.getvalue()


def _json(row: ReportRow) -> dict[str, object]:
    record, summary, hidden = row.record, row.summary, withheld(row.summary)
    figures = {place: figure_of(record, place) for _, place in COLUMNS}
    verdicts = row.verdicts
    return {
        "run": row.run,
        "dataset": summary.dataset,
        "snapshot": summary.snapshot,
        "hiddenTitles": summary.hidden_titles,
        "control": summary.control,
        "mode": summary.mode,
        "oracle": summary.oracle,
        "error": summary.error,
        "model": summary.model,
        "withheld": None if hidden is None else hidden.why,
        "seed": summary.seed,
        "arm": row.arm,
        "n": record.n,
        "figures": {place: figure.model_dump() if figure else None for place, figure in figures.items()},
        "judged": None if verdicts is None else verdicts.json(summary.seed),
        "outcomes": record.outcomes,
        "calibration": {kind: one.model_dump() for kind, one in record.calibration.items()},
        "calls": record.calls.model_dump(),
        "tokens": None if record.tokens is None else record.tokens.model_dump(by_alias=True),
        "cost": record.cost,
        "compression": None if record.compression is None else record.compression.model_dump(),
        "seconds": record.seconds.model_dump(),
    }


def _head(row: ReportRow) -> list[str]:
    oracle, error = row.summary.oracle or NONE, row.summary.error
    judged = oracle if error is None else f"{oracle}, ε {error:g}"
    return [row.run, row.summary.mode, judged if row.arm.startswith("lens") else NONE, row.arm, str(row.record.n)]


def _calls(arm: ArmRecord) -> tuple[str, str, str]:
    """Model calls; ``–`` of an arm that gives no answers."""
    calls = arm.calls
    if calls.mean is None:
        return (NONE, NONE, NONE)
    return (f"{calls.mean.value:.2f}", str(calls.most), str(calls.beyond))


def _spent(arm: ArmRecord) -> list[str]:
    """In the units of ``COSTS``."""
    tokens = None if arm.tokens is None or arm.tokens.mean is None else arm.tokens.mean.value
    compression = None if arm.compression is None else arm.compression.value
    times = arm.seconds
    return [
        plain(tokens, 0),
        plain(arm.cost, 4),
        plain(compression, 4),
        plain(times.ready, 2),
        plain(1000 * times.median.value, 2),
        plain(1000 * times.p95.value, 2),
    ]
