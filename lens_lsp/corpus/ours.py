"""What in a text is our own or asks us, and so is never evidence: answer files, inserted blocks, ``??`` lines.

Ask from a note, insert the answer, ask again: nothing we wrote may prove anything. Wherever the marks are broken,
more is taken for ours rather than less, since losing a line costs less than citing ourselves:

* A block runs from the line that begins with ``<!-- lens:begin ID`` to the mark ``<!-- lens:end ID -->``, the first
  one with its ID; a bare ``<!-- lens:end -->`` at the start of a line closes the block opened last. Blocks that nest or
  cross become one span.
* A block whose end is missing runs to the end of the text: nothing tells where our words stop, and headings do not,
  for answers have them too. When it was opened inside a fence of code, the fence's end closes it.
* A block inside a fence is a block: a question can be asked from within one, and an example in a manual that is hidden
  costs nobody an answer. A mark inside a line of text or code is an example and opens nothing.
* A line asks when its first characters are exactly two question marks, behind blanks and the marks of lists, tasks and
  quotes. Three or more are something else (``??? note`` opens a box in MkDocs).

Most texts have none of it, and for those it costs three searches for a substring.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.formats.base import Reader
from lens_lsp.corpus.formats.front_matter import read_front_matter
from lens_lsp.corpus.matcher import Matcher, matcher
from lens_lsp.corpus.needles import Literal
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span

_MARKS = r"(?>(?:[ \t>]++|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[[ xX]\](?=[ \t]))*)"
_OPENING = regex(_MARKS)
_MARK = regex(
    r"<!--[ \t]{0,8}lens:(?P<kind>begin|end)(?![\w-])[ \t]{0,8}(?P<id>(?:(?!--)[^\s<>]){0,200})"
    r"(?:[^<>\r\n]{0,200}-->)?"
)
_BREAK = regex(r"[\r\n]")
_FENCE = regex(rf"(?:^|(?<=[\r\n])){_MARKS}(?P<marks>`{{3,}}|~{{3,}})(?P<rest>[^\r\n]*)")
_FENCES = ("---", "+++")
_CLOSING = {fence: regex(rf"[\r\n]{re.escape(fence)}[^\S\r\n]*(?=[\r\n]|\Z)") for fence in _FENCES}
_LONGEST_FRONT = 1 << 16
"""Code points of front matter within which ``lens: answer/…`` is looked for."""
_FIRST_KEY = regex(r"...[^\S\r\n]*(?:\r\n|\r|\n)[ \t]*lens[ \t]*[:=][ \t]*[\"']?answer/", re.IGNORECASE)
"""How the front matter of an answer begins: what is longer, by many sources, is known by it alone."""


@dataclass(frozen=True, slots=True)
class Ours:
    """What a text holds that is never evidence."""

    answer: bool = False
    """The whole text is one of our answer files."""
    spans: tuple[Span, ...] = ()
    """Blocks and asking lines, in order and apart; all of the text if it is an answer file."""
    blocks: tuple[int, ...] = ()
    """Where blocks begin, in order."""
    open_blocks: tuple[int, ...] = ()
    """Where blocks begin whose end is missing, in order."""
    asking: tuple[int, ...] = ()
    """Where lines begin that ask, outside of blocks, in order."""


_NOTHING = Ours()


def ours(text: str, *, continued: bool = False) -> Ours:
    """What in a decoded text is ours.

    ``continued`` says that the text is a later piece of a larger one: then an end whose block was not opened here
    closes one that was opened before, and the text begins with it.
    """
    marked = "lens:begin" in text or (continued and "lens:end" in text)
    asks = text.count("?") > 1 and "??" in text  # looking for one character first is twice as fast
    if not marked and not asks and text[:3] not in _FENCES:
        return _NOTHING
    if _is_answer(text):
        return Ours(answer=True, spans=(Span(0, len(text)),) if text else ())
    closed, still_open = _blocks(text, continued=continued) if marked else ([], [])
    asking = asking_lines(text) if asks else []
    blocks = [*closed, *still_open]
    spans = joined([*blocks, *asking])
    if not spans:
        return _NOTHING
    return Ours(
        spans=spans,
        blocks=tuple(sorted(block.start for block in closed)),
        open_blocks=tuple(sorted(block.start for block in still_open)),
        asking=tuple(line.start for line in asking if not any(block.contains(line) for block in blocks)),
    )


def suspects(raw: bytes, starts: NDArray[np.int64]) -> list[int]:
    """Which of the texts that stand side by side from ``starts`` on may hold something of ours, by their number.

    For texts in UTF-8; some of them hold nothing. The first look at a workspace asks this of every byte, so it is the
    fast matcher that is asked.
    """
    _, places = _signs().find(np.frombuffer(raw, np.uint8))
    return sorted(set((np.searchsorted(starts, places, side="right") - 1).tolist())) if len(places) else []


@lru_cache(maxsize=1)
def _signs() -> Matcher:
    """What stands in every text that holds something of ours: an asking line, a block, an answer's front matter."""
    return matcher([Literal(sign, word_start=False, suffix=None) for sign in (b"??", b"lens:", b"answer/")])


def unsearchable(reader: Reader, text: str, *, continued: bool = False) -> tuple[Span, ...]:
    """What the scan must not see of a document's text: the reader's markup and what is ours, in order and apart."""
    found = _NOTHING if reader.extracted else ours(text, continued=continued)
    mask = reader.mask(text) if reader.masked else ()
    return joined([*mask, *found.spans]) if mask and found.spans else mask or found.spans


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, those that overlap or touch made one, empty ones left out."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        elif len(span):
            found.append(span)
    return tuple(found)


def _is_answer(text: str) -> bool:
    closing = _CLOSING.get(text[:3])
    if closing is None:
        return False
    if _FIRST_KEY.match(text):
        return True
    close = closing.search(text, 3, _LONGEST_FRONT)
    if close is None or "answer/" not in text[: close.start()].lower():
        return False
    front = read_front_matter(text)
    return front is not None and front.answer


def _blocks(text: str, *, continued: bool) -> tuple[list[Span], list[Span]]:
    """The blocks we inserted, and those whose end is missing, in no order and perhaps overlapping."""
    opened: dict[str, int] = {}
    found: list[Span] = []
    unclosed: list[Span] = []
    before = 0
    for mark in _MARK.finditer(text):
        start = _line_start(text, before, mark.start())
        before = mark.end()
        if mark["kind"] == "begin":
            if start is not None:
                opened.setdefault(mark["id"], start)
            continue
        name = mark["id"]
        if not name and start is not None and opened:
            name = next(reversed(opened))
        first = opened.pop(name, None)
        if first is not None:
            found.append(Span(first, mark.end()))
        elif continued and start is not None and not found and not opened:
            found.append(Span(0, mark.end()))
    if opened:
        fences = _fences(text)
        for first in opened.values():
            at = bisect_right(fences, first, key=lambda fence: fence.start) - 1
            inside = at >= 0 and first < fences[at].end
            unclosed.append(Span(first, fences[at].end if inside else len(text)))
    return found, unclosed


def _line_start(text: str, before: int, at: int) -> int | None:
    """Where the line of ``at`` starts if only blanks and marks of lists and quotes stand before it.

    ``before`` is a place at or behind the start of that line when something else is known to stand there.
    """
    ahead = text[before:at]
    start = before + max(ahead.rfind("\n"), ahead.rfind("\r")) + 1
    if start == before and before and text[before - 1] not in "\r\n":
        return None
    return start if _OPENING.fullmatch(text, start, at) is not None else None


def _fences(text: str) -> list[Span]:
    """The blocks of code between fences, from the line that opens one to the line that closes it."""
    found: list[Span] = []
    marks, first = "", 0
    for line in _FENCE.finditer(text):
        if not marks:
            marks, first = line["marks"], line.start()
        elif line["marks"].startswith(marks) and not line["rest"].strip():
            found.append(Span(first, line.start()))
            marks = ""
    return [*found, Span(first, len(text))] if marks else found


def asking_lines(text: str) -> list[Span]:
    """The lines that begin with ``??``, without their ends."""
    found: list[Span] = []
    before = 0
    at = text.find("??")
    while at >= 0:
        end = _BREAK.search(text, at)
        last = len(text) if end is None else end.start()
        if text[at + 2 : at + 3] != "?":
            start = _line_start(text, before, at)
            if start is not None:
                found.append(Span(start, last))
        before = last
        at = text.find("??", last)
    return found
