"""The whole way, under the capabilities that Visual Studio Code, Neovim and Emacs were seen to send.

The captures are those of pytest-lsp 1.0.1: Neovim 0.11.0, Emacs 29.1 (eglot) and Visual Studio Code 1.65.2, which is of
2022 and asks for no diagnostics yet; the fourth profile is the same one that does.
"""

from __future__ import annotations

import asyncio
from ast import literal_eval
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import client_capabilities

from tests.lsp.conftest import LEASE
from tests.lsp.lsp_editor import first_mark
from tests.lsp.lsp_profiles import PROFILES, Profiled, profiled, until

QUESTION = "When does the lease of the workshop end?"
SOURCE = f"# Contract\n\n## Term\n\né漢😀 All have signed it. {LEASE}\n\n## Rent\n\nMonthly.\n"
NOTE = f"# 😀 Plans\n\n😀😀 before it\n\n?? {QUESTION}\n\n😀 The rest stays.\n"
Scene = Callable[[Callable[[Profiled], Awaitable[None]]], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "contract.md").write_text(SOURCE)
    (folder / "note.md").write_text(NOTE)
    return folder


@pytest.fixture(params=PROFILES)
def scene(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> Scene:
    """Play a scene in an editor of each profile."""

    def played(scene: Callable[[Profiled], Awaitable[None]]) -> None:
        async def run() -> None:
            async with profiled(request.param, folder, tmp_path / "home") as editor:
                await scene(editor)

        asyncio.run(run())

    return played


async def ask(editor: Profiled) -> tuple[Any, str]:
    """Ask by the request; the result, as pygls makes an object of it, and the URI of the answer, which is shown."""
    params = {"question": QUESTION, "workDoneToken": "asked"}
    editor.client.progress_reports["asked"] = []
    result = await editor.client.protocol.send_request_async("lens/ask", params)
    return result, editor.show(Path(result.answerUri.removeprefix("file://")))


def identified(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri)


def test_evidence_is_where_the_client_looks_for_it(scene: Scene, folder: Path) -> None:
    async def seen(editor: Profiled) -> None:
        client = editor.client
        result, uri = await ask(editor)
        mark = editor.place(uri, first_mark(editor.texts[uri]), 2)
        start, end = (types.Position(*each) for each in result.evidence[0].range)
        assert editor.cut(SOURCE, types.Range(start, end)) == result.evidence[0].quote
        definition = await client.text_document_definition_async(types.DefinitionParams(identified(uri), mark))
        heading = types.ReferenceParams(types.ReferenceContext(True), identified(uri), types.Position(0, 0))
        heading.position = editor.place(uri, "# When")
        references = await client.text_document_references_async(heading)
        for found in (definition, references):
            [location] = found
            assert location.uri == (folder / "contract.md").as_uri()
            assert editor.cut(SOURCE, location.range) == result.evidence[0].quote
        hover = await client.text_document_hover_async(types.HoverParams(identified(uri), mark))
        assert LEASE in hover.contents.value
        assert hover.contents.kind in editor.capabilities.text_document.hover.content_format
        assert editor.cut(editor.texts[uri], hover.range) == first_mark(editor.texts[uri])
        [link, *_] = await client.text_document_document_link_async(types.DocumentLinkParams(identified(uri)))
        assert editor.cut(editor.texts[uri], link.range) == first_mark(editor.texts[uri])
        links = editor.capabilities.text_document.document_link
        assert (link.tooltip is not None) == bool(links and links.tooltip_support)
        followed = await client.document_link_resolve_async(link)
        assert followed.target == f"{(folder / 'contract.md').as_uri()}#L5,{start.character + 1}-L5,{end.character + 1}"

    scene(seen)


def test_a_note_asks_and_keeps_what_stands_around(scene: Scene, folder: Path) -> None:
    async def asked(editor: Profiled) -> None:
        uri = editor.show(folder / "note.md")
        where = editor.over(uri, f"?? {QUESTION}")
        params = types.CodeActionParams(identified(uri), where, types.CodeActionContext([]))
        [action] = await editor.client.text_document_code_action_async(params)
        assert action.title == "Ask"
        told = literal_eval(action.command)  # lsprotocol 2025.0.0 takes an action that has a command for one
        command = types.ExecuteCommandParams(told["command"], told["arguments"])
        await editor.client.workspace_execute_command_async(command)
        await until(lambda: editor.texts[uri] != NOTE)
        above, below = f"?? {QUESTION}\n", "\n😀 The rest stays.\n"
        text = editor.texts[uri]
        assert text.startswith(NOTE.partition(above)[0] + above + "<!-- lens:begin")
        assert text.endswith(f"-->\n{below}")
        assert "30 June 2031" in text

    scene(asked)


def test_drift_shows_as_the_client_wants_to_hear_of_it(scene: Scene, folder: Path) -> None:
    async def drifts(editor: Profiled) -> None:
        _, uri = await ask(editor)
        assert await editor.diagnostics(uri) == []  # who pulls does so at once for what it opens
        source = editor.show(folder / "contract.md")

        async def codes() -> set[str]:
            return {str(each.code) for each in await editor.diagnostics(uri)}

        async def shows(*wanted: str) -> None:
            async with asyncio.timeout(30):
                while await codes() != set(wanted):
                    await asyncio.sleep(0.01)

        editor.replace(source, 2, "30 June", "31 June")
        await until(lambda: editor.client.diagnostic_refresh_count > 0 or not editor.pulls)
        await shows("lens.citation-drifted", "lens.answer-stale")
        [drifted] = [each for each in await editor.diagnostics(uri) if each.code == "lens.citation-drifted"]
        assert editor.cut(editor.texts[uri], drifted.range) == first_mark(editor.texts[uri])
        assert drifted.related_information is None  # a withdrawn quote stands nowhere
        editor.replace(source, 3, "31 June", "30 June")
        await shows()
        editor.replace(source, 4, "## Term", "😀\n\n## Term")
        await shows("lens.citation-moved")
        [moved] = await editor.diagnostics(uri)
        related = editor.capabilities.text_document.publish_diagnostics.related_information
        if related:
            [place] = moved.related_information
            assert editor.cut(editor.texts[source], place.location.range) == LEASE
        else:
            assert moved.related_information is None
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(identified(source)))
        await shows()
        await until(lambda: editor.watches == bool(watchable(editor)))
        (folder / "contract.md").unlink()
        if editor.watches:
            gone = types.FileEvent(source, types.FileChangeType.Deleted)
            editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([gone]))
        await shows("lens.citation-broken", "lens.answer-stale")
        assert (uri in editor.client.diagnostics) != editor.pulls
        assert editor.pulls or not editor.client.diagnostic_refresh_count

    scene(drifts)


def watchable(editor: Profiled) -> bool | None:
    return editor.capabilities.workspace.did_change_watched_files.dynamic_registration


def test_a_command_shows_the_answer_and_every_progress_ends(scene: Scene) -> None:
    async def shows(editor: Profiled) -> None:
        client = editor.client
        result, _ = await ask(editor)
        command = types.ExecuteCommandParams("lens.server.ask", [QUESTION])
        commanded = await client.workspace_execute_command_async(command)
        assert commanded["answerUri"] == result.answerUri
        shown = editor.capabilities.window.show_document
        if shown is not None and shown.support:
            await until(lambda: bool(client.shown_documents))
            assert [each.uri for each in client.shown_documents] == [result.answerUri]
            assert client.messages == []
        else:
            await until(lambda: bool(client.messages))
            assert Path(result.answerUri.removeprefix("file://")).name in client.messages[0].message
            assert client.shown_documents == []
        asked = client.progress_reports["asked"]
        assert isinstance(asked[0], types.WorkDoneProgressBegin)
        for reports in client.progress_reports.values():
            ends = [isinstance(each, types.WorkDoneProgressEnd) for each in reports]
            assert ends == [False] * (len(reports) - 1) + [True] * bool(reports)

    scene(shows)


@pytest.mark.parametrize(
    ("name", "version", "encoding"),
    [("visual_studio_code", "1.65.2", None), ("neovim", "0.11.0", "utf-8"), ("emacs", "29.1", "utf-32")],
)
def test_the_profiles_are_the_last_captures_there_are(
    name: str, version: str, encoding: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "pytest_lsp.client")
    capabilities = client_capabilities(name)
    assert caplog.records[-1].getMessage().endswith(f" v{version}")
    offered = () if capabilities.general is None else capabilities.general.position_encodings or ()
    assert next(iter(offered), None) == encoding
