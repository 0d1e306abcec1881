"""What everybody says becomes settings: the user's file, projects, environment, editor, command line.

The user's own limits of time and tokens may be above the defaults: those of the command line, else of the environment,
else of the user's file. An editor's lower them, or stand alone; everybody else's only lower. Exclusions only add up. No
project can name an endpoint, a key, a program or a place.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from lens_lsp.app.settings.languages import LANGUAGES
from lens_lsp.app.settings.model import ModelSettings
from lens_lsp.app.settings.settings import AUTO, SHIPPED, CommandLine, Settings, Source
from lens_lsp.app.settings.sources import (
    PROJECT_FILE,
    Notice,
    Unreadable,
    flat,
    read_project_file,
    read_user_file,
    taken,
    user_file,
)
from lens_lsp.corpus.corpus_rules import CorpusRules, ProjectRules
from lens_lsp.corpus.extraction import DocumentOptions
from lens_lsp.judge.ledger import Limits
from lens_lsp.model.answer import Mode

if TYPE_CHECKING:
    from lens_lsp.app.settings.options import ClientOptions, ProjectOptions, SharedOptions, UserOptions

_LOWEST_FIRST = (Mode.EVIDENCE.value, Mode.FAST.value, Mode.DEEP.value, AUTO)
"""Modes by what they may call; `AUTO` is what somebody says who does not mind."""
_VARIABLES = {
    "LENS_CONTEXT_TOKENS": "model.contextTokens",
    "LENS_CALL_SECONDS": "model.callSeconds",
    "LENS_BUDGET_SECONDS": "budget.seconds",
    "LENS_READER": "reader",
}
"""Variables that say what a key of the user's file says, with the key."""
_WORKSPACE = "workspace."
"""Before the names of an editor's settings that a workspace says."""
_MODEL_KEYS = {
    "base_url": "model.baseUrl",
    "name": "model.name",
    "context_tokens": "model.contextTokens",
    "prices": "model.prices",
}


def settings_of(
    workspaces: Sequence[str],
    environment: Mapping[str, str],
    *,
    command: CommandLine = CommandLine(),
    client: Mapping[str, object] | None = None,
) -> Settings:
    """What holds for some workspaces.

    ``workspaces`` are real paths of the folders whose ``.lens.toml`` counts. ``client`` is what an editor sent: its own
    names of settings, nested or with dots, with or without ``lens.``; None is not said. Nothing is raised for what
    cannot be used: it keeps its default, and the settings' ``notices`` tell of it.
    """
    heard = _Heard()
    heard.hear_user(environment)
    heard.hear_environment(environment)
    for folder in workspaces:
        heard.hear_project(folder)
    if client:
        heard.hear_editor(client)
    return heard.settings(environment, command)


@dataclass(slots=True)
class _Heard:
    """What each sender said, and who it was that is right in the end."""

    user: UserOptions | None = None
    projects: list[tuple[str, ProjectOptions]] = field(default_factory=list)
    variables: UserOptions | None = None
    editor: ClientOptions | None = None
    workspace: SharedOptions | None = None
    """What an editor's settings say that belong to a workspace."""
    notices: list[Notice] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)

    def hear_user(self, environment: Mapping[str, str]) -> None:
        path = user_file(environment)
        try:
            sent = read_user_file(path, named=bool(environment.get("LENS_CONFIG")))
        except Unreadable as error:
            self.notices.append(Notice(f"{path} {error}; until then nothing in it counts", limiting=True))
            return
        if sent:
            from lens_lsp.app.settings.options import UserOptions

            self.user = taken(UserOptions, sent, path, self.notices)

    def hear_environment(self, environment: Mapping[str, str]) -> None:
        said = {name: environment[name] for name in _VARIABLES if environment.get(name)}
        if not said:
            return
        from lens_lsp.app.settings.options import LIMITING, UserOptions

        sent = {_VARIABLES[name]: _number(text) for name, text in said.items()}
        self.variables, wrong = UserOptions.lenient(sent)
        for name in said:
            if _VARIABLES[name] in wrong:
                told = UserOptions.told(_VARIABLES[name])
                text = f"{name} is not {told['wanted']}; write {name}={told['example']}"
                self.notices.append(Notice(text, _VARIABLES[name] in LIMITING))

    def hear_project(self, folder: str) -> None:
        path = os.path.join(folder, PROJECT_FILE)
        try:
            sent = read_project_file(folder)
        except Unreadable as error:
            self.notices.append(Notice(f"{path} {error}; until then nothing in it counts", limiting=True))
            return
        if sent:
            from lens_lsp.app.settings.options import ProjectOptions

            self.projects.append((folder, taken(ProjectOptions, sent, path, self.notices)))

    def hear_editor(self, client: Mapping[str, object]) -> None:
        from lens_lsp.app.settings.options import ClientOptions, SharedOptions, UserOptions

        said = dict(flat(client, frozenset(UserOptions.names())))
        workspace = {name: said.pop(name) for name in [*said] if name.startswith(_WORKSPACE)}
        self.editor = taken(ClientOptions, said, "the editor's settings", self.notices)
        if workspace:
            scoped = {name.removeprefix(_WORKSPACE): value for name, value in workspace.items()}
            self.workspace = taken(SharedOptions, scoped, "the editor's settings of a workspace", self.notices)

    def settings(self, environment: Mapping[str, str], command: CommandLine) -> Settings:
        """What it comes to."""
        cache: int | None = self._highest("cacheMegabytes", "cache_megabytes")
        limits, own = self._limits(command)
        return Settings(
            mode=self._mode(command),
            model=self._model(environment),
            limits=limits,
            own=own,
            call_seconds=self._call_seconds(command),
            daily_tokens=self._highest("budget.dailyTokens", "daily_tokens"),
            reader=self._highest("reader", "reader") or SHIPPED,
            rules=self._rules(command),
            extra_roots=self._extra_roots(),
            memory=None if cache is None else cache << 20,
            documents=self._documents(command),
            sources=self.sources,
            notices=tuple(self.notices),
        )

    def _highest(self, key: str, name: str) -> Any:
        """What the editor says, else the environment, else the user's file."""
        for source, options in (
            (Source.EDITOR, self.editor),
            (Source.ENVIRONMENT, self.variables),
            (Source.USER_FILE, self.user),
        ):
            value = getattr(options, name, None)
            if value is not None:
                self.sources[key] = source
                return value
        return None

    def _mode(self, command: CommandLine) -> str:
        """What was typed; else what the user's file says, which an editor's settings can only lower."""
        own = AUTO if self.user is None else self.user.mode or AUTO
        editor = AUTO if self.editor is None else self.editor.mode or AUTO
        said = [(own, Source.USER_FILE), (editor, Source.EDITOR)]
        mode, source = min(said, key=lambda each: _LOWEST_FIRST.index(each[0]))
        if command.mode is not None:
            mode, source = command.mode, Source.COMMAND_LINE
        if mode != AUTO or source is Source.COMMAND_LINE:
            self.sources["mode"] = source
        return mode

    def _model(self, environment: Mapping[str, str]) -> ModelSettings:
        own = ModelSettings() if self.user is None else ModelSettings().told(self.user)
        context = None if self.variables is None else self.variables.context_tokens
        here = own.of_environment(environment, context, None if self.user is None else self.user.key_origin)
        model = here if self.editor is None else here.told(self.editor)
        before = ModelSettings()
        for source, now in ((Source.USER_FILE, own), (Source.ENVIRONMENT, here), (Source.EDITOR, model)):
            for name, key in _MODEL_KEYS.items():
                if getattr(now, name) is None:
                    self.sources.pop(key, None)
                elif getattr(now, name) != getattr(before, name):
                    self.sources[key] = source
            before = now
        return model

    def _limits(self, command: CommandLine) -> tuple[Limits, frozenset[str]]:
        """The lowest limits that anybody names, and which of them the user names, too."""
        owners = [
            (Source.COMMAND_LINE, command.limits),
            (Source.ENVIRONMENT, self.variables),
            (Source.USER_FILE, self.user),
        ]
        lowering: list[tuple[Source, object]] = [(Source.EDITOR, self.editor), (Source.PROJECT, self.workspace)]
        lowering += [(Source.PROJECT, options) for _, options in self.projects]
        chosen, own = {}, set()
        for limit in fields(Limits):
            name = limit.name
            said = _said(name, owners)[:1] + _said(name, lowering)
            if said:
                chosen[name], self.sources[f"budget.{name}"] = min(said, key=lambda each: each[0])
            if any(source is not Source.PROJECT for _, source in said):
                own.add(name)
        return Limits(**chosen), frozenset(own)

    def _call_seconds(self, command: CommandLine) -> float | None:
        if command.call_seconds is not None:
            self.sources["model.callSeconds"] = Source.COMMAND_LINE
            return command.call_seconds
        seconds: float | None = self._highest("model.callSeconds", "call_seconds")
        return seconds

    def _rules(self, command: CommandLine) -> CorpusRules:
        respected = self._highest("respectIgnoreFiles", "respect_ignore_files")
        if command.no_ignore:
            respected, self.sources["respectIgnoreFiles"] = False, Source.COMMAND_LINE
        rules = CorpusRules(
            respect_ignore_files=respected is not False,
            exclude=(*_patterns(self.user), *_patterns(self.editor)),
            scopes=command.scopes,
            projects=tuple(
                ProjectRules(folder, _patterns(options), tuple(options.scopes or ()))
                for folder, options in self.projects
                if options.exclude or options.scopes
            ),
        )
        languages = [options.language for _, options in self.projects if options.language]
        return replace(rules, fallback_encoding=LANGUAGES[languages[0]]) if languages else rules

    def _documents(self, command: CommandLine) -> DocumentOptions:
        """What the user's own file and the command line say; nobody else has a word for it."""
        cached = self._highest("documents.cacheExtractions", "cache_extractions") is True
        if command.cache_extractions:
            cached, self.sources["documents.cacheExtractions"] = True, Source.COMMAND_LINE
        return DocumentOptions(cached, self._highest("documents.ocr", "ocr"))

    def _extra_roots(self) -> tuple[str, ...]:
        """The folders that are there; the others are told of."""
        folders: list[str] = self._highest("extraRoots", "extra_roots") or []
        missing = [folder for folder in folders if not os.path.isdir(folder)]
        self.notices += [Notice(f"extraRoots: {folder} is no folder and is left out") for folder in missing]
        return tuple(folder for folder in folders if folder not in missing)


def _said(name: str, senders: Sequence[tuple[Source, object]]) -> list[tuple[Any, Source]]:
    """What senders say of a limit, those that say nothing left out."""
    said = [(getattr(options, name, None), source) for source, options in senders]
    return [(value, source) for value, source in said if value is not None]


def _number(text: str) -> object:
    """The number that a variable holds; its text where it holds none."""
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text


def _patterns(options: SharedOptions | None) -> tuple[str, ...]:
    return () if options is None else tuple(options.exclude or ())
