"""lens-lsp: ask your folders, get the exact passages that prove the answer.

The public surface; everything is imported on first use, so that ``import lens_lsp`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lens_lsp.app.lens import Lens
    from lens_lsp.app.oracle_factory import Terms
    from lens_lsp.app.settings import Request
    from lens_lsp.corpus.corpus_rules import CorpusRules
    from lens_lsp.corpus.intake import Buffer
    from lens_lsp.judge.ledger import Budget
    from lens_lsp.model.answer import Answer, Answered, EvidenceFound, Mode
    from lens_lsp.model.documents import Evidence, Findings
    from lens_lsp.model.errors import LensError


__version__ = "0.1.0"

_HOME = {
    "Answer": "lens_lsp.model.answer",
    "Answered": "lens_lsp.model.answer",
    "Budget": "lens_lsp.judge.ledger",
    "Buffer": "lens_lsp.corpus.workspace",
    "CorpusRules": "lens_lsp.corpus.corpus_rules",
    "Evidence": "lens_lsp.model.documents",
    "EvidenceFound": "lens_lsp.model.answer",
    "Findings": "lens_lsp.model.documents",
    "Lens": "lens_lsp.app.lens",
    "LensError": "lens_lsp.model.errors",
    "Mode": "lens_lsp.model.answer",
    "Request": "lens_lsp.app.settings",
    "Terms": "lens_lsp.app.oracle_factory",
}

__all__ = [
    "Answer",
    "Answered",
    "Budget",
    "Buffer",
    "CorpusRules",
    "Evidence",
    "EvidenceFound",
    "Findings",
    "Lens",
    "LensError",
    "Mode",
    "Request",
    "Terms",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
