"""Files on disk that several processes change: written whole, locked, and told apart by where they lie.

A file is written whole or not at all, never through a link, never over what is not ours to replace. A lock is the
system's own and ends with whoever holds it. Network file systems and programs of the user are known by their place.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = ".part"
"""How the name of a file ends that is being written; one that a killed process left may be deleted."""
PRIVATE, ORDINARY = 0o600, 0o666
"""Modes: for the user alone, and what the user's own mask leaves."""
Made = Callable[[bytes], bool]
"""Whether we made a file, by its first bytes."""
_HEAD = 4096
"""Bytes that are shown to a `Made`."""
_TRIES = 5
_DIRECT = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
_SHORTEST, _LONGEST = 0.0002, 0.002
"""Seconds between two tries."""
_HELD = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK})
# Where another machine, or a program in between, decides what a lock and a sync are worth.
_NETWORK = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4"}
    | {"orangefs", "smb3", "smbfs", "vboxsf"}
    | {f"fuse.{name}" for name in ("ceph", "davfs", "glusterfs", "juicefs", "rclone", "s3fs", "sshfs", "vmhgfs-fuse")}
)
MOUNTS = Path("/proc/self/mountinfo")
"""The table of mounts that Linux gives each process."""


SSH = "ssh"
"""The scheme of folders of other machines, which are read like object stores."""
OBJECT_STORES = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", SSH: ""}
"""Schemes of object stores, with the package that fsspec reads each by."""


class Occupied(FileExistsError):
    """Where a file should be written stands what may not be replaced; the message says what to do.

    ``plain`` says that it is a file, one that we did not make: whoever may decide over it can.
    """

    def __init__(self, path: Path, *, plain: bool, what: str = "no plain file") -> None:
        kind = "a file that Lens did not make" if plain else what
        super().__init__(errno.EEXIST, f"there is {kind}; move it away or name another place", str(path))
        self.plain = plain


def is_object_url(path: str) -> bool:
    """Whether a path is the URL of a folder in an object store, and not one of the file system."""
    return path.partition("://")[0] in OBJECT_STORES and "://" in path


def is_ssh_url(path: str) -> bool:
    """Whether a path is the URL of a folder of another machine."""
    return path.startswith(f"{SSH}://")


def absolute(path: str) -> str:
    """The absolute path; a URL of an object store stays as it is, without slashes at its end."""
    return path.rstrip("/") if is_object_url(path) else os.path.abspath(path)


def real(path: str) -> str:
    """The path without links; as `absolute` for a URL."""
    return path.rstrip("/") if is_object_url(path) else os.path.realpath(path)


def replace_whole(
    path: Path, data: bytes, mode: int = PRIVATE, *, made: Made | None = None, below: Path | None = None
) -> None:
    """Let a file hold ``data``. A reader sees the old or the new, after power loss, too.

    What stands there is replaced if it is a plain file and, where ``made`` is given, if that says that we made it; then
    it is never lost to a file that somebody else makes meanwhile, either. Its permissions are kept unless ``mode`` is
    for the user alone. ``below`` is a folder above the file: on the way from there no folder may be a link, and those
    that are missing are made. Without it the file's folder has to be there.

    Raises OSError, `Occupied` for what may not be replaced; the file then holds what it held.
    """
    with _folder(path.parent, below, 0o700 if mode == PRIVATE else 0o777) as place:
        for _ in range(_TRIES):
            kept = _replaceable(place, path, made)
            part = place.name(f".{path.name[:200]}.{os.urandom(4).hex()}{PART}")
            try:
                with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=place.handle), "wb") as file:
                    if kept is not None and mode != PRIVATE and hasattr(os, "fchmod"):
                        os.fchmod(file.fileno(), kept)
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                if made is None or kept is not None:
                    os.replace(part, place.name(path.name), src_dir_fd=place.handle, dst_dir_fd=place.handle)
                    return
                if _named(place, part, path.name):
                    return
            except BaseException:
                _discard(place, part)
                raise
            _discard(place, part)
        raise Occupied(path, plain=True)


def check_replaceable(path: Path, made: Made) -> None:
    """Raise `Occupied` for what `replace_whole` would not replace, before anything is written."""
    with _folder(path.parent, None, 0) as place:
        _replaceable(place, path, made)


@contextmanager
def appending(path: Path) -> Iterator[int]:
    """The descriptor of a file to add to, made where there is none; no link is followed. Raises OSError, `Occupied`."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK | _NO_WAIT
    try:
        descriptor = os.open(path, flags, ORDINARY)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise Occupied(path, plain=False) from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Occupied(path, plain=False)
        yield descriptor
    finally:
        os.close(descriptor)


def read_plain(path: Path, most: int) -> bytes:
    """What a file holds, at most so many bytes of it; links are followed. Raises OSError, `Occupied` for a pipe or a
    device, which would be waited for."""
    with open(os.open(path, os.O_RDONLY | _NO_WAIT), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Occupied(path, plain=False)
        return file.read(most)


class _Place:
    """A folder that is held, so that nobody puts another one in its place; where the system has no such, its path."""

    def __init__(self, folder: Path, handle: int | None) -> None:
        self.handle = handle
        self._folder = folder

    def name(self, name: str) -> str:
        """A name in it as the system's calls take it beside ``handle``."""
        return name if self.handle is not None else os.path.join(self._folder, name)


@contextmanager
def _folder(folder: Path, below: Path | None, mode: int) -> Iterator[_Place]:
    way = () if below is None else folder.relative_to(below).parts
    if not _DIRECT:
        if below is not None:
            folder.mkdir(mode, parents=True, exist_ok=True)
            if os.path.realpath(folder) != os.path.join(os.path.realpath(below), *way):
                raise Occupied(folder, plain=False, what="a link on the way")
        yield _Place(folder, None)
        return
    handle = os.open(folder if below is None else below, _FOLDER)
    try:
        for part in way:
            with suppress(FileExistsError):
                os.mkdir(part, mode, dir_fd=handle)
            try:
                inner = os.open(part, _FOLDER | _NO_LINK, dir_fd=handle)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise Occupied(folder, plain=False, what="a link or a file on the way") from error
                raise
            os.close(handle)
            handle = inner
        yield _Place(folder, handle)
    finally:
        os.close(handle)


def _replaceable(place: _Place, path: Path, made: Made | None) -> int | None:
    """The permissions of what may be replaced, None where nothing is. Raises OSError and `Occupied`."""
    name = place.name(path.name)
    try:
        found = os.stat(name, dir_fd=place.handle, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise Occupied(path, plain=False, what="a link" if stat.S_ISLNK(found.st_mode) else "no plain file")
    if made is not None:
        try:
            with open(os.open(name, os.O_RDONLY | _NO_LINK | _NO_WAIT, dir_fd=place.handle), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode) or not made(file.read(_HEAD)):
                    raise Occupied(path, plain=True)
        except FileNotFoundError:
            return None
    return stat.S_IMODE(found.st_mode) & 0o777


def _named(place: _Place, part: str, name: str) -> bool:
    """Give a written file its name unless something has that by now; whether it has it."""
    target, handle = place.name(name), place.handle
    try:
        if handle is None:
            os.rename(part, target)  # Windows: never over what is there
            return True
        os.link(part, target, src_dir_fd=handle, dst_dir_fd=handle, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        with suppress(FileNotFoundError):
            os.stat(target, dir_fd=handle, follow_symlinks=False)
            return False
        os.replace(part, target, src_dir_fd=handle, dst_dir_fd=handle)
        return True
    os.unlink(part, dir_fd=handle)
    return True


def _discard(place: _Place, part: str) -> None:
    with suppress(OSError):
        os.unlink(part, dir_fd=place.handle)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def release_lock(descriptor: int) -> None:
        """Give a lock back; closing the file does it, too."""
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def release_lock(descriptor: int) -> None:
        """Give a lock back; closing the file does it, too."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def lock_file(path: Path) -> int:
    """The descriptor of a file to lock, made for the user alone; no link is followed. Raises OSError."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, 0o600)


def take_lock(descriptor: int, until: float) -> None:
    """Lock a file as soon as nobody else does.

    Raises TimeoutError when ``time.monotonic`` says ``until``, OSError where a folder knows no locks.
    """
    pause = _SHORTEST
    while True:
        try:
            return _try_lock(descriptor)
        except OSError as error:
            if error.errno not in _HELD:
                raise
            if time.monotonic() >= until:
                raise TimeoutError(errno.ETIMEDOUT, "another process holds its lock") from error
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST)


def network_file_system(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """The kind of network file system a folder lies on; None for a local one, and where the system does not say."""
    try:
        kind = file_system_of(folder.stat().st_dev, mounts)
    except OSError:
        return None
    return kind if kind in _NETWORK else None


def may_hang(device: int, mounts: Path = MOUNTS) -> bool:
    """Whether files on a device (``st_dev``) are served by another machine or by a program, which may not answer."""
    if os.name != "posix" or os.major(device):  # a disk of this machine
        return False
    kind = file_system_of(device, mounts) or ""
    return kind in _NETWORK or kind.partition(".")[0] == "fuse"


def file_system_of(device: int, mounts: Path = MOUNTS) -> str | None:
    """The kind of the file system of a device (``st_dev``), None where the system does not say."""
    return next((kind for mounted, kind in mounted_file_systems(mounts) if mounted == device), None)


def mounted_file_systems(mounts: Path = MOUNTS) -> Iterator[tuple[int, str]]:
    """The device (``st_dev``) and the kind of each mounted file system; none where the system does not say."""
    try:
        table = mounts.read_bytes()
    except OSError:
        return
    for line in table.splitlines():
        mount, _, rest = line.partition(b" - ")
        major, colon, minor = (mount.split()[2:3] or [b""])[0].partition(b":")
        if colon:
            yield os.makedev(int(major), int(minor)), rest.split(b" ", 1)[0].decode("ascii", "replace")


def program_outside(name: str, path: str, roots: Iterable[str]) -> str | None:
    """The absolute path of a program, None where there is none.

    ``name`` is looked for in the absolute folders of ``path``, as the variable PATH lists them, or is a path itself.
    What lies below one of the ``roots`` is passed over, and so is what only a link brings outside of them.
    """
    import shutil

    searched = [os.path.realpath(root) for root in roots]
    for folder in path.split(os.pathsep):
        if not os.path.isabs(folder) or _below(folder, searched):
            continue
        found = shutil.which(name, path=folder)
        # A relative answer is Windows' own folder of the moment, which is looked at before PATH.
        if found is not None and os.path.isabs(found) and not _below(found, searched):
            return found
    return None


def _below(path: str, folders: list[str]) -> bool:
    return any(Path(place).is_relative_to(folder) for place in (path, os.path.realpath(path)) for folder in folders)
