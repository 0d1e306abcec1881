"""From a quote to its place in the source: verbatim, or equal in the compared form, or nowhere.

An oracle never writes positions; it quotes what it was shown and we look where that stands. Never by similarity: a
quote with one word changed scores above 90 of 100 and says something else.

* A quote that occurs several times in a region stands at its first place that cuts no word, else at its first.
* Under 12 code points (6 with CJK) a quote proves too little by itself. It counts where it occurs once in the region,
  or where just one of its places is all of a sentence, an item, a heading, a row or a cell; the evidence is then the
  unit of the region that holds it: of a table the row, for a figure alone says nothing.
* A verbatim quote may begin or end inside a word, and the evidence then shows the whole word: what was left off may be
  the "un" of "unable". In the compared form that is no match.
* Of text that OCR recognised, blanks do not count, unless they part two figures: it sees and overlooks them. The quote
  must then stand in one place only.
* "a … b" is looked for as it stands and not as two quotes. A link's target, if it is quoted, must be the source's.

Two texts have the same compared form (`normalise`) when they differ only in what a careful copyist may change: line
breaks and other blanks, typographic quotes and dashes, soft hyphens and other characters of no width, the composition
of accents, capitals, and Markdown's marks. Words, figures, their order and the blanks between words are never touched,
nor is anything whose removal could change a value: an asterisk between two figures multiplies, "10²" is not "102" (so
NFC and not NFKC).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from lens_lsp.model.documents import Block, BlockKind
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import RegionView
from lens_lsp.model.text import Span, trim
from lens_lsp.search.boundaries import in_word, is_joined, signed, widened

_ZERO_WIDTH = "\u00ad\u200b\u2060\ufeff"
_TOKEN = regex(
    rf"(?P<blank>[\s{_ZERO_WIDTH}]+)|(?P<ascii>[^\s\x80-\U0010ffff]+)|(?P<other>[^\x00-\x7f\s{_ZERO_WIDTH}]+)"
)
_CJK = regex("[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U000323af]")
_MOST_MARKS = 16
"""Accents on one letter; sorting more of them takes time that grows with their square."""
_PLAIN = {
    **dict.fromkeys("‘’‚‛′ʼ", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
    "ς": "σ",
}
_MARK = regex(
    r"\\[!-/:-@\[-`{-~]|(?P<blank>(?:\r\n?+|\n)[ \t]*+[\r\n])"
    r"|\[\[(?P<target>[^\[\]|\r\n]{1,200}\|)?(?=[^\s\[\]|])(?P<shown>[^\[\]|\r\n]{1,200})\]\]"
    r"|(?P<open>!?\[)|\](?P<link>\((?P<to>(?>(?:[^()\s<>]|\([^()\s<>]{0,200}\)){1,2000})"
    r"(?:[ \t]\"[^\"\r\n]{0,200}\")?)\))?"
    r"|(?P<run>(?P<sign>[*_`~])(?P=sign)*+)"
)
Match = Literal["exact", "normalised"]
SHORT = 12
"""Code points under which a quote counts only by its place."""
SHORT_CJK = 6
"""The same for a quote with Chinese, Japanese or Korean characters."""
_MOST_PLACES = 256
"""Places of one quote that are looked at: 256 that cut a word are no quote of anything."""
_WORDY = regex(r"[^\W_]")
_CJK_LETTER = regex("[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af]")
_LEADING_MARK = regex(r"(?:#{1,6}|[-*+]|\d{1,9}[.)]|>)[ \t]+(?:\[[ xX]\][ \t]+)?")


@dataclass(frozen=True, slots=True)
class Normal:
    """The compared form. Character ``i`` of ``text`` stands for ``[starts[i], ends[i])`` of the source."""

    text: str
    starts: list[int]
    ends: list[int]
    links: tuple[tuple[int, str], ...]
    """Where the texts of links begin in the source and where they lead: written, though no part of the form."""
    pairs: tuple[tuple[Span, Span], ...]
    """The marks that are no part of the form: what opens and what closes."""

    def balanced(self, place: Span) -> Span:
        """A place of the source with the marks right before or behind it whose partners it holds."""
        start, end = place.start, place.end
        for opener, closer in sorted(self.pairs, reverse=True):
            if opener.end == start < closer.start < end:
                start = opener.start
        for opener, closer in sorted(self.pairs, key=lambda pair: pair[1]):
            if start <= opener.start < end == closer.start:
                end = closer.end
        return Span(start, end)


def normalise(text: str) -> Normal:
    """The compared form of a text, in linear time."""
    pairs, links = _marks(text)
    form = _Form()
    at = 0
    for mark in sorted(mark for pair in pairs for mark in pair):
        form.add(text, at, mark.start)
        at = mark.end
    form.add(text, at, len(text))
    return Normal("".join(form.parts), form.starts, form.ends, links, pairs)


class _Form:
    """Collects the characters of a form."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, text: str, start: int, end: int) -> None:
        """Add a stretch of the source."""
        for token in _TOKEN.finditer(text, start, end):
            first, last = token.span()
            if token.lastgroup == "ascii":
                self.parts.append(token.group().lower())
                self.starts.extend(range(first, last))
                self.ends.extend(range(first + 1, last + 1))
            elif token.lastgroup == "other":
                self._other(text, first, last)
            elif token.group().strip(_ZERO_WIDTH):
                self._blank(first, last)

    def _blank(self, first: int, last: int) -> None:
        if self.parts and self.parts[-1] == " ":
            self.ends[-1] = last
        else:
            self._keep(" ", first, last)

    def _other(self, text: str, first: int, last: int) -> None:
        if self.parts and unicodedata.combining(text[first]) and self.ends[-1] == first:
            first = self._take_back()  # the letter that the accent belongs to
        elif self._between_cjk(text[first]):
            self._take_back()  # lines of scripts without blanks join without one
        run = text[first:last]
        if unicodedata.is_normalized("NFC", run):
            for at, char in enumerate(run, first):
                self._keep(_plain(char), at, at + 1)
            return
        at = first
        while at < last:
            end = at + 1
            while end < last and end - at <= _MOST_MARKS and _goes_on(text[end]):
                end += 1
            composed = unicodedata.normalize("NFC", text[at:end])
            self._keep("".join(map(_plain, composed)), at, end)
            at = end

    def _between_cjk(self, char: str) -> bool:
        parts = self.parts
        return len(parts) > 1 and parts[-1] == " " and bool(_CJK.match(char)) and bool(_CJK.match(parts[-2][-1]))

    def _take_back(self) -> int:
        """Forget the last character; where it began."""
        last = self.parts.pop()
        if len(last) > 1:
            self.parts.append(last[:-1])
        self.ends.pop()
        return self.starts.pop()

    def _keep(self, chars: str, start: int, end: int) -> None:
        if chars:
            self.parts.append(chars)
            self.starts.extend([start] * len(chars))
            self.ends.extend([end] * len(chars))


def _plain(char: str) -> str:
    return _PLAIN.get(char) or char.lower()


def _goes_on(char: str) -> bool:
    """Whether a character may become one with the one before it: accents, vowel signs, parts of a syllable."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff"


def _marks(text: str) -> tuple[tuple[tuple[Span, Span], ...], tuple[tuple[int, str], ...]]:
    """The pairs of Markdown's marks that are no part of what is read, all apart, and where its links lead.

    Emphasis, strikes and code count only in pairs within a paragraph, brackets only as links. An opening mark stands
    before and a closing one behind what it marks, and never between two letters or figures.
    """
    pairs: list[tuple[Span, Span]] = []
    links: list[tuple[int, str]] = []
    opened: dict[str, Span] = {}
    brackets: list[Span] = []
    for mark in _MARK.finditer(text):
        span = Span(*mark.span())
        if mark["run"] is not None:
            _pair(text, mark["run"], span, opened, pairs)
        elif mark["shown"] is not None:
            pairs.append((Span(span.start, mark.start("shown")), Span(mark.end("shown"), span.end)))
            if mark["target"] is not None:
                links.append((mark.start("shown"), mark["target"]))
        elif mark["open"] is not None:
            brackets.append(span)
        elif mark["blank"] is not None:
            opened.clear()
            brackets.clear()
        elif text[span.start] == "]" and brackets:
            opener = brackets.pop()
            # "name[key](call)" is no link.
            if mark["link"] is not None and not (opener.start and in_word(text, opener.start - 1)):
                pairs.append((opener, span))
                links.append((opener.end, mark["to"]))
    return tuple(pairs), tuple(sorted(links))


def _pair(text: str, run: str, span: Span, opened: dict[str, Span], pairs: list[tuple[Span, Span]]) -> None:
    """Close what the same run of marks opened, or open it."""
    if run == "~":  # "about", as in "~5"
        return
    code = run[0] == "`"
    before, after = span.start - 1, span.end
    closes = before >= 0 and not text[before].isspace() and not (after < len(text) and in_word(text, after))
    opener = opened.pop(run, None) if closes or code else None
    if opener is not None:
        pairs.append((opener, span))
    elif code or (after < len(text) and not text[after].isspace() and not (before >= 0 and in_word(text, before))):
        opened[run] = span


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
    short = len(wanted.text) < (SHORT_CJK if _CJK_LETTER.search(wanted.text) else SHORT)
    most = _MOST_PLACES if short else 1
    places = list(islice(_verbatim(body, shown.text, whole=short), most))
    verbatim = bool(places)
    if not verbatim:
        source = normalise(shown.text)
        places = [source.balanced(place) if most == 1 else place for place in islice(_equal(wanted, source), most)]
        if not places and not short and shown.recognised:
            places = _unspaced(wanted, source)
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


def _unspaced(wanted: Normal, source: Normal) -> list[Span]:
    """The one place where the compared forms are equal but for blanks that do not part two figures."""
    form, _ = _without_blanks(wanted.text)
    text, at = _without_blanks(source.text)
    first = text.find(form)
    if first < 0 or text.find(form, first + 1) >= 0:
        return []
    start, last = at[first], at[first + len(form) - 1]
    cut = _cuts(source.text, Span(start, last + 1), whole=True)
    return [] if cut else [Span(source.starts[start], source.ends[last])]


def _without_blanks(form: str) -> tuple[str, list[int]]:
    """A form without its blanks, but for those between figures, and where in it each character stood."""
    at = [
        index
        for index, char in enumerate(form)
        if char != " " or (form[index - 1 : index].isdigit() and form[index + 1 : index + 2].isdigit())
    ]
    return "".join(form[index] for index in at), at


def _same_links(wanted: Normal, source: Normal, place: Span) -> bool:
    """Whether the links that a quote writes out lead where the source's do."""
    if not wanted.links:
        return True
    first = bisect_right(source.links, (place.start - 4,))  # "**" may stand between a link's start and its first letter
    led = [to for at, to in source.links[first:] if at < place.end]
    return [to for _, to in wanted.links] == led


def _cuts(text: str, place: Span, *, whole: bool) -> bool:
    """Whether a place begins or ends within a word; ``whole``: or behind the sign of a figure."""
    return is_joined(text, place.start) or is_joined(text, place.end) or (whole and signed(text, place.start))


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
