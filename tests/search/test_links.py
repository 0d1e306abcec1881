"""Documents found by what other documents say about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from small_workspace import FILLER, Workspace

from lens_lsp.search.prior import LinkFinder

Make = Callable[[Mapping[str, str]], Workspace]
Edges = dict[tuple[str, str], float]

TWO_HOPS = {
    "Quellwerk.md": "# Quellwerk\n\nThe Quellwerk mill was founded by Mira Tolvanen beside the weir.\n",
    "Mira Tolvanen.md": "# Mira Tolvanen\n\nShe came into the world in 1911, near a lake.\n",
    "mills.md": "Many a mill stands here. The founder of a mill is often forgotten.\n",
    **FILLER,
}
QUESTION = "When was the founder of the Quellwerk mill born?"


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


def test_targets_are_what_any_link_leads_to(workspace: Make) -> None:
    space = workspace(
        {
            "Silver Falcon.md": "kettle of Iron Gull, which Anselm Brock made",
            "Iron Gull.md": "", "b.md": "Anselm Brock", "c.md": "Silver Falcon", **FILLER,
        }
    )  # fmt: skip
    finder = looked_back(space, "kettle", "Silver Falcon.md")
    finder.expand([space.slot("Silver Falcon.md")])
    assert {space.path(slot) for slot in finder.links.targets()} == {"Iron Gull.md", "b.md", "c.md"}
