"""From the reply of a read call to the answer: which quotes it cites, what is computed from them, what its text says.

The judge chooses what is cited; where that stands, what comes out of it and whether the text may be called an answer is
decided here (design: the answer, its short form and its status never contradict each other).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lens_lsp.arithmetic import operations
from lens_lsp.arithmetic.expression import evaluate
from lens_lsp.arithmetic.typed_values import Kind, Value, same, show
from lens_lsp.arithmetic.units import Dimension, find_unit
from lens_lsp.arithmetic.value_parser import find_values, first_value
from lens_lsp.judge.links import without_addresses
from lens_lsp.judge.llm.marking import MARKER, NUMBER, cited_numbers, unsupported
from lens_lsp.judge.passage import Passage
from lens_lsp.judge.quoting import differing, plain
from lens_lsp.judge.read import Answerable, Operand, ReadReply, SaidComputation
from lens_lsp.judge.verification import Claim, Fault
from lens_lsp.model.answer import Computation, Doubt
from lens_lsp.model.documents import BlockKind, Document, Evidence
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import content, key
from lens_lsp.search.claims import beyond, compare, named, passages_of
from lens_lsp.search.conflict import day_of, newest
from lens_lsp.search.consolidate import Cited, Item, consolidate
from lens_lsp.search.outline import heading_path
from lens_lsp.search.passages import WINDOW
from lens_lsp.search.rounds import Quote

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
    verdict: Mapping[str, Sequence[Fault]] | None = None,
) -> Checked:
    """Compare what a reply says with what it quotes. ``said`` are its quotes that stand in their sources, at least one;
    ``evidence`` makes an item of evidence with its number; ``rivals`` are the places that give other values for what is
    asked, the one that the reply gives first; ``verdict`` is what a judge found in its sentences, by their text."""
    chosen = quotes_of(reply, said)
    items = consolidate(cited(quote, 1.0, subject=True) for quote in (*(said[number] for number in chosen), *rivals))
    shown = tuple(evidence(item, n) for n, item in enumerate(items, 1))
    numbers = {number: n for number in chosen if (n := item_of(said[number], items)) is not None}
    result = result_of(reply, said, numbers)
    text = final_text(reply, numbers, result, [item.quote for item in shown])
    without = unsupported(text, range(1, len(items) + 1))
    passages = passages_of(items, shown, question)
    ours = [Passage(value) for value in (result.text if result else "", str(len(reply.items) or "")) if value]
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
    bare = {name for name, one in values.items() if one.kind is Kind.NUMBER and one.unit.dimension is Dimension.NUMBER}
    units = {one.unit for name, one in values.items() if name not in bare and one.kind is Kind.NUMBER}
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


def joined(
    first: ReadReply, said: Mapping[int, Quote], second: ReadReply, more: Mapping[int, Quote]
) -> tuple[ReadReply, dict[int, Quote]]:
    """Two replies over two pieces of one document as one, and their quotes that stand: those of the second are numbered
    on, its answer follows. A piece that says nothing of what is asked leaves what was said."""
    if second.answerable is Answerable.NO:
        first.shown, first.withheld, first.broken_off = second.shown, second.withheld, second.broken_off
        return first, dict(said)
    behind = max((quote.number for quote in first.quotes), default=0)

    def renumbered(match: re.Match[str]) -> str:
        return f"{match[1]}[{', '.join(str(int(number) + behind) for number in NUMBER.findall(match[2]))}]"

    answerable = min(first.answerable, second.answerable, key=list(Answerable).index)
    parts = first.answer, _MARKER.sub(renumbered, second.answer)
    reply = ReadReply(
        answerable,
        (*first.quotes, *(replace(quote, number=quote.number + behind) for quote in second.quotes)),
        (*first.items, *(replace(item, quote=item.quote + behind) for item in second.items)),
        missing=() if answerable is Answerable.YES else tuple(dict.fromkeys((*first.missing, *second.missing))),
        terms=second.terms,
        answer="\n\n".join(part for part in parts if part),
        short=first.short or second.short,
        shown=second.shown,
        withheld=second.withheld,
        broken_off=second.broken_off,
    )
    return reply, {**said, **{number + behind: quote for number, quote in more.items()}}


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


def cited(quote: Quote, belief: float, *, subject: bool) -> Cited:
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
