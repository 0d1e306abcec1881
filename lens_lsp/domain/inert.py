"""Text of files made harmless for whoever shows it: terminals, Markdown, JSON.

Escape sequences in a note could recolour, retitle or drive the terminal that shows it, and bidirectional
controls could make a quote read as what it is not, so they are taken out of every text and made visible in
every path. What a note says in Markdown must not become a link, an image or HTML of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lens_lsp.domain.regexes import regex

UNSAFE = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f"
"""Characters, as the inside of a regular expression's set, that steer what shows them; beside C0."""

_SEQUENCE = regex(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")
_LINE_END = regex(r"\r\n|\r")
_CONTROL = regex(f"[\x00-\x08\x0e-\x1f{UNSAFE}]")
_PAGE_BREAK = regex("[\x0b\x0c]")
_IN_NAME = regex(f"[\x00-\x1f{UNSAFE}]")
_IN_JSON = regex(f"[{UNSAFE}]")
_SURROGATE = regex("[\ud800-\udfff]")
_SOURCE = r"(?i:(?<=src)|(?<=href)|(?<=placeholder))\s*="
"""Attributes of HTML with an address: editors offer these as links also where the tag begins with a backslash."""
_MARKDOWN_ACTIVE = regex(rf"[\\`*_\[\]<>#|~$:@]|!(?=[-\[])|&(?=#?\w+;)|(?<=[wW]{{3}})\.|{_SOURCE}")
_LIVE = rf"!(?=\[)|<(?=[A-Za-z/!?])|(?<=\])[(:]|&(?=#?\w+;)|:(?=//)|(?<=[wW]{{3}})\.|{_SOURCE}"
"""Images, HTML, links and their definitions, entities (which could spell any of these), bare addresses of the web."""
_MARKDOWN_LIVE, _LIVE_OR_CODE = (
    regex(rf"(?<!\\)((?:\\\\)*+)({what})")  # after an odd number of backslashes it is not
    for what in (_LIVE, rf"{_LIVE}|`|~\Z")
)
# GitHub links a mail address whatever is escaped in it, but not in code.
_ADDRESS = r"(?<=[\w.+\\:-])@(?=[\w+\\@-]*+\.)[\w.+\\@-]+"
_MAIL = regex(rf"(?<![\\`])`([\w.+\\-]++{_ADDRESS})`(?!`)|(?<![\w.+\\@-])@*[\w.+\\-]*+{_ADDRESS}(?<!\.)")


def printable(text: str) -> str:
    r"""A text from a file as it may be shown: lines end in ``\n``, no control character but that and tab."""
    text = _LINE_END.sub("\n", text)
    text = _SEQUENCE.sub("", text)
    text = _PAGE_BREAK.sub(" ", text)
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def printable_path(path: str) -> str:
    r"""A path on one line: control characters as ``\n`` or ``\x1b``, bytes that are no text as U+FFFD."""
    return _SURROGATE.sub("\ufffd", _IN_NAME.sub(_escaped, path))


def inert_json(text: str) -> str:
    """JSON of the same value in which no character can drive a terminal; lone surrogates become U+FFFD.

    A lone surrogate is a byte of a file name that is no text, and strict JSON readers refuse it.
    """
    return _SURROGATE.sub("\ufffd", _IN_JSON.sub(json_escape, text))


def inert_markdown(text: str) -> str:
    """One line of Markdown that shows the text and does nothing."""
    return _with_mail_as_code(text, lambda part: _MARKDOWN_ACTIVE.sub(_dead, part))


def markdown_without_links(text: str, outside: Callable[[str], str]) -> str:
    """Markdown as it was written, in which nothing is an image, a link or HTML; mail addresses become code.

    ``outside`` is applied to all but these. Beside them there is no other code, so that nothing takes them apart.
    """
    live = _LIVE_OR_CODE if _MAIL.search(text) else _MARKDOWN_LIVE
    return _with_mail_as_code(text, lambda part: outside(live.sub(_dead, part)))


def json_escape(found: re.Match[str]) -> str:
    r"""The characters of a match as ``\u`` escapes of JSON."""
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _dead(found: re.Match[str]) -> str:
    """With a backslash before the last character: before a blank it would be shown."""
    mark = found.group()
    return f"{mark[:-1]}\\{mark[-1]}"


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(char) or _code(ord(char))


def _code(point: int) -> str:
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _with_mail_as_code(text: str, change: Callable[[str], str]) -> str:
    """The text with mail addresses as code, and the rest changed."""
    parts: list[str] = []
    at = 0
    for found in _MAIL.finditer(text):
        parts += change(text[at : found.start()]), f"`{found[1] or found.group()}`"
        at = found.end()
    return "".join([*parts, change(text[at:])])
