"""Documents that are read while the search goes on: one PDF takes as long as a thousand notes.

The search begins with what was read in time. Between its rounds it has more read, and before it gives up, all that its
time allows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable


class Further:
    """``read`` has documents read for a moment and says whether some that came belong to the best; ``left`` says
    whether it would read any."""

    def __init__(
        self, read: Callable[[], Awaitable[bool]] | None = None, left: Callable[[], bool] | None = None
    ) -> None:
        self._read = read
        self._left = left

    @property
    def left(self) -> bool:
        """Whether documents wait to be read, and there is time for it."""
        return self._left is not None and self._left()

    async def some(self) -> bool:
        """Read for a moment; whether a document came that belongs to the best."""
        return self._read is not None and self.left and await self._read()

    async def promising(self) -> bool:
        """Read until such a document comes; False when there is none, or no more time."""
        while self.left:
            if await self.some():
                return True
        return False
