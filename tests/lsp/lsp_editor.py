"""An editor around a real server process: it shows texts, applies edits, opens files and keeps diagnostics."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.lsp.lsp_client import PATIENCE, LspProcess, Message, wait_until

CAPABILITIES: Message = {
    "general": {"positionEncodings": ["utf-32"]},
    "window": {"showDocument": {"support": True}},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "configuration": True},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {"relatedInformation": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    },
}
"""Of an editor that counts code points and watches no files."""


class Editor(LspProcess):
    """Counts code points, as `CAPABILITIES` say. The texts that it shows are in ``texts``, by URI."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.shown: list[str] = []
        """The URIs that the server had shown."""
        self.settings: dict[str, Any] = {}
        """By what is under ``lens``."""
        self.folders: tuple[Path, ...] = ()
        self._behave()

    def begin(self, *folders: Path, **options: Any) -> Message:
        """The handshake; its result."""
        self.folders = folders
        return super().begin(*folders, **options)

    def move(self, *folders: Path, settings: Message) -> None:
        """Close everything and work in other folders, under other settings, as if nothing had been said before."""
        for uri in self.texts:
            self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self._behave()
        self.result("lens/status")  # what was said about these comes before
        self.texts.clear()
        self.versions.clear()
        self.shown.clear()
        self.said.clear()
        before, self.folders, self.settings = self.folders, folders, settings
        names = [[{"uri": each.as_uri(), "name": each.name} for each in group] for group in (folders, before)]
        self.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": names[0], "removed": names[1]}})
        self.result("lens/clusters")  # waits for the settings

    def _behave(self) -> None:
        self.replies = {
            "window/showDocument": self._show,
            "workspace/applyEdit": self._apply,
            "workspace/configuration": lambda params: [self.settings for _ in params["items"]],
            "client/registerCapability": lambda params: None,
            "workspace/diagnostic/refresh": lambda params: None,
        }

    def show(self, path: Path, text: str | None = None) -> str:
        """Show a file, or other text in its place; its URI."""
        uri = path.as_uri()
        self.texts[uri] = path.read_bytes().decode() if text is None else text
        self.versions[uri] = self.versions.get(uri, 0) + 1
        self.open(uri, self.texts[uri], self.versions[uri])
        return uri

    def type(self, uri: str, old: str, new: str) -> None:
        """Replace some words of a shown text."""
        text = self.texts[uri]
        at = text.index(old)
        self.edit(uri, [{"range": {"start": place(text, at), "end": place(text, at + len(old))}, "newText": new}])

    def edit(self, uri: str, edits: list[Message]) -> None:
        """Apply text edits and tell the server."""
        for each in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]))[::-1]:
            text = self.texts[uri]
            start, end = offset(text, each["range"]["start"]), offset(text, each["range"]["end"])
            self.texts[uri] = text[:start] + each["newText"] + text[end:]
            self.versions[uri] += 1
            self.change(uri, self.versions[uri], {"range": each["range"], "text": each["newText"]})

    def at(self, uri: str, words: str, inside: int = 1) -> Message:
        """The params of a request about a place in a shown text."""
        text = self.texts[uri]
        at = text.index(words.replace("[^1]", first_mark(text))) + inside
        return {"textDocument": {"uri": uri}, "position": place(text, at)}

    def over(self, uri: str, words: str) -> Message:
        """The range of some words of a shown text."""
        at = self.texts[uri].index(words)
        return {"start": place(self.texts[uri], at), "end": place(self.texts[uri], at + len(words))}

    def actions(self, uri: str, where: Message, **context: Any) -> list[Message]:
        """The code actions of a range."""
        params = {"textDocument": {"uri": uri}, "range": where, "context": {"diagnostics": [], **context}}
        found: list[Message] = self.result("textDocument/codeAction", params)
        return found

    def run(self, command: Message) -> Any:
        """Run the command of a code action."""
        return self.result(
            "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
        )

    def diagnostics(self, uri: str) -> list[Message]:
        """What was published last for a text."""
        published = [each for each in self.notifications("textDocument/publishDiagnostics") if each["uri"] == uri]
        return published[-1]["diagnostics"] if published else []

    def codes(self, uri: str) -> list[str]:
        """The codes of `diagnostics`."""
        return [each["code"] for each in self.diagnostics(uri)]

    def messages(self) -> list[str]:
        """What the user was told."""
        return [each["message"] for each in self.notifications("window/showMessage")]

    def wait(self, condition: Any, seconds: float = PATIENCE) -> None:
        """Wait until something is so of what the server says and what the editor shows."""
        assert wait_until(condition, seconds), (self.messages(), self.errors[-800:])

    def _show(self, params: Message) -> Message:
        self.shown.append(params["uri"])
        return {"success": True}

    def _apply(self, params: Message) -> Message:
        for change in params["edit"]["documentChanges"]:
            document = change["textDocument"]
            if document["version"] != self.versions[document["uri"]]:
                return {"applied": False}
            self.edit(document["uri"], change["edits"])
        return {"applied": True}


def first_mark(text: str) -> str:
    """The mark of the first citation of an answer file; that of the first version where there is none."""
    found = re.search(r"\[\^q\w+\]", text)
    return "[^1]" if found is None else found[0]


def place(text: str, at: int) -> Message:
    """A position, in code points; lines end at ``\\n`` and ``\\r\\n``."""
    before = text[:at]
    return {"line": before.count("\n"), "character": at - (before.rfind("\n") + 1)}


def offset(text: str, position: Message) -> int:
    """The offset of a position."""
    start = 0
    for _ in range(position["line"]):
        start = text.index("\n", start) + 1
    return start + position["character"]


def under(text: str, where: Message) -> str:
    """The words of a range."""
    return text[offset(text, where["start"]) : offset(text, where["end"])]
