"""The header of a message as fields: they are in its text, so that only the text is carried and kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lens_lsp.model.documents import Block, BlockKind, Field
from lens_lsp.model.text import Span


def header_fields(text: str, blocks: Iterable[Block]) -> tuple[Field, ...]:
    """The lines ``Name: value`` of a document's metadata."""
    return tuple(
        field for block in blocks if block.kind is BlockKind.FRONT_MATTER for field in _fields(text, block.span)
    )


def pairs(fields: Iterable[Field]) -> tuple[tuple[str, str], ...]:
    """The fields as a `Head` keeps them."""
    return tuple((field.name, field.value) for field in fields)


def _fields(text: str, span: Span) -> Iterator[Field]:
    start = span.start
    for line in text[span.start : span.end].split("\n"):
        name, sign, value = line.partition(": ")
        if sign:
            yield Field(name.lower(), value, Span(start, start + len(line)))
        start += len(line) + 1
