"""Which of the paper's five intents a question has, by patterns of several languages.

English first, then the basic forms of German, French, Spanish, Russian, Chinese, Japanese and Korean. A question that
no pattern knows is a lookup of one fact: a wrong lookup still finds passages, a wrong computation does not.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lens_lsp.domain.plan import AnswerType, Intent
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import fold
from lens_lsp.oracle.analysis import answer_type
from lens_lsp.oracle.calculating import calculate, together
from lens_lsp.oracle.collecting import collect
from lens_lsp.oracle.comparing import compare
from lens_lsp.oracle.operations import operate, summed
from lens_lsp.oracle.overviews import asked_at_end
from lens_lsp.oracle.phrasing import rewritten
from lens_lsp.oracle.reading import Reading, trimmed
from lens_lsp.oracle.tongues import foreign, foreign_type

_END = " \t\r\n?!.¿¡？！。"
_LONGEST = 600
"""Code points of a question that patterns look at; what is longer is a pasted text and looked up as it is."""
# "Roughly how many …", "Could you tell me which …".
_POLITE = regex(
    r"^(?:(?:roughly|about|approximately|around|please|(?:can|could) you tell me|tell me|do you know"
    r"|i(?:'d like| want) to know)[,:]? )+(?=(?:by |in |at |on )?(?:how|what|which|who|when|where)\b)",
    re.IGNORECASE,
)
# "In the second survey, how many …", "Ships of the line: which …", "There were two. Which …": the setting comes first.
_SETTING = regex(
    r"^(?P<setting>(?:(?:in|on|at|for|of|with|under|among|according to|given|during|within|if|when)\b[^?]{3,160}?,"
    r"|[^?:]{3,100}:|[^?]{3,200}[.;!]) )"
    r"(?P<asks>(?:(?:by|in|on|at|for|to) )?(?:how|what|which|who|whose|is|are|was|were|do|does|did|has|have)\b.+)$",
    re.IGNORECASE,
)
# "…, in seconds": the unit of the answer.
_IN_UNIT = regex(r",? \(?(?:expressed |given |measured )?in [a-zA-Z]+\)?$", re.IGNORECASE)
_SHOW = regex(r"\bhow (?:do|does|can|could|should|would|to)\b", re.IGNORECASE)
# "How often", "how long" are answered by a number with its unit; the rest as for `lens find`.
_AMOUNT = regex(
    r"\b(?:how much|how expensive|what (?:price|amount|number|percentage))\b|\bwhat(?:'s| is| was) the "
    r"(?:\w+ )?(?:price|cost|number|amount|count|quantity|population"
    r"|height|length|weight|age|total|percentage|temperature"
    r"|budget|salary)\b|\bwhat (?:share|fraction|proportion|portion|percentage) of\b"
    r"|\b(?:what|which) (?:[\w-]+ ){0,2}(?:rate|fee|wage|salary|rent|price|cost|speed|temperature|height|length"
    r"|weight|width|depth|amount|percentage|number) "
    r"(?:do|does|did|is|was|are|were|has|have|can|must|will|would|should|of)\b",
    re.IGNORECASE,
)
# "How many were there when it opened?" asks for no date.
_CLAUSE = regex(r"^(.*\b(?:how|what|which|who|whom|whose|where|why)\b.*?),? \bwhen\b.*$", re.IGNORECASE | re.DOTALL)
_DAY = regex(
    r"\b(?:since when|until when|(?:on|in) (?:what|which) (?:year|date|day|month)|date of|birthday|deadline"
    r"|due date)\b",
    re.IGNORECASE,
)


def read_question(question: str) -> Reading:
    """What a question asks for. Never fails: the last resort is a lookup."""
    text = re.sub(r"\s+", " ", question).strip(_END)
    lookup = Reading(Intent.LOOKUP, answer_type=type_of(question))
    if not text or len(text) > _LONGEST:
        return lookup
    if _SHOW.match(text) and " differ" not in text and " compare" not in text:
        return asked_at_end(text) or lookup
    return _reading(text) or lookup


def _reading(text: str) -> Reading | None:
    """What the patterns make of a question; without its setting or its unit where they know nothing of the whole."""
    text = rewritten(_POLITE.sub("", text))
    reading = _known(text)
    if reading is not None:
        return reading
    match = _SETTING.match(text)
    if match is not None:
        setting = trimmed(match["setting"])
        summed = together(setting, match["asks"])
        if summed is not None:
            return summed
        reading = _known(match["asks"]) or _known(_IN_UNIT.sub("", match["asks"]))
        if reading is not None and reading.subjects:
            return replace(reading, aspect=f"{reading.aspect} {setting}".strip())
    bare = _IN_UNIT.sub("", text)
    return _known(bare) if bare != text else None


def _known(text: str) -> Reading | None:
    for read in (collect, operate, summed, calculate, compare, foreign):
        reading = read(text)
        if reading is not None:
            return reading
    return None


def type_of(question: str) -> AnswerType:
    """What kind of thing the question word asks for, in any of the languages."""
    known = answer_type(question)
    if known is AnswerType.DATE and _CLAUSE.match(question):
        known = answer_type(_CLAUSE.sub(r"\1", question))
    if known is not AnswerType.ANY:
        return known
    if _AMOUNT.search(question):
        return AnswerType.NUMBER
    if _DAY.search(question):
        return AnswerType.DATE
    return foreign_type(fold(question))
