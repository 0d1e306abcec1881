"""Passages of a search in the order of who read them: the reader, and the scan that found them, together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lens_lsp.app.request import RERANKED
from lens_lsp.app.settings.settings import Settings
from lens_lsp.app.without_model import reader
from lens_lsp.judge.reader.cross_encoder import ReaderPassage, ReaderUnavailable
from lens_lsp.model.answer import StopReason
from lens_lsp.model.documents import ContextRole, Evidence
from lens_lsp.model.errors import BudgetSpent, OracleFailed


@dataclass(frozen=True, slots=True)
class Order:
    """The places of the passages, best first. ``read`` is false where they stand as they came; ``warning`` says why,
    unless nobody wants to know."""

    places: Sequence[int]
    read: bool = True
    warning: str | None = None


def reranked(query: str, found: Sequence[Evidence], settings: Settings, cancelled: Callable[[], bool] | None) -> Order:
    """Of passages, the best first, the first `RERANKED` as the reader of the settings orders them; those behind stay.
    Loads the reader where it was not yet."""
    places = list(range(len(found)))
    first = found[:RERANKED]
    best = max((item.score for item in first), default=0.0) or 1.0

    def stop() -> None:
        if cancelled is not None and cancelled():
            raise BudgetSpent(StopReason.CANCELLED)

    try:
        stop()
        model = reader(settings)
        readings = model.read(query, [_shown(item) for item in first], stop)
    except BudgetSpent:
        return Order(places, read=False)
    except (ReaderUnavailable, OracleFailed) as why:
        return Order(places, False, f"{why}: the passages stand in the order of the scan")
    ranks = [model.calibration.rank(one, item.score / best) for one, item in zip(readings, first, strict=True)]
    return Order([*sorted(range(len(first)), key=lambda at: -ranks[at]), *places[len(first) :]])


def _shown(item: Evidence) -> ReaderPassage:
    headers = (part.text for part in item.context if part.role is ContextRole.HEADER)
    return ReaderPassage(item.quote, item.path, (*item.heading, *headers))
