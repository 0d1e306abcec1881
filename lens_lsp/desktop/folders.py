"""What is searched, and that nothing outside of it is named or read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from lens_lsp.app.configuration import read_settings
from lens_lsp.corpus.corpus_rules import CorpusRules, denied_path, inside
from lens_lsp.corpus.extraction import LARGEST
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.lsp.locations import UriRefused, path_of, uri_of
from lens_lsp.model.errors import PathNotFound, PathRefused


class Outside(Exception):
    """A URI names nothing that is searched; the message says why."""


class Folders:
    """The folders that were given, and those that the user's settings add to every search. Every method but the
    properties waits for the disk: call it off the event loop."""

    def __init__(self, given: Sequence[str]) -> None:
        self.given = tuple(given)
        """Absolute paths."""

    def all(self) -> tuple[str, ...]:
        """Paths of all that is searched."""
        there = [folder for folder in self.given if os.path.exists(folder)]
        return tuple(dict.fromkeys([*self.given, *read_settings(there, os.environ).extra_roots]))

    def listed(self) -> list[dict[str, object]]:
        """For the page."""
        return [{"uri": uri_of(folder), "name": os.path.basename(folder) or folder} for folder in self.all()]

    def path(self, uri: str) -> str:
        """The path, without links, of a file in one of the folders, never of a secret. Raises `Outside`."""
        real = os.path.realpath(self._path(uri))
        for folder in map(os.path.realpath, self.all()):
            if inside(real, folder) and os.path.isfile(real) and not denied_path(_relative(real, folder), folder):
                return real
        raise Outside("that is no file in a folder that is searched")

    def read(self, uri: str) -> bytes:
        """The bytes of a file in one of the folders: opened through no link, never a secret. Raises `Outside`."""
        path = self._path(uri)
        for folder in self.all():
            if inside(path, folder) and path != folder:
                return _read(folder, _relative(path, folder))
        raise Outside("that is no file in a folder that is searched")

    @staticmethod
    def _path(uri: str) -> str:
        try:
            return path_of(uri)
        except UriRefused as why:
            raise Outside(str(why)) from None


def _relative(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _read(folder: str, rel: str) -> bytes:
    try:
        with Root(folder) as root:
            return Snapshot([root], {}, CorpusRules()).content(0, rel, LARGEST)
    except Skipped as why:
        raise Outside(f"it is not read: {why.reason.value}") from None
    except (PathNotFound, PathRefused) as why:
        raise Outside(str(why)) from None
