"""Which values in a passage may answer a requirement: of the expected type, and not the question's own.

How well a value fits is a number from 0 to 1, so that fitting can choose how strict to be: 1 for the very unit that was
asked for ("12 chapters" for "how many chapters"), less for a plain number, little for another unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from lens_lsp.computation.nouns import looks_plural, singular
from lens_lsp.computation.reading import find_values
from lens_lsp.computation.units import Dimension, is_rate
from lens_lsp.computation.values import NUMERIC, Kind, Value, same
from lens_lsp.domain.plan import AnswerType, Requirement
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span
from lens_lsp.domain.words import STOP_WORDS, fold, key, stem
from lens_lsp.oracle.lexicon import BASES, TYPE_WORDS
from lens_lsp.oracle.names import names
from lens_lsp.oracle.tables import is_row

EXACT, PLAIN, OTHER = 1.0, 0.7, 0.3
"""Fit of the unit that was asked for, of a number without unit, of another unit."""

_D = Dimension
_TIMES = frozenset({_D.TIME, _D.CALENDAR})
_MEASURES: tuple[tuple[frozenset[Dimension], str], ...] = (
    (
        frozenset({_D.MONEY}),
        (
            r"\bcosts?\b|\bprices?\b|\bpay|\bpaid|expensive|cheap|\brents?\b|salary|budget|revenue|\bfees?\b|teuer|kostet|prix|cout|precio"
            r"|cuesta|цена|стоит|多少钱|いくら|얼마"
        ),
    ),
    (frozenset({_D.SHARE}), r"percent|per cent|percentage|share of|prozent|pourcent|porcentaje|процент|百分"),
    (frozenset({_D.MASS}), r"weigh|\bheav(?:y|ier|iest)|\blight(?:er|est)|\bmass\b|wiegt|schwer|pese|pesa|весит|多重"),
    (
        _TIMES,
        (
            r"how old|\bage\b|years old|wie alt|quel age|edad|сколько лет|多大|何歳|몇 살|how much time|duration"
            r"|last(?:ed|s)? longer"
        ),
    ),
    (frozenset({_D.SPEED, _D.DATA_RATE}), r"how fast|speed|faster|slower|schnell|vitesse|velocidad|скорость"),
    (frozenset({_D.TEMPERATURE}), r"temperature|how (?:hot|cold|warm)|hotter|colder|warmer|temperatur|температура"),
    (
        frozenset({_D.LENGTH}),
        (
            r"how (?:tall|high|far|wide|deep)|\btall|height|distance|width|depth|elevation|altitude|hoch|hauteur"
            r"|altura|высота|多高|多远"
        ),
    ),
    (_TIMES | {_D.LENGTH, _D.COUNT}, r"how long|length|longer|shorter|wie lang|\blang(?:e|er|es)?\b|longueur|多长"),
    (
        frozenset({_D.AREA, _D.DATA, _D.VOLUME, _D.COUNT, _D.LENGTH}),
        (r"how (?:large|big)|larger|bigger|smaller|size|area|capacity"),
    ),
)
_PATTERNS = tuple((dimensions, regex(pattern)) for dimensions, pattern in _MEASURES)
_HOW_MANY = regex(
    r"\b(?:how many|number of|wie ?viele|combien de|cuant[oa]s|сколько) (?:(?:more|different|fewer|of"
    r"|the|all) )*(?!times\b|percent\b|per\b)([^\W\d_]+)"
)
# "Who scored more goals" counts goals, "which weighs more" nothing.
_MORE_OF = regex(r"\b(?:more|most|fewer|fewest|less|least) ([^\W\d_]+)")
_MEASURES_BY_UNIT = """
cost price pay paid expensive cheap weigh weight heavy light tall high height long length wide width deep depth far
distance fast speed slow hot cold warm temperature old age large big size percentage percent last duration
"""
_MEASURE_WORDS = frozenset(map(stem, _MEASURES_BY_UNIT.split()))
_TOLD = (
    (
        regex(r"^\W*(?:where|in (?:what|which) (?:city|country|place|town|room|folder|file|state|region))\b"),
        regex(
            r"\b(?:in|at|near|on|inside|under|behind|from|to|into|via|outside|between|beside)\b|[/\\]|->|→",
            re.IGNORECASE,
        ),
    ),
    (
        regex(r"^\W*(?:why|for what reason|how come)\b"),
        regex(
            r"\b(?:because|since|as|due to|owing to|so that|in order to|so|therefore|reasons?|thus|hence|caused"
            r"|causes?|led to|leads to|results?|for|prevents?|avoids?|allows?|ensures?|otherwise|motivat\w+)\b|[:—–]",
            re.IGNORECASE,
        ),
    ),
)
_LITERALS = (
    (
        regex(r"\b(?:which|what|same) (?:[\w-]+ ){0,3}(?:flag|option|switch)\b|\b(?:flag|option|switch)\b[^?]* same\b"),
        regex(r"(?<![\w-])-{1,2}[A-Za-z][\w-]*"),
    ),
    (regex(r"\b(?:which|what|same) (?:[\w.+-]+ ){0,2}version\b"), regex(r"\b[vV]?\d+(?:\.\d+)+\b")),
)
_FIGURES = regex(r"\d|[一二三四五六七八九十〇零]")
_AROUND = 30
RATE = " per "
"""What a requirement's text holds when a rate is asked for."""
_RATES = frozenset({_D.SPEED, _D.DATA_RATE})
# "errors: 42", and on the next line "warnings: 310": those are no 42 warnings.
_NEXT_LABEL = regex(r"\n(?=[ \t]*(?:[-*+|>#•]|\d+[.)]\s|\w[\w -]{0,30}:\s))")
_AHEAD = 2.0
"""How much farther a value seems that stands before its term."""
_MOST = 24


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may answer: where it stands in the passage, as written, and how well it fits."""

    span: Span
    text: str
    fit: float
    measured: bool = False
    """Its unit is of the dimension that was asked for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a requirement takes for an answer."""

    kind: AnswerType
    dimensions: frozenset[Dimension] | None
    noun: str | None
    """The singular of what is counted."""
    known: tuple[Value, ...]
    """The question's own values."""
    words: frozenset[str]
    """The question's own words, folded."""
    told: re.Pattern[str] | None = None
    """How an answer without a typed value is told: a place after its preposition, a reason after "because"."""

    literal: re.Pattern[str] | None = None
    """How an answer of a kind that is known by its looks is written: an option, a version."""
    rate: bool = False
    """Only a rate answers: "12 € per day", "18 km/h"."""
    asked: frozenset[str] = frozenset()
    """Stems of the requirement's words and of words for its type: a label with them stands by its value."""

    @property
    def typed(self) -> bool:
        """Whether only a value answers, not any text."""
        return self.kind is not AnswerType.ANY or self.literal is not None

    def fit_of_text(self, passage: str) -> float:
        """How well a passage tells a place or reason where that is asked for."""
        return EXACT if self.told is None or self.told.search(passage) else OTHER

    def candidates(self, passage: str, offset: int = 0) -> list[Candidate]:
        """The values of a passage that may answer, in order; their spans are moved by ``offset``."""
        if self.literal is not None:
            written = self.literal.finditer(passage)
            return [Candidate(Span(m.start() + offset, m.end() + offset), m.group(), EXACT) for m in written]
        if self.kind is AnswerType.PERSON:
            return self._people(passage, offset)
        if self.kind is AnswerType.DATE and not _FIGURES.search(passage):
            return []
        found = []
        united = False
        for value in _values(passage)[:_MOST]:
            fit = self._fit(value, passage)
            bare = value.unit.dimension is Dimension.NUMBER
            # "The first needs 12 bytes and the second 15."
            fit = EXACT if fit == PLAIN and bare and united else fit
            united = united or (fit == EXACT and not bare and self.kind is AnswerType.NUMBER)
            if fit and value.span is not None and not any(same(value, own) is True for own in self.known):
                text = passage[value.span.start : value.span.end]
                if text.isdigit() and text in self.words:  # "in 2015 to 990 €": the question's own year
                    continue
                span = Span(value.span.start + offset, value.span.end + offset)
                found.append(Candidate(span, text, fit, self._is_measured(value)))
        return found

    def _fit(self, value: Value, passage: str) -> float:
        if self.kind is AnswerType.DATE:
            return EXACT if value.kind is Kind.DATE else OTHER if value.kind is Kind.TIME else 0.0
        if value.kind is Kind.DATE and value.span is not None and is_row(passage):  # 1418 in a cell is no year
            return PLAIN if passage[value.span.start : value.span.end].isdigit() else 0.0
        if value.kind not in NUMERIC or value.span is None:
            return 0.0
        dimension = value.unit.dimension
        if dimension is Dimension.ORDINAL:
            return 0.0
        if self.rate:
            return EXACT if is_rate(value.unit) or dimension in _RATES else OTHER
        if self.noun is not None and self._counts(value, passage):
            return EXACT
        if self.noun is None and self.dimensions is None:
            return EXACT if dimension is not Dimension.COUNT else PLAIN
        if self.dimensions is not None and dimension in self.dimensions:
            return EXACT
        return PLAIN if dimension is Dimension.NUMBER else OTHER

    def _is_measured(self, value: Value) -> bool:
        dimension = value.unit.dimension
        return self.dimensions is not None and dimension in self.dimensions and dimension is not Dimension.COUNT

    def _counts(self, value: Value, passage: str) -> bool:
        """Whether a number counts what the question counts: its unit, or a word just after or before it."""
        assert value.span is not None
        assert self.noun is not None
        if value.unit.of == self.noun or singular(value.unit.symbol) == self.noun:
            return True
        if value.unit.dimension not in (Dimension.NUMBER, Dimension.COUNT):
            return False
        after = fold(passage[value.span.end : value.span.end + _AROUND])
        before = fold(passage[max(0, value.span.start - _AROUND) : value.span.start])
        root = stem(self.noun)
        near = [stem(word) for word in re.findall(r"[^\W\d_]+", after)[:3]]
        ahead = re.search(rf"{re.escape(root)}\w{{0,4}}\W{{0,3}}(?:\w{{1,6}}\W+)?$", before)
        return root in near or ahead is not None

    def _people(self, passage: str, offset: int) -> list[Candidate]:
        if not re.search(r"[a-zA-Zа-яА-Я]", passage):  # no capitals to know names by
            return [Candidate(Span(offset, offset + len(passage)), passage, EXACT)] if passage else []
        found = []
        for name in names(passage):
            parts = name.key.split(" ")
            if not name.quoted and not set(parts) <= self.words and not any(part.isdigit() for part in parts):
                span = Span(offset + name.start, offset + name.start + len(name.text))
                found.append(Candidate(span, name.text, EXACT if len(parts) > 1 else PLAIN))
        return found


@lru_cache(maxsize=1 << 12)
def _values(passage: str) -> tuple[Value, ...]:
    """The values of a passage; requirements of one request look at the same ones."""
    return find_values(_NEXT_LABEL.sub(";", passage))


@lru_cache(maxsize=256)
def wanted(requirement: Requirement, question: str) -> Wanted:
    """What a requirement of a question takes for an answer."""
    asked = fold(f"{requirement.text} {question}" if requirement.text not in question else question)
    dimensions = _dimensions(requirement, question)
    noun = _noun_of(asked, split=requirement.text != question)
    unit = _unit_of(noun)
    if unit is not None:  # "how many hours"
        dimensions, noun = frozenset({unit}), None
    if requirement.answer_type is not AnswerType.NUMBER:
        dimensions, noun = None, None
    return Wanted(
        requirement.answer_type,
        dimensions,
        noun,
        find_values(question),
        frozenset(key(question).split()),
        _told(asked) if requirement.answer_type is AnswerType.ANY else None,
        _literal(asked) if requirement.answer_type is AnswerType.ANY else None,
        requirement.answer_type is AnswerType.NUMBER and RATE in requirement.text,
        frozenset(map(stem, key(requirement.text).split()))
        | TYPE_WORDS.get(requirement.answer_type.value, frozenset()),
    )


def _noun_of(asked: str, *, split: bool) -> str | None:
    """The singular of what a folded question counts; of several facts also what one has more of."""
    counted = _HOW_MANY.search(asked)
    if counted is not None:
        return None if counted[1] in STOP_WORDS else singular(counted[1])
    more = _MORE_OF.search(asked) if split else None
    plural = more is not None and more[1] not in STOP_WORDS and looks_plural(more[1])
    return singular(more[1]) if more is not None and plural else None


def _dimensions(requirement: Requirement, question: str) -> frozenset[Dimension] | None:
    """What is asked for by its measure; of several facts first by their own words, never as a share."""
    own, whole = fold(requirement.text), fold(question)
    split = requirement.text != question
    found = next((dims for dims, pattern in _PATTERNS if split and pattern.search(own)), None)
    if found is not None:
        return found
    asked = whole if requirement.text in question else f"{own} {whole}"
    shares = frozenset({_D.SHARE})
    return next((dims for dims, pattern in _PATTERNS if pattern.search(asked) and not (split and dims == shares)), None)


def _literal(asked: str) -> re.Pattern[str] | None:
    return next((pattern for word, pattern in _LITERALS if word.search(asked)), None)


def _told(asked: str) -> re.Pattern[str] | None:
    return next((pattern for word, pattern in _TOLD if word.search(asked)), None)


def _unit_of(noun: str | None) -> Dimension | None:
    """The dimension of a noun that is a unit of measure."""
    values = find_values(f"5 {noun}") if noun else ()
    known = values and values[0].unit.dimension not in (Dimension.COUNT, Dimension.NUMBER, Dimension.ORDINAL)
    return values[0].unit.dimension if known and values[0].kind in NUMERIC else None


def is_measure(term: str) -> bool:
    """Whether a term names what a unit shows by itself: "weigh", "tall", "cost"."""
    return stem(BASES.get(term, term)) in _MEASURE_WORDS


def best(
    candidates: Sequence[Candidate], hits: Sequence[tuple[int, float]], *, behind: bool = False
) -> Candidate | None:
    """The candidate that fits best and stands closest to the matched terms, given as (offset, weight).

    With ``behind`` a value rather follows its term: "the first took 12 and the second 15".
    """
    if not candidates:
        return None
    top = max(candidate.fit for candidate in candidates)
    # The unit of a value is near it for another reason.
    outside = [hit for hit in hits if not any(c.span.start <= hit[0] < c.span.end for c in candidates)] or hits

    def closeness(candidate: Candidate) -> float:
        middle = (candidate.span.start + candidate.span.end) / 2
        gaps = ((at - middle if at > middle else middle - at, at > middle, weight) for at, weight in outside)
        return sum(weight / (1.0 + gap / 20.0 * (_AHEAD if behind and before else 1.0)) for gap, before, weight in gaps)

    return max((c for c in candidates if c.fit == top), key=lambda c: (closeness(c), -c.span.start))


def only(candidates: Sequence[Candidate]) -> Candidate | None:
    """The one candidate that can be meant: the single best fit; None when several fit equally well."""
    top = max((candidate.fit for candidate in candidates), default=0.0)
    tops = [candidate for candidate in candidates if candidate.fit == top]
    distinct = {fold(candidate.text) for candidate in tops}
    return tops[0] if len(distinct) == 1 and top >= PLAIN else None
