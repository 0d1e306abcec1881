"""The ten questions that a model must be able to judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from benchmarks.scripted_model import ScriptedModel
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.llm.chat_model import ChatRequest
from lens_lsp.judge.llm.chat_oracle import ChatOracle, budget_for
from lens_lsp.judge.llm.fitness import FIT, TRIALS, Outcome, self_test
from lens_lsp.model.answer import Mode

QUOTES = {
    "harbour": "The basin is 9 metres deep at low water.",
    "archive": "On Sundays only the night porter may unlock it.",
    "engine": "The Heron has a diesel engine.",
    "Smoking": "Smoking is not permitted in the rooms, in the hall or on the terrace.",
    "refunded": "Without a receipt, refunds are limited to 25 euros.",
    "Bibliothek": "im Winter schon um 18 Uhr",
    "timeout": "| timeout | 45 s |",
}


def tried(says: Callable[[ChatRequest], str]) -> list[Outcome]:
    model = ScriptedModel(says)
    budget = budget_for(Mode.FAST, model.context_tokens)
    return asyncio.run(self_test(ChatOracle(model, Mode.FAST), lambda: Ledger(budget)))


def read(answerable: str, quotes: list[tuple[int, str]], answer: str, short: str | None) -> str:
    listed = [{"n": n, "region": region, "quote": quote} for n, (region, quote) in enumerate(quotes, 1)]
    rest = {"items": [], "computation": None, "missing": [], "terms": []}
    return json.dumps({"answerable": answerable, "quotes": listed, **rest, "answer": answer, "short": short})


def able(request: ChatRequest) -> str:
    text = request.messages[-1].text
    trial = next(trial for trial in TRIALS if f"Question: {trial.question}" in text)
    if not trial.answer:
        return read("no", [], "", None)
    quote = next(quote for word, quote in QUOTES.items() if word.lower() in trial.question.lower())
    region = next(n for n, (_, passage) in enumerate(trial.passages, 1) if quote in passage)
    return read("yes", [(region, quote)], f"It is {trial.answer[0]} [1].", trial.answer[0])


def test_a_model_that_reads_gets_all_right() -> None:
    assert [outcome.why for outcome in tried(able)] == [None] * len(TRIALS)


@pytest.mark.parametrize(
    "says",
    [
        lambda _: "I am a helpful assistant.",
        lambda _: read("yes", [(1, "made up words")], "Yes [1].", "yes"),
        lambda _: read("no", [], "", None),
        lambda request: read("yes", [(1, request.messages[-1].text.split("\n")[1])], "It is purple [1].", "purple"),
    ],
)
def test_a_model_that_does_not_is_not_fit(says: Callable[[ChatRequest], str]) -> None:
    outcomes = tried(says)
    assert len(outcomes) == len(TRIALS) == 10
    assert sum(outcome.why is None for outcome in outcomes) < FIT
