"""``lens serve``: the language server on standard input and output, for an editor to start."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Sequence
from typing import BinaryIO

from lens_lsp.cli.arguments import serve_parser

_KEY = "LENS_API_KEY"


def run(argv: Sequence[str]) -> int:
    """Serve one client until it leaves; the exit status (docs/explanation/language-server.md). Raises `UsageError`."""
    serve_parser().parse_args(argv)
    stdin, stdout = _streams()
    environment = dict(os.environ)
    os.environ.pop(_KEY, None)  # no child process and no crash report gets it
    gc.disable()  # a thousand classes are made, and none of them is garbage
    try:
        from lens_lsp.lsp.server import serve
    finally:
        gc.freeze()
        gc.enable()
    _log()
    status = serve(stdin, stdout, environment)
    sys.stderr.flush()
    os._exit(status)  # work on other threads is told to stop and not waited for


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The client's streams for us alone: whatever else is printed goes to standard error, whatever reads finds nothing.

    That holds for libraries in C and for child processes, too.
    """
    stdin, stdout = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(stdin, "rb"), os.fdopen(stdout, "wb")


def _log() -> None:
    """Warnings on standard error. pygls logs whole messages: at INFO always, of failed requests at ERROR."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="lens: %(message)s")
    logging.getLogger("pygls").setLevel(logging.WARNING)
    logging.getLogger("pygls.protocol.json_rpc").setLevel(logging.CRITICAL + 1)
