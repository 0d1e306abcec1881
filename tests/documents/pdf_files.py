"""Small PDF files, written out object by object, with text at chosen places."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

HEIGHT = 792
_FONTS = {"F1": "Courier", "F2": "Courier-Bold"}
"""Every letter is 0.6 sizes wide."""


def text(
    words: str, x: float, y: float, *, size: float = 10, bold: bool = False, mode: int = 0, colour: str = "0 g"
) -> str:
    """Words that begin ``x`` points from the left and stand ``y`` points under the upper edge."""
    escaped = words.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    font = "F2" if bold else "F1"
    return f"BT {colour} {mode} Tr /{font} {size} Tf {x} {HEIGHT - y} Td ({escaped.decode('cp1252')}) Tj ET"


def lines(texts: Sequence[str], x: float, y: float, *, step: float = 12, size: float = 10, bold: bool = False) -> str:
    """Lines under each other, ``step`` points apart."""
    return "\n".join(text(line, x, y + at * step, size=size, bold=bold) for at, line in enumerate(texts))


PICTURE = "q 612 0 0 792 0 0 cm /Im0 Do Q"
"""A picture that covers the page."""


@dataclass(frozen=True)
class PageMaking:
    """One page: what is drawn, and by how many degrees a viewer turns it."""

    content: str = ""
    rotate: int = 0
    annotations: str = ""
    """Dictionaries and references of its annotations."""


@dataclass(frozen=True)
class PdfMaking:
    """A document. ``outline`` is of (title, page from 0), ``locked`` asks for a password that nobody knows, and
    ``password`` for this one."""

    pages: Sequence[PageMaking]
    info: dict[str, str] = field(default_factory=dict)
    outline: Sequence[tuple[str, int]] = ()
    locked: bool = False
    password: str = ""
    catalog: str = ""
    """Further entries of the catalog: a form, attached files."""
    more: Sequence[str] = ()
    """Further objects, numbered from `first_more`."""

    @property
    def first_more(self) -> int:
        """The number of the first of the further objects."""
        return 7 + 2 * len(self.pages) + len(self.outline)

    def written(self) -> bytes:
        """The file."""
        first_page, count = 7, len(self.pages)
        first_entry = first_page + 2 * count
        kids = " ".join(f"{first_page + 2 * at} 0 R" for at in range(count))
        fonts = " ".join(
            f"/{key} << /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            for key, name in _FONTS.items()
        )
        entries = " ".join(f"/{key} ({value})" for key, value in self.info.items())
        objects = [
            f"<< /Type /Catalog /Pages 2 0 R {'/Outlines 6 0 R' if self.outline else ''} {self.catalog} >>",
            f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
            f"<< /Font << {fonts} >> /XObject << /Im0 4 0 R >> >>",
            stream(
                "@", "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
            ),
            f"<< {entries} >>",
            f"<< /Type /Outlines /First {first_entry} 0 R /Last {first_entry + len(self.outline) - 1} 0 R >>",
        ]

        def drawn(at: int) -> str:
            return f"/Resources 3 0 R /Contents {first_page + 2 * at + 1} 0 R"

        for at, page in enumerate(self.pages):
            seen = f"/MediaBox [0 0 612 {HEIGHT}] /Rotate {page.rotate} /Annots [{page.annotations}]"
            objects += [
                f"<< /Type /Page /Parent 2 0 R {seen} {drawn(at)} >>",
                stream(page.content),
            ]
        for at, (title, page_at) in enumerate(self.outline):
            following = f"/Next {first_entry + at + 1} 0 R" if at + 1 < len(self.outline) else ""
            target = f"/Dest [{first_page + 2 * page_at} 0 R /Fit]"
            objects.append(f"<< /Title ({title}) /Parent 6 0 R {target} {following} >>")
        return _file([*objects, *self.more], locked=self.locked, password=self.password)


def stream(content: str, entries: str = "") -> str:
    return f"<< {entries} /Length {len(content)} >>\nstream\n{content}\nendstream"


_PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_STREAM = re.compile(rb"(?s)(stream\n)(.*)(\nendstream)")


def _rc4(key: bytes, data: bytes) -> bytes:
    state, at = list(range(256)), 0
    for i in range(256):
        at = (at + state[i] + key[i % len(key)]) % 256
        state[i], state[at] = state[at], state[i]
    out, i, at = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        at = (at + state[i]) % 256
        state[i], state[at] = state[at], state[i]
        out.append(byte ^ state[(state[i] + state[at]) % 256])
    return bytes(out)


def _file(objects: Sequence[str], *, locked: bool, password: str = "") -> bytes:
    """The file; with a password its streams are encrypted as in PDF 1.1, and no other strings may be in it."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    owner = bytes(32)
    padded = (password.encode("ascii") + _PAD)[:32]
    secret = hashlib.md5(padded + owner + (-4 & 0xFFFFFFFF).to_bytes(4, "little") + b"\0").digest()[:5]
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        said = body.encode("cp1252")
        if password:
            key = hashlib.md5(secret + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
            said = _STREAM.sub(lambda found, key=key: found[1] + _rc4(key, found[2]) + found[3], said)  # type: ignore[misc]
        out += b"%d 0 obj\n%s\nendobj\n" % (number, said)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    trailer = f"/Size {len(objects) + 1} /Root 1 0 R /Info 5 0 R"
    if password:
        trailer += f" /Encrypt << /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{_rc4(secret, _PAD).hex()}>"
        trailer += " /P -4 >> /ID [<00> <00>]"
    elif locked:
        key = "00" * 32
        trailer += f" /Encrypt << /Filter /Standard /V 1 /R 2 /O <{key}> /U <{key}> /P -4 >> /ID [<00> <00>]"
    out += f"trailer\n<< {trailer} >>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)
