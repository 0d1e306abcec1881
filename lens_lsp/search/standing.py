"""Where a passage of a document is said to stand: on the page, slide or row that holds most of what was looked for.

A passage may reach over the end of a page, and over several rows of a sheet. Its first hit is often a word of the
heading or of the header row, which says nothing of where the answer stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.model.documents import Document, Locator
from lens_lsp.model.places_shown import has_own_places

_ROW = re.compile(r"\d+")


class Mark(NamedTuple):
    """A hit in a passage: the code point, the term and how telling that is."""

    at: int
    term: int
    weight: float


def standing(document: Document, marks: Sequence[Mark], otherwise: int) -> int:
    """The offset whose place names the passage; ``otherwise`` where lines say it all. ``marks`` are in order."""
    headers = {block.header for block in document.structure.blocks if block.header is not None}
    marks = [
        mark
        for mark in marks
        if has_own_places(locate(document.locators, mark.at))
        and not any(header.start <= mark.at < header.end for header in headers)
    ]
    if not marks:
        return otherwise
    rows = _most(document, marks, _row)
    return _most(document, rows, lambda place: tuple(sorted(place.items())))[0].at


def _most(document: Document, marks: Sequence[Mark], key: Callable[[Locator], Hashable]) -> list[Mark]:
    """The marks of the place that holds the most telling terms, each counted once; of the first of equal ones."""
    places: dict[Hashable, list[Mark]] = {}
    for mark in marks:
        places.setdefault(key(locate(document.locators, mark.at) or {}), []).append(mark)
    return max(places.values(), key=lambda held: sum({mark.term: mark.weight for mark in held}.values()))


def _row(place: Locator) -> Hashable:
    """What cells of one row have in common; any other place itself."""
    row = _ROW.search(str(place["cell"])) if "cell" in place else None
    return (place.get("sheet"), row[0]) if row else tuple(sorted(place.items()))
