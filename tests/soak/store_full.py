"""Stores that fill their disk: what was acknowledged stays, what was not leaves nothing, and room makes all well again.

``python -m tests.soak.store_full --n 200`` fills as many disks of different sizes and prints one JSON line. It exits
with 1 if one store was damaged or held anything but what was acknowledged, if a failure was not the typed one, if
saving did not work once there was room again, or if a store that keeps a full disk to itself was not caught.
"""

from __future__ import annotations

import random
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import Connect, NotSaved, NotSavedReason
from tests.memory.faulty_disk import Disk, FaultyVFS
from tests.memory.history import begun, drawn, found_in, looked_at, scratch
from tests.memory.mutants import Forgiving
from tests.soak.harness import Options, Verdict, harness

MOST_SAVES = 60
SMALLEST, LARGEST = 1.05, 2.5
"""Room on the disk, as a multiple of what the store has when it begins."""


@dataclass
class Tally:
    """What came of a number of disks."""

    fills: int = 0
    refused: int = 0
    acknowledged: int = 0
    bad: list[str] = field(default_factory=list)


def fill(vfs: FaultyVFS, folder: Path, seed: int, tally: Tally, connect: Connect) -> None:
    """Save until the disk is full, and go on when there is room."""
    model = begun(folder, seed)
    room = random.Random(seed).uniform(SMALLEST, LARGEST)
    vfs.disk = Disk(room=int(room * (folder / "knowledge.db").stat().st_size))
    tally.fills += 1
    name = f"seed {seed}"
    with Store.open(folder, connect=connect) as store:
        for number in range(3, 3 + MOST_SAVES):
            try:
                store.save(drawn(seed, number))
            except NotSaved as error:
                tally.refused += 1
                if error.reason is not NotSavedReason.FULL:
                    tally.bad.append(f"{name}: {error}")
                break
            model = model.after(drawn(seed, number))
            tally.acknowledged += 1
        if found_in(store) != model:
            tally.bad.append(f"{name}: another state than what was acknowledged")
        vfs.disk.heal()
        change = drawn(seed, 999)
        try:
            store.save(change)
        except NotSaved as error:
            tally.bad.append(f"{name}: with room again: {error}")
        model = model.after(change)
    tally.bad += [f"{name}: {told}" for told in looked_at(folder, model)[1]]
    shutil.rmtree(folder)


def run(vfs: FaultyVFS, seeds: range, connect: Connect) -> Tally:
    """As many disks as seeds."""
    tally = Tally()
    with scratch() as base:
        for seed in seeds:
            fill(vfs, base / "store", seed, tally, connect)
    return tally


def forgiving(vfs: FaultyVFS) -> Connect:
    """Opens connections that say nothing of a full disk."""
    return lambda path: Forgiving(vfs.connect(path), lambda sql: sql)


@harness(n=200)
def main(options: Options) -> Verdict:
    vfs = FaultyVFS("full")
    tally = run(vfs, range(options.n), vfs.connect)
    mutant = run(vfs, range(max(5, options.n // 10)), forgiving(vfs))
    return {
        "n": tally.fills,
        "refused": tally.refused,
        "acknowledged": tally.acknowledged,
        "wrong": tally.bad,
        "controlN": mutant.fills,
        "controlBad": len(mutant.bad),
    }, 2 * tally.refused > tally.fills and mutant.bad


if __name__ == "__main__":
    sys.exit(main())
