"""A real ``sshd`` on the loopback interface that another user of this machine is let into, and ``ssh`` set up for it.

It makes that user, so it runs where ``LENS_REQUIRE`` names ``ssh``, for root alone.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.availability import unavailable

HOST = "lens-elsewhere"
"""What the server is called in the configuration of ``ssh``."""
_CONFIG = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
AuthorizedKeysFile {folder}/user.pub
AllowUsers {user}
SetEnv PATH={folder}/there:/usr/bin:/bin
"""
_CLIENT = """\
Host {host}
    HostName 127.0.0.1
    Port {port}
    User {user}
    IdentityFile {folder}/user
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known
    GlobalKnownHostsFile none
"""


@dataclass(frozen=True)
class SshServer:
    """A server, and the other user's folder."""

    user: str
    home: Path
    programs: Path
    """The folder with a program ``ssh`` that knows the server."""
    process: subprocess.Popen[bytes]

    def url(self, folder: Path) -> str:
        """A folder of the other user."""
        return f"ssh://{HOST}{folder}"

    def own(self, folder: Path) -> None:
        """Give a folder, and all in it, to the other user alone."""
        subprocess.run(["chown", "-R", self.user, str(folder)], check=True)
        subprocess.run(["chmod", "-R", "u=rwX,go=", str(folder)], check=True)


def required_ssh_server() -> Iterator[SshServer]:
    """The server, for a test; skipped where it may not or cannot be."""
    if "ssh" not in os.environ.get("LENS_REQUIRE", "").split(","):
        pytest.skip("a test with sshd makes a user of this machine: it runs where LENS_REQUIRE names ssh")
    with ssh_server() as found:
        if isinstance(found, str):
            unavailable("ssh", found)
        yield found


@contextmanager
def ssh_server() -> Iterator[SshServer | str]:
    """The server; why there can be none, in its place."""
    sshd = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
    missing = [name for name in ("ssh", "ssh-keygen", "useradd") if shutil.which(name) is None]
    if sshd is None or missing or getattr(os, "geteuid", lambda: 1)() != 0:
        yield f"needs root and sshd ({sshd}); not here: {', '.join(missing)}"
        return
    folder = Path(tempfile.mkdtemp(prefix="lens-sshd-", dir="/var/tmp"))
    folder.chmod(0o755)
    user = f"lens{os.getpid()}"
    home = folder / "home"
    subprocess.run(["useradd", "-d", str(home), "-m", "-s", "/bin/sh", "-p", "*", user], check=True)
    try:
        python = _python_of(user)
        if python is None:
            yield "no Python of this version that another user may start"
            return
        yield from _served(sshd, folder, user, home, python)
    finally:
        subprocess.run(["userdel", "-f", user], check=False)  # what it runs ends with its connection
        shutil.rmtree(folder, ignore_errors=True)


def _python_of(user: str) -> str | None:
    version = f"python3.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        said = ["runuser", "-u", user, "--", "env", f"PYTHONPATH={_PACKAGES}", python, "-c", "import lens_lsp, numpy"]
        if subprocess.run(said, capture_output=True, check=False, cwd="/").returncode == 0:
            return python
    return None


_PACKAGES = os.pathsep.join(
    path for path in sys.path if path.endswith("-packages") or (Path(path) / "lens_lsp").is_dir()
)


def _served(sshd: str, folder: Path, user: str, home: Path, python: str) -> Iterator[SshServer]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    (folder / "known").write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
    there, here = folder / "there", folder / "here"
    _program(there / "lens", f'#!/bin/sh\nPYTHONPATH="{_PACKAGES}" exec "{python}" -P -m lens_lsp "$@"\n')
    _program(here / "ssh", f'#!/bin/sh\nexec {shutil.which("ssh")} -F "{folder}/client" "$@"\n')
    (folder / "client").write_text(_CLIENT.format(host=HOST, port=port, user=user, folder=folder))
    (folder / "server").write_text(_CONFIG.format(port=port, user=user, folder=folder))
    os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sshd, "-D", "-e", "-f", str(folder / "server")], stderr=log, stdin=subprocess.DEVNULL
        )
    try:
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1.0).close()
                break
            except OSError:
                continue
        yield SshServer(user, home, here, process)
    finally:
        process.terminate()
        process.wait()


def _program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
