"""Settings of a question: read from everybody who has a say, and put in force. Every function waits for the disk."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lens_lsp.app.settings.loading import settings_of
from lens_lsp.app.settings.settings import CommandLine, Settings
from lens_lsp.app.settings.sources import PROJECT_FILE, Notice
from lens_lsp.corpus.extraction import use_for_documents
from lens_lsp.model.errors import PathNotFound
from lens_lsp.model.sanitize import printable_path

if TYPE_CHECKING:
    from lens_lsp.app.request import Request
    from lens_lsp.corpus.rules import CorpusRules

HERE = "."
"""What is searched where no path is given."""
_MARKS = (PROJECT_FILE, ".git")


def workspace_of(path: str) -> str:
    """The nearest folder at or above ``path`` that holds ``.lens.toml`` or ``.git``, else the folder itself; a real
    path. Raises `PathNotFound`."""
    if not os.path.exists(path):
        raise PathNotFound(f"{printable_path(path)} does not exist; give an existing folder or file")
    folder = folder_of(path)
    for candidate in (Path(folder), *Path(folder).parents):
        if any(os.path.lexists(candidate / mark) for mark in _MARKS):
            return str(candidate)
    return folder


def workspaces_of(paths: Sequence[str]) -> tuple[str, ...]:
    """The workspaces of those of some paths that exist, each once. Raises `PathNotFound` where none of them does."""
    found = [path for path in paths if os.path.exists(path)]
    if len(paths) > 1 and not found:
        named = ", ".join(map(printable_path, paths))
        raise PathNotFound(f"none of these paths exists: {named}; give an existing folder or file")
    return tuple(dict.fromkeys(map(workspace_of, found or paths)))


def folder_of(path: str) -> str:
    """The real path of a folder, or of the folder that a file lies in."""
    real = os.path.realpath(path)
    return real if os.path.isdir(real) else os.path.dirname(real)


def read_settings(
    paths: Sequence[str],
    environment: Mapping[str, str],
    *,
    options: CommandLine = CommandLine(),
    client: Mapping[str, object] | None = None,
    projects: bool = True,
) -> Settings:
    """What holds for the workspaces of some paths; nothing is put in force. ``client`` is what an editor sent;
    ``projects`` says whether the workspaces' own files of settings count.

    A path that does not exist has no say. Raises `PathNotFound` where none exists.
    """
    workspaces = workspaces_of(paths) if projects else ()
    return settings_of(workspaces, environment, command=options, client=client)


def load_settings(
    paths: Sequence[str],
    environment: Mapping[str, str],
    *,
    options: CommandLine = CommandLine(),
    client: Mapping[str, object] | None = None,
    projects: bool = True,
) -> Settings:
    """The same, with how documents are read in force in this process; what of that cannot be is among the notices."""
    settings = read_settings(paths, environment, options=options, client=client, projects=projects)
    problem = use_for_documents(settings.documents, (*paths, *settings.extra_roots))
    return settings if problem is None else replace(settings, notices=(*settings.notices, Notice(problem)))


def searched(
    request: Request, settings: Settings, here: Sequence[str] = (HERE,)
) -> tuple[tuple[str, ...], CorpusRules]:
    """The paths that a request is asked of, and what of them is looked at. ``here`` is what is searched, with what the
    user always searches beside it, where the request names no path."""
    rules = replace(settings.rules, scopes=request.globs) if request.globs else settings.rules
    return request.paths or (*here, *settings.extra_roots), rules
