"""The folders that are searched, and their files: which may be named, pages as pictures, the user's own editor.

Nothing outside of the folders is named or read. Which program opens a file comes from the user's side alone, and what
is handed to the system to open is a document, never something that the system would run.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence

from lens_lsp.app.configuration import read_settings
from lens_lsp.corpus.corpus_rules import CorpusRules, denied_path, inside
from lens_lsp.corpus.extraction import LARGEST, recognised_page
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.disk import program_outside
from lens_lsp.documents.extractor import Cancelled, Extractor
from lens_lsp.documents.kinds import Unextracted, View, kind_for
from lens_lsp.lsp.locations import UriRefused, path_of, uri_of
from lens_lsp.model.errors import PathNotFound, PathRefused

_SHOWN_BY_SYSTEM = frozenset({"docx", "eml", "epub", "md", "odp", "ods", "odt", "pdf", "pptx", "rtf", "txt", "xlsx"})
"""Ends of names of what the system may open: documents. Scripts, programs, pages and links are none."""
_GOTO = ("--goto", "{path}:{line}:{column}")
_COLONS = ("{path}:{line}:{column}",)
_PLUS = ("+{line}", "{path}")
_OPTIONS = ("--line", "{line}", "--column", "{column}", "{path}")
EDITORS: Mapping[str, Sequence[str]] = {
    "code": _GOTO,
    "code-insiders": _GOTO,
    "codium": _GOTO,
    "cursor": _GOTO,
    "emacsclient": ("--no-wait", "+{line}:{column}", "{path}"),
    "gedit": _PLUS,
    "gnome-text-editor": _PLUS,
    "gvim": _PLUS,
    "idea": _OPTIONS,
    "kate": _OPTIONS,
    "mvim": _PLUS,
    "pycharm": _OPTIONS,
    "subl": _COLONS,
    "zed": _COLONS,
}
"""Editors with a window of their own, and how each is told a place. One that needs a terminal cannot be used here."""
_WINDOWS = "the system"
_PAGE_SECONDS = 5.0
_LONGEST_QUOTE = 20_000


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
        real = os.path.realpath(_path_of(uri))
        for folder in map(os.path.realpath, self.all()):
            if inside(real, folder) and os.path.isfile(real) and not denied_path(_relative(real, folder), folder):
                return real
        raise Outside("that is no file in a folder that is searched")

    def read(self, uri: str) -> bytes:
        """The bytes of a file in one of the folders: opened through no link, never a secret. Raises `Outside`."""
        path = _path_of(uri)
        for folder in self.all():
            if inside(path, folder) and path != folder:
                try:
                    with Root(folder) as root:
                        return Snapshot([root], {}, CorpusRules()).content(0, _relative(path, folder), LARGEST)
                except Skipped as why:
                    raise Outside(f"it is not read: {why.reason.value}") from None
                except (PathNotFound, PathRefused) as why:
                    raise Outside(str(why)) from None
        raise Outside("that is no file in a folder that is searched")


def _path_of(uri: str) -> str:
    try:
        return path_of(uri)
    except UriRefused as why:
        raise Outside(str(why)) from None


def _relative(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


class Pages:
    """Draws one page at a time; the process starts with the first. Its methods wait: call them off the event loop."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._extractor = Extractor()

    def view(self, uri: str, page: int, quote: str) -> View:
        """A page, from 1, of a document that is searched, with a quote marked. Raises `Outside` where there is none."""
        kind = kind_for(_path_of(uri))
        if kind is None or not kind.pictures:
            raise Outside("that is no document of pages")
        try:
            data, quote = self._folders.read(uri), quote[:_LONGEST_QUOTE]
            self._extractor.passwords = read_settings((), os.environ).documents.passwords
            view = self._extractor.view(kind, data, page, quote, seconds=_PAGE_SECONDS)
            if not quote or view.marks or (scanned := recognised_page(data, page)) is None:
                return view
            return self._extractor.view(kind, data, page, quote, seconds=_PAGE_SECONDS, scanned=scanned)
        except (Unextracted, Cancelled) as why:
            raise Outside(f"there is no picture of it: {why}") from None

    def close(self) -> None:
        """End the process."""
        self._extractor.close()


class NoEditor(Exception):
    """Nothing here opens the file; the message says what would."""


def open_file(path: str, line: int, column: int, folders: Sequence[str], environment: Mapping[str, str]) -> str:
    """Open a file at a place; what was started. ``path`` is absolute, ``folders`` are where no program comes from.

    Raises `NoEditor`, and OSError where the program cannot be started.
    """
    command = _editor_command(path, line, column, folders, environment) or _system_command(path, folders, environment)
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


def _editor_command(
    path: str, line: int, column: int, folders: Sequence[str], environment: Mapping[str, str]
) -> list[str] | None:
    """The command of ``VISUAL`` or ``EDITOR`` if it has a window, else of VS Code if that is there."""
    for said in (environment.get("VISUAL", ""), environment.get("EDITOR", ""), "code"):
        try:
            words = shlex.split(said, posix=os.name != "nt")
        except ValueError:
            continue
        name = os.path.basename(words[0]).removesuffix(".exe").removesuffix(".cmd").lower() if words else ""
        program = _program(words[0], folders, environment) if name in EDITORS else None
        if program is not None:
            place = (part.format(path=path, line=line, column=column) for part in EDITORS[name])
            return [program, *words[1:], *place]
    return None


def _system_command(path: str, folders: Sequence[str], environment: Mapping[str, str]) -> list[str] | None:
    if path.rpartition(".")[2].lower() not in _SHOWN_BY_SYSTEM:
        return None
    if sys.platform == "win32":
        return [_WINDOWS]
    program = _program("open" if sys.platform == "darwin" else "xdg-open", folders, environment)
    return None if program is None else [program, path]


def _program(name: str, folders: Sequence[str], environment: Mapping[str, str]) -> str | None:
    return program_outside(name, environment.get("PATH", ""), folders)
