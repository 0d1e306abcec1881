"""``workspace/executeCommand``: commands for editors that can send nothing else.

They do what the requests do and show what came of it. An answer that was asked for in a note goes below its ``??`` line
as a block, by an edit that the user can undo.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lens_lsp.corpus.text_marks import privacy_of_file
from lens_lsp.lsp.document_snapshot import DocumentSnapshot, MarkdownPage, asked, take_snapshot, workspace_edit
from lens_lsp.lsp.editor_window import say, show, summarize, summarize_with_places
from lens_lsp.lsp.lens_answer import answer_file, first_line
from lens_lsp.lsp.lens_ask import AnsweredQuestion, answer_question, find_passages
from lens_lsp.lsp.lens_check import recheck
from lens_lsp.lsp.lens_clusters import wrong
from lens_lsp.lsp.request_handler import RequestFailed, RequestHandler
from lens_lsp.memory.answer_files import NotePlace, Saved, ShortBlock, as_short, write_short
from lens_lsp.memory.answer_parser import read_citing
from lens_lsp.memory.citation_records import PATH, add_records, read_records, records_root
from lens_lsp.memory.clusters import identify
from lens_lsp.memory.notes import syntax_of
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Span
from lens_lsp.schema.protocol_params import (
    AskCommand,
    CancelParams,
    FindCommand,
    FindParams,
    InsertAnswerParams,
    OpenAnswerParams,
    RecheckParams,
    Scope,
    WrongParams,
)

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


_EDIT_SECONDS = 60.0
_ATTEMPTS = 3
_DIGITS = 6
_LARGEST = 4 << 20
"""Code points of an answer file."""


@dataclass(frozen=True, slots=True)
class BlockPlace:
    """Where a block goes: what it replaces, its id, and what stands before and behind it."""

    span: Span
    block: str
    before: str = ""
    behind: str = ""
    remarks: bool = False
    """The block says who judged the answer, as one that came from the file of an answer does."""


async def insert(ls: LensServer, saved: Saved, uri: str, line: int) -> bool:
    """Put an answer below the line of a note that asks for it; whether the editor did.

    ``line``, from 1, is where the question stood when it was asked. What was answered there before is replaced.
    """
    if not ls.state.supports("workspace.apply_edit"):
        return False
    for _ in range(_ATTEMPTS):  # the note may be edited between our look at it and the editor's
        snapshot = await take_snapshot(ls.state, uri)
        if snapshot is None:
            return False
        page = snapshot.page()
        place = place_of(page, saved.answer.typed or saved.answer.question, line)
        if place is None:
            return False
        block = await asyncio.to_thread(_block_of, saved, snapshot, page, place)
        if await apply(ls, snapshot, [(place.span, set_in(block.text, page, place))], "Lens: answer"):
            await keep_records(ls, snapshot, block)
            return True
        document = ls.state.documents.get(uri)
        if document is None or document.version == snapshot.version:
            return False  # it is as it was: the user, or the editor, does not want this
    return False


def place_of(page: MarkdownPage, question: str, line: int) -> BlockPlace | None:
    """Where the answer of a question goes: below the line that asks it, or in place of the block around ``line`` that
    answered it. None if both are gone, or what is below has no end."""
    asking = [number for number in range(1, page.lines + 1) if asked(page.line(number)) == question]
    if not asking:
        return block_for(page, question, line)
    number = min(asking, key=lambda each: abs(each - line))
    below = page.below(number)
    if below is not None:
        if "lens:end" not in page.line(below.last):
            return None  # nothing tells where the block ends and the user's own words begin
        return BlockPlace(Span(page.line_span(below.first).start, page.bare(below.last).end), below.block)
    return _behind(page, number, question)


def place_below(page: MarkdownPage, question: str, line: int) -> BlockPlace:
    """Where a block goes that nothing asks for: below the paragraph, or the block, around a line."""
    held = page.held_at(line)
    number = held.last if held is not None and held.block else min(line, page.lines)
    while number < page.lines and page.line(number).strip() and page.line(number + 1).strip():
        number += 1
    place = _behind(page, number, question)
    return replace(place, before=place.before + "\n") if page.line(number).strip() else place


def block_for(page: MarkdownPage, question: str, line: int) -> BlockPlace | None:
    """The block around a line as a place, where it is named after the question."""
    held = page.held_at(line)
    if held is None or held.block.partition("x")[0] != block_name(question) or "lens:end" not in page.line(held.last):
        return None
    span = Span(page.line_span(held.first).start, page.bare(held.last).end)
    return BlockPlace(span, held.block, remarks=True)


def block_name(question: str) -> str:
    """What the first block of a question in a note is called."""
    return "q" + identify("block", question)[:_DIGITS]


def _behind(page: MarkdownPage, number: int, question: str) -> BlockPlace:
    """A place of a new block right behind a line."""
    names = {held.block for held in page.citing.held}
    name = block_name(question)
    block = next(each for n in range(len(names) + 1) if (each := f"{name}x{n}" if n else name) not in names)
    span = page.line_span(number)
    ended = span.start == span.end or page.line(number).endswith(("\n", "\r"))
    free = number == page.lines or not page.line(number + 1).strip()
    return BlockPlace(Span(span.end, span.end), block, "" if ended else "\n", "\n" if free else "\n\n")


def _block_of(saved: Saved, snapshot: DocumentSnapshot, page: MarkdownPage, place: BlockPlace) -> ShortBlock:
    """The block of an answer. What is private goes only into what is private, and into no records."""
    private = privacy_of_file(page.path or "note.md", page.text) is not None
    return write_short(replace(saved, private=private), _note_place(snapshot, place), remarks=place.remarks)


def _note_place(snapshot: DocumentSnapshot, place: BlockPlace) -> NotePlace:
    root = _records_root(snapshot)
    known = None if root is None else read_records(root)
    folder = None if snapshot.path is None else os.path.dirname(snapshot.path)
    taken = {} if known is None else known.by_id
    return NotePlace(syntax_of(snapshot.path), place.block, folder, root, taken)


def _records_root(snapshot: DocumentSnapshot) -> str | None:
    return None if snapshot.path is None else records_root(os.path.dirname(snapshot.path), snapshot.workspaces)


async def keep_records(ls: LensServer, snapshot: DocumentSnapshot, block: ShortBlock) -> None:
    """Keep the records of what was put into a note; the user is told where, when there were none before."""
    root = _records_root(snapshot)
    if root is None or not block.records:
        return
    if read_records(root) is None:
        say(ls, f"what checks the citations in your notes is kept in {os.path.join(root, *PATH.split('/'))}: commit it")
    try:
        await asyncio.to_thread(add_records, root, block.records)
    except OSError as error:
        ls.warn(f"{PATH} was not written ({error.strerror or error}): the citations are checked by their words alone")
    ls.diagnostics.changed(snapshot.uri)


def set_in(block: str, page: MarkdownPage, place: BlockPlace) -> str:
    """A block with what stands around it, its lines ended as the note's are."""
    text = place.before + block.rstrip("\n") + place.behind
    return text.replace("\n", "\r\n") if "\r\n" in page.text else text


async def insert_file(ls: LensServer, path: str, uri: str, position: types.Position) -> bool:
    """Put the answer of a file below a place in a note; whether the editor did. Raises `RequestFailed` where the note
    is not open, or the file is no answer any more."""
    snapshot = await take_snapshot(ls.state, uri)
    if snapshot is None or not ls.state.supports("workspace.apply_edit"):
        raise RequestFailed("the answer goes only into a text that is open in an editor that lets itself be edited")
    change = await asyncio.to_thread(_moved, snapshot, path, position)
    if change is None:
        raise RequestFailed("the file of the answer was changed or is gone; ask the question again")
    span, text, block = change
    if not await apply(ls, snapshot, [(span, text)], "Lens: answer"):
        return False
    await keep_records(ls, snapshot, block)
    return True


def _moved(snapshot: DocumentSnapshot, path: str, position: types.Position) -> KeptEdit | None:
    page = snapshot.page()
    return kept_edit(
        snapshot,
        page,
        path,
        lambda question: place_below(page, question, page.line_at(snapshot.ranges().offset(position))),
    )


KeptEdit = tuple[Span, str, ShortBlock]


def kept_edit(
    snapshot: DocumentSnapshot,
    page: MarkdownPage,
    path: str,
    placed: Callable[[str], BlockPlace | None],
    *,
    whole: bool = False,
) -> KeptEdit | None:
    """The change that puts the answer of a file where ``placed`` says for its question, with the records of what it
    cites; its quotes stand there ``whole`` where nobody will keep these. None for a file that is no answer any more,
    and without a place. Reads the file."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_LARGEST)
    except (OSError, UnicodeDecodeError):
        return None
    held = read_citing(text).held
    place = placed(held[0].question if held else "")
    if place is None:
        return None
    block = as_short(text, path, replace(_note_place(snapshot, place), whole=whole))
    return None if block is None else (place.span, set_in(block.text, page, place), block)


async def apply(ls: LensServer, snapshot: DocumentSnapshot, changes: list[tuple[Span, str]], label: str) -> bool:
    """Have the editor change a text that is still as it was seen; whether it did."""
    params = types.ApplyWorkspaceEditParams(workspace_edit(ls.state, snapshot, changes), label)
    try:
        async with asyncio.timeout(_EDIT_SECONDS):
            return (await ls.workspace_apply_edit_async(params)).applied
    except (JsonRpcException, TimeoutError):
        return False


async def ask(ls: LensServer, params: AskCommand) -> dict[str, object]:
    """``lens.server.ask``: answer, then put the answer into the note that asked, or open its file."""
    answered = await answer_question(ls, params.asking())
    ls.spawn("showing", _present(ls, answered, params.scope if params.insert else None))
    return answered.result


async def _present(ls: LensServer, answered: AnsweredQuestion, into: Scope | None) -> None:
    if into is not None and into.uri is not None and into.range is not None:
        if await insert(ls, answered.saved, into.uri, into.range.start.line + 1):
            return
        if ls.state.supports("workspace.apply_edit"):
            ls.warn("the answer could not be put into the note")
    if answered.path is None:
        say(ls, summarize_with_places(answered.saved.answer))
    else:
        line = await asyncio.to_thread(first_line, answered.path)
        await show(ls, answered.path, summarize(answered.saved.answer), line)


async def find(ls: LensServer, params: FindCommand) -> dict[str, object]:
    """``lens.server.find``: the best passages, then open the file that lists them."""
    wanted = FindParams(query=params.query, scope=params.scope, limit=params.limit)
    passages = await find_passages(ls, wanted, listed=True)
    ls.spawn("showing", _present(ls, passages, None))
    return passages.result


async def check(ls: LensServer, params: RecheckParams) -> dict[str, object]:
    """``lens.server.recheck``: look citations up again, and say what that showed."""
    result = await recheck(ls, params)
    counts = result["counts"]
    assert isinstance(counts, dict)
    told = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    say(ls, f"citations: {told or 'none'}")
    return result


async def call_wrong(ls: LensServer, params: WrongParams) -> dict[str, object]:
    """``lens.server.wrong``: withdraw clusters whose answers are wrong, and say what became of them."""
    result = await wrong(ls, params)
    checks = result["checks"]
    assert isinstance(checks, list)
    say(ls, f"withdrawn, and checks from now on: {len(checks)}" if checks else "there is no such cluster")
    return result


async def open_answer(ls: LensServer, params: OpenAnswerParams) -> dict[str, object]:
    """``lens.server.openAnswer``: show an earlier answer. Raises `RequestFailed` where there is none."""
    path = await _earlier(ls, params.answer)
    return {"opened": await show(ls, path, "the answer", await asyncio.to_thread(first_line, path))}


async def insert_answer(ls: LensServer, params: InsertAnswerParams) -> dict[str, object]:
    """``lens.server.insertAnswer``: put an earlier answer into an open note. Raises `RequestFailed`."""
    path = await _earlier(ls, params.answer)
    position = types.Position(params.position.line, params.position.character)
    return {"inserted": await insert_file(ls, path, params.uri, position)}


async def _earlier(ls: LensServer, wanted: str) -> str:
    """The file of an earlier answer. Raises `RequestFailed` where there is none."""
    state = ls.state
    path = await asyncio.to_thread(answer_file, state.stores, state.workspaces, wanted, state.editor_options.answers)
    if path is None:
        raise RequestFailed("there is no such answer; name a question that was asked")
    return path


async def cancel(ls: LensServer, params: CancelParams) -> dict[str, object]:
    """``lens.server.cancel``: end the questions that run, for editors without a button for it; how many they were."""
    count = ls.state.cancel_all()
    say(ls, f"cancelled: {count}" if count else "no question runs")
    return {"cancelled": count}


ASK = RequestHandler(ask, AskCommand)
FIND = RequestHandler(find, FindCommand)
RECHECK = RequestHandler(check, RecheckParams)
OPEN_ANSWER = RequestHandler(open_answer, OpenAnswerParams)
INSERT_ANSWER = RequestHandler(insert_answer, InsertAnswerParams)
WRONG = RequestHandler(call_wrong, WrongParams)
CANCEL = RequestHandler(cancel, CancelParams)
