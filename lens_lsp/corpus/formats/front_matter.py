"""Front matter: the part of it that we use, read line by line.

Not a YAML parser on purpose. It runs on the head of every file of a workspace and must take microseconds,
must accept what people really write (tabs, stray colons, unclosed quotes), and needs seven keys only.
"""

from __future__ import annotations

from lens_lsp.corpus.formats.base import with_plain_breaks
from lens_lsp.domain.model import Head
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex

_CUT_LENGTH = 2000
_KEYS = {
    "title": "title",
    "description": "description",
    "summary": "description",
    "aliases": "aliases",
    "alias": "aliases",
    "tags": "tags",
    "tag": "tags",
    "keywords": "tags",
    "lens": "lens",
}
_ITEM = regex(r""""([^"]*)"|'([^']*)'|([^,\[\]"']+)""")
_BLOCK_SCALARS = frozenset({"|", ">", "|-", ">-", "|+", ">+"})
_FALSE = frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What was read, and the offset just behind the closing line's marks."""

    end: int
    head: Head
    private: bool
    answer: bool


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
    if close is None:
        if not cut or len(text) < _CUT_LENGTH:
            return None
        close = (len(text), len(text))
    values = _values(text[first + 1 : close[0]].split("\n"), ":" if fence == "---" else "=")
    aliases, tags, lens = values.get("aliases"), values.get("tags"), values.get("lens")
    head = Head(
        _scalar(values.get("title")),
        _items(aliases) if aliases else (),
        tuple([tag.lstrip("#") for tag in _items(tags)]) if tags else (),
        _scalar(values.get("description")),
    )
    if lens is None:
        return FrontMatter(close[1], head, private=False, answer=False)
    return FrontMatter(close[1], head, private=_private(lens), answer=_answer(lens))


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


def _values(lines: list[str], mark: str) -> dict[str, list[str]]:
    """The raw value of each key we know, its continuation lines behind it."""
    values: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        if not line or line[0] == "#":
            continue
        if line[0] in " \t-]":
            if current is not None:
                current.append(line.strip())
            continue
        sign = line.find(mark)
        key = line[:sign] if sign > 0 else ""
        name = _KEYS.get(key)
        if name is None and not (key.islower() and key.isidentifier()):
            name = _KEYS.get(key.strip(" \t\"'").lower())
        if name is None:
            current = None
        else:
            current = values.setdefault(name, [])
            current.append(line[sign + 1 :].strip())
    return values


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


def _private(parts: list[str]) -> bool:
    """``lens: private``, in a list of flags too, or ``private: true`` below ``lens:``."""
    for part in parts:
        for item in _ITEM.findall(part.removeprefix("- ")):
            word, _, value = "".join(item).partition(":")
            if word.strip().lower() == "private" and _unquoted(value).lower() not in _FALSE:
                return True
    return False


def _answer(parts: list[str]) -> bool:
    return any(_unquoted(part.removeprefix("- ")).lower().startswith("answer/") for part in parts)
