"""One run of the benchmark: its corpora, made when they are first needed, its yardstick, and how often it measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.measuring import Series, Task, Timing, interleaved
from benchmarks.speed.answering import answer, lowered
from benchmarks.speed.corpora import Corpora, Folder
from benchmarks.speed.queries import TERMS, overlapping
from benchmarks.speed.ripgrep import Reference, Ripgrep, UnequalError, agreeing, find_ripgrep, write_patterns
from lens_lsp.corpus.encoding import Arena

_LEAST_CORES = 1.4


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured."""

    runs: int = 7
    questions: int = 20
    """Of find and ask; each of the runs asks all of them."""
    scaling_files: int = 1_000_000
    scaling_megabytes: int = 2_000
    scaling_questions: int = 5
    endurance_megabytes: int = 1_000
    endurance_questions: int = 100
    streamed_questions: int = 40
    """Of endurance with little memory, where each reads everything twice."""
    large_file_questions: int = 12
    """Of one large file, where each reads it many times."""


def _at_once(task: Task) -> Timing:
    return task()


@dataclass(slots=True)
class Bench:
    """What every part is given."""

    corpora: Corpora
    chosen: tuple[str, ...]
    """Corpora by name."""
    sizes: Sizes
    program: str | None
    """ripgrep; None for the one on the search path."""
    say: Callable[[str], None]
    commands: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _ripgrep: Ripgrep | None = None
    _matches: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        return self.corpora.work

    @property
    def runs(self) -> int:
        return self.sizes.runs

    @property
    def ripgrep(self) -> Ripgrep:
        """Raises NoRipgrepError."""
        if self._ripgrep is None:
            self._ripgrep = find_ripgrep(self.program)
        return self._ripgrep

    def folders(self, *names: str) -> list[Folder]:
        """The corpora of these names that were chosen."""
        return [self.corpora.folder(name) for name in names if name in self.chosen]

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
            shown = command.replace(str(self.work), "CORPORA")
            if shown not in self.commands:
                self.commands.append(shown)
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
