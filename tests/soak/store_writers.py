"""Several processes that change the same clusters of one store at once.

``python -m tests.soak.store_writers --n 400`` starts four processes that add ``n`` questions each to five clusters they
share. It prints one JSON line and exits with 1 if one question is missing, if a process was told that the store is
busy, or failed at all, or if processes that look first and save later lost nothing in the same harness.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import Changes, StoreView
from tests.memory.history import scratch
from tests.memory.kept import kept
from tests.soak.harness import Options, Verdict, harness

WRITERS = 4
SHARED = 5
REPOSITORY = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Outcome:
    """What came of a number of writers. ``failed`` processes said why on their standard error."""

    saves: int
    lost: int
    failed: int
    median_ms: float
    worst_ms: float


def asked_more(view: StoreView, n: int, name: str) -> Changes:
    """A cluster with one more question."""
    cluster = view.cluster(f"k{n}")
    if cluster is None:
        cluster = replace(kept(n, parts=1), asked=())
    return Changes(clusters=(replace(cluster, asked=(*cluster.asked, replace(kept(n).asked[0], id=name, facts=()))),))


def write(folder: Path, writer: int, saves: int, *, mutant: bool) -> list[float]:
    """One process's work; returns how long each save took, in seconds."""
    times: list[float] = []
    with Store.open(folder) as store:
        for number in range(saves):
            n, name = number % SHARED, f"{writer}-{number}"
            started = time.perf_counter()
            if mutant:
                looked: list[Changes] = []
                store.update(lambda view, n=n, name=name, looked=looked: _only_look(view, n, name, looked))
                store.save(looked[0])
            else:
                store.update(lambda view, n=n, name=name: asked_more(view, n, name))
            times.append(time.perf_counter() - started)
    return times


def _only_look(view: StoreView, n: int, name: str, looked: list[Changes]) -> Changes:
    looked.append(asked_more(view, n, name))
    return Changes()


def run(saves: int, *, mutant: bool = False) -> Outcome:
    """Let all writers work at once, and count what is there afterwards."""
    with scratch() as base:
        folder = base / "store"
        Store.open(folder).close()
        command = [sys.executable, "-m", "tests.soak.store_writers", "--n", str(saves), "--folder", str(folder)]
        processes = [
            subprocess.Popen(
                [*command, "--writer", str(writer), *(["--mutant"] if mutant else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=REPOSITORY,
            )
            for writer in range(WRITERS)
        ]
        for process in processes:  # each says when it has imported everything; then all begin together
            assert process.stdout is not None
            process.stdout.readline()
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(b"go\n")
            process.stdin.flush()
        outputs = [process.communicate()[0] for process in processes]
        times = sorted(each for output in outputs if output for each in json.loads(output))
        with Store.open(folder) as store:
            there = {asked.id for cluster in store.clusters() for asked in cluster.asked}
    return Outcome(
        saves=WRITERS * saves,
        lost=WRITERS * saves - len(there),
        failed=sum(process.returncode != 0 for process in processes),
        median_ms=round(1000 * times[len(times) // 2], 1),
        worst_ms=round(1000 * times[-1], 1),
    )


@harness(n=400, folder=Path, writer=int, mutant=False)
def main(options: Options) -> Verdict:
    if options.folder is not None:
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(write(options.folder, options.writer, options.n, mutant=options.mutant)))
        return None
    outcome = run(options.n)
    mutant = run(max(60, options.n // 2), mutant=True)
    return {
        "n": outcome.saves,
        "bad": outcome.lost + outcome.failed,
        "medianMs": outcome.median_ms,
        "worstMs": outcome.worst_ms,
        "controlN": mutant.saves,
        "controlBad": mutant.lost,
    }, not outcome.lost and not outcome.failed and mutant.lost


if __name__ == "__main__":
    sys.exit(main())
