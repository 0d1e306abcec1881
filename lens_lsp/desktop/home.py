"""What `lens desktop` keeps of itself in the user's own data: its port, the folders that were opened, and those that
were open last. No workspace holds any of it, and none can say what is in it.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from lens_lsp.corpus.corpus_rules import denied_path, too_wide
from lens_lsp.memory.userdata import change_userdata, read_userdata, userdata_folder
from lens_lsp.model.lazy_dataclass import dataclass

_SCHEMA = "lens.desktop/1"
MOST_RECENT = 12
"""Folders that are remembered, the last ones."""
_MOST_LOOKED_AT = 20_000
"""Entries of a folder among which a path is completed."""
MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Remembered:
    """A folder that was opened before; ``opened`` is when, as ISO 8601 in UTC."""

    path: str
    opened: str


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """The folders that were open last, and the current folder of whoever started the program then; absolute paths."""

    started_in: str
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DesktopData:
    """What is kept; ``port`` is None before the first start."""

    port: int | None = None
    recent: tuple[Remembered, ...] = ()
    left: LeftOpen | None = None


def desktop_file() -> Path:
    """Where it is kept."""
    return userdata_folder() / "desktop.json"


def read_desktop(path: Path) -> DesktopData:
    """What the file holds: nothing where it is missing, broken or cannot be read."""
    try:
        return _parsed(read_userdata(path))
    except (OSError, ValueError):
        return DesktopData()


def keep_port(path: Path, port: int) -> None:
    """Take this port again from now on. Raises OSError."""
    _change(path, lambda data: replace(data, port=port))


def note_opened(path: Path, folders: Sequence[str]) -> None:
    """These folders (absolute paths) were opened now. Raises OSError."""
    now = datetime.now(UTC).isoformat(timespec="seconds")

    def noted(data: DesktopData) -> DesktopData:
        before = [each for each in data.recent if each.path not in folders]
        return replace(data, recent=(*(Remembered(each, now) for each in folders), *before)[:MOST_RECENT])

    _change(path, noted)


def forget_opened(path: Path, folder: str) -> None:
    """Take a folder off the list. Raises OSError."""
    _change(path, lambda data: replace(data, recent=tuple(each for each in data.recent if each.path != folder)))


def keep_open(path: Path, started_in: str, folders: Sequence[str]) -> None:
    """These folders (absolute paths) are open now. Raises OSError."""
    _change(path, lambda data: replace(data, left=LeftOpen(started_in, tuple(folders))))


def left_open(path: Path, started_in: str) -> list[str]:
    """What a start in that folder (an absolute path) opens where it names nothing: what was open the last time, if that
    was started there, too, and is there still; otherwise that folder. A whole disk or a home folder is opened only by
    its name: answers out of it cannot be checked again."""
    left = read_desktop(path).left
    before = left.folders if left is not None and left.started_in == started_in else ()
    there = [folder for folder in before if os.path.isdir(folder)]
    return there or ([] if too_wide(started_in) else [started_in])


def _change(path: Path, change: Callable[[DesktopData], DesktopData]) -> None:
    def changed(data: bytes | None) -> bytes:
        try:
            before = _parsed(data)
        except ValueError:
            before = DesktopData()
        after = change(before)
        folders = [{"path": each.path, "opened": each.opened} for each in after.recent]
        left = after.left and {"startedIn": after.left.started_in, "folders": after.left.folders}
        held = {"schema": _SCHEMA, "port": after.port, "folders": folders, "left": left}
        return json.dumps(held, indent=1).encode("ascii")

    change_userdata(path, changed)


def _parsed(data: bytes | None) -> DesktopData:
    """What a file holds. Raises ValueError for what is no such file."""
    if data is None:
        return DesktopData()
    try:
        found = json.loads(data)
        if found["schema"] != _SCHEMA:
            raise ValueError("another schema")
        port = found["port"]
        if port is not None and not (isinstance(port, int) and 0 < port < 1 << 16):
            raise ValueError("no port")
        recent = tuple(Remembered(str(each["path"]), str(each["opened"])) for each in found["folders"])
        left = found.get("left")
        if left is not None:
            left = LeftOpen(str(left["startedIn"]), tuple(map(str, left["folders"])))
        return DesktopData(port, recent, left)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError("not what the desktop keeps") from error


@dataclass(frozen=True, slots=True)
class PathChoice:
    """A path that may be meant; ``shown`` is how the user writes it, with ``~`` for the home folder if so begun."""

    shown: str
    is_folder: bool


def completions(typed: str) -> list[PathChoice]:
    """What a path that begins so may be: folders first, by name, no link, no secret; hidden names only where the dot
    was typed. Nothing but names is read."""
    written = os.path.expanduser(typed)
    if not os.path.isabs(written) or "\0" in written:
        return []
    folder, begun = os.path.split(written)
    above = typed[: len(typed) - len(begun)]
    found = [
        PathChoice(above + name, is_folder)
        for name, is_folder in _entries(folder)
        if name.casefold().startswith(begun.casefold()) and (begun.startswith(".") or not name.startswith("."))
    ]
    return sorted(found, key=lambda each: (not each.is_folder, each.shown.casefold()))[:MOST_SHOWN]


def places_of(name: str, near: Sequence[str]) -> list[PathChoice]:
    """Where something of this name lies: in the home folder, the folders in that, and beside folders that are known.

    A browser tells the name of what is dropped on it, and not its place.
    """
    if name in ("", ".", "..") or any(sign in name for sign in (os.sep, "/", "\0")):
        return []
    home = os.path.expanduser("~")
    below = [os.path.join(home, each) for each, is_folder in _entries(home) if is_folder and not each.startswith(".")]
    found: dict[str, bool] = {}
    for folder in dict.fromkeys([home, *map(os.path.dirname, near), *near, *below]):
        path = os.path.join(folder, name)
        with suppress(OSError):
            mode = os.lstat(path).st_mode
            if stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and not denied_path(name, folder)):
                found[path] = stat.S_ISDIR(mode)
    return [PathChoice(path, is_folder) for path, is_folder in found.items()][:MOST_SHOWN]


def _entries(folder: str) -> Iterator[tuple[str, bool]]:
    """Names in a folder that may be asked, and whether each is a folder; none where it cannot be read."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry, _ in zip(entries, range(_MOST_LOOKED_AT), strict=False):
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name, True
                elif entry.is_file(follow_symlinks=False) and not denied_path(entry.name, folder):
                    yield entry.name, False
