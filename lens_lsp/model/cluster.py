"""Citations and knowledge clusters (paper, "Knowledge Clusters"): the values that are kept of answered questions.

A citation is a quote with what it takes to find the quote again, or to tell that it is gone: the position and the text
around it, as in the W3C web annotation model, and the hash of the source. So anyone who has the file can check it
without this program. A cluster holds the phrasings of a question, the proven facts, and the citations that prove them.
All parts are identified by their content, so the union of two clusters does not depend on their order.
"""

from __future__ import annotations

from enum import StrEnum

from lens_lsp.model.answer import Computation, Mode, RequirementStatus, Status
from lens_lsp.model.documents import Locator, SkipReason, TextSource
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span

OFFLINE = "offline"
"""The name of the oracle when rules planned and judged, instead of the origin of a model's endpoint."""


class CitationState(StrEnum):
    """The result of checking a citation against its source. Only `VERIFIED` and `MOVED` may be shown as proof."""

    VERIFIED = "verified"
    """The source has the recorded hash, or the quote still stands at the recorded span."""
    MOVED = "moved"
    """The source changed, and the quote now stands at one other place, without doubt."""
    WITHDRAWN = "withdrawn"
    """The source is gone, or the quote is, or it cannot be told which place is the quote's."""
    UNVERIFIABLE = "unverifiable"
    """The source could not be compared: its reader has another version, or it may not or cannot be read here."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A verbatim quote of one source. Spans count code points of the decoded or extracted text.

    ``root`` is the folder that ``path`` is relative to. It is relative to the workspace if it lies inside, else
    absolute. ``sha256`` is the hash of the file's bytes, or of the buffer's UTF-8 text if ``source`` is ``BUFFER``.
    ``left`` and ``right`` are the shortest texts (16 to 512 code points) before and after the quote that make its
    place unique in the source. They are empty if the quote is unique by itself; one is None if no text on that side
    makes it unique. A quote of fewer than 16 code points never counts as unique by itself.
    """

    root: str
    path: str
    source: TextSource
    sha256: str
    encoding: str
    reader: str
    span: Span
    quote: str
    match: str = "exact"
    left: str | None = ""
    right: str | None = ""
    heading: tuple[str, ...] = ()
    locator: Locator | None = None
    count: int | None = None
    """How often the quote stands in the source; None when nobody counted."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a citation. ``span`` and ``sha256`` are today's, None unless the quote stands.

    ``path`` is the file's new name below the same root, if it was renamed. ``gone`` says that there is no such file,
    ``unread`` why the file cannot be read.
    """

    citation: Citation
    state: CitationState
    span: Span | None = None
    sha256: str | None = None
    why: str = ""
    """What became of the quote, in words for a person; empty when it is verified."""
    path: str | None = None
    gone: bool = False
    unread: SkipReason | None = None
    locator: Locator | None = None
    """The quote's place in a document such as a page or cell; None where line and column say it."""


@dataclass(frozen=True, slots=True, order=True)
class Seen:
    """A document that was admitted to a search, and the hash of its content then. ``root`` is as in `Citation`."""

    root: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A requirement that was proven. ``evidence`` holds ids of the cluster's citations, the strongest first.

    ``id`` is a digest of ``key`` and ``value``, so the same requirement with another value is another fact. ``at`` is
    when the fact was last proven, in seconds since the epoch. A ``retired`` fact has lost its evidence: it is kept for
    the record and never answers a question.
    """

    id: str
    key: str
    """The requirement's normal form. A later requirement with the same one is answered by this fact."""
    requirement: Requirement
    status: RequirementStatus
    value: str | None
    confidence: float | None
    evidence: tuple[str, ...]
    at: float
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its answer. ``facts`` has an id for each requirement of the plan, or None.

    None means that nothing was proven, or only in other words or with the value of another fact. ``evidence`` holds
    ids of citations, in the order of the answer's numbers. ``seen`` are the documents that were admitted, so that
    newer ones can be told. ``oracle`` says who planned and judged: `OFFLINE`, or the origin of the model's endpoint.
    ``at`` is in seconds since the epoch.
    """

    id: str
    question: str
    key: str
    """The normal form of the whole question."""
    plan: Plan
    mode: Mode
    oracle: str
    at: float
    status: Status
    text: str
    short: str | None
    facts: tuple[str | None, ...]
    evidence: tuple[str, ...]
    seen: tuple[Seen, ...] = ()
    computation: Computation | None = None


@dataclass(frozen=True, slots=True)
class ClusterLink:
    """A cluster that shares evidence or requirements with this one; ``weight`` is how much, over 0 up to 1."""

    cluster: str
    weight: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """Questions that rest on the same evidence. Times are seconds since the epoch.

    ``citations`` are pairs of an id, which is a digest of root, path, quote and span, and the citation.
    ``confidence`` is fitted on labelled runs. An archived cluster has no live fact; it is kept, but answers nothing.
    """

    id: str
    title: str
    asked: tuple[Asked, ...]
    facts: tuple[KnownFact, ...]
    citations: tuple[tuple[str, Citation], ...]
    links: tuple[ClusterLink, ...] = ()
    hits: int = 0
    """How often it answered a question again."""
    created: float = 0.0
    used: float = 0.0
    confidence: float | None = None
    archived: bool = False


@dataclass(frozen=True, slots=True, order=True)
class DocumentSummary:
    """What was proven from a document, in words: the "compiled summaries" of the search prior.

    It counts only while the document has this hash.
    """

    root: str
    path: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """An answer that the user called wrong. It is never given from memory again, and is asked again as a check.

    ``id`` is a digest of ``key``, the normal form of the question, and of what was said. ``facts`` holds the ids of
    the facts with a value that it rested on. ``at`` is when it was called wrong, in seconds since the epoch.
    """

    id: str
    question: str
    key: str
    text: str
    short: str | None
    oracle: str
    facts: tuple[str, ...]
    at: float


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a thread. ``typed`` is as the user wrote it; ``question`` has what it refers to put in.

    ``n`` is its number in the thread; ``at`` is in seconds since the epoch.
    """

    thread: str
    n: int
    typed: str
    question: str
    cluster: str | None
    """The cluster that holds its answer; None when nothing was kept."""
    at: float
