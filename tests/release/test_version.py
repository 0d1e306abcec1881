"""The version stands in one place; where a file must say it again, it says the same."""

from __future__ import annotations

import json
import re
import tomllib

from lens_lsp import __version__
from tests.conftest import REPOSITORY

EXTENSION = REPOSITORY / "vscode-extension"


def test_the_package_takes_its_version_from_the_module() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["project"]["dynamic"] == ["version"]
    place = REPOSITORY / project["tool"]["hatch"]["version"]["path"]
    assert re.findall(r'^__version__ = "([^"]+)"$', place.read_text(encoding="utf-8"), re.MULTILINE) == [__version__]


def test_the_extension_has_the_same_version_wherever_it_says_one() -> None:
    lock = json.loads((EXTENSION / "package-lock.json").read_bytes())
    manifest = json.loads((EXTENSION / "package.json").read_bytes())
    changes = re.search(r"^## (\S+)", (EXTENSION / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert changes is not None
    assert {manifest["version"], lock["version"], lock["packages"][""]["version"], changes[1]} == {__version__}


def test_no_page_names_an_artefact_of_another_version() -> None:
    named = {
        version
        for page in [REPOSITORY / "README.md", EXTENSION / "README.md", *(REPOSITORY / "docs").rglob("*.md")]
        for version in re.findall(r"\blens(?:_lsp)?-(\d+\.\d+\.\d+)\b", page.read_text(encoding="utf-8"))
    }
    assert named == {__version__}
