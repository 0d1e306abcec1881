"""What happens before and around a command: versions, help, mistakes, closed pipes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from lens_process import UNEXPECTED, Command, assert_one_sentence

from lens_lsp import __version__
from lens_lsp.cli import main
from tests.judge.reader.tiny_reader import PROOF, write_reader

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


QUESTION = "What is the kitchen counter of the old house made of?"
LIKE = "What is the counter in the kitchen of the old house made of?"
LEFT_OUT = "left out, because you called it wrong: "


@pytest.fixture
def house(tmp_path: Path, environment: dict[str, str]) -> Path:
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


def test_a_wrong_answer_is_never_given_from_what_is_known_and_checked_again(lens_here: Command, house: Path) -> None:
    assert lens_here("ask", QUESTION, "notes").status == 0
    assert "reused" in lens_here("ask", QUESTION, "notes").text
    (id_,) = listed(lens_here)
    wrong = lens_here("clusters", "wrong", id_[:6], "--path", "notes")
    assert (wrong.status, wrong.text) == (0, f"withdrawn, and kept as a check: {QUESTION}\n")
    assert listed(lens_here) == []
    for question in (QUESTION, QUESTION, LIKE):
        again = lens_here("ask", question, "notes")
        assert "reused" not in again.text
    assert LEFT_OUT in lens_here("ask", QUESTION, "notes").complaint
    assert json.loads(lens_here("ask", QUESTION, "notes", "--json").out)["status"] != "answered"
    assert json.loads(lens_here("ask", QUESTION, "notes", "--json").out)["stopped"] != "reused"
    known = [
        json.loads(lens_here("clusters", "show", one, "--path", "notes", "--json").out) for one in listed(lens_here)
    ]
    assert QUESTION not in str(known)

    assert checked(lens_here) == checked(lens_here, "--mode", "evidence") == (1, [(QUESTION, True)])
    told = lens_here("clusters", "check", "--path", "notes")
    assert f"still wrong: {QUESTION} {PROOF}\n1 check: 1 still wrong\n" in told.text
    (house / "house.md").write_text("# House\n\nThe kitchen counter of the old house is made of oak.\n", "utf-8")
    assert checked(lens_here) == (0, [(QUESTION, False)])

    check = json.loads(lens_here("clusters", "check", "--path", "notes", "--json").out)["checks"][0]["id"]
    assert "the check of" in lens_here("clusters", "forget", check[:8], "--path", "notes").text
    assert checked(lens_here) == (0, [])


def test_forgetting_everything_forgets_the_checks(lens_here: Command, house: Path, environment: dict[str, str]) -> None:
    lens_here("ask", QUESTION, "notes")
    lens_here("clusters", "wrong", *listed(lens_here), "--path", "notes", "--json")
    assert lens_here("clusters", "forget", "--all", "--path", "notes").status == 0
    home = Path(environment["HOME"])
    left = [path for path in home.rglob("*") if path.is_file() and PROOF.encode() in path.read_bytes()]
    assert left == []
    assert lens_here("clusters", "forget", "--all", "--path", "notes").status == 1


def test_a_cluster_that_is_not_there_is_not_wrong(lens_here: Command, house: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    assert lens_here("clusters", "wrong", "zzzz", "--path", "notes").status == 2


def test_verify_says_what_it_verifies(lens_here: Command, house: Path) -> None:
    lens_here("ask", QUESTION, "notes")
    verified = lens_here("clusters", "verify", "--path", "notes").text
    assert "1 citation: 1 verified\n" in verified
    assert "whether the answer is right was not checked" in verified


BLOCKED = """
import sys
sys.modules.update(dict.fromkeys(["starlette", "uvicorn", "tomlkit"]))
from lens_lsp.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "does not exist"),
        (["a.md"], "not a folder"),
        (["--port", "70000"], "port"),
        (["--port", "x"], "port"),
        (["--nothing"], "--nothing"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(lens: Command, tmp_path: Path, arguments: list[str], told: str) -> None:
    (tmp_path / "a.md").write_text("x")
    outcome = lens("desktop", "--no-browser", *arguments)
    assert told in outcome.complaint
    assert_one_sentence(outcome, 2)


def test_a_port_that_is_taken_is_one_sentence(lens: Command, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = lens("desktop", "--no-browser", "--port", str(taken.getsockname()[1]))
    assert "--port" in outcome.complaint
    assert_one_sentence(outcome, 2)


def test_without_the_extra_the_command_that_installs_it_is_named() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED, "desktop"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "pip install 'lens-lsp[desktop]'" in done.stderr


def test_without_its_extra_a_window_names_the_command_that_installs_it() -> None:
    code = BLOCKED.replace('["starlette", "uvicorn", "tomlkit"]', '["webview"]')
    done = subprocess.run(
        [sys.executable, "-c", code, "desktop", "--window"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "pip install 'lens-lsp[window]'" in done.stderr


def test_help_imports_no_web_server() -> None:
    code = (
        "import sys\nfrom lens_lsp.cli import main\nmain(['desktop', '--help'])\n"
        "print(*sorted({'starlette', 'uvicorn', 'asyncio', 'numpy', 'keyring'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "--no-browser" in done.stdout
    assert done.stderr.strip() == ""
