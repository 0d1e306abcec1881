"""``lens ask``: one question, its events as they happen or as an answer, and an account of what was looked at."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from time import perf_counter

from lens_lsp.app.configuration import searched
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import OracleFactory, choose
from lens_lsp.app.question import answer, preview
from lens_lsp.app.request import Request
from lens_lsp.app.settings.settings import CommandLine
from lens_lsp.app.stores import Notify, StoreChoice, opened_memory, unchanged_memory
from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.account import give, sentences, some, summary
from lens_lsp.cli.arguments import ask_parser, parse_mixed
from lens_lsp.cli.hearing import Hearing
from lens_lsp.cli.interrupt import Interruption
from lens_lsp.cli.layout import rows
from lens_lsp.cli.render import Places
from lens_lsp.cli.searching import question_and_paths, require_current_folder, roots_of, settled
from lens_lsp.cli.terminal import is_terminal, open_output, tell
from lens_lsp.judge.ledger import Limits
from lens_lsp.model.answer import Answer, Event, Status
from lens_lsp.model.errors import UsageError

_MACHINES = ("json", "events")


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What ``lens ask`` was asked for, as meant."""

    request: Request
    shape: str
    """``"text"``, ``"markdown"``, ``"grep"``, ``"json"`` or ``"events"``."""
    whole: bool
    """Every passage whole, also on a terminal."""
    explain: bool
    quiet: bool
    dry_run: bool
    yes: bool
    choice: StoreChoice


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
    shape = "json" if options.json else "events" if options.events else options.format
    command = CommandLine(
        options.mode, limits, tuple(options.scope), options.no_ignore, options.cache_extractions, options.call_seconds
    )
    return AskRequest(
        request=Request(
            question,
            paths,
            options=command,
            thread=options.thread,
            seed=options.seed,
            trace=shape == "events" and options.explain,
        ),
        shape=shape,
        whole=options.all,
        explain=options.explain,
        quiet=options.quiet,
        dry_run=options.dry_run,
        yes=options.yes,
        choice=StoreChoice(options.store, off=options.no_store),
    )


def run(request: AskRequest) -> int:
    """Ask and print; the exit status says whether the question was answered."""
    started = perf_counter()
    asked, quiet = request.request, request.quiet
    open_output(machine=request.shape in _MACHINES)
    require_current_folder(asked.paths)
    settings = settled(asked.paths, asked.options, quiet=quiet)
    factory = choose(asked, settings)
    paths, rules = searched(asked, settings)
    lens = Lens(paths, rules=rules, memory=settings.memory)
    if request.dry_run:
        return _dry_run(lens, request, factory)
    if factory.destination is not None:
        from lens_lsp.cli.consent import require_consent

        require_consent(factory.destination, paths, yes=request.yes, quiet=quiet)
    hearing = Hearing(request.shape, Places(roots_of(paths)), explain=request.explain, quiet=quiet, whole=request.whole)
    with Interruption() as interruption, opened_memory(asked.paths, request.choice, _notify(request)) as memory:
        events = answer(lens, asked, factory, memory=memory, observer=hearing, stop=interruption.stop)
        try:
            asyncio.run(_listen(hearing, events))
        finally:
            hearing.bar.close()
        found = hearing.answer
        if found is None:
            raise RuntimeError("the search ended without an answer")
        seconds = perf_counter() - started
        account = _Account(request, found, seconds, interrupted=interruption.asked())
        hearing.finish(found, account.rows(hearing))
        account.give(hearing)
    if interruption.asked():
        return INTERRUPTED
    return FOUND if found.status is Status.ANSWERED else NOTHING


async def _listen(hearing: Hearing, events: AsyncGenerator[Event]) -> None:
    """Have every event heard."""
    async with aclosing(events):
        async for event in events:
            hearing.take(event)


def _notify(request: AskRequest) -> Notify:
    """Who is told of the store: nobody where the user wants to hear nothing."""
    return (lambda _: None) if request.quiet else tell


class _Account:
    """What is told of an answer beside it."""

    def __init__(self, request: AskRequest, answer: Answer, seconds: float, *, interrupted: bool) -> None:
        self._request = request
        self._answer = answer
        self._seconds = seconds
        self._interrupted = interrupted
        self._closing = f"{answer.status.value} · {summary(answer, seconds)} · {_calls(answer)}"
        shown = answer.evidence or interrupted
        self._nothing = not shown and (request.shape == "grep" or not answer.coverage.scanned)

    def rows(self, hearing: Hearing) -> int:
        """The rows it takes on a terminal."""
        if self._request.quiet or not is_terminal(sys.stderr):
            return 0
        told = sentences(
            self._answer,
            hearing.places,
            nothing=self._nothing,
            warned=hearing.trace is not None,
            quiet=self._request.quiet,
            interrupted=self._interrupted,
        )
        width = shutil.get_terminal_size().columns
        return sum(rows(line, width) for line in (*(f"lens: {one}" for one in told), self._closing))

    def give(self, hearing: Hearing) -> None:
        """Print it."""
        give(
            self._answer,
            hearing.places,
            shape=self._request.shape,
            closing=self._closing,
            explained=None if hearing.trace is None else hearing.trace.text(self._seconds),
            nothing=self._nothing,
            quiet=self._request.quiet,
            interrupted=self._interrupted,
        )


def _calls(answer: Answer) -> str:
    account = answer.account
    if account.endpoint is None:
        return "no model called"
    calls, tokens = sum(account.calls.values()), account.tokens_in + account.tokens_out
    return f"{some(calls, 'call')}, {some(tokens, 'token')}, {account.endpoint}"


def _dry_run(lens: Lens, request: AskRequest, factory: OracleFactory) -> int:
    """What would be sent; with the offline rules nothing, ever. No connection is made."""
    from lens_lsp.cli.dry_run import put_preview

    shown, asked = None, request.request
    if factory.model is not None:
        with unchanged_memory(asked.paths, request.choice, _notify(request)) as memory:
            shown = asyncio.run(preview(lens, asked, factory, memory=memory))
    put_preview(shown, factory.mode, machine=request.shape in _MACHINES)
    return FOUND
