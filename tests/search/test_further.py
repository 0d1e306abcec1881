from __future__ import annotations

import asyncio
from collections.abc import Callable

from lens_lsp.search.exploration import DocumentFeed


def promises() -> bool:
    return True


class Shelf:
    """Documents that are read one at a time; true ones belong to the best."""

    def __init__(self, *documents: bool) -> None:
        self.waiting = list(documents)

    async def read(self, take_in: Callable[[], bool]) -> bool:
        return self.waiting.pop(0) and take_in()

    @property
    def further(self) -> DocumentFeed:
        return DocumentFeed(self.read, lambda: bool(self.waiting))


def test_a_moment_reads_once() -> None:
    shelf = Shelf(False, True)
    assert asyncio.run(shelf.further.some(promises)) is False
    assert shelf.waiting == [True]


def test_patience_reads_until_a_document_belongs_to_the_best() -> None:
    shelf = Shelf(False, False, True, False)
    assert asyncio.run(shelf.further.promising(promises)) is True
    assert shelf.waiting == [False]


def test_patience_ends_when_nothing_waits() -> None:
    shelf = Shelf(False, False)
    assert asyncio.run(shelf.further.promising(promises)) is False
    assert not shelf.further.left


def test_where_nothing_can_be_read_nothing_is_waited_for() -> None:
    assert asyncio.run(DocumentFeed().some(promises)) is False
    assert asyncio.run(DocumentFeed().promising(promises)) is False
