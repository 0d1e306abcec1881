"""Arms that are made for tests: what they return is laid down, whatever they are asked; and vectors without a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.arms.base import ArmResult, Quoted, Said
from evaluation.arms.indexes import Passage, read_corpus
from lens_lsp.judge.llm.chat_model import ModelError
from lens_lsp.model.answer import Account, Status, StopReason


def result(
    documents: Sequence[str] = (),
    passages: Sequence[tuple[Passage, str]] = (),
    *,
    text: str | None = None,
    short: str | None = None,
    calls: int = 1,
    stopped: StopReason = StopReason.COVERED,
) -> ArmResult:
    """What an arm returns that shows some passages; with a ``text`` it answers, and cites all that stands in it."""
    shown = tuple(Quoted(n, *place, quote) for n, (place, quote) in enumerate(passages, 1))
    answer = None
    if text is not None:
        status = Status.UNANSWERED if short is None else Status.ANSWERED
        account = Account(calls={"synthesise": calls}, tokens_in=100, tokens_out=10)
        answer = Said(status, stopped, text, short, shown, account)
    cited = shown if text is None else tuple(item for item in shown if f"[{item.n}]" in text)
    windows = tuple(item.passage for item in cited)
    return ArmResult(tuple(documents), windows, 0.01, tuple(item.json() for item in shown), answer)


@dataclass
class FixedArm:
    """Returns what a function makes of the texts of the corpus and the question; remembers what it was handed."""

    name: str
    makes: Callable[[dict[str, str], str], ArmResult]
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    folder: Path | None = None

    def prepare(self, corpus_dir: Path) -> float:
        self.folder = corpus_dir
        return 0.0

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        assert self.folder is not None
        self.asked.append((ticket, text, depth))
        return self.makes(read_corpus(self.folder), text)

    def close(self) -> None:
        self.folder = None


def nothing(texts: dict[str, str], question: str) -> ArmResult:
    """No document, no passage and an empty answer."""
    return result(text="")


def everything(texts: dict[str, str], question: str) -> ArmResult:
    """Every document, the whole of each as a passage, and all passages cited."""
    passages = [((path, 0, len(text)), text) for path, text in texts.items()]
    cites = "".join(f"[{n}]" for n in range(1, len(passages) + 1))
    return result(list(texts), passages, text=f"All of it. {cites}", short=" ".join(texts.values()))


def unrelated(texts: dict[str, str], question: str) -> ArmResult:
    """A confident answer about something else, from a document that is not there."""
    quote = "The weather was mild and the harvest good."
    return result(["Almanac"], [(("Almanac", 0, len(quote)), quote)], text="The harvest was good. [1]", short="harvest")


class Letters:
    """Vectors of how often each letter stands in a text; it fails at a text that says so."""

    endpoint = None

    def __init__(self, name: str = "letters/1", each: int = 0) -> None:
        self.name = name
        self.each = each
        """Tokens that every text counts for."""
        self.tokens = 0
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if "fail" in texts:
            raise ModelError("no vectors today")
        self.seen += texts
        self.tokens += self.each * len(texts)
        rows = np.array([[text.lower().count(chr(97 + n)) + 0.01 for n in range(26)] for text in texts], np.float32)
        normal: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return normal
