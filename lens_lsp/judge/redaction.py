"""What leaves the machine in place of a text: without its secrets, without characters that nobody sees.

Secrets are found in all of a document before anything is cut from it (`secrets_of`): a part of one may look like
nothing. What was cut is redacted by where its parts stood there.

One offset map leads back. A quote comes back in the words of the redacted text and is looked for in the shown one, so
it is turned into those first; one that touches a secret is no quote, whatever else it says.
"""

from __future__ import annotations

import hashlib
import re
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from lens_lsp.model.documents import Secret
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import RegionView
from lens_lsp.model.text import Span

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
_ESCAPES = regex(r"\\(?=[^\w\s])")
_BETWEEN_PARTS = regex(r"(?:[\s>]|\\(?:\\*n(?![a-z]))?)+")
_GRAM, _STEP = 8, 4
_LEAST_PART = 12
_MOST_KNOWN = 200_000
_SETTINGS = regex(
    r"(?:^|/)[^/]*\.(?:ini|cfg|cnf|conf|config|properties|props|toml|ya?ml|json|jsonc|json5|hcl|tf|xml|plist|rc|env)\Z",
    re.IGNORECASE,
)
_LOCKS = regex(r"lock(?:\.[a-z]+)?\Z|\.lock\b|-lock\.|\bsums?\b", re.IGNORECASE)
_MOST_CACHED = 4096
_cached: OrderedDict[tuple[bytes, bool], tuple[Secret, ...]] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class RemovedSpan:
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
    found: tuple[RemovedSpan, ...]
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


class Fragments:
    """Known secrets, by the letters in them: finds parts of them in texts of which nobody knows whence they are."""

    def __init__(self) -> None:
        self._at: dict[str, tuple[Secret, int]] = {}
        self._short: dict[str, Secret] = {}
        self._added: dict[int, Sequence[Secret]] = {}

    def add(self, secrets: Sequence[Secret]) -> None:
        """Know these, too."""
        if id(secrets) in self._added:  # a document has one tuple of them
            return
        self._added[id(secrets)] = secrets
        for secret in secrets:
            value = _BETWEEN_PARTS.sub("", secret.value)
            bare = Secret(secret.span, secret.kind, value)
            if len(value) < _LEAST_PART:
                self._short.setdefault(value, bare)
            elif len(self._at) < _MOST_KNOWN:
                for at in (*range(0, len(value) - _GRAM + 1, _STEP), len(value) - _GRAM):
                    self._at.setdefault(value[at : at + _GRAM], (bare, at))

    def found(self, source: str) -> list[Secret]:
        """Stretches of a text that are secrets or long parts of them, also where they were escaped or wrapped."""
        if not self._at and not self._short:
            return []
        seen = _Seen.of(source, _BETWEEN_PARTS)
        text = seen.text
        parts: list[Secret] = []
        ends = 0
        for start in range(len(text) - _GRAM + 1) if self._at else ():
            if start < ends or (known := self._at.get(text[start : start + _GRAM])) is None:
                continue
            secret, at = known
            low, high = _same_around(text, start, secret.value, at)
            if high - low >= min(_LEAST_PART, len(secret.value)):
                parts.append(Secret(Span(low, high), secret.kind, secret.value))
                ends = high
        for value, secret in self._short.items():
            parts += [Secret(place, secret.kind, value) for place in _places(value, text)]
        return [Secret(seen.span(one.span), one.kind, one.value) for one in parts]


def _same_around(text: str, start: int, value: str, at: int) -> tuple[int, int]:
    """How far a text and a value are the same around two places."""
    back = 0
    while back < min(start, at) and text[start - back - 1] == value[at - back - 1]:
        back += 1
    most = min(len(text) - start, len(value) - at)
    on = next((step for step in range(most) if text[start + step] != value[at + step]), most)
    return start - back, start + on


def secrets_of(text: str, path: str) -> tuple[Secret, ...]:
    """All secrets of a document, in order and apart. They are looked for once for each text."""
    config = _SETTINGS.search(path) is not None and _LOCKS.search(path) is None
    key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), config
    with _lock:
        if key in _cached:
            _cached.move_to_end(key)
            return _cached[key]
    from lens_lsp.judge.secret_shapes import secrets  # its patterns take a moment

    found = tuple(_secrets(_Seen.of(text), partial(secrets, config=config)))
    with _lock:
        _cached[key] = found
        if len(_cached) > _MOST_CACHED:
            _cached.popitem(last=False)
    return found


def moved(secrets: tuple[Secret, ...], by: int) -> tuple[Secret, ...]:
    """The same ones so many code points further on."""
    if not by:
        return secrets
    return tuple(Secret(Span(one.span.start + by, one.span.end + by), one.kind, one.value) for one in secrets)


def within(secrets: Sequence[Secret], span: Span, at: int = 0) -> list[Secret]:
    """What a stretch of a document holds of its secrets, where the stretch begins at an offset of another text."""
    held = []
    for one in secrets[bisect_right(secrets, span.start, key=lambda one: one.span.end) :]:
        start, end = max(one.span.start, span.start), min(one.span.end, span.end)
        if start >= span.end:
            break
        if start < end:
            held.append(Secret(Span(at + start - span.start, at + end - span.start), one.kind, one.value))
    return held


def shown_secrets(secrets: Sequence[Secret], view: RegionView) -> tuple[Secret, ...]:
    """What a region holds of its document's secrets, by spans of the region's text."""
    if not secrets:
        return ()
    return tuple(one for piece, at in zip(view.pieces, view.at, strict=True) for one in within(secrets, piece, at))


def stretches(parts: Iterable[tuple[Span, str]], secrets: Sequence[Secret], between: str) -> tuple[str, list[Secret]]:
    """Stretches of a document put together to a text, and what it holds of the document's secrets."""
    text, held = "", list[Secret]()
    for span, said in parts:
        if text:
            text += between
        held += within(secrets, span, len(text))
        text += said
    return text, held


def redacted(
    text: str,
    numbers: dict[str, int] | None = None,
    *,
    known: Iterable[Secret] | None = None,
    also: Fragments | None = None,
) -> Redacted:
    """A text as it may leave. ``numbers`` gives each secret a number, the same wherever it stands.

    ``known`` are the secrets in it that its document told; without them what may be the rest of a secret counts, too.
    ``also`` are secrets of which parts may stand in it.
    """
    from lens_lsp.judge.secret_shapes import of_a_cut, secrets

    seen = _Seen.of(text)
    found = [*_secrets(seen, of_a_cut if known is None else secrets), *(known or ())]
    if also is not None and "\\" in text:  # ours are escaped where Markdown is written
        found += _secrets(_Seen.of(text, _ESCAPES), secrets)
    if also is not None:
        found += also.found(text)
    return _without(seen, found, numbers)


def redacted_whole(text: str, path: str, numbers: dict[str, int] | None = None) -> Redacted:
    """All of a document as it may leave."""
    return _without(_Seen.of(text), secrets_of(text, path), numbers)


def _without(seen: _Seen, secrets: Iterable[Secret], numbers: dict[str, int] | None) -> Redacted:
    numbers = {} if numbers is None else numbers
    text = seen.source
    parts: list[str] = []
    at: list[int] = []
    pieces: list[Span] = []
    placeholders: list[Span] = []
    found = [RemovedSpan(span, HIDDEN) for span in seen.unseen]
    size, start = 0, 0
    for secret in [*_apart(secrets), Secret(Span(len(text), len(text)), "", "")]:
        for piece in seen.kept(Span(start, secret.span.start)):
            at.append(size)
            pieces.append(piece)
            parts.append(text[piece.start : piece.end])
            size += len(piece)
        if not secret.kind:
            break
        mark = f"{_PLACEHOLDER}{secret.kind}:{numbers.setdefault(secret.value, len(numbers) + 1)}]]"
        placeholders.append(Span(size, size + len(mark)))
        parts.append(mark)
        size += len(mark)
        found.append(RemovedSpan(secret.span, secret.kind))
        start = secret.span.end
    found.sort(key=lambda one: one.span)
    return Redacted("".join(parts), text, tuple(at), tuple(pieces), tuple(found), tuple(placeholders))


def _apart(secrets: Iterable[Secret]) -> list[Secret]:
    """Those that overlap as one, which is the one of which most is known."""
    joined: list[Secret] = []
    for one in sorted(secrets, key=lambda one: one.span):
        if joined and one.span.start < joined[-1].span.end:
            last = joined[-1]
            most = max(last, one, key=lambda each: len(each.value))
            joined[-1] = Secret(Span(last.span.start, max(last.span.end, one.span.end)), most.kind, most.value)
        else:
            joined.append(one)
    return joined


def _secrets(seen: _Seen, find: Callable[[str], Iterator[tuple[Span, str]]]) -> Iterator[Secret]:
    """The secrets of a text without what nobody sees, where they stand in its source."""
    for place, kind in find(seen.text):
        yield Secret(seen.span(place), kind, seen.text[place.start : place.end])


def rests(text: str) -> Iterator[Secret]:
    """What may be the rests of secrets at the ends of a text that was cut."""
    from lens_lsp.judge.secret_shapes import cut_ends

    for place, kind in cut_ends(text):
        yield Secret(place, kind, text[place.start : place.end])


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

    source: str
    text: str
    at: tuple[int, ...]
    pieces: tuple[Span, ...]
    unseen: tuple[Span, ...]

    @classmethod
    def of(cls, text: str, left_out: re.Pattern[str] = _UNSEEN) -> _Seen:
        """What is seen of a text."""
        at: list[int] = []
        pieces: list[Span] = []
        unseen: list[Span] = []
        size, start = 0, 0
        for match in left_out.finditer(text):
            unseen.append(Span(*match.span()))
            if match.start() > start:
                at.append(size)
                pieces.append(Span(start, match.start()))
                size += match.start() - start
            start = match.end()
        if not unseen:
            return cls(text, text, (0,), (Span(0, len(text)),), ())
        if start < len(text):
            at.append(size)
            pieces.append(Span(start, len(text)))
        seen = "".join(text[piece.start : piece.end] for piece in pieces)
        return cls(text, seen, tuple(at), tuple(pieces), tuple(unseen))

    def span(self, place: Span) -> Span:
        """Where a stretch of the text stands in the source."""
        return Span(self._source(place.start), self._source(place.end - 1) + 1)

    def _source(self, offset: int) -> int:
        piece = bisect_right(self.at, offset) - 1
        return self.pieces[piece].start + offset - self.at[piece]

    def kept(self, span: Span) -> Iterator[Span]:
        """The stretches of a part of the source that are seen."""
        for piece in self.pieces[max(0, bisect_right(self.pieces, span.start, key=lambda one: one.end)) :]:
            start, end = max(piece.start, span.start), min(piece.end, span.end)
            if start >= span.end:
                return
            if start < end:
                yield Span(start, end)


def _places(body: str, text: str) -> Iterator[Span]:
    at = text.find(body) if body else -1
    while at >= 0:
        yield Span(at, at + len(body))
        at = text.find(body, at + 1)
