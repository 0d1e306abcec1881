"""Replies of a capable reader, recorded, so that a measurement with it can be repeated.

    python -m benchmarks.recorded collect QUEUE FILE       from the files of a bridge: NNNNN.req.json, NNNNN.reply.txt
    python -m benchmarks.recorded serve FILE [--port N]    a chat endpoint on loopback that gives these replies

A reply is found by the SHA-256 of its request's messages without their nonces: another ranking or another prompt is
another request, which gets status 503 and is counted. Nothing of a request is kept but that hash.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODEL = "reader"
CONTEXT_TOKENS = 32_768
_NONCE = re.compile(r"\[[0-9a-f]{12,}")


def fingerprint(messages: Sequence[Mapping[str, Any]]) -> str:
    """What tells requests apart."""
    text = json.dumps([[message["role"], message["content"]] for message in messages], ensure_ascii=False)
    return hashlib.sha256(_NONCE.sub("[", text).encode()).hexdigest()


def collect(queue: Path, out: Path) -> int:
    """Write the replies of a queue; how many there are."""
    replies: dict[str, str] = {}
    for asked in sorted(queue.glob("*.req.json")):
        said = asked.with_name(asked.name.replace(".req.json", ".reply.txt"))
        if said.exists():
            replies[fingerprint(json.loads(asked.read_text("utf-8"))["messages"])] = said.read_text("utf-8")
    lines = (json.dumps({"request": key, "reply": reply}, ensure_ascii=False) for key, reply in sorted(replies.items()))
    out.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))
    return len(replies)


def read(path: Path) -> dict[str, str]:
    """The replies of a file by their requests."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {row["request"]: row["reply"] for row in map(json.loads, lines)}


def server(replies: Mapping[str, str], port: int = 0) -> ThreadingHTTPServer:
    """The endpoint, not yet serving."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            """Nothing is logged."""

        def do_GET(self) -> None:
            model = {"id": MODEL, "object": "model", "context_length": CONTEXT_TOKENS}
            found = self.path.rstrip("/").endswith("/models")
            self._send({"object": "list", "data": [model]} if found else {}, 200 if found else 404)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
            if not self.path.rstrip("/").endswith("/chat/completions"):
                self._send({}, 404)
                return
            reply = replies.get(fingerprint(body["messages"]))
            if reply is None:
                self._send({"error": {"message": "no reply to this request is recorded"}}, 503)
                return
            size = len(json.dumps(body["messages"])) // 4
            usage = {"prompt_tokens": size, "completion_tokens": len(reply) // 4}
            whole = {"id": "recorded", "created": 0, "model": MODEL}
            if not body.get("stream"):
                choice = {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}
                self._send(whole | {"object": "chat.completion", "choices": [choice], "usage": usage})
                return
            said = {"index": 0, "delta": {"role": "assistant", "content": reply}, "finish_reason": None}
            ended = {"index": 0, "delta": {}, "finish_reason": "stop"}
            whole["object"] = "chat.completion.chunk"
            parts = [whole | {"choices": [said]}, whole | {"choices": [ended]}, whole | {"choices": [], "usage": usage}]
            lines = [*(json.dumps(part) for part in parts), "[DONE]"]
            self._answer("".join(f"data: {line}\n\n" for line in lines).encode(), "text/event-stream", 200)

        def _send(self, value: object, status: int = 200) -> None:
            self._answer(json.dumps(value).encode(), "application/json", status)

        def _answer(self, body: bytes, kind: str, status: int) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("queue", type=Path)
    collecting.add_argument("out", type=Path)
    serving = commands.add_parser("serve")
    serving.add_argument("recorded", type=Path)
    serving.add_argument("--port", type=int, default=0)
    args = parser.parse_args(arguments)
    if args.command == "collect":
        print(f"{collect(args.queue, args.out)} replies")
        return 0
    with server(read(args.recorded), args.port) as endpoint:
        print(f"http://127.0.0.1:{endpoint.server_address[1]}/v1", flush=True)
        endpoint.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
