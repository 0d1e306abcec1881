"""The page on dependencies names what the project declares, and says rightly what is in use."""

from __future__ import annotations

import ast
import re
import tomllib

from documentation import DOCS, REPOSITORY, table_rows

PAGE = DOCS / "explanation" / "dependencies.md"


def documented(heading: str) -> set[str]:
    return {row[0].strip("`") for row in table_rows(PAGE, heading)}


def imported() -> set[str]:
    """The first name of every module the package imports, anywhere in its files."""
    found: set[str] = set()
    for path in (REPOSITORY / "lens_lsp").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found


def test_the_page_has_every_declared_dependency_and_no_other() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[<>=!~; \[]", dependency)[0] for dependency in project["dependencies"]}
    assert documented("## In use") == declared


def test_what_is_called_in_use_is_imported() -> None:
    assert documented("## In use") <= imported()


def test_no_rejected_package_is_imported() -> None:
    rejected = {name for row in table_rows(PAGE, "## Rejected") for name in re.findall(r"`([\w-]+)`", row[0])}
    assert "pathspec" in rejected
    assert not {name.replace("-", "_") for name in rejected} - {"csv", "ahocorasick_rs"} & imported()
