"""``lens doctor --probe``: whether a model can judge, told by an endpoint that is really asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lens_process import Command
from scripted_endpoint import request_of, settings

from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.test_fitness import able, read


@pytest.fixture
def lens(lens_here: Command) -> Command:
    """The process itself is not what is tested here."""
    return lens_here


def test_a_model_that_reads_is_fit(lens: Command, notes: Path) -> None:
    def says(asked: dict[str, Any]) -> str:
        return able(request_of(asked))

    with in_thread(ChatServer(says)) as server:
        outcome = lens("doctor", "notes", "--json", "--probe", env=settings(server.base_url))
    assert outcome.status == 0
    assert json.loads(outcome.out)["probe"] == {"right": "10 of 10", "verdict": "fit to judge"}


def test_its_calls_are_counted_and_a_day_without_tokens_has_none(
    lens: Command, notes: Path, environment: dict[str, str]
) -> None:
    asked: list[str] = []

    def says(request: dict[str, Any]) -> str:
        asked.append(able(request_of(request)))
        return asked[-1]

    with in_thread(ChatServer(says)) as server:
        assert lens("doctor", "notes", "--json", "--probe", env=settings(server.base_url)).status == 0
        (kept,) = Path(environment["HOME"]).rglob("usage.json")
        days = json.loads(kept.read_text())["days"].values()
        assert [spent["calls"] for day in days for spent in day.values()] == [len(asked)]
        config = notes.parent / "config.toml"
        config.write_text("[budget]\ndailyTokens = 10\n")
        asked.clear()
        outcome = lens("doctor", "notes", "--probe", env=settings(server.base_url) | {"LENS_CONFIG": str(config)})
    assert outcome.status == 2
    assert "budget.dailyTokens" in outcome.complaint
    assert asked == []


def test_the_address_of_an_endpoint_that_is_gone_is_not_told(lens: Command, notes: Path) -> None:
    with in_thread(ChatServer(lambda _: "")) as server:
        gone = server.base_url
    outcome = lens("doctor", "notes", "--json", "--probe", env=settings(gone))
    probe = json.loads(outcome.out)["probe"]
    assert probe["right"] == "0 of 10"
    assert "no connection to the endpoint" in probe["How deep is the harbour basin?"]
    assert gone.split("/")[2] not in outcome.out.decode()


def test_the_host_of_an_endpoint_is_not_told_however_the_call_fails(lens: Command, notes: Path) -> None:
    outcome = lens("doctor", "notes", "--probe", env=settings("https://quillfeather.invalid/v1"))
    assert outcome.status == 0
    assert "no connection to the endpoint" in outcome.text
    assert "quillfeather" not in outcome.text
    with in_thread(ChatServer(fault=Fault.NOT_FOUND, words="quillfeather.internal has no such model")) as server:
        outcome = lens("doctor", "notes", "--probe", env=settings(server.base_url))
    assert server.requests
    assert "the endpoint does not take the request" in outcome.text
    assert "quillfeather" not in outcome.text


def test_a_model_that_makes_things_up_is_not_fit_and_what_went_wrong_is_told(lens: Command, notes: Path) -> None:
    with in_thread(ChatServer(lambda _: read("yes", [(1, "made up")], "Purple [1].", "purple"))) as server:
        outcome = lens("doctor", "notes", "--json", "--probe", env=settings(server.base_url))
    probe = json.loads(outcome.out)["probe"]
    assert probe["right"] == "0 of 10"
    assert probe["verdict"].startswith("not fit to judge")
    assert probe["What colour is the gate?"] == "it quotes nothing that stands in the passages"


def test_without_a_model_there_is_nothing_to_probe(lens: Command, notes: Path) -> None:
    outcome = lens("doctor", "notes", "--probe")
    assert outcome.status == 2
    assert "LENS_BASE_URL" in outcome.complaint
