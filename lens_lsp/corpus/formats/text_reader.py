"""What every reader of a text format is and has in common, and the reader of plain text.

For a text format the document's text *is* the decoded text, so that every span and quote slices the file as it is.
`TextReader` has the defaults, `LineParser` is the loop of line-oriented markup, and an `Outline` collects what a
reader finds: blocks in order, apart and free of outer blanks. Plain text has paragraphs by blank lines, a short first
line as title, one block a line for logs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from lens_lsp.corpus.encoding import with_plain_breaks
from lens_lsp.corpus.formats.front_matter import MOST_FIELDS, FrontMatter, read_opening
from lens_lsp.model.documents import Block, BlockKind, Field, Head, Heading, Link, Locator, LocatorMap, Structure
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span

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
