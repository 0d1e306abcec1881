"""``lens doctor --probe``: whether a model can judge, told by an endpoint that is really asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lens_process import Command
from scripted_endpoint import request_of, settings

from tests.judge.test_self_test import able, read
from tests.models.chat_server import ChatServer, in_thread


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


def test_a_model_that_makes_things_up_is_not_fit_and_what_went_wrong_is_told(lens: Command, notes: Path) -> None:
    with in_thread(ChatServer(lambda _: read("yes", [(1, "made up")], "Purple [1].", "purple"))) as server:
        outcome = lens("doctor", "notes", "--json", "--probe", env=settings(server.base_url))
    probe = json.loads(outcome.out)["probe"]
    assert probe["right"] == "0 of 10"
    assert probe["verdict"].startswith("not fit to judge")
    assert probe["What colour is the gate?"] == "it answers what no passage states"


def test_without_a_model_there_is_nothing_to_probe(lens: Command, notes: Path) -> None:
    outcome = lens("doctor", "notes", "--probe")
    assert outcome.status == 2
    assert "LENS_BASE_URL" in outcome.complaint
