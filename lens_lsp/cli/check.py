"""``lens check``: every citation under some paths against its source; for people, scripts and CI."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from lens_lsp import __version__
from lens_lsp.app.configuration import HERE, folder_of, workspace_of
from lens_lsp.app.workspace_store import StoreChoice, existing_store, kept_citations, workspace_for
from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.arguments import check_parser, command_line, parse_mixed, settings_for
from lens_lsp.cli.renderers import Places, Style
from lens_lsp.cli.summary import some
from lens_lsp.cli.terminal import coloured, open_output, printable, printable_path, put, put_json, tell
from lens_lsp.corpus.corpus_rules import AllowedFolders
from lens_lsp.corpus.safe_open import display_path
from lens_lsp.memory.check import Report, check
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.errors import UsageError
from lens_lsp.schema.memory_shapes import check_annotations, check_json, check_sarif, message


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options after ``check``, with the ``shape`` that is printed ("text", "json", "sarif" or "github"); raises
    `UsageError`."""
    options, literal = parse_mixed(check_parser(), argv)
    options.paths = (*options.paths, *literal) or (HERE,)
    options.shape = "json" if options.json else options.format
    if "" in options.paths:
        raise UsageError("one of the paths is empty; leave it out to check the current folder")
    return options


def run(argv: Sequence[str]) -> int:
    """Check and print; 1 when something drifted."""
    options = parse(argv)
    paths: tuple[str, ...] = options.paths
    open_output(machine=options.shape in ("json", "sarif"))
    settings = settings_for(paths, command_line(options), quiet=options.quiet)
    folders = [folder for path in paths for folder in (folder_of(path), workspace_of(path))]
    allowed = AllowedFolders.below([*folders, *settings.extra_roots])
    report = Report()
    interrupted = False
    try:
        with existing_store(paths, StoreChoice(options.store, off=options.no_store), tell) as store:
            kept = [] if store is None else kept_citations(store, workspace_for(paths))
        check(paths, report, rules=settings.rules, kept=kept, allowed=allowed)
    except KeyboardInterrupt:
        interrupted = True
    _put(report, options.shape)
    if interrupted:
        tell(f"interrupted; {some(len(report.findings), 'citation')} checked so far")
        return INTERRUPTED
    if not options.quiet and not report.understood and not report.answers and not report.unreadable:
        tell("no answer file and no block was found here, so there is nothing to check")
    return NOTHING if report.drifted(strict=options.strict) else FOUND


def _put(report: Report, shape: str) -> None:
    places = Places(())

    def shown(path: str) -> str:
        return display_path(places.of(path))

    if shape == "json":
        put_json(check_json(report, shown))
    elif shape == "sarif":
        put_json(check_sarif(report, __version__, shown))
    elif shape == "github":
        put("".join(f"{printable(line)}\n" for line in check_annotations(report, shown)))
    else:
        put(_text(report, places, Style(coloured(sys.stdout, os.environ))))


def _text(report: Report, places: Places, style: Style) -> str:
    """A line for each citation that did not stay as it was, each place that cannot be read and each private document
    with a spelling of its own, then the sum."""

    def line(where: str, number: int, what: str) -> str:
        path = style.path(printable_path(places.of(where)))
        return f"{path}:{style.number(str(number))}: {what}\n" if number else f"{path}: {what}\n"

    lines = [
        line(finding.cited.where, finding.cited.line, printable(message(finding)))
        for finding in report.findings
        if finding.checked.state is not CitationState.VERIFIED
    ]
    lines += [line(item.where, item.line, item.why) for item in report.unreadable]
    lines += [line(item.where, item.line, printable(item.message)) for item in report.understood]
    if report.answers or report.unreadable:
        counts = ", ".join(f"{count} {name}" for name, count in report.counts.items() if count)
        held = f"{some(len(report.findings), 'citation')} in {some(report.answers, 'answer')}"
        lines.append(f"{held}: {counts}\n" if counts else f"{held}\n")
    return "".join(lines)
