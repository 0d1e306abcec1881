"""The benchmark of the server: what it measures is an answer, never a time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.measuring import REPOSITORY
from benchmarks.speed.serving import OURS, PEER, NoAnswerError, Server, initialize, until_initialized


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}


@pytest.mark.parametrize("server", [OURS, PEER], ids=["ours", "pygls"])
def test_a_server_that_answers_is_timed(env: dict[str, str], server: tuple[str, ...]) -> None:
    timing = until_initialized(server, initialize({}), env)
    assert timing.cpu > 0
    assert timing.wall > 0


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "print('Content-Length: 2\\r\\n\\r\\n{}', end='')",
        """print('Content-Length: 18\\r\\n\\r\\n{"id":1,"error":1}', end='')""",
    ],
    ids=["nothing", "another", "refused"],
)
def test_a_server_that_does_not_answer_is_no_figure(env: dict[str, str], answer: str) -> None:
    with pytest.raises(NoAnswerError):
        until_initialized(("-c", f"input(); {answer}"), initialize({}), env)


def test_requests_of_a_server_are_answered_one_by_one(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "lease.md").write_text("The lease of the workshop ends on 30 June 2031.\n", "utf-8")
    with Server(OURS, env, tmp_path / "notes") as server:
        assert server.ask("When does the lease of the workshop end?") > 0
        assert server.request("lens/status", {})["folders"] == [(tmp_path / "notes").as_uri()]
        with pytest.raises(NoAnswerError, match="-32601"):
            server.request("lens/nothing", {})
