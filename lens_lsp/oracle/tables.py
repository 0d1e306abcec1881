"""Rows of tables: the header that stands above them says what their cells are.

A row is judged alone, with its header as context; two rows never make one proof. Markdown tables only: other formats
come with their header as the region's.
"""

from __future__ import annotations

from collections.abc import Sequence

from lens_lsp.domain.regexes import regex

_ROW = regex(r"\s*\|.*\|.*|[^|\n]+\|[^|\n]+\|[^\n]+")
_RULE = regex(r"[\s|:\-]+")


def is_row(text: str) -> bool:
    """Whether a unit is one row of a table written with bars."""
    return "\n" not in text.strip() and _ROW.fullmatch(text) is not None


def headers(units: Sequence[str]) -> list[int | None]:
    """For each unit the index of the header row it stands under; None for headers and what is no row."""
    found: list[int | None] = []
    header: int | None = None
    for index, text in enumerate(units):
        if not is_row(text):
            header = None
            found.append(None)
        elif header is None:
            header = index
            found.append(None)
        else:
            found.append(header)
    return found


def is_rule(text: str) -> bool:
    """Whether a unit is the line between header and rows."""
    return _RULE.fullmatch(text) is not None


def column(row: str, offset: int) -> int:
    """Which cell of a row an offset lies in, from 1 in rows that begin with a bar."""
    return row.count("|", 0, max(0, offset))


def columns(row: str, offsets: Sequence[int]) -> set[int]:
    """The cells that some offsets lie in."""
    return {column(row, offset) for offset in offsets}
