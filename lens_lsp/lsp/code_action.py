"""Code actions and code lenses: where in a text something can be asked, or done about a citation."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.commands import block_name, kept_edit, place_of
from lens_lsp.lsp.document_snapshot import (
    DocumentSnapshot,
    LocatedCitation,
    MarkdownPage,
    asked,
    locate_citations,
    run_on_snapshot,
    workspace_edit,
)
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.lsp.server_state import ServerState
from lens_lsp.memory.answer_files import link_to
from lens_lsp.memory.answer_parser import Held
from lens_lsp.memory.notes import rewritten, syntax_of
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.documents import link_fragment
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable_line
from lens_lsp.model.text import Span

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


_ASK, _FIND, _RECHECK = "lens.server.ask", "lens.server.find", "lens.server.recheck"
_LONGEST_QUESTION = 2_000
_REWRITE = types.CodeActionKind.RefactorRewrite.value
_QUICK_FIX = types.CodeActionKind.QuickFix.value


@dataclass(frozen=True, slots=True)
class SelectedQuestion:
    """What a place in a text asks: a ``??`` line, a selection, or the sentence at the cursor."""

    uri: str
    question: str
    range: types.Range
    asks: bool
    """It is a ``??`` line: its answer belongs below it."""


@dataclass(frozen=True, slots=True)
class ActionOffer:
    """What could be done: a command with its argument, or an edit."""

    title: str
    kind: str
    command: str | None = None
    argument: object = None
    changes: tuple[tuple[Span, str], ...] = ()
    label: str | None = None
    """The citation that it is about."""


async def act(ls: LensServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """``textDocument/codeAction``: ask a ``??`` line, or about a selection or the sentence at the cursor; mend or ask
    anew what a citation proves."""
    uri, where = params.text_document.uri, params.range

    edits = ls.state.supports("workspace.apply_edit")
    told = () if edits else tuple((answer.typed or answer.question, path) for answer, path in ls.state.accounts)

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> tuple[DocumentSnapshot, list[ActionOffer]]:
        span = snapshot.ranges().span(where.start, where.end)
        selected = _selected(uri, page, snapshot, span)
        offers = (
            [] if selected is None else [*_offers_to_put(snapshot, page, selected, told), *_offers_to_ask(selected)]
        )
        return snapshot, [*offers, *_offers_to_mend(snapshot, page, span, _questions(ls.state, page))]

    found = await run_on_snapshot(ls.state, uri, work)
    if found is None:
        return []
    snapshot, offers = found
    only = params.context.only
    return [
        _action(ls.state, snapshot, offer, params.context.diagnostics)
        for offer in offers
        if only is None or any(f"{offer.kind}.".startswith(f"{_plain(kind)}.") for kind in only)
    ]


async def lens(ls: LensServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """``textDocument/codeLens``: "Ask" at every line that asks; at every answer to check it, or to ask again."""

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> list[types.CodeLens]:
        found = []
        known = _questions(ls.state, page)
        for number in range(1, page.lines + 1):
            selected = _asking(params.text_document.uri, page, snapshot, number)
            if selected is not None:
                offer = _offers_to_ask(selected)[0]
                command = types.Command(offer.title, _ASK, arguments=[offer.argument])
                found.append(types.CodeLens(selected.range, command))
        for held in page.citing.held:
            where = snapshot.ranges().range(page.bare(_line_shown(page, held)))
            for offer in _offers_at_answer(snapshot, page, held, known):
                command = types.Command(offer.title, offer.command or "", arguments=[offer.argument])
                found.append(types.CodeLens(where, command))
        return found

    return await run_on_snapshot(ls.state, params.text_document.uri, work) or []


def _selected(uri: str, page: MarkdownPage, snapshot: DocumentSnapshot, span: Span) -> SelectedQuestion | None:
    """What is asked at a span. Less than two letters or figures are no selection, but a cursor: it means the ``??``
    line or sentence that it is in."""
    line = page.line_at(span.start)
    pointed = sum(map(str.isalnum, page.text[span.start : span.end])) < 2
    asking = _asking(uri, page, snapshot, line)
    if asking is not None and (pointed or span.end <= page.line_span(line).end):
        return asking
    meant = page.sentence(span.start) if pointed else span
    words = "" if meant is None else page.words(meant)
    if meant is None or not words or len(words) > _LONGEST_QUESTION:
        return None
    return SelectedQuestion(uri, words, snapshot.ranges().range(meant), asks=False)


def _asking(uri: str, page: MarkdownPage, snapshot: DocumentSnapshot, line: int) -> SelectedQuestion | None:
    if "??" not in page.line(line):
        return None
    question = asked(page.line(line))
    return (
        None
        if question is None
        else SelectedQuestion(uri, question, snapshot.ranges().range(page.bare(line)), asks=True)
    )


def _offers_to_ask(selected: SelectedQuestion) -> list[ActionOffer]:
    scope = {"uri": selected.uri, "range": _plain_range(selected.range)}
    if selected.asks:
        return [ActionOffer("Ask", _REWRITE, _ASK, {"question": selected.question, "scope": scope, "insert": True})]
    return [
        ActionOffer("Ask about this", _REWRITE, _ASK, {"question": selected.question, "scope": scope}),
        ActionOffer("Find evidence for this sentence", _REWRITE, _FIND, {"query": selected.question, "scope": scope}),
    ]


def _offers_to_put(
    snapshot: DocumentSnapshot, page: MarkdownPage, selected: SelectedQuestion, told: Sequence[tuple[str, str | None]]
) -> Iterator[ActionOffer]:
    """Put what was answered in this session below its ``??`` line: for a client that lets no server edit its texts.
    ``told`` are questions with the files of their answers, the last one first."""
    path = next((path for question, path in told if question == selected.question), None)
    if selected.asks and path is not None:
        line = selected.range.start.line + 1
        change = kept_edit(snapshot, page, path, lambda _: place_of(page, selected.question, line), whole=True)
        if change is not None:
            yield ActionOffer("Put the answer here", _REWRITE, changes=(change[:2],))


def _questions(state: ServerState, page: MarkdownPage) -> dict[str, str]:
    """The questions of the blocks of a note that do not say theirs, by the name of the block: those that are
    remembered. Waits for the disk."""
    silent = {held.block for held in page.citing.held if held.block and not held.question}
    if not silent:
        return {}
    stores = state.stores.existing(state.workspaces)
    kept = [question for _, store in stores for question in store.typed_questions()]
    told = [answer.typed or answer.question for answer, _ in state.accounts]
    named = {block_name(question): question for question in (*kept, *told)}
    return {block: named[name] for block in silent if (name := block.partition("x")[0]) in named}


def _offers_to_mend(
    snapshot: DocumentSnapshot, page: MarkdownPage, span: Span, known: Mapping[str, str]
) -> Iterator[ActionOffer]:
    first, last = page.line_at(span.start), page.line_at(span.end)
    labels = {mark.label for mark in page.marks(first, last)}
    moved = False
    for found in locate_citations(snapshot, page, [page.written[label] for label in sorted(labels)]):
        state, label = found.finding.checked.state, found.written.label
        if state is CitationState.MOVED:
            changes = _changes(snapshot, page, found)
            moved |= bool(changes)
            if changes:
                yield ActionOffer(f"Cite [{label}] where it stands now", _QUICK_FIX, changes=changes, label=label)
        if state is not CitationState.VERIFIED:
            yield from _again(snapshot, page, found, known)
    if moved:
        yield from _mend_all(snapshot, page)
    if page.citing.parts and page.held_at(first) is not None:
        yield ActionOffer("Check citations again", _QUICK_FIX, _RECHECK, {"uri": snapshot.uri})


def _mend_all(snapshot: DocumentSnapshot, page: MarkdownPage) -> Iterator[ActionOffer]:
    """All footnotes of a note that name another place than where their quotes stand now, by one action."""
    moved = [
        each
        for each in locate_citations(snapshot, page, page.written.values())
        if each.finding.checked.state is CitationState.MOVED
    ]
    changes = sorted(change for each in moved for change in _changes(snapshot, page, each))
    if len(changes) > 1:
        title = f"Cite all {len(changes)} that moved where they stand now"
        yield ActionOffer(title, _QUICK_FIX, changes=tuple(changes))


def _line_shown(page: MarkdownPage, held: Held) -> int:
    """The line of an answer that is read first: its heading, where it has one; what stands above is for programs."""
    return next(
        (number for number in range(held.first, held.last + 1) if page.line(number).startswith("#")), held.first
    )


def _offers_at_answer(
    snapshot: DocumentSnapshot, page: MarkdownPage, held: Held, known: Mapping[str, str]
) -> Iterator[ActionOffer]:
    if any(held.first <= each.line <= held.last for each in page.citing.written):
        yield ActionOffer("Check citations again", _QUICK_FIX, _RECHECK, {"uri": snapshot.uri})
    _, above = _asked_above(page, held)
    question = held.question or above or known.get(held.block, "")
    if question:
        yield ActionOffer("Ask again", _QUICK_FIX, _ASK, _asking_again(snapshot, page, held, question))


def _asked_above(page: MarkdownPage, held: Held) -> tuple[int, str]:
    """The line above a block, if it asks, and what it asks; an empty question where it does not."""
    line = (
        next((number for number in range(held.first - 1, 0, -1) if page.line(number).strip()), 0) if held.block else 0
    )
    return line, (asked(page.line(line)) or "") if line else ""


def _again(
    snapshot: DocumentSnapshot, page: MarkdownPage, found: LocatedCitation, known: Mapping[str, str]
) -> Iterator[ActionOffer]:
    """Ask anew for what a citation proved: the fact where this session knows it, else the whole question."""
    label, held = found.written.label, page.held_at(found.written.line)
    whole = "" if held is None else held.question or known.get(held.block, "")
    if held is None or not whole:
        return
    question = next((fact.text for fact in held.facts if label in fact.cites), whole)
    argument = _asking_again(snapshot, page, held, question)
    yield ActionOffer(f"Ask again: {printable_line(question)[:80]}", _QUICK_FIX, _ASK, argument, label=label)


def _asking_again(snapshot: DocumentSnapshot, page: MarkdownPage, held: Held, question: str) -> dict[str, object]:
    """The argument of a question that an answer is about; its block is replaced where the line above still asks it."""
    argument: dict[str, object] = {"question": question}
    line, above = _asked_above(page, held)
    if not above and held.block.partition("x")[0] == block_name(question):
        line, above = held.first, question
    if above and above == (held.question or question) and snapshot.path is not None:
        span = snapshot.ranges().range(page.bare(line))
        argument |= {"scope": {"uri": snapshot.uri, "range": _plain_range(span)}, "insert": True}
    return argument


def _changes(snapshot: DocumentSnapshot, page: MarkdownPage, found: LocatedCitation) -> tuple[tuple[Span, str], ...]:
    """What makes a citation name the place where its quote stands now; nothing for one of an earlier version."""
    if found.written.reference is None:
        return ()
    base = os.path.dirname(page.name)
    with Sources(snapshot.allowed, rules=snapshot.rules, buffers=snapshot.buffers) as sources:
        checked, at = sources.check(found.finding.checked.citation, base)
        if checked.state is not CitationState.MOVED or at is None:
            return ()
        citation = sources.anew(checked, base)
    root = os.path.abspath(os.path.join(base, citation.root))
    path = os.path.join(root, *citation.path.split("/"))
    link = link_to(path, base if inside(base, root) else None)
    shown = f"{link}#{link_fragment(citation.locator, at.line)}"
    return tuple(rewritten(syntax_of(page.path), found.written.reference, citation.path, at.line, shown))


def _action(
    state: ServerState, snapshot: DocumentSnapshot, offer: ActionOffer, diagnostics: Sequence[types.Diagnostic]
) -> types.CodeAction:
    about = [each for each in diagnostics if offer.label is not None and f"[{offer.label}]" in each.message]
    command = types.Command(offer.title, offer.command, arguments=[offer.argument]) if offer.command else None
    return types.CodeAction(
        title=offer.title,
        kind=offer.kind,
        diagnostics=about or None,
        is_preferred=True if offer.changes else None,
        edit=workspace_edit(state, snapshot, list(offer.changes)) if offer.changes else None,
        command=command,
    )


def _plain(kind: object) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else str(kind)


def _plain_range(where: types.Range) -> dict[str, dict[str, int]]:
    """A range inside the argument of a command, which is sent as it is."""
    return {
        name: {"line": place.line, "character": place.character}
        for name, place in (("start", where.start), ("end", where.end))
    }


CODE_ACTION: RequestHandler[types.CodeActionParams] = RequestHandler(act)
CODE_LENS: RequestHandler[types.CodeLensParams] = RequestHandler(lens)
