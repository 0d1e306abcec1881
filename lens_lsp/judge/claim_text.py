"""A sentence of an answer and the passages it cites: their words, and the numbers, dates and units that must agree.

Markup is blanked first, character by character, so that a place in the blanked text is a place in the text. Figures are
found also where no full value is read: "12 March", "v3.4", "#84".

A value is held where a passage has the same amount in the same unit or in one that converts exactly, or, of a date,
one that is at least as exact and agrees. A number that is read as none (a version, a range with signs, an identifier)
is held where it is written. What only stands around a quote holds nothing where the quote has another of the kind.
What the quotes have, but of something else, the other way round or as the other bound, is exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from lens_lsp.arithmetic.notation import MONTHS, ORDINAL_WORDS
from lens_lsp.arithmetic.typed_values import NUMERIC, CalendarDate, Value, ValueKind
from lens_lsp.arithmetic.units import Dimension, MeasureUnit, currency, is_rate, rate_parts, singular, unit_named
from lens_lsp.arithmetic.value_parser import find_values
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, fold, is_function, stem

_TARGET = regex(r"(?<=\])(?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|\[[^\]\n]{0,80}\])")
_TAG = regex(r"</?[a-zA-Z][a-zA-Z0-9-]{0,20}(?:\s[^<>\n]{0,200})?/?>")
_MATH = regex(r"(?<![\w\\$])(\${1,2})(?=\S)([^$\n]{1,400}?)(?<=\S)\1(?!\w)")
_ESCAPE = regex(r"\\(?=[^\w\s])")
_EMPHASIS = regex(r"(?<![^\W_])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![^\W_])|[|]")
_ASIDE = regex(
    r",\s(?:for example|for instance|however|of course|in turn|therefore|in fact|by default|in general|then),",
    re.IGNORECASE,
)
_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)*")
_CODE = regex(r"`[^`\n]+`")
_END = regex(r"[.!?](?=\s|\Z)|\n\s*(?:\n|[-*+]\s|[0-9]{1,3}\.\s)")
_BREAK = regex(rf"[,;:()–—|]|--|{_END.pattern}")
_SAME = """
weigh weight heavy mass | cost price paid costs | often frequency times every | born birth birthday born | die died
death dead | died death dead | wife married spouse husband | husband married spouse wife | author wrote written writer
by | wrote written author writer | invent inventor invented | founded founder established | capital city | released
begin began started start | start began begun begin started | end ended finished | buy bought purchased | bought buy
purchased | pay paid | sell sold | send sent | build built constructed | built build constructed | write wrote written
| win won winner | lose lost | meet met | take took taken | give gave given | make made | speak spoke spoken | teach
taught | think thought | run ran | sing sang sung | know known knew | grow grew grown | draw drew drawn | break broke
broken | hold held | keep kept | spend spent | stand stood | become became | bring brought | catch caught | eat ate
eaten | fall fell fallen | fight fought | hear heard | say said | see saw seen | leave left | lead led | feel felt |
get got | go went | come came | drink drank | drive drove driven | fly flew flown | forget forgot forgotten | rise
rose risen | ride rode ridden | sleep slept | swim swam | wear wore worn | replace replaced superseded supersedes
succeeded | supersede replaces replaced | remove deleted dropped | delete removed dropped | drop removed deleted |
resume continue | continue resume | suggest recommended | recommend suggested | display show | show display | locate
situated | situate located | permit allowed | allow permitted | forbid prohibited banned | prohibit forbidden banned |
purchase bought | reside live | answer reply response | need require necessary | use employ | choose select chose
chosen
"""
_EMPTY = STOP_WORDS - {"name", "named", "called", "known", "own"}
_SHORTEST = 4
"""Letters that two forms of a word share at least."""
_LONGEST_ENDING = 4
UNITLESS = frozenset({Dimension.NUMBER, Dimension.COUNT, Dimension.ORDINAL})
"""The dimensions of numbers that measure nothing."""
PERIODS = {
    "day": "day daily", "week": "week weekly wk", "month": "month monthly mo", "quarter": "quarter quarterly",
    "year": "year yearly annual annually yr annum", "hour": "hour hourly h hr", "minute": "minute min",
    "second": "second sec s",
}  # fmt: skip
"""What something happens or is paid for again and again, with the words that say so."""
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_TO = r"\s?(?:-|–|to|and|through|until)\s?"
_DAYS = tuple(
    regex(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.])(?P<a>[0-3]?[0-9])(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<m>{_MONTH})(?P<b>)(?![^\W_])",
        rf"(?<![^\W_])(?P<m>{_MONTH})\.?\s(?P<a>[0-3]?[0-9])(?:st|nd|rd|th)?(?P<b>)(?![\w%]|[.:,][0-9])",
        rf"(?<![^\W_])(?P<m>{_MONTH})\.?\s(?P<a>[0-3]?[0-9])(?:st|nd|rd|th)?{_TO}(?P<b>[0-3]?[0-9])(?![0-9])",
        rf"(?<![\w.])(?P<a>[0-3]?[0-9])\.?{_TO}(?P<b>[0-3]?[0-9])(?:st|nd|rd|th|\.)?\s(?P<m>{_MONTH})(?![^\W_])",
    )
)
_CLOCKED = regex(r"(?<![\w.])(?:([0-9]{1,3})h)?(?:([0-9]{1,3})m)?([0-9]{1,3})s(?![^\W_])")
DIGITS = regex(r"[^\W_]*[0-9](?:[^\W_]|[.,:+/_-](?=[^\W_]))*")
"""A run that holds a digit."""
_THOUSANDS = regex(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SUFFIX = regex(r"\.[a-z]{1,5}\Z")
_SEPARATORS = regex(r"[/_\\-]")
_ITEM = regex(r"^[ \t]*(?:[-*+]|([0-9]{1,2})[.)])[ \t]", re.MULTILINE)
_LISTING = regex(r"[:.;()]\s")
_COMMAS = regex(r",\s+and\s|,\s|\sand\s|\s&\s")
_CAMEL = regex(r"(?<=[a-z])(?=[A-Z])")
_COUNTING = {**ORDINAL_WORDS, "both": 2, "pair": 2, "couple": 2, "twice": 2, "double": 2}
_CLOSE = Fraction(1, 50)
"""How far apart two amounts in different units are that are about the same."""
_LONGEST_UNIT = 14
_AROUND = 24
"""How far from a number what belongs to it is looked for, in code points."""
_ABOUT = regex(
    r"(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|close to|circa|~|≈)[\s*_`$]*\Z", re.IGNORECASE
)
_DECADE = regex(r"[1-9]?[0-9]?[1-9]0'?s")
_KNOWN = regex(r"\b(?:between|the|these|those|any|each of) \Z", re.IGNORECASE)
_TWO_WORDS = frozenset({"twice", "thrice", "both", "single", "once"})
_TAIL = regex(r"-([a-z]{3,})")
_NAME = regex(r"([A-Z]\w+)\s\Z")
_PER = regex(r"(?<![^\W_])(?:(per|each|every)|an?)\s(day|week|month|quarter|year|hour|minute|second)(?![^\W_])")
_COUNTED = regex(r"\b(?:once|twice|times?) \Z", re.IGNORECASE)
_LETTERS = regex(r"[a-z]+")
_ADVERBS = {adverb: unit for unit, names in PERIODS.items() for adverb in names.split() if adverb[-2:] in ("ly", "al")}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = frozenset(MONTHS) - {"may", "march", "mar"}
_TIMES = {"twice": 2, "thrice": 3}
_LARGEST_LOOSE = 3
_BOUND_AROUND = 24
"""How far from an amount its bound or name is looked for, in code points."""
_LABEL = regex(r"([^\W\d_]{3,})(?: of| is| was| are|:)\s[^\w\n]{0,3}\Z")
_FROM = regex(r"\bfrom\s[^\w\n]{0,3}\Z", re.IGNORECASE)
_LEADS_TO = regex(r"[^\w\n]{0,3}(?:\w+\s)?to\s[^\w\n]{0,3}", re.IGNORECASE)
_LEAST = regex(
    r"(?:(?<!no )\b(?:more|greater|longer|higher|larger) than|\bno (?:less|fewer) than|at least|over|above"
    r"|exceed\w*|minimum(?: of)?|(?<![-=])[>≥]=?)\s?[^\w\n]{0,3}\Z"
    r"|\A[^\w\n]{0,3}\s?(?:\+(?!\d)|or (?:more|longer|above)|minimum)",
    re.IGNORECASE,
)
_MOST = regex(
    r"(?:(?<!no )\b(?:less|fewer|shorter|lower|smaller) than|\bno (?:more|longer|greater) than|at most|up to|under"
    r"|below|within|maximum(?: of)?|as many as|[<≤]=?)\s?[^\w\n]{0,3}\Z"
    r"|\A[^\w\n]{0,3}\s?(?:or (?:less|fewer|shorter)|maximum)",
    re.IGNORECASE,
)
_TURNED = regex(
    r"(?:\b(?:not|never|cannot)|n['’]t)(?: [a-z]+){0,3} (?:exceed|longer|more|less|fewer|greater|larger|higher|lower)"
    r"[^.]*\Z",
    re.IGNORECASE,
)
_BOUNDED = regex(
    r"\b(?:limit\w*|max\w*|min\w*|cap|ceiling|threshold|least|most|more|less|fewer|over|above|under|below|within|up to"
    r"|beyond|exceed\w*|longer|about|around|roughly|some|than|between|from|as many|allow\w*|can)\b",
    re.IGNORECASE,
)


def _same() -> dict[str, tuple[str, ...]]:
    table: dict[str, dict[str, None]] = {}
    for group in " ".join(_SAME.split()).split(" | "):
        first, *others = map(stem, group.split())
        table.setdefault(first, {}).update(dict.fromkeys(others))
    return {word: tuple(others) for word, others in table.items()}


IRREGULAR: Mapping[str, tuple[str, ...]] = _same()
"""Stem of a word to the stems of its irregular forms and of words that say the same."""


@dataclass(frozen=True, slots=True)
class ClaimToken:
    """A word: its place, its folded form and stem, and the numbers of its clause and sentence in its text."""

    span: Span
    text: str
    word: str
    stem: str
    clause: int
    sentence: int
    code: bool
    """It stands in backticks."""

    @property
    def content(self) -> bool:
        """Whether it says something by itself."""
        return self.word not in _EMPTY and not self.word.endswith("n't")


def prose(text: str) -> str:
    """A text with what is markup (targets of links, tags, emphasis) as spaces; same offsets."""
    for pattern in (_TARGET, _TAG, _ESCAPE, _EMPHASIS):
        text = pattern.sub(_blank, text)
    return _MATH.sub(lambda match: f"{' ' * len(match[1])}{match[2]}{' ' * len(match[1])}", text)


def tokens_of(text: str) -> tuple[ClaimToken, ...]:
    """The words of a text, in order."""
    code = [match.span() for match in _CODE.finditer(text)]
    breaks = [match.start() for match in _BREAK.finditer(_ASIDE.sub(_blank, text))]
    ends = [match.start() for match in _END.finditer(text)]
    found, clause, end = [], 0, 0
    for match in _WORD.finditer(prose(text)):
        while clause < len(breaks) and breaks[clause] < match.start():
            clause += 1
        while end < len(ends) and ends[end] < match.start():
            end += 1
        word = fold(match.group()).removesuffix("'s").removesuffix("'")
        coded = any(start < match.start() < stop for start, stop in code)
        found.append(ClaimToken(Span(*match.span()), match.group(), word, stem(word), clause, end, coded))
    return tuple(found)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def alike(a: ClaimToken, b: ClaimToken) -> bool:
    """Whether two words are forms of one word, or of two that say the same."""
    if a.stem == b.stem or b.stem in IRREGULAR.get(a.stem, ()) or a.stem in IRREGULAR.get(b.stem, ()):
        return True
    shorter, longer = sorted((a.stem, b.stem), key=len)
    near = len(longer) - len(shorter) <= _LONGEST_ENDING
    return len(shorter) >= _SHORTEST and near and longer.startswith(shorter)


def aligned(words: Sequence[ClaimToken], others: Sequence[ClaimToken]) -> dict[int, tuple[int, ...]]:
    """For each content word that has some, the places of its like among the others."""
    found = {}
    for at, word in enumerate(words):
        if word.content:
            places = tuple(place for place, other in enumerate(others) if other.content and alike(word, other))
            if places:
                found[at] = places
    return found


def overlaps_any(span: Span, others: Iterable[Span]) -> bool:
    """Whether a span shares text with one of the others."""
    return any(span.overlaps(other) for other in others)


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a month, without or with its year."""

    month: int
    day: int
    span: Span


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a text; places count in that text."""

    values: tuple[Value, ...] = ()
    days: tuple[Day, ...] = ()
    written: frozenset[str] = frozenset()
    """Every run that holds a digit, as written, in lower case; and the parts of each."""


def figures_of(text: str) -> Figures:
    """The figures of a text."""
    plain = prose(text)
    return _figures(plain, (*find_values(plain), *_clocked(plain)))


def figures_of_path(path: str) -> Figures:
    """The figures of a path, in which signs separate words."""
    plain = _SEPARATORS.sub(" ", _SUFFIX.sub("", path))
    name = _SUFFIX.sub("", path.rpartition("/")[2])
    return _figures(plain, (*find_values(plain), *find_values(name)))


def merged(figures: Sequence[Figures]) -> Figures:
    """The figures of several texts."""
    return Figures(
        tuple(value for one in figures for value in one.values),
        tuple(day for one in figures for day in one.days),
        frozenset(written for one in figures for written in one.written),
    )


def listed(text: str) -> frozenset[int]:
    """How many things a text lists (items, or names between commas and "and"), and the numbers of its items."""
    items = list(_ITEM.finditer(text))
    found = {len(items), *(int(item[1]) for item in items if item[1])}
    found.update(len(_COMMAS.split(part)) for part in _LISTING.split(text))
    return frozenset(found - {0, 1})


def _figures(plain: str, values: tuple[Value, ...]) -> Figures:
    days = [
        Day(value.date.month, value.date.day, value.span)
        for value in values
        if value.span is not None and value.date is not None and value.date.month and value.date.day
    ]
    for pattern in _DAYS:
        for match in pattern.finditer(plain):
            written = [int(day) for day in match.group("a", "b") if day]
            days += [Day(MONTHS[match["m"].lower()], day, Span(*match.span())) for day in written if 0 < day < 32]
    return Figures(values, tuple(days), frozenset(_written(plain)))


def _clocked(text: str) -> Iterator[Value]:
    """Durations as programs write them: 2m0s, 90s."""
    for match in _CLOCKED.finditer(text):
        seconds = (int(match[1] or 0) * 60 + int(match[2] or 0)) * 60 + int(match[3])
        yield Value(ValueKind.DURATION, Fraction(seconds), unit_named("second"), span=Span(*match.span()))


def _written(text: str) -> Iterator[str]:
    for match in DIGITS.finditer(text):
        whole = match.group().lower()
        yield whole
        yield whole.removeprefix("v")
        if not _THOUSANDS.fullmatch(whole):
            yield from (part.lstrip("0").removesuffix("s") for part in re.split(r"[-/_:+,]", whole))


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A quote that a sentence cites, and what stands around and above it; all verbatim."""

    quote: str
    before: str = ""
    after: str = ""
    headings: tuple[str, ...] = ()
    title: str = ""
    path: str = ""
    """The path of its document, with the name of the folder."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer."""

    text: str
    plain: str
    """Without its markup; same offsets."""
    tokens: tuple[ClaimToken, ...]
    figures: Figures
    english: bool


@dataclass(frozen=True, slots=True)
class Ground:
    """All that the passages of a sentence say."""

    quote: str
    plain: str
    """The quotes without their markup; same offsets."""
    tokens: tuple[ClaimToken, ...]
    """The words of the quotes."""
    behind: str
    """What stands right behind the quote, if there is just one."""
    everything: str
    """Quotes, context, headings, titles and paths, folded."""
    capitals: frozenset[str]
    """Words with several capitals, reduced to these: CoC, GSA, JS for JavaScript."""
    words: frozenset[str]
    stems: frozenset[str]
    quoted: Figures
    around: Figures
    """The figures of what stands around and above the quotes."""
    counts: frozenset[int]
    """How many things the quotes list, and places in a row and pairs that the passages name in words."""


def sentence_of(text: str) -> Sentence:
    """A sentence, read."""
    tokens = tokens_of(text)
    return Sentence(text, prose(text), tokens, figures_of(text), _is_english(text, tokens))


def _is_english(text: str, tokens: Sequence[ClaimToken]) -> bool:
    """Whether most function words of a sentence are English; without any, whether it is ASCII."""
    common = sum(token.word in STOP_WORDS for token in tokens)
    foreign = sum(token.word not in STOP_WORDS and is_function(token.word) for token in tokens)
    return common > foreign or (common == foreign == 0 and text.isascii())


def ground_of(passages: Sequence[CitedPassage]) -> Ground:
    """The passages of a sentence, read together."""
    quote = "\n\n".join(passage.quote for passage in passages)
    near = [part for passage in passages for part in (passage.before, passage.after)]
    above = [part for passage in passages for part in (*passage.headings, passage.title)]
    paths = [passage.path for passage in passages]
    texts = [quote, *near, *above, *paths]
    tokens = [token for text in texts for one in {text, _apart(text)} for token in tokens_of(one)]
    words = frozenset(token.word for token in tokens)
    return Ground(
        quote,
        prose(quote),
        tokens_of(quote),
        passages[0].after if len(passages) == 1 else "",
        fold("\n".join(texts)),
        frozenset(letters for text in texts for word in text.split() if len(letters := capitals_of(word)) > 1),
        words,
        frozenset(token.stem for token in tokens),
        figures_of(quote),
        merged([*map(figures_of, (*near, *above)), *map(figures_of_path, paths)]),
        listed(quote) | {number for word, number in _COUNTING.items() if word in words},
    )


def capitals_of(word: str) -> str:
    """The capitals of a word in the Latin alphabet."""
    return "".join(letter for letter in word if "A" <= letter <= "Z")


def _apart(text: str) -> str:
    """A text with the words apart that stand together in one: "macOS", "GITHUB_ORG"."""
    return _CAMEL.sub(" ", text.replace("_", " "))


def held(value: Value, others: Iterable[Value], words: Collection[str], *, about: bool) -> bool:
    """Whether one of the others is the same amount. ``words`` are those of the passages: a unit may stand in them."""
    return any(other.kind in NUMERIC and same(value, other, words, about=about) for other in others)


def same(a: Value, b: Value, words: Collection[str], *, about: bool) -> bool:
    """Whether the amount ``a`` of a sentence is the amount ``b`` of a passage."""
    if is_rate(a.unit) and is_rate(b.unit) and _period(a.unit) != _period(b.unit):
        return False
    ours, theirs = without_rate(a.unit), without_rate(b.unit)
    if ours.dimension in UNITLESS:
        return _same_number(a, ours, b, theirs, about=about)
    if theirs.dimension in UNITLESS:
        return _same_unit_apart(a, ours, b, theirs, words, about=about)
    if ours.dimension is not theirs.dimension or ours.of != theirs.of:
        return False
    for factor in (ours.factor, *ours.also):
        for other in (theirs.factor, *theirs.also):
            left, right = a.magnitude * factor + ours.offset, b.magnitude * other + theirs.offset
            if left == right or (about and abs(left - right) <= max(a.step * factor / 2, _CLOSE * abs(right))):
                return True
    return False


def without_rate(unit: MeasureUnit) -> MeasureUnit:
    """The unit of the amount of a rate: euros, of euros per month."""
    if not is_rate(unit):
        return unit
    symbol = rate_parts(unit)[0]
    return currency(symbol) if len(symbol) == 3 and symbol.isupper() else unit_named(symbol)


def _period(unit: MeasureUnit) -> str:
    word = rate_parts(unit)[1].lower()
    return next((period for period, names in PERIODS.items() if word in names.split()), word)


def _same_number(a: Value, ours: MeasureUnit, b: Value, theirs: MeasureUnit, *, about: bool) -> bool:
    if theirs.dimension is Dimension.SHARE and 0 < a.magnitude < 1 and b.magnitude == 100 * a.magnitude:
        return True
    if theirs.dimension is Dimension.ORDINAL and theirs.of and ours.dimension is Dimension.COUNT:
        return False  # "seven members" is not "section 7"
    if ours.of != theirs.of and ours.of in PERIODS and theirs.of in PERIODS:
        return False  # "10 business hours", "10 calendar days"
    return a.magnitude in (b.magnitude, b.other) or (about and _near(a, b.magnitude))


def _same_unit_apart(
    a: Value, ours: MeasureUnit, b: Value, theirs: MeasureUnit, words: Collection[str], *, about: bool
) -> bool:
    """Whether a measured amount is a number whose unit is its noun, or stands elsewhere, as in a table's header."""
    if a.magnitude == b.magnitude and theirs.of == singular(ours.symbol):
        return True
    if theirs.dimension is not Dimension.NUMBER:
        return False
    if a.magnitude == b.magnitude and _is_said(ours.symbol, words):
        return True
    share = b.magnitude * 100
    return ours.dimension is Dimension.SHARE and (a.magnitude == share or (about and _near(a, share)))


def _near(a: Value, amount: Fraction) -> bool:
    return abs(a.magnitude - amount) <= a.step / 2


def _is_said(symbol: str, words: Collection[str]) -> bool:
    return any(
        word == symbol.lower()
        or (len(word) <= _LONGEST_UNIT and word[0].isalpha() and unit_named(word).symbol == symbol)
        for word in words
    )


def unheld(sentence: Sentence, ground: Ground) -> Iterator[tuple[Span, str]]:
    """The spans of what no passage holds, each with its kind: "number", "date" or "unit"."""
    covered: list[Span] = []
    for value in sentence.figures.values:
        if value.span is not None:
            covered.append(value.span)
            kind = _lack(sentence, value, value.span, ground)
            if kind:
                yield value.span, kind
    days = {(day.month, day.day) for day in (*ground.quoted.days, *ground.around.days)}
    for day in sentence.figures.days:
        if not overlaps_any(day.span, covered):
            covered.append(day.span)
            if (day.month, day.day) not in days:
                yield day.span, "date"
    for match in DIGITS.finditer(sentence.plain):
        span = Span(*match.span())
        if not overlaps_any(span, covered) and not _stands(sentence, span, match.group().lower(), ground):
            yield span, "number"
    yield from _in_words(sentence, covered, ground)
    yield from _periods(sentence, covered, ground)


def _lack(sentence: Sentence, value: Value, span: Span, ground: Ground) -> str:
    """What of a value no passage holds: "number", "unit", "date", or "" where one holds it."""
    values = (*ground.quoted.values, *ground.around.values)
    if value.date is not None:
        said = sentence.plain[span.start : span.end].lower() in ground.quoted.written | ground.around.written
        return "" if said or _dated(value.date, ground) else "date"
    if value.kind is ValueKind.TIME:
        readings = {value.magnitude, value.other} - {None}
        return (
            ""
            if any(other.kind is ValueKind.TIME and readings & {other.magnitude, other.other} for other in values)
            else "number"
        )
    bare = value.unit.dimension in UNITLESS
    in_words = not sentence.plain[span.start].isdigit()
    if value.kind not in NUMERIC or (bare and in_words and value.magnitude == 1):
        return ""
    kind = _amount(sentence, value, span, ground)
    if kind == "number" and bare and in_words and (_counted(value, ground) or _loose(sentence, value, span, ground)):
        return ""
    if not kind and _replaced(sentence, value, ground):
        return "number"
    return "unit" if not kind and _of_other_things(sentence, value, span, ground) else kind


def _dated(date: CalendarDate, ground: Ground) -> bool:
    values = (*ground.quoted.values, *ground.around.values)
    dates = [value.date for value in values if value.date is not None]
    if any(other.precision >= date.precision and other.cut(date.precision) == date for other in dates):
        return True
    numbers = {value.magnitude for value in values if value.kind in NUMERIC and value.unit.dimension in UNITLESS}
    years = {other.year for other in dates} | numbers
    if date.month is None:
        fiscal = {f"fy{date.year % 100:02}", f"fy{date.year}"}
        return date.year in years or bool(fiscal & (ground.quoted.written | ground.around.written))
    days = (*ground.quoted.days, *ground.around.days)
    return date.year in years and any((day.month, day.day) == (date.month, date.day) for day in days)


def _amount(sentence: Sentence, value: Value, span: Span, ground: Ground) -> str:
    values = (*ground.quoted.values, *ground.around.values)
    written = ground.quoted.written | ground.around.written
    text = sentence.plain[span.start : span.end].lower()
    before = sentence.plain[max(0, span.start - _AROUND) : span.start]
    about = value.approximate or _ABOUT.search(before) is not None
    if held(value, values, ground.words, about=about) or (_DECADE.fullmatch(text) and text.rstrip("s'") in written):
        return ""
    bare = without_rate(value.unit).dimension in UNITLESS
    if bare and any(other.date is not None and other.date.year == value.magnitude for other in values):
        return ""
    same_number = any(value.magnitude in (other.magnitude, other.other) for other in values if other.kind in NUMERIC)
    figure = text.split()[0]
    named = bare or (figure in ground.quoted.written and value.unit.symbol in ground.words)
    if not same_number and figure in written and named:
        return ""
    return "unit" if same_number and not bare else "number"


def _counted(value: Value, ground: Ground) -> bool:
    """Whether the quotes list so many things, and count the same things nowhere else."""
    rivals = {other.magnitude for other in ground.quoted.values if other.unit.of and other.unit == value.unit}
    return value.magnitude in ground.counts and not (rivals and value.magnitude not in rivals)


def _loose(sentence: Sentence, value: Value, span: Span, ground: Ground) -> bool:
    """Whether it is a place in a row or a small number in words, and nothing of its kind stands in the quotes."""
    ordinal = value.unit.dimension is Dimension.ORDINAL
    if not ordinal and value.magnitude == 2 and _KNOWN.search(sentence.plain[: span.start]):
        return True
    if (not ordinal and value.magnitude > _LARGEST_LOOSE) or _TWO_WORDS & ground.words:
        return False
    units = [other.unit.dimension for other in ground.quoted.values if other.unit.dimension in UNITLESS]
    return not any((dimension is Dimension.ORDINAL) == ordinal for dimension in units)


def _replaced(sentence: Sentence, value: Value, ground: Ground) -> bool:
    """Whether the quotes have another amount of its unit that is not said, and not this one, wherever it was found."""
    rivals = [other for other in ground.quoted.values if other.unit == value.unit]
    if not rivals or (value.unit.dimension in UNITLESS and not value.unit.of):
        return False
    measured = [other for other in ground.quoted.values if other.unit.dimension not in UNITLESS]
    said = [own for own in sentence.figures.values if own.kind in NUMERIC]
    return not held(value, (*rivals, *measured), ground.words, about=True) and not any(
        held(own, rivals, ground.words, about=True) for own in said
    )


def _of_other_things(sentence: Sentence, value: Value, span: Span, ground: Ground) -> bool:
    """Whether it counts something else than the quotes: person-days, not person-hours."""
    own = _TAIL.match(sentence.plain, span.end)
    theirs = [
        _TAIL.match(ground.plain, other.span.end)
        for other in ground.quoted.values
        if other.span is not None and (other.magnitude, other.unit) == (value.magnitude, value.unit)
    ]
    if own is None or not theirs:
        return False
    return not any(other is None or singular(other[1]) == singular(own[1]) for other in theirs)


def _stands(sentence: Sentence, span: Span, text: str, ground: Ground) -> bool:
    """Whether a run of digits and letters that is read as no value is written in the passages."""
    name = _NAME.search(sentence.plain[: span.start])
    if name is not None and "." in text and text not in ground.quoted.written:
        version = rf"(?<![^\W_]){re.escape(name[1])}\sv?([0-9]+\.[0-9.]*[0-9])"
        others = re.findall(version, ground.plain)
        if others and not any(other in sentence.plain for other in others):
            return False  # "Python 3.4" where the quote has "Python 3.3"
    written = ground.quoted.written | ground.around.written
    bare = text.removeprefix("v")
    if {text, bare, bare.lstrip("0"), bare.removesuffix("s")} & written:
        return True
    return all(part in written or part in ground.words for part in re.split(r"[-/_:+]", bare))


def _in_words(sentence: Sentence, covered: list[Span], ground: Ground) -> Iterator[tuple[Span, str]]:
    """Days of the week, months, periods and "twice"."""
    for token in sentence.tokens:
        if overlaps_any(token.span, covered):
            continue
        if token.word.removesuffix("s") in _WEEKDAYS:
            if not _weekday(token.word.removesuffix("s"), ground):
                yield token.span, "date"
        elif token.word in _ADVERBS:
            if not ground.words.intersection(PERIODS[_ADVERBS[token.word]].split()):
                yield token.span, "unit"
        elif token.word in _TIMES:
            amounts = {value.magnitude for value in (*ground.quoted.values, *ground.around.values)}
            if _TIMES[token.word] not in amounts and not {token.word, "double"} & ground.words:
                yield token.span, "number"
        elif token.word in _MONTHS and token.text[0].isupper() and not _month(MONTHS[token.word], ground):
            yield token.span, "date"


def _weekday(name: str, ground: Ground) -> bool:
    values = (*ground.quoted.values, *ground.around.values)
    dates = [value.date.first for value in values if value.date is not None and value.date.day is not None]
    written = {name, f"{name}s", name[:3]} & ground.words
    return bool(written) or any(_WEEKDAYS[date.weekday()] == name for date in dates)


def _month(month: int, ground: Ground) -> bool:
    values = (*ground.quoted.values, *ground.around.values)
    dated = {value.date.month for value in values if value.date is not None}
    days = {day.month for day in (*ground.quoted.days, *ground.around.days)}
    return month in dated | days or any(MONTHS.get(word) == month for word in ground.words)


def _periods(sentence: Sentence, covered: list[Span], ground: Ground) -> Iterator[tuple[Span, str]]:
    """ "Per year" where the passages have no year, or where the same amount is one per month."""
    for match in _PER.finditer(sentence.plain):
        behind = any(0 <= match.start() - span.end <= 1 for span in covered)
        if not (match[1] or behind or _COUNTED.search(sentence.plain[: match.start()])):
            continue
        said = ground.words.intersection(PERIODS[match[2]].split())
        if not said or not _same_period(sentence, match, ground):
            yield Span(*match.span()), "unit"


def _same_period(sentence: Sentence, match: re.Match[str], ground: Ground) -> bool:
    amounts = {
        value.magnitude
        for value in sentence.figures.values
        if value.span is not None and 0 <= match.end() - value.span.end <= _AROUND
    }
    words: set[str] = set()
    for other in ground.quoted.values:
        if other.span is not None and other.magnitude in amounts:
            start = max(other.span.start, other.span.end - _AROUND // 3)
            words.update(_LETTERS.findall(ground.plain[start : other.span.end + _AROUND // 2].lower()))
    periods = {period for period, names in PERIODS.items() if words.intersection(names.split())}
    return not periods or match[2] in periods


def exchanged(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    """The amounts of a sentence that its quotes have in another place or as another bound."""
    own = [value for value in sentence.figures.values if value.kind in NUMERIC and value.span is not None]
    theirs = [value for value in ground.quoted.values if value.kind in NUMERIC and value.span is not None]
    if own and theirs:
        yield from _named_otherwise(sentence, own, ground, theirs)
        yield from _crossed(sentence, own, ground, theirs)
        yield from _reversed(sentence, own, ground, theirs)
        yield from _bounded_otherwise(sentence, own, ground, theirs)


def _place(value: Value) -> Span:
    assert value.span is not None  # only values with a place come here
    return value.span


def _comparable(a: Value, b: Value) -> bool:
    return a.unit == b.unit or {a.unit.dimension, b.unit.dimension} <= UNITLESS


def _named_otherwise(
    sentence: Sentence, own: Sequence[Value], ground: Ground, theirs: Sequence[Value]
) -> Iterator[Span]:
    """ "A total of 40", where the quote has a penalty of 40 and a total of 80."""
    labels: dict[str, list[Value]] = {}
    for value in theirs:
        label = _LABEL.search(ground.plain, max(0, _place(value).start - _BOUND_AROUND), _place(value).start)
        if label is not None:
            labels.setdefault(label[1].lower(), []).append(value)
    for name, values in labels.items():
        if len({value.magnitude for value in values}) > 1:
            continue
        value = values[0]
        others = {other.magnitude for other in theirs if _comparable(other, value)} - {value.magnitude}
        near = [one for one in own if _comparable(one, value)]
        for token in sentence.tokens:
            if token.word == name and near:
                nearest = min(near, key=lambda one: _distance(token.span, _place(one)))
                if nearest.magnitude in others:
                    yield _place(nearest)


def _distance(a: Span, b: Span) -> int:
    return b.start - a.end if b.start >= a.end else a.start - b.end + 1


def _crossed(sentence: Sentence, own: Sequence[Value], ground: Ground, theirs: Sequence[Value]) -> Iterator[Span]:
    """Two amounts that changed places: what stands before each stands before the other in the quote."""
    for a, b in pairwise(own):
        first, second = _before(sentence.tokens, a, None), _before(sentence.tokens, b, a)
        for c, d in pairwise(theirs):
            if a.magnitude == b.magnitude or (a.magnitude, b.magnitude) != (d.magnitude, c.magnitude):
                continue
            one, two = _before(ground.tokens, c, None), _before(ground.tokens, d, c)
            crossed = first & one - two and second & two - one
            if crossed and not first & two - one and not second & one - two and _comparable(a, d) and _comparable(b, c):
                yield Span(_place(a).start, _place(b).end)


def _before(tokens: Sequence[ClaimToken], value: Value, last: Value | None) -> set[str]:
    """The last three content words between the amount before and this one."""
    start, end = 0 if last is None else _place(last).end, _place(value).start
    words = [token.word for token in tokens if token.content and start <= token.span.start and token.span.end <= end]
    return set(words[-3:])


def _reversed(sentence: Sentence, own: Sequence[Value], ground: Ground, theirs: Sequence[Value]) -> Iterator[Span]:
    """What goes from one amount to another in the sentence, and the other way in the quotes."""
    back = {(b.magnitude, a.magnitude) for a, b in _steps(ground.plain, theirs)}
    for a, b in _steps(sentence.plain, own):
        if (a.magnitude, b.magnitude) in back:
            yield Span(_place(a).start, _place(b).end)


def _steps(text: str, values: Sequence[Value]) -> Iterator[tuple[Value, Value]]:
    for a, b in pairwise(values):
        start, between = text[: _place(a).start], text[_place(a).end : _place(b).start]
        if a.magnitude != b.magnitude and _FROM.search(start) and _LEADS_TO.fullmatch(between):
            yield a, b


def _bounded_otherwise(
    sentence: Sentence, own: Sequence[Value], ground: Ground, theirs: Sequence[Value]
) -> Iterator[Span]:
    """A lower bound that is an upper one in the quotes, or the other way round, or a bound that is lost."""
    for value in own:
        same = [other for other in theirs if (other.magnitude, other.unit) == (value.magnitude, value.unit)]
        bounds = {_bound(ground.plain, other, turned=-1) for other in same}
        if bounds not in ({1}, {-1}):
            continue
        bound = _bound(sentence.plain, value, turned=0)
        lost = not bound and not value.approximate and _BOUNDED.search(sentence.plain) is None
        if lost or (bound and bound not in bounds):
            yield _place(value)


def _bound(text: str, value: Value, *, turned: int) -> int:
    """1 for a lower bound, -1 for an upper one, 0 for none; a denied one times ``turned``."""
    place = _place(value)
    before, after = text[max(0, place.start - _BOUND_AROUND) : place.start], text[place.end : place.end + _BOUND_AROUND]
    least, most = (bool(side.search(before) or side.search(after)) for side in (_LEAST, _MOST))
    denied = _TURNED.search(text[max(0, place.start - 2 * _BOUND_AROUND) : place.start]) is not None
    return (least - most) * (turned if denied else 1)
