"""Metadata as fields: what front matter, header lines, field lists and attributes share, and the header lines.

A document may open with lines such as ``Title: Parsers`` and ``Author: …`` (PEPs, mail, changelogs): they are read
here. Everything is bounded and linear, because it runs on the first lines of every file of a workspace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lens_lsp.corpus.formats.base import with_plain_breaks
from lens_lsp.model.documents import Field, Head
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
_HEADER = re.compile(r"([^\W\d_][\w-]{0,40}(?: [\w-]{1,40}){0,2}):(?:[ \t]+(.*))?$")
_LISTED = re.compile(r"\s*[,;]\s*")
_NOTHING = frozenset({"", "~", "null", "[]", "{}"})


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
