"""Phrases in texts that are not kept in memory, noted as they pass, as they are found in those that are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_workspace import FILLER

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.judge.analysis import analyse
from lens_lsp.search.corpus_view import Corpus
from lens_lsp.search.localisation import Candidates
from lens_lsp.search.prior import phrase_scores

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
