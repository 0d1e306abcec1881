"""The context of a quote: what stands around it in its own block and what leads into it; verbatim, never scored."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from lens_lsp.model.documents import Block, BlockKind, Context, ContextRole, Document
from lens_lsp.model.text import Span, sentences, trim

LONGEST = 300
"""Code points of one part of the context; a longer one is cut at a word."""
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST_ITEM})


def context_of(document: Document, span: Span, before: int = 0) -> tuple[Context, ...]:
    """The context of a span of a document, in the order of the text; no part overlaps the span, another part or text
    that is ours.

    ``before`` is how many code points of the file lie before the document's text; the spans that come back count from
    the beginning of the file.
    """
    found: list[Context] = []
    taken = [span, *document.structure.ours]
    for role, part, near_end in _parts(document, span):
        whole = trim(document.text, part)
        if not len(whole) or any(whole.overlaps(other) for other in taken):
            continue
        piece, cut = _shortened(document.text, whole, near_end=near_end)
        taken.append(piece)
        text = document.text[piece.start : piece.end]
        found.append(Context(role, Span(before + piece.start, before + piece.end), text, cut))
    return tuple(sorted(found, key=lambda context: context.span))


def _parts(document: Document, span: Span) -> Iterator[tuple[ContextRole, Span, bool]]:
    """What may be context, the most useful first; whether its end or its beginning is nearer to the quote."""
    blocks = document.structure.blocks
    at = bisect_right(blocks, span.start, key=lambda block: block.span.start) - 1
    last = bisect_right(blocks, max(span.start, span.end - 1), key=lambda block: block.span.start) - 1
    if at < 0:
        return
    block = blocks[at]
    if block.kind is BlockKind.TABLE_ROW and block.header is not None and not span.contains(block.header):
        yield ContextRole.HEADER, block.header, False
    if block.span.start < span.start < block.span.end and block.kind in _PROSE:
        yield ContextRole.BEFORE, Span(block.span.start, span.start), True
    if blocks[last].span.start <= span.end < blocks[last].span.end and blocks[last].kind in _PROSE:
        yield ContextRole.AFTER, Span(span.end, blocks[last].span.end), False
    if block.kind is BlockKind.LIST_ITEM:
        parent, lead_in = _above_item(document, at)
        if parent is not None:
            yield ContextRole.PARENT, parent, False
        if lead_in is not None:
            yield ContextRole.LEAD_IN, lead_in, True
    elif block.kind is BlockKind.CODE and at and blocks[at - 1].kind is BlockKind.PARAGRAPH:
        yield ContextRole.LEAD_IN, _last_sentence(document.text, blocks[at - 1]), True


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
    if len(span) <= LONGEST:
        return span, ()
    if near_end:
        start = next((at for at in range(span.end - LONGEST, span.end) if text[at].isspace()), span.end - LONGEST)
        return trim(text, Span(start, span.end)), ("start",)
    end = next((at for at in range(span.start + LONGEST, span.start, -1) if text[at].isspace()), span.start + LONGEST)
    return trim(text, Span(span.start, end)), ("end",)
