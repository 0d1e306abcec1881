"""What an arm is: a system that is given a folder and then one question text at a time.

An arm never sees gold, nor the id of a question in its data set, nor which documents the scorer leaves out. It is told
how deep to rank; the depth is the same for every question of a run.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from evaluation.arms.indexes import Passage
from lens_lsp.model.answer import Account, Status, StopReason

PRINTED = 10
"""Windows an arm returns for a question."""
FIND = "find"
"""The mode of a run in which nothing is asked."""

_Item = TypeVar("_Item", bound="Shown", covariant=True)
_Cited = TypeVar("_Cited", bound="Shown")


class Shown(Protocol):
    """A passage that an answer may cite by its number."""

    @property
    def n(self) -> int:
        """Its number, from 1."""

    @property
    def path(self) -> str:
        """The document it stands in."""

    @property
    def quote(self) -> str:
        """Its text, word for word."""

    @property
    def verdict(self) -> str | None:
        """How it was judged, where anybody judged it."""


class Citing(Protocol[_Item]):
    """A text with ``[n]`` where it rests on a passage."""

    @property
    def text(self) -> str:
        """The text, Markdown."""

    @property
    def evidence(self) -> Sequence[_Item]:
        """Every passage that was shown to whoever worded it."""


class ArmAnswer(Citing[Shown], Protocol):
    """An answer in words: the engine's, or what another arm has `Said`."""

    @property
    def status(self) -> Status:
        """Whether the question was answered."""

    @property
    def stopped(self) -> StopReason:
        """Why there is no more; a limit of the budget that was reached is named here."""

    @property
    def short(self) -> str | None:
        """The answer in a few words."""

    @property
    def account(self) -> Account:
        """What it cost."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A passage that an arm was shown: half-open ``[start, end)`` in code points of its document's text."""

    n: int
    path: str
    start: int
    end: int
    quote: str
    verdict: str | None = None

    @property
    def passage(self) -> Passage:
        """Where it stands."""
        return self.path, self.start, self.end

    def json(self) -> dict[str, object]:
        """As a row holds it."""
        return {"n": self.n, "path": self.path, "span": [self.start, self.end], "quote": self.quote}


@dataclass(frozen=True, slots=True)
class Said:
    """What an arm other than LENS answers in words."""

    status: Status
    stopped: StopReason
    text: str
    short: str | None
    evidence: tuple[Quoted, ...]
    account: Account


@dataclass(frozen=True, slots=True)
class ArmResult:
    """What an arm answers: paths and windows best first, wall seconds, and its evidence as printed.

    ``answer`` is there when it also answered in words.
    """

    documents: tuple[str, ...]
    windows: tuple[Passage, ...]
    seconds: float
    evidence: tuple[Mapping[str, object], ...] = ()
    answer: ArmAnswer | None = None
    claims: tuple[tuple[float, tuple[Passage, ...]], ...] = ()
    """For each fact that it says it has proven: how sure it is, from 0 to 1, and the passages that it rests on."""
    compression: float | None = None
    """The share of all places of the corpus that its search was narrowed to."""
    trace: tuple[str, ...] = ()
    """How it came to its answer, a line a step, for a person who looks into a failure."""
    embedded: int = 0
    """Tokens of the question that an embedding model behind an endpoint was sent."""

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

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """Rank for one question: at least ``depth`` documents where the corpus has as many matches.

        The ``ticket`` tells one question of a run from another and nothing else: it is no id of any data set.
        """
        ...

    def close(self) -> None:
        """Let go of everything ``prepare`` built."""
        ...


@runtime_checkable
class Together(Protocol):
    """An arm of which several questions may be asked at a time."""

    @property
    def waits(self) -> bool:
        """Whether most of its time goes by waiting for a model; else asking together would say nothing of its time."""

    def search_all(
        self, asked: Iterable[tuple[str, str]], depth: int, at_once: int
    ) -> Generator[ArmResult, None, None]:
        """Rank for questions, by ticket and text, in their order; ``at_once`` of them are under way at a time."""


def cited(answer: Citing[_Cited]) -> list[_Cited]:
    """The evidence that the text of an answer points at, in order."""
    return [item for item in answer.evidence if f"[{item.n}]" in answer.text]


def distinct(paths: Iterable[str], depth: int) -> tuple[str, ...]:
    """The first ``depth`` paths, each once."""
    return tuple(dict.fromkeys(paths))[:depth]
