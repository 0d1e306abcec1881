"""The one safe open: nothing outside a root is ever read through it, and no file that hangs is waited for for ever.

Every component of a relative path is opened from the descriptor of the one before it, and none may be a
symbolic link, so swapping a parent folder while it runs leads nowhere; the last one must be a regular file by
``fstat`` of the very descriptor that is read. Nothing is mapped into memory: a file that another process
truncates would kill us.

Not here: what may be opened (``corpus_rules``), what the bytes mean (``encoding``).

Systems without ``openat`` (Windows) get a weaker check by name: the real path before and after the open, and
the identity of what was opened. A swap between these that is undone in time can pass there.

Calls about files of a network, or behind a program of the user, may last as long as the server is silent, and nothing
ends them. So another thread makes them (`call_of`), and who wants the result waits for a moment, then goes on as if the
system had said ``ETIMEDOUT``; the thread is left behind until its file answers. Whether an open folder may hang is
asked once, of its root; a file system below another goes by that.

`read_files` leaves out what the safe open repeats per file, and nothing that keeps it safe; whatever is not plain
sailing is left to ``Root``, which names the reason. When the page cache does not hold the files, a disk answers many
requests at a time far sooner than one by one: then files are opened and announced a few ahead of the one that is read.
(Threads were measured: two to eight of them read a cold folder no faster and cost up to twice the processor time.)"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import stat
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from functools import partial
from operator import attrgetter
from queue import SimpleQueue
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from lens_lsp.disk import absolute, is_object_url, may_hang
from lens_lsp.model.documents import Fetched, SkipReason
from lens_lsp.model.errors import LensError, PathNotFound, PathRefused
from lens_lsp.model.lazy_regex import regex

T = TypeVar("T")
P = ParamSpec("P")
WAIT = 10.0
"""Seconds that one call may take: a disk that has been at rest needs some to turn."""
MOST_LEFT = 32
"""Threads that a device may hold; from then on nothing more is asked of it."""
_LEFT: Counter[int] = Counter()
"""By device: threads that it holds."""
_LOCK = threading.Lock()
_Job = tuple["Future[Any]", Callable[[], Any]]


class SlowDescriptor(int):
    """The descriptor of a file or folder that may not answer."""

    calls: TimedCalls


def guard_descriptor(descriptor: int) -> int:
    """A root's descriptor: a `SlowDescriptor` where its file system may not answer."""
    device = os.fstat(descriptor).st_dev
    return TimedCalls(device).holds(descriptor) if may_hang(device) else descriptor


def call_of(of: object, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a call of the system gives that is about an open file or folder. Raises what it raises, ``OSError`` with
    ``ETIMEDOUT`` where it gives nothing in time."""
    if type(of) is SlowDescriptor:
        return of.calls.result(partial(call, *args, **kwargs), None)
    return call(*args, **kwargs)


def open_at(of: int, name: str, flags: int) -> int:
    """A descriptor of what an open folder holds under a name, waited for like the folder. Raises as `call_of`."""
    if type(of) is SlowDescriptor:
        open_it = partial(os.open, name, flags, dir_fd=of)
        return of.calls.holds(of.calls.result(open_it, os.close))
    return os.open(name, flags, dir_fd=of)


def list_into(of: int | str, entries: list[os.DirEntry[str]]) -> None:
    """Add what an open folder holds, as far as it comes. Raises as `call_of`; who comes too late adds later."""

    if isinstance(of, RemoteFolder):
        entries.extend(of.entries())
        return

    def add() -> None:
        with os.scandir(of) as found:
            entries.extend(found)

    call_of(of, add)


def stat_entry(of: object, entry: os.DirEntry[str]) -> os.stat_result:
    """The status of an entry of an open folder, not of what it links to. Raises as `call_of`."""
    if type(of) is SlowDescriptor:
        return call_of(of, entry.stat, follow_symlinks=False)
    return entry.stat(follow_symlinks=False)


def folder_status(of: Handle) -> os.stat_result:
    """The status of an open folder. Raises as `call_of`."""
    return of.status() if isinstance(of, RemoteFolder) else call_of(of, os.stat, of)


def set_deadline(of: object, moment: float, most: float) -> None:
    """Set until when a root is waited for, by the monotonic clock, and for how many seconds each call; no effect where
    it always answers."""
    if type(of) is SlowDescriptor:
        of.calls.until, of.calls.most = moment, most
    elif isinstance(of, RemoteFolder):
        of.calls.until = moment


def end_calls(of: object) -> None:
    """Let the threads of a root that is closed go."""
    if type(of) is SlowDescriptor:
        of.calls.end()


class TimedCalls:
    """Makes the calls about one root: each may take some seconds, all of them last until a moment. Safe for threads."""

    def __init__(self, device: int) -> None:
        self.most = WAIT
        """Seconds of each call."""
        self.until = math.inf
        """By the monotonic clock: nothing is asked afterwards."""
        self._device = device
        self._idle: list[_CallThread] = []

    def holds(self, descriptor: int) -> SlowDescriptor:
        """A descriptor that is waited for like this."""
        slow = SlowDescriptor(descriptor)
        slow.calls = self
        return slow

    def result(self, call: Callable[[], T], late: Callable[[T], object] | None) -> T:
        """What a call gives. ``late`` gets what came too late. Raises what it raises, and ``OSError``."""
        seconds = min(self.most, self.until - time.monotonic())
        if seconds <= 0 or _LEFT[self._device] >= MOST_LEFT:
            raise _too_late()
        try:
            caller = self._idle.pop()
        except IndexError:
            caller = _CallThread()
        asked = caller.asked(call)
        if asked not in wait((asked,), seconds).done:
            self._leave(caller, asked, late)
            raise _too_late()
        self._idle.append(caller)
        return asked.result()

    def end(self) -> None:
        """Let the threads go."""
        while self._idle:
            self._idle.pop().end()

    def _leave(self, caller: _CallThread, asked: Future[T], late: Callable[[T], object] | None) -> None:
        with _LOCK:
            _LEFT[self._device] += 1
        caller.end()

        def came(_: Future[T]) -> None:
            with _LOCK:
                _LEFT[self._device] -= 1
            if late is not None and asked.exception() is None:
                late(asked.result())

        asked.add_done_callback(came)


class _CallThread:
    """A thread that makes calls, one after the other, until it is told to end."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        threading.Thread(target=self._run, name="slow-call", daemon=True).start()

    def asked(self, call: Callable[[], T]) -> Future[T]:
        asked: Future[T] = Future()
        self._jobs.put((asked, call))
        return asked

    def end(self) -> None:
        """After the call that it makes."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            asked, call = job
            try:
                asked.set_result(call())
            except BaseException as error:  # noqa: BLE001  whoever waits for it gets it
                asked.set_exception(error)


def _too_late() -> OSError:
    return OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))


class RemoteFolder(str):
    """An open folder of a store that is no file system (`corpus.object_store`), by its URL. What it holds was listed;
    only `head` asks, and raises ``Skipped``."""

    calls: TimedCalls

    def entries(self) -> list[os.DirEntry[str]]:
        """What it holds."""
        raise NotImplementedError

    def status(self) -> os.stat_result:
        """What tells it from other folders."""
        raise NotImplementedError

    def below(self, name: str) -> RemoteFolder:
        """A folder in it. Raises ``Skipped``."""
        raise NotImplementedError

    def head(self, name: str, count: int) -> bytes:
        """The first ``count`` bytes of what it holds under a name. Raises ``Skipped``."""
        raise NotImplementedError

    def holds(self, name: str) -> bool:
        """Whether there is anything of a name."""
        raise NotImplementedError


Handle = int | str
"""An open folder: its descriptor, or its real path where the system opens by name only."""
DESCRIPTORS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")
"""Whether this system opens relative to folder descriptors."""
_CLOSE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_ROOT = os.O_RDONLY | _CLOSE | getattr(os, "O_DIRECTORY", 0)
_FOLDER = _ROOT | getattr(os, "O_NOFOLLOW", 0)
FILE_FLAGS = (
    os.O_RDONLY
    | _CLOSE
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a FIFO must not wait for a writer
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
"""How a file is opened by its name in an open folder. What is opened may still be no regular file: ask ``fstat``."""
_REASONS = {
    errno.ELOOP: SkipReason.LINK,
    errno.EMLINK: SkipReason.LINK,  # what FreeBSD says for ELOOP
    errno.EACCES: SkipReason.PERMISSION,
    errno.EPERM: SkipReason.PERMISSION,
    errno.ENXIO: SkipReason.IRREGULAR,  # a socket, or a device with nothing behind it
    errno.ENODEV: SkipReason.IRREGULAR,
    errno.EOPNOTSUPP: SkipReason.IRREGULAR,
    errno.EISDIR: SkipReason.IRREGULAR,
}
_AT_ONCE = 1 << 30
_GROWTH = 64 << 20
_SURROGATE = regex("[\ud800-\udfff]")
_WINDOWS = os.name == "nt"
Key = tuple[int, str]
"""Root index and path: what a file is known by."""
Identity = tuple[int, int, int, int, int]
"""Size, time of modification, time of status change, inode, device."""
UNKNOWN: Identity = (-1, 0, 0, 0, 0)
"""Of a file that could not be asked."""
IDENTITY: Callable[[os.stat_result], Identity] = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino", "st_dev")
"""What of a status identifies a content."""
_GROUP = 256
"""Files between two looks at whether they are in the page cache."""
_SAMPLE = 3
_AHEAD = 32
"""Files that are open at a time when they come from the disk: few enough for a limit of 64 descriptors."""
_NO_WAITING = getattr(os, "RWF_NOWAIT", 0) if hasattr(os, "posix_fadvise") else 0
Status = os.stat_result
Reading = tuple[bytes | SkipReason | None, Identity | None]
"""What came of one file: its bytes, or why there are none, or None when it is larger than asked for; and what
identifies its content, from before the read, by the descriptor it was read from. A plain tuple, for there are many."""


class Skipped(Exception):
    """A file or folder that is not read, and the typed reason. Never leaves the corpus uncaught."""

    def __init__(self, reason: SkipReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def skipped(error: OSError) -> Skipped:
    """The typed form of a refusal by the system."""
    return Skipped(_REASONS.get(error.errno or 0, SkipReason.UNREADABLE))


def display_path(rel: str) -> str:
    """The path as it may leave the process: bytes of a name that are no text become U+FFFD."""
    return rel if rel.isascii() else _SURROGATE.sub("\ufffd", rel)


class Root:
    """A folder whose files may be read: its ``index`` in the question, its absolute ``path``, its descriptor.

    Made for one question: it remembers the folder opened last, so neighbours cost one ``openat`` each, and
    goes on reading that folder should it be renamed meanwhile; ``release`` makes the next open start from the
    root again. Threads may share a root. Close it only when no read is under way.

    Raises ``PathNotFound`` if there is nothing that can be opened, ``PathRefused`` if it is no folder.
    """

    __slots__ = ("_held", "absence", "handle", "index", "path")

    def __init__(self, path: str, index: int = 0, *, descriptors: bool = DESCRIPTORS) -> None:
        self.path = os.path.abspath(path)
        self.index = index
        self.absence: SkipReason | None = None
        """Why nothing below it can be opened; None for a root that is there."""
        # Taken and given back by single list operations, so a descriptor is never in two threads' hands.
        self._held: list[tuple[str, Handle]] = []
        try:
            self.handle: Handle = (
                guard_descriptor(os.open(self.path, _ROOT)) if descriptors else _existing_folder(self.path)
            )
        except NotADirectoryError as error:
            raise PathRefused(f"{display_path(path)} is not a folder") from error
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "not a path"
            raise PathNotFound(f"{display_path(path)} cannot be opened: {why}") from error

    @classmethod
    def absent(cls, path: str, index: int, error: PathNotFound | PathRefused) -> Root:
        """A root that could not be opened: it keeps its place among the others, and refuses every open."""
        root = cls.__new__(cls)
        root.path, root.index, root.absence = absolute(path), index, _absence(error)
        root._held, root.handle = [], -1 if DESCRIPTORS else "\0"
        return root

    def __enter__(self) -> Root:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back all descriptors; a closed root refuses every open."""
        self.release()
        end_calls(self.handle)
        close_folder(self.handle)
        if isinstance(self.handle, int):
            self.handle = -1

    def release(self) -> None:
        """Forget the folder opened last: the next open walks from the root again."""
        while self._held:
            close_folder(self._held.pop()[1])

    def open(self, rel: str) -> int:
        """A descriptor of a regular file, for the caller to close.

        Raises ``Skipped`` with the reason, ``PathRefused`` if ``rel`` is not a plain path below the root.
        """
        return self.open_with_stat(rel)[0]

    def open_folder(self, rel: str) -> Handle:
        """A folder below the root, no part of its path a link, for the caller to close. Raises as ``open``."""
        return self._descend(rel, rel)

    def below(self, rel: str) -> Root:
        """A folder below as a root of its own, no part of the way to it a link, for the caller to close. Raises as
        ``open``."""
        root = object.__new__(Root)
        root.path, root.index, root._held = os.path.join(self.path, *rel.split("/")), self.index, []
        root.handle = self.open_folder(rel)
        return root

    def read(self, rel: str, limit: int | None = None) -> bytes:
        """All bytes of a file; more than ``limit`` of them is ``Skipped(TOO_LARGE)``."""
        return self.read_with_stat(rel, limit)[0]

    def read_with_stat(self, rel: str, limit: int | None = None) -> tuple[bytes, os.stat_result]:
        """All bytes of a file and the status, from before the read, of the descriptor they came from."""
        fd, status = self.open_with_stat(rel)
        try:
            return read_all(fd, status.st_size, limit), status
        except OSError as error:
            raise skipped(error) from error
        finally:
            os.close(fd)

    def read_range(self, rel: str, start: int, end: int) -> bytes:
        """Bytes ``[start, end)`` of a file, fewer at its end."""
        fd = self.open(rel)
        try:
            os.lseek(fd, start, os.SEEK_SET)
            return _exactly(fd, end - start)
        except OSError as error:
            raise skipped(error) from error
        finally:
            os.close(fd)

    def read_files(self, paths: Sequence[str], most: int) -> Iterator[Reading]:
        """As the function of this name."""
        return read_files(self, paths, most)

    def status(self, rel: str) -> os.stat_result:
        """The status of a regular file: of an object of a store, as it was listed. Raises as ``open``."""
        fd, status = self.open_with_stat(rel)
        os.close(fd)
        return status

    def status_now(self, rel: str) -> os.stat_result:
        """The same, of an object asked for now."""
        return self.status(rel)

    def version(self, rel: str) -> str | None:
        """What a store calls the content of an object that was looked at; None for files."""
        return None

    def look(self) -> LensError | None:
        """List a store, for a question, and say why it cannot be searched; nothing to do for folders."""
        return None

    def taken(self) -> Fetched | None:
        """What a store was asked for so far; None for folders."""
        return None

    def refused(self) -> Sequence[tuple[str, SkipReason]]:
        """What a store holds and does not list, and why; nothing for folders."""
        return ()

    def stream(self, rel: str, chunk: int = 1 << 20) -> Iterator[bytes]:
        """The bytes of a file in pieces of at most ``chunk``; open from the first step to the last."""
        fd, status = self.open_with_stat(rel)
        try:
            data = call_of(fd, os.read, fd, min(chunk, status.st_size + 1))  # a small file must not cost a whole chunk
            while data:
                yield data
                data = call_of(fd, os.read, fd, chunk)
        except OSError as error:
            raise skipped(error) from error
        finally:
            os.close(fd)

    def open_with_stat(self, rel: str) -> tuple[int, os.stat_result]:
        """A descriptor as ``open`` gives it, and its status."""
        folder, slash, name = rel.rpartition("/")
        if not folder:
            if slash:
                raise _refused(rel)
            check_name(name, rel)
            return open_file_at(self.handle, name)
        check_name(name, rel)
        handle = self._take(folder)
        if handle is not None:
            try:
                return self._use(folder, handle, name)
            except Skipped as error:
                if not isinstance(error.__cause__, FileNotFoundError):
                    raise
                self.release()  # the folder may have been replaced since: look again from the root
        return self._use(folder, self._descend(folder, rel), name)

    def _take(self, folder: str) -> Handle | None:
        """The held folder if it is this one; any other is closed."""
        try:
            held, handle = self._held.pop()
        except IndexError:
            return None
        if held == folder:
            return handle
        close_folder(handle)
        return None

    def _use(self, folder: str, handle: Handle, name: str) -> tuple[int, os.stat_result]:
        try:
            return open_file_at(handle, name)
        finally:
            self._held.append((folder, handle))

    def _descend(self, folder: str, rel: str) -> Handle:
        names = folder.split("/")
        for name in names:
            check_name(name, rel)
        handle = self.handle
        for name in names:
            try:
                child = open_folder_at(handle, name)
            finally:
                if handle != self.handle:
                    close_folder(handle)
            handle = child
        return handle


def open_named(path: str, index: int = 0) -> tuple[Root, str | None]:
    """The root for a path a user named: the folder itself, or a file's folder and the file's name in it.

    A link the user named is followed, since naming it is asking for what it means; links below a root never
    are. Raises ``PathNotFound`` or ``PathRefused``.
    """
    if is_object_url(path):
        from lens_lsp.corpus.object_store import ObjectRoot  # nobody else needs it

        return ObjectRoot(path, index), None
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a path"
        raise PathNotFound(f"{display_path(path)} cannot be looked at: {why}") from error
    if stat.S_ISDIR(mode):
        return Root(path, index), None
    if not stat.S_ISREG(mode):
        raise PathRefused(f"{display_path(path)} is neither a plain file nor a folder")
    path = os.path.realpath(path) if os.path.islink(path) else os.path.abspath(path)
    return Root(os.path.dirname(path), index), os.path.basename(path)


def folders_at(paths: Iterable[str]) -> tuple[str, ...]:
    """Where the paths of what is found at some paths start: a file's folder, else the path itself, absolute. One that
    cannot be opened keeps its place."""
    found = []
    for path in paths:
        try:
            with open_named(path)[0] as root:
                found.append(root.path)
        except (PathNotFound, PathRefused):
            found.append(absolute(path))
    return tuple(found)


def _absence(error: PathNotFound | PathRefused) -> SkipReason:
    """Why a path that was named is not searched."""
    if isinstance(error, PathRefused):
        return SkipReason.IRREGULAR
    if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
        return SkipReason.MISSING
    return skipped(error.__cause__).reason if isinstance(error.__cause__, OSError) else SkipReason.UNREADABLE


def check_name(name: str, rel: str, *, windows: bool = _WINDOWS) -> None:
    """Raise ``PathRefused``, naming ``rel``, unless ``name`` is one component that leads one step down."""
    if name in ("", ".", "..") or "\0" in name or "/" in name or (windows and ("\\" in name or ":" in name)):
        raise _refused(rel)


def open_folder_at(handle: Handle, name: str) -> Handle:
    """Open a folder by its name in an open one, never through a link. Raises ``Skipped``."""
    if isinstance(handle, RemoteFolder):
        return handle.below(name)
    try:
        if isinstance(handle, int):
            return open_at(handle, name, _FOLDER)
        return _folder_by_name(os.path.join(handle, name))
    except NotADirectoryError as error:
        # Linux says so for a link too when O_DIRECTORY is asked for.
        is_link = isinstance(handle, int) and _is_link(handle, name)
        raise Skipped(SkipReason.LINK if is_link else SkipReason.IRREGULAR) from error
    except OSError as error:
        raise skipped(error) from error
    except ValueError as error:  # a lone surrogate no file name can hold
        raise Skipped(SkipReason.UNREADABLE) from error


def open_file_at(handle: Handle, name: str) -> tuple[int, os.stat_result]:
    """Open a regular file by its name in an open folder: descriptor and its status. Raises ``Skipped``."""
    try:
        if isinstance(handle, int):
            fd = open_at(handle, name, FILE_FLAGS)
        else:
            return _file_by_name(os.path.join(handle, name))
    except OSError as error:
        raise skipped(error) from error
    except ValueError as error:
        raise Skipped(SkipReason.UNREADABLE) from error
    try:
        status = call_of(fd, os.fstat, fd)
    except OSError as error:
        os.close(fd)
        raise skipped(error) from error
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise Skipped(SkipReason.IRREGULAR)
    return fd, status


def read_head_at(handle: Handle, name: str, count: int) -> bytes:
    """The first ``count`` bytes of a regular file in an open folder. Raises ``Skipped``."""
    if isinstance(handle, RemoteFolder):
        return handle.head(name, count)
    fd, status = open_file_at(handle, name)
    try:
        return call_of(fd, os.read, fd, min(count, status.st_size))
    except OSError as error:
        raise skipped(error) from error
    finally:
        os.close(fd)


def is_there(handle: Handle, name: str) -> bool:
    """Whether an open folder holds the name, as far as the system says."""
    if isinstance(handle, RemoteFolder):
        return handle.holds(name)
    try:
        if isinstance(handle, int):
            call_of(handle, os.stat, name, dir_fd=handle, follow_symlinks=False)
        else:
            os.lstat(os.path.join(handle, name))
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True


def close_folder(handle: Handle) -> None:
    """Close an open folder; nothing to do where folders are opened by name."""
    if isinstance(handle, int) and handle >= 0:
        os.close(handle)


def _refused(rel: str) -> PathRefused:
    return PathRefused(f"{display_path(rel)!r} is not a plain path below its root")


def read_all(fd: int, size: int, limit: int | None = None) -> bytes:
    """Read to the end, following a file that grows meanwhile, but not one that never stops growing."""
    if limit is not None and size > limit:
        raise Skipped(SkipReason.TOO_LARGE)
    data = call_of(fd, os.read, fd, min(size, _AT_ONCE) + 1)
    if len(data) == size:  # one byte more was asked for: this is the end, without a second call
        return data
    parts = [data]
    total = len(data)
    while data and total <= size + _GROWTH and (limit is None or total <= limit):
        data = call_of(fd, os.read, fd, min(max(size - total, 1 << 16), _AT_ONCE))
        parts.append(data)
        total += len(data)
    if limit is not None and total > limit:
        raise Skipped(SkipReason.TOO_LARGE)
    return b"".join(parts)


def _exactly(fd: int, size: int) -> bytes:
    """That many bytes, fewer only at the end of the file."""
    parts: list[bytes] = []
    while size and (data := call_of(fd, os.read, fd, size)):
        parts.append(data)
        size -= len(data)
    return b"".join(parts)


def _is_link(handle: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(call_of(handle, os.stat, name, dir_fd=handle, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _existing_folder(path: str) -> str:
    real = os.path.realpath(path)
    if not stat.S_ISDIR(os.stat(real).st_mode):
        raise NotADirectoryError
    return real


def _is_itself(path: str) -> bool:
    """Whether no component is a link, junction or other name for something else."""
    return os.path.normcase(os.path.realpath(path)) == os.path.normcase(path)


def still_leads_to(path: str, opened_one: os.stat_result) -> bool:
    """Whether a path is that of what was opened under it, through no link."""
    now = os.lstat(path)
    return _is_itself(path) and (now.st_dev, now.st_ino) == (opened_one.st_dev, opened_one.st_ino)


def _folder_by_name(path: str) -> str:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode) or not _is_itself(path):
        raise Skipped(SkipReason.LINK)
    if not stat.S_ISDIR(mode):
        raise Skipped(SkipReason.IRREGULAR)
    return path


def _file_by_name(path: str) -> tuple[int, os.stat_result]:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode) or not _is_itself(path):
        raise Skipped(SkipReason.LINK)
    if not stat.S_ISREG(mode):
        raise Skipped(SkipReason.IRREGULAR)
    fd = os.open(path, FILE_FLAGS)
    try:
        status = os.fstat(fd)
        if not still_leads_to(path, status):
            raise Skipped(SkipReason.LINK)
        if not stat.S_ISREG(status.st_mode):
            raise Skipped(SkipReason.IRREGULAR)
    except BaseException:
        os.close(fd)
        raise
    return fd, status


def identity_of(root: Root, path: str, *, now: bool = False) -> Identity | None:
    """What identifies a file's content now, that of an object as it was listed unless ``now``; None when it cannot be
    opened."""
    try:
        return IDENTITY(root.status_now(path) if now else root.status(path))
    except Skipped:
        return None


def read_files(root: Root, paths: Sequence[str], most: int, *, announce: bool | None = None) -> Iterator[Reading]:
    """The files in the order given; of those above ``most`` bytes only the identity.

    As fast as it gets when neighbours lie in one folder. ``announce`` says whether to open files ahead; by default
    the page cache is asked (tests compare the two). Raises ``PathRefused`` for what is no plain path.
    """
    if isinstance(root.handle, RemoteFolder):
        yield from root.read_files(paths, most)
        return
    for start in range(0, len(paths), _GROUP):
        group = paths[start : start + _GROUP]
        if type(root.handle) is not int:  # by name, or one that may not answer
            yield from (_carefully(root, path, most) for path in group)
        elif _on_disk_only(root, group) if announce is None else announce:
            yield from _announced(root, group, most)
        else:
            yield from _one_by_one(root, group, most)


def _one_by_one(root: Root, paths: Sequence[str], most: int) -> Iterator[Reading]:
    """The hot loop: four system calls a file and hardly anything else."""
    open_file, status_of, read, close = os.open, os.fstat, os.read, os.close
    flags, regular, identify = FILE_FLAGS, stat.S_ISREG, IDENTITY
    folder, handle = "", cast("int | None", root.handle)
    try:
        for path in paths:
            above, _, name = path.rpartition("/") if "/" in path else ("", "", path)
            if above != folder:
                if folder and handle is not None:
                    close_folder(handle)
                folder, handle = above, None
                with contextlib.suppress(Skipped):
                    handle = cast("int", root.open_folder(above) if above else root.handle)
            if handle is None:  # opened without a folder, the name would be one of the current folder
                yield _carefully(root, path, most)
                continue
            try:
                fd = open_file(name, flags, dir_fd=handle)
            except (OSError, ValueError):
                yield _carefully(root, path, most)
                continue
            try:
                status = status_of(fd)
                identity = identify(status)
                size = identity[0]
                data = read(fd, size + 1) if size <= most and regular(status.st_mode) else b""
            except OSError:
                size, data = -1, b""
            finally:
                close(fd)
            if len(data) == size and data:  # one byte more was asked for: this is the end
                yield data, identity
            else:
                yield _carefully(root, path, most)
    finally:
        if folder and handle is not None:
            close_folder(handle)


def _carefully(root: Root, path: str, most: int) -> Reading:
    """One file on its own: whatever its size, and with the reason if it cannot be read."""
    try:
        fd, status = root.open_with_stat(path)
    except Skipped as error:
        return error.reason, None
    return _read(fd, status, most)


def _read(fd: int, status: Status, most: int) -> Reading:
    """What an open file holds; closes it."""
    try:
        return (read_all(fd, status.st_size) if status.st_size <= most else None), IDENTITY(status)
    except OSError as error:
        return skipped(error).reason, IDENTITY(status)
    finally:
        os.close(fd)


def _on_disk_only(root: Root, paths: Sequence[str]) -> bool:
    """Whether some of these files are not in the page cache, by a sample that waits for no disk."""
    if not _NO_WAITING:
        return False
    buffer = bytearray(1)
    for path in paths[:: max(1, len(paths) // _SAMPLE)]:
        try:
            fd = root.open(path)
        except Skipped:
            continue
        try:
            os.preadv(fd, (buffer,), 0, _NO_WAITING)
        except BlockingIOError:
            return True
        except OSError:  # a file system that cannot tell
            return False
        finally:
            os.close(fd)
    return False


def _announced(root: Root, paths: Sequence[str], most: int) -> Iterator[Reading]:
    """Files open ahead of the one that is read, so that the disk has something to do meanwhile."""
    opened: deque[tuple[int, Status] | SkipReason] = deque()
    try:
        for path in paths:
            if len(opened) == _AHEAD:
                yield _finished(opened.popleft(), most)
            opened.append(_announce(root, path, most))
        while opened:
            yield _finished(opened.popleft(), most)
    finally:
        for left in opened:
            if isinstance(left, tuple):
                os.close(left[0])


def _announce(root: Root, path: str, most: int) -> tuple[int, Status] | SkipReason:
    try:
        fd, status = root.open_with_stat(path)
    except Skipped as error:
        return error.reason
    if status.st_size <= most:
        with contextlib.suppress(OSError, AttributeError):  # only a hint, and not everywhere
            os.posix_fadvise(fd, 0, status.st_size, os.POSIX_FADV_WILLNEED)
    return fd, status


def _finished(opened: tuple[int, Status] | SkipReason, most: int) -> Reading:
    return _read(*opened, most) if isinstance(opened, tuple) else (opened, None)
