"""Text of files made harmless for whoever shows it: terminals, Markdown, JSON.

Escape sequences in a note could recolour, retitle or drive the terminal that shows it, and bidirectional
controls could make a quote read as what it is not, so they are taken out of every text and made visible in
every path. What a note says in Markdown must not become a link, an image or HTML of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lens_lsp.model.lazy_regex import regex

UNSAFE = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f"
"""Characters, as the inside of a regular expression's set, that steer what shows them; beside C0."""
SEQUENCE = regex(r"(?:\x1b\[|\x9b)(?:(?:\d{1,3}(?:[;:]\d{0,3}){0,15}|(?:[;:]\d{0,3}){0,15})m|[0-3]?[JK]|\?\d{1,4}[hl])")
"""What programs write for terminals: colours, erasing, modes. Only these are taken out as a whole: behind any other
escape character stands text that somebody wants to read."""
_LINE_END = regex(r"\r\n|\r")
_CONTROL = regex(f"[\x00-\x08\x0e-\x1f{UNSAFE}]")
_PAGE_BREAK = regex("[\x0b\x0c]")
_IN_NAME = regex(f"[\x00-\x1f{UNSAFE}]")
_IN_JSON = regex(f"[{UNSAFE}]")
_SURROGATE = regex("[\ud800-\udfff]")
_SOURCE = r"(?i:(?<=src)|(?<=href)|(?<=placeholder))\s*="
"""Attributes of HTML with an address: editors offer these as links also where the tag begins with a backslash."""
_GUESSED = r"(?<=\S)\.(?=[^\W\d_]{2})|(?<!:)/(?=/)"
"""What makes a renderer that guesses take words for an address: a domain's dot, two slashes."""
_ACTIVE_ANYWHERE = rf"[\\`*_\[\]<>#|~$:@]|!(?=[-\[])|&(?=#?\w+;)|(?<=[wW]{{3}})\.|{_SOURCE}"
_MARKDOWN_ACTIVE, _ACTIVE_IN_LINK = regex(f"{_ACTIVE_ANYWHERE}|{_GUESSED}"), regex(_ACTIVE_ANYWHERE)
_LIVE = rf"!(?=\[)|<(?=[A-Za-z/!?])|(?<=\])[(:]|&(?=#?\w+;)|:(?=//)|(?<=[wW]{{3}})\.|{_SOURCE}"
"""Images, HTML, links and their definitions, entities (which could spell any of these), bare addresses of the web."""
_MARKDOWN_LIVE, _LIVE_OR_CODE = (
    regex(rf"(?<!\\)((?:\\\\)*+)({what})")  # after an odd number of backslashes it is not
    for what in (_LIVE, rf"{_LIVE}|`|~\Z")
)
_GUESSED_OUTSIDE_CODE = regex(
    rf"(?<!\\)((?:\\\\)*+)({_GUESSED}|(?<=[^\w\s])@(?=\S)|(?<=[mM][aA][iI][lL][tT][oO]):(?=\S))"
)
_FENCE = regex(r"(`{3,}|~{3,})[^`~]*")
_HIDDEN_FENCE = regex(r"(?m)^[ \t>*+\-\d.)]+(?:```|~~~)|^(?:```|~~~).*[^`~\n].*[`~]")
"""A fence inside of something else, or one that may be none: then nobody can say by lines what is code."""
_CODE = regex(r"(?<![`\\])(`++)(?:(?!\1(?!`)).)+?(?<!`)\1(?!`)")
# GitHub links a mail address whatever is escaped in it, but not in code.
_ADDRESS = r"(?<=[\w.+\\:-])@(?=[\w+\\@-]*+\.)[\w.+\\@-]+"
_MAIL = regex(rf"(?<![\\`])`([\w.+\\-]++{_ADDRESS})`(?!`)|(?<![\w.+\\@-])@*[\w.+\\-]*+{_ADDRESS}(?<!\.)")


def printable(text: str) -> str:
    r"""A text from a file as it may be shown: lines end in ``\n``, no control character but that and tab."""
    text = _LINE_END.sub("\n", text)
    text = SEQUENCE.sub("", text)
    text = _PAGE_BREAK.sub(" ", text)
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def printable_line(text: str, most: int | None = None) -> str:
    """A text from a file on one line; beyond ``most`` code points it is cut, which an ellipsis shows."""
    line = " ".join(printable(text).split())
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"


def printable_path(path: str) -> str:
    r"""A path on one line: control characters as ``\n`` or ``\x1b``, bytes that are no text as U+FFFD."""
    return _SURROGATE.sub("\ufffd", _IN_NAME.sub(_escaped, path))


def sanitize_json(text: str) -> str:
    """JSON of the same value in which no character can drive a terminal; lone surrogates become U+FFFD.

    A lone surrogate is a byte of a file name that is no text, and strict JSON readers refuse it.
    """
    return _SURROGATE.sub("\ufffd", _IN_JSON.sub(json_escape, text))


def sanitize_markdown(text: str, *, in_link: bool = False) -> str:
    """One line of Markdown that shows the text and does nothing.

    ``in_link`` says that it names a link of ours: in that no renderer guesses addresses.
    """
    active = _ACTIVE_IN_LINK if in_link else _MARKDOWN_ACTIVE
    return _with_mail_as_code(text, lambda part: active.sub(_dead, part), mark=r"\`")


def markdown_without_links(text: str, outside: Callable[[str], str]) -> str:
    """Markdown as it was written, in which nothing is an image, a link or HTML; mail addresses become code.

    ``outside`` is applied to all but these. Beside them there is no other code, so that nothing takes them apart.
    """
    if _MAIL.search(text):
        return _with_mail_as_code(text, lambda part: outside(_unguessed(_LIVE_OR_CODE.sub(_dead, part))))
    return outside(_unguessed_outside_code(_MARKDOWN_LIVE.sub(_dead, text)))


def json_escape(found: re.Match[str]) -> str:
    r"""The characters of a match as ``\u`` escapes of JSON."""
    units = found.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _dead(found: re.Match[str]) -> str:
    """With a backslash before the last character: before a blank it would be shown."""
    mark = found.group()
    return f"{mark[:-1]}\\{mark[-1]}"


def _unguessed(text: str) -> str:
    return _GUESSED_OUTSIDE_CODE.sub(_dead, text)


def _unguessed_outside_code(text: str) -> str:
    """Markdown in which nothing is guessed to be an address. What is surely code stays: no renderer guesses there."""
    if ("`" not in text and "~~~" not in text) or _HIDDEN_FENCE.search(text):
        return _unguessed(text)
    lines: list[str] = []
    fence, open_ = "", False
    for line in text.split("\n"):
        if fence:
            if line.startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif (found := _FENCE.fullmatch(line)) is not None:
            fence, open_ = found[1], False
        else:
            open_ = open_ and bool(line.strip())
            open_ = open_ or "|" in line or "`" in _CODE.sub("", line)
            line = _unguessed(line) if open_ else _around_code(line)
        lines.append(line)
    return "\n".join(lines)


def _around_code(line: str) -> str:
    parts: list[str] = []
    at = 0
    for code in _CODE.finditer(line):
        parts += _unguessed(line[at : code.start()]), code.group()
        at = code.end()
    return "".join([*parts, _unguessed(line[at:])])


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(char) or _code(ord(char))


def _code(point: int) -> str:
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _with_mail_as_code(text: str, change: Callable[[str], str], mark: str = "") -> str:
    """The text with mail addresses as code, and the rest changed; a ``mark`` for backticks around one that are text."""
    parts: list[str] = []
    at = 0
    for found in _MAIL.finditer(text):
        around = mark if found[1] else ""
        parts += change(text[at : found.start()]), f"{around}`{found[1] or found.group()}`{around}"
        at = found.end()
    return "".join([*parts, change(text[at:])])
