"""Opens below a root while another process swaps a parent folder and a file for links that lead outside.

``python -m tests.soak.safe_open --opens 1000000`` prints one JSON line. It exits with 1 if a byte from
outside came back, and also if the naive open (check the real path, then open without following the last link)
did not escape in the same harness: then the attack was too weak to prove anything.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root, Skipped, read_files
from lens_lsp.corpus.walk import discover
from tests.soak.harness import Options, Verdict, harness

PATHS = ("a/d/f.md", "a/d/f.md", "a/d/deep/f.md", "a/f.md", "g.md")
BULK = tuple(path for path in PATHS for _ in range(5))
CONTROL_OPENS = 20_000
CONTROL_BOUND = 2_000_000

# Atomic exchange where the system has it (the names never disappear), else four renames.
SWAPPER = r"""
import ctypes, os, select, sys
pairs = [("a/d", "a/to-folder"), ("g.md", "to-file")]
exchange = getattr(ctypes.CDLL(None), "renameat2", None)
def swap(one, other):
    if exchange is None or exchange(-100, os.fsencode(one), -100, os.fsencode(other), 2) != 0:
        for old, new in ((one, "spare"), (other, one), ("spare", other)):
            os.rename(old, new)
for pair in pairs:
    swap(*pair)
sys.stdout.write("ready\n"); sys.stdout.flush()
while not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(100):
        for pair in pairs:
            swap(*pair)
"""


@dataclass
class Tally:
    """What came of a number of opens."""

    opens: int = 0
    inside: int = 0
    refused: int = 0
    escaped: int = 0


class Swapping:
    """A tree with an inside and an outside, and a process that swaps parts of it until the block ends."""

    def __init__(self, base: Path) -> None:
        self.root = base / "root"
        for folder, text in ((self.root / "a" / "d", "IN"), (base / "out", "OUT")):
            (folder / "deep").mkdir(parents=True)
            (folder / "f.md").write_text(text)
            (folder / "deep" / "f.md").write_text(text)
        (base / "out" / "outside.md").write_text("OUT")
        (self.root / "a" / "f.md").write_text("IN")
        (self.root / "g.md").write_text("IN")
        (self.root / "a" / "to-folder").symlink_to("../../out")
        (self.root / "to-file").symlink_to("../out/f.md")

    def __enter__(self) -> Swapping:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", SWAPPER],
            cwd=self.root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        if self._process.stdout.readline() != b"ready\n":
            raise RuntimeError("the swapping process did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()
        if kind is None and self._process.returncode != 0:
            raise RuntimeError("the swapping process died: nothing was proven")


def attempt(tally: Tally, read: Callable[[str], bytes], path: str) -> None:
    """One open, and what came of it."""
    tally.opens += 1
    try:
        data = read(path)
    except (OSError, Skipped):
        tally.refused += 1
        return
    if data == b"IN":
        tally.inside += 1
    else:
        tally.escaped += 1


def safe_opens(swapping: Swapping, count: int) -> Tally:
    """Opens by the root; two of three walk from it, the others may use the folder it holds."""
    tally = Tally()
    with Root(str(swapping.root)) as root:
        for number in range(count):
            if number % 3:
                root.release()
            attempt(tally, root.read, PATHS[number % len(PATHS)])
    return tally


def bulk_opens(swapping: Swapping, count: int) -> Tally:
    """Opens by reading many files at a time, in both of its ways, each from a folder it may hold."""
    tally = Tally()
    with Root(str(swapping.root)) as root:
        while tally.opens < count:
            for data, _ in read_files(root, BULK, 1 << 20, announce=tally.opens % 2 == 0):
                tally.opens += 1
                if not isinstance(data, bytes):
                    tally.refused += 1
                elif data == b"IN":
                    tally.inside += 1
                else:
                    tally.escaped += 1
            root.release()
    return tally


def naive_opens(swapping: Swapping, count: int, bound: int) -> Tally:
    """The control: ``count`` naive opens, and on until one escapes, at most ``bound``."""
    inside = os.path.realpath(swapping.root) + os.sep

    def read(rel: str) -> bytes:
        path = inside + rel
        if not os.path.realpath(path).startswith(inside):
            raise PermissionError(path)
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return os.read(fd, 16)
        finally:
            os.close(fd)

    tally = Tally()
    while tally.opens < count or (not tally.escaped and tally.opens < bound):
        attempt(tally, read, PATHS[tally.opens % len(PATHS)])
    return tally


def walks(swapping: Swapping, count: int) -> Tally:
    """Walks over the swapped tree; one that lists a file from outside has escaped."""
    tally = Tally()
    for _ in range(count):
        with Root(str(swapping.root)) as root:
            found = discover(root, CorpusRules(respect_ignore_files=False))
        tally.opens += 1
        tally.inside += any(entry.path == "a/d/f.md" for entry in found.files)
        tally.refused += any(skip.path.startswith("a/d") for skip in found.skips)
        tally.escaped += any(entry.path.endswith("outside.md") for entry in found.files)
    return tally


@harness(opens=1_000_000)
def main(options: Options) -> Verdict:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as base, Swapping(Path(base)) as swapping:
        safe = safe_opens(swapping, options.opens)
        bulk = bulk_opens(swapping, options.opens)
        seconds = time.monotonic() - started
        control = naive_opens(swapping, CONTROL_OPENS, CONTROL_BOUND)
    row = {
        "figure": "safe-open-escapes",
        "n": safe.opens,
        "bad": safe.escaped,
        "bulk_n": bulk.opens,
        "bulk_bad": bulk.escaped,
        "bulk_inside": bulk.inside,
        "bulk_refused": bulk.refused,
        "control_escapes": control.escaped,
        "control_n": control.opens,
        "inside": safe.inside,
        "refused": safe.refused,
        "seconds": round(seconds, 1),
    }
    proven = all(tally.escaped == 0 and tally.inside > 0 and tally.refused > 0 for tally in (safe, bulk))
    return row, proven and control.escaped > 0


if __name__ == "__main__":
    sys.exit(main())
