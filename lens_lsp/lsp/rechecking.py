"""``lens/recheck``: every citation against its source, now; what that shows is kept and told as diagnostics."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lens_lsp.checking import Report, check
from lens_lsp.domain.errors import PathRefused
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.requests import RecheckParams
from lens_lsp.lsp.uris import UriRefused
from lens_lsp.upkeep import kept_citations, settle
from lens_lsp.wire.check import check_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.corpus.snapshot import Buffer
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.stores import Stores


async def recheck(ls: LensServer, params: RecheckParams) -> dict[str, object]:
    """Schema ``lens.check/1``, for one text or for the workspace folders with their stores.

    Raises `PathNotFound` and `PathRefused`.
    """
    session = ls.session
    rules = (await session.settings()).rules
    try:
        paths = [session.allowed(params.uri)] if params.uri is not None else [each.path for each in session.folders]
    except UriRefused as error:
        raise PathRefused(f"{params.uri} cannot be checked: {error}") from error
    workspaces = () if params.uri is not None else session.workspaces()
    work = asyncio.get_running_loop().run_in_executor
    report = await work(None, _checked, paths, rules, session.buffers(), ls.desk.stores, workspaces)
    ls.desk.checks.again()
    return check_json(report, str)


def _checked(
    paths: Sequence[str], rules: CorpusRules, buffers: Mapping[str, Buffer], stores: Stores, workspaces: Sequence[str]
) -> Report:
    report = Report()
    check(paths, report, rules=rules, buffers=buffers)
    for workspace, store in stores.existing(workspaces):
        kept = Report()
        check((), kept, rules=rules, kept=kept_citations(store, workspace))
        settle(store, kept.findings)
        report.findings += kept.findings
    return report


ENDPOINT = Endpoint(recheck, RecheckParams)
