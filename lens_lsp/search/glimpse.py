"""Something to read while a large workspace is read for the first time: a look at the files that were read so far.

Reading a million files takes a minute, a look at a part of them a moment. Which passages it shows depends on how far
the reading came; like those of every first look they are verified, and nothing of the search rests on them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.documents import Evidence

_AFTER = 1.0
"""Seconds of reading before the first look."""
_LEFT = 1.0
"""Seconds that reading goes on for by all appearances: with fewer a look at everything comes as soon."""


class Glimpse:
    """Looks at what was read so far until one of them finds something, each after twice the time of the one before.

    `offer` is called on the thread that reads, `evidence` by whoever asked. ``clock`` tells seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: float | None = None
        self._next = 0.0
        self._look: Callable[[Snapshot], None] | None = None

    def offer(self, done: int, total: int, snapshot: Callable[[], Snapshot]) -> None:
        """So many of the files were read, and can be looked at now."""
        now = self._clock()
        if self._begun is None:
            self._begun, self._next = now, now + _AFTER
        past, look = now - self._begun, self._look
        if look is None or now < self._next or past * (total - done) < _LEFT * done:
            return
        self._next = now + past
        look(snapshot())

    async def evidence(
        self, look: Callable[[Snapshot], list[Evidence]], reading: asyncio.Future[Any]
    ) -> list[Evidence]:
        """What the first successful ``look`` found, as soon as it did; nothing if ``reading`` is over before."""
        loop = asyncio.get_running_loop()
        first: asyncio.Future[list[Evidence]] = loop.create_future()

        def seen(snapshot: Snapshot) -> None:
            if found := look(snapshot):
                self._look = None
                loop.call_soon_threadsafe(first.set_result, found)

        self._look = seen
        try:
            await asyncio.wait({first, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._look = None
        return first.result() if first.done() else []
