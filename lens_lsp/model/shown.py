"""What an oracle is shown of a document, and the way from what it reads back to the source."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from lens_lsp.model.documents import Block
from lens_lsp.model.text import Span

MOST_CONTEXT = 400
"""Code points of a line of context that a model is sent; the ledger lists a longer one whole."""


_MOST_IN_ONE = 8
"""As many tokens of our estimate, 24 bytes, no tokenizer makes one of, text taken together."""


def tokens(text: str) -> int:
    """An estimate of how many tokens a text costs: a third of its UTF-8 bytes, rounded up."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // 3)


def counted(reported: int | None, estimate: int) -> int:
    """The tokens that count of a text: what an endpoint reported, or the estimate where it reported nothing or far less
    than any tokenizer makes of so much text."""
    return estimate if reported is None or reported * _MOST_IN_ONE < estimate else reported


@dataclass(frozen=True, slots=True)
class Shown:
    """A region as an oracle sees it: ``text`` may be quoted, the context may not.

    ``text`` is the source without its hidden markup, piece by piece: ``text[at[i]:]`` begins with the source's
    ``pieces[i]``. What lies between two pieces is a space of ours, which stands for markup.
    """

    span: Span
    """The region, in code points of the document's text."""
    text: str
    at: tuple[int, ...]
    pieces: tuple[Span, ...]
    units: tuple[Block, ...] = ()
    """Sentences, list items, table rows, headings and code in the text, all spans in code points of ``text``; a
    table row's ``header`` is not kept."""
    headings: tuple[str, ...] = ()
    """The headings the region stands under, outermost first."""
    headers: tuple[str, ...] = ()
    """The header rows of the tables whose rows are shown without them."""

    @property
    def context(self) -> str:
        """What helps to understand the text and is no part of it, a line each; may be empty."""
        path = (" > ".join(self.headings),) if self.headings else ()
        return "\n".join((*path, *self.headers))

    def source(self, span: Span) -> Span | None:
        """Where a stretch of ``text`` stands in the document, ``None`` if it shows nothing of it."""
        first = bisect_right(self.at, span.start) - 1
        last = bisect_right(self.at, span.end - 1) - 1
        if first < 0 or last < 0 or not len(span):
            return None
        start = self.pieces[first].start + span.start - self.at[first]
        if start >= self.pieces[first].end and first + 1 < len(self.pieces):
            start = self.pieces[first + 1].start
        end = min(self.pieces[last].start + span.end - self.at[last], self.pieces[last].end)
        return Span(start, end) if start < end else None

    def place(self, offset: int) -> int:
        """Where an offset of the document stands in ``text``; one that is not shown, where the next shown one does."""
        index = bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1
        if index < 0:
            return 0
        piece = self.pieces[index]
        if offset < piece.end:
            return self.at[index] + offset - piece.start
        if offset == piece.end or index + 1 == len(self.pieces):
            return self.at[index] + len(piece)
        return self.at[index + 1]
