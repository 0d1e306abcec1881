"""What stands inside the lines of Markdown: links, tags, comments, and the plain words of a heading.

One walk over each block from mark to mark. A search that fails is remembered for the rest of the block and
brackets wait on a stack, so hostile input (200,000 of one mark) costs linear time.
"""

from __future__ import annotations

import re

from lens_lsp.corpus.formats.outline import Outline
from lens_lsp.model.documents import Link, LinkKind
from lens_lsp.model.text import Span

_MARK = re.compile(r"[\[\]`\\<#]")
_TICKS = re.compile(r"`+")
_LONGEST_TICKS = 16
"""Longer runs of backticks open no code span: it bounds the searches for their ends."""
_CLOSERS = {n: re.compile(rf"(?<!`)`{{{n}}}(?!`)") for n in range(1, _LONGEST_TICKS + 1)}
_WIKI = re.compile(r"\[\[([^\[\]|#\n]*)(#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")
_FLAT = re.compile(r"\[((?>(?:[^\[\]\\`]++|\\.|`[^`]*`)*))\]", re.DOTALL)
_DESTINATION = re.compile(
    r"\([ \t\n]*+(?:<([^<>\n]*+)>|((?>(?:[^\s()<\\]|\\.|\((?>(?:[^\s()\\]|\\.)*)\))*)))"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?\s*+\)"
)
_AUTOLINK = re.compile(r"<(?:[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]{1,64}@[\w.-]{1,255})>")
_LABEL = re.compile(r"\[([^\[\]]{0,200})\]")
_TAG = re.compile(r"#([\w/-]+)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_NOT_A_NAME = "0123456789-_/"
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif")
_MARKUP = re.compile(
    r"(?P<ticks>`{1,3})(?P<code>[^`]*)(?P=ticks)"
    r"|</?(?:a|abbr|b|br|code|del|div|em|font|i|img|ins|kbd|mark|p|s|small|span|strong|sub|sup|u)"
    r"(?:\s[^<>]*)?/?>"
    r"|<!--[^<>]*-->"
    r"|!?\[(?P<shown>[^\[\]]*)\](?:\([^()\s]*(?:\s\"[^\"()]*\")?\)|\[[^\[\]]*\])"
    r"|\[\[(?:[^\[\]|]*\|)?(?P<wiki>[^\[\]|]*)\]\]"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|\*+|`+|~~|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|(?<=[`)\]*])_+|_+(?=[`(\[*])",
    re.IGNORECASE,
)
_MARKED = re.compile(r"[`<\[\\*_~]")
_LONGEST_SHOWN = 1000


def plain_words(text: str) -> str:
    """The text without Markdown's marks, spaces run together; at most the first 1,000 code points count."""
    if _MARKED.search(text) is None:
        return " ".join(text[:_LONGEST_SHOWN].split())
    shown = _MARKUP.sub(_unmarked, text[:_LONGEST_SHOWN])
    return " ".join(shown.split())


def _unmarked(match: re.Match[str]) -> str:
    code, shown, wiki, escaped = match.group("code", "shown", "wiki", "escaped")
    if shown is not None:
        return _MARKUP.sub(_unmarked, shown) if "`" in shown or "*" in shown else shown
    return code or wiki or escaped or ""


def label(text: str) -> str:
    """The name under which a reference link finds its definition."""
    return " ".join(text.split()).casefold()


class Inline:
    """Scans blocks of one text and gives what it finds to its outline."""

    __slots__ = ("_dead", "_definitions", "_end", "_open", "_out", "_start", "_text")

    def __init__(self, outline: Outline, definitions: dict[str, str]) -> None:
        self._out = outline
        self._text = outline.text
        self._definitions = definitions
        self._open: list[int] = []
        self._dead: set[int | str] = set()
        self._start = 0
        self._end = 0

    def scan(self, start: int, end: int) -> None:
        """Read one block."""
        text, search = self._text, _MARK.search
        found = search(text, start, end)
        if found is None:
            return
        self._open.clear()
        self._dead.clear()
        self._start, self._end = start, end
        while found is not None:
            at = found.start()
            mark = text[at]
            if mark == "[":
                after = self._bracket(at)
            elif mark == "`":
                after = self._code(at)
            elif mark == "]":
                after = self._close(at)
            elif mark == "#":
                after = self._tag(at, start)
            elif mark == "<":
                after = self._angle(at)
            else:
                after = at + 2
            found = search(text, after, end)

    def _bracket(self, at: int) -> int:
        text = self._text
        if text.startswith("[[", at):
            wiki = _WIKI.match(text, at, self._end)
            # "[[1]](url)" is a link whose text is in brackets, not a page called "1".
            if wiki is not None and _DESTINATION.match(text, wiki.end(), self._end) is None:
                self._wiki(wiki)
                return wiki.end()
        flat = _FLAT.match(text, at, self._end)
        if flat is None:
            self._open.append(at)
            return at + 1
        return self._link(at, flat.end() - 1)

    def _wiki(self, match: re.Match[str]) -> None:
        target, anchor, shown = match.groups()
        target = target.rstrip("\\").strip()
        start = match.start()
        embedded = self._text[start - 1 : start] == "!"
        if target and not (embedded and target.lower().endswith(_PICTURES)):
            text = (shown or target + (anchor or "")).strip()
            self._out.links.append(Link(LinkKind.WIKI, Span(start, match.end()), target, text))

    def _close(self, at: int) -> int:
        return self._link(self._open.pop(), at) if self._open else at + 1

    def _link(self, opener: int, closer: int) -> int:
        """Keep the link whose text stands between two brackets, if it is one; where to go on."""
        text, after = self._text, closer + 1
        follows = text[after : after + 1] if after < self._end else ""
        kind, target = LinkKind.REFERENCE, ""
        if follows == "(":
            destination = _DESTINATION.match(text, after, self._end)
            if destination is not None:
                self._out.targets.append(Span(after, destination.end()))
                kind, after = LinkKind.INLINE, destination.end()
                target = destination[1] or destination[2] or ""
        elif self._definitions:
            name = text[opener + 1 : closer]
            labelled = _LABEL.match(text, after, self._end) if follows == "[" else None
            target = self._definitions.get(label((labelled and labelled[1]) or name[:_LONGEST_SHOWN]), "")
            after = labelled.end() if labelled and target else after
        if (text[opener - 1 : opener] == "!" and opener > 0) or (follows == ":" and opener == self._start):
            return after
        target = _without_anchor(target)
        if target:
            shown = plain_words(text[opener + 1 : closer])
            self._out.links.append(Link(kind, Span(opener, after), target, shown))
            # A link holds no other link, so brackets that wait cannot become one.
            self._open.clear()
        return after

    def _code(self, at: int) -> int:
        run = _TICKS.match(self._text, at, self._end)
        after = run.end() if run is not None else at + 1
        length = after - at
        if length > _LONGEST_TICKS or length in self._dead:
            return after
        closer = _CLOSERS[length].search(self._text, after, self._end)
        if closer is None:
            self._dead.add(length)
            return after
        return closer.end()

    def _tag(self, at: int, start: int) -> int:
        if at > start and not self._text[at - 1].isspace():
            return at + 1
        match = _TAG.match(self._text, at, self._end)
        if match is None:
            return at + 1
        name = match[1].rstrip("-/")
        if name.strip(_NOT_A_NAME):
            self._out.tags[name] = None
        return match.end()

    def _angle(self, at: int) -> int:
        """A comment or an address."""
        if not self._text.startswith("<!--", at) or "<!--" in self._dead:
            address = _AUTOLINK.match(self._text, at, self._end)
            if address is None:
                return at + 1
            self._out.targets.append(Span(*address.span()))
            return address.end()
        close = self._text.find("-->", at + 4, self._end)
        if close < 0:
            self._dead.add("<!--")
            return at + 1
        self._out.hidden.append(Span(at, close + 3))
        return close + 3


def _without_anchor(target: str) -> str:
    """The target as written, without its anchor and its escapes."""
    target = target.partition("#")[0].strip()
    return _ESCAPE.sub(r"\1", target) if "\\" in target else target
