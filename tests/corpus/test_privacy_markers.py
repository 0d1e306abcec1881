"""What makes a text private: any spelling of `lens: private` at its head, and nothing in its body."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.text_marks import privacy_of, privacy_of_file
from lens_lsp.corpus.workspace import Snapshot
from tests.soak import private_marks


def test_every_spelling_in_every_format_is_private_and_ordinary_documents_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert private_marks.main(["--typos", "200", "--ordinary", "150", "--seed", "7"]) == 0, capsys.readouterr().out


@pytest.mark.long
def test_many_more_spellings_are_private(capsys: pytest.CaptureFixture[str]) -> None:
    assert private_marks.main(["--typos", "5000", "--ordinary", "5000", "--seed", "8"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "exact"),
    [
        ("lens: private", True),
        ('lens: "private"', True),
        ("lens: [private]", True),
        ("lens:\n  - private", True),
        ("Lens: Private", False),
        ("lens=private", False),
        ("lense: private", False),
        ("private: true", False),
    ],
)
def test_a_spelling_that_is_not_documented_is_told(line: str, exact: bool) -> None:
    said = privacy_of_file("folder/a.md", f"---\ntitle: x\n{line}\n---\n\nText.\n")
    assert said is not None
    assert (said.line, said.exact) == (3, exact)
    assert said.written in said.message
    assert "write `lens: private`" in said.message


@pytest.mark.parametrize(
    "line",
    [
        *(
            "lens: answer/1",
            "lens: public",
            "lens: not private",
            "lens:\n  private: false",
            "private: no",
            "lens: 50mm",
        ),
        *(
            "lens: false",
            "lens:",
            "privacy: lens",
            "title: private",
            "tags: [private]",
            "lens: privilege",
            "less: more",
        ),
    ],
)
def test_a_value_that_means_something_else_is_not_private(line: str) -> None:
    assert privacy_of("markdown", f"---\n{line}\n---\n\nText.\n") is None


@pytest.mark.parametrize(
    "name", ["a.md", "a.rst", "a.py", "a.html", "a.json", "a.yaml", "a.tex", "a.org", "a.ipynb", "a"]
)
def test_any_text_can_be_looked_at(name: str) -> None:
    odd = [
        "",
        "\ufeff",
        "---",
        "---\n",
        "{",
        "{" * 5000,
        "<" * 5000,
        "<!--",
        '"""',
        "/*",
        "---\n" + "a: {" * 3000,
        "lens:",
    ]
    for text in [*odd, "lens\x00: private", "-" * 9000, "---\n" + "- " * 9000, "\n" * 9000, "{\n}\n" * 500, ":" * 9000]:
        privacy_of_file(name, text)


def test_front_matter_longer_than_other_heads_is_read_to_its_end() -> None:
    rows = "".join(f"key-{number}: {'x' * 80}\n" for number in range(3_000))
    assert privacy_of("markdown", f"---\n{rows}lens: private\n---\n\nText.\n") is not None


def test_an_open_text_is_what_counts(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Nothing.\n")
    buffer = Buffer(str(tmp_path / "a.md"), "---\nLens : Private\n---\n\nText.\n")
    with Root(str(tmp_path)) as root:
        assert Snapshot([root], {(0, "a.md"): buffer}, CorpusRules()).document(0, "a.md").structure.private
        assert not Snapshot([root], {}, CorpusRules()).document(0, "a.md").structure.private
