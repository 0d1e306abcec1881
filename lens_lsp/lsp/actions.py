"""Code actions and code lenses: where in a text something can be asked, or done about a citation."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.corpus.allowed import inside
from lens_lsp.lsp.citing import Page, asked
from lens_lsp.lsp.desk import Pointed
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.evidence import Found, looked_up, seen
from lens_lsp.lsp.notes import edit_of
from lens_lsp.lsp.sight import Sight
from lens_lsp.memory.answer_files import anchored, link_to
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer


_ASK, _FIND, _RECHECK = "lens.server.ask", "lens.server.find", "lens.server.recheck"
_LONGEST_QUESTION = 2_000
_REWRITE = types.CodeActionKind.RefactorRewrite.value
_QUICK_FIX = types.CodeActionKind.QuickFix.value
KINDS = (types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite)


@dataclass(frozen=True, slots=True)
class Offer:
    """What could be done: a command with its argument, or an edit."""

    title: str
    kind: str
    command: str | None = None
    argument: object = None
    changes: tuple[tuple[Span, str], ...] = ()
    label: str | None = None
    """The citation that it is about."""


@dataclass(frozen=True, slots=True)
class Look:
    """What code actions were asked for, and what can be done there."""

    sight: Sight
    offers: list[Offer]
    pointed: Pointed | None


async def act(ls: LensServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """``textDocument/codeAction``: ask a ``??`` line or about a selection; mend or ask anew what a citation proves."""
    uri, where = params.text_document.uri, params.range

    def work(sight: Sight, page: Page) -> Look:
        span = sight.ranges().span(where.start, where.end)
        pointed = _pointed(uri, page, sight, span)
        offers = [*_of_pointed(pointed), *_of_citations(sight, page, span)]
        return Look(sight, offers, pointed)

    look = await seen(ls, uri, work)
    if look is None:
        return []
    if look.pointed is not None:
        ls.desk.pointed = look.pointed
    only = params.context.only
    return [
        _action(ls, look.sight, offer, params.context.diagnostics)
        for offer in look.offers
        if only is None or any(f"{offer.kind}.".startswith(f"{_plain(kind)}.") for kind in only)
    ]


async def lens(ls: LensServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """``textDocument/codeLens``: "Ask" at every line that asks."""

    def work(sight: Sight, page: Page) -> list[types.CodeLens]:
        found = []
        for number in range(1, page.lines + 1):
            pointed = _asking(params.text_document.uri, page, sight, number)
            if pointed is not None:
                offer = next(_of_pointed(pointed))
                command = types.Command(offer.title, _ASK, arguments=[offer.argument])
                found.append(types.CodeLens(pointed.range, command))
        return found

    return await seen(ls, params.text_document.uri, work) or []


def _pointed(uri: str, page: Page, sight: Sight, span: Span) -> Pointed | None:
    line = page.line_at(span.start)
    asking = _asking(uri, page, sight, line)
    if asking is not None:
        return asking
    words = " ".join(page.text[span.start : span.end].split())
    if not words or len(words) > _LONGEST_QUESTION:
        return None
    return Pointed(uri, words, sight.ranges().range(span), asks=False)


def _asking(uri: str, page: Page, sight: Sight, line: int) -> Pointed | None:
    if "??" not in page.line(line):
        return None
    question = asked(page.line(line))
    return None if question is None else Pointed(uri, question, sight.ranges().range(page.bare(line)), asks=True)


def _of_pointed(pointed: Pointed | None) -> Iterator[Offer]:
    if pointed is None:
        return
    scope = {"uri": pointed.uri, "range": _plain_range(pointed.range)}
    if pointed.asks:
        yield Offer("Ask", _REWRITE, _ASK, {"question": pointed.question, "scope": scope, "insert": True})
        return
    yield Offer("Ask about this", _REWRITE, _ASK, {"question": pointed.question, "scope": scope})
    yield Offer("Find evidence for this sentence", _REWRITE, _FIND, {"query": pointed.question, "scope": scope})


def _of_citations(sight: Sight, page: Page, span: Span) -> Iterator[Offer]:
    first, last = page.line_at(span.start), page.line_at(span.end)
    labels = {mark.label for mark in page.marks(first, last)}
    for found in looked_up(sight, page, [page.written[label] for label in sorted(labels)]):
        state, label = found.finding.checked.state, found.written.label
        if state is CitationState.MOVED:
            changes = _changes(sight, page, found)
            if changes:
                yield Offer(f"Cite [{label}] where it stands now", _QUICK_FIX, changes=changes, label=label)
        if state is not CitationState.VERIFIED:
            yield from _again(sight, page, found)
    if page.citing.parts and page.held_at(first) is not None:
        yield Offer("Check citations again", _QUICK_FIX, _RECHECK, {"uri": sight.uri})


def _again(sight: Sight, page: Page, found: Found) -> Iterator[Offer]:
    """Ask anew for what a citation proved: the fact where this session knows it, else the whole question."""
    label, held = found.written.label, page.held_at(found.written.line)
    if held is None or not held.question:
        return
    question = held.question
    if sight.known is not None and not held.block:
        facts = [result.text for result in sight.known.requirements if label in map(str, result.evidence)]
        question = facts[0] if facts else question
    argument: dict[str, object] = {"question": question}
    if held.block and sight.path is not None:
        line = _line_above(page, held.first)
        if line is not None and asked(page.line(line)) == held.question:
            span = sight.ranges().range(page.bare(line))
            argument |= {"scope": {"uri": sight.uri, "range": _plain_range(span)}, "insert": True}
    title = " ".join(printable(question).split())
    yield Offer(f"Ask again: {title[:80]}", _QUICK_FIX, _ASK, argument, label=label)


def _line_above(page: Page, line: int) -> int | None:
    return next((number for number in range(line - 1, 0, -1) if page.line(number).strip()), None)


def _changes(sight: Sight, page: Page, found: Found) -> tuple[tuple[Span, str], ...]:
    """What makes a citation name the place where its quote stands now."""
    base = os.path.dirname(page.name)
    with Sources(sight.allowed, rules=sight.rules, buffers=sight.buffers) as sources:
        checked, at = sources.check(found.finding.checked.citation, base)
        if checked.state is not CitationState.MOVED or at is None:
            return ()
        citation = sources.anew(checked, base)
    root = os.path.abspath(os.path.join(base, citation.root))
    path = os.path.join(root, *citation.path.split("/"))
    link = link_to(path, base if inside(base, root) else None)
    return tuple(anchored(page.text, found.written.label, citation, at.line, link))


def _action(ls: LensServer, sight: Sight, offer: Offer, diagnostics: Sequence[types.Diagnostic]) -> types.CodeAction:
    about = [each for each in diagnostics if offer.label is not None and f"[{offer.label}]" in each.message]
    command = None
    if offer.command is not None:
        command = types.Command(offer.title, offer.command, arguments=[offer.argument])
    return types.CodeAction(
        title=offer.title,
        kind=offer.kind,
        diagnostics=about or None,
        is_preferred=True if offer.changes else None,
        edit=edit_of(ls, sight, list(offer.changes)) if offer.changes else None,
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


ACTION: Endpoint[types.CodeActionParams] = Endpoint(act)
LENS: Endpoint[types.CodeLensParams] = Endpoint(lens)
