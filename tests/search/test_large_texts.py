"""Texts that are not kept in memory are looked into some at a time: what comes of it does not depend on how many."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.model.documents import Findings
from lens_lsp.search import corpus_view
from lens_lsp.search.corpus_view import Corpus

QUESTION = "why did the backup of the server fail?"
WORDS = ("backup", "server", "failed", "disk", "of", "the", "because", "tape", "robot", "grüne", "Straße", "\n\n", ".")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Texts of which nearly each line holds words of the question, two of them the same."""
    draw = random.Random(1)
    for number in range(60):
        text = " ".join(draw.choices(WORDS, k=draw.randrange(20, 900)))
        (tmp_path / f"{number % 7}-{number}.md").write_text(f"# Report {number}\n\n{text}\n")
    (tmp_path / "same.md").write_bytes((tmp_path / "0-0.md").read_bytes())
    return tmp_path


def found(folder: Path, *, memory: int | None = None) -> Findings:
    return Lens([folder], memory=memory).find(QUESTION)


def told(findings: Findings) -> list[tuple[object, ...]]:
    return [(one.path, one.span, one.quote, one.score, one.signals) for one in findings.evidence]


def test_how_many_texts_are_looked_into_at_once_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, passing = found(folder), found(folder, memory=0)
    assert told(whole) == told(passing)
    for size in (1, 3_000, 40_000):
        monkeypatch.setattr(corpus_view, "_AT_ONCE", size)
        monkeypatch.setattr(corpus_view, "_HELD", size)
        part = found(folder, memory=0)
        assert told(part) == told(whole), size
        assert part.documents == passing.documents, size
        assert (part.coverage, part.missing) == (passing.coverage, passing.missing), size


def test_texts_are_looked_into_some_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: without parts all places are held at once."""
    most: dict[int, int] = {}
    places = Corpus.places

    def counted(self: Corpus, *given: object) -> object:
        found = places(self, *given)  # type: ignore[arg-type]
        size = corpus_view._AT_ONCE
        most[size] = max(most.get(size, 0), len(found))
        return found

    monkeypatch.setattr(Corpus, "places", counted)
    for size in (3_000, 1 << 30):
        monkeypatch.setattr(corpus_view, "_AT_ONCE", size)
        found(folder, memory=0)
    assert 5 * most[3_000] < most[1 << 30]


@pytest.mark.parametrize("kind", ["dense", "line"])
def test_a_search_of_a_large_text_ends_soon_after_it_is_cancelled(tmp_path: Path, kind: str) -> None:
    end = " " if kind == "line" else "\n"
    (tmp_path / "a.log").write_text(("the backup of the server failed because of a disk" + end) * 250_000)
    lens = Lens([tmp_path])
    asked, since = 0, 0.0

    def cancelled() -> bool:
        nonlocal asked, since
        asked += 1
        since = since or (time.process_time() if asked > 20 else 0.0)
        return bool(since)

    findings = lens.find(QUESTION, cancelled=cancelled)
    assert asked > 20
    assert time.process_time() - since < 0.5
    assert findings.coverage.found == 1
