"""``lens mcp``: the server for agents on standard input and output, for a client to start."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from importlib.util import find_spec

from lens_lsp.cli.arguments import mcp_parser, parse_mixed
from lens_lsp.model.errors import MissingExtra

_INSTALL = "pip install 'lens-lsp[mcp]'"


def run(argv: Sequence[str]) -> int:
    """Serve one client until it leaves; the exit status. Raises `UsageError`, and `MissingExtra` without the SDK."""
    options, literal = parse_mixed(mcp_parser(), argv)
    if find_spec("mcp") is None:
        raise MissingExtra(f"the server for agents needs the SDK of its protocol: {_INSTALL}")
    gc.disable()  # a thousand classes are made, and none of them is garbage
    try:
        from lens_lsp.mcp.bounds import required_folders
        from lens_lsp.mcp.server import serve
    finally:
        gc.freeze()
        gc.enable()
    return serve(required_folders((*options.paths, *literal)), use_roots=not options.no_roots)
