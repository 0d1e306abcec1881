"""What leaves the machine in place of a text: without its secrets, without characters that nobody sees.

One offset map leads back. A quote comes back in the words of the redacted text and is looked for in the shown one, so
it is turned into those first; one that touches a secret is no quote, whatever else it says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span
from lens_lsp.oracle.secret_shapes import secrets

HIDDEN = "hidden"
"""The kind of a stretch of characters that nobody sees."""

# Controls; soft hyphen; fillers; zero width, joiners, directions; invisible operators; variation selectors; annotation
# marks; Unicode tags and what else has a plane of its own to hide text in; halves of characters.
_UNSEEN = regex(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
# Joiners and selectors belong to emoji and to many scripts; what reorders text, tags, and long stretches do not.
_SUSPECT = regex("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_SUSPECT_LENGTH = 4
_PLACEHOLDER = "[[SECRET:"


@dataclass(frozen=True, slots=True)
class Found:
    """A stretch of the source that is not in the redacted text, and of what kind it is."""

    span: Span
    kind: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """``text`` may leave. Its kept pieces: ``text[at[i]:]`` begins with ``source[pieces[i]]``; placeholders lie between
    two pieces."""

    text: str
    source: str
    at: tuple[int, ...]
    pieces: tuple[Span, ...]
    found: tuple[Found, ...]
    placeholders: tuple[Span, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of secrets that were taken out, with repeats."""
        return tuple(one.kind for one in self.found if one.kind != HIDDEN)

    @property
    def veiled(self) -> bool:
        """Whether text seems to be hidden in it, more than scripts and emoji need."""
        return any(_hides(self.source, one.span) for one in self.found if one.kind == HIDDEN)

    def original(self, place: Span) -> Span | None:
        """Where a stretch of ``text`` stands in the source; None when it is empty or touches a secret."""
        if not len(place) or any(place.overlaps(taken) for taken in self.placeholders):
            return None
        return Span(self._place(place.start), self._place(place.end - 1) + 1)

    def _place(self, offset: int) -> int:
        piece = bisect_right(self.at, offset) - 1
        return self.pieces[piece].start + offset - self.at[piece]

    def unredacted(self, quote: str) -> str | None:
        """A quote from ``text`` in the words of the source; None when it touches a secret.

        A quote that stands nowhere comes back as it is: whether it is a quote at all is decided elsewhere.
        """
        if not self.found:
            return quote
        body = quote.strip()
        touched = _PLACEHOLDER in body.upper()
        for place in _places(body, self.text):
            source = self.original(place)
            if source is not None:
                return self.source[source.start : source.end]
            touched = True
        return None if touched else quote


def redacted(text: str, numbers: dict[str, int] | None = None) -> Redacted:
    """A text as it may leave. ``numbers`` gives each secret a number, the same wherever it stands."""
    numbers = {} if numbers is None else numbers
    if text.isascii() and _UNSEEN.search(text) is None:
        seen = _Seen(text, (0,), (Span(0, len(text)),), ())
    else:
        seen = _seen(text)
    parts: list[str] = []
    at: list[int] = []
    pieces: list[Span] = []
    placeholders: list[Span] = []
    found = [Found(span, HIDDEN) for span in seen.unseen]
    size, start = 0, 0
    for secret, kind in [*secrets(seen.text), (Span(len(seen.text), len(seen.text)), "")]:
        for piece in seen.between(start, secret.start):
            at.append(size)
            pieces.append(piece)
            parts.append(text[piece.start : piece.end])
            size += len(piece)
        if not kind:
            break
        written = seen.text[secret.start : secret.end]
        mark = f"{_PLACEHOLDER}{kind}:{numbers.setdefault(written, len(numbers) + 1)}]]"
        placeholders.append(Span(size, size + len(mark)))
        parts.append(mark)
        size += len(mark)
        inner = list(seen.between(secret.start, secret.end))
        found.append(Found(Span(inner[0].start, inner[-1].end), kind))
        start = secret.end
    found.sort(key=lambda one: one.span)
    return Redacted("".join(parts), text, tuple(at), tuple(pieces), tuple(found), tuple(placeholders))


def visible(text: str) -> str:
    """A text without the characters that nobody sees."""
    return _UNSEEN.sub("", text)


def veils(text: str) -> list[Span]:
    """Where text seems to be hidden in a text, more than scripts and emoji need."""
    return [span for found in _UNSEEN.finditer(text) if _hides(text, span := Span(*found.span()))]


def _hides(text: str, unseen: Span) -> bool:
    return len(unseen) >= _SUSPECT_LENGTH or _SUSPECT.search(text, unseen.start, unseen.end) is not None


@dataclass(frozen=True, slots=True)
class _Seen:
    """A text without what nobody sees; ``pieces`` of the source begin at ``at`` in it."""

    text: str
    at: tuple[int, ...]
    pieces: tuple[Span, ...]
    unseen: tuple[Span, ...]

    def between(self, start: int, end: int) -> Iterator[Span]:
        """The stretches of the source behind a stretch of the text."""
        if start >= end:
            return
        for index in range(max(0, bisect_right(self.at, start) - 1), len(self.at)):
            low, piece = self.at[index], self.pieces[index]
            first, last = max(start - low, 0), min(end - low, len(piece))
            if low >= end:
                return
            if first < last:
                yield Span(piece.start + first, piece.start + last)


def _seen(text: str) -> _Seen:
    at: list[int] = []
    pieces: list[Span] = []
    unseen: list[Span] = []
    size, start = 0, 0
    for match in _UNSEEN.finditer(text):
        unseen.append(Span(*match.span()))
        if match.start() > start:
            at.append(size)
            pieces.append(Span(start, match.start()))
            size += match.start() - start
        start = match.end()
    if start < len(text):
        at.append(size)
        pieces.append(Span(start, len(text)))
    return _Seen("".join(text[piece.start : piece.end] for piece in pieces), tuple(at), tuple(pieces), tuple(unseen))


def _places(body: str, text: str) -> Iterator[Span]:
    at = text.find(body) if body else -1
    while at >= 0:
        yield Span(at, at + len(body))
        at = text.find(body, at + 1)
