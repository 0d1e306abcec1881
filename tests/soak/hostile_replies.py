"""Questions asked of a model that is the attacker: whatever it replies, the invariants of evidence hold.

``python -m tests.soak.hostile_replies --replies 50000`` asks in both modes until the model has replied as often, and
prints one JSON line. An independent checker reads every cited quote from the bytes on disk again. It exits with 1 if an
invariant broke, if the model was too tame (few quotes accepted or few rejected), or if the same harness did not catch
oracles whose quotes were not checked.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.app.settings import Request
from lens_lsp.judge.ledger import Budget, Ledger
from lens_lsp.judge.llm.chat_oracle import ChatOracle
from lens_lsp.judge.oracle import ObserveRequest, ReadReply, ReadRequest
from lens_lsp.model.answer import Answer, Answered, EvidenceFound, Mode
from lens_lsp.model.observation import Judgement, ObservationReply, Region
from tests.judge.llm.chat_session import BOUNDS, QUESTION, WITHOUT_RULES, oracle_of, taken
from tests.judge.llm.grammar import Grammar, workspace
from tests.judge.llm.independent import held, violations
from tests.soak.harness import Options, Verdict, harness

MODES = (Mode.DEEP, Mode.FAST)
LIMITS = {"request_tokens": 700, "direct_tokens": 50}


class Believing(ChatOracle):
    """The mutant: a quote that stands nowhere becomes the sentence that is most like it, as a fuzzy check would."""

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        reply = await ChatOracle.observe(self, request, ledger)
        regions = {region.number: region for region in request.regions}
        return replace(
            reply,
            observations=tuple(
                replace(one, judgements=tuple(_likened(each, regions[one.region]) for each in one.judgements))
                for one in reply.observations
            ),
        )

    async def read(self, request: ReadRequest, reply: ReadReply, ledger: Ledger) -> AsyncGenerator[str]:
        async with aclosing(ChatOracle.read(self, request, reply, ledger)) as words:
            async for piece in words:
                yield piece
        texts = {region.number: region for region in request.regions}
        reply.quotes = tuple(replace(one, text=_like(one.text, texts[one.region])) for one in reply.quotes)


def _likened(judgement: Judgement, region: Region) -> Judgement:
    return judgement if judgement.quote is None else replace(judgement, quote=_like(judgement.quote, region))


def _like(quote: str, region: Region) -> str:
    if quote in region.text:
        return quote
    words = set(quote.split())
    units = [region.text[unit.start : unit.end] for unit in region.units] or [region.text]
    return max(units, key=lambda unit: len(words.intersection(unit.split())))


@dataclass
class Tally:
    """What came of a number of sessions."""

    sessions: int = 0
    replies: int = 0
    evidence: int = 0
    rejected: int = 0
    most: dict[str, int] = field(default_factory=dict)
    at_bound: int = 0
    wrong: list[str] = field(default_factory=list)


def session(folder: Path, mode: Mode, seed: int, tally: Tally, *, believing: bool = False) -> Answer:
    """One question; what broke an invariant is added to the tally."""
    grammar = Grammar(seed)
    oracle = oracle_of(grammar.model(endpoint="https://models.example"), mode, flaw=taken)
    if believing:
        told = {"nonce": oracle.nonce, "sleep": oracle.sleep, "jitter": oracle.jitter, "flaw": taken}
        oracle = Believing(oracle.model, mode, **told)
    budget = replace(Budget.of(mode), **LIMITS)

    async def collect() -> list[object]:
        # What rules prove is no quote of the model's.
        request = Request(QUESTION, seed=seed, ablate=WITHOUT_RULES)
        asked = Lens([folder]).ask(request, Terms(mode=mode, budget=budget, oracle=oracle))
        return [event async for event in asked]

    events = asyncio.run(collect())
    answer = next(event.answer for event in events if isinstance(event, Answered))
    published = [event.evidence for event in events if isinstance(event, EvidenceFound)]
    found = violations(
        folder, answer, [*published, *answer.evidence], grammar.said, bound=BOUNDS[mode], tokens=budget.tokens
    )
    tally.sessions += 1
    tally.replies += grammar.said.requests
    tally.evidence += sum(item.verdict is not None for item in answer.evidence)
    tally.rejected += answer.rejected_quotes
    tally.most[mode.value] = max(tally.most.get(mode.value, 0), grammar.said.calls)
    tally.at_bound += grammar.said.calls == BOUNDS[mode]
    tally.wrong += [f"{mode.value} seed {seed}: {one}" for one in found]
    return answer


def run(folder: Path, replies: int, *, believing: bool = False, first: int = 0) -> Tally:
    """Sessions in turn by mode until the model replied so often."""
    tally, seed = Tally(), first
    while tally.replies < replies:
        for mode in MODES:
            session(folder, mode, seed, tally, believing=believing)
        seed += 1
    return tally


@harness(replies=50_000, seed=0)
def main(options: Options) -> Verdict:
    folder = workspace(options.place)
    tally = run(folder, options.replies, first=options.seed)
    mutant = run(folder, max(200, options.replies // 50), believing=True, first=options.seed)
    caught = {wrong.split(": ", 1)[1] for wrong in mutant.wrong}
    row = {
        "n": tally.replies,
        "sessions": tally.sessions,
        "seed": options.seed,
        "most": tally.most,
        "atBound": tally.at_bound,
        "accepted": tally.evidence,
        "rejected": tally.rejected,
        "mutantCaught": len(caught),
        "mutantRules": sorted(held(caught)),
        "wrong": tally.wrong,
    }
    tame = not tally.evidence or not tally.rejected or not tally.at_bound
    return row, not tame and "I5" in held(caught)


if __name__ == "__main__":
    sys.exit(main())
