"""``lens/answer``: an earlier answer, as its file says it, and what it cites."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.corpus.ours import ours
from lens_lsp.knowledge.answer_files.reading import Written, read_citing
from lens_lsp.lsp.endpoint import Endpoint, RequestFailed
from lens_lsp.lsp.for_models import PrivateNow, beside
from lens_lsp.lsp.kept_results import AnswerCitation, KeptAnswer
from lens_lsp.lsp.opening import kept_answer
from lens_lsp.lsp.requests import AnswerParams, Beside
from lens_lsp.lsp.uris import uri_of
from lens_lsp.oracle.redaction import redacted

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.stores import Stores


async def answer(ls: LensServer, params: AnswerParams) -> KeptAnswer:
    """The answer. Raises `RequestFailed` where there is none, or a model is not given it."""
    run = asyncio.get_running_loop().run_in_executor
    sources = PrivateNow((await ls.session.settings()).rules, ls.session.buffers()) if params.for_model else None
    return await run(None, _answer, ls.desk.stores, ls.session.workspaces(), params, sources)


def _answer(stores: Stores, workspaces: Sequence[str], params: AnswerParams, sources: PrivateNow | None) -> KeptAnswer:
    """``sources`` are asked where a model is to be given the answer."""
    path = kept_answer(stores, workspaces, params.answer)
    if path is None:
        raise RequestFailed("there is no such answer; name a question that was asked")
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise RequestFailed("the answer's file cannot be read") from None
    if not ours(text).answer:
        raise RequestFailed("this file is no answer")
    cited = tuple(_citation(path, each, for_model=params.for_model) for each in read_citing(text).written)
    if sources is not None and sources.any(each.uri for each in cited):
        raise RequestFailed("this answer rests on documents that say `lens: private` or cannot be read: ask again")
    told = redacted(text).text if params.for_model else text
    return KeptAnswer(schema_="lens.kept/1", uri=uri_of(path), text=told, citations=cited)


def _citation(path: str, written: Written, *, for_model: bool) -> AnswerCitation:
    cited = written.citation
    quote = redacted(cited.quote).text if for_model else cited.quote
    return AnswerCitation(
        uri=uri_of(os.path.abspath(os.path.join(os.path.dirname(path), cited.root, *cited.path.split("/")))),
        quote=quote or " ",
        sha256=cited.sha256,
        span=(cited.span.start, cited.span.end),
        reader=cited.reader,
        beside=beside(cited) if for_model else Beside(before=cited.left, after=cited.right, count=cited.count),
        label=written.label,
        altered=written.altered,
    )


ENDPOINT = Endpoint(answer, AnswerParams)
