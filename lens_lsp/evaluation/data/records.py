"""What data set files must look like: the boundary where untrusted records become our own values.

Fields we do not use are ignored, so any folder of the same shape works. Imported only when an evaluation
runs: pydantic must not slow ``lens --version``.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, NonNegativeInt


def _plain_path(path: str) -> str:
    """A relative path that stays below the folder it is written to."""
    parts = PurePosixPath(path).parts
    plain = parts and not path.startswith("/") and ".." not in parts and "\0" not in path and "\\" not in path
    if not plain or str(PurePosixPath(path)) != path:
        raise ValueError(f"not a plain relative path: {path!r}")
    return path


PlainPath = Annotated[str, AfterValidator(_plain_path)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Record(BaseModel):
    """Base of all records: frozen, unknown fields ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ArticleRecord(Record):
    """A line of ``corpus.jsonl.gz``; ``body`` is title line, blank line, text."""

    path: PlainPath
    title: str
    body: str
    sha256: Sha256


class SnapshotRecord(Record):
    """A line of ``snapshots.jsonl.gz``."""

    path: PlainPath
    min_snapshot: int | str


class ParagraphRecord(Record):
    """Where a gold paragraph begins, in code points of the body of the article with this title."""

    title: str
    start: NonNegativeInt


class QuestionRecord(Record):
    """A line of ``questions.jsonl.gz``. Spans are half-open, in code points of the article's body."""

    id: str
    question: str
    smallest_snapshot: int | str | None = None
    supporting_paths: tuple[PlainPath, ...] = ()
    supporting_titles: tuple[str, ...] = ()
    gold_paras: tuple[ParagraphRecord, ...] = ()
    supporting_spans: tuple[tuple[PlainPath, NonNegativeInt, NonNegativeInt], ...] = ()
    answer: str | None = None
    answer_aliases: tuple[str, ...] = ()
    doc_path: PlainPath | None = None
    answer_spans: tuple[tuple[NonNegativeInt, NonNegativeInt], ...] = ()
    answers: tuple[str, ...] = ()
    type: str | None = None
    answerable: bool = True


class KnownItemRecord(Record):
    """A line of ``NAME.known-item.jsonl.gz``: link text → target; ``citing`` are the files with the link."""

    id: str
    question: str
    gold: PlainPath
    citing: tuple[PlainPath, ...] = ()


class SnapshotEntry(Record):
    """A snapshot in ``manifest.json``; the question checksums are absent where all snapshots share them."""

    articles: NonNegativeInt = Field(validation_alias=AliasChoices("articles", "docs"))
    corpus_sha256: Sha256
    sample_ids_sha256: Sha256 | None = None
    order_sha256: Sha256 | None = None


class WorkspaceEntry(Record):
    """A workspace in ``workspaces/manifest.json``; ``sha256`` is that of the archive."""

    sha256: Sha256
    md_files: NonNegativeInt


class FigureRecord(Record):
    """A figure with the bounds of its 95 % bootstrap interval, and over how many questions."""

    value: float
    low: float
    high: float
    n: NonNegativeInt


class CallsRecord(Record):
    """Model calls: in all, a question, the most of one, and questions with more than the mode may make."""

    total: NonNegativeInt
    mean: FigureRecord | None = None
    most: NonNegativeInt = 0
    beyond: NonNegativeInt = 0


class SecondsRecord(Record):
    """Wall time: what had to happen before the first question, and per question."""

    ready: float
    median: FigureRecord
    p95: FigureRecord


class ArmRecord(Record):
    """One arm in a summary. Percentages 0 to 100; ``None`` where the data set has no such gold."""

    n: NonNegativeInt
    document_recall: dict[str, FigureRecord] = Field(alias="documentRecall")
    all_gold: FigureRecord = Field(alias="allGold10")
    span_hit: dict[str, FigureRecord] | None = Field(alias="spanHit")
    known_item: dict[str, FigureRecord] | None = Field(alias="knownItem")
    evidence_recall: dict[str, FigureRecord | None] = Field(alias="evidenceRecall")
    ground: dict[str, FigureRecord | None]
    answered: FigureRecord | None
    answered_with_quote: FigureRecord | None = Field(None, alias="answeredWithQuote")
    false_answers: FigureRecord | None = Field(None, alias="falseAnswers")
    all_gold_proven: FigureRecord | None = Field(None, alias="allGoldProven")
    calls: CallsRecord
    seconds: SecondsRecord


class SummaryRecord(Record):
    """``summary.json`` of a run folder, schema ``lens.eval/1``, as far as a report reads it."""

    format: str = Field(alias="schema", pattern=r"^lens\.eval/1$")
    dataset: str
    snapshot: str
    hidden_titles: bool = Field(alias="hiddenTitles")
    mode: str
    oracle: str | None = None
    error: float | None = None
    seed: int
    arms: dict[str, ArmRecord]


class CorpusRecord(Record):
    """The manifest beside a prepared corpus, schema ``lens.corpus/1``, as far as a run needs it."""

    format: str = Field(alias="schema", pattern=r"^lens\.corpus/1$")
    dataset: str
    snapshot: str
    hidden_titles: bool = Field(alias="hiddenTitles")
    files_sha256: Sha256 = Field(alias="filesSha256")
    renamed: dict[PlainPath, tuple[PlainPath, NonNegativeInt]]
