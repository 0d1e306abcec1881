"""Clusters: pure functions over values that organise them, age them, and say what of their answers may be shown.

Every part of a cluster is identified by its content, so merging is a union: applied twice it changes nothing, and the
order of what is merged leaves no trace but the id, which is the least of theirs (paper, "Knowledge Clusters"; engine
design, section 7). A model's words are a wording, never a fact: where they cannot be held against a quote, the quotes
speak for themselves. An answer that the user called wrong is known again by its words and by its facts.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeVar

from lens_lsp.model.answer import RequirementStatus
from lens_lsp.model.cluster import (
    OFFLINE,
    Asked,
    Checked,
    Citation,
    CitationState,
    Cluster,
    ClusterLink,
    KnownFact,
    WrongAnswer,
)
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable
from lens_lsp.model.words import fold, stands_in

T = TypeVar("T", Asked, KnownFact)
SHARED_TO_MERGE = 0.5
"""Two clusters are one when they share evidence and at least this part of the smaller one's requirements."""
_HALF_LIFE = 90 * 86_400.0
"""Seconds after which what was not used counts half."""
_DIGEST = 12
NOT_KEPT = "*A model chose these passages when this was asked before; its own words are not kept.*"
_MARKER = regex(r"\[(?=\^?\d+\])")
_NUMBER = regex(r"\d+(?:[.,:]\d+)*")
_MOST_QUOTED = 600


def identify(*parts: str) -> str:
    """A short id that is a digest of its parts."""
    digest = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def citation_id(citation: Citation) -> str:
    """The id of a citation: its place and its words, not the version of the file around them."""
    span = citation.span
    return identify(citation.root, citation.path, str(span.start), str(span.end), citation.quote)


def fact_id(key: str, value: str | None) -> str:
    """The id of a fact: the requirement's normal form and the value."""
    return identify(key, "" if value is None else f"={value}")


def live(cluster: Cluster) -> tuple[KnownFact, ...]:
    """The facts that may still answer."""
    return tuple(fact for fact in cluster.facts if not fact.retired and fact.evidence)


def merge(one: Cluster, other: Cluster) -> Cluster:
    """The union of two clusters. Of two versions of one part the later proven stays, a live one before a retired."""
    citations = dict(sorted({**dict(one.citations), **dict(other.citations)}.items()))
    asked = _latest((*one.asked, *other.asked))
    facts = _latest((*one.facts, *other.facts))
    name = min(one.id, other.id)
    links = {link.cluster: link for link in sorted((*one.links, *other.links), key=lambda link: link.weight)}
    return settled(
        Cluster(
            id=name,
            title="",
            asked=asked,
            facts=facts,
            citations=tuple(citations.items()),
            links=tuple(links[id_] for id_ in sorted(links) if id_ not in (one.id, other.id)),
            hits=max(one.hits, other.hits),
            created=min(one.created, other.created),
            used=max(one.used, other.used),
        )
    )


def _latest(parts: Iterable[T]) -> tuple[T, ...]:
    """One part per id, in order of id."""
    kept: dict[str, T] = {}
    for part in parts:
        known = kept.get(part.id)
        if known is None or _rank(part) > _rank(known):
            kept[part.id] = part
    return tuple(kept[id_] for id_ in sorted(kept))


def _rank(part: Asked | KnownFact) -> tuple[bool, float, str]:
    """Whose version counts; the text at last, so that equal times do not depend on order."""
    alive = not part.retired and bool(part.evidence) if isinstance(part, KnownFact) else True
    return alive, part.at, repr(part)


def settled(cluster: Cluster) -> Cluster:
    """The cluster with what follows from its parts: title, confidence, whether it is archived."""
    alive = live(cluster)
    known = [fact.confidence for fact in alive if fact.confidence is not None]
    return replace(
        cluster,
        title=title_of(cluster.asked),
        confidence=min(known) if known else None,
        archived=not alive,
    )


def title_of(asked: Sequence[Asked]) -> str:
    """The shortest phrasing that was asked, the earliest of several."""
    best = min(asked, key=lambda a: (len(a.question), a.at, a.question), default=None)
    return "" if best is None else " ".join(best.question.split())


def shares(one: Cluster, other: Cluster) -> tuple[float, float]:
    """What two clusters have in common: the part of the smaller one's requirements and of its citations, 0 to 1."""
    return _share(_keys(one), _keys(other)), _share(dict(one.citations).keys(), dict(other.citations).keys())


def _keys(cluster: Cluster) -> frozenset[str]:
    return frozenset(fact.key for fact in cluster.facts)


def _share(one: Iterable[str], other: Iterable[str]) -> float:
    a, b = frozenset(one), frozenset(other)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def belong_together(one: Cluster, other: Cluster) -> bool:
    """Whether two clusters are one: they share evidence and most requirements, or a question."""
    requirements, evidence = shares(one, other)
    if evidence and requirements >= SHARED_TO_MERGE:
        return True
    return bool({asked.key for asked in one.asked} & {asked.key for asked in other.asked})


@dataclass(frozen=True, slots=True)
class Organised:
    """Clusters after a change: all as they are now, and the ids that are gone."""

    clusters: tuple[Cluster, ...]
    gone: tuple[str, ...]


def organise(clusters: Iterable[Cluster]) -> Organised:
    """Split what fell apart, merge what belongs together, link what shares something. Idempotent.

    The result does not depend on the order of the clusters: what belongs together, directly or through others, is one.
    """
    before = {cluster.id: cluster for cluster in clusters}
    merged = [part for id_ in sorted(before) for part in split(before[id_])]
    while len(groups := _groups(merged)) < len(merged):
        merged = [_union(group) for group in groups]
    merged.sort(key=lambda cluster: cluster.id)
    looked_at = before.keys() | {cluster.id for cluster in merged}
    shared = _Shared()
    for place, cluster in enumerate(merged):
        shared.add(place, cluster)
    linked = tuple(_linked(each, (merged[n] for n in shared.with_(each)), looked_at) for each in merged)
    return Organised(linked, tuple(sorted(before.keys() - {cluster.id for cluster in linked})))


def _union(group: Sequence[Cluster]) -> Cluster:
    whole = group[0]
    for part in group[1:]:
        whole = merge(whole, part)
    return whole


class _Shared:
    """Which of some clusters, by their places, share a question, a requirement or a citation with another: no others
    can belong together or be linked, and of many few do."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], list[int]] = {}

    def add(self, place: int, cluster: Cluster) -> None:
        for name in _names(cluster):
            self._places.setdefault(name, []).append(place)

    def with_(self, cluster: Cluster) -> list[int]:
        return sorted({place for name in _names(cluster) for place in self._places.get(name, ())})


def _names(cluster: Cluster) -> set[tuple[str, str]]:
    asked = {("question", asked.key) for asked in cluster.asked}
    return asked | {("fact", fact.key) for fact in cluster.facts} | {("citation", id_) for id_, _ in cluster.citations}


def _groups(clusters: Sequence[Cluster]) -> list[list[Cluster]]:
    """The clusters by what belongs together, in order."""
    groups: dict[int, list[int]] = {}
    group_of: dict[int, int] = {}
    before = _Shared()
    for place, cluster in enumerate(clusters):
        alike = (other for other in before.with_(cluster) if belong_together(cluster, clusters[other]))
        near = sorted({group_of[other] for other in alike})
        groups[place] = [*(member for group in near for member in groups.pop(group)), place]
        group_of |= dict.fromkeys(groups[place], place)
        before.add(place, cluster)
    return [[clusters[member] for member in group] for group in groups.values()]


def _linked(cluster: Cluster, among: Iterable[Cluster], looked_at: Set[str]) -> Cluster:
    """The cluster with links to all that share some requirement or evidence with it; other links stay."""
    links = [link for link in cluster.links if link.cluster not in looked_at]
    for other in among:
        weight = max(shares(cluster, other)) if other.id != cluster.id else 0.0
        if weight:
            links.append(ClusterLink(other.id, round(weight, 6)))
    return replace(cluster, links=tuple(sorted(links, key=lambda link: link.cluster)))


def split(cluster: Cluster) -> tuple[Cluster, ...]:
    """The parts of a cluster whose questions share neither a fact, nor a citation, nor their wording any more."""
    evidence_of = {fact.id: (fact.key, *fact.evidence) for fact in cluster.facts}
    groups: list[_Group] = []
    for asked in cluster.asked:
        facts = [id_ for id_ in asked.facts if id_ is not None]
        ties = {f"? {asked.key}", *facts, *asked.evidence, *(tie for id_ in facts for tie in evidence_of.get(id_, ()))}
        groups = _tied(groups, _Group(ties, [asked]))
    for fact in cluster.facts:
        groups = _tied(groups, _Group({fact.id, *evidence_of[fact.id]}, []))
    loose = [group for group in groups if not group.asked]
    parts = sorted((group for group in groups if group.asked), key=lambda group: min(a.id for a in group.asked))
    if len(parts) < 2:
        return (settled(cluster),)
    for group in loose:  # a fact that no question names any more is not lost
        parts[0].ties |= group.ties
    return tuple(_part(cluster, group) for group in parts)


@dataclass(slots=True)
class _Group:
    """Questions that hang together, and by what."""

    ties: set[str]
    asked: list[Asked]


def _tied(groups: Sequence[_Group], new: _Group) -> list[_Group]:
    """The groups with one more, joined with those it has a tie with."""
    apart = [group for group in groups if not group.ties & new.ties]
    for group in groups:
        if group.ties & new.ties:
            new = _Group(group.ties | new.ties, group.asked + new.asked)
    return [*apart, new]


def _part(cluster: Cluster, group: _Group) -> Cluster:
    asked = tuple(sorted(group.asked, key=lambda a: a.id))
    facts = tuple(fact for fact in cluster.facts if fact.id in group.ties)
    used = {id_ for fact in facts for id_ in fact.evidence} | {id_ for a in asked for id_ in a.evidence}
    return settled(
        replace(
            cluster,
            id=identify("cluster", asked[0].id),
            asked=asked,
            facts=facts,
            citations=tuple(entry for entry in cluster.citations if entry[0] in used),
        )
    )


def rechecked(cluster: Cluster, checked: Mapping[str, Checked]) -> Cluster:
    """The cluster after a look at its sources, by citation id: what moved is cited anew, what is gone proves nothing.

    A fact whose last citation is withdrawn is retired; a cluster without a live fact is archived. A citation that is
    `UNVERIFIABLE` stays on record and proves nothing either.
    """
    renamed: dict[str, str | None] = {}
    citations: dict[str, Citation] = {}
    for id_, citation in cluster.citations:
        look = checked.get(id_)
        if look is None or look.state in (CitationState.VERIFIED, CitationState.MOVED):
            kept = citation if look is None else look.citation
            renamed[id_] = citation_id(kept)
            citations[citation_id(kept)] = kept
        elif look.state is CitationState.UNVERIFIABLE:
            citations[id_] = citation
    facts = tuple(_after(fact, renamed) for fact in cluster.facts)
    asked = tuple(replace(a, evidence=tuple(renamed.get(id_) or id_ for id_ in a.evidence)) for a in cluster.asked)
    return settled(replace(cluster, facts=facts, asked=asked, citations=tuple(sorted(citations.items()))))


def _after(fact: KnownFact, renamed: Mapping[str, str | None]) -> KnownFact:
    evidence = tuple(dict.fromkeys(new for id_ in fact.evidence if (new := renamed.get(id_)) is not None))
    return replace(fact, evidence=evidence, retired=fact.retired or not evidence)


def decay_weight(cluster: Cluster, now: float) -> float:
    """How much a cluster counts, over 0 to 1: falls with the time since it was used, rises with use.

    A clock that went back counts as no time.
    """
    idle = max(0.0, now - cluster.used)
    return (1 - 0.5 / (1 + cluster.hits)) * math.pow(0.5, idle / _HALF_LIFE)


def used_again(cluster: Cluster, at: float) -> Cluster:
    """The cluster after it answered once more."""
    return replace(cluster, hits=cluster.hits + 1, used=max(cluster.used, at))


def said(text: str, short: str | None) -> str:
    """The normal form of what an answer says: the short answer, else all of it."""
    return " ".join(fold(short or text).split())


def wrong_answers(cluster: Cluster, at: float) -> tuple[WrongAnswer, ...]:
    """The answers to the questions of a cluster, called wrong at a time in seconds since the epoch."""
    valued = {fact.id for fact in cluster.facts if fact.value is not None}
    return tuple(
        WrongAnswer(
            id=identify("wrong", asked.key, said(asked.text, asked.short)),
            question=asked.question,
            key=asked.key,
            text=asked.text,
            short=asked.short,
            oracle=asked.oracle,
            facts=tuple(dict.fromkeys(fact for fact in asked.facts if fact in valued and fact is not None)),
            at=at,
        )
        for asked in cluster.asked
    )


def called_wrong(
    known: Iterable[WrongAnswer], key: str, text: str, short: str | None, facts: Set[str]
) -> WrongAnswer | None:
    """The wrong answer that an answer repeats: to the same question in the same words, or with one of its facts."""
    same = said(text, short)
    for wrong in known:
        if not facts.isdisjoint(wrong.facts) or (wrong.key == key and said(wrong.text, wrong.short) == same):
            return wrong
    return None


def disputed(clusters: Iterable[Cluster]) -> Iterator[tuple[KnownFact, tuple[Citation, ...]]]:
    """The facts on which sources disagree, each with all that it cites."""
    for cluster in clusters:
        known = dict(cluster.citations)
        for fact in live(cluster):
            if fact.status is RequirementStatus.CONTESTED:
                yield fact, tuple(known[id_] for id_ in fact.evidence if id_ in known)


def is_quoted(value: str, quotes: Iterable[str]) -> bool:
    """Whether a value stands in one of some quotes: its words, and its numbers whole."""
    numbers = set(_NUMBER.findall(value))
    return any(stands_in(value, quote) and numbers <= set(_NUMBER.findall(quote)) for quote in quotes)


def quoted(quotes: Sequence[str]) -> str:
    """An answer in quotes alone, each with its number, from 1."""
    return "\n\n".join([*(f"> {_line(quote)} [{n}]" for n, quote in enumerate(quotes, 1)), NOT_KEPT])


def words_of(asked: Asked, citations: Mapping[str, Citation]) -> str:
    """What a question was answered, for people who read what is known: the rules' own words, else the quotes."""
    if asked.oracle == OFFLINE:
        return asked.text
    return quoted([citations[id_].quote for id_ in asked.evidence if id_ in citations])


def short_of(asked: Asked, citations: Mapping[str, Citation]) -> str | None:
    """The short answer, if the rules gave it, it was computed, or it stands in a quote."""
    quotes = [citations[id_].quote for id_ in asked.evidence if id_ in citations]
    derived = asked.short is None or asked.oracle == OFFLINE or is_computed(asked.short, asked)
    return asked.short if derived or is_quoted(asked.short or "", quotes) else None


def is_computed(value: str, asked: Asked) -> bool:
    """Whether our own arithmetic gave a value."""
    return asked.computation is not None and value == asked.computation.value


def value_of(fact: KnownFact, cluster: Cluster) -> str | None:
    """The value of a fact, if rules found it, our arithmetic gave it, or it stands in one of its quotes."""
    named = [asked for asked in cluster.asked if fact.id in asked.facts]
    citations = dict(cluster.citations)
    quotes = [citations[id_].quote for id_ in fact.evidence if id_ in citations]
    if fact.value is None or any(a.oracle == OFFLINE or is_computed(fact.value, a) for a in named):
        return fact.value
    return fact.value if is_quoted(fact.value, quotes) or _is_count(fact.value, len(quotes)) else None


def _is_count(value: str, most: int) -> bool:
    """Whether a value is no more than how many passages were counted."""
    return value.replace(",", "").isdecimal() and int(value.replace(",", "")) == most


def _line(quote: str) -> str:
    """A quote on one line, without a marker that could pass for one of ours."""
    line = " ".join(printable(quote).split())
    line = line if len(line) <= _MOST_QUOTED else f"{line[: _MOST_QUOTED - 1]}…"
    return _MARKER.sub(r"\\[", line)
