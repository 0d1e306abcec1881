"""Text boundaries: words, sentences, blocks and headings at which a document may be cut for reading.

A *region* is what an oracle is shown of a document: a window snapped outward to boundaries that a reader would choose.
The *context* of a quote is what stands around it in its block and what leads into it. Both are for reading and display,
never for scoring. Words hang together more strictly here than where the search compares them: hyphens, apostrophes and
points inside a word join its parts, because "toxic" is not what "non-toxic" says and "5" is not "3.5".
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter

from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.model.documents import Block, BlockKind, Context, ContextRole, Document, leaf_of
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import RegionView, tokens
from lens_lsp.model.text import Span, breaks, sentences, trim
from lens_lsp.search.cells import TableCell, cells

LONGEST = 60
"""Code points. A longer word is cut, since no reader takes it for one."""
# Letters of scripts that write no spaces, or that are syllables of their own: a boundary may fall between any two.
_UNSPACED = regex("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_JOINERS = frozenset("'’-\u2010\u2011.@")
_FIGURE_JOINERS = frozenset(",:")
_SIGNS = frozenset("-+−")
REGION_TOKENS = 400
"""The most tokens of a region, as ``tokens`` estimates them. A window that is larger stays as it is."""
REACH = 3 * REGION_TOKENS
"""Code points beyond which no boundary is looked for: each is a byte at least, three bytes are a token."""
_RUN_BACK = 64
"""Code points before an offset from which on a full stop may reach behind it with its closing marks."""
_BREAK = regex(r"\r\n?|\n")
PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST_ITEM})
"""Kinds of blocks that consist of sentences."""
LONGEST_CONTEXT = 300
"""Code points of one part of the context; a longer one is cut at a word."""
_START, _END = attrgetter("start"), attrgetter("end")
_BLOCK_START, _BLOCK_END = attrgetter("span.start"), attrgetter("span.end")
_LINE = regex(r"[^\r\n]+")
_WORDY = regex(r"[^\W_]")
_LONGEST_TAGS = 400
# Markup that stands inside a word without ending it. An atomic group: Python 3.11.2 errs with a possessive one.
_RUNNING_ON = regex(
    r"(?>(?:</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike"
    r"|strong|sub|sup|tt|u|var|wbr)(?=[\s/>])[^<>]*+>|<!--(?>(?:[^-]+|-(?!->))*)-->)+)",
    re.IGNORECASE,
)


def in_word(text: str, at: int) -> bool:
    """Whether the character at an offset, or the one that it marks, is part of a word that must not be cut."""
    char = text[at]
    if char.isascii() or unicodedata.category(char)[0] != "M":
        return _is_letter(char)
    return at > 0 and (_is_letter(text[at - 1]) or unicodedata.category(text[at - 1])[0] == "M")


def is_joined(text: str, at: int) -> bool:
    """Whether the characters around an offset hang together."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if not right.isascii() and (unicodedata.category(right)[0] == "M" or right == "\u200d"):
        return not left.isspace()
    before, after = in_word(text, at - 1), in_word(text, at)
    if before and after:
        return True
    if before:
        return at + 1 < len(text) and _joins(text, at)
    if after and at > 1 and _joins(text, at - 1):
        return True
    return left == "\u200d"


def signed(text: str, at: int) -> bool:
    """Whether a figure at an offset has its sign right before it."""
    return (
        0 < at < len(text)
        and text[at - 1] in _SIGNS
        and text[at].isdigit()
        and not (at > 1 and (text[at - 2].isalnum() or text[at - 2] in ")]"))
    )


def widened(text: str, span: Span) -> Span:
    """The span with what it cuts at either end made whole; at most ``LONGEST`` code points more on each side."""
    start, end = span.start, span.end
    first, last = max(start - LONGEST, 0), min(end + LONGEST, len(text))
    start = next((at for at in range(start, first - 1, -1) if not is_joined(text, at)), start)
    end = next((at for at in range(end, last + 1) if not is_joined(text, at)), end)
    return Span(start, end)


def _is_letter(char: str) -> bool:
    if char.isascii():
        return char.isalnum() or char == "_"
    return char.isalnum() and _UNSPACED.match(char) is None


def _joins(text: str, at: int) -> bool:
    """Whether the character at an offset joins those on both sides."""
    if text[at] in _JOINERS:
        return in_word(text, at - 1) and in_word(text, at + 1)
    return text[at] in _FIGURE_JOINERS and text[at - 1].isdigit() and text[at + 1].isdigit()


class Edges:
    """Where a region may begin and end around an offset; ``None`` where no such place is near enough.

    ``coarse`` boundaries are those of whole items, rows and blocks of code, if a region can hold those; else they are
    those of sentences, cells and lines.
    """

    def __init__(self, document: Document, room: Span) -> None:
        self._document = document
        self._text = document.text
        self._blocks = document.structure.blocks
        self._hidden = document.structure.hidden
        self._room = room

    def start(self, at: int, *, coarse: bool) -> int | None:
        """The last boundary at or before ``at``."""
        index = bisect_right(self._blocks, at, key=_BLOCK_START)
        block = self._blocks[index - 1] if index else None
        edge = self._room.start
        if block is not None and block.span.end <= at:
            edge, block = max(edge, block.span.end), None
        elif block is not None:
            edge = max(edge, block.span.start)
        low = max(edge, at - REACH)
        found: list[int] = []
        if not self._is_whole(block, coarse=coarse):
            if block is not None and block.kind is BlockKind.TABLE_ROW:
                found = [cell.span.start for cell in cells(self._document, block.span) if low <= cell.span.start <= at]
            elif block is not None and block.kind in PROSE:
                found = [after for _, after in breaks(self._text, low, at) if not inside(self._hidden, after)]
            else:
                found = [line.end() for line in _BREAK.finditer(self._text, low, at)]
        if found:
            return found[-1]
        return edge if edge == low else None

    def end(self, at: int, *, coarse: bool) -> int | None:
        """The first boundary at or behind ``at``."""
        index = bisect_left(self._blocks, at, key=_BLOCK_START)
        block = self._blocks[index - 1] if index else None
        edge = self._room.end
        if block is not None and block.span.end >= at:
            edge = min(edge, block.span.end)
        else:
            block = None
            edge = min(edge, self._blocks[index].span.start) if index < len(self._blocks) else edge
        high = min(edge, at + REACH)
        if not self._is_whole(block, coarse=coarse):
            found = self._stop(block, at, high)
            if found is not None:
                return found
        return edge if edge == high else None

    def _is_whole(self, block: Block | None, *, coarse: bool) -> bool:
        """Whether a block is taken as a whole; text in no block never is."""
        if block is None or not coarse or (block.kind in PROSE and block.kind is not BlockKind.LIST_ITEM):
            return False
        return fits(self._text, block.span)

    def _stop(self, block: Block | None, at: int, high: int) -> int | None:
        """The first end of a sentence, a cell or a line at or behind ``at``, before ``high``."""
        if block is not None and block.kind is BlockKind.TABLE_ROW:
            ends = (cell.span.end for cell in cells(self._document, block.span))
            return next((end for end in ends if at <= end < high), None)
        if block is None or block.kind not in PROSE:
            line = _BREAK.search(self._text, at, high)
            return None if line is None else line.start()
        for stop, after in breaks(self._text, max(block.span.start, at - _RUN_BACK), high):
            if after >= at and not inside(self._hidden, after):
                return max(stop, at)
        return None


def fits(text: str, span: Span) -> bool:
    """Whether a stretch of text is no larger than a region may be."""
    return len(span) <= REACH and tokens(text[span.start : span.end]) <= REGION_TOKENS


def overlapping(blocks: Sequence[Block], span: Span) -> Iterator[Block]:
    """The blocks that share something with a stretch, in order."""
    for index in range(bisect_right(blocks, span.start, key=_BLOCK_END), len(blocks)):
        if blocks[index].span.start >= span.end:
            return
        yield blocks[index]


def inside(spans: Sequence[Span], at: int) -> bool:
    """Whether an offset lies within one of some spans that are in order and apart, and not at its ends."""
    index = bisect_right(spans, at, key=_START) - 1
    return index >= 0 and spans[index].start < at < spans[index].end


def without(spans: Sequence[Span], around: Span) -> list[Span]:
    """What is left of a stretch when spans that are in order and apart are taken out of it."""
    found: list[Span] = []
    at = around.start
    for index in range(bisect_right(spans, at, key=_END), len(spans)):
        cut = spans[index]
        if cut.start >= around.end:
            break
        if cut.start > at:
            found.append(Span(at, cut.start))
        at = cut.end
    if at < around.end:
        found.append(Span(at, around.end))
    return found


def heading_path(document: Document, offset: int) -> tuple[str, ...]:
    """The headings an offset stands under, outermost first."""
    headings = document.structure.headings
    path: list[str] = []
    level: int | None = None
    for index in range(bisect_right(headings, offset, key=_BLOCK_START) - 1, -1, -1):
        heading = headings[index]
        if level is None or heading.level < level:
            path.append(heading.text)
            level = heading.level
            if level <= 1:
                break
    return tuple(reversed(path))


def context_of(
    document: Document, span: Span, before: int = 0, at: int | None = None, header: Span | None = None
) -> tuple[Context, ...]:
    """The context of a span of a document, in the order of the text; no part overlaps the span, another part or text
    that is ours.

    ``before`` is how many code points of the file lie before the document's text; the spans that come back count from
    the beginning of the file. ``at`` is where the match stands: of a header with many columns, those beside its column
    are taken. ``header`` names the columns of a row, where that is known better than its reader says.
    """
    found: list[Context] = []
    taken = [span, *document.structure.ours]
    for role, part, near_end in _context_parts(document, span, header):
        whole = trim(document.text, part)
        if not len(whole) or any(whole.overlaps(other) for other in taken):
            continue
        if role is ContextRole.HEADER:
            piece, cut = _columns(document, whole, span, span.start if at is None else at)
        else:
            piece, cut = _shortened(document.text, whole, near_end=near_end)
        taken.append(piece)
        text = document.text[piece.start : piece.end]
        found.append(Context(role, Span(before + piece.start, before + piece.end), text, cut))
    return tuple(sorted(found, key=lambda context: context.span))


def _context_parts(document: Document, span: Span, named: Span | None) -> Iterator[tuple[ContextRole, Span, bool]]:
    """What may be context, the most useful first; whether its end or its beginning is nearer to the quote."""
    blocks = document.structure.blocks
    at = bisect_right(blocks, span.start, key=_BLOCK_START) - 1
    last = bisect_right(blocks, max(span.start, span.end - 1), key=_BLOCK_START) - 1
    headers = (block.header for block in overlapping(blocks, span) if block.kind is BlockKind.TABLE_ROW)
    for header in dict.fromkeys(headers if named is None else [named]):
        if header is not None and not span.contains(header):
            yield ContextRole.HEADER, header, False
    if at < 0:
        return
    block = blocks[at]
    if block.span.start < span.start < block.span.end and block.kind in PROSE:
        yield ContextRole.BEFORE, Span(block.span.start, span.start), True
    if blocks[last].span.start <= span.end < blocks[last].span.end and blocks[last].kind in PROSE:
        yield ContextRole.AFTER, Span(span.end, blocks[last].span.end), False
    if block.kind is BlockKind.LIST_ITEM:
        parent, lead_in = _above_item(document, at)
        if parent is not None:
            yield ContextRole.PARENT, parent, False
        if lead_in is not None:
            yield ContextRole.LEAD_IN, lead_in, True
    elif block.kind is BlockKind.CODE and at and blocks[at - 1].kind is BlockKind.PARAGRAPH:
        yield ContextRole.LEAD_IN, _last_sentence(document.text, blocks[at - 1]), True


def _columns(document: Document, header: Span, span: Span, at: int) -> tuple[Span, tuple[str, ...]]:
    """The part of a header that belongs to a span: the columns of the cells in it; of more than context may hold, those
    around the column of the match at ``at``."""
    rows = [block.span for block in overlapping(document.structure.blocks, span) if block.header is not None]
    row = next((row for row in rows if row.start <= at < row.end), rows[0] if rows else span)
    whole = all(span.contains(other) for other in rows)
    if whole and len(header) <= LONGEST_CONTEXT:
        return header, ()
    names = cells(document, header, row)
    held = [cell for cell in cells(document, row, header) if whole or cell.span.overlaps(span)]
    columns = {cell.column for cell in held}
    chosen = [index for index, name in enumerate(names) if name.column in columns]
    if not chosen:
        return _shortened(document.text, header, near_end=False)
    first, last = chosen[0], chosen[-1]
    if first == 0 and last == len(names) - 1 and len(header) <= LONGEST_CONTEXT:
        return header, ()
    if names[last].span.end - names[first].span.start > LONGEST_CONTEXT:
        near = max((cell for cell in held if cell.span.start <= at), key=lambda cell: cell.span, default=held[0]).column
        first, last = _around(names, first, last, next((i for i in chosen if names[i].column == near), first))
    piece = Span(names[first].span.start, names[last].span.end)
    if len(piece) > LONGEST_CONTEXT:
        return _shortened(document.text, piece, near_end=False)
    return piece, (*(("start",) if first else ()), *(("end",) if last < len(names) - 1 else ()))


def _around(names: Sequence[TableCell], first: int, last: int, middle: int) -> tuple[int, int]:
    """The run of cells around one of them, between two others, that context has room for."""
    low = high = middle
    while True:
        wider = [
            (start, end)
            for start, end in ((low - 1, high), (low, high + 1))
            if first <= start and end <= last and names[end].span.end - names[start].span.start <= LONGEST_CONTEXT
        ]
        if not wider:
            return low, high
        low, high = min(wider, key=lambda run: abs(run[0] + run[1] - 2 * middle))


def row_cut(document: Document, span: Span) -> tuple[str, ...]:
    """``"start"`` or ``"end"``, where a span begins or ends inside a row of a table."""
    rows = [block.span for block in overlapping(document.structure.blocks, span) if block.kind is BlockKind.TABLE_ROW]
    found = trim(document.text, span)
    return (
        *(("start",) if any(row.start < found.start < row.end for row in rows[:1]) else ()),
        *(("end",) if any(row.start < found.end < row.end for row in rows[-1:]) else ()),
    )


def _above_item(document: Document, at: int) -> tuple[Span | None, Span | None]:
    """The first sentence of the item that an item stands under, and the sentence that leads into the list."""
    text, blocks = document.text, document.structure.blocks
    indent, parent = _indent(text, blocks[at]), None
    for index in range(at - 1, -1, -1):
        block = blocks[index]
        if block.kind is BlockKind.LIST_ITEM:
            if parent is None and _indent(text, block) < indent:
                parent = sentences(text, block.span)[0] if len(block.span) else None
        elif block.kind is BlockKind.PARAGRAPH and _indent(text, block) == 0:
            return parent, _last_sentence(text, block)
        elif block.kind is BlockKind.HEADING or block.kind is BlockKind.FRONT_MATTER:
            break
    return parent, None


def _last_sentence(text: str, block: Block) -> Span:
    found = sentences(text, block.span)
    return found[-1] if found else Span(block.span.end, block.span.end)


def _indent(text: str, block: Block) -> int:
    """How far a block's first line is indented, in characters."""
    line = max(text.rfind("\n", 0, block.span.start), text.rfind("\r", 0, block.span.start)) + 1
    return block.span.start - line


def _shortened(text: str, span: Span, *, near_end: bool) -> tuple[Span, tuple[str, ...]]:
    """A part no longer than context may be: what is nearer to the quote stays."""
    if len(span) <= LONGEST_CONTEXT:
        return span, ()
    if near_end:
        first = span.end - LONGEST_CONTEXT
        start = next((at for at in range(first, span.end) if text[at].isspace()), first)
        return trim(text, Span(start, span.end)), ("start",)
    last = span.start + LONGEST_CONTEXT
    end = next((at for at in range(last, span.start, -1) if text[at].isspace()), last)
    return trim(text, Span(span.start, end)), ("end",)


def region(document: Document, span: Span) -> Span:
    """The region around a window.

    It takes whole sentences of paragraphs, whole list items, table rows and blocks of code; where those make it larger
    than ``REGION_TOKENS``, sentences of items, cells and lines of code; else whole words. Words are made whole even
    where that costs some tokens too many. It does not reach over the border of a sheet, slide, chapter, mail or
    attachment. A window that is ours altogether gives an empty span, one that is in part its longest other part.
    """
    text = document.text
    room, core = _apart(document, Span(min(span.start, len(text)), min(span.end, len(text))))
    room, core = _in_leaf(document, room, core)
    if not len(core) and len(span):
        return core
    words = _within(widened(text, core), room)
    edges = Edges(document, room)
    starts = [edges.start(core.start, coarse=True), edges.start(core.start, coarse=False), words.start]
    ends = [edges.end(core.end, coarse=True), edges.end(core.end, coarse=False), words.end]
    for loss in range(4):
        for level in range(max(0, loss - 2), min(loss, 2) + 1):
            start, end = starts[loss - level], ends[level]
            if start is None or end is None or end - start > REACH:
                continue
            found = _within(widened(text, Span(min(start, words.start), max(end, words.end))), room)
            if tokens(text[found.start : found.end]) <= REGION_TOKENS:
                return found
    return words


def units(document: Document, span: Span) -> list[Block]:
    """What a region is made of, in order and apart, none of it reaching out of the region.

    Sentences of prose, list items, table rows, headings, blocks of code; what is longer than a region may be comes in
    sentences or lines, what stands in no block and front matter in lines. Without outer blanks, without what is ours,
    without what has neither letters nor figures that are shown.
    """
    found: list[Block] = []
    at = span.start
    for block in (*overlapping(document.structure.blocks, span), None):
        within = Span(span.end, span.end) if block is None else _within(block.span, span)
        loose = lines(document.text, Span(at, max(at, within.start)))
        found += (Block(BlockKind.PARAGRAPH, line) for line in loose)
        found += [] if block is None else _parts(document, block, within)
        at = within.end
    return list(_proper(document, found))


def shown(document: Document, span: Span) -> RegionView:
    """A region as an oracle sees it."""
    text = document.text
    ours, hidden = document.structure.ours, document.structure.hidden
    pieces = [piece for part in without(ours, span) for piece in without(hidden, part)]
    parts: list[str] = []
    at: list[int] = []
    size = 0
    for index, piece in enumerate(pieces):
        if index and _ends_a_word(text, pieces[index - 1].end, piece.start):
            parts.append(" ")
            size += 1
        at.append(size)
        parts.append(text[piece.start : piece.end])
        size += len(piece)
    view = RegionView(span, "".join(parts), tuple(at), tuple(pieces))
    found = units(document, span)
    headers = dict.fromkeys(unit.header for unit in found if unit.header is not None and not span.contains(unit.header))
    starts = (Span(header.start, min(header.end, header.start + REACH)) for header in headers)
    return replace(
        view,
        units=tuple(Block(unit.kind, Span(view.place(unit.span.start), view.place(unit.span.end))) for unit in found),
        headings=_headings_above(document, span),
        headers=tuple(" ".join(shown(document, header).text.split()) for header in starts),
        recognised=(locate(document.locators, span.start) or {}).get("by") == "ocr",
    )


def _headings_above(document: Document, span: Span) -> tuple[str, ...]:
    """The headings that a span stands under; of one that it begins with, those above that."""
    text = document.text
    start = trim(text, span).start
    end = text.find("\n", start, span.end)
    path = heading_path(document, max(start, (span.end if end < 0 else end) - 1))
    headings = document.structure.headings
    begun = bisect_right(headings, start - 1, key=_BLOCK_START)
    begins = begun < len(headings) and headings[begun].span.start <= (span.end if end < 0 else end)
    return path[:-1] if begins else path


def _apart(document: Document, span: Span) -> tuple[Span, Span]:
    """The stretch around a window in which nothing is ours, and the window's part in it: the longest one."""
    ours, size = document.structure.ours, len(document.text)
    best: tuple[Span, Span] | None = None
    at = bisect_right(ours, span.start, key=lambda own: own.end)
    before = ours[at - 1].end if at else 0
    while True:
        after = ours[at].start if at < len(ours) else size
        room = Span(before, max(before, after))
        start = min(max(span.start, room.start), room.end)
        core = Span(start, max(start, min(span.end, room.end)))
        if best is None or len(core) > len(best[1]):
            best = room, core
        if at == len(ours) or ours[at].end >= span.end:
            return best
        before = ours[at].end
        at += 1


def _in_leaf(document: Document, room: Span, core: Span) -> tuple[Span, Span]:
    """The stretch around a window that is all of one sheet, slide, chapter, mail or attachment, and the window's part
    in it: the longest one."""
    starts, places = document.locators.starts, document.locators.locators
    first = max(0, bisect_right(starts, core.start - REACH) - 1)
    near = range(first + 1, bisect_left(starts, core.end + REACH))
    borders = [starts[index] for index in near if leaf_of(places[index]) != leaf_of(places[index - 1])]
    edges = [room.start, *(min(max(border, room.start), room.end) for border in borders)]
    parts = [Span(start, end) for start, end in pairwise([*edges, room.end])]
    best = max(parts, key=lambda part: (min(part.end, core.end) - max(part.start, core.start), -part.start))
    start = min(max(core.start, best.start), best.end)
    return best, Span(start, max(start, min(core.end, best.end)))


def _within(span: Span, room: Span) -> Span:
    return Span(max(span.start, room.start), min(span.end, room.end))


def _parts(document: Document, block: Block, clipped: Span) -> list[Block]:
    text, kind = document.text, block.kind
    if kind in PROSE and not (kind is BlockKind.LIST_ITEM and fits(text, clipped)):
        return [Block(kind, sentence) for sentence in whole_sentences(text, clipped, document.structure.hidden)]
    if kind is BlockKind.FRONT_MATTER or (kind is BlockKind.CODE and not fits(text, clipped)):
        return [Block(kind, line) for line in lines(text, clipped)]
    return [Block(kind, clipped, block.header)]


def lines(text: str, span: Span) -> list[Span]:
    """The lines of a stretch that are not empty, without their ends."""
    return [Span(*line.span()) for line in _LINE.finditer(text, span.start, span.end)]


def whole_sentences(text: str, span: Span, hidden: Sequence[Span]) -> list[Span]:
    """The sentences of prose; a full stop inside a ``hidden`` tag ends nothing."""
    found: list[Span] = []
    for sentence in sentences(text, span):
        if found and inside(hidden, sentence.start):
            found[-1] = Span(found[-1].start, sentence.end)
        else:
            found.append(sentence)
    return found


def _proper(document: Document, found: list[Block]) -> Iterator[Block]:
    """The units without what is ours and without markup and blanks at their ends, if something is left to read."""
    text, structure = document.text, document.structure
    for unit in found:
        for part in without(structure.ours, unit.span):
            seen = [trim(text, piece) for piece in without(structure.hidden, part)]
            read = [piece for piece in seen if len(piece)]
            if any(_WORDY.search(text, piece.start, piece.end) for piece in read):
                yield Block(unit.kind, Span(read[0].start, read[-1].end), unit.header)


def _ends_a_word(text: str, before: int, after: int) -> bool:
    """Whether what is left out between two offsets stands for a blank that is not there."""
    if text[before - 1].isspace() or text[after].isspace():
        return False
    return after - before > _LONGEST_TAGS or _RUNNING_ON.fullmatch(text, before, after) is None
