"""The language server, a door: the only package that knows pygls (docs/explanation/language-server.md)."""

from __future__ import annotations

from lens_lsp.lsp.message_types import import_types

import_types()  # before any module of this package imports them
