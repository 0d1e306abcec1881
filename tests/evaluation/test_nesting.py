from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_datasets import QUESTIONS, write_dataset

from evaluation.data.datasets import open_dataset
from evaluation.data.nesting import bindings
from evaluation.data.snapshots import open_corpus, prepare
from lens_lsp.model.errors import EvaluationError


def test_a_snapshot_is_bound_with_all_that_lie_in_it(dataset_dir: Path, tmp_path: Path) -> None:
    manifest = json.loads((dataset_dir / "manifest.json").read_text())
    nested = bindings(open_dataset(dataset_dir, "3"))
    assert [(one.snapshot, one.questions, one.articles) for one in nested] == [("D_2", 2, 2), ("D_3", 3, 4)]
    for one in nested:
        entry = manifest[one.snapshot]
        assert (one.sample_ids, one.order) == (entry["sample_ids_sha256"], entry["order_sha256"])
        assert one.corpus == entry["corpus_sha256"]
    prepare(dataset_dir, "3", tmp_path / "corpus")
    assert open_corpus(tmp_path / "corpus", open_dataset(dataset_dir, "3")).nested == nested


def test_questions_that_grow_in_front_are_not_nested(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "engines", (QUESTIONS[2], *QUESTIONS[:2]))
    with pytest.raises(EvaluationError, match="the questions of D_2 are not the first of D_3"):
        bindings(open_dataset(folder, "3"))


def test_the_published_snapshots_are_nested(data_dir: Path) -> None:
    nested = bindings(open_dataset(data_dir / "hotpotqa", "500"))
    assert [(one.snapshot, one.articles) for one in nested] == [("D_125", 5_032), ("D_250", 10_044), ("D_500", 20_020)]


def test_a_workspace_has_one_snapshot(workspace_dir: Path) -> None:
    assert bindings(open_dataset(workspace_dir, "guide")) == ()
