"""The shape of the code: which layer may know which, how large a module may grow, what none is called."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.availability import unavailable

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "lens_lsp"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES = 400
EMPTY_NAMES = {"util", "utils", "helper", "helpers", "common", "manager", "managers", "misc"}


def name(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def test_layers_point_downwards() -> None:
    try:
        import importlinter.cli  # noqa: F401
    except ImportError:
        unavailable("import-linter", "import-linter is not installed")
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_there_are_modules_to_look_at() -> None:
    assert PACKAGE / "lens.py" in MODULES


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_opens_by_saying_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_no_module_folder_or_class_is_called_by_an_empty_name() -> None:
    called: set[str] = set()
    for path in MODULES:
        called.update(re.split(r"[/._]", name(path)))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        classes = [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        called.update(part.lower() for written in classes for part in re.findall(r"[A-Z][a-z]+", written))
    assert called & EMPTY_NAMES == set()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_imports_are_absolute(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert [node.lineno for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level] == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_module_catches_everything(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.type is None]
    assert bare == []


def test_the_page_on_architecture_draws_every_part_of_the_house() -> None:
    page = (REPOSITORY / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^[├└]── ([a-z_]+(?:/|\.py))", page, re.MULTILINE))
    parts = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]
    assert drawn == {path.name + ("/" if path.is_dir() else "") for path in parts} - {"__init__.py"}
