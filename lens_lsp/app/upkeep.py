"""A whole store against the sources as they are: what it cites, and what a look at all of it changes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from lens_lsp.memory.check import Cited, Finding
from lens_lsp.memory.clusters import citation_id, live, organise, rechecked, wrong_answers
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import Changes, Knowledge
from lens_lsp.model.cluster import Checked, CitationState, Cluster, WrongAnswer

_SHORT = 8


def kept_citations(store: Store, workspace: str) -> list[Cited]:
    """Every citation that a live fact of a store rests on, once; ``workspace`` is what its roots are relative to."""
    cited: dict[str, Cited] = {}
    for cluster in store.clusters():
        proving = {id_ for fact in live(cluster) for id_ in fact.evidence}
        where = f"cluster {cluster.id[:_SHORT]} ({cluster.title})"
        for n, (id_, citation) in enumerate(cluster.citations, 1):
            if id_ in proving:
                cited.setdefault(id_, Cited(where, 0, str(n), workspace, citation))
    return list(cited.values())


def freshness(clusters: Iterable[Cluster], findings: Iterable[Finding]) -> dict[str, dict[str, int]]:
    """How many of the citations that each cluster's facts rest on are of each state, by its id; ``findings`` are those
    of a check of `kept_citations`."""
    states = {citation_id(finding.cited.citation): finding.checked.state for finding in findings}
    counted = {}
    for cluster in clusters:
        proving = {id_ for fact in live(cluster) for id_ in fact.evidence}
        found = Counter(states[id_] for id_ in proving if id_ in states)
        counted[cluster.id] = {state.value: found[state] for state in CitationState}
    return counted


def settle(store: Store, findings: Iterable[Finding]) -> Changes:
    """Keep what a check of `kept_citations` has shown: moved quotes are cited where they stand, facts without proof are
    retired, clusters without facts archived. Raises `NotSaved`."""
    looks = {citation_id(finding.cited.citation): _anew(finding.checked) for finding in findings}

    def change(knowledge: Knowledge) -> Changes:
        before = knowledge.clusters()
        after = organise(rechecked(cluster, looks) for cluster in before)
        unchanged = {cluster.id: cluster for cluster in before}
        changed = tuple(cluster for cluster in after.clusters if unchanged.get(cluster.id) != cluster)
        return Changes(changed, after.gone)

    return store.update(change)


def call_wrong(store: Store, ids: Iterable[str], clock: Callable[[], float] = time.time) -> tuple[WrongAnswer, ...]:
    """Withdraw clusters whose answers are wrong: they answer nothing any more, nothing like them is kept, and each is
    a check that can be run again. Returns these. Raises `NotSaved` and `StoreUnreadable`."""
    at = clock()
    return store.withdraw(ids, lambda cluster: wrong_answers(cluster, at))


def _anew(checked: Checked) -> Checked:
    """A look with the citation as it would be recorded now.

    What stands beside the quote stays as it was recorded: the side that was found again still makes it unique.
    """
    if checked.state is not CitationState.MOVED or checked.span is None or checked.sha256 is None:
        return checked
    citation = replace(
        checked.citation,
        span=checked.span,
        sha256=checked.sha256,
        path=checked.path or checked.citation.path,
    )
    return replace(checked, citation=citation)
