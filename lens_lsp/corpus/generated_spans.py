"""What in a text is our own or asks us, and so is never evidence: answer files, blocks, output, ``??`` lines.

Ask from a note, insert the answer, ask again: nothing we wrote may prove anything. Whatever lens writes is stamped
(`lens_lsp.model.marks`), and a stamp holds when the text was moved, quoted, indented or filled anew, or lies within
what somebody else wrote, which stays evidence. Wherever the marks are broken, more is taken for ours rather than less,
since losing a line costs less than citing ourselves:

* A block runs from the line that begins with ``<!-- lens:begin ID`` to the mark ``<!-- lens:end ID -->``, the first
  one with its ID; a bare ``<!-- lens:end -->`` at the start of a line closes the block opened last. Blocks that nest or
  cross become one.
* A block whose end is missing runs to the end of the text: nothing tells where our words stop, and headings do not,
  for answers have them too. When it was opened inside a fence of code, the fence's end closes it; inside another block,
  that one's end.
* A block inside a fence is a block: a question can be asked from within one, and an example in a manual that is hidden
  costs nobody an answer.
* A mark inside a line opens a block only where its end follows, as when a paragraph was filled anew. Behind a backtick,
  or without that end, it is an example and opens nothing.
* The front matter of an answer file is ours wherever it stands, up to the block that follows it; without one, to the
  end of the text.
* JSON whose ``schema`` is one of ours is ours, the whole object. Where it is cut off, up to the next empty line or the
  end of its fence.
* A line asks when its first characters are exactly two question marks, behind blanks and the marks of lists, tasks and
  quotes. Three or more are something else (``??? note`` opens a box in MkDocs).

Most texts have none of it, and for those it costs a few searches for a substring.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.encoding import blank
from lens_lsp.corpus.formats.front_matter import read_front_matter
from lens_lsp.corpus.formats.text_reader import TextReader
from lens_lsp.corpus.scan import Literal, Matcher, matcher
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span

_MARKS = r"(?>(?:[ \t>]++|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[[ xX]\](?=[ \t]))*)"
_OPENING = regex(_MARKS)
_GAP = r"[ \t]{0,8}(?:(?:\r\n|\r|\n)[ \t>]{0,40})?"
"""What may stand between the parts of a mark: a line may have been broken there."""
_MARK = regex(
    rf"(?:\\?<|&lt;)!--{_GAP}lens:(?P<kind>begin|end)(?![\w-]){_GAP}(?P<id>(?:(?!--)[^\s<>{{]){{0,200}})"
    r"(?:[^<>\r\n]{0,200}--(?:>|&gt;))?"
)
_BREAK = regex(r"[\r\n]")
_FENCE = regex(rf"(?:^|(?<=[\r\n])){_MARKS}(?P<marks>`{{3,}}|~{{3,}})(?P<rest>[^\r\n]*)")
_FENCES = ("---", "+++")
_CLOSING = {fence: regex(rf"[\r\n]{re.escape(fence)}[^\S\r\n]*(?=[\r\n]|\Z)") for fence in _FENCES}
_LONGEST_FRONT = 1 << 16
"""Code points of front matter within which ``lens: answer/…`` is looked for."""
_FIRST_KEY = regex(r"...(?:[^\S\r\n]*(?:\r\n|\r|\n)[ \t]*|[ \t]+)lens[ \t]*[:=][ \t]*[\"']?answer/", re.IGNORECASE)
"""How the front matter of an answer begins: what is longer, by many sources, is known by it alone."""
_ANSWER_KEY = regex(rf"lens[ \t]*[:=]{_GAP}[\"']?answer/\d")
_RULE_ABOVE = regex(r"(?:---|\+\+\+)[ \t]*(?:[ \t]|\r\n|\r|\n)[ \t>]{0,40}\Z")
_RULE = regex(rf"(?:^|(?<=[\r\n])){_MARKS}(?:---|\+\+\+)[ \t]*(?=[\r\n])")
_EMPTY = regex(r"(?:\r\n|\r|\n)[ \t>]*+(?=[\r\n]|\Z)")
_FRONT_ABOVE = 4096
"""Code points above the key ``lens`` within which the front matter of an answer begins."""
_NEAR = 60
"""Code points above it in which the rule above it stands, where no other key is between."""
_SCHEMA = regex(r'"schema"\s*:\s*"lens\.[\w-]{1,40}/\d')
_QUOTED = regex(r"(?m)^[ \t]*(?:>[ \t]*)+")
_MOST_TRIED = 200
"""Braces of a text from which an object of JSON is read in vain."""
_JSON = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class GeneratedSpans:
    """What a text holds that is never evidence."""

    answer: bool = False
    """The text is one of our answer files; somebody may have written more behind it."""
    spans: tuple[Span, ...] = ()
    """What is ours and the asking lines, in order and apart."""
    blocks: tuple[int, ...] = ()
    """Where begins what we wrote, in order."""
    open_blocks: tuple[int, ...] = ()
    """Where blocks begin whose end is missing, in order."""
    asking: tuple[int, ...] = ()
    """Where lines begin that ask, outside of blocks, in order."""
    whole: bool = False
    """Nothing else stands in the text: it is one span."""


_NOTHING = GeneratedSpans()


def find_generated(text: str, *, continued: bool = False, asked: bool = True) -> GeneratedSpans:
    """What in a decoded text is ours.

    ``continued`` says that the text is a later piece of a larger one: then an end whose block was not opened here
    closes one that was opened before, and the text begins with it. ``asked`` says whether lines can ask there: in what
    is extracted from a notebook or a document they cannot.
    """
    marked = "lens:begin" in text or (continued and "lens:end" in text)
    asks = asked and text.count("?") > 1 and "??" in text  # looking for one character first is twice as fast
    named = '"lens.' in text
    headed = "answer/" in text
    if not marked and not asks and not named and not headed and text[:3] not in _FENCES:
        return _NOTHING
    answer = _is_answer(text)
    fences = _Fences(text)
    closed, still_open = _blocks(text, fences, continued=continued) if marked else ([], [])
    if headed or answer:
        closed += _answer_heads(text, fences, answer=answer)
    if named:
        closed += _objects(text, fences)
    spans = joined([*closed, *still_open])
    if spans and not blank(text, spans).strip(" \t\r\n>%"):
        return GeneratedSpans(answer=answer, spans=(Span(0, len(text)),), whole=True)
    asking = asking_lines(text) if asks else []
    if not spans and not asking:
        return _NOTHING
    return GeneratedSpans(
        answer=answer,
        spans=joined([*spans, *asking]),
        blocks=tuple(sorted(block.start for block in closed)),
        open_blocks=tuple(sorted(block.start for block in still_open)),
        asking=tuple(line.start for line in asking if not any(block.contains(line) for block in spans)),
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
    """What stands in every text that holds something of ours: an asking line, a block, an answer's front matter, a
    schema."""
    return matcher([Literal(sign, word_start=False, suffix=None) for sign in (b"??", b"lens:", b"answer/", b'"lens.')])


def unsearchable(reader: TextReader, text: str, *, continued: bool = False) -> tuple[Span, ...]:
    """What the scan must not see of a document's text: the reader's markup and what is ours, in order and apart."""
    found = find_generated(text, continued=continued, asked=not reader.extracted)
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


def _blocks(text: str, fences: _Fences, *, continued: bool) -> tuple[list[Span], list[Span]]:
    """The blocks we inserted, and those whose end is missing, in no order and perhaps overlapping."""
    opened: dict[str, int] = {}
    within: dict[str, int] = {}
    """Marks inside a line, which count when their end follows."""
    found: list[Span] = []
    before = 0
    for mark in _MARK.finditer(text):
        start = _line_start(text, before, mark.start())
        before = mark.end()
        if mark["kind"] == "begin":
            if start is not None:
                opened.setdefault(mark["id"], start)
            elif mark["id"] and text[mark.start() - 1] != "`":
                within.setdefault(mark["id"], mark.start())
            continue
        name = mark["id"]
        if not name and start is not None and opened:
            name = next(reversed(opened))
        begun = [at for at in (opened.pop(name, None), within.pop(name, None)) if at is not None]
        if begun:
            found.append(Span(min(begun), mark.end()))
        elif continued and start is not None and not found and not opened:
            found.append(Span(0, mark.end()))
    closed = joined(found)
    unclosed: list[Span] = []
    for first in opened.values():
        at = bisect_right(closed, first, key=lambda span: span.start) - 1
        if at < 0 or first >= closed[at].end:
            unclosed.append(Span(first, fences.end(first)))
    return found, unclosed


def _answer_heads(text: str, fences: _Fences, *, answer: bool) -> Iterator[Span]:
    """The front matters of answer files, wherever they stand, each up to the block that follows."""
    starts = [0] if answer else []
    for key in _ANSWER_KEY.finditer(text):
        start = _front_start(text, key.start())
        if start is not None:
            starts.append(start)
    if not starts:
        return
    begins = [mark.start() for mark in _MARK.finditer(text) if mark["kind"] == "begin"]
    for start in starts:
        at = bisect_right(begins, start)
        yield Span(start, begins[at] if at < len(begins) else fences.end(start))


def _front_start(text: str, at: int) -> int | None:
    """Where the front matter begins that has the key ``lens`` at a place; None where there is none."""
    lowest = max(0, at - _FRONT_ABOVE)
    right_above = _RULE_ABOVE.search(text, max(0, at - _NEAR), at)
    if right_above is not None:  # perhaps within a line, where a paragraph was filled anew
        start = _line_start(text, lowest, right_above.start())
        return right_above.start() if start is None else start
    line = max(text.rfind("\n", lowest, at), text.rfind("\r", lowest, at)) + 1
    rules = list(_RULE.finditer(text, lowest, at)) if _OPENING.fullmatch(text, line, at) else []
    if not rules or _EMPTY.search(text, rules[-1].end(), at + 1) is not None:
        return None
    return rules[-1].start()


def _objects(text: str, fences: _Fences) -> Iterator[Span]:
    """The objects of JSON that name a schema of ours."""
    plain = _QUOTED.sub(lambda marks: " " * len(marks.group()), text) if ">" in text else text
    last, tries = Span(0, 0), iter(range(_MOST_TRIED))
    for schema in _SCHEMA.finditer(plain):
        at = schema.start()
        if at < last.end:
            continue
        found = _object_around(plain, at, Span(last.end, at), tries)
        if found is None and last:  # it may lie around the one before, whose schema comes first
            found = _object_around(plain, at, Span(0, last.start), tries, every=True)
        if found is None:
            start = plain.rfind("{", last.end, at)
            start = at if start < 0 else start
            empty = _EMPTY.search(plain, schema.end())
            found = Span(start, min(len(plain) if empty is None else empty.start(), fences.end(start)))
        last = found
        yield found


def _object_around(text: str, at: int, among: Span, tries: Iterator[int], *, every: bool = False) -> Span | None:
    """The smallest object of JSON around a place that begins in a stretch. A brace that begins none costs one of
    ``tries``; with ``every``, so does an object that ends before the place."""
    start = among.end
    while (start := text.rfind("{", among.start, start)) >= 0:
        end = 0
        with suppress(ValueError, RecursionError):
            _, end = _JSON.raw_decode(text, start)
        if end > at:
            return Span(start, end)
        if (every or not end) and next(tries, None) is None:
            break
    return None


def _line_start(text: str, before: int, at: int) -> int | None:
    """Where the line of ``at`` starts if only blanks and marks of lists and quotes stand before it.

    ``before`` is a place at or behind the start of that line when something else is known to stand there.
    """
    ahead = text[before:at]
    start = before + max(ahead.rfind("\n"), ahead.rfind("\r")) + 1
    if start == before and before and text[before - 1] not in "\r\n":
        return None
    return start if _OPENING.fullmatch(text, start, at) is not None else None


class _Fences:
    """The blocks of code between fences, found when they are first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[Span] | None = None

    def end(self, at: int) -> int:
        """Where the fence ends that a place stands in; the end of the text where it stands in none."""
        if self._found is None:
            self._found = list(self._find())
        before = bisect_right(self._found, at, key=lambda fence: fence.start) - 1
        return self._found[before].end if before >= 0 and at < self._found[before].end else len(self._text)

    def _find(self) -> Iterator[Span]:
        """From the line that opens a fence to the line that closes it."""
        marks, first = "", 0
        for line in _FENCE.finditer(self._text):
            if not marks:
                marks, first = line["marks"], line.start()
            elif line["marks"].startswith(marks) and not line["rest"].strip():
                yield Span(first, line.start())
                marks = ""
        if marks:
            yield Span(first, len(self._text))


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
