"""Texts of documents that are kept, what ``lens doctor`` says of it, and ``lens forget --cache``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from lens_process import Command, assert_one_sentence

from lens_lsp.documents.kinds import INSTALL, kind_named, missing
from tests.availability import unavailable
from tests.documents_made import pdf

FACT = "The monthly rent of the workshop is 940 euros."
LEASE = "papers/lease.pdf"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    if lacking := missing(kind_named("pdf")):
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    (tmp_path / "papers").mkdir()
    (tmp_path / LEASE).write_bytes(pdf([FACT]))
    return tmp_path / "papers"


def kept(environment: dict[str, str]) -> list[Path]:
    return list(Path(environment["HOME"]).rglob("documents.db"))


def state(lens: Command, *options: str) -> str:
    facts = json.loads(lens("doctor", "papers", "--json", *options).out)
    return str(facts["paths"]["extractions"])


@pytest.mark.usefixtures("papers")
def test_texts_are_kept_which_is_told_once_shown_by_doctor_and_forgotten(
    lens: Command, environment: dict[str, str]
) -> None:
    assert "0 texts" in state(lens)
    first = lens("find", "monthly rent", LEASE)
    assert FACT in first.text
    assert "texts of documents are kept" in first.complaint
    assert len(kept(environment)) == 1
    assert lens("find", "monthly rent", LEASE).complaint == ""
    assert "1 text, 0.0 MB" in state(lens)
    gone = lens("forget", "--cache")
    assert (gone.status, gone.complaint) == (0, "")
    assert gone.text.startswith("removed: 1 text in ")
    assert kept(environment) == []
    assert_one_sentence(lens("forget", "--cache"), 1)


@pytest.mark.parametrize("written", ["documents.store = false", "documents.cacheExtractions = false"])
def test_the_users_file_turns_it_off_and_a_project_cannot(
    lens: Command, environment: dict[str, str], papers: Path, tmp_path: Path, written: str
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f"{written}\n")
    environment["LENS_CONFIG"] = str(own)
    found = lens("find", "monthly rent", LEASE)
    assert FACT in found.text
    assert ("documents.store now" in found.complaint) == ("cacheExtractions" in written)
    assert kept(environment) == []
    assert state(lens).startswith("not kept")
    own.write_text("")
    (papers / ".lens.toml").write_text("documents.store = false\n")
    refused = lens("find", "monthly rent", LEASE)
    assert "documents.store (only the user's own file says that)" in refused.complaint
    assert len(kept(environment)) == 1


@pytest.mark.usefixtures("papers")
def test_nothing_is_kept_in_a_searched_folder_and_that_is_told(lens: Command, tmp_path: Path) -> None:
    inside = {"XDG_CACHE_HOME": str(tmp_path / "papers" / "cache")}
    outcome = lens("find", "monthly rent", "papers", LEASE, "--cache-extractions", env=inside)
    assert "texts of documents are not kept" in outcome.complaint
    assert not (tmp_path / "papers" / "cache").exists()


@pytest.mark.usefixtures("papers")
def test_a_document_is_read_once(lens: Command, environment: dict[str, str], tmp_path: Path) -> None:
    """Without the library that reads it, what was read before is still found, and nothing is read again."""
    lens("find", "monthly rent", LEASE)
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "subprocess.py").write_text("raise ImportError('no process may be started')")
    os.utime(tmp_path / LEASE, (1, 1))  # young files are read again
    lens("find", "monthly rent", LEASE)
    code = {"PYTHONPATH": f"{blocked}{os.pathsep}{environment['PYTHONPATH']}"}
    assert FACT in lens("find", "monthly rent", "papers", env=code).text


def test_what_to_forget_must_be_said(lens: Command) -> None:
    assert_one_sentence(lens("forget"), 2)


@pytest.mark.usefixtures("papers")
def test_forgetting_tells_scripts_how_many(lens: Command) -> None:
    lens("find", "monthly rent", LEASE)
    told = json.loads(lens("forget", "--cache", "--json").out)
    assert (told["schema"], told["removed"]) == ("lens.forgotten-cache/1", 1)
