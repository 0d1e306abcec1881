"""Questions asked of a hostile model: never more calls than 4 + 2L (deep) and 2 + L (fast), whatever it says.

``python -m tests.soak.chat_bounds --sessions 1000`` runs as many in each mode and prints one JSON line. Calls are
counted at the model, not by the ledger. It exits with 1 if a session went over a bound or broke a rule, if fewer than
a tenth reached the bound (then the model was not hostile enough), or if a ledger that allows one call more was not
caught by the same harness.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ChatRequest
from lens_lsp.model.answer import Answer, Mode
from tests.judge.llm.adversary import Adversary, hostile_notes
from tests.judge.llm.chat_session import BOUNDS, NARROW, WITHOUT_RULES, ask, notes, oracle_of, regions_of, taken
from tests.soak.harness import Options, Verdict, harness

CANARIES = ("Quillfeather", "Ashgrove", "ghp_" + "q1W2" * 9)
MODES = (Mode.DEEP, Mode.FAST)


@dataclass
class Tally:
    """What came of a number of sessions in one mode."""

    sessions: int = 0
    most: int = 0
    at_bound: int = 0
    prompts: int = 0
    wrong: list[str] = field(default_factory=list)


def workspace(folder: Path) -> Path:
    """Honest and hostile notes, and canaries in what must not leave: a private note, a denied file, a secret."""
    about = "The bridge at Arlen was opened by"
    (folder / "diary.md").write_text(f"---\nlens: private\n---\n# Diary\n\n{about} {CANARIES[0]}.\n", "utf-8")
    (folder / ".env").write_text(f"# {about} {CANARIES[1]}\n", "utf-8")
    (folder / "gate.md").write_text(f"# Gate\n\n{about} the key {CANARIES[2]} at nine.\n", "utf-8")
    for number in range(6):  # as telling as any: what is worth another call does not run out
        lines = " ".join(f"On day {day} the bridge at Arlen was opened to carts of mill {number}." for day in range(8))
        (folder / f"carts-{number}.md").write_text(f"# Carts {number}\n\n{lines}\n", "utf-8")
    return hostile_notes(notes(folder))


def leaks(request: ChatRequest) -> bool:
    """Whether a request holds a canary."""
    return any(canary in message.text for message in request.messages for canary in CANARIES)


def unlisted(folder: Path, answer: Answer, requests: Iterable[ChatRequest]) -> bool:
    """Whether a text of a document was shown that lies in no span of the ledger."""
    sources: dict[str, str] = {}
    for sent in answer.account.sent:
        source = sources.setdefault(sent.path, (folder / sent.path).read_text("utf-8"))
        sources[f"{sent.path} {sent.span}"] = source[sent.span.start : sent.span.end]
    listed = [text for name, text in sources.items() if " " in name]
    shown = {text for request in requests for text in regions_of(request).values()}
    parts = {part for text in shown for part in re.split(r"\[\[SECRET:[a-z-]+:\d+\]\]", text)}
    return not all(any(part in source for source in listed) for part in parts)


def session(folder: Path, mode: Mode, seed: int, tally: Tally, budget: Budget | None = None) -> Answer:
    """One question; what broke a rule is added to the tally."""
    adversary = Adversary(seed)
    model = adversary.model(endpoint="https://models.example")
    budget = budget or replace(Budget.of(mode), **NARROW)
    oracle = oracle_of(model, mode, flaw=taken)  # one that leaves replies out ends earlier
    answer = ask(folder, model, mode, budget=budget, seed=seed, oracle=oracle, ablate=WITHOUT_RULES)
    calls = len(model.requests) - adversary.refusals
    tally.sessions += 1
    tally.prompts += len(model.requests)
    tally.most = max(tally.most, calls)
    tally.at_bound += calls == BOUNDS[mode]
    broken = {
        f"{calls} calls": calls > BOUNDS[mode],
        "the ledger counts otherwise": calls != sum(answer.account.calls.values()),
        "too many retries": answer.account.retries > 2,
        "too many tokens": answer.account.tokens_in + answer.account.tokens_out > 128_000,
        "evidence that is not there": any(not stands(folder, item.path, item.quote) for item in answer.evidence),
        "markers without evidence": "[77]" in answer.text,
        "a canary left": any(map(leaks, model.requests)),
        "a text that no span lists": unlisted(folder, answer, model.requests),
        "control characters": "\x1b" in answer.text,
    }
    tally.wrong += [f"{mode.value} seed {seed}: {what}" for what, holds in broken.items() if holds]
    return answer


def stands(folder: Path, path: str, quote: str) -> bool:
    """Whether a quote stands in its file, byte for byte."""
    return bool(quote) and quote.encode() in (folder / path).read_bytes()


def runaway(mode: Mode, *, more: int) -> Budget:
    """A control flow that does not know when to stop, and a ledger that allows ``more`` calls than the bound."""
    budget = Budget.of(mode)
    return replace(budget, rounds=budget.rounds + 2, calls=budget.calls + more, **NARROW)


@harness(sessions=1_000)
def main(options: Options) -> Verdict:
    started = time.perf_counter()
    figures: dict[str, object] = {"figure": "chat-bounds", "sessions": options.sessions}
    passed = True
    folder = workspace(options.place)
    for mode in MODES:
        plain, held, mutant = Tally(), Tally(), Tally()
        for seed in range(options.sessions):
            session(folder, mode, seed, plain)
        for seed in range(max(10, options.sessions // 20)):
            session(folder, mode, seed, held, runaway(mode, more=0))
            session(folder, mode, seed, mutant, runaway(mode, more=1))
        over = sum("calls" in wrong for wrong in mutant.wrong)
        figures[mode.value] = {
            "bound": BOUNDS[mode],
            "most": plain.most,
            "atBound": plain.at_bound,
            "prompts": plain.prompts,
            "wrong": (plain.wrong + held.wrong)[:10],
            "runawayMost": held.most,
            "mutantCaught": over,
        }
        passed &= not plain.wrong and not held.wrong and plain.at_bound * 10 >= options.sessions and over > 0
    figures["seconds"] = round(time.perf_counter() - started, 1)
    return figures, passed


if __name__ == "__main__":
    sys.exit(main())
