"""``python -m lens_lsp``: the same door as the ``lens`` command."""

from __future__ import annotations

from lens_lsp.cli import run

if __name__ == "__main__":
    run()
