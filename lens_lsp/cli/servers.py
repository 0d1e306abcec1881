"""Commands that start a server: ``lens serve`` for editors, ``lens mcp`` for agents, ``lens desktop`` for browsers."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import BinaryIO

from lens_lsp.cli.arguments import desktop_parser, mcp_parser, parse_mixed, serve_parser, shard_parser
from lens_lsp.cli.terminal import printable_path
from lens_lsp.model.errors import MissingExtra, PathNotFound, PathRefused


def run_serve(argv: Sequence[str]) -> int:
    """Serve one editor on standard input and output until it leaves; the exit status is that of
    docs/explanation/language-server.md. Raises `UsageError`."""
    serve_parser().parse_args(argv)
    stdin, stdout = _own_streams()
    environment = dict(os.environ)
    os.environ.pop("LENS_API_KEY", None)  # no child process and no crash report gets it
    with _no_collection():
        from lens_lsp.lsp.server import serve
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="lens: %(message)s")
    # pygls logs whole messages: at INFO always, of failed requests at ERROR.
    logging.getLogger("pygls").setLevel(logging.WARNING)
    logging.getLogger("pygls.protocol.json_rpc").setLevel(logging.CRITICAL + 1)
    status = serve(stdin, stdout, environment)
    sys.stderr.flush()
    os._exit(status)  # work on other threads is told to stop and not waited for


def run_shard(argv: Sequence[str]) -> int:
    """Answer whoever started this by ``ssh`` on standard input and output until it leaves. Raises `UsageError`."""
    shard_parser().parse_args(argv)
    requests, replies = _own_streams()
    from lens_lsp.app.shard_service import serve_shard

    serve_shard(requests, replies, os.environ)
    return 0


def run_mcp(argv: Sequence[str]) -> int:
    """Serve one agent on standard input and output until it leaves. Raises `UsageError`, and `MissingExtra` without
    the protocol's SDK."""
    options = parse_mixed(mcp_parser(), argv)
    if find_spec("mcp") is None:
        raise MissingExtra("the server for agents needs the SDK of its protocol: pip install 'lens-lsp[mcp]'")
    with _no_collection():
        from lens_lsp.mcp.agent_server import serve
        from lens_lsp.mcp.calls import required_folders
    return serve(required_folders(options.paths), use_roots=not options.no_roots)


def run_desktop(argv: Sequence[str]) -> int:
    """Serve the page until an interrupt, or until its window is closed. Raises `UsageError`, `MissingExtra`,
    `PathNotFound` and `PathRefused`."""
    options = desktop_parser().parse_args(argv)
    if any(find_spec(module) is None for module in ("starlette", "uvicorn", "tomlkit")):
        raise MissingExtra("the page needs more packages: pip install 'lens-lsp[desktop]'")
    folders = [_folder(path) for path in options.paths]
    if options.window and find_spec("webview") is None:
        raise MissingExtra("a window of its own needs another package: pip install 'lens-lsp[window]'")
    from lens_lsp.desktop.home import desktop_file, left_open
    from lens_lsp.desktop.web_server import in_browser, in_no_browser, in_window, serve

    show = in_no_browser if options.no_browser else in_window if options.window else in_browser
    opened = folders or left_open(desktop_file(), _folder(os.curdir))
    return serve(opened, options.port, show)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection while a protocol's thousand classes are made: none of them is garbage."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The client's streams, taken away from everybody else, libraries in C and child processes included: what they
    print goes to standard error, what they read is empty."""
    stdin, stdout = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(stdin, "rb"), os.fdopen(stdout, "wb")


def _folder(path: str) -> str:
    absolute = os.path.abspath(path)
    if not os.path.exists(absolute):
        raise PathNotFound(f"{printable_path(path)} does not exist; give an existing folder")
    if not os.path.isdir(absolute):
        raise PathRefused(f"{printable_path(path)} is not a folder; give the folder that it lies in")
    return absolute
