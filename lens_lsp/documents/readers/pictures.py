"""Image files as PDFs of a page for each picture in them, so that they are read, shown and marked as scans are."""

from __future__ import annotations

import io
import warnings
import zlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from lens_lsp.documents.kinds import Failure, Unextracted

_BEGINNINGS = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"BM", b"RIFF")
_POINTS = 72 / 200
"""Of a pixel: a page is drawn for OCR as large as the picture is."""
_MOST_PIXELS = 8_000_000
_MOST_DECODED = 100_000_000
"""Pixels of a picture that is opened at all."""
_MOST_PAGES = 300


def is_picture(data: bytes) -> bool:
    """Whether a file begins as an image does."""
    return data.startswith(_BEGINNINGS)


@lru_cache(maxsize=1)
def as_pdf(data: bytes) -> bytes:
    """The PDF; raises `Unextracted` for what cannot be opened. The last one is kept, for its next page."""
    try:
        shown = list(islice(_pictures(data), _MOST_PAGES))
    except ImportError as why:
        raise Unextracted(Failure.NO_READER, "pillow is not installed") from why
    except (MemoryError, Unextracted):
        raise
    except Exception as why:  # whatever the library raises
        raise Unextracted(Failure.BROKEN, f"{type(why).__name__}: {why}") from why
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b""]
    kids = []
    for width, height, packed in shown:
        number = len(objects) + 1
        kids.append(b"%d 0 R" % number)
        across, up = width * _POINTS, height * _POINTS
        drawing = b"%f 0 0 %f 0 0 cm /I Do" % (across, up)
        looks = b"/MediaBox[0 0 %f %f]/Contents %d 0 R/Resources<</XObject<</I %d 0 R>>>>"
        form = b"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8"
        objects += [
            b"<</Type/Page/Parent 2 0 R" + looks % (across, up, number + 1, number + 2) + b">>",
            b"<</Length %d>>\nstream\n%s\nendstream" % (len(drawing), drawing),
            b"<<" + form % (width, height) + b"/Filter/FlateDecode/Length %d>>\nstream\n" % len(packed),
        ]
        objects[-1] += packed + b"\nendstream"
    objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(kids), len(kids))
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out) + b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)


def _pictures(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Each picture in the file, in shades of grey, as its camera held it: width, height and packed pixels."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = _MOST_DECODED // 2  # it warns of more, and refuses twice as many
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            opened = Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "TIFF", "BMP", "WEBP"))
        except Image.DecompressionBombError as why:
            raise Unextracted(Failure.TOO_LARGE, str(why)) from why
        with opened as image:
            for frame in range(getattr(image, "n_frames", 1)):
                image.seek(frame)
                image.draft("L", (4000, 4000))
                flat = ImageOps.exif_transpose(image)
                if flat.mode in ("RGBA", "LA", "PA", "P"):  # what shows through is paper
                    over = flat.convert("RGBA")
                    flat = Image.new("RGBA", over.size, "white")
                    flat.alpha_composite(over)
                grey = flat.convert("L")
                if (many := grey.width * grey.height / _MOST_PIXELS) > 1:
                    grey = grey.resize((int(grey.width / many**0.5), int(grey.height / many**0.5)))
                yield grey.width, grey.height, zlib.compress(grey.tobytes(), 1)
