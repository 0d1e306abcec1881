"""What a question asks for, by rules: its terms, the names and phrases in it, the type of answer.

No model and no document is involved. The same analysis serves ``lens find`` and the offline oracle.
"""

from __future__ import annotations

import re

from lens_lsp.model.plan import Anchor, AnchorKind, AnswerType, Plan, Requirement
from lens_lsp.model.words import STOP_WORDS, bigrams, fold, key, runs

_QUOTED = re.compile(r'["“„«]([^"”“»]{2,80})["”“»]')
_WORD = r"[A-Z0-9][\w’'&.\-]*"
_JOINERS = "of|the|and|in|de|la|du|von|van|for|to|on|at|&|a|an|del|der|y|et|da|with|from|or"
NAME = re.compile(rf"{_WORD}(?:,? (?:(?:{_JOINERS}) ){{0,3}}{_WORD})*")
# Words that are capitalised only because they open the question.
_OPENING = re.compile(
    r"^(?:What|Which|Who|Whom|Whose|When|Where|Why|How|Are|Is|Was|Were|Did|Do|Does|Has|Have|In|On|Of|The|At|For|From"
    r"|By|To|A|An|Between|Both|This|That|If|Can|Could|During|As|With|After|Before)\b[ ,]*"
)
_EITHER = re.compile(r" (?:and|or) ")
POSSESSIVE = re.compile(r"['’]s\b")
"""What makes a name an owner."""
_SHORTEST_NAME = 3
_LONGEST_PHRASE = 200
_MOST_PHRASES = 32
MOST_TERMS = 128
"""Terms of a question that are searched for; a pasted page beyond that is cut."""
LONGEST_TERM = 64
"""Code points of a term that are compared."""

_TYPES = (
    (AnswerType.DATE, re.compile(r"\b(?:when|(?:what|which) (?:year|date|century|decade|day|month))\b")),
    (
        AnswerType.NUMBER,
        re.compile(r"\bhow (?:many|much|long|old|far|large|big|tall|high|often|fast)\b|\bwhat percent"),
    ),
    (AnswerType.PERSON, re.compile(r"\bwho(?:m|se)?\b")),
)


def analyse(question: str) -> Plan:
    """The plan of a question: one requirement, its terms, and the phrases and names it mentions."""
    folded = fold(POSSESSIVE.sub(" ", question))
    anchors = [Anchor(term, kind) for term, kind in terms(folded)]
    anchors += [Anchor(phrase, AnchorKind.PHRASE) for phrase in phrases(question)]
    return Plan(question, (Requirement("f1", question),), tuple(anchors), answer_type(question))


def terms(folded: str) -> list[tuple[str, AnchorKind]]:
    """The searchable terms of a folded question, each once, in order; stop words only if nothing else is there."""
    found: dict[str, AnchorKind] = {}
    for run in runs(folded):
        if not run.spaced:
            found.update(dict.fromkeys(bigrams(run.text), AnchorKind.TERM))
        else:
            term = run.text[:LONGEST_TERM]
            found[term] = AnchorKind.NUMBER if term.isdigit() else AnchorKind.TERM
    content = [(term, kind) for term, kind in found.items() if _carries_content(term)]
    return (content or list(found.items()))[:MOST_TERMS]


def _carries_content(term: str) -> bool:
    return term not in STOP_WORDS and (len(term) > 1 or term.isdigit() or not term.isascii())


def phrases(question: str) -> list[str]:
    """Quoted text and capitalised names of a question as folded keys; the parts of "A and B" stand beside the whole."""
    found = [match.group(1) for match in _QUOTED.finditer(question)]
    for match in NAME.finditer(_OPENING.sub("", question, count=1)):
        written = match.group().strip(" .,'-?")
        name = POSSESSIVE.sub("", _OPENING.sub("", _OPENING.sub("", written, count=1), count=1)).strip()
        if not name and " " in written:  # "The Who": nothing but words that open questions
            name = written
        found.append(name)
        if _EITHER.search(name):
            found.extend(part.strip() for part in _EITHER.split(name))
    keys = [key(phrase) for phrase in found if _SHORTEST_NAME <= len(phrase) <= _LONGEST_PHRASE]
    return list(dict.fromkeys(k for k in keys if k))[:_MOST_PHRASES]


def answer_type(question: str) -> AnswerType:
    """What kind of thing the question word asks for."""
    lowered = question.lower()
    for kind, pattern in _TYPES:
        if pattern.search(lowered):
            return kind
    return AnswerType.ANY
