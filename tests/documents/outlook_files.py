"""Messages of Outlook's, written out: the file system in a file, and a stream for each property."""

from __future__ import annotations

import struct
from collections.abc import Mapping

Folder = Mapping[str, "bytes | Folder"]
"""Streams and folders by name."""
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _SMALL, _LEAST = 512, 64, 4096


def words(**said: str) -> dict[str, bytes]:
    """Properties that are words; the names are their numbers, after a letter: ``p0037``."""
    return {f"__substg1.0_{name[1:]}001F": text.encode("utf-16-le") for name, text in said.items()}


def properties(head: int, **values: int) -> dict[str, bytes]:
    """Properties of eight bytes, behind a head of so many bytes; the names are numbers and types, after a letter."""
    rows = (struct.pack("<IIQ", int(name[1:], 16), 6, value) for name, value in values.items())
    return {"__properties_version1.0": bytes(head) + b"".join(rows)}


def container(root: Folder) -> bytes:
    """The file with these streams and folders; large streams that are equal share their bytes."""
    entries: list[list[object]] = []
    streams: list[tuple[int, bytes]] = []

    def add(name: str, kind: int) -> int:
        entries.append([name, kind, _FREE, _FREE, 0, 0])  # next beside it, below it, first sector, bytes
        return len(entries) - 1

    def fill(number: int, folder: Folder) -> None:
        before = None
        for name, below in folder.items():
            at = add(name, 2 if isinstance(below, bytes) else 1)
            if before is None:
                entries[number][3] = at
            else:
                entries[before][2] = at
            before = at
            if isinstance(below, bytes):
                streams.append((at, below))
            else:
                fill(at, below)

    fill(add("Root Entry", 5), root)
    small, small_next, large, following = bytearray(), list[int](), bytearray(), list[int]()

    def put(data: bytes, into: bytearray, table: list[int], size: int) -> int:
        first, count = len(table), -(-len(data) // size)
        into += data.ljust(count * size, b"\0")
        table += [*range(first + 1, first + count), _END] if count else []
        return first if count else _END

    shared: dict[bytes, int] = {}
    for at, data in streams:
        if len(data) < _LEAST:
            first = put(data, small, small_next, _SMALL)
        elif data not in shared:
            first = shared[data] = put(data, large, following, _SECTOR)
        else:
            first = shared[data]
        entries[at][4:] = [first, len(data)]
    entries[0][4:] = [put(bytes(small), large, following, _SECTOR), len(small)]
    first_small = put(struct.pack(f"<{len(small_next)}I", *small_next), large, following, _SECTOR)
    directory = b"".join(_entry(*entry) for entry in entries)  # type: ignore[arg-type]
    first = put(directory, large, following, _SECTOR)
    count = -(-(len(following) + 3) * 4 // _SECTOR)
    at = len(following)
    following += [_FAT] * count
    table = struct.pack(f"<{len(following)}I", *following).ljust(count * _SECTOR, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 62, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIIII", 0, count, first, 0, _LEAST, first_small, 1, _END, 0, at)
    head += struct.pack("<108I", *range(at + 1, at + count), *[_FREE] * (109 - count))
    return head + bytes(large) + table


def _entry(name: str, kind: int, right: int, below: int, sector: int, size: int) -> bytes:
    written = name.encode("utf-16-le") + b"\0\0"
    beside = struct.pack("<HBBIII", len(written), kind, 1, _FREE, right, below)
    return written.ljust(64, b"\0") + beside + bytes(36) + struct.pack("<IQ", sector, size)
