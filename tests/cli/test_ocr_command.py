"""``documents.ocr``: a scan becomes evidence that says everywhere that it was recognised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lens_process import Command

from lens_lsp.documents.kinds import INSTALL, INSTALL_OCR, PICTURE, kind_named, missing
from lens_lsp.documents.kinds import SCAN as SCANNED
from tests.availability import unavailable

FACT = "The monthly rent of the workshop is 1940 euros."
SCAN = "papers/scan.pdf"
ASKED = "how high is the monthly rent of the workshop?"


@pytest.fixture
def lens(lens_here: Command) -> Command:
    """The process itself is not what is tested here."""
    return lens_here


@pytest.fixture
def ocr(tmp_path: Path) -> dict[str, str]:
    """A scan, a program that recognises the fact on every page, and settings that ask for it."""
    if lacking := missing(kind_named("pdf")):
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    from tests.documents.scans import scan

    (tmp_path / "papers").mkdir()
    (tmp_path / SCAN).write_bytes(scan(["nothing"]))
    program = tmp_path / "tool" / "bin" / "tesseract"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "tesseract 9.8.7" && exit\ncat > /dev/null\necho "{FACT}"\n'
    )
    program.chmod(0o755)
    (tmp_path / "own.toml").write_text('documents = { ocr = "eng", store = false }\n')
    (tmp_path / "off.toml").write_text('documents = { ocr = "off", store = false }\n')
    return {"LENS_CONFIG": str(tmp_path / "own.toml"), "PATH": f"{program.parent}:/usr/bin:/bin"}


@pytest.fixture
def off(ocr: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The same with settings that turn it off."""
    return {**ocr, "LENS_CONFIG": str(tmp_path / "off.toml")}


def test_a_scan_is_named_and_not_read_where_that_is_off(lens: Command, off: dict[str, str]) -> None:
    outcome = lens("find", ASKED, SCAN, env=off)
    assert outcome.status == 1
    assert f"{SCAN} (no-text)" in outcome.complaint


def test_what_was_recognised_says_so_wherever_it_is_shown(lens: Command, ocr: dict[str, str]) -> None:
    assert lens("find", ASKED, SCAN, env=ocr).text.startswith(f"{SCAN} p. 1 (OCR)\n")
    markdown = lens("find", ASKED, SCAN, "--format", "markdown", env=ocr)
    assert f"[{SCAN} p. 1 (OCR)]({SCAN}#page=1)" in markdown.text, markdown.complaint
    found = json.loads(lens("find", ASKED, SCAN, "--json", env=ocr).out)
    assert found["evidence"][0]["locator"] == {"page": 1, "by": "ocr"}
    assert found["evidence"][0]["reader"].startswith("pdf-ocr/2+")
    assert any("recognised by OCR" in warning for warning in found["warnings"])
    asked = lens("ask", ASKED, SCAN, "--store", "kept", env=ocr)
    assert f"{SCAN} p. 1 (OCR)" in asked.text
    assert f"{SCAN} p. 1 (OCR)" in lens("ask", ASKED, SCAN, "--store", "kept", env=ocr).text, "reused"


def test_a_citation_is_checked_by_the_same_program_and_unverifiable_without(
    lens: Command, ocr: dict[str, str], off: dict[str, str]
) -> None:
    lens("ask", ASKED, SCAN, "--store", "kept", env=ocr)
    again = json.loads(lens("check", "papers", "--store", "kept", "--json", env=ocr).out)
    assert again["counts"]["verified"] >= 1
    assert again["counts"]["unverifiable"] == again["counts"]["withdrawn"] == 0
    without = json.loads(lens("check", "papers", "--store", "kept", "--json", env=off).out)
    assert without["counts"]["verified"] == without["counts"]["withdrawn"] == 0
    assert without["counts"]["unverifiable"] == again["counts"]["verified"]


def test_a_program_in_the_workspace_is_never_started(lens: Command, ocr: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "tool").rename(tmp_path / "papers" / "tool")
    inside = {**ocr, "PATH": f"{tmp_path / 'papers' / 'tool' / 'bin'}:/usr/sbin"}
    outcome = lens("find", ASKED, "papers/tool", SCAN, "--json", env=inside)
    assert "tesseract is in no folder of your PATH" in outcome.complaint
    assert {"path": "scan.pdf", "reason": "no-text", "root": 1, "size": 0} in json.loads(outcome.out)["coverage"][
        "skipped"
    ]


def test_doctor_says_which_program_it_is(
    lens: Command, ocr: dict[str, str], off: dict[str, str], tmp_path: Path
) -> None:
    def said(env: dict[str, str]) -> str:
        return str(json.loads(lens("doctor", "papers", "--json", env=env).out)["paths"]["ocr"])

    assert said(ocr).startswith(f'{tmp_path / "tool" / "bin" / "tesseract"} (eng); documents.ocr = "off" in')
    assert said(off).startswith("off (lens-lsp[ocr] is ")
    assert said(off).endswith("turns it on, --ocr on for one command")


def test_the_command_line_switches_it_for_one_command(lens: Command, ocr: dict[str, str], off: dict[str, str]) -> None:
    assert f"{SCAN} (no-text)" in lens("find", ASKED, SCAN, "--ocr", "off", env=ocr).complaint
    on = lens("find", ASKED, SCAN, "--ocr", "on", env=off)
    assert "documents.ocr is off" not in on.complaint
    assert f"{SCAN} (no-text)" not in on.complaint or INSTALL_OCR in on.complaint


MIXED = "papers/mixed.pdf"


def _mixed(folder: Path) -> None:
    from tests.documents.pdf_files import PICTURE, PageMaking, PdfMaking, text

    pages = [text("The workshop has two doors since 1987.", 60, 80), PICTURE]
    (folder / MIXED).write_bytes(PdfMaking([PageMaking(page) for page in pages]).written())


def test_a_page_that_is_a_picture_is_named_and_counted(
    lens: Command, ocr: dict[str, str], off: dict[str, str], tmp_path: Path
) -> None:
    _mixed(tmp_path)
    outcome = lens("find", "two doors", MIXED, "--json", env=off)
    found = json.loads(outcome.out)
    assert found["warnings"] == ["mixed.pdf: page 2 is a picture and was not read: documents.ocr is off"]
    assert found["coverage"]["pictures"] == 1
    assert found["evidence"][0]["locator"] == {"page": 1}
    explained = lens("find", "two doors", MIXED, "--explain", env=off)
    assert "1 picture in scanned documents, of which nothing was read" in explained.text + explained.complaint


def test_a_page_that_is_a_picture_is_recognised_in_a_document_that_is_named(
    lens: Command, ocr: dict[str, str], tmp_path: Path
) -> None:
    _mixed(tmp_path)
    found = json.loads(lens("find", ASKED, MIXED, "--json", env=ocr).out)
    assert found["evidence"][0]["locator"] == {"page": 2, "by": "ocr"}
    assert FACT in found["evidence"][0]["quote"]
    assert found["coverage"]["pictures"] == 0


def test_citations_of_both_kinds_of_pages_are_checked_by_who_read_them(
    lens: Command, ocr: dict[str, str], off: dict[str, str], tmp_path: Path
) -> None:
    _mixed(tmp_path)
    lens("ask", "how many doors has the workshop?", MIXED, "--store", "plain", env=off)
    lens("ask", ASKED, MIXED, "--store", "recognised", env=ocr)
    for store, environment, state in (
        ("plain", ocr, "verified"),
        ("plain", off, "verified"),
        ("recognised", ocr, "verified"),
        ("recognised", off, "unverifiable"),
    ):
        counts = json.loads(lens("check", "papers", "--store", store, "--json", env=environment).out)["counts"]
        assert counts[state] >= 1, (store, state)
        assert sum(counts.values()) == counts[state], (store, counts)


def test_a_scan_is_read_without_any_setting_where_the_models_are_installed(
    lens: Command, ocr: dict[str, str], tmp_path: Path
) -> None:
    if lacking := missing(SCANNED):
        unavailable("ocr", f"{', '.join(lacking)} not installed: {INSTALL_OCR}")
    from tests.documents.scans import scan

    (tmp_path / SCAN).write_bytes(scan(["The workshop rent is 1940 euros."]))
    unset = {"PATH": ocr["PATH"]}
    found = json.loads(lens("find", ASKED, SCAN, "--json", env=unset).out)
    (evidence,) = found["evidence"]
    assert evidence["quote"] == "The workshop rent is 1940 euros."
    assert {**evidence["locator"], "confidence": 0} == {"page": 1, "by": "ocr", "confidence": 0}
    assert "+rapidocr." in evidence["reader"]
    assert json.loads(lens("doctor", "papers", "--json", env=unset).out)["paths"]["ocr"].startswith("on (")


def test_image_files_are_documents_where_ocr_is_asked_for(lens: Command, ocr: dict[str, str], tmp_path: Path) -> None:
    """A photo that lies on its side by its own word, one that shows through, two pages of a fax, and what is none."""
    if lacking := missing(PICTURE):
        unavailable("ocr", f"{', '.join(lacking)} not installed: {INSTALL_OCR}")
    if lacking := missing(SCANNED):
        unavailable("ocr", f"{', '.join(lacking)} not installed: {INSTALL_OCR}")
    import numpy as np
    from PIL import Image

    from tests.documents.pdf_files import PageMaking, PdfMaking, lines
    from tests.documents.scans import drawn

    def picture(*said: str) -> Image.Image:
        page = PdfMaking([PageMaking(lines(said, 60, 80, step=34, size=20))]).written()
        return Image.fromarray(drawn(page)[:800])

    folder = tmp_path / "photos"
    folder.mkdir()
    turned = Image.Exif()
    turned[0x0112] = 6
    picture("The workshop rent is 1940 euros.").rotate(90, expand=True).save(folder / "rent.jpg", exif=turned)
    grey = picture("Nobody rows at night.")
    clear = Image.new("RGBA", grey.size)
    clear.putalpha(Image.fromarray(255 - np.asarray(grey)))
    clear.save(folder / "night.png")
    picture("First page of the fax.").save(
        folder / "fax.tiff", save_all=True, append_images=[picture("Every ship pays twice.")]
    )
    (folder / "torn.png").write_bytes((folder / "night.png").read_bytes()[:200])
    (folder / "note.md").write_text("The crane lifts forty tonnes.\n")
    (tmp_path / "on.toml").write_text('documents.ocr = "on"\n')
    on = {**ocr, "LENS_CONFIG": str(tmp_path / "on.toml")}
    first = json.loads(lens("find", "forty tonnes", "photos", "--json", env=on).out)
    assert (first["evidence"][0]["path"], first["coverage"]["documents"]) == ("note.md", 3)
    read = json.loads(lens("read", "photos", "--json", env=on).out)
    assert (read["documents"], read["left"]) == (4, 0)
    assert [(each["path"], each["reason"]) for each in read["skipped"]] == [("torn.png", "broken")]
    for asked, path, page in (
        (ASKED, "rent.jpg", 1),
        ("who rows at night?", "night.png", 1),
        ("what does every ship pay?", "fax.tiff", 2),
    ):
        evidence = json.loads(lens("find", asked, "photos", "--json", env=on).out)["evidence"][0]
        assert (evidence["path"], evidence["locator"]["page"], evidence["locator"]["by"]) == (path, page, "ocr")
    lens("ask", ASKED, "photos", "--store", "kept", env=on)
    checked = json.loads(lens("check", "photos", "--store", "kept", "--json", env=on).out)["counts"]
    assert checked["verified"] >= 1
    assert sum(checked.values()) == checked["verified"]
    unset = json.loads(lens("find", ASKED, "photos", "--json", env={"PATH": ocr["PATH"]}).out)
    assert unset["coverage"]["documents"] == 0
    assert {each["reason"] for each in unset["coverage"]["skipped"]} == {"unsupported"}
