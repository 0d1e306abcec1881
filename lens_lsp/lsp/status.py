"""``lens/status``: how the server is, at once and whatever else it does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lens_lsp import __version__
from lens_lsp.domain.answer import Mode
from lens_lsp.domain.errors import LensError
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.wire import Status, StatusParams, WireAsks, WireBudget, WireJudge

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
    from lens_lsp.lsp.permitting import chosen

    try:
        permit = await chosen(ls, None, WireBudget())
    except LensError as error:
        return WireJudge(mode="evidence", problem=str(error))
    model = permit.model
    if model is None:
        return WireJudge(mode="evidence")
    missing = not model.loopback and await ls.desk.consenting.missing(model.endpoint, ls.session.workspaces())
    return WireJudge(
        mode="deep" if permit.mode is Mode.DEEP else "fast",
        endpoint=model.endpoint,
        model=model.name,
        consent="local" if model.loopback else "missing" if missing else "given",
        problem=next((notice.text for notice in permit.settings.notices if notice.limiting), None),
    )


ENDPOINT = Endpoint(status, StatusParams)
