"""Citations: recorded with a quote, and found again by it or through an editor's changes (engine design, section 7).

A citation is found again only where nothing else can be meant: at its span, or where an editor that told every change
since has it, or at the one place that has its quote, or at the one place that has the quote and what was recorded
beside it. Nothing is ever matched by likeness: whoever finds the best of several places, or a near miss, shows as proof
what may be none. The one exception is how prose is filled: where lines break, and in Markdown how many blanks stand
between two words. Words are never joined or parted, and code, data and tables have to stand as they stood. What is ours
(``Structure.ours``) proves nothing and stands for nothing: an answer that is inserted into its own source repeats every
quote of it.

Every step is a search for one text in another, so the time is linear in the source, whatever stands in it.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.extraction import recognised
from lens_lsp.corpus.safe_open import Key
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import Document, Evidence, Locator
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import EditHistory, Span

SHORTEST_CONTEXT, LONGEST_CONTEXT = 16, 512
"""Code points beside a quote."""
_GONE = "the file is gone"
_NOTHING = "\0"
JOINED = "\u2e80-\u30ff\u31c0-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
"""Characters between which a line breaks without a blank: ideographs and kana."""
_REST = r"[^\S\r\n]*+[\r\n](?:\s|>(?=[\s>]))*+"
"""The blanks around a line break, with the marks of quotations in front of the next line."""
_FILLED = regex(rf"(?P<none>(?<=[{JOINED}]){_REST}(?=[{JOINED}]))|{_REST}|[^\S\r\n]++")
_LAID_OUT = regex(r"(?:\r\n|\r|\n)[^\S\r\n]++(?=\S)|(?<=\S)(?:[^\S\r\n]{2,}+|\t)(?=\S)")
"""What gives words a place in a plain text: indented lines, and columns."""
_FENCED = regex(r"(?m)^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:`{3}|~{3})")
_PLAIN = frozenset({"plain", "text"})
_LONG = 512
"""Code points from which a filled text is kept: longer than most quotes, shorter than most documents."""
_TWO = 2
Form = Callable[[str], str]
"""What of two texts is compared."""
_EDITED = "the file is as it was and does not say this there: the citation was changed"
_BROKEN = "its quote and its span do not fit: the citation was changed"
_NO_QUOTE = "the quote is no longer in the file"
_TWICE = "the quote stands in the file more than once now"
_UNKNOWN = "the file changed, and the quote was never the only one of its kind in it"
_BESIDE = "what stood beside the quote changed, and by itself it may be another one"
_BOTH = "the quote and what stood beside it are in the file more than once now"
_LINE_ENDS = "the line ends inside the quote changed"
_MOVED = "the quote stands elsewhere in the file now"
_RENAMED = "the file has another name now"
_READER = "the reader that extracted the text has another version now"


def record(
    document: Document,
    span: Span,
    *,
    root: str,
    match: str = "exact",
    heading: tuple[str, ...] = (),
    locator: Locator | None = None,
) -> Citation:
    """The citation of a span of a document. ``root`` is the folder that the document's path is relative to.

    Raises ValueError for an empty span or one that reaches out of the text.
    """
    if not len(span) or span.end > len(document.text):
        raise ValueError(f"nothing to cite at [{span.start}, {span.end})")
    text = without_ours(document)
    left, right = _contexts(document, text, span)
    return Citation(
        root=root,
        path=document.path,
        source=document.origin.source,
        sha256=document.origin.sha256,
        encoding=document.origin.encoding,
        reader=document.reader,
        span=span,
        quote=document.text[span.start : span.end],
        match=match,
        left=left,
        right=right,
        heading=heading,
        locator=locator,
        count=_even(text).count(_even(text[span.start : span.end])),
    )


def record_blind(evidence: Evidence, *, root: str) -> Citation:
    """The citation of evidence whose document cannot be had any more: it holds while the hash does, and no longer."""
    return Citation(
        root=root,
        path=evidence.path,
        source=evidence.origin.source,
        sha256=evidence.origin.sha256,
        encoding=evidence.origin.encoding,
        reader=evidence.reader,
        span=evidence.span,
        quote=evidence.quote,
        match=evidence.match,
        left=None,
        right=None,
        heading=evidence.heading,
        locator=evidence.locator,
    )


def verify(
    citation: Citation, now: Document, *, extracted: bool = False, history: EditHistory | None = None
) -> Checked:
    """What became of a citation in its document as it is now.

    ``extracted`` says that the document's text is not that of the file but made by its reader; ``history`` is what the
    editor did to the text, where it is open.
    """
    if extracted and citation.reader != now.reader:
        return Checked(citation, CitationState.UNVERIFIABLE, why=_READER)
    same = citation.sha256 == now.origin.sha256
    if not citation.quote or len(citation.quote) != len(citation.span):
        return Checked(citation, CitationState.WITHDRAWN, why=_BROKEN)
    text = without_ours(now)
    found: Span | str | None = None
    if history is not None and not same and not extracted:
        found = _followed(citation, text, history)
    if found is None:
        if text.startswith(citation.quote, citation.span.start) and (same or _known_there(citation, text)):
            found = citation.span
        else:
            found = _EDITED if same else _found(citation, text)
            if isinstance(found, str) and not same:
                again = _found(citation, text, filled)
                found = again if isinstance(again, Span) and fills(citation.quote, now, again) else found
    if isinstance(found, str) and recognised(citation.reader):
        found = _unspaced(citation.quote, text) or found
    if isinstance(found, str):
        return Checked(citation, CitationState.WITHDRAWN, why=found)
    if found == citation.span:
        return Checked(citation, CitationState.VERIFIED, found, now.origin.sha256)
    return Checked(citation, CitationState.MOVED, found, now.origin.sha256, _MOVED)


def follow(citation: Citation, now: Document, *, extracted: bool = False) -> Checked:
    """What became of a citation whose file is gone; ``now`` is the only file of its root with the recorded hash."""
    found = verify(citation, now, extracted=extracted)
    if found.state is not CitationState.VERIFIED:
        return replace(found, gone=True)
    return replace(found, state=CitationState.MOVED, why=_RENAMED, path=now.path, gone=True)


def lost(citation: Citation, holders: int = 0) -> Checked:
    """A citation whose file is gone, when not exactly one file of its root has the recorded hash but ``holders``."""
    why = f"{_GONE}, and {holders} other files hold the same" if holders else _GONE
    return Checked(citation, CitationState.WITHDRAWN, why=why, gone=True)


def _contexts(document: Document, text: str, span: Span) -> tuple[str | None, str | None]:
    """The shortest texts beside a span that make its place unique, however lines are filled; both empty when it is by
    itself."""
    even, words = _even(text), filled(text)

    def alone(start: int, end: int) -> bool:
        part = text[start:end]
        return _alone(even, _even(part)) and len(two_places(words, filled(part))) < _TWO

    if len(span) >= SHORTEST_CONTEXT and alone(span.start, span.end):
        return "", ""

    def behind(count: int) -> bool:
        return alone(span.start - count, span.end)

    def ahead(count: int) -> bool:
        return alone(span.start, span.end + count)

    room = _room(document, span)
    left = _shortest(span.start - room.start, behind)
    right = _shortest(room.end - span.end, ahead)
    return (
        None if left is None else text[span.start - left : span.start],
        None if right is None else text[span.end : span.end + right],
    )


def _room(document: Document, span: Span) -> Span:
    """The stretch around a span in which nothing is ours."""
    ours = document.structure.ours
    return Span(
        max((own.end for own in ours if own.end <= span.start), default=0),
        min((own.start for own in ours if own.start >= span.end), default=len(document.text)),
    )


def without_ours(document: Document) -> str:
    """The text with a character that no quote holds in place of every one that is ours."""
    parts: list[str] = []
    at = 0
    for own in document.structure.ours:
        parts += document.text[at : own.start], _NOTHING * len(own)
        at = own.end
    return "".join([*parts, document.text[at:]]) if parts else document.text


def _shortest(room: int, unique: Callable[[int], bool]) -> int | None:
    """The smallest length of context that is unique; longer ones are too."""
    lengths = range(SHORTEST_CONTEXT, min(room, LONGEST_CONTEXT) + 1)
    at = bisect_left(lengths, True, key=unique)
    return lengths[at] if at < len(lengths) else None


def _by_itself(citation: Citation) -> bool:
    return citation.left == "" and citation.right == ""


def _known_there(citation: Citation, text: str) -> bool:
    """Whether nothing but the cited place can be meant by the quote that stands at its span."""
    if _by_itself(citation):
        return True
    if citation.left and text.endswith(citation.left, 0, citation.span.start):
        return True
    return citation.right is not None and citation.right != "" and text.startswith(citation.right, citation.span.end)


def _followed(citation: Citation, text: str, history: EditHistory) -> Span | None:
    """Where the very words that were cited are, by the editor's account; None where it does not reach that far back or
    they were touched: what was put back since is found by its words."""
    if history.sha256 != citation.sha256:
        return None
    place = history.followed(citation.span)
    return place if place is not None and text.startswith(citation.quote, place.start) else None


def _found(citation: Citation, text: str, form: Form | None = None) -> Span | str:
    """The one place that has the quote as it was recorded, or why there is none; compared in a ``form``."""
    form = form or _even
    even, quote = form(text), form(citation.quote)
    if not quote or (
        form is filled and not (_whole(citation.left) and _whole(citation.quote) and _whole(citation.right))
    ):
        return _NO_QUOTE
    if _by_itself(citation):
        places = set(two_places(even, quote))
    else:
        places = set()
        if citation.left:
            needle = form(citation.left + citation.quote)
            places.update(at + len(needle) - len(quote) for at in two_places(even, needle))
        if citation.right:
            places.update(two_places(even, form(citation.quote + citation.right)))
    if len(places) != 1:
        return _why_not(citation, len(places), known=quote in even)
    place = places.pop()
    if _one_of_fewer(citation, even, place, form):
        return _BESIDE
    if form is filled:
        return unfilled(text, place, len(quote))
    start = _uneven(text, place)
    if not text.startswith(citation.quote, start):
        return _LINE_ENDS
    return Span(start, start + len(citation.quote))


def _whole(part: str | None) -> bool:
    """Whether no mark of a quotation stands at an end of a text, where it may be another sign as well."""
    return not part or not (part.strip().startswith(">") or part.strip().endswith(">"))


def filled(text: str) -> str:
    """A text with one blank for all white space between two words, and none where a line breaks between ideographs;
    without the marks of quotations behind its line breaks."""
    return _lines_filled(text) if len(text) > _LONG else _FILLED.sub(_blank, text).strip(" ")


@lru_cache(maxsize=2)
def _lines_filled(text: str) -> str:
    return _FILLED.sub(_blank, text).strip(" ")


def _blank(found: re.Match[str]) -> str:
    return "" if found["none"] is not None else " "


def unfilled(text: str, place: int, size: int) -> Span:
    """The stretch of a text that is a stretch of its filled form."""
    kept = _kept(text)
    return Span(int(kept[place]), int(kept[place + size - 1]) + 1)


@lru_cache(maxsize=2)
def _kept(text: str) -> NDArray[np.int64]:
    """Where each character of a filled text stands."""
    stays = np.ones(len(text), np.bool_)
    for blank in _FILLED.finditer(text):
        at_an_end = blank.start() == 0 or blank.end() == len(text)
        stays[blank.start() + (blank["none"] is None and not at_an_end) : blank.end()] = False
    return np.flatnonzero(stays)


def fills(quote: str, document: Document, span: Span) -> bool:
    """Whether a stretch with the words of a quote says what the quote says: they are equal but for line ends, or both
    are prose: no code or data, and nothing in a plain text that has columns or indented lines."""
    text, name = document.text, document.reader.partition("/")[0]
    if _even(text[span.start : span.end]) == _even(quote):
        return True
    if name == "markdown":
        before = sum(1 for _ in _FENCED.finditer(text, 0, span.start))
        return before % 2 == 0 and _FENCED.search(text, span.start, span.end) is None
    laid_out = _LAID_OUT.search(quote) or _LAID_OUT.search(text, span.start, span.end)
    return name in _PLAIN and not laid_out


def _unspaced(quote: str, text: str) -> Span | None:
    """The one place that has the quote but for blanks, which OCR sees or overlooks from one scan to the next."""
    at = [index for index, character in enumerate(text) if not character.isspace()]
    places = two_places("".join(text.split()), wanted := "".join(quote.split()))
    if len(places) != 1 or not wanted:
        return None
    return Span(at[places[0]], at[places[0] + len(wanted) - 1] + 1)


def _one_of_fewer(citation: Citation, even: str, place: int, form: Form) -> bool:
    """Whether a quote that was found by one side may be another one: fewer or more of its kind are there now.

    When an entry of a list is deleted, the one before it gets its right side.
    """
    if _by_itself(citation) or even.count(form(citation.quote)) == citation.count:
        return False
    if citation.left is None or citation.right is None:  # one side alone is what was found, and no second one is known
        return True
    behind = place + len(form(citation.quote))
    left, right = form(citation.left + citation.quote), form(citation.quote + citation.right)
    return not (even.endswith(left, 0, behind) and even.startswith(right, place))


def _why_not(citation: Citation, places: int, *, known: bool) -> str:
    if not known:
        return _NO_QUOTE
    if _by_itself(citation):
        return _TWICE
    if places:
        return _BOTH
    return _BESIDE if citation.left or citation.right else _UNKNOWN


def two_places(text: str, part: str) -> list[int]:
    """Where a part stands in a text: all places if they are fewer than two, else the first two."""
    first = text.find(part)
    second = -1 if first < 0 else text.find(part, first + 1)
    return [at for at in (first, second) if at >= 0]


def _alone(text: str, part: str) -> bool:
    return len(two_places(text, part)) == 1


def _even(text: str) -> str:
    r"""The text with ``\n`` for every line end."""
    return text if "\r" not in text else text.replace("\r\n", "\n").replace("\r", "\n")


def _uneven(text: str, offset: int) -> int:
    """The offset in a text of one in its `_even` form."""
    pair = text.find("\r\n")
    while 0 <= pair < offset:
        offset += 1
        pair = text.find("\r\n", pair + 2)
    return offset


class WorkspacePaths:
    """Files by workspace and path, as a store names them, and by root and path, as one question does."""

    def __init__(self, workspace: str, roots: Sequence[str]) -> None:
        self._workspace = workspace
        self._roots = [os.path.realpath(root) for root in roots]

    def name(self, key: Key) -> tuple[str, str]:
        """Root and path of a file: inside the workspace the root is empty and the path is the workspace's."""
        root, path = self._roots[key[0]], key[1]
        inside = os.path.relpath(os.path.join(root, path), self._workspace).replace(os.sep, "/")
        return (root, path) if inside.startswith("../") or os.path.isabs(inside) else ("", inside)

    def key(self, root: str, path: str) -> Key | None:
        """The file as this question knows it, None when it lies in none of its roots."""
        where = os.path.join(root or self._workspace, path)
        for index, folder in enumerate(self._roots):
            inside = os.path.relpath(where, folder).replace(os.sep, "/")
            if not inside.startswith("../"):
                return index, inside
        return None

    def found(self, citations: Iterable[tuple[str, Citation]]) -> tuple[tuple[str, Key, Citation], ...]:
        """The citations that lie in the roots, with their files."""
        keyed = ((id_, self.key(citation.root, citation.path), citation) for id_, citation in citations)
        return tuple((id_, key, citation) for id_, key, citation in keyed if key is not None)
