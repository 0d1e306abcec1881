"""Where in a document the windows come to lie."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
import pytest
from small_workspace import FILLER, Workspace

from lens_lsp.search.position import WINDOW, Peak

Make = Callable[[Mapping[str, str]], Workspace]


def peaks(space: Workspace, query: str) -> list[tuple[str, str]]:
    """Path and quote of each window, best first."""
    return [(space.path(peak.slot), quote(space, peak)) for peak in space.localise(query).peaks]


def quote(space: Workspace, peak: Peak) -> str:
    return space.corpus.source(peak.slot)[peak.span.start : peak.span.end]


def noise(seed: int, count: int, words: str) -> str:
    generator = random.Random(seed)
    return " ".join(generator.choice(words.split()) for _ in range(count))


@pytest.mark.parametrize("where", [0.0, 0.31, 0.5, 0.999, 1.0])
def test_the_place_where_all_terms_meet_is_found_wherever_it_is(workspace: Make, where: float) -> None:
    parts = [noise(1, 200, "copper lorem ipsum dolor sit amet") for _ in range(40)]
    parts.insert(round(where * 40), "Here the copper kettle whistles.")
    space = workspace({"long.md": "\n\n".join(parts), **FILLER})
    path, text = peaks(space, "When does the copper kettle whistle?")[0]
    assert path == "long.md"
    assert "kettle whistles" in text


def test_windows_of_random_texts_keep_their_bounds(workspace: Make) -> None:
    vocabulary = "copper kettle lorem ipsum größe 東京 der — s"
    files = {f"{number}.md": noise(number, number * 90, vocabulary) for number in range(12)}
    space = workspace({**files, "empty.md": "", "short.md": "copper", **FILLER})
    for query in ("copper kettle", "東京 copper", "How many kettles of copper?", "größe"):
        found = space.localise(query).peaks
        assert found
        for peak in found:
            assert 0 < len(peak.span) <= WINDOW
            assert peak.span.end <= len(space.corpus.source(peak.slot))
            assert peak.span.contains(peak.core)
        for one, other in combinations(found, 2):
            shared = min(one.span.end, other.span.end) - max(one.span.start, other.span.start)
            assert one.slot != other.slot or shared <= WINDOW // 2
        assert [peak.score for peak in found] == sorted((peak.score for peak in found), reverse=True)


def test_every_window_holds_a_term_when_its_document_does(workspace: Make) -> None:
    text = noise(1, 2000, "lorem ipsum dolor") + " kettle " + noise(2, 2000, "lorem ipsum dolor")
    space = workspace({"long.md": text, "other.md": "kettle", **FILLER})
    assert all("kettle" in quote for _, quote in peaks(space, "kettle"))


def test_a_core_runs_from_the_first_hit_to_the_last(workspace: Make) -> None:
    text = "é lorem copper and the ß kettle, ipsum"
    space = workspace({"a.md": text, **FILLER})
    (peak,) = space.localise("copper kettle").peaks
    assert (peak.core.start, peak.core.end) == (text.index("copper"), text.index("kettle"))


def test_a_document_found_by_links_alone_shows_its_beginning(workspace: Make) -> None:
    text = "It began in spring. " + noise(1, 400, "lorem ipsum dolor")
    space = workspace({"a.md": "The copper kettle of Silver Falcon.", "Silver Falcon.md": text, **FILLER})
    (shown,) = [quote for path, quote in peaks(space, "copper kettle") if path == "Silver Falcon.md"]
    assert shown.startswith("It began in spring.")


def test_all_distinct_terms_beat_many_repetitions_of_one(workspace: Make) -> None:
    text = "\n\n".join(
        ["kettle " * 80, noise(1, 120, "lorem ipsum"), "a copper kettle whistles", noise(2, 120, "dolor sit")]
    )
    space = workspace({"a.md": text, **FILLER})
    assert "copper kettle whistles" in peaks(space, "copper kettle whistles")[0][1]


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("When was the copper kettle found?", "The copper kettle was found in 1911, in the barn."),
        ("How many copper kettles were found?", "The copper kettle was found with twelve others, in the barn."),
        ("Who found the copper kettle?", "The copper kettle was found by the miller Anselm Brock, in the barn."),
    ],
)
def test_of_windows_alike_the_one_with_the_right_kind_of_answer_comes_first(
    workspace: Make, query: str, right: str
) -> None:
    wrong = "The copper kettle was found where it had been left before, in the barn."
    space = workspace({"a.md": wrong, "b.md": wrong, "c.md": right, "d.md": wrong, **FILLER})
    assert peaks(space, query)[0] == ("c.md", right)


def test_scripts_without_spaces_have_windows_too(workspace: Make) -> None:
    text = "今日は晴れです。" * 200 + "東京大学の図書館は古い。" + "明日は雨です。" * 200
    space = workspace({"a.md": text, "b.md": "京都の寺", **FILLER})
    path, shown = peaks(space, "東京大学の図書館")[0]
    assert path == "a.md"
    assert "東京大学の図書館" in shown


def test_no_documents_have_no_windows(workspace: Make) -> None:
    assert peaks(workspace(FILLER), "copper kettle") == []
    assert peaks(workspace({}), "copper kettle") == []


def test_the_grid_of_scores_knows_no_difference_between_runs(workspace: Make) -> None:
    files = {f"{number}.md": noise(number, 400, "copper kettle lorem") for number in range(8)}
    space = workspace({**files, **FILLER})
    one, two = space.localise("copper kettle"), space.localise("copper kettle")
    assert one.peaks == two.peaks
    assert np.array_equal(one.candidates.ranked, two.candidates.ranked)
