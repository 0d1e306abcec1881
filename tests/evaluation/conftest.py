"""Fixtures of the evaluation tests: small data sets in temporary folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_datasets import ANSWERS, write_dataset, write_workspace


@pytest.fixture
def dataset_dir(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "engines")


@pytest.fixture
def answers_dir(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "answers", ANSWERS)


@pytest.fixture
def workspace_dir(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "workspaces")
