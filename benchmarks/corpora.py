"""The folders that are searched: A and docs from the data sets, C made of their paragraphs.

C is what a large collection of notes looks like: sizes spread lognormally around 15 KB, fifty notes to a folder, the
text of each a random choice of real paragraphs, seven of ten from A. The same data give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lens_lsp.corpus.opening import Root
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.walk import discover
from lens_lsp.evaluation.data.snapshots import prepare

NOTES = 100_000
SEED = 20_240_601
_MEAN = 15_000
_SIGMA = 1.0
_LEAST, _MOST = 300, 1_000_000
_FROM_ARTICLES = 0.7
_PER_FOLDER = 50
_SHORTEST = 80
_SCHEMA = "lens.notes/1"


CAN_EVICT = all(hasattr(os, name) for name in ("posix_fadvise", "preadv", "RWF_NOWAIT"))
"""Whether files can be dropped from the page cache, and seen to be."""


class ColdCacheError(Exception):
    """The page cache cannot be emptied."""


class NoRoomError(Exception):
    """The disk is too full for the notes."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A corpus on disk: its name in the table, where it lies, how many files and bytes it holds."""

    name: str
    path: Path
    files: int
    bytes: int

    @property
    def size(self) -> str:
        return f"{self.files:,} files, {self.bytes / 1e6:,.1f} MB"


def articles(data: Path, work: Path) -> Folder:
    """A: the articles of HotpotQA's snapshot of 500 questions, one a file."""
    return _measured("A", prepare(data / "hotpotqa", "500", work / "hotpotqa-500").folder)


def pages(data: Path, work: Path) -> Folder:
    """docs: a real repository of documentation in Markdown."""
    return _measured("docs", prepare(data / "workspaces", "cpp-docs", work / "workspaces-cpp-docs").folder)


def notes(sources: tuple[Folder, Folder], work: Path, count: int = NOTES) -> Folder:
    """C: ``count`` generated notes; those of an earlier run are used again when they are complete.

    Raises NoRoomError.
    """
    folder = work / f"notes-{count}"
    record = work / f"notes-{count}.json"
    wanted = {"schema": _SCHEMA, "seed": SEED, "count": count, "sources": [source.bytes for source in sources]}
    try:
        known = json.loads(record.read_text("utf-8"))
    except (OSError, ValueError):
        known = {}
    if not wanted.items() <= known.items():
        need, free = int(count * (_MEAN + 2048) * 1.1), shutil.disk_usage(work).free
        if free < need:
            raise NoRoomError(f"{count:,} notes need {need / 1e9:.1f} GB, {work} has {free / 1e9:.1f} GB free")
        shutil.rmtree(folder, ignore_errors=True)
        record.unlink(missing_ok=True)
        total, digest = _write(folder, sources, count)
        record.write_text(json.dumps(wanted | {"bytes": total, "sha256": digest}, indent=1) + "\n", "utf-8")
    return _measured("C", folder)


def texts_of_notes(articles: list[str], pages: list[str], count: int) -> Iterator[str]:
    """The notes in order, from the paragraphs of both sources."""
    chance = random.Random(SEED)
    average = 0.7 * _average(articles) + 0.3 * _average(pages)
    middle = math.log(_MEAN) - _SIGMA**2 / 2
    for number in range(count):
        size = min(max(chance.lognormvariate(middle, _SIGMA), _LEAST), _MOST)
        parts = [f"# Note {number:06d}"]
        length = len(parts[0])
        while length < size:
            few = int((size - length) / average) + 1
            mine = round(few * _FROM_ARTICLES + chance.random() - 0.5)
            chosen = chance.choices(articles, k=mine) + chance.choices(pages, k=few - mine)
            chance.shuffle(chosen)
            for paragraph in chosen:
                parts.append(paragraph)
                length += len(paragraph) + 2
                if length >= size:
                    break
        yield "\n\n".join(parts) + "\n"


def paragraphs(folder: Path) -> list[str]:
    """All distinct paragraphs of a folder's files that are no mere heading, in order of path."""
    found: dict[str, None] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        found.update((part, None) for part in text.split("\n\n") if len(part) >= _SHORTEST)
    return list(found)


def evict(folder: Folder) -> None:
    """Drop every file of a folder from the page cache. What was never written to disk cannot be dropped: it is synced.

    Raises OSError where the system cannot.
    """
    os.sync()
    for path in _files(folder.path):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def cached_share(folder: Folder, sample: int = 500) -> float:
    """The share of a sample of files whose first page is in the page cache."""
    paths = _files(folder.path)
    chosen = paths[:: max(1, len(paths) // sample)]
    return sum(map(_cached, chosen)) / len(chosen)


def _cached(path: str) -> bool:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.preadv(descriptor, [bytearray(1)], 0, os.RWF_NOWAIT) > 0
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)


def _files(folder: Path) -> list[str]:
    return sorted(os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)


def _measured(name: str, path: Path) -> Folder:
    with Root(str(path)) as root:
        files = discover(root, CorpusRules()).files
    return Folder(name, path, len(files), sum(entry.size for entry in files))


def _average(texts: list[str]) -> float:
    return sum(map(len, texts)) / len(texts)


def _write(folder: Path, sources: tuple[Folder, Folder], count: int) -> tuple[int, str]:
    """Write all notes; their bytes and the checksum over them in order."""
    total, digest = 0, hashlib.sha256()
    texts = texts_of_notes(paragraphs(sources[0].path), paragraphs(sources[1].path), count)
    for number, text in enumerate(texts):
        parent = folder / f"{number // _PER_FOLDER:04d}"
        if number % _PER_FOLDER == 0:
            parent.mkdir(parents=True)
        data = text.encode()
        (parent / f"note-{number:06d}.md").write_bytes(data)
        total += len(data)
        digest.update(data)
    return total, digest.hexdigest()
