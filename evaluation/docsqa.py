"""``lens eval docsqa``: questions that people ask of folders of documents: are the passages found that prove an answer?

Beside ``lens find`` stands plain BM25 over chunks of the same files. A passage, of at most 600 code points, holds a
gold quote when it is of the same file and the quote stands in it whole, white space folded; nothing around a passage
counts. Arms are handed a folder and the text of a question; the gold meets their rankings only in :func:`row_of`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from evaluation.arms.base import distinct
from evaluation.arms.indexes import WINDOW, Bm25sIndex, IndexMaker, TantivyIndex, chunks, read_corpus
from evaluation.data.docsqa import ROWS, DocsQa, DocsRow, QuestionRecord, unpack
from evaluation.results import write_result
from evaluation.runner import Progress
from lens_lsp.app.settings import Request
from lens_lsp.model.errors import EvaluationError, UsageError

DEPTH = 50
"""Passages, and documents, of a ranking that are scored."""
CUTS = (1, 3, 5)
"""The quote ranks that two runs are compared at."""
REFERENCE = "bm25s"
"""The arm that the others are held against."""

_HAN_AND_KANA = re.compile("[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_BETWEEN_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Ranking:
    """What an arm found, best first: files, and passages as the path of their file and their text."""

    documents: Sequence[str]
    passages: Sequence[tuple[str, str]]


Search = Callable[[str], Ranking]
"""From the text of a question to what was found."""


@dataclass(frozen=True, slots=True)
class DocsPlan:
    """What to ask whom. No workspaces named are all of them."""

    arms: tuple[str, ...] = ("lens", REFERENCE, "tantivy")
    half: str = "both"
    workspaces: tuple[str, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class DocsResult:
    """The rows, question by question, every arm of each."""

    dataset: DocsQa
    plan: DocsPlan
    questions: tuple[QuestionRecord, ...]
    rows: tuple[DocsRow, ...]


def _lens(rerank: bool, folder: Path) -> Search:
    """What ``lens find`` prints: one search over the folder, warm from its first question on; ``rerank``: in the order
    of the reader, without which there is no such arm."""
    from lens_lsp.app.lens import Lens

    lens = Lens([folder])

    def search(question: str) -> Ranking:
        findings = lens.find(Request(question, limit=DEPTH, rerank=rerank))
        if findings.reranked is False:
            raise EvaluationError("; ".join(findings.warnings))
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
    "lens": partial(_lens, False),
    "lens-rerank": partial(_lens, True),
    REFERENCE: partial(_index, Bm25sIndex, True),
    "tantivy": partial(_index, TantivyIndex, True),
    "bm25s-stems": partial(_index, Bm25sIndex, False),
}
"""What opens a folder, by the arm's name. ``bm25s-stems`` knows English stems alone and finds next to no Chinese;
``lens-rerank`` lets the reader order the best passages of ``lens``."""


def row_of(question: QuestionRecord, arm: str, ranking: Ranking) -> DocsRow:
    """The ranks of the first gold file and of the first gold quote. Raises EvaluationError for too long a passage."""
    files = {proof.path for proof in question.proofs}
    quotes = [(proof.path, folded(proof.quote)) for proof in question.proofs]
    longest = max((len(text) for _, text in ranking.passages), default=0)
    if longest > WINDOW:
        raise EvaluationError(f"{question.id}: a passage of {arm} has {longest} code points, at most {WINDOW} count")

    def holds(passage: tuple[str, str]) -> bool:
        path, text = passage[0], folded(passage[1])
        return any(path == of and quote in text for of, quote in quotes)

    return DocsRow(
        id=question.id,
        arm=arm,
        file=_first(path in files for path in ranking.documents[:DEPTH]),
        quote=_first(map(holds, ranking.passages[:DEPTH])),
    )


def folded(text: str) -> str:
    """With each stretch of white space as one space, and none around."""
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


def run_docsqa(dataset: DocsQa, out: Path, plan: DocsPlan = DocsPlan(), progress: Progress | None = None) -> DocsResult:
    """Ask every arm every selected question; write ``rows.jsonl`` below ``out``.

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
    write_result(out / ROWS, "".join(f"{row.model_dump_json()}\n" for row in rows), '","arm":"')
    return DocsResult(dataset, plan, asked, rows)


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
