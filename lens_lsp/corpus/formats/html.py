"""HTML and XML: text blocks between tags, headings, links; the markup itself is hidden.

Tokenised by our own regular expressions: ``html.parser`` was measured to need 1.6 GB for a hostile 8 MB. The
text stays the file's own, entities and all; ``mask`` tells the scan what a reader of the page never sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice

from lens_lsp.corpus.formats.front_matter import MOST_FIELDS, field, head_of, kept, merged, pairs, read_front_matter
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH, Outline, TextReader, begin_with, first_line_title
from lens_lsp.model.documents import BlockKind, Field, Head, Link, LinkKind, Structure
from lens_lsp.model.text import Span

# Quotes switch between three states and never merge two of them, so at most three of all the tries that start
# at a "<" are alive at any place: linear whatever the input (a hostile test holds it to that).
_TAG = re.compile(
    r"<(?:!--|!\[CDATA\[|(?P<close>/?)(?P<name>[a-zA-Z][^\s/<>\"']{0,60})"
    r"(?P<rest>[^<>\"']*+(?>(?:\"[^\"]*+\"[^<>\"']*+|'[^']*+'[^<>\"']*+)*))>|[!?/][^<>]*+>|[a-zA-Z][^<>]*+>)"
)
_HREF = re.compile(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_TITLE = re.compile(r"<title[^<>]*>([^<]*)", re.IGNORECASE)
_META = re.compile(r"<meta\s([^<>]*)>", re.IGNORECASE)
_META_NAME = re.compile(r"\bname\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_META_CONTENT = re.compile(r"\bcontent\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_HEAD_END = re.compile(r"</head|<body", re.IGNORECASE)
_H1 = re.compile(r"<h1[^<>]*>([^<]*)", re.IGNORECASE)
_CLOSING = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style", "head", "template", "svg")
}
_INLINE_NAMES = """
a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark q
ruby rp rt s samp small span strike strong sub sup time tt u var wbr
"""
_INLINE = frozenset(_INLINE_NAMES.split())
_KINDS = {
    "li": BlockKind.LIST_ITEM,
    "dt": BlockKind.LIST_ITEM,
    "dd": BlockKind.LIST_ITEM,
    "tr": BlockKind.TABLE_ROW,
    "pre": BlockKind.CODE,
    "blockquote": BlockKind.QUOTE,
    **dict.fromkeys(("ul", "ol", "dl", "table"), BlockKind.PARAGRAPH),
}
_CLOSED_BY_SIBLING = frozenset({"li", "dt", "dd", "tr"})
_WHOLE = frozenset({"tr", "pre"})
"""Elements whose inner block tags do not split them."""
_LEVELS = {f"h{level}": level for level in range(1, 7)}


_HIDING_TO_THE_END = ("script", "style")


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """Elements that run on inside a line of text, and those that hide what they hold."""

    inline: frozenset[str]
    hiding: frozenset[str]


_PAGE = _Vocabulary(_INLINE, frozenset(_CLOSING))
_NO_VOCABULARY = _Vocabulary(frozenset(), frozenset())

_Token = tuple[int, int, str, bool, str]
"""Start, end, lower-case name ("" for comments and declarations), whether it closes, the attributes."""


class HtmlReader(TextReader):
    """Web pages."""

    name = "html"
    masked = True
    vocabulary = _PAGE

    def head(self, start: str) -> Head:
        """``<title>``, else the first ``<h1>``, and what ``<meta>`` says."""
        front = read_front_matter(start, cut=True)
        if front is not None and front.head.title is not None:
            return merged(front.head, Head(fields=pairs(_fields(start))))
        fields = _fields(start)
        said = head_of(fields)
        match = _TITLE.search(start) or _H1.search(start)
        title = _words(match[1]) if match is not None else first_line_title(start) if "<" not in start else ""
        head = Head(title or None, (), said.tags, said.description, said.fields)
        return head if front is None else merged(front.head, head)

    def structure(self, text: str) -> Structure:
        """Blocks of visible text by the block elements around them."""
        outline = Outline(text)
        front = read_front_matter(text)
        start = begin_with(outline, front)
        outline.fields.extend(_fields(text))
        _PageParser(outline, start, self.vocabulary).run()
        head = self.head(text[:HEAD_LENGTH])
        outline.tags.update(dict.fromkeys(head.tags))
        if front is None:
            return outline.structure(head)
        return outline.structure(head, answer=front.answer)

    def mask(self, text: str) -> tuple[Span, ...]:
        """Tags, comments, scripts, styles and the head."""
        return tuple(Span(start, end) for start, end in _joined(_tokens(text, 0, self.vocabulary)))

    def unclosed(self, text: str) -> int | None:
        """The script or style that is never closed."""
        low = text.lower() if self.vocabulary.hiding else ""
        if all(low.rfind(f"<{name}") <= low.rfind(f"</{name}") for name in _HIDING_TO_THE_END):
            return None
        last = 0, 0
        for start, end, *_ in _tokens(text, 0, self.vocabulary):
            last = start, end
        start, end = last
        hides = end == len(text) and any(
            text[start + 1 : start + 1 + len(name)].lower() == name and _CLOSING[name].search(text, start) is None
            for name in _HIDING_TO_THE_END
        )
        return start if hides else None


class XmlReader(HtmlReader):
    """Any XML: every element is a block, because no element is known to run inside a line."""

    name = "xml"
    vocabulary = _NO_VOCABULARY


def _fields(text: str) -> tuple[Field, ...]:
    """``<title>`` and ``<meta name= content=>`` of the page's head; of its start when it has no end."""
    end = _HEAD_END.search(text)
    stop = end.start() if end is not None else HEAD_LENGTH
    title = _TITLE.search(text, 0, stop)
    found = [] if title is None else [field("title", _words(title[1]), *title.span())]
    for meta in islice(_META.finditer(text, 0, stop), 4 * MOST_FIELDS):
        name, content = _META_NAME.search(meta[1]), _META_CONTENT.search(meta[1])
        if name is not None and content is not None:
            said = _words(next(filter(None, name.groups()), ""))
            found.append(field(said, _words(next(filter(None, content.groups()), "")), *meta.span()))
    return tuple(sorted(kept(found), key=lambda each: each.span))


def _words(text: str) -> str:
    return " ".join(unescape(text[:1000]).split())


def _tokens(text: str, pos: int, vocabulary: _Vocabulary) -> Iterator[_Token]:
    """The markup of ``text`` in order; an element that hides its content is one token with it."""
    search = _TAG.search
    dead: set[str] = set()
    match = search(text, pos)
    while match is not None:
        start, end = match.span()
        name, closes = "", False
        if text.startswith("<!--", start):
            end = -1 if "<!--" in dead else text.find("-->", start + 4) + 3
            if end < start:
                dead.add("<!--")
                end = start + 4
        elif text.startswith("<![CDATA[", start):
            end = start + 9
        elif match["name"] is not None:
            name, closes = match["name"].lower(), match["close"] == "/"
            if name in vocabulary.hiding and not closes and text[end - 2] != "/":
                hidden = _raw_end(text, end, name, dead)
                name, end = ("", hidden) if hidden else (name, end)
        yield start, end, name, closes, match["rest"] or ""
        match = search(text, end)


def _raw_end(text: str, pos: int, name: str, dead: set[str]) -> int:
    """Where an element with hidden content ends; 0 when it is never closed."""
    if name in dead:
        return 0
    close = _CLOSING[name].search(text, pos)
    if close is None:
        dead.add(name)
        return len(text) if name in _HIDING_TO_THE_END else 0
    end = text.find(">", close.end())
    return end + 1 if end >= 0 else len(text)


def _joined(tokens: Iterator[_Token]) -> Iterator[tuple[int, int]]:
    """The tokens' spans, those that touch made one."""
    first, last = 0, 0
    for start, end, *_ in tokens:
        if start > last:
            if last > first:
                yield first, last
            first = start
        last = end
    if last > first:
        yield first, last


class _PageParser:
    """One pass over the tags; text between two block tags is one block."""

    def __init__(self, outline: Outline, start: int, vocabulary: _Vocabulary) -> None:
        self._out = outline
        self._text = outline.text
        self._vocabulary = vocabulary
        self._pos = start
        self._shown: list[tuple[int, int]] = []
        """Stretches of text since the last block tag."""
        self._kinds: list[str] = []
        """Open elements that give their text a kind, outermost first."""
        self._level = 0
        self._header: Span | None = None
        self._is_header = False
        self._anchor: tuple[int, str, int] | None = None

    def run(self) -> None:
        """Read the whole text."""
        first = last = self._pos
        for start, end, name, closes, rest in _tokens(self._text, self._pos, self._vocabulary):
            self._visible(self._pos, start)
            if start > last:
                if last > first:
                    self._out.hidden.append(Span(first, last))
                first = start
            last = self._pos = end
            if name == "a":
                self._link(start, end, rest, closes=closes)
            if name and name not in self._vocabulary.inline:
                self._block_tag(name, closes=closes)
        if last > first:
            self._out.hidden.append(Span(first, last))
        self._visible(self._pos, len(self._text))
        self._flush()

    def _visible(self, start: int, end: int) -> None:
        if end > start:
            text = self._text[start:end]
            left = len(text) - len(text.lstrip())
            if left < len(text):
                self._shown.append((start + left, start + len(text.rstrip())))

    def _block_tag(self, name: str, *, closes: bool) -> None:
        whole = bool(self._kinds) and self._kinds[-1] in _WHOLE
        if whole and name not in _WHOLE and name not in ("table", "body", "html"):
            self._is_header |= name == "th"
            return
        self._flush()
        if name in _LEVELS:
            self._level = 0 if closes else _LEVELS[name]
        elif name in _KINDS:
            self._kind_tag(name, closes=closes)

    def _kind_tag(self, name: str, *, closes: bool) -> None:
        if name == "table":
            self._header = None
        if closes:
            if name in self._kinds:
                # Elements left open inside this one end with it.
                del self._kinds[len(self._kinds) - 1 - self._kinds[::-1].index(name) :]
        elif name not in _CLOSED_BY_SIBLING or self._kinds[-1:] != [name]:
            self._kinds = [*self._kinds[-7:], name]

    def _flush(self) -> None:
        """Make a block of the text since the last block tag."""
        shown, self._shown = self._shown, []
        header, self._is_header = self._is_header, False
        if not shown:
            return
        start, end = shown[0][0], shown[-1][1]
        if self._level:
            words = " ".join(self._text[first:last] for first, last in shown)
            self._out.heading(self._level, Span(start, end), start, end, unescape(words[:1000]))
            return
        kind = _KINDS[self._kinds[-1]] if self._kinds else BlockKind.PARAGRAPH
        if kind is BlockKind.TABLE_ROW:
            span = self._out.add(kind, start, end, None if header else self._header)
            self._header = span if header else self._header
        else:
            self._out.add(kind, start, end)

    def _link(self, start: int, end: int, rest: str, *, closes: bool) -> None:
        if closes:
            if self._anchor is not None:
                first, target, inner = self._anchor
                shown = _words(_TAG.sub(" ", self._text[inner : min(start, inner + 1000)]))
                self._out.links.append(Link(LinkKind.INLINE, Span(first, end), target, shown))
            self._anchor = None
            return
        match = _HREF.search(rest[:4000])
        target = next(filter(None, match.groups()), "") if match is not None else ""
        target = unescape(target).partition("#")[0].strip()
        self._anchor = (start, target, end) if target else None
