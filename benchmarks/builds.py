"""What one machine does with very large folders, by this build beside another, in one run.

    python -m benchmarks.builds OTHER --data DATA --work FOLDER [--runs 3]

OTHER is a checkout of another build, which runs with the packages of this one. Corpora are those of
``python -m benchmarks``: a million notes of half a kilobyte, one file of a gigabyte, and 100,000 notes of 1.5 GB of
which 64 MiB may be kept. The builds take turns. Each run is a process of its own that asks two questions and measures
seconds until the first evidence of the first one (until its end where there is none), until its end, and of the second
one. What is read lies in the page cache. The last row of each corpus holds the medians; each row is a JSON line.
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
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def main() -> int:
    """Measure and print."""
    from benchmarks.speed.corpora import FULL, Corpora  # not in the processes of `asked`, whose build may be another
    from benchmarks.speed.endurance import one_file

    parser = argparse.ArgumentParser(prog="python -m benchmarks.builds")
    parser.add_argument("other", type=Path, help="a checkout of the other build")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the data sets")
    parser.add_argument("--work", type=Path, required=True, help="where the corpora are kept")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    corpora = Corpora(args.data, args.work)
    notes, alone = corpora.folder("C").path, args.work / f"one-file-{FULL.endurance_megabytes}"
    one_file(notes, alone / "everything.md", FULL.endurance_megabytes * 1_000_000)
    small = corpora.first_small(1_000_000, 1_000_000).path
    questions = corpora.questions("C", 2)
    for name, folder, kept in (
        ("a million notes", small, None),
        ("one file of a gigabyte", alone, None),
        ("100,000 notes, 64 MiB kept", notes, 64 << 20),
    ):
        found: dict[str, list[dict[str, float]]] = {"other": [], "this": []}
        for _ in range(args.runs):
            for build, tree in (("other", args.other.resolve()), ("this", REPOSITORY)):
                for path in folder.rglob("*"):  # into the page cache
                    if path.is_file():
                        path.read_bytes()
                command = [sys.executable, "-P", __file__, json.dumps([str(folder), kept, questions])]
                environment = os.environ | {"PYTHONPATH": str(tree)}
                done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
                found[build].append(json.loads(done.stdout))
                print(json.dumps({"corpus": name, "build": build, **found[build][-1]}), flush=True)
        medians = {
            build: {key: round(statistics.median(run[key] for run in runs), 2) for key in runs[0]}
            for build, runs in found.items()
        }
        print(json.dumps({"corpus": name, "median of": args.runs, **medians}), flush=True)
    return 0


async def asked(folder: str, kept: int | None, questions: list[str]) -> dict[str, float]:
    """Ask them of a new process of the build that is imported."""
    from lens_lsp.app.lens import Lens
    from lens_lsp.model.answer import EvidenceFound

    lens, first, whole = Lens([folder], memory=kept), None, []
    for question in questions:
        begun = time.perf_counter()
        async for event in lens.ask(question):
            if first is None and isinstance(event, EvidenceFound):
                first = time.perf_counter() - begun
        whole.append(time.perf_counter() - begun)
        first = whole[0] if first is None else first
    return {"first evidence": first or whole[0], "first question": whole[0], "second question": whole[1]}


if __name__ == "__main__":
    if __package__:
        raise SystemExit(main())
    print(json.dumps(asyncio.run(asked(*json.loads(sys.argv[1])))))
