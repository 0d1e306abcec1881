"""What the program says, recorded, so that code can be moved without changing it.

    python -m benchmarks.behaviour record --data DATA --out FILE.jsonl.gz [--share 0.1]
    python -m benchmarks.behaviour compare BEFORE.jsonl.gz AFTER.jsonl.gz

Recorded are, from processes as people start them: 300 questions to `lens find --json`, 100 to `lens ask --json`
without a model and 50 with a scripted one behind HTTP, on folders of DocsQA; 60 sessions with the language server; and
what `--help` and every JSON schema say. Seconds, processes and names that are made at random are left out; records are
equal when a change has altered nothing that somebody can see.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.scripted_model import CONTEXT_TOKENS, NAME, reply
from evaluation.data.docsqa import open_docsqa, unpack
from lens_lsp.judge.llm.chat_model import ChatRequest, Message
from tests.lsp.lsp_client import LspProcess, environment

FINDS, ASKS, ASKS_OF_A_MODEL, SESSIONS = 300, 100, 50, 60
COMMANDS = ("", "find", "ask", "check", "clusters", "consent", "desktop", "doctor", "forget", "serve", "mcp", "eval")
_CHANGING = re.compile(
    r"(seconds|elapsed|durationMs|tookMs|processId|pid|startedAt|createdAt|createdUtc|askedAt|tasks)$", re.IGNORECASE
)
_MADE = re.compile(r"\b(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-HJKMNP-TV-Z]{26})\b")
_TIMES = re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s)\b|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 1 where two records differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("--data", type=Path, required=True)
    recording.add_argument("--out", type=Path, required=True)
    recording.add_argument("--share", type=float, default=1.0, help="of everything, for a first look")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    args = parser.parse_args(arguments)
    if args.command == "compare":
        return compare(args.before, args.after)
    place = Path(tempfile.gettempdir(), "lens-behaviour")  # the same each time: stores are named by their folders
    place.mkdir()
    try:
        record(args.data, args.out, place, args.share)
    finally:
        shutil.rmtree(place)
    return 0


def record(data: Path, out: Path, place: Path, share: float) -> None:
    """Write one line for each thing that was said, in order of its name."""
    docsqa = open_docsqa(data / "docsqa")
    questions = list(docsqa.questions)
    random.Random(29).shuffle(questions)
    folders = {name: unpack(docsqa, name, place) for name in docsqa.workspaces}
    recorder = Recorder(place)
    jobs: list[tuple[str, Any]] = []
    for kind, count in (("find", FINDS), ("ask", ASKS), ("ask-model", ASKS_OF_A_MODEL)):
        chosen = questions[: int(count * share)]
        jobs += [(f"{kind}/{one.id}", (kind, one.question, folders[one.workspace])) for one in chosen]
    jobs += [(f"session/{number:02}", ("session", number, None)) for number in range(int(SESSIONS * share))]
    jobs += [(f"help/{command}", ("help", command, None)) for command in COMMANDS]
    with recorder.model(), ThreadPoolExecutor(os.cpu_count()) as pool, gzip.open(out, "wt", encoding="utf-8") as file:
        for (name, _), said in zip(jobs, pool.map(lambda job: recorder.said(*job[1]), jobs), strict=True):
            file.write(json.dumps({"name": name, "said": said}, ensure_ascii=False, sort_keys=True) + "\n")
            print(name, file=sys.stderr)


def compare(before: Path, after: Path) -> int:
    """Tell what differs; 0 where nothing does."""
    old, new = read(before), read(after)
    differ = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    for name in differ:
        for line in islice(_differences(old.get(name), new.get(name), name), 5):
            print(line)
    print(f"{len(differ)} of {len(old | new)} differ")
    return int(bool(differ))


def read(path: Path) -> dict[str, Any]:
    """A record by name."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {row["name"]: row["said"] for row in map(json.loads, lines)}


def _differences(old: Any, new: Any, at: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key), new.get(key), f"{at}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(one, other, f"{at}[{number}]")
    elif old != new:
        yield f"{at}: {json.dumps(old, ensure_ascii=False)[:200]} -> {json.dumps(new, ensure_ascii=False)[:200]}"


class Recorder:
    """Starts processes in an empty home and makes of what they say what can be compared."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.endpoint = ""

    def model(self) -> ThreadingHTTPServer:
        """The scripted model, serving until it is left."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Scripted)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.endpoint = f"http://127.0.0.1:{server.server_address[1]}/v1"
        return server

    def said(self, kind: str, what: Any, folder: Path | None) -> Any:
        """What one process, or one session, says."""
        if kind == "session":
            return self.plain(self._session(what))
        home = self._folder()
        arguments = {
            "find": ["find", "--json", "--", what, str(folder)],
            "ask": ["ask", "--json", "--", what, str(folder)],
            "ask-model": ["ask", "--json", "--mode", "fast", "--", what, str(folder)],
            "help": [what, "--help"] if what else ["--help"],
        }[kind]
        env = environment(home)
        if kind == "ask-model":
            env |= {"LENS_BASE_URL": self.endpoint, "LENS_MODEL": NAME}
        command = [sys.executable, "-m", "lens_lsp", *arguments]
        done = subprocess.run(command, env=env | {"COLUMNS": "100"}, capture_output=True, encoding="utf-8", check=False)
        try:
            out = json.loads(done.stdout)
        except ValueError:
            out = done.stdout
        return self.plain({"status": done.returncode, "out": out, "errors": done.stderr})

    def _session(self, number: int) -> list[Any]:
        """Requests of a seeded choice over a folder of notes of its own, and their answers."""
        rand = random.Random(number)
        home, folder = self._folder(), self.place / f"notes{number}"
        folder.mkdir()
        town = ["Lisbon", "Oslo", "Graz"]
        for k in range(6):
            year = 2020 + rand.randrange(12)
            (folder / f"note{k}.md").write_text(
                f"# Workshop {k}\n\nThe lease in {rand.choice(town)} ends on {1 + k} June {year}. "
                f"See [the next one](note{(k + 1) % 6}.md).\n\n?? When does the lease in {rand.choice(town)} end?\n",
                "utf-8",
            )
        uri = (folder / "note0.md").as_uri()
        text = (folder / "note0.md").read_text("utf-8")
        place = {"textDocument": {"uri": uri}, "position": {"line": rand.choice((0, 2, 4)), "character": 6}}
        lines = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 10}}
        question = f"When does the lease in {rand.choice(town)} end?"
        asked = [
            ("textDocument/hover", place),
            ("textDocument/definition", place),
            ("textDocument/documentSymbol", {"textDocument": {"uri": uri}}),
            ("textDocument/documentLink", {"textDocument": {"uri": uri}}),
            ("textDocument/codeLens", {"textDocument": {"uri": uri}}),
            ("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": lines, "context": {"diagnostics": []}}),
            ("workspace/symbol", {"query": question}),
            ("lens/find", {"query": question}),
            ("lens/ask", {"question": question}),
            ("lens/status", {}),
            ("lens/clusters", {}),
            ("lens/nothing", {}),
            ("textDocument/hover", {"wrong": 1}),
        ]
        with LspProcess(environment(home)) as client:
            begun = client.begin(folder)
            client.open(uri, text)
            found = [["initialize", begun]]
            for method, params in rand.sample(asked, 8):
                answer = client.ask(method, params)
                found.append([method, {key: answer[key] for key in ("result", "error") if key in answer}])
            client.leave()
        return found

    def _folder(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="home", dir=self.place))

    def plain(self, said: Any) -> Any:
        """Without what changes from run to run."""
        if isinstance(said, Mapping):
            return {key: self.plain(value) for key, value in said.items() if not _CHANGING.search(key)}
        if isinstance(said, list | tuple):
            return [self.plain(value) for value in said]
        if isinstance(said, str):
            text = re.sub(re.escape(str(self.place)) + r"/home[a-z0-9_]{8}", "HOME", said)
            text = text.replace(self.endpoint.removesuffix("/v1"), "ENDPOINT") if self.endpoint else text
            return _TIMES.sub("TIME", _MADE.sub("ID", text.replace(str(self.place), "PLACE")))
        return said


class _Scripted(BaseHTTPRequestHandler):
    """The scripted model behind HTTP."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Nothing is logged."""

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": NAME, "object": "model", "context_length": CONTEXT_TOKENS}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        messages = [Message(message["role"], message["content"]) for message in body["messages"]]
        said = reply(ChatRequest(tuple(messages), body.get("max_tokens") or 1000))
        usage = {
            "prompt_tokens": sum(len(message.text) for message in messages) // 4,
            "completion_tokens": len(said) // 4,
        }
        whole = {"id": "scripted", "created": 0, "model": NAME}
        if body.get("stream"):
            told = {"index": 0, "delta": {"role": "assistant", "content": said}, "finish_reason": None}
            ended = {"index": 0, "delta": {}, "finish_reason": "stop"}
            whole["object"] = "chat.completion.chunk"
            parts = [whole | {"choices": [told]}, whole | {"choices": [ended]}, whole | {"choices": [], "usage": usage}]
            lines = [*(json.dumps(part) for part in parts), "[DONE]"]
            self._send("".join(f"data: {line}\n\n" for line in lines).encode(), "text/event-stream")
            return
        choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
        self._send(whole | {"object": "chat.completion", "choices": [choice], "usage": usage})

    def _send(self, value: object, kind: str = "application/json") -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    sys.exit(main())
