"""Metadata as fields: what a question asks of it ("who wrote", "created when") or wants of it ("tagged robotics",
"rejected", "of March 2024"), and which documents say so.

Fields are what documents say about themselves (`Head.fields`) and the dates in their names. They are read at query time
like everything else; a question that names no field, value or date costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import field
from datetime import date

from lens_lsp.domain.model import Document, Field
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span
from lens_lsp.domain.words import STOP_WORDS, fold, stem, words
from lens_lsp.search.corpus import Corpus

_ASKED = 0.35
"""What metadata counts, in shares of the question, that hold a field which is asked for."""
_WANTED = 0.5
"""What a document counts that has the value or the date that is wanted, and what says so in it."""
_BY_YEAR = 0.15
"""What it counts where only the year is wanted."""
_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_FIRST = regex(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)?[ -](?P<month>{_MONTH})\.?,?[ -](?P<year>\d{{4}})\b")
_MONTH_FIRST = regex(rf"\b(?P<month>{_MONTH})\.? (?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? )?(?P<year>\d{{4}})\b")
_FIGURES = regex(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})[-_./]?(?P<month>0[1-9]|1[0-2])(?:[-_./]?(?P<day>0[1-9]|[12]\d|3[01]))?(?!\d)"
)
_YEAR = regex(r"\b(?:in|of|from|during|dated|since) (?P<year>(?:19|20)\d{2})\b")
_EXACT = (_DAY_FIRST, _MONTH_FIRST, _FIGURES)

# What somebody says who asks for a field by another word than its name, and the names of such fields.
_CUES = (
    (
        r"\b(?:who (?:wrote|has written|authored|proposed|came up with|is the author)|written by|by whom|authors?\b)",
        "author authors creator from",
    ),
    (
        (
            r"\b(?:when (?:was|were|did|is|has)\b.*\b(?:creat|writ|wrote|publish|post|fil|dat|start|approv|updat)"
            r"|(?:what|which) date|dated)"
        ),
        "created date published posted lastmod updated date_approved ms.date",
    ),
    (r"\b(?:other names?|aliases|also (?:known|called)|alias)\b", "aliases alias"),
    (r"\btag(?:s|ged)?\b", "tags tag keywords filetags"),
    (r"\b(?:supersed|replac|obsolet)", "superseded-by supersedes replaces obsoletes obsoleted-by"),
    (r"\b(?:status|state)\b", "status state"),
)
_CUE_PATTERNS = tuple((regex(pattern), frozenset(names.split())) for pattern, names in _CUES)
_TAGS = frozenset({"tags", "tag", "keywords", "filetags"})
_TAGGED = regex(
    r"\b(?:tagged(?: (?:with|as))?|(?:the )?tags?|labell?ed) [\"“']?#?(?P<after>[\w/-]+)"
    r"|[\"“']?#?(?P<before>[\w/-]+)[\"”']? tags?\b|#(?P<hash>\w[\w/-]*)"
)
_STATES = frozenset(
    map(
        stem,
        ("draft", "rejected", "withdrawn", "accepted", "final", "superseded", "deferred", "active", "approved"),
    )
)
"""Values of a document's status that a question names by themselves."""
_GENERAL = frozenset((
    "title", "name", "description", "summary", "questions", "question", "order", "weight", "id", "slug", "layout",
    "locale", "draft", "image", "lang", "url", "link", "links", "text", "content", "key", "type", "kind", "version",
    "author", "authors", "date", "help", "source", "note", "notes", "comment", "comments",
))  # fmt: skip
"""Names of fields that are words of any question: they are asked for in other words, or not at all."""
_PREFIXES = frozenset({"pep", "bdfl", "ms", "og", "dc", "by", "to"})
_DOCUMENTS = regex(
    r"\b(?:meetings?|minutes|notes?|posts?|documents?|docs|files?|entries|articles?|pages|letters?|peps)\b"
)
_FIRST = regex(r"\b(?:first|earliest|oldest)\b")
_LAST = regex(r"\b(?:last|latest|newest|most recent)\b")


@dataclass(frozen=True, slots=True)
class When:
    """A day, month or year that a question names."""

    year: int
    month: int | None = None
    day: int | None = None

    def holds(self, other: When) -> bool:
        """Whether another date lies in it."""
        return self.year == other.year and self.month in (None, other.month) and self.day in (None, other.day)


@dataclass(frozen=True, slots=True)
class FieldQuery:
    """What a question asks or wants of metadata."""

    asked: frozenset[str] = frozenset()
    """Names of fields whose value is asked for."""
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Stems of values that are wanted, by the name of the field."""
    dates: tuple[When, ...] = ()
    slots: Mapping[int, float] = field(default_factory=dict)
    """Documents that have what is wanted, and what they count for it."""

    def bonus(self, slot: int) -> float:
        """What a document counts for what it says about itself."""
        return self.slots.get(slot, 0.0)

    def proof(self, document: Document, slot: int, span: Span) -> float:
        """What a stretch of a document's metadata counts: it holds what is asked for, or says what is wanted."""
        best = 0.0
        for one in document.structure.fields:
            if not span.overlaps(one.span):
                continue
            if one.name in self.asked or _named(one, self.asked):
                best = max(best, _ASKED)
            if slot in self.slots and (one.name in self.values and self.values[one.name] & _stems(one.value)):
                best = max(best, _ASKED)
            if (
                slot in self.slots
                and self.dates
                and any(when.holds(said) for said in _dates(one.value) for when in self.dates)
            ):
                best = max(best, _ASKED)
        return best


def field_query(question: str, corpus: Corpus) -> FieldQuery | None:
    """What a question asks of metadata; None when it asks nothing of it."""
    folded = fold(question)
    asked = frozenset(name for pattern, names in _CUE_PATTERNS if pattern.search(folded) for name in names)
    found = {stem(word) for word in words(folded) if word not in STOP_WORDS}
    # "in 2021" alone is when something happened as often as when it was written.
    dates = tuple(dict.fromkeys(_dates(folded, years=_DOCUMENTS.search(folded) is not None)))
    tags = {
        stem(tag)
        for match in _TAGGED.finditer(folded)
        for tag in (match["after"], match["before"], match["hash"])
        if tag
    }
    states = found & _STATES
    named = frozenset(found)
    if not (asked or dates or tags or states):
        return None if not found else _by_name(named, corpus)
    values: dict[str, frozenset[str]] = {}
    if tags:
        values |= dict.fromkeys(_TAGS, frozenset(tags))
    if states:
        values |= dict.fromkeys(("status", "state"), frozenset(states))
    slots = _matching(corpus, values, dates, folded)
    return FieldQuery(asked, values, dates, slots)


def _by_name(stems: Set[str], corpus: Corpus) -> FieldQuery | None:
    """A question that names a field by its own name: "python version", "sponsor", "delegate"."""
    names = frozenset(name for name in corpus.cache.field_names - _GENERAL if (own := _parts(name)) and own <= stems)
    return FieldQuery(names) if names else None


def _matching(
    corpus: Corpus, values: Mapping[str, frozenset[str]], dates: tuple[When, ...], folded: str
) -> dict[int, float]:
    """The documents that have all that is wanted, and what they count for it."""
    found: dict[int, float] = {}
    said: dict[int, When] = {}
    for slot, path, fields in corpus.cache.heads():
        if values and not any(name in values and values[name] & _stems(value) for name, value in fields):
            continue
        if dates:
            own = [
                *_dates(fold(path.rpartition("/")[2])),
                *(one for name, value in fields if _is_date(name) for one in _dates(fold(value))),
            ]
            match = next((one for one in own for when in dates if when.holds(one)), None)
            if match is None:
                continue
            said[slot] = match
        found[slot] = _BY_YEAR if dates and not values and all(when.month is None for when in dates) else _WANTED
    order = sorted(said, key=lambda slot: (said[slot].year, said[slot].month or 0, said[slot].day or 0))
    if order and _FIRST.search(folded):
        found[order[0]] += _WANTED
    elif order and _LAST.search(folded):
        found[order[-1]] += _WANTED
    return found


def _among(dates: Iterable[When], said: Iterable[When]) -> When | None:
    """The first of some dates that lies in one that is wanted."""
    return next((one for one in said for when in dates if when.holds(one)), None)


def _dates(folded: str, *, years: bool = False) -> list[When]:
    """The dates that stand in a folded text, each as exact as it is said; single years only where ``years`` asks for
    them and nothing more exact is there."""
    found: list[When] = []
    taken: list[Span] = []
    for pattern in _EXACT:
        for match in pattern.finditer(folded):
            span = Span(*match.span())
            when = When(
                int(match["year"]), _MONTHS.get(match["month"]) or int(match["month"]), int(match["day"] or 0) or None
            )
            if _possible(when) and not any(span.overlaps(other) for other in taken):
                taken.append(span)
                found.append(when)
    if years and not found:
        found += [When(int(match["year"])) for match in _YEAR.finditer(folded)]
    return found


def _possible(when: When) -> bool:
    try:
        date(when.year, when.month or 1, when.day or 1)
    except ValueError:
        return False
    return True


def _is_date(name: str) -> bool:
    return any(part in name for part in ("date", "created", "published", "posted", "updated", "lastmod"))


def _named(one: Field, asked: Iterable[str]) -> bool:
    return any(one.name.endswith(f".{name}") for name in asked)


def _stems(value: str) -> set[str]:
    return set(map(stem, words(value)))


def _parts(name: str) -> set[str]:
    """What a question says that names a field: the words of its name that tell it from others."""
    return {stem(word) for word in words(name) if word not in _PREFIXES}
