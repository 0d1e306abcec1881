"""What a command searches: the words and paths that were typed, as meant, and the settings that hold there."""

from __future__ import annotations

import os
from collections.abc import Sequence

from lens_lsp.app.configuration import HERE, load_settings
from lens_lsp.app.settings.settings import CommandLine, Settings
from lens_lsp.cli.terminal import tell
from lens_lsp.corpus.safe_open import display_path, folders_at
from lens_lsp.model.errors import PathNotFound, UsageError


def question_and_paths(words: Sequence[str], *, otherwise: str) -> tuple[str, tuple[str, ...]]:
    """The first word is the question, the rest are paths.

    Raises UsageError, with the sentence ``otherwise`` when there is no word at all.
    """
    if not words:
        raise UsageError(otherwise)
    question, *paths = words
    if "" in paths:
        raise UsageError("one of the paths is empty; leave it out to search the current folder")
    # Bytes of the terminal that are no text can never match a decoded document.
    return question.encode("utf-8", "replace").decode("utf-8"), tuple(paths)


def settled(paths: Sequence[str], command: CommandLine, *, quiet: bool, projects: bool = True) -> Settings:
    """The settings of the workspaces of the paths, in force; what is wrong with them is told. ``projects`` is as
    `load_settings` has it. Raises PathNotFound."""
    settings = load_settings(paths or (HERE,), os.environ, options=command, projects=projects)
    for notice in () if quiet else settings.notices:
        tell(notice.text)
    return settings


def roots_of(paths: Sequence[str]) -> tuple[str, ...]:
    """Where the paths of evidence start: needed before the first of it is printed."""
    return tuple(map(display_path, folders_at(paths)))


def require_current_folder(paths: Sequence[str]) -> None:
    """Raise PathNotFound if a path is relative to a current folder that is gone."""
    try:
        os.getcwd()
    except FileNotFoundError as error:
        if not paths or not all(map(os.path.isabs, paths)):
            raise PathNotFound("the current folder was deleted; change to another one") from error
