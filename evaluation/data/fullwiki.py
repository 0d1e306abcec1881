"""Raw Wikipedia as its shards: files of JSON rows, ``{"title": …, "text": …}``, searched where they lie.

Nothing is prepared: the corpus is the folder of the shards, and what an arm finds in one is named by the title of the
row that it lies in. Shards that are packed (``.bz2``, ``.gz``) cannot be searched; `unpack` writes them out, byte for
byte, which is a preparation and is measured as one.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import os
import tempfile
import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evaluation.data.datasets import Dataset, corpus_checksum
from evaluation.data.releases import file_name
from evaluation.data.snapshots import Corpus, document_names
from lens_lsp.model.errors import EvaluationError

FULLWIKI = "fullwiki"
_PACKED: dict[str, Callable[[bytes], bytes]] = {".bz2": bz2.decompress, ".gz": gzip.decompress}
_IN_MEMORY = 64
"""Shards whose rows are known at a time."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What unpacking came to: files, bytes and wall seconds."""

    files: int
    bytes: int
    seconds: float


def open_shards(folder: Path, dataset: Dataset) -> Corpus:
    """The shards in a folder as the corpus of a data set's questions.

    Raises EvaluationError when there are none, when one is packed, or when the first row of one is no article.
    """
    names = document_names(folder)
    packed = [name for name in names if Path(name).suffix in _PACKED]
    if packed:
        raise EvaluationError(
            f"{folder} holds packed shards ({packed[0]}), which cannot be searched: `lens eval prepare --unpack` them"
        )
    if not names:
        raise EvaluationError(f"{folder} holds no shards")
    digests = {}
    for name in names:
        with open(folder / name, "rb") as file:
            _title(file.readline(), folder / name)
            file.seek(0)
            digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return Corpus(folder, dataset.name, dataset.snapshot, False, len(names), corpus_checksum(digests), shards=True)


def unpack(folder: Path, out: Path) -> Unpacked:
    """Write the shards of a folder to another, packed ones unpacked, under their names without the suffix.

    Raises EvaluationError when ``out`` is there already, or a shard is damaged.
    """
    began = time.perf_counter()
    if out.exists():
        raise EvaluationError(f"{out} is there already: give a new folder")
    names, size = document_names(folder), 0
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as scratch:
        whole = Path(scratch, "shards")
        for name in names:
            opened = _PACKED.get(Path(name).suffix)
            target = whole / (name if opened is None else os.path.splitext(name)[0])
            if target.exists():
                raise EvaluationError(f"{folder} holds {target.relative_to(whole)} packed and unpacked")
            try:
                data = (folder / name).read_bytes()
                data = data if opened is None else opened(data)
            except (OSError, EOFError, ValueError, zlib.error) as error:
                raise EvaluationError(f"{folder / name} cannot be unpacked ({error})") from error
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            size += len(data)
        whole.mkdir(exist_ok=True)
        whole.rename(out)
    return Unpacked(len(names), size, round(time.perf_counter() - began, 3))


@dataclass(frozen=True, slots=True)
class _Rows:
    text: str
    starts: Sequence[int]

    @classmethod
    def read(cls, path: Path) -> _Rows:
        text = path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
        starts, at = [], 0
        while at < len(text):
            starts.append(at)
            at = text.find("\n", at) + 1 or len(text)
        return cls(text, starts)

    def most(self, start: int, end: int) -> tuple[int, int]:
        """The row that most of ``[start, end)`` lies in, the first of equals: where it begins and ends."""
        first = max(0, bisect_right(self.starts, start) - 1)
        rows: list[tuple[int, int]] = []
        for at in self.starts[first:]:
            if at >= end and rows:
                break
            stop = self.text.find("\n", at)
            rows.append((at, len(self.text) if stop < 0 else stop))
        return max(rows, key=lambda row: min(end, row[1]) - max(start, row[0]))


class Titles:
    """Which article a place in a shard belongs to. Offsets are code points of the decoded file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows = lru_cache(_IN_MEMORY)(_Rows.read)

    def named(self, shard: str, start: int, end: int) -> tuple[str, int, int]:
        """A stretch of a shard as one of the article that most of it lies in: its name, and the offsets in its row.

        What lies in other rows is cut off.
        """
        rows = self._rows(self._folder / shard)
        begins, ends = rows.most(start, end)
        title = _title(rows.text[begins:ends].encode("utf-8", "replace"), self._folder / shard)
        return file_name(title), max(start, begins) - begins, min(end, ends) - begins


def _title(line: bytes, path: Path) -> str:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise EvaluationError(f"{path} is no shard: a row of it is not JSON") from error
    title = row.get("title") if isinstance(row, dict) else None
    if not isinstance(title, str):
        raise EvaluationError(f"{path} is no shard: a row of it has no title")
    return title
