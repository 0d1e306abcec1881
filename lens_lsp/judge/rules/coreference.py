"""A follow-up question made whole: what it refers to is put in, so that it can be searched alone.

"And when was it released?" after "Who wrote Dune?" is searched as "When was Dune released?". The rules replace only
what points back (a pronoun, "what about"), and only by words of the question before or of its short answer. The
question as it is searched is always shown; what points back to nothing is searched as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lens_lsp.judge.analysis import Name, names
from lens_lsp.model.words import STOP_WORDS, fold

_LEADING = re.compile(r"^(?:and|but|so|also|then|ok|okay|now)\b[,\s]*", re.IGNORECASE)
_WHAT_ABOUT = re.compile(r"^(?:(?:what|how) about|and for|and in|and)\s+(?P<rest>[^?]{1,80})\?*$", re.IGNORECASE)
_BARE = re.compile(
    r"^(?:when|where|why|how|who|which one|by whom|since when|how (?:much|many|long|often))\s*\?*$", re.IGNORECASE
)
_OPENS_QUESTION = re.compile(
    r"^(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|has|have|had|will|would|"
    r"should|may|list|count|summari[sz]e|show|find|compare|explain)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(r"\b(?P<word>its|their|his|her(?=\s+[a-z]))\b", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:he|she|him|his|her|hers)\b", re.IGNORECASE)
# "that file" and "this one" point at a noun of their own; "that" before a clause is no pronoun.
_POINTS = re.compile(
    r"\b(?P<word>it|they|them|he|she|him|her|this|these|those)\b(?!\s+(?:file|one|ones|page|section|chapter|version)\b)",
    re.IGNORECASE,
)
_EMPTY_IT = re.compile(r"\bit\s+(?:possible|necessary|true|allowed|safe|important|take|takes|rain\w*)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b1\d{3}\b|\b20\d\d\b")
_THE = re.compile(r"\bthe ((?:[^\W_][\w-]*)(?: (?:of (?:the )?)?[^\W_][\w-]*){0,4})", re.IGNORECASE)
_LAST_THE = re.compile(r"\bthe [^\W_][\w-]*", re.IGNORECASE)
_WHO = re.compile(r"^(?:who|whom|whose|which (?:person|author|actor|director|president))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A question of the thread as it was searched, and its short answer."""

    question: str
    short: str | None = None


def whole(question: str, thread: Sequence[Earlier]) -> str:
    """The question with what it refers to in the thread put in; itself when it refers to nothing."""
    if not thread:
        return question
    typed = question.strip()
    about = _WHAT_ABOUT.match(typed)
    if about is not None and not _OPENS_QUESTION.match(about["rest"]):
        return _instead(thread[-1].question, about["rest"].strip())
    plain = _LEADING.sub("", typed)
    if _BARE.match(plain):
        return f"{thread[-1].question.rstrip('?!. ')}, and {plain[:1].lower()}{plain[1:]}"
    plain = plain[:1].upper() + plain[1:]
    topic = _topic(thread, person=bool(_PERSON.search(plain)))
    if topic is None or _EMPTY_IT.search(plain):
        return plain if plain != typed[:1].upper() + typed[1:] else question
    owned = _OWNED.sub(_owner(topic), plain, count=1)
    if owned != plain:
        return owned
    return (
        _POINTS.sub(lambda _: topic, plain, count=1) if _POINTS.search(plain) else question if plain == typed else plain
    )


def _owner(topic: str) -> str:
    return (topic + ("'" if topic.endswith("s") else "'s")).replace("\\", r"\\")


def _topic(thread: Sequence[Earlier], *, person: bool) -> str | None:
    """What the last questions were about: a person they answered with, a name, or what they call "the …"."""
    for earlier in reversed(thread):
        if person and earlier.short is not None and _WHO.match(earlier.question.strip()):
            return earlier.short
        named = [name for name in names(earlier.question) if not name.key.isdigit()]
        if named:
            return _written(named[0])
        noun = _THE.search(earlier.question)
        if noun is not None and (kept := _noun(noun[1])):
            return f"the {kept}"
        if earlier.short is not None and not person:
            return earlier.short
    return None


def _written(name: Name) -> str:
    return f'"{name.text}"' if name.quoted else name.text


def _noun(phrase: str) -> str:
    """The words of a noun phrase up to the first that begins something else."""
    kept: list[str] = []
    for word in phrase.split():
        if fold(word) in STOP_WORDS - {"of", "the"} or fold(word).endswith(("ed", "ing")):
            break
        kept.append(word)
    while kept and fold(kept[-1]) in STOP_WORDS:
        kept.pop()
    return " ".join(kept)


def _instead(question: str, other: str) -> str:
    """The question before, about something else: a year for a year, a name for the last name, else added."""
    if _YEAR.fullmatch(fold(other).removeprefix("in ")) and _YEAR.search(question):
        return _YEAR.sub(fold(other).removeprefix("in "), question, count=1)
    named = [name for name in names(question) if not name.key.isdigit()]
    other = re.sub(r"^(?:in|for|of|with)\s+", "", other, flags=re.IGNORECASE)
    if named:
        last = named[-1]
        return question[: last.start] + other + question[last.start + len(last.text) :]
    nouns = list(_LAST_THE.finditer(question))
    if nouns:
        the = "" if re.match(r"(?:the|an?|my|our)\b", other, re.IGNORECASE) else "the "
        return question[: nouns[-1].start()] + the + other + question[nouns[-1].end() :]
    return f"{question.rstrip('?. ')} ({other})?"
