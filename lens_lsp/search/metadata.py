"""Metadata that a question asks for ("who wrote", "created when") or names ("tagged robotics", "of March 2024").

Fields are what documents say about themselves (`Head.fields`) and the dates in their names. They are read at query time
like everything else; a question that names no field, value or date costs nothing. A question *asks* for a field whose
value it does not know and *wants* one whose value it names: "who wrote" asks for authors, "what did Morrow write" wants
one where a document has an author Morrow. `dates` and `periods` read dates as people write them.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import field, replace
from datetime import date, timedelta
from itertools import pairwise

import numpy as np

from lens_lsp.corpus.descriptions import file_name
from lens_lsp.model.documents import Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, fold, key, stem, words
from lens_lsp.search.corpus_view import Corpus

_NAMES = tuple(map(str.lower, calendar.month_name[1:]))
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEARS = r"(?P<year>(?:19|20)\d{2})"
_EXACT = (
    regex(rf"\b{_DAY}(?: of)?[ -](?P<month>{_MONTH})\.?,?(?: of)?[ -](?P<year>\d{{4}})\b"),
    regex(rf"\b(?P<month>{_MONTH})\.?,? (?:{_DAY},? )?(?:of )?(?P<year>\d{{4}})\b"),
    regex(rf"(?<!\d){_YEARS}[- /](?P<month>{_MONTH})\b(?:[- /]{_DAY}\b)?"),
    regex(rf"(?<!\d){_YEARS}(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])?(?!\d)"),
    regex(rf"(?<!\d){_YEARS}[-_./](?P<month>0?[1-9]|1[0-2])(?:[-_./](?P<day>\d{{1,2}}))?(?!\d)"),
    # With strokes the month comes first unless it cannot; else the day does.
    regex(rf"(?<![\d/])(?P<month>0?[1-9]|1[0-2])/(?:(?P<day>\d{{1,2}})/)?{_YEARS}(?!\d)"),
    regex(rf"(?<!\d)(?P<day>\d{{1,2}})(?P<sign>[-./])(?P<month>0?[1-9]|1[0-2])(?P=sign){_YEARS}(?!\d)"),
)
_NOUNS = r"(?:meetings?|minutes|notes?|posts?|documents?|docs|files?|entry|entries|articles?|pages?|letters?|peps?)"
_YEAR = regex(
    r"\b(?:in|of|from|during|dated|since|after|before|until|till|between|and|to)(?: the)?(?: year)? "
    r"(?P<year>(?:19|20)\d{2})\b(?![-/.]\d)"
    rf"|\b{_NOUNS} (?P<behind>(?:19|20)\d{{2}})\b|\b(?P<ahead>(?:19|20)\d{{2}}) (?:\w+ )?{_NOUNS}\b"
)
_PART_OF_YEAR = regex(
    r"\b(?:(?P<season>spring|summer|autumn|fall|early|mid|late)|q(?P<quarter>[1-4])"
    r"|(?P<ordinal>first|second|third|fourth|last) (?P<size>quarter|half))[- ](?:of |in )?(?P<year>(?:19|20)\d{2})\b"
)
_SEASONS = {
    "spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "early": (1, 4), "mid": (5, 8),
    "late": (9, 12),
}  # fmt: skip
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_YEARLESS = regex(
    rf"\b{_DAY}(?: of)? (?P<month>{_MONTH})\b|\b(?P<first>{_MONTH})\.? (?P<behind>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|\b(?:in|of|from|during) (?P<whole>{'|'.join(_NAMES)})\b(?!\W*\d)"
)
_FIRST_YEAR, _LAST_YEAR = 1990, 2050
"""Years that a day without one may be of."""
_TO = r"(?:and|to|until|till|through|-)"
_RANGE = regex(r"\b(?:between|from) (?:the )?$")
_JOINED = regex(rf" *{_TO} (?:the )?(?:in |of )?")
_PART = regex(
    rf"\b(?:between|from) (?:the )?(?:{_DAY}(?: of)?)? ?(?P<month>{_MONTH})?\.?(?: (?P<behind>\d{{1,2}}))? "
    rf"{_TO} (?:the )?$"
)
_OPEN = regex(r"\b(?P<word>after|later than|since|before|earlier than|prior to|until|till)(?: the)? $")
_BEFORE = frozenset({"before", "earlier than", "prior to"})
_AFTER = frozenset({"after", "later than"})
_ASKED = 0.35
"""What metadata counts, in shares of the question, that hold a field which is asked for or wanted."""
_WANTED = 0.5
"""What a document counts that has the value or the date that is wanted."""
_OF_MANY = 0.15
"""What it counts where a date is all that is wanted and more than `_MANY` documents have it."""
_MANY = 40
_TITLED = 0.4
"""What a document counts whose title is all of the question that is not about metadata, where a field is asked for."""
_FEW = 3
"""Words besides those of documents and dates that may stand with a tag which is not called one: "rhizome notes"."""
_WIDEST = 5
"""Digits of a number that a file's name fills up with zeros: ``pep-0008``."""
_LEAST_TITLED = 0.4
"""Share of the question that a title must hold."""
_DOCUMENTS = (
    r"(?:meetings?|minutes|notes?|posts?|documents?|docs|files?|entry|entries|articles?|pages?|letters?|essays?"
    r"|sessions?|peps?|rfcs?|blog|drafts?|proposals?|mails?|e-mails?|emails?|messages?)"
)
_DOCUMENT = regex(rf"\b{_DOCUMENTS}\b")
_BEFORE_DOCUMENT = regex(rf"(?P<before>(?:[\w'-]+ ){{1,3}}){_DOCUMENTS}\b")
_BY = regex(rf"\b{_DOCUMENTS} (?:\w+ )?(?:by|from|to)\b|'s (?:\w+ )?{_DOCUMENTS}\b")
_AUTHORS = "author authors creator by from ms.author"
_VERSIONS = "python-version version target-version"
_TAGS = "tags tag keywords filetags categories category"
_DATES = "created date published posted post-history lastmod updated modified date_approved ms.date"
_WRITTEN = r"(?:creat|writ|wrote|publish|post|fil|dat|approv|updat|announc|draft|introduc|propos|submit|sent)"
# What somebody says who means a field by another word than its name, and the names of such fields.
_CUES = (
    (
        (
            r"\b(?:who (?:wrote|writes|has written|authored|proposed|suggested|created|came up with)"
            r"|who(?:'s| is| are| was| were) (?:the )?(?:authors?|writers?|creators?|behind|responsible)"
            r"|(?:writ(?:es?|ten)|authored|proposed|created) by|by whom|(?:co-?)?authors?\b|writers? of|creators? of"
            r"|did [\w .'-]{2,40} (?:write|author|propose))"
        ),
        _AUTHORS,
    ),
    (
        (
            rf"\b(?:when (?:was|were|did|is|has)\b.*\b{_WRITTEN}"
            rf"|(?:what|which) (?:day|month|year)\b.*\b(?:{_WRITTEN}|{_DOCUMENTS}\b)|how long ago|how old"
            r"|(?:what|which) date|dated|(?:creation|publication|publishing|posting|approval|document|its|the) dates?"
            r"|dates? (?:of|it)\b|dates?\s*:|(?:last|date) (?:updated|modified|approved|created|published))"
        ),
        _DATES,
    ),
    (
        (
            r"\b(?:other (?:names?|words?)|alias|also (?:known|called)|aka\b|a\.k\.a|synonyms?|goes by"
            r"|else\b.*\b(?:called|known|named)|by the name)"
        ),
        "aliases alias",
    ),
    (r"\b(?:tag(?:s|ged)?|labell?ed|categor\w+|classified|filed under|keywords?)\b|#\w", _TAGS),
    (r"\b(?:titled|entitled|with the title)\b", "title"),
    (r"\b(?:supersed|obsolet)", "superseded-by supersedes obsoletes obsoleted-by"),
    (r"\breplac", "superseded-by replaces obsoletes obsoleted-by"),
    (r"\bdepend", "requires depends dependencies"),
    (r"\b(?:status|state)\b", "status state"),
    (r"\bsponsor", "sponsor"),
    (r"\bdelegates?\b", "pep-delegate bdfl-delegate"),
    (r"\b(?:which|what) (?:\w+ )?(?:version|release)\b", _VERSIONS),
    (
        (
            r"\b(?:who (?:was|were) (?:present|there|at|on|in)|attend|participa|present on|took part|people (?:at|in)"
            r"|joined|(?:on|in) the (?:call|room))"
        ),
        "present attendees attendance participants",
    ),
)
_BEFORE_NOUNS = frozenset(f"{_TAGS} type topic kind".split())
"""Fields whose values stand before what they are of: "rhizome notes", "informational PEPs"."""
_DATE_NAMES = frozenset(_DATES.split())
_CUE_PATTERNS = tuple((regex(pattern), frozenset(names.split())) for pattern, names in _CUES)
_PEOPLE = frozenset(f"{_AUTHORS} to cc sponsor pep-delegate bdfl-delegate editor editors".split())
"""Fields that name people: by one of their names, too."""
_STATES = frozenset((
    "draft", "drafts", "rejected", "withdrawn", "accepted", "final", "superseded", "deferred", "active", "approved",
))  # fmt: skip
"""Values of a document's status that a question names by themselves."""
_STATE = frozenset({"status", "state"})
_DECIDED = regex(r"\b(?:accepted|rejected|approved) (?:in|on|during|after|before|since|between|by)\b")
_ACCEPTED = regex(r"\baccepted (?:in|on|during|after|before|since|between|by)\b")
_DECISIONS = frozenset({"resolution", "date_approved", "approved", "accepted", "decided"})
"""Fields that say when a status came about."""
_REVISED = regex(r"\b(?:updat|modif|chang|revis|review|edit)")
_DATED = ("date", "created", "published", "posted", "updated", "lastmod")
_REVISIONS = ("updated", "modified", "lastmod", "ms.date")
"""Parts of the names of fields that say when a document was last changed."""
_WHETHER = regex(r"(?:is|are|was|were|has|have|did|does)\b")
"""How a question begins that asks whether a document has a status."""
_GENERAL = frozenset((
    "title", "name", "description", "summary", "questions", "question", "order", "weight", "id", "slug", "layout",
    "locale", "draft", "image", "lang", "url", "link", "links", "text", "content", "key", "type", "kind", "version",
    "author", "authors", "date", "help", "source", "note", "notes", "comment", "comments",
))  # fmt: skip
"""Names of fields that are words of any question: they are asked for as "the type of", or in other words."""
_ABOUT = frozenset(map(stem, (
    "wrote", "write", "written", "authored", "author", "proposed", "creator", "created", "creation", "published",
    "publication", "posted", "date", "day", "month", "year", "approved", "updated", "modified", "filed", "announced",
    "drafted", "sent", "status", "state", "tag", "keyword", "label", "categorised", "alias", "else", "other", "called",
    "known", "name", "article", "note", "page", "document", "doc", "file", "entry", "pep", "blog", "essay", "letter",
    "meeting", "minutes", "session", "rfc", "proposal", "draft", "mail", "email", "message", "metadata", "collection",
    "folder", "workspace", "archive", "vault", "first", "earliest", "oldest", "last", "latest", "newest", "recent",
)))  # fmt: skip
"""Stems of words that speak of metadata and documents: what is left of a question says what it is about."""
_PREFIXES = frozenset({"pep", "bdfl", "ms", "og", "dc", "by", "to"})
_VERSION = regex(r"\b\d+\.\d")
_EXTREME = regex(
    r"\b(?:(?P<first>first|earliest|oldest)|last|latest|newest|most recent)\b"
    rf"(?=(?: (?!updated|modified)[\w-]+){{0,2}} {_DOCUMENTS}\b)"
)
_ADDRESS = regex(r"<[^<>]*>")
_ELEMENTS = regex(r"\s*[,;]\s*")


@dataclass(frozen=True, slots=True)
class Period:
    """The days from ``first`` to ``last``: one day, a month, a year or a range."""

    first: date
    last: date

    @classmethod
    def of(cls, year: int, month: int | None = None, day: int | None = None) -> Period:
        """A year, a month or a day. Raises ValueError where there is none."""
        if month is None:
            return cls(date(year, 1, 1), date(year, 12, 31))
        if day is None:
            return cls(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))
        return cls(date(year, month, day), date(year, month, day))

    @property
    def days(self) -> int:
        """How many days it has, less one."""
        return (self.last - self.first).days

    def holds(self, other: Period) -> bool:
        """Whether another lies in it."""
        return self.first <= other.first and other.last <= self.last


def dates(folded: str) -> list[Period]:
    """The dates that stand in a folded text, in order, each as exact as it is said; no single years."""
    return [period for period, _ in _exact(folded)]


def periods(folded: str, *, years: bool) -> list[tuple[Period, Span]]:
    """The dates that a question asks about and where they stand: those in its text, ranges as one; single years only
    where ``years`` asks for them and nothing more exact is there."""
    found = _exact(folded)
    if years and not found:
        found += [(_part_of_year(match), Span(*match.span())) for match in _PART_OF_YEAR.finditer(folded)]
    if years and not found:
        for match in _YEAR.finditer(folded):
            year = match.lastgroup or "year"
            found.append((Period.of(int(match[year])), Span(*match.span(year))))
    ranges = list(_ranges(folded, found))
    return ranges if ranges or not years else list(_yearless(folded))


def _part_of_year(match: re.Match[str]) -> Period:
    year = int(match["year"])
    first, last = 1, 12
    if match["season"]:
        first, last = _SEASONS[match["season"]]
    else:
        months = 6 if match["size"] == "half" else 3
        number = int(match["quarter"] or _ORDINALS.get(match["ordinal"], 12 // months))
        first, last = max(1, min(12, number * months) - months + 1), min(12, number * months)
    return Period(Period.of(year, first).first, Period.of(year, last).last)


def _yearless(folded: str) -> Iterator[tuple[Period, Span]]:
    """The same day or month of every year, where none is said."""
    for match in _YEARLESS.finditer(folded):
        month = _MONTHS[match["month"] or match["first"] or match["whole"]]
        day = match["day"] or match["behind"]
        for year in range(_FIRST_YEAR, _LAST_YEAR + 1):
            with suppress(ValueError):
                yield Period.of(year, month, int(day) if day else None), Span(*match.span())


def _exact(folded: str) -> list[tuple[Period, Span]]:
    found: list[tuple[Period, Span]] = []
    taken: list[Span] = []
    for pattern in _EXACT:
        for match in pattern.finditer(folded):
            span = Span(*match.span())
            if any(span.overlaps(other) for other in taken):
                continue
            period = _period(match)
            # A day that there is not is no date, and not the month around it.
            taken.append(span)
            if period is not None:
                found.append((period, span))
    return sorted(found, key=lambda one: one[1].start)


def _period(match: re.Match[str]) -> Period | None:
    month = _MONTHS.get(match["month"]) or int(match["month"])
    try:
        return Period.of(int(match["year"]), month, int(match["day"]) if match["day"] else None)
    except ValueError:
        return None


def _ranges(folded: str, found: list[tuple[Period, Span]]) -> Iterator[tuple[Period, Span]]:
    """The dates with those that a range begins and ends with as one."""
    at = 0
    while at < len(found):
        period, span = found[at]
        at += 1
        before = folded[: span.start]
        if at < len(found) and _RANGE.search(before) and _JOINED.fullmatch(folded, span.end, found[at][1].start):
            end, behind = found[at]
            at += 1
            if period.first <= end.last:
                period, span = Period(period.first, end.last), Span(span.start, behind.end)
        elif (part := _PART.search(before)) and (part["month"] or part["day"]):
            first = _beginning(part, period)
            if first is not None and first <= period.last:
                period, span = Period(first, period.last), Span(part.start(), span.end)
        elif word := _OPEN.search(before):
            period, span = _open(word["word"], period), Span(word.start(), span.end)
        yield period, span


def _beginning(part: re.Match[str], period: Period) -> date | None:
    """Where a range begins whose first date leaves out what its last one says."""
    month = _MONTHS[part["month"]] if part["month"] else period.first.month
    day = part["day"] or part["behind"]
    try:
        return date(period.first.year, month, int(day) if day else 1)
    except ValueError:
        return None


def _open(word: str, period: Period) -> Period:
    day = timedelta(days=1)
    if word in _BEFORE:
        return Period(date.min, max(date.min + day, period.first) - day)
    if word in _AFTER:
        return Period(min(period.last, date.max - day) + day, date.max)
    return Period(period.first, date.max) if word == "since" else Period(date.min, period.last)


@dataclass(frozen=True, slots=True)
class FieldQuery:
    """What a question asks or wants of metadata."""

    asked: frozenset[str] = frozenset()
    """Names of fields whose value is asked for."""
    slots: Mapping[int, float] = field(default_factory=dict)
    """Documents that have what is wanted or are called like what is asked about, and what they count for it."""
    said: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Of the documents that have what is wanted, the names of the fields that say so."""
    spent: frozenset[str] = frozenset()
    """Stems of what is wanted: they tell nothing more within a document that has it."""

    def within(self, first: int, last: int) -> FieldQuery:
        """The same for the slots from ``first`` on and before ``last``, numbered from 0."""
        return replace(
            self,
            slots={slot - first: value for slot, value in self.slots.items() if first <= slot < last},
            said={slot - first: names for slot, names in self.said.items() if first <= slot < last},
        )

    def proof(self, document: Document, slot: int, span: Span) -> float:
        """What a stretch of a document's metadata counts: it holds what is asked for, or says what is wanted."""
        said = self.said.get(slot, frozenset())
        proves = any(
            one.name in self.asked or one.name in said or any(one.name.endswith(f".{name}") for name in self.asked)
            for one in document.structure.fields
            if span.overlaps(one.span)
        )
        return _ASKED if proves else 0.0

    def proof_under(self, heading: str) -> float:
        """What a stretch counts that stands under a heading which is called like what is asked for."""
        return _ASKED if key(heading) in self.asked else 0.0


def field_query(question: str, corpus: Corpus) -> FieldQuery | None:
    """What a question asks of metadata; None when it asks nothing of it."""
    asked = _Question.of(question)
    own, sought = _by_name(asked, corpus.cache.field_names)
    states = _STATES.intersection(asked.words)
    if states and _WHETHER.match(asked.folded):
        sought |= _STATE | set(map(stem, states))
        states = frozenset()
    # "in 2021" alone is when something happened as often as when it was written.
    when = periods(asked.folded, years=asked.of_documents)
    spent = asked.speaking | {stem(word) for _, span in when for word in words(asked.folded[span.start : span.end])}
    rest = [word for word in asked.words if word not in STOP_WORDS and stem(word) not in spent | _ABOUT]
    cues = list(_cues(asked, own, states, few=len(rest) <= _FEW))
    extreme = _EXTREME.search(asked.folded)
    if not (cues or sought or when or extreme):
        return None
    wanted = tuple(dict.fromkeys(period for period, _ in when))
    decided = bool(states and _DECIDED.search(asked.folded))
    documents = _Documents(
        cues,
        sought | _DATE_NAMES,
        wanted,
        dated=bool(wanted or extreme),
        decided=decided,
        revised=_REVISED.search(asked.folded) is not None,
    )
    for slot, path, fields in corpus.cache.heads():
        documents.look(slot, path, fields)
    names = documents.asked() | sought
    if not (names or documents.held or when or extreme):
        return None
    rest = [word for word in rest if stem(word) not in documents.values]
    slots, said = documents.said()
    if names or documents.held:
        for slot, share in _titled(corpus, asked.words, rest).items():
            if not said or slot in said:
                slots[slot] = slots.get(slot, 0.0) + _TITLED * share
    if extreme:
        some = bool(wanted or documents.held)
        dated = {slot: when for slot, when in documents.dated.items() if slot in said or not some}
        outermost = _outermost(dated, corpus, rest, some=some, first=extreme["first"] is not None)
        if outermost is not None:
            slots[outermost] = slots.get(outermost, 0.0) + _WANTED
            said[outermost] = said.get(outermost, frozenset()) | dated[outermost][1]
    return FieldQuery(names, slots, said, frozenset(spent | documents.values))


def _cues(asked: _Question, own: frozenset[str], states: Set[str], *, few: bool) -> Iterator[_Cue]:
    """The fields that a question may mean; ``own`` are those that it names, and there are ``few`` words besides."""
    for pattern, names in _CUE_PATTERNS:
        if pattern.search(asked.folded):
            yield _Cue(names, asked.folded)
    if own:
        yield _Cue(own, asked.folded)
    if states:
        # What is final was accepted before.
        text = f"{asked.folded} final" if _ACCEPTED.search(asked.folded) else asked.folded
        yield _Cue(_STATE | set(map(stem, states)), text, asks=False)
    if asked.of_documents and few:
        yield _Cue(_BEFORE_NOUNS, asked.before_documents, behind="| ", asks=False)
    if asked.of_documents and _VERSION.search(asked.folded):
        yield _Cue(frozenset(_VERSIONS.split()), asked.folded, asks=False)
    if _BY.search(asked.folded):
        yield _Cue(_PEOPLE, asked.folded, asks=False)


@dataclass(frozen=True, slots=True)
class _Question:
    """The words of a question."""

    folded: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, question: str) -> _Question:
        folded = fold(question).strip()
        return cls(folded, tuple(words(folded)))

    @property
    def of_documents(self) -> bool:
        """Whether it speaks of documents."""
        return _DOCUMENT.search(self.folded) is not None

    @property
    def before_documents(self) -> str:
        """The words before each that means documents."""
        return " | ".join(match["before"] for match in _BEFORE_DOCUMENT.finditer(self.folded)) + " |"

    @property
    def speaking(self) -> set[str]:
        """Stems of the words that mean documents or the first or last of them."""
        found = [*_DOCUMENT.finditer(self.folded), *_EXTREME.finditer(self.folded)]
        return {stem(word) for match in found for word in words(match.group())}


class _Cue:
    """Fields that a question may mean, and the words of it among which their values are looked up."""

    def __init__(self, names: Set[str], text: str, *, behind: str = "", asks: bool = True) -> None:
        self.names = names
        self.asks = asks
        """Whether the fields are asked for where no document has a value which the question names."""
        self._behind = behind
        found = text.split(" ") if behind else words(text)
        self._words = frozenset(found) - STOP_WORDS
        self._text = f" {' '.join(map(stem, found))} "
        self._pairs = frozenset(one + other for one, other in pairwise(found))
        """Words that follow each other, written as one."""

    def named(self, name: str, value: str) -> set[str]:
        """The words of a value that the question names: elements of a list, of people the first or the last name."""
        named: set[str] = set()
        if value.lower() == "true":
            return {name}
        for element in _ELEMENTS.split(_ADDRESS.sub("", value)):
            found = words(element)
            if all(word in STOP_WORDS for word in found):
                continue
            if f" {' '.join(map(stem, found))} {self._behind}" in self._text or (
                len(found) == 1 and found[0] in self._pairs
            ):
                named.update(found)
            elif name in _PEOPLE:
                named.update(word for word in (found[0], found[-1]) if word in self._words and not word.isdigit())
        return named


class _Documents:
    """Which documents have what a question wants, and what it asks for as no document has it."""

    def __init__(
        self,
        cues: Sequence[_Cue],
        sought: Set[str],
        wanted: Sequence[Period],
        *,
        dated: bool,
        decided: bool,
        revised: bool,
    ) -> None:
        self._cues, self._sought, self._wanted, self._dated, self._decided = cues, sought, wanted, dated, decided
        self._revised = revised
        self._rows: list[tuple[int, set[str], dict[int, tuple[set[str], set[str]]]]] = []
        self._most: dict[int, int] = {}
        """How many words of the question a document's value holds at most, by the number of the cue."""
        self.dated: dict[int, tuple[Period, frozenset[str]]] = {}
        """The date of each document that has one, and the fields that say it."""
        self.values: set[str] = set()
        """Stems of the values that are wanted."""

    def look(self, slot: int, path: str, fields: Sequence[tuple[str, str]]) -> None:
        """Note what a document says about itself."""
        said: set[str] = set()
        if self._dated:
            own = [("", one) for one in dates(fold(file_name(path)))]
            own += [(name, one) for name, value in fields if self._is_date(name) for one in dates(fold(value))]
            if self._decided:
                own = [(name, one) for name, value in fields if name in _DECISIONS for one in dates(fold(value))] or own
            if own:
                self.dated[slot] = own[0][1], frozenset(name for name, one in own if one == own[0][1])
            said = {name for name, one in own if any(period.holds(one) for period in self._wanted)}
        held: dict[int, tuple[set[str], set[str]]] = {}
        for number, cue in enumerate(self._cues):
            for name, value in fields:
                if name in cue.names and name not in self._sought and (found := cue.named(name, value)):
                    names, values = held.setdefault(number, (set(), set()))
                    names.add(name)
                    values |= found
        for number, (_, values) in held.items():
            self._most[number] = max(self._most.get(number, 0), len(values))
            self.values.update(map(stem, values))
        if said or (held and not self._wanted):
            self._rows.append((slot, said, held))

    def _is_date(self, name: str) -> bool:
        """Whether a field says when a document is from; when it was last changed only if that is asked for."""
        dated = any(part in name for part in _DATED)
        return dated and (self._revised or not any(part in name for part in _REVISIONS))

    @property
    def held(self) -> bool:
        """Whether any document has a value which the question names."""
        return bool(self._most)

    def said(self) -> tuple[dict[int, float], dict[int, frozenset[str]]]:
        """The documents that have all that is wanted: what they count for it, and which of their fields say so."""
        rows = [row for row in self._rows if self._most.keys() <= row[2].keys()]
        counts = _OF_MANY if not self._most and len(rows) > _MANY else _WANTED
        slots, names = {}, {}
        for slot, said, held in rows:
            shares = [len(values) / self._most[number] for number, (_, values) in held.items()]
            slots[slot] = counts * min(shares, default=1.0)
            names[slot] = frozenset(said.union(*(own for own, _ in held.values())))
        return slots, names

    def asked(self) -> frozenset[str]:
        """The fields whose values the question does not name."""
        asked = [cue.names for number, cue in enumerate(self._cues) if cue.asks and number not in self._most]
        return frozenset().union(*asked)


def _by_name(question: _Question, names: Set[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The fields that a question names by their own names ("python version", "sponsor"), and those whose value it asks
    for ("the type of", "description: …")."""
    found, sought = set(), set()
    said = frozenset(map(stem, question.words))
    for name in names:
        own = words(name)
        telling = {stem(word) for word in own if word not in _PREFIXES}
        if not telling or not telling <= said:
            continue
        written = r"\W+".join(map(re.escape, own))
        if re.search(rf"\b(?:the|what|which|whose) {written} (?:of|is)\b|^{written}\b(?:\s*:| of\b)", question.folded):
            sought.add(name)
        elif name not in _GENERAL:
            found.add(name)
    return frozenset(found), frozenset(sought)


def _titled(corpus: Corpus, asked: Sequence[str], rest: Iterable[str]) -> dict[int, float]:
    """Documents whose names stand in a question whole, or are alike to the rest of it, from 0 to 1."""
    titles = corpus.cache.titles
    found: dict[int, float] = {}
    for slots, held, share in titles.alike(rest, _LEAST_TITLED):
        for slot in slots:
            found[slot] = max(found.get(slot, 0.0), held * share)
    for _, length, slots in titles.named_in(asked, [True] * len(asked)):
        if length > 1:
            found |= dict.fromkeys(slots, 1.0)
    for kind, number in pairwise(asked):
        if number.isdigit() and not kind.isdigit():
            for width in range(len(number) + 1, _WIDEST + 1):
                found |= dict.fromkeys(titles.slots(f"{kind} {number.zfill(width)}"), 1.0)
    return found


def _outermost(
    dated: Mapping[int, tuple[Period, frozenset[str]]], corpus: Corpus, rest: Iterable[str], *, some: bool, first: bool
) -> int | None:
    """The first or last of those documents that are called like the rest of the question; of ``some`` documents, which
    have what is wanted, also where none is."""
    wanted = set(map(stem, rest))
    days = {slot: when.first for slot, (when, _) in dated.items()}
    chosen = {
        slot: day
        for slot, day in days.items()
        if wanted <= {stem(word) for name in corpus.cache.titles.keys(slot) for word in words(name)}
    }
    chosen = chosen or (days if some else {})
    if not chosen:
        return None
    by_name = corpus.named(np.array(list(chosen), np.int64)).tolist()
    return int((min if first else max)(by_name, key=lambda slot: chosen[slot]))
