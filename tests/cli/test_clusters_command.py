"""``lens clusters`` and what ``lens ask`` keeps, as real processes over one home."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lens_process import Command

QUESTION = "What is the default port of the server?"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "server.md").write_text("# Server\n\nThe default port of the server is 8080. It is new.\n", "utf-8")
    (folder / "pump.md").write_text("# Pump\n\nThe pump of the mill was built in 1874 by Ines Karr.\n", "utf-8")
    return folder


def test_what_was_asked_is_listed_shown_and_forgotten(
    lens_here: Command, notes: Path, environment: dict[str, str]
) -> None:
    assert lens_here("clusters", "list", "--path", "notes").status == 1
    assert lens_here("ask", QUESTION, "notes").status == 0
    listed = lens_here("clusters", "list", "--path", "notes")
    assert QUESTION in listed.text
    (cluster,) = json.loads(lens_here("clusters", "list", "--path", "notes", "--json").out)["clusters"]
    page = lens_here("clusters", "show", cluster["id"][:6], "--path", "notes").text
    assert "The default port of the server is 8080" in page
    assert lens_here("clusters", "forget", cluster["id"], "--path", "notes").status == 0
    left = [path for path in Path(environment["HOME"]).rglob("*") if path.is_file() and b"8080" in path.read_bytes()]
    assert left == []


def test_asking_again_says_since_when_it_is_known(lens_here: Command, notes: Path) -> None:
    first = lens_here("ask", QUESTION, "notes")
    again = lens_here("ask", "what's the default port of the server", "notes")
    assert again.text.startswith(first.text.partition("[1] ")[0])
    assert "reused: this answer of " in again.text
    assert "reused" not in first.text
    answer = json.loads(lens_here("ask", QUESTION, "notes", "--json").out)
    assert answer["stopped"] == "reused"
    assert answer["reused"][0]["requirements"] == ["f1"]


def test_without_a_store_nothing_is_kept(lens_here: Command, notes: Path, environment: dict[str, str]) -> None:
    lens_here("ask", QUESTION, "notes", "--no-store")
    assert list(Path(environment["HOME"]).rglob("knowledge.db")) == []


def test_a_store_in_the_workspace_is_never_searched(lens_here: Command, notes: Path) -> None:
    assert lens_here("ask", QUESTION, "notes", "--store", "notes/.lens").status == 0
    assert (notes / ".lens" / "knowledge.db").exists()
    again = json.loads(
        lens_here("ask", "Who built the pump of the mill?", "notes", "--store", "notes/.lens", "--json").out
    )
    assert {item["path"] for item in again["evidence"]} == {"pump.md"}
    assert all(not document["path"].startswith(".lens") for document in again["documents"])


def test_a_follow_up_shows_how_it_was_searched(lens_here: Command, notes: Path) -> None:
    lens_here("ask", "--thread", "mill", "Who built the pump of the mill?", "notes")
    outcome = lens_here("ask", "--thread", "mill", "and when?", "notes")
    assert outcome.text.startswith("searched as: Who built the pump of the mill, and when?")


def test_verify_finds_what_drifted_and_retires_it(lens_here: Command, notes: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    assert lens_here("clusters", "verify", "--path", "notes").status == 0
    (notes / "server.md").write_text("# Server\n\nThe port is a secret.\n", "utf-8")
    drifted = lens_here("clusters", "verify", "--path", "notes")
    assert drifted.status == 1
    assert "withdrawn" in drifted.text
    (cluster,) = json.loads(lens_here("clusters", "list", "--path", "notes", "--json").out)["clusters"]
    assert cluster["archived"]
    assert [fact["retired"] for fact in cluster["facts"]] == [True]


def test_check_looks_at_what_the_store_cites(lens_here: Command, notes: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    assert lens_here("check", "notes").status == 0
    (notes / "server.md").unlink()
    assert lens_here("check", "notes").status == 1
    assert lens_here("check", "notes", "--no-store").status == 0


def test_an_export_is_the_same_twice(lens_here: Command, notes: Path, tmp_path: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    lens_here("ask", "Who built the pump of the mill?", "notes")
    for name in ("one", "two"):
        assert lens_here("clusters", "export", name, "--path", "notes").status == 0
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert {"clusters.json", "graph.mmd"} <= set(files)
    assert len(files) == 4
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    graph = (tmp_path / "one" / "graph.mmd").read_text("utf-8").splitlines()
    assert graph[2] == "flowchart LR"
    assert graph[0].startswith("%% <!-- lens:begin ")


def test_an_export_replaces_an_earlier_one_and_nothing_else(lens_here: Command, notes: Path, tmp_path: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    out, export = tmp_path / "out", ("clusters", "export", "out", "--path", "notes")
    assert lens_here(*export).status == lens_here(*export).status == 0
    graph = (out / "graph.mmd").read_bytes()
    (out / "graph.mmd").write_text("mine")
    (out / "clusters.json").unlink()
    refused = lens_here(*export)
    assert refused.status == 2
    assert "graph.mmd" in refused.complaint
    assert "--force" in refused.complaint
    assert (out / "graph.mmd").read_text() == "mine"
    assert not (out / "clusters.json").exists()  # nothing is written when one may not be
    assert lens_here(*export, "--force").status == 0
    assert (out / "graph.mmd").read_bytes() == graph
    (out / "graph.mmd").unlink()
    (out / "graph.mmd").symlink_to(notes / "server.md")
    assert lens_here(*export, "--force").status == 2
    assert "8080" in (notes / "server.md").read_text()


def test_a_cluster_that_is_not_there_is_told(lens_here: Command, notes: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    outcome = lens_here("clusters", "show", "zzzz", "--path", "notes")
    assert outcome.status == 2
    assert "lens clusters list" in outcome.complaint
