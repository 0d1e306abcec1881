"""OCR on scans made from the sample PDFs, whose text layer says what stands where.

    python -m benchmarks.scans [--pages 40] [--angles 0 1 2 3] [--out FILE]

Each page is drawn at 200 dots an inch in shades of grey, turned by up to half a degree, blurred and speckled, and put
into a PDF as a picture. What the models read is compared with the text layer line by line from the top, without blanks:
``wrong`` is the Levenshtein distance by the letters of the page. A line that was read without a mistake is compared by
its box: how many pixels its left and right sides are off. Seconds and memory are those of the worker.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL_OCR, SCAN, ScannedPage, missing
from lens_lsp.documents.readers.pdf import (
    drawn_page,
    opened,
    opened_page,
    page_count,
    pieces_of,
    visibility_of,
)
from lens_lsp.documents.readers.pdf_layout import PdfTextPiece, pieces_of_scan, rows_of
from tests.documents.scans import Grey, pdf_of

SAMPLES = Path("tests/documents/samples/pdf")
_PER_INCH = 200
_LEAST_LETTERS = 200
"""A page of less is no page of text."""
_CLOSE = 3
"""Pixels."""


@dataclass(frozen=True, slots=True)
class Page:
    """A picture of a page, points a pixel in it, and the pieces of its text layer."""

    name: str
    picture: Grey
    scale: float
    pieces: Sequence[PdfTextPiece]


def pages(samples: Path) -> Iterator[Page]:
    """Every page of text of the samples, upright and without rotated text."""
    for path in sorted(samples.glob("*.pdf")):
        with opened(path.read_bytes()) as document:
            for index in range(page_count(document)):
                with opened_page(document, index) as page:
                    seen = [] if page is None else visibility_of(page, pieces_of(page)).seen
                if sum(len(piece.text) for piece in seen) < _LEAST_LETTERS or any(p.style.direction for p in seen):
                    continue
                width, height, pixels, scale = drawn_page(document, index, _PER_INCH, 10**8)
                picture = np.frombuffer(pixels, np.uint8).reshape(height, width)
                yield Page(f"{path.name} p. {index + 1}", picture, scale, seen)


def scanned(picture: Grey, rng: random.Random, quarters: int) -> Grey:
    """The picture as a scanner gives it: not quite straight, soft, with specks."""
    noise = np.random.default_rng(rng.randrange(2**32))
    slope = np.tan(np.radians(rng.uniform(-0.5, 0.5)))
    height, width = picture.shape
    shifts = np.rint((np.arange(width) - width / 2) * slope).astype(int)
    rows = np.clip(np.arange(height)[:, None] + shifts[None, :], 0, height - 1)
    soft = picture[rows, np.arange(width)[None, :]].astype(np.float32)
    soft = (2 * soft + np.roll(soft, 1, 0) + np.roll(soft, 1, 1)) / 4
    soft += noise.normal(0, 8, soft.shape)
    soft[noise.random(soft.shape) < 0.0005] = 60
    return np.ascontiguousarray(np.rot90(np.clip(soft, 0, 255).astype(np.uint8), quarters))


def letters_of(pieces: Sequence[PdfTextPiece]) -> str:
    """The text by lines from the top, without blanks."""
    rows = rows_of(pieces)
    return "".join("".join((piece.text + "-" * piece.hyphen).split()) for row in rows for piece in row)


def distance(said: str, meant: str) -> int:
    """Levenshtein's."""
    b = np.array([ord(letter) for letter in meant])
    row = np.arange(len(b) + 1)
    for at, letter in enumerate(said, 1):
        best = np.empty_like(row)
        best[0] = at
        best[1:] = np.minimum(row[1:] + 1, row[:-1] + (b != ord(letter)))
        row = np.minimum.accumulate(best - np.arange(len(best))) + np.arange(len(best))
    return int(row[-1])


def boxes_off(said: ScannedPage, page: Page) -> list[float]:
    """For each line that was read as it is: by how many pixels its worse side is off."""
    off = []
    by_text = {"".join(line.text.split()): line for line in said.lines}
    for row in rows_of(page.pieces):
        for piece in row:
            line = by_text.get("".join(piece.text.split()))
            if line is not None and not piece.hyphen:
                left, right = _inked(page, piece)
                off.append(max(abs(line.left / page.scale - left), abs(line.right / page.scale - right)))
    return off


def _inked(page: Page, piece: PdfTextPiece) -> tuple[int, int]:
    """Where the ink of a piece begins and ends on its line, in pixels of the picture before it was scanned."""
    left, right = int(piece.left / page.scale) - 1, int(piece.right / page.scale) + 2
    top, bottom = int((piece.base - 0.7 * piece.size) / page.scale), int((piece.base + 0.2 * piece.size) / page.scale)
    ink = np.flatnonzero((page.picture[top:bottom, left:right] < 128).any(axis=0))
    return (left + int(ink[0]), left + int(ink[-1]) + 1) if len(ink) else (left, right)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=Path, default=SAMPLES)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--angles", type=int, nargs="+", default=[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    if lacking := missing(SCAN):
        print(f"{', '.join(lacking)} not installed: {INSTALL_OCR}", file=sys.stderr)
        return 2
    rng = random.Random(options.seed)
    every = list(pages(options.samples))
    chosen = rng.sample(every, min(options.pages, len(every)))
    wrong = letters = turned = 0
    shares, seconds, off = list[float](), list[float](), list[float]()
    worst: list[tuple[float, str]] = []
    with Extractor(memory=2 << 30) as extractor:
        for at, page in enumerate(chosen):
            quarters = options.angles[at % len(options.angles)]
            data = pdf_of([scanned(page.picture, rng, quarters)], 72 / _PER_INCH)
            began = time.monotonic()
            said, _count = extractor.recognise(data, 0, seconds=600)
            seconds.append(time.monotonic() - began)
            meant = letters_of(page.pieces)
            missed = distance(letters_of(pieces_of_scan(said)), meant)
            wrong, letters = wrong + missed, letters + len(meant)
            turned += (said.turned + quarters) % 4 == 0
            shares.append(missed / len(meant))
            worst.append((round(missed / len(meant), 4), page.name))
            off += boxes_off(said, page)
    report = {
        "pages": len(chosen),
        "angles": options.angles,
        "turnedUpright": turned,
        "letters": letters,
        "wrong": round(wrong / letters, 5),
        "medianOfPages": round(statistics.median(shares), 5),
        "worst": sorted(worst, reverse=True)[:5],
        "boxes": len(off),
        "boxesWithin3Pixels": round(sum(each <= _CLOSE for each in off) / max(len(off), 1), 4),
        "medianOff": round(statistics.median(off), 2) if off else None,
        "secondsAPage": round(statistics.median(seconds), 2),
        "workerMegabytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10,
    }
    line = json.dumps(report)
    print(line)
    if options.out:
        options.out.write_text(line + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
