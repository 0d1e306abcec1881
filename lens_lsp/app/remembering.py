"""One question's dealings with what is known: what it refers to, what is taken up, what is kept.

Nothing here may cost an answer. A store that cannot be read or written is said once in the answer's warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from lens_lsp.app.history import Cut, Memory, Outcome
from lens_lsp.corpus.texts import Key
from lens_lsp.judge.rules.question_plan import EarlierQuestion, question_plan, resolve_references
from lens_lsp.memory.matching import requirement_key
from lens_lsp.memory.store_file import StoreError
from lens_lsp.model.answer import Answer, Status, StopReason
from lens_lsp.model.cluster import OFFLINE, Asked
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.words import content
from lens_lsp.search.corpus_view import Reading
from lens_lsp.search.recall import Recollection
from lens_lsp.search.search import Search
from lens_lsp.search.synthesis import Answering

T = TypeVar("T")


@dataclass(slots=True)
class Remembering:
    """What is known, for one question. ``typed`` is the question as it came, ``endpoint`` where it is answered; None
    for the rules."""

    memory: Memory
    typed: str
    endpoint: str | None
    thread: str | None = None
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
        self._asked = self.memory.asked(self.question, self._oracle)
        if self._asked is not None and (not reads_first or asks_question(self._asked.plan)):
            self._reuses = True
            return self._asked.plan
        self.near = self.memory.near(self.question, self._oracle)
        return None

    def recollect(self, plan: Plan, reading: Reading, roots: Sequence[str]) -> Recollection:
        """What is known of a plan's requirements; what raises documents enters the reading's corpus."""
        nothing = Recollection()
        asked = self._asked if self._reuses else None
        recollection = self._try(
            lambda: self.memory.recollect(plan, asked, self._oracle, roots, self._thread_evidence), nothing
        )
        reading.corpus.history = recollection.history
        words = content(plan.question)
        reading.corpus.notes = {
            file: stems
            for file, (text, sha256) in recollection.notes.items()
            if (stems := content(text)) & words and reading.hash_of(file) == sha256
        }
        return recollection

    def keep(self, answer: Answer, search: Search, answering: Answering, roots: Sequence[str]) -> Answer:
        """Keep what was proven; the answer with what has to be said about that."""
        if self.memory.keeps:
            self._keep(answer, search, answering, roots)
        typed = None if self.question == self.typed else self.typed
        return replace(answer, typed=typed, warnings=(*answer.warnings, *dict.fromkeys(self.warnings)))

    def _keep(self, answer: Answer, search: Search, answering: Answering, roots: Sequence[str]) -> None:
        known = search.recalled is not None and search.recalled.whole
        outcome = Outcome(
            answer=answer,
            plan=search.planned,
            oracle=self._oracle,
            roots=tuple(roots),
            cuts={} if known else _cuts(answering, search.reading),
            seen={} if known else self._seen(answer, search),
            recalled=search.recalled,
        )

        def write() -> None:
            wrong = self.memory.called_wrong(outcome)
            if wrong is not None:
                day = datetime.fromtimestamp(wrong.at, UTC).date().isoformat()
                self.warnings.append(f"an answer that you called wrong on {day} says the same: this one is not kept")
            elif not self._less(answer):
                self.memory.keep(outcome)
            if self.thread is not None:
                self.memory.follow(self.thread, self.typed, self.question)

        self._try(write, None)

    def _less(self, answer: Answer) -> bool:
        """Whether the question was stopped, and known is a whole answer of the same oracle: that one stays."""
        known = self._asked
        whole = known is not None and known.status is Status.ANSWERED and known.oracle == self._oracle
        return whole and answer.stopped is StopReason.CANCELLED

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


def _cuts(answering: Answering, reading: Reading) -> dict[int, Cut]:
    return {
        n: Cut(
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
