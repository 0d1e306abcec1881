"""The folders and questions that the instruments ask: DocsQA and samples of the gate's data."""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare

GATE = (("hotpotqa", "125"), ("squad", "S_dev48"))


def docsqa_questions(data: Path) -> list[dict[str, Any]]:
    """The visible questions of DocsQA, in their order."""
    with gzip.open(data / "docsqa" / "questions.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def docsqa_folders(data: Path, work: Path) -> dict[str, Path]:
    """Every workspace of DocsQA unpacked below ``work``, by name. Raises ValueError for a changed archive."""
    archives = data / "docsqa" / "workspaces"
    folders = {}
    for entry in json.loads((archives / "manifest.json").read_text("utf-8")):
        name = entry["name"]
        archive = archives / f"{name}.tar.xz"
        if hashlib.sha256(archive.read_bytes()).hexdigest() != entry["sha256"]:
            raise ValueError(f"{archive}: its checksum is not the one in manifest.json")
        folders[name] = work / name
        if not folders[name].is_dir():
            with tarfile.open(archive) as file:
                file.extractall(work, filter="data")
    return folders


def gate_questions(data: Path, work: Path, number: int) -> Iterator[tuple[str, Path, list[str]]]:
    """The first ``number`` questions of each data set of the gate: its name, its folder, their texts."""
    for name, snapshot in GATE:
        folder = prepare(data / name, snapshot, work / f"{name}-{snapshot}").folder
        rows = questions(open_dataset(data / name, snapshot))
        yield name, folder, [row.text for row in rows[:number]]


@cache
def text_of(path: Path) -> str:
    """The text of a file as the evidence counts in it: UTF-8, without a byte order mark, line ends as they are."""
    return path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
