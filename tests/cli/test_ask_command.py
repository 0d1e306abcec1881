"""``lens ask`` from end to end: real folders, a real process, what a person or a script sees."""

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
from lens_process import TIMEOUT, Command, Outcome, assert_one_sentence, interrupted_after, on_a_terminal

from lens_lsp.cli import main

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX terminals or signals")

REPOSITORY = Path(__file__).resolve().parents[2]
VERIFY_BELIEFS = REPOSITORY / "benchmarks" / "verify_beliefs.py"
LEASE = "When does the lease of the workshop end?"
SENTENCE = "The lease of the workshop ends on 30 June 2031."
CONTRACT = os.path.join("notes", "house", "contract.md")
ZEPPELIN = "Who moored the zeppelin in Friedrichshafen?"


def events(outcome: Outcome) -> list[dict[str, Any]]:
    return [json.loads(line) for line in outcome.text.splitlines()]


@pytest.fixture
def archive(notes: Path) -> Path:
    """More than one request can hold: the search has to choose what it reads."""
    for number in range(60):
        (notes / f"page-{number}.md").write_text(
            f"# Page {number}\n\n" + f"The workshop of house {number} is let to its tenants, as ever.\n\n" * 40
        )
    return notes


def test_an_answer_is_followed_by_the_passages_that_prove_it(lens_here: Command, notes: Path) -> None:
    outcome = lens_here("ask", LEASE, "notes")
    assert (outcome.status, outcome.complaint) == (0, "")
    said, _, proof = outcome.text.partition("\n\n[1] ")
    assert "30 June 2031" in said
    assert "[1]" in said
    head, quote = proof.split("\n")[:2]
    place = re.match(r"(?P<path>.+?):(?P<line>\d+):(?P<column>\d+)", head)
    assert place is not None
    assert place["path"] == CONTRACT
    assert "30 June 2031" in proof
    assert quote.startswith("    ")


@pytest.mark.parametrize(("command", "before"), [("ask", "\n[1] "), ("find", "")])
def test_the_current_folder_is_the_default(lens: Command, notes: Path, command: str, before: str) -> None:
    text = lens(command, LEASE, cwd=notes).text
    place = f"{before}{os.path.join('house', 'contract.md')}:"
    assert place in text if before else text.startswith(place)


@pytest.mark.parametrize("command", ["ask", "find"])
def test_options_may_stand_anywhere_and_a_question_may_begin_with_a_dash(
    lens_here: Command, notes: Path, command: str
) -> None:
    (notes / "flags.md").write_text("The flag --no-verify skips the hooks.\n")
    outcome = lens_here(command, "--format", "grep", "--quiet", "--", "--no-verify", "notes/flags.md")
    assert outcome.text == f"{os.path.join('notes', 'flags.md')}:1:1:The flag --no-verify skips the hooks.\n"


def test_json_is_one_document_whose_quotes_stand_in_the_files(lens_here: Command, archive: Path) -> None:
    outcome = lens_here("ask", LEASE, "notes", "--json", "--seed", "7", "--no-store", "--yes")
    assert (outcome.status, outcome.complaint) == (0, "")
    result = json.loads(outcome.out)
    assert (result["schema"], result["seed"], result["mode"]) == ("lens.answer/2", 7, "evidence")
    assert result["evidence"]
    for number, item in enumerate(result["evidence"], 1):
        text = Path(result["roots"][item["root"]], item["path"]).read_text()
        assert text[slice(*item["span"])] == item["quote"]
        assert item["n"] == number
    assert {int(n) for n in re.findall(r"\[(\d+)\]", result["answer"])} <= {each["n"] for each in result["evidence"]}
    assert (result["ledger"]["calls"], result["ledger"]["sent"]) == ({"total": 0}, [])


@pytest.mark.parametrize(
    ("command", "schema"), [(("ask", "--events"), b"lens.answer/2"), (("find", "--json"), b"lens.evidence/2")]
)
def test_two_runs_are_equal_but_for_seconds(
    lens: Command, archive: Path, command: tuple[str, str], schema: bytes
) -> None:
    seconds = re.compile(rb'"seconds": ?[\d.e-]+')
    first, second = (lens(*command, LEASE, "notes", "--seed", "5", "--no-store") for _ in range(2))
    assert schema in first.out
    assert seconds.sub(b"", first.out) == seconds.sub(b"", second.out)


def test_events_tell_the_search_from_plan_to_end(lens_here: Command, archive: Path) -> None:
    outcome = lens_here("ask", LEASE, "notes", "--events")
    assert (outcome.status, outcome.complaint) == (0, "")
    lines = events(outcome)
    kinds = [line["type"] for line in lines]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert {line["schema"] for line in lines} == {"lens.event/1"}
    assert kinds[:2] == ["planned", "scanned"]
    assert kinds[-2:] == ["answered", "stopped"]
    assert {"admitted", "proposed", "observed", "covered", "evidenceFound"} <= set(kinds)
    assert lines[-2]["answer"]["stopped"] == lines[-1]["reason"]


def test_a_reader_that_leaves_after_the_first_event_is_no_failure(archive: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "lens_lsp", "ask", LEASE, str(archive), "--events", "--explain", "--quiet"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["type"] == "planned"
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as complaint:
        assert complaint.read() == b""
    assert process.wait(TIMEOUT) == 0


def test_every_belief_that_is_printed_can_be_recomputed(lens_here: Command, archive: Path, tmp_path: Path) -> None:
    outcome = lens_here("ask", LEASE, "notes", "--events", "--explain")
    log, trace = tmp_path / "log.jsonl", tmp_path / "trace.txt"
    log.write_bytes(outcome.out)
    trace.write_bytes(outcome.err)
    command = [sys.executable, str(VERIFY_BELIEFS), str(log), "--trace", str(trace)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    mutant = subprocess.run([*command, "--mutant"], capture_output=True, text=True, check=False)
    assert mutant.returncode == 1, mutant.stdout + mutant.stderr


def test_without_explain_no_position_vectors_are_logged(lens_here: Command, notes: Path) -> None:
    assert b'"position"' not in lens_here("ask", LEASE, "notes", "--no-store", "--events").out
    assert b'"position"' in lens_here("ask", LEASE, "notes", "--no-store", "--events", "--explain").out


def test_explain_follows_the_answer(lens_here: Command, archive: Path) -> None:
    (archive / "blob.md").write_bytes(b"\0\0")
    outcome = lens_here("ask", LEASE, "notes", "--explain")
    result, explained = outcome.text.split("Plan\n")
    assert SENTENCE in result
    assert CONTRACT in explained
    for part in ("Scan\n", "Admitted\n", "Round 1\n", "Stopped\n", "Coverage\n", "Skipped\n", "Time\n", "Ledger\n"):
        assert part in explained
    assert "P(nowhere)" in explained


@pytest.mark.parametrize("option", [["--json"], ["--events"], ["--format", "grep"]])
@pytest.mark.parametrize(("command", "begins"), [("ask", "Plan\n"), ("find", "Documents\n")])
def test_explain_never_mixes_with_what_machines_read(
    lens_here: Command, notes: Path, command: str, begins: str, option: list[str]
) -> None:
    if (command, option) == ("find", ["--events"]):
        pytest.skip("find has no events")
    plain = lens_here(command, LEASE, "notes", "--no-store", *option)
    explained = lens_here(command, LEASE, "notes", "--no-store", "--explain", *option)
    changing = re.compile(rb'"seconds": ?[\d.e-]+|, "position": ?\{[^}]*\}')
    assert changing.sub(b"", explained.out) == changing.sub(b"", plain.out)
    assert explained.complaint.startswith(begins)


def test_markdown_can_be_pasted_into_a_note(lens_here: Command, notes: Path) -> None:
    outcome = lens_here("ask", LEASE, "notes", "--format", "markdown")
    assert outcome.status == 0
    mark, words, *_ = outcome.text.split("\n\n")
    assert mark.startswith("<!-- lens:begin ")
    assert "[^1]" in words
    assert "\n[^1]: [notes/house/contract.md:" in outcome.text


def test_what_is_not_there_is_not_answered(lens_here: Command, notes: Path) -> None:
    outcome = lens_here("ask", ZEPPELIN, "notes", "--json")
    result = json.loads(outcome.out)
    assert outcome.status == 1
    assert result["status"] in ("unanswered", "partial")
    assert result["shortAnswer"] is None
    assert lens_here("ask", ZEPPELIN, "notes").status == 1


def test_nothing_to_search_is_told(lens_here: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    outcome = lens_here("ask", LEASE, "empty")
    assert outcome.status == 1
    assert "no readable file" in outcome.complaint
    assert lens_here("ask", LEASE, "empty", "--quiet").err == b""


@pytest.mark.parametrize(("command", "question"), [("ask", LEASE), ("find", "lease")])
def test_scope_and_ignore_rules_limit_the_files(lens_here: Command, notes: Path, command: str, question: str) -> None:
    assert lens_here(command, question, "notes", "--scope", "garden*").status == 1
    assert lens_here(command, question, "notes", "--scope", "garden*", "--scope", "house/**").status == 0
    (notes / ".lensignore").write_text("house/\n")
    assert lens_here(command, question, "notes").status == 1
    assert lens_here(command, question, "notes", "--no-ignore").status == 0


def test_a_question_without_time_stops_by_its_budget(lens_here: Command, archive: Path) -> None:
    outcome = lens_here("ask", LEASE, "notes", "--json", "--max-seconds", "0.000001")
    assert json.loads(outcome.out)["stopped"] == "budget-seconds"
    assert outcome.status == 1


def test_a_dry_run_sends_and_searches_nothing(lens: Command, notes: Path) -> None:
    outcome = lens("ask", LEASE, "notes", "--dry-run")
    assert (outcome.status, outcome.complaint) == (0, "")
    assert outcome.text == "Nothing would be sent: mode evidence calls no model.\n"
    machine = lens("ask", LEASE, "notes", "--dry-run", "--json")
    assert json.loads(machine.out) == {
        "schema": "lens.dry-run/1",
        "mode": "evidence",
        "endpoint": None,
        "requests": [],
        "sent": [],
    }
    assert lens("ask", LEASE, "missing", "--dry-run").status == 2


def test_a_dry_run_without_a_model_leaves_the_store_alone(lens: Command, notes: Path, tmp_path: Path) -> None:
    """A damaged one is put aside by whoever opens it: a dry run with a model, which says so unless it is quiet."""
    store = tmp_path / "store"
    lens("ask", LEASE, "notes", "--store", "store")
    dry = ("ask", LEASE, "notes", "--store", "store", "--dry-run")
    model = {"LENS_BASE_URL": "https://models.invalid/v1", "LENS_MODEL": "far"}
    for quiet in ([], ["--quiet"]):
        for file in store.glob("knowledge.db*"):
            file.write_bytes(b"damaged")
        before = {file.name: file.read_bytes() for file in store.iterdir() if file.is_file()}
        outcome = lens(*dry, "--mode", "evidence", env=model)
        assert (outcome.status, outcome.complaint) == (0, "")
        assert {file.name: file.read_bytes() for file in store.iterdir() if file.is_file()} == before
        outcome = lens(*dry, *quiet, env=model)
        assert outcome.status == 0
        assert (outcome.complaint == "") is bool(quiet)


def test_a_mode_that_needs_a_model_says_what_to_set(
    lens_here: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENS_MODEL", "some-model")
    outcome = lens_here("ask", LEASE, "notes", "--mode", "fast")
    assert_one_sentence(outcome, 2)
    assert "set LENS_BASE_URL; --mode evidence works now" in outcome.complaint


@posix
def test_a_terminal_gets_colours_and_a_closing_line(notes: Path, environment: dict[str, str]) -> None:
    status, shown = on_a_terminal(["-m", "lens_lsp", "ask", LEASE], notes, environment | {"TERM": "xterm"})
    assert status == 0
    assert b"\x1b[2m\xc2\xb7 " in shown, "a passage as it is found"
    assert b"\x1b[32m[1]\x1b[0m" in shown
    assert b"answered \xc2\xb7 1 passage from 1 of 2 files" in shown
    assert b"no model called" in shown


SHAPES = [[], ["--format", "grep"], ["--format", "markdown"], ["--explain"], ["--json"]]


@posix
@pytest.mark.parametrize(
    ("command", "shape"),
    [*(("find", shape) for shape in SHAPES), *(("ask", shape) for shape in [*SHAPES, ["--events", "--explain"]])],
)
def test_no_escape_out_of_a_file_reaches_the_terminal(
    tmp_path: Path, environment: dict[str, str], command: str, shape: list[str]
) -> None:
    hostile = "\x1b]52;c;cm0gLXJm\x07 \x1b[2J \x9b31m \x1bP1$r\x1b\\ \x07 \u202e lease"
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / "a\x1b[31m\x07.md").write_text(f"# {hostile}\n\nThe lease {hostile} ends on 30 June 2031.\n")
    status, shown = on_a_terminal(
        ["-m", "lens_lsp", command, f"When does the lease {hostile} end?", *shape],
        folder,
        environment | {"NO_COLOR": "1", "TERM": "dumb"},  # no bar either, however slow the machine is
    )
    assert status in (0, 1), shown
    assert b"lease" in shown
    text = shown.decode("utf-8")
    assert not re.findall("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", text)


@pytest.mark.parametrize("shape", [[], ["--format", "grep"], ["--format", "markdown"], ["--json"], ["--events"]])
def test_a_reader_that_left_is_no_failure(lens: Command, notes: Path, shape: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        outcome = lens("ask", LEASE, "notes", *shape, capture_output=False, stdout=write_end, stderr=subprocess.PIPE)
    finally:
        os.close(write_end)
    assert (outcome.status, outcome.complaint) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("shape", [[], ["--json"], ["--events"]])
def test_a_full_disk_is_told(lens: Command, notes: Path, shape: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        outcome = lens("ask", LEASE, "notes", *shape, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert_one_sentence(outcome, 2)
    assert "No space left" in outcome.complaint


@pytest.mark.parametrize("command", ["ask", "find"])
def test_main_can_be_called_in_process(notes: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([command, LEASE, str(notes)]) == 0
    assert "2031" in capsys.readouterr().out


@posix
@pytest.mark.parametrize("seconds", [0.01, 0.1, 0.2, 0.25, 0.3, 0.4])
def test_an_interrupt_at_any_moment_ends_without_a_traceback(
    archive: Path, environment: dict[str, str], seconds: float
) -> None:
    outcome = interrupted_after(seconds, ["ask", LEASE, str(archive), "--json"], environment)
    if outcome.out:
        assert json.loads(outcome.text)["schema"] == "lens.answer/2"


@posix
def test_an_interrupt_while_searching_prints_what_was_found(archive: Path, environment: dict[str, str]) -> None:
    """The interrupt comes with the first event. Were events held back until the end, it would come too late."""
    command = [sys.executable, "-m", "lens_lsp", "ask", LEASE, str(archive), "--events"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, complaint = process.communicate(timeout=TIMEOUT)
    lines = [json.loads(line) for line in (first + rest).splitlines()]
    assert process.returncode == 130, complaint
    assert [line["type"] for line in lines[-2:]] == ["answered", "stopped"]
    assert lines[-1]["reason"] in ("cancelled", "covered", "direct")
    found = len(lines[-2]["answer"]["evidence"])
    assert complaint.decode() == f"lens: interrupted; {found} passage{'' if found == 1 else 's'} found so far\n"
