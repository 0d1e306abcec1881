"""What our further requests and commands carry; the models check it, as those in `wire` do."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from lens_lsp.lsp.wire import AskParams, Scope, Token, UInt, Wire, WireBudget, WirePosition

Text = Annotated[str, Field(min_length=1, max_length=10_000)]
Id = Annotated[str, Field(min_length=1, max_length=200)]
_Limit = Annotated[int, Field(ge=1, le=100, strict=True)]


class FindParams(Wire):
    """Of ``lens/find``; a string alone is the query. ``for_model``: the passages are for an editor's chat model."""

    query: Text
    scope: Scope = Scope()
    limit: _Limit = 10
    for_model: bool = False
    work_done_token: Token | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"query": value} if isinstance(value, str) else value


class FindCommand(Wire):
    """Of ``lens.server.find``: as `FindParams`, or nothing."""

    query: Text | None = None
    scope: Scope = Scope()
    limit: _Limit = 10

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"query": value} if isinstance(value, str) else value


class AskCommand(Wire):
    """Of ``lens.server.ask``: as `AskParams`, or nothing. ``insert``: the answer belongs below the ``??`` line that
    ``scope`` names."""

    question: Text | None = None
    scope: Scope = Scope()
    mode: Literal["auto", "evidence", "fast", "deep"] | None = None
    thread: Id | None = None
    budget: WireBudget = WireBudget()
    insert: bool = False

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"question": value} if isinstance(value, str) else value

    def asking(self, question: str, scope: Scope) -> AskParams:
        """The request for a question."""
        return AskParams(question=question, scope=scope, mode=self.mode, thread=self.thread, budget=self.budget)


class ClustersParams(Wire):
    """Of ``lens/clusters``: all of them, or those with these ids. ``fresh``: look at what they cite, now."""

    ids: Annotated[tuple[Id, ...], Field(max_length=1_000)] | None = None
    fresh: bool = False


class ThreadsParams(Wire):
    """Of ``lens/threads``: nothing."""


class ForgetParams(Wire):
    """Of ``lens/forget``: whole ids, or all."""

    ids: Annotated[tuple[Id, ...], Field(max_length=10_000)] = ()
    all: bool = False


class RecheckParams(Wire):
    """Of ``lens/recheck`` and ``lens.server.recheck``: one text (a string alone is its URI), or everything."""

    uri: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"uri": value} if isinstance(value, str) else value


class LedgerParams(Wire):
    """Of ``lens/ledger``: how many of the last questions are listed."""

    questions: UInt = 20


class OpenAnswerParams(Wire):
    """Of ``lens.server.openAnswer``: a URI, the id of a cluster, or a question; a string alone is any of them, nothing
    is the last answer."""

    answer: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"answer": value} if isinstance(value, str) else value


class InsertAnswerParams(Wire):
    """Of ``lens.server.insertAnswer``: an earlier answer, named as in `OpenAnswerParams`, goes below the paragraph at a
    place of an open text."""

    uri: str
    position: WirePosition
    answer: Text | None = None
