"""Amounts that the quotes have, but of something else, the other way round, or as the other bound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lens_lsp.arithmetic.typed_values import NUMERIC, Value
from lens_lsp.judge.figures import UNITLESS
from lens_lsp.judge.passage import Ground, Sentence
from lens_lsp.judge.tokens import Token
from lens_lsp.model.text import Span

_AROUND = 24
"""How far from an amount its bound or name is looked for, in code points."""
_LABEL = re.compile(r"([^\W\d_]{3,})(?: of| is| was| are|:)\s[^\w\n]{0,3}\Z")
_FROM = re.compile(r"\bfrom\s[^\w\n]{0,3}\Z", re.IGNORECASE)
_TO = re.compile(r"[^\w\n]{0,3}(?:\w+\s)?to\s[^\w\n]{0,3}", re.IGNORECASE)
_LEAST = re.compile(
    r"(?:(?<!no )\b(?:more|greater|longer|higher|larger) than|\bno (?:less|fewer) than|at least|over|above"
    r"|exceed\w*|minimum(?: of)?|(?<![-=])[>≥]=?)\s?[^\w\n]{0,3}\Z"
    r"|\A[^\w\n]{0,3}\s?(?:\+(?!\d)|or (?:more|longer|above)|minimum)",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"(?:(?<!no )\b(?:less|fewer|shorter|lower|smaller) than|\bno (?:more|longer|greater) than|at most|up to|under"
    r"|below|within|maximum(?: of)?|as many as|[<≤]=?)\s?[^\w\n]{0,3}\Z"
    r"|\A[^\w\n]{0,3}\s?(?:or (?:less|fewer|shorter)|maximum)",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"(?:\b(?:not|never|cannot)|n['’]t)(?: [a-z]+){0,3} (?:exceed|longer|more|less|fewer|greater|larger|higher|lower)"
    r"[^.]*\Z",
    re.IGNORECASE,
)
_BOUNDED = re.compile(
    r"\b(?:limit\w*|max\w*|min\w*|cap|ceiling|threshold|least|most|more|less|fewer|over|above|under|below|within|up to"
    r"|beyond|exceed\w*|longer|about|around|roughly|some|than|between|from|as many|allow\w*|can)\b",
    re.IGNORECASE,
)


def exchanged(sentence: Sentence, ground: Ground) -> Iterator[Span]:
    """The amounts of a sentence that its quotes have in another place or as another bound."""
    own = [value for value in sentence.figures.values if value.kind in NUMERIC and value.span is not None]
    theirs = [value for value in ground.quoted.values if value.kind in NUMERIC and value.span is not None]
    if own and theirs:
        yield from _named_otherwise(sentence, own, ground, theirs)
        yield from _crossed(sentence, own, ground, theirs)
        yield from _reversed(sentence, own, ground, theirs)
        yield from _bounded_otherwise(sentence, own, ground, theirs)


def _place(value: Value) -> Span:
    assert value.span is not None  # only values with a place come here
    return value.span


def _comparable(a: Value, b: Value) -> bool:
    return a.unit == b.unit or {a.unit.dimension, b.unit.dimension} <= UNITLESS


def _named_otherwise(
    sentence: Sentence, own: Sequence[Value], ground: Ground, theirs: Sequence[Value]
) -> Iterator[Span]:
    """ "A total of 40", where the quote has a penalty of 40 and a total of 80."""
    labels: dict[str, list[Value]] = {}
    for value in theirs:
        label = _LABEL.search(ground.plain, max(0, _place(value).start - _AROUND), _place(value).start)
        if label is not None:
            labels.setdefault(label[1].lower(), []).append(value)
    for name, values in labels.items():
        if len({value.magnitude for value in values}) > 1:
            continue
        value = values[0]
        others = {other.magnitude for other in theirs if _comparable(other, value)} - {value.magnitude}
        near = [one for one in own if _comparable(one, value)]
        for token in sentence.tokens:
            if token.word == name and near:
                nearest = min(near, key=lambda one: _distance(token.span, _place(one)))
                if nearest.magnitude in others:
                    yield _place(nearest)


def _distance(a: Span, b: Span) -> int:
    return b.start - a.end if b.start >= a.end else a.start - b.end + 1


def _crossed(sentence: Sentence, own: Sequence[Value], ground: Ground, theirs: Sequence[Value]) -> Iterator[Span]:
    """Two amounts that changed places: what stands before each stands before the other in the quote."""
    for a, b in pairwise(own):
        first, second = _before(sentence.tokens, a, None), _before(sentence.tokens, b, a)
        for c, d in pairwise(theirs):
            if a.magnitude == b.magnitude or (a.magnitude, b.magnitude) != (d.magnitude, c.magnitude):
                continue
            one, two = _before(ground.tokens, c, None), _before(ground.tokens, d, c)
            crossed = first & one - two and second & two - one
            if crossed and not first & two - one and not second & one - two and _comparable(a, d) and _comparable(b, c):
                yield Span(_place(a).start, _place(b).end)


def _before(tokens: Sequence[Token], value: Value, last: Value | None) -> set[str]:
    """The last three content words between the amount before and this one."""
    start, end = 0 if last is None else _place(last).end, _place(value).start
    words = [token.word for token in tokens if token.content and start <= token.span.start and token.span.end <= end]
    return set(words[-3:])


def _reversed(sentence: Sentence, own: Sequence[Value], ground: Ground, theirs: Sequence[Value]) -> Iterator[Span]:
    """What goes from one amount to another in the sentence, and the other way in the quotes."""
    back = {(b.magnitude, a.magnitude) for a, b in _steps(ground.plain, theirs)}
    for a, b in _steps(sentence.plain, own):
        if (a.magnitude, b.magnitude) in back:
            yield Span(_place(a).start, _place(b).end)


def _steps(text: str, values: Sequence[Value]) -> Iterator[tuple[Value, Value]]:
    for a, b in pairwise(values):
        start, between = text[: _place(a).start], text[_place(a).end : _place(b).start]
        if a.magnitude != b.magnitude and _FROM.search(start) and _TO.fullmatch(between):
            yield a, b


def _bounded_otherwise(
    sentence: Sentence, own: Sequence[Value], ground: Ground, theirs: Sequence[Value]
) -> Iterator[Span]:
    """A lower bound that is an upper one in the quotes, or the other way round, or a bound that is lost."""
    for value in own:
        same = [other for other in theirs if (other.magnitude, other.unit) == (value.magnitude, value.unit)]
        bounds = {_bound(ground.plain, other, turned=-1) for other in same}
        if bounds not in ({1}, {-1}):
            continue
        bound = _bound(sentence.plain, value, turned=0)
        lost = not bound and not value.approximate and _BOUNDED.search(sentence.plain) is None
        if lost or (bound and bound not in bounds):
            yield _place(value)


def _bound(text: str, value: Value, *, turned: int) -> int:
    """1 for a lower bound, -1 for an upper one, 0 for none; a denied one times ``turned``."""
    place = _place(value)
    before, after = text[max(0, place.start - _AROUND) : place.start], text[place.end : place.end + _AROUND]
    least, most = (bool(side.search(before) or side.search(after)) for side in (_LEAST, _MOST))
    denied = _TURNED.search(text[max(0, place.start - 2 * _AROUND) : place.start]) is not None
    return (least - most) * (turned if denied else 1)
