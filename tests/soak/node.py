"""A script that runs in node: what is asked of it is a line of JSON, and so is each of its answers."""

from __future__ import annotations

import json
import os
import subprocess
from types import TracebackType
from typing import Any

READ_LINES = """
require('readline').createInterface({ input: process.stdin }).on('line', line =>
  process.stdout.write(JSON.stringify(answered(JSON.parse(line))) + '\\n'));
"""
"""Behind a script that has a function ``answered``."""


class Node:
    """A node process with a script, which defines ``answered(asked)``. Use it in a ``with`` statement.

    ``modules`` is the folder of npm packages that it may require.
    """

    def __init__(self, script: str, modules: str = "") -> None:
        self._process = subprocess.Popen(
            ["node", "-e", script + READ_LINES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "NODE_PATH": modules},
        )

    def __enter__(self) -> Node:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def answer(self, asked: object) -> Any:
        """What the script answers."""
        commands, output = self._process.stdin, self._process.stdout
        assert commands is not None
        assert output is not None
        commands.write(json.dumps(asked).encode() + b"\n")
        commands.flush()
        return json.loads(output.readline())
