"""Who judges a question: the rules, or the configured model with everything that limits what it may be sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from lens_lsp.domain.answer import Mode
from lens_lsp.domain.errors import BudgetSpent
from lens_lsp.domain.records import dataclass
from lens_lsp.oracle.ledger import Budget, Limits
from lens_lsp.settings.settings import Settings, Source

if TYPE_CHECKING:
    from lens_lsp.kept.meter import Meter
    from lens_lsp.lsp.permitting import Permit
    from lens_lsp.models.editor import EditorChat
    from lens_lsp.models.openai import OpenAIChat
    from lens_lsp.oracle.base import Oracle
    from lens_lsp.oracle.stoppable import Stop


@dataclass(frozen=True, slots=True)
class Seat:
    """What `Lens.ask` needs to know of the one who judges."""

    mode: Mode
    budget: Budget
    settings: Settings
    """What the budget was made from."""
    oracle: Oracle | None = None
    prices: tuple[float, float] | None = None
    spent: Callable[[int, int], None] | None = None


@asynccontextmanager
async def seated(permit: Permit, stop: Stop) -> AsyncGenerator[Seat]:
    """The seat for one question; at the stop a model is asked for nothing more. Raises `UsageError` where the day's
    tokens cannot be counted."""
    if permit.model is None:
        yield Seat(permit.mode, permit.settings.budget(Budget.of(permit.mode)), permit.settings)
        return
    counting = Counting()
    try:
        yield await _judging(permit, permit.model, counting, stop)
    finally:
        await permit.model.aclose()
        await counting.done()


class Counting:
    """Counts what a question spends without waiting for the disk."""

    def __init__(self) -> None:
        self._writing: set[asyncio.Future[None]] = set()

    def by(self, meter: Meter) -> Callable[[int, int], None]:
        """What is told the tokens of each call, on the event loop."""
        loop = asyncio.get_running_loop()

        def spent(tokens_in: int, tokens_out: int) -> None:
            writing = loop.run_in_executor(None, meter.spent, tokens_in, tokens_out)
            self._writing.add(writing)
            writing.add_done_callback(self._writing.discard)

        return spent

    async def done(self) -> None:
        """Wait until all of it is written down."""
        if self._writing:
            await asyncio.wait(self._writing)


async def _judging(permit: Permit, model: OpenAIChat | EditorChat, counting: Counting, stop: Stop) -> Seat:
    from lens_lsp.kept.meter import Meter
    from lens_lsp.kept.usage import usage_file
    from lens_lsp.oracle.chat import ChatOracle, budget_for
    from lens_lsp.oracle.stoppable import StoppableChat

    settings, mode = permit.settings, permit.mode
    prices = settings.model.prices
    meter = Meter(usage_file(), model.endpoint, prices)
    if settings.daily_tokens is not None:
        left = await asyncio.get_running_loop().run_in_executor(None, meter.left, settings.daily_tokens)
        settings = settings.lowered(Limits(tokens=left), Source.DAY)
    if 0 not in (settings.limits.calls, settings.limits.tokens):
        with suppress(BudgetSpent):
            async with stop.heeded():
                await model.probe()
    budget = settings.budget(budget_for(mode, model.context_tokens))
    return Seat(mode, budget, settings, StoppableChat(ChatOracle(model, mode), stop), prices, counting.by(meter))
