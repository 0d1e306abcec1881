"""What a process that reads strangers' documents gives up before it sees one.

Each system gives what it has. Linux: memory, processor time, files, network, programs. macOS: processor time and
files that grow; its limit on memory is not kept to. Windows: nothing here. Being killed on time is the parent's doing
and works everywhere.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from lens_lsp.model.lazy_dataclass import dataclass

Protection = Literal["memory", "files", "network", "programs"]
"""What is kept from the process: more memory than its share, files but its own code, sockets, starting programs."""
CPU_SECONDS = 600
"""Of a worker's whole life."""
_OPEN_FILES = 64
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _SECCOMP_FILTER = 38, 22, 2
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights of files each version of Landlock knows; later ones know 16."""
_TCP, _SIGNALS_AND_SOCKETS = 0b11, 0b11
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
_CALLS = {
    # socket, execve, execveat, ptrace, io_uring_setup
    "x86_64": (0xC000003E, (41, 59, 322, 101, 425)),
    "aarch64": (0xC00000B7, (198, 221, 281, 117, 425)),
}
"""By machine: what it is called by the kernel's auditing, and the calls that nobody who reads a document makes."""
_STARTS = (1, 2)
"""Where among the calls those are that start a program."""
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_OTHER_TABLE = 0x40000000
"""Numbers from here on are calls of x86-64 by another table."""


@dataclass(frozen=True, slots=True)
class Code:
    """Folders that the process may go on importing from."""

    listed: Sequence[str] = ()
    """Their names may be listed, nothing in them be read."""
    read: Sequence[str] = ()
    """Everything in them."""


def confine(code: Code, memory: int | None) -> frozenset[Protection]:
    """Give up what the system lets a process give up for good; tells what of it that was.

    Called once, before any other thread. ``memory`` in bytes, ``None`` for no limit.
    """
    kept: set[Protection] = set()
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        separate = libc.unshare(_NEW_USER | _NEW_NETWORK) == 0
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        kept |= {"files"} if _files(libc, _code(code)) else set()
        filtered = _calls(libc)
        kept |= {"programs"} if filtered else set()
        kept |= {"network"} if filtered or separate else set()
    if sys.platform != "win32":
        kept |= {"memory"} if _limits(memory) else set()
    return frozenset(kept)


def confine_program(folders: Sequence[str], memory: int) -> None:
    """Give up what the program that this process is about to become does not need.

    It may read the system's own folders and ``folders``, and start what is there.
    """
    if sys.platform != "win32":
        _limits(memory)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.unshare(_NEW_USER | _NEW_NETWORK)
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        rights = _READ_FILE | _READ_FOLDER | _EXECUTE
        _files(libc, [(path, rights) for path in (*_SYSTEM_LIBRARIES, "/usr", *folders)])
        _calls(libc, programs=True)


def _limits(memory: int | None) -> bool:
    """Whether the limit on memory holds."""
    import resource  # there is none on Windows

    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
    ):
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (value, value))
    if memory is None:
        return False
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except (OSError, ValueError):
        return False
    return sys.platform == "linux"


def _code(code: Code) -> list[tuple[str, int]]:
    """What may be read of code, and how."""
    base = [os.path.join(prefix, "lib") for prefix in (sys.prefix, sys.base_prefix)]
    whole = [(path, _READ_FILE | _READ_FOLDER) for path in (*_SYSTEM_LIBRARIES, *base, *code.read)]
    return [*whole, *((path, _READ_FOLDER) for path in code.listed)]


def _files(libc: ctypes.CDLL, allowed: Sequence[tuple[str, int]]) -> bool:
    """Keep the process from all files but some, with Landlock; whether the kernel has it."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    fields = [rights, *([_TCP] if version >= 4 else []), *([_SIGNALS_AND_SOCKETS] if version >= 6 else [])]
    asked = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = libc.syscall(_CREATE_RULESET, asked, ctypes.c_size_t(len(asked)), 0)
    if ruleset < 0:
        return False
    try:
        for path, rights in allowed:
            _allow(libc, ruleset, path, rights)
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    """Except one folder and what is below it, or one file."""
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = struct.pack("=Qi", rights if os.path.isdir(path) else rights & (_READ_FILE | _EXECUTE), opened)
        libc.syscall(_ADD_RULE, ruleset, 1, rule, 0)
    finally:
        os.close(opened)


def _calls(libc: ctypes.CDLL, *, programs: bool = False) -> bool:
    """Refuse new sockets and, unless they are needed, programs; whether the kernel does."""
    machine, calls = _CALLS.get(platform.machine(), (0, ()))
    refused = [call for at, call in enumerate(calls) if not (programs and at in _STARTS)]
    if not refused:
        return False
    count = len(refused)
    # Jumps count from the next step: each number refused goes to the last one.
    program = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, count + 1, 0, _OTHER_TABLE),
        *((_EQUAL, count - index, 0, call) for index, call in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE | errno.EPERM),
    ]
    written = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    filters = struct.pack("@HP", len(program), ctypes.addressof(written))
    return bool(libc.prctl(_SET_SECCOMP, _SECCOMP_FILTER, filters, 0, 0) == 0)
