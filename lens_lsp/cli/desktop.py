"""``lens desktop``: the page for people without an editor open."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from importlib.util import find_spec

from lens_lsp.cli.arguments import desktop_parser
from lens_lsp.cli.terminal import printable_path
from lens_lsp.model.errors import MissingExtra, PathNotFound, PathRefused

_NEEDED = ("starlette", "uvicorn", "tomlkit")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """What was typed. Raises `UsageError`."""
    return desktop_parser().parse_args(argv)


def run(typed: argparse.Namespace) -> int:
    """Serve the page until an interrupt, or until its window is closed; the exit status."""
    if any(find_spec(module) is None for module in _NEEDED):
        raise MissingExtra("the page needs more packages: pip install 'lens-lsp[desktop]'")
    folders = [_folder(path) for path in typed.paths or [os.curdir]]
    if typed.window and find_spec("webview") is None:
        raise MissingExtra("a window of its own needs another package: pip install 'lens-lsp[window]'")
    from lens_lsp.desktop import serving

    show = serving.in_no_browser if typed.no_browser else serving.in_window if typed.window else serving.in_browser
    return serving.serve(folders, typed.port, show)


def _folder(path: str) -> str:
    absolute = os.path.abspath(path)
    if not os.path.exists(absolute):
        raise PathNotFound(f"{printable_path(path)} does not exist; give an existing folder")
    if not os.path.isdir(absolute):
        raise PathRefused(f"{printable_path(path)} is not a folder; give the folder that it lies in")
    return absolute
