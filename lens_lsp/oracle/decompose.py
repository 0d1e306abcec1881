"""From a question to a plan: intent, one requirement per fact, and which anchors serve which (paper, stages S1, S2).

The anchors are those of ``oracle.analysis`` in the same order: what is ranked with does not depend on the intent.
Decomposition only says whom each of them serves.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lens_lsp.domain.plan import Anchor, AnchorKind, AnswerType, Plan, Requirement
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import fold, key
from lens_lsp.oracle.analysis import POSSESSIVE, analyse, terms
from lens_lsp.oracle.intent import read_question
from lens_lsp.oracle.names import Name, names
from lens_lsp.oracle.reading import Reading, trimmed

_ARTICLE = regex(r"^(?:(?:the|my|our|his|her|their|its|a|an|der|die|das|le|la|les|el|los|las)\s+)+", re.IGNORECASE)
_OWNER = regex(r"^.+ (?:of|from|in|for|von|de|des|du|del)\s+(?P<whose>.+)$", re.IGNORECASE)
_ALSO = regex(r"(?P<name>[^()]+) \((?P<also>[^()]+)\)")
_PURPOSE = regex(r" for (?:the )?")
_MOST_NAMES = 6
_LONGEST_NAME = 5
"""Words of a subject that are taken for its name when nothing in it is written as one."""


def decompose(question: str) -> Plan:
    """The plan of a question as the offline oracle understands it."""
    plan = analyse(question)
    reading = read_question(question)
    if reading.subjects:
        split = _split(plan, reading)
        if split is not None:
            return split
        reading = replace(reading, subjects=(), transformation=None)
    requirement = Requirement(
        "f1",
        question,
        many=reading.many,
        answer_type=reading.answer_type,
        names=() if reading.many else names_of(question),
        rule=reading.rule,
    )
    return replace(
        plan,
        requirements=(requirement,),
        answer_type=reading.answer_type if reading.answer_type is not AnswerType.ANY else plan.answer_type,
        intent=reading.intent,
        transformation=reading.transformation,
        document=reading.document,
    )


def names_of(question: str) -> tuple[str, ...]:
    """Folded keys of the names in a question that a proof must hold, each once; alternatives ("A or B") are none."""
    return _keys([name for name in names(question) if not _is_alternative(question, name)])


def _is_alternative(question: str, name: Name) -> bool:
    before, after = question[: name.start].rstrip(), question[name.start + len(name.text) :]
    return before.endswith(" or") or re.match(r",? or |, [^,?]{1,60},? or ", after) is not None


def _keys(found: list[Name]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.key for name in found))[:_MOST_NAMES]


def _split(plan: Plan, reading: Reading) -> Plan | None:
    """A plan with a requirement per subject; None when the subjects cannot be told apart by any term."""
    ids = tuple(f"f{number}" for number in range(1, len(reading.subjects) + 1))
    own = [_terms(subject) for subject in reading.subjects]
    shared = _terms(reading.aspect)
    if any(not mine - shared for mine in own) or len({frozenset(mine - shared) for mine in own}) < len(own):
        return None
    anchors = tuple(replace(anchor, requirements=_served(anchor, ids, own, shared, reading)) for anchor in plan.anchors)
    requirements = tuple(
        Requirement(
            number,
            f"{subject}: {reading.aspect}" if reading.aspect else subject,
            answer_type=reading.answer_type,
            names=_subject_names(subject),
        )
        for number, subject in zip(ids, reading.subjects, strict=True)
    )
    return replace(
        plan,
        requirements=requirements,
        anchors=anchors,
        answer_type=reading.answer_type if reading.answer_type is not AnswerType.ANY else plan.answer_type,
        intent=reading.intent,
        transformation=reading.transformation,
    )


def _terms(text: str) -> set[str]:
    return {term for term, _ in terms(fold(text))}


def _served(
    anchor: Anchor, ids: tuple[str, ...], own: list[set[str]], shared: set[str], reading: Reading
) -> tuple[str, ...]:
    """Whom an anchor serves: the subjects that hold it, all when they share it, none when it only asks."""
    if anchor.kind is AnchorKind.PHRASE:
        if _holds(reading.aspect, anchor.text):
            return ids
        return tuple(i for i, subject in zip(ids, reading.subjects, strict=True) if _holds(subject, anchor.text))
    if anchor.text in shared:
        return ids
    return tuple(i for i, mine in zip(ids, own, strict=True) if anchor.text in mine)


def _holds(text: str, phrase: str) -> bool:
    return f" {phrase} " in f" {key(POSSESSIVE.sub(' ', text))} "


def _subject_names(subject: str) -> tuple[str, ...]:
    """The names in a subject; of one without any, its own words without the attribute ("the height of the tower")."""
    also = _ALSO.fullmatch(subject)
    if also is not None:  # both stand for the one thing, as written
        return tuple(dict.fromkeys((*_subject_names(also["name"]), *_subject_names(also["also"]))))[:_MOST_NAMES]
    found = names(f"x {subject}")
    if any(not name.key.isdigit() for name in found):
        return tuple(dict.fromkeys(part for name in _keys(found) for part in _PURPOSE.split(name)))[:_MOST_NAMES]
    owner = _OWNER.match(subject)
    bare = _ARTICLE.sub("", trimmed(owner["whose"] if owner is not None else subject))
    folded = key(bare)
    return (folded,) if folded and len(folded.split()) <= _LONGEST_NAME else ()
