"""``lens`` over documents, as a person sees it: places, notices, what doctor knows."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from lens_process import Command

from lens_lsp.documents.kinds import KINDS, kind_named
from tests.documents_made import docx, pdf

LEASE = "papers/lease.pdf"
"""Named as a path it is read to its end, however busy the machine is."""
FACT = "The monthly rent of the workshop is 1940 euros."


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    first = [f"Clause {number} says nothing of money and is long enough to fill a line." for number in range(30)]
    (folder / "lease.pdf").write_bytes(pdf(first, [FACT]))
    (folder / "scan.pdf").write_bytes(pdf([]))
    return folder


@pytest.fixture(autouse=True)
def _nothing_kept(environment: dict[str, str], tmp_path: Path) -> None:
    """Where texts are kept is told by the first question, and by `test_document_store_command.py`."""
    (tmp_path / "own.toml").write_text("documents.store = false\n")
    environment["LENS_CONFIG"] = str(tmp_path / "own.toml")


def test_a_passage_is_shown_with_its_page(lens: Command, papers: Path) -> None:
    outcome = lens("find", "what is the monthly rent of the workshop?", LEASE)
    assert (outcome.status, outcome.complaint) == (0, "")
    assert outcome.text.startswith("papers/lease.pdf p. 2\n")
    assert FACT in outcome.text


def test_words_that_occur_nowhere_are_told(lens: Command, papers: Path) -> None:
    outcome = lens("find", "how high is the monthly rent of the zeppelin?", LEASE)
    assert (outcome.status, outcome.complaint) == (0, "lens: These words occur nowhere: “high” and “zeppelin”.\n")
    assert FACT in outcome.text


def test_a_document_without_text_is_named_with_the_reason(lens: Command, papers: Path) -> None:
    outcome = lens("find", "rent", "papers/scan.pdf")
    assert outcome.status == 1
    assert "papers/scan.pdf (no-text)" in outcome.complaint


def test_a_link_in_markdown_leads_to_the_page(lens: Command, papers: Path) -> None:
    outcome = lens("find", "monthly rent", LEASE, "--format", "markdown", "--quiet")
    assert "[papers/lease.pdf p. 2](papers/lease.pdf#page=2)" in outcome.text


def test_grep_keeps_line_and_column(lens: Command, papers: Path) -> None:
    outcome = lens("find", "monthly rent", LEASE, "--format", "grep", "--quiet")
    path, line, column, text = outcome.text.splitlines()[0].split(":", 3)
    assert (path, int(line) > 1, column, text) == ("papers/lease.pdf", True, "1", FACT)


def test_json_has_locator_reader_and_hash(lens: Command, papers: Path) -> None:
    result = json.loads(lens("find", "monthly rent", LEASE, "--json").out)
    best = result["evidence"][0]
    assert (best["locator"], best["encoding"]) == ({"page": 2}, "binary")
    assert best["reader"].startswith(f"pdf/{kind_named('pdf').edition}.")
    assert result["coverage"]["skipped"] == []


def test_explain_names_the_time_that_documents_took(lens: Command, papers: Path) -> None:
    assert "  extract  " in lens("find", "monthly rent", LEASE, "--explain").text
    (papers / "note.md").write_text(FACT)
    assert "  extract  " not in lens("find", "monthly rent", "papers/note.md", "--explain").text


def test_an_answer_names_the_page_and_its_file_holds(lens: Command, papers: Path) -> None:
    asked = lens("ask", "how high is the monthly rent of the workshop?", LEASE, "--store", "kept")
    assert "papers/lease.pdf p. 2" in asked.text
    again = lens("ask", "how high is the monthly rent of the workshop?", LEASE, "--store", "kept")
    assert "reused" in again.text
    assert "papers/lease.pdf p. 2" in again.text
    checked = lens("check", "papers", "--store", "kept", "--json")
    assert checked.status == 0, checked.complaint
    counts = json.loads(checked.out)["counts"]
    assert counts["verified"] >= 1
    assert counts["unverifiable"] == counts["withdrawn"] == 0


def test_a_changed_document_is_drift(lens: Command, papers: Path) -> None:
    lens("ask", "how high is the monthly rent of the workshop?", LEASE, "--store", "kept")
    (papers / "lease.pdf").write_bytes(pdf(["The rent was raised."]))
    checked = lens("check", "papers", "--store", "kept")
    assert checked.status == 1
    assert "withdrawn" in checked.text


def test_without_the_libraries_one_notice_names_the_command(
    lens: Command, papers: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    (papers / "more.docx").write_bytes(docx(FACT))
    (papers / "note.md").write_text("The rent is due monthly.\n")
    hiding = tmp_path / "hiding"
    hiding.mkdir()
    (hiding / "sitecustomize.py").write_text("import sys\nsys.modules |= {'pypdfium2': None, 'lxml': None}\n")
    without = {"PYTHONPATH": os.pathsep.join((str(hiding), environment["PYTHONPATH"]))}
    outcome = lens("find", "rent", "papers", env=without)
    assert outcome.status == 0
    assert outcome.complaint == "lens: 3 documents were not read: pip install 'lens-lsp[documents]'\n"
    facts = json.loads(lens("doctor", "papers", "--json", env=without).out)
    assert facts["documents"]["pdf"] == "not read, without pypdfium2: pip install 'lens-lsp[documents]'"
    assert facts["skipped"]["no-reader"] == 3


def test_doctor_names_every_reader_with_its_version(lens_here: Command, papers: Path) -> None:
    facts = json.loads(lens_here("doctor", str(papers), "--json").out)
    assert set(facts["documents"]) == {kind.name for kind in KINDS}
    assert facts["documents"]["pdf"].startswith(f"{kind_named('pdf').edition}.")
    assert facts["encodings"] == {"pdf (a document)": 2}
