"""What a test needs that a machine may lack, and what may not be skipped."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def unavailable(what: str, reason: str) -> NoReturn:
    """Skip, or fail when ``LENS_REQUIRE`` says that ``what`` must be there."""
    if what in os.environ.get("LENS_REQUIRE", "").split(","):
        pytest.fail(f"LENS_REQUIRE names {what}: {reason}")
    pytest.skip(reason)
