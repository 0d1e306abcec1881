"""Readers that a worker is made to import in tests: each does what a parser under attack might do."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

from lens_lsp.documents.kinds import DocumentKind, Extracted, Failure, Unextracted
from lens_lsp.model.documents import LocatorMap


def kind(reader: str) -> DocumentKind:
    """The kind that one of the classes below reads."""
    return DocumentKind(reader.lower(), (), __name__.rpartition(".")[2], reader)


class Echo:
    def extract(self, data: bytes) -> Extracted:
        return Extracted(data.decode())

    def glance(self, data: bytes) -> str:
        return f"about {data.decode()}"


class Sleeps:
    def extract(self, data: bytes) -> Extracted:
        time.sleep(float(data))
        return Extracted("slept")

    def glance(self, data: bytes) -> str:
        time.sleep(float(data))
        return "slept"


class Spins:
    """Keeps Python's own lock for some years, as a library in C may."""

    def extract(self, data: bytes) -> Extracted:
        return Extracted(f"came to {sum(range(int(data) * 10**15))}")


class Takes:
    """As much memory as it is told to, in mebibytes."""

    def extract(self, data: bytes) -> Extracted:
        return Extracted(f"{len(bytearray(int(data) << 20))} bytes")


class Crashes:
    def extract(self, data: bytes) -> Extracted:
        os.kill(os.getpid(), int(data))
        return Extracted("alive")


class Raises:
    def extract(self, data: bytes) -> Extracted:
        raise ZeroDivisionError("of a library")


class Refuses:
    def extract(self, data: bytes) -> Extracted:
        raise Unextracted(Failure.ENCRYPTED, "a password,\n\x1b[31mplease")


class Recurses:
    def extract(self, data: bytes) -> Extracted:
        return self.extract(data)


class Blank:
    def extract(self, data: bytes) -> Extracted:
        return Extracted(" \n")


class Prints:
    def extract(self, data: bytes) -> Extracted:
        print("x" * 100_000)
        os.write(1, b"\0" * 100_000)
        os.write(2, b"\0" * 100_000)
        return Extracted(f"read {len(sys.stdin.read())}")


class Tells:
    """What its process has."""

    def extract(self, data: bytes) -> Extracted:
        told = {
            "environment": dict(os.environ),
            "arguments": sys.orig_argv,
            "folder": os.getcwd(),
            "isolated": sys.flags.isolated,
            "process": os.getpid(),
            "open": _open_files(),
        }
        return Extracted(json.dumps(told))


class Reaches:
    """Says what came of trying to do what the data names."""

    def extract(self, data: bytes) -> Extracted:
        what, _, argument = data.decode().partition(" ")
        try:
            _TRIES[what](argument)
        except OSError as error:
            return Extracted(f"refused: {type(error).__name__}")
        return Extracted("done")


class Lies:
    """Gives places that stand nowhere in its text."""

    def extract(self, data: bytes) -> Extracted:
        return Extracted("short", LocatorMap((0, 10**6), ({"page": 1}, {"page": 2})))


class Floods:
    """Writes to the parent by itself: the bytes that it was given, over and over."""

    def extract(self, data: bytes) -> Extracted:
        for pipe in range(3, 10):
            try:
                while os.write(pipe, data):
                    pass
            except OSError:
                continue
        return Extracted("written")


class Forks:
    """Leaves a process behind that holds the pipes open."""

    def extract(self, data: bytes) -> Extracted:
        if not float(data):
            return Extracted("left nothing behind")
        if os.fork() == 0:
            os.setsid()
            time.sleep(float(data))
            os._exit(0)
        os._exit(1)


def _open_files() -> list[int]:
    found = []
    for number in range(64):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found


def _connect(address: str) -> None:
    with socket.create_connection(("127.0.0.1", int(address)), timeout=1):
        pass


def _send(address: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", int(address)))


def _read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


def _write(path: str) -> None:
    with open(path, "wb") as file:
        file.write(b"x")


def _run(path: str) -> None:
    subprocess.run([path], check=False)


_TRIES = {"connect": _connect, "send": _send, "list": os.listdir, "read": _read, "write": _write, "run": _run}
