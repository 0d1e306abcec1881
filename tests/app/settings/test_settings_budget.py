"""The budget that settings come to: the user raises time and tokens, everybody else only lowers, and an answer says
whose limit it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.app.settings.advice import advice_on
from lens_lsp.app.settings.loading import settings_of
from lens_lsp.app.settings.settings import CommandLine, Settings, Source
from lens_lsp.judge.ledger import MODEL_SECONDS, Budget, Limits
from lens_lsp.judge.llm.chat_model import CALL_SECONDS
from lens_lsp.model.answer import Mode, StopReason
from tests.app.settings.conftest import Told

DEFAULT = Budget.of(Mode.DEEP)


def budget_of(settings: Settings) -> Budget:
    assert settings.notices == ()
    return settings.budget(DEFAULT)


@pytest.mark.parametrize(
    "said",
    [
        {"user": "[budget]\nseconds = 3600\ntokens = 500_000\n[model]\ncallSeconds = 1800\n"},
        {"client": {"budget": {"seconds": 3600, "tokens": 500_000}, "model.callSeconds": 1800}},
        {"command": CommandLine(limits=Limits(tokens=500_000, seconds=3600.0), call_seconds=1800.0)},
    ],
    ids=["file", "editor", "command line"],
)
def test_the_user_raises_time_and_tokens(told: Told, said: dict[str, object]) -> None:
    budget = budget_of(told(**said))
    assert (budget.seconds, budget.tokens, budget.call_seconds) == (3600, 500_000, 1800)
    assert (budget.calls, budget.rounds) == (DEFAULT.calls, DEFAULT.rounds)


def test_variables_raise_the_time_and_win_over_the_file(told: Told) -> None:
    variables = {"LENS_BUDGET_SECONDS": "3600", "LENS_CALL_SECONDS": "1800.5"}
    settings = told("[budget]\nseconds = 30\n[model]\ncallSeconds = 10\n", environment=variables)
    budget = budget_of(settings)
    assert (budget.seconds, budget.call_seconds) == (3600, 1800.5)
    assert settings.source("budget.seconds") is settings.source("model.callSeconds") is Source.ENVIRONMENT


def test_without_a_word_the_defaults_hold(told: Told) -> None:
    assert budget_of(told()) == DEFAULT
    assert (DEFAULT.seconds, DEFAULT.call_seconds) == (MODEL_SECONDS, CALL_SECONDS)


def test_calls_are_never_raised(told: Told) -> None:
    assert budget_of(told("[budget]\ncalls = 99\n")).calls == DEFAULT.calls


@pytest.mark.parametrize("where", ["project", "workspace of an editor"])
def test_a_workspace_raises_nothing(told: Told, where: str) -> None:
    high = {"seconds": 9_999, "tokens": 9_999_999}
    toml = "[budget]\n" + "\n".join(f"{name} = {value}" for name, value in high.items())
    said = {"project": toml} if where == "project" else {"client": {"workspace": {"budget": high}}}
    assert budget_of(told(**said)) == DEFAULT
    raised = budget_of(told("[budget]\nseconds = 2000\ntokens = 200_000\n", **said))
    assert (raised.seconds, raised.tokens) == (2000, 200_000)


def test_a_workspace_has_no_word_for_the_longest_call(told: Told) -> None:
    for said in (
        {"project": "model.callSeconds = 9999\n"},
        {"client": {"workspace": {"model": {"callSeconds": 9999}}}},
    ):
        settings = told(**said)
        assert settings.budget(DEFAULT).call_seconds == CALL_SECONDS
        assert "model.callSeconds" in settings.notices[0].text


seconds = st.none() | st.integers(1, 2_000)


@given(seconds, seconds, seconds, seconds, seconds)
def test_only_the_users_words_are_ever_above_the_default(
    tmp_path_factory: pytest.TempPathFactory,
    user: int | None,
    project: int | None,
    workspace: int | None,
    editor: int | None,
    asked: int | None,
) -> None:
    folder = tmp_path_factory.mktemp("limits")
    for name, value in (("config.toml", user), (".lens.toml", project)):
        (folder / name).write_text("" if value is None else f"budget.seconds = {value}\n")
    client = {"budget.seconds": editor, "workspace.budget.seconds": workspace}
    settings = settings_of((str(folder),), {"LENS_CONFIG": str(folder / "config.toml")}, client=client)
    settings = settings.lowered(Limits(seconds=None if asked is None else float(asked)), Source.REQUEST)
    own = min((each for each in (user, editor) if each is not None), default=DEFAULT.seconds)
    others = [each for each in (project, workspace, asked) if each is not None]
    assert settings.budget(DEFAULT).seconds == min([own, *others])


@pytest.mark.parametrize("value", ["many", "255", "8192.5", "-1", "nan"])
def test_a_context_that_cannot_be_meant_is_told_and_not_used(told: Told, value: str) -> None:
    settings = told(environment={"LENS_CONTEXT_TOKENS": value})
    assert settings.model.context_tokens is None
    assert [notice.text for notice in settings.notices] == [
        "LENS_CONTEXT_TOKENS is not a whole number from 256; write LENS_CONTEXT_TOKENS=8192"
    ]
    assert not settings.notices[0].limiting


def test_a_limit_in_a_variable_that_is_not_understood_is_not_taken_for_none(told: Told) -> None:
    (notice,) = told(environment={"LENS_BUDGET_SECONDS": "soon"}).notices
    assert notice.limiting
    assert notice.text.startswith("LENS_BUDGET_SECONDS is not a number above 0")


def test_the_context_of_the_environment_is_that_of_its_model(told: Told) -> None:
    environment = {"LENS_BASE_URL": "http://localhost:1/v1", "LENS_MODEL": "m", "LENS_CONTEXT_TOKENS": "16384"}
    settings = told("[model]\ncontextTokens = 999\n", environment=environment)
    assert settings.model.context_tokens == 16_384
    assert settings.source("model.contextTokens") is Source.ENVIRONMENT
    assert settings.model.chat().context_tokens == 16_384
    assert told(environment=environment, client={"model.name": "other"}).model.context_tokens is None


def advice(settings: Settings, reason: StopReason = StopReason.BUDGET_SECONDS, mode: Mode = Mode.FAST) -> str | None:
    return advice_on(reason, settings, settings.budget(Budget.of(mode)))


SMALLER = ", or name a smaller model."
TYPED = CommandLine(limits=Limits(seconds=60.0))


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"user": "budget.seconds = 60"}, "your own file of settings"),
        ({"environment": {"LENS_BUDGET_SECONDS": "60"}}, "the environment"),
        ({"client": {"budget.seconds": 60}}, "your own settings"),
    ],
)
def test_the_advice_names_where_the_user_can_raise_the_limit(told: Told, said: dict[str, object], where: str) -> None:
    wanted = f"The limit of 60 seconds was reached. Set budget.seconds above 60 in {where}{SMALLER}"
    assert advice(told(**said)) == wanted


def test_the_advice_names_another_whose_limit_it_is(told: Told) -> None:
    assert advice(told(command=TYPED)) == f"The limit of --max-seconds 60 was reached. Give more than that{SMALLER}"
    project = advice(told(project="budget.seconds = 60"))
    assert project == f"The workspace's own budget.seconds of 60 was reached. Only there it can be raised{SMALLER}"
    asked = advice(told().lowered(Limits(seconds=60.0), Source.REQUEST))
    assert asked == f"The limit of 60 seconds that came with the question was reached. Ask with more{SMALLER}"


@pytest.mark.parametrize("project", ["", "budget.seconds = 3600"])
def test_a_default_is_raised_by_the_user_and_no_project_blamed_for_it(told: Told, project: str) -> None:
    said = advice(told(project=project))
    assert said == f"The limit of 900 seconds was reached. Set budget.seconds above 900 in your own settings{SMALLER}"


def test_tokens_have_their_own_setting_and_rules_no_model_to_name(told: Told) -> None:
    assert advice(told(), StopReason.BUDGET_TOKENS) == (
        "The limit of 128,000 tokens was reached. Set budget.tokens above 128,000 in your own settings."
    )
    assert advice(told(), mode=Mode.EVIDENCE) == (
        "The limit of 300 seconds was reached. Set budget.seconds above 300 in your own settings."
    )


@pytest.mark.parametrize("reason", [StopReason.COVERED, StopReason.BUDGET_CALLS, StopReason.MODEL_FAILED])
def test_where_no_limit_of_time_tokens_or_money_ended_it_there_is_no_advice(told: Told, reason: StopReason) -> None:
    assert advice(told(), reason) is None


def test_the_file_is_where_the_settings_of_a_user_are(tmp_path: Path) -> None:
    """What a workspace's file may not raise, the same words in the user's own file do."""
    (tmp_path / ".lens.toml").write_text("budget.seconds = 3600\n")
    assert settings_of((str(tmp_path),), {"LENS_CONFIG": os.devnull}).budget(DEFAULT).seconds == DEFAULT.seconds
    own = settings_of((), {"LENS_CONFIG": str(tmp_path / ".lens.toml")})
    assert own.budget(DEFAULT).seconds == 3600
