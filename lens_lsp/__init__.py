"""lens-lsp: ask your folders, get the exact passages that prove the answer.

The public surface; everything is imported on first use, so that ``import lens_lsp`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lens_lsp.corpus.rules import CorpusRules
    from lens_lsp.corpus.snapshot import Buffer
    from lens_lsp.domain.errors import LensError
    from lens_lsp.domain.model import Evidence, Findings
    from lens_lsp.lens import Lens

__version__ = "0.1.0"

_HOME = {
    "Buffer": "lens_lsp.corpus.snapshot",
    "CorpusRules": "lens_lsp.corpus.rules",
    "Evidence": "lens_lsp.domain.model",
    "Findings": "lens_lsp.domain.model",
    "Lens": "lens_lsp.lens",
    "LensError": "lens_lsp.domain.errors",
}

__all__ = ["Buffer", "CorpusRules", "Evidence", "Findings", "Lens", "LensError", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
