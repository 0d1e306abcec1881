"""The commands ``lens check``, ``lens clusters`` and ``lens forget``, about what was kept on the disk."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lens_lsp import __version__
from lens_lsp.app.configuration import HERE, folder_of, workspace_of
from lens_lsp.app.settings import Request
from lens_lsp.app.workspace_store import StoreChoice, call_wrong, existing_store, kept_citations, settle, workspace_for
from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.arguments import check_parser, clusters_parser, command_line, forget_parser, parse_mixed, settings_for
from lens_lsp.cli.renderers import Places, Style
from lens_lsp.cli.summary import some
from lens_lsp.cli.terminal import coloured, open_output, printable, printable_path, put, put_json, tell
from lens_lsp.corpus.corpus_rules import AllowedFolders, CorpusRules
from lens_lsp.corpus.safe_open import display_path
from lens_lsp.disk import ORDINARY, Occupied, check_replaceable, replace_whole
from lens_lsp.memory.answer_files import cluster_markdown, exported, is_export, shortened
from lens_lsp.memory.check import Report, check, notes_below
from lens_lsp.memory.citation_records import PATH as RECORDS
from lens_lsp.memory.citation_records import add_records, records_above
from lens_lsp.memory.clusters import live
from lens_lsp.memory.store import Store
from lens_lsp.model.cluster import CitationState, Cluster, WrongAnswer
from lens_lsp.model.errors import UsageError
from lens_lsp.schema.answer_shapes import moment
from lens_lsp.schema.memory_shapes import (
    asked_again_json,
    check_annotations,
    check_json,
    check_sarif,
    clusters_json,
    message,
    wrong_json,
)

if TYPE_CHECKING:
    from lens_lsp.app.composition import AskedAgain


_SHORT = 8
"""Characters of an id that are printed."""
_LONGEST = 200
"""The most characters of an answer that are printed on one line."""
Kept = TypeVar("Kept", bound=Cluster | WrongAnswer)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options after ``clusters``: the ``action``, its ``words``, and a ``path`` in the workspace.

    Raises `UsageError`.
    """
    options = clusters_parser().parse_args(argv)
    if options.action == "forget" and bool(options.words) == options.all:
        raise UsageError("say which clusters to forget: ids from `lens clusters list`, or --all")
    return options


def run(argv: Sequence[str]) -> int:
    """Run ``lens clusters``. Returns the exit status.

    `FOUND` says that the action had something to do; of ``verify``, that every citation holds; of ``check``, that no
    wrong answer is given again. Otherwise it is `NOTHING`, or `INTERRUPTED`. Raises `UsageError`.
    """
    options = parse(argv)
    open_output(machine=options.json)
    actions = {
        "list": _list,
        "show": _show,
        "export": _export,
        "forget": _forget,
        "verify": _verify,
        "wrong": _wrong,
        "check": _check,
    }
    with existing_store((options.path,), StoreChoice(options.store), tell) as store:
        if store is None:
            tell("nothing was kept for this workspace yet; `lens ask` keeps what it proves")
            return NOTHING
        return actions[options.action](store, options)


def run_forget(argv: Sequence[str]) -> int:
    """Run ``lens forget``: remove the texts of documents that are kept.

    Returns the exit status: `FOUND` if there were any, else `NOTHING`. Raises `UsageError` and OSError.
    """
    from lens_lsp.corpus.document_store import remove
    from lens_lsp.corpus.extraction import cache_folder

    machine = forget_parser().parse_args(argv).json
    open_output(machine=machine)
    folder = cache_folder()
    gone = remove(folder)
    (folder.parent / "objects" / "objects.db").unlink(missing_ok=True)
    if machine:
        put_json({"schema": "lens.forgotten-cache/1", "folder": str(folder), "removed": gone})
    elif gone:
        put(f"removed: {some(gone, 'text')} in {printable_path(str(folder))}\n")
    else:
        tell("there is nothing to remove: no document text was kept")
    return FOUND if gone else NOTHING


def _list(store: Store, options: argparse.Namespace) -> int:
    clusters = sorted(store.clusters(), key=lambda cluster: (-cluster.used, cluster.id))
    if options.json:
        put_json(clusters_json(clusters))
    else:
        style = Style(coloured(sys.stdout, os.environ))
        put("".join(_line(cluster, style) for cluster in clusters))
    return FOUND if clusters else NOTHING


def _line(cluster: Cluster, style: Style) -> str:
    facts = some(len(live(cluster)), "fact")
    state = "archived" if cluster.archived else facts
    told = f"{state}, used again {some(cluster.hits, 'time')}, last {moment(cluster.used)[:10]}"
    return f"{style.number(cluster.id[:_SHORT])}  {printable(' '.join(cluster.title.split()))}  {style.dim(told)}\n"


def _show(store: Store, options: argparse.Namespace) -> int:
    chosen = _named(store.clusters(), options.words)
    if options.json:
        put_json(clusters_json(chosen))
        return FOUND
    titles = {cluster.id: cluster.title for cluster in store.clusters()}
    put("\n".join(cluster_markdown(cluster, titles) for cluster in chosen))
    return FOUND


def _export(store: Store, options: argparse.Namespace) -> int:
    """Write a page for each cluster, a JSON file of all clusters and their graph to a folder.

    Only files of an earlier export are replaced; with ``--force``, any file. Raises `UsageError`.
    """
    (place,) = options.words
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    clusters = store.clusters()
    files = exported(clusters, clusters_json(clusters))
    made = (lambda _: True) if options.force else is_export
    try:
        for name in files:  # check all of them before the first is written
            check_replaceable(folder / name, made)
        for name, text in files.items():
            replace_whole(folder / name, text.encode("utf-8"), ORDINARY, made=made)
    except Occupied as error:
        more = ", or write over it with --force" if error.plain else ""
        raise UsageError(f"{printable_path(str(error.filename))}: {error.strerror}{more}") from error
    tell(f"{some(len(clusters), 'cluster')} exported to {printable_path(str(folder))}")
    return FOUND


def _forget(store: Store, options: argparse.Namespace) -> int:
    kept: list[Cluster | WrongAnswer] = [*store.clusters(), *store.wrong()]
    chosen = kept if options.all else _named(kept, options.words)
    gone = store.forget(each.id for each in chosen)
    if options.json:
        shape = {"clusters": list(gone.clusters), "files": list(gone.files), "wrong": list(gone.wrong)}
        put_json({"schema": "lens.forgotten/1", **shape})
    else:
        names = (each.title if isinstance(each, Cluster) else f"the check of {each.question}" for each in chosen)
        put("".join(f"forgotten: {printable(name)}\n" for name in names))
    return FOUND if gone.clusters or gone.wrong else NOTHING


def _verify(store: Store, options: argparse.Namespace) -> int:
    """Check the citations of all live facts, keep the results, and print each citation that is not verified."""
    workspace = workspace_for((options.path,))
    report = Report()
    check((), report, kept=kept_citations(store, workspace))
    settle(store, report.findings)
    if options.json:
        put_json(check_json(report, str))
    else:
        drifted = (finding for finding in report.findings if finding.checked.state.value != "verified")
        put("".join(f"{printable(finding.cited.where)}: {printable(message(finding))}\n" for finding in drifted))
        counts = ", ".join(f"{count} {state}" for state, count in report.counts.items() if count)
        put(f"{some(len(report.findings), 'citation')}{': ' if counts else ''}{counts}\n")
        if counts:
            put("(verified: the quote stands in its source; whether the answer is right was not checked)\n")
    return NOTHING if report.drifted(strict=False) else FOUND


def _wrong(store: Store, options: argparse.Namespace) -> int:
    """Withdraw clusters whose answers are wrong, and keep each wrong answer as a check for ``_check``."""
    wrong = call_wrong(store, [cluster.id for cluster in _named(store.clusters(), options.words)])
    if options.json:
        put_json(wrong_json(wrong))
    else:
        put("".join(f"withdrawn, and kept as a check: {printable(each.question)}\n" for each in wrong))
    return FOUND if wrong else NOTHING


def _check(store: Store, options: argparse.Namespace) -> int:
    """Ask the questions of wrong answers again, one after the other, and print whether each is still answered wrong."""
    import asyncio  # only this action needs it, and the whole engine

    from lens_lsp.app.composition import ask_again

    wrong = store.wrong()
    asked: list[AskedAgain] = []
    interrupted = False
    try:
        for each in wrong:
            again = Request(each.question, (workspace_for((options.path,)),), mode=options.mode)
            asked.append(asyncio.run(ask_again(each, again, tell)))
            if not options.json:
                put(_asked_again(asked[-1]))
    except KeyboardInterrupt:
        interrupted = True
    given = sum(each.given for each in asked)
    if options.json:
        put_json(asked_again_json([(each.wrong, each.answer, each.given) for each in asked]))
    else:
        put(f"{some(len(asked), 'check')}: {given} still wrong\n")
    if interrupted:
        tell(f"interrupted; {len(asked)} of {some(len(wrong), 'check')} asked")
        return INTERRUPTED
    return NOTHING if given else FOUND


def _asked_again(again: AskedAgain) -> str:
    wrong, answer = again.wrong, again.answer
    now = " ".join((answer.short or answer.text).split())
    told = "still wrong" if again.given else answer.status.value
    question = printable(" ".join(wrong.question.split()))
    return f"{wrong.id[:_SHORT]}  {told}: {question} {printable(now)[:_LONGEST]}\n"


def _named(kept: Sequence[Kept], ids: Sequence[str]) -> list[Kept]:
    """The item whose id begins with each of ``ids``, in that order.

    Raises `UsageError` where no item, or more than one, has such an id.
    """
    chosen: list[Kept] = []
    for wanted in ids:
        found = [each for each in kept if wanted and each.id.startswith(wanted.lower())]
        if len(found) != 1:
            who = "no cluster has" if not found else "several clusters have"
            raise UsageError(f"{who} an id that begins with {printable(wanted)!r}; `lens clusters list` shows the ids")
        chosen += found
    return chosen


def parse_check(argv: Sequence[str]) -> argparse.Namespace:
    """The options after ``check``; ``shape`` is the output format: "text", "json", "sarif" or "github".

    Raises `UsageError`.
    """
    options = parse_mixed(check_parser(), argv)
    options.paths = options.paths or (HERE,)
    if "" in options.paths:
        raise UsageError("one of the paths is empty; leave it out to check the current folder")
    return options


def run_check(argv: Sequence[str]) -> int:
    """Run ``lens check``: check the citations under some paths and print the report.

    Returns the exit status: `NOTHING` (1) if something drifted, `INTERRUPTED` (130) if stopped, else `FOUND` (0).
    Raises `UsageError`.
    """
    options = parse_check(argv)
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
        if options.shorten:
            _shorten(paths, settings.rules)
        check(paths, report, rules=settings.rules, kept=kept, allowed=allowed)
    except KeyboardInterrupt:
        interrupted = True
    _put_report(report, options.shape)
    if interrupted:
        tell(f"interrupted; {some(len(report.findings), 'citation')} checked so far")
        return INTERRUPTED
    if not options.quiet and not report.understood and not report.answers and not report.unreadable:
        tell("there is nothing to check: no answer file and no inserted answer was found here")
    return NOTHING if report.drifted(strict=options.strict) else FOUND


def _shorten(paths: Sequence[str], rules: CorpusRules) -> None:
    """Write the blocks of earlier versions in notes in the short form, and their records first: a note is never without
    what checks it."""
    for path, text in notes_below(paths, rules):
        known = records_above(os.path.dirname(path))
        root = known.folder if known is not None else workspace_of(path)
        short = shortened(text, os.path.dirname(path), root, {} if known is None else known.by_id)
        if short.text == text:
            continue
        try:
            if known is None:
                tell(f"what checks the citations is kept in {os.path.join(root, *RECORDS.split('/'))}: commit it")
            add_records(root, short.records)
            replace_whole(Path(path), short.text.encode("utf-8"), ORDINARY)
        except (OSError, UnicodeEncodeError) as error:
            tell(f"{display_path(path)} was not shortened: {getattr(error, 'strerror', None) or error}")
        else:
            tell(f"{display_path(path)}: {some(len(short.records), 'citation')} shortened")


def _put_report(report: Report, shape: str) -> None:
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
        put(_report_text(report, places, Style(coloured(sys.stdout, os.environ))))


def _report_text(report: Report, places: Places, style: Style) -> str:
    """The report as text: a line for each item, then the counts.

    The items are citations that are not verified, places that cannot be read, and documents whose mark
    ``lens: private`` is spelled in another way.
    """

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
