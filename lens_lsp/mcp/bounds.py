"""Where an agent may look: in the roots that its client names, in the folders that the command line names, in both of
them where both do."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.uris import UriRefused, path_of
from lens_lsp.model.errors import PathRefused, UsageError
from lens_lsp.model.inert import printable_path


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that may be read; ``real`` is its path without links."""

    path: str
    real: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """The folders of one moment. Nothing outside of them is looked at, nothing inside is reached through a link."""

    folders: tuple[Folder, ...]
    missing: tuple[str, ...] = ()
    """Folders that were named and are not there, or are none."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The folders, absolute."""
        return tuple(folder.path for folder in self.folders)

    def resolved(self, named: str, folder: str | None = None) -> str:
        """The absolute path of what an agent names: a path from a folder, an absolute one, or a ``file:`` URI.

        Raises `PathRefused` for what lies outside, leads there through a link, or is no plain path.
        """
        path = self._absolute(named, folder)
        for each in self.folders:
            for start in dict.fromkeys((each.path, each.real)):
                if inside(path, start):
                    below = os.path.relpath(path, start)
                    if os.path.realpath(path) != os.path.normpath(os.path.join(each.real, below)):
                        raise PathRefused(f"{printable_path(named)} is not read: a link is on the way to it")
                    return os.path.normpath(os.path.join(each.path, below))
        raise PathRefused(f"{printable_path(named)} is not read: it lies outside of {self.told()}")

    def holds(self, uri: str) -> bool:
        """Whether a ``file:`` URI names something in one of the folders, by its name."""
        try:
            path = path_of(uri)
        except UriRefused:
            return False
        return any(inside(path, each.path) or inside(path, each.real) for each in self.folders)

    def placed(self, path: str) -> tuple[str, str]:
        """The folder that an absolute path lies in, and the way from there; its own folder where it is in none."""
        for each in self.folders:
            if inside(path, each.path) and path != each.path:
                return each.path, os.path.relpath(path, each.path).replace(os.sep, "/")
        return os.path.dirname(path), os.path.basename(path)

    def told(self) -> str:
        """The folders in words."""
        return ", ".join(printable_path(path) for path in self.paths) or "any folder that may be searched"

    def _absolute(self, named: str, folder: str | None) -> str:
        if named.lower().startswith("file:"):
            try:
                return path_of(named)
            except UriRefused as error:
                raise PathRefused(f"{printable_path(named)} is not read: {error}") from error
        if "\0" in named or os.pardir in named.replace("\\", "/").split("/"):
            raise PathRefused(f"{printable_path(named)!r} is not a plain path")
        if os.path.isabs(named):
            return os.path.normpath(named)
        starts = self.paths if folder is None else (self.resolved(folder),)
        tried = [os.path.normpath(os.path.join(start, named)) for start in starts]
        if not tried:
            raise PathRefused(f"{printable_path(named)} is not read: there is no folder to look in")
        return next((path for path in tried if os.path.lexists(path)), tried[0])


def bounds_of(named: Sequence[str], roots: Sequence[str] | None) -> Bounds:
    """What the folders that the command line names, none for any, and the client's roots, None for a client that has no
    such thing, come to. Without both it is the current folder. Folders are absolute or from the current one."""
    asked = named or (() if roots is not None else (os.getcwd(),))
    allowed, missing = _folders(asked), _missing(asked)
    if roots is None:
        return Bounds(_outermost(allowed), missing)
    paths = [path for root in roots if (path := _path(root)) is not None]
    offered, missing = _folders(paths), tuple(dict.fromkeys((*missing, *_missing(paths))))
    if not named:
        return Bounds(_outermost(offered), missing)
    both = [root for root in offered if any(inside(root.real, folder.real) for folder in allowed)]
    both += [folder for folder in allowed if any(inside(folder.real, root.real) for root in offered)]
    return Bounds(_outermost(both), missing)


def required_folders(paths: Sequence[str]) -> tuple[str, ...]:
    """The arguments of the command line as absolute paths. Raises `UsageError` where none of them is a folder."""
    missing = [path for path in paths if not os.path.isdir(path)]
    if missing and len(missing) == len(paths):
        raise UsageError(
            f"{printable_path(missing[0])!r} is no folder; name folders that an agent may search"
            if len(missing) == 1
            else f"none of these is a folder: {', '.join(map(printable_path, missing))}; name folders that an agent may"
            " search"
        )
    return tuple(os.path.abspath(path) for path in paths)


def _missing(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.abspath(path) for path in paths if not os.path.isdir(path)))


def _path(uri: str) -> str | None:
    try:
        return path_of(uri)
    except UriRefused:
        return None


def _folders(paths: Iterable[str]) -> list[Folder]:
    absolute = [os.path.abspath(path) for path in paths]
    return [Folder(path, os.path.realpath(path)) for path in absolute if os.path.isdir(path)]


def _outermost(folders: Sequence[Folder]) -> tuple[Folder, ...]:
    """Folders without those inside of others, each once."""
    once = {folder.real: folder for folder in reversed(folders)}
    kept = [folder for folder in once.values() if not any(inside(folder.real, o) for o in once if o != folder.real)]
    return tuple(sorted(kept, key=lambda folder: folder.path))
