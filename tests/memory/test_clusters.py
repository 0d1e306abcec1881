"""TODO."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.negatives import negatives
from lens_lsp.app.workspace_store import call_wrong
from lens_lsp.memory.answer_files import Saved
from lens_lsp.memory.clusters import (
    belong_together,
    called_wrong,
    citation_id,
    decay_weight,
    live,
    merge,
    organise,
    rechecked,
    settled,
    split,
    used_again,
    wrong_answers,
)
from lens_lsp.memory.matching import likeness, question_key, requirement_key
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import Changes
from lens_lsp.model.cluster import Checked, CitationState, Cluster, DocumentSummary, WrongAnswer
from lens_lsp.model.plan import Requirement
from lens_lsp.model.text import Span
from lens_lsp.model.words import content
from tests.hand_made import answer
from tests.memory.kept import kept, kept_summary, kept_turn, kept_wrong
from tests.memory.made import CLUSTERS, citation, cluster


def _without_id(one: Cluster) -> Cluster:
    return replace(one, id="", links=())


def _live_facts(clusters: tuple[Cluster, ...] | list[Cluster]) -> set[str]:
    return {fact.id for one in clusters for fact in live(one)}


@given(CLUSTERS)
def test_merging_a_cluster_with_itself_changes_nothing(one: Cluster) -> None:
    assert merge(one, one) == one


@given(CLUSTERS, CLUSTERS, CLUSTERS)
def test_the_order_of_merging_leaves_no_trace(one: Cluster, two: Cluster, three: Cluster) -> None:
    assert merge(merge(one, two), three) == merge(one, merge(three, two))


@given(st.lists(CLUSTERS, max_size=6, unique_by=lambda c: c.id), st.randoms(use_true_random=False))
def test_organising_is_idempotent_and_knows_no_order(clusters: list[Cluster], random: Random) -> None:
    once = organise(clusters)
    assert organise(once.clusters).clusters == once.clusters
    shuffled = list(clusters)
    random.shuffle(shuffled)
    assert organise(shuffled) == once


@given(st.lists(CLUSTERS, max_size=6, unique_by=lambda c: c.id))
def test_no_live_fact_is_lost_by_organising(clusters: list[Cluster]) -> None:
    assert _live_facts(organise(clusters).clusters) == _live_facts(clusters)


@given(st.lists(CLUSTERS, max_size=6, unique_by=lambda c: c.id))
def test_what_is_organised_has_all_evidence_its_parts_name(clusters: list[Cluster]) -> None:
    for one in organise(clusters).clusters:
        known = dict(one.citations)
        assert all(id_ in known for fact in one.facts for id_ in fact.evidence)
        assert all(id_ in known for asked in one.asked for id_ in asked.evidence)


def test_the_same_question_asked_twice_is_one_cluster() -> None:
    first = cluster("How wide is it?", [("width", "7", [1])], at=1)
    second = cluster("How wide is it?", [("width", "14", [2])], at=2)
    (both,) = organise([first, second]).clusters
    assert {fact.value for fact in both.facts} == {"7", "14"}
    assert [asked.at for asked in both.asked] == [2]


def test_clusters_that_share_only_evidence_are_linked_and_stay_apart() -> None:
    width = cluster("How wide is it?", [("width", "7", [1])])
    height = cluster("How high is it?", [("height", "9", [1])])
    one, other = organise([width, height]).clusters
    assert [link.cluster for link in one.links] == [other.id]
    assert [link.cluster for link in other.links] == [one.id]


def test_questions_whose_evidence_diverged_are_split() -> None:
    one = cluster("How wide is it?", [("width", "7", [1])])
    other = cluster("How high is it?", [("height", "9", [2])])
    assert {part.title for part in split(merge(one, other))} == {"How wide is it?", "How high is it?"}


def test_a_link_to_a_cluster_that_was_not_looked_at_stays() -> None:
    one = cluster("How wide is it?", [("width", "7", [1])])
    other = cluster("How high is it?", [("height", "9", [1])])
    linked = organise([one, other]).clusters[0]
    assert organise([linked]).clusters == (linked,)


def test_withdrawn_evidence_retires_a_fact_and_archives_its_cluster() -> None:
    one = cluster("How wide is it?", [("width", "7", [1])])
    gone = {id_: Checked(c, CitationState.WITHDRAWN) for id_, c in one.citations}
    after = rechecked(one, gone)
    assert after.archived
    assert [fact.retired for fact in after.facts] == [True]
    assert after.asked[0].question == "How wide is it?"


def test_a_moved_citation_is_cited_where_it_stands_now() -> None:
    one = cluster("How wide is it?", [("width", "7", [1])])
    ((id_, old),) = one.citations
    moved = replace(old, span=Span(old.span.start + 5, old.span.end + 5))
    after = rechecked(one, {id_: Checked(moved, CitationState.MOVED, moved.span, moved.sha256)})
    assert after.facts[0].evidence == (citation_id(moved),)
    assert after.asked[0].evidence == (citation_id(moved),)
    assert not after.archived


def test_a_fact_keeps_what_is_left_of_its_evidence() -> None:
    one = cluster("How wide is it?", [("width", "7", [1, 2])])
    gone = {citation_id(citation(1)): Checked(citation(1), CitationState.WITHDRAWN)}
    assert [fact.evidence for fact in live(rechecked(one, gone))] == [(citation_id(citation(2)),)]


@given(CLUSTERS, st.floats(0, 1e9), st.floats(0, 1e9))
def test_aging_is_monotone(one: Cluster, earlier: float, later: float) -> None:
    earlier, later = sorted((earlier, later))
    assert decay_weight(one, later) <= decay_weight(one, earlier)
    assert decay_weight(used_again(one, later), later) >= decay_weight(one, later)
    assert 0 <= decay_weight(one, later) <= 1


def test_a_clock_that_went_back_ages_nothing() -> None:
    one = cluster("How wide is it?", [("width", "7", [1])], at=1000.0)
    assert decay_weight(one, 0.0) == decay_weight(one, 1000.0)


@given(CLUSTERS, CLUSTERS)
def test_belonging_together_is_symmetric(one: Cluster, other: Cluster) -> None:
    assert belong_together(one, other) == belong_together(other, one)


@given(CLUSTERS)
def test_settling_twice_changes_nothing(one: Cluster) -> None:
    assert settled(settled(one)) == settled(one)


PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "benchmarks/questions/reuse.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair["same"]], ids=lambda pair: pair["id"])
def test_a_question_that_asks_something_else_has_another_key(pair: dict[str, str]) -> None:
    assert question_key(pair["asked"]) != question_key(pair["again"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What's the default port?", "what is the default port"),
        ("Please tell me the default port.", "What is the default port?"),
        ("In March 2021, what did they decide?", "What did they decide in March 2021?"),
        ("Which is older, A or B?", "Which is older, B or A?"),
        ("Who directed the movie?", "who directed the film"),
        ("Quel est le port par défaut ?", "quel est le port par defaut?"),
        ("服务器的默认端口是多少？", "服务器的默认端口是多少"),
    ],
)
def test_what_cannot_change_the_meaning_does_not_change_the_key(one: str, other: str) -> None:
    assert question_key(one) == question_key(other)


def test_a_single_letter_may_be_a_name() -> None:
    assert question_key("What does vitamin A do?") != question_key("What does vitamin do?")
    assert question_key("Is it A or B?") != question_key("Is it B?")


@given(st.text(max_size=80))
def test_a_key_is_its_own_key(text: str) -> None:
    assert question_key(question_key(text)) == question_key(text)


def test_no_question_changed_in_meaning_is_taken_for_the_one_it_was_made_from(data_dir: Path) -> None:
    asked: list[str] = []
    for name in ("hotpotqa", "squad"):
        with gzip.open(data_dir / name / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
            asked += [json.loads(line)["question"] for line in lines]
    made = list(negatives(asked))
    assert len(made) >= 2000
    assert {one.kind for one in made} == {"entity", "number", "date", "negation", "relation", "roles"}
    assert [one for one in made if question_key(one.asked) == question_key(one.question)] == []
    # The control: a bag of content words takes many of them for the same question.
    assert sum(content(one.asked) == content(one.question) for one in made) > 100


def test_what_the_rules_make_of_a_question_is_the_same_fact_within_that_question_only() -> None:
    fact = Requirement("f1", "the reference: older")
    older, newer = "Which is older, the book or the reference?", "Which is newer, the book or the reference?"
    assert requirement_key(fact, older, whole=False) != requirement_key(fact, newer, whole=False)
    assert requirement_key(fact, older, whole=True) == requirement_key(fact, newer, whole=True)


def test_likeness_is_the_share_of_common_words() -> None:
    assert likeness({"port", "server"}, {"port", "server"}) == 1.0
    assert likeness({"port", "server"}, {"port", "client"}) == pytest.approx(1 / 3)
    assert likeness({"port"}, {"port"}) == 0.0


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
        given = replace(answer(os.sep), question=kept(n).asked[0].question)
        store.keep_answer(f"{n}.md", Saved(given, {}, datetime.now(UTC), None, private=False))
    call_wrong(store, ["k1"])
    assert [path.name for path in (store.path.parent / "answers").glob("*.md")] == ["2.md"]


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
