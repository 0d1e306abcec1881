from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from small_workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Callable[[Mapping[str, str]], Workspace]]:
    """Write files and read them into a corpus."""
    made: list[Workspace] = []

    def make(files: Mapping[str, str]) -> Workspace:
        made.append(Workspace(tmp_path, files))
        return made[-1]

    yield make
    for space in made:
        space.close()
