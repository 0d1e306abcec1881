"""From a quote to its place in the source: verbatim, or equal in the compared form (``normal.py``), or nowhere.

An oracle never writes positions; it quotes what it was shown and we look where that stands. Never by similarity: a
quote with one word changed scores above 90 of 100 and says something else (engine design, section 4).

* A quote that occurs several times in a region stands at its first place that cuts no word, else at its first.
* Under 12 code points (6 with CJK) a quote proves too little by itself. It counts where it occurs once in the region,
  or where just one of its places is all of a sentence, an item, a heading, a row or a cell; the evidence is then the
  unit of the region that holds it: of a table the row, for a figure alone says nothing.
* A verbatim quote may begin or end inside a word, and the evidence then shows the whole word: what was left off may be
  the "un" of "unable". In the compared form that is no match.
* "a … b" is looked for as it stands and not as two quotes. A link's target, if it is quoted, must be the source's.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from lens_lsp.model.documents import Block, BlockKind
from lens_lsp.model.observation import RegionView
from lens_lsp.model.text import Span, trim
from lens_lsp.search.compounds import joined, signed, widened
from lens_lsp.search.normal import Normal, normalise

Match = Literal["exact", "normalised"]

SHORT = 12
"""Code points under which a quote counts only by its place."""
SHORT_CJK = 6
"""The same for a quote with Chinese, Japanese or Korean characters."""
_MOST_PLACES = 256
"""Places of one quote that are looked at: 256 that cut a word are no quote of anything."""
_WORDY = re.compile(r"[^\W_]")
_CJK = re.compile("[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af]")
_LEADING_MARK = re.compile(r"(?:#{1,6}|[-*+]|\d{1,9}[.)]|>)[ \t]+(?:\[[ xX]\][ \t]+)?")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a quote stands in the document: the evidence is ``document.text[span.start:span.end]``."""

    span: Span
    match: Match
    """``exact`` if the quote stands there verbatim, ``normalised`` if it is equal in the compared form."""


def resolve(quote: str, shown: RegionView) -> Resolved | None:
    """The place of a quote in a region, ``None`` if it does not stand there. Linear in both."""
    body = quote.strip()
    if len(body) > 4 * len(shown.text) + 1024:
        return None
    wanted = normalise(body)
    if _WORDY.search(wanted.text) is None:
        return None
    short = len(wanted.text) < (SHORT_CJK if _CJK.search(wanted.text) else SHORT)
    most = _MOST_PLACES if short else 1
    places = list(islice(_verbatim(body, shown.text, whole=short), most))
    verbatim = bool(places)
    if not verbatim:
        source = normalise(shown.text)
        places = [source.balanced(place) if most == 1 else place for place in islice(_equal(wanted, source), most)]
    place = _unit(places, wanted, shown) if short and places else next(iter(places), None)
    return None if place is None else _resolved(shown, place, verbatim=verbatim)


def _resolved(shown: RegionView, place: Span, *, verbatim: bool) -> Resolved | None:
    """The place in the source, widened to whole words."""
    text = shown.text
    wide = widened(text, place)
    if signed(text, wide.start):
        wide = Span(wide.start - 1, wide.end)
    span = shown.source(trim(text, wide))
    if span is None:
        return None
    # Where markup was left out between two shown stretches, the source has more than the quote.
    exact = verbatim and len(shown.source(place) or ()) == len(place)
    return Resolved(span, "exact" if exact else "normalised")


def _verbatim(body: str, text: str, *, whole: bool) -> Iterator[Span]:
    """The places of a quote, those first that cut no word; only those if it must be ``whole``."""
    cutting: list[Span] = []
    at = text.find(body)
    for _ in range(_MOST_PLACES):
        if at < 0:
            break
        place = Span(at, at + len(body))
        if _cuts(text, place, whole=whole):
            cutting.append(place)
        else:
            yield place
        at = text.find(body, at + 1)
    if not whole:
        yield from cutting


def _equal(wanted: Normal, source: Normal) -> Iterator[Span]:
    """The places where the compared forms are equal and no word is cut."""
    form = wanted.text.strip()
    at = source.text.find(form)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        end = at + len(form)
        # One character of the source may be several of the form: the match must not begin or end within it.
        split = (at > 0 and source.starts[at] == source.starts[at - 1]) or (
            end < len(source.starts) and source.starts[end] == source.starts[end - 1]
        )
        place = Span(source.starts[at], source.ends[end - 1])
        if not split and not _cuts(source.text, Span(at, end), whole=True) and _same_links(wanted, source, place):
            yield place
        at = source.text.find(form, at + 1)


def _same_links(wanted: Normal, source: Normal, place: Span) -> bool:
    """Whether the links that a quote writes out lead where the source's do."""
    if not wanted.links:
        return True
    first = bisect_right(source.links, (place.start - 4,))  # "**" may stand between a link's start and its first letter
    led = [to for at, to in source.links[first:] if at < place.end]
    return [to for _, to in wanted.links] == led


def _cuts(text: str, place: Span, *, whole: bool) -> bool:
    """Whether a place begins or ends within a word; ``whole``: or behind the sign of a figure."""
    return joined(text, place.start) or joined(text, place.end) or (whole and signed(text, place.start))


def _unit(places: list[Span], wanted: Normal, shown: RegionView) -> Span | None:
    """The unit that a short quote stands in, if there is no doubt which one."""
    holders = list(dict.fromkeys(_holder(place, shown) for place in places))
    if len(places) == 1:
        return holders[0]
    form = wanted.text.strip()
    kinds = {unit.span: unit.kind for unit in shown.units}
    whole = [span for span in holders if span in kinds and _is_whole(form, shown.text, Block(kinds[span], span))]
    return whole[0] if len(whole) == 1 else None


def _holder(place: Span, shown: RegionView) -> Span:
    """The unit around a place, several if it runs through several."""
    units = shown.units
    first = bisect_right(units, place.start, key=lambda unit: unit.span.end)
    start, end = place.start, place.end
    for index in range(first, len(units)):
        unit = units[index].span
        if unit.start >= place.end:
            break
        start, end = min(start, unit.start), max(end, unit.end)
    return Span(start, end)


def _is_whole(form: str, text: str, unit: Block) -> bool:
    """Whether a quote is all that a unit says, or all of a cell if it is a table's row."""
    written = text[unit.span.start : unit.span.end]
    if unit.kind is BlockKind.TABLE_ROW:
        return any(normalise(cell).text.strip() == form for cell in _cells(written))
    mark = _LEADING_MARK.match(written)
    said = written if mark is None else written[mark.end() :]
    if unit.kind is BlockKind.HEADING:
        said = said.rstrip("#= \t\r\n-")
    return normalise(said).text.strip() == form


def _cells(row: str) -> list[str]:
    """The cells of a row, without the quotes around them."""
    delimiter = "|" if "|" in row else "\t" if "\t" in row else ";" if row.count(";") > row.count(",") else ","
    return [cell.strip().strip('"') for cell in row.split(delimiter)]
