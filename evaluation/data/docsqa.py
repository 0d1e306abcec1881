"""Questions that people ask of folders of documents: the data set, its workspaces on disk, and the rows of a run.

A data set is a folder of ``questions.jsonl.gz`` and ``workspaces/`` (``manifest.json``, one ``NAME.tar.xz`` a folder of
documents).
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, PositiveInt, TypeAdapter, ValidationError

from evaluation.data.datasets import corpus_checksum
from evaluation.data.records import PlainPath, Record, Sha256
from evaluation.data.snapshots import document_names
from lens_lsp.model.errors import EvaluationError

ROWS = "rows.jsonl"
"""The rows of a run, below its folder."""

_Read = TypeVar("_Read", bound=Record)


class QuoteRecord(Record):
    """A passage that proves something: its file, and its words as they stand there."""

    path: PlainPath
    quote: Annotated[str, Field(pattern=r"\S")]


class QuestionRecord(Record):
    """A line of ``questions.jsonl.gz``. Without gold, the documents do not answer it."""

    id: str
    workspace: str
    half: Literal["first", "second"]
    intent: str
    style: str
    question: str
    gold: tuple[QuoteRecord, ...]
    also: tuple[QuoteRecord, ...] = ()

    @property
    def proofs(self) -> tuple[QuoteRecord, ...]:
        """Any one of them counts."""
        return self.gold + self.also


class WorkspaceRecord(Record):
    """An entry of ``workspaces/manifest.json``; ``files`` lie in the archive, in a folder of the workspace's name."""

    name: Annotated[str, Field(pattern=r"^\w[\w.-]*$")]
    sha256: Sha256
    files: PositiveInt
    language: str = "en"


class UnpackedRecord(Record):
    """What was unpacked: the archive's checksum, and that of all files by name and content."""

    archive: Sha256
    files: Sha256


class DocsRow(Record):
    """What an arm found for a question: the rank, from 1, of the first gold file and of the first passage that holds a
    gold quote; None where neither is among the first 50."""

    id: str
    arm: str
    file: PositiveInt | None
    quote: PositiveInt | None


@dataclass(frozen=True, slots=True)
class DocsQa:
    """The questions that have an answer, in their order, and the workspaces by name."""

    folder: Path
    questions: tuple[QuestionRecord, ...]
    workspaces: Mapping[str, WorkspaceRecord]

    def language(self, question: QuestionRecord) -> str:
        """The language of a question's workspace."""
        return self.workspaces[question.workspace].language


def open_docsqa(folder: Path) -> DocsQa:
    """The data set in ``folder``. Raises EvaluationError where it is missing, malformed, or asks of no workspace."""
    path = folder / "questions.jsonl.gz"
    manifest = folder / "workspaces" / "manifest.json"
    try:
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")
        entries = TypeAdapter(list[WorkspaceRecord]).validate_json(manifest.read_bytes())
    except ValidationError as error:
        raise EvaluationError(f"{manifest}: {_complaint(error)}") from error
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise EvaluationError(f"{folder} is not a data set of questions about documents ({error})") from error
    workspaces = {entry.name: entry for entry in entries}
    asked = tuple(question for question in _records(path, lines, QuestionRecord) if question.gold)
    for question in asked:
        if question.workspace not in workspaces:
            raise EvaluationError(f"{path}: {question.id} asks of {question.workspace!r}, which {manifest} lacks")
    return DocsQa(folder, asked, workspaces)


def unpack(dataset: DocsQa, name: str, out: Path) -> Path:
    """The folder of a workspace's documents below ``out``: unpacked, or as it was left, to the byte.

    Raises EvaluationError when the archive does not match the manifest or cannot be unpacked, and when files in the
    folder were changed since.
    """
    entry = dataset.workspaces[name]
    target, record = out / name, out / f"{name}.unpacked.json"
    if target.exists():
        if _left(record) != UnpackedRecord(archive=entry.sha256, files=_checksum(target)):
            raise EvaluationError(f"{target} is not what the archive holds: remove the folder")
        return target
    archive = dataset.folder / "workspaces" / f"{name}.tar.xz"
    try:
        with open(archive, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                raise EvaluationError(f"{archive}: its checksum is not the one in manifest.json")
            file.seek(0)
            out.mkdir(parents=True, exist_ok=True)
            with (
                tarfile.open(fileobj=file, mode="r:xz") as packed,
                tempfile.TemporaryDirectory(prefix=f".{name}.", dir=out) as scratch,
            ):
                packed.extractall(scratch, filter="data")
                whole = Path(scratch, name)
                found = len(document_names(whole))
                if found != entry.files:
                    raise EvaluationError(f"{archive}: {found} files in {name}/, the manifest says {entry.files}")
                left = UnpackedRecord(archive=entry.sha256, files=_checksum(whole))
                record.write_text(left.model_dump_json() + "\n", "utf-8")
                whole.rename(target)
    except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as error:
        raise EvaluationError(f"{archive}: cannot be unpacked ({error})") from error
    return target


def read_rows(folder: Path) -> tuple[DocsRow, ...]:
    """The rows that a run left in ``folder``. Raises EvaluationError without them."""
    path = folder / ROWS
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{folder} holds no run to compare with: cannot read {ROWS} ({error})") from error
    return tuple(_records(path, lines, DocsRow))


def _records(path: Path, lines: Iterable[str], kind: type[_Read]) -> Iterator[_Read]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield kind.model_validate_json(line)
            except ValidationError as error:
                raise EvaluationError(f"{path}, line {number}: {_complaint(error)}") from error


def _complaint(error: ValidationError) -> str:
    """The first one."""
    detail = error.errors(include_url=False)[0]
    return ": ".join([".".join(map(str, detail["loc"])), str(detail["msg"])]).removeprefix(": ")


def _left(record: Path) -> UnpackedRecord | None:
    try:
        return UnpackedRecord.model_validate_json(record.read_bytes())
    except (OSError, ValidationError):
        return None


def _checksum(folder: Path) -> str:
    names = document_names(folder)
    return corpus_checksum({name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names})
