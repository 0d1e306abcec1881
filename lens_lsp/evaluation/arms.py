"""Arms: the systems that are compared, each given a folder and then one question text at a time.

An arm never sees gold, nor which documents the scorer leaves out. It is told how deep to rank; the depth is
the same for every question of a run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lens_lsp.domain.errors import UsageError
from lens_lsp.domain.model import Findings
from lens_lsp.evaluation.references import (
    Bm25sIndex,
    Index,
    IndexMaker,
    Passage,
    TantivyIndex,
    chunks,
    read_corpus,
)
from lens_lsp.wire import evidence_json

PRINTED = 10
"""Windows an arm returns for a question."""

ABLATIONS = (
    "prior",
    "exploration",
    "lexical",
    "path",
    "summaries",
    "history",
    "scans",
    "links",
    "arm-lexical",
    "arm-local",
    "arm-global",
    "lambda",
)
"""What can be switched off in ``lens`` to see what it is worth."""

_INDEXES: dict[str, IndexMaker] = {"bm25s": Bm25sIndex, "tantivy": TantivyIndex}

ARMS = ("lens", *_INDEXES)
"""The arms that exist, in the order of a report."""


@dataclass(frozen=True, slots=True)
class ArmResult:
    """What an arm answers: paths and windows best first, wall seconds, and its evidence as printed."""

    documents: tuple[str, ...]
    windows: tuple[Passage, ...]
    seconds: float
    evidence: tuple[Mapping[str, object], ...] = ()


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
        return "-without-".join(["lens", *filter(None, ["+".join(sorted(self.ablate))])])

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


def make_arms(names: Sequence[str], ablations: Sequence[str] = (), *, windows: bool = True) -> list[Arm]:
    """The named arms, and ``lens`` once more per ablation: ``links``, or ``links+scans`` for both at once.

    Raises UsageError for a name that does not exist.
    """
    for name in names:
        if name not in ARMS:
            raise UsageError(f"there is no arm {name!r} yet; choose from {', '.join(ARMS)}")
    if ablations and "lens" not in names:
        raise UsageError("ablations are of the lens arm: add lens to the arms")
    made: list[Arm] = []
    for name in dict.fromkeys(names):
        if name == "lens":
            made.append(LensArm())
            made.extend(LensArm(parse_ablation(text)) for text in dict.fromkeys(ablations))
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


def _open_lens(folder: Path) -> Finder:
    # Here and not at the top: the other arms must run without loading the engine.
    from lens_lsp.lens import Lens

    return Lens([folder])


def _distinct(paths: Iterable[str], depth: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))[:depth]
