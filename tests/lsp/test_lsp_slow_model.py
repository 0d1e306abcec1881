"""A model that is slower than a limit, in an editor: the user's own settings give it time, a workspace's take it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judge.llm.chat_server import ChatServer, in_thread, streaming_over
from tests.judge.llm.chat_session import QUESTION, notes, served
from tests.lsp.lsp_client import Message
from tests.lsp.lsp_editor import Editor

pytestmark = pytest.mark.long

Edit = Callable[..., Editor]
SECONDS = 3.0


@pytest.fixture(scope="module")
def slow() -> Iterator[ChatServer]:
    """The words of its answer, which stream, take `SECONDS`."""
    with in_thread(streaming_over(SECONDS, served())) as server:
        yield server


@pytest.fixture
def ask(edit: Edit, tmp_path: Path, slow: ChatServer) -> Callable[..., Message]:
    """The answer of a server whose editor says settings, for the whole window and for the folder."""
    notes(tmp_path, more=2)

    def asked(window: Message, folder: Message | None = None, **params: Any) -> Message:
        model = {"model.baseUrl": slow.base_url, "model.name": "any"}
        editor = edit(settings=model | window)
        editor.replies["workspace/configuration"] = lambda asked: [
            (folder or {}) if "scopeUri" in item else model | window for item in asked["items"]
        ]
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
        answer: Message = editor.result("lens/ask", {"question": QUESTION, **params})
        return answer

    return asked


def test_the_users_settings_give_it_time(ask: Callable[..., Message]) -> None:
    answer = ask({"model.callSeconds": 30, "budget.seconds": 3_600})
    assert (answer["status"], answer["shortAnswer"], answer["warnings"]) == ("answered", "4 May 1931", [])


@pytest.mark.parametrize(
    ("window", "folder", "params", "advice"),
    [
        ({"model.callSeconds": 2}, {}, {}, "Set model.callSeconds above 2 in your own settings"),
        ({"budget.seconds": 2}, {}, {}, "Set budget.seconds above 2 in your own settings"),
        ({"budget.seconds": 2}, {"budget.seconds": 60}, {}, "Set budget.seconds above 2 in your own settings"),
        ({"budget.seconds": 60}, {"budget.seconds": 2}, {}, "The workspace's own budget.seconds of 2 was reached."),
        ({}, {}, {"budget": {"seconds": 2}}, "The limit of 2 seconds that came with the question was reached."),
    ],
)
def test_what_takes_its_time_away_is_named(
    ask: Callable[..., Message], window: Message, folder: Message, params: Message, advice: str
) -> None:
    answer = ask(window, folder, **params)
    assert answer["stopped"] in ("budget-seconds", "model-failed")
    assert [advice in warning for warning in answer["warnings"]] == [True]
