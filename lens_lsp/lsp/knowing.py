"""``lens/clusters``, ``lens/forget`` and ``lens/ledger``: what earlier questions left, and what they cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from lens_lsp.domain.errors import UsageError
from lens_lsp.kept.usage import Usage, usage_file
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.requests import ClustersParams, ForgetParams, LedgerParams
from lens_lsp.wire.clusters import SCHEMA, cluster_json
from lens_lsp.wire.evidence import account_json

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.stores import Stores


async def clusters(ls: LensServer, params: ClustersParams) -> dict[str, object]:
    """Schema ``lens.clusters/1``, the one used last first; each says its ``workspace``."""
    run = asyncio.get_running_loop().run_in_executor
    found = await run(None, _clusters, ls.desk.stores, ls.session.workspaces(), params.ids)
    return {"schema": SCHEMA, "clusters": found}


def _clusters(stores: Stores, workspaces: Sequence[str], ids: Sequence[str] | None) -> list[dict[str, object]]:
    known = [(workspace, each) for workspace, store in stores.existing(workspaces) for each in store.clusters()]
    known.sort(key=lambda pair: (-pair[1].used, pair[1].id))
    return [{"workspace": at, **cluster_json(each)} for at, each in known if ids is None or each.id in ids]


async def forget(ls: LensServer, params: ForgetParams) -> dict[str, object]:
    """Schema ``lens.forgotten/1``. Raises `UsageError` where nothing is named, and what `Store.forget` raises."""
    if bool(params.ids) == params.all:
        raise UsageError('say which clusters to forget: {"ids": […]} from lens/clusters, or {"all": true}')
    run = asyncio.get_running_loop().run_in_executor
    result = await run(None, _forgotten, ls.desk.stores, ls.session.workspaces(), None if params.all else params.ids)
    ls.desk.forget()
    return result


def _forgotten(stores: Stores, workspaces: Sequence[str], ids: Sequence[str] | None) -> dict[str, object]:
    gone: list[str] = []
    files: list[str] = []
    for _, store in stores.existing(workspaces):
        forgotten = store.forget([each.id for each in store.clusters() if ids is None or each.id in ids])
        gone += forgotten.clusters
        files += forgotten.files
    return {"schema": "lens.forgotten/1", "clusters": gone, "files": files}


async def ledger(ls: LensServer, params: LedgerParams) -> dict[str, object]:
    """Schema ``lens.ledger/1``: what was spent today, at all models, and on the last questions of this session."""
    answers = list(ls.desk.accounts)[: params.questions]
    today = await asyncio.get_running_loop().run_in_executor(None, _today)
    return {
        "schema": "lens.ledger/1",
        "today": today,
        "questions": [
            {"question": each.question, "mode": each.mode.value, "ledger": account_json(each.account)}
            for each in answers
        ],
    }


def _today() -> dict[str, object] | None:
    """The usage of the day; None where its file is broken or cannot be read."""
    try:
        spent = Usage.read(usage_file()).on(date.today())
    except (OSError, ValueError):
        return None
    return {"calls": spent.calls, "tokens": {"in": spent.tokens_in, "out": spent.tokens_out}, "cost": spent.cost}


CLUSTERS = Endpoint(clusters, ClustersParams)
FORGET = Endpoint(forget, ForgetParams)
LEDGER = Endpoint(ledger, LedgerParams)
