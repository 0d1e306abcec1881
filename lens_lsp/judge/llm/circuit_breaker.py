"""Whether to call an endpoint at all: one that keeps failing is left alone for a while, then tried once.

Without it every question of a long session waits for the same dead server, retries included. The state lives as long
as the model that holds it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from lens_lsp.judge.llm import error_messages
from lens_lsp.judge.llm.chat_model import ModelError, ModelFailure

MOST_FAILURES = 3
"""Calls in a row that may fail before the endpoint is left alone: one question's request with both of its retries."""
OPEN_SECONDS = 30.0
_AILING = frozenset(
    {
        ModelFailure.UNREACHABLE,
        ModelFailure.BUSY,
        ModelFailure.DEADLINE,
        ModelFailure.TOO_LARGE,
        ModelFailure.UNREADABLE,
        ModelFailure.CUT_OFF,
    }
)
# Nothing was learned of the endpoint: the call was stopped on this side.
_SILENT = frozenset({ModelFailure.UNTRUSTED, ModelFailure.PAUSED})


class Breaker:
    """Lets calls of one endpoint through while it works. ``clock`` gives seconds that never go back."""

    def __init__(
        self,
        *,
        failures: int = MOST_FAILURES,
        seconds: float = OPEN_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = failures
        self._seconds = seconds
        self._clock = clock
        self._failures = 0
        self._last: ModelFailure | None = None
        self._opened: float | None = None
        self._trial: asyncio.Event | None = None

    @property
    def open(self) -> bool:
        """Whether a call would be refused now."""
        return self._opened is not None and self._left > 0

    @property
    def _left(self) -> float:
        """Seconds until the next trial."""
        return 0.0 if self._opened is None else self._opened + self._seconds - self._clock()

    @asynccontextmanager
    async def call(self, origin: str, deadline: float) -> AsyncIterator[None]:
        """Around one call. Raises `ModelError` (``paused``) when it must not be made.

        While another call tries the endpoint it waits for what becomes of that, at most until ``deadline`` (a time of
        the event loop). A call that is cancelled says nothing of the endpoint.
        """
        try:
            async with asyncio.timeout_at(deadline):
                while self._trial is not None:
                    await self._trial.wait()
        except TimeoutError:
            raise error_messages.paused(origin, self._failures, self._last, 0.0) from None
        if self.open:
            raise error_messages.paused(origin, self._failures, self._last, self._left)
        trial = asyncio.Event() if self._opened is not None else None
        self._trial = trial
        try:
            yield
        except ModelError as error:
            self._heard(error.failure)
            raise
        else:
            self._heard(None)
        finally:
            if trial is not None:
                self._trial = None
                trial.set()

    def _heard(self, failure: ModelFailure | None) -> None:
        """What became of a call; None for a reply. An endpoint that says no is one that works."""
        if failure in _SILENT:
            return
        if failure not in _AILING:
            self._failures, self._opened = 0, None
            return
        self._failures += 1
        self._last = failure
        if self._failures >= self._most:
            self._opened = self._clock()
