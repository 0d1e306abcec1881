"""Where sentences end: by rules, local, in linear time.

A sentence too long costs less than one cut in two, so doubtful full stops end nothing: those of initials, of
abbreviations before a name, and any before a small letter. Whether a place is a boundary depends on the few characters
around it only, so a search may begin anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_lsp.model.text import Span

# Quotes, brackets, Markdown's marks, footnote numbers and tags may follow a full stop and belong to its sentence.
_CLOSERS = r"(?>(?:[\"'”’»)\]*_`]|\[\^?\w{1,8}\]|</?[a-zA-Z][^<>\r\n]{0,200}>)*)"
# Full stops of scripts that need no blank behind them.
_OWN = "。！？｡．।॥؟۔။።։"
_BREAK = re.compile(
    rf"[.!?…{_OWN}\r\n]"
    rf"(?:(?<=[.!?…])(?<![.!?…]{{2}})(?P<more>[.!?…]*+){_CLOSERS}(?P<gap>\s++)"
    rf"|(?<=[{_OWN}])[{_OWN}]*+[\"'”’»)\]」』】》〉）*_`]*+(?P<blanks>\s*+)"
    r"|(?:(?<=\r)\n|(?<=\n)|(?<=\r)(?!\n))[ \t]*+[\r\n]\s*+)"  # Python 3.11.2 errs with `(…)?+`
)
_BEFORE = re.compile(r"[^\s(\[{\"“‘«*_`]*\Z")
_LOOK_BACK = 24
_OPENERS = re.compile(r"(?:--|[–—])?[\s\"'“‘«(\[*_`¿¡]{0,6}")
_WORD = re.compile(r"[A-Za-z]+(?!\.)")
_ROMAN = re.compile(r"[IVXLC]+\b")
_NUMBERED = re.compile(r"(?:^|[\r\n])[ \t>]*(?:[-*+][ \t]+)?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\Z")

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
