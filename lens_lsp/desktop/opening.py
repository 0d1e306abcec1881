"""A file in the user's own editor. Which program that is comes from the user's side alone, and what is handed to the
system to open is a document, never something that the system would run.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence

from lens_lsp.disk import program_outside

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
