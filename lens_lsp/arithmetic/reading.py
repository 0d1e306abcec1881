"""Find the typed values in prose. Rules, not guesses: what may be part of a name, version or address is left alone.

The order at each place: date, time of day, place in a row, number with scale and unit, year. Neighbours are brought
together afterwards (``joining.py``). Time is linear in the text: every rule looks a bounded way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from lens_lsp.arithmetic import context
from lens_lsp.arithmetic.date_forms import MONTHS, match_date, match_time
from lens_lsp.arithmetic.dates import CalendarDate
from lens_lsp.arithmetic.joining import Found, joined
from lens_lsp.arithmetic.nouns import FUNCTION_WORDS, looks_plural, singular
from lens_lsp.arithmetic.number_words import ORDINAL_WORDS, STARTS, match_words
from lens_lsp.arithmetic.numerals import VULGAR, Numeral, core_end, match_numeral, match_scale, plain
from lens_lsp.arithmetic.unit_table import UNSPACED, match_unit, money_before, unit_named
from lens_lsp.arithmetic.units import ONE, Dimension, Unit, counted, ordinal, rate
from lens_lsp.arithmetic.values import Value, clock, dated, quantity
from lens_lsp.model.text import Span

_START = re.compile(rf"(?:https?|ftp)://\S+|www\.\S+|[0-9]+|[{''.join(VULGAR)}]|[^\W\d_]+")
_LONGEST_WORD = max(map(len, MONTHS))
_GAP = re.compile(r"[*_`~]{0,3}[ \n-]?[*_`]{0,3}")
_PART_GAP = re.compile(r"[ \n](?:of )?(?:an?|the) ")
_NEVER_GLUED = frozenset({"A", "N", "b"})  # "zone 7A", "Astra 2A", "appendix 6b"
_NOUN = re.compile(rf"[*_`]{{0,3}}[ \n][*_`]{{0,3}}([^\W\d_{UNSPACED}]+)")
_ORDINAL = re.compile(r"([1-9][0-9]{0,5})(?:st|nd|rd|th)\b")
_DECIMALS = re.compile(r"[0-9]{1,20}(?![0-9])")
_PER = re.compile(r"(?:/|[ \n]per[ \n])([^\W\d_]{1,24})(?![^\W_])")
_PLUS = re.compile(r"\+(?![^\W_])")
_DECADE = re.compile(r"(?:[12][0-9]{2}0|(?:(?<=[Tt]he )|(?<=ly )|(?<=ate )|(?<=mid-)|(?<='))[1-9][0-9]?0?(?<=0))'?s\b")
_CHAIN = re.compile(r"[0-9]+(?:-[0-9]+){2,}")
_PARTS = re.compile(r"-[0-9]+")
_DETERMINED = re.compile(r"(?<![^\W_])(?:the|his|her|its|their|our|my|your|a)[ \n]\Z", re.IGNORECASE)
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


def find_values(text: str) -> tuple[Value, ...]:
    """Every value in a text in order, with its span in code points; spans do not overlap. Never raises."""
    reader = _Reader(plain(text))
    found: list[Found] = []
    start = _START.search(reader.text)
    while start is not None:
        hit = reader.at(start)
        end = start.end() if hit is None else max(hit.end, start.start() + 1)
        if hit is not None:
            reader.floor = end
            found.append(hit)
        start = _START.search(reader.text, end)
    return tuple(joined(reader.text, found))


def first_value(text: str) -> Value | None:
    """The first value of a text."""
    return next(iter(find_values(text)), None)


@dataclass(slots=True)
class _Reader:
    text: str
    floor: int = 0
    """Where what was already read ends: no value reaches back behind it."""

    def at(self, start: re.Match[str]) -> Found | None:
        """What begins at a run of digits or a word; None when nothing does."""
        first = start.group()
        if first[0].isdigit() or first in VULGAR:
            return self._digits(start.start())
        if len(first) > _LONGEST_WORD or self.text[start.start() - 1 : start.start()] in tuple("_-/.@0123456789"):
            return None
        word = first.lower()
        if word in MONTHS or first == "AD":
            return self._date(start.start())
        if word in STARTS:
            return self._in_words(start.start(), word)
        if word in ORDINAL_WORDS and _DETERMINED.search(self._before(start.start())):
            return self._place(start.start(), start.end(), ORDINAL_WORDS[word])
        return None

    def _before(self, start: int) -> str:
        return self.text[max(0, start - context.REACH) : start]

    def _digits(self, start: int) -> Found:
        before = self._before(start)
        if money_before(before) is None:
            if context.blocked_before(before):
                return Found(core_end(self.text, start))
            found = self._date(start) or self._time(start) or self._numbered(start)
            if found is not None:
                return found
            passed = _CHAIN.match(self.text, start) or _DECADE.match(self.text, start)
            if passed is not None:
                return Found(passed.end())
        numeral = self._numeral(start)
        return Found(core_end(self.text, start)) if numeral is None else self._amount(start, numeral)

    def _numeral(self, start: int) -> Numeral | None:
        character = self.text[start]
        if character in VULGAR:
            return Numeral(start + 1, VULGAR[character], Fraction(0), digits=False)
        decimals = _DECIMALS.match(self.text, start) if self.text[start - 1 : start] == "." else None
        if decimals is None:
            return match_numeral(self.text, start)
        step = Fraction(1, 10 ** len(decimals.group()))
        return Numeral(decimals.end(), int(decimals.group()) * step, step, digits=False)

    def _date(self, start: int) -> Found | None:
        written = match_date(self.text, start)
        if written is None:
            return None
        if written.date is None:
            return Found(written.end)
        approximate = context.approximate_before(self._before(start))
        return Found(written.end, dated(written.date, span=Span(start, written.end), approximate=approximate))

    def _time(self, start: int) -> Found | None:
        written = match_time(self.text, start)
        if written is None or context.blocked_after(self.text, written.end):
            return None
        span = Span(start, written.end)
        return Found(written.end, clock(written.seconds, span=span, twelve_hours=written.twelve_hours))

    def _numbered(self, start: int) -> Found | None:
        """A place in a row: "3rd chapter", "chapter 3"."""
        match = _ORDINAL.match(self.text, start)
        if match is not None:
            return self._place(start, match.end(), int(match[1]))
        noun = context.label(self._before(start))
        numeral = None if noun is None else match_numeral(self.text, start)
        if noun is None or numeral is None or not numeral.digits or context.blocked_after(self.text, numeral.end):
            return None
        parts = _PARTS.match(self.text, numeral.end)
        if parts is not None and noun == singular(noun):
            return Found(parts.end())  # "listing 20-28" is one name, "pages 20-28" are a range
        value = quantity(numeral.amount, ordinal(noun), span=Span(start, numeral.end), step=Fraction(1))
        return Found(numeral.end, value, digits=True)

    def _place(self, start: int, end: int, n: int) -> Found:
        noun = _NOUN.match(self.text, end)
        word = "" if noun is None else noun[1].lower()
        other = word in FUNCTION_WORDS or word in MONTHS or word in ORDINAL_WORDS or word in STARTS
        if noun is None or other or not noun[1].islower() or word.endswith("est"):
            return Found(end, quantity(n, ordinal(), span=Span(start, end), step=Fraction(1)))
        return Found(noun.end(), quantity(n, ordinal(word), span=Span(start, noun.end()), step=Fraction(1)))

    def _in_words(self, start: int, word: str) -> Found | None:
        before = self._before(start)
        numeral = match_words(self.text, start)
        if (
            numeral is None
            or before[-1:] == "'"
            or (word == "half" and before.endswith(("first ", "second ", "other ")))
        ):
            return None
        alone = word == "one" and numeral.end == start + len(word)
        if alone and (context.one_is_a_pronoun(before) or self._unit_after(numeral)[0] == ONE):
            return None
        return self._amount(start, numeral)

    def _amount(self, start: int, numeral: Numeral) -> Found:
        """A number with its sign, currency, scale, unit or noun; or a year; or nothing."""
        begin, money = self._money(start)
        numeral = match_scale(self.text, numeral, money=money is not None)
        bound = _PLUS.match(self.text, numeral.end) is not None
        if bound:
            numeral = replace(numeral, end=numeral.end + 1, digits=False)
        unit, end = (money, numeral.end) if money is not None else self._unit_after(numeral)
        if unit == ONE and self._belongs_elsewhere(start, numeral):
            return Found(max(numeral.end, core_end(self.text, start)))
        begin, negative = self._sign(begin)
        before = self._before(begin)
        year = self._year(numeral, unit, before) if begin == start else None
        if year is not None:
            span = Span(start, numeral.end)
            approximate = context.approximate_before(before)
            return Found(numeral.end, dated(year, span=span, approximate=approximate), digits=True)
        unit, end = self._rate(unit, end)
        if self.text[start - 1 : start] == "." and begin == start:
            begin -= 1
        sign = -1 if negative else 1
        value = quantity(
            sign * numeral.amount,
            unit,
            span=Span(begin, end),
            approximate=bound or context.approximate_before(before),
            other=None if numeral.other is None else sign * numeral.other,
            step=numeral.step,
        )
        return Found(end, value, scale=numeral.scale, digits=numeral.digits)

    def _money(self, start: int) -> tuple[int, Unit | None]:
        """Where a currency before the number begins, and which it is."""
        found = money_before(self._before(start))
        if found is None or start - found[1] < self.floor:
            return start, None
        return start - found[1], found[0]

    def _sign(self, begin: int) -> tuple[int, bool]:
        """Where the number begins with its sign, and whether it is negative. A dash after a word or number is none."""
        sign = self.text[begin - 1 : begin] if begin > self.floor else ""
        if sign not in ("-", "+", "–") or not sign:
            return begin, False
        before = self._before(begin - 1)
        if before[-1:].isalnum() or before[-1:] in (")", "]", "%", "-", "+", "–", "_"):
            return begin, False
        if sign == "–" and before.rstrip()[-1:].isdigit():
            return begin, False
        return begin - 1, sign != "+"

    def _belongs_elsewhere(self, start: int, numeral: Numeral) -> bool:
        if context.blocked_after(self.text, numeral.end) or context.footnote(self.text, start, numeral.end):
            return True
        return numeral.scale == 1 and not _may_be_year(numeral) and context.part_of_name(self._before(start))

    def _unit_after(self, numeral: Numeral) -> tuple[Unit, int]:
        """The unit or counted noun after a number and where it ends, or ONE and the end of the number."""
        gap = _PART_GAP.match(self.text, numeral.end) if 0 < numeral.amount < 1 and not numeral.step else None
        gap = gap or _GAP.match(self.text, numeral.end)
        assert gap is not None  # it matches the empty text
        unit = match_unit(self.text, gap.end())
        if unit is not None:
            letters = self.text[gap.end() : unit[1]]
            if (gap.group() or letters not in _NEVER_GLUED) and (gap.group()[-1:] != "\n" or len(letters) > 2):
                return unit
        return self._noun_after(numeral) or (ONE, numeral.end)

    def _noun_after(self, numeral: Numeral) -> tuple[Unit, int] | None:
        """The plural within three words after the number, or the word right after a single one.

        After what may be a year, words in lower case only.
        """
        end = numeral.end
        for nth in range(3):
            match = _NOUN.match(self.text, end)
            word = "" if match is None else match[1].lower()
            if match is None or word in FUNCTION_WORDS or word in MONTHS:
                return None
            if _may_be_year(numeral) and not match[1].islower():
                return None  # "the 1924 Summer Olympics"
            if looks_plural(word) or (nth == 0 and numeral.amount == 1 and match[1].islower()):
                return counted(singular(word)), match.end()
            end = match.end()
        return None

    def _rate(self, unit: Unit, end: int) -> tuple[Unit, int]:
        """ "5 km/day" and "$5 per month" are counted in a unit of their own, which adds only to itself."""
        match = _PER.match(self.text, end) if unit != ONE else None
        if match is None:
            return unit, end
        return rate(unit, unit_named(match[1])), match.end()

    def _year(self, numeral: Numeral, unit: Unit, before: str) -> CalendarDate | None:
        """The year that bare digits mean: 1000 to 2100 with nothing they measure or count."""
        if not _may_be_year(numeral):
            return None
        counts = unit.dimension is Dimension.COUNT and context.counts_as_year(before, int(numeral.amount))
        return CalendarDate(int(numeral.amount)) if unit == ONE or counts else None


def _may_be_year(numeral: Numeral) -> bool:
    return numeral.digits and _FIRST_YEAR <= numeral.amount <= _LAST_YEAR
