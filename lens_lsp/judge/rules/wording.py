"""The answer in Markdown, from verified quotes alone, one way for each intent.

Every sentence that claims something quotes evidence and ends in its ``[n]``; what is missing is said first; nothing is
added from anywhere else. Questions are answered by showing, not by paraphrase: that needs a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lens_lsp.judge.base import Fact, SynthesisRequest
from lens_lsp.judge.quoting import block, differing, excerpt, item, marker, not_read, plain
from lens_lsp.model.answer import RequirementStatus
from lens_lsp.model.documents import Evidence
from lens_lsp.model.plan import Combination, Intent, Requirement, Unit
from lens_lsp.model.words import STOP_WORDS, key, stem

OFFLINE = "*Answered offline by rules; a configured model could word and combine these passages.*\n"
READ = "*Judged by {}, without a language model.*\n"
"""With the reader's name."""
WITHOUT_MODEL = "*Worded offline by rules: the configured model gave no wording of its own.*\n"
"""In place of the others where there is a model and nothing could be shown to it."""
_CLOSEST = " Closest passages:"
_EMPHASIS = re.compile(r"[*`]+")
"""Markup that a short answer leaves out."""
_MOST_QUOTES = 3
_MOST_PASSAGES = 6
_MOST_LISTED = 200
_MOST_MARKED = 12
_UNTOLD = frozenset(map(stem, STOP_WORDS))
_COUNTED = {Unit.FILE: ("file", "files"), Unit.LINE: ("line", "lines"), Unit.MATCH: ("occurrence", "occurrences")}


def worded(request: SynthesisRequest, *, configured: bool, reader: str | None = None) -> Iterator[str]:
    """The answer piece by piece; ``configured`` says whether there is a language model, ``reader`` names the reader
    that judged in its place."""
    who = READ.format(reader) if reader else WITHOUT_MODEL if configured else OFFLINE
    if request.failure is not None:
        judged = READ.format(reader) if reader else "*Worded offline by rules.*\n"
        who = f"*The model gave no answer: {plain(request.failure)}. {judged[1:]}"
    last = ""
    for piece in _body(request):
        yield piece
        last = piece
    if not request.judged:
        yield who if last.endswith("\n\n") else "\n" + who


def _body(request: SynthesisRequest) -> Iterator[str]:
    cited = {evidence.n: evidence for evidence in request.evidence}
    if not cited:
        yield _nothing(request)
    elif request.plan.intent is Intent.SUMMARIZE:
        yield from _summary(request)
    elif request.plan.intent is Intent.AGGREGATION:
        yield from _aggregation(request, cited)
    elif any(fact.status is RequirementStatus.MISSING for fact in request.facts):
        yield from _partial(request, cited)
    elif request.plan.intent in (Intent.COMPUTATION, Intent.COMPARISON):
        yield from _combined(request, cited)
    else:
        for fact in request.facts:
            yield from _fact(fact, cited)


def short_answer(request: SynthesisRequest) -> str | None:
    """The short answer: what was computed, or what a single proven fact is proven to be."""
    if any(fact.status is not RequirementStatus.COVERED for fact in request.facts) or not request.facts:
        return None
    if request.plan.intent is Intent.SUMMARIZE or _lists(request):
        return None
    if request.computed is not None:
        return request.computed
    if request.plan.intent is not Intent.LOOKUP or len(request.facts) != 1:
        return None
    value = request.facts[0].value
    return " ".join(_EMPHASIS.sub("", value).split()) or None if value else None


def _nothing(request: SynthesisRequest) -> str:
    missing = "; ".join(_said(fact.requirement, request) for fact in request.facts[:3]) or "this question"
    return f"No passage was found for {missing}.\n"


def _said(requirement: Requirement, request: SynthesisRequest) -> str:
    """A requirement as a sentence names it."""
    return f"“{plain(requirement.text or request.plan.question)}”"


def _fact(fact: Fact, cited: Mapping[int, Evidence]) -> Iterator[str]:
    if fact.status is RequirementStatus.CONTESTED:
        yield from _contested(fact, cited)
        return
    for evidence in _of(fact, cited)[:_MOST_QUOTES]:
        yield block(evidence, fact.value) + "\n"


def _contested(fact: Fact, cited: Mapping[int, Evidence]) -> Iterator[str]:
    """All sides of a fact, none preferred."""
    sides = [(value, n) for value, n in fact.sides if n in cited]
    yield f"{differing(sides, fact.newer)}\n\n" if sides else "The sources differ:\n\n"
    shown = [n for _, n in sides] or list(fact.evidence)
    for n in dict.fromkeys(shown):
        if n in cited:
            yield block(cited[n], next((value for value, side in sides if side == n), None)) + "\n"


def _partial(request: SynthesisRequest, cited: Mapping[int, Evidence]) -> Iterator[str]:
    """What is missing, in plain words and first; then the closest passages; then what was found."""
    missing = [fact for fact in request.facts if fact.status is RequirementStatus.MISSING]
    names = ", ".join(_said(fact.requirement, request) for fact in missing)
    unstated = "this" if len(missing) == len(request.facts) else names
    near = [cited[n] for n in dict.fromkeys(n for fact in missing for n in fact.evidence) if n in cited]
    yield f"No passage states {unstated}.{_CLOSEST if near else ''}\n\n"
    asked = frozenset(map(stem, key(request.plan.question).split())) - _UNTOLD
    for evidence in near[:_MOST_PASSAGES]:
        yield item(evidence, asked=asked)
    for fact in request.facts:
        if fact.status is RequirementStatus.MISSING:
            continue
        yield f"\nFound for {_said(fact.requirement, request)}:\n\n"
        yield from _fact(fact, cited)


def _combined(request: SynthesisRequest, cited: Mapping[int, Evidence]) -> Iterator[str]:
    """The result with its operands, or both facts side by side when nothing combines them."""
    numbers = [fact.evidence[0] for fact in request.facts if fact.evidence]
    if any(fact.status is RequirementStatus.CONTESTED for fact in request.facts):
        yield "Nothing is computed, because the sources differ:\n\n"
    elif request.computed is not None:
        derivation = f" — {request.derivation}" if request.derivation else ""
        marks = "" if all(marker(n) in derivation for n in numbers) else f" {marker(*numbers)}"
        yield f"**{plain(request.computed)}**{derivation}{marks}\n\n"
    else:
        yield "Side by side, not combined:\n\n"
    for fact, label in zip(request.facts, _labels(request), strict=True):
        if fact.status is RequirementStatus.CONTESTED:
            yield from _contested(fact, cited)
            continue
        for evidence in _of(fact, cited)[: 1 if request.computed is not None else 2]:
            yield item(evidence, fact.value, f"**{plain(label)}**: ")


def _labels(request: SynthesisRequest) -> list[str]:
    rule = request.plan.transformation
    if rule is not None and len(rule.labels) == len(request.facts):
        return list(rule.labels)
    return [fact.requirement.text for fact in request.facts]


def _aggregation(request: SynthesisRequest, cited: Mapping[int, Evidence]) -> Iterator[str]:
    """The count, or the list, and how much of what matches was read."""
    for fact in request.facts:
        found = _of(fact, cited)
        if fact.status is RequirementStatus.MISSING and not _is_counted(fact):
            alone = len(request.facts) == 1
            yield f"No passage states {'this' if alone else _said(fact.requirement, request)}.{_CLOSEST}\n\n"
        else:
            yield _count(fact, request) + "\n\n"
        for evidence in found[:_MOST_LISTED]:
            yield item(evidence, fact.value)
        hidden = len(found) - _MOST_LISTED
        yield f"\n{_reading(fact)}{f'; {hidden} are not listed here' if hidden > 0 else ''}.\n"


def _is_counted(fact: Fact) -> bool:
    return fact.requirement.rule is not None and fact.status is not RequirementStatus.MISSING


def _count(fact: Fact, request: SynthesisRequest) -> str:
    """ "**12 files** match [1][2] and more." The number is that of the exact rule where there is one."""
    marks = marker(*fact.evidence[:_MOST_MARKED])
    rest = " and more" if len(fact.evidence) > _MOST_MARKED else ""
    if _is_counted(fact) and fact.requirement.rule is not None:
        rule = fact.requirement.rule
        total = fact.files if rule.unit is Unit.FILE and fact.files else fact.matching
        one, many = _COUNTED[rule.unit]
        places = f" in {fact.files:,} files" if rule.unit is not Unit.FILE and fact.files > 1 else ""
        words = " with " + " and ".join(f"“{phrase}”" for phrase in rule.phrases) if rule.phrases else ""
        return f"**{total:,}** {one if total == 1 else many}{places}{words}{_limits(fact)}: {marks}{rest}"
    total = len(fact.evidence)
    return f"**{request.computed or total}** matching {'passage' if total == 1 else 'passages'}: {marks}{rest}"


def _limits(fact: Fact) -> str:
    """The rest of an exact rule in words."""
    rule = fact.requirement.rule
    parts = []
    if rule is not None and rule.condition is not None:
        words = {"<": "before or under", "<=": "up to", ">": "after or over", ">=": "from", "=": "exactly", "in": "in"}
        parts.append(f" {words.get(rule.condition.relation, rule.condition.relation)} {plain(rule.condition.value)}")
    if rule is not None and rule.files:
        names = " ".join(name.removesuffix("/") for name in rule.files)
        parts.append(f" in files or folders named “{names}”")
    return ",".join(parts)


def _reading(fact: Fact) -> str:
    total = max(fact.matching, fact.read, len(fact.evidence))
    return f"{min(fact.read, total):,} of {total:,} matching passages read"


def _lists(request: SynthesisRequest) -> bool:
    rule = request.plan.transformation
    return rule is not None and rule.kind is Combination.LIST


def _summary(request: SynthesisRequest) -> Iterator[str]:
    """An outline: each section's heading with one sentence of it, in the order of the evidence."""
    if any(fact.status is RequirementStatus.MISSING for fact in request.facts):
        yield "Not everything that was asked for was found; what was read says:\n\n"
    above: tuple[str, ...] = ()
    for evidence in request.evidence:
        heading = evidence.heading or (evidence.path,)
        for depth, title in enumerate(heading[:-1]):
            if above[: depth + 1] != heading[: depth + 1]:
                yield f"{'  ' * depth}- **{plain(title)}**\n"
        label = f"**{plain(heading[-1])}** — " if above != heading else ""
        yield f"{'  ' * (len(heading) - 1)}- {label}{excerpt(evidence)} {marker(evidence.n)}\n"
        above = heading
    if request.unread:
        yield f"\n{not_read(request.unread)}\n"


def _of(fact: Fact, cited: Mapping[int, Evidence]) -> list[Evidence]:
    return [cited[n] for n in dict.fromkeys(fact.evidence) if n in cited]
