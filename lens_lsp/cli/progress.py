"""Progress on standard error, for people, and only when a search takes long enough to wonder about."""

from __future__ import annotations

from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_DOING = {
    "walk": "Listing",
    "read": "Reading",
    "extract": "Reading documents",
    "scan": "Scanning",
    "rank": "Ranking",
    "verify": "Verifying",
    "rerank": "Ordering",
}


class ProgressBar:
    """A bar that appears when it is needed and leaves nothing behind. It may be updated and closed on any thread.

    ``patience`` is the seconds before anything is shown: most searches are over by then, without rich.
    """

    def __init__(self, *, shown: bool, patience: float = 1.0) -> None:
        self._appears = monotonic() + patience if shown else None
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._turn = Lock()

    def update(self, stage: str, done: int, total: int | None) -> None:
        """Show how far a stage is; ``total`` None means that nobody knows yet."""
        with self._turn:
            if self._appears is None:
                return
            if self._bar is None:
                if monotonic() < self._appears:
                    return
                self._start()
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, description=_DOING.get(stage, stage), completed=done, total=total)

    def close(self) -> None:
        """Clear the bar for good: results follow on the same terminal."""
        with self._turn:
            self._appears = None
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=None)
        self._bar.start()
