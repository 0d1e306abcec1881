"""How large the package is, and whether its names are each of one thing.

    python -m benchmarks.package_size [--json]

Prints modules and lines of ``lens_lsp`` and of the tests by folder, the largest module, circles of imports (those under
``TYPE_CHECKING`` and inside functions count), and names of modules and classes that stand for two things.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FRONT_ENDS = ("cli", "lsp", "mcp", "desktop")
"""Packages whose modules are named after a command or method, which several of them may serve."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 1 where there is a circle or a name of two things."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args(arguments).json
    found = measure(REPOSITORY)
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        for name, value in found.items():
            print(f"{name}: {json.dumps(value)}")
    return int(bool(found["circles"] or found["modules of one name"] or found["classes of one name"]))


def measure(repository: Path) -> dict[str, object]:
    """All figures, by name."""
    package = sources(repository / "lens_lsp")
    trees = {path: ast.parse(text) for path, text in package.items()}
    sizes = {path: len(text.splitlines()) for path, text in package.items()}
    tests = {path: len(text.splitlines()) for path, text in sources(repository / "tests").items()}
    largest = max(sizes, key=sizes.__getitem__)
    return {
        "modules": len(package),
        "lines": sum(sizes.values()),
        "by package": _by_folder(sizes, repository / "lens_lsp"),
        "largest module": [largest.relative_to(repository).as_posix(), sizes[largest]],
        "lines of tests": sum(tests.values()),
        "circles": [sorted(circle) for circle in circles(imports(trees, repository))],
        "modules of one name": _twice(_module_names(package, repository)),
        "classes of one name": _twice(_class_names(trees, repository)),
    }


def sources(folder: Path) -> dict[Path, str]:
    """The Python files below a folder, without what npm installed."""
    paths = (path for path in sorted(folder.rglob("*.py")) if "node_modules" not in path.parts)
    return {path: path.read_text("utf-8") for path in paths}


def imports(trees: Mapping[Path, ast.Module], repository: Path) -> dict[str, set[str]]:
    """Which module imports which, anywhere in its text, by dotted names."""
    names = {".".join(path.relative_to(repository).with_suffix("").parts): tree for path, tree in trees.items()}
    names = {name.removesuffix(".__init__"): tree for name, tree in names.items()}
    found: dict[str, set[str]] = {name: set() for name in names}
    for name, tree in names.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    target = f"{node.module}.{alias.name}"
                    found[name].add(target if target in names else node.module)
            elif isinstance(node, ast.Import):
                found[name].update(alias.name for alias in node.names)
        found[name] &= names.keys() - {name}
    return found


def circles(graph: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """The strongly connected parts of more than one module (Tarjan)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            part = set(stack[stack.index(name) :])
            del stack[stack.index(name) :]
            if len(part) > 1:
                found.append(part)

    for name in sorted(graph):
        if name not in order:
            visit(name)
    yield from found


def _by_folder(sizes: Mapping[Path, int], root: Path) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path, lines in sizes.items():
        folder = path.relative_to(root).parts[0]
        found[folder][0] += 1
        found[folder][1] += lines
    return dict(found)


def _module_names(package: Mapping[Path, str], repository: Path) -> Iterator[tuple[str, str]]:
    for path in package:
        name = path.relative_to(repository).as_posix()
        if path.stem not in ("__init__", "__main__") and name.split("/")[1] not in FRONT_ENDS:
            yield path.stem, name


def _class_names(trees: Mapping[Path, ast.Module], repository: Path) -> Iterator[tuple[str, str]]:
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, path.relative_to(repository).as_posix()


def _twice(named: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    places: dict[str, list[str]] = defaultdict(list)
    for name, place in named:
        places[name].append(place)
    return {name: sorted(where) for name, where in sorted(places.items()) if len(where) > 1}


if __name__ == "__main__":
    sys.exit(main())
