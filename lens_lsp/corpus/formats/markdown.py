"""Markdown and Jupyter notebooks: blocks, headings, links and tags with exact places.

Read by our own single-pass line parser and not by a library: markdown-it-py and its kin give line numbers for blocks
and no offsets for what stands inside them, while every span here must slice the source exactly, and they are about ten
times slower than a workspace of notes needs. It follows CommonMark wherever that decides what a block is, and is more
lenient where people's notes are; containers are read flat (no block in a block).

Inside the lines one walk goes over each block from mark to mark. A search that fails is remembered for the rest of the
block and brackets wait on a stack, so hostile input (200,000 of one mark) costs linear time.

A notebook is the one text format whose text is not the file's: it is Markdown that says by itself what each cell is,
Markdown cells as they stand, code cells and their text outputs in fences, blank lines between. So the structure follows
from the text alone. A file that is no notebook keeps its own text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import attrgetter

from lens_lsp.corpus.encoding import with_plain_breaks
from lens_lsp.corpus.formats.text_reader import (
    HEAD_LENGTH,
    NO_HEAD,
    TEXTUAL,
    Extraction,
    Outline,
    PlainReader,
    TextReader,
    add_addresses,
    begin_with,
    read_opening,
)
from lens_lsp.model.documents import Block, BlockKind, Head, Link, LinkKind, Locator, LocatorMap, Structure
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import SEQUENCE
from lens_lsp.model.text import Span

_MARK = regex(r"[\[\]`\\<#]")
_TICKS = regex(r"`+")
_LONGEST_TICKS = 16
"""Longer runs of backticks open no code span: it bounds the searches for their ends."""
_CLOSERS = {n: regex(rf"(?<!`)`{{{n}}}(?!`)") for n in range(1, _LONGEST_TICKS + 1)}
_WIKI = regex(r"\[\[([^\[\]|#\n]*)(#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")
_FLAT = regex(r"\[((?>(?:[^\[\]\\`]++|\\.|`[^`]*`)*))\]", re.DOTALL)
_DESTINATION = regex(
    r"\([ \t\n]*+(?:<([^<>\n]*+)>|((?>(?:[^\s()<\\]|\\.|\((?>(?:[^\s()\\]|\\.)*)\))*)))"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?\s*+\)"
)
_AUTOLINK = regex(r"<(?:[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]{1,64}@[\w.-]{1,255})>")
_LABEL = regex(r"\[([^\[\]]{0,200})\]")
_TAG = regex(r"#([\w/-]+)")
_ESCAPE = regex(r"\\([!-/:-@\[-`{-~])")
_NOT_A_NAME = "0123456789-_/"
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif")
_MARKUP = regex(
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
_MARKED = regex(r"[`<\[\\*_~]")
_LONGEST_SHOWN = 1000
_LEAST_LINKS = 5
"""Links of a list that make it navigation."""
_LINK = (
    r"(?:\[[^\[\]]*+\](?:\(([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)?)\)|\[[^\[\]]*+\])"
    r"|\[\[([^\[\]\n]*+)\]\]|<https?://[^\s<>]*+>|https?://\S++)"
)
_LINK_ITEM = regex(r"(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?[*_`]{0,3}" + _LINK + r"[*_`]{0,3}[.,;:]?[ \t]*+")
_BAR = regex(r"[*_]{0,3}" + _LINK + r"(?>(?:\s*+[|·•»«←→][\s|·•»«←→]*+" + _LINK + r")+)[*_]{0,3}\s*+")
_FENCE = regex(r"(`{3,})[^`]*$|(~{3,})")
_ITEM = regex(r"([-*+]|\d{1,9}[.)])(?:([ \t]+)|$)")
_RULE = regex(r"([-*_])(?>(?:[ \t]*+\1){2,})[ \t]*$")
_DELIMITER = regex(r"\|?+[ \t]*+:?+-++:?+[ \t]*+(?>(?:\|[ \t]*+:?+-++:?+[ \t]*+)*)\|?+\s*+$")
_DEFINITION = regex(r"\[(?!\^)([^\[\]]{1,200})\]:[ \t]*(?:<([^<>]*)>|(\S+))")
_FOOTNOTE = regex(r"\[\^[^\[\]\s]{1,200}\]:")
_CONTENTS = regex(r"(?:@?\[toc\]|\[\[_?toc_?\]\]|\{:? *toc *\})[ \t]*$", re.IGNORECASE)
_INCLUDE = regex(r"\[!(?:INCLUDE|VIDEO|CODE)[ -][^\n]*\][ \t]*$", re.IGNORECASE)
_TEMPLATE = regex(r"(?>(?:(?:\{%(?>(?:[^%]++|%(?!\}))*)%\}|\{\{(?>(?:[^}]++|\}(?!\}))*)\}\}|\{[:#.][^{}]*+\})\s*+)+)$")
_LONGEST_TEMPLATE = 2000
_BLANK_LINE = regex(r"\n[ \t]*+\n")
_SCRIPT = regex(
    r"(?:import[ \t]++(?:[^'\"]{1,300}[ \t}]from[ \t]*+)?(?:'[^']*+'|\"[^\"]*+\")"
    r"|export[ \t]++(?:default|const|let|var|function|class|\{|\*)(?=[ \t{*]).*);?[ \t]*$"
)
_RAW = regex(r"<(pre|script|style|textarea)(?=[\s>])", re.IGNORECASE)
_OURS_END = regex(r"<!-- lens:end[^<>]*-->")
_TITLE_SKIP = regex(r"(?>(?:\s++|<!--(?>(?:[^-]++|-(?!->))*)-->)*)")
_LONGEST_SETEXT = 300
_UNREAD = frozenset({BlockKind.CODE, BlockKind.FRONT_MATTER})
_Handler = Callable[["_BlockParser", str, int, int], bool]
_FENCE_RUN = regex(r"`{3,}")
_FENCE_LINE = regex(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_SURROGATE = regex("[\ud800-\udfff]")
_LANGUAGE = regex(r"[\w+#-]{1,30}")
_FIRST_TITLE = regex(r'"#[ \t]+([^"\\\n]{1,200})')
_PLAIN = PlainReader()


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


def with_bars(text: str, blocks: list[Block]) -> list[Block]:
    """The blocks, those named contents or navigation that are.

    A list whose items are all links into its own document is its table of contents. A list of five items or more that
    are nothing but a link each is navigation, and so is a paragraph of links between bars.
    """
    found: list[Block] = []
    for kind, group in groupby(blocks, key=attrgetter("kind")):
        run = list(group)
        if kind is BlockKind.LIST_ITEM and (other := _kind_of_list(text, run)) is not None:
            run = [Block(other, block.span, block.header) for block in run]
        elif kind is BlockKind.PARAGRAPH:
            run = [
                Block(BlockKind.NAVIGATION, block.span, block.header) if _is_bar(text, block.span) else block
                for block in run
            ]
        found += run
    return found


def _kind_of_list(text: str, run: list[Block]) -> BlockKind | None:
    own = True
    for block in run:
        match = _LINK_ITEM.fullmatch(text, block.span.start, block.span.end)
        if match is None:
            return None
        own = own and (match[1] or match[2] or "").startswith("#")
    if own:
        return BlockKind.CONTENTS
    return BlockKind.NAVIGATION if len(run) >= _LEAST_LINKS else None


def _is_bar(text: str, span: Span) -> bool:
    return text[span.start] in "[*_<" and _BAR.fullmatch(text, span.start, span.end) is not None


class MarkdownReader(TextReader):
    """Notes, READMEs, documentation."""

    name = "markdown"

    def head(self, start: str) -> Head:
        """The front matter; its title, else the only or leading top heading."""
        pos = 0
        head = NO_HEAD
        front = read_opening(start, cut=True)
        if front is not None:
            if front.head.title is not None:
                return front.head
            head, pos = front.head, front.end
        title = _title(start, pos)
        if title is None:
            return head
        return Head(title, head.aliases, head.tags, head.description, head.fields)

    def structure(self, text: str) -> Structure:
        """Everything Markdown can say."""
        flat = with_plain_breaks(text)
        outline = Outline(flat)
        front = read_opening(text)
        blocks = _BlockParser(outline, begin_with(outline, front))
        blocks.run()
        outline.blocks = with_bars(flat, outline.blocks)
        inline = Inline(outline, blocks.definitions)
        for block in outline.blocks:
            if block.kind not in _UNREAD:
                inline.scan(block.span.start, block.span.end)
        add_addresses(outline)
        outline.hidden.sort()
        head = self.head(text[:HEAD_LENGTH])
        return outline.structure(head, answer=front is not None and front.answer)


def _title(start: str, pos: int) -> str | None:
    """A heading that leads the text, or the only top heading near its start.

    Several top headings below something else (RFC templates) are chapters: none of them names the document.
    """
    skipped = _TITLE_SKIP.match(start, pos)
    first = skipped.end() if skipped is not None else pos
    if start.startswith("#", first):
        return _heading_line(start, first)
    at = start.find("\n# ", pos)
    if at >= 0:
        if start.find("```", pos, at) < 0 and start.find("\n# ", at + 1) < 0:
            return _heading_line(start, at + 1)
        return None
    end = start.find("\n", first)
    under = start[end + 1 : end + 4]
    if end > 0 and under == "===":
        return plain_words(start[first:end]) or None
    return None


def _heading_line(start: str, at: int) -> str | None:
    line = start[at : at + 1000].partition("\n")[0].partition("\r")[0].lstrip("#")
    return (plain_words(line.rstrip(" \t#")) or None) if line[:1] in (" ", "\t") else None


class _BlockParser:
    """One pass over the lines. ``definitions`` are the targets of reference links by label."""

    def __init__(self, outline: Outline, start: int) -> None:
        self.definitions: dict[str, str] = {}
        self._out = outline
        self._flat = outline.text
        self._resume = start
        """Lines that start before it are already read."""
        self._items: list[int] = []
        """The content columns of the list items that are open, outermost first."""
        self._indent = 0
        self._level = 0
        self._header: Span | None = None
        self._previous = 0
        """Where the line before starts."""
        self._unclosed: set[str] = set()

    def run(self) -> None:
        """Read every line."""
        out = self._out
        pos = 0
        for line in self._flat.split("\n"):
            end = pos + len(line)
            if pos >= self._resume:
                if not line or line.isspace():
                    self._header = None
                    if out.kind is not BlockKind.CODE:
                        out.close()
                elif line[0].isalpha() and out.kind in TEXTUAL:
                    out.extend(end)
                else:
                    self._line(line, pos, end)
                self._previous = pos
            pos = end + 1
        out.close()

    def _line(self, line: str, pos: int, end: int) -> None:
        out = self._out
        body = line.lstrip(" \t")
        start = end - len(body)
        indent = start - pos
        if indent and "\t" in line[:indent]:
            indent = len(line[:indent].expandtabs(4))
        self._indent = indent
        items = self._items
        level = len(items)
        while level and items[level - 1] > indent:
            level -= 1
        self._level = level
        if indent - (items[level - 1] if level else 0) >= 4:
            if out.kind is not None:
                out.extend(end)
            elif self._header is None:
                self._enter()
                out.begin(BlockKind.CODE, pos, end)
            return
        if out.kind is BlockKind.CODE:
            out.close()
        handler = _BY_FIRST.get(body[0])
        if handler is None or not handler(self, body, start, end):
            self._text(start, end)

    def _enter(self) -> None:
        """Leave the open block, the table and the list items that the line stands left of."""
        self._out.close()
        self._header = None
        del self._items[self._level :]

    def _text(self, start: int, end: int) -> None:
        if self._header is not None:
            self._out.add(BlockKind.TABLE_ROW, start, end, self._header)
        elif self._out.kind is not None:
            self._out.extend(end)
        else:
            self._enter()
            self._out.begin(BlockKind.PARAGRAPH, start, end)

    def _atx(self, body: str, start: int, end: int) -> bool:
        content = body.lstrip("#")
        marks = len(body) - len(content)
        if marks > 6 or (content and content[0] not in " \t"):
            return False
        self._enter()
        text = content.rstrip()
        bare = text.rstrip("#")
        if bare != text and (not bare or bare[-1] in " \t"):
            text = bare.rstrip()
        first = start + marks + len(text) - len(text.lstrip())
        text = text.lstrip()
        self._out.heading(marks, Span(start, end), first, first + len(text), plain_words(text))
        return True

    def _fence(self, body: str, start: int, end: int) -> bool:
        match = _FENCE.match(body)
        if match is None:
            return False
        self._enter()
        marks = match[1] or match[2]
        self._block(start, _fence_end(self._flat, marks, end), BlockKind.CODE)
        return True

    def _block(self, start: int, end: int, kind: BlockKind | None) -> None:
        """Keep ``[start, end)`` whole and go on behind it; text on its last line is a paragraph."""
        if kind is not None:
            self._out.add(kind, start, end)
        line_end = self._flat.find("\n", end)
        line_end = len(self._flat) if line_end < 0 else line_end
        rest = self._flat[end:line_end]
        self._out.add(BlockKind.PARAGRAPH, line_end - len(rest.lstrip()), line_end)
        self._resume = line_end + 1

    def _quote(self, body: str, start: int, end: int) -> bool:
        if not body[1:].strip():
            self._enter()
        elif self._out.kind is BlockKind.QUOTE:
            self._out.extend(end)
        else:
            self._enter()
            self._out.begin(BlockKind.QUOTE, start, end)
        return True

    def _equals(self, body: str, start: int, end: int) -> bool:
        return not body.rstrip().strip("=") and self._setext(1, end)

    def _setext(self, level: int, end: int) -> bool:
        out = self._out
        if out.kind is not BlockKind.PARAGRAPH or self._level != len(self._items):
            return False
        start, stop = out.start, out.end
        if stop - start > _LONGEST_SETEXT:
            return False
        out.drop()
        self._enter()
        out.heading(level, Span(start, end), start, stop, plain_words(self._flat[start:stop]))
        return True

    def _dash(self, body: str, start: int, end: int) -> bool:
        if not body.rstrip().strip("-") and self._setext(2, end):
            return True
        return self._delimiter(body, start, end) or self._star(body, start, end)

    def _star(self, body: str, start: int, end: int) -> bool:
        return self._rule(body, start, end) or self._item(body, start, end)

    def _rule(self, body: str, start: int, end: int) -> bool:
        if _RULE.match(body) is None:
            return False
        self._enter()
        return True

    def _delimiter(self, body: str, start: int, end: int) -> bool:
        """The line under a table's header: the line before is the header, the lines below are rows."""
        out = self._out
        if out.kind not in TEXTUAL or "|" not in body or _DELIMITER.match(body) is None:
            return False
        if "|" not in self._flat[self._previous : start]:
            return False
        kind, first, header = out.kind, out.start, max(self._previous, out.start)
        if header == first and kind is not BlockKind.PARAGRAPH:
            return False
        header += len(self._flat[header:start]) - len(self._flat[header:start].lstrip())
        if first < header:
            out.extend(header)
            out.close()
        out.drop()
        self._header = out.add(BlockKind.TABLE_ROW, header, start)
        return True

    def _item(self, body: str, start: int, end: int) -> bool:
        match = _ITEM.match(body)
        if match is None:
            return False
        marker, gap = match.groups()
        empty = match.end() >= len(body.rstrip())
        out = self._out
        if out.kind is BlockKind.PARAGRAPH and not self._items and (empty or marker[0] in "023456789"):
            return False
        self._enter()
        width = len(gap) if gap and len(gap) <= 4 else 1
        self._items.append(self._indent + len(marker) + width)
        inner = body[match.end() :]
        self._level = len(self._items)
        if inner[:3] in ("```", "~~~") and self._fence(inner, start + match.end(), end):
            return True
        out.begin(BlockKind.LIST_ITEM, start, end)
        return True

    def _markup(self, body: str, start: int, end: int) -> bool:
        """Comments, and the tags whose content is no Markdown."""
        if body.startswith("<!--"):
            return self._comment(start)
        raw = _RAW.match(body)
        name = raw[1].lower() if raw is not None else ""
        if not name or name in self._unclosed:
            return False
        close = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(self._flat, start)
        if close is None:
            self._unclosed.add(name)
            return False
        self._enter()
        if name in ("script", "style"):
            self._out.hidden.append(Span(start, close.end()))
        self._block(start, close.end(), BlockKind.CODE if name in ("pre", "textarea") else None)
        return True

    def _comment(self, start: int) -> bool:
        flat = self._flat
        close = -1 if "-->" in self._unclosed else flat.find("-->", start + 4)
        if close < 0:
            self._unclosed.add("-->")
            return False
        end = close + 3
        if flat.startswith("lens:begin", start + 5) and "lens:end" not in self._unclosed:
            # What we inserted into a note ourselves is never evidence, so all of it is hidden.
            last = _OURS_END.search(flat, end)
            if last is None:
                self._unclosed.add("lens:end")
            else:
                end = last.end()
        self._enter()
        self._out.hidden.append(Span(start, end))
        self._block(start, end, None)
        return True

    def _definition(self, body: str, start: int, end: int) -> bool:
        match = _DEFINITION.match(body)
        if match is None:
            return False
        self._enter()
        self.definitions.setdefault(label(match[1]), match[2] or match[3] or "")
        target = Span(*match.span(2 if match[3] is None else 3))
        if len(target):
            self._out.targets.append(Span(start + target.start, start + target.end))
        self._out.add(BlockKind.REFERENCE, start, end)
        return True

    def _bracket(self, body: str, start: int, end: int) -> bool:
        if _CONTENTS.match(body) is not None:
            return self._alone(BlockKind.CONTENTS, start, end)
        if _INCLUDE.match(body) is not None:
            return self._alone(BlockKind.NAVIGATION, start, end)
        return self._footnote(body, start, end) or self._definition(body, start, end)

    def _footnote(self, body: str, start: int, end: int) -> bool:
        """A footnote is an item: it begins a block of its own below another one."""
        if _FOOTNOTE.match(body) is None:
            return False
        self._enter()
        self._out.begin(BlockKind.LIST_ITEM, start, end)
        return True

    def _alone(self, kind: BlockKind, start: int, end: int) -> bool:
        """Keep a line, or several, that are no prose apart from the prose around them; not within a table."""
        if self._header is not None:
            return False
        self._enter()
        self._out.add(kind, start, end)
        self._resume = end + 1
        return True

    def _template(self, body: str, start: int, end: int) -> bool:
        """Tags of a template alone on their lines."""
        if body.startswith("{%") and "%}" not in body:
            close = self._flat.find("%}", end, end + _LONGEST_TEMPLATE)
            if close < 0 or _BLANK_LINE.search(self._flat, end, close) is not None:
                return False
            end = self._flat.find("\n", close)
            end = len(self._flat) if end < 0 else end
            body = self._flat[start:end]
        if _CONTENTS.match(body) is not None:
            return self._alone(BlockKind.CONTENTS, start, end)
        return _TEMPLATE.match(body) is not None and self._alone(BlockKind.NAVIGATION, start, end)

    def _script(self, body: str, start: int, end: int) -> bool:
        """Imports and exports of MDX."""
        return _SCRIPT.match(body) is not None and self._alone(BlockKind.NAVIGATION, start, end)

    def _colon(self, body: str, start: int, end: int) -> bool:
        if body.startswith(":::"):
            return self._alone(BlockKind.NAVIGATION, start, end)
        return self._delimiter(body, start, end) or self._meaning(body, start, end)

    def _meaning(self, body: str, start: int, end: int) -> bool:
        """The definition of a term that stands above it, behind a blank line too: one block."""
        out = self._out
        if body[1:2] not in (" ", "\t") or out.kind is not None or not out.blocks:
            return False
        term = out.blocks[-1]
        between = self._flat[term.span.end : start]
        if term.kind is not BlockKind.PARAGRAPH or between.strip() or between.count("\n") > 2:
            return False
        if "\n" in self._flat[term.span.start : term.span.end]:
            return False
        del out.blocks[-1]
        out.begin(BlockKind.PARAGRAPH, term.span.start, end)
        return True


def _fence_end(flat: str, marks: str, pos: int) -> int:
    """Where the line that closes a fence ends, else the end of the text."""
    mark = marks[0]
    at = flat.find(marks, pos)
    while at >= 0:
        line = flat.rfind("\n", pos, at) + 1
        end = flat.find("\n", at)
        end = len(flat) if end < 0 else end
        # The opening line ends at pos, so a line start before it means the opening line itself.
        if line and not flat[line:at].strip(" \t") and not flat[at:end].strip().strip(mark):
            return end
        pos = end
        at = flat.find(marks, end)
    return len(flat)


# No table of bound methods in each parser: that is a cycle, and keeps the whole text until cycles are looked for.
_BY_FIRST: dict[str, _Handler] = {
    "#": _BlockParser._atx,
    "`": _BlockParser._fence,
    "~": _BlockParser._fence,
    ">": _BlockParser._quote,
    "=": _BlockParser._equals,
    "<": _BlockParser._markup,
    "[": _BlockParser._bracket,
    "{": _BlockParser._template,
    "@": _BlockParser._bracket,
    "i": _BlockParser._script,
    "e": _BlockParser._script,
    "|": _BlockParser._delimiter,
    ":": _BlockParser._colon,
    "-": _BlockParser._dash,
    "_": _BlockParser._rule,
    "*": _BlockParser._star,
    **dict.fromkeys("+0123456789", _BlockParser._item),
}
"""What a line can be that begins with a character."""
_MARKDOWN = MarkdownReader()


class NotebookReader(TextReader):
    """``.ipynb``, formats 3 and 4."""

    name = "notebook"
    extracted = True

    def extract(self, decoded: str) -> Extraction:
        """The cells' text, placed by ``{"cell": n, "line": m}`` from 1; else the file's own."""
        try:
            notebook = json.loads(decoded)
        except (ValueError, RecursionError):
            return Extraction(decoded)
        cells = _cells(notebook)
        if cells is None:
            return Extraction(decoded)
        parts: list[str] = []
        starts: list[int] = []
        locators: list[Locator] = []
        at = 0
        language = _language(notebook)
        for number, cell in enumerate(cells, 1):
            for part, first in _parts(cell, language):
                start = at
                for line, words in enumerate(part.split("\n") if first >= 0 else [part], 1 - first):
                    starts.append(start)  # outputs and fences have the cell only
                    locators.append({"cell": number, "line": line} if line and first >= 0 else {"cell": number})
                    start += len(words) + 1
                parts.append(part)
                at += len(part) + 2
        return Extraction("\n\n".join(parts), LocatorMap(tuple(starts), tuple(locators)))

    def structure(self, text: str) -> Structure:
        """That of the extracted Markdown; paragraphs for a file that is no notebook."""
        return _PLAIN.structure(text) if _is_raw(text) else _MARKDOWN.structure(text)

    def head(self, start: str) -> Head:
        """The title of the first Markdown cell, from the extracted text or from the file itself."""
        if not _is_raw(start):
            return _MARKDOWN.head(start)
        match = _FIRST_TITLE.search(start[:HEAD_LENGTH])
        return Head(match[1].removesuffix("\\n").strip() or None) if match is not None else Head()


def _is_raw(text: str) -> bool:
    start = text[:200].lstrip()
    return start[:1] == "{" and start[1:].lstrip()[:1] in ('"', "")


def _cells(notebook: object) -> list[dict[str, object]] | None:
    if not isinstance(notebook, dict):
        return None
    cells = notebook.get("cells")
    if cells is None:
        sheets = notebook.get("worksheets")
        sheets = sheets if isinstance(sheets, list) else []
        cells = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
        if not cells:
            return None
    return [cell for cell in _list(cells) if isinstance(cell, dict)]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _language(notebook: dict[str, object]) -> str:
    metadata = notebook.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and _LANGUAGE.fullmatch(name) else ""


def _parts(cell: dict[str, object], language: str) -> Iterator[tuple[str, int]]:
    """The texts of a cell: its source with the line its first line stands on (0 or 1), outputs with -1."""
    source = _text(cell.get("source", cell.get("input")))
    if cell.get("cell_type") == "code":
        if source.strip():
            yield _fenced(source, language), 1
        for output in _list(cell.get("outputs")):
            text = _output(output)
            if text.strip():
                yield _fenced(text, ""), -1
    elif cell.get("cell_type") == "heading":
        level = cell.get("level")
        yield "#" * min(max(level if isinstance(level, int) else 1, 1), 6) + " " + source.strip(), 0
    elif source.strip():
        yield _closed(source.rstrip("\r\n")), 0


def _text(value: object) -> str:
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return _SURROGATE.sub("\ufffd", with_plain_breaks(value)) if isinstance(value, str) else ""


def _output(output: object) -> str:
    """What an output shows as text: a stream, or the plain form of a result."""
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    plain = data.get("text/plain") if isinstance(data, dict) else None
    return SEQUENCE.sub("", _text(output.get("text") if plain is None else plain))


def _fenced(text: str, language: str) -> str:
    """The text in a fence that is longer than any inside it."""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _closed(source: str) -> str:
    """The Markdown with its last fence closed, so that it cannot swallow the cells behind it."""
    fence = ""
    for mark in _FENCE_LINE.findall(source):
        if not fence:
            fence = mark
        elif mark.startswith(fence):
            fence = ""
    return f"{source}\n{fence}" if fence else source
