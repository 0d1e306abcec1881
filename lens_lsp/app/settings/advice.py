"""What an answer says of the limit that ended its search: whose it is, and what to set."""

from __future__ import annotations

from lens_lsp.app.settings.settings import Settings, Source
from lens_lsp.judge.ledger import Budget
from lens_lsp.model.answer import StopReason

_LIMITS = {StopReason.BUDGET_TOKENS: "tokens", StopReason.BUDGET_SECONDS: "seconds", StopReason.BUDGET_COST: "cost"}


def advice_on(stopped: StopReason, settings: Settings, budget: Budget) -> str | None:
    """What to set, for a search that a limit of time, tokens or money ended; None for one that ended otherwise."""
    name = _LIMITS.get(stopped)
    if name is None:
        return None
    limit, key = getattr(budget, name), f"budget.{name}"
    told = f"{limit:,}" if name == "tokens" else f"{limit:g}"
    # What somebody says above the default of a mode, who may not raise it, does not hold.
    source = settings.source(key) if getattr(settings.limits, name) == limit else Source.DEFAULT
    smaller = ", or name a smaller model" if name == "seconds" and budget.calls else ""
    match source:
        case Source.DAY:
            daily = f"{settings.daily_tokens:,} tokens a day of budget.dailyTokens"
            return f"Of the {daily}, {told} were left for this question."
        case Source.COMMAND_LINE:
            return f"The limit of --max-{name} {told} was reached. Give more than that{smaller}."
        case Source.REQUEST:
            return f"The limit of {told} {name} that came with the question was reached. Ask with more{smaller}."
        case Source.PROJECT:
            return f"The workspace's own {key} of {told} was reached. Only there it can be raised{smaller}."
        case Source.ENVIRONMENT:
            where = "in the environment"
        case Source.USER_FILE:
            where = "in your own file of settings"
        case _:
            where = "in your own settings"
    return f"The limit of {told} {name} was reached. Set {key} above {told} {where}{smaller}."
