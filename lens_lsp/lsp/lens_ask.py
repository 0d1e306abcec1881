"""``lens/ask`` and ``lens/find``: one question, from its params to an answer or ranked passages with locations.

The question is frozen at the moment of the request. Who may judge it is settled before it waits for its turn, with the
user's consent where text would leave this machine.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pydantic import ValidationError
from pygls.exceptions import JsonRpcException

from lens_lsp.app.composition import answer, preview
from lens_lsp.app.configuration import searched
from lens_lsp.app.lens import FindObserver
from lens_lsp.app.oracle_factory import OracleFactory, decide, of_endpoint
from lens_lsp.app.settings import Request, Settings
from lens_lsp.corpus.corpus_rules import ANYWHERE, CorpusRules, inside
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import folders_at
from lens_lsp.judge.cancellation import QuestionTasks, Stop
from lens_lsp.judge.ledger import Limits
from lens_lsp.judge.llm.chat_model import EditorChat, EditorReply, Message, ModelError, ModelFailure
from lens_lsp.lsp.editor_window import WorkDoneProgress
from lens_lsp.lsp.lens_answer import AnswerDestination, record_citations, write_answer_file
from lens_lsp.lsp.locations import TOP, Encoding, Ranges, UriRefused, uri_of
from lens_lsp.lsp.model_view import event_for_model, for_model
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.lsp.server_state import ServerState
from lens_lsp.lsp.workspace_pool import QueueFull, WorkspaceLease, in_time, run_on_this_loop
from lens_lsp.memory.answer_files import Saved
from lens_lsp.memory.sources import Sources
from lens_lsp.memory.store_file import NotSaved
from lens_lsp.model.answer import Account, Answer, Answered, Event, Mode, Planned, Proposed, Scanned, Status, StopReason
from lens_lsp.model.cluster import Checked, Citation
from lens_lsp.model.documents import Context, Evidence, Findings
from lens_lsp.model.errors import LensError, PathRefused, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.plan import Intent
from lens_lsp.model.sanitize import printable_line, printable_path
from lens_lsp.model.text import SourceText, Span
from lens_lsp.schema.answer_shapes import answer_json, event_json, evidence_json, findings_json, preview_json
from lens_lsp.schema.protocol_params import AskParams, FindParams, ModelMessage, ModelParams, ModelResult, Scope

if TYPE_CHECKING:
    from lens_lsp.app.settings import ModelSettings
    from lens_lsp.judge.llm.conversation import Preview
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.model.answer import Sent


logger = logging.getLogger(__name__)

_PROBE_SECONDS = 10.0
_MOST_WORDS = 200
_PLACES = frozenset({"start", "end"})

Events = Callable[[FindObserver], AsyncGenerator[Event]]


@dataclass(frozen=True, slots=True)
class FrozenQuestion:
    """A request, with what it was made about: nothing in it changes with the editor."""

    request: Request
    folders: tuple[str, ...]
    """Absolute paths of the workspace folders, which are searched where the request names no path."""
    unsynced: int
    """Open texts that could not be used."""
    encoding: Encoding
    texts: bool
    """Whether places in extracted formats count in their texts."""
    home: str
    """The workspace whose store remembers the answer."""

    def searched(self, settings: Settings) -> tuple[tuple[str, ...], CorpusRules]:
        """The paths that it is asked of, and what of them is looked at."""
        return searched(self.request, settings, self.folders)

    def folders_to_consent(self, settings: Settings) -> tuple[str, ...]:
        """The folders that consent is needed for: of what is searched, and of the store whose thread is continued.
        Waits for the disk."""
        from lens_lsp.app.consent import folders_of

        paths, _ = self.searched(settings)
        return folders_of(paths if self.request.thread is None else (*paths, self.home), self.folders)


def freeze(state: ServerState, params: AskParams | FindParams) -> FrozenQuestion:
    """The question with everything the editor holds now. Raises `UsageError` and `PathRefused` for its scope."""
    excluded = {}
    scope = params.scope
    document = None if scope.uri is None else state.documents.get(scope.uri)
    if scope.range is not None and document is not None and document.path is not None:
        ranges = Ranges(document.text, state.encoding)
        excluded[state.allowed(document.uri)] = ranges.span(scope.range.start, scope.range.end)
    real = None if document is None or document.path is None else os.path.realpath(document.path)
    paths = _paths(state, scope)
    around = state.workspaces or tuple(dict.fromkeys(os.path.dirname(os.path.realpath(path)) for path in paths))
    request = Request("", paths, scope.globs or (), buffers=state.buffers(), exclude_spans=excluded)
    return FrozenQuestion(
        request=_worded(request, params),
        folders=tuple(folder.path for folder in state.folders),
        unsynced=len(state.unsynced()),
        encoding=state.encoding,
        texts=state.reads_texts,
        home=next((folder for folder in around if real is not None and inside(real, folder)), around[0]),
    )


def _worded(request: Request, params: AskParams | FindParams) -> Request:
    """With what is asked, and what the client wants it to cost at most."""
    if not isinstance(params, AskParams):
        return replace(request, question=params.query, limit=params.limit, rerank=params.rerank)
    limits = Limits(params.budget.calls, params.budget.tokens, params.budget.seconds, params.budget.cost)
    return replace(
        request, question=params.question, mode=params.mode, limits=limits, thread=params.thread, anew=params.anew
    )


def _paths(state: ServerState, scope: Scope) -> tuple[str, ...]:
    uris = scope.folders if scope.uri is None or scope.range is not None else (scope.uri,)
    try:
        if uris:
            return tuple(state.allowed(uri) for uri in uris)
    except UriRefused as error:
        raise PathRefused(f"the scope cannot be searched: {error}") from error
    if state.folders:
        return ()
    paths = tuple(sorted(path for path in state.buffers() if os.path.exists(path)))
    if not paths:
        raise UsageError("there is nothing to search: open a folder")
    return paths


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """An answered question: as the result of ``lens/ask``, and as it can be written down."""

    result: dict[str, object]
    saved: Saved
    path: str | None
    """The file of the answer."""
    new: bool = True
    """False where a better one stayed in that file."""

    def for_reader(self, params: AskParams | FindParams) -> dict[str, object]:
        """The result as whoever sent these params may read it."""
        if not params.for_model:
            return self.result
        return for_model(self.result, self.saved.answer.evidence, self.saved.citations)


async def ask(ls: LensServer, params: AskParams) -> dict[str, object]:
    """Answer a question, or only say what would be sent for it. Raises as `answer_question`."""
    if params.dry_run:
        return await dry_run(ls, params)
    return (await answer_question(ls, params, stoppable=True)).for_reader(params)


async def dry_run(ls: LensServer, params: AskParams) -> dict[str, object]:
    """What a model would get first, schema ``lens.dry-run/1`` with the URIs of what is sent. Raises as
    `answer_question`."""
    question = freeze(ls.state, params)
    with WorkDoneProgress(ls, params.work_done_token, "Lens") as progress:
        factory = await choose_oracle(ls, question.request)
        if factory.model is None:
            return preview_json(None, factory.mode)
        async with progress.turn():
            previewed = await preview_requests(ls.state, question, factory)
        paths, _ = question.searched(factory.settings)
        roots = await asyncio.to_thread(folders_at, paths)
        return preview_json(previewed, factory.mode) | {"sent": sent_json(previewed.sent, roots)}


async def answer_question(ls: LensServer, params: AskParams, *, stoppable: bool = False) -> AnsweredQuestion:
    """Answer a question and keep the answer. ``stoppable``: once the search has begun, the cancel button of its
    progress gives an answer of what was found until then.

    Raises `RequestFailed` when too many wait already, and what `Lens.ask` raises.
    """
    question = freeze(ls.state, params)
    with WorkDoneProgress(ls, params.work_done_token, "Lens") as progress:
        factory = await permit_oracle(ls, question, progress)
        async with progress.turn():
            stop = Stop()
            if stoppable:
                progress.on_cancel(stop.ask)
            return await _answer(ls, question, params, factory, stop, progress)


async def _answer(
    ls: LensServer,
    question: FrozenQuestion,
    params: AskParams,
    factory: OracleFactory,
    stop: Stop,
    progress: WorkDoneProgress,
) -> AnsweredQuestion:
    state = ls.state
    paths, rules = question.searched(factory.settings)
    memory = await asyncio.to_thread(state.stores.memory, question.home)
    lent = state.pool.lent(paths, rules, factory.settings.memory)
    async with in_time(factory.budget.seconds), lent as lease:

        def events(observer: FindObserver) -> AsyncGenerator[Event]:
            return answer(lease.lens, question.request, factory, memory=memory, observer=observer, stop=stop)

        found = await _follow_events(ls, params, progress, lease, events)
    destination = AnswerDestination(
        state.editor_options.answers, None if memory is None else memory.store, state.workspaces
    )
    look = partial(write_down, found, answer_json(found), found.warnings, question, state.buffers(), paths, rules)
    answered = await asyncio.to_thread(look, destination)
    state.accounts.appendleft((answered.saved.answer, answered.path))
    if answered.path is not None and answered.new:
        state.remember(answered.path, found)
    return answered


async def _follow_events(
    ls: LensServer, params: AskParams, progress: WorkDoneProgress, lease: WorkspaceLease, events: Events
) -> Answer:
    """The answer; the way to it is shown as progress, and sent as events to a client that opted in."""
    observer = SearchObserver(progress.from_thread())
    answer = None
    number = ls.protocol.msg_id
    opted = ls.state.options.get("events") is True
    seq = 0
    async with aclosing(lease.run_on_worker(lambda: events(observer))) as heard:
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
            elif (said := _describe_event(event)) is not None:
                progress.report(said)
    if answer is None:
        raise RuntimeError("the search ended without an answer")
    return answer


def write_down(
    answer: Answer,
    shape: Mapping[str, object],
    warnings: Sequence[str],
    question: FrozenQuestion,
    buffers: Mapping[str, Buffer],
    paths: tuple[str, ...],
    rules: CorpusRules,
    destination: AnswerDestination,
    *,
    strict: bool = False,
) -> AnsweredQuestion:
    """An answer with locations, kept at its destination; ``shape`` is its JSON without, ``buffers`` are the open texts
    as they are now. Raises `NotSaved` if ``strict``, else warns of it.

    Reads the files of the evidence: call it off the event loop.
    """
    saved = record_citations(answer, folders_at(paths), rules, question.request.buffers)
    contexts = {item.n: item.context for item in answer.evidence}
    places = places_of(saved.citations, rules, buffers, question.encoding, question.texts, contexts)
    items, changed = with_places(answer.evidence, places, question)
    kept = None
    try:
        kept = write_answer_file(saved, destination)
    except NotSaved as error:
        if strict:
            raise
        changed.append(str(error))
    path = None if kept is None else kept.path
    more = {
        "evidence": items,
        "warnings": [*warnings, *changed],
        "answerUri": None if path is None else uri_of(path),
    }
    return AnsweredQuestion({**shape, **more}, saved, path, new=kept is None or kept.new)


def with_places(
    evidence: Sequence[Evidence], places: Mapping[int, Placement], question: FrozenQuestion
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
    parts = cast("Sequence[dict[str, object]]", shape["context"])
    ranges = [None] * len(parts) if placed is None else placed.context
    return {
        "uri": None if placed is None else placed.uri,
        "range": None if placed is None else placed.range,
        "context": [part | {"range": each} for part, each in zip(parts, ranges, strict=True)],
    }


@dataclass(frozen=True, slots=True)
class Placement:
    """Where evidence stands now: its quote, and each part of its context, None where that stands beside it no more."""

    uri: str
    range: types.Range
    context: tuple[types.Range | None, ...] = ()


def places_of(
    citations: Mapping[int, Citation],
    rules: CorpusRules,
    buffers: Mapping[str, Buffer],
    encoding: Encoding,
    texts: bool = False,
    contexts: Mapping[int, Sequence[Context]] = MappingProxyType({}),
) -> dict[int, Placement]:
    """Where citations of absolute roots stand now, by their numbers; those that stand no longer are left out.
    ``contexts`` are what was shown around their quotes, by the same numbers.

    ``buffers`` are the open texts by absolute path, which win over the disk. In extracted formats the place
    is the top of the file, or with ``texts`` in the text that is taken out of it. Reads the sources: call it off the
    event loop.
    """
    places = {}
    with Sources(ANYWHERE, rules=rules, buffers=buffers) as sources:
        for n, citation in sorted(citations.items(), key=lambda each: (each[1].root, each[1].path)):
            checked, _ = sources.check(citation, "")
            if checked.span is not None:
                path = checked.path or citation.path
                text = sources.text(checked, "", extracted=texts)
                uri = uri_of(os.path.join(citation.root, *path.split("/")))
                beside = contexts.get(n, ())
                if text is None:
                    places[n] = Placement(uri, TOP, tuple(TOP for _ in beside))
                else:
                    ranges = Ranges(text, encoding)
                    spans = [_now(part, checked, text) for part in beside]
                    around = tuple(None if span is None else ranges.range(span) for span in spans)
                    places[n] = Placement(uri, ranges.range(checked.span), around)
    return places


def _now(part: Context, checked: Checked, text: SourceText) -> Span | None:
    """Where context stands, as far from its quote as it was; None where the text says something else there."""
    assert checked.span is not None
    start = part.span.start + checked.span.start - checked.citation.span.start
    if start < 0 or not text.text.startswith(part.text, start):
        return None
    return Span(start, start + len(part.text))


class SearchObserver:
    """Tells the progress of a search from its own thread."""

    def __init__(self, report: Callable[[str], object]) -> None:
        self._report = report

    def progress(self, stage: str, done: int, total: int | None) -> None:
        """So many files of so many."""
        self._report(f"{stage} {done:,}" + ("" if total is None else f" of {total:,}") + " files")

    def evidence(self, item: Evidence) -> None:
        """Nothing: evidence goes with the result."""


def _describe_event(event: Event) -> str | None:
    if isinstance(event, Planned):
        return "question understood"
    if isinstance(event, Scanned):
        return f"{event.files:,} files scanned"
    if isinstance(event, Proposed):
        names = list(dict.fromkeys(region.path for region in event.regions))
        return f"round {event.round}: reading {', '.join(names[:3])}" + (" …" if len(names) > 3 else "")
    return None


async def preview_requests(state: ServerState, question: FrozenQuestion, factory: OracleFactory) -> Preview:
    """What would be sent to a model first, with no call made and nothing kept; to be asked in a turn. Raises what
    `Lens.ask` raises."""
    paths, rules = question.searched(factory.settings)
    known = partial(state.stores.memory, question.home, keeps=False)
    memory = await asyncio.to_thread(known)
    async with in_time(), state.pool.lent(paths, rules, factory.settings.memory) as lease:
        return await lease.call(lambda: preview(lease.lens, question.request, factory, memory=memory))


def sent_json(sent: tuple[Sent, ...], roots: tuple[str, ...]) -> list[dict[str, object]]:
    """Spans that were sent, or would be, each with the URI of its file. ``roots`` are absolute."""
    return [
        {
            "path": each.path,
            "root": each.root,
            "span": [each.span.start, each.span.end],
            "uri": uri_of(os.path.join(roots[each.root], *each.path.split("/"))),
        }
        for each in sent
    ]


async def permit_oracle(ls: LensServer, question: FrozenQuestion, progress: WorkDoneProgress) -> OracleFactory:
    """Who may judge a question; the user may be asked first. Raises `UsageError` for a model that is not configured,
    `ModelError` where the editor offers none, `ConsentMissing`."""
    factory = await choose_oracle(ls, question.request)
    destination = factory.destination
    if destination is None:
        return factory
    progress.report(f"may text be sent to {destination.endpoint}?")
    folders = await asyncio.to_thread(question.folders_to_consent, factory.settings)
    if await ls.consent.agreed(destination, folders, partial(_consent_words, ls, question, factory, folders)):
        return factory
    return replace(factory, mode=Mode.EVIDENCE, model=None)


async def choose_oracle(ls: LensServer, request: Request) -> OracleFactory:
    """What the settings and a request come to; no user is asked. Raises as `permit_oracle`, but for consent."""
    loaded = await ls.state.settings(fresh=True)
    settings, mode, model = decide(request, loaded, editor=ls.state.offers_model)
    if model is None:
        return OracleFactory(mode, settings=settings)
    if model.of_editor:
        return OracleFactory(mode, await editor_chat(ls, model), settings)
    return await asyncio.to_thread(of_endpoint, mode, settings)


async def _consent_words(
    ls: LensServer, question: FrozenQuestion, factory: OracleFactory, folders: Sequence[str]
) -> str:
    """What the user is asked: what of how much would be sent where, to begin with."""
    what = "excerpts"
    try:
        async with ls.state.turns.taken(lambda _: None):
            previewed = await preview_requests(ls.state, question, factory)
        prompts = [prompt for _, prompt in previewed.requests]
        tokens = sum(prompt.tokens for prompt in prompts)
        size = sum(len(message.text.encode("utf-8", "replace")) for prompt in prompts for message in prompt.messages)
        if excerpts := len(previewed.sent):
            what = f"{excerpts} {'excerpt' if excerpts == 1 else 'excerpts'} ({size:,} bytes, about {tokens:,} tokens)"
    except (LensError, QueueFull) as error:  # the question itself will tell
        logger.info("a prompt says no number: %s", type(error).__name__)
    named = ", ".join(map(printable_path, folders))
    return (
        f"Lens: send your question and {what} from {named} to {printable_path(str(factory.destination))}, and more as"
        " it reads on? Send holds for later questions about this workspace, too."
    )


async def editor_chat(ls: LensServer, settings: ModelSettings) -> EditorChat:
    """The model that the editor offers, asked which one it is; no text of any document is sent.

    On the server's loop; what it gives works on any. Raises `ModelError`.
    """

    async def ask(messages: tuple[Message, ...], most: int) -> EditorReply:
        return await _said(ls, settings.family, messages, most)

    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            offer = await ask((), 0)
    except TimeoutError:
        text = f"the editor did not say within {_PROBE_SECONDS:.0f} s which model it offers; ask again"
        raise ModelError(text, failure=ModelFailure.DEADLINE) from None
    return EditorChat(run_on_this_loop(ask), offer, context_tokens=settings.context_tokens)


async def _said(ls: LensServer, family: str | None, messages: tuple[Message, ...], most: int) -> EditorReply:
    told = tuple(ModelMessage(role=message.role.value, text=message.text) for message in messages)
    params = ModelParams(family=family, messages=told, max_tokens=most)
    try:
        result = await ls.protocol.inquire("lens/model", params.model_dump(by_alias=True))
        found = ModelResult.model_validate(result)
    except JsonRpcException as error:
        words = printable_line(error.message)[:_MOST_WORDS]
        raise ModelError(f"the editor's model gave no reply ({words}); choose another in the editor") from None
    except ValidationError:
        text = "the editor answered with something that is no reply of a model; update its extension"
        raise ModelError(text, failure=ModelFailure.UNREADABLE) from None
    return EditorReply(**found.model_dump())


ASK = RequestHandler(ask, AskParams)


async def find(ls: LensServer, params: FindParams) -> dict[str, object]:
    """The ranked passages, schema ``lens.evidence/2`` with locations. Raises as `find_passages`."""
    return (await find_passages(ls, params)).for_reader(params)


async def find_passages(ls: LensServer, params: FindParams, *, listed: bool = False) -> AnsweredQuestion:
    """Passages, and where ``listed`` the file that lists them. Raises `RequestFailed` when too many wait, and as
    `Lens.find`."""
    question = freeze(ls.state, params)
    with WorkDoneProgress(ls, params.work_done_token, "Lens") as progress:
        async with progress.turn():
            return await _find(ls, question, progress.from_thread(), listed=listed)


async def find_typed(ls: LensServer, params: FindParams) -> Sequence[Mapping[str, Any]]:
    """The evidence of a search for what is being typed, without progress. The search for what was typed before ends
    first, as if its request had been cancelled. Raises what `find_passages` raises."""
    state = ls.state
    if state.typed is not None:
        state.typed.cancel()
    state.typed = asyncio.current_task()
    async with state.typing:  # one after the other: they share the lens that is warm
        question = freeze(state, params)
        async with state.turns.taken(lambda _: None):
            found = (await _find(ls, question, lambda _: None, listed=False)).result
    return cast("Sequence[Mapping[str, Any]]", found["evidence"])


async def rank_passages(
    lease: WorkspaceLease, request: Request, observer: FindObserver, settings: Settings = Settings()
) -> Findings:
    """The passages that come nearest; who is cancelled tells the search to end, and the lease lasts until it has.
    Raises as `Lens.find`."""

    async def search() -> Findings:
        async with QuestionTasks() as work:
            return await work.start(
                lambda: lease.lens.find(request, observer=observer, cancelled=work.cancelled, settings=settings)
            )

    return await lease.call(search)


async def _find(
    ls: LensServer, question: FrozenQuestion, report: Callable[[str], object], *, listed: bool
) -> AnsweredQuestion:
    state = ls.state
    settings = await state.settings(fresh=True)
    paths, rules = question.searched(settings)
    async with in_time(), state.pool.lent(paths, rules, settings.memory) as lease:
        observer = SearchObserver(report)
        findings = await rank_passages(lease, question.request, observer, settings)
    nowhere = destination = AnswerDestination(None, None)
    if listed:
        folder = state.editor_options.answers
        destination = AnswerDestination(
            folder, None if folder else await asyncio.to_thread(state.stores.made, question.home), state.workspaces
        )
    answer, shape = as_answer(findings), findings_json(findings)
    look = partial(write_down, answer, shape, findings.warnings, question, state.buffers(), paths, rules, strict=True)
    return await asyncio.to_thread(look, destination if findings.evidence else nowhere)


def as_answer(findings: Findings) -> Answer:
    """Passages as an answer that claims nothing: a list of where to read on."""
    lines = [f"{n}. {' › '.join(item.heading) or item.path} [{item.n}]" for n, item in enumerate(findings.evidence, 1)]
    return Answer(
        question=findings.query,
        mode=Mode.EVIDENCE,
        intent=Intent.LOOKUP,
        seed=0,
        roots=findings.roots,
        status=Status.PARTIAL if findings.evidence else Status.UNANSWERED,
        stopped=StopReason.DIRECT,
        text="\n".join(lines) or "Nothing was found.",
        short=None,
        requirements=(),
        evidence=findings.evidence,
        computation=None,
        documents=findings.documents,
        coverage=findings.coverage,
        account=Account(),
        compression=findings.compression,
    )


FIND = RequestHandler(find, FindParams)
