"""A model whose reply takes longer than a limit: answered where the settings allow it, the right advice where not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lens_process import Command, Outcome
from scripted_endpoint import following

from tests.models.chat_server import ChatServer, in_thread, streaming_over
from tests.oracle.chat_session import QUESTION, notes

SECONDS = 3.0
"""How long the model takes for the words of its answer, which it streams."""


@pytest.fixture(scope="module")
def slow() -> Iterator[ChatServer]:
    with in_thread(streaming_over(SECONDS, following())) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bridges").mkdir()
    return notes(tmp_path / "bridges", more=2)


class Asking:
    """``lens ask --json`` with a file of settings."""

    def __init__(self, lens: Command, slow: ChatServer, config: Path) -> None:
        self._lens = lens
        self._config = config
        self._model = f'[model]\nbaseUrl = "{slow.base_url}"\nname = "any"\n'

    def __call__(self, more: str, *options: str) -> dict[str, Any]:
        self._config.write_text(self._model + more)
        outcome: Outcome = self._lens(
            "ask", QUESTION, "bridges", "--no-store", "--json", *options, env={"LENS_CONFIG": str(self._config)}
        )
        answer: dict[str, Any] = json.loads(outcome.out)
        return answer


@pytest.fixture
def asking(lens_here: Command, folder: Path, slow: ChatServer, tmp_path: Path) -> Asking:
    return Asking(lens_here, slow, tmp_path / "config.toml")


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ("callSeconds = 30\n[budget]\nseconds = 60\n", ()),
        ("callSeconds = 2\n", ("--call-seconds", "30")),
        ("[budget]\nseconds = 2\n", ("--max-seconds", "30")),
    ],
)
def test_it_is_answered_where_the_settings_or_the_options_allow_it(
    asking: Asking, settings: str, options: tuple[str, ...]
) -> None:
    answer = asking(settings, *options)
    assert (answer["status"], answer["shortAnswer"], answer["warnings"]) == ("answered", "4 May 1931", [])
    assert answer["ledger"]["seconds"] > SECONDS - 0.5


def test_a_call_that_is_too_long_names_the_longest_call(asking: Asking, slow: ChatServer) -> None:
    answer = asking("callSeconds = 2\n")
    assert answer["stopped"] == "model-failed"
    (warning,) = answer["warnings"]
    advice = "Set model.callSeconds above 2 in your own settings, or name a smaller model"
    assert warning == f"{slow.origin} gave no complete reply within 2 s. {advice}"
    assert "4 May 1931" in answer["evidence"][0]["quote"]


def test_an_option_that_is_too_short_is_named(asking: Asking, slow: ChatServer) -> None:
    (warning,) = asking("callSeconds = 30\n", "--call-seconds", "2")["warnings"]
    advice = "Set --call-seconds above 2, or name a smaller model"
    assert warning == f"{slow.origin} gave no complete reply within 2 s. {advice}"


def test_a_question_that_is_too_long_names_the_time_of_the_question(asking: Asking) -> None:
    answer = asking("[budget]\nseconds = 2\n")
    assert answer["stopped"] == "budget-seconds"
    (warning,) = answer["warnings"]
    advice = "Set budget.seconds above 2 in your own file of settings, or name a smaller model."
    assert warning == f"The limit of 2 seconds was reached. {advice}"


def test_a_project_that_lowers_the_time_is_named(asking: Asking, folder: Path) -> None:
    (folder / ".lens.toml").write_text("budget.seconds = 2\n")
    answer = asking("[budget]\nseconds = 60\n")
    assert answer["stopped"] == "budget-seconds"
    assert answer["warnings"][0].startswith("The workspace's own budget.seconds of 2 was reached.")


def test_a_project_does_not_raise_it(asking: Asking, folder: Path) -> None:
    (folder / ".lens.toml").write_text("budget.seconds = 60\n")
    assert asking("[budget]\nseconds = 2\n")["stopped"] == "budget-seconds"
