"""Notes that each say one thing nobody else says, and how another process changes them: for harnesses of drift.

``python -m tests.soak.cited_notes`` does the changes that it is told on standard input, each a JSON list of steps on a
line, and says by the monotonic clock, which all processes share, when each was done.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tests.lsp.lsp_client import REPOSITORY

Step = tuple[str, ...]
"""``write``, ``replace`` (by a new file) or ``unlink`` a path, or ``rename`` one to another."""

_HEAD, _TAIL = ("Bar", "Kel", "Mon", "Tir", "Vos", "Quen"), ("dor", "wick", "holm", "stead", "mere")
_MIDDLE = ("aling", "obran", "etsu", "imor", "ubel")
NAMES = tuple(f"{head}{middle}{tail}" for middle in _MIDDLE for head in _HEAD for tail in _TAIL)


@dataclass(frozen=True, slots=True)
class Note:
    """A file with a fact in it; ``year`` tells one wording of the fact from another, all are equally long."""

    path: Path
    name: str
    before: str
    behind: str

    @property
    def question(self) -> str:
        """What only this note answers."""
        return f"When was the lantern of {self.name} lit?"

    def fact(self, year: int) -> str:
        """The sentence that answers it."""
        return f"The lantern of {self.name} was lit in {year}."

    def text(self, year: int = 1000) -> str:
        """The whole note."""
        return f"{self.before}{self.fact(year)}{self.behind}"

    @property
    def other(self) -> Path:
        """A name that it can be moved to."""
        return self.path.with_name(f"moved-{self.path.name}")


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to a note; ``codes`` are those of the diagnostics of an answer that cites it, afterwards."""

    kind: str
    year: int
    """What the note says afterwards."""
    steps: tuple[Step, ...]
    undo: tuple[Step, ...]
    codes: frozenset[str]

    @property
    def paths(self) -> list[Path]:
        """All files that come, go or change."""
        return [Path(path) for path in dict.fromkeys(path for step in self.steps for path in named(step))]


MOVED = frozenset({"lens.citation-moved"})
DRIFTED = frozenset({"lens.citation-drifted", "lens.answer-stale"})
BROKEN = frozenset({"lens.citation-broken", "lens.answer-stale"})
KINDS = ("edit", "edit above", "save", "save above", "same times", "move", "move and edit", "delete")


def named(step: Step) -> tuple[str, ...]:
    """The paths of a step."""
    return step[1:] if step[0] == "rename" else step[1:2]


def change(note: Note, kind: str, year: int) -> Change:
    """A change of a note that says 1000; ``year`` is what it says afterwards, where it is edited."""
    path, other, text = str(note.path), str(note.other), note.text()
    edited, above = note.text(year), f"A line above, of {year}.\n\n{text}"
    back = ("replace", path, text)
    steps, undo, codes = {
        "edit": ([("write", path, edited)], [back], DRIFTED),
        "edit above": ([("write", path, above)], [back], MOVED),
        "save": ([("replace", path, edited)], [back], DRIFTED),
        "save above": ([("replace", path, above)], [back], MOVED),
        "same times": ([("write", path, edited, "keep")], [("write", path, text, "keep")], DRIFTED),
        "move": ([("rename", path, other)], [("rename", other, path)], MOVED),
        "move and edit": ([("rename", path, other), ("write", other, edited)], [("unlink", other), back], BROKEN),
        "delete": ([("unlink", path)], [back], BROKEN),
    }[kind]
    said = 1000 if kind in {"edit above", "save above", "move"} else year
    return Change(kind, said, tuple(steps), tuple(undo), codes)


def do(step: Step) -> None:
    """Do one step."""
    verb, path = step[0], step[1]
    if verb == "rename":
        os.rename(path, step[2])
    elif verb == "unlink":
        os.unlink(path)
    elif verb == "replace":
        part = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.part")
        Path(part).write_bytes(step[2].encode())
        os.replace(part, path)
    else:
        status = os.stat(path)
        Path(path).write_bytes(step[2].encode())
        if len(step) > 3:
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def planted(base: Path, source: Path, count: int, seed: int = 1) -> list[Note]:
    """A copy of a folder of texts in which so many, spread over all of it, say one thing more, below a heading."""
    folder = base / "notes"
    shutil.copytree(source, folder)
    files = sorted(path for path in folder.rglob("*") if path.suffix in {".md", ".txt"} and path.is_file())
    draw = random.Random(seed)
    notes = []
    for path, name in zip(draw.sample(files, count), draw.sample(NAMES, count), strict=True):
        text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        heading = text.find("\n\n", text.find("# ")) + 2 if "\n\n" in text else 0
        note = Note(path, name, text[:heading], f"\n\n{text[heading:]}")
        do(("replace", str(path), note.text()))
        notes.append(note)
    return notes


class Changer:
    """Another process that changes files. Use it in a ``with`` statement."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.soak.cited_notes"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=REPOSITORY)

    def __enter__(self) -> Changer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def do(self, steps: tuple[Step, ...]) -> float:
        """Have something done; when it was, by the monotonic clock."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(steps) + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


def draws(notes: list[Note], kinds: tuple[str, ...], seed: int) -> Iterator[Change]:
    """Changes for ever: each kind equally often, of notes by chance, every year another than the last ones."""
    draw = random.Random(seed)
    number = 0
    while True:
        for kind in draw.sample(kinds, len(kinds)):
            number += 1
            yield change(draw.choice(notes), kind, 1001 + number % 8_998)


def main() -> None:
    for line in sys.stdin:
        for step in json.loads(line):
            do(tuple(step))
        print(time.monotonic(), flush=True)


if __name__ == "__main__":
    main()
