"""Who judges in a run that asks: the rules, the answer key, or a chat model that the caller brings.

A seat hands out an oracle by the ticket of a question. What an oracle knows of gold it got here, apart from the arm
that asks: the search sees its replies and nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import field
from typing import Protocol

from lens_lsp.domain.answer import Mode
from lens_lsp.domain.errors import UsageError
from lens_lsp.domain.records import dataclass
from lens_lsp.evaluation.answer_key import CONTEXT_TOKENS, AnswerKeyOracle, Key, key_of
from lens_lsp.evaluation.data.datasets import Question
from lens_lsp.evaluation.data.snapshots import Corpus
from lens_lsp.models.base import ChatModel
from lens_lsp.oracle.base import Oracle
from lens_lsp.oracle.chat import ChatOracle, budget_for
from lens_lsp.oracle.ledger import Budget
from lens_lsp.oracle.offline import OfflineOracle


class Seat(Protocol):
    """An oracle for every question of a run."""

    @property
    def mode(self) -> Mode:
        """The call plan."""

    @property
    def budget(self) -> Budget:
        """What one question may cost."""

    @property
    def prices(self) -> tuple[float, float] | None:
        """Money per million tokens in and out, where any is spent and the prices are known."""

    async def open(self) -> None:
        """Whatever must happen before the first question."""

    def oracle(self, ticket: str) -> Oracle:
        """Who judges this question."""

    async def aclose(self) -> None:
        """Let go of what `open` took."""


@dataclass(frozen=True, slots=True)
class OfflineSeat:
    """The rules: no call is made."""

    mode: Mode = field(default=Mode.EVIDENCE, init=False)
    prices: None = field(default=None, init=False)

    @property
    def budget(self) -> Budget:
        """That of the mode."""
        return Budget.of(self.mode)

    async def open(self) -> None:
        """Nothing to do."""

    def oracle(self, ticket: str) -> Oracle:
        """The same for every question."""
        return OfflineOracle()

    async def aclose(self) -> None:
        """Nothing to do."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """The key of one question, and what its errors are drawn from beside the seed."""

    key: Key
    errors: str


@dataclass(frozen=True, slots=True)
class AnswerKeySeat:
    """The answer key, wrong at a rate of ``error``; equal seeds are wrong alike, whatever else was asked."""

    mode: Mode
    keys: dict[str, Keyed]
    """By the tickets of the questions."""
    error: float = 0.0
    seed: int = 0
    prices: None = field(default=None, init=False)

    @classmethod
    def of(
        cls, mode: Mode, questions: Iterable[Question], corpus: Corpus, *, error: float = 0.0, seed: int = 0
    ) -> AnswerKeySeat:
        """The keys of questions, as their passages stand in a corpus. Raises `UsageError` when none has any."""
        keys = {
            question.ticket: Keyed(key_of(corpus.gold(question.gold), corpus.text), question.id)
            for question in questions
        }
        if not any(document.passages for keyed in keys.values() for document in keyed.key):
            raise UsageError(f"{corpus.dataset} does not say where its gold stands: --oracle answer-key needs passages")
        return cls(mode, keys, error, seed)

    @property
    def budget(self) -> Budget:
        """That of the mode with a model that takes any request."""
        return budget_for(self.mode, CONTEXT_TOKENS)

    async def open(self) -> None:
        """Nothing to do."""

    def oracle(self, ticket: str) -> Oracle:
        """The key of one question and no other."""
        keyed = self.keys[ticket]
        rng = random.Random(f"{self.seed} {keyed.errors}")
        return AnswerKeyOracle(keyed.key, self.mode, self.error, rng)

    async def aclose(self) -> None:
        """Nothing to do."""


async def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class ChatSeat:
    """A chat model. ``probe`` is awaited before the first question: it may learn the model's context."""

    mode: Mode
    model: ChatModel
    probe: Callable[[], Awaitable[object]] = _nothing
    prices: tuple[float, float] | None = None
    """Money per million tokens in and out, None while they are unknown."""

    @property
    def budget(self) -> Budget:
        """That of the mode, within the model's context."""
        return budget_for(self.mode, self.model.context_tokens)

    @property
    def model_name(self) -> str:
        """The model and where it is, as a run is bound to them."""
        return f"{self.model.name} at {self.model.endpoint or 'this process'}"

    async def open(self) -> None:
        """Look at the model's context."""
        await self.probe()

    def oracle(self, ticket: str) -> Oracle:
        """The model, with nothing said in it of other questions."""
        return ChatOracle(self.model, self.mode)

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self.model.aclose()
