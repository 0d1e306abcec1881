"""Params that fit, of every request and notification that there is a handler for. Handlers of ours take anything."""

from __future__ import annotations

from typing import Any

from lens_lsp.lsp.server import COMMANDS

Params = dict[str, Any]

_TEXT = {"textDocument": {"uri": "file:///note.md"}}
_HERE = _TEXT | {"position": {"line": 0, "character": 0}}
_NOWHERE = {"start": _HERE["position"], "end": _HERE["position"]}
_PARAMS: dict[str, Params] = {
    "documentLink/resolve": {"range": _NOWHERE},
    "textDocument/codeAction": _TEXT | {"range": _NOWHERE, "context": {"diagnostics": []}},
    "textDocument/inlayHint": _TEXT | {"range": _NOWHERE},
    "textDocument/references": _HERE | {"context": {"includeDeclaration": True}},
    "workspace/symbol": {"query": ""},
    "workspace/willRenameFiles": {"files": []},
}


def request(name: str) -> tuple[str, Params]:
    """The method and params of a request, or of one to run the command of that name."""
    if name in COMMANDS:
        return "workspace/executeCommand", {"command": name, "arguments": []}
    return name, _PARAMS.get(name, _HERE)


def notifications(said: str) -> dict[str, Params]:
    """The params of every notification by its method; ``said`` stands wherever text of the user's may."""
    document = {"uri": f"file:///{said}.md", "languageId": "x", "version": 1, "text": said}
    return {
        "initialized": {},
        "textDocument/didOpen": {"textDocument": document},
        "textDocument/didChange": {"textDocument": document | {"version": 2}, "contentChanges": [{"text": said}]},
        "textDocument/didClose": {"textDocument": document},
        "workspace/didChangeConfiguration": {"settings": {"lens": said}},
        "workspace/didChangeWatchedFiles": {"changes": [{"uri": f"file:///{said}.md", "type": 1}]},
        "workspace/didChangeWorkspaceFolders": {"event": {"added": [], "removed": []}},
        "window/workDoneProgress/cancel": {"token": said},
        "$/setTrace": {"value": "off"},
    }
