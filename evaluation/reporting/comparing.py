"""Arms of one run against each other, question by question, and what quality costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby

from evaluation.data.records import RowRecord
from evaluation.reporting.markdown import NONE, section, shown, table
from evaluation.reporting.reading import ReportRow, withheld
from evaluation.scoring.comparing import McNemar, difference, mcnemar, per_unit
from evaluation.scoring.taxonomy import Outcome

_EM = "em"
_COMPARED = (("EM", _EM), ("strict evidence recall", "evidenceRecall.strict"), ("R@5", "documentRecall.5"))
_THOUSAND = 1_000

Scores = Mapping[str, Mapping[str, float]]
"""Of each question by its id."""


def comparisons(rows: Sequence[ReportRow]) -> str:
    """The first arm of a run against each other one, and each against its controls and ablations, on what both have."""
    lines = []
    for _, group in groupby(rows, key=lambda row: row.folder):
        scored = [(row, row.scores) for row in group]
        for (first, ours), (second, others) in combinations(scored, 2):
            if first is scored[0][0] or second.arm.startswith(f"{first.arm}-"):
                lines += [
                    [first.run, first.arm, second.arm, *cells] for cells in _compared(ours, others, first.summary.seed)
                ]
    note = (
        "Second arm minus first, in points, over the questions that both have; the interval is a paired bootstrap's."
        " McNemar counts questions that only one of the two got right; p is exact and two-sided.\n\n"
    )
    heads = ["run", "first", "second", "figure", "n", "difference", "only first", "only second", "p"]
    return section("Arm against arm", table(heads, lines) if lines else "", note)


def _compared(ours: Scores, others: Scores, seed: int) -> Iterator[list[str]]:
    for label, name in _COMPARED:
        shared = [key for key, scores in ours.items() if name in scores and name in others.get(key, {})]
        if not shared:
            continue
        a, b = ([scores[key][name] for key in shared] for scores in (ours, others))
        change = difference([100 * value for value in a], [100 * value for value in b], seed=seed)
        test = tested_em(ours, others) if name == _EM else None
        tested = [NONE] * 3 if test is None else [str(test.only_first), str(test.only_second), f"{test.p:.4f}"]
        yield [label, str(len(shared)), shown(change), *tested]


def tested_em(ours: Scores, others: Scores) -> McNemar | None:
    """McNemar's test by exact match over the questions that both have; ``None`` without any."""
    shared = [key for key, scores in ours.items() if _EM in scores and _EM in others.get(key, {})]
    return mcnemar(*([scores[key][_EM] for key in shared] for scores in (ours, others))) if shared else None


def value_for_money(rows: Sequence[ReportRow]) -> str:
    """Exact matches and gold found for a call and for a thousand tokens."""
    lines = []
    for row in rows:
        hidden = withheld(row.summary)
        questions = row.questions if row.record.calls.total else []
        for label, name in _COMPARED[:2]:
            scored = [one for one in questions if one.answer is not None and name in one.scores]
            if scored and (hidden is None or not hidden.covers(name)):
                lines.append([row.run, row.arm, label, str(len(scored)), *_worth(scored, name, row.summary.seed)])
    heads = ["run", "arm", "figure", "n", "a call", "a thousand tokens"]
    return section(
        "Quality for what it cost", table(heads, lines) if lines else "", "Points for a call or 1,000 tokens.\n\n"
    )


def _worth(scored: Sequence[RowRecord], name: str, seed: int) -> list[str]:
    values = [100 * one.scores[name] for one in scored]
    calls = [float(one.ledger.calls["total"]) for one in scored]
    tokens = [float(sum(one.ledger.tokens.values())) for one in scored]
    return [
        shown(per_unit(values, spent, unit=unit, seed=seed), 2) for spent, unit in ((calls, 1.0), (tokens, _THOUSAND))
    ]


def classes(rows: Sequence[ReportRow]) -> str:
    """Questions by class of failure, in the paper's order."""
    lines = []
    for row in rows:
        outcomes = row.record.outcomes
        if outcomes:
            total = sum(outcomes.values())
            shares = [f"{outcomes.get(one, 0)} ({100 * outcomes.get(one, 0) / total:.1f} %)" for one in Outcome]
            lines.append([row.run, row.arm, str(total), *shares])
    heads = ["run", "arm", "n", *(one.value for one in Outcome)]
    return section("What became of the questions", table(heads, lines) if lines else "")


def calibrations(rows: Sequence[ReportRow]) -> str:
    """The calibration error of each arm that says how sure it is."""
    lines = [
        [row.run, row.arm, kind, str(one.n), f"{one.ece:.3f}"]
        for row in rows
        for kind, one in row.record.calibration.items()
    ]
    heads = ["run", "arm", "claims of", "n", "ECE"]
    return section("Calibration", table(heads, lines) if lines else "")
