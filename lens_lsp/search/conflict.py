"""Conflicts: passages that state different values of one thing, be these numbers, dates, times or names.

Two values differ only where they cannot both be right. Two passages speak of one thing where they hold the same names
and numbers of what is asked for, in their words or above them. What speaks of another time, or names one of several, is
no conflict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from lens_lsp.arithmetic.reading import find_values, first_value
from lens_lsp.arithmetic.values import Kind, Value, same
from lens_lsp.corpus.descriptions import file_name
from lens_lsp.judge.proper_names import names
from lens_lsp.judge.read import ReadReply
from lens_lsp.judge.tokens import Token, aligned, tokens_of
from lens_lsp.model.documents import Document
from lens_lsp.model.observation import Verdict
from lens_lsp.model.sentences import sentences
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, content, fold, key, stands_in, words
from lens_lsp.search.dates import dates
from lens_lsp.search.draw import Proposal
from lens_lsp.search.outline import heading_path
from lens_lsp.search.rounds import Quote

_COMPARED = frozenset({Kind.NUMBER, Kind.DATE, Kind.DURATION, Kind.TIME})
_DATED = ("date", "created", "published", "posted", "updated", "lastmod", "modified")
_ANOTHER_TIME = re.compile(
    r"\b(?:former(?:ly)?|previous(?:ly)?|original(?:ly)?|initial(?:ly)?|earlier|until|till|used to|no longer|renamed"
    r"|replaced|superseded|obsolete|since then|back then|at first)\b"
)
_ONE_OF_SEVERAL = re.compile(
    r"\bco-|\b(?:one of|among|also|another|including|such as|together with|along with|both|as well as)\b"
)
_NAME = re.compile(r"[^\W\d_a-z]|.*[0-9]")
_MOST_WORDS = 6
_MOST_LEFT = 1
"""Content words beside its value that one of two sentences may have and the other not."""
_LEAST_SHARED = 2


@dataclass(frozen=True, slots=True)
class Statement:
    """A passage and the value that it states; ``above`` is what stands over it: title, headings, path."""

    text: str
    value: str
    above: str


def different(one: str, other: str) -> bool:
    """Whether two values cannot both be right: amounts, dates or times that differ, or names without a word in common
    of which neither abbreviates the other."""
    first, second = _typed(one), _typed(other)
    if first is not None and second is not None:
        return same(first, second) is False
    if first is not None or second is not None or not (_is_name(one) and _is_name(other)):
        return False
    mine, theirs = content(one), content(other)
    return (
        bool(mine and theirs)
        and mine.isdisjoint(theirs)
        and not {_initials(one), _initials(other)}
        & {
            key(one).replace(" ", ""),
            key(other).replace(" ", ""),
        }
    )


def contradict(asked: str, one: Statement, other: Statement) -> bool:
    """Whether two passages state different values of the one thing that is ``asked`` for."""
    if not different(one.value, other.value) or stands_in(one.value, other.text) or stands_in(other.value, one.text):
        return False
    if any(_ANOTHER_TIME.search(fold(each.text)) for each in (one, other)):
        return False
    if _typed(one.value) is None and any(_is_one_of_several(each) for each in (one, other)):
        return False
    telling = content(*(name.text for name in names(asked)))
    telling |= {word for word in words(asked) if any(map(str.isdigit, word))}
    mine, theirs = (telling & content(each.text, each.above) for each in (one, other))
    return mine == theirs


def counterparts(asked: str, one: Statement, text: str, above: str) -> Iterator[tuple[Span, str]]:
    """Sentences of a text that say what a statement says, of the same thing, with another value: their spans, and
    these values."""
    place = next((s for s in _said(one.text, one.above) if stands_in(one.value, one.text[s.start : s.end])), None)
    if place is None:
        return
    own = one.text[place.start : place.end]
    for span in _said(text, above):
        said = text[span.start : span.end]
        value = _counterpart(own, one.value, said) or _in_frame(own, one.value, said)
        if value is not None and contradict(asked, Statement(own, one.value, one.above), Statement(said, value, above)):
            yield span, value


def rivals(asked: str, reply: ReadReply, said: Mapping[int, Quote], read: Sequence[Proposal]) -> list[Quote]:
    """Places among the regions that were ``read`` which give another value for what is ``asked`` than the short answer
    of a reply, behind the quote that gives this one; none where there is no other. A list has many values, and what is
    computed is none of a passage."""
    short = reply.short or ""
    if not key(short) or reply.items or reply.computation is not None:
        return []
    given = next((quote for quote in said.values() if stands_in(short, quote.text)), None)
    if given is None:
        return []
    place = given.proposal.admission
    own = Statement(given.text, short, above(place.document, given.span.start))
    found = [replace(given, value=short)]
    for item in read:
        document, start = item.admission.document, item.span.start
        text = document.text[start : item.span.end]
        for span, value in counterparts(asked, own, text, above(document, start)):
            stands = Span(start + span.start, start + span.end)
            if all(different(value, one.value or "") for one in found):
                cells = item.admission.touched(stands, item.cells)
                found.append(Quote(0, Verdict.FULL, item, stands, cells, "exact", value, given.round))
    return found if len(found) > 1 else []


def above(document: Document, at: int) -> str:
    """What stands over a place of a document: its title, the headings, the name of its file."""
    head = document.structure.head
    return "\n".join((head.title or "", *head.aliases, *heading_path(document, at), file_name(document.path)))


def day_of(document: Document, at: int) -> date | None:
    """Of which day a place of a document is: by the headings over it, by the file's name, else by the latest date of
    its metadata. When the file was changed says nothing."""
    for written in (*reversed(heading_path(document, at)), file_name(document.path)):
        found = dates(fold(written))
        if found:
            return found[0].first
    fields = [value for name, value in document.structure.head.fields if any(part in name for part in _DATED)]
    return max((period.first for value in fields for period in dates(fold(value))), default=None)


def newest(days: Sequence[date | None]) -> int | None:
    """Which of some sides is newer than all others; None where that is not known of each."""
    known = [day for day in days if day is not None]
    if len(known) < len(days) or not known or known.count(max(known)) > 1:
        return None
    return days.index(max(known))


def _said(text: str, above: str) -> list[Span]:
    """The sentences of a text but for those that stand above it as well: a title says nothing of anything."""
    titles = {key(line) for line in above.splitlines()}
    return [span for span in sentences(text, Span(0, len(text))) if key(text[span.start : span.end]) not in titles]


def _typed(text: str) -> Value | None:
    found = first_value(text)
    return found if found is not None and found.kind in _COMPARED else None


def _counterpart(own: str, value: str, said: str) -> str | None:
    """What stands in a sentence where another one has its value, if both say the same but for that."""
    mine, theirs = tokens_of(own), tokens_of(said)
    wanted = set(words(fold(value)))
    pairs = aligned(mine, theirs)
    met = {place for at, places in pairs.items() if mine[at].word not in wanted for place in places}
    left = [token for at, token in enumerate(mine) if token.content and at not in pairs and token.word not in wanted]
    candidate = _amount(said, value) if _typed(value) is not None else _name(theirs, met, said)
    if candidate is None:
        return None
    span, written = candidate
    left += [
        token
        for place, token in enumerate(theirs)
        if token.content and place not in met and not span.contains(token.span)
    ]
    shared = sum(mine[at].word not in wanted for at in pairs)
    named = any(_NAME.match(token.text) for token in left)
    return written if shared >= _LEAST_SHARED and len(left) <= 2 * _MOST_LEFT and not named else None


def _in_frame(own: str, value: str, said: str) -> str | None:
    """The same where no words can be told apart: an amount, a date or a time with the same text around it."""
    if _typed(value) is None:
        return None
    mine, theirs = _amount(own, value), _amount(said, value)
    if mine is None or theirs is None:
        return None
    around, other = (key(f"{text[: at.start]} {text[at.end :]}") for text, (at, _) in ((own, mine), (said, theirs)))
    return theirs[1] if around == other and len(content(around)) >= 2 * _LEAST_SHARED else None


def _amount(said: str, value: str) -> tuple[Span, str] | None:
    """The only value of a sentence that compares with another one."""
    wanted = _typed(value)
    assert wanted is not None
    found = [one for one in find_values(said) if one.span is not None and same(wanted, one) is not None]
    if len(found) != 1 or found[0].span is None:
        return None
    return found[0].span, said[found[0].span.start : found[0].span.end]


def _name(tokens: Sequence[Token], met: set[int], said: str) -> tuple[Span, str] | None:
    """The only name of a sentence among what the other one does not say."""
    runs: list[list[Token]] = []
    for place, token in enumerate(tokens):
        if place in met or not _NAME.match(token.text) or not token.content:
            continue
        joined = bool(runs) and said[runs[-1][-1].span.end : token.span.start].strip() in ("", ".")
        if joined:
            runs[-1].append(token)
        else:
            runs.append([token])
    if len(runs) != 1 or len(runs[0]) > _MOST_WORDS:
        return None
    span = Span(runs[0][0].span.start, runs[0][-1].span.end)
    return span, said[span.start : span.end]


def _is_name(text: str) -> bool:
    """Whether all words but small ones have a capital or a digit: scripts without capitals do not tell names."""
    parts = [part.lstrip("\"'“‘([*_`") for part in text.split() if key(part) not in STOP_WORDS]
    return 0 < len(parts) <= _MOST_WORDS and all(part[:1].isupper() or any(map(str.isdigit, part)) for part in parts)


def _is_one_of_several(statement: Statement) -> bool:
    """Whether a sentence names others beside its value."""
    text = statement.text
    if _ONE_OF_SEVERAL.search(fold(text)):
        return True
    at = text.lower().find(statement.value.lower())
    before, after = text[:at].rstrip(), text[at + len(statement.value) :].lstrip()
    return at >= 0 and (before.endswith((" and", " or", " &", ",")) or after.startswith(("and ", "or ", "& ")))


def _initials(text: str) -> str:
    return "".join(part[0] for part in fold(text).split() if part not in STOP_WORDS)
