"""Each signal by itself, on a few files made for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from small_workspace import FILLER, Workspace

from lens_lsp.search.prior import (
    heading_scores,
    history_scores,
    name_scores,
    phrase_scores,
    proximity_scores,
    summary_scores,
    title_scores,
)

Make = Callable[[Mapping[str, str]], Workspace]


def phrase(space: Workspace, query: str) -> dict[str, float]:
    asked = space.ask(query)
    return space.scores(phrase_scores(space.corpus, asked.question, asked.hits, asked.measures))


def title(space: Workspace, query: str) -> dict[str, float]:
    return space.scores(title_scores(space.corpus, space.ask(query).question, space.corpus.slots))


def name(space: Workspace, query: str) -> dict[str, float]:
    return space.scores(name_scores(space.corpus, space.ask(query).question, space.corpus.slots))


def heading(space: Workspace, query: str) -> dict[str, float]:
    asked = space.ask(query)
    return space.scores(heading_scores(space.corpus, asked.question, asked.measures, np.arange(space.corpus.slots)))


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


def test_a_phrase_is_found_at_the_very_start_and_end_of_a_text(workspace: Make) -> None:
    space = workspace({"a.md": "Ada Lovelace wrote", "b.md": "written by Ada Lovelace", **FILLER})
    assert set(phrase(space, "Did Ada Lovelace write?")) == {"a.md", "b.md"}


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
    assert scores["exact.md"] == pytest.approx(1.0)
    assert 0 < scores["wider.md"] < scores["exact.md"]
    assert "body.md" not in scores


def test_headings_of_latex_are_headings(workspace: Make) -> None:
    space = workspace({"a.tex": "\\documentclass{article}\n\\subsection*{Frost protection}\n", **FILLER})
    assert heading(space, "frost protection") == {"a.tex": pytest.approx(1.0)}


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


def test_verified_evidence_of_a_file_speaks_for_all_of_it_and_for_no_other(workspace: Make) -> None:
    space = workspace({"a.md": "text", "b.md": "text"})
    space.corpus.history = {(0, "a.md"): 0.7, (0, "gone.md"): 1.0}
    assert space.scores(history_scores(space.corpus, space.corpus.slots)) == {"a.md": 0.7}


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
