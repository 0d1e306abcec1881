"""Scans: PDFs whose pages are pictures of text, as a copier writes them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from lens_lsp.documents.readers.pdf import drawn_page, opened
from tests.documents.pdf_files import PageMaking, PdfMaking, lines

_PER_INCH = 300
Grey = np.ndarray[Any, np.dtype[np.uint8]]
"""Rows of pixels, from black to white."""


def scan(*pages: Sequence[str], quarters: int = 0) -> bytes:
    """A PDF with a picture of these lines on each of its pages, and no text; ``quarters`` to the left it lies."""
    written = (PdfMaking([PageMaking(lines(page, 60, 80, step=34, size=20))]).written() for page in pages)
    return pdf_of([np.rot90(drawn(data), quarters) for data in written], 72 / _PER_INCH)


def drawn(data: bytes) -> Grey:
    """The first page of a PDF as a picture."""
    with opened(data) as document:
        width, height, pixels, _scale = drawn_page(document, 0, _PER_INCH, 10**8)
    return np.frombuffer(pixels, np.uint8).reshape(height, width)


def pdf_of(pictures: Sequence[Grey], points: float) -> bytes:
    """A PDF with a picture on each of its pages and nothing else; ``points`` are those of a pixel."""
    kids = " ".join(f"{3 + 3 * at} 0 R" for at in range(len(pictures)))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pictures)}>>".encode()]
    for at, picture in enumerate(pictures):
        height, width = picture.shape
        across, up = width * points, height * points
        packed, number = zlib.compress(picture.tobytes(), 1), 3 + 3 * at
        shown = b"%f 0 0 %f 0 0 cm /I Do" % (across, up)
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %f %f]/Contents %d 0 R/Resources<</XObject<</I %d 0 R>>>>>>"
            % (across, up, number + 1, number + 2),
            b"<</Length %d>>\nstream\n%s\nendstream" % (len(shown), shown),
            b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8"
            b"/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (width, height, len(packed), packed),
        ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table) + trailer
