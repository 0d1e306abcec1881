"""What settings come to: the budget of a question, and the model and its key."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.app.configuration import settings_of
from lens_lsp.app.settings import CommandLine, ModelSettings, Settings, SettingSource, advice_on
from lens_lsp.judge.ledger import MODEL_SECONDS, Budget, Limits
from lens_lsp.judge.llm.chat_model import CALL_SECONDS
from lens_lsp.judge.llm.endpoint import ApiKey
from lens_lsp.model.answer import Mode, StopReason
from lens_lsp.model.errors import UsageError
from tests.app.conftest import Told

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
    assert settings.source("budget.seconds") is settings.source("model.callSeconds") is SettingSource.ENVIRONMENT


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
    settings = settings.lowered(Limits(seconds=None if asked is None else float(asked)), SettingSource.REQUEST)
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
    assert settings.source("model.contextTokens") is SettingSource.ENVIRONMENT
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
    asked = advice(told().lowered(Limits(seconds=60.0), SettingSource.REQUEST))
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


CANARY = "sk-canary-Quillfeather-0123456789"
HOME, AWAY, LOCAL = "https://home.example", "https://away.example", "http://127.0.0.1:4711"


def key_sent(model: ModelSettings) -> str | None:
    """The key that would be in the header."""
    key: ApiKey | None = model.chat()._key
    return None if key is None else key.reveal()


def file(base_url: str | None, key_origin: str | None = None) -> str:
    lines = ["[model]", 'name = "any"']
    lines += [f'baseUrl = "{base_url}/v1"'] if base_url else []
    lines += [f'keyOrigin = "{key_origin}"'] if key_origin else []
    return "\n".join(lines)


def test_key_and_base_url_of_the_environment_belong_together(told: Told) -> None:
    environment = {"LENS_API_KEY": CANARY, "LENS_BASE_URL": HOME, "LENS_MODEL": "any"}
    model = told(file(AWAY), environment=environment).model
    assert model.chat().endpoint == HOME
    assert key_sent(model) == CANARY
    assert model.key_withheld is None


def test_a_key_alone_goes_nowhere_unless_the_users_file_says_where(told: Told) -> None:
    alone = {"LENS_API_KEY": CANARY}
    model = told(file(HOME), environment=alone).model
    assert key_sent(model) is None
    assert "model.keyOrigin" in (model.key_withheld or "")
    assert key_sent(told(file(HOME, HOME), environment=alone).model) == CANARY
    assert key_sent(told(file(HOME, HOME + "/v1/"), environment=alone).model) == CANARY


def test_another_base_url_does_not_get_the_old_key(told: Told) -> None:
    moved = told(file(AWAY, HOME), environment={"LENS_API_KEY": CANARY}).model
    assert key_sent(moved) is None
    assert "another origin" in (moved.key_withheld or "")
    environment = {"LENS_API_KEY": CANARY, "LENS_BASE_URL": HOME, "LENS_MODEL": "any"}
    edited = told(environment=environment, client={"model.baseUrl": AWAY}).model
    assert edited.chat().endpoint == AWAY
    assert key_sent(edited) is None
    assert key_sent(told(environment=environment, client={"model.baseUrl": HOME + "/other/v1"}).model) == CANARY


@pytest.mark.parametrize(
    ("user", "origin", "variable", "client"),
    list(itertools.product([None, HOME], [None, HOME, AWAY], [None, LOCAL], [None, AWAY])),
)
def test_a_key_is_sent_to_the_origin_named_beside_it_and_to_no_other(
    told: Told, user: str | None, origin: str | None, variable: str | None, client: str | None
) -> None:
    environment = {"LENS_API_KEY": CANARY, **({"LENS_BASE_URL": variable} if variable else {})}
    model = told(file(user, origin), environment=environment, client={"model.baseUrl": client}).model
    if model.missing:
        return
    endpoint, beside = model.chat().endpoint, variable or origin
    assert key_sent(model) == (CANARY if endpoint == beside else None)
    assert (model.key_withheld is None) == (endpoint == beside)


def test_settings_show_the_key_to_nobody(told: Told) -> None:
    environment = {"LENS_API_KEY": CANARY, "LENS_BASE_URL": AWAY, "LENS_MODEL": "any"}
    for settings in (told(environment=environment), told(file(HOME), environment={"LENS_API_KEY": CANARY})):
        assert "Quillfeather" not in repr(settings)
        assert "Quillfeather" not in str(settings.model.key_withheld)


def test_no_key_is_no_reason_to_say_anything(told: Told) -> None:
    assert told(file(HOME)).model.key_withheld is None


KNOWN = file(HOME) + "\ncontextTokens = 8192\nprices = {in = 1, out = 2}\n"


@pytest.mark.parametrize(
    ("environment", "client", "context", "prices"),
    [
        ({}, {}, 8192, (1.0, 2.0)),
        ({"LENS_MODEL": "any"}, {}, 8192, (1.0, 2.0)),
        ({"LENS_MODEL": "other"}, {}, None, None),
        ({"LENS_BASE_URL": AWAY}, {}, None, None),
        ({}, {"model.name": "other"}, None, None),
        ({"LENS_MODEL": "other"}, {"model.contextTokens": 999}, 999, None),
        ({}, {"model.contextTokens": 999}, 999, (1.0, 2.0)),
        ({}, {"model": {"name": "other", "prices": {"in": 3, "out": 4.5}}}, None, (3.0, 4.5)),
        ({}, {"model.prices": {"in": 0, "out": 0}}, 8192, (0.0, 0.0)),
    ],
)
def test_context_and_prices_hold_for_the_model_they_were_said_of(
    told: Told,
    environment: dict[str, str],
    client: dict[str, object],
    context: int | None,
    prices: tuple[float, float] | None,
) -> None:
    settings = told(KNOWN, environment=environment, client=client)
    assert (settings.model.context_tokens, settings.model.prices) == (context, prices)
    assert ("model.prices" in settings.sources) == (prices is not None)


@pytest.mark.parametrize(
    ("name", "family"), [("editor", None), ("editor:small", "small"), ("editor:", None), ("editor:a:b", "a:b")]
)
def test_the_editors_own_model_is_named_without_a_base_url(name: str, family: str | None) -> None:
    model = ModelSettings(None, name)
    assert (model.of_editor, model.family) == (True, family)
    for other in (ModelSettings("https://a.example", name), ModelSettings(None, f"x{name}"), ModelSettings()):
        assert (other.of_editor, other.family) == (False, None)


def test_the_editors_own_model_is_one_inside_that_editor_only(told: Told) -> None:
    settings = told('[model]\nname = "editor"')
    assert settings.choose_judge() == (Mode.EVIDENCE, None)
    assert settings.choose_judge(editor=True) == (Mode.FAST, settings.model)
    forced = told('mode = "deep"\n[model]\nname = "editor"')
    assert forced.choose_judge(editor=True)[0] is Mode.DEEP
    with pytest.raises(UsageError, match="no editor offers its own"):
        forced.choose_judge()
