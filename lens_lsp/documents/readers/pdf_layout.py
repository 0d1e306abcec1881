"""The layout of a PDF page: pieces of lines become rows, columns, tables, paragraphs and headings.

A piece is a run of words on one line without a wide gap. Its place is in the *reading frame* of its direction: `left`
and `right` along the line, `base` downwards, in points, so that turned text is laid out like any other. A *gutter* is
the blank strip that most neighbours leave between them. The rows that cross it cut the page into bands; what stands to
its two sides in a band is a table or two columns, and each part is looked at again, so that three columns, tables in
columns and columns under a title need nothing of their own. Two columns of running text look like a table from afar:
what tells them apart is the order in which they were drawn and how well their lines fill them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise
from statistics import median

from lens_lsp.documents.kinds import ScannedPage
from lens_lsp.model.documents import BlockKind, is_header
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

WIDE_GAP = 0.9
"""In font sizes: words further apart than that are not of one piece. Stretched blanks of justified lines stay below."""
_SAME_LINE = 0.5
"""In font sizes: raised and lowered letters stay on their line."""
_TOUCHING = 0.12
"""In font sizes: pieces closer than that are one word."""
_BLANK = 0.5
"""In font sizes: as wide as a blank between two words mostly is."""
_LONGEST_LINE_NUMBER = 4
_FEWEST_LINE_NUMBERS, _FEWEST_OF_EVERY_LINE = 4, 12
_EVERY_FIFTH = 5
_SAME_EDGE = 2.0
"""Points: numbers of lines end as near to each other."""
_IN_ORDER = 0.9
"""Of the numbers in a margin follow the one above them."""
_BEYOND = 0.9
"""Of a page's text stand beside its line numbers and not around them."""
_RUNNING_ON = 0.3
"""Of its lines go on a sentence: they begin with a small letter, which rows of a table seldom do."""
_MARK_GAP = 5.0
"""In font sizes: how far the text of an item or of a numbered heading may stand from its mark."""
_BULLET_ALONE = regex(r"[•‣◦▪▫●○■□◆◇▶➢✓✔❖·*–—\uf0b7\uf0a7\uf0d8-]")
_NUMBER_ALONE = regex(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Za-z]|[ivxlc]{1,5})[.)\]]|\d{1,2}(?:\.\d{1,3}){1,4}")
_RIGHT_TO_LEFT = regex(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
SPLIT = "\x02"
"""Stands in a passage where a hyphen stood at the end of a line."""
_WORD = regex(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
_CUT = regex(rf"([^\W_]+(?:[-\u2010][^\W_]+)*)?{SPLIT}([^\W_]+(?:[-\u2010][^\W_]+)*)?")
_END_HYPHEN = regex(r"(?<=\w)[-\u2010\u00ad]$")
_CROSSING = 0.1
"""Of the rows may run across the blank between two columns: a cell over several columns, a remark."""
_NARROWEST_BLANK = 0.4
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
Cells = tuple[tuple[str, ...], ...]
"""The rows of a table, as many cells in each; empty ones are empty strings."""
_NARROWEST = 0.6
"""Of a gutter, in font sizes."""
_NEAR = 1.2
"""In font sizes: how far apart the lines of two columns may be to count as neighbours."""
_FAR_FROM_BAND = 2.2
"""In usual distances of lines: a line or two further away from a band than that is a header or footer."""
_SLIMMEST = 7.0
"""Of a column of text, in font sizes."""
_SHORTEST = 3
"""Of a column of text, in lines."""
_DEEPEST = 12
_MOST_PIECES = 3000
"""A page of more is a drawing or a map: its rows are read as they come."""
_APART = 1.3
"""In usual distances of lines: more than that is a new paragraph."""
_FAR = 1.9
"""In font sizes: the same, where no usual distance is known."""
_INDENT = (0.8, 6.0)
"""In font sizes: how far the first line of a paragraph stands in."""
_OTHER_SIZE = 1.25
_SOME_OTHER_SIZE = 1.08
"""Times the smaller size: the first is a new paragraph, the second one behind a line that was ended on purpose."""
_ROOM = 0.35
"""In font sizes: a line whose successor's first word had that much room was ended on purpose."""
_BULLET = regex(r"[•‣◦▪▫●○■□◆◇▶➢✓✔❖·\uf0b7\uf0a7\uf0d8]\s*")
_NUMBER = regex(r"(?:[-–—*]|[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxlc]{1,5})[.)\]])\s+(?=\S)")
_LEAST_OF_LINE = 40
"""Letters of a line that a paragraph on two pages has on the first one."""
_SENTENCE_ENDS = ".!?:;"
_WIDE_LETTER = regex(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]")
_LARGER = 1.14
"""Times the size of the running text."""
_LONGEST = 200
_LONGEST_BOLD = 120
_MOST_LINES = 3
_LOWEST = 6
_REPEATED = 0.5
"""Of the pages, three at the least, carry a line that is printed on every page."""
_MOST_BOLD = 0.3
"""Of the letters of the running size: where more are bold, bold means nothing."""
_LETTERS = regex(r"[^\W\d_]{2}")
_NOT_WORDS = regex(r"[\W_]+")
_DIGITS = regex(r"\d+")
_LEADERS = regex(r"(?:[.·…]\s?){4}")
"""The dots of a table of contents, whose lines all come again."""
_LETTERS_IN_BOX = 0.8
"""Size of the letters in the box of a line that the models found."""
_ABOUT = 0.3
_SPLIT_LINE = regex(r"[^\W\d_]-$")


class Ink(StrEnum):
    """What a reader of the page sees of a text."""

    VISIBLE = "visible"
    PALE = "pale"
    """White: seen on a dark ground only."""
    UNSEEN = "unseen"
    """Drawn without ink: the recognised text over a scan, or hidden."""
    TINY = "tiny"


@dataclass(frozen=True, slots=True, eq=False)
class TextStyle:
    """How a text looks; ``size`` in points as it stands on the page, ``direction`` in quarter turns.

    There is one of a kind on a page.
    """

    size: float
    bold: bool
    ink: Ink
    direction: int


@dataclass(frozen=True, slots=True)
class PdfTextPiece:
    """Words on one line. ``first`` is the width of the first one, ``order`` the place in the page's content."""

    text: str
    left: float
    right: float
    base: float
    style: TextStyle
    first: float
    order: int
    hyphen: bool = False
    """A hyphen stood behind it, at the end of its line; it is not in ``text``."""

    @property
    def size(self) -> float:
        """Of its letters, in points."""
        return self.style.size

    @property
    def width(self) -> float:
        """In points."""
        return self.right - self.left


def pieces_of_scan(page: ScannedPage) -> list[PdfTextPiece]:
    """The lines of a scan as pieces for the layout.

    A box is higher than its letters, and less high where none hangs below the line: a line about as high as most of its
    page has letters of their size.
    """
    if not page.lines:
        return []
    usual = _LETTERS_IN_BOX * median(line.bottom - line.top for line in page.lines)
    pieces: list[PdfTextPiece] = []
    for order, line in enumerate(page.lines):
        size = _LETTERS_IN_BOX * (line.bottom - line.top)
        size = usual if abs(size - usual) < _ABOUT * usual else max(size, 0.1)
        hyphen = _SPLIT_LINE.search(line.text) is not None
        text = line.text[:-1] if hyphen else line.text
        first = (line.right - line.left) * len(text.partition(" ")[0]) / max(len(text), 1)
        middle = (line.top + line.bottom) / 2
        style = TextStyle(round(size, 1), False, Ink.VISIBLE, 0)
        pieces.append(PdfTextPiece(text, line.left, line.right, middle + size / 3, style, first, order, hyphen))
    return pieces


Row = list[PdfTextPiece]
"""Pieces on one line of the page, from left to right."""


def rows_of(pieces: Iterable[PdfTextPiece]) -> list[Row]:
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


def merged(pieces: Iterable[PdfTextPiece]) -> list[PdfTextPiece]:
    """The pieces with those joined that are closer than a wide gap, from the top; marks join the text behind them."""
    joined: list[PdfTextPiece] = []
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


def beside(row: Sequence[PdfTextPiece]) -> PdfTextPiece:
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


def _belong(left: PdfTextPiece, right: PdfTextPiece) -> bool:
    gap = right.left - left.right
    size = max(left.size, right.size)
    if gap < -size:
        return False
    # What was drawn one after the other may be further apart: what was not may be of two columns.
    widest = WIDE_GAP if right.order == left.order + 1 else _BLANK
    return gap < widest * size or (gap < _MARK_GAP * size and _marks(left.text, right.text))


def _marks(mark: str, text: str) -> bool:
    """Whether a piece is the mark of an item, or the number of a heading, that the next one is the text of."""
    if _BULLET_ALONE.fullmatch(mark):
        return True
    return text[:1].isalpha() and _NUMBER_ALONE.fullmatch(mark) is not None


def _between(before: PdfTextPiece, piece: PdfTextPiece) -> str:
    gap = max(piece.left - before.right, before.left - piece.right)
    return " " if gap > _TOUCHING * max(before.size, piece.size) else ""


def carried(line: str) -> str:
    """A line as it goes on in the next one: with `SPLIT` for the hyphen it ends in, else with a blank."""
    cut = _END_HYPHEN.sub(SPLIT, line)
    return cut if cut.endswith(SPLIT) else f"{cut} "


class Hyphens:
    """Decides by the words of the whole document whether a hyphen at a line's end belongs to its word.

    In this order: a word that also stands undivided loses it, one that also stands with it keeps it; it stays beside
    another hyphen, behind a digit and before whatever is no small letter, and goes between small letters.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: set[str] = set()
        for text in texts:
            self._words.update(match[0].lower() for match in _WORD.finditer(text))

    def joined(self, text: str) -> str:
        """The text with its cut words whole."""
        while SPLIT in text:
            whole = _CUT.sub(self._whole, text)
            text = whole if whole != text else whole.replace(SPLIT, "-")
        return text

    def _whole(self, cut: re.Match[str]) -> str:
        left, right = cut[1] or "", cut[2] or ""
        if (left + right).lower() in self._words:
            return left + right
        known = f"{left}-{right}".lower() in self._words
        if known or "-" in left + right or not left[-1:].isalpha() or not right[:1].islower():
            return f"{left}-{right}"
        return left + right


def grid_of(rows: list[Row]) -> tuple[list[Row], PageRegion, list[Row]] | None:
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
    bold = [all(piece.style.bold for piece in row) for row in body]
    return rows[:first], PageRegion(table=_cells(body, columns), titled=bold[0] and not all(bold)), rows[end:]


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
    narrowest = _NARROWEST_BLANK * median(piece.size for piece in pieces)
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


def _column_of(piece: PdfTextPiece, columns: Sequence[tuple[float, float]]) -> int:
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


def line_numbers_of(pieces: Sequence[PdfTextPiece]) -> list[PdfTextPiece]:
    """The numbers of lines that stand in the margin of a page of running text, as manuscripts and court papers have
    them; none where they may be of a list or a table."""
    numbers = [each for each in pieces if each.text.isdecimal() and len(each.text) <= _LONGEST_LINE_NUMBER]
    if len(numbers) < _FEWEST_LINE_NUMBERS:
        return []
    others = [each for each in pieces if not each.text.isdecimal() and not each.style.direction]
    edges = Counter(round(each.right / _SAME_EDGE) for each in numbers)
    edge = edges.most_common(1)[0][0]
    column = [each for each in numbers if abs(round(each.right / _SAME_EDGE) - edge) <= 1 and not each.style.direction]
    column.sort(key=lambda each: each.base)
    values = [int(each.text) for each in column]
    steps = Counter(after - before for before, after in pairwise(values))
    step, count = steps.most_common(1)[0] if steps else (0, 0)
    if len(column) < (_FEWEST_LINE_NUMBERS if step == _EVERY_FIFTH else _FEWEST_OF_EVERY_LINE):
        return []
    if step not in (1, _EVERY_FIFTH) or count < _IN_ORDER * (len(values) - 1) or not others:
        return []
    outer = max(each.right for each in column)
    beyond = [each for each in others if each.left > outer] or [each for each in others if each.right < column[0].left]
    if len(beyond) < _BEYOND * len(others):
        return []
    running = sum(each.text[:1].islower() for each in beyond if each.text.count(" ") + 1 >= _RUNNING_WORDS)
    return column if running >= _RUNNING_ON * len(beyond) else []


@dataclass(frozen=True, slots=True)
class PageRegion:
    """A part of a page: lines that are read one after the other, or the rows of a table."""

    lines: tuple[PdfTextPiece, ...] = ()
    table: Cells = ()
    titled: bool = False
    """The first row of the table is bold, and not all of them are."""


def regions_of(pieces: Sequence[PdfTextPiece]) -> list[PageRegion]:
    """The parts of a page in reading order: the direction of most letters first, then what is turned against it."""
    by_direction: dict[int, list[PdfTextPiece]] = {}
    for piece in pieces:
        by_direction.setdefault(piece.style.direction, []).append(piece)
    letters = {key: sum(len(piece.text) for piece in group) for key, group in by_direction.items()}
    regions: list[PageRegion] = []
    for direction in sorted(by_direction, key=lambda key: (-letters[key], key)):
        regions += _arranged(merged(by_direction[direction]), _DEEPEST)
    return regions


def _arranged(pieces: list[PdfTextPiece], depth: int) -> list[PageRegion]:
    gutter = _gutter(pieces) if depth and 3 < len(pieces) <= _MOST_PIECES else None
    if gutter is None:
        return [_flow(rows_of(pieces))]
    regions: list[PageRegion] = []
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


def _spanning(rows: list[Row], most: int, depth: int) -> list[PageRegion]:
    """What lies between bands may have a gutter of its own elsewhere."""
    pieces = [piece for row in rows for piece in row]
    if not pieces:
        return []
    return _arranged(pieces, depth - 1) if len(pieces) < most else [_flow(rows)]


def _flow(rows: Sequence[Row]) -> PageRegion:
    return PageRegion(tuple(beside(row) for row in rows))


def _gutter(pieces: Sequence[PdfTextPiece]) -> float | None:
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


def _neighbour(ordered: Sequence[PdfTextPiece], index: int) -> float | None:
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


def _sides(rows: Sequence[Row], gutter: float) -> tuple[list[PdfTextPiece], list[PdfTextPiece]]:
    pieces = [piece for row in rows for piece in row]
    return [p for p in pieces if p.right <= gutter], [p for p in pieces if p.right > gutter]


def _is_column(side: Sequence[PdfTextPiece]) -> bool:
    """Whether it is wide and high enough for text; less is the blanks of a few stretched lines."""
    width = max(piece.right for piece in side) - min(piece.left for piece in side)
    return width >= _SLIMMEST * median(piece.size for piece in side) and len(rows_of(side)) >= _SHORTEST


def _trimmed(rows: list[Row], gutter: float) -> tuple[list[Row], list[Row], list[Row]]:
    """The rows without a header above and a footer below that stand well apart."""
    steps = [below[0].base - above[0].base for above, below in pairwise(rows)]
    if len(rows) < 6:
        return [], rows, []
    far = _FAR_FROM_BAND * median(steps)
    first = next((at + 1 for at in (1, 0) if steps[at] > far), 0)
    last = next((at + 1 for at in (len(steps) - 2, len(steps) - 1) if steps[at] > far), len(rows))
    band = rows[first:last]
    if not all(len(side) > 1 for side in _sides(band, gutter)):
        return [], rows, []
    return rows[:first], band, rows[last:]


@dataclass(frozen=True, slots=True)
class PagePassage:
    r"""A paragraph or an item, with `SPLIT` where a hyphen stood at a line's end, or the rows of a table."""

    kind: BlockKind
    text: str
    style: TextStyle
    lines: int = 1
    rows: Cells = ()
    titled: bool = False
    """The first row is a header by its looks."""
    beyond: str = ""
    """The end of its text that stands on the next page."""


def passages_of(regions: Sequence[PageRegion], fallback: TextStyle) -> tuple[PagePassage, ...]:
    """The passages of a page in order; a table looks like ``fallback``.

    A paragraph goes on in the next column when that begins with a small letter.
    """
    found: list[PagePassage] = []
    for region in regions:
        passages = list(_passages(region, fallback))
        if found and passages and _goes_on(found[-1], passages[0]):
            passages[0] = _together(found.pop(), passages[0])
        found += passages
    return tuple(found)


def _passages(region: PageRegion, fallback: TextStyle) -> Iterator[PagePassage]:
    if region.table:
        yield PagePassage(BlockKind.TABLE_ROW, "", fallback, len(region.table), region.table, region.titled)
        return
    lines = region.lines
    usual = _usual_step(lines)
    edge = max((line.right for line in lines), default=0.0)
    first = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or _begins(lines, at, usual, edge, first):
            yield _passage(lines[first:at], edge)
            first = at


def _goes_on(last: PagePassage, following: PagePassage, least: int | None = None) -> bool:
    """Whether a paragraph goes on in another one; a single line must have at least so many letters."""
    return (
        last.kind is not BlockKind.TABLE_ROW
        and following.kind is BlockKind.PARAGRAPH
        and (last.lines > 1 or (least is not None and len(last.text) >= least))
        and last.style.size == following.style.size
        and last.style.bold == following.style.bold
        and following.text[:1].islower()
        and last.text[-1:] not in _SENTENCE_ENDS
    )


def _together(last: PagePassage, following: PagePassage) -> PagePassage:
    return replace(last, text=carried(last.text) + following.text, lines=last.lines + following.lines)


def across_pages(sheets: Sequence[PageText], headings: Headings) -> list[PageText]:
    """The pages, with a paragraph that goes on over the border of two of them whole on the first one."""
    found = list(sheets)
    for index, (above, below) in enumerate(pairwise(sheets)):
        last = [passage for passage in found[index].passages if not headings.repeats(passage)][-1:]
        first = [passage for passage in below.passages if not headings.repeats(passage)][:1]
        if below.number != above.number + 1 or above.recognised or below.recognised or not last or not first:
            continue
        headed = headings.level(above, last[0]) or headings.level(below, first[0])
        if headed is None and _goes_on(last[0], first[0], _LEAST_OF_LINE):
            whole = replace(_together(last[0], first[0]), beyond=first[0].text)
            kept = (whole if passage is last[0] else passage for passage in found[index].passages)
            found[index] = replace(above, passages=tuple(kept))
            found[index + 1] = replace(below, passages=tuple(each for each in below.passages if each is not first[0]))
    return found


def table_goes_on(begun: PagePassage, following: PagePassage) -> bool:
    """Whether the table that a page begins with goes on with the one that the page before it ended with: it has as many
    columns and no header of its own."""
    rows = (begun.rows, following.rows)
    if not all(rows) or len(begun.rows[0]) != len(following.rows[0]) or begun.rows[0] == following.rows[0]:
        return False
    if following.titled or begun.titled:
        return not following.titled
    return not is_header(following.rows[0]) or all(is_header(row) for part in rows for row in part)


def _usual_step(lines: Sequence[PdfTextPiece]) -> float | None:
    """The usual distance between lines of one size, in font sizes."""
    steps = [
        (below.base - above.base) / below.size
        for above, below in pairwise(lines)
        if below.size == above.size and 0 < below.base - above.base <= _FAR * below.size
    ]
    return median(steps) if len(steps) > 1 else None


def _begins(lines: Sequence[PdfTextPiece], at: int, usual: float | None, edge: float, first: int) -> bool:
    """Whether a line begins a new paragraph."""
    above, line = lines[at - 1], lines[at]
    step = (line.base - above.base) / max(line.size, above.size)
    if step < 0 or step > (_FAR if usual is None else _APART * usual):
        return True
    change = max(line.size, above.size) / min(line.size, above.size)
    on_purpose = _ended(above, line, edge)
    if change > _OTHER_SIZE:
        return True
    if on_purpose and (change > _SOME_OTHER_SIZE or line.style.bold != above.style.bold):
        return True
    if above.hyphen:
        return False
    if _BULLET.match(line.text):
        return True
    if on_purpose and _NUMBER.match(line.text):
        return True
    low, high = (share * line.size for share in _INDENT)
    inwards = line.left - above.left
    if at - first == 1 and _is_item(above):
        # The lines of an item hang under its words.
        return on_purpose and inwards <= 0
    if low <= inwards <= high and (on_purpose or at - first > 1):
        return True
    return inwards < -low and at - first > 1 and on_purpose


def _ended(above: PdfTextPiece, line: PdfTextPiece, edge: float) -> bool:
    """Whether there was room for the first word of a line on the one above it."""
    return above.right + line.first + _ROOM * line.size < edge


def _is_item(line: PdfTextPiece) -> bool:
    return _BULLET.match(line.text) is not None or _NUMBER.match(line.text) is not None


def _passage(lines: Sequence[PdfTextPiece], edge: float) -> PagePassage:
    kind, parts = BlockKind.PARAGRAPH, [lines[0].text]
    bullet = _BULLET.match(parts[0])
    if bullet is not None and len(lines[0].text) > bullet.end():
        kind, parts[0] = BlockKind.LIST_ITEM, parts[0][bullet.end() :]
    elif _NUMBER.match(parts[0]):
        kind = BlockKind.LIST_ITEM
    for above, line in pairwise(lines):
        parts[-1] = _carried(parts[-1], above, line, edge)
        parts.append(line.text)
    if lines[-1].hyphen:
        parts.append("-")
    most = max(lines, key=lambda line: len(line.text)).style
    style = replace(most, bold=all(line.style.bold for line in lines))
    return PagePassage(kind, "".join(parts), style, len(lines))


def _carried(text: str, above: PdfTextPiece, line: PdfTextPiece, edge: float) -> str:
    """The text of a line with what stands between it and the next one."""
    if above.hyphen:
        return text + SPLIT
    if _WIDE_LETTER.match(text[-1:]) and _WIDE_LETTER.match(line.text[:1]):
        return text
    on = carried(text)
    return f"{text}\n" if on.endswith(" ") and _ended(above, line, edge) else on


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: its depth from 1, the page it leads to from 0, its words."""

    level: int
    page: int
    title: str


@dataclass(frozen=True, slots=True)
class PageText:
    """The passages of one page, and whether they were recognised on a scan."""

    number: int
    passages: tuple[PagePassage, ...]
    recognised: bool = False


class Headings:
    """Gives each passage its level, by what the whole document looks like."""

    def __init__(self, sheets: Sequence[PageText], outline: Sequence[Bookmark]) -> None:
        self._outline: dict[int, dict[str, int]] = {}
        for entry in outline:
            self._outline.setdefault(entry.page + 1, {}).setdefault(_plain(entry.title), entry.level)
        self._repeated = _repeated(sheets)
        letters = Counter[tuple[float, bool]]()
        for sheet in sheets:
            for passage in sheet.passages:
                letters[passage.style.size, passage.style.bold] += len(passage.text)
        self._body, self._bold = _running(letters)
        sizes = {
            passage.style.size
            for sheet in sheets
            if not sheet.recognised
            for passage in sheet.passages
            if self._stands_out(passage) and passage.style.size >= _LARGER * self._body
        }
        self._levels: Mapping[float, int] = {
            size: min(rank, _LOWEST) for rank, size in enumerate(sorted(sizes, reverse=True), 1)
        }

    def level(self, sheet: PageText, passage: PagePassage) -> int | None:
        """From 1; None for what is no heading. The outline's own levels go before what letters look like."""
        if passage.kind is BlockKind.TABLE_ROW or self.repeats(passage):
            return None
        if len(passage.text) <= _LONGEST and (named := self._named(sheet.number, passage.text)) is not None:
            return named
        if sheet.recognised or not self._stands_out(passage):
            return None
        size = passage.style.size
        if size >= _LARGER * self._body:
            return self._levels[size]
        if self._bold and passage.style.bold and size >= 0.95 * self._body and _is_short(passage):
            return min(len(self._levels) + 1, _LOWEST)
        return None

    def repeats(self, passage: PagePassage) -> bool:
        """Whether most pages begin or end with it: it is no part of what runs over them."""
        return _print(passage) in self._repeated

    def _named(self, page: int, text: str) -> int | None:
        """The level of the bookmark of this page that says the same, with or without the number."""
        entries = self._outline.get(page)
        if not entries:
            return None
        words = _plain(text)
        if words in entries:
            return entries[words]
        for title, level in entries.items():
            shorter, longer = sorted((title, words), key=len)
            if len(shorter) > 3 and longer.endswith(shorter) and len(longer) - len(shorter) <= 12:
                return level
        return None

    def _stands_out(self, passage: PagePassage) -> bool:
        return (
            passage.kind is not BlockKind.TABLE_ROW
            and passage.lines <= _MOST_LINES
            and len(passage.text) <= _LONGEST
            and _LETTERS.search(passage.text) is not None
            and not self.repeats(passage)
            and _LEADERS.search(passage.text) is None
        )


def _running(letters: Counter[tuple[float, bool]]) -> tuple[float, bool]:
    """The size of most letters, and whether bold ones of about that size are few enough to mean something."""
    sizes = Counter[float]()
    for (size, _bold), count in letters.items():
        sizes[size] += count
    if not sizes:
        return 0.0, False
    body = max(sizes, key=lambda size: (sizes[size], -size))
    alike = [(bold, count) for (size, bold), count in letters.items() if 0.9 * body <= size <= _LARGER * body]
    bold = sum(count for is_bold, count in alike if is_bold)
    return body, bold <= _MOST_BOLD * sum(count for _is_bold, count in alike)


def _is_short(passage: PagePassage) -> bool:
    text = passage.text.rstrip()
    return passage.lines <= 2 and len(text) <= _LONGEST_BOLD and text[-1:] not in ".,;:"


def _repeated(sheets: Sequence[PageText]) -> frozenset[tuple[str, float]]:
    """What most pages begin or end with, but for its numbers."""
    seen = Counter[tuple[str, float]]()
    for sheet in sheets:
        ends = [*sheet.passages[:2], *sheet.passages[-2:]]
        seen.update({_print(passage) for passage in ends if passage.text})
    least = max(3, _REPEATED * len(sheets))
    return frozenset(line for line, count in seen.items() if count >= least)


def _print(passage: PagePassage) -> tuple[str, float]:
    """What a passage looks like on whatever page."""
    return _DIGITS.sub("#", passage.text[:_LONGEST]), passage.style.size


def _plain(text: str) -> str:
    return _NOT_WORDS.sub("", text).casefold()
