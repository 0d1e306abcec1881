"""Markdown tables, and figures as they stand in one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluation.data.records import FigureRecord
from evaluation.scoring.statistics import Figure

NONE = "–"
"""Where there is no figure."""
_MINUS = "\N{MINUS SIGN}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is left-aligned, the others right."""
    lines = [headings, [":---", *["---:"] * (len(headings) - 1)], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def shown(figure: FigureRecord | Figure | None, digits: int = 1) -> str:
    """A figure with its interval: ``57.0 [53.1–60.9]``; ``–`` without one."""
    if figure is None:
        return NONE
    value, low, high = (plain(number, digits) for number in (figure.value, figure.low, figure.high))
    return f"{value} [{low}–{high}]"


def plain(number: float | None, digits: int = 1) -> str:
    """A number without an interval."""
    return NONE if number is None else f"{number:.{digits}f}".replace("-", _MINUS)


def signed(number: float) -> str:
    """A change."""
    return f"{number:+.1f}".replace("-", _MINUS)


def section(title: str, body: str, note: str = "") -> str:
    """A heading of the second level with what belongs below it; nothing where there is nothing."""
    return f"## {title}\n\n{note}{body}" if body else ""
