"""Arms: the systems that are compared, each given a folder and then one question text at a time.

An arm never sees gold, nor which documents the scorer leaves out. It is told how deep to rank; the depth is
the same for every question of a run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lens_lsp.domain.ablations import LOOP, SIGNALS
from lens_lsp.domain.answer import Account, Answer, Mode
from lens_lsp.domain.errors import UsageError
from lens_lsp.domain.events import Event, answer_of
from lens_lsp.domain.model import Evidence, Findings
from lens_lsp.evaluation.references import (
    Bm25sIndex,
    Index,
    IndexMaker,
    Passage,
    TantivyIndex,
    chunks,
    read_corpus,
)
from lens_lsp.evaluation.seats import OfflineSeat, Seat
from lens_lsp.oracle.base import Oracle
from lens_lsp.oracle.ledger import Budget
from lens_lsp.wire import evidence_json

if TYPE_CHECKING:
    from lens_lsp.lens import Lens

PRINTED = 10
"""Windows an arm returns for a question."""

ABLATIONS = (*SIGNALS, *LOOP)
"""What can be switched off in ``lens`` to see what it is worth."""

FIND = "find"

_INDEXES: dict[str, IndexMaker] = {"bm25s": Bm25sIndex, "tantivy": TantivyIndex}

ARMS = ("lens", *_INDEXES)
"""The arms that exist, in the order of a report."""


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


class Finder(Protocol):
    """What the ``lens`` arm needs of :class:`lens_lsp.lens.Lens`."""

    def find(self, query: str, *, limit: int = ..., ablate: AbstractSet[str] = ...) -> Findings:
        """Ranked, verified windows for a query."""
        ...


class Asker(Protocol):
    """What the ``lens`` arm needs of :class:`lens_lsp.lens.Lens` where it asks."""

    def ask(
        self,
        question: str,
        *,
        mode: Mode = ...,
        seed: int = ...,
        budget: Budget | None = ...,
        oracle: Oracle | None = ...,
        ablate: AbstractSet[str] = ...,
        documents: int = ...,
    ) -> AsyncGenerator[Event]:
        """The events of one question; `Answered` is one of them."""
        ...


@dataclass(slots=True)
class LensArm:
    """``lens find``: no index; ``prepare`` opens the folder and asks one throwaway question."""

    ablate: frozenset[str] = frozenset()
    opener: Callable[[Path], Finder] | None = None
    """Opens a folder; ``None`` for the real one."""
    _finder: Finder | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """``lens``, or ``lens-without-links+scans``."""
        return lens_name(self.ablate)

    def prepare(self, corpus_dir: Path) -> float:
        """Open the folder and fill the memory cache."""
        opener = self.opener or _open_lens
        began = time.perf_counter()
        self._finder = opener(corpus_dir)
        self._finder.find("warm", limit=1)
        return time.perf_counter() - began

    def search(self, question_id: str, text: str, depth: int) -> ArmResult:
        """Evidence in rank order gives the windows; the documents are those the findings list."""
        if self._finder is None:
            raise UsageError("prepare the arm before searching")
        began = time.perf_counter()
        findings = self._finder.find(text, limit=max(depth, PRINTED), ablate=self.ablate)
        seconds = time.perf_counter() - began
        return ArmResult(
            documents=_distinct((document.path for document in findings.documents), depth),
            windows=tuple((item.path, item.span.start, item.span.end) for item in findings.evidence),
            seconds=seconds,
            evidence=tuple(evidence_json(item) for item in findings.evidence),
        )

    def close(self) -> None:
        """Drop the memory cache."""
        self._finder = None


@dataclass(slots=True)
class AskingArm:
    """``lens ask``: the windows are the passages that the answer's text points at, in order. One event loop a run."""

    ablate: frozenset[str] = frozenset()
    seed: int = 0
    seat: Seat = field(default_factory=OfflineSeat)
    opener: Callable[[Path], Asker] | None = None
    """Opens a folder; ``None`` for the real one."""
    _asker: Asker | None = field(default=None, init=False)
    _runner: asyncio.Runner | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """``lens``, or ``lens-without-arm-local+lambda``."""
        return lens_name(self.ablate)

    def prepare(self, corpus_dir: Path) -> float:
        """Open the folder and the loop, and fill the memory cache by one throwaway question that nobody judges."""
        opener = self.opener or _open_lens
        began = time.perf_counter()
        self._asker, self._runner = opener(corpus_dir), asyncio.Runner()
        self._runner.run(self.seat.open())
        self._runner.run(answer_of(self._asker.ask("warm")))
        return time.perf_counter() - began

    def search(self, question_id: str, text: str, depth: int) -> ArmResult:
        """The documents as the answer ranks them, its evidence, and the answer itself."""
        began = time.perf_counter()
        answer = self._ask(question_id, text, depth)
        seconds = time.perf_counter() - began
        return ArmResult(
            documents=_distinct((document.path for document in answer.documents), depth),
            windows=tuple((item.path, item.span.start, item.span.end) for item in cited(answer)),
            seconds=seconds,
            evidence=tuple(evidence_json(item) for item in answer.evidence),
            answer=answer,
        )

    def close(self) -> None:
        """Leave the seat, end the loop and drop the memory cache."""
        if self._runner is not None:
            self._runner.run(self.seat.aclose())
            self._runner.close()
        self._asker = self._runner = None

    def _ask(self, question_id: str, text: str, depth: int) -> Answer:
        if self._asker is None or self._runner is None:
            raise UsageError("prepare the arm before searching")
        asked = self._asker.ask(
            text,
            mode=self.seat.mode,
            seed=self.seed,
            budget=self.seat.budget,
            oracle=self.seat.oracle(question_id),
            ablate=self.ablate,
            documents=depth,
        )
        return self._runner.run(answer_of(asked))


@dataclass(slots=True)
class ReferenceArm:
    """Plain BM25 by a library: whole documents for the ranking, overlapping chunks for the windows."""

    name: str
    index: IndexMaker
    windows: bool = True
    """Also index chunks; without it the arm returns no windows and is ready sooner."""
    _documents: Index | None = field(default=None, init=False)
    _chunks: Index | None = field(default=None, init=False)

    def prepare(self, corpus_dir: Path) -> float:
        """Read every file and build the indexes."""
        began = time.perf_counter()
        texts = read_corpus(corpus_dir)
        self._documents = self.index([(path, 0, len(text)) for path, text in texts.items()], texts)
        self._chunks = self.index(chunks(texts), texts) if self.windows else None
        return time.perf_counter() - began

    def search(self, question_id: str, text: str, depth: int) -> ArmResult:
        """The best documents and, from the chunk index, the best windows."""
        if self._documents is None:
            raise UsageError("prepare the arm before searching")
        began = time.perf_counter()
        documents = self._documents.search(text, depth)
        windows = self._chunks.search(text, PRINTED) if self._chunks is not None else []
        seconds = time.perf_counter() - began
        return ArmResult(tuple(path for path, _, _ in documents), tuple(windows), seconds)

    def close(self) -> None:
        """Drop the indexes."""
        self._documents = self._chunks = None


def cited(answer: Answer) -> list[Evidence]:
    """The evidence that the text of an answer points at, in order."""
    return [item for item in answer.evidence if f"[{item.n}]" in answer.text]


def make_arms(
    names: Sequence[str],
    ablations: Sequence[str] = (),
    *,
    windows: bool = True,
    seat: Seat | None = None,
    seed: int = 0,
) -> list[Arm]:
    """The named arms, and ``lens`` once more per ablation: ``links``, or ``links+scans`` for both at once.

    With a ``seat`` ``lens`` asks, else it finds; ``seed`` is that of asking. Raises UsageError for a name that does not
    exist and for an ablation that finding does not have.
    """
    for name in names:
        if name not in ARMS:
            raise UsageError(f"there is no arm {name!r} yet; choose from {', '.join(ARMS)}")
    if ablations and "lens" not in names:
        raise UsageError("ablations are of the lens arm: add lens to the arms")
    made: list[Arm] = []
    for name in dict.fromkeys(names):
        if name == "lens":
            made.append(_lens_arm(frozenset(), seat, seed))
            made.extend(_lens_arm(parse_ablation(text), seat, seed) for text in dict.fromkeys(ablations))
        else:
            made.append(ReferenceArm(name, _INDEXES[name], windows))
    return made


def parse_ablation(text: str) -> frozenset[str]:
    """The signals one ablation switches off; raises UsageError for an unknown one."""
    parts = frozenset(text.split("+"))
    unknown = sorted(parts - set(ABLATIONS))
    if unknown:
        raise UsageError(f"cannot ablate {unknown[0]!r}; choose from {', '.join(ABLATIONS)}")
    return parts


def lens_name(ablate: AbstractSet[str]) -> str:
    """What ``lens`` is called without some of its parts."""
    return f"lens-without-{'+'.join(sorted(ablate))}" if ablate else "lens"


def _lens_arm(ablate: frozenset[str], seat: Seat | None, seed: int) -> Arm:
    if seat is not None:
        return AskingArm(ablate, seed, seat)
    of_the_loop = sorted(ablate & set(LOOP))
    if of_the_loop:
        part = of_the_loop[0]
        raise UsageError(f"cannot ablate {part!r} in mode find, which has no loop: use `lens eval run --mode evidence`")
    return LensArm(ablate)


def _open_lens(folder: Path) -> Lens:
    # Here and not at the top: the other arms must run without loading the engine.
    from lens_lsp.lens import Lens

    return Lens([folder])


def _distinct(paths: Iterable[str], depth: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))[:depth]
