"""Where sources are read that an answer file names: below folders that the user gave, and nowhere else.

Whoever wrote the file may know what to ask for, so the names decide before anything is looked at: what is said of a
source elsewhere is the same whatever it holds and whether it is there or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

OUTSIDE = (
    "its source lies outside the folders that were given, so it was not looked at; give its folder, too, or name it in"
    " extraRoots of your own settings"
)
TOO_WIDE = (
    "its source was not looked at: a whole disk or a home folder is no place to look for the sources of answer files;"
    " give the folder that the source lies in"
)
UNTRUSTED = "its source was not looked at: nothing that an answer names is read in a window that is not trusted"
_HOLD_HOMES = ("/home", "/users")
_HOMES = ("/root", "/var/root")


@dataclass(frozen=True, slots=True)
class Allowed:
    """Folders that sources may lie in. ``why`` is what is said of a source elsewhere."""

    folders: tuple[tuple[str, str], ...] | None
    """The names of each, absolute and without ``..``, with the path it is opened by; None for any folder."""
    why: str = OUTSIDE

    @classmethod
    def below(cls, paths: Iterable[str]) -> Allowed:
        """The folders of this list, each by the name given and by its real name. Those above which nothing is private
        any more are left out: the whole disk, homes, what homes lie in."""
        found: dict[str, str] = {}
        why = OUTSIDE
        for path in paths:
            folder = os.path.abspath(path)
            if too_wide(folder):
                why = TOO_WIDE
            else:
                found |= {folder: folder, os.path.realpath(folder): folder}
        return cls(tuple(found.items()), why)

    def place(self, path: str) -> tuple[str, str] | None:
        """The folder around an absolute path, and the way down from it with ``/`` between its parts, empty for the
        folder itself; None for a path elsewhere. Nothing is looked at."""
        path = os.path.normpath(path)
        if self.folders is None:
            return path, ""
        around = [each for each in self.folders if inside(path, each[0])]
        if not around:
            return None
        name, folder = max(around, key=lambda each: len(each[0]))
        below = path[len(name) :].strip(os.sep)
        return folder, below.replace(os.sep, "/")


ANYWHERE = Allowed(None)
"""For citations that we keep ourselves: nobody else wrote them."""
NOWHERE = Allowed((), UNTRUSTED)
"""For windows that are not trusted."""


def inside(path: str, folder: str) -> bool:
    """Whether an absolute path is the folder or lies below it, by their names."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def too_wide(folder: str) -> bool:
    """Whether a folder, by whatever name, is the whole disk, a home folder, or one above the user's own."""
    real = os.path.realpath(folder)
    name = os.path.splitdrive(real)[1].replace(os.sep, "/").casefold()
    if name.rpartition("/")[0] in _HOLD_HOMES or name in ("", "/", *_HOLD_HOMES, *_HOMES):
        return True
    wide = {name for home in _homes() for name in _upwards(os.path.realpath(home))}
    return real in wide or any(_same(real, name) for name in wide)


def _homes() -> list[str]:
    homes = [os.path.expanduser("~")]
    try:
        import pwd

        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):  # no such table, or nobody in it
        pass
    return [home for home in homes if os.path.isabs(home)]


def _upwards(path: str) -> list[str]:
    names = [path]
    while os.path.dirname(names[-1]) != names[-1]:
        names.append(os.path.dirname(names[-1]))
    return names


def _same(one: str, other: str) -> bool:
    """Whether two paths are one folder: by letter case, or since one of them is mounted on the other."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False
