"""Answer files and blocks read back: which citations a Markdown text holds, on which lines, and what is wrong with it.

The text may have been edited by anyone: whatever does not fit is told with its line, and nothing raises. What a block
or an answer file is, `lens_lsp.corpus.generated_spans` decides for the search, and the two agree: all that is read here
is never evidence. An example of a block in a fence of code is left alone unless it is a real one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lens_lsp.memory.answer_files.footnotes import Footnote, disagreement, read_footnotes
from lens_lsp.memory.answer_files.sources import BrokenSource, parsed, read_roots, read_source
from lens_lsp.memory.answer_files.writing import VERSION
from lens_lsp.model.citation import Citation
from lens_lsp.model.stamp import OUTPUT

_LINE_END = re.compile(r"\r\n|\n|\r")
_KEY = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(.*)", re.DOTALL)
_MARKS = r"(?>(?:[ \t>]++|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[[ xX]\](?=[ \t]))*)"
_BEGIN = re.compile(rf"{_MARKS}<!--[ \t]*lens:begin(?![\w-])[ \t]*(?P<id>[^\s<>{{]*)")
_USE = re.compile(r"\[\^([^\]\s]{1,200})\]")
_END = re.compile(rf"(?:^{_MARKS})?<!--[ \t]*lens:end(?![\w-])[ \t]*(?P<id>[^\s<>]*?)[ \t]*-->")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)")


@dataclass(frozen=True, slots=True)
class Written:
    """A citation as it stands in a text: its number or ``ID-n``, and the line of its footnote or of its record."""

    label: str
    line: int
    citation: Citation
    altered: str = ""
    """What its footnote says otherwise than its record; empty when they agree."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A place that cannot be read as what it seems to be; ``line`` counts from 1."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Held:
    """An answer in a text: a file of its own, or the block ``block``. ``first`` and ``last`` are lines, from 1."""

    question: str
    """Empty where it names none."""
    status: str
    first: int
    last: int
    block: str = ""


@dataclass(frozen=True, slots=True)
class Citing:
    """What a text cites."""

    written: tuple[Written, ...] = ()
    faults: tuple[Fault, ...] = ()
    parts: int = 0
    """How many answers it holds: a file of its own is one, and so is every block."""
    held: tuple[Held, ...] = ()
    """Those of them that can be read."""


def read_citing(text: str) -> Citing:
    """All citations of a Markdown text that we wrote."""
    lines = _LINE_END.split(text)
    found: list[Written] = []
    faults: list[Fault] = []
    held: list[Held] = []
    parts = 0
    for part in (*_answer(lines), *_blocks(lines)):
        parts += 1
        if isinstance(part, Fault):
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


def _take(part: _Part, found: list[Written], faults: list[Fault]) -> None:
    """Bring the records of a part and its footnotes together."""
    label = re.compile(rf"{re.escape(part.prefix)}(\d{{1,9}})")
    notes: dict[int, Footnote] = {}
    for note in read_footnotes(part.body, part.first):
        number = label.fullmatch(note.label)
        if number is not None and notes.setdefault(int(number[1]), note) is not note:
            faults.append(Fault(note.line, f"there is another footnote [^{note.label}]"))
    quotes = {n: note.quote for n, note in notes.items()}
    uses = _uses(part)
    seen: set[int] = set()
    for line, value in part.sources:
        try:
            n, citation = read_source(value, part.roots, quotes)
        except BrokenSource as error:
            faults.append(Fault(line, str(error)))
            continue
        name = f"{part.prefix}{n}"
        if n in seen:
            faults.append(Fault(line, f"there is another source {n}"))
        elif n in notes:
            found.append(Written(name, notes[n].line, citation, disagreement(notes[n], citation) or ""))
        else:
            found.append(Written(name, line, citation))
            if name in uses:
                faults.append(Fault(uses[name], f"the footnote [^{name}] is missing"))
        seen.add(n)
    faults += [
        Fault(note.line, f"the footnote [^{note.label}] has no source: nothing says what it quotes")
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


def _answer(lines: Sequence[str]) -> Iterator[_Part | Fault]:
    """The answer that a file is; nothing when it is none."""
    values, end = _front_matter(lines)
    at, written = values.get("lens", (1, [""]))
    kind = written[0].strip().strip("\"'").lower()
    if not kind.startswith("answer/"):
        return
    if kind != VERSION:
        yield Fault(at, f"it was written as {kind} by another version of lens, which knows more than this one")
        return
    try:
        at, written = values.get("roots", (1, [""]))
        roots = read_roots([value for _, value in _items(written, at)])
        at, written = values.get("sources", (1, [""]))
        held = Held(_said(values, "question"), _said(values, "status"), 1, len(lines))
        yield _Part(roots, _items(written, at), lines[end:], end + 1, held)
    except BrokenSource as error:
        yield Fault(at, f"the front matter cannot be read: {error}")


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


def _blocks(lines: Sequence[str]) -> Iterator[_Part | Fault]:
    """The blocks inside a text."""
    end = 0
    fences = _fenced(lines)
    for number, line in enumerate(lines, 1):
        begin = _BEGIN.match(line) if "lens:begin" in line else None
        if begin is None or number <= end or _is_output(line):
            continue
        try:
            head = _head(begin["id"], line[begin.end() :].strip())
            roots = read_roots(head.get("roots"))
        except BrokenSource as error:
            if number not in fences:
                yield Fault(number, f"the block cannot be read: {error}")
            continue
        end = _end_of(lines, number, begin["id"])
        if end == 0:
            yield Fault(number, f"the block {begin['id']} has no end")
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
    if head.get("lens", VERSION) != VERSION:
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
