"""Passages: stretches of whole sentences, items, rows or lines of one section, ranked by the question's terms in them.

Passages are found in three rounds. `count` counts in how many places each term of the question stands, which says how
telling the term is. `score` scores free windows of the promising texts. Then the documents of the best windows are
read, and `Cutter` cuts the text in and around those windows into passages: never inside a sentence, an item, a row or a
line of code if it fits, and never across a heading.

`count` and `score` are pure. Their results for parts of a corpus combine to the result for the whole: counts are added,
and of the windows the best are kept (`Windows.plus`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.corpus.scan import STRETCH, Hits
from lens_lsp.model.documents import NEVER_ALONE, Block, BlockKind, Document, Locator, leaf_of
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span, trim
from lens_lsp.model.words import fold, stem, words
from lens_lsp.search.boundaries import PROSE, heading_path, lines, overlapping, whole_sentences, widened, without
from lens_lsp.search.cells import cells
from lens_lsp.search.corpus_view import Floats, Ints, union_of
from lens_lsp.search.metadata import FieldQuery
from lens_lsp.search.question import UNDEFINING, ScanQuestion, definition_of, vocabulary

_ROW = regex(r"\d+")
_LETTERS = regex(r"[^\W_]+")
WINDOW = 600
"""The most code points of a passage; also the bytes of a free window."""
_CELL = 200
"""Bytes of a cell of the grid on which windows are scored. A window is three cells."""
_CELLS = WINDOW // _CELL
_BLOCK = 1 << 20
"""The most cells times terms that are scored at once: a few megabytes of memory."""
_ITEM = regex(r"(?:[-+*•]|\.\.|\(?(?:\d{1,9}|[a-zA-Z#])[.)]|\[\^?\w{1,40}\]:?)[ \t]+(?=\S)")
"""The bullet or number before an item."""
_QUOTED_ITEM = regex(r"(?:^|(?<=[\r\n]))[ \t]*(?:>[ \t]*)+(?:[-+*]|\d{1,9}[.)])[ \t]+(?=\S)")
_KEY = regex(r"[ \t]*(?:- |-$|[\[\]{}]|[\"']?[\w.$-]{1,80}[\"']?[ \t]*[:=](?:\s|$))")
"""The beginning of a line of data that opens an entry, and so does not go on with the entry above it."""
_DEEPER = 4
"""Text this many columns further right than the text of the item above it is code."""
_MOST_INDENT = 200
VERBATIM = 0.5
"""The score of a passage that holds the question word for word: a share of the question's weight."""
_FEWEST_VERBATIM, _MOST_VERBATIM = 3, 16
"""How many words a question must and may have to be looked for word for word."""
_NEAR = 25
"""Two terms whose beginnings are fewer code points apart than this count as said together."""
METADATA = (-1, -1)
"""The section of a document's metadata."""


class TermMark(NamedTuple):
    """A hit in a passage: its code point, its term, and the term's weight."""

    at: int
    term: int
    weight: float


def marks_in(text: str, span: Span, weights: Mapping[str, float]) -> tuple[TermMark, ...]:
    """Where words of a question stand in a stretch of text, in order; ``weights`` are those of its words."""
    terms = {stem(word): (number, weight) for number, (word, weight) in enumerate(weights.items())}
    found = ((run.start(), terms.get(stem(fold(run[0])))) for run in _LETTERS.finditer(text, span.start, span.end))
    return tuple(TermMark(at, *term) for at, term in found if term is not None)


def locator_offset(document: Document, span: Span, marks: Sequence[TermMark]) -> int:
    """The offset whose place, such as a page, a row or a cell, stands for a passage with these marks.

    ``marks`` are in order; those in headings and in a table's header count only where there are no others. Without any
    it is where the passage begins.
    """
    marks = [mark for mark in marks if locate(document.locators, mark.at)]
    blocks = list(overlapping(document.structure.blocks, span))
    above = {block.header for block in blocks} | {block.span for block in blocks if block.kind is BlockKind.HEADING}
    below = [mark for mark in marks if not any(each.start <= mark.at < each.end for each in above if each is not None)]
    marks = below or marks
    if not marks:
        return span.start
    rows = _most(document, marks, _row)
    return _most(document, rows, lambda place: tuple(sorted(place.items())))[0].at


def _most(document: Document, marks: Sequence[TermMark], key: Callable[[Locator], Hashable]) -> list[TermMark]:
    """The marks of the place with the greatest weight of different terms; of equal places, the first."""
    places: dict[Hashable, list[TermMark]] = {}
    for mark in marks:
        places.setdefault(key(locate(document.locators, mark.at) or {}), []).append(mark)
    return max(places.values(), key=lambda held: sum({mark.term: mark.weight for mark in held}.values()))


def _row(place: Locator) -> Hashable:
    """The row of a cell, as a key; for any other place, the place itself."""
    row = _ROW.search(str(place["cell"])) if "cell" in place else None
    return (place.get("sheet"), row[0]) if row else tuple(sorted(place.items()))


@dataclass(frozen=True, slots=True)
class PassageWeights:
    """The constants of a passage's score: occurrences of a term, or shares of the question's weight."""

    saturation: float = 0.9
    """k1 of the term frequency: this many occurrences give half of the weight."""
    heading: float = 0.8
    """How many occurrences a term in the heading above counts as."""
    outer_heading: float = 0.3
    title: float = 0.5
    path: float = 0.3
    related: float = 0.7
    """What a word close in meaning counts, as a share of the term itself, times their likeness."""
    related_above: float = 0.3
    """How many occurrences such a word counts as in headings, title and path."""
    spent: float = 5.0
    """How many occurrences a term counts as if the document's metadata says it: the same for all its passages."""
    document: float = 0.2
    """How much the score of the whole document adds, at most."""
    together: float = 0.1
    """How much is added for terms that follow each other as in the question, times their share of its weight."""
    least: float = 0.25
    """The share of the greatest weight that makes a term distinctive; a passage must hold a distinctive term."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The result of `count` for a corpus or a part of it."""

    size: int
    """Bytes of text."""
    places: Ints
    """For each scanned term, in how many stretches of 50 bytes it stands."""

    def rarity(self) -> Floats:
        """How telling each scanned term is: ln(1 + (N − n + ½) / (n + ½)), 0 for a term that stands nowhere.

        N is how many windows the text has; n is ``places``, at most N.
        """
        windows = max(1.0, self.size / WINDOW)
        held = np.minimum(self.places, windows)
        return np.where(self.places > 0, np.log1p((windows - held + 0.5) / (held + 0.5)), 0.0)


def count(hits: Hits, terms: int, lengths: Ints) -> Totals:
    """The first round: count in how many places each scanned term stands, and how many bytes of text there are."""
    places = np.zeros(terms, np.int64)
    places[: len(hits.unlisted.stretches)] += hits.unlisted.stretches
    for term in range(terms):
        chosen = hits.term == term
        # Hits of one term come in order, so counting the changes counts the stretches.
        at = (hits.slot[chosen].astype(np.int64) << 32) | (hits.at[chosen] // STRETCH)
        places[term] += 1 + np.count_nonzero(np.diff(at)) if len(at) else 0
    return Totals(int(lengths.sum()), places)


class Weights:
    """The weight of each term of a question, and of each word related to a term, in a corpus."""

    def __init__(self, question: ScanQuestion, totals: Totals) -> None:
        self.question, self.totals = question, totals
        rarity, terms = totals.rarity(), len(question.terms)
        known = vocabulary()
        self.constants = constants = PassageWeights()
        self.own: Floats = rarity[:terms] * np.array([known.weight(term) for term in question.terms])
        """The weight of each term."""
        self.owner = np.array([related.term for related in question.related], np.int64)
        """The index of the term that each related word stands for."""
        raw = rarity[terms:]
        of_owner = self.own[self.owner] if len(self.owner) else np.zeros(0)
        likeness = np.array([related.likeness for related in question.related])
        full = np.where(of_owner > 0, np.minimum(of_owner, raw), raw)
        self.related: Floats = constants.related * likeness * full
        """The weight of each related word: at most that of its term, unless its term stands nowhere."""
        whole = self.own.copy()
        unseen = self.own[self.owner] == 0 if len(self.owner) else np.zeros(0, bool)
        np.maximum.at(whole, self.owner[unseen], full[unseen])
        self.total = float(whole.sum()) or 1.0
        """The weight of the whole question; never 0."""
        self.telling = constants.least * float(max(self.own.max(initial=0.0), self.related.max(initial=0.0)))
        """The least weight of a distinctive term."""

    def mass(
        self, own: Floats, related: Floats, above: Floats | float = 0.0, above_related: Floats | float = 0.0
    ) -> Floats:
        """The score of each row, between 0 and 1.

        ``own`` holds a column of occurrences for each term, and ``related`` one for each related word. ``above`` and
        ``above_related`` are what headings, title and path add. A term counts as the better of its own occurrences and
        those of its related words.
        """
        k = self.constants.saturation
        seen = own + above
        held = self.own * (seen / (seen + k))
        if len(self.owner):
            near = related + above_related
            near = self.related * (near / (near + k))
            for column, term in enumerate(self.owner.tolist()):
                np.maximum(held[:, term], near[:, column], out=held[:, term])
        return np.asarray(held.sum(axis=1) / self.total, np.float64)

    def mass_of(self, counts: NDArray[np.uint16]) -> Floats:
        """The same of each column of ``counts``, to the bit, where nothing is added from above: a row of occurrences
        for each term, then one for each related word. Most are 0, and those cost nothing."""
        seen = np.arange(int(counts.max(initial=0)) + 1, dtype=np.float64)
        share = seen / (seen + self.constants.saturation)
        held = np.zeros((len(self.own), counts.shape[1]))
        some = counts != 0
        for row, term in enumerate((*range(len(self.own)), *self.owner.tolist())):
            weight = self.own[term] if row < len(self.own) else self.related[row - len(self.own)]
            at = np.flatnonzero(some[row])
            held[term, at] = np.maximum(held[term, at], (weight * share)[counts[row, at]])
        return np.asarray(np.ascontiguousarray(held.T).sum(axis=1) / self.total, np.float64)

    def distinctive(self, own: Floats, related: Floats) -> Ints:
        """The rows that hold at least one distinctive term."""
        found = ((own > 0) & (self.own >= self.telling)).any(axis=1)
        if len(self.owner):
            found |= ((related > 0) & (self.related >= self.telling)).any(axis=1)
        return np.flatnonzero(found)


@dataclass(frozen=True, slots=True)
class Windows:
    """Free windows, the best first: parallel arrays of slot, first byte and score."""

    slot: Ints
    at: Ints
    score: Floats

    def best(self, slots: int) -> Floats:
        """The score of the best window of each slot, 0 for none."""
        best = np.zeros(slots)
        np.maximum.at(best, self.slot, self.score)
        return best

    def plus(self, other: Windows, most: int) -> Windows:
        """The best ``most`` windows of both; the two are of parts of a corpus with different slots."""
        slot = np.concatenate([self.slot, other.slot])
        at = np.concatenate([self.at, other.at])
        score = np.concatenate([self.score, other.score])
        order = np.lexsort((at, slot, -score))[:most]
        return Windows(slot[order], at[order], score[order])

    def first(self, most: int) -> Windows:
        """The first ``most`` windows, and the first of each slot.

        So the result does not depend on which texts were scored together.
        """
        leading = np.full(int(self.slot.max(initial=0)) + 1, len(self.slot), np.int64)
        np.minimum.at(leading, self.slot, np.arange(len(self.slot)))
        kept = union_of(len(self.slot), np.arange(min(most, len(self.slot))), leading[self.slot])
        return Windows(self.slot[kept], self.at[kept], self.score[kept])


NO_WINDOWS = Windows(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


def score(hits: Hits, slots: Ints, lengths: Ints, weights: Weights, most: int) -> Windows:
    """The second round: the ``most`` best windows of the given slots, and the best window of each slot that has any.

    ``hits`` are all listed places of the scanned terms. ``slots`` are in ascending order.
    """
    found = NO_WINDOWS
    terms = len(weights.own) + len(weights.owner)
    if not terms or not len(slots):
        return found
    order = np.argsort(hits.slot, kind="stable")
    bounds = np.searchsorted(hits.slot[order], [slots, slots + 1])
    cells = lengths[slots] // _CELL + 1
    for first, last in _blocks(cells, max(1, _BLOCK // terms)):
        ends = np.cumsum(cells[first:last])
        starts = ends - cells[first:last]
        chosen = order[bounds[0, first] : bounds[1, last - 1]]
        place = np.searchsorted(slots[first:last], hits.slot[chosen])
        inside_block = slots[first:last][np.minimum(place, last - first - 1)] == hits.slot[chosen]
        chosen, place = chosen[inside_block], place[inside_block]
        cell = starts[place] + hits.at[chosen] // _CELL
        size = int(ends[-1])
        places = hits.term[chosen] * np.int64(size) + cell
        table = np.bincount(places, minlength=terms * size).reshape(terms, size).astype(np.uint16)
        row = np.repeat(np.arange(last - first), cells[first:last])
        window = table.copy()
        for step in range(1, _CELLS):
            # A window may not reach into the next text.
            inside = np.arange(step, size) < ends[row[: size - step]]
            window[:, :-step] += table[:, step:] * inside.astype(np.uint16)
        mass = weights.mass_of(window)
        held = np.flatnonzero(mass)
        leading = held[mass[held] == np.maximum.reduceat(mass, starts)[row[held]]]
        leading = leading[np.flatnonzero(np.diff(row[leading], prepend=-1))]  # of equal windows the first
        if len(held) > most:
            least = np.partition(mass[held], -most)[-most]
            held = held[mass[held] >= least]
        ranked = held[np.lexsort((held, -mass[held]))]
        kept = union_of(size, ranked[:most], leading)
        part = Windows(slots[first:last][row[kept]], (kept - starts[row[kept]]) * _CELL, mass[kept])
        found = found.plus(part, len(found.slot) + len(kept)).first(most)
    return found


def _blocks(cells: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of texts that have at most ``most`` cells together; a text with more is a range of its own."""
    first, size = 0, 0
    for index, own in enumerate(cells.tolist()):
        if index > first and size + own > most:
            yield first, index
            first, size = index, 0
        size += own
    yield first, len(cells)


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage of at most 600 code points of a slot's text, and its score."""

    slot: int
    span: Span
    score: float
    marks: tuple[TermMark, ...] = ()
    """The hits of the question in the passage, in order."""
    cut: tuple[str, ...] = ()
    """``"start"``, ``"end"`` or both: the sides where a unit that is longer than a passage was cut."""


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A piece of text that is cut only if it is too long for a passage: a sentence, item, row, heading or code line."""

    span: Span
    section: tuple[int, ...]
    """The section of the unit; a passage holds units of one section only."""
    proves: bool = True
    """False if it proves nothing by itself: a table of contents, a link definition, a template tag."""
    opens: tuple[str, ...] = ()
    """The headings that this unit is the first prose under; at the start of the document, its title and name too."""
    cut: tuple[str, ...] = ()
    """As in `ScoredPassage`. A unit that was cut is a passage by itself."""


def units_of(document: Document, around: Sequence[Span]) -> list[TextUnit]:
    """The units of all blocks that overlap the spans ``around``; those are in order and do not overlap."""
    blocks = _whole_items(document)
    sections = _Sections(document)
    found: list[TextUnit] = []
    at = 0
    for span in around:
        if span.end <= at:
            continue
        reach = Span(max(at, span.start), span.end)
        for block in _outward(blocks, document.text, reach, at):
            found += _units(document, block, sections)
            at = block.span.end
    return found


def _whole_items(document: Document) -> list[Block]:
    """The blocks of a document. An item and the paragraphs under it are one block if a passage can hold them."""
    text = document.text
    found: list[Block] = []
    content: int | None = None
    for block in document.structure.blocks:
        if content is not None and _goes_on(text, found[-1].span, block, content):
            found[-1] = Block(BlockKind.LIST_ITEM, Span(found[-1].span.start, block.span.end))
            continue
        found.append(block)
        mark = _ITEM.match(text, block.span.start, block.span.end) if block.kind is BlockKind.LIST_ITEM else None
        column = None if mark is None else _column(text, block.span.start)
        content = None if mark is None or column is None else column + len(mark.group())
    return found


def _goes_on(text: str, item: Span, block: Block, content: int) -> bool:
    """Whether a block stands under an item, whose text begins in column ``content``, and fits in a passage with it."""
    if block.kind not in (BlockKind.PARAGRAPH, BlockKind.NAVIGATION) or block.span.end - item.start > WINDOW:
        return False
    between = text[item.end : block.span.start]
    if between.strip() or "\n" not in between:
        return False
    if block.kind is BlockKind.NAVIGATION and between.count("\n") == 1:
        return True
    column = _column(text, block.span.start)
    return column is not None and content <= column < content + _DEEPER


def _column(text: str, place: int) -> int | None:
    """The column of a place, if only blanks stand before it on its line; else None."""
    before = text[max(0, place - _MOST_INDENT) : place].rpartition("\n")[2]
    return len(before.expandtabs(4)) if len(before) < _MOST_INDENT and not before.strip() else None


def _outward(blocks: Sequence[Block], text: str, span: Span, least: int) -> Iterator[Block]:
    """The blocks that overlap a span, whole, with the lines between them; none that begins before ``least``."""
    whole = [block for block in overlapping(blocks, span) if block.span.start >= least]
    at = span.start
    for block in whole:
        if block.span.start > at:
            yield from _loose(text, Span(at, block.span.start))
        yield block
        at = max(at, block.span.end)
    if span.end > at:
        # The stretch may end inside loose text: up to the next block or the end of its line.
        after = bisect_right(blocks, at, key=lambda block: block.span.start)
        stop = blocks[after].span.start if after < len(blocks) else len(text)
        end = text.find("\n", span.end, stop)
        yield from _loose(text, Span(at, stop if end < 0 else end))


def _loose(text: str, span: Span) -> Iterator[Block]:
    """The lines of a span that no block covers, each as a block."""
    for line in lines(text, span):
        found = trim(text, line)
        if len(found):
            yield Block(BlockKind.CODE, found)


def _units(document: Document, block: Block, sections: _Sections) -> Iterator[TextUnit]:
    """The units of a block: the whole block, or its sentences or lines; a piece longer than a passage is cut."""
    text, structure = document.text, document.structure
    section = sections.of(block)
    proves = block.kind not in NEVER_ALONE
    opens = sections.opened(block)
    for span in _pieces(text, block, structure.hidden, keyed=_is_keyed(document, block)):
        for part in without(structure.ours, span):
            whole = trim(text, part)
            if not len(whole) or not any(char.isalnum() for char in text[whole.start : whole.end]):
                continue
            # Text that Lens wrote splits the section: no passage reaches over it.
            own = (*section, bisect_right(structure.ours, whole.start, key=lambda ours: ours.start))
            if len(whole) <= WINDOW:
                yield TextUnit(whole, own, proves, opens)
                opens = ()
            elif block.kind is BlockKind.TABLE_ROW:
                yield from _cut_row(document, whole, own, proves)
            else:
                yield from _cut(text, whole, own, proves)


def _pieces(text: str, block: Block, hidden: Sequence[Span], *, keyed: bool) -> list[Span]:
    """The spans into which a block is split: sentences, entries, lines, or the whole block."""
    kind, span = block.kind, block.span
    if kind is BlockKind.QUOTE:
        return _quoted(text, span, hidden)
    if kind is BlockKind.PARAGRAPH:
        return whole_sentences(text, span, hidden)
    if kind is BlockKind.FRONT_MATTER or (len(span) > WINDOW and keyed):
        return [part for entry in _entries(text, span) for part in _whole(text, entry, hidden)]
    if kind is BlockKind.LIST_ITEM:
        return _whole(text, span, hidden)
    return [span] if len(span) <= WINDOW or kind is BlockKind.TABLE_ROW else lines(text, span)


def _is_keyed(document: Document, block: Block) -> bool:
    """Whether a block is an entry of nested data."""
    locators = document.locators
    place = bisect_right(locators.starts, block.span.start) - 1
    return block.kind is BlockKind.LIST_ITEM and place >= 0 and "key" in locators.locators[place]


def _whole(text: str, span: Span, hidden: Sequence[Span]) -> list[Span]:
    """A span by itself if it fits in a passage, else its sentences."""
    return [span] if len(span) <= WINDOW else whole_sentences(text, span, hidden)


def _quoted(text: str, span: Span, hidden: Sequence[Span]) -> list[Span]:
    """The items and the sentences of a quotation."""
    starts = [item.start() for item in _QUOTED_ITEM.finditer(text, span.start, span.end)]
    found = whole_sentences(text, Span(span.start, starts[0] if starts else span.end), hidden)
    for start, end in pairwise([*starts, span.end]):
        found += _whole(text, trim(text, Span(start, end)), hidden)
    return found


def _entries(text: str, span: Span) -> list[Span]:
    """The entries of metadata or nested data: each a line, with the lines that go on with its value."""
    found: list[Span] = []
    for line in lines(text, span):
        if found and text[line.start : line.start + 1].isspace() and _KEY.match(text, line.start, line.end) is None:
            found[-1] = Span(found[-1].start, line.end)
        else:
            found.append(line)
    return found


def _cut(text: str, span: Span, section: tuple[int, ...], proves: bool) -> Iterator[TextUnit]:
    """A unit longer than a passage, in parts that overlap by half; each is cut between lines, else between words."""
    start = span.start
    while True:
        end = min(span.end, start + WINDOW)
        if end < span.end:
            line = text.rfind("\n", start + WINDOW // 2 + 1, end + 1)
            end = end if line < 0 else line
        part = trim(text, _between_words(text, Span(start, end), span))
        cut = (*(("start",) if part.start > span.start else ()), *(("end",) if part.end < span.end else ()))
        if len(part):
            yield TextUnit(part, section, proves, (), cut)
        if end == span.end:
            return
        line = text.find("\n", start + WINDOW // 2, end)
        start = start + WINDOW // 2 if line < 0 else line + 1


def _cut_row(document: Document, row: Span, section: tuple[int, ...], proves: bool) -> Iterator[TextUnit]:
    """A row longer than a passage, in parts of whole cells that overlap by half; a longer cell is cut itself."""
    found = [cell.span for cell in cells(document, row)]
    first = 0
    while first < len(found):
        last = first + 1
        while last < len(found) and found[last].end - found[first].start <= WINDOW:
            last += 1
        part = Span(
            row.start if first == 0 else found[first].start, row.end if last == len(found) else found[last - 1].end
        )
        part = part if len(part) <= WINDOW else Span(found[first].start, found[last - 1].end)
        cut = (*(("start",) if first else ()), *(("end",) if last < len(found) else ()))
        if len(part) <= WINDOW:
            yield TextUnit(part, section, proves, (), cut)
        else:
            yield from _cut(document.text, part, section, proves)
        if last == len(found):
            return
        half = (at for at in range(first + 1, last) if found[at].start - found[first].start >= WINDOW // 2)
        first = next(half, last)


def _between_words(text: str, span: Span, around: Span) -> Span:
    """A span without the parts of words at its ends, unless nothing would be left."""
    outer = widened(text, span)
    start, end = span.start, span.end
    if outer.start != start:
        start = next((at for at in range(span.start, span.end) if text[at].isspace()), start)
    if outer.end != end:
        end = next((at for at in range(span.end - 1, span.start, -1) if text[at].isspace()), end)
    return Span(start, end) if around.start <= start < end <= around.end else span


class _Sections:
    """The section of each block: that of the last heading before the block's end, on the same page, slide or sheet.

    Headings that follow each other directly open one section together.
    """

    def __init__(self, document: Document) -> None:
        self._starts = [heading.span.start for heading in document.structure.headings]
        self._first = list(range(len(self._starts) + 1))
        for before, after in pairwise(document.structure.blocks):
            if before.kind is BlockKind.HEADING and after.kind is BlockKind.HEADING:
                number = bisect_left(self._starts, after.span.end)
                self._first[number] = self._first[max(0, number - 1)]
        self._pages = _page_starts(document)
        self._opened = _openings(document)

    def opened(self, block: Block) -> tuple[str, ...]:
        """The headings that a block is the first prose under; see `TextUnit`."""
        return self._opened.get(block.span.start, ())

    def of(self, block: Block) -> tuple[int, int]:
        if block.kind is BlockKind.FRONT_MATTER:
            return METADATA
        heading = self._first[bisect_left(self._starts, block.span.end)]
        return heading, bisect_right(self._pages, block.span.start)


def _openings(document: Document) -> dict[int, tuple[str, ...]]:
    """For each block that is the first prose under headings, or of the document: its offset, and what stands above.

    Above the first stand the document's file name, its title and its first headings.
    """
    structure = document.structure
    title = structure.head.title
    name = document.path.rpartition("/")[2].rpartition(".")[0]
    above: list[str] = [name, *([title] if title else ())]
    found: dict[int, tuple[str, ...]] = {}
    headings = iter(structure.headings)
    following = False
    for block in structure.blocks:
        if block.kind is BlockKind.HEADING:
            if not following and found:
                above = []
            above += [heading.text for heading in islice(headings, 1)]
            following = True
        elif block.kind in PROSE:
            if above:
                found[block.span.start] = tuple(above)
            above, following = [], False
    return found


def _page_starts(document: Document) -> list[int]:
    """The offsets where a page, slide, chapter, message or sheet begins; empty for texts and tables."""
    starts: list[int] = []
    before: tuple[object, ...] = ({}, None)
    for start, locator in zip(document.locators.starts, document.locators.locators, strict=True):
        own = leaf_of(locator), locator.get("page")
        if own != before:
            starts.append(start)
        before = own
    return starts


class Cutter:
    """Cuts documents into passages and scores those for one question."""

    def __init__(self, question: ScanQuestion, weights: Weights, fields: FieldQuery | None) -> None:
        self._weights = weights
        self._fields = fields
        self._definition = definition_of(question.plan.question)
        verbatim = _FEWEST_VERBATIM <= len(question.words) <= _MOST_VERBATIM
        written = r"[\W_]{1,3}".join(map(re.escape, question.words))
        self._verbatim = re.compile(rf"\b{written}\b", re.IGNORECASE) if verbatim else None
        self._terms = [stem(term) for term in question.terms]
        self._related = [stem(related.word) for related in question.related]

    def passages(
        self, slot: int, document: Document, places: Sequence[Ints], around: Sequence[Span], share: float
    ) -> list[ScoredPassage]:
        """All passages around the given spans that hold a distinctive term, in no order and with overlaps.

        ``places`` holds the code points at which each scanned term stands, in order. ``share`` is the document's own
        score, from 0 to 1.
        """
        units = units_of(document, around)
        if not units:
            return []
        weights, terms = self._weights, len(self._weights.own)
        starts = np.array([unit.span.start for unit in units])
        stops = np.array([unit.span.end for unit in units])
        counts = self._counts(units, starts, stops, places, document)
        runs = _runs(units)
        sums = np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)])
        held = sums[runs[:, 1]] - sums[runs[:, 0]]
        own, related = held[:, :terms], held[:, terms:]
        preferred = self._preferred(slot, document, units, runs)
        preferred += self._said(document, around, starts[runs[:, 0]], stops[runs[:, 1] - 1])
        chosen = union_of(len(runs), weights.distinctive(own, related), np.flatnonzero(preferred > 0))
        if not len(chosen):
            return []
        runs, own, related, preferred = runs[chosen], own[chosen], related[chosen], preferred[chosen]
        above, above_related = self._above(slot, document, [units[first] for first in runs[:, 0].tolist()])
        mass = weights.mass(own, related, above, above_related)
        mass += weights.constants.document * share + preferred
        follows = _following(places[:terms], weights.own)
        mass += weights.constants.together * _within(follows, starts[runs[:, 0]], stops[runs[:, 1] - 1]) / weights.total
        return [
            ScoredPassage(slot, Span(units[first].span.start, units[last - 1].span.end), value, (), units[first].cut)
            for (first, last), value in zip(runs.tolist(), mass.tolist(), strict=True)
        ]

    def marks(self, passage: ScoredPassage, places: Sequence[Ints]) -> tuple[TermMark, ...]:
        """The hits of the question in a passage, in order."""
        weight = [*self._weights.own.tolist(), *self._weights.related.tolist()]
        marks: list[TermMark] = []
        for term, at in enumerate(places):
            first, last = np.searchsorted(at, [passage.span.start, passage.span.end]).tolist()
            marks += [TermMark(place, term, weight[term]) for place in at[first:last].tolist()]
        return tuple(sorted(marks))

    def _counts(
        self, units: Sequence[TextUnit], starts: Ints, stops: Ints, places: Sequence[Ints], document: Document
    ) -> Floats:
        """How often each scanned term stands in each unit; 0 in a unit that proves nothing and in link targets."""
        counts = np.zeros((len(units), len(places)))
        proves = np.array([unit.proves for unit in units])
        for term, at in enumerate(places):
            # Parts of one long unit overlap, so each unit is counted by itself.
            counts[:, term] = np.searchsorted(at, stops) - np.searchsorted(at, starts)
        for target in document.structure.targets:
            low, high = bisect_right(stops, target.start), bisect_left(starts, target.end)
            for unit in range(low, high):
                for term, at in enumerate(places):
                    first, last = np.searchsorted(at, [target.start, target.end])
                    counts[unit, term] -= last - first
        return np.asarray(np.maximum(counts, 0) * proves[:, None], np.float64)

    def _said(self, document: Document, around: Sequence[Span], starts: Ints, stops: Ints) -> Floats:
        """What the passages score for the whole question, word for word: 0 or `VERBATIM` each."""
        counted = np.zeros(len(starts))
        if self._verbatim is None:
            return counted
        for span in around:
            for match in self._verbatim.finditer(document.text, span.start, span.end):
                counted[(starts <= match.start()) & (match.end() <= stops)] = VERBATIM
        return counted

    def _preferred(self, slot: int, document: Document, units: Sequence[TextUnit], runs: Ints) -> Floats:
        """What the passages score for defining what is asked about, and for metadata that the question asks for."""
        fields, definition = self._fields, self._definition
        if fields is None and definition is None:
            return np.zeros(len(runs))
        counted = np.zeros(len(units))
        for place, unit in enumerate(units):
            if unit.section[:2] == METADATA:
                if fields is not None:
                    counted[place] = fields.proof(document, slot, unit.span)
                elif definition is not None:
                    counted[place] = UNDEFINING
            else:
                if definition is not None:
                    counted[place] = definition.proof(document, unit.span, unit.opens)
                if fields is not None and fields.asked:
                    headings = heading_path(document, unit.span.end - 1)
                    counted[place] += fields.proof_under(headings[-1]) if headings else 0.0
        whole = fields.slots.get(slot, 0.0) if fields is not None else 0.0
        found = [counted[first:last] for first, last in runs.tolist()]
        return np.array([whole + float(some.max() if some.max() > 0 else some.min()) for some in found])

    def _above(self, slot: int, document: Document, firsts: Sequence[TextUnit]) -> tuple[Floats, Floats]:
        """The occurrences of each term and each related word that title, path and headings add to each passage."""
        constants = self._weights.constants
        title = set(map(stem, words(document.structure.head.title or "")))
        path = set(map(stem, words(document.path)))
        fields = self._fields
        spent: frozenset[str] = fields.spent if fields is not None and slot in fields.said else frozenset()
        known: dict[tuple[int, ...], tuple[list[float], list[float]]] = {}
        for unit in firsts:
            if unit.section in known:
                continue
            headings = [set(map(stem, words(heading))) for heading in heading_path(document, unit.span.end - 1)]
            inner = headings[-1] if headings else set()
            under = set().union(*headings)
            terms = [
                (constants.heading if term in inner else constants.outer_heading * (term in under))
                + constants.title * (term in title)
                + constants.path * (term in path)
                + constants.spent * (term in spent)
                for term in self._terms
            ]
            near = [(word in under) + (word in title or word in path) for word in self._related]
            known[unit.section] = terms, [constants.related_above * count for count in near]
        own, related = (np.array([known[unit.section][part] for unit in firsts], np.float64) for part in (0, 1))
        return own, related.reshape(len(firsts), len(self._related))


def _runs(units: Sequence[TextUnit]) -> Ints:
    """From each unit on, as many units as a passage holds. Each row is the first unit and the one past the last."""
    rows: list[tuple[int, int]] = []
    last = 0
    for first, unit in enumerate(units):
        last = max(last, first + 1)
        while (
            last < len(units)
            and not unit.cut
            and not units[last].cut
            and units[last].section == unit.section
            and units[last].span.end - unit.span.start <= WINDOW
        ):
            last += 1
        rows.append((first, last))
    return np.array(rows, np.int64)


def _following(places: Sequence[Ints], weights: Floats) -> tuple[Ints, Floats]:
    """Where a term is followed closely by the next term of the question, in order, and the lesser of their weights."""
    at: list[Ints] = []
    value: list[Floats] = []
    for term, (left, right) in enumerate(pairwise(places)):
        behind = np.searchsorted(right, left, side="right")
        meets = behind < len(right)
        near = left[meets][right[behind[meets]] - left[meets] < _NEAR]
        at.append(near)
        value.append(np.full(len(near), min(weights[term], weights[term + 1])))
    if not at:
        return np.empty(0, np.int64), np.empty(0)
    starts, values = np.concatenate(at), np.concatenate(value)
    order = np.argsort(starts, kind="stable")
    return starts[order], values[order]


def _within(follows: tuple[Ints, Floats], starts: Ints, stops: Ints) -> Floats:
    """The sum of the values of `_following` that lie inside each span."""
    sums = np.concatenate([[0.0], np.cumsum(follows[1])])
    first, last = np.searchsorted(follows[0], [starts, stops])
    return np.asarray(sums[last] - sums[first], np.float64)


def apart(passages: Iterable[ScoredPassage], keys: Mapping[int, object]) -> list[ScoredPassage]:
    """The passages, best first, without those that overlap a better one by more than a third of the shorter.

    ``keys`` order the slots of passages with equal scores, so that every run gives the same order.
    """
    kept: list[ScoredPassage] = []
    taken: dict[int, list[Span]] = {}
    for passage in sorted(passages, key=lambda one: (-one.score, keys[one.slot], one.span)):
        under = taken.setdefault(passage.slot, [])
        own = passage.span
        shared = ((min(own.end, span.end) - max(own.start, span.start), min(len(own), len(span))) for span in under)
        if all(common <= shorter / 3 for common, shorter in shared):
            under.append(own)
            kept.append(passage)
    return kept
