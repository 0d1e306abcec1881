"""What each term of a question weighs for each requirement: its rarity in the workspace, less if it only asks.

Compiled once a request and used for all its regions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

from lens_lsp.computation.dates import CalendarDate
from lens_lsp.computation.reading import find_values
from lens_lsp.domain.plan import AnchorKind, AnswerType, Combination, Intent, MatchRule, Plan, Requirement
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import MAX_SUFFIX, STOP_WORDS, fold, key, runs, stem
from lens_lsp.oracle.analysis import analyse, terms
from lens_lsp.oracle.answers import Wanted, is_measure, wanted
from lens_lsp.oracle.lexicon import (
    BASES,
    EXTREMES,
    MEASURABLE,
    OPPOSITES,
    ORDERS,
    TYPE_WORDS,
    UNSPACED_FUNCTION,
    is_aside,
    is_function,
    is_soft,
)
from lens_lsp.oracle.matching import Form, forms

_SOFT = 0.3
_DEGREES = frozenset({"high", "low", "large", "small", "big", "great"})
"""Adjectives that only say which way, beside a noun for what is measured: "the highest amount"."""
_HOLDING_WORDS = (
    "contain hold have need require include total use get come amount cover combined sum go store carry serve"
)
_HOLDING = frozenset(map(stem, _HOLDING_WORDS.split()))
"""Verbs that tie a number to what has it; a label or a table does without."""
_EVERYWHERE = 0.05
"""What is left of the weight of a term that stands in every document: it still says what is asked."""
COMMON = 0.3
"""A name whose rarest word weighs less than this share of the question's rarest need not stand in a proof: "Rust" in a
book about Rust."""
_YES_NO = regex(r"^(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|must)\b", re.IGNORECASE)
# "Which river is longer": a proof about the Nile need not call it a river.
_WHICH = regex(
    r"\W*(?:which|what|welche[rs]?|quel(?:le)?|que|какой|какая) (?!is\b|was\b|of\b|has\b|ist\b|est\b|es\b)(\w+)"
)
_UNSPACED_ASKS = regex("|".join(map(re.escape, sorted(UNSPACED_FUNCTION, key=len, reverse=True))))
_LISTS = frozenset({Combination.LIST, Combination.COUNT})
# "How many packets are sent if no count is given?": what stands in its stead is that a value holds by default.
_UNSET = regex(
    r"\b(?:(?:if|when|where) (?:no|nothing|none)\b[^,?]*?|unless (?:otherwise )?|(?:if|when) not (?:otherwise )?)"
    r"\b(?:given|set|specified|passed|configured|provided|stated|chosen)\b",
    re.IGNORECASE,
)
_BY_DEFAULT = frozenset(
    {"default", "defaults", "otherwise", "unless", "omitted", "unspecified", "no", "not", "without"}
)
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve"
_NUMBERS = frozenset(_NUMBER_WORDS.split())
_READING = "summarize summarise summary overview outline list enumerate key point"
_ASKS_TO_READ = frozenset(map(stem, _READING.split()))


@dataclass(frozen=True, slots=True)
class NeededName:
    """A name that a proof must hold: its terms as bits, its folded key where no term is left of it, the date it is."""

    bits: int
    key: str
    date: CalendarDate | None = None


@dataclass(frozen=True, slots=True)
class Need:
    """One requirement, compiled: what its terms weigh, its names, and what answers it."""

    requirement: Requirement
    weights: tuple[float, ...]
    total: float
    bits: int
    """Terms that weigh anything."""
    names: tuple[NeededName, ...]
    named: int
    """Terms that are part of a name."""
    wanted: Wanted
    bridges: tuple[str, ...]
    """Folded names that earlier passages brought."""
    measured: int
    """Terms that a value of the right unit stands for: "weigh" in "2.3 kg"."""
    yes_no: bool
    kinds: int
    """Terms that name its type of answer, such as "amount": they weigh nothing, and head a column."""
    own: int
    """Terms of its names that no other fact's names have."""
    peers: tuple[int, ...]
    """The same for every fact of the plan, in order."""
    words: int
    """Terms that are whole words, not pairs of characters of a script without spaces."""
    several: bool
    """It is one of several facts that are looked for side by side."""
    listed: bool
    """One list of items is the answer."""
    extremes: tuple[frozenset[str], ...]
    """What a proof must say of what it singles out, each in one of several words."""
    numbers: int
    """Terms that are numbers and part of no name: a proof holds all of them."""
    opposites: tuple[tuple[int, tuple[Form, ...]], ...]
    """Terms as bits and how their opposite is written."""
    rule: MatchRule | None
    rule_forms: tuple[tuple[Form, ...], ...]

    def mass(self, bits: int) -> float:
        """The share of the requirement's weight that the given terms carry."""
        bits &= self.bits
        sum_ = 0.0
        while bits:
            low = bits & -bits
            sum_ += self.weights[low.bit_length() - 1]
            bits ^= low
        return sum_ / self.total


@dataclass(frozen=True, slots=True)
class Needs:
    """A request's requirements over one list of terms."""

    forms: tuple[tuple[Form, ...], ...]
    """How each term may be written."""
    needs: tuple[Need, ...]


def compile_needs(plan: Plan, outstanding: Sequence[Requirement], idf: Mapping[str, float]) -> Needs:
    """The outstanding requirements of a plan, ready to judge regions by."""
    asked = {anchor.text for anchor in analyse(plan.question).anchors}
    anchors = [a for a in plan.anchors if a.kind is not AnchorKind.PHRASE and a.text in asked]
    known = tuple(dict.fromkeys(anchor.text for anchor in anchors))
    rarity = _rarity(known, idf)
    named = {term for requirement in plan.requirements for name in requirement.names for term, _ in terms(name)}
    compiled = [forms(term, name=term in named) for term in known]
    factors = _factors(plan)
    needs = []
    for requirement in outstanding:
        serving = {a.text for a in anchors if requirement.id in a.requirements} or set(known)
        kinds = TYPE_WORDS.get(requirement.answer_type.value, frozenset())
        if wanted(requirement, plan.question).literal is not None:
            kinds |= TYPE_WORDS["literal"]
        weights = [
            rarity[i] * (0.0 if term not in serving or stem(term) in kinds else factors.get(term, 1.0))
            for i, term in enumerate(known)
        ]
        if not any(weights):
            weights = [rarity[i] if term in serving else 0.0 for i, term in enumerate(known)]
        bridges = tuple(
            a.text
            for a in plan.anchors
            if a.kind is AnchorKind.PHRASE and a.text not in asked and requirement.id in a.requirements
        )
        needs.append(_need(requirement, plan, known, rarity, weights, bridges))
    return Needs(tuple(compiled), tuple(needs))


def _need(
    requirement: Requirement,
    plan: Plan,
    known: tuple[str, ...],
    rarity: list[float],
    weights: list[float],
    bridges: tuple[str, ...],
) -> Need:
    index = {term: i for i, term in enumerate(known)}
    needed = _needed(requirement, index, rarity)
    bits = sum(1 << i for i, weight in enumerate(weights) if weight > 0)
    peers = _peers(plan, index)
    rule, lookup = requirement.rule, plan.intent is Intent.LOOKUP
    kinds = TYPE_WORDS.get(requirement.answer_type.value, frozenset())
    return Need(
        requirement=requirement,
        weights=tuple(weights),
        total=sum(weights) or 1.0,
        bits=bits,
        names=tuple(needed),
        named=reduce(or_, (name.bits for name in needed), 0),
        wanted=wanted(requirement, plan.question),
        bridges=bridges,
        measured=sum(1 << i for i, term in enumerate(known) if bits >> i & 1 and is_measure(term)),
        yes_no=_YES_NO.match(plan.question.strip()) is not None,
        kinds=sum(1 << i for i, term in enumerate(known) if stem(term) in kinds),
        own=peers[plan.requirements.index(requirement)] if requirement in plan.requirements else 0,
        peers=peers,
        words=sum(1 << i for i, term in enumerate(known) if forms(term)[0].suffix >= 0),
        several=len(plan.requirements) > 1,
        listed=rule is None and plan.transformation is not None and plan.transformation.kind in _LISTS,
        extremes=_extremes(plan),
        numbers=sum(1 << i for i, term in enumerate(known) if lookup and bits >> i & 1 and term in _NUMBERS),
        opposites=_opposites(known, bits),
        rule=rule,
        rule_forms=tuple((Form(phrase, 0 if phrase.isascii() else -1),) for phrase in rule.phrases) if rule else (),
    )


def _needed(requirement: Requirement, index: Mapping[str, int], rarity: Sequence[float]) -> list[NeededName]:
    """The names that a proof must hold: those that are rare, or hold no term at all."""
    needed: list[NeededName] = []
    least = COMMON * max(rarity, default=1.0)
    for name in requirement.names:
        parts = [index[term] for term, _ in terms(name) if term in index]
        if not parts or max(rarity[i] for i in parts) >= least:
            needed.append(NeededName(sum(1 << i for i in parts), name, _date_of(name)))
    return needed


def _peers(plan: Plan, index: Mapping[str, int]) -> tuple[int, ...]:
    """For every fact the terms, as bits, that only its own subject is known by."""
    named = [
        {term for name in requirement.names for term, _ in terms(name) if term in index}
        for requirement in plan.requirements
    ]
    return tuple(
        sum(1 << index[term] for term in mine.difference(*(other for j, other in enumerate(named) if j != i)))
        for i, mine in enumerate(named)
    )


def _opposites(known: tuple[str, ...], bits: int) -> tuple[tuple[int, tuple[Form, ...]], ...]:
    """The terms among some bits that have an opposite, and how it is written."""
    return tuple(
        (1 << i, tuple(Form(root, MAX_SUFFIX) for root in OPPOSITES[stem(term)]))
        for i, term in enumerate(known)
        if bits >> i & 1 and stem(term) in OPPOSITES
    )


def _extremes(plan: Plan) -> tuple[frozenset[str], ...]:
    """The words of a question that single one out, unless it compares what it names."""
    words = [] if plan.intent is not Intent.LOOKUP else re.findall(r"[a-z]+", fold(plan.question))
    found = {EXTREMES[word]: None for word in words if word in EXTREMES and word not in ("up", "main", "began")}
    return (*found, *(() if _UNSET.search(plan.question) is None else (_BY_DEFAULT,)))


def _rarity(known: tuple[str, ...], idf: Mapping[str, float]) -> list[float]:
    """Weights of terms in nats. One that stands nowhere in the workspace counts like the rarest: it is still "
    "missing."""
    by_stem = {stem(term): weight for term, weight in idf.items() if weight > 0}
    found = [idf.get(term, 0.0) or by_stem.get(stem(term), 0.0) for term in known]
    top = max(found, default=0.0) or 1.0
    return [max(weight or top, _EVERYWHERE * top) for weight in found]


def _factors(plan: Plan) -> dict[str, float]:
    """How much of a term's weight is left when it asks rather than tells."""
    factors: dict[str, float] = {}
    which = _WHICH.match(fold(plan.question)) if plan.intent is Intent.COMPARISON else None
    kind = which[1] if which is not None else None
    # The order is told by the values themselves.
    ordered = plan.intent in (Intent.COMPARISON, Intent.COMPUTATION) and plan.transformation is not None
    untold = 0.0 if ordered and plan.answer_type in (AnswerType.NUMBER, AnswerType.DATE) else _SOFT
    measured = any(stem(anchor.text) in MEASURABLE for anchor in plan.anchors)
    for anchor in plan.anchors:
        term = anchor.text
        reads = plan.intent in (Intent.SUMMARIZE, Intent.AGGREGATION) and stem(term) in _ASKS_TO_READ
        if reads or is_function(term) or is_aside(term) or term in STOP_WORDS:
            factors[term] = 0.0
        elif (ordered and (term in ORDERS or (term in BASES and not is_measure(term)))) or (
            ordered and BASES.get(term, term) in _DEGREES and measured
        ):
            factors[term] = untold
        elif ordered and stem(term) in _HOLDING and plan.answer_type is not AnswerType.ANY:
            factors[term] = 0.0
        elif is_soft(term) or term == kind:
            factors[term] = _SOFT
    unset = _UNSET.search(plan.question)
    if unset is not None:
        kept = {term for term, _ in terms(fold(_UNSET.sub(" ", plan.question)))}
        factors.update((term, 0.0) for term, _ in terms(fold(unset.group())) if term not in kept)
    factors.update(_unspaced(plan.question))
    return factors if any(factors.get(a.text, 1.0) for a in plan.anchors) else {}


def _unspaced(question: str) -> dict[str, float]:
    """Pairs of characters of a script without spaces: those that touch a particle or question word weigh nothing."""
    factors: dict[str, float] = {}
    kept: set[str] = set()
    for run in runs(fold(question)):
        if run.spaced:
            continue
        factors.update((term, 0.0) for term, _ in terms(run.text))
        for part in _UNSPACED_ASKS.split(run.text):
            if len(part) > 1 or (part and not "\u3040" <= part <= "\u30ff"):
                kept.update(term for term, _ in terms(part))
    return {term: 0.0 for term in factors if term not in kept} if kept else {}


def _date_of(name: str) -> CalendarDate | None:
    """The date that a name is, when it is nothing else: "march 2015"."""
    values = find_values(name.title())
    if len(values) != 1 or values[0].date is None or values[0].span is None:
        return None
    return values[0].date if len(values[0].span) >= len(key(name)) - 1 else None
