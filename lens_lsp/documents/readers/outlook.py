"""Reader of Outlook's messages (MSG): what they say as mail, read as any other message.

A message is a file system in a file ([MS-CFB]) with a stream for each property ([MS-OXMSG]). No library for it on the
package index is both free of copyleft and kept, and reading it takes less code than the ways around one.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_string
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime, formataddr

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.attachments import DEEPEST
from lens_lsp.documents.readers.mail import MessageReader
from lens_lsp.documents.readers.office_package import OLE
from lens_lsp.model.lazy_dataclass import dataclass

_ENTRY = struct.Struct("<64sHBxIII36xIQ")
"""Name, its bytes, kind, left, right and first entry below, first sector, bytes."""
_STORAGE, _ROOT = 1, 5
_SMALL = 4096
"""Bytes below which a stream is in sectors of their own kind."""
_MOST_FACTOR = 4
"""Streams may share sectors: at most so many times the bytes of the file are read."""
_PROPERTIES = "__properties_version1.0"
_HEAD, _HEAD_INNER, _HEAD_ATTACHED = 32, 24, 8
"""Bytes before the first property of a message, of one in another, and of what is attached."""
_NOTE = ("IPM.NOTE", "REPORT.", "IPM.SCHEDULE.MEETING")
_MIME = ("content-", "mime-version")
_SENSITIVITIES = {1: "Personal", 2: "Private", 3: "Company-Confidential"}
_ENCODINGS = {
    20127: "ascii", 20866: "koi8_r", 21866: "koi8_u", 50220: "iso2022_jp", 51932: "euc_jp", 51949: "euc_kr",
    54936: "gb18030", 65001: "utf_8",
}  # fmt: skip
_INNER, _METHOD = "3701000D", 5
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_RTF_BEGIN = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""What the packing of RTF begins with, that its first references point into."""


class OutlookReader:
    """One message. ``depth`` is how deep it is attached to other documents itself."""

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth

    def extract(self, data: bytes) -> Extracted:
        """As `MessageReader.extract`; raises `Unextracted` for what is no message of Outlook's."""
        container = _Container(data)
        item = _Item(container, container.root, _HEAD)
        if not item.said(0x001A) and not item.properties:
            raise Unextracted(Failure.BROKEN, "it is no message of Outlook's")
        notices: list[str] = []
        found = MessageReader(self._depth).extract_parsed(_message(item, self._depth, notices))
        kind = item.said(0x001A)
        if kind and not kind.upper().startswith(_NOTE):
            notices.append(f"fields of its own that an item {kind} has were not read")
        return replace(found, notices=(*found.notices, *notices))


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: int
    left: int
    right: int
    below: int
    sector: int
    size: int


class _Container:
    """The file system: entries by number, and their bytes. Raises `Unextracted` for what is none."""

    def __init__(self, data: bytes) -> None:
        if not data.startswith(OLE) or len(data) < 512:
            raise Unextracted(Failure.BROKEN, "it is no file of Outlook's")
        self._data = data
        self._left = _MOST_FACTOR * len(data)
        shift, small = struct.unpack_from("<HH", data, 30)
        if shift not in (9, 12) or small != 6:
            raise Unextracted(Failure.BROKEN, "sectors of no size")
        self._size = 1 << shift
        first, first_small, further = struct.unpack_from("<I8xI4xI", data, 48)
        numbers = list(struct.unpack_from("<109I", data, 76))
        seen: set[int] = set()
        while further < 0xFFFFFFFA and further not in seen:
            seen.add(further)
            *more, further = struct.unpack(f"<{self._size // 4}I", self._sector(further))
            numbers += more
        self._next = self._table(b"".join(self._sector(number) for number in numbers if number < 0xFFFFFFFA))
        directory = self._chain(first)
        self.entries = [_entry(directory, at) for at in range(0, len(directory) - 127, 128)]
        if not self.entries or self.entries[0].kind != _ROOT:
            raise Unextracted(Failure.BROKEN, "it has no folder")
        self.root = self.entries[0]
        self._next_small = self._table(self._chain(first_small))
        self._small = self._chain(self.root.sector)

    def below(self, folder: _Entry) -> dict[str, _Entry]:
        """What is in a folder, by name."""
        found: dict[str, _Entry] = {}
        open_, seen = [folder.below], set[int]()
        while open_:
            number = open_.pop()
            if number < len(self.entries) and number not in seen:
                seen.add(number)
                entry = self.entries[number]
                found[entry.name] = entry
                open_ += [entry.left, entry.right]
        return found

    def bytes_of(self, stream: _Entry) -> bytes:
        """What a stream holds."""
        small = stream.size < _SMALL
        return self._chain(stream.sector, small=small)[: stream.size]

    def _chain(self, sector: int, *, small: bool = False) -> bytes:
        following, size = (self._next_small, 64) if small else (self._next, self._size)
        pieces, seen = [], set[int]()
        while sector < len(following) and sector not in seen:
            seen.add(sector)
            piece = self._small[sector * size : (sector + 1) * size] if small else self._sector(sector)
            self._left -= len(piece)
            if self._left < 0:
                raise Unextracted(Failure.BROKEN, "its streams share their bytes")
            pieces.append(piece)
            sector = following[sector]
        return b"".join(pieces)

    def _sector(self, number: int) -> bytes:
        return self._data[(number + 1) * self._size : (number + 2) * self._size].ljust(self._size, b"\0")

    @staticmethod
    def _table(data: bytes) -> tuple[int, ...]:
        return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])


def _entry(directory: bytes, at: int) -> _Entry:
    name, length, kind, left, right, below, sector, size = _ENTRY.unpack_from(directory, at)
    return _Entry(
        name[: max(length - 2, 0)].decode("utf-16-le", "replace"), kind, left, right, below, sector, size & 0xFFFFFFFF
    )


class _Item:
    """A message or an attachment: its properties, by their numbers."""

    def __init__(self, container: _Container, folder: _Entry, head: int) -> None:
        self.container = container
        self.below = container.below(folder)
        self.properties: dict[int, bytes] = {}
        fixed = self.below.get(_PROPERTIES)
        data = b"" if fixed is None else container.bytes_of(fixed)
        for at in range(head, len(data) - 15, 16):
            (tag,) = struct.unpack_from("<I", data, at)
            self.properties[tag >> 16] = data[at + 8 : at + 16]

    def number(self, tag: int) -> int | None:
        """A property that is a number of 32 bits."""
        value = self.properties.get(tag)
        return None if value is None else int.from_bytes(value[:4], "little")

    def time(self, tag: int) -> str:
        """A property that is a moment, as mail writes it; empty without one."""
        ticks = int.from_bytes(self.properties.get(tag, b""), "little")
        try:
            return format_datetime(_EPOCH + timedelta(microseconds=ticks // 10)) if ticks else ""
        except (OverflowError, ValueError):
            return ""

    def raw(self, tag: int) -> bytes | None:
        """A property that is bytes."""
        entry = self.below.get(f"__substg1.0_{tag:04X}0102")
        return None if entry is None else self.container.bytes_of(entry)

    def said(self, tag: int) -> str:
        """A property that is words; empty without them."""
        if (entry := self.below.get(f"__substg1.0_{tag:04X}001F")) is not None:
            text = self.container.bytes_of(entry).decode("utf-16-le", "replace")
        elif (entry := self.below.get(f"__substg1.0_{tag:04X}001E")) is not None:
            data = self.container.bytes_of(entry)
            try:
                text = data.decode(self.encoding)
            except UnicodeDecodeError:
                text = data.decode("cp1252", "replace")
        else:
            return ""
        return text.rstrip("\0")

    @property
    def encoding(self) -> str:
        """Of words that are not Unicode."""
        return _encoding(self.number(0x3FFD) or self.number(0x3FDE))

    def folders(self, beginning: str) -> Iterator[_Entry]:
        """The folders in it whose names begin so, in their order."""
        names = sorted(name for name in self.below if name.lower().startswith(beginning))
        return (self.below[name] for name in names if self.below[name].kind == _STORAGE)


def _encoding(code: int | None) -> str:
    """The encoding of a code page of Windows, its Western one for none that there is."""
    name = _ENCODINGS.get(code or 0) or (f"iso8859_{code - 28590}" if code and 28590 < code < 28607 else f"cp{code}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"


def _message(item: _Item, depth: int, notices: list[str]) -> Message:
    """The message as mail has it."""
    message = MIMEMultipart()
    heads = message_from_string(item.said(0x007D).lstrip())
    for name, value in heads.items():
        if not name.lower().startswith(_MIME):
            message[name] = value
    by = item.said(0x5D01) or item.said(0x5D02) or item.said(0x0C1F) or item.said(0x0065)
    sender = formataddr((item.said(0x0C1A) or item.said(0x0042), by if "@" in by else "")).removesuffix(" <>")
    told = {
        "Subject": item.said(0x0037),
        "From": sender,
        "To": item.said(0x0E04),
        "Cc": item.said(0x0E03),
        "Bcc": item.said(0x0E02),
        "Date": item.time(0x0039) or item.time(0x0E06),
        "Sensitivity": _SENSITIVITIES.get(item.number(0x0036) or 0, ""),
    }
    for name, value in told.items():
        if name not in message and (value or name == "Subject"):
            message[name] = value
    if (body := _body(item, notices)) is not None:
        message.attach(body)
    for folder in item.folders("__attach"):
        message.attach(_attachment(_Item(item.container, folder, _HEAD_ATTACHED), depth, notices))
    return message


def _body(item: _Item, notices: list[str]) -> Message | None:
    """The words: as plain text, else as HTML, else out of RTF."""
    if (text := item.said(0x1000)).strip():
        return MIMEText(text.replace("\r\n", "\n"), "plain", "utf-8")
    if text := item.said(0x1013):
        return MIMEText(text, "html", "utf-8")
    if data := item.raw(0x1013):
        part = MIMEApplication(data)
        part.set_type("text/html")
        part.set_param("charset", _encoding(item.number(0x3FDE) or 65001))
        return part
    if data := item.raw(0x1009):
        from lens_lsp.documents.readers.rtf import RtfReader

        try:
            return MIMEText(RtfReader().extract(_unpacked(data)).text, "plain", "utf-8")
        except Unextracted as why:
            if why.failure is not Failure.EMPTY:
                notices.append("the words of a message could not be read")
    return None


def _attachment(item: _Item, depth: int, notices: list[str]) -> Message:
    name = item.said(0x3707) or item.said(0x3704) or item.said(0x3001)
    inner = item.below.get(f"__substg1.0_{_INNER}")
    if item.number(0x3705) == _METHOD and inner is not None and depth <= DEEPEST:
        return MIMEMessage(_message(_Item(item.container, inner, _HEAD_INNER), depth + 1, notices))
    part = MIMEApplication(item.raw(0x3701) or b"")
    if type_ := item.said(0x370E):
        part.set_type(type_ if type_.count("/") == 1 else "application/octet-stream")
    part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
    return part


def _unpacked(data: bytes) -> bytes:
    """RTF as it was before it was packed ([MS-OXRTFCP]). Raises `Unextracted`."""
    if len(data) < 16:
        raise Unextracted(Failure.BROKEN, "its words are damaged")
    size, magic = struct.unpack_from("<I4s", data, 4)
    if magic == b"MELA":
        return data[16 : 16 + size]
    out = bytearray(_RTF_BEGIN)
    most = min(size, 16 * len(data)) + len(out)
    at = 16
    while at < len(data) and len(out) < most:
        flags = data[at]
        at += 1
        for bit in range(8):
            if flags >> bit & 1 == 0:
                out += data[at : at + 1]
                at += 1
                continue
            token = int.from_bytes(data[at : at + 2], "big")
            at += 2
            back = (len(out) - (token >> 4)) % 4096  # in a ring of 4,096 bytes
            if back == 0:  # the end
                return bytes(out[len(_RTF_BEGIN) :])
            if back > len(out):
                raise Unextracted(Failure.BROKEN, "its words are damaged")
            for _ in range((token & 15) + 2):
                out.append(out[-back])
    return bytes(out[len(_RTF_BEGIN) : most])
