"""Where a program of the user's is, never one that a searched folder brought along."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path


def program_outside(name: str, path: str, roots: Iterable[str]) -> str | None:
    """The absolute path of a program, None where there is none.

    ``name`` is looked for in the absolute folders of ``path``, as the variable PATH lists them, or is a path itself.
    What lies below one of the ``roots`` is passed over, and so is what only a link brings outside of them.
    """
    searched = [os.path.realpath(root) for root in roots]
    for folder in path.split(os.pathsep):
        if not os.path.isabs(folder) or _below(folder, searched):
            continue
        found = shutil.which(name, path=folder)
        # A relative answer is Windows' own folder of the moment, which is looked at before PATH.
        if found is not None and os.path.isabs(found) and not _below(found, searched):
            return found
    return None


def _below(path: str, folders: list[str]) -> bool:
    return any(Path(place).is_relative_to(folder) for place in (path, os.path.realpath(path)) for folder in folders)
