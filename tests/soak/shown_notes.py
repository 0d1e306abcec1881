"""Notes, each with a fact of its own, which one real server sees through a file system of ours."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lsp.lsp_client import LspProcess, environment
from tests.soak.faulty_disk import FaultyDisk
from tests.soak.lsp_drift import command

NOTES = 24
FOLDERS = ("", "letters/", "plans/")
LONG = "Nothing of the kind stands here.\n" * 6_000
"""More than is read in one request of the kernel."""


@dataclass(frozen=True)
class ShownNotes:
    """A server, the disk through which it sees notes, and the number of each note by its path."""

    server: LspProcess
    disk: FaultyDisk
    notes: dict[str, int]
    _folder: Path

    def change(self, paths: Sequence[str], number: int) -> None:
        """Add a line before a question: what is as it was is not read again."""
        for path in paths:
            with open(self._folder / path, "a") as note:
                note.write(f"Changed before question {number}.\n")


def member(number: int) -> str:
    return "BDGKLM"[number // 4] + ("arlow", "enstead", "iveson", "urrick")[number % 4]


def fact(number: int) -> str:
    return f"The locker of {member(number)} is opened with the word {member(number)[::-1].lower()}."


def question(number: int) -> str:
    return f"Which word opens the locker of {member(number)}?"


def proven(result: dict[str, Any], number: int) -> bool:
    """Whether the fact of a note stands among the quotes."""
    return any(fact(number) in item["quote"] for item in result["evidence"])


def skipped(result: dict[str, Any]) -> set[str]:
    """What is named as not searched."""
    return {skip["path"].rstrip("/") for skip in result["coverage"]["skipped"]}


def made(folder: Path) -> dict[str, int]:
    """Notes in three folders, each with a fact of its own; the number of each by its path."""
    notes = {}
    for number in range(NOTES):
        path = f"{FOLDERS[number % 3]}note-{number}.md"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"# Note {number}\n\n{fact(number)}\n\n{LONG if number % 4 == 0 else ''}")
        notes[path] = number
    return notes


@contextmanager
def shown(faults: Sequence[str], wrong: list[str]) -> Iterator[ShownNotes]:
    """A server (with faults of `tests.soak.faulty_server`) that has the folder open; what is wrong when it leaves is
    added to ``wrong``. Raises `LeftOut`."""
    with tempfile.TemporaryDirectory() as base:
        folder, place = Path(base) / "disk", Path(base) / "notes"
        folder.mkdir()
        place.mkdir()
        with FaultyDisk(folder, place) as disk, LspProcess(environment(Path(base)), command(*faults)) as server:
            notes = made(folder)
            server.begin(place)
            yield ShownNotes(server, disk, notes, folder)
            if server.leave() != 0 or b"Traceback" in server.errors:
                wrong.append(f"it left with {server.process.returncode}: {server.errors[-300:]!r}")
