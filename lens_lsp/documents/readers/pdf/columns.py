"""The order in which a page is read: bands of columns, tables, and text from edge to edge between them.

A *gutter* is the blank strip that most neighbours leave between them. The rows that cross it cut the page into
bands; what stands to its two sides in a band is a table or two columns, and each part is looked at again, so that
three columns, tables in columns and columns under a title need nothing of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from lens_lsp.documents.readers.pdf.characters import Piece
from lens_lsp.documents.readers.pdf.lines import Row, beside, merged, rows_of
from lens_lsp.documents.readers.pdf.tables import Grid, grid_of

_NARROWEST = 0.6
"""Of a gutter, in font sizes."""
_NEAR = 1.2
"""In font sizes: how far apart the lines of two columns may be to count as neighbours."""
_APART = 2.2
"""In usual distances of lines: a line or two further away from a band than that is a header or footer."""
_SLIMMEST = 7.0
"""Of a column of text, in font sizes."""
_SHORTEST = 3
"""Of a column of text, in lines."""
_DEEPEST = 12
_MOST_PIECES = 3000
"""A page of more is a drawing or a map: its rows are read as they come."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Lines that are read one after the other."""

    lines: tuple[Piece, ...]


Region = Flow | Grid


def regions_of(pieces: Sequence[Piece]) -> list[Region]:
    """The parts of a page in reading order: the direction of most letters first, then what is turned against it."""
    by_direction: dict[int, list[Piece]] = {}
    for piece in pieces:
        by_direction.setdefault(piece.style.direction, []).append(piece)
    letters = {key: sum(len(piece.text) for piece in group) for key, group in by_direction.items()}
    regions: list[Region] = []
    for direction in sorted(by_direction, key=lambda key: (-letters[key], key)):
        regions += _arranged(merged(by_direction[direction]), _DEEPEST)
    return regions


def _arranged(pieces: list[Piece], depth: int) -> list[Region]:
    gutter = _gutter(pieces) if depth and 3 < len(pieces) <= _MOST_PIECES else None
    if gutter is None:
        return [_flow(rows_of(pieces))]
    regions: list[Region] = []
    pending: list[Row] = []
    for rows, parted in _bands(rows_of(pieces), gutter):
        if not parted:
            pending += rows
            continue
        above, band, below = _trimmed(rows, gutter)
        table = grid_of(band)
        if table is not None:
            regions += [*_spanning(pending + above + table[0], len(pieces), depth), table[1]]
            pending = table[2] + below
            continue
        if not all(_is_column(side) for side in _sides(band, gutter)):
            pending += rows
            continue
        regions += _spanning(pending + above, len(pieces), depth)
        pending = below
        for side in _sides(band, gutter):
            regions += _arranged(side, depth - 1)
    return regions + _spanning(pending, len(pieces), depth)


def _spanning(rows: list[Row], most: int, depth: int) -> list[Region]:
    """What lies between bands may have a gutter of its own elsewhere."""
    pieces = [piece for row in rows for piece in row]
    if not pieces:
        return []
    return _arranged(pieces, depth - 1) if len(pieces) < most else [_flow(rows)]


def _flow(rows: Sequence[Row]) -> Flow:
    return Flow(tuple(beside(row) for row in rows))


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """The middle of the strip that lies in the most gaps between neighbours; None when no two gaps share one."""
    ends: list[tuple[float, int]] = []
    ordered = sorted(pieces, key=lambda piece: (piece.base, piece.left, piece.order))
    for index, piece in enumerate(ordered):
        nearest = _neighbour(ordered, index)
        if nearest is not None and nearest - piece.right >= _NARROWEST * piece.size:
            ends += [(piece.right, 1), (nearest, -1)]
    ends.sort()
    depth = most = 0
    strip = (0.0, 0.0)
    for place, (at, step) in enumerate(ends[:-1]):
        depth += step
        if step < 0 or depth < max(most, 2):
            continue
        until = ends[place + 1][0]
        if depth > most or until - at > strip[1] - strip[0]:
            most, strip = depth, (at, until)
    return (strip[0] + strip[1]) / 2 if most else None


def _neighbour(ordered: Sequence[Piece], index: int) -> float | None:
    """Where the next piece to the right begins, on about the same height."""
    piece = ordered[index]
    reach = _NEAR * piece.size
    nearest: float | None = None
    for step in (-1, 1):
        at = index + step
        while 0 <= at < len(ordered) and abs(ordered[at].base - piece.base) <= reach:
            left = ordered[at].left
            if left >= piece.right and (nearest is None or left < nearest):
                nearest = left
            at += step
    return nearest


def _bands(rows: Sequence[Row], gutter: float) -> list[tuple[list[Row], bool]]:
    """Runs of rows in order, and whether a run stands on both sides of the gutter."""
    bands: list[tuple[list[Row], bool]] = []
    for row in rows:
        parted = not any(piece.left < gutter < piece.right for piece in row)
        if bands and bands[-1][1] == parted:
            bands[-1][0].append(row)
        else:
            bands.append(([row], parted))
    return [(rows, parted and all(len(side) > 1 for side in _sides(rows, gutter))) for rows, parted in bands]


def _sides(rows: Sequence[Row], gutter: float) -> tuple[list[Piece], list[Piece]]:
    pieces = [piece for row in rows for piece in row]
    return [p for p in pieces if p.right <= gutter], [p for p in pieces if p.right > gutter]


def _is_column(side: Sequence[Piece]) -> bool:
    """Whether it is wide and high enough for text; less is the blanks of a few stretched lines."""
    width = max(piece.right for piece in side) - min(piece.left for piece in side)
    return width >= _SLIMMEST * median(piece.size for piece in side) and len(rows_of(side)) >= _SHORTEST


def _trimmed(rows: list[Row], gutter: float) -> tuple[list[Row], list[Row], list[Row]]:
    """The rows without a header above and a footer below that stand well apart."""
    steps = [below[0].base - above[0].base for above, below in pairwise(rows)]
    if len(rows) < 6:
        return [], rows, []
    far = _APART * median(steps)
    first = next((at + 1 for at in (1, 0) if steps[at] > far), 0)
    last = next((at + 1 for at in (len(steps) - 2, len(steps) - 1) if steps[at] > far), len(rows))
    band = rows[first:last]
    if not all(len(side) > 1 for side in _sides(band, gutter)):
        return [], rows, []
    return rows[:first], band, rows[last:]
