"""Plain text: paragraphs by blank lines, a short first line as title, one block a line for logs."""

from __future__ import annotations

import re

from lens_lsp.corpus.formats.addresses import add_addresses
from lens_lsp.corpus.formats.base import HEAD_LENGTH, NO_HEAD, TextReader, with_plain_breaks
from lens_lsp.corpus.formats.fields import FrontMatter
from lens_lsp.corpus.formats.front_matter import read_opening
from lens_lsp.corpus.formats.outline import Outline
from lens_lsp.model.documents import BlockKind, Head, Structure
from lens_lsp.model.text import Span

_LONGEST_TITLE = 120
_CAPITAL = r"(?:[^\W\d_a-zß-ÿ]|\d)[\w.'’&-]*"
_JOINER = r"(?!(?:is|are|was|were)\b)[a-z]{1,4} "
_LEAD = re.compile(
    rf"\W{{0,3}}(?:(?:The|A|An) )?({_CAPITAL}(?: (?:{_JOINER}){{0,2}}\"?{_CAPITAL}\"?){{0,7}})"
    r"(?=\"?(?:,? ?\(|,| (?:is|are|was|were|refers?|also|or)\b))"
)
_MIDDLE = re.compile(rf"({_CAPITAL})(?: {_CAPITAL}){{1,3}} ({_CAPITAL})")
_NICKNAME = re.compile(r'"(\w+)" ')
_MARK = re.compile(r"(?:(?P<bullet>[-*+•–])|\(?(?P<number>\d{1,3})[.)]|\[\d{1,4}\])[ \t]+(?=\S)")
"""What an item begins with."""
_CHAPTER = re.compile(
    r"(?:CHAPTER|BOOK|PART|SECTION|LETTER|VOLUME|Chapter|Book|Part|Section)[ \t]+(?:[IVXLC]+|\d+|[A-Z]+)\b"
)
_RULE = re.compile(r"([=\-~*_])(?>\1{2,})$")
_LONGEST_HEADING = 80
_CHAPTER_LEVEL = 2
"""Below the title."""
_LOG_LINES = 12
"""A text without a single blank line and with more lines than this is a list of lines, not one paragraph."""
_LONGEST_PARAGRAPH = 100
"""Lines; a paragraph beyond it is no paragraph, whatever stands around it."""


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
        if front is None:
            return outline.structure(head)
        return outline.structure(head, answer=front.answer)


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
