"""``lens find``: search, print each passage as it is verified, give account of what was looked at."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from lens_lsp.app.configuration import searched
from lens_lsp.app.lens import Lens
from lens_lsp.app.request import Request
from lens_lsp.app.settings.settings import CommandLine
from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.account import explained_style, explanation, give, interruption, summary
from lens_lsp.cli.arguments import find_parser, parse_mixed
from lens_lsp.cli.progress import ProgressBar
from lens_lsp.cli.render import GrepRenderer, MarkdownRenderer, Places, Renderer, Style, TextRenderer
from lens_lsp.cli.searching import question_and_paths, require_current_folder, roots_of, settled
from lens_lsp.cli.terminal import coloured, is_kept, is_terminal, open_output, put, put_json, tell
from lens_lsp.model.documents import Coverage, Evidence, Findings
from lens_lsp.model.marks import closing_mark, opening_mark, stamp_of
from lens_lsp.schema import findings_json


@dataclass(frozen=True, slots=True)
class FindRequest:
    """What ``lens find`` was asked for, as meant."""

    request: Request
    shape: str
    """``"text"``, ``"markdown"``, ``"grep"`` or ``"json"``."""
    explain: bool
    quiet: bool
    seed: int | None


def parse(argv: Sequence[str]) -> FindRequest:
    """The request behind the arguments after ``find``; raises UsageError."""
    options, literal = parse_mixed(find_parser(), argv)
    words = [word for word in (options.query, *options.paths) if word is not None] + literal
    query, paths = question_and_paths(words, otherwise='what should be found? type: lens find "your question" [PATH …]')
    command = CommandLine(
        scopes=tuple(options.scope), no_ignore=options.no_ignore, cache_extractions=options.cache_extractions
    )
    return FindRequest(
        request=Request(query, paths, options=command, limit=options.limit, rerank=options.rerank),
        shape="json" if options.json else options.format,
        explain=options.explain,
        quiet=options.quiet,
        seed=options.seed,
    )


def run(request: FindRequest) -> int:
    """Search and print; the exit status as grep's."""
    started = perf_counter()
    asked = request.request
    open_output(machine=request.shape == "json")
    require_current_folder(asked.paths)
    settings = settled(asked.paths, asked.options, quiet=request.quiet)
    paths, rules = searched(asked, settings)
    lens = Lens(paths, rules=rules, memory=settings.memory)
    roots = roots_of(paths)
    places = Places(roots)
    renderer = _renderer(request, places)
    stamp = stamp_of(asked.question) if _is_stamped(request.shape) else None
    live = _LiveResult(
        show=None if renderer is None else lambda item: put(renderer.evidence(item)),
        bar=ProgressBar(shown=is_terminal(sys.stderr) and not request.quiet),
        held=asked.rerank,
        stamp=stamp,
    )
    try:
        findings = lens.find(asked, observer=live, settings=settings)
        live.rest(findings)
        live.finish()
    except KeyboardInterrupt:
        return _interrupted(request, roots, live)
    finally:
        live.bar.close()
    if renderer is None:
        put_json(findings_json(findings, seed=request.seed))
    _give_account(request, findings, places, perf_counter() - started)
    return FOUND if findings.evidence else NOTHING


@dataclass(slots=True)
class _LiveResult:
    """Observes a search: shows evidence the moment it is verified, and progress until then. Where it is ``held``, it is
    shown in the order that the reader makes: what is printed cannot be taken back."""

    show: Callable[[Evidence], None] | None
    bar: ProgressBar
    held: bool
    stamp: str | None = None
    """The name of the stamp on what is shown; None for none."""
    shown: list[Evidence] = field(default_factory=list)
    scanned: int = 0

    def progress(self, stage: str, done: int, total: int | None) -> None:
        if stage == "scan":
            self.scanned = done
        self.bar.update(stage, done, total)

    def evidence(self, item: Evidence) -> None:
        self.shown.append(item)
        if self.held:
            return
        self.bar.close()
        if self.show is not None:
            if self.stamp is not None and len(self.shown) == 1:
                put(f"{opening_mark(self.stamp)}\n\n")
            self.show(item)

    def rest(self, findings: Findings) -> None:
        """Show what the search found without announcing it, and in its order what was held."""
        if self.held:
            self.shown.clear()
            self.held = False
        for item in findings.evidence[len(self.shown) :]:
            self.evidence(item)

    def finish(self) -> None:
        """Close the stamp, if anything was shown."""
        if self.stamp is not None and self.shown and not self.held:
            put(f"{closing_mark(self.stamp)}\n")

    def let_go(self) -> None:
        """Show what was held, as it came."""
        if self.held:
            self.held, shown, self.shown = False, self.shown, []
            for item in shown:
                self.evidence(item)


def _interrupted(request: FindRequest, roots: Sequence[str], live: _LiveResult) -> int:
    """Print what was found so far where it is not printed yet."""
    live.let_go()
    live.finish()
    if request.shape == "json":
        coverage = Coverage(found=live.scanned, scanned=live.scanned)
        warning = "interrupted: the search did not finish"
        found = Findings(
            request.request.question, tuple(roots), tuple(live.shown), (), coverage, None, warnings=(warning,)
        )
        put_json(findings_json(found, seed=request.seed))
    tell(interruption(len(live.shown)))
    return INTERRUPTED


def _give_account(request: FindRequest, findings: Findings, places: Places, seconds: float) -> None:
    explained = explanation(findings, places, explained_style(request.shape), seconds) if request.explain else None
    give(
        findings,
        places,
        shape=request.shape,
        closing=summary(findings, seconds) if findings.evidence else None,
        explained=explained,
        nothing=not findings.evidence,
        quiet=request.quiet,
    )


def _is_stamped(shape: str) -> bool:
    """Whether passages in this shape are for keeping and do not say by themselves that they are ours."""
    return shape == "markdown" or (shape == "text" and is_kept(sys.stdout))


def _renderer(request: FindRequest, places: Places) -> Renderer | None:
    style = Style(coloured(sys.stdout, os.environ))
    if request.shape == "text":
        return TextRenderer(places, style, request.request.question)
    if request.shape == "grep":
        return GrepRenderer(places, style, request.request.question)
    return MarkdownRenderer(places) if request.shape == "markdown" else None
