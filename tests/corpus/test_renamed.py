"""A file that has another name is found by its hash, as long as that costs little."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import Budget, Renamed

TEXT = "The bell buoy was replaced.\n"
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Forty notes, one of them the one that is looked for, none of them young."""
    for n in range(40):
        path = tmp_path / f"d{n % 4}" / f"{n}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{n:030}\n" if n != 33 else TEXT)
        os.utime(path, (1e9, 1e9))
    return tmp_path


def holders(tree: Path, budget: Budget, path: str = "gone.md") -> list[str] | None:
    with Root(str(tree)) as root:
        return Renamed(root, CorpusRules(), budget).holders(path, SHA256)


def test_the_files_of_a_hash_are_all_named(tree: Path) -> None:
    assert holders(tree, Budget()) == ["d1/33.md"]
    (tree / "copy.md").write_text(TEXT)
    assert holders(tree, Budget()) == ["copy.md", "d1/33.md"]


@pytest.mark.parametrize("name", [".33.md.part", "33.md.tmp", ".33.md.swp", "33.md~", ".hidden.md"])
def test_a_file_that_is_being_written_is_no_new_name(tree: Path, name: str) -> None:
    (tree / "d1" / name).write_text(TEXT)
    assert holders(tree, Budget()) == ["d1/33.md"]
    (tree / "d1" / "33.md").unlink()
    assert holders(tree, Budget()) == []


def test_a_text_is_found_among_texts_and_a_document_among_those_of_its_kind(tree: Path) -> None:
    assert holders(tree, Budget(), "gone.txt") == ["d1/33.md"], "a note that is Markdown now"
    (tree / "of the same bytes.docx").write_text(TEXT)
    assert holders(tree, Budget(), "gone.txt") == ["d1/33.md"]
    assert holders(tree, Budget(), "gone.docx") == ["of the same bytes.docx"]
    assert holders(tree, Budget(), "gone.pdf") == []


@pytest.mark.parametrize("budget", [{"files": 39}, {"size": 39 * 28}, {"seconds": 0.0}])
def test_a_search_ends_with_its_budget(tree: Path, budget: dict[str, float]) -> None:
    for path in tree.glob("*/*.md"):  # another status: what is known of them from before counts no more
        path.touch()
    assert holders(tree, Budget(**budget)) is None  # type: ignore[arg-type]


def test_one_budget_holds_for_all_folders(tree: Path) -> None:
    budget = Budget(files=45)
    assert holders(tree, budget) == ["d1/33.md"]
    assert holders(tree / "d1", budget) is None


def test_what_was_read_is_not_read_again(tree: Path) -> None:
    budget = Budget()
    holders(tree, budget)
    left = budget.size
    assert left < 32 << 20
    assert holders(tree, budget) == ["d1/33.md"]
    assert budget.size == left
    (tree / "d1" / "33.md").write_text(TEXT.upper())
    assert holders(tree, budget) == []


def test_a_file_without_end_ends_the_search() -> None:
    with Root("/dev") as root:
        assert Renamed(root, CorpusRules(), Budget()).holders("gone.md", SHA256) in ([], None)
