"""The composition of one request: from settings to the events of a question, or to the passages that come nearest.

`ask` and `find` compose all of it. A front end that keeps a `Lens` warm or a store open, or that can ask its user for
consent, composes the same parts in the same order: `configuration.load_settings`, `oracle_factory.choose`,
`consent.unconsented`, `answer`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_lsp.app.configuration import HERE, load_settings, searched
from lens_lsp.app.lens import FindObserver, Lens
from lens_lsp.app.oracle_factory import OracleFactory, Terms, choose
from lens_lsp.app.settings import Request
from lens_lsp.memory.clusters import said
from lens_lsp.model.answer import Answer, Answered, Event, Status
from lens_lsp.model.errors import UsageError
from lens_lsp.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from lens_lsp.app.question_memory import Memory
    from lens_lsp.app.workspace_store import StoreChoice
    from lens_lsp.judge.cancellation import Stop
    from lens_lsp.judge.llm.conversation import Preview
    from lens_lsp.model.answer import Answer
    from lens_lsp.model.cluster import WrongAnswer
    from lens_lsp.model.documents import Findings


async def ask(
    request: Request,
    *,
    store: StoreChoice | None = None,
    notify: Callable[[str], object] = lambda _: None,
    observer: FindObserver | None = None,
    stop: Stop | None = None,
) -> AsyncGenerator[Event]:
    """Answer a question as ``lens ask`` does; the events, as they happen.

    Nothing of it is kept unless ``store`` says where. Consent is not asked for: text is sent to an endpoint on another
    machine where `lens ask --yes` or an editor was given it, else `ConsentMissing` is raised. ``notify`` is told, a
    sentence at a time, what is wrong with the settings and the store. Raises `UsageError`, `PathNotFound`,
    `PathRefused`.
    """
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    if request.thread is not None and store is None:
        raise UsageError("a thread needs a store, which knows its earlier questions")
    # One thread: what is closed in the end is closed behind what a cancelled question had still been opening.
    worker, stack, notices = ThreadPoolExecutor(1, "lens-ask"), ExitStack(), deque[str]()
    run = asyncio.get_running_loop().run_in_executor
    try:
        lens, factory, memory = await run(worker, _prepared, request, store, stack, notices.append)
        _tell(notices, notify)
        async with aclosing(answer(lens, request, factory, memory=memory, observer=observer, stop=stop)) as events:
            async for event in events:
                yield event
    finally:
        await run(worker, stack.close)
        worker.shutdown(wait=False)
        _tell(notices, notify)


def _prepared(
    request: Request, store: StoreChoice | None, stack: ExitStack, notify: Callable[[str], object]
) -> tuple[Lens, OracleFactory, Memory | None]:
    """What answers a request: settings are loaded, consent is looked for, and the store is opened in a ``stack``. Waits
    for the disk and for the system's keyring. Raises as `ask`."""
    from lens_lsp.app.consent import ConsentMissing, folders_of, unconsented
    from lens_lsp.app.workspace_store import StoreChoice, opened_memory

    settings = load_settings(request.paths or (HERE,), os.environ, options=request.options)
    for notice in settings.notices:
        notify(notice.text)
    factory = choose(request, settings)
    paths, rules = searched(request, settings)
    if missing := unconsented(factory.destination, folders_of(paths)):
        raise ConsentMissing.of(factory.endpoint, missing, "consent once with `lens ask --yes`")
    lens = Lens(paths, rules=rules, memory=settings.memory)
    memory = stack.enter_context(opened_memory(paths, store or StoreChoice(off=True), notify))
    return lens, factory, memory


def _tell(notices: deque[str], notify: Callable[[str], object]) -> None:
    while notices:
        notify(notices.popleft())


def find(
    request: Request,
    *,
    observer: FindObserver | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Findings:
    """The passages that come nearest to a query, as ``lens find`` gives them: no model is asked and nothing is written.

    Raises `UsageError`, `PathNotFound`, `PathRefused`.
    """
    settings = load_settings(request.paths or (HERE,), os.environ, options=request.options)
    paths, rules = searched(request, settings)
    lens = Lens(paths, rules=rules, memory=settings.memory)
    return lens.find(request, observer=observer, cancelled=cancelled, settings=settings)


async def answer(
    lens: Lens,
    request: Request,
    factory: OracleFactory,
    *,
    memory: Memory | None = None,
    observer: FindObserver | None = None,
    stop: Stop | None = None,
) -> AsyncGenerator[Event]:
    """The events of a question over a ``lens``; at the ``stop`` it ends with what was found. Raises as `Lens.ask`.

    Whether the model may be sent text was settled before. Without a ``memory`` no thread can be continued: the answer
    says so.
    """
    lost, cancelled = request.thread if memory is None else None, None if stop is None else stop.asked
    asked = request if lost is None else replace(request, thread=None)
    async with factory.terms(stop) as terms:
        events = lens.ask(asked, terms, memory=memory, observer=observer, cancelled=cancelled)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Answered):
                    answered = terms.told(event.answer)
                    event = Answered(answered if lost is None else _without_thread(answered, lost))
                yield event


async def preview(lens: Lens, request: Request, factory: OracleFactory, *, memory: Memory | None = None) -> Preview:
    """What `answer` would send to the factory's model first, with no call made. ``memory`` must keep nothing. Raises as
    `Lens.ask`."""
    from lens_lsp.judge.llm.chat_oracle import PreviewOracle
    from lens_lsp.judge.llm.conversation import Preview

    chat = factory.chat()
    oracle = PreviewOracle(chat, Preview(chat.endpoint, chat.model.name))
    asked = replace(request, thread=None) if memory is None else request
    async for _ in lens.ask(asked, Terms(factory.mode, oracle, factory.budget), memory=memory):
        pass
    return oracle.shown


def _without_thread(answer: Answer, thread: str) -> Answer:
    warning = f"the thread {thread} was not continued: what was asked in it before cannot be known without a store"
    return replace(answer, warnings=(*answer.warnings, warning))


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A wrong answer, and what its question is answered now."""

    wrong: WrongAnswer
    answer: Answer

    @property
    def given(self) -> bool:
        """Whether the wrong answer is still given."""
        same = said(self.answer.text, self.answer.short) == said(self.wrong.text, self.wrong.short)
        return same and self.answer.status is not Status.UNANSWERED


async def ask_again(wrong: WrongAnswer, request: Request, notify: Callable[[str], object]) -> AskedAgain:
    """Ask its question as the ``request`` says where and how, with nothing known and nothing kept. Raises as
    `question.ask`."""
    async for event in ask(request, notify=notify):
        if isinstance(event, Answered):
            answer = event.answer
    return AskedAgain(wrong, answer)
