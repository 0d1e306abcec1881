"""Counts what a question spends, call by call, and says how much of a day's tokens is left."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from lens_lsp.memory.userdata.usage import Spent, Usage, record_usage
from lens_lsp.model.errors import UsageError


class Meter:
    """Writes down the calls to one origin. ``prices`` are (in, out) per million tokens, None while unknown.

    A call is counted when it is over, so that leaving in the middle of a question forgets none. ``problem`` says why
    something could not be written down, None while everything was.
    """

    def __init__(
        self,
        path: Path,
        origin: str,
        prices: tuple[float, float] | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self.problem: str | None = None
        self._path = path
        self._origin = origin
        self._prices = prices
        self._today = today

    def spent(self, tokens_in: int, tokens_out: int) -> None:
        """One call is over."""
        cost = None
        if self._prices is not None:
            cost = (tokens_in * self._prices[0] + tokens_out * self._prices[1]) / 1e6
        try:
            record_usage(self._path, self._today(), self._origin, Spent(1, tokens_in, tokens_out, cost))
        except OSError as error:
            self.problem = f"what this question used could not be written to {self._path}: {error.strerror or error}"

    def left(self, daily: int) -> int:
        """How many of a day's tokens are left, of all origins together.

        Raises `UsageError` when that cannot be known or written down: a limit that nobody counts is none.
        """
        today = self._today()
        try:
            used = Usage.read(self._path).on(today).tokens
            record_usage(self._path, today, self._origin, Spent())
        except ValueError:
            problem = "it is broken; delete it to begin anew"
        except OSError as error:
            problem = error.strerror or str(error)
        else:
            return max(0, daily - used)
        raise UsageError(
            f"budget.dailyTokens cannot be kept without {self._path} ({problem}); --mode evidence calls no model"
        )
