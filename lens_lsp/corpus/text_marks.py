"""What marks of ours in a text mean: what we wrote or what asks us is never evidence, what is private stays here.

Ours are answer files, blocks, output, ``??`` lines. Ask from a note, insert the answer, ask again: nothing we wrote may
prove anything. Whatever lens writes is stamped (`lens_lsp.model.marks`), and a stamp holds when the text was moved,
quoted, indented or filled anew, or lies within what somebody else wrote, which stays evidence. Wherever the marks are
broken, more is taken for ours rather than less, since losing a line costs less than citing ourselves:

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
* A footnote with an id of ours is ours, wherever a formatter or a person put it, up to the next empty line.
* JSON whose ``schema`` is one of ours is ours, the whole object. Where it is cut off, up to the next empty line or the
  end of its fence.
* A line asks when its first characters are exactly two question marks, behind blanks and the marks of lists, tasks and
  quotes. Three or more are something else (``??? note`` opens a box in MkDocs).

Most texts have none of it, and for those it costs a few searches for a substring.

That a text is private is said at its head, in every format: the lines before the text proper, which are front matter
(closed or not), comments, lines of metadata, a title. What stands in it decides, and nothing further down, so that a
page about ``lens: private`` is not private. Which spellings are the mark is said in `lens_lsp.model.marks`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.encoding import blank
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import TextReader, read_front_matter
from lens_lsp.corpus.scan import Literal, Matcher, matcher
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import Privacy, inside, is_mark, pair_of, plain, privacy, says_private
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
_NOTE_SIGNS = ("[^q", "[fn:q", "[#q", "[[[q")
_FOOTNOTE = regex(
    rf"(?:^|(?<=[\r\n])){_MARKS}(?:\.\.[ \t]+)?\\?(?:\[\^|\[fn:|\[#|\[\[\[)q\d[0-9a-z]{{3,10}}\\?\][:\] \t][^\r\n]*+"
    r"(?:(?:\r\n|\r|\n)[ \t>]*+[^\s>][^\r\n]*+)*+"
)
"""A footnote with an id of ours, up to the next empty line: what it quotes is the word of somebody else."""
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
    noted = any(sign in text for sign in _NOTE_SIGNS)
    if not marked and not asks and not named and not headed and not noted and text[:3] not in _FENCES:
        return _NOTHING
    answer = _is_answer(text)
    fences = _Fences(text)
    closed, still_open = _blocks(text, fences, continued=continued) if marked else ([], [])
    if headed or answer:
        closed += _answer_heads(text, fences, answer=answer)
    if named:
        closed += _objects(text, fences)
    if noted:
        closed += (Span(*found.span()) for found in _FOOTNOTE.finditer(text))
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
    signs = ("??", "lens:", "answer/", '"lens.', *_NOTE_SIGNS)
    return matcher([Literal(sign.encode(), word_start=False, suffix=None) for sign in signs])


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


_MOST_LINES = 200
"""Lines of a head that is not between fences, and not one comment."""
_HEAD = 1 << 16
"""Code points that a head may have, but for front matter that goes on."""
_MOST = 1 << 23
"""Code points of front matter, and of a file of data, that are looked at."""
_LONGEST_LINE = 2000
_LONGEST_TITLE = 120
_BREAKS = regex("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_OPENS = regex(r"(-{3,6}|\+{3,6}|;{3,6}|[—–]{1,3}-?)[ \t]*(?:ya?ml|toml|json)?[ \t]*(?:#.*)?$", re.IGNORECASE)
_CLOSES = regex(r"(-{3,6}|\+{3,6}|;{3,6}|\.{3}|[—–]{1,3}-?)[ \t]*(?:#.*)?$")
_KEY = regex(r"\s*(?:[-?][ \t]+)?[\"']?([^\s:=#\"'\[\]{}][^:=;\"']{0,40}?)[\"']?\s*(?::=|=>|[:=;：＝])(.*)$")
_METADATA = regex(r"\s*(?:[-?\[\]{}#,:\"']|//|\.\.\.)|\s+\S|\s*[^\s:=][^:=;]{0,60}[:=;：＝](?:\s|$|[\"'\[{\w])|\s*$")
"""A line that may stand in front matter."""
_HEADER = regex(r"[^\W\d_][\w -]{0,40}:(?:\s|$)")
_UNDERLINE = regex(r"([=\-~^\"'`#*+.:_])\1{2,}$")
_CODE = ("```", "~~~")
_COMMENT_SIGN = regex(
    r"<!--+|-->|/\*+!?|\*+/|//+[/!]*|\{-#?|\(\*|#\||--\[=*\[|--+|#!?+|%+|;+|\.\.(?=\s|$)|['.]?\\\"|\"\"\"|'''"
    r"|@c(?:omment)?(?=\s)|(?:rem|dnl)(?=\s)|=begin\b|<\?(?:php\b)?|\{/?\*|\{#|\{%|<#|!+|['\"]|\*(?=\s|$)"
    r"|\[[^\]]{1,20}\]:\s*(?:#|<>)?\s*[(\"']?",
    re.IGNORECASE,
)
"""What a comment begins with."""
_ENDS = ("-->", "*/}", "*/", "-}", "*)", "|#", '"""', "'''", "]]", "#}", "%}", "?>", "%%", "#>")
_OPEN = (
    *(("<!--", "-->"), ("/*", "*/"), ("{/*", "*/"), ('"""', '"""'), ("'''", "'''"), ("{-", "-}"), ("(*", "*)")),
    *(("#|", "|#"), ("--[[", "]]"), ("=begin", "=end"), ("{% comment", "endcomment"), ("%%", "%%"), ("<#", "#>")),
)
"""Comments that may go on over lines."""
_DECLARED = regex(r"(?:let|const|var|set|export|static|local|my|our|define|pragma|property:?)\s+", re.IGNORECASE)
_IN_QUOTES = regex(r"[\"'{(\[]([^\"'{}()\[\]]{7,200})[\"')}\]]")
_CALL = regex(r"metadata\(\s*[\"']private[\"']\s*\)\s*<lens>|\\lens\{private\}|\\(?:newcommand|def)\W*lens\W+private\W")
"""The mark in Typst and in LaTeX."""
_BODY = ("\\begin{document}", "\\section", "\\chapter", "\\part", "\\maketitle")
_TAG = regex(r"<(?:!--(.*?)(?:-->|\Z)|\?(.*?)\?>|!\[?[A-Za-z][^<>]*>|(/?)([A-Za-z][\w:.-]*)([^<>]*)>)", re.DOTALL)
_ATTRIBUTE = regex(r"([\w:.-]+)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+)")
_UNREAD = frozenset({"script", "style", "title", "noscript", "template", "desc"})
_OF_HEAD = frozenset({"html", "head", "body", "meta", "link", "base", "metadata", "info", "header", "docinfo"})
_NAMED, _GIVEN = ("name", "property", "itemprop", "http-equiv", "key"), ("content", "value")
_COMMENTS = (
    *("<!--", "#", "//", "%", ";", "..", "--", "/*", "{-", "(*", "@c", '.\\"', "'\\\"", "<?", "!", "rem ", "dnl "),
)


@dataclass(frozen=True, slots=True)
class _Format:
    """What a head of a format is made of."""

    starts: tuple[str, ...]
    """Comments and lines of metadata begin so."""
    title: str = ""
    """Headings begin so."""
    prose: bool = True
    """A title and header lines may stand in the head; else the first line that is no comment ends it."""


_CODE_FORMAT = _Format((*_COMMENTS, "*", '"', "'", "=begin", "<#"), prose=False)
_MARKDOWN = _Format(("<!--", "[//]:", "[comment]:", "[_]:", "%%", "{/*", "{#", "{%", "//", "#lens"), "#")
_FORMATS = {
    "markdown": _MARKDOWN,
    "notebook": _MARKDOWN,
    "html": _Format(("<!--",), prose=False),
    "xml": _Format(("<!--",), prose=False),
    "asciidoc": _Format(("//", ":"), "="),
    "restructuredtext": _Format(("..", ":")),
    "org": _Format(("#", ":"), "*"),
    "latex": _Format(("%", "\\")),
    "plain": _Format(_COMMENTS, "="),
}


def privacy_of_file(name: str, text: str) -> Privacy | None:
    """The same of a text file by its name or path."""
    reader = reader_for(name.rpartition("/")[2])
    return None if reader is None else privacy_of(reader.name, text)


def privacy_of(reader: str, text: str) -> Privacy | None:
    """How a text says that it is private, ``None`` where it does not. ``reader`` names its format."""
    form = _FORMATS.get(reader, _CODE_FORMAT)
    if reader in ("json", "jsonl", "notebook"):
        return _of_json(reader, text[:_MOST]) or _of_lines(text, form)
    if reader in ("yaml", "toml", "ini"):
        return _of_keys(text[:_MOST], reader) or _of_lines(text, form)
    found = _of_lines(text, form)
    return _of_tags(text[:_HEAD]) if found is None and reader in ("html", "xml") else found


def _of_lines(text: str, form: _Format) -> Privacy | None:
    """The mark in the lines of a head."""
    lines = _split(text[:_HEAD])
    if len(text) > _HEAD and any(line[:1] in "-+;—–" and _OPENS.match(line) for line in lines[:_MOST_LINES] if line):
        lines = _split(text[:_MOST])  # front matter may be longer than other heads
    return _Head(lines, form).mark()


def _split(text: str) -> list[str]:
    """The lines of a text, by the breaks of any system."""
    text = text.lstrip("\ufeff\ufffe\u200b\u2060\x00")
    return (_BREAKS.sub("\n", text) if "\r" in text or not text.isascii() else text).split("\n")


class _Head:
    """The lines before the text proper."""

    def __init__(self, lines: Sequence[str], form: _Format) -> None:
        self._lines = lines
        self._form = form
        self._at = 0
        self._comment = ""
        """What ends the comment that is open."""
        self._fences = 0
        self._titled = False
        self._belongs = False
        """Indented lines belong to the line above."""
        self._header = False
        """Every line up to the next blank one is of the header, as below a title in AsciiDoc."""

    def mark(self) -> Privacy | None:
        """The first mark."""
        while self._at < len(self._lines) and (self._at < _MOST_LINES or self._comment):
            line = self._lines[self._at][:_LONGEST_LINE]
            self._at += 1
            goes_on, found = self._read(line, line.strip("\ufeff\u200b \t"))
            if found is not None:
                return found
            if not goes_on:
                return None
        return None

    def _read(self, line: str, body: str) -> tuple[bool, Privacy | None]:
        """Whether the head goes on behind a line, and the mark if there is one."""
        if self._comment:
            if self._comment in body.lower():
                self._comment = ""
            return True, self._marked(body)
        if not body:
            self._header = self._belongs = False
            return True, None
        if self._fences < 2 and body[0] in "-+;—–" and _OPENS.match(body) is not None:
            goes_on, found = self._fenced()
            if found is not None or goes_on:
                return goes_on, found
        if body.startswith(_CODE) or (self._form.starts[0] == "%" and body.startswith(_BODY)):
            return False, None
        if self._header or self._is_comment(line, body):
            return True, self._marked(body)
        if body[0] == "{" and self._form is not _CODE_FORMAT:
            found = _of_object("\n".join(self._lines[self._at - 1 :])[:_HEAD], self._at)
            if found is not None:
                return False, found
        return self._of_prose(body) if self._form.prose else (False, None)

    def _fenced(self) -> tuple[bool, Privacy | None]:
        """What stands behind a fence, up to the one that closes it or to what is no metadata."""
        first, closing = self._at, _closing(self._lines, self._at - 1)
        if closing is None:
            end = first
            while (
                end < len(self._lines) and _METADATA.match(self._lines[end]) and not self._lines[end].startswith(_CODE)
            ):
                end += 1
        else:
            end = closing
        block = self._lines[first:end]
        said = next((line for line in block if line.strip() and line[0] != "#"), "")
        if not said or _METADATA.match(said) is None:
            return False, None
        self._fences += 1
        self._at = end + 1 if closing is not None else end
        return True, _of_block(block, first + 1, exact=closing is not None and first == 1)

    def _is_comment(self, line: str, body: str) -> bool:
        """Whether a line is a comment or metadata by how it begins; one that goes on over lines is noted."""
        if line[:1] in " \t" and (self._belongs or (self._form.prose and line.startswith(("    ", "\t")))):
            return self._belongs
        if not body[:20].lower().startswith(self._form.starts):
            return False
        self._belongs = body.startswith("..")
        for opening, closing in _OPEN:
            if body.lower().startswith(opening) and opening.startswith(self._form.starts):
                self._comment = "" if closing in body[len(opening) :].lower() else closing
                break
        return True

    def _of_prose(self, body: str) -> tuple[bool, Privacy | None]:
        """A line of a text that is no comment: a title, a line of a header, or the first words of the text."""
        below = self._lines[self._at].strip() if self._at < len(self._lines) else ""
        if self._form.title and body[0] == self._form.title:
            first, self._titled = not self._titled, True
            self._header = first and self._form.title == "="
            return first, self._marked(body.lstrip(self._form.title)) if first else None
        if is_mark(body) or _HEADER.match(body) is not None:
            return True, self._marked(body)
        if _UNDERLINE.match(body) is not None:
            return True, None
        alone = not below and body[-1] not in ".:;,?!" and self._form is not _MARKDOWN
        underlined = _UNDERLINE.match(below) is not None
        if not self._titled and len(body) <= _LONGEST_TITLE and (alone or underlined):
            self._titled = True
            self._at += underlined
            return True, None
        return False, None

    def _marked(self, body: str) -> Privacy | None:
        """The mark in one line, behind the signs of a comment or of the format's metadata."""
        said = _uncommented(body)
        if "`" in said:  # what stands in backticks is spoken of
            return None
        if is_mark(said):
            return privacy(body, self._at, exact=_as_documented(said))
        pair = pair_of(said)
        top = self._form.title in ("*", "=") or self._form.starts[-1] == ":"
        if pair is not None and says_private(*pair, top=top and body[0] in "#:", strict=True):
            return privacy(body, self._at, exact=_as_documented(said))
        if any(sign in body for sign in "({["):
            marks = (item for group in _IN_QUOTES.findall(body) for item in group.split(","))
            if inside(body) is not None or any(map(is_mark, marks)) or _CALL.search(plain(body)) is not None:
                return privacy(body, self._at, exact=False)
        return None


def _closing(lines: Sequence[str], opening: int) -> int | None:
    """The line that closes the fence on a line."""
    sign = lines[opening].strip("\ufeff\u200b \t")[0]
    for at in range(opening + 1, len(lines)):
        line = lines[at]
        closes = line[:1] in "-+;.—–" and _CLOSES.match(line) is not None if line else False
        if closes and (line[0] in (sign, *".—–") or sign in "—–"):
            return at
    return None


def _of_block(lines: Sequence[str], number: int, *, exact: bool = False) -> Privacy | None:
    """The mark among the lines of front matter, the first of which has a number."""
    code = strict = False
    table = ""
    for at, line in enumerate(lines):
        body = line.strip()
        code ^= body.startswith(_CODE)
        if code or not body:
            continue
        if body[0] == "[" and body[-1] == "]" and not set("=,:") & set(body):
            table = body.strip("[] \t\"'")
        elif body[0] in "#;" or body.startswith(("//", "<!--", "/*")):
            if is_mark(_uncommented(body)):
                return privacy(body, number + at, exact=False)
        else:
            strict = strict or _METADATA.match(line) is None
            found = _of_entry(lines, at, table, strict=strict)
            if found is not None:
                return privacy(found, number + at, exact=None if exact and line[0] == "l" else False)
    return None


def _of_entry(lines: Sequence[str], at: int, table: str, *, top: bool = True, strict: bool = False) -> str | None:
    """The mark as a line with those that belong to it says it."""
    line = lines[at]
    body = line.strip()
    match = _KEY.match(line)
    if match is None:
        if body.startswith("? ") and at + 1 < len(lines):  # YAML's key on a line of its own
            body = f"{body[1:].strip()}{lines[at + 1].strip()}"
        return body if is_mark(body) or _holds(body) else None
    name, value = match[1], match[2].strip()
    if not value or value[0] in "|>&!#[{(" or value in ('"', "'", '"""', "'''"):
        value = "\n".join([value, *_below(lines, at)])
    if table and says_private(table, "private", top=False):
        name = f"lens.{name}"
    at_edge = line[0] not in " \t" and not table
    if says_private(name, value, top=top and at_edge, strict=strict):
        return body if match[2].strip() else f"{body} {value.strip()}"
    return body if _holds(body) else None


def _holds(body: str) -> bool:
    """Whether the mark stands in an object within a line."""
    return not set("{(").isdisjoint(body) and inside(body) is not None


def _below(lines: Sequence[str], at: int) -> Iterator[str]:
    """The lines that belong to a key: indented ones, items, and a word alone."""
    for number, line in enumerate(lines[at + 1 : at + 40]):
        body = line.strip()
        if not body or body[0] == "#":
            continue
        if line[0] not in " \t" and body[0] not in "-]})" and (number or _KEY.match(line) is not None):
            return
        yield body.removeprefix("- ")


def _of_keys(text: str, reader: str) -> Privacy | None:
    """The mark among the keys at the top level of a file of data, where ``private: true`` alone says something else."""
    if not _may_hold(text):
        return None
    lines = _split(text)
    table = ""
    for at, line in enumerate(lines):
        if not line or line[0] in " \t-#;!":
            continue
        if line[0] == "[" and reader != "yaml":
            table = line.strip().strip("[] \t\"'")
            continue
        match = _KEY.match(line)
        if match is None or (table and not says_private(table, "private", top=False)):
            continue
        if table or says_private(match[1], "private", top=False):
            found = _of_entry(lines, at, table, top=False)
            if found is not None:
                return privacy(found, at + 1)
    return None


def _of_json(reader: str, text: str) -> Privacy | None:
    """The mark among the keys of an object: at its top, in its metadata, and in those of a notebook's cells."""
    if not _may_hold(text):
        return None
    try:
        value = json.loads(text.partition("\n")[0] if reader == "jsonl" else text)
    except (ValueError, RecursionError):
        start = text[:_HEAD].find("{")
        return None if start < 0 else _of_object(text[start : start + _HEAD], 1, top=False)
    if not isinstance(value, dict):
        return None
    cells = value.get("cells") if reader == "notebook" else None
    parts: list[tuple[object, bool]] = [(value, False)]
    parts += [(value.get(name), reader == "notebook") for name in ("metadata", "meta", "_meta", "info")]
    parts += [(cell.get("metadata"), False) for cell in cells or () if isinstance(cell, dict)]
    return next((found for part, top in parts if (found := _of_pairs(part, 0, top=top)) is not None), None)


def _of_object(text: str, number: int, *, top: bool = True) -> Privacy | None:
    """The mark in an object that a text opens with: JSON front matter, or one that is no JSON but looks so."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        close = text.find("\n}")
        body = text[: close if close >= 0 else max(text.find("\n\n"), text.find("}") + 1)]
        said = inside(body)
        if said is not None:
            return privacy(said, number, exact=False)
        lines = [line.strip(", \t{") for line in body.split("\n")]
        return _of_block(lines, number) if top else None
    return _of_pairs(value, number, top=top)


def _of_pairs(value: object, number: int, *, top: bool) -> Privacy | None:
    for name, said in value.items() if isinstance(value, dict) else ():
        words = _words(said)
        if says_private(str(name), words, top=top) or (name in ("//", "$comment", "_comment") and is_mark(words)):
            exact = name == "lens" and said == "private"
            return privacy(f'"{name}": {json.dumps(said, ensure_ascii=False)}', number, exact=exact)
    return None


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_words(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _of_tags(text: str) -> Privacy | None:
    """The mark in the comments, instructions, ``meta`` tags and attributes before the first words of markup."""
    end = 0
    unread = ""
    elements = 0
    for match in _TAG.finditer(text):
        between, end = text[end : match.start()], match.end()
        if unread:
            unread = "" if match[3] and match[4].lower() == unread else unread
            continue
        if between.strip("\ufeff \t\r\n"):
            return None
        number = text.count("\n", 0, match.start()) + 1
        said = match[1] if match[1] is not None else match[2]
        if said is not None:
            if any(is_mark(line) for line in (said, *said.split("\n"))):
                return privacy(said, number, exact=_as_documented(said.strip()))
            continue
        name = (match[4] or "").lower()
        if match[3] or not name:
            continue
        given = {key.lower(): word.strip("\"'") for key, word in _ATTRIBUTE.findall(match[5])}
        pairs = [(key, word) for key, word in given.items() if key not in (*_NAMED, *_GIVEN)]
        pairs += [(given[key], given[one]) for key in _NAMED if key in given for one in _GIVEN if one in given]
        for key, word in pairs:
            if says_private(key, word, top=False):
                exact = (key, word) == ("lens", "private")
                return privacy(match[0], number, exact=exact)
        if name in _UNREAD and not match[5].endswith("/"):
            unread = name
        elif name not in _OF_HEAD:
            elements += 1
            if elements > 3:
                return None
    return None


def _uncommented(body: str) -> str:
    """A line without the signs of comments around it, and without a word that declares."""
    said = body
    for _ in range(3):
        match = _COMMENT_SIGN.match(said)
        if match is None:
            break
        said = said[match.end() :].lstrip()
    for end in _ENDS:
        said = said.removesuffix(end).rstrip()
    return _DECLARED.sub("", said.lstrip("+:@ \t"), 1).strip()


def _as_documented(said: str) -> bool:
    return said.replace("LENS", "lens", 1) in ("lens: private", "lens = private", 'lens = "private"')


def _may_hold(text: str) -> bool:
    """Whether a mark may stand in a text at all: most files of data need no further look."""
    low = text.lower()
    return "lens" in low or "priv" in low
