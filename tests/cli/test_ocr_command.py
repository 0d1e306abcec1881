"""``documents.ocr``: a scan becomes evidence that says everywhere that it was recognised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lens_process import Command

from lens_lsp.documents.kinds import INSTALL, kind_named, missing
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
    (tmp_path / "plain.toml").write_text("documents.store = false\n")
    return {"LENS_CONFIG": str(tmp_path / "own.toml"), "PATH": f"{program.parent}:/usr/bin:/bin"}


def test_a_scan_is_named_and_not_read_unless_it_was_asked_for(lens: Command, ocr: dict[str, str]) -> None:
    outcome = lens(
        "find", ASKED, SCAN, env={"PATH": ocr["PATH"], "LENS_CONFIG": ocr["LENS_CONFIG"].replace("own", "plain")}
    )
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


def test_a_citation_is_checked_by_the_same_program_and_unverifiable_without(lens: Command, ocr: dict[str, str]) -> None:
    lens("ask", ASKED, SCAN, "--store", "kept", env=ocr)
    again = json.loads(lens("check", "papers", "--store", "kept", "--json", env=ocr).out)
    assert again["counts"]["verified"] >= 1
    assert again["counts"]["unverifiable"] == again["counts"]["withdrawn"] == 0
    without = json.loads(
        lens(
            "check",
            "papers",
            "--store",
            "kept",
            "--json",
            env={"PATH": ocr["PATH"], "LENS_CONFIG": ocr["LENS_CONFIG"].replace("own", "plain")},
        ).out
    )
    assert without["counts"]["verified"] == without["counts"]["withdrawn"] == 0
    assert without["counts"]["unverifiable"] == again["counts"]["verified"]


def test_a_program_in_the_workspace_is_never_started(lens: Command, ocr: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "tool").rename(tmp_path / "papers" / "tool")
    inside = {**ocr, "PATH": f"{tmp_path / 'papers' / 'tool' / 'bin'}:/usr/sbin"}
    outcome = lens("find", ASKED, "papers/tool", SCAN, "--json", env=inside)
    assert "tesseract is in no folder of your PATH" in outcome.complaint
    assert {"path": "scan.pdf", "reason": "no-text", "root": 1} in json.loads(outcome.out)["coverage"]["skipped"]


def test_doctor_says_which_program_it_is(lens: Command, ocr: dict[str, str], tmp_path: Path) -> None:
    facts = json.loads(lens("doctor", "papers", "--json", env=ocr).out)
    assert facts["paths"]["ocr"] == f"{tmp_path / 'tool' / 'bin' / 'tesseract'} (eng)"
    assert json.loads(lens("doctor", "papers", "--json").out)["paths"]["ocr"] == "off"


MIXED = "papers/mixed.pdf"


def _mixed(folder: Path) -> None:
    from tests.documents.pdf_files import PICTURE, PageMaking, PdfMaking, text

    pages = [text("The workshop has two doors since 1987.", 60, 80), PICTURE]
    (folder / MIXED).write_bytes(PdfMaking([PageMaking(page) for page in pages]).written())


def test_a_page_that_is_a_picture_is_named_and_counted(lens: Command, ocr: dict[str, str], tmp_path: Path) -> None:
    _mixed(tmp_path)
    outcome = lens(
        "find",
        "two doors",
        MIXED,
        "--json",
        env={"PATH": ocr["PATH"], "LENS_CONFIG": ocr["LENS_CONFIG"].replace("own", "plain")},
    )
    found = json.loads(outcome.out)
    assert found["warnings"] == ["mixed.pdf: page 2 is a picture and was not read: documents.ocr is off"]
    assert found["coverage"]["pictures"] == 1
    assert found["evidence"][0]["locator"] == {"page": 1}
    explained = lens(
        "find",
        "two doors",
        MIXED,
        "--explain",
        env={"PATH": ocr["PATH"], "LENS_CONFIG": ocr["LENS_CONFIG"].replace("own", "plain")},
    )
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
    lens: Command, ocr: dict[str, str], tmp_path: Path
) -> None:
    _mixed(tmp_path)
    lens(
        "ask",
        "how many doors has the workshop?",
        MIXED,
        "--store",
        "plain",
        env={"PATH": ocr["PATH"], "LENS_CONFIG": ocr["LENS_CONFIG"].replace("own", "plain")},
    )
    lens("ask", ASKED, MIXED, "--store", "recognised", env=ocr)
    for store, environment, state in (
        ("plain", ocr, "verified"),
        ("plain", {"PATH": ocr["PATH"]}, "verified"),
        ("recognised", ocr, "verified"),
        ("recognised", {"PATH": ocr["PATH"]}, "unverifiable"),
    ):
        counts = json.loads(lens("check", "papers", "--store", store, "--json", env=environment).out)["counts"]
        assert counts[state] >= 1, (store, state)
        assert sum(counts.values()) == counts[state], (store, counts)
