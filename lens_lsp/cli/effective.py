"""The settings that hold, as ``lens doctor`` tells them: values with their source, nothing secret among them.

Of addresses, names and patterns only that they are set, or how many: a paste shows them to others.
"""

from __future__ import annotations

from datetime import date

from lens_lsp.app.settings.settings import OFF, SHIPPED, Settings, Source
from lens_lsp.cli.account import some
from lens_lsp.judge.ledger import Budget
from lens_lsp.memory.userdata import Consents, Usage, consent_file, usage_file


def model_in_words(settings: Settings) -> str:
    """Whether a model is configured, and by whom."""
    if settings.model.missing:
        return "no model configured: offline"
    where = "environment" if settings.source("model.baseUrl") is Source.ENVIRONMENT else "user file"
    return f"set in the {where}: `lens ask` calls it"


def settings_in_words(settings: Settings) -> dict[str, object]:
    """Every setting with its source, what was used today, and what is wrong with what was said."""
    rows: dict[str, object] = {
        key: f"{value} ({settings.source(key).value})" for key, value in _values(settings).items()
    }
    rows["model.key"] = _key(settings)
    rows["exclude"] = (
        f"{some(len(settings.rules.exclude), 'pattern')} of your own,"
        f" {sum(len(project.exclude) for project in settings.rules.projects)} of the project"
    )
    rows["scopes"] = (
        f"{some(sum(len(project.scopes) for project in settings.rules.projects), 'pattern')} of the project"
    )
    rows["fallbackEncoding"] = settings.rules.fallback_encoding
    rows["usedToday"] = _used()
    rows["consents"] = len(Consents.read(consent_file()).given)
    rows |= {f"problem {n}": notice.text for n, notice in enumerate(settings.notices, 1)}
    return rows


def _values(settings: Settings) -> dict[str, str]:
    model, limits = settings.model, settings.limits
    prices = "unknown" if model.prices is None else f"in {model.prices[0]:g}, out {model.prices[1]:g}"
    return {
        "mode": settings.mode,
        "model.baseUrl": "set" if model.base_url else "not set",
        "model.name": "set" if model.name else "not set",
        "model.contextTokens": _number(model.context_tokens, "what the endpoint says"),
        "model.callSeconds": _number(settings.call_seconds, f"{Budget().call_seconds:g}"),
        "model.prices": prices,
        "budget.calls": _number(limits.calls, "the mode's own"),
        "budget.tokens": _number(limits.tokens, "the mode's own"),
        "budget.seconds": _number(limits.seconds, "the mode's own"),
        "budget.cost": _number(limits.cost, "no limit"),
        "budget.dailyTokens": _number(settings.daily_tokens, "no limit"),
        "extraRoots": some(len(settings.extra_roots), "folder"),
        "respectIgnoreFiles": "true" if settings.rules.respect_ignore_files else "false",
        "cacheMegabytes": _number(
            None if settings.memory is None else settings.memory >> 20, "a part of the machine's"
        ),
        "documents.cacheExtractions": "true" if settings.documents.cached else "false",
        "reader": settings.reader if settings.reader in (SHIPPED, OFF) else "a folder of your own",
        "documents.ocr": settings.documents.ocr or "off",
    }


def _number(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else f"{value:,}"


def _key(settings: Settings) -> str:
    if settings.model.key_in_keyring:
        return "in the system's keyring, sent to the model's origin"
    if settings.model.key is None:
        return "not set"
    if settings.model.missing:
        return "set, no model is configured"
    return (
        f"set, not sent: {withheld}" if (withheld := settings.model.key_withheld) else "set, sent to the model's origin"
    )


def _used() -> str:
    try:
        spent = Usage.read(usage_file()).on(date.today())
    except (OSError, ValueError):
        return "cannot be read"
    cost = "" if spent.cost is None else f", cost {spent.cost:g}"
    return f"{some(spent.calls, 'call')}, {some(spent.tokens, 'token')}{cost}"
