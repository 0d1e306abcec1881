"""A key belongs to one origin, and what was said of a model to that model."""

from __future__ import annotations

import itertools

import pytest

from lens_lsp.app.settings.model import ModelSettings
from lens_lsp.judge.llm.endpoint import ApiKey
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import UsageError
from tests.app.settings.conftest import Told

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
    assert settings.seat() == (Mode.EVIDENCE, None)
    assert settings.seat(editor=True) == (Mode.FAST, settings.model)
    forced = told('mode = "deep"\n[model]\nname = "editor"')
    assert forced.seat(editor=True)[0] is Mode.DEEP
    with pytest.raises(UsageError, match="no editor offers its own"):
        forced.seat()


def test_no_project_names_a_model(told: Told) -> None:
    settings = told(project='[model]\nname = "editor"')
    assert settings.seat(editor=True) == (Mode.EVIDENCE, None)
