"""An answer file as a block for the inside of a note: the same words and records, its paths as they hold there."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from lens_lsp.memory.answer_files.footnotes import footnote, link_to, read_footnotes
from lens_lsp.memory.answer_files.reading import read_citing
from lens_lsp.memory.answer_files.sources import one_line, source_json
from lens_lsp.memory.answer_files.writing import VERSION, holding_from
from lens_lsp.model.cluster import Citation

_HEAD = re.compile(r"---\n(?P<front>.*?)\n---\n(?P<body>.*)", re.DOTALL)
_SAID = re.compile(r"^(asked|mode): ([\w:.-]+)$", re.MULTILINE)
_TITLE = re.compile(r"\s*# [^\n]*\n")
_STAMP = re.compile(r"<!-- lens:(?:begin|end) ")
_MARK = re.compile(r"\[\^(\d+)\]")


def as_block(text: str, folder: str, block_id: str, into: str | None) -> str | None:
    """The block that says what an answer file says; None for a text that is none, or that was changed since.

    ``folder`` is where the file lies and ``into`` where the note does, absolute; None for a note that was never saved.
    """
    text = text.replace("\r\n", "\n")
    whole, citing = _HEAD.fullmatch(text), read_citing(text)
    if whole is None or citing.parts != 1 or citing.faults or any(each.altered for each in citing.written):
        return None
    lines = {note.label: int(note.name.rpartition(":")[2] or 1) for note in read_footnotes(text.split("\n"))}
    known = {each.label: _absolute(each.citation, folder) for each in citing.written}
    if not lines.keys() >= known.keys():
        return None
    roots = list(dict.fromkeys(citation.root for citation in known.values()))
    held = citing.held[0]
    head = {
        "lens": VERSION,
        "question": held.question,
        **dict(_SAID.findall(whole["front"])),
        "status": held.status,
        "roots": [holding_from(into, root) for root in roots],
        "sources": [source_json(int(n), roots.index(each.root), each) for n, each in known.items()],
    }
    notes = [_note(f"{block_id}-{n}", each, lines[n], into) for n, each in known.items()]
    words = _words(whole["body"], block_id, set(known))
    body = [*([words, ""] if words else []), *notes, *([""] if notes else [])]
    return "\n".join([f"<!-- lens:begin {block_id} {one_line(head)} -->", *body, f"<!-- lens:end {block_id} -->", ""])


def _absolute(citation: Citation, folder: str) -> Citation:
    return replace(citation, root=os.path.abspath(os.path.join(folder, citation.root)))


def _note(label: str, citation: Citation, line: int, into: str | None) -> str:
    path = os.path.join(citation.root, *citation.path.split("/"))
    near = holding_from(into, citation.root) != citation.root
    return footnote(label, citation, line, link_to(path, into if near else None))


def _words(body: str, block_id: str, labels: set[str]) -> str:
    """The answer's own words, without title, footnotes and stamp, its marks those of the block."""
    kept = [
        line
        for line in _TITLE.sub("", body, count=1).split("\n")
        if not _is_note(line, labels) and not _STAMP.match(line)
    ]
    words = "\n".join(kept).strip("\n").replace("<!--", r"<\!--")
    return _MARK.sub(lambda found: f"[^{block_id}-{found[1]}]" if found[1] in labels else found.group(), words)


def _is_note(line: str, labels: set[str]) -> bool:
    found = _MARK.match(line)
    return found is not None and found[1] in labels and line[found.end() : found.end() + 1] == ":"
