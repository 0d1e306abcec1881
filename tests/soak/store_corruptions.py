"""Files of a store damaged at random, and all that is read from them afterwards.

``python -m tests.soak.store_corruptions --n 5000`` damages as many copies of a store in every way of
``tests/memory/corruption.py`` and reads each as the program would: look up, fetch, list, save. What comes back
must be, whole, what was once written; a file that is not believed must be set aside under the name that is told, and a
new one must take what is saved. Sound files, some with the journal of a writer that died, are read in the same way:
none may be set aside. It prints one JSON line and exits with 1 if something else was believed, if a store could not be
used afterwards, if a sound file was set aside, or if reads without checksums were never caught by the same harness.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from pathlib import Path

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import Connect, StoreError, connect
from lens_lsp.memory.store_rows import Changes
from lens_lsp.model.cluster import Cluster
from tests.memory.corruption import CORRUPTIONS, HARMLESS, Corruption
from tests.memory.history import Model, drawn, found_in, scratch
from tests.memory.kept import fact_key, kept, kept_summary, kept_turn, question_key
from tests.memory.mutants import unchecked
from tests.soak.harness import Options, Verdict, harness

CLUSTERS = 16


@dataclass
class Tally:
    """What came of a number of damaged files."""

    runs: int = 0
    aside: int = 0
    unnoticed: int = 0
    """Files in use though something of them is missing, or of an earlier day: nobody can tell by looking at them."""
    harmless: int = 0
    believed: list[str] = field(default_factory=list)
    """Reads of what was never written."""
    unusable: list[str] = field(default_factory=list)
    wronged: list[str] = field(default_factory=list)
    """Sound files that were set aside, or not read as they are."""


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
            change = drawn(1, seed)
            store.save(change)
            after = found_in(store)
            notices, aside = store.notices, store.health().corrupt
    except StoreError as error:
        tally.unusable.append(f"{name}: {error}")
        return
    left = bool(notices)  # also as a file of a newer version, which a byte of the header may say
    if after not in (found.after(change), Model().after(change)) or (after != found.after(change) and not left):
        tally.unusable.append(f"{name}: what was saved afterwards is not there")
    if kind in HARMLESS and (left or found != original.model):
        tally.wronged.append(f"{name}: {notices}")
    tally.believed += [f"{name}: {what}" for what in (*wrong, *compared(found, original))]
    if not all(any(each in told for told in notices) for each in aside):
        tally.believed.append(f"{name}: set aside and not named")
    tally.aside += left
    tally.unnoticed += not left and found != original.model
    tally.harmless += not left and found == original.model


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


def compared(found: Model, original: Original) -> list[str]:
    """What is wrong with all that is listed."""
    wrong = [f"{each.id} was never like this" for each in found.clusters.values() if not written(each, original)]
    for each, known in ((found.summaries, original.model.summaries), (found.turns, original.model.turns)):
        wrong += [f"{name} was never like this" for name in each if each[name] != known.get(name)]
    return wrong


def written(cluster: Cluster, original: Original) -> bool:
    """Whether a cluster is what was once written, whole."""
    return cluster in (original.model.clusters.get(cluster.id), original.earlier.clusters.get(cluster.id))


def run(seeds: range, connect: Connect = connect, kinds: tuple[Corruption, ...] = CORRUPTIONS) -> Tally:
    """As many corruptions as seeds, of each kind in turn."""
    tally = Tally()
    with scratch() as base:
        original = Original.made(base / "original")
        for seed in seeds:
            with scratch() as folder:
                damaged(folder / "store", original, kinds[seed % len(kinds)], seed, tally, connect)
    return tally


@harness(n=5_000)
def main(options: Options) -> Verdict:
    tally = run(range(options.n))
    sound = run(range(max(12, options.n // 25)), kinds=HARMLESS)
    mutant = run(range(max(100, options.n // 25)), unchecked)
    figures = {
        "n": tally.runs,
        "bad": len(tally.believed) + len(sound.believed),
        "aside": tally.aside,
        "unnoticed": tally.unnoticed,
        "harmless": tally.harmless,
        "unusable": len(tally.unusable) + len(sound.unusable),
        "sound": sound.runs,
        "soundAside": len(sound.wronged),
        "first": (tally.believed + tally.unusable + sound.wronged + sound.believed + sound.unusable)[:5],
        "controlN": mutant.runs,
        "controlBad": len(mutant.believed),
    }
    return figures, not figures["first"] and mutant.believed


if __name__ == "__main__":
    sys.exit(main())
