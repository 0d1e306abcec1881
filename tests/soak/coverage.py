"""What is hidden or could not be used is named in each answer, and nothing else; a model that fails denies nothing.

``python -m tests.soak.coverage --things 100 --seed 1`` lays out folders with at least so many things of all kinds
(`tests.soak.left_out`) and asks of them, and of a folder that is not there: by ``lens ask`` and ``lens find``, as JSON
and as text, by the language server, and by the server for agents. Then it asks endpoints with every fault, and with
each budget spent, a question that the offline path proves and one that it does not. It prints one JSON line and exits
with 1 if a thing was not named or a sound one was, if a text is not short or its counts are not those, if an answer was
not what it is without a model, or did not say that the model failed; and if an account as it was given before (without
the parts of files, scopes and folders that are not there) was not caught by the same judge. ``--lens`` is the command
that is asked, for an older build.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.client import Client
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.lsp.locations import uri_of
from lens_lsp.model.answer import Answer, Answered, Mode, StopReason
from lens_lsp.model.documents import PartReason, SkipReason
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_session import NARROW, notes, oracle_of, served
from tests.judge.llm.chat_session import QUESTION as PROVEN
from tests.lsp.lsp_client import environment
from tests.soak.harness import Options, Verdict, harness
from tests.soak.left_out import QUESTION, Made, Named, lay_out

UNPROVEN = "What colour is the dog of the miller at Arlen?"
SECONDS = 8.0
"""What a question to an endpoint may take."""
ROWS, COLUMNS = 8, 80
"""Rows of a terminal that the account may take: the rest of 24 is the answer's."""
QUICK_FAULTS = (Fault.INTERNAL, Fault.INVALID_JSON, Fault.RESET)
SPENT = {
    "calls": {"calls": 0},
    "tokens": {"tokens": 10},
}
_BEFORE = {SkipReason.MISSING.value, SkipReason.OUT_OF_SCOPE.value}
_OF_DOCUMENTS = {reason.value for reason in (SkipReason.BROKEN, SkipReason.ENCRYPTED, SkipReason.NO_TEXT)} | {
    SkipReason.TOO_LARGE.value
}
_MORE = re.compile(r" and ([\d,]+) more")
_EACH = re.compile(r"(?:^|, )(?P<path>.+?)(?::(?P<line>\d+))? \((?P<reason>[a-z-]+)\)")


def named_in(coverage: Mapping[str, Any]) -> tuple[set[Named], set[Named]]:
    """What an account as JSON names."""
    skipped = {(each.get("root", 0), each["path"], 0, each["reason"]) for each in coverage["skipped"]}
    partial = {(each["root"], each["path"], each["line"] or 0, each["reason"]) for each in coverage.get("partial", ())}
    return skipped, partial


def read_in_time(made: Made, said: set[Named]) -> set[Named]:
    """What is named, as if there had been time for every document: one that has to wait is named for that."""
    why = {(root, path): reason for root, path, _, reason in made.skipped if reason in _OF_DOCUMENTS}
    return {
        (root, path, line, why.get((root, path), reason) if reason == SkipReason.NOT_READ else reason)
        for root, path, line, reason in said
    }


def judged(made: Made, coverage: Mapping[str, Any], where: str, *, comments: bool = True) -> list[str]:
    """What is wrong with an account: things that it does not name, and others that it does."""
    skipped, partial = named_in(coverage)
    skipped = read_in_time(made, skipped)
    wanted = {each for each in made.partial if comments or each[3] != PartReason.COMMENT}
    wrong = []
    for said, meant in ((skipped, made.skipped), (partial, wanted)):
        wrong += [f"{where}: not named: {each}" for each in sorted(meant - said)]
        wrong += [f"{where}: falsely named: {each}" for each in sorted(said - meant)]
    return wrong


def control(made: Made, coverage: Mapping[str, Any]) -> int:
    """How many things the judge misses in an account as it was given before."""
    before = [each for each in coverage["skipped"] if each["reason"] not in _BEFORE]
    return len(judged(made, {**coverage, "skipped": before, "partial": []}, "control"))


def text_judged(made: Made, errors: str, where: str) -> list[str]:
    """What is wrong with an account as text: its counts, a name that is none of those, its length."""
    wrong = []
    lines = [line for line in errors.splitlines() if line.startswith(("lens: not searched: ", "lens: hidden or "))]
    told = 0
    for line in lines:
        body = line.split(": ", 2)[2]
        more = _MORE.search(body)
        first = body if more is None else body[: more.start()]
        names = _EACH.findall(first)
        told += len(names) + (int(more[1].replace(",", "")) if more else 0)
        known = made.skipped | made.partial
        for path, at, reason in names:
            tail = path.removeprefix("…")
            if not any(
                item[3] == reason
                and str(made.roots[item[0]] / item[1]).endswith(tail.rstrip("/"))
                and (not at or int(at) == item[2])
                for item in known
            ):
                wrong.append(f"{where}: names {path} ({reason}), which is none")
    if told != made.count:
        wrong.append(f"{where}: tells of {told} things, there are {made.count}")
    if sum(-(-len(line) // COLUMNS) for line in lines) > ROWS:
        wrong.append(f"{where}: takes more than {ROWS} rows")
    return wrong


def by_command_line(
    made: Made, home: Path, command: Sequence[str]
) -> Iterator[tuple[str, list[str], Mapping[str, Any]]]:
    """Ask and find, as JSON and as text: what is wrong, and the account as JSON where there is one."""
    for verb, options in (("ask", ["--no-store"]), ("find", [])):
        for shape in ("json", "text"):
            words = [
                *command,
                verb,
                QUESTION,
                *map(str, made.roots),
                *options,
                *(["--json"] if shape == "json" else []),
            ]
            done = subprocess.run(
                words, cwd=home, env=environment(home), capture_output=True, text=True, timeout=300, check=False
            )
            where = f"lens {verb} as {shape}"
            if done.returncode != 0:
                yield [f"{where}: status {done.returncode}: {done.stderr[-300:]}"], {}
            elif shape == "text":
                yield text_judged(made, done.stderr, where), {}
            else:
                coverage = json.loads(done.stdout)["coverage"]
                yield judged(made, coverage, where), coverage


class _Deaf:
    def notification(self, method: str, params: Any) -> None: ...

    async def request(self, method: str, params: Any) -> object:
        return None


async def by_language_server(made: Made, home: Path) -> list[str]:
    """`lens/ask` and `lens/find`."""
    client = await Client.start([str(root) for root in made.roots], _Deaf(), env=environment(home))
    scope = {"folders": [uri_of(str(root)) for root in made.roots]}
    try:
        asked = await client.request("lens/ask", {"question": QUESTION, "scope": scope, "workDoneToken": "1"})
        found = await client.request("lens/find", {"query": QUESTION, "scope": scope})
    finally:
        await client.close()
    wrong = [] if asked["status"] == "answered" else [f"lens/ask: {asked['status']}"]
    return [*wrong, *judged(made, asked["coverage"], "lens/ask"), *judged(made, found["coverage"], "lens/find")]


async def by_agent(made: Made, home: Path) -> list[str]:
    """The tools `ask` and `find_evidence`: they name the first, and count all."""
    from tests.mcp.mcp_agent import agent, call

    wrong = []
    async with agent(home, *made.roots) as client:
        for tool, key in (("ask", "question"), ("find_evidence", "query")):
            coverage = (await call(client, tool, **{key: QUESTION}))["coverage"]
            total = coverage["not_read_total"], coverage["hidden_total"]
            if total != (len(made.skipped), len(made.partial)):
                wrong.append(f"{tool}: counts {total}, there are {len(made.skipped)} and {len(made.partial)}")
            folders = [str(root) for root in made.roots]
            said = {
                (2 if each["folder"] is None else folders.index(each["folder"]), each["path"], 0, each["reason"])
                for each in coverage["not_read"]
            }
            said = read_in_time(made, said)
            said |= {
                (folders.index(each["folder"]), each["path"], each["line"] or 0, each["reason"])
                for each in coverage["hidden"]
            }
            wrong += [f"{tool}: falsely named: {each}" for each in sorted(said - made.skipped - made.partial)]
            if len(said) < min(50, len(made.skipped)) + min(50, len(made.partial)):
                wrong.append(f"{tool}: names only {len(said)}")
    return wrong


def missing_roots(place: Path, home: Path, command: Sequence[str]) -> list[str]:
    """Where no folder is there, a sentence says so and names them."""
    gone = [str(place / "gone"), str(place / "nowhere")]
    wrong = []
    for verb in ("ask", "find"):
        done = subprocess.run(
            [*command, verb, QUESTION, *gone],
            cwd=home,
            env=environment(home),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode != 2 or not all(path in done.stderr for path in gone) or done.stderr.count("\n") != 1:
            wrong.append(f"lens {verb} of folders that are not there: {done.returncode}, {done.stderr[-200:]}")
    return wrong


async def asked(folder: Path, question: str, terms: Terms) -> Answer:
    """The answer to a question."""
    async for event in Lens([folder]).ask(question, terms):
        if isinstance(event, Answered):
            return event.answer
    raise AssertionError("no answer")


@asynccontextmanager
async def endpoints(faults: Sequence[Fault]) -> AsyncIterator[dict[str, str]]:
    """Base URLs by fault: one server after the other, for as long as they are asked."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can take the port
        urls = {"refused": f"http://127.0.0.1:{taken.getsockname()[1]}/v1"}
        servers = [ChatServer(served(), fault=fault, retry_after="0") for fault in faults]
        try:
            for fault, server in zip(faults, servers, strict=True):
                await server.__aenter__()
                urls[fault.value] = server.base_url
            yield urls
        finally:
            for server in servers:
                await server.__aexit__(None, None, None)


def denied(answer: Answer, offline: Answer, what: str) -> list[str]:
    """What is wrong with an answer whose model failed, beside the one without a model."""
    if answer.stopped not in _FAILED:  # whatever was wrong, the model did answer
        return []
    wrong = []
    if answer.status is not offline.status:
        wrong.append(f"{what}: {answer.status.value}, without a model {offline.status.value}")
    if "The model gave no answer: " not in answer.text:
        wrong.append(f"{what}: the text does not say that the model failed: {answer.text[-200:]}")
    if [item.quote for item in answer.evidence] != [item.quote for item in offline.evidence]:
        wrong.append(f"{what}: other passages than without a model")
    return wrong


_FAILED = frozenset({StopReason.MODEL_FAILED, *(reason for reason in StopReason if reason.value.startswith("budget-"))})


async def by_endpoints(folder: Path, faults: Sequence[Fault]) -> tuple[int, int, list[str]]:
    """Ask endpoints with faults, and with nothing to spend: how often, how often the model failed, what is wrong."""
    offline = {question: await asked(folder, question, Terms()) for question in (PROVEN, UNPROVEN)}
    wrong = [] if offline[PROVEN].status.value == "answered" else ["the offline path does not prove the question"]
    asks = failed = 0
    async with endpoints(faults) as urls:
        cases: list[tuple[str, str, dict[str, Any]]] = [(name, url, {}) for name, url in urls.items()]
        cases += [(f"{name} spent", urls["refused"], limits) for name, limits in SPENT.items()]
        for name, url, limits in cases:
            for mode in (Mode.FAST, Mode.DEEP):
                for question, without in offline.items():
                    model = OpenAIChat(url, "any", context_tokens=32_000)
                    budget = replace(Budget.of(mode), seconds=SECONDS, **{**NARROW, **limits})
                    terms = Terms(mode=mode, budget=budget, oracle=oracle_of(model, mode))
                    answer = await asked(folder, question, terms)
                    await model.aclose()
                    asks += 1
                    failed += answer.stopped in _FAILED
                    wrong += denied(answer, without, f"{name}, {mode.value}, {question}")
    return asks, failed, wrong


@harness(things=100, faults="all", seed=1, lens=shlex.join([sys.executable, "-m", "lens_lsp"]))
def main(options: Options) -> Verdict:
    command = shlex.split(options.lens)
    wrong: list[str] = []
    caught, surfaces = 0, 0
    place, home = options.place / "place", options.place / "home"
    home.mkdir()
    made = lay_out(place, options.things, options.seed)
    for found, coverage in by_command_line(made, home, command):
        surfaces += 1
        wrong += found
        caught = caught or (control(made, coverage) if coverage else 0)
    wrong += asyncio.run(by_language_server(made, home))
    wrong += asyncio.run(by_agent(made, home))
    surfaces += 4
    wrong += missing_roots(place, home, command)
    folder = options.place / "endpoints"
    folder.mkdir()
    faults = QUICK_FAULTS if options.faults == "few" else tuple(Fault)
    asks, failed, denials = asyncio.run(by_endpoints(notes(folder, more=4), faults))
    wrong += denials
    return {
        "n": made.count * surfaces + asks,
        "things": made.count,
        "kinds": made.kinds,
        "sound": made.sound,
        "surfaces": surfaces,
        "asks": asks,
        "modelFailed": failed,
        "seed": options.seed,
        "controlBad": caught,
        "wrong": wrong,
    }, caught and failed and made.kinds >= 20


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
