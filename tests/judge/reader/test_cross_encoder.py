"""The reader's folder and its limits, with real files: what is damaged is told, what is too much is cut."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.judge.reader.cross_encoder import (
    LONGEST_PASSAGE,
    MOST_PASSAGES,
    PassageScore,
    ReaderModel,
    ReaderPassage,
    ReaderUnavailable,
    load,
)
from lens_lsp.model.answer import StopReason
from lens_lsp.model.errors import BudgetSpent
from tests.availability import unavailable
from tests.conftest import REPOSITORY
from tests.judge.reader.tiny_reader import PROOF, SPECIAL, write_reader

pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")

DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (lambda folder: folder.rename(folder.with_name("elsewhere")), "there is no reader.onnx in"),
    "no vocabulary": (lambda folder: (folder / "vocab.txt").unlink(), "there is no vocab.txt in"),
    "a network that is none": (lambda folder: (folder / "reader.onnx").write_bytes(b"\0" * 5_000), "cannot be loaded"),
    "half a network": (
        lambda folder: (folder / "reader.onnx").write_bytes((folder / "reader.onnx").read_bytes()[:-200]),
        "reader.onnx",
    ),
    "no JSON": (lambda folder: (folder / "reader.json").write_text("{", "utf-8"), "is damaged"),
    "no text": (lambda folder: (folder / "vocab.txt").write_bytes(b"\xff\xfe\xfd"), "is damaged"),
    "no special tokens": (lambda folder: (folder / "vocab.txt").write_text("a\nb\n", "utf-8"), "is damaged"),
    "another kind": (
        lambda folder: (folder / "reader.json").write_text(json.dumps({"schema": "lens.reader/2"}), "utf-8"),
        "is of the kind 'lens.reader/2', not 'lens.reader/1'",
    ),
    "a list": (lambda folder: (folder / "reader.json").write_text("[]", "utf-8"), "is of the kind None"),
    "an unknown figure": (
        lambda folder: (folder / "reader.json").write_text(
            json.dumps({"schema": "lens.reader/1", "calibration": {"bais": 1}}), "utf-8"
        ),
        "is damaged",
    ),
    "the vocabulary of a larger one": (
        lambda folder: (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *map(str, range(99))]), "utf-8"),
        "do not fit together",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_folder_that_cannot_be_used_is_told_in_one_line(tmp_path: Path, damage: str) -> None:
    folder = write_reader(tmp_path / "reader")
    damaged, told = DAMAGE[damage]
    damaged(folder)
    with pytest.raises(ReaderUnavailable) as caught:
        load(folder)
    message = str(caught.value)
    assert message.startswith("the reader is off: ")
    assert told in message
    assert str(folder) in message
    assert "\n" not in message


def test_a_network_that_gives_no_numbers_is_told_at_loading(tmp_path: Path) -> None:
    with pytest.raises(ReaderUnavailable, match="do not fit together"):
        load(write_reader(tmp_path, high=float("nan")))


def test_a_folder_is_loaded_once(tmp_path: Path) -> None:
    folder = write_reader(tmp_path)
    assert load(folder) is load(folder)


def test_a_passage_that_states_it_is_told_from_one_that_does_not(tmp_path: Path) -> None:
    yes, no, nothing = load(write_reader(tmp_path)).read(
        "what?", [ReaderPassage(f"It is {PROOF}."), ReaderPassage("It is not."), ReaderPassage("")]
    )
    assert yes.log_odds > 0 > no.log_odds > nothing.log_odds
    assert (yes.start, yes.end) == (6, 6 + len(PROOF))


def test_of_10_000_passages_the_first_are_read_in_bounded_time(tmp_path: Path) -> None:
    model = load(write_reader(tmp_path))
    passages = [ReaderPassage("word " * 40)] * (MOST_PASSAGES - 1) + [ReaderPassage(PROOF)] * (
        10_000 - MOST_PASSAGES + 1
    )
    began = time.perf_counter()
    readings = model.read("what?", passages)
    assert time.perf_counter() - began < 10
    assert len(readings) == 10_000
    assert [n for n, reading in enumerate(readings) if reading.log_odds > 0] == [MOST_PASSAGES - 1]


def test_of_a_passage_of_5_megabytes_the_beginning_is_read(tmp_path: Path) -> None:
    model = load(write_reader(tmp_path))
    far = "word " * 1_000_000 + PROOF
    near = "word " * 1_000 + f"{PROOF} {far}"
    began = time.perf_counter()
    late, early = model.read("what?", [ReaderPassage(far), ReaderPassage(near)])
    assert time.perf_counter() - began < 10
    assert late.log_odds < 0 < early.log_odds
    assert early.start == 5_000 < LONGEST_PASSAGE


def test_of_a_question_of_20_000_characters_the_beginning_is_read(tmp_path: Path) -> None:
    model = load(write_reader(tmp_path))
    (reading,) = model.read("word " * 4_000 + PROOF, [ReaderPassage("It is not.")])
    assert reading.log_odds < 0


class _Counting(ReaderModel):
    """A reader that counts what it reads."""

    ran = 0

    def _run(self, one: Any) -> PassageScore:
        self.ran += 1
        return super()._run(one)


def test_reading_ends_where_the_caller_says_so(tmp_path: Path) -> None:
    model, asked, lock = _Counting(write_reader(tmp_path)), 0, threading.Lock()
    model.ran = 0  # it tried itself

    def stop() -> None:
        nonlocal asked
        with lock:
            asked += 1
            if asked > 3:
                raise BudgetSpent(StopReason.CANCELLED)

    with pytest.raises(BudgetSpent):
        model.read("what?", [ReaderPassage("word")] * 200, stop)
    assert model.ran <= 3
    assert len(model.read("what?", [ReaderPassage("word")] * 20)) == 20


READS = (
    "import sys; from pathlib import Path; from lens_lsp.judge.reader.cross_encoder import load;"
    " load(Path(sys.argv[1]))"
)
LOADS = "import sys, onnxruntime; onnxruntime.InferenceSession(sys.argv[1] + '/reader.onnx')"


@pytest.mark.skipif(sys.platform != "linux", reason="a network of its own is made by Linux's unshare")
@pytest.mark.parametrize(("program", "left"), [(READS, False), (LOADS, True)], ids=["the reader", "the library alone"])
def test_the_library_keeps_and_sends_nothing(tmp_path: Path, program: str, left: bool) -> None:
    """Its makers' telemetry would leave a number of the machine and a queue below the home folder."""
    folder, home = write_reader(tmp_path / "reader"), tmp_path / "home"
    home.mkdir()
    command = ["unshare", "-r", "-n", sys.executable, "-c", program, str(folder)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(command, env=environment, cwd=home, capture_output=True, encoding="utf-8", check=False)
    if "unshare" in done.stderr:
        unavailable("a network of its own", done.stderr.strip())
    assert done.returncode == 0, done.stderr
    version = tuple(int(part) for part in importlib.metadata.version("onnxruntime").split(".")[:2])
    if left and version < (1, 29):
        pytest.skip("this onnxruntime has no telemetry here")
    assert bool([path for path in home.rglob("*") if path.is_file()]) == left
