"""Markdown: blocks, headings, links and tags with exact places.

Read by our own single-pass line parser and not by a library: markdown-it-py and its kin give line numbers for
blocks and no offsets for what stands inside them, while every span here must slice the source exactly, and
they are about ten times slower than a workspace of notes needs. It follows CommonMark wherever that decides
what a block is, and is more lenient where people's notes are; containers are read flat (no block in a block).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lens_lsp.corpus.formats.addresses import add_addresses
from lens_lsp.corpus.formats.bars import with_bars
from lens_lsp.corpus.formats.base import HEAD_LENGTH, NO_HEAD, TextReader, with_plain_breaks
from lens_lsp.corpus.formats.front_matter import read_opening
from lens_lsp.corpus.formats.inline import Inline, label, plain_words
from lens_lsp.corpus.formats.outline import TEXTUAL, Outline
from lens_lsp.corpus.formats.plain import begin_with
from lens_lsp.model.documents import BlockKind, Head, Structure
from lens_lsp.model.text import Span

_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ITEM = re.compile(r"([-*+]|\d{1,9}[.)])(?:([ \t]+)|$)")
_RULE = re.compile(r"([-*_])(?>(?:[ \t]*+\1){2,})[ \t]*$")
_DELIMITER = re.compile(r"\|?+[ \t]*+:?+-++:?+[ \t]*+(?>(?:\|[ \t]*+:?+-++:?+[ \t]*+)*)\|?+\s*+$")
_DEFINITION = re.compile(r"\[(?!\^)([^\[\]]{1,200})\]:[ \t]*(?:<([^<>]*)>|(\S+))")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,200}\]:")
_CONTENTS = re.compile(r"(?:@?\[toc\]|\[\[_?toc_?\]\]|\{:? *toc *\})[ \t]*$", re.IGNORECASE)
_INCLUDE = re.compile(r"\[!(?:INCLUDE|VIDEO|CODE)[ -][^\n]*\][ \t]*$", re.IGNORECASE)
_TEMPLATE = re.compile(
    r"(?>(?:(?:\{%(?>(?:[^%]++|%(?!\}))*)%\}|\{\{(?>(?:[^}]++|\}(?!\}))*)\}\}|\{[:#.][^{}]*+\})\s*+)+)$"
)
_LONGEST_TEMPLATE = 2000
_BLANK_LINE = re.compile(r"\n[ \t]*+\n")
_SCRIPT = re.compile(
    r"(?:import[ \t]++(?:[^'\"]{1,300}[ \t}]from[ \t]*+)?(?:'[^']*+'|\"[^\"]*+\")"
    r"|export[ \t]++(?:default|const|let|var|function|class|\{|\*)(?=[ \t{*]).*);?[ \t]*$"
)
_RAW = re.compile(r"<(pre|script|style|textarea)(?=[\s>])", re.IGNORECASE)
_OURS_END = re.compile(r"<!-- lens:end[^<>]*-->")
_TITLE_SKIP = re.compile(r"(?>(?:\s++|<!--(?>(?:[^-]++|-(?!->))*)-->)*)")
_LONGEST_SETEXT = 300
_UNREAD = frozenset({BlockKind.CODE, BlockKind.FRONT_MATTER})

_Handler = Callable[["_BlockParser", str, int, int], bool]


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
        if front is None:
            return outline.structure(head)
        return outline.structure(head, answer=front.answer)


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
