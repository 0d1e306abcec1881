"""Rows as they are trained on: all texts as tokens in one array, and numbers that point into it.

Needs numpy alone, so that a machine with an accelerator and nothing else can train.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

COLUMNS = ("question", "above", "text", "first", "last", "start", "end", "states", "source")
"""Of a row: three texts by number, the tokens [first, last) of the third that are shown, the answer's tokens [start,
end) among them (-1 where none is marked), whether what is asked is stated, and where the row comes from."""
SQUAD, ADVERSARIAL, FOLDERS, DOCSQA = range(4)
"""Where rows come from; DOCSQA + k is the k-th of its workspaces."""


@dataclass(frozen=True)
class Rows:
    """Tokens of all texts in one array, the bounds of each, and the rows."""

    tokens: np.ndarray
    bounds: np.ndarray
    rows: np.ndarray

    def save(self, path: Path) -> None:
        """Write it, compressed."""
        np.savez_compressed(path, tokens=self.tokens, bounds=self.bounds, rows=self.rows)

    @classmethod
    def load(cls, path: Path) -> Rows:
        """Read what `save` wrote."""
        with np.load(path) as kept:
            return cls(kept["tokens"], kept["bounds"], kept["rows"])
