"""One question answered by hand: the events a search over two small notes would yield, beliefs worked out here.

What prints, writes or checks events is tested with these, apart from any search.
"""

from __future__ import annotations

import hashlib
from math import exp

from lens_lsp.model.answer import (
    Account,
    Admitted,
    AdmittedDocument,
    Answer,
    AnswerDelta,
    Answered,
    Arm,
    Belief,
    BestCell,
    Covered,
    Event,
    EvidenceFound,
    Judged,
    Mode,
    Observed,
    Planned,
    Proposed,
    ProposedRegion,
    RequirementResult,
    RequirementStatus,
    Scanned,
    Status,
    Stopped,
    StopReason,
)
from lens_lsp.model.documents import (
    Coverage,
    Evidence,
    Origin,
    Part,
    PartReason,
    RankedDocument,
    Skip,
    SkipReason,
    Stage,
)
from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.plan import Anchor, AnswerType, Plan, Requirement
from lens_lsp.model.text import SourceText, Span

QUESTION = "When does the lease of the workshop end?"
CONTRACT = (
    "# Contract\n\n## Term\n\nThe lease of the workshop ends on 30 June 2031.\n\n## Rent\n\nMonthly, in advance.\n"
)
GARDEN = "# Garden\n\nTomatoes need sun, water and patience; the workshop gives shade.\n"
TABLE = ObservationTable(full=4.25, partial=1.5, related=-0.63, none=-3.0)
POSITION = {"contract": (0.25, 0.75, 0.0), "garden": (0.5, 0.5)}
FIRST_FILE = (1.0,)
BOTH_FILES = (0.8, 0.2)


def evidence(n: int = 1) -> Evidence:
    """The sentence that answers."""
    source = SourceText(CONTRACT)
    start = CONTRACT.index("The lease")
    span = Span(start, CONTRACT.index("2031.") + 5)
    return Evidence(
        n=n,
        root=0,
        path="house/contract.md",
        start=source.position(span.start),
        end=source.position(span.end),
        span=span,
        quote=CONTRACT[span.start : span.end],
        origin=Origin(hashlib.sha256(CONTRACT.encode()).hexdigest(), "utf-8"),
        reader="markdown/1",
        locator=None,
        heading=("Contract", "Term"),
        score=1.5,
        signals={"path": 0.25, "lexical": 0.75},
        arm="lexical",
        round=2,
    )


def answer(root: str) -> Answer:
    """The answer over the folder ``root``."""
    return Answer(
        question=QUESTION,
        mode=Mode.EVIDENCE,
        intent=PLAN.intent,
        seed=3,
        roots=(root,),
        status=Status.ANSWERED,
        stopped=StopReason.COVERED,
        text="The lease of the workshop ends on 30 June 2031. [1]",
        short="30 June 2031",
        requirements=(
            RequirementResult("f1", QUESTION, RequirementStatus.COVERED, 0.93, False, 0, 0, "30 June 2031", (1,)),
        ),
        evidence=(evidence(),),
        computation=None,
        documents=RANKING,
        coverage=Coverage(
            2,
            2,
            (Skip("a.bin", SkipReason.BINARY),),
            admitted=2,
            read=1,
            matches_unread=4,
            partial=(Part("b.md", 3, PartReason.OPEN_BLOCK),),
        ),
        account=Account(seconds=0.75),
        compression=0.125,
        rejected_quotes=1,
        stages=(Stage("scan", 0.25), Stage("read", 0.5)),
        warnings=("one file is locked",),
    )


def events(root: str, *, trace: bool = True) -> tuple[Event, ...]:
    """Everything that happens from the question to the end; without ``trace`` no position vectors."""
    return (
        Planned(PLAN, Mode.EVIDENCE, 3, TABLE),
        Scanned(found=3, files=2, skipped=1, matches=7),
        _admitted(0, "house/contract.md", len(CONTRACT), "contract", FIRST_FILE, trace=trace),
        _proposed(1, ProposedRegion(1, 0, "house/contract.md", Span(0, 20), Span(0, 1), Arm.GLOBAL, 5)),
        Observed(1, (Judged(1, "f1", Verdict.RELATED, None),), rejected=1, terms=("tenancy",)),
        Covered(1, (_belief((FIRST_FILE, ((TABLE.related, 0.0, 0.0),)), covered=False),)),
        _admitted(1, "garden.md", len(GARDEN), "garden", BOTH_FILES, trace=trace),
        _proposed(
            2,
            ProposedRegion(1, 0, "house/contract.md", Span(0, len(CONTRACT)), Span(0, 3), Arm.LEXICAL, 30),
            ProposedRegion(2, 1, "garden.md", Span(0, len(GARDEN)), Span(0, 2), Arm.LOCAL, 20),
        ),
        Observed(2, (Judged(1, "f1", Verdict.FULL, Span(0, 2)), Judged(2, "f1", Verdict.NONE, None)), 0, ()),
        EvidenceFound(evidence(7)),
        Covered(2, (_belief((BOTH_FILES, SECOND), covered=True),)),
        EvidenceFound(evidence(1), final=True),
        AnswerDelta("The lease of the workshop ends "),
        AnswerDelta("on 30 June 2031. [1]"),
        Answered(answer(root)),
        Stopped(StopReason.COVERED),
    )


PLAN = Plan(
    question=QUESTION,
    requirements=(Requirement("f1", QUESTION, answer_type=AnswerType.DATE, names=("workshop",)),),
    anchors=(Anchor("lease", weight=2.0), Anchor("workshop", weight=1.5)),
    answer_type=AnswerType.DATE,
)
RANKING = (
    RankedDocument(0, "house/contract.md", 0.8, admitted=True, read=True, signals={"lexical": 0.75, "path": 0.25}),
    RankedDocument(0, "garden.md", 0.2, admitted=True, read=False, signals={"lexical": 1.0}),
)
SECOND = ((TABLE.related + TABLE.full, TABLE.full, TABLE.none), (TABLE.none, TABLE.none))
"""ℓ of every cell after the second round: the quote touches the first two cells of the contract."""


def _admitted(done: int, path: str, length: int, name: str, file: tuple[float, ...], *, trace: bool) -> Admitted:
    position = {"f1": POSITION[name]} if trace else {}
    joined = AdmittedDocument(0, path, base=0, length=length, cells=len(POSITION[name]), position=position)
    return Admitted(done, (joined,), {"f1": file}, RANKING[: done + 1], reserve=1 - done, compression=0.125)


def _proposed(number: int, *regions: ProposedRegion) -> Proposed:
    return Proposed(number, {"lexical": 0.6, "local": 0.25, "global": 0.15}, regions)


def _belief(state: tuple[tuple[float, ...], tuple[tuple[float, ...], ...]], *, covered: bool) -> Belief:
    """From π_file and ℓ by plain products: what is small here can be checked with a pocket calculator."""
    file, ratios = state
    mass = {
        (number, cell): 0.9 * file[number] * share * exp(ratios[number][cell])
        for number, name in enumerate(list(POSITION)[: len(file)])
        for cell, share in enumerate(POSITION[name])
    }
    total = 0.1 + sum(mass.values())
    best = sorted((BestCell(*cell, value / total) for cell, value in mass.items()), key=lambda item: -item.belief)[:3]
    glr, rule = (TABLE.full, "glr") if covered else (None, None)
    return Belief("f1", 0.1 / total, glr, threshold=2.3, covered=covered, rule=rule, best=tuple(best))
