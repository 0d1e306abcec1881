"""A folder of notes, a model that follows a script by stage, and a way to ask with both."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.scripted_model import Broken, ScriptedModel
from lens_lsp.app.lens import Lens
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ChatModel, ChatReply, ChatRequest, Message, ModelError, Role
from lens_lsp.judge.llm.chat_oracle import ChatOracle
from lens_lsp.judge.llm.chat_prompts import TRAILER
from lens_lsp.model.answer import Answer, Answered, Event, Mode
from tests.lens_by_name import by_name

Says = str | ChatReply | ModelError | Broken | Callable[[ChatRequest], Any]
STAGES = {
    "short: the answer": "read",
    '\n\n{"terms"': "widen",
    '{"wrong"': "verify",
    '{"anchors"': "anchors",
    '"document": null}': "decompose",
    '"anchors": ["..."]}': "analyse",
    '{"found"': "observe",
    '{"unproven"': "cover",
    TRAILER: "synthesise",
    '{"short": "..."}': "calibrate",
}
PLAN = {
    "intent": "lookup",
    "facts": [{"text": "when the bridge at Arlen was opened", "type": "date", "many": False, "label": "bridge"}],
    "combine": "none",
    "expression": None,
    "document": None,
}
PROOF = "The bridge at Arlen was opened on 4 May 1931"
QUESTION = "When was the bridge at Arlen opened?"
READ_ANSWER = "It was opened on 4 May 1931"
"""What a reader makes of the proof, without its marker."""
ANSWER = f'It was opened on 4 May 1931 [1].\n{TRAILER} {{"short": "4 May 1931", "unmet": []}}'
BOUNDS = {Mode.DEEP: 4 + 2 * 3, Mode.FAST: 2 + 2}
JUDGES = {Mode.DEEP: "observe", Mode.FAST: "read"}
"""The stage that judges regions, by mode."""
NARROW = {"request_tokens": 600, "direct_tokens": 50}
"""So small that a few notes take several rounds."""


def asked(request: ChatRequest) -> str:
    """The message that asks: the first one of a person's."""
    return next(message.text for message in request.messages if message.role is Role.USER)


def stage_of(request: ChatRequest) -> str:
    """Which stage a request belongs to, by the form of the reply it asks for."""
    last = request.messages[-1].text
    if last.startswith("We compared your answer"):
        return "amend"
    return "repair" if last.startswith("That was not the JSON") else asked_for(request)


def asked_for(request: ChatRequest) -> str:
    """The stage whose reply is asked for, be it for the first time or once more."""
    first = asked(request)
    for stage in ("read", "widen", "verify"):
        if next(form for form, name in STAGES.items() if name == stage) in first:
            return stage
    form = first[first.rindex("Reply with JSON only") :] if "Reply with JSON only" in first else TRAILER
    if form == TRAILER:
        return "synthesise"
    if '"facts"' in form:
        return "analyse" if '"anchors"' in form else "decompose"
    return next(stage for start, stage in STAGES.items() if start in form)


def regions_of(request: ChatRequest) -> dict[int, str]:
    """The texts a request shows, by number; in a read call the header of a table is the first line of its text."""
    text = asked(request)
    read = re.match(r"\[(\w+) \d+\] ", text)
    if read is not None:
        _, *parts = re.split(rf"^\[{read[1]} (\d+|end)\].*\n", text, flags=re.MULTILINE)
        named = zip(parts[::2], parts[1::2], strict=True)
        return {int(name): body.removesuffix("\n") for name, body in named if name.isdigit()}
    found = re.finditer(
        r"\[(\w+) (?:region|evidence) (\d+), context\]\n.*?\n?\[\1 text\]\n(.*?)\n\[\1 end\]",
        text,
        re.DOTALL,
    )
    return {int(match[2]): match[3] for match in found}


def contexts_of(request: ChatRequest) -> list[str]:
    """The contexts a request shows, line by line what tells of a document or of a place in it."""
    text = asked(request)
    read = re.match(r"\[(\w+) \d+\] ", text)
    if read is not None:
        told = re.findall(rf"^\[{read[1]} \d+\] (.+)$", text, re.MULTILINE)
        return ["\n".join(line.removesuffix(" …").split(" > ")) for line in told]
    return re.findall(r"(?<=, context\]\n).*?(?=\n\[\w+ text\])", text, re.DOTALL)


def reading(
    answerable: str = "yes",
    quotes: Sequence[tuple[int, str]] = (),
    answer: str = "",
    *,
    computed: tuple[str, Sequence[tuple[str, str, str, int]]] | None = None,
    **more: Any,
) -> str:
    """The reply of a read call: ``quotes`` are (region, words), numbered from 1; ``computed`` is an expression and its
    operands (id, name, value, number of the quote)."""
    computation = None
    if computed is not None:
        values = [dict(zip(("id", "name", "value", "quote"), one, strict=True)) for one in computed[1]]
        computation = {"values": values, "expression": computed[0], "unit": more.pop("unit", None)}
    said = {
        "answerable": answerable,
        "quotes": [{"n": n, "region": region, "quote": words} for n, (region, words) in enumerate(quotes, 1)],
        "items": [],
        "computation": computation,
        "missing": [],
        "terms": [],
        "answer": answer,
        "short": None,
    }
    return json.dumps({key: more.get(key, value) for key, value in said.items()})


BEGUN = reading("yes", [(1, PROOF)], "@").partition("@")[0]
"""A reader's reply up to where its answer begins."""


def quoting(needle: str, verdict: str = "full", value: str | None = None, **more: Any) -> Callable[[ChatRequest], str]:
    """Quotes a text wherever it stands, in an observation or in a read call."""

    def says(request: ChatRequest) -> str:
        places = [number for number, text in regions_of(request).items() if needle in text]
        if asked_for(request) == "read":
            return _read(needle, places, verdict, value)
        found = [
            {"region": number, "fact": "f1", "verdict": verdict, "quote": needle, "value": value} for number in places
        ]
        return json.dumps({"found": found, "terms": [], **more})

    return says


def _read(needle: str, places: Sequence[int], verdict: str, value: str | None) -> str:
    """What a reader says that finds a text in some regions, or in none."""
    if not places:
        return reading("no", answer="Nothing here says so.", missing=["when it was opened"], terms=["carts", "mill"])
    whole = verdict == "full"
    quotes = [(number, needle) for number in places]
    answer = f"{READ_ANSWER if needle == PROOF else needle} [1]."
    more = {} if whole else {"missing": ["who opened it"], "terms": ["carts", "mill"]}
    return reading("yes" if whole else "partly", quotes, answer, short=value if whole else None, **more)


def both(says: Says | list[Says]) -> dict[str, Any]:
    """The same said by who observes and by who reads first."""
    return {"observe": says, "read": list(says) if isinstance(says, list) else says}


def scripted(stages: dict[str, Says] | None = None, **options: Any) -> ScriptedModel:
    """A model that finds the proof; ``stages`` says what it does differently, a list being said item by item."""
    script: dict[str, Says] = {
        "anchors": '{"anchors": ["opening", "inaugurated"]}',
        "decompose": json.dumps(PLAN),
        "analyse": json.dumps({**PLAN, "anchors": ["opening"]}),
        "read": quoting(PROOF, value="4 May 1931"),
        "widen": '{"terms": []}',
        "verify": '{"wrong": []}',
        "observe": quoting(PROOF, value="4 May 1931"),
        "cover": '{"unproven": [], "terms": []}',
        "synthesise": ANSWER,
        "calibrate": '{"short": "4 May 1931"}',
        **(stages or {}),
    }

    def tell(request: ChatRequest) -> Any:
        stage = stage_of(request)
        said = script.get(stage, "?") if stage in ("amend", "repair") else script[stage]
        if isinstance(said, list):
            said = said.pop(0) if len(said) > 1 else said[0]
        return said(request) if callable(said) else said

    options.setdefault("context_tokens", 32_000)
    return ScriptedModel(tell, **options)


def served(stages: dict[str, Says] | None = None) -> Callable[[dict[str, Any]], str]:
    """The same script for a server: from the body of a request to the text of the reply."""
    model = scripted(stages)

    def reply(asked: dict[str, Any]) -> str:
        messages = tuple(Message(Role(each["role"]), each["content"]) for each in asked["messages"])
        return str(model._tell(ChatRequest(messages, 1)))

    return reply


def notes(folder: Path, *, more: int = 12) -> Path:
    """The note that holds the proof, and others about the same things."""
    (folder / "bridges.md").write_text(f"# Bridges\n\n## Arlen\n\n{PROOF}. It spans 210 metres.\n", "utf-8")
    for number in range(more):
        lines = " ".join(
            f"On day {day} the carts of mill {number} were counted and the old bridge was closed for repairs again."
            for day in range(24)
        )
        (folder / f"log-{number:02}.md").write_text(f"# Log {number}\n\n{lines}\n", "utf-8")
    return folder


def oracle_of(model: ChatModel, mode: Mode, **options: Any) -> ChatOracle:
    """The oracle with nonces by number and no time lost waiting."""
    counter = itertools.count(1)

    async def rest(_: float) -> None:
        return None

    options = {"nonce": lambda: f"n{next(counter):06}", "sleep": rest, "jitter": lambda: 0.5, **options}
    return ChatOracle(model, mode, **options)


def taken(*_: object) -> None:
    """What is wrong with a reply, for an oracle that leaves none out: nothing."""


WITHOUT_RULES = frozenset({"rules"})
"""The ablation that lets nobody answer in the place of a model of which nothing may stand."""


def events_of(
    folder: Path, model: ScriptedModel, mode: Mode, *, question: str = QUESTION, oracle: Any = None, **options: Any
) -> list[Event]:
    """Ask; all events."""
    narrow = {**NARROW, **options.pop("limits", {})}
    budget = options.pop("budget", None) or replace(Budget.of(mode), **narrow)

    async def collect() -> list[Event]:
        asked = by_name(
            Lens([folder]), question, mode=mode, budget=budget, oracle=oracle or oracle_of(model, mode), **options
        )
        return [event async for event in asked]

    return asyncio.run(collect())


def ask(folder: Path, model: ScriptedModel, mode: Mode, **options: Any) -> Answer:
    """Ask; the answer."""
    answers = [event.answer for event in events_of(folder, model, mode, **options) if isinstance(event, Answered)]
    assert len(answers) == 1
    return answers[0]


def total(answer: Answer) -> int:
    """All calls of an answer."""
    return sum(answer.account.calls.values())
