"""Ctrl-C while a question is answered: once asks the search to stop and keep what it has, twice leaves at once."""

from __future__ import annotations

import os
import signal
import sys
from threading import current_thread, main_thread
from types import TracebackType
from typing import Self

from lens_lsp.cli import INTERRUPTED
from lens_lsp.cli.terminal import is_terminal
from lens_lsp.judge.cancellation import Stop

_SHOW_CURSOR = b"\x1b[?25h"


class Interruption:
    """Takes the interrupt signal over while it is entered; outside the main thread it hears nothing."""

    def __init__(self) -> None:
        self.stop = Stop()
        """Asked for by the first interrupt."""
        self.asked = self.stop.asked
        """Whether the person asked to stop."""
        self._restored: object = None
        self._listens = False

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
        if self.stop.asked():
            # Nothing may run here that a lock or a slow reader could hold up.
            if is_terminal(sys.stderr):
                os.write(2, _SHOW_CURSOR)
            os._exit(INTERRUPTED)
        self.stop.ask()
