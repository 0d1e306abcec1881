"""Readings of a question over the rows of a table: which rows it names, what it asks of them, and how well each fits.

The words of a question are bound to cells, flags, numbers and dates wherever they may be; every way to bind them, with
every operation that the question has a word for and every column that may be meant, is one *reading*. It is carried
out on typed values and said as a sentence; how probable it is that the sentence answers the question, a logistic
regression tells from what the words cover and from what the reader makes of the sentence. No word must be accounted
for; what is left over only counts against a reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lens_lsp.arithmetic.typed_values import Value, is_year, quantity
from lens_lsp.arithmetic.units import ONE, Dimension, compatible, find_unit
from lens_lsp.corpus.descriptions import file_name
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.words import STOP_WORDS, fold, runs
from lens_lsp.search.metadata import Period
from lens_lsp.search.query_parser import Operation
from lens_lsp.search.question import vocabulary
from lens_lsp.search.record_query import COMPUTED, holds_its_sum
from lens_lsp.search.record_values import (
    RELATIONS,
    TypedTable,
    holds,
    in_unit_of,
    is_blank,
    outermost,
    show_amount,
    with_unit,
)
from lens_lsp.search.record_words import (
    CAMEL,
    COUNT,
    HOW,
    MAX,
    MEAN,
    MOST_OF,
    NEUTRAL,
    OPPOSITES,
    SUM,
    SUPERLATIVES,
    Question,
    QuestionWord,
    alike,
    root,
)

_FEW = 40
"""Different cells of a column at most whose words a question may say in another form."""
_MOST_OPTIONS = 10
_MOST_WAYS = 16
_MOST_TARGETS = 7
_MOST_LISTED = 60
_TRUE = frozenset(["true", "yes", "y", "1", "x"])
_FALSE = frozenset(["false", "no", "n", "0", ""])
_NEGATED = regex(r"\b(?:not|never|without|except|neither|yet to|other than)\b|n't\b")
_BEYOND = regex(
    r"\b(?:median|difference|ratio|percentage|how (?:many|much) (?:more|less|fewer|longer|older|higher|lower|later)"
    r"|compared?|except|excluding|besides|other than|neither|nor|both|same|each|every|respectively|second|third|next)\b"
)
"""What no reading here does."""
_HOW_MANY = regex(r"\bhow many\b|\bnumber of\b|\bcount\b")
_HOW_MUCH = regex("how much")
_LESS = regex(
    r"(?:less|fewer|lower|smaller|shorter|younger|cheaper|lighter|earlier|slower|below|under|before|until|at most|up to"
    r"|maximum|<=?|no more) ?(?:than )?(?:the )?[$€£]?\Z"
)
_MORE = regex(
    r"(?:more|greater|larger|higher|longer|older|taller|bigger|heavier|faster|later|above|over|after|since|at least"
    r"|exceed\w*|minimum|>=?|no less|from) ?(?:than )?(?:the )?[$€£]?\Z"
)
_INCLUSIVE = regex(r"(?:at least|at most|up to|since|from|until|minimum|maximum|[<>]=|no (?:more|less) than) ?\Z")
_OR = regex(
    r" ?(?:or (?P<more>more|higher|above|over|later|greater|older)|or (?P<less>less|fewer|lower|below|under|earlier))\b"
)


@lru_cache(maxsize=1 << 14)
def _near(word: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in vocabulary().related(word):
        found[one.word] = max(found.get(one.word, 0.0), one.likeness)
        found.setdefault(root(one.word), one.likeness)
    return found


@lru_cache(maxsize=1 << 16)
def likeness(asked: str, named: str) -> float:
    """How much a word of a question means what a word of a column's name does, from 0 to 1; both folded."""
    if asked == named or root(asked) == root(named):
        return 1.0
    if alike(root(asked), root(named)):
        return 0.9
    if min(len(asked), len(named)) >= 4 and (asked.startswith(named) or named.startswith(asked)):
        return 0.85
    if len(named) >= 3 and named.isalpha() and asked.startswith(named):
        return 0.6
    if len(asked) >= 3 and asked.isalpha() and asked in named:
        return 0.7
    if asked in OPPOSITES and named in OPPOSITES:
        return 0.0
    best = max(_near(asked).get(named, 0.0), _near(named).get(asked, 0.0))
    best = max(best, _near(asked).get(root(named), 0.0), _near(named).get(root(asked), 0.0))
    return 0.95 * best


@dataclass(frozen=True, slots=True)
class Option:
    """What some words of the question say of rows: which they hold for, by one column."""

    words: frozenset[int]
    column: int
    rows: NDArray[np.bool_]
    weight: float
    """How well the words fit, from 0 to 1."""
    told: str
    equal: bool
    start: int
    """The first word."""


@dataclass(slots=True)
class Reading:
    """A question read over a table, carried out."""

    typed: TypedTable
    operation: Operation
    options: tuple[Option, ...]
    rows: list[int]
    target: int | None
    """The column of what is answered."""
    ordered: int | None
    short: str
    told: str
    sentence: str
    features: dict[str, float] = field(default_factory=dict)
    computed: tuple[str, str, str | None] | None = None


class TableReadings:
    """All readings of one question over one table."""

    def __init__(self, question: Question, typed: TypedTable) -> None:
        self.typed = typed
        self.question = question
        self.words = self.question.words
        self.count = len(typed.rows)
        self.counts = np.zeros(self.count, np.bool_)
        for at, _ in typed.data():
            self.counts[at] = True
        self.asked = _asked(self.question)
        self.names = [_name_words(column.name) for column in typed.columns]
        self._negated = _NEGATED.search(self.question.folded) is not None
        self._bound: set[int] = set()
        """The words that some rows of the table are named by."""

    # -- what words say of rows

    def _hits(self, column: int) -> dict[int, dict[int, float]]:
        """By word of the question the different cells of a column that say it, and how alike."""
        cells, _ = self.typed.cells[column]
        text = "\n".join(cells)
        few = len(cells) <= _FEW
        ends = [m.start() for m in re.finditer("\n", text)]
        found: dict[int, dict[int, float]] = {}
        for at, word in enumerate(self.words):
            if not word.telling and not self._is_capital(at):
                continue
            begin = word.text if len(word.text) < 4 or word.text.isdigit() else word.text[:3]
            for match in re.finditer(rf"(?<![^\W_]){re.escape(begin)}[^\W_]*", text):
                like = _same(word.text, match.group(), few)
                if like:
                    cell = int(np.searchsorted(ends, match.start()))
                    own = found.setdefault(at, {})
                    own[cell] = max(own.get(cell, 0.0), like)
            if few and at not in found and word.telling and word.text.isalpha() and len(word.text) > 2:
                for cell, said in enumerate(cells):
                    if said and " " not in said and (like := likeness(word.text, said)) >= 0.66:
                        found.setdefault(at, {})[cell] = 0.5 * like
        return found

    def _is_capital(self, at: int) -> bool:
        return at > 0 and self.question.letter(at).isupper()

    def _values(self) -> Iterator[Option]:
        """Runs of words that cells say."""
        for column in self.typed.columns:
            typed = self.typed.typed(column.index)
            if typed.numeric or typed.dated:
                continue
            hits = self._hits(column.index)
            cells, of_row = self.typed.cells[column.index]
            past = -1
            for first in range(len(self.words)):
                if first not in hits or first <= past:
                    continue
                held = dict(hits[first])
                inside, last = {first}, first
                for at in range(first + 1, min(len(self.words), first + 9)):
                    both = {cell: min(held[cell], like) for cell, like in hits.get(at, {}).items() if cell in held}
                    if both:
                        held, last = both, at
                        inside.add(at)
                    elif self.words[at].telling:
                        break
                past = last
                general = all(self._is_general(at) for at in inside if self.words[at].telling)
                said = {self.words[at].text for at in inside}
                shares = {cell: _share(cells[cell], said) * like for cell, like in held.items()}
                best = max(shares.values())
                if general and best < 1:
                    continue  # it says what all rows are
                ways = [{cell for cell, share in shares.items() if share >= best - 0.01}, set(shares)]
                for way, chosen in enumerate(ways if len(ways[1]) > len(ways[0]) else ways[:1]):
                    rows = np.isin(of_row, list(chosen)) & self.counts
                    if not rows.any():
                        continue
                    own = next(row.cells[column.index] for row, has in zip(self.typed.rows, rows, strict=True) if has)
                    weight = best if way == 0 else float(np.mean(list(shares.values())))
                    told = own if len(chosen) == 1 else f"“{self.question.written(first, last)}”"
                    sign = "=" if len(chosen) == 1 else "with"
                    words = frozenset(inside | self._header_beside(column.index, first, last))
                    said_of = f"{column.name} {sign} {told}"
                    yield Option(words, column.index, rows, weight, said_of, len(chosen) == 1, first)

    def _is_general(self, at: int) -> bool:
        """Whether a word says what all rows are, or what a column is."""
        word = self.words[at]
        return (
            word.stem in self.typed.title_stems
            or word.text in NEUTRAL
            or any(root(word.text) == root(one) for own in self.names for one in own)
        )

    def _header_beside(self, column: int, first: int, last: int) -> set[int]:
        """The words next to a value that name its column."""
        found = set()
        for at in (first - 1, first - 2, last + 1):
            if 0 <= at < len(self.words) and self._named(column, at) >= 0.85:
                found.add(at)
        return found

    def _named(self, column: int, at: int) -> float:
        word = self.words[at].text
        return max((likeness(word, one) for one in self.names[column]), default=0.0) if self.words[at].telling else 0.0

    def _flags(self) -> Iterator[Option]:
        """Columns of yes and no that a word names."""
        for column in self.typed.columns:
            cells, of_row = self.typed.cells[column.index]
            said = set(cells)
            if not (said <= _TRUE | _FALSE and said & _TRUE and said & _FALSE - {""}):
                continue
            for at in range(len(self.words)):
                if self._named(column.index, at) < 0.7 and not self._unnamed(column.index, at):
                    continue
                no = self._unnamed(column.index, at) or self._negated
                wanted = [n for n, cell in enumerate(cells) if cell in (_FALSE if no else _TRUE)]
                rows = np.isin(of_row, wanted) & self.counts
                words = {at} | {n for n, word in enumerate(self.words) if no and word.text in ("not", "yet", "still")}
                told = f"{column.name} = {'no' if no else 'yes'}"
                if rows.any():
                    yield Option(frozenset(words), column.index, rows, 0.8, told, True, at)

    def _unnamed(self, column: int, at: int) -> bool:
        word = self.words[at].text
        return word.startswith("un") and max((likeness(word[2:], one) for one in self.names[column]), default=0.0) > 0.8

    def _figures(self) -> Iterator[Option]:
        """Numbers and how they are compared."""
        for value in self.question.values:
            assert value.span is not None
            if value.date is not None and not is_year(value):
                continue
            inside = self.question.at(value.span)
            digits = self.question.digits(value)
            if not digits:
                continue
            relation, taken = self._relation(value)
            own = quantity(value.magnitude, span=value.span) if is_year(value) else value
            first, last = min(inside), max(inside)
            for column in self.typed.columns:
                typed = self.typed.typed(column.index)
                low = in_unit_of(own, column, typed) if typed.numeric else None
                if low is None:
                    continue
                rows = self._rows(typed.numbers, _meets, low, relation)
                if not rows.any():
                    continue
                near = self._header_beside(column.index, min(digits), max(digits)) | {
                    at for at in inside - digits if self._named(column.index, at) >= 0.6
                }
                like = max(
                    (self._named(column.index, at) for at in range(len(self.words)) if at not in digits), default=0.0
                )
                unit = value.unit != ONE and value.unit.dimension is not Dimension.COUNT
                weight = 0.9 if near or (unit and column.unit is not None) else 0.25 + 0.5 * like
                if is_year(value) and (typed.dated or _is_year_name(self.names[column.index])):
                    weight = max(weight, 0.85)
                words = digits | near | taken | (inside if unit else set())
                told = f"{column.name} {RELATIONS[relation]} {self.question.written(first, last)}"
                yield Option(frozenset(words), column.index, rows, weight, told, relation == "=", first)

    def _rows(self, values: Sequence[Value | None], met: Callable[..., bool], *wanted: object) -> NDArray[np.bool_]:
        """The rows that count and whose value meets what is ``wanted``."""
        return self.counts & np.array([value is not None and met(value, *wanted) for value in values], np.bool_)

    def _relation(self, value: Value) -> tuple[str, set[int]]:
        """How a number is compared, and the words that say so."""
        assert value.span is not None
        before, folded = self.question.folded[: value.span.start], self.question.folded
        behind = _OR.match(folded, value.span.end)
        if behind is not None:
            return (">=" if behind["more"] else "<="), _begun(self.words, behind)
        for pattern, sign in ((_LESS, "<"), (_MORE, ">")):
            match = pattern.search(before)
            if match is not None and not (match.group().startswith("from") and sign == ">"):
                return sign + ("=" if _INCLUSIVE.search(match.group()) else ""), _begun(self.words, match)
        return "=", set()

    def _periods(self) -> Iterator[Option]:
        """Days, months and years."""
        for period, span in self.question.periods:
            inside = self.question.at(span)
            match = _LESS.search(self.question.folded[: span.start]) or _MORE.search(self.question.folded[: span.start])
            sign = "" if match is None else "<" if _LESS.search(match.group()) else ">"
            taken = set() if match is None else _begun(self.words, match)
            for column in self.typed.columns:
                typed = self.typed.typed(column.index)
                if not typed.dated:
                    continue
                rows = self._rows(typed.dates, _in_period, period, sign, match)
                if rows.any():
                    near = {at for at in range(len(self.words)) if self._named(column.index, at) >= 0.8}
                    words = frozenset(inside | taken | (near if len(near) == 1 else set()))
                    said = f"{match.group() if match else ''}{self.question.text[span.start : span.end]}"
                    told, weight = f"{column.name}: {said}", 0.9 if near else 0.7
                    yield Option(words, column.index, rows, weight, told, not sign, min(inside))

    def ways(self) -> list[tuple[Option, ...]]:
        """Sets of options that go together and leave rows, the best first."""
        every = [*self._values(), *self._flags(), *self._figures(), *self._periods()]
        self._bound = {at for option in every if option.weight >= 0.6 for at in option.words}
        groups: dict[int, list[Option]] = {}
        for option in sorted(every, key=lambda one: -one.weight * len(one.words)):
            place = next((g for g, own in groups.items() if own[0].words & option.words), None)
            own = groups.setdefault(option.start if place is None else place, [])
            if len(own) < _MOST_OPTIONS:
                own.append(option)
        ways: list[tuple[float, tuple[Option, ...], NDArray[np.bool_]]] = [(0.0, (), self.counts)]
        for own in list(groups.values())[:6]:
            longer = list(ways)
            for score, chosen, rows in ways:
                for option in own:
                    left = rows & option.rows
                    if left.any() and all(not option.words & one.words for one in chosen):
                        longer.append((score + option.weight * (0.5 + len(option.words)), (*chosen, option), left))
            ways = sorted(longer, key=lambda one: -one[0])[:_MOST_WAYS]
        return [chosen for _, chosen, _ in ways]

    # -- what is asked of them

    def readings(self) -> Iterator[Reading]:
        """Every reading that can be carried out."""
        if not self.count or self.question.is_refused or _BEYOND.search(self.question.folded) is not None:
            return
        for way in self.ways():
            rows = self.counts.copy()
            for option in way:
                rows &= option.rows
            at = np.flatnonzero(rows).tolist()
            yield from self._looked_up(way, at)
            yield from self._folded(way, at)
            yield from self._outermost(way, at)

    def _targets(self, way: Sequence[Option]) -> list[int]:
        """The columns that may be asked for, the most likely first."""
        used = {option.column for option in way if option.equal}
        taken = {at for option in way for at in option.words}
        return sorted(
            (at for at in range(len(self.typed.columns)) if at not in used),
            key=lambda at: (-self.target_fit(at, taken), at != self.typed.label),
        )

    def target_fit(self, column: int, taken: Set[int]) -> float:
        """How well a column's name and kind fit what the words that are not ``taken`` ask for, from -0.2 to 1.75."""
        left, hints = set(range(len(self.words))) - taken, self.asked.hints
        said = [self._named(column, at) + (0.3 if at in self.asked.nouns else 0.0) for at in left]
        best = max([0.0, *said, *(0.8 * likeness(hint, one) for hint in hints for one in self.names[column])])
        typed = self.typed.typed(column)
        return best + 0.25 * self._whole(column) + 0.2 * self._kind_fit(typed.numeric, typed.dated)

    def _whole(self, column: int) -> float:
        """The share of a column's name that the question says."""
        said = [
            max((likeness(word.text, one) for word in self.words if word.telling), default=0.0) >= 0.6
            for one in self.names[column]
        ]
        return sum(said) / max(1, len(said))

    def _kind_fit(self, numeric: bool, dated: bool) -> float:
        word = self.asked.word
        if word == "when":
            return 1.0 if dated else -1.0
        if word in ("who", "where"):
            return -1.0 if numeric or dated else 0.5
        if word == "how":
            return 1.0 if numeric else -1.0
        return 0.0

    def _where(self, way: Sequence[Option]) -> str:
        return f" where {', '.join(dict.fromkeys(option.told for option in way))}" if way else ""

    def _said(self, way: Sequence[Option]) -> str:
        """The same as a part of a sentence."""
        return f" where {'; '.join(_plain(option.told) for option in way)}" if way else ""

    def _looked_up(self, way: tuple[Option, ...], rows: list[int]) -> Iterator[Reading]:
        if "mean" in self.asked.says or not way or len(rows) > 2000:
            return
        for target in self._targets(way)[:_MOST_TARGETS]:
            column = self.typed.columns[target]
            cells = [self.typed.rows[at].cells[target] for at in rows]
            if not all(cells) or not column.name:
                continue
            distinct = list(dict.fromkeys(with_unit(cell, column) for cell in cells))
            if len(distinct) > _MOST_LISTED:
                continue
            operation = Operation.LOOKUP if len(distinct) == 1 else Operation.LIST
            joint = "; " if any("," in one for one in distinct) else ", "
            name = _plain(column.name)
            sentence = f"{self._cells_said(way, rows, target)}; {name}: {joint.join(distinct[:12])}."
            told = f"{column.name}{self._where(way)}"
            yield self._reading(operation, way, rows, target, None, joint.join(distinct), told, sentence)

    def _cells_said(self, way: Sequence[Option], rows: list[int], target: int | None) -> str:
        """The cells of the only row, or what is common to several."""
        if len(rows) == 1:
            row = self.typed.rows[rows[0]]
            columns = list(dict.fromkeys([self.typed.label, *(option.column for option in way)]))
            return "; ".join(
                f"{_plain(self.typed.columns[at].name)}: {row.cells[at]}" for at in columns if at != target
            )
        return self._said(way).removeprefix(" where ")

    def _folded(self, way: tuple[Option, ...], rows: list[int]) -> Iterator[Reading]:
        where, says, table = self._where(way), self.asked.says, self.typed.table
        alone = len(rows) == 1 and any(option.equal and option.column == self.typed.label for option in way)
        if "count" in says and rows and not alone and (way or (table.is_all and not self.asked.superlatives)):
            said = f"How many rows{self._said(way)}: {len(rows)} ({file_name(table.path)})."
            yield self._reading(Operation.COUNT, way, rows, None, None, f"{len(rows):,}", f"rows{where}", said)
        if not says & {"total", "mean", "count", "how"}:
            return
        operation, word = (Operation.MEAN, "average") if "mean" in says else (Operation.SUM, "sum")
        used = {option.column for option in way if option.equal}
        numeric = [
            at for at in self._targets(way)
            if self.typed.typed(at).numeric and at not in used and not self.typed.typed(at).dated
            and not _is_year_name(self.names[at])
        ][:4]  # fmt: skip
        for target in numeric:
            column = self.typed.columns[target]
            kept = [at for at in rows if not is_blank(self.typed.rows[at].cells[target])]
            amounts, unit = self.typed.typed(target).amounts(kept)
            if len(amounts) < 2 or unit is None or (not way and holds_its_sum(amounts)):
                continue
            shown = show_amount(COMPUTED[operation](amounts), unit, column)
            said = f"{'Total' if word == 'sum' else 'Average'} {_plain(column.name)}{self._said(way)}: {shown}."
            told = f"{word} of {column.name} over {len(kept):,} rows{where}"
            reading = self._reading(operation, way, kept, target, None, shown, told, said)
            reading.computed = (f"{word}({column.name})", shown, None if unit == ONE else unit.symbol)
            yield reading

    def _outermost(self, way: tuple[Option, ...], rows: list[int]) -> Iterator[Reading]:
        taken = {at for option in way for at in option.words}
        for sign, hints, place in self.asked.superlatives:
            if place in taken:
                continue
            every = ((c.index, self.typed.typed(c.index)) for c in self.typed.columns)
            may = [at for at, typed in every if typed.numeric or typed.dated]
            for index in sorted(may, key=lambda at: -self._order_fit(at, hints, place))[:4]:
                typed = self.typed.typed(index)
                values = typed.numbers if typed.numeric else typed.dates
                pairs = [(value, at) for at in rows if (value := values[at]) is not None]
                if not pairs or len(pairs) < len(rows) / 2:
                    continue
                if not way and holds_its_sum([value.magnitude for value, _ in pairs]):
                    continue
                among = outermost(pairs, most=sign == MAX)
                if not 0 < len(among) <= 12:
                    continue
                column = self.typed.columns[index]
                shown = with_unit(self.typed.rows[among[0]].cells[index], column)
                operation, word = (Operation.MAX, "greatest") if sign == MAX else (Operation.MIN, "least")
                extreme = f"{word.capitalize()} {_plain(column.name)}{self._said(way)}: {shown}"
                told = f"{word} {column.name}{self._where(way)} of {len(pairs):,} rows"
                targets = [at for at in self._targets(way) if at != index][:3]
                targets = list(dict.fromkeys([self.typed.label, *targets, index]))
                for target in targets:
                    other = self.typed.columns[target]
                    found = dict.fromkeys(with_unit(self.typed.rows[at].cells[target], other) for at in among)
                    if not all(found) or (target == index and len(targets) == 1):
                        continue
                    cells = ", ".join(found)
                    if target == index:
                        said = cells, told, f"{extreme}."
                    else:
                        said = f"{cells} ({shown})", f"{told}: {shown}", f"{extreme}; {_plain(other.name)}: {cells}."
                    reading = self._reading(operation, way, among, target, index, *said)
                    reading.features["order_fit"] = self._order_fit(index, hints, place)
                    reading.features["order_self"] = float(target == index)
                    reading.computed = (f"{sign}({column.name})", shown, column.unit_text)
                    yield reading

    def _is_unit(self, column: int | None) -> bool:
        """Whether the word behind "how many" is of a unit like a column's: "how many miles long"."""
        unit = None if column is None else self.typed.columns[column].unit
        said = find_unit(self.words[min(self.asked.nouns)].text)
        return unit is not None and said is not None and compatible(unit, said)

    def _said_of(self, column: int) -> set[int]:
        return {at for at in range(len(self.words)) if self._named(column, at) >= 0.6}

    def _order_fit(self, column: int, hints: Sequence[str], place: int) -> float:
        best = max((likeness(hint, one) for hint in hints for one in self.names[column]), default=0.0)
        near = [at for at in range(max(0, place - 4), min(len(self.words), place + 5)) if at != place]
        best = max([best, *(self._named(column, at) - 0.05 * abs(at - place) for at in near)])
        return best + 0.25 * self._whole(column)

    # -- how well it fits

    def _reading(
        self, operation: Operation, way: tuple[Option, ...], rows: list[int], target: int | None, ordered: int | None,
        short: str, told: str, sentence: str,
    ) -> Reading:  # fmt: skip
        asked, words = self.asked, self.words
        taken = {at for option in way for at in option.words}
        named = taken.union(*(self._said_of(at) for at in (target, ordered) if at is not None))
        open_words = [
            at for at, word in enumerate(words) if word.telling and at not in named and at not in asked.operators
        ]
        title = self.typed.title_stems
        headers = {one for own in self.names for one in own}
        titled = [at for at in open_words if words[at].stem in title or words[at].text in NEUTRAL]
        left = [at for at in open_words if at not in titled]
        hard = [at for at in left if self._is_capital(at) or any(map(str.isdigit, words[at].text))]
        elsewhere = [at for at in left if any(likeness(words[at].text, one) >= 0.85 for one in headers)]
        telling = max(1, sum(word.telling for word in words))
        over = set() if ordered is None or target == ordered else self._said_of(ordered)
        fit = 0.0 if target is None else self.target_fit(target, taken | over)
        typed = None if target is None else self.typed.typed(target)
        distinct = len({self.typed.rows[at].cells[target] for at in rows}) if target is not None else 1
        features = {
            "left": len(left) / telling,
            "left_count": min(5.0, float(len(left))) / 5,
            "hard": float(min(2, len(hard))),
            "elsewhere": float(min(3, len(elsewhere))),
            "way": float(len(way)),
            "way_least": min((option.weight for option in way), default=0.5),
            "way_sum": min(3.0, sum(option.weight for option in way)),
            "way_none": float(not way),
            "target_fit": fit,
            "target_noun": 0.0 if target is None else max((self._named(target, at) for at in asked.nouns), default=0.0),
            "target_label": float(target == self.typed.label),
            "target_kind": 0.0 if typed is None else self._kind_fit(typed.numeric, typed.dated),
            "no_noun": float(not asked.nouns),
            "dropped": float(min(3, len((self._bound - named) - asked.operators))),
            "noun_open": sum(at in left for at in asked.nouns) / max(1, len(asked.nouns)),
            "how_open": float(
                "count" in asked.says and min(asked.nouns, default=-1) in left and not self._is_unit(target)
            ),
            "count_open": float(operation is Operation.COUNT and any(at in left for at in asked.nouns)),
            "several": float(operation is Operation.LIST and "plural" not in asked.says),
            "several_many": float(operation is Operation.LIST) * min(1.0, distinct / 12),
            "single_plural": float(operation is Operation.LOOKUP and "plural" in asked.says),
            "many_rows": float(operation is Operation.LOOKUP and len(rows) > 1),
            "order_fit": 0.0,
            "order_self": 0.0,
            "negated": float(self._negated and not any(option.told.endswith("= no") for option in way)),
        }  # fmt: skip
        features.update((f"{operation.name}:{trigger}", 1.0) for trigger in sorted(asked.says))
        return Reading(self.typed, operation, way, rows, target, ordered, short, told, sentence, features)


def _begun(words: Sequence[QuestionWord], match: re.Match[str]) -> set[int]:
    """The words that begin in a match."""
    return {n for n, word in enumerate(words) if match.start() <= word.span.start < match.end()}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks, by its words alone."""

    word: str
    """The question word."""
    nouns: frozenset[int]
    """The words right behind it: "which river", "what is the name of"."""
    hints: tuple[str, ...]
    superlatives: tuple[tuple[str, tuple[str, ...], int], ...]
    """Which end is meant, words for what is ordered by, and which word says it."""
    operators: frozenset[int]
    """The words that say what is done."""
    says: Set[str]
    """What it has a word for: ``count``, ``total``, ``mean``, ``superlative``, ``plural``, its question word."""


_ASKING = regex(r"\b(who|whom|whose|when|where|which|what|how|list|name|show|give|find)\b")
_PLURAL_ASKED = regex(
    r"\b(?:which|what) (?:\w+ ){0,2}?(?!(?:is|was|has|does|this)\b)\w+s\b|^(?:please )?(?:list|show|name|give)\b"
    r"|\bwhat are\b|\ball\b|\bwhich (?:of|ones)\b|\bwho (?:are|were|all)\b|\beach\b"
)


def _asked(question: Question) -> Asked:
    folded, words = question.folded, question.words
    match = _ASKING.search(folded)
    word = "" if match is None else match.group()
    word = {"whom": "who", "whose": "who"}.get(word, word)
    at = next((n for n, one in enumerate(words) if match is not None and one.span.start == match.start()), 0)
    nouns: list[int] = []
    for n in range(at + 1, min(len(words), at + 7)):
        if words[n].telling:
            nouns.append(n)
            if len(nouns) == 2 or word not in ("which", "what", "how", "list", "name", "show", "give", "find"):
                break
        elif nouns:
            break
    operators: set[int] = set()
    hints: list[str] = []
    if word == "how" and at + 1 < len(words) and words[at + 1].text in HOW:
        hints += HOW[words[at + 1].text].split()
        operators.add(at + 1)
    hints += {
        "who": ["name", "person"],
        "where": ["place", "location", "city", "country", "venue"],
        "when": ["date", "year"],
    }.get(word, [])
    superlatives = tuple(_superlatives(words, operators))
    for pattern in (COUNT, SUM, MEAN):
        for found in pattern.finditer(folded):
            operators |= _begun(words, found)
    patterns = {"count": _HOW_MANY, "total": SUM, "mean": MEAN, "plural": _PLURAL_ASKED, "much": _HOW_MUCH}
    says = {name for name, pattern in patterns.items() if pattern.search(folded)} | {"any"}
    says |= {"superlative"} if superlatives else set()
    says |= {{"which": "what"}.get(word, word)} & {"who", "when", "where", "what", "how"}
    says -= {"how"} if "count" in says else set()
    return Asked(word, frozenset(nouns), tuple(hints), superlatives, frozenset(operators), says)


def _superlatives(words: Sequence[QuestionWord], operators: set[int]) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """As of `Asked`; the words that say it join the operators."""
    for n, one in enumerate(words):
        following = words[n + 1].text if n + 1 < len(words) else ""
        if one.text in SUPERLATIVES and not (one.text in ("most", "least") and n and words[n - 1].text == "at"):
            operators.add(n)
            more = following in MOST_OF and one.text in ("most", "least")
            operators |= {n + 1} if more else set()
            base = (one.text[:-3],) if one.text.endswith("est") and one.text != "most" else ()
            for sign, said in SUPERLATIVES[one.text]:
                yield sign, (*(MOST_OF[following] if more else said).split(), *base), n
        elif one.text.endswith("est") and len(one.text) > 5 and one.telling:
            operators.add(n)
            yield "max", (one.text, one.text[:-3], one.text[:-3] + "e"), n


def _name_words(name: str) -> tuple[str, ...]:
    """The words of a column's name, apart where they were written as one."""
    plain = fold(CAMEL.sub(" ", name).replace("_", " "))
    said = [run.text for run in runs(plain)]
    return tuple(dict.fromkeys(word for word in said if word not in STOP_WORDS)) or tuple(said)


def _plain(name: str) -> str:
    return " ".join(CAMEL.sub(" ", name).replace("_", " ").replace(".", " ").split())


def _is_year_name(words: Sequence[str]) -> bool:
    return any(word in ("year", "years", "season", "date") for word in words)


def _same(asked: str, said: str, few: bool) -> float:
    """Whether a word of a cell is one of the question: as it stands, in another form, in part."""
    if asked == said:
        return 1.0
    if asked.isdigit() or said.isdigit():
        return 0.0
    if root(asked) == root(said):
        return 0.95
    short, long = sorted((asked, said), key=len)
    if few and len(short) >= 4 and long.startswith(short):
        return 0.7
    common = next((n for n, (a, b) in enumerate(zip(asked, said, strict=False)) if a != b), len(short))
    return 0.6 if few and common >= 5 and common >= 0.6 * len(long) else 0.0


_PARTS = regex(r"[,;/|\n]+ ?")


def _share(cell: str, said: set[str]) -> float:
    """The share of a cell's telling words that the question says."""
    roots = {root(word) for word in said}
    parts = _PARTS.split(cell)
    if len(parts) > 1 and any(part and {root(one.text) for one in runs(part)} == roots for part in parts):
        return 1.0
    words = [run.text for run in runs(cell)]
    telling = [word for word in words if word not in STOP_WORDS] or words
    held = sum(word in said or root(word) in roots or any(_same(one, word, True) for one in said) for word in telling)
    return held / max(1, len(telling))


def _meets(number: Value, low: Value, relation: str) -> bool:
    try:
        return holds(number, relation, low)
    except ComputationError:
        return False


def _in_period(value: Value, period: Period, sign: str, match: re.Match[str] | None) -> bool:
    day = value.date
    if day is None:
        return False
    if sign == "<":
        return day.last < period.first or (match is not None and "until" in match.group() and day.last <= period.last)
    if sign == ">":
        since = match is not None and bool(_INCLUSIVE.search(match.group()))
        return day.first >= period.first if since else day.first > period.last
    return period.first <= day.first and day.last <= period.last
