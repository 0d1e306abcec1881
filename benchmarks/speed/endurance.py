"""Many questions in a row, and files beyond all measure: memory and descriptors must not grow.

``python -m benchmarks.speed.endurance FOLDER QUESTIONS [MIB]`` asks one process all questions of a file and prints as
JSON what was resident and how many descriptors were open after the tenth question and after the last.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import peak_bytes, python_child, resident_bytes
from benchmarks.speed.bench import Bench
from benchmarks.speed.row import Row, Unit, figures, most
from lens_lsp.app.lens import Lens

MOST_GROWTH = 1.05
LARGE_GOAL = 10.0
"""Seconds until the first question over a file of a gigabyte is answered."""
LITTLE = 64
"""MiB of texts that the streaming runs keep."""
_SETTLED = 10
"""Questions after which everything that is kept is there."""


def endurance(bench: Bench) -> Iterator[Row]:
    """Two processes: notes with the default memory, and with little, where each question reads everything twice."""
    sizes = bench.sizes
    folder = bench.corpora.megabytes(sizes.endurance_megabytes, sizes.endurance_megabytes).path
    size, asked = f"notes, {sizes.endurance_megabytes:,} MB", sizes.endurance_questions
    yield from _asked(bench, size, folder, asked)
    yield from _asked(bench, f"{size}, {LITTLE} MiB kept", folder, min(asked, sizes.streamed_questions), str(LITTLE))


def one_large_file(bench: Bench) -> Iterator[Row]:
    """A file as large as all of the notes together: it is kept in pieces."""
    megabytes = bench.sizes.endurance_megabytes
    folder = bench.corpora.megabytes(megabytes, megabytes)
    alone = bench.work / f"one-file-{megabytes}"
    one_file(folder.path, alone / "everything.md", megabytes * 1_000_000)
    yield from _asked(bench, f"one file, {megabytes:,} MB", alone, bench.sizes.large_file_questions, goal=LARGE_GOAL)


def _asked(bench: Bench, corpus: str, folder: Path, count: int, *more: str, goal: float | None = None) -> Iterator[Row]:
    """One process that asks so many questions of a folder; the first may take ``goal`` seconds."""
    found = python_child("benchmarks.speed.endurance", str(folder), str(_questions(bench, count)), *more)[1]
    if goal is not None:
        yield figures("the first question", corpus, [found["first"]], Unit.WALL, most(goal), "of an empty cache")
    yield from _rows(corpus, found, f"{count} questions, one process")


def _questions(bench: Bench, count: int) -> Path:
    """So many in a file, some of them more than once."""
    some = bench.corpora.questions("C", count)
    path = bench.work / "endurance-questions.json"
    path.write_text(json.dumps([some[number % len(some)] for number in range(count)]), "utf-8")
    return path


def _rows(corpus: str, found: dict[str, Any], note: str) -> Iterator[Row]:
    growth = found["residentBytes"] / found["settledBytes"]
    yield figures("held at the end over held after ten", corpus, [growth], Unit.TIMES, most(MOST_GROWTH), note)
    opened = found["descriptors"][1] - found["descriptors"][0]
    yield figures("descriptors more than after ten", corpus, [opened], Unit.COUNT, most(0), note)
    yield figures("held at the end", corpus, [found["residentBytes"]], Unit.BYTES, note=note)
    yield figures("held at most", corpus, [found["peakBytes"]], Unit.BYTES, note=note)
    yield figures("a question", corpus, [found["later"]], Unit.WALL, note="median of them, the first left out")
    left = found["filesAfter"] - found["filesBefore"]
    yield figures("files left in the folder", corpus, [left], Unit.COUNT, most(0), note)


def questioned(folder: str, texts: Sequence[str], memory: int | None) -> dict[str, Any]:
    """Ask one process all of them; what it holds on the way. ``memory`` in MiB."""
    before = _files(folder)
    lens = Lens([folder], memory=None if memory is None else memory << 20)
    seconds, held = [], []
    for text in texts:
        begun = time.perf_counter()
        lens.find(text)
        seconds.append(time.perf_counter() - begun)
        held.append((resident_bytes() or 0, len(os.listdir("/proc/self/fd"))))
    (settled, open_then), (resident, open_now) = held[min(_SETTLED, len(held)) - 1], held[-1]
    return {
        "first": seconds[0],
        "later": statistics.median(seconds[1:] or seconds),
        "settledBytes": settled,
        "residentBytes": resident,
        "peakBytes": peak_bytes(),
        "descriptors": [open_then, open_now],
        "filesBefore": before,
        "filesAfter": _files(folder),
    }


def one_file(folder: Path, target: Path, size: int) -> None:
    """The notes of a folder, one after the other, again and again until there are so many bytes."""
    if target.exists() and target.stat().st_size >= size:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    sources = sorted(path for path in folder.rglob("*.md"))
    with target.open("wb") as file:
        while file.tell() < size:
            for source in sources:
                file.write(source.read_bytes() + b"\n")
                if file.tell() >= size:
                    break


def _files(folder: str) -> int:
    return sum(len(names) for _, _, names in os.walk(folder))


def main(arguments: Sequence[str]) -> None:
    folder, questions, *memory = arguments
    texts = json.loads(Path(questions).read_text("utf-8"))
    print(json.dumps(questioned(folder, texts, int(memory[0]) if memory else None)))


if __name__ == "__main__":
    main(sys.argv[1:])
