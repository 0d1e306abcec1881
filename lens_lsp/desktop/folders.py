"""What is searched, and that nothing outside of it is named or read."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence

from lens_lsp.app.configuration import read_settings
from lens_lsp.corpus.allowed import inside
from lens_lsp.corpus.extraction import LARGEST
from lens_lsp.corpus.opening import Root, Skipped
from lens_lsp.corpus.rules import CorpusRules, denied_path
from lens_lsp.corpus.snapshot import Snapshot
from lens_lsp.disk import program_outside
from lens_lsp.documents.extractor import Cancelled, Extractor
from lens_lsp.documents.kinds import Unextracted, View, kind_for
from lens_lsp.lsp.uris import UriRefused, path_of, uri_of
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


_SECONDS = 5.0
_LONGEST_QUOTE = 20_000


class Pages:
    """Draws one page at a time; the process starts with the first. Its methods wait: call them off the event loop."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._extractor = Extractor()

    def view(self, uri: str, page: int, quote: str) -> View:
        """A page, from 1, of a document that is searched, with a quote marked. Raises `Outside` where there is none."""
        try:
            kind = kind_for(path_of(uri))
        except UriRefused as why:
            raise Outside(str(why)) from None
        if kind is None or not kind.pictures:
            raise Outside("that is no document of pages")
        try:
            data = self._folders.read(uri)
            return self._extractor.view(kind, data, page, quote[:_LONGEST_QUOTE], seconds=_SECONDS)
        except (Unextracted, Cancelled) as why:
            raise Outside(f"there is no picture of it: {why}") from None

    def close(self) -> None:
        """End the process."""
        self._extractor.close()


_SHOWN_BY_SYSTEM = frozenset({"docx", "eml", "epub", "md", "odp", "ods", "odt", "pdf", "pptx", "rtf", "txt", "xlsx"})
"""Ends of names of what the system may open: documents. Scripts, programs, pages and links are none."""
Placed = Callable[[str, int, int], list[str]]
"""The arguments for a file, a line and a column."""


def _goto(path: str, line: int, column: int) -> list[str]:
    return ["--goto", f"{path}:{line}:{column}"]


def _colons(path: str, line: int, column: int) -> list[str]:
    return [f"{path}:{line}:{column}"]


def _plus(path: str, line: int, column: int) -> list[str]:
    return [f"+{line}", path]


def _plus_column(path: str, line: int, column: int) -> list[str]:
    return ["--no-wait", f"+{line}:{column}", path]


def _options(path: str, line: int, column: int) -> list[str]:
    return ["--line", str(line), "--column", str(column), path]


EDITORS: Mapping[str, Placed] = {
    "code": _goto,
    "code-insiders": _goto,
    "codium": _goto,
    "cursor": _goto,
    "emacsclient": _plus_column,
    "gedit": _plus,
    "gnome-text-editor": _plus,
    "gvim": _plus,
    "idea": _options,
    "kate": _options,
    "mvim": _plus,
    "pycharm": _options,
    "subl": _colons,
    "zed": _colons,
}
"""Editors with a window of their own, and how each is told a place. One that needs a terminal cannot be used here."""


class NoEditor(Exception):
    """Nothing here opens the file; the message says what would."""


def open_file(path: str, line: int, column: int, folders: Sequence[str], environment: Mapping[str, str]) -> str:
    """Open a file at a place; what was started. ``path`` is absolute, ``folders`` are where no program comes from.

    Raises `NoEditor`, and OSError where the program cannot be started.
    """
    command = _editor(path, line, column, folders, environment) or _system(path, folders, environment)
    if command is None:
        raise NoEditor("no editor with a window of its own is known: set VISUAL to one, such as code or gvim")
    if sys.platform == "win32" and command[0] == _WINDOWS:
        os.startfile(path)
        return _WINDOWS
    process = subprocess.Popen(
        command,
        cwd=os.path.expanduser("~"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    threading.Thread(target=process.wait, name="lens-editor", daemon=True).start()  # or its number is never free
    return os.path.basename(command[0])


_WINDOWS = "the system"


def _editor(
    path: str, line: int, column: int, folders: Sequence[str], environment: Mapping[str, str]
) -> list[str] | None:
    """The command of ``VISUAL`` or ``EDITOR`` if it has a window, else of VS Code if that is there."""
    for said in (environment.get("VISUAL"), environment.get("EDITOR"), "code"):
        words = _words(said or "")
        name = os.path.basename(words[0]).removesuffix(".exe").removesuffix(".cmd").lower() if words else ""
        program = _program(words[0], folders, environment) if name in EDITORS else None
        if program is not None:
            return [program, *words[1:], *EDITORS[name](path, line, column)]
    return None


def _words(said: str) -> list[str]:
    try:
        return shlex.split(said, posix=os.name != "nt")
    except ValueError:
        return []


def _system(path: str, folders: Sequence[str], environment: Mapping[str, str]) -> list[str] | None:
    if path.rpartition(".")[2].lower() not in _SHOWN_BY_SYSTEM:
        return None
    if sys.platform == "win32":
        return [_WINDOWS]
    program = _program("open" if sys.platform == "darwin" else "xdg-open", folders, environment)
    return None if program is None else [program, path]


def _program(name: str, folders: Sequence[str], environment: Mapping[str, str]) -> str | None:
    return program_outside(name, environment.get("PATH", ""), folders)
