"""The prior: each signal by itself, links, what the best documents lack, and their fusion."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_workspace import FILLER, Workspace

from lens_lsp.corpus.encoding import Arena
from lens_lsp.corpus.scan import exact_literal, scan
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.search.corpus_view import Measures, measure
from lens_lsp.search.localisation import Candidates
from lens_lsp.search.prior import (
    LinkFinder,
    Links,
    Mention,
    complete,
    heading_scores,
    name_scores,
    phrase_scores,
    prior,
    propagate,
    proximity_scores,
    summary_scores,
    title_scores,
)

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
Edges = dict[tuple[str, str], float]
TWO_HOPS = {
    "Quellwerk.md": "# Quellwerk\n\nThe Quellwerk mill was founded by Mira Tolvanen beside the weir.\n",
    "Mira Tolvanen.md": "# Mira Tolvanen\n\nShe came into the world in 1911, near a lake.\n",
    "mills.md": "Many a mill stands here. The founder of a mill is often forgotten.\n",
    **FILLER,
}
QUESTION = "When was the founder of the Quellwerk mill born?"
BRIDGE_QUESTION = "Which harbour did the painter of the copper kettle sail from?"
BRIDGED = {
    "kettle.md": "The copper kettle was painted by Anselm Brock.\n",
    "harbour.md": "Anselm Brock lived long and had to sail from the harbour of Vell.\n",
    "garden.md": "Anselm Brock had a garden with pears and beans, and he liked both.\n",
    "other harbour.md": "They sail from the harbour of Orm in spring.\n",
} | FILLER


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


def six_texts() -> Measures:
    arena = Arena()
    for text in ("copper kettle", "copper", "kettle kettle", "", "other words here", "copper other"):
        arena.add(text.encode())
    hits = scan(arena.chunks(), [(exact_literal(word),) for word in ("copper", "kettle", "other")])
    return measure(hits, 3, arena.lengths(), SLOTS)


@given(BASE, LINKS)
def test_passing_weight_along_links_never_lowers_a_score(base: np.ndarray, links: Links) -> None:
    scores = propagate(base, np.arange(SLOTS), links, six_texts())
    assert (scores >= base).all()
    untouched = set(range(SLOTS)) - links.targets()
    assert all(scores[slot] == base[slot] for slot in untouched)


@given(BASE, LINKS)
def test_weight_is_passed_to_candidates_only(base: np.ndarray, links: Links) -> None:
    pairs = {pair for edges in (links.forward, links.reverse, links.shared) for pair in edges}
    candidates = np.array(sorted({int(base.argmax()), *(slot for pair in pairs for slot in pair)}))
    scores = propagate(base, candidates, links, six_texts())
    others = np.setdiff1d(np.arange(SLOTS), candidates)
    assert scores[others].tolist() == base[others].tolist()


@given(BASE, st.sets(st.integers(0, SLOTS - 1), min_size=1))
def test_what_the_best_lack_lowers_no_score_and_lifts_neither_the_best_nor_others_than_candidates(
    base: np.ndarray, chosen: set[int]
) -> None:
    candidates = np.array(sorted(chosen))
    scores = complete(base, candidates, six_texts())
    others = np.setdiff1d(np.arange(SLOTS), candidates)
    best = candidates[base[candidates].argmax()]
    assert (scores >= base).all()
    assert scores[others].tolist() == base[others].tolist()
    assert scores[best] == base[best]


def test_a_document_that_holds_what_the_best_lacks_rises_above_one_that_repeats_it() -> None:
    best, repeats, lacking = 0, 1, 4  # "copper kettle", "copper", "other words here"
    base = np.array([1.0, 0.3, 0.0, 0.0, 0.3, 0.0])
    scores = complete(base, np.array([best, repeats, lacking]), six_texts())
    assert scores[lacking] > scores[repeats]


def test_what_the_best_lack_together_is_told_from_what_one_of_them_lacks() -> None:
    copper, kettle, other = 1, 2, 4
    base = np.array([0.0, 1.0, 0.9, 0.0, 0.1, 0.0])
    measures = six_texts()
    alone = complete(base, np.array([copper, other]), measures, 2)
    together = complete(base, np.array([copper, kettle, other]), measures, 2)
    assert alone[other] == together[other] > base[other]
    assert together[kettle] > base[kettle]
    assert complete(base, np.array([copper, kettle, 0]), measures, 2)[0] == base[0]


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


def phrase(space: Workspace, query: str) -> dict[str, float]:
    asked = space.ask(query)
    return space.scores(phrase_scores(space.corpus, asked.question, asked.hits, asked.measures))


def title(space: Workspace, query: str) -> dict[str, float]:
    return space.scores(title_scores(space.corpus, space.ask(query).question, space.corpus.slots))


def name(space: Workspace, query: str) -> dict[str, float]:
    return space.scores(name_scores(space.corpus, space.ask(query).question, space.corpus.slots))


def heading(space: Workspace, query: str) -> dict[str, float]:
    asked = space.ask(query)
    return space.scores(
        heading_scores(space.corpus, asked.question, asked.hits, asked.measures, np.arange(space.corpus.slots))
    )


def summary(space: Workspace, query: str) -> dict[str, float]:
    asked = space.ask(query)
    return space.scores(summary_scores(space.corpus, asked.question, asked.measures))


def proximity(space: Workspace, query: str) -> dict[str, float]:
    asked = space.ask(query)
    return space.scores(
        proximity_scores(space.corpus, asked.question, asked.hits, asked.measures, np.zeros(space.corpus.slots))
    )


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("the treaty of westphalia ended it", True),
        ("Treaty of\nWestphalia", True),
        ("(Treaty-of-Westphalia)", True),
        ("é" * 50 + " the TREATY OF WESTPHALIA", True),
        ("Westphalia of treaty", False),
        ("treaty of the Westphalia", False),
        ("a treaty .... of Westphalia", False),
        ("mistreaty of westphalia", False),
    ],
)
def test_a_phrase_counts_where_it_stands_word_for_word(workspace: Make, text: str, holds: bool) -> None:
    space = workspace({"a.md": text, "b.md": "treaty and Westphalia", **FILLER})
    assert set(phrase(space, "What did the Treaty of Westphalia end?")) == ({"a.md"} if holds else set())


def test_a_rare_phrase_counts_more_than_a_common_one(workspace: Make) -> None:
    common = {f"c{number}.md": "in the Old Town" for number in range(8)}
    space = workspace({"rare.md": "the Blue Gate", **common, **FILLER})
    scores = phrase(space, "Does the Blue Gate face or leave the Old Town?")
    assert scores["rare.md"] > scores["c0.md"] > 0


def test_a_name_of_stop_words_is_a_phrase_too(workspace: Make) -> None:
    space = workspace({"a.md": "a concert of The Who", "b.md": "who is the singer", **FILLER})
    assert set(phrase(space, "Which singer left the band The Who?")) == {"a.md"}


def test_a_phrase_in_another_script_is_found(workspace: Make) -> None:
    space = workspace({"a.md": "роман «Война и мир» написан", "b.md": "мир и война", **FILLER})
    assert set(phrase(space, "Кто написал «Война и мир»?")) == {"a.md"}


def test_a_question_that_names_a_document_finds_it_by_file_name_title_and_alias(workspace: Make) -> None:
    space = workspace(
        {
            "Silver Falcon.md": "by file name",
            "b.md": "# Silver Falcon\n\nby title",
            "c.md": "---\naliases: [Silver Falcon]\n---\nby alias",
            "Silver_Falcon (ship).txt": "by file name, without what stands in parentheses",
            "Falcon.md": "in part",
            **FILLER,
        }
    )
    scores = title(space, "Where did the Silver Falcon sink?")
    assert set(scores) == {"Silver Falcon.md", "b.md", "c.md", "Silver_Falcon (ship).txt", "Falcon.md"}
    assert scores["Falcon.md"] < 1.0


def test_a_name_that_many_share_counts_less(workspace: Make) -> None:
    shared = {f"{number}/Silver Falcon.md": "one of many" for number in range(9)}
    space = workspace({"Golden Falcon.md": "the only one", **shared, **FILLER})
    scores = title(space, "Did the Golden Falcon meet the Silver Falcon?")
    assert scores["Golden Falcon.md"] == pytest.approx(3 * scores["0/Silver Falcon.md"])


def test_a_longer_name_and_one_written_with_capitals_count_more(workspace: Make) -> None:
    space = workspace({"Red Kite Society.md": "", "Kite.md": "", **FILLER})
    scores = title(space, "Who founded the Red Kite Society?")
    assert scores["Red Kite Society.md"] > scores["Kite.md"]
    assert title(space, "who founded the red kite society?")["Red Kite Society.md"] <= scores["Red Kite Society.md"]


def test_a_single_word_in_small_letters_names_nothing_in_a_long_question(workspace: Make) -> None:
    space = workspace({"gardening.md": "", **FILLER})
    assert title(space, "which tools does old gardening advice for winter recommend") == {}
    assert set(title(space, "gardening tools")) == {"gardening.md"}


def test_names_are_matched_in_any_order_and_inflected(workspace: Make) -> None:
    space = workspace({"ATL Window Traits.md": "", "Window Styles.md": "", **FILLER})
    scores = name(space, "understanding traits of windows")
    assert scores["ATL Window Traits.md"] > scores.get("Window Styles.md", 0.0)


def test_a_name_that_holds_little_of_the_question_counts_nothing(workspace: Make) -> None:
    others = {"alpha beta.md": "", "gamma delta.md": "", "epsilon zeta.md": "", "kite.md": ""}
    space = workspace({**others, **FILLER})
    assert name(space, "alpha beta gamma delta epsilon zeta kite").get("kite.md", 0.0) == 0.0
    assert name(space, "kite")["kite.md"] == pytest.approx(1.0)


def test_the_best_heading_counts_by_what_it_holds_and_what_it_adds(workspace: Make) -> None:
    space = workspace(
        {
            "exact.md": "# Notes\n\ntext\n\n## Frost protection for roses\n\ntext",
            "wider.md": "# Frost protection for roses, lawns, sheds, tools and everything else\n",
            "tex.tex": "\\section{Frost protection for roses}\n",
            "body.md": "Frost protection for roses is told here.\n",
            **FILLER,
        }
    )
    scores = heading(space, "frost protection for roses")
    assert scores["exact.md"] == scores["tex.tex"] == pytest.approx(1.0)
    assert 0 < scores["wider.md"] < scores["exact.md"]
    assert "body.md" not in scores


def test_what_a_document_says_about_itself_counts(workspace: Make) -> None:
    space = workspace(
        {
            "all.md": "---\ndescription: The protection roses need in winter\ntags: [frost]\n---\ntext",
            "some.md": "---\ndescription: Roses in winter\n---\ntext",
            "body.md": "Frost protection for winter roses.",
            "little.md": "---\ntags: [frost]\n---\n",
            **FILLER,
        }
    )
    scores = summary(space, "Which protection do roses need from winter frost?")
    assert scores["all.md"] == pytest.approx(1.0)
    assert 0 < scores["some.md"] < 1
    assert set(scores) == {"all.md", "some.md"}


def test_a_description_in_another_script_counts(workspace: Make) -> None:
    space = workspace({"a.md": "---\ndescription: 東京大学の図書館\n---\n", "b.md": "東京大学", **FILLER})
    assert set(summary(space, "東京大学")) == {"a.md"}


def test_terms_that_meet_count_more_than_terms_far_apart(workspace: Make) -> None:
    space = workspace(
        {
            "near.md": "copper " + "x " * 50 + "kettle",
            "cells.md": "y " * 140 + "copper " + "x " * 100 + "kettle",
            "far.md": "copper " + "x " * 2000 + "kettle",
            **FILLER,
        }
    )
    scores = proximity(space, "copper kettle")
    assert scores["near.md"] == pytest.approx(1.0)
    assert scores["cells.md"] == pytest.approx(1.0)
    assert scores["far.md"] == pytest.approx(0.5)


def test_terms_of_neighbouring_texts_do_not_meet(workspace: Make) -> None:
    space = workspace({"a.md": "copper", "b.md": "kettle", **FILLER})
    assert proximity(space, "copper kettle") == {"a.md": pytest.approx(0.5), "b.md": pytest.approx(0.5)}


def test_in_a_large_workspace_proximity_is_measured_in_the_most_promising_texts(workspace: Make) -> None:
    space = workspace({f"{number:04}.md": "copper kettle" for number in range(1200)})
    asked = space.ask("copper kettle")
    promising = np.arange(space.corpus.slots, dtype=float)
    scores = space.scores(proximity_scores(space.corpus, asked.question, asked.hits, asked.measures, promising))
    assert set(scores) == {f"{number:04}.md" for number in range(200, 1200)}


@pytest.mark.parametrize("query", ["zebra", "Zebra Crossing", "“zebra crossing”", "東京"])
def test_signals_are_silent_about_what_is_nowhere(workspace: Make, query: str) -> None:
    space = workspace(FILLER)
    assert [signal(space, query) for signal in (phrase, title, name, heading, summary, proximity)] == [{}] * 6


def forward(space: Workspace, query: str, *sources: str) -> Edges:
    finder = space.links(query)
    finder.expand([space.slot(source) for source in sources])
    return {(space.path(s), space.path(t)): mention.near for (s, t), mention in finder.links.forward.items()}


def looked_back(space: Workspace, query: str, *sources: str) -> LinkFinder:
    finder = space.links(query)
    slots = np.array([space.slot(source) for source in sources])
    finder.look_back(slots, np.zeros(space.corpus.slots))
    return finder


def named(space: Workspace, edges: set[tuple[int, int]] | Mapping[tuple[int, int], object]) -> set[tuple[str, str]]:
    return {(space.path(source), space.path(target)) for source, target in edges}


def test_a_document_that_shares_no_word_with_the_question_is_found_by_the_one_that_names_it(workspace: Make) -> None:
    space = workspace(TWO_HOPS)
    place = space.localise(QUESTION)
    ranked = [space.path(slot) for slot in place.candidates.overall.ranked.tolist()]
    target = space.slot("Mira Tolvanen.md")
    assert ranked[:2] == ["Quellwerk.md", "Mira Tolvanen.md"]
    assert target not in place.candidates.hits.slot.tolist()
    assert {name: float(part[target]) > 0 for name, part in place.candidates.overall.parts.items() if part[target]} == {
        "scans": True
    }
    # It is ranked, but it has nothing to quote: a passage holds a word of the question.
    assert [space.path(passage.slot) for passage in place.passages if passage.slot == target] == []
    assert target in place.candidates.ranked.tolist()


@pytest.mark.parametrize("family", ["links", "scans"])
def test_without_links_it_is_not_found(workspace: Make, family: str) -> None:
    ranked = workspace(TWO_HOPS).ranked(QUESTION, {family})
    assert ranked[0] == "Quellwerk.md"
    assert "Mira Tolvanen.md" not in ranked


def test_a_third_document_is_found_through_the_second(workspace: Make) -> None:
    hop = {"Mira Tolvanen.md": "She was a pupil of Ilmo Raudsepp.\n", "Ilmo Raudsepp.md": "He never left the island.\n"}
    assert "Ilmo Raudsepp.md" in workspace({**TWO_HOPS, **hop}).ranked(QUESTION)


def test_a_document_is_named_by_its_file_name_its_title_and_its_aliases(workspace: Make) -> None:
    space = workspace(
        {
            "a.md": "The copper kettle belongs to Silver Falcon, to Iron Gull and to Bronze Wren.",
            "Silver Falcon.md": "",
            "b.md": "# Iron Gull\n",
            "c.md": "---\naliases: [Bronze Wren]\n---\n",
            **FILLER,
        }
    )
    assert set(forward(space, "copper kettle", "a.md")) == {
        ("a.md", target) for target in ("Silver Falcon.md", "b.md", "c.md")
    }


def test_a_name_counts_more_the_nearer_the_question_is(workspace: Make) -> None:
    filling = "x " * 75  # 150 code points
    space = workspace(
        {
            "a.md": f"copper kettle of Silver Falcon {filling}Iron Gull {filling}{filling}Bronze Wren",
            "Silver Falcon.md": "", "Iron Gull.md": "", "Bronze Wren.md": "", **FILLER,
        }
    )  # fmt: skip
    near = forward(space, "copper kettle", "a.md")
    assert near["a.md", "Silver Falcon.md"] == pytest.approx(1.0)
    assert near["a.md", "Iron Gull.md"] == pytest.approx(0.4)
    assert near["a.md", "Bronze Wren.md"] == 0.0


@pytest.mark.parametrize(
    "text", ["copper kettle of silver falcon", "copper kettle; Silver, Falcons", "copper kettle, Falcon"]
)
def test_what_is_not_written_as_the_name_names_nothing(workspace: Make, text: str) -> None:
    space = workspace({"a.md": text, "Silver Falcon.md": "", **FILLER})
    assert forward(space, "copper kettle", "a.md") == {}


@pytest.mark.parametrize("before", ["", "ß…ﬁ" * 40, "é" * 40])
def test_a_mention_knows_where_it_stands(workspace: Make, before: str) -> None:
    text = f"{before} The kettle of Silver Falcon"
    space = workspace({"a.md": text, "Silver Falcon.md": "", **FILLER})
    finder = space.links("copper kettle")
    finder.expand([space.slot("a.md")])
    (mention,) = finder.links.forward.values()
    assert mention.at == text.index("Silver")
    assert mention.namesakes == 1


def test_a_name_many_share_leads_to_all_of_them_and_says_so(workspace: Make) -> None:
    space = workspace({"a.md": "kettle of Silver Falcon", "1/Silver Falcon.md": "", "2/Silver Falcon.md": "", **FILLER})
    finder = space.links("kettle")
    finder.expand([space.slot("a.md")])
    assert {mention.namesakes for mention in finder.links.forward.values()} == {2}
    assert len(finder.links.forward) == 2


@pytest.mark.parametrize(
    ("query", "sure"),
    [("Which kettle is it?", {"a": 0.5, "b": 1.0, "c": 1.0}), ("Which film is it?", dict.fromkeys("abc", 1.0))],
)
def test_a_common_word_may_be_meant_by_a_title_with_a_parenthesis_only_where_that_is_asked_for(
    workspace: Make, query: str, sure: dict[str, float]
) -> None:
    space = workspace(
        {
            "source.md": "The kettle film was shown in September, on the Silver Falcon, near Bristol.",
            "a/September (2007 film).md": "", "b/Silver_Falcon_(film)": "", "c/Bristol.md": "", **FILLER,
        }
    )  # fmt: skip
    finder = space.links(query)
    finder.expand([space.slot("source.md")])
    assert {space.path(target)[0]: mention.sure for (_, target), mention in finder.links.forward.items()} == sure


def test_a_document_does_not_lead_to_itself(workspace: Make) -> None:
    space = workspace({"Silver Falcon.md": "# Silver Falcon\n\nThe Silver Falcon kettle", **FILLER})
    assert forward(space, "kettle", "Silver Falcon.md") == {}


def test_of_a_long_document_only_the_region_around_the_best_matches_is_read(workspace: Make) -> None:
    pages = "Nothing to see. " * 400
    text = f"Iron Gull is here. {pages} The copper kettle of Silver Falcon. {pages} Bronze Wren is here."
    space = workspace({"a.md": text, "Silver Falcon.md": "", "Iron Gull.md": "", "Bronze Wren.md": "", **FILLER})
    assert set(forward(space, "copper kettle", "a.md")) == {("a.md", "Silver Falcon.md")}


def test_documents_that_name_the_best_one_are_found(workspace: Make) -> None:
    space = workspace(
        {
            "Silver Falcon.md": "the ship",
            "names.md": "a letter about the Silver Falcon",
            "hyphen.md": "silver-falcon",
            "apart.md": "a silver spoon and a falcon",
            "inside.md": "quicksilver falcons",
            **FILLER,
        }
    )
    finder = looked_back(space, "ship", "Silver Falcon.md")
    assert named(space, finder.links.reverse) == {("Silver Falcon.md", "names.md")}


def test_a_document_that_names_the_best_one_and_adds_to_it_rises(workspace: Make) -> None:
    files = {
        "Silver Falcon.md": "# Silver Falcon\n\nThe ship of the line.\n",
        "log.md": "The anchor of the Silver Falcon rusted in the harbour.\n",
        "other.md": "The anchor of another one rusted in the harbour.\n",
        **FILLER,
    }
    space = workspace(files)
    query = "Where did the anchor of the ship Silver Falcon rust?"
    scores = space.scores(space.localise(query).candidates.overall.parts["scans"])
    assert scores["log.md"] > scores.get("other.md", 0.0)


def test_documents_that_share_a_rare_name_are_found(workspace: Make) -> None:
    space = workspace(
        {
            "a.md": "The kettle was made by Anselm Brock in spring.",
            "b.md": "Anselm Brock moved away later.",
            "c.md": "anselm brock, in small letters",
            "d.md": "Anselm and Brock are others.",
            **FILLER,
        }
    )
    finder = looked_back(space, "kettle", "a.md")
    assert named(space, finder.links.shared) == {("a.md", "b.md"), ("a.md", "c.md")}
    assert all(0 < rarity <= 1 for rarity in finder.links.shared.values())


def test_a_name_is_the_less_telling_the_more_documents_hold_it(workspace: Make) -> None:
    rare = {f"rare{number}.md": "Anselm Brock again" for number in range(2)}
    common = {f"common{number}.md": "Otto Lind again" for number in range(15)}
    everywhere = {f"every{number}.md": "Old Town again" for number in range(21)}
    text = "The kettle, Anselm Brock said; but Otto Lind knew better, as did, in the Old Town, all."
    space = workspace({"a.md": text, **rare, **common, **everywhere})
    finder = looked_back(space, "kettle", "a.md")
    rarity = {space.path(target): value for (_, target), value in finder.links.shared.items()}
    assert rarity["rare0.md"] > rarity["common0.md"]
    assert not any(path.startswith("every") for path in rarity)


def test_names_of_the_question_itself_are_no_news(workspace: Make) -> None:
    space = workspace({"a.md": "A kettle by Anselm Brock.", "b.md": "Anselm Brock", **FILLER})
    assert looked_back(space, "Which kettle did Anselm Brock make?", "a.md").links.shared == {}


def led(space: Workspace, *terms: str, admitted: tuple[str, ...] = ("kettle.md",)) -> list[str]:
    candidates = Candidates(space.corpus, analyse(BRIDGE_QUESTION))
    slots = {space.slot(path) for path in admitted}
    found = candidates.extend({"f1": terms}, admitted=slots, proven={space.slot("kettle.md")})
    return [space.path(slot) for slot in found]


def test_of_those_with_the_name_the_one_that_tells_more_of_the_question_comes_first(workspace: Make) -> None:
    assert led(workspace(BRIDGED), "Anselm Brock")[:2] == ["harbour.md", "garden.md"]


def test_what_is_admitted_takes_no_place(workspace: Make) -> None:
    assert "harbour.md" not in led(workspace(BRIDGED), "Anselm Brock", admitted=("kettle.md", "harbour.md"))


def test_what_a_proof_says_already_counts_for_nothing(workspace: Make) -> None:
    files = BRIDGED | {
        "again.md": "Anselm Brock is the painter of the copper kettle, the copper kettle is his.\n",
        "sail.md": "Anselm Brock may sail.\n",
        "kettle.md": "The painter of the copper kettle was Anselm Brock.\n",
    }
    found = led(workspace(files), "Anselm Brock")
    assert found.index("sail.md") < found.index("again.md")


def test_a_rare_name_leads_further_than_a_common_one(workspace: Make) -> None:
    everywhere = {f"orm {number}.md": "Orm is here as well.\n" for number in range(12)}
    found = led(workspace(BRIDGED | everywhere), "Orm", "Anselm Brock")
    assert {"harbour.md", "garden.md"} & set(found[:2])
    assert found.index("garden.md") < found.index("orm 3.md")


def test_words_of_a_name_lead_where_the_name_itself_is_nowhere(workspace: Make) -> None:
    assert "harbour.md" in led(workspace(BRIDGED), "Johann Anselm Brock")


def test_known_terms_lead_nowhere(workspace: Make) -> None:
    assert led(workspace(BRIDGED), "kettle") == []
