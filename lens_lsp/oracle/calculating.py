"""English questions whose answer is arithmetic on facts: differences, spans of time, sums, shares, averages.

Only the expression is named here; the numbers are read from verified quotes and the arithmetic is done by
``lens_lsp.computation``.
"""

from __future__ import annotations

import re

from lens_lsp.domain.plan import AnswerType, Combination, Intent
from lens_lsp.domain.words import key, stem
from lens_lsp.oracle.comparing import aspect_of, order_of
from lens_lsp.oracle.lexicon import MEASURABLE
from lens_lsp.oracle.names import names
from lens_lsp.oracle.reading import Reading, chained, combined, items, over, trimmed

_NUMBER, _DATE = AnswerType.NUMBER, AnswerType.DATE
_AUX = r"(?:is|was|are|were|does|do|did|has|have|had|will|would)"
_UNIT = r"(?P<unit>days?|weeks?|months?|years?|hours?|minutes?|seconds?|decades?|time)"
_WHAT = r"(?:(?:what(?:'s| is| was| are| were)|calculate|compute|find|give me|tell me) )?(?:the )?"

_ELAPSED = (
    re.compile(
        rf"^how (?:many {_UNIT}|much (?P<much>time)|long) (?:(?:are|were|is|was|did|have|has|had|will|lie|lies"
        rf"|lay)\b ?)?"
        r"(?:(?:there|it|be|lie|elapse|pass|passed|elapsed|gone by)\b ?)*(?:between (?P<list>.+))$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^how (?:many {_UNIT}|much (?P<much>time)|long) (?:(?:are|were|is|was|did|have|has|had)\b ?)?"
        r"(?:(?:there|it|pass|passed|elapse|elapsed)\b ?)+from (?P<a>.+?) (?:to|until|till) (?P<b>.+)$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^how (?:many {_UNIT}|long) (?P<order>after|before) (?P<b>.+?),? (?P<aux>did|was|were|is|does) (?P<a>.+)$",
        re.IGNORECASE,
    ),
)
_DIFFERENCE = re.compile(
    rf"^{_WHAT}(?P<noun>(?:[\w-]+ ){{0,3}})?(?:difference|gap|distance in time) (?:(?:in|of) "
    rf"(?P<in>.+?) )?between (?P<list>.+?)"
    r"(?: in (?P<trailing>[a-z ]+))?$",
    re.IGNORECASE,
)
_BY_HOW_MUCH = re.compile(
    rf"^(?:by )?(?P<what>how (?:much|many)|(?:by )?(?:what|how many) (?:percent(?:age)?|per cent)) ?"
    rf"(?P<noun>[^,]*?) ?\b(?P<aux>{_AUX}) "
    r"(?P<a>.+?) than (?:that of |the one of |in |of )?(?P<b>.+)$",
    re.IGNORECASE,
)
_EXCEED = re.compile(
    r"^(?:by )?how (?:much|many) (?P<noun>[\w ]*?) ?(?:does|did|do) (?P<a>.+?) (?:exceed|surpass|outweigh) (?P<b>.+)$",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"^how (?:much|many) (?P<noun>[\w -]*?) ?\b(?:do|does|did|have|has|are|were|is|was|will) (?P<list>.+? and .+?) "
    r"(?:(?P<verb>weigh|cost|have|earn|make|take|contain|need|use|spend|measure|last|own|sell|produce|hold|run|employ"
    r"|score|win|receive|publish|build|ship|consume|require) )?"
    r"(?:together|in total|combined|altogether|in sum|taken together|in all|between them)$",
    re.IGNORECASE,
)
_SUM = re.compile(
    rf"^{_WHAT}(?:sum|total|combined|overall|joint|summed)(?P<noun>(?: [\w-]+){{0,3}}?) (?:of|for|from) (?P<list>.+)$"
    r"|^(?:add|sum)(?: up)? (?P<add>.+)$|^what (?:do|does) (?P<up>.+?) (?:add up to|sum to|come to|total)$",
    re.IGNORECASE,
)
_AVERAGE = re.compile(
    rf"^{_WHAT}(?:average|mean)(?P<noun>(?: [\w-]+){{0,3}}?) (?:of|for|between|among|across) (?P<list>.+)$",
    re.IGNORECASE,
)
# "If I mow the lawn, the meadow and the verge one after the other, how many minutes is that altogether?"
_ALTOGETHER = re.compile(
    r"^how (?:many|much|long) ?(?P<noun>[\w -]*?) ?\b(?:is|are|does|do|did|was|were|would|will) "
    r"(?:that|this|it|they|those|these)\b ?(?:be|come to|make|take|cost|last)?"
    r"(?: ?(?:altogether|in total|together|combined|in all|overall))?$",
    re.IGNORECASE,
)
_SETTING_LIST = re.compile(
    r"^(?:if|when|suppose|say) (?:i|we|you|one|someone|they) \w+ (?P<list>.+?)"
    r"(?: (?:one after (?:the other|another)|in a row|in sequence|together|in turn|at once))?$",
    re.IGNORECASE,
)
_SHARED = re.compile(r"^(?P<last>.+?) (?P<noun>\w+s) (?P<of>(?:of|for|in|from) .+)$", re.IGNORECASE)
_GREW = re.compile(
    r"^(?:by )?(?P<what>how (?:much|many)|what (?:percentage|percent|per cent)) ?(?P<noun>[\w -]*?) ?"
    r"\b(?:did|do|does|has|have|had) (?P<whose>.+?) "
    r"(?P<verb>grow|grown|rise|risen|increase|change|gain|go up|gone up|fall|fallen|drop|decrease|decline|shrink"
    r"|go down|lose)d? (?:from|between|in) (?P<a>.+?) (?:to|and|until) (?P<b>.+)$",
    re.IGNORECASE,
)
_FALLS = frozenset(("fall", "fallen", "drop", "decrease", "decline", "shrink", "lose", "go down"))
_PER = re.compile(
    r"^(?:what(?:'s| is| was| are| were) )?(?:the )?(?:average|mean) (?P<noun>[\w -]+?) "
    r"(?:per|for each|for every|of each) (?P<each>\w+)(?P<rest>.*)$",
    re.IGNORECASE,
)
_RATIO = re.compile(
    rf"^{_WHAT}(?P<kind>ratio|product)(?P<noun> of [\w -]+?)? (?:between|of) (?P<a>.+?) "
    r"(?:to|and|with|over) (?P<b>.+)$",
    re.IGNORECASE,
)
_PERCENT_OF = re.compile(
    r"^(?:what|which|how much) (?:percentage|percent|per cent|share|fraction|proportion|portion|%) of (?P<whole>.+?) "
    r"(?:is|are|was|were|does|do|did|makes? up|goes? to|went to|comes? from) (?P<part>.+?)"
    r"(?: (?:make up|represent|account for))?$",
    re.IGNORECASE,
)
_PERCENT_IS = re.compile(
    r"^(?:what|which) (?:percentage|percent|per cent|share|fraction|proportion) (?:is|are|was|were) "
    r"(?P<part>.+) of (?P<whole>.+)$",
    re.IGNORECASE,
)
_OPERATOR = re.compile(
    rf"^(?!how (?:many|often|long)\b)(?:{_WHAT}|how much is )(?P<a>.+?) "
    r"(?P<op>plus|minus|times|divided by|multiplied by) (?P<b>.+)$",
    re.IGNORECASE,
)
_OPERATORS = {"plus": "+", "minus": "-", "times": "*", "divided by": "/", "multiplied by": "*"}
_OF = re.compile(
    r"^(?P<what>(?:the )?(?:number|amount|count|quantity) of [\w-]+|.+?) (?:of|in|for|at) (?P<whose>.+)$", re.IGNORECASE
)
_DEFINITE = re.compile(r"^(?:the|my|our|his|her|their|its|this)\b", re.IGNORECASE)


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
    for read in (_elapsed, _by_how_much, _grew, _difference, _share, _totals, _ratio):
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
    if first is None or not _measures(first["what"]) or any(_measures(subject) for subject in bare):
        return subjects, ""
    return (first["whose"], *bare), first["what"]


def _measures(text: str) -> bool:
    """Whether a text names something that is told in numbers."""
    return any(stem(word) in MEASURABLE for word in key(text).split())


def _elapsed(question: str) -> Reading | None:
    for pattern in _ELAPSED:
        match = pattern.match(question)
        if match is None:
            continue
        groups = match.groupdict()
        subjects = items(groups["list"]) if groups.get("list") else (groups["a"], groups["b"])
        if len(subjects) != 2:
            return None
        verb, dates = "", _DATES_OF.match(subjects[0])
        if groups.get("aux"):
            subjects, verb = _without_event(subjects)
        elif dates is not None:  # "between the start dates of A and of B"
            bare = (re.sub(r"^(?:that |the one )?(?:of|for) ", "", subject) for subject in subjects[1:])
            subjects, verb = (dates["whose"], *bare), dates["what"]
        unit = (groups.get("unit") or "").lower().rstrip("s")
        return operands(subjects, "", _DATE, _span_of_time(unit), aspect=verb)
    return None


def _without_event(subjects: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """ "after the mill was the bridge opened": both subjects without the verb, and the verb."""
    match = _EVENT.match(subjects[0])
    if match is None or any(_OF.match(subject) for subject in subjects[1:]):
        return subjects, ""  # the other one is an event of its own
    others = (re.sub(rf"(?: was| were| did)? {match['verb']}$", "", subject) for subject in subjects[1:])
    return (match["whose"], *others), match["verb"]


def _grew(question: str) -> Reading | None:
    match = _GREW.match(question)
    if match is None:
        return None
    falls = match["verb"].lower() in _FALLS
    expression = "f1 - f2" if falls else "f2 - f1"
    if match["what"].lower().startswith("what"):
        expression = "-change(f1, f2)" if falls else "change(f1, f2)"
    return operands((match["a"], match["b"]), match["noun"], _NUMBER, expression, aspect=match["whose"])


_EVENT = re.compile(
    r"^(?P<whose>.+?) (?P<verb>\w+(?:ed|wn|un|ilt)|start|begin|open|end|close|appear|happen)$", re.IGNORECASE
)
_DATES_OF = re.compile(r"^(?:the )?(?P<what>(?:[\w-]+ ){0,2}dates?) (?:of|for) (?P<whose>.+)$", re.IGNORECASE)


def _span_of_time(unit: str) -> str:
    """The expression for the time between two dates, in whole units where the calendar is uneven."""
    if unit in ("day", "week", "month", "year"):
        return f"abs({unit}s(f1, f2))"
    return "abs(days(f1, f2))"


def _difference(question: str) -> Reading | None:
    match = _DIFFERENCE.match(question)
    if match is None:
        return None
    noun = trimmed(f"{match['noun'] or ''} {match['in'] or ''} {match['trailing'] or ''}")
    if not _measures(noun) and not _measures(match["list"]):
        return None
    subjects = items(match["list"])
    if len(subjects) != 2:
        return None
    kind = _DATE if re.search(r"\b(?:time|dates?|years?)\b", noun) else _NUMBER
    return operands(subjects, noun, kind, "abs(f1 - f2)" if kind is _NUMBER else "abs(days(f1, f2))")


def _by_how_much(question: str) -> Reading | None:
    match = _BY_HOW_MUCH.match(question)
    if match is not None:
        first, noun = match["a"], match["noun"]
        order = order_of(noun)
        if order is None:  # "how much is A larger than B"
            order = order_of(first)
            if order is None:
                return None
            first, noun = first[: order[2].start()], f"{noun} {first[order[2].start() :]}"
        combination, kind, _ = order
        first, verb = _without_verb(trimmed(first))
        expression = "f1 - f2" if combination is Combination.GREATEST else "f2 - f1"
        if kind is _DATE:
            expression = "abs(years(f1, f2))" if re.search(r"year|old|young", noun) else "abs(days(f1, f2))"
            noun = re.sub(r"\b(?:years?|months?|days?|weeks?)\b", "", noun)
        elif _PACE.search(noun):  # told by times as well as by speeds
            expression = "abs(f1 - f2)"
        elif re.search(r"\btimes\b", noun):
            expression = "f1 / f2"
        elif "percent" in match["what"].lower() or "per cent" in match["what"].lower():
            expression = "change(f2, f1)" if combination is Combination.GREATEST else "-change(f2, f1)"
        noun = re.sub(r"\btimes\b", "", noun)
        return operands((first, match["b"]), aspect_of(noun), kind, expression, aspect=verb)
    match = _EXCEED.match(question)
    if match is None:
        return None
    return operands((match["a"], match["b"]), match["noun"], _NUMBER, "f1 - f2")


_PACE = re.compile(r"\b(?:faster|slower|quicker)\b", re.IGNORECASE)


def _without_verb(text: str) -> tuple[str, str]:
    """ "A have" of "does A have than B": the subject, and the verb when it says something."""
    match = re.match(
        r"^(?P<a>.+?) (?P<verb>(?:would )?(?:have|has|had)(?: \w+ed| had)?|got|costs?|weighs?|contains?|makes?|takes?"
        r"|uses?|needs?|lasts?"
        r"|holds?|runs?|sells?|sold|produces?|requires?|earn(?:s|ed)?)$",
        text,
    )
    return (text, "") if match is None else (match["a"], match["verb"])


def _share(question: str) -> Reading | None:
    match = _PERCENT_IS.match(question)
    if match is None:
        match = _PERCENT_OF.match(question)
        # "What percentage of the earth is water?" asks for a figure that somebody wrote down.
        if match is None or not _is_quantity(match["part"]):
            return None
    return operands((match["part"], match["whole"]), "", _NUMBER, "percent(f1, f2)")


def _is_quantity(text: str) -> bool:
    """Whether a text names a thing with a number of its own, and is no statement ("owned by Anna")."""
    if re.match(r"[a-z]+(?:ed|ing|en)\b", text) or len(text.split()) > 8:
        return False
    return bool(_DEFINITE.match(text) or names(f"x {text}") or _measures(text))


def _totals(question: str) -> Reading | None:
    match = _TOGETHER.match(question)
    if match is not None:
        subjects = items(match["list"])
        return operands(subjects, f"{match['noun']} {match['verb'] or ''}", _NUMBER, chained("+", len(subjects)))
    match = _SUM.match(question)
    if match is not None:
        subjects = items(match["list"] or match["add"] or match["up"])
        return operands(subjects, match["noun"] or "", _NUMBER, chained("+", len(subjects)))
    match = _PER.match(question)
    if match is not None:
        pair = (f"total {match['noun']}", f"how many {match['each']}s")
        return operands(pair, "", _NUMBER, "f1 / f2", aspect=match["rest"])
    match = _AVERAGE.match(question)
    if match is not None:
        subjects = items(match["list"])
        return operands(subjects, match["noun"] or "", _NUMBER, f"mean({chained(',', len(subjects))})")
    return None


def _ratio(question: str) -> Reading | None:
    match = _RATIO.match(question)
    if match is not None:
        sign = "/" if match["kind"].lower() == "ratio" else "*"
        noun = (match["noun"] or "").removeprefix(" of ")
        return operands((match["a"], match["b"]), noun, _NUMBER, "ratio(f1, f2)" if sign == "/" else "f1 * f2")
    match = _OPERATOR.match(question)
    if match is None or not (_measures(question) or names(f"x {match['a']}")):
        return None
    return operands((match["a"], match["b"]), "", _NUMBER, f"f1 {_OPERATORS[match['op'].lower()]} f2")
