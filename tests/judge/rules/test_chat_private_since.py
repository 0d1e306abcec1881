"""A document that was made private after an answer rested on it: an endpoint elsewhere is sent nothing of it, also not
what is remembered of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.app.question_memory import Memory
from lens_lsp.app.request import Request
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.memory.store import Store
from lens_lsp.model.answer import Answered, Mode
from tests.judge.llm.chat_server import ChatServer
from tests.judge.rules.chat_session import PROOF, QUESTION, oracle_of
from tests.judge.rules.traced import replies

CANARIES = ("4 May 1931", "Quillfeather")
TEXT = f"# Bridges of Quillfeather\n\n{PROOF}, says Quillfeather.\n"
QUESTIONS = (QUESTION, "When was the bridge at Arlen opened and by whom?", "Who opened the bridge at Arlen?")


async def bodies(folder: Path, store: Store, mode: Mode, question: str, seed: int) -> str:
    """All that an endpoint which may not see private documents is sent for a question over a folder with a store."""
    async with ChatServer(replies(seed)) as server:
        model = OpenAIChat(server.base_url, "any", context_tokens=16_384)
        oracle = oracle_of(model, mode, private=False)
        terms = Terms(mode=mode, budget=Budget.of(mode), oracle=oracle)
        memory = Memory(store, str(folder))
        _ = [
            event
            async for event in Lens([folder]).ask(Request(question), terms, memory=memory)
            if isinstance(event, Answered)
        ]
        await model.aclose()
        return "\n".join(one["content"] for request in server.requests for one in request.json["messages"])


@pytest.mark.parametrize("mode", [Mode.FAST, Mode.DEEP])
def test_an_endpoint_is_sent_nothing_of_what_was_made_private(tmp_path: Path, mode: Mode) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "other.md").write_text("# Bridges\n\nThe bridge at Arlen has three arches and was opened with music.\n")
    for seed, mark in enumerate(("lens: private", "Lens = Privat", "lens:\n  - private", "private: true")):
        with Store.open(tmp_path / f"store-{seed}") as store:
            (folder / "bridge.md").write_text(TEXT)
            before = "".join(asyncio.run(bodies(folder, store, mode, each, seed)) for each in QUESTIONS)
            assert all(canary in before for canary in CANARIES)
            (folder / "bridge.md").write_text(f"---\n{mark}\n---\n\n{TEXT}")
            after = "".join(asyncio.run(bodies(folder, store, mode, each, seed)) for each in QUESTIONS)
            assert after
            assert [canary for canary in CANARIES if canary in after] == [], mark
