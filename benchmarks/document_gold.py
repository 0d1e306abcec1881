"""The sample documents and what is known of them: which words stand on which page, in which cell, on which slide.

``gold.json`` in the folder of the samples: ``items`` are ``file``, ``query`` (as somebody would ask for it), ``quote``
(words that stand there), ``locator`` (what the program that wrote the document was told, so not what a reader said)
and, for kinds without pages, ``heading`` (of the section); ``writers`` says what wrote each file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import Extracted, Unextracted, kind_for, missing
from lens_lsp.model.documents import Locator

SECONDS = 20.0
"""A document may take so long here: what is measured is where things are found, and others may use the machine."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question about the samples and where its answer stands."""

    file: str
    query: str
    quote: str
    locator: Locator
    heading: str | None = None

    @property
    def kind(self) -> str:
        """The folder of the file: ``pdf``, ``xlsx``."""
        return self.file.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Gold:
    """All items, and what wrote each file."""

    items: tuple[Item, ...]
    writers: dict[str, str]

    @classmethod
    def load(cls, samples: Path) -> Gold:
        """Raises OSError, ValueError or KeyError if ``gold.json`` is none."""
        said = json.loads((samples / "gold.json").read_text("utf-8"))
        items = tuple(
            Item(row["file"], row["query"], row["quote"], row["locator"], row.get("heading")) for row in said["items"]
        )
        return cls(items, said["writers"])

    def by_file(self) -> Iterator[tuple[str, list[Item]]]:
        for file in sorted(self.writers):
            yield file, [item for item in self.items if item.file == file]


@dataclass(frozen=True, slots=True)
class Miss:
    """An item that is not where its document's writer put it, and what was found instead."""

    item: Item
    reason: str


def uninstalled(files: Iterable[str]) -> tuple[str, ...]:
    """The distributions that reading the files needs and that are not there."""
    kinds = {kind for file in files if (kind := kind_for(file))}
    return tuple(sorted({name for kind in kinds for name in missing(kind)}))


def read_sample(extractor: Extractor, samples: Path, file: str) -> Extracted:
    """Raises `Unextracted`, also for a name that no reader is for."""
    kind = kind_for(file)
    if kind is None:
        raise ValueError(f"{file} is of no kind that is read")
    return extractor.extract(kind, (samples / file).read_bytes(), seconds=SECONDS)


def misread(extractor: Extractor, samples: Path, file: str, items: Sequence[Item]) -> list[Miss]:
    """The items of a file that its reader's text does not have where they belong."""
    try:
        extracted = read_sample(extractor, samples, file)
    except Unextracted as unread:
        return [Miss(item, str(unread)) for item in items]
    return [Miss(item, reason) for item in items if (reason := _complaint(extracted, item))]


def occurrences(text: str, quote: str) -> list[int]:
    """Where words stand in a text, whatever blanks are between them."""
    pattern = r"\s+".join(map(re.escape, quote.split()))
    return [found.start() for found in re.finditer(pattern, text)]


def holds(locator: Locator | None, gold: Locator) -> bool:
    """Whether a locator says all that the gold says."""
    return all((locator or {}).get(name) == value for name, value in gold.items())


def same_row(locator: Locator | None, gold: Locator) -> bool:
    """Like `holds`, but any cell of the row will do."""
    place = dict(locator or {})
    cells = [re.sub("[A-Z]", "", str(one.get("cell", ""))) for one in (place, gold)]
    return cells[0] == cells[1] and holds(place | {"cell": gold.get("cell", "")}, gold)


def _complaint(extracted: Extracted, item: Item) -> str | None:
    places = occurrences(extracted.text, item.quote)
    if not places:
        return "the words are not in the text"
    found = [locate(extracted.locators, place) for place in places]
    right = [place for place, locator in zip(places, found, strict=True) if holds(locator, item.locator)]
    if not right:
        return f"stands at {' and '.join(str(locator) for locator in found)}"
    if item.heading is not None and all(_heading(extracted.text, item, place) != item.heading for place in right):
        return f"stands under {[_heading(extracted.text, item, place) for place in right]}"
    return None


def _heading(text: str, item: Item, place: int) -> str | None:
    """The line nearest above that reads like a heading of the samples."""
    pattern = re.sub(r"\d+", r"\\d+", re.escape(item.heading or ""))
    lines = re.findall(rf"^{pattern}$", text[:place], re.MULTILINE)
    return lines[-1] if lines else None
