"""Settings of the editor: pulled where it lets itself be asked, taken where it sends them, and never trusted.

What a setting may do is decided where settings are composed (`lens_lsp.app.settings`): here are only the two that
concern the editor's own side, and how the user hears of one that cannot be used.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.locations import TOP, uri_of
from lens_lsp.lsp.server_state import EditorOptions, ServerState

if TYPE_CHECKING:
    from lens_lsp.app.settings import Notice
    from lens_lsp.lsp.protocol import EditorConnection


_SECTION = "lens"
_PULL_SECONDS = 5.0
_ANSWERS, _NOTES = "answersFolder", "diagnostics.notes"
_BESIDE_NOTES = (".lens", "answers")
_VARIABLE = "${workspaceFolder}"
_OF_THE_USER = ("model.", "extraRoots")
_LIMITS, _WORKSPACE = "budget.", "workspace."


class Configuration:
    """Settings of one client; ``changed`` is called when they are others. On the event loop only."""

    def __init__(self, ls: EditorConnection, changed: Callable[[], object]) -> None:
        self._ls = ls
        self._changed = changed
        self._marked: set[str] = set()

    def begin(self) -> None:
        """The client can be asked now."""
        sent = self._ls.state.options.get("settings")
        self._use(sent if isinstance(sent, Mapping) else None)
        if self._ls.state.supports("workspace.did_change_configuration.dynamic_registration"):
            self._ls.spawn("registration", self._register())
        self.pull()

    def changed(self, settings: object) -> None:
        """The client says that its settings are others now, and perhaps which."""
        if self._pullable:
            self.pull()
        elif isinstance(settings, Mapping):
            section = settings.get(_SECTION, settings)
            self._use(section if isinstance(section, Mapping) else None)

    def pull(self) -> None:
        """Ask the client for its settings; whoever needs settings waits for the answer."""
        if self._pullable:
            self._ls.state.configuring = self._ls.spawn("configuration", self._pull())

    async def _tell(self) -> None:
        """Tell the user, once, what cannot be used; in a project's file it is marked, too."""
        from lens_lsp.app.configuration import PROJECT_FILE

        settings = await self._ls.state.settings()
        for notice in settings.notices:
            self._ls.state.warn_once(notice.text)
        for folder in self._ls.state.folders:
            path = os.path.join(folder.real, PROJECT_FILE)
            self._mark(uri_of(os.path.join(folder.path, PROJECT_FILE)), path, settings.notices)

    @property
    def _pullable(self) -> bool:
        return self._ls.state.supports("workspace.configuration")

    async def _register(self) -> None:
        options = types.DidChangeConfigurationRegistrationOptions(section=_SECTION)
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        if not await self._ls.register("lens-configuration", method, options):
            self._ls.state.warn_once(
                "the editor does not tell of changed settings: restart the server after changing them"
            )

    async def _pull(self) -> None:
        folders = self._ls.state.folders
        items = [types.ConfigurationItem(section=_SECTION)]
        items += [types.ConfigurationItem(scope_uri=folder.uri, section=_SECTION) for folder in folders]
        try:
            async with asyncio.timeout(_PULL_SECONDS):
                found = await self._ls.workspace_configuration_async(types.ConfigurationParams(items))
        except (JsonRpcException, TimeoutError):
            return
        finally:
            self._ls.state.configuring = None
        self._use(combined([each if isinstance(each, Mapping) else {} for each in found or ()]))

    def _use(self, client: Mapping[str, object] | None) -> None:
        state = self._ls.state
        state.configure(client)
        state.editor_options, wrong = editor_options(client or {}, state.workspaces)
        if state.editor_options.answers is None and not wrong and _opens_nothing(state):
            state.editor_options = replace(state.editor_options, answers=_beside_notes(state.workspaces))
        for sentence in wrong:
            state.warn_once(sentence)
        self._ls.spawn("settings", self._tell())
        self._changed()

    def _mark(self, uri: str, path: str, notices: Sequence[Notice]) -> None:
        """Mark what is wrong in a project's file; take the marks away when nothing is any more."""
        texts = [notice.text.removeprefix(path).lstrip(": ") for notice in notices if notice.text.startswith(path)]
        if not texts and uri not in self._marked:
            return
        error = types.DiagnosticSeverity.Error
        items = [types.Diagnostic(TOP, text, error, "lens.config", source=_SECTION) for text in texts]
        self._ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items))
        (self._marked.add if texts else self._marked.discard)(uri)


def combined(said: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """What several scopes of an editor's settings come to: what is left out adds up, and of everything else holds what
    the widest scope says.

    ``said`` begins with the widest scope. The others are folders, which a stranger may have made: they have no say in
    which model is asked and in what is searched beside them, and the lowest of their limits, which only lower, stands
    apart, with ``workspace.`` before its name.
    """
    from lens_lsp.app.configuration import flat
    from lens_lsp.app.option_models import UserOptions

    whole: dict[str, object] = {}
    for number, scope in enumerate(said):
        for name, value in flat(scope, frozenset(UserOptions.names())):
            if number and name.startswith(_LIMITS):
                name = _WORKSPACE + name
            before = whole.get(name)
            if value is None or (number and name.startswith(_OF_THE_USER)):
                continue
            if name == "exclude" and isinstance(before, list) and isinstance(value, list):
                whole[name] = list(dict.fromkeys([*map(str, before), *map(str, value)]))
            elif (
                name.startswith(_WORKSPACE + _LIMITS)
                and isinstance(before, int | float)
                and isinstance(value, int | float)
            ):
                whole[name] = min(before, value)
            else:
                whole.setdefault(name, value)
    return whole


def _opens_nothing(state: ServerState) -> bool:
    """Whether the client shows texts, but no file that a server names."""
    return state.supports("text_document.synchronization") and not state.supports("window.show_document.support")


def _beside_notes(workspaces: Sequence[str]) -> str | None:
    """Where answers are kept for an editor that opens no file for a server: where its user can open them."""
    return os.path.join(workspaces[0], *_BESIDE_NOTES) if workspaces else None


def editor_options(client: Mapping[str, object], workspaces: Sequence[str]) -> tuple[EditorOptions, list[str]]:
    """The options of the editor's own side, and what is wrong with them, a sentence each.

    Answers are only ever written inside a workspace folder: a cloned project may bring its own settings.
    """
    from lens_lsp.app.configuration import flat
    from lens_lsp.app.option_models import UserOptions

    said = dict(flat(client, frozenset(UserOptions.names())))
    wrong = []
    notes = said.get(_NOTES)
    if not isinstance(notes, bool | None):
        wrong.append(f"the editor's settings: lens.{_NOTES} is not true or false; write lens.{_NOTES} = false")
        notes = True
    answers = None
    written = said.get(_ANSWERS)
    if isinstance(written, str) and written.strip() and workspaces:
        name = written.strip().replace(_VARIABLE, workspaces[0])
        path = os.path.realpath(os.path.join(workspaces[0], os.path.expanduser(name)))
        answers = path if any(inside(path, folder) for folder in workspaces) else None
    if written not in (None, "") and answers is None:
        wrong.append(
            f"the editor's settings: lens.{_ANSWERS} is no folder inside the workspace;"
            f' write lens.{_ANSWERS} = "answers"'
        )
    return EditorOptions(answers, notes is not False), wrong
