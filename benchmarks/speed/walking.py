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
from benchmarks.speed.corpora import Folder
from benchmarks.speed.queries import TERMS
from benchmarks.speed.row import Beside, Row, Unit, figures, most, row
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.intake import Intake
from lens_lsp.corpus.safe_open import Root, read_files
from lens_lsp.corpus.scan import scan, word_literal
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover

_ROOM = 16 << 20
"""Bytes of the buffer of the plain loop; every file of the corpora fits."""
_LITTLE = 64 << 20
"""Bytes of texts that are kept where the others are read again."""
PASS_GOAL = 1.3
"""Times one read that a pass over texts may take that are not kept."""


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
        yield from passes(bench, folder)


def passes(bench: Bench, folder: Folder) -> Iterator[Row]:
    """What a scan of texts costs that are not kept, over reading, decoding and folding them once."""
    terms = [[word_literal(term)] for term in TERMS[folder.name]["T12"][:5]]
    intake = Intake("cp1252", _LITTLE)
    with Root(str(folder.path)) as root:
        paths = discover(root, CorpusRules(), names_only=True).paths
        store = TextStore(budget=_LITTLE)
        store.fill(root, paths, {})
        if not store.passing_by:
            return

        def once() -> None:
            for batch in intake.batches(root, paths, {}):
                _, folded = intake.folded(batch, mapped=False)
                assert folded is None or len(folded.data)

        one, passed = interleaved(
            bench.runs, partial(timed, once), partial(timed, lambda: scan(store.chunks(), terms, listing=False))
        )
    ratios = [again / first for again, first in zip(passed.of("wall"), one.of("wall"), strict=True)]
    note = f"{_LITTLE >> 20} MiB kept, five terms; one read is decoding and folding included"
    name = "a pass over texts that are not kept, over one read"
    yield figures(name, folder.name, ratios, Unit.TIMES, most(PASS_GOAL), note)


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
