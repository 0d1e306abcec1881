"""Folders of other machines (``ssh://[user@]host[:port]/path``), over the user's own ``ssh`` and ``lens shard`` there.

Keys, known hosts, jump hosts and everything else of a connection are those of ``ssh`` and of its configuration; it is
never asked for a password. Only a folder that the user typed is connected to (`allow`). Both sides say their version
first, and stop where these differ. What the other side reads is the folder that it was told at the start, by the rules
of its own machine; what is said here can only leave more out.

One connection serves a folder: for the steps of a search (`search.shards`), and for the files themselves (`SshFiles`),
which a root of an object store (`corpus.object_store`) lists and reads like objects.
"""

from __future__ import annotations

import atexit
import base64
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.pipes import PROTOCOL, Pipe
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.walk import FileEntry, Listings, discover, file_entry
from lens_lsp.disk import is_ssh_url
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.errors import HostUnusable, LensError, PathRefused
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable

REMOTE_COMMAND = ("lens", "shard")
"""What is started on the other side."""
_URL = regex(
    r"ssh://(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.+-]*)@)?(?P<host>[A-Za-z0-9][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>/[^\0]+)"
)
_LISTING, _CALL = 300.0, 20.0
"""Seconds for a listing, and for anything else that is asked about files."""
_SAID = 20
"""Lines of what ``ssh`` said that are kept."""


@dataclass(frozen=True, slots=True)
class SshPlace:
    """A folder of another machine."""

    user: str | None
    host: str
    port: int | None
    path: str
    """Absolute there; one that begins with ``~`` starts from a home folder."""

    @classmethod
    def of(cls, url: str) -> SshPlace:
        """The place that a URL means, taken literally: nothing in it is decoded. Raises `PathRefused`."""
        found = _URL.fullmatch(url)
        if found is None or not url.isprintable():
            raise PathRefused(
                f"{printable(url)} names no folder of another machine; write ssh://HOST/FOLDER or"
                " ssh://USER@HOST:PORT/FOLDER, and what else a connection needs into ~/.ssh/config"
            )
        path = found["path"]
        path = path[1:] if path.startswith("/~") else path
        if {".", ".."} & set(path.split("/")):
            raise PathRefused(f"{printable(url)} holds a . or .. as a folder; name the folder itself")
        port = int(found["port"]) if found["port"] else None
        return cls(found["user"], found["host"].strip("[]"), port, path)

    @property
    def machine(self) -> str:
        """The machine, as the user named it."""
        return f"{self.user}@{self.host}" if self.user else self.host

    @property
    def command(self) -> list[str]:
        """What connects to it. Nothing of it is a word of options to ``ssh``, whatever the URL holds."""
        program = shutil.which("ssh")
        if program is None:
            raise HostUnusable(f"{self.machine} cannot be reached: there is no program ssh on this machine's PATH")
        port = [] if self.port is None else ["-p", str(self.port)]
        user = [] if self.user is None else ["-l", self.user]
        return [program, "-T", "-o", "BatchMode=yes", *port, *user, "--", self.host, *REMOTE_COMMAND]


class SshConnection:
    """A process of ``ssh`` and the ``lens shard`` behind it, begun when something is asked first. Safe for threads."""

    def __init__(self, url: str, version: str, hello: Mapping[str, object]) -> None:
        """``version`` is ours, ``hello`` says what is left out there, beside what that machine leaves out. Raises
        `PathRefused`."""
        self.place = SshPlace.of(url)
        self._version = version
        self._hello = {"lens": version, "protocol": PROTOCOL, "path": self.place.path, **hello}
        self._turn = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        """That of ``ssh``, while it is there."""
        self._pipe: Pipe | None = None
        self._said: deque[str] = deque(maxlen=_SAID)

    def send(self, data: bytes, until: Callable[[], float]) -> bytes:
        """The reply to a request, as `Pipe.send`. Raises EOFError, and `HostUnusable` where asking again is no use."""
        with self._turn:
            pipe = self._pipe or self._greeted(until)
        try:
            return pipe.send(data, until)
        except EOFError as error:
            self.close()
            raise EOFError(f"the connection to {self.place.machine} ended: {error}") from error

    def _greeted(self, until: Callable[[], float]) -> Pipe:
        machine = self.place.machine
        own = {name: value for name, value in os.environ.items() if not name.startswith("LENS_")}
        try:
            process = self.process = subprocess.Popen(
                self.place.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=own,  # ssh may be told to send variables along, and none of ours is for another machine
                start_new_session=True,  # what it starts is ended with it
            )
        except OSError as error:
            raise HostUnusable(f"{machine} cannot be reached: ssh does not start ({error.strerror})") from error
        listening = threading.Thread(target=self._listen, args=(process,), daemon=True)
        listening.start()
        pipe = Pipe(process, lambda: _end(process))
        try:
            reply = json.loads(pipe.send(json.dumps(self._hello).encode(), until))
            version, protocol = str(reply["lens"]), int(reply["protocol"])
            refused = reply["refused"]
        except EOFError as error:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)  # its status says why
            self.close()
            listening.join(1.0)
            raise self._unreached(process.returncode, error) from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self.close()
            raise HostUnusable(f"{machine}: what answers there is no lens shard") from error
        if (version, protocol) != (self._version, PROTOCOL):
            self.close()
            raise HostUnusable(
                f"{machine} has lens-lsp {printable(version)} (protocol {protocol}), this machine {self._version}"
                f" (protocol {PROTOCOL}); both must be the same: install lens-lsp {self._version} on {machine}"
            )
        if refused is not None:
            self.close()
            raise HostUnusable(f"{machine}: {printable(str(refused))[:300]}")
        self._pipe = pipe
        return pipe

    def _unreached(self, status: int | None, error: EOFError) -> Exception:
        """Why nothing came back at the start: what was too late may come when it is asked for again."""
        machine, said = self.place.machine, printable(self._said[-1])[:200] if self._said else ""
        if status == 127:
            why = f"there is no lens there; install lens-lsp {self._version} on {machine} so that `ssh {machine} lens"
            return HostUnusable(f"{machine}: {why} --version` shows it")
        if status == 255:
            return HostUnusable(
                f"{machine} cannot be reached: {said or 'ssh ended'}; try `ssh {machine} lens --version`"
            )
        if status is None or status < 0:  # ended here
            return EOFError(f"{machine}: {error}")
        why = f"; install lens-lsp {self._version} on {machine}"
        return HostUnusable(f"{machine} cannot search: {said or error}{why}")

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Keep the last of what ``ssh`` and the other side say on standard error."""
        assert process.stderr is not None
        with suppress(OSError), process.stderr as said:
            while line := said.readline(1000):
                if text := line.decode("utf-8", "replace").strip():
                    self._said.append(text)

    def close(self) -> None:
        """End it; the next request begins anew."""
        process, self.process, self._pipe = self.process, None, None
        if process is None:
            return
        _end(process)
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started."""
    if hasattr(os, "killpg") and process.returncode is None:  # else its number may be another's
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


_ALLOWED: dict[str, SshConnection] = {}


def allow(paths: Sequence[str], version: str, rules: CorpusRules, *, no_ignore: bool) -> None:
    """Let the folders of other machines among some paths be connected to: the user typed them. ``version`` is ours,
    ``rules`` are what is looked at here, ``no_ignore`` whether the user typed that ignore files count for nothing.
    Raises `PathRefused`."""
    for path in filter(is_ssh_url, paths):
        url = path.rstrip("/")
        if url not in _ALLOWED:
            hello = {"scopes": rules.scopes, "exclude": rules.exclude, "noIgnore": no_ignore}
            _ALLOWED[url] = SshConnection(url, version, hello)
    atexit.register(close_all)


def connection(url: str) -> SshConnection:
    """The connection to a folder. Raises `PathRefused` for one that the user did not type."""
    try:
        return _ALLOWED[url.rstrip("/")]
    except KeyError:
        raise PathRefused(
            f"{printable(url)}: a folder of another machine is searched by `lens find` and `lens ask` where it is typed"
        ) from None


def close_all() -> None:
    """End all connections; none may be begun until it is allowed again."""
    while _ALLOWED:
        _ALLOWED.popitem()[1].close()


class SshFiles:
    """The files of a folder of another machine, by what `corpus.object_store` asks of a file system of fsspec."""

    def __init__(self, url: str) -> None:
        self._connection = connection(url)
        self._prefix = url.partition("://")[2] + "/"
        self.skips: list[tuple[str, SkipReason]] = []
        """What the other side leaves out, and why."""

    @property
    def machine(self) -> str:
        """The machine, as the user named it."""
        return self._connection.place.machine

    def find(self, prefix: str, *, detail: bool = True) -> dict[str, dict[str, Any]]:
        """All files that are searched there, by their names behind the ``prefix``."""
        reply = self._asked({"files": "list"}, _LISTING)
        self.skips = [(str(path), SkipReason(reason)) for path, reason in reply["skips"]]
        return {f"{prefix}/{entry[0]}": _info(entry) for entry in reply["entries"]}

    def info(self, name: str) -> dict[str, Any]:
        """A file as it is now."""
        return _info(self._asked({"files": "look", "path": self._below(name)})["entry"])

    def cat_ranges(
        self, names: Sequence[str], starts: Sequence[int], ends: Sequence[int], *, on_error: str = "return"
    ) -> list[bytes | Exception]:
        """Ranges of files, each or why there is none."""
        ranges = [list(one) for one in zip(map(self._below, names), starts, ends, strict=True)]
        parts = self._asked({"files": "read", "ranges": ranges})["parts"]
        return [
            base64.b64decode(part["data"], validate=True) if "data" in part else Skipped(SkipReason(part["reason"]))
            for part in parts
        ]

    def _below(self, name: str) -> str:
        return name.removeprefix(self._prefix)

    def _asked(self, request: Mapping[str, object], seconds: float = _CALL) -> Any:
        until = time.monotonic() + seconds
        try:
            reply = json.loads(self._connection.send(json.dumps(request).encode(), lambda: until))
            if "reason" in reply:
                raise Skipped(SkipReason(reply["reason"]))
        except EOFError as error:
            raise ConnectionError(str(error)) from error
        else:
            return reply


def _info(entry: Sequence[Any]) -> dict[str, Any]:
    _, size, modified, *others = entry
    return {
        "type": "file",
        "size": size,
        "mtime": datetime.fromtimestamp(modified // 10**9, UTC),
        "ETag": "-".join(str(int(part)) for part in (modified, *others)),
    }


class FileServer:
    """The other side of `SshFiles`: files of one folder, those alone that its rules let be searched."""

    def __init__(self, path: str, rules: CorpusRules, known: Callable[[str], bool]) -> None:
        """``known`` says of a path whether a search of the folder came to it."""
        self._path, self._rules, self._known = path, rules, known
        self._listings = Listings()
        self._listed: frozenset[str] = frozenset()

    def handle(self, data: bytes) -> bytes:
        """The reply to a request; every failure has a reason."""
        try:
            request = json.loads(data)
            with Root(self._path) as root:
                match request:
                    case {"files": "list"}:
                        reply = self._list(root)
                    case {"files": "look", "path": str(path)}:
                        reply = {"entry": self._entry(root, path)[1:]}
                    case {"files": "read", "ranges": list(ranges)}:
                        reply = {"parts": [self._part(root, *one) for one in ranges]}
                    case _:
                        reply = {"reason": SkipReason.UNSUPPORTED}
        except Skipped as skipped:
            reply = {"reason": skipped.reason}
        except (LensError, ValueError, TypeError, OSError):
            reply = {"reason": SkipReason.UNREADABLE}
        return json.dumps(reply).encode()

    def _list(self, root: Root) -> dict[str, object]:
        found = discover(root, self._rules, listings=self._listings)
        self._listed = frozenset(entry.path for entry in found.files)
        skips = [(skip.path, skip.reason) for skip in found.skips]
        return {"entries": [entry[1:] for entry in found.files], "skips": skips}

    def _entry(self, root: Root, path: str) -> FileEntry:
        if path not in self._listed and not self._known(path):
            raise Skipped(SkipReason.MISSING)
        return file_entry(0, path, root.status_now(path))

    def _part(self, root: Root, path: str, start: int, end: int) -> dict[str, str]:
        try:
            self._entry(root, path)
            return {"data": base64.b64encode(root.read_range(path, start, end)).decode()}
        except Skipped as skipped:
            return {"reason": skipped.reason}
