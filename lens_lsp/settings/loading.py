"""What everybody says becomes settings: the user's file, projects, environment, editor, command line.

Limits only go down: the command line may replace the user's own, projects and an editor's settings lower what is left.
Exclusions only add up. No project can name an endpoint, a key, a program or a place.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any

from lens_lsp.corpus.extraction import DocumentOptions
from lens_lsp.corpus.rules import CorpusRules, ProjectRules
from lens_lsp.domain.answer import Mode
from lens_lsp.domain.records import dataclass
from lens_lsp.oracle.ledger import Limits
from lens_lsp.settings.languages import LANGUAGES
from lens_lsp.settings.model import ModelSettings
from lens_lsp.settings.settings import AUTO, CommandLine, Settings, Source
from lens_lsp.settings.sources import (
    PROJECT_FILE,
    Notice,
    Unreadable,
    read_project_file,
    read_user_file,
    taken,
    user_file,
)

if TYPE_CHECKING:
    from lens_lsp.settings.options import ClientOptions, ProjectOptions, SharedOptions, UserOptions

_LOWEST_FIRST = (Mode.EVIDENCE.value, Mode.FAST.value, Mode.DEEP.value, AUTO)
"""Modes by what they may call; `AUTO` is what somebody says who does not mind."""
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
    editor: ClientOptions | None = None
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
            from lens_lsp.settings.options import UserOptions

            self.user = taken(UserOptions, sent, path, self.notices)

    def hear_project(self, folder: str) -> None:
        path = os.path.join(folder, PROJECT_FILE)
        try:
            sent = read_project_file(folder)
        except Unreadable as error:
            self.notices.append(Notice(f"{path} {error}; until then nothing in it counts", limiting=True))
            return
        if sent:
            from lens_lsp.settings.options import ProjectOptions

            self.projects.append((folder, taken(ProjectOptions, sent, path, self.notices)))

    def hear_editor(self, client: Mapping[str, object]) -> None:
        from lens_lsp.settings.options import ClientOptions

        self.editor = taken(ClientOptions, client, "the editor's settings", self.notices)

    def settings(self, environment: Mapping[str, str], command: CommandLine) -> Settings:
        """What it comes to."""
        cache: int | None = self._highest("cacheMegabytes", "cache_megabytes")
        return Settings(
            mode=self._mode(command),
            model=self._model(environment),
            limits=self._limits(command),
            daily_tokens=self._highest("budget.dailyTokens", "daily_tokens"),
            rules=self._rules(command),
            extra_roots=self._extra_roots(),
            memory=None if cache is None else cache << 20,
            documents=self._documents(command),
            sources=self.sources,
            notices=tuple(self.notices),
        )

    def _highest(self, key: str, name: str) -> Any:
        """What the editor says, else the user's file."""
        for source, options in ((Source.EDITOR, self.editor), (Source.USER_FILE, self.user)):
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
        here = own.of_environment(environment, None if self.user is None else self.user.key_origin)
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

    def _limits(self, command: CommandLine) -> Limits:
        lowering: list[tuple[Source, object]] = [(Source.PROJECT, options) for _, options in self.projects]
        lowering.append((Source.EDITOR, self.editor))
        chosen = {}
        for limit in fields(Limits):
            key, name = f"budget.{limit.name}", limit.name
            typed = getattr(command.limits, name)
            own = getattr(self.user, name, None)
            said = [(Source.USER_FILE, own)] if typed is None else [(Source.COMMAND_LINE, typed)]
            said += [(source, getattr(options, name, None)) for source, options in lowering]
            known = [(value, source) for source, value in said if value is not None]
            if known:
                chosen[name], self.sources[key] = min(known, key=lambda each: each[0])
        return Limits(**chosen)

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


def _patterns(options: SharedOptions | None) -> tuple[str, ...]:
    return () if options is None else tuple(options.exclude or ())
