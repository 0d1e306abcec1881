"""Rows read straight out of the pages of a broken file, without SQLite and without believing its schema or its trees.

Every leaf page of a table is looked at (https://www.sqlite.org/fileformat2.html), whatever tree it belonged to. What
looks like a row counts only when its checksum is right for one of our tables, which also tells the table.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from lens_lsp.memory.store.assembly import Row
from lens_lsp.memory.store.rows import SUM_BYTES, Value, row_sum
from lens_lsp.memory.store.schema import PAGE_SIZE, TABLES, Kind, Table

_LEAF = 0x0D
_FILE_HEADER = 100
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of a whole number, by serial type."""
_MOST_LOCAL = PAGE_SIZE - 35
_LEAST_LOCAL = (PAGE_SIZE - 12) * 32 // 255 - 23


class _NoRow(Exception):
    """What stands there is no row."""


def rows_in(data: bytes) -> Iterator[Row]:
    """Every row of ours in the bytes of a file, in the order of its pages; the same row may come twice."""
    for start in range(0, len(data), PAGE_SIZE):
        page = data[start : start + PAGE_SIZE]
        header = _FILE_HEADER if start == 0 else 0
        if len(page) != PAGE_SIZE or page[header] != _LEAF:
            continue
        (count,) = struct.unpack_from(">H", page, header + 3)
        for n in range(min(count, (PAGE_SIZE - header - 8) // 2)):
            (offset,) = struct.unpack_from(">H", page, header + 8 + 2 * n)
            try:
                row = _row(_record(_payload(data, page, offset)))
            except (_NoRow, IndexError, struct.error):
                continue
            if row is not None:
                yield row


def _row(values: list[Value]) -> Row | None:
    """The row that values are, by their checksum; None when it fits no table."""
    *columns, checksum = values
    if not isinstance(checksum, bytes) or len(checksum) != SUM_BYTES:
        return None
    for table in TABLES:
        if len(columns) == len(table.columns):
            row = tuple(_as_read(table, place, value) for place, value in enumerate(columns))
            if row_sum(table, row) == checksum:
                return Row(table, row, checksum)
    return None


def _as_read(table: Table, place: int, value: Value) -> Value:
    """Whole numbers stand in the file as such, also in a column of reals."""
    kind = table.columns[place][1]
    return float(value) if kind is Kind.REAL and isinstance(value, int) else value


def _payload(data: bytes, page: bytes, offset: int) -> bytes:
    """The bytes of a cell's record, from its page and those it runs over to."""
    size, offset = _varint(page, offset)
    _, offset = _varint(page, offset)
    if size > len(data):
        raise _NoRow
    if size <= _MOST_LOCAL:
        return page[offset : offset + size]
    local = _LEAST_LOCAL + (size - _LEAST_LOCAL) % (PAGE_SIZE - 4)
    local = local if local <= _MOST_LOCAL else _LEAST_LOCAL
    pieces = [page[offset : offset + local]]
    (follows,) = struct.unpack_from(">I", page, offset + local)
    left = size - local
    while left > 0:
        start = (follows - 1) * PAGE_SIZE
        if not 0 < start < len(data):
            raise _NoRow
        (follows,) = struct.unpack_from(">I", data, start)
        pieces.append(data[start + 4 : start + min(PAGE_SIZE, 4 + left)])
        left -= PAGE_SIZE - 4
    return b"".join(pieces)


def _record(payload: bytes) -> list[Value]:
    """The values of a record."""
    end, offset = _varint(payload, 0)
    kinds: list[int] = []
    while offset < end:
        kind, offset = _varint(payload, offset)
        kinds.append(kind)
    values: list[Value] = []
    offset = end
    for kind in kinds:
        value, size = _value(payload, offset, kind)
        values.append(value)
        offset += size
    if offset != len(payload) or not values:
        raise _NoRow
    return values


def _value(payload: bytes, offset: int, kind: int) -> tuple[Value, int]:
    """A value by its serial type, and its size in bytes."""
    if kind == 0:
        return None, 0
    if kind in _INTEGERS:
        size = _INTEGERS[kind]
        return int.from_bytes(payload[offset : offset + size], "big", signed=True), size
    if kind == 7:
        return struct.unpack_from(">d", payload, offset)[0], 8
    if kind in (8, 9):
        return kind - 8, 0
    if kind < 12:
        raise _NoRow
    size = (kind - 12) // 2
    if size > len(payload):
        raise _NoRow
    return payload[offset : offset + size], size


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for n in range(8):
        byte = data[offset + n]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + n + 1
    return value << 8 | data[offset + 8], offset + 9
