"""English questions for whether two things are equal or differ in what is measured of them."""

from __future__ import annotations

import re

from lens_lsp.domain.plan import AnswerType, Combination, Intent
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import key, stem
from lens_lsp.oracle.forms import AUX
from lens_lsp.oracle.lexicon import MEASURABLE
from lens_lsp.oracle.reading import Reading, combined, items, over, trimmed

_ADJECTIVE = (
    r"(?:tall|long|high|wide|deep|heavy|far|fast|big|large|hot|cold|warm|thick|expensive|cheap"
    r"|light|short|small|low|costly)"
)
# "Is the fee of A equal to that of B?", "Is A as long as B?"
_EQUALS = regex(
    (
        rf"^{AUX} (?P<a>.+?) (?:(?:exactly |just )?(?:the same as|equal to|identical (?:to|with)"
        rf"|different from|as (?P<like>{_ADJECTIVE}) as)"
        r"|differ(?:ent)? from) (?P<b>.+)$"
    ),
    re.IGNORECASE,
)
# "Are A and B equally long?", "Do A and B differ in height?"
_EQUALLY = regex(
    (
        rf"^{AUX} (?:(?P<pre>the [\w ]+?s?) of )?(?P<list>.+? and .+?) (?:equally (?P<like>\w+)"
        r"|differ(?: in (?P<rest>.+))?|identical|equal|different"
        r"|the same)$"
    ),
    re.IGNORECASE,
)
_DIFFERENCE_OF = regex(
    r"^(?:is|was) there (?:a|any) difference between (?P<list>.+? and .+?)(?: in (?P<rest>.+))?$", re.IGNORECASE
)


def equal(question: str) -> Reading | None:
    """ "Is A as long as B?", "Do A and B differ in length?": the same question, one way or the other."""
    for pattern in (_EQUALS, _EQUALLY, _DIFFERENCE_OF):
        match = pattern.match(question)
        if match is None:
            continue
        slots = match.groupdict()
        subjects = items(slots["list"]) if slots.get("list") else (slots["a"], slots["b"])
        if len(subjects) != 2:
            return None
        subjects = (subjects[0], re.sub(r"^(?:that|those) of ", "", subjects[1]))
        aspect = trimmed(f"{slots.get('like') or ''} {slots.get('rest') or ''} {slots.get('pre') or ''}")
        measured = {stem(word) for word in key(f"{aspect} {' '.join(subjects)}").split()} & MEASURABLE
        if slots.get("like") or measured:
            return combined(Intent.COMPARISON, subjects, aspect, AnswerType.NUMBER, over(Combination.SAME, subjects))
        if aspect or "same" in question or "identical" in question:
            return combined(Intent.COMPARISON, subjects, aspect, AnswerType.ANY, over(Combination.SAME, subjects))
    return None
