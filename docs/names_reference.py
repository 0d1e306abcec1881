"""Make ``docs/reference/names.md``: every module of ``lens_lsp`` and every public name in it, with one line each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "lens_lsp"
HEAD = """\
# Names

Made from the program by `python docs/generate_reference.py`; a test fails when the two differ. Every module of
`lens_lsp` and every public name in it, in the order of the layers, lowest first. How the layers fit together is told in
[architecture](../explanation/architecture.md).
"""
LAYERS = (
    "model",
    "disk",
    "documents",
    "corpus",
    "arithmetic",
    "memory",
    "judge",
    "search",
    "schema",
    "app",
    "lsp",
    "client",
    "mcp",
    "desktop",
    "cli",
)
"""The packages and modules below ``lens_lsp`` in the order of the layers."""


def names_page() -> str:
    """The whole page as Markdown."""
    return HEAD + "".join(f"\n## {layer}\n{''.join(_modules(layer))}" for layer in LAYERS)


def _modules(layer: str) -> Iterator[str]:
    place = PACKAGE / layer
    paths = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    for path in paths:
        if any(part == "node_modules" or part.startswith(".") for part in path.relative_to(PACKAGE).parts):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        name = path.relative_to(PACKAGE).with_suffix("").as_posix().removesuffix("/__init__")
        if path.name == "__init__.py":
            yield f"\n{_first_sentence(tree)}\n"
            continue
        yield f"\n### {name}\n\n{_first_sentence(tree)}\n\n"
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith(
                "_"
            ):
                yield f"* `{node.name}`: {_first_sentence(node)}\n"


def _first_sentence(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The first sentence of a docstring on one line, which is what Python's style guide asks the first line to be."""
    words = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
    for end in (". ", ": ") if len(words) > 160 else (". ",):
        words = words.partition(end)[0] if end in words else words
    return words.rstrip(".:") + "." if words else ""
