"""What an arm costs to keep: how long until it can be asked, what it leaves on the disk, and what one change costs.

A document with words that stand nowhere else is added to the corpus while an arm is ready, and the arm is asked for it:
once as it is, and where that does not find it, once more after it was made ready again.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from evaluation.arms.base import Arm
from evaluation.data.snapshots import Corpus, document_names

_NEW = "Quelvarine_Lighthouse"
_TEXT = "Quelvarine Lighthouse\n\nThe Quelvarine Lighthouse was built by the engineer Tobrask Imhelder.\n"
_QUESTION = "Who was the engineer of the Quelvarine Lighthouse?"
_DEPTH = 5


@runtime_checkable
class Persisting(Protocol):
    """An arm that keeps an index."""

    def stored_bytes(self) -> int:
        """Bytes on disk that would have to be kept so as not to build it again."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """One arm. Seconds are wall time of one measurement on this machine."""

    arm: str
    ready: float
    """From nothing to the first question: reading the files, or building an index."""
    stored: int
    """Bytes on disk that are kept between two sessions; 0 for who keeps nothing."""
    found_at_once: bool
    """Whether a document that was added is found by an arm that was ready before."""
    rebuild: float
    """Seconds to be made ready again where it was not found at once, else 0."""
    found: bool
    """Whether it is found in the end."""
    current: float
    """Seconds from the change to an answer that knows it."""


def lifecycle(corpus: Corpus, arms: Sequence[Arm]) -> list[Lifecycle]:
    """One row an arm, over a copy of a corpus that is changed."""
    return [_measured(corpus.folder, arm) for arm in arms]


def _measured(corpus_dir: Path, arm: Arm) -> Lifecycle:
    with tempfile.TemporaryDirectory(prefix="lens-lifecycle.") as scratch:
        folder = Path(scratch, "corpus")
        shutil.copytree(corpus_dir, folder)
        try:
            ready = arm.prepare(folder)
            stored = arm.stored_bytes() if isinstance(arm, Persisting) else 0
            (folder / _NEW).write_text(_TEXT, "utf-8")
            began = time.perf_counter()
            at_once = found = _finds(arm)
            rebuild = 0.0
            if not at_once:
                rebuild = arm.prepare(folder)
                found = _finds(arm)
            current = time.perf_counter() - began
        finally:
            arm.close()
    return Lifecycle(arm.name, round(ready, 3), stored, at_once, round(rebuild, 3), found, round(current, 4))


def _finds(arm: Arm) -> bool:
    return _NEW in arm.search("added", _QUESTION, _DEPTH).documents[:_DEPTH]


def corpus_size(corpus: Corpus) -> int:
    """Bytes of a corpus."""
    return sum((corpus.folder / name).stat().st_size for name in document_names(corpus.folder))
