"""Ctrl-C while a question is answered: once asks the search to stop and keep what it has, twice leaves at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import TracebackType
from typing import Self

from lens_lsp.cli import INTERRUPTED
from lens_lsp.cli.terminal import is_terminal

_SHOW_CURSOR = b"\x1b[?25h"


class Interruption:
    """Takes the interrupt signal over while it is entered; outside the main thread it hears nothing."""

    def __init__(self) -> None:
        self._asked = False
        self._restored: object = None
        self._listens = False
        self._wake: Callable[[], object] | None = None

    def asked(self) -> bool:
        """Whether the person asked to stop."""
        return self._asked

    @contextmanager
    def telling(self, heard: Callable[[], object]) -> Iterator[None]:
        """Have ``heard`` called when the person asks, or now if they have: in the middle of whatever goes on."""
        self._wake = heard
        if self._asked:
            heard()
        try:
            yield
        finally:
            self._wake = None

    def __enter__(self) -> Self:
        if current_thread() is main_thread():
            # asyncio puts its own handler in place of Python's, and of no other.
            self._restored = signal.signal(signal.SIGINT, lambda *_: self._heard())
            self._listens = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._listens:
            signal.signal(signal.SIGINT, self._restored)  # type: ignore[arg-type]
            self._listens = False

    def _heard(self) -> None:
        if self._asked:
            # Nothing may run here that a lock or a slow reader could hold up.
            if is_terminal(sys.stderr):
                os.write(2, _SHOW_CURSOR)
            os._exit(INTERRUPTED)
        self._asked = True
        if self._wake is not None:
            self._wake()
