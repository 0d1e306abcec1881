"""A file system whose faults are ours: a folder shown under another name, through ``/dev/fuse``.

Every request of the kernel passes `FaultyDisk.fault` first, which may take its time, give the number of an error, or
hold the request until it is let go. The kernel is spoken to directly: a library would answer what must stay unanswered.
Read-only, nothing is cached by the kernel, each request has a thread of its own. Mounting needs root.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from tests.soak.harness import LeftOut

Fault = Callable[[str, str], int]
"""Told what is asked (``lookup``, ``getattr``, ``open``, ``read`` from the beginning or ``read on``, ``opendir``,
``readdir``) of which path below the folder, ``""`` for itself; the number of an error, 0 for none."""

_FORCE, _DETACH = 1, 2
_DIRECT_IO = 1
_LARGEST = 1 << 20
_PARALLEL_LOOKUPS = 1 << 18
_AT_A_TIME = 64
_HEADER = struct.Struct("<IIQQIIIHH")
_REPLY = struct.Struct("<IiQ")
_ATTRIBUTES = struct.Struct("<6Q10I")
_NO_REPLY = {2, 36, 42}
"""Forget, interrupt and batch-forget."""
_OPENED = {14: "open", 27: "opendir"}
_NOTHING_TO_DO = {18, 25, 29, 34}
"""Release, flush, release of a folder, access."""


def sound(_what: str, _path: str) -> int:
    """No fault."""
    return 0


class FaultyDisk:
    """A folder shown at ``place``, an empty one. Use it in a ``with`` statement: it is unmounted afterwards, and what
    was still held ends with an error. Raises `LeftOut`."""

    def __init__(self, folder: Path, place: Path) -> None:
        self.fault: Fault = sound
        self._folder = os.fsencode(folder)
        self._place = os.fsencode(place)
        self._paths = {1: b""}
        self._numbers = {b"": 1}
        self._names = threading.Lock()
        self._workers = ThreadPoolExecutor(_AT_A_TIME)
        try:
            self._device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise LeftOut(f"/dev/fuse: {error.strerror}") from error
        self._libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self._device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
        if self._libc.mount(b"faulty", self._place, b"fuse", 0, options.encode()):
            os.close(self._device)
            raise LeftOut(f"mount: {os.strerror(ctypes.get_errno())}")
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> FaultyDisk:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._libc.umount2(self._place, _FORCE | _DETACH)
        self._thread.join()
        self._workers.shutdown()
        os.close(self._device)

    def _serve(self) -> None:
        while True:
            try:
                request = os.read(self._device, _LARGEST)
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.EINTR):  # who asked has given up
                    continue
                return
            self._workers.submit(self._answer, request)

    def _answer(self, request: bytes) -> None:
        _, operation, number, node, *_ = _HEADER.unpack_from(request)
        if operation in _NO_REPLY:
            return
        error, data = 0, b""
        try:
            data = self._replied(operation, self._paths[node], request[_HEADER.size :]) if node else _welcome()
        except OSError as refused:
            error = refused.errno or errno.EIO
        with suppress(OSError):  # nobody waits for it any more
            os.write(self._device, _REPLY.pack(_REPLY.size + len(data), -error, number) + data)

    def _replied(self, operation: int, path: bytes, body: bytes) -> bytes:
        if operation == 1:
            path = os.path.join(path, body.partition(b"\0")[0])
            status = self._status("lookup", path)
            return struct.pack("<4Q2I", self._number(path), 0, 0, 0, 0, 0) + _attributes(status)
        if operation == 3:
            return struct.pack("<Q2I", 0, 0, 0) + _attributes(self._status("getattr", path))
        if operation in _OPENED:
            self._ask(_OPENED[operation], path)
            return struct.pack("<Q2I", 0, _DIRECT_IO, 0)
        if operation in (15, 28):
            _, start, size = struct.unpack_from("<QQI", body)
            return self._read(path, start, size) if operation == 15 else self._listed(path, start, size)
        if operation == 17:
            return bytes(80)
        if operation in _NOTHING_TO_DO:
            return b""
        raise OSError(errno.ENOSYS, "not here")

    def _ask(self, what: str, path: bytes) -> None:
        error = self.fault(what, os.fsdecode(path))
        if error:
            raise OSError(error, os.strerror(error))

    def _status(self, what: str, path: bytes) -> os.stat_result:
        self._ask(what, path)
        return os.lstat(os.path.join(self._folder, path))

    def _read(self, path: bytes, start: int, size: int) -> bytes:
        self._ask("read" if start == 0 else "read on", path)
        with open(os.path.join(self._folder, path), "rb") as file:
            return os.pread(file.fileno(), size, start)

    def _listed(self, path: bytes, start: int, size: int) -> bytes:
        self._ask("readdir", path)
        data = b""
        for at, name in enumerate(sorted(os.listdir(os.path.join(self._folder, path)))[start:], start + 1):
            kind = os.lstat(os.path.join(self._folder, path, name)).st_mode >> 12
            entry = struct.pack("<QQII", at, at, len(name), kind) + name
            entry += bytes(-len(entry) % 8)
            if len(data) + len(entry) > size:
                break
            data += entry
        return data

    def _number(self, path: bytes) -> int:
        with self._names:
            number = self._numbers.setdefault(path, len(self._numbers) + 1)
            self._paths[number] = path
        return number


def _welcome() -> bytes:
    """The answer to the first request: the version, and of what the kernel offers only that a name that is looked up
    does not hold up the others of its folder."""
    return struct.pack("<4I2H2I2H8I", 7, 31, 0, _PARALLEL_LOOKUPS, 12, 9, 4096, 1, 0, 0, *[0] * 8)


def _attributes(status: os.stat_result) -> bytes:
    seconds, rest = zip(
        *(divmod(each, 10**9) for each in (status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns)), strict=True
    )
    return _ATTRIBUTES.pack(
        status.st_ino,
        status.st_size,
        status.st_blocks,
        *seconds,
        *rest,
        status.st_mode,
        status.st_nlink,
        status.st_uid,
        status.st_gid,
        0,
        4096,
        0,
    )
