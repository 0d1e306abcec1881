"""``lens find``: searches, prints each passage as it is verified, then what was looked at."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import field
from time import perf_counter
from typing import TYPE_CHECKING

from lens_lsp.app.configuration import allow_machines, searched
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request, Settings
from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.arguments import command_line, find_parser, parse_question, settings_for
from lens_lsp.cli.renderers import Places, Renderer, Style, roots_of
from lens_lsp.cli.summary import Summary, closing_line, explained_style, explanation, interruption
from lens_lsp.cli.terminal import ProgressBar, coloured, is_kept, is_terminal, open_output, put, put_json, tell
from lens_lsp.disk import is_ssh_url
from lens_lsp.model.documents import Coverage, Evidence, Findings
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.marks import closing_mark, opening_mark, stamp_of
from lens_lsp.schema.answer_shapes import findings_json

if TYPE_CHECKING:
    from lens_lsp.app.sharded_lens import ShardedLens
    from lens_lsp.corpus.corpus_rules import CorpusRules


def parse(argv: Sequence[str]) -> tuple[Request, argparse.Namespace]:
    """The request behind the arguments after ``find``, and all options with the ``shape`` that is printed ("text",
    "markdown", "grep" or "json"); raises `UsageError`."""
    otherwise = 'what should be found? type: lens find "your question" [PATH …]'
    options, query, paths = parse_question(find_parser(), argv, otherwise=otherwise)
    request = Request(query, paths, options=command_line(options), limit=options.limit, rerank=options.rerank)
    return request, options


def run(argv: Sequence[str]) -> int:
    """Search and print; the exit status as grep's."""
    started = perf_counter()
    request, options = parse(argv)
    shape: str = options.shape
    open_output(machine=shape == "json")
    settings = settings_for(request.paths, request.options, quiet=options.quiet)
    paths, rules = searched(request, settings)
    allow_machines(request, rules)
    lens = _reader(paths, rules, settings, options.parts)
    places = Places(roots_of(paths))
    style = Style(coloured(sys.stdout, os.environ))
    renderer = None if shape == "json" else Renderer(shape, places, style, request.question)
    # Passages for keeping are stamped where they do not say by themselves that they are ours.
    stamped = shape == "markdown" or (shape == "text" and is_kept(sys.stdout))
    live = _LiveResult(
        renderer=renderer,
        bar=ProgressBar(shown=is_terminal(sys.stderr) and not options.quiet),
        held=request.rerank,
        stamp=stamp_of(request.question) if stamped else None,
    )
    try:
        findings = lens.find(request, observer=live, settings=settings)
        live.finish(findings.evidence)
    except KeyboardInterrupt:
        live.finish(live.shown)
        if shape == "json":
            coverage = Coverage(found=live.scanned, scanned=live.scanned)
            warnings = ("interrupted: the search did not finish",)
            found = tuple(live.shown)
            findings = Findings(request.question, places.roots, found, (), coverage, None, warnings=warnings)
            put_json(findings_json(findings, seed=options.seed))
        tell(interruption(len(live.shown)))
        return INTERRUPTED
    finally:
        live.bar.close()
        lens.close()
    if renderer is None:
        put_json(findings_json(findings, seed=options.seed))
    seconds = perf_counter() - started
    Summary(
        findings,
        places,
        shape,
        closing=closing_line(findings, seconds) if findings.evidence else None,
        explained=explanation(findings, places, explained_style(shape), seconds) if options.explain else None,
        nothing=not findings.evidence,
        quiet=options.quiet,
    ).put()
    return FOUND if findings.evidence else NOTHING


def _reader(paths: Sequence[str], rules: CorpusRules, settings: Settings, parts: int | None) -> Lens | ShardedLens:
    """Who reads the paths: this process, where nothing else was asked for."""
    if settings.cluster is None and parts is None and not any(map(is_ssh_url, paths)):
        return Lens(paths, rules=rules, memory=settings.memory)
    from lens_lsp.app.sharded_lens import sharded  # what no lookup of one process needs

    return sharded(paths, rules, settings, parts) or Lens(paths, rules=rules, memory=settings.memory)


@dataclass(slots=True)
class _LiveResult:
    """Observer of a search: prints evidence the moment it is verified, and a progress bar until then.

    What is ``held`` waits for the order that the reader makes: what is printed cannot be taken back. ``renderer`` None
    prints nothing.
    """

    renderer: Renderer | None
    bar: ProgressBar
    held: bool
    stamp: str | None
    """The name of the stamp around what is printed; None for none."""
    shown: list[Evidence] = field(default_factory=list)
    scanned: int = 0
    unread: str = ""
    """What is said above the passages."""

    def progress(self, stage: str, done: int, total: int | None) -> None:
        if stage == "unread":
            self.unread = Coverage(0, 0, documents=total or done, unread=done).unread_told
            return
        if stage == "scan":
            self.scanned = done
        self.bar.update(stage, done, total)

    def evidence(self, item: Evidence) -> None:
        self.shown.append(item)
        if not self.held:
            self._print(item, first=len(self.shown) == 1)

    def finish(self, found: Sequence[Evidence]) -> None:
        """Print what is not printed yet of all that was found, in its order, and close the stamp."""
        printed = 0 if self.held else len(self.shown)
        self.held, self.shown = False, list(found)
        for n in range(printed, len(self.shown)):
            self._print(self.shown[n], first=n == 0)
        if self.stamp is not None and self.shown:
            put(f"{closing_mark(self.stamp)}\n")

    def _print(self, item: Evidence, *, first: bool) -> None:
        self.bar.close()
        if self.renderer is None:
            return
        if self.stamp is not None and first:
            put(f"{opening_mark(self.stamp)}\n\n")
        if first and self.unread and self.renderer.shape != "grep":
            put(f"{self.unread}\n\n")
        put(self.renderer.evidence(item))
