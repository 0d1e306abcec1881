"""An arm over shards: what it finds in a file of many articles is named by the article it lies in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluation.arms.base import Arm, ArmAnswer, ArmResult, Quoted, Said, distinct
from evaluation.data.fullwiki import Titles
from lens_lsp.model.answer import Answer
from lens_lsp.model.errors import UsageError
from lens_lsp.model.text import Span

_DEEPER = 3
"""Windows for each document that is wanted: several lie in one article."""


@dataclass(slots=True)
class ShardArm:
    """Its documents are the articles of its windows, in their order: a file of many articles is no answer."""

    arm: Arm
    _titles: Titles | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """As the inner arm is called."""
        return self.arm.name

    def prepare(self, corpus_dir: Path) -> float:
        """As the inner arm does."""
        self._titles = Titles(corpus_dir)
        return self.arm.prepare(corpus_dir)

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """What the inner arm finds, by articles."""
        titles = self._titles
        if titles is None:
            raise UsageError("prepare the arm before searching")
        found = self.arm.search(ticket, text, _DEEPER * depth)
        windows = tuple(titles.named(*window) for window in found.windows)
        documents = distinct((path for path, _, _ in windows), depth)
        answer = None if found.answer is None else _named(found.answer, titles)
        return replace(found, documents=documents, windows=windows, answer=answer)

    def close(self) -> None:
        """As the inner arm does."""
        self._titles = None
        self.arm.close()


def _named(answer: ArmAnswer, titles: Titles) -> ArmAnswer:
    if isinstance(answer, Answer):
        moved = [(item, titles.named(item.path, item.span.start, item.span.end)) for item in answer.evidence]
        evidence = tuple(replace(item, path=path, span=Span(start, end)) for item, (path, start, end) in moved)
        return replace(answer, evidence=evidence)
    if isinstance(answer, Said):
        quoted = [(item, titles.named(item.path, item.start, item.end)) for item in answer.evidence]
        shown = tuple(Quoted(item.n, *place, item.quote, item.verdict) for item, place in quoted)
        return replace(answer, evidence=shown)
    raise TypeError(f"an answer of an unknown kind: {type(answer).__name__}")
