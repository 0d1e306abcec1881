"""CSV and its kin: one block a record, the header's span with each, and the row a spreadsheet shows.

Not the ``csv`` module: it gives fields and no offsets. Records are found by the parity of quotes; a stray
quote that would swallow the rest of the file is noticed and quotes are then taken as plain characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_lsp.corpus.formats.base import TextReader, with_plain_breaks
from lens_lsp.corpus.formats.outline import Outline
from lens_lsp.model.documents import BlockKind, Head, LocatorMap, Structure
from lens_lsp.model.text import Span

_DELIMITERS = ",;\t|"
_SNIFF_LINES = 20
_LONGEST_RECORD = 1000
"""Lines; a quoted field with more line breaks than this is a stray quote."""
_NUMBER = re.compile(r"[-+]?[\d.,:/ %$€£-]*\d[\d.,:/ %$€£-]*$")


class TableReader(TextReader):
    """Delimited text; the delimiter is found in the text unless the format fixes it."""

    name = "table"

    def __init__(self, delimiter: str | None = None) -> None:
        self._delimiter = delimiter

    def head(self, start: str) -> Head:
        """A table says nothing about itself."""
        return Head()

    def structure(self, text: str) -> Structure:
        """A row for each record; the first one is the header unless it holds numbers."""
        flat = with_plain_breaks(text)
        outline = Outline(flat)
        delimiter = self._delimiter or sniff(flat)
        header: Span | None = None
        first = True
        for start, end in _records(flat, delimiter):
            record = flat[start:end]
            if not record.strip():
                continue
            left = start + len(record) - len(record.lstrip())
            span = outline.add(BlockKind.TABLE_ROW, left, end, header)
            if first and _is_header(record, delimiter):
                header = span
            first = False
        return outline.structure(Head())

    def locators(self, text: str) -> LocatorMap:
        """The row of each record, from 1, blank ones counted, as spreadsheets do."""
        flat = with_plain_breaks(text)
        starts = tuple(start for start, _ in _records(flat, self._delimiter or sniff(flat)))
        return LocatorMap(starts, tuple({"row": row} for row in range(1, len(starts) + 1)))


def sniff(flat: str) -> str:
    """The delimiter that the first lines agree on best; a comma when none occurs."""
    lines = [line for line in flat[:16384].split("\n")[:_SNIFF_LINES] if line.strip()]
    best, most = ",", 0
    for delimiter in _DELIMITERS:
        counts = [_unquoted(line).count(delimiter) for line in lines]
        least = min(counts, default=0)
        score = least * 1000 + min(sum(counts), 999)
        if score > most:
            best, most = delimiter, score
    return best


def _unquoted(line: str) -> str:
    return "".join(line.split('"')[::2])


def _records(flat: str, delimiter: str) -> Iterator[tuple[int, int]]:
    """Start and end of each record, without its line break."""
    lines = flat.split("\n")
    if lines[-1] == "":
        lines.pop()
    opens = re.compile(rf'(?:^|{re.escape(delimiter)})[ \t]{{0,8}}"')
    quotes = '"' in flat
    index = pos = 0
    while index < len(lines):
        line = lines[index]
        end = pos + len(line)
        index += 1
        if quotes and line.count('"') % 2 and opens.search(line) is not None:
            last = _last_line(lines, index)
            if last is None:
                quotes = False
            else:
                end += sum(len(line) + 1 for line in lines[index : last + 1])
                index = last + 1
        yield pos, end
        pos = end + 1


def _last_line(lines: list[str], index: int) -> int | None:
    """The line that closes a quote opened before ``index``, ``None`` for a stray quote."""
    for at in range(index, min(len(lines), index + _LONGEST_RECORD)):
        if lines[at].count('"') % 2:
            return at
    return None


def _is_header(record: str, delimiter: str) -> bool:
    fields = [field.strip().strip('"') for field in record[:65536].split(delimiter)]
    return len(fields) > 1 and not any(_NUMBER.match(field) for field in fields[:200])
