"""What the patterns of a language make of a question, and the pieces they share.

A `Reading` is what a pattern recognised: the intent, the subjects that need a fact each, and the words all of them
share. ``oracle.decompose`` turns it into a plan.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lens_lsp.domain.plan import MOST_REQUIREMENTS, AnswerType, Combination, Intent, MatchRule, Transformation
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex

_MASKED = regex(
    r"\"[^\"]*\"|“[^”]*”|«[^»]*»|`[^`]*`|「[^」]*」|《[^》]*》"
    r"|\b[A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?, \d{4}"
)
_SEPARATOR = regex(
    r",?\s+(?:and|or|as well as|versus|vs\.?|und|oder|et|ou|y|o|e|u|и|или)\s+|\s+&\s+|,\s+|\s*[、，和跟与與或]\s*"
)
_STRONG = regex(r"\s*,?\s+(?:and|or|as well as|versus|vs\.?|und|oder|et|ou|y|o|e|u|и|или)\s+|\s+&\s+")
_BOTH = regex(r"^(?:both|either|between) ", re.IGNORECASE)
_EDGE = " \t\n.,;:?!¿¡？。！，、–—-"


@dataclass(frozen=True, slots=True)
class Reading:
    """A recognised question. Without subjects there is one requirement: the question itself."""

    intent: Intent
    subjects: tuple[str, ...] = ()
    """One requirement each, as written."""
    aspect: str = ""
    """The words that every requirement shares."""
    answer_type: AnswerType = AnswerType.ANY
    transformation: Transformation | None = None
    rule: MatchRule | None = None
    many: bool = False
    document: str | None = None


def combined(
    intent: Intent,
    subjects: tuple[str, ...],
    aspect: str,
    answer_type: AnswerType,
    transformation: Transformation | None,
) -> Reading | None:
    """A reading with a fact per subject; None when there are not two different ones or too many."""
    subjects = tuple(_BOTH.sub("", trimmed(part)) for part in subjects)
    distinct = {subject.casefold() for subject in subjects if subject}
    if not 2 <= len(distinct) == len(subjects) <= MOST_REQUIREMENTS:
        return None
    if transformation is not None:
        transformation = replace(transformation, labels=subjects)
    return Reading(intent, subjects, trimmed(aspect), answer_type, transformation)


def trimmed(text: str) -> str:
    """A piece of a question without the punctuation and blanks at its ends."""
    return re.sub(r"\s+", " ", text.strip(_EDGE))


def items(text: str) -> tuple[str, ...]:
    """The members of a list such as "A, B and C", as written; never split inside quotes.

    Of two members that hold "and" themselves, the ones that begin alike are kept whole.
    """
    masked = _MASKED.sub(lambda match: "\0" * len(match.group()), trimmed(text))
    text = trimmed(text)
    strong = list(_STRONG.finditer(masked))
    if len(strong) > 1 and "," not in masked:
        first = text.split(" ", 1)[0].casefold()
        alike = [match for match in strong if text[match.end() :].casefold().startswith(first + " ")]
        chosen = alike if len(alike) == 1 else strong if _all_alike(text, strong) else strong[-1:]
    else:
        chosen = list(_SEPARATOR.finditer(masked))
    bounds = [0, *(edge for match in chosen for edge in match.span()), len(text)]
    parts = (trimmed(text[bounds[i] : bounds[i + 1]]) for i in range(0, len(bounds), 2))
    return tuple(part for part in parts if part)


def _all_alike(text: str, breaks: list[re.Match[str]]) -> bool:
    """Whether the parts between several "and" are short enough to be members of one list."""
    edges = [0, *(match.end() for match in breaks)]
    starts = [match.start() for match in breaks] + [len(text)]
    return all(len(text[a:b].split()) <= 2 for a, b in zip(edges, starts, strict=True))


def over(kind: Combination, labels: tuple[str, ...] = (), expression: str | None = None) -> Transformation:
    """A transformation rule, its labels trimmed."""
    return Transformation(kind, expression, tuple(trimmed(label) for label in labels))


def chained(operator: str, count: int) -> str:
    """``f1 + f2 + f3``."""
    return f"{'' if operator == ',' else ' '}{operator} ".join(f"f{i + 1}" for i in range(count))
