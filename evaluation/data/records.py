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


class LedgerRecord(Record):
    """What a question cost, as a row says it. Calls by stage with their ``total``; tokens ``in`` and ``out``, and those
    ``embedded`` by an endpoint."""

    calls: dict[str, NonNegativeInt]
    tokens: dict[str, NonNegativeInt]
    seconds: float
    cost: float | None = None


class RowAnswerRecord(Record):
    """How asking ended, as a row says it."""

    status: str
    stopped: str
    short: str | None = None
    text: str


class RowRecord(Record):
    """A line of ``ARM.rows.jsonl`` of a run folder, as far as a summary counts it. Scores run from 0 to 1."""

    id: str
    documents: tuple[str, ...]
    windows: tuple[tuple[str, NonNegativeInt, NonNegativeInt], ...]
    answer: RowAnswerRecord | None
    ledger: LedgerRecord
    scores: dict[str, float]
    outcome: str | None = None
    """The class of the failure taxonomy, where an exact match can be had."""
    claims: tuple[tuple[float, bool], ...] = ()
    """How sure each proven fact was said to be, and whether a gold span stands in what it rests on."""
    compression: float | None = None


class ShownRecord(Record):
    """A passage that an arm was shown or printed, as a row holds it: half-open span in code points, and its text."""

    n: NonNegativeInt
    path: str
    span: tuple[NonNegativeInt, NonNegativeInt]
    quote: str


class TracedRowRecord(RowRecord):
    """A row with everything a person needs to see what happened."""

    evidence: tuple[ShownRecord, ...] = ()
    trace: tuple[str, ...] = ()


class ReadyRecord(Record):
    """``ARM.ready.json`` of a run folder: wall seconds until an arm could be asked, and tokens that an embedding model
    behind an endpoint was sent for its index."""

    seconds: float
    tokens: NonNegativeInt = 0


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
    stages: dict[str, NonNegativeInt] = {}
    """By what they were made for."""


class TokensRecord(Record):
    """Tokens in and out of a model, those that an embedding model was sent for questions and for the index, and the sum
    for a question."""

    tokens_in: NonNegativeInt = Field(0, alias="in")
    tokens_out: NonNegativeInt = Field(0, alias="out")
    embedded: NonNegativeInt = 0
    indexed: NonNegativeInt = 0
    mean: FigureRecord | None = None


class BinRecord(Record):
    """Claims with a confidence from ``low`` to ``high``: how many, their mean confidence, and the share that held."""

    low: float
    high: float
    n: NonNegativeInt
    confidence: float
    held: float


class CalibrationRecord(Record):
    """Whether confidence means what it says: the expected calibration error over ``n`` claims, and its bins."""

    ece: float
    n: NonNegativeInt
    bins: tuple[BinRecord, ...]


class SecondsRecord(Record):
    """Wall time: what had to happen before the first question, and per question."""

    ready: float
    median: FigureRecord
    p95: FigureRecord


class ArmRecord(Record):
    """One arm in a summary. Percentages 0 to 100; ``None`` where the data set has no such gold."""

    n: NonNegativeInt
    em: FigureRecord | None = None
    f1: FigureRecord | None = None
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
    outcomes: dict[str, NonNegativeInt] | None = None
    """Questions by the class of the failure taxonomy."""
    calibration: dict[str, CalibrationRecord] = {}
    """Of single ``facts`` and of whole ``answers``."""
    compression: FigureRecord | None = None
    """A share from 0 to 1."""
    budget_exceeded: FigureRecord | None = Field(None, alias="budgetExceeded")
    calls: CallsRecord
    tokens: TokensRecord | None = None
    cost: float | None = None
    seconds: SecondsRecord


class FilesRecord(Record):
    """The corpus of a run."""

    files: NonNegativeInt


class SummaryRecord(Record):
    """``summary.json`` of a run folder, schema ``lens.eval/1``, as far as a report reads it."""

    format: str = Field(alias="schema", pattern=r"^lens\.eval/1$")
    dataset: str
    snapshot: str
    hidden_titles: bool = Field(alias="hiddenTitles")
    mode: str
    oracle: str | None = None
    error: float | None = None
    model: str | None = None
    scripted: bool = False
    """Whether a program stood in for the model: then no figure of its answers says how good anything is."""
    control: str | None = None
    shards: bool = False
    """Whether the corpus were raw shards of Wikipedia."""
    corpus: FilesRecord | None = None
    seed: int
    arms: dict[str, ArmRecord]


class BindingRecord(Record):
    """A snapshot in the manifest of a corpus that holds it."""

    snapshot: str
    questions: NonNegativeInt
    articles: NonNegativeInt
    sample_ids: Sha256
    order: Sha256
    corpus: Sha256


class CorpusRecord(Record):
    """The manifest beside a prepared corpus, schema ``lens.corpus/1``, as far as a run needs it."""

    format: str = Field(alias="schema", pattern=r"^lens\.corpus/1$")
    dataset: str
    snapshot: str
    hidden_titles: bool = Field(alias="hiddenTitles")
    files_sha256: Sha256 = Field(alias="filesSha256")
    renamed: dict[PlainPath, tuple[PlainPath, NonNegativeInt]]
    nested: tuple[BindingRecord, ...] = ()
