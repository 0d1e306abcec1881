"""The terminal: colours, what may be written to standard output and error, the progress bar.

No control character out of a file reaches it (:mod:`lens_lsp.model.sanitize` makes texts, paths and JSON harmless), and
nothing is written once the reader has left.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from math import inf
from threading import Lock
from time import monotonic
from typing import TextIO

from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable as printable
from lens_lsp.model.sanitize import printable_path as printable_path
from lens_lsp.model.sanitize import sanitize_json as sanitize_json

_SURROGATE = regex("[\ud800-\udfff]")
_CLEAR_LINE = "\r\x1b[2K"
_BAR = 40
"""Columns of a progress bar."""
_REDRAW_SECONDS = 0.1
_STAGES = {
    "walk": "Listing",
    "read": "Reading",
    "extract": "Reading documents",
    "scan": "Scanning",
    "rank": "Ranking",
    "verify": "Verifying",
    "rerank": "Ordering",
}


class ReaderGone(Exception):
    """Whoever read our output has closed it, as ``head`` does: no failure, and no reason to go on."""


class OutputError(LensError):
    """The result could not be written."""

    code = "lens.output-failed"


def coloured(stream: TextIO | None, environment: Mapping[str, str]) -> bool:
    """Whether to colour ``stream``: ``NO_COLOR`` first, then the variables that force, then a terminal."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "") not in ("", "0") or environment.get("CLICOLOR_FORCE", "") not in (
        "",
        "0",
    ):
        return True
    if environment.get("TERM") == "dumb" or "0" in (
        environment.get("CLICOLOR"),
        environment.get("FORCE_COLOR"),
    ):
        return False
    return is_terminal(stream)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at the stream."""
    return stream is not None and not stream.closed and stream.isatty()


def is_kept(stream: TextIO | None) -> bool:
    """Whether what is written to the stream stays: it is a file with a name, as behind ``>``."""
    try:
        status = None if stream is None else os.fstat(stream.fileno())
    except (OSError, ValueError):  # standard output is no file here
        return False
    return status is not None and stat.S_ISREG(status.st_mode) and status.st_nlink > 0


def open_output(*, machine: bool = False) -> None:
    """Ready standard output: no character is ever a reason to fail, and machines are always given UTF-8."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is None:
        return
    if machine or not (is_terminal(sys.stdout) or os.environ.get("PYTHONIOENCODING")):
        reconfigure(encoding="utf-8", errors="replace")
    else:
        reconfigure(errors="replace")


def put(text: str) -> None:
    """Write a part of the result and hand it on at once.

    Raises :class:`ReaderGone` when the reader has left and :class:`OutputError` when writing fails otherwise.
    Neither is an ``OSError``, so that no layer in between takes it for a file that cannot be read.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed; open it or redirect it to a file")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise ReaderGone from error
    except (OSError, ValueError) as error:
        silence_output()
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise OutputError(f"the result could not be written: {reason}") from error


def put_json(document: Mapping[str, object], *, one_line: bool = False) -> None:
    """Write a JSON document and hand it on; indented for people, else on one line. Raises as :func:`put`."""
    # Indenting takes json's slow path; only people want it.
    indent = 2 if is_terminal(sys.stdout) and not one_line else None
    put(sanitize_json(json.dumps(document, ensure_ascii=False, indent=indent)) + "\n")


def tell(sentence: str) -> None:
    """One line on standard error, never more and never an error of its own."""
    note("lens: " + printable_path(sentence))


def note(text: str) -> None:
    """Text on standard error; lost without complaint when nobody can read it."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(_SURROGATE.sub("\ufffd", text) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def finish() -> None:
    """Hand on whatever argparse or another package left in the buffer."""
    if sys.stdout is not None and not sys.stdout.closed:
        put("")


def silence_output() -> None:
    """Let the interpreter's last flush go nowhere instead of failing."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):  # standard output is no file here: nothing to redirect
        return


class ProgressBar:
    """A progress bar on standard error that appears when a search takes long and leaves nothing behind.

    ``patience`` is the seconds before anything is shown: most searches are over by then. Any thread may call it.
    """

    def __init__(self, *, shown: bool, patience: float = 1.0) -> None:
        self._started = monotonic()
        self._next = self._started + patience if shown and os.environ.get("TERM") != "dumb" else inf
        """When it is drawn again, on the monotonic clock."""
        self._drawn = False
        self._lock = Lock()

    def update(self, stage: str, done: int, total: int | None) -> None:
        """Show how far a stage is; ``total`` None means that nobody knows yet."""
        with self._lock:
            now = monotonic()
            if now < self._next:
                return
            seconds = int(now - self._started)
            bar = "" if not total else f" {'━' * (_BAR * min(done, total) // total):{_BAR}}"
            line = f"{_STAGES.get(stage, stage)}{bar} {done:,}/{total or '?'} {seconds // 60}:{seconds % 60:02}"
            from shutil import get_terminal_size

            self._write(_CLEAR_LINE + line[: get_terminal_size().columns - 1])
            self._drawn, self._next = True, now + _REDRAW_SECONDS

    def close(self) -> None:
        """Clear the bar for good: results follow on the same terminal."""
        with self._lock:
            self._next = inf
            if self._drawn:
                self._drawn = False
                self._write(_CLEAR_LINE)

    @staticmethod
    def _write(text: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()
