"""The read call: the best passages go to a judge, which quotes what proves the answer and words it in one reply.

It is round 1 of the loop with the question as the only fact (paper: lookup, K = 1), and each further round is another
one. Positions stay ours: what is quoted is looked up in what was shown.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from lens_lsp.judge.ledger import Ledger
from lens_lsp.model.errors import OracleFailed
from lens_lsp.model.observation import Region


class Answerable(StrEnum):
    """Whether what was shown states what is asked."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


@dataclass(frozen=True, slots=True)
class SaidQuote:
    """A quote as it was said: its number in the reply, which ``[n]`` of the answer means, its region and its words."""

    number: int
    region: int
    text: str


@dataclass(frozen=True, slots=True)
class SaidItem:
    """One member of a list that was asked for, and the number of its quote."""

    name: str
    quote: int


@dataclass(frozen=True, slots=True)
class Operand:
    """A value to calculate with: what the expression calls it, of whom it is, as it is written in which quote."""

    id: str
    name: str
    value: str
    quote: int


@dataclass(frozen=True, slots=True)
class SaidComputation:
    """What is to be calculated from values that were quoted: an expression over them, or ``greatest``, ``least``."""

    operands: tuple[Operand, ...]
    expression: str
    unit: str | None = None
    """The unit that the question asks for."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """The regions of one read call, the best document first, in reading order within a document."""

    question: str
    regions: tuple[Region, ...]
    summary: bool = False
    """The regions are a whole document or a part of it, to be summarised."""
    exhausted: bool = False
    """The search finds no further passage like those that were quoted: what is shown here is all there is."""


@dataclass(slots=True)
class ReadReply:
    """What a read call said, complete once its stream is exhausted."""

    answerable: Answerable = Answerable.NO
    quotes: tuple[SaidQuote, ...] = ()
    items: tuple[SaidItem, ...] = ()
    computation: SaidComputation | None = None
    missing: tuple[str, ...] = ()
    """What is asked and was not stated, in words."""
    terms: tuple[str, ...] = ()
    """Search terms for what is missing."""
    answer: str = ""
    """Markdown; ``[n]`` is the number of a quote, ``{result}`` stands for what is computed."""
    short: str | None = None
    shown: frozenset[int] = frozenset()
    """The regions that were really read."""
    withheld: frozenset[int] = field(default=frozenset())
    """Those of the others that this judge may never read."""
    broken_off: bool = False
    """The reply ended before its end; what came before stands."""
    written: str = field(default="", repr=False)
    """The reply as it came."""
    small: bool = False
    """It is that of a model too small to judge, whose words are looked at closer."""


class Unfit(OracleFailed):
    """A reply that no answer can be made of; ``flaw`` says why."""

    def __init__(self, flaw: str) -> None:
        super().__init__(f"the model's reply is left out: {flaw}; `lens doctor --probe` tests whether it can judge")
        self.flaw = flaw


@runtime_checkable
class ReadingJudge(Protocol):
    """A judge that reads first: it quotes and answers in one call."""

    def read(self, request: ReadRequest, reply: ReadReply, ledger: Ledger) -> AsyncGenerator[str]:
        """One call. Yields the answer's words as they come, none of them checked, and fills ``reply``. Raises
        `BudgetSpent` and `OracleFailed`."""

    async def amend(
        self, request: ReadRequest, reply: ReadReply, problems: Sequence[str], ledger: Ledger
    ) -> ReadReply | None:
        """One call: the reply again, with its ``problems`` set right; None when nothing better came. Raises
        `BudgetSpent` and `OracleFailed`."""

    async def widen(self, question: str, about: str, ledger: Ledger) -> tuple[str, ...]:
        """One call: other words for a question whose own stand nowhere. ``about`` says what the files are about."""
