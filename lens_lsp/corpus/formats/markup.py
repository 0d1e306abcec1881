"""reStructuredText, AsciiDoc and Org: sections, lists, tables, literal blocks and links.

Light readers for finding and showing passages, not renderers: what they do not know stays a paragraph.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator

from lens_lsp.corpus.encoding import with_plain_breaks
from lens_lsp.corpus.formats.front_matter import Leading, head_of, leading_fields, lines_from, merged, read_opening
from lens_lsp.corpus.formats.markdown import label
from lens_lsp.corpus.formats.text_reader import (
    HEAD_LENGTH,
    TEXTUAL,
    LineParser,
    Outline,
    TextReader,
    add_addresses,
    begin_with,
    first_line_title,
)
from lens_lsp.model.documents import BlockKind, Head, Link, LinkKind, Structure
from lens_lsp.model.text import Span

_MARKS = re.compile(r"``?|(?<!\w)[*_=~/+]+(?=\w)|(?<=\w)[*_=~/+]+(?!\w)")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])(?>\1{2,})$")
_GRID = re.compile(r"\+(?>(?:[-=]++\+)+)$")
_SIMPLE = re.compile(r"=+(?> +=+)+$")
_LONGEST_TABLE = 400
"""Lines in which the end of a simple table is looked for."""
_MOST_UNCLOSED = 16
_TARGET = re.compile(r"\.\. +_(?P<name>[^:]{1,200}): +(?P<target>\S+)")
_DIRECTIVE = re.compile(r"\.\. +(?:\|[^|]{1,100}\| +)?(?P<name>[\w:.+-]{1,60}?):: *(?P<argument>.*)")
_NOTE = re.compile(r"\.\. +\[[^\[\]]{1,100}\](?:\s|$)")
_RST_CODE = frozenset({"code", "code-block", "highlight", "math", "sourcecode", "parsed-literal"})
_RST_UNREAD = frozenset(
    {"class", "contents", "currentmodule", "default-role", "include", "index", "literalinclude", "meta", "module"}
    | {"raw", "rst-class", "sectionauthor", "sectnum", "toctree"}
)
"""Directives that hold nothing to read."""
_RST_PATHS = frozenset({"figure", "image"})
"""Directives whose argument is a path."""
_RST_LINK = re.compile(
    r"(?P<role>:[a-z:+-]{1,20}:)?`(?P<text>[^`<>]*)(?:<(?P<target>[^`<>]*)>)?`(?P<under>__?)?"
    r"|(?<!\w)(?P<name>\w+)_(?!\w)"
)
_RST_ROLES = frozenset({":doc:", ":ref:", ":any:", ":download:", ":file:"})
_FIELD = re.compile(r":([^:\s][^:]{0,100}):(?:\s+(.*))?$")
_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ADOC_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:[ \t]+(.*))?$")
_ADOC_CODE = re.compile(r"(?:-{4,}|\.{4,}|`{3,}|\+{4,}|/{4,})$")
_ADOC_FRAME = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)$")
_ADOC_MACRO = re.compile(r"(?:toc|include|image|video|audio|ifn?def|ifeval|endif)::\S*\[.*\]$")
_ADOC_TERM = re.compile(r"[^\s:](?:[^:]|:(?!:)){0,200}(?:::|;;)(?:\s|$)")
_ADOC_LINK = re.compile(
    r"(?P<macro>link:|xref:|https?:)(?P<target>[^\s\[\]]{1,500})\[(?P<text>[^\[\]]*)\]"
    r"|<<(?P<ref>[^<>,]{1,300})(?:,(?P<label>[^<>]*))?>>"
)
_ORG_HEADING = re.compile(r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(?:\[#\w\][ \t]+)?")
_ORG_TAGS = re.compile(r"(?<=\s):[\w@:]+:$")
_ORG_KEYWORD = re.compile(r"#\+(?!begin_)([\w-]+):(?:[ \t]+(.*))?$", re.IGNORECASE)
_ORG_SAID = re.compile(r"#\+(?:title|subtitle|description|caption|name):", re.IGNORECASE)
_ORG_PROPERTY = re.compile(r":([\w-]+):(?:[ \t]+(.*))?$")
_ORG_BLOCK = re.compile(r"#\+begin_(\w+)", re.IGNORECASE)
_ORG_LINK = re.compile(r"\[\[(?P<target>[^\[\]]+)\](?:\[(?P<text>[^\[\]]*)\])?\]")


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
        if front is None:
            return outline.structure(head)
        return outline.structure(head, answer=front.answer)

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


_LEVELS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_SECTION = re.compile(r"\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?:\[[^\[\]\n]{0,200}\])?\{")
_BEGIN = re.compile(r"\\begin\{([a-zA-Z]+\*?)\}")
_VERBATIM = frozenset({"verbatim", "Verbatim", "lstlisting", "minted", "alltt"})
_TABLES = frozenset({"tabular", "tabularx", "longtable", "array"})
_QUOTES = frozenset({"quote", "quotation", "verse"})
_TABLE_LINES = ("\\hline", "\\toprule", "\\midrule", "\\bottomrule")
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?\s*|[{}~]")
_ESCAPED = re.compile(r"\\([#$%&_{}])")
_LINK = re.compile(r"\\href\{([^{}\n]{1,500})\}\{([^{}]{0,500})\}|\\(?:input|include|subfile)\{([^{}\n]{1,300})\}")
_LONGEST_ARGUMENT = 500


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
