"""Citations and knowledge clusters (paper, "Knowledge Clusters"): what questions left behind, as values.

A citation is a quote with enough beside it to find it again, or to know that it is gone. Its selectors are those of
the W3C web annotation model (text position and text quote with prefix and suffix) and the hash of the source, so that
it can be checked by anyone who has the file and without us. A cluster holds every phrasing that was asked, the facts
that were proven, and the citations that prove them. All parts are identified by their content, so that the union of
two clusters does not depend on order.
"""

from __future__ import annotations

from enum import StrEnum

from lens_lsp.model.answer import Computation, Mode, RequirementStatus, Status
from lens_lsp.model.documents import Locator, SkipReason, TextSource
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span

OFFLINE = "offline"
"""The name of the rules where a model's would stand."""


class CitationState(StrEnum):
    """What a look at the source says about a citation. Only `VERIFIED` and `MOVED` may be shown as proof."""

    VERIFIED = "verified"
    """The source has the recorded hash, or still says the same at the span."""
    MOVED = "moved"
    """The source changed and the quote stands elsewhere, at one place without doubt."""
    WITHDRAWN = "withdrawn"
    """The quote is gone, or its place is in doubt, or the source is."""
    UNVERIFIABLE = "unverifiable"
    """The reader that extracted the text has another version now."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A verbatim quote of one source. Spans count code points of the decoded or extracted text.

    ``root`` is the folder that ``path`` is relative to: itself relative to the workspace where it lies inside, else
    absolute. ``sha256`` is that of the file's bytes, or of the buffer's UTF-8 text when ``source`` is ``BUFFER``.
    ``left`` and ``right`` are the shortest text (16 to 512 code points) before and behind the quote that makes its
    place unique in the source: empty when the quote is unique by itself, None on a side where no such text is. A quote
    of fewer than 16 code points is never unique by itself: it says too little to be known again elsewhere.
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
    """A citation after a look at its source: ``span`` and ``sha256`` are those of now, None unless it stands.

    ``path`` is set when the file has another name now, below the same root; ``gone`` when there is no such file;
    ``unread`` when there is one that cannot be read.
    """

    citation: Citation
    state: CitationState
    span: Span | None = None
    sha256: str | None = None
    why: str = ""
    """For a person: what became of it; empty when it is verified."""
    path: str | None = None
    gone: bool = False
    unread: SkipReason | None = None
    locator: Locator | None = None
    """Where a person would open the quote now; None where line and column say it."""


@dataclass(frozen=True, slots=True, order=True)
class Seen:
    """A document that was admitted to a search: what it said then, by its hash. ``root`` as in `Citation`."""

    root: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class KnownFact:
    """One requirement that was proven. ``evidence`` are ids of the cluster's citations, the strongest first.

    ``id`` is a digest of ``key`` and ``value``: the same requirement with another value is another fact. ``at`` is
    when it was last proven, in seconds since the epoch. ``retired`` facts have lost their evidence: they are kept for
    the record and never answer.
    """

    id: str
    key: str
    """The requirement's normal form: what another question's requirement must equal to be answered by this."""
    requirement: Requirement
    status: RequirementStatus
    value: str | None
    confidence: float | None
    evidence: tuple[str, ...]
    at: float
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was answered. ``facts`` are ids by the plan's requirements, None where nothing was proven, or
    only in other words or with the value of another fact.

    ``evidence`` are ids of citations in the order of the answer's numbers; ``seen`` the documents that were admitted,
    so that a newer one can be told. ``oracle`` says who planned and judged: ``offline``, or the origin of the endpoint.
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
    """Another cluster that shares evidence or requirements; ``weight`` is the share, over 0 to 1."""

    cluster: str
    weight: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """Questions that rest on the same evidence. Times are seconds since the epoch.

    ``citations`` are by id, a digest of root, path, quote and span. ``confidence`` is fitted on labelled runs.
    An archived cluster has no live fact; it answers nothing and is kept.
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
    """What was proven from a document, in words: feeds the prior's "compiled summaries" while the hash holds."""

    root: str
    path: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """An answer that the user called wrong ``at`` some time: never given from what is known, and a check to run again.

    ``id`` is a digest of ``key``, the normal form of the question, and of what was said. ``facts`` are the ids of the
    facts with a value that it rested on.
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
    """One question of a thread: as it was typed, and as it was searched once what it refers to was put in."""

    thread: str
    n: int
    typed: str
    question: str
    cluster: str | None
    """The cluster that holds its answer; None when nothing was kept."""
    at: float
