"""Finds the typed values in prose, and tells whether a line holds one that meets a condition.

Rules, not guesses: what may be part of a name, version or address is left alone. The order at each place: date, time of
day, place in a row, number with scale and unit, year. Neighbours that share a unit or make one amount ("10-20 km",
"2 h 30 min") are brought together afterwards. Every rule looks at most `REACH` code points to either side, so that
time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from lens_lsp.arithmetic.notation import (
    MONTHS,
    ORDINAL_WORDS,
    STARTS,
    VULGAR,
    Numeral,
    core_end,
    match_date,
    match_numeral,
    match_scale,
    match_time,
    match_words,
    plain,
)
from lens_lsp.arithmetic.typed_values import (
    CalendarDate,
    Value,
    ValueKind,
    agrees,
    clock,
    dated,
    is_year,
    order,
    quantity,
)
from lens_lsp.arithmetic.units import (
    FUNCTION_WORDS,
    ONE,
    UNSPACED,
    Dimension,
    MeasureUnit,
    convert,
    counted,
    looks_plural,
    match_unit,
    money_before,
    ordinal,
    rate,
    singular,
    unit_named,
)
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.plan import Condition
from lens_lsp.model.text import Span

REACH = 32
"""How far back a rule looks, in code points."""
_LAST_WORD = 16  # longer than any word of the two lists below, with marks and what stands before it
_LETTER = regex(rf"[^\W\d_{UNSPACED}]")
_PREFIX = regex(r"(?<![^\W_])(?:mid|early|late|pre|post|since|circa|non|all|a|an|or|to)-\Z", re.IGNORECASE)
_HYPHENATED = regex(r"[A-Za-zÀ-ɏЀ-ӿ][\w-]*-\Z")
_MEASURED = regex(r"(?<![\w-])[0-9][0-9.,]*[a-z]{1,4}-\Z")
_PLACE = regex(r"[\w-][./\\][\w./\\-]*:(?:[0-9]+:)?\Z")
_IDENTIFIER = regex(
    r"(?<![^\W_])(?:(?:RFCs?|ISO|IEC|IEEE|PEP|CVE|ECMA|DIN|ANSI|ISBN|ISSN|NIST|FIPS|HTTP|UTF|SHA|PR|GH|TCP|UDP|MD|v)"
    r"|(?i:version|versions|ver\.|release|releases|rev\.|revision|build|edition|issue|bug|error|code|status|option|"
    r"variant|model|type|mark))[ \n-]?\Z"
)
_PROPER_NAME = regex(r"[a-zà-ÿ,;] [*_`]{0,3}[A-Z][a-zà-ÿ]+[A-Za-z]*[*_`]{0,3} [*_`]{0,3}\Z")
_LABEL = regex(
    r"(?<![^\W_])(?:(chapters?|pages?|sections?|figures?|tables?|steps?|lines?|parts?|volumes?|ports?|questions?|rooms?|items?"
    r"|rows?|columns?|cells?|levels?|grades?|phases?|stages?|articles?|appendix|paragraphs?|verses?|lessons?|exercises?"
    r"|examples?|listings?|season|episodes?|rank|number|rule|note)|(pp?\.|§§?|no\.|nr\.|nº|№|fig\.|sec\.|ch\.|vol\.))"
    r"[ \n][*_`]{0,3}\Z|(§|№)\Z",
    re.IGNORECASE,
)
_ABBREVIATED = {
    "p.": "page", "pp.": "page", "§": "section", "§§": "section", "no.": "", "nr.": "", "nº": "", "№": "",
    "fig.": "figure", "sec.": "section", "ch.": "chapter", "vol.": "volume", "number": "",
}  # fmt: skip
_APPROXIMATE = regex(
    r"(?:(?<![^\W_])(?:about|around|approximately|approx\.?|circa|ca?\.|roughly|nearly|almost|over|under|some|up to"
    r"|(?:more|less|fewer|greater|better) than|at (?:least|most)|above|below|an estimated|estimated|exceeding|close to"
    r"|just (?:over|under)|as (?:many|much|few|little) as|etwa|rund|circa|über|knapp|mindestens|höchstens|environ"
    r"|plus de|moins de|près de|aproximadamente|unos|unas|casi|más de|menos de|около|примерно|более|менее|почти) "
    r"|[~≈±≤≥～〜] ?|(?<![\w\"'/=-])[<>]=?(?! )|(?<=[^\s>] )[<>]=? |[约約]|大约|超过|超過) ?(?:the |an? )?[*_`]{0,3}\Z",
    re.IGNORECASE,
)
_ALWAYS_A_YEAR = regex(
    r"(?<![^\W_])(?:since|until|till|during|years?|early|late|mid|spring|summer|autumn|fall|winter)[ \n-]\Z",
    re.IGNORECASE,
)
_MODERN_YEAR = regex(r"(?<![^\W_])(?:in|the)[ \n]\Z", re.IGNORECASE)
_NOT_ONE = regex(
    r"(?<![^\W_])(?:no|any|this|that|each|every|which|the|another|some|only|such|(?:n?ei)ther|last|first|next)[ \n-]\Z",
    re.IGNORECASE,
)
_GOES_ON = regex(r"_+[^\W_]|\^|[-.][^\W\d_]|:[0-9]|/[^\W_]|-[0-9]+-[0-9]")
_NAMED_AFTER = regex(r"[ -](?:edition|release|version)\b", re.IGNORECASE)
_RANGE = regex(r"[*_`]{0,3} ?(?:-|–|—|~|〜|to|or|x|×|bis|至)? ?[*_`]{0,3}")
_MARKS_ONLY = regex(r"[*_` ]*")
_BETWEEN = regex(r"[Bb]etween (?:about |around |roughly )?[*_`]{0,3}\Z")
_LOOSE = regex(r",? | and |, and |")
_TIGHT = regex(r" ?")
_LONGEST_GAP = 12
_COMPOUNDS = {("ft", "in"), ("lb", "oz"), ("stone", "lb"), ("°", "arcmin"), ("arcmin", "arcsec")}
_START = regex(rf"(?:https?|ftp)://\S+|www\.\S+|[0-9]+|[{''.join(VULGAR)}]|[^\W\d_]+")
_LONGEST_WORD = max(map(len, MONTHS))
_GAP = regex(r"[*_`~]{0,3}[ \n-]?[*_`]{0,3}")
_PART_GAP = regex(r"[ \n](?:of )?(?:an?|the) ")
_NEVER_GLUED = frozenset({"A", "N", "b"})  # "zone 7A", "Astra 2A", "appendix 6b"
_NOUN = regex(rf"[*_`]{{0,3}}[ \n][*_`]{{0,3}}([^\W\d_{UNSPACED}]+)")
_ORDINAL = regex(r"([1-9][0-9]{0,5})(?:st|nd|rd|th)\b")
_DECIMALS = regex(r"[0-9]{1,20}(?![0-9])")
_PER = regex(r"(?:/|[ \n]per[ \n])([^\W\d_]{1,24})(?![^\W_])")
_PLUS = regex(r"\+(?![^\W_])")
_DECADE = regex(r"(?:[12][0-9]{2}0|(?:(?<=[Tt]he )|(?<=ly )|(?<=ate )|(?<=mid-)|(?<='))[1-9][0-9]?0?(?<=0))'?s\b")
_CHAIN = regex(r"[0-9]+(?:-[0-9]+){2,}")
_PARTS = regex(r"-[0-9]+")
_DETERMINED = regex(r"(?<![^\W_])(?:the|his|her|its|their|our|my|your|a)[ \n]\Z", re.IGNORECASE)
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


def blocked_before(before: str) -> bool:
    """Whether digits after this text belong to something: a word, a version, a path, a footnote mark."""
    if not before:
        return False
    last, rest = before[-1], before[:-1]
    if last.isdigit() or _LETTER.match(last) or last in "#@\\/^":
        return True
    if last == "_":
        return rest.rstrip("_")[-1:].isalnum()
    if last in ".+":
        return rest[-1:].isalnum() or rest[-1:] == last
    if last == "-" and _HYPHENATED.search(before):
        return _PREFIX.search(before) is None and _MEASURED.search(before) is None
    if last == ":" and (rest[-1:].isdigit() or _PLACE.search(before)):
        return True
    return _ends_in_word(before, " \n-") and _IDENTIFIER.search(before[-_LAST_WORD:]) is not None


def blocked_after(text: str, end: int) -> bool:
    """Whether a number without a unit is the beginning of something: "3D", "2.x", "16:9", "2021-edition"."""
    following = text[end : end + 1]
    return bool(_LETTER.match(following or " ") or _GOES_ON.match(text, end) or _NAMED_AFTER.match(text, end))


def label(before: str) -> str | None:
    """What the number after this text is the number of ("chapter", or "" after "No."), or None."""
    match = _LABEL.search(before[-_LAST_WORD:]) if _ends_in_word(before, " \n*_`") else None
    if match is None:
        return None
    written: str = (match[1] or match[2] or match[3]).lower()
    return _ABBREVIATED.get(written, written)


def approximate_before(before: str) -> bool:
    """Whether the words before an amount make it approximate or a bound."""
    return _ends_in_word(before, " *_`") and _APPROXIMATE.search(before) is not None


def counts_as_year(before: str, year: int) -> bool:
    """Whether a year before a plural noun is a year all the same: "the 2015 elections"."""
    if _ALWAYS_A_YEAR.search(before):
        return True
    return 1900 <= year <= 2099 and _MODERN_YEAR.search(before) is not None


def _ends_in_word(before: str, after: str) -> bool:
    """Whether a word, or a sign that stands for one, is the last thing before: what most numbers fail at once."""
    last = before.rstrip(after)[-1:]
    return last.isalpha() or (last != "" and last in ".§№º~≈±<>≤≥=〜-)")


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A stretch of text that was recognised, and where the parser goes on; ``value`` is None for what has none."""

    end: int
    value: Value | None = None
    scale: int = 1
    """The factor of its scale word, already applied."""
    digits: bool = False
    """Written in nothing but digits, so it may be half a range."""


def joined(text: str, found: Sequence[FoundValue]) -> list[Value]:
    """The values in order, after neighbours were brought together."""
    values: list[Value] = []
    previous: FoundValue | None = None
    for item in found:
        value = item.value
        if value is None:
            continue
        if previous is not None and values:
            first, value = _shared(text, values[-1], previous, value, item)
            values[-1] = first
            whole = _sum(text, first, value)
            if whole is not None:
                values.pop()
                value = whole
        values.append(value)
        previous = item
    return values


def _between(text: str, a: Value, b: Value) -> str | None:
    if a.span is None or b.span is None or b.span.start - a.span.end > _LONGEST_GAP:
        return None
    return text[a.span.end : b.span.start]


def _shared(text: str, a: Value, left: FoundValue, b: Value, right: FoundValue) -> tuple[Value, Value]:
    """Two ends of a range, each with the unit that is written once."""
    gap = _between(text, a, b)
    if gap is None or a.span is None:
        return a, b
    spanned = _RANGE.fullmatch(gap) is not None and _MARKS_ONLY.fullmatch(gap) is None
    if not spanned and not (gap == " and " and _BETWEEN.search(text[max(0, a.span.start - 20) : a.span.start])):
        return a, b
    if is_year(a) and left.digits and b.kind is ValueKind.NUMBER and b.unit == ONE and right.digits and spanned:
        return a, _short_year(a, b)
    plain = _plain(a, left)
    if plain is not None and b.date is None and b.unit != ONE and b.unit.dimension is not Dimension.ORDINAL:
        factor = right.scale if left.scale == 1 else 1
        shared = quantity(plain.magnitude * factor, b.unit, span=a.span, approximate=a.approximate)
        return replace(shared, step=plain.step * factor), b
    if plain is not None and right.scale > 1 and left.scale == 1 and b.unit == ONE:
        return replace(plain, magnitude=plain.magnitude * right.scale, step=plain.step * right.scale, other=None), b
    if a.unit.dimension in (Dimension.MONEY, Dimension.ORDINAL) and b.kind is ValueKind.NUMBER and b.unit == ONE:
        return a, replace(b, unit=a.unit)
    return a, b


def _plain(value: Value, found: FoundValue) -> Value | None:
    """The value as a number without a unit, when it may be one."""
    if value.kind is ValueKind.NUMBER and value.unit == ONE:
        return value
    return quantity(value.magnitude, span=value.span, step=Fraction(1)) if is_year(value) and found.digits else None


def _short_year(a: Value, b: Value) -> Value:
    """ "1914–18" ends in 1918."""
    century, year = divmod(int(a.magnitude), 100)
    if b.magnitude.denominator == 1 and year < b.magnitude < 100 and b.magnitude >= 10:
        return dated(CalendarDate(century * 100 + int(b.magnitude)), span=b.span, approximate=b.approximate)
    return b


def _sum(text: str, a: Value, b: Value) -> Value | None:
    """One amount written in two units ("5 ft 11 in"), or None."""
    gap = _between(text, a, b)
    if gap is None or a.span is None or b.span is None or a.unit.dimension is not b.unit.dimension:
        return None
    loose = a.kind is ValueKind.DURATION and b.kind is ValueKind.DURATION
    if (_LOOSE if loose else _TIGHT).fullmatch(gap) is None:
        return None
    if not loose and (a.unit.symbol, b.unit.symbol) not in _COMPOUNDS:
        return None
    whole = a.magnitude.denominator == 1 and a.magnitude > 0 and b.magnitude >= 0
    if not whole or a.unit.factor <= b.unit.factor or b.magnitude * b.unit.factor >= a.unit.factor:
        return None
    total = a.magnitude + convert(b.magnitude, b.unit, a.unit)
    step = convert(b.step, b.unit, a.unit)
    span = Span(a.span.start, b.span.end)
    return quantity(total, a.unit, span=span, approximate=a.approximate or b.approximate, step=step)


def find_values(text: str) -> tuple[Value, ...]:
    """Every value in a text in order, with its span in code points; spans do not overlap. Never raises."""
    reader = _ValueScanner(plain(text))
    found: list[FoundValue] = []
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
class _ValueScanner:
    text: str
    floor: int = 0
    """Where what was already read ends: no value reaches back behind it."""

    def at(self, start: re.Match[str]) -> FoundValue | None:
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
        return self.text[max(0, start - REACH) : start]

    def _digits(self, start: int) -> FoundValue:
        before = self._before(start)
        if money_before(before) is None:
            if blocked_before(before):
                return FoundValue(core_end(self.text, start))
            found = self._date(start) or self._time(start) or self._numbered(start)
            if found is not None:
                return found
            passed = _CHAIN.match(self.text, start) or _DECADE.match(self.text, start)
            if passed is not None:
                return FoundValue(passed.end())
        numeral = self._numeral(start)
        return FoundValue(core_end(self.text, start)) if numeral is None else self._amount(start, numeral)

    def _numeral(self, start: int) -> Numeral | None:
        character = self.text[start]
        if character in VULGAR:
            return Numeral(start + 1, VULGAR[character], Fraction(0), digits=False)
        decimals = _DECIMALS.match(self.text, start) if self.text[start - 1 : start] == "." else None
        if decimals is None:
            return match_numeral(self.text, start)
        step = Fraction(1, 10 ** len(decimals.group()))
        return Numeral(decimals.end(), int(decimals.group()) * step, step, digits=False)

    def _date(self, start: int) -> FoundValue | None:
        written = match_date(self.text, start)
        if written is None:
            return None
        end, date = written
        if date is None:
            return FoundValue(end)
        return FoundValue(end, dated(date, span=Span(start, end), approximate=approximate_before(self._before(start))))

    def _time(self, start: int) -> FoundValue | None:
        written = match_time(self.text, start)
        if written is None or blocked_after(self.text, written[0]):
            return None
        end, seconds, twelve_hours = written
        return FoundValue(end, clock(seconds, span=Span(start, end), twelve_hours=twelve_hours))

    def _numbered(self, start: int) -> FoundValue | None:
        """A place in a row: "3rd chapter", "chapter 3"."""
        match = _ORDINAL.match(self.text, start)
        if match is not None:
            return self._place(start, match.end(), int(match[1]))
        noun = label(self._before(start))
        numeral = None if noun is None else match_numeral(self.text, start)
        if noun is None or numeral is None or not numeral.digits or blocked_after(self.text, numeral.end):
            return None
        parts = _PARTS.match(self.text, numeral.end)
        if parts is not None and noun == singular(noun):
            return FoundValue(parts.end())  # "listing 20-28" is one name, "pages 20-28" are a range
        value = quantity(numeral.amount, ordinal(noun), span=Span(start, numeral.end), step=Fraction(1))
        return FoundValue(numeral.end, value, digits=True)

    def _place(self, start: int, end: int, n: int) -> FoundValue:
        noun = _NOUN.match(self.text, end)
        word = "" if noun is None else noun[1].lower()
        other = word in FUNCTION_WORDS or word in MONTHS or word in ORDINAL_WORDS or word in STARTS
        if noun is None or other or not noun[1].islower() or word.endswith("est"):
            return FoundValue(end, quantity(n, ordinal(), span=Span(start, end), step=Fraction(1)))
        return FoundValue(noun.end(), quantity(n, ordinal(word), span=Span(start, noun.end()), step=Fraction(1)))

    def _in_words(self, start: int, word: str) -> FoundValue | None:
        before = self._before(start)
        numeral = match_words(self.text, start)
        if (
            numeral is None
            or before[-1:] == "'"
            or (word == "half" and before.endswith(("first ", "second ", "other ")))
        ):
            return None
        alone = word == "one" and numeral.end == start + len(word)
        if alone and (_NOT_ONE.search(before) or self._unit_after(numeral)[0] == ONE):
            return None
        return self._amount(start, numeral)

    def _amount(self, start: int, numeral: Numeral) -> FoundValue:
        """A number with its sign, currency, scale, unit or noun; or a year; or nothing."""
        begin, money = self._money(start)
        numeral = match_scale(self.text, numeral, money=money is not None)
        bound = _PLUS.match(self.text, numeral.end) is not None
        if bound:
            numeral = replace(numeral, end=numeral.end + 1, digits=False)
        unit, end = (money, numeral.end) if money is not None else self._unit_after(numeral)
        if unit == ONE and self._belongs_elsewhere(start, numeral):
            return FoundValue(max(numeral.end, core_end(self.text, start)))
        begin, negative = self._sign(begin)
        before = self._before(begin)
        year = self._year(numeral, unit, before) if begin == start else None
        if year is not None:
            span = Span(start, numeral.end)
            approximate = approximate_before(before)
            return FoundValue(numeral.end, dated(year, span=span, approximate=approximate), digits=True)
        unit, end = self._rate(unit, end)
        if self.text[start - 1 : start] == "." and begin == start:
            begin -= 1
        sign = -1 if negative else 1
        value = quantity(
            sign * numeral.amount,
            unit,
            span=Span(begin, end),
            approximate=bound or approximate_before(before),
            other=None if numeral.other is None else sign * numeral.other,
            step=numeral.step,
        )
        return FoundValue(end, value, scale=numeral.scale, digits=numeral.digits)

    def _money(self, start: int) -> tuple[int, MeasureUnit | None]:
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
        """Whether a bare number begins something else, is a mark such as ``[12]``, or ends a name: "with Python 3"."""
        before = self._before(start)
        footnote = before.endswith(("[", "[^")) and self.text[numeral.end : numeral.end + 1] == "]"
        if footnote or blocked_after(self.text, numeral.end):
            return True
        bare = numeral.scale == 1 and not _may_be_year(numeral) and _ends_in_word(before, " *_`")
        return bare and _PROPER_NAME.search(before) is not None

    def _unit_after(self, numeral: Numeral) -> tuple[MeasureUnit, int]:
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

    def _noun_after(self, numeral: Numeral) -> tuple[MeasureUnit, int] | None:
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

    def _rate(self, unit: MeasureUnit, end: int) -> tuple[MeasureUnit, int]:
        """ "5 km/day" and "$5 per month" are counted in a unit of their own, which adds only to itself."""
        match = _PER.match(self.text, end) if unit != ONE else None
        if match is None:
            return unit, end
        return rate(unit, unit_named(match[1])), match.end()

    def _year(self, numeral: Numeral, unit: MeasureUnit, before: str) -> CalendarDate | None:
        """The year that bare digits mean: 1000 to 2100 with nothing they measure or count."""
        if not _may_be_year(numeral):
            return None
        counts = unit.dimension is Dimension.COUNT and counts_as_year(before, int(numeral.amount))
        return CalendarDate(int(numeral.amount)) if unit == ONE or counts else None


def _may_be_year(numeral: Numeral) -> bool:
    return numeral.digits and _FIRST_YEAR <= numeral.amount <= _LAST_YEAR


def meets(condition: Condition, line: str, context: str) -> bool:
    """Whether any value of a line stands in the relation to the value that the condition names.

    A line that names no date is as old as what stands above it: ``context`` is its document's title, headings and
    path. Values that cannot be compared do not meet a condition, and nothing meets one that names no value.
    """
    target = first_value(condition.value)
    if target is None:
        return False
    values = _amounts(line, target)
    if any(_holds(condition.relation, value, target) for value in values):
        return True
    if target.date is None or any(value.date is not None for value in values):
        return False
    above = find_values(context.title())  # months count in small letters too
    return any(value.date is not None and _in_time(condition.relation, value.date, target.date) for value in above)


def _amounts(line: str, target: Value) -> Sequence[Value]:
    """The values of a line; what looks like a year is an amount beside an amount of as many digits.

    "sold: 2050" is more than 2,000; "since 2015" and "in 2015" stay years.
    """
    values = list(find_values(line))
    if target.kind is not ValueKind.NUMBER or target.unit != ONE or not 1000 <= target.magnitude < 10_000:
        return values
    for place, value in enumerate(values):
        start = value.span.start if value.span is not None else 0
        if is_year(value) and not counts_as_year(line[max(0, start - REACH) : start], int(value.magnitude)):
            values[place] = quantity(value.magnitude)
    return values


def _holds(relation: str, value: Value, target: Value) -> bool:
    if value.date is not None and target.date is not None:
        return _in_time(relation, value.date, target.date)
    if value.date is not None or target.date is not None:
        return False
    if ONE in (value.unit, target.unit) and Dimension.COUNT in (value.unit.dimension, target.unit.dimension):
        value, target = replace(value, unit=ONE), replace(target, unit=ONE)  # "more than 10", and "12 pages" are
    elif target.unit == ONE and value.unit.dimension is Dimension.MONEY:
        value = replace(value, unit=ONE)  # "more than 2,000", and "$2,500.00" is
    try:
        compared = order(value, target)
    except ComputationError:
        return False
    allowed = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "=": (0,), "in": (0,)}
    return compared in allowed.get(relation, ())


def _in_time(relation: str, date: CalendarDate, target: CalendarDate) -> bool:
    """A date known to the month or year meets a condition only when all its days do."""
    if relation == "in":
        return target.first <= date.first and date.last <= target.last
    if relation == "=":
        return agrees(date, target)
    return {
        "<": date.last < target.first,
        "<=": date.last <= target.last,
        ">": date.first > target.last,
        ">=": date.first >= target.first,
    }.get(relation, False)
