"""Documents that are read while the search goes on: one PDF takes as long as a thousand notes.

The search begins with what was read in time. Between its rounds it has more read, and before it gives up, all that its
time allows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable


class Further:
    """``read`` has documents read for a moment and taken in by what it is given, and says whether some that came belong
    to the best; ``left`` says whether it would read any.

    The search, which takes them in, says so at each call: known here, neither would go before cycles are looked for.
    """

    def __init__(
        self,
        read: Callable[[Callable[[], bool]], Awaitable[bool]] | None = None,
        left: Callable[[], bool] | None = None,
    ) -> None:
        self._read = read
        self._left = left

    @property
    def left(self) -> bool:
        """Whether documents wait to be read, and there is time for it."""
        return self._left is not None and self._left()

    async def some(self, take_in: Callable[[], bool]) -> bool:
        """Read for a moment; whether a document came that belongs to the best. ``take_in`` says so of what came."""
        return self._read is not None and self.left and await self._read(take_in)

    async def promising(self, take_in: Callable[[], bool]) -> bool:
        """Read until such a document comes; False when there is none, or no more time."""
        while self.left:
            if await self.some(take_in):
                return True
        return False
