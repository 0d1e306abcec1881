"""Every front end as a process of its own, asked the same question under the same settings; what came of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.desktop.desktop_process import Desktop
from tests.judge.llm.chat_server import ChatServer
from tests.lsp.lsp_client import LspProcess, environment
from tests.mcp.mcp_agent import RawAgent

_NONCE = re.compile(r"[0-9a-f]{12}")
LIBRARY = """
import asyncio, json, sys
from lens_lsp.app import Request, ask
from lens_lsp.app.workspace_store import StoreChoice
from lens_lsp.model.errors import LensError
from lens_lsp.model.answer import answer_of
from lens_lsp.schema.answer_shapes import answer_json

folder, question, mode = sys.argv[1:]
try:
    answer = asyncio.run(answer_of(ask(Request(question, (folder,), mode=mode or None), store=StoreChoice())))
    print(json.dumps(answer_json(answer)))
except LensError as error:
    print(json.dumps({"refused": str(error)}))
"""
BARE = """
import asyncio, json, os, sys
from lens_lsp.model.answer import Mode
from lens_lsp.model.answer import answer_of
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.judge.llm.chat_oracle import ChatOracle, budget_for
from lens_lsp.schema.answer_shapes import answer_json

folder, question, mode = sys.argv[1:]
model = OpenAIChat(os.environ["LENS_TEST_ENDPOINT"], "any")
chosen = Mode(mode or "fast")
budget = budget_for(chosen, model.context_tokens)
events = Lens([folder]).ask(question, Terms(chosen, ChatOracle(model, chosen), budget))
print(json.dumps(answer_json(asyncio.run(answer_of(events)))))
"""
"""A program that puts a question together by itself: the control."""


@dataclass(frozen=True)
class Told:
    """What a question came to, seen from outside: ``mode`` is "refused" where it was not asked; ``requests`` are those
    that the endpoint got, codes that differ each time left out; ``used`` is what was written down of them."""

    mode: str
    stopped: str | None
    requests: tuple[str, ...]
    used: Mapping[str, Any] | None
    warnings: frozenset[str]
    why: str = field(default="", compare=False)


class FrontEnd(Protocol):
    """One of them, with a home of its own."""

    home: Path

    def answer(self, question: str, mode: str | None) -> Mapping[str, Any]:
        """The answer, or why there is none under ``refused``."""


class CommandLine:
    """``lens ask``, or another program that takes folder, question and mode."""

    def __init__(self, home: Path, folder: Path, env: Mapping[str, str], program: str | None = None) -> None:
        self.home, self._folder, self._program = home, folder, program
        self._env = environment(home, **env)

    def answer(self, question: str, mode: str | None) -> Mapping[str, Any]:
        if self._program is not None:
            command = ["-c", self._program, str(self._folder), question, mode or ""]
        else:
            more = ["--mode", mode] if mode else []
            command = ["-m", "lens_lsp", "ask", question, str(self._folder), "--json", *more]
        done = subprocess.run(
            [sys.executable, *command], env=self._env, capture_output=True, text=True, timeout=120, check=False
        )
        if not done.stdout:
            assert done.returncode == 2, done.stderr
            return {"refused": done.stderr}
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def consent(self, question: str) -> None:
        """Ask once with consent."""
        command = [sys.executable, "-m", "lens_lsp", "ask", question, str(self._folder), "--yes"]
        subprocess.run(command, env=self._env, capture_output=True, timeout=120, check=False)


class Editor:
    """``lens serve``, and a client that cannot ask its user."""

    def __init__(self, home: Path, folder: Path, env: Mapping[str, str], stack: ExitStack) -> None:
        self.home = home
        self._server = stack.enter_context(LspProcess(environment(home, **env)))
        self._server.begin(folder)

    def answer(self, question: str, mode: str | None) -> Mapping[str, Any]:
        reply = self._server.ask("lens/ask", {"question": question, "mode": mode})
        answer: dict[str, Any] = {"refused": reply["error"]["message"]} if "error" in reply else reply["result"]
        return answer


class Agent:
    """``lens mcp``, and a client without forms and roots."""

    def __init__(self, home: Path, folder: Path, env: Mapping[str, str], stack: ExitStack) -> None:
        self.home = home
        self._agent = stack.enter_context(RawAgent(home, folder, env=env))
        self._agent.begin()
        self._asked = 0

    def answer(self, question: str, mode: str | None) -> Mapping[str, Any]:
        self._asked += 1
        arguments = {"question": question, "mode": mode}
        params = {"name": "ask", "arguments": arguments}
        self._agent.send({"jsonrpc": "2.0", "id": self._asked, "method": "tools/call", "params": params})
        result = self._agent.answer(self._asked)["result"]
        if result.get("isError"):
            return {"refused": result["content"][0]["text"]}
        answer: dict[str, Any] = result["structuredContent"]
        return answer


class Page:
    """``lens desktop``, whose user dismisses every question."""

    def __init__(self, home: Path, folder: Path, env: Mapping[str, str], stack: ExitStack) -> None:
        self.home = home
        self._desktop = stack.enter_context(Desktop(environment(home, **env), str(folder)))
        self._desktop.enter()

    def answer(self, question: str, mode: str | None) -> Mapping[str, Any]:
        asked = self._desktop.ask(question, **({"mode": mode} if mode else {}))
        answer: dict[str, Any] = {}
        with self._desktop.listen(f"/api/asks/{asked}/events") as stream:
            for sent in stream:
                if sent.data["type"] == "consent":
                    self._desktop.send("POST", f"/api/consents/{sent.data['id']}", {"action": None})
                elif sent.data["type"] == "result":
                    answer = sent.data["result"]
                elif sent.data["type"] == "error":
                    answer = {"refused": sent.data["message"]}
        assert answer, "the stream ended without an answer"
        return answer


def asked(front: FrontEnd, endpoint: ChatServer, question: str, mode: str | None = None) -> Told:
    """What a question came to."""
    before = len(endpoint.requests)
    for kept in front.home.rglob("usage.json"):
        kept.unlink()
    answer = front.answer(question, mode)
    requests = [each for each in endpoint.requests[before:] if each.path.endswith("/chat/completions")]
    return Told(
        mode=answer.get("mode", "refused"),
        stopped=answer.get("stopped"),
        requests=tuple(  # sorted: two calls of ``deep`` go out together
            sorted(_NONCE.sub("-", json.dumps(each.json, sort_keys=True)) + str(_key(each)) for each in requests)
        ),
        used=_used(front.home),
        warnings=frozenset(answer.get("warnings", ())),
        why=str(answer.get("refused", "")),
    )


def _key(request: Any) -> object:
    return request.headers.get("authorization")


def _used(home: Path) -> Mapping[str, Any] | None:
    for kept in home.rglob("usage.json"):
        (origins,) = json.loads(kept.read_text())["days"].values()
        (spent,) = origins.values()
        return dict(spent)
    return None
