from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_datasets import write_lines

from evaluation.data.datasets import GoldSpan, articles, open_dataset, questions
from lens_lsp.model.errors import EvaluationError


def _rewrite_manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_snapshot_holds_the_questions_and_articles_of_the_smaller_ones(dataset_dir: Path) -> None:
    small, large = open_dataset(dataset_dir, "2"), open_dataset(dataset_dir, "D_3")
    assert [question.id for question in questions(small)] == ["q1", "q2"]
    assert [question.id for question in questions(large)] == ["q1", "q2", "q3"]
    assert [article.path for article in articles(small)] == ["Ada_Lovelace", "Charles_Babbage"]
    assert [article.path for article in articles(large)][2:] == ["Grace_Hopper", "Jacquard_loom"]


def test_gold_is_read_with_its_spans(dataset_dir: Path) -> None:
    question = questions(open_dataset(dataset_dir, "2"))[1]
    body = {article.path: article.body for article in articles(open_dataset(dataset_dir, "2"))}
    assert question.gold.paths == ("Charles_Babbage",)
    assert question.gold.answers == ("1837",)
    assert [body[span.path][span.start : span.end] for span in question.gold.support] == ["in 1837"]


def test_unanswerable_questions_come_only_when_asked_for(answers_dir: Path) -> None:
    dataset = open_dataset(answers_dir, "3")
    assert [question.id for question in questions(dataset)] == ["a1"]
    assert [question.id for question in questions(dataset, answerable=False)] == ["a2"]
    gold = questions(dataset)[0].gold
    assert gold.paths == ("Charles_Babbage",)
    assert {span.path for span in gold.answer_spans} == {"Charles_Babbage"}
    assert gold.spans == gold.answer_spans


def test_known_items_all_have_an_answer(workspace_dir: Path) -> None:
    assert questions(open_dataset(workspace_dir, "guide"), answerable=False) == ()


def test_known_items_name_the_documents_that_cite_them(workspace_dir: Path) -> None:
    (question,) = questions(open_dataset(workspace_dir, "guide"))
    assert question.text == "run the setup program"
    assert question.gold.paths == ("docs/install.md",)
    assert question.gold.excluded == frozenset({"docs/index.md"})
    assert question.gold.spans == ()


@pytest.mark.parametrize("snapshot", ["5", "D_5", "S_all490", ""])
def test_an_unknown_snapshot_is_refused_with_the_known_ones(dataset_dir: Path, snapshot: str) -> None:
    with pytest.raises(EvaluationError, match="it has 2, 3"):
        open_dataset(dataset_dir, snapshot)


def test_a_folder_without_a_manifest_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="is not a data set"):
        open_dataset(tmp_path, "2")


def test_a_workspace_without_questions_says_so(workspace_dir: Path) -> None:
    (workspace_dir / "guide.known-item.jsonl.gz").unlink()
    with pytest.raises(EvaluationError, match="has no questions"):
        questions(open_dataset(workspace_dir, "guide"))


def test_a_changed_file_does_not_pass_its_checksum(dataset_dir: Path) -> None:
    path = dataset_dir / "questions.jsonl.gz"
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(EvaluationError, match="checksum"):
        questions(open_dataset(dataset_dir, "2"))


def test_a_truncated_file_is_an_error_of_the_data_set(dataset_dir: Path) -> None:
    _rewrite_manifest(dataset_dir, files={})
    path = dataset_dir / "questions.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(EvaluationError, match="cannot be read"):
        questions(open_dataset(dataset_dir, "2"))


def test_questions_in_another_order_are_noticed(dataset_dir: Path) -> None:
    manifest = json.loads((dataset_dir / "manifest.json").read_text())
    manifest["D_2"]["order_sha256"] = manifest["D_3"]["order_sha256"]
    _rewrite_manifest(dataset_dir, **manifest)
    with pytest.raises(EvaluationError, match="order_sha256"):
        questions(open_dataset(dataset_dir, "2"))


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../b", "", "a//b"])
def test_a_path_that_leaves_the_corpus_is_refused_with_file_and_line(dataset_dir: Path, path: str) -> None:
    write_lines(dataset_dir / "snapshots.jsonl.gz", [{"path": path, "min_snapshot": 2}])
    _rewrite_manifest(dataset_dir, files={})
    with pytest.raises(EvaluationError, match=r"snapshots\.jsonl\.gz, line 1: path"):
        articles(open_dataset(dataset_dir, "2"))


def test_a_listed_article_without_a_body_is_noticed(dataset_dir: Path) -> None:
    write_lines(dataset_dir / "snapshots.jsonl.gz", [{"path": "Nowhere", "min_snapshot": 2}])
    _rewrite_manifest(dataset_dir, files={})
    with pytest.raises(EvaluationError, match="1 articles are listed, 0 have a body"):
        articles(open_dataset(dataset_dir, "2"))


@pytest.mark.parametrize(
    ("folder", "snapshot", "asked", "documents"),
    [
        ("hotpotqa", "125", 125, 5_032),
        ("hotpotqa", "500", 500, 20_020),
        ("2wiki", "250", 250, 7_004),
        ("musique", "70", 70, 4_644),
        ("squad", "S_dev48", 500, 48),
        ("squad", "S_all490", 500, 490),
    ],
)
def test_the_published_snapshots_have_their_published_sizes(
    data_dir: Path, folder: str, snapshot: str, asked: int, documents: int
) -> None:
    dataset = open_dataset(data_dir / folder, snapshot)
    bodies = {article.path: article.body for article in articles(dataset)}
    found = questions(dataset)
    assert (len(found), len(bodies)) == (asked, documents)
    assert all(set(question.gold.paths) <= bodies.keys() for question in found)
    assert all(_stands(span, bodies) for question in found for span in question.gold.spans)


def _stands(span: GoldSpan, bodies: dict[str, str]) -> bool:
    text = bodies[span.path][span.start : span.end]
    return len(text) == span.end - span.start and text.strip() != ""
