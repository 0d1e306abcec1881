"""Front matter, read line by line.

Not a YAML parser on purpose. It runs on the head of every file of a workspace and must take microseconds, and must
accept what people really write (tabs, stray colons, unclosed quotes). A key with its value and the lines below that
belong to it are one field; the keys below a key are fields ``outer.inner``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lens_lsp.corpus.formats.base import with_plain_breaks
from lens_lsp.corpus.formats.fields import KEYS, MOST_FIELDS, FrontMatter, field, kept, pairs, read_header
from lens_lsp.model.documents import Field, Head

__all__ = ["FrontMatter", "read_front_matter", "read_opening"]

_CUT_LENGTH = 2000
_LONGEST_NAME = 100
_LONGEST_RAW = 4000
"""Code points of a value with its marks."""
_ITEM = re.compile(r""""([^"]*)"|'([^']*)'|([^,\[\]"']+)""")
_NAME = re.compile(r"[^\W_][\w .$@/+-]*")
_INNER = re.compile(r"""(?:([^\W_][\w .$@/+-]{0,99})|"([^"]{1,100})"|'([^']{1,100})'):(?:[ \t]+(.*))?$""")
_ANCHORS = re.compile(r"(?:[&!]\S*(?:\s+|$))+")
_BLOCK_SCALARS = frozenset({"|", ">", "|-", ">-", "|+", ">+"})
_BLANK_LINE = re.compile(r"\n[ \t]*+\n")
_TRIPLE = ('"""', "'''")


@dataclass(slots=True)
class _Entry:
    """A key, its raw value, and the lines below that belong to it with their offsets."""

    table: str
    key: str
    value: str
    start: int
    end: int
    rest: list[tuple[int, str]]


def read_opening(text: str, *, cut: bool = False) -> FrontMatter | None:
    """The front matter or the header lines (`read_header`) at the start of ``text``, ``None`` without any."""
    return read_front_matter(text, cut=cut) if text[:3] in ("---", "+++") else read_header(text, cut=cut)


def read_front_matter(text: str, *, cut: bool = False) -> FrontMatter | None:
    """The front matter at the start of ``text`` (between ``---`` or ``+++`` lines), ``None`` without one.

    ``cut`` says that ``text`` is only the start of a document: then a long one need not be closed.
    """
    fence = text[:3]
    if fence not in ("---", "+++"):
        return None
    text = with_plain_breaks(text)
    first = text.find("\n")
    if first < 0 or text[3:first].strip():
        return None
    close = _closing(text, fence, first)
    whole = close is not None
    if close is None:
        if not cut or len(text) < _CUT_LENGTH:
            return None
        close = (len(text), len(text))
    toml = fence == "+++"
    content = text[first + 1 : close[0]]
    entries = _entries(content, first + 1, "=" if toml else ":")
    values = _values(entries)
    aliases, tags, lens = values.get("aliases"), values.get("tags"), values.get("lens")
    if lens is None and _is_prose(content, toml=toml) and _BLANK_LINE.search(text, first, close[0]) is not None:
        return None
    fields = kept(_fields(entries if whole else entries[:-1], toml=toml))
    head = Head(
        _scalar(values.get("title")),
        _items(aliases) if aliases else (),
        tuple([tag.lstrip("#") for tag in _items(tags)]) if tags else (),
        _scalar(values.get("description")),
        pairs(fields),
    )
    if lens is None:
        return FrontMatter(close[1], head, fields=fields)
    return FrontMatter(close[1], head, _answer(lens), fields)


def _is_prose(content: str, *, toml: bool) -> bool:
    """Whether the fences are rules around a text: its first line is no key, comment, list or table."""
    for line in content.split("\n", 50)[:50]:
        if line.strip() and line[0] != "#":
            sign = line.find("=" if toml else ":")
            return line[0] not in " \t-[{" and (sign <= 0 or _NAME.fullmatch(line[:sign].strip(" \t\"'")) is None)
    return False


def _closing(text: str, fence: str, first: int) -> tuple[int, int] | None:
    """Where the content ends and where the closing line ends."""
    at = text.find("\n" + fence, first)
    while at >= 0:
        end = text.find("\n", at + 1)
        end = len(text) if end < 0 else end
        if not text[at + 4 : end].strip():
            return max(at, first + 1), at + 4
        at = text.find("\n" + fence, end)
    return None


def _entries(content: str, at: int, mark: str) -> list[_Entry]:
    """The keys at the left edge with what belongs to each; ``at`` is where ``content`` starts."""
    entries: list[_Entry] = []
    current: _Entry | None = None
    table, open_until = "", ""
    for line in content.split("\n"):
        first = line[:1]
        if open_until and current is not None:
            current.rest.append((at, line))
            open_until = "" if open_until in line else open_until
        elif not first or first == "#":
            pass
        elif first in " \t-]":
            if current is not None:
                current.rest.append((at, line))
        elif first == "[" and mark == "=":
            table, current = line.partition("#")[0].strip(" \t[]\"'").lower() + ".", None
        else:
            sign = line.find(mark)
            current = None
            if sign > 0:
                current = _Entry(table, line[:sign], line[sign + 1 :], at, at + len(line.rstrip()), [])
                entries.append(current)
                value = current.value.strip()
                if mark == "=" and value[:3] in _TRIPLE and value[:3] not in value[3:]:
                    open_until = value[:3]
        at += len(line) + 1
    return entries


def _values(entries: list[_Entry]) -> dict[str, list[str]]:
    """The raw value of each key we know, its continuation lines behind it."""
    values: dict[str, list[str]] = {}
    for entry in entries:
        name = KEYS.get(entry.key) or KEYS.get(entry.key.strip(" \t\"'").lower())
        if name is not None and (not entry.table or name == "lens"):
            parts = values.setdefault(name, [])
            parts.append(entry.value.strip())
            parts.extend([line.strip() for _, line in entry.rest])
    return values


def _fields(entries: list[_Entry], *, toml: bool) -> Iterator[Field | None]:
    """All fields in order; ``None`` for keys that say nothing."""
    for entry in entries[: 4 * MOST_FIELDS]:
        key = entry.key.strip(" \t\"'")
        if _NAME.fullmatch(key) is None or not (toml or entry.value[:1] in " \t"):
            continue
        root = _Node(-1, entry.table + key, entry.start, entry.end, [_bare(entry.value)], [])
        if entry.rest:
            yield from _nested(root, entry.rest)
        else:
            yield field(root.name, _plain(root.parts, []), root.start, root.end)


@dataclass(slots=True)
class _Node:
    """A key at some depth: its value in parts, or the items of its list."""

    indent: int
    name: str
    start: int
    end: int
    parts: list[str]
    items: list[str]


def _nested(root: _Node, lines: list[tuple[int, str]]) -> Iterator[Field | None]:
    """The fields of a key with lines below it."""
    nodes, stack = [root], [root]
    for at, line in lines:
        body = line.strip()
        if not body or len(nodes) > MOST_FIELDS:
            continue
        indent, end = len(line) - len(line.lstrip()), at + len(line.rstrip())
        item = body == "-" or body.startswith("- ")
        while len(stack) > 1 and (stack[-1].indent > indent or (stack[-1].indent == indent and not item)):
            stack.pop()
        top = stack[-1]
        if top.parts[0]:
            top.parts.append(body)
            top.end = end
            continue
        if body[0] == "#":
            continue
        inner = body[1:].lstrip() if item else body
        match = _INNER.match(inner)
        if match is not None:
            name = f"{top.name}.{match[1] or match[2] or match[3]}"[: 2 * _LONGEST_NAME]
            nodes.append(_Node(indent + 2 * item, name, at, end, [_bare(match[4] or "")], []))
            stack.append(nodes[-1])
            continue
        if item:
            top.items.append(inner)
        elif top.items:
            top.items[-1] = f"{top.items[-1]} {inner}" if len(top.items[-1]) < _LONGEST_RAW else top.items[-1]
        else:
            top.parts.append(inner)
        top.end = end
    for node in nodes:
        yield field(node.name, _plain(node.parts, node.items), node.start, node.end)


def _bare(value: str) -> str:
    """A raw value without YAML's anchors and tags, empty where only a comment stands."""
    value = value.strip()
    if value[:1] in ("&", "!"):
        value = _ANCHORS.sub("", value, 1)
    return "" if value[:1] == "#" else value


def _plain(parts: list[str], items: list[str]) -> str:
    """The value in plain text: without quotes, brackets and comments, the items of a list between commas."""
    if items:
        return ", ".join([_unquoted(item[:_LONGEST_RAW]) for item in items[:_LONGEST_RAW]])
    first = parts[0]
    if first in _BLOCK_SCALARS:
        return " ".join(parts[1:_LONGEST_RAW])
    raw = (" ".join(parts[:_LONGEST_RAW]) if len(parts) > 1 else first)[:_LONGEST_RAW]
    if raw[:1] == "[":
        return ", ".join(_items([raw]))
    if raw[:1] == "{":
        return raw.strip("{} ").replace('"', "").replace("'", "")
    if raw[:3] in _TRIPLE:
        return raw[3:].partition(raw[:3])[0]
    return _unquoted(raw)


def _scalar(parts: list[str] | None) -> str | None:
    """A string: quoted, plain, or a block scalar whose lines are joined by spaces."""
    if not parts:
        return None
    if parts[0] in _BLOCK_SCALARS:
        return " ".join(parts[1:]) or None
    return _unquoted(" ".join(parts) if len(parts) > 1 else parts[0]) or None


def _unquoted(value: str) -> str:
    """The value without its quotes or its trailing comment."""
    value = value.strip()
    if value[:1] in ('"', "'"):
        close = value.find(value[0], 1)
        while close > 0 and value[close - 1] == "\\":
            close = value.find(value[0], close + 1)
        inner = value[1:close] if close > 0 else value[1:]
        return inner.replace('\\"', '"').strip() if "\\" in inner else inner.strip()
    comment = value.find(" #")
    return (value[:comment] if comment >= 0 else value).strip()


def _items(parts: list[str]) -> tuple[str, ...]:
    """A list: inline ``[a, b]``, block ``- a``, or a string with commas."""
    found: dict[str, None] = {}
    inline: list[str] = []
    for part in parts:
        if part.startswith("- ") or part == "-":
            found[_unquoted(part[1:])] = None
        else:
            inline.append(part)
    for quoted, single, plain in _ITEM.findall(" ".join(inline)):
        found[(quoted or single or _unquoted(plain)).strip()] = None
    found.pop("", None)
    return tuple(found)


def _answer(parts: list[str]) -> bool:
    return any(_unquoted(part.removeprefix("- ")).lower().startswith("answer/") for part in parts)
