"""``lens doctor``: complete enough to help, with nothing in it that should not be pasted."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from lens_process import Command
from scripted_endpoint import request_of, settings

from lens_lsp import __version__
from lens_lsp.app.configuration import workspace_of
from lens_lsp.cli.doctor import corpus_facts
from lens_lsp.corpus.corpus_rules import CorpusRules
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.test_fitness import able, read
from tests.judge.reader.tiny_reader import write_reader


@pytest.fixture
def lens(lens_here: Command) -> Command:
    """The process itself is not what is tested here."""
    return lens_here


def facts(lens: Command, *arguments: str, **environment: str) -> dict[str, dict[str, object]]:
    outcome = lens("doctor", "--json", *arguments, env=environment)
    assert (outcome.status, outcome.complaint) == (0, "")
    document = json.loads(outcome.out)
    assert document.pop("schema") == "lens.doctor/1"
    return document


def test_it_prints_what_a_bug_report_needs(lens: Command, notes: Path) -> None:
    outcome = lens("doctor", "notes")
    assert (outcome.status, outcome.complaint) == (0, "")
    for part in (
        __version__,
        "python",
        "numpy",
        "scanner",
        "no model configured: offline",
        "config.toml",
        "files",
    ):
        assert part in outcome.text


def test_secrets_are_set_or_not_and_never_shown(lens: Command, notes: Path) -> None:
    secrets = {
        "LENS_API_KEY": "sk-canary-1",
        "LENS_BASE_URL": "https://user:canary-2@example.org/v1",
        "LENS_MODEL": "canary-3",
        "LENS_FUTURE": "canary-4",
    }
    for option in ([], ["--json"]):
        assert "canary" not in lens("doctor", "notes", *option, env=secrets).text
    shown = facts(lens, "notes", **secrets)["environment"]
    assert {name: shown[name] for name in secrets} == dict.fromkeys(secrets, "set")
    assert shown["LENS_STORE"] == "not set"


def test_the_home_folder_is_a_tilde(lens: Command, notes: Path) -> None:
    home = str(notes.parent)
    outcome = lens("doctor", "notes", env={"HOME": home})
    assert home not in outcome.text
    assert os.path.join("~", "notes") in outcome.text


def test_the_paths_of_the_environment_are_used(lens: Command, notes: Path) -> None:
    mine = notes / "mine.toml"
    mine.write_text("")
    shown = facts(lens, "notes", LENS_CONFIG=str(mine), LENS_STORE=str(notes / "store"))
    assert shown["paths"]["userConfiguration"] == f"{mine} (present)"
    assert shown["store"]["folder"] == str(notes / "store")
    assert str(shown["store"]["state"]).startswith("absent")
    assert not (notes / "store").exists()


def test_the_store_is_looked_at(lens: Command, notes: Path) -> None:
    (notes / "lease.md").write_text("# Lease\n\nThe rent of the workshop is 400 euros.\n")
    assert lens("ask", "What is the rent of the workshop?", "notes", "--quiet").status == 0
    store = facts(lens, "notes")["store"]
    assert (store["state"], store["writable"]) == ("sound", "yes")
    assert store["citations"]


def test_a_store_that_cannot_be_used_is_a_finding(lens: Command, notes: Path) -> None:
    (notes / "file").write_text("")
    store = facts(lens, "notes", LENS_STORE=str(notes / "file" / "store"))["store"]
    assert store["folder"] == str(notes / "file" / "store")
    assert str(store["state"]).startswith("absent")
    (notes / "broken").mkdir()
    (notes / "broken" / "knowledge.db").mkdir()
    assert facts(lens, "notes", LENS_STORE=str(notes / "broken"))["store"]["problem"]


def test_it_counts_what_a_search_would_read(lens: Command, notes: Path) -> None:
    (notes / "blob.md").write_bytes(b"\0\1\2")
    (notes / "old.txt").write_bytes("Pächter".encode("latin-1"))
    (notes / "marked.txt").write_bytes(b"\xef\xbb\xbfmarked")
    (notes / ".env").write_text("TOKEN=1")
    document = facts(lens, "notes")
    assert document["corpus"]["files"] == 4
    assert document["corpus"]["folders"] == 2
    assert document["skipped"] == {"binary": 1, "denied": 1}
    assert document["encodings"] == {"utf-8": 2, "cp1252 (guessed)": 1, "utf-8 (byte order mark)": 1}


def test_it_counts_private_texts_and_names_none(lens: Command, notes: Path) -> None:
    (notes / "diary.md").write_text("---\nLens = Private\n---\n\nNobody may know.\n")
    (notes / "letters.md").write_text("---\nlens: private\n---\n\nNobody may know.\n")
    outcome = lens("doctor", str(notes))
    assert "2 text files, 1 in a spelling of its own: `lens check` names them" in outcome.text
    assert "diary" not in outcome.text


def test_the_census_ends_when_its_time_is_up(notes: Path) -> None:
    late = corpus_facts(str(notes), CorpusRules(), limit=-1.0)["corpus"]
    assert str(late["complete"]).startswith("no")
    assert corpus_facts(str(notes), CorpusRules())["corpus"]["complete"] == "yes"


@pytest.mark.parametrize("mark", [".lens.toml", ".git"])
def test_the_workspace_is_the_nearest_marked_folder(notes: Path, mark: str) -> None:
    (notes / mark).touch()
    assert workspace_of(str(notes / "house" / "contract.md")) == str(notes.resolve())


def test_without_a_mark_the_folder_is_its_own_workspace(notes: Path) -> None:
    assert workspace_of(str(notes / "house")) == str((notes / "house").resolve())


def test_of_several_paths_the_first_is_reported(lens: Command, notes: Path) -> None:
    workspace = facts(lens, "notes/house", "notes")["workspace"]
    assert workspace["folder"] == str((notes / "house").resolve())
    assert workspace["note"] == "the first of 2 paths"


def test_the_reader_is_on_with_its_folder_or_off_with_what_helps(lens: Command, notes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    line = facts(lens, "notes", LENS_READER=str(folder))["search"]["reader"]
    assert isinstance(line, str)
    assert line.startswith("off: there is no reader.onnx in ")
    assert "correct `reader` in your settings" in line
    assert str(facts(lens, "notes", LENS_READER="off")["search"]["reader"]).startswith("off: `reader` says so")
    pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")
    write_reader(folder)
    line = facts(lens, "notes", LENS_READER=str(folder))["search"]["reader"]
    assert isinstance(line, str)
    assert re.fullmatch(r"on: .*reader, 0\.0 MB, loaded in \d+ ms", line)


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
    assert "the endpoint refused the request" in outcome.text
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
