"""Requests to processes: those that work are waited for, those that fall silent are ended."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lens_lsp.corpus.pipes import MOST_BYTES, Pipe

WORKER = """
import os, signal, sys, time
from lens_lsp.corpus.pipes import serve
def handle(data):
    {body}
    return data[::-1]
serve(handle, sys.stdin.buffer, sys.stdout.buffer)
"""


@contextmanager
def worker(body: str) -> Iterator[tuple[Pipe, subprocess.Popen[bytes]]]:
    command = [sys.executable, "-c", WORKER.format(body=body)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield Pipe(process), process
        finally:
            process.kill()


def test_process_that_works_longer_than_it_may_be_silent_is_waited_for() -> None:
    """It works for four seconds; of twelve it may be silent for three."""
    with worker("time.sleep(4) if data == b'long' else None") as (pipe, process):
        assert pipe.send(b"short", lambda: time.monotonic() + 60) == b"trohs"
        assert pipe.send(b"long", lambda: time.monotonic() + 12) == b"gnol"
        assert pipe.send(b"x" * (3 << 20), lambda: time.monotonic() + 60) == b"x" * (3 << 20)
        assert process.poll() is None


def test_process_that_is_stopped_is_ended_long_before_the_time_is_over() -> None:
    with worker("os.kill(os.getpid(), signal.SIGSTOP) if data == b'stop' else None") as (pipe, process):
        pipe.send(b"ok", lambda: time.monotonic() + 60)
        begun = time.monotonic()
        with pytest.raises(EOFError, match=r"it said nothing for 3\.0 s"):
            pipe.send(b"stop", lambda: begun + 12)
        assert time.monotonic() - begun < 12
        assert process.wait() < 0


def test_process_that_works_for_ever_is_late() -> None:
    with worker("time.sleep(1000) if data == b'x' else None") as (pipe, _):
        pipe.send(b"ok", lambda: time.monotonic() + 60)
        with pytest.raises(EOFError, match="did not answer in time"):
            pipe.send(b"x", lambda: time.monotonic() + 5)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("b'Welcome to the machine'", "no message"),
        (f"({MOST_BYTES} + 1).to_bytes(8, 'little')", "no message"),
        ("(100).to_bytes(8, 'little') + b'half'", "in the middle of a reply"),
        ("b''", "it ended"),
    ],
)
def test_what_is_no_message_ends_the_request(said: str, why: str) -> None:
    body = f"sys.stdout.buffer.write({said}); sys.stdout.buffer.flush(); os._exit(0)"
    with worker(body) as (pipe, _), pytest.raises(EOFError, match=why):
        pipe.send(b"x", lambda: time.monotonic() + 60)
