"""A reader of reStructuredText by its lines: sections, header fields, items, tables, literal blocks and directives."""

from __future__ import annotations

import re

from benchmarks.passages.outline import Lines, Outline, Title, Unit, code_lines, names_in

_RULE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
"""Sections may be underlined with any punctuation."""
_FIELD = re.compile(r"[A-Z][\w-]*:(?:\s|$)")
_ITEM = re.compile(r"(?:[-*+•]|\(?(?:\d{1,3}|#|[a-zA-Z]|[ivx]+)[.)])\s+")
_NOTE = re.compile(r"\.\.\s+\[[^\]]+\]|\.\.\s+_[^:]+:|__\s|\.\.\s*$|\.\.\s")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?([\w:-]+)::\s*(.*)")
_LITERAL = {"code-block", "code", "sourcecode", "parsed-literal", "literalinclude", "raw", "math", "productionlist"}
_SIMPLE = re.compile(r"\s*=+(?:\s+=+)+\s*$")
_GRID = re.compile(r"\s*\+[-=+]+\+\s*$")


def read_rst(lines: Lines, found: Outline) -> None:
    """Units and headings of a document in reStructuredText."""
    _Reader(lines, found).read()


class _Reader:
    def __init__(self, lines: Lines, found: Outline) -> None:
        self.lines, self.found = lines, found
        self._levels: list[str] = []

    def read(self) -> None:
        at = self._header()
        while at < len(self.lines):
            at = self._block(at)

    def _line(self, at: int) -> str:
        return self.lines.line(at).rstrip() if at < len(self.lines) else ""

    def _indent(self, at: int) -> int:
        line = self._line(at)
        return len(line) - len(line.lstrip())

    def _add(self, units: list[Unit]) -> None:
        self.found.units.extend(units)

    def _header(self) -> int:
        """Header fields as in mail, each with the lines that go on in it."""
        if not _FIELD.match(self._line(0)):
            return 0
        last = 0
        while self._line(last):
            last += 1
        self.found.names.extend(names_in([self._line(at) for at in range(last)]))
        at = 0
        while at < last:
            end = at + 1
            while end < last and self._line(end)[:1].isspace():
                end += 1
            self._add(self.lines.unit("field", at, end, prose=False))
            at = end
        return last

    def _block(self, at: int) -> int:
        """Read the block that begins at a line; where the next one begins."""
        line = self._line(at)
        if not line:
            return at + 1
        for reader in (self._section, self._table, self._explicit):
            end = reader(at)
            if end is not None:
                return end
        if line.lstrip().startswith(">>> "):
            return self._code(at, self._paragraph_end(at))
        return self._paragraph(at)

    def _section(self, at: int) -> int | None:
        line, following = self._line(at), self._line(at + 1)
        over = _RULE.match(line)
        if over and following and _RULE.match(self._line(at + 2)) and self._line(at + 2)[0] == line[0]:
            return self._title(at, at + 3, following.strip(), line[0] * 2)
        if _RULE.match(following) and not line[:1].isspace() and not over and len(following) >= len(line) - 2:
            return self._title(at, at + 2, line.strip(), following[0])
        if over and not following:
            self._add(self.lines.unit("line", at, at + 1, prose=False))
            return at + 1
        return None

    def _title(self, first: int, last: int, text: str, style: str) -> int:
        if style not in self._levels:
            self._levels.append(style)
        for unit in self.lines.unit("heading", first, last, prose=False):
            shown = re.sub(r":[\w-]+:`([^`<]*)(?:<[^`]*>)?`", r"\1", text)
            bare = re.sub(r"`([^`<]*)(?:<[^`]*>)?`_*", r"\1", shown)
            title = Title(unit.start, unit.end, self._levels.index(style) + 1, (text, shown, bare))
            self.found.titles.append(title)
            self._add([unit])
        return last

    def _table(self, at: int) -> int | None:
        line = self._line(at)
        if _SIMPLE.match(line):
            rules = [row for row in range(at, min(at + 400, len(self.lines))) if _SIMPLE.match(self._line(row))]
            closing = [row for row in rules[1:] if not self._line(row + 1)]
            return self._rows(at, closing[0] + 1, grid=False) if closing else None
        if _GRID.match(line):
            end = at
            while re.match(r"\s*[+|]", self._line(end)):
                end += 1
            return self._rows(at, end, grid=True)
        return None

    def _rows(self, first: int, last: int, *, grid: bool) -> int:
        """Each row; one goes on where a simple table's first column is empty, and up to the next rule of a grid."""
        block = self.lines.start(last) - self.lines.start(first)
        margin = self._indent(first)
        width = margin + len(self._line(first).split()[0])
        at = first
        while at < last:
            end = at + 1
            if grid and not _GRID.match(self._line(at)):
                while end < last and not _GRID.match(self._line(end)):
                    end += 1
            elif not grid and not _SIMPLE.match(self._line(at)) and self._line(at):
                while end < last and self._line(end) and self._indent(end) >= width:
                    end += 1
            self._add(self.lines.unit("row", at, end, block=block))
            at = end
        return last

    def _explicit(self, at: int) -> int | None:
        """A directive, footnote, target or comment."""
        line = self._line(at).lstrip()
        if not _NOTE.match(line):
            return None
        directive = _DIRECTIVE.match(line)
        if directive:
            return self._directive(at, directive)
        end = at + 1
        while self._line(end) and self._indent(end) > self._indent(at):
            end += 1
        if line.startswith((".. [", "..  [")):
            for unit in self.lines.unit("item", at, end):
                content = unit.start + line.index("[")
                breaks = tuple(sorted(((unit.start, content), *unit.breaks)))
                self._add([Unit("item", unit.start, unit.end, breaks, unit.block, content)])
        elif line.startswith((".. _", "__")):
            self._add(self.lines.unit("line", at, end, prose=False))
        else:
            for row in range(at, end):
                self._add(self.lines.unit("line", row, row + 1, prose=False))
        return end

    def _directive(self, at: int, directive: re.Match[str]) -> int:
        margin = self._indent(at)
        body = at + 1
        while self._line(body) and self._indent(body) > margin and self._line(body).lstrip().startswith(":"):
            body += 1
        for row in range(at + 1, body):
            self._add(self.lines.unit("line", row, row + 1, prose=False))
        if directive[1].rpartition(":")[2] in _LITERAL:
            self._add(self.lines.unit("line", at, at + 1, prose=False))
            return self._literal(body, margin)
        if directive[2] and self._line(body) and self._indent(body) > margin:
            return self._paragraph(at)
        self._add(self.lines.unit("line", at, at + 1))
        return body

    def _literal(self, at: int, margin: int) -> int:
        """The indented lines from here on, as code."""
        end = last = at
        while end < len(self.lines) and (not self._line(end) or self._indent(end) > margin):
            if self._line(end):
                last = end + 1
            end += 1
        return self._code(at, last) if last > at else max(at, end if end < len(self.lines) else at)

    def _code(self, first: int, last: int) -> int:
        self._add(code_lines(self.lines, first, last))
        return last

    def _paragraph_end(self, at: int) -> int:
        end = at
        while self._line(end):
            end += 1
        return end

    def _paragraph(self, at: int) -> int:
        """A paragraph or an item with all paragraphs that stand under its marker; what indents further is apart."""
        line = self._line(at)
        marker = _ITEM.match(line.lstrip())
        margin = self._indent(at) + (marker.end() if marker else 0)
        kind = "item" if marker else "prose"
        end = self._body(at, margin)
        if marker:
            end = self._further(end, margin)
        self._add(self.lines.unit(kind, at, end))
        last = self._line(end - 1)
        if last.endswith("::") and not _DIRECTIVE.match(last.lstrip()):
            following = end
            while following < len(self.lines) and not self._line(following):
                following += 1
            base = self._indent(end - 1) if not marker or end - at > 1 else margin
            if following < len(self.lines) and self._indent(following) > (self._indent(at) if marker else base):
                return self._literal(following, self._indent(following) - 1)
        return end

    def _body(self, at: int, margin: int) -> int:
        """The end of the lines that go on at the indent of a first one."""
        end = at + 1
        while self._line(end):
            line = self._line(end)
            if self._indent(end) != margin or _starts(line) or _RULE.match(self._line(end + 1)):
                break
            if re.match(r"\s*:[\w -]+:\s", line) and re.match(r"\s*:[\w -]+:\s", self._line(at)):
                break
            end += 1
        return end

    def _further(self, end: int, margin: int) -> int:
        """Further paragraphs of an item, up to the first that is another kind of block."""
        while not self._line(end - 1).endswith("::"):
            following = end
            while following < len(self.lines) and not self._line(following):
                following += 1
            line = self._line(following)
            if following == end or following >= len(self.lines) or self._indent(following) != margin or _starts(line):
                break
            if _SIMPLE.match(line) or _GRID.match(line) or line.lstrip().startswith((">>> ", "..", "|")):
                break
            ahead = self._body(following, margin)
            if self._line(ahead) and self._indent(ahead) > margin:
                break  # a term and its definition
            end = ahead
        return end


def _starts(line: str) -> bool:
    """Whether a line begins an item, an explicit block or a line of verse whatever stands before it."""
    bare = line.lstrip()
    return bool(re.match(r"[-*+•]\s|(?:\d{1,2}|#)\.\s|\.\.\s|\|\s|__\s", bare))
