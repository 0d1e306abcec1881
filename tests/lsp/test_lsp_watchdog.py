"""Whether the process that we work for is still the one that runs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from lens_lsp.lsp.server import ClientProcess, Watchdog


def ended() -> int:
    """The number of a process that is gone."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_process_is_known_by_its_number_and_when_it_began() -> None:
    mine = ClientProcess.of(os.getpid())
    assert mine is not None
    assert mine.lives()
    assert mine.began is None or not ClientProcess(mine.pid, "some other time").lives()
    assert ClientProcess.of(ended()) is None


def test_a_process_that_nobody_has_buried_yet_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        known = ClientProcess.of(process.pid)
        assert known is not None
        assert known.lives()
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and stays in the table
        assert not known.lives()


def test_the_client_counts_and_without_one_the_parent() -> None:
    watchdog = Watchdog(lambda: None, lambda: None)
    assert not watchdog.alone()
    assert watchdog.follow(os.getpid())
    assert not watchdog.alone()
    for pid in (None, 0, -1, ended(), 2**31 - 1):
        assert not watchdog.follow(pid)
        assert not watchdog.alone()  # the parent is there


def test_it_says_so_first_and_leaves_afterwards() -> None:
    said: list[str] = []
    gone, left = threading.Event(), threading.Event()

    def notice() -> None:
        said.append("gone")
        gone.set()

    def leave() -> None:
        said.append("left")
        left.set()

    watchdog = Watchdog(notice, leave)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert watchdog.follow(process.pid)
        watchdog.start()
        process.communicate(b"\n")
    assert gone.wait(10)
    watchdog.stop()  # no need to wait out the grace
    assert left.wait(10)
    assert said == ["gone", "left"]
