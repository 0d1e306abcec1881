"""Which replies may make an answer, and what is without end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from benchmarks.scripted_model import ScriptedModel
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.llm.chat_model import ChatRequest
from lens_lsp.judge.llm.chat_oracle import ChatOracle, budget_for
from lens_lsp.judge.llm.fitness import FIT, TRIALS, TrialOutcome, flaw_of, repeats, self_test
from lens_lsp.judge.oracle import Answerable, ReadReply, ReadRequest, SaidItem, SaidQuote
from lens_lsp.model.answer import Mode
from lens_lsp.model.observation import Region

ROWS = "".join(f"| {n} | {n * 7} |\n" for n in range(200))
SAME = "and it will be a great day to celebrate too, "
QUOTES, MEMBERS = (
    ", ".join(f'{{"n": {n}, "region": {n % most}, "quote": "The same words again."}}' for n in range(1, 30))
    for most in (1, 99)
)


@pytest.mark.parametrize("said", [SAME * 20, "\n" * 500, '{"quotes": [' + QUOTES, "y" + SAME[:7] * 80])
def test_what_is_said_again_and_again_is_without_end(said: str) -> None:
    assert repeats(said)


@pytest.mark.parametrize(
    "said", ["", SAME * 3, "-" * 300, ROWS, MEMBERS, "| --- " * 60, f"{SAME * 20} but then it ended. "]
)
def test_a_table_and_a_line_of_dashes_are_not(said: str) -> None:
    assert not repeats(said)


def flaw(question: str, text: str, quote: str, answer: str, **more: object) -> str | None:
    region = Region(1, "a.md", "a", (), None, text)
    reply = ReadReply(Answerable.YES, (SaidQuote(1, 1, quote),), answer=answer)
    for name, value in more.items():
        setattr(reply, name, value)
    return flaw_of(ReadRequest(question, (region,)), reply, {1: text})


RYE = "The bread is baked from rye and rests for two days."


@pytest.mark.parametrize(
    ("question", "text", "quote", "answer"),
    [
        ("What is the bread baked from?", RYE, "baked from rye", "From rye [1]."),
        ("Does it rest?", RYE, "rests for two days", "Yes [1]."),
        ("that thing with the dough, how long?", RYE, "rests for two days", "Some days pass before [1]."),
        ("Woraus wird das Brot gemacht?", RYE, "baked from rye", "Es wird aus Roggenmehl gebacken [1]."),
        ("面包用什么做的？", "面包用黑麦做成，放两天。", "面包用黑麦做成", "黑麦 [1]。"),
        ("How long does it rest?", RYE, "rests … two days", "{result} [1]."),
    ],
)
def test_what_a_capable_reader_says_is_fit(question: str, text: str, quote: str, answer: str) -> None:
    assert flaw(question, text, quote, answer) is None


def test_a_list_is_an_answer_without_words() -> None:
    asked = "Which grain is in the bread?"
    assert flaw(asked, RYE, "baked from rye", "", items=(SaidItem("rye", 1),)) is None
    assert flaw(asked, RYE, "baked from rye", "") == "it gives no answer"


@pytest.mark.parametrize("quote", ["...", "The answer in one sentence that ends with", "The dough is kneaded by hand"])
def test_a_quote_of_the_prompt_or_of_nothing_is_none(quote: str) -> None:
    assert (
        flaw("What is the bread baked from?", RYE, quote, "rye [1]") == "it quotes nothing that stands in the passages"
    )


TRIAL_QUOTES = {
    "harbour": "The basin is 9 metres deep at low water.",
    "archive": "On Sundays only the night porter may unlock it.",
    "engine": "The Heron has a diesel engine.",
    "Smoking": "Smoking is not permitted in the rooms, in the hall or on the terrace.",
    "refunded": "Without a receipt, refunds are limited to 25 euros.",
    "Bibliothek": "im Winter schon um 18 Uhr",
    "timeout": "| timeout | 45 s |",
}


def tried(says: Callable[[ChatRequest], str]) -> list[TrialOutcome]:
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
    quote = next(quote for word, quote in TRIAL_QUOTES.items() if word.lower() in trial.question.lower())
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
