"""A document's text as the scan sees it: folded UTF-8 bytes with a map back to code points of the source.

ASCII is lowered in place, so for an ASCII document offsets are the same and there is no map. Elsewhere the map is
a list of pieces: from folded byte ``at`` on, source code points start at ``point`` and take ``stride`` bytes each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from lens_lsp.model.text import Span
from lens_lsp.model.words import FOLDED

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")

Offsets = NDArray[np.int64]


class _FoldedBytes(dict[str, bytes]):
    """Character to the UTF-8 of what it folds to."""

    def __missing__(self, char: str) -> bytes:
        folded = FOLDED[char].encode("utf-8", "replace")
        self[char] = folded
        return folded


FOLDED_BYTES = _FoldedBytes()
"""What a single character folds to, as UTF-8."""


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Pieces of a folded text. All three arrays have one entry a piece, in order; the first ``at`` is 0."""

    at: Offsets
    point: Offsets
    stride: Offsets

    def points(self, folded: Offsets) -> Offsets:
        """The source code point of each folded byte offset."""
        piece = np.searchsorted(self.at, folded, side="right") - 1
        return self.point[piece] + (folded - self.at[piece]) // self.stride[piece]


@dataclass(frozen=True, slots=True)
class FoldedText:
    """Folded bytes; ``offsets`` is None where folded offsets are source code points already."""

    data: bytes
    offsets: OffsetMap | None = None


def fold_text(text: str) -> FoldedText:
    """The folded form of a decoded text."""
    if text.isascii():
        return FoldedText(text.lower().encode("ascii"))
    parts: list[bytes] = []
    pieces: list[tuple[int, int, int]] = []
    size = point = 0
    for run in _NON_ASCII.finditer(text):
        if run.start() > point:
            part = text[point : run.start()].lower().encode("ascii")
            pieces.append((size, point, 1))
            parts.append(part)
            size += len(part)
        point = run.start()
        folded, widths = _folded_run(run.group())
        for width, count in widths:
            if width:
                pieces.append((size, point, width))
            size += width * count
            point += count
        parts.append(folded)
    pieces.append((size, point, 1))
    parts.append(text[point:].lower().encode("ascii"))
    table = np.array(pieces, np.int64).reshape(-1, 3)
    return FoldedText(b"".join(parts), OffsetMap(table[:, 0], table[:, 1], table[:, 2]))


@lru_cache(maxsize=1 << 14)  # the same few dashes, quotes and names come again and again
def _folded_run(run: str) -> tuple[bytes, tuple[tuple[int, int], ...]]:
    """The folded bytes of a run, and how many characters of which width they come from, in order."""
    folded = [FOLDED_BYTES[char] for char in run]
    return b"".join(folded), tuple((width, len(list(group))) for width, group in groupby(map(len, folded)))


def blank(text: str, spans: Iterable[Span]) -> str:
    """The text with the spans replaced by spaces of the same length, so that nothing in them is found."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts.append(text[at : span.start])
        parts.append(" " * len(span))
        at = span.end
    parts.append(text[at:])
    return "".join(parts)
