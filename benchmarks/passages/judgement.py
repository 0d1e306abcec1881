"""What is wrong with one passage, judged from the raw file alone.

Kinds of fault:

* ``token``, ``sentence``, ``item``, ``row``, ``code``: an end of the passage lies inside one (white space at the ends
  does not count). Metadata fields, headings and link definitions count as one sentence each, a header field with the
  lines that go on in it; a line of HTML may be left between sentences, and so may a line in a fence of text. An item
  is its marker and its paragraphs up to its first child of another kind; one of at most 600 code points may not be
  split at all, a longer one between sentences. A row of more than 600 may be split between sentences. A footnote is
  an item. The text of a value in YAML may be left between sentences, and an entry begins at its dash or behind it. In
  reStructuredText a row goes on only where its first column is blank. In plain text a number begins no item
  below a line that is not at an end ("(O", "4) was"), unless it goes on counting. The end of a paragraph is the end of
  a sentence, and so is a line of template tags alone. Marks without a letter or digit behind the last blank of a unit
  may be left out.
* ``heading``: a heading begins inside the passage and text of an earlier section stands before it. Metadata, anchors
  and comments are no text. In plain text only a line that says "CHAPTER II" or the like, or one in capitals after two
  blank lines, is surely a heading.
* ``label``: the last heading named is not the one that the first line of the passage stands under which is no heading
  itself. Compared are letters and digits. Before the first heading and in metadata no heading or the title is right.
* ``verbatim``, ``context``: the quote, or a part of the context, is not what stands in the file at its span.
* ``cut-claim``: an end says that it was cut where nothing longer than 600 code points stands: the sentence for prose
  cut inside a sentence; else the item, row or line; the whole block where the cut is between sentences or lines.

An end that says rightly that it was cut is held to ``token`` alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from benchmarks.passages.outline import LONGEST, Outline, Title, Unit, plain

BEGIN, END, WHOLE = "begin", "end", "passage"
KINDS = ("token", "sentence", "item", "row", "code", "heading", "label", "verbatim", "context", "cut-claim")

_TOKEN = re.compile(
    r"(?:https?|ftp|mailto|file):[^\s<>\"'`\])}]*[^\s<>\"'`\])}.,;:!?]"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\d+(?:[.,:/]\d+)+|\w+(?:[-.'’/\\:@_+=&]+\w+)+"
)
_MARKER = re.compile(r"(?:>\s*)*(?:[-*+•o–]|\(?(?:\d+|#|[a-zA-Z]|[ivx]+)[.)]|\[\^?[^\]\s]+\]:?)\s+(?:\[[ xX]\]\s+)?")
_NO_TEXT = re.compile(r"<[^>]*>|<!--.*?-->|\.\. _.*|__ .*|\.\.$|[-*_=\s]+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its kind, at which end (or ``passage``), and what kind of unit is concerned."""

    kind: str
    where: str
    unit: str


def judge(
    found: Outline,
    start: int,
    end: int,
    heading: Sequence[str],
    *,
    quote: str | None = None,
    cut: Collection[str] = (),
    context: Sequence[tuple[int, int, str]] = (),
) -> list[Fault]:
    """The faults of the passage ``[start, end)``; ``cut`` holds "start" or "end" where it says that it was cut."""
    text, faults = found.text, []
    if quote is not None and text[start:end] != quote:
        faults.append(Fault("verbatim", WHOLE, ""))
    faults += [Fault("context", WHOLE, "") for first, last, part in context if text[first:last] != part]
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start == end:
        return faults
    for place, where, claimed in ((start, BEGIN, "start" in cut), (end, END, "end" in cut)):
        fault = _end_fault(found, place, where, claimed)
        if fault is not None:
            faults.append(fault)
    if _crosses(found, start, end):
        faults.append(Fault("heading", WHOLE, "heading"))
    if not _labelled(found, start, end, heading):
        faults.append(Fault("label", WHOLE, "heading"))
    return faults


def _end_fault(found: Outline, place: int, where: str, claimed: bool) -> Fault | None:
    unit = found.around(place)
    clean = unit is None or any(first <= place <= last for first, last in unit.breaks)
    clean = clean or (unit is not None and unit.kind == "item" and place <= _content(found.text, unit))
    kind = "" if unit is None else unit.kind
    if unit is not None and not clean and in_token(found.text, place):
        return Fault("token", where, kind)
    if claimed:
        return None if _claim_holds(found, unit, place, where, clean) else Fault("cut-claim", where, kind)
    if unit is None or (where == END and found.text[place].isspace() and not plain(found.text[place : unit.end])):
        return None
    if kind == "code":
        return None if clean else Fault("code", where, kind)
    if kind in ("item", "row") and len(unit) <= LONGEST:
        return Fault(kind if clean or kind == "row" else "sentence", where, kind)
    return None if clean else Fault("row" if kind == "row" else "sentence", where, kind)


def _content(text: str, unit: Unit) -> int:
    match = _MARKER.match(text, unit.start, unit.end)
    return unit.start if match is None else match.end()


def _claim_holds(found: Outline, unit: Unit | None, place: int, where: str, clean: bool) -> bool:
    """Whether what was cut at ``place`` is longer than a passage."""
    if unit is None:
        near = [other for other in found.units if (other.end <= place if where == END else other.start >= place)]
        if not near:
            return False
        beside = near[-1] if where == END else near[0]
        return beside.block > LONGEST and beside.block > len(beside)
    if clean or unit.kind != "prose":
        return max(len(unit), unit.block if clean else 0) > LONGEST
    first = max((last for _, last in unit.breaks if last <= place), default=unit.start)
    last = min((begin for begin, _ in unit.breaks if begin >= place), default=unit.end)
    return last - first > LONGEST


def in_token(text: str, place: int) -> bool:
    """Whether a place lies inside a word, number, URL, address or name with dots; Chinese has no such words."""
    before, after = text[place - 1], text[place]
    if before.isspace() or after.isspace() or _wide(before) or _wide(after):
        return False
    if unicodedata.combining(after):
        return True
    if (before.isalnum() or before == "_") and (after.isalnum() or after == "_"):
        return True
    base = max(text.rfind(gap, max(0, place - 2000), place) for gap in " \t\r\n") + 1
    return any(
        base + match.start() < place < base + match.end()
        for match in _TOKEN.finditer(text[base : place + 2000].split("\n")[0])
    )


def _wide(letter: str) -> bool:
    return unicodedata.east_asian_width(letter) in "WF"


def _crosses(found: Outline, start: int, end: int) -> bool:
    titles = [title for title in found.titles if not title.weak and start < title.start < end]
    return any(
        _is_text(found.text[max(unit.start, start) : unit.end], unit.kind)
        for title in titles[-1:]
        for unit in found.units
        if unit.end > start and unit.start < title.start
    )


def _is_text(text: str, kind: str) -> bool:
    if kind in ("heading", "field"):
        return False
    return bool(plain(_NO_TEXT.sub("", text)))


def _labelled(found: Outline, start: int, end: int, heading: Sequence[str]) -> bool:
    strong = [title for title in found.titles if not title.weak]
    place = _body(strong, found.text, start, end)
    names = {plain(name) for name in found.names}
    label = plain(heading[-1]) if heading else None
    if place is None:
        inside = [title for title in strong if title.start < end and title.end > start]
        return label is not None and any(_is(title, label) for title in inside)
    current = next((title for title in reversed(strong) if title.start <= place), None)
    since = 0 if current is None else current.end
    weak = [title for title in found.titles if title.weak and since <= title.start <= place]
    if label is not None and any(_is(title, label) for title in weak):
        return True
    if found.loose and (label is None or any(name.startswith(label) for name in names)):
        return True
    unit = found.around(place + 1)
    if current is None or (unit is not None and unit.kind == "field"):
        first = strong[:1] if unit is not None and unit.kind == "field" else []
        return label is None or label in names or any(_is(title, label) for title in first)
    if label is None:
        return False
    return _is(current, label) or (label in names and current is strong[0] and current.level == 1)


def _body(strong: Sequence[Title], text: str, start: int, end: int) -> int | None:
    """The first character of the passage that is not in a heading; None when there is none."""
    place = start
    while place < end:
        title = next((title for title in strong if title.start <= place < title.end), None)
        if title is not None:
            place = title.end
        elif text[place].isspace():
            place += 1
        else:
            return place
    return None


def _is(title: Title, label: str) -> bool:
    return any(plain(text) == label for text in title.texts)
