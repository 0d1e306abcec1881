"""Markup: reStructuredText, AsciiDoc, Org, LaTeX, HTML and XML, each with its blocks, headings and links.

Light readers for finding and showing passages, not renderers: what they do not know stays a paragraph.

HTML and XML are tokenised by our own regular expressions: ``html.parser`` was measured to need 1.6 GB for a hostile
8 MB; the text between tags is searched, the markup itself is hidden. Comments of LaTeX stay searchable: in a source
file they are notes.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from html import unescape
from itertools import islice

from lens_lsp.corpus.encoding import with_plain_breaks
from lens_lsp.corpus.formats.markdown import label
from lens_lsp.corpus.formats.text_reader import (
    HEAD_LENGTH,
    MOST_FIELDS,
    TEXTUAL,
    Leading,
    LineParser,
    Outline,
    TextReader,
    add_addresses,
    begin_with,
    field,
    first_line_title,
    head_of,
    kept,
    leading_fields,
    lines_from,
    merged,
    pairs,
    read_front_matter,
    read_opening,
)
from lens_lsp.model.documents import BlockKind, Field, Head, Link, LinkKind, Structure
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span

_MARKS = regex(r"``?|(?<!\w)[*_=~/+]+(?=\w)|(?<=\w)[*_=~/+]+(?!\w)")
_ADORNMENT = regex(r"([!-/:-@\[-`{-~])(?>\1{2,})$")
_GRID = regex(r"\+(?>(?:[-=]++\+)+)$")
_SIMPLE = regex(r"=+(?> +=+)+$")
_LONGEST_TABLE = 400
"""Lines in which the end of a simple table is looked for."""
_MOST_UNCLOSED = 16
_TARGET = regex(r"\.\. +_(?P<name>[^:]{1,200}): +(?P<target>\S+)")
_DIRECTIVE = regex(r"\.\. +(?:\|[^|]{1,100}\| +)?(?P<name>[\w:.+-]{1,60}?):: *(?P<argument>.*)")
_NOTE = regex(r"\.\. +\[[^\[\]]{1,100}\](?:\s|$)")
_RST_CODE = frozenset({"code", "code-block", "highlight", "math", "sourcecode", "parsed-literal"})
_RST_UNREAD = frozenset(
    {"class", "contents", "currentmodule", "default-role", "include", "index", "literalinclude", "meta", "module"}
    | {"raw", "rst-class", "sectionauthor", "sectnum", "toctree"}
)
"""Directives that hold nothing to read."""
_RST_PATHS = frozenset({"figure", "image"})
"""Directives whose argument is a path."""
_RST_LINK = regex(
    r"(?P<role>:[a-z:+-]{1,20}:)?`(?P<text>[^`<>]*)(?:<(?P<target>[^`<>]*)>)?`(?P<under>__?)?"
    r"|(?<!\w)(?P<name>\w+)_(?!\w)"
)
_RST_ROLES = frozenset({":doc:", ":ref:", ":any:", ":download:", ":file:"})
_FIELD = regex(r":([^:\s][^:]{0,100}):(?:\s+(.*))?$")
_ADOC_HEADING = regex(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ADOC_ATTRIBUTE = regex(r":(!?[\w-]+!?):(?:[ \t]+(.*))?$")
_ADOC_CODE = regex(r"(?:-{4,}|\.{4,}|`{3,}|\+{4,}|/{4,})$")
_ADOC_FRAME = regex(r"(?:={4,}|\*{4,}|_{4,}|--)$")
_ADOC_MACRO = regex(r"(?:toc|include|image|video|audio|ifn?def|ifeval|endif)::\S*\[.*\]$")
_ADOC_TERM = regex(r"[^\s:](?:[^:]|:(?!:)){0,200}(?:::|;;)(?:\s|$)")
_ADOC_LINK = regex(
    r"(?P<macro>link:|xref:|https?:)(?P<target>[^\s\[\]]{1,500})\[(?P<text>[^\[\]]*)\]"
    r"|<<(?P<ref>[^<>,]{1,300})(?:,(?P<label>[^<>]*))?>>"
)
_ORG_HEADING = regex(r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(?:\[#\w\][ \t]+)?")
_ORG_TAGS = regex(r"(?<=\s):[\w@:]+:$")
_ORG_KEYWORD = regex(r"#\+(?!begin_)([\w-]+):(?:[ \t]+(.*))?$", re.IGNORECASE)
_ORG_SAID = regex(r"#\+(?:title|subtitle|description|caption|name):", re.IGNORECASE)
_ORG_PROPERTY = regex(r":([\w-]+):(?:[ \t]+(.*))?$")
_ORG_BLOCK = regex(r"#\+begin_(\w+)", re.IGNORECASE)
_ORG_LINK = regex(r"\[\[(?P<target>[^\[\]]+)\](?:\[(?P<text>[^\[\]]*)\])?\]")
_LEVELS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_SECTION = regex(r"\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?:\[[^\[\]\n]{0,200}\])?\{")
_BEGIN = regex(r"\\begin\{([a-zA-Z]+\*?)\}")
_VERBATIM = frozenset({"verbatim", "Verbatim", "lstlisting", "minted", "alltt"})
_TABLES = frozenset({"tabular", "tabularx", "longtable", "array"})
_QUOTES = frozenset({"quote", "quotation", "verse"})
_TABLE_LINES = ("\\hline", "\\toprule", "\\midrule", "\\bottomrule")
_COMMAND = regex(r"\\[a-zA-Z]+\*?\s*|[{}~]")
_ESCAPED = regex(r"\\([#$%&_{}])")
_LINK = regex(r"\\href\{([^{}\n]{1,500})\}\{([^{}]{0,500})\}|\\(?:input|include|subfile)\{([^{}\n]{1,300})\}")
_LONGEST_ARGUMENT = 500
# Quotes switch between three states and never merge two of them, so at most three of all the tries that start
# at a "<" are alive at any place: linear whatever the input (a hostile test holds it to that).
_TAG = regex(
    r"<(?:!--|!\[CDATA\[|(?P<close>/?)(?P<name>[a-zA-Z][^\s/<>\"']{0,60})"
    r"(?P<rest>[^<>\"']*+(?>(?:\"[^\"]*+\"[^<>\"']*+|'[^']*+'[^<>\"']*+)*))>|[!?/][^<>]*+>|[a-zA-Z][^<>]*+>)"
)
_HREF = regex(r"\bhref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_TITLE = regex(r"<title[^<>]*>([^<]*)", re.IGNORECASE)
_META = regex(r"<meta\s([^<>]*)>", re.IGNORECASE)
_META_NAME = regex(r"\bname\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_META_CONTENT = regex(r"\bcontent\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_HEAD_END = regex(r"</head|<body", re.IGNORECASE)
_H1 = regex(r"<h1[^<>]*>([^<]*)", re.IGNORECASE)
_CLOSING = {
    name: regex(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style", "head", "template", "svg")
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
_HEADING_TAGS = {f"h{level}": level for level in range(1, 7)}
_HIDING_TO_THE_END = ("script", "style")
_Token = tuple[int, int, str, bool, str]
"""Start, end, lower-case name ("" for comments and declarations), whether it closes, the attributes."""


class _MarkupReader(TextReader):
    """The steps the three share."""

    def structure(self, text: str) -> Structure:
        """Blocks by lines, then the links inside them."""
        outline = Outline(with_plain_breaks(text))
        front = read_opening(text)
        start = begin_with(outline, front)
        leading = self.leading(outline.text, start)
        outline.fields.extend(leading.fields)
        self.parse(outline, start, leading.spans)
        add_addresses(outline)
        outline.links.sort(key=lambda link: link.span)
        head = self.head(text[:HEAD_LENGTH])
        outline.tags.update(dict.fromkeys(head.tags))
        return outline.structure(head, answer=front is not None and front.answer)

    def head(self, start: str) -> Head:
        """The document's own title, else a short first line."""
        start = with_plain_breaks(start)
        front = read_opening(start, cut=True)
        at = front.end if front is not None else 0
        own = head_of(self.leading(start, at).fields)
        if front is not None:
            own = merged(front.head, own)
        head = own if own.title is not None else merged(own, Head(self.own_title(start[at:])))
        return head if head.title is not None or front is not None else merged(head, Head(first_line_title(start)))

    @abstractmethod
    def parse(self, outline: Outline, start: int, metadata: tuple[Span, ...]) -> None:
        """Fill the outline; ``metadata`` are the stretches of the leading fields."""

    @abstractmethod
    def leading(self, text: str, start: int) -> Leading:
        """The fields with which a document opens, behind its front matter."""

    @abstractmethod
    def own_title(self, start: str) -> str | None:
        """The document's title by the format's own rules."""


class RestructuredTextReader(_MarkupReader):
    """``.rst``."""

    name = "restructuredtext"

    def parse(self, outline: Outline, start: int, metadata: tuple[Span, ...]) -> None:
        """Sections, directives, grid tables, links with their targets."""
        parser = _RstParser(outline, start, metadata)
        parser.run()
        for block in outline.blocks:
            if block.kind is not BlockKind.CODE:
                for match in _RST_LINK.finditer(outline.text, block.span.start, block.span.end):
                    outline.targets.extend(_rst_targets(match))
                    link = _rst_link(match, parser.targets)
                    if link is not None:
                        outline.links.append(link)

    def leading(self, text: str, start: int) -> Leading:
        """The field list at the start or right under the title."""
        before, titled = False, False
        for at, line in lines_from(text, start):
            if not before and _rst_field(line) is not None:
                return leading_fields(text, at, _rst_field)
            if not line.strip() or line.startswith((".. ", " ", "\t")):
                if before:
                    break
            elif _ADORNMENT.match(line.rstrip()) is not None:
                titled, before = titled or before, False
            elif titled or before:
                break
            else:
                before = True
        return Leading()

    def own_title(self, start: str) -> str | None:
        """The first line that is underlined."""
        before = ""
        for line in start.split("\n"):
            line = line.strip()
            if before and _ADORNMENT.match(line) and not _ADORNMENT.match(before):
                return _MARKS.sub("", before)
            before = line
        return None


class _RstParser(LineParser):
    def __init__(self, outline: Outline, start: int, metadata: tuple[Span, ...]) -> None:
        super().__init__(outline, start, metadata)
        self.targets: dict[str, str] = {}
        self._styles: list[tuple[str, bool]] = []
        self._tables_unclosed = 0
        self._over = ""
        self._before = 0
        """The indentation of the line of text before."""

    def line(self, body: str, start: int, end: int) -> None:
        if _ADORNMENT.match(body) is not None:
            self._adorn(body, start, end)
        elif body.startswith(".. ") or body == "..":
            self._explicit(body, start, end)
        elif body[0] == "+" and _GRID.match(body) is not None:
            self._grid_row(end)
        elif body[0] == "|" and body[-1] == "|":
            self.row(start, end)
        elif body[0] == "=" and _SIMPLE.match(body) is not None and self._simple_table(body, start, end):
            pass
        elif _FIELD.match(body) is not None:
            self.out.begin(BlockKind.LIST_ITEM, start, end)
        else:
            self._text(body, start, end)
            if body.endswith("::"):
                self._literal(start, end)

    def _grid_row(self, end: int) -> None:
        """The lines between two rules of a grid are one row."""
        self.out.close()
        first, last = 0, end
        for at, line in lines_from(self.flat, end + 1):
            if not line.lstrip().startswith("|"):
                break
            first, last = first or at + len(line) - len(line.lstrip()), at + len(line)
        if first:
            self.row(first, last)
            self.resume = last + 1

    def _simple_table(self, body: str, start: int, end: int) -> bool:
        """A table between rules: a row goes on in the lines below it whose first column is blank."""
        rules: dict[int, None] = {}
        close = -1
        if self._tables_unclosed == _MOST_UNCLOSED:
            return False
        for number, (at, line) in enumerate(lines_from(self.flat, end + 1)):
            if close >= 0 and not line.strip():
                break
            close = -1
            if _SIMPLE.match(line.strip()) is not None:
                rules[at] = None
                close = at + len(line)
            if number == _LONGEST_TABLE:
                close = -1
                break
        if close < 0:
            self._tables_unclosed += 1
            return False
        self.out.close()
        margin, width = self.indent(start), len(body.split(" ", 1)[0])
        header = next(iter(rules)) if len(rules) > 1 else end
        row: tuple[int, int] | None = None
        for at, line in lines_from(self.flat, end + 1):
            if at > close:
                break
            first, last = at + len(line) - len(line.lstrip()), at + len(line)
            if row is not None and (
                at in rules or not line.strip() or (at > header and line[: margin + width].strip())
            ):
                self.row(*row)
                row = None
            if line.strip() and at not in rules:
                row = (first if row is None else row[0], last)
        self.header = None
        self.resume = close + 1
        return True

    def _text(self, body: str, start: int, end: int) -> None:
        """A line of text; one at the edge below indented lines is the next term of a list of definitions."""
        indent = self.indent(start)
        paragraph = self.out.kind is BlockKind.PARAGRAPH
        if paragraph and self._before > indent and indent == self.indent(self.out.start):
            self.out.close()
        self._before = indent
        self.text(body, start, end)

    def _adorn(self, body: str, start: int, end: int) -> None:
        out = self.out
        if out.kind is not BlockKind.PARAGRAPH or "\n" in self.flat[out.start : start - 1].strip():
            out.close()
            self._over = body[0]
            return
        style = (body[0], self._over == body[0])
        self._over = ""
        if style not in self._styles:
            self._styles.append(style)
        first, last = out.start, out.end
        out.drop()
        level = self._styles.index(style) + 1
        out.heading(level, Span(first, end), first, last, _MARKS.sub("", self.flat[first:last]))

    def _explicit(self, body: str, start: int, end: int) -> None:
        target, directive = _TARGET.match(body), _DIRECTIVE.match(body)
        self._before = 0
        if target is not None:
            self.targets[label(target["name"].strip("`"))] = target["target"]
            self.out.targets.append(Span(start + target.start("target"), start + target.end("target")))
            self.block(BlockKind.REFERENCE, start, end)
        elif directive is not None:
            self._directive(directive["name"].lower(), directive["argument"], start, end)
        elif _NOTE.match(body) is not None:
            self.out.begin(BlockKind.LIST_ITEM, start, end)
        else:
            # A comment, or the mark of a place.
            comment = not body.startswith(".. _")
            self.block(BlockKind.NAVIGATION, start, self.indented_end(self.indent(start), end) if comment else end)

    def _directive(self, name: str, argument: str, start: int, end: int) -> None:
        """A directive with its options; what it holds besides is text, code or nothing to read."""
        if name in _RST_CODE:
            self.block(BlockKind.NAVIGATION, start, end)
            self._literal(start, end)
        elif name in _RST_UNREAD:
            kind = BlockKind.CONTENTS if name in ("contents", "toctree") else BlockKind.NAVIGATION
            self.block(kind, start, self.indented_end(self.indent(start), end))
        elif argument and name not in _RST_PATHS:
            self.out.begin(BlockKind.PARAGRAPH, start, end)
        else:
            for at, line in lines_from(self.flat, end + 1):
                if not line[:1].isspace() or _FIELD.match(line.strip()) is None:
                    break
                end = at + len(line)
            self.block(BlockKind.NAVIGATION, start, end)

    def _literal(self, start: int, end: int) -> None:
        """The indented lines below a line are code."""
        last = self.indented_end(self.indent(start), end)
        if last > end:
            first = end + 1 + len(self.flat[end + 1 : last]) - len(self.flat[end + 1 : last].lstrip("\n"))
            self.block(BlockKind.CODE, first, last)


def _rst_field(line: str) -> tuple[str, str] | None:
    match = _FIELD.match(line)
    return None if match is None else (match[1], match[2] or "")


def _rst_targets(match: re.Match[str]) -> Iterator[Span]:
    """The name of a role and the target in angle brackets."""
    if match["role"] is not None:
        yield Span(*match.span("role"))
    if match["target"] and (match["role"] is not None or match["under"] is not None):
        yield Span(match.start("target") - 1, match.end("target") + 1)


def _rst_link(match: re.Match[str], targets: dict[str, str]) -> Link | None:
    role, text, target, under, name = match.group("role", "text", "target", "under", "name")
    span = Span(*match.span())
    if name is not None:
        found = targets.get(label(name))
        return Link(LinkKind.REFERENCE, span, found, name) if found else None
    shown = " ".join(text.split())
    if role in _RST_ROLES:
        goal = (target or shown).strip()
        return Link(LinkKind.INLINE, span, goal, shown or goal) if goal else None
    if role is not None or under is None:
        return None
    goal = target.strip() if target else targets.get(label(text), "")
    if not goal:
        return None
    kind = LinkKind.INLINE if target else LinkKind.REFERENCE
    return Link(kind, span, _bare(goal), shown or goal)


class AsciiDocReader(_MarkupReader):
    """``.adoc``, ``.asciidoc``."""

    name = "asciidoc"

    def parse(self, outline: Outline, start: int, metadata: tuple[Span, ...]) -> None:
        """Sections, delimited blocks, tables, macros."""
        _AdocParser(outline, start, metadata).run()
        _links(outline, _ADOC_LINK)

    def leading(self, text: str, start: int) -> Leading:
        """The attributes of the document's header, which ends at the first blank line behind its title."""
        found: list[tuple[str, str, int, int]] = []
        titled = False
        for at, line in lines_from(text, start):
            match = _ADOC_ATTRIBUTE.match(line)
            if match is not None:
                found.append((match[1], match[2] or "", at, at + len(line.rstrip())))
            elif not line.strip():
                if titled:
                    break
            elif line.startswith("= "):
                titled = True
            elif not titled and not line.startswith("//"):
                break
        return Leading.of_lines(found)

    def own_title(self, start: str) -> str | None:
        """The document's title."""
        at = 0 if start.startswith("= ") else start.find("\n= ") + 1
        title = start[at + 2 :].partition("\n")[0].strip() if start.startswith("= ", at) else None
        return title or None


class _AdocParser(LineParser):
    _waits = False
    """Whether the line before is a term without its definition."""

    def line(self, body: str, start: int, end: int) -> None:
        if _ADOC_CODE.match(body) is not None:
            close = self.closing_line(end, lambda line: line == body)
            self.block(BlockKind.CODE, start, end if close is None else close)
        elif body == "|===":
            self.out.close()
            self.header = None
        elif _ADOC_FRAME.match(body) is not None or (body[0] == "[" and body[-1] == "]"):
            self.out.close()
        elif body[0] == "|":
            self.row(start, end)
        elif _ADOC_MACRO.match(body) is not None or _ADOC_ATTRIBUTE.match(body) is not None or body.startswith("//"):
            self.block(BlockKind.CONTENTS if body.startswith("toc::") else BlockKind.NAVIGATION, start, end)
        else:
            match = _ADOC_HEADING.match(body)
            if match is None:
                self._text(body, start, end)
            else:
                first = start + match.start(2)
                text = _MARKS.sub("", match[2])
                self.out.heading(len(match[1]), Span(start, end), first, start + len(body), text)

    def _text(self, body: str, start: int, end: int) -> None:
        """A line of text; a term begins a block that its definition belongs to."""
        term = _ADOC_TERM.match(body)
        if term is not None:
            self.out.begin(BlockKind.PARAGRAPH, start, end)
        else:
            self.text(body, start, end)
        self._waits = term is not None and term.end() == len(body)

    def blank(self) -> None:
        """Tables go on behind blank lines until their closing mark; a term waits for its definition."""
        if not self._waits:
            self.out.close()


class OrgReader(_MarkupReader):
    """``.org``."""

    name = "org"

    def parse(self, outline: Outline, start: int, metadata: tuple[Span, ...]) -> None:
        """Headlines with their tags, blocks, tables, links."""
        _OrgParser(outline, start, metadata).run()
        _links(outline, _ORG_LINK)

    def leading(self, text: str, start: int) -> Leading:
        """The keywords and the drawer of properties above the first text."""
        found: list[tuple[str, str, int, int]] = []
        for at, line in lines_from(text, start):
            match = _ORG_KEYWORD.match(line) or _ORG_PROPERTY.match(line)
            if match is not None:
                name, value = match[1], match[2] or ""
                if name.lower() == "filetags":
                    value = ", ".join(value.replace(":", " ").split())
                found.append((name, value, at, at + len(line.rstrip())))
            elif line.strip() and not line.startswith("# "):
                break
        return Leading.of_lines(found)

    def own_title(self, start: str) -> str | None:
        """Only the keywords say it."""
        return None


class _OrgParser(LineParser):
    def line(self, body: str, start: int, end: int) -> None:
        if body[0] == "*" and self.indent(start) == 0 and self._headline(body, start, end):
            return
        if body[0] == "#" and self._keyword(body, start, end):
            return
        if body.startswith("# "):
            self.block(BlockKind.NAVIGATION, start, end)
            return
        if body[0] == "|":
            if not body.startswith("|-"):
                self.row(start, end)
        elif body[0] == ":" and body.upper() == ":PROPERTIES:":
            close = self.closing_line(end, lambda line: line.upper() == ":END:")
            self.block(BlockKind.PARAGRAPH, start, end if close is None else close)
        else:
            self.header = None
            self.text(body, start, end)

    def _headline(self, body: str, start: int, end: int) -> bool:
        match = _ORG_HEADING.match(body)
        if match is None:
            return False
        title = body[match.end() :]
        # Only the last word can be tags; a search over the whole line would start at every colon.
        cut = len(title) - len(title.split()[-1]) if title else 0
        tags = _ORG_TAGS.match(title, cut)
        if tags is not None:
            self.out.tags.update(dict.fromkeys(tags[0].strip(":").split(":")))
            title = title[: tags.start()].rstrip()
        first = start + match.end()
        text = _MARKS.sub("", title)
        self.out.heading(len(match[1]), Span(start, end), first, first + len(title), text)
        return True

    def _keyword(self, body: str, start: int, end: int) -> bool:
        block = _ORG_BLOCK.match(body)
        if block is not None:
            stop = f"#+end_{block[1].lower()}"
            close = self.closing_line(end, lambda line: line.lower() == stop)
            kind = BlockKind.QUOTE if block[1].lower() in ("quote", "verse") else BlockKind.CODE
            self.block(kind, start, end if close is None else close)
        elif body.startswith("#+"):
            said = _ORG_SAID.match(body) is not None
            self.block(BlockKind.PARAGRAPH if said else BlockKind.NAVIGATION, start, end)
        return block is not None or body.startswith("#+")


def _links(outline: Outline, pattern: re.Pattern[str]) -> None:
    """Keep what ``pattern`` finds outside code as links with the anchors cut off."""
    for block in outline.blocks:
        if block.kind is BlockKind.CODE:
            continue
        for match in pattern.finditer(outline.text, block.span.start, block.span.end):
            groups = match.groupdict()
            outline.targets.extend(_link_targets(match, groups))
            target = groups.get("ref") or match["target"]
            macro = groups.get("macro") or ""
            target = macro + target if macro.startswith("http") else target
            shown = groups.get("label") or match["text"] or target
            target = _bare(target.removeprefix("file:").partition("::")[0])
            if target:
                shown = " ".join(shown.split())
                outline.links.append(Link(LinkKind.INLINE, Span(*match.span()), target, shown))


def _link_targets(match: re.Match[str], groups: dict[str, str | None]) -> Iterator[Span]:
    """Where a link leads. A name in Org's brackets that stands alone is what is read, and no address."""
    if groups.get("ref"):
        yield Span(*match.span("ref"))
    elif match["text"] or "macro" in groups or ":" in match["target"]:
        yield Span(match.start("macro" if groups.get("macro") else "target"), match.end("target"))


def _bare(target: str) -> str:
    return target.partition("#")[0].strip()


class LatexReader(TextReader):
    """``.tex``."""

    name = "latex"

    def head(self, start: str) -> Head:
        r"""``\title{…}``, else a short first line of a text without commands."""
        at = start.find("\\title{")
        if at >= 0:
            return Head(_words(start[at + 7 : _argument_end(start, at + 7)]) or None)
        return Head(None if start[:1] in ("\\", "%") else first_line_title(start))

    def structure(self, text: str) -> Structure:
        """Sections, items, rows, verbatim code, paragraphs."""
        outline = Outline(with_plain_breaks(text))
        _LatexParser(outline, 0).run()
        for match in _LINK.finditer(outline.text):
            target = (match[1] or match[3] or "").partition("#")[0].strip()
            if target:
                shown = _words(match[2] or "") or target
                outline.links.append(Link(LinkKind.INLINE, Span(*match.span()), target, shown))
        return outline.structure(self.head(text[:HEAD_LENGTH]))


class _LatexParser(LineParser):
    def __init__(self, outline: Outline, start: int) -> None:
        super().__init__(outline, start)
        self._table = False
        self._quote = False

    def line(self, body: str, start: int, end: int) -> None:
        if body[0] == "\\" and self._command(body, start, end):
            return
        if self._table:
            self.row(start, end)
        elif self.out.kind in TEXTUAL:
            self.out.extend(end)
        else:
            self.out.begin(BlockKind.QUOTE if self._quote else BlockKind.PARAGRAPH, start, end)

    def blank(self) -> None:
        """Tables go on behind blank lines."""
        self.out.close()

    def _command(self, body: str, start: int, end: int) -> bool:
        if body.startswith("\\item"):
            self.out.begin(BlockKind.LIST_ITEM, start, end)
            return True
        if body.startswith("\\end{"):
            self.out.close()
            self._table = self._quote = False
            return True
        section = _SECTION.match(body)
        if section is not None:
            first = start + section.end()
            last = _argument_end(self.flat, first)
            level = _LEVELS[section[1]]
            self.out.heading(level, Span(start, last), first, last, _words(self.flat[first:last]))
            self._rest(last + 1)
            return True
        if body.startswith("\\title{"):
            first = start + 7
            last = _argument_end(self.flat, first)
            self.out.heading(1, Span(start, last), first, last, _words(self.flat[first:last]))
            self._rest(last + 1)
            return True
        return self._begin(body, start, end)

    def _rest(self, pos: int) -> None:
        """Go on behind a command's argument: what stands there on its line is a paragraph."""
        end = self.flat.find("\n", pos)
        end = len(self.flat) if end < 0 else end
        rest = self.flat[pos:end].lstrip()
        if rest:
            self.out.begin(BlockKind.PARAGRAPH, end - len(rest), end)
        self.resume = end + 1

    def _begin(self, body: str, start: int, end: int) -> bool:
        match = _BEGIN.match(body)
        if match is None:
            return self._table and body.startswith(_TABLE_LINES)
        name = match[1]
        self.out.close()
        if name.rstrip("*") in _VERBATIM:
            stop = f"\\end{{{name}}}"
            close = self.closing_line(end, lambda line: line.startswith(stop))
            if close is not None:
                self.block(BlockKind.CODE, start, close)
        self._table |= name.rstrip("*") in _TABLES
        self._quote |= name in _QUOTES
        self.header = None
        return True


def _argument_end(text: str, pos: int) -> int:
    """Where the brace closes that opened before ``pos``; the line's end when it does not close soon."""
    depth = 1
    for at in range(pos, min(len(text), pos + _LONGEST_ARGUMENT)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    end = text.find("\n", pos)
    return len(text) if end < 0 else end


def _words(text: str) -> str:
    return " ".join(_COMMAND.sub(" ", _ESCAPED.sub(r"\1", text[:1000])).split())


class HtmlReader(TextReader):
    """Web pages."""

    name = "html"
    masked = True
    inline = _INLINE
    """Elements that run on inside a line of text."""
    hiding: frozenset[str] = frozenset(_CLOSING)
    """Elements that hide what they hold."""

    def head(self, start: str) -> Head:
        """``<title>``, else the first ``<h1>``, and what ``<meta>`` says."""
        front = read_front_matter(start, cut=True)
        if front is not None and front.head.title is not None:
            return merged(front.head, Head(fields=pairs(_fields(start))))
        fields = _fields(start)
        said = head_of(fields)
        match = _TITLE.search(start) or _H1.search(start)
        title = _unescaped_words(match[1]) if match is not None else first_line_title(start) if "<" not in start else ""
        head = Head(title or None, (), said.tags, said.description, said.fields)
        return head if front is None else merged(front.head, head)

    def structure(self, text: str) -> Structure:
        """Blocks of visible text by the block elements around them."""
        outline = Outline(text)
        front = read_front_matter(text)
        start = begin_with(outline, front)
        outline.fields.extend(_fields(text))
        _PageParser(outline, start, self.inline, self.hiding).run()
        head = self.head(text[:HEAD_LENGTH])
        outline.tags.update(dict.fromkeys(head.tags))
        return outline.structure(head, answer=front is not None and front.answer)

    def mask(self, text: str) -> tuple[Span, ...]:
        """Tags, comments, scripts, styles and the head."""
        return tuple(Span(start, end) for start, end in _joined(_tokens(text, 0, self.hiding)))

    def unclosed(self, text: str) -> int | None:
        """The script or style that is never closed."""
        low = text.lower() if self.hiding else ""
        if all(low.rfind(f"<{name}") <= low.rfind(f"</{name}") for name in _HIDING_TO_THE_END):
            return None
        last = 0, 0
        for start, end, *_ in _tokens(text, 0, self.hiding):
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
    inline = hiding = frozenset()


def _fields(text: str) -> tuple[Field, ...]:
    """``<title>`` and ``<meta name= content=>`` of the page's head; of its start when it has no end."""
    end = _HEAD_END.search(text)
    stop = end.start() if end is not None else HEAD_LENGTH
    title = _TITLE.search(text, 0, stop)
    found = [] if title is None else [field("title", _unescaped_words(title[1]), *title.span())]
    for meta in islice(_META.finditer(text, 0, stop), 4 * MOST_FIELDS):
        name, content = _META_NAME.search(meta[1]), _META_CONTENT.search(meta[1])
        if name is not None and content is not None:
            said = _unescaped_words(next(filter(None, name.groups()), ""))
            found.append(field(said, _unescaped_words(next(filter(None, content.groups()), "")), *meta.span()))
    return tuple(sorted(kept(found), key=lambda each: each.span))


def _unescaped_words(text: str) -> str:
    return " ".join(unescape(text[:1000]).split())


def _tokens(text: str, pos: int, hiding: frozenset[str]) -> Iterator[_Token]:
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
            if name in hiding and not closes and text[end - 2] != "/":
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

    def __init__(self, outline: Outline, start: int, inline: frozenset[str], hiding: frozenset[str]) -> None:
        self._out = outline
        self._text = outline.text
        self._inline, self._hiding = inline, hiding
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
        for start, end, name, closes, rest in _tokens(self._text, self._pos, self._hiding):
            self._visible(self._pos, start)
            if start > last:
                if last > first:
                    self._out.hidden.append(Span(first, last))
                first = start
            last = self._pos = end
            if name == "a":
                self._link(start, end, rest, closes=closes)
            if name and name not in self._inline:
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
        if name in _HEADING_TAGS:
            self._level = 0 if closes else _HEADING_TAGS[name]
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
                shown = _unescaped_words(_TAG.sub(" ", self._text[inner : min(start, inner + 1000)]))
                self._out.links.append(Link(LinkKind.INLINE, Span(first, end), target, shown))
            self._anchor = None
            return
        match = _HREF.search(rest[:4000])
        target = next(filter(None, match.groups()), "") if match is not None else ""
        target = unescape(target).partition("#")[0].strip()
        self._anchor = (start, target, end) if target else None
