"""What is preferred among passages: ordinary files, and what says the question word for word."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from small_workspace import Workspace

Make = Callable[[Mapping[str, str]], Workspace]

TEXT = "The kestrel package needs a resolver and a registry of kestrel versions.\n"
FILES = {
    "poetry.lock": 3 * TEXT,
    "vendor/kestrel/guide.md": 3 * TEXT,
    "notes/kestrel.md": "The kestrel package needs a resolver.\n",
}


def test_files_of_rare_kinds_come_last(workspace: Make) -> None:
    space = workspace(FILES)
    found = [space.path(one.slot) for one in space.localise("kestrel resolver registry").passages]
    assert found[0] == "notes/kestrel.md"
    assert set(found) == set(FILES)


def test_a_rare_file_that_is_named_counts_in_full(workspace: Make) -> None:
    space = workspace(FILES)
    found = [space.path(one.slot) for one in space.localise("kestrel resolver registry in poetry.lock").passages]
    assert found[0] == "poetry.lock"


def test_what_holds_the_question_word_for_word_comes_first(workspace: Make) -> None:
    space = workspace(
        {
            "a.md": "# Runs\n\nA run of questions takes time; time runs, and questions run and run at any time.\n",
            "b.md": "# Server\n\nFour questions run at a time and 64 wait.\n",
        }
    )
    found = [space.path(one.slot) for one in space.localise("questions run at a time").passages]
    assert found[0] == "b.md"
