"""Files that may not answer: on a network, or behind a program of the user's.

A call of the system to such a file may last as long as its server is silent, and nothing ends it. So another thread
makes the call, and who wants its result waits for a moment (`patience`), then goes on as if the system had said
``ETIMEDOUT``, which is told as any other of its errors.

Whether an open folder is such a one is asked once, of its root; a file system below another one goes by that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from lens_lsp.disk import may_hang

if TYPE_CHECKING:
    from lens_lsp.corpus.patience import Patience

T = TypeVar("T")
P = ParamSpec("P")

WAIT = 10.0
"""Seconds that one call may take: a disk that has been at rest needs some to turn."""


class Away(int):
    """The descriptor of a file or folder that may not answer."""

    patience: Patience


def attended(descriptor: int) -> int:
    """A root's descriptor: an `Away` one where its file system may not answer."""
    device = os.fstat(descriptor).st_dev
    if not may_hang(device):
        return descriptor
    from lens_lsp.corpus.patience import Patience  # brings what runs threads, which most folders never need

    return Patience(device).holds(descriptor)


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


def wait_until(of: object, moment: float, most: float) -> None:
    """Until when a root is waited for, by the monotonic clock, and for how many seconds each call; nothing where it
    always answers."""
    if type(of) is Away:
        of.patience.until, of.patience.most = moment, most


def given_back(of: object) -> None:
    """A root is closed."""
    if type(of) is Away:
        of.patience.end()
