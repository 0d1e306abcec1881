"""The benchmark of the server's start: what it measures is an answer, never a time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.measuring import REPOSITORY, Series, Timing
from benchmarks.server_start import OURS, PEER, NoAnswerError, initialize, report, until_initialized


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


def test_a_median_above_the_gate_is_shown_as_a_failure() -> None:
    series = Series((Timing(0.5, 0.25),))
    about = {"python": "3", "cores": 2, "loadBefore": [1.5], "build": "x"}
    shown = report({"machine": about, "passed": False, "runs": 1}, {"lens serve": series})
    assert "| lens serve | 500 [500–500] | 250 [250–250] |" in shown
    assert shown.endswith("at most 400 ms by the wall: FAIL")
