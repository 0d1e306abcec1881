"""Questions that rows of tables answer exactly: look-up, filter, count, sum, average, least and greatest.

One reading must win; where two come to different answers there is none. What is computed is computed in fractions, on
cells that are cited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import mean, median

from lens_lsp.arithmetic.units import ONE, Dimension
from lens_lsp.model.documents import Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span
from lens_lsp.model.words import key
from lens_lsp.search.query_parser import HOW_ASKED, Condition, Mention, Operation, TableQueryParser
from lens_lsp.search.record_values import (
    EXACT,
    MOST_NAMED,
    TypedTable,
    is_blank,
    listed,
    outermost,
    show_amount,
    with_unit,
)
from lens_lsp.search.record_words import HOW, MAX, Question, root
from lens_lsp.search.records import Record, Table, cells_of

COMPUTED: dict[Operation, Callable[[Sequence[Fraction]], Fraction]] = {
    Operation.SUM: lambda amounts: sum(amounts, Fraction(0)),
    Operation.MEAN: mean,
    Operation.MEDIAN: median,
}
_FEW_AMOUNTS = 5
"""Amounts of which one may be the sum of the others by chance."""
_LEAST_SCORE = 2.5
"""How well the words must fit, and"""
_LEAST_OF_DEFAULT = 2.0
"""where "who", "when", "where" or "how" asks about a cell that is named whole."""
_MARGIN = 0.5
"""How much better one table must fit the words of a question than another one, to be meant alone."""
_SPELLED = 8
"""Operands that a sum is spelled out with."""
_ASKS_WHO = regex(r"(?:^|\b(?:know|tell me|in|for|on|at|of|to|from) )(?:who|whose|which|where|when)\b")
_WHO = "name person employee owner author contact member staff player student teacher customer responsible manager"
_WHERE = "city country place location address room venue site island region town office building station where"
_PLURAL = regex(
    r"^(?:which|what) (?:\w+ ){0,3}?(?!(?:is|was|has|does|this)\b)\w+s\b"
    r"|^(?:please )?(?:list|show|name|give|enumerate|find)\b|\bwhat are\b|\ball\b"
)


_PEOPLE = regex(r"\bhow many (?:people|persons|inhabitants|residents)\b")
_COUNTED = regex(r"\b(?:how many|(?:number|count) of) (?:different |distinct |unique )?\Z")
_TRUE = frozenset(["true", "yes", "y"])
_FALSE = frozenset(["false", "no", "n", ""])
_IDENTIFIES = frozenset(map(root, ["id", "identifier", "no", "nr", "number", "num", "code", "name", "title", "key"]))
"""What the name of a column may have besides the word for a row that it identifies."""


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """What the rows of a table say to a question."""

    operation: Operation
    short: str
    told: str
    """How it came about, on one line, without markers."""
    table: Table
    rows: tuple[Record, ...]
    """All rows that count, in order."""
    column: int | None
    """Whose cells of these rows are meant."""
    score: float
    """How well the words of the question fit."""
    computed: tuple[str, str, str | None] | None = None
    """Of arithmetic the expression, its value and its unit."""
    confidence: float | None = None
    """How probable it is that this is what was asked; None where nothing was fitted."""

    @property
    def of_all(self) -> bool:
        """Whether it rests on all rows there are, so that a row which was not read could change it."""
        return self.operation is not Operation.LOOKUP

    def place_of(self, document: Document, row: Record) -> tuple[Span, str | None]:
        """Where the cell stands that is meant of a row, and what it says; the row itself where none is."""
        if self.column is None or self.table.mail:
            return row.span, None
        cells = cells_of(self.table, row.span) if document is self.table.document else []
        if self.column >= len(cells) or not len(cells[self.column].span):
            return row.span, None
        return cells[self.column].span, cells[self.column].text


def answer_over(question: Question, typed: TypedTable) -> TableAnswer | None:
    """What a table says to a question; None where the words do not all fit or more than one reading does."""
    if question.is_refused or not typed.rows:
        return None
    first = TableQuery(question, typed, columns_first=True)
    return first.answer() or TableQuery(question, typed, columns_first=False).answer()


class TableQuery(TableQueryParser):
    """A query, as parsed, that is carried out."""

    def answer(self) -> TableAnswer | None:
        """What the rows say; None where more than one choice of columns gives an answer."""
        found: list[TableAnswer] = []
        for conditions in self.read() or ():
            answer = self._evaluate(conditions)
            if answer is not None and all(answer.short != other.short for other in found):
                found.append(answer)
        sure = self._has_default() and (self.hinted or any(named.weight >= EXACT for named in self.named))
        least = _LEAST_OF_DEFAULT if sure else _LEAST_SCORE
        return found[0] if len(found) == 1 and found[0].score >= least else None

    def _evaluate(self, conditions: Sequence[Condition]) -> TableAnswer | None:
        rows: list[tuple[int, Record]] = []
        for at, row in self.query.data():
            met = [condition.meets(at, row) for condition in conditions]
            if False in met:
                continue
            if None in met:
                return None  # nobody can tell whether this row counts
            rows.append((at, row))
        told = ", ".join(condition.told for condition in conditions)
        operation = self.operation
        if operation in (Operation.MAX, Operation.MIN):
            return self._outermost(rows, told)
        targets = self._targets()
        if targets is None:
            return None
        if operation is Operation.COUNT:
            if self.question.folded.startswith("how many times"):
                targets = []
            return self._number_of(rows, targets, told, conditions)
        if operation is not None:
            if len(targets) != 1:  # "of the countries" says of what the rows are
                measures = [at for at in targets if self._is_measure(at)]
                targets = measures or ([] if targets else self._only_numeric(conditions))
            return self._amount(operation, rows, targets[0], told) if len(targets) == 1 else None
        if not conditions or not rows:
            return None
        return self._look_up(rows, targets, told, conditions)

    def _number_of(
        self, rows: Sequence[tuple[int, Record]], targets: list[int], told: str, conditions: Sequence[Condition]
    ) -> TableAnswer | None:
        """How many there are: the sum of what counts them in each row, or the rows."""
        if not targets and _PEOPLE.search(self.question.folded) is not None:
            targets = self._numeric(self._hinted("population"))
            if not targets and not self._hinted(_WHO):
                return None  # its rows are no people
        numeric = [at for at in targets if self._is_measure(at)]
        if len(targets) == 1 and numeric and rows:
            return self._amount(Operation.SUM, rows, numeric[0], told)
        return self._count(rows, targets, told, conditions)

    def _targets(self, without: Mention | None = None) -> list[int] | None:
        """The columns that are asked for, ``without`` the one that is ordered by; None where nobody can tell which."""
        among = [mention for mention in self.mentions if mention is not without]
        asked = [mention for mention in among if self._asks_by_noun(mention.first)][:1]
        if len(asked) == 1 and not any(one.full and not one.alias for one in among if one is not asked[0]):
            among = asked
        # "orders" says of what the rows are, where a column "Order ID" names each.
        among = [one for one in among if not self._names_rows(one)] or among
        if any(len(mention.columns) > 1 for mention in among):
            return None
        return list(dict.fromkeys(mention.columns[0] for mention in among))

    def _names_rows(self, mention: Mention) -> bool:
        """Whether a word for a row is all that is said of the name of a column."""
        if mention.full or len(mention.columns) != 1:
            return False
        said = {word.stem for word in self.words[mention.first : mention.last + 1]}
        return set(self.query.columns[mention.columns[0]].stems) - said <= _IDENTIFIES

    def _only_numeric(self, conditions: Sequence[Condition]) -> list[int]:
        used = {condition.column for condition in conditions}
        how = HOW_ASKED.search(self.question.folded)
        hinted = self._numeric(self._hinted(HOW[how["word"]] if how is not None else "amount price cost total"))
        if len(hinted) == 1:
            return hinted
        numeric = [column.index for column in self.query.columns if self._is_measure(column.index)]
        return [at for at in numeric if at not in used]

    def _is_measure(self, index: int) -> bool:
        typed = self.query.typed(index)
        return (
            typed.numeric
            and not typed.dated
            and not {"id", "no", "year", "phon"} & set(self.query.columns[index].stems)
        )

    def _default_target(self) -> list[int]:
        """The column that a question word asks for."""
        folded = self.question.folded
        used = {at for named in self.named for at in named.columns}
        how = HOW_ASKED.search(folded)
        if how is not None:
            return [at for at in self._hinted(HOW[how["word"]]) if self.query.typed(at).numeric]
        if re.match(r"(?:who|whom|whose)\b", folded):
            found = [at for at in self._hinted(_WHO) if at not in used and not self.query.typed(at).numeric]
            return found[:1] if found else [at for at in [self.query.label] if at not in used]
        if folded.startswith("when"):
            return [c.index for c in self.query.columns if self.query.typed(c.index).dated and c.index not in used]
        if folded.startswith("where"):
            return [at for at in self._hinted(_WHERE) if at not in used]
        if re.match(r"(?:which|what|list|show|name|give|find|enumerate|in which|on which|at which)\b", folded):
            return [at for at in [self.query.label] if at not in used]
        return []

    def _look_up(
        self, rows: Sequence[tuple[int, Record]], targets: Sequence[int], told: str, conditions: Sequence[Condition]
    ) -> TableAnswer | None:
        named = {condition.column for condition in conditions if condition.equal}
        targets = [at for at in targets if at not in named] or self._default_target()
        if len(targets) == 1 and not self._fits(targets[0]):
            when = self.question.folded.startswith("when")
            targets = [at for at in self._default_target() if when and self._fits(at)]
        if len(targets) != 1 or targets[0] in named:
            return None
        target = targets[0]
        column = self.query.columns[target]
        shown = [with_unit(row.cells[target], column) for _, row in rows]
        if not all(row.cells[target] for _, row in rows):
            return None
        distinct = list(dict.fromkeys(shown))
        several = len(distinct) > 1
        if several and not self._asks_for_several():
            return None
        listing = several or (self._asks_for_several() and not any(c.equal for c in conditions))
        operation = Operation.LIST if listing else Operation.LOOKUP
        short = listed(distinct, "; " if any("," in one for one in distinct) else ", ")
        return self._result(operation, short, f"{column.name} where {told}", rows, target)

    def _fits(self, index: int) -> bool:
        """Whether a column holds what the question word asks for: a time, a place, somebody."""
        typed, word = self.query.typed(index), self.question.words[0].text
        if word == "when":
            return typed.dated
        return word not in ("who", "whom", "whose", "where") or not (typed.numeric or typed.dated)

    def _asks_for_several(self) -> bool:
        folded = self.question.folded
        return _PLURAL.search(folded) is not None or re.match(r"(?:which|who)\b", folded) is not None

    def _count(
        self, rows: Sequence[tuple[int, Record]], targets: Sequence[int], told: str, conditions: Sequence[Condition]
    ) -> TableAnswer | None:
        if len(targets) > 1 or not rows:  # nothing would show it
            return None
        if len(rows) == 1 and any(condition.equal and condition.column == self.query.label for condition in conditions):
            return self._figure_of(rows, told)
        count, what, column = len(rows), "row" if len(rows) == 1 else "rows", None
        if targets and {key(row.cells[targets[0]]) for _, row in rows} <= _TRUE | _FALSE:
            column = targets[0]
            rows = [(at, row) for at, row in rows if key(row.cells[column]) in _TRUE]
            count, told = len(rows), f"{told}, {self.query.columns[column].name}".removeprefix(", ")
            if not rows:
                return None
        elif targets:
            column = targets[0]
            if not any(column in one.columns and self._may_count(one) for one in self.mentions):
                return None  # a word that belongs to its name, and may mean something else
            cells = {key(row.cells[column]) for _, row in rows if row.cells[column]}
            if len(cells) != len(rows):
                count, what = len(cells), f"different {self.query.columns[column].name}"
        if not conditions and not self._says_rows() and not (targets and self.query.table.is_all):
            return None
        where = f" where {told}" if told else ""
        return self._result(Operation.COUNT, f"{count:,}", f"{what}{where}", rows, column)

    def _may_count(self, mention: Mention) -> bool:
        """Whether a mention says that what differs in its column is counted."""
        return mention.full or (
            self._names_rows(mention)
            and _COUNTED.search(self.question.folded[: self.words[mention.first].span.start]) is not None
        )

    def _figure_of(self, rows: Sequence[tuple[int, Record]], told: str) -> TableAnswer | None:
        """What the only row that is meant counts itself: "how many arrests for robbery" of a table of offenses."""
        found = self._numeric(self._hinted("total n number count"))
        return self._amount(Operation.SUM, rows, found[0], told) if len(found) == 1 else None

    def _says_rows(self) -> bool:
        """Whether what is counted is what the table is of."""
        return any(
            (word.stem in self.query.title_stems and word.telling)
            or word.text in ("rows", "entries", "records", "items")
            for word in self.words
        )

    def _amount(
        self, operation: Operation, rows: Sequence[tuple[int, Record]], index: int, told: str
    ) -> TableAnswer | None:
        column, typed = self.query.columns[index], self.query.typed(index)
        kept = [(at, row) for at, row in rows if not is_blank(row.cells[index])]
        amounts, unit = typed.amounts(at for at, _ in kept)
        if not typed.numeric or unit is None or unit.dimension is Dimension.ORDINAL:
            return None
        if not told and holds_its_sum(amounts):
            return None
        if len(amounts) == 1 and operation is Operation.SUM and self.operation is Operation.COUNT:
            shown = with_unit(kept[0][1].cells[index], column)
            return self._result(Operation.LOOKUP, shown, f"{column.name} where {told}", kept, index)
        shown = show_amount(COMPUTED[operation](amounts), unit, column)
        name = {Operation.SUM: "sum", Operation.MEAN: "mean", Operation.MEDIAN: "median"}[operation]
        spelled = ""
        if len(kept) <= _SPELLED and operation is not Operation.MEDIAN and len(kept) > 1:
            spelled = " + ".join(row.cells[index] for _, row in kept)
            spelled = f": ({spelled}) / {len(kept)}" if operation is Operation.MEAN else f": {spelled}"
        many = f"{len(kept):,} {'row' if len(kept) == 1 else 'rows'}"
        where = f" where {told}" if told else ""
        said = f"{name} of {column.name} over {many}{where}{spelled}"
        computed = (f"{name}({column.name})", shown, None if unit == ONE else unit.symbol)
        return replace(self._result(operation, shown, said, kept, index), computed=computed)

    def _ordered_by(self) -> tuple[str, int, Mention | None] | None:
        """The column that is ordered by and which end of it is meant."""
        assert self.extreme_at is not None
        for way, hints in self.hints:
            if hints:
                found = [at for at in self._hinted(hints) if self._orders(at)]
                if len(found) == 1:
                    return way, found[0], next((one for one in self.mentions if one.columns == (found[0],)), None)
        way = self.hints[0][0]
        behind = [one for one in self.mentions if one.first > self.extreme_at]
        for mention in behind:
            orders = [at for at in mention.columns if self._orders(at)]
            if len(orders) == 1 and self._only_small(self.extreme_at + 1, mention.first):
                return way, orders[0], mention
        pairs = [(at, one) for one in self.mentions for at in one.columns if self._orders(at)]
        if len(pairs) > 1:
            pairs = [(at, one) for at, one in pairs if one.full and not one.alias and len(one.columns) == 1]
        if len(pairs) == 1 and not self.hints[0][1]:
            return way, pairs[0][0], pairs[0][1]
        following = self.extreme_at + 1
        measured = following in range(len(self.words)) and following not in self.taken and self._needs(following)
        if not pairs and not measured and self.words[self.extreme_at].text in ("largest", "biggest", "smallest"):
            found = self._numeric(self._hinted("size area population amount"))
            return (way, found[0], None) if len(found) == 1 else None
        return None

    def _orders(self, index: int) -> bool:
        typed = self.query.typed(index)
        return self._is_measure(index) or typed.dated

    def _outermost(self, rows: Sequence[tuple[int, Record]], told: str) -> TableAnswer | None:
        chosen = self._ordered_by()
        if chosen is None:
            return None
        way, index, ordering = chosen
        targets = self._targets(without=ordering)
        if targets is None or len(targets) > 1:
            return None
        column, typed = self.query.columns[index], self.query.typed(index)
        values = typed.numbers if typed.numeric else typed.dates
        kept = [(at, row) for at, row in rows if not is_blank(row.cells[index])]
        pairs = [(value, (at, row)) for at, row in kept if (value := values[at]) is not None]
        if not pairs or len(pairs) < len(kept):
            return None
        if not told and holds_its_sum([value.magnitude for value, _ in pairs]):
            return None
        among = outermost(pairs, most=way == MAX)
        if not among:
            return None
        asks_who = _ASKS_WHO.search(self.question.folded) is not None
        asks_value = not targets and not asks_who and not self._names_what()
        target = index if asks_value else targets[0] if targets else self._label_asked()
        if target is None:
            return None
        cells = list(dict.fromkeys(with_unit(row.cells[target], self.query.columns[target]) for _, row in among))
        if not all(cells):
            return None
        shown = with_unit(among[0][1].cells[index], column)
        label = self.query.label
        if target == index and label != index and len(among) == 1 and among[0][1].cells[label]:
            cells = [f"{shown} ({among[0][1].cells[label]})"]
        elif target == label and target != index and len(among) == 1:
            cells = [f"{cells[0]} ({shown})"]
        word = "greatest" if way == MAX else "least"
        where = f" where {told}" if told else ""
        of = f"{word} {column.name}{where} of {len(kept):,} rows" + ("" if asks_value else f": {shown}")
        operation = Operation.MAX if way == MAX else Operation.MIN
        expression = f"{'max' if way == MAX else 'min'}({column.name})"
        answer = self._result(operation, ", ".join(cells[:MOST_NAMED]), of, among, target)
        return replace(answer, computed=(expression, shown, column.unit_text))

    def _names_what(self) -> bool:
        """Whether what the superlative is of is a row ("the heaviest penguin"), and no column."""
        assert self.extreme_at is not None
        return bool(self.hints[0][1]) or any(
            at > self.extreme_at and word.telling and word.stem in self.query.title_stems and at not in self.taken
            for at, word in enumerate(self.words[: self.extreme_at + 3])
        )

    def _label_asked(self) -> int | None:
        if self.question.folded.startswith("when"):
            return next((c.index for c in self.query.columns if self.query.typed(c.index).dated), None)
        if self.question.folded.startswith("where"):
            return next(iter(self._hinted(_WHERE)), None)
        return self.query.label

    def _result(
        self, operation: Operation, short: str, told: str, rows: Sequence[tuple[int, Record]], column: int | None
    ) -> TableAnswer:
        return TableAnswer(operation, short, told, self.query.table, tuple(row for _, row in rows), column, self.score)


def holds_its_sum(amounts: Sequence[Fraction]) -> bool:
    """Whether one of some amounts is the sum of the others, or of each of two or three levels of them, as the figure of
    a country is among those of its regions and states."""
    if len(amounts) < _FEW_AMOUNTS:
        return False
    most = max(amounts)
    rest = sum(amounts, Fraction(0)) - most
    return most > 0 and any(abs(rest - level * most) <= most * level / 200 for level in (1, 2, 3))


def best_answers(answers: Iterable[TableAnswer]) -> list[TableAnswer]:
    """The answers of the tables that fit best: one, or those that do not agree."""
    ranked = sorted(answers, key=lambda answer: -answer.score)
    near = [answer for answer in ranked if answer.score > ranked[0].score - _MARGIN]
    kept: list[TableAnswer] = []
    for answer in near:
        if all(key(answer.short) != key(other.short) for other in kept):
            kept.append(answer)
    if len(kept) > 1 and any(answer.of_all for answer in kept):
        return []  # nobody knows which of the tables is meant
    return kept
