"""Power cuts and disk faults under the product's own store, driven through a file system of ours.

``python -m tests.soak.store_power --n 5000`` cuts the power as often, at a random operation of a random history, and
opens what the disk then holds with a plain connection: it must hold the last state that was acknowledged, or the one
that was being saved, whole, without a word about damage. Then every operation of some histories fails once, in each way
it can. It prints one JSON line and exits with 1 if anything was lost or damaged, if a failure was not a typed one, if a
failed sync did not stop all writing, or if a store that waits for no sync lost nothing in the same harness.
"""

from __future__ import annotations

import random
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import Connect, NotSaved, NotSavedReason, StoreError, StoreUnavailable, StoreUnreadable
from lens_lsp.memory.store_rows import Changes
from tests.memory.faulty_disk import FOR_GOOD, Disk, Fault, FaultyVFS, Kind
from tests.memory.history import Model, begun, drawn, found_in, looked_at, scratch
from tests.memory.mutants import changed, without_syncs
from tests.soak.harness import Options, Verdict, harness

HISTORY = 40
LATEST_CUT = 1_500
"""Operations: ten to fifteen saves."""
FAULTS = {
    Kind.READ: (Fault.IO,),
    Kind.WRITE: (Fault.IO, Fault.FULL, Fault.SHORT),
    Kind.TRUNCATE: (Fault.IO,),
    Kind.SYNC: (Fault.IO,),
}


@dataclass
class Tally:
    """What came of a number of runs."""

    runs: int = 0
    acknowledged: int = 0
    bad: list[str] = field(default_factory=list)


def save_until_it_fails(store: Store, seed: int, model: Model, first: int, tally: Tally) -> tuple[Model, Model]:
    """Go on with a history; returns what was acknowledged, and what was being saved when a save failed."""
    for number in range(first, first + HISTORY):
        change = drawn(seed, number)
        try:
            store.save(change)
        except NotSaved:
            return model, model.after(change)
        model = model.after(change)
        tally.acknowledged += 1
    return model, model


def power_cut(vfs: FaultyVFS, folder: Path, seed: int, tally: Tally, connect: Connect) -> None:
    """One cut, and what is found afterwards."""
    draw = random.Random(seed)
    running, cut = folder / "running", folder / "cut"
    model = begun(running, seed)
    vfs.disk = Disk(Fault.POWER, draw.randrange(1, LATEST_CUT), FOR_GOOD)
    states = (model, model)
    try:
        with Store.open(running, connect=connect) as store:
            states = save_until_it_fails(store, seed, model, 3, tally)
    except StoreUnavailable:
        pass
    vfs.disk.power_cut(draw, running, cut)
    tally.runs += 1
    tally.bad += [f"seed {seed}: {told}" for told in looked_at(cut, *states)[1]]
    for used in (running, cut):
        shutil.rmtree(used)


def power_cuts(vfs: FaultyVFS, seeds: range, connect: Connect) -> Tally:
    """As many cuts as seeds."""
    tally = Tally()
    with scratch() as folder:
        for seed in seeds:
            power_cut(vfs, folder, seed, tally, connect)
    return tally


def operations(vfs: FaultyVFS, folder: Path, seed: int, saves: int) -> list[Kind]:
    """All operations of a short history without faults."""
    begun(folder, seed)
    vfs.disk = Disk()
    with Store.open(folder, connect=vfs.connect) as store:
        for number in range(3, 3 + saves):
            store.save(drawn(seed, number))
    shutil.rmtree(folder)
    return vfs.disk.done


def faulty_operation(vfs: FaultyVFS, folder: Path, seed: int, saves: int, disk: Disk, tally: Tally) -> None:
    """A short history in which one operation fails; what fails is typed, and after it everything works again."""
    name = f"seed {seed}, operation {disk.at}, {disk.fault and disk.fault.value} x {disk.times}"
    model = begun(folder, seed)
    vfs.disk = disk
    states = [model]
    unsynced = False
    try:
        with Store.open(folder, connect=vfs.connect) as store:
            for number in range(3, 3 + saves):
                change = drawn(seed, number)
                before = len(disk.done)
                try:
                    store.save(change)
                except NotSaved as error:
                    states.append(model.after(change))
                    if error.reason is NotSavedReason.FROZEN:
                        unsynced = True
                        before = len(disk.done)
                        disk.heal()
                        if not _is_frozen(store, change) or Kind.WRITE in disk.done[before:]:
                            tally.bad.append(f"{name}: written after a failed sync")
                        break
                    disk.heal()
                    continue
                model = model.after(change)
                states = [model]
    except StoreUnavailable:
        disk.heal()
    if disk.came and Kind.SYNC in disk.done[disk.at - 1 : disk.at] and not unsynced and disk.at > 0:
        tally.bad.append(f"{name}: a failed sync went unnoticed")
    tally.runs += 1
    tally.bad += [f"{name}: {told}" for told in _again(vfs, folder, seed, states)]
    shutil.rmtree(folder)


def _is_frozen(store: Store, change: Changes) -> bool:
    with suppress(StoreUnreadable):
        found_in(store)
    try:
        store.save(change)
    except NotSaved as error:
        return error.reason is NotSavedReason.FROZEN
    return False


def _again(vfs: FaultyVFS, folder: Path, seed: int, states: list[Model]) -> list[str]:
    """What is wrong when the store is opened again and the disk is well: it must hold a state, and keep one more."""
    vfs.disk = Disk()
    try:
        with Store.open(folder, connect=vfs.connect) as store:
            model = found_in(store)
            if model not in states:
                return ["another state than what was acknowledged"]
            change = drawn(seed, 999)
            store.save(change)
    except StoreError as error:
        return [f"the next save failed: {error}"]
    return looked_at(folder, model.after(change))[1]


def every_fault(vfs: FaultyVFS, seeds: range, *, saves: int = 3, step: int = 1) -> Tally:
    """Each ``step``-th operation of short histories fails in every way it can, once, and until the store gives up."""
    tally = Tally()
    with scratch() as base:
        folder = base / "store"
        for seed in seeds:
            for at, kind in enumerate(operations(vfs, folder, seed, saves), 1):
                if at % step:
                    continue
                for fault in FAULTS[kind]:
                    for times in (1, FOR_GOOD):
                        faulty_operation(vfs, folder, seed, saves, Disk(fault, at, times), tally)
    return tally


@harness(n=5_000, histories=1)
def main(options: Options) -> Verdict:
    vfs = FaultyVFS()
    cuts = power_cuts(vfs, range(options.n), vfs.connect)
    faults = every_fault(vfs, range(options.histories))
    mutant = power_cuts(vfs, range(max(20, options.n // 50)), changed(without_syncs, vfs.connect))
    return {
        "n": cuts.runs,
        "bad": len(cuts.bad),
        "acknowledged": cuts.acknowledged,
        "faults": faults.runs,
        "faultsBad": len(faults.bad),
        "wrong": cuts.bad + faults.bad,
        "controlN": mutant.runs,
        "controlBad": len(mutant.bad),
    }, not cuts.bad and not faults.bad and mutant.bad


if __name__ == "__main__":
    sys.exit(main())
