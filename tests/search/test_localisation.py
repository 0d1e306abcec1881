"""Which passages a question finds, from one end of a small workspace to the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_workspace import FILLER, Workspace

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.plan import Condition, MatchRule, Unit
from lens_lsp.model.words import fold
from lens_lsp.search.corpus_view import DocumentAccess
from lens_lsp.search.localisation import Matches, matches_of
from lens_lsp.search.passages import WINDOW
from lens_lsp.search.question import vocabulary

COUNTED = {
    "a.md": "# Git\n\nUse git here. Git, again: `git`.\n- Start Date: 2015-03-24\n",
    "b.md": "Digit is no match.\nBut git is.\ngit-svn too.\n- Start Date: 2015-04-01\n",
    "c.txt": "Nothing of it.\n- Start Date: 2015-03-02\n",
    "sub/pages/d.md": "to rebase means something in git\nrebase\n",
}
Count = Callable[[MatchRule], Matches]
Make = Callable[[Mapping[str, str]], Workspace]
SENTENCES = ("The copper is old.", "A kettle whistles.", "Nothing happens here.", "We saw the ship on Monday, at noon.")
SECTIONS = st.lists(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=40), min_size=1, max_size=4)


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


@pytest.fixture
def count(tmp_path: Path) -> Callable[[Mapping[str, str]], Count]:
    def prepared(files: Mapping[str, str]) -> Count:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, "utf-8")
        root = Root(str(tmp_path))
        cache = TextStore()
        cache.refresh([root], discover(root, CorpusRules()).files, {})
        return lambda rule: matches_of(DocumentAccess(cache, Snapshot([root], {}, CorpusRules())), rule)

    return prepared


@pytest.mark.parametrize(("unit", "total"), [(Unit.FILE, 3), (Unit.LINE, 5), (Unit.MATCH, 7)])
def test_files_lines_and_matches_are_counted_exactly(
    count: Callable[[Mapping[str, str]], Count], unit: Unit, total: int
) -> None:
    matches = count(COUNTED)(MatchRule(("git",), unit))
    assert (matches.total, matches.files) == (total, 3)


def test_a_condition_keeps_the_lines_whose_value_meets_it(count: Callable[[Mapping[str, str]], Count]) -> None:
    matches = count(COUNTED)(MatchRule(("start date",), Unit.FILE, Condition("in", "March 2015")))
    assert matches.total == 2


def test_a_line_without_a_date_is_as_old_as_what_stands_above_it(count: Callable[[Mapping[str, str]], Count]) -> None:
    files = {
        "diary/2015-03-14.md": "# Market\n\n- bought a tent\n- bought a lamp, delivered 2015-04-02\n",
        "log.md": "# 2015\n\n## March 2015\n\n- bought rope\n\n## April 2015\n\n- bought tar\n",
    }
    matches = count(files)(MatchRule(("bought",), Unit.LINE, Condition("in", "March 2015")))
    assert (matches.total, matches.files) == (2, 2)


def test_more_than_two_thousand_is_an_amount(count: Callable[[Mapping[str, str]], Count]) -> None:
    files = {"sold.md": "- tickets sold: 2050\n- tickets sold: 1950\n- tickets sold since 2015\n"}
    assert count(files)(MatchRule(("tickets",), Unit.LINE, Condition(">", "2,000"))).total == 1


def test_phrases_of_a_line_rule_stand_in_one_line_and_those_of_a_file_rule_anywhere(
    count: Callable[[Mapping[str, str]], Count],
) -> None:
    find = count(COUNTED)
    assert find(MatchRule(("rebase", "git"), Unit.LINE)).total == 1
    assert find(MatchRule(("git", "start date"), Unit.FILE)).total == 2
    assert find(MatchRule(("git", "start date"), Unit.LINE)).total == 0


def test_only_files_so_named_count(count: Callable[[Mapping[str, str]], Count]) -> None:
    assert count(COUNTED)(MatchRule(("git",), files=("pages",))).total == 1


def test_what_is_ours_does_not_count(count: Callable[[Mapping[str, str]], Count]) -> None:
    files = {
        "note.md": "git\n\n?? how many files mention git\n\n<!-- lens:begin x -->\ngit git\n<!-- lens:end x -->\n",
        "answer.md": "---\nlens: answer/1\n---\ngit\n",
        "asks.md": "?? git\n",
    }
    find = count(files)
    assert find(MatchRule(("git",), Unit.MATCH)).total == 1
    assert find(MatchRule(("git",), Unit.FILE)).total == 1


def test_nothing_is_found_where_there_is_nothing(count: Callable[[Mapping[str, str]], Count]) -> None:
    assert count(COUNTED)(MatchRule(("zebra",))) == Matches(0, 0, ())
