"""What a wheel holds: the measurements of `lens eval` too, unless LENS_SLIM is set when it is built."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelContents(BuildHookInterface[Any]):
    """Adds `evaluation/` to a wheel, which is found by name as `lens_lsp` is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files."""
        source = Path(self.root, "evaluation")
        if version == "standard" and source.is_dir() and not os.environ.get("LENS_SLIM"):
            build_data["force_include"][str(source)] = "evaluation"
