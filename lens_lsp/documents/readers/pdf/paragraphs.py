"""Lines become paragraphs, items of lists and lines that were ended on purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from lens_lsp.documents.readers.pdf.characters import Piece, Style
from lens_lsp.documents.readers.pdf.columns import Flow, Region
from lens_lsp.documents.readers.pdf.hyphens import SPLIT, carried
from lens_lsp.model.documents import BlockKind

_APART = 1.3
"""In usual distances of lines: more than that is a new paragraph."""
_FAR = 1.9
"""In font sizes: the same, where no usual distance is known."""
_INDENT = (0.8, 6.0)
"""In font sizes: how far the first line of a paragraph stands in."""
_OTHER_SIZE = 1.25
_SOME_OTHER_SIZE = 1.08
"""Times the smaller size: the first is a new paragraph, the second one behind a line that was ended on purpose."""
_ROOM = 0.35
"""In font sizes: a line whose successor's first word had that much room was ended on purpose."""
_BULLET = re.compile(r"[•‣◦▪▫●○■□◆◇▶➢✓✔❖·\uf0b7\uf0a7\uf0d8]\s*")
_NUMBER = re.compile(r"(?:[-–—*]|[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxlc]{1,5})[.)\]])\s+(?=\S)")
_SENTENCE_ENDS = ".!?:;"
_WIDE_LETTER = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]")


@dataclass(frozen=True, slots=True)
class Passage:
    r"""A paragraph or an item, with `SPLIT` where a hyphen stood at a line's end, or the rows of a table."""

    kind: BlockKind
    text: str
    style: Style
    lines: int = 1
    rows: tuple[tuple[str, ...], ...] = ()


def passages_of(regions: Sequence[Region], fallback: Style) -> tuple[Passage, ...]:
    """The passages of a page in order; a table looks like ``fallback``.

    A paragraph goes on in the next column when that begins with a small letter.
    """
    found: list[Passage] = []
    for region in regions:
        passages = list(_passages(region, fallback))
        if found and passages and _goes_on(found[-1], passages[0]):
            passages[0] = _together(found.pop(), passages[0])
        found += passages
    return tuple(found)


def _passages(region: Region, fallback: Style) -> Iterator[Passage]:
    if not isinstance(region, Flow):
        yield Passage(BlockKind.TABLE_ROW, "", fallback, len(region.rows), region.rows)
        return
    lines = region.lines
    usual = _usual_step(lines)
    edge = max((line.right for line in lines), default=0.0)
    first = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or _begins(lines, at, usual, edge, first):
            yield _passage(lines[first:at], edge)
            first = at


def _goes_on(last: Passage, following: Passage) -> bool:
    return (
        last.kind is not BlockKind.TABLE_ROW
        and following.kind is BlockKind.PARAGRAPH
        and last.lines > 1
        and last.style.size == following.style.size
        and last.style.bold == following.style.bold
        and following.text[:1].islower()
        and last.text[-1:] not in _SENTENCE_ENDS
    )


def _together(last: Passage, following: Passage) -> Passage:
    return replace(last, text=carried(last.text) + following.text, lines=last.lines + following.lines)


def _usual_step(lines: Sequence[Piece]) -> float | None:
    """The usual distance between lines of one size, in font sizes."""
    steps = [
        (below.base - above.base) / below.size
        for above, below in pairwise(lines)
        if below.size == above.size and 0 < below.base - above.base <= _FAR * below.size
    ]
    return median(steps) if len(steps) > 1 else None


def _begins(lines: Sequence[Piece], at: int, usual: float | None, edge: float, first: int) -> bool:
    """Whether a line begins a new paragraph."""
    above, line = lines[at - 1], lines[at]
    step = (line.base - above.base) / max(line.size, above.size)
    if step < 0 or step > (_FAR if usual is None else _APART * usual):
        return True
    change = max(line.size, above.size) / min(line.size, above.size)
    on_purpose = _ended(above, line, edge)
    if change > _OTHER_SIZE:
        return True
    if on_purpose and (change > _SOME_OTHER_SIZE or line.style.bold != above.style.bold):
        return True
    if above.hyphen:
        return False
    if _BULLET.match(line.text):
        return True
    if on_purpose and _NUMBER.match(line.text):
        return True
    low, high = (share * line.size for share in _INDENT)
    inwards = line.left - above.left
    if at - first == 1 and _is_item(above):
        # The lines of an item hang under its words.
        return on_purpose and inwards <= 0
    if low <= inwards <= high and (on_purpose or at - first > 1):
        return True
    return inwards < -low and at - first > 1 and on_purpose


def _ended(above: Piece, line: Piece, edge: float) -> bool:
    """Whether there was room for the first word of a line on the one above it."""
    return above.right + line.first + _ROOM * line.size < edge


def _is_item(line: Piece) -> bool:
    return _BULLET.match(line.text) is not None or _NUMBER.match(line.text) is not None


def _passage(lines: Sequence[Piece], edge: float) -> Passage:
    kind, parts = BlockKind.PARAGRAPH, [lines[0].text]
    bullet = _BULLET.match(parts[0])
    if bullet is not None and len(lines[0].text) > bullet.end():
        kind, parts[0] = BlockKind.LIST_ITEM, parts[0][bullet.end() :]
    elif _NUMBER.match(parts[0]):
        kind = BlockKind.LIST_ITEM
    for above, line in pairwise(lines):
        parts[-1] = _carried(parts[-1], above, line, edge)
        parts.append(line.text)
    if lines[-1].hyphen:
        parts.append("-")
    most = max(lines, key=lambda line: len(line.text)).style
    style = replace(most, bold=all(line.style.bold for line in lines))
    return Passage(kind, "".join(parts), style, len(lines))


def _carried(text: str, above: Piece, line: Piece, edge: float) -> str:
    """The text of a line with what stands between it and the next one."""
    if above.hyphen:
        return text + SPLIT
    if _WIDE_LETTER.match(text[-1:]) and _WIDE_LETTER.match(line.text[:1]):
        return text
    on = carried(text)
    return f"{text}\n" if on.endswith(" ") and _ended(above, line, edge) else on
