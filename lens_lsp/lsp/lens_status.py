"""The request ``lens/status``: the state of the server, answered at once even while questions run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lens_lsp import __version__
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import LensError
from lens_lsp.schema.protocol_params import ServerStatus, StatusParams, WireAsks, WireJudge

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


async def status(ls: LensServer, params: StatusParams) -> ServerStatus:
    """The state of the server. It names folders and the open files that cannot be trusted, and tells no question."""
    state, turns = ls.state, ls.state.turns
    return ServerStatus(
        version=__version__,
        position_encoding=state.encoding.value,
        folders=tuple(folder.uri for folder in state.folders),
        documents=sum(1 for _ in state.documents),
        unsynced=state.unsynced(),
        tasks=len(asyncio.all_tasks()),
        asks=WireAsks(
            running=turns.running,
            waiting=turns.waiting,
            most_running=turns.most_running,
            most_waiting=turns.most_waiting,
        ),
        switched_off=ls.dispatcher.switched_off,
        watching=ls.diagnostics.watch.how,
        judge=await _judge(ls) if params.judge else None,
    )


async def _judge(ls: LensServer) -> WireJudge:
    """The model that would judge now, and whether sending to it is consented to. No question or document is sent."""
    from lens_lsp.app.configuration import searched
    from lens_lsp.app.consent import folders_of, missing
    from lens_lsp.app.settings import Request
    from lens_lsp.lsp.lens_ask import choose_oracle

    try:
        factory = await choose_oracle(ls, Request(""))
    except LensError as error:
        return WireJudge(mode="evidence", problem=str(error))
    if factory.model is None:
        return WireJudge(mode="evidence")
    opened = tuple(folder.path for folder in ls.state.folders)
    paths, _ = searched(Request(""), factory.settings, opened)

    def without_consent() -> tuple[str, ...]:
        return missing(factory.endpoint, folders_of(paths, opened))

    unconsented = await asyncio.to_thread(without_consent)
    return WireJudge(
        mode="deep" if factory.mode is Mode.DEEP else "fast",
        endpoint=factory.endpoint,
        model=factory.model.name,
        consent="local" if factory.destination is None else "missing" if unconsented else "given",
        problem=next((notice.text for notice in factory.settings.notices if notice.limiting), None),
    )


STATUS = RequestHandler(status, StatusParams)
