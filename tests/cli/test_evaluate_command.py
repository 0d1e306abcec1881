"""``lens eval run`` with the configured model: who it is, and whether it may be sent the corpus."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from lens_process import Command, assert_one_sentence
from scripted_endpoint import FAR, assert_no_key, following, request_of, settings, stages

from benchmarks.scripted_model import reply
from tests.judge.llm.chat_server import ChatServer, in_thread

BODY = "Bridges\n\nThe bridge at Arlen was opened on 4 May 1931. It is of steel.\n"
QUESTION = {
    "id": "q1",
    "question": "When was the bridge at Arlen opened?",
    "answer": "4 May 1931",
    "smallest_snapshot": 1,
    "supporting_paths": ["Bridges"],
    "supporting_spans": [["Bridges", 9, 53]],
}


@pytest.fixture
def lens(lens_here: Command) -> Command:
    """The process itself is not what is tested here."""
    return lens_here


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
        assert stages(server) == ["read"]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["mode"], summary["oracle"], summary["error"]) == ("fast", "chat", None)
    arm = summary["arms"]["lens"]
    assert arm["calls"]["total"] == arm["calls"]["most"] == 1
    assert arm["calls"]["stages"] == {"read": 1}
    assert arm["calls"]["beyond"] == 0
    assert arm["evidenceRecall"]["strict"]["value"] == 100.0
    assert arm["ground"]["strict"]["value"] == 100.0
    assert_no_key(outcome)


def test_a_days_tokens_end_a_run_which_goes_on_when_there_are_more(
    lens: Command, places: tuple[str, ...], tmp_path: Path, environment: dict[str, str]
) -> None:
    """What a run spends is counted like that of any question, and no call is made that could exceed the limit."""
    config = tmp_path / "lens.toml"
    environment["LENS_CONFIG"] = str(config)
    config.write_text("[budget]\ndailyTokens = 200_000\n")
    with in_thread(ChatServer(following())) as server:
        run = ("eval", "run", *places, "--mode", "fast")
        env = settings(server.base_url)
        assert lens(*run, env=env).status == 0
        (kept,) = Path(environment["HOME"]).rglob("usage.json")
        ((spent,),) = (origins.values() for origins in json.loads(kept.read_text())["days"].values())
        assert (spent["calls"], stages(server)) == (1, ["read"])
        config.write_text(f"[budget]\ndailyTokens = {sum(spent['tokens'].values()) + 20}\n")
        ended = lens(*run, "--anew", env=env)
        assert (ended.status, ended.out) == (2, b"")
        assert "tokens a day of budget.dailyTokens, 20 are left" in ended.complaint
        assert len(stages(server)) == 1
        config.write_text("[budget]\ndailyTokens = 200_000\n")
        assert lens(*run, env=env).status == 0
        assert len(stages(server)) == 2


def test_the_budget_is_the_users_own_stands_in_the_run_and_is_kept_to_by_all_of_it(
    lens: Command, places: tuple[str, ...], tmp_path: Path
) -> None:
    lowest = "[budget]\ncalls = 0\ntokens = 10\n"
    (tmp_path / ".lens.toml").write_text(lowest)  # what stands in a corpus by itself is refused as a change of it
    with in_thread(ChatServer(following())) as server:
        env = settings(server.base_url, LENS_BUDGET_SECONDS="77")
        run = ("eval", "run", *places, "--mode", "fast")
        outcome = lens(*run, env=env)
        assert outcome.status == 0, outcome.complaint
        assert stages(server) == ["read"]
        budget = {"calls": 4, "tokens": 128_000, "seconds": 77.0, "cost": None, "callSeconds": 600.0}
        for name in ("run.json", "summary.json"):
            assert json.loads((tmp_path / "run" / name).read_text())["budget"] == budget
        assert lens(*run, env=env).status == 0
        other = lens(*run, env=env | {"LENS_BUDGET_SECONDS": "78"})
        assert (other.status, other.out) == (2, b"")
        assert "another budget" in other.complaint
        assert '"seconds": 78.0' in other.complaint
        context = lens(*run, env=env | {"LENS_CONTEXT_TOKENS": "8000"})
        assert (context.status, context.out) == (2, b"")
        assert "another contextTokens (null, not 8000)" in context.complaint
        assert stages(server) == ["read"]
        (tmp_path / "lens.toml").write_text(lowest)
        outcome = lens(*run, "--anew", env=env | {"LENS_CONFIG": str(tmp_path / "lens.toml")})
        assert outcome.status == 0, outcome.complaint
        assert stages(server) == ["read"], "the user's own does count"


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


def test_every_arm_is_asked_of_the_configured_models(lens: Command, places: tuple[str, ...], tmp_path: Path) -> None:
    vectors = {"data": [{"index": 0, "embedding": [0.6, 0.8]}]}
    arms = ("react", "hybrid", "bm25-rag", "closed-book")
    server = ChatServer(lambda asked: reply(request_of(asked)), routes={"/v1/embeddings": vectors})
    with in_thread(server):
        named = {"LENS_EMBEDDINGS_BASE_URL": server.base_url, "LENS_EMBEDDINGS_MODEL": "small"}
        env = settings(server.base_url, **named, LENS_EMBEDDINGS_API_KEY="sk-of-another")
        options = ("--arm", ",".join(arms), "--mode", "deep", "--temperature", "0.25", "--call-seconds", "30")
        outcome = lens("eval", "run", *places, *options, env=env)
    assert outcome.status == 0, outcome.complaint
    assert_no_key(outcome)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert [(name, summary["arms"][name]["n"]) for name in summary["arms"]] == [(name, 1) for name in arms]
    chats = [request for request in server.requests if request.path.endswith("/chat/completions")]
    assert {request.json["temperature"] for request in chats} == {0.25}
    embedded = [request for request in server.requests if request.path.endswith("/embeddings")]
    assert {request.headers["authorization"] for request in embedded} == {"Bearer sk-of-another"}
    assert [path.name for path in tmp_path.glob("*.npz")] == ["small.vectors.npz"]


def test_half_an_embedding_model_is_refused(lens: Command, places: tuple[str, ...]) -> None:
    outcome = lens("eval", "run", *places, "--arm", "hybrid", env={"LENS_EMBEDDINGS_MODEL": "small"})
    assert_one_sentence(outcome, 2)
    assert "LENS_EMBEDDINGS_BASE_URL" in outcome.complaint


def test_a_far_embedding_model_is_sent_no_corpus_without_consent(lens: Command, places: tuple[str, ...]) -> None:
    env = {"LENS_EMBEDDINGS_MODEL": "small", "LENS_EMBEDDINGS_BASE_URL": FAR}
    outcome = lens("eval", "run", *places, "--arm", "hybrid", env=env)
    assert_one_sentence(outcome, 2)
    assert "--yes" in outcome.complaint


def test_a_judge_is_another_model_with_a_key_of_its_own(lens: Command, places: tuple[str, ...], tmp_path: Path) -> None:
    with in_thread(ChatServer(following())) as server:
        assert lens("eval", "run", *places, "--mode", "fast", env=settings(server.base_url)).status == 0
    rows = (tmp_path / "run" / "lens.rows.jsonl").read_bytes()
    said = json.loads(rows)["answer"] | {"short": "in May 1931"}
    (tmp_path / "run" / "lens.rows.jsonl").write_text(json.dumps(json.loads(rows) | {"answer": said}) + "\n")
    with in_thread(ChatServer('{"equivalent": true}')) as server:
        named = {"LENS_JUDGE_BASE_URL": server.base_url, "LENS_JUDGE_MODEL": "examiner"}
        env = settings(FAR, **named, LENS_JUDGE_API_KEY="sk-of-the-judge")
        outcome = lens("eval", "judge", "run", "--dataset", "bridges", env=env)
    assert outcome.status == 0, outcome.complaint
    assert b"lens: 100.0 % judged right of 1" in outcome.out
    assert_no_key(outcome)
    (request,) = (one for one in server.requests if one.path.endswith("/chat/completions"))
    assert request.headers["authorization"] == "Bearer sk-of-the-judge"
    assert request.json["model"] == "examiner"
    assert "in May 1931" in request.json["messages"][1]["content"]


def test_a_far_judge_is_sent_nothing_without_consent_and_half_a_judge_is_refused(
    lens: Command, places: tuple[str, ...]
) -> None:
    assert lens("eval", "run", *places, "--mode", "evidence").status == 0
    for env, told in (
        ({"LENS_JUDGE_BASE_URL": FAR, "LENS_JUDGE_MODEL": "examiner"}, "--yes"),
        (settings(FAR), "LENS_JUDGE_BASE_URL"),
    ):
        outcome = lens("eval", "judge", "run", "--dataset", "bridges", env=env)
        assert_one_sentence(outcome, 2)
        assert told in outcome.complaint
