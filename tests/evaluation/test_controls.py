"""Controls and audits, with real arms over small corpora."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_datasets import write_dataset

from evaluation.answer_key import AnswerKeyFactory
from evaluation.arms.base import Arm
from evaluation.arms.making import make_arms
from evaluation.audits.auditing import AuditPlan, audit
from evaluation.audits.controls import StaleArm, in_context, since, without_gold
from evaluation.audits.lifecycle import lifecycle
from evaluation.audits.reuse import reuse
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.runner import run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import UsageError


def _both() -> list[Arm]:
    return make_arms(["lens", "bm25s"])


def _recall(summary: dict[str, object]) -> dict[str, float]:
    return {name: arm["documentRecall"]["10"]["value"] for name, arm in summary["arms"].items()}


def test_what_came_after_an_index_is_not_in_it_and_lens_finds_it(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    setting = since(dataset, corpus, questions(dataset), _both, "2")
    assert [question.id for question in setting.questions] == ["q3"], "only what was added is asked"
    summary = run(dataset, setting.corpus, setting.questions, setting.arms, tmp_path / "run")
    assert _recall(summary) == {"lens": 100.0, "lens-stale": 100.0, "bm25s": 100.0, "bm25s-stale": 0.0}
    assert summary["control"] == "stale since D_2"
    assert [binding["snapshot"] for binding in summary["nested"]] == ["D_2", "D_3"]


def test_a_corpus_that_did_not_grow_out_of_another_has_no_stale_index(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "2")
    corpus = prepare(dataset_dir, "2", tmp_path / "corpus")
    with pytest.raises(UsageError, match="did not grow out of"):
        since(dataset, corpus, questions(dataset), _both, "3")


def test_without_the_gold_documents_none_is_found_and_the_corpus_is_as_it_was(
    dataset_dir: Path, tmp_path: Path
) -> None:
    dataset = open_dataset(dataset_dir, "2")
    corpus = prepare(dataset_dir, "3", tmp_path / "three")
    small = questions(dataset)
    setting = without_gold(corpus, small, _both)
    summary = run(open_dataset(dataset_dir, "3"), setting.corpus, small, setting.arms, tmp_path / "run")
    found = _recall(summary)
    assert (found["lens"], found["bm25s"]) == (100.0, 100.0)
    assert (found["lens-without-gold"], found["bm25s-without-gold"]) == (0.0, 0.0)
    assert len(list((tmp_path / "three").iterdir())) == 4


def test_in_context_an_arm_sees_what_came_with_the_question_and_nothing_else(tmp_path: Path) -> None:
    titles = [f"Page {number}" for number in range(6)]
    rows = [
        {
            "_id": f"q{number}",
            "question": "Which page tells of the lighthouse?",
            "answer": "it",
            "supporting_facts": [[titles[number], 0]],
            "context": [[title, ["It tells of the lighthouse."]] for title in titles[number : number + 2]],
        }
        for number in range(4)
    ]
    path = tmp_path / "release.json"
    path.write_text(json.dumps(rows))
    dataset = open_dataset(path, "all")
    corpus = prepare(path, "all", tmp_path / "corpus")
    setting = in_context(dataset, corpus, questions(dataset), _both)
    run(dataset, setting.corpus, setting.questions, setting.arms, tmp_path / "run")
    for arm in ("lens", "bm25s"):
        lines = (tmp_path / "run" / f"{arm}-in-context.rows.jsonl").read_text().splitlines()
        for row in map(json.loads, lines):
            assert set(row["documents"]) <= set(dataset.release.contexts[row["id"]])
            assert row["scores"]["documentRecall.2"] == 1.0


def test_only_a_release_says_what_came_with_a_question(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "2")
    corpus = prepare(dataset_dir, "2", tmp_path / "corpus")
    with pytest.raises(UsageError, match="only the file of a release"):
        in_context(dataset, corpus, questions(dataset), _both)


def test_a_control_leaves_no_folder_behind(dataset_dir: Path, tmp_path: Path) -> None:
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    arm = StaleArm(make_arms(["lens"])[0], frozenset({"Ada_Lovelace"}))
    arm.prepare(corpus.folder)
    folder = arm.folder
    assert len(list(folder.iterdir())) == 4
    arm.close()
    assert not folder.parent.exists()


def test_an_index_has_bytes_and_must_be_rebuilt_and_lens_neither(dataset_dir: Path, tmp_path: Path) -> None:
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    lens, *indexes = lifecycle(corpus, make_arms(["lens", "bm25s", "tantivy"]))
    assert (lens.stored, lens.found_at_once, lens.rebuild) == (0, True, 0.0)
    assert len(indexes) == 2
    for index in indexes:
        assert index.stored > 500
        assert not index.found_at_once
        assert index.rebuild > 0
        assert index.found
    assert len(list((tmp_path / "corpus").iterdir())) == 4, "the corpus itself is not changed"


def test_what_is_asked_again_costs_no_calls_and_says_the_same(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    asked = questions(dataset)
    found = reuse(corpus, asked, AnswerKeyFactory.of(Mode.FAST, asked, corpus))
    assert (found.n, found.answered, found.reused, found.reused_equal) == (3, 3, 3, 3)
    assert found.calls[0] > 0
    assert found.calls[1] == 0
    assert found.stored > 0
    assert reuse(corpus, asked, OracleFactory()).calls == (0, 0)


def test_the_audits_write_one_page_and_their_runs(dataset_dir: Path, tmp_path: Path) -> None:
    plan = AuditPlan(snapshots=("2", "3", "3"), arms=("lens", "bm25s"))
    page = audit(dataset_dir, tmp_path / "work", tmp_path / "out", plan)
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Staleness",
        "## Lifecycle",
        "## Abstention",
        "## Warm reuse",
    ]
    assert (tmp_path / "out" / "audits.md").read_text() == "<!-- made by lens eval -->\n" + page
    audits = json.loads((tmp_path / "out" / "audits.json").read_text())["audits"]
    assert list(audits["staleness"]) == ["2-3"], "nothing grows to itself"
    assert audits["staleness"]["2-3"]["bm25s-stale"]["documentRecall.10"]["value"] == 0.0
    assert set(audits["abstention"]) == {"lens", "lens-without-gold"}
    assert (tmp_path / "out" / "staleness-2-3" / "run.json").exists()


def test_an_audit_that_there_is_not_is_refused(tmp_path: Path) -> None:
    data = write_dataset(tmp_path / "engines")
    with pytest.raises(UsageError, match="there is no audit 'cost'"):
        audit(data, tmp_path / "work", tmp_path / "out", AuditPlan(audits=("cost",)))
    with pytest.raises(UsageError, match="three snapshots"):
        audit(data, tmp_path / "work", tmp_path / "out", AuditPlan(snapshots=("2",)))
