"""Vectors: made once, kept by the text, told with what they took, and fused with BM25."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from arm_doubles import Letters
from small_datasets import BODIES

from benchmarks.scripted_model import ScriptedModel
from evaluation.arms.dense import Embedding, EndpointEmbedder
from evaluation.arms.hybrid import HybridIndex, fused
from evaluation.arms.indexes import Bm25sIndex
from evaluation.arms.making import make_arms
from evaluation.arms.minilm import MiniLm
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.embeddings import Embeddings
from evaluation.runner import run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.judge.llm.chat_model import ModelError
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import EvaluationError, MissingExtra
from tests.availability import unavailable
from tests.judge.llm.chat_server import ChatServer, in_thread


def test_a_vector_is_made_once_and_found_again(tmp_path: Path) -> None:
    first, second = Letters(), Letters()
    made = Embedding(first, tmp_path).of(["abc", "xyz", "abc"])
    assert first.seen == ["abc", "xyz"]
    assert made.rows.shape == (3, 26)
    assert made.earlier == 0.0
    kept = Embedding(second, tmp_path)
    again = kept.of(["xyz", "new", "abc"])
    assert second.seen == ["new"]
    assert np.array_equal(again.rows[[2, 0]], made.rows[[0, 1]])
    assert again.earlier > 0.0
    assert kept.of(["xyz", "abc"]).earlier == 0.0
    assert [path.name for path in tmp_path.iterdir()] == ["letters-1.vectors.npz"]


def test_without_a_folder_nothing_is_kept(tmp_path: Path) -> None:
    assert Embedding(Letters()).of(["abc"]).rows.shape == (1, 26)
    assert list(tmp_path.iterdir()) == []


def test_vectors_made_before_a_failure_are_kept(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(600)]
    with pytest.raises(ModelError):
        Embedding(Letters(), tmp_path).of([*texts, "fail"])
    later = Letters()
    Embedding(later, tmp_path).of(texts)
    assert 0 < len(later.seen) < 600


def test_a_file_of_vectors_that_is_broken_is_named(tmp_path: Path) -> None:
    (tmp_path / "letters-1.vectors.npz").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(EvaluationError, match=r"letters-1\.vectors\.npz"):
        Embedding(Letters(), tmp_path).of(["abc"])


def test_the_nearest_come_first_and_equal_ones_in_order() -> None:
    vectors = Embedding(Letters()).of(["zzz", "aab", "aaa", "aaa", "bbb"])
    query = Embedding(Letters()).query("a")
    assert vectors.nearest(query, 3) == [2, 3, 1]
    assert vectors.nearest(query, 9) == [2, 3, 1, 0, 4]


def test_fusion_favours_what_both_rankings_have() -> None:
    a, b, c, d = (("a", 0, 1), ("b", 0, 1), ("c", 0, 1), ("d", 0, 1))
    assert fused([[a, b, c], [d, b]]) == [b, a, d, c]
    assert fused([[], [c, a]]) == [c, a]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, body in BODIES.items():
        (corpus / name).write_text(body)
    return corpus


def test_hybrid_ranks_without_a_model_and_tells_its_bytes_and_seconds(folder: Path, tmp_path: Path) -> None:
    (arm,) = make_arms(["hybrid"], embedder=Letters, vectors=tmp_path)
    seconds = arm.prepare(folder)
    assert seconds > 0
    result = arm.search("q", "Who wrote the A-0 compiler?", 3)
    assert result.documents[0] == "Grace_Hopper"
    assert len(result.documents) == 3
    assert result.answer is None
    path, start, end = result.windows[0]
    assert "compiler" in (folder / path).read_text()[start:end]
    stored = arm.stored_bytes()  # type: ignore[attr-defined]
    arm.close()
    passages = [(path, 0, len(body)) for path, body in BODIES.items()]
    assert stored == Bm25sIndex(passages, BODIES).stored_bytes() + 4 * 26 * len(BODIES)


def test_what_an_endpoint_was_sent_for_questions_and_index_stands_in_rows_and_summary(
    dataset_dir: Path, tmp_path: Path
) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    passages = len(list(corpus.folder.iterdir()))
    for out, factory in (("ranks", None), ("answers", OracleFactory(Mode.DEEP, ScriptedModel(lambda request: "{}")))):
        arms = make_arms(["hybrid"], factory=factory, embedder=lambda: Letters(each=7), vectors=tmp_path)
        summary = run(dataset, corpus, questions(dataset), arms, tmp_path / out)["arms"]["hybrid"]
        rows = [json.loads(line) for line in (tmp_path / out / "hybrid.rows.jsonl").read_text().splitlines()]
        assert [row["ledger"]["tokens"]["embedded"] for row in rows] == [7] * 3
        assert (summary["tokens"]["embedded"], summary["tokens"]["indexed"]) == (21, 7 * passages), out
        asked = summary["tokens"]["in"] + summary["tokens"]["out"]
        assert (summary["tokens"]["mean"] is None) is (factory is None)
        assert factory is None or summary["tokens"]["mean"]["value"] == pytest.approx((asked + 21) / 3, abs=0.01)


def test_vectors_that_were_kept_without_their_tokens_are_read(tmp_path: Path) -> None:
    made = Embedding(Letters(), tmp_path).of(["abc"])
    path = tmp_path / "letters-1.vectors.npz"
    with np.load(path) as kept:
        old = {name: kept[name] for name in ("digests", "vectors", "seconds")}
    np.savez(path, **old)
    later = Letters(each=5)
    again = Embedding(later, tmp_path).of(["abc", "xyz"])
    assert (later.seen, again.tokens, again.rows[0].tolist()) == (["xyz"], 5, made.rows[0].tolist())


def test_hybrid_finds_by_vectors_what_shares_no_word() -> None:
    texts = {"one": "kayaks", "two": "violin", "three": "meadow"}
    passages = [(path, 0, len(text)) for path, text in texts.items()]
    index = HybridIndex(Embedding(Letters()), passages, texts)
    assert index.search("kayak", 1) == [("one", 0, 6)]
    assert index.search("dawm oe", 1) == [("three", 0, 6)]


@pytest.fixture
def served() -> Iterator[ChatServer]:
    entries = [{"index": 1, "embedding": [0, 3, 4]}, {"index": 0, "embedding": [2, 0, 0]}]
    with in_thread(ChatServer(routes={"/v1/embeddings": {"data": entries}})) as server:
        yield server


def test_vectors_of_an_endpoint_come_in_order_and_of_length_1(served: ChatServer) -> None:
    model = Embeddings(served.base_url, "small", "sk-secret")
    rows = EndpointEmbedder(model).embed(["one", "two"])
    assert rows.tolist() == [[1.0, 0.0, 0.0], [0.0, pytest.approx(0.6), pytest.approx(0.8)]]
    assert model.tokens > 0, "what the endpoint does not tell is estimated"
    (request,) = served.requests
    assert request.json == {"model": "small", "input": ["one", "two"]}
    assert request.headers["authorization"] == "Bearer sk-secret"


def test_the_tokens_that_an_endpoint_reports_count() -> None:
    answer = {"data": [{"index": 0, "embedding": [1]}], "usage": {"prompt_tokens": 17, "total_tokens": 17}}
    with in_thread(ChatServer(routes={"/v1/embeddings": answer})) as server:
        embedder = EndpointEmbedder(Embeddings(server.base_url, "small"))
        embedder.embed(["one"])
        embedder.embed(["two"])
    assert embedder.tokens == 34
    assert embedder.endpoint == server.origin


@pytest.mark.parametrize(
    "answer",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": [0.0]}, {"index": 1, "embedding": [0.0]}]},
        {"data": [{"index": 0, "embedding": [math.inf]}, {"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": "AAAA"}, {"index": 1, "embedding": [1.0]}]},
        {"choices": []},
        [1, 2],
    ],
)
def test_what_is_no_vector_for_each_text_is_refused(answer: object) -> None:
    with in_thread(ChatServer(routes={"/v1/embeddings": answer})) as server:
        model = Embeddings(server.base_url, "small")
        with pytest.raises(ModelError, match="vector for each text"):
            asyncio.run(model.embed(["one", "two"]))


def test_an_endpoint_without_embeddings_is_named() -> None:
    with in_thread(ChatServer()) as server, pytest.raises(ModelError, match=server.origin):
        asyncio.run(Embeddings(server.base_url, "small").embed(["one"]))


def test_an_endpoint_that_hangs_is_given_up() -> None:
    server = ChatServer()
    server.silent = True
    with in_thread(server), pytest.raises(ModelError):
        asyncio.run(Embeddings(server.base_url, "small", seconds=0.2).embed(["one"]))


@pytest.fixture(scope="module")
def minilm() -> MiniLm:
    try:
        return MiniLm()
    except MissingExtra as missing:
        unavailable("dense", str(missing))


def test_minilm_gives_the_vectors_of_its_authors_implementation(minilm: MiniLm) -> None:
    texts = ["A man is eating food.", "Someone eats a meal.", "The stock market fell sharply.", ""]
    rows = minilm.embed(texts)
    assert rows.shape == (4, 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)
    # What sentence-transformers 6.2.0 gives on torch 2.13.0.
    assert rows[0, :4] == pytest.approx([0.03324, 0.00441, -0.00628, 0.04838], abs=5e-4)
    assert [float(rows[0] @ rows[n]) for n in (1, 2)] == pytest.approx([0.76142, -0.00438], abs=5e-4)


def test_a_vector_does_not_depend_on_what_it_is_made_with(minilm: MiniLm) -> None:
    texts = [f"The {word} of the town stood by the river." * (n + 1) for n, word in enumerate(["mill", "inn", "tower"])]
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    assert minilm.embed(texts * 20)[:3] == pytest.approx(alone, abs=1e-6)
