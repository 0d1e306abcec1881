"""What is found does not depend on how much of the texts memory may hold."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lens_lsp import Answer, Answered, Lens
from lens_lsp.app.oracle_factory import Terms
from tests.word_judge import WordJudge

DOCS = Path(__file__).parent.parent / "docs"
QUESTIONS = (
    "How is the language server told where the settings of a user are?",
    "Which environment variable names the folder of test data?",
    "What does a budget of 64 MiB mean for texts that do not fit into memory?",
    "Why is a citation that drifted shown as a diagnostic?",
)


@pytest.fixture(scope="module")
def kept() -> Lens:
    return Lens([DOCS])


@pytest.fixture(scope="module", params=[0, 200_000], ids=["none", "some"])
def passing(request: pytest.FixtureRequest) -> Lens:
    return Lens([DOCS], memory=request.param)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_passages_are_found(kept: Lens, passing: Lens, question: str) -> None:
    much, little = kept.find(question), passing.find(question)
    assert much.evidence
    assert [(one.path, one.span, one.quote) for one in little.evidence] == [
        (one.path, one.span, one.quote) for one in much.evidence
    ]
    assert [one.score for one in little.evidence] == pytest.approx([one.score for one in much.evidence])
    assert [(one.path, one.admitted) for one in little.documents] == [
        (one.path, one.admitted) for one in much.documents
    ]
    assert [one.prior for one in little.documents] == pytest.approx([one.prior for one in much.documents])
    assert little.coverage == much.coverage


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_answer_is_given(kept: Lens, passing: Lens, question: str) -> None:
    much, little = asked(kept, question), asked(passing, question)
    assert (little.status, little.short, little.text) == (much.status, much.short, much.text)
    assert [(one.path, one.span) for one in little.evidence] == [(one.path, one.span) for one in much.evidence]


def asked(lens: Lens, question: str) -> Answer:
    async def last() -> Answer:
        answers = [
            event.answer async for event in lens.ask(question, Terms(oracle=WordJudge())) if isinstance(event, Answered)
        ]
        return answers[0]

    return asyncio.run(last())
