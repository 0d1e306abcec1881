"""The shape of the code, where no linter looks: what nothing is called, and that the page on it is whole.

Layers, absolute imports, docstrings of modules and bare `except` are checked by import-linter and ruff.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "lens_lsp"
MODULES = sorted(PACKAGE.rglob("*.py"))
EMPTY_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"}


def test_no_module_folder_or_class_is_called_by_an_empty_name() -> None:
    called: set[str] = set()
    for path in MODULES:
        called.update(re.split(r"[/._]", str(path.relative_to(REPOSITORY))))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        called.update(part.lower() for written in classes for part in re.findall(r"[A-Z][a-z]+", written))
    assert {"lens", "search", "workspace"} <= called
    assert called & EMPTY_NAMES == set()


def test_the_page_on_architecture_draws_every_part_of_the_house() -> None:
    page = (REPOSITORY / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^[├└]── ([a-z_]+(?:/|\.py))", page, re.MULTILINE))
    parts = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]
    assert drawn == {path.name + ("/" if path.is_dir() else "") for path in parts} - {"__init__.py"}
