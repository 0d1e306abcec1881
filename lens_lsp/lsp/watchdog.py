"""Ends the server when the process it works for is gone.

The end of standard input usually says so first; it does not where another process inherited the other end. pygls
stores ``processId`` and watches nothing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

_POLL = 0.5
GRACE = 2.0
"""Seconds between the notice and the hard end."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process that is told from a later one of the same number by when it began; None where that is not known."""

    pid: int
    began: str | None

    @classmethod
    def of(cls, pid: int) -> Process | None:
        """The running process of a number; None if there is none, or none that can be seen from here."""
        if not _exists(pid):
            return None
        return cls(pid, _began(pid))

    def lives(self) -> bool:
        """Whether it is still the one that runs."""
        return _exists(self.pid) and _began(self.pid) == self.began


class Watchdog:
    """Watches the client: the process that ``initialize`` named, else the parent.

    ``gone`` is called on the watchdog's own thread; `GRACE` seconds later the process ends by ``leave``, which does
    not return, whatever its other threads do.
    """

    def __init__(self, gone: Callable[[], None], leave: Callable[[], object]) -> None:
        self._gone = gone
        self._leave = leave
        self._parent = os.getppid()
        self._client: Process | None = None
        self._stop = threading.Event()

    def start(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, name="lens-watchdog", daemon=True).start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stop.set()

    def follow(self, pid: int | None) -> bool:
        """Watch this process from now on; False if it cannot be seen from here, as from inside a container."""
        self._client = None if pid is None or pid <= 0 else Process.of(pid)
        return self._client is not None

    def alone(self) -> bool:
        """Whether nobody is left to work for."""
        client = self._client
        return not client.lives() if client is not None else os.getppid() != self._parent

    def _watch(self) -> None:
        while not self.alone():
            if self._stop.wait(_POLL):
                return
        self._gone()
        self._stop.wait(GRACE)
        self._leave()


def _exists(pid: int) -> bool:
    if os.name == "nt":  # there, signal 0 would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return not _zombie(pid)


def _zombie(pid: int) -> bool:
    return _status(pid)[:1] == ["Z"]


def _began(pid: int) -> str | None:
    fields = _status(pid)
    return fields[19] if len(fields) > 19 else None


def _status(pid: int) -> list[str]:
    """What Linux says of a process, from its state on; nothing elsewhere."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []
