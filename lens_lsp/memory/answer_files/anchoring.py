"""A citation in an answer or block written anew where its quote stands now, as changes of the text that holds it.

Only what we wrote and nobody has laid out anew is changed: a record on one line and its footnote on one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lens_lsp.memory.answer_files.footnotes import footnote
from lens_lsp.memory.answer_files.sources import one_line, source_json
from lens_lsp.model.cluster import Citation
from lens_lsp.model.text import SourceText, Span

_RECORD = re.compile(r"[ \t]*-[ \t]+(?P<json>\{.*\})[ \t]*")
_HEAD = re.compile(r"[^<]*<!--[ \t]*lens:begin[ \t]+(?P<id>\S+)[ \t]+(?P<json>\{.*\})[ \t]*-->[ \t]*")


def anchored(text: str, label: str, citation: Citation, line: int, link: str) -> list[tuple[Span, str]]:
    """What to replace in a text, in order, for its citation ``label`` to be this one; nothing if it cannot be done.

    ``line`` is where the quote begins in its file, from 1; ``link`` leads to that file.
    """
    block, _, number = label.rpartition("-")
    record = _record(text, block, int(number), citation) if number.isdecimal() else None
    note = _footnote(text, label)
    return [] if record is None or note is None else sorted([record, (note, footnote(label, citation, line, link))])


def _record(text: str, block: str, n: int, citation: Citation) -> tuple[Span, str] | None:
    for start, line in _lines(text):
        found = (_HEAD if block else _RECORD).fullmatch(line)
        if found is None or (block and found["id"] != block):
            continue
        try:
            value = json.loads(found["json"])
        except (ValueError, RecursionError):
            continue
        sources = value.get("sources", []) if block else [value]
        for at, source in enumerate(sources):
            if isinstance(source, dict) and source.get("n") == n and isinstance(source.get("root"), int):
                sources[at] = source_json(n, source["root"], citation)
                whole = value if block else sources[at]
                return Span(start + found.start("json"), start + found.end("json")), one_line(whole)
    return None


def _footnote(text: str, label: str) -> Span | None:
    for start, line in _lines(text):
        if line.startswith(f"[^{label}]:"):
            return Span(start, start + len(line))
    return None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines without their ends, each with the offset of its first character."""
    starts = SourceText(text).line_starts
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield start, text[start:end].rstrip("\r\n")
