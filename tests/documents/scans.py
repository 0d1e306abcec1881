"""Scans: PDFs whose pages are pictures of text, as a copier writes them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from lens_lsp.documents.readers.pdf import PdfReader
from tests.documents.pdf_files import PageMaking, PdfMaking, lines


def scan(*pages: Sequence[str], quarters: int = 0) -> bytes:
    """A PDF with a picture of these lines on each of its pages, and no text; ``quarters`` to the left it lies."""
    written = [PdfMaking([PageMaking(lines(page, 60, 80, step=34, size=20))]).written() for page in pages]
    pictures = [_turned(PdfReader().picture(data, 0)[0], quarters) for data in written]
    return _pictures(pictures, lies=quarters % 2 == 1)


def _turned(picture: bytes, quarters: int) -> bytes:
    _, size, _, pixels = picture.split(b"\n", 3)
    width, height = map(int, size.split())
    turned = np.rot90(np.frombuffer(pixels, np.uint8).reshape(height, width), quarters)
    return b"P5\n%d %d\n255\n%s" % (turned.shape[1], turned.shape[0], turned.tobytes())


def _pictures(pictures: Sequence[bytes], *, lies: bool) -> bytes:
    kids = " ".join(f"{3 + 3 * at} 0 R" for at in range(len(pictures)))
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pictures)}>>".encode()]
    for at, picture in enumerate(pictures):
        _, size, _, pixels = picture.split(b"\n", 3)
        width, height = map(int, size.split())
        packed, number = zlib.compress(pixels), 3 + 3 * at
        across, up = (792, 612) if lies else (612, 792)
        shown = b"%d 0 0 %d 0 0 cm /I Do" % (across, up)
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R/Resources<</XObject<</I %d 0 R>>>>>>"
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
