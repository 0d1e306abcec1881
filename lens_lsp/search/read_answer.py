"""From the reply of a read call to the answer: which quotes it cites, what is computed from them, what its text says.

The judge chooses what is cited; where that stands, what comes out of it and whether the text may be called an answer is
decided here (design: the answer, its short form and its status never contradict each other).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lens_lsp.computation import arithmetic
from lens_lsp.computation.expression import evaluate
from lens_lsp.computation.reading import find_values
from lens_lsp.computation.unit_table import find_unit
from lens_lsp.computation.values import Value, same
from lens_lsp.computation.writing import show
from lens_lsp.domain.answer import Computation
from lens_lsp.domain.errors import ComputationError
from lens_lsp.domain.inert import printable
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import key
from lens_lsp.judge.read import Operand, ReadReply, SaidComputation
from lens_lsp.oracle.links import without_addresses
from lens_lsp.oracle.quoting import plain
from lens_lsp.search.consolidate import Cited, Item
from lens_lsp.search.rounds import Quote

RESULT = "{result}"
_MARKER = regex(r"[ \t]*\[\^?([0-9]{1,4}(?:\s{0,2}[,;]\s{0,2}\^?[0-9]{1,4}){0,20})\]")
_NUMBER = regex(r"[0-9]+")
_EMPHASIS = regex(r"[*_`~]+")
_ORDERED = frozenset({"greatest", "least"})
_COUNT = frozenset({"count", "count()"})


@dataclass(frozen=True, slots=True)
class Result:
    """What our arithmetic makes of the values that were quoted."""

    text: str
    computation: Computation | None = None


def cited_numbers(reply: ReadReply, said: Mapping[int, Quote]) -> list[int]:
    """The numbers of the quotes that the answer rests on, in the order in which it cites them: those of its text, of
    what is computed, of its items; all quotes when it cites none."""
    named = [int(number) for marker in _MARKER.finditer(reply.answer) for number in _NUMBER.findall(marker[1])]
    if reply.computation is not None:
        named += [operand.quote for operand in reply.computation.operands]
    named += [item.quote for item in reply.items]
    found = [number for number in dict.fromkeys(named) if number in said]
    return found or sorted(said)


def item_of(quote: Quote, items: Sequence[Item]) -> int | None:
    """The number, from 1, of the item of evidence that holds a quote."""
    slot = quote.proposal.admission.slot
    return next(
        (n for n, item in enumerate(items, 1) if item.slot == slot and item.span.contains(quote.span)),
        None,
    )


def result_of(reply: ReadReply, said: Mapping[int, Quote], numbers: Mapping[int, int]) -> Result | None:
    """What stands for ``{result}``: a value, the name with the greatest or least one, or how many items there are.

    ``numbers`` are the numbers of the evidence by those of the quotes. None when nothing is to be computed or a value
    does not stand in its quote or does not combine with the others: then the arithmetic is dropped, not the facts.
    """
    computation = reply.computation
    if computation is None or computation.expression.strip().lower() in _COUNT:
        names = distinct([item.name for item in reply.items if item.quote in said])
        return Result(f"{len(names):,}") if names and RESULT in reply.answer else None
    values: dict[str, Value] = {}
    for operand in computation.operands:
        quote = said.get(operand.quote)
        value = None if quote is None else _value(operand, quote)
        if value is None:
            return None
        values[operand.id] = value
    try:
        return _computed(computation, values, numbers)
    except ComputationError:
        return None


def distinct(names: Sequence[str]) -> list[str]:
    """Names without those that are written alike, in order."""
    return list({key(name): name for name in reversed(names)}.values())[::-1]


def final_text(reply: ReadReply, numbers: Mapping[int, int], result: Result | None, texts: Sequence[str]) -> str:
    """The answer as it is shown: markers point at the evidence and at nothing else, the result stands in its place,
    nothing in it is a link or an address that is not in one of the ``texts`` of the evidence."""

    def renumbered(match: re.Match[str]) -> str:
        found = [numbers.get(int(number)) for number in _NUMBER.findall(match[1])]
        marks = "".join(f"[{n}]" for n in dict.fromkeys(found) if n is not None)
        return f" {marks}" if marks else ""

    shown = "" if result is None else f"**{plain(result.text)}**"
    text = _MARKER.sub(renumbered, reply.answer).replace(RESULT, shown)
    return without_addresses(printable(text), texts).strip()


def rests_on_nothing(reply: ReadReply, said: Mapping[int, Quote]) -> bool:
    """Whether the answer cites a quote that stands nowhere."""
    named = {int(number) for marker in _MARKER.finditer(reply.answer) for number in _NUMBER.findall(marker[1])}
    return bool(named - said.keys())


def _value(operand: Operand, quote: Quote) -> Value | None:
    """The typed value of an operand, if its quote gives it: as it is written, or as an equal value."""
    document = quote.proposal.admission.document
    text = _EMPHASIS.sub("", document.text[quote.span.start : quote.span.end])
    written = _EMPHASIS.sub("", operand.value)
    value = next(iter(find_values(written)), None)
    if value is None:
        return None
    if key(written) in key(text) and _whole(written, text):
        return value
    return value if any(same(value, other) for other in find_values(text)) else None


def _whole(written: str, text: str) -> bool:
    return re.search(rf"(?<![\w.,-]){re.escape(written)}(?![\w]|[.,]\d)", text, re.IGNORECASE) is not None


def _computed(computation: SaidComputation, values: Mapping[str, Value], numbers: Mapping[int, int]) -> Result:
    operands = computation.operands
    cited = tuple(dict.fromkeys(numbers[operand.quote] for operand in operands if operand.quote in numbers))
    expression = computation.expression.strip()
    if expression.lower() in _ORDERED:
        name = _first(expression.lower(), operands, values)
        word = "max" if expression.lower() == "greatest" else "min"
        return Result(name, Computation(f"{word}({', '.join(one.id for one in operands)})", cited, name, None))
    value = evaluate(expression, values).value
    unit = find_unit(computation.unit) if computation.unit else None
    if unit is not None:
        try:
            value = arithmetic.in_unit(value, unit)
        except ComputationError:
            unit = None
    shown = show(value)
    return Result(shown, Computation(expression, cited, shown, None if value.unit is None else value.unit.symbol))


def _first(kind: str, operands: Sequence[Operand], values: Mapping[str, Value]) -> str:
    """The name whose value is the greatest or the least; "equal" when that is no single one."""
    sign = 1 if kind == "greatest" else -1
    best = operands[0]
    for operand in operands[1:]:
        if sign * arithmetic.order(values[operand.id], values[best.id]) > 0:
            best = operand
    alike = [one for one in operands if arithmetic.order(values[one.id], values[best.id]) == 0]
    return best.name if len(alike) == 1 else "equal"


def cite(quotes: Sequence[Quote], belief: float) -> list[Cited]:
    """Quotes as what may be cited, in order."""
    return [
        Cited(
            quote.proposal.admission.slot,
            quote.proposal.admission.document,
            quote.span,
            quote.requirement,
            quote.verdict,
            belief,
            match=quote.match,
            value=quote.value,
            arm=quote.proposal.arm,
            round=quote.round,
        )
        for quote in quotes
    ]
