"""Checks of one's own: questions whose answers were called wrong, asked again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lens_lsp.app.question import ask
from lens_lsp.app.request import Request
from lens_lsp.memory.clusters import said
from lens_lsp.model.answer import Answer, Answered, Status

if TYPE_CHECKING:
    from lens_lsp.model.cluster import WrongAnswer


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A wrong answer, and what its question is answered now."""

    wrong: WrongAnswer
    answer: Answer

    @property
    def given(self) -> bool:
        """Whether the wrong answer is still given."""
        same = said(self.answer.text, self.answer.short) == said(self.wrong.text, self.wrong.short)
        return same and self.answer.status is not Status.UNANSWERED


async def ask_again(wrong: WrongAnswer, request: Request, notify: Callable[[str], object]) -> AskedAgain:
    """Ask its question as the ``request`` says where and how, with nothing known and nothing kept. Raises as
    `question.ask`."""
    async for event in ask(request, notify=notify):
        if isinstance(event, Answered):
            answer = event.answer
    return AskedAgain(wrong, answer)
