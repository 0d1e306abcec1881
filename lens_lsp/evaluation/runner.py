"""A run: arms over questions, one row per question, one summary, schema ``lens.eval/1``.

Arms get an id and a text; the gold meets their answers only in :func:`~lens_lsp.evaluation.scoring.metrics.score`.
Questions without an answer are asked after the others and count for nothing but the false answers to them.
Two runs with one seed write equal bytes, but for the values of keys named ``seconds``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lens_lsp.domain.answer import Answer, Status
from lens_lsp.domain.errors import EvaluationError, UsageError
from lens_lsp.domain.observation import Verdict
from lens_lsp.evaluation.arms.base import FIND, PRINTED, Arm, ArmResult, cited
from lens_lsp.evaluation.arms.indexes import WINDOW
from lens_lsp.evaluation.data.datasets import Dataset, Gold, Question
from lens_lsp.evaluation.data.snapshots import Corpus
from lens_lsp.evaluation.scoring.metrics import Worded, score
from lens_lsp.evaluation.scoring.statistics import mean, percentile
from lens_lsp.oracle.ledger import Budget
from lens_lsp.wire.evidence import account_json

SCHEMA = "lens.eval/1"
KINDS = ("strict", "compatible")
"""How evidence recall and ground are counted."""

Progress = Callable[[str, int, int], None]
"""Called with the arm's name, questions done and questions to do."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of the visible questions: constants are chosen on the first half and reported on the second."""

    half: str = "all"
    limit: int | None = None

    def of(self, questions: Sequence[Question]) -> tuple[Question, ...]:
        """The selected questions in order. Raises UsageError when none is left."""
        middle = (len(questions) + 1) // 2
        parts = {"all": questions, "first": questions[:middle], "second": questions[middle:]}
        chosen = tuple(parts[self.half][: self.limit])
        if not chosen:
            raise UsageError("no questions selected")
        return chosen


@dataclass(frozen=True, slots=True)
class Judging:
    """How ``lens`` searches in a run, who judges there, and how often the answer key is wrong; None without one."""

    mode: str = FIND
    oracle: str | None = None
    error: float | None = None


@dataclass(slots=True)
class _Tally:
    """What one arm did, question by question."""

    ready: float
    known_item: bool
    seconds: list[float] = field(default_factory=list)
    scores: dict[str, list[float]] = field(default_factory=dict)
    long_windows: int = 0
    calls: list[float] = field(default_factory=list)
    beyond: int = 0
    """Questions with more calls than the mode may make."""
    stopped: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)

    def add(self, result: ArmResult, gold: Gold, sentences: Sequence[str]) -> dict[str, float]:
        """Count one result; its scores come back."""
        scores = {} if result.answer is None else self._of_answer(result.answer, answerable=gold.answerable)
        if gold.answerable:
            self.seconds.append(result.seconds)
            self.long_windows += sum(end - start > WINDOW for _, start, end in result.windows)
            worded = None if result.answer is None else _worded(result.answer)
            scores |= score(
                result.documents,
                result.windows,
                gold,
                known_item=self.known_item,
                answer=worded,
                shown=[str(item["quote"]) for item in result.evidence],
                sentences=sentences,
            )
        for name, value in scores.items():
            self.scores.setdefault(name, []).append(value)
        return scores

    def _of_answer(self, answer: Answer, *, answerable: bool) -> dict[str, float]:
        calls = sum(answer.account.calls.values())
        self.calls.append(calls)
        self.beyond += calls > Budget.of(answer.mode).calls
        self.stopped[answer.stopped.value] += 1
        self.tokens += Counter({"in": answer.account.tokens_in, "out": answer.account.tokens_out})
        answered = answer.status is Status.ANSWERED
        scores = {"answered" if answerable else "falseAnswers": float(answered)}
        return scores | ({"answeredWithQuote": float(any(item.quote for item in cited(answer)))} if answered else {})


def _worded(answer: Answer) -> Worded:
    shown = cited(answer)
    proving = tuple(item.path for item in shown if item.verdict == Verdict.FULL)
    return Worded(answer.text, tuple(item.quote for item in shown), proving)


def run(
    dataset: Dataset,
    corpus: Corpus,
    questions: Sequence[Question],
    arms: Iterable[Arm],
    out: Path,
    *,
    seed: int = 0,
    selection: Selection = Selection(),
    progress: Progress | None = None,
    judging: Judging = Judging(),
    unanswerable: Sequence[Question] = (),
) -> dict[str, object]:
    """Run every arm over the selected questions; write ``ARM.rows.jsonl`` and ``summary.json`` below ``out``.

    ``judging`` is how the arms of ``lens`` were made. The selection is made of the ``unanswerable`` questions apart.
    Returns the summary. Raises EvaluationError when ``out`` holds something that is not a run.
    """
    selected = selection.of(questions) + (selection.of(unanswerable) if unanswerable else ())
    chosen = [replace(question, gold=corpus.gold(question.gold)) for question in selected]
    sentences = {question.id: corpus.quoted(question.gold.support) for question in chosen}
    _claim(out)
    depth = PRINTED + max(len(question.gold.excluded) for question in questions)
    tallies = {}
    for arm in arms:
        try:
            tally = _Tally(arm.prepare(corpus.folder), known_item=dataset.is_workspace)
            _ask(arm, chosen, sentences, tally=tally, depth=depth, out=out, progress=progress)
        finally:
            arm.close()
        tallies[arm.name] = tally
    summary: dict[str, object] = {
        "schema": SCHEMA,
        "dataset": dataset.name,
        "snapshot": dataset.snapshot,
        "hiddenTitles": corpus.hidden_titles,
        "corpus": {"files": corpus.files, "filesSha256": corpus.files_sha256},
        "mode": judging.mode,
        "oracle": judging.oracle,
        "error": judging.error,
        "seed": seed,
        "half": selection.half,
        "limit": selection.limit,
        "depth": depth,
        "arms": {name: _summary(tally, seed) for name, tally in tallies.items()},
    }
    (out / "summary.json").write_text(json.dumps(summary, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return summary


def _claim(out: Path) -> None:
    """Make ``out``, or empty the run that is there; anything else in it is not ours to touch."""
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(out.iterdir()):
        if path.name != "summary.json" and not path.name.endswith(".rows.jsonl"):
            raise EvaluationError(f"{out} holds {path.name}, which is no part of a run: give another folder")
    for path in out.iterdir():
        path.unlink()


def _ask(
    arm: Arm,
    questions: Sequence[Question],
    sentences: Mapping[str, Sequence[str]],
    *,
    tally: _Tally,
    depth: int,
    out: Path,
    progress: Progress | None,
) -> None:
    with open(out / f"{arm.name}.rows.jsonl", "w", encoding="utf-8", newline="\n") as rows:
        for done, question in enumerate(questions, 1):
            result = arm.search(question.id, question.text, depth)
            scores = tally.add(result, question.gold, sentences[question.id])
            rows.write(json.dumps(_row(question.id, result, scores), ensure_ascii=False) + "\n")
            if progress is not None:
                progress(arm.name, done, len(questions))


def _row(question_id: str, result: ArmResult, scores: Mapping[str, float]) -> dict[str, object]:
    return {
        "id": question_id,
        "documents": list(result.documents),
        "windows": [list(window) for window in result.windows],
        "evidence": list(result.evidence),
        "answer": None if result.answer is None else _answer(result.answer),
        "ledger": account_json(result.account),
        "scores": dict(sorted(scores.items())),
    }


def _answer(answer: Answer) -> dict[str, object]:
    return {
        "status": answer.status.value,
        "stopped": answer.stopped.value,
        "short": answer.short,
        "text": answer.text,
    }


def _summary(tally: _Tally, seed: int) -> dict[str, object]:
    """One arm of a summary; what a mode without answers or without a model cannot have is ``null``."""
    figures = {name: mean(values, seed=seed).json(scale=100) for name, values in tally.scores.items()}
    return {
        "n": len(tally.seconds),
        "em": None,
        "f1": None,
        "documentRecall": _group(figures, "documentRecall"),
        "allGold10": figures["allGold10"],
        "spanHit": _group(figures, "spanHit"),
        "knownItem": _group(figures, "knownItem"),
        "evidenceRecall": {kind: figures.get(f"evidenceRecall.{kind}") for kind in KINDS},
        "ground": {kind: figures.get(f"ground.{kind}") for kind in KINDS},
        "allGoldProven": figures.get("allGoldProven"),
        "answered": figures.get("answered"),
        "answeredWithQuote": figures.get("answeredWithQuote"),
        "falseAnswers": figures.get("falseAnswers"),
        "calls": {
            "total": int(sum(tally.calls)),
            "mean": mean(tally.calls, seed=seed).json() if tally.calls else None,
            "most": int(max(tally.calls, default=0)),
            "beyond": tally.beyond,
        },
        "stopped": dict(sorted(tally.stopped.items())),
        "tokens": {"in": tally.tokens["in"], "out": tally.tokens["out"]},
        "longWindows": tally.long_windows,
        "seconds": {
            "ready": round(tally.ready, 4),
            "median": percentile(tally.seconds, 50, seed=seed).json(digits=6),
            "p95": percentile(tally.seconds, 95, seed=seed).json(digits=6),
        },
    }


def _group(figures: Mapping[str, dict[str, float]], name: str) -> dict[str, dict[str, float]] | None:
    found = {key.removeprefix(f"{name}."): figure for key, figure in figures.items() if key.startswith(f"{name}.")}
    return found or None
