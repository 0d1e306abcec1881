"""A sentence of an answer and the passages it cites, read once: their words, and what they count, measure and date.

Markup is blanked first, character by character, so that a place in the blanked text is a place in the text. Figures are
found also where no full value is read: "12 March", "v3.4", "#84".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from lens_lsp.arithmetic.notation import MONTHS, ORDINAL_WORDS
from lens_lsp.arithmetic.typed_values import Value, ValueKind
from lens_lsp.arithmetic.units import Dimension, unit_named
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
long length lasted duration
tall height high
high height altitude elevation
deep depth
wide width
large size area population big
big size large
small size
heavy weight weigh mass
weigh weight heavy mass
light weight weigh mass
short length height long
low height
hot temperature warm degrees
cold temperature degrees
warm temperature degrees
fast speed quick
old age born founded established built aged
young born age
far distance away
expensive price cost
cheap price cost
cost price paid costs
often frequency times every
born birth birthday born
die died death dead
died death dead
wife married spouse husband
husband married spouse wife
author wrote written writer by
wrote written author writer
invent inventor invented
founded founder established
capital city
released begin began started start
start began begun begin started
end ended finished
buy bought purchased
bought buy purchased
pay paid
sell sold
send sent
build built constructed
built build constructed
write wrote written
win won winner
lose lost
meet met
take took taken
give gave given
make made
speak spoke spoken
teach taught
think thought
run ran
sing sang sung
know known knew
grow grew grown
draw drew drawn
break broke broken
choose chose chosen
hold held
keep kept
spend spent
stand stood
become became
bring brought
catch caught
eat ate eaten
fall fell fallen
fight fought
hear heard
say said
see saw seen
leave left
lead led
feel felt
get got
go went
come came
drink drank
drive drove driven
fly flew flown
forget forgot forgotten
rise rose risen
ride rode ridden
sleep slept
swim swam
wear wore worn
replace replaced superseded supersedes succeeded
supersede replaces replaced
remove deleted dropped
delete removed dropped
drop removed deleted
resume continue
continue resume
suggest recommended
recommend suggested
display show
show display
locate situated
situate located
permit allowed
allow permitted
forbid prohibited banned
prohibit forbidden banned
purchase bought
reside live
answer reply response
"""
_ADJECTIVES = """
long tall high deep wide large big small heavy light short low hot cold warm fast old young far cheap expensive
"""
_MORE = (("need", ("require", "necessary")), ("use", ("employ",)), ("choose", ("select", "chose", "chosen")))
_MEASURED = frozenset(map(stem, _ADJECTIVES.split()))
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


def _same() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for line in _SAME.strip().splitlines():
        word, *others = line.split()
        table.setdefault(stem(word), []).extend(stem(other) for other in others)
    return {word: tuple(dict.fromkeys(others)) for word, others in table.items()}


IRREGULAR: Mapping[str, tuple[str, ...]] = {
    **{word: forms for word, forms in _same().items() if word not in _MEASURED},
    **{stem(word): tuple(map(stem, others)) for word, others in _MORE},
}
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
