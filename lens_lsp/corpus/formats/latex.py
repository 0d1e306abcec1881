r"""LaTeX: title, sections, environments, items. Comments stay searchable: in a source file they are notes."""

from __future__ import annotations

import re

from lens_lsp.corpus.formats.base import HEAD_LENGTH, TextReader, with_plain_breaks
from lens_lsp.corpus.formats.lines import LineParser
from lens_lsp.corpus.formats.outline import TEXTUAL, Outline
from lens_lsp.corpus.formats.plain import first_line_title
from lens_lsp.model.documents import BlockKind, Head, Link, LinkKind, Structure
from lens_lsp.model.text import Span

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
