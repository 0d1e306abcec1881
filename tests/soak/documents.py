"""Documents that were damaged, and documents made to kill: every one ends in time, and good ones in between are read.

``python -m tests.soak.documents --mutations 30000 --bombs 63 --scans 200 --seed 1`` reads as many damaged documents and
bombs in the product's own worker, good documents after every bomb and every tenth damaged one, has as many damaged
scans recognised in the worker for those, and prints one JSON line. It
exits with 1 if a document was late (a hang), if anything but a text or a reason came back (a fault), if a good document
did not give its text, or if this process grew beyond bounds. The control reads some of the bombs as the product must
not: in a process that nobody kills. If it reads them all in time the bombs are too weak, and it exits with 1, too.
"""

from __future__ import annotations

import gc
import io
import random
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from lens_lsp.documents.extractor import GRACE, PICTURE_SECONDS, SECONDS, Extractor
from lens_lsp.documents.kinds import PICTURE, SCAN, DocumentKind, Extracted, Unextracted, kind_for, kind_named, missing
from tests.soak.document_bombs import BOMBS
from tests.soak.document_seeds import made, scanned
from tests.soak.harness import Options, Verdict, harness

LATE = 2.0
"""Seconds after its time at which a document that is not given up is a hang; a large process does not go at once."""
PATIENCE = 10.0
"""Seconds for a good document: it is to be read, however busy the machine is."""
MOST_GROWTH = 400_000_000
BETWEEN = 10
"""Damaged documents between two good ones."""
LARGEST_SAMPLE = 100_000
CONTROL = ("a-gibibyte-in-a-run", "three-million-paragraphs", "nine-million-operators", "braces")
CONTROL_SECONDS = 15.0
CONTROL_MEMORY = 2 << 30
_TESTS = Path(__file__).resolve().parent.parent
_SAMPLES = tuple(_TESTS / "documents" / name for name in ("samples", "binary_sheets", "outlook"))
_RECOGNISED = 60.0
"""Seconds for a scan to be recognised, and"""
_MODEL_MEMORY = 2 << 30
"""bytes for the worker that does it, as in the product."""

_UNKILLED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
from importlib import import_module
from lens_lsp.documents.kinds import kind_named
from tests.soak.document_bombs import BOMBS
name, bomb = BOMBS[sys.argv[1]]
data = bomb()
kind = kind_named(name)
reader = getattr(import_module(kind.module), kind.reader)()
print("ready", flush=True)
reader.extract(data)
"""


@dataclass
class Tally:
    """What came of a number of documents."""

    documents: int = 0
    hangs: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    good: int = 0
    bad_good: list[str] = field(default_factory=list)
    worst: float = 0.0
    worst_of: str = ""
    worst_good: float = 0.0
    ends: Counter[str] = field(default_factory=Counter)
    of_bombs: dict[str, str] = field(default_factory=dict)


def samples() -> dict[str, bytes]:
    """The small good documents, and those of real writers where there are some."""
    found = (path for folder in _SAMPLES for path in folder.rglob("*"))
    kept = sorted(path for path in found if kind_for(path.name) and path.is_file())
    return made() | scanned() | {path.name: path.read_bytes() for path in kept if path.stat().st_size <= LARGEST_SAMPLE}


def mutations(seeds: dict[str, bytes], seed: int) -> Iterator[tuple[str, bytes]]:
    """Damaged documents without end; half of those that are zips are damaged in a part, so that they still open."""
    chance = random.Random(seed)
    names = sorted(seeds)
    while True:
        name = chance.choice(names)
        data = seeds[name]
        if data.startswith(b"PK") and chance.random() < 0.5:
            yield name, _with_damaged_part(data, chance)
        else:
            yield name, _damaged(data, chance)


def _damaged(data: bytes, chance: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(chance.choice((1, 3, 10, 40))):
        at, size, what = chance.randrange(len(broken) + 1), chance.randrange(1, 40), chance.random()
        if what < 0.5:
            broken[at : at + 1] = bytes([chance.randrange(256)])
        elif what < 0.65:
            del broken[at : at + size]
        elif what < 0.8:
            other = chance.randrange(len(broken) + 1)
            broken[at:at] = broken[other : other + size] * chance.choice((1, 2, 50))
        elif what < 0.9:
            broken[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"99999999", b"-1"))
        else:
            broken[at:] = b"" if chance.random() < 0.3 else broken[at:][::-1]
    return bytes(broken)


def _with_damaged_part(data: bytes, chance: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(parts))
    parts[name] = _damaged(parts[name], chance)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for each, content in parts.items():
            archive.writestr(each, content)
    return out.getvalue()


class Soak:
    """One extractor under fire, and what became of every document that it was given."""

    def __init__(self, extractor: Extractor) -> None:
        self.tally = Tally()
        self._extractor = extractor
        seeds = made()
        self._good = cycle([(name, data, self._read(name, data)) for name, data in sorted(seeds.items())])

    def hostile(self, what: str, name: str, data: bytes) -> str:
        """Read a document that may do anything, after a glance, a later part and pictures of its first page where its
        kind has them; its end."""
        kind = kind_of(name)
        if kind.glances:
            self._bounded(f"glance, {what}", lambda: self._extractor.glance(kind, [data]))
        if kind.part:
            self._bounded(f"later part, {what}", lambda: self._extractor.extract(kind, data, first=1))
        if kind.pictures:
            self._bounded(f"view, {what}", lambda: self._extractor.view(kind, data, 1, "lamps", seconds=SECONDS))
            self._bounded(f"picture, {what}", lambda: self._extractor.picture(kind, data, 0), PICTURE_SECONDS)
        end = self._bounded(what, lambda: self._extractor.extract(kind, data))
        self.tally.documents += 1
        self.tally.ends[end] += 1
        return end

    def scan(self, models: Extractor, what: str, data: bytes) -> str:
        """Have the first page of what may be no scan any more recognised; how that ended."""
        end = self._bounded(what, lambda: models.recognise(data, 0, seconds=_RECOGNISED), _RECOGNISED)
        self.tally.documents += 1
        self.tally.ends[f"scan {end}"] += 1
        return end

    def _bounded(self, what: str, do: Callable[[], object], allowed: float = SECONDS) -> str:
        """Do it; how it ended, and whether that was in the seconds that are allowed."""
        began = time.monotonic()
        try:
            do()
            end = "read"
        except Unextracted as reason:
            end = reason.failure.value
        except Exception as error:  # noqa: BLE001 - whatever else comes out is what is looked for
            end = "fault"
            self.tally.faults.append(f"{what}: {type(error).__name__}: {error}")
        seconds = time.monotonic() - began
        if seconds > allowed + GRACE + LATE:
            self.tally.hangs.append(f"{what}: {seconds:.1f} s")
        if seconds > self.tally.worst and allowed == SECONDS:
            self.tally.worst, self.tally.worst_of = seconds, what
        return end

    def good(self) -> None:
        """Read the next good document: it gives the text that it gave before there was any other."""
        name, data, expected = next(self._good)
        began = time.monotonic()
        try:
            if self._read(name, data) != expected:
                self.tally.bad_good.append(f"{name}: another text")
        except Unextracted as reason:
            self.tally.bad_good.append(f"{name}: {reason}")
        self.tally.worst_good = max(self.tally.worst_good, time.monotonic() - began)
        self.tally.good += 1

    def _read(self, name: str, data: bytes) -> Extracted:
        kind = kind_for(name)
        if kind is None:
            raise ValueError(f"no kind reads {name}")
        return self._extractor.extract(kind, data, seconds=PATIENCE)


def kind_of(name: str) -> DocumentKind:
    """The kind of a document by the end of its name, or by its own."""
    return kind_for(name) or (PICTURE if name.rpartition(".")[2] in PICTURE.suffixes else kind_named(name))


def drop(soak: Soak, names: list[str]) -> None:
    """Bombs, each followed by a good document."""
    for name in names:
        kind, bomb = BOMBS[name]
        soak.tally.of_bombs[name] = soak.hostile(name, kind, bomb())
        soak.good()


def damage(soak: Soak, count: int, seed: int) -> None:
    """Damaged documents, every so often followed by a good one."""
    for number, (name, data) in enumerate(islice(mutations(samples(), seed), count)):
        soak.hostile(f"mutation {number} of {name}", name, data)
        if number % BETWEEN == 0:
            soak.good()


def recognise(soak: Soak, models: Extractor, count: int, seed: int) -> None:
    """Damaged scans are recognised, and before and after them a good one, alike."""
    seeds = {} if missing(SCAN) else scanned()
    for number, (name, data) in enumerate(islice(mutations(seeds, seed), count if seeds else 0)):
        soak.scan(models, f"scan {number} of {name}", data)
        if number % BETWEEN == 0 and soak.scan(models, "good scan", seeds["scan.pdf"]) != "read":
            soak.tally.bad_good.append("scan.pdf: not recognised")


def control(names: tuple[str, ...] = CONTROL) -> list[str]:
    """The bombs that a process without limits of its own does not survive, or is late with."""
    caught = []
    for name in names:
        code = _UNKILLED.format(memory=CONTROL_MEMORY)
        with subprocess.Popen(
            [sys.executable, "-c", code, name],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_TESTS.parent,
            text=True,
        ) as process:
            ready = process.stdout is not None and process.stdout.readline() == "ready\n"
            began = time.monotonic()
            try:
                failed = process.wait(CONTROL_SECONDS) not in (0, 1)
            except subprocess.TimeoutExpired:
                process.kill()
                failed = True
            if ready and (failed or time.monotonic() - began > SECONDS + GRACE + LATE):
                caught.append(name)
    return caught


def resident() -> int:
    """Bytes of memory in use now; 0 where the system does not tell."""
    gc.collect()
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


@harness(mutations=30_000, bombs=len(BOMBS), scans=200, seed=1)
def main(options: Options) -> Verdict:
    with Extractor() as extractor:
        soak = Soak(extractor)
        before = resident()
        drop(soak, list(islice(cycle(BOMBS), options.bombs)))
        damage(soak, options.mutations, options.seed)
        with Extractor(memory=_MODEL_MEMORY) as models:
            recognise(soak, models, options.scans, options.seed)
        growth = resident() - before
        tally, respawns, kept = soak.tally, extractor.started - 1, sorted(extractor.kept)
    caught = control()
    row = {
        "n": tally.documents,
        "mutations": options.mutations,
        "bombs": options.bombs,
        "scans": options.scans,
        "seed": options.seed,
        "hangs": len(tally.hangs),
        "faults": len(tally.faults),
        "good": tally.good,
        "goodFailed": len(tally.bad_good),
        "worst_s": round(tally.worst, 2),
        "worstOf": tally.worst_of,
        "worstGood_s": round(tally.worst_good, 2),
        "respawns": respawns,
        "growth_mb": round(growth / 1e6, 1),
        "kept": kept,
        "ends": dict(tally.ends),
        "ofBombs": tally.of_bombs,
        "controlCaught": caught,
        "wrong": [*tally.hangs, *tally.faults, *tally.bad_good],
    }
    clean = not (tally.hangs or tally.faults or tally.bad_good) and growth < MOST_GROWTH
    return row, clean and caught


if __name__ == "__main__":
    sys.exit(main())
