"""An answer as people and other programs read it: its text, then the numbered passages that prove it."""

from __future__ import annotations

import re
from collections.abc import Callable

from lens_lsp.cli.render import GrepRenderer, Places, Style, TextRenderer, markdown_link, opened_at
from lens_lsp.cli.terminal import printable
from lens_lsp.model.answer import Answer
from lens_lsp.model.documents import Evidence
from lens_lsp.model.sanitize import markdown_without_links, sanitize_markdown
from lens_lsp.schema.answer import moment

_MARKER = re.compile(r"(?<!\\)\[(\d+)\](?![(:])")


def text_answer(answer: Answer, places: Places, style: Style) -> str:
    """For people: the answer, then every passage under its number."""
    return searched_as(answer, style) + answer_text(answer.text, style) + passages(answer, places, style)


def searched_as(answer: Answer, style: Style) -> str:
    """The question as it was searched, when what it refers to was put in."""
    return "" if answer.typed is None else style.dim(f"searched as: {printable(answer.question)}") + "\n\n"


def reused_note(answer: Answer) -> str:
    """What was known before and still holds, and since when; empty when all was searched now."""
    if not answer.reused:
        return ""
    known = sum(len(one.requirements) for one in answer.reused)
    part = "this answer" if known == len(answer.requirements) else f"{known} of {len(answer.requirements)} facts"
    since = min(one.asked_at for one in answer.reused)
    return f"reused: {part} of {moment(since)[:16].replace('T', ' ')} UTC; its sources were looked up again"


def answer_text(text: str, style: Style) -> str:
    """The words of the answer alone, with an empty line behind; nothing for an empty answer."""
    shown = printable(text).strip("\n")
    marked = _MARKER.sub(lambda found: style.number(found.group()), shown) if style.coloured else shown
    return f"{marked}\n\n" if shown else ""


def passages(answer: Answer, places: Places, style: Style) -> str:
    """The numbered passages, in the order of their numbers, and what of the answer was known before."""
    renderer = TextRenderer(places, style, answer.question)
    note = reused_note(answer)
    shown = "".join(f"{style.number(f'[{item.n}]')} {renderer.evidence(item)}" for item in answer.evidence)
    return shown + (style.dim(note) + "\n" if note else "")


def live_line(item: Evidence, places: Places, style: Style, columns: int) -> str:
    """One line for a passage that was just found, its number not yet known; ``columns`` is the terminal's width."""
    where = opened_at(places, item, Style())
    quote = " ".join(printable(item.quote).split())
    room = columns - len(where) - 5
    if room < 10:
        return style.dim(f"· {where}") + "\n"
    return style.dim(f"· {where}  {quote if len(quote) <= room else quote[: room - 1] + '…'}") + "\n"


def markdown_answer(answer: Answer, places: Places) -> str:
    """For notes: the answer with footnotes, each a link to the line and the quote, ready to be pasted.

    Nothing that a searched file brought into it becomes an image, a link or HTML.
    """
    numbers = {item.n for item in answer.evidence}

    def footnotes(text: str) -> str:
        return _MARKER.sub(lambda found: f"[^{found[1]}]" if int(found[1]) in numbers else found.group(), text)

    marked = markdown_without_links(printable(answer.text), footnotes)
    notes = "".join(_footnote(item, places) for item in answer.evidence)
    note = reused_note(answer)
    shown = [marked.strip("\n") + "\n" if marked.strip() else "", notes, f"*{note}*\n" if note else ""]
    return "\n".join(filter(None, shown))


def _footnote(item: Evidence, places: Places) -> str:
    quote = sanitize_markdown(" ".join(printable(item.quote).split()))
    return f'[^{item.n}]: {markdown_link(item, places)} "{quote}"\n'


def grep_answer(answer: Answer, places: Places, style: Style) -> str:
    """For editors and pipes: one line a passage, ``path:line:column:text``."""
    line: Callable[[Evidence], str] = GrepRenderer(places, style, answer.question).evidence
    return "".join(map(line, answer.evidence))
