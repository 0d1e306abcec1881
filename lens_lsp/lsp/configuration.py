"""The editor's settings: pulled where it lets itself be asked, taken where it sends them, and never believed.

What a setting may do is decided where settings are composed (`lens_lsp.app.settings`): here are only the two that
concern the editor's own side, and how the user hears of one that cannot be used.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.uris import uri_of

if TYPE_CHECKING:
    from lens_lsp.app.settings.sources import Notice
    from lens_lsp.lsp.server import LensServer

_SECTION = "lens"
_PULL_SECONDS = 5.0
_ANSWERS, _NOTES = "answersFolder", "diagnostics.notes"
_VARIABLE = "${workspaceFolder}"
_OF_THE_USER = ("model.", "extraRoots")
_LIMITS, _WORKSPACE = "budget.", "workspace."
_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """What concerns the editor's side. ``answers`` is a folder inside a workspace folder, None for the store's own."""

    answers: str | None = None
    notes: bool = False
    """Whether blocks inside notes get diagnostics; answer files always do."""


class Configuration:
    """Of one client. On the event loop only."""

    def __init__(self, ls: LensServer) -> None:
        self._ls = ls
        self.editor = EditorOptions()
        self._told: set[str] = set()

    def begin(self) -> None:
        """The client can be asked now."""
        sent = self._ls.session.options.get("settings")
        self._use(sent if isinstance(sent, Mapping) else None)
        if get_capability(self._ls.client_capabilities, "workspace.did_change_configuration.dynamic_registration"):
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
            self._ls.session.configuring = self._ls.spawn("configuration", self._pull())

    async def tell(self) -> None:
        """Tell the user, once, what cannot be used; in a project's file it is marked, too."""
        from lens_lsp.app.settings.sources import PROJECT_FILE

        settings = await self._ls.session.settings()
        for notice in settings.notices:
            self._ls.desk.once(notice.text)
        for folder in self._ls.session.folders:
            path = os.path.join(folder.real, PROJECT_FILE)
            self._mark(uri_of(os.path.join(folder.path, PROJECT_FILE)), path, settings.notices)

    @property
    def _pullable(self) -> bool:
        return bool(get_capability(self._ls.client_capabilities, "workspace.configuration", False))

    async def _register(self) -> None:
        registration = types.Registration(
            "lens-configuration",
            types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            types.DidChangeConfigurationRegistrationOptions(section=_SECTION),
        )
        try:
            await self._ls.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException:
            self._ls.desk.once("the editor does not tell of changed settings: restart the server after changing them")

    async def _pull(self) -> None:
        folders = self._ls.session.folders
        items = [types.ConfigurationItem(section=_SECTION)]
        items += [types.ConfigurationItem(scope_uri=folder.uri, section=_SECTION) for folder in folders]
        try:
            async with asyncio.timeout(_PULL_SECONDS):
                found = await self._ls.workspace_configuration_async(types.ConfigurationParams(items))
        except (JsonRpcException, TimeoutError):
            return
        finally:
            self._ls.session.configuring = None
        self._use(combined([each if isinstance(each, Mapping) else {} for each in found or ()]))

    def _use(self, client: Mapping[str, object] | None) -> None:
        session, desk = self._ls.session, self._ls.desk
        session.configure(client)
        self.editor, wrong = editor_options(client or {}, session.workspaces())
        for sentence in wrong:
            desk.once(sentence)
        self._ls.spawn("settings", self.tell())
        desk.checks.again()

    def _mark(self, uri: str, path: str, notices: Sequence[Notice]) -> None:
        """Mark what is wrong in a project's file; take the marks away when nothing is any more."""
        texts = [notice.text.removeprefix(path).lstrip(": ") for notice in notices if notice.text.startswith(path)]
        if not texts and uri not in self._told:
            return
        error = types.DiagnosticSeverity.Error
        items = [types.Diagnostic(_TOP, text, error, "lens.config", source=_SECTION) for text in texts]
        self._ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items))
        (self._told.add if texts else self._told.discard)(uri)


def combined(said: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """What several scopes of an editor's settings come to: what is left out adds up, and of everything else holds what
    the widest scope says.

    ``said`` begins with the widest scope. The others are folders, which a stranger may have made: they have no say in
    which model is asked and in what is searched beside them, and the lowest of their limits, which only lower, stands
    apart, with ``workspace.`` before its name.
    """
    from lens_lsp.app.settings.options import UserOptions
    from lens_lsp.app.settings.sources import flat

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


def editor_options(client: Mapping[str, object], workspaces: Sequence[str]) -> tuple[EditorOptions, list[str]]:
    """The options of the editor's own side, and what is wrong with them, a sentence each.

    Answers are only ever written inside a workspace folder: a cloned project may bring its own settings.
    """
    from lens_lsp.app.settings.options import UserOptions
    from lens_lsp.app.settings.sources import flat

    said = dict(flat(client, frozenset(UserOptions.names())))
    wrong = []
    notes = said.get(_NOTES)
    if not isinstance(notes, bool | None):
        wrong.append(f"the editor's settings: lens.{_NOTES} is not true or false; write lens.{_NOTES} = true")
        notes = False
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
    return EditorOptions(answers, bool(notes)), wrong
