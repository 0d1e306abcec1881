"""``lens clusters wrong`` and ``check``, as real processes over one home; the reader proves what holds one word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lens_process import Command

from tests.judge.reader.tiny_reader import PROOF, write_reader

QUESTION = "What is the kitchen counter of the old house made of?"
LIKE = "What is the counter in the kitchen of the old house made of?"
SAID = "an answer that you called wrong on "


@pytest.fixture
def notes(tmp_path: Path, environment: dict[str, str]) -> Path:
    pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")
    environment["LENS_READER"] = str(write_reader(tmp_path / "reader"))
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "house.md").write_text(f"# House\n\nThe kitchen counter of the old house is made of {PROOF}.\n", "utf-8")
    return folder


def listed(lens: Command) -> list[str]:
    outcome = lens("clusters", "list", "--path", "notes", "--json")
    return [cluster["id"] for cluster in json.loads(outcome.out)["clusters"]]


def checked(lens: Command, *options: str) -> tuple[int, list[tuple[str, bool]]]:
    outcome = lens("clusters", "check", "--path", "notes", "--json", *options)
    said = json.loads(outcome.out)
    assert said["schema"] == "lens.wrong/1"
    return outcome.status, [(check["question"], check["given"]) for check in said["checks"]]


def test_a_wrong_answer_is_never_given_from_what_is_known_and_checked_again(lens_here: Command, notes: Path) -> None:
    assert lens_here("ask", QUESTION, "notes").status == 0
    assert "reused" in lens_here("ask", QUESTION, "notes").text
    (id_,) = listed(lens_here)
    wrong = lens_here("clusters", "wrong", id_[:6], "--path", "notes")
    assert (wrong.status, wrong.text) == (0, f"withdrawn, and a check from now on: {QUESTION}\n")
    assert listed(lens_here) == []
    for question in (QUESTION, QUESTION, LIKE):
        again = lens_here("ask", question, "notes")
        assert "reused" not in again.text
    assert SAID in lens_here("ask", QUESTION, "notes").complaint
    assert json.loads(lens_here("ask", QUESTION, "notes", "--json").out)["stopped"] != "reused"
    known = [
        json.loads(lens_here("clusters", "show", one, "--path", "notes", "--json").out) for one in listed(lens_here)
    ]
    assert QUESTION not in str(known)

    assert checked(lens_here) == checked(lens_here, "--mode", "evidence") == (1, [(QUESTION, True)])
    told = lens_here("clusters", "check", "--path", "notes")
    assert f"still wrong: {QUESTION} {PROOF}\n1 check: 1 still wrong\n" in told.text
    (notes / "house.md").write_text("# House\n\nThe kitchen counter of the old house is made of oak.\n", "utf-8")
    assert checked(lens_here) == (0, [(QUESTION, False)])

    check = json.loads(lens_here("clusters", "check", "--path", "notes", "--json").out)["checks"][0]["id"]
    assert "the check of" in lens_here("clusters", "forget", check[:8], "--path", "notes").text
    assert checked(lens_here) == (0, [])


def test_forgetting_everything_forgets_the_checks(lens_here: Command, notes: Path, environment: dict[str, str]) -> None:
    lens_here("ask", QUESTION, "notes")
    lens_here("clusters", "wrong", *listed(lens_here), "--path", "notes", "--json")
    assert lens_here("clusters", "forget", "--all", "--path", "notes").status == 0
    home = Path(environment["HOME"])
    left = [path for path in home.rglob("*") if path.is_file() and PROOF.encode() in path.read_bytes()]
    assert left == []
    assert lens_here("clusters", "forget", "--all", "--path", "notes").status == 1


def test_a_cluster_that_is_not_there_is_not_wrong(lens_here: Command, notes: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    assert lens_here("clusters", "wrong", "zzzz", "--path", "notes").status == 2


def test_verify_says_what_it_verifies(lens_here: Command, notes: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    verified = lens_here("clusters", "verify", "--path", "notes").text
    assert "1 citation: 1 verified\n" in verified
    assert "whether the answer is right is not looked at" in verified
