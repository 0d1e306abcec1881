"""What an endpoint says it used counts where it can be, else our estimate: in the ledger, the budget and the day."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import MeteredChat, Terms
from lens_lsp.app.request import Request
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ChatRequest, Message, Role
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.memory.userdata import Meter, Usage
from lens_lsp.model.answer import Answer, Answered, Mode, StopReason
from lens_lsp.model.errors import UsageError
from lens_lsp.model.observation import counted, tokens
from tests.judge.llm.chat_server import ChatServer
from tests.judge.rules.chat_session import QUESTION, oracle_of
from tests.judge.rules.traced import replies, traced

TODAY = date(2026, 3, 1)
WRONG = [
    None,
    {},
    {"prompt_tokens": 0, "completion_tokens": 0},
    {"prompt_tokens": -5_000, "completion_tokens": -5_000},
    {"prompt_tokens": 1, "completion_tokens": 0},
    {"prompt_tokens": "many", "completion_tokens": True},
    {"prompt_tokens": 2.5},
]


async def asked(folder: Path, usage: object, budget: Budget) -> tuple[Answer, int]:
    """An answer of an endpoint that says so of its usage, and the tokens of all it was sent, by estimate."""
    roots = traced(folder, 3).roots
    async with ChatServer(replies(3), usage=usage) as server:
        model = OpenAIChat(server.base_url, "any", context_tokens=16_384)
        terms = Terms(mode=Mode.DEEP, budget=budget, oracle=oracle_of(model, Mode.DEEP))
        answers = [
            event.answer async for event in Lens(roots).ask(Request(QUESTION), terms) if isinstance(event, Answered)
        ]
        await model.aclose()
        sent = sum(tokens(one["content"]) for request in server.requests for one in request.json["messages"])
    return answers[-1], sent


@pytest.mark.parametrize("usage", WRONG)
def test_usage_that_cannot_be_is_counted_by_our_estimate(tmp_path: Path, usage: object) -> None:
    answer, sent = asyncio.run(asked(tmp_path, usage, Budget.of(Mode.DEEP)))
    assert answer.account.tokens_in >= sent > 500
    assert answer.account.tokens_out > 0


def test_usage_that_can_be_counts_as_reported(tmp_path: Path) -> None:
    answer, sent = asyncio.run(asked(tmp_path, {"prompt_tokens": 9_000, "completion_tokens": 7}, Budget.of(Mode.DEEP)))
    calls = sum(answer.account.calls.values())
    assert answer.account.tokens_in == 9_000 * calls != sent


def test_a_budget_ends_though_the_endpoint_says_that_nothing_was_used(tmp_path: Path) -> None:
    free = {"prompt_tokens": 0, "completion_tokens": 0}
    budget = replace(Budget.of(Mode.DEEP), request_tokens=400, direct_tokens=50)
    whole, used = asyncio.run(asked(tmp_path / "whole", free, budget))
    assert whole.stopped is not StopReason.BUDGET_TOKENS
    answer, sent = asyncio.run(asked(tmp_path / "half", free, replace(budget, tokens=used // 2)))
    assert answer.stopped is StopReason.BUDGET_TOKENS
    assert sent <= used // 2


@pytest.mark.parametrize("usage", WRONG)
@pytest.mark.parametrize("stream", [False, True])
def test_a_days_tokens_are_used_up_whatever_is_reported(tmp_path: Path, usage: object, stream: bool) -> None:
    request = ChatRequest((Message(Role.USER, "word " * 300),), max_tokens=100)

    async def called() -> None:
        async with ChatServer("The answer is 42.", usage=usage) as server:
            model = OpenAIChat(server.base_url, "any")
            chat = MeteredChat(model, Meter(tmp_path / "usage.json", model.endpoint, today=lambda: TODAY), 1_500)
            for _ in range(20):
                if stream:
                    _ = [piece async for piece in chat.stream(request)]
                else:
                    await chat.complete(request)
            await chat.aclose()

    with pytest.raises(UsageError, match="of the 1,500 tokens a day"):
        asyncio.run(called())
    used = Usage.read(tmp_path / "usage.json").on(TODAY)
    assert used.tokens_in >= 500 * used.calls > 0
    assert used.tokens_out >= 5 * used.calls


@pytest.mark.parametrize(
    ("reported", "estimate", "counts"),
    [(None, 90, 90), (0, 90, 90), (-3, 90, 90), (11, 90, 90), (12, 90, 12), (400, 90, 400), (0, 0, 0), (0, 1, 1)],
)
def test_what_counts(reported: int | None, estimate: int, counts: int) -> None:
    assert counted(reported, estimate) == counts
