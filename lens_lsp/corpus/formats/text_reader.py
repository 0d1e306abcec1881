"""What every reader of a text format has in common, metadata at the head of a text, and the reader of plain text.

For a text format the document's text *is* the decoded text, so that every span and quote slices the file as it is.
`TextReader` has the defaults, `LineParser` is the loop of line-oriented markup, and an `Outline` collects what a
reader finds: blocks in order, apart and free of outer blanks. Plain text has paragraphs by blank lines, a short first
line as title, one block a line for logs.

Metadata (front matter, header lines, field lists, attributes) is read line by line and not by a YAML parser on purpose:
this runs on the head of every file of a workspace, must take microseconds, bounded and linear, and must accept what
people really write (tabs, stray colons, unclosed quotes). A key with its value and the lines below that belong to it
are one field; the keys below a key are fields ``outer.inner``. A document may also open with lines such as
``Title: Parsers`` and ``Author: …`` (PEPs, mail, changelogs): they are fields, too."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from lens_lsp.corpus.encoding import with_plain_breaks
from lens_lsp.model.documents import Block, BlockKind, Field, Head, Heading, Link, Locator, LocatorMap, Structure
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


HEAD_LENGTH = 4096
"""Code points of a document's start that are enough for ``TextReader.head``."""
NO_HEAD = Head()
NO_LOCATORS = LocatorMap()
TEXTUAL = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE})
"""Kinds whose lines run on into the next line."""
_HEADING_LENGTH = 1000
ITEM = regex(r"(?:[-+]|\*++|\.{1,5}|(?:\d{1,9}|[a-zA-Z#])[.)])[ \t]+(?=\S)")
"""A list item's mark, after the indentation."""
_MOST_FAILURES = 16
_ADDRESS = regex(r"(?:https?|ftp)://[^\s<>\"`|\\^{}\[\]，。；：！？、（）「」『』【】《》“”‘’…]+")
_PUNCTUATION = ".,;:!?'*_~"
_APART = frozenset({BlockKind.CODE, BlockKind.FRONT_MATTER})
_LONGEST_TITLE = 120
_CAPITAL = r"(?:[^\W\d_a-zß-ÿ]|\d)[\w.'’&-]*"
_JOINER = r"(?!(?:is|are|was|were)\b)[a-z]{1,4} "
_LEAD = regex(
    rf"\W{{0,3}}(?:(?:The|A|An) )?({_CAPITAL}(?: (?:{_JOINER}){{0,2}}\"?{_CAPITAL}\"?){{0,7}})"
    r"(?=\"?(?:,? ?\(|,| (?:is|are|was|were|refers?|also|or)\b))"
)
_MIDDLE = regex(rf"({_CAPITAL})(?: {_CAPITAL}){{1,3}} ({_CAPITAL})")
_NICKNAME = regex(r'"(\w+)" ')
_MARK = regex(r"(?:(?P<bullet>[-*+•–])|\(?(?P<number>\d{1,3})[.)]|\[\d{1,4}\])[ \t]+(?=\S)")
"""What an item begins with."""
_CHAPTER = regex(
    r"(?:CHAPTER|BOOK|PART|SECTION|LETTER|VOLUME|Chapter|Book|Part|Section)[ \t]+(?:[IVXLC]+|\d+|[A-Z]+)\b"
)
_RULE = regex(r"([=\-~*_])(?>\1{2,})$")
_LONGEST_HEADING = 80
_CHAPTER_LEVEL = 2
"""Below the title."""
_LOG_LINES = 12
"""A text without a single blank line and with more lines than this is a list of lines, not one paragraph."""
_LONGEST_PARAGRAPH = 100
"""Lines; a paragraph beyond it is no paragraph, whatever stands around it."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text of a document and where its parts stand in the file."""

    text: str
    locators: LocatorMap = NO_LOCATORS


class TextReader:
    """One text format, with the defaults: nothing extracted, nothing masked, lines and columns for places.

    No method raises on any text; each takes time linear in its length.
    """

    name = "text"
    """Names the format, ``"markdown"``; with ``version`` it is recorded in every piece of evidence."""
    version = 1
    """Goes up whenever ``extract`` gives another text for the same file."""
    extracted = False
    """Whether the document's text differs from the decoded file."""
    masked = False
    """Whether ``mask`` ever hides anything: the text of other formats can be scanned as it is."""

    def extract(self, decoded: str) -> Extraction:
        """The document's text; the decoded text itself unless ``extracted``."""
        return Extraction(decoded)

    def structure(self, text: str) -> Structure:
        """What stands in the document's text: blocks apart and in order, all spans inside the text."""
        raise NotImplementedError

    def locators(self, text: str) -> LocatorMap:
        """Rows, keys; empty where line and column say it all. Extracted formats give it in ``extract``."""
        return NO_LOCATORS

    def head(self, start: str) -> Head:
        """What the document says about itself in its first ``HEAD_LENGTH`` code points; microseconds."""
        return NO_HEAD

    def mask(self, text: str) -> tuple[Span, ...]:
        """Markup that must not be searched, in order and apart; empty for most formats."""
        return ()

    def unclosed(self, text: str) -> int | None:
        """Where markup begins that hides the text to its end because it is never closed; None in most texts."""
        return None


def locate(locators: LocatorMap, offset: int) -> Locator | None:
    """The place that holds at a code point offset, ``None`` before the first and in stretches without one."""
    index = bisect_right(locators.starts, offset) - 1
    if index < 0:
        return None
    return locators.locators[index] or None


class Outline:
    """Blocks, headings and links of one text, in the order in which they are found.

    At most one block is open at a time; ``kind`` is its kind, ``None`` when none is open.
    """

    __slots__ = ("_end", "blocks", "fields", "headings", "hidden", "kind", "links", "start", "tags", "targets", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.hidden: list[Span] = []
        self.fields: list[Field] = []
        self.targets: list[Span] = []
        """In any order, and they may overlap."""
        self.tags: dict[str, None] = {}
        self.kind: BlockKind | None = None
        self.start = 0
        self._end = 0

    @property
    def end(self) -> int:
        """Where the open block ends so far."""
        return self._end

    def begin(self, kind: BlockKind, start: int, end: int) -> None:
        """Close the open block and open another."""
        self.close()
        self.kind, self.start, self._end = kind, start, end

    def extend(self, end: int) -> None:
        """Let the open block run on to ``end``."""
        self._end = end

    def close(self) -> None:
        """Keep the open block, if any."""
        if self.kind is not None:
            self.add(self.kind, self.start, self._end)
            self.kind = None

    def drop(self) -> None:
        """Forget the open block."""
        self.kind = None

    def add(self, kind: BlockKind, start: int, end: int, header: Span | None = None) -> Span | None:
        """Keep a block without opening it; its span without trailing blanks, ``None`` if nothing is left."""
        end = self.trimmed(start, end)
        if end <= start:
            return None
        span = Span(start, end)
        self.blocks.append(Block(kind, span, header))
        return span

    def heading(self, level: int, block: Span, start: int, end: int, text: str) -> None:
        """Keep a heading: its block, the span of its own text and its plain words, if it has any."""
        self.close()
        words = " ".join(text[:_HEADING_LENGTH].split())
        end = self.trimmed(start, end)
        self.add(BlockKind.HEADING, block.start, block.end)
        if words and end > start:
            self.headings.append(Heading(Span(start, end), level, words))

    def trimmed(self, start: int, end: int) -> int:
        """``end`` without the blanks before it."""
        if end > start and self.text[end - 1].isspace():
            return start + len(self.text[start:end].rstrip())
        return end

    def structure(self, head: Head, *, answer: bool = False) -> Structure:
        """Everything kept, as a value."""
        self.close()
        return Structure(
            head=head,
            headings=tuple(self.headings),
            blocks=tuple(self.blocks),
            links=tuple(self.links),
            tags=tuple(self.tags),
            fields=tuple(self.fields[:MOST_FIELDS]),
            hidden=tuple(self.hidden),
            targets=_apart(self.targets),
            answer=answer,
        )


def _apart(spans: list[Span]) -> tuple[Span, ...]:
    """The spans in order, those that overlap made one."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start < found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(found)


class LineParser:
    """Reads a text line by line: subclasses say what a line that begins with a mark means.

    ``line`` is called for every line that is not blank and starts at or behind ``resume``. ``metadata`` are stretches
    of whole lines that are kept as front matter.
    """

    def __init__(self, outline: Outline, start: int, metadata: tuple[Span, ...] = ()) -> None:
        self.out = outline
        self.flat = outline.text
        self.resume = start
        self.header: Span | None = None
        self._failures = 0
        self._metadata = list(reversed(metadata))

    def run(self) -> None:
        """Read every line."""
        pos = 0
        for line in self.flat.split("\n"):
            end = pos + len(line)
            if self._metadata and self._metadata[-1].start == pos and pos >= self.resume:
                self.block(BlockKind.FRONT_MATTER, pos, self._metadata.pop().end)
            elif pos >= self.resume:
                body = line.strip()
                if body:
                    self.line(body, end - len(line.lstrip()), end)
                else:
                    self.blank()
            pos = end + 1
        self.out.close()

    def blank(self) -> None:
        """A blank line ends blocks and tables."""
        self.header = None
        self.out.close()

    def line(self, body: str, start: int, end: int) -> None:
        """Read one line: ``body`` without outer blanks, from ``start``; ``end`` is where the line ends."""
        self.text(body, start, end)

    def text(self, body: str, start: int, end: int) -> None:
        """A line without a mark: it runs on, begins a list item or a paragraph."""
        out = self.out
        if ITEM.match(body) is not None:
            out.begin(BlockKind.LIST_ITEM, start, end)
        elif out.kind in TEXTUAL:
            out.extend(end)
        else:
            out.begin(BlockKind.PARAGRAPH, start, end)

    def row(self, start: int, end: int) -> None:
        """A line of a table; the first one is the header of those below it."""
        self.out.close()
        span = self.out.add(BlockKind.TABLE_ROW, start, end, self.header)
        self.header = self.header or span

    def block(self, kind: BlockKind, start: int, end: int) -> None:
        """Keep ``[start, end)`` whole and go on behind it."""
        self.out.close()
        self.out.add(kind, start, end)
        self.resume = end + 1

    def indent(self, start: int) -> int:
        """Code points before ``start`` on its line."""
        return start - self.flat.rfind("\n", 0, start) - 1

    def indented_end(self, indent: int, pos: int) -> int:
        """Where the lines end that stand further right than ``indent``, from the line break at ``pos`` on."""
        flat, end, at = self.flat, pos, pos
        while at < len(flat):
            after = flat.find("\n", at + 1)
            after = len(flat) if after < 0 else after
            line = flat[at + 1 : after]
            if line.strip():
                if len(line) - len(line.lstrip(" \t")) <= indent:
                    break
                end = after
            at = after
        return end

    def closing_line(self, pos: int, ends: Callable[[str], bool]) -> int | None:
        """Where the first line behind ``pos`` ends for which ``ends`` holds, ``None`` without one.

        Gives up for good after some failures: each one reads to the end of the text.
        """
        flat, at = self.flat, pos if self._failures < _MOST_FAILURES else len(self.flat)
        while at < len(flat):
            after = flat.find("\n", at + 1)
            after = len(flat) if after < 0 else after
            if ends(flat[at + 1 : after].strip()):
                return after
            at = after
        self._failures += 1
        return None


def add_addresses(outline: Outline) -> None:
    """Keep the addresses outside code and metadata as targets. The blocks of the outline must be in order."""
    blocks = outline.blocks
    for match in _ADDRESS.finditer(outline.text):
        index = bisect_right(blocks, match.start(), key=lambda block: block.span.start) - 1
        if index < 0 or blocks[index].kind not in _APART or blocks[index].span.end <= match.start():
            outline.targets.append(Span(match.start(), match.start() + _length(match[0])))


def _length(address: str) -> int:
    """How much of it is no punctuation of the sentence around it: a parenthesis stays if it was opened inside."""
    extra = address.count(")") - address.count("(")
    end = len(address)
    while end and (address[end - 1] in _PUNCTUATION or (address[end - 1] == ")" and extra > 0)):
        extra -= address[end - 1] == ")"
        end -= 1
    return end


class PlainReader(TextReader):
    """Any text without markup that we know."""

    name = "plain"

    def head(self, start: str) -> Head:
        """Front matter or header lines, else a short first line over a blank one."""
        front = read_opening(start, cut=True)
        if front is not None:
            return front.head
        title = first_line_title(start)
        if title is not None:
            return Head(title=title)
        subject = lead_subject(start)
        return NO_HEAD if subject is None else Head(aliases=subject)

    def structure(self, text: str) -> Structure:
        """Paragraphs or lines; the title is the only heading."""
        flat = with_plain_breaks(text)
        outline = Outline(flat)
        head = self.head(text[:HEAD_LENGTH])
        front = read_opening(text)
        start = begin_with(outline, front)
        if front is None and head.title is not None:
            start = flat.find("\n")
            at = flat.find(head.title)
            outline.heading(1, Span(at, start), at, start, head.title)
        _paragraphs(outline, flat, start)
        add_addresses(outline)
        return outline.structure(head, answer=front is not None and front.answer)


def begin_with(outline: Outline, front: FrontMatter | None) -> int:
    """Keep the front matter as the first block; where the text behind it starts."""
    if front is None:
        return 0
    outline.add(BlockKind.FRONT_MATTER, front.start, front.end)
    outline.fields.extend(front.fields)
    outline.tags.update(dict.fromkeys(front.head.tags))
    return front.end


def first_line_title(start: str) -> str | None:
    """The first line of a text when it is short and stands over a blank line."""
    end = start.find("\n", 0, _LONGEST_TITLE + 10)
    if end < 0:
        end = start.find("\r", 0, _LONGEST_TITLE + 10)
    if end < 0 or start[end + 1 : end + 2] not in ("\n", "\r"):
        return None
    line = start[:end].rstrip()
    title = line.lstrip()
    return title if title and len(title) <= _LONGEST_TITLE and "\r" not in line else None


def lead_subject(start: str) -> tuple[str, ...] | None:
    """What an untitled text says it is about: the capitalised subject of its first sentence.

    "Ada Lovelace (born 1815) was …" answers to "Ada Lovelace". A nickname in quotes is left out of the name and
    stands in for the first name in a second one. "Augusta Ada King" answers to "Augusta King" as well.
    """
    match = _LEAD.match(start)
    if match is None:
        return None
    name = match.group(1)
    nickname = _NICKNAME.search(name)
    if nickname is None:
        plain = name.strip('"')
        full = _MIDDLE.fullmatch(plain)
        return (plain,) if full is None else (plain, " ".join(full.groups()))
    plain = name.replace(nickname.group(), "")
    return plain, f"{nickname.group(1)} {plain.rpartition(' ')[2]}"


def _paragraphs(outline: Outline, flat: str, start: int) -> None:
    lines: list[tuple[int, int]] = []
    found: list[tuple[int, list[tuple[int, int]]]] = []
    pos, blank, above = start, 0, 0
    for line in flat[start:].split("\n"):
        end = pos + len(line)
        if line and not line.isspace():
            if not lines:
                above, blank = blank, 0
            lines.append((pos + len(line) - len(line.lstrip()), end))
        else:
            blank += 1
            if lines:
                found.append((above, lines))
                lines = []
        pos = end + 1
    if lines:
        found.append((above, lines))
    most = _LONGEST_PARAGRAPH if start or len(found) > 1 else _LOG_LINES
    for number, (above, lines) in enumerate(found):
        level = _heading_level(flat, lines, above) if number or start else None
        if level is None:
            _paragraph(outline, lines, most)
        else:
            first, last = lines[0][0], lines[-1][1]
            own = lines[-2][1] if _is_rule(flat, lines[-1]) else last
            outline.heading(level, Span(first, outline.trimmed(first, last)), first, own, flat[first:own])


def _heading_level(flat: str, lines: list[tuple[int, int]], above: int) -> int | None:
    """The level of lines that are surely a heading: that of a chapter, one underlined, one in capitals set far apart.

    ``above`` is the number of blank lines over them.
    """
    if len(lines) > 2:
        return None
    line = flat[slice(*lines[0])].rstrip()
    if len(line) > _LONGEST_HEADING or line.startswith("["):
        return None
    if _CHAPTER.match(line) is not None:
        return _CHAPTER_LEVEL
    if len(lines) == 2:
        underlined = _is_rule(flat, lines[1]) and abs(lines[1][1] - lines[1][0] - len(line)) <= 3
        return _CHAPTER_LEVEL if underlined and not _is_rule(flat, lines[0]) else None
    return _CHAPTER_LEVEL + 1 if above > 1 and len(line) > 3 and line.isupper() else None


def _is_rule(flat: str, line: tuple[int, int]) -> bool:
    return _RULE.match(flat[slice(*line)].rstrip()) is not None


def _paragraph(outline: Outline, lines: list[tuple[int, int]], most: int) -> None:
    if len(lines) > most:
        for start, end in lines:
            outline.add(BlockKind.PARAGRAPH, start, end)
        return
    flat = outline.text
    kind, first = BlockKind.PARAGRAPH, lines[0][0]
    item: re.Match[str] | None = None
    before = ":"
    for start, end in lines:
        mark = _MARK.match(flat, start, end)
        if mark is not None and (before[-1:] in ".!?:;," or _continues(item, mark)):
            if start > first:
                outline.add(kind, first, start)
            kind, first, item = BlockKind.LIST_ITEM, start, mark
        before = flat[max(start, end - 8) : end].rstrip()
    outline.add(kind, first, lines[-1][1])


def _continues(item: re.Match[str] | None, mark: re.Match[str]) -> bool:
    """Whether a mark is the next one of a list."""
    if item is None:
        return False
    if mark["number"] and item["number"]:
        return int(mark["number"]) == int(item["number"]) + 1
    return mark["bullet"] is not None and mark["bullet"] == item["bullet"]
