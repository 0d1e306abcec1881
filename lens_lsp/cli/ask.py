"""``lens ask``: one question, its events as they happen or as an answer, and an account of what was looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from time import perf_counter
from typing import TYPE_CHECKING

from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.account import give, some, summary
from lens_lsp.cli.arguments import ask_parser, parse_mixed
from lens_lsp.cli.hearing import Hearing
from lens_lsp.cli.interrupt import Interruption
from lens_lsp.cli.knowledge import StoreChoice, opened_memory, unchanged_memory
from lens_lsp.cli.render import Places
from lens_lsp.cli.searching import HERE, question_and_paths, require_current_folder, roots_of, searched, settled
from lens_lsp.cli.terminal import open_output, tell
from lens_lsp.cli.workspace import workspace_of
from lens_lsp.domain.answer import Answer, Mode, Status
from lens_lsp.domain.errors import BudgetSpent, UsageError
from lens_lsp.domain.events import Answered, Event
from lens_lsp.domain.records import dataclass
from lens_lsp.lens import Lens
from lens_lsp.oracle.ledger import Budget, Limits
from lens_lsp.settings.advice import advised
from lens_lsp.settings.settings import CommandLine, Settings, Source

if TYPE_CHECKING:
    from lens_lsp.kept.meter import Meter
    from lens_lsp.memory import Memory
    from lens_lsp.models.openai import OpenAIChat
    from lens_lsp.oracle.base import Oracle

_MACHINES = ("json", "events")


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What ``lens ask`` was asked for, as meant."""

    question: str
    paths: tuple[str, ...]
    """None mean the current folder."""
    shape: str
    """``"text"``, ``"markdown"``, ``"grep"``, ``"json"`` or ``"events"``."""
    explain: bool
    quiet: bool
    seed: int
    dry_run: bool
    yes: bool
    command: CommandLine
    choice: StoreChoice
    thread: str | None


def parse(argv: Sequence[str]) -> AskRequest:
    """The request behind the arguments after ``ask``; raises UsageError."""
    options, literal = parse_mixed(ask_parser(), argv)
    words = [word for word in (options.question, *options.paths) if word is not None] + literal
    question, paths = question_and_paths(
        words, otherwise='what is the question? type: lens ask "your question" [PATH …]'
    )
    if options.thread is not None and options.no_store:
        raise UsageError("--thread needs the store of answers: leave out --no-store")
    limits = Limits(options.max_calls, options.max_tokens, options.max_seconds, options.max_cost)
    return AskRequest(
        question=question,
        paths=paths,
        shape="json" if options.json else "events" if options.events else options.format,
        explain=options.explain,
        quiet=options.quiet,
        seed=options.seed,
        dry_run=options.dry_run,
        yes=options.yes,
        command=CommandLine(
            options.mode,
            limits,
            tuple(options.scope),
            options.no_ignore,
            options.cache_extractions,
            options.call_seconds,
        ),
        choice=StoreChoice(options.store, off=options.no_store),
        thread=options.thread,
    )


def run(request: AskRequest) -> int:
    """Ask and print; the exit status says whether the question was answered."""
    started = perf_counter()
    open_output(machine=request.shape in _MACHINES)
    require_current_folder(request.paths)
    settings = settled(request.paths, request.command, quiet=request.quiet)
    mode, chosen = settings.seat()
    settings.require_prices(calling=chosen is not None)
    paths = searched(request.paths, settings)
    lens = Lens(paths, rules=settings.rules, memory=settings.memory)
    model = None if chosen is None else chosen.chat()
    if request.dry_run:
        return _dry_run(lens, request, settings, mode, model)
    asking = _Asking(lens, request, settings, mode)
    if model is not None:
        asking.take(model)
    places = Places(roots_of(paths))
    hearing = Hearing(request.shape, places, explain=request.explain, quiet=request.quiet)
    with Interruption() as interruption, opened_memory(paths, request.choice, quiet=request.quiet) as memory:
        try:
            asyncio.run(asking.listen(hearing, memory, interruption))
        finally:
            hearing.bar.close()
            asking.close()
        answer = hearing.answer
        if answer is None:
            raise RuntimeError("the search ended without an answer")
        hearing.finish(answer)
        _give_account(request, hearing, answer, perf_counter() - started, interrupted=interruption.asked())
    if interruption.asked():
        return INTERRUPTED
    return FOUND if answer.status is Status.ANSWERED else NOTHING


class _Asking:
    """One question on its way: who judges, and what it may still cost."""

    def __init__(self, lens: Lens, request: AskRequest, settings: Settings, mode: Mode) -> None:
        self._lens = lens
        self._request = request
        self._settings = settings
        self._mode = mode
        self._model: OpenAIChat | None = None
        self._meter: Meter | None = None
        self._budget = settings.budget(Budget.of(mode))

    def take(self, model: OpenAIChat) -> None:
        """Have a model judge. Raises `UsageError` if text may not be sent to it."""
        from lens_lsp.kept.meter import Meter
        from lens_lsp.kept.usage import usage_file

        request, settings = self._request, self._settings
        if not model.loopback:
            settings.require_sound(model.endpoint)
            _require_consent(request, model)
        if not request.quiet and settings.model.key_withheld is not None:
            tell(settings.model.key_withheld)
        self._model = model
        self._meter = Meter(usage_file(), model.endpoint, settings.model.prices)
        if settings.daily_tokens is not None:
            left = self._meter.left(settings.daily_tokens)
            self._settings = settings.lowered(Limits(tokens=left), Source.DAY)

    async def listen(self, hearing: Hearing, memory: Memory | None, interruption: Interruption) -> None:
        """Ask, and have every event heard."""
        request = self._request
        async with AsyncExitStack() as stack:
            oracle = None
            if self._model is not None:
                stack.push_async_callback(self._model.aclose)
                oracle = await self._seated(self._model, interruption, stack)
            events = self._lens.ask(
                request.question,
                mode=self._mode,
                seed=request.seed,
                budget=self._budget,
                oracle=oracle,
                trace=request.shape == "events" and request.explain,
                observer=hearing,
                cancelled=interruption.asked,
                prices=self._settings.model.prices if oracle is not None else None,
                spent=None if self._meter is None else self._meter.spent,
                memory=memory,
                thread=request.thread,
            )
            async for event in await stack.enter_async_context(aclosing(events)):
                hearing.take(self._explained(event))

    def close(self) -> None:
        """Say what could not be written down."""
        if self._meter is not None and self._meter.problem is not None and not self._request.quiet:
            tell(self._meter.problem)

    async def _seated(self, model: OpenAIChat, interruption: Interruption, stack: AsyncExitStack) -> Oracle:
        """The model as an oracle that an interrupt ends at once; the budget is what its context leaves."""
        from lens_lsp.oracle.chat import ChatOracle, budget_for
        from lens_lsp.oracle.stoppable import Stop, StoppableChat

        stop = Stop()
        stack.enter_context(interruption.telling(stop.ask))
        limits = self._settings.limits
        if 0 not in (limits.calls, limits.tokens):
            with suppress(BudgetSpent):
                async with stop.heeded():
                    await model.probe()
        self._budget = self._settings.budget(budget_for(self._mode, model.context_tokens))
        return StoppableChat(ChatOracle(model, self._mode), stop)

    def _explained(self, event: Event) -> Event:
        """An event as it is heard: where a limit ended the search, the answer says which and what to set."""
        if not isinstance(event, Answered):
            return event
        return Answered(advised(event.answer, self._settings, self._budget))


def _require_consent(request: AskRequest, model: OpenAIChat) -> None:
    from lens_lsp.cli.consent import require_consent

    workspace = workspace_of((request.paths or (HERE,))[0])
    require_consent(workspace, model.endpoint, model.name, yes=request.yes, quiet=request.quiet)


def _give_account(request: AskRequest, hearing: Hearing, answer: Answer, seconds: float, *, interrupted: bool) -> None:
    give(
        answer,
        hearing.places,
        shape=request.shape,
        closing=f"{answer.status.value} · {summary(answer, seconds)} · {_calls(answer)}",
        explained=None if hearing.trace is None else hearing.trace.text(seconds),
        nothing=not (answer.evidence or interrupted) and (request.shape == "grep" or not answer.coverage.scanned),
        quiet=request.quiet,
        interrupted=interrupted,
    )


def _calls(answer: Answer) -> str:
    account = answer.account
    if account.endpoint is None:
        return "no model called"
    calls, tokens = sum(account.calls.values()), account.tokens_in + account.tokens_out
    return f"{some(calls, 'call')}, {some(tokens, 'token')}, {account.endpoint}"


def _dry_run(lens: Lens, request: AskRequest, settings: Settings, mode: Mode, model: OpenAIChat | None) -> int:
    """What would be sent; with the offline rules nothing, ever. No connection is made."""
    from lens_lsp.cli.dry_run import put_preview

    preview = None
    if model is not None:
        from lens_lsp.oracle.chat import budget_for

        budget = settings.budget(budget_for(mode, model.context_tokens))
        with unchanged_memory(request.paths, request.choice) as memory:
            thread = None if memory is None else request.thread
            asked = lens.preview(
                request.question, model, mode=mode, budget=budget, seed=request.seed, memory=memory, thread=thread
            )
            preview = asyncio.run(asked)
    put_preview(preview, mode, machine=request.shape in _MACHINES)
    return FOUND
