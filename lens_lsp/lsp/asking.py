"""``lens/ask`` and ``lens.server.ask``: one question, from its params to an answer with locations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lens_lsp.app.lens import FindObserver
from lens_lsp.app.question import answer
from lens_lsp.corpus.opening import folders_at
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.judge.cancellation import Stop
from lens_lsp.lsp.answers import Shelf, keep, recorded
from lens_lsp.lsp.endpoint import Endpoint
from lens_lsp.lsp.for_models import event_for_model, for_model
from lens_lsp.lsp.lenses import Loan, in_time
from lens_lsp.lsp.locations import Placement, places_of
from lens_lsp.lsp.permitting import chosen, permitted
from lens_lsp.lsp.previewing import previewed, sent_json
from lens_lsp.lsp.progress import Progress
from lens_lsp.lsp.questions import Question, frozen
from lens_lsp.lsp.uris import uri_of
from lens_lsp.lsp.wire import AskParams
from lens_lsp.memory.answer_files import Saved
from lens_lsp.memory.store_file import NotSaved
from lens_lsp.model.answer import Answer, Answered, Event, Planned, Proposed, Scanned
from lens_lsp.model.documents import Evidence
from lens_lsp.schema.answer import answer_json, evidence_json, preview_json
from lens_lsp.schema.events import event_json

if TYPE_CHECKING:
    from lens_lsp.app.oracle_factory import OracleFactory
    from lens_lsp.lsp.server import LensServer


Events = Callable[[FindObserver], AsyncGenerator[Event]]
_PLACES = frozenset({"start", "end"})


@dataclass(frozen=True, slots=True)
class Asked:
    """An answered question: as the result of ``lens/ask``, and as it can be written down."""

    result: dict[str, object]
    saved: Saved
    path: str | None
    """The file of the answer."""
    new: bool = True
    """False where a better one stayed in that file."""


async def ask(ls: LensServer, params: AskParams) -> dict[str, object]:
    """Answer a question, or only say what would be sent for it. Raises as `answered`."""
    if params.dry_run:
        return await would_send(ls, params)
    asked = await answered(ls, params, stoppable=True)
    if not params.for_model:
        return asked.result
    return for_model(asked.result, asked.saved.answer.evidence, asked.saved.citations)


async def would_send(ls: LensServer, params: AskParams) -> dict[str, object]:
    """What a model would get first, schema ``lens.dry-run/1`` with the URIs of what is sent. Raises as `answered`."""
    question = frozen(ls.session, params)
    with Progress(ls, params.work_done_token, "Lens") as progress:
        factory = await chosen(ls, question.request)
        if factory.model is None:
            return preview_json(None, factory.mode)
        async with progress.turn():
            preview = await previewed(ls, question, factory)
        paths, _ = question.searched(factory.settings)
        roots = await asyncio.get_running_loop().run_in_executor(None, folders_at, paths)
        return preview_json(preview, factory.mode) | {"sent": sent_json(preview.sent, roots)}


async def answered(ls: LensServer, params: AskParams, *, stoppable: bool = False) -> Asked:
    """Answer a question and keep the answer. ``stoppable``: once the search has begun, the cancel button of its
    progress gives an answer of what was found until then.

    Raises `RequestFailed` when too many wait already, and what `Lens.ask` raises.
    """
    question = frozen(ls.session, params)
    with Progress(ls, params.work_done_token, "Lens") as progress:
        factory = await permitted(ls, question, progress)
        async with progress.turn():
            stop = Stop()
            if stoppable:
                progress.on_cancel(stop.ask)
            return await _answered(ls, question, params, Allowed(factory, stop), progress)


ENDPOINT = Endpoint(ask, AskParams)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a question may use, and until when."""

    factory: OracleFactory
    stop: Stop


async def _answered(
    ls: LensServer, question: Question, params: AskParams, allowed: Allowed, progress: Progress
) -> Asked:
    session, desk, factory = ls.session, ls.desk, allowed.factory
    paths, rules = question.searched(factory.settings)
    run = asyncio.get_running_loop().run_in_executor
    memory = await run(None, desk.stores.memory, question.home)
    lent = session.lenses.lent(paths, rules, factory.settings.memory)
    async with in_time(factory.budget.seconds), lent as loan:

        def events(observer: FindObserver) -> AsyncGenerator[Event]:
            return answer(loan.lens, question.request, factory, memory=memory, observer=observer, stop=allowed.stop)

        found = await _heard(ls, params, progress, loan, events)
    shelf = Shelf(desk.configuration.editor.answers, None if memory is None else memory.store)
    asked = await run(None, written, found, question, session.buffers(), paths, rules, shelf)
    desk.account(asked.saved.answer, asked.path)
    if asked.path is not None and asked.new:
        desk.remember(asked.path, found)
    return asked


async def _heard(ls: LensServer, params: AskParams, progress: Progress, loan: Loan, events: Events) -> Answer:
    """The answer, its way told as progress, and as events to who opted in."""
    observer = Observer(progress.from_thread())
    answer = None
    number = ls.protocol.msg_id
    opted = ls.session.options.get("events") is True
    seq = 0
    async with aclosing(loan.aside(lambda: events(observer))) as heard:
        async for event in heard:
            if opted:
                seq += 1
                origin = {"token": params.work_done_token, "request": number}
                shape: dict[str, object] | None = event_json(event, seq)
                if params.for_model and shape is not None:
                    shape = event_for_model(event, shape)
                if shape is not None:
                    ls.protocol.notify("lens/event", {**origin, **shape})
            if isinstance(event, Answered):
                answer = event.answer
            elif (said := _in_words(event)) is not None:
                progress.report(said)
    if answer is None:
        raise RuntimeError("the search ended without an answer")
    return answer


def written(
    answer: Answer,
    question: Question,
    buffers: Mapping[str, Buffer],
    paths: tuple[str, ...],
    rules: CorpusRules,
    shelf: Shelf,
) -> Asked:
    """An answer kept on its shelf; ``buffers`` are the open texts as they are now.

    Reads the files of the evidence: call it off the event loop.
    """
    saved = recorded(answer, folders_at(paths), rules, question.request.buffers)
    contexts = {item.n: item.context for item in answer.evidence}
    places = places_of(saved.citations, rules, buffers, question.encoding, question.texts, contexts)
    items, warnings = with_places(answer.evidence, places, question)
    kept = None
    try:
        kept = keep(saved, shelf)
    except NotSaved as error:
        warnings.append(str(error))
    path = None if kept is None else kept.path
    more = {
        "evidence": items,
        "warnings": [*answer.warnings, *warnings],
        "answerUri": None if path is None else uri_of(path),
    }
    return Asked(answer_json(answer) | more, saved, path, new=kept is None or kept.new)


def with_places(
    evidence: Sequence[Evidence], places: Mapping[int, Placement], question: Question
) -> tuple[list[dict[str, object]], list[str]]:
    """Evidence with locations in place of lines and columns, and what has to be said about them."""
    items: list[dict[str, object]] = []
    warnings = []
    for item in evidence:
        placed = places.get(item.n)
        if placed is None:
            warnings.append(f"{item.path} changed while the question was answered: [{item.n}] has no place now")
        shape = {key: each for key, each in evidence_json(item).items() if key not in _PLACES}
        items.append(shape | _place(shape, placed))
    if question.unsynced:
        warnings.append(f"unsaved changes of {question.unsynced} open texts are unknown: their files were searched")
    return items, warnings


def _place(shape: Mapping[str, object], placed: Placement | None) -> dict[str, object]:
    """Where evidence of this shape and each part of its context stand, as the client counts."""
    parts = cast(Sequence[dict[str, object]], shape["context"])
    ranges = [None] * len(parts) if placed is None else placed.context
    return {
        "uri": None if placed is None else placed.uri,
        "range": None if placed is None else placed.range,
        "context": [part | {"range": each} for part, each in zip(parts, ranges, strict=True)],
    }


class Observer:
    """Tells the progress of a search from its own thread."""

    def __init__(self, report: Callable[[str], object]) -> None:
        self._report = report

    def progress(self, stage: str, done: int, total: int | None) -> None:
        """So many files of so many."""
        self._report(f"{stage} {done:,}" + ("" if total is None else f" of {total:,}") + " files")

    def evidence(self, item: Evidence) -> None:
        """Nothing: evidence goes with the result."""


def _in_words(event: Event) -> str | None:
    if isinstance(event, Planned):
        return "question understood"
    if isinstance(event, Scanned):
        return f"{event.files:,} files scanned"
    if isinstance(event, Proposed):
        names = list(dict.fromkeys(region.path for region in event.regions))
        return f"round {event.round}: reading {', '.join(names[:3])}" + (" …" if len(names) > 3 else "")
    return None
