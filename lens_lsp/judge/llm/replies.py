"""From what a model wrote to what it said, once and for all: nothing behind this module sees JSON.

A model may be small, broken or hostile. Text around the JSON, extra keys and numbers as strings are overlooked; regions
that were not shown, facts that were not asked for and strings without end are dropped; whatever cannot be read at all
is a `MalformedReply`, and nothing else is ever raised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from lens_lsp.model.errors import LensError
from lens_lsp.model.observation import CoverageReply, Judgement, Observation, ObservationReply, Verdict
from lens_lsp.model.plan import MOST_REQUIREMENTS, AnswerType, Combination, Intent
from lens_lsp.model.words import STOP_WORDS, key

if TYPE_CHECKING:
    from pydantic import BaseModel

    Part = TypeVar("Part", bound=BaseModel)

LONGEST_REPLY = 200_000
"""Code points of a reply that are looked at."""
MOST_ANCHORS = 12
MOST_FOUND = 400
MOST_WORDS = 6
"""Search terms per fact and reply."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_MOST_STARTS = 16
_STRENGTH = {Verdict.FULL: 0, Verdict.PARTIAL: 1, Verdict.RELATED: 2, Verdict.NONE: 3}


class MalformedReply(LensError):
    """A reply that is not what was asked for; the message says what is wrong with it, as part of a sentence."""

    code = "lens.malformed-reply"


@dataclass(frozen=True, slots=True)
class SaidFact:
    """A fact as a model put it."""

    text: str
    answer_type: AnswerType
    many: bool
    label: str | None


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A plan as a model put it."""

    intent: Intent
    facts: tuple[SaidFact, ...]
    combine: Combination | None
    expression: str | None
    document: str | None
    anchors: tuple[str, ...] = ()


def parse_anchors(text: str) -> tuple[str, ...]:
    """Stage S1."""
    return _anchors(json_in(text, "anchors").get("anchors"))


def parse_decomposition(text: str) -> Decomposition:
    """Stage S2, and S1 where it is joined."""
    from lens_lsp.judge.llm.reply_models import (  # brings pydantic, while the first call is on its way
        FactPart,
        PlanPart,
    )

    said = json_in(text, "facts", "intent")
    facts = [part for part in _each(FactPart, _facts(said.get("facts")), MOST_REQUIREMENTS) if part.text]
    if not facts:
        raise MalformedReply("no facts in it")
    plan = next(iter(_each(PlanPart, [said], 1)), None) or PlanPart()
    return Decomposition(
        plan.intent,
        tuple(SaidFact(fact.text, fact.type, fact.many, fact.label) for fact in facts),
        plan.combine,
        plan.expression,
        plan.document,
        _anchors(said.get("anchors")),
    )


def parse_observation(
    text: str, regions: Collection[int], facts: Collection[str], *, covering: bool = False
) -> ObservationReply:
    """Stage S3: of the regions that were shown and the facts that were asked for; with coverage where it is joined."""
    from lens_lsp.judge.llm.reply_models import FoundPart

    said = json_in(text, "found", "terms", "unproven", may_be_empty=True)
    judgements: dict[tuple[int, str], Judgement] = {}
    for part in _each(FoundPart, said.get("found"), MOST_FOUND):
        place = part.region, part.fact
        if part.region not in regions or part.fact not in facts:
            continue
        quoted = part.verdict in (Verdict.FULL, Verdict.PARTIAL)
        judgement = Judgement(part.fact, part.verdict, part.quote if quoted else None, part.value if quoted else None)
        known = judgements.get(place)
        if known is None or _STRENGTH[judgement.verdict] < _STRENGTH[known.verdict]:
            judgements[place] = judgement
    by_region: dict[int, list[Judgement]] = {}
    for (region, _), judgement in judgements.items():
        by_region.setdefault(region, []).append(judgement)
    terms = _terms(said.get("terms"), facts)
    return ObservationReply(
        tuple(Observation(region, tuple(judged)) for region, judged in sorted(by_region.items())),
        terms,
        CoverageReply(_ids(said.get("unproven"), facts)) if covering else None,
    )


def parse_coverage(text: str, facts: Collection[str]) -> CoverageReply:
    """The coverage check."""
    from lens_lsp.judge.llm.reply_models import RewrittenPart

    said = json_in(text, "unproven", "terms", "rewritten", "answerable", may_be_empty=True)
    rewritten: dict[str, str] = {}
    for part in _each(RewrittenPart, said.get("rewritten"), 2 * MOST_REQUIREMENTS):
        if part.fact in facts and part.text:
            rewritten.setdefault(part.fact, part.text)
    answerable = said.get("answerable")
    return CoverageReply(
        _ids(said.get("unproven"), facts),
        _terms(said.get("terms"), facts),
        answerable is True or (isinstance(answerable, str) and answerable.strip().lower() in ("yes", "true")),
        rewritten,
    )


def parse_short(text: str) -> str | None:
    """Stage S5; a bare line will do."""
    from lens_lsp.judge.llm.reply_models import ShortPart

    try:
        parts = _each(ShortPart, [json_in(text, "short", may_be_empty=True)], 1)
    except MalformedReply:
        lines = [line for line in _THOUGHT.sub("", text[:LONGEST_REPLY]).splitlines() if line.strip()]
        if len(lines) != 1 or "{" in lines[0] or "```" in lines[0]:
            raise
        parts = _each(ShortPart, [{"short": lines[0]}], 1)
    return parts[0].short if parts else None


def parse_trailer(text: str, facts: Collection[str]) -> tuple[str | None, tuple[str, ...]]:
    """What a synthesis ends with: the short answer and the facts it could not meet; neither when it is broken."""
    from lens_lsp.judge.llm.reply_models import ShortPart

    try:
        said = json_in(text, "short", "unmet")
    except MalformedReply:
        return None, ()
    parts = _each(ShortPart, [said], 1)
    return (parts[0].short if parts else None), _ids(said.get("unmet"), facts)


def json_in(text: str, *keys: str, may_be_empty: bool = False) -> Mapping[str, Any]:
    """The first object in a reply that has one of some keys; a bare list stands for the first of them."""
    body = _THOUGHT.sub("", text[:LONGEST_REPLY])
    if len(text) > LONGEST_REPLY:
        raise MalformedReply("it has no end")
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    starts = [match.start() for match in re.finditer(r"[{\[]", body)]
    if not starts:
        raise MalformedReply("there is none")
    at = -1
    for start in starts[:_MOST_STARTS]:
        if start < at:
            continue
        try:
            value, at = decoder.raw_decode(body, start)
        except (ValueError, RecursionError):  # also numbers of thousands of digits
            continue
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            value = {keys[0]: value}
        if isinstance(value, dict) and (any(name in value for name in keys) or (not value and may_be_empty)):
            return value
    raise MalformedReply("it breaks off or has other keys")


def _each(model: type[Part], raw: object, most: int) -> list[Part]:
    """Those items of a list that fit a model; a bare object is a list of one."""
    from pydantic import ValidationError

    items = [raw] if isinstance(raw, dict) else raw
    fitting: list[Part] = []
    if isinstance(items, list):
        for item in items[:most]:
            try:
                fitting.append(model.model_validate(item))
            except ValidationError:
                continue
    return fitting


def _facts(raw: object) -> object:
    """Facts, where each may be a bare statement."""
    if isinstance(raw, str):
        raw = [raw]
    return [{"text": item} if isinstance(item, str) else item for item in raw] if isinstance(raw, list) else raw


def _anchors(raw: object) -> tuple[str, ...]:
    return _words(raw, MOST_ANCHORS)


def _words(raw: object, most: int) -> tuple[str, ...]:
    """Search terms that say something, each once."""
    from lens_lsp.judge.llm.reply_models import WordPart

    items = raw if isinstance(raw, list | tuple) else [raw]
    words: dict[str, str] = {}
    for part in _each(WordPart, [{"word": item} for item in items[: 4 * most]], 4 * most):
        folded = key(part.word)
        if folded and not STOP_WORDS.issuperset(folded.split()):
            words.setdefault(folded, part.word)
    return tuple(words.values())[:most]


def _terms(raw: object, facts: Collection[str]) -> dict[str, tuple[str, ...]]:
    from lens_lsp.judge.llm.reply_models import TermsPart

    if isinstance(raw, dict) and "fact" not in raw:  # {"f1": ["..."]}
        raw = [{"fact": fact, "words": words} for fact, words in list(raw.items())[: 2 * MOST_REQUIREMENTS]]
    named: dict[str, tuple[str, ...]] = {}
    for part in _each(TermsPart, raw, 2 * MOST_REQUIREMENTS):
        words = _words(part.words, MOST_WORDS)
        if part.fact in facts and words:
            named.setdefault(part.fact, words)
    return named


def _ids(raw: object, facts: Collection[str]) -> tuple[str, ...]:
    from lens_lsp.judge.llm.reply_models import IdPart

    items: Iterable[object] = raw if isinstance(raw, list) else [raw]
    parts = _each(IdPart, [{"fact": item} for item in items][: 4 * MOST_REQUIREMENTS], 4 * MOST_REQUIREMENTS)
    return tuple(dict.fromkeys(part.fact for part in parts if part.fact in facts))
