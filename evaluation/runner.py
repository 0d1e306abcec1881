"""A run: arms over questions, one row per question, one summary, schema ``lens.eval/1``.

Arms get a ticket and a text; the gold meets their answers only in :func:`~evaluation.scoring.rows.row_of`.
Questions without an answer are asked after the others and count for nothing but the false answers to them.
Two runs with one seed write equal bytes, but for the values of keys named ``seconds``, also when one of them was killed
on the way and run again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from evaluation.arms.base import FIND, PRINTED, Arm, ArmResult, Together
from evaluation.arms.inside import asks_a_program, embedding_of, indexed_tokens
from evaluation.data.datasets import Dataset, Question, sample_checksums
from evaluation.data.records import ReadyRecord, RowRecord
from evaluation.data.snapshots import Corpus
from evaluation.resume import SCHEMA as DEFINITION_SCHEMA
from evaluation.resume import RunFolder, claimed, code_sha256
from evaluation.scoring.rows import row_of
from evaluation.tally import Tally
from lens_lsp.judge.ledger import Budget
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import UsageError

SCHEMA = "lens.eval/1"
AT_ONCE = 5
"""Questions that a chat model is asked at a time, unless it is said otherwise."""
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
    model: str | None = None
    """The chat model and where it is."""
    scripted: bool = False
    """Whether a program stands in for the model: then no figure of its answers is printed."""
    temperature: float | None = None
    call_seconds: float | None = None
    """The longest that one call may take."""
    at_once: int = 1
    """Questions of an arm that are under way at a time."""
    budget: Budget | None = None
    """What one question may cost; of its requests alone the model's context may take less."""
    context_tokens: int | None = None
    """The context that the settings name for the model; None where its endpoint is asked."""

    @property
    def bound(self) -> int:
        """The most calls that a question may make."""
        return 0 if self.mode == FIND else Budget.of(Mode(self.mode)).calls


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
    anew: bool = False,
) -> dict[str, object]:
    """Run every arm over the selected questions; write ``ARM.rows.jsonl`` and ``summary.json`` below ``out``.

    ``judging`` is how the arms that ask were made; where a program stands in for the model of one it is ``scripted``,
    said or not. The selection is made of the ``unanswerable`` questions apart. A run of the same definition that was
    killed goes on; ``anew`` begins again whatever run is there. Returns the summary. Raises EvaluationError when
    ``out`` holds another run, or something that is not a run, and UsageError for an arm that is not asked together.
    """
    made = list(arms)
    _refuse_together(made, judging.at_once)
    judging = replace(judging, scripted=judging.scripted or any(map(asks_a_program, made)))
    selected = selection.of(questions) + (selection.of(unanswerable) if unanswerable else ())
    chosen = [replace(question, gold=corpus.gold(question.gold)) for question in selected]
    depth = PRINTED + max(len(question.gold.excluded) for question in questions)
    binding = _binding(dataset, corpus, selected) | _conditions(made, judging, selection, seed, depth)
    with claimed(out, _definition(made, judging) | binding, anew=anew) as folder:
        asking = _Asking(folder, dataset, corpus, chosen, depth, judging, progress)
        arms_summary = {arm.name: asking.of(arm).summary(seed) for arm in made}
        summary: dict[str, object] = {"schema": SCHEMA, "model": judging.model} | binding | {"arms": arms_summary}
        folder.finish(summary)
    return summary


def together(arms: Sequence[Arm]) -> bool:
    """Whether all of them may be asked several questions at a time."""
    return not _alone(arms)


def _alone(arms: Sequence[Arm]) -> list[str]:
    return [arm.name for arm in arms if not (isinstance(arm, Together) and arm.waits)]


def _refuse_together(arms: Sequence[Arm], at_once: int) -> None:
    alone = _alone(arms)
    if at_once > 1 and alone:
        raise UsageError(
            f"{alone[0]} is asked one question at a time: it waits for no model, or its corpus changes between "
            "questions; --concurrency is for arms that do nothing but ask a model"
        )


def _definition(arms: Sequence[Arm], judging: Judging) -> dict[str, object]:
    """What decides a run's result and stands in no summary as it is."""
    return {
        "schema": DEFINITION_SCHEMA,
        "code": code_sha256(),
        "arms": [arm.name for arm in arms],
        "model": judging.model,
        "temperature": judging.temperature,
        "callSeconds": judging.call_seconds,
    }


def _conditions(
    arms: Sequence[Arm], judging: Judging, selection: Selection, seed: int, depth: int
) -> dict[str, object]:
    """Under what conditions a run's questions are asked."""
    embeddings = {arm.name: model for arm in arms if (model := embedding_of(arm)) is not None}
    return {
        "mode": judging.mode,
        "oracle": judging.oracle,
        "error": judging.error,
        "scripted": judging.scripted,
        "budget": None if judging.budget is None else _limits(judging.budget),
        "contextTokens": judging.context_tokens,
        "embeddings": embeddings,
        "atOnce": judging.at_once,
        "seed": seed,
        "half": selection.half,
        "limit": selection.limit,
        "depth": depth,
    }


def _limits(budget: Budget) -> dict[str, object]:
    """What of a budget settings may change; the rest is the mode's and the code's."""
    return {
        "calls": budget.calls,
        "tokens": budget.tokens,
        "seconds": budget.seconds,
        "cost": budget.cost,
        "callSeconds": budget.call_seconds,
    }


def _binding(dataset: Dataset, corpus: Corpus, selected: Sequence[Question]) -> dict[str, object]:
    """What the figures of a run are bound to, by checksum: the questions, their order, the data and the corpus."""
    sample, order = sample_checksums([question.id for question in selected])
    return {
        "dataset": dataset.name,
        "snapshot": dataset.snapshot,
        "hiddenTitles": corpus.hidden_titles,
        "control": corpus.control,
        "shards": corpus.shards,
        "corpus": {"files": corpus.files, "filesSha256": corpus.files_sha256},
        "questions": {"n": len(selected), "sampleIdsSha256": sample, "orderSha256": order},
        "nested": [asdict(binding) for binding in corpus.nested],
        "data": dict(sorted(dataset.checksums.items())),
    }


@dataclass(frozen=True, slots=True)
class _Asking:
    """One run's questions, put to one arm after the other; rows that are in its folder already are not asked again."""

    folder: RunFolder
    dataset: Dataset
    corpus: Corpus
    questions: Sequence[Question]
    depth: int
    judging: Judging
    progress: Progress | None

    def of(self, arm: Arm) -> Tally:
        """What an arm's rows come to."""
        rows = self.folder.rows(arm.name, [question.id for question in self.questions])
        ready = self.folder.ready(arm.name)
        try:
            if ready is None or len(rows) < len(self.questions):
                ready = ReadyRecord(seconds=arm.prepare(self.corpus.folder), tokens=indexed_tokens(arm))
                self.folder.keep_ready(arm.name, ready)
            rows += self._asked(arm, len(rows))
        finally:
            arm.close()
        tally = Tally(self.judging.bound, ready)
        for question, row in zip(self.questions, rows, strict=True):
            tally.add(row, answerable=question.gold.answerable)
        return tally

    def _asked(self, arm: Arm, done: int) -> Iterator[RowRecord]:
        left = self.questions[done:]
        with self.folder.appending(arm.name) as rows, closing(self._results(arm, left)) as results:
            for number, (question, result) in enumerate(zip(left, results, strict=True), done + 1):
                row = row_of(
                    question.id,
                    result,
                    question.gold,
                    sentences=self.corpus.quoted(question.gold.support),
                    known_item=self.dataset.is_workspace,
                )
                rows.write(row)
                if self.progress is not None:
                    self.progress(arm.name, number, len(self.questions))
                yield RowRecord.model_validate(row)

    def _results(self, arm: Arm, asked: Sequence[Question]) -> Generator[ArmResult, None, None]:
        pairs = [(question.ticket, question.text) for question in asked]
        if pairs and self.judging.at_once > 1 and isinstance(arm, Together):
            yield from arm.search_all(pairs, self.depth, self.judging.at_once)
            return
        for ticket, text in pairs:
            yield arm.search(ticket, text, self.depth)
