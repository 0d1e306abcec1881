"""Questions for a definition, and what is shown for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from small_workspace import FILLER, Workspace

from lens_lsp.search.question import definition_of

Make = Callable[[Mapping[str, str]], Workspace]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is a sundial?", "sundial"),
        ("what's a sundial", "sundial"),
        ("What’s the sundial?", "sundial"),
        ("What are sundials?", "sundial"),
        ("Who is Mira Tolvanen?", "mira tolvanen"),
        ("Define sundial.", "sundial"),
        ("definition of sundial", "sundial"),
        ("What does WSGI stand for?", "wsgi"),
        ('What does "gnomon" mean?', "gnomon"),
        ("Explain Größe", "grosse"),
    ],
)
def test_a_question_for_a_definition_names_its_subject(question: str, name: str) -> None:
    definition = definition_of(question)
    assert definition is not None
    assert name in definition.names


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is?",
        "What is ?",
        "When was the sundial built?",
        "How is a sundial made?",
        "sundial",
        "What is the name of the man who built the old sundial in town?",
        "What is a sundial, and who built it?",
        "Somebody asked: what is a sundial",
    ],
)
def test_any_other_question_asks_for_none(question: str) -> None:
    assert definition_of(question) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "A sundial is a clock.",
        "Sundials are clocks.",
        "The sundial (also: shadow clock) is a clock.",
        "Sundial means clock.",
        "**Sundial** refers to a clock.",
        "A sundial, as is known, denotes a clock.",
    ],
)
def test_a_sentence_that_says_what_it_is_comes_before_those_that_only_name_it(workspace: Make, sentence: str) -> None:
    others = {f"{number}.md": "Near the gate we saw the sundial, a sundial, the sundial.\n" for number in range(4)}
    space = workspace({**others, "z.md": f"It rained.\n\n{sentence}\n", **FILLER})
    path, quote = space.passages("What is a sundial?")[0]
    assert path == "z.md"
    assert sentence in quote


def test_what_a_title_or_a_heading_introduces_comes_first(workspace: Make) -> None:
    introduced = "Shadows tell the hour on it."
    naming = "Sundial here, sundial there, and one more sundial.\n"
    for files in (
        {"a.md": naming, "clocks.md": f"# Clocks\n\nThere are many.\n\n## Sundial\n\n{introduced}\n"},
        {"a.md": naming, "clocks.md": f"# Sundial\n\n{introduced}\n\n## History\n\n{naming}"},
    ):
        path, quote = workspace({**files, **FILLER}).passages("What is a sundial?")[0]
        assert path == "clocks.md"
        assert introduced in quote


def test_metadata_never_define_anything(workspace: Make) -> None:
    head = "---\ntitle: Sundial\ntags: [sundial]\ndescription: sundial sundial\n---\n\n"
    space = workspace({"a.md": f"{head}A clock with a shadow.\n", **FILLER})
    assert space.passages("What is a sundial?")[0] == ("a.md", "A clock with a shadow.")


def test_a_question_that_asks_for_no_definition_is_not_affected(workspace: Make) -> None:
    text = "A sundial is a clock.\n\n# Gate\n\nThe sundial of the gate was built by Elise Morrow.\n"
    first = workspace({"a.md": text, **FILLER}).passages("Who built the sundial of the gate?")[0][1]
    assert "built by Elise Morrow" in first
    assert "is a clock" not in first


def test_a_subject_is_compared_as_written_and_no_pattern() -> None:
    definition = definition_of("What is s[iu]ndial?")
    assert definition is not None
    assert definition.pattern.match("Sundial is a word") is None
    assert definition.pattern.match("S[iu]ndial is a pattern") is not None
