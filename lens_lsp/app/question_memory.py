"""The memory of earlier questions: what is known of a question before it is searched, and what of its answer is kept.

`Memory` is a workspace's store as questions use it: there the store's words (paths under a workspace, normal forms)
meet the search's (files by root, requirements). `QuestionMemory` is what one question has to do with it: what it
refers to, what is taken up, what is kept; nothing of that may cost an answer, so a store that cannot be read or
written is said once in the answer's warnings. All methods wait for the disk: call them off the event loop.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from lens_lsp.corpus.safe_open import Key
from lens_lsp.judge.rules.question_plan import EarlierQuestion, question_plan, resolve_references
from lens_lsp.memory.answer_files import Saved, file_name
from lens_lsp.memory.citations import WorkspacePaths, record, record_blind
from lens_lsp.memory.clusters import (
    called_wrong,
    citation_id,
    decay_weight,
    fact_id,
    identify,
    is_quoted,
    live,
    organise,
    quoted,
    rechecked,
    settled,
    used_again,
    value_of,
)
from lens_lsp.memory.matching import likeness, question_key, requirement_key
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import StoreError
from lens_lsp.memory.store_rows import Changes, StoreView
from lens_lsp.model.answer import Answer, RequirementResult, RequirementStatus, Status, StopReason
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
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span
from lens_lsp.model.words import content
from lens_lsp.search.corpus_view import DocumentAccess
from lens_lsp.search.recall import MemoryContext, Recalled, StoredFact
from lens_lsp.search.search import Search
from lens_lsp.search.synthesis import AnswerSynthesis

_ALIKE = 0.4
"""Likeness from which an earlier question's evidence raises its documents."""
_MOST_ALIKE = 20
"""Earlier questions that may."""
_MOST_NEAR = 8
"""Facts of like questions that a model is told."""
_MOST_WRONG = 5
_LONGEST_WRONG = 200
"""Answers called wrong that are looked out for, and code points of each."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EvidenceOrigin:
    """Where an item of evidence was cut from: the file, and the document and its span; None for the document of a
    piece of a large file, in which no other place can be told from this one."""

    file: Key
    document: Document | None
    span: Span


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answered question with what a store keeps of it.

    ``plan`` is what was to be searched for: the facts of the answer may be fewer, and in other words. ``roots`` are the
    folders that were searched, absolute; ``origins`` are by the numbers of the evidence; ``seen`` the documents that
    bore on the question with their hashes; ``recalled`` what was known before, None for nothing.
    """

    answer: Answer
    plan: Plan
    oracle: str
    roots: tuple[str, ...]
    origins: Mapping[int, EvidenceOrigin]
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
        for _, cluster in self._alike(question):
            for asked in cluster.asked:
                if asked.oracle == oracle:
                    found.update(dict.fromkeys(requirement.text for requirement in asked.plan.requirements))
        return tuple(found)[:_MOST_NEAR]

    def _alike(self, question: str) -> Iterator[tuple[float, Cluster]]:
        """The clusters of questions like this one, the most alike first, with how alike these are."""
        words = content(question)
        known = ((likeness(words, content(key)), id_) for id_, key in self.store.questions())
        for like, id_ in sorted(known, key=lambda entry: (-entry[0], entry[1]))[:_MOST_ALIKE]:
            cluster = self.store.cluster(id_) if like >= _ALIKE else None
            if cluster is not None:
                yield like, cluster

    def recollect(
        self,
        plan: Plan,
        asked: Asked | None,
        oracle: str,
        roots: Sequence[str],
        beside: Iterable[tuple[str, str]] = (),
    ) -> MemoryContext:
        """What is known of a plan's requirements. ``asked`` is the same question's answer, if there is one; ``roots``
        are the folders that are searched, absolute; ``beside`` files, by root and path, that the thread cites."""
        place = WorkspacePaths(self._workspace, roots)
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
        return MemoryContext(
            facts=facts,
            asked=asked if evidence else None,
            evidence=evidence,
            history={} if asked is not None else self._history(plan.question, place, beside),
            notes={} if asked is not None else self._notes(place),
            wrong=self._wrong(plan.question),
        )

    def _wrong(self, question: str) -> tuple[str, ...]:
        """The short answers to this very question that the user called wrong, the last ones first."""
        asked = question_key(question)
        said = (wrong.short for wrong in reversed(self.store.wrong()) if wrong.key == asked and wrong.short)
        return tuple(dict.fromkeys(short[:_LONGEST_WRONG] for short in said))[:_MOST_WRONG]

    def _history(self, question: str, place: WorkspacePaths, beside: Iterable[tuple[str, str]]) -> dict[Key, float]:
        """How well proven evidence in each file matches: how alike its question is, and how much its cluster counts.

        What the question's thread cites matches fully.
        """
        scores: dict[Key, float] = {}
        now = self._clock()
        for like, cluster in self._alike(question):
            if cluster.archived:
                continue
            proving = {name for fact in live(cluster) for name in fact.evidence}
            for _, key, _ in place.found(entry for entry in cluster.citations if entry[0] in proving):
                scores[key] = max(scores.get(key, 0.0), like * decay_weight(cluster, now))
        cited = {found for root, path in beside if (found := place.key(root, path)) is not None}
        return {**scores, **dict.fromkeys(sorted(cited), 1.0)}

    def _notes(self, place: WorkspacePaths) -> dict[Key, tuple[str, str]]:
        found = ((place.key(each.root, each.path), each) for each in self.store.summaries())
        return {key: (each.text, each.sha256) for key, each in found if key is not None}

    def called_wrong(self, entry: AnswerRecord) -> WrongAnswer | None:
        """The wrong answer that this one repeats, by its words or by one of its facts; None where it repeats none."""
        known, answer = self.store.wrong(), entry.answer
        results = {result.id: result for result in answer.requirements} if known else {}
        facts = {
            fact_id(_fact_key(requirement, result, entry)[1], result.value)
            for requirement in entry.plan.requirements
            if (result := results.get(requirement.id)) is not None and result.value is not None
        }
        return called_wrong(known, question_key(answer.question), answer.text, answer.short, facts)

    def keep(self, entry: AnswerRecord) -> Changes:
        """Keep what was proven, with everything it changes in what is known. Raises `NotSaved`.

        What rests on a private document is not kept.
        """
        recalled = entry.recalled
        reused = {one.cluster for one in entry.answer.reused}
        citations: dict[int, Citation] = {}
        new = None
        if recalled is None or not recalled.whole:
            place = WorkspacePaths(self._workspace, entry.roots)
            citations = {item.n: _citation(item, entry.origins[item.n], place) for item in entry.answer.evidence}
            new = self._cluster(entry, citations, place)

        def change(view: StoreView) -> Changes:
            known = {id_: view.cluster(id_) for id_ in _concerned(view, new, reused, recalled)}
            before = [cluster for cluster in known.values() if cluster is not None]
            if recalled is not None:
                looks = _anew(recalled, {id_ for cluster in before for id_, _ in cluster.citations})
                before = [rechecked(cluster, looks) for cluster in before]
            before = [used_again(c, self._clock()) if c.id in reused else c for c in before]
            fresh = new
            if fresh is not None and any(cluster.id == fresh.id for cluster in before):
                # Another id, so that merging can tell them apart.
                fresh = replace(fresh, id=identify(fresh.id, str(fresh.created)))
            after = organise(before if fresh is None else [*before, fresh])
            return Changes(after.clusters, after.gone, summaries=() if new is None else _summaries(entry, citations))

        changes = self.store.update(change)
        if new is not None:
            self._write_answer(entry, citations, new.asked[0])
        return changes

    def _write_answer(self, entry: AnswerRecord, citations: Mapping[int, Citation], asked: Asked) -> None:
        """The answer as a file beside the store, readable and checkable without us."""
        answer = replace(entry.answer, roots=entry.roots)
        known = {item.n: replace(citations[item.n], path=item.path) for item in answer.evidence}
        moment = datetime.fromtimestamp(asked.at, UTC)
        saved = Saved(answer, known, moment, None, private=False)
        self.store.keep_answer(file_name(asked.question, asked.id), saved)

    def _cluster(self, entry: AnswerRecord, citations: Mapping[int, Citation], place: WorkspacePaths) -> Cluster | None:
        """The question as a cluster of its own; None when nothing of it may be kept."""
        answer, now = entry.answer, self._clock()
        if any(item.private for item in answer.evidence):
            return None
        ids = {n: citation_id(citation) for n, citation in citations.items()}
        results = {result.id: result for result in answer.requirements}
        facts = [
            _known_fact(requirement, results.get(requirement.id), entry, ids, now)
            for requirement in entry.plan.requirements
        ]
        proven = {fact.id: fact for fact in facts if fact is not None}
        if not proven:
            return None
        key = question_key(answer.question)
        asked = Asked(
            id=identify("asked", key, entry.oracle),
            question=answer.question,
            key=key,
            plan=entry.plan,
            mode=answer.mode,
            oracle=entry.oracle,
            at=now,
            status=answer.kept_as,
            text=_words(entry),
            short=_derived(answer.short, answer.evidence, entry),
            facts=tuple(
                fact.id if fact is not None and fact.requirement == requirement else None
                for fact, requirement in zip(facts, entry.plan.requirements, strict=True)
            ),
            evidence=tuple(ids[item.n] for item in answer.evidence),
            seen=tuple(sorted(Seen(*place.name(key), sha256) for key, sha256 in entry.seen.items())),
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

        def change(view: StoreView) -> Changes:
            known = view.turns(thread)
            clusters = view.by_question(question_key(question))
            n = known[-1].n + 1 if known else 1
            turn = Turn(thread, n, typed, question, clusters[0] if clusters else None, self._clock())
            return Changes(turns=(turn,))

        self.store.update(change)


def _citation(item: Evidence, origin: EvidenceOrigin, place: WorkspacePaths) -> Citation:
    root, path = place.name(origin.file)
    if origin.document is None:
        return replace(record_blind(item, root=root), path=path)
    found = record(
        origin.document, origin.span, root=root, match=item.match, heading=item.heading, locator=item.locator
    )
    return replace(found, path=path)


def _known_fact(
    requirement: Requirement, result: RequirementResult | None, entry: AnswerRecord, ids: Mapping[int, str], now: float
) -> KnownFact | None:
    """A requirement that was proven, in the words in which it was; None for one that was not."""
    if result is None or result.status is RequirementStatus.MISSING or not result.evidence:
        return None
    requirement, key = _fact_key(requirement, result, entry)
    proof = [item for item in entry.answer.evidence if item.n in result.evidence]
    value = result.value
    if value != str(result.matching):  # what was counted is the count of an exact rule
        value = _derived(value, proof, entry)
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


def _words(entry: AnswerRecord) -> str:
    """The words to keep: those of the rules, those of a model only where all of them were held against the quotes."""
    answer = entry.answer
    sound = answer.status is Status.ANSWERED and not answer.doubts and not answer.unsupported
    return answer.text if entry.oracle == OFFLINE or sound else quoted([item.quote for item in answer.evidence])


def _derived(value: str | None, proof: Sequence[Evidence], entry: AnswerRecord) -> str | None:
    """A value, if rules or our arithmetic gave it or it stands in a quote: what only a model says is no fact."""
    computation = entry.answer.computation
    if value is None or entry.oracle == OFFLINE or (computation is not None and value == computation.value):
        return value
    return value if is_quoted(value, [item.quote for item in proof]) else None


def _fact_key(requirement: Requirement, result: RequirementResult, entry: AnswerRecord) -> tuple[Requirement, str]:
    """A requirement in the words in which it was proven, and the normal form of these."""
    requirement = replace(requirement, text=result.text, template=None)
    return requirement, requirement_key(requirement, entry.answer.question, whole=entry.oracle != OFFLINE)


def _summaries(entry: AnswerRecord, citations: Mapping[int, Citation]) -> tuple[DocumentSummary, ...]:
    """What was proven from each cited document, in words."""
    said: dict[tuple[str, str, str], list[str]] = {}
    answer = entry.answer
    for result in answer.requirements:
        if result.status is RequirementStatus.COVERED:
            for citation in (citations[n] for n in result.evidence):
                words = f"{result.text} {_derived(result.value, answer.evidence, entry) or ''}".strip()
                said.setdefault((citation.root, citation.path, citation.sha256), []).append(words)
    return tuple(DocumentSummary(*place, "\n".join(dict.fromkeys(words))) for place, words in sorted(said.items()))


def _remembered(cluster: Cluster, key: str, wanted: str | None, place: WorkspacePaths) -> StoredFact | None:
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
    return StoredFact(cluster.id, replace(fact, value=value_of(fact, cluster)), evidence, seen)


def _concerned(view: StoreView, new: Cluster | None, reused: Iterable[str], recalled: Recalled | None) -> list[str]:
    """The clusters that share something with what is new, or that were looked at."""
    ids = set(reused)
    if recalled is not None:
        ids |= {remembered.cluster for remembered in recalled.memory.facts.values()}
    if new is not None:
        for asked in new.asked:
            ids.update(view.by_question(asked.key))
        for fact in new.facts:
            ids.update(view.by_fact(fact.key))
        for id_, _ in new.citations:
            ids.update(view.by_citation(id_))
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


@dataclass(slots=True)
class QuestionMemory:
    """What is known, for one question. ``typed`` is the question as it came, ``endpoint`` where it is answered; None
    for the rules."""

    memory: Memory
    typed: str
    endpoint: str | None
    thread: str | None = None
    anew: bool = False
    """Nothing that earlier questions proved is taken up."""
    question: str = ""
    """The question with what it refers to in its thread put in; after `begin`."""
    near: tuple[str, ...] = ()
    """Facts that like questions looked up; after `begin`."""
    warnings: list[str] = field(default_factory=list)
    _asked: Asked | None = None
    _reuses: bool = False
    """Its plan is the plan of this question, too."""
    _thread_evidence: frozenset[tuple[str, str]] = frozenset()

    @property
    def _oracle(self) -> str:
        return self.endpoint or OFFLINE

    def begin(self, *, reads_first: bool = False) -> Plan | None:
        """Make the question whole; the plan it was answered by before, None when it is new or that plan is not one for
        a judge that ``reads_first``, which answers the question itself."""
        self.question = self.typed
        return self._try(partial(self._begin, reads_first), None)

    def _begin(self, reads_first: bool) -> Plan | None:
        if self.thread is not None:
            turns = self.memory.turns(self.thread)
            earlier = [EarlierQuestion(turn.question, None if asked is None else asked.short) for turn, asked in turns]
            self.question = resolve_references(self.typed, earlier)
            self._thread_evidence = self.memory.cited(asked for _, asked in turns if asked is not None)
        if self.anew:
            return None
        self._asked = self.memory.asked(self.question, self._oracle)
        if self._asked is not None and (not reads_first or asks_question(self._asked.plan)):
            self._reuses = True
            return self._asked.plan
        self.near = self.memory.near(self.question, self._oracle)
        return None

    def recollect(self, plan: Plan, reading: DocumentAccess, roots: Sequence[str]) -> MemoryContext:
        """What is known of a plan's requirements; what raises documents enters the reading's corpus."""
        nothing = MemoryContext()
        asked = self._asked if self._reuses else None
        recollection = self._try(
            lambda: self.memory.recollect(plan, asked, self._oracle, roots, self._thread_evidence), nothing
        )
        if self.anew:
            recollection = replace(recollection, facts={})
        if recollection.wrong and self.endpoint is None:
            self.warnings.append(f"left out, because you called it wrong: {', '.join(recollection.wrong)}")
        reading.corpus.history = recollection.history
        words = content(plan.question)
        reading.corpus.notes = {
            file: stems
            for file, (text, sha256) in recollection.notes.items()
            if (stems := content(text)) & words and reading.hash_of(file) == sha256
        }
        return recollection

    def keep(self, answer: Answer, search: Search, answering: AnswerSynthesis, roots: Sequence[str]) -> Answer:
        """Keep what was proven; the answer with what has to be said about that."""
        if self.memory.keeps:
            self._keep(answer, search, answering, roots)
        typed = None if self.question == self.typed else self.typed
        return replace(answer, typed=typed, warnings=(*answer.warnings, *dict.fromkeys(self.warnings)))

    def _keep(self, answer: Answer, search: Search, answering: AnswerSynthesis, roots: Sequence[str]) -> None:
        known = search.recalled is not None and search.recalled.whole
        entry = AnswerRecord(
            answer=answer,
            plan=search.planned,
            oracle=self._oracle,
            roots=tuple(roots),
            origins={} if known else _origins(answering, search.reading),
            seen={} if known else self._seen(answer, search),
            recalled=search.recalled,
        )

        def write() -> None:
            wrong = self.memory.called_wrong(entry)
            if wrong is not None:
                day = datetime.fromtimestamp(wrong.at, UTC).date().isoformat()
                self.warnings.append(f"an answer that you called wrong on {day} says the same: this one is not kept")
            elif not self._less(answer):
                self.memory.keep(entry)
            if self.thread is not None:
                self.memory.follow(self.thread, self.typed, self.question)

        self._try(write, None)

    def _less(self, answer: Answer) -> bool:
        """Whether the question was stopped, or came before all documents were read, and known is a whole answer of the
        same oracle: that one stays."""
        known = self._asked
        whole = known is not None and known.status is Status.ANSWERED and known.oracle == self._oracle
        return whole and (answer.stopped is StopReason.CANCELLED or answer.coverage.unread > 0)

    def _seen(self, answer: Answer, search: Search) -> dict[Key, str]:
        """The documents that bear on the question, but for newer ones that rules read and did not cite: these cannot
        tell whether such a document contradicts, so it stays named until it is cited."""
        unjudged = set(answer.newer) if self.endpoint is None else set()
        seen = {}
        for slot in search.bearing():
            file = search.reading.text(slot).key
            found = search.reading.hash_of(file)
            if found is not None and search.reading.shown_path(slot) not in unjudged:
                seen[file] = found
        return seen

    def _try(self, use: Callable[[], T], otherwise: T) -> T:
        try:
            return use()
        except StoreError as error:
            self.warnings.append(str(error))
            return otherwise


def _origins(answering: AnswerSynthesis, reading: DocumentAccess) -> dict[int, EvidenceOrigin]:
    return {
        n: EvidenceOrigin(
            reading.text(item.slot).key,
            item.document if reading.text(item.slot).piece is None else None,
            item.span,
        )
        for n, item in enumerate(answering.items, 1)
    }


def asks_question(plan: Plan) -> bool:
    """Whether the first facts of a plan are those of a judge that reads first: the question itself, or exact counts.
    What such a judge said to be missing may follow."""

    def keys(requirements: Sequence[Requirement]) -> list[str]:
        return [requirement_key(requirement, plan.question, whole=True) for requirement in requirements]

    own = question_plan(plan.question).requirements
    return keys(own) == keys(plan.requirements[: len(own)])
