"""``lens eval prepare|run|report|gate|fit``: arguments in, one result on stdout, progress on a terminal's stderr.

Light on purpose: it is imported whenever ``lens`` starts, so everything that does work is imported when it
runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lens_lsp.domain.errors import UsageError

if TYPE_CHECKING:
    from lens_lsp.evaluation.data.datasets import Question
    from lens_lsp.evaluation.data.snapshots import Corpus
    from lens_lsp.evaluation.runner import Judging, Progress
    from lens_lsp.evaluation.seats import Seat
    from lens_lsp.models.base import ChatModel

    ModelMaker = Callable[[argparse.Namespace], tuple[ChatModel, Callable[[], Awaitable[object]]]]
    """From parsed arguments to a chat model, and what to await before the first question."""

_Parser = TypeVar("_Parser", bound=argparse.ArgumentParser)

OK = 0
FAILED = 1


def add_parser(subparsers: argparse._SubParsersAction[_Parser]) -> _Parser:
    """Add ``eval`` and its commands; the parsed arguments go to :func:`run`."""
    parser = subparsers.add_parser("eval", help="measure the search on published question sets")
    commands = parser.add_subparsers(dest="eval_command", required=True, metavar="COMMAND")

    _add_prepare(commands.add_parser("prepare", help="write a snapshot's corpus and its manifest"))
    _add_run(commands.add_parser("run", help="run arms over the questions of a snapshot"))
    _add_report(commands.add_parser("report", help="tables (Markdown, CSV, JSON) of runs; no plots yet"))
    _add_gate(commands.add_parser("gate", help="run every row of the release gate and compare"))
    _add_fit(commands.add_parser("fit", help="fit the offline oracle on one half of labelled questions"))
    return parser


def run(args: argparse.Namespace, model: ModelMaker | None = None) -> int:
    """Carry out a parsed ``eval`` command; returns the exit status. ``model`` makes the chat model of a run that is to
    be judged by one: which it is, and whether it may be sent a corpus, is not known here. Raises LensError."""
    if args.eval_command == "run":
        return _run(args, model)
    return {"prepare": _prepare, "report": _report, "gate": _gate, "fit": _fit}[args.eval_command](args)


def _prepare(args: argparse.Namespace) -> int:
    from lens_lsp.evaluation.data.snapshots import manifest_path, prepare

    corpus = prepare(args.dataset, args.snapshot, args.out, hide_titles=args.hide_titles)
    print(f"{corpus.files} files in {args.out}, sha256 {corpus.files_sha256}")
    print(f"manifest: {manifest_path(args.out)}")
    return OK


def _run(args: argparse.Namespace, model: ModelMaker | None) -> int:
    from lens_lsp.evaluation.arms.base import FIND
    from lens_lsp.evaluation.arms.making import make_arms
    from lens_lsp.evaluation.data.datasets import open_dataset, questions
    from lens_lsp.evaluation.data.snapshots import open_corpus
    from lens_lsp.evaluation.report import run_table
    from lens_lsp.evaluation.runner import Selection
    from lens_lsp.evaluation.runner import run as run_arms

    judging = _judging(args)
    dataset = open_dataset(args.dataset, args.snapshot)
    asked, unanswerable = questions(dataset), questions(dataset, answerable=False)
    windows = any(question.gold.spans for question in asked)
    corpus = open_corpus(args.corpus, dataset)
    seat = _seat(args, judging, [*asked, *unanswerable], corpus, model)
    run_arms(
        dataset,
        corpus,
        asked,
        make_arms(args.arm, args.ablate, windows=windows, seat=seat, seed=args.seed),
        args.out,
        seed=args.seed,
        selection=Selection(args.half, args.limit),
        progress=_progress(),
        judging=judging,
        unanswerable=() if args.mode == FIND else unanswerable,
    )
    print(run_table(args.out), end="")
    return OK


def _judging(args: argparse.Namespace) -> Judging:
    """Who judges in the mode that was asked for. Raises UsageError for what does not fit."""
    from lens_lsp.evaluation.runner import Judging

    calling = args.mode in ("fast", "deep")
    chosen: str = args.oracle or ("chat" if calling else "offline")
    if calling == (chosen == "offline"):
        fitting = "chat or answer-key" if calling else "offline"
        raise UsageError(f"--mode {args.mode} is not judged by --oracle {chosen}; choose {fitting}")
    if chosen == "answer-key":
        return Judging(args.mode, chosen, args.error or 0.0)
    if args.error is not None:
        raise UsageError("--error is that of --oracle answer-key: add it")
    return Judging(args.mode, None if args.mode == "find" else chosen)


def _seat(
    args: argparse.Namespace,
    judging: Judging,
    asked: Iterable[Question],
    corpus: Corpus,
    model: ModelMaker | None,
) -> Seat | None:
    """Where the judge sits; None where nobody judges."""
    from lens_lsp.domain.answer import Mode
    from lens_lsp.evaluation.seats import AnswerKeySeat, ChatSeat, OfflineSeat

    if judging.oracle is None:
        return None
    if judging.oracle == "offline":
        return OfflineSeat()
    if judging.error is not None:
        return AnswerKeySeat.of(Mode(judging.mode), asked, corpus, error=judging.error, seed=args.seed)
    if model is None:
        raise UsageError("there is no model to judge; --oracle answer-key needs none")
    return ChatSeat(Mode(judging.mode), *model(args))


def _report(args: argparse.Namespace) -> int:
    from lens_lsp.evaluation.report import write_report

    print(write_report(args.runs, args.out), end="")
    return OK


def _gate(args: argparse.Namespace) -> int:
    from lens_lsp.evaluation.gate import GatePlan, run_gate
    from lens_lsp.evaluation.runner import Selection

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


def _fit(args: argparse.Namespace) -> int:
    from lens_lsp.evaluation.data.datasets import open_dataset, questions
    from lens_lsp.evaluation.data.snapshots import prepare
    from lens_lsp.evaluation.fitting import fit
    from lens_lsp.evaluation.runner import Selection
    from lens_lsp.oracle.settings import OfflineSettings

    dataset = open_dataset(args.dataset, args.snapshot)
    prepare(args.dataset, args.snapshot, args.corpus)
    kinds = [questions(dataset), questions(dataset, answerable=False)]
    first, second = ([q for kind in kinds for q in Selection(half).of(kind)] for half in ("first", "second"))
    fitted = fit(args.corpus, first, second, OfflineSettings())
    args.out.write_text(fitted.settings.dumps(), "utf-8")
    for name, worth in (("first half, fitted on", fitted.chosen), ("second half", fitted.other)):
        print(f"{name}: {worth.right} right, {worth.wrong} wrong, {worth.false} false of {worth.questions}")
    print(f"calibration error on the second half: {fitted.settings.confidence.error}")
    return OK


def _add_prepare(parser: argparse.ArgumentParser) -> None:
    _dataset_argument(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write or verify")
    parser.add_argument(
        "--hide-titles",
        action="store_true",
        help="hash the file names and cut the title line of every article",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    _dataset_argument(parser)
    parser.add_argument("--corpus", type=Path, required=True, metavar="DIR", help="folder that prepare wrote")
    parser.add_argument("--arm", type=_names, default=["lens"], metavar="NAME[,…]", help="lens, bm25s, tantivy")
    parser.add_argument(
        "--mode",
        choices=["find", "evidence", "fast", "deep"],
        default="find",
        help="how lens searches: find has no loop, evidence asks the rules, fast and deep a model or the answer key",
    )
    parser.add_argument(
        "--oracle",
        choices=["offline", "chat", "answer-key"],
        help="who judges: the rules (evidence), the configured model or the answer key (fast, deep)",
    )
    parser.add_argument(
        "--error", type=_rate, metavar="RATE", help="how often the answer key is wrong, from 0 to 1 (default 0)"
    )
    parser.add_argument("--yes", action="store_true", help="the corpus may be sent to the configured endpoint")
    parser.add_argument("--out", type=Path, required=True, metavar="RUN_DIR", help="for rows and summary")
    _selection_arguments(parser)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN_DIR", help="a run, or a folder of runs")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the tables go")


def _add_gate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", type=Path, metavar="DATA_DIR", help="folder that holds the data set folders")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where corpora are prepared")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where runs and gate.md go")
    parser.add_argument("--rows", type=_names, metavar="NAME[,…]", help="only these rows")
    parser.add_argument("--arms", type=_names, metavar="NAME[,…]", help="only these arms (the gate then fails)")
    _selection_arguments(parser)


def _add_fit(parser: argparse.ArgumentParser) -> None:
    _dataset_argument(parser)
    parser.add_argument("--corpus", type=Path, required=True, metavar="DIR", help="folder to prepare or verify")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the settings go")


def _dataset_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET_DIR", help="data set folder, or the workspaces")
    parser.add_argument("--snapshot", required=True, metavar="N", help="500, S_all490, or a workspace's name")


def _selection_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--half", choices=["all", "first", "second"], default="all", help="half of the questions")
    parser.add_argument("--limit", type=_positive, metavar="K", help="only the first K of them")
    parser.add_argument(
        "--ablate",
        type=_names,
        default=[],
        metavar="LIST",
        help="lens once more without each; join some by +; parts of the loop only where lens asks",
    )
    seed_help = "of the bootstrap intervals, and of lens where it asks (default 0)"
    parser.add_argument("--seed", type=int, default=0, help=seed_help)


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise argparse.ArgumentTypeError("expected one or more names, separated by commas")
    return names


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, not {text!r}")
    return rate


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, not {text!r}")
    return int(text)


def _progress() -> Progress | None:
    """A counter on stderr, when somebody is there to see it."""
    if not sys.stderr.isatty():
        return None

    def show(arm: str, done: int, total: int) -> None:
        end = "\n" if done == total else ""
        print(f"\r{arm}: {done} of {total}", end=end, file=sys.stderr, flush=True)

    return show
