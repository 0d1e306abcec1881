"""``lens/status``: how the server is, at once and whatever else it does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lens_lsp import __version__
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.wire import Status, StatusParams, WireAsks

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


async def status(ls: LensServer, _params: StatusParams) -> Status:
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
    )


ENDPOINT = Endpoint(status, StatusParams)
