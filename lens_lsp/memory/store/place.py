"""Where the knowledge of a workspace lies, and whether a store can live there.

One folder for each workspace, named by a digest of its real path, so that a copy of a workspace starts anew and two
names of one folder share what is known.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_data_path

from lens_lsp.disk import MOUNTS, network_file_system
from lens_lsp.memory.store.failures import StoreUnavailable, Unavailable

_REASONS = {
    errno.EACCES: Unavailable.READ_ONLY,
    errno.EPERM: Unavailable.READ_ONLY,
    errno.EROFS: Unavailable.READ_ONLY,
    errno.EEXIST: Unavailable.NOT_A_FOLDER,
    errno.ENOTDIR: Unavailable.NOT_A_FOLDER,
    errno.EISDIR: Unavailable.NOT_A_FOLDER,
    errno.ENOSPC: Unavailable.FULL,
    errno.EDQUOT: Unavailable.FULL,
}


def store_folder(workspace: str, explicit: str | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of a workspace's store, which need not exist: ``explicit``, else ``LENS_STORE``, else our own.

    Raises `StoreUnavailable` when there is no home to keep it in.
    """
    chosen = explicit or environment.get("LENS_STORE")
    if chosen:
        return Path(os.path.abspath(chosen))
    identity = hashlib.blake2b(os.fsencode(os.path.realpath(workspace)), digest_size=8).hexdigest()
    return _user_data() / identity


def prepare_folder(folder: Path, mounts: Path = MOUNTS) -> None:
    """Make the folder and those above it, for the user alone. One that is there stays as it is.

    Raises `StoreUnavailable` when it is no folder, cannot be made, or lies on a network file system.
    """
    try:
        _make(folder)
    except OSError as error:
        raise unusable(folder, error) from error
    if not folder.is_dir():
        raise StoreUnavailable(Unavailable.NOT_A_FOLDER, f"{folder} is no folder: no knowledge is kept")
    kind = network_file_system(folder, mounts)
    if kind is not None:
        why = (
            f"{folder} lies on a network file system ({kind}), where no knowledge is kept; --store names another folder"
        )
        raise StoreUnavailable(Unavailable.NETWORK, why)


def unusable(path: Path, error: OSError) -> StoreUnavailable:
    """Why a folder or file cannot be used, for the caller."""
    reason = _REASONS.get(error.errno or 0, Unavailable.UNREADABLE)
    return StoreUnavailable(reason, f"{path} cannot be used to keep knowledge: {error.strerror or error}")


def _user_data() -> Path:
    """Our folder of user data, by the variables of this process: they are what the system's rules go by."""
    home = os.path.expanduser("~")
    given = sys.platform != "win32" and os.path.isabs(os.environ.get("XDG_DATA_HOME", ""))
    nowhere = os.environ.get("HOME") == "" or not (os.path.isabs(home) and os.path.isdir(home))
    if nowhere and not given:
        raise StoreUnavailable(Unavailable.NO_HOME, "there is no home folder to keep knowledge in; --store names one")
    return user_data_path("lens-lsp")


def _make(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:
            if not stat.S_ISDIR(os.stat(each).st_mode):
                raise
