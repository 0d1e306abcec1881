"""A file replaced whole or not at all, whatever ends the process on the way."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

PART = ".part"
"""How the name of a file ends that is being written; one that a killed process left may be deleted."""
PRIVATE, ORDINARY = 0o600, 0o666
"""Modes: for the user alone, and what the user's own mask leaves."""


def replace_whole(path: Path, data: bytes, mode: int = PRIVATE) -> None:
    """Let a file hold ``data``; its folder has to be there. A reader sees the old or the new, after power loss, too.

    Raises OSError; the file then holds what it held.
    """
    part = path.parent / f".{path.name[:200]}.{secrets.token_hex(4)}{PART}"
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
