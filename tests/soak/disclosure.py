"""What is in the requests and what the ledger says of it; and what must be in none.

``python -m tests.soak.disclosure --prompts 1000`` asks over real sockets and reads the bodies that the endpoint got, at
least as many of each sort. First over folders in which every word is unique: each word of a document in a body must lie
in a span of ``ledger.sent``, and each span be found in the bodies. Then over folders with canaries in denied files, in
private notes and in secrets of every kind: none may be in a body. It prints one JSON line, and exits with 1 if a word,
a span or a canary was wrong, or if one of the controls was not caught: a ledger short of one file and one with a
span that was never sent; the same canaries in a file that is not denied, a note that is not private, a text without
shape.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.app.settings import Request
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.model.answer import Answer, Answered, Mode, Sent
from lens_lsp.model.text import Span
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_session import QUESTION, oracle_of
from tests.judge.llm.traced import replies, traced
from tests.judge.secret_samples import KINDS, samples
from tests.soak.harness import Options, Verdict, harness

MODES = (Mode.DEEP, Mode.FAST)
SORTS = ("denied", "private", "secret")
_REFUSED = 0.1
_DENIED = (".env", "id_rsa", "server.pem", ".aws/credentials", "deep/.env.local", "wallet.kdbx")
_OPEN = ("env.md", "keys.md", "server.md", "aws/notes.md", "deep/local.md", "wallet.txt")
_ABOUT = "The bridge at Arlen was opened"


@dataclass
class Tally:
    """What came of a number of asks."""

    prompts: int = 0
    words: int = 0
    spans: int = 0
    unlisted: list[str] = field(default_factory=list)
    unfound: list[str] = field(default_factory=list)
    short_caught: int = 0
    long_caught: int = 0
    controls: int = 0
    leaked: list[str] = field(default_factory=list)


async def asked(
    roots: list[Path],
    reply: Callable[[dict[str, Any]], str],
    seed: int,
    *,
    private: bool = False,
    question: str = QUESTION,
) -> tuple[Answer, list[str]]:
    """One question over folders, and the texts of all requests that reached the endpoint, the refused ones too."""
    rng = random.Random(seed)
    mode = MODES[seed % 2]
    tokens = rng.choice((400, 900, 3_000))
    budget = replace(Budget.of(mode), request_tokens=tokens, direct_tokens=rng.choice((50, tokens)))

    def drawn() -> Fault | None:
        return rng.choice((Fault.BUSY, Fault.UNAVAILABLE, Fault.RESET)) if rng.random() < _REFUSED else None

    async with ChatServer(reply, drawn, retry_after="0") as server:
        model = OpenAIChat(server.base_url, "any", context_tokens=rng.choice((4_096, 16_384)))
        oracle = oracle_of(model, mode, private=private)
        answer: Answer | None = None
        async for event in Lens(roots).ask(
            Request(question, seed=seed), Terms(mode=mode, budget=budget, oracle=oracle)
        ):
            if isinstance(event, Answered):
                answer = event.answer
        await model.aclose()
        bodies = ["\n".join(one["content"] for one in request.json["messages"]) for request in server.requests]
    assert answer is not None
    return answer, bodies


async def accounted(base: Path, seed: int, tally: Tally) -> None:
    """One folder of unique words: what was sent is listed and what is listed was sent."""
    made = traced(base, seed)
    answer, bodies = await asked(made.roots, replies(seed), seed)
    sent = answer.account.sent
    tally.prompts += len(bodies)
    tally.words += sum(1 for word in made.places if any(word in body for body in bodies))
    tally.spans += len(sent)
    tally.unlisted += [f"seed {seed}: {word} {made.places[word]}" for word in made.unlisted(bodies, sent)]
    tally.unfound += [f"seed {seed}: {span}" for span in made.unfound(bodies, sent)]
    unsent = [place for word, place in made.places.items() if place.seen and not any(word in body for body in bodies)]
    if sent and unsent:
        tally.controls += 1
        first, never = sent[0], unsent[0]
        rest = [one for one in sent if (one.root, one.path) != (first.root, first.path)]
        tally.short_caught += bool(made.unlisted(bodies, rest))
        more = Sent(never.path, Span(never.start, never.end), never.root)
        tally.long_caught += bool(made.unfound(bodies, [*sent, more]))


def canaries(folder: Path, seed: int, *, open_: frozenset[str] = frozenset()) -> dict[str, list[str]]:
    """A folder with canaries of each sort; those of the ``open_`` sorts are where they may be read."""
    rng = random.Random(seed)
    names = _OPEN if "denied" in open_ else _DENIED
    told: dict[str, list[str]] = {sort: [] for sort in SORTS}

    def write(name: str, text: str) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    for number, name in enumerate(names):
        word = f"Denarius{seed}x{number}"
        told["denied"].append(word)
        write(name, f"# {_ABOUT} by {word}\n{_ABOUT} by {word}.\n")
    for number in range(2):
        word = f"Quillfeather{seed}x{number}"
        told["private"].append(word)
        mark = "open" if "private" in open_ else "private"
        write(
            f"diary-{number}.md",
            f"---\nlens: {mark}\ntitle: Bridge at Arlen {word}\n---\n# {word}\n\n{_ABOUT} by {word}.\n",
        )
    for kind in rng.sample(KINDS, 4):
        text, secret = rng.choice(list(samples(kind)))
        if "secret" in open_:
            text = secret = f"Ashgrove{seed}{kind.replace('-', '')}"
        told["secret"].append(secret)
        write(f"gate-{kind}.md", f"# Gate\n\n{_ABOUT} with this:\n\n{text}\n\n{_ABOUT} again.\n")
    write("bridges.md", f"# Bridges\n\n{_ABOUT} on 4 May 1931.\n")
    return told


async def kept(base: Path, seed: int, tally: Tally, *, open_: frozenset[str] = frozenset()) -> None:
    """One folder with canaries: those in a request are added to the tally, by sort."""
    told = canaries(base, seed, open_=open_)
    _, bodies = await asked([base], replies(seed), seed)
    tally.prompts += len(bodies)
    everything = "\n".join(bodies)
    tally.leaked += [f"{sort}: seed {seed}" for sort in SORTS for canary in told[sort] if canary in everything]


def until(prompts: int, one: Callable[[Path, int, Tally], Any]) -> Tally:
    """Asks until the endpoint got so many prompts, each over a new folder."""
    tally, seed = Tally(), 0
    while tally.prompts < prompts:
        with tempfile.TemporaryDirectory() as base:
            asyncio.run(one(Path(base), seed, tally))
        seed += 1
    return tally


def seen_by_the_harness(asks: int) -> dict[str, int]:
    """How often canaries of each sort are found where they may be read."""
    found = {}
    for sort in SORTS:
        tally = Tally()
        for seed in range(asks):
            with tempfile.TemporaryDirectory() as base:
                asyncio.run(kept(Path(base), seed, tally, open_=frozenset({sort})))
        found[sort] = sum(one.startswith(sort) for one in tally.leaked)
    return found


@harness(prompts=1_000)
def main(options: Options) -> Verdict:
    listed, hidden = until(options.prompts, accounted), until(options.prompts, kept)
    controls = seen_by_the_harness(max(4, options.prompts // 100))
    row = {
        "prompts": listed.prompts,
        "words": listed.words,
        "spans": listed.spans,
        "unlisted": len(listed.unlisted),
        "unfound": len(listed.unfound),
        "canaryPrompts": hidden.prompts,
        "leaked": len(hidden.leaked),
        "controls": {
            "n": listed.controls,
            "shortLedger": listed.short_caught,
            "longLedger": listed.long_caught,
            **controls,
        },
        "first": (listed.unlisted + listed.unfound + hidden.leaked)[:5],
    }
    bad = listed.unlisted or listed.unfound or hidden.leaked
    caught = listed.short_caught == listed.long_caught == listed.controls > 0 and all(controls.values())
    return row, not bad and caught


if __name__ == "__main__":
    sys.exit(main())
