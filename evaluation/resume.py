"""The folder of a run, which may be killed at any moment: what defines the run, and its rows, line by line.

``run.json`` says everything that decides a run's result: data and corpus by checksum, questions, arms, chat and
embedding models, mode, the budget of a question, seed and the code itself. The same command finds the rows that are
there and goes on behind the last whole one; any other is refused.
A summary is made of the rows alone, so that a run that was interrupted and one that was not come to the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from pydantic import ValidationError

import lens_lsp
from evaluation.data.records import ReadyRecord, RowRecord
from lens_lsp.disk import ORDINARY, PART, appending, lock_file, replace_whole, take_lock
from lens_lsp.model.errors import EvaluationError

SCHEMA = "lens.run/1"
SUMMARY = "summary.json"
_DEFINITION, _LOCK = "run.json", "run.lock"
_ROWS, _READY, _JUDGED = ".rows.jsonl", ".ready.json", ".judged.jsonl"


class RunFolder:
    """A run folder that this process alone writes to. Made by `claimed`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def rows(self, arm: str, ids: Sequence[str]) -> list[RowRecord]:
        """The rows of an arm that are whole; what a kill left of the next one is cut off.

        Raises EvaluationError when they are not those of the first of these questions.
        """
        path = self._path / f"{arm}{_ROWS}"
        found, whole = _whole_rows(path.read_bytes()) if path.exists() else ([], 0)
        if [row.id for row in found] != list(ids[: len(found)]):
            raise EvaluationError(f"{path} holds rows of other questions: give another folder, or --anew")
        if path.exists():
            with appending(path) as descriptor:
                os.ftruncate(descriptor, whole)
        return found

    @contextmanager
    def appending(self, arm: str) -> Iterator[RowWriter]:
        """To add rows to an arm's."""
        with appending(self._path / f"{arm}{_ROWS}") as descriptor:
            yield RowWriter(descriptor)

    def ready(self, arm: str) -> ReadyRecord | None:
        """What it took for an arm to be ready, if it ever was."""
        try:
            return ReadyRecord.model_validate_json((self._path / f"{arm}{_READY}").read_bytes())
        except (OSError, ValidationError):
            return None

    def keep_ready(self, arm: str, ready: ReadyRecord) -> None:
        """Remember what it took for an arm to be ready."""
        replace_whole(self._path / f"{arm}{_READY}", _dumped(ready.model_dump()), ORDINARY)

    def finish(self, summary: Mapping[str, object]) -> None:
        """Write the summary."""
        replace_whole(self._path / SUMMARY, _dumped(summary), ORDINARY)


class RowWriter:
    """Writes rows to an open file, each by one call to the system."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, row: Mapping[str, object]) -> None:
        """Add a row. Raises OSError, as on a full disk; what is there of the row then is cut off by the next run."""
        line = (json.dumps(row, ensure_ascii=False) + "\n").encode()
        while line:
            line = line[os.write(self._descriptor, line) :]


@contextmanager
def claimed(path: Path, definition: Mapping[str, object], *, anew: bool = False) -> Iterator[RunFolder]:
    """The folder of the run of this definition: a new one, or the one that is there; ``anew`` begins again in it.

    Raises EvaluationError when the folder holds another run, something that is not a run, or one that another process
    is at.
    """
    path.mkdir(parents=True, exist_ok=True)
    _refuse_strangers(path)
    lock = lock_file(path / _LOCK)
    try:
        try:
            take_lock(lock, time.monotonic())
        except TimeoutError as error:
            raise EvaluationError(f"another process is at the run in {path}") from error
        _define(path, json.loads(json.dumps(definition)), anew=anew)
        yield RunFolder(path)
    finally:
        os.close(lock)


@cache
def code_sha256() -> str:
    """SHA-256 over this package as it is installed: another code may give other results."""
    folder = Path(lens_lsp.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(path for suffix in ("*.py", "*.json") for path in folder.rglob(suffix)):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _refuse_strangers(path: Path) -> None:
    for entry in sorted(path.iterdir()):
        if not _is_ours(entry.name):
            raise EvaluationError(f"{path} holds {entry.name}, which is no part of a run: give another folder")


def _is_ours(name: str) -> bool:
    return name in (SUMMARY, _DEFINITION, _LOCK) or name.endswith((_ROWS, _READY, _JUDGED, PART))


def _define(path: Path, definition: Mapping[str, object], *, anew: bool) -> None:
    target = path / _DEFINITION
    if anew or not target.exists():
        there = sorted(entry.name for entry in path.iterdir() if entry.name != _LOCK and not entry.name.endswith(PART))
        if there and not anew:
            raise EvaluationError(
                f"{path} holds {there[0]} and does not say of which run: give another folder, or --anew"
            )
        for entry in path.iterdir():
            if entry.name != _LOCK:
                entry.unlink()
        replace_whole(target, _dumped(definition), ORDINARY)
        return
    try:
        found = json.loads(target.read_bytes())
    except ValueError as error:
        raise EvaluationError(f"{target} is not JSON: give another folder, or --anew") from error
    if not isinstance(found, dict):
        raise EvaluationError(f"{target} does not define a run: give another folder, or --anew")
    for key in sorted(definition.keys() | found.keys()):
        if definition.get(key) != found.get(key):
            raise EvaluationError(
                f"{path} holds a run with another {key} ({_shown(found.get(key))}, not {_shown(definition.get(key))}): "
                "give another folder, or --anew to begin again"
            )


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:119]}…"


def _whole_rows(data: bytes) -> tuple[list[RowRecord], int]:
    """The rows before the first that is not whole, and how many bytes they take."""
    rows, end = [], 0
    for line in data.split(b"\n")[:-1]:
        row = None
        with suppress(ValidationError):
            row = RowRecord.model_validate_json(line)
        if row is None:
            break
        rows.append(row)
        end += len(line) + 1
    return rows, end


def _dumped(value: Mapping[str, object]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
