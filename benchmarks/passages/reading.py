"""Readers of Markdown, reStructuredText and plain text that know only what the checker needs of them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmarks.passages.outline import Lines, Outline, Title, Unit, code_lines, names_in

MARKDOWN = {".md", ".mdx", ".markdown"}
LINE_FORMATS = {".yml", ".yaml", ".json", ".toml", ".csv", ".ini", ".cfg"}
_FOOTNOTE = re.compile(r"\[\^[^\]]+\]:")
_WEAK = re.compile(r"<h[1-6][^>]*>(.*?)</h[1-6]>", re.IGNORECASE | re.DOTALL)
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def outline(path: str, text: str) -> Outline:
    """What the file ``path`` with this text looks like."""
    suffix = PurePosixPath(path).suffix.lower()
    lines = Lines(text)
    found = Outline(text, names=[PurePosixPath(path).stem, PurePosixPath(path).name])
    if suffix in MARKDOWN:
        _Markdown(lines, found, suffix == ".mdx").read()
    elif suffix == ".rst":
        from benchmarks.passages.reading_rst import read_rst

        read_rst(lines, found)
    elif suffix in (".yml", ".yaml"):
        _read_yaml(lines, found)
    elif suffix in LINE_FORMATS:
        found.units.extend(code_lines(lines, 0, len(lines)))
    else:
        read_text(lines, found)
    return found.close()


_ENTRY = re.compile(r"\s*(?:- |-$|#|[\"']?[\w.$-]+[\"']?\s*:(?:\s|$))")


def _read_yaml(lines: Lines, found: Outline) -> None:
    """Entries by lines; the text that goes on below a key is prose, and so is what stands behind a key."""
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines.line(end)[:1].isspace() and not _ENTRY.match(lines.line(end)):
            end += 1
        for unit in lines.unit("code", at, end):
            dash = re.compile(r"(?:- )+").match(lines.text, unit.start)
            first = () if dash is None else ((dash.end(), dash.end()),)
            found.units.append(Unit("code", unit.start, unit.end, (*first, *unit.breaks), len(lines.text)))
        at = end


class _Markdown:
    def __init__(self, lines: Lines, found: Outline, mdx: bool) -> None:
        self.lines, self.found, self.mdx = lines, found, mdx

    def read(self) -> None:
        first = self._front_matter()
        source = self.lines.text[self.lines.start(first) :]
        self._covered: set[int] = set(range(first))
        tokens = _PARSER.parse(self._without_open_fence(source))
        for token in tokens:
            if token.map:
                token.map = [token.map[0] + first, token.map[1] + first]
        self._blank_prefixes(tokens)
        self._walk(tokens)
        for at in range(first, len(self.lines)):
            if at not in self._covered:
                self.found.units.extend(self.lines.unit("line", at, at + 1, prose=False))

    def _without_open_fence(self, source: str) -> str:
        """The text without the mark of a last block of code that is never closed: what follows is meant as text."""
        tokens = [token for token in _PARSER.parse(source) if token.type == "fence" and token.map]
        rows = re.split(r"\r\n|\n|\r", source)
        if tokens and tokens[-1].map and tokens[-1].map[1] >= len(rows) - 1:
            first, last = tokens[-1].map
            closed = any(row.strip().startswith(tokens[-1].markup) for row in rows[max(first + 1, last - 3) : last])
            if not closed and last - first > 40:
                rows[first] = rows[first].replace(tokens[-1].markup, " " * len(tokens[-1].markup))
                return "\n".join(rows)
        return source

    def _front_matter(self) -> int:
        lines = self.lines
        fence = lines.line(0).rstrip()
        if fence not in ("---", "+++"):
            return 0
        last = next((at for at in range(1, len(lines)) if lines.line(at).rstrip() in (fence, "...")), None)
        if last is None:
            return 0
        for at in range(last + 1):
            self.found.units.extend(lines.unit("field", at, at + 1, prose=False))
        self.found.names.extend(names_in([lines.line(at) for at in range(1, last)]))
        return last + 1

    def _blank_prefixes(self, tokens: list[Token]) -> None:
        quoted = {at for token in tokens if token.type == "blockquote_open" and token.map for at in range(*token.map)}
        for at in sorted(quoted):
            match = re.match(r"[\s>]*", self.lines.line(at))
            if match and ">" in match.group():
                self.lines.blank(self.lines.start(at), self.lines.start(at) + match.end())
            elif match := re.match(r"\s*(?:[-*+]|\d+[.)])\s+>[\s>]*", self.lines.line(at)):
                begin = self.lines.line(at).index(">")
                self.lines.blank(self.lines.start(at) + begin, self.lines.start(at) + match.end())

    def _walk(self, tokens: list[Token]) -> None:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type == "list_item_open":
                self._item(tokens, at)
            elif token.type == "heading_open":
                self._heading(token, tokens[at + 1])
            elif token.type == "paragraph_open" and token.map and not self._has(token.map):
                self._paragraph(*token.map)
            elif token.type in ("fence", "code_block") and token.map:
                prose = token.info.strip().lower() in ("txt", "text")
                self.found.units.extend(code_lines(self.lines, *token.map, prose=prose))
                self._cover(token.map)
            elif token.type == "html_block" and token.map:
                self._html(token)
            elif token.type == "tr_open" and token.map:
                self._row(token.map)
            elif token.type == "table_open" and token.map:
                self._table = self.lines.start(token.map[1]) - self.lines.start(token.map[0])
                self._row([token.map[0] + 1, token.map[0] + 2])
            at += 1

    def _has(self, rows: list[int]) -> bool:
        return all(at in self._covered for at in range(*rows))

    def _cover(self, rows: list[int]) -> None:
        self._covered.update(range(*rows))

    def _row(self, rows: list[int]) -> None:
        self.found.units.extend(self.lines.unit("row", *rows, block=self._table))
        self._cover(rows)

    def _html(self, token: Token) -> None:
        assert token.map is not None
        block = self.lines.start(token.map[1]) - self.lines.start(token.map[0])
        for at in range(*token.map):
            self.found.units.extend(self.lines.unit("line", at, at + 1, block=block))
        self._cover(token.map)
        start = self.lines.start(token.map[0])
        text = self.lines.text[start : self.lines.start(token.map[1])]
        for match in _WEAK.finditer(text):
            words = re.sub(r"<[^>]*>", "", match.group(1))
            self.found.titles.append(Title(start + match.start(), start + match.end(), 0, (words,), weak=True))

    def _heading(self, token: Token, inline: Token) -> None:
        assert token.map is not None
        for unit in self.lines.unit("heading", *token.map, prose=False):
            self.found.titles.append(Title(unit.start, unit.end, int(token.tag[1]), _renderings(inline)))
            match = re.compile(r"#+\s*").match(self.lines.text, unit.start)
            content = unit.start if match is None else match.end()
            if content < unit.end:
                breaks = ((unit.start, content),)
                self.found.units.append(type(unit)("heading", unit.start, unit.end, breaks, len(unit), content))
        self._cover(token.map)

    def _item(self, tokens: list[Token], at: int) -> None:
        """An item up to its first child that is no paragraph; what follows are units of their own."""
        token = tokens[at]
        assert token.map is not None
        last = token.map[0]
        for child in tokens[at + 1 :]:
            if child.level <= token.level + 1 and child.type not in ("paragraph_open", "paragraph_close", "inline"):
                break
            if child.type == "paragraph_open" and child.map and child.level == token.level + 1:
                last = child.map[1]
        if last == token.map[0]:
            first = self.lines.line(last).strip()
            if re.fullmatch(r"[-*+]|\d+[.)]", first):
                self.found.units.extend(self.lines.unit("item", last, last + 1, prose=False))
                self._cover([last, last + 1])
            return
        self.found.units.extend(self.lines.unit("item", token.map[0], last))
        self._cover([token.map[0], last])

    def _paragraph(self, first: int, last: int) -> None:
        starts = [first]
        starts += [at for at in range(first + 1, last) if _FOOTNOTE.match(self.lines.line(at).lstrip())]
        for begin, end in zip(starts, [*starts[1:], last], strict=True):
            text = self.lines.line(begin).lstrip()
            code = self.mdx and re.match(r"(?:import|export)\s", text)
            kind = "item" if _FOOTNOTE.match(text) else "prose"
            if code:
                self.found.units.extend(code_lines(self.lines, begin, end))
            else:
                self.found.units.extend(self.lines.unit(kind, begin, end))
        self._cover([first, last])


def _renderings(inline: Token) -> tuple[str, ...]:
    """A heading's text as shown and as written, with the ways to show what Markdown does not know."""
    kinds = ("text", "code_inline", "image")
    shown = "".join(child.content for child in inline.children or () if child.type in kinds)
    spaced = re.sub(r"\{[#.:%][^}]*\}", "", shown)
    aliased = re.sub(r"\[\[(?:[^\]|]*\|)?([^\]]*)\]\]", r"\1", spaced)
    return (shown, inline.content, spaced, aliased, re.sub(r"\[\[([^\]|]*)\|?[^\]]*\]\]", r"\1", spaced))


_BULLET = re.compile(r"\s*(?:[-*+•o–]|\(?\d{1,3}[.)]|\[\d+\])\s+\S")
_CHAPTER = re.compile(
    r"(?:CHAPTER|BOOK|PART|SECTION|LETTER|VOLUME|Chapter|Book|Part|Section)\s+(?:[IVXLC]+|\d+|[A-Z]+)\b"
)


def read_text(lines: Lines, found: Outline) -> None:
    """Paragraphs between blank lines; a line of its own in capitals or that says "CHAPTER II" is a heading."""
    first_line = next((lines.line(at).strip() for at in range(len(lines)) if lines.line(at).strip()), "")
    found.names.append(first_line)
    found.loose = True
    at = 0
    while at < len(lines):
        if not lines.line(at).strip():
            at += 1
            continue
        end = at
        while end < len(lines) and lines.line(end).strip():
            end += 1
        _text_block(lines, found, at, end)
        at = end


def _begins_item(lines: Lines, first: int, at: int) -> bool:
    """Whether a line below others of a block begins an item.

    A number does that only where the line above is at an end, or where a line above has the number before it: none
    closes a bracket ("(O", "4) was") or ends a formula ("the formula O", "2. Two atoms").
    """
    line = lines.line(at)
    number = re.match(r"\s*\(?(\d{1,3})[.)]", line)
    if not _BULLET.match(line) or number is None or lines.line(at - 1).rstrip()[-1:] in ".!?:;,":
        return bool(_BULLET.match(line))
    previous = re.compile(rf"\s*\(?{int(number.group(1)) - 1}[.)]\s")
    return any(previous.match(lines.line(above)) for above in range(first, at))


def _text_block(lines: Lines, found: Outline, first: int, last: int) -> None:
    starts = [first, *(at for at in range(first + 1, last) if _begins_item(lines, first, at))]
    rule = [at for at in range(first, last) if re.fullmatch(r"\W{3,}", lines.line(at).strip())]
    starts = sorted({*starts, *rule, *(at + 1 for at in rule if at + 1 < last)})
    for begin, end in zip(starts, [*starts[1:], last], strict=True):
        kind = "item" if _BULLET.match(lines.line(begin)) else "prose"
        found.units.extend(lines.unit(kind, begin, end))
    line = lines.line(first).strip()
    if last - first > 2 or len(line) > 80 or line.startswith("["):
        return
    strong = bool(_CHAPTER.match(line)) or (
        last - first == 1 and line.isupper() and len(line) > 3 and first > 2 and not lines.line(first - 2).strip()
    )
    if strong or (last - first == 1 and line[-1:] not in ".,;:" and line[:1].isupper()):
        whole = " ".join(lines.line(at).strip() for at in range(first, last))
        start = lines.start(first)
        found.titles.append(Title(start, lines.start(last), 1, (line, whole), weak=not strong))
