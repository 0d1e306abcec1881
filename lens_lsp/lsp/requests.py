"""What our further requests and commands carry; the models check it, as those in `wire` do."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from lens_lsp.lsp.wire import AskParams, Scope, Token, UInt, Wire, WireBudget, WirePosition

Text = Annotated[str, Field(min_length=1, max_length=10_000)]
Id = Annotated[str, Field(min_length=1, max_length=200)]
_Limit = Annotated[int, Field(ge=1, le=100, strict=True)]


class FindParams(Wire):
    """Of ``lens/find``; a string alone is the query. ``for_model``: the passages are for an editor's chat model.
    ``rerank``: the reader orders the best of them, which takes longer: for a second request behind one without it."""

    query: Text
    scope: Scope = Scope()
    limit: _Limit = 10
    rerank: bool = False
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
    for_model: bool = False
    """They are for a chat model that is not ours."""


class ThreadsParams(Wire):
    """Of ``lens/threads``: nothing."""


class ForgetParams(Wire):
    """Of ``lens/forget``: whole ids, or all."""

    ids: Annotated[tuple[Id, ...], Field(max_length=10_000)] = ()
    all: bool = False


class WrongParams(Wire):
    """Of ``lens/wrong`` and ``lens.server.wrong``: whole ids of clusters; a string alone is one."""

    ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=1_000)]

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"ids": [value]} if isinstance(value, str) else value


class RecheckParams(Wire):
    """Of ``lens/recheck`` and ``lens.server.recheck``: one text, which an ``answerUri`` may name (a string alone is its
    URI), or everything."""

    uri: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"uri": value} if isinstance(value, str) else value


class TextParams(Wire):
    """Of ``lens/text``: the URI of a file; a string alone is it. ``confined``: only of one that is searched or that
    holds an answer, found through no link."""

    uri: str
    confined: bool = False

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"uri": value} if isinstance(value, str) else value


class AnswerParams(Wire):
    """Of ``lens/answer``: an earlier answer, named as in `OpenAnswerParams`. ``for_model``: it is for a chat model that
    is not ours."""

    answer: Text | None = None
    for_model: bool = False


_Lines = tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
_Places = tuple[UInt, UInt]


class PassageParams(Wire):
    """Of ``lens/passage``: a document in a workspace folder and which of its lines, the last one included, or which
    span; all of it without. ``page``: only that page of them, from 1; a page is about 6,000 code points, cut at the end
    of a line. ``for_model``: it is for a chat model that is not ours."""

    uri: str
    lines: _Lines | None = None
    span: _Places | None = None
    page: Annotated[int, Field(ge=1)] | None = None
    for_model: bool = False

    @model_validator(mode="after")
    def _in_order(self) -> PassageParams:
        for place in (self.lines, self.span):
            if place is not None and place[0] > place[1]:
                raise ValueError("it ends before it begins")
        return self


class Beside(Wire):
    """What tells a quote from others like it: the shortest texts beside it that make its place unique, empty where it
    is unique by itself, none where there are no such texts; and how often it stands in its document."""

    before: Annotated[str, Field(max_length=1_000)] | None = ""
    after: Annotated[str, Field(max_length=1_000)] | None = ""
    count: UInt | None = None


class HeldCitation(Wire):
    """A citation as somebody holds it. Without ``sha256`` nothing is known of the document as it was: the quote is
    looked for at the place that is given, and elsewhere if it is not there."""

    uri: str
    quote: Annotated[str, Field(min_length=1, max_length=100_000)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    span: _Places | None = None
    lines: _Lines | None = None
    reader: Annotated[str, Field(max_length=200)] | None = None
    """What extracted the document's text; None for the reader of now."""
    beside: Beside | None = None
    """None for a quote that is unique by itself."""


class CheckParams(Wire):
    """Of ``lens/check``. ``for_model``: the citations are held by a chat model that is not ours."""

    citations: Annotated[tuple[HeldCitation, ...], Field(min_length=1, max_length=200)]
    for_model: bool = False


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
