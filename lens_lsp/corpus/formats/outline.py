"""Collects what a line-by-line reader finds; keeps its blocks in order, apart and free of outer blanks."""

from __future__ import annotations

from lens_lsp.corpus.formats.fields import MOST_FIELDS
from lens_lsp.model.documents import Block, BlockKind, Field, Head, Heading, Link, Structure
from lens_lsp.model.text import Span

TEXTUAL = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE})
"""Kinds whose lines run on into the next line."""

_LONGEST_HEADING = 1000


class Outline:
    """Blocks, headings and links of one text, in the order in which they are found.

    At most one block is open at a time; ``kind`` is its kind, ``None`` when none is open.
    """

    __slots__ = ("_end", "blocks", "fields", "headings", "hidden", "kind", "links", "start", "tags", "targets", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.hidden: list[Span] = []
        self.fields: list[Field] = []
        self.targets: list[Span] = []
        """In any order, and they may overlap."""
        self.tags: dict[str, None] = {}
        self.kind: BlockKind | None = None
        self.start = 0
        self._end = 0

    @property
    def end(self) -> int:
        """Where the open block ends so far."""
        return self._end

    def begin(self, kind: BlockKind, start: int, end: int) -> None:
        """Close the open block and open another."""
        self.close()
        self.kind, self.start, self._end = kind, start, end

    def extend(self, end: int) -> None:
        """Let the open block run on to ``end``."""
        self._end = end

    def close(self) -> None:
        """Keep the open block, if any."""
        if self.kind is not None:
            self.add(self.kind, self.start, self._end)
            self.kind = None

    def drop(self) -> None:
        """Forget the open block."""
        self.kind = None

    def add(self, kind: BlockKind, start: int, end: int, header: Span | None = None) -> Span | None:
        """Keep a block without opening it; its span without trailing blanks, ``None`` if nothing is left."""
        end = self.trimmed(start, end)
        if end <= start:
            return None
        span = Span(start, end)
        self.blocks.append(Block(kind, span, header))
        return span

    def heading(self, level: int, block: Span, start: int, end: int, text: str) -> None:
        """Keep a heading: its block, the span of its own text and its plain words, if it has any."""
        self.close()
        words = " ".join(text[:_LONGEST_HEADING].split())
        end = self.trimmed(start, end)
        self.add(BlockKind.HEADING, block.start, block.end)
        if words and end > start:
            self.headings.append(Heading(Span(start, end), level, words))

    def trimmed(self, start: int, end: int) -> int:
        """``end`` without the blanks before it."""
        if end > start and self.text[end - 1].isspace():
            return start + len(self.text[start:end].rstrip())
        return end

    def structure(self, head: Head, *, answer: bool = False) -> Structure:
        """Everything kept, as a value."""
        self.close()
        return Structure(
            head=head,
            headings=tuple(self.headings),
            blocks=tuple(self.blocks),
            links=tuple(self.links),
            tags=tuple(self.tags),
            fields=tuple(self.fields[:MOST_FIELDS]),
            hidden=tuple(self.hidden),
            targets=_apart(self.targets),
            answer=answer,
        )


def _apart(spans: list[Span]) -> tuple[Span, ...]:
    """The spans in order, those that overlap made one."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start < found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(found)
