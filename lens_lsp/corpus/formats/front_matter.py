"""Metadata at the head of a text as fields: front matter, header lines, field lists and attributes.

Front matter is read line by line and not by a YAML parser on purpose: this runs on the head of every file of a
workspace, must take microseconds, bounded and linear, and must accept what people really write (tabs, stray colons,
unclosed quotes). A key with its value and the lines below that belong to it are one field; the keys below a key are
fields ``outer.inner``. A document may also open with lines such as ``Title: Parsers`` and ``Author: …`` (PEPs, mail,
changelogs): they are fields, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from lens_lsp.corpus.encoding import with_plain_breaks
from lens_lsp.model.documents import Field, Head
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span

MOST_FIELDS = 64
"""Fields of one document; further ones stay words of its text."""
LONGEST_VALUE = 500
"""Code points of a value; a longer one is cut."""
KEYS = {
    "title": "title",
    "description": "description",
    "summary": "description",
    "aliases": "aliases",
    "alias": "aliases",
    "tags": "tags",
    "tag": "tags",
    "keywords": "tags",
    "filetags": "tags",
    "lens": "lens",
}
"""Names that say what a document is called and about."""
_LONGEST_NAME = 100
_LEAST_CUT = 2000
"""Code points of a text that may be cut within its metadata."""
_HEADER = regex(r"([^\W\d_][\w-]{0,40}(?: [\w-]{1,40}){0,2}):(?:[ \t]+(.*))?$")
_LISTED = regex(r"\s*[,;]\s*")
_NOTHING = frozenset({"", "~", "null", "[]", "{}"})
__all__ = ["FrontMatter", "read_front_matter", "read_opening"]
_CUT_LENGTH = 2000
_LONGEST_RAW = 4000
"""Code points of a value with its marks."""
_ITEM = regex(r""""([^"]*)"|'([^']*)'|([^,\[\]"']+)""")
_NAME = regex(r"[^\W_][\w .$@/+-]*")
_INNER = regex(r"""(?:([^\W_][\w .$@/+-]{0,99})|"([^"]{1,100})"|'([^']{1,100})'):(?:[ \t]+(.*))?$""")
_ANCHORS = regex(r"(?:[&!]\S*(?:\s+|$))+")
_BLOCK_SCALARS = frozenset({"|", ">", "|-", ">-", "|+", ">+"})
_BLANK_LINE = regex(r"\n[ \t]*+\n")
_TRIPLE = ('"""', "'''")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The metadata a document opens with, and the offset just behind it; ``start`` is that of its first line."""

    end: int
    head: Head
    answer: bool = False
    fields: tuple[Field, ...] = ()
    start: int = 0


@dataclass(frozen=True, slots=True)
class Leading:
    """Fields near the start of a document, and the stretches of lines they stand on."""

    fields: tuple[Field, ...] = ()
    spans: tuple[Span, ...] = ()

    @classmethod
    def of_lines(cls, found: Sequence[tuple[str, str, int, int]]) -> Leading:
        """Fields that stand on a line each: name, value, where the line starts and ends. Names alone are allowed."""
        spans: list[Span] = []
        for _, _, start, end in found:
            # A break may be two code points, and blanks may end a line.
            if spans and start - spans[-1].end <= 2:
                spans[-1] = Span(spans[-1].start, end)
            else:
                spans.append(Span(start, end))
        return cls(kept(field(*each) for each in found[: 4 * MOST_FIELDS]), tuple(spans))


def pairs(fields: Iterable[Field]) -> tuple[tuple[str, str], ...]:
    """The fields as a `Head` keeps them."""
    return tuple([(field.name, field.value) for field in fields])


def field(name: str, value: str, start: int, end: int) -> Field | None:
    """A field with its name in lower case and its value on one line; ``None`` where it says nothing."""
    value = " ".join(value[: 2 * LONGEST_VALUE].split())[:LONGEST_VALUE].rstrip()
    if KEYS.get(name.lower()) == "tags":
        value = value.replace(", #", ", ").lstrip("#")
    if value in _NOTHING or not name or len(name) > _LONGEST_NAME:
        return None
    return Field(name.lower(), value, Span(start, end))


def kept(found: Iterable[Field | None]) -> tuple[Field, ...]:
    """The fields among ``found``, as many as a document may have."""
    fields: list[Field] = []
    for each in found:
        if each is not None:
            fields.append(each)
            if len(fields) == MOST_FIELDS:
                break
    return tuple(fields)


def head_of(fields: Sequence[Field]) -> Head:
    """What fields with plain values say a document is called and about."""
    said: dict[str, str] = {}
    for each in fields:
        name = KEYS.get(each.name)
        if name in ("aliases", "tags") and name in said:
            said[name] += ", " + each.value
        elif name is not None:
            said.setdefault(name, each.value)
    return Head(
        said.get("title"),
        _several(said.get("aliases", "")),
        _several(said.get("tags", "")),
        said.get("description"),
        pairs(fields),
    )


def merged(first: Head, other: Head) -> Head:
    """What two heads of a document say; the first has the last word."""
    return Head(
        first.title or other.title,
        first.aliases or other.aliases,
        first.tags or other.tags,
        first.description or other.description,
        (first.fields + other.fields)[:MOST_FIELDS],
    )


def read_header(text: str, *, cut: bool = False) -> FrontMatter | None:
    """The header lines a text opens with, ``None`` without any.

    They are two ``Name: value`` lines at least, with a blank line and a text behind them. Lines that go on with the
    same names behind the blank line are a list of records or what people said in turn, and no header.

    ``cut`` says that ``text`` is only the start of a document: then a long header need not end.
    """
    if not _may_be_header(text):
        return None
    text = with_plain_breaks(text)
    found: list[tuple[str, list[str], int, int]] = []
    names: list[str] = []
    end = 0
    for start, line in lines_from(text, len(text) - len(text.lstrip())):
        if not line.strip():
            break
        match = _HEADER.match(line)
        if match is not None:
            names.append(match[1].lower())
            found.append((match[1], [match[2] or ""], start, start + len(line.rstrip())))
        elif found and line[0] in " \t":
            name, parts, first, _ = found[-1]
            parts.append(line.strip())
            found[-1] = (name, parts, first, start + len(line.rstrip()))
        else:
            return None
        end = found[-1][3]
    rest = text[end : end + _LEAST_CUT].lstrip()
    if not rest:
        if not cut or len(text) < _LEAST_CUT:
            return None
        found.pop()
    follows = _HEADER.match(rest.partition("\n")[0])
    if len(found) < 2 or 2 * len(set(names)) <= len(names) or (follows is not None and follows[1].lower() in names):
        return None
    fields = kept(field(name, _plain(parts), first, last) for name, parts, first, last in found[:MOST_FIELDS])
    return FrontMatter(end, head_of(fields), fields=fields, start=found[0][2])


def _plain(parts: list[str]) -> str:
    value = " ".join(parts).strip()
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _may_be_header(text: str) -> bool:
    """Whether the first line has a colon behind a short name: most texts need no further look."""
    start = len(text) - len(text.lstrip()) if text[:1].isspace() else 0
    sign = text.find(":", start, start + 130)
    return sign > 0 and "\n" not in text[start:sign] and "\r" not in text[start:sign] and text[start].isalpha()


def lines_from(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The lines from ``start`` on with where they start, one at a time: metadata ends soon."""
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, text[start:end]
        start = end + 1


def _several(value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, _LISTED.split(value.strip())))) if value else ()


def leading_fields(text: str, at: int, listed: Callable[[str], tuple[str, str] | None]) -> Leading:
    """The fields on the lines from ``at`` on, each with the indented lines below it, and where they end.

    ``listed`` says a line's name and value, ``None`` for a line that is no field.
    """
    found: list[tuple[str, list[str], int, int]] = []
    for start, line in lines_from(text, at):
        said = listed(line)
        end = start + len(line.rstrip())
        if said is not None:
            found.append((said[0], [said[1]], start, end))
        elif found and line[:1] in (" ", "\t") and line.strip():
            name, parts, first, _ = found[-1]
            parts.append(line.strip().removeprefix("- "))
            found[-1] = (name, parts, first, end)
        else:
            break
    fields = kept(field(name, " ".join(parts), first, last) for name, parts, first, last in found[: 4 * MOST_FIELDS])
    return Leading(fields, (Span(found[0][2], found[-1][3]),) if found else ())


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
            yield field(root.name, _plain_value(root.parts, []), root.start, root.end)


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
        yield field(node.name, _plain_value(node.parts, node.items), node.start, node.end)


def _bare(value: str) -> str:
    """A raw value without YAML's anchors and tags, empty where only a comment stands."""
    value = value.strip()
    if value[:1] in ("&", "!"):
        value = _ANCHORS.sub("", value, 1)
    return "" if value[:1] == "#" else value


def _plain_value(parts: list[str], items: list[str]) -> str:
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
