"""An answer as people and other programs read it: its text, then the numbered passages that prove it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from urllib.parse import quote as percent_encoded

from lens_lsp.cli.render import GrepRenderer, Places, Style, TextRenderer, inert_markdown
from lens_lsp.cli.terminal import printable, printable_path
from lens_lsp.domain.answer import Answer
from lens_lsp.domain.model import Evidence

_MARKER = re.compile(r"\[(\d+)\](?![(:])")
_LIVE_LINK = re.compile(r"!(?=\[)|<(?=[A-Za-z/!?])|(?<=\])(?=\()")


def text_answer(answer: Answer, places: Places, style: Style) -> str:
    """For people: the answer, then every passage under its number."""
    return answer_text(answer.text, style) + passages(answer, places, style)


def answer_text(text: str, style: Style) -> str:
    """The words of the answer alone, with an empty line behind; nothing for an empty answer."""
    shown = printable(text).strip("\n")
    marked = _MARKER.sub(lambda found: style.number(found.group()), shown) if style.coloured else shown
    return f"{marked}\n\n" if shown else ""


def passages(answer: Answer, places: Places, style: Style) -> str:
    """The numbered passages, in the order of their numbers."""
    renderer = TextRenderer(places, style, answer.question)
    return "".join(f"{style.number(f'[{item.n}]')} {renderer.evidence(item)}" for item in answer.evidence)


def live_line(item: Evidence, places: Places, style: Style, columns: int) -> str:
    """One line for a passage that was just found, its number not yet known; ``columns`` is the terminal's width."""
    place = f"{printable_path(places.path(item.root, item.path))}:{item.start.line}:{item.start.column}"
    quote = " ".join(printable(item.quote).split())
    room = columns - len(place) - 5
    if room < 10:
        return style.dim(f"· {place}") + "\n"
    return style.dim(f"· {place}  {quote if len(quote) <= room else quote[: room - 1] + '…'}") + "\n"


def markdown_answer(answer: Answer, places: Places) -> str:
    """For notes: the answer with footnotes, each a link to the line and the quote, ready to be pasted.

    Nothing that a searched file brought into it becomes an image, a link or HTML.
    """
    numbers = {item.n for item in answer.evidence}
    shown = _LIVE_LINK.sub(lambda found: "\\" + found.group(), printable(answer.text))
    marked = _MARKER.sub(lambda found: f"[^{found[1]}]" if int(found[1]) in numbers else found.group(), shown)
    notes = "".join(_footnote(item, places) for item in answer.evidence)
    return "\n".join(filter(None, [marked.strip("\n") + "\n" if marked.strip() else "", notes]))


def _footnote(item: Evidence, places: Places) -> str:
    path = places.path(item.root, item.path)
    link = percent_encoded(os.fsencode(path.replace(os.sep, "/")), safe="/")
    name = inert_markdown(printable_path(path))
    quote = inert_markdown(" ".join(printable(item.quote).split()))
    return f'[^{item.n}]: [{name}:{item.start.line}]({link}#L{item.start.line}) "{quote}"\n'


def grep_answer(answer: Answer, places: Places, style: Style) -> str:
    """For editors and pipes: one line a passage, ``path:line:column:text``."""
    line: Callable[[Evidence], str] = GrepRenderer(places, style, answer.question).evidence
    return "".join(map(line, answer.evidence))
