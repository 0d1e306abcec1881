"""Ctrl-C while a question is answered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from lens_process import TIMEOUT, Command, Outcome
from scripted_endpoint import following

from lens_lsp.cli.ask import interrupts
from lens_lsp.judge.cancellation import Stop
from tests.judge.llm.chat_server import ChatServer, in_thread, streaming_over
from tests.judge.llm.chat_session import QUESTION, notes

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

TWICE = """
import asyncio, signal
from lens_lsp.cli.ask import interrupts
from lens_lsp.judge.cancellation import Stop

async def work(stop):
    signal.raise_signal(signal.SIGINT)
    await asyncio.sleep(0)
    print("goes on", stop.asked(), flush=True)
    signal.raise_signal(signal.SIGINT)
    print("never reached", flush=True)

stop = Stop()
with interrupts(stop):
    asyncio.run(work(stop))
"""


def test_the_first_interrupt_is_only_noted() -> None:
    before = signal.getsignal(signal.SIGINT)
    stop = Stop()
    with interrupts(stop):
        assert not stop.asked()
        signal.raise_signal(signal.SIGINT)
        assert stop.asked()
    assert signal.getsignal(signal.SIGINT) is before


def test_the_second_leaves_at_once_also_out_of_a_running_loop(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TWICE], env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "goes on True\n", "")


def test_outside_the_main_thread_nothing_is_taken_over() -> None:
    seen: list[object] = []

    def enter() -> None:
        with interrupts(Stop()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


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


MINUTES = 605.0

"""Seconds: ten minutes, and more than the longest call takes unless it is said otherwise."""


@pytest.mark.long
def test_ten_minutes_are_answered_where_the_settings_allow_them(lens: Command, folder: Path, tmp_path: Path) -> None:
    """Four questions at a time: to a model that says a word now and then, and to one that reads for ten minutes first;
    each with the settings that come with Lens and with a longest call that is long enough."""
    streams, reads = streaming_over(MINUTES, following()), ChatServer(following(), first=MINUTES)
    with in_thread(streams), in_thread(reads):

        def asked(server: ChatServer, more: str) -> dict[str, Any]:
            config = tmp_path / f"{server.port}{len(more)}.toml"
            config.write_text(f'[model]\nbaseUrl = "{server.base_url}"\nname = "any"\n{more}')
            named = {"LENS_CONFIG": str(config)}
            outcome = lens("ask", QUESTION, "bridges", "--no-store", "--json", env=named, timeout=2 * MINUTES)
            answer: dict[str, Any] = json.loads(outcome.out)
            return answer

        trials = [(streams, ""), (streams, "callSeconds = 660\n"), (reads, ""), (reads, "callSeconds = 1320\n")]
        with ThreadPoolExecutor(len(trials)) as threads:
            answers = list(threads.map(lambda trial: asked(*trial), trials))
    for answer in answers[1::2]:
        assert (answer["status"], answer["shortAnswer"], answer["warnings"]) == ("answered", "4 May 1931", [])
        assert answer["ledger"]["seconds"] > MINUTES - 1
    advice = "Set model.callSeconds above 600 in your own settings, or name a smaller model"
    assert [answer["warnings"] for answer in answers[::2]] == [
        [f"{streams.origin} gave no complete reply within 600 s. {advice}"],
        [f"{reads.origin} sent no token within 300 s. {advice}"],
    ]
    for answer in answers[::2]:
        assert answer["stopped"] == "model-failed"
        assert "4 May 1931" in answer["evidence"][0]["quote"]
