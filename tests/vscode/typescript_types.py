"""The types of `vscode-extension/src/protocol/` as JSON schemas, from the small part of TypeScript that it keeps to.

Types of other files by their names, interfaces (``extends`` and one type parameter), type aliases, unions,
intersections of objects, literals, arrays, tuples, inline objects, ``Readonly``, ``Record``, ``Partial``, ``Omit``, and
``Interface['field']``. Whatever else is there is an error: better than a type that is compared with nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Schema = dict[str, Any]

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TOKEN = re.compile(r"'[^']*'|[A-Za-z_]\w*|[{}\[\]()<>|&?:;=,]")
_PLAIN: dict[str, Schema] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
    "unknown": {},
}


@dataclass
class _Interface:
    parameter: str | None
    above: tuple[str, list[str]] | None
    """The name of what it extends, and the tokens of that one's argument."""
    body: list[str]


@dataclass
class Types:
    """The declarations of files that share their names: none is declared twice."""

    interfaces: dict[str, _Interface] = field(default_factory=dict)
    aliases: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, *sources: str) -> Types:
        """Raises ValueError for what the grammar does not know, and for a name that is declared twice."""
        types = cls()
        for source in sources:
            types._read(_Reader.of(source))
        return types

    @classmethod
    def below(cls, folder: Path) -> Types:
        """Those of all files in a folder and in its folders. Raises ValueError as `of`, and where there is no file."""
        sources = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.ts"))]
        if not sources:
            raise ValueError(f"no types in {folder}")
        return cls.of(*sources)

    def _read(self, reader: _Reader) -> None:
        while reader.more:
            if reader.skip("import"):
                reader.names_of_another_file()
                continue
            reader.skip("export")
            kind, name = reader.next(), reader.next()
            if name in self.declared:
                raise ValueError(f"declared twice: {name}")
            if kind == "type":
                reader.take("=")
                self.aliases[name] = reader.until(";")
            elif kind == "interface":
                self.interfaces[name] = reader.interface()
            else:
                raise ValueError(f"no declaration: {kind} {name}")

    @property
    def declared(self) -> set[str]:
        """The names of all declarations."""
        return {*self.interfaces, *self.aliases}

    def reached(self, *names: str) -> set[str]:
        """The names of these declarations and of all that they are made of."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.declared.intersection(self._tokens(name))
        return found

    def _tokens(self, name: str) -> list[str]:
        if name in self.aliases:
            return self.aliases[name]
        interface = self.interfaces[name]
        above, argument = interface.above or ("", [])
        return [above, *argument, *interface.body]

    def schema(self, name: str) -> Schema:
        """The JSON schema of a declared type, references written out."""
        return _Schemas(self, {}).reference(name, [])


class _Reader:
    """Tokens, read one after the other."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    @classmethod
    def of(cls, source: str) -> _Reader:
        text = _COMMENT.sub("", source)
        if left := _TOKEN.sub("", text).split():
            raise ValueError(f"no grammar for {left[0]!r}")
        return cls(_TOKEN.findall(text))

    @property
    def more(self) -> bool:
        return self._at < len(self._tokens)

    @property
    def peek(self) -> str:
        return self._tokens[self._at] if self.more else ""

    def next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def skip(self, token: str) -> bool:
        if self.peek != token:
            return False
        self._at += 1
        return True

    def take(self, token: str) -> None:
        if not self.skip(token):
            raise ValueError(f"expected {token!r}, not {self.peek!r}")

    def until(self, *ends: str) -> list[str]:
        """The tokens up to one of the ends that is not inside of brackets; the end is taken, too."""
        depth, taken = 0, []
        while depth or self.peek not in ends:
            token = self.next()
            depth += (token in "{[(<") - (token in "}])>")
            taken.append(token)
        self._at += 1
        return taken

    def names_of_another_file(self) -> None:
        """Behind ``import``: types by the names that they are declared with."""
        self.take("type")
        self.take("{")
        names = self.until("}")
        if "as" in names:
            raise ValueError("no grammar for 'as'")
        self.take("from")
        self.until(";")

    def interface(self) -> _Interface:
        parameter = None
        if self.skip("<"):
            parameter = self.next()
            self.until(">")
        above = None
        if self.skip("extends"):
            above = (self.next(), self.until(">") if self.skip("<") else [])
        self.take("{")
        return _Interface(parameter, above, self.until("}"))


class _Schemas:
    """Types as schemas; ``bound`` are the arguments of type parameters."""

    def __init__(self, types: Types, bound: dict[str, Schema]) -> None:
        self._types = types
        self._bound = bound

    def reference(self, name: str, argument: list[str]) -> Schema:
        if name in self._bound:
            return self._bound[name]
        if name in _PLAIN:
            return dict(_PLAIN[name])
        if name in self._types.aliases:
            return self.type(_Reader(self._types.aliases[name]))
        interface = self._types.interfaces[name]
        bound = {interface.parameter: self.type(_Reader(argument))} if interface.parameter else {}
        inside = _Schemas(self._types, bound)
        own = inside.members(_Reader(interface.body))
        if interface.above is None:
            return own
        base = inside.reference(*interface.above)
        return _joined(base, own)

    def members(self, reader: _Reader) -> Schema:
        properties: dict[str, Schema] = {}
        required = []
        while reader.more:
            reader.take("readonly")
            name = reader.next()
            if not reader.skip("?"):
                required.append(name)
            reader.take(":")
            properties[name] = self.type(_Reader(reader.until(";", "")))
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    def type(self, reader: _Reader) -> Schema:
        reader.skip("|")
        parts = [self._together(reader)]
        while reader.skip("|"):
            parts.append(self._together(reader))
        if reader.more:
            raise ValueError(f"no type goes on with {reader.peek!r}")
        return _union(parts)

    def _together(self, reader: _Reader) -> Schema:
        schema = self._postfixed(reader)
        while reader.skip("&"):
            schema = _joined(schema, self._postfixed(reader))
        return schema

    def _postfixed(self, reader: _Reader) -> Schema:
        reader.skip("readonly")
        schema = self._primary(reader)
        while reader.skip("["):
            if reader.skip("]"):
                schema = {"type": "array", "items": schema}
            else:
                schema = schema["properties"][reader.next().strip("'")]
                reader.take("]")
        return schema

    def _primary(self, reader: _Reader) -> Schema:
        token = reader.next()
        if token.startswith("'"):
            return {"enum": [token.strip("'")]}
        if token == "{":
            return self.members(_Reader(reader.until("}")))
        if token == "(":
            return self.type(_Reader(reader.until(")")))
        if token == "[":
            inner = _Reader(reader.until("]"))
            items = []
            while inner.more:
                items.append(self.type(_Reader(inner.until(",", ""))))
            return {"type": "array", "prefixItems": items}
        arguments = _Reader(reader.until(">")) if reader.skip("<") else _Reader([])
        return self._generic(token, arguments)

    def _generic(self, name: str, arguments: _Reader) -> Schema:
        if name == "Readonly":
            return self.type(arguments)
        if name == "Partial":
            return self.type(arguments) | {"required": []}
        if name == "Omit":
            whole = self.type(_Reader(arguments.until(",")))
            left_out = self.type(arguments)["enum"]
            return whole | {
                "properties": {key: each for key, each in whole["properties"].items() if key not in left_out},
                "required": [key for key in whole["required"] if key not in left_out],
            }
        if name == "Record":
            key = self.type(_Reader(arguments.until(",")))
            value = self.type(arguments)
            if "enum" not in key:
                return {"type": "object", "additionalProperties": value}
            names = key["enum"]
            return {"type": "object", "properties": dict.fromkeys(names, value), "required": names} | {
                "additionalProperties": False
            }
        return self.reference(name, arguments.until("") if arguments.more else [])


def _joined(base: Schema, own: Schema) -> Schema:
    """An object with the fields of both, the second's where both have one."""
    return own | {
        "properties": base["properties"] | own["properties"],
        "required": [*base["required"], *own["required"]],
    }


def _union(parts: list[Schema]) -> Schema:
    literals = [value for part in parts for value in part.get("enum", ())]
    others = [part for part in parts if "enum" not in part]
    parts = [*([{"enum": literals}] if literals else []), *others]
    return parts[0] if len(parts) == 1 else {"anyOf": parts}
