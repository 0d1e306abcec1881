"""What a search in parts costs and gains on this machine, beside one process and ripgrep; and what that makes of more
machines.

python -m benchmarks.parts_speed FOLDER --questions FILE [--parts 1 2 4] [--runs 5] [--rg rg] [--out FILE]

``--questions`` is a JSON list of texts. The first question of a process reads every file; later ones take turns: one
process, each number of parts, ripgrep with the same words. Counted are round trips and bytes of each part and question.
From these constants `model` tells what machines with so many texts each would take, if the network between them has a
round trip of a millisecond and a gigabit a second: nothing of that is measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measuring import machine
from benchmarks.speed.ripgrep import find_ripgrep
from lens_lsp.app.lens import Lens
from lens_lsp.app.sharded_lens import ShardedLens
from lens_lsp.model.words import words
from lens_lsp.search.executors import Processes, ShardSpec
from lens_lsp.search.shards import RemoteShard, Shard

ROUND_TRIP, NETWORK = 0.001, 125e6
"""Assumed of a network: seconds, bytes a second."""
MACHINES = (1, 10, 100)


@dataclass
class Traffic:
    """What goes over the pipes of all parts."""

    trips: int = 0
    sent: int = 0
    received: int = 0
    waited: float = 0.0
    """Seconds until each reply came, added up."""


@dataclass
class Counting(Processes):
    """Processes whose pipes are counted."""

    traffic: Traffic = field(default_factory=Traffic)

    def __post_init__(self) -> None:
        super().__init__()

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """See `ShardExecutor`."""
        shard = super().shard(spec, until)
        if not isinstance(shard, RemoteShard):
            return shard
        send = shard._send

        def counted(data: bytes) -> bytes:
            begun = time.perf_counter()
            reply = send(data)
            self.traffic.trips += 1
            self.traffic.sent += len(data)
            self.traffic.received += len(reply)
            self.traffic.waited += time.perf_counter() - begun
            return reply

        return RemoteShard(shard.name, counted)


@dataclass
class Searcher:
    """Someone who is asked: what its first question took, and what each later one did."""

    name: str
    find: Callable[[str], object]
    traffic: Traffic | None = None
    first: float = 0.0
    first_traffic: Traffic | None = None
    later: list[float] = field(default_factory=list)

    def ask(self, text: str) -> None:
        """Ask a later question."""
        begun = time.perf_counter()
        self.find(text)
        self.later.append(time.perf_counter() - begun)

    def begin(self, text: str) -> None:
        """Ask the first one."""
        begun = time.perf_counter()
        self.find(text)
        self.first = time.perf_counter() - begun
        if self.traffic is not None:
            self.first_traffic = Traffic(**vars(self.traffic))
            vars(self.traffic).update(vars(Traffic()))

    def row(self, parts: int, questions: int) -> dict[str, Any]:
        """Its figures."""
        said: dict[str, Any] = {"who": self.name, "first": self.first, "later": statistics.median(self.later)}
        if self.traffic is not None and self.first_traffic is not None:
            each = parts * questions
            said |= {
                "trips": self.traffic.trips / each,
                "sent": self.traffic.sent / each,
                "received": self.traffic.received / each,
                "tables": self.first_traffic.received / parts,
            }
        return said


def constants_of(found: dict[str, Any]) -> dict[str, float]:
    """What the model is made of, from what was measured: with a part that is the whole, and without."""
    one, part = found["rows"][0], next(row for row in found["rows"] if row["who"] == "1 part")
    by_size = statistics.median(stages["walk"] + stages["scan"] for stages in found["stages"])
    return {
        "readBytesPerSecond": found["bytes"] / max(one["first"] - one["later"], 1e-9),
        "scannedBytesPerSecond": found["bytes"] / by_size,
        "fixedSeconds": max(one["later"] - by_size, 0.0),
        "coordinationSeconds": max(part["later"] - one["later"], 0.0),
        "trips": part["trips"],
        "sentBytes": part["sent"],
        "receivedBytes": part["received"],
        "tableBytes": part["tables"],
        "bytes": found["bytes"],
    }


def model(constants: dict[str, float], texts: float, machines: int) -> dict[str, float]:
    """Seconds of the first and of a later question over so many bytes of ``texts``, a like part on each machine.

    Machines read and scan at the same time. What they send grows with the texts that hold the words, not with the
    number of machines, and the asking machine takes it in alone.
    """
    own, share = texts / machines, texts / constants["bytes"]
    taken_in = share * (constants["receivedBytes"] / NETWORK + constants["coordinationSeconds"])
    later = constants["fixedSeconds"] + own / constants["scannedBytesPerSecond"]
    later += constants["trips"] * ROUND_TRIP + taken_in
    tables = share * constants["tableBytes"] / NETWORK
    return {"first": later + own / constants["readBytesPerSecond"] + tables, "later": later}


def measured(folder: Path, texts: Sequence[str], parts: Sequence[int], runs: int, rg: str | None) -> dict[str, Any]:
    """All figures of a folder. Raises `NoRipgrepError`."""
    ripgrep = find_ripgrep(rg)
    stages: list[dict[str, float]] = []
    with ExitStack() as stack:
        patterns = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "words"
        one = Lens([str(folder)])

        def find(text: str) -> None:
            stages.append({stage.name: stage.seconds for stage in one.find(text).stages})

        def look(text: str) -> None:
            patterns.write_text("\n".join(sorted({word for word in words(text) if len(word) > 1})) + "\n", "utf-8")
            ripgrep.run("count", patterns, folder)

        searchers = [Searcher("one process", find)]
        for count in parts:
            executor = Counting()
            lens = ShardedLens(executor, [folder], count)
            stack.callback(lens.close)
            name = f"{count} {'part' if count == 1 else 'parts'}"
            searchers.append(Searcher(name, lens.find, executor.traffic))
        searchers.append(Searcher(ripgrep.version, look))
        for searcher in searchers:
            searcher.begin(texts[0])
        stages.clear()
        for text in list(texts[1:]) * runs:
            for searcher in searchers:
                searcher.ask(text)
    asked = len(texts[1:]) * runs
    rows = [searcher.row(count, asked) for searcher, count in zip(searchers, (1, *parts, 1), strict=True)]
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    return {"machine": machine(), "files": len(files), "bytes": size, "asked": asked, "rows": rows, "stages": stages}


def main() -> int:
    """Measure, and print the table, the constants and the model."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parts_speed")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 2, 4], help="with 1 among them")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rg")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    texts = json.loads(args.questions.read_text("utf-8"))
    found = measured(args.folder, texts, args.parts, args.runs, args.rg)
    constants = constants_of(found)
    found |= {"constants": constants, "model": {}}
    print(f"{found['files']:,} files, {found['bytes'] / 1e9:.2f} GB, {found['asked']} later questions; seconds")
    for row in found["rows"]:
        traffic = f", {row['trips']:.0f} trips, {row['received'] / 1e3:.0f} kB back a part" if "trips" in row else ""
        print(f"{row['who']}: first {row['first']:.2f}, later {row['later']:.3f}{traffic}")
    for name, value in constants.items():
        print(f"{name}: {value:,.4g}")
    for times in (1, 10, 100):
        for machines in MACHINES:
            said = model(constants, found["bytes"] * times, machines)
            found["model"][f"{times}x, {machines}"] = said
            texts_ = f"{found['bytes'] * times / 1e9:.0f} GB on {machines}"
            print(f"model, {texts_}: first {said['first']:.1f}, later {said['later']:.2f}")
    if args.out is not None:
        args.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
