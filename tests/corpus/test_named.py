"""A file that is named is read if a search comes to it, and only then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.ignore_files import left_out
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import discover
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.errors import PathRefused

FILES = (
    "a.md",
    ".env",
    "id_rsa.pub",
    "notes/b.md",
    "notes/draft.md",
    "notes/keep/draft.md",
    "notes/keep/c.md",
    "build/out.md",
    "node_modules/x/readme.md",
    ".git/config",
    "sub/.git/info/x.md",
    "sub/vendored.md",
    "deep/er/secret.pem",
    "deep/er/d.md",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text")
    (tmp_path / ".gitignore").write_text("build/\ndraft.md\n")
    (tmp_path / "notes" / "keep" / ".ignore").write_text("!draft.md\n")
    (tmp_path / "notes" / ".lensignore").write_text("b.md\n")
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    return tmp_path


@pytest.mark.parametrize(
    "rules",
    [
        CorpusRules(),
        CorpusRules(respect_ignore_files=False),
        CorpusRules(exclude=("deep/", "!a.md")),
        CorpusRules(scopes=("notes/", "*.pem")),
        CorpusRules(scopes=("deep/**/d.md",)),
    ],
    ids=["all", "unignored", "excluded", "folder", "glob"],
)
def test_it_agrees_with_a_walk(folder: Path, rules: CorpusRules) -> None:
    with Root(str(folder)) as root:
        found = {entry.path for entry in discover(root, rules).files}
        every = {
            os.path.relpath(os.path.join(where, name), folder).replace(os.sep, "/")
            for where, _, names in os.walk(folder, followlinks=True)
            for name in names
        } - {"link.md"}  # links at the end are refused when they are opened
        assert found
        assert {path for path in every if left_out(root, path, rules) is None} == found


def test_it_says_why(folder: Path) -> None:
    with Root(str(folder)) as root:
        assert left_out(root, ".env", CorpusRules()) is SkipReason.DENIED
        assert left_out(root, "build/out.md", CorpusRules()) is SkipReason.IGNORED
        assert left_out(root, "link/b.md", CorpusRules()) is SkipReason.LINK
        for path in ("../a.md", "/a.md", "a//b", ""):
            with pytest.raises(PathRefused):
                left_out(root, path, CorpusRules())
