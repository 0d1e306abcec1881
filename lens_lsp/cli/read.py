"""``lens read``: reads every document of some folders, so that each question finds their texts at once."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lens_lsp.app.configuration import HERE, searched
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.cli import FOUND, INTERRUPTED, NOTHING
from lens_lsp.cli.arguments import command_line, read_parser, settings_for
from lens_lsp.cli.summary import some
from lens_lsp.cli.terminal import ProgressBar, is_terminal, open_output, printable_path, put, put_json, tell
from lens_lsp.corpus.extraction import extractions, notices
from lens_lsp.corpus.workspace import ReadThrough
from lens_lsp.model.documents import Skip
from lens_lsp.model.errors import UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.schema.answer_shapes import shape

_NAMED = 20
"""Documents that are named among those that were not read; all are in the JSON."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """Shows how far the reading is."""

    bar: ProgressBar

    def progress(self, stage: str, done: int, total: int | None) -> None:
        self.bar.update(stage, done, total)


def run(argv: Sequence[str]) -> int:
    """Read; the exit status says whether anything is left that may yet be read. Raises `UsageError`."""
    options = read_parser().parse_args(argv)
    open_output(machine=options.json)
    request = Request("", tuple(options.paths), options=command_line(options))
    settings = settings_for(request.paths, request.options, quiet=options.quiet)
    if not settings.documents.stored:
        raise UsageError("documents.store is off: what is read would be forgotten; take it out of your settings")
    paths, rules = searched(request, settings)
    bar = ProgressBar(shown=is_terminal(sys.stderr) and not options.quiet)
    done = ReadThrough()
    interrupted = False
    try:
        Lens(paths or (HERE,), rules=rules, memory=settings.memory).read_through(done, _Shown(bar))
    except KeyboardInterrupt:
        interrupted = True
    finally:
        bar.close()
        extractions().flush()
    if options.json:
        put_json({"schema": "lens.read/1", **shape(done, "documents", "known", "read", "private", "left", "skipped")})
    else:
        put("".join(f"{line}\n" for line in _lines(done)))
    for said in () if options.quiet else notices(done.skipped):
        tell(said)
    if interrupted:
        tell("interrupted: what was read is kept, and `lens read` goes on from there")
        return INTERRUPTED
    return NOTHING if done.left else FOUND


def _lines(done: ReadThrough) -> list[str]:
    """What was read, and what was not and why."""
    lines = [f"{some(done.documents, 'document')}: {done.read:,} read now, {done.known:,} known before"]
    if done.private:
        lines.append(f"private, and so not kept: {done.private:,}")
    if done.left:
        lines.append(f"left to be read: {done.left:,}")
    if done.skipped:
        lines.append(f"cannot be read: {len(done.skipped):,}")
        lines += [f"  {_named(skip)}" for skip in done.skipped[:_NAMED]]
        if more := len(done.skipped) - _NAMED:
            lines += [f"  and {more:,} more: --json names all"] if more > 0 else []
    return lines


def _named(skip: Skip) -> str:
    return f"{printable_path(skip.path)} ({skip.reason.value})"
