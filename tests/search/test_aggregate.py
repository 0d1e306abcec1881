"""Exact counts: every match of a rule in the workspace, and nothing that is ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.plan import Condition, MatchRule, Unit
from lens_lsp.search.consolidation import Matches, matches_of
from lens_lsp.search.corpus_view import Reading

FILES = {
    "a.md": "# Git\n\nUse git here. Git, again: `git`.\n- Start Date: 2015-03-24\n",
    "b.md": "Digit is no match.\nBut git is.\ngit-svn too.\n- Start Date: 2015-04-01\n",
    "c.txt": "Nothing of it.\n- Start Date: 2015-03-02\n",
    "sub/pages/d.md": "to rebase means something in git\nrebase\n",
}

Count = Callable[[MatchRule], Matches]


@pytest.fixture
def count(tmp_path: Path) -> Callable[[Mapping[str, str]], Count]:
    def prepared(files: Mapping[str, str]) -> Count:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, "utf-8")
        root = Root(str(tmp_path))
        cache = TextStore()
        cache.refresh([root], discover(root, CorpusRules()).files, {})
        return lambda rule: matches_of(Reading(cache, Snapshot([root], {}, CorpusRules())), rule)

    return prepared


@pytest.mark.parametrize(("unit", "total"), [(Unit.FILE, 3), (Unit.LINE, 5), (Unit.MATCH, 7)])
def test_files_lines_and_matches_are_counted_exactly(
    count: Callable[[Mapping[str, str]], Count], unit: Unit, total: int
) -> None:
    matches = count(FILES)(MatchRule(("git",), unit))
    assert (matches.total, matches.files) == (total, 3)


def test_a_condition_keeps_the_lines_whose_value_meets_it(count: Callable[[Mapping[str, str]], Count]) -> None:
    matches = count(FILES)(MatchRule(("start date",), Unit.FILE, Condition("in", "March 2015")))
    assert matches.total == 2


def test_a_line_without_a_date_is_as_old_as_what_stands_above_it(
    count: Callable[[Mapping[str, str]], Count],
) -> None:
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
    find = count(FILES)
    assert find(MatchRule(("rebase", "git"), Unit.LINE)).total == 1
    assert find(MatchRule(("git", "start date"), Unit.FILE)).total == 2
    assert find(MatchRule(("git", "start date"), Unit.LINE)).total == 0


def test_only_files_so_named_count(count: Callable[[Mapping[str, str]], Count]) -> None:
    assert count(FILES)(MatchRule(("git",), files=("pages",))).total == 1


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
    assert count(FILES)(MatchRule(("zebra",))) == Matches(0, 0, ())
