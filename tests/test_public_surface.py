"""What `import lens_lsp` offers, and what it costs."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import lens_lsp

REPOSITORY = Path(__file__).resolve().parent.parent
HEAVY = ("numpy", "pygls", "lsprotocol", "openai", "pydantic", "watchdog", "ahocorasick_rs", "onnxruntime")


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_public_names_are_sorted_and_all_there() -> None:
    assert lens_lsp.__all__ == sorted(lens_lsp.__all__)
    assert len(set(lens_lsp.__all__)) == len(lens_lsp.__all__)
    assert all(getattr(lens_lsp, name) is not None for name in lens_lsp.__all__)


def test_the_public_names_are_these() -> None:
    expected = {"Buffer", "CorpusRules", "Evidence", "Findings", "Lens", "LensError", "__version__"}
    assert expected <= set(lens_lsp.__all__)


def test_every_public_thing_is_the_one_of_its_home() -> None:
    for name in set(lens_lsp.__all__) - {"__version__"}:
        thing = getattr(lens_lsp, name)
        assert getattr(importlib.import_module(thing.__module__), name) is thing
        assert thing.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lens_lsp.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import lens_lsp, sys; print(sorted(set(sys.modules) & set({HEAVY!r})))"
    assert fresh(code) == "[]\n"


def test_importing_the_package_loads_none_of_its_parts() -> None:
    code = "import lens_lsp, sys; print(sorted(name for name in sys.modules if name.startswith('lens_lsp')))"
    assert fresh(code) == "['lens_lsp']\n"


def test_asking_for_a_name_loads_its_part_only() -> None:
    code = "import lens_lsp, sys; lens_lsp.LensError; print('lens_lsp.app.lens' in sys.modules, 'numpy' in sys.modules)"
    assert fresh(code) == "False False\n"


def test_the_version_is_that_of_the_distribution() -> None:
    assert lens_lsp.__version__ == version("lens-lsp")
