"""What counts as a page that begins with the definition of its title, and how its question is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.passages.definitions import bare, definition, definitions, drawn, questions, with_others


def sentence(text: str, path: str = "page.md") -> str | None:
    found = definition(path, text)
    return None if found is None else found.sentence


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# Tide\n\nA tide is the rise of the sea. It falls.\n", "A tide is the rise of the sea."),
        ("# Tides\n\nTides are movements of the sea.\n", "Tides are movements of the sea."),
        ("---\ntitle: Neap Tide\n---\n\n**Neap tides** are small tides.\n", "**Neap tides** are small tides."),
        (
            "---\ntitle: Estimate (ETA)\n---\n\nThe ETA, as we say, is a time.\n",
            "The ETA, as we say, is a time.",
        ),
        ("---\ntitle: Sea\naliases:\n  - Ocean\ntags:\n  - x\n---\n\nAn ocean is a sea.\n", "An ocean is a sea."),
        ("# Tide\n\n[Source: A Book](x)\n\n![a](b.png)\n\nTide refers to water.\n", "Tide refers to water."),
        ("# Get-Tide\n\n## SYNOPSIS\nGets the tide.\n", "Gets the tide."),
        ("---\ntitle: boat row\n---\n\nrow a boat\n", "row a boat"),
        ("# Tide\n\nTide is built over time.\n", None),
        ("# Tide\n\nTides are described below.\n", None),
        ("# Tide\n\nThe sea is a body of water.\n", None),
        ("# Tide\n\n> Tide is a quotation.\n", None),
        ("# Tide\n\n- Tide is an item.\n", None),
        ("# Tide\n\n## One\n\n## Two\n\nTide is a late word.\n", None),
        ("# Tide\n\nTide is a question?\n", None),
        ("Tide is a page without a title.\n", None),
    ],
)
def test_a_page_begins_with_the_definition_of_its_title_or_not(text: str, wanted: str | None) -> None:
    assert sentence(text) == wanted


def test_a_text_is_compared_as_it_is_shown() -> None:
    assert bare("**A** [[x/y|why]] and [[z/w]] `code` [text](target) of_one_word[^1]") == (
        "A why and w code text of_one_word"
    )


def test_pages_of_one_title_make_one_question_and_each_sentence_is_right(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Tides\n\nTides are moves of the sea.\n", "utf-8")
    (tmp_path / "b.md").write_text("# tides (water)\n\nTides are a bother.\n", "utf-8")
    (tmp_path / "c.md").write_text("# Else\n\nSome text.\n\nTides are high here. More.\n", "utf-8")
    rows = questions("w", list(definitions(tmp_path)))
    assert [row["question"] for row in rows] == ["What are Tides?"]
    assert [item["path"] for item in rows[0]["gold"]] == ["a.md", "b.md"]
    others = with_others(rows, tmp_path)[0]["gold"][2:]
    assert others == [{"path": "c.md", "quote": "Tides are high here."}]


def test_workspaces_take_turns_and_the_order_does_not_depend_on_that_of_the_files(tmp_path: Path) -> None:
    for name in ("ash", "beech", "cedar"):
        (tmp_path / f"{name}.md").write_text(f"# {name.title()}\n\n{name.title()} is a tree.\n", "utf-8")
    found = list(definitions(tmp_path))
    rows = questions("w", found)
    assert rows == questions("w", found[::-1])
    other = [{"workspace": "v"}]
    assert [row["workspace"] for row in drawn([rows, other], 3)] == ["w", "v", "w"]
    assert {row["half"] for row in rows} <= {"first", "second"}
