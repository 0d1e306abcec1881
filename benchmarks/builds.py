"""What one machine does with very large folders, by this build beside another, in one run.

    python -m benchmarks.builds OTHER --data DATA --work FOLDER [--runs 3]

OTHER is a checkout of another build, which runs with the packages of this one. Corpora are those of
``python -m benchmarks``: a million notes of half a kilobyte, one file of a gigabyte, and 100,000 notes of 1.5 GB of
which 64 MiB may be kept. The builds take turns, after a run that brings the files into the page cache. Each run is two
processes: one searches for two questions, one asks the first of them until there is evidence; all in seconds. The last
row of each corpus holds the medians; each row is a JSON line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import aclosing
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def main() -> int:
    """Measure and print."""
    from benchmarks.speed.corpora import Corpora  # not in the processes of `_run`, whose build may be another
    from benchmarks.speed.endurance import one_file

    parser = argparse.ArgumentParser(prog="python -m benchmarks.builds")
    parser.add_argument("other", type=Path, help="a checkout of the other build")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="where the corpora are kept")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    corpora = Corpora(args.data, args.work)
    notes, alone = corpora.folder("C").path, args.work / "one-file-1000"
    one_file(notes, alone / "everything.md", 1_000_000_000)
    small = corpora.first_small(1_000_000, 1_000_000).path
    questions = corpora.questions("C", 2)
    for name, folder, kept in (
        ("a million notes", small, None),
        ("one file of a gigabyte", alone, None),
        ("100,000 notes, 64 MiB kept", notes, 64 << 20),
    ):
        found: dict[str, list[dict[str, float]]] = {"other": [], "this": []}
        _run(REPOSITORY, folder, kept, questions)
        for _ in range(args.runs):
            for build, tree in (("other", args.other.resolve()), ("this", REPOSITORY)):
                found[build].append(_run(tree, folder, kept, questions))
                print(json.dumps({"corpus": name, "build": build, **found[build][-1]}), flush=True)
        medians = {
            build: {key: round(statistics.median(run[key] for run in runs), 2) for key in runs[0]}
            for build, runs in found.items()
        }
        print(json.dumps({"corpus": name, "median of": args.runs, **medians}), flush=True)
    return 0


def _run(tree: Path, folder: Path, kept: int | None, questions: list[str]) -> dict[str, float]:
    """The figures of the build in a ``tree``."""
    found: dict[str, float] = {}
    for what in ("find", "ask"):
        command = [sys.executable, "-P", __file__, what, json.dumps([str(folder), kept, questions])]
        environment = os.environ | {"PYTHONPATH": str(tree)}
        found |= json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    return found


def searched(folder: str, kept: int | None, questions: list[str]) -> dict[str, float]:
    """In a process of its own: what the build that is imported takes for each question."""
    from lens_lsp.app.lens import Lens

    lens, taken = Lens([folder], memory=kept), []
    for question in questions:
        begun = time.perf_counter()
        lens.find(question)
        taken.append(time.perf_counter() - begun)
    return {"first question": taken[0], "second question": taken[1]}


async def begun(folder: str, kept: int | None, questions: list[str]) -> dict[str, float]:
    """In a process of its own: how long the build that is imported takes until there is evidence."""
    from lens_lsp.app.lens import Lens
    from lens_lsp.model.answer import EvidenceFound

    start = time.perf_counter()
    async with aclosing(Lens([folder], memory=kept).ask(questions[0])) as events:
        async for event in events:
            if isinstance(event, EvidenceFound):
                break
    return {"first evidence": time.perf_counter() - start}


if __name__ == "__main__":
    if __package__:
        raise SystemExit(main())
    what, given = sys.argv[1], json.loads(sys.argv[2])
    print(json.dumps(searched(*given) if what == "find" else asyncio.run(begun(*given))))
