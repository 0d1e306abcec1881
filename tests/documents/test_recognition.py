"""Text on scans, by a program that is found, held back and given up like a stranger, though it is the user's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.documents.extractor import Cancelled, Extractor
from lens_lsp.documents.kinds import Failure, Unextracted, kind_named, reader_version
from lens_lsp.documents.recognition import Tesseract, tesseract
from tests.availability import unavailable

posix = pytest.mark.skipif(os.name != "posix", reason="the programs of these tests are scripts of a shell")
DIGEST = "0" * 64
"""Of whatever document: tesseract keeps nothing by it."""
CRANE = "The harbour crane lifts forty tonnes."


@pytest.fixture(scope="module")
def scanned(extractor: Extractor) -> bytes:
    from tests.documents.scans import scan

    return scan([CRANE], ["Nobody rows at night."])


Program = Callable[[str], str]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A program of that name that does what a script says; asked for its version it says one."""

    def of(script: str) -> str:
        path = tmp_path / "tool" / "bin" / "tesseract"
        path.parent.mkdir(parents=True)
        path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "tesseract 9.8.7" && exit\n{script}\n')
        path.chmod(0o755)
        return str(path)

    return of


def never() -> bool:
    return False


def _mixed() -> bytes:
    from tests.documents.pdf_files import PICTURE, PageMaking, PdfMaking, text

    pages = [text(CRANE, 60, 80), PICTURE, text("The end.", 60, 80), PICTURE]
    return PdfMaking([PageMaking(page) for page in pages]).written()


class TestFinding:
    @pytest.fixture
    def tools(self, tmp_path: Path) -> Path:
        path = tmp_path / "tools" / ("tesseract.exe" if sys.platform == "win32" else "tesseract")
        path.parent.mkdir()
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return path.parent

    def test_it_is_looked_for_in_the_folders_of_the_path(self, tools: Path, tmp_path: Path) -> None:
        path = os.pathsep.join((str(tmp_path / "none"), str(tools)))
        assert tesseract(path, [str(tmp_path / "notes")]) == str(next(tools.iterdir()))
        assert tesseract("", []) is None

    def test_never_below_a_folder_that_is_searched(self, tools: Path, tmp_path: Path) -> None:
        assert tesseract(str(tools), [str(tmp_path)]) is None
        assert tesseract(str(tools), [str(tools)]) is None

    def test_never_in_the_current_folder(self, tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tools)
        for path in (".", "", os.pathsep, "../tools"):
            assert tesseract(path, []) is None

    @posix
    def test_no_link_hides_where_it_is(self, tools: Path, tmp_path: Path) -> None:
        (tmp_path / "way").symlink_to(tools)
        assert tesseract(str(tmp_path / "way"), [str(tools)]) is None
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "tesseract").symlink_to(tools / "tesseract")
        assert tesseract(str(outside), [str(tools)]) is None

    @posix
    def test_what_cannot_be_started_is_no_program(self, tools: Path) -> None:
        (tools / "tesseract").chmod(0o644)
        assert tesseract(str(tools), []) is None


@posix
class TestRunning:
    def test_each_page_is_given_as_a_picture_and_its_text_has_its_page(
        self, extractor: Extractor, scanned: bytes, program: Program
    ) -> None:
        made = Tesseract(program('head -c 2; echo " for $4."; echo; echo "Split-"; echo "words."'), "deu", extractor)
        found = made.text(scanned, DIGEST, never)
        assert found.text == "P5 for deu.\n\nSplitwords.\n\nP5 for deu.\n\nSplitwords."
        assert [dict(each) for each in found.locators.locators] == [
            {"page": 1, "by": "ocr"},
            {"page": 2, "by": "ocr"},
        ]
        assert found.notices == ("its text was recognised by OCR and may be wrong",)

    def test_pages_without_text_are_recognised_among_those_that_have_some(
        self, extractor: Extractor, program: Program
    ) -> None:
        data = _mixed()
        made = Tesseract(program("cat > /dev/null; echo 'A stamp: paid.'"), "eng", extractor)
        found = made.text(data, DIGEST, never, [2, 4])
        assert found.text == f"{CRANE}\n\nA stamp: paid.\n\nThe end.\n\nA stamp: paid."
        assert [dict(each) for each in found.locators.locators] == [
            {"page": 1},
            {"page": 2, "by": "ocr"},
            {"page": 3},
            {"page": 4, "by": "ocr"},
        ]
        assert found.notices == ("the text of pages 2, 4 was recognised by OCR and may be wrong",)
        assert found.pages == ()

    def test_text_that_is_there_is_never_replaced(self, extractor: Extractor, program: Program) -> None:
        made = Tesseract(program("cat > /dev/null; echo 'A stamp: paid.'"), "eng", extractor)
        found = made.text(_mixed(), DIGEST, never, [1, 2])
        assert found.text == f"{CRANE}\n\nA stamp: paid.\n\nThe end."
        assert found.pages == (4,)

    def test_more_pages_than_are_recognised_are_none(self, extractor: Extractor, program: Program) -> None:
        made = Tesseract(program("echo never"), "eng", extractor)
        with pytest.raises(Unextracted, match="301 pages are too many"):
            made.text(_mixed(), DIGEST, never, range(1, 302))

    def test_the_reader_names_the_programs_version_and_the_languages(
        self, extractor: Extractor, program: Program
    ) -> None:
        reader = Tesseract(program("exit 1"), "deu+eng", extractor).reader
        assert reader is not None
        assert reader.startswith(f"pdf-ocr/2+{reader_version(kind_named('pdf'))}+tesseract.")
        assert reader.endswith("+tesseract.9.8.7+deu+eng")

    @pytest.mark.parametrize("script", ["exit 1", "kill -9 $$", "cat /dev/zero | head -c 3000000"])
    def test_a_program_that_fails_or_floods_recognises_nothing(
        self, extractor: Extractor, scanned: bytes, program: Program, script: str
    ) -> None:
        with pytest.raises(Unextracted) as raised:
            Tesseract(program(script), "eng", extractor).text(scanned, DIGEST, never)
        assert raised.value.failure is Failure.EMPTY

    def test_blank_pages_are_empty(self, extractor: Extractor, scanned: bytes, program: Program) -> None:
        with pytest.raises(Unextracted) as raised:
            Tesseract(program("cat > /dev/null; echo"), "eng", extractor).text(scanned, DIGEST, never)
        assert raised.value.failure is Failure.EMPTY

    def test_a_program_that_hangs_is_given_up(self, extractor: Extractor, scanned: bytes, program: Program) -> None:
        began = time.monotonic()
        with pytest.raises(Unextracted):
            Tesseract(program("sleep 600"), "eng", extractor, page_seconds=0.3).text(scanned, DIGEST, never)
        assert time.monotonic() - began < 60

    def test_nobody_waits_for_what_nobody_wants(self, extractor: Extractor, scanned: bytes, program: Program) -> None:
        asked = iter([False] * 3)
        made = Tesseract(program("sleep 600"), "eng", extractor)
        with pytest.raises(Cancelled):
            made.text(scanned, DIGEST, lambda: next(asked, True))

    def test_it_has_no_files_but_the_systems_and_its_own_and_no_environment(
        self, extractor: Extractor, scanned: bytes, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        extractor.picture(kind_named("pdf"), scanned, 0)
        if "files" not in extractor.kept:
            unavailable("confinement", "this system does not keep files from a process")
        (tmp_path / "secret").write_text("canary-3f9d")
        monkeypatch.setenv("CANARY", "canary-77aa")
        script = f'echo page; cat "{tmp_path}/secret"; echo x > "{tmp_path}/written"; echo "$CANARY"'
        tool = program(script)
        free = subprocess.run([tool], capture_output=True, check=False, stdin=subprocess.DEVNULL).stdout
        assert free.split() == [b"page", b"canary-3f9dcanary-77aa"], "the control: a free program reads both"
        (tmp_path / "written").unlink()
        found = Tesseract(tool, "eng", extractor).text(scanned, DIGEST, never)
        assert found.text == "page\n\npage"
        assert not (tmp_path / "written").exists()


def test_the_real_program_reads_a_scan(extractor: Extractor, scanned: bytes) -> None:
    found = shutil.which("tesseract")
    if found is None:
        unavailable("tesseract-ocr", "tesseract is not installed")
    made = Tesseract(os.path.realpath(found), "eng", extractor)
    if made.reader is None:
        unavailable("tesseract-ocr", "tesseract does not start")
    assert made.text(scanned, DIGEST, never).text == f"{CRANE}\n\nNobody rows at night."
