"""The events of one question, in the order they happen: all that a door needs, and the trace behind ``--explain``.

``Lens.ask`` yields `Planned`, early `EvidenceFound`, `Scanned`, `Admitted`, then per round `Proposed`, `Observed`,
`Covered`, between them `EvidenceFound` as quotes are verified, then `AnswerDelta`, `Answered` and, last, `Stopped`.
Where nothing that a model said may stand, the search without one begins anew with `Planned`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from lens_lsp.model.answer import Answer, Arm, Mode, StopReason
from lens_lsp.model.documents import Evidence, RankedDocument
from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.plan import Plan
from lens_lsp.model.text import Span


@dataclass(frozen=True, slots=True)
class Planned:
    """The question was analysed."""

    plan: Plan
    mode: Mode
    seed: int
    table: ObservationTable
    """The likelihood ratios of the oracle that will observe."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """Every file was looked at: ``files`` of ``found`` were scanned, with ``matches`` places where a term stands."""

    found: int
    files: int
    skipped: int
    matches: int


@dataclass(frozen=True, slots=True)
class AdmittedDocument:
    """A document that joined the search. ``cells`` are its cells of 50 code points, ``file`` is π_file per
    requirement over all documents admitted so far, ``position`` π_pos per requirement and cell."""

    root: int
    path: str
    base: int
    """Where in the file the cells begin, in code points; 0 but for pieces of large files."""
    length: int
    cells: int
    position: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Admitted:
    """Documents joined the search; ``file`` gives π_file of all admitted so far, in order of admission, per
    requirement. Beliefs start anew from these priors and keep what was observed."""

    round: int
    joined: tuple[AdmittedDocument, ...]
    file: Mapping[str, tuple[float, ...]]
    ranking: tuple[RankedDocument, ...]
    reserve: int
    """Documents that wait for self-correction."""
    compression: float | None


@dataclass(frozen=True, slots=True)
class ProposedRegion:
    """A region that was drawn: by which arm, from which admitted document (by order of admission)."""

    number: int
    document: int
    path: str
    span: Span
    cells: Span
    arm: Arm
    tokens: int


@dataclass(frozen=True, slots=True)
class Proposed:
    """A round's regions, and the mixture they were drawn from."""

    round: int
    weights: Mapping[str, float]
    """λ by arm."""
    regions: tuple[ProposedRegion, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one region said about one requirement, its quote resolved; ``cells`` are those the quote touches."""

    region: int
    requirement: str
    verdict: Verdict
    cells: Span | None
    log_odds: float | None = None
    """Of a judge that says how probable it is: what entered the beliefs in place of the verdict's ratio, in nats."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A round's observations as they entered the beliefs."""

    round: int
    judgements: tuple[Judged, ...]
    rejected: int
    """Quotes that could not be resolved; their verdicts count as none."""
    terms: tuple[str, ...]
    """New search terms."""


@dataclass(frozen=True, slots=True)
class Belief:
    """One requirement's belief after a round."""

    requirement: str
    nowhere: float
    glr: float | None
    """GLR of the best quoted span; None without one."""
    threshold: float
    covered: bool
    rule: str | None
    """Which rule covered it: ``glr``, ``full``, ``partials``, ``exact``; ``answerable`` where the oracle says that the
    evidence answers the question, ``not-needed`` where it does so without this one."""
    best: tuple[tuple[int, int, float], ...]
    """The cells with the most belief: document (by order of admission), cell in it, belief."""


@dataclass(frozen=True, slots=True)
class Covered:
    """Where the beliefs stand after a round."""

    round: int
    beliefs: tuple[Belief, ...]


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """A quote was verified in its source. While the search goes on numbers are in order of discovery; ``final``
    ones are those of the answer, and come just before it.

    ``early`` ones come before the scan where that takes long, while very many files are read for the first time, and
    while a model plans: windows that a first look found, numbered by themselves, for no requirement. The search owes
    them nothing and may find better ones.
    """

    evidence: Evidence
    final: bool = False
    early: bool = False


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """The next piece of the answer's text; ``restart`` begins it anew, what came before no longer holds. Words that are
    still ``checking`` were not yet compared with what was proven."""

    text: str
    restart: bool = False
    checking: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """The whole answer."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Stopped:
    """Nothing follows."""

    reason: StopReason


Event = Planned | Scanned | Admitted | Proposed | Observed | Covered | EvidenceFound | AnswerDelta | Answered | Stopped


async def answer_of(events: AsyncGenerator[Event]) -> Answer:
    """Hear all events of a question and keep its answer. Raises RuntimeError when they end without one."""
    answer = None
    async with contextlib.aclosing(events):
        async for event in events:
            if isinstance(event, Answered):
                answer = event.answer
    if answer is None:
        raise RuntimeError("the search ended without an answer")
    return answer
