"""Processes killed while they write to a store: a real process, a real file, ``SIGKILL`` at any moment.

``python -m tests.soak.store_kills --n 1000`` kills as many writers, and after each opens what is left: the last state
that was acknowledged, or the one that was being saved, whole, and no word about damage. It prints one JSON line and
exits with 1 if one store held anything else, if hardly a kill fell into a write, or if writers without transactions
left nothing half-written in the same harness.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import connect
from tests.memory.history import Model, begun, drawn, looked_at, scratch
from tests.memory.mutants import changed, without_transactions
from tests.soak.harness import Options, Verdict, harness

LONGEST = 0.03
"""Seconds from the first acknowledgement to the kill."""
ROUND = 20
"""Kills on one store before the next begins."""
GONE = b"gone "
REPOSITORY = Path(__file__).resolve().parent.parent.parent


@dataclass
class Tally:
    """What came of a number of kills."""

    kills: int = 0
    acknowledged: int = 0
    journals: int = 0
    """How often a journal was left that had to be rolled back."""
    bad: list[str] = field(default_factory=list)


class Writers:
    """A process that is ready to write, and forks a writer for each kill."""

    def __enter__(self) -> Writers:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "cwd": REPOSITORY}
        self._process = subprocess.Popen([sys.executable, "-m", "tests.soak.store_kills", "--serve"], **pipes)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def killed(self, folder: Path, seed: int, first: int, seconds: float, *, mutant: bool) -> tuple[int, bool]:
        """Start a writer and kill it ``seconds`` after its first change; returns the change that it did not
        acknowledge, and whether it was alive until then."""
        commands, output = self._process.stdin, self._process.stdout
        assert commands is not None
        assert output is not None
        commands.write(json.dumps([str(folder), seed, first, mutant]).encode() + b"\n")
        commands.flush()
        process = int(output.readline())
        said = [output.readline()]
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            select.select([], [], [], left)
        os.kill(process, signal.SIGKILL)
        while not said[-1].startswith(GONE):
            said.append(output.readline())
        numbers = [int(line) for line in said[:-1]]
        return numbers[-1] + 1 if numbers else first, said[-1] == GONE + b"%d\n" % -signal.SIGKILL


def serve() -> None:
    """Fork a writer for every line, and say when it is dead."""
    process = 0
    for line in sys.stdin:
        if process:
            os.waitpid(process, 0)
        folder, seed, first, mutant = json.loads(line)
        process = os.fork()
        if process == 0:
            os.write(1, b"%d\n" % os.getpid())
            write_for_ever(Path(folder), seed, first, mutant=mutant)
        ended = os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)  # the number stays its own until the kill
        status = ended.si_status if ended is not None else 0
        os.write(1, GONE + b"%d\n" % (-status if ended is not None and ended.si_code == os.CLD_KILLED else status))


def write_for_ever(folder: Path, seed: int, first: int, *, mutant: bool) -> None:
    """Save change after change and say each one's number once it is saved: what is killed."""
    with Store.open(folder, connect=changed(without_transactions) if mutant else connect) as store:
        for number in range(first, sys.maxsize):
            store.save(drawn(seed, number))
            os.write(1, b"%d\n" % number)


def run(kills: int, seed: int = 1, *, mutant: bool = False) -> Tally:
    """Kill writers one after the other; each goes on where the store stands."""
    tally = Tally()
    draw = random.Random(seed)
    with scratch() as base, Writers() as writers:
        while tally.kills < kills:
            folder = base / f"store-{tally.kills}"
            model, number = begun(folder, seed), 3
            for _ in range(min(ROUND, kills - tally.kills)):
                unsaved, alive = writers.killed(folder, seed, number, draw.random() * LONGEST, mutant=mutant)
                if not alive:
                    tally.bad.append(f"change {unsaved}: the writer died by itself")
                tally.kills += 1
                tally.acknowledged += unsaved - number
                for done in range(number, unsaved):
                    model = model.after(drawn(seed, done))
                model, number = left_by(folder, model, seed, unsaved, tally)
                if tally.bad:  # what is wrong once stays wrong in this store
                    break
            shutil.rmtree(folder)
    return tally


def left_by(folder: Path, model: Model, seed: int, unsaved: int, tally: Tally) -> tuple[Model, int]:
    """Look at what a killed writer left; returns the state to go on from and the number of the next change."""
    journal = folder / "knowledge.db-journal"
    tally.journals += journal.exists() and journal.stat().st_size > 0
    nearly = model.after(drawn(seed, unsaved))
    found, told = looked_at(folder, model, nearly)
    tally.bad += [f"change {unsaved}: {each}" for each in told]
    return (model, unsaved) if found == model else (nearly, unsaved + 1)


@harness(n=1_000, serve=False)
def main(options: Options) -> Verdict:
    if options.serve:
        serve()
        return None
    tally = run(options.n)
    mutant = run(max(20, options.n // 50), mutant=True)
    return {
        "n": tally.kills,
        "acknowledged": tally.acknowledged,
        "journals": tally.journals,
        "wrong": tally.bad,
        "controlN": mutant.kills,
        "controlBad": len(mutant.bad),
    }, tally.journals * 20 >= tally.kills and mutant.bad


if __name__ == "__main__":
    sys.exit(main())
