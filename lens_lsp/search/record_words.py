"""The words of a question about rows: which tell something, what they may be called in a table, which are operators.

Words are compared by `root`, the same for singular and plural. What may stand for a column beside its name: a few words
that mean the same in tables, and words close in meaning by the vocabulary, but for those that are one of two opposites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter

from lens_lsp.arithmetic.notation import MONTHS
from lens_lsp.arithmetic.typed_values import Value
from lens_lsp.arithmetic.units import looks_plural, singular
from lens_lsp.arithmetic.value_parser import find_values
from lens_lsp.judge.rules.question_plan import POSSESSIVE
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, fold, is_function, runs, stem
from lens_lsp.search.metadata import Period, periods
from lens_lsp.search.question import vocabulary

LONGEST_VALUE = 12
"""Words of a cell that a question may name."""
_NEUTRAL_WORDS = """
please tell give show list find name enumerate table tables row rows entry entries record records item items value
values column columns sheet sheets file files spreadsheet spreadsheets workbook data dataset listed shown recorded given
according stand stands come comes located based situated lie lies found live lives work works belong belongs held
contain contains hold holds include includes exist exists get gets got see there overall use uses used thing things one
ones kind exactly currently dr mr mrs ms prof professor csv tsv xlsx xls ods pdf docx md html appear appears
make makes made go goes went being called named titled entitled labelled marked keep kept stored put reported measured
registered noted say says said stated because want know tell ask asked happen happened occur occurred
cause caused bring brought take took taken cast reach reached receive received achieve achieved score scored rank
ranked appear counted appeared serve served generate generated produce produced erzeugt do people person
persons times cases meant think following there still ever already also amount amounts
line lines result results resulted set sets need needs needed like liked read reads play plays
"""
NEUTRAL = frozenset(
    form
    for word in _NEUTRAL_WORDS.split()
    for form in (word, f"{word}s", f"{word}ed", f"{word}d", f"{word}ing", f"{word[:-1]}ing")
)
"""Words that tell nothing of which rows or columns are meant."""
_HEADS = "number numbers value name level amount figure code date point rate share"
NOUN_HEADS = frozenset(map(stem, _HEADS.split()))
"""Words that may follow the name of a column: "phone number" is what the column "Phone" holds."""
_YES_NO = regex(r"(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would|may|must)\b")
_SYNONYMS = (
    "phone telephone tel mobile cell phonenumber",
    "email e-mail mail emailaddress",
    "price cost costs",
    "weight mass weigh weighs weighed",
    "height elevation altitude tall",
    "born birth birthday birthdate dob",
    "died death",
    "founded founding established foundation",
    "population inhabitants people residents",
    "salary wage wages pay earn earns earned income",
    "due deadline",
    "owner responsible assignee assigned owns own",
    "country nation state",
    "city town",
    "size area",
    "depth deep",
    "width wide",
    "length long",
    "age old",
    "temperature temp",
    "quantity qty count units",
    "opened opening",
    "department dept",
    "manager boss",
    "supplier vendor supplied supplies",
    "customer client",
    "amount sum",
    "spent spend amount paid cost costs price expense expenses",
    "distance far",
    "speed fast velocity",
    "year yr",
    "from origin source departure",
    "to destination arrival",
    "date day",
    "room office",
    "latitude lat",
    "longitude lon lng",
    "maximum max",
    "minimum min",
    "average avg mean",
    "score points",
    "number no nr num",
    "identifier id",
    "author writer wrote written",
    "description desc",
    "pages length",
    "bought purchased purchase",
    "hired joined started start",
    "male males men man",
    "female females women woman",
    "manufacturer maker built produced",
    "population pop",
    "altitude alt",
    "precipitation precip rain rainfall",
    "humidity humid",
    "visibility visib",
    "profession occupation job",
    "actor actress starring starred star stars played cast role part lead main",
)
_MONTHS = (" ".join(name for name, one in MONTHS.items() if one == month) for month in range(1, 13))
_FORMS = sorted(
    (form, number)
    for number, line in enumerate((*_SYNONYMS, *_MONTHS))
    for word in line.split()
    for form in (word, stem(word))
)
GROUPS = {form: frozenset(number for _, number in same) for form, same in groupby(_FORMS, itemgetter(0))}
_CLOSE = 0.7
_OPPOSITE_WORDS = """
male female males females man woman men women boy girl boys girls north south east west northern southern eastern
western start end begin open closed close win loss won lost wins losses home away import export input output first last
high low hot cold old new young big small long short before after early late morning evening summer winter
husband wife father mother son daughter brother sister yes no true false pass fail buy sell buyer seller income expense
debit credit up down left right public private upper lower black white total average min max minimum maximum median mean
"""
OPPOSITES = frozenset(_OPPOSITE_WORDS.split()) | frozenset(map(stem, _OPPOSITE_WORDS.split()))
MAX, MIN = "max", "min"
SUPERLATIVES: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(["highest", "largest", "biggest", "greatest", "maximum", "max", "most", "top"], ((MAX, ""),)),
    **dict.fromkeys(["lowest", "smallest", "least", "minimum", "min", "fewest"], ((MIN, ""),)),
    "heaviest": ((MAX, "weight mass"),),
    "lightest": ((MIN, "weight mass"),),
    "tallest": ((MAX, "height elevation"),),
    "shortest": ((MIN, "length height duration distance"),),
    "longest": ((MAX, "length duration distance"),),
    "oldest": ((MAX, "age"), (MIN, "born birth founded opened built established year date")),
    "youngest": ((MIN, "age"), (MAX, "born birth founded established year")),
    "newest": ((MAX, "date year built opened founded released published"),),
    "latest": ((MAX, "date year opened founded released published"),),
    "earliest": ((MIN, "date year opened founded released published"),),
    "first": ((MIN, "date year opened founded released published"),),
    "last": ((MAX, "date year opened founded released published"),),
    "cheapest": ((MIN, "price cost"),),
    "dearest": ((MAX, "price cost"),),
    "priciest": ((MAX, "price cost"),),
    "costliest": ((MAX, "price cost"),),
    "fastest": ((MAX, "speed velocity"), (MIN, "time duration")),
    "slowest": ((MIN, "speed velocity"), (MAX, "time duration")),
    "hottest": ((MAX, "temperature"),),
    "warmest": ((MAX, "temperature"),),
    "coldest": ((MIN, "temperature"),),
    "coolest": ((MIN, "temperature"),),
    "deepest": ((MAX, "depth"),),
    "shallowest": ((MIN, "depth"),),
    "densest": ((MAX, "density"),),
    "widest": ((MAX, "width"),),
    "narrowest": ((MIN, "width"),),
    "hardest": ((MAX, "hardness"),),
    "strongest": ((MAX, "magnitude strength"),),
    "nearest": ((MIN, "distance"),),
    "closest": ((MIN, "distance"),),
    "farthest": ((MAX, "distance"),),
    "furthest": ((MAX, "distance"),),
    "busiest": ((MAX, "passengers traffic visitors"),),
    "richest": ((MAX, "income gdp wealth"),),
    "brightest": ((MAX, "brightness"),),
}
MOST_OF = {
    "expensive": "price cost",
    "populous": "population",
    "populated": "population",
    "recent": "date year",
    "dense": "density",
}
"""Adjectives behind "most" and "least", and the columns that they order by."""
COMPARATIVES = {
    **dict.fromkeys(["more", "greater", "larger", "higher", "bigger", "over", "above"], (">", "")),
    **dict.fromkeys(["less", "fewer", "lower", "smaller", "under", "below"], ("<", "")),
    "heavier": (">", "weight mass"),
    "lighter": ("<", "weight mass"),
    "taller": (">", "height elevation"),
    "shorter": ("<", "length height duration"),
    "longer": (">", "length duration"),
    "older": (">", "age"),
    "younger": ("<", "age"),
    "cheaper": ("<", "price cost"),
    "dearer": (">", "price cost"),
    "faster": (">", "speed"),
    "slower": ("<", "speed"),
    "hotter": (">", "temperature"),
    "warmer": (">", "temperature"),
    "colder": ("<", "temperature"),
    "cooler": ("<", "temperature"),
    "deeper": (">", "depth"),
    "wider": (">", "width"),
    "denser": (">", "density"),
    "stronger": (">", "magnitude"),
}
SCALES = {
    "thousand": 10**3,
    "thousands": 10**3,
    "million": 10**6,
    "millions": 10**6,
    "billion": 10**9,
    "billions": 10**9,
}
COUNT = regex(r"\b(?:how many|(?:the )?(?:number|count) of|count)\b")
SUM = regex(r"\b(?:(?:the )?(?:sum|total) of|in total|altogether|in all|total|sum|combined|add up)\b")
MEAN = regex(r"\b(?:on average|average|(?<!i )(?<!you )(?<!does it )mean|avg)\b")
MEDIAN = regex(r"\bmedian\b")
_OPERATORS = (COUNT, SUM, MEAN, MEDIAN)
HOW = {
    "much": "amount price cost total salary fee spent value weight mass",
    "tall": "height",
    "high": "height elevation altitude",
    "heavy": "weight mass",
    "long": "length duration",
    "old": "age",
    "deep": "depth",
    "wide": "width",
    "big": "size area",
    "large": "size area",
    "far": "distance",
    "fast": "speed",
    "hot": "temperature",
    "cold": "temperature",
    "hard": "hardness",
    "dense": "density",
    "expensive": "price cost",
}
CAMEL = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_YEAR_RUN = regex(
    r"\b(?:(?:from|between) )?(?:the )?(?:years? )?(?P<first>1[5-9]\d\d|20\d\d) ?(?:to|until|till|through|and|-|–) ?"
    r"(?:the )?(?:years? )?(?P<last>1[5-9]\d\d|20\d\d)\b(?![-/.]\d)"
)
_LONE_YEAR = regex(r"(?<![\d.,/-])(?:1[5-9]\d\d|20\d\d)(?![\d/%-]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A word of a question: folded, its stem, and where it stands in the folded question."""

    text: str
    stem: str
    span: Span
    telling: bool
    """Whether it must be accounted for."""


@lru_cache(maxsize=1 << 14)
def root(word: str) -> str:
    """The stem of a folded word, the same for its plural."""
    return stem(singular(word)) if looks_plural(word) else stem(word)


def stems_of(name: str) -> list[str]:
    """The stems of the telling words of a name; of all its words where none tells."""
    words = [run.text for run in runs(fold(CAMEL.sub(" ", name).replace("_", " ")))]
    return [root(word) for word in words if word not in STOP_WORDS] or [root(word) for word in words]


def alike(asked: str, named: str) -> bool:
    """Whether two stems may mean the same."""
    if asked == named:
        return True
    if GROUPS.get(asked, frozenset()) & GROUPS.get(named, frozenset()):
        return True
    return len(named) >= 4 and asked.startswith(named) and not named.isdigit()


def shortened(asked: str, named: str) -> bool:
    """Whether a word of a name may be the beginning of a word, as "exp" is of "expectancy"."""
    return len(named) == 3 and named.isalpha() and asked.startswith(named)


def related(word: str) -> frozenset[str]:
    """Stems of words that are close in meaning; none of words that are one of a pair of opposites."""
    if stem(word) in OPPOSITES or word in OPPOSITES:
        return frozenset()
    near = [one.word for one in vocabulary().related(word) if one.likeness >= _CLOSE]
    return frozenset(map(root, near)) - OPPOSITES


class Question:
    """The words of a question, and what of it are numbers, dates and operators."""

    def __init__(self, question: str) -> None:
        self.text = POSSESSIVE.sub("  ", " ".join(question.split()))
        self.folded = fold(self.text)
        self.aligned = len(self.folded) == len(self.text)
        said = runs(self.folded)
        foreign = sum(is_function(run.text) for run in said) > sum(run.text in STOP_WORDS for run in said)
        self.words = [
            QuestionWord(
                run.text,
                root(run.text),
                Span(run.start, run.start + len(run.text)),
                run.text not in STOP_WORDS and not (foreign and is_function(run.text)),
            )
            for run in said
        ]
        self.grams = dict(self._grams(lambda word: word.text))
        self.stemmed = dict(self._grams(lambda word: word.stem, telling=True))
        self.periods = list(self._periods())
        self.values = [value for value in find_values(self.text) if value.span is not None] if self.aligned else []

    def _grams(
        self, of: Callable[[QuestionWord], str], *, telling: bool = False
    ) -> Iterator[tuple[str, tuple[int, int]]]:
        for first in range(len(self.words)):
            if telling and not self.words[first].telling:
                continue
            said: list[str] = []
            for last in range(first, min(len(self.words), first + LONGEST_VALUE)):
                if not telling or self.words[last].telling:
                    said.append(of(self.words[last]))
                    yield " ".join(said), (first, last)

    def _periods(self) -> Iterator[tuple[Period, Span]]:
        """The dates that a question names, single years and runs of years among them."""
        taken: list[Span] = []
        for match in _YEAR_RUN.finditer(self.folded):
            first, last = int(match["first"]), int(match["last"])
            if first < last:
                taken.append(Span(*match.span()))
                yield Period(Period.of(first).first, Period.of(last).last), taken[-1]
        for period, span in periods(self.folded, years=True):
            if not any(span.overlaps(other) for other in taken):
                yield period, span
        taken += [span for _, span in periods(self.folded, years=True)]
        for match in _LONE_YEAR.finditer(self.folded):
            span = Span(*match.span())
            if not any(span.overlaps(other) for other in taken):
                yield Period.of(int(match.group())), span

    def letter(self, at: int) -> str:
        """The first letter of a word, as it was typed."""
        start = self.words[at].span.start
        return self.text[start : start + 1]

    def written(self, first: int, last: int) -> str:
        """The words from one to another, as they were typed."""
        return self.text[self.words[first].span.start : self.words[last].span.end]

    def digits(self, value: Value) -> set[int]:
        """The words of a number that are figures, or scale them."""
        assert value.span is not None
        inside = self.at(value.span)
        return {n for n in inside if any(map(str.isdigit, self.words[n].text)) or self.words[n].text in SCALES}

    def at(self, span: Span) -> set[int]:
        """The words in a stretch."""
        return {index for index, word in enumerate(self.words) if word.span.overlaps(span)}

    @cached_property
    def measured(self) -> frozenset[int]:
        """The words of numbers and dates."""
        spans = [*(value.span for value in self.values if value.span), *(span for _, span in self.periods)]
        return frozenset(at for span in spans for at in self.at(span))

    @property
    def scanned(self) -> frozenset[str]:
        """Stems of words that a table or what it is called must hold: neither operators nor numbers."""
        kept = set()
        for index, word in enumerate(self.words):
            if index in self.measured or not word.telling or word.stem in GROUPS or word.stem in NOUN_HEADS:
                continue
            if any(word.text in known for known in (NEUTRAL, SUPERLATIVES, COMPARATIVES, MOST_OF, HOW, GROUPS)):
                continue
            if any(one.search(word.text) for one in _OPERATORS) or word.text.startswith("exceed"):
                continue
            kept.add(stem(word.text))
        return frozenset(kept)

    @property
    def needs_all(self) -> bool:
        """Whether it counts, adds or compares, so that every document matters."""
        return any(one.search(self.folded) for one in _OPERATORS) or any(w.text in SUPERLATIVES for w in self.words)

    @property
    def is_refused(self) -> bool:
        """Whether it asks what no query here answers."""
        return not self.words or _YES_NO.match(self.folded) is not None or len(self.words) > 40
