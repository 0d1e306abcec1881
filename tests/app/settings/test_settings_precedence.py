"""Who is right when several say something: limits go down, exclusions add up, the rest goes to the highest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.app.settings.loading import settings_of
from lens_lsp.app.settings.settings import CommandLine, Settings, Source
from lens_lsp.corpus.corpus_rules import CorpusRules, ProjectRules
from lens_lsp.judge.ledger import Budget, Limits
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import UsageError
from tests.app.settings.conftest import Told

LOCAL = "http://localhost:11434/v1"
MODEL = '[model]\nbaseUrl = "https://models.example/v1"\nname = "large"\n'


def test_without_anything_the_defaults_hold(told: Told) -> None:
    settings = told()
    assert settings == Settings()
    assert settings.seat() == (Mode.EVIDENCE, None)
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
    mode, model = settings.seat()
    assert mode is Mode.DEEP
    assert model is not None
    assert (model.base_url, model.name, model.context_tokens, model.prices) == (LOCAL, "small", 8192, (0.15, 1.0))
    assert model.chat().context_tokens == 8192
    assert set(settings.sources.values()) == {Source.USER_FILE}


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
    assert named.source("model.name") is Source.ENVIRONMENT
    edited = told(MODEL, environment=environment, client={"lens.model.name": "other"})
    assert (edited.model.base_url, edited.model.name) == (LOCAL, "other")
    assert edited.source("model.name") is Source.EDITOR


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
    assert settings.source("budget.tokens") is Source.COMMAND_LINE


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
        told('mode = "deep"').seat()
    with pytest.raises(UsageError, match=r"^--mode fast needs a model: set LENS_BASE_URL; --mode evidence"):
        told(environment={"LENS_MODEL": "any"}, command=CommandLine(mode="fast")).seat()
    with pytest.raises(
        UsageError, match=r"^mode deep \(editor\) needs a model: set model\.baseUrl there; mode evidence"
    ):
        told(client={"mode": "deep", "model": {"name": "any"}}).seat()


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
    assert (named.reader, named.source("reader")) == (str(tmp_path), Source.ENVIRONMENT)
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
