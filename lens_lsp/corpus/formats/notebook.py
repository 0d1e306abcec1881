"""Jupyter notebooks: the one text format whose text is not the file's.

The text is Markdown that says by itself what each cell is: Markdown cells as they stand, code cells and their
text outputs in fences, blank lines between. So the structure follows from the text alone, and a quote reads
as the cell does. A file that is no notebook keeps its own text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lens_lsp.corpus.formats.base import HEAD_LENGTH, Extraction, TextReader, with_plain_breaks
from lens_lsp.corpus.formats.markdown import MarkdownReader
from lens_lsp.corpus.formats.plain import PlainReader
from lens_lsp.model.documents import Head, Locator, LocatorMap, Structure
from lens_lsp.model.sanitize import SEQUENCE

_FENCE_RUN = re.compile(r"`{3,}")
_FENCE_LINE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LANGUAGE = re.compile(r"[\w+#-]{1,30}")
_FIRST_TITLE = re.compile(r'"#[ \t]+([^"\\\n]{1,200})')
_MARKDOWN = MarkdownReader()
_PLAIN = PlainReader()


class NotebookReader(TextReader):
    """``.ipynb``, formats 3 and 4."""

    name = "notebook"
    extracted = True

    def extract(self, decoded: str) -> Extraction:
        """The cells' text, placed by ``{"cell": n, "line": m}`` from 1; else the file's own."""
        try:
            notebook = json.loads(decoded)
        except (ValueError, RecursionError):
            return Extraction(decoded)
        cells = _cells(notebook)
        if cells is None:
            return Extraction(decoded)
        parts: list[str] = []
        starts: list[int] = []
        locators: list[Locator] = []
        at = 0
        language = _language(notebook)
        for number, cell in enumerate(cells, 1):
            for part, first in _parts(cell, language):
                starts.append(at)
                locators.append({"cell": number})
                if first >= 0:
                    _lines(part, at, first, number, starts, locators)
                parts.append(part)
                at += len(part) + 2
        return Extraction("\n\n".join(parts), LocatorMap(tuple(starts), tuple(locators)))

    def structure(self, text: str) -> Structure:
        """That of the extracted Markdown; paragraphs for a file that is no notebook."""
        return _PLAIN.structure(text) if _is_raw(text) else _MARKDOWN.structure(text)

    def head(self, start: str) -> Head:
        """The title of the first Markdown cell, from the extracted text or from the file itself."""
        if not _is_raw(start):
            return _MARKDOWN.head(start)
        match = _FIRST_TITLE.search(start[:HEAD_LENGTH])
        return Head(match[1].removesuffix("\\n").strip() or None) if match is not None else Head()


def _is_raw(text: str) -> bool:
    start = text[:200].lstrip()
    return start[:1] == "{" and start[1:].lstrip()[:1] in ('"', "")


def _cells(notebook: object) -> list[dict[str, object]] | None:
    if not isinstance(notebook, dict):
        return None
    cells = notebook.get("cells")
    if cells is None:
        sheets = notebook.get("worksheets")
        sheets = sheets if isinstance(sheets, list) else []
        cells = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
        if not cells:
            return None
    return [cell for cell in _list(cells) if isinstance(cell, dict)]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _language(notebook: dict[str, object]) -> str:
    metadata = notebook.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and _LANGUAGE.fullmatch(name) else ""


def _parts(cell: dict[str, object], language: str) -> Iterator[tuple[str, int]]:
    """The texts of a cell: its source with the line its first line stands on (0 or 1), outputs with -1."""
    source = _text(cell.get("source", cell.get("input")))
    if cell.get("cell_type") == "code":
        if source.strip():
            yield _fenced(source, language), 1
        for output in _list(cell.get("outputs")):
            text = _output(output)
            if text.strip():
                yield _fenced(text, ""), -1
    elif cell.get("cell_type") == "heading":
        level = cell.get("level")
        yield "#" * min(max(level if isinstance(level, int) else 1, 1), 6) + " " + source.strip(), 0
    elif source.strip():
        yield _closed(source.rstrip("\r\n")), 0


def _text(value: object) -> str:
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return _SURROGATE.sub("\ufffd", with_plain_breaks(value)) if isinstance(value, str) else ""


def _output(output: object) -> str:
    """What an output shows as text: a stream, or the plain form of a result."""
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    plain = data.get("text/plain") if isinstance(data, dict) else None
    return SEQUENCE.sub("", _text(output.get("text") if plain is None else plain))


def _fenced(text: str, language: str) -> str:
    """The text in a fence that is longer than any inside it."""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _closed(source: str) -> str:
    """The Markdown with its last fence closed, so that it cannot swallow the cells behind it."""
    fence = ""
    for mark in _FENCE_LINE.findall(source):
        if not fence:
            fence = mark
        elif mark.startswith(fence):
            fence = ""
    return f"{source}\n{fence}" if fence else source


def _lines(part: str, at: int, first: int, cell: int, starts: list[int], locators: list[Locator]) -> None:
    """A place for each line of a cell's source; the fence's lines have the cell only."""
    starts.pop()
    locators.pop()
    for number, line in enumerate(part.split("\n"), 1 - first):
        starts.append(at)
        locators.append({"cell": cell, "line": number} if number else {"cell": cell})
        at += len(line) + 1
