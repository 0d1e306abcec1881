"""Which replies may make an answer, and what is without end."""

from __future__ import annotations

import pytest

from lens_lsp.judge.llm.fitness import flaw_of, repeats
from lens_lsp.judge.oracle import Answerable, ReadReply, ReadRequest, SaidItem, SaidQuote
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
