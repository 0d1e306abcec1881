"""Where sentences end: a conservative splitter for prose in Markdown, reStructuredText and plain text.

A place is a boundary where terminal punctuation is followed by white space and nothing speaks against it: an
abbreviation, an initial, an enumerator, an ellipsis that goes on in lower case, a quotation that the sentence goes on
after ("What?" he said). A letter alone is no initial where a word follows that begins sentences ("Saturn V. It was").
The mark of a note ("so.[2]") belongs to what stands before it. Decimal numbers, URLs, code and link targets hold no
boundary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER = _words(
    "mr mrs ms mx dr prof st sta mt messrs mme mlle vs cf e.g i.e eg ie viz fig figs eq eqs sec secs ch chap vol vols "
    "pp ed eds trans gen col lt capt cmdr sgt maj sen rep gov rev hon pres supt approx ca resp incl excl esp "
    "a.k.a aka abbr ref refs op cit ibid ff nos b c d n r"
)
"""What ends in a full stop inside a sentence, whatever follows."""
SOMETIMES = _words(
    "etc inc corp ltd co bros jr sr u.s u.k u.n e.u d.c a.m p.m am pm ph.d m.d b.a m.a b.sc m.sc al dept est univ "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "ave blvd min max sp var ver v mins secs hrs yrs dist tel ext misc orig"
)
"""What may end a sentence as well: it does where the next word begins in upper case."""
NUMBERED = _words("no p pg ver v art arts sec ch vol fig eq nr cap l bk")
"""Never before a number."""

_END = re.compile(
    r"(?P<stop>[.!?…]+)(?P<closing>[\"'”’»›)\]}*_~`]*"
    r"(?:\[\^[^\]\s]+\]|\[(?:\d{1,4}|[a-z]{1,2})\]|\[[#\w-]+\]_|\(\[?x+\]?\))*[\"'”’»)\]*_~`]*)"
    r"(?=\s|$)|[。！？；](?P<wide>[”’」』）)*_]*)"
)
_STARTER = re.compile(
    r"\)?\s+(?:The|It|He|She|They|We|You|This|That|These|Those|There|In|On|At|By|As|When|If|For|An?|But|And|However)\b"
    r"(?!\.)"
)
"""A word that begins a sentence and no name: a letter alone before it ("Saturn V. It was") is no initial."""
_WORD = re.compile(r"[\w.'’&-]+$")
_CODE = re.compile(r"(?<![\w`])(`+)(?![`\s])((?:(?!\n\s*\n).)+?)(?<![\s`])\1(?![`A-Za-z0-9])", re.DOTALL)
_TARGET = re.compile(r"(?<=\]\()(?:[^()\s]|\([^()\s]*\))+(?:\s+(?:\"[^\"]*\"|'[^']*'))?(?=\))")
_WIKI = re.compile(r"\[\[[^\[\]\n]+\]\]")
_URL = re.compile(r"<?\b(?:https?|ftp|mailto|file)://?[^\s<>\"]+>?|\bwww\.[^\s<>\")]+")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>|\{%.*?%\}|\{\{.*?\}\}|<!--.*?-->", re.DOTALL)
_QUOTES = "\"'”’»"


def mask(text: str) -> str:
    """A text of the same length in which code, targets and URLs have no punctuation and tags are markup."""

    def crossed(found: re.Match[str]) -> str:
        whole = found.group()
        tail = len(whole) - len(whole.rstrip(".,;:!?)")) if "://" in whole or whole.startswith("www") else 0
        body = whole[: len(whole) - tail]
        return re.sub(r"[^\s]", "x", body) + whole[len(whole) - tail :]

    def marked(found: re.Match[str]) -> str:
        return re.sub(r"[^\s]", "*", found.group())

    text = _CODE.sub(lambda found: re.sub(r"[^\s`]", "x", found.group()), text)
    text = _TARGET.sub(lambda found: re.sub(r"[^\s]", "x", found.group()), text)
    text = _WIKI.sub(lambda found: re.sub(r"[^\s\[\]]", "x", found.group()), text)
    text = _URL.sub(crossed, text)
    return _TAG.sub(marked, text)


def breaks(masked: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The boundaries between sentences inside ``[start, end)``: where one ends and where the next begins.

    ``masked`` is what `mask` made of the text; the prefixes of quoted lines should be blank in it.
    """
    for found in _END.finditer(masked, start, end):
        following = re.compile(r"\s*").match(masked, found.end(), end)
        assert following is not None
        begin = following.end()
        if begin >= end:
            return
        if found["stop"] is None or _ends(masked, start, found, begin):
            yield found.end(), begin


def _ends(masked: str, start: int, found: re.Match[str], begin: int) -> bool:
    """Whether the sentence ends at this punctuation."""
    stop, closing = found["stop"], found["closing"]
    first = _first(masked, begin)
    if first.islower() and (stop == "." or masked[begin] != "("):
        if stop != "." or any(mark in _QUOTES for mark in closing):
            return False
    elif set(stop) <= {".", "…"} and len(stop) > 1 and first in ",;:)":
        return False
    if stop != ".":
        return True
    word = _WORD.search(masked, start, found.start())
    before = "" if word is None else word.group().strip("'’").lower().lstrip("-&")
    return not _goes_on(masked, start, found.start(), before, first)


def _goes_on(masked: str, start: int, stop: int, before: str, first: str) -> bool:
    """Whether a full stop after the word ``before`` is not the end of the sentence."""
    if not before:
        return False
    if len(before) == 1 and _STARTER.match(masked, stop + 1):
        return False
    if before in NEVER:
        return True
    if before in SOMETIMES:
        return not (first.isupper() and before != "v")
    if before in NUMBERED and first.isdigit():
        return True
    if re.fullmatch(r"(?:[a-z]\.?)", before) and masked[stop - 1].isupper() and before != "i":
        return True  # an initial
    if re.fullmatch(r"(?:[a-z]\.)+[a-z]", before):
        return not first.isupper()
    if re.fullmatch(r"\(?(?:\d{1,3}|[ivx]+)\)?", before) and not masked[start : stop - len(before)].strip("*_>-+ \t\n"):
        return True  # an enumerator
    return first.islower() and len(before) < 3


def _first(masked: str, begin: int) -> str:
    """The first character of the next sentence that is no mark of emphasis and no opening quote; "`" for code."""
    if masked[begin] == "`":
        return "`"
    found = re.compile(r"[\"'“‘«(\[*_~`]*(.)", re.DOTALL).match(masked, begin)
    return " " if found is None else found.group(1)


_FUNCTION = re.compile(r"(?:[,(&]|\b(?:the|a|an|of|and|or|to|in|for|with|on|at|by|from|is|are|that|as|be|was|not))$")


def entries(text: str, start: int, end: int) -> bool:
    """Whether the lines of a paragraph are entries of their own (minutes, verse, addresses) and not wrapped prose.

    So where at most of its line ends that are not ends of sentences the next word would have fitted well on the line,
    the next line does not begin in lower case and the line does not end in a word that something must follow.
    """
    lines = [line.strip() for line in re.split(r"\r\n|\n|\r", text[start:end])]
    lines = [line for line in lines if line]
    if len(lines) > 1 and max(map(len, lines)) > 200:
        return True
    if len(lines) < 3:
        return False
    width = max(map(len, lines))
    open_ends = new = 0
    for line, following in pairwise(lines):
        if line[-1] in ".!?:":
            continue
        open_ends += 1
        room = width - len(line) - len(following.split()[0])
        if (room >= 12 or width < 45) and not following[0].islower() and not _FUNCTION.search(line):
            new += 1
    return open_ends >= 2 and new >= 0.6 * open_ends
