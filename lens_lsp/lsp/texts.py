"""``lens/text``: what a document says, as spans and ranges of evidence count it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcInvalidParams

from lens_lsp.corpus.allowed import inside
from lens_lsp.corpus.opening import Root, Skipped
from lens_lsp.corpus.snapshot import Snapshot
from lens_lsp.lsp.endpoint import Endpoint, RequestFailed
from lens_lsp.lsp.requests import TextParams
from lens_lsp.lsp.results import PlacedLocator, TextResult
from lens_lsp.lsp.uris import UriRefused, path_of
from lens_lsp.model.errors import PathRefused
from lens_lsp.model.sanitize import printable_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.corpus.snapshot import Buffer
    from lens_lsp.lsp.server import LensServer


async def text(ls: LensServer, params: TextParams) -> TextResult:
    """The text of a file or, where it is open, of its buffer. Raises `RequestFailed` with why there is none, and
    `PathRefused` for one outside of where it is confined to."""
    try:
        path = path_of(params.uri)
    except UriRefused as refused:
        raise JsonRpcInvalidParams(f"uri: {refused}") from None
    settings = await ls.session.settings()
    buffers = ls.session.buffers()
    run = asyncio.get_running_loop().run_in_executor
    folder = os.path.dirname(path)
    if params.confined:
        session = ls.session
        answers = await run(None, ls.desk.stores.answers, session.workspaces())
        folders = [*(each.path for each in session.folders), *settings.extra_roots, *map(str, answers)]
        folder = _around(path, folders)
    return await run(None, _read, folder, path, settings.rules, buffers)


def _around(path: str, folders: Sequence[str]) -> str:
    """The one of the folders that a path lies in, by its name. Raises `PathRefused`."""
    for folder in folders:
        if inside(path, folder) and path != folder:
            return folder
    raise PathRefused(f"{printable_path(path)} lies in no folder that is searched")


def _read(folder: str, path: str, rules: CorpusRules, buffers: Mapping[str, Buffer]) -> TextResult:
    """The text of a path below a folder; what lies between them is no link."""
    name = os.path.relpath(path, folder).replace(os.sep, "/")
    overlay = {(0, name): buffers[path]} if path in buffers else {}
    with Root(folder) as root:
        try:
            document = Snapshot([root], overlay, rules).document(0, name)
        except Skipped as skipped:
            raise RequestFailed(f"{name} is not read: {skipped.reason.value}") from None
    located = zip(document.locators.starts, document.locators.locators, strict=True)
    return TextResult(
        text=document.text,
        reader=document.reader,
        sha256=document.origin.sha256,
        locators=tuple(PlacedLocator(start=start, locator=dict(locator)) for start, locator in located),
    )


ENDPOINT = Endpoint(text, TextParams)
