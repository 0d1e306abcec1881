"""Settings from files, projects, environment, editor and command line: which holds, and what is refused or written."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.app.configuration import MOST_BYTES, change_settings, settings_of, written_settings
from lens_lsp.app.option_models import EDITOR_ONLY, LIMITING, ClientOptions, ProjectOptions, SenderOptions, UserOptions
from lens_lsp.app.settings import CommandLine, Settings, SettingSource
from lens_lsp.corpus.corpus_rules import CorpusRules, ProjectRules
from lens_lsp.judge.ledger import Budget, Limits
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import UsageError
from tests.app.conftest import Told

LOCAL = "http://localhost:11434/v1"
MODEL = '[model]\nbaseUrl = "https://models.example/v1"\nname = "large"\n'


def test_without_anything_the_defaults_hold(told: Told) -> None:
    settings = told()
    assert settings == Settings()
    assert settings.choose_judge() == (Mode.EVIDENCE, None)
    assert settings.rules == CorpusRules()


def test_everything_in_the_users_file_is_used(told: Told, tmp_path: Path) -> None:
    settings = told(
        f"""
        mode = "deep"
        exclude = ["drafts/"]
        extraRoots = ["{tmp_path}"]
        respectIgnoreFiles = false
        cacheMegabytes = 64
        [model]
        baseUrl = "{LOCAL}"
        name = "small"
        contextTokens = 8192
        prices = {{ in = 0.15, out = 1 }}
        [budget]
        calls = 3
        tokens = 40_000
        seconds = 30
        cost = 0.5
        dailyTokens = 1_000_000
        """
    )
    assert settings.notices == ()
    assert settings.limits == Limits(3, 40_000, 30.0, 0.5)
    assert settings.daily_tokens == 1_000_000
    assert settings.rules == CorpusRules(respect_ignore_files=False, exclude=("drafts/",))
    assert settings.extra_roots == (str(tmp_path),)
    assert settings.memory == 64 << 20
    mode, model = settings.choose_judge()
    assert mode is Mode.DEEP
    assert model is not None
    assert (model.base_url, model.name, model.context_tokens, model.prices) == (LOCAL, "small", 8192, (0.15, 1.0))
    assert model.chat().context_tokens == 8192
    assert set(settings.sources.values()) == {SettingSource.USER_FILE}


def test_everything_in_the_projects_file_is_used(told: Told, tmp_path: Path) -> None:
    settings = told(
        project="""
        exclude = ["drafts/"]
        scopes = ["docs/"]
        language = "JA"
        [budget]
        calls = 2
        """
    )
    assert settings.notices == ()
    assert settings.limits == Limits(calls=2)
    assert settings.rules == CorpusRules(
        fallback_encoding="cp932", projects=(ProjectRules(str(tmp_path / "project"), ("drafts/",), ("docs/",)),)
    )


def test_the_environment_wins_over_the_users_file_and_the_editor_over_both(told: Told) -> None:
    environment = {"LENS_BASE_URL": LOCAL, "LENS_MODEL": "small"}
    assert told(MODEL).model.base_url == "https://models.example/v1"
    named = told(MODEL, environment=environment)
    assert (named.model.base_url, named.model.name) == (LOCAL, "small")
    assert named.source("model.name") is SettingSource.ENVIRONMENT
    edited = told(MODEL, environment=environment, client={"lens.model.name": "other"})
    assert (edited.model.base_url, edited.model.name) == (LOCAL, "other")
    assert edited.source("model.name") is SettingSource.EDITOR


@pytest.mark.parametrize(
    "client",
    [
        {"model": {"baseUrl": LOCAL, "name": "small"}, "budget": {"calls": 2}, "trace": {"server": "off"}},
        {"lens": {"model": {"baseUrl": LOCAL, "name": "small"}, "budget": {"calls": 2}, "path": "/bin/lens"}},
        {"lens.model.baseUrl": LOCAL, "lens.model.name": "small", "lens.budget.calls": 2, "lens.decorations": True},
        {"model.baseUrl": LOCAL, "model": {"name": "small"}, "budget.calls": 2, "mode": None, "exclude": None},
    ],
)
def test_an_editor_may_write_its_settings_as_it_likes(told: Told, client: dict[str, object]) -> None:
    settings = told(client=client)
    assert settings.notices == ()
    assert (settings.model.base_url, settings.model.name, settings.limits.calls) == (LOCAL, "small", 2)


amounts = st.none() | st.integers(0, 20)


def _toml(calls: int | None) -> str:
    return "" if calls is None else f"budget.calls = {calls}\n"


@given(amounts, amounts, amounts, amounts)
def test_a_limit_is_never_above_what_a_project_or_an_editor_allows(
    tmp_path_factory: pytest.TempPathFactory,
    user: int | None,
    project: int | None,
    editor: int | None,
    typed: int | None,
) -> None:
    folder = tmp_path_factory.mktemp("limits")
    (folder / "config.toml").write_text(_toml(user))
    (folder / ".lens.toml").write_text(_toml(project))
    settings = settings_of(
        (str(folder),),
        {"LENS_CONFIG": str(folder / "config.toml")},
        command=CommandLine(limits=Limits(calls=typed)),
        client=None if editor is None else {"budget.calls": editor},
    )
    own = user if typed is None else typed
    known = [each for each in (own, project, editor) if each is not None]
    assert settings.limits.calls == (min(known) if known else None)
    assert settings.limits.lowered(Budget.of(Mode.DEEP)).calls <= Budget.of(Mode.DEEP).calls


def test_what_is_typed_replaces_the_users_own_limit_and_mode(told: Told) -> None:
    typed = CommandLine(mode="auto", limits=Limits(tokens=9_000), no_ignore=True, scopes=("a/",))
    settings = told('mode = "evidence"\nrespectIgnoreFiles = true\n[budget]\ntokens = 5\n', command=typed)
    assert (settings.mode, settings.limits.tokens) == ("auto", 9_000)
    assert not settings.rules.respect_ignore_files
    assert settings.rules.scopes == ("a/",)
    assert settings.source("budget.tokens") is SettingSource.COMMAND_LINE


@pytest.mark.parametrize(
    ("user", "editor", "mode"),
    [
        (None, "deep", "deep"),
        ("auto", "deep", "deep"),
        ("fast", "deep", "fast"),
        ("deep", "fast", "fast"),
        ("evidence", "deep", "evidence"),
        ("deep", "auto", "deep"),
        (None, None, "auto"),
    ],
)
def test_an_editors_mode_only_lowers_the_users(told: Told, user: str | None, editor: str | None, mode: str) -> None:
    assert told(f'mode = "{user}"' if user else "", client={"mode": editor, "model.name": "any"}).mode == mode


def test_exclusions_add_up_and_none_brings_back(told: Told) -> None:
    settings = told('exclude = ["a"]', 'exclude = ["b"]', client={"exclude": ["c"]})
    assert settings.rules.exclude == ("a", "c")
    assert [project.exclude for project in settings.rules.projects] == [("b",)]
    for sender in ({"user": 'exclude = ["!a"]'}, {"project": 'exclude = ["!a"]'}, {"client": {"exclude": ["!a"]}}):
        refused = told(**sender)
        assert [notice.limiting for notice in refused.notices] == [True]
        assert refused.rules.exclude == ()
        assert not any(project.exclude for project in refused.rules.projects)


def test_each_workspace_has_its_own_project_and_the_lowest_limit_holds(tmp_path: Path) -> None:
    for name, calls in (("a", 3), ("b", 1)):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".lens.toml").write_text(f'exclude = ["{name}"]\nbudget.calls = {calls}\n')
    settings = settings_of((str(tmp_path / "a"), str(tmp_path / "b")), {"LENS_CONFIG": os.devnull})
    assert settings.limits.calls == 1
    assert [project.exclude for project in settings.rules.projects] == [("a",), ("b",)]


def test_a_mode_without_its_model_says_what_is_missing_and_who_asked_for_it(told: Told) -> None:
    with pytest.raises(UsageError, match=r"^mode deep \(user file\) needs a model: set LENS_BASE_URL and LENS_MODEL"):
        told('mode = "deep"').choose_judge()
    with pytest.raises(UsageError, match=r"^--mode fast needs a model: set LENS_BASE_URL; --mode evidence"):
        told(environment={"LENS_MODEL": "any"}, command=CommandLine(mode="fast")).choose_judge()
    with pytest.raises(
        UsageError, match=r"^mode deep \(editor\) needs a model: set model\.baseUrl there; mode evidence"
    ):
        told(client={"mode": "deep", "model": {"name": "any"}}).choose_judge()


def test_a_limit_of_cost_needs_prices(told: Told) -> None:
    with pytest.raises(UsageError, match=r"^--max-cost needs the prices"):
        told(command=CommandLine(limits=Limits(cost=1.0))).require_prices(calling=False)
    limited = told(MODEL + "[budget]\ncost = 1\n")
    limited.require_prices(calling=False)
    with pytest.raises(UsageError, match=r"^budget\.cost \(user file\) needs the prices"):
        limited.require_prices(calling=True)
    told(MODEL + "prices = {in = 1, out = 1}\n[budget]\ncost = 1\n").require_prices(calling=True)


def test_an_extra_root_that_is_gone_is_left_out_and_told(told: Told, tmp_path: Path) -> None:
    settings = told(f'extraRoots = ["{tmp_path}", "{tmp_path}/gone"]')
    assert settings.extra_roots == (str(tmp_path),)
    assert "gone is no folder" in settings.notices[0].text


def test_the_reader_is_the_users_alone_and_the_environment_wins(told: Told, tmp_path: Path) -> None:
    assert told().reader == "shipped"
    assert told('reader = "off"\n').reader == "off"
    named = told('reader = "off"\n', environment={"LENS_READER": str(tmp_path)})
    assert (named.reader, named.source("reader")) == (str(tmp_path), SettingSource.ENVIRONMENT)
    assert told('reader = "~/reader"\n').reader == os.path.expanduser("~/reader")
    for elsewhere in (
        told(project=f'reader = "{tmp_path}"\n'),
        told(client={"lens.reader": str(tmp_path)}),
        told(client={"lens.workspace.reader": str(tmp_path)}),
    ):
        assert elsewhere.reader == "shipped"
        assert len(elsewhere.notices) == 1
    assert not hasattr(CommandLine(), "reader")


def test_a_reader_beside_the_workspace_is_named_in_full(told: Told) -> None:
    settings = told(environment={"LENS_READER": "model"})
    assert settings.reader == "shipped"
    (notice,) = settings.notices
    assert notice.text == 'LENS_READER is not shipped, off or a folder; write LENS_READER="off"'


def test_ocr_is_one_switch_of_the_users_file_the_editor_and_the_command_line(told: Told) -> None:
    assert told('documents.ocr = "off"').documents.ocr == "off"
    assert told('documents.ocr = "off"', client={"documents.ocr": "on"}).documents.ocr == "on"
    typed = CommandLine(ocr="off")
    assert told('documents.ocr = "on"', client={"documents.ocr": "on"}, command=typed).documents.ocr == "off"


posix = pytest.mark.skipif(os.name != "posix", reason="needs pipes and links")
KINDS: list[type[SenderOptions]] = [UserOptions, ProjectOptions, ClientOptions]
WRONG = {
    "mode": '"slow"',
    "exclude": '"drafts/"',
    "budget.calls": "-1",
    "budget.tokens": '"many"',
    "budget.seconds": "0",
    "budget.cost": "nan",
    "budget.dailyTokens": "1.5",
    "model.baseUrl": '"ftp://user:canary@host"',
    "model.name": '["canary"]',
    "model.contextTokens": "100",
    "model.callSeconds": "-1",
    "model.prices": "{ in = 1 }",
    "model.keyOrigin": '"nowhere"',
    "extraRoots": '["relative/canary"]',
    "respectIgnoreFiles": '"yes"',
    "cacheMegabytes": "true",
    "documents.cacheExtractions": '"canary"',
    "documents.store": '"canary"',
    "documents.ocr": '"eng; canary"',
    "documents.passwords": '"canary"',
    "reader": '"canary/model"',
    "cluster.scheduler": '"http://canary"',
}


@pytest.mark.parametrize("key", UserOptions.names())
def test_one_bad_value_keeps_its_default_and_is_told_once(told: Told, tmp_path: Path, key: str) -> None:
    settings = told(f"{key} = {WRONG[key]}\n" + ("" if key == "cacheMegabytes" else "cacheMegabytes = 7\n"))
    (notice,) = settings.notices
    assert notice.text.startswith(f"{tmp_path / 'config.toml'}: {key} ")
    assert f"; write {key} = {UserOptions.told(key)['example']}" in notice.text
    assert "canary" not in notice.text
    assert notice.limiting == (key in LIMITING)
    assert settings.memory == (None if key == "cacheMegabytes" else 7 << 20), "the others hold"
    assert key not in settings.sources


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_a_notice_says_to_write_is_taken(kind: type[SenderOptions]) -> None:
    import tomllib

    for name in kind.names():
        value = tomllib.loads(f"x = {kind.told(name)['example']}")["x"]
        options, wrong = kind.lenient({name: value})
        assert wrong == {}
        assert [field for field in options.model_fields_set if getattr(options, field) is None] == []


def test_a_project_has_no_word_for_endpoint_key_program_or_place() -> None:
    said = set(ProjectOptions.names())
    assert said == {
        "exclude", "scopes", "language", "budget.calls", "budget.tokens", "budget.seconds", "budget.cost"
    }  # fmt: skip
    assert not said & EDITOR_ONLY


@pytest.mark.parametrize("key", sorted({*UserOptions.names()} - {*ProjectOptions.names()}))
def test_what_only_the_user_may_say_is_ignored_in_a_project(told: Told, key: str) -> None:
    settings = told(project=f"{key} = {UserOptions.told(key)['example']}\n")
    (notice,) = settings.notices
    assert f"{key} (only the user's own file says that)" in notice.text
    assert settings == Settings(notices=settings.notices)


def test_unknown_keys_are_one_notice_with_the_nearest_known_name(told: Told, tmp_path: Path) -> None:
    text = 'base_url = "x"\nresspectIgnoreFiles = true\nzzz = 1\n[budgets]\ncalls = 1\n[model]\nbaseURL = "y"\n'
    (notice,) = told(text).notices
    for part in (
        "base_url (did you mean model.baseUrl?)",
        "resspectIgnoreFiles (did you mean respectIgnoreFiles?)",
        "zzz,",
        "budgets.calls (did you mean budget.calls?)",
        "model.baseURL (did you mean model.baseUrl?)",
    ):
        assert part in notice.text
    assert notice.limiting, "budget.calls was meant"
    (harmless,) = told("zzz = 1\n" + "".join(f"key{number} = 1\n" for number in range(20))).notices
    assert not harmless.limiting
    assert "and 16 more" in harmless.text


def test_keys_of_an_editor_mean_nothing_elsewhere_and_are_no_mistake(told: Told) -> None:
    assert told("".join(f"{key} = 1\n" for key in sorted(EDITOR_ONLY))) == Settings()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'mode = "fast"\nexclude = drafts\n', "is not TOML (line 2); correct it"),
        (b"a = [" + b"[" * 5_000, "is not TOML"),
        (b"a = " + b"9" * 10_000, "is not TOML"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"# " + b"x" * MOST_BYTES, "is larger than 64 KiB"),
    ],
)
@pytest.mark.parametrize("sender", ["user", "project"])
def test_a_file_that_cannot_be_read_counts_for_nothing_and_nothing_leaves(
    told: Told, sender: str, text: bytes, why: str
) -> None:
    settings = told(**{sender: text})
    (notice,) = settings.notices
    assert why in notice.text
    assert settings == Settings(notices=settings.notices)
    with pytest.raises(UsageError, match=r"^nothing was sent to https://models\.invalid, since a limit may be missing"):
        settings.require_sound("https://models.invalid")


def test_a_byte_order_mark_is_no_mistake(told: Told) -> None:
    assert told(b'\xef\xbb\xbfmode = "deep"').mode == "deep"


def test_a_table_in_tables_is_an_unknown_key(told: Told) -> None:
    (notice,) = told("a" + ".a" * 9_000 + " = 1").notices
    assert len(notice.text) < 600


def test_a_named_file_that_is_missing_is_told_and_an_unnamed_one_is_not(tmp_path: Path) -> None:
    (notice,) = settings_of((), {"LENS_CONFIG": str(tmp_path / "gone.toml")}).notices
    assert "gone.toml does not exist; correct LENS_CONFIG" in notice.text
    assert settings_of((), {"LENS_CONFIG": os.devnull}).notices == ()


@posix
def test_a_pipe_is_not_waited_for_and_a_projects_link_not_followed(told: Told, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.toml")
    environment = {"LENS_CONFIG": str(tmp_path / "config.toml")}
    assert "irregular" in settings_of((), environment).notices[0].text
    (tmp_path / "elsewhere.toml").write_text("budget.calls = 1")
    workspace = tmp_path / "linked"
    workspace.mkdir()
    (workspace / ".lens.toml").symlink_to(tmp_path / "elsewhere.toml")
    settings = settings_of((str(workspace),), {"LENS_CONFIG": os.devnull})
    assert settings.limits.calls is None
    assert "(link)" in settings.notices[0].text


@posix
def test_the_users_own_file_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("budget.calls = 1")
    (tmp_path / "config.toml").symlink_to(tmp_path / "dotfiles.toml")
    assert settings_of((), {"LENS_CONFIG": str(tmp_path / "config.toml")}).limits.calls == 1


names = st.sampled_from([*UserOptions.names(), *ProjectOptions.names(), "model", "budget", "lens", "x"]) | st.text()
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(names, values, max_size=6))
def test_whatever_an_editor_sends_gives_settings(client: dict[str, object]) -> None:
    settings = settings_of((), {"LENS_CONFIG": os.devnull}, client=client)
    assert settings.mode in ("auto", "evidence", "fast", "deep")
    assert settings.limits.calls is None or settings.limits.calls >= 0
    assert not any(pattern.startswith("!") for pattern in settings.rules.exclude)


def test_without_anything_to_read_pydantic_is_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from lens_lsp.app.configuration import settings_of;"
        f" said = settings_of(({str(tmp_path)!r},), {{'LENS_BASE_URL': 'http://localhost:1', 'LENS_MODEL': 'any'}});"
        " said.choose_judge();"
        " sys.exit(any(name in sys.modules for name in ('pydantic', 'tomllib', 'openai', 'numpy')))"
    )
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


MINE = """\
# at the top

mode = "fast"   # quick
exclude = [
  "drafts/",  # not yet
]

[model]  # the big one
# where it is
baseUrl = "https://models.example/v1"
prices = { in = 0.15, out = 0.6 }

[budget]
calls = 4
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lens" / "config.toml"


def changed(file: Path, text: str, **changes: object) -> str:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    change_settings({"LENS_CONFIG": str(file)}, {name.replace("_", "."): value for name, value in changes.items()})
    return file.read_text(encoding="utf-8")


def test_a_value_is_replaced_where_it_stands(file: Path) -> None:
    text = changed(file, MINE, mode="deep", model_baseUrl="https://other.example/v1", budget_calls=5)
    expected = MINE.replace('"fast"', '"deep"').replace("models.example", "other.example").replace("= 4", "= 5")
    assert text == expected


def test_a_new_one_joins_its_table(file: Path) -> None:
    text = changed(file, MINE, model_name="large", budget_seconds=60.5, cacheMegabytes=512)
    assert [line for line in text.splitlines() if line not in MINE.splitlines()] == [
        "cacheMegabytes = 512",
        'name = "large"',
        "seconds = 60.5",
    ]
    assert all(line in text.splitlines() for line in MINE.splitlines())


def test_one_that_is_taken_away_takes_nothing_along(file: Path) -> None:
    text = changed(file, MINE, mode=None, budget_calls=None, model_name=None)
    assert tomllib.loads(text).keys() == {"exclude", "model", "budget"}
    assert "# not yet" in text
    assert "# where it is" in text


@pytest.mark.parametrize(
    "text",
    [
        'model.baseUrl = "https://a.example"\nmodel.name = "x"\n',
        '[model]\nbaseUrl = "https://a.example"\nname = "x"\n',
        '[lens.model]\nbaseUrl = "https://a.example"\nname = "x"\n',
        '"model.baseUrl" = "https://a.example"\n"lens.model.name" = "x"\n',
        'model = { baseUrl = "https://a.example", name = "x" }\n',
        '"lens.model.name" = "old"\n[model]\nname = "x"\nbaseUrl = "https://a.example"\n',
        '\ufeff[model]\r\nbaseUrl = "https://a.example"\r\nname = "x"\r\n',
        "",
    ],
)
def test_however_it_is_written_the_change_holds(file: Path, text: str) -> None:
    changed(file, text, model_name="new", budget_tokens=7)
    now = written_settings({"LENS_CONFIG": str(file)})
    kept = {"model.baseUrl": "https://a.example"} if text else {}
    assert now == {**kept, "model.name": "new", "budget.tokens": 7}
    changed(file, file.read_text(encoding="utf-8"), model_name=None, budget_tokens=None)
    assert written_settings({"LENS_CONFIG": str(file)}) == kept


def test_a_file_that_is_not_there_is_made_for_its_owner_alone(file: Path) -> None:
    change_settings({"LENS_CONFIG": str(file)}, {"mode": "evidence"})
    assert file.read_text() == 'mode = "evidence"\n'
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_link_is_kept_and_the_file_behind_it_changed(file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "lens.toml").write_text("# mine\n")
    file.symlink_to(tmp_path / "dotfiles" / "lens.toml")
    change_settings({"LENS_CONFIG": str(file)}, {"mode": "deep"})
    assert file.is_symlink()
    assert (tmp_path / "dotfiles" / "lens.toml").read_text() == '# mine\nmode = "deep"\n'


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", "all"),
        ("model.baseUrl", "http://models.example"),
        ("model.baseUrl", "https://user:word@models.example"),
        ("budget.calls", -1),
        ("budget.calls", "4"),
        ("budget.seconds", float("nan")),
        ("model.key", "sk-1"),
        ("scopes", ["docs/"]),
        ("exclude", ["!all"]),
    ],
)
def test_what_cannot_be_meant_changes_nothing(file: Path, name: str, value: object) -> None:
    file.parent.mkdir()
    file.write_text(MINE)
    with pytest.raises(UsageError) as refused:
        change_settings({"LENS_CONFIG": str(file)}, {"mode": "deep", name: value})
    assert name in str(refused.value)
    assert "sk-1" not in str(refused.value)
    assert file.read_text() == MINE


@pytest.mark.parametrize("text", [b"mode = ", b"\xff", b"mode = 1\nmode = 2\n", b"model = 1\n"])
def test_a_file_that_is_not_understood_is_left_alone(file: Path, text: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(text)
    with pytest.raises(UsageError):
        change_settings({"LENS_CONFIG": str(file)}, {"model.name": "x"})
    assert file.read_bytes() == text


def test_no_file_is_no_file() -> None:
    with pytest.raises(UsageError):
        change_settings({"LENS_CONFIG": os.devnull}, {"mode": "deep"})
    assert written_settings({"LENS_CONFIG": os.devnull}) == {}
