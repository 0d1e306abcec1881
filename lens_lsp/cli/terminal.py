"""The terminal and what may reach it: no control character out of a file, nothing once the reader has left.

Escape sequences in a note could recolour, retitle or drive the terminal that shows it, and bidirectional
controls could make a quote read as what it is not, so they are taken out of every text and made visible in
every path.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from typing import TextIO

from lens_lsp.domain.errors import LensError

_SEQUENCE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")
_LINE_END = re.compile(r"\r\n|\r")
_UNSAFE = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f"
_CONTROL = re.compile(f"[\x00-\x08\x0e-\x1f{_UNSAFE}]")
_PAGE_BREAK = re.compile("[\x0b\x0c]")
_IN_NAME = re.compile(f"[\x00-\x1f{_UNSAFE}]")
_IN_JSON = re.compile(f"[{_UNSAFE}]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class ReaderGone(Exception):
    """Whoever read our output has closed it, as ``head`` does: no failure, and no reason to go on."""


class OutputError(LensError):
    """The result could not be written."""

    code = "lens.output-failed"


def printable(text: str) -> str:
    r"""A text from a file as it may be shown: lines end in ``\n``, no control character but that and tab."""
    text = _LINE_END.sub("\n", text)
    text = _SEQUENCE.sub("", text)
    text = _PAGE_BREAK.sub(" ", text)
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def printable_path(path: str) -> str:
    r"""A path on one line: control characters as ``\n`` or ``\x1b``, bytes that are no text as U+FFFD."""
    return _SURROGATE.sub("\ufffd", _IN_NAME.sub(_escaped, path))


def inert_json(text: str) -> str:
    """JSON of the same value in which no character can drive a terminal; lone surrogates become U+FFFD.

    A lone surrogate is a byte of a file name that is no text, and strict JSON readers refuse it.
    """
    return _SURROGATE.sub("\ufffd", _IN_JSON.sub(_json_escape, text))


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
    put(inert_json(json.dumps(document, ensure_ascii=False, indent=indent)) + "\n")


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


def _escaped(found: re.Match[str]) -> str:
    char = found.group()
    return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(char) or _code(ord(char))


def _code(point: int) -> str:
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def _json_escape(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
