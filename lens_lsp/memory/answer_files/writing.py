"""Answers written as Markdown that people read, keep and paste, and that `reading` and `lens check` can check.

All that came out of a note or a model is made inert. Paths are written so that they hold where the text lies: relative
inside the root that was searched, absolute elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from lens_lsp.memory.answer_files.footnotes import footnote, link_to
from lens_lsp.memory.answer_files.sources import one_line, source_json
from lens_lsp.memory.citations import record_blind
from lens_lsp.model.answer import Answer
from lens_lsp.model.cluster import Citation
from lens_lsp.model.documents import Evidence
from lens_lsp.model.marks import stamp_of, stamped
from lens_lsp.model.sanitize import markdown_without_links, printable, sanitize_markdown

VERSION = "answer/1"
"""The value of ``lens`` in the front matter."""

_MARKER = re.compile(r"(?<!\\)\[(\d+)\](?![(:])")
_WIKI_LINK = re.compile(r"(?<!\\)\[(?=\[)")
_BLOCK_ID = re.compile(r"[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)*")
_LONGEST_ID = 64
_KEPT_BACK = "*This answer rests on private notes (`lens: private`) and is not kept; ask again to see it.*"


@dataclass(frozen=True, slots=True)
class Saved:
    """An answer and all that its text does not say.

    ``citations`` are by the numbers of the evidence, recorded from the documents; evidence without one holds only
    while its file does not change at all. ``folder`` is where the text will lie, absolute, None for nowhere yet.
    ``private`` says whether what rests on private documents may be written: into no store, ever.
    """

    answer: Answer
    citations: Mapping[int, Citation]
    asked: datetime
    folder: str | None
    private: bool


def write_answer(saved: Saved) -> str:
    """An answer file: front matter with its sources, then stamped the answer and its footnotes."""
    answer = saved.answer
    sources = _sources(saved)
    head = [
        "---",
        f"lens: {VERSION}",
        f"question: {one_line(answer.question)}",
        f"asked: {_moment(saved.asked)}",
        f"mode: {answer.mode.value}",
        f"status: {answer.kept_as.value}",
        f"roots: {one_line(_roots(saved))}",
        "sources:" if sources else "sources: []",
        *(f"  - {one_line(source)}" for source in sources),
        "---",
    ]
    title = sanitize_markdown(" ".join(printable(answer.question).split()))
    body = "\n".join([f"# {title}", "", *_text(saved, "")])
    return "\n".join([*head, "", stamped(body, stamp_of(answer.question))])


def write_block(saved: Saved, block_id: str) -> str:
    """A block for the inside of a note. ``block_id`` tells it from the others of that note.

    Raises ValueError for an id that could not stand in a comment: letters and figures, apart at ``_``, ``.`` or ``-``.
    """
    if len(block_id) > _LONGEST_ID or not _BLOCK_ID.fullmatch(block_id):
        raise ValueError(f"{block_id!r} cannot name a block")
    answer = saved.answer
    head = {
        "lens": VERSION,
        "question": answer.question,
        "asked": _moment(saved.asked),
        "mode": answer.mode.value,
        "status": answer.kept_as.value,
        "roots": _roots(saved),
        "sources": _sources(saved),
    }
    body = _text(saved, f"{block_id}-")
    return "\n".join([f"<!-- lens:begin {block_id} {one_line(head)} -->", *body, f"<!-- lens:end {block_id} -->", ""])


def _sources(saved: Saved) -> list[dict[str, object]]:
    return [source_json(item.n, item.root, _citation(saved, item)) for item in _shown(saved)]


def _shown(saved: Saved) -> list[Evidence]:
    """The evidence that may be written."""
    return [item for item in saved.answer.evidence if saved.private or not item.private]


def _citation(saved: Saved, item: Evidence) -> Citation:
    root = saved.answer.roots[item.root]
    found = saved.citations.get(item.n)
    return record_blind(item, root=root) if found is None else replace(found, root=root)


def _text(saved: Saved, prefix: str) -> list[str]:
    """The answer's words and its footnotes, their labels behind a prefix."""
    answer = saved.answer
    shown = _shown(saved)
    numbers = {item.n for item in shown}

    def with_footnotes(text: str) -> str:
        text = _WIKI_LINK.sub(r"\\\g<0>", text)
        return _MARKER.sub(lambda found: f"[^{prefix}{found[1]}]" if int(found[1]) in numbers else found.group(), text)

    whole = len(shown) == len(answer.evidence)
    words = markdown_without_links(printable(answer.text), with_footnotes).strip("\n") if whole else _KEPT_BACK
    words = words.replace("<!--", r"<\!--")  # even inside code it could end the block
    notes = []
    for item in shown:
        path = os.path.join(answer.roots[item.root], *item.path.split("/"))
        link = link_to(path, saved.folder if _lies_in(saved.folder, answer.roots[item.root]) else None)
        notes.append(footnote(f"{prefix}{item.n}", _citation(saved, item), item.start.line, link))
    return [*([words, ""] if words else []), *notes, *([""] if notes else [])]


def _roots(saved: Saved) -> list[str]:
    """The searched folders as they hold where the text will lie."""
    return [holding_from(saved.folder, root) for root in saved.answer.roots]


def holding_from(folder: str | None, root: str) -> str:
    """An absolute root as it holds for a text in a folder: relative where the folder lies inside it, else as it is."""
    return os.path.relpath(root, folder).replace(os.sep, "/") if folder and _lies_in(folder, root) else root


def _lies_in(folder: str | None, root: str) -> bool:
    return folder is not None and (folder + os.sep).startswith(root.rstrip(os.sep) + os.sep)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
