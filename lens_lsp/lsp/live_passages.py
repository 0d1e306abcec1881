"""Passages for what is being typed, where every editor shows them: ``workspace/symbol``, and completion behind
``cite:``.

The scan alone finds them: no model, no reader, and nothing is kept. Of several searches only the one for what was typed
last goes on.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from lens_lsp.lsp.document_snapshot import DocumentSnapshot, MarkdownPage, take_snapshot
from lens_lsp.lsp.lens_answer import answers_of
from lens_lsp.lsp.lens_ask import find_typed
from lens_lsp.lsp.locations import TOP, Encoding, Ranges, UriRefused, path_of, uri_of
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.lsp.workspace_pool import QueueFull
from lens_lsp.memory.answer_files import link_to
from lens_lsp.memory.citation_records import short_id
from lens_lsp.memory.clusters import live
from lens_lsp.memory.notes import note, syntax_of
from lens_lsp.model.documents import link_fragment, place_text
from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable_line, printable_path
from lens_lsp.model.text import Span, sentences
from lens_lsp.schema.protocol_params import FindParams, Scope, WirePosition, WireRange

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.server_state import ServerState

_PREFIX = "lens:"
_CLUSTERS = 100
_PASSAGES = 10
_TITLE, _NAME, _QUOTE = 80, 120, 400
"""Code points of a cluster's title, of a passage in a list, and of a quote that is inserted."""
_SHORTEST = 2
"""Letters and figures of words that are worth a search."""
_CITE = regex(r"(?:^|(?<=[\s(\[{]))cite:(\S.*)$")
_WORD = regex(r"\w+")


async def browse(ls: LensServer, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """``workspace/symbol``: the passages that come nearest to the words, best first, then the clusters whose title
    holds them; ``lens:`` before the words leaves the passages out."""
    state, typed = ls.state, params.query.strip()
    passages = [] if typed.startswith(_PREFIX) else await _passages(ls, typed, Scope())
    words = typed.removeprefix(_PREFIX).casefold().split()
    clusters = await asyncio.to_thread(_clusters, state, state.workspaces, state.editor_options.answers, words)
    return [_symbol(each, typed, state.encoding) for each in passages] + clusters


async def _passages(ls: LensServer, typed: str, scope: Scope) -> Sequence[Mapping[str, Any]]:
    """Evidence as on the wire, each with a place; none where nothing can be searched."""
    if sum(map(str.isalnum, typed)) < _SHORTEST:
        return ()
    try:
        found = await find_typed(ls, FindParams(query=typed[:_QUOTE], scope=scope, limit=_PASSAGES))
    except (LensError, QueueFull):  # nobody wants a message at each key
        return ()
    return [each for each in found if each["uri"] is not None]


@dataclass(frozen=True, slots=True)
class _Told:
    """Of a passage the sentence that holds most of the words that were typed."""

    words: str
    """On one line, cut to a line's length."""
    quote: str
    """All of it, verbatim."""
    start: int
    """Where it begins in the text, in code points."""
    where: types.Range


def told(passage: Mapping[str, Any], typed: str, encoding: Encoding) -> _Told:
    """The sentence of a passage of the wire that tells the most, and where it stands as the client counts; in a
    document whose places are no lines where the passage does."""
    quote: str = passage["quote"]
    wanted = {word.casefold() for word in _WORD.findall(typed)}
    parts = sentences(quote, Span(0, len(quote))) or [Span(0, len(quote))]
    best = max(parts, key=lambda part: len(wanted & set(_WORD.findall(quote[part.start : part.end].casefold()))))
    said = quote[best.start : best.end]
    words = printable_line(said, _NAME), said, passage["span"][0] + best.start
    if passage["range"] == TOP:
        return _Told(*words, TOP)
    start, inside = passage["range"].start, Ranges(quote, encoding).range(best)
    return _Told(*words, types.Range(_beyond(start, inside.start), _beyond(start, inside.end)))


def _beyond(start: types.Position, place: types.Position) -> types.Position:
    """A place in a quote as one in its text, where the quote starts there."""
    return types.Position(start.line + place.line, place.character + (0 if place.line else start.character))


def _symbol(passage: Mapping[str, Any], typed: str, encoding: Encoding) -> types.SymbolInformation:
    found = told(passage, typed, encoding)
    above = [place_text(printable_path(passage["path"]), passage["locator"]), *map(printable_line, passage["heading"])]
    place = types.Location(passage["uri"], found.where)
    return types.SymbolInformation(place, found.words, types.SymbolKind.String, container_name=" › ".join(above))


def _clusters(
    state: ServerState, workspaces: Sequence[str], folder: str | None, words: Sequence[str]
) -> list[types.SymbolInformation]:
    known = [(store, cluster) for _, store in state.stores.existing(workspaces) for cluster in store.clusters()]
    found = []
    for store, cluster in sorted(known, key=lambda pair: (-pair[1].used, pair[1].id)):
        title = printable_line(cluster.title, _TITLE)
        if not all(word in title.casefold() for word in words):
            continue
        path = max(answers_of(store, cluster, folder), default=None)
        if path is not None:
            facts = len(live(cluster))
            told = "archived" if cluster.archived else f"{facts} fact{'' if facts == 1 else 's'}"
            place = types.Location(uri_of(path[1]), TOP)
            found.append(types.SymbolInformation(place, title, types.SymbolKind.Key, container_name=f"lens, {told}"))
        if len(found) == _CLUSTERS:
            break
    return found


async def complete(ls: LensServer, params: types.CompletionParams) -> types.CompletionList | None:
    """``textDocument/completion`` behind ``cite:``: the passages that come nearest to the words there, each of which
    puts its citation in their place, and where the syntax has them its footnote at the end."""
    uri = params.text_document.uri
    snapshot = await take_snapshot(ls.state, uri)
    if snapshot is None:
        return None
    start = types.Position(params.position.line, 0)
    written = snapshot.ranges().span(start, params.position)
    typed = _CITE.search(snapshot.text[written.start : written.end])
    if typed is None:
        return None
    line = WirePosition(line=start.line, character=0), WirePosition(line=start.line + 1, character=0)
    found = await _passages(ls, typed[1], Scope(uri=uri, range=WireRange(start=line[0], end=line[1])))
    where = Span(written.start + typed.start(), written.end)
    items = await asyncio.to_thread(lambda: list(_items(snapshot, found, typed, where)))
    return types.CompletionList(is_incomplete=True, items=items)


def _items(
    snapshot: DocumentSnapshot, passages: Sequence[Mapping[str, Any]], typed: re.Match[str], where: Span
) -> Iterator[types.CompletionItem]:
    """Passages to choose; what was typed is what they are filtered by, so that all stay in their order."""
    page, ranges = snapshot.page(), snapshot.ranges()
    for number, passage in enumerate(passages):
        found = told(passage, typed[1], snapshot.encoding)
        line = found.where.start.line + 1
        place = place_text(printable_path(passage["path"]), passage["locator"])
        mark, footnote = _citation(page, passage, found, line)
        end, behind = len(page.text), "\n" if page.text.endswith("\n") else "\n\n"
        below = f"{behind}{footnote}\n" if footnote else ""
        mark, below = (mark + below, "") if where.end == end else (mark, below)  # two edits may not touch
        yield types.CompletionItem(
            label=found.words,
            kind=types.CompletionItemKind.Reference,
            detail=place if passage["locator"] else f"{place}:{line}",
            documentation=printable_line(passage["quote"], _QUOTE),
            filter_text=typed[0],
            sort_text=f"{number:02}",
            text_edit=types.TextEdit(ranges.range(where), mark),
            additional_text_edits=[types.TextEdit(ranges.range(Span(end, end)), below)] if below else None,
        )


def _citation(page: MarkdownPage, passage: Mapping[str, Any], found: _Told, line: int) -> tuple[str, str]:
    """What cites a passage in the syntax of a text: where it is chosen, and at the end of the text."""
    folder = None if page.path is None else os.path.dirname(page.path)
    try:
        link = link_to(path_of(passage["uri"]), folder)
    except UriRefused:
        link = passage["uri"]
    syntax, path, known = syntax_of(page.path), passage["path"], page.records
    label = short_id(path, found.quote, found.start, {} if known is None else known.by_id)
    target = f"{link}#{link_fragment(passage['locator'], line)}"
    footnote = note(syntax, label, path, 0 if passage["locator"] else line, target, found.quote)
    mark = syntax.mark.replace("{id}", label)
    if label in page.written:
        return mark, ""
    return (footnote, "") if syntax.inline else (mark, footnote)


WORKSPACE_SYMBOL: RequestHandler[types.WorkspaceSymbolParams] = RequestHandler(browse)

COMPLETION: RequestHandler[types.CompletionParams] = RequestHandler(complete)
