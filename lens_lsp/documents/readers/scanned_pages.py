"""Reader of pages that are pictures: the PP-OCR models of ``rapidocr`` find and read their lines, in the worker.

A page is turned upright as a whole before it is read: a model that judges line by line turns single lines upside down.
The models come inside the package and nothing is fetched. They know printed Latin letters and Chinese characters.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

from lens_lsp.documents.kinds import Failure, ScannedLine, ScannedPage, Unextracted
from lens_lsp.documents.readers.pdf import drawn_page, opened, page_count

_PER_INCH = 200
"""Dots an inch that a page is drawn at."""
_MOST_PIXELS = 8_000_000
_DETECTED_SIDE = 1440
"""Pixels of the longer side of the picture that lines are looked for in."""
_TALL = 1.5
"""A box so many times higher than wide is a line of a page that lies on its side."""
_SAMPLE = 5
"""Lines that are read to learn whether a page is upside down: the longest ones."""
_UPRIGHT = 0.88
"""A page whose sample the model is as sure of is upright."""
_LEGIBLE = 0.5
"""What the model is less sure of is dirt, or a drawing."""
_SPECK = 2
"""Pixels of a column or row of a box: fewer are dirt."""
_MOST_THREADS = 4
Picture = np.ndarray[Any, np.dtype[np.uint8]]
"""Rows of pixels of three channels."""
Quads = np.ndarray[Any, np.dtype[np.float32]]
"""The four corners of each box, x and y in pixels, from the upper left one clockwise."""


class ScanReader:
    """Reads a page of a PDF as a picture, whether it has a text layer or not."""

    def recognise(self, data: bytes, index: int) -> tuple[ScannedPage, int]:
        """What stands on the page ``index`` from 0, and how many pages there are. Raises `Unextracted`."""
        with opened(data) as document:
            count = page_count(document)
            if not 0 <= index < count:
                raise Unextracted(Failure.EMPTY, "there is no such page")
            width, height, pixels, scale = drawn_page(document, index, _PER_INCH, _MOST_PIXELS)
        grey = np.frombuffer(pixels, np.uint8).reshape(height, width)
        turned, found = _read(np.repeat(grey[:, :, None], 3, axis=2))
        if turned % 2:
            width, height = height, width
        lines = []
        for text, box, sure in found:
            left, top, right, bottom = (round(side * scale, 2) for side in box)
            lines.append(ScannedLine(text, left, top, right, bottom, round(sure, 4)))
        return ScannedPage(turned, round(width * scale, 2), round(height * scale, 2), tuple(lines)), count


def _read(picture: Picture) -> tuple[int, list[tuple[str, list[float], float]]]:
    """How many quarters to the left make the picture upright, and its lines then: words, box, how sure."""
    turned, quads = 0, _detected(picture)
    if len(quads) and _lies(quads):
        turned, picture = 1, np.ascontiguousarray(np.rot90(picture))
        quads = _detected(picture)
    if not len(quads):
        return 0, []
    sample = quads[np.argsort(-_widths(quads))[:_SAMPLE]]
    sure = _sureness(picture, sample)
    if sure < _UPRIGHT:
        turned_picture, size = np.ascontiguousarray(np.rot90(picture, 2)), np.float32(picture.shape[1::-1])
        if _sureness(turned_picture, (size - sample)[:, [2, 3, 0, 1]]) > sure:
            turned, picture, quads = turned + 2, turned_picture, (size - quads)[::-1, [2, 3, 0, 1]]
    found = zip(_recognised(picture, quads), quads, strict=True)
    return turned, [
        (text, _inked(picture, quad), sure) for (text, sure), quad in found if sure >= _LEGIBLE and text.strip()
    ]


def _inked(picture: Picture, quad: Quads) -> list[float]:
    """Left, top, right and bottom of what is written in a box: the model leaves a margin of half a letter."""
    left, top = np.maximum(np.floor(quad.min(axis=0)), 0).astype(int).tolist()
    right, bottom = np.ceil(quad.max(axis=0)).astype(int).tolist()
    shades = picture[top:bottom, left:right, 0]
    if not shades.size:
        return [left, top, right, bottom]
    dark = shades < (int(shades.min()) + int(shades.max())) / 2
    ink = ~dark if 2 * dark.sum() > dark.size else dark
    across, down = (np.flatnonzero(ink.sum(axis=axis) >= _SPECK) for axis in (0, 1))
    if not len(across) or not len(down):
        return [left, top, right, bottom]
    return [left + int(across[0]), top + int(down[0]), left + int(across[-1]) + 1, top + int(down[-1]) + 1]


def _widths(quads: Quads) -> Any:
    return np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)


def _lies(quads: Quads) -> bool:
    """Whether most of the text, by length, stands in boxes that are much higher than wide."""
    wide, high = (quads.max(axis=1) - quads.min(axis=1)).T
    return bool(2 * high[high > _TALL * wide].sum() > np.maximum(wide, high).sum())


def _sureness(picture: Picture, quads: Quads) -> float:
    return float(np.mean([sure for _, sure in _recognised(picture, quads)]))


def _detected(picture: Picture) -> Quads:
    found = _engine()(picture, use_det=True, use_cls=False, use_rec=False).boxes
    return np.zeros((0, 4, 2), np.float32) if found is None else np.asarray(found, np.float32)


def _recognised(picture: Picture, quads: Quads) -> list[tuple[str, float]]:
    """Each line's words and how sure the model is of them."""
    engine = _engine()
    found = engine.recognize_txt(engine.crop_text_regions(picture, quads))
    return list(zip(found.txts, map(float, found.scores), strict=True))


@cache
def _engine() -> Any:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library is imported
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.max_side_len": 100_000,
            "Det.limit_type": "max",
            "Det.limit_side_len": _DETECTED_SIDE,
            "Rec.rec_batch_num": 2,
            "EngineConfig.onnxruntime.intra_op_num_threads": min(_MOST_THREADS, os.cpu_count() or 1),
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
