"""Programs of this machine that serve models: found, tried, and not trusted; nothing of the user's goes there."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer

import pytest

from lens_lsp.desktop.local_models import look_for_models, try_model
from lens_lsp.model.errors import OracleFailed, UsageError
from tests.desktop.desktop_process import Desktop

MODELS = {"data": [{"id": "small:1b"}, {"id": "large:70b"}]}
READY = {"choices": [{"message": {"content": " ready\x1b[31m "}}]}


@contextmanager
def program(models: object, reply: object = READY, status: int = 200) -> Iterator[tuple[int, list[str]]]:
    """A server that says these things; its port, and what was sent to it."""
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def _say(self, what: object) -> None:
            data = what if isinstance(what, bytes) else json.dumps(what).encode()
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            received.append(self.path)
            self._say(models)

        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._say(reply)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def server_bind(self) -> None:  # without a look for this machine's name, which may take long
            TCPServer.server_bind(self)
            self.server_port = self.server_address[1]

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port, received
        finally:
            server.shutdown()


def test_programs_are_found_at_their_ports_and_their_models_listed() -> None:
    with program(MODELS) as (port, received):
        (found,) = look_for_models({port: "Ollama", 1: "nobody"})
        assert (found.name, found.models) == ("Ollama", ("small:1b", "large:70b"))
        assert found.address == f"http://127.0.0.1:{port}/v1"
        assert received == ["/v1/models"]


@pytest.mark.parametrize(
    "models", [b"<html>", b"[" * 100_000, [], {"data": 1}, {"data": [{"name": "x"}]}, b"1" * (2 << 20)]
)
def test_another_program_at_such_a_port_is_none(models: object) -> None:
    with program(models) as (port, _):
        assert look_for_models({port: "Ollama"}) == []


def test_a_redirect_is_not_followed() -> None:
    with program(MODELS, status=302) as (port, _):
        assert look_for_models({port: "Ollama"}) == []
        with pytest.raises(OracleFailed):
            try_model(port, "small:1b", {port: "Ollama"})


def test_a_model_is_tried_with_a_sentence_of_ours() -> None:
    with program(MODELS) as (port, received):
        trial = try_model(port, "small:1b", {port: "Ollama"})
        assert trial.said.startswith("ready")
        assert "\x1b" not in trial.said
        (sent,) = map(json.loads, received)
        assert (sent["model"], sent["messages"]) == (
            "small:1b",
            [{"role": "user", "content": "Reply with one word: ready"}],
        )
        with pytest.raises(UsageError, match="none of"):
            try_model(port, "small:1b", {1: "nobody"})
    with program(MODELS, {"choices": []}) as (port, _), pytest.raises(OracleFailed, match="did not reply"):
        try_model(port, "small:1b", {port: "Ollama"})


def test_the_page_alone_looks_for_models_and_tries_none_elsewhere(start: Callable[..., Desktop], notes: object) -> None:
    desktop = start(notes).enter()
    with program(MODELS) as (port, received):
        for body in ({"port": port, "model": "x"}, {"port": 80, "model": "x"}):
            refused = desktop.send("POST", "/api/models/trial", body)
            assert (refused.status, refused.json()["error"]["name"]) == (422, "lens.usage")
        assert received == []
    for method, path in (("GET", "/api/models"), ("POST", "/api/models/trial")):
        body = None if method == "GET" else {"port": 11434, "model": "x"}
        assert desktop.send(method, path, body, Authorization=None).status == 401
        assert desktop.send(method, path, body, Origin="https://evil.example").status == 403
    assert "programs" in desktop.send("GET", "/api/models").json()


def test_an_address_that_was_kept_is_asked_for_its_models(start: Callable[..., Desktop], notes: object) -> None:
    desktop = start(notes).enter()
    with program(MODELS) as (port, received):
        desktop.use_model(f"http://127.0.0.1:{port}/v1")
        assert received == []
        served = desktop.send("POST", "/api/models/served", {})
        assert served.json() == {"models": ["small:1b", "large:70b"]}
        assert received == ["/v1/models"]
        assert desktop.send("POST", "/api/models/served", {}, Authorization=None).status == 401
    gone = desktop.send("POST", "/api/models/served", {})
    assert (gone.status, gone.json()["error"]["name"]) == (422, "lens.model")
    with program(b"no list") as (port, _):
        desktop.use_model(f"http://127.0.0.1:{port}/v1")
        assert desktop.send("POST", "/api/models/served", {}).json() == {"models": []}
