"""The replies as JSON schemas, for endpoints that can hold a model to one.

Every property is required and none may be added: strict modes ask for that. A value that may be absent may be null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


_FACT = _object(text=_TEXT, type=_one_of("any", "date", "number", "person"), many={"type": "boolean"}, label=_TEXT)
_PLAN: dict[str, Schema] = {
    "intent": _one_of("lookup", "computation", "comparison", "aggregation", "summarize"),
    "facts": _list(_FACT),
    "combine": _one_of("none", "expression", "least", "greatest", "same", "count", "list"),
    "expression": _TEXT_OR_NULL,
    "document": _TEXT_OR_NULL,
}
_FOUND = _list(
    _object(
        region={"type": "integer"},
        fact=_TEXT,
        verdict=_one_of("full", "partial", "related", "none"),
        quote=_TEXT_OR_NULL,
        value=_TEXT_OR_NULL,
    )
)
_TERMS = _list(_object(fact=_TEXT, words=_list(_TEXT)))

ANCHORS = _object(anchors=_list(_TEXT))
DECOMPOSITION = _object(**_PLAN)
ANALYSIS = _object(**_PLAN, anchors=_list(_TEXT))
OBSERVATION = _object(found=_FOUND, terms=_TERMS)
OBSERVATION_AND_COVERAGE = _object(found=_FOUND, unproven=_list(_TEXT), terms=_TERMS)
COVERAGE = _object(
    unproven=_list(_TEXT),
    terms=_TERMS,
    rewritten=_list(_object(fact=_TEXT, text=_TEXT)),
    answerable=_one_of("yes", "no"),
)
CALIBRATION = _object(short=_TEXT_OR_NULL)
