"""Shared fixtures: where the evaluation data lies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.availability import unavailable

REPOSITORY = Path(__file__).resolve().parent.parent

OURS = frozenset({"LENS_DATA", "LENS_REQUIRE", "LENS_NVIM11", "LENS_WRITE_SNAPSHOTS"})
"""Variables that tests themselves go by."""

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty home: nothing of the developer's own settings, keys and stores is read, and nothing is put there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        for name in [name for name in os.environ if name.startswith(("XDG_", "LENS_")) and name not in OURS]:
            patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The evaluation data sets: ``LENS_DATA``, else ``../shared/data`` beside the repository."""
    path = Path(os.environ.get("LENS_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (path / "hotpotqa" / "manifest.json").is_file():
        unavailable("data", "no evaluation data: set LENS_DATA to its folder")
    return path
