"""Nested values as JSON columns, and back. What is read is validated: a value of another shape is refused by name.

The names in the JSON are part of the schema (`schema.VERSION`), not of the code: a field may be renamed without them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeVar

from lens_lsp.model.answer import Computation
from lens_lsp.model.cluster import Seen
from lens_lsp.model.documents import Locator
from lens_lsp.model.plan import (
    Anchor,
    AnchorKind,
    AnswerType,
    Combination,
    Condition,
    Intent,
    MatchRule,
    Plan,
    Requirement,
    Transformation,
    Unit,
)

T = TypeVar("T")
E = TypeVar("E", bound=Enum)


class Malformed(ValueError):
    """A stored value that is not of the shape its column wants."""


def dump(value: object) -> bytes:
    """One JSON value, compact; raises ValueError for a number that is none."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")  # names of files may hold bytes that are no text


def load(data: object) -> object:
    """The JSON value of a column; raises `Malformed`."""
    try:
        return json.loads(text(data))
    except (ValueError, RecursionError) as error:
        raise Malformed("no JSON") from error


def text(data: object) -> str:
    """The text of a column; raises `Malformed`."""
    if not isinstance(data, bytes):
        raise Malformed("no text")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise Malformed("no UTF-8") from error


def string(value: object) -> str:
    """A JSON string."""
    if not isinstance(value, str):
        raise Malformed("no string")
    return value


def integer(value: object) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed("no whole number")
    return value


def real(value: object) -> float:
    """A finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise Malformed("no number")
    return float(value)


def flag(value: object) -> bool:
    """True or false; 0 or 1 in a column."""
    if not isinstance(value, int) or value not in (0, 1):
        raise Malformed("neither true nor false")
    return bool(value)


def optional(read: Callable[[object], T], value: object) -> T | None:
    """None, or what ``read`` makes of it."""
    return None if value is None else read(value)


def many(read: Callable[[object], T], value: object) -> tuple[T, ...]:
    """A list, each entry read."""
    if not isinstance(value, list):
        raise Malformed("no list")
    return tuple(read(each) for each in value)


def member(kind: type[E], value: object) -> E:
    """A member of an enumeration."""
    try:
        return kind(value)
    except ValueError as error:
        raise Malformed(f"no {kind.__name__}") from error


def strings(value: object) -> tuple[str, ...]:
    """A list of strings."""
    return many(string, value)


def fields(value: object, *names: str) -> list[object]:
    """The values of an object that has exactly these names."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise Malformed(f"no object of {', '.join(names)}")
    return [value[name] for name in names]


def plan_json(plan: Plan) -> object:
    """A plan."""
    rule = plan.transformation
    return {
        "question": plan.question,
        "requirements": [requirement_json(requirement) for requirement in plan.requirements],
        "anchors": [
            {"text": each.text, "kind": each.kind, "weight": float(each.weight), "requirements": each.requirements}
            for each in plan.anchors
        ],
        "answerType": plan.answer_type,
        "intent": plan.intent,
        "transformation": rule and {"kind": rule.kind, "expression": rule.expression, "labels": rule.labels},
        "document": plan.document,
    }


def plan_of(value: object) -> Plan:
    """The plan of `plan_json`; raises `Malformed`."""
    question, requirements, anchors, answer_type, intent, rule, document = fields(
        value, "question", "requirements", "anchors", "answerType", "intent", "transformation", "document"
    )
    return Plan(
        string(question),
        many(requirement_of, requirements),
        many(_anchor, anchors),
        member(AnswerType, answer_type),
        member(Intent, intent),
        optional(_transformation, rule),
        optional(string, document),
    )


def requirement_json(requirement: Requirement) -> object:
    """A requirement; its template only where it has one."""
    rule = requirement.rule
    condition = rule and rule.condition
    return {
        "id": requirement.id,
        "text": requirement.text,
        "many": requirement.many,
        "answerType": requirement.answer_type,
        "names": requirement.names,
        "rule": rule
        and {
            "phrases": rule.phrases,
            "unit": rule.unit,
            "condition": condition and [condition.relation, condition.value],
            "files": rule.files,
        },
        **({} if requirement.template is None else {"template": requirement.template}),
    }


def requirement_of(value: object) -> Requirement:
    """The requirement of `requirement_json`; raises `Malformed`."""
    whole = {"template": None, **value} if isinstance(value, dict) else value
    id_, wording, plural, answer_type, names, rule, template = fields(
        whole, "id", "text", "many", "answerType", "names", "rule", "template"
    )
    return Requirement(
        string(id_),
        string(wording),
        flag(plural),
        member(AnswerType, answer_type),
        strings(names),
        optional(_rule, rule),
        optional(string, template),
    )


def computation_json(computation: Computation) -> object:
    """A computation."""
    return [computation.expression, computation.operands, computation.value, computation.unit]


def computation_of(value: object) -> Computation:
    """The computation of `computation_json`; raises `Malformed`."""
    expression, operands, result, unit = _entries(value, 4)
    return Computation(string(expression), many(integer, operands), string(result), optional(string, unit))


def seen_json(seen: Sequence[Seen]) -> object:
    """Documents that were admitted."""
    return [[each.root, each.path, each.sha256] for each in seen]


def seen_of(value: object) -> tuple[Seen, ...]:
    """The documents of `seen_json`; raises `Malformed`."""
    return many(lambda each: Seen(*(string(entry) for entry in _entries(each, 3))), value)


def locator_of(value: object) -> Locator:
    """A locator: names with numbers or strings; raises `Malformed`."""
    if not isinstance(value, dict):
        raise Malformed("no locator")
    return {name: each if isinstance(each, str) else integer(each) for name, each in value.items()}


def _anchor(value: object) -> Anchor:
    wording, kind, weight, requirements = fields(value, "text", "kind", "weight", "requirements")
    return Anchor(string(wording), member(AnchorKind, kind), real(weight), strings(requirements))


def _rule(value: object) -> MatchRule:
    phrases, unit, condition, files = fields(value, "phrases", "unit", "condition", "files")
    return MatchRule(strings(phrases), member(Unit, unit), optional(_condition, condition), strings(files))


def _condition(value: object) -> Condition:
    relation, bound = _entries(value, 2)
    return Condition(string(relation), string(bound))


def _transformation(value: object) -> Transformation:
    kind, expression, labels = fields(value, "kind", "expression", "labels")
    return Transformation(member(Combination, kind), optional(string, expression), strings(labels))


def _entries(value: object, count: int) -> list[object]:
    if not isinstance(value, list) or len(value) != count:
        raise Malformed(f"no list of {count}")
    return value
