"""`vscode-extension/src/protocol.ts` says what `docs/reference/protocol.json` says, which is made from the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.docs.documentation import DOCS, REPOSITORY
from tests.vscode.typescript_types import Schema, Types

TYPES = Types.of((REPOSITORY / "vscode-extension" / "src" / "protocol.ts").read_text(encoding="utf-8"))
PROTOCOL = json.loads((DOCS / "reference" / "protocol.json").read_text(encoding="utf-8"))
BY_THE_CLIENT = {"workDoneToken"}
"""What the extension's client adds to params of others."""
OTHER_NAMES = {"Status": "StatusResult"}
"""Of types that the extension calls otherwise than the server."""
EVENTS = {one["$ref"].rpartition("/")[2] for one in PROTOCOL["methods"]["lens/event"]["params"]["oneOf"]}


def names_in(part: Any) -> set[str]:
    """The types that a schema refers to at once."""
    return {one["$ref"].rpartition("/")[2] for one in part.get("anyOf", [part])} if part else set()


CARRIED = {
    side: {
        name
        for method, carried in PROTOCOL["methods"].items()
        if carried["direction"] in ("client → server", "server → client") and method != "lens/event"
        for name in names_in(carried["params" if (carried["direction"] == "client → server") == sent else "result"])
    }
    for side, sent in (("sent", True), ("given", False))
}
"""The types of what the extension sends to the server, and of what it is given."""


def server_schema(name: str) -> Schema:
    """A type of the server's, references written out."""

    def written_out(part: Any) -> Any:
        if isinstance(part, dict):
            if "$ref" in part:
                return written_out(PROTOCOL["$defs"][part["$ref"].rpartition("/")[2]])
            return {key: written_out(each) for key, each in part.items()}
        return [written_out(each) for each in part] if isinstance(part, list) else part

    result: Schema = written_out(PROTOCOL["$defs"][name])
    return result


def our_schema(name: str) -> Schema:
    return TYPES.schema(OTHER_NAMES.get(name, name))


def alternatives(schema: Schema) -> list[Schema]:
    parts = schema.get("anyOf", [schema])
    return [each for part in parts for each in (alternatives(part) if "anyOf" in part else [part])]


def kind(schema: Schema) -> str:
    """What sort of JSON it is, or ``any``."""
    if "enum" in schema or "const" in schema:
        return "string"
    sort = str(schema.get("type", "any"))
    return "number" if sort == "integer" else sort


def literals(schema: Schema) -> set[str]:
    return {schema["const"]} if "const" in schema else set(schema.get("enum", ()))


def differences(ours: Schema, theirs: Schema, at: str, *, sent: bool) -> Iterator[str]:
    """Where a type of ours does not fit the server's: of what is ``sent`` the server must take all, else we must."""
    by_kind = {kind(each): each for each in alternatives(theirs)}
    kinds = {kind(each) for each in alternatives(ours)}
    wrong = kinds - set(by_kind) if sent else set(by_kind) - kinds
    if "any" in kinds | set(by_kind):
        return
    if wrong:
        yield f"{at}: {', '.join(sorted(wrong))}"
        return
    for mine in alternatives(ours):
        if kind(mine) in by_kind:
            yield from _inside(mine, by_kind[kind(mine)], at, sent=sent)


def _inside(mine: Schema, other: Schema, at: str, *, sent: bool) -> Iterator[str]:
    said, taken = (mine, other) if sent else (other, mine)
    if literals(taken) and (extra := (literals(said) or {"any text"}) - literals(taken)):
        yield f"{at}: {sorted(extra)}"
    if "items" in mine and "items" in other:
        yield from differences(mine["items"], other["items"], f"{at}[]", sent=sent)
    if "properties" in mine and "properties" in other:
        yield from _fields(mine, other, at, sent=sent)


def _fields(mine: Schema, other: Schema, at: str, *, sent: bool) -> Iterator[str]:
    ours, theirs = mine["properties"], other["properties"]
    unknown = set(ours) - set(theirs)
    # An event carries more than the editor reads.
    missing = set() if at.partition(".")[0] in EVENTS else set(theirs) - set(ours) - BY_THE_CLIENT
    if unknown | missing:
        yield f"{at}: fields {sorted(unknown | missing)}"
    # The server writes out what it has a default for.
    written = set() if sent else {name for name in theirs if "default" in theirs[name]}
    always = set(other.get("required", ())) | written
    needed, certain = (always, set(mine["required"])) if sent else (set(mine["required"]), always)
    if lacking := needed - certain - unknown:
        yield f"{at}: not always there {sorted(lacking)}"
    for name in set(ours) & set(theirs):
        yield from differences(ours[name], theirs[name], f"{at}.{name}", sent=sent)


@pytest.mark.parametrize("name", sorted(CARRIED["sent"] - {"ThreadsParams"}))
def test_what_is_sent_is_what_the_server_takes(name: str) -> None:
    assert list(differences(our_schema(name), server_schema(name), name, sent=True)) == []


@pytest.mark.parametrize("name", sorted(CARRIED["given"] | EVENTS))
def test_what_the_server_gives_is_what_is_read(name: str) -> None:
    assert list(differences(our_schema(name), server_schema(name), name, sent=False)) == []


def test_every_event_is_one_of_the_union() -> None:
    heard = {each["properties"]["type"]["enum"][0] for each in alternatives(TYPES.schema("LensEvent"))}
    assert heard == {server_schema(name)["properties"]["type"]["const"] for name in EVENTS}


def test_no_params_are_left_out() -> None:
    assert {"AskParams", "FindParams", "ModelResult"} < CARRIED["sent"]
    assert {"AnswerResult", "DryRunResult", "FindResult", "ModelParams"} < CARRIED["given"]
    assert server_schema("ThreadsParams").get("properties", {}) == {}, "give it a type in protocol.ts"


@pytest.mark.parametrize(
    ("name", "change", "difference"),
    [
        ("FindParams", lambda our: our["properties"].pop("limit"), "x: fields ['limit']"),
        ("FindParams", lambda our: our["required"].clear(), "x: not always there ['query']"),
        ("FindParams", lambda our: our["properties"].update(query={"type": "number"}), "x.query: number"),
        ("AskParams", lambda our: our["properties"]["mode"]["enum"].append("slow"), "x.mode: ['slow']"),
        ("FindResult", lambda our: our["properties"].pop("roots"), "x: fields ['roots']"),
        ("FindResult", lambda our: our["properties"].update(answerUri={"type": "string"}), "x.answerUri: null"),
        ("AnswerResult", lambda our: our["properties"]["status"]["enum"].remove("partial"), "x.status: ['partial']"),
    ],
)
def test_another_type_would_be_noticed(name: str, change: Callable[[Schema], object], difference: str) -> None:
    schema = our_schema(name)
    change(schema)
    found = list(differences(schema, server_schema(name), "x", sent=name in CARRIED["sent"]))
    assert found == [difference]
