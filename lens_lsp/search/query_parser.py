"""The words of a question as conditions on the rows of one table, columns that are asked for, and an operation.

Every telling word must be accounted for: by the name of a column, the value of a cell, an operator, a number or date
that a condition names, or by what the table is called. Names and numbers never go without; a word written small may be
close in meaning to what the table is called, or say of what kind its rows are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from itertools import product

from lens_lsp.arithmetic.notation import MONTHS
from lens_lsp.arithmetic.typed_values import Value, ValueKind, is_year, quantity
from lens_lsp.arithmetic.units import ONE, Dimension, compatible, find_unit
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.plan import Intent
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, fold, key, stem
from lens_lsp.search.metadata import Period
from lens_lsp.search.record_values import ENOUGH, EXACT, RELATIONS, TypedTable, holds, in_unit_of, is_blank, said_value
from lens_lsp.search.record_words import (
    COMPARATIVES,
    COUNT,
    GROUPS,
    HOW,
    MAX,
    MEAN,
    MEDIAN,
    MIN,
    MOST_OF,
    NEUTRAL,
    NOUN_HEADS,
    OPPOSITES,
    SUM,
    SUPERLATIVES,
    Question,
    QuestionWord,
    alike,
    related,
    root,
    shortened,
)
from lens_lsp.search.records import Record

_REFUSED_WORDS = """
no not nor neither never without except excluding other another each every per same both or why unless only besides
instead else difference compare compared percentage ratio
"""
_REFUSED = frozenset(_REFUSED_WORDS.split())
"""Words of questions that no reading here understands, but where a condition took them."""
_HONORIFICS = frozenset(["dr", "mr", "mrs", "ms", "prof", "professor"])
_BEFORE_NUMBER = regex(
    r"(?:(?:is|are|was|were|of|by|weighs?|costs?) )?(?:\b(?P<least>at least|no (?:less|fewer) than|not less than"
    r"|minimum of|from)|\b(?P<most>at most|no more than|not more than|up to|maximum of)"
    r"|\b(?P<exceeds>exceed(?:s|ed|ing)?)"
    r"|\b(?P<exact>exactly|equal to|equals?)|\b(?P<plain>above|over|below|under)"
    r"|\b(?P<more>more|less) (?P<adjective>expensive) than"
    rf"|\b(?P<compared>{'|'.join(COMPARATIVES)}) than|(?P<sign>[<>]=?|=))"
    r"(?: (?:a|an|the|about|around))? ?[$€£¥]?\Z"
)
_BEHIND_NUMBER = regex(
    r" ?(?:(?P<least>or (?:more|higher|greater|above|over|larger|longer|older|heavier)|and (?:more|above|over)|\+)"
    r"|(?P<most>or (?:less|fewer|lower|below|under|smaller|shorter|younger|lighter)|and (?:less|below|under)))\b"
)
_EXTREMES = frozenset(map(root, ["max", "maximum", "min", "minimum", "average", "avg", "mean"]))
_JOINING = frozenset(["of", "the", "a", "an", "in", "per", "and", "to", "at", "for", "by"])
"""Small words that may stand between the words of a column's name."""
_BETWEEN = regex(r"\b(?:between|from) (?:the )?[$€£¥]?\Z")
_AND_TO = regex(r" ?(?:and|to|-|–) ?[$€£¥]?")
_FILLER = regex(r"\b(?:in|of) a hundred\b|\bi mean\b|\ball in all\b|\bi(?: would|'d) like to know\b|\bi want to know\b")
_ANSWER_UNIT = regex(r"\((?P<noted>[^()]{1,20})\)|\bin (?:degrees )?(?P<unit>[a-z°]{2,14})\b(?=[ ?.,]*\Z)")
HOW_ASKED = regex(rf"\bhow (?P<word>{'|'.join(HOW)})\b")


class Operation(StrEnum):
    """What is done with the rows."""

    LOOKUP = "look-up"
    LIST = "list"
    COUNT = "count"
    SUM = "sum"
    MEAN = "average"
    MEDIAN = "median"
    MAX = "max"
    MIN = "min"

    @property
    def intent(self) -> Intent:
        """What a question that wants this asks for."""
        if self is Operation.LOOKUP:
            return Intent.LOOKUP
        return Intent.AGGREGATION if self in (Operation.LIST, Operation.COUNT) else Intent.COMPUTATION


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name a column: one of some."""

    first: int
    last: int
    columns: tuple[int, ...]
    full: bool
    alias: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """Words that name the value of a cell, in one of some columns; ``key`` is how the cell's words begin or are."""

    first: int
    last: int
    columns: tuple[int, ...]
    keys: frozenset[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row must meet: a test of one column's cells, in words."""

    column: int
    meets: Callable[[int, Record], bool | None]
    """By the row's number and the row; None where nobody can tell."""
    told: str
    equal: bool = False


class TableQueryParser:
    """The words of a question as a query over one table."""

    def __init__(self, question: Question, query: TypedTable, *, columns_first: bool) -> None:
        self.query = query
        self.question = question
        self.words = self.question.words
        self.taken: set[int] = set()
        self.score = 0.0
        self.mentions: list[Mention] = []
        self.named: list[Named] = []
        self.operation: Operation | None = None
        self.hints: tuple[tuple[str, str], ...] = ()
        self.extreme_at: int | None = None
        self.extremes: set[int] = set()
        self.hinted = False
        """Whether a comparison says of which column it is."""
        self._columns_first = columns_first

    def read(self) -> Sequence[Sequence[Condition]] | None:
        """The conditions on rows, one list for each way to choose their columns; None where the words do not fit."""
        self._find_values(several=True)
        self._find_names()
        if self._columns_first:
            self._find_columns(strict=True)
        self._find_operation()
        self._find_values(several=False)
        self._find_columns(strict=False)
        self._find_figures()
        self._find_values_by_meaning()
        self._account_values_in_part()
        numbers = self._number_conditions()
        dates = None if numbers is None else self._date_conditions()
        if numbers is None or dates is None or not self._all_accounted():
            return None
        options = self._equalities()
        return None if options is None else [[*equal, *numbers, *dates] for equal in options]

    # -- columns ----------------------------------------------------------------------------------------------------

    def _find_columns(self, *, strict: bool) -> None:
        """The longest runs of free words that name columns; ``strict``: all words of a name, and no others."""
        first = 0
        while first < len(self.words):
            mention = self._column_from(first, strict=strict)
            if mention is None:
                first += 1
                continue
            self.mentions.append(mention)
            self.taken |= set(range(mention.first, mention.last + 1))
            self.score += 2.0 if mention.full and not mention.alias else 1.0
            first = mention.last + 1
            if first < len(self.words) and first not in self.taken and self.words[first].stem in NOUN_HEADS:
                self.taken.add(first)
        self.mentions.sort(key=lambda mention: mention.first)

    def _column_from(self, first: int, *, strict: bool) -> Mention | None:
        best: Mention | None = None
        said: list[str] = []
        for last in range(first, min(len(self.words), first + 8)):
            word = self.words[last]
            if last in self.taken or last in self._units:
                break
            if not word.telling and said and word.text in _JOINING:
                continue
            if not word.telling:
                break
            said.append(word.stem)
            mention = self._columns_called(said, first, last, strict=strict)
            if mention is not None and (best is None or mention.full or not best.full):
                best = mention
        return best

    @cached_property
    def _units(self) -> set[int]:
        """The words that are units of numbers: "years" of "73 years"."""
        found: set[int] = set()
        for value in self.question.values:
            if value.span is not None and value.date is None and value.unit.dimension is not Dimension.COUNT:
                found |= {at for at in self.question.at(value.span) if self.words[at].text.isalpha()}
        return found

    def _columns_called(self, said: Sequence[str], first: int, last: int, *, strict: bool) -> Mention | None:
        full: list[int] = []
        alias: list[int] = []
        part: list[int] = []
        wanted = list(dict.fromkeys(said))
        brief = len(wanted) > 1

        def same(asked: str, one: str) -> bool:
            return alike(asked, one) or (brief and shortened(asked, one))

        said_as_one = "".join(self.words[at].text for at in range(first, last + 1))
        for column in self.query.columns:
            named = set(column.stems)
            if not named:
                continue
            known = named | column.optional
            operates = len(wanted) > 1 and bool(_EXTREMES.intersection(named))
            if (set(wanted) <= known and named <= set(wanted)) or said_as_one == column.joined:
                full.append(column.index)
            elif (not strict or operates) and all(any(same(word, one) for one in known) for word in wanted):
                whole = all(any(same(word, one) for word in wanted) for one in named)
                # a year is none of a period's two
                if whole or not all(word.isdigit() for word in wanted) or sum(map(str.isdigit, named)) < 2:
                    (alias if whole else part).append(column.index)
        if full or alias:  # "maximum temperature" names a column and asks for no maximum
            return Mention(first, last, tuple(full or alias), True, alias=not full)
        return Mention(first, last, tuple(part), False) if part and not strict else None

    def _hinted(self, hints: str) -> list[int]:
        """The columns that one of some words names, by the first word that names any."""
        for hint in hints.split():
            found = [
                column.index
                for column in self.query.columns
                if any(stem(hint) == one or alike(stem(hint), one) for one in column.stems)
            ]
            if found:
                exact = [at for at in found if self.query.columns[at].stems == (stem(hint),)]
                return exact or found
        return []

    # -- operators --------------------------------------------------------------------------------------------------

    def _take(self, match: re.Match[str]) -> None:
        self.taken |= self.question.at(Span(*match.span()))

    def _free(self, match: re.Match[str]) -> bool:
        return not self.question.at(Span(*match.span())) & self.taken

    def _find_operation(self) -> None:
        folded = self.question.folded
        for filler in _FILLER.finditer(folded):
            self._take(filler)
        for pattern, operation in ((MEDIAN, Operation.MEDIAN), (MEAN, Operation.MEAN), (COUNT, Operation.COUNT)):
            match = pattern.search(folded)
            if match is not None and self._free(match):
                self.operation = operation
                self.score += 1.0
                self._take(match)
                break
        total = next((one for one in SUM.finditer(folded) if self._free(one)), None)
        if total is not None and self.operation in (None, Operation.COUNT):
            self.score += 1.0 if self.operation is None else 0.0
            self.operation = Operation.SUM if self.operation is None else self.operation
            self._take(total)
        if self.operation is None:
            self._find_superlative()

    def _find_superlative(self) -> None:
        for at, word in enumerate(self.words):
            if at in self.taken or word.text not in SUPERLATIVES:
                continue
            ways = {way for way, _ in SUPERLATIVES[word.text]}
            if self.operation is not None and (len(ways) > 1 or self.hints[0][0] not in ways):
                continue
            before = self.words[at - 1].text if at else ""
            if word.text in ("first", "last", "top") and before not in ("the", "s", "which", "what"):
                continue
            if before == "at":  # "at least", "at most"
                continue
            self.hints, self.extreme_at = SUPERLATIVES[word.text], at
            self.extremes.add(at)
            self.taken.add(at)
            following = self.words[at + 1].text if at + 1 < len(self.words) else ""
            if word.text in ("most", "least") and following in MOST_OF:
                way = MAX if word.text == "most" else MIN
                self.hints = ((way, MOST_OF[following]),)
                self.taken.add(at + 1)
            self.score += 0.0 if self.operation is not None else 2.5 if self.hints[0][1] else 1.0
            self.operation = Operation.MAX if self.hints[0][0] == MAX else Operation.MIN

    # -- values -----------------------------------------------------------------------------------------------------

    @cached_property
    def values_said(self) -> tuple[dict[tuple[int, int], dict[int, set[str]]], dict[tuple[int, int], float]]:
        """As of the table, for this question."""
        return self.query.values_said(self.question)

    def _find_values(self, *, several: bool) -> None:
        """The cells whose words stand in the question, the longest first; ``several``: those of some words, exactly."""
        found, weights = self.values_said
        for place in sorted(found, key=lambda place: (place[0] - place[1], place[0])):
            first, last = place
            inside = set(range(first, last + 1))
            telling = sum(self.words[at].telling for at in inside)
            if not telling or (several and (weights[place] < EXACT or telling < 2)):
                continue
            if len(inside) == 1 and (self.words[first].text.isdigit() or self.words[first].text in NEUTRAL):
                continue  # a number says of what it is one
            if inside & self.taken and not self._take_over(inside):
                continue
            keys = frozenset(one for own in found[place].values() for one in own)
            weight = weights[place] + 0.5 * (telling - 1)
            self._name(Named(first, last, tuple(sorted(found[place])), keys, weight))

    def _name(self, named: Named) -> None:
        self.named.append(named)
        self.taken |= set(range(named.first, named.last + 1))
        self.score += named.weight

    def _take_over(self, inside: set[int]) -> bool:
        """Whether a value may have words that named a column: it has others, and all of that name's."""
        over = [one for one in self.mentions if set(range(one.first, one.last + 1)) <= inside]
        left = inside - {at for one in over for at in range(one.first, one.last + 1)}
        if not over or not left or left & self.taken:
            return False
        for one in over:
            self.mentions.remove(one)
            self.score -= 2.0
        return True

    def _find_names(self) -> None:
        """Names of some words that stand in longer cells, the longest first."""
        first = 0
        while first < len(self.words):
            if not self._is_capital(first) or first in self.taken:
                first += 1
                continue
            last = end = first
            while end + 1 < len(self.words) and end + 1 not in self.taken and end - last < 3:
                end += 1
                if self._is_capital(end):
                    last = end
                elif self.words[end].telling:
                    break
            place = next(filter(None, (self._in_part(first, at) for at in range(last, first, -1))), None)
            if place is not None:
                said = sum(self.words[at].telling for at in range(first, place.last + 1))
                self._name(replace(place, weight=1.0 + 0.5 * (said - 1)))
                last = place.last
            first = last + 1

    def _is_capital(self, at: int) -> bool:
        letter = self.question.letter(at)
        return letter.isupper() or (at > 0 and letter.isdigit())

    def _find_figures(self) -> None:
        """Figures that are the whole of a cell, right behind or before the name of its column: "order 1003"."""
        found, _ = self.values_said
        for at, word in enumerate(self.words):
            dated = any(
                len(self.question.at(span)) > 1 for _, span in self.question.periods if span.overlaps(word.span)
            )
            if at in self.taken or not word.text.isdigit() or dated:
                continue
            columns = found.get((at, at), {})
            near = [
                index
                for one in self.mentions
                for index in one.columns
                if index in columns and (one.last == at - 1 or one.first == at + 1 or self._follows(one, at))
            ]
            if len(near) == 1:
                self._name(Named(at, at, (near[0],), frozenset(columns[near[0]]), EXACT))

    def _follows(self, mention: Mention, at: int) -> bool:
        """Whether nothing but small words parts the name of a column from a figure behind it."""
        return mention.last < at and self._only_small(mention.last + 1, at)

    def _find_values_by_meaning(self) -> None:
        """Words that mean what the cells of a column with few different ones say: "die" of a column of deaths and
        words."""
        for at, word in enumerate(self.words):
            if at in self.taken or not self._needs(at) or not word.text.isalpha() or len(word.text) < 3:
                continue
            near = related(word.text)
            found: dict[int, set[str]] = {}
            for index, cells in self.query.kinds.items():
                for cell in cells:
                    said = key(cell)
                    if root(said) in near or (" " not in said and alike(word.stem, root(said))):
                        found.setdefault(index, set()).add(said)
            if len(found) == 1 and all(len(keys) == 1 for keys in found.values()):
                index, keys = next(iter(found.items()))
                self._name(Named(at, at, (index,), frozenset(keys), 1.0))

    def _account_values_in_part(self) -> None:
        """Take free words that stand in cells with more words, as a family name does."""
        at = 0
        while at < len(self.words):
            if at in self.taken or not self._needs(at):
                at += 1
                continue
            last = at
            while last + 1 < len(self.words) and last + 1 not in self.taken and self._needs(last + 1):
                last += 1
            place = next(filter(None, (self._in_part(at, end) for end in range(last, at - 1, -1))), None)
            if place is None:
                return  # accounted for by what the table is called, or not at all
            self._name(place)
            at = place.last + 1

    def _needs(self, at: int) -> bool:
        word = self.words[at]
        if not word.telling or word.text in NEUTRAL or word.stem in self.query.title_stems:
            return False
        return not self._is_numeric(at)

    def _is_numeric(self, at: int) -> bool:
        word = self.words[at].text
        return at in self.question.measured or word in COMPARATIVES or word.startswith("exceed") or word.isdigit()

    def _in_part(self, first: int, last: int) -> Named | None:
        written = self.question.written(first, last)
        joined = (
            first > 1
            and self.words[first - 1].text in ("and", "or")
            and any(named.last == first - 2 for named in self.named)
        )
        if not joined and not self._asks_by_noun(first) and not any(c.isupper() or c.isdigit() for c in written):
            return None
        said = " ".join(self.words[at].stem for at in range(first, last + 1))
        columns: dict[int, set[str]] = {}
        seen: dict[str, str | None] = {}
        for _, row in self.query.data():
            for index, cell in enumerate(row.cells):
                if not cell or len(cell) > 300:
                    continue
                if cell not in seen:
                    folded = key(cell)
                    roots = " ".join(map(root, folded.split(" ")))
                    seen[cell] = folded if f" {said} " in f" {roots} " else None
                held = seen[cell]
                if held is not None:
                    columns.setdefault(index, set()).add(held)
        keys = frozenset(one for own in columns.values() for one in own)
        if len(columns) != 1 or any(set(columns) & set(named.columns) for named in self.named if named.weight > 1.0):
            return None
        return Named(first, last, tuple(columns), keys, 1.0)

    def _asks_by_noun(self, at: int) -> bool:
        """Whether a word says of what kind the rows are that are asked for: "which county", "how many counties"."""
        before = self.question.folded[: self.words[at].span.start]
        return re.search(r"\b(?:which|what|how many)(?: \w+)? \Z", before) is not None

    # -- conditions -------------------------------------------------------------------------------------------------

    def _number_conditions(self) -> list[Condition] | None:
        """The numbers that a condition names, each with its column; None where one has none."""
        found: list[Condition] = []
        upper: Value | None = None
        for at, value in enumerate(self.question.values):
            inside = self._digits(value)
            if value is upper or not inside or inside <= self.taken or value.kind is ValueKind.TIME:
                continue
            compared = self._compared(at, value)
            if compared is None:
                continue
            relation, hints, upper = compared
            inside |= set() if upper is None else self._digits(upper)
            own = quantity(value.magnitude, span=value.span) if is_year(value) else value
            column = self._column_for(inside, upper or own, own, hints, equal=relation == "=")
            condition = None if column is None else self._number_condition(column, relation, own, upper)
            if condition is None:
                return None
            self.taken |= inside
            found.append(condition)
            self.score += 1.0
        return found

    def _digits(self, value: Value) -> set[int]:
        """The words of a number, without the noun that it counts, which may name a column."""
        assert value.span is not None
        counts = value.unit.dimension is Dimension.COUNT
        return self.question.digits(value) if counts else self.question.at(value.span)

    def _compared(self, at: int, value: Value) -> tuple[str, str, Value | None] | None:
        """How a number is compared, the columns that the words for it mean, and the other end of a range; None for what
        is a date."""
        assert value.span is not None
        folded, values = self.question.folded, self.question.values
        before = folded[: value.span.start]
        match = _BEFORE_NUMBER.search(before)
        if value.date is not None and not is_year(value):
            return None
        if any(span.overlaps(value.span) for _, span in self.question.periods) and (
            match is None or not (match["compared"] or match["plain"] or match["exceeds"])
        ):
            return None
        between, upper = _BETWEEN.search(before), values[at + 1] if at + 1 < len(values) else None
        start = None if upper is None or upper.span is None else upper.span.start
        if between is not None and start is not None and _AND_TO.fullmatch(folded, value.span.end, start) is not None:
            self._take(between)
            return "between", "", upper
        behind = _BEHIND_NUMBER.match(folded, value.span.end)
        if match is not None:
            self._take(match)
            return (*_relation(match), None)
        if behind is not None:
            self._take(behind)
            hints = COMPARATIVES.get(behind.group().split()[-1], ("", ""))[1]
            return (">=" if behind["least"] else "<="), hints, None
        return "=", "", None

    def _column_for(self, inside: set[int], behind: Value, value: Value, hints: str, *, equal: bool) -> int | None:
        """The column that a number is compared with: the one named right before or behind it, one that a word for the
        comparison means, or the only one with its unit."""
        first, last = min(inside), max(inside)
        near = [one for one in self.mentions if one.first > last and self._only_small(last + 1, one.first)][:1]
        near += [one for one in self.mentions if one.last < first and self._only_small(one.last + 1, first)][-1:]
        candidates = self._numeric(self._hinted(hints))
        if candidates:  # "older than 90" says of which column it is
            self.hinted = True
            self.score += 1.0
        if not candidates and near:
            candidates = self._numeric(near[0].columns)
            if candidates:
                self.mentions.remove(near[0])
        if not candidates and not equal:
            candidates = self._by_unit(value)
        assert behind.span is not None
        if not candidates and not equal and self.question.folded[behind.span.end :].startswith(" times"):
            candidates = self._numeric(self._hinted("n count number frequency"))
        if (
            not candidates
            and not equal
            and self.words[min(last + 1, len(self.words) - 1)].stem in self.query.title_stems
        ):
            candidates = self._numeric(self._hinted("total"))  # of what the table is of
        only = self.mentions[0] if len(self.mentions) == 1 else None
        counts = value.unit.dimension is Dimension.COUNT or (self.operation is Operation.COUNT and near == [])
        if not candidates and not equal and only is not None and (only.first > last or not counts):
            candidates = self._numeric(only.columns)
            if candidates:
                self.mentions.remove(only)
        return candidates[0] if len(candidates) == 1 else None

    def _by_unit(self, value: Value) -> list[int]:
        units = [(column.index, column.unit) for column in self.query.columns]
        found = [at for at, unit in units if unit is not None and value.unit != ONE and compatible(unit, value.unit)]
        return self._numeric(found)

    def _numeric(self, columns: Iterable[int]) -> list[int]:
        return [at for at in columns if self.query.typed(at).numeric]

    def _only_small(self, first: int, last: int) -> bool:
        """Whether nothing telling stands between two places but what a comparison took."""
        held = [(one.first, one.last) for one in self.mentions] + [(one.first, one.last) for one in self.named]
        return all(
            not self.words[at].telling
            or (at in self.taken and not any(start <= at <= end for start, end in held))
            or self.words[at].text in NEUTRAL
            for at in range(first, last)
        )

    def _number_condition(self, index: int, relation: str, value: Value, upper: Value | None) -> Condition | None:
        column, typed = self.query.columns[index], self.query.typed(index)
        low, high = in_unit_of(value, column, typed), None if upper is None else in_unit_of(upper, column, typed)
        if low is None or (upper is not None and high is None):
            return None

        def meets(at: int, row: Record) -> bool | None:
            own = typed.numbers[at]
            if own is None:
                return False if is_blank(row.cells[index]) else None
            try:
                if high is not None:
                    return holds(own, ">=", low) and holds(own, "<=", high)
                return holds(own, relation, low)
            except ComputationError:
                return None

        told = f"{column.name} {RELATIONS.get(relation, 'from')} {said_value(value)}" + (
            "" if upper is None else f" to {said_value(upper)}"
        )
        return Condition(index, meets, told, relation == "=")

    def _date_conditions(self) -> list[Condition] | None:
        found: list[Condition] = []
        by_span: dict[Span, list[Period]] = {}
        for period, span in self.question.periods:
            if not self.question.at(span) <= self.taken:
                by_span.setdefault(span, []).append(period)
        for span, said in by_span.items():
            options: Sequence[Period] = said
            inside = self.question.at(span)
            dated = [column.index for column in self.query.columns if self.query.typed(column.index).dated]
            near = [one for one in self.mentions if set(one.columns) & set(dated) and len(one.columns) == 1]
            parts = self._date_parts(options)
            if parts is not None:
                found += parts
                self.taken |= inside
                self.score += 1.0
                continue
            if len(near) == 1:
                index = near[0].columns[0]
                if self.operation is not None or len(self.mentions) > 1:
                    self.mentions.remove(near[0])
            elif len(dated) == 1:
                index = dated[0]
            elif not dated and all(
                self.words[at].stem in self.query.title_stems or self._is_titled(self.words[at])
                for at in inside
                if self.words[at].telling
            ):
                self.taken |= inside  # all of the table is of that time
                self.score += 0.5
                continue
            else:
                return None
            self.taken |= inside
            self.taken |= {at - 1 for at in inside if at and self.words[at - 1].text in ("year", "years", "month")}
            self.score += 1.0
            options = self._of_month(index, options, min(inside))
            found.append(self._date_condition(index, options, self.question.text[span.start : span.end]))
        return found

    def _date_parts(self, options: Sequence[Period]) -> list[Condition] | None:
        """A month or a day as conditions on a column of years, one of months and one of days; None where there are
        none."""
        columns = {
            part: next(
                (at for at in self._numeric(self._hinted(part)) if self.query.columns[at].stems == (root(part),)), None
            )
            for part in ("year", "month", "day")
        }
        if len(options) != 1 or options[0].days > 30 or columns["year"] is None or columns["month"] is None:
            return None
        first, last = options[0].first, options[0].last
        whole = first.day == 1 and last == Period.of(first.year, first.month).last
        if not whole and (first != last or columns["day"] is None):
            return None
        wanted = {"year": first.year, "month": first.month} | ({} if whole else {"day": first.day})
        found = [
            replace(condition, told=f"{self.query.columns[at].name} = {number}")
            for part, number in wanted.items()
            if (at := columns[part]) is not None
            and (condition := self._number_condition(at, "=", quantity(number), None)) is not None
        ]
        return found if len(found) == len(wanted) else None

    def _of_month(self, index: int, options: Sequence[Period], at: int) -> Sequence[Period]:
        """The years in place of a month, where the table has a column for each month, which is then asked for."""
        if len(options) != 1 or options[0].days > 30 or options[0].days < 27:
            return options
        month = options[0].first.month
        named = {name for name, number in MONTHS.items() if number == month}
        found = [column.index for column in self.query.columns if fold(column.name) in named]
        years = all(value is None or is_year(value) for value in self.query.typed(index).dates)
        if len(found) != 1 or not years:
            return options
        self.mentions.append(Mention(at, at, (found[0],), True))
        self.score += 1.0
        return [Period.of(options[0].first.year)]

    def _date_condition(self, index: int, options: Sequence[Period], said: str) -> Condition:
        dates = self.query.typed(index).dates

        def meets(at: int, row: Record) -> bool | None:
            value = dates[at]
            if value is None or value.date is None:
                return False if is_blank(row.cells[index]) else None
            day = value.date
            if any(option.first <= day.first and day.last <= option.last for option in options):
                return True
            apart = all(day.last < option.first or option.last < day.first for option in options)
            return False if apart else None

        return Condition(index, meets, f"{self.query.columns[index].name}: {said}")

    def _equalities(self) -> Sequence[Sequence[Condition]] | None:
        """The conditions that cells are called so, one list for each way to choose their columns."""
        options: list[list[tuple[int, Named]]] = []
        for named in self.named:
            columns = list(named.columns)
            beside = self._beside(named)
            if beside is not None:
                self.mentions.remove(beside)
                columns = [at for at in columns if at in beside.columns]
            elif len(columns) > 1:
                columns = self._by_preposition(named) or columns
            options.append([(at, named) for at in columns])
        ways: list[list[Condition]] = []
        left = [word for at, word in enumerate(self.words) if at not in self.taken]
        if any(word.text in _REFUSED and word.stem not in self.query.title_stems for word in left):
            return None
        for chosen in product(*options):
            by_column: dict[int, list[Named]] = {}
            for at, named in chosen:
                by_column.setdefault(at, []).append(named)
            found = (self._equality(at, several) for at, several in by_column.items())
            conditions = [one for one in found if one is not None]
            if len(conditions) == len(by_column):
                ways.append(conditions)
        return ways[:64] or None

    def _alternatives(self, several: Sequence[Named]) -> list[list[Named]]:
        """What may hold instead of each other; words that nothing joins must hold together."""
        found: list[list[Named]] = []
        for named in sorted(several, key=lambda one: one.first):
            last = found[-1][-1] if found else None
            joined = last is None or (
                "," in self.question.written(last.first, named.last)
                or {word.text for word in self.words[last.last + 1 : named.first]} & {"and", "or"}
            )
            if joined:
                found.append([named])
            else:
                found[-1].append(named)
        return found

    def _beside(self, named: Named) -> Mention | None:
        """The name of its column, right before or behind a value."""
        if len(self.mentions) < 2 and self.operation is None and not self._has_default():
            return None
        for mention in self.mentions:
            before = mention.last < named.first and self._only_small(mention.last + 1, named.first)
            if (before or mention.first == named.last + 1) and set(mention.columns) & set(named.columns):
                return mention
        return None

    def _has_default(self) -> bool:
        """Whether the question says by another word than a column's name what it asks for."""
        return re.match(r"(?:who|when|where|how)\b", self.question.folded) is not None

    def _by_preposition(self, named: Named) -> list[int]:
        before = self.words[named.first - 1].text if named.first else ""
        if before not in ("from", "to", "by", "in", "at", "for"):
            return []
        return [at for at in named.columns if any(alike(before, one) for one in self.query.columns[at].stems)]

    def _equality(self, index: int, several: Sequence[Named]) -> Condition | None:
        """The condition that a column's cells are called so; None where some words fit no cell together."""
        alternatives = self._alternatives(several)
        together = [frozenset.intersection(*(named.keys for named in group)) for group in alternatives]
        if not all(together):
            return None
        keys = frozenset[str]().union(*together)
        seen: dict[str, bool] = {}
        sparse = self._sparse(index)

        def meets(at: int, row: Record) -> bool | None:
            cell = row.cells[index]
            if cell not in seen:
                seen[cell] = key(cell) in keys
            return None if not cell and sparse else seen[cell]

        whole, part = [], []
        for named, *others in alternatives:
            said = self.question.written(named.first, named.last)
            if others:
                part.append(" and ".join(f"“{self.question.written(one.first, one.last)}”" for one in (named, *others)))
            elif any(_is_all(said, one) for one in named.keys):
                cells = (row.cells[index] for _, row in self.query.data())
                whole += [next((cell for cell in cells if key(cell) in named.keys), said)]
            elif not any(stem(key(said)) in one for one in named.keys):  # another word for it
                whole += sorted(named.keys)[:2]
            else:
                part.append(f"“{said}”")
        told = " = " + " or ".join(whole) if whole else ""
        told += (" or" if whole else "") + f" with {' or '.join(part)}" if part else ""
        return Condition(index, meets, f"{self.query.columns[index].name}{told}", True)

    def _sparse(self, index: int) -> bool:
        """Whether cells may be empty because the one above holds for them, too."""
        cells = [row.cells[index] for _, row in self.query.data()]
        filled = [cell for cell in cells if cell]
        return len(filled) < ENOUGH * len(cells) and len(set(filled)) == len(filled) and bool(cells and cells[0])

    # -- what is left -----------------------------------------------------------------------------------------------

    def _all_accounted(self) -> bool:
        """Whether every telling word means something."""
        how = HOW_ASKED.search(self.question.folded)
        asking = set() if how is None else self.question.at(Span(*how.span()))
        for at, word in enumerate(self.words):
            if at in self.taken or not word.telling or word.text in NEUTRAL:
                continue
            if word.stem in self.query.title_stems or word.text in self.query.title_stems or self._is_titled(word):
                self.score += 0.5
                continue
            if at in self._answer_units or at in asking:
                continue
            if (word.stem in GROUPS and self._hint_of_verb(at)) or self._hint_of_unit(at):
                continue
            before = self.words[at - 1].text if at else ""
            if self._is_close(word) and before not in ("which", "what"):  # a city is close to a country and is none
                self.score += 0.25
            elif self._is_explicit or self._is_kind(at):
                self.score -= 0.5
            else:
                return False
        self.score -= sum(word.text in _HONORIFICS and at not in self.taken for at, word in enumerate(self.words))
        return True

    def _is_titled(self, word: QuestionWord) -> bool:
        """Whether what the table is called holds another form of a word, or one that means the same."""
        if len(word.stem) < 4 and not GROUPS.get(word.stem):
            return False
        return any(
            alike(word.stem, one) or (len(word.stem) >= 4 and one.isalpha() and one.startswith(word.stem))
            for one in self.query.title_stems
        )

    @cached_property
    def _answer_units(self) -> set[int]:
        """The words that say in which unit the answer is: "(°F)", "in kelvin"; none where the cells have another."""
        found: set[int] = set()
        for match in _ANSWER_UNIT.finditer(self.question.folded):
            start, end = match.span("noted" if match["noted"] else "unit")
            unit = find_unit(self.question.text[start:end])
            if unit is None:
                continue
            known = {column.unit for column in self.query.columns if column.unit and compatible(column.unit, unit)}
            if known == {unit} or (match["noted"] and not known):
                found |= self.question.at(Span(*match.span()))
        return found

    @cached_property
    def _is_explicit(self) -> bool:
        """Whether the question says which column it means: "(intgross)", "I mean the lowest temp_min"."""
        folded, words = self.question.folded, self.words
        full = (one for one in self.mentions if one.full and not one.alias)
        places = ((words[one.first].span.start, words[one.last].span.end) for one in full)
        return any(folded[:start].endswith("(") and folded[end:].startswith(")") for start, end in places)

    def _is_kind(self, at: int) -> bool:
        """Whether a word says of what kind the rows are, where the column that matters is named: "the coldest night",
        "how many couples"."""
        word = self.words[at]
        following = self.words[at + 1] if at + 1 < len(self.words) else None
        if following is not None and following.telling and following.text not in NEUTRAL:
            return False  # it says which of them: "which radioactive element"
        if word.stem in OPPOSITES or self.question.written(at, at) != word.text:
            return False
        if self.operation in (Operation.MAX, Operation.MIN):
            assert self.extreme_at is not None
            named = bool(self.hints[0][1]) or bool(self.mentions)
            return named and at - 1 in self.extremes
        before = self.question.folded[: word.span.start]
        counts = self.operation is Operation.COUNT and before.endswith("how many ")
        return counts and any(self._numeric(mention.columns) for mention in self.mentions)

    def _is_close(self, word: QuestionWord) -> bool:
        """Whether a word, written small, is close in meaning to what the table or its columns are called."""
        if self.question.text[word.span.start : word.span.end] != word.text or not word.text.isalpha():
            return False
        near = related(word.text)
        columns = {one for column in self.query.columns for one in (*column.stems, *column.optional)}
        return bool(near & (self.query.title_stems | columns))

    def _hint_of_unit(self, at: int) -> bool:
        """Whether a word is the unit of one column, which is asked for by it: "how many GWh"."""
        word = self.words[at]
        known = (self.question.written(at, at), word.text)
        found = [column.index for column in self.query.columns if column.unit_text in known]
        self._mention(at, found)
        return len(found) == 1

    def _hint_of_verb(self, at: int) -> bool:
        """Whether a word such as "spent" or "weigh" means a column that is asked for anyway."""
        found = self._hinted(self.words[at].text)
        self._mention(at, found)
        return bool(found)

    def _mention(self, at: int, found: Sequence[int]) -> None:
        """Take a word for the only column that was found, unless another names that."""
        if len(found) == 1 and all(found[0] not in one.columns for one in self.mentions):
            self.mentions.append(Mention(at, at, (found[0],), True, alias=True))
            self.score += 1.0


def _relation(match: re.Match[str]) -> tuple[str, str]:
    for said, sign in (("least", ">="), ("most", "<="), ("exceeds", ">"), ("exact", "=")):
        if match[said]:
            return sign, ""
    if match["adjective"]:
        return (">" if match["more"] == "more" else "<"), "price cost"
    if match["sign"]:
        return match["sign"], ""
    return COMPARATIVES[match["compared"] or match["plain"]]


def _is_all(said: str, cell: str) -> bool:
    """Whether a question says all telling words of a cell."""
    return {root(word) for word in cell.split() if word not in STOP_WORDS} <= {root(word) for word in key(said).split()}
