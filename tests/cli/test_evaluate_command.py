"""``lens eval run`` with the configured model: who it is, and whether it may be sent the corpus."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from lens_process import Command, assert_one_sentence
from scripted_endpoint import FAR, assert_no_key, following, settings, stages

from tests.models.chat_server import ChatServer, in_thread

BODY = "Bridges\n\nThe bridge at Arlen was opened on 4 May 1931. It is of steel.\n"
QUESTION = {
    "id": "q1",
    "question": "When was the bridge at Arlen opened?",
    "answer": "4 May 1931",
    "smallest_snapshot": 1,
    "supporting_paths": ["Bridges"],
    "supporting_spans": [["Bridges", 9, 53]],
}


def _packed(row: object) -> bytes:
    return gzip.compress(f"{json.dumps(row)}\n".encode(), mtime=0)


@pytest.fixture
def places(tmp_path: Path, lens: Command) -> tuple[str, ...]:
    """A data set of one article and one question, prepared; the arguments that name it."""
    folder = tmp_path / "bridges"
    folder.mkdir()
    own = hashlib.sha256(BODY.encode()).hexdigest()
    (folder / "corpus.jsonl.gz").write_bytes(
        _packed({"path": "Bridges", "title": "Bridges", "body": BODY, "sha256": own})
    )
    (folder / "snapshots.jsonl.gz").write_bytes(_packed({"path": "Bridges", "min_snapshot": 1}))
    (folder / "questions.jsonl.gz").write_bytes(_packed(QUESTION))
    checksum = hashlib.sha256(b"Bridges" + own.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps({"D_1": {"articles": 1, "corpus_sha256": checksum}}))
    assert lens("eval", "prepare", "bridges", "--snapshot", "1", "--out", "corpus").status == 0
    return ("bridges", "--snapshot", "1", "--corpus", "corpus", "--out", "run")


def test_the_configured_model_judges_and_its_calls_are_counted(
    lens: Command, places: tuple[str, ...], tmp_path: Path
) -> None:
    with in_thread(ChatServer(following())) as server:
        outcome = lens("eval", "run", *places, "--mode", "fast", env=settings(server.base_url))
        assert outcome.status == 0, outcome.complaint
        assert stages(server) == ["analyse", "observe", "synthesise"]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["mode"], summary["oracle"], summary["error"]) == ("fast", "chat", None)
    arm = summary["arms"]["lens"]
    assert arm["calls"] == {"total": 3, "mean": {"value": 3.0, "low": 3.0, "high": 3.0, "n": 1}, "most": 3, "beyond": 0}
    assert arm["evidenceRecall"]["strict"]["value"] == 100.0
    assert arm["ground"]["strict"]["value"] == 100.0
    assert_no_key(outcome)


def test_a_far_endpoint_is_sent_no_corpus_without_consent(
    lens: Command, places: tuple[str, ...], tmp_path: Path
) -> None:
    outcome = lens("eval", "run", *places, "--mode", "deep", env=settings(FAR))
    assert_one_sentence(outcome, 2)
    assert "--yes" in outcome.complaint
    assert not (tmp_path / "run").exists()


def test_without_a_model_the_variables_are_named(lens: Command, places: tuple[str, ...]) -> None:
    outcome = lens("eval", "run", *places, "--mode", "deep")
    assert_one_sentence(outcome, 2)
    assert "LENS_BASE_URL" in outcome.complaint
