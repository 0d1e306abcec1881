"""Numbers of pages in words."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_RANGES = 12
"""Runs of pages that are named."""


def pages_shown(numbers: Sequence[int]) -> str:
    """The pages in order, runs as ranges: ``pages 3-7, 9``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    named = [str(first) if first == last else f"{first}-{last}" for first, last in ranges[:_MOST_RANGES]]
    more = " and more" if len(ranges) > _MOST_RANGES else ""
    return f"{'pages' if len(numbers) > 1 else 'page'} {', '.join(named)}{more}"
