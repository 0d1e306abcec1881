"""The records of binary workbooks, and what the library does not read as it stands there.

In ``.xlsb`` a cell right beside another may leave its column unsaid. Excel says it all the same, SheetJS does not, and
the library passes over such cells without a word. In ``.xls`` Gnumeric numbers its own formats like East Asian dates of
Excel's, and the library takes what has them for dates. What is not told of would be taken for right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_lsp.documents.readers.package import Package

_OLE = b"\xd0\xcf\x11\xe0"
_FORMAT = re.compile(rb"\x1e\x04(..)[\x1b-\x24\x32-\x3a]\x00(..)\x00([ -~]{1,200})", re.DOTALL)
"""A number format of the newer ``.xls``: how long the record is, the number of a date, how long the words are, they."""
_AROUND = 5
"""Bytes of such a record beside its words."""
_LITERAL = re.compile(rb'"[^"]*"|\\.|_.|\[[^]]*]')
_OF_DATES = re.compile(rb"[dmyhs]", re.IGNORECASE)
_WITHOUT_COLUMN = frozenset(range(12, 19))
_BLANK = 12
_MORE = 0x80
_LONGEST_KIND, _LONGEST_SIZE = 2, 4


def left_out(package: Package) -> int:
    """How many filled cells of a workbook leave their column unsaid; 0 where it is none of the binary kind."""
    if package.part("xl/workbook.bin") is None:
        return 0
    sheets = [each.target for each in package.relations("xl/workbook.bin").values() if each.kind == "worksheet"]
    parts = [part for sheet in sheets if (part := package.part(sheet)) is not None]
    return sum(kind in _WITHOUT_COLUMN and kind != _BLANK for part in parts for kind, _ in records(part))


def mistaken_for_dates(data: bytes) -> bool:
    """Whether an ``.xls`` has a format of its own for numbers that the library takes for one of dates."""
    for size, length, code in _FORMAT.findall(data) if data.startswith(_OLE) else ():
        count = whole(length, 0, 2)
        complete = whole(size, 0, 2) == count + _AROUND and count <= len(code)
        if complete and not _OF_DATES.search(_LITERAL.sub(b"", code[:count])):
            return True
    return False


def records(part: bytes) -> Iterator[tuple[int, bytes]]:
    """The kind and the body of each record of a part of ``.xlsb``, until the first that is damaged."""
    at = 0
    while at < len(part):
        kind, at = _number(part, at, _LONGEST_KIND)
        size, at = _number(part, at, _LONGEST_SIZE)
        yield kind, part[at : at + size]
        at += size


def whole(body: bytes, at: int, size: int) -> int:
    """The whole number in some bytes of a record; as far as they are there."""
    return int.from_bytes(body[at : at + size], "little")


def words(body: bytes, at: int) -> tuple[str, int]:
    """Words in a record, and where they end."""
    count = whole(body, at, 4)
    end = at + 4 + 2 * count
    return body[at + 4 : end].decode("utf-16-le", "replace"), end


def _number(part: bytes, at: int, longest: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first, and where it ends."""
    value = 0
    for place in range(longest):
        if at >= len(part):
            break
        value |= (part[at] & 0x7F) << (7 * place)
        at += 1
        if part[at - 1] < _MORE:
            break
    return value, at
