"""Changes of the user's file: everything else in it stays, comments too, and nothing else gets another meaning."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from lens_lsp.app.configuration import change_settings, written_settings
from lens_lsp.model.errors import UsageError

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
