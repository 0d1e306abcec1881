"""Answer files and blocks read back: which citations a Markdown text holds, on which lines, and what is wrong with it.

The text may have been edited by anyone: whatever does not fit is told with its line, and nothing raises. What a block
or an answer file is, `lens_lsp.corpus` decides for the search, and the two agree: all that is read here is text that is
never evidence. An example of a block in a fence of code is left alone unless it is a real one. A footnote is for the
eye; the record beside it is what is checked, and reading says what the two have to agree in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lens_lsp.memory.citations import JOINED, LONGEST_CONTEXT, SHORTEST_CONTEXT
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import Locator, TextSource
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import OUTPUT
from lens_lsp.model.sanitize import printable, printable_path
from lens_lsp.model.text import Span

VERSION, _FIRST = "answer/2", "answer/1"
"""The value of ``lens`` in the front matter; the first version has its sources there, and is read for ever."""
_NOTE = regex(r"(?P<marks>[ \t>]*)\[\^(?P<label>[^\]\s]{1,200})\]:[ \t]*(?P<rest>.*)", re.DOTALL)
_PLACE = regex(r"\[(?P<name>(?:\\.|[^\]\\])*)\]\([^\s()]*\)\s+\"(?P<quote>.*)\"\s*", re.DOTALL)
_ESCAPE = regex(r"\\([!-/:-@\[-`{-~])")
_FURTHER = regex(r"[ \t>]*(?: {2}|\t)[ \t]*\S")
_UNSEEN = regex("[\\\\`\u200b]+")
_FOLDED = regex(rf"(?<=[{JOINED}])\s+(?=[{JOINED}])|(\s)\s*")
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_SHA256 = regex(r"[0-9a-f]{64}")
_LOOSE_COMMA = regex(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[\]}])', re.DOTALL)
_FOLDER_OF_NETWORK = ("//", "\\\\")
_LINE_END = regex(r"\r\n|\n|\r")
_KEY = regex(r"([A-Za-z_][\w-]*)[ \t]*:(.*)", re.DOTALL)
_MARKS = r"(?>(?:[ \t>]++|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[[ xX]\](?=[ \t]))*)"
_BEGIN = regex(rf"{_MARKS}<!--[ \t]*lens:begin(?![\w-])[ \t]*(?P<id>[^\s<>{{]*)")
_USE = regex(r"\[\^([^\]\s]{1,200})\]")
_END = regex(rf"(?:^{_MARKS})?<!--[ \t]*lens:end(?![\w-])[ \t]*(?P<id>[^\s<>]*?)[ \t]*-->")
_FENCE = regex(r"[ \t>]*(`{3,}|~{3,})(.*)")


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote as it was read: the line it begins at, from 1, what it names and what it quotes."""

    line: int
    label: str
    name: str
    quote: str


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
    if seen(note.quote) != seen(citation.quote):
        return "the footnote does not quote what was recorded: it was changed"
    if seen(note.name.rpartition(":")[0]) != seen(printable_path(citation.path)):
        return "the footnote names another file than was recorded: it was changed"
    return None


def quoted_on_one_line(quote: str) -> str:
    """A quote as a footnote shows it: printable, on one line."""
    return " ".join(printable(quote).split())


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(r"\1", text)


def seen(text: str) -> str:
    """What of a quote cannot be changed by a formatter: all but backslashes, backticks, how quotes curl, and how many
    blanks stand between two words; between ideographs none count."""
    words = _UNSEEN.sub("", printable(text)).translate(_STRAIGHT).strip()
    return _FOLDED.sub(lambda found: " " if found[1] else "", words)


class BrokenSource(ValueError):
    """What was read is no source of ours; the message says which part of it."""


def parsed(text: str) -> object:
    """The value of JSON, with the commas that formatters add. Raises `BrokenSource`."""
    try:
        return json.loads(_LOOSE_COMMA.sub(lambda found: found[1] or "", text))
    except (ValueError, RecursionError) as error:
        raise BrokenSource(f"it is no JSON ({type(error).__name__})") from error


def read_roots(value: object) -> tuple[str, ...]:
    """The folders that sources are relative to. Raises `BrokenSource`."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise BrokenSource("roots is no list of folders")
    if any(each.startswith(_FOLDER_OF_NETWORK) for each in value):
        raise BrokenSource("roots names a folder of another machine")  # looking there would send our credentials
    return tuple(value)


def read_source(value: object, roots: Sequence[str], quotes: Mapping[int, str]) -> tuple[int, Citation]:
    """The number and the citation of a source. ``quotes`` serve those that have none. Raises `BrokenSource`."""
    if not isinstance(value, dict):
        raise BrokenSource("a source is no object")
    n = _number(value, "n")
    root = _number(value, "root", least=0)
    if root >= len(roots):
        raise BrokenSource(f"source {n}: there is no root {root}")
    quote = _text(value, "quote") if "quote" in value else quotes.get(n, "")
    span = _span(value.get("span"))
    sha256 = _text(value, "sha256")
    if not _SHA256.fullmatch(sha256):
        raise BrokenSource(f"source {n}: sha256 is none")
    source = _text(value, "source", "disk")
    if source not in (TextSource.DISK.value, TextSource.BUFFER.value):
        raise BrokenSource(f"source {n}: source is neither disk nor buffer")
    return n, Citation(
        root=roots[root],
        path=_text(value, "path"),
        source=TextSource(source),
        sha256=sha256,
        encoding=_text(value, "encoding", "utf-8"),
        reader=_text(value, "reader"),
        span=span,
        quote=quote,
        match=_text(value, "match", "exact"),
        left=_context(value, "left"),
        right=_context(value, "right"),
        heading=_heading(value.get("heading")),
        locator=_locator(value.get("locator")),
        count=None if value.get("count") is None else _number(value, "count"),
    )


def source_json(n: int, root: int, citation: Citation) -> dict[str, object]:
    """A citation as a value of JSON. ``root`` is its folder's index in the list that stands beside it."""
    return {
        "n": n,
        "root": root,
        "path": citation.path,
        "source": citation.source.value,
        "sha256": citation.sha256,
        "encoding": citation.encoding,
        "reader": citation.reader,
        "span": [citation.span.start, citation.span.end],
        "match": citation.match,
        "quote": citation.quote,
        "left": citation.left,
        "right": citation.right,
        "heading": list(citation.heading),
        "count": citation.count,
        "locator": None if citation.locator is None else dict(citation.locator),
    }


def _number(value: Mapping[str, object], name: str, least: int = 1) -> int:
    found = value.get(name)
    if not isinstance(found, int) or isinstance(found, bool) or found < least:
        raise BrokenSource(f"{name} of a source is no number from {least}")
    return found


def _text(value: Mapping[str, object], name: str, otherwise: str | None = None) -> str:
    found = value.get(name, otherwise)
    if not isinstance(found, str) or not found:
        raise BrokenSource(f"{name} of a source is missing or no text")
    return found


def _span(found: object) -> Span:
    if isinstance(found, list) and len(found) == 2 and all(type(each) is int for each in found):
        start, end = found
        if 0 <= start < end:
            return Span(start, end)
    raise BrokenSource("span of a source is no pair of offsets")


def _context(value: Mapping[str, object], name: str) -> str | None:
    found = value.get(name)
    if found is None or found == "":
        return None if found is None else ""
    if not isinstance(found, str) or not SHORTEST_CONTEXT <= len(found) <= LONGEST_CONTEXT:
        raise BrokenSource(f"{name} of a source is no text of {SHORTEST_CONTEXT} to {LONGEST_CONTEXT} characters")
    return found


def _heading(found: object) -> tuple[str, ...]:
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise BrokenSource("heading of a source is no list of texts")
    return tuple(found)


def _locator(found: object) -> Locator | None:
    if found is None:
        return None
    if not isinstance(found, dict) or not all(isinstance(each, int | str) for each in found.values()):
        raise BrokenSource("locator of a source is no object of numbers and texts")
    return found


@dataclass(frozen=True, slots=True)
class Reference:
    """A footnote as a person would write it: what it shows of a citation.

    ``span`` is all of it, and ``plain`` says that it holds nothing else. ``target`` is the path that its link leads to,
    ``named`` the line that it names, 0 for none.
    """

    label: str
    line: int
    span: Span
    name: str
    target: str
    quote: str
    named: int
    plain: bool


@dataclass(frozen=True, slots=True)
class Written:
    """A citation as it stands in a text: its number or ``ID-n``, and the line of its footnote or of its record."""

    label: str
    line: int
    citation: Citation
    altered: str = ""
    """What its footnote says otherwise than its record; empty when they agree."""
    reference: Reference | None = None
    """Its footnote, where its record stands elsewhere or is missing."""
    others: tuple[Citation, ...] = ()
    """What its id and its words may also mean, by the records of another side of a merge."""

    @property
    def unrecorded(self) -> bool:
        """Whether there is nothing but its words."""
        return self.reference is not None and self.citation.reader == ""


@dataclass(frozen=True, slots=True)
class AnswerFault:
    """A place that cannot be read as what it seems to be; ``line`` counts from 1."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class HeldFact:
    """A fact that an answer needs, as its file says it. ``state`` is a `RequirementStatus`, ``cites`` are labels."""

    text: str
    state: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """An answer in a text: a file of its own, or the block ``block``. ``first`` and ``last`` are lines, from 1."""

    question: str
    """Empty where it names none."""
    status: str
    first: int
    last: int
    block: str = ""
    facts: tuple[HeldFact, ...] = ()
    short: bool = False
    """A file whose citations are recorded elsewhere."""


@dataclass(frozen=True, slots=True)
class Citing:
    """What a text cites."""

    written: tuple[Written, ...] = ()
    faults: tuple[AnswerFault, ...] = ()
    parts: int = 0
    """How many answers it holds: a file of its own is one, and so is every block."""
    held: tuple[Held, ...] = ()
    """Those of them that can be read."""


def read_citing(text: str) -> Citing:
    """All citations of a Markdown text that we wrote."""
    lines = _LINE_END.split(text)
    found: list[Written] = []
    faults: list[AnswerFault] = []
    held: list[Held] = []
    parts = 0
    for part in (*_answer(lines), *_blocks(lines)):
        parts += 1
        if isinstance(part, AnswerFault):
            faults.append(part)
        else:
            held.append(part.held)
            _take(part, found, faults)
    return Citing(tuple(sorted(found, key=lambda each: each.line)), tuple(faults), parts, tuple(held))


@dataclass(frozen=True, slots=True)
class _Part:
    """An answer file or a block, its JSON apart from its Markdown."""

    roots: tuple[str, ...]
    sources: Sequence[tuple[int, object]]
    """Each with its line."""
    body: Sequence[str]
    first: int
    """The number of the body's first line."""
    held: Held
    prefix: str = ""


def _take(part: _Part, found: list[Written], faults: list[AnswerFault]) -> None:
    """Bring the records of a part and its footnotes together."""
    label = re.compile(rf"{re.escape(part.prefix)}(\d{{1,9}})")
    notes: dict[int, Footnote] = {}
    for note in read_footnotes(part.body, part.first):
        number = label.fullmatch(note.label)
        if number is not None and notes.setdefault(int(number[1]), note) is not note:
            faults.append(AnswerFault(note.line, f"there is another footnote [^{note.label}]"))
    quotes = {n: note.quote for n, note in notes.items()}
    uses = _uses(part)
    seen: set[int] = set()
    for line, value in part.sources:
        try:
            n, citation = read_source(value, part.roots, quotes)
        except BrokenSource as error:
            faults.append(AnswerFault(line, str(error)))
            continue
        name = f"{part.prefix}{n}"
        if n in seen:
            faults.append(AnswerFault(line, f"there is another source {n}"))
        elif n in notes:
            found.append(Written(name, notes[n].line, citation, disagreement(notes[n], citation) or ""))
        else:
            found.append(Written(name, line, citation))
            if name in uses:
                faults.append(AnswerFault(uses[name], f"the footnote [^{name}] is missing"))
        seen.add(n)
    faults += [
        AnswerFault(note.line, f"the footnote [^{note.label}] has no source: nothing says what it quotes")
        for n, note in notes.items()
        if n not in seen
    ]


def _uses(part: _Part) -> dict[str, int]:
    """The labels of footnotes that a part uses, each with the line of its first use."""
    found: dict[str, int] = {}
    for number, line in enumerate(part.body, part.first):
        for use in _USE.finditer(line):
            found.setdefault(use[1], number)
    return found


def _answer(lines: Sequence[str]) -> Iterator[_Part | AnswerFault]:
    """The answer that a file is; nothing when it is none."""
    values, end = _front_matter(lines)
    at, written = values.get("lens", (1, [""]))
    kind = written[0].strip().strip("\"'").lower()
    if not kind.startswith("answer/"):
        return
    if kind not in (VERSION, _FIRST):
        yield AnswerFault(at, f"it was written as {kind} by another version of lens, which knows more than this one")
        return
    held = Held(_said(values, "question"), _said(values, "status"), 1, len(lines))
    try:
        if kind == VERSION:
            at, written = values.get("facts", (1, [""]))
            facts = tuple(_fact(value) for _, value in _items(written, at))
            yield _Part((), (), (), end + 1, replace(held, facts=facts, short=True))
            return
        at, written = values.get("roots", (1, [""]))
        roots = read_roots([value for _, value in _items(written, at)])
        at, written = values.get("sources", (1, [""]))
        yield _Part(roots, _items(written, at), lines[end:], end + 1, held)
    except BrokenSource as error:
        yield AnswerFault(at, f"the front matter cannot be read: {error}")


def _fact(value: object) -> HeldFact:
    if not isinstance(value, dict) or not isinstance(value.get("cites", []), list):
        raise BrokenSource("a fact is no object")
    return HeldFact(_text(value, "fact"), _text(value, "state"), tuple(map(str, value.get("cites", []))))


def _said(values: Mapping[str, tuple[int, list[str]]], key: str) -> str:
    """A text of the front matter, as JSON or as it stands."""
    written = "\n".join(values.get(key, (1, [""]))[1]).strip()
    try:
        value = parsed(written)
    except BrokenSource:
        return written.strip("\"'")
    return value if isinstance(value, str) else written


def _front_matter(lines: Sequence[str]) -> tuple[dict[str, tuple[int, list[str]]], int]:
    """The lines of each key at the margin, with the number of the first; and how many lines there are in all.

    Nothing when the text does not begin with front matter, or it has no end.
    """
    values: dict[str, tuple[int, list[str]]] = {}
    if lines[0].rstrip() != "---":
        return {}, 0
    current: list[str] = []
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() == "---":
            return values, number
        found = _KEY.fullmatch(line)
        if found is None:
            current.append(line)
        else:
            current = [found[2]]
            values.setdefault(found[1], (number, current))
    return {}, 0


def _items(lines: Sequence[str], first: int) -> list[tuple[int, object]]:
    """The items of a list, each with its line: one JSON list, or items of JSON behind ``-``. Raises `BrokenSource`."""
    whole = "\n".join(lines).strip()
    if whole.startswith("["):
        value = parsed(whole)
        assert isinstance(value, list), "JSON that begins with a bracket is a list"
        return [(first, item) for item in value]
    items: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines, first):
        bare = line.strip()
        if bare.startswith("- ") or bare == "-":
            items.append((number, [bare[1:]]))
        elif items:
            items[-1][1].append(line)
        elif bare:
            raise BrokenSource("sources or roots is no list")
    return [(number, parsed("\n".join(parts))) for number, parts in items]


def _blocks(lines: Sequence[str]) -> Iterator[_Part | AnswerFault]:
    """The blocks inside a text."""
    end = 0
    fences = _fenced(lines)
    for number, line in enumerate(lines, 1):
        begin = _BEGIN.match(line) if "lens:begin" in line else None
        if begin is None or number <= end or _is_output(line) or line[begin.end() :].strip() == "-->":
            continue
        try:
            head = _head(begin["id"], line[begin.end() :].strip())
            roots = read_roots(head.get("roots"))
        except BrokenSource as error:
            if number not in fences:
                yield AnswerFault(number, f"the block cannot be read: {error}")
            continue
        end = _end_of(lines, number, begin["id"])
        if end == 0:
            yield AnswerFault(number, f"the block {begin['id']} has no end")
            end = len(lines)
        numbered = [(number, source) for source in head["sources"]]
        held = Held(str(head.get("question") or ""), str(head.get("status") or ""), number, end, begin["id"])
        yield _Part(roots, numbered, lines[number : end - 1], number + 1, held, f"{begin['id']}-")


def _is_output(line: str) -> bool:
    """Whether a mark is the stamp of a text without sources: of an answer file's body, or of what was printed."""
    return f'"lens":"{OUTPUT}"' in line.replace(" ", "")


def _head(name: str, rest: str) -> dict[str, Any]:
    """What a block says of itself, its sources a list, from what stands behind its name. Raises `BrokenSource`."""
    if not name or not rest.endswith("-->"):
        raise BrokenSource("its first line has no id or no end")
    head = parsed(rest[:-3])
    if not isinstance(head, dict) or not isinstance(head.get("sources"), list):
        raise BrokenSource("it has no sources")
    if head.get("lens", _FIRST) != _FIRST:
        raise BrokenSource("it was written by another version of lens, which knows more than this one")
    return head


def _end_of(lines: Sequence[str], begin: int, name: str) -> int:
    """The number of the line that ends a block; 0 when none does."""
    for number, line in enumerate(lines[begin:], begin + 1):
        for found in _END.finditer(line) if "lens:end" in line else ():
            if found["id"] == name or (not found["id"] and found.start() == 0):
                return number
    return 0


def _fenced(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines inside fences of code."""
    inside: set[int] = set()
    marks = ""
    for number, line in enumerate(lines, 1):
        found = _FENCE.fullmatch(line)
        if marks:
            inside.add(number)
            if found is not None and found[1].startswith(marks) and not found[2].strip():
                marks = ""
        elif found is not None:
            marks = found[1]
    return inside
