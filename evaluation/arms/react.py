"""ReAct Search: thought, action, observation, over the raw files and without an index.

The agent sees the same files as LENS, and every step is a call of the same budget. On the last one it is told to
finish. A reply that is no action is answered once; the second one ends the question as the model's failure.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.arms.access import Access, Excerpt
from evaluation.arms.base import Quoted
from evaluation.arms.calling import Talk
from evaluation.arms.prompts import (
    AGENT,
    LAST_STEP,
    LEFT_OUT,
    NO_QUERY,
    NO_SUCH_PAGE,
    NOTHING_FOUND,
    QUESTION,
    STEP_SCHEMA,
    STEP_TOKENS,
    Action,
    Step,
    Wording,
    parse_step,
    passages,
)
from lens_lsp.judge.ledger import CallStage
from lens_lsp.judge.llm.chat_model import Message, Role
from lens_lsp.judge.llm.conversation import Prompt
from lens_lsp.model.errors import UsageError

FOUND = 5
"""Files that a search shows."""

_TRACED = 400
"""Code points of a line of the trace."""

Seen = tuple[str, str]
"""What the agent wrote in a step, and what it was shown."""


@dataclass(slots=True)
class ReAct:
    """The loop. Steps are bounded by the calls of the budget."""

    _access: Access | None = field(default=None, init=False)

    def prepare(self, corpus_dir: Path) -> float:
        """Open the folder and read it into memory."""
        began = time.perf_counter()
        self._access = Access(corpus_dir)
        self._access.search("warm", 1)
        return time.perf_counter() - began

    def stored_bytes(self) -> int:
        """Nothing is kept."""
        return 0

    def retrieve(self, question: str, depth: int) -> Sequence[Excerpt]:
        """Nothing: it looks for itself."""
        return ()

    async def answer(self, question: str, retrieved: Sequence[Excerpt], talk: Talk) -> Wording:
        """The answer that the agent finishes with."""
        seen: list[Seen] = []
        while True:
            messages = _conversation(question, seen, talk, last=False)
            last = talk.is_last(messages, STEP_TOKENS)
            stage = CallStage.SYNTHESISE if last else CallStage.OBSERVE
            if last:
                messages = _conversation(question, seen, talk, last=True)
            step = await talk.ask(stage, messages, STEP_TOKENS, STEP_SCHEMA, parse_step)
            talk.trace += [_line("thought", step.thought), _line("action", step.told)]
            if step.action is Action.FINISH:
                return step.wording
            told, observed = self._done(step, talk)
            talk.trace.append(_line("observation", observed))
            seen.append((step.said, told))

    def close(self) -> None:
        """Drop what is in memory."""
        self._access = None

    def _done(self, step: Step, talk: Talk) -> tuple[str, str]:
        """Carry out a search or a reading: what the agent is told of it, and the same without any text of a file."""
        if self._access is None:
            raise UsageError("prepare the arm before searching")
        if step.action is Action.SEARCH:
            if not step.query.strip():
                return NO_QUERY, NO_QUERY
            found = [talk.show(excerpt) for excerpt in self._access.search(step.query, FOUND)]
            return (passages(found), _named(found)) if found else (NOTHING_FOUND, NOTHING_FOUND)
        page = self._access.read(step.path, step.offset)
        if page is None:
            none = NO_SUCH_PAGE.format(path=step.path, offset=step.offset)
            return none, none
        read = [talk.show(excerpt) for excerpt in page.excerpts]
        more = "" if page.next is None else f"\n(the file goes on at offset {page.next})"
        return f"{passages(read)}{more}", f"{_named(read)}{more}"


def _named(shown: Sequence[Quoted]) -> str:
    """Passages by number, path and place; their text stands in the evidence."""
    return ", ".join(f"[{item.n}] {item.path} {item.start}–{item.end}" for item in shown)


def _line(kind: str, text: str) -> str:
    """A line of the trace, bounded: what the agent writes may be of any length."""
    told = " ".join(text.split())
    return f"{kind}: {told if len(told) <= _TRACED else told[: _TRACED - 1] + '…'}"


def _conversation(question: str, seen: Sequence[Seen], talk: Talk, *, last: bool) -> tuple[Message, ...]:
    """The request of the next step; where the model's context is too small, the oldest observations are left out."""
    for dropped in range(len(seen) + 1):
        messages = [
            Message(Role.SYSTEM, AGENT.format(steps=talk.ledger.budget.calls)),
            Message(Role.USER, QUESTION.format(question=question)),
        ]
        for number, (said, observation) in enumerate(seen):
            messages.append(Message(Role.ASSISTANT, said))
            messages.append(Message(Role.USER, LEFT_OUT if number < dropped else observation))
        if last:
            messages[-1] = Message(Role.USER, f"{messages[-1].text}\n{LAST_STEP}")
        if Prompt(tuple(messages), STEP_TOKENS, STEP_SCHEMA).tokens <= talk.room(STEP_TOKENS):
            break
    return tuple(messages)
