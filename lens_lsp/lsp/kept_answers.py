"""``lens/answer``: an earlier answer, as its file says it, and what it cites."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.corpus.ours import ours
from lens_lsp.judge.redaction import Fragments, redacted
from lens_lsp.lsp.cited_documents import CitedDocuments
from lens_lsp.lsp.endpoint import Endpoint, RequestFailed
from lens_lsp.lsp.for_models import beside
from lens_lsp.lsp.kept_results import AnswerCitation, KeptAnswer
from lens_lsp.lsp.opening import kept_answer
from lens_lsp.lsp.requests import AnswerParams, Beside
from lens_lsp.lsp.uris import uri_of
from lens_lsp.memory.answer_parser import Written, read_citing

if TYPE_CHECKING:
    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.session import Session
    from lens_lsp.lsp.stores import Stores
    from lens_lsp.model.cluster import Citation


async def answer(ls: LensServer, params: AnswerParams) -> KeptAnswer:
    """The answer. Raises `RequestFailed` where there is none, or a model is not given it."""
    run = asyncio.get_running_loop().run_in_executor
    rules = (await ls.session.settings()).rules
    return await run(None, _answer, ls.desk.stores, ls.session, rules, params)


def _answer(stores: Stores, session: Session, rules: CorpusRules, params: AnswerParams) -> KeptAnswer:
    path = kept_answer(stores, session.workspaces(), params.answer)
    if path is None:
        raise RequestFailed("there is no such answer; name a question that was asked")
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise RequestFailed("the answer's file cannot be read") from None
    if not ours(text).answer:
        raise RequestFailed("this file is no answer")
    written = read_citing(text).written
    known = None
    told = text
    if params.for_model:
        quoted = [(_source(path, each.citation), each.citation.quote) for each in written]
        sources = CitedDocuments(session, rules)
        if sources.any_private(uri for uri, _ in quoted):
            raise RequestFailed("this answer rests on documents that say `lens: private` or cannot be read: ask again")
        known = sources.secrets(quoted)
        told = redacted(text, also=known).text
    cited = tuple(_citation(path, each, known) for each in written)
    return KeptAnswer(schema_="lens.kept/1", uri=uri_of(path), text=told, citations=cited)


def _source(path: str, cited: Citation) -> str:
    return uri_of(os.path.abspath(os.path.join(os.path.dirname(path), cited.root, *cited.path.split("/"))))


def _citation(path: str, written: Written, known: Fragments | None) -> AnswerCitation:
    """A citation; with ``known`` secrets, without these and others."""
    cited = written.citation
    quote, around = cited.quote, Beside(before=cited.left, after=cited.right, count=cited.count)
    if known is not None:
        quote, around = redacted(cited.quote, also=known).text, beside(cited)
        if any(known.found(side) for side in (cited.left, cited.right) if side):
            around = Beside(before=None, after=None)
    return AnswerCitation(
        uri=_source(path, cited),
        quote=quote or " ",
        sha256=cited.sha256,
        span=(cited.span.start, cited.span.end),
        reader=cited.reader,
        beside=around,
        label=written.label,
        altered=written.altered,
    )


ENDPOINT = Endpoint(answer, AnswerParams)
