"""What is wrong with settings is told once, by file and key, and never ends anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.app.configuration import MOST_BYTES, settings_of
from lens_lsp.app.option_models import EDITOR_ONLY, LIMITING, ClientOptions, ProjectOptions, SenderOptions, UserOptions
from lens_lsp.app.settings import Settings
from lens_lsp.model.errors import UsageError
from tests.app.settings.conftest import Told

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
    "documents.ocr": '"eng; canary"',
    "reader": '"canary/model"',
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
        f" settings_of(({str(tmp_path)!r},), {{'LENS_BASE_URL': 'http://localhost:1', 'LENS_MODEL': 'any'}}).seat();"
        " sys.exit(any(name in sys.modules for name in ('pydantic', 'tomllib', 'openai', 'numpy')))"
    )
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
