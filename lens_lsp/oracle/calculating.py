"""English questions whose answer is arithmetic on facts: differences, spans of time, sums, shares, averages.

Only the expression is named here; the numbers are read from verified quotes and the arithmetic is done by
``lens_lsp.computation``.
"""

from __future__ import annotations

import re

from lens_lsp.computation.unit_table import find_unit
from lens_lsp.computation.units import Dimension
from lens_lsp.domain.plan import AnswerType, Combination, Intent
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import key, stem
from lens_lsp.oracle.lexicon import MEASURABLE
from lens_lsp.oracle.names import names
from lens_lsp.oracle.reading import Reading, chained, combined, items, over, trimmed

_NUMBER, _DATE = AnswerType.NUMBER, AnswerType.DATE
_WHAT = r"(?:(?:what(?:'s| is| was| are| were)|calculate|compute|find|give me|tell me) )?(?:the )?"

_DIFFERENCE = regex(
    rf"^{_WHAT}(?P<noun>(?:[\w-]+ ){{0,3}})?(?:difference|gap|distance in time) (?:(?:in|of) "
    rf"(?P<in>.+?) )?between (?P<list>.+?)"
    r"(?: in (?P<trailing>[a-z ]+))?$",
    re.IGNORECASE,
)
# "If I mow the lawn, the meadow and the verge one after the other, how many minutes is that altogether?"
_ALTOGETHER = regex(
    r"^how (?:many|much|long) ?(?P<noun>[\w -]*?) ?\b(?:is|are|does|do|did|was|were|would|will) "
    r"(?:that|this|it|they|those|these)\b ?(?:be|come to|make|take|cost|last)?"
    r"(?: ?(?:altogether|in total|together|combined|in all|overall))?$",
    re.IGNORECASE,
)
_SETTING_LIST = regex(
    r"^(?:if|when|suppose|say) (?:i|we|you|one|someone|they) \w+ (?P<list>.+?)"
    r"(?: (?:one after (?:the other|another)|in a row|in sequence|together|in turn|at once))?$",
    re.IGNORECASE,
)
_SHARED = regex(r"^(?P<last>.+?) (?P<noun>\w+s) (?P<of>(?:of|for|in|from) .+)$", re.IGNORECASE)
_RATIO = regex(
    rf"^{_WHAT}(?P<kind>ratio|product)(?P<noun> of [\w -]+?)? (?:between|of) (?P<a>.+?) "
    r"(?:to|and|with|over) (?P<b>.+)$",
    re.IGNORECASE,
)
_OPERATOR = regex(
    rf"^(?!how (?:many|often|long)\b)(?:{_WHAT}|how much is )(?P<a>\S+(?: \S+){{0,9}}?) "
    r"(?P<op>plus|minus|times|divided by|multiplied by) (?P<b>\S+(?: \S+){0,9})$",
    re.IGNORECASE,
)
_OPERATORS = {"plus": "+", "minus": "-", "times": "*", "divided by": "/", "multiplied by": "*"}
_OF = regex(
    r"^(?P<what>(?:the )?(?:number|amount|count|quantity) of [\w-]+|.+?) (?:of|in|for|at) (?P<whose>.+)$", re.IGNORECASE
)
_COUNTED_WORDS = (
    "limit quota bonus deposit threshold timeout yield harvest share growth speed memory storage wins points goals"
)
_COUNTED = frozenset(map(stem, _COUNTED_WORDS.split()))
_DEFINITE = regex(r"^(?:the|my|our|his|her|their|its|this)\b", re.IGNORECASE)


def together(setting: str, question: str) -> Reading | None:
    """A sum over the things that the setting of a question names; None for any other question."""
    asks, done = _ALTOGETHER.match(question), _SETTING_LIST.match(setting)
    if asks is None or done is None:
        return None
    subjects, shared = items(done["list"]), ""
    last = _SHARED.match(subjects[-1]) if subjects else None
    if last is not None:  # "the north, east and west gates of the castle"
        subjects, shared = (*subjects[:-1], last["last"]), f"{last['noun']} {last['of']}"
    return operands(subjects, asks["noun"], _NUMBER, chained("+", len(subjects)), aspect=shared)


def calculate(question: str) -> Reading | None:
    """The reading of a question for a computed value, or None. ``question`` has no punctuation at its end."""
    for read in (_difference, _ratio):
        reading = read(question)
        if reading is not None:
            return reading
    return None


def operands(
    subjects: tuple[str, ...], noun: str, kind: AnswerType, expression: str, *, aspect: str = ""
) -> Reading | None:
    """A computation over subjects; an attribute that only the first one names ("the price of A and B") is shared."""
    subjects, attribute = _shared_attribute(subjects)
    words = trimmed(f"{noun} {attribute} {aspect}")
    transformation = over(Combination.EXPRESSION, subjects, expression)
    return combined(Intent.COMPUTATION, subjects, words, kind, transformation)


def _shared_attribute(subjects: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    if len(subjects) < 2:
        return subjects, ""
    first = _OF.match(subjects[0])
    # "the budget of 2019 and of 2020"
    bare = tuple(re.sub(r"^(?:that )?of ", "", subject) for subject in subjects[1:])
    if first is None or not measures(first["what"]) or any(measures(subject) for subject in bare):
        return subjects, ""
    return (first["whose"], *bare), first["what"]


def measures(text: str) -> bool:
    """Whether a text names something that is told in numbers."""
    return any(stem(word) in MEASURABLE or stem(word) in _COUNTED for word in key(text).split())


def without_event(subjects: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """ "after the mill was the bridge opened": both subjects without the verb, and the verb."""
    match = _EVENT.match(subjects[0])
    if match is None or any(_OF.match(subject) for subject in subjects[1:]):
        return subjects, ""  # the other one is an event of its own
    others = (re.sub(rf"(?: was| were| did)? {match['verb']}$", "", subject) for subject in subjects[1:])
    return (match["whose"], *others), match["verb"]


_COUNTED_ALONE = frozenset({"day", "week", "month", "year"})
"""Units with a function of their own in `lens_lsp.computation`."""
_EVENT = regex(
    r"^(?P<whose>.+?) (?P<verb>\w+(?:ed|wn|un|ilt)|start|begin|open|end|close|appear|happen)$", re.IGNORECASE
)


def span_of_time(name: str) -> str:
    """The expression for the time between two dates, in the unit that a word of any language names, else in days.

    Months and years are whole ones, as the calendar is uneven.
    """
    unit = find_unit(name)
    if unit is None or unit.dimension not in (Dimension.TIME, Dimension.CALENDAR):
        return "abs(days(f1, f2))"
    if unit.symbol in _COUNTED_ALONE:
        return f"abs({unit.symbol}s(f1, f2))"
    if unit.dimension is Dimension.CALENDAR:
        return f"convert(abs(years(f1, f2)), {unit.symbol})"
    return f"convert(abs(f1 - f2), {unit.symbol})"


def _difference(question: str) -> Reading | None:
    match = _DIFFERENCE.match(question)
    if match is None:
        return None
    noun = trimmed(f"{match['noun'] or ''} {match['in'] or ''} {match['trailing'] or ''}")
    if not measures(noun) and not measures(match["list"]):
        return None
    subjects = items(match["list"])
    if len(subjects) != 2:
        return None
    kind = _DATE if re.search(r"\b(?:time|dates?|years?)\b", noun) else _NUMBER
    return operands(subjects, noun, kind, "abs(f1 - f2)" if kind is _NUMBER else "abs(days(f1, f2))")


def is_quantity(text: str) -> bool:
    """Whether a text names a thing with a number of its own, and is no statement ("owned by Anna")."""
    if re.match(r"[a-z]+(?:ed|ing|en)\b", text) or len(text.split()) > 8:
        return False
    return bool(_DEFINITE.match(text) or names(f"x {text}") or measures(text))


def _ratio(question: str) -> Reading | None:
    match = _RATIO.match(question)
    if match is not None:
        sign = "/" if match["kind"].lower() == "ratio" else "*"
        noun = (match["noun"] or "").removeprefix(" of ")
        return operands((match["a"], match["b"]), noun, _NUMBER, "ratio(f1, f2)" if sign == "/" else "f1 * f2")
    match = _OPERATOR.match(question)
    if match is None or not (measures(question) or names(f"x {match['a']}")):
        return None
    return operands((match["a"], match["b"]), "", _NUMBER, f"f1 {_OPERATORS[match['op'].lower()]} f2")
