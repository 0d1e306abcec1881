"""Consent at the command line: asked for, listed, taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lens_process import Command, assert_one_sentence

from lens_lsp.app.consent import ConsentMissing, Destination, missing
from lens_lsp.app.settings import Settings
from lens_lsp.cli.consent import require_consent
from lens_lsp.memory.userdata import Consents, consent_file

ORIGIN, OTHER = "https://models.invalid", "https://other.invalid"
FAR = Destination(ORIGIN, "any", Settings())


@pytest.fixture
def given(lens_here: Command, notes: Path) -> Consents:
    """Consents for two workspaces, one of which is gone."""
    consents = Consents(consent_file())
    for workspace in (str(notes.resolve()), "/gone\x1b"):
        for origin in (ORIGIN, OTHER):
            consents.record(workspace, origin)
    return consents


def left(consents: Consents) -> set[tuple[str, str]]:
    return {(Path(workspace).name, origin) for workspace, origin in Consents.read(consents.path).given}


def test_the_list_shows_what_may_be_sent_where(lens_here: Command, given: Consents, notes: Path) -> None:
    outcome = lens_here("consent", "list")
    assert (outcome.status, outcome.complaint) == (0, "")
    assert f"{ORIGIN}  {notes.resolve()}\n" in outcome.text
    assert "\x1b" not in outcome.text
    document = json.loads(lens_here("consent", "list", "--json").out)
    assert document["schema"] == "lens.consents/1"
    assert {(each["workspace"], each["origin"]) for each in document["given"]} == set(Consents.read(given.path).given)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["--all"], set()),
        (["--origin", ORIGIN], {("notes", OTHER), ("gone\x1b", OTHER)}),
        (
            ["--workspace", "notes/garden.md", "--origin", ORIGIN],
            {("notes", OTHER), ("gone\x1b", ORIGIN), ("gone\x1b", OTHER)},
        ),
        (["--workspace", "/gone\x1b"], {("notes", ORIGIN), ("notes", OTHER)}),
    ],
)
def test_what_is_taken_back_is_gone_and_told(
    lens_here: Command, given: Consents, notes: Path, options: list[str], kept: set[tuple[str, str]]
) -> None:
    outcome = lens_here("consent", "revoke", *options)
    assert outcome.status == 0
    assert outcome.text.count("taken back: ") == 4 - len(kept)
    assert left(given) == kept
    again = lens_here("consent", "revoke", *options)
    assert (again.status, again.out) == (1, b"")
    assert "no such consent" in again.complaint


def test_after_taking_back_consent_is_needed_again(lens_here: Command, given: Consents, notes: Path) -> None:
    require_consent(FAR, [str(notes)], yes=False)
    lens_here("consent", "revoke", "--workspace", "notes")
    with pytest.raises(ConsentMissing, match="--yes"):
        require_consent(FAR, [str(notes)], yes=False)


@pytest.mark.parametrize("path", ["repository", "repository/docs", "repository/docs/deep/page.md", "repository/source"])
def test_what_an_editor_was_told_for_a_part_is_taken_back_with_its_workspace(
    lens_here: Command, tmp_path: Path, path: str
) -> None:
    top = tmp_path.resolve() / "repository"
    (top / ".git").mkdir(parents=True)
    (top / "source").mkdir()
    (top / "docs" / "deep").mkdir(parents=True)
    (top / "docs" / "deep" / "page.md").write_text("A page.\n")
    (tmp_path / "repository-2").mkdir()
    consents = Consents(consent_file())
    for folder in (top / "docs", top / "docs" / "gone", tmp_path.resolve() / "repository-2"):
        consents.record(str(folder), ORIGIN)
    assert missing(ORIGIN, [str(top / "docs")]) == ()
    outcome = lens_here("consent", "revoke", "--workspace", path, "--origin", OTHER)
    assert (outcome.status, len(left(consents))) == (1, 3)
    outcome = lens_here("consent", "revoke", "--workspace", path)
    assert (outcome.status, outcome.text.count("taken back: ")) == (0, 2)
    assert left(consents) == {("repository-2", ORIGIN)}
    assert missing(ORIGIN, [str(top / "docs")]) == (str(top / "docs"),)


def test_every_workspace_that_is_searched_needs_it(given: Consents, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with pytest.raises(ConsentMissing, match="--yes"):
        require_consent(FAR, [str(notes), str(tmp_path / "other")], yes=False)
    require_consent(FAR, [str(notes), str(tmp_path / "other")], yes=True)
    assert (str((tmp_path / "other").resolve()), ORIGIN) in Consents.read(given.path).given
    require_consent(FAR, [str(notes), str(tmp_path / "other")], yes=False)


def test_nothing_to_list_is_the_status_of_nothing_found(lens_here: Command) -> None:
    outcome = lens_here("consent", "list")
    assert (outcome.status, outcome.out) == (1, b"")


@pytest.mark.parametrize("arguments", [["consent"], ["consent", "revoke"], ["consent", "give"]])
def test_a_mistake_says_what_to_type(lens_here: Command, arguments: list[str]) -> None:
    assert_one_sentence(lens_here(*arguments), 2)


def test_a_broken_file_is_told_once_and_a_yes_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    consent_file().parent.mkdir(parents=True)
    consent_file().write_bytes(b"{")
    with pytest.raises(ConsentMissing, match="--yes"):
        require_consent(FAR, [str(tmp_path)], yes=False)
    assert capsys.readouterr().err.count("is ignored") == 1
    require_consent(FAR, [str(tmp_path)], yes=True, quiet=True)
    assert capsys.readouterr().err == ""
    require_consent(FAR, [str(tmp_path)], yes=False)
