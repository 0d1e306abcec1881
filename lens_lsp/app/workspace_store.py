"""The store of a workspace: opened when there is one to use, or when it may be made; and all of it held against the
sources as they are, with what such a look changes.

``notify`` is told, a sentence at a time, what the user should know of a store.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_lsp.app.configuration import HERE, workspaces_of
from lens_lsp.disk import is_object_url
from lens_lsp.memory.clusters import citation_id, live, organise, rechecked, wrong_answers
from lens_lsp.model.cluster import Checked, CitationState, Cluster, WrongAnswer
from lens_lsp.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from lens_lsp.app.question_memory import Memory
    from lens_lsp.memory.check import Cited, Finding
    from lens_lsp.memory.store import Store
    from lens_lsp.memory.store_rows import Changes, StoreView

Notify = Callable[[str], object]
_SHORT = 8


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """Which store was asked for: another folder than the workspace's own, or none."""

    folder: str | None = None
    off: bool = False

    def place(self, workspace: str) -> Path:
        """The folder of the store. Raises `StoreUnavailable`."""
        from lens_lsp.memory.store_file import store_folder

        return store_folder(workspace, self.folder, os.environ)


def workspace_for(paths: Sequence[str]) -> str:
    """The workspace whose store counts: that of the first path that exists."""
    return workspaces_of(tuple(paths) or (HERE,))[0]


@contextmanager
def opened_memory(paths: Sequence[str], choice: StoreChoice, notify: Notify) -> Iterator[Memory | None]:
    """The workspace's memory, made where there is none; None when it is off or cannot be had, which is told once."""
    if choice.off:
        yield None
        return
    if any(map(is_object_url, paths)):
        notify("what is asked of object stores and other machines is answered anew each time: nothing of it is kept")
        yield None
        return
    from lens_lsp.app.question_memory import Memory
    from lens_lsp.memory.store import Store
    from lens_lsp.memory.store_file import StoreUnavailable

    workspace = workspace_for(paths)
    try:
        store = Store.open(choice.place(workspace))
    except StoreUnavailable as why:
        notify(str(why))
        yield None
        return
    with _told(store, notify):
        yield Memory(store, workspace)


@contextmanager
def existing_store(paths: Sequence[str], choice: StoreChoice, notify: Notify) -> Iterator[Store | None]:
    """The workspace's store if it has one; nothing is made. Raises `StoreUnavailable` for one that cannot be read."""
    from lens_lsp.memory.store import Store
    from lens_lsp.memory.store_file import StoreUnavailable

    try:
        folder = None if choice.off else choice.place(workspace_for(paths))
    except StoreUnavailable:  # without a home there is no store
        folder = None
    store = None if folder is None else Store.existing(folder)
    with nullcontext() if store is None else _told(store, notify):
        yield store


@contextmanager
def unchanged_memory(paths: Sequence[str], choice: StoreChoice, notify: Notify) -> Iterator[Memory | None]:
    """The workspace's memory if it has one, to be read and not added to."""
    from lens_lsp.app.question_memory import Memory

    with existing_store(paths, choice, notify) as store:
        yield None if store is None else Memory(store, workspace_for(paths), keeps=False)


@contextmanager
def _told(store: Store, notify: Notify) -> Iterator[None]:
    """Close the store at the end; what it has to say is told at once, and what it finds while in use then."""
    with store:
        at_first = store.notices
        for notice in at_first:
            notify(notice)
        yield
        for notice in store.notices[len(at_first) :]:
            notify(notice)


def kept_citations(store: Store, workspace: str) -> list[Cited]:
    """Every citation that a live fact of a store rests on, once; ``workspace`` is what its roots are relative to."""
    from lens_lsp.memory.check import Cited

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
    from lens_lsp.memory.store_rows import Changes

    looks = {citation_id(finding.cited.citation): _anew(finding.checked) for finding in findings}

    def change(view: StoreView) -> Changes:
        before = view.clusters()
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
