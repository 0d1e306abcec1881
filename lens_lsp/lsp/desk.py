"""What the server keeps for its features beside the open texts. On the event loop only."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lens_lsp.lsp.checks import Checks
from lens_lsp.lsp.configuration import Configuration
from lens_lsp.lsp.consenting import Consenting
from lens_lsp.lsp.stores import Stores
from lens_lsp.lsp.watching import Watching

if TYPE_CHECKING:
    from lsprotocol import types

    from lens_lsp.lsp.server import LensServer
    from lens_lsp.model.answer import Answer

_REMEMBERED = 100
"""Answers of this session whose facts are known beyond what their files say."""
_MOST_SAID = 1_000


@dataclass(frozen=True, slots=True)
class Pointed:
    """What the editor asked code actions for last: a ``??`` line or a selection, with the text's version."""

    uri: str
    question: str
    range: types.Range
    asks: bool
    """It is a ``??`` line: its answer belongs below it."""


class Desk:
    """Of one client."""

    def __init__(self, ls: LensServer) -> None:
        self._ls = ls
        self._said: set[str] = set()
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self.accounts: deque[tuple[Answer, str | None]] = deque(maxlen=_REMEMBERED)
        """The answers of this session with their files, the last one first. Their roots are absolute."""
        self.pointed: Pointed | None = None
        self.configuration = Configuration(ls)
        self.stores = Stores(ls.environment, self.once)
        self.checks = Checks(ls)
        self.watching = Watching(ls)
        self.consenting = Consenting(ls)

    def once(self, sentence: str) -> None:
        """Tell the user something that is told once. From any thread."""
        if sentence in self._said or len(self._said) >= _MOST_SAID:
            return
        self._said.add(sentence)
        self._ls.warn(sentence)

    def remember(self, path: str, answer: Answer) -> None:
        """An answer was written to a file."""
        self._answers[path] = answer
        self._answers.move_to_end(path)
        while len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)

    def account(self, answer: Answer, path: str | None) -> None:
        """A question was answered: what it cost is asked for by ``lens/ledger``."""
        self.accounts.appendleft((answer, path))

    def forget(self) -> None:
        """Know nothing of earlier answers any more."""
        self._answers.clear()
        self.accounts.clear()

    def answer(self, path: str | None) -> Answer | None:
        """The answer that this session wrote to a file."""
        return None if path is None else self._answers.get(path)

    @property
    def latest(self) -> str | None:
        """The file of the last answer."""
        return next(reversed(self._answers), None)
