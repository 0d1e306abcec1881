"""What a region says about a requirement (paper, the observation o_i): the features of its best window, and the quote.

A window is a unit, or two or three in a row, under its title and headings. ``oracle.verdicts`` makes a verdict of it.
"""

from __future__ import annotations

from dataclasses import replace

from lens_lsp.computation.condition import meets
from lens_lsp.domain.observation import Judgement, Region, Verdict
from lens_lsp.domain.plan import Requirement
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import fold, key
from lens_lsp.oracle.answers import Candidate
from lens_lsp.oracle.enumerations import enumerations
from lens_lsp.oracle.lexicon import ANAPHORS
from lens_lsp.oracle.matching import WORDS, held, tightest
from lens_lsp.oracle.operands import in_column, is_lone, told, value_of
from lens_lsp.oracle.settings import Thresholds
from lens_lsp.oracle.soundness import denies, lack, opposed
from lens_lsp.oracle.verdicts import NOTHING, Features, verdict
from lens_lsp.oracle.view import View, says, view_of
from lens_lsp.oracle.weights import Need, Needs

_MOST_UNITS = 3
_TRIED = 8
_WITHIN = 0.15
_CONTEXT = 0.7
_UNIT_COST = 0.03
_NAME_GAIN = 0.1
_FIT_GAIN = 0.2
_LENGTH_COST = 1 / 5000
_WORTH = 0.2
"""Below this share of the mass, and without a name, a region is not looked at any closer."""
_WORTH_VALUES = 0.4
"""Below this share of the mass no value makes a proof."""
_OPENING = 80
_STANDS_FOR = 0.8
"""What a unit is worth of the word it stands for, of several facts: "cost" before "210 €"."""
_DEFINES = regex(
    r"\b(?:is|are|was|were|means?|refers? to|denotes?|stands for|describes?|ist|sind|est|sont|es|son|это)\b"
    r"|[:：—–]|是|とは|は|[은는] "
)
# A list item, a table row, "Height: 330 m".
_LABELLED = regex(r"\s*(?:[-*+|>•]|\d+[.)]\s|[^.:\n]{1,40}[:：=|\t])")


@dataclass(frozen=True, slots=True)
class Assessment:
    """One region and one requirement: the features, and the quote and value that its best window gives."""

    requirement: Requirement
    features: Features
    quote: str | None
    value: str | None

    def judgement(self, thresholds: Thresholds) -> Judgement:
        """The judgement; a quote and value only where it says something."""
        given = verdict(self.features, thresholds)
        if given in (Verdict.NONE, Verdict.RELATED) or not self.quote:
            lesser = Verdict.RELATED if given in (Verdict.FULL, Verdict.PARTIAL) else given
            return Judgement(self.requirement.id, lesser)
        return Judgement(self.requirement.id, given, self.quote, self.value)


def assess(needs: Needs, region: Region) -> list[Assessment]:
    """What a region says about each requirement, in their order."""
    view = view_of(needs, region)
    return [_assess(need, view) for need in needs.needs]


@dataclass(frozen=True, slots=True)
class _Window:
    """Adjacent units and the terms they hold."""

    first: int
    last: int
    mask: int
    score: float
    promise: float
    """The score with what a value in it may still stand for."""


def _assess(need: Need, view: View) -> Assessment:
    if need.rule is not None:
        exact = _exact(need, view)
        if exact is not None:
            return exact
    if need.listed:
        found = _listed(need, view)
        if found is not None:
            return found
    everything = view.mask(0, len(view.units) - 1) | view.above
    named = _names_held(need, everything, view, view.folded.text)
    if not any(named) and need.mass(everything) < _WORTH and not need.bridges:
        return Assessment(need.requirement, NOTHING, None, None)
    best_one, gain = None, -1.0
    for window in _windows(need, view):
        most = _FIT_GAIN + _NAME_GAIN * len(need.names)
        if window.score + most + need.mass(need.measured & ~window.mask) <= gain:
            continue
        score = window.score + _gain(need, view, window)
        if score > gain + 1e-9:
            best_one, gain = window, score
    if best_one is None:
        # The subject stands above its text, which says nothing of it.
        share = sum(named) / len(named) if named else 0.0
        return Assessment(need.requirement, replace(NOTHING, names=share, named=any(named)), None, None)
    return _measured(need, view, best_one)


def _windows(need: Need, view: View) -> list[_Window]:
    """The best windows for a requirement by mass, shorter ones first where they hold as much."""
    found: list[_Window] = []
    for first in range(len(view.units)):
        mask, context = 0, view.over(first, several=need.several) & need.bits
        for last in range(first, min(first + _MOST_UNITS, len(view.units))):
            if last > first and None not in (view.header[last], view.header[first]):
                break  # two rows are two statements
            mask |= view.masks[last] & need.bits
            if all(view.bare[first : last + 1]):
                continue
            length = view.units[last].end - view.units[first].start
            core = need.mass(mask | (context & need.named))
            score = core + _CONTEXT * (need.mass(mask | context) - core)
            score -= _UNIT_COST * (last - first) + _LENGTH_COST * length
            titled = need.several and context & need.named == need.named
            if need.names and mask & need.named and not titled:
                score += _NAME_GAIN
            if mask or need.bridges:
                open_ = need.measured & ~(mask | context) if need.several else 0
                found.append(_Window(first, last, mask, score, score + need.mass(open_)))
    found.sort(key=lambda window: -window.promise)
    return [window for window in found[:_TRIED] if window.promise >= found[0].promise - _WITHIN]


def _gain(need: Need, view: View, window: _Window) -> float:
    """What names without terms and the best value of a window add to its score."""
    spelled = [name for name in need.names if not name.bits]
    if spelled:
        plain = f" {key(view.text(window.first, window.last))} "
        return _NAME_GAIN * sum(f" {name.key} " in plain for name in spelled) + _value_gain(need, view, window)
    return _value_gain(need, view, window)


def _value_gain(need: Need, view: View, window: _Window) -> float:
    """What the best value of a window adds to its score; not looked for where the window proves nothing anyway."""
    if not need.wanted.typed:
        return _FIT_GAIN * need.wanted.fit_of_text(view.text(window.first, window.last))
    if need.mass(window.mask | view.above | need.measured) < _WORTH_VALUES:
        return 0.0
    found = _candidates(need, view, window)
    stands_for = need.measured & ~window.mask if any(candidate.measured for candidate in found) else 0
    return _FIT_GAIN * max((candidate.fit for candidate in found), default=0.0) + need.mass(stands_for) * (
        _STANDS_FOR if need.several else 1.0
    )


def _candidates(need: Need, view: View, window: _Window) -> list[Candidate]:
    """The values of a window that may answer, at offsets in the region; found once for each of its units."""
    found: list[Candidate] = []
    for index in range(window.first, window.last + 1):
        span = view.units[index]
        known = view.candidates.get((need.requirement.id, index))
        if known is None:
            known = need.wanted.candidates(view.region.text[span.start : span.end], span.start)
            view.candidates[need.requirement.id, index] = known
        found.extend(known)
    return found


def _measured(need: Need, view: View, window: _Window) -> Assessment:
    """The features of a window, and what it would be quoted with."""
    quote = view.text(window.first, window.last)
    start, end = view.units[window.first].start, view.units[window.last].end
    plain, above = fold(quote), view.over(window.first, several=need.several)
    names = _names_held(need, window.mask | (above & need.named), view, plain, window)
    mask = window.mask
    for name, holds_ in zip(need.names, names, strict=True):
        if holds_ and name.date is not None:
            mask |= name.bits  # "March 2015" stands there as 2015-03-14
    hits = [(at - start, index) for at, index in view.hits if start <= at < end and window.mask >> index & 1]
    chosen, fit = None, need.wanted.fit_of_text(quote)
    if need.wanted.typed:
        candidates = _candidates(need, view, window)
        candidates = in_column(need, view, window.first, candidates)
        chosen = value_of(need, view, candidates, [(at + start, index) for at, index in hits])
        fit = 0.0 if chosen is None else chosen.fit
        if chosen is not None and chosen.measured:
            mask |= need.measured
    found = Features(
        mass=need.mass(mask | (above & need.named)),
        context=need.mass(mask | above),
        relation=_relation(need, mask | above),
        names=sum(names) / len(names) if names else 1.0,
        named=any(names),
        fit=fit,
        link=_link(need, view, window, None if chosen is None else chosen.span.start),
        reach=0 if chosen is None else _reach(need, chosen, [(at + start, index) for at, index in hits]),
        spread=tightest(hits, window.mask) if hits else 0,
        terms=(mask | (above & need.bits)).bit_count() + told(need, view, chosen),
        defined=not is_lone(need) and _defines(need, view, window),
        units=window.last - window.first + 1,
        negated=not need.yes_no and denies(plain, [at for at, _ in hits], need.requirement),
        lack=lack(need, mask | above),
        opposed=opposed(need, mask | above, f"{plain} {fold(view.context)}"),
        bridged=any(f" {name} " in f" {key(quote)} " for name in need.bridges),
    )
    return Assessment(need.requirement, found, quote, None if chosen is None else chosen.text)


def _listed(need: Need, view: View) -> Assessment | None:
    """The list whose lead and headings hold most of what is asked for; None when there is no list."""
    best_one, mask, most = None, 0, _WORTH_VALUES
    for one in enumerations(view):
        lead = view.mask(one.lead, one.first - 1)
        if need.mass(lead | view.above) > most:
            best_one, mask, most = one, lead, need.mass(lead | view.above)
    if best_one is None:
        return None
    quote = view.text(best_one.lead if not view.bare[best_one.lead] else best_one.first, best_one.last)
    names = _names_held(need, mask | view.above, view, fold(quote))
    found = Features(
        mass=need.mass(mask | view.above & need.named),
        context=need.mass(mask | view.above),
        relation=_relation(need, mask | view.above),
        names=sum(names) / len(names) if names else 1.0,
        named=any(names),
        fit=1.0,
        link=1.0,
        reach=0,
        spread=0,
        terms=((mask | view.above) & need.bits).bit_count(),
        defined=False,
        units=best_one.last - best_one.lead + 1,
        negated=False,
        bridged=False,
        lack=lack(need, mask | view.above),
    )
    return Assessment(need.requirement, found, quote, None)


def _relation(need: Need, mask: int) -> float:
    """The share of what is asked about the names."""
    others = need.bits & ~need.named
    whole = need.mass(others)
    return need.mass(mask & others) / whole if whole else 1.0


def _reach(need: Need, value: Candidate, hits: list[tuple[int, int]]) -> int:
    """How far a value stands from the nearest term that is part of no name; from any when there are none."""
    others = need.bits & ~need.named or need.bits
    if value.measured:
        others |= need.bits
    gaps = [max(at - value.span.end, value.span.start - at, 0) for at, index in hits if others >> index & 1]
    return min(gaps, default=0)


def _defines(need: Need, view: View, window: _Window) -> bool:
    """Whether the window's first unit opens with a term and says what it is."""
    span = view.units[window.first]
    start = _DEFINES.search(view.region.text, span.start, min(span.end, span.start + _OPENING))
    return start is not None and any(
        span.start <= at < start.start() and need.bits >> index & 1 for at, index in view.hits
    )


def _link(need: Need, view: View, window: _Window, value: int | None) -> float:
    """How closely the names are tied to the unit that makes the statement: the value's, or the one with most terms."""
    if not need.named:
        return 1.0
    stated = window.first
    if value is not None:
        stated = next(i for i in range(window.first, window.last + 1) if value < view.units[i].end)
    else:
        others = need.bits & ~need.named
        stated = max(range(window.first, window.last + 1), key=lambda i: (need.mass(view.masks[i] & others), -i))
    if any(name.bits and view.masks[stated] & name.bits == name.bits for name in need.names):
        return 1.0
    text = view.region.text[view.units[stated].start : view.units[stated].end]
    first = WORDS.search(fold(text))
    if first is None or first.group() in ANAPHORS or _LABELLED.match(text) or not first.group().isascii():
        return 0.8
    return 0.6 if view.above & need.named else 0.3


def _names_held(need: Need, bits: int, view: View, plain: str, window: _Window | None = None) -> list[bool]:
    """Which needed names stand in a text or above it; all words of a name must stand in one of the two."""
    found = []
    for name in need.names:
        if name.bits:
            above, inside = view.above & name.bits == name.bits, bits & name.bits == name.bits
            if inside and not above and window is not None:
                inside = _together(name.bits, name.key, view, window)
            holds = above or inside
        else:
            holds = name.key in plain or name.key in fold(view.context) or f" {name.key} " in f" {key(plain)} "
        if not holds and name.date is not None:
            holds = says(view.context, name.date) or says(plain, name.date)
        found.append(holds)
    return found


def _together(bits: int, name: str, view: View, window: _Window) -> bool:
    """Whether the words of a name stand close enough to be that name."""
    if bits.bit_count() < 2:
        return True
    start, end = view.units[window.first].start, view.units[window.last].end
    hits = [(at, index) for at, index in view.hits if start <= at < end]
    return 0 < tightest(hits, bits) <= 2 * len(name) + 10


def _exact(need: Need, view: View) -> Assessment | None:
    """By an exact rule: the first line that holds its phrases and meets its condition. None leaves it to the terms."""
    rule = need.rule
    if rule is None:
        return None
    for index, span in enumerate(view.units):
        text = view.region.text[span.start : span.end]
        if held(fold(text), need.rule_forms).bit_count() < len(rule.phrases):
            continue
        if rule.condition is None or meets(rule.condition, text, view.context):
            mass = need.mass(view.masks[index])
            return Assessment(need.requirement, replace(NOTHING, mass=mass, context=mass, exact=True), text, None)
    if rule.condition is None:
        return None
    mass = need.mass(view.mask(0, len(view.units) - 1))
    return Assessment(need.requirement, replace(NOTHING, mass=mass, context=mass, exact=False), None, None)
