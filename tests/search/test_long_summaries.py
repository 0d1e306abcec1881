"""Summaries of documents that are longer than a request: read in pieces, all of them cited, what is left out named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.scripted_model import ScriptedModel
from lens_lsp.judge.llm.chat_model import ChatRequest
from lens_lsp.judge.oracle import Answerable, ReadReply, SaidQuote
from lens_lsp.model.answer import Answer, Mode, Status, StopReason
from lens_lsp.search.read_first import joined
from tests.judge.llm.chat_session import ask, asked, reading, regions_of, scripted

QUESTION = "Summarize manual.md"
PARTS = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parts = (
        f"## Part {part}\n\nValve {part} opens at {part} bar. " + f"It was tested in room {part}. " * 24
        for part in range(PARTS)
    )
    (tmp_path / "manual.md").write_text("# Manual\n\n" + "\n\n".join(parts), "utf-8")
    (tmp_path / "other.md").write_text("# Other\n\nValve 99 opens at 99 bar.\n", "utf-8")
    return tmp_path


def quoting(request: ChatRequest) -> str:
    """Quotes of each region the sentence that says something, and says it."""
    found = [(n, said[0]) for n, text in regions_of(request).items() if (said := re.search(r"Valve \d+ \w+ at", text))]
    return reading("yes" if found else "no", found, " ".join(f"{said} [{n}]." for n, (_, said) in enumerate(found, 1)))


def summary(folder: Path, tokens: int, says: object = quoting) -> tuple[Answer, ScriptedModel]:
    model = scripted({"read": says})
    limits = {"request_tokens": tokens, "direct_tokens": tokens}
    return ask(folder, model, Mode.FAST, question=QUESTION, limits=limits), model


def test_a_long_document_is_read_in_pieces_to_its_end_and_each_piece_is_cited(folder: Path) -> None:
    answer, model = summary(folder, 1_600)
    assert (answer.status, answer.stopped) == (Status.ANSWERED, StopReason.DIRECT)
    assert answer.account.calls == {"read": 3}
    shown = [text for request in model.requests for text in regions_of(request).values()]
    assert len(shown) == len(set(shown)), "nothing is shown twice"
    for part in range(PARTS):
        assert sum(f"Valve {part} opens" in text for text in shown) == 1
        (number,) = re.findall(rf"Valve {part} opens at \[(\d+)\]", answer.text)
        assert f"Valve {part} opens at {part} bar" in answer.evidence[int(number) - 1].quote
    assert "Not read" not in answer.text


def test_what_all_rounds_cannot_hold_is_named_and_the_answer_is_partial(folder: Path) -> None:
    answer, model = summary(folder, 700)
    assert answer.status is Status.PARTIAL
    assert answer.account.calls == {"read": 3}
    assert re.search(r"\n\nNot read to the end: .*Part 11", answer.text)
    shown = "".join(text for request in model.requests for text in regions_of(request).values())
    assert "It was tested in room 11. " * 20 not in shown


def test_a_piece_that_says_nothing_leaves_what_the_others_said(folder: Path) -> None:
    answer, _ = summary(folder, 1_600, [quoting, quoting, reading("no", answer="Nothing.")])
    assert (answer.status, answer.account.calls) == (Status.ANSWERED, {"read": 3})
    assert "Nothing." not in answer.text
    assert "Valve 0 opens" in answer.text
    assert f"Valve {PARTS - 1} opens" in answer.text


def test_a_document_that_fits_is_one_call(folder: Path) -> None:
    answer, model = summary(folder, 8_000)
    assert len(model.requests) == 1
    assert QUESTION in asked(model.requests[0])
    assert answer.status is Status.ANSWERED


def test_the_quotes_of_a_second_piece_are_numbered_on() -> None:
    first = ReadReply(Answerable.PARTLY, (SaidQuote(1, 1, "a"), SaidQuote(4, 2, "b")), answer="A [1]. B [4].")
    second = ReadReply(Answerable.YES, (SaidQuote(1, 1, "c"),), answer="C [1][2].", missing=("x",))
    reply, said = joined(first, {}, second, {})
    assert [quote.number for quote in reply.quotes] == [1, 4, 5]
    assert reply.answer == "A [1]. B [4].\n\nC [5][6]."
    assert (reply.answerable, reply.missing, said) == (Answerable.YES, (), {})
