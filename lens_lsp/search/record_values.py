"""The cells of tables as typed values, with the unit that a cell or the name of its column gives.

A column decides together how its numbers are written: "1.234" is 1234 beside "950" and 1.234 beside "0.5". Rows of
totals never count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from lens_lsp.arithmetic.typed_values import Value, ValueKind, figure, is_year, order, quantity, show
from lens_lsp.arithmetic.units import ONE, Dimension, MeasureUnit, compatible, convert, find_unit
from lens_lsp.arithmetic.value_parser import find_values
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.words import STOP_WORDS, fold, key, runs, stem
from lens_lsp.search.record_words import CAMEL, LONGEST_VALUE, SCALES, Question, root, stems_of
from lens_lsp.search.records import Record, Table

T = TypeVar("T")
MOST_NAMED = 12
"""Members of a list that the short answer names."""
_LONGEST_CELL = 120
"""Code points of a cell that a question may name whole."""
EXACT = 2.0
"""What a cell counts whose words the question says as they stand."""
ENOUGH = 0.8
"""The share of a column's cells that are numbers, or dates, where it is one of numbers, or dates."""
_FEW = 16
"""Different cells of a column at most whose words are kinds of rows."""
_DISTINCT = 0.95
"""The share of a column's cells that differ where each names its row."""
_NO_UNITS = frozenset({"no", "in", "at", "bar", "day", "year", "month", "hour", "minute", "second", "week", "point"})
"""Units that are words of names."""
_YEAR_NAMES = frozenset(map(stem, ["year", "years", "date", "jahr", "ano", "annee"]))
_FIRST, _LAST = 1500, 2100
"""Years that a column without such a name may be of."""
_CALLED = frozenset(map(stem, ["name", "title", "titel", "nom", "nombre"]))
_HEADER_UNIT = regex(r"(?P<name>.*?\S)[\s_]*[(\[](?P<unit>[^()\[\]]{1,24})[)\]]\s*")
_TRAILING_UNIT = regex(r"(?P<name>.*?\S)(?:, | in | )(?P<unit>[^\s,]{1,8})\s*")
_SNAKE_UNIT = regex(r"(?P<name>\w*[a-z])_(?P<unit>g|kg|mg|mm|cm|m|km|usd|eur|gbp|pct|ms|sec|ml|ft|lb|kwh)")
_COMPOUND = regex(r"[^\w\s]|^[A-Z]{3}$")
_PLAIN_NUMBER = regex(r"[-+]?\d{1,15}(?:\.\d{1,15})?")
_BARE_YEAR = regex(r"[12]\d{3}")
_ABOUT = regex(r"(?:approx|approximately|ca|c|about|circa|around|est)?\W*")
_PLACEHOLDERS = frozenset(
    ["n/a", "na", "nan", "null", "none", "tbd", "unknown", "nil", "#n/a", "#na", "(x)", "(na)", "(d)", "(s)", "(z)"]
)
_TOTAL = regex(
    r"(?:grand |sub ?-?|net |overall )?(?:totals?|sums?|subtotals?|average|mean|summe|gesamt|insgesamt|zwischensumme)"
    r"(?: .*)?|overall|all|total[:=].*"
)


@dataclass(frozen=True, slots=True)
class Column:
    """The name of a column as a question may say it, and the unit that it gives."""

    index: int
    name: str
    stems: tuple[str, ...]
    joined: str
    """The words of its name in one."""
    optional: frozenset[str]
    """Stems that need not be said."""
    unit_text: str | None = None
    unit: MeasureUnit | None = None
    scale: int = 1


def column_of(index: int, written: str, group: str = "") -> Column:
    """A column by what its header says; ``group`` stands over it and others."""
    name, unit_text = written.strip(), None
    optional: list[str] = stems_of(group) if group else []
    match = _HEADER_UNIT.fullmatch(name)
    if match is not None:
        inner = match["unit"].strip()
        if find_unit(inner) or _COMPOUND.search(inner) or inner.lower() in SCALES:
            name, unit_text = match["name"], inner
        else:
            name, optional = match["name"], [*optional, *stems_of(inner)]
    elif (match := _SNAKE_UNIT.fullmatch(name)) is not None or (
        (match := _TRAILING_UNIT.fullmatch(name)) is not None and _is_unit(match["unit"])
    ):
        name, unit_text = match["name"], match["unit"]
    scale = next((by for word, by in SCALES.items() if unit_text and word in unit_text.lower().split()), 1)
    unit = None if unit_text is None else find_unit(unit_text) or find_unit(unit_text.upper())
    joined = key(name).replace(" ", "").replace("_", "")
    return Column(index, name, tuple(stems_of(name)), joined, frozenset(optional), unit_text, unit, scale)


def _is_unit(word: str) -> bool:
    """Whether the last word of a name is a unit, and no other word."""
    return len(word) > 1 and word.lower() not in _NO_UNITS and find_unit(word) is not None


@dataclass(slots=True)
class TypedCells:
    """A column's cells as values."""

    numbers: list[Value | None]
    dates: list[Value | None]
    numeric: bool
    dated: bool

    def amounts(self, rows: Iterable[int]) -> tuple[list[Fraction], MeasureUnit | None]:
        """The numbers of some rows, and their unit; None where one is no number or has another unit."""
        values = [self.numbers[at] for at in rows]
        numbers = [value for value in values if value is not None]
        unit = numbers[0].unit if numbers else None
        same = len(numbers) == len(values) and all(number.unit == unit for number in numbers)
        return [number.magnitude for number in numbers], unit if same else None


class TypedTable:
    """A table as questions see it: columns with units, cells as values, and which of them a question names."""

    def __init__(self, table: Table) -> None:
        self.table = table
        groups = table.groups or ("",) * len(table.columns)
        named = zip(table.columns, groups, strict=True)
        self.columns = [column_of(index, name, group) for index, (name, group) in enumerate(named)]
        self.rows = [record for record in table.records if any(record.cells)]
        self._typed: dict[int, TypedCells] = {}
        self._totals = [self._is_total(row) for row in self.rows]
        titles = {root(run.text) for name in table.title for run in runs(fold(CAMEL.sub(" ", name)))}
        self.title_stems = titles | {root(part) for name in table.path.split("/")[:-1] for part in key(name).split()}
        """Of what the table is called."""

    def _is_total(self, row: Record) -> bool:
        first = next((cell for cell in row.cells if cell), "")
        filled = sum(map(bool, row.cells))
        return _TOTAL.fullmatch(fold(first).strip()) is not None or (filled == 1 and len(self.columns) > 2)

    def typed(self, index: int) -> TypedCells:
        """A column's cells as numbers and dates."""
        found = self._typed.get(index)
        if found is None:
            found = self._typed[index] = _typed([row.cells[index] for row in self.rows], self.columns[index])
        return found

    def data(self) -> Iterator[tuple[int, Record]]:
        """The rows that count, with their numbers."""
        return ((at, row) for at, row in enumerate(self.rows) if not self._totals[at])

    @cached_property
    def cells(self) -> list[tuple[list[str], NDArray[np.int64]]]:
        """Of each column its different cells, folded, long ones empty, and which of them each row has."""
        found = []
        for column in self.columns:
            numbers: dict[str, int] = {}
            at = [numbers.setdefault(row.cells[column.index], len(numbers)) for row in self.rows]
            folded = [fold(cell) if len(cell) <= _LONGEST_CELL else "" for cell in numbers]
            found.append((folded, np.array(at, np.int64)))
        return found

    def values_said(
        self, question: Question
    ) -> tuple[dict[tuple[int, int], dict[int, set[str]]], dict[tuple[int, int], float]]:
        """Where the words of cells stand in a question: by first and last word the columns, with the cells' keys, and
        how well they fit."""
        grams, stemmed = question.grams, question.stemmed
        seen: dict[str, tuple[tuple[int, int], str, float] | None] = {}
        found: dict[tuple[int, int], dict[int, set[str]]] = {}
        weights: dict[tuple[int, int], float] = {}
        for _, row in self.data():
            for index, cell in enumerate(row.cells):
                if not cell or len(cell) > _LONGEST_CELL:
                    continue
                if cell not in seen:
                    seen[cell] = _gram(cell, grams, stemmed)
                hit = seen[cell]
                if hit is not None:
                    place, said, weight = hit
                    found.setdefault(place, {}).setdefault(index, set()).add(said)
                    weights[place] = max(weights.get(place, 0.0), weight)
        return found, weights

    @cached_property
    def kinds(self) -> dict[int, set[str]]:
        """The columns with few different words, and these."""
        found: dict[int, set[str]] = {}
        rows = [row for _, row in self.data()]
        for column in self.columns:
            cells = {row.cells[column.index] for row in rows[:2000]}
            if 1 < len(cells) <= _FEW and len(rows) >= 2 * len(cells) and not self.typed(column.index).numeric:
                found[column.index] = {cell for cell in cells if cell and len(cell) < 40}
        return found

    @cached_property
    def label(self) -> int:
        """The column that names what a row is about: one of words that differ, called a name or a title if there is
        one; else the first whose cells differ."""
        words: list[int] = []
        texts: list[int] = []
        apart: list[int] = []
        rows = [row for _, row in self.data()]
        for column in self.columns:
            cells = [row.cells[column.index] for row in rows if row.cells[column.index]]
            if len(cells) < ENOUGH * len(rows):
                continue
            differ = len(set(cells)) > _DISTINCT * len(cells)
            typed = self.typed(column.index)
            if not typed.numeric and not typed.dated:
                words += [column.index] if differ or _CALLED.intersection(column.stems) else []
                texts.append(column.index)
            if differ:
                apart.append(column.index)
        called = [at for at in words if _CALLED.intersection(self.columns[at].stems)]
        amounts = {at for at in apart if self.typed(at).numeric and any("." in row.cells[at] for row in rows)}
        return next(iter((*called, *words, *(at for at in apart if at not in amounts), *texts, *apart)), 0)


def is_blank(cell: str) -> bool:
    """Whether a cell says that there is nothing: it is empty, a dash, or a word for it."""
    folded = fold(cell).strip()
    return not any(map(str.isalnum, folded)) or folded in _PLACEHOLDERS


def _value_of(written: str) -> Value | None:
    """What a cell is, if it is one value and nothing more."""
    text = written.strip()
    if _PLAIN_NUMBER.fullmatch(text):
        whole = Fraction(text)
        year = _BARE_YEAR.fullmatch(text) is not None
        if not year:
            decimals = text.partition(".")[2]
            return quantity(whole, other=_other(text), step=Fraction(1, 10 ** len(decimals)))
    negative = len(text) > 2 and text[0] == "(" and text[-1] == ")"
    body = text[1:-1] if negative else text
    found = find_values(body)
    if len(found) == 2 and found[0].date is not None and found[1].kind is ValueKind.TIME:
        return found[0]
    if len(found) != 1 or found[0].span is None:
        return None
    span = found[0].span
    before, after = fold(body[: span.start]).strip(), fold(body[span.end :]).strip()
    if not _ABOUT.fullmatch(before) or any(char.isalnum() for char in re.sub(r"\[[^\]]*\]", "", after)):
        return None
    value = found[0]
    if negative and value.date is None:
        return replace(value, magnitude=-value.magnitude)
    return None if negative else value


def _other(text: str) -> Fraction | None:
    whole, _, decimals = text.lstrip("+-").partition(".")
    return Fraction(whole + decimals) if len(decimals) == 3 and 0 < len(whole) < 4 and whole[0] != "0" else None


def _typed(cells: Sequence[str], column: Column) -> TypedCells:
    seen: dict[str, Value | None] = {}
    values: list[Value | None] = []
    filled = 0
    for cell in cells:
        if is_blank(cell):
            values.append(None)
            continue
        filled += 1
        if cell not in seen:
            seen[cell] = _value_of(cell)
        values.append(seen[cell])
    grouped = _thousands(seen)
    numbers = [_number(value, column, grouped) for value in values]
    dates = [value if value is not None and value.date is not None else None for value in values]
    if not _may_be_years(dates, column):
        dates = [value if value is not None and not is_year(value) else None for value in dates]
    enough = max(1.0, ENOUGH * filled)
    return TypedCells(
        numbers,
        dates,
        sum(v is not None for v in numbers) >= enough,
        sum(v is not None for v in dates) >= enough,
    )


def _may_be_years(dates: Sequence[Value | None], column: Column) -> bool:
    """Whether figures that look like years are some: by the name of the column, or as all are of recent centuries."""
    years = [int(value.magnitude) for value in dates if value is not None and is_year(value)]
    return bool(_YEAR_NAMES.intersection(column.stems)) or all(_FIRST <= year <= _LAST for year in years)


def _thousands(seen: Mapping[str, Value | None]) -> Callable[[Value], bool]:
    """Whether a number that can be read in two ways is the other one in a column."""
    texts = [text for text, value in seen.items() if value is not None and value.date is None]
    comma = any(re.search(r"\d,(?:\d{1,2}|\d{4,})(?!\d)", text) for text in texts)
    dot = any(re.search(r"\d\.(?:\d{1,2}|\d{4,})(?!\d)|\b0\.\d", text) for text in texts)
    bare = any(re.fullmatch(r"\D*\d{1,3}\D*", text) for text in texts)
    long = any(re.search(r"\d{4,}", text) for text in texts)
    swapped = (comma and not dot) or (not comma and not dot and bare and not long)

    def other(value: Value) -> bool:
        if value.other is None:
            return False
        by_dot = value.other > value.magnitude if value.magnitude >= 0 else value.other < value.magnitude
        return comma and not dot if not by_dot else swapped  # "1,234" is 1.234 only beside "12,5"

    return other


def _number(value: Value | None, column: Column, other: Callable[[Value], bool]) -> Value | None:
    """A cell's value as an amount in the unit that it or its column names."""
    if value is None or (value.date is not None and not is_year(value)) or value.kind is ValueKind.TIME:
        return None
    magnitude = value.other if value.other is not None and other(value) else value.magnitude
    unit = value.unit
    if unit.dimension is Dimension.COUNT:
        unit = ONE
    if unit == ONE and column.unit is not None:
        unit = column.unit
    return quantity(magnitude * column.scale, unit, approximate=value.approximate)


def _gram(
    cell: str, grams: Mapping[str, tuple[int, int]], stemmed: Mapping[str, tuple[int, int]]
) -> tuple[tuple[int, int], str, float] | None:
    """Where the words of a cell stand in the question, if they do."""
    said = key(cell)
    place = grams.get(said)
    if place is not None:
        return place, said, EXACT
    words = said.split(" ")
    if len(words) > LONGEST_VALUE:
        return None
    telling = [root(word) for word in words if word not in STOP_WORDS]
    place = stemmed.get(" ".join(telling)) if len(telling) > 1 or len(telling) == len(words) else None
    if place is not None and len(said) > 3:
        return place, said, 1.5
    if "," in cell and 1 < len(words) < 4:  # "Kim, Sarah"
        place = grams.get(" ".join((*words[1:], words[0])))
        return None if place is None else (place, said, 2.0)
    return None


def in_unit_of(value: Value, column: Column, typed: TypedCells) -> Value | None:
    """A value that a question names as one to compare a column's cells with; None where their units do not agree."""
    own = next((number.unit for number in typed.numbers if number is not None), ONE)
    unit = value.unit
    if unit.dimension is Dimension.COUNT or unit == ONE:
        return quantity(value.magnitude, own)
    if own == ONE:
        return quantity(value.magnitude) if column.unit_text is None else None
    if not compatible(own, unit):
        return None
    try:
        return quantity(convert(value.magnitude, unit, own), own)
    except ComputationError:
        return None


RELATIONS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "=": "="}
"""How one value compares with another, in words."""


def holds(own: Value, relation: str, other: Value) -> bool:
    """Whether a value compares so with another; raises `ComputationError` where they do not compare."""
    first = order(own, other)
    return {"<": first < 0, "<=": first <= 0, ">": first > 0, ">=": first >= 0, "=": first == 0}[relation]


def outermost(values: Sequence[tuple[Value, T]], *, most: bool) -> list[T]:
    """What stands beside the greatest, else least, of some values; nothing where they do not compare."""
    try:
        best = (max if most else min)((value for value, _ in values), key=cmp_to_key(order))
        return [beside for value, beside in values if order(value, best) == 0]
    except ComputationError:
        return []


def listed(names: Sequence[str], joint: str = ", ") -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return joint.join(names[:MOST_NAMED]) + more


def said_value(value: Value) -> str:
    """A value that a question names, as it is told."""
    return show(replace(value, approximate=False))


def with_unit(cell: str, column: Column) -> str:
    """A cell as it is told: with the unit of its column, where it is a number without one."""
    if column.unit_text is None or not re.search(r"\d", cell) or re.search(r"[^\W\d_]|[%€$£¥°]", cell):
        return cell
    return f"{cell} {column.unit_text}"


def show_amount(amount: Fraction, unit: MeasureUnit, column: Column) -> str:
    """What was computed from the cells of a column, with its unit."""
    if column.scale != 1:
        amount = amount / column.scale
    if unit != ONE and column.scale == 1:
        return show(quantity(amount, unit))
    figures, exact = figure(abs(amount))
    written = f"{'' if exact else '≈ '}{'-' if amount < 0 else ''}{figures}"
    return f"{written} {column.unit_text}" if column.unit_text else written
