"""Scans: what the models read, laid out by the boxes of its lines, and a quote marked on the page as it lies."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import pytest

from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.frames import Damaged, scanned_from, scanned_to
from lens_lsp.documents.kinds import (
    INSTALL_OCR,
    SCAN,
    Failure,
    ScannedLine,
    ScannedPage,
    Unextracted,
    kind_named,
    missing,
)
from lens_lsp.documents.recognition import ModelRecognition, Recognition
from tests.availability import unavailable
from tests.documents.scans import scan

DIGEST = "scripted"
CRANE = "The harbour crane lifts forty tonnes."
NIGHT = "Nobody rows at night."


@pytest.fixture(scope="module")
def models(extractor: Extractor) -> ModelRecognition:
    if lacking := missing(SCAN):
        unavailable("ocr", f"{', '.join(lacking)} not installed: {INSTALL_OCR}")
    return ModelRecognition(extractor)


def never() -> bool:
    return False


def pixels_of(png: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The rows of a PNG without filters, three channels."""
    width, height = struct.unpack(">II", png[16:24])
    begin = png.index(b"IDAT")
    (size,) = struct.unpack(">I", png[begin - 4 : begin])
    rows = np.frombuffer(zlib.decompress(png[begin + 4 : begin + 4 + size]), np.uint8).reshape(height, 1 + 3 * width)
    return rows[:, 1:].reshape(height, width, 3)


def page(*lines: tuple[str, float, float, float], turned: int = 0, sure: float = 0.97) -> ScannedPage:
    """A page of Letter's size with lines of twelve points: words, left, right, base."""
    placed = (ScannedLine(text, left, base - 12, right, base + 3, sure) for text, left, right, base in lines)
    return ScannedPage(turned, 612, 792, tuple(placed))


class Scripted(Recognition):
    """Reads the same page whatever is on it."""

    def __init__(self, extractor: Extractor, said: ScannedPage) -> None:
        super().__init__(extractor)
        self.said = said

    @property
    def reader(self) -> str:
        return "pdf-ocr/scripted"

    def page(self, data: bytes, digest: str, number: int, seconds: float, cancelled: object) -> tuple[ScannedPage, int]:
        return self.said, 1


class TestLayout:
    def test_lines_of_a_paragraph_are_joined_and_a_split_word_is_one(self, extractor: Extractor) -> None:
        said = page(
            ("The harbour crane was built in Rotter-", 60, 300, 80),
            ("dam by two brothers who never saw it", 60, 300, 96),
            ("lift.", 60, 85, 112),
            ("A new paragraph.", 60, 160, 160),
        )
        found = Scripted(extractor, said).text(scan([CRANE]), DIGEST, never)
        assert found.text == (
            "The harbour crane was built in Rotterdam by two brothers who never saw it lift.\n\nA new paragraph."
        )
        assert [dict(place) for place in found.locators.locators] == [{"page": 1, "by": "ocr", "confidence": 97}]

    def test_columns_are_read_one_after_the_other(self, extractor: Extractor) -> None:
        left = [(f"left words of the line number {n}", 60.0, 280.0, 80.0 + 16 * n) for n in range(6)]
        right = [(f"right words of the line number {n}", 330.0, 550.0, 80.0 + 16 * n) for n in range(6)]
        both = [line for pair in zip(left, right, strict=True) for line in pair]
        found = Scripted(extractor, page(*both)).text(scan([CRANE]), DIGEST, never).text
        assert found.index("left words of the line number 5") < found.index("right words of the line number 0")

    def test_a_page_that_nobody_can_read_is_named_and_costs_no_other_page(self, extractor: Extractor) -> None:
        class Choking(Scripted):
            def page(self, data: bytes, digest: str, number: int, *rest: object) -> tuple[ScannedPage, int]:
                if number == 2:
                    raise Unextracted(Failure.TIMED_OUT)
                return self.said, 3

        found = Choking(extractor, page((CRANE, 60, 260, 90))).text(scan([CRANE], [NIGHT], [CRANE]), DIGEST, never)
        assert [place["page"] for place in found.locators.locators] == [1, 3]
        assert "page 2 could not be read" in found.notices
        assert found.cut


class TestMarks:
    @pytest.mark.parametrize("turned", range(4))
    def test_a_quote_is_marked_where_it_stands_on_the_page_as_it_lies(self, extractor: Extractor, turned: int) -> None:
        width, height = (612, 792) if turned % 2 == 0 else (792, 612)
        said = ScannedPage(turned, width, height, (ScannedLine(CRANE, 60, 70, 260, 90, 1.0),))
        view = extractor.view(kind_named("pdf"), scan([""]), 1, "crane lifts", scanned=said)
        assert view.marks == 1
        pixels = pixels_of(view.png)
        middle = {0: (160 / 612, 80 / 792), 1: (1 - 80 / 612, 160 / 792), 2: (1 - 160 / 612, 1 - 80 / 792)}
        x, y = middle.get(turned, (80 / 612, 1 - 160 / 792))
        down, across, _channels = pixels.shape
        red, _green, blue = pixels[int(y * down), int(x * across)]
        assert (red > 200, blue < 120) == (True, True), "yellow"
        assert pixels[int((1 - y) * down), int((1 - x) * across)].tolist() == [255, 255, 255], "white elsewhere"

    def test_what_is_not_on_the_page_is_not_marked(self, extractor: Extractor) -> None:
        said = page((CRANE, 60, 260, 90))
        assert extractor.view(kind_named("pdf"), scan([NIGHT]), 1, "no such words", scanned=said).marks == 0


class TestFrames:
    def test_a_page_comes_over_as_it_was(self) -> None:
        said = page((CRANE, 60, 260, 90), (NIGHT, 60, 200, 120), turned=3)
        assert scanned_from(scanned_to(said)) == said

    @pytest.mark.parametrize(
        "lie",
        [
            None,
            {},
            {"turned": 4, "width": 1, "height": 1, "lines": []},
            {"turned": 0, "width": "1", "height": 1, "lines": []},
            {"turned": 0, "width": 1, "height": 1, "lines": {}},
            {"turned": 0, "width": 1, "height": 1, "lines": [["words", 1, 2, 3]]},
            {"turned": 0, "width": 1, "height": 1, "lines": [[7, 1, 2, 3, 4, 1.0]]},
            {"turned": 0, "width": 1, "height": 1, "lines": [["w" * 3000, 1, 2, 3, 4, 1.0]]},
            {"turned": 0, "width": 1, "height": 1, "lines": [["w", 1, 2, 3, 1e400, 1.0]]},
        ],
    )
    def test_of_a_liar_nothing_is_taken(self, lie: object) -> None:
        with pytest.raises(Damaged):
            scanned_from(lie)


class TestModels:
    def test_they_read_every_page_and_say_how_sure_they_are(self, models: ModelRecognition) -> None:
        found = models.text(scan([CRANE], [NIGHT]), "two pages", never)
        assert found.text == f"{CRANE}\n\n{NIGHT}"
        places = [dict(place) for place in found.locators.locators]
        assert [place["page"] for place in places] == [1, 2]
        assert all(place["by"] == "ocr" and int(place["confidence"]) > 90 for place in places)
        assert models.reader is not None
        assert "+rapidocr." in models.reader

    @pytest.mark.parametrize("quarters", [1, 2, 3])
    def test_a_page_that_lies_is_turned_as_a_whole(self, models: ModelRecognition, quarters: int) -> None:
        lines = [CRANE, NIGHT, "The keeper signs the book of the harbour.", "Every ship pays."]
        said, _pages = models.page(scan(lines, quarters=quarters), f"turned {quarters}", 1, 60, never)
        assert [line.text for line in said.lines] == lines
        assert (said.turned + quarters) % 4 == 0

    def test_a_page_is_read_once(self, models: ModelRecognition) -> None:
        data = scan([CRANE])
        first, _pages = models.page(data, "once", 1, 60, never)
        again, _pages = models.page(data, "once", 1, 0.0, lambda: True)
        assert first is again

    def test_nothing_is_kept_from_the_worker_less_than_from_others(self, models: ModelRecognition) -> None:
        models.page(scan([NIGHT]), "night", 1, 60, never)
        with Extractor() as plain:
            plain.picture(kind_named("pdf"), scan([NIGHT]), 0)
            assert models.kept == plain.kept
