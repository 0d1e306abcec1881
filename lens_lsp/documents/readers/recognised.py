"""What a program recognised on the pictures of pages, as a text with its places, each marked as recognised."""

from __future__ import annotations

import json

from lens_lsp.documents.model import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composing import Composer, on_one_line
from lens_lsp.domain.regexes import regex

_SPLIT = regex(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")
_GAP = regex(r"\n[ \t]*\n")


class RecognisedReader:
    """A list of texts in JSON, one for each page from the first."""

    name = "pdf-ocr"
    version = ""
    """`lens_lsp.documents.recognition` knows it: it is that of the program, too."""

    def extract(self, data: bytes) -> Extracted:
        """The pages in order; paragraphs are a blank line apart, words that a line end split are joined."""
        pages = json.loads(data)
        if not isinstance(pages, list) or not all(isinstance(page, str) for page in pages):
            raise Unextracted(Failure.BROKEN, "no list of pages")
        composer = Composer()
        for number, page in enumerate(pages, 1):
            composer.place({"page": number, "by": "ocr"})
            for passage in _GAP.split(_SPLIT.sub("", page.replace("\f", "\n"))):
                if on_one_line(passage):
                    composer.paragraph(on_one_line(passage))
        return composer.extracted(notices=("its text was recognised by OCR and may be wrong",))
