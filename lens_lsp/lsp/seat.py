"""Who judges a question: the rules, or the configured model with everything that limits what it may be sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lens_lsp.domain.answer import Mode
from lens_lsp.domain.errors import UsageError
from lens_lsp.oracle.ledger import Budget, Limits
from lens_lsp.settings.settings import Settings, Source

if TYPE_CHECKING:
    from lens_lsp.kept.meter import Meter
    from lens_lsp.models.openai import OpenAIChat
    from lens_lsp.oracle.base import Oracle


@dataclass(frozen=True, slots=True)
class Seat:
    """What `Lens.ask` needs to know of the one who judges."""

    mode: Mode
    budget: Budget
    oracle: Oracle | None = None
    prices: tuple[float, float] | None = None
    spent: Callable[[int, int], None] | None = None


@asynccontextmanager
async def seated(
    settings: Settings, mode: str | None, limits: Limits, workspaces: Sequence[str]
) -> AsyncGenerator[Seat]:
    """The seat for one question. ``mode`` is what was asked for, ``limits`` lower the settings' own.

    Raises `UsageError` for a model that is not configured, or that may not be sent text of the ``workspaces``.
    """
    if mode is not None:
        settings = replace(settings, mode=mode, sources={**settings.sources, "mode": Source.EDITOR})
    settings = replace(settings, limits=settings.limits.lowest(limits))
    chosen_mode, chosen = settings.seat()
    settings.require_prices(calling=chosen is not None)
    if chosen is None:
        yield Seat(chosen_mode, settings.limits.lowered(Budget.of(chosen_mode)))
        return
    model = chosen.chat()
    counting = Counting()
    try:
        _require_consent(settings, model, workspaces)
        yield await _judging(settings, chosen_mode, model, counting)
    finally:
        await model.aclose()
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


async def _judging(settings: Settings, mode: Mode, model: OpenAIChat, counting: Counting) -> Seat:
    from lens_lsp.kept.meter import Meter
    from lens_lsp.kept.usage import usage_file
    from lens_lsp.oracle.chat import ChatOracle, budget_for

    prices, limits = settings.model.prices, settings.limits
    meter = Meter(usage_file(), model.endpoint, prices)
    if settings.daily_tokens is not None:
        left = await asyncio.get_running_loop().run_in_executor(None, meter.left, settings.daily_tokens)
        limits = limits.lowest(Limits(tokens=left))
    if 0 not in (limits.calls, limits.tokens):
        await model.probe()
    budget = limits.lowered(budget_for(mode, model.context_tokens))
    return Seat(mode, budget, ChatOracle(model, mode), prices, counting.by(meter))


def _require_consent(settings: Settings, model: OpenAIChat, workspaces: Sequence[str]) -> None:
    from lens_lsp.kept.consents import Consents, consent_file

    if model.loopback:
        return
    settings.require_sound(model.endpoint)
    given = Consents.read(consent_file()).given
    for workspace in workspaces:
        if (workspace, model.endpoint) not in given:
            raise UsageError(
                f"text of {workspace} may not be sent to {model.endpoint} yet: consent once with `lens ask --yes`,"
                " or ask with mode evidence"
            )
