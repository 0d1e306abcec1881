"""Data sets: what to ask, over which articles, and the gold that only the scorer sees.

A data set is a folder of the shape ``manifest.json``, ``corpus.jsonl.gz``, ``snapshots.jsonl.gz``,
``questions.jsonl.gz``; or the ``workspaces`` folder, where a snapshot is the name of an archive and its
questions are ``NAME.known-item.jsonl.gz``; or one file, a release as its authors publish it. Snapshots are
nested. Every file of a folder is checked against the manifest's checksum before it is used. Arms are never handed
a :class:`Question`, only its ticket and text.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from evaluation.data.records import (
    ArticleRecord,
    KnownItemRecord,
    QuestionRecord,
    Record,
    SnapshotEntry,
    SnapshotRecord,
    WorkspaceEntry,
)
from evaluation.data.releases import ALIASES, WHOLE, Release, read_release
from lens_lsp.model.errors import EvaluationError

LADDER = (125, 250, 500)
"""The snapshots of a release that are made on the way to a larger one, to see that they are nested."""

_Read = TypeVar("_Read", bound=Record)


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """Half-open ``[start, end)`` in code points of the text of the document at ``path``."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Gold:
    """The answer key of one question. Only the scorer holds it."""

    paths: tuple[str, ...]
    """Every document the answer needs."""
    support: tuple[GoldSpan, ...] = ()
    """Passages that must all be shown to prove the answer."""
    answer_spans: tuple[GoldSpan, ...] = ()
    """Places where the answer stands; any one of them suffices."""
    paragraphs: tuple[tuple[str, int], ...] = ()
    """Paths and offsets where gold paragraphs begin; each runs to the next blank line or the end of the text."""
    answers: tuple[str, ...] = ()
    comparison: bool = False
    """Whether things are compared: then no one passage proves the answer."""
    answerable: bool = True
    excluded: frozenset[str] = frozenset()
    """Documents left out of a ranking before it is scored: they cite the gold by the words of the query."""

    @property
    def spans(self) -> tuple[GoldSpan, ...]:
        """Whatever gold spans the question has."""
        return self.support or self.answer_spans


@dataclass(frozen=True, slots=True)
class Question:
    """A question and, apart from it, its gold."""

    id: str
    text: str
    gold: Gold
    ticket: str
    """What an arm is told in place of the id, by which gold of a public set could be looked up: a number in order."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """One snapshot of a data set folder. ``sizes`` orders the snapshots: articles of each, nested."""

    folder: Path
    name: str
    snapshot: str
    sizes: dict[str, int]
    entry: SnapshotEntry | WorkspaceEntry
    checksums: dict[str, str]
    release: Release | None = None
    """What a file holds, when the data set is one."""

    @property
    def is_workspace(self) -> bool:
        """Whether the corpus is an archive of real files and the questions are known-item queries."""
        return isinstance(self.entry, WorkspaceEntry)

    @property
    def archive(self) -> Path:
        """The archive of a workspace."""
        return self.folder / f"{self.snapshot}.tar.xz"

    def holds(self, smallest: int | str | None) -> bool:
        """Whether something that enters at snapshot ``smallest`` belongs to this snapshot."""
        if smallest is None:
            return True
        label = _label(smallest)
        if label not in self.sizes:
            raise EvaluationError(f"{self.folder}: {smallest!r} is not a snapshot of its manifest")
        return self.sizes[label] <= self.sizes[self.snapshot]


def open_dataset(folder: Path, snapshot: str, *, elsewhere: bool = False) -> Dataset:
    """The snapshot of the data set in ``folder``: ``500`` or ``D_500``, ``S_dev48``, or a workspace's name.

    ``folder`` may be the file of a release: then ``500`` for its first 500 questions, or ``all``; ``elsewhere`` is as
    in `read_release`. Raises EvaluationError when the manifest is missing or malformed, or has no such snapshot.
    """
    if folder.is_file():
        return _open_release(folder, snapshot, elsewhere=elsewhere)
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{folder} is not a data set: cannot read {path.name} ({error})") from error
    if not isinstance(manifest, dict):
        raise EvaluationError(f"{path}: not a JSON object")
    name = folder.resolve().name
    if not (folder / "corpus.jsonl.gz").exists():
        known = {label: _entry(path, label, value, WorkspaceEntry) for label, value in manifest.items()}
        if snapshot not in known:
            raise _no_snapshot(folder, snapshot, known)
        return Dataset(folder, name, snapshot, {snapshot: 0}, known[snapshot], {})
    entries = {
        label: _entry(path, label, value, SnapshotEntry)
        for label, value in manifest.items()
        if isinstance(value, dict) and "corpus_sha256" in value
    }
    label = snapshot if snapshot in entries else _label(int(snapshot) if snapshot.isdecimal() else snapshot)
    if label not in entries:
        raise _no_snapshot(folder, snapshot, entries)
    sizes = {key: entry.articles for key, entry in entries.items()}
    checksums = _validated(path, manifest.get("files", {}))
    return Dataset(folder, name, label, sizes, entries[label], checksums)


def _open_release(path: Path, snapshot: str, *, elsewhere: bool) -> Dataset:
    whole = read_release(path, elsewhere=elsewhere)
    number = snapshot.removeprefix("D_")
    if snapshot != WHOLE and not (number.isdecimal() and 0 < int(number) <= len(whole.questions)):
        raise EvaluationError(f"{path} has no snapshot {snapshot!r}; it has {WHOLE} and 1 to {len(whole.questions)}")
    count = len(whole.questions) if snapshot == WHOLE else int(number)
    steps = {_label(step): whole.first(step) for step in LADDER if step < count}
    label = WHOLE if snapshot == WHOLE else _label(count)
    steps[label] = release = whole if snapshot == WHOLE else whole.first(count)
    sizes = {step: len(part.articles) for step, part in steps.items()}
    sample, order = sample_checksums([row.id for row in release.questions])
    entry = SnapshotEntry(
        articles=len(release.articles),
        corpus_sha256=corpus_checksum({article.path: article.sha256 for article in release.articles}),
        sample_ids_sha256=sample,
        order_sha256=order,
    )
    checksums = {path.name: release.file_sha256}
    if release.aliases_sha256 is not None:
        checksums[ALIASES] = release.aliases_sha256
    return Dataset(path, path.stem, label, sizes, entry, checksums, release)


def questions(dataset: Dataset, *, answerable: bool = True) -> tuple[Question, ...]:
    """The questions of a snapshot in their frozen order: those with an answer, or only those without one."""
    if dataset.is_workspace:
        return _known_items(dataset) if answerable else ()
    rows = enumerate(_question_records(dataset), 1)
    found = tuple(
        Question(row.id, row.question, _gold(row), _ticket(number))
        for number, row in rows
        if row.answerable is answerable
    )
    for question in found:
        if not question.gold.paths:
            raise EvaluationError(f"{dataset.folder}: question {question.id} names no gold document")
    return found


def sample_ids(dataset: Dataset) -> list[str]:
    """The ids of a snapshot's questions in their frozen order, with an answer or without."""
    return (
        [question.id for question in _known_items(dataset)]
        if dataset.is_workspace
        else [row.id for row in _question_records(dataset)]
    )


def _question_records(dataset: Dataset) -> Sequence[QuestionRecord]:
    if dataset.release is not None:
        return dataset.release.questions
    rows = [
        row for row in _lines(dataset, "questions.jsonl.gz", QuestionRecord) if dataset.holds(row.smallest_snapshot)
    ]
    if isinstance(dataset.entry, SnapshotEntry):
        _check_sample(dataset, dataset.entry, [row.id for row in rows])
    return rows


def articles(dataset: Dataset) -> list[ArticleRecord]:
    """The articles of a snapshot, sorted by path. Bodies are not yet checked against their checksums."""
    if dataset.release is not None:
        return list(dataset.release.articles)
    paths = {
        row.path for row in _lines(dataset, "snapshots.jsonl.gz", SnapshotRecord) if dataset.holds(row.min_snapshot)
    }
    found = [row for row in _lines(dataset, "corpus.jsonl.gz", ArticleRecord) if row.path in paths]
    if len(found) != len(paths):
        raise EvaluationError(f"{dataset.folder}: {len(paths)} articles are listed, {len(found)} have a body")
    return sorted(found, key=lambda row: row.path)


def sample_checksums(ids: list[str]) -> tuple[str, str]:
    """SHA-256 of the sorted ids and of the ids in order, one a line: which questions, and in which order."""
    return _sha256("\n".join(sorted(ids)).encode()), _sha256("\n".join(ids).encode())


def corpus_checksum(digests: Mapping[str, str]) -> str:
    """SHA-256 over all names in order, then all content digests: the ``corpus_sha256`` of the data sets."""
    digest = hashlib.sha256()
    for name in sorted(digests):
        digest.update(name.encode())
    for name in sorted(digests):
        digest.update(digests[name].encode())
    return digest.hexdigest()


def _known_items(dataset: Dataset) -> tuple[Question, ...]:
    name = f"{dataset.snapshot}.known-item.jsonl.gz"
    if not (dataset.folder / name).is_file():
        raise EvaluationError(f"{dataset.folder}: the workspace {dataset.snapshot} has no questions ({name})")
    rows = _lines(dataset, name, KnownItemRecord)
    return tuple(
        Question(row.id, row.question, Gold((row.gold,), excluded=frozenset(row.citing)), _ticket(number))
        for number, row in enumerate(rows, 1)
    )


def _ticket(number: int) -> str:
    return f"q{number:04}"


def _gold(row: QuestionRecord) -> Gold:
    own = row.doc_path
    by_title = dict(zip(row.supporting_titles, row.supporting_paths, strict=False))
    answers = row.answers or tuple(text for text in (row.answer, *row.answer_aliases) if text)
    return Gold(
        paths=tuple(dict.fromkeys(row.supporting_paths or ((own,) if own else ()))),
        support=tuple(GoldSpan(*span) for span in row.supporting_spans),
        answer_spans=tuple(GoldSpan(own, *span) for span in row.answer_spans) if own else (),
        paragraphs=tuple((by_title[one.title], one.start) for one in row.gold_paras if one.title in by_title),
        answers=tuple(dict.fromkeys(answers)),
        comparison="comparison" in (row.type or ""),
        answerable=row.answerable,
    )


def _check_sample(dataset: Dataset, entry: SnapshotEntry, ids: list[str]) -> None:
    sample, order = sample_checksums(ids)
    for what, expected, found in (
        ("sample_ids_sha256", entry.sample_ids_sha256, sample),
        ("order_sha256", entry.order_sha256, order),
    ):
        if expected is not None and expected != found:
            raise EvaluationError(f"{dataset.folder}: {what} of {dataset.snapshot} is {found}, not {expected}")


def _label(snapshot: int | str) -> str:
    """The manifest's key of a snapshot: counted ones are written ``D_500`` there and ``500`` elsewhere."""
    return f"D_{snapshot}" if isinstance(snapshot, int) else snapshot


def _no_snapshot(folder: Path, snapshot: str, known: dict[str, _Read]) -> EvaluationError:
    names = ", ".join(label.removeprefix("D_") for label in known)
    return EvaluationError(f"{folder} has no snapshot {snapshot!r}; it has {names or 'none'}")


def _entry(path: Path, label: str, value: object, kind: type[_Read]) -> _Read:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise EvaluationError(f"{path}: {label}: {_first(error)}") from error


def _validated(path: Path, value: object) -> dict[str, str]:
    try:
        return TypeAdapter(dict[str, str]).validate_python(value)
    except ValidationError as error:
        raise EvaluationError(f"{path}: files: {_first(error)}") from error


def _lines(dataset: Dataset, name: str, kind: type[_Read]) -> Iterator[_Read]:
    path = dataset.folder / name
    try:
        packed = path.read_bytes()
        expected = dataset.checksums.get(name)
        if expected is not None and _sha256(packed) != expected:
            raise EvaluationError(f"{path}: its checksum is not the one in manifest.json")
        lines = gzip.decompress(packed).decode("utf-8").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path}: cannot be read ({error})") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            raise EvaluationError(f"{path}, line {number}: {_first(error)}") from error


def _first(error: ValidationError) -> str:
    """The first complaint, without pydantic's links."""
    detail = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in detail["loc"])
    return f"{where}: {detail['msg']}" if where else str(detail["msg"])


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
