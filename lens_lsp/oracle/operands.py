"""Which value of a passage is the one of this fact: under its label or header, beside its subject, in its turn."""

from __future__ import annotations

from lens_lsp.domain.plan import AnswerType
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span
from lens_lsp.domain.words import key, stem
from lens_lsp.oracle.answers import EXACT, Candidate, best
from lens_lsp.oracle.labels import label_of, under_label
from lens_lsp.oracle.tables import column, columns
from lens_lsp.oracle.view import View
from lens_lsp.oracle.weights import Need

_CLAUSE = 60
"""Code points from a subject to its value within a clause."""
_CLAUSE_ENDS = regex(r"[;.!?:\n\d]|, ")
_BARE = regex(r"\w+ (?P<number>\d[\d,.]*\d|\d)(?=\s*(?:[,;.]|and\b|or\b))")


def told(need: Need, view: View, value: Candidate | None) -> int:
    """One when a value tells by itself what it is of: under the subject or a word of the requirement, as a rate, or as
    the date of a thing of one word within its clause."""
    if value is None or (not need.several and not need.wanted.rate):
        return 0
    if is_lone(need) and _in_clause(need, view, value):
        return 1
    if need.wanted.rate:
        return int(value.fit >= EXACT)
    label = {stem(word) for word in key(label_of(view.region.text, value.span.start) or "").split()}
    return int(bool(label) and label <= need.wanted.asked)


def is_lone(need: Need) -> bool:
    """Whether a fact is just one word and a date: "the harvest"."""
    return need.several and need.bits.bit_count() == 1 and need.wanted.kind is AnswerType.DATE


def _in_clause(need: Need, view: View, value: Candidate) -> bool:
    """Whether a value follows a term of the requirement within one clause, with no other value between them."""
    before = [at for at, index in view.hits if need.bits >> index & 1 and at < value.span.start]
    between = view.region.text[before[-1] : value.span.start] if before else ";"
    return len(between) <= _CLAUSE and _CLAUSE_ENDS.search(between) is None


def _labelled(need: Need, view: View, candidates: list[Candidate]) -> list[Candidate]:
    """The values under the label with the requirement's own words; all when no label has them."""
    subject = frozenset(stem(word) for name in need.names for word in name.key.split()) if need.several else frozenset()
    places = [c.span.start for c in candidates]
    under = under_label(view.region.text, places, need.wanted.asked, subject)
    return [candidates[index] for index in under]


def value_of(need: Need, view: View, candidates: list[Candidate], hits: list[tuple[int, int]]) -> Candidate | None:
    """The value that answers: under its label, beside its subject's name, else closest to what is asked for."""
    beside = [(at, index) for at, index in hits if need.several and (need.own or need.named) >> index & 1] or hits
    weighed = [(at, need.weights[index]) for at, index in beside]
    elliptic = _elliptic(need, view, candidates)
    if elliptic is not None:
        return elliptic
    found = _beside_name(need, view, _labelled(need, view, candidates))
    return _in_turn(need, view, found) or best(found, weighed, behind=need.several)


def _elliptic(need: Need, view: View, candidates: list[Candidate]) -> Candidate | None:
    """ "The first scored 48 goals, the second 61 and …": a bare number behind the subject, among counts."""
    if not need.several or not need.own or need.wanted.kind is not AnswerType.NUMBER:
        return None
    for at, index in view.hits:
        bare = _BARE.match(view.region.text, at) if need.own >> index & 1 else None
        span = next((unit for unit in view.units if unit.start <= at < unit.end), None)
        if bare is None or span is None or any(c.span.start == bare.start("number") for c in candidates):
            continue
        if any(c.fit >= EXACT and span.contains(c.span) for c in candidates):
            return Candidate(Span(bare.start("number"), bare.end("number")), bare["number"], EXACT)
    return None


def _in_turn(need: Need, view: View, candidates: list[Candidate]) -> Candidate | None:
    """The value of a unit that names all subjects and has a value for each: the third one's is the third."""
    if not need.own or 0 in need.peers or len(need.peers) < 2:
        return None
    top = max((c.fit for c in candidates), default=0.0)
    for span in view.units:
        inside = [c for c in candidates if c.fit == top and span.contains(c.span)]
        if len(inside) != len(need.peers):
            continue
        hits = [(at, index) for at, index in view.hits if span.start <= at < span.end]
        first = [min((at for at, index in hits if peer >> index & 1), default=-1) for peer in need.peers]
        if -1 not in first and len(set(first)) == len(first):
            return inside[sorted(first).index(first[need.peers.index(need.own)])]
    return None


def _beside_name(need: Need, view: View, candidates: list[Candidate]) -> list[Candidate]:
    """Of several facts each has its value in the unit that names its subject; all where no such unit has one."""
    if not need.several or not need.named:
        return candidates
    held_by = [span for span, mask in zip(view.units, view.masks, strict=True) if mask & need.named == need.named]
    beside = [c for c in candidates if any(span.contains(c.span) for span in held_by)]
    fits = max((c.fit for c in beside), default=0.0) >= max((c.fit for c in candidates), default=0.0)
    return beside if beside and fits else candidates


def in_column(need: Need, view: View, first: int, candidates: list[Candidate]) -> list[Candidate]:
    """The values of a table row that stand under a header cell with a term of the requirement; all if none does."""
    top = view.header[first]
    if top is None:
        return candidates
    row, header = view.units[first], view.units[top]
    asked = (need.bits | need.kinds) & ~need.named
    places = [at - header.start for at, index in view.hits if header.start <= at < header.end and asked >> index & 1]
    wanted = columns(view.region.text[header.start : header.end], places)
    line = view.region.text[row.start : row.end]
    return [c for c in candidates if column(line, c.span.start - row.start) in wanted] or candidates
