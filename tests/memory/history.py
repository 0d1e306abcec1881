"""Changes to a store, drawn by number, and what the store must hold after each: the model it is compared with."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import Changes
from lens_lsp.model.cluster import Cluster, DocumentSummary, Turn, WrongAnswer
from tests.memory.kept import kept, kept_summary, kept_turn, kept_wrong

CLUSTERS = 12
THREADS = ("main", "aside")


@dataclass(frozen=True)
class Model:
    """What a store holds."""

    clusters: dict[str, Cluster] = field(default_factory=dict)
    summaries: dict[tuple[str, str], DocumentSummary] = field(default_factory=dict)
    turns: dict[tuple[str, int], Turn] = field(default_factory=dict)
    wrong: dict[str, WrongAnswer] = field(default_factory=dict)

    def after(self, changes: Changes) -> Model:
        """The model when changes were kept."""
        clusters = {id_: cluster for id_, cluster in self.clusters.items() if id_ not in changes.removed}
        return Model(
            clusters | {cluster.id: cluster for cluster in changes.clusters},
            self.summaries | {(each.root, each.path): each for each in changes.summaries},
            self.turns | {(each.thread, each.n): each for each in changes.turns},
            self.wrong | {each.id: each for each in changes.wrong},
        )


def drawn(seed: int, number: int) -> Changes:
    """The change of a number in a history: clusters new, changed, grown and removed, most of them few."""
    draw = random.Random(seed * 100_003 + number)
    ids = draw.sample(range(CLUSTERS), draw.choice([1, 1, 1, 2, 5]))
    removed = draw.sample(ids, draw.choice([0, 0, 1])) if len(ids) > 1 else []
    parts = draw.choice([1, 3, 3, 8, 40])
    return Changes(
        clusters=tuple(kept(n, revision=number, parts=parts) for n in ids if n not in removed),
        removed=tuple(f"k{n}" for n in removed),
        summaries=tuple(
            replace(kept_summary(n), text=f"revision {number} " * draw.choice([1, 300]))
            for n in draw.sample(range(CLUSTERS), draw.randrange(3))
        ),
        turns=tuple(kept_turn(n, draw.choice(THREADS)) for n in draw.sample(range(20), draw.randrange(2))),
        wrong=tuple(map(kept_wrong, draw.sample(range(20), draw.randrange(2)))),
    )


def found_in(store: Store) -> Model:
    """What a store says it holds."""
    return Model(
        {cluster.id: cluster for cluster in store.clusters()},
        {(each.root, each.path): each for each in store.summaries()},
        {(each.thread, each.n): each for thread in THREADS for each in store.turns(thread)},
        {each.id: each for each in store.wrong()},
    )


def begun(folder: Path, seed: int, changes: int = 3) -> Model:
    """A store with a short history."""
    model = Model()
    with Store.open(folder) as store:
        for number in range(changes):
            store.save(drawn(seed, number))
            model = model.after(drawn(seed, number))
    return model


def looked_at(folder: Path, *states: Model) -> tuple[Model, list[str]]:
    """What the store in a folder holds, and what is wrong when that is none of some states, or it speaks of damage."""
    with Store.open(folder) as store:
        found = found_in(store)
        health = store.health()
    told = [*health.notices, *health.problems]
    if found not in states:
        missing = min((len(state.clusters.keys() - found.clusters.keys()) for state in states), default=0)
        told.append(f"another state than what was acknowledged; {missing} clusters are missing")
    return found, told


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory where there is such a thing, for harnesses whose faults are not the real disk's."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)
