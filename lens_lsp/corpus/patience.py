"""Calls of the system that may hang, made on threads that are left behind where they do, until their file answers."""

from __future__ import annotations

import errno
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import Any, TypeVar

from lens_lsp.corpus.away import WAIT, Away

T = TypeVar("T")

MOST_LEFT = 32
"""Threads that a device may hold; from then on nothing more is asked of it."""
_LEFT: Counter[int] = Counter()
"""By device: threads that it holds."""
_LOCK = threading.Lock()

_Job = tuple["Future[Any]", Callable[[], Any]]


class Patience:
    """How long a root is waited for: each call for some seconds, all of them until a moment. Threads may share it."""

    def __init__(self, device: int) -> None:
        self.most = WAIT
        """Seconds of each call."""
        self.until = math.inf
        """By the monotonic clock: nothing is asked afterwards."""
        self._device = device
        self._idle: list[_Caller] = []

    def holds(self, descriptor: int) -> Away:
        """A descriptor that is waited for like this."""
        away = Away(descriptor)
        away.patience = self
        return away

    def result(self, call: Callable[[], T], late: Callable[[T], object] | None) -> T:
        """What a call gives. ``late`` gets what came too late. Raises what it raises, and ``OSError``."""
        seconds = min(self.most, self.until - time.monotonic())
        if seconds <= 0 or _LEFT[self._device] >= MOST_LEFT:
            raise _too_late()
        try:
            caller = self._idle.pop()
        except IndexError:
            caller = _Caller()
        asked = caller.asked(call)
        if asked not in wait((asked,), seconds).done:
            self._leave(caller, asked, late)
            raise _too_late()
        self._idle.append(caller)
        return asked.result()

    def end(self) -> None:
        """Let the threads go."""
        while self._idle:
            self._idle.pop().end()

    def _leave(self, caller: _Caller, asked: Future[T], late: Callable[[T], object] | None) -> None:
        with _LOCK:
            _LEFT[self._device] += 1
        caller.end()

        def came(_: Future[T]) -> None:
            with _LOCK:
                _LEFT[self._device] -= 1
            if late is not None and asked.exception() is None:
                late(asked.result())

        asked.add_done_callback(came)


class _Caller:
    """A thread that makes calls, one after the other, until it is told to end."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(target=self._run, name="away", daemon=True).start()

    def asked(self, call: Callable[[], T]) -> Future[T]:
        asked: Future[T] = Future()
        self._jobs.put((asked, call))
        return asked

    def end(self) -> None:
        """After the call that it makes."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            asked, call = job
            try:
                asked.set_result(call())
            except BaseException as error:  # noqa: BLE001  whoever waits for it gets it
                asked.set_exception(error)


def _too_late() -> OSError:
    return OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
