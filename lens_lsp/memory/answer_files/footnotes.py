"""Footnotes: ``[^n]: [path:line](LINK) "quote"``, written so that nothing in them acts, and read back as they look.

A footnote is for the eye; the record beside it is what is checked. So the quote stands there on one line, and reading
says what the two have to agree in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import quote as percent_encoded

from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import link_fragment
from lens_lsp.model.sanitize import printable, printable_path, sanitize_markdown

_NOTE = re.compile(r"(?P<marks>[ \t>]*)\[\^(?P<label>[^\]\s]{1,200})\]:[ \t]*(?P<rest>.*)", re.DOTALL)
_PLACE = re.compile(r"\[(?P<name>(?:\\.|[^\]\\])*)\]\([^\s()]*\)\s+\"(?P<quote>.*)\"\s*", re.DOTALL)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_FURTHER = re.compile(r"[ \t>]*(?: {2}|\t)[ \t]*\S")
_UNSEEN = re.compile(r"[\s\\`]+")


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote as it was read: the line it begins at, from 1, what it names and what it quotes."""

    line: int
    label: str
    name: str
    quote: str


def footnote(label: str, citation: Citation, line: int, link: str) -> str:
    """The line of a citation; ``line`` is where the quote begins in its file, from 1. The link leads to that line, in a
    PDF to the page."""
    name = sanitize_markdown(printable_path(citation.path), in_link=True)
    target = f"{link}#{link_fragment(citation.locator, line)}"
    return f'[^{label}]: [{name}:{line}]({target}) "{sanitize_markdown(_shown(citation.quote))}"'


def link_to(path: str, folder: str | None) -> str:
    """A link to the file at an absolute path: relative to ``folder``, an absolute URI without one."""
    if folder is None:
        return PurePath(path).as_uri()
    return percent_encoded(os.fsencode(os.path.relpath(path, folder).replace(os.sep, "/")), safe="/")


def read_footnotes(lines: Sequence[str], first: int = 1) -> Iterator[Footnote]:
    """The footnotes among some lines, with those over several lines; ``first`` is the number of the first line.

    One that is no place and quote has neither.
    """
    for at, line in enumerate(lines):
        found = _NOTE.fullmatch(line)
        if found is None:
            continue
        rest = found["rest"]
        for further in lines[at + 1 :]:
            if not _FURTHER.match(further) or _NOTE.fullmatch(further):
                break
            rest += "\n" + further.strip(" \t>")
        place = _PLACE.fullmatch(rest.rstrip())
        name, quote = (place["name"], place["quote"]) if place else ("", "")
        yield Footnote(first + at, found["label"], _unescaped(name), " ".join(_unescaped(quote).split()))


def disagreement(note: Footnote, citation: Citation) -> str | None:
    """What a footnote says otherwise than the record it belongs to; None when they agree.

    Blanks, backslashes and backticks do not count: formatters add and remove them.
    """
    if _seen(note.quote) != _seen(_shown(citation.quote)):
        return "the footnote does not quote what was recorded: it was changed"
    if _seen(note.name.rpartition(":")[0]) != _seen(printable_path(citation.path)):
        return "the footnote names another file than was recorded: it was changed"
    return None


def _shown(quote: str) -> str:
    return " ".join(printable(quote).split())


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)


def _seen(text: str) -> str:
    return _UNSEEN.sub("", text)
