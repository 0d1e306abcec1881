from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.memory.clusters import (
    belong_together,
    citation_id,
    decay_weight,
    live,
    merge,
    organise,
    rechecked,
    settled,
    split,
    used_again,
)
from lens_lsp.model.cluster import Checked, CitationState, Cluster
from lens_lsp.model.text import Span
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
