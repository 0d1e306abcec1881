"""What a terminal shows of what was written to it, row by row: as much of one as ``lens`` needs."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

_PIECE = re.compile(r"\x1b\[(?P<many>[0-9;?]*)(?P<command>[A-Za-z])|(?P<char>[\s\S])")


def shown(written: bytes, columns: int = 80) -> list[str]:
    """The rows, those that were scrolled away too, without empty ones at the end."""
    rows: list[list[str]] = [[]]
    row = column = 0
    for piece in _PIECE.finditer(written.decode("utf-8")):
        char, many = piece["char"], int(piece["many"] or 1) if (piece["many"] or "1").isdigit() else 0
        if piece["command"] == "A":
            row -= many
            assert row >= 0, "above the first row"
        elif piece["command"] == "J":
            rows[row][column:] = []
            del rows[row + 1 :]
        elif piece["command"] == "K":
            rows[row][column if many == 1 and not piece["many"] else 0 :] = []
        elif char == "\n":
            row += 1
        elif char == "\r":
            column = 0
        elif char is not None and not combining(char):
            assert char >= " ", f"{char!r} steers the terminal"
            width = 2 if east_asian_width(char) in "WF" else 1
            if column + width > columns:
                row, column = row + 1, 0
            while len(rows) <= row:
                rows.append([])
            line = rows[row]
            line += [" "] * (column - len(line))
            line[column : column + width] = [char, *[""] * (width - 1)]
            column += width
        while len(rows) <= row:
            rows.append([])
    lines = ["".join(row).rstrip() for row in rows]
    while lines and not lines[-1]:
        lines.pop()
    return lines
