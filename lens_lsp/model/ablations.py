"""What can be switched off, to see what it is worth (docs/how-to/evaluate.md)."""

from __future__ import annotations

SIGNALS = ("lexical", "path", "summaries", "history", "scans", "links")
"""The five signal families of the prior. ``links`` are a part of scans, with what the best documents lack."""
LOOP = ("prior", "exploration", "arm-lexical", "arm-local", "arm-global", "lambda", "rules")
"""In `ask` alone: the multi-signal prior, the loop, single arms, the adaptation of λ, the rules that answer where
nothing of what a model says may stand."""
