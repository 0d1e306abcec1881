"""``lens check``: every citation under some paths against its source; for people, scripts and CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from lens_lsp import __version__
from lens_lsp.app.configuration import HERE, folder_of, workspace_of
from lens_lsp.app.settings.settings import CommandLine
from lens_lsp.app.stores import StoreChoice, existing_store, workspace_for
from lens_lsp.app.upkeep import kept_citations
from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.account import some
from lens_lsp.cli.arguments import parse_mixed
from lens_lsp.cli.kept_arguments import check_parser
from lens_lsp.cli.render import Places, Style
from lens_lsp.cli.searching import require_current_folder, settled
from lens_lsp.cli.terminal import coloured, open_output, printable, printable_path, put, put_json, tell
from lens_lsp.corpus.corpus_rules import Allowed
from lens_lsp.corpus.safe_open import display_path
from lens_lsp.memory.checking import Report, check
from lens_lsp.model.citation import CitationState
from lens_lsp.model.errors import UsageError
from lens_lsp.schema.check import check_annotations, check_json, check_sarif, message


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What ``lens check`` was asked for, as meant."""

    paths: tuple[str, ...]
    shape: str
    """``"text"``, ``"json"``, ``"sarif"`` or ``"github"``."""
    strict: bool
    quiet: bool
    command: CommandLine
    choice: StoreChoice


def parse(argv: Sequence[str]) -> CheckRequest:
    """The request behind the arguments after ``check``; raises UsageError."""
    options, literal = parse_mixed(check_parser(), argv)
    paths = (*options.paths, *literal)
    if "" in paths:
        raise UsageError("one of the paths is empty; leave it out to check the current folder")
    return CheckRequest(
        paths=paths or (HERE,),
        shape="json" if options.json else options.format,
        strict=options.strict,
        quiet=options.quiet,
        command=CommandLine(
            scopes=tuple(options.scope), no_ignore=options.no_ignore, cache_extractions=options.cache_extractions
        ),
        choice=StoreChoice(options.store, off=options.no_store),
    )


def run(request: CheckRequest) -> int:
    """Check and print; 1 when something drifted."""
    open_output(machine=request.shape in ("json", "sarif"))
    require_current_folder(request.paths)
    settings = settled(request.paths, request.command, quiet=request.quiet)
    rules = settings.rules
    folders = [folder for path in request.paths for folder in (folder_of(path), workspace_of(path))]
    allowed = Allowed.below([*folders, *settings.extra_roots])
    report = Report()
    interrupted = False
    try:
        with existing_store(request.paths, request.choice, tell) as store:
            kept = [] if store is None else kept_citations(store, workspace_for(request.paths))
        check(request.paths, report, rules=rules, kept=kept, allowed=allowed)
    except KeyboardInterrupt:
        interrupted = True
    _put(request, report)
    if interrupted:
        tell(f"interrupted; {some(len(report.findings), 'citation')} checked so far")
        return INTERRUPTED
    if not request.quiet and not report.understood and not report.answers and not report.unreadable:
        tell("no answer file and no block was found here, so there is nothing to check")
    return NOTHING if report.drifted(strict=request.strict) else FOUND


def _put(request: CheckRequest, report: Report) -> None:
    places = Places(())

    def shown(path: str) -> str:
        return display_path(places.of(path))

    if request.shape == "json":
        put_json(check_json(report, shown))
    elif request.shape == "sarif":
        put_json(check_sarif(report, __version__, shown))
    elif request.shape == "github":
        put("".join(f"{printable(line)}\n" for line in check_annotations(report, shown)))
    else:
        put(_text(report, places, Style(coloured(sys.stdout, os.environ))))


def _text(report: Report, places: Places, style: Style) -> str:
    """A line for each citation that did not stay as it was, each place that cannot be read and each private document
    with a spelling of its own, then the sum."""
    lines = [
        f"{_place(places, finding.cited.where, finding.cited.line, style)}: {printable(message(finding))}"
        for finding in report.findings
        if finding.checked.state is not CitationState.VERIFIED
    ]
    lines += [f"{_place(places, item.where, item.line, style)}: {item.why}" for item in report.unreadable]
    lines += [
        f"{_place(places, item.where, item.line, style)}: {printable(item.message)}" for item in report.understood
    ]
    if report.answers or report.unreadable:
        lines.append(_sum(report))
    return "".join(f"{line}\n" for line in lines)


def _sum(report: Report) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in report.counts.items() if count)
    held = f"{some(len(report.findings), 'citation')} in {some(report.answers, 'answer')}"
    return f"{held}: {counts}" if counts else held


def _place(places: Places, where: str, line: int, style: Style) -> str:
    path = style.path(printable_path(places.of(where)))
    return f"{path}:{style.number(str(line))}" if line else path
