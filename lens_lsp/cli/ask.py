"""``lens ask``: one question, its events as they happen or as an answer, and an account of what was looked at."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from time import perf_counter

from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.account import nothing_found, summary, unread
from lens_lsp.cli.arguments import ask_parser, parse_mixed
from lens_lsp.cli.hearing import Hearing
from lens_lsp.cli.interrupt import Interruption
from lens_lsp.cli.render import Places, Style, fenced
from lens_lsp.cli.searching import corpus_rules, question_and_paths, require_current_folder, roots_of
from lens_lsp.cli.terminal import coloured, is_terminal, note, open_output, put, put_json, tell
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.domain.answer import Answer, Mode, Status
from lens_lsp.domain.errors import UsageError
from lens_lsp.lens import Lens
from lens_lsp.oracle.ledger import Budget

_MACHINES = ("json", "events")


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What ``lens ask`` was asked for, as meant."""

    question: str
    paths: tuple[str, ...]
    mode: Mode
    shape: str
    """``"text"``, ``"markdown"``, ``"grep"``, ``"json"`` or ``"events"``."""
    explain: bool
    quiet: bool
    seed: int
    budget: Budget
    dry_run: bool
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
    mode = _mode(options.mode, environment)
    return AskRequest(
        question=question,
        paths=paths,
        mode=mode,
        shape="json" if options.json else "events" if options.events else options.format,
        explain=options.explain,
        quiet=options.quiet,
        seed=options.seed,
        budget=_budget(mode, options),
        dry_run=options.dry_run,
        rules=corpus_rules(options),
    )


def run(request: AskRequest) -> int:
    """Ask and print; the exit status says whether the question was answered."""
    started = perf_counter()
    open_output(machine=request.shape in _MACHINES)
    require_current_folder(request.paths)
    lens = Lens(request.paths, rules=request.rules)
    if request.dry_run:
        return _dry_run(request)
    places = Places(roots_of(request.paths))
    hearing = Hearing(request.shape, places, explain=request.explain, quiet=request.quiet)
    with Interruption() as interruption:
        try:
            asyncio.run(_listen(lens, request, hearing, interruption))
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


async def _listen(lens: Lens, request: AskRequest, hearing: Hearing, interruption: Interruption) -> None:
    events = lens.ask(
        request.question,
        mode=request.mode,
        seed=request.seed,
        budget=request.budget,
        trace=request.shape == "events" and request.explain,
        observer=hearing,
        cancelled=interruption.asked,
    )
    async with aclosing(events):
        async for event in events:
            hearing.take(event)


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
    calls = sum(answer.account.calls.values())
    return f"{calls} call{'' if calls == 1 else 's'} of a model" if calls else "no model called"


def _dry_run(request: AskRequest) -> int:
    """What would be sent: with the offline rules nothing, ever."""
    if request.shape in _MACHINES:
        put_json({"schema": "lens.dry-run/1", "mode": request.mode.value, "endpoint": None, "sent": []})
    else:
        put(f"Nothing would be sent: mode {request.mode.value} calls no model.\n")
    return FOUND


def _mode(name: str, environment: Mapping[str, str]) -> Mode:
    if name in ("auto", Mode.EVIDENCE.value):
        return Mode.EVIDENCE
    missing = [variable for variable in ("LENS_BASE_URL", "LENS_MODEL") if not environment.get(variable)]
    if missing:
        raise UsageError(
            f"--mode {name} needs a model: set {' and '.join(missing)}; --mode evidence works now, without one"
        )
    raise UsageError(f"--mode {name} is not there yet, no model is called in this version; use --mode evidence")


def _budget(mode: Mode, options: argparse.Namespace) -> Budget:
    """The budget of the mode, lowered as asked: what a mode may call is its bound."""
    if options.max_cost is not None:
        raise UsageError("--max-cost needs the prices of a model, and none are set; use --max-calls or --max-tokens")
    budget = Budget.of(mode)
    if options.max_calls is not None:
        budget = replace(budget, calls=min(budget.calls, options.max_calls))
    if options.max_tokens is not None:
        budget = replace(budget, tokens=options.max_tokens)
    if options.max_seconds is not None:
        budget = replace(budget, seconds=options.max_seconds)
    return budget
