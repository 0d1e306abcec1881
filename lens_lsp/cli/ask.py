"""``lens ask``: one question, its events as they happen or as an answer, and an account of what was looked at."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.account import nothing_found, some, summary, unread
from lens_lsp.cli.arguments import ask_parser, parse_mixed
from lens_lsp.cli.configured import Configured, mode_and_model
from lens_lsp.cli.hearing import Hearing
from lens_lsp.cli.interrupt import Interruption
from lens_lsp.cli.render import Places, Style, fenced
from lens_lsp.cli.searching import corpus_rules, question_and_paths, require_current_folder, roots_of
from lens_lsp.cli.terminal import coloured, is_terminal, note, open_output, put, tell
from lens_lsp.cli.workspace import workspace_of
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.domain.answer import Answer, Mode, Status
from lens_lsp.domain.errors import BudgetSpent, UsageError
from lens_lsp.lens import Lens
from lens_lsp.oracle.ledger import Budget

if TYPE_CHECKING:
    from lens_lsp.models.openai import OpenAIChat
    from lens_lsp.oracle.base import Oracle

_MACHINES = ("json", "events")


@dataclass(frozen=True, slots=True)
class Limits:
    """What was asked to be the most; None leaves the limit of the mode."""

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def lowered(self, budget: Budget) -> Budget:
        """A budget with nothing above these limits: what a mode may call is its bound."""
        return replace(
            budget,
            calls=budget.calls if self.calls is None else min(budget.calls, self.calls),
            tokens=budget.tokens if self.tokens is None else min(budget.tokens, self.tokens),
            seconds=budget.seconds if self.seconds is None else min(budget.seconds, self.seconds),
        )


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What ``lens ask`` was asked for, as meant."""

    question: str
    paths: tuple[str, ...]
    mode: Mode
    model: Configured | None
    """Who judges and words; None leaves it to the rules."""
    shape: str
    """``"text"``, ``"markdown"``, ``"grep"``, ``"json"`` or ``"events"``."""
    explain: bool
    quiet: bool
    seed: int
    limits: Limits
    dry_run: bool
    yes: bool
    rules: CorpusRules


def parse(argv: Sequence[str], environment: Mapping[str, str] = os.environ) -> AskRequest:
    """The request behind the arguments after ``ask``; raises UsageError."""
    options, literal = parse_mixed(ask_parser(), argv)
    words = [word for word in (options.question, *options.paths) if word is not None] + literal
    question, paths = question_and_paths(
        words, otherwise='what is the question? type: lens ask "your question" [PATH …]'
    )
    if options.thread is not None:
        raise UsageError("--thread needs the store of answers, which this version does not have; leave it out")
    mode, model = mode_and_model(options.mode, environment)
    return AskRequest(
        question=question,
        paths=paths,
        mode=mode,
        model=model,
        shape="json" if options.json else "events" if options.events else options.format,
        explain=options.explain,
        quiet=options.quiet,
        seed=options.seed,
        limits=_limits(options),
        dry_run=options.dry_run,
        yes=options.yes,
        rules=corpus_rules(options),
    )


def run(request: AskRequest) -> int:
    """Ask and print; the exit status says whether the question was answered."""
    started = perf_counter()
    open_output(machine=request.shape in _MACHINES)
    require_current_folder(request.paths)
    lens = Lens(request.paths, rules=request.rules)
    model = None if request.model is None else request.model.chat()
    if request.dry_run:
        return _dry_run(lens, request, model)
    if model is not None and not model.loopback:
        _require_consent(request, model)
    places = Places(roots_of(request.paths))
    hearing = Hearing(request.shape, places, explain=request.explain, quiet=request.quiet)
    with Interruption() as interruption:
        try:
            asyncio.run(_listen(lens, request, model, hearing, interruption))
        finally:
            hearing.bar.close()
        answer = hearing.answer
        if answer is None:
            raise RuntimeError("the search ended without an answer")
        hearing.finish(answer)
        _give_account(request, hearing, answer, perf_counter() - started, interrupted=interruption.asked())
    if interruption.asked():
        return INTERRUPTED
    return FOUND if answer.status is Status.ANSWERED else NOTHING


async def _listen(
    lens: Lens, request: AskRequest, model: OpenAIChat | None, hearing: Hearing, interruption: Interruption
) -> None:
    async with AsyncExitStack() as stack:
        oracle, budget = None, Budget.of(request.mode)
        if model is not None:
            stack.push_async_callback(model.aclose)
            oracle, budget = await _seated(model, request.mode, interruption, stack)
        events = lens.ask(
            request.question,
            mode=request.mode,
            seed=request.seed,
            budget=request.limits.lowered(budget),
            oracle=oracle,
            trace=request.shape == "events" and request.explain,
            observer=hearing,
            cancelled=interruption.asked,
        )
        async for event in await stack.enter_async_context(aclosing(events)):
            hearing.take(event)


async def _seated(
    model: OpenAIChat, mode: Mode, interruption: Interruption, stack: AsyncExitStack
) -> tuple[Oracle, Budget]:
    """The model as an oracle that an interrupt ends at once, and the budget its context leaves."""
    from lens_lsp.cli.stoppable import Stop, StoppableOracle
    from lens_lsp.oracle.chat import ChatOracle, budget_for

    stop = Stop()
    stack.enter_context(stop.on(interruption))
    with suppress(BudgetSpent):
        async with stop.heeded():
            await model.probe()
    return StoppableOracle(ChatOracle(model, mode), stop), budget_for(mode, model.context_tokens)


def _require_consent(request: AskRequest, model: OpenAIChat) -> None:
    from lens_lsp.cli.consent import require_consent

    workspace = workspace_of(request.paths[0])
    require_consent(workspace, model.endpoint, model.name, yes=request.yes, quiet=request.quiet)


def _give_account(request: AskRequest, hearing: Hearing, answer: Answer, seconds: float, *, interrupted: bool) -> None:
    """Everything but the result: on standard error, save ``--explain`` where people read the result."""
    if hearing.trace is not None:
        _explain(request, hearing.trace.text(seconds))
    if interrupted:
        found = len(answer.evidence)
        tell(f"interrupted; {found} passage{'' if found == 1 else 's'} found so far")
    if request.quiet:
        return
    if not answer.evidence and (request.shape == "grep" or not answer.coverage.scanned) and not interrupted:
        tell(nothing_found(answer, hearing.places))
    elif (failed := unread(answer, hearing.places)) is not None:
        tell(failed)
    if not request.explain:
        for warning in answer.warnings:
            tell(warning)
    if is_terminal(sys.stderr):
        told = f"{answer.status.value} · {summary(answer, seconds)} · {_calls(answer)}"
        note(Style(coloured(sys.stderr, os.environ)).dim(told))


def _explain(request: AskRequest, trace: str) -> None:
    if request.shape == "markdown":
        put("\n" + fenced(trace.rstrip("\n")) + "\n")
    elif request.shape == "text":
        put(trace)
    else:
        note(trace.rstrip("\n"))


def _calls(answer: Answer) -> str:
    account = answer.account
    if account.endpoint is None:
        return "no model called"
    calls, tokens = sum(account.calls.values()), account.tokens_in + account.tokens_out
    return f"{some(calls, 'call')}, {some(tokens, 'token')}, {account.endpoint}"


def _dry_run(lens: Lens, request: AskRequest, model: OpenAIChat | None) -> int:
    """What would be sent; with the offline rules nothing, ever. No connection is made."""
    from lens_lsp.cli.dry_run import preview_of, put_nothing, put_preview

    machine = request.shape in _MACHINES
    if model is None:
        put_nothing(request.mode, machine=machine)
        return FOUND
    from lens_lsp.oracle.chat import budget_for

    budget = request.limits.lowered(budget_for(request.mode, model.context_tokens))
    preview = asyncio.run(preview_of(lens, request.question, model, request.mode, budget, seed=request.seed))
    put_preview(preview, model, request.mode, machine=machine)
    return FOUND


def _limits(options: argparse.Namespace) -> Limits:
    if options.max_cost is not None:
        raise UsageError("--max-cost needs the prices of a model, and none are set; use --max-calls or --max-tokens")
    return Limits(options.max_calls, options.max_tokens, options.max_seconds)
