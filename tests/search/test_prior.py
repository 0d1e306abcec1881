from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_workspace import FILLER, Workspace

from lens_lsp.corpus.encoding import Arena
from lens_lsp.corpus.scan import exact_literal, scan
from lens_lsp.search.corpus_view import Measures, measure
from lens_lsp.search.prior import Links, Mention, PriorWeights, complete, prior, propagate

Make = Callable[[Mapping[str, str]], Workspace]

FILES = {
    "Copper Kettle.md": "# Copper Kettle\n\nThe copper kettle was made by Anselm Brock for the Silver Falcon.\n",
    "Silver Falcon.md": "# Silver Falcon\n\nA ship whose cook owned a kettle.\n",
    "letters.md": "---\ndescription: What copper kettles cost\n---\nAnselm Brock wrote: the copper kettle leaks.\n",
    "copper.md": "Copper is a metal. " * 30,
    "unrelated.md": "Nothing at all.",
    **FILLER,
}
QUERY = "Who made the Copper Kettle of the Silver Falcon?"
FAMILIES = ("lexical", "path", "summaries", "scans")


@pytest.mark.parametrize("family", FAMILIES)
def test_an_ablation_silences_its_family_and_no_other(workspace: Make, family: str) -> None:
    space = workspace(FILES)
    every = space.localise(QUERY).candidates.overall
    without = space.localise(QUERY, {family}).candidates.overall
    assert all(every.parts[name].any() for name in FAMILIES)
    assert not without.parts[family].any()
    assert all(without.parts[name].any() for name in FAMILIES if name != family)


def test_without_links_no_weight_is_passed_on(workspace: Make) -> None:
    space = workspace(FILES)
    linked = space.localise(QUERY).candidates.overall.scores
    alone = space.localise(QUERY, {"links"}).candidates.overall.scores
    assert (linked >= alone).all()
    assert (linked > alone).any()


def test_the_families_together_are_the_score(workspace: Make) -> None:
    ranking = workspace(FILES).localise(QUERY).candidates.overall
    assert np.sum(list(ranking.parts.values()), axis=0) == pytest.approx(ranking.scores)


def test_what_was_verified_before_lifts_a_file_unless_history_is_switched_off(workspace: Make) -> None:
    space = workspace({f"{letter}.md": "the same copper kettle" for letter in "abcd"} | FILLER)
    asked = space.ask("copper kettle")
    space.corpus.history = {(0, "c.md"): 1.0}
    orders = [
        prior(space.corpus, asked.question, asked.hits, asked.measures, ablate=ablate).ranked.tolist()
        for ablate in (frozenset(), frozenset({"history"}))
    ]
    assert [space.path(order[0]) for order in orders] == ["c.md", "a.md"]


def test_with_everything_switched_off_nothing_is_ranked(workspace: Make) -> None:
    space = workspace(FILES)
    place = space.localise("copper metal", {"lexical", "path", "summaries", "history", "scans", "links"})
    assert len(place.candidates.overall.ranked) == 0
    # What stands in the texts is no family: passages are found, and their documents are ranked by them alone.
    quoted = {space.path(passage.slot) for passage in place.passages}
    assert quoted == {"Copper Kettle.md", "letters.md", "copper.md"}


def test_documents_that_match_nothing_are_not_ranked(workspace: Make) -> None:
    ranked = workspace(FILES).ranked(QUERY)
    assert set(ranked) == {"Copper Kettle.md", "Silver Falcon.md", "letters.md", "copper.md"}


def test_equal_scores_are_ranked_by_path(workspace: Make) -> None:
    same = {f"{letter}.md": "the same copper kettle" for letter in "cafbde"}
    assert workspace({**same, **FILLER}).ranked("copper kettle") == [f"{letter}.md" for letter in "abcdef"]


def test_the_prior_over_files_sums_to_one_and_falls(workspace: Make) -> None:
    place = workspace(FILES).localise(QUERY)
    shares = place.candidates.file_prior(place.candidates.ranked)[0]
    assert shares.sum() == pytest.approx(1.0)
    assert shares.tolist() == sorted(shares.tolist(), reverse=True)


def test_the_compression_is_the_share_of_windows_in_admitted_documents(workspace: Make) -> None:
    space = workspace(FILES)
    place = space.localise(QUERY)
    windows = {path: len(text.encode()) * (len(text.encode()) + 1) for path, text in FILES.items()}
    admitted = sum(windows[space.path(slot)] for slot in place.admitted.tolist())
    assert place.candidates.compression(place.admitted) == pytest.approx(admitted / sum(windows.values()))


@pytest.mark.parametrize("limit", [1, 10, 25])
def test_the_documents_of_the_passages_are_admitted_and_no_others(workspace: Make, limit: int) -> None:
    space = workspace({f"{number:02}.md": "copper kettle" for number in range(30)})
    place = space.localise("copper kettle", limit=limit)
    assert [space.path(slot) for slot in place.admitted.tolist()] == [f"{number:02}.md" for number in range(limit)]
    assert len(place.candidates.overall.ranked) == 30


SLOTS = 6
PAIR = st.tuples(st.integers(0, SLOTS - 1), st.integers(0, SLOTS - 1)).filter(lambda pair: pair[0] != pair[1])
MENTION = st.builds(Mention, st.floats(0, 1), st.integers(0, 5000), st.integers(1, 20))
LINKS = st.builds(
    Links,
    st.dictionaries(PAIR, MENTION, max_size=10),
    st.sets(PAIR, max_size=10),
    st.dictionaries(PAIR, st.floats(0, 1), max_size=10),
)
BASE = st.lists(st.floats(0, 3), min_size=SLOTS, max_size=SLOTS).filter(any).map(np.array)


def six_texts() -> Measures:
    arena = Arena()
    for text in ("copper kettle", "copper", "kettle kettle", "", "other words here", "copper other"):
        arena.add(text.encode())
    hits = scan(arena.chunks(), [(exact_literal(word),) for word in ("copper", "kettle", "other")])
    return measure(hits, 3, arena.lengths(), SLOTS)


@given(BASE, LINKS)
def test_passing_weight_along_links_never_lowers_a_score(base: np.ndarray, links: Links) -> None:
    scores = propagate(base, np.arange(SLOTS), links, six_texts(), PriorWeights())
    assert (scores >= base).all()
    untouched = set(range(SLOTS)) - links.targets()
    assert all(scores[slot] == base[slot] for slot in untouched)


@given(BASE, LINKS)
def test_weight_is_passed_to_candidates_only(base: np.ndarray, links: Links) -> None:
    pairs = {pair for edges in (links.forward, links.reverse, links.shared) for pair in edges}
    candidates = np.array(sorted({int(base.argmax()), *(slot for pair in pairs for slot in pair)}))
    scores = propagate(base, candidates, links, six_texts(), PriorWeights())
    others = np.setdiff1d(np.arange(SLOTS), candidates)
    assert scores[others].tolist() == base[others].tolist()


@given(BASE, st.sets(st.integers(0, SLOTS - 1), min_size=1))
def test_what_the_best_lack_lowers_no_score_and_lifts_neither_the_best_nor_others_than_candidates(
    base: np.ndarray, chosen: set[int]
) -> None:
    candidates = np.array(sorted(chosen))
    scores = complete(base, candidates, six_texts(), PriorWeights())
    others = np.setdiff1d(np.arange(SLOTS), candidates)
    best = candidates[base[candidates].argmax()]
    assert (scores >= base).all()
    assert scores[others].tolist() == base[others].tolist()
    assert scores[best] == base[best]


def test_a_document_that_holds_what_the_best_lacks_rises_above_one_that_repeats_it() -> None:
    best, repeats, lacking = 0, 1, 4  # "copper kettle", "copper", "other words here"
    base = np.array([1.0, 0.3, 0.0, 0.0, 0.3, 0.0])
    scores = complete(base, np.array([best, repeats, lacking]), six_texts(), PriorWeights())
    assert scores[lacking] > scores[repeats]


def test_what_the_best_lack_together_is_told_from_what_one_of_them_lacks() -> None:
    weights = PriorWeights(sources=2)
    copper, kettle, other = 1, 2, 4
    base = np.array([0.0, 1.0, 0.9, 0.0, 0.1, 0.0])
    measures = six_texts()
    alone = complete(base, np.array([copper, other]), measures, weights)
    together = complete(base, np.array([copper, kettle, other]), measures, weights)
    assert alone[other] == together[other] > base[other]
    assert together[kettle] > base[kettle]
    assert complete(base, np.array([copper, kettle, 0]), measures, weights)[0] == base[0]


def test_a_second_page_without_any_link_is_found_by_what_the_first_does_not_say(workspace: Make) -> None:
    space = workspace(
        {
            "Ghlas.md": "# Ghlas\n\nGhlas is a song that can be heard in many a house.\n",
            "song.md": "A song, heard as a song, a song. To be heard is the song of songs.\n",
            "house.md": "This kind of house is licensed to serve drinks.\n",
            **FILLER,
        }
    )
    query = "Ghlas is a song that can be heard in places licensed to serve what?"
    parts = space.scores(space.localise(query).candidates.overall.parts["scans"])
    without = space.scores(space.localise(query, {"links"}).candidates.overall.parts["scans"])
    rises = {path: parts[path] - without[path] for path in ("house.md", "song.md")}
    assert rises["house.md"] > 2 * rises["song.md"] >= 0
