"""Lists as answers: "name the …", "how many entries has …" are answered by one list and what leads into it."""

from __future__ import annotations

from collections.abc import Iterator

from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.oracle.view import View

_ITEM = regex(r"\s*(?:>\s*)?(?:[-*+•]|\d{1,3}[.)])\s+\S")
_LEADS = 2
"""Units before the first item that may say what the list is of."""
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Items or rows in a run: the units from ``first`` to ``last``, and the unit that leads into them."""

    lead: int
    first: int
    last: int


def enumerations(view: View) -> Iterator[Enumeration]:
    """The lists of a region, in order."""
    texts = [view.region.text[span.start : span.end] for span in view.units]
    listed = [
        header is not None or _ITEM.match(text) is not None for text, header in zip(texts, view.header, strict=True)
    ]
    at = 0
    while at < len(listed):
        end = at
        while end < len(listed) and listed[end]:
            end += 1
        if end - at >= _FEWEST:
            lead = at
            while lead > max(0, at - _LEADS) and not listed[lead - 1]:
                lead -= 1
                if view.bare[lead]:
                    break
            yield Enumeration(lead, at, end - 1)
        at = max(end, at + 1)


def count_items(text: str) -> int:
    """How many items a quoted list has; 0 when it is none."""
    items = sum(_ITEM.match(line) is not None for line in text.splitlines())
    return items if items >= _FEWEST else 0
