"""``lens find`` from end to end: real folders, a real process, what a person or a script sees."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lens_process import TIMEOUT, Command, assert_one_sentence, interrupted_after, on_a_terminal

from lens_lsp.cli.find import parse
from tests.judge.reader.tiny_reader import PROOF, write_reader

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX terminals or signals")


@pytest.fixture
def lens(lens_here: Command) -> Command:
    """The process itself is not what is tested here."""
    return lens_here


def test_a_passage_is_printed_with_a_place_to_click(lens: Command, notes: Path) -> None:
    outcome = lens("find", "when does the lease of the workshop end", "notes")
    assert (outcome.status, outcome.complaint) == (0, "")
    head, *quote = outcome.text.split("\n")
    place = re.match(r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+)", head)
    assert place is not None
    assert Path(place["path"]) == Path("notes/house/contract.md")
    assert "    The lease of the workshop ends on 30 June 2031." in quote


def test_paths_are_absolute_outside_the_current_folder(lens: Command, notes: Path) -> None:
    outcome = lens("find", "tomatoes", "..", cwd=notes / "house")
    assert outcome.text.startswith(str(notes.resolve() / "garden.md") + ":")


def test_a_file_can_be_named(lens: Command, notes: Path) -> None:
    outcome = lens("find", "lease", "notes/house/contract.md")
    assert outcome.status == 0
    assert outcome.text.startswith(os.path.join("notes", "house", "contract.md") + ":")


def test_options_may_stand_anywhere(lens: Command, notes: Path) -> None:
    outcome = lens("find", "-n", "1", "lease tomatoes", "--format", "grep", "notes", "--quiet")
    assert outcome.status == 0
    assert len(outcome.text.splitlines()) == 1


def test_json_is_one_document_whose_quotes_stand_in_the_files(lens: Command, notes: Path) -> None:
    outcome = lens("find", "lease", "notes", "--json", "--seed", "7", "--no-store")
    assert (outcome.status, outcome.complaint) == (0, "")
    result = json.loads(outcome.out)
    assert (result["schema"], result["seed"]) == ("lens.evidence/2", 7)
    for item in result["evidence"]:
        text = Path(result["roots"][item["root"]], item["path"]).read_text()
        assert text[slice(*item["span"])] == item["quote"]


def test_secrets_are_never_searched(lens: Command, notes: Path) -> None:
    (notes / ".env").write_text("lease_token=swordfish\n")
    outcome = lens("find", "swordfish", "notes", "--no-ignore")
    assert outcome.status == 1
    assert outcome.out == b""


def test_explain_follows_the_result(lens: Command, notes: Path) -> None:
    (notes / "blob.md").write_bytes(b"\0\0")
    outcome = lens("find", "lease", "notes", "--explain")
    result, explained = outcome.text.split("Documents\n")
    assert "2031" in result
    assert os.path.join("notes", "house", "contract.md") in explained
    for part in ("Coverage\n", "Skipped\n", "Time\n", "binary", "total"):
        assert part in explained


@pytest.mark.parametrize("command", ["find", "ask"])
def test_the_stages_that_are_told_make_up_the_whole_time(lens: Command, notes: Path, command: str) -> None:
    told = re.findall(r"^  (\w+) +([0-9,.]+) ms$", lens(command, "lease", "notes", "--explain").text, re.MULTILINE)
    times = {name: float(took.replace(",", "")) for name, took in told}
    whole = times.pop("total")
    assert {"walk", "read", "scan", "prior", "other"} <= times.keys()
    assert sum(times.values()) == pytest.approx(whole, abs=0.1 * len(times))


def test_nothing_found_is_told_unless_quiet(lens: Command, notes: Path) -> None:
    outcome = lens("find", "zeppelin", "notes")
    assert_one_sentence(outcome, 1)
    assert "nothing found for “zeppelin” in 2 files; “zeppelin” occurs nowhere" in outcome.complaint
    assert lens("find", "zeppelin", "notes", "--quiet").err == b""
    machine = lens("find", "zeppelin", "notes", "--json")
    assert (machine.status, json.loads(machine.out)["evidence"]) == (1, [])


def test_no_escape_sequence_without_a_terminal_unless_forced(lens: Command, notes: Path) -> None:
    assert b"\x1b" not in lens("find", "lease", "notes").out
    assert b"\x1b[1mlease\x1b[0m" in lens("find", "lease", "notes", env={"FORCE_COLOR": "1"}).out
    both = lens("find", "lease", "notes", env={"FORCE_COLOR": "1", "NO_COLOR": "1"})
    assert b"\x1b" not in both.out


@posix
def test_a_terminal_gets_colours_and_a_closing_line(notes: Path, environment: dict[str, str]) -> None:
    command = ["-m", "lens_lsp", "find", "lease", "-n", "1"]
    status, shown = on_a_terminal(command, notes, environment | {"TERM": "xterm"})
    assert status == 0
    assert b"\x1b[1mlease\x1b[0m" in shown
    assert b"1 passage from 1 of 2 files" in shown


@posix
@pytest.mark.parametrize("seconds", [0.01, 0.03, 0.05, 0.1, 0.15, 0.2])
def test_an_interrupt_at_any_moment_ends_without_a_traceback(
    notes: Path, environment: dict[str, str], seconds: float
) -> None:
    for number in range(300):
        (notes / f"page-{number}.md").write_text(f"# Page {number}\n\n" + "The lease of this page goes on.\n" * 200)
    outcome = interrupted_after(seconds, ["find", "lease", str(notes), "--json"], environment)
    if outcome.status == 130 and outcome.out:
        assert "interrupted" in json.loads(outcome.text)["warnings"][0]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a pipe of a known size")
def test_an_interrupt_leaves_what_was_found_so_far(notes: Path, environment: dict[str, str]) -> None:
    import fcntl

    for number in range(20):
        (notes / f"page-{number}.md").write_text(f"# Page {number}\n\n" + "The lease of this page goes on. " * 20)
    read_end, write_end = os.pipe()
    # Smaller than the result: the command cannot finish before it is read.
    fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
    command = [sys.executable, "-m", "lens_lsp", "find", "lease page", str(notes), "-n", "50"]
    # What a shell runs in the background is told to ignore interrupts, and hands that on to what it starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, env=environment, stdout=write_end, stderr=subprocess.PIPE)
    signal.signal(signal.SIGINT, before)
    os.close(write_end)
    with os.fdopen(read_end, "rb", buffering=0) as output:
        first = output.read(1)
        process.send_signal(signal.SIGINT)
        rest = output.read()
    _, complaint = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130, complaint
    assert b"Traceback" not in complaint
    told = re.fullmatch(rb"lens: interrupted; (\d+) passages? found so far\n", complaint)
    assert told is not None
    # The last one may be cut where the interrupt met it. A passage holds empty lines too, indented by nothing.
    complete = len(re.findall(rb"^\S+:\d+:\d+  ", first + rest, re.MULTILINE))
    assert complete in (int(told[1]), int(told[1]) - 1)


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
