"""The composition root: who judges a question, with what budget, consent, prices and meter is decided here alone.

A front end makes a `Request`, has its settings loaded and an `OracleFactory` chosen, and gets events; a program that
has nothing of its own to keep or to ask calls `ask` or `find`. Everything is imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lens_lsp.app.composition import ask, find
    from lens_lsp.app.consent import ConsentMissing
    from lens_lsp.app.oracle_factory import OracleFactory
    from lens_lsp.app.settings import Request

_HOME = {
    "ConsentMissing": "lens_lsp.app.consent",
    "OracleFactory": "lens_lsp.app.oracle_factory",
    "Request": "lens_lsp.app.settings",
    "ask": "lens_lsp.app.composition",
    "find": "lens_lsp.app.composition",
}
__all__ = ["ConsentMissing", "OracleFactory", "Request", "ask", "find"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
