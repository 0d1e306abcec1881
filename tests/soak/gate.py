"""The harness's side of a gated server: what files held and when, and what is done when the server comes to a point."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from tests.soak.cited_notes import Step, do, named

Act = Callable[[], object]


class History:
    """What files held, and when: changes are made through it. For several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._states: dict[str, list[tuple[float, float, str | None]]] = {}
        """By path: from when, until when, the text; None where there was no file."""

    def do(self, steps: Sequence[Step]) -> None:
        """Change files."""
        with self._lock:
            for step in steps:
                known = {path: self._read(path) for path in named(step)}
                began = time.monotonic()
                do(step)
                ended = time.monotonic()
                for path, before in known.items():
                    self._add(path, before, began, ended, self._read(path))

    def become(self, path: str, text: str, tell: Act) -> None:
        """A text that is open in the editor becomes another when it is told."""
        before, began = self.now(path), time.monotonic()
        tell()
        with self._lock:
            self._add(path, before, began, time.monotonic(), text)

    def now(self, path: str) -> str | None:
        """What a file or open text says; None for none."""
        with self._lock:
            return self._now(path)

    def between(self, path: str, first: float, last: float) -> list[str]:
        """The texts that a file may have shown between two moments."""
        with self._lock:
            states = self._states.get(path) or [(0.0, float("inf"), self._read(path))]
        return [text for begin, end, text in states if begin <= last and end >= first and text is not None]

    def _now(self, path: str) -> str | None:
        return self._states[path][-1][2] if path in self._states else self._read(path)

    def _add(self, path: str, before: str | None, began: float, ended: float, text: str | None) -> None:
        states = self._states.setdefault(path, [(0.0, 0.0, before)])
        states[-1] = (states[-1][0], ended, states[-1][2])
        states.append((began, float("inf"), text))

    @staticmethod
    def _read(path: str) -> str | None:
        try:
            return Path(path).read_bytes().decode()
        except FileNotFoundError:
            return None


class Gate:
    """The other end of the server's gate: does what is planned when it comes to a point. Use it in a ``with``
    statement."""

    def __init__(self, path: Path) -> None:
        self._plan: list[tuple[str, Act]] = []
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Gate:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.join()
        self._listener.close()

    def plan(self, plan: Sequence[tuple[str, Act]]) -> None:
        """What is to be done at which point, one after the other."""
        with self._lock:
            self._plan = list(plan)

    def unmet(self) -> int:
        """How much was not done, and will not be."""
        with self._lock:
            count = len(self._plan)
            self._plan.clear()
        return count

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection, connection.makefile("r") as points, suppress(ConnectionResetError):
            for point in points:
                with self._lock:
                    if self._plan and self._plan[0][0] == point.strip():
                        self._plan.pop(0)[1]()
                connection.sendall(b".")
