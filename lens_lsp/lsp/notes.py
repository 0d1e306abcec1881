"""Asking inside a note: the answer goes below its ``??`` line as a block, by an edit that the user can undo."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from lens_lsp.corpus.privacy import privacy_of_file
from lens_lsp.lsp.citing import Page, asked
from lens_lsp.lsp.endpoint import RequestFailed
from lens_lsp.lsp.sight import sight_of
from lens_lsp.memory.answer_files import Saved, as_block, write_block
from lens_lsp.memory.answer_parser import read_citing
from lens_lsp.memory.clusters import identify
from lens_lsp.model.text import Span

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.sight import Sight

_PATIENCE = 60.0
_ATTEMPTS = 3
_DIGITS = 6
_LARGEST = 4 << 20
"""Code points of an answer file."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block goes: what it replaces, its id, and what stands before and behind it."""

    span: Span
    block: str
    before: str = ""
    behind: str = ""


async def insert(ls: LensServer, saved: Saved, uri: str, line: int) -> bool:
    """Put an answer below the line of a note that asks for it; whether the editor did.

    ``line``, from 1, is where the question stood when it was asked. What was answered there before is replaced.
    """
    if not get_capability(ls.client_capabilities, "workspace.apply_edit", False):
        return False
    for _ in range(_ATTEMPTS):  # the note may be edited between our look at it and the editor's
        sight = await sight_of(ls, uri)
        if sight is None:
            return False
        page = Page(sight.text, sight.path)
        place = place_of(page, saved.answer.typed or saved.answer.question, line)
        if place is None:
            return False
        if await apply(ls, sight, [(place.span, block_text(saved, page, place))], "Lens: answer"):
            return True
        document = ls.session.documents.get(uri)
        if document is None or document.version == sight.version:
            return False  # it is as it was: the user, or the editor, does not want this
    return False


def place_of(page: Page, question: str, line: int) -> Place | None:
    """Where the answer of a question goes; None if the line that asks it is gone, or what is below has no end."""
    asking = [number for number in range(1, page.lines + 1) if asked(page.line(number)) == question]
    if not asking:
        return None
    number = min(asking, key=lambda each: abs(each - line))
    below = page.below(number)
    if below is not None:
        if "lens:end" not in page.line(below.last):
            return None  # nothing tells where the block ends and the user's own words begin
        return Place(Span(page.line_span(below.first).start, page.bare(below.last).end), below.block)
    return _behind(page, number, question)


def place_below(page: Page, question: str, line: int) -> Place:
    """Where a block goes that nothing asks for: below the paragraph, or the block, around a line."""
    held = page.held_at(line)
    number = held.last if held is not None and held.block else min(line, page.lines)
    while number < page.lines and page.line(number).strip() and page.line(number + 1).strip():
        number += 1
    place = _behind(page, number, question)
    return replace(place, before=place.before + "\n") if page.line(number).strip() else place


def _behind(page: Page, number: int, question: str) -> Place:
    """A place of a new block right behind a line."""
    names = {held.block for held in page.citing.held}
    name = "q" + identify("block", question)[:_DIGITS]
    block = next(each for n in range(len(names) + 1) if (each := f"{name}x{n}" if n else name) not in names)
    span = page.line_span(number)
    ended = span.start == span.end or page.line(number).endswith(("\n", "\r"))
    free = number == page.lines or not page.line(number + 1).strip()
    return Place(Span(span.end, span.end), block, "" if ended else "\n", "\n" if free else "\n\n")


def block_text(saved: Saved, page: Page, place: Place) -> str:
    """The block of an answer, its lines ended as the note's are. What is private goes only into what is private."""
    private = privacy_of_file(page.path or "note.md", page.text) is not None
    folder = None if page.path is None else os.path.dirname(page.path)
    mine = replace(saved, folder=folder, private=private)
    return set_in(write_block(mine, place.block), page, place)


def set_in(block: str, page: Page, place: Place) -> str:
    """A block with what stands around it, its lines ended as the note's are."""
    text = place.before + block.rstrip("\n") + place.behind
    return text.replace("\n", "\r\n") if "\r\n" in page.text else text


async def insert_file(ls: LensServer, path: str, uri: str, position: types.Position) -> bool:
    """Put the answer of a file below a place in a note; whether the editor did. Raises `RequestFailed` where the note
    is not open, or the file is no answer any more."""
    sight = await sight_of(ls, uri)
    if sight is None or not get_capability(ls.client_capabilities, "workspace.apply_edit", False):
        raise RequestFailed("the answer goes only into a text that is open in an editor that lets itself be edited")
    change = await asyncio.get_running_loop().run_in_executor(None, _moved, sight, path, position)
    if change is None:
        raise RequestFailed("the file of the answer was changed or is gone; ask the question again")
    return await apply(ls, sight, [change], "Lens: answer")


def _moved(sight: Sight, path: str, position: types.Position) -> tuple[Span, str] | None:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_LARGEST)
    except (OSError, UnicodeDecodeError):
        return None
    page = Page(sight.text, sight.path)
    held = read_citing(text).held
    place = place_below(page, held[0].question if held else "", page.line_at(sight.ranges().offset(position)))
    into = None if sight.path is None else os.path.dirname(sight.path)
    block = as_block(text, os.path.dirname(path), place.block, into)
    return None if block is None else (place.span, set_in(block, page, place))


async def apply(ls: LensServer, sight: Sight, changes: list[tuple[Span, str]], label: str) -> bool:
    """Have the editor change a text that is still as it was seen; whether it did."""
    params = types.ApplyWorkspaceEditParams(edit_of(ls, sight, changes), label)
    try:
        async with asyncio.timeout(_PATIENCE):
            return (await ls.workspace_apply_edit_async(params)).applied
    except (JsonRpcException, TimeoutError):
        return False


def edit_of(ls: LensServer, sight: Sight, changes: list[tuple[Span, str]]) -> types.WorkspaceEdit:
    """Changes of a text as an edit, for its version where the client checks that."""
    ranges = sight.ranges()
    edits = [types.TextEdit(ranges.range(span), new) for span, new in changes]
    if not get_capability(ls.client_capabilities, "workspace.workspace_edit.document_changes", False):
        return types.WorkspaceEdit(changes={sight.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=sight.uri, version=sight.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])
