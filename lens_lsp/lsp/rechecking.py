"""``lens/recheck``: every citation against its source, now; what that shows is kept and told as diagnostics."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lens_lsp.app.upkeep import kept_citations, settle
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.opening import kept_answer
from lens_lsp.lsp.requests import RecheckParams
from lens_lsp.lsp.uris import UriRefused
from lens_lsp.memory.check import Report, check
from lens_lsp.model.errors import PathRefused
from lens_lsp.schema.check import check_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lens_lsp.corpus.allowed import Allowed
    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.corpus.snapshot import Buffer
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.stores import Stores


async def recheck(ls: LensServer, params: RecheckParams) -> dict[str, object]:
    """Schema ``lens.check/1``, for one text, for one answer that was kept, or for the workspace folders with their
    stores.

    Raises `PathNotFound` and `PathRefused`.
    """
    session = ls.session
    rules = (await session.settings()).rules
    workspaces = () if params.uri is not None else session.workspaces()
    paths = [each.path for each in session.folders] if params.uri is None else [await _meant(ls, params.uri)]
    allowed = await session.sources()
    work = asyncio.get_running_loop().run_in_executor
    report = await work(None, _checked, paths, rules, session.buffers(), allowed, ls.desk.stores, workspaces)
    ls.desk.checks.again()
    return check_json(report, str)


async def _meant(ls: LensServer, uri: str) -> str:
    """The path of a text or of a kept answer. Raises `PathRefused`."""
    try:
        return ls.session.allowed(uri)
    except UriRefused as error:
        work = asyncio.get_running_loop().run_in_executor
        answer = await work(None, kept_answer, ls.desk.stores, ls.session.workspaces(), uri)
        if answer is None:
            raise PathRefused(f"{uri} cannot be checked: {error}") from error
        return answer


def _checked(
    paths: Sequence[str],
    rules: CorpusRules,
    buffers: Mapping[str, Buffer],
    allowed: Allowed,
    stores: Stores,
    workspaces: Sequence[str],
) -> Report:
    report = Report()
    check(paths, report, rules=rules, buffers=buffers, allowed=allowed)
    for workspace, store in stores.existing(workspaces):
        kept = Report()
        check((), kept, rules=rules, kept=kept_citations(store, workspace))
        settle(store, kept.findings)
        report.findings += kept.findings
    return report


ENDPOINT = Endpoint(recheck, RecheckParams)
