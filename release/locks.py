"""The locks: for the runtime, each extra and the build all versions with their hashes, for all systems."""

from __future__ import annotations

import tomllib
from pathlib import Path

from release.running import EXTENSION, REPOSITORY, python, run

LOCKS = REPOSITORY / "release" / "locks"
_COMPILE = ("-m", "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header", "--no-annotate")


def extras() -> list[str]:
    """The extras that the project declares."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"])


def lock(names: list[str]) -> None:
    """Write the locks of these names anew, with the newest versions that the project allows; all when none is named.

    Versions that a lock has already and that are still allowed stay, unless its file is deleted first.
    Raises `ReleaseError`.
    """
    for name in names or ["build", "runtime", *extras(), "extension"]:
        if name == "extension":
            run(["npm", "run", "--silent", "requirements"], EXTENSION)
        else:
            _compile(name, LOCKS / f"{name}.txt")


def _compile(name: str, out: Path) -> None:
    """One lock, without sentence-transformers: only the weights are needed of what brings it along."""
    source = str(LOCKS / "build.in") if name == "build" else "pyproject.toml"
    chosen = [] if name in ("build", "runtime") else ["--extra", name]
    overrides = ["--override", str((LOCKS / "overrides.in").relative_to(REPOSITORY))]
    python(*_COMPILE, "--python-version", "3.11", *overrides, *chosen, source, "-o", str(out.relative_to(REPOSITORY)))
