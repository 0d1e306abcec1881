"""``lens eval report|failures|judge``: what is made of run folders."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.data.datasets import Question, open_dataset, questions
from evaluation.data.fullwiki import open_shards
from evaluation.data.records import SummaryRecord, TracedRowRecord
from evaluation.data.snapshots import Corpus, open_corpus
from evaluation.reporting.failures import Case, failure_of, failures_page
from evaluation.reporting.plots import write_plots
from evaluation.reporting.reading import ReportRow, read_runs, read_summary, withheld
from evaluation.reporting.tables import write_report
from evaluation.results import write_page
from evaluation.scoring.judge import Judged, Verdicts, judge
from lens_lsp.model.errors import EvaluationError, UsageError

if TYPE_CHECKING:
    from lens_lsp.judge.llm.chat_model import ChatModel

Progress = Callable[[str, int, int], None]


def report(args: argparse.Namespace) -> None:
    """Write the tables and print them; then the pictures. Raises MissingExtra when those cannot be drawn."""
    print(write_report(args.runs, args.out), end="")
    if args.plots:
        write_plots(read_runs(args.runs), args.out)


def failures(args: argparse.Namespace) -> None:
    """Write the page of one arm's failures."""
    row = _row(args.run, args.arm)
    asked = _asked(row.summary, args.dataset)
    corpus = _corpus(args, row.summary)
    hidden = withheld(row.summary)
    done = row.read(TracedRowRecord)
    cases = []
    for one in done:
        question = asked[one.id]
        gold = corpus.gold(question.gold)
        why = failure_of(one, gold, hidden=hidden)
        if why is not None:
            cases.append(Case(question.text, gold, corpus.quoted(gold.support), one, why))
    title = f"Failures of {row.arm}: {row.summary.dataset} {row.summary.snapshot}, {row.summary.mode}"
    write_page(args.out, failures_page(title, cases, len(done), None if hidden is None else hidden.why))
    print(f"{len(cases)} of {len(done)} questions: {args.out}")


def judged(args: argparse.Namespace, model: ChatModel, progress: Progress | None) -> None:
    """Have the answers of one arm judged, and say what came of it."""
    row = _row(args.run, args.arm)
    asked = _asked(row.summary, args.dataset)
    wanted = [
        Judged(one.id, asked[one.id].text, asked[one.id].gold.answers, one.answer.short or one.answer.text)
        for one in row.questions
        if one.answer is not None and asked[one.id].gold.answers
    ]
    if not wanted:
        raise UsageError(f"{args.run} holds no answers of {row.arm} that could be judged")
    verdicts = asyncio.run(_judged(model, wanted, row, progress))
    figure = verdicts.figure(row.summary.seed)
    share = "none" if figure is None or row.verdicts is None else f"{figure.value:.1f} %"
    print(f"{row.arm}: {share} judged right of {len(verdicts.right)}, {verdicts.unjudged} not judged")
    print(f"judge: {verdicts.calls} calls, {verdicts.tokens:,} tokens")


async def _judged(model: ChatModel, wanted: list[Judged], row: ReportRow, progress: Progress | None) -> Verdicts:
    def step(done: int, total: int) -> None:
        if progress is not None:
            progress(row.arm, done, total)

    try:
        return await judge(model, wanted, row.folder, row.arm, progress=step)
    finally:
        await model.aclose()


def _row(run: Path, arm: str) -> ReportRow:
    summary = read_summary(run)
    if arm not in summary.arms:
        raise UsageError(f"{run} has no arm {arm!r}; it has {', '.join(summary.arms)}")
    return ReportRow(run, summary, arm)


def _asked(summary: SummaryRecord, folder: Path) -> dict[str, Question]:
    """The questions of a run by id, gold and all. Raises EvaluationError for another data set."""
    dataset = open_dataset(folder, summary.snapshot, elsewhere=summary.shards)
    if dataset.name != summary.dataset:
        raise EvaluationError(f"the run is of {summary.dataset}, not of {dataset.name}")
    return {one.id: one for one in (*questions(dataset), *questions(dataset, answerable=False))}


def _corpus(args: argparse.Namespace, summary: SummaryRecord) -> Corpus:
    dataset = open_dataset(args.dataset, summary.snapshot, elsewhere=summary.shards)
    corpus = open_shards(args.corpus, dataset) if summary.shards else open_corpus(args.corpus, dataset)
    if corpus.hidden_titles != summary.hidden_titles:
        raise EvaluationError(f"{args.corpus} is not the corpus of the run: one of the two has its titles hidden")
    return corpus
