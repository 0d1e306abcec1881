"""What a project says of its folder holds for roots in it, by patterns from there."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules, ProjectRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import discover, discover_names

FILES = ("a.md", "docs/a.md", "docs/deep/b.md", "docs/deep/c.txt", "other/a.md")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    return tmp_path / "project"


def found(root: Path, project: Path, exclude: tuple[str, ...]) -> list[str]:
    rules = CorpusRules(projects=(ProjectRules(str(project), exclude),))
    with Root(str(root)) as opened:
        files = [entry.path for entry in discover(opened, rules).files]
        assert sorted(discover_names(opened, rules).paths) == files
    return files


def test_patterns_are_from_the_projects_folder_wherever_the_root_is(project: Path) -> None:
    exclude = ("/docs/a.md", "docs/deep/*.txt")
    assert found(project, project, exclude=exclude) == ["a.md", "docs/deep/b.md", "other/a.md"]
    assert found(project / "docs", project, exclude=exclude) == ["deep/b.md"]
    assert found(project / "docs" / "deep", project, exclude=exclude) == ["b.md"]
    assert found(project / "other", project, exclude=("/a.md",)) == ["a.md"]


def test_a_project_has_no_say_outside_its_folder(project: Path) -> None:
    other = project.parent / "project two"
    other.mkdir()
    (other / "a.md").write_text("text")
    assert found(other, project, exclude=("*",)) == ["a.md"]
    assert found(project.parent, project, exclude=("*.md",)) == sorted(
        ["project two/a.md", *(f"project/{name}" for name in FILES)]
    )


def test_a_project_brings_nothing_back(project: Path) -> None:
    (project / ".lensignore").write_text("other/\n")
    rules = CorpusRules(exclude=("docs/",), projects=(ProjectRules(str(project), ("!docs/", "!other/", "!.env")),))
    (project / ".env").write_text("SECRET=1")
    with Root(str(project)) as opened:
        assert [entry.path for entry in discover(opened, rules).files] == [".lensignore", "a.md"]


def test_scopes_are_from_the_projects_folder_and_the_users_replace_them(project: Path) -> None:
    def rules(*scopes: str) -> CorpusRules:
        return CorpusRules(projects=(ProjectRules(str(project), scopes=scopes),))

    def of(root: Path, chosen: CorpusRules) -> list[str]:
        with Root(str(root)) as opened:
            return [entry.path for entry in discover(opened, chosen).files]

    assert of(project, rules("docs/deep/", "other")) == ["docs/deep/b.md", "docs/deep/c.txt", "other/a.md"]
    assert of(project / "docs", rules("docs/deep/")) == ["deep/b.md", "deep/c.txt"]
    assert of(project / "docs" / "deep", rules("docs/")) == ["b.md", "c.txt"], "the root lies in a scope"
    assert of(project / "docs", rules("/docs/a.md")) == ["a.md"]
    assert of(project, CorpusRules(scopes=("*.txt",), projects=rules("other").projects)) == ["docs/deep/c.txt"]


def test_a_root_that_is_reached_by_a_link_is_in_its_project(project: Path) -> None:
    link = project.parent / "link"
    link.symlink_to(project / "docs", target_is_directory=True)
    assert found(link, project, exclude=("/docs/deep/",)) == ["a.md"]


@pytest.mark.parametrize(("folder", "root"), list(itertools.product(["", "docs"], ["", "docs", "docs/deep", "other"])))
def test_the_way_down_to_a_root(project: Path, folder: str, root: str) -> None:
    above = ProjectRules(str(project / folder)).above(str(project / root))
    if above is None:
        assert not (project / root).is_relative_to(project / folder)
    else:
        assert (project / folder / above).resolve() == (project / root).resolve()
        assert above == "" or above.endswith("/")
