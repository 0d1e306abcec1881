"""What became of each required fact, and what our own arithmetic makes of them.

Paper, "Evidence Consolidation and Answer Synthesis": for computation and comparison the facts are extracted first and
combined afterwards; we combine them in code, on operands that are cited, never in a model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from lens_lsp.arithmetic.expression import evaluate
from lens_lsp.arithmetic.typed_values import Kind, Value, same, show
from lens_lsp.arithmetic.units import Dimension, find_unit, is_rate, rate_parts
from lens_lsp.arithmetic.value_parser import first_value
from lens_lsp.judge.base import Fact
from lens_lsp.model.answer import Computation, RequirementStatus
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Combination, Intent, Plan, Requirement
from lens_lsp.model.words import key
from lens_lsp.search.aggregate import Matches
from lens_lsp.search.conflict import Statement, above, contradict, day_of, newest
from lens_lsp.search.consolidate import Item

_LISTED = re.compile(r"\s*(?:>\s*)?(?:[-*+•]|\d{1,3}[.)])\s+\S")
_EITHER = re.compile(r"\bor\b", re.IGNORECASE)
_PACE = re.compile(r"\b(?:fast|quick|slow)(?:e[rs]t?)?\b", re.IGNORECASE)
_OVER_TIME = re.compile(r"^f1 \* \D*\d*\D* ?(?:second|minute|hour|day|night|week|month|quarter|year|decade)s?$")
_DIFFERS = re.compile(r"\bdiffer(?:s|ent|ence)?\b", re.IGNORECASE)
_PACES = {Combination.GREATEST: Combination.LEAST, Combination.LEAST: Combination.GREATEST}
_ON_VALUES = frozenset({Combination.EXPRESSION, Combination.LEAST, Combination.GREATEST, Combination.SAME})
"""Transformations that need the value of every requirement."""


@dataclass(frozen=True, slots=True)
class Combined:
    """The result of the plan's transformation: for the answer, and as it is shown."""

    computation: Computation | None
    result: str
    derivation: str


def facts_of(
    plan: Plan,
    items: Sequence[Item],
    covered: Mapping[int, str],
    matches: Mapping[int, Matches],
    *,
    apart: bool = False,
) -> list[Fact]:
    """Each requirement with its status, value and the numbers of its evidence; items are numbered from 1. With
    ``apart`` what is proven stays so where it cannot be computed with: who words the answer combines it."""
    facts = []
    combined = plan.transformation is not None and plan.transformation.kind in _ON_VALUES
    given = [_values(j, items) for j in range(len(plan.requirements))]
    if combined:
        given = [_beside(j, given, items) for j in range(len(given))]
    for j, requirement in enumerate(plan.requirements):
        numbers = tuple(n for n, item in enumerate(items, 1) if j in item.requirements)
        if j in matches:
            facts.append(_counted(requirement, matches[j], numbers))
            continue
        values = given[j]
        alike = [(value, n) for value, n, belief in values if belief >= values[0][2] / 2]
        sides = () if j not in covered or requirement.many else _sides(requirement.text, alike, items)
        newer = newest([_day_of(items[n - 1]) for _, n in sides])
        status = RequirementStatus.CONTESTED if sides else RequirementStatus.COVERED
        value = values[0][0] if values and j in covered else None
        # A passage that gives no value to compare or compute with leaves the question open.
        if j not in covered or not numbers or (combined and not apart and not _usable(value, plan)):
            status = RequirementStatus.MISSING
        elif requirement.many and not any(c.verdict is Verdict.FULL for n in numbers for c in items[n - 1].carries):
            status = RequirementStatus.MISSING  # passages that come near are no list
        if combined and value is not None:  # what is computed with is what is cited
            numbers = (values[0][1], *(n for n in numbers if n != values[0][1]))
        matching = sum(_size(items[n - 1]) for n in numbers) if _counts(plan) else len(numbers)
        found = Fact(requirement, status, value, numbers, sides, matching=matching, read=matching)
        facts.append(found if newer is None else replace(found, newer=sides[newer][1]))
    covered_all = all(fact.status is RequirementStatus.COVERED for fact in facts)
    if covered_all and not apart and ((combined and combine(plan, facts) is None) or _undecided(plan)):
        facts = [replace(fact, status=RequirementStatus.MISSING) for fact in facts]  # nothing says what was asked
    return facts


def _undecided(plan: Plan) -> bool:
    """Whether one of several is asked for and nothing orders them: both passages do not say which."""
    return (
        plan.intent is Intent.COMPARISON and plan.transformation is None and _EITHER.search(plan.question) is not None
    )


def _usable(value: str | None, plan: Plan) -> bool:
    """Whether a value can be combined: it is typed, or equal wording is all that is asked for."""
    assert plan.transformation is not None
    return value is not None and (first_value(value) is not None or plan.transformation.kind is Combination.SAME)


def _counts(plan: Plan) -> bool:
    return plan.transformation is not None and plan.transformation.kind is Combination.COUNT


def _size(item: Item) -> int:
    """How many things an item counts for: those of the list it is, else one."""
    lines = item.document.text[item.span.start : item.span.end].splitlines()
    return max(1, sum(_LISTED.match(line) is not None for line in lines))


def _counted(requirement: Requirement, matches: Matches, numbers: tuple[int, ...]) -> Fact:
    return Fact(
        requirement,
        RequirementStatus.COVERED if matches.total else RequirementStatus.MISSING,
        str(matches.total) if matches.total else None,
        numbers,
        matching=matches.total + matches.unread,
        read=matches.total,
        files=matches.files,
    )


def _values(requirement: int, items: Sequence[Item]) -> list[tuple[str, int, float]]:
    """The values that full quotes give for a requirement, with the number of the item each stands in and its belief,
    the most believed first."""
    found = [
        (cited.value, n, cited.belief)
        for n, item in enumerate(items, 1)
        for cited in item.carries
        if cited.requirement == requirement and cited.verdict is Verdict.FULL and cited.value
    ]
    return sorted(found, key=lambda entry: (-entry[2], entry[1]))


def _beside(
    requirement: int, given: Sequence[list[tuple[str, int, float]]], items: Sequence[Item]
) -> list[tuple[str, int, float]]:
    """The values of a fact; those alone that stand in the one document that tells all other operands, if any do."""
    mine = given[requirement]
    others = {id(items[values[0][1] - 1].document) for j, values in enumerate(given) if j != requirement and values}
    if len(others) != 1 or len(given) < 2:
        return mine
    return [entry for entry in mine if id(items[entry[1] - 1].document) in others] or mine


def _sides(asked: str, values: Sequence[tuple[str, int]], items: Sequence[Item]) -> tuple[tuple[str, int], ...]:
    """The different values of a contested fact, each with its item; empty when all that can be compared agree.

    ``values`` are those of quotes that are believed about alike: what is far less likely meant does not contest.
    """
    sides: list[tuple[Statement, int]] = []
    for value, n in values:
        item = items[n - 1]
        text = item.document.text[item.span.start : item.span.end]
        statement = Statement(text, value, above(item.document, item.span.start))
        if all(contradict(asked, statement, other) for other, _ in sides):
            sides.append((statement, n))
    return tuple((statement.value, n) for statement, n in sides) if len(sides) > 1 else ()


def _day_of(item: Item) -> date | None:
    return day_of(item.document, item.span.start)


def combine(plan: Plan, facts: Sequence[Fact]) -> Combined | None:
    """Apply the plan's transformation to the facts; None when it has none or an operand is missing."""
    rule = plan.transformation
    if rule is None or any(fact.status is not RequirementStatus.COVERED for fact in facts):
        return None
    if rule.kind in (Combination.COUNT, Combination.LIST):
        return _counting(facts)
    if rule.kind is Combination.SAME and all(fact.value and first_value(fact.value) is None for fact in facts):
        return _alike(rule.labels, facts)
    operands = {fact.requirement.id: value for fact in facts if fact.value and (value := first_value(fact.value))}
    if len(operands) < len(facts) or len(facts) < 1:
        return None
    cited = tuple(fact.evidence[0] for fact in facts)
    if rule.kind is not Combination.SAME and len({(fact.value, n) for fact, n in zip(facts, cited, strict=True)}) < len(
        facts
    ):
        return None  # one value of one passage cannot tell two things apart
    operands = _united(operands, facts)
    labels = rule.labels if len(rule.labels) == len(facts) else tuple(fact.requirement.text for fact in facts)
    try:
        if rule.kind is Combination.EXPRESSION and rule.expression:
            if _OVER_TIME.search(rule.expression) and not all(_is_pace(value) for value in operands.values()):
                return None  # only a rate grows with time
            return _computed(rule.expression, operands, facts, cited)
        if rule.kind is Combination.SAME and _DIFFERS.search(plan.question):
            return _opposite(_compared(rule.kind, operands, facts, labels, cited))
        kind = _PACES.get(rule.kind, rule.kind) if _timed(plan, operands) else rule.kind
        return _compared(kind, operands, facts, labels, cited)
    except ComputationError:
        return None


def _is_pace(value: Value) -> bool:
    return is_rate(value.unit) or value.unit.dimension in (Dimension.SPEED, Dimension.DATA_RATE)


def _opposite(combined: Combined | None) -> Combined | None:
    """The answer to "do they differ?" by the one to "are they the same?"."""
    if combined is None or combined.computation is None:
        return None
    result = "no" if combined.result == "yes" else "yes"
    return replace(combined, result=result, computation=replace(combined.computation, value=result))


def _united(operands: Mapping[str, Value], facts: Sequence[Fact]) -> dict[str, Value]:
    """The operands, where a bare number of the same quote takes the unit of another: "12 bytes and 15"."""
    united = {
        fact.evidence[0]: operands[fact.requirement.id]
        for fact in facts
        if operands[fact.requirement.id].kind is Kind.NUMBER
        and operands[fact.requirement.id].unit.dimension is not Dimension.NUMBER
    }
    found = dict(operands)
    counted = {v.unit for v in operands.values() if v.unit.dimension is Dimension.COUNT and not is_rate(v.unit)}
    for fact in facts:
        value, beside = operands[fact.requirement.id], united.get(fact.evidence[0])
        if len(counted) == 1 and value.kind is Kind.NUMBER and value.unit.dimension is Dimension.NUMBER:
            # "errors: 42" here, "17 errors" there
            found[fact.requirement.id] = replace(value, unit=next(iter(counted)))
            continue
        if beside is not None and value.kind is Kind.NUMBER and value.unit.dimension is Dimension.NUMBER:
            unit = first_value(f"{fact.value} {beside.unit.symbol}")
            found[fact.requirement.id] = value if unit is None else unit
    return found


def _alike(labels: Sequence[str], facts: Sequence[Fact]) -> Combined | None:
    """Whether values without a type are the same: yes when they are written alike; different wording proves nothing."""
    if len({key(fact.value or "") for fact in facts}) > 1:
        return None
    cited = tuple(fact.evidence[0] for fact in facts)
    beside = ", ".join(f"{label}: {fact.value} [{n}]" for label, fact, n in zip(labels, facts, cited, strict=True))
    expression = " = ".join(fact.requirement.id for fact in facts)
    return Combined(Computation(expression, cited, "yes", None), "yes", beside)


def _counting(facts: Sequence[Fact]) -> Combined:
    total = sum(fact.matching for fact in facts)
    return Combined(None, f"{total:,}", "")


def _computed(
    expression: str, operands: Mapping[str, Value], facts: Sequence[Fact], cited: tuple[int, ...]
) -> Combined:
    outcome = evaluate(expression, operands)
    written = expression
    for fact, n in zip(facts, cited, strict=True):
        written = written.replace(fact.requirement.id, f"{fact.value} [{n}]")
    shown = show(outcome.value)
    unit = outcome.value.unit.symbol if outcome.value.unit is not None else None
    return Combined(Computation(expression, cited, shown, unit), shown, f"{written} = {shown}")


def _timed(plan: Plan, operands: Mapping[str, Value]) -> bool:
    """Whether a pace is asked for and told by times: the faster one takes the shorter time."""
    units = (value.unit for value in operands.values())
    parts = (find_unit(rate_parts(unit)[0]) if is_rate(unit) else unit for unit in units)
    timed = all(part is not None and part.dimension is Dimension.TIME for part in parts)
    return timed and _PACE.search(plan.question) is not None


def _compared(
    kind: Combination,
    operands: Mapping[str, Value],
    facts: Sequence[Fact],
    labels: Sequence[str],
    cited: tuple[int, ...],
) -> Combined | None:
    values = [operands[fact.requirement.id] for fact in facts]
    beside = ", ".join(f"{label}: {fact.value} [{n}]" for label, fact, n in zip(labels, facts, cited, strict=True))
    names = [fact.requirement.id for fact in facts]
    if kind is Combination.SAME:
        verdicts = [same(values[0], other) for other in values[1:]]
        if None in verdicts:
            return None
        result = "yes" if all(verdicts) else "no"
        return Combined(Computation(" = ".join(names), cited, result, None), result, beside)
    relation = "<" if kind is Combination.LEAST else ">"
    winner = 0
    for index in range(1, len(values)):
        if _true(relation, values[index], values[winner]):
            winner = index
        elif not _true(relation, values[winner], values[index]):
            return Combined(Computation(f" {relation} ".join(names), cited, "equal", None), "equal", beside)
    word = "min" if kind is Combination.LEAST else "max"
    return Combined(Computation(f"{word}({', '.join(names)})", cited, labels[winner], None), labels[winner], beside)


def _true(relation: str, left: Value, right: Value) -> bool:
    return bool(evaluate(f"f1 {relation} f2", {"f1": left, "f2": right}).value.magnitude)
