"""x"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from lens_lsp.arithmetic import operations
from lens_lsp.arithmetic.expression import evaluate
from lens_lsp.arithmetic.typed_values import Value, ValueKind, same, show
from lens_lsp.arithmetic.units import Dimension, find_unit
from lens_lsp.arithmetic.value_parser import find_values, first_value
from lens_lsp.judge import claims
from lens_lsp.judge.answer_markdown import (
    MARKER,
    NUMBER,
    cited_numbers,
    cited_sentences,
    differing,
    not_read,
    plain,
    unlinked,
    unsupported,
    without_addresses,
)
from lens_lsp.judge.claim_text import CitedPassage
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import (
    Answerable,
    Claim,
    ClaimFault,
    Fact,
    Operand,
    Oracle,
    PassageOracle,
    ReadReply,
    SaidComputation,
    Synthesis,
    SynthesisRequest,
)
from lens_lsp.judge.rules.offline_oracle import OfflineOracle
from lens_lsp.memory.clusters import is_computed, is_quoted, quoted
from lens_lsp.model.answer import (
    Answer,
    AnswerDelta,
    Answered,
    Arm,
    Computation,
    Doubt,
    Event,
    EvidenceFound,
    Mode,
    RequirementResult,
    RequirementStatus,
    Status,
    Stopped,
    StopReason,
)
from lens_lsp.model.cluster import OFFLINE
from lens_lsp.model.documents import BlockKind, Coverage, Document, Evidence, Part, Skip, Stage
from lens_lsp.model.errors import BudgetSpent, ComputationError, OracleFailed
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Intent, Requirement
from lens_lsp.model.sanitize import printable, sanitize_markdown
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import content, key
from lens_lsp.search.boundaries import heading_path
from lens_lsp.search.consolidation import (
    MOST_PASSAGES,
    Cited,
    Combined,
    Item,
    choose,
    combine,
    consolidate,
    day_of,
    facts_of,
    newest,
    rivals,
)
from lens_lsp.search.localisation import ranking
from lens_lsp.search.passages import WINDOW
from lens_lsp.search.recall import named_newer
from lens_lsp.search.rounds import NOT_NEEDED, Quote
from lens_lsp.search.search import Search

MOST_CLAIMS = 20

"""Sentences of one answer that a judge is asked about."""

_MOST_NAMED = 12

_GAP = re.compile(r" +(?=[.,;:!?](?: |\Z))")

"""Where a marker stood before a mark."""

_LABEL = re.compile(r"\A[ \t]*\*\*[^*\n]{1,80}(?::\*\*|\*\*[ \t]*:)")

"""What an item of a list begins with that names it."""

_TOLD = frozenset({claims.Reason.NEGATION, claims.Reason.LIMIT})

"""What rules say of these is told beside the answer and decides nothing: most of it was unfounded
over the answers of a capable reader."""


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


def passages_of(items: Sequence[Item], shown: Sequence[Evidence], question: str) -> dict[int, CitedPassage]:
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
                found.append(Doubt(written, words, fault.reason))
    return Compared(tuple(found), tuple(arguable[:MOST_CLAIMS]))


def beyond(short: str, passages: Sequence[CitedPassage]) -> list[Doubt]:
    """What of a short answer stands in no passage."""
    return [
        Doubt(short, short[doubt.span.start : doubt.span.end], doubt.reason.value)
        for doubt in claims.check_short(short, passages)
    ]


def named(doubts: Sequence[Doubt]) -> str:
    """The words in doubt, as a person is told them."""
    parts = list(dict.fromkeys(f"“{plain(one.words)}”{_kind(one)}" for one in doubts))
    more = f"; and {len(parts) - _MOST_NAMED:,} more" if len(parts) > _MOST_NAMED else ""
    return f"*What is cited does not state: {'; '.join(parts[:_MOST_NAMED])}{more}.*"


def _kind(doubt: Doubt) -> str:
    return "" if doubt.reason == claims.Reason.MEANING else f" ({doubt.reason})"


RESULT = "{result}"

_MARKER = re.compile(rf"([ \t]*){MARKER.pattern}")

_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|\Z)(?:[ \t]*\[[0-9,;\s^]{1,20}\])*|\n")

_LONGEST_SENTENCE = 600

_COPIED = 12

"""Code points before a marker that are looked for in the evidence with it."""

_REPEATED = re.compile(r"(\[[0-9]{1,4}\])(?:[ \t]*\1)+")

_EMPHASIS = re.compile(r"[*_`~]+")

_ORDERED = re.compile(r"(greatest|least)\b(?:\s*\([\w\s,]*\))?", re.IGNORECASE)

_ASIDE = re.compile(r"\([^()]*\)")

_BETWEEN = re.compile(r"\b(day|week|month|year)s?_between\b")

_UNIT = re.compile(r"(?:[^\W\d]+|%)\Z")

"""What a result ends in, if it has a unit."""

_UNIT_AGAIN = re.compile(r"\{result\}([*_]*)[ \u00a0]?([^\W\d]+|%)")

_DAY = re.compile(r"\b([0-9]{1,2})(?:st|nd|rd|th)\b(?: of)?")

_CLOCKED = re.compile(r"(?<!\w)(?=\d)(?:(\d{1,4})h)?(?:(\d{1,4})m)?(?:(\d{1,4})s)?(?!\w)")

"""A duration as programs write it: ``1h30m0s``."""

_WHOLE = re.compile(r"[0-9]{1,6}")

_ANY_YEAR, _MARCH = "2001", 3

_COUNT = frozenset({"count", "count()"})


@dataclass(frozen=True, slots=True)
class Result:
    """What our arithmetic makes of the values that were quoted."""

    text: str
    computation: Computation | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer of a read call after the check."""

    items: list[Item]
    """E*: what the answer cites, in the order in which it cites it."""
    evidence: tuple[Evidence, ...]
    text: str
    short: str | None
    result: Result | None
    missing: tuple[str, ...]
    """What is asked and not stated."""
    unsupported: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    arguable: tuple[Claim, ...]
    """Sentences that a judge should look at again."""
    sides: tuple[tuple[str, int], ...]
    """Values of what is asked that differ between passages, with the numbers of their evidence."""
    stated: bool
    """The judge says that all that is asked is stated."""
    whole: bool
    """It may be called answered: all that is asked is stated, every sentence rests on a quote that stands in its
    source, and what is to be computed was."""
    problems: tuple[str, ...] = ()
    """What is wrong with it, as the judge may be told it."""

    def mends(self, other: Checked) -> bool:
        """Whether it is better than another answer to the same question, which the judge was asked to set right."""
        if self.whole or not other.stated:  # of a list that was said to go on, only a whole answer says more
            return self.whole
        return bool(self.text) and len(self.problems) < len(other.problems)


def check(
    question: str,
    reply: ReadReply,
    said: Mapping[int, Quote],
    evidence: Callable[[Item, int], Evidence],
    rivals: Sequence[Quote] = (),
    verdict: Mapping[str, Sequence[ClaimFault]] | None = None,
) -> Checked:
    """Compare what a reply says with what it quotes. ``said`` are its quotes that stand in their sources, at least one;
    ``evidence`` makes an item of evidence with its number; ``rivals`` are the places that give other values for what is
    asked, the one that the reply gives first; ``verdict`` is what a judge found in its sentences, by their text."""
    chosen = quotes_of(reply, said)
    items = consolidate(
        cited_span(quote, 1.0, subject=True) for quote in (*(said[number] for number in chosen), *rivals)
    )
    shown = tuple(evidence(item, n) for n, item in enumerate(items, 1))
    numbers = {number: n for number in chosen if (n := item_of(said[number], items)) is not None}
    result = result_of(reply, said, numbers)
    text = final_text(reply, numbers, result, [item.quote for item in shown])
    without = unsupported(text, range(1, len(items) + 1))
    passages = passages_of(items, shown, question)
    ours = [CitedPassage(value) for value in (result.text if result else "", str(len(reply.items) or "")) if value]
    compared = compare(text, passages, shown, ours, verdict)
    short = _short(reply, result, compared.doubts)
    above = () if short is None or result is not None else beyond(short, [*passages.values(), *ours])
    uncomputed = RESULT in reply.answer and result is None
    counted = _counted(reply, said)
    answerable = reply.answerable is Answerable.YES and bool(text) and not reply.broken_off
    missing = () if reply.answerable is Answerable.YES else tuple(filter(None, map(_unmarked, reply.missing)))
    if uncomputed:
        text += "\n\nThe values could not be combined; they are shown as they stand."
    problems = tuple(_problems(reply, said, without, compared.decisive, counted, above, uncomputed=uncomputed))
    if compared.decisive:
        text += f"\n\n{named(compared.decisive)}"
    if counted is not None:
        text += (
            f"\n\nThe count is in doubt: {counted:,} things are named, the short answer is {plain(reply.short or '')}."
        )
    sides = tuple((one.value, n) for one in rivals if one.value and (n := item_of(one, items)) is not None)
    if sides:
        newer = newest([day_of(items[n - 1].document, items[n - 1].span.start) for _, n in sides])
        text += f"\n\n{differing(sides, None if newer is None else sides[newer][1])}."
    if missing:
        text += f"\n\nNo passage states: {without_addresses('; '.join(missing))}."
    return Checked(
        items,
        shown,
        text,
        None if uncomputed or counted is not None or above else short,
        result,
        missing,
        without,
        compared.doubts,
        compared.arguable,
        sides,
        stated=reply.answerable is Answerable.YES,
        whole=answerable and not problems,
        problems=problems,
    )


def _problems(
    reply: ReadReply,
    said: Mapping[int, Quote],
    without: Sequence[str],
    decisive: Sequence[Doubt],
    counted: int | None,
    beyond: Sequence[Doubt],
    *,
    uncomputed: bool,
) -> Iterator[str]:
    """What is wrong with a reply, as the judge may be told it."""
    for doubt in decisive:
        words = f"“{doubt.words}” ({doubt.reason})"
        yield f"{words} does not stand in the quotes that this sentence cites: {_unnumbered(doubt.sentence)}"
    yield from (f"No quote is cited for: {_unnumbered(sentence)}" for sentence in without)
    for number in sorted(set(cited_numbers(reply.answer)) - said.keys()):
        yield f"Quote {number} does not stand in its region as you wrote it."
    if uncomputed:
        yield "The computation cannot be done: each value must stand in its quote as written, in units that combine."
    if counted is not None:
        yield f"You name {counted} items, but the short answer is {reply.short}."
    for doubt in beyond:
        yield f"The short answer says “{doubt.words}” ({doubt.reason}), which stands in none of the quotes."


def _unnumbered(sentence: str) -> str:
    """A sentence without its markers: their numbers are ours, not those that the judge wrote."""
    return _MARKER.sub("", sentence)


def _counted(reply: ReadReply, said: Mapping[int, Quote]) -> int | None:
    """How many things the judge names, if its short answer is another number."""
    number = _WHOLE.fullmatch((reply.short or "").strip())
    names = distinct([item.name for item in reply.items if item.quote in said])
    if number is None or not names or reply.computation is not None or int(number[0]) == len(names):
        return None
    return len(names)


def _short(reply: ReadReply, result: Result | None, doubts: Sequence[Doubt]) -> str | None:
    """The short answer: what was computed, unless the judge's own says it; none that is in doubt or not all that was
    asked."""
    if result is not None:
        written = (reply.short or "").replace(RESULT, result.text)
        return written if key(result.text) in key(written) else result.text
    short = reply.short
    if not short or RESULT in short or reply.answerable is not Answerable.YES:
        return None
    doubted = any(key(doubt.words) in key(short) or key(short) in key(doubt.words) for doubt in doubts)
    return None if doubted else short


def quotes_of(reply: ReadReply, said: Mapping[int, Quote]) -> list[int]:
    """The numbers of the quotes that the answer rests on, in the order in which it cites them: those of its text, of
    what is computed, of its items; all quotes when it cites none."""
    named = cited_numbers(reply.answer)
    if reply.computation is not None:
        named += [operand.quote for operand in reply.computation.operands]
    named += [item.quote for item in reply.items]
    found = [number for number in dict.fromkeys(named) if number in said]
    return found or sorted(said)


def item_of(quote: Quote, items: Sequence[Item]) -> int | None:
    """The number, from 1, of the item of evidence that holds a quote."""
    slot = quote.proposal.admission.slot
    return next(
        (n for n, item in enumerate(items, 1) if item.slot == slot and item.span.contains(quote.span)),
        None,
    )


def result_of(reply: ReadReply, said: Mapping[int, Quote], numbers: Mapping[int, int]) -> Result | None:
    """What stands for ``{result}``: a value, the name with the greatest or least one, or how many items there are.

    ``numbers`` are the numbers of the evidence by those of the quotes. None when nothing is to be computed or a value
    does not stand in its quote or does not combine with the others: then the arithmetic is dropped, not the facts.
    """
    computation = reply.computation
    if computation is None or computation.expression.strip().lower() in _COUNT:
        names = distinct([item.name for item in reply.items if item.quote in said])
        return Result(f"{len(names):,}") if names and RESULT in reply.answer else None
    values = _values(computation.operands, said)
    if values is None:
        return None
    try:
        return _computed(computation, values, numbers)
    except ComputationError:
        return None


def distinct(names: Sequence[str]) -> list[str]:
    """Names without those that are written alike, in order."""
    return list({key(name): name for name in reversed(names)}.values())[::-1]


def final_text(reply: ReadReply, numbers: Mapping[int, int], result: Result | None, texts: Sequence[str]) -> str:
    """The answer as it is shown: markers point at the evidence and at nothing else, the result stands in its place,
    nothing in it is a link or an address that is not in one of the ``texts`` of the evidence.

    A marker that stands with the words before it in the evidence, too, and has another one behind it in its sentence is
    the document's: it is written apart, so that it is no marker.
    """

    def renumbered(match: re.Match[str]) -> str:
        if _is_of_document(match, texts):
            return f"{match[1]}[ {match[2]} ]"
        found = [numbers.get(int(number)) for number in NUMBER.findall(match[2])]
        marks = "".join(f"[{n}]" for n in dict.fromkeys(found) if n is not None)
        return f"{match[1]}{marks}" if marks else ""

    text = _REPEATED.sub(r"\1", _MARKER.sub(renumbered, reply.answer))
    text = without_addresses(printable(text), texts)
    if result is None:
        return text.replace(RESULT, "…").strip()
    unit = _UNIT.search(result.text)
    if unit is not None:  # the judge wrote the unit behind it, too
        text = _UNIT_AGAIN.sub(
            lambda match: RESULT + (match[1] if _same_unit(match[2], unit[0]) else match[0][len(RESULT) :]), text
        )
    shown = without_addresses(plain(result.text))  # a name is the judge's
    return text.replace(RESULT, f"**{shown}**").replace("****", "**").strip()


def _is_of_document(match: re.Match[str], texts: Sequence[str]) -> bool:
    """Whether a marker of an answer was copied from a document with the words before it."""
    text = match.string
    rest = text[match.end() : match.end() + _LONGEST_SENTENCE]
    end = _SENTENCE_END.search(rest)
    followed = _MARKER.search(rest if end is None else rest[: end.end()]) is not None
    copied = text[max(0, match.start(2) - _COPIED) : match.end()]
    return followed and len(copied) > len(match[0]) and any(copied in one for one in texts)


def _unmarked(line: str) -> str:
    """A line of the judge's that may stand in an answer: without brackets, which are for markers."""
    return plain(line.translate({ord("["): "(", ord("]"): ")"}))


def _same_unit(one: str, other: str) -> bool:
    """Whether two words mean one unit: "m" and "metres"."""
    if one.lower().rstrip("s") == other.lower().rstrip("s"):
        return True
    units = [find_unit(word) or find_unit(word.rstrip("s")) for word in (one, other)]
    return units[0] is not None and units[0] == units[1]


def _values(operands: Sequence[Operand], said: Mapping[int, Quote]) -> dict[str, Value] | None:
    """The typed values of all operands; None when one has none. Days without a year are of one year, if that may not be
    a leap year that makes a difference."""
    for year in ("", _ANY_YEAR):
        values = {}
        for operand in operands:
            quote = said.get(operand.quote)
            value = None if quote is None else _value(operand, quote, year)
            if value is not None:
                values[operand.id] = value
        if len(values) == len({operand.id for operand in operands}):
            dates = [value.date for value in values.values() if year and value.date is not None]
            leap = any(date.month is None or date.month < _MARCH for date in dates)
            return None if year and (leap or len(dates) < len(values)) else _of_one_unit(values)
    return None


def _of_one_unit(values: Mapping[str, Value]) -> dict[str, Value]:
    """The values, where a bare number takes the only unit of the others: "187 and 173 stars"."""
    bare = {
        name for name, one in values.items() if one.kind is ValueKind.NUMBER and one.unit.dimension is Dimension.NUMBER
    }
    units = {one.unit for name, one in values.items() if name not in bare and one.kind is ValueKind.NUMBER}
    if len(units) != 1:
        return dict(values)
    return {name: replace(one, unit=next(iter(units))) if name in bare else one for name, one in values.items()}


def _value(operand: Operand, quote: Quote, year: str) -> Value | None:
    """The typed value of an operand, if its quote gives it: as it is written, or as an equal value."""
    document = quote.proposal.admission.document
    text = _EMPHASIS.sub("", document.text[quote.span.start : quote.span.end])
    written = _EMPHASIS.sub("", operand.value)
    day = _DAY.sub(r"\1", _CLOCKED.sub(_in_words, written))
    value = first_value(f"{day} {year}" if year else day)
    if value is None:
        return None
    if key(written) in key(text) and _whole(written, text):
        return value
    return value if any(same(value, other) for other in find_values(text)) else None


def _in_words(clocked: re.Match[str]) -> str:
    """``5m0s`` as a number of seconds in words; ``5m`` may be metres."""
    if sum(part is not None for part in clocked.groups()) < 2:
        return clocked[0]
    hours, minutes, seconds = (int(part or 0) for part in clocked.groups())
    return f"{3600 * hours + 60 * minutes + seconds} seconds"


def _whole(written: str, text: str) -> bool:
    return re.search(rf"(?<![\w.,-]){re.escape(written)}(?![\w]|[.,]\d)", text, re.IGNORECASE) is not None


def _computed(computation: SaidComputation, values: Mapping[str, Value], numbers: Mapping[int, int]) -> Result:
    operands = computation.operands
    cited = tuple(dict.fromkeys(numbers[operand.quote] for operand in operands if operand.quote in numbers))
    expression = _BETWEEN.sub(r"\1s", computation.expression.strip())
    ordered = _ORDERED.fullmatch(expression)
    if ordered is not None:
        kind = ordered[1].lower()
        name = _first(kind, operands, values)
        word = "max" if kind == "greatest" else "min"
        return Result(name, Computation(f"{word}({', '.join(one.id for one in operands)})", cited, name, None))
    value = evaluate(expression, values).value
    unit = find_unit(computation.unit) if computation.unit else None
    if unit is not None:
        try:
            value = operations.in_unit(value, unit)
        except ComputationError:
            unit = None
    shown = show(value)
    return Result(shown, Computation(expression, cited, shown, None if value.unit is None else value.unit.symbol))


def _first(kind: str, operands: Sequence[Operand], values: Mapping[str, Value]) -> str:
    """The name whose value is the greatest or the least; "equal" when that is no single one."""
    sign = 1 if kind == "greatest" else -1
    best = operands[0]
    for operand in operands[1:]:
        if sign * operations.order(values[operand.id], values[best.id]) > 0:
            best = operand
    alike = [one for one in operands if operations.order(values[one.id], values[best.id]) == 0]
    return best.name if len(alike) == 1 else "equal"


def _with_subject(document: Document, span: Span) -> Span:
    """A quote that does not say of what it speaks, with the sentence of its paragraph that does: under no heading but
    the title, the beginning of the document names its subject."""
    text, title = document.text, document.structure.head.title
    blocks = document.structure.blocks
    first = next((block for block in blocks if block.kind is BlockKind.PARAGRAPH and block.span.contains(span)), None)
    if title is None or first is None or heading_path(document, span.start)[1:]:
        return span
    opening = sentences(text, first.span)[0]
    named = content(_ASIDE.sub("", title))
    says = named <= content(text[opening.start : opening.end])
    if named <= content(text[span.start : span.end]) or not says or span.end - opening.start > WINDOW:
        return span
    return Span(min(opening.start, span.start), span.end)


def cited_span(quote: Quote, belief: float, *, subject: bool) -> Cited:
    """A quote as what may be cited; with the sentence that names its ``subject`` where it does not."""
    admission = quote.proposal.admission
    return Cited(
        admission.slot,
        admission.document,
        _with_subject(admission.document, quote.span) if subject else quote.span,
        quote.requirement,
        quote.verdict,
        belief,
        match=quote.match,
        value=quote.value,
        arm=quote.proposal.arm,
        round=quote.round,
    )


ALL_LISTED = "No other passages resemble those you quoted: if members of a list were asked for, these are all."

"""What a judge is told that says a list may go on after everything like its members was shown."""

LONGEST_COMPARED = 20_000

"""Code points of a worded answer that are compared with its evidence; a longer one runs away, and is none."""

MOST_LISTED = 200

"""Matches of an exact rule that are cited; the count is exact whatever their number."""

_CALIBRATED = frozenset({Intent.LOOKUP, Intent.COMPUTATION, Intent.COMPARISON})

_SPENT = frozenset(
    {
        StopReason.BUDGET_TOKENS,
        StopReason.BUDGET_SECONDS,
        StopReason.BUDGET_COST,
        StopReason.MODEL_FAILED,
        StopReason.CANCELLED,
    }
)

"""After these the oracle is not asked for anything more."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the answer reports beside the search: the roots as shown, and what the sweep saw."""

    roots: tuple[str, ...]
    found: int
    scanned: int
    skipped: tuple[Skip, ...] = ()
    stages: tuple[Stage, ...] = ()
    warnings: tuple[str, ...] = ()
    pictures: int = 0
    partial: tuple[Part, ...] = ()


@dataclass(slots=True)
class _Draft:
    """E* and what rests on it."""

    items: list[Item]
    evidence: tuple[Evidence, ...]
    facts: list[Fact]
    combined: Combined | None
    text: str = ""
    short: str | None = None
    unmet: set[str] = field(default_factory=set)
    unsupported: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    whole: bool = True
    """It may be called answered when nothing is missing."""
    by_model: bool = False
    """A model worded the text."""


class Answering:
    """Turns a finished search into events up to `Stopped`. ``mode`` is the one in which the question was asked: the
    search may be the one without a model in its place."""

    def __init__(self, search: Search, oracle: Oracle, ledger: Ledger, around: Surroundings, mode: Mode) -> None:
        self._search = search
        self._oracle = oracle
        self._ledger = ledger
        self._around = around
        self._mode = mode
        self.items: tuple[Item, ...] = ()
        """E* of the answer, in the order of its numbers."""

    async def run(self) -> AsyncIterator[Event]:
        """The answer as it is worded, then whole; once more after further rounds if the first left a fact unmet."""
        started = time.perf_counter()
        if self._search.said:
            async for event in self._run_read():
                yield event
            return
        draft = self._draft()
        for item in draft.evidence:
            yield EvidenceFound(item, final=True)
        async for delta in self._synthesise(draft, again=False):
            yield delta
        known: int | None = None
        if draft.unmet and self._may_go_on():
            self._search.reopen(draft.unmet)
            known = len(self._search.progress.quotes)
            async for event in self._search.explore():
                yield event
        if known is not None and len(self._search.progress.quotes) > known:
            draft = self._draft()
            for item in draft.evidence:
                yield EvidenceFound(item, final=True)
            async for delta in self._synthesise(draft, again=True):
                yield delta
        elif draft.short is None and self._search.stopped is not StopReason.REUSED:
            draft.short = await self._calibrated(draft)
        if draft.by_model and (added := await self._compare(draft)):
            draft.text += added
            yield AnswerDelta(added)
        self._search.stages.append(Stage("answer", time.perf_counter() - started))
        self.items = tuple(draft.items)
        answer = self._answer(draft)
        yield Answered(answer)
        yield Stopped(answer.stopped)

    async def _run_read(self) -> AsyncIterator[Event]:
        """The answer of a judge that reads first, as the check leaves it; what the check finds wrong the judge may set
        right, once."""
        search, started = self._search, time.perf_counter()
        assert search.reply is not None
        checked = await self._check(search.reply, search.said)
        problems = checked.problems if checked.stated else ()
        if not checked.stated and checked.missing and await search.listed_all():
            problems = (ALL_LISTED,)
        if problems and (amended := await search.amend(problems)) is not None:
            reply, said = amended
            again = await self._check(reply, said) if said else None
            if again is not None and again.mends(checked):
                checked = again
        draft = self._read_draft(checked)
        for item in draft.evidence:
            yield EvidenceFound(item, final=True)
        yield AnswerDelta(draft.text, restart=search.worded)
        search.stages.append(Stage("answer", time.perf_counter() - started))
        self.items = tuple(draft.items)
        answer = self._answer(draft)
        yield Answered(answer)
        yield Stopped(answer.stopped)

    async def _check(self, reply: ReadReply, said: Mapping[int, Quote]) -> Checked:
        """What a reply comes to, with the places that contradict it among what it was shown; where rules tell too
        little of its sentences, the judge looks at these again."""
        question = self._search.plan.question
        differing = rivals(question, reply, said, self._search.last_shown(reply))
        checked = check(question, reply, said, self._evidence, differing)
        verdict = await self._verdict(checked.arguable)
        return checked if verdict is None else check(question, reply, said, self._evidence, differing, verdict)

    async def _verdict(self, claims: Sequence[Claim]) -> dict[str, tuple[ClaimFault, ...]] | None:
        """What the judge finds wrong with sentences, by their text; None when it was not asked."""
        verdict = await self._search.verify(claims)
        return None if verdict is None else {claims[at].text: faults for at, faults in verdict.items()}

    async def _compare(self, draft: _Draft) -> str:
        """Compare what the model worded with the evidence it cites; what there is to say of it, to be added."""
        passages = passages_of(draft.items, draft.evidence, self._search.plan.question)
        derived = () if draft.combined is None else (draft.combined.result, draft.combined.derivation)
        ours = [CitedPassage(text) for text in derived if text]
        text = draft.text[:LONGEST_COMPARED]
        compared = compare(text, passages, draft.evidence, ours)
        verdict = await self._verdict(compared.arguable)
        if verdict is not None:
            compared = compare(text, passages, draft.evidence, ours, verdict)
        draft.doubts, draft.whole = compared.doubts, text == draft.text
        if not compared.decisive:
            return ""
        draft.whole = False
        return f"\n\n{named(compared.decisive)}"

    def _read_draft(self, checked: Checked) -> _Draft:
        """The question is proven as far as its answer is; what is said to be missing is a fact of its own."""
        search = self._search
        first = search.plan.requirements[0]
        further = [Requirement(f"f{n}", text) for n, text in enumerate(checked.missing, 2)]
        search.plan = search.planned = replace(search.plan, requirements=(first, *further))
        state = RequirementStatus.COVERED if checked.stated or further else RequirementStatus.MISSING
        numbers = tuple(range(1, len(checked.items) + 1))
        count = len(numbers)
        if checked.sides and state is RequirementStatus.COVERED:
            state = RequirementStatus.CONTESTED
        facts = [Fact(first, state, checked.short, numbers, checked.sides, matching=count, read=count)]
        facts += [Fact(requirement, RequirementStatus.MISSING, None, ()) for requirement in further]
        unread = not_read(search.unread, "Not read to the end")
        result = checked.result
        combined = None if result is None else Combined(result.computation, result.text, "")
        return _Draft(
            checked.items,
            checked.evidence,
            facts,
            combined,
            f"{checked.text}\n\n{unread}" if unread else checked.text,
            checked.short,
            unsupported=checked.unsupported,
            doubts=checked.doubts,
            whole=checked.whole and not unread,
        )

    def _may_go_on(self) -> bool:
        search = self._search
        return search.options.mode is Mode.DEEP and search.rounds_left > 0 and search.stopped is StopReason.COVERED

    async def _synthesise(self, draft: _Draft, *, again: bool) -> AsyncIterator[AnswerDelta]:
        """Stage S4; by the rules when the oracle cannot. Whoever words it, none of its links is one."""
        if self._search.stopped is StopReason.REUSED:
            yield self._repeated(draft)
            return
        request = self._request(draft, again=again)
        result = Synthesis()
        voice = self._voice
        parts: list[str] = []
        afresh = again or self._search.worded
        try:
            async with aclosing(self._worded(voice, request, result, draft)) as pieces:
                async for piece in pieces:
                    parts.append(piece)
                    yield AnswerDelta(piece, restart=afresh and len(parts) == 1)
        except (BudgetSpent, OracleFailed) as error:
            self._search.fail(error)
            voice = OfflineOracle()
            restart, result = bool(parts) or afresh, Synthesis()
            parts = []
            async for piece in self._worded(voice, request, result, draft):
                parts.append(piece)
                yield AnswerDelta(piece, restart=restart and len(parts) == 1)
        draft.text, draft.short, draft.unmet = "".join(parts), result.short, set(result.unmet)
        draft.unsupported = result.unsupported
        draft.by_model = not isinstance(voice, (OfflineOracle, PassageOracle))

    async def _worded(
        self, oracle: Oracle, request: SynthesisRequest, result: Synthesis, draft: _Draft
    ) -> AsyncGenerator[str]:
        """The answer's pieces: first which newer documents are not in it. Closed early, so is the model's stream."""
        newer = self._newer(draft)
        if newer:
            names = (sanitize_markdown(name, in_link=True) for name in newer)  # who shows it minds what is guessed
            yield f"Newer, not in this answer: {', '.join(names)}\n\n"
        pieces = oracle.synthesise(request, result, self._ledger)
        try:
            async for piece in pieces:
                yield unlinked(printable(piece))
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    def _repeated(self, draft: _Draft) -> AnswerDelta:
        """The earlier answer: all it rests on was just looked up."""
        assert self._search.recalled is not None
        asked = self._search.recalled.recollection.asked
        assert asked is not None
        text, short = asked.text, asked.short
        quotes = [item.quote for item in draft.evidence]
        if self._oracle.endpoint is None and asked.oracle != OFFLINE:  # a model's words are nothing to rest on
            text = quoted(quotes)
            short = short if short and (is_computed(short, asked) or is_quoted(short, quotes)) else None
        draft.text, draft.short = unlinked(printable(text)), short  # whoever wrote the store
        return AnswerDelta(draft.text)

    @property
    def _voice(self) -> Oracle:
        """Who words the answer: the rules after a model that has had its say or cannot go on, and in `fast` what was
        counted exactly. A reader of passages words by the rules itself."""
        search = self._search
        spent = search.stopped in _SPENT or search.reply is not None or search.read_in_vain
        counted = search.options.mode is Mode.FAST and bool(search.matches)
        silent = (spent or counted) and not isinstance(self._oracle, PassageOracle)
        return OfflineOracle() if silent else self._oracle

    async def _calibrated(self, draft: _Draft) -> str | None:
        """Stage S5, in the paper's mode only."""
        search = self._search
        if search.options.mode is not Mode.DEEP or search.plan.intent not in _CALIBRATED or not draft.evidence:
            return None
        try:
            return await self._voice.calibrate(self._request(draft, again=False), draft.text, self._ledger)
        except (BudgetSpent, OracleFailed):
            return None  # the answer stands without a short form

    def _request(self, draft: _Draft, *, again: bool) -> SynthesisRequest:
        combined = draft.combined
        return SynthesisRequest(
            plan=self._search.plan,
            evidence=draft.evidence,
            facts=tuple(draft.facts),
            computed=None if combined is None else combined.result,
            derivation=None if combined is None else combined.derivation,
            unread=self._search.unread,
            judged=self._search.reply is not None,
            failure=self._search.failure,
            again=again,
        )

    def _draft(self) -> _Draft:
        search = self._search
        if search.stopped is StopReason.REUSED and search.recalled is not None:
            return self._drafted(search.recalled.items(), search.recalled.facts())
        items = consolidate(self._cited())
        if search.plan.intent is Intent.SUMMARIZE:
            items.sort(key=lambda item: (search.order_of(item.slot), item.span.start))
        apart = search.options.mode is Mode.DEEP
        facts = facts_of(search.plan, items, search.progress.covered, search.matches, apart=apart)
        needed = [fact for j, fact in enumerate(facts) if search.progress.covered.get(j) != NOT_NEEDED]
        return self._drafted(items, needed)

    def _drafted(self, items: list[Item], facts: list[Fact]) -> _Draft:
        evidence = tuple(self._evidence(item, n) for n, item in enumerate(items, 1))
        return _Draft(items, evidence, facts, combine(self._search.plan, facts))

    def _cited(self) -> list[Cited]:
        """What may be cited, requirement by requirement, the strongest first."""
        search = self._search
        posterior = search.progress.beliefs.posterior()
        chain = search.options.mode is Mode.DEEP
        cited: list[Cited] = []
        weak: list[Cited] = []
        for j, requirement in enumerate(search.plan.requirements):
            if j in search.matches:
                cited += self._matched(j)
                continue
            quotes = [
                cited_span(quote, float(posterior[j, quote.cells.start : quote.cells.end].max()), subject=chain)
                for quote in search.progress.quotes
                if quote.requirement == j
            ]
            covered = j in search.progress.covered
            (cited if covered else weak).extend(choose(quotes, many=requirement.many, covered=covered, chain=chain))
        return cited + weak + self._passages(search.progress.open)

    def _matched(self, requirement: int) -> list[Cited]:
        cited = []
        for match in self._search.matches[requirement].shown[:MOST_LISTED]:
            document = self._search.reading.document(match.slot)
            if document is not None:
                cited.append(Cited(match.slot, document, match.line, requirement, Verdict.FULL, 1.0, arm=Arm.SCAN))
        return cited

    def _passages(self, missing: Sequence[int]) -> list[Cited]:
        """The best windows under the prior, for requirements that nothing covers."""
        search = self._search
        if not missing or search.subject is not None:
            return []
        passages: list[Cited] = []
        for passage in search.passages[:MOST_PASSAGES]:
            document = search.reading.document(passage.slot)
            if document is not None:
                found = Cited(passage.slot, document, passage.span, 0, Verdict.RELATED, passage.score)
                passages += [replace(found, requirement=j) for j in missing]
        return passages

    def _evidence(self, item: Item, n: int) -> Evidence:
        search = self._search
        best = item.carries[0]
        return search.reading.evidence(
            item.slot,
            item.document,
            item.span,
            n,
            under=best.span.start,
            score=best.belief,
            match=best.match,
            requirements=tuple(search.plan.requirements[j].id for j in item.requirements),
            signals=search.candidates.shares(item.slot),
            arm=best.arm.value,
            round_=best.round,
            verdict=None if item.passage else best.verdict.value,
        )

    def _answer(self, draft: _Draft) -> Answer:
        search, around = self._search, self._around
        results = tuple(self._result(fact, draft) for fact in draft.facts)
        search.plan = replace(search.plan, requirements=tuple(fact.requirement for fact in draft.facts))
        missing = any(result.status is RequirementStatus.MISSING for result in results)
        status = Status.PARTIAL if missing or not draft.whole else Status.ANSWERED
        if not draft.evidence:
            status = Status.UNANSWERED
        slots = search.space.slots
        return Answer(
            question=search.plan.question,
            mode=self._mode,
            intent=search.plan.intent,
            seed=search.options.seed,
            roots=around.roots,
            status=status,
            stopped=search.stopped or StopReason.COVERED,
            text=draft.text,
            short=draft.short,
            requirements=results,
            evidence=draft.evidence,
            computation=None if draft.combined is None else draft.combined.computation,
            documents=ranking(
                search.reading, search.candidates, frozenset(slots.tolist()), most=search.options.documents
            ),
            coverage=Coverage(
                found=around.found,
                scanned=around.scanned,
                skipped=around.skipped,
                admitted=len(slots),
                read=search.reading.read,
                matches_unread=search.candidates.unread(slots),
                pictures=around.pictures,
                partial=tuple(sorted({*around.partial, *search.reading.comments()})),
            ),
            account=self._ledger.account(),
            compression=search.candidates.compression(slots),
            rejected_quotes=search.progress.rejected,
            unsupported=draft.unsupported,
            doubts=draft.doubts,
            reused=() if search.recalled is None else search.recalled.reused,
            newer=self._newer(draft),
            stages=(*around.stages, *search.stages),
            warnings=(*around.warnings, *search.reading.warnings, *search.warnings, *self._ledger.warnings),
        )

    def _result(self, fact: Fact, draft: _Draft) -> RequirementResult:
        status = RequirementStatus.MISSING if fact.requirement.id in draft.unmet else fact.status
        found = status is not RequirementStatus.MISSING
        j = [requirement.id for requirement in self._search.plan.requirements].index(fact.requirement.id)
        return RequirementResult(
            id=fact.requirement.id,
            text=fact.requirement.text,
            status=status,
            confidence=self._confidence(j) if found else None,
            many=fact.requirement.many,
            matching=fact.matching,
            read=fact.read,
            value=fact.value if found else None,
            evidence=fact.evidence,
        )

    def _confidence(self, requirement: int) -> float | None:
        """Of what was found now; of what was found before and stands, what it was then."""
        recalled = self._search.recalled
        if recalled is not None and requirement in recalled.settled:
            return recalled.fact(requirement).confidence
        return self._oracle.confidence(self._search.progress.proof(requirement))

    def _newer(self, draft: _Draft) -> tuple[str, ...]:
        recalled = self._search.recalled
        if recalled is None:
            return ()
        return named_newer(recalled, self._search.reading, (item.slot for item in draft.items))
