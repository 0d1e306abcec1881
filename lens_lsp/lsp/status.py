"""``lens/status``: how the server is, at once and whatever else it does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lens_lsp import __version__
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.wire import Status, StatusParams, WireAsks, WireJudge
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import LensError

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


async def status(ls: LensServer, params: StatusParams) -> Status:
    """What the server knows of itself; no question and no file is named."""
    session, turns = ls.session, ls.session.turns
    return Status(
        version=__version__,
        position_encoding=session.encoding.value,
        folders=tuple(folder.uri for folder in session.folders),
        documents=sum(1 for _ in session.documents),
        unsynced=session.unsynced(),
        tasks=len(asyncio.all_tasks()),
        asks=WireAsks(
            running=turns.running,
            waiting=turns.waiting,
            most_running=turns.most_running,
            most_waiting=turns.most_waiting,
        ),
        switched_off=ls.endpoints.switched_off,
        watching=ls.desk.watching.how,
        judge=await _judge(ls) if params.judge else None,
    )


async def _judge(ls: LensServer) -> WireJudge:
    from lens_lsp.app.configuration import searched
    from lens_lsp.app.consent import folders_of, missing
    from lens_lsp.app.request import Request
    from lens_lsp.lsp.permitting import chosen

    try:
        factory = await chosen(ls, Request(""))
    except LensError as error:
        return WireJudge(mode="evidence", problem=str(error))
    if factory.model is None:
        return WireJudge(mode="evidence")
    opened = tuple(folder.path for folder in ls.session.folders)
    paths, _ = searched(Request(""), factory.settings, opened)

    def lacking() -> tuple[str, ...]:
        return missing(factory.endpoint, folders_of(paths, opened))

    unconsented = await asyncio.get_running_loop().run_in_executor(None, lacking)
    return WireJudge(
        mode="deep" if factory.mode is Mode.DEEP else "fast",
        endpoint=factory.endpoint,
        model=factory.model.name,
        consent="local" if factory.destination is None else "missing" if unconsented else "given",
        problem=next((notice.text for notice in factory.settings.notices if notice.limiting), None),
    )


ENDPOINT = Endpoint(status, StatusParams)
