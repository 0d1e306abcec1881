"""The marks of ours in documents: ``lens: private``, and the comments around text that lens wrote.

What counts as ``lens: private`` fails closed, whatever the format around it: a spelling that looks as if it meant the
mark is the mark. A name is right when it is ``lens`` or one edit away, a value when one of its words is ``private``,
one edit away, or a word for the same; `Privacy.exact` says whether it was written as documented.

The stamp on what lens writes for people to keep are two comments of Markdown between which the text is ours, and never
evidence. Whatever becomes of the text around them (quoted, indented, filled anew, pasted into another note, under
another name), the corpus finds the one and the other.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

WRITE = "lens: private"
"""How the mark is written."""
_LONGEST = 100
"""Code points of what was written, as it is shown."""
_LONGEST_VALUE = 1 << 16
_MARK, _WORD = "lens", "private"
_SAME = frozenset({"priv", "prive", "privé", "privado", "privada", "privato", "privacy", "confidential", "secret"})
_TRUE = frozenset({"true", "yes", "on", "y", "t", "1", "x", "lens"})
_FALSE = frozenset({"false", "no", "off", "n", "f", "0", "never", "none", "null", "public"})
_NOT = frozenset({"not", "no", "non", "never", "un", "isn", "isnt"})
_FILLING = _TRUE | {"true", "str", "bool", "please", "only", "is", "answer"}
_KEYWORDS = frozenset(
    {"tag", "tags", "keyword", "keywords", "filetags", "category", "categories", "label", "labels", "subject", "class"}
    | {"classes", "flags", "pdfkeywords", "pdfsubject", "comments", "description", "contentstatus", "status"}
)
_SENSITIVE = frozenset({"private", "personal", "confidential", "companyconfidential"})
_QUOTES = " \t\"'“”‘’«»*_"
_PAIR = regex(r"([^:=;]{3,40}?)\s*(?:::?=|=>|->|::|[:=;]|\s[-–—]\s)\s*(.*)", re.DOTALL)
_BLANK_PAIR = regex(r"(\S{3,12})\s+(\S.*)")
_WORDS = regex(r"[^\W_]+|[:=,;]")
_COMMENT = regex(r"(?:^|\s)(?:#|//|;;|<!--|/\*|%).*")
_INSIDE = regex(
    r"""["']?([\w./@ -]{3,30})["']?[ \t]*[:=][ \t\n]*(\[[^\[\]]{0,500}\]|\{[^{}]{0,500}\}|\([^()]{0,500}\)"""
    r"""|"[^"]{0,500}"|'[^']{0,500}'|[^,{}\[\]()\n]{1,500})"""
)
_EXACT = regex(r"""["']?lens["']?(?:: | = )(?:["']?private["']?|\["?private"?\]),?""")
_INVISIBLE = regex("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
OUTPUT = "output/1"
"""What a mark says of a text that `lens check` has nothing to do with: it carries no sources of its own."""


@dataclass(frozen=True, slots=True)
class Privacy:
    """How a document says that it is private."""

    written: str
    """What was understood so, on one line and cut."""
    line: int = 0
    """Where in the file, from 1; 0 where there are no lines."""
    exact: bool = False
    """It is written as documented."""

    @property
    def message(self) -> str:
        """What a person should know of a spelling that is not the documented one."""
        return f"understood as private: `{self.written}`; write `{WRITE}` in the front matter, or take it out"


def privacy(written: str, line: int = 0, *, exact: bool | None = None) -> Privacy:
    """The mark as it was written; ``exact`` where the text alone does not say it."""
    shown = " ".join(written.split())[:_LONGEST]
    return Privacy(shown, line, _EXACT.fullmatch(shown) is not None if exact is None else exact)


def plain(text: str) -> str:
    """The text in one case and one width, without what nobody sees."""
    if text.isascii():
        return text.lower()
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()


def says_private(name: str, value: str, *, top: bool = True, strict: bool = False) -> bool:
    """Whether a piece of metadata is the mark.

    ``top``: it stands at the top level of front matter, where ``private: true`` alone means it too. ``strict``: it may
    be a line of prose, so that nothing else may stand in its value.
    """
    name = plain(name).strip(_QUOTES + "?-#+@!:.$")
    name = name.removeprefix("x-").removeprefix("data-")
    value = value[:_LONGEST_VALUE]
    flat = "".join(letter for letter in name if letter.isalnum())
    if _is_lens(flat):
        return _value_is_private(value, strict=strict)
    for start in ("lenslsp", _MARK):
        if flat.startswith(start) and _is_private(flat[len(start) :]):
            return _is_on(value, empty=True)
    if any(flat.endswith(end) and _is_lens(flat[: -len(end)]) for end in ("lsp", "privacy", "visibility", "mode")):
        return _value_is_private(value, strict=strict)
    if top and _is_private(flat) and flat not in _SAME:
        return _is_on(value, empty=False)
    return flat in _KEYWORDS and any(is_mark(item) for item in _items(value))


def is_mark(text: str) -> bool:
    """Whether a line, a keyword or a tag is the mark and nothing else: ``lens: private``, ``#lens/private``."""
    text = _COMMENT.sub("", plain(text)).strip(_QUOTES + ",;.!?#<>{}[]()/\\-@") if text else ""
    if not 7 <= len(text) <= 200 or "`" in text:  # what stands in backticks is spoken of
        return False
    pair = _PAIR.fullmatch(text)
    if pair is not None:
        return says_private(pair[1], pair[2], top=False, strict=True)
    pair = _BLANK_PAIR.fullmatch(text)
    if pair is not None:
        return _is_lens(pair[1].strip(_QUOTES)) and _value_is_private(pair[2], strict=True)
    parts = [part for part in text.replace("_", "/").replace("-", "/").replace(".", "/").split("/") if part]
    return len(parts) == 2 and parts[0] == _MARK and _is_private(parts[1])


def pair_of(line: str) -> tuple[str, str] | None:
    """The name and the value of a line that looks like metadata, ``None`` for another one."""
    match = _PAIR.fullmatch(line if line.isascii() else _INVISIBLE.sub("", unicodedata.normalize("NFKC", line)))
    return None if match is None else (match[1], match[2])


def inside(text: str) -> str | None:
    """The first mark among pairs within one line or object, ``{title: x, lens: private}``, ``\\k{lens: private}``."""
    low = plain(text)
    for match in _INSIDE.finditer(low):
        if says_private(match[1], match[2], top=False):
            return match[0].strip()
    return None


def of_metadata(pairs: Iterable[tuple[str, str]]) -> str | None:
    """The mark among the properties of a document, as it is written there."""
    return next((f"{name}: {value}" for name, value in pairs if says_private(name, value)), None)


def sensitive(value: str) -> bool:
    """Whether the header ``Sensitivity`` of a message says that it is not for others."""
    return "".join(letter for letter in plain(value) if letter.isalpha()) in _SENSITIVE


def _items(value: str) -> Iterator[str]:
    yield value.strip(" \t[](){}:")
    for item in value.replace("\n", ",").replace(";", ",").replace("|", ",").split(","):
        item = item.strip(" \t[](){}-\"'")
        yield item
        if " " in item and ":" not in item:
            yield from item.split()
        elif item.count(":") > 1:
            yield from item.split(":")


def _value_is_private(value: str, *, strict: bool) -> bool:
    """Whether one of the words of a value is ``private`` and is not denied."""
    words = _WORDS.findall(_COMMENT.sub("", plain(value)))
    if strict and len(words) > 6:
        return False
    found = False
    for at, word in enumerate(words):
        if _is_private(word):
            after = [each for each in words[at + 1 : at + 3] if each not in ":="]
            assigned = at + 1 < len(words) and words[at + 1] in ":="
            denied = at > 0 and words[at - 1] in _NOT
            found = found or not (denied or (assigned and after[:1] and after[0] in _FALSE))
        elif strict and word.isalnum() and not word.isdigit() and word not in _FILLING:
            return False
    return found


def _is_on(value: str, *, empty: bool) -> bool:
    """Whether a switch is on; ``empty``: also where nothing is said."""
    words = [word for word in _WORDS.findall(_COMMENT.sub("", plain(value))) if word not in ":=,;"]
    if not words:
        return empty
    return words[0] not in _FALSE and words[0] not in _NOT if empty else words[0] in _TRUE and len(words) < 4


def _is_lens(word: str) -> bool:
    return word == _MARK or (3 <= len(word) <= 5 and _near(word, _MARK))


def _is_private(word: str) -> bool:
    return word == _WORD or word in _SAME or (6 <= len(word) <= 8 and _near(word, _WORD))


def _near(word: str, goal: str) -> bool:
    """Whether one letter more, less, another or two swapped make one word of the other."""
    if word == goal:
        return True
    longer, shorter = (word, goal) if len(word) >= len(goal) else (goal, word)
    if len(longer) - len(shorter) > 1:
        return False
    at = next((n for n, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), len(shorter))
    if len(longer) > len(shorter):
        return longer[at + 1 :] == shorter[at:]
    swapped = longer[at : at + 2] == shorter[at : at + 2][::-1]
    return longer[at + 1 :] == shorter[at + 1 :] or (swapped and longer[at + 2 :] == shorter[at + 2 :])


def stamp_of(*about: str) -> str:
    """The name of a stamp: a digest of what the text is about. Equal questions give equal stamps."""
    text = "\0".join(about).encode("utf-8", "surrogatepass")
    return "w" + hashlib.blake2b(text, digest_size=6).hexdigest()


def opening_mark(name: str) -> str:
    """What stands above a text of ours, on a line of its own with an empty one below."""
    return f'<!-- lens:begin {name} {{"lens":"{OUTPUT}"}} -->'


def closing_mark(name: str) -> str:
    """What stands below it, with an empty line above."""
    return f"<!-- lens:end {name} -->"


def stamped(text: str, name: str, comment: str = "") -> str:
    """A text between the marks of a stamp, each behind a sign of a ``comment``; empty for an empty text."""
    body = text.strip("\n")
    return f"{comment}{opening_mark(name)}\n\n{body}\n\n{comment}{closing_mark(name)}\n" if body else ""
