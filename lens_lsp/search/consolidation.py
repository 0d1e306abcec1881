"""From what the loop saw to E* and the facts that rest on it (paper, "Evidence Consolidation and Answer Synthesis").

`consolidate` unites the windows of each fact, merges overlaps, drops repeated statements, grows to readable boundaries
and keeps the trace. `facts_of` says what became of each required fact; `combine` computes with their values in code, on
operands that are cited, never in a model. `contradict` tells passages that state different values of one thing: two
values differ only where they cannot both be right, and what speaks of another time or names one of several is no
conflict. `compare` puts the sentences of an answer beside what they cite: what of them does not stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from functools import cmp_to_key

from lens_lsp.arithmetic.expression import evaluate
from lens_lsp.arithmetic.typed_values import Value, ValueKind, order, same, show
from lens_lsp.arithmetic.units import Dimension, find_unit, is_rate, rate_parts
from lens_lsp.arithmetic.value_parser import find_values, first_value
from lens_lsp.corpus.descriptions import file_name
from lens_lsp.judge import claims
from lens_lsp.judge.answer_markdown import cited_sentences, plain
from lens_lsp.judge.claim_text import CitedPassage, ClaimToken, aligned, tokens_of
from lens_lsp.judge.oracle import Claim, ClaimFault, Fact, ReadReply
from lens_lsp.judge.rules.question_plan import names
from lens_lsp.model.answer import Arm, Computation, Doubt, RequirementStatus
from lens_lsp.model.documents import Document, Evidence
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Combination, Intent, Plan, Requirement
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import STOP_WORDS, content, fold, key, stands_in, words
from lens_lsp.search.boundaries import heading_path, region
from lens_lsp.search.localisation import Matches
from lens_lsp.search.metadata import dates
from lens_lsp.search.proposals import Proposal, Quote

MOST_CLAIMS = 20
"""Sentences of one answer that a judge is asked about."""
_MOST_NAMED = 12
_GAP = regex(r" +(?=[.,;:!?](?: |\Z))")
"""Where a marker stood before a mark."""
_LABEL = regex(r"\A[ \t]*\*\*[^*\n]{1,80}(?::\*\*|\*\*[ \t]*:)")
"""What an item of a list begins with that names it."""
_TOLD = frozenset({claims.Reason.NEGATION, claims.Reason.LIMIT})
"""What rules say of these is told beside the answer and decides nothing: most of it was unfounded
over the answers of a capable reader."""
MOST_QUOTES = 4
"""Quotes cited for one covered requirement; a list cites all."""
MOST_CHAIN = 6
"""Quotes cited for one covered requirement together with what leads to it."""
MOST_PASSAGES = 5
"""Passages offered when nothing covers a requirement."""
_COMPARED = frozenset({ValueKind.NUMBER, ValueKind.DATE, ValueKind.DURATION, ValueKind.TIME})
_DATED = ("date", "created", "published", "posted", "updated", "lastmod", "modified")
_ANOTHER_TIME = regex(
    r"\b(?:former(?:ly)?|previous(?:ly)?|original(?:ly)?|initial(?:ly)?|earlier|until|till|used to|no longer|renamed"
    r"|replaced|superseded|obsolete|since then|back then|at first)\b"
)
_ONE_OF_SEVERAL = regex(
    r"\bco-|\b(?:one of|among|also|another|including|such as|together with|along with|both|as well as)\b"
)
_NAME = regex(r"[^\W\d_a-z]|.*[0-9]")
_MOST_WORDS = 6
_MOST_LEFT = 1
"""Content words beside its value that one of two sentences may have and the other not."""
_LEAST_SHARED = 2
_LISTED = regex(r"\s*(?:>\s*)?(?:[-*+•]|\d{1,3}[.)])\s+\S")
_EITHER = regex(r"\bor\b", re.IGNORECASE)
_PACE = regex(r"\b(?:fast|quick|slow)(?:e[rs]t?)?\b", re.IGNORECASE)
_OVER_TIME = regex(r"^f1 \* \D*\d*\D* ?(?:second|minute|hour|day|night|week|month|quarter|year|decade)s?$")
_DIFFERS = regex(r"\bdiffer(?:s|ent|ence)?\b", re.IGNORECASE)
_PACES = {Combination.GREATEST: Combination.LEAST, Combination.LEAST: Combination.GREATEST}
_ON_VALUES = frozenset({Combination.EXPRESSION, Combination.LEAST, Combination.GREATEST, Combination.SAME})
"""Transformations that need the value of every requirement."""


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """A span that may be cited, and the trace of how it was found. ``belief`` orders the items of a requirement."""

    slot: int
    document: Document
    span: Span
    requirement: int
    verdict: Verdict
    belief: float
    match: str = "exact"
    value: str | None = None
    arm: Arm = Arm.LEXICAL
    round: int = 0


@dataclass(slots=True)
class Item:
    """One item of E*: its span after merging, and the citations it carries, the strongest first."""

    slot: int
    document: Document
    span: Span
    carries: list[CitedSpan] = field(default_factory=list)
    header: Span | None = None
    """What names the columns of a row of a table."""

    @property
    def passage(self) -> bool:
        """It is a window that covers nothing by itself."""
        return self.carries[0].verdict is Verdict.RELATED

    @property
    def day(self) -> date | None:
        """Of which day it is, as far as its document says."""
        return day_of(self.document, self.span.start)

    @property
    def requirements(self) -> tuple[int, ...]:
        """The requirements it speaks to, by index."""
        return tuple(sorted({cited.requirement for cited in self.carries}))


def consolidate(cited: Iterable[CitedSpan]) -> list[Item]:
    """E*: overlapping and touching spans of one document become one, repeated statements of one source are dropped.

    The order is that of the first citation of each item.
    """
    items: list[Item] = []
    for one in cited:
        # A passage was cut for reading already; a quote grows to the sentences, rows or items it stands in.
        span = one.span if one.verdict is Verdict.RELATED else region(one.document, one.span)
        home = next((item for item in items if item.slot == one.slot and item.span.overlaps(span)), None)
        if home is None:
            items.append(Item(one.slot, one.document, span, [one]))
            continue
        if home.passage and one.verdict is not Verdict.FULL:
            if home.span.contains(span):
                home.carries.append(one)
            continue  # a hint that reaches out of a passage adds nothing to it
        home.span = Span(min(home.span.start, span.start), max(home.span.end, span.end))
        home.carries.append(one)
    return _distinct(_united(items))


def _united(items: list[Item]) -> list[Item]:
    """Items that grew into one another, made one."""
    kept: list[Item] = []
    for item in items:
        home = next((other for other in kept if other.slot == item.slot and other.span.overlaps(item.span)), None)
        if home is None:
            kept.append(item)
        else:
            home.span = Span(min(home.span.start, item.span.start), max(home.span.end, item.span.end))
            home.carries += item.carries
    return kept


def _distinct(items: Sequence[Item]) -> list[Item]:
    seen: dict[tuple[int, str], Item] = {}
    for item in items:
        statement = (item.slot, key(item.document.text[item.span.start : item.span.end]))
        if statement in seen:
            seen[statement].carries += item.carries
        else:
            seen[statement] = item
    return list(seen.values())


def choose(quotes: Iterable[CitedSpan], *, many: bool, covered: bool, chain: bool = False) -> list[CitedSpan]:
    """Which quotes of one requirement to cite: all that prove it up to a limit, else the partial ones. With ``chain``
    also the best partial one of each further document: what leads to the proof is a part of it."""
    ranked = sorted(quotes, key=lambda cited: (cited.verdict is not Verdict.FULL, -cited.belief, cited.span.start))
    full = [cited for cited in ranked if cited.verdict is Verdict.FULL]
    if many:
        return full or ranked  # what merely comes near is no member of a list that was found
    if covered and full:
        kept = full[:MOST_QUOTES]
        for one in ranked[len(full) :] if chain else ():
            if len(kept) < MOST_CHAIN and all(one.slot != other.slot for other in kept):
                kept.append(one)
        return kept
    return ranked[:MOST_QUOTES]


@dataclass(frozen=True, slots=True)
class Statement:
    """A passage and the value that it states; ``above`` is what stands over it: title, headings, path."""

    text: str
    value: str
    above: str


def different(one: str, other: str) -> bool:
    """Whether two values cannot both be right: amounts, dates or times that differ, or names without a word in common
    of which neither abbreviates the other."""
    first, second = _typed(one), _typed(other)
    if first is not None and second is not None:
        return same(first, second) is False
    if first is not None or second is not None or not (_is_name(one) and _is_name(other)):
        return False
    mine, theirs = content(one), content(other)
    return (
        bool(mine and theirs)
        and mine.isdisjoint(theirs)
        and not {_initials(one), _initials(other)} & {key(one).replace(" ", ""), key(other).replace(" ", "")}
    )


def contradict(asked: str, one: Statement, other: Statement) -> bool:
    """Whether two passages state different values of the one thing that is ``asked`` for."""
    if not different(one.value, other.value) or stands_in(one.value, other.text) or stands_in(other.value, one.text):
        return False
    if any(_ANOTHER_TIME.search(fold(each.text)) for each in (one, other)):
        return False
    if _typed(one.value) is None and any(_is_one_of_several(each) for each in (one, other)):
        return False
    telling = content(*(name.text for name in names(asked)))
    telling |= {word for word in words(asked) if any(map(str.isdigit, word))}
    mine, theirs = (telling & content(each.text, each.above) for each in (one, other))
    return mine == theirs


def counterparts(asked: str, one: Statement, text: str, above: str) -> Iterator[tuple[Span, str]]:
    """Sentences of a text that say what a statement says, of the same thing, with another value: their spans, and
    these values."""
    place = next((s for s in _said(one.text, one.above) if stands_in(one.value, one.text[s.start : s.end])), None)
    if place is None:
        return
    own = one.text[place.start : place.end]
    for span in _said(text, above):
        said = text[span.start : span.end]
        value = _counterpart(own, one.value, said) or _in_frame(own, one.value, said)
        if value is not None and contradict(asked, Statement(own, one.value, one.above), Statement(said, value, above)):
            yield span, value


def rivals(asked: str, reply: ReadReply, said: Mapping[int, Quote], read: Sequence[Proposal]) -> list[Quote]:
    """Places among the regions that were ``read`` which give another value for what is ``asked`` than the short answer
    of a reply, behind the quote that gives this one; none where there is no other. A list has many values, and what is
    computed is none of a passage."""
    short = reply.short or ""
    if not key(short) or reply.items or reply.computation is not None:
        return []
    given = next((quote for quote in said.values() if stands_in(short, quote.text)), None)
    if given is None:
        return []
    place = given.proposal.admission
    own = Statement(given.text, short, above(place.document, given.span.start))
    found = [replace(given, value=short)]
    for item in read:
        document, start = item.admission.document, item.span.start
        text = document.text[start : item.span.end]
        for span, value in counterparts(asked, own, text, above(document, start)):
            stands = Span(start + span.start, start + span.end)
            if all(different(value, one.value or "") for one in found):
                cells = item.admission.touched(stands, item.cells)
                found.append(Quote(0, Verdict.FULL, item, stands, cells, "exact", value, given.round))
    return found if len(found) > 1 else []


def above(document: Document, at: int) -> str:
    """What stands over a place of a document: its title, the headings, the name of its file."""
    head = document.structure.head
    return "\n".join((head.title or "", *head.aliases, *heading_path(document, at), file_name(document.path)))


def day_of(document: Document, at: int) -> date | None:
    """Of which day a place of a document is: by the headings over it, by the file's name, else by the latest date of
    its metadata. When the file was changed says nothing."""
    for written in (*reversed(heading_path(document, at)), file_name(document.path)):
        found = dates(fold(written))
        if found:
            return found[0].first
    fields = [value for name, value in document.structure.head.fields if any(part in name for part in _DATED)]
    return max((period.first for value in fields for period in dates(fold(value))), default=None)


def newest(days: Sequence[date | None]) -> int | None:
    """Which of some sides is newer than all others; None where that is not known of each."""
    known = [day for day in days if day is not None]
    if len(known) < len(days) or not known or known.count(max(known)) > 1:
        return None
    return days.index(max(known))


def _said(text: str, above: str) -> list[Span]:
    """The sentences of a text but for those that stand above it as well: a title says nothing of anything."""
    titles = {key(line) for line in above.splitlines()}
    return [span for span in sentences(text, Span(0, len(text))) if key(text[span.start : span.end]) not in titles]


def _typed(text: str) -> Value | None:
    found = first_value(text)
    return found if found is not None and found.kind in _COMPARED else None


def _counterpart(own: str, value: str, said: str) -> str | None:
    """What stands in a sentence where another one has its value, if both say the same but for that."""
    mine, theirs = tokens_of(own), tokens_of(said)
    wanted = set(words(fold(value)))
    pairs = aligned(mine, theirs)
    met = {place for at, places in pairs.items() if mine[at].word not in wanted for place in places}
    left = [token for at, token in enumerate(mine) if token.content and at not in pairs and token.word not in wanted]
    candidate = _amount(said, value) if _typed(value) is not None else _name(theirs, met, said)
    if candidate is None:
        return None
    span, written = candidate
    left += [
        token
        for place, token in enumerate(theirs)
        if token.content and place not in met and not span.contains(token.span)
    ]
    shared = sum(mine[at].word not in wanted for at in pairs)
    named = any(_NAME.match(token.text) for token in left)
    return written if shared >= _LEAST_SHARED and len(left) <= 2 * _MOST_LEFT and not named else None


def _in_frame(own: str, value: str, said: str) -> str | None:
    """The same where no words can be told apart: an amount, a date or a time with the same text around it."""
    if _typed(value) is None:
        return None
    mine, theirs = _amount(own, value), _amount(said, value)
    if mine is None or theirs is None:
        return None
    around, other = (key(f"{text[: at.start]} {text[at.end :]}") for text, (at, _) in ((own, mine), (said, theirs)))
    return theirs[1] if around == other and len(content(around)) >= 2 * _LEAST_SHARED else None


def _amount(said: str, value: str) -> tuple[Span, str] | None:
    """The only value of a sentence that compares with another one."""
    wanted = _typed(value)
    assert wanted is not None
    found = [one for one in find_values(said) if one.span is not None and same(wanted, one) is not None]
    if len(found) != 1 or found[0].span is None:
        return None
    return found[0].span, said[found[0].span.start : found[0].span.end]


def _name(tokens: Sequence[ClaimToken], met: set[int], said: str) -> tuple[Span, str] | None:
    """The only name of a sentence among what the other one does not say."""
    runs: list[list[ClaimToken]] = []
    for place, token in enumerate(tokens):
        if place in met or not _NAME.match(token.text) or not token.content:
            continue
        joined = bool(runs) and said[runs[-1][-1].span.end : token.span.start].strip() in ("", ".")
        if joined:
            runs[-1].append(token)
        else:
            runs.append([token])
    if len(runs) != 1 or len(runs[0]) > _MOST_WORDS:
        return None
    span = Span(runs[0][0].span.start, runs[0][-1].span.end)
    return span, said[span.start : span.end]


def _is_name(text: str) -> bool:
    """Whether all words but small ones have a capital or a digit: scripts without capitals do not tell names."""
    parts = [part.lstrip("\"'“‘([*_`") for part in text.split() if key(part) not in STOP_WORDS]
    return 0 < len(parts) <= _MOST_WORDS and all(part[:1].isupper() or any(map(str.isdigit, part)) for part in parts)


def _is_one_of_several(statement: Statement) -> bool:
    """Whether a sentence names others beside its value."""
    text = statement.text
    if _ONE_OF_SEVERAL.search(fold(text)):
        return True
    at = text.lower().find(statement.value.lower())
    before, after = text[:at].rstrip(), text[at + len(statement.value) :].lstrip()
    return at >= 0 and (before.endswith((" and", " or", " &", ",")) or after.startswith(("and ", "or ", "& ")))


def _initials(text: str) -> str:
    return "".join(part[0] for part in fold(text).split() if part not in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Combined:
    """What our arithmetic makes of values that were quoted: as it is shown, for the answer, and how it came about."""

    text: str
    computation: Computation | None = None
    derivation: str = ""


def facts_of(
    plan: Plan,
    items: Sequence[Item],
    covered: Mapping[int, str],
    matches: Mapping[int, Matches],
    *,
    apart: bool = False,
) -> list[Fact]:
    """Each requirement with its status, value and the numbers of its evidence; items are numbered from 1. With
    ``apart`` what is proven stays so where it cannot be computed with: who words the answer combines it."""
    facts = []
    combined = plan.transformation is not None and plan.transformation.kind in _ON_VALUES
    counting = plan.transformation is not None and plan.transformation.kind is Combination.COUNT
    given = [_values(j, items) for j in range(len(plan.requirements))]
    if combined:
        given = [_beside(j, given, items) for j in range(len(given))]
    for j, requirement in enumerate(plan.requirements):
        numbers = tuple(n for n, item in enumerate(items, 1) if j in item.requirements)
        if j in matches:
            facts.append(_counted(requirement, matches[j], numbers))
            continue
        values = given[j]
        alike = [(value, n) for value, n, belief in values if belief >= values[0][2] / 2]
        sides = () if j not in covered or requirement.many else _sides(requirement.text, alike, items)
        newer = newest([items[n - 1].day for _, n in sides])
        status = RequirementStatus.CONTESTED if sides else RequirementStatus.COVERED
        value = values[0][0] if values and j in covered else None
        # A passage that gives no value to compare or compute with leaves the question open.
        if j not in covered or not numbers or (combined and not apart and not _usable(value, plan)):
            status = RequirementStatus.MISSING
        elif requirement.many and not any(c.verdict is Verdict.FULL for n in numbers for c in items[n - 1].carries):
            status = RequirementStatus.MISSING  # passages that come near are no list
        if combined and value is not None:  # what is computed with is what is cited
            numbers = (values[0][1], *(n for n in numbers if n != values[0][1]))
        matching = sum(_size(items[n - 1]) for n in numbers) if counting else len(numbers)
        found = Fact(requirement, status, value, numbers, sides, matching=matching, read=matching)
        facts.append(found if newer is None else replace(found, newer=sides[newer][1]))
    covered_all = all(fact.status is RequirementStatus.COVERED for fact in facts)
    # One of several is asked for and nothing orders them: both passages do not say which.
    undecided = plan.transformation is None and plan.intent is Intent.COMPARISON and _EITHER.search(plan.question)
    if covered_all and not apart and ((combined and combine(plan, facts) is None) or undecided):
        facts = [replace(fact, status=RequirementStatus.MISSING) for fact in facts]  # nothing says what was asked
    return facts


def _usable(value: str | None, plan: Plan) -> bool:
    """Whether a value can be combined: it is typed, or equal wording is all that is asked for."""
    assert plan.transformation is not None
    return value is not None and (first_value(value) is not None or plan.transformation.kind is Combination.SAME)


def _size(item: Item) -> int:
    """How many things an item counts for: those of the list it is, else one."""
    lines = item.document.text[item.span.start : item.span.end].splitlines()
    return max(1, sum(_LISTED.match(line) is not None for line in lines))


def _counted(requirement: Requirement, matches: Matches, numbers: tuple[int, ...]) -> Fact:
    return Fact(
        requirement,
        RequirementStatus.COVERED if matches.total else RequirementStatus.MISSING,
        str(matches.total) if matches.total else None,
        numbers,
        matching=matches.total + matches.unread,
        read=matches.total,
        files=matches.files,
    )


def _values(requirement: int, items: Sequence[Item]) -> list[tuple[str, int, float]]:
    """The values that full quotes give for a requirement, with the number of the item each stands in and its belief,
    the most believed first."""
    found = [
        (cited.value, n, cited.belief)
        for n, item in enumerate(items, 1)
        for cited in item.carries
        if cited.requirement == requirement and cited.verdict is Verdict.FULL and cited.value
    ]
    return sorted(found, key=lambda entry: (-entry[2], entry[1]))


def _beside(
    requirement: int, given: Sequence[list[tuple[str, int, float]]], items: Sequence[Item]
) -> list[tuple[str, int, float]]:
    """The values of a fact; those alone that stand in the one document that tells all other operands, if any do."""
    mine = given[requirement]
    others = {id(items[values[0][1] - 1].document) for j, values in enumerate(given) if j != requirement and values}
    if len(others) != 1 or len(given) < 2:
        return mine
    return [entry for entry in mine if id(items[entry[1] - 1].document) in others] or mine


def _sides(asked: str, values: Sequence[tuple[str, int]], items: Sequence[Item]) -> tuple[tuple[str, int], ...]:
    """The different values of a contested fact, each with its item; empty when all that can be compared agree.

    ``values`` are those of quotes that are believed about alike: what is far less likely meant does not contest.
    """
    sides: list[tuple[Statement, int]] = []
    for value, n in values:
        item = items[n - 1]
        text = item.document.text[item.span.start : item.span.end]
        statement = Statement(text, value, above(item.document, item.span.start))
        if all(contradict(asked, statement, other) for other, _ in sides):
            sides.append((statement, n))
    return tuple((statement.value, n) for statement, n in sides) if len(sides) > 1 else ()


def combine(plan: Plan, facts: Sequence[Fact]) -> Combined | None:
    """Apply the plan's transformation to the facts; None when it has none or an operand is missing."""
    rule = plan.transformation
    if rule is None or any(fact.status is not RequirementStatus.COVERED for fact in facts):
        return None
    if rule.kind in (Combination.COUNT, Combination.LIST):
        return Combined(f"{sum(fact.matching for fact in facts):,}")
    if not facts or not all(fact.value and fact.evidence for fact in facts):
        return None
    names, cited = [fact.requirement.id for fact in facts], tuple(fact.evidence[0] for fact in facts)
    labels = rule.labels if len(rule.labels) == len(facts) else tuple(fact.requirement.text for fact in facts)
    beside = ", ".join(f"{label}: {fact.value} [{n}]" for label, fact, n in zip(labels, facts, cited, strict=True))
    operands = {fact.requirement.id: value for fact in facts if (value := first_value(fact.value or ""))}
    if rule.kind is Combination.SAME and not operands:  # other wording proves nothing
        alike = len({key(fact.value or "") for fact in facts}) == 1
        return Combined("yes", Computation(" = ".join(names), cited, "yes", None), beside) if alike else None
    alone = len({(fact.value, fact.evidence[0]) for fact in facts}) < len(facts)
    if len(operands) < len(facts) or (alone and rule.kind is not Combination.SAME):
        return None  # one value of one passage cannot tell two things apart
    operands = _with_units(operands, facts)
    values = [operands[name] for name in names]
    try:
        if rule.kind is Combination.EXPRESSION and rule.expression:
            if _OVER_TIME.search(rule.expression) and not all(map(_is_pace, values)):
                return None  # only a rate grows with time
            return _computed(rule.expression, operands, facts)
        if rule.kind is Combination.SAME:
            verdicts = [same(values[0], other) for other in values[1:]]
            if None in verdicts:
                return None
            said = "no" if all(verdicts) == bool(_DIFFERS.search(plan.question)) else "yes"
            return Combined(said, Computation(" = ".join(names), cited, said, None), beside)
        kind = _PACES.get(rule.kind, rule.kind) if _timed(plan, values) else rule.kind
        winner, (word, sign) = outermost(kind, values), ("min", "<") if kind is Combination.LEAST else ("max", ">")
    except ComputationError:
        return None
    if winner is None:
        return Combined("equal", Computation(f" {sign} ".join(names), cited, "equal", None), beside)
    won = labels[winner]
    return Combined(won, Computation(f"{word}({', '.join(names)})", cited, won, None), beside)


def _computed(expression: str, operands: Mapping[str, Value], facts: Sequence[Fact]) -> Combined:
    value, written = evaluate(expression, operands), expression
    for fact in facts:
        written = written.replace(fact.requirement.id, f"{fact.value} [{fact.evidence[0]}]")
    cited = tuple(fact.evidence[0] for fact in facts)
    computation = Computation(expression, cited, show(value), value.unit.symbol)
    return Combined(show(value), computation, f"{written} = {show(value)}")


def outermost(kind: Combination, values: Sequence[Value]) -> int | None:
    """Which of some values is the least or else the greatest; None where that is no single one. Raises
    ComputationError where they do not compare."""
    best = (min if kind is Combination.LEAST else max)(values, key=cmp_to_key(order))
    among = [place for place, value in enumerate(values) if order(value, best) == 0]
    return among[0] if len(among) == 1 else None


def _is_pace(value: Value) -> bool:
    return is_rate(value.unit) or value.unit.dimension in (Dimension.SPEED, Dimension.DATA_RATE)


def _with_units(operands: Mapping[str, Value], facts: Sequence[Fact]) -> dict[str, Value]:
    """The operands, where a bare number takes the unit of another: of the same quote ("12 bytes and 15"), or the only
    noun that any of them counts ("errors: 42" here, "17 errors" there)."""
    bare = {name for name, one in operands.items() if one.unit.dimension is Dimension.NUMBER and is_number(one)}
    united = {
        fact.evidence[0]: operands[fact.requirement.id].unit
        for fact in facts
        if fact.requirement.id not in bare and is_number(operands[fact.requirement.id])
    }
    counted = {v.unit for v in operands.values() if v.unit.dimension is Dimension.COUNT and not is_rate(v.unit)}
    found = dict(operands)
    for fact in facts:
        name, unit = fact.requirement.id, united.get(fact.evidence[0])
        if name in bare and len(counted) == 1:
            found[name] = replace(operands[name], unit=next(iter(counted)))
        elif name in bare and unit is not None:
            found[name] = first_value(f"{fact.value} {unit.symbol}") or operands[name]
    return found


def is_number(value: Value) -> bool:
    """Whether a value is an amount other than a duration."""
    return value.kind is ValueKind.NUMBER


def _timed(plan: Plan, values: Sequence[Value]) -> bool:
    """Whether a pace is asked for and told by times: the faster one takes the shorter time."""
    parts = (find_unit(rate_parts(one.unit)[0]) if is_rate(one.unit) else one.unit for one in values)
    timed = all(part is not None and part.dimension is Dimension.TIME for part in parts)
    return timed and _PACE.search(plan.question) is not None


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer beside its evidence."""

    doubts: tuple[Doubt, ...]
    arguable: tuple[Claim, ...]
    """Sentences that rules tell too little of; none once they were judged."""

    @property
    def decisive(self) -> list[Doubt]:
        """The doubts that keep the text from being called an answer."""
        return [doubt for doubt in self.doubts if doubt.decisive]


def cited_passages(items: Sequence[Item], shown: Sequence[Evidence], question: str) -> dict[int, CitedPassage]:
    """The evidence by its numbers, as a sentence that cites it is compared with it; what the question says is no claim
    of the judge's."""
    return {
        part.n: passage_of(part, item.document.structure.head.title or "", question)
        for item, part in zip(items, shown, strict=True)
    }


def passage_of(item: Evidence, title: str, *known: str) -> CitedPassage:
    """An item of evidence as rules see it, from a document with a ``title``; what is ``known`` need not stand there."""
    return CitedPassage(item.quote, item.before, item.after, (*item.heading, *known), title, item.path)


def compare(
    text: str,
    passages: Mapping[int, CitedPassage],
    shown: Sequence[Evidence],
    ours: Sequence[CitedPassage],
    verdict: Mapping[str, Sequence[ClaimFault]] | None = None,
) -> Compared:
    """Compare each sentence with what it cites; what is ``ours`` is known by our own arithmetic. ``verdict`` holds the
    faults that a judge found in sentences, by their text: it takes the place of what rules say of them, except of
    figures, which are compared letter by letter."""
    found: list[Doubt] = []
    arguable: list[Claim] = []
    for sentence in cited_sentences(text):
        near = [passages[n] for n in sentence.citations if n in passages]
        if not near:
            continue
        said = _LABEL.sub(lambda label: " " * len(label.group()), sentence.text)
        written = text[sentence.span.start : sentence.span.end]
        cited = tuple(item for item in shown if item.n in sentence.citations)
        claim = Claim(_GAP.sub("", " ".join(sentence.text.split())), cited)
        ruled = claims.check(said, [*near, *ours])
        judged = None if verdict is None else verdict.get(claim.text)
        if judged is not None:
            ruled = tuple(doubt for doubt in ruled if doubt.reason in claims.LITERAL)
        elif (
            verdict is None
            and not claim.text.endswith((":", "："))  # what leads into a list is nothing without it
            and (any(doubt.reason not in claims.LITERAL for doubt in ruled) or claims.is_arguable(said, near))
        ):
            arguable.append(claim)
        own = [
            Doubt(written, said[doubt.span.start : doubt.span.end], doubt.reason.value, doubt.reason not in _TOLD)
            for doubt in ruled
        ]
        found += own
        for fault in judged or ():
            words = fault.words if key(fault.words) and key(fault.words) in key(written) else claim.text
            if not any(key(doubt.words) in key(words) for doubt in own):
                found.append(Doubt(written, words, claims.Reason(fault.reason).value))
    return Compared(tuple(found), tuple(arguable[:MOST_CLAIMS]))


def beyond(short: str, passages: Sequence[CitedPassage]) -> list[Doubt]:
    """What of a short answer stands in no passage."""
    return [
        Doubt(short, short[doubt.span.start : doubt.span.end], doubt.reason.value)
        for doubt in claims.check_short(short, passages)
    ]


def named(doubts: Sequence[Doubt]) -> str:
    """The words in doubt, as a person is told them."""
    kinds = ("" if one.reason == "meaning" else f" ({one.reason})" for one in doubts)
    parts = list(dict.fromkeys(f"“{plain(one.words)}”{kind}" for one, kind in zip(doubts, kinds, strict=True)))
    more = f"; and {len(parts) - _MOST_NAMED:,} more" if len(parts) > _MOST_NAMED else ""
    return f"*What is cited does not state: {'; '.join(parts[:_MOST_NAMED])}{more}.*"
