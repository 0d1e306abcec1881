"""`vscode-extension/src/protocol/` says what `docs/reference/protocol.json` says, which is made from the server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.docs.documentation import DOCS, REPOSITORY
from tests.vscode.typescript_types import Schema, Types

SOURCES = (REPOSITORY / "vscode-extension" / "src", REPOSITORY / "lens_lsp" / "desktop" / "page" / "src")
"""What speaks TypeScript with the server: the extension, and the desktop's page, which takes its types from there."""
TYPES = Types.below(SOURCES[0] / "protocol")
PROTOCOL = json.loads((DOCS / "reference" / "protocol.json").read_text(encoding="utf-8"))
BY_THE_CLIENT = {"workDoneToken"}
"""What the extension's client adds to params of others."""
OTHER_NAMES = {"ServerStatus": "StatusResult"}
"""Of types that the extension calls otherwise than the server."""
FOR_AGENTS = "the tools for agents ask this, and they are no TypeScript"
OF_THE_SERVER = "the server's code actions name it and make its argument; the extension only hands that back"
UNSPOKEN = {
    "lens/check": FOR_AGENTS,
    "lens/passage": FOR_AGENTS,
    "lens.server.find": OF_THE_SERVER,
    "lens.server.cancel": "for editors without a button for it",
    "lens.server.openAnswer": "for editors without a view of answers; the extension opens their files itself",
    "lens.server.recheck": OF_THE_SERVER,
    "lens.server.wrong": "for editors that send commands alone; the page sends the request",
}
"""What neither the extension nor the page asks by name, and why: its types have no twin in TypeScript."""
WITHOUT_TWIN = {"AskCommand": OF_THE_SERVER, "ThreadsParams": "it has no fields"}
"""Types of what is asked by name that have no twin either, and why."""
EVENTS = {one["$ref"].rpartition("/")[2] for one in PROTOCOL["methods"]["lens/event"]["params"]["oneOf"]}


def spoken(text: str) -> set[str]:
    """The requests, notifications and commands of ours that a source names."""
    return set(re.findall(r"'(lens/\w+|lens\.server\.\w+)'", text))


def names_in(part: Any) -> set[str]:
    """The types that a schema refers to at once."""
    return {one["$ref"].rpartition("/")[2] for one in part.get("anyOf", [part])} if part else set()


CARRIED = {
    side: {
        name
        for method, carried in PROTOCOL["methods"].items()
        if method not in {*UNSPOKEN, "lens/event"}
        for name in names_in(carried["params" if (carried["direction"] != "server → client") == sent else "result"])
    }
    - set(WITHOUT_TWIN)
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


@pytest.mark.parametrize("name", sorted(CARRIED["sent"]))
def test_what_is_sent_is_what_the_server_takes(name: str) -> None:
    assert list(differences(our_schema(name), server_schema(name), name, sent=True)) == []


@pytest.mark.parametrize("name", sorted(CARRIED["given"] | EVENTS))
def test_what_the_server_gives_is_what_is_read(name: str) -> None:
    assert list(differences(our_schema(name), server_schema(name), name, sent=False)) == []


def test_every_event_is_one_of_the_union() -> None:
    heard = {each["properties"]["type"]["enum"][0] for each in alternatives(TYPES.schema("LensEvent"))}
    assert heard == {server_schema(name)["properties"]["type"]["const"] for name in EVENTS}


def test_no_params_are_left_out() -> None:
    assert {"AskParams", "FindParams", "InsertAnswerParams", "ModelResult"} < CARRIED["sent"]
    assert {"AnswerResult", "DryRunResult", "FindResult", "InsertAnswerResult", "ModelParams"} < CARRIED["given"]


def test_only_what_nobody_asks_by_name_is_without_types() -> None:
    named = {name for folder in SOURCES for path in folder.rglob("*.ts*") for name in spoken(path.read_text("utf-8"))}
    assert named == set(PROTOCOL["methods"]) - set(UNSPOKEN)


def test_a_request_that_somebody_asks_would_be_noticed() -> None:
    source = "lens.request<PassageResult>('lens/passage', params); // as `lens/check`, 'lens.server.find'"
    assert spoken(source) == {"lens/passage", "lens.server.find"}


def test_params_without_fields_need_no_type() -> None:
    assert server_schema("ThreadsParams").get("properties", {}) == {}, "give it a type in src/protocol"


def test_every_type_is_part_of_what_is_compared() -> None:
    compared = {OTHER_NAMES.get(name, name) for name in CARRIED["sent"] | CARRIED["given"] | EVENTS}
    assert TYPES.declared - TYPES.reached(*compared) == {"LensEvent"}, "nobody compares it with the server's"


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
