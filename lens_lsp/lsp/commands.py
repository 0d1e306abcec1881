"""Commands, for editors that can send nothing else: they do what the requests do, and show what came of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from lens_lsp.lsp.asking import Asked, answered
from lens_lsp.lsp.desk import Pointed
from lens_lsp.lsp.endpoint import Endpoint, RequestFailed
from lens_lsp.lsp.finding import found
from lens_lsp.lsp.knowing import wrong
from lens_lsp.lsp.notes import insert, insert_file
from lens_lsp.lsp.opening import answer_file
from lens_lsp.lsp.rechecking import recheck
from lens_lsp.lsp.requests import (
    AskCommand,
    FindCommand,
    FindParams,
    InsertAnswerParams,
    OpenAnswerParams,
    RecheckParams,
    WrongParams,
)
from lens_lsp.lsp.showing import in_short, say, show, with_places
from lens_lsp.lsp.wire import Scope, WirePosition, WireRange

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


async def ask(ls: LensServer, params: AskCommand) -> dict[str, object]:
    """``lens.server.ask``: answer, then put the answer into the note that asked, or open its file."""
    question, scope, into = params.question, params.scope, params.insert
    if question is None:
        pointed = _pointed(ls, 'lens.server.ask "your question"')
        question, scope, into = pointed.question, _scope(pointed), pointed.asks
    asked = await answered(ls, params.asking(question, scope))
    ls.spawn("showing", _present(ls, asked, scope if into else None))
    return asked.result


async def _present(ls: LensServer, asked: Asked, into: Scope | None) -> None:
    if into is not None and into.uri is not None and into.range is not None:
        if await insert(ls, asked.saved, into.uri, into.range.start.line + 1):
            return
        ls.warn("the answer could not be put into the note")
    if asked.path is None:
        say(ls, with_places(asked.saved.answer))
    else:
        await show(ls, asked.path, in_short(asked.saved.answer))


async def find(ls: LensServer, params: FindCommand) -> dict[str, object]:
    """``lens.server.find``: the best passages, then open the file that lists them."""
    query, scope = params.query, params.scope
    if query is None:
        pointed = _pointed(ls, 'lens.server.find "what to look for"')
        query, scope = pointed.question, _scope(pointed)
    passages = await found(ls, FindParams(query=query, scope=scope, limit=params.limit), listed=True)
    ls.spawn("showing", _present(ls, passages, None))
    return passages.result


async def check(ls: LensServer, params: RecheckParams) -> dict[str, object]:
    """``lens.server.recheck``: look citations up again, and say what that showed."""
    result = await recheck(ls, params)
    counts = result["counts"]
    assert isinstance(counts, dict)
    told = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    say(ls, f"citations: {told or 'none'}")
    return result


async def call_wrong(ls: LensServer, params: WrongParams) -> dict[str, object]:
    """``lens.server.wrong``: withdraw clusters whose answers are wrong, and say what became of them."""
    result = await wrong(ls, params)
    checks = result["checks"]
    assert isinstance(checks, list)
    say(ls, f"withdrawn, and checks from now on: {len(checks)}" if checks else "there is no such cluster")
    return result


async def open_answer(ls: LensServer, params: OpenAnswerParams) -> dict[str, object]:
    """``lens.server.openAnswer``: show an earlier answer. Raises `RequestFailed` where there is none."""
    return {"opened": await show(ls, await _earlier(ls, params.answer), "the answer")}


async def insert_answer(ls: LensServer, params: InsertAnswerParams) -> dict[str, object]:
    """``lens.server.insertAnswer``: put an earlier answer into an open note. Raises `RequestFailed`."""
    path = await _earlier(ls, params.answer)
    position = types.Position(params.position.line, params.position.character)
    return {"inserted": await insert_file(ls, path, params.uri, position)}


async def _earlier(ls: LensServer, wanted: str | None) -> str:
    """The file of an earlier answer. Raises `RequestFailed` where there is none."""
    latest = ls.desk.latest if wanted is None else None
    run = asyncio.get_running_loop().run_in_executor
    path = latest or await run(None, answer_file, ls.desk.stores, ls.session.workspaces(), wanted)
    if path is None:
        raise RequestFailed("there is no such answer; name a question that was asked")
    return path


def _pointed(ls: LensServer, syntax: str) -> Pointed:
    """What the last code actions were asked for. Raises `JsonRpcInvalidParams` with the syntax where nothing was."""
    pointed = ls.desk.pointed
    if pointed is None:
        raise JsonRpcInvalidParams(f"question: nothing is selected and no ?? line is meant; send {syntax}")
    return pointed


def _scope(pointed: Pointed) -> Scope:
    start, end = pointed.range.start, pointed.range.end
    return Scope(
        uri=pointed.uri,
        range=WireRange(
            start=WirePosition(line=start.line, character=start.character),
            end=WirePosition(line=end.line, character=end.character),
        ),
    )


ASK = Endpoint(ask, AskCommand)
FIND = Endpoint(find, FindCommand)
RECHECK = Endpoint(check, RecheckParams)
OPEN_ANSWER = Endpoint(open_answer, OpenAnswerParams)
INSERT_ANSWER = Endpoint(insert_answer, InsertAnswerParams)
WRONG = Endpoint(call_wrong, WrongParams)
