"""Ctrl-C while a question is answered."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from threading import Thread

import pytest
from lens_process import TIMEOUT

from lens_lsp.cli.ask import interrupts
from lens_lsp.judge.cancellation import Stop

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

TWICE = """
import asyncio, signal
from lens_lsp.cli.ask import interrupts
from lens_lsp.judge.cancellation import Stop

async def work(stop):
    signal.raise_signal(signal.SIGINT)
    await asyncio.sleep(0)
    print("goes on", stop.asked(), flush=True)
    signal.raise_signal(signal.SIGINT)
    print("never reached", flush=True)

stop = Stop()
with interrupts(stop):
    asyncio.run(work(stop))
"""


def test_the_first_interrupt_is_only_noted() -> None:
    before = signal.getsignal(signal.SIGINT)
    stop = Stop()
    with interrupts(stop):
        assert not stop.asked()
        signal.raise_signal(signal.SIGINT)
        assert stop.asked()
    assert signal.getsignal(signal.SIGINT) is before


def test_the_second_leaves_at_once_also_out_of_a_running_loop(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TWICE], env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "goes on True\n", "")


def test_outside_the_main_thread_nothing_is_taken_over() -> None:
    seen: list[object] = []

    def enter() -> None:
        with interrupts(Stop()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
