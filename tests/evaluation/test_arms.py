from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_datasets import BODIES

from evaluation.arms.indexes import chunks, read_corpus
from evaluation.arms.lens import LensArm
from evaluation.arms.making import ABLATIONS, make_arms, parse_ablation
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.runner import run
from lens_lsp.app.settings import Request
from lens_lsp.model.documents import Coverage, Evidence, Findings, Origin, RankedDocument
from lens_lsp.model.errors import UsageError
from lens_lsp.model.text import Position, Span


@dataclass
class _Finder:
    """An engine that finds the same two documents for every query and remembers what it was asked."""

    asked: list[tuple[str, int, frozenset[str]]] = field(default_factory=list)

    def find(self, request: Request | str) -> Findings:
        request = Request(request) if isinstance(request, str) else request
        self.asked.append((request.question, request.limit, frozenset(request.ablate)))
        quote = Evidence(
            n=1,
            root=0,
            path="b",
            start=Position(1, 6),
            end=Position(1, 9),
            span=Span(5, 8),
            quote="abc",
            origin=Origin("0" * 64, "utf-8"),
            reader="text/1",
            locator=None,
            heading=(),
            score=1.0,
        )
        ranked = tuple(RankedDocument(0, path, 0.5, admitted=True, read=True) for path in ("b", "a"))
        return Findings(request.question, ("/corpus",), (quote,), ranked, Coverage(2, 2), None)


@pytest.fixture
def corpus_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    for name, body in BODIES.items():
        (folder / name).write_text(body)
    filler = "The weather was mild and the harvest good. " * 30
    (folder / "deep" / "chronicle").write_text(filler + "A comet appeared over the harbour. " + filler)
    return folder


@pytest.mark.parametrize("name", ["bm25s", "tantivy"])
def test_a_reference_ranks_by_words_and_points_at_the_place(corpus_dir: Path, name: str) -> None:
    (arm,) = make_arms([name])
    assert arm.prepare(corpus_dir) > 0
    result = arm.search("q", "Which comets appeared over the harbours?", 10)
    assert result.documents == ("deep/chronicle",)
    path, start, end = result.windows[0]
    assert end - start == 600
    assert "A comet appeared over the harbour." in (corpus_dir / path).read_text()[start:end]
    arm.close()


@pytest.mark.parametrize("name", ["bm25s", "tantivy"])
@pytest.mark.parametrize("query", ["zeppelin", "of the and", "?!", "", 'a" OR (b: [c TO', "AND NOT"])
def test_a_reference_returns_nothing_when_nothing_matches(corpus_dir: Path, name: str, query: str) -> None:
    (arm,) = make_arms([name])
    arm.prepare(corpus_dir)
    result = arm.search("q", query, 10)
    assert (result.documents, result.windows) == ((), ())


@pytest.mark.parametrize("name", ["bm25s", "tantivy"])
def test_a_reference_without_windows_still_ranks(corpus_dir: Path, name: str) -> None:
    (arm,) = make_arms([name], windows=False)
    arm.prepare(corpus_dir)
    result = arm.search("q", "punched cards", 2)
    assert (result.documents, result.windows) == (("Jacquard_loom",), ())


@given(st.text(max_size=1_500), st.integers(0, 1_500), st.integers(1, 300))
def test_chunks_hold_every_passage_of_up_to_300_code_points(text: str, start: int, length: int) -> None:
    found = chunks({"a": text})
    end = min(len(text), start + length)
    assert found[0][1] == 0
    assert found[-1][2] == len(text)
    assert all(high - low <= 600 for _, low, high in found)
    assert start >= len(text) or any(low <= start and end <= high for _, low, high in found)


def test_files_are_read_below_the_folder_without_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.md").write_bytes(b"\xef\xbb\xbfone\r\n\xff")
    (tmp_path / "a").write_bytes(b"two")
    assert read_corpus(tmp_path) == {"a": "two", "b/c.md": "one\r\n\ufffd"}


def test_the_lens_arm_passes_on_findings_and_their_json() -> None:
    finder = _Finder()
    arm = LensArm(frozenset({"links"}), opener=lambda folder: finder)
    arm.prepare(Path("corpus"))
    result = arm.search("q", "what?", 12)
    assert finder.asked[-1] == ("what?", 12, frozenset({"links"}))
    assert result.documents == ("b", "a")
    assert result.windows == (("b", 5, 8),)
    assert result.evidence[0]["quote"] == "abc"
    assert arm.search("q", "what?", 1).documents == ("b",)


def test_an_arm_must_be_prepared_before_it_searches() -> None:
    for arm in [*make_arms(["bm25s", "tantivy"]), LensArm(opener=lambda folder: _Finder())]:
        with pytest.raises(UsageError, match="prepare"):
            arm.search("q", "what?", 10)


def test_each_ablation_is_one_more_lens_arm_with_its_own_name() -> None:
    names = [arm.name for arm in make_arms(["lens", "bm25s"], ["links", "path+links"])]
    assert names == ["lens", "lens-without-links", "lens-without-links+path", "bm25s"]


def test_unknown_arms_and_ablations_are_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="lens, bm25s, tantivy, react, hybrid, bm25-rag, closed-book"):
        make_arms(["colbert"])
    with pytest.raises(UsageError, match="arm-global"):
        parse_ablation("links+gravity")
    with pytest.raises(UsageError, match="add lens"):
        make_arms(["bm25s"], ["links"])
    assert parse_ablation("+".join(ABLATIONS)) == frozenset(ABLATIONS)


@pytest.mark.parametrize(
    ("folder", "snapshot", "figure", "depths", "bm25s", "tantivy"),
    [
        ("musique", "140", "documentRecall", ("5", "10"), (49.9, 54.5), (49.1, 55.2)),
        ("squad", "S_dev48", "spanHit", ("1", "3", "5"), (68.2, 83.2, 88.0), (68.6, 83.2, 87.8)),
    ],
)
def test_the_references_reach_their_published_figures(
    data_dir: Path,
    tmp_path: Path,
    folder: str,
    snapshot: str,
    figure: str,
    depths: tuple[str, ...],
    bm25s: tuple[float, ...],
    tantivy: tuple[float, ...],
) -> None:
    dataset = open_dataset(data_dir / folder, snapshot)
    corpus = prepare(data_dir / folder, snapshot, tmp_path / "corpus")
    arms = make_arms(["bm25s", "tantivy"], windows=figure == "spanHit")
    summary = run(dataset, corpus, questions(dataset), arms, tmp_path / "run")
    found = {name: [arm[figure][depth]["value"] for depth in depths] for name, arm in summary["arms"].items()}
    assert found["bm25s"] == pytest.approx(bm25s, abs=1)
    assert found["tantivy"] == pytest.approx(tantivy, abs=1)
