"""ripgrep as the yardstick: the whole process, in several invocations that find the same matches."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import Series, Timing, timed_child

INVOCATIONS = {
    "count": ("-i", "-F", "--count-matches"),
    "only-matching": ("-i", "-F", "-o", "-b", "-N", "--no-heading"),
    "one-thread": ("-i", "-F", "--count-matches", "-j1"),
    "unrestricted": ("-i", "-F", "--count-matches", "-uu"),
}
"""Options by name. All print every match or how many there are; none stops early or counts lines."""

INSTALL = "install ripgrep (https://github.com/BurntSushi/ripgrep#installation) or name its program with --rg"


class NoRipgrepError(Exception):
    """ripgrep is not installed."""


class UnequalError(Exception):
    """Ours and theirs do not find the same, so their times cannot be compared."""


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """A program, and what it calls itself."""

    program: str
    version: str

    def command(self, invocation: str, patterns: Path, folder: Path) -> list[str]:
        return [self.program, "--no-config", *INVOCATIONS[invocation], "-f", str(patterns), "--", str(folder)]

    def shown(self, invocation: str, patterns: Path, folder: Path) -> str:
        return shlex.join(["rg", *self.command(invocation, patterns, folder)[1:]])

    def run(self, invocation: str, patterns: Path, folder: Path) -> Timing:
        """One whole process; what it prints is thrown away."""
        return timed_child(self.command(invocation, patterns, folder), stdout=subprocess.DEVNULL)[0]

    def output(self, arguments: Sequence[str]) -> bytes:
        return subprocess.run([self.program, "--no-config", *arguments], check=True, stdout=subprocess.PIPE).stdout

    def by_file(self, patterns: Path, folder: Path) -> dict[str, int]:
        """Matches in each file that has any, by relative path."""
        printed = self.output(["-i", "-F", "--count-matches", "--null", "-f", str(patterns), "--", str(folder)])
        counts = {}
        for line in printed.splitlines():
            path, count = line.rsplit(b"\0", 1)
            counts[os.path.relpath(os.fsdecode(path), folder)] = int(count)
        return counts

    def by_term(self, terms: Sequence[str], patterns: Path, folder: Path) -> dict[str, int]:
        """Matches of each term."""
        printed = self.output(["-i", "-F", "-o", "-N", "--no-filename", "-f", str(patterns), "--", str(folder)])
        counts = Counter(line.decode("utf-8", "replace").lower() for line in printed.split(b"\n") if line)
        return {term: counts[term.lower()] for term in terms}

    def total(self, invocation: str, patterns: Path, folder: Path) -> int:
        """Matches in all, as an invocation reports them."""
        command = self.command(invocation, patterns, folder)
        if "-o" in command:
            return self.output(command[2:]).count(b"\n")
        return sum(int(line.rsplit(b":", 1)[1]) for line in self.output(["-H", *command[2:]]).splitlines())


@dataclass(frozen=True, slots=True)
class Reference:
    """What each invocation took, in the same runs."""

    tried: dict[str, Series]

    def fastest(self, clock: str = "wall") -> tuple[str, Series]:
        """The yardstick: the invocation and its times."""
        name = min(self.tried, key=lambda name: self.tried[name].median(clock))
        return name, self.tried[name]

    def most_cores(self) -> float:
        """How many cores the invocation that used most of them had at a time."""
        return max(series.median("cpu") / series.median() for series in self.tried.values())


def find_ripgrep(program: str | None) -> Ripgrep:
    """ripgrep by name or from the search path. Raises NoRipgrepError."""
    found = shutil.which(program or "rg")
    if found is None:
        raise NoRipgrepError(f"there is no ripgrep at {program}" if program else f"ripgrep is missing: {INSTALL}")
    printed = subprocess.run([found, "--version"], check=True, stdout=subprocess.PIPE).stdout.decode()
    return Ripgrep(found, printed.split("\n", 1)[0])


def write_patterns(terms: Sequence[str], path: Path) -> Path:
    path.write_text("".join(f"{term}\n" for term in terms), "utf-8")
    return path


def agreeing(ripgrep: Ripgrep, patterns: Path, folder: Path, expected: int) -> list[str]:
    """The invocations that report ``expected`` matches; the others take no part. Raises UnequalError if none does."""
    names = [name for name in INVOCATIONS if ripgrep.total(name, patterns, folder) == expected]
    if not names:
        raise UnequalError(f"no invocation of ripgrep finds our {expected} matches of {patterns.name} in {folder}")
    return names
