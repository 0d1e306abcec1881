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
from contextlib import suppress
from pathlib import Path

from lens_lsp.app.configuration import read_settings
from lens_lsp.corpus.corpus_rules import CorpusRules, denied_path, inside
from lens_lsp.corpus.extraction import LARGEST, recognised_page
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.desktop.home import forget_opened, keep_open, note_opened, read_desktop
from lens_lsp.disk import program_outside
from lens_lsp.documents.extractor import Cancelled, Extractor
from lens_lsp.documents.kinds import Unextracted, View, kind_for
from lens_lsp.lsp.locations import UriRefused, path_of, uri_of
from lens_lsp.model.errors import PathNotFound, PathRefused
from lens_lsp.model.sanitize import printable_path

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

    def __init__(self, given: Sequence[str], kept: Path | None = None) -> None:
        self.given = tuple(dict.fromkeys(given))
        """Absolute paths. Replaced as a whole: other threads read it."""
        self._kept = kept
        """Where the user's own data keep what was opened; None for nowhere."""
        self._changing = threading.Lock()

    def add(self, typed: str) -> tuple[str, str | None]:
        """Search a folder from now on, named as the user types it; of a file, the folder that it lies in. That folder,
        and the file. Raises `PathNotFound`, `PathRefused`."""
        path = os.path.expanduser(typed)
        if not os.path.isabs(path) or "\0" in path:
            raise PathRefused(f"{printable_path(typed)} is no whole path; begin with {os.sep} or ~")
        path = os.path.normpath(path)
        if not os.path.exists(path):
            raise PathNotFound(f"{printable_path(path)} does not exist; give an existing folder or file")
        file = None if os.path.isdir(path) else path
        folder = path if file is None else os.path.dirname(path)
        if file is not None and (not os.path.isfile(file) or denied_path(os.path.basename(file), folder)):
            raise PathRefused(f"{printable_path(file)} is no file that is read")
        with self._changing:
            self.given = tuple(dict.fromkeys([*self.given, folder]))
            self._note(folder)
        return folder, file

    def drop(self, uri: str) -> None:
        """Search a folder no more that was given or added. Raises `Outside` for another."""
        path = _path_of(uri)
        with self._changing:
            if path not in self.given:
                raise Outside("that is no folder that was opened here")
            self.given = tuple(folder for folder in self.given if folder != path)
            self._note()

    def note(self) -> None:
        """Remember what is open for the next time."""
        self._note(*self.given)

    def _note(self, *folders: str) -> None:
        if self._kept is not None:
            with suppress(OSError):  # the list of before is a convenience
                if folders:
                    note_opened(self._kept, folders)
                keep_open(self._kept, os.getcwd(), self.given)

    def forget(self, path: str) -> None:
        """Take a folder off the list of those that were opened before. Raises OSError."""
        if self._kept is not None:
            forget_opened(self._kept, path)

    def recent(self) -> list[dict[str, object]]:
        """Those that were opened before and are not now, the last first, for the page."""
        before = () if self._kept is None else read_desktop(self._kept).recent
        home = os.path.expanduser("~")
        return [
            {
                "path": path,
                "name": os.path.basename(path) or path,
                "shown": "~" + path.removeprefix(home) if path != home and inside(path, home) else path,
                "there": os.path.isdir(path),
            }
            for path in (each.path for each in before)
            if path not in self.given
        ]

    def all(self) -> tuple[str, ...]:
        """Paths of all that is searched."""
        there = [folder for folder in self.given if os.path.exists(folder)]
        return tuple(dict.fromkeys([*self.given, *read_settings(there, os.environ).extra_roots]))

    def listed(self) -> list[dict[str, object]]:
        """For the page."""
        return [
            {"uri": uri_of(folder), "name": os.path.basename(folder) or folder, "opened": folder in self.given}
            for folder in self.all()
        ]

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
