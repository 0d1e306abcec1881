"""Documents that Microsoft Office saved, out of the source packages of python-docx and python-pptx (MIT).

They are the only samples whose source is the document itself: the slide and the words are read off its XML.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

from tests.documents.making.stories import Item, Locator, Workshop

_FILES: tuple[tuple[str, str, str, tuple[tuple[Item, Locator], ...]], ...] = (
    (
        "python_docx-1.1.2/features/steps/test_files/blk-paras-and-tables.docx",
        "docx",
        "word-paragraphs-and-tables.docx",
        (
            (Item("lorem ipsum dolor sit amet", "consectetur adipiscing elit"), {}),
            (Item("donec semper facilisis metus", "finibus malesuada"), {}),
        ),
    ),
    (
        "python_docx-1.1.2/features/steps/test_files/par-rendered-page-breaks.docx",
        "docx",
        "word-page-breaks.docx",
        (
            (Item("paragraph with no page breaks", "No page breaks"), {}),
            (Item("hyperlink with text following a page break", "with text following"), {}),
        ),
    ),
    (
        "python_pptx-1.0.2/features/steps/test_files/txt-fit-text.pptx",
        "pptx",
        "powerpoint-type-design.pptx",
        (
            (Item("who employs type designers", "often employed by type foundries"), {"slide": 1}),
            (Item("font developers in digital typography", "sometimes also called font developers"), {"slide": 1}),
        ),
    ),
    (
        "python_pptx-1.0.2/features/steps/test_files/tbl-cell.pptx",
        "pptx",
        "powerpoint-tables.pptx",
        (
            (Item("table cell having custom margins", "having custom margins"), {"slide": 1}),
            (Item("unladen swallows", "unladen swallows"), {"slide": 1}),
            (Item("cells that are one merged cell", "merged cell"), {"slide": 2}),
        ),
    ),
)


def write_all(shop: Workshop, sources: Path) -> None:
    """Copy them, and name the program that each says it was saved by."""
    for source, kind, file, items in _FILES:
        target = shop.target(kind, file)
        shutil.copy(sources / source, target)
        for item, locator in items:
            shop.gold.add(f"{kind}/{file}", item, locator)
        shop.gold.wrote(f"{kind}/{file}", f"{_application(target)}; {source}")


def _application(document: Path) -> str:
    with zipfile.ZipFile(document) as parts:
        said = parts.read("docProps/app.xml").decode()
    found = [re.search(rf"<{name}>([^<]*)", said) for name in ("Application", "AppVersion")]
    return " ".join(match[1] for match in found if match)
