"""``lens forget``: remove the texts of documents that ``--cache-extractions`` kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lens_lsp.cli import FOUND, NOTHING
from lens_lsp.cli.account import some
from lens_lsp.cli.kept_arguments import forget_parser
from lens_lsp.cli.terminal import open_output, printable_path, put, put_json, tell
from lens_lsp.corpus.extraction import cache_folder, remove_all


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What ``lens forget`` was asked for."""

    json: bool


def parse(argv: Sequence[str]) -> ForgetRequest:
    """The request behind the arguments after ``forget``; raises UsageError."""
    return ForgetRequest(forget_parser().parse_args(argv).json)


def run(request: ForgetRequest) -> int:
    """Remove them; the exit status says whether there was anything. Raises OSError."""
    open_output(machine=request.json)
    folder = cache_folder()
    gone = remove_all(folder)
    if request.json:
        put_json({"schema": "lens.forgotten-cache/1", "folder": str(folder), "removed": gone})
    elif gone:
        put(f"removed: {some(gone, 'text')} in {printable_path(str(folder))}\n")
    else:
        tell("no text of a document is kept")
    return FOUND if gone else NOTHING
