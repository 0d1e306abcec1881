"""Facts that earlier questions proved, taken up while their sources still hold (engine design, section 7).

What was learnt enters as data. A fact is held when every citation of it was looked up in today's text, and never
because it was stored; it is settled when besides no document that bears on it was added or changed since. A fact with
such a document is searched again with what proved it in hand, one with a broken citation from nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace

from lens_lsp.corpus.safe_open import Key, display_path
from lens_lsp.judge.oracle import Fact
from lens_lsp.memory.citations import lost, verify
from lens_lsp.model.answer import Arm, RequirementStatus, Reused
from lens_lsp.model.cluster import Asked, Checked, Citation, CitationState, KnownFact
from lens_lsp.model.documents import Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Plan
from lens_lsp.model.text import Span
from lens_lsp.search.consolidation import CitedSpan, Item
from lens_lsp.search.corpus_view import DocumentAccess
from lens_lsp.search.localisation import Matches

_STANDS = frozenset({CitationState.VERIFIED, CitationState.MOVED})


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A stored fact that is the same as a requirement, and what proved it: citations with the files they are in.

    ``seen`` are the documents that bore on it when it was proven, by their hash.
    """

    cluster: str
    fact: KnownFact
    citations: tuple[tuple[str, Key, Citation], ...]
    """Id, file, citation; the strongest first."""
    seen: Mapping[Key, str]


@dataclass(frozen=True, slots=True)
class MemoryContext:
    """What earlier questions left that bears on this one."""

    facts: Mapping[str, StoredFact] = field(default_factory=dict)
    """By the id of the requirement."""
    asked: Asked | None = None
    """The same question, answered before."""
    evidence: tuple[tuple[str, Key, Citation], ...] = ()
    """What its answer cites, in the order of its numbers."""
    history: Mapping[Key, float] = field(default_factory=dict)
    """How well proven evidence of each file matches this question, over 0 to 1."""
    notes: Mapping[Key, tuple[str, str]] = field(default_factory=dict)
    """What was proven from a file, in words, and the hash that the file had."""
    wrong: tuple[str, ...] = ()
    """Short answers to this very question that the user called wrong: nothing proves them any more."""

    @property
    def files(self) -> list[Key]:
        """The files that its facts and its evidence cite."""
        cited = [entry for fact in self.facts.values() for entry in fact.citations]
        return list(dict.fromkeys(key for _, key, _ in (*cited, *self.evidence)))


@dataclass(frozen=True, slots=True)
class CurrentCitation:
    """A citation that stands, where it stands now."""

    id: str
    citation: Citation
    slot: int
    document: Document
    span: Span


@dataclass(slots=True)
class Recalled:
    """What became of stored facts in the documents as they are now. Requirements are by index."""

    plan: Plan
    memory: MemoryContext
    held: dict[int, list[CurrentCitation]] = field(default_factory=dict)
    newer: dict[int, list[int]] = field(default_factory=dict)
    """Slots of documents that bear on a held fact and were not seen, or not as they are, when it was proven."""
    broken: dict[int, list[Checked]] = field(default_factory=dict)
    checked: dict[str, Checked] = field(default_factory=dict)
    """Every citation that was looked at, by id."""
    answer: list[CurrentCitation] = field(default_factory=list)
    """What the earlier answer cites, when all of it stands."""

    @property
    def settled(self) -> frozenset[int]:
        """The requirements that need no further look."""
        return frozenset(j for j in self.held if not self.newer.get(j))

    @property
    def whole(self) -> bool:
        """Whether the earlier answer stands as it is."""
        asked = self.memory.asked
        return bool(self.answer) and asked is not None and len(self.settled) == len(self.plan.requirements)

    def fact(self, requirement: int) -> KnownFact:
        """The stored fact behind a held requirement."""
        return self.memory.facts[self.plan.requirements[requirement].id].fact

    def items(self) -> list[Item]:
        """E* of the earlier answer, in the order of its numbers, each carrying the facts it proves."""
        return [
            Item(one.slot, one.document, one.span, self._carried(one) or [_cited(one, 0, Verdict.RELATED, None)])
            for one in self.answer
        ]

    def facts(self) -> list[Fact]:
        """The facts of the earlier answer, with the numbers of their evidence."""
        numbers = {one.id: n for n, one in enumerate(self.answer, 1)}
        facts = []
        for j, requirement in enumerate(self.plan.requirements):
            known = self.fact(j)
            evidence = tuple(numbers[id_] for id_ in known.evidence if id_ in numbers)
            count = len(evidence)
            facts.append(Fact(requirement, known.status, known.value, evidence, matching=count, read=count))
        return facts

    def _carried(self, one: CurrentCitation) -> list[CitedSpan]:
        return [
            _cited(one, j, Verdict.FULL, self.fact(j).value)
            for j in sorted(self.held)
            if one.id in self.fact(j).evidence
        ]

    @property
    def reused(self) -> tuple[Reused, ...]:
        """What the answer owes to which cluster."""
        by_cluster: dict[str, list[int]] = {}
        for j in sorted(self.held):
            by_cluster.setdefault(self.memory.facts[self.plan.requirements[j].id].cluster, []).append(j)
        return tuple(
            Reused(
                cluster=cluster,
                asked_at=max(self.fact(j).at for j in held),
                requirements=tuple(self.plan.requirements[j].id for j in held),
            )
            for cluster, held in by_cluster.items()
        )


def _cited(one: CurrentCitation, requirement: int, verdict: Verdict, value: str | None) -> CitedSpan:
    return CitedSpan(
        one.slot,
        one.document,
        one.span,
        requirement,
        verdict,
        1.0,
        match=one.citation.match,
        value=value,
        arm=Arm.STORE,
    )


def recall(
    memory: MemoryContext,
    plan: Plan,
    reading: DocumentAccess,
    bearing: Callable[[int], Iterable[int]],
    exact: Mapping[int, Matches],
) -> Recalled:
    """Look up every citation in the documents as they are, and the documents that bear on what is held.

    ``bearing`` gives the slots that are admitted for a requirement before anything is known. ``exact`` are the
    requirements that an exact rule just counted: they are held only when the count is the same.
    """
    recalled = Recalled(plan, memory)
    for j, requirement in enumerate(plan.requirements):
        stored = memory.facts.get(requirement.id)
        if stored is None:
            continue
        if j in exact and str(exact[j].total) != stored.fact.value:
            continue
        looks = [_look(entry, reading, recalled) for entry in stored.citations]
        held = [look for look in looks if look is not None]
        if held and len(held) == len(looks):
            recalled.held[j] = held
            recalled.newer[j] = [] if j in exact else _newer(bearing(j), stored, reading)
        else:
            recalled.broken[j] = [
                recalled.checked[id_] for id_, _, _ in stored.citations if recalled.checked[id_].state not in _STANDS
            ]
    answer = [_look(entry, reading, recalled) for entry in memory.evidence]
    found = [look for look in answer if look is not None]
    recalled.answer = found if len(found) == len(answer) else []
    if not recalled.whole:  # both sides of a contested fact stand only as they were weighed together
        for j in [j for j in recalled.held if recalled.fact(j).status is not RequirementStatus.COVERED]:
            del recalled.held[j]
            del recalled.newer[j]
    return recalled


def _look(entry: tuple[str, Key, Citation], reading: DocumentAccess, recalled: Recalled) -> CurrentCitation | None:
    """A citation where it stands now, None when it does not; the look is kept."""
    id_, key, citation = entry
    found, checked = None, lost(citation)
    for text in reading.corpus.cache.texts(key):
        before = reading.before(text.slot)
        if text.piece is not None and not before <= citation.span.start:
            continue
        document = reading.document(text.slot)
        if document is None or (text.piece is not None and citation.span.end > before + len(document.text)):
            continue
        within = replace(citation, span=Span(citation.span.start - before, citation.span.end - before))
        checked = verify(within, document)
        if checked.state in _STANDS and checked.span is not None:
            found = CurrentCitation(id_, citation, text.slot, document, checked.span)
            break
    recalled.checked[id_] = checked
    return found


def _newer(bearing: Iterable[int], stored: StoredFact, reading: DocumentAccess) -> list[int]:
    files = {slot: reading.text(slot).key for slot in bearing}
    return [slot for slot, file in files.items() if stored.seen.get(file, "") != reading.hash_of(file)]


def named_newer(recalled: Recalled, reading: DocumentAccess, cited: Iterable[int]) -> tuple[str, ...]:
    """The newer documents that the answer does not cite, by path, as they are shown. ``cited`` are slots.

    A document that was there before and was not read then is none.
    """
    known = frozenset(cited)
    slots = dict.fromkeys(
        slot
        for j in sorted(recalled.newer)
        for slot in recalled.newer[j]
        if slot not in known and reading.changed_after(slot, recalled.fact(j).at)
    )
    return tuple(dict.fromkeys(map(reading.shown_path, slots)))


def broken_sources(recalled: Recalled) -> Iterator[str]:
    """What is to be said of the earlier answers whose sources do not hold any more, a sentence per fact."""
    for j, looks in sorted(recalled.broken.items()):
        paths = ", ".join(dict.fromkeys(display_path(look.citation.path) for look in looks))
        yield f"an earlier answer to “{recalled.plan.requirements[j].text}” rested on {paths}: {looks[0].why}"
