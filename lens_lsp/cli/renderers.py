"""Renderers of evidence: a passage as text, grep line or Markdown, with paths, colours, wrapping and marked words.

Every text and path of a file passes `printable` or `printable_path`. Widths are terminal columns: a Chinese, Japanese
or Korean character takes two, a combining mark none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from unicodedata import category, east_asian_width
from urllib.parse import quote as percent_encoded

from lens_lsp.cli.terminal import printable, printable_path
from lens_lsp.corpus.formats import rare_kind
from lens_lsp.corpus.safe_open import display_path, folders_at
from lens_lsp.model.documents import (
    ELLIPSIS,
    Evidence,
    has_own_places,
    link_fragment,
    locator_text,
    passage_parts,
    place_text,
)
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable_line, sanitize_markdown
from lens_lsp.model.text import Position
from lens_lsp.model.words import FOLDED, MAX_SUFFIX, STOP_WORDS, bigrams, fold, runs, stem

_TAIL = regex(r"\b[a-z]+n't\b|(?<=[a-z])'(?:ve|s|re|ll|d|m|t)\b")
"""In folded text, what a contraction ends in; of "don't" and its like the whole is no word to look for."""
_INDENT = "    "
_CONTEXT = "  | "
_GAP = "  " + ELLIPSIS
_LONGEST_WORD = 40
_LONGEST_ADDRESS = 28
_ADDRESS = regex(r"(?:\w{2,12}://|www\.)[^\s)>\]|]+")
_WORD = regex(r"\S+")
_PART = regex(r"[\x00-\u10ff\u1200-\u2fff]+")
"""A stretch without ideographs, kana or Hangul: between these a line may end anywhere."""
_BULLET = regex(r"(?:[-*+>]\s+|#{1,6}\s+|\|\s*|\d{1,3}[.)]\s+)+")
_FIELD = regex(r"[^\W_][\w -]{0,30}:(?:\s|$)")
_UNREAD = regex(r"(?:```|~~~)[\w,+ -]*|[\s|:=~*_+-]*|<!--.*?-->|\[[^\]]+\]:\s*\S+")
"""Lines that say nothing: fences, rules, comments and addresses of links."""
APART = " · "
Range = tuple[int, int]


def untailed(text: str) -> str:
    """A folded text without the tails of contractions: "we've" is about "we"."""
    return _TAIL.sub(" ", fold(text))


class QuestionWords:
    """The words of a question, ready to be found in quotes."""

    def __init__(self, question: str) -> None:
        parts = runs(untailed(question))
        spaced = [run.text for run in parts if run.spaced]
        pairs = [pair for run in parts if not run.spaced for pair in bigrams(run.text)]
        telling = [word for word in spaced if word not in STOP_WORDS]
        if not telling and not pairs:  # a question of nothing but stop words ("to be or not to be") is about them
            telling = spaced
        # Pairs overlap, so they are looked for from every character.
        self._patterns = [
            re.compile(pattern.format("|".join(dict.fromkeys(alternatives))))
            for pattern, alternatives in (
                (r"(?<![^\W_])({})(?![^\W_])", [_ending(word) for word in telling]),
                (r"(?=({}))", [re.escape(pair) for pair in pairs]),
            )
            if alternatives
        ]

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where question words stand: half-open ranges of code points, in order, touching ones joined."""
        folded, source = _folded_with_offsets(text)
        places = sorted(
            (source[match.start(1)], source[match.end(1) - 1] + 1)
            for pattern in self._patterns
            for match in pattern.finditer(folded)
        )
        found: list[tuple[int, int]] = []
        for start, end in places:
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return found


def _ending(word: str) -> str:
    """A pattern for the word with any ending short enough to be one."""
    root = stem(word)
    if root.isdigit():
        return re.escape(root)
    return rf"{re.escape(root)}[^\W\d_]{{0,{max(MAX_SUFFIX, len(word) - len(root))}}}"


def _folded_with_offsets(text: str) -> tuple[str, range | list[int]]:
    """The folded text and, for each of its characters, the index of the character it comes from."""
    if text.isascii():
        return text.lower(), range(len(text))
    pieces = [FOLDED[char] for char in text]
    return "".join(pieces), [index for index, piece in enumerate(pieces) for _ in piece]


@dataclass(frozen=True, slots=True)
class Style:
    """Terminal colours, or none."""

    coloured: bool = False

    def path(self, text: str) -> str:
        """A path."""
        return self._set("35", text)

    def number(self, text: str) -> str:
        """A line or column."""
        return self._set("32", text)

    def dim(self, text: str) -> str:
        """What helps to place the result and is not part of it."""
        return self._set("2", text)

    def bold(self, text: str) -> str:
        """What the reader looks for."""
        return self._set("1", text)

    def underlined(self, text: str) -> str:
        """The answer itself, where the reader looks for it."""
        return self._set("1;4", text)

    def _set(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.coloured and text else text


def roots_of(paths: Sequence[str]) -> tuple[str, ...]:
    """Where the paths of evidence found at ``paths`` start: needed before the first of it is printed."""
    return tuple(map(display_path, folders_at(paths)))


class Places:
    """Where things are, seen from the current folder: relative inside it, absolute elsewhere."""

    def __init__(self, roots: Sequence[str], here: str | None = None) -> None:
        self.roots = tuple(roots)
        self._here = here if here is not None else _current_folder()

    def path(self, root: int, path: str) -> str:
        """The path to open, as the file system spells it."""
        return self.of(os.path.join(self.roots[root], *path.split("/")))

    def shortest(self, root: int, path: str) -> str:
        """The same, seen from the searched folder where there is only one and that is shorter."""
        here = self.path(root, path)
        return path if len(self.roots) == 1 and path and len(path) < len(here) else here

    def of(self, path: str) -> str:
        """An absolute path, relative to the current folder when it lies inside."""
        if not self._here:
            return path
        inside = self._here.rstrip(os.sep) + os.sep
        return path[len(inside) :] if path.startswith(inside) and len(path) > len(inside) else path


def styled(text: str, part: Range, marks: Iterable[tuple[int, int, Callable[[str], str]]]) -> str:
    """A part of a text in which stretches of it, in order, are styled; a mark begins where the one before it ends."""
    at, stop = part
    pieces: list[str] = []
    for start, end, style in marks:
        start, end = max(start, at), min(end, stop)
        if start < end:
            pieces += text[at:start], style(text[start:end])
            at = end
    return "".join([*pieces, text[at:stop]])


class Renderer:
    """Prints evidence in a ``shape``.

    "text", for people: place, heading path, quote with the words of the question in bold; context stands behind a bar,
    an ellipsis where text is left out. "grep", for editors and pipes: one line a passage, ``path:line:column:text``.
    "markdown", for notes and reviews: a numbered list of links, each quote in a fence, which keeps it exact and inert:
    nothing in it becomes a link, an image or HTML; context stands before and behind it in italics.
    """

    def __init__(self, shape: str, places: Places, style: Style = Style(), question: str = "") -> None:
        self.shape = shape
        shapes = {"text": self._text, "grep": self._grep, "markdown": self._markdown}
        self.evidence: Callable[[Evidence], str] = shapes[shape]
        """The text of one piece of evidence, line break included."""
        self._places = places
        self._style = style
        self._words = QuestionWords(question)

    def _text(self, item: Evidence) -> str:
        """The place first, and an empty line last."""
        where = opened_at(self._places, item, self._style)
        locator = "" if has_own_places(item.locator) else locator_text(item.locator)
        kind = rare_kind(item.path)
        parts = (*item.heading, locator, f"({kind})" if kind else "")
        aside = " › ".join(printable_line(part) for part in parts if part)
        lines = [f"{where}  {self._style.dim(aside)}" if aside else where]
        for part in passage_parts(item):
            lines += [self._style.dim(_GAP)] if part.gap else []
            if part.is_quote:
                text = "\n".join(part.lines)
                marks = [(*span, self._style.bold) for span in self._words.spans(text)] if self._style.coloured else []
                marked = styled(text, (0, len(text)), marks).split("\n")
                lines += [_INDENT + line if line.strip() else "" for line in marked]
            else:
                lines += [self._style.dim(_CONTEXT + line) for line in part.lines]
        return "\n".join(lines) + "\n\n"

    def _grep(self, item: Evidence) -> str:
        """The line of the quote with the most words of the question, its white space squeezed."""
        lines = printable(item.quote).split("\n")
        best = max(range(len(lines)), key=lambda index: (len(self._words.spans(lines[index])), bool(lines[index])))
        text = " ".join(lines[best].split())
        first = item.start.column if best == 0 else 1
        start = Position(item.start.line + best, first + len(lines[best]) - len(lines[best].lstrip()))
        return f"{place(self._places, replace(item, start=start), self._style)}:{text}\n"

    def _markdown(self, item: Evidence) -> str:
        """One list item."""
        aside = sanitize_markdown(" › ".join(map(printable_line, item.heading)))
        number, left_out = f"{item.n}. ", f"*{ELLIPSIS}*"
        quote = [fenced(printable(item.quote).strip("\n"))]
        quote = [left_out] * ("start" in item.cut) + quote + [left_out] * ("end" in item.cut)
        blocks: list[str] = []
        for part in passage_parts(item):
            italics = sanitize_markdown(" ".join(" ".join(part.lines).split()))
            blocks += quote if part.is_quote else [f"*{italics}*"]
        lines = [" " * len(number) + line if line else "" for line in "\n\n".join(blocks).split("\n")]
        head = f"{number}{markdown_link(item, self._places)}{f' — {aside}' if aside else ''}"
        return "\n".join([head, "", *lines]) + "\n\n"


def fenced(text: str) -> str:
    """A Markdown code block that shows the text as it is, whatever it holds."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def markdown_link(item: Evidence, places: Places) -> str:
    """A link to the line where a piece of evidence begins; in a PDF to the page."""
    path = places.path(item.root, item.path)
    target = percent_encoded(os.fsencode(path.replace(os.sep, "/")), safe="/")
    shown, line = printable_path(path), item.start.line
    own = has_own_places(item.locator)
    name = sanitize_markdown(place_text(shown, item.locator) if own else shown, in_link=True)
    name = name if own else f"{name}:{line}"
    return f"[{name}]({target}#{link_fragment(item.locator, line)})"


def opened_at(places: Places, item: Evidence, style: Style) -> str:
    """Where a person opens a piece of evidence: ``path p. 12`` in a document that has such places, else as `place`."""
    if not has_own_places(item.locator):
        return place(places, item, style)
    path = printable_path(places.path(item.root, item.path))
    return f"{style.path(path)} {style.number(locator_text(item.locator))}"


def place(places: Places, item: Evidence, style: Style) -> str:
    """``path:line:column`` of where a piece of evidence begins; terminals make it a link."""
    path = printable_path(places.path(item.root, item.path))
    return f"{style.path(path)}:{style.number(str(item.start.line))}:{style.number(str(item.start.column))}"


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted under us: absolute paths still work
        return ""


def columns(text: str) -> int:
    """How many columns a text takes on one line."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    if char < "\u0300":
        return 1
    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def clipped(text: str, room: int, *, at_start: bool = False) -> str:
    """A text in one line of so many columns, an ellipsis where its end, or its start, was cut."""
    if columns(text) <= room:
        return text
    if room < 1:
        return ""
    if at_start:
        return ELLIPSIS + clipped(text[::-1], room)[::-1].removeprefix(ELLIPSIS)
    return text[: _fitting(text, 0, len(text), room - 1)].rstrip() + ELLIPSIS


def _fitting(text: str, start: int, end: int, room: int) -> int:
    """Where the characters end that fit."""
    for at in range(start, end):
        room -= _width(text[at])
        if room < 0:
            return at
    return end


def rows(text: str, width: int) -> int:
    """How many rows of a terminal a text takes that it wraps itself; a line break at the end begins one more."""
    return sum(_rows(line, max(2, width)) for line in text.split("\n"))


def _rows(line: str, width: int) -> int:
    if line.isascii():
        return max(1, -(-len(line) // width))
    count, at = 1, 0
    for char in line:
        size = _width(char)
        if at + size > width:
            count, at = count + 1, 0
        at += size
    return count


def wrapped(text: str, room: int, start: int = 0) -> list[Range]:
    """The lines of a text, each at most so many columns wide, as ranges of it without the blanks at their ends."""
    lines: list[Range] = []
    first, last, used = start, start, 0
    for begin, end in _breakable(text, start):
        while True:
            gap = columns(text[last:begin]) if last > first else 0
            size = columns(text[begin:end])
            if used + gap + size <= room:
                first = first if last > first else begin
                last, used = end, used + gap + size
                break
            if last > first:
                lines.append((first, last))
                first, last, used = begin, begin, 0
                continue
            stop = max(begin + 1, _fitting(text, begin, end, room))
            lines.append((begin, stop))  # longer than a line: broken where it must be
            first, last, used, begin = stop, stop, 0, stop
            if begin >= end:
                break
    return [*lines, (first, last)] if last > first else lines


def _breakable(text: str, start: int) -> list[Range]:
    """What may stand on a line of its own: words, and in scripts without spaces each character."""
    found: list[Range] = []
    for word in _WORD.finditer(text, start):
        if word.group().isascii():
            found.append(word.span())
            continue
        at = word.start()
        for part in _PART.finditer(text, *word.span()):
            found += [(k, k + 1) for k in range(at, part.start())]
            found.append(part.span())
            at = part.end()
        found += [(k, k + 1) for k in range(at, word.end())]
    return found


def flowed(text: str, heading: str = "") -> str:
    """Text of a document as one line: "·" stands between items, rows, fields and paragraphs.

    A first line that only repeats ``heading``, fences, rules and addresses of links are left out.
    """
    parts: list[str] = []
    fresh = True
    for line in printable(text).splitlines():
        bare = " ".join(line.split())
        mark = _BULLET.match(bare)
        said = bare if mark is None else bare[mark.end() :]
        said = said.rstrip("| ") if bare.startswith("|") else said
        if _UNREAD.fullmatch(bare) or (not parts and heading and said.rstrip("# ") == heading):
            fresh = True
            continue
        apart = fresh or mark is not None or _FIELD.match(bare) is not None
        if parts:
            parts.append(APART if apart else "" if _unspaced(parts[-1][-1:], said[:1]) else " ")
        parts.append(said)
        fresh = False
    return "".join(parts)


def _unspaced(before: str, after: str) -> bool:
    """Whether no blank belongs between two characters at which a line ended."""
    return bool(before and after) and _width(before) == _width(after) == 2


def shortened(text: str, kept: Sequence[str] = ()) -> str:
    """A text whose addresses and other very long words are cut, save those that hold one of ``kept``."""

    def cut(most: int, found: re.Match[str]) -> str:
        word = found.group()
        if len(word) <= most or not word.isprintable() or any(part in word or word in part for part in kept):
            return word
        return word[: most - 1] + ELLIPSIS

    def cut_word(found: re.Match[str]) -> str:
        word = found.group()
        whole = columns(word) > len(word) or ELLIPSIS in word
        return word if whole else cut(_LONGEST_WORD, found)

    return _WORD.sub(cut_word, _ADDRESS.sub(lambda found: cut(_LONGEST_ADDRESS, found), text))
