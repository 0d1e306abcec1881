"""A PDF with what a program recognised on those of its pages that are pictures, each marked as recognised."""

from __future__ import annotations

import json

from lens_lsp.documents.model import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.pdf import PdfReader


class RecognisedReader:
    """A line of JSON, the texts by the numbers of their pages from 1, and behind it the PDF."""

    name = "pdf-ocr"
    version = ""
    """`lens_lsp.documents.recognition` knows it: it is that of the program, too."""

    def extract(self, data: bytes) -> Extracted:
        """As `PdfReader.extract`, with the texts where the pages have none of their own."""
        said, _, document = data.partition(b"\n")
        pages = json.loads(said)
        if not isinstance(pages, dict) or not all(isinstance(text, str) for text in pages.values()):
            raise Unextracted(Failure.BROKEN, "no texts of pages")
        return PdfReader().extract_with({int(number): text for number, text in pages.items()}, document)
