"""Calls of the system that may hang: on files of a network, or behind a program of the user.

Such a call may last as long as the server is silent, and nothing ends it. So another thread makes it, and who wants
its result waits for a moment, then goes on as if the system had said ``ETIMEDOUT``; the thread is left behind until its
file answers. Whether an open folder may hang is asked once, of its root; a file system below another goes by that.
"""

from __future__ import annotations

import errno
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from lens_lsp.disk import may_hang

T = TypeVar("T")
P = ParamSpec("P")
WAIT = 10.0
"""Seconds that one call may take: a disk that has been at rest needs some to turn."""
MOST_LEFT = 32
"""Threads that a device may hold; from then on nothing more is asked of it."""
_LEFT: Counter[int] = Counter()
"""By device: threads that it holds."""
_LOCK = threading.Lock()
_Job = tuple["Future[Any]", Callable[[], Any]]


class SlowDescriptor(int):
    """The descriptor of a file or folder that may not answer."""

    calls: TimedCalls


def guard_descriptor(descriptor: int) -> int:
    """A root's descriptor: a `SlowDescriptor` where its file system may not answer."""
    device = os.fstat(descriptor).st_dev
    return TimedCalls(device).holds(descriptor) if may_hang(device) else descriptor


def call_of(of: object, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a call of the system gives that is about an open file or folder. Raises what it raises, ``OSError`` with
    ``ETIMEDOUT`` where it gives nothing in time."""
    if type(of) is SlowDescriptor:
        return of.calls.result(partial(call, *args, **kwargs), None)
    return call(*args, **kwargs)


def open_at(of: int, name: str, flags: int) -> int:
    """A descriptor of what an open folder holds under a name, waited for like the folder. Raises as `call_of`."""
    if type(of) is SlowDescriptor:
        open_it = partial(os.open, name, flags, dir_fd=of)
        return of.calls.holds(of.calls.result(open_it, os.close))
    return os.open(name, flags, dir_fd=of)


def list_into(of: int | str, entries: list[os.DirEntry[str]]) -> None:
    """Add what an open folder holds, as far as it comes. Raises as `call_of`; who comes too late adds later."""

    def add() -> None:
        with os.scandir(of) as found:
            entries.extend(found)

    call_of(of, add)


def stat_entry(of: object, entry: os.DirEntry[str]) -> os.stat_result:
    """The status of an entry of an open folder, not of what it links to. Raises as `call_of`."""
    if type(of) is SlowDescriptor:
        return call_of(of, entry.stat, follow_symlinks=False)
    return entry.stat(follow_symlinks=False)


def set_deadline(of: object, moment: float, most: float) -> None:
    """Set until when a root is waited for, by the monotonic clock, and for how many seconds each call; no effect where
    it always answers."""
    if type(of) is SlowDescriptor:
        of.calls.until, of.calls.most = moment, most


def end_calls(of: object) -> None:
    """Let the threads of a root that is closed go."""
    if type(of) is SlowDescriptor:
        of.calls.end()


class TimedCalls:
    """Makes the calls about one root: each may take some seconds, all of them last until a moment. Safe for threads."""

    def __init__(self, device: int) -> None:
        self.most = WAIT
        """Seconds of each call."""
        self.until = math.inf
        """By the monotonic clock: nothing is asked afterwards."""
        self._device = device
        self._idle: list[_CallThread] = []

    def holds(self, descriptor: int) -> SlowDescriptor:
        """A descriptor that is waited for like this."""
        slow = SlowDescriptor(descriptor)
        slow.calls = self
        return slow

    def result(self, call: Callable[[], T], late: Callable[[T], object] | None) -> T:
        """What a call gives. ``late`` gets what came too late. Raises what it raises, and ``OSError``."""
        seconds = min(self.most, self.until - time.monotonic())
        if seconds <= 0 or _LEFT[self._device] >= MOST_LEFT:
            raise _too_late()
        try:
            caller = self._idle.pop()
        except IndexError:
            caller = _CallThread()
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

    def _leave(self, caller: _CallThread, asked: Future[T], late: Callable[[T], object] | None) -> None:
        with _LOCK:
            _LEFT[self._device] += 1
        caller.end()

        def came(_: Future[T]) -> None:
            with _LOCK:
                _LEFT[self._device] -= 1
            if late is not None and asked.exception() is None:
                late(asked.result())

        asked.add_done_callback(came)


class _CallThread:
    """A thread that makes calls, one after the other, until it is told to end."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(target=self._run, name="slow-call", daemon=True).start()

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
