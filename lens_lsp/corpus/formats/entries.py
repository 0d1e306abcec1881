"""Entries of nested data: where each stands, its key path, and which of them make good blocks."""

from __future__ import annotations

from lens_lsp.corpus.formats.outline import Outline
from lens_lsp.model.documents import BlockKind, Locator, LocatorMap

_WHOLE = 1200
"""Code points; an entry up to this length is one block, a longer one is split into its own entries."""
_MOST = 50_000
"""Entries of one file that get a place; the rest of a longer one has line and column only."""
_LONGEST_PATH = 300


class Entries:
    """Takes entries in the order of the text, each with a rank: an entry lies in those of lower rank."""

    __slots__ = ("_blocks", "_count", "_frames", "_locators", "_starts")

    def __init__(self) -> None:
        self._count = 0
        self._blocks: list[tuple[int, int]] = []
        self._frames: list[tuple[int, int, int, str]] = []
        """Rank, start, how many blocks there were before, path."""
        self._starts: list[int] = []
        self._locators: list[Locator] = []

    @property
    def full(self) -> bool:
        """Whether the scan should stop."""
        return self._count >= _MOST

    @property
    def path(self) -> str:
        """The path of the innermost open entry."""
        return self._frames[-1][3] if self._frames else ""

    def open(self, rank: int, start: int, path: str, *, end: int, row: int | None = None) -> None:
        """An entry begins; those of its rank and above end at ``end``."""
        self.close(rank, end)
        self._count += 1
        self._frames.append((rank, start, len(self._blocks), path))
        self.place(start, path, row)

    def place(self, start: int, path: str, row: int | None = None) -> None:
        """From ``start`` on the text belongs to ``path``."""
        locator: dict[str, int | str] = {} if row is None else {"row": row}
        if path:
            locator["key"] = path
        if not self._locators or self._locators[-1] != locator:
            self._starts.append(start)
            self._locators.append(locator)

    def close(self, rank: int, end: int) -> None:
        """All open entries of at least this rank end here."""
        frames, blocks = self._frames, self._blocks
        while frames and frames[-1][0] >= rank:
            _, start, mark, _ = frames.pop()
            if end - start <= _WHOLE or mark == len(blocks):
                del blocks[mark:]
                blocks.append((start, end))

    def finish(self, end: int, *, cut: bool) -> None:
        """The scan is over; when it was ``cut``, what stands behind ``end`` was not read and has no place."""
        self.close(-1, end)
        if cut:
            self._starts.append(end)
            self._locators.append({})

    def fill(self, outline: Outline) -> None:
        """Give the blocks to an outline."""
        for start, end in self._blocks:
            outline.add(BlockKind.LIST_ITEM, start, end)

    def locators(self) -> LocatorMap:
        """The places of the entries."""
        return LocatorMap(tuple(self._starts), tuple(self._locators))


def member(path: str, key: str) -> str:
    """The path of a mapping's entry; very long paths stop growing."""
    if len(path) + len(key) > _LONGEST_PATH:
        return path
    if not key.replace("_", "").replace("-", "").isalnum():
        return f'{path}["{key}"]'
    return f"{path}.{key}" if path else key


def element(path: str, index: int) -> str:
    """The path of a list's entry, from 0 as in every query language for such data."""
    return path if len(path) > _LONGEST_PATH else f"{path}[{index}]"
