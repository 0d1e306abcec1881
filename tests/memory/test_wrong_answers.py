"""Answers that were called wrong: withdrawn in one step, kept as checks, and known again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.app.workspace_store import call_wrong
from lens_lsp.memory.clusters import called_wrong, wrong_answers
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import Changes
from lens_lsp.model.cluster import DocumentSummary, WrongAnswer
from tests.memory.kept import kept, kept_summary, kept_turn, kept_wrong

AT = 1.8e9


def summary(n: int) -> DocumentSummary:
    """Of a document that the ``n``-th cluster does cite."""
    citation = kept(n).citations[0][1]
    return replace(kept_summary(n), root=citation.root, path=citation.path)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store") as store:
        store.save(
            Changes(
                tuple(kept(n) for n in range(1, 5)),
                summaries=(*map(summary, (1, 2)), kept_summary(3)),
                turns=(kept_turn(1), kept_turn(2)),
            )
        )
        yield store


def test_what_is_withdrawn_is_nowhere_but_among_the_wrong_answers(store: Store) -> None:
    wrong = call_wrong(store, ["k1", "k9"], clock=lambda: AT)
    assert wrong == wrong_answers(kept(1), AT)
    assert set(wrong) == set(store.wrong())
    assert {each.question for each in wrong} == {asked.question for asked in kept(1).asked}
    assert [cluster.id for cluster in store.clusters()] == ["k2", "k3", "k4"]
    assert all(link.cluster != "k1" for cluster in store.clusters() for link in cluster.links)
    assert store.by_question(kept(1).asked[0].key) == ()
    assert set(store.summaries()) == {summary(2), kept_summary(3)}
    assert store.turns("main") == (replace(kept_turn(1), cluster=None), kept_turn(2))
    assert store.health().problems == ()


def test_an_answer_file_of_a_wrong_answer_goes_and_others_stay(store: Store) -> None:
    for n in (1, 2):
        store.keep_answer(f"{n}.md", f"---\nquestion: {kept(n).asked[0].question}\n---\n")
    call_wrong(store, ["k1"])
    assert [path.name for path in (store.path.parent / "answers").iterdir()] == ["2.md"]


def test_withdrawing_nothing_changes_nothing(store: Store) -> None:
    before = store.clusters(), store.summaries(), store.all_turns()
    assert call_wrong(store, ["none"]) == ()
    assert (store.clusters(), store.summaries(), store.all_turns()) == before


def test_wrong_answers_are_forgotten_by_their_ids_and_with_their_questions(store: Store) -> None:
    about = replace(kept_wrong(2), key=kept(2).asked[0].key)
    store.save(Changes(wrong=(kept_wrong(1), about, kept_wrong(3))))
    assert store.forget(["w1", "k2"]).wrong == ("w1", "w2")
    assert store.wrong() == (kept_wrong(3),)
    assert kept_wrong(1).text.encode() not in store.path.read_bytes()


def test_a_wrong_answer_that_was_altered_is_not_believed(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store") as store:
        store.save(Changes(wrong=(kept_wrong(1), kept_wrong(2))))
        path = store.path
    content = path.read_bytes()
    path.write_bytes(content.replace(kept_wrong(1).question.encode(), b"?" * len(kept_wrong(1).question.encode())))
    with Store.open(tmp_path / "store") as store:
        assert store.wrong() == ()
        assert store.notices


WRONG = WrongAnswer("w", "Which port?", "port", "The port is **8080**.", "8080", "offline", ("f1",), AT)


@pytest.mark.parametrize(
    ("key", "text", "short", "facts", "same"),
    [
        ("port", "Port 8080, they say.", "8080", set(), True),
        ("port", "Port 8080, they say.", " 8080 ", {"f9"}, True),
        ("port", "The port is 9090.", "9090", set(), False),
        ("port", "The port is **8080**.", None, set(), False),
        ("another question", "8080", "8080", set(), False),
        ("another question", "It is 8080, not 80.", "8080, not 80", {"f1", "f2"}, True),
    ],
)
def test_an_answer_repeats_a_wrong_one_by_its_words_or_by_a_fact(
    key: str, text: str, short: str | None, facts: set[str], same: bool
) -> None:
    assert called_wrong([WRONG], key, text, short, facts) == (WRONG if same else None)


def test_facts_without_a_value_say_nothing_of_another_answer() -> None:
    cluster = kept(4)
    valued = {fact.id for fact in cluster.facts if fact.value is not None}
    assert {id_ for wrong in wrong_answers(cluster, AT) for id_ in wrong.facts} <= valued
