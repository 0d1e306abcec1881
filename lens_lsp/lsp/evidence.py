"""Evidence as places that every editor can open: definition, references, links and hover on what an answer cites.

Every place is looked up in its source at the moment of the request. What moved is shown where it stands now; what was
withdrawn has no place, and the user is told why.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types
from pygls.capabilities import get_capability

from lens_lsp.lsp.cited_by import cited_by, references_to
from lens_lsp.lsp.citing import Page
from lens_lsp.lsp.convert import Ranges
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.hovering import beside, hover_text, told_citation, told_uses
from lens_lsp.lsp.sight import TOP, Sight, sight_of
from lens_lsp.memory.answer_parser import Written
from lens_lsp.memory.check import Cited, Finding, by_source, look
from lens_lsp.memory.sources import Sources
from lens_lsp.model.sanitize import printable_path
from lens_lsp.schema.check import message

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """A citation after a look at its source; ``location`` is where its quote stands now, None unless it stands."""

    written: Written
    finding: Finding
    location: types.Location | None
    beside: tuple[str, str]
    """What stands before and behind the quote there."""


def looked_up(sight: Sight, page: Page, written: Iterable[Written]) -> list[Found]:
    """Look citations of a text up, now, in their order. Reads their sources: call it off the event loop."""
    base = os.path.dirname(page.name)
    wanted = list(written)
    cited = [Cited(page.name, each.line, each.label, base, each.citation, each.altered) for each in wanted]
    findings: dict[str, Finding] = {}
    places: dict[str, types.Location | None] = {}
    sides: dict[str, tuple[str, str]] = {}
    with Sources(sight.allowed, rules=sight.rules, buffers=sight.buffers) as sources:
        for each in by_source(cited):
            findings[each.label] = look(each, sources)
            places[each.label] = _location(sight, sources, findings[each.label])
            sides[each.label] = _beside(sources, findings[each.label])
    return [Found(each, findings[each.label], places[each.label], sides[each.label]) for each in wanted]


def _location(sight: Sight, sources: Sources, finding: Finding) -> types.Location | None:
    """Where a quote that was just looked up stands; in extracted formats the top of the file, unless the client reads
    their texts."""
    checked, cited = finding.checked, finding.cited
    if checked.span is None:
        return None
    path = checked.path or checked.citation.path
    uri = sight.uri_of(os.path.abspath(os.path.join(cited.base, cited.citation.root, *path.split("/"))))
    text = sources.text(checked, cited.base, extracted=sight.texts)
    return types.Location(uri, TOP if text is None else Ranges(text, sight.encoding).range(checked.span))


def _beside(sources: Sources, finding: Finding) -> tuple[str, str]:
    checked = finding.checked
    text = sources.text(checked, finding.cited.base, extracted=True)
    return ("", "") if text is None or checked.span is None else beside(text.text, checked.span)


async def seen(ls: LensServer, uri: str, work: Callable[[Sight, Page], T]) -> T | None:
    """What ``work``, which may wait for the disk, makes of an open text; None if there is none."""
    sight = await sight_of(ls, uri)
    if sight is None:
        return None
    return await asyncio.get_running_loop().run_in_executor(None, lambda: work(sight, Page(sight.text, sight.path)))


async def define(ls: LensServer, params: types.DefinitionParams) -> list[types.Location]:
    """``textDocument/definition`` on a footnote: the exact span of its quote."""

    def work(sight: Sight, page: Page) -> list[Found]:
        return looked_up(sight, page, page.meant(sight.ranges().offset(params.position))[0])

    found = await seen(ls, params.text_document.uri, work) or []
    for each in found:
        if each.location is None:
            ls.warn(message(each.finding))
    return [each.location for each in found if each.location is not None]


async def refer(ls: LensServer, params: types.ReferenceParams) -> list[types.Location]:
    """``textDocument/references``: all evidence of a claim or heading; in a note, the answers that cite the place."""
    stores = ls.desk.stores

    def work(sight: Sight, page: Page) -> list[types.Location]:
        offset = sight.ranges().offset(params.position)
        found = looked_up(sight, page, page.around(offset))
        evidence = [each.location for each in found if each.location is not None]
        return evidence + references_to(sight, page, offset, stores)

    return await seen(ls, params.text_document.uri, work) or []


async def hover(ls: LensServer, params: types.HoverParams) -> types.Hover | None:
    """``textDocument/hover``: quote, source and state of a footnote; in a note, what cites the place."""
    stores = ls.desk.stores
    formats = ls.session.hover_formats()

    def work(sight: Sight, page: Page) -> types.Hover | None:
        ranges = sight.ranges()
        offset = ranges.offset(params.position)
        written, span = page.meant(offset)
        told = [told_citation(each.finding, each.beside) for each in looked_up(sight, page, written)]
        if not told:
            uses = cited_by(sight, page, offset, stores)
            span = uses[0].span if uses else None
            told = [told_uses(uses)] if uses else []
        if not told or span is None:
            return None
        return types.Hover(hover_text("\n\n".join(told), formats), ranges.range(span))

    return await seen(ls, params.text_document.uri, work)


async def link(ls: LensServer, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """``textDocument/documentLink``: every footnote's mark. Where it leads is looked up when it is followed."""
    uri = params.text_document.uri
    tooltips = get_capability(ls.session.capabilities, "text_document.document_link.tooltip_support", False)

    def work(sight: Sight, page: Page) -> list[types.DocumentLink]:
        ranges = sight.ranges()
        return [
            types.DocumentLink(
                range=ranges.range(mark.span),
                tooltip=printable_path(page.written[mark.label].citation.path) if tooltips else None,
                data={"uri": uri, "label": mark.label},
            )
            for mark in page.marks()
        ]

    return await seen(ls, uri, work) or []


async def follow(ls: LensServer, params: types.DocumentLink) -> types.DocumentLink:
    """``documentLink/resolve``: where a mark leads now."""
    data = params.data if isinstance(params.data, dict) else {}
    label = str(data.get("label"))

    def work(sight: Sight, page: Page) -> list[Found]:
        return looked_up(sight, page, [page.written[label]] if label in page.written else [])

    for each in await seen(ls, str(data.get("uri")), work) or []:
        if each.location is None:
            ls.warn(message(each.finding))
        else:
            params.target = with_place(each.location)
    return params


def with_place(location: types.Location) -> str:
    """A location as one URI, its place as a fragment that VS Code and others understand."""
    start, end = location.range.start, location.range.end
    return f"{location.uri}#L{start.line + 1},{start.character + 1}-L{end.line + 1},{end.character + 1}"


DEFINITION: Endpoint[types.DefinitionParams] = Endpoint(define)
REFERENCES: Endpoint[types.ReferenceParams] = Endpoint(refer)
HOVER: Endpoint[types.HoverParams] = Endpoint(hover)
LINK: Endpoint[types.DocumentLinkParams] = Endpoint(link)
FOLLOW: Endpoint[types.DocumentLink] = Endpoint(follow)
