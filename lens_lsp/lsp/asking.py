"""``lens/ask`` and ``lens.server.ask``: one question, from its params to an answer with locations."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.domain.answer import Answer
from lens_lsp.domain.errors import PathRefused, UsageError
from lens_lsp.domain.events import Answered, Event, Planned, Proposed, Scanned
from lens_lsp.domain.model import Evidence
from lens_lsp.domain.text import Span
from lens_lsp.knowledge.answer_files.writing import Saved
from lens_lsp.knowledge.failures import NotSaved
from lens_lsp.lens import FindObserver, Lens
from lens_lsp.lsp.answers import Shelf, keep, recorded
from lens_lsp.lsp.aside import aside
from lens_lsp.lsp.convert import Encoding, Ranges
from lens_lsp.lsp.endpoint import Endpoint, RequestFailed
from lens_lsp.lsp.locations import Places, roots_of
from lens_lsp.lsp.progress import Progress
from lens_lsp.lsp.seat import Seat, seated
from lens_lsp.lsp.turns import Busy
from lens_lsp.lsp.uris import UriRefused, inside, uri_of
from lens_lsp.lsp.wire import AskParams, Scope
from lens_lsp.oracle.ledger import Limits
from lens_lsp.wire.answer import answer_json
from lens_lsp.wire.events import event_json
from lens_lsp.wire.evidence import evidence_json

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.session import Session
    from lens_lsp.memory import Memory

Seating = Callable[[], AbstractAsyncContextManager[Seat]]
_PLACES = frozenset({"start", "end"})


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of what, as it was in the moment of the request: nothing in it changes with the editor."""

    text: str
    paths: tuple[str, ...]
    """Absolute; empty means the workspace folders and what is always searched beside them."""
    workspaces: tuple[str, ...]
    globs: tuple[str, ...]
    buffers: Mapping[str, Buffer]
    asking: Mapping[str, Span]
    unsynced: int
    """Open texts that could not be used."""
    encoding: Encoding
    home: str
    """The workspace whose store remembers the answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An answered question: as the result of ``lens/ask``, and as it can be written down."""

    result: dict[str, object]
    saved: Saved
    path: str | None
    """The file of the answer."""


async def ask(ls: LensServer, params: AskParams) -> dict[str, object]:
    """Answer a question. Raises as `answered`."""
    return (await answered(ls, params)).result


async def answered(ls: LensServer, params: AskParams) -> Asked:
    """Answer a question and keep the answer. Raises `RequestFailed` when too many wait already, and what `Lens.ask`
    raises."""
    session = ls.session
    question = frozen(session, params)
    with Progress(ls, params.work_done_token, "Lens") as progress:
        try:
            async with session.turns.taken(lambda ahead: progress.report(f"waiting, {ahead} ahead")):
                return await _answered(ls, question, params, progress)
        except Busy:
            waiting = session.turns.most_waiting
            raise RequestFailed(f"busy: {waiting} questions wait already; ask again later") from None


ENDPOINT = Endpoint(ask, AskParams)


def frozen(session: Session, params: AskParams) -> Question:
    """The question with everything the editor holds now. Raises `UsageError` and `PathRefused` for its scope."""
    asking = {}
    scope = params.scope
    document = None if scope.uri is None else session.documents.get(scope.uri)
    if scope.range is not None and document is not None and document.path is not None:
        ranges = Ranges(document.text, session.encoding)
        asking[session.allowed(document.uri)] = ranges.span(scope.range.start, scope.range.end)
    paths = _paths(session, scope)
    around = session.workspaces() or tuple(dict.fromkeys(os.path.dirname(os.path.realpath(path)) for path in paths))
    return Question(
        text=params.question,
        paths=paths,
        workspaces=around,
        globs=scope.globs or (),
        buffers=session.buffers(),
        asking=asking,
        unsynced=len(session.unsynced()),
        encoding=session.encoding,
        home=next((folder for folder in around if document is not None and _holds(folder, document.path)), around[0]),
    )


def _holds(folder: str, path: str | None) -> bool:
    return path is not None and inside(os.path.realpath(path), folder)


def _paths(session: Session, scope: Scope) -> tuple[str, ...]:
    uris = scope.folders if scope.uri is None or scope.range is not None else (scope.uri,)
    try:
        if uris:
            return tuple(session.allowed(uri) for uri in uris)
    except UriRefused as error:
        raise PathRefused(f"the scope cannot be searched: {error}") from error
    if session.folders:
        return ()
    paths = tuple(sorted(path for path in session.buffers() if os.path.exists(path)))
    if not paths:
        raise UsageError("there is nothing to search: open a folder")
    return paths


async def _answered(ls: LensServer, question: Question, params: AskParams, progress: Progress) -> Asked:
    session, desk = ls.session, ls.desk
    settings = await session.settings(fresh=True)
    budget = params.budget
    limits = Limits(budget.calls, budget.tokens, budget.seconds, budget.cost)
    rules = replace(settings.rules, scopes=question.globs) if question.globs else settings.rules
    paths = question.paths or (*(folder.path for folder in session.folders), *settings.extra_roots)
    run = asyncio.get_running_loop().run_in_executor
    memory = await run(None, desk.stores.memory, question.home)
    seating = partial(seated, settings, params.mode, limits, question.workspaces)
    async with session.lenses.lent(paths, rules, settings.memory) as lens:
        answer = await _heard(ls, lens, question, seating, progress, Recall(memory, params.thread))
    shelf = Shelf(desk.configuration.editor.answers, None if memory is None else memory.store)
    asked = await run(None, written, answer, question, paths, rules, shelf)
    desk.account(answer)
    if asked.path is not None:
        desk.remember(asked.path, answer)
    return asked


@dataclass(frozen=True, slots=True)
class Recall:
    """What is remembered, and the conversation that the question belongs to."""

    memory: Memory | None
    thread: str | None


async def _heard(
    ls: LensServer, lens: Lens, question: Question, seating: Seating, progress: Progress, recall: Recall
) -> Answer:
    """The answer, its way told as progress, and as events to who opted in."""
    observer = _Observer(progress.from_thread())
    events = aside(lambda: _events(lens, question, seating, observer, recall))
    answer = None
    number = ls.protocol.msg_id
    opted = ls.session.options.get("events") is True
    seq = 0
    async with aclosing(events):
        async for event in events:
            if opted:
                seq += 1
                ls.protocol.notify("lens/event", {"request": number, **event_json(event, seq)})
            if isinstance(event, Answered):
                answer = event.answer
            elif (said := _in_words(event)) is not None:
                progress.report(said)
    if answer is None:
        raise RuntimeError("the search ended without an answer")
    return answer


async def _events(
    lens: Lens, question: Question, seating: Seating, observer: FindObserver, recall: Recall
) -> AsyncGenerator[Event]:
    """What happens on the way, on an event loop of its own (`aside`): the seat is taken there, too."""
    async with seating() as seat:
        events = lens.ask(
            question.text,
            mode=seat.mode,
            budget=seat.budget,
            oracle=seat.oracle,
            observer=observer,
            buffers=question.buffers,
            asking=question.asking,
            prices=seat.prices,
            spent=seat.spent,
            memory=recall.memory,
            thread=recall.thread,
        )
        async with aclosing(events):
            async for event in events:
                yield event


def written(answer: Answer, question: Question, paths: tuple[str, ...], rules: CorpusRules, shelf: Shelf) -> Asked:
    """An answer kept on its shelf. Reads the files of the evidence: call it off the event loop."""
    items, warnings = with_places_of(answer.evidence, question, paths, rules)
    saved = recorded(answer, roots_of(paths), rules, question.buffers)
    path = None
    try:
        path = keep(saved, shelf)
    except NotSaved as error:
        warnings.append(str(error))
    more = {
        "evidence": items,
        "warnings": [*answer.warnings, *warnings],
        "answerUri": None if path is None else uri_of(path),
    }
    return Asked(answer_json(answer) | more, saved, path)


def with_places_of(
    evidence: Sequence[Evidence], question: Question, paths: tuple[str, ...], rules: CorpusRules
) -> tuple[list[dict[str, object]], list[str]]:
    """Evidence with locations in place of lines and columns, and what has to be said about them.

    Reads the files of the evidence: call it off the event loop.
    """
    items: list[dict[str, object]] = []
    warnings = []
    with Places(paths, rules, question.buffers, question.encoding) as places:
        for item in evidence:
            location = places.location(item)
            if location is None:
                warnings.append(f"{item.path} changed while the question was answered: [{item.n}] has no place now")
            place = {"uri": None, "range": None} if location is None else {"uri": location.uri, "range": location.range}
            items.append({key: each for key, each in evidence_json(item).items() if key not in _PLACES} | place)
    if question.unsynced:
        warnings.append(f"unsaved changes of {question.unsynced} open texts are unknown: their files were searched")
    return items, warnings


class _Observer:
    """Tells the progress of the search from its own thread."""

    def __init__(self, report: Callable[[str], object]) -> None:
        self._report = report

    def progress(self, stage: str, done: int, total: int | None) -> None:
        self._report(f"{stage} {done:,}" + ("" if total is None else f" of {total:,}") + " files")

    def evidence(self, item: Evidence) -> None: ...


def _in_words(event: Event) -> str | None:
    if isinstance(event, Planned):
        return "question understood"
    if isinstance(event, Scanned):
        return f"{event.files:,} files scanned"
    if isinstance(event, Proposed):
        names = list(dict.fromkeys(region.path for region in event.regions))
        return f"round {event.round}: reading {', '.join(names[:3])}" + (" …" if len(names) > 3 else "")
    return None
