"""Closed-Book: what the model knows by itself, without any document. The floor that retrieval has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.arms.access import Excerpt
from evaluation.arms.calling import Talk
from evaluation.arms.prompts import ANSWER_SCHEMA, ANSWER_TOKENS, MEMORY, Wording, asking, parse_answer
from lens_lsp.judge.ledger import CallStage


@dataclass(frozen=True, slots=True)
class ClosedBook:
    """One call. The folder is not opened."""

    def prepare(self, corpus_dir: Path) -> float:
        """Nothing."""
        return 0.0

    def stored_bytes(self) -> int:
        """Nothing is kept."""
        return 0

    def retrieve(self, question: str, depth: int) -> Sequence[Excerpt]:
        """Nothing."""
        return ()

    async def answer(self, question: str, retrieved: Sequence[Excerpt], talk: Talk) -> Wording:
        """The answer from memory."""
        messages = asking(MEMORY.format(question=question))
        return await talk.ask(CallStage.SYNTHESISE, messages, ANSWER_TOKENS, ANSWER_SCHEMA, parse_answer)

    def close(self) -> None:
        """Nothing."""
