"""What an oracle is shown and what it says of it (paper, section 4: the observation o_i of a region z_i)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lens_lsp.model.documents import Secret
from lens_lsp.model.text import Span


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
