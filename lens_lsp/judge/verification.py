"""Whether the sentences of an answer say what the passages they cite state, as another look at both tells.

Rules see figures, dates and units; whether a sentence denies, generalises or drops a condition, a judge tells better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lens_lsp.judge.ledger import Ledger
from lens_lsp.model.documents import Evidence


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, without its markers, and the evidence that it cites."""

    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """Words of a sentence that its passages do not state, empty for the whole of it, and what is wrong with them: one
    of `judge.claims.Reason`."""

    words: str
    reason: str


@runtime_checkable
class ClaimJudge(Protocol):
    """A judge of sentences."""

    async def verify(
        self, question: str, claims: Sequence[Claim], ledger: Ledger
    ) -> Mapping[int, tuple[Fault, ...]] | None:
        """One call: the faults of each claim, by its place in ``claims``; those that could not be shown are left out.
        None when the reply cannot be read. Raises `BudgetSpent` and `OracleFailed`."""
