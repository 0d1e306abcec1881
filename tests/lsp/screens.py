"""A terminal that a real editor runs in: keys go in, the screen is read. tmux is the terminal."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from tests.lsp.editors import REPOSITORY, editor
from tests.lsp.lsp_client import wait_until

PATIENCE = 60.0
_WIDTH, _HEIGHT = 160, 45
_AGAIN = 10.0
"""Seconds until keys are pressed once more, for an editor whose server was not there yet."""
_ESCAPE = 0.2
"""Seconds until an escape is a key of its own."""


class Screen:
    """One program in a terminal. Use it in a ``with`` statement: the terminal is gone afterwards."""

    def __init__(
        self, command: Sequence[str], folder: Path, env: Mapping[str, str], size: tuple[int, int] = (_WIDTH, _HEIGHT)
    ) -> None:
        self._tmux = [editor("tmux"), "-S", str(Path(env["HOME"], "terminal")), "-f", "/dev/null"]
        given = [f"{name}={value}" for name, value in (dict(env) | {"TERM": "screen-256color"}).items()]
        sized = ["-x", str(size[0]), "-y", str(size[1])]
        self._run("new-session", "-d", "-s", "x", *sized, "-c", str(folder), "env", "-i", *given, *command)
        self._run("set-option", "-s", "escape-time", "0")

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run("kill-server")

    def press(self, *keys: str) -> None:
        """Press keys by their names: ``Enter``, ``Escape``, ``M-x``, ``C-g``, or a letter."""
        for key in keys:
            self._run("send-keys", "-t", "x", key)
            if key == "Escape":  # a terminal tells it from the beginning of another key by time alone
                threading.Event().wait(_ESCAPE)

    def type(self, text: str) -> None:
        """Type a text as it is."""
        self._run("send-keys", "-t", "x", "-l", "--", text)

    def text(self) -> str:
        """What stands on the screen."""
        return self._run("capture-pane", "-p", "-t", "x")

    def sees(self, *patterns: str) -> str:
        """Wait until all patterns are on the screen; it. Raises AssertionError with the screen."""
        held = wait_until(lambda: all(re.search(each, self.text(), re.MULTILINE) for each in patterns), PATIENCE)
        assert held, f"{patterns} not on\n{self.text()}"
        return self.text()

    def does_not_see(self, pattern: str) -> None:
        """Wait until a pattern is not on the screen any more."""
        assert wait_until(lambda: not re.search(pattern, self.text(), re.MULTILINE), PATIENCE), self.text()

    def until(self, keys: Sequence[str], pattern: str) -> str:
        """Press keys again and again until a pattern is on the screen; it."""

        def pressed() -> bool:
            self.press(*keys)
            return wait_until(lambda: re.search(pattern, self.text(), re.MULTILINE) is not None, _AGAIN)

        assert wait_until(pressed, PATIENCE), f"{pattern} not on\n{self.text()}"
        return self.text()

    def _run(self, *arguments: str) -> str:
        return subprocess.run([*self._tmux, *arguments], capture_output=True, text=True, timeout=PATIENCE).stdout


def keys_of(page: str, deed: str, number: int = 0, nth: int = 0) -> str:
    """The keys of the row of a page's table of keys that begins so, the first of the row, or the ``nth`` from 0;
    ``number`` counts the page's tables, from 0."""
    text = (REPOSITORY / "docs" / "how-to" / page).read_text()
    table = text.split("| Do | Keys |")[number + 1]
    [row] = re.findall(rf"^\| {re.escape(deed)} \| (.*) \|$", table, re.MULTILINE)
    found = [each for each in re.findall(r"`([^`]+)`", row) if not each.startswith("??")]
    return found[nth]
