"""Clients of pytest-lsp with the capabilities that real editors were seen to send, and an editor's part of the work.

pytest-lsp looks at what the server sends: what a profile does not allow is a warning of it, and so an error.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from tests.lsp.lsp_client import PATIENCE, SERVE, environment

UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""By position encoding: how to cut a line, and bytes of one unit."""
PROFILES = ("visual_studio_code@v1.65.2", "neovim@v0.11.0", "emacs@v29.1", "visual_studio_code@v1.65.2 that pulls")


def profile(name: str) -> types.ClientCapabilities:
    """The capabilities of a profile. One "that pulls" asks for diagnostics, too, as its later versions do."""
    capture, _, pulls = name.partition(" that ")
    capabilities = client_capabilities(capture)
    if pulls:
        assert capabilities.text_document is not None
        assert capabilities.workspace is not None
        capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(related_document_support=True)
        capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    return capabilities


class Profiled:
    """An editor: the texts that it shows, and the client that talks for it."""

    def __init__(self, client: LanguageClient, capabilities: types.ClientCapabilities) -> None:
        self.client = client
        self.capabilities = capabilities
        self.server = types.ServerCapabilities()
        self.texts: dict[str, str] = {}
        self.watches = False
        """Whether the server had this editor watch the files."""
        client.feature(types.WORKSPACE_APPLY_EDIT)(lambda params: self._apply(params))  # pygls writes on the function
        client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: self._register(params))

    @property
    def encoding(self) -> str:
        return types.PositionEncodingKind(self.server.position_encoding).value

    @property
    def pulls(self) -> bool:
        return self.server.diagnostic_provider is not None

    def show(self, path: Path) -> str:
        """Show a file; its URI."""
        uri = path.as_uri()
        self.texts[uri] = path.read_text()
        item = types.TextDocumentItem(uri, "markdown", 1, self.texts[uri])
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def cut(self, text: str, where: types.Range) -> str:
        """The words of a range on one line, as the client counts."""
        assert where.start.line == where.end.line
        name, width = UNITS[self.encoding]
        line = text.split("\n")[where.start.line].encode(name)
        return line[where.start.character * width : where.end.character * width].decode(name)

    def place(self, uri: str, words: str, inside: int = 0) -> types.Position:
        """Where some words of a shown text stand, as the client counts."""
        name, width = UNITS[self.encoding]
        before = self.texts[uri][: self.texts[uri].index(words) + inside]
        line = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), len(line.encode(name)) // width)

    def over(self, uri: str, words: str) -> types.Range:
        """The range of some words of a shown text."""
        return types.Range(self.place(uri, words), self.place(uri, words, len(words)))

    def replace(self, uri: str, version: int, old: str, new: str) -> None:
        """Type over some words."""
        change = types.TextDocumentContentChangePartial(text=new, range=self.over(uri, old))
        self.texts[uri] = self.texts[uri].replace(old, new)
        document = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """What the editor shows for a text: pulled where that was agreed, else what was pushed."""
        if not self.pulls:
            return list(self.client.diagnostics.get(uri, ()))
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        report = await self.client.text_document_diagnostic_async(params)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    def _apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edit = params.edit
        changes = dict(edit.changes or {})
        for each in edit.document_changes or ():
            assert isinstance(each, types.TextDocumentEdit)
            changes[each.text_document.uri] = [e for e in each.edits if isinstance(e, types.TextEdit)]
        for uri, edits in changes.items():
            for each_edit in edits:
                at = self._offset(uri, each_edit.range.start)
                end = self._offset(uri, each_edit.range.end)
                self.texts[uri] = self.texts[uri][:at] + each_edit.new_text + self.texts[uri][end:]
        return types.ApplyWorkspaceEditResult(applied=True)

    def _offset(self, uri: str, position: types.Position) -> int:
        name, width = UNITS[self.encoding]
        lines = self.texts[uri].split("\n")
        before = lines[position.line].encode(name)[: position.character * width].decode(name)
        return sum(len(line) + 1 for line in lines[: position.line]) + len(before)

    def _register(self, params: types.RegistrationParams) -> None:
        self.watches |= any(each.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES for each in params.registrations)


@asynccontextmanager
async def profiled(name: str, folder: Path, home: Path) -> AsyncIterator[Profiled]:
    """An editor of a profile with a server of its own in a folder; the server has left with 0 afterwards."""
    home.mkdir()
    client = make_test_lsp_client()
    capabilities = profile(name)
    await client.start_io(*SERVE, env=environment(home))
    editor = Profiled(client, capabilities)
    folders = [types.WorkspaceFolder(uri=folder.as_uri(), name="notes")]
    params = types.InitializeParams(capabilities, root_uri=folder.as_uri(), workspace_folders=folders)
    process = client._server
    assert process is not None
    try:
        async with asyncio.timeout(2 * PATIENCE):
            editor.server = (await client.initialize_session(params)).capabilities
            yield editor
            await client.shutdown_session()
        assert process.returncode == 0
    finally:
        if process.returncode is None:  # else stopping the client waits for it for ever
            process.kill()
        await client.stop()


async def until(condition: Callable[[], bool]) -> None:
    """Let the client hear until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.01)
