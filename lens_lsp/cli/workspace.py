"""Which workspace a path belongs to: what is remembered for one folder holds for no other."""

from __future__ import annotations

import os
from pathlib import Path

from lens_lsp.cli.terminal import printable_path
from lens_lsp.domain.errors import PathNotFound
from lens_lsp.settings.sources import PROJECT_FILE

_MARKS = (PROJECT_FILE, ".git")


def workspace_of(path: str) -> str:
    """The nearest folder at or above ``path`` that holds ``.lens.toml`` or ``.git``, else the folder itself.

    Raises PathNotFound.
    """
    if not os.path.exists(path):
        raise PathNotFound(f"{printable_path(path)} does not exist; give an existing folder or file")
    real = os.path.realpath(path)
    folder = real if os.path.isdir(real) else os.path.dirname(real)
    for candidate in (Path(folder), *Path(folder).parents):
        if any(os.path.lexists(candidate / mark) for mark in _MARKS):
            return str(candidate)
    return folder
