"""``lens ask``: asks one question, prints its events or its answer, then what was looked at."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from threading import current_thread, main_thread
from time import perf_counter
from typing import TYPE_CHECKING

from lens_lsp.app.composition import answer, preview
from lens_lsp.app.configuration import allow_machines, searched
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import choose
from lens_lsp.app.settings import Request
from lens_lsp.app.workspace_store import Notify, StoreChoice, opened_memory, unchanged_memory
from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.answer_printer import AnswerPrinter
from lens_lsp.cli.arguments import ask_parser, command_line, parse_question, settings_for
from lens_lsp.cli.renderers import Places, roots_of, rows
from lens_lsp.cli.summary import Summary, closing_line, some
from lens_lsp.cli.terminal import is_terminal, open_output, printable, printable_path, put, put_json, tell
from lens_lsp.judge.cancellation import Stop
from lens_lsp.model.answer import Answer, Event, Mode, Status
from lens_lsp.model.errors import UsageError
from lens_lsp.schema.answer_shapes import preview_json

if TYPE_CHECKING:
    from lens_lsp.judge.llm.conversation import Preview


_LATER = "What follows depends on the replies: more passages in further rounds, and the proof to word the answer from."


def parse(argv: Sequence[str]) -> tuple[Request, argparse.Namespace]:
    """The request behind the arguments after ``ask``, and all options with the ``shape`` that is printed ("text",
    "markdown", "grep", "json" or "events"); raises `UsageError`."""
    otherwise = 'what is the question? type: lens ask "your question" [PATH …]'
    options, question, paths = parse_question(ask_parser(), argv, otherwise=otherwise)
    if options.thread is not None and options.no_store:
        raise UsageError("--thread needs the store of answers: leave out --no-store")
    trace = options.shape == "events" and options.explain
    command = command_line(options)
    request = Request(question, paths, options=command, thread=options.thread, seed=options.seed, trace=trace)
    return request, options


def run(argv: Sequence[str]) -> int:
    """Ask and print; the exit status says whether the question was answered."""
    started = perf_counter()
    request, options = parse(argv)
    machine, quiet = options.shape in ("json", "events"), options.quiet
    open_output(machine=machine)
    settings = settings_for(request.paths, request.options, quiet=quiet)
    factory = choose(request, settings)
    paths, rules = searched(request, settings)
    allow_machines(request, rules)
    lens = Lens(paths, rules=rules, memory=settings.memory)
    choice = StoreChoice(options.store, off=options.no_store)
    notify: Notify = (lambda _: None) if quiet else tell
    if options.dry_run:  # no connection is made; with the offline rules nothing would be sent, ever
        shown = None
        if factory.model is not None:
            with unchanged_memory(request.paths, choice, notify) as memory:
                shown = asyncio.run(preview(lens, request, factory, memory=memory))
        _put_preview(shown, factory.mode, machine=machine)
        return FOUND
    if factory.destination is not None:
        from lens_lsp.cli.consent import require_consent

        require_consent(factory.destination, paths, yes=options.yes, quiet=quiet)
    places = Places(roots_of(paths))
    printer = AnswerPrinter(options.shape, places, explain=options.explain, quiet=quiet, whole=options.all)
    stop = Stop()
    with interrupts(stop), opened_memory(request.paths, choice, notify) as memory:
        events = answer(lens, request, factory, memory=memory, observer=printer, stop=stop)
        try:
            asyncio.run(_listen(printer, events))
        finally:
            printer.bar.close()
        found = printer.answer
        if found is None:
            raise RuntimeError("the search ended without an answer")
        _finish(printer, found, options.shape, perf_counter() - started, quiet=quiet, interrupted=stop.asked())
    if stop.asked():
        return INTERRUPTED
    return FOUND if found.status is Status.ANSWERED else NOTHING


async def _listen(printer: AnswerPrinter, events: AsyncGenerator[Event]) -> None:
    async with aclosing(events):
        async for event in events:
            printer.take(event)


def _finish(
    printer: AnswerPrinter, found: Answer, shape: str, seconds: float, *, quiet: bool, interrupted: bool
) -> None:
    """Print the answer, and the summary below it."""
    shown = found.evidence or interrupted
    summary = Summary(
        found,
        printer.places,
        shape,
        closing=f"{found.status.value} · {closing_line(found, seconds)} · {_calls(found)}",
        explained=None if printer.trace is None else printer.trace.text(seconds),
        nothing=not shown and (shape == "grep" or not found.coverage.scanned),
        quiet=quiet,
        interrupted=interrupted,
    )
    below = 0
    if is_terminal(sys.stderr) and not quiet:
        lines = (*(f"lens: {sentence}" for sentence in summary.sentences()), summary.closing or "")
        width = shutil.get_terminal_size().columns
        below = sum(rows(line, width) for line in lines)
    printer.finish(found, below)
    summary.put()


def _calls(found: Answer) -> str:
    account = found.account
    if account.endpoint is None:
        return "no model called"
    calls, tokens = sum(account.calls.values()), account.tokens_in + account.tokens_out
    return f"{some(calls, 'call')}, {some(tokens, 'token')}, {account.endpoint}"


@contextmanager
def interrupts(stop: Stop) -> Iterator[None]:
    """While entered, the first Ctrl-C asks the search to stop and keep what it has, the second leaves at once.

    Does nothing outside the main thread, which gets no signals.
    """
    if current_thread() is not main_thread():
        yield
        return
    # asyncio puts its own handler in place of Python's, and of no other.
    before = signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED) if stop.asked() else stop.ask())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _put_preview(shown: Preview | None, mode: Mode, *, machine: bool) -> None:
    """Print the requests that a model would get, and the spans of documents that are in them; None: nothing is sent."""
    if machine:
        put_json(preview_json(shown, mode))
        return
    if shown is None:
        put(f"Nothing would be sent: mode {mode.value} calls no model.\n")
        return
    lines = [
        f"Nothing was sent. In mode {mode.value}, {shown.endpoint} (model {printable_path(shown.model)}) would get:"
    ]
    for number, (stage, prompt) in enumerate(shown.requests, 1):
        lines += ["", f"Request {number}: {stage.value}, about {some(prompt.tokens, 'token')}"]
        for message in prompt.messages:
            lines += [f"  {message.role.value}:", *(f"    {line}" for line in printable(message.text).split("\n"))]
    lines += ["", f"Of documents, {some(len(shown.sent), 'span')} (code points):"]
    lines += [f"  {printable_path(each.path)} {each.span.start}–{each.span.end}" for each in shown.sent]
    put("\n".join([*lines, "", _LATER]) + "\n")
