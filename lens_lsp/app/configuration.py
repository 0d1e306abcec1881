"""Settings of a question: read from everybody who has a say, and put in force; and changes of the user's own file.

Precedence, lowest first: defaults, the user's file, the project's ``.lens.toml``, the environment, the client. The
user's own limits of time and tokens may be above the defaults: those of the command line, else of the environment,
else of the user's file. An editor's lower them, or stand alone; everybody else's only lower. Exclusions only add up.
No project can name an endpoint, a key, a program or a place.

A file is never followed through a link inside a project, never waited for, and never shown: what is told names the
key, not its value, which could be a secret in the wrong place. A change of the user's file leaves what else stands in
it, comments among it, as it is. Every function waits for the disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from lens_lsp.app.settings import AUTO, LANGUAGES, SHIPPED, CommandLine, ModelSettings, Notice, Settings, SettingSource
from lens_lsp.corpus.corpus_rules import CorpusRules, ProjectRules
from lens_lsp.corpus.extraction import PASSWORDS, DocumentOptions, use_for_documents
from lens_lsp.corpus.safe_open import Root, Skipped, read_head_at
from lens_lsp.disk import is_object_url, is_ssh_url, real
from lens_lsp.judge.ledger import Limits
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import LensError, PathNotFound, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable_path

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from lens_lsp.app.option_models import ClientOptions, ProjectOptions, SenderOptions, SharedOptions, UserOptions
    from lens_lsp.app.settings import Request
    from lens_lsp.corpus.corpus_rules import CorpusRules


PROJECT_FILE = ".lens.toml"
MOST_BYTES = 64 << 10
"""A file of settings that is larger is none."""
_DEEPEST = 3
_MOST_NAMED = 5
_LONGEST_NAME = 60
O = TypeVar("O", bound="SenderOptions")  # noqa: E741
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
HERE = "."
"""What is searched where no path is given."""
_MARKS = (PROJECT_FILE, ".git")


class UnreadableSettings(Exception):
    """A file of settings is there and cannot be used; the message says why."""


def user_file(environment: Mapping[str, str]) -> str:
    """Where the user's file is: ``LENS_CONFIG``, else ``config.toml`` in the folder for configuration."""
    named = environment.get("LENS_CONFIG")
    if named:
        return os.path.abspath(named)
    from platformdirs import user_config_path

    return str(user_config_path("lens-lsp") / "config.toml")


def read_user_file(path: str, *, named: bool) -> dict[str, object] | None:
    """What the user's file says; None without one. ``named``: it was asked for by name.

    Raises `UnreadableSettings`.
    """
    if path == os.devnull:
        return None
    if not os.path.lexists(path):
        if named:
            raise UnreadableSettings("does not exist; correct LENS_CONFIG")
        return None
    return _parsed(*os.path.split(os.path.realpath(path)))


def read_project_file(folder: str) -> dict[str, object] | None:
    """What a project's file says; None without one.

    Raises `UnreadableSettings`, also for a link: it could lead anywhere.
    """
    return _parsed(folder, PROJECT_FILE) if os.path.lexists(os.path.join(folder, PROJECT_FILE)) else None


def taken(kind: type[O], sent: Mapping[str, object], where: str, notices: list[Notice]) -> O:
    """The options that a sender's words make; what is wrong with them is added to ``notices``."""
    from lens_lsp.app.option_models import LIMITING, UserOptions

    names = frozenset(kind.names())
    said = {name: value for name, value in flat(sent, names.union(UserOptions.names())) if value is not None}
    notices += _unknown(kind, [name for name in said if name not in names], where)
    options, wrong = kind.lenient({name: value for name, value in said.items() if name in names})
    for name, why in wrong.items():
        told = kind.told(name)
        problem = f"{name} cannot be used: {why}" if why else f"{name} is not {told['wanted']}"
        notices.append(Notice(f"{where}: {problem}; write {name} = {told['example']}", name in LIMITING))
    return options


def flat(sent: Mapping[str, object], known: frozenset[str], above: str = "") -> Iterator[tuple[str, object]]:
    """Keys with dots instead of tables; an editor's prefix is taken off."""
    for part, value in sent.items():
        name = (above + str(part)).removeprefix("lens.")
        if isinstance(value, Mapping) and name not in known and name.count(".") < _DEEPEST:
            yield from flat(value, known, name + ".")
        else:
            yield name, value


def _unknown(kind: type[SenderOptions], names: Sequence[str], where: str) -> Iterator[Notice]:
    """One notice for all keys that mean nothing here."""
    from lens_lsp.app.option_models import EDITOR_ONLY, LIMITING, UserOptions

    told, limiting = [], False
    for name in names:
        if name in EDITOR_ONLY:
            continue
        if name in UserOptions.names():
            told.append(f"{name} (only the user's own file says that)")
            continue
        shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
        near = _nearest(name, kind.names())
        limiting = limiting or near in LIMITING
        told.append(f"{shown} (did you mean {near}?)" if near else shown)
    if told:
        more = f" and {len(told) - _MOST_NAMED} more" if len(told) > _MOST_NAMED else ""
        yield Notice(f"{where}: ignored what has no meaning here: {', '.join(told[:_MOST_NAMED])}{more}", limiting)


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The known key that an unknown one resembles, written whole or without its table."""
    from difflib import get_close_matches

    forms = {_plain(form): key for key in known for form in (key.rpartition(".")[2], key)}
    near = get_close_matches(_plain(name), forms, n=1, cutoff=0.75) or get_close_matches(
        _plain(name.rpartition(".")[2]), forms, n=1, cutoff=0.75
    )
    return forms[near[0]] if near else None


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


def _parsed(folder: str, name: str) -> dict[str, object]:
    import tomllib

    try:
        with Root(folder) as root:
            data = read_head_at(root.handle, name, MOST_BYTES + 1)
    except Skipped as skip:
        raise UnreadableSettings(
            f"cannot be used ({skip.reason.value}); make it a plain file that can be read"
        ) from skip
    except LensError as error:
        raise UnreadableSettings("cannot be read") from error
    if len(data) > MOST_BYTES:
        raise UnreadableSettings(f"is larger than {MOST_BYTES >> 10} KiB")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UnreadableSettings("is not UTF-8; save it as that") from None
    except (ValueError, RecursionError) as error:
        line = re.search(r"\(at line (\d+)", str(error))
        raise UnreadableSettings(f"is not TOML{f' (line {line[1]})' if line else ''}; correct it") from None


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
    senders = _Senders()
    senders.read_user(environment)
    senders.read_environment(environment)
    for folder in workspaces:
        senders.read_project(folder)
    if client:
        senders.read_editor(client)
    return senders.settings(environment, command)


@dataclass(slots=True)
class _Senders:
    """What each sender said, and who it was that is right in the end."""

    user: UserOptions | None = None
    projects: list[tuple[str, ProjectOptions]] = field(default_factory=list)
    variables: UserOptions | None = None
    editor: ClientOptions | None = None
    workspace: SharedOptions | None = None
    """What an editor's settings say that belong to a workspace."""
    notices: list[Notice] = field(default_factory=list)
    sources: dict[str, SettingSource] = field(default_factory=dict)

    def read_user(self, environment: Mapping[str, str]) -> None:
        path = user_file(environment)
        sent = self._read_file(path, partial(read_user_file, path, named=bool(environment.get("LENS_CONFIG"))))
        if sent:
            from lens_lsp.app.option_models import UserOptions

            self.user = taken(UserOptions, sent, path, self.notices)

    def read_project(self, folder: str) -> None:
        if is_object_url(folder):
            return
        path = os.path.join(folder, PROJECT_FILE)
        sent = self._read_file(path, partial(read_project_file, folder))
        if sent:
            from lens_lsp.app.option_models import ProjectOptions

            self.projects.append((folder, taken(ProjectOptions, sent, path, self.notices)))

    def _read_file(self, path: str, read: Callable[[], dict[str, object] | None]) -> dict[str, object] | None:
        try:
            return read()
        except UnreadableSettings as error:
            self.notices.append(Notice(f"{path} {error}; until then nothing in it counts", limiting=True))
            return None

    def read_environment(self, environment: Mapping[str, str]) -> None:
        said = {name: environment[name] for name in _VARIABLES if environment.get(name)}
        if not said:
            return
        from lens_lsp.app.option_models import LIMITING, UserOptions

        sent = {_VARIABLES[name]: _number(text) for name, text in said.items()}
        self.variables, wrong = UserOptions.lenient(sent)
        for name in said:
            if _VARIABLES[name] in wrong:
                told = UserOptions.told(_VARIABLES[name])
                text = f"{name} is not {told['wanted']}; write {name}={told['example']}"
                self.notices.append(Notice(text, _VARIABLES[name] in LIMITING))

    def read_editor(self, client: Mapping[str, object]) -> None:
        from lens_lsp.app.option_models import ClientOptions, SharedOptions, UserOptions

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
            call_seconds=self._highest("model.callSeconds", "call_seconds", command.call_seconds),
            daily_tokens=self._highest("budget.dailyTokens", "daily_tokens"),
            reader=self._highest("reader", "reader") or SHIPPED,
            rules=self._rules(command),
            extra_roots=self._extra_roots(),
            memory=None if cache is None else cache << 20,
            documents=self._documents(environment, command),
            cluster=self._highest("cluster.scheduler", "cluster"),
            sources=self.sources,
            notices=tuple(self.notices),
        )

    def _highest(self, key: str, name: str, typed: object = None) -> Any:
        """What was typed, else what the editor says, else the environment, else the user's file."""
        for source, value in (
            (SettingSource.COMMAND_LINE, typed),
            (SettingSource.EDITOR, getattr(self.editor, name, None)),
            (SettingSource.ENVIRONMENT, getattr(self.variables, name, None)),
            (SettingSource.USER_FILE, getattr(self.user, name, None)),
        ):
            if value is not None:
                self.sources[key] = source
                return value
        return None

    def _mode(self, command: CommandLine) -> str:
        """What was typed; else what the user's file says, which an editor's settings can only lower."""
        own = AUTO if self.user is None else self.user.mode or AUTO
        editor = AUTO if self.editor is None else self.editor.mode or AUTO
        said = [(own, SettingSource.USER_FILE), (editor, SettingSource.EDITOR)]
        mode, source = min(said, key=lambda each: _LOWEST_FIRST.index(each[0]))
        if command.mode is not None:
            mode, source = command.mode, SettingSource.COMMAND_LINE
        if mode != AUTO or source is SettingSource.COMMAND_LINE:
            self.sources["mode"] = source
        return mode

    def _model(self, environment: Mapping[str, str]) -> ModelSettings:
        before = ModelSettings()
        own = _with_options(before, self.user)
        context = None if self.variables is None else self.variables.context_tokens
        here = own.of_environment(environment, context, None if self.user is None else self.user.key_origin)
        model = _with_options(here, self.editor)
        for source, now in (
            (SettingSource.USER_FILE, own),
            (SettingSource.ENVIRONMENT, here),
            (SettingSource.EDITOR, model),
        ):
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
            (SettingSource.COMMAND_LINE, command.limits),
            (SettingSource.ENVIRONMENT, self.variables),
            (SettingSource.USER_FILE, self.user),
        ]
        lowering: list[tuple[SettingSource, object]] = [
            (SettingSource.EDITOR, self.editor),
            (SettingSource.PROJECT, self.workspace),
        ]
        lowering += [(SettingSource.PROJECT, options) for _, options in self.projects]
        chosen, own = {}, set()
        for limit in fields(Limits):
            name = limit.name
            said = _said(name, owners)[:1] + _said(name, lowering)
            if said:
                chosen[name], self.sources[f"budget.{name}"] = min(said, key=lambda each: each[0])
            if any(source is not SettingSource.PROJECT for _, source in said):
                own.add(name)
        return Limits(**chosen), frozenset(own)

    def _rules(self, command: CommandLine) -> CorpusRules:
        typed = False if command.no_ignore else None
        respected = self._highest("respectIgnoreFiles", "respect_ignore_files", typed)
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

    def _documents(self, environment: Mapping[str, str], command: CommandLine) -> DocumentOptions:
        """What the user says; only of OCR an editor's settings and the command line have a word for it."""
        before = self._highest("documents.cacheExtractions", "cache_extractions")
        if before is not None:
            self.notices.append(Notice("documents.cacheExtractions is called documents.store now"))
        stored = self._highest("documents.store", "store_documents")
        stored = before if stored is None else stored
        own: list[str] = self._highest("documents.passwords", "passwords") or []
        passwords = tuple(dict.fromkeys(filter(None, [*environment.get(PASSWORDS, "").splitlines(), *own])))
        return DocumentOptions(stored is not False, self._highest("documents.ocr", "ocr", command.ocr), passwords)

    def _extra_roots(self) -> tuple[str, ...]:
        """The folders that are there; the others are told of."""
        folders: list[str] = self._highest("extraRoots", "extra_roots") or []
        missing = [folder for folder in folders if not os.path.isdir(folder)]
        self.notices += [Notice(f"extraRoots: {folder} is no folder and is left out") for folder in missing]
        return tuple(folder for folder in folders if folder not in missing)


def _said(name: str, senders: Sequence[tuple[SettingSource, object]]) -> list[tuple[Any, SettingSource]]:
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
    return tuple((options and options.exclude) or ())


def workspace_of(path: str) -> str:
    """The nearest folder at or above ``path`` that holds ``.lens.toml`` or ``.git``, else the folder itself; a real
    path. Raises `PathNotFound`."""
    if is_object_url(path):
        return real(path)
    if not os.path.exists(path):
        raise PathNotFound(f"{printable_path(path)} does not exist; give an existing folder or file")
    folder = folder_of(path)
    for candidate in (Path(folder), *Path(folder).parents):
        if any(os.path.lexists(candidate / mark) for mark in _MARKS):
            return str(candidate)
    return folder


def workspaces_of(paths: Sequence[str]) -> tuple[str, ...]:
    """The workspaces of those of some paths that exist, each once. Raises `PathNotFound` where none of them does."""
    found = [path for path in paths if is_object_url(path) or os.path.exists(path)]
    if len(paths) > 1 and not found:
        named = ", ".join(map(printable_path, paths))
        raise PathNotFound(f"none of these paths exists: {named}; give an existing folder or file")
    return tuple(dict.fromkeys(map(workspace_of, found or paths)))


def folder_of(path: str) -> str:
    """The real path of a folder, or of the folder that a file lies in."""
    found = real(path)
    return found if is_object_url(path) or os.path.isdir(found) else os.path.dirname(found)


def read_settings(
    paths: Sequence[str],
    environment: Mapping[str, str],
    *,
    options: CommandLine = CommandLine(),
    client: Mapping[str, object] | None = None,
    projects: bool = True,
) -> Settings:
    """What holds for the workspaces of some paths; nothing is put in force. ``client`` is what an editor sent;
    ``projects`` says whether the workspaces' own files of settings count.

    A path that does not exist has no say. Raises `PathNotFound` where none exists.
    """
    return settings_of(workspaces_of(paths) if projects else (), environment, command=options, client=client)


def load_settings(
    paths: Sequence[str],
    environment: Mapping[str, str],
    *,
    options: CommandLine = CommandLine(),
    client: Mapping[str, object] | None = None,
    projects: bool = True,
) -> Settings:
    """The same, with how documents are read in force in this process; what of that cannot be is among the notices."""
    settings = read_settings(paths, environment, options=options, client=client, projects=projects)
    if not settings.documents.stored and any(map(is_object_url, paths)):
        from lens_lsp.corpus.object_store import use_cache  # nobody else needs it

        use_cache(0)
    problem = use_for_documents(settings.documents, (*paths, *settings.extra_roots))
    return settings if problem is None else replace(settings, notices=(*settings.notices, Notice(problem)))


def searched(
    request: Request, settings: Settings, here: Sequence[str] = (HERE,)
) -> tuple[tuple[str, ...], CorpusRules]:
    """The paths that a request is asked of, and what of them is looked at. ``here`` is what is searched, with what the
    user always searches beside it, where the request names no path."""
    rules = replace(settings.rules, scopes=request.globs) if request.globs else settings.rules
    return request.paths or (*here, *settings.extra_roots), rules


def allow_machines(request: Request, rules: CorpusRules) -> None:
    """Let the folders of other machines be connected to that a request typed on the command line names. Raises
    `PathRefused`."""
    if any(map(is_ssh_url, request.paths)):
        from lens_lsp import __version__
        from lens_lsp.corpus.ssh import allow  # nobody else needs it

        allow(request.paths, __version__, rules, no_ignore=request.options.no_ignore)


def written_settings(environment: Mapping[str, str]) -> dict[str, object]:
    """What the user's file says, by the names of the keys; what has no meaning there is left out,
    and passwords.

    Raises `UsageError` for a file that cannot be used.
    """
    from lens_lsp.app.option_models import UserOptions

    path = user_file(environment)
    try:
        sent = read_user_file(path, named=False) or {}
    except UnreadableSettings as why:
        raise UsageError(f"{path} {why}") from None
    names = frozenset(UserOptions.names()) - {"documents.passwords"}
    return {name: value for name, value in flat(sent, names) if name in names}


def change_settings(environment: Mapping[str, str], changes: Mapping[str, object]) -> None:
    """Set keys of the user's file, or take those away that are None. Raises `UsageError` for what cannot be meant and
    for a file that cannot be changed, and OSError."""
    import tomllib

    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    from lens_lsp.memory.userdata import change_userdata

    _check(changes)
    path = user_file(environment)
    if path == os.devnull:
        raise UsageError("LENS_CONFIG says that there is no file of settings; name one there")

    def changed(data: bytes | None) -> bytes:
        try:
            text = (data or b"").decode("utf-8-sig")
            document = tomlkit.parse(text)
            for name, value in changes.items():
                _set(document, name, value)
            new = tomlkit.dumps(document)
            _compare(text, new, changes)
        except (UnicodeDecodeError, TOMLKitError, tomllib.TOMLDecodeError, TypeError, KeyError) as error:
            raise UsageError(f"{path} cannot be changed here ({type(error).__name__}): change it by hand") from error
        return new.encode("utf-8")

    target = os.path.realpath(path)  # where a link leads: the user's own files may lie elsewhere
    if os.path.islink(path) and not os.path.isfile(target):
        raise UsageError(f"{path} is a link that leads to no file: make that file, or remove the link")
    change_userdata(Path(target), changed)


def _check(changes: Mapping[str, object]) -> None:
    """Raise `UsageError` for the first key that there is not, or that does not take its value."""
    from lens_lsp.app.option_models import UserOptions

    names = UserOptions.names()
    if unknown := changes.keys() - set(names):
        raise UsageError(f"there is no setting {', '.join(sorted(unknown))}")
    _, wrong = UserOptions.lenient({name: value for name, value in changes.items() if value is not None})
    for name, why in wrong.items():
        told = UserOptions.told(name)
        raise UsageError(f"{name} cannot be used: {why}" if why else f"{name} is not {told['wanted']}")


def _set(document: TOMLDocument, name: str, value: object) -> None:
    """Change a key where it stands, however it is written there; else put it into its table."""
    import tomlkit

    found = list(_found(cast("MutableMapping[str, Any]", document), name))
    for table, key in found[1:] if value is not None else found:
        del table[key]
    if value is None:
        return
    if found:
        table, key = found[0]
        table[key] = value
        return
    *above, key = name.split(".")
    table = cast("MutableMapping[str, Any]", document)
    for part in above:
        if part not in table:
            table[part] = tomlkit.table()
        table = table[part]
    table[key] = value


def _found(table: MutableMapping[str, Any], name: str, above: str = "") -> list[tuple[MutableMapping[str, Any], str]]:
    """Every place that says a key: with dots, in tables, with an editor's prefix."""
    found: list[tuple[MutableMapping[str, Any], str]] = []
    for part, value in table.items():
        here = (above + part).removeprefix("lens.")
        if here == name:
            found.append((table, part))
        elif isinstance(value, MutableMapping) and (here == "lens" or name.startswith(here + ".")):
            found += _found(value, name, here + ".")
    return found


def _compare(old: str, new: str, changes: Mapping[str, object]) -> None:
    """Raise KeyError unless the new text says what the old one did, but for the changes."""
    import tomllib

    from lens_lsp.app.option_models import UserOptions

    if len(new.encode("utf-8")) > MOST_BYTES:
        raise UsageError(f"the file of settings would be larger than {MOST_BYTES >> 10} KiB")
    names = frozenset(UserOptions.names())
    wanted = dict(flat(tomllib.loads(old), names)) | dict(changes)
    if dict(flat(tomllib.loads(new), names)) != {name: value for name, value in wanted.items() if value is not None}:
        raise KeyError("another meaning")


def _with_options(model: ModelSettings, options: ClientOptions | None) -> ModelSettings:
    """The model with what a sender of options, if there is one, says of it."""
    if options is None:
        return model
    named = model.named(options.base_url, options.name)
    prices = None if options.prices is None else (options.prices.tokens_in, options.prices.tokens_out)
    return replace(named, context_tokens=options.context_tokens or named.context_tokens, prices=prices or named.prices)
