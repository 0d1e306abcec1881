"""The known-item queries of ``tests/fixtures/languages``: reading them, ranking with both arms, scoring.

Used by the test that sets the gate and by ``benchmarks/languages.py``, which prints the table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bigram_bm25 import BigramIndex

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "languages"
LANGUAGES = ("zh", "ja", "de", "fr")

Ranker = Callable[[str], Sequence[str]]
"""A query in, paths below the language's folder out, best first."""


@dataclass(frozen=True, slots=True)
class KnownItem:
    """One query and the one file it looks for, as a path below ``FOLDER``."""

    id: str
    language: str
    query: str
    gold: str


@dataclass(frozen=True, slots=True)
class Score:
    """What one arm did on one language: the rank of each gold file from 1, ``None`` below the first 10."""

    arm: str
    language: str
    ranks: tuple[int | None, ...]

    def found(self, k: int) -> int:
        """How many queries have their file among the first ``k``."""
        return sum(rank is not None and rank <= k for rank in self.ranks)

    def recall(self, k: int) -> float:
        """R@k in percent."""
        return 100 * self.found(k) / len(self.ranks)


def known_items() -> tuple[KnownItem, ...]:
    """All queries, in the order of the file."""
    lines = (FOLDER / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(KnownItem(**json.loads(line)) for line in lines)


def reference_ranker(language: str) -> Ranker:
    """BM25 over character bigrams of the language's files."""
    paths = sorted((FOLDER / language).glob("*.md"))
    return BigramIndex({path.name: path.read_text(encoding="utf-8") for path in paths}).rank


def lens_ranker(language: str) -> Ranker:
    """``lens find`` over the language's folder, nothing set."""
    lens = Lens([FOLDER / language])
    return lambda query: [document.path for document in lens.find(Request(query, limit=10)).documents]


def score(arm: str, language: str, ranker: Ranker) -> Score:
    """Run every query of one language through one arm."""
    return Score(
        arm,
        language,
        tuple(_rank(item, ranker) for item in known_items() if item.language == language),
    )


def _rank(item: KnownItem, ranker: Ranker) -> int | None:
    first = [f"{item.language}/{path}" for path in ranker(item.query)[:10]]
    return first.index(item.gold) + 1 if item.gold in first else None


def table(scores: Sequence[Score]) -> str:
    """The scores as text, one row per language and arm."""
    rows = [f"{'language':<10}{'arm':<14}{'n':>4}{'R@1':>8}{'R@5':>8}{'R@10':>8}"]
    for one in scores:
        cells = "".join(f"{one.recall(k):>8.1f}" for k in (1, 5, 10))
        rows.append(f"{one.language:<10}{one.arm:<14}{len(one.ranks):>4}{cells}")
    return "\n".join(rows)
