"""JSON, JSON Lines, YAML, TOML, INI: entries with their key paths; CSV and its kin: one block a record.

Light linear scanners and no parsers: they must give offsets, survive broken and half-written files, and never recurse
(100,000 open brackets are a valid file to them).

Tables are not read by the ``csv`` module, which gives fields and no offsets. Records are found by the parity of quotes;
a stray quote that would swallow the rest of the file is noticed and quotes are then taken as plain characters.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from functools import lru_cache

from lens_lsp.corpus.encoding import with_plain_breaks
from lens_lsp.corpus.formats.text_reader import Outline, TextReader
from lens_lsp.model.documents import BlockKind, Head, Heading, Locator, LocatorMap, Structure, is_header
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span, trim

_WHOLE = 1200
"""Code points; an entry up to this length is one block, a longer one is split into its own entries."""
_MOST = 50_000
"""Entries of one file that get a place; the rest of a longer one has line and column only."""
_LONGEST_PATH = 300
_JSON_TOKEN = regex(r"\"(?>(?:[^\"\\\n]++|\\.)*)\"?|[{}\[\]]|,(?>(?:[\s,]|[-+.\w])*)")
_YAML_KEY = regex(r"(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^\s\"'#\[\]{},&*!|>%@`:-][^:\n]*)|(-[^\s:][^:\n]*)):(?=\s|$)")
_TOML_TABLE = regex(r"(\[\[?)[ \t]*+([^\[\]\n]+)\]")
_TOML_KEY = regex(r"([\w.\"' -]{1,200}?)[ \t]*=")
_INI_SECTION = regex(r"(\[)([^\[\]\n]+)\]")
_INI_KEY = regex(r"([^\s=:#;\[][^=:\n]{0,200})[=:]")
_MANY_LINES = ('"""', "'''")
_MOST_TOKENS = 500_000
_MOST_DASHES = 32
_DELIMITERS = ",;\t|"
_SNIFF_LINES = 20
_LONGEST_RECORD = 1000
"""Lines; a quoted field with more line breaks than this is a stray quote."""
_QUOTED_FIELD = regex(r"[ \t]*+\"(?>[^\"]++|\"\")*+\"[ \t]*+")


class Entries:
    """Takes entries in the order of the text, each with a rank: an entry lies in those of lower rank."""

    __slots__ = ("_blocks", "_count", "_frames", "_locators", "_starts")

    def __init__(self) -> None:
        self._count = 0
        self._blocks: list[tuple[int, int]] = []
        self._frames: list[tuple[int, int, int, str]] = []
        """Rank, start, how many blocks there were before, path."""
        self._starts: list[int] = []
        self._locators: list[Locator] = []

    @property
    def full(self) -> bool:
        """Whether the scan should stop."""
        return self._count >= _MOST

    @property
    def path(self) -> str:
        """The path of the innermost open entry."""
        return self._frames[-1][3] if self._frames else ""

    def open(self, rank: int, start: int, path: str, *, end: int, row: int | None = None) -> None:
        """An entry begins; those of its rank and above end at ``end``."""
        self.close(rank, end)
        self._count += 1
        self._frames.append((rank, start, len(self._blocks), path))
        self.place(start, path, row)

    def place(self, start: int, path: str, row: int | None = None) -> None:
        """From ``start`` on the text belongs to ``path``."""
        locator: dict[str, int | str] = {} if row is None else {"row": row}
        if path:
            locator["key"] = path
        if not self._locators or self._locators[-1] != locator:
            self._starts.append(start)
            self._locators.append(locator)

    def close(self, rank: int, end: int) -> None:
        """All open entries of at least this rank end here."""
        frames, blocks = self._frames, self._blocks
        while frames and frames[-1][0] >= rank:
            _, start, mark, _ = frames.pop()
            if end - start <= _WHOLE or mark == len(blocks):
                del blocks[mark:]
                blocks.append((start, end))

    def finish(self, end: int, *, cut: bool) -> None:
        """The scan is over; when it was ``cut``, what stands behind ``end`` was not read and has no place."""
        self.close(-1, end)
        if cut:
            self._starts.append(end)
            self._locators.append({})

    def fill(self, outline: Outline) -> None:
        """Give the blocks to an outline."""
        for start, end in self._blocks:
            outline.add(BlockKind.LIST_ITEM, start, end)

    def locators(self) -> LocatorMap:
        """The places of the entries."""
        return LocatorMap(tuple(self._starts), tuple(self._locators))


def member(path: str, key: str) -> str:
    """The path of a mapping's entry; very long paths stop growing."""
    if len(path) + len(key) > _LONGEST_PATH:
        return path
    if not key.replace("_", "").replace("-", "").isalnum():
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key


def element(path: str, index: int) -> str:
    """The path of a list's entry, from 0 as in every query language for such data."""
    return path if len(path) > _LONGEST_PATH else f"{path}[{index}]"


class _DataReader(TextReader):
    """Entries as blocks and places; data says nothing about itself."""

    def structure(self, text: str) -> Structure:
        """A block for each entry that is short or has no entries of its own."""
        outline = Outline(with_plain_breaks(text))
        entries = Entries()
        self.scan(outline, entries)
        entries.fill(outline)
        return outline.structure(Head())

    def locators(self, text: str) -> LocatorMap:
        """``{"key": "a.b[2].c"}`` for each entry."""
        entries = Entries()
        self.scan(Outline(with_plain_breaks(text)), entries)
        return entries.locators()

    @abstractmethod
    def scan(self, outline: Outline, entries: Entries) -> None:
        """Find the entries (and headings) of ``outline.text``."""


class JsonReader(_DataReader):
    """``.json`` and dialects."""

    name = "json"

    def scan(self, outline: Outline, entries: Entries) -> None:
        """One document."""
        end = _scan_json(outline.text, entries, 0, len(outline.text))
        entries.finish(end, cut=end < len(outline.text))


class JsonLinesReader(_DataReader):
    """One JSON value a line; places have ``row`` (from 1) beside ``key``."""

    name = "jsonl"

    def scan(self, outline: Outline, entries: Entries) -> None:
        """Line by line."""
        flat = outline.text
        pos = end = 0
        for row, line in enumerate(flat.split("\n"), 1):
            if entries.full:
                break
            end = pos + len(line)
            if line.strip():
                entries.open(0, pos, "", end=pos, row=row)
                _scan_json(flat, entries, pos, end, row)
                entries.close(0, end)
            pos = end + 1
        entries.finish(end, cut=entries.full)


@dataclass(slots=True)
class _Container:
    """An object or array that is open."""

    path: str
    array: bool
    key_next: bool
    count: int = 0


def _scan_json(flat: str, entries: Entries, start: int, end: int, row: int | None = None) -> int:
    """One walk over the tokens of ``[start, end)``; where it stopped. Numbers in lists belong to their list, all else
    has a place of its own."""
    stack: list[_Container] = []
    for read, match in enumerate(_JSON_TOKEN.finditer(flat, start, end)):
        at, token, depth = match.start(), match[0], len(stack)
        sign, top = token[0], stack[-1] if stack else None
        if sign in "{[":
            path = entries.path if top is not None else ""
            if top is not None and top.array:
                path = element(top.path, top.count)
                entries.open(depth, at, path, end=at, row=row)
            stack.append(_Container(path, sign == "[", sign == "{"))
        elif top is None:
            pass
        elif sign == ",":
            entries.close(depth, at)
            top.count += token.count(",")
            top.key_next = not top.array
            if top.array and token.strip(", \t\r\n"):
                entries.place(at + 1, top.path, row)
        elif sign != '"':
            entries.close(depth, at)
            stack.pop()
        elif top.array:
            entries.open(depth, at, element(top.path, top.count), end=at, row=row)
        elif top.key_next or flat.startswith(":", match.end()):
            # The colon tells a key even where a comma is missing before it.
            top.key_next = False
            entries.open(depth, at, member(top.path, token[1:-1]), end=at, row=row)
        if entries.full or read >= _MOST_TOKENS:
            return match.end()
    entries.close(1, end)
    return end


class YamlReader(_DataReader):
    """``.yaml``: block style by indentation; flow style stays inside its entry."""

    name = "yaml"

    def scan(self, outline: Outline, entries: Entries) -> None:
        """Line by line."""
        scan = _YamlScan(entries)
        pos = end = 0
        for line in outline.text.split("\n"):
            end = pos + len(line)
            if line.strip():
                scan.line(line, pos, end)
            if entries.full:
                break
            pos = end + 1
        entries.finish(min(scan.last, end), cut=entries.full)


class _YamlScan:
    """Ranks: twice the column, and one more for a dash, which may stand under its key's own column."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._frames: list[tuple[int, str, int]] = []
        """Rank, path, index in its list."""
        self._scalar = -1
        """The column that the lines of a block scalar stand right of, -1 outside one."""
        self.last = 0
        """Where the last line that held something ends."""

    def line(self, line: str, pos: int, end: int) -> None:
        """Read one line that is not blank."""
        body = line.lstrip(" ")
        column = len(line) - len(body)
        inside = self._scalar >= 0 and column > self._scalar
        if not inside and body[0] != "#":
            self._scalar = -1
            if column == 0 and body.startswith(("---", "...")):
                self._entries.close(0, self.last)
                self._frames.clear()
            else:
                self._entry(body, pos, column)
        self.last = end

    def _entry(self, body: str, pos: int, column: int) -> None:
        item, frames = -1, self._frames
        for _ in range(_MOST_DASHES):
            if body[0] != "-" or body[1:2] not in ("", " ", "\t"):
                break
            item, rank = column, 2 * column + 1
            self._above(rank + 1)
            index = frames.pop()[2] + 1 if frames and frames[-1][0] == rank else 0
            self._push(rank, pos + column, element(frames[-1][1] if frames else "", index), index)
            rest = body[1:].lstrip()
            if not rest:
                return
            column += len(body) - len(rest)
            body = rest
        match = _YAML_KEY.match(body)
        if match is None:
            if body[0] in "|>":
                self._scalar = item
            return
        key = (match[1] or match[2] or match[3] or match[4] or "").strip()
        self._push(2 * column, pos + column, member(self._above(2 * column), key), 0)
        if body[match.end() :].lstrip()[:1] in ("|", ">"):
            self._scalar = column

    def _above(self, rank: int) -> str:
        """The path of the innermost entry below a rank; those of that rank and above are left."""
        while self._frames and self._frames[-1][0] >= rank:
            self._frames.pop()
        return self._frames[-1][1] if self._frames else ""

    def _push(self, rank: int, start: int, path: str, index: int) -> None:
        self._frames.append((rank, path, index))
        self._entries.open(rank, start, path, end=self.last)


class TomlReader(_DataReader):
    """``.toml``: tables are headings, keys are entries."""

    name = "toml"
    section = _TOML_TABLE
    key = _TOML_KEY

    def scan(self, outline: Outline, entries: Entries) -> None:
        """Line by line; strings of several lines are skipped whole."""
        flat = outline.text
        table, counts = "", dict[str, int]()
        pos = end = last = resume = 0
        for line in flat.split("\n"):
            end = pos + len(line)
            body = line.lstrip()
            if body and pos >= resume:
                start = end - len(body)
                section = self.section.match(body)
                found = None if section is not None else self.key.match(body)
                if section is not None:
                    name = section[2].strip()
                    table = name
                    if section[1] == "[[":
                        counts[name] = counts.get(name, -1) + 1
                        table = element(name, counts[name])
                    at = start + section.start(2) + section[2].find(name)
                    if name:
                        outline.headings.append(Heading(Span(at, at + len(name)), name.count(".") + 1, name))
                    entries.open(0, start, table, end=last)
                elif found is not None:
                    path = member(table, found[1].strip().strip("\"'"))
                    entries.open(1, start, path, end=last)
                    resume = self.value_end(flat, start + found.end(), end)
                last = max(end, resume)
            if entries.full:
                break
            pos = end + 1
        entries.finish(min(last, len(flat)), cut=entries.full)

    def value_end(self, flat: str, start: int, end: int) -> int:
        """Where a value ends that goes on below its line."""
        value = flat[start : min(start + 8, end)].lstrip()[:3]
        if value not in _MANY_LINES:
            return 0
        close = flat.find(value, flat.find(value, start) + 3)
        return close + 3 if close >= 0 else len(flat)


class IniReader(TomlReader):
    """``.ini`` and kin."""

    name = "ini"
    section = _INI_SECTION
    key = _INI_KEY

    def value_end(self, flat: str, start: int, end: int) -> int:
        """Values go on in indented lines, which begin no entry anyway."""
        return 0


class TableReader(TextReader):
    """Delimited text; the delimiter is found in the text unless the format fixes it."""

    name = "table"

    def __init__(self, delimiter: str | None = None) -> None:
        self._delimiter = delimiter

    def head(self, start: str) -> Head:
        """A table says nothing about itself."""
        return Head()

    def delimiter(self, text: str) -> str:
        """What stands between two fields of a text."""
        return self._delimiter or sniff(text)

    def structure(self, text: str) -> Structure:
        """A row for each record; the first one with several fields is the header if they name columns."""
        flat = with_plain_breaks(text)
        outline = Outline(flat)
        delimiter = self.delimiter(flat)
        header: Span | None = None
        decided = False
        for start, end in _records(flat, delimiter):
            record = flat[start:end]
            if not record.strip():
                continue
            left = start + len(record) - len(record.lstrip()) if delimiter not in "\t " else start
            span = outline.add(BlockKind.TABLE_ROW, left, end, header)
            if not decided:
                named = [unquoted(flat[one.start : one.end]) for one in fields(flat, start, end, delimiter)]
                decided = sum(map(bool, named)) > 1  # a title may stand above the table
                header = span if decided and is_header(named) else None
        return outline.structure(Head())

    def locators(self, text: str) -> LocatorMap:
        """The row of each record, from 1, blank ones counted, as spreadsheets do."""
        flat = with_plain_breaks(text)
        starts = tuple(start for start, _ in _records(flat, self.delimiter(flat)))
        return LocatorMap(starts, tuple({"row": row} for row in range(1, len(starts) + 1)))


def sniff(flat: str) -> str:
    """The delimiter that the first lines agree on best; a comma when none occurs."""
    return _sniffed(flat[:16384])


@lru_cache(maxsize=64)
def _sniffed(start: str) -> str:
    """The delimiter of a text by its beginning: every row of a file that is taken apart asks for it."""
    lines = [line for line in start.split("\n")[:_SNIFF_LINES] if line.strip()]
    best, most = ",", 0
    for delimiter in _DELIMITERS:
        counts = [_unquoted(line).count(delimiter) for line in lines]
        least = min(counts, default=0)
        score = least * 1000 + min(sum(counts), 999)
        if score > most:
            best, most = delimiter, score
    return best


def _unquoted(line: str) -> str:
    return "".join(line.split('"')[::2])


def _records(flat: str, delimiter: str) -> Iterator[tuple[int, int]]:
    """Start and end of each record, without its line break."""
    lines = flat.split("\n")
    if lines[-1] == "":
        lines.pop()
    opens = re.compile(rf'(?:^|{re.escape(delimiter)})[ \t]{{0,8}}"')
    quotes = '"' in flat
    index = pos = 0
    while index < len(lines):
        line = lines[index]
        end = pos + len(line)
        index += 1
        if quotes and line.count('"') % 2 and opens.search(line) is not None:
            after = range(index, min(len(lines), index + _LONGEST_RECORD))
            last = next((at for at in after if lines[at].count('"') % 2), None)  # None: a stray quote
            if last is None:
                quotes = False
            else:
                end += sum(len(line) + 1 for line in lines[index : last + 1])
                index = last + 1
        yield pos, end
        pos = end + 1


def fields(text: str, start: int, end: int, delimiter: str) -> Iterator[Span]:
    """The fields of a record without the blanks around them, each with its quotes."""
    quotes = text.find('"', start, end) >= 0
    at = start
    while True:
        last = -1
        if quotes and (quoted := _QUOTED_FIELD.match(text, at, end)) is not None:
            last = quoted.end() if text.startswith(delimiter, quoted.end()) and quoted.end() < end else end
        else:
            last = text.find(delimiter, at, end)
        stop = end if last < 0 else last
        yield trim(text, Span(at, stop))
        if stop >= end:
            return
        at = stop + len(delimiter)


def unquoted(field: str) -> str:
    """What a field says."""
    if len(field) > 1 and field[0] == field[-1] == '"':
        return field[1:-1].replace('""', '"').strip()
    return field
