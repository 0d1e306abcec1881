"""Text positions in code points (spans, lines and columns), edits of a text, and where its sentences end.

Lines end at ``\n``, ``\r\n`` or a lone ``\r`` and nowhere else. ``str.splitlines`` also breaks at form feeds, U+2028
and others, which editors do not, so it is never used for positions (docs/explanation/architecture.md).

Sentences end by rules, local, in linear time. A sentence too long costs less than one cut in two, so doubtful full
stops end nothing: those of initials, of abbreviations before a name, and any before a small letter. Whether a place is
a boundary depends on the few characters around it only, so a search may begin anywhere.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

_LINE_END = regex(r"\r\n|\n|\r")
# Quotes, brackets, Markdown's marks, footnote numbers and tags may follow a full stop and belong to its sentence.
_CLOSERS = r"(?>(?:[\"'”’»)\]*_`]|\[\^?\w{1,8}\]|</?[a-zA-Z][^<>\r\n]{0,200}>)*)"
# Full stops of scripts that need no blank behind them.
_OWN = "。！？｡．।॥؟۔။።։"
_BREAK = regex(
    rf"[.!?…{_OWN}\r\n]"
    rf"(?:(?<=[.!?…])(?<![.!?…]{{2}})(?P<more>[.!?…]*+){_CLOSERS}(?P<gap>\s++)"
    rf"|(?<=[{_OWN}])[{_OWN}]*+[\"'”’»)\]」』】》〉）*_`]*+(?P<blanks>\s*+)"
    r"|(?:(?<=\r)\n|(?<=\n)|(?<=\r)(?!\n))[ \t]*+[\r\n]\s*+)"  # Python 3.11.2 errs with `(…)?+`
)
_BEFORE = regex(r"[^\s(\[{\"“‘«*_`]*\Z")
_LOOK_BACK = 24
_OPENERS = regex(r"(?:--|[–—])?[\s\"'“‘«(\[*_`¿¡]{0,6}")
_WORD = regex(r"[A-Za-z]+(?!\.)")
_ROMAN = regex(r"[IVXLC]+\b")
_NUMBERED = regex(r"(?:^|[\r\n])[ \t>]*(?:[-*+][ \t]+)?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\Z")
_NEVER_LAST = """
mr mrs ms mx dr prof st rev gen col sgt capt cpt lt cmdr adm gov sen rep hon pres messrs mme mlle e.g eg i.e ie viz vs
cf al approx ca resp incl excl esp z.b d.h bzw
"""
_BEFORE_FIGURES = """
no nos nr max min fig figs eq eqs sec secs sect ch chap vol vols pp p par para art tab pt app ver v op ed ff
"""
_DOUBTFUL = """
jr sr inc ltd co corp bros dept univ assn mt ft ave blvd rd jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed
thu fri sat sun est a.m p.m u.s u.k u.n ph.d m.d b.a m.a d.c
"""
_FIRST_WORDS = """
the it he she they we i you this that these those there in on at by as when while after before since during for from his
her its their our my a an and but however although if not no yes who what where why how most many some all each one two
both such another with to of then also later today
"""
_TITLES = frozenset(_NEVER_LAST.split())
_COUNTING = frozenset(_BEFORE_FIGURES.split())
_SOMETIMES_LAST = frozenset(_DOUBTFUL.split())
_STARTERS = frozenset(_FIRST_WORDS.split())


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open ``[start, end)`` in code points of one document's text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, handler: Callable[[object], Any]) -> Any:
        """On the wire a span is ``[start, end]``."""
        return handler(tuple[int, int])

    def __len__(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one code point."""
        return self.start < other.end and other.start < self.end

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place as a person reads it: line and column, both from 1, columns in code points."""

    line: int
    column: int

    def behind(self, first: Position) -> Position:
        """This position in a text, counted in the text whose position ``first`` that text begins at."""
        column = self.column + first.column - 1 if self.line == 1 else self.column
        return Position(self.line + first.line - 1, column)


@dataclass(frozen=True)
class SourceText:
    """A decoded text with its line starts, found once and kept."""

    text: str
    _starts: list[int] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def line_starts(self) -> list[int]:
        """Code point offsets of the first character of each line; never empty."""
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(match.end() for match in _LINE_END.finditer(self.text))
        return self._starts

    def position(self, offset: int) -> Position:
        """The position of a code point offset, clamped to the text."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.line_starts, offset) - 1
        return Position(line + 1, offset - self.line_starts[line] + 1)

    def offset(self, position: Position) -> int:
        """The code point offset of a position; lines and columns outside the text are clamped."""
        line = min(max(position.line, 1), len(self.line_starts)) - 1
        return min(self.line_starts[line] + max(position.column, 1) - 1, self._line_end(line))

    def _line_end(self, line: int) -> int:
        """Where the content of a line (from 0) ends, before its line break."""
        end = self.line_starts[line + 1] if line + 1 < len(self.line_starts) else len(self.text)
        while end > self.line_starts[line] and self.text[end - 1] in "\r\n":
            end -= 1
        return end


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a text: a span of it and how many code points stand there afterwards."""

    span: Span
    length: int

    def then(self, later: Edit) -> Edit | None:
        """This change and a later one as a single change; None unless the later one is all in what this one put in."""
        start = self.span.start
        if start <= later.span.start and later.span.end <= start + self.length:
            return Edit(self.span, self.length - len(later.span) + later.length)
        return None


@dataclass(frozen=True, slots=True)
class EditHistory:
    """What an editor did to a text since it showed it; ``sha256`` is that of the text's UTF-8 then."""

    sha256: str
    edits: tuple[Edit, ...]

    def followed(self, span: Span) -> Span | None:
        """Where a span of the text as it was stands now; None if a change touched it."""
        place: Span | None = span
        for edit in self.edits:
            place = None if place is None else shift(place, edit)
        return place


def difference(before: str, after: str) -> Edit:
    """The one change that makes a text another: all but what the two begin with and what they end with."""
    most = min(len(before), len(after))
    start = bisect_left(range(most), True, key=lambda at: before[: at + 1] != after[: at + 1])
    end = bisect_left(range(most - start), True, key=lambda at: before[-at - 1 :] != after[-at - 1 :])
    return Edit(Span(start, len(before) - end), len(after) - start - end)


def shift(span: Span, edit: Edit) -> Span | None:
    """Where a span stands after a change of its text; None when the change touched it.

    What is put in at its very start or end stands beside it.
    """
    if edit.span.end <= span.start:
        by = edit.length - len(edit.span)
        return Span(span.start + by, span.end + by)
    return span if edit.span.start >= span.end else None


def breaks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where sentences end inside ``[start, end)``, and where the next ones begin behind the blanks."""
    for match in _BREAK.finditer(text, start, end):
        at, after = match.span()
        if match["more"] is not None:
            if _ends(text, at, after, plain=text[at] == "." and not match["more"]):
                yield match.start("gap"), after
        elif match["blanks"] is None:
            yield at, after
        elif not (text[at] == "．" and text[after : after + 1].isdigit()):  # the point in a full-width figure
            yield match.start("blanks"), after


def sentences(text: str, span: Span) -> list[Span]:
    """The sentences of a stretch of prose, in order, apart, without the blanks around them; none is empty."""
    found: list[Span] = []
    at = span.start
    for stop, after in breaks(text, span.start, span.end):
        _keep(found, text, at, stop)
        at = after
    _keep(found, text, at, span.end)
    return found


def _keep(found: list[Span], text: str, start: int, end: int) -> None:
    trimmed = trim(text, Span(start, max(start, end)))
    if len(trimmed):
        found.append(trimmed)


def trim(text: str, span: Span) -> Span:
    """The span without the blanks at its ends; empty, at its end, if there is nothing else in it."""
    inner = text[span.start : span.end]
    start = span.end - len(inner.lstrip())
    return Span(start, start + len(inner.strip()))


def _ends(text: str, at: int, after: int, *, plain: bool) -> bool:
    """Whether punctuation at ``at`` ends a sentence; the text goes on at ``after``. ``plain``: it is one full stop."""
    opener = _OPENERS.match(text, after)
    begin = after if opener is None else opener.end()
    following = text[begin : begin + 1]
    if following.islower():
        return False
    if not plain:
        return True
    before = _BEFORE.search(text, max(0, at - _LOOK_BACK), at)
    token = "" if before is None else before.group().lower().lstrip("'’")
    if token in _TITLES:
        return False
    if token in _COUNTING:  # "No. 5", "Fig. 2", "Vol. IV"
        if following.isdigit() or following == "(" or _ROMAN.match(text, begin) is not None:
            return False
        if not _is_initial(token):  # "J. P. Morgan"
            return True
    if _NUMBERED.search(text, max(0, at - _LOOK_BACK), at) is not None:
        return False
    if token in _SOMETIMES_LAST or _is_initial(token):
        word = _WORD.match(text, begin)
        return word is not None and word.group().lower() in _STARTERS
    return True


def _is_initial(token: str) -> bool:
    """A single letter, or letters with full stops between them: "J", "u.s", "ph.d"."""
    return all(len(part) == 1 and part.isalpha() for part in token.split(".")) if token else False
