"""The end of a process that leads a group of its own, and of all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and what it started, and wait until it is gone; on Windows itself alone."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
