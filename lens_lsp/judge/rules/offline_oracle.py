"""The oracle without a model: no network, deterministic. What is exact is answered, the rest is shown.

Places are counted and listed by the search itself, from the rule of the plan; a summary is an extract: the opening
statement of a document and of each of its sections; values that were proven are put together by our own arithmetic. Of
any other passage this oracle says no more than that it is near: words that stand together prove nothing.
`judge.reader` judges such passages. Answers are worded in Markdown from verified quotes alone, one way for each intent:
every sentence that claims something quotes evidence and ends in its ``[n]``, and what is missing is said first.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence

from lens_lsp.judge.answer_markdown import block, differing, excerpt, item, marker, not_read, plain
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import Fact, ObserveRequest, Synthesis, SynthesisRequest
from lens_lsp.judge.rules.question_plan import offline_plan, quoted
from lens_lsp.model.answer import RequirementStatus
from lens_lsp.model.documents import Evidence
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import (
    ConfidenceMap,
    CoverageReply,
    Judgement,
    Observation,
    ObservationReply,
    ObservationTable,
    Region,
    Verdict,
)
from lens_lsp.model.plan import AnchorKind, Combination, Intent, Plan, Requirement, Unit
from lens_lsp.model.text import Span, sentences, trim
from lens_lsp.model.words import STOP_WORDS, fold, is_function, key, runs, stem

OFFLINE = "*Answered offline by rules; a configured model could word and combine these passages.*\n"
READ = "*Judged by {}, without a language model.*\n"
"""With the reader's name."""
WITHOUT_MODEL = "*Worded offline by rules: the configured model gave no wording of its own.*\n"
"""In place of the others where there is a model and nothing could be shown to it."""
_CLOSEST = " Closest passages:"
_EMPHASIS = regex(r"[*`]+")
"""Markup that a short answer leaves out."""
_MOST_QUOTES = 3
_MOST_PASSAGES = 6
_MOST_LISTED = 200
_MOST_MARKED = 12
_UNTOLD = frozenset(map(stem, STOP_WORDS))
_COUNTED = {Unit.FILE: ("file", "files"), Unit.LINE: ("line", "lines"), Unit.MATCH: ("occurrence", "occurrences")}
MOST = 14
"""Statements of one summary."""
_ROOM = 2200
"""Code points that the statements of a summary may come to when there are few of them."""
_LONGEST = 700
_SHORTEST = 30
_SHORTEST_UNSPACED = 10
_CODE = regex(r"\s*(?:```|~~~|`[^`]*`\s*$|\{\{|\$ |<!--|\+[-=]+\+)")
_LINK = regex(r"\s*(?:[-*+] )?\[[^\]]+\]:\s|\s*!\[|\s*(?:[-*+] )?\[[^\]]*\]\([^)]*\)[\s,;.]*$")
_TAG = regex(r"\s*</?[a-zA-Z][^>]*>[\s,;.]*$")
# "- Start Date: 2015-03-14", "More information: <https://…>": a label, and no sentence after it.
_FIELD = regex(r"\s*(?:[-*+>|] +)*[\w*_`][^:.!?\n]{0,38}?[*_`]*:\s+(?P<value>\S.*)", re.DOTALL)
_SENTENCE = regex(r"\b[a-z]{2,}\b.*\b[a-z]{2,}\b.*\b[a-z]{2,}\b")
_URL = regex(r"<?https?://\S+")
_LEADS_IN = regex(r"[:：]\W*$")
_ITEM = regex(r"\s*(?:[-*+]|\d+[.)])\s")
_BESIDES = regex(
    r"\s*(?:for example|for instance|consider|see |note that|in this (?:chapter|section|page)|as (?:we|you) |let['’]s"
    r"|however|also|finally|but |and )",
    re.IGNORECASE,
)
_PART = regex(r"\b(?:sections?|abschnitt\w*|sección|раздел\w*|kapitel)\b|章节|章節|小节", re.IGNORECASE)
_EXTENSIONS = frozenset(("md", "markdown", "txt", "rst", "org", "tex", "html", "pdf", "adoc", "ipynb", "csv", "json"))
_ANAPHORS = """
it he she they this that these those its his her their there both one which who
er sie es dieser diese dieses sein seine ihr ihre il elle ils elles ce cette ces son sa ses ella ello ellos ellas
este esta estos estas su sus он она оно они это этот эта его ее их
"""
_OPENS_ON_ANOTHER = frozenset(_ANAPHORS.split())
"""Words that begin a sentence about what the sentence before it was about."""
_LONGEST_UNIT = 400
_LINE = regex(r"[^\r\n]+")
_HEADING = regex(r"(?:#{1,6}|=+)\s[^\n]*|\S[^\n]*\n(?:=+|-+)\s*")
_MARKUP = regex(
    r"\s*(?:(?:<!--.*?-->|</?[a-zA-Z][^<>]*[\s/\"'][^<>]*>|</?[a-z]+>)\s*)+|\s*\[[^\]]+\]:\s*\S+\s*", re.DOTALL
)
_QUESTION = regex(r"[?？][\"'”’»)\]*_]*$")
_LONGEST_TITLE = 120
_PARTS = regex(r"[^\W\d_]+|\d+")
_ABOUT = 0.5
"""The share of the idf mass that a passage must hold to be taken into a summary of what no document is named for."""


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
    elif request.by_rows:
        yield from _rows(request, cited)
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
            yield item(evidence, _phrase_in(evidence, fact) or fact.value)
        hidden = len(found) - _MOST_LISTED
        yield f"\n{_reading(fact)}{f'; {hidden} are not listed here' if hidden > 0 else ''}.\n"


def _rows(request: SynthesisRequest, cited: Mapping[int, Evidence]) -> Iterator[str]:
    """What rows say, how it came about, and the rows."""
    fact = request.facts[0]
    if fact.status is RequirementStatus.CONTESTED:
        yield from _contested(fact, cited)
        return
    rest = " and more" if len(fact.evidence) > _MOST_MARKED else ""
    derivation = f" — {plain(request.derivation)}" if request.derivation else ""
    yield f"**{plain(request.computed or '')}**{derivation} {marker(*fact.evidence[:_MOST_MARKED])}{rest}\n\n"
    for evidence in _of(fact, cited):
        yield item(evidence, fact.value)
    if fact.matching > len(fact.evidence):
        yield f"\n{fact.matching - len(fact.evidence):,} more rows are not listed here.\n"


def _phrase_in(evidence: Evidence, fact: Fact) -> str | None:
    """A phrase of the exact rule, as the quote writes it."""
    rule = fact.requirement.rule
    found = (re.search(re.escape(phrase), evidence.quote, re.IGNORECASE) for phrase in rule.phrases) if rule else ()
    return next((match[0] for match in found if match), None)


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


@dataclass(frozen=True, slots=True)
class _Statement:
    """A place that may stand for its region: units in a row, and how telling they are."""

    region: Region
    span: Span
    score: float


def summarise(plan: Plan, requirement: Requirement, regions: Sequence[Region]) -> tuple[Observation, ...]:
    """An observation of each region: with the statement that stands for it, related when it has none.

    Extracts of the one document that is named are what was asked for: full. Those of passages of many are partial.
    """
    kept = _of_document(plan, regions)
    named = plan.document is not None and len({region.path for region in regions}) == 1
    told = Verdict.FULL if named else Verdict.PARTIAL
    chosen = {statement.region.number: statement for statement in _chosen(kept)}
    room = min(_LONGEST, _ROOM // max(1, len(chosen)))
    found = []
    for region in regions:
        statement = chosen.get(region.number)
        if statement is None:
            verdict = Verdict.RELATED if region in kept else Verdict.NONE
            found.append(Observation(region.number, (Judgement(requirement.id, verdict),)))
        else:
            quote = _grown(statement, room)
            found.append(Observation(region.number, (Judgement(requirement.id, told, quote),)))
    return tuple(found)


def _of_document(plan: Plan, regions: Sequence[Region]) -> list[Region]:
    """The regions of what is to be summarised: half of its name's words stand in the title, headings or path, and all
    of its numbers. Of a named section only the regions under its heading."""
    parts = _telling(plan.document or "")
    if not parts:
        return list(regions)
    shares = [_share(parts, region) for region in regions]
    inside = [region for region, share in zip(regions, shares, strict=True) if share >= 0.5]
    titles = [name.key for name in quoted(plan.question)]
    if titles:
        under = [r for r in inside if any(title in map(key, r.headings) for title in titles)]
        return under or [r for r in inside if any(title in fold(_above(r)) for title in titles)] or inside
    if _PART.search(plan.question):
        most = max(shares, default=0.0)
        return [region for region, share in zip(regions, shares, strict=True) if 0.5 <= share >= most]
    return inside


def _share(parts: Sequence[str], region: Region) -> float:
    above = fold(_above(region))
    words = {stem(word) for word in name_parts(above)}
    held = [stem(part) in words or (not part.isascii() and part in above) for part in parts]
    numbers = [own for part, own in zip(parts, held, strict=True) if part.isdigit()]
    share = sum(held) / len(held)
    if numbers:
        return max(0.5, share) if all(numbers) else 0.0
    return share


def _above(region: Region) -> str:
    return "\n".join((region.title, *region.headings, region.path))


def name_parts(folded: str) -> list[str]:
    """The words and numbers of a name, without leading zeros: "ch04" is "ch" and "4"."""
    return [part.lstrip("0") or part for part in _PARTS.findall(folded)]


def _telling(name: str) -> list[str]:
    """The words of a document's name that tell it from others."""
    parts = name_parts(name)
    return [p for p in parts if p not in STOP_WORDS | _EXTENSIONS and not is_function(p)] or parts


def _chosen(regions: Sequence[Region]) -> list[_Statement]:
    """The statements of a summary: the opening of every section, then what else is telling."""
    frequent = _frequent(regions)
    sections: dict[tuple[str, tuple[str, ...]], list[_Statement]] = {}
    for region in regions:
        best = _statement(region, frequent)
        if best is not None:
            sections.setdefault((region.path, region.headings), []).append(best)
    openings = [own[0] for own in sections.values()]
    others = [statement for own in sections.values() for statement in own[1:]]
    first = openings[:1]
    ranked = sorted(openings[1:], key=_rank) + sorted(others, key=_rank)
    return (first + ranked)[:MOST]


def _rank(statement: _Statement) -> tuple[float, int]:
    return -statement.score, statement.region.number


def _statement(region: Region, frequent: Counter[str]) -> _Statement | None:
    """The best statement of a region; earlier ones are preferred."""
    heading = _weight(region.headings[-1] if region.headings else "", frequent)
    best: _Statement | None = None
    for place, span in enumerate(_statements(region)):
        text = region.text[span.start : span.end]
        own = _weight(text, frequent) + 0.5 * heading - 0.25 * place
        first = fold(text).lstrip("*_`>- ").split(" ", 1)[0]
        own -= 1.0 if first in _OPENS_ON_ANOTHER or _BESIDES.match(text) else 0.0
        own -= 0.7 if _LEADS_IN.search(text) and not _ITEM.match(text) else 0.0
        if best is None or own > best.score:
            best = _Statement(region, span, own)
    return best


def _statements(region: Region) -> Iterator[Span]:
    """The units of a region that say something, in order; the first sentence of a long one."""
    titles = {key(title) for title in (region.title, *region.headings)}
    fenced = False
    for span in _bounds(region):
        text = region.text[span.start : span.end]
        opens = text.lstrip().startswith(("```", "~~~"))
        if opens or fenced:
            closed = opens and text.count(text.lstrip()[:3]) % 2 == 0
            fenced = not closed if opens and not fenced else fenced and not opens
            continue
        if not _bare(text, titles) and is_statement(text):
            first = next(iter(sentences(text, Span(0, len(text)))), Span(0, len(text)))
            whole = len(text) <= _LONGEST // 2 or len(first) < _SHORTEST
            yield span if whole else Span(span.start, span.start + first.end)


def is_statement(text: str) -> bool:
    """Whether a unit is prose or a list item that says something: no code, no link alone, no tag, no field."""
    if _CODE.match(text) or _LINK.match(text) or _TAG.match(text):
        return False
    if len(text.strip()) < (_SHORTEST if text.isascii() else _SHORTEST_UNSPACED):
        return False
    field = _FIELD.match(text)
    return field is None or bool(_SENTENCE.search(_URL.sub(" ", field["value"]))) or not field["value"].isascii()


def _grown(statement: _Statement, room: int) -> str:
    """The statement with what follows it in its region, as far as there is room and it says something."""
    text, span = statement.region.text, statement.span
    end = span.end
    for following in _bounds(statement.region):
        if following.start < end:
            continue
        part = text[following.start : following.end]
        if following.end - span.start > room or (_CODE.match(part) is not None and "\n" in part.strip()):
            break
        if is_statement(part):
            end = following.end
    return text[span.start : end]


def _frequent(regions: Sequence[Region]) -> Counter[str]:
    """How often the words of some regions stand in them."""
    return Counter(word for region in regions for word in _words(region.text))


def _words(text: str) -> Iterator[str]:
    for run in runs(fold(text)):
        if not run.spaced:
            yield from (run.text[at : at + 2] for at in range(len(run.text) - 1))
        elif len(run.text) > 2 and run.text not in STOP_WORDS and not is_function(run.text):
            yield stem(run.text)


def _weight(text: str, frequent: Counter[str]) -> float:
    """How much a text carries of the words that are used most, from 0 to about 1."""
    words = set(_words(text))
    if not words:
        return 0.0
    top = math.log1p(max(frequent.values(), default=1))
    return sum(math.log1p(frequent[word] - 1) for word in words if frequent[word]) / (top * math.sqrt(9 * len(words)))


def _bounds(region: Region) -> list[Span]:
    """Spans of the region's text that may be quoted, in order, apart, without blanks at their ends."""
    given = region.units or (Span(0, len(region.text)),)
    found: list[Span] = []
    end = 0
    for unit in given:
        span = trim(region.text, Span(max(unit.start, end), max(unit.end, end)))
        if not len(span):
            continue
        end = span.end
        if len(span) <= _LONGEST_UNIT and region.units:
            found.append(span)
        else:
            found.extend(_cut(region.text, span))
    return found


def _cut(text: str, span: Span) -> list[Span]:
    """A long unit, or a region without any, by lines and sentences."""
    found: list[Span] = []
    for match in _LINE.finditer(text, span.start, span.end):
        line = trim(text, Span(match.start(), match.end()))
        found.extend(sentences(text, line))
    return found


def _bare(text: str, titles: Collection[str]) -> bool:
    """Whether a unit says nothing by itself: a heading, the document's title, a question, tags or a link's
    address."""
    if _QUESTION.search(text) or _HEADING.fullmatch(text) or _MARKUP.fullmatch(text):
        return True
    return len(text) <= _LONGEST_TITLE and key(text) in titles


@dataclass(frozen=True, slots=True)
class OfflineOracle:
    """Implements `judge.oracle.Oracle` for what needs no judgement."""

    @property
    def endpoint(self) -> None:
        """Nothing leaves the process."""

    @property
    def table(self) -> ObservationTable:
        """The likelihood ratios of its verdicts."""
        return ObservationTable()

    @property
    def confidence(self) -> ConfidenceMap:
        """None: what it answers is exact, or an extract."""
        return ConfidenceMap()

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """The question as the fact to find; a rule where places are counted or listed."""
        return offline_plan(question)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """Extracts for a summary; of anything else, that it is near."""
        ledger.check_time()
        if request.plan.intent is Intent.SUMMARIZE:
            return ObservationReply(summarise(request.plan, request.outstanding[0], _about(request)))
        near = tuple(Judgement(requirement.id, Verdict.RELATED) for requirement in request.outstanding)
        return ObservationReply(tuple(Observation(region.number, near) for region in request.regions))

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """Vetoes what no single passage proves: two halves of a fact in two places are no proof without a judge."""
        proven = {name for item in evidence if item.verdict == Verdict.FULL for name in item.requirements}
        return CoverageReply(tuple(requirement.id for requirement in outstanding if requirement.id not in proven))

    async def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncIterator[str]:
        """The answer by intent, quote by quote."""
        for piece in worded(request, configured=ledger.account().endpoint is not None):
            yield piece
        result.short = short_answer(request)

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """The short answer, as in the synthesis."""
        return short_answer(request)


def _about(request: ObserveRequest) -> Sequence[Region]:
    """The regions a summary may draw on: all of a named document; else those that hold what the question is about."""
    weights = {
        anchor.text: request.idf.get(anchor.text, 0.0)
        for anchor in request.plan.anchors
        if anchor.kind is not AnchorKind.PHRASE
    }
    whole = sum(weights.values())
    if request.plan.document is not None or not whole:
        return request.regions

    def held(region: Region) -> float:
        text = key("\n".join((region.title, *region.headings, region.text)))
        return sum(weight for term, weight in weights.items() if term in text)

    return [region for region in request.regions if held(region) >= _ABOUT * whole]
