"""Whether citations are true, from the files alone: no code of the package is used, no wording of its is believed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def untrue(citation: Mapping[str, Any], within: Path) -> str | None:
    """What is wrong with a citation of a UTF-8 file; None if it is true."""
    file = Path(citation["folder"]) / citation["path"]
    if file.is_symlink() or within.resolve() not in file.resolve().parents:
        return "outside"
    data = file.read_bytes()
    text = data.decode("utf-8")
    if hashlib.sha256(data).hexdigest() != citation["sha256"]:
        return "hash"
    start, end = citation["span"]
    if text[start:end] != citation["quote"] or not citation["quote"]:
        return "quote"
    breaks = [match.end() for match in re.finditer(r"\r\n|\r|\n", text)]
    first = 1 + sum(place <= start for place in breaks)
    last = 1 + sum(place <= end - 1 for place in breaks)
    if [first, last] != list(citation["lines"]):
        return "lines"
    return None if citation["where"] == f"{citation['path']}:{first}-{last}" else "where"
