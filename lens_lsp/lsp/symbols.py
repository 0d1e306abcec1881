"""Symbols: what was learnt, to browse; and what an answer file consists of. No model is ever called."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability

from lens_lsp.lsp.citing import Page
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.evidence import seen
from lens_lsp.lsp.opening import answers_of
from lens_lsp.lsp.sight import TOP, Sight
from lens_lsp.lsp.uris import uri_of
from lens_lsp.memory.clusters import live
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.stores import Stores

_PREFIX = "lens:"
_MOST = 100
_LONGEST = 80


async def browse(ls: LensServer, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """``workspace/symbol``: the clusters whose title holds the words, with or without ``lens:`` before them."""
    words = params.query.strip().removeprefix(_PREFIX).casefold().split()
    run = asyncio.get_running_loop().run_in_executor
    return await run(None, _clusters, ls.desk.stores, ls.session.workspaces(), words)


def _clusters(stores: Stores, workspaces: Sequence[str], words: Sequence[str]) -> list[types.SymbolInformation]:
    known = [(store, cluster) for _, store in stores.existing(workspaces) for cluster in store.clusters()]
    found = []
    for store, cluster in sorted(known, key=lambda pair: (-pair[1].used, pair[1].id)):
        title = _line(cluster.title)
        if not all(word in title.casefold() for word in words):
            continue
        path = max(answers_of(store, cluster), default=None)
        if path is not None:
            facts = len(live(cluster))
            state = "archived" if cluster.archived else f"{facts} fact{'' if facts == 1 else 's'}"
            place = types.Location(uri_of(path[1]), TOP)
            found.append(types.SymbolInformation(place, title, types.SymbolKind.Key, container_name=f"lens, {state}"))
        if len(found) == _MOST:
            break
    return found


async def outline(
    ls: LensServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """``textDocument/documentSymbol`` of an answer file: its question, its claims, its sources."""
    uri = params.text_document.uri
    whole = await seen(ls, uri, _outline) or []
    nested = "text_document.document_symbol.hierarchical_document_symbol_support"
    if get_capability(ls.client_capabilities, nested, False):
        return whole
    flat = [each for symbol in whole for each in (symbol, *(symbol.children or ()))]
    return [types.SymbolInformation(types.Location(uri, each.range), each.name, each.kind) for each in flat]


def _outline(sight: Sight, page: Page) -> list[types.DocumentSymbol]:
    if not page.is_answer:
        return []
    ranges = sight.ranges()
    title = next((number for number in range(1, page.lines + 1) if page.line(number).startswith("# ")), None)
    if title is None:
        return []
    whole = ranges.range(Span(page.line_span(title).start, len(page.text)))
    name = _line(page.line(title)[2:]) or "answer"
    children = [
        types.DocumentSymbol(text, kind, ranges.range(span), ranges.range(span))
        for text, kind, span in _parts(page, title + 1)
    ]
    return [
        types.DocumentSymbol(name, types.SymbolKind.Namespace, whole, ranges.range(page.bare(title)), children=children)
    ]


def _parts(page: Page, first: int) -> Iterator[tuple[str, types.SymbolKind, Span]]:
    footnotes = {each.line for each in page.citing.written}
    for number in range(first, page.lines + 1):
        marks = page.marks(number, number)
        if marks:
            kind = types.SymbolKind.Constant if number in footnotes else types.SymbolKind.String
            yield _line(page.line(number)), kind, page.bare(number)


def _line(text: str) -> str:
    plain = " ".join(printable(text).split())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


WORKSPACE: Endpoint[types.WorkspaceSymbolParams] = Endpoint(browse)
DOCUMENT: Endpoint[types.DocumentSymbolParams] = Endpoint(outline)
