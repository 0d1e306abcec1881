"""Documents written by hand, part by part, and what must hold for the text of every document."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from lens_lsp.documents.kinds import DocumentReader, Extracted
from lens_lsp.model.documents import BlockKind, Locator

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ENCRYPTED_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le")
OLD_BINARY = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "WordDocument".encode("utf-16-le")


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of the parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def relations(*entries: tuple[str, str, str]) -> str:
    """A relations part of (identifier, kind, target)."""
    rows = "".join(f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{to}"/>' for key, kind, to in entries)
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def read(reader: DocumentReader, data: bytes) -> Extracted:
    """What the reader reads, after a look at what must hold for every document."""
    extracted = reader.extract(data)
    assert extracted == reader.extract(data), "the same bytes, another text"
    check(extracted)
    return extracted


def check(extracted: Extracted) -> None:
    """Blocks hold all of the text, in order and apart; headings slice their words; locators are sorted."""
    text, structure = extracted.text, extracted.structure
    at = 0
    for block in structure.blocks:
        words = text[block.span.start : block.span.end]
        assert text[at : block.span.start] == ("" if not at else "\n" * (block.span.start - at))
        assert words == words.strip("\n")
        assert words.strip()
        assert block.header is None or (block.header.end < block.span.start and block.kind is BlockKind.TABLE_ROW)
        at = block.span.end
    assert at == len(text)
    spans = [block.span for block in structure.blocks if block.kind is BlockKind.HEADING]
    assert [heading.span for heading in structure.headings] == spans
    assert [text[heading.span.start : heading.span.end] for heading in structure.headings] == [
        heading.text for heading in structure.headings
    ]
    starts = extracted.locators.starts
    assert list(starts) == sorted(set(starts))
    assert all(start < len(text) for start in starts)
    assert len(starts) == len(extracted.locators.locators)


def place_of(extracted: Extracted, words: str) -> Locator | None:
    """The locator of the only place where the words stand."""
    assert extracted.text.count(words) == 1, words
    at = extracted.text.index(words)
    before = [index for index, start in enumerate(extracted.locators.starts) if start <= at]
    return extracted.locators.locators[before[-1]] if before else None


def kinds(extracted: Extracted) -> list[tuple[str, str]]:
    """Each block's kind and words."""
    return [
        (block.kind.value, extracted.text[block.span.start : block.span.end]) for block in extracted.structure.blocks
    ]
