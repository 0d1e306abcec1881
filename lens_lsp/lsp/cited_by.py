"""The way back: which answers cite a place in a note.

Looked for in the answer files of the stores and in the open texts; answer files that lie elsewhere count while they
are open. Reads the disk: call it off the event loop.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lsprotocol import types

from lens_lsp.lsp.citing import Page
from lens_lsp.lsp.sight import Sight
from lens_lsp.lsp.stores import Stores
from lens_lsp.memory.answer_parser import Citing, read_citing
from lens_lsp.memory.check import Cited, cited_in, look
from lens_lsp.memory.sources import Sources
from lens_lsp.model.text import Span

_LARGEST = 1 << 20
"""Bytes of an answer file that is looked into."""


@dataclass(frozen=True, slots=True)
class Use:
    """A place of the note that an answer cites: ``span`` is where the quote stands, the rest where it is cited."""

    span: Span
    where: str
    """The absolute path of the text that cites."""
    line: int
    """Of the footnote, from 1."""
    label: str
    question: str


def cited_by(sight: Sight, page: Page, offset: int, stores: Stores) -> list[Use]:
    """What cites the line of an offset."""
    if sight.path is None:
        return []
    line = page.bare(page.line_at(offset))
    uses = []
    with Sources(sight.allowed, rules=sight.rules, buffers=sight.buffers) as sources:
        for citing, cited in _citing(sight, stores):
            checked = look(cited, sources).checked
            span = checked.span
            if span is not None and span.overlaps(line) and _is(sight.path, cited, checked.path):
                uses.append(Use(span, cited.where, cited.line, cited.label, _question(citing, cited.line)))
    return sorted(uses, key=lambda use: (use.where, use.line))


def references_to(sight: Sight, page: Page, offset: int, stores: Stores) -> list[types.Location]:
    """The footnotes that cite the line of an offset."""
    uses = cited_by(sight, page, offset, stores)
    return [types.Location(sight.uri_of(use.where), _line(use.line)) for use in uses]


def _citing(sight: Sight, stores: Stores) -> Iterator[tuple[Citing, Cited]]:
    """The citations that may lie in the text, by the name of its file, each with all that its own text cites."""
    open_texts = {path: read_citing(buffer.text) for path, buffer in sight.buffers.items() if "lens" in buffer.text}
    kept = {str(path): citing for path, citing in _kept(sight, stores) if str(path) not in open_texts}
    name = os.path.basename(sight.path or "")
    for path, citing in (*open_texts.items(), *kept.items()):
        for cited in cited_in(path, citing):
            if os.path.basename(cited.citation.path) == name:
                yield citing, cited


def _question(citing: Citing, line: int) -> str:
    held = [each for each in citing.held if each.first <= line <= each.last]
    return max(held, key=lambda each: each.first).question if held else ""


def _kept(sight: Sight, stores: Stores) -> Iterator[tuple[Path, Citing]]:
    for folder in stores.answers(sight.workspaces):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(".md") and status.st_size <= _LARGEST:
                    yield Path(entry.path), _read(entry.path, status.st_mtime_ns, status.st_size, status.st_ino)


@lru_cache(maxsize=4_096)
def _read(path: str, _changed: int, _size: int, _inode: int) -> Citing:
    """What an answer file cites; read again when its status is another."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return read_citing(file.read(_LARGEST))
    except OSError:
        return Citing()


def _is(path: str, cited: Cited, renamed: str | None) -> bool:
    """Whether a citation's source is the file of this path, whatever the two are called."""
    source = os.path.join(cited.base, cited.citation.root, *(renamed or cited.citation.path).split("/"))
    return os.path.realpath(source) == os.path.realpath(path)


def _line(number: int) -> types.Range:
    return types.Range(types.Position(number - 1, 0), types.Position(number - 1, 0))
