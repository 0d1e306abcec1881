"""The disk alone, its pages in memory: listing the files of a folder and reading them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measuring import Timing, interleaved, timed, timed_child
from benchmarks.speed.answering import cached
from benchmarks.speed.bench import Bench
from benchmarks.speed.row import Beside, Row, row
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root, read_files
from lens_lsp.corpus.walk import discover

_ROOM = 16 << 20
"""Bytes of the buffer of the plain loop; every file of the corpora fits."""


def walk(bench: Bench) -> Iterator[Row]:
    """Names by our rules, and names with the status of every file."""
    for folder in bench.folders("A", "docs", "C"):
        program = [bench.ripgrep.program, "--no-config", "--files", str(folder.path)]
        with Root(str(folder.path)) as root:
            names, status, listed, asked = interleaved(
                bench.runs,
                partial(timed, partial(discover, root, CorpusRules(), names_only=True)),
                partial(timed, partial(discover, root, CorpusRules())),
                partial(_listed, program),
                partial(timed, partial(plain_status, folder.path)),
            )
        yield row("names", folder.name, names, Beside("rg --files", listed))
        yield row("names and status", folder.name, status, Beside("os.walk and os.stat", asked))


def read(bench: Bench) -> Iterator[Row]:
    """All bytes of all files; and what a first question does with them: decode, fold, keep."""
    for folder in bench.folders("A", "docs", "C"):
        with Root(str(folder.path)) as root:
            paths = discover(root, CorpusRules(), names_only=True).paths
            whole = [os.path.join(root.path, path) for path in paths]
            ours, kept, plain = interleaved(
                bench.runs,
                partial(timed, partial(_read, root, paths)),
                partial(timed, partial(cached, root.path)),
                partial(timed, partial(plain_read, whole)),
            )
        beside = Beside("os.open, readv, close", plain)
        yield row("bytes of all files", folder.name, ours, beside)
        yield row("walk, read, decode, fold, keep", folder.name, kept, beside)


def _listed(program: list[str]) -> Timing:
    return timed_child(program, stdout=subprocess.DEVNULL)[0]


def plain_status(folder: Path) -> int:
    """How many files there are, each asked for its status."""
    return sum(
        os.stat(os.path.join(parent, name)).st_size >= 0 for parent, _, names in os.walk(folder) for name in names
    )


def plain_read(paths: list[str]) -> int:
    """Python's fastest loop: one buffer for all files, and nothing kept. How many bytes there are."""
    buffers, total = [bytearray(_ROOM)], 0
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        total += os.readv(descriptor, buffers)
        os.close(descriptor)
    return total


def _read(root: Root, paths: list[str]) -> int:
    return sum(len(data) for data, _ in read_files(root, paths, sys.maxsize) if isinstance(data, bytes))
