"""Files of a store damaged at random, and all that is read from them afterwards.

``python -m tests.soak.store_corruptions --n 5000`` damages as many copies of a store in every way of
``tests/memory/corruption.py`` and reads each as the program would: look up, fetch, list. What comes back must be
what was written, whole, or the loss must be told; and nothing that was never written may come back, told or not. It
prints one JSON line and exits with 1 if one read was silently wrong, if a store could not be used afterwards, or if
reads without checksums were never caught by the same harness.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import Connect, StoreError, connect
from lens_lsp.memory.store_rows import Changes
from lens_lsp.model.cluster import Cluster
from tests.memory.store.corruption import CORRUPTIONS, Corruption
from tests.memory.store.history import Model, drawn, found_in, scratch
from tests.memory.store.kept import fact_key, kept, kept_summary, kept_turn, question_key
from tests.memory.store.mutants import unchecked

CLUSTERS = 16


@dataclass
class Tally:
    """What came of a number of corruptions."""

    runs: int = 0
    told: int = 0
    harmless: int = 0
    silent: list[str] = field(default_factory=list)
    """Reads that were wrong, and of losses those that were not told."""
    unusable: list[str] = field(default_factory=list)
    saved: Counter[str] = field(default_factory=Counter)
    """Clusters that were whole afterwards, by kind of damage."""


@dataclass(frozen=True)
class Original:
    """The store that is damaged: its file as it is and as it was, and what both hold."""

    now: bytes
    before: bytes
    model: Model
    earlier: Model

    @classmethod
    def made(cls, folder: Path) -> Original:
        first = Changes(
            clusters=tuple(kept(n, revision=1) for n in range(CLUSTERS)),
            summaries=tuple(kept_summary(n) for n in range(CLUSTERS)),
            turns=tuple(kept_turn(n) for n in range(CLUSTERS)),
        )
        later = Changes(clusters=tuple(kept(n, revision=2, parts=4) for n in range(0, CLUSTERS, 3)))
        with Store.open(folder) as store:
            store.save(first)
            before = store.path.read_bytes()
            store.save(later)
            now = store.path.read_bytes()
        return cls(now, before, Model().after(first).after(later), Model().after(first))


def damaged(folder: Path, original: Original, kind: Corruption, seed: int, tally: Tally, connect: Connect) -> None:
    """One corruption, and what is read after it."""
    folder.mkdir()
    path = folder / "knowledge.db"
    path.write_bytes(original.now)
    kind(path, original.before, random.Random(seed))
    name = f"seed {seed}, {kind.__name__}"
    tally.runs += 1
    try:
        with Store.open(folder, connect=connect) as store:
            wrong = [*looked_up(store, original), *fetched(store, original)]
            found = found_in(store)
            told = bool(store.notices)
            store.save(drawn(1, seed))
            usable = found_in(store) == found.after(drawn(1, seed))
    except StoreError as error:
        tally.unusable.append(f"{name}: {error}")
        return
    wrong += compared(found, original, told=told)
    tally.silent += [f"{name}: {what}" for what in wrong]
    if not usable:
        tally.unusable.append(f"{name}: what was saved afterwards is not there")
    tally.told += told
    tally.harmless += not told
    tally.saved[kind.__name__] += sum(found.clusters.get(id_) == each for id_, each in original.model.clusters.items())


def looked_up(store: Store, original: Original) -> list[str]:
    """Lookups that name what they should not; one that names nothing costs a search and is no lie."""
    wrong = []
    for n in range(CLUSTERS):
        for asked, ids in ((n, store.by_question(question_key(n))), (n, store.by_fact(fact_key(n)))):
            if set(ids) - {f"k{asked}"}:
                wrong.append(f"looked up k{asked}, found {ids}")
    return wrong


def fetched(store: Store, original: Original) -> list[str]:
    """Single clusters that hold what was never written."""
    clusters = ((id_, store.cluster(id_)) for id_ in original.model.clusters)
    return [f"{id_} was never like this" for id_, each in clusters if each is not None and not written(each, original)]


def compared(found: Model, original: Original, *, told: bool) -> list[str]:
    """What is wrong with all that is listed."""
    wrong = [f"{each.id} was never like this" for each in found.clusters.values() if not written(each, original)]
    wrong += [
        f"summary of {each.path}" for each in found.summaries.values() if each not in original.model.summaries.values()
    ]
    wrong += [f"turn {each.n}" for each in found.turns.values() if each not in original.model.turns.values()]
    if found != original.model and not told:
        wrong.append("something is missing or old, and nothing is said")
    return wrong


def written(cluster: Cluster, original: Original) -> bool:
    """Whether a cluster is what was once written, or a part of that."""
    states = (original.model.clusters.get(cluster.id), original.earlier.clusters.get(cluster.id))
    return any(state is not None and _part_of(cluster, state) for state in states)


def _part_of(cluster: Cluster, whole: Cluster) -> bool:
    bare = replace(whole, asked=(), facts=(), citations=(), links=())
    same = replace(cluster, asked=(), facts=(), citations=(), links=()) == bare
    rebuilt = cluster.hits == 0 and cluster.title in ("", *(asked.question for asked in whole.asked))
    return (
        (same or rebuilt)
        and set(cluster.asked) <= set(whole.asked)
        and all(fact in whole.facts for fact in cluster.facts)
        and all(citation in whole.citations for citation in cluster.citations)
        and set(cluster.links) <= set(whole.links)
    )


def run(seeds: range, connect: Connect = connect, kinds: tuple[Corruption, ...] = CORRUPTIONS) -> Tally:
    """As many corruptions as seeds, of each kind in turn."""
    tally = Tally()
    with scratch() as base:
        original = Original.made(base / "original")
        for seed in seeds:
            with scratch() as folder:
                damaged(folder / "store", original, kinds[seed % len(kinds)], seed, tally, connect)
    return tally


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=5_000)
    count = parser.parse_args(arguments).n
    started = time.perf_counter()
    tally = run(range(count))
    mutant = run(range(max(100, count // 25)), unchecked)
    per_kind = {kind.__name__: len(range(at, count, len(CORRUPTIONS))) for at, kind in enumerate(CORRUPTIONS)}
    figures = {
        "figure": "store-corruptions",
        "n": tally.runs,
        "bad": len(tally.silent),
        "told": tally.told,
        "harmless": tally.harmless,
        "unusable": len(tally.unusable),
        "first": (tally.silent + tally.unusable)[:5],
        "wholeAfterwards": {
            name: round(tally.saved[name] / (CLUSTERS * runs), 3) for name, runs in per_kind.items() if runs
        },
        "controlN": mutant.runs,
        "controlBad": len(mutant.silent),
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(figures))
    return 0 if not tally.silent and not tally.unusable and mutant.silent else 1


if __name__ == "__main__":
    sys.exit(main())
