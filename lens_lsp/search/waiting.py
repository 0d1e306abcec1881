"""Which documents join the search after the first ten: those that new terms lead to, and the reserve of the ranking.

A round admits a few, and beyond them as many as it can read: where documents are short a request holds more of them,
and a round costs a call whatever it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lens_lsp.judge.ledger import Budget
from lens_lsp.search.beliefs import Space
from lens_lsp.search.localisation import ADMITTED, Candidates

JOINING = 5
"""Documents that new terms may bring in per round, at least."""


class Waiting:
    """Documents that may join, as many as one request of this budget can show."""

    def __init__(self, candidates: Candidates, space: Space, budget: Budget) -> None:
        self._candidates = candidates
        self._space = space
        self._room = budget.request_tokens
        self._around = 2 * budget.fence_tokens
        self._brought: list[int] = []

    def bring(self, slots: Iterable[int]) -> None:
        """New terms lead to these slots, best first; they go before those of earlier terms."""
        self._brought = list(dict.fromkeys((*slots, *self._brought)))

    @property
    def pending(self) -> bool:
        """Whether terms lead to a document that has not joined."""
        return any(slot not in self._space for slot in self._brought)

    def joining(self, *, correcting: bool) -> list[int]:
        """Who joins now: the best of those that terms lead to; at self-correction they share with the reserve."""
        if not correcting:
            return self._first(self._brought, JOINING, self._room)
        brought = self._first(self._brought, ADMITTED, self._room // 2)
        left = self._room - sum(map(self._size, brought))
        return [*brought, *self._first(self._ranked(), ADMITTED, left, beside=brought)]

    def reserve(self) -> list[int]:
        """The next documents of the ranking."""
        return self._first(self._ranked(), ADMITTED, self._room)

    def _ranked(self) -> list[int]:
        return [int(slot) for slot in self._candidates.ranked]

    def _first(self, slots: Iterable[int], least: int, room: int, beside: Sequence[int] = ()) -> list[int]:
        """The first of some slots that have not joined: so many at least, and what has room beyond."""
        chosen: list[int] = []
        for slot in slots:
            if slot in self._space or slot in beside:
                continue
            room -= self._size(slot)
            if len(chosen) >= least and room < 0:
                break
            chosen.append(slot)
        return chosen

    def _size(self, slot: int) -> int:
        """About how many tokens a document takes, shown whole: its text, and what stands around it."""
        return int(self._candidates.lengths[slot]) // 3 + self._around
