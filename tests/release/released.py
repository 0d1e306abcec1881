"""The commands of a release as a test runs them: in this tree or a copy, with what this machine has."""

from __future__ import annotations

import importlib.util
import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

from tests.availability import unavailable
from tests.conftest import REPOSITORY

TIME = "1780000000"
"""What every file of the releases here is dated with, in seconds since 1970."""
_NO_INDEX = re.compile("No matching distribution|Could not find a version|Failed to establish|Connection|Network")
PATIENCE = 1800.0
"""Seconds that one command may take: a download, on a machine that does other things, too."""


def tools() -> None:
    """Skip where the extra ``release`` is not installed."""
    for module in ("hatchling", "cyclonedx_py", "uv", "pipx"):
        if importlib.util.find_spec(module) is None:
            unavailable("release", f"the extra `release` is not installed: there is no {module}")


def own_environment() -> dict[str, str]:
    """The environment that tests run in, with the home whose settings say where packages come from."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GIT_"))}
    return env | {"HOME": pwd.getpwuid(os.getuid()).pw_dir, "SOURCE_DATE_EPOCH": TIME}


def release(*arguments: str, tree: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    """Run ``python -m release``, whatever comes of it."""
    tools()
    command = [sys.executable, "-m", "release", *arguments]
    return subprocess.run(
        command,
        cwd=tree,
        env=own_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


def made(*arguments: str, tree: Path = REPOSITORY) -> None:
    """Run ``python -m release`` to its end; skipped where packages cannot be downloaded."""
    outcome = release(*arguments, tree=tree)
    if outcome.returncode and _NO_INDEX.search(outcome.stderr):
        unavailable("index", f"no packages can be downloaded here: {outcome.stderr[-300:]}")
    assert outcome.returncode == 0, outcome.stderr
