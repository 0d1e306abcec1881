"""Shared fixtures: where the evaluation data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.availability import unavailable

REPOSITORY = Path(__file__).resolve().parent.parent

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The evaluation data sets: ``LENS_DATA``, else ``../shared/data`` beside the repository."""
    path = Path(os.environ.get("LENS_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (path / "hotpotqa" / "manifest.json").is_file():
        unavailable("data", "no evaluation data: set LENS_DATA to its folder")
    return path
