"""Which passages a question finds, from one end of a small workspace to the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_workspace import FILLER, Workspace

from lens_lsp.model.words import fold
from lens_lsp.search.passages import WINDOW
from lens_lsp.search.question import vocabulary

Make = Callable[[Mapping[str, str]], Workspace]


def noise(seed: int, count: int, words: str) -> str:
    generator = random.Random(seed)
    return " ".join(generator.choice(words.split()) for _ in range(count))


@pytest.mark.parametrize("where", [0.0, 0.31, 0.5, 0.999, 1.0])
def test_the_place_where_all_terms_meet_is_found_wherever_it_is(workspace: Make, where: float) -> None:
    parts = [noise(1, 200, "copper lorem ipsum dolor sit amet") for _ in range(40)]
    parts.insert(round(where * 40), "Here the copper kettle whistles.")
    space = workspace({"long.md": "\n\n".join(parts), **FILLER})
    path, text = space.passages("When does the copper kettle whistle?")[0]
    assert path == "long.md"
    assert "kettle whistles" in text


def test_passages_of_random_texts_keep_their_bounds(workspace: Make) -> None:
    words = "copper kettle lorem ipsum größe 東京 der — s\n\n"
    files = {f"{number}.md": noise(number, number * 90, words) for number in range(12)}
    space = workspace({**files, "empty.md": "", "short.md": "copper", **FILLER})
    for query in ("copper kettle", "東京 copper", "How many kettles of copper?", "größe"):
        found = space.localise(query, limit=25).passages
        assert found
        for passage in found:
            source = space.corpus.source(passage.slot)
            text = source[passage.span.start : passage.span.end]
            assert 0 < len(passage.span) <= WINDOW
            assert passage.span.end <= len(source)
            assert text == text.strip()
            assert passage.marks
            assert all(passage.span.start <= mark.at < passage.span.end for mark in passage.marks)
        for one, other in combinations(found, 2):
            shared = min(one.span.end, other.span.end) - max(one.span.start, other.span.start)
            assert one.slot != other.slot or shared <= min(len(one.span), len(other.span)) / 3
        assert [passage.score for passage in found] == sorted((passage.score for passage in found), reverse=True)


SENTENCES = ("The copper is old.", "A kettle whistles.", "Nothing happens here.", "We saw the ship on Monday, at noon.")
SECTIONS = st.lists(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=40), min_size=1, max_size=4)


@given(SECTIONS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_a_passage_is_whole_sentences_of_one_section_with_a_word_of_the_question(
    workspace: Make, sections: list[list[str]]
) -> None:
    text = "".join(f"# Part {number}\n\n{' '.join(held)}\n\n" for number, held in enumerate(sections))
    for _, quote in workspace({"a.md": text}).passages("copper kettle", limit=25):
        assert quote in text
        assert "copper" in quote or "kettle" in quote
        assert quote.count("# Part") <= 1
        assert quote.rfind("# Part") <= 0  # a heading opens a passage or is not in it
        body = quote.rpartition("\n")[2]
        assert body.endswith(".")
        assert any(body.startswith(sentence) for sentence in SENTENCES)


@pytest.mark.parametrize("unit", ["copper " * 300, "- copper " + "lorem " * 300, "| copper | " + "lorem " * 300 + "|"])
def test_of_a_unit_longer_than_a_passage_a_part_is_shown_and_marked(workspace: Make, unit: str) -> None:
    space = workspace({"a.md": unit + "\n", **FILLER})
    first = space.localise("copper").passages[0]
    source = space.corpus.source(first.slot)
    assert first.cut
    assert ("start" in first.cut) == (source[: first.span.start].strip() != "")
    assert ("end" in first.cut) == (source[first.span.end :].strip() != "")


def test_what_is_whole_is_not_marked(workspace: Make) -> None:
    space = workspace({"a.md": "The copper kettle. " * 100, "b.md": "A copper kettle.\n", **FILLER})
    assert {passage.cut for passage in space.localise("copper kettle").passages} == {()}


def test_every_passage_holds_a_distinctive_word(workspace: Make) -> None:
    text = noise(1, 2000, "lorem ipsum dolor") + " kettle " + noise(2, 2000, "lorem ipsum dolor")
    space = workspace({"long.md": text, "other.md": "kettle", **FILLER})
    found = space.passages("Which lorem has a kettle?")
    assert found
    assert all("kettle" in quote for _, quote in found)


def test_a_document_found_by_links_alone_is_ranked_and_not_quoted(workspace: Make) -> None:
    text = "It began in spring. " + noise(1, 400, "lorem ipsum dolor")
    space = workspace({"a.md": "The copper kettle of Silver Falcon.", "Silver Falcon.md": text, **FILLER})
    place = space.localise("copper kettle")
    assert [space.path(slot) for slot in place.candidates.ranked.tolist()] == ["a.md", "Silver Falcon.md"]
    assert space.passages("copper kettle") == [("a.md", "The copper kettle of Silver Falcon.")]


def test_all_distinct_terms_beat_many_repetitions_of_one(workspace: Make) -> None:
    text = "\n\n".join(
        ["kettle " * 80, noise(1, 120, "lorem ipsum"), "a copper kettle whistles", noise(2, 120, "dolor sit")]
    )
    space = workspace({"a.md": text, **FILLER})
    assert "copper kettle whistles" in space.passages("copper kettle whistles")[0][1]


def test_a_heading_counts_for_what_stands_under_it(workspace: Make) -> None:
    filling = "Nothing of note happened. " * 30
    said = f"{filling}\nIt is made of copper.\n\n"
    text = f"# House\n\n{filling}\n\n# Kettle\n\n{said}# Roof\n\n{said}"
    space = workspace({"a.md": text, **FILLER})
    one, other = space.localise("What is made of the copper kettle?").passages[:2]
    shown = [space.corpus.source(one.slot)[each.span.start : each.span.end] for each in (one, other)]
    assert all("copper" in quote for quote in shown)
    assert one.span.start < text.index("# Roof") < other.span.start


def test_scripts_without_spaces_have_passages_too(workspace: Make) -> None:
    text = "今日は晴れです。" * 200 + "東京大学の図書館は古い。" + "明日は雨です。" * 200
    space = workspace({"a.md": text, "b.md": "京都の寺", **FILLER})
    path, shown = space.passages("東京大学の図書館")[0]
    assert path == "a.md"
    assert "東京大学の図書館は古い。" in shown


def test_no_documents_have_no_passages(workspace: Make) -> None:
    assert workspace(FILLER).passages("copper kettle") == []
    assert workspace({}).passages("copper kettle") == []


def test_two_runs_give_the_same(workspace: Make) -> None:
    files = {f"{number}.md": noise(number, 400, "copper kettle lorem") for number in range(8)}
    space = workspace({**files, **FILLER})
    one, two = space.localise("copper kettle"), space.localise("copper kettle")
    assert one.passages == two.passages
    assert np.array_equal(one.candidates.ranked, two.candidates.ranked)


def test_no_more_passages_than_asked_for_and_fewer_are_the_first_of_more(workspace: Make) -> None:
    files = {f"{number}.md": noise(number, 200, "copper kettle lorem") for number in range(8)}
    space = workspace({**files, **FILLER})
    many = space.passages("copper kettle", limit=12)
    assert len(many) == 12
    assert space.passages("copper kettle", limit=3) == many[:3]


def test_a_related_word_counts_less_than_the_word(workspace: Make) -> None:
    word = "car"
    related = vocabulary().related(word)[0].word
    assert fold(related) != word
    space = workspace({"a.md": f"The {related} is old.", "b.md": f"The {word} is old.", **FILLER})
    assert [path for path, _ in space.passages(f"Is the {word} old?")] == ["b.md", "a.md"]
