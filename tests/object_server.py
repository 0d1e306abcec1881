"""A store of objects that speaks S3 (moto's server) in a process of its own, on this machine alone."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.availability import unavailable

_KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
_FILES = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}


def missing() -> str:
    """Why there can be none; empty where there can."""
    absent = [name for name in ("moto", "flask", "s3fs", "boto3") if importlib.util.find_spec(name) is None]
    return f"{', '.join(absent)} not installed: pip install 'lens-lsp[objects]' 'moto[s3,server]'" if absent else ""


_SERVE = """
import sys
from pathlib import Path
port, bucket, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
if bucket:
    from moto.s3.models import s3_backends
    backend = s3_backends["123456789012"]["aws"]
    backend.create_bucket(bucket, "us-east-1")
    for path in sorted(each for each in Path(folder).rglob("*") if each.is_file()):
        backend.put_object(bucket, path.relative_to(folder).as_posix(), path.read_bytes())
from moto.server import main
main(["-H", "127.0.0.1", "-p", str(port)])
"""


class ObjectServer:
    """The server, and what its owner does with it. ``url`` is where it listens; it begins ``filled`` with a bucket of
    the files of a folder."""

    def __init__(self, log: Path, filled: tuple[str, Path] | None = None) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url, self.log = f"http://127.0.0.1:{port}", log
        self.environment = {**_KEYS, **_FILES, "AWS_ENDPOINT_URL": self.url}
        command = [sys.executable, "-c", _SERVE, str(port), *map(str, filled or ("", ""))]
        environment = {**os.environ, **self.environment}
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        self._ready = threading.Event()
        self._marks = 0
        self._grown = threading.Condition()
        self._logging = threading.Thread(target=self._keep_log, daemon=True)
        self._logging.start()
        if not self._ready.wait(600) or self.process.poll() is not None:
            self.kill()
            raise RuntimeError(log.read_text("utf-8", "replace")[-2000:])
        import boto3  # a second client of the protocol, beside the one that is tested

        self.client: Any = boto3.client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    def _keep_log(self) -> None:
        """Write what the server says into the log; it is ready when it says where it runs."""
        assert self.process.stderr is not None
        with self.process.stderr as said, self.log.open("wb", buffering=0) as log:
            for line in said:
                with self._grown:
                    log.write(line)
                    self._grown.notify_all()
                if b"Running on" in line:
                    self._ready.set()
        self._ready.set()

    def bucket(self, name: str, objects: Mapping[str, bytes] = {}, *, versioned: bool = False) -> str:
        """Make a bucket with objects; its URL."""
        self.client.create_bucket(Bucket=name)
        if versioned:
            self.client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        for key, data in objects.items():
            self.put(name, key, data)
        return f"s3://{name}"

    def put(self, bucket: str, key: str, data: bytes) -> None:
        """Write an object."""
        self.client.put_object(Bucket=bucket, Key=key, Body=data)

    def requests(self) -> list[str]:
        """The lines of its log that tell of the requests that it has answered.

        The log is written beside what waits for the answers, and lags: so the server is asked for a name that nobody
        else asks for, and all of the log until then is waited for.
        """
        self._marks += 1
        mark = f"/mark-{self._marks}-"
        with suppress(urllib.error.HTTPError):  # there is no such page
            urllib.request.urlopen(f"{self.url}/moto-api{mark}", timeout=60).close()

        def lines() -> list[str]:
            said = self.log.read_text("utf-8", "replace").splitlines()
            return [line for line in said if '" ' in line and "HTTP/" in line]

        with self._grown:
            if not self._grown.wait_for(lambda: any(mark in line for line in lines()), 60):
                raise RuntimeError("the server's log does not go on")
            return [line for line in lines() if "/mark-" not in line]

    def kill(self) -> None:
        """End it without a word."""
        self.process.kill()
        self.process.wait()
        self._logging.join()


@contextmanager
def object_server(filled: tuple[str, Path] | None = None) -> Iterator[ObjectServer]:
    """A server for a while."""
    with tempfile.TemporaryDirectory() as folder:
        server = ObjectServer(Path(folder) / "log", filled)
        try:
            yield server
        finally:
            server.kill()


def required_server() -> Iterator[ObjectServer]:
    """The body of a fixture: the test is skipped, with the reason, where there can be no server."""
    if why := missing():
        unavailable("objects", why)
    with pytest.MonkeyPatch.context() as patch, object_server() as server:
        for name in [name for name in os.environ if name.startswith(("AWS_", "FSSPEC_"))]:
            patch.delenv(name)
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server
