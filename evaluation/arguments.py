"""The arguments of ``lens eval``. Light on purpose: imported whenever ``lens`` starts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TypeVar

_ARMS = "lens, bm25s, tantivy, hybrid; with a model also react, bm25-rag, closed-book"
_Parser = TypeVar("_Parser", bound=argparse.ArgumentParser)


def add_parser(subparsers: argparse._SubParsersAction[_Parser]) -> _Parser:
    """Add ``eval`` and its commands; the parsed arguments go to :func:`run`."""
    parser = subparsers.add_parser("eval", help="measure the search on published question sets")
    commands = parser.add_subparsers(dest="eval_command", required=True, metavar="COMMAND")

    _add_prepare(commands.add_parser("prepare", help="write a snapshot's corpus and its manifest"))
    _add_run(commands.add_parser("run", help="run arms over the questions of a snapshot"))
    _add_report(commands.add_parser("report", help="tables (Markdown, CSV, JSON) and pictures (SVG) of runs"))
    _add_failures(commands.add_parser("failures", help="a page of what an arm failed at"))
    _add_judge(commands.add_parser("judge", help="have a run's answers judged by another model"))
    _add_audit(commands.add_parser("audit", help="staleness, lifecycle, abstention and warm reuse, without a model"))
    _add_gate(commands.add_parser("gate", help="run every row of the release gate and compare"))
    _add_docsqa(commands.add_parser("docsqa", help="questions people ask of folders of documents, beside plain BM25"))
    return parser


def _add_prepare(parser: argparse.ArgumentParser) -> None:
    _dataset_argument(parser, snapshot_required=False)
    parser.add_argument("--unpack", action="store_true", help="DATASET is a folder of packed shards: write them out")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write or verify")
    parser.add_argument(
        "--hide-titles",
        action="store_true",
        help="hash the file names and cut the title line of every article",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    _dataset_argument(parser)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--corpus", type=Path, metavar="DIR", help="folder that prepare wrote")
    where.add_argument("--fullwiki", type=Path, metavar="DIR", help="raw shards of Wikipedia, searched as they are")
    parser.add_argument("--arm", type=_names, default=["lens"], metavar="NAME[,…]", help=_ARMS)
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
    _model_arguments(parser)
    parser.add_argument("--yes", action="store_true", help="the corpus may be sent to the configured endpoint")
    parser.add_argument("--out", type=Path, required=True, metavar="RUN_DIR", help="for rows and summary")
    _control_arguments(parser)
    parser.add_argument("--estimate", action="store_true", help="say what the run will cost, and stop")
    parser.add_argument("--anew", action="store_true", help="begin again, whatever run the folder holds")
    _selection_arguments(parser)


def _model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--temperature", type=_temperature, default=0.0, metavar="T", help="of every call of a model (default 0)"
    )
    parser.add_argument(
        "--call-seconds",
        type=_positive,
        default=120,
        metavar="S",
        help="the longest that one call may take (default 120)",
    )
    parser.add_argument(
        "--concurrency",
        type=_positive,
        metavar="N",
        help="ask an arm N questions at a time; only arms that do nothing but ask a chat model (default 5, else 1)",
    )
    parser.add_argument(
        "--scripted", action="store_true", help="the model is a program: no figure of its answers is printed"
    )


def _control_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--control",
        choices=["in-context", "without-gold"],
        help="each arm also over another corpus: only what came with a question, or all but the gold documents",
    )
    parser.add_argument(
        "--since", metavar="N", help="each arm also as it was ready at a smaller snapshot; only the added questions"
    )


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN_DIR", help="a run, or a folder of runs")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the tables go")
    parser.add_argument(
        "--plots", action=argparse.BooleanOptionalAction, default=True, help="draw the pictures (default: yes)"
    )


def _add_failures(parser: argparse.ArgumentParser) -> None:
    _run_arguments(parser)
    parser.add_argument("--corpus", type=Path, required=True, metavar="DIR", help="what the run searched")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the page, HTML")


def _add_judge(parser: argparse.ArgumentParser) -> None:
    _run_arguments(parser)
    parser.add_argument("--yes", action="store_true", help="questions and answers may be sent to the judge's endpoint")


def _run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN_DIR", help="a run")
    parser.add_argument("--dataset", type=Path, required=True, metavar="DATASET", help="what the run was over")
    parser.add_argument("--arm", default="lens", metavar="NAME", help="whose answers (default lens)")


def _add_audit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="data set folder, or the file of a release")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where corpora are prepared")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where runs and audits.md go")
    parser.add_argument("--only", type=_names, metavar="NAME[,…]", help="staleness, lifecycle, abstention, reuse")
    parser.add_argument(
        "--snapshots",
        type=_names,
        metavar="N[,…]",
        help="one that is asked, one it grows to, one whose upkeep is measured (default 125,250,500)",
    )
    parser.add_argument("--arm", type=_names, metavar="NAME[,…]", help="for staleness and lifecycle")
    parser.add_argument("--limit", type=_positive, metavar="K", help="only the first K questions")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap intervals, and of lens (default 0)")
    parser.add_argument("--anew", action="store_true", help="begin again, whatever runs the folder holds")


def _add_gate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", type=Path, metavar="DATA_DIR", help="folder that holds the data set folders")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where corpora are prepared")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where runs and gate.md go")
    parser.add_argument("--rows", type=_names, metavar="NAME[,…]", help="only these rows")
    parser.add_argument("--arms", type=_names, metavar="NAME[,…]", help="only these arms (the gate then fails)")
    _selection_arguments(parser)


def _add_docsqa(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "dataset", type=Path, metavar="DATASET_DIR", help="folder of questions.jsonl.gz and workspaces/"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="for the workspaces, rows and tables")
    parser.add_argument("--half", choices=["first", "second", "both"], default="both", help="half of the questions")
    parser.add_argument(
        "--arms",
        type=_names,
        default=["lens", "bm25s", "tantivy"],
        metavar="NAME[,…]",
        help="also bm25s-stems, which takes Chinese for English",
    )
    parser.add_argument("--workspaces", type=_names, default=[], metavar="NAME[,…]", help="only questions of these")
    parser.add_argument("--limit", type=_positive, metavar="K", help="only the first K of them")
    parser.add_argument("--missed", action="store_true", help="also print what the first arm missed in the first half")
    parser.add_argument("--compare", type=Path, metavar="OTHER_DIR", help="also print what changed since another run")


def _dataset_argument(parser: argparse.ArgumentParser, *, snapshot_required: bool = True) -> None:
    parser.add_argument(
        "dataset", type=Path, metavar="DATASET", help="data set folder, the workspaces, or the file of a release"
    )
    parser.add_argument(
        "--snapshot",
        required=snapshot_required,
        metavar="N",
        help="500, S_all490, a workspace's name; of a release its first N questions, or all",
    )


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


def _temperature(text: str) -> float:
    try:
        temperature = float(text)
    except ValueError:
        temperature = -1.0
    if not 0 <= temperature <= 2:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 2, not {text!r}")
    return temperature


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
