"""Evidence as people and other programs read it. Every text and path passes :mod:`lens_lsp.cli.terminal`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import quote as percent_encoded

from lens_lsp.cli.highlight import QuestionWords
from lens_lsp.cli.terminal import printable, printable_path
from lens_lsp.corpus.formats import rare_kind
from lens_lsp.model.documents import Evidence
from lens_lsp.model.inert import inert_markdown
from lens_lsp.model.passages_shown import ELLIPSIS, passage_shown
from lens_lsp.model.places_shown import has_own_places, link_fragment, shown_locator, shown_place
from lens_lsp.model.text import Position

_INDENT = "    "
_CONTEXT = "  | "
_GAP = "  " + ELLIPSIS


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


class Places:
    """Where things are, seen from the current folder: relative inside it, absolute elsewhere."""

    def __init__(self, roots: Sequence[str], here: str | None = None) -> None:
        self._roots = tuple(roots)
        self._here = here if here is not None else _current_folder()

    def path(self, root: int, path: str) -> str:
        """The path to open, as the file system spells it."""
        return self.of(os.path.join(self._roots[root], *path.split("/")))

    def shortest(self, root: int, path: str) -> str:
        """The same, seen from the searched folder where there is only one and that is shorter."""
        here = self.path(root, path)
        return path if len(self._roots) == 1 and path and len(path) < len(here) else here

    def of(self, path: str) -> str:
        """An absolute path, relative to the current folder when it lies inside."""
        if not self._here:
            return path
        inside = self._here.rstrip(os.sep) + os.sep
        return path[len(inside) :] if path.startswith(inside) and len(path) > len(inside) else path


class Renderer(Protocol):
    """One way to print evidence."""

    def evidence(self, item: Evidence) -> str:
        """The text of one piece of evidence, line break included."""
        ...


class TextRenderer:
    """For people: place, heading path, quote with the words of the question in bold. Context stands behind a bar, an
    ellipsis where text is left out."""

    def __init__(self, places: Places, style: Style, question: str) -> None:
        self._places = places
        self._style = style
        self._words = QuestionWords(question)

    def evidence(self, item: Evidence) -> str:
        """The place first, and an empty line last."""
        where = opened_at(self._places, item, self._style)
        locator = "" if has_own_places(item.locator) else shown_locator(item.locator)
        kind = rare_kind(item.path)
        parts = (*item.heading, locator, f"({kind})" if kind else "")
        aside = " › ".join(" ".join(printable(part).split()) for part in parts if part)
        head = f"{where}  {self._style.dim(aside)}" if aside else where
        lines = []
        for part in passage_shown(item):
            lines += [self._style.dim(_GAP)] if part.gap else []
            if part.is_quote:
                marked = self._marked("\n".join(part.lines)).split("\n")
                lines += [_INDENT + line if line.strip() else "" for line in marked]
            else:
                lines += [self._style.dim(_CONTEXT + line) for line in part.lines]
        return "\n".join([head, *lines]) + "\n\n"

    def _marked(self, text: str) -> str:
        if not self._style.coloured:
            return text
        parts: list[str] = []
        at = 0
        for start, end in self._words.spans(text):
            parts += text[at:start], self._style.bold(text[start:end])
            at = end
        return "".join([*parts, text[at:]])


class GrepRenderer:
    """For editors and pipes: one line a passage, ``path:line:column:text``."""

    def __init__(self, places: Places, style: Style, question: str) -> None:
        self._places = places
        self._style = style
        self._words = QuestionWords(question)

    def evidence(self, item: Evidence) -> str:
        """The line of the quote with the most words of the question, its white space squeezed."""
        lines = printable(item.quote).split("\n")
        best = max(range(len(lines)), key=lambda index: (len(self._words.spans(lines[index])), bool(lines[index])))
        text = " ".join(lines[best].split())
        first = item.start.column if best == 0 else 1
        start = Position(item.start.line + best, first + len(lines[best]) - len(lines[best].lstrip()))
        return f"{place(self._places, replace(item, start=start), self._style)}:{text}\n"


class MarkdownRenderer:
    """For notes and reviews: a numbered list of links, each quote in a fence.

    A fence keeps the quote exact and inert: nothing in it becomes a link, an image or HTML. Context stands before and
    behind it in italics.
    """

    def __init__(self, places: Places) -> None:
        self._places = places

    def evidence(self, item: Evidence) -> str:
        """One list item."""
        heading = " › ".join(" ".join(printable(part).split()) for part in item.heading)
        aside = f" — {inert_markdown(heading)}" if heading else ""
        number = f"{item.n}. "
        quote = fenced(printable(item.quote).strip("\n"))
        if "start" in item.cut:
            quote = f"*{ELLIPSIS}*\n\n{quote}"
        if "end" in item.cut:
            quote = f"{quote}\n\n*{ELLIPSIS}*"
        blocks = [quote if part.is_quote else _in_italics(part.lines) for part in passage_shown(item)]
        indent = " " * len(number)
        lines = [indent + line if line else "" for line in "\n\n".join(blocks).split("\n")]
        return "\n".join([f"{number}{markdown_link(item, self._places)}{aside}", "", *lines]) + "\n\n"


def _in_italics(lines: Sequence[str]) -> str:
    """Lines as one paragraph of Markdown that shows them and does nothing."""
    return f"*{inert_markdown(' '.join(' '.join(lines).split()))}*"


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
    name = inert_markdown(shown_place(shown, item.locator) if own else shown, in_link=True)
    name = name if own else f"{name}:{line}"
    return f"[{name}]({target}#{link_fragment(item.locator, line)})"


def opened_at(places: Places, item: Evidence, style: Style) -> str:
    """Where a person opens a piece of evidence: ``path p. 12`` in a document that has such places, else as `place`."""
    if not has_own_places(item.locator):
        return place(places, item, style)
    path = printable_path(places.path(item.root, item.path))
    return f"{style.path(path)} {style.number(shown_locator(item.locator))}"


def place(places: Places, item: Evidence, style: Style) -> str:
    """``path:line:column`` of where a piece of evidence begins; terminals make it a link."""
    path = printable_path(places.path(item.root, item.path))
    return f"{style.path(path)}:{style.number(str(item.start.line))}:{style.number(str(item.start.column))}"


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted under us: absolute paths still work
        return ""
