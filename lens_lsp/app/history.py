"""What questions leave behind in a workspace's store, and what of it bears on the next one (engine design, section 7).

Here the store's words (paths under a workspace, normal forms) meet the engine's (files by root, requirements). All
methods wait for the disk: call them off the event loop.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from lens_lsp.corpus.texts import Key
from lens_lsp.memory.answer_files import ANSWERS, Saved, write_answer
from lens_lsp.memory.citations import Places, record, record_blind
from lens_lsp.memory.clusters import (
    called_wrong,
    citation_id,
    fact_id,
    identify,
    is_quoted,
    live,
    organise,
    quoted,
    rechecked,
    settled,
    standing,
    used_again,
    value_of,
)
from lens_lsp.memory.export import file_name
from lens_lsp.memory.matching import likeness, question_key, requirement_key
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import Changes, Knowledge
from lens_lsp.model.answer import Answer, RequirementResult, RequirementStatus, Status
from lens_lsp.model.cluster import (
    OFFLINE,
    Asked,
    Checked,
    Citation,
    CitationState,
    Cluster,
    DocumentSummary,
    KnownFact,
    Seen,
    Turn,
    WrongAnswer,
)
from lens_lsp.model.documents import Document, Evidence
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span
from lens_lsp.model.words import content
from lens_lsp.search.recall import Recalled, Recollection, Remembered

_ALIKE = 0.4
"""Likeness from which an earlier question's evidence raises its documents."""
_MOST_ALIKE = 20
"""Earlier questions that may."""
_MOST_NEAR = 8
"""Facts of like questions that a model is told."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Where an item of evidence was cut from: the file, and the document and its span; None for the document of a
    piece of a large file, in which no other place can be told from this one."""

    file: Key
    document: Document | None
    span: Span


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answered question with what a store keeps of it.

    ``plan`` is what was to be searched for: the facts of the answer may be fewer, and in other words. ``roots`` are the
    folders that were searched, absolute; ``cuts`` are by the numbers of the evidence; ``seen`` the documents that bore
    on the question with their hashes; ``recalled`` what was known before, None for nothing.
    """

    answer: Answer
    plan: Plan
    oracle: str
    roots: tuple[str, ...]
    cuts: Mapping[int, Cut]
    seen: Mapping[Key, str]
    recalled: Recalled | None = None


class Memory:
    """One workspace's store as questions use it; nothing new is kept unless it ``keeps``.

    ``clock`` gives seconds since the epoch.
    """

    def __init__(
        self, store: Store, workspace: str, *, keeps: bool = True, clock: Callable[[], float] = time.time
    ) -> None:
        self.keeps = keeps
        self.store = store
        self._workspace = os.path.realpath(workspace)
        self._clock = clock

    def asked(self, question: str, oracle: str) -> Asked | None:
        """The same question as it was answered last, by this oracle or, for the rules, by any; a model's first."""
        key = question_key(question)
        found = [
            asked
            for id_ in self.store.by_question(key)
            if (cluster := self.store.cluster(id_)) is not None
            for asked in cluster.asked
            if asked.key == key and oracle in (asked.oracle, OFFLINE)
        ]
        return max(found, key=lambda asked: (asked.oracle != OFFLINE, asked.at), default=None)

    def near(self, question: str, oracle: str) -> tuple[str, ...]:
        """Facts that questions like this one looked up, the most alike first, in the words of this oracle alone."""
        if oracle == OFFLINE:
            return ()
        found: dict[str, None] = {}
        for like, id_ in self._alike(question):
            cluster = self.store.cluster(id_) if like >= _ALIKE else None
            for asked in () if cluster is None else cluster.asked:
                if asked.oracle == oracle:
                    found.update(dict.fromkeys(requirement.text for requirement in asked.plan.requirements))
        return tuple(found)[:_MOST_NEAR]

    def _alike(self, question: str) -> list[tuple[float, str]]:
        """How alike the earlier questions are, the most alike first, with their clusters."""
        words = content(question)
        known = ((likeness(words, content(key)), id_) for id_, key in self.store.questions())
        return sorted(known, key=lambda entry: (-entry[0], entry[1]))[:_MOST_ALIKE]

    def recollect(
        self,
        plan: Plan,
        asked: Asked | None,
        oracle: str,
        roots: Sequence[str],
        beside: Iterable[tuple[str, str]] = (),
    ) -> Recollection:
        """What is known of a plan's requirements. ``asked`` is the same question's answer, if there is one; ``roots``
        are the folders that are searched, absolute; ``beside`` files, by root and path, that the thread cites."""
        place = Places(self._workspace, roots)
        clusters: dict[str, Cluster | None] = {}
        facts = {}
        for j, requirement in enumerate(plan.requirements):
            key = requirement_key(requirement, plan.question, whole=oracle != OFFLINE)
            wanted = None if asked is None else asked.facts[j]
            if requirement.needs or (asked is not None and wanted is None):
                continue
            for id_ in self.store.by_fact(key) if asked is None else self.store.by_question(asked.key):
                cluster = clusters[id_] if id_ in clusters else clusters.setdefault(id_, self.store.cluster(id_))
                found = None if cluster is None else _remembered(cluster, key, wanted, place)
                if found is not None:
                    facts[requirement.id] = found
                    break
        evidence: tuple[tuple[str, Key, Citation], ...] = ()
        if asked is not None and asked.status is Status.ANSWERED:
            known = {id_: citation for c in clusters.values() if c is not None for id_, citation in c.citations}
            evidence = place.found((id_, known[id_]) for id_ in asked.evidence if id_ in known)
            evidence = evidence if len(evidence) == len(asked.evidence) else ()
        return Recollection(
            facts=facts,
            asked=asked if evidence else None,
            evidence=evidence,
            history={} if asked is not None else self._history(plan.question, place, beside),
            notes={} if asked is not None else self._notes(place),
        )

    def _history(self, question: str, place: Places, beside: Iterable[tuple[str, str]]) -> dict[Key, float]:
        """How well proven evidence in each file matches: how alike its question is, and how much its cluster counts.

        What the question's thread cites matches fully.
        """
        scores: dict[Key, float] = {}
        now = self._clock()
        for like, id_ in self._alike(question):
            cluster = self.store.cluster(id_) if like >= _ALIKE else None
            if cluster is None or cluster.archived:
                continue
            proving = {name for fact in live(cluster) for name in fact.evidence}
            for _, key, _ in place.found(entry for entry in cluster.citations if entry[0] in proving):
                scores[key] = max(scores.get(key, 0.0), like * standing(cluster, now))
        cited = {found for root, path in beside if (found := place.key(root, path)) is not None}
        return {**scores, **dict.fromkeys(sorted(cited), 1.0)}

    def _notes(self, place: Places) -> dict[Key, tuple[str, str]]:
        notes = {}
        for summary in self.store.summaries():
            key = place.key(summary.root, summary.path)
            if key is not None:
                notes[key] = (summary.text, summary.sha256)
        return notes

    def called_wrong(self, outcome: Outcome) -> WrongAnswer | None:
        """The wrong answer that this one repeats, by its words or by one of its facts; None where it repeats none."""
        known, answer = self.store.wrong(), outcome.answer
        results = {result.id: result for result in answer.requirements} if known else {}
        facts = {
            fact_id(_fact_key(requirement, result, outcome)[1], result.value)
            for requirement in outcome.plan.requirements
            if (result := results.get(requirement.id)) is not None and result.value is not None
        }
        return called_wrong(known, question_key(answer.question), answer.text, answer.short, facts)

    def keep(self, outcome: Outcome) -> Changes:
        """Keep what was proven, with everything it changes in what is known. Raises `NotSaved`.

        What rests on a private document is not kept.
        """
        recalled = outcome.recalled
        reused = {one.cluster for one in outcome.answer.reused}
        citations: dict[int, Citation] = {}
        new = None
        if recalled is None or not recalled.whole:
            place = Places(self._workspace, outcome.roots)
            citations = {item.n: _citation(item, outcome.cuts[item.n], place) for item in outcome.answer.evidence}
            new = self._cluster(outcome, citations, place)

        def change(knowledge: Knowledge) -> Changes:
            known = {id_: knowledge.cluster(id_) for id_ in _concerned(knowledge, new, reused, recalled)}
            before = [cluster for cluster in known.values() if cluster is not None]
            if recalled is not None:
                looks = _anew(recalled, {id_ for cluster in before for id_, _ in cluster.citations})
                before = [rechecked(cluster, looks) for cluster in before]
            before = [used_again(c, self._clock()) if c.id in reused else c for c in before]
            fresh = [] if new is None else [new]
            after = organise([*before, *_unlike(fresh, before)])
            return Changes(after.clusters, after.gone, summaries=() if new is None else _summaries(outcome, citations))

        changes = self.store.update(change)
        if new is not None:
            self._write_answer(outcome, citations, new.asked[0])
        return changes

    def _write_answer(self, outcome: Outcome, citations: Mapping[int, Citation], asked: Asked) -> None:
        """The answer as a file beside the store, readable and checkable without us."""
        answer = replace(outcome.answer, roots=outcome.roots)
        known = {item.n: replace(citations[item.n], path=item.path) for item in answer.evidence}
        moment = datetime.fromtimestamp(asked.at, UTC)
        folder = str(self.store.path.parent / ANSWERS)
        text = write_answer(Saved(answer, known, moment, folder, private=False))
        self.store.keep_answer(file_name(asked.question, asked.id), text)

    def _cluster(self, outcome: Outcome, citations: Mapping[int, Citation], place: Places) -> Cluster | None:
        """The question as a cluster of its own; None when nothing of it may be kept."""
        answer, now = outcome.answer, self._clock()
        if any(item.private for item in answer.evidence):
            return None
        ids = {n: citation_id(citation) for n, citation in citations.items()}
        results = {result.id: result for result in answer.requirements}
        facts = [
            _known_fact(requirement, results.get(requirement.id), outcome, ids, now)
            for requirement in outcome.plan.requirements
        ]
        proven = {fact.id: fact for fact in facts if fact is not None}
        if not proven:
            return None
        key = question_key(answer.question)
        asked = Asked(
            id=identify("asked", key, outcome.oracle),
            question=answer.question,
            key=key,
            plan=outcome.plan,
            mode=answer.mode,
            oracle=outcome.oracle,
            at=now,
            status=answer.kept_as,
            text=_words(outcome),
            short=_derived(answer.short, answer.evidence, outcome),
            facts=tuple(
                fact.id if fact is not None and fact.requirement == requirement else None
                for fact, requirement in zip(facts, outcome.plan.requirements, strict=True)
            ),
            evidence=tuple(ids[item.n] for item in answer.evidence),
            seen=tuple(sorted(Seen(*place.name(key), sha256) for key, sha256 in outcome.seen.items())),
            computation=answer.computation,
        )
        return settled(
            Cluster(
                id=identify("cluster", asked.id),
                title="",
                asked=(asked,),
                facts=tuple(proven[id_] for id_ in sorted(proven)),
                citations=tuple(sorted({ids[n]: citation for n, citation in citations.items()}.items())),
                created=now,
                used=now,
            )
        )

    def turns(self, thread: str) -> tuple[tuple[Turn, Asked | None], ...]:
        """The questions of a thread with their answers, the first one first."""
        found = []
        for turn in self.store.turns(thread):
            cluster = None if turn.cluster is None else self.store.cluster(turn.cluster)
            key = question_key(turn.question)
            asked = [] if cluster is None else [a for a in cluster.asked if a.key == key]
            found.append((turn, max(asked, key=lambda a: a.at, default=None)))
        return tuple(found)

    def cited(self, answers: Iterable[Asked]) -> frozenset[tuple[str, str]]:
        """Root and path of the files that answers cite."""
        files = set()
        for asked in answers:
            for id_ in self.store.by_question(asked.key):
                cluster = self.store.cluster(id_)
                cited = () if cluster is None else (c for name, c in cluster.citations if name in asked.evidence)
                files |= {(citation.root, citation.path) for citation in cited}
        return frozenset(files)

    def follow(self, thread: str, typed: str, question: str) -> None:
        """Note another question of a thread. Raises `NotSaved`."""

        def change(knowledge: Knowledge) -> Changes:
            known = knowledge.turns(thread)
            clusters = knowledge.by_question(question_key(question))
            n = known[-1].n + 1 if known else 1
            turn = Turn(thread, n, typed, question, clusters[0] if clusters else None, self._clock())
            return Changes(turns=(turn,))

        self.store.update(change)


def _citation(item: Evidence, cut: Cut, place: Places) -> Citation:
    root, path = place.name(cut.file)
    if cut.document is None:
        return replace(record_blind(item, root=root), path=path)
    found = record(cut.document, cut.span, root=root, match=item.match, heading=item.heading, locator=item.locator)
    return replace(found, path=path)


def _known_fact(
    requirement: Requirement, result: RequirementResult | None, outcome: Outcome, ids: Mapping[int, str], now: float
) -> KnownFact | None:
    """A requirement that was proven, in the words in which it was; None for one that was not."""
    if result is None or result.status is RequirementStatus.MISSING or not result.evidence:
        return None
    requirement, key = _fact_key(requirement, result, outcome)
    proof = [item for item in outcome.answer.evidence if item.n in result.evidence]
    value = result.value
    if value != str(result.matching):  # what was counted is the count of an exact rule
        value = _derived(value, proof, outcome)
    return KnownFact(
        id=fact_id(key, value),
        key=key,
        requirement=requirement,
        status=result.status,
        value=value,
        confidence=result.confidence,
        evidence=tuple(dict.fromkeys(ids[n] for n in result.evidence)),
        at=now,
    )


def _words(outcome: Outcome) -> str:
    """The words to keep: those of the rules, those of a model only where all of them were held against the quotes."""
    answer = outcome.answer
    sound = answer.status is Status.ANSWERED and not answer.doubts and not answer.unsupported
    return answer.text if outcome.oracle == OFFLINE or sound else quoted([item.quote for item in answer.evidence])


def _derived(value: str | None, proof: Sequence[Evidence], outcome: Outcome) -> str | None:
    """A value, if rules or our arithmetic gave it or it stands in a quote: what only a model says is no fact."""
    computation = outcome.answer.computation
    if value is None or outcome.oracle == OFFLINE or (computation is not None and value == computation.value):
        return value
    return value if is_quoted(value, [item.quote for item in proof]) else None


def _fact_key(requirement: Requirement, result: RequirementResult, outcome: Outcome) -> tuple[Requirement, str]:
    """A requirement in the words in which it was proven, and the normal form of these."""
    requirement = replace(requirement, text=result.text, template=None)
    return requirement, requirement_key(requirement, outcome.answer.question, whole=outcome.oracle != OFFLINE)


def _summaries(outcome: Outcome, citations: Mapping[int, Citation]) -> tuple[DocumentSummary, ...]:
    """What was proven from each cited document, in words."""
    said: dict[tuple[str, str, str], list[str]] = {}
    answer = outcome.answer
    for result in answer.requirements:
        if result.status is RequirementStatus.COVERED:
            for citation in (citations[n] for n in result.evidence):
                words = f"{result.text} {_derived(result.value, answer.evidence, outcome) or ''}".strip()
                said.setdefault((citation.root, citation.path, citation.sha256), []).append(words)
    return tuple(DocumentSummary(*place, "\n".join(dict.fromkeys(words))) for place, words in sorted(said.items()))


def _remembered(cluster: Cluster, key: str, wanted: str | None, place: Places) -> Remembered | None:
    """The cluster's live fact of this key, the one that ``wanted`` names if it names one; the latest of several. What
    was proven in other words than were planned, or with what another fact found, no question names: it is on record."""
    facts = [fact for fact in live(cluster) if (fact.id == wanted if wanted is not None else fact.key == key)]
    named = {id_ for asked in cluster.asked for id_ in asked.facts}
    fact = max((fact for fact in facts if fact.id in named), key=lambda f: (f.at, f.id), default=None)
    if fact is None or len({one.value for one in facts}) > 1:
        return None
    citations = dict(cluster.citations)
    evidence = place.found((id_, citations[id_]) for id_ in fact.evidence if id_ in citations)
    if len(evidence) < len(fact.evidence):
        return None  # what lies outside of the searched folders proves nothing here
    seen = {
        found: one.sha256
        for asked in sorted(cluster.asked, key=lambda a: a.at)
        if fact.id in asked.facts
        for one in asked.seen
        if (found := place.key(one.root, one.path)) is not None
    }
    return Remembered(cluster.id, replace(fact, value=value_of(fact, cluster)), evidence, seen)


def _concerned(
    knowledge: Knowledge, new: Cluster | None, reused: Iterable[str], recalled: Recalled | None
) -> list[str]:
    """The clusters that share something with what is new, or that were looked at."""
    ids = set(reused)
    if recalled is not None:
        ids |= {remembered.cluster for remembered in recalled.recollection.facts.values()}
    if new is not None:
        for asked in new.asked:
            ids.update(knowledge.by_question(asked.key))
        for fact in new.facts:
            ids.update(knowledge.by_fact(fact.key))
        for id_, _ in new.citations:
            ids.update(knowledge.by_citation(id_))
    return sorted(ids)


def _anew(recalled: Recalled, known: set[str]) -> dict[str, Checked]:
    """The looks that were taken, with what moved cited where it stands now."""
    held = {one.id: one for items in (*recalled.held.values(), recalled.answer) for one in items}
    looks = {}
    for id_, look in recalled.checked.items():
        if id_ not in known:
            continue
        one = held.get(id_)
        if one is not None and look.state is CitationState.MOVED:
            citation = record(one.document, one.span, root=one.citation.root, match=one.citation.match)
            look = replace(look, citation=replace(citation, path=one.citation.path, heading=one.citation.heading))
        looks[id_] = look
    return looks


def _unlike(fresh: Sequence[Cluster], before: Sequence[Cluster]) -> list[Cluster]:
    """New clusters; under another id where theirs is taken, so that merging can tell them apart."""
    taken = {cluster.id for cluster in before}
    return [c if c.id not in taken else replace(c, id=identify(c.id, str(c.created))) for c in fresh]
