"""``lens find`` and ``lens doctor`` by their settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lens_process import Command

from lens_lsp.cli.find import parse
from tests.judge.reader.tiny_reader import PROOF, write_reader


@pytest.fixture
def config(environment: dict[str, str]) -> Path:
    path = Path(environment["HOME"]) / "lens.toml"
    environment["LENS_CONFIG"] = str(path)
    return path


def paths(lens: Command, *arguments: str, **options: Any) -> set[str]:
    outcome = lens("find", "lease tomatoes rent", *arguments, "--json", **options)
    return {item["path"] for item in json.loads(outcome.out)["evidence"]}


def test_exclusions_of_user_and_project_add_up(lens_here: Command, notes: Path, config: Path) -> None:
    (notes / "rent.md").write_text("The rent of the workshop is due monthly.\n")
    config.write_text("")
    assert paths(lens_here, "notes") == {"house/contract.md", "garden.md", "rent.md"}
    config.write_text('exclude = ["garden.md"]\n')
    (notes / ".lens.toml").write_text('exclude = ["/house/contract.md"]\n')
    assert paths(lens_here, "notes") == {"rent.md"}
    assert paths(lens_here, "notes/house") == set(), "from the project's folder, not from the path"
    assert paths(lens_here, "notes", "--no-ignore") == {"rent.md"}


def test_the_reader_of_the_settings_orders_the_passages_on_request(
    lens_here: Command,
    notes: Path,
    config: Path,
    tmp_path: Path,
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")
    environment.pop("LENS_READER", None)
    monkeypatch.delenv("LENS_READER", raising=False)
    (notes / "stone.md").write_text(f"# Stone\n\nOf the lease {'nothing is said here. ' * 9}It is {PROOF}.\n")
    config.write_text(f"reader = {json.dumps(str(write_reader(tmp_path / 'reader')))}\n")
    query = ("find", "lease of the workshop", "notes", "-n", "1")
    assert lens_here(*query, "--format", "grep").text.startswith(os.path.join("notes", "house", "contract.md"))
    for shape in ("grep", "text", "markdown"):
        ordered = lens_here(*query, "--rerank", "--format", shape).text
        assert "stone.md" in ordered
        assert "contract.md" not in ordered
    said = json.loads(lens_here(*query, "--rerank", "--json").out)
    assert ([item["path"] for item in said["evidence"]], said["reranked"]) == (["stone.md"], True)
    assert "reranked" not in json.loads(lens_here(*query, "--json").out)
    config.write_text('reader = "off"\n')
    outcome = lens_here(*query, "--rerank")
    assert "2031" in outcome.text
    assert outcome.complaint.count("the reader is off: `reader` in your settings says so") == 1
    assert "rerank" not in lens_here(*query, "--rerank", "--quiet").complaint


def test_ignore_files_are_respected_unless_the_user_says_otherwise(
    lens_here: Command, notes: Path, config: Path
) -> None:
    (notes / ".lensignore").write_text("garden.md\n")
    config.write_text("")
    assert paths(lens_here, "notes") == {"house/contract.md"}
    config.write_text("respectIgnoreFiles = false\n")
    assert paths(lens_here, "notes") >= {"house/contract.md", "garden.md"}


def test_a_project_names_what_is_searched_and_a_scope_of_the_user_replaces_it(
    lens_here: Command, notes: Path, config: Path
) -> None:
    config.write_text("cacheMegabytes = 1\n")
    (notes / ".lens.toml").write_text('scopes = ["house/"]\n')
    assert paths(lens_here, "notes") == {"house/contract.md"}
    assert paths(lens_here, "notes/house") == {"contract.md"}
    assert paths(lens_here, "notes", "--scope", "*.md") == {"house/contract.md", "garden.md"}


def test_the_language_of_a_project_says_how_old_files_are_read(lens_here: Command, notes: Path) -> None:
    (notes / "old.txt").write_bytes("大家さんの猫".encode("cp932"))
    (notes / ".lens.toml").write_text('language = "ja"\n')
    found = json.loads(lens_here("find", "大家さんの猫", "notes", "--json").out)
    assert "大家さんの猫" in found["evidence"][0]["quote"]


def test_what_is_wrong_is_told_and_the_search_goes_on(lens_here: Command, notes: Path, config: Path) -> None:
    config.write_text("exclude = 1\n")
    outcome = lens_here("find", "lease", "notes")
    assert outcome.status == 0
    assert outcome.complaint.count("exclude is not a list of patterns") == 1
    assert lens_here("find", "lease", "notes", "--quiet").complaint == ""


def test_the_door_does_not_look_at_settings_before_it_runs() -> None:
    assert parse(["x"])[0].paths == ()


def test_without_a_file_of_settings_pydantic_is_not_imported(notes: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "lens_lsp", "find", "lease", str(notes)]
    unsaid = {name: value for name, value in environment.items() if name != "LENS_READER"}
    done = subprocess.run(command, env=unsaid, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "lens_lsp.app.configuration" in done.stderr
    for name in ("pydantic", "tomllib", "lens_lsp.app.option_models", "lens_lsp.judge.llm"):
        assert name not in done.stderr


def told(lens: Command, *arguments: str, **environment: str) -> dict[str, str]:
    outcome = lens("doctor", "notes", "--json", *arguments, env=environment)
    assert (outcome.status, outcome.complaint) == (0, "")
    found: dict[str, dict[str, str]] = json.loads(outcome.out)
    return {**found["settings"], "model": found["search"]["model"], "files": found["corpus"]["files"]}


def test_doctor_tells_what_holds_and_who_said_it(lens_here: Command, notes: Path, config: Path) -> None:
    config.write_text(
        'mode = "deep"\nexclude = ["garden.md"]\ncacheMegabytes = 64\n'
        '[model]\nbaseUrl = "https://canary.invalid/v1"\nname = "canary"\nprices = {in = 1, out = 2.5}\n'
        "[budget]\ncalls = 4\ndailyTokens = 1000\n"
    )
    (notes / ".lens.toml").write_text('language = "ja"\nscopes = ["*.md"]\n[budget]\ncalls = 2\n')
    rows = told(lens_here, LENS_MODEL="canary", LENS_API_KEY="sk-canary")
    assert rows["mode"] == "deep (user file)"
    assert rows["model"] == "set in the user file: `lens ask` calls it"
    assert (rows["model.baseUrl"], rows["model.name"]) == ("set (user file)", "set (user file)")
    assert rows["model.key"].startswith("set, not sent: LENS_API_KEY is sent nowhere")
    assert rows["model.prices"] == "in 1, out 2.5 (user file)"
    assert rows["budget.calls"] == "2 (project)"
    assert rows["budget.dailyTokens"] == "1,000 (user file)"
    assert rows["budget.tokens"] == "the mode's own (default)"
    assert rows["cacheMegabytes"] == "64 (user file)"
    assert rows["exclude"] == "1 pattern of your own, 0 of the project"
    assert (rows["scopes"], rows["fallbackEncoding"]) == ("1 pattern of the project", "cp932")
    assert (rows["usedToday"], rows["consents"]) == ("0 calls, 0 tokens", 0)
    assert rows["files"] == 1
    assert "canary" not in json.dumps(rows)


def test_doctor_tells_what_is_wrong_and_nothing_secret(lens_here: Command, notes: Path, config: Path) -> None:
    config.write_text('[model]\nbaseUrl = "http://canary.invalid/v1"\nname = ["canary"]\nkey = "sk-canary"\n')
    rows = told(lens_here, LENS_BASE_URL="http://canary@host", LENS_MODEL="canary", LENS_API_KEY="sk-canary")
    problems = [value for key, value in rows.items() if key.startswith("problem")]
    assert len(problems) == 3
    assert any("model.key" in problem for problem in problems)
    assert rows["model"] == "set in the environment: `lens ask` calls it"
    assert "canary" not in json.dumps(rows)
