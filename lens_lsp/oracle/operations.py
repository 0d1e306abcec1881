"""English questions for a computed value, by operation: what its operands are and what becomes of them.

How such questions are put is the table of ``oracle.forms``; its patterns are compiled when a question first holds a
cue of their operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from lens_lsp.computation.unit_table import find_unit
from lens_lsp.computation.units import Dimension
from lens_lsp.domain.plan import AnswerType, Combination, Intent
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import key, stem
from lens_lsp.oracle.answers import RATE
from lens_lsp.oracle.calculating import is_quantity, measures, operands, span_of_time, without_event
from lens_lsp.oracle.comparing import aspect_of, order_of
from lens_lsp.oracle.forms import ADJECTIVE, AUX, LIST, OPERATIONS, PERCENT, START, VERB
from lens_lsp.oracle.names import names
from lens_lsp.oracle.phrasing import compiled
from lens_lsp.oracle.reading import Reading, chained, items, over, trimmed

_NUMBER, _DATE = AnswerType.NUMBER, AnswerType.DATE
_Slots = dict[str, str]
_Build = Callable[[_Slots, str], Reading | None]

_MOST_NOUNS = 6
"""Different words of an attribute, such as "average number of points"; longer ones are clauses."""
_PERIOD = regex(
    r"(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{4})?|\d{4})",
    re.IGNORECASE,
)
_PARTS = {"half": "1/2", "a third": "1/3", "a quarter": "1/4", "a fifth": "1/5", "a tenth": "1/10"}
_FALLING = regex(r"\b(?:fall|fell|drop|decreas|declin|shrink|reduc|loss|lose|(?:go|gone|going) down)", re.IGNORECASE)
_TIME_UNITS = regex(r"\b(?:minutes|hours|days|weeks|months|years|decades|centuries)\b", re.IGNORECASE)
_AFTER_VERB = r"(?:happen|begin|start|take place|appear|arrive|occur|open|close|end|come|follow|finish)"
_JOINT = regex(
    (
        r"(?:^|,?\s*)\b(?:all together|altogether|together|in total|combined|in sum|taken together"
        r"|in all|between them|all told|put"
        r" together|added together|on average|added up)\b"
        r"(?=[:,]|\s*$|\s+\w+$|(?<=^altogether)|(?<=^together)|(?<=^in total)|(?<=^in all)|(?<=^on"
        r" average)|(?<=^between them))[,\s]*"
    ),
    re.IGNORECASE,
)


def operate(question: str) -> Reading | None:
    """The reading of a question for a computed value, or None. ``question`` is rewritten and has no final mark."""
    lowered = f" {question.lower()} "
    for operation in OPERATIONS:
        if not any(cue in lowered for cue in operation.cues.split("|")):
            continue
        for pattern in operation.patterns:
            match = compiled(f"^{pattern}$").match(question)
            if match is None:
                continue
            slots = {name: text for name, text in match.groupdict().items() if text}
            reading = _BUILDS.get(operation.becomes, _arithmetic(operation.becomes))(slots, question)
            if reading is not None:
                return reading
    return None


def _pair(slots: _Slots) -> tuple[str, ...]:
    if "l" in slots:
        return items(slots["l"])
    return slots.get("a") or slots.get("a2") or "", slots.get("b") or slots.get("b2") or ""


def _noun(slots: _Slots) -> str:
    words = f"{slots.get('n', '')} {slots.get('m', '')}"
    words = re.sub(
        r"\b(?:the|their|number|numbers|total|combined|of|there|is|are|in)\b", " ", words, flags=re.IGNORECASE
    )
    return trimmed(words)


def _arithmetic(expression: str) -> _Build:
    """Two operands under one expression."""

    def build(slots: _Slots, question: str) -> Reading | None:
        pair = _pair(slots)
        if len(pair) != 2 or not all(pair):
            return None
        return operands(pair, _noun(slots), _NUMBER, expression)

    return build


def _gap(slots: _Slots, question: str) -> Reading | None:
    """A difference of what is measured; of things as such ("between Box and Rc") there is none to compute."""
    if re.fullmatch(r"(?:days|weeks|months|years|time|dates?)", _noun(slots), re.IGNORECASE):
        return _elapsed(slots, question)
    told = f"{_noun(slots)} {' '.join(_pair(slots))}"
    large = re.match(r"how (?:big|large|great|much|wide)|by |how many", question, re.IGNORECASE)
    years = all(_PERIOD.fullmatch(part) for part in _pair(slots))
    if not (measures(told) or large or years):
        return None
    return _arithmetic("abs(f1 - f2)")(slots, question)


def _rest(slots: _Slots, question: str) -> Reading | None:
    """What is left of one amount after another, or after each of a list."""
    taken = items(slots["b"])
    return operands((slots["a"], *taken), _noun(slots), _NUMBER, chained("-", len(taken) + 1))


def _part_of(slots: _Slots, question: str) -> Reading | None:
    """ "20 % of the budget", "half of the distance"."""
    part = re.sub(r" ?(?:percent|per cent)$", " %", slots["p"].lower())
    if not measures(slots["a"]):
        return None
    return _alone(slots["a"], "", _NUMBER, f"{_PARTS.get(part, part)} of f1")


def _elapsed(slots: _Slots, question: str) -> Reading | None:
    pair = _pair(slots)
    if len(pair) != 2 or not all(pair):
        return None
    found = _TIME_UNITS.search(question)
    unit = slots.get("unit") or (found[0] if found else "")
    verb = rf" (?:did|was|were|had been|has been)?\s*{_AFTER_VERB}(?:ed|s)?$| (?:happened|began|took place|came)$"
    said = ""
    if re.search(r"\b(?:after|before)\b", question, re.IGNORECASE):
        pair, said = without_event(pair)
    pair = tuple(trimmed(re.sub(verb, "", part, flags=re.IGNORECASE)) for part in pair)
    happens = re.fullmatch(r"happen(?:ed)?|occur(?:red)?|c[ao]me|t[ao]ke? place|took place", said, re.IGNORECASE)
    return operands(pair, "", _DATE, span_of_time(unit), aspect="" if happens else said)


def _more(slots: _Slots, question: str) -> Reading | None:
    """ "How much heavier is A than B": the comparative says which is taken from which."""
    words = f"{slots.get('n', '')} {slots.get('m', '')}"
    order = order_of(words)
    extra = re.search(r"\b(?:additional|extra|further)\b", words) is not None
    if order is None and not extra:
        return None
    combination, kind = (Combination.GREATEST, _NUMBER) if order is None else order[:2]
    if combination is None:
        return None
    if kind is _DATE:
        return _elapsed(slots, question)
    greater = combination is Combination.GREATEST
    expression = "f1 - f2" if greater else "f2 - f1"
    if re.search(r"\b(?:times|factor|multiple)\b", question, re.IGNORECASE):
        expression = "f1 / f2" if greater else "f2 / f1"
    elif re.search(rf"\b{PERCENT}", question, re.IGNORECASE):
        expression = "change(f2, f1)" if greater else "-change(f2, f1)"
    elif re.search(r"\b(?:faster|slower|quicker)\b", words, re.IGNORECASE):  # told by times as well as by speeds
        expression = "abs(f1 - f2)"
    noun = re.sub(r"\b(?:times|by|much|many|extra|additional|further)\b", " ", words)
    return operands(_pair(slots), aspect_of(noun), _NUMBER, expression, aspect=slots.get("v", ""))


def _joint(slots: _Slots, question: str) -> Reading | None:
    """A sum or mean over a list, where a word says so: "together", "in total", "on average", "total", "mean"."""
    average = re.search(r"\b(?:average|averaged|mean)\b", question, re.IGNORECASE)
    subjects = items(re.sub(r"\bplus\b", "and", slots["l"], flags=re.IGNORECASE))
    count = len(subjects)
    if count < 2:
        return None
    last = re.match(rf"^(?P<s>.+?) (?P<v>{VERB})$", subjects[-1])
    verb = ""
    if last is not None:
        subjects, verb = (*subjects[:-1], last["s"]), last["v"]
    expression = f"mean({chained(',', count)})" if average else chained("+", count)
    noun = re.sub(
        r"\b(?:average|mean|averaged|sum|joint|overall)\b",
        " ",
        f"{_noun(slots)} {slots.get('v', verb)}",
        flags=re.IGNORECASE,
    )
    return operands(subjects, noun, _NUMBER, expression)


def _part(slots: _Slots, question: str) -> Reading | None:
    part, whole = slots["a"], slots["b"]
    if not is_quantity(part):
        return None
    return operands((part, whole), "", _NUMBER, "percent(f1, f2)")


def _changed(slots: _Slots, question: str) -> Reading | None:
    falls = _FALLING.search(f"{slots.get('c', '')} {slots.get('v', '')}") is not None
    expression = "f1 - f2" if falls else "f2 - f1"
    if re.search(rf"\b{PERCENT}|%", question, re.IGNORECASE):
        expression = "-change(f1, f2)" if falls else "change(f1, f2)"
    return operands(_pair(slots), slots["w"], _NUMBER, expression)


def _age(slots: _Slots, question: str) -> Reading | None:
    who, event = slots["a"], slots["e"]
    event = re.sub(r"^(?:he|she|they|it)\b", who, event, flags=re.IGNORECASE)
    event = re.sub(r"^(?:his|her|their|its)\b", f"{who}'s", event, flags=re.IGNORECASE)
    if re.fullmatch(r"(?:the )?(?:start|end|beginning|time)", event):
        return None
    subjects = (f"{who} born", event)
    return _called(operands(subjects, "", _DATE, "years(f1, f2)"), subjects)


def _called(reading: Reading | None, labels: tuple[str, ...]) -> Reading | None:
    """The reading with its operands called otherwise."""
    if reading is None or reading.transformation is None:
        return reading
    return replace(reading, transformation=replace(reading.transformation, labels=labels))


def _alone(subject: str, aspect: str, kind: AnswerType, expression: str) -> Reading | None:
    """A computation on one fact and what the question itself says."""
    subject = trimmed(subject)
    if not subject:
        return None
    return Reading(
        Intent.COMPUTATION, (subject,), trimmed(aspect), kind, over(Combination.EXPRESSION, (subject,), expression)
    )


def _dated(slots: _Slots, question: str) -> Reading | None:
    sign = "-" if slots.get("side", "").lower() in ("before", "minus") else "+"
    if re.match(r"the\b|[A-Z]|my |our |an? ", slots["a"]) is None and not names(f"x {slots['a']}"):
        return None
    subject = re.sub(r"^(?:the )?(?:date|day) of ", "", slots["a"], flags=re.IGNORECASE)
    return _alone(subject, "", _DATE, f"f1 {sign} {slots['d']}")


def _converted(slots: _Slots, question: str) -> Reading | None:
    unit = find_unit(slots["u"].lower())
    measured = measures(slots.get("n", "")) or re.search(rf"\b{ADJECTIVE}\b", question, re.IGNORECASE)
    if unit is None or unit.dimension in (Dimension.COUNT, Dimension.NUMBER, Dimension.CALENDAR) or not measured:
        return None
    return _alone(slots["a"], slots.get("n", "") or slots.get("m", ""), _NUMBER, f"convert(f1, {slots['u'].lower()})")


def _rated(slots: _Slots, question: str) -> Reading | None:
    words = f"{_noun(slots)} {slots.get('v', '')}"
    unit = slots["d"].split(" ")[-1].rstrip("s")
    return _alone(slots["a"], f"{words}{RATE}{unit}", _NUMBER, f"f1 * {slots['d']}")


_BUILDS: dict[str, _Build] = {
    "age": _age,
    "changed": _changed,
    "converted": _converted,
    "dated": _dated,
    "elapsed": _elapsed,
    "gap": _gap,
    "more": _more,
    "part": _part,
    "part of": _part_of,
    "rated": _rated,
    "rest": _rest,
}

_LISTED = (
    (
        rf"(?:how (?:much|many|long|{ADJECTIVE}|old|expensive)|what) ?(?P<n>[\w ]*?) ?\b(?:do|does"
        r"|did|have|has|are|were|is|was|will"
        rf"|would) (?:there )?(?:in |at |on |for )?(?P<l>.+?(?: and | plus ).+?)(?: (?P<v>{VERB}))?"
    ),
    rf"{START}(?P<n>(?:[\w-]+ )?number of [\w -]+?) (?:of|for|in|from|across|over|among) {LIST}",
    rf"{START}(?P<n>[\w -]+?) (?:of|for|in|from|across|over|among) {LIST}",
    rf"how many (?P<n>[\w -]+?) {AUX} there (?:in|across) {LIST}",
    rf"how much is (?P<n>.+?) of {LIST}",
    rf"{LIST}[:,]? (?P<v>{VERB} )?(?:what|how many|how much) (?P<n>[\w ]+?)",
    rf"{LIST}",
    r"(?:add|count|sum)(?: up)? (?:the )?(?P<n>[\w ]+?) of (?P<l>.+? and .+?)",
)
_ACROSS = regex(r"^(?:of|across|for|over|averaged over|between) (?P<l>.+? and [^,]+), (?P<q>.+)$", re.IGNORECASE)
_ADD = regex(r"^(?:add|sum)(?: up)? (?P<a>.+?) (?:to|and|plus) (?P<b>.+)$", re.IGNORECASE)
_PLUS = regex(rf"^(?:{START}|how much is )(?P<a>.+?) plus (?P<b>.+)$", re.IGNORECASE)
_SAYS_TOTAL = regex(r"\b(?:total|combined|sum|average|mean|come to|amount to|add up to)\b", re.IGNORECASE)
_ADDS_UP = frozenset({"come to", "amount to", "add up to"})


def summed(question: str) -> Reading | None:
    """The reading of a sum or mean over a list; None for any other question."""
    for pattern in (_ADD, _PLUS):
        match = pattern.match(_JOINT.sub(" ", question).strip())
        if match is not None:
            return operands((match["a"], match["b"]), "", _NUMBER, "f1 + f2")
    if question.lower().startswith("if "):
        return None
    lead = _ACROSS.match(question)
    if lead is not None:
        question = f"{lead['q']} of {lead['l']}" + (" on average" if "averaged" in question.lower() else "")
    rest = trimmed(_JOINT.sub(" ", question))
    if rest == trimmed(question) and not _SAYS_TOTAL.search(question):
        return None
    if not re.search(r" and | plus ", rest):
        return None
    for listed in _LISTED:
        match = compiled(f"^{listed}$").match(rest)
        if match is None:
            continue
        slots = {name: text for name, text in match.groupdict().items() if text}
        if not _plausible(slots, question, rest):
            continue
        reading = _joint(slots, question)
        if reading is not None:
            return reading
    return None


def _plausible(slots: _Slots, question: str, rest: str) -> bool:
    """Whether a list holds things that are measured: said to be taken together, or under a measurable noun."""
    if rest != trimmed(question) or slots.get("v") in _ADDS_UP:
        return True
    nouns = {stem(word) for word in key(slots.get("n", "")).split()}
    return len(nouns) <= _MOST_NOUNS and bool(
        nouns & {stem("total"), stem("combined"), stem("sum"), stem("average"), stem("mean")}
    )
