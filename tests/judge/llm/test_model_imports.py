"""Whoever uses no model does not pay for one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
MODEL_PACKAGES = ("openai", "httpx2", "httpcore2", "anyio")


def loaded(code: str, *arguments: str) -> list[str]:
    """Which packages of the model's door a new interpreter has loaded after some code."""
    code += f"\nimport json, sys; print(json.dumps([name for name in {MODEL_PACKAGES!r} if name in sys.modules]))"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "code",
    [
        "import lens_lsp; lens_lsp.Lens; lens_lsp.LensError",
        "import lens_lsp.judge.llm.chat_model, benchmarks.scripted_model, lens_lsp.judge.llm.endpoint",
        "from lens_lsp.judge.llm.openai_client import OpenAIChat; OpenAIChat('http://localhost:11434', 'any', 'key')",
    ],
)
def test_naming_a_model_loads_no_sdk(code: str) -> None:
    assert loaded(code) == []


def test_asking_without_a_model_loads_no_sdk(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("The harbour of Lisbon opened in 1887.\n")
    code = "import sys; from lens_lsp.cli import main; code = main(sys.argv[1:]); assert code in (0, 1), code"
    assert loaded(code, "ask", "When did the harbour of Lisbon open?", str(tmp_path), "--mode", "evidence") == []


def test_the_first_call_loads_it() -> None:
    code = """
import asyncio
from lens_lsp.judge.llm.chat_model import ChatRequest, Message, ModelError, Role
from lens_lsp.judge.llm.openai_client import OpenAIChat
try:
    asyncio.run(OpenAIChat("http://127.0.0.1:9", "any").complete(ChatRequest((Message(Role.USER, "x"),), 5)))
except ModelError:
    pass
"""
    assert loaded(code) == list(MODEL_PACKAGES)
