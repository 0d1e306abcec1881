"""Raw shards, plain and packed, searched as they are."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pytest
from small_datasets import BODIES

from evaluation.arms.making import make_arms
from evaluation.arms.shards import ShardArm
from evaluation.data.datasets import Dataset, open_dataset, questions
from evaluation.data.fullwiki import Titles, open_shards, unpack
from evaluation.runner import run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.model.errors import EvaluationError

_MORE = "The weather was fair on most days of that year. " * 40
"""Enough that no passage reaches over two articles."""


def _rows(*titles: str) -> bytes:
    bodies = {title: BODIES[title.replace(" ", "_")] + _MORE for title in titles}
    rows = [{"id": "1", "url": "", "title": title, "text": body} for title, body in bodies.items()]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """Two shards of two articles each, as an extractor lays them out."""
    folder = tmp_path / "wiki"
    (folder / "AA").mkdir(parents=True)
    (folder / "AA" / "wiki_00").write_bytes(_rows("Ada Lovelace", "Charles Babbage"))
    (folder / "AA" / "wiki_01").write_bytes(_rows("Grace Hopper", "Jacquard loom"))
    return folder


@pytest.fixture
def dataset(dataset_dir: Path) -> Dataset:
    return open_dataset(dataset_dir, "3")


def test_what_is_found_in_a_shard_is_named_by_its_article(dataset: Dataset, shards: Path, tmp_path: Path) -> None:
    arms = [ShardArm(arm) for arm in make_arms(["lens", "bm25s"])]
    summary = run(dataset, open_shards(shards, dataset), questions(dataset), arms, tmp_path / "run")
    for name in ("lens", "bm25s"):
        assert summary["arms"][name]["documentRecall"]["10"]["value"] == 100.0
        assert summary["arms"][name]["evidenceRecall"]["strict"] is None, "gold is known by title alone"
        for row in map(json.loads, (tmp_path / "run" / f"{name}.rows.jsonl").read_text().splitlines()):
            assert set(row["documents"]) <= set(BODIES)
    assert sorted(path.name for path in shards.rglob("*")) == ["AA", "wiki_00", "wiki_01"], "nothing was prepared"


def test_what_is_cited_from_a_shard_is_named_by_its_article(dataset: Dataset, shards: Path, tmp_path: Path) -> None:
    arms = [ShardArm(arm) for arm in make_arms(["lens"], factory=OracleFactory())]
    run(dataset, open_shards(shards, dataset), questions(dataset), arms, tmp_path / "run")
    rows = [json.loads(line) for line in (tmp_path / "run" / "lens.rows.jsonl").read_text().splitlines()]
    windows = [window for row in rows for window in row["windows"]]
    assert windows
    assert {path for path, _, _ in windows} <= set(BODIES)


def test_a_place_belongs_to_the_row_it_lies_in(shards: Path) -> None:
    text = (shards / "AA" / "wiki_00").read_text("utf-8")
    titles = Titles(shards)
    first = text.index("\n")
    assert titles.named("AA/wiki_00", 0, 5) == ("Ada_Lovelace", 0, 5)
    assert titles.named("AA/wiki_00", first + 1, first + 9) == ("Charles_Babbage", 0, 8)
    assert titles.named("AA/wiki_00", first - 9, first + 4) == ("Ada_Lovelace", first - 9, first), "cut at its end"
    assert titles.named("AA/wiki_00", first - 3, first + 9) == ("Charles_Babbage", 0, 8), "most of it lies there"
    assert titles.named("AA/wiki_00", len(text) - 2, len(text) + 9)[0] == "Charles_Babbage"


def test_packed_shards_are_refused_until_they_are_unpacked(dataset: Dataset, tmp_path: Path, shards: Path) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "wiki_00.bz2").write_bytes(bz2.compress(_rows("Ada Lovelace")))
    (packed / "wiki_01.gz").write_bytes(gzip.compress(_rows("Grace Hopper")))
    (packed / "wiki_02").write_bytes(_rows("Jacquard loom"))
    with pytest.raises(EvaluationError, match="--unpack"):
        open_shards(packed, dataset)
    done = unpack(packed, tmp_path / "plain")
    assert done.files == 3
    assert {path.name: path.read_bytes() for path in (tmp_path / "plain").iterdir()} == {
        "wiki_00": _rows("Ada Lovelace"),
        "wiki_01": _rows("Grace Hopper"),
        "wiki_02": _rows("Jacquard loom"),
    }
    assert open_shards(tmp_path / "plain", dataset).files == 3
    with pytest.raises(EvaluationError, match="there already"):
        unpack(packed, tmp_path / "plain")


def test_a_damaged_shard_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "wiki_00.bz2").write_bytes(bz2.compress(_rows("Ada Lovelace"))[:-9])
    with pytest.raises(EvaluationError, match=r"wiki_00\.bz2 cannot be unpacked"):
        unpack(packed, tmp_path / "plain")
    assert [path.name for path in tmp_path.iterdir()] == ["packed"]


@pytest.mark.parametrize("content", [b"plain words\n", b'{"text": "no title"}\n', b"[1]\n", b""])
def test_a_folder_of_other_files_is_no_dump(dataset: Dataset, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.json").write_bytes(content)
    with pytest.raises(EvaluationError, match="no shard"):
        open_shards(tmp_path / "notes", dataset)
