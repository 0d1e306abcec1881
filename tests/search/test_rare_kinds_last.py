"""Lock files, licences, vendored and generated files come last, unless the question names them."""

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
