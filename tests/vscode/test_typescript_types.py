"""The reader of TypeScript's types, which decides whether the extension and the server agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vscode.typescript_types import Types

TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def members(required: list[str], **properties: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@pytest.mark.parametrize(
    ("written", "schema"),
    [
        ("string", TEXT),
        ("unknown", {}),
        ("'a' | 'b'", {"enum": ["a", "b"]}),
        ("\n  | 'a'\n  | 'b'", {"enum": ["a", "b"]}),
        ("'a' | null | 'b'", {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}),
        ("number | null", {"anyOf": [NUMBER, {"type": "null"}]}),
        ("readonly string[]", {"type": "array", "items": TEXT}),
        ("readonly ('a' | 'b')[]", {"type": "array", "items": {"enum": ["a", "b"]}}),
        ("readonly [number, string]", {"type": "array", "prefixItems": [NUMBER, TEXT]}),
        ("{ readonly a: string; readonly b?: number }", members(["a"], a=TEXT, b=NUMBER)),
        ("{ readonly a: string } & { readonly b: number }", members(["a", "b"], a=TEXT, b=NUMBER)),
        ("readonly { readonly a: string }[]", {"type": "array", "items": members(["a"], a=TEXT)}),
        ("Readonly<Record<string, number>>", {"type": "object", "additionalProperties": NUMBER}),
        ("Readonly<Partial<Record<'a' | 'b', number>>>", members([], a=NUMBER, b=NUMBER)),
    ],
)
def test_a_type_becomes_a_schema(written: str, schema: object) -> None:
    assert Types.of(f"/** why */ export type X = {written};").schema("X") == schema


def test_interfaces_extend_each_other_and_take_a_type() -> None:
    types = Types.of(
        """
        interface Base<T> { readonly kind: T; readonly id?: string; } // a base
        export interface Part extends Base<'part'> { readonly of: Name['long']; }
        interface Name { readonly long: string | null; readonly short: string; }
        interface Whole { readonly parts: readonly Part[]; readonly name: Omit<Name, 'long'>; }
        """
    )
    part = members(["kind", "of"], kind={"enum": ["part"]}, id=TEXT, of={"anyOf": [TEXT, {"type": "null"}]})
    assert types.schema("Part") == part
    parts, short = {"type": "array", "items": part}, members(["short"], short=TEXT)
    assert types.schema("Whole") == members(["parts", "name"], parts=parts, name=short)


def test_all_files_of_a_folder_are_read_and_share_their_names(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "whole.ts").write_text(
        "import type { Name, Part } from './deeper/part';\nexport interface Whole extends Part { readonly b: Name; }"
    )
    (tmp_path / "deeper" / "part.ts").write_text(
        "export type Name = string;\nexport interface Part { readonly a: number; }\nexport type Other = 'alone';"
    )
    types = Types.below(tmp_path)
    assert types.schema("Whole") == members(["a", "b"], a=NUMBER, b=TEXT)
    assert types.reached("Whole") == {"Whole", "Part", "Name"}
    assert types.declared == {"Whole", "Part", "Name", "Other"}


def test_a_folder_without_types_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no types"):
        Types.below(tmp_path)


def test_a_name_for_two_types_is_an_error() -> None:
    with pytest.raises(ValueError, match="twice: X"):
        Types.of("type X = string;", "export interface X { readonly a: string; }")


@pytest.mark.parametrize(
    "source",
    [
        "import { x } from './a';",
        "import type { X as Y } from './a';",
        "import type * as all from './a';",
        "import type X from './a';",
        "export type { X } from './a';",
        "export * from './a';",
    ],
)
def test_types_come_from_other_files_by_their_names_only(source: str) -> None:
    with pytest.raises(ValueError, match=r"grammar|expected"):
        Types.of(source)


@pytest.mark.parametrize("source", ["export type X = string ? number;", "export type X = `a`;", "const x = 1;"])
def test_what_is_not_understood_is_an_error(source: str) -> None:
    with pytest.raises(ValueError, match=r"grammar|declaration|goes on"):
        Types.of(source).schema("X")


def test_a_field_that_can_be_written_is_an_error() -> None:
    with pytest.raises(ValueError, match="readonly"):
        Types.of("interface X { a: string; }").schema("X")
