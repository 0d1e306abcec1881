"""A story in the languages that writers read."""

from __future__ import annotations

import html
import re

from tests.documents.making.stories import Story

_TEX = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "°": r"$^\circ$",
    "−": "$-$",
    "×": r"$\times$",
    "£": r"\pounds{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "₂": "$_2$",
    "ō": r"\=o",
}


def tex(text: str) -> str:
    """Plain text for TeX; what Latin 1 and the table do not have is left out."""
    plain = re.sub(r'"([^"]*)"', r"“\1”", text).replace('"', "''")
    return "".join(_TEX.get(letter, letter if ord(letter) < 256 else "") for letter in plain)


def roff(text: str) -> str:
    """Plain text for groff's -k, no line of which looks like a request."""
    escaped = text.replace("\\", "\\e")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in escaped.split("\n"))


def typst(text: str) -> str:
    return re.sub(r"([\\#$*_`<>@\[\]~/\"'=+-])", r"\\\1", text)


def web(story: Story, style: str = "", language: str = "en", breaks: str = "h2") -> str:
    """A web page; each part is a section and all but the first begin a printed page, by the element ``breaks``."""
    parts = []
    for part in story.parts:
        paragraphs = "\n".join(f"<p>{html.escape(text)}</p>" for text in part.paragraphs)
        parts.append(f"<section><h2>{html.escape(part.heading)}</h2>\n{paragraphs}</section>")
    begin = f'<{breaks} style="page-break-before: always"'
    first, *others = [part.replace(f"<{breaks}", begin, 1) for part in parts]
    body = "\n".join([first.replace(begin, f"<{breaks}"), *others])
    title = html.escape(story.title)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{style}</style>'
    shown = f"<head>{head}</head><body>\n<h1>{title}</h1>\n{body}\n</body>"
    return f'<!DOCTYPE html>\n<html lang="{language}">{shown}</html>'


def markdown(story: Story, level: int = 2) -> str:
    """For pandoc; the parts are headings of a level."""
    parts = [f"---\ntitle: {story.title}\n...\n"]
    for part in story.parts:
        parts.append(f"{'#' * level} {part.heading}\n")
        parts += [re.sub(r"([\\`*_{}\[\]<>#^~$|@])", r"\\\1", text) + "\n" for text in part.paragraphs]
    return "\n".join(parts)
