"""What an oracle is shown and what it says of it (paper, section 4: the observation o_i of a region z_i), and the way
from what it reads back to the source.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from lens_lsp.model.documents import Block, Secret
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Span

MOST_CONTEXT = 400
"""Code points of a line of context that a model is sent; the ledger lists a longer one whole."""
_MOST_IN_ONE = 8
"""As many tokens of our estimate, 24 bytes, no tokenizer makes one of, text taken together."""


def tokens(text: str) -> int:
    """An estimate of how many tokens a text costs: a third of its UTF-8 bytes, rounded up."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // 3)


def counted(reported: int | None, estimate: int) -> int:
    """The tokens that count of a text: what an endpoint reported, or the estimate where it reported nothing or far less
    than any tokenizer makes of so much text."""
    return estimate if reported is None or reported * _MOST_IN_ONE < estimate else reported


@dataclass(frozen=True, slots=True)
class RegionView:
    """A region as an oracle sees it: ``text`` may be quoted, the context may not.

    ``text`` is the source without its hidden markup, piece by piece: ``text[at[i]:]`` begins with the source's
    ``pieces[i]``. What lies between two pieces is a space of ours, which stands for markup.
    """

    span: Span
    """The region, in code points of the document's text."""
    text: str
    at: tuple[int, ...]
    pieces: tuple[Span, ...]
    units: tuple[Block, ...] = ()
    """Sentences, list items, table rows, headings and code in the text, all spans in code points of ``text``; a
    table row's ``header`` is not kept."""
    headings: tuple[str, ...] = ()
    """The headings the region stands under, outermost first."""
    headers: tuple[str, ...] = ()
    """The header rows of the tables whose rows are shown without them."""
    recognised: bool = False
    """A program recognised the text on a picture of a page, and may have seen or overlooked blanks."""

    @property
    def context(self) -> str:
        """What helps to understand the text and is no part of it, a line each; may be empty."""
        path = (" > ".join(self.headings),) if self.headings else ()
        return "\n".join((*path, *self.headers))

    def source(self, span: Span) -> Span | None:
        """Where a stretch of ``text`` stands in the document, ``None`` if it shows nothing of it."""
        first = bisect_right(self.at, span.start) - 1
        last = bisect_right(self.at, span.end - 1) - 1
        if first < 0 or last < 0 or not len(span):
            return None
        start = self.pieces[first].start + span.start - self.at[first]
        if start >= self.pieces[first].end and first + 1 < len(self.pieces):
            start = self.pieces[first + 1].start
        end = min(self.pieces[last].start + span.end - self.at[last], self.pieces[last].end)
        return Span(start, end) if start < end else None

    def place(self, offset: int) -> int:
        """Where an offset of the document stands in ``text``; one that is not shown, where the next shown one does."""
        index = bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1
        if index < 0:
            return 0
        piece = self.pieces[index]
        if offset < piece.end:
            return self.at[index] + offset - piece.start
        if offset == piece.end or index + 1 == len(self.pieces):
            return self.at[index] + len(piece)
        return self.at[index + 1]


class Verdict(StrEnum):
    """What a region says about one requirement."""

    NONE = "none"
    RELATED = "related"
    PARTIAL = "partial"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Region:
    """A region z as an oracle is shown it: at most 400 tokens of one document between readable boundaries.

    ``number`` counts from 1 within a request. ``title``, ``headings`` and ``header`` (the header row of a table)
    are context: an oracle may use them but never quote them. ``units`` are the sentences, list items, rows and
    headings inside, as spans of ``text``, in order.
    """

    number: int
    path: str
    title: str
    headings: tuple[str, ...]
    header: str | None
    text: str
    units: tuple[Span, ...] = ()
    cells: tuple[int, ...] = ()
    """How many cells each unit has that is a row of a table; 0 for the others."""
    private: bool = False
    """The document says ``lens: private``: never for an endpoint that is not loopback."""
    root: int = 0
    """The index of the folder that ``path`` is in."""
    sources: tuple[Span, ...] = ()
    """Where the text and its context stand in the file, in code points: what leaves when the region is sent."""
    continued: bool = False
    """Its section goes on behind it."""
    secrets: tuple[Secret, ...] = field(default=(), repr=False)
    """What ``text`` holds of the secrets of its document, by spans of ``text``."""
    of_document: tuple[Secret, ...] = field(default=(), repr=False)
    """All secrets of the document: title, headings and header may hold parts of them."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict of one region for one requirement; ``quote`` is verbatim and stands with partial and full only."""

    requirement: str
    verdict: Verdict
    quote: str | None = None
    value: str | None = None
    """The value the quote gives, as written in it, when the requirement asks for one."""
    log_odds: float | None = None
    """Of an oracle that says how probable it is: the logarithm of the odds that the region states the requirement, in
    nats, in place of the verdict's entry in the table."""


@dataclass(frozen=True, slots=True)
class Observation:
    """o_i: what one region says about every outstanding requirement."""

    region: int
    judgements: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class CoverageReply:
    """What an oracle says after a round about all evidence so far. It can veto a requirement; it closes one only by
    saying that the evidence answers the question."""

    vetoed: tuple[str, ...] = ()
    """Requirements whose quotes do not prove them after all."""
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Search terms that are missing, per requirement."""
    answerable: bool = False
    """The evidence states all that the question asks, whatever the requirements are."""
    rewritten: Mapping[str, str] = field(default_factory=dict)
    """Requirements that are to be searched for in other words, now that something was read."""


@dataclass(frozen=True, slots=True)
class ObservationReply:
    """A reply to one round's regions: an observation each, new search terms, and coverage where the mode joins it."""

    observations: tuple[Observation, ...]
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """New anchors by requirement: bridge entities, synonyms, translations."""
    coverage: CoverageReply | None = None
    shown: frozenset[int] | None = None
    """The regions that were really read; None for all. Of the others nothing is known."""
    order: tuple[int, ...] = ()
    """The regions, the most probable proof first, by an oracle that orders what is shown of them."""
    withheld: frozenset[int] = frozenset()
    """Those of the others that this oracle may never read; the rest may be proposed again."""


@dataclass(frozen=True, slots=True)
class ObservationTable:
    """Log-likelihood ratios of each verdict against "nowhere", in nats: the likelihood the paper calls unavailable."""

    full: float = math.log(0.70 / 0.01)
    partial: float = math.log(0.18 / 0.04)
    related: float = math.log(0.08 / 0.15)
    none: float = math.log(0.04 / 0.80)

    def __getitem__(self, verdict: Verdict) -> float:
        return float(getattr(self, verdict.value))


@dataclass(frozen=True, slots=True)
class ConfidenceMap:
    """A monotone map from how well a requirement is proven to the share of labelled runs in which that held.

    ``steps`` are (least score, share) by rising score; ``n`` labelled citations were used and ``error`` is the
    expected calibration error. An empty map gives no confidence at all.
    """

    steps: tuple[tuple[float, float], ...] = ()
    n: int = 0
    error: float | None = None

    def __call__(self, score: float) -> float | None:
        """The fitted share for a score; None while nothing was fitted."""
        share = None
        for least, fitted in self.steps:
            if score >= least or share is None:
                share = fitted
        return share
