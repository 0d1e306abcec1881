"""The reader orders what `find` shows: real files, and a reader whose passages are proofs where they hold one word."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import RERANKED, Request, Settings
from lens_lsp.model.documents import Evidence, Findings
from lens_lsp.schema.answer_shapes import findings_json
from tests.judge.reader.tiny_reader import PROOF, write_reader

QUERY = "kitchen counter"
AS_FOUND = ": the passages stand in the order of the scan"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Of forty notes the one with the proof is found behind fifteen that say more of what is asked."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(40):
        said = "The kitchen counter is old. " * 3 if number < 15 else f"There is a kitchen. {'All is old. ' * 20}"
        (folder / f"note-{number:02}.md").write_text(f"# Note {number}\n\n{said}It has number {number}.\n", "utf-8")
    proof = f"# House\n\nThe kitchen has much to see, and a counter. {'All of it is old. ' * 8}It is {PROOF}.\n"
    (folder / "proof.md").write_text(proof, "utf-8")
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")
    return Settings(reader=str(write_reader(tmp_path / "reader")))


class Heard:
    """Remembers what it is told in its order, and acts when the reader begins."""

    def __init__(self, act: Callable[[], object] = lambda: None) -> None:
        self.told: list[str] = []
        self.act = act

    def progress(self, stage: str, done: int, total: int | None) -> None:
        if stage == "rerank":
            self.told.append(stage)
            self.act()

    def evidence(self, item: Evidence) -> None:
        self.told.append(item.path)


def paths(findings: Findings) -> list[str]:
    return [item.path for item in findings.evidence]


def place_of_the_proof(notes: Path) -> int:
    return paths(Lens([notes]).find(Request(QUERY, limit=50))).index("proof.md")


def test_what_proves_comes_first_and_the_others_keep_their_order(notes: Path, settings: Settings) -> None:
    assert 0 < place_of_the_proof(notes) < RERANKED
    lens = Lens([notes])
    for limit in (3, 10, 50):
        plain = lens.find(Request(QUERY, limit=50))
        found = lens.find(Request(QUERY, limit=limit, rerank=True), settings=settings)
        others = [path for path in paths(plain) if path != "proof.md"]
        assert paths(found) == ["proof.md", *others][:limit]
        assert [item.n for item in found.evidence] == list(range(1, len(found.evidence) + 1))
        assert (plain.reranked, found.reranked, found.warnings) == (None, True, ())
        scores = {item.path: item.score for item in plain.evidence}
        assert all(item.score == scores[item.path] for item in found.evidence)
        assert found.coverage.admitted == len(found.evidence)
        assert {document.path for document in found.documents if document.admitted} <= set(paths(found))
        assert found.stages[-1].name == "rerank"


def test_what_stands_behind_those_that_are_read_stays_there(notes: Path, settings: Settings) -> None:
    (notes / "proof.md").write_text(
        f"# House\n\nIt has a kitchen. {'All of it is old. ' * 20}It is {PROOF}.\n", "utf-8"
    )
    assert place_of_the_proof(notes) >= RERANKED
    plain = Lens([notes]).find(Request(QUERY, limit=50))
    assert paths(Lens([notes]).find(Request(QUERY, limit=50, rerank=True), settings=settings)) == paths(plain)


def test_the_first_results_are_told_before_the_reader_reads(notes: Path, settings: Settings) -> None:
    lens, heard = Lens([notes]), Heard()
    found = lens.find(Request(QUERY, limit=5, rerank=True), observer=heard, settings=settings)
    assert heard.told == [*paths(lens.find(Request(QUERY, limit=5))), "rerank"]
    assert paths(found)[0] == "proof.md"


def test_a_search_that_is_cancelled_keeps_the_first_order(notes: Path, settings: Settings) -> None:
    cancelled = threading.Event()
    lens, heard = Lens([notes]), Heard(cancelled.set)
    request = Request(QUERY, limit=5, rerank=True)
    found = lens.find(request, observer=heard, cancelled=cancelled.is_set, settings=settings)
    assert paths(found) == heard.told[:-1] == paths(lens.find(Request(QUERY, limit=5)))
    assert (found.reranked, found.warnings) == (False, ())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("off", f"the reader is off: `reader` in your settings says so{AS_FOUND}"),
        ("shipped", f"the reader is off: this package has none{AS_FOUND}"),
        ("lost", "the reader is off: there is no reader.onnx in "),
    ],
)
def test_without_a_reader_the_first_order_stays_and_one_warning_says_so(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    monkeypatch.setattr("lens_lsp.judge.reader.cross_encoder.SHIPPED", tmp_path / "none")
    settings = Settings(reader=str(tmp_path / "lost") if name == "lost" else name)
    lens = Lens([notes])
    found = lens.find(Request(QUERY, rerank=True), settings=settings)
    assert paths(found) == paths(lens.find(QUERY))
    assert found.reranked is False
    (warning,) = found.warnings
    assert warning.startswith(told)
    assert warning.endswith(AS_FOUND)


def test_nothing_found_is_in_order(notes: Path, settings: Settings) -> None:
    found = Lens([notes]).find(Request("zeppelin", rerank=True), settings=settings)
    assert (found.evidence, found.reranked, found.missing) == ((), True, ("zeppelin",))


def test_json_says_whether_the_reader_ordered_them_only_where_that_was_asked(notes: Path, settings: Settings) -> None:
    lens = Lens([notes])
    assert "reranked" not in findings_json(lens.find(QUERY))
    for reader, read in ((settings.reader, True), ("off", False)):
        found = lens.find(Request(QUERY, rerank=True), settings=Settings(reader=reader))
        assert findings_json(found)["reranked"] is read
