"""A user's file and a project's, and what they come to."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.app.configuration import settings_of
from lens_lsp.app.settings import Settings

Told = Callable[..., Settings]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    """Settings of texts: ``user`` and ``project`` are files, ``environment`` and ``client`` as they are sent."""

    def settings(
        user: str | bytes | None = None,
        project: str | bytes | None = None,
        environment: dict[str, str] | None = None,
        **more: Any,
    ) -> Settings:
        workspace = tmp_path / "project"
        workspace.mkdir(exist_ok=True)
        named = {"LENS_CONFIG": str(tmp_path / "config.toml")} if user is not None else {"LENS_CONFIG": os.devnull}
        for path, text in ((tmp_path / "config.toml", user), (workspace / ".lens.toml", project)):
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_bytes(text.encode() if isinstance(text, str) else text)
        return settings_of((str(workspace),), named | (environment or {}), **more)

    return settings
