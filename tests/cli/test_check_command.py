"""``lens check`` as it is typed: what it prints and how it ends."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from lens_process import Command, assert_one_sentence

from lens_lsp.corpus.corpus_rules import ANYWHERE
from lens_lsp.memory.answer_files import Saved
from lens_lsp.memory.sources import Sources
from tests.hand_made import CONTRACT, GARDEN, answer
from tests.memory.old_blocks import old_answer


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder of notes with one saved answer, from which the tests run."""
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "contract.md").write_text(CONTRACT)
    (tmp_path / "garden.md").write_text(GARDEN)
    given = answer(str(tmp_path))
    with Sources(ANYWHERE) as sources:
        citations = {item.n: sources.record(item, str(tmp_path)) for item in given.evidence}
    saved = Saved(given, citations, datetime(2026, 3, 1, tzinfo=UTC), str(tmp_path), private=True)
    (tmp_path / "answer.md").write_text(old_answer(saved))
    return tmp_path


def test_answers_that_hold_are_summed_up(kept: Path, lens_here: Command) -> None:
    outcome = lens_here("check")
    assert (outcome.status, outcome.text) == (0, "1 citation in 1 answer: 1 verified\n")


def test_drift_is_told_by_place_and_ends_with_one(kept: Path, lens_here: Command) -> None:
    (kept / "house" / "contract.md").write_text(CONTRACT.replace("2031", "2032"))
    outcome = lens_here("check", "answer.md")
    assert outcome.status == 1
    assert outcome.text.splitlines() == [
        "answer.md:18: [1] house/contract.md: withdrawn: the quote is no longer in the file",
        "1 citation in 1 answer: 1 withdrawn",
    ]


def test_what_moved_is_drift_only_when_strict(kept: Path, lens_here: Command) -> None:
    (kept / "house" / "contract.md").rename(kept / "lease.md")
    outcome = lens_here("check")
    assert (outcome.status, outcome.text.splitlines()[0]) == (
        0,
        "answer.md:18: [1] house/contract.md: moved: the file has another name now (lease.md:5:1)",
    )
    assert lens_here("check", "--strict").status == 1


def test_a_source_elsewhere_is_not_looked_at_unless_its_folder_is_given(kept: Path, lens_here: Command) -> None:
    (kept / "answers").mkdir()
    (kept / "answer.md").rename(kept / "answers" / "answer.md")
    text = (kept / "answers" / "answer.md").read_text().replace('"."', '".."')
    (kept / "answers" / "answer.md").write_text(text)
    outcome = lens_here("check", "answers")
    assert outcome.status == 1
    assert "unverifiable: its source lies outside the folders that were given" in outcome.text
    assert lens_here("check", "answers", "house", ".").status == 0
    (kept / ".git").mkdir()
    assert lens_here("check", "answers").status == 0


def test_json_is_one_document(kept: Path, lens_here: Command) -> None:
    outcome = lens_here("check", "--json", ".")
    document = json.loads(outcome.text)
    assert (outcome.status, document["schema"]) == (0, "lens.check/1")
    (citation,) = document["citations"]
    assert (citation["where"], citation["path"], citation["state"]) == ("answer.md:18", "house/contract.md", "verified")


def test_sarif_and_annotations_name_the_file_from_here(kept: Path, lens_here: Command) -> None:
    (kept / "house" / "contract.md").unlink()
    log = json.loads(lens_here("check", "--format", "sarif").text)
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "answer.md"
    outcome = lens_here("check", "--format", "github")
    place, _, told = outcome.text.rpartition("::")
    assert (outcome.status, place) == (1, "::error file=answer.md,line=18,title=lens.citation-broken")
    assert told == "[1] house/contract.md: withdrawn: the file is gone\n"


def test_an_answer_that_cannot_be_read_is_named(kept: Path, lens_here: Command) -> None:
    file = kept / "answer.md"
    file.write_text(file.read_text().replace("answer/1", "answer/7"))
    outcome = lens_here("check")
    assert outcome.status == 1
    assert outcome.text.startswith("answer.md:2: it was written as answer/7 by another version of lens")
    assert outcome.text.endswith("0 citations in 1 answer: 1 unreadable\n")


def test_a_private_document_in_a_spelling_of_its_own_is_named(kept: Path, lens_here: Command) -> None:
    (kept / "house" / "diary.org").write_text("#+TITLE: Mine\n#+Lens: privat\n\nNobody may know.\n")
    (kept / "house" / "plain.md").write_text("---\nlens: private\n---\n\nNobody may know.\n")
    outcome = lens_here("check", "house")
    told = "house/diary.org:2: understood as private: `#+Lens: privat`; write `lens: private` in the front matter"
    assert (outcome.status, outcome.text.startswith(told), outcome.text.count("\n")) == (0, True, 1)
    (mark,) = json.loads(lens_here("check", "--json", "house").text)["understood"]
    assert (mark["where"], mark["line"]) == ("house/diary.org:2", 2)
    annotation = lens_here("check", "--format", "github", "house").text
    assert annotation.startswith("::notice file=house/diary.org,line=2,title=lens.private-spelling::understood as")


def test_nothing_to_check_is_no_drift(kept: Path, lens_here: Command) -> None:
    outcome = lens_here("check", "house")
    assert (outcome.status, outcome.text) == (0, "")
    assert "nothing to check" in outcome.complaint
    assert lens_here("check", "--quiet", "house").complaint == ""


def test_a_path_that_is_not_there_is_one_sentence(kept: Path, lens_here: Command) -> None:
    assert_one_sentence(lens_here("check", "nowhere"), 2)
    assert_one_sentence(lens_here("check", ""), 2)
    assert_one_sentence(lens_here("check", "--format", "xml"), 2)


def test_no_control_character_of_a_file_reaches_the_terminal(kept: Path, lens_here: Command) -> None:
    name = "a\x1b[31m\u202e\n.md"
    file = kept / "answer.md"
    file.write_text(file.read_text().replace('"path": "house/contract.md"', f'"path": {json.dumps(name)}'))
    for arguments in ([], ["--json"], ["--format", "sarif"], ["--format", "github"]):
        outcome = lens_here("check", *arguments)
        assert outcome.status == 1
        assert not {"\x1b", "\u202e"} & set(outcome.text)
        assert outcome.text.count("\n") <= 2


def test_the_whole_command_runs_as_a_process(kept: Path, lens: Command) -> None:
    outcome = lens("check", "--strict", cwd=kept)
    assert (outcome.status, outcome.complaint) == (0, "")
