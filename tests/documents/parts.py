"""Documents written by hand, part by part, and what must hold for the text of every document."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

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


def chart(title: str, categories: Sequence[str], *series: tuple[str, Sequence[str], str]) -> str:
    """A chart of bars: its categories, and of each series the name, the values and the code of their format."""

    def points(values: Sequence[str], code: str = "") -> str:
        code = f"<c:formatCode>{code}</c:formatCode>" if code else ""
        return code + "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values) if value)

    def text(words: str) -> str:
        return f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{words}</a:t></a:r></a:p></c:rich></c:tx></c:title>"

    drawn = "".join(
        f"<c:ser><c:tx><c:strRef><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points(categories)}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache>{points(values, code)}</c:numCache></c:numRef></c:val></c:ser>"
        for name, values, code in series
    )
    names = (
        'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    )
    plot = f"<c:plotArea><c:barChart>{drawn}</c:barChart><c:valAx>{text('Tons')}</c:valAx></c:plotArea>"
    return f"<c:chartSpace {names}><c:chart>{text(title)}{plot}</c:chart></c:chartSpace>"


CHART = chart("Sold", ["2022", "2023"], ("Nails", ["1.5", "8.1999999999999993"], "0.0"), ("Share", ["0.25", ""], "0%"))
CHART_TEXT = ["Chart: Sold; axis Tons", "| Nails | Share\n2022 | 1.5 | 25% (0.25)\n2023 | 8.2"]
"""What stands in a document with that chart."""


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
