"""What the paper reports, as printed in its tables and those of its supplement. Percent unless it says otherwise."""

from __future__ import annotations

from dataclasses import dataclass

LENS, REACT, HYBRID, BM25, CLOSED = "LENS", "ReAct Search", "Hybrid-RAG", "BM25-RAG", "Closed-Book"
SYSTEMS = {"lens": LENS, "react": REACT, "hybrid": HYBRID, "bm25-rag": BM25, "closed-book": CLOSED}
"""The paper's names of our arms."""

WITHOUT_PRIOR, WITHOUT_EXPLORATION = "w/o Multi-signal Prior", "w/o Sequential Exploration"
ABLATED = {
    "lens": "LENS (Full)",
    "lens-without-prior": WITHOUT_PRIOR,
    "lens-without-exploration": WITHOUT_EXPLORATION,
}


@dataclass(frozen=True, slots=True)
class Quality:
    """A row of a table of quality: exact match, F1, evidence recall and ground as the paper counts them, calls."""

    em: float
    f1: float
    evidence_recall: float
    ground: float
    calls: float | None = None


CONTROLLED = {
    REACT: Quality(65.2, 78.9, 50.4, 71.8),
    LENS: Quality(62.4, 76.9, 84.8, 96.8, 4.04),
    HYBRID: Quality(38.4, 51.1, 80.8, 92.2),
    BM25: Quality(28.8, 42.3, 71.8, 95.8),
    CLOSED: Quality(35.2, 47.0, 0.0, 0.0),
}
"""Controlled evaluation on D_500, 500 questions."""

FULLWIKI = {
    LENS: Quality(43.3, 57.5, 45.0, 84.0),
    REACT: Quality(42.7, 57.3, 50.4, 70.7, 7.01),
    CLOSED: Quality(38.7, 49.7, 0.0, 0.0, 0.0),
}
"""Raw Wikipedia dump, 150 questions."""

IN_CONTEXT = {REACT: Quality(54.7, 69.9, 37.2, 63.3, 4.94), LENS: Quality(52.7, 67.6, 78.2, 86.7, 4.0)}
"""The sample-context control, 150 questions."""

ABLATION = {
    "LENS (Full)": Quality(43.3, 57.5, 45.0, 84.0),
    WITHOUT_PRIOR: Quality(43.3, 55.9, 45.4, 85.3),
    WITHOUT_EXPLORATION: Quality(38.0, 50.9, 31.0, 82.0),
}
"""On the raw dump, 150 questions."""

SCALES = ("D_125", "D_250", "D_500")
EM_BY_SCALE = {
    LENS: (64.0, 66.4, 62.4),
    HYBRID: (36.0, 38.8, 38.4),
    BM25: (27.2, 30.4, 28.8),
    REACT: (61.6, 67.6, 65.2),
    CLOSED: (34.4, 33.6, 35.2),
}
RECALL_BY_SCALE = {
    LENS: (89.1, 85.9, 84.8),
    HYBRID: (81.3, 77.8, 80.8),
    BM25: (71.6, 71.1, 71.8),
    REACT: (46.1, 47.9, 50.4),
    CLOSED: (0.0, 0.0, 0.0),
}
"""Evidence recall by `SCALES`."""

ARTICLES = {"D_125": 5_416, "D_250": 10_808, "D_500": 21_424}

STALENESS = {
    BM25: ((30.4, 2.4, -28.0), (70.1, 0.0, -70.1)),
    HYBRID: ((42.4, 13.6, -28.8), (75.1, 5.5, -69.6)),
    REACT: ((72.0, 72.8, +0.8), (54.1, 48.3, -5.7)),
    LENS: ((69.6, 67.2, -2.4), (84.7, 83.9, -0.8)),
}
"""Exact match and evidence recall: fresh, stale, and the change as printed. Index of D_125, questions D_250 added."""

LIFECYCLE = {
    LENS: ("yes", "no", "0.0", "0", "16.5K", "68.9"),
    REACT: ("yes", "no", "0.0", "0", "11.8K", "54.7"),
    BM25: ("no", "yes", "4.0", "10.0MB", "1.2K", "11.3"),
    HYBRID: ("no", "yes", "5.7", "54.9MB", "1.4K", "14.3"),
}
"""D_500: ready, rebuild, index seconds, storage, tokens a question, seconds a question."""

JUDGED = {REACT: 87.0, LENS: 85.2, BM25: 64.0, HYBRID: 61.6, CLOSED: 50.8}
"""Judged correct on D_500."""

MCNEMAR = {"D_500": 0.1143, "fullwiki": 1.0}
"""The p of LENS against ReAct Search by exact match."""
