"""The threat model names every attack once, in order, and tests that exist."""

from __future__ import annotations

import re

import pytest
from documentation import DOCS, REPOSITORY, table_rows, text_of

PAGE = DOCS / "explanation" / "threat-model.md"
ATTACKS = table_rows(PAGE, "## Attacks")
NAMED = [(row[0], *named.split("::")) for row in ATTACKS for named in re.findall(r"`([^`]+::[^`]+)`", row[3])]


def exists(path: str, name: str) -> bool:
    """Whether the file has a test of that name: a function in Python, a title in TypeScript."""
    file = REPOSITORY / path
    if not file.is_file():
        return False
    head = rf"^(?:async )?def {re.escape(name)}\(" if path.endswith(".py") else rf"^\s*test\('{re.escape(name)}',"
    return re.search(head, text_of(file), re.MULTILINE) is not None


def test_every_attack_has_one_row_in_order_with_what_refuses_it_and_a_test() -> None:
    assert [row[0] for row in ATTACKS] == [f"S{n:02}" for n in range(1, 29)]
    assert all(row[1] and row[2] for row in ATTACKS)
    assert {attack for attack, *_ in NAMED} == {row[0] for row in ATTACKS}


@pytest.mark.parametrize(("attack", "path", "name"), NAMED)
def test_a_named_test_exists(attack: str, path: str, name: str) -> None:
    assert exists(path, name), f"{attack}: no {name} in {path}"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("tests/cli/test_terminal.py", "test_no_such_thing"),
        ("tests/cli/test_no_such_file.py", "test_no_text_can_drive_a_terminal"),
        ("vscode-extension/test/unit/keys.test.ts", "a key is given"),
    ],
)
def test_a_test_that_is_not_there_would_be_noticed(path: str, name: str) -> None:
    assert not exists(path, name)


def test_every_module_of_ours_that_is_named_exists() -> None:
    named = re.findall(r"`([a-z]+/\w+\.py)`", text_of(PAGE))
    assert named
    assert [path for path in named if not (REPOSITORY / "lens_lsp" / path).is_file()] == []
