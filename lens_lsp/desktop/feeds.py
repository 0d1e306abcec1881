"""What happens, in order and kept, for any number of listeners who may come late, leave and come back."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from starlette.responses import StreamingResponse

_PING_SECONDS = 15.0
"""Between two signs of life, by which a connection that is gone is noticed."""


class Feed:
    """Numbered events, from 1; the last ``most`` are kept, all if None. On the event loop only."""

    def __init__(self, most: int | None = None) -> None:
        self._kept: deque[tuple[int, str]] = deque(maxlen=most)
        self._last = 0
        self._over = False
        self._news = asyncio.Event()
        self._listeners = 0

    @property
    def heard(self) -> bool:
        """Whether anybody listens."""
        return self._listeners > 0

    @property
    def over(self) -> bool:
        """Whether nothing comes any more."""
        return self._over

    def put(self, event: Mapping[str, object]) -> None:
        """One more event; plain JSON."""
        if self._over:
            return
        self._last += 1
        self._kept.append((self._last, json.dumps(event, allow_nan=False)))
        self._wake()

    def end(self) -> None:
        """That was all."""
        self._over = True
        self._wake()

    async def after(self, number: int) -> AsyncGenerator[tuple[int, str] | None]:
        """Every event after that number that is kept, and those to come; None now and then when there is none.

        Whoever leaves early closes it.
        """
        self._listeners += 1
        try:
            while True:
                news = self._news
                for seq, event in list(self._kept):
                    if seq > number:
                        number = seq
                        yield seq, event
                if self._over and number >= self._last:
                    return
                try:
                    async with asyncio.timeout(_PING_SECONDS):
                        await news.wait()
                except TimeoutError:
                    yield None
        finally:
            self._listeners -= 1

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def streamed(feed: Feed, last_id: str | None) -> StreamingResponse:
    """A feed as Server-Sent Events, from after the event that a client who comes back names by its number."""
    number = int(last_id) if last_id is not None and last_id.isascii() and last_id.isdecimal() else 0

    async def lines() -> AsyncGenerator[str]:
        yield ": connected\n\n"
        async with aclosing(feed.after(number)) as items:
            async for item in items:
                yield ": alive\n\n" if item is None else f"id: {item[0]}\ndata: {item[1]}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")
