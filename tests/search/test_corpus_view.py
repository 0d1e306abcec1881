"""Measurements against BM25 written out; phrases and places of texts that are not kept in memory."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_workspace import FILLER

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.encoding import Arena
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.scan import exact_literal, scan
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.documents import Findings
from lens_lsp.search import corpus_view
from lens_lsp.search.corpus_view import Corpus, Measures, inverse_frequency, measure
from lens_lsp.search.localisation import Candidates
from lens_lsp.search.prior import phrase_scores

VOCABULARY = ("one", "two", "three", "absent")
TEXTS = st.lists(st.lists(st.sampled_from((*VOCABULARY[:3], "other")), max_size=12).map(" ".join), max_size=8)
FILES = {
    "a.md": "the treaty of westphalia ended it",
    "b.md": "Treaty of\nWestphalia",
    "c.md": "é" * 50 + " (TREATY--of--WESTPHALIA)",
    "d.md": "Westphalia of treaty",
    "e.md": "treaties of Westphalian kind; the treaty   of Westphalia",
    "f.md": "a treaty .... of Westphalia",
    "g.md": "mistreaty of westphalia",
    "h.md": "treaty",
    "i.md": "of Westphalia. " * 400 + "Treaty of Westphalia",
    **FILLER,
}
QUESTION = "What did the Treaty of Westphalia end?"
WHY = "why did the backup of the server fail?"
WORDS = ("backup", "server", "failed", "disk", "of", "the", "because", "tape", "robot", "grüne", "Straße", "\n\n", ".")


def measured(texts: list[str], removed: set[int] = frozenset()) -> Measures:
    arena = Arena()
    for text in texts:
        arena.add(text.encode())
    for slot in removed:
        arena.remove(slot)
    hits = scan(arena.chunks(), [(exact_literal(word),) for word in VOCABULARY])
    return measure(hits, len(VOCABULARY), arena.lengths(), len(texts) - len(removed))


def idf(word: str, texts: list[str]) -> float:
    holding = sum(word in text.split() for text in texts)
    return math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5)) if holding else 0.0


def saturation(word: str, text: str, texts: list[str]) -> float:
    count = Counter(text.split())[word]
    average = sum(map(len, texts)) / len(texts)
    return count / (count + 1.2 * (1 - 0.6 + 0.6 * len(text) / average)) if count else 0.0


@given(TEXTS)
def test_coverage_is_bm25_as_a_share_of_the_best_possible(texts: list[str]) -> None:
    measures = measured(texts)
    total = sum(idf(word, texts) for word in VOCABULARY)
    expected = [sum(idf(word, texts) * saturation(word, text, texts) for word in VOCABULARY) for text in texts]
    assert measures.coverage().tolist() == pytest.approx([value / (total or 1.0) for value in expected])


@given(TEXTS)
def test_frequencies_count_texts_and_occurrences(texts: list[str]) -> None:
    measures = measured(texts)
    counts = measures.counts
    table = dict(zip(zip(counts.slot.tolist(), counts.term.tolist(), strict=True), counts.count.tolist(), strict=True))
    assert table == {
        (slot, term): count
        for slot, text in enumerate(texts)
        for term, word in enumerate(VOCABULARY)
        if (count := text.split().count(word))
    }
    assert measures.frequency.tolist() == [sum(word in text.split() for text in texts) for word in VOCABULARY]
    assert measures.idf.tolist() == pytest.approx([idf(word, texts) for word in VOCABULARY])


@given(TEXTS.filter(len))
def test_rows_are_the_saturations_of_the_given_texts(texts: list[str]) -> None:
    slots = np.arange(len(texts))[::-2].copy()
    expected = [[saturation(word, texts[slot], texts) for word in VOCABULARY] for slot in slots.tolist()]
    assert measured(texts).rows(slots) == pytest.approx(np.array(expected))


@given(TEXTS.filter(lambda texts: len(texts) > 1), st.data())
def test_removed_texts_count_for_nothing(texts: list[str], data: st.DataObject) -> None:
    removed = data.draw(st.sets(st.integers(0, len(texts) - 1), max_size=len(texts) - 1))
    left = [text for slot, text in enumerate(texts) if slot not in removed]
    with_gaps, without = measured(texts, removed), measured(left)
    assert with_gaps.idf.tolist() == without.idf.tolist()
    gaps = [slot for slot in range(len(texts)) if slot not in removed]
    assert with_gaps.coverage()[gaps].tolist() == pytest.approx(without.coverage().tolist())
    assert with_gaps.texts == without.texts


def test_a_word_in_every_text_still_weighs_something_and_one_in_none_nothing() -> None:
    weights = inverse_frequency(np.array([0, 1, 50, 100]), 100)
    assert weights[0] == 0
    assert weights[1] > weights[2] > weights[3] > 0


def test_nothing_measured_is_no_division_by_zero() -> None:
    for texts in ([], [""], ["", ""], ["other"]):
        measures = measured(texts)
        assert measures.total == 1.0
        assert measures.coverage().tolist() == [0.0] * len(texts)


def test_a_question_is_answered_without_masked_arrays(tmp_path: Path) -> None:
    for name, link in (("mill", "weir"), ("weir", "mill")):
        text = f"The Old {name.title()} was built in 1702 beside the [[{link}]].\n"
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    code = (
        "import asyncio, sys\n"
        "from lens_lsp import Lens\n"
        "async def ask(question):\n"
        "    return [event async for event in Lens([sys.argv[1]]).ask(question)]\n"
        "for question in ('When was the Old Mill built?', 'How many files mention 1702?'):\n"
        "    assert asyncio.run(ask(question))\n"
        "print('numpy' in sys.modules, 'numpy.ma' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


class Held:
    """The files in a cache of so many bytes."""

    def __init__(self, folder: Path, budget: int) -> None:
        self.root = Root(str(folder))
        self.cache = TextStore(budget=budget)
        self.cache.refresh([self.root], discover(self.root, CorpusRules()).files, {})
        self.corpus = Corpus(self.cache, lambda slot: self.cache.source(self.cache.slots[slot]))  # type: ignore[arg-type]

    def phrases(self) -> dict[str, float]:
        """The scores of the question's phrases by path, as a search gets them."""
        found = Candidates(self.corpus, analyse(QUESTION), ablate={"links"})
        scores = phrase_scores(self.corpus, found.question, found.hits, found.measures)
        texts = {slot: self.cache.slots[slot] for slot in np.flatnonzero(scores).tolist()}
        return {text.key[1]: float(scores[slot]) for slot, text in texts.items() if text is not None}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    return tmp_path


def test_what_passes_is_found_as_what_is_kept(folder: Path) -> None:
    kept, passing = Held(folder, 1 << 30), Held(folder, 0)
    assert not list(kept.cache.passing())
    assert list(passing.cache.passing())
    assert passing.phrases() == kept.phrases()
    assert set(kept.phrases()) == {"a.md", "b.md", "c.md", "e.md", "i.md"}


def test_no_text_is_read_by_itself_to_look_for_a_phrase(folder: Path) -> None:
    passing = Held(folder, 0)
    question = Candidates(passing.corpus, analyse(QUESTION), ablate={"links", "path"})
    for path in FILES:
        (folder / path).unlink()  # whoever reads one of them now finds nothing
    scores = phrase_scores(passing.corpus, question.question, question.hits, question.measures)
    assert np.count_nonzero(scores) == 5
    fresh = Corpus(passing.cache, passing.corpus.read)
    assert not phrase_scores(fresh, question.question, question.hits, question.measures).any()


@pytest.fixture
def dense_folder(tmp_path: Path) -> Path:
    """Texts of which nearly each line holds words of the question, two of them the same."""
    draw = random.Random(1)
    for number in range(60):
        text = " ".join(draw.choices(WORDS, k=draw.randrange(20, 900)))
        (tmp_path / f"{number % 7}-{number}.md").write_text(f"# Report {number}\n\n{text}\n")
    (tmp_path / "same.md").write_bytes((tmp_path / "0-0.md").read_bytes())
    return tmp_path


def found(dense_folder: Path, *, memory: int | None = None) -> Findings:
    return Lens([dense_folder], memory=memory).find(WHY)


def told(findings: Findings) -> list[tuple[object, ...]]:
    return [(one.path, one.span, one.quote, one.score, one.signals) for one in findings.evidence]


def test_how_many_texts_are_looked_into_at_once_changes_nothing(
    dense_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, passing = found(dense_folder), found(dense_folder, memory=0)
    assert told(whole) == told(passing)
    for size in (1, 3_000, 40_000):
        monkeypatch.setattr(corpus_view, "_AT_ONCE", size)
        monkeypatch.setattr(corpus_view, "_HELD", size)
        part = found(dense_folder, memory=0)
        assert told(part) == told(whole), size
        assert part.documents == passing.documents, size
        assert (part.coverage, part.missing) == (passing.coverage, passing.missing), size


def test_texts_are_looked_into_some_at_a_time(dense_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        found(dense_folder, memory=0)
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

    findings = lens.find(WHY, cancelled=cancelled)
    assert asked > 20
    assert time.process_time() - since < 0.5
    assert findings.coverage.found == 1
