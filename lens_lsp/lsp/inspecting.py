"""One check of one text: what it cites is looked up, and told as diagnostics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.citing import Page
from lens_lsp.lsp.diagnostics import diagnostics_of, of_privacy
from lens_lsp.lsp.elsewhere import told_elsewhere
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.evidence import Found, looked_up, seen
from lens_lsp.lsp.sight import Sight
from lens_lsp.model.documents import SkipReason

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


@dataclass(frozen=True, slots=True)
class Inspected:
    """What a check came to; ``sources`` are the real paths of what the text cites or tells of, ``elsewhere`` what it
    tells, by URI."""

    cites: bool
    diagnostics: list[types.Diagnostic]
    sources: frozenset[str]
    elsewhere: Mapping[str, Sequence[types.Diagnostic]]


async def inspected(ls: LensServer, uri: str) -> Inspected | None:
    """Check an open text; None if there is none. What a note cites is only checked where ``lens.diagnostics.notes``
    says so; how it says that it is private, always."""
    notes = ls.desk.configuration.editor.notes
    related = bool(
        get_capability(ls.session.capabilities, "text_document.publish_diagnostics.related_information", False)
    )

    def work(sight: Sight, page: Page) -> Inspected:
        if not page.citing.parts or not (notes or page.is_answer):
            return Inspected(False, of_privacy(sight, page), frozenset(), {})
        found = looked_up(sight, page, page.written.values())
        told = told_elsewhere(sight, os.path.dirname(page.name), found)
        sources = {path for each in found for path in _paths(sight, page, each)}
        sources |= {os.path.realpath(path) for path in told}
        elsewhere = {sight.uri_of(path): items for path, items in told.items()}
        items = [*of_privacy(sight, page), *diagnostics_of(sight, page, found, related=related)]
        return Inspected(True, items, frozenset(sources), elsewhere)

    return await seen(ls, uri, work)


def _paths(sight: Sight, page: Page, found: Found) -> list[str]:
    """The real paths that a citation depends on: where it was recorded, and where its file is now. None where it lies
    elsewhere than sources may, or a link leads to it."""
    checked = found.finding.checked
    place = sight.allowed.place(os.path.abspath(os.path.join(os.path.dirname(page.name), checked.citation.root)))
    if place is None or checked.unread is SkipReason.LINK:
        return []
    folder = os.path.join(os.path.realpath(place[0]), *place[1].split("/"))
    names = {checked.citation.path, checked.path or checked.citation.path}
    paths = [os.path.normpath(os.path.join(folder, *name.split("/"))) for name in names]
    return [path for path in paths if inside(path, folder)]


async def pull(ls: LensServer, params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    """``textDocument/diagnostic``, for clients that are told when to ask again."""
    items = await ls.desk.checks.report(params.text_document.uri)
    return types.RelatedFullDocumentDiagnosticReport(items)


DIAGNOSTIC: Endpoint[types.DocumentDiagnosticParams] = Endpoint(pull)
