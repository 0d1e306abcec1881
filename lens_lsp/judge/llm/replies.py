"""From what a model wrote to what it said, once and for all: nothing behind this module sees JSON.

A model may be small, broken or hostile. Text around the JSON, extra keys and numbers as strings are overlooked; regions
that were not shown, facts that were not asked for and strings without end are dropped; a read call's reply that breaks
off says what it had said until then. Whatever cannot be read at all is a `MalformedReply`, and nothing else is ever
raised. Of a plan the question's own words stay anchors, whatever the model thinks of them, and a rule for combining the
facts is taken only if our arithmetic can follow it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

from lens_lsp.arithmetic.expression import LONGEST
from lens_lsp.judge.answer_markdown import MARKER, NUMBER, unlinked, without_addresses
from lens_lsp.judge.claims import Reason
from lens_lsp.judge.llm.chat_prompts import TRAILER
from lens_lsp.judge.oracle import Answerable, ClaimFault, Operand, ReadReply, SaidComputation, SaidItem, SaidQuote
from lens_lsp.judge.redaction import visible
from lens_lsp.judge.rules.question_plan import offline_plan, terms
from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import CoverageReply, Judgement, Observation, ObservationReply, Verdict
from lens_lsp.model.plan import (
    LONGEST_TEXT,
    MOST_REQUIREMENTS,
    VALUE_OF,
    Anchor,
    AnchorKind,
    AnswerType,
    Combination,
    Intent,
    Plan,
    Requirement,
    Transformation,
)
from lens_lsp.model.words import STOP_WORDS, content, fold, key

_BEGUN = r"(?:" + "|".join(re.escape(TRAILER[:length]) for length in range(len(TRAILER), 0, -1)) + r")"
# A trailer may stand in a code fence; the fence is then no part of the answer.
_UNDECIDED = regex(rf"(?:[\s`]*(?:(?<=`)j(?:s(?:o(?:n\s*)?)?)?)?{_BEGUN}?|\[[0-9\s,;^]{{0,160}})\Z")
_BEGUN_MARKER = regex(r"\[[0-9\s,;^]{0,160}\Z")
_LONGEST_TRAILER = 8_000
_LONGEST_HELD = 200
_LONGEST_WORD = 2_000
_WORD_CHARS = "".join(map(chr, range(33, 127)))
LONGEST_REPLY = 200_000
"""Code points of a reply that are looked at."""
MOST_QUOTES = 60
"""Quotes of one reply that are looked at."""
_SAYS_WHETHER = regex(r'"answerable"\s*:\s*"(\w+)"')
_NO_COMPUTATION = regex(r'"computation"\s*:\s*null')
ANSWER = regex(r'"answer"\s*:\s*"')
"""Where the answer begins."""
_NO_ITEMS = regex(r'"items"\s*:\s*\[\s*\]')
_DIRECT = {'"computation"': _NO_COMPUTATION, '"items"': _NO_ITEMS}
"""What the answer may be waiting for, and how it looks where it does not."""
_MARKER = regex(rf"[ \t]*{MARKER.pattern}")
_MARKER_BEGUN = regex(r"(?:[ \t]*\[[0-9\s,;^]{0,60}\]?|[ \t]+)\Z")
_LONGEST_KEY = 40
_STRING = regex(r'(?:[^"\\]|\\.)*', re.DOTALL)
BEGUN_ESCAPE = regex(
    r"(?<!\\)((?>(?:\\\\)*))"
    r"(?:\\(?:u[0-9a-fA-F]{0,3})?|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)\Z"
)
"""At the end of what came: an escape that goes on, or the first half of a character whose other half is to come; and
in its group the escaped backslashes before it, which stay."""
T = TypeVar("T")
MOST_ANCHORS = 12
MOST_FOUND = 400
MOST_WORDS = 6
"""Search terms per fact and reply."""
MOST_ITEMS = 200
MOST_OPERANDS = 40
MOST_MISSING = 6
MOST_TERMS = 8
MOST_FAULTS = 100
LONGEST_ANSWER = 20_000
"""Code points."""
LONGEST_LINE = 300
"""Code points of a fact, a label, a value."""
LONGEST_QUOTE = 4_000
"""Code points of a quote: more than a region holds is none of it."""
LONGEST_WORD = 64
_MOST_STARTS = 16
_THOUGHT = regex(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_HALVES = regex("[\ud800-\udfff]")
_FACT_ID = regex(r"[\s\[(\"']{0,3}f?(?:act)?[ _]{0,2}([0-9]{1,2})[\s\])\"':.]{0,3}", re.IGNORECASE)
_REGION = regex(r"[\s\[(\"']{0,3}(?:region)?\s{0,2}#?([0-9]{1,4})(?:\.0)?[\s\])\"':.]{0,3}", re.IGNORECASE)
_NUMBER = regex(r"\D{0,12}([0-9]{1,5})(?:\.0)?\D{0,3}")
_UNSAID = frozenset({"", "null", "none", "n/a", "unknown", "not found", "not given", "..."})
_STRENGTH = {Verdict.FULL: 0, Verdict.PARTIAL: 1, Verdict.RELATED: 2, Verdict.NONE: 3}
_ID = regex(r"\bf([0-9]+)\b")
_COUNTING = frozenset({Combination.COUNT, Combination.LIST})


class Sifter:
    """Takes a synthesis piece by piece and gives back what may be shown; ``trailer`` is what may not.

    Markers of ``numbers`` hold, and addresses that stand in one of the ``texts`` of the evidence.
    """

    def __init__(self, numbers: Collection[int], texts: Collection[str] = ()) -> None:
        self._numbers = numbers
        self._texts = texts
        self._held = ""
        self._ended = False
        self.trailer = ""
        self.dropped = 0
        """Markers that pointed at no evidence."""

    def feed(self, piece: str) -> str:
        """The next text to show, may be empty."""
        if self._ended:
            self.trailer = (self.trailer + piece)[:_LONGEST_TRAILER]
            return ""
        self._held += visible(piece)
        at = self._held.find(TRAILER)
        if at >= 0:
            self._ended = True
            self.trailer = self._held[at + len(TRAILER) :][:_LONGEST_TRAILER]
            before = self._held[:at]
            self._held = ""
            return self._clean(before[: _undecided(before)])
        end = _undecided(self._held)
        cut = min(end, _last_word(self._held))
        # Too long for a word: it is let go, and what follows does not continue it.
        cut, gap = (cut, "") if len(self._held) - cut <= _LONGEST_WORD else (end, " ")
        shown, self._held = self._held[:cut], self._held[cut:]
        return self._clean(shown) + gap

    def finish(self) -> str:
        """What was held back and turned out to be text."""
        rest, self._held = self._held, ""
        return self._clean(rest.rstrip())

    def _clean(self, text: str) -> str:
        return without_addresses(MARKER.sub(self._resolved, text), self._texts)

    def _resolved(self, match: re.Match[str]) -> str:
        numbers = [int(number) for number in NUMBER.findall(match[1])]
        kept = [number for number in numbers if number in self._numbers]
        self.dropped += len(numbers) - len(kept)
        return "".join(f"[{number}]" for number in kept)


def _undecided(text: str) -> int:
    """Where what may become a trailer or a marker begins: at the end, if nothing does."""
    return next(_UNDECIDED.finditer(text, max(0, len(text) - _LONGEST_HELD))).start()


def _last_word(text: str) -> int:
    """Where the last word begins, with the markers that stand in it: the next piece may continue it."""
    at = len(text)
    while True:
        at = len(text[:at].rstrip(_WORD_CHARS))
        marker = _BEGUN_MARKER.search(text, max(0, at - _LONGEST_HELD), at)
        if marker is None:
            return at
        at = marker.start()


class AnswerStream:
    """The words of ``answer`` in a reply that is still coming, without its markers: what they point at is not known to
    stand anywhere yet. Nothing comes out of a reply that says "no", nor of one with a computation or a list: its result
    is not known yet."""

    def __init__(self) -> None:
        self._head = ""
        self._words = ""
        """What may begin a marker."""
        self._raw = ""
        """What of the answer's string was not decoded yet."""
        self._begun = False
        self._ended = False

    def feed(self, piece: str) -> str:
        """The next words of the answer, may be empty."""
        if self._ended:
            return ""
        if self._begun:
            self._raw += piece
        else:
            self._head += piece
            if len(self._head) > LONGEST_REPLY:
                self._ended = True
                return ""
            found = ANSWER.search(self._head, max(0, len(self._head) - len(piece) - _LONGEST_KEY))
            if found is None:
                return ""
            before = self._head[: found.start()]
            said = _SAYS_WHETHER.search(before)
            direct = all(key not in before or none.search(before) for key, none in _DIRECT.items())
            if said is None or said[1] == Answerable.NO or not direct:
                self._ended = True
                return ""
            self._begun, self._raw = True, self._head[found.end() :]
        return self._decoded()

    def _decoded(self) -> str:
        body = _STRING.match(self._raw)
        written = BEGUN_ESCAPE.sub(r"\1", "" if body is None else body[0])
        self._ended = len(written) < len(self._raw) and self._raw[len(written)] == '"'
        self._raw = self._raw[len(written) :]
        try:
            words: str = json.loads(f'"{written}"', strict=False)
        except ValueError:
            self._ended = True
            return ""
        self._words += visible(words)
        begun = _MARKER_BEGUN.search(self._words)
        cut = len(self._words) if begun is None or self._ended else begun.start()
        shown, self._words = self._words[:cut], self._words[cut:]
        return _MARKER.sub("", shown)


class MalformedReply(LensError):
    """A reply that is not what was asked for; the message says what is wrong with it, as part of a sentence."""

    code = "lens.malformed-reply"


def _written(value: Any) -> str:
    """A string, or a number as one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("neither text nor a number")  # noqa: TRY004  pydantic lets a TypeError through
    return str(value)[: LONGEST_QUOTE + 1]


def line(value: Any) -> str:
    """One line that may be shown."""
    return " ".join(visible(_written(value)).split())[:LONGEST_LINE].strip()


def said(value: Any) -> str | None:
    """One line, None for what only says that there is none."""
    if value is None:
        return None
    written = line(value)
    return None if written.lower() in _UNSAID else written


def _expression(value: Any) -> str | None:
    """Cut short it would compute something else, so a long one is none."""
    return None if isinstance(value, str) and len(value) > LONGEST_LINE else said(value)


def _word(value: Any) -> str:
    return line(value)[:LONGEST_WORD].strip()


def _quote(value: Any) -> str | None:
    if value is None:
        return None
    written = _HALVES.sub("\ufffd", _written(value))
    return written if written.strip() and len(written) <= LONGEST_QUOTE else None


def _fact(value: Any) -> str:
    match = _FACT_ID.fullmatch(_written(value))
    if match is None:
        raise ValueError("no fact's id")
    return f"f{int(match[1])}"


def _region(value: Any) -> int:
    match = _REGION.fullmatch(_written(value))
    if match is None:
        raise ValueError("no region's number")
    return int(match[1])


def _folded(value: Any) -> str:
    return _written(value).strip().lower()


def _among(kinds: type[StrEnum], otherwise: StrEnum | None) -> BeforeValidator:
    """Reads one of some kinds, ``otherwise`` where none is said or another."""

    def read(value: Any) -> str | None:
        folded = "" if value is None else _folded(value)
        return folded if folded in set(kinds) else otherwise

    return BeforeValidator(read)


def _flag(value: Any) -> bool:
    return value is True or value == 1 or (isinstance(value, str) and value.strip().lower() in ("true", "yes"))


def _shown(value: Any) -> str | None:
    """One line that is shown as it is, also where Markdown is rendered."""
    written = said(value)
    return None if written is None else without_addresses(written)


def _short(value: object) -> str | None:
    """One line, None for what is neither text nor a number."""
    try:
        return said(value)
    except ValueError:
        return None


def _whole(value: Any) -> int:
    if isinstance(value, bool):
        raise ValueError("no number")  # noqa: TRY004  pydantic lets a TypeError through
    digits = _NUMBER.fullmatch(str(value))
    if digits is None:
        raise ValueError("no number")
    return int(digits[1])


def _spoken(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_QUOTE:
        raise ValueError("no quote")
    return value


def _name(value: Any) -> str:
    written = said(value)
    if not written:
        raise ValueError("no name")
    return written


Said = Annotated[str | None, BeforeValidator(said)]
Name = Annotated[str, BeforeValidator(_name)]
Whole = Annotated[int, BeforeValidator(_whole)]
FactId = Annotated[str, BeforeValidator(_fact)]
Statement = Annotated[str, BeforeValidator(lambda value: without_addresses(line(value)))]


class ReplyPart(BaseModel):
    """A part of a reply: extra keys are ignored, strings are cleaned and bounded."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class FactPart(ReplyPart):
    """A fact that a question needs."""

    text: Statement
    type: Annotated[AnswerType, _among(AnswerType, AnswerType.ANY)] = AnswerType.ANY
    many: Annotated[bool, BeforeValidator(_flag)] = False
    label: Annotated[str | None, BeforeValidator(_shown)] = None


def _each(read: Callable[[Any], T], raw: object, most: int) -> list[T]:
    """Those items of a list that can be read; a bare object is a list of one."""
    items = [raw] if isinstance(raw, dict) else raw
    fitting: list[T] = []
    for item in items[:most] if isinstance(items, list) else ():
        try:
            fitting.append(read(item))
        except ValueError:  # pydantic's, too
            continue
    return fitting


def _facts(raw: object) -> tuple[FactPart, ...]:
    """Facts that say something, where each may be a bare statement."""
    items = [raw] if isinstance(raw, str | dict) else raw if isinstance(raw, list | tuple) else []
    stated = [item if not isinstance(item, str) else {"text": item} for item in items]
    return tuple(fact for fact in _each(FactPart.model_validate, stated, MOST_REQUIREMENTS) if fact.text)


def _anchors(raw: object) -> tuple[str, ...]:
    return _words(raw, MOST_ANCHORS)


def _words(raw: object, most: int) -> tuple[str, ...]:
    """Search terms that say something, each once."""
    items = list(raw) if isinstance(raw, list | tuple) else [raw]
    words: dict[str, str] = {}
    for word in _each(_word, items, 4 * most):
        folded = key(word)
        if folded and not STOP_WORDS.issuperset(folded.split()):
            words.setdefault(folded, word)
    return tuple(words.values())[:most]


class Decomposition(ReplyPart):
    """A plan as a model put it: the question's intent, its facts and how they combine."""

    intent: Annotated[Intent, _among(Intent, Intent.LOOKUP)] = Intent.LOOKUP
    combine: Annotated[Combination | None, _among(Combination, None)] = None
    expression: Annotated[str | None, BeforeValidator(_expression)] = None
    document: Said = None
    facts: Annotated[tuple[FactPart, ...], BeforeValidator(_facts)] = ()
    anchors: Annotated[tuple[str, ...], BeforeValidator(_anchors)] = ()


class FoundPart(ReplyPart):
    """What one region says of one fact."""

    region: Annotated[int, BeforeValidator(_region)]
    fact: FactId
    verdict: Annotated[Verdict, BeforeValidator(_folded)]
    quote: Annotated[str | None, BeforeValidator(_quote)] = None
    value: Said = None


class TermsPart(ReplyPart):
    """New search terms of one fact."""

    fact: FactId
    words: Any = ()


class RewrittenPart(ReplyPart):
    """A fact in other words."""

    fact: FactId
    text: Statement


class QuotePart(ReplyPart):
    """A quote of a read call."""

    region: Whole
    quote: Annotated[str, BeforeValidator(_spoken)]
    n: Annotated[int | None, BeforeValidator(lambda value: None if value is None else _whole(value))] = None


class ItemPart(ReplyPart):
    """A member of a list, and the number of its quote."""

    name: Name
    quote: Whole


class OperandPart(ReplyPart):
    """A value to calculate with."""

    id: Name
    value: Name
    quote: Whole
    name: Said = None


class ComputationPart(ReplyPart):
    """What is to be calculated."""

    expression: Name
    unit: Said = None


class FaultPart(ReplyPart):
    """What is wrong with a sentence."""

    sentence: Whole
    words: Said = None
    reason: Said = None


def parse_anchors(text: str) -> tuple[str, ...]:
    """Stage S1."""
    return _anchors(json_in(text, "anchors").get("anchors"))


def parse_decomposition(text: str) -> Decomposition:
    """Stage S2, and S1 where it is joined."""
    found = json_in(text, "facts", "intent")
    said = next(iter(_each(Decomposition.model_validate, [found], 1)), None)
    said = said or Decomposition(facts=_facts(found.get("facts")), anchors=_anchors(found.get("anchors")))
    if not said.facts:
        raise MalformedReply("no facts in it")
    return said


def parse_observation(
    text: str, regions: Collection[int], facts: Collection[str], *, covering: bool = False
) -> ObservationReply:
    """Stage S3: of the regions that were shown and the facts that were asked for; with coverage where it is joined."""
    reply = json_in(text, "found", "terms", "unproven", may_be_empty=True)
    judgements: dict[tuple[int, str], Judgement] = {}
    for part in _each(FoundPart.model_validate, reply.get("found"), MOST_FOUND):
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
    terms = _terms(reply.get("terms"), facts)
    return ObservationReply(
        tuple(Observation(region, tuple(judged)) for region, judged in sorted(by_region.items())),
        terms,
        CoverageReply(_ids(reply.get("unproven"), facts)) if covering else None,
    )


def parse_coverage(text: str, facts: Collection[str]) -> CoverageReply:
    """The coverage check."""
    found = json_in(text, "unproven", "terms", "rewritten", "answerable", may_be_empty=True)
    rewritten: dict[str, str] = {}
    for part in _each(RewrittenPart.model_validate, found.get("rewritten"), 2 * MOST_REQUIREMENTS):
        if part.fact in facts and part.text:
            rewritten.setdefault(part.fact, part.text)
    answerable = found.get("answerable")
    return CoverageReply(
        _ids(found.get("unproven"), facts),
        _terms(found.get("terms"), facts),
        answerable is True or (isinstance(answerable, str) and answerable.strip().lower() in ("yes", "true")),
        rewritten,
    )


def parse_short(text: str) -> str | None:
    """Stage S5; a bare line will do. Its addresses stay: one may be what was asked for."""
    try:
        short = json_in(text, "short", may_be_empty=True).get("short")
    except MalformedReply:
        lines = [line for line in _THOUGHT.sub("", text[:LONGEST_REPLY]).splitlines() if line.strip()]
        if len(lines) != 1 or "{" in lines[0] or "```" in lines[0]:
            raise
        short = lines[0]
    return unlinked(_short(short) or "") or None


def parse_trailer(text: str, facts: Collection[str]) -> tuple[str | None, tuple[str, ...]]:
    """What a synthesis ends with: the short answer and the facts it could not meet; neither when it is broken."""
    try:
        ending = json_in(text, "short", "unmet")
    except MalformedReply:
        return None, ()
    return unlinked(_short(ending.get("short")) or "") or None, _ids(ending.get("unmet"), facts)


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


def _terms(raw: object, facts: Collection[str]) -> dict[str, tuple[str, ...]]:
    if isinstance(raw, dict) and "fact" not in raw:  # {"f1": ["..."]}
        raw = [{"fact": fact, "words": words} for fact, words in list(raw.items())[: 2 * MOST_REQUIREMENTS]]
    named: dict[str, tuple[str, ...]] = {}
    for part in _each(TermsPart.model_validate, raw, 2 * MOST_REQUIREMENTS):
        words = _words(part.words, MOST_WORDS)
        if part.fact in facts and words:
            named.setdefault(part.fact, words)
    return named


def _ids(raw: object, facts: Collection[str]) -> tuple[str, ...]:
    named = _each(_fact, raw if isinstance(raw, list) else [raw], 4 * MOST_REQUIREMENTS)
    return tuple(dict.fromkeys(name for name in named if name in facts))


def parse_read(text: str, reply: ReadReply, regions: Collection[int]) -> None:
    """Fill ``reply`` by what a model wrote. Parts that do not fit are left out, quotes of ``regions`` that were not
    shown among them. Raises `MalformedReply` for what is no such object at all."""
    if len(text) > LONGEST_REPLY:
        raise MalformedReply("it has no end")
    written, reply.broken_off = _object(text)
    answerable = str(written.get("answerable") or "").strip().lower()
    if answerable in ("true", "false"):
        answerable = "yes" if answerable == "true" else "no"
    if answerable not in set(Answerable):
        raise MalformedReply("it does not say whether the question is answerable")
    reply.written = text
    reply.answerable = Answerable(answerable)
    quotes = written.get("quotes")
    reply.quotes = tuple(
        SaidQuote(part.n or number, part.region, part.quote)
        for number, raw in enumerate(quotes[:MOST_QUOTES] if isinstance(quotes, list) else [quotes], 1)
        for part in _each(QuotePart.model_validate, [raw], 1)
        if part.region in regions
    )
    reply.items = tuple(
        SaidItem(part.name, part.quote) for part in _each(ItemPart.model_validate, written.get("items"), MOST_ITEMS)
    )
    reply.computation = _computation(written.get("computation"))
    reply.missing = _lines(written.get("missing"), MOST_MISSING)
    reply.terms = _lines(written.get("terms"), MOST_TERMS)
    answer = written.get("answer")
    reply.answer = visible(answer)[:LONGEST_ANSWER].strip() if isinstance(answer, str) else ""
    reply.short = _short(written.get("short"))


def parse_terms(text: str) -> tuple[str, ...]:
    """The search terms of a `WIDEN` reply. Raises `MalformedReply`."""
    return _lines(_object(text)[0].get("terms"), MOST_TERMS)


def parse_verdict(text: str) -> dict[int, tuple[ClaimFault, ...]]:
    """The faults that a `VERIFY` reply names, by the numbers of their sentences. Raises `MalformedReply`."""
    written, cut = _object(text)
    if cut or not isinstance(written.get("wrong"), list):
        raise MalformedReply("it does not say which sentences are wrong")
    found: dict[int, tuple[ClaimFault, ...]] = {}
    for one in _each(FaultPart.model_validate, written["wrong"], MOST_FAULTS):
        reason = (one.reason or "").lower()
        fault = ClaimFault(one.words or "", reason if reason in set(Reason) else Reason.MEANING.value)
        found[one.sentence] = (*found.get(one.sentence, ()), fault)
    return found


def _computation(raw: object) -> SaidComputation | None:
    if not isinstance(raw, dict):
        return None
    values = _each(OperandPart.model_validate, raw.get("values"), MOST_OPERANDS)
    parts = _each(ComputationPart.model_validate, raw, 1)
    if not parts or not values:
        return None
    operands = tuple(Operand(one.id, one.name or one.id, one.value, one.quote) for one in values)
    return SaidComputation(operands, parts[0].expression, parts[0].unit)


def _lines(raw: object, most: int) -> tuple[str, ...]:
    items = raw if isinstance(raw, list) else [raw]
    found = (said(item) for item in items[: 4 * most] if isinstance(item, str))
    return tuple(dict.fromkeys(item for item in found if item))[:most]


def _object(text: str) -> tuple[dict[str, Any], bool]:
    """The JSON object that a reply holds, and whether it was cut off. Raises `MalformedReply`."""
    body = _THOUGHT.sub("", text[:LONGEST_REPLY])
    start = body.find("{")
    if start < 0:
        raise MalformedReply("there is none")
    body = body[start:]
    decoder = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
    try:
        value, _ = decoder.raw_decode(body)
        cut = False
    except (ValueError, RecursionError):
        try:
            value, _ = decoder.raw_decode(_closed(body))
            cut = True
        except (ValueError, RecursionError):
            raise MalformedReply("it breaks off or is no JSON") from None
    if not isinstance(value, dict):
        raise MalformedReply("it is no object")
    return value, cut


def _closed(text: str) -> str:
    """A JSON text that was cut off, up to its last whole member or, in the answer's string, up to where it was cut."""
    stack: list[str] = []
    string = escaped = False
    whole = 0
    closing = ""
    for at, char in enumerate(text):
        if string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                string = False
            continue
        if char == '"':
            string = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]":
            if not stack or stack.pop() != char:
                break
            whole, closing = at + 1, "".join(reversed(stack))
        elif char == "," and stack:
            whole, closing = at, "".join(reversed(stack))
    answer = ANSWER.search(text)
    if string and answer is not None and answer.end() >= whole:
        return BEGUN_ESCAPE.sub(r"\1", text) + '"' + "".join(reversed(stack))
    return text[:whole] + closing


def _requirements(facts: Sequence[FactPart], *, counting: bool) -> tuple[Requirement, ...]:
    """The facts of a plan. ``{f1}`` in one stands for the value of a fact before it; until that is known, for what that
    fact asks for."""
    texts: dict[str, str] = {}
    found = []
    for number, fact in enumerate(facts, 1):
        name = f"f{number}"
        template = VALUE_OF.sub(lambda one: one[0] if one[1] in texts else "", fact.text)
        texts[name] = VALUE_OF.sub(lambda one: _inside(texts[one[1]]), template)[:LONGEST_TEXT]
        builds = VALUE_OF.search(template) is not None
        found.append(
            Requirement(
                name,
                texts[name],
                many=fact.many or counting,
                answer_type=fact.type,
                template=template if builds else None,
            )
        )
    return tuple(found)


def _inside(text: str) -> str:
    """A statement as a part of another one."""
    return text[:1].lower() + text[1:] if key(text).partition(" ")[0] in STOP_WORDS else text


def plan_of(question: str, said: Decomposition, anchors: Sequence[str]) -> Plan:
    """The plan of a question; ``anchors`` are the search terms that the model adds to its words. Facts that share no
    content word with the question are of another one: the plan is that of the rules."""
    rules = offline_plan(question)
    asked = content(question)
    if asked and not asked & content(*(fact.text for fact in said.facts)):
        return rules
    if said.intent is Intent.AGGREGATION and any(requirement.rule for requirement in rules.requirements):
        # Counting every match of the scan is exact, and no model sees the whole workspace.
        return replace(rules, anchors=_with(rules.anchors, anchors, rules.requirements))
    transformation = _transformation(said)
    counting = transformation is not None and transformation.kind in _COUNTING
    requirements = _requirements(said.facts, counting=counting)
    intent = said.intent
    if transformation is None and intent is Intent.COMPARISON:
        intent = Intent.LOOKUP  # nothing is left to compare by rule; the synthesis sees both facts
    document = None
    if intent is Intent.SUMMARIZE:
        document = rules.document or (key(said.document) if said.document else None) or None
    return replace(
        rules,
        requirements=requirements,
        anchors=_with(rules.anchors, anchors, requirements),
        intent=intent,
        transformation=transformation,
        document=document,
    )


def _with(own: Sequence[Anchor], added: Sequence[str], requirements: Sequence[Requirement]) -> tuple[Anchor, ...]:
    """The question's anchors and the added ones, each serving the facts that name it, all when none does."""
    found = {(anchor.text, anchor.kind): anchor for anchor in own}
    for written in added:
        folded = key(written)
        if " " in folded:
            found.setdefault((folded, AnchorKind.PHRASE), Anchor(folded, AnchorKind.PHRASE))
        for term, kind in terms(fold(written)):
            found.setdefault((term, kind), Anchor(term, kind))
    named = [(requirement.id, f" {key(requirement.text)} ") for requirement in requirements]
    ids = tuple(requirement.id for requirement in requirements)
    return tuple(
        replace(anchor, requirements=tuple(name for name, text in named if f" {anchor.text} " in text) or ids)
        for anchor in found.values()
    )


def _transformation(said: Decomposition) -> Transformation | None:
    kind, count = said.combine, len(said.facts)
    labels = tuple(fact.label or fact.text for fact in said.facts)
    if kind is None:
        return None
    if kind in _COUNTING:
        return Transformation(kind, labels=labels) if said.intent is Intent.AGGREGATION else None
    if kind is Combination.EXPRESSION:
        used = {int(number) for number in _ID.findall(said.expression or "")}
        if not used or len(said.expression or "") > LONGEST or not used <= set(range(1, count + 1)):
            return None
        return Transformation(kind, said.expression, labels)
    return Transformation(kind, labels=labels) if count > 1 else None
