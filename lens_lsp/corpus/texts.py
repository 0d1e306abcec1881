"""What a searchable text is known by: its file, its slot, and the way from folded bytes back to its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lens_lsp.corpus.batch import BatchMaps
from lens_lsp.corpus.folding import OffsetMap
from lens_lsp.corpus.pieces import Piece

Key = tuple[int, str]
"""Root index and path: what a file is known by."""
Progress = Callable[[int, int], None]
"""Told how many files were read, of how many."""


class CachedText(NamedTuple):
    """A folded text: its file, its slot, the way back to its source. A tuple, for there are many."""

    key: Key
    slot: int
    maps: BatchMaps | None = None
    place: int = 0
    """Which of the maps is this text's."""
    piece: Piece | None = None
    """Set when the text is a piece of a very large file; spans then count from the piece's first code point."""

    @property
    def offsets(self) -> OffsetMap | None:
        """The way from folded bytes to code points of a text in memory; None where they are the same."""
        return None if self.maps is None else self.maps.of(self.place)
