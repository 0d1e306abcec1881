"""Pieces that stand side by side become rows, and what belongs together in a row becomes one piece.

Content streams break lines where fonts change, and draw the words of a line in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from lens_lsp.documents.readers.pdf.characters import WIDE_GAP, Piece

Row = list[Piece]
"""Pieces on one line of the page, from left to right."""

_SAME_LINE = 0.5
"""In font sizes: raised and lowered letters stay on their line."""
_TOUCHING = 0.12
"""In font sizes: pieces closer than that are one word."""
_BLANK = 0.5
"""In font sizes: as wide as a blank between two words mostly is."""
_MARK_GAP = 5.0
"""In font sizes: how far the text of an item or of a numbered heading may stand from its mark."""
_BULLET = re.compile(r"[•‣◦▪▫●○■□◆◇▶➢✓✔❖·*–—\uf0b7\uf0a7\uf0d8-]")
_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Za-z]|[ivxlc]{1,5})[.)\]]|\d{1,2}(?:\.\d{1,3}){1,4}")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def rows_of(pieces: Iterable[Piece]) -> list[Row]:
    """The pieces by line from the top, each line from the left."""
    rows: list[Row] = []
    for piece in sorted(pieces, key=lambda piece: (piece.base, piece.left, piece.order)):
        if rows and piece.base - rows[-1][0].base <= _SAME_LINE * min(piece.size, max(p.size for p in rows[-1][-4:])):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    for row in rows:
        row.sort(key=lambda piece: (piece.left, piece.order))
    return rows


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces with those joined that are closer than a wide gap, from the top; marks join the text behind them."""
    joined: list[Piece] = []
    for row in rows_of(pieces):
        last = row[0]
        for piece in row[1:]:
            if _belong(last, piece):
                last = beside([last, piece])
            else:
                joined.append(last)
                last = piece
        joined.append(last)
    return joined


def beside(row: Sequence[Piece]) -> Piece:
    """One piece of a whole row; it looks as most of its letters do."""
    if len(row) == 1:
        return row[0]
    ordered = list(row)
    if _RIGHT_TO_LEFT.search("".join(piece.text for piece in row)):
        ordered.reverse()
    text = ordered[0].text
    for before, piece in pairwise(ordered):
        text += ("-" if before.hyphen else _between(before, piece)) + piece.text
    largest = max(row, key=lambda piece: len(piece.text))
    return replace(
        largest,
        text=text,
        left=min(piece.left for piece in row),
        right=max(piece.right for piece in row),
        first=ordered[0].first,
        order=min(piece.order for piece in row),
        hyphen=ordered[-1].hyphen,
    )


def _belong(left: Piece, right: Piece) -> bool:
    gap = right.left - left.right
    size = max(left.size, right.size)
    if gap < -size:
        return False
    # What was drawn one after the other may be further apart: what was not may be of two columns.
    widest = WIDE_GAP if right.order == left.order + 1 else _BLANK
    return gap < widest * size or (gap < _MARK_GAP * size and _marks(left.text, right.text))


def _marks(mark: str, text: str) -> bool:
    """Whether a piece is the mark of an item, or the number of a heading, that the next one is the text of."""
    if _BULLET.fullmatch(mark):
        return True
    return text[:1].isalpha() and _NUMBER.fullmatch(mark) is not None


def _between(before: Piece, piece: Piece) -> str:
    gap = max(piece.left - before.right, before.left - piece.right)
    return " " if gap > _TOUCHING * max(before.size, piece.size) else ""
