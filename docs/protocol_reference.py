"""The page and the JSON schemas of our own requests, from the types that check them."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema

from lens_lsp.lsp.request_handler import NUMBERS
from lens_lsp.model import answer, cluster, documents, text
from lens_lsp.schema import protocol_params, protocol_results

HEAD = """\
# Requests of our own

Made from the program by `python docs/generate_reference.py`; a test fails when the two differ. Everything else is the
Language Server Protocol's own; how the server works is told in
[the language server](../explanation/language-server.md). `protocol.json` beside this page holds all that is told here
as JSON schemas: `params` and `result` of each of its `methods`, and under `$defs` the types that they share.

Keys are in camel case. A key that a request does not know is refused (−32602). Ranges are in the negotiated encoding;
spans, lines and columns inside other values are in code points. A client asks for more by `initializationOptions`:

| Key | Meaning |
| :--- | :--- |
| `events` | `true`: it gets `lens/event` |
| `model` | `true`: it answers `lens/model` |
| `trusted` | `false`: the user does not trust the workspace, so nothing that an answer file names is read |
| `texts` | `true`: places in documents that are no text count in what `lens/text` gives, else they are the file's top |
| `settings` | its settings under `lens`, where it can neither be asked for them nor send them |

Before text of a workspace goes to a model that is not on this machine, the user is asked by
`window/showMessageRequest`, where the client says that it has it (`window.showMessage`): `Send` is remembered for the
workspace and the model's origin (`lens consent list` shows it), `Evidence only` answers this question by rules,
anything else refuses it (1015). Questions that wait for the same model share one prompt; it is taken back by
`$/cancelRequest` when they are all cancelled.

There are two ways to end a question. `$/cancelRequest` gives it up: −32800, and nothing is kept.
`window/workDoneProgress/cancel` for the token of a `lens/ask` whose search has begun stops it: the model is asked for
nothing more, and the result is an answer of what was found until then (`stopped`: `cancelled`), kept and accounted for
as any other; one of its question that was whole stays. What it says then is worded by rules; words that a model was in
the middle of are only in the events.

The editor's own model is used where the user names `editor` or `editor:FAMILY` as `model.name` and no base URL, and the
client offers it. `lens/model` without messages asks which model that would be, and no model is called; the consent and
the ledger name it `editor:ID`. A reply of another model than that one is not taken.

Errors: −32803 is a request that cannot be served now. Every other number of ours has a name in `data.code`:
"""


@dataclass(frozen=True)
class Call:
    """A request, notification or command: what it carries, and what it gives; None for nothing."""

    params: Any
    result: Any = None
    direction: str = "client → server"


CALLS = {
    "lens/answer": Call(protocol_params.AnswerParams, protocol_results.KeptAnswer),
    "lens/ask": Call(protocol_params.AskParams, protocol_results.AnswerResult | protocol_results.DryRunResult),
    "lens/check": Call(protocol_params.CheckParams, protocol_results.CheckResult),
    "lens/clusters": Call(protocol_params.ClustersParams, protocol_results.ClustersResult),
    "lens/event": Call(protocol_results.EventParams, direction="server → client, a notification"),
    "lens/find": Call(protocol_params.FindParams, protocol_results.FindResult),
    "lens/forget": Call(protocol_params.ForgetParams, protocol_results.ForgetResult),
    "lens/ledger": Call(protocol_params.LedgerParams, protocol_results.LedgerResult),
    "lens/model": Call(protocol_params.ModelParams, protocol_params.ModelResult, "server → client"),
    "lens/passage": Call(protocol_params.PassageParams, protocol_results.PassageResult),
    "lens/recheck": Call(protocol_params.RecheckParams, protocol_results.RecheckResult),
    "lens/status": Call(protocol_params.StatusParams, protocol_params.ServerStatus),
    "lens/text": Call(protocol_params.TextParams, protocol_results.TextResult),
    "lens/threads": Call(protocol_params.ThreadsParams, protocol_results.ThreadsResult),
    "lens/wrong": Call(protocol_params.WrongParams, protocol_results.WrongResult),
    "lens.server.ask": Call(protocol_params.AskCommand, protocol_results.AnswerResult, "command"),
    "lens.server.cancel": Call(protocol_params.CancelParams, protocol_results.CancelResult, "command"),
    "lens.server.find": Call(protocol_params.FindCommand, protocol_results.FindResult, "command"),
    "lens.server.insertAnswer": Call(
        protocol_params.InsertAnswerParams, protocol_results.InsertAnswerResult, "command"
    ),
    "lens.server.openAnswer": Call(protocol_params.OpenAnswerParams, protocol_results.OpenAnswerResult, "command"),
    "lens.server.recheck": Call(protocol_params.RecheckParams, protocol_results.RecheckResult, "command"),
    "lens.server.wrong": Call(protocol_params.WrongParams, protocol_results.WrongResult, "command"),
}
"""By method or command."""


def protocol_json() -> str:
    """The schemas of all params and results under ``methods``; what they share is under ``$defs``."""
    methods = {
        name: {
            "direction": call.direction,
            "params": SCHEMAS.get((name, "params")),
            "result": SCHEMAS.get((name, "result")),
        }
        for name, call in CALLS.items()
    }
    return json.dumps({"$defs": TYPES, "methods": methods}, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def protocol_page() -> str:
    """The page."""
    errors = [f"| {number} | `{name}` |" for name, number in NUMBERS.items()]
    head = ["| Number | Name |", "| ---: | :--- |", *errors, ""]
    sections = [_section(name, call) for name, call in CALLS.items()]
    shown = {schema["$ref"] for schema in map(_flat, SCHEMAS.values()) for schema in schema if "$ref" in schema}
    types = [table(each, TYPES[each]) for each in sorted(TYPES) if f"#/$defs/{each}" not in shown]
    return "\n".join([HEAD, *head, *sections, "## Types\n", *types])


def _schemas() -> tuple[dict[tuple[str, str], dict[str, Any]], dict[str, Any]]:
    """The schema of each side of each call, and the types that they share."""
    sides = [(name, side, getattr(call, side)) for name, call in CALLS.items() for side in ("params", "result")]
    adapters = [((name, side), "validation", TypeAdapter(kind)) for name, side, kind in sides if kind is not None]
    found, whole = TypeAdapter.json_schemas(adapters, by_alias=True, schema_generator=_Generator)
    every: dict[str, Any] = whole["$defs"]
    names = {f"#/$defs/{name}": each for name, each in every.items() if "enum" in each}
    types = {name: _with_values(each, names) for name, each in every.items() if "enum" not in each}
    for name, schema in types.items():
        if name in MODEL:  # a dataclass of the model, of which every field is written
            schema["required"] = list(schema["properties"])
            for field in schema["properties"].values():
                field.pop("default", None)
        for key, told in TOLD.get(name, {}).items():
            schema["properties"][key]["description"] = told
    return {key: schema for (key, _), schema in found.items()}, types


class _Generator(GenerateJsonSchema):
    """Gives fields that hold an enumeration a title, as all others."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return schema["type"] == "definition-ref" or super().field_title_should_be_set(schema)


def _with_values(part: Any, enumerations: dict[str, Any]) -> Any:
    """A schema in which the values of an enumeration stand where its name would."""
    if isinstance(part, list):
        return [_with_values(each, enumerations) for each in part]
    if not isinstance(part, dict):
        return part
    values = enumerations.get(part.get("$ref", ""))
    if values is None:
        return {key: _with_values(each, enumerations) for key, each in part.items()}
    return {"enum": values["enum"], "type": values["type"], **{key: part[key] for key in ("title",) if key in part}}


def _flat(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of a schema."""
    found: list[dict[str, Any]] = schema.get("anyOf") or schema.get("oneOf") or [schema]
    return found


def _told_of_fields() -> dict[str, dict[str, str]]:
    """What stands below the fields of each type, by the names of type and key."""
    told: dict[str, dict[str, str]] = {}
    for module in (answer, cluster, documents, text, protocol_params, protocol_results):
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.ClassDef):
                told[node.name] = {**_inherited(node, told), **dict(_below(node))}
    return told


def _inherited(node: ast.ClassDef, told: dict[str, dict[str, str]]) -> dict[str, str]:
    names = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return {key: words for name in names for key, words in told.get(name, {}).items()}


def _below(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in pairwise(node.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            yield to_camel(field.target.id), " ".join(ast.literal_eval(below.value).split())


TOLD = _told_of_fields()
MODEL = {name for module in (answer, cluster, documents, text) for name in vars(module)}
"""The types that are declared by the model."""
SCHEMAS, TYPES = _schemas()


def _section(name: str, call: Call) -> str:
    parts = [f"## {name}\n", f"{call.direction[0].upper()}{call.direction[1:]}.\n"]
    for side in ("params", "result"):
        for each in _flat(SCHEMAS.get((name, side), {})):
            if "$ref" in each:
                title = each["$ref"].rpartition("/")[2]
                parts.append(table(f"{side.capitalize()} {title}", TYPES[title]))
    return "\n".join(parts)


def table(title: str, schema: dict[str, Any]) -> str:
    """The keys of a type."""
    rows = [
        f"| `{name}` | {_type(field)} | {_default(name, field, schema)} | {_told(field)} |"
        for name, field in schema.get("properties", {}).items()
    ]
    table = ["", "| Key | Takes | Default | Meaning |", "| :--- | :--- | :--- | :--- |", *rows] if rows else []
    return "\n".join([f"**{title}**: {_told(schema)}", *table, ""])


def _told(field: dict[str, Any]) -> str:
    return " ".join(field.get("description", "").replace("``", "`").split()).replace("|", "\\|")


def _default(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    if name in schema.get("required", ()):
        return ""
    return f"`{json.dumps(field['default'])}`" if "default" in field else "`{}`"


def _type(field: dict[str, Any]) -> str:
    """A type in words, as deep as one table shows it."""
    if "$ref" in field:
        return f"`{field['$ref'].rpartition('/')[2]}`"
    if "anyOf" in field:
        return " \\| ".join(dict.fromkeys(_type(each) for each in field["anyOf"]))
    if "enum" in field or "const" in field:
        return " \\| ".join(f"`{json.dumps(each)}`" for each in field.get("enum", [field.get("const")]))
    if "prefixItems" in field:
        return f"[{', '.join(_type(each) for each in field['prefixItems'])}]"
    if field.get("type") == "array":
        return f"{_type(field.get('items', {}))}[]"
    if isinstance(field.get("additionalProperties"), dict):
        return f"object of {_type(field['additionalProperties'])}"
    return str(field.get("type", "anything"))
