"""The folders that are searched: A and docs from the data sets or generated, C made of their paragraphs.

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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed import generated
from benchmarks.speed.queries import TERMS
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import discover

SEED = 20_240_601
BYTES_A_NOTE = 15_000
"""In the mean."""
_SMALL_MEAN = 500
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


FULL = {"A": 20_020, "docs": 9_748, "C": 100_000}
"""Files of the generated corpora; A and docs as many as the data sets have."""
QUICK = {"A": 2_000, "docs": 300, "C": 1_000}
_SOURCES = {"A": ("hotpotqa", "500"), "docs": ("workspaces", "cpp-docs")}


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


class Corpora:
    """All folders below ``work``, each made or checked when it is first asked for.

    A and docs are the articles of HotpotQA's snapshot of 500 questions, one a file, and Microsoft's documentation of
    C++ where ``data`` holds the data sets, and generated otherwise.
    """

    def __init__(self, data: Path | None, work: Path, counts: Mapping[str, int] = FULL) -> None:
        self.data = data
        self.work = work
        self._counts = counts
        self._known: dict[str, Folder] = {}

    @property
    def text(self) -> str:
        """Where the text comes from, for the record."""
        return "generated" if self.data is None else ", ".join(f"{one} {other}" for one, other in _SOURCES.values())

    def folder(self, name: str) -> Folder:
        """A, docs or C."""
        if name not in self._known:
            self._known[name] = notes(self.sources(), self.work, self._counts["C"]) if name == "C" else self._text(name)
        return self._known[name]

    def sources(self) -> tuple[Folder, Folder]:
        """What notes are made of."""
        return self.folder("A"), self.folder("docs")

    def megabytes(self, size: int, largest: int) -> Folder:
        """The first notes, together about so many megabytes, out of ``largest`` at most."""
        most, count = (max(1, one * 1_000_000 // BYTES_A_NOTE) for one in (largest, size))
        whole = self.folder("C") if most <= self._counts["C"] else notes(self.sources(), self.work, most)
        return first_of(whole, count, self.work)

    def first_small(self, count: int, largest: int) -> Folder:
        """The first notes of half a kilobyte."""
        return first_of(small_notes(self.sources(), self.work, largest), count, self.work)

    def questions(self, name: str, count: int) -> list[str]:
        """The first questions of a corpus's data set; C is asked those of A."""
        name = "docs" if name == "docs" else "A"
        if self.data is None:
            return generated.questions(self._made(name), count)
        folder, snapshot = _SOURCES[name]
        return [question.text for question in questions(open_dataset(self.data / folder, snapshot))[:count]]

    def json(self) -> dict[str, dict[str, int]]:
        return {name: {"files": one.files, "bytes": one.bytes} for name, one in self._known.items()}

    def _text(self, name: str) -> Folder:
        if self.data is not None:
            dataset, snapshot = _SOURCES[name]
            return _measured(name, prepare(self.data / dataset, snapshot, self.work / f"{dataset}-{snapshot}").folder)
        folder = self.work / f"generated-{name}-{self._counts[name]}"
        if not folder.exists():
            unfinished = folder.with_name(f"{folder.name}.part")
            shutil.rmtree(unfinished, ignore_errors=True)
            for path, text in self._made(name):
                target = unfinished / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, "utf-8")
            unfinished.rename(folder)
        return _measured(name, folder)

    def _made(self, name: str) -> Iterator[tuple[str, str]]:
        make = generated.article_texts if name == "A" else generated.page_texts
        # C is asked for terms of both, and made of paragraphs of both.
        return make(self._counts[name], tuple(dict.fromkeys((*TERMS[name]["T40"], *TERMS["C"]["T40"]))))


def notes(sources: tuple[Folder, Folder], work: Path, count: int) -> Folder:
    """C: ``count`` generated notes; those of an earlier run are used again when they are complete.

    Raises NoRoomError.
    """
    return _generated(sources, work, f"notes-{count}", count, BYTES_A_NOTE)


def small_notes(sources: tuple[Folder, Folder], work: Path, count: int) -> Folder:
    """``count`` notes of half a kilobyte on average, as `notes`."""
    return _generated(sources, work, f"small-{count}", count, _SMALL_MEAN)


def first_of(folder: Folder, count: int, work: Path) -> Folder:
    """The first files of a generated folder, as links to them; the folder itself when there are no more."""
    if count >= folder.files:
        return folder
    few = work / f"{folder.path.name}-first-{count}"
    if not few.exists():
        for path in _files(folder.path)[:count]:
            target = few / os.path.relpath(path, folder.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.hardlink_to(path)
    return _measured(f"first {count}", few)


def _generated(sources: tuple[Folder, Folder], work: Path, name: str, count: int, mean: int) -> Folder:
    folder = work / name
    record = work / f"{name}.json"
    wanted = {"schema": _SCHEMA, "seed": SEED, "count": count, "sources": [source.bytes for source in sources]}
    try:
        known = json.loads(record.read_text("utf-8"))
    except (OSError, ValueError):
        known = {}
    if not wanted.items() <= known.items():
        need, free = int(count * (mean + 2048) * 1.1), shutil.disk_usage(work).free
        if free < need:
            raise NoRoomError(f"{count:,} notes need {need / 1e9:.1f} GB, {work} has {free / 1e9:.1f} GB free")
        shutil.rmtree(folder, ignore_errors=True)
        record.unlink(missing_ok=True)
        total, digest = _write(folder, sources, count, mean)
        record.write_text(json.dumps(wanted | {"bytes": total, "sha256": digest}, indent=1) + "\n", "utf-8")
    return _measured("C", folder)


def texts_of_notes(articles: list[str], pages: list[str], count: int, mean: int = BYTES_A_NOTE) -> Iterator[str]:
    """The notes in order, from the paragraphs of both sources."""
    chance = random.Random(SEED)
    average = 0.7 * _average(articles) + 0.3 * _average(pages)
    middle = math.log(mean) - _SIGMA**2 / 2
    for number in range(count):
        size = min(max(chance.lognormvariate(middle, _SIGMA), min(_LEAST, mean // 4)), _MOST)
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


def _write(folder: Path, sources: tuple[Folder, Folder], count: int, mean: int) -> tuple[int, str]:
    """Write all notes; their bytes and the checksum over them in order."""
    total, digest = 0, hashlib.sha256()
    texts = texts_of_notes(paragraphs(sources[0].path), paragraphs(sources[1].path), count, mean)
    for number, text in enumerate(texts):
        parent = folder / f"{number // _PER_FOLDER:04d}"
        if number % _PER_FOLDER == 0:
            parent.mkdir(parents=True)
        data = text.encode()
        (parent / f"note-{number:06d}.md").write_bytes(data)
        total += len(data)
        digest.update(data)
    return total, digest.hexdigest()
