"""What an arm is: a system that is given a folder and then one question text at a time.

An arm never sees gold, nor which documents the scorer leaves out. It is told how deep to rank; the depth is
the same for every question of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from lens_lsp.domain.answer import Account, Answer
from lens_lsp.domain.model import Evidence
from lens_lsp.evaluation.arms.indexes import Passage

PRINTED = 10
"""Windows an arm returns for a question."""
FIND = "find"
"""The mode of a run in which nothing is asked."""


@dataclass(frozen=True, slots=True)
class ArmResult:
    """What an arm answers: paths and windows best first, wall seconds, and its evidence as printed.

    ``answer`` is there when it also answered in words.
    """

    documents: tuple[str, ...]
    windows: tuple[Passage, ...]
    seconds: float
    evidence: tuple[Mapping[str, object], ...] = ()
    answer: Answer | None = None

    @property
    def account(self) -> Account:
        """What the question cost; ``seconds`` is the wall time that the arm took."""
        if self.answer is None:
            return Account(seconds=self.seconds)
        return replace(self.answer.account, seconds=self.seconds)


class Arm(Protocol):
    """A system under evaluation."""

    @property
    def name(self) -> str:
        """Unique within a run; the stem of its rows file."""
        ...

    def prepare(self, corpus_dir: Path) -> float:
        """Do everything that must happen before the first question; returns the wall seconds it took."""
        ...

    def search(self, question_id: str, text: str, depth: int) -> ArmResult:
        """Rank for one question: at least ``depth`` documents where the corpus has as many matches."""
        ...

    def close(self) -> None:
        """Let go of everything ``prepare`` built."""
        ...


def cited(answer: Answer) -> list[Evidence]:
    """The evidence that the text of an answer points at, in order."""
    return [item for item in answer.evidence if f"[{item.n}]" in answer.text]


def distinct(paths: Iterable[str], depth: int) -> tuple[str, ...]:
    """The first ``depth`` paths, each once."""
    return tuple(dict.fromkeys(paths))[:depth]
