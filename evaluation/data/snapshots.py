"""Corpora on disk: a snapshot as plain files, checked to the byte, and the manifest beside it.

The manifest lies next to the corpus folder (``NAME.manifest.json``), never inside: nothing but the documents
may be searched. A corpus is written to a temporary folder and renamed, so a folder that exists is complete;
preparing it again verifies every file instead of writing.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from evaluation.data.datasets import (
    Dataset,
    Gold,
    GoldSpan,
    articles,
    corpus_checksum,
    open_dataset,
    questions,
    sample_checksums,
)
from evaluation.data.nesting import Binding, bindings
from evaluation.data.records import CorpusRecord, SnapshotEntry, WorkspaceEntry
from evaluation.results import write_json
from lens_lsp.model.errors import EvaluationError

SCHEMA = "lens.corpus/1"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A prepared corpus folder and what its manifest says about it."""

    folder: Path
    dataset: str
    snapshot: str
    hidden_titles: bool
    files: int
    files_sha256: str
    """Over the files as written; equal to the data set's ``corpus_sha256`` when nothing is hidden."""
    renamed: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Hidden titles only: path → (name on disk, code points cut from the start of the text)."""
    nested: tuple[Binding, ...] = ()
    """The snapshots that this one holds, the smallest first, and itself."""
    shards: bool = False
    """Whether files hold many documents each, a JSON row apiece; gold is known by title alone then."""
    control: str | None = None
    """What was done to it to see what that does: nothing, or the name of a control."""

    def gold(self, gold: Gold) -> Gold:
        """The gold in terms of the files on disk. Spans that lay in a cut title line are dropped, in shards all."""
        if self.shards:
            return replace(gold, support=(), answer_spans=(), paragraphs=())
        if not self.hidden_titles:
            return gold
        return replace(
            gold,
            paths=tuple(self._name(path) for path in gold.paths),
            support=self._spans(gold.support),
            answer_spans=self._spans(gold.answer_spans),
            paragraphs=tuple(self._moved(path, start) for path, start in gold.paragraphs),
            excluded=frozenset(self._name(path) for path in gold.excluded),
        )

    def _name(self, path: str) -> str:
        if path not in self.renamed:
            raise EvaluationError(f"{manifest_path(self.folder)} does not say where {path} went")
        return self.renamed[path][0]

    def text(self, path: str) -> str:
        """The text of a document by its name on disk, line ends as they are."""
        return (self.folder / path).read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")

    def quoted(self, spans: Iterable[GoldSpan]) -> tuple[str, ...]:
        """What stands at some spans of documents by their names on disk."""
        return tuple(self.text(span.path)[span.start : span.end] for span in spans)

    def _moved(self, path: str, start: int) -> tuple[str, int]:
        return self._name(path), max(0, start - self.renamed[path][1])

    def _spans(self, spans: tuple[GoldSpan, ...]) -> tuple[GoldSpan, ...]:
        moved = []
        for span in spans:
            name, cut = self._name(span.path), self.renamed[span.path][1]
            if span.end > cut:
                moved.append(GoldSpan(name, max(0, span.start - cut), span.end - cut))
        return tuple(moved)


def prepare(dataset_dir: Path, snapshot: str, out: Path, *, hide_titles: bool = False) -> Corpus:
    """Write the corpus of a snapshot to ``out``, one file per document, or verify the one already there.

    ``hide_titles`` names files by short hashes and cuts the title line of each. Raises EvaluationError when
    the data do not match their checksums, or ``out`` holds anything but exactly this corpus.
    """
    dataset = open_dataset(dataset_dir, snapshot)
    nested = bindings(dataset)
    contents, renamed = _contents(dataset, hide_titles)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        _verify(out, contents)
    else:
        _write(out, contents)
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    checksum = corpus_checksum(digests)
    manifest = {
        "schema": SCHEMA,
        "dataset": dataset.name,
        "snapshot": dataset.snapshot,
        "hiddenTitles": hide_titles,
        "files": len(contents),
        "bytes": sum(map(len, contents.values())),
        "corpusSha256": dataset.entry.corpus_sha256 if isinstance(dataset.entry, SnapshotEntry) else checksum,
        "filesSha256": checksum,
        "archiveSha256": dataset.entry.sha256 if isinstance(dataset.entry, WorkspaceEntry) else None,
        "renamed": renamed,
        "nested": [asdict(binding) for binding in nested],
        "leftOut": 0 if dataset.release is None else dataset.release.left_out,
    } | _sample(dataset)
    write_json(manifest_path(out), manifest)
    return Corpus(out, dataset.name, dataset.snapshot, hide_titles, len(contents), checksum, renamed, nested)


def open_corpus(folder: Path, dataset: Dataset) -> Corpus:
    """The prepared corpus in ``folder``, every file of it checked against the manifest beside it.

    Raises EvaluationError when there is no manifest, it is another snapshot's, or a file differs.
    """
    path = manifest_path(folder)
    try:
        record = CorpusRecord.model_validate_json(path.read_bytes())
    except OSError as error:
        raise EvaluationError(f"no manifest beside {folder}: run `lens eval prepare` first") from error
    except ValueError as error:
        raise EvaluationError(f"{path} is not a corpus manifest") from error
    if (record.dataset, record.snapshot) != (dataset.name, dataset.snapshot):
        raise EvaluationError(
            f"{folder} holds {record.dataset} {record.snapshot}, not {dataset.name} {dataset.snapshot}"
        )
    wanted = dataset.entry.corpus_sha256 if isinstance(dataset.entry, SnapshotEntry) else None
    if wanted is not None and not record.hidden_titles and record.files_sha256 != wanted:
        raise EvaluationError(f"{folder} was prepared from other data than {dataset.folder}: prepare it anew")
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in document_names(folder)}
    if corpus_checksum(digests) != record.files_sha256:
        raise EvaluationError(f"{folder} was changed after it was prepared ({len(digests)} files): prepare it anew")
    return Corpus(
        folder=folder,
        dataset=record.dataset,
        snapshot=record.snapshot,
        hidden_titles=record.hidden_titles,
        files=len(digests),
        files_sha256=record.files_sha256,
        renamed=record.renamed,
        nested=tuple(Binding(**binding.model_dump()) for binding in record.nested),
    )


def manifest_path(corpus_dir: Path) -> Path:
    """Where the manifest of a corpus folder lies: beside it."""
    folder = corpus_dir.absolute()
    return folder.with_name(f"{folder.name}.manifest.json")


def document_names(folder: Path) -> list[str]:
    """The files below a corpus folder, relative, ``/`` between parts, sorted. Raises at links and devices."""
    names = []
    for parent, _, files in os.walk(folder):
        for file in files:
            path = Path(parent, file)
            if path.is_symlink() or not path.is_file():
                raise EvaluationError(f"{path} is not a plain file: not a prepared corpus")
            names.append(path.relative_to(folder).as_posix())
    return sorted(names)


def _contents(dataset: Dataset, hide_titles: bool) -> tuple[dict[str, bytes], dict[str, tuple[str, int]]]:
    if isinstance(dataset.entry, WorkspaceEntry):
        if hide_titles:
            raise EvaluationError("titles can only be hidden where every document begins with its title line")
        return _unpacked(dataset, dataset.entry), {}
    texts: dict[str, str] = {}
    digests = {}
    for article in articles(dataset):
        digests[article.path] = hashlib.sha256(article.body.encode("utf-8")).hexdigest()
        if digests[article.path] != article.sha256:
            raise EvaluationError(f"{dataset.folder}: the body of {article.path} does not match its sha256")
        texts[article.path] = article.body
    if corpus_checksum(digests) != dataset.entry.corpus_sha256:
        raise EvaluationError(f"{dataset.folder}: the articles of {dataset.snapshot} do not match corpus_sha256")
    if not hide_titles:
        return {path: text.encode("utf-8") for path, text in texts.items()}, {}
    renamed = {path: (_hidden_name(path), _title_length(text)) for path, text in texts.items()}
    hidden = {renamed[path][0]: text[renamed[path][1] :].encode("utf-8") for path, text in texts.items()}
    if len(hidden) != len(texts):
        raise EvaluationError(f"{dataset.folder}: two paths share a short hash")
    return hidden, renamed


def _hidden_name(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8")).hexdigest()[:12]


def _title_length(text: str) -> int:
    """Code points of the first line and the blank line after it."""
    end = text.find("\n") + 1
    if end == 0:
        return len(text)
    return end + 1 if text.startswith("\n", end) else end


def _unpacked(dataset: Dataset, entry: WorkspaceEntry) -> dict[str, bytes]:
    """The plain files of a workspace's archive, without its top folder."""
    contents = {}
    try:
        with open(dataset.archive, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256:
                raise EvaluationError(f"{dataset.archive}: its checksum is not the one in manifest.json")
            file.seek(0)
            with tarfile.open(fileobj=file, mode="r:xz") as archive:
                for member in archive:
                    if member.name.startswith("/") or ".." in member.name.split("/"):
                        raise tarfile.TarError(f"{member.name!r} leads outside")
                    name = member.name.removeprefix(f"{dataset.snapshot}/")
                    stream = archive.extractfile(member) if member.isreg() else None
                    if stream is not None:
                        contents[name] = stream.read()
    except (OSError, EOFError, tarfile.TarError) as error:
        raise EvaluationError(f"{dataset.archive}: cannot be unpacked ({error})") from error
    found = sum(name.endswith(".md") for name in contents)
    if found != entry.md_files:
        raise EvaluationError(f"{dataset.archive}: {found} Markdown files, the manifest says {entry.md_files}")
    return contents


def _sample(dataset: Dataset) -> dict[str, object]:
    """Which questions belong to the snapshot, by checksum; nothing for a workspace without questions."""
    if dataset.is_workspace and not (dataset.folder / f"{dataset.snapshot}.known-item.jsonl.gz").is_file():
        return {"questions": 0}
    ids = [question.id for question in questions(dataset)]
    sample, order = sample_checksums(ids)
    return {"questions": len(ids), "sampleIdsSha256": sample, "orderSha256": order}


def _write(out: Path, contents: Mapping[str, bytes]) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as scratch:
            whole = Path(scratch, "corpus")
            whole.mkdir()
            for name, data in contents.items():
                target = whole / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            if out.exists():
                out.rmdir()
            whole.rename(out)
    except OSError as error:
        raise EvaluationError(f"cannot write the corpus to {out} ({error})") from error


def _verify(out: Path, contents: Mapping[str, bytes]) -> None:
    if not out.is_dir():
        raise EvaluationError(f"{out} is not a folder")
    found = set(document_names(out))
    for name in sorted(found - contents.keys()):
        raise EvaluationError(f"{out} holds other files ({name}): give an empty or a new folder")
    for name in sorted(contents.keys() - found):
        raise EvaluationError(f"{out} is not complete ({name} is missing): remove the folder and prepare it anew")
    for name, data in contents.items():
        if (out / name).read_bytes() != data:
            raise EvaluationError(f"{out / name} was changed: remove the folder and prepare it anew")
