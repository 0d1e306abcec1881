"""A citation as one line of JSON, and back: what stands in the front matter of an answer and at the head of a block.

The line is JSON, YAML and the inside of an HTML comment at once: nothing in it ends a comment, and no character in it
needs another reader than a plain one. What is read may have been changed by hand or by a formatter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from lens_lsp.memory.citations import LONGEST_CONTEXT, SHORTEST_CONTEXT
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import Locator, TextSource
from lens_lsp.model.sanitize import UNSAFE, json_escape
from lens_lsp.model.text import Span

# A byte order mark and the last two points of a plane are no printable characters to YAML. Editors make a link of
# whatever looks like an address or like Markdown's own, even here.
_ESCAPED = re.compile(f"[<>{UNSAFE}\ufeff\ufffe\uffff\ud800-\udfff]|:(?=//)|(?<=\\])[(\\[:]|(?<=[wW]{{3}})\\.")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LOOSE_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[\]}])', re.DOTALL)
_FOLDER_OF_NETWORK = ("//", "\\\\")


class BrokenSource(ValueError):
    """What was read is no source of ours; the message says which part of it."""


def one_line(value: object) -> str:
    """A value as JSON on one line that may stand in YAML and in an HTML comment."""
    return _ESCAPED.sub(json_escape, json.dumps(value, ensure_ascii=False))


def parsed(text: str) -> object:
    """The value of JSON, with the commas that formatters add. Raises `BrokenSource`."""
    try:
        return json.loads(_LOOSE_COMMA.sub(lambda found: found[1] or "", text))
    except (ValueError, RecursionError) as error:
        raise BrokenSource(f"it is no JSON ({type(error).__name__})") from error


def source_json(n: int, root: int, citation: Citation) -> dict[str, object]:
    """A citation as a value of JSON. ``root`` is its folder's index in the list that stands beside it."""
    return {
        "n": n,
        "root": root,
        "path": citation.path,
        "source": citation.source.value,
        "sha256": citation.sha256,
        "encoding": citation.encoding,
        "reader": citation.reader,
        "span": [citation.span.start, citation.span.end],
        "match": citation.match,
        "quote": citation.quote,
        "left": citation.left,
        "right": citation.right,
        "heading": list(citation.heading),
        "count": citation.count,
        "locator": None if citation.locator is None else dict(citation.locator),
    }


def read_roots(value: object) -> tuple[str, ...]:
    """The folders that sources are relative to. Raises `BrokenSource`."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise BrokenSource("roots is no list of folders")
    if any(each.startswith(_FOLDER_OF_NETWORK) for each in value):
        raise BrokenSource("roots names a folder of another machine")  # looking there would send our credentials
    return tuple(value)


def read_source(value: object, roots: Sequence[str], quotes: Mapping[int, str]) -> tuple[int, Citation]:
    """The number and the citation of a source. ``quotes`` serve those that have none. Raises `BrokenSource`."""
    if not isinstance(value, dict):
        raise BrokenSource("a source is no object")
    n = _number(value, "n")
    root = _number(value, "root", least=0)
    if root >= len(roots):
        raise BrokenSource(f"source {n}: there is no root {root}")
    quote = _text(value, "quote") if "quote" in value else quotes.get(n, "")
    span = _span(value.get("span"))
    sha256 = _text(value, "sha256")
    if not _SHA256.fullmatch(sha256):
        raise BrokenSource(f"source {n}: sha256 is none")
    source = _text(value, "source", "disk")
    if source not in (TextSource.DISK.value, TextSource.BUFFER.value):
        raise BrokenSource(f"source {n}: source is neither disk nor buffer")
    return n, Citation(
        root=roots[root],
        path=_text(value, "path"),
        source=TextSource(source),
        sha256=sha256,
        encoding=_text(value, "encoding", "utf-8"),
        reader=_text(value, "reader"),
        span=span,
        quote=quote,
        match=_text(value, "match", "exact"),
        left=_context(value, "left"),
        right=_context(value, "right"),
        heading=_heading(value.get("heading")),
        locator=_locator(value.get("locator")),
        count=None if value.get("count") is None else _number(value, "count"),
    )


def _number(value: Mapping[str, object], name: str, least: int = 1) -> int:
    found = value.get(name)
    if not isinstance(found, int) or isinstance(found, bool) or found < least:
        raise BrokenSource(f"{name} of a source is no number from {least}")
    return found


def _text(value: Mapping[str, object], name: str, otherwise: str | None = None) -> str:
    found = value.get(name, otherwise)
    if not isinstance(found, str) or not found:
        raise BrokenSource(f"{name} of a source is missing or no text")
    return found


def _span(found: object) -> Span:
    if isinstance(found, list) and len(found) == 2 and all(type(each) is int for each in found):
        start, end = found
        if 0 <= start < end:
            return Span(start, end)
    raise BrokenSource("span of a source is no pair of offsets")


def _context(value: Mapping[str, object], name: str) -> str | None:
    found = value.get(name)
    if found is None or found == "":
        return None if found is None else ""
    if not isinstance(found, str) or not SHORTEST_CONTEXT <= len(found) <= LONGEST_CONTEXT:
        raise BrokenSource(f"{name} of a source is no text of {SHORTEST_CONTEXT} to {LONGEST_CONTEXT} characters")
    return found


def _heading(found: object) -> tuple[str, ...]:
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise BrokenSource("heading of a source is no list of texts")
    return tuple(found)


def _locator(found: object) -> Locator | None:
    if found is None:
        return None
    if not isinstance(found, dict) or not all(isinstance(each, int | str) for each in found.values()):
        raise BrokenSource("locator of a source is no object of numbers and texts")
    return found
