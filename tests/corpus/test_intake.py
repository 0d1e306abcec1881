"""Memory that nobody uses goes back to the system."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

GIVING = """
from lens_lsp.corpus.intake import malloc_trim, malloc_keep_blocks

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

malloc_keep_blocks()
blocks = [bytearray(1 << 18) for _ in range(256)]  # 64 MiB
blocks[:-1] = []  # the last one stands above all the others
before = resident()
malloc_trim()
print(before - resident())
"""


SHARING = """
import ctypes, sys, threading
from lens_lsp.corpus.intake import malloc_share_arena

if sys.argv[1] == "shared":
    malloc_share_arena()
all_there = threading.Barrier(4)

def work():
    held = bytearray(100_000)
    all_there.wait()

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
ctypes.CDLL(None).malloc_stats()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives each thread a heap, and tells of them")
@pytest.mark.parametrize(("how", "several"), [("shared", False), ("apart", True)])
def test_threads_share_a_heap(how: str, several: bool) -> None:
    told = subprocess.run([sys.executable, "-c", SHARING, how], capture_output=True, text=True, check=True)
    assert (told.stderr.count("Arena ") > 1) == several


def test_holes_are_given_back() -> None:
    told = subprocess.run([sys.executable, "-c", GIVING], capture_output=True, text=True, check=True)
    if platform.libc_ver()[0] == "glibc":  # elsewhere that it is no error is all there is to show
        assert int(told.stdout) > 32 << 20
