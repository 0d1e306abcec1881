"""A region with the question's terms found in it: what every requirement is judged on."""

from __future__ import annotations

import re
from dataclasses import field

from lens_lsp.computation.dates import CalendarDate, agrees
from lens_lsp.computation.numerals import plain
from lens_lsp.computation.reading import find_values
from lens_lsp.domain.observation import Region
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span
from lens_lsp.domain.words import fold, key
from lens_lsp.oracle.answers import Candidate
from lens_lsp.oracle.labels import fields
from lens_lsp.oracle.matching import Folded, folded, held, occurrences
from lens_lsp.oracle.tables import headers, is_rule
from lens_lsp.oracle.units import bare, bounds
from lens_lsp.oracle.weights import Needs

_NAMING = regex(r"\W*(?:name|title|code|id|subject)\b", re.IGNORECASE)


@dataclass(slots=True)
class View:
    """A region with its terms found."""

    region: Region
    folded: Folded
    units: list[Span]
    bare: list[bool]
    """Units that cannot answer by themselves: headings and questions."""
    hits: list[tuple[int, int]]
    """(offset in the text, term), in order."""
    masks: list[int]
    context: str
    above: int
    """Terms that stand in the title, the headings, the table header or the path."""
    header: list[int | None]
    """For each unit that is a table row, the unit of its header."""
    fields: list[bool]
    """Units that are lines of the document's head; what the region says beside them is said of the same thing."""
    candidates: dict[tuple[str, int], list[Candidate]] = field(default_factory=dict)
    """What may answer, by requirement and unit."""

    def mask(self, first: int, last: int) -> int:
        """The terms of some adjacent units."""
        bits = 0
        for index in range(first, last + 1):
            bits |= self.masks[index]
        return bits

    def over(self, unit: int, *, several: bool = False) -> int:
        """The terms that stand above a unit, for a line of the head also those beside it.

        Of ``several`` facts that stand side by side, another line of the head says something else, unless it names.
        """
        if not self.fields[unit]:
            return self.above
        if not several:
            return self.above | self.mask(0, len(self.units) - 1)
        bits = self.above
        for index, span in enumerate(self.units):
            if not self.fields[index] or _NAMING.match(self.region.text, span.start):
                bits |= self.masks[index]
        return bits

    def text(self, first: int, last: int) -> str:
        """Some adjacent units as they stand in the region."""
        return self.region.text[self.units[first].start : self.units[last].end]


def view_of(needs: Needs, region: Region) -> View:
    """Find the terms in a region and in what stands above it."""
    text = folded(region.text)
    units = bounds(region)
    name = region.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    context = "\n".join((region.title, *region.headings, region.header or "", region.path, name))
    hits = [(text.source(at), index) for at, index in occurrences(text.text, needs.forms)]
    masks = [0] * len(units)
    unit = 0
    for at, index in hits:
        while unit < len(units) and units[unit].end <= at:
            unit += 1
        if unit < len(units) and units[unit].start <= at:
            masks[unit] |= 1 << index
    written = [region.text[span.start : span.end] for span in units]
    header = headers(written)
    plain = {key(title) for title in (region.title, *region.headings)}
    return View(
        region,
        text,
        units,
        [bare(own, plain) or index in header or is_rule(own) for index, own in enumerate(written)],
        hits,
        [mask if top is None else mask | masks[top] for mask, top in zip(masks, header, strict=True)],
        context,
        held(fold(context), needs.forms),
        header,
        fields(written) if len(region.headings) < 2 else [False] * len(written),
    )


def says(text: str, date: CalendarDate) -> bool:
    """Whether a date that agrees with this one is written in a text; months count in small letters too."""
    # However a year is written ("1918", "1914–18", in full-width figures), its last figures are: most texts lack them.
    if str(date.year % 100) not in plain(text):
        return False
    return any(value.date is not None and agrees(date, value.date) for value in find_values(text.title()))
