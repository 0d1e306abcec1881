"""What an editor's symbol picker shows of a question: whether it is what ``lens find`` gives first, and how soon.

    python -m benchmarks.pickers --data DATA/docsqa [--half second] [--limit N] [--files FOLDER] [--runs 15]

Every question of the half goes to a running language server as the query of ``workspace/symbol`` and, over the same
folder, to `Lens.find`, as ``lens find`` asks it. Counted is how often both give the same passage first, and how often
a gold quote lies in it. ``--files`` names a folder to be timed: the same requests there, once it is warm, beside
ripgrep, which counts the matches of the question's words; by the wall and in processor time, and their ratios.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measuring import REPOSITORY
from benchmarks.speed.serving import OURS, Server
from evaluation.data.docsqa import QuestionRecord, open_docsqa, unpack
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.lsp.locations import path_of
from lens_lsp.model.documents import Evidence, has_own_places
from tests.lsp.lsp_client import LspProcess

_FIRST = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--half", choices=["first", "second"], default="second")
    parser.add_argument("--limit", type=int, help="questions of each workspace")
    parser.add_argument("--files", type=Path)
    parser.add_argument("--runs", type=int, default=15)
    args = parser.parse_args(arguments)
    dataset = open_docsqa(args.data)
    questions = [each for each in dataset.questions if each.half == args.half]
    asked = same = right = 0
    with tempfile.TemporaryDirectory() as work:
        for workspace in sorted({each.workspace for each in questions}):
            folder = unpack(dataset, workspace, Path(work))
            mine = [each for each in questions if each.workspace == workspace][: args.limit]
            found = agreement(folder, mine, Path(work))
            asked, same, right = asked + len(mine), same + found[0], right + found[1]
            print(f"{workspace}: {found[0]} of {len(mine)} the same first, {found[1]} with gold", flush=True)
        print(f"all: {same} of {asked} the same first ({same / asked:.1%}), {right} with gold ({right / asked:.1%})")
        if args.files is not None:
            ours, theirs = timed(args.files, [each.question for each in questions][: args.runs + 1], Path(work))
            for name, cost in (("workspace/symbol", ours), ("ripgrep", theirs)):
                print(f"{name}: {cost.wall:.0f} ms, {cost.processor:.0f} ms of processor")
            print(f"ratio: {ours.wall / theirs.wall:.2f}, of processor {ours.processor / theirs.processor:.2f}")
    return 0


def agreement(folder: Path, questions: Sequence[QuestionRecord], home: Path) -> tuple[int, int]:
    """Of how many questions both give the same passage first, and of how many that one holds a gold quote."""
    lens = Lens([folder])
    same = right = 0
    with Server(OURS, _environment(home), folder) as server:
        for each in questions:
            symbols = server.request("workspace/symbol", {"query": each.question})
            shown = [symbol["location"] for symbol in symbols if symbol["kind"] != 20][:_FIRST]
            first = lens.find(Request(each.question, limit=10)).evidence[:_FIRST]
            same += [(path_of(where["uri"]), True) for where in shown] == [
                (str(Path(folder, item.path).resolve()), _holds(item, where["range"]))
                for item, where in zip(first, shown, strict=False)
            ]
            right += any(
                item.path == quote.path and _bare(quote.quote) in _bare(item.quote)
                for item in first
                for quote in each.proofs
            )
    return same, right


def _holds(item: Evidence, where: Mapping[str, Any]) -> bool:
    """Whether a passage holds a range; one of a document whose places are no lines is opened at its top."""
    if has_own_places(item.locator):
        return True
    first, last = (int(where[end]["line"]) + 1 for end in ("start", "end"))
    return item.start.line <= first <= last <= item.end.line


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of a request: the median by the wall, the mean of processor time."""

    wall: float
    processor: float


def timed(folder: Path, queries: Sequence[str], home: Path) -> tuple[Cost, Cost]:
    """What ``workspace/symbol`` costs and what ripgrep, over all queries but the first, which warms both."""
    ours: list[float] = []
    theirs: list[float] = []
    used = spent = 0.0
    with LspProcess(_environment(home)) as server:
        server.begin(folder)
        for query in queries:
            used = server.seconds_of_processor() if len(ours) == 1 else used
            ours.append(_milliseconds(partial(server.result, "workspace/symbol", {"query": query})))
        used = server.seconds_of_processor() - used
    for query in queries:
        words = [part for word in re.findall(r"\w{3,}", query) for part in ("-e", word)]
        command = ["rg", "-i", "-F", "--count-matches", *words, str(folder)]
        spent = _of_children() if len(theirs) == 1 else spent
        theirs.append(_milliseconds(partial(subprocess.run, command, capture_output=True)))
    spent = _of_children() - spent
    runs = len(queries) - 1
    return (
        Cost(statistics.median(ours[1:]), 1000 * used / runs),
        Cost(statistics.median(theirs[1:]), 1000 * spent / runs),
    )


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def _environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}


def _bare(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


if __name__ == "__main__":
    sys.exit(main())
