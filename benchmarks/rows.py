"""The six rows of the table, each measured against its yardstick in alternating runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import answering
from benchmarks.answering import answer, lowered
from benchmarks.corpora import CAN_EVICT, ColdCacheError, Folder, cached_share, evict
from benchmarks.measuring import REPOSITORY, Series, Task, Timing, interleaved, timed, timed_child
from benchmarks.peers import lean_peers, peers
from benchmarks.queries import TERMS, overlapping
from benchmarks.ripgrep import Reference, Ripgrep, UnequalError, agreeing, write_patterns
from lens_lsp.corpus.arena import Arena
from lens_lsp.corpus.cache import TextCache
from lens_lsp.corpus.opening import Root
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.walk import discover

WARM_GATES = {"A": {"T12": 15.0, "T40": 5.0}, "docs": {"T12": 8.0, "T40": 2.0}, "C": {"T12": 6.0, "T40": 1.0}}
"""How many times faster than ripgrep, by the wall."""
NOTHING_CACHED_GATE = 1.0
COLD_GATE = 1.5
"""At most so many times ripgrep's processor time, and its wall time."""
CHANGED_GATES = {"warm": 100.0, "cold server": 4.0}
_LEAST_CORES = 1.4
_REPEATED = 20
"""How often the changed note says what is looked for."""


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table. ``ratio`` is theirs over ours, or ours over theirs where a gate is a ceiling."""

    row: str
    what: str
    corpus: str
    terms: str
    clock: str
    ours: Series
    theirs: Series
    yardstick: str
    gate: float | None
    ceiling: bool = False
    note: str = ""

    @property
    def ratio(self) -> float:
        ours, theirs = self.ours.median(self.clock), self.theirs.median(self.clock)
        return ours / theirs if self.ceiling else theirs / ours

    @property
    def passed(self) -> bool | None:
        """Whether the gate holds; None where there is none."""
        if self.gate is None:
            return None
        return self.ratio <= self.gate if self.ceiling else self.ratio >= self.gate

    def json(self) -> dict[str, Any]:
        return {
            "row": self.row,
            "what": self.what,
            "corpus": self.corpus,
            "terms": self.terms,
            "clock": self.clock,
            "lens": self.ours.json(),
            "yardstick": self.yardstick,
            "theirs": self.theirs.json(),
            "ratio": self.ratio,
            "gate": self.gate,
            "gateIsCeiling": self.ceiling,
            "passed": self.passed,
            "note": self.note,
        }


def _at_once(task: Task) -> Timing:
    return task()


@dataclass(slots=True)
class Bench:
    """One run: the yardstick, how often, and what was printed on the way."""

    ripgrep: Ripgrep
    work: Path
    runs: int
    say: Callable[[str], None]
    commands: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _matches: dict[tuple[str, str], int] = field(default_factory=dict)

    def patterns(self, folder: Folder, terms: str) -> Path:
        return write_patterns(TERMS[folder.name][terms], self.work / f"{folder.name}-{terms}.txt")

    def matches(self, folder: Folder, terms: str, texts: tuple[Arena, list[str]] | None = None) -> int:
        """How many there are; counted once. Raises UnequalError unless ripgrep finds the same."""
        key = (folder.name, terms)
        if key not in self._matches:
            arena, files = texts or lowered(str(folder.path))
            self._matches[key] = prove_equal(
                self.ripgrep, folder, TERMS[folder.name][terms], self.patterns(folder, terms), arena, files
            )
        return self._matches[key]

    def against(
        self, folder: Folder, terms: str, *ours: Task, around: Callable[[Task], Timing] = _at_once
    ) -> tuple[list[Series], Reference]:
        """Our tasks and every invocation of ripgrep that finds our matches, in alternating runs.

        ``around`` is given each of ripgrep's runs to prepare for.
        """
        matches = self.matches(folder, terms)
        patterns = self.patterns(folder, terms)
        names = agreeing(self.ripgrep, patterns, folder.path, matches)
        rivals = [partial(around, partial(self.ripgrep.run, name, patterns, folder.path)) for name in names]
        series = interleaved(self.runs, *ours, *rivals)
        found = Reference(dict(zip(names, series[len(ours) :], strict=True)))
        self.say(f"  {folder.name} {terms}: {matches:,} matches, equal by term and by file; ripgrep tried:")
        for name, tried in found.tried.items():
            command = self.ripgrep.shown(name, patterns, folder.path)
            if command not in self.commands:
                self.commands.append(command)
            self.say(f"    {tried.shown()} ms, cpu {tried.shown('cpu')} ms: {command}")
        if around is _at_once:
            self._note_crowding(f"{folder.name} {terms}", found)
        return series[: len(ours)], found

    def _note_crowding(self, what: str, found: Reference) -> None:
        """Say so when ripgrep's threads had to share a core with others: its wall time then flatters us."""
        cores = found.most_cores()
        if (os.cpu_count() or 1) > 1 and cores < _LEAST_CORES:
            self.warnings.append(
                f"{what}: ripgrep's threads got {cores:.2f} cores: the machine was busy, its wall times are too long"
            )
            self.say(f"    WARNING {self.warnings[-1]}")


def prove_equal(
    ripgrep: Ripgrep, folder: Folder, terms: Sequence[str], patterns: Path, arena: Arena, files: Sequence[str]
) -> int:
    """Raise UnequalError unless our matches and ripgrep's are as many for every term and in every file."""
    if pairs := overlapping(terms):
        raise UnequalError(f"{folder.name}: terms that can overlap: {pairs}")
    ours = answer(arena, terms)
    mine, theirs = ours.by_term(terms), ripgrep.by_term(terms, patterns, folder.path)
    if mine != theirs or not all(mine.values()):
        raise UnequalError(f"{folder.name}: by term ripgrep counts {theirs}, we {mine}; each must occur")
    counts = {files[slot]: count for slot, count in ours.by_slot().items()}
    by_file = ripgrep.by_file(patterns, folder.path)
    if by_file != counts:
        differing = sorted(path for path in by_file.keys() | counts if by_file.get(path) != counts.get(path))
        raise UnequalError(f"{folder.name}: counts differ in {differing[:5]}")
    return len(ours.hits)


def warm(bench: Bench, row: str, folder: Folder) -> Iterator[Result]:
    """Rows 1 to 3: everything in memory, T12 and T40."""
    texts = lowered(str(folder.path))
    for terms, gate in WARM_GATES[folder.name].items():
        matches = bench.matches(folder, terms, texts)
        wanted = TERMS[folder.name][terms]
        (ours,), rg = bench.against(folder, terms, partial(timed, partial(answer, texts[0], wanted)))
        name, theirs = rg.fastest()
        note = f"{matches:,} matches"
        yield Result(row, "warm question", folder.name, terms, "wall", ours, theirs, name, gate, note=note)


def nothing_cached(bench: Bench, folder: Folder, gated: bool) -> Iterator[Result]:
    """Row 4: empty cache, page cache warm; processor time of the work in a fresh process, imports left out."""
    tasks = [partial(_alone, way, folder, "T12") for way in ("product", "lean")]
    (product, lean), rg = bench.against(folder, "T12", *tasks)
    gate = NOTHING_CACHED_GATE if gated else None
    for what, ours, (name, theirs), limit in (
        ("nothing cached", product, rg.fastest(), gate),
        ("… ASCII lowered only", lean, rg.fastest(), None),
        ("… against its least CPU", product, rg.fastest("cpu"), None),
    ):
        yield Result("4", what, folder.name, "T12", "cpu", ours, theirs, name, limit, ceiling=True)


def cold(bench: Bench, folder: Folder, gated: bool) -> Iterator[Result]:
    """Row 5: page cache dropped before every run; the wall. Raises ColdCacheError where the system cannot."""
    if not CAN_EVICT:
        raise ColdCacheError("this system cannot drop files from its page cache: leave row 5 out")
    left: list[float] = []

    def dropped(task: Task) -> Timing:
        evict(folder)
        left.append(cached_share(folder))
        return task()

    tasks = [partial(dropped, partial(_alone, way, folder, "T12")) for way in ("product", "lean")]
    (product, lean), rg = bench.against(folder, "T12", *tasks, around=dropped)
    name, theirs = rg.fastest()
    gate = COLD_GATE if gated else None
    note = f"at most {max(left):.1%} of the files were in the page cache"
    for what, ours, limit in (("cold page cache", product, gate), ("… ASCII lowered only", lean, None)):
        yield Result("5", what, folder.name, "T12", "wall", ours, theirs, name, limit, ceiling=True, note=note)


def changed(bench: Bench, folder: Folder) -> Iterator[Result]:
    """Row 6: one file was changed; how soon the ten best are known again."""
    terms = TERMS[folder.name]["T12"]
    with tempfile.TemporaryDirectory(prefix="changed-", dir=bench.work) as scratch:
        copy = Path(scratch, "corpus")
        shutil.copytree(folder.path, copy)
        with Root(str(copy)) as root:
            edit = _Edit(root, terms)
            gated, lean = peers(copy, terms), lean_peers(copy, terms)
            rivals = gated | lean
            if not all(rebuild() for rebuild in rivals.values()):
                raise UnequalError("a rebuilt index finds nothing")
            copied = Folder(folder.name, copy, folder.files, folder.bytes)
            server = partial(_alone, "product", copied, "T12")
            rebuilds = [partial(timed, rebuild) for rebuild in rivals.values()]
            warm, cold_server, *rebuilt = interleaved(bench.runs, edit.answered, server, *rebuilds)
    for name, theirs in zip(rivals, rebuilt, strict=True):
        for way, clock, ours in (("warm", "wall", warm), ("cold server", "cpu", cold_server)):
            what, gate = f"changed → top 10, {way}", CHANGED_GATES[way] if name in gated else None
            yield Result("6", what, folder.name, "T12", clock, ours, theirs, f"{name} rebuild", gate)


class _Edit:
    """A note that keeps changing in a workspace whose texts are in memory."""

    def __init__(self, root: Root, terms: Sequence[str]) -> None:
        self._root = root
        self._terms = terms
        self._files = discover(root, CorpusRules()).files
        self._cache = TextCache()
        self._cache.refresh([root], self._files, {})
        self._place = len(self._files) // 2
        self._path = os.path.join(root.path, self._files[self._place].path)
        self._times = 0

    def answered(self) -> Timing:
        """Change the note; the time from then on, until the answer with the note in it."""
        self._times += 1
        with open(self._path, "w", encoding="utf-8") as file:
            file.write(f"Revision {self._times}: {', '.join(self._terms)}.\n" * _REPEATED)
        found: list[answering.Answer] = []
        timing = timed(lambda: found.append(self._answer()))
        paths = [text.key[1] for slot in found[0].slots if (text := self._cache.slots[slot]) is not None]
        if self._files[self._place].path not in paths:
            raise UnequalError("the changed note is not among the best")
        return timing

    def _answer(self) -> answering.Answer:
        old = self._files[self._place]
        status = os.stat(self._path)
        self._files[self._place] = old._replace(
            size=status.st_size, mtime_ns=status.st_mtime_ns, ctime_ns=status.st_ctime_ns, inode=status.st_ino
        )
        self._cache.refresh([self._root], self._files, {})
        return answer(self._cache.arena, self._terms)


def _alone(way: str, folder: Folder, terms: str) -> Timing:
    """The work in a process of its own, started as the command line starts: without a thread of BLAS for each core."""
    arguments = [sys.executable, "-m", "benchmarks.answering", way, str(folder.path), folder.name, terms]
    environment = {"OPENBLAS_NUM_THREADS": "1"} | os.environ
    _, output = timed_child(arguments, cwd=REPOSITORY, stdout=subprocess.PIPE, env=environment)
    found = json.loads(output)
    return Timing(found["wall"], found["cpu"])
