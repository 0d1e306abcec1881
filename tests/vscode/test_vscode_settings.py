"""The extension's settings are the server's: the same keys, the same bounds, and the same words in the reference.

What `package.json` says of itself (scopes, restricted settings, languages) `vscode-extension/test/contract` tests.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from lens_lsp import __version__
from lens_lsp.app.option_models import EDITOR_ONLY, ClientOptions
from tests.docs.documentation import DOCS, REPOSITORY, table_rows, text_of

EXTENSION = REPOSITORY / "vscode-extension"
MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
SETTINGS: dict[str, dict[str, Any]] = {
    name.removeprefix("lens."): setting
    for group in MANIFEST["contributes"]["configuration"]
    for name, setting in group["properties"].items()
}
REFERENCE = DOCS / "reference" / "settings.md"


def bounds_of(schema: dict[str, Any]) -> dict[str, Any]:
    return {bound: schema[bound] for bound in ("minimum", "exclusiveMinimum", "enum") if bound in schema}


def schema_of(name: str) -> dict[str, Any]:
    """What the server takes for a key, without null."""
    schema = ClientOptions.model_json_schema(by_alias=True)
    taken = schema["properties"][name]
    (only,) = (each for each in taken.get("anyOf", [taken]) if each.get("type") != "null")
    return dict(schema["$defs"][only["$ref"].rpartition("/")[2]] if "$ref" in only else only)


def types_of(setting: dict[str, Any]) -> set[str]:
    kinds = setting["type"]
    return {kinds} if isinstance(kinds, str) else set(kinds) - {"null"}


def test_the_settings_are_those_that_an_editor_may_say() -> None:
    assert set(SETTINGS) == {*ClientOptions.names(), *EDITOR_ONLY}


def test_the_reference_lists_the_same_settings() -> None:
    told = {row[0].strip("`") for row in table_rows(REFERENCE, "## Keys") if row[-1] == "✓"}
    (line,) = [line for line in text_of(REFERENCE).splitlines() if line.startswith("In an editor there are more")]
    assert set(SETTINGS) == told | set(re.findall(r"`([\w.]+)`", line))


@pytest.mark.parametrize("name", ClientOptions.names())
def test_a_setting_takes_what_the_server_takes(name: str) -> None:
    setting, taken = SETTINGS[name], schema_of(name)
    assert types_of(setting) == {taken["type"]}
    if "pattern" in taken and "enum" in setting:  # some of what the server takes
        assert all(re.search(taken["pattern"], each) for each in setting["enum"] if each)
    else:
        assert bounds_of(setting) == bounds_of(taken)
    if taken["type"] == "object":
        parts = taken["properties"].items()
        assert set(setting["required"]) == set(taken["required"])
        assert setting["properties"] == {key: {"type": part["type"]} | bounds_of(part) for key, part in parts}


@pytest.mark.parametrize("name", ClientOptions.names())
def test_the_default_says_nothing_to_the_server(name: str) -> None:
    """A default is one that the server takes for not said, or that is its own."""
    default = SETTINGS[name]["default"]
    if default not in (None, "", []):
        assert default == tomllib.loads(f"value = {ClientOptions.told(name)['default']}")["value"]


def test_the_extension_carries_the_version_of_the_server() -> None:
    assert MANIFEST["version"] == __version__
