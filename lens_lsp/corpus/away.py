"""Files that may not answer: on a network, or behind a program of the user's.

A call of the system to such a file may last as long as its server is silent, and nothing ends it. So another thread
makes the call, and who wants its result waits for a moment, then goes on as if the system had said ``ETIMEDOUT``, which
is told as any other of its errors. The thread is left behind until its file answers.

Not here: whether an open folder is such a one is asked once, of its root; a file system below another one goes by that.
"""

from __future__ import annotations

import errno
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from lens_lsp.disk.mounts import may_hang

T = TypeVar("T")
P = ParamSpec("P")

WAIT = 1.0
"""Seconds that one call may take."""
MOST_LEFT = 32
"""Threads that a device may hold; from then on nothing more is asked of it."""
_LEFT: Counter[int] = Counter()
"""By device: threads that it holds."""
_LOCK = threading.Lock()

_Job = tuple["Future[Any]", Callable[[], Any]]


class Away(int):
    """The descriptor of a file or folder that may not answer."""

    patience: Patience


class Patience:
    """How long a root is waited for: each call for `WAIT` seconds, all of them until a moment. Threads may share it."""

    def __init__(self, device: int) -> None:
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
        seconds = min(WAIT, self.until - time.monotonic())
        if seconds <= 0 or _LEFT[self._device] >= MOST_LEFT:
            raise _too_late()
        try:
            caller = self._idle.pop()
        except IndexError:
            caller = _Caller()
        asked = caller.asked(call)
        try:
            result = asked.result(seconds)
        except TimeoutError:
            if not asked.done():
                self._leave(caller, asked, late)
                raise _too_late() from None
            self._idle.append(caller)
            raise
        except BaseException:
            self._idle.append(caller)
            raise
        self._idle.append(caller)
        return result

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


def attended(descriptor: int) -> int:
    """A root's descriptor: an `Away` one where its file system may not answer."""
    device = os.fstat(descriptor).st_dev
    return Patience(device).holds(descriptor) if may_hang(device) else descriptor


def asked(of: object, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a call of the system gives that is about an open file or folder. Raises what it raises, ``OSError`` with
    ``ETIMEDOUT`` where it gives nothing in time."""
    if type(of) is Away:
        return of.patience.result(partial(call, *args, **kwargs), None)
    return call(*args, **kwargs)


def opened(of: int, name: str, flags: int) -> int:
    """A descriptor of what an open folder holds under a name, waited for like the folder. Raises as `asked`."""
    if type(of) is Away:
        open_it = partial(os.open, name, flags, dir_fd=of)
        return of.patience.holds(of.patience.result(open_it, os.close))
    return os.open(name, flags, dir_fd=of)


def listed(of: int | str, entries: list[os.DirEntry[str]]) -> None:
    """Add what an open folder holds, as far as it comes. Raises as `asked`; who comes too late adds later."""

    def add() -> None:
        with os.scandir(of) as found:
            entries.extend(found)

    asked(of, add)


def entry_status(of: object, entry: os.DirEntry[str]) -> os.stat_result:
    """The status of an entry of an open folder, not of what it links to. Raises as `asked`."""
    if type(of) is Away:
        return asked(of, entry.stat, follow_symlinks=False)
    return entry.stat(follow_symlinks=False)


def wait_until(of: object, moment: float) -> None:
    """Until when a root is waited for, by the monotonic clock; nothing where it always answers."""
    if type(of) is Away:
        of.patience.until = moment


def given_back(of: object) -> None:
    """A root is closed."""
    if type(of) is Away:
        of.patience.end()


def _too_late() -> OSError:
    return OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
