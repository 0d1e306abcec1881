"""What happens before and around a command: versions, help, mistakes, closed pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from lens_process import UNEXPECTED, Command, assert_one_sentence

from lens_lsp import __version__
from lens_lsp.cli import main

HEAVY = {
    "numpy",
    "pydantic",
    "openai",
    "pygls",
    "watchdog",
    "ahocorasick_rs",
    "onnxruntime",
    "lens_lsp.app.lens",
}


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_one_line(lens: Command, option: str) -> None:
    outcome = lens(option)
    assert (outcome.status, outcome.text, outcome.complaint) == (0, f"lens {__version__}\n", "")


@pytest.mark.parametrize("argument", ["--version", "--help", "fnd"])
def test_nothing_heavy_is_imported_before_a_command_runs(environment: dict[str, str], argument: str) -> None:
    code = "import sys; from lens_lsp.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, argument], env=environment, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "lens_lsp.cli" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["ask", "-h"], ["find", "-h"], ["doctor", "-h"]])
def test_help_has_examples_and_exit_status_zero(lens: Command, arguments: list[str]) -> None:
    outcome = lens(*arguments)
    assert (outcome.status, outcome.complaint) == (0, "")
    assert "examples:" in outcome.text


def test_no_command_shows_the_help_on_standard_error(lens: Command) -> None:
    outcome = lens()
    assert (outcome.status, outcome.out) == (2, b"")
    assert "commands:" in outcome.complaint


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["fnd", "x"], "did you mean `lens find`"),
        (["when does the lease end"], "lens ask 'when does the lease end'"),
        (["--wrong"], "unrecognized arguments: --wrong; see `lens --help`"),
        (["find"], 'lens find "your question"'),
        (["find", "--wrong", "x"], "--wrong; see `lens find --help`"),
        (["find", "x", "-n", "0"], "'0' is not a whole number from 1"),
        (["find", "x", "-n", "many"], "'many' is not a whole number from 1"),
        (["find", "x", "--format", "xml"], "invalid choice"),
        (["find", "x", "--json", "--format", "grep"], "not allowed with"),
        (["find", "x", ""], "one of the paths is empty"),
        (["find", "x", "--mode", "fast"], "--mode does not apply"),
        (["find", "x", "--mode=fast"], "--mode does not apply"),
        (["find", "x", "--max-calls", "3"], "--max-calls does not apply"),
        (["find", "x", "--max-tokens=3"], "--max-tokens does not apply"),
        (["find", "x", "--max-cost", "0.1"], "--max-cost does not apply"),
        (["find", "x", "--max-seconds"], "--max-seconds does not apply"),
        (["aks", "x"], "did you mean `lens ask`"),
        (["ask"], 'lens ask "your question"'),
        (["ask", ""], "the question is empty"),
        (["ask", "x", ""], "one of the paths is empty"),
        (["ask", "x", "no-such-folder"], "no-such-folder"),
        (["ask", "x", "--wrong"], "--wrong; see `lens ask --help`"),
        (["ask", "x", "--mode", "slow"], "invalid choice"),
        (["ask", "x", "--mode", "fast"], "set LENS_BASE_URL and LENS_MODEL; --mode evidence works now"),
        (["ask", "x", "--mode=deep"], "--mode deep needs a model"),
        (["ask", "x", "--max-cost", "0.1"], "--max-cost needs the prices of a model"),
        (["ask", "x", "--max-cost", "free"], "'free' is not a number above 0"),
        (["ask", "x", "--max-seconds", "0"], "'0' is not a number above 0"),
        (["ask", "x", "--max-seconds", "inf"], "'inf' is not a number above 0"),
        (["ask", "x", "--max-calls", "-1"], "'-1' is not a whole number from 0"),
        (["ask", "x", "--max-tokens", "0"], "'0' is not a whole number from 1"),
        (["ask", "x", "--thread", "lease", "--no-store"], "--thread needs the store"),
        (["ask", "x", "--json", "--events"], "not allowed with"),
        (["ask", "x", "--events", "--format", "grep"], "not allowed with"),
        (["ask", "x", "--store", "s", "--no-store"], "not allowed with"),
        (["eval"], "see `lens eval --help`"),
        (
            ["eval", "prepare", "no-such-folder", "--snapshot", "1", "--out", "out"],
            "no-such-folder is not a data set",
        ),
        (["doctor", "no-such-folder"], "no-such-folder does not exist"),
        (["doctor", "--wrong"], "--wrong; see `lens doctor --help`"),
    ],
)
def test_a_mistake_is_one_sentence_with_what_to_do(lens: Command, arguments: list[str], hint: str) -> None:
    outcome = lens(*arguments)
    assert_one_sentence(outcome, 2)
    assert hint in outcome.complaint


def test_a_mistake_cannot_drive_the_terminal(lens: Command) -> None:
    outcome = lens("find", "x", "--\x1b]0;owned\x07\nsecond line")
    assert_one_sentence(outcome, 2)
    assert b"\x1b" not in outcome.err
    assert b"\x07" not in outcome.err


def test_main_returns_the_status_instead_of_leaving(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", "--help"]) == 0
    assert main(["find"]) == 2
    assert capsys.readouterr().err.startswith("lens: ")


def test_an_unexpected_failure_names_doctor_and_hides_the_traceback(lens: Command, tmp_path: Path) -> None:
    # A broken installation: the numpy that is found first is not numpy.
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "numpy.py").write_text("raise RuntimeError('this numpy is broken')\n")
    path = os.pathsep.join([str(broken), str(Path(__file__).resolve().parents[2])])
    outcome = lens("find", "x", env={"PYTHONPATH": path})
    assert (outcome.status, outcome.out) == (2, b"")
    assert outcome.complaint.startswith(f"lens: {UNEXPECTED} (RuntimeError: this numpy is broken)")
    assert outcome.complaint.count("\n") == 1
    assert "lens doctor" in outcome.complaint
    debugged = lens("find", "x", env={"PYTHONPATH": path, "LENS_DEBUG": "1"})
    assert debugged.status == 2
    assert "Traceback" in debugged.complaint


@pytest.mark.parametrize("shape", ["text", "grep", "markdown", "json"])
def test_a_reader_that_left_is_no_failure(lens: Command, notes: Path, shape: str) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    option = ["--json"] if shape == "json" else ["--format", shape]
    try:
        outcome = lens(
            "find",
            "lease",
            str(notes),
            *option,
            capture_output=False,
            stdout=write_end,
            stderr=subprocess.PIPE,
        )
    finally:
        os.close(write_end)
    assert (outcome.status, outcome.complaint) == (0, "")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["find", "--help"], ["doctor"]])
def test_a_reader_that_left_is_no_failure_of_other_commands(lens: Command, arguments: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        outcome = lens(*arguments, capture_output=False, stdout=write_end, stderr=subprocess.PIPE)
    finally:
        os.close(write_end)
    assert (outcome.status, outcome.complaint) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["find", "lease"], ["find", "lease", "--json"], ["doctor"]])
def test_a_full_disk_is_told(lens: Command, notes: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        outcome = lens(*arguments, str(notes), capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert_one_sentence(outcome, 2)
    assert "No space left" in outcome.complaint


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_closed_standard_output_is_told(notes: Path, environment: dict[str, str]) -> None:
    command = ["sh", "-c", '"$0" -m lens_lsp find lease "$1" >&-', sys.executable, str(notes)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("lens: standard output is closed")
    assert done.stderr.count("\n") == 1
