"""What the server offers: each request and command, and where it is handled. Handlers are imported when needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, cast

from lsprotocol import types

from lens_lsp.lsp.endpoint import Endpoint

Loader = Callable[[], Endpoint[Any]]


def _in(module: str, name: str = "ENDPOINT") -> Loader:
    """An endpoint of a module of this package, which is imported when it is needed."""
    return lambda: cast("Endpoint[Any]", getattr(importlib.import_module(f"lens_lsp.lsp.{module}"), name))


REQUESTS: Mapping[str, Loader] = {
    "lens/answer": _in("kept_answers"),
    "lens/ask": _in("asking"),
    "lens/check": _in("held_citations"),
    "lens/clusters": _in("knowing", "CLUSTERS"),
    "lens/find": _in("finding"),
    "lens/forget": _in("knowing", "FORGET"),
    "lens/ledger": _in("knowing", "LEDGER"),
    "lens/passage": _in("passages"),
    "lens/recheck": _in("rechecking"),
    "lens/status": _in("status"),
    "lens/text": _in("texts"),
    "lens/threads": _in("knowing", "THREADS"),
    "lens/wrong": _in("knowing", "WRONG"),
    types.DOCUMENT_LINK_RESOLVE: _in("evidence", "FOLLOW"),
    types.TEXT_DOCUMENT_CODE_ACTION: _in("actions", "ACTION"),
    types.TEXT_DOCUMENT_CODE_LENS: _in("actions", "LENS"),
    types.TEXT_DOCUMENT_DEFINITION: _in("evidence", "DEFINITION"),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: _in("evidence", "LINK"),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _in("symbols", "DOCUMENT"),
    types.TEXT_DOCUMENT_HOVER: _in("evidence", "HOVER"),
    types.TEXT_DOCUMENT_REFERENCES: _in("evidence", "REFERENCES"),
    types.WORKSPACE_SYMBOL: _in("symbols", "WORKSPACE"),
}
"""Who handles a request; a standard one among them becomes a capability."""
COMMANDS: Mapping[str, Loader] = {
    "lens.server.ask": _in("commands", "ASK"),
    "lens.server.find": _in("commands", "FIND"),
    "lens.server.insertAnswer": _in("commands", "INSERT_ANSWER"),
    "lens.server.openAnswer": _in("commands", "OPEN_ANSWER"),
    "lens.server.recheck": _in("commands", "RECHECK"),
    "lens.server.wrong": _in("commands", "WRONG"),
}
"""Who handles a command: it takes its params as its one argument."""
PULLED: Mapping[str, Loader] = {types.TEXT_DOCUMENT_DIAGNOSTIC: _in("inspecting", "DIAGNOSTIC")}
"""Requests that are only offered to a client that pulls diagnostics and lets itself be told when: to the others they
are pushed, and nobody gets them twice."""
OPTIONS: Mapping[str, object] = {
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]
    ),
    types.TEXT_DOCUMENT_DIAGNOSTIC: types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier="lens"
    ),
}
"""What is said of a feature beyond that it is there."""
