"""``lens eval docsqa``: questions that people ask of folders of documents: are the passages found that prove an answer?

A data set is a folder of ``questions.jsonl.gz`` and ``workspaces/`` (``manifest.json``, one ``NAME.tar.xz`` a folder of
documents). Beside ``lens find`` stands plain BM25 over chunks of the same files. A passage, of at most 600 code points,
holds a gold quote when it is of the same file and the quote stands in it whole, white space folded; nothing around a
passage counts. Arms are handed a folder and the text of a question; the gold meets their rankings only in
:func:`row_of`.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import re
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, PositiveInt, TypeAdapter, ValidationError

from lens_lsp.domain.errors import EvaluationError, UsageError
from lens_lsp.domain.records import dataclass
from lens_lsp.evaluation.arms.base import distinct
from lens_lsp.evaluation.arms.indexes import WINDOW, Bm25sIndex, IndexMaker, TantivyIndex, chunks, read_corpus
from lens_lsp.evaluation.data.datasets import corpus_checksum
from lens_lsp.evaluation.data.records import PlainPath, Record, Sha256
from lens_lsp.evaluation.data.snapshots import document_names
from lens_lsp.evaluation.reporting.markdown import plain, shown, table
from lens_lsp.evaluation.runner import Progress
from lens_lsp.evaluation.scoring.comparing import difference

DEPTH = 50
"""Passages, and documents, of a ranking that are scored."""
CUTS = (1, 3, 5)
"""The quote ranks that two runs are compared at."""
REFERENCE = "bm25s"
"""The arm that the others are held against."""
SEED = 0
"""Of the bootstrap intervals."""
ROWS = "rows.jsonl"
PAGE = "docsqa.md"

_HAN_AND_KANA = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_BETWEEN_WORDS = re.compile(r"[\W_]+")
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
class Ranking:
    """What an arm found, best first: files, and passages as the path of their file and their text."""

    documents: Sequence[str]
    passages: Sequence[tuple[str, str]]


Search = Callable[[str], Ranking]
"""From the text of a question to what was found."""


@dataclass(frozen=True, slots=True)
class DocsQa:
    """The questions that have an answer, in their order, and the workspaces by name."""

    folder: Path
    questions: tuple[QuestionRecord, ...]
    workspaces: Mapping[str, WorkspaceRecord]

    def language(self, question: QuestionRecord) -> str:
        """The language of a question's workspace."""
        return self.workspaces[question.workspace].language


@dataclass(frozen=True, slots=True)
class DocsPlan:
    """What to ask whom. No workspaces named are all of them."""

    arms: tuple[str, ...] = ("lens", REFERENCE, "tantivy")
    half: str = "both"
    workspaces: tuple[str, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class DocsResult:
    """The rows, question by question, every arm of each, and the tables over them."""

    questions: tuple[QuestionRecord, ...]
    rows: tuple[DocsRow, ...]
    markdown: str


# --- Data


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


# --- Arms


def _lens(folder: Path) -> Search:
    """What ``lens find`` prints: one search over the folder, warm from its first question on."""
    from lens_lsp.lens import Lens

    lens = Lens([folder])

    def search(question: str) -> Ranking:
        findings = lens.find(question, limit=DEPTH)
        return Ranking(
            distinct((document.path for document in findings.documents), DEPTH),
            [(item.path, item.quote) for item in findings.evidence],
        )

    return search


def _index(make: IndexMaker, pairs: bool, folder: Path) -> Search:
    """Plain BM25 over chunks, the words of the path before each; ``pairs``: Chinese by pairs of characters."""
    texts = read_corpus(folder)
    places = chunks(texts)
    prepared = character_pairs if pairs else str
    bodies = {
        str(number): prepared(f"{_BETWEEN_WORDS.sub(' ', path)}\n{texts[path][start:end]}")
        for number, (path, start, end) in enumerate(places)
    }
    index = make([(number, 0, len(body)) for number, body in bodies.items()], bodies)

    def search(question: str) -> Ranking:
        found = [places[int(number)] for number, _, _ in index.search(prepared(question), DEPTH)]
        return Ranking(
            distinct((path for path, _, _ in found), DEPTH),
            [(path, texts[path][start:end]) for path, start, end in found],
        )

    return search


def character_pairs(text: str) -> str:
    """The text with its stretches of Chinese and Japanese characters as overlapping pairs, apart from one another."""

    def spread(stretch: re.Match[str]) -> str:
        characters = stretch.group()
        return f" {' '.join(map(''.join, pairwise(characters))) or characters} "

    return _HAN_AND_KANA.sub(spread, text)


ARMS: Mapping[str, Callable[[Path], Search]] = {
    "lens": _lens,
    REFERENCE: partial(_index, Bm25sIndex, True),
    "tantivy": partial(_index, TantivyIndex, True),
    "bm25s-stems": partial(_index, Bm25sIndex, False),
}
"""What opens a folder, by the arm's name. ``bm25s-stems`` knows English stems alone and finds next to no Chinese."""


# --- Scores


def row_of(question: QuestionRecord, arm: str, ranking: Ranking) -> DocsRow:
    """The ranks of the first gold file and of the first gold quote. Raises EvaluationError for too long a passage."""
    files = {proof.path for proof in question.proofs}
    quotes = [(proof.path, _folded(proof.quote)) for proof in question.proofs]
    longest = max((len(text) for _, text in ranking.passages), default=0)
    if longest > WINDOW:
        raise EvaluationError(f"{question.id}: a passage of {arm} has {longest} code points, at most {WINDOW} count")

    def holds(passage: tuple[str, str]) -> bool:
        path, text = passage[0], _folded(passage[1])
        return any(path == of and quote in text for of, quote in quotes)

    return DocsRow(
        id=question.id,
        arm=arm,
        file=_first(path in files for path in ranking.documents[:DEPTH]),
        quote=_first(map(holds, ranking.passages[:DEPTH])),
    )


def _folded(text: str) -> str:
    return " ".join(text.split())


def _first(hits: Iterable[bool]) -> int | None:
    return next((rank for rank, hit in enumerate(hits, 1) if hit), None)


def _file_rank(row: DocsRow) -> int | None:
    return row.file


def _quote_rank(row: DocsRow) -> int | None:
    return row.quote


FIGURES: Mapping[str, tuple[Callable[[DocsRow], int | None], int]] = {
    "file@10": (_file_rank, 10),
    **{f"quote@{cut}": (_quote_rank, cut) for cut in (*CUTS, DEPTH)},
}
"""By their names: which rank, and how low it may be."""


def percents(rows: Iterable[DocsRow], figure: str) -> list[float]:
    """100 for each row that reaches the figure, else 0."""
    rank_of, most = FIGURES[figure]
    return [100.0 * within(rank_of(row), most) for row in rows]


def within(rank: int | None, most: int) -> bool:
    """Whether something was found at this rank or before."""
    return rank is not None and rank <= most


# --- The run


def run_docsqa(dataset: DocsQa, out: Path, plan: DocsPlan = DocsPlan(), progress: Progress | None = None) -> DocsResult:
    """Ask every arm every selected question; write ``rows.jsonl`` and ``docsqa.md`` below ``out``.

    The workspaces are unpacked into ``out/workspaces`` once. Raises UsageError for an arm or a workspace that does not
    exist and where no question is left, EvaluationError for data that are not what they should be, and MissingExtra.
    """
    asked = _selected(dataset, plan)
    by_workspace: dict[str, list[QuestionRecord]] = {}
    for question in asked:
        by_workspace.setdefault(question.workspace, []).append(question)
    found: dict[str, list[DocsRow]] = {}
    for name, questions in by_workspace.items():
        folder = unpack(dataset, name, out / "workspaces")
        searches = {arm: ARMS[arm](folder) for arm in dict.fromkeys(plan.arms)}
        for number, question in enumerate(questions, 1):
            found[question.id] = [row_of(question, arm, search(question.question)) for arm, search in searches.items()]
            if progress is not None:
                progress(name, number, len(questions))
    rows = tuple(row for question in asked for row in found[question.id])
    result = DocsResult(asked, rows, _page(dataset, asked, rows, plan))
    try:
        (out / ROWS).write_text("".join(f"{row.model_dump_json()}\n" for row in rows), "utf-8")
        (out / PAGE).write_text(result.markdown, "utf-8")
    except OSError as error:
        raise EvaluationError(f"cannot write to {out} ({error})") from error
    return result


def _selected(dataset: DocsQa, plan: DocsPlan) -> tuple[QuestionRecord, ...]:
    for kind, names, known in (("arm", plan.arms, ARMS), ("workspace", plan.workspaces, dataset.workspaces)):
        for name in names:
            if name not in known:
                raise UsageError(f"there is no {kind} {name!r}; choose from {', '.join(known)}")
    chosen = [
        question
        for question in dataset.questions
        if plan.half in ("both", question.half) and (not plan.workspaces or question.workspace in plan.workspaces)
    ]
    if not chosen:
        raise UsageError("no questions selected")
    return tuple(chosen[: plan.limit])


# --- Tables


_Group = Mapping[str, Sequence[QuestionRecord]]
"""Questions by what a line of a table says of them."""


def _page(dataset: DocsQa, questions: Sequence[QuestionRecord], rows: Iterable[DocsRow], plan: DocsPlan) -> str:
    by_arm: dict[str, dict[str, DocsRow]] = {}
    for row in rows:
        by_arm.setdefault(row.arm, {})[row.id] = row
    sections: dict[str, _Group] = {
        "By half": _halves(dataset, questions),
        "By intent": _by(questions, lambda question: question.intent),
        "By style": _by(questions, lambda question: question.style),
        "By workspace": _by(questions, lambda question: question.workspace),
        "With one workspace left out": _left_out(questions),
    }
    head = (
        f"# Questions of documents\n\nHalf: {plan.half}; questions with an answer: {len(questions)}. Percent; first "
        f"{DEPTH} passages of at most {WINDOW} code points. file@k: some gold file is among the first k; quote@k: some "
        "gold quote stands whole in one of the first k passages.\n"
    )
    return head + "".join(
        f"\n## {title}\n\n{_figures(groups, by_arm)}{_differences(groups, by_arm)}"
        for title, groups in sections.items()
        if groups
    )


def _halves(dataset: DocsQa, questions: Sequence[QuestionRecord]) -> _Group:
    parts = _by(questions, lambda question: question.half)
    if len(parts) > 1:
        parts["both"] = list(questions)
    groups: dict[str, list[QuestionRecord]] = {}
    for label, part in parts.items():
        groups[label] = part
        spoken = {dataset.language(question) for question in part}
        if "en" in spoken:
            for language in sorted(spoken - {"en"}):
                kept = [question for question in part if dataset.language(question) != language]
                groups[f"{label}, without {language}"] = kept
    return groups


def _left_out(questions: Sequence[QuestionRecord]) -> _Group:
    names = sorted({question.workspace for question in questions})
    if len(names) < 2:
        return {}
    return {f"without {name}": [question for question in questions if question.workspace != name] for name in names}


def _by(questions: Iterable[QuestionRecord], label: Callable[[QuestionRecord], str]) -> dict[str, list[QuestionRecord]]:
    groups: dict[str, list[QuestionRecord]] = {}
    for question in sorted(questions, key=label):
        groups.setdefault(label(question), []).append(question)
    return groups


def _figures(groups: _Group, by_arm: Mapping[str, Mapping[str, DocsRow]]) -> str:
    lines = []
    for label, questions in groups.items():
        for arm, rows in by_arm.items():
            found = [rows[question.id] for question in questions]
            means = [sum(percents(found, figure)) / len(found) for figure in FIGURES]
            lines.append([label, arm, str(len(found)), *map(plain, means)])
    return table(["", "arm", "n", *FIGURES], lines)


def _differences(groups: _Group, by_arm: Mapping[str, Mapping[str, DocsRow]]) -> str:
    """Points above the reference with 95 % intervals; nothing where it was not asked, or alone."""
    others = [arm for arm in by_arm if arm != REFERENCE]
    if REFERENCE not in by_arm or not others:
        return ""
    lines = []
    for label, questions in groups.items():
        for arm in others:
            ours, theirs = ([by_arm[name][question.id] for question in questions] for name in (arm, REFERENCE))
            changes = [
                shown(difference(percents(theirs, figure), percents(ours, figure), seed=SEED)) for figure in FIGURES
            ]
            lines.append([label, f"{arm} − {REFERENCE}", str(len(questions)), *changes])
    note = f"\nPoints above {REFERENCE}, 95 % bootstrap intervals over questions:\n\n"
    return note + table(["", "arms", "n", *FIGURES], lines)


# --- Single questions


def missed(result: DocsResult) -> str:
    """Questions of the first half whose quote the first arm does not have among its first five passages.

    None of the second: what is reported on it must not have been fitted to its questions one by one.
    """
    arm = result.rows[0].arm
    rows = {row.id: row for row in result.rows if row.arm == arm}
    lines = [
        f"* {question.id} ({question.intent}, {question.style}; file {_rank(row.file)}, quote {_rank(row.quote)}): "
        f"{question.question}\n" + "".join(f"    * `{proof.path}`: {_folded(proof.quote)}\n" for proof in question.gold)
        for question in result.questions
        if question.half == "first" and not within((row := rows[question.id]).quote, CUTS[-1])
    ]
    return f"\n## Not among the first {CUTS[-1]} passages of {arm}, first half\n\n{''.join(lines) or 'None.'}\n"


def crossed(before: Iterable[DocsRow], result: DocsResult) -> str:
    """The questions of both runs whose quote came among the first 1, 3 or 5 passages of an arm, or is there no more.

    Raises EvaluationError when the runs have no question of an arm in common.
    """
    then = {(row.arm, row.id): row for row in before}
    asked = {question.id: question for question in result.questions}
    common = [row for row in result.rows if (row.arm, row.id) in then]
    if not common:
        raise EvaluationError("the two runs have no question of an arm in common")
    lines, counts = [], []
    for arm in dict.fromkeys(row.arm for row in common):
        rows = [row for row in common if row.arm == arm]
        better, worse = dict.fromkeys(CUTS, 0), dict.fromkeys(CUTS, 0)
        for row in rows:
            old, cuts = then[arm, row.id].quote, []
            for cut in CUTS:
                if within(row.quote, cut) != within(old, cut):
                    (better if within(row.quote, cut) else worse)[cut] += 1
                    cuts.append(("+" if within(row.quote, cut) else "−") + str(cut))
            if cuts:
                change = f"{_rank(old)} → {_rank(row.quote)}"
                lines.append([row.id, arm, change, " ".join(cuts), asked[row.id].question.replace("|", "\\|")])
        gained = [f"+{better[cut]} −{worse[cut]}" for cut in CUTS]
        counts.append([arm, str(len(rows)), *gained])
    heads = [f"quote@{cut}" for cut in CUTS]
    return (
        f"\n## Against the other run\n\n{table(['arm', 'n', *heads], counts)}\n"
        f"{table(['question', 'arm', 'quote rank', 'crossed', 'text'], lines) if lines else 'No rank crossed.'}\n"
    )


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
