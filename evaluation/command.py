"""``lens eval prepare|run|report|audit|gate|docsqa``: arguments in, a result on stdout, progress on stderr.

Light on purpose: it is imported whenever ``lens`` starts, so everything that does work is imported when it
runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evaluation.arguments import add_parser as add_parser
from lens_lsp.model.errors import UsageError

if TYPE_CHECKING:
    from evaluation.arms.base import Arm
    from evaluation.arms.dense import Embedder
    from evaluation.audits.controls import Make, Setting
    from evaluation.data.datasets import Dataset, Question
    from evaluation.data.snapshots import Corpus
    from evaluation.runner import Judging, Progress
    from lens_lsp.app.oracle_factory import OracleFactory

    ModelMaker = Callable[[argparse.Namespace], OracleFactory]
    """From parsed arguments to who judges by a chat model."""
    EmbedderMaker = Callable[[argparse.Namespace], Embedder]
    """From parsed arguments to who makes the vectors of the arm ``hybrid``."""

OK = 0
FAILED = 1


def run(args: argparse.Namespace, model: ModelMaker | None = None, embedder: EmbedderMaker | None = None) -> int:
    """Carry out a parsed ``eval`` command; returns the exit status. ``model`` makes the chat model of a run that is to
    be judged by one, ``embedder`` what makes vectors: which they are, and whether they may be sent a corpus, is not
    known here. Raises LensError."""
    if args.eval_command == "run":
        return _run(args, model, embedder)
    if args.eval_command == "judge":
        return _judge(args, model)
    commands = {
        "prepare": _prepare,
        "report": _report,
        "failures": _failures,
        "audit": _audit,
        "gate": _gate,
        "docsqa": _docsqa,
    }
    return commands[args.eval_command](args)


def _prepare(args: argparse.Namespace) -> int:
    from evaluation.data.fullwiki import unpack
    from evaluation.data.snapshots import manifest_path, prepare

    if args.unpack:
        done = unpack(args.dataset, args.out)
        print(f"{done.files} shards, {done.bytes:,} bytes in {args.out}, {done.seconds:.1f} s")
        return OK
    if args.snapshot is None:
        raise UsageError("--snapshot says which corpus to write")
    corpus = prepare(args.dataset, args.snapshot, args.out, hide_titles=args.hide_titles)
    print(f"{corpus.files} files in {args.out}, sha256 {corpus.files_sha256}")
    print(f"manifest: {manifest_path(args.out)}")
    return OK


def _run(args: argparse.Namespace, model: ModelMaker | None, embedder: EmbedderMaker | None) -> int:
    from evaluation.arms.base import FIND
    from evaluation.data.datasets import open_dataset, questions
    from evaluation.data.fullwiki import open_shards
    from evaluation.data.snapshots import open_corpus
    from evaluation.reporting.tables import run_table
    from evaluation.runner import Selection
    from evaluation.runner import run as run_arms

    judging = _judging(args)
    dataset = open_dataset(args.dataset, args.snapshot, elsewhere=args.fullwiki is not None)
    asked, unanswerable = questions(dataset), questions(dataset, answerable=False)
    corpus = open_corpus(args.corpus, dataset) if args.fullwiki is None else open_shards(args.fullwiki, dataset)
    factory = _factory(args, judging, [*asked, *unanswerable], corpus, model)
    setting = _setting(args, dataset, corpus, asked, _maker(args, corpus, asked, factory, embedder))
    if factory is not None:
        judging = replace(judging, budget=factory.budget)
        if factory.model is not None:
            judging = _by_model(args, judging, factory, setting.arms)
    selection = Selection(args.half, args.limit)
    beside = () if args.mode == FIND or setting.corpus.control else unanswerable
    if args.estimate or (factory is not None and factory.model is not None):
        count = len(selection.of(setting.questions)) + len(selection.of(beside) if beside else ())
        _tell_cost(args, factory, [arm.name for arm in setting.arms], count)
        if args.estimate:
            return OK
    run_arms(
        dataset,
        setting.corpus,
        setting.questions,
        setting.arms,
        args.out,
        seed=args.seed,
        selection=selection,
        progress=_progress(),
        judging=judging,
        unanswerable=beside,
        anew=args.anew,
    )
    print(run_table(args.out), end="")
    return OK


def _by_model(args: argparse.Namespace, judging: Judging, factory: OracleFactory, arms: Sequence[Arm]) -> Judging:
    """With the chat model that judges; several questions are asked at a time by default where every arm allows it."""
    from evaluation.runner import AT_ONCE, together

    return replace(
        judging,
        model=factory.model_name,
        scripted=args.scripted,
        temperature=args.temperature,
        call_seconds=args.call_seconds,
        context_tokens=factory.settings.model.context_tokens,
        at_once=args.concurrency or (AT_ONCE if together(arms) else 1),
    )


def _maker(
    args: argparse.Namespace,
    corpus: Corpus,
    asked: Sequence[Question],
    factory: OracleFactory | None,
    embedder: EmbedderMaker | None,
) -> Make:
    """Makes the arms that were asked for."""
    from evaluation.arms.making import make_arms
    from evaluation.arms.minilm import MiniLm

    return lambda: make_arms(
        args.arm,
        args.ablate,
        windows=corpus.shards or any(question.gold.spans for question in asked),
        factory=factory,
        seed=args.seed,
        embedder=MiniLm if embedder is None else partial(embedder, args),
        vectors=corpus.folder.absolute().parent,
    )


def _tell_cost(args: argparse.Namespace, factory: OracleFactory | None, arms: Sequence[str], count: int) -> None:
    """Say what the run will cost: on stdout when that is all that was asked for."""
    from evaluation.estimate import estimate

    text = "no model is called: no cost\n"
    if factory is not None and factory.model is not None:
        text = estimate(arms, count, factory.mode, factory.prices).text
    print(text, end="", file=sys.stdout if args.estimate else sys.stderr)


def _setting(
    args: argparse.Namespace, dataset: Dataset, corpus: Corpus, asked: Sequence[Question], make: Make
) -> Setting:
    """The arms as they are, or each beside itself over a corpus that was changed."""
    from evaluation.audits.controls import IN_CONTEXT, Setting, in_context, since, without_gold

    if corpus.shards:
        from evaluation.arms.shards import ShardArm

        if args.control or args.since:
            raise UsageError("a control changes a prepared corpus: leave out --fullwiki")
        return Setting(corpus, tuple(asked), tuple(ShardArm(arm) for arm in make()))
    if args.since is not None and args.control is not None:
        raise UsageError("--since is a control of its own: leave out --control")
    if args.since is not None:
        return since(dataset, corpus, asked, make, args.since)
    if args.control is None:
        return Setting(corpus, tuple(asked), tuple(make()))
    if args.control == IN_CONTEXT:
        return in_context(dataset, corpus, asked, make)
    return without_gold(corpus, asked, make)


def _judging(args: argparse.Namespace) -> Judging:
    """Who judges in the mode that was asked for. Raises UsageError for what does not fit."""
    from evaluation.runner import Judging

    calling = args.mode in ("fast", "deep")
    chosen: str = args.oracle or ("chat" if calling else "offline")
    if calling == (chosen == "offline"):
        fitting = "chat or answer-key" if calling else "offline"
        raise UsageError(f"--mode {args.mode} is not judged by --oracle {chosen}; choose {fitting}")
    if (args.concurrency or 1) > 1 and chosen != "chat":
        raise UsageError("--concurrency is for arms that ask a chat model: use --mode fast or deep with --oracle chat")
    if chosen == "answer-key":
        return Judging(args.mode, chosen, args.error or 0.0)
    if args.error is not None:
        raise UsageError("--error is that of --oracle answer-key: add it")
    return Judging(args.mode, None if args.mode == "find" else chosen)


def _factory(
    args: argparse.Namespace,
    judging: Judging,
    asked: Iterable[Question],
    corpus: Corpus,
    model: ModelMaker | None,
) -> OracleFactory | None:
    """Who judges; None where nobody does."""
    from evaluation.answer_key import AnswerKeyFactory
    from evaluation.arms.calling import HeldModel
    from lens_lsp.app.oracle_factory import OracleFactory
    from lens_lsp.model.answer import Mode

    if judging.oracle is None:
        return None
    if judging.oracle == "offline":
        return OracleFactory()
    if judging.error is not None:
        return AnswerKeyFactory.of(Mode(judging.mode), asked, corpus, error=judging.error, seed=args.seed)
    factory = None if model is None else model(args)
    if factory is None or factory.model is None:
        raise UsageError("there is no model to judge; --oracle answer-key needs none")
    held = HeldModel(factory.model, args.temperature, float(args.call_seconds))
    return replace(factory, mode=Mode(judging.mode), model=held)


def _report(args: argparse.Namespace) -> int:
    from evaluation.reporting.command import report

    report(args)
    return OK


def _failures(args: argparse.Namespace) -> int:
    from evaluation.reporting.command import failures

    failures(args)
    return OK


def _judge(args: argparse.Namespace, model: ModelMaker | None) -> int:
    from evaluation.reporting.command import judged

    factory = None if model is None else model(args)
    if factory is None or factory.model is None:
        raise UsageError("there is no model to judge")
    judged(args, factory.model, _progress())
    return OK


def _audit(args: argparse.Namespace) -> int:
    from evaluation.audits.auditing import AuditPlan, audit
    from evaluation.runner import Selection

    default = AuditPlan()
    plan = AuditPlan(
        audits=tuple(args.only or default.audits),
        snapshots=tuple(args.snapshots or default.snapshots),
        arms=tuple(args.arm or default.arms),
        selection=Selection(limit=args.limit),
        seed=args.seed,
    )
    print(audit(args.dataset, args.work, args.out, plan, progress=_progress(), anew=args.anew), end="")
    return OK


def _gate(args: argparse.Namespace) -> int:
    from evaluation.gate import GatePlan, run_gate
    from evaluation.runner import Selection

    default = GatePlan()
    plan = GatePlan(
        rows=tuple(args.rows or default.rows),
        arms=tuple(args.arms or default.arms),
        ablations=tuple(args.ablate),
        selection=Selection(args.half, args.limit),
        seed=args.seed,
    )
    result = run_gate(args.data, args.work, args.out, plan, progress=_progress())
    print(result.markdown, end="")
    return OK if result.passed else FAILED


def _docsqa(args: argparse.Namespace) -> int:
    from evaluation.data.docsqa import open_docsqa, read_rows
    from evaluation.docsqa import DocsPlan, run_docsqa
    from evaluation.reporting.docsqa import crossed, missed, write_page

    if args.missed and args.half == "second":
        raise UsageError("--missed shows questions of the first half, which choices are made on: ask that")
    plan = DocsPlan(tuple(args.arms), args.half, tuple(args.workspaces), args.limit)
    dataset = open_docsqa(args.dataset)
    before = None if args.compare is None else read_rows(args.compare)  # before the run: it may be the same folder
    result = run_docsqa(dataset, args.out, plan, progress=_progress())
    print(write_page(result, args.out), end="")
    if before is not None:
        print(crossed(before, result), end="")
    if args.missed:
        print(missed(result), end="")
    return OK


def _progress() -> Progress | None:
    """A counter on stderr, when somebody is there to see it."""
    if not sys.stderr.isatty():
        return None

    def show(arm: str, done: int, total: int) -> None:
        end = "\n" if done == total else ""
        print(f"\r{arm}: {done} of {total}", end=end, file=sys.stderr, flush=True)

    return show
