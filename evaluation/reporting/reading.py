"""Run folders as a report reads them: summaries without the figures that say nothing, rows, and verdicts of a judge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from evaluation.data.records import ArmRecord, FigureRecord, RowRecord, SummaryRecord
from evaluation.scoring.judge import Verdicts, read_verdicts
from lens_lsp.model.errors import EvaluationError

AUDITS = "audits.json"
Row = TypeVar("Row", bound=RowRecord)
_SUMMARY = "summary.json"


@dataclass(frozen=True, slots=True)
class Withheld:
    """Figures that a run has and that say nothing: why, as a sentence, and which, by place or by group."""

    why: str
    names: frozenset[str]

    def covers(self, place: str) -> bool:
        """Whether the figure at a place such as ``ground.strict`` is one of them."""
        return place.partition(".")[0] in self.names


_GROUPS = frozenset({"evidenceRecall", "ground"})
_WORDED = frozenset({"em", "f1"})
_JUDGED = _WORDED | {"judged"}
_SAID = _JUDGED | {"evidenceRecall", "ground", "allGoldProven", "answered", "answeredWithQuote", "falseAnswers"}
_SCRIPTED = Withheld(
    "A program stood in for the model: what it says and cites is no quality of any arm, and no figure of it is shown.",
    _SAID,
)
_BY_ORACLE = {
    "answer-key": Withheld("The answer key quotes gold and words no answer: exact match and F1 mean nothing.", _JUDGED),
    "offline": Withheld(
        "The rules show passages and seldom word an answer: exact match and F1 would count how often.", _WORDED
    ),
}


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One arm of one run."""

    folder: Path
    summary: SummaryRecord
    arm: str

    @property
    def run(self) -> str:
        """The name of the run's folder."""
        return self.folder.absolute().name

    @property
    def record(self) -> ArmRecord:
        """What the summary says about the arm."""
        return self.summary.arms[self.arm]

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """The scores of each question by its id, without those that are withheld."""
        hidden = withheld(self.summary)
        return {
            row.id: {name: value for name, value in row.scores.items() if hidden is None or not hidden.covers(name)}
            for row in self.questions
        }

    @property
    def questions(self) -> list[RowRecord]:
        """What the arm did, question by question. Raises EvaluationError when it cannot be read."""
        return self.read(RowRecord)

    def read(self, kind: type[Row]) -> list[Row]:
        """The arm's rows, as much of each as a record of a kind holds. Raises EvaluationError for what is no row."""
        path = self.folder / f"{self.arm}.rows.jsonl"
        try:
            return [kind.model_validate_json(line) for line in path.read_bytes().split(b"\n") if line]
        except (OSError, ValidationError) as error:
            raise EvaluationError(f"{path} cannot be read as rows of a run ({error})") from error

    @property
    def verdicts(self) -> Verdicts | None:
        """What a judge said of the answers; ``None`` where none was asked, and where it is withheld."""
        hidden = withheld(self.summary)
        return None if hidden is not None and hidden.covers("judged") else read_verdicts(self.folder, self.arm)


def withheld(summary: SummaryRecord) -> Withheld | None:
    """What of a run's figures is left out of every report; ``None`` for nothing."""
    return _SCRIPTED if summary.scripted else _BY_ORACLE.get(summary.oracle or "")


def read_summary(folder: Path) -> SummaryRecord:
    """The summary of a run folder, without the figures that are `withheld`.

    Raises EvaluationError when there is none or it is not one of ours.
    """
    path = folder / _SUMMARY
    try:
        summary = SummaryRecord.model_validate_json(path.read_bytes())
    except OSError as error:
        raise EvaluationError(f"{folder} is not a run: it has no {_SUMMARY}") from error
    except ValueError as error:
        raise EvaluationError(f"{path} is not a summary of schema lens.eval/1") from error
    hidden = withheld(summary)
    if hidden is None:
        return summary
    arms = {name: _without(arm, hidden) for name, arm in summary.arms.items()}
    return summary.model_copy(update={"arms": arms})


def read_runs(runs: Sequence[Path]) -> list[ReportRow]:
    """Every arm of every run. A folder without a summary of its own stands for the runs in the folders below it."""
    rows = []
    for folder in [below for run in runs for below in _run_folders(run)]:
        summary = read_summary(folder)
        rows += [ReportRow(folder, summary, arm) for arm in summary.arms]
    return rows


def read_audits(runs: Sequence[Path]) -> dict[str, object]:
    """The audits in the folders that have some, by name; of two of a name the last."""
    found: dict[str, object] = {}
    for path in (run / AUDITS for run in runs):
        if path.is_file():
            try:
                found |= json.loads(path.read_bytes())["audits"]
            except (ValueError, KeyError, TypeError) as error:
                raise EvaluationError(f"{path} is not one of lens.audits/1") from error
    return found


def figure_of(arm: ArmRecord, place: str) -> FigureRecord | None:
    """The figure at a place such as ``documentRecall.5``; ``None`` where the arm has none."""
    name, _, key = place.partition(".")
    single = {
        "em": arm.em,
        "f1": arm.f1,
        "allGold10": arm.all_gold,
        "answered": arm.answered,
        "answeredWithQuote": arm.answered_with_quote,
        "falseAnswers": arm.false_answers,
        "allGoldProven": arm.all_gold_proven,
        "budgetExceeded": arm.budget_exceeded,
    }
    if name in single:
        return single[name]
    groups: Mapping[str, Mapping[str, FigureRecord | None] | None] = {
        "documentRecall": arm.document_recall,
        "spanHit": arm.span_hit,
        "knownItem": arm.known_item,
        "evidenceRecall": arm.evidence_recall,
        "ground": arm.ground,
    }
    return (groups[name] or {}).get(key)


def _without(arm: ArmRecord, hidden: Withheld) -> ArmRecord:
    """An arm without some figures, and without what is counted from exact matches."""
    fields = {field.alias or name: name for name, field in ArmRecord.model_fields.items()}
    empty: dict[str, object] = {fields[name]: {} if name in _GROUPS else None for name in hidden.names & fields.keys()}
    kept = {} if hidden is _SCRIPTED else {kind: one for kind, one in arm.calibration.items() if kind != "answers"}
    return arm.model_copy(update={**empty, "outcomes": None, "calibration": kept})


def _run_folders(run: Path) -> list[Path]:
    if (run / _SUMMARY).is_file():
        return [run]
    below = sorted(path.parent for path in run.glob(f"*/{_SUMMARY}"))
    if not below and not (run / AUDITS).is_file():
        raise EvaluationError(f"{run} is not a run: it has no {_SUMMARY}")
    return below
