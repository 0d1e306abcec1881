"""Programs of this machine that serve models: looked for at their usual ports, and tried with a sentence of ours.

Nothing of the user's is sent, no redirect is followed, and no other machine is connected to.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from lens_lsp.model.errors import OracleFailed, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable

PORTS: Mapping[int, str] = {1234: "LM Studio", 8000: "vLLM", 8080: "llama.cpp", 11434: "Ollama"}
"""Where each listens unless it is told otherwise."""
_HOST = "127.0.0.1"
_LOOK_SECONDS = 2.0
_TRIAL_SECONDS = 120.0
"""A model that is not in memory yet is loaded first."""
_MOST_BYTES = 1 << 20
_MOST_MODELS = 100
_LONGEST_NAME = 200
_LONGEST_SAID = 200
_TRIAL = "Reply with one word: ready"


@dataclass(frozen=True, slots=True)
class ModelProgram:
    """A program that answered; ``name`` is whose port it is, ``models`` are what it says that it serves."""

    name: str
    port: int
    models: tuple[str, ...]

    @property
    def address(self) -> str:
        """The base URL to configure."""
        return f"http://{_HOST}:{self.port}/v1"


@dataclass(frozen=True, slots=True)
class Trial:
    """A model replied: with what, after how many seconds."""

    said: str
    seconds: float


def look_for_models(ports: Mapping[int, str] = PORTS) -> list[ModelProgram]:
    """The programs that answer now, by their ports. Waits for all of them."""
    with ThreadPoolExecutor(len(ports)) as pool:
        found = pool.map(lambda each: _program(each[1], each[0]), sorted(ports.items()))
        return [program for program in found if program is not None]


def try_model(port: int, model: str, ports: Mapping[int, str] = PORTS) -> Trial:
    """Ask a model for one word. Raises `UsageError` for another port, `OracleFailed` where nothing sensible comes."""
    if port not in ports:
        raise UsageError(
            f"port {port} is none of {', '.join(map(str, sorted(ports)))}: give the model's address by hand"
        )
    asked = {"model": model, "messages": [{"role": "user", "content": _TRIAL}], "max_tokens": 64, "stream": False}
    began = time.monotonic()
    try:
        reply = _spoken("POST", port, "/v1/chat/completions", _TRIAL_SECONDS, asked)
        said = reply["choices"][0]["message"]["content"]
    except (OSError, ValueError, KeyError, IndexError, TypeError, http.client.HTTPException) as error:
        raise OracleFailed(f"{printable(model)} did not reply ({type(error).__name__}); is it loaded?") from error
    if not isinstance(said, str):
        raise OracleFailed(f"{printable(model)} replied with no text")
    return Trial(printable(said.strip())[:_LONGEST_SAID], time.monotonic() - began)


def _program(name: str, port: int) -> ModelProgram | None:
    try:
        listed = _spoken("GET", port, "/v1/models", _LOOK_SECONDS)["data"]
        names = [each["id"] for each in listed[:_MOST_MODELS]]
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return None
    models = tuple(each for each in names if isinstance(each, str) and 0 < len(each) <= _LONGEST_NAME)
    return ModelProgram(name, port, models)


def _spoken(method: str, port: int, path: str, seconds: float, body: object = None) -> Any:
    """The JSON of an answer. Raises OSError, HTTPException, and ValueError for what is none or an error."""
    connection = http.client.HTTPConnection(_HOST, port, timeout=seconds)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": "application/json"} if data else {})
        response = connection.getresponse()
        content = response.read(_MOST_BYTES + 1)
    finally:
        connection.close()
    if response.status != 200 or len(content) > _MOST_BYTES:
        raise ValueError(f"status {response.status}")
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError("too deep") from error
