"""A model that is far too small: no answer is worse than without it, and doctor says so."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest
from lens_process import Command
from scripted_endpoint import settings

from benchmarks.scripted_model import ScriptedModel
from evaluation.data.docsqa import DocsQa, open_docsqa, unpack
from lens_lsp.app.lens import Lens
from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest
from lens_lsp.judge.llm.chat_oracle import ChatOracle, budget_for
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.model.answer import Answer, Answered, Mode, StopReason
from tests.lens_by_name import by_name
from tests.weak_answers import small_model, worse

pytestmark = pytest.mark.long

QUESTIONS = 20


class Recording(OpenAIChat):
    """Keeps what the model says in its streams, by what it is asked."""

    said: dict[str, str]

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply, None]:
        parts = super().stream(request)
        try:
            async for part in parts:
                if not isinstance(part, ChatReply):
                    self.said[_question(request)] = self.said.get(_question(request), "") + part
                yield part
        finally:
            await parts.aclose()


def _question(request: ChatRequest) -> str:
    return request.messages[-1].text.rpartition("\nQuestion: ")[2].partition("\n")[0]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with small_model() as url:
        yield url


class Asked:
    """DocsQA questions of the second half in file order, and their folders."""

    def __init__(self, dataset: DocsQa, out: Path) -> None:
        self._dataset = dataset
        self._out = out
        self._folders: dict[str, Lens] = {}
        lines = gzip.decompress((dataset.folder / "questions.jsonl.gz").read_bytes()).splitlines()
        rows = [json.loads(line) for line in lines]
        self.questions = [row for row in rows if row["half"] == "second"][:QUESTIONS]
        self.without = [self(row) for row in self.questions]

    def __call__(self, row: dict[str, Any], **options: Any) -> Answer:
        name = row["workspace"]
        if name not in self._folders:
            self._folders[name] = Lens([unpack(self._dataset, name, self._out)])

        async def ask() -> list[Answer]:
            events = by_name(self._folders[name], row["question"], **options)
            return [event.answer async for event in events if isinstance(event, Answered)]

        (answer,) = asyncio.run(ask())
        return answer


@pytest.fixture(scope="module")
def asked(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    return Asked(open_docsqa(data_dir / "docsqa"), tmp_path_factory.mktemp("docsqa"))


@pytest.fixture(scope="module")
def said(asked: Asked, endpoint: str) -> tuple[list[Answer], dict[str, str]]:
    """The answers with the model, and what it said to each question."""
    model = Recording(endpoint, "smollm2")
    model.said = {}
    asyncio.run(model.probe())
    assert model.small
    answers = []
    for row in asked.questions:
        budget = budget_for(Mode.FAST, model.context_tokens)
        answers.append(asked(row, mode=Mode.FAST, budget=budget, oracle=ChatOracle(model, Mode.FAST)))
        asyncio.run(model.aclose())  # the next question has a loop of its own
        print(f"{answers[-1].account.seconds:6.1f} s", answers[-1].account.calls, answers[-1].warnings, flush=True)
        assert answers[-1].account.seconds < budget.seconds
        assert answers[-1].stopped is not StopReason.BUDGET_SECONDS
    return answers, model.said


def test_no_answer_is_worse_than_without_a_model(asked: Asked, said: tuple[list[Answer], dict[str, str]]) -> None:
    answers, replies = said
    assert len(replies) == len(answers) == QUESTIONS
    found = {row["id"]: worse(*pair) for row, *pair in zip(asked.questions, answers, asked.without, strict=True)}
    assert {id_: what for id_, what in found.items() if what is not None} == {}


def test_the_same_replies_taken_as_they_are_make_answers_worse(
    asked: Asked, said: tuple[list[Answer], dict[str, str]]
) -> None:
    """What the comparison finds where nothing is left out and the rules do not answer."""
    _, replies = said
    believing = ScriptedModel(lambda request: replies[_question(request)], small=True, context_tokens=8_192)
    oracle = ChatOracle(believing, Mode.FAST, flaw=lambda *_: None)
    budget, ablate = budget_for(Mode.FAST, believing.context_tokens), frozenset({"rules"})
    found = [
        worse(asked(row, mode=Mode.FAST, budget=budget, oracle=oracle, ablate=ablate), without)
        for row, without in zip(asked.questions, asked.without, strict=True)
    ]
    assert any(found)


def test_doctor_calls_it_unfit(lens_here: Command, endpoint: str, notes: Path) -> None:
    outcome = lens_here("doctor", "notes", "--json", "--probe", env=settings(endpoint))
    probe = json.loads(outcome.out)["probe"]
    assert probe["verdict"].startswith("not fit to judge")
