"""Tables: cells that stand under each other in columns and next to each other in rows.

Two columns of running text look the same from afar. What tells them apart is the order in which they were drawn
(tables by rows, columns one after the other) and how well their lines fill them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from lens_lsp.documents.readers.pdf.characters import Piece
from lens_lsp.documents.readers.pdf.hyphens import SPLIT, carried
from lens_lsp.documents.readers.pdf.lines import Row

_CROSSING = 0.1
"""Of the rows may run across the blank between two columns: a cell over several columns, a remark."""
_NARROWEST = 0.4
"""Of that blank, in font sizes."""
_FEWEST_ROWS = 3
"""With several cells; two are enough when there are numbers in the second. Less is the blanks of stretched lines."""
_FULL = 0.75
_RUNNING_WORDS = 4
"""Words in a line of running text, which fills its column this far."""
_BY_ROW = 0.5
"""Of the steps from one cell to the next drawn, as many change the column when a table is drawn by rows."""
_SIDE_BY_SIDE = 0.6
"""Of the cells have another one on their line."""
_SAME_CELL = 1.15
"""Rows apart more than that times the closest lines are rows; those closer may be lines of one cell."""
_CLOSEST = 1.6
"""In font sizes: lines of one cell are no further apart."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: rows of cells, as many in each; empty ones are empty strings."""

    rows: tuple[tuple[str, ...], ...]


def grid_of(rows: list[Row]) -> tuple[list[Row], Grid, list[Row]] | None:
    """The table that some rows are, between what stands above and below it; None when they are columns of text."""
    wide = [at for at, row in enumerate(rows) if len(row) > 1]
    if len(wide) < 2:
        return None
    first, end = wide[0], _last_row(rows, wide[-1]) + 1
    body = rows[first:end]
    columns = _columns(body)
    if len(columns) < 2 or not _is_table(body, columns):
        return None
    if len(wide) < _FEWEST_ROWS and not (len(columns) > 2 and any(piece.text[0].isdigit() for piece in rows[wide[1]])):
        return None
    return rows[:first], Grid(_cells(body, columns)), rows[end:]


def _last_row(rows: Sequence[Row], last: int) -> int:
    """Cells of the last row may have more lines, close under it."""
    while last + 1 < len(rows):
        row, following = rows[last], rows[last + 1]
        if following[0].base - row[0].base > _CLOSEST * row[0].size:
            break
        last += 1
    return last


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """The left and right ends of the columns, apart by blanks that few rows cross."""
    pieces = [piece for row in rows for piece in row]
    ends = sorted([(piece.left, 1) for piece in pieces] + [(piece.right, -1) for piece in pieces])
    most = _CROSSING * len(rows)
    narrowest = _NARROWEST * median(piece.size for piece in pieces)
    columns: list[tuple[float, float]] = []
    depth, start, blank = 0, ends[0][0], ends[0][0]
    for at, step in ends:
        if step > 0 and depth <= most and at - blank >= narrowest and blank > start:
            columns.append((start, blank))
            start = at
        before, depth = depth, depth + step
        if before > most >= depth:
            blank = at
    columns.append((start, ends[-1][0]))
    return columns


def _column_of(piece: Piece, columns: Sequence[tuple[float, float]]) -> int:
    """The column that holds the most of it."""
    shared = [min(piece.right, right) - max(piece.left, left) for left, right in columns]
    return shared.index(max(shared))


def _is_table(rows: Sequence[Row], columns: Sequence[tuple[float, float]]) -> bool:
    pieces = sorted((piece for row in rows for piece in row), key=lambda piece: piece.order)
    together = sum(len(row) for row in rows if len(row) > 1)
    if together < _SIDE_BY_SIDE * len(pieces) and not _wraps(rows, columns):
        return False
    placed = [_column_of(piece, columns) for piece in pieces]
    running = short = 0
    for at, (left, right) in enumerate(columns):
        own = [piece for piece, column in zip(pieces, placed, strict=True) if column == at]
        if not own:
            continue
        words = median(piece.text.count(" ") + 1 for piece in own)
        full = median(piece.width for piece in own) / max(right - left, 1.0)
        running += words >= _RUNNING_WORDS and full >= _FULL
        short += words <= 2
    if running == len(columns):
        return False
    changes = sum(one != other for one, other in pairwise(placed))
    if changes >= _BY_ROW * (len(pieces) - 1):
        return True
    wrapped_by_row = running and changes >= len(columns) * 2 and short
    return bool(wrapped_by_row) or (len(columns) > 2 and short == len(columns) and together > 0.9 * len(pieces))


def _wraps(rows: Sequence[Row], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether the lines that stand alone are of the widest column: text of cells that goes on."""
    widest = max(range(len(columns)), key=lambda at: columns[at][1] - columns[at][0])
    return all(_column_of(row[0], columns) == widest for row in rows if len(row) == 1)


def _cells(rows: Sequence[Row], columns: Sequence[tuple[float, float]]) -> tuple[tuple[str, ...], ...]:
    lines = [_line(row, columns) for row in rows]
    bases = [row[0].base for row in rows]
    steps = [below - above for above, below in pairwise(bases)]
    size = median(piece.size for row in rows for piece in row)
    closest = min((step for step in steps if step > 0), default=0.0)
    found: list[list[list[str]]] = [[lines[0]]]
    for step, line in zip(steps, lines[1:], strict=True):
        if step <= _SAME_CELL * closest and closest <= _CLOSEST * size:
            found[-1].append(line)
        else:
            found.append([line])
    apart = len(found) > 1
    table: list[tuple[str, ...]] = []
    for group in found:
        table += [_joined(group)] if apart and _is_one_row(group) else _by_first_column(group)
    return tuple(table)


def _line(row: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    cells = [""] * len(columns)
    for piece in row:
        at = _column_of(piece, columns)
        text = piece.text + (SPLIT if piece.hyphen else "")
        cells[at] = f"{cells[at]} {text}" if cells[at] else text
    return cells


def _is_one_row(group: Sequence[list[str]]) -> bool:
    """Lines are of one row when at most one of them has all the cells there are."""
    filled = [sum(1 for cell in line if cell) for line in group]
    return filled.count(max(filled)) == 1


def _joined(group: Sequence[Sequence[str]]) -> tuple[str, ...]:
    cells = []
    for column in zip(*group, strict=True):
        lines = [line for line in column if line]
        cells.append("".join([*map(carried, lines[:-1]), *lines[-1:]]))
    return tuple(cells)


def _by_first_column(group: Sequence[list[str]]) -> list[tuple[str, ...]]:
    """A line without a first cell, and with few others, goes on with the row above it."""
    rows: list[tuple[str, ...]] = []
    for line in group:
        filled = sum(1 for cell in line if cell)
        if rows and not line[0] and filled <= max(1, len(line) - 2):
            rows[-1] = _joined([rows[-1], line])
        else:
            rows.append(tuple(line))
    return rows
